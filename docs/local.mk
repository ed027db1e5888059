# Documents that are installed or distributed.
dist_man_MANS += docs/loopc.1
if HAVE_ONNX
dist_man_MANS += docs/loopc-onnx.1
endif
EXTRA_DIST += docs/building.md docs/machine.md docs/importing.md docs/loopc-onnx.1
EXTRA_DIST += docs/glossary.md docs/ir.md
EXTRA_DIST += docs/affine.md docs/fusion.md
EXTRA_DIST += docs/reports.md docs/sizes.md docs/tutorial.md docs/levels.md

# Where bash-completion looks, by the name of the command.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = docs/completion/loopc
if HAVE_ONNX
dist_bashcompletion_DATA += docs/completion/loopc-onnx
endif
EXTRA_DIST += docs/completion/loopc-onnx

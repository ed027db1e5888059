# Documents that are installed or distributed.
dist_man_MANS += docs/loopc.1
EXTRA_DIST += docs/building.md docs/machine.md
EXTRA_DIST += docs/ir.md
EXTRA_DIST += docs/affine.md docs/fusion.md
EXTRA_DIST += docs/reports.md docs/sizes.md docs/tutorial.md

# Where bash-completion looks, by the name of the command.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = docs/completion/loopc

# The importer of ONNX networks.
EXTRA_DIST += tests/onnx/setup.sh tests/onnx/checks.py tests/onnx/fuzz.py tests/onnx/operators.py \
	tests/onnx/walk.py
script_tests += tests/onnx/checks_test.sh tests/onnx/walk_test.sh tests/onnx/operators_test.sh \
	tests/onnx/fuzz_test.sh

# The example network, on host and board.
EXTRA_DIST += examples/onnx/README.md examples/onnx/model.py examples/onnx/train.py \
	examples/onnx/board/Makefile examples/onnx/board/main.c
script_tests += examples/onnx/onnx_test.sh

# All published models of one operator: some minutes.
.PHONY: walk-onnx
walk-onnx: all
	python3 -B $(srcdir)/tests/onnx/walk.py ./loopc-onnx ./loopc '$(CC)' $(srcdir)/runtime \
		/usr/share/libonnx-testdata/data

# The importer of ONNX networks.
EXTRA_DIST += tests/onnx/setup.sh tests/onnx/checks.py tests/onnx/fuzz.py tests/onnx/model.py tests/onnx/walk.py
script_tests += tests/onnx/checks_test.sh tests/onnx/walk_test.sh tests/onnx/fuzz_test.sh

# All published models of one operator: some minutes.
.PHONY: walk-onnx
walk-onnx: all
	python3 -B $(srcdir)/tests/onnx/walk.py ./loopc-onnx ./loopc '$(CC)' $(srcdir)/runtime \
		/usr/share/libonnx-testdata/data

# Waits removed from emitted code, one at a time.
script_tests += tests/mutation/mutation_test.sh
EXTRA_DIST += tests/mutation/contraction.loop tests/mutation/convolution.loop \
	tests/mutation/depthwise.loop tests/mutation/gemm.loop tests/mutation/layers.loop \
	tests/mutation/pooling.loop tests/mutation/product.loop tests/mutation/triangle.loop

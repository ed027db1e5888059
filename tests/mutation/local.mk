# Waits removed from emitted code, and its assignments spoiled, one at a time.
script_tests += tests/mutation/float_test.sh tests/mutation/mutation_test.sh
EXTRA_DIST += tests/mutation/attention.loop tests/mutation/contraction.loop tests/mutation/convolution.loop \
	tests/mutation/depthwise.loop tests/mutation/float_layers.loop tests/mutation/gemm.loop tests/mutation/layers.loop \
	tests/mutation/norm.loop \
	tests/mutation/pooling.loop tests/mutation/product.loop tests/mutation/stencil.loop tests/mutation/triangle.loop

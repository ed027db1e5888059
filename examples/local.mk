# The examples: kernels as users write them, and their small sizes.
EXTRA_DIST += examples/README.md examples/sizes.txt

EXTRA_DIST += examples/alexnet/README.md
EXTRA_DIST += \
	examples/alexnet/conv1.loop examples/alexnet/conv2.loop \
	examples/alexnet/conv3.loop examples/alexnet/conv4.loop \
	examples/alexnet/conv5.loop

EXTRA_DIST += examples/blas/README.md
EXTRA_DIST += \
	examples/blas/contraction.loop examples/blas/dot.loop examples/blas/gemm.loop \
	examples/blas/gemm_int8.loop examples/blas/gemm_update.loop \
	examples/blas/gemv.loop examples/blas/gemv_transposed.loop \
	examples/blas/transpose.loop

EXTRA_DIST += examples/conv/README.md
EXTRA_DIST += \
	examples/conv/bias_relu.loop examples/conv/depthwise.loop \
	examples/conv/dilated.loop examples/conv/dilated_large.loop \
	examples/conv/direct.loop examples/conv/grouped.loop \
	examples/conv/grouped_channels.loop examples/conv/one_dimensional.loop \
	examples/conv/padded.loop examples/conv/padded_bounds.loop \
	examples/conv/pointwise.loop examples/conv/strided.loop \
	examples/conv/three_dimensional.loop examples/conv/transposed.loop

EXTRA_DIST += examples/networks/README.md
EXTRA_DIST += \
	examples/networks/attention.loop examples/networks/denoiser.loop \
	examples/networks/edges.loop examples/networks/inverted_residual.loop \
	examples/networks/l2net.loop examples/networks/l3net.loop \
	examples/networks/resnet_basic.loop examples/networks/resnet_bottleneck.loop \
	examples/networks/resnet_downsample.loop \
	examples/networks/squeeze_excite.loop examples/networks/vgg16.loop \
	examples/networks/vgg16_cifar10.loop

EXTRA_DIST += examples/nn/README.md
EXTRA_DIST += \
	examples/nn/attention_scores.loop examples/nn/attention_values.loop \
	examples/nn/average_pool.loop examples/nn/batch_norm.loop \
	examples/nn/causal_attention_scores.loop examples/nn/fully_connected.loop \
	examples/nn/global_average_pool.loop examples/nn/layer_norm.loop \
	examples/nn/lstm_cell.loop examples/nn/max_pool.loop \
	examples/nn/max_pool_float.loop examples/nn/residual_add.loop \
	examples/nn/rms_norm.loop examples/nn/softmax.loop examples/nn/upsample.loop

EXTRA_DIST += examples/polyhedral/README.md
EXTRA_DIST += \
	examples/polyhedral/2mm.loop examples/polyhedral/3mm.loop \
	examples/polyhedral/adi.loop examples/polyhedral/atax.loop \
	examples/polyhedral/bicg.loop examples/polyhedral/cholesky.loop \
	examples/polyhedral/correlation.loop examples/polyhedral/covariance.loop \
	examples/polyhedral/deriche.loop examples/polyhedral/doitgen.loop \
	examples/polyhedral/durbin.loop examples/polyhedral/fdtd-2d.loop \
	examples/polyhedral/floyd-warshall.loop examples/polyhedral/gemm.loop \
	examples/polyhedral/gemver.loop examples/polyhedral/gesummv.loop \
	examples/polyhedral/gramschmidt.loop examples/polyhedral/heat-3d.loop \
	examples/polyhedral/jacobi-1d.loop examples/polyhedral/jacobi-2d.loop \
	examples/polyhedral/lu.loop examples/polyhedral/ludcmp.loop \
	examples/polyhedral/mvt.loop examples/polyhedral/nussinov.loop \
	examples/polyhedral/seidel-2d.loop examples/polyhedral/symm.loop \
	examples/polyhedral/syr2k.loop examples/polyhedral/syrk.loop \
	examples/polyhedral/trisolv.loop examples/polyhedral/trmm.loop

EXTRA_DIST += examples/resnet18/README.md
EXTRA_DIST += \
	examples/resnet18/conv1.loop examples/resnet18/conv2.loop \
	examples/resnet18/conv3.loop examples/resnet18/conv3_down.loop \
	examples/resnet18/conv3_shortcut.loop

EXTRA_DIST += examples/vgg16/README.md
EXTRA_DIST += \
	examples/vgg16/conv1_1.loop examples/vgg16/conv1_2.loop \
	examples/vgg16/conv2_1.loop examples/vgg16/conv2_2.loop \
	examples/vgg16/conv3_1.loop examples/vgg16/conv3_2.loop \
	examples/vgg16/conv3_3.loop examples/vgg16/conv4_1.loop \
	examples/vgg16/conv4_2.loop examples/vgg16/conv4_3.loop \
	examples/vgg16/conv5_1.loop examples/vgg16/conv5_2.loop \
	examples/vgg16/conv5_3.loop

script_tests += examples/c99_test.sh

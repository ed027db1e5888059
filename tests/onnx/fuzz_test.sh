#!/bin/sh
# Damaged models: FUZZ_MODELS of them, from seed FUZZ_SEED on.
. "$top_srcdir/tests/onnx/setup.sh"
need_data
cd "$data/node" || exit 99
exec python3 -B "$top_srcdir/tests/onnx/fuzz.py" "$importer" "${FUZZ_MODELS:-150}" "${FUZZ_SEED:-1}" \
	test_basic_conv_with_padding/model.onnx test_globalaveragepool/model.onnx test_gemm_all_attributes/model.onnx \
	test_concat_2d_axis_1/model.onnx test_softmax_axis_1/model.onnx test_convtranspose_pads/model.onnx \
	test_layer_normalization_2d_axis1_expanded/model.onnx test_maxpool_2d_ceil/model.onnx test_lrn/model.onnx \
	test_qlinearconv/model.onnx test_qlinearmatmul_2D/model.onnx test_quantizelinear_axis/model.onnx \
	test_dynamicquantizelinear/model.onnx test_gather_negative_indices/model.onnx test_reflect_pad/model.onnx \
	test_resize_upsample_sizes_nearest/model.onnx test_split_equal_parts_2d/model.onnx test_transpose_all_permutations_3/model.onnx test_clip/model.onnx

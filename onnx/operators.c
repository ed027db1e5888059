/* The table of operators. */

#include <string.h>

#include "onnx/lower.h"

static const struct operator operators[] = {
	{ "Abs", "", 6, lower_unary, UNARY_ABS },
	{ "Acos", "", 7, lower_unary, UNARY_FUNCTION },
	{ "Acosh", "", 9, lower_unary, UNARY_FUNCTION },
	{ "Add", "", 7, lower_binary, BINARY_ADD },
	{ "And", "", 7, lower_binary, BINARY_AND },
	{ "ArgMax", "", 1, lower_arg, ARG_MAX },
	{ "ArgMin", "", 1, lower_arg, ARG_MIN },
	{ "Asin", "", 7, lower_unary, UNARY_FUNCTION },
	{ "Asinh", "", 9, lower_unary, UNARY_FUNCTION },
	{ "Atan", "", 7, lower_unary, UNARY_FUNCTION },
	{ "Atanh", "", 9, lower_unary, UNARY_FUNCTION },
	{ "AveragePool", "", 1, lower_pool, POOL_AVERAGE },
	{ "BatchNormalization", "", 7, lower_batch_normalization, 0 },
	{ "Cast", "", 6, lower_cast, 0 },
	{ "Ceil", "", 6, lower_unary, UNARY_CEIL },
	{ "Celu", "", 12, lower_unary, UNARY_CELU },
	{ "Clip", "", 6, lower_clip, 0 },
	{ "Concat", "", 4, lower_concat, 0 },
	{ "Constant", "", 1, lower_constant_node, 0 },
	{ "ConstantOfShape", "", 9, lower_constant_of_shape, 0 },
	{ "Conv", "", 1, lower_convolution, CONVOLUTION_FLOAT },
	{ "ConvInteger", "", 10, lower_convolution, CONVOLUTION_INTEGER },
	{ "ConvTranspose", "", 1, lower_convolution_transposed, 0 },
	{ "Cos", "", 7, lower_unary, UNARY_FUNCTION },
	{ "Cosh", "", 9, lower_unary, UNARY_FUNCTION },
	{ "DepthToSpace", "", 1, lower_depth_to_space, 0 },
	{ "DequantizeLinear", "", 10, lower_dequantize, 0 },
	{ "Div", "", 7, lower_binary, BINARY_DIV },
	{ "Dropout", "", 1, lower_dropout, 0 },
	{ "DynamicQuantizeLinear", "", 11, lower_dynamic_quantize, 0 },
	{ "Elu", "", 6, lower_unary, UNARY_ELU },
	{ "Equal", "", 7, lower_binary, BINARY_EQUAL },
	{ "Erf", "", 9, lower_unary, UNARY_ERF },
	{ "Exp", "", 6, lower_unary, UNARY_EXP },
	{ "Expand", "", 8, lower_expand, 0 },
	{ "Flatten", "", 1, lower_flatten, 0 },
	{ "Floor", "", 6, lower_unary, UNARY_FLOOR },
	{ "Gather", "", 1, lower_gather, 0 },
	{ "Gelu", "", 1, lower_unary, UNARY_GELU },
	{ "Gelu", "com.microsoft", 0, lower_unary, UNARY_GELU },
	{ "Gemm", "", 7, lower_gemm, 0 },
	{ "GlobalAveragePool", "", 1, lower_global_pool, POOL_AVERAGE },
	{ "GlobalMaxPool", "", 1, lower_global_pool, POOL_MAX },
	{ "Greater", "", 7, lower_binary, BINARY_GREATER },
	{ "GreaterOrEqual", "", 12, lower_binary, BINARY_GREATER_EQUAL },
	{ "HardSigmoid", "", 6, lower_unary, UNARY_HARD_SIGMOID },
	{ "HardSwish", "", 14, lower_unary, UNARY_HARD_SWISH },
	{ "Identity", "", 1, lower_identity, 0 },
	{ "InstanceNormalization", "", 6, lower_instance_normalization, 0 },
	{ "LRN", "", 1, lower_lrn, 0 },
	{ "LayerNormalization", "", 1, lower_layer_normalization, 0 },
	{ "LeakyRelu", "", 6, lower_unary, UNARY_LEAKY_RELU },
	{ "Less", "", 7, lower_binary, BINARY_LESS },
	{ "LessOrEqual", "", 12, lower_binary, BINARY_LESS_EQUAL },
	{ "Log", "", 6, lower_unary, UNARY_LOG },
	{ "LogSoftmax", "", 1, lower_softmax, SOFTMAX_LOG },
	{ "MatMul", "", 1, lower_matmul, MATMUL_FLOAT },
	{ "MatMulInteger", "", 10, lower_matmul, MATMUL_INTEGER },
	{ "Max", "", 6, lower_variadic, VARIADIC_MAX },
	{ "MaxPool", "", 1, lower_pool, POOL_MAX },
	{ "Mean", "", 6, lower_variadic, VARIADIC_MEAN },
	{ "Min", "", 6, lower_variadic, VARIADIC_MIN },
	{ "Mul", "", 7, lower_binary, BINARY_MUL },
	{ "Neg", "", 6, lower_unary, UNARY_NEG },
	{ "Not", "", 1, lower_unary, UNARY_NOT },
	{ "Or", "", 7, lower_binary, BINARY_OR },
	{ "PRelu", "", 7, lower_prelu, 0 },
	{ "Pad", "", 2, lower_pad, 0 },
	{ "Pow", "", 7, lower_binary, BINARY_POW },
	{ "QLinearConv", "", 10, lower_quantized_convolution, 0 },
	{ "QLinearMatMul", "", 10, lower_quantized_matmul, 0 },
	{ "QuantizeLinear", "", 10, lower_quantize, 0 },
	{ "Range", "", 11, lower_range, 0 },
	{ "Reciprocal", "", 6, lower_unary, UNARY_RECIPROCAL },
	{ "ReduceL1", "", 1, lower_reduce, REDUCE_L1 },
	{ "ReduceL2", "", 1, lower_reduce, REDUCE_L2 },
	{ "ReduceLogSum", "", 1, lower_reduce, REDUCE_LOG_SUM },
	{ "ReduceLogSumExp", "", 1, lower_reduce, REDUCE_LOG_SUM_EXP },
	{ "ReduceMax", "", 1, lower_reduce, REDUCE_MAX },
	{ "ReduceMean", "", 1, lower_reduce, REDUCE_MEAN },
	{ "ReduceMin", "", 1, lower_reduce, REDUCE_MIN },
	{ "ReduceProd", "", 1, lower_reduce, REDUCE_PROD },
	{ "ReduceSum", "", 1, lower_reduce, REDUCE_SUM },
	{ "ReduceSumSquare", "", 1, lower_reduce, REDUCE_SUM_SQUARE },
	{ "Relu", "", 6, lower_unary, UNARY_RELU },
	{ "RequantShift", "PACTOps", 0, lower_requant_shift, 0 },
	{ "RequantShift", "", 1, lower_requant_shift, 0 },
	{ "Reshape", "", 5, lower_reshape_node, 0 },
	{ "Resize", "", 10, lower_resize, 0 },
	{ "Round", "", 11, lower_unary, UNARY_ROUND },
	{ "Selu", "", 6, lower_unary, UNARY_SELU },
	{ "Shape", "", 1, lower_shape, 0 },
	{ "Sigmoid", "", 6, lower_unary, UNARY_SIGMOID },
	{ "Sign", "", 9, lower_unary, UNARY_SIGN },
	{ "Sin", "", 7, lower_unary, UNARY_FUNCTION },
	{ "Sinh", "", 9, lower_unary, UNARY_FUNCTION },
	{ "Size", "", 1, lower_shape, 0 },
	{ "Slice", "", 1, lower_slice, 0 },
	{ "Softmax", "", 1, lower_softmax, SOFTMAX },
	{ "Softplus", "", 1, lower_unary, UNARY_SOFTPLUS },
	{ "Softsign", "", 1, lower_unary, UNARY_SOFTSIGN },
	{ "SpaceToDepth", "", 1, lower_space_to_depth, 0 },
	{ "Split", "", 2, lower_split, 0 },
	{ "Sqrt", "", 6, lower_unary, UNARY_SQRT },
	{ "Squeeze", "", 1, lower_squeeze, 0 },
	{ "Sub", "", 7, lower_binary, BINARY_SUB },
	{ "Sum", "", 6, lower_variadic, VARIADIC_SUM },
	{ "Tan", "", 7, lower_unary, UNARY_FUNCTION },
	{ "Tanh", "", 6, lower_unary, UNARY_TANH },
	{ "ThresholdedRelu", "", 10, lower_unary, UNARY_THRESHOLDED_RELU },
	{ "Tile", "", 6, lower_tile, 0 },
	{ "Transpose", "", 1, lower_transpose, 0 },
	{ "Unsqueeze", "", 1, lower_unsqueeze, 0 },
	{ "Upsample", "", 7, lower_resize, 0 },
	{ "Where", "", 9, lower_where, 0 },
};

const struct operator *operator_find(const char *domain, const char *name)
{
	for (size_t o = 0; o < sizeof(operators) / sizeof(operators[0]); o++)
		if (!strcmp(operators[o].name, name) && !strcmp(operators[o].domain, domain))
			return &operators[o];
	return NULL;
}

const char *operator_advice(const char *name)
{
	static const struct { const char *name, *advice; } advices[] = {
		{ "If", "a branch on data; export the network with the condition fixed" },
		{ "Loop", "a loop of the graph; export the network with it unrolled" },
		{ "Scan", "a loop of the graph; export the network with it unrolled" },
		{ "LSTM", "not supported; export its steps as MatMul, Sigmoid, Tanh, Mul and Add" },
		{ "GRU", "not supported; export its steps as MatMul, Sigmoid, Tanh, Mul and Add" },
		{ "RNN", "not supported; export its steps as MatMul, Tanh and Add" },
		{ "Einsum", "not supported; write it as Transpose, Reshape and MatMul" },
		{ "TopK", "not supported; cut the network before it, or use ArgMax for the first" },
		{ "NonMaxSuppression", "not supported; cut the network before it" },
		{ "NonZero", "the result's size depends on data; cut the network before it" },
		{ "GatherND", "not supported; Gather with constant indices is" },
		{ "GatherElements", "not supported; Gather with constant indices is" },
		{ "ScatterND", "not supported; write it as Concat of slices" },
		{ "GroupNormalization", "not supported; write it as Reshape, InstanceNormalization, Mul and Add" },
		{ "Mish", "not supported; write it as Softplus, Tanh and Mul" },
		{ "RandomNormal", "random numbers; make them an input of the network" },
	};

	for (size_t a = 0; a < sizeof(advices) / sizeof(advices[0]); a++)
		if (!strcmp(advices[a].name, name))
			return advices[a].advice;
	return NULL;
}

void operator_list(FILE *out)
{
	for (size_t o = 0; o < sizeof(operators) / sizeof(operators[0]); o++)
		fprintf(out, "%s%s%s\n", operators[o].domain, *operators[o].domain ? "." : "", operators[o].name);
}

#include "tests/optimality/convolution.h"

#include <string.h>

enum { N, K, C, P, Q, R, S };

static void add_array(struct nest_model *model, const char *name, int element_bytes,
	const int *loops)
{
	struct model_array *array = &model->arrays[model->array_count++];

	array->name = name;
	array->element_bytes = element_bytes;
	array->rank = 4;
	array->is_read = true;
	for (int d = 0; d < 4; d++) {
		array->dims[d].window = 1;
		array->dims[d].coefficient[loops[d]] = 1;
	}
}

/* One output row or column touches WINDOW of the input: where that is a single one,
 * the stride leaves out what nothing touches. */
static void slide_input(struct model_dim *dim, int output, int window, long stride, long extent)
{
	dim->coefficient[output] = extent > 1 ? stride : 1;
	dim->coefficient[window] = 1;
}

void convolution_model(struct nest_model *model, const struct convolution *sizes, long stride,
	int element_bytes)
{
	static const char *const names[] = { "n", "k", "c", "p", "q", "r", "s" };
	const long extents[] = { sizes->n, sizes->k, sizes->c, sizes->p, sizes->q, sizes->r,
		sizes->s };

	memset(model, 0, sizeof *model);
	model->loop_count = 7;
	for (int l = 0; l < 7; l++) {
		model->loops[l].name = names[l];
		model->loops[l].extent = extents[l];
	}
	add_array(model, "O", element_bytes, (const int[]){ N, K, P, Q });
	model->arrays[0].is_written = model->arrays[0].is_created = true;
	model->arrays[0].is_read = false;
	add_array(model, "I", element_bytes, (const int[]){ N, C, P, Q });
	slide_input(&model->arrays[1].dims[2], P, R, stride, sizes->r);
	slide_input(&model->arrays[1].dims[3], Q, S, stride, sizes->s);
	add_array(model, "W", element_bytes, (const int[]){ K, C, R, S });
}

void convolution_pad(struct nest_model *model, long border)
{
	for (int d = 2; d < 4; d++) {
		struct model_dim *dim = &model->arrays[1].dims[d];
		long whole = dim->window;

		for (int l = 0; l < model->loop_count; l++)
			whole += dim->coefficient[l] * (model->loops[l].extent - 1);
		dim->clip_low = border;
		dim->clip_high = whole - border;
	}
}

/* --emit=reuse: what the schedule of each nest depends on, as text. */

#include "passes/cost/nest_model.h"

static void print_loops(FILE *out, const struct band *band)
{
	for (int l = 0; l < band->count; l++) {
		const struct band_dim *dim = &band->dims[l];
		fprintf(out, "  loop %s extent %ld%s%s\n", dim->name, dim->extent,
			l < band->prefix ? " sequential" : "", dim->is_forward ? " forward" : "");
	}
	if (band->left_out)
		fprintf(out, "  %d loops run whole inside a tile\n", band->left_out);
}

static void print_dim(FILE *out, const struct nest_model *model, const struct model_dim *dim)
{
	fprintf(out, " [%ld", dim->window);
	for (int l = 0; l < model->loop_count; l++) {
		long factor = dim->coefficient[l];
		if (!factor)
			continue;
		fprintf(out, dim->negative >> l & 1 ? " - " : " + ");
		if (factor != 1)
			fprintf(out, "%ld ", factor);
		fprintf(out, "%s", model->loops[l].name);
	}
	fputc(']', out);
}

static void print_array(FILE *out, const struct nest_model *model, int a)
{
	const struct model_array *array = &model->arrays[a];
	fprintf(out, "  array %s %d bytes", array->name, array->element_bytes);
	for (int d = 0; d < array->rank; d++)
		print_dim(out, model, &array->dims[d]);
	fprintf(out, "%s%s%s%s", array->is_read ? " read" : "", array->is_written ? " written" : "",
		array->is_created ? " created" : "", array->is_dropped ? " dropped" : "");
	for (int l = 0; l < model->loop_count; l++)
		if (array->anchored >> l & 1)
			fprintf(out, " once in %s", model->loops[l].name);
	fputs("; kept along", out);
	for (int l = 0; l < model->loop_count; l++) {
		bool moves = false;
		for (int d = 0; d < array->rank; d++)
			moves |= array->dims[d].coefficient[l] != 0;
		if (!moves)
			fprintf(out, " %s", model->loops[l].name);
	}
	fputc('\n', out);
}

void nest_print_model(const struct variant *variant, const struct nest_model *model, bool has_forms,
	FILE *out)
{
	fprintf(out, "nest %s%s\n", variant->nest->name,
		has_forms ? "" : " (regions are bounded, not exact)");
	print_loops(out, variant->band);
	for (int a = 0; a < model->array_count; a++)
		print_array(out, model, a);
}

bool print_reuse(struct compilation *compilation, const struct function *function, FILE *out)
{
	int count;
	const struct nest *nests = nests_of_function(compilation, function, &count);
	for (int n = 0; n < count; n++) {
		const struct nest *nest = &nests[n];
		if (nest->arrays->count > MODEL_ARRAYS) {
			fprintf(out, "nest %s (more arrays than are scheduled together: in parts)\n",
				nest->name);
			continue;
		}
		const struct variant variant = variant_plain(compilation, nest);
		struct nest_model *model = ARENA_NEW(compilation->arena, struct nest_model);
		struct region *regions = ARENA_ARRAY(compilation->arena, struct region,
			nest->arrays->count + 1);
		bool has_forms = nest_model_build(compilation, &variant, model, regions);
		nest_print_model(&variant, model, has_forms, out);
	}
	return !ferror(out);
}

/* The band of a variant, and the plainest way to write a nest. */

#include "passes/analysis/variant.h"

#include "passes/analysis/nest_memo.h"

const struct band *variant_find_band(struct compilation *compilation,
	const struct variant *variant)
{
	const struct variant_options *options = &variant->options;
	const struct band *outer = variant->outer ? variant->outer->band : NULL;
	if (options->chains)
		return nest_find_chained_band(compilation, variant->nest, variant->found);
	return options->loops ? nest_find_sequential_band(compilation, variant->nest, outer,
		options->loops, options->borrows, variant->found)
		: nest_find_band(compilation, variant->nest, options->borrows, variant->found);
}

struct variant variant_plain(struct compilation *compilation, const struct nest *nest)
{
	struct variant variant = { .nest = nest_with_dependences(compilation, nest),
		.groups = nest->arrays, .found = answers_new(compilation->arena) };
	variant.band = variant_find_band(compilation, &variant);
	return variant;
}

bool variant_moves(const struct variant *variant, const struct reference_group *array, int d, int dim)
{
	for (int a = 0; a < array->access_count; a++) {
		const struct nest_access *access = &array->accesses[a];
		const struct hyperplane *plane = &variant->band->dims[dim].planes[access->statement];
		for (int i = 0; i < variant->nest->statements[access->statement]->depth; i++)
			if (plane->kind == HYPERPLANE_AFFINE && plane->affine.coefficients[i]
				&& access->access->subscripts[d].coefficients[i])
				return true;
	}
	return false;
}

/* The plainest way to write a nest. */

#include "passes/analysis/variant.h"

#include "passes/analysis/nest_memo.h"

struct variant variant_plain(struct compilation *compilation, const struct nest *nest)
{
	nest = nest_with_dependences(compilation, nest);
	return (struct variant){ .nest = nest, .groups = nest->arrays,
		.band = nest_find_band(compilation, nest, false),
		.found = answers_new(compilation->arena) };
}

#include "passes/pipeline.h"

#include <string.h>

const struct pass passes[] = {
	{ "parse", "frontend/", "the source becomes a program, its sizes bound" },
	{ "dependences", "passes/analysis/dependence.c", "what must stay in its order" },
	{ "band", "passes/analysis/band.c", "loops that may be tiled; their reuse, array by array" },
	{ "search", "passes/search/search.c", "the schedule that moves the least" },
	{ "lower", "passes/lower/lower.c", "tile loops, transfers, waits and buffers: the plan" },
	{ "simplify", "passes/plan_passes/simplify.c", "what loops and conditions decide where they stand" },
	{ "split", "passes/plan_passes/split.c", "transfers become commands that the DMA can do" },
	{ "name", "passes/plan_passes/name_values.c", "values that many expressions share have names" },
	{ NULL, NULL, NULL }
};

const struct pass *pass_find(const char *name)
{
	for (const struct pass *pass = passes; pass->name; pass++)
		if (!strcmp(pass->name, name))
			return pass;
	return NULL;
}

void passes_list(FILE *out)
{
	for (const struct pass *pass = passes; pass->name; pass++)
		fprintf(out, "%-12s %s (%s)\n", pass->name, pass->summary, pass->file);
}

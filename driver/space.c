#include "driver/space.h"

#include <math.h>
#include <string.h>

static const struct space_choice spaces[] = {
	{ "baseline", { .is_in_source_order = true, .is_forward = true }, FUSE_NEVER, false, 0 },
	{ "tiling", { .is_forward = true, .divides = true }, FUSE_NEVER, false, 0 },
	{ "fusion-norecompute", { .is_forward = true }, FUSE_AUTO, true, 0 },
	{ "full", { .is_forward = false }, FUSE_AUTO, true, INFINITY },
};

const struct space_choice *space_find(const char *name)
{
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
		if (!strcmp(spaces[i].name, name))
			return &spaces[i];
	return NULL;
}

void space_apply(struct compilation *compilation, const struct options *options)
{
	const struct space_choice *space = space_find(options->space);
	compilation->request.restriction = space->restriction;
	if (!options->is_fusion_given || !space->may_fuse)
		compilation->request.fusion = space->fusion;
	if (!options->is_recompute_given || compilation->request.recompute_percent > space->recompute_percent)
		compilation->request.recompute_percent = space->recompute_percent;
}

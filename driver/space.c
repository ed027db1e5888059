#include "driver/space.h"

#include <string.h>

static const struct space_choice spaces[] = {
	{ "baseline", { .is_in_source_order = true, .is_forward = true }, FUSE_NEVER, false, false },
	{ "tiling", { .is_forward = true, .divides = true }, FUSE_NEVER, false, false },
	{ "fusion-norecompute", { .is_forward = true }, FUSE_AUTO, true, false },
	{ "full", { .is_forward = false }, FUSE_AUTO, true, true },
};

const struct space_choice *space_find(const char *name)
{
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
		if (!strcmp(spaces[i].name, name))
			return &spaces[i];
	return NULL;
}

void space_apply(struct compilation *compilation, const char *name, bool is_fusion_given)
{
	const struct space_choice *space = space_find(name);
	compilation->restriction = space->restriction;
	if (!is_fusion_given || !space->may_fuse)
		compilation->fusion = space->fusion;
	if (!space->may_recompute)
		compilation->recompute_percent = 0;
}

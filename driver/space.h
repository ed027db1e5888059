#ifndef DRIVER_SPACE_H
#define DRIVER_SPACE_H

#include "passes/pass.h"

/* --space: the parts of the schedule space that ConvFusion (Waeijen et al. 2021), section
 * VI, compares; docs/reports.md says what each is. */
struct space_choice {
	const char *name;
	struct restriction restriction;
	enum fusion fusion;          /* unless --fuse says something else */
	bool may_fuse, may_recompute;
};

/* NULL: none has that name. */
const struct space_choice *space_find(const char *name);

/* Restricts COMPILATION to the space called NAME; IS_FUSION_GIVEN: by --fuse. */
void space_apply(struct compilation *compilation, const char *name, bool is_fusion_given);

#endif

#ifndef DRIVER_SPACE_H
#define DRIVER_SPACE_H

#include "driver/options.h"
#include "passes/pass.h"

/* --space: the parts of the schedule space that ConvFusion (Waeijen et al. 2021), section
 * VI, compares; docs/reports.md says what each is. */
struct space_choice {
	const char *name;
	struct restriction restriction;
	enum fusion fusion;          /* unless it may fuse and --fuse says something else */
	bool may_fuse;
	double recompute_percent;    /* at most, or what --recompute says if that is less */
};

/* NULL: none has that name. */
const struct space_choice *space_find(const char *name);

/* Restricts COMPILATION, set up as the options say, to the space that they name. */
void space_apply(struct compilation *compilation, const struct options *options);

#endif

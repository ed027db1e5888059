#ifndef CODEGEN_SIZES_H
#define CODEGEN_SIZES_H

#include "ir/plan.h"

/* C text of what depends on symbolic sizes.  NAMES [function.symbolic_count]: how they are
 * called where the text goes. */

/* "N + 2" */
const char *size_extent_text(struct arena *arena, struct affine extent, const char *const *names);
/* " * (TYPE)N * (TYPE)(M + 2)": the extents of ARRAY from dimension FIRST on that depend
 * on sizes; "" if none does. */
const char *size_factors_text(struct arena *arena, const struct array *array, int first,
	const char *const *names, const char *type);
/* "4u * (TYPE)N": all bytes of ARRAY. */
const char *size_bytes_text(struct arena *arena, const struct array *array,
	const char *const *names, const char *type);
/* Where array A of PLAN begins in the workspace; for A = function.array_count the bytes of
 * all of it. */
const char *size_workspace_text(struct arena *arena, const struct plan *plan, int a,
	const char *const *names, const char *type);

#endif

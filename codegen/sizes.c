/* C text of what depends on symbolic sizes. */

#include "codegen/sizes.h"

#include <stdlib.h>
#include <string.h>

const char *size_extent_text(struct arena *arena, struct affine extent, const char *const *names)
{
	const char *text = "";

	for (int k = 0; k < SYMBOLIC_LIMIT; k++) {
		long factor = affine_size(extent, k);

		if (!factor)
			continue;
		text = arena_printf(arena, "%s%s%s", text,
			factor < 0 ? *text ? " - " : "-" : *text ? " + " : "", names[k]);
		if (labs(factor) != 1)
			text = arena_printf(arena, "%s * %ld", text, labs(factor));
	}
	if (extent.constant && *text)
		text = arena_printf(arena, "%s %c %ld", text, extent.constant < 0 ? '-' : '+',
			labs(extent.constant));
	return *text ? text : arena_printf(arena, "%ld", extent.constant);
}

const char *size_factors_text(struct arena *arena, const struct array *array, int first,
	const char *const *names, const char *type)
{
	const char *text = "";

	for (int d = first; d < array->rank; d++) {
		const char *extent;

		if (!affine_is_symbolic(array->shape[d]))
			continue;
		extent = size_extent_text(arena, array->shape[d], names);
		text = arena_printf(arena, strpbrk(extent, " -(") ? "%s * (%s)(%s)" : "%s * (%s)%s", text,
			type, extent);
	}
	return text;
}

const char *size_bytes_text(struct arena *arena, const struct array *array,
	const char *const *names, const char *type)
{
	long bytes = array->type.bytes;

	for (int d = 0; d < array->rank; d++)
		if (!affine_is_symbolic(array->shape[d]))
			bytes *= array->extents[d];
	return arena_printf(arena, "%ldu%s", bytes, size_factors_text(arena, array, 0, names, type));
}

const char *size_workspace_text(struct arena *arena, const struct plan *plan, int a,
	const char *const *names, const char *type)
{
	const char *text = "";
	const long none[SYMBOLIC_LIMIT] = { 0 };
	long known = 0;

	for (int i = 0; i < a; i++) {
		const struct array *array = plan->function->arrays[i];
		const char *bytes = size_bytes_text(arena, array, names, type);

		if (plan->workspace_offset[i] < 0)
			continue;
		if (!strchr(bytes, ' ')) {
			known += (array_elements_at(array, none) * array->type.bytes
				+ WORKSPACE_ALIGNMENT - 1) / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT;
			continue;
		}
		text = arena_printf(arena, "%s%s(%s + %du) / %du * %du", text, *text ? " + " : "", bytes,
			WORKSPACE_ALIGNMENT - 1, WORKSPACE_ALIGNMENT, WORKSPACE_ALIGNMENT);
	}
	if (!*text)
		return arena_printf(arena, "%ldu", known);
	return known ? arena_printf(arena, "%s + %ldu", text, known) : text;
}

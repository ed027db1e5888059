#ifndef PASSES_FORM_H
#define PASSES_FORM_H

#include "passes/analysis/variant.h"
#include "passes/variants/schedule_lines.h"

/* How a nest is written before it is cut into tiles: what of it runs in order, what is in
 * an array, which accesses share a buffer.  As text a line of the schedule:
 *     form plain
 *     form parts [sequential LOOPS] | [inplace] [expanded] [chained] [sequential LOOPS] [isl] [refetched] [borrowed] [apart [ARRAY G[+G...]...]...]
 * A nest whose schedule has such a line is lowered in this form only; else all that apply
 * are tried. */
struct form {
	bool is_given;
	bool is_parts;               /* each part of its body has a schedule of its own */
	bool is_in_place;            /* local arrays are in the place of others (in_place.h) */
	bool is_expanded;            /* scalars that carry sums are arrays (expand.h) */
	bool chains;                 /* sums that run one behind the other have one dimension (band_chain.h) */
	bool has_loops;
	int loops;                   /* of the source's outer loops, run one after the other */
	bool is_split;               /* reference groups have buffers of their own */
	bool avoids_forms;           /* regions come from isl, also where they have closed forms */
	bool refetches, borrows;     /* see struct variant_options */
	/* The line that says so, and its first word about the groups that share a buffer (its end:
	 * as found). */
	const struct schedule_line *line;
	int apart;
	struct location location;
};

/* Reads LINE, whose first word is "form".  False after an error (diagnosed). */
bool form_parse(struct compilation *compilation, const struct schedule_line *line,
	struct form *form);

/* The line for VARIANT.  In the arena. */
const char *form_print(struct compilation *compilation, const struct variant *variant,
	bool is_expanded, bool is_in_place);

/* Adds to MERGES the reference groups of NEST that FORM has in one buffer.  An array's groups are
 * numbered from 0 in the order of their first accesses; those of an array that is not named are
 * one.  False after an error (diagnosed). */
bool form_merge_groups(struct compilation *compilation, const struct form *form,
	const struct nest *nest, struct merges *merges);

#endif

/* -Rloop: what keeps loops from being tiled, in terms of the source; -Rtime: what a search thinks of what it found. */

#include "passes/variants/remarks.h"

/* " on 'A'" or " on 'A' or 'B'": the arrays by which the two statements can depend on each other. */
static const char *common_arrays(struct compilation *compilation, const struct statement *from,
	const struct statement *to)
{
	const char *text = "", *separator = " on";
	const struct array *named[2] = { NULL, NULL };
	int count = 0;
	for (int a = 0; a < from->access_count; a++)
		for (int b = 0; b < to->access_count; b++) {
			const struct access *one = &from->accesses[a], *other = &to->accesses[b];
			if (one->array != other->array || (!one->is_write && !other->is_write)
				|| one->array == named[0] || one->array == named[1])
				continue;
			text = arena_printf(compilation->arena, "%s%s '%s'", text, separator,
				one->array->source_name);
			separator = " or";
			/* a statement writes one array: no more than two are common */
			named[count++ % 2] = one->array;
		}
	return text;
}

/* HOW: what the loop is not. */
static void remark_on_blocked(struct compilation *compilation, const struct blocked_loop *blocked,
	const char *how)
{
	diag_remark(compilation->diag, blocked->loop->location, "loop",
		"loop '%s' %s: a dependence%s would run backwards", blocked->loop->source_name, how,
		common_arrays(compilation, blocked->from, blocked->to));
	diag_note(compilation->diag, blocked->from->location, "from what is computed here");
	diag_note(compilation->diag, blocked->to->location, "to what is computed here");
}

static bool is_left_out(const struct band *band, const struct loop *loop)
{
	for (int i = 0; i < band->left_out; i++)
		if (band->blocked[i].loop == loop)
			return true;
	return false;
}

/* Why NEST's outer loops run one after the other: what could not be tiled with them. */
static void remark_on_sequential(struct compilation *compilation, const struct variant *variant)
{
	for (int l = variant_outer_count(variant); l < variant->band->prefix; l++) {
		const struct loop *loop = nest_loop_of(variant->nest, &variant->band->dims[l]);
		diag_remark(compilation->diag, loop ? loop->location : variant->nest->location, "loop",
			"loop '%s' runs one iteration at a time, in order",
			loop ? loop->source_name : variant->band->dims[l].name);
	}
	if (variant->nest->parent || !variant->band->prefix || !diag_has_remark(compilation->diag, "loop"))
		return;
	const struct band *whole = nest_find_band(compilation, variant->nest,
		variant->options.borrows, NULL);
	for (int i = 0; i < whole->left_out; i++)
		if (whole->blocked[i].loop && !is_left_out(variant->band, whole->blocked[i].loop))
			remark_on_blocked(compilation, &whole->blocked[i],
				"cannot be tiled together with the loops around it");
}

void remark_on_loops(struct compilation *compilation, const struct variant *variant)
{
	for (int i = 0; i < variant->band->left_out; i++)
		if (variant->band->blocked[i].loop)
			remark_on_blocked(compilation, &variant->band->blocked[i], "is not tiled");
	remark_on_sequential(compilation, variant);
}

void remark_on_choice(struct compilation *compilation, const struct choice *choice)
{
	if (choice->is_cut)
		diag_remark(compilation->diag, choice->variant.nest->location, "loop", "not all ways to write "
			"this nest were tried, for what their tiles touch takes long to find: smaller nests "
			"are faster, and subscripts and bounds of fewer loops");
	if (choice->no_elements)
		diag_remark(compilation->diag, choice->variant.nest->location, "loop", "a core computes this nest: %s",
			choice->no_elements);
	if (choice->schedule.cost.cycles > 0)
		diag_remark(compilation->diag, choice->variant.nest->location, "time",
			"the search expected about %.0f cycles of this nest's schedule", choice->schedule.cost.cycles);
	remark_on_loops(compilation, &choice->variant);
}

/* What a user is told where nothing fits: which of the lines that were said cannot hold and what each
 * would need, which array has no aligned copies, or what the nest needs at least. */

#include <limits.h>
#include <string.h>

#include "passes/variants/choice.h"
#include "passes/cost/model_math.h"
#include "passes/cost/place.h"

/* The least scratchpad with those of the user's lines that IS_TAKEN says; 0: there is no schedule
 * that has them, for the reason *WHY if it is known. */
static long least_with(const struct choice *choice, const bool *is_taken, const char **why)
{
	struct nest_model *model = ARENA_NEW(choice->compilation->arena, struct nest_model);
	struct search_options *options = ARENA_NEW(choice->compilation->arena, struct search_options);
	const struct schedule_line **lines = ARENA_ARRAY(choice->compilation->arena,
		const struct schedule_line *, choice->asked.line_count + 1);
	int count = 0;
	long smallest;
	*model = choice->asked.free_model;
	*options = choice->asked.free_options;
	for (int i = 0; i < choice->asked.line_count; i++)
		if (is_taken[i])
			lines[count++] = choice->asked.lines[i];
	struct schedule_reader reader = choice_reader(choice, model, options);
	*why = NULL;
	if (!schedule_read(&reader, lines, count)) {
		*why = reader.failure;
		return 0;
	}
	return search_least_memory(model, choice->compilation->arch, options, &smallest) ? smallest : 0;
}

/* WHAT, at LINE, needs LEAST of the scratchpad; 0: no scratchpad would do, WHY if that is known.  A
 * model that bounds the regions from above says what is enough. */
static void note_need(const struct choice *choice, const struct schedule_line *line,
	const char *what, long least, const char *why)
{
	struct compilation *compilation = choice->compilation;
	const char *need = place_text(compilation->arch, least, compilation->arena);
	struct location at = schedule_line_at(line);
	if (!least)
		diag_note(compilation->diag, at, "%s: no schedule in any scratchpad%s%s", what,
			why ? ", as " : "", why ? why : "");
	else if (choice->has_forms)
		diag_note(compilation->diag, at, "%s: at least %s are needed", what, need);
	else
		diag_note(compilation->diag, at, "%s: %s would be enough", what, need);
}

/* What line I needs, with the order and turns that it may be about. */
static void explain_line(const struct choice *choice, int i)
{
	struct compilation *compilation = choice->compilation;
	const struct schedule_line *line = choice->asked.lines[i];
	bool *is_taken = ARENA_ARRAY(compilation->arena, bool, choice->asked.line_count + 1), is_alone = true;
	for (int j = 0; j < choice->asked.line_count; j++) {
		is_taken[j] = j == i || (schedule_line_is(line, "store")
			&& (schedule_line_is(choice->asked.lines[j], "order")
			|| schedule_line_is(choice->asked.lines[j], "serpentine")));
		is_alone &= j == i || !is_taken[j];
	}
	const char *why, *text = schedule_line_text(compilation->arena, line);
	long least = least_with(choice, is_taken, &why);
	note_need(choice, line, arena_printf(compilation->arena, "'%s' %s", text,
		is_alone ? "alone" : "with the order"), least, why);
}

/* The user's lines leave nothing that fits: what each of them needs, and all.  False if the user
 * says nothing of the nest. */
static bool report_lines(const struct choice *choice)
{
	struct compilation *compilation = choice->compilation;
	const struct schedule_line *first = NULL;
	bool *is_taken = ARENA_ARRAY(compilation->arena, bool, choice->asked.line_count + 1);
	int count = 0;
	for (int i = 0; i < choice->asked.line_count; i++) {
		is_taken[i] = schedule_restricts(choice->asked.lines[i]);
		count += is_taken[i];
		first = first || !is_taken[i] ? first : choice->asked.lines[i];
	}
	if (!first)
		return false;
	compilation->failure.does_not_fit = true;
	diag_error(compilation->diag, schedule_line_at(first), "nothing fits: no schedule of '%s' with "
		"what is said of it needs at most %s", choice->variant.nest->name, place_all_text(compilation->arch, compilation->arena));
	for (int i = 0; i < choice->asked.line_count; i++)
		if (is_taken[i] && !schedule_line_is(choice->asked.lines[i], "form"))
			explain_line(choice, i);
	const char *why;
	long least = least_with(choice, is_taken, &why);
	if (count > 1)
		note_need(choice, first, "all together", least, why);
	return true;
}

/* Whether some tiles of array A, and any of the others, can be copied with the alignment. */
static bool can_align(const struct choice *choice, int a)
{
	struct nest_model *model = ARENA_NEW(choice->compilation->arena, struct nest_model);
	long smallest;
	*model = choice->model;
	for (int b = 0; b < model->array_count; b++)
		if (b != a)
			model->arrays[b].align_bytes = 1;
	return search_least_memory(model, choice->compilation->arch, &choice->options, &smallest);
}

/* No schedule has only copies that are aligned: says of which array.  False if some has, for which
 * there is no room. */
static bool report_misaligned(const struct choice *choice)
{
	struct compilation *compilation = choice->compilation;
	struct misaligned found = choice->hindrance.misaligned;
	long smallest;
	if (!found.array && !search_least_memory(&choice->model, compilation->arch, &choice->options,
		&smallest)) {
		found.why = "in tiles of any size is not";
		for (int a = choice->variant.groups->count - 1; a >= 0; a--)
			if (choice->model.arrays[a].align_bytes > 1 && (!found.array || !can_align(choice, a)))
				found.array = choice->variant.groups->items[a].array;
	}
	if (!found.array)
		return false;
	compilation->failure.does_not_fit = true;
	misaligned_report(compilation->arch, choice->variant.nest->location, &found, compilation->diag);
	return true;
}

/* The search may have given up among the ways to give CHOICE's arrays to the memories. */
static bool has_many_ways(const struct choice *choice)
{
	long ways = 1;
	for (int a = 0; a < choice->model.array_count && ways <= MEMORY_ASSIGNMENTS; a++)
		ways *= __builtin_popcount(choice->options.memories[a]);
	return ways > MEMORY_ASSIGNMENTS;
}

void choice_report_no_fit(struct choice *choice)
{
	struct compilation *compilation = choice->compilation;
	const struct arch *arch = compilation->arch;
	const char *argument;
	if (choice->asked.contradiction) {
		diag_error(compilation->diag, choice->asked.contradicts_at, "%s", choice->asked.contradiction);
		return;
	}
	if (report_lines(choice))
		return;
	if (choice->has_forms && model_lower_bound(&choice->model, arch->scratchpad_bytes, &argument)
	    > LONG_MAX / 2) {
		diag_error(compilation->diag, choice->variant.nest->location, "no schedule of '%s' was found "
			"that moves less than 2^63 bytes, which can be counted; give it smaller sizes",
			choice->variant.nest->name);
		return;
	}
	if (report_misaligned(choice))
		return;
	compilation->failure.does_not_fit = true;
	diag_error(compilation->diag, choice->variant.nest->location,
		"nothing fits: no schedule of '%s' needs at most %s", choice->variant.nest->name,
		place_all_text(compilation->arch, compilation->arena));
	if (!arch->memory_count)
		diag_note(compilation->diag, choice->variant.nest->location,
			arch->exclusive ? "the least that would do is %s of %ld bytes"
			: "the least that would do is %s", place_text(arch, choice->hindrance.smallest,
			compilation->arena), arch_granule_bytes(arch));
	if (has_many_ways(choice))
		diag_note(compilation->diag, choice->variant.nest->location, "not all ways to give its arrays to the "
			"memories may have been tried; lines 'memory ARRAY NAME' say one");
	const char *needs = "";
	for (int a = 0; a < choice->model.array_count; a++) {
		long bytes = choice->model.arrays[a].element_bytes, unit = choice->model.arrays[a].align_bytes;
		for (int d = 0; d < choice->model.arrays[a].rank; d++)
			bytes *= choice->model.arrays[a].dims[d].window;
		bytes = (bytes + unit - 1) / unit * unit;
		needs = arena_printf(compilation->arena, "%s%s'%s' %ld", needs, a ? ", " : "",
			choice->variant.groups->items[a].array->source_name, bytes);
	}
	diag_note(compilation->diag, choice->variant.nest->location,
		"bytes that arrays need at least at a time: %s", needs);
}

#include "passes/variants/form.h"

#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

/* ---- printing ---- */

static bool has_access(const struct reference_group *array, const struct access *access)
{
	for (int i = 0; i < array->access_count; i++)
		if (array->accesses[i].access == access)
			return true;
	return false;
}

static int entry_count(const struct reference_groups *groups, const struct array *array)
{
	int count = 0;
	for (int a = 0; a < groups->count; a++)
		count += groups->items[a].array == array;
	return count;
}

/* " 0+2": the groups of APART, which has none merged, that HOLDER does. */
static const char *print_group(struct compilation *compilation,
	const struct reference_group *holder, const struct reference_groups *apart)
{
	const char *text = "", *separator = " ";
	int group = 0;
	for (int b = 0; b < apart->count; b++) {
		if (apart->items[b].array != holder->array)
			continue;
		if (has_access(holder, apart->items[b].accesses[0].access)) {
			text = arena_printf(compilation->arena, "%s%s%d", text, separator, group);
			separator = "+";
		}
		group++;
	}
	return text;
}

static const char *print_apart(struct compilation *compilation, const struct variant *variant)
{
	const struct function *function = variant->nest->function;
	const struct reference_groups *groups = variant->groups;
	const struct reference_groups *apart = reference_groups_split(compilation, variant->nest,
		variant->options.borrows, NULL);
	const struct array *last = NULL;
	const char *text = "";
	for (int i = 0; i < function->array_count; i++)
		for (int a = 0; a < groups->count; a++) {
			const struct array *array = groups->items[a].array;
			if (array != function->arrays[i] || entry_count(groups, array) < 2)
				continue;
			if (array != last)
				text = arena_printf(compilation->arena, "%s %s", text, array->name);
			last = array;
			text = arena_printf(compilation->arena, "%s%s", text,
				print_group(compilation, &groups->items[a], apart));
		}
	return *text ? arena_printf(compilation->arena, " apart%s", text) : "";
}

const char *form_print(struct compilation *compilation, const struct variant *variant,
	bool is_expanded, bool is_in_place)
{
	const struct variant_options *options = &variant->options;
	const char *sequential = options->loops > variant->nest->outer_loops
		? arena_printf(compilation->arena, " sequential %d", options->loops) : "";
	const char *text = arena_printf(compilation->arena, "%s%s%s%s%s%s%s%s",
		is_in_place ? " inplace" : "", is_expanded ? " expanded" : "", options->chains ? " chained" : "", sequential, options->avoids_forms ? " isl" : "",
		options->refetches ? " refetched" : "", options->borrows ? " borrowed" : "",
		variant->groups->is_split ? print_apart(compilation, variant) : "");
	return arena_printf(compilation->arena, "form%s\n", *text ? text : " plain");
}

/* ---- reading ---- */

static bool wrong(struct compilation *compilation, const struct schedule_line *line, int w,
	const char *what)
{
	if (w < line->word_count)
		diag_error(compilation->diag, line->words[w].at, "%s '%s' in the schedule", what,
			line->words[w].text);
	else
		diag_error(compilation->diag, schedule_line_at(line), "%s in the schedule", what);
	return false;
}

static bool read_loops(struct compilation *compilation, struct form *form,
	const struct schedule_line *line, int w)
{
	const char *word = w < line->word_count ? line->words[w].text : "";
	if (!*word || strspn(word, DIGITS) != strlen(word) || strlen(word) > 3)
		return wrong(compilation, line, w, "a number of loops is wanted after sequential");
	form->loops = atoi(word);
	form->has_loops = true;
	return true;
}

bool form_parse(struct compilation *compilation, const struct schedule_line *line,
	struct form *form)
{
	*form = (struct form){ .is_given = true, .location = schedule_line_at(line), .line = line,
		.apart = line->word_count };
	bool is_plain = false;
	for (int w = 1; w < line->word_count && !form->is_split; w++) {
		const char *word = line->words[w].text;
		if (!strcmp(word, "apart")) {
			form->is_split = true;
			form->apart = w + 1;
		} else if (!strcmp(word, "sequential")) {
			if (!read_loops(compilation, form, line, ++w))
				return false;
		} else if (!strcmp(word, "parts")) {
			form->is_parts = true;
		} else if (!strcmp(word, "expanded")) {
			form->is_expanded = true;
		} else if (!strcmp(word, "inplace")) {
			form->is_in_place = true;
		} else if (!strcmp(word, "chained")) {
			form->chains = true;
		} else if (!strcmp(word, "isl")) {
			form->avoids_forms = true;
		} else if (!strcmp(word, "refetched")) {
			form->refetches = true;
		} else if (!strcmp(word, "borrowed")) {
			form->borrows = true;
		} else if (!strcmp(word, "plain")) {
			is_plain = true;
		} else {
			return wrong(compilation, line, w, "plain, parts, inplace, expanded, "
				"chained, sequential, isl, refetched, borrowed or apart is wanted, not");
		}
	}
	if ((is_plain && line->word_count > 2) || (form->is_parts
		&& (form->is_in_place || form->is_expanded || form->chains || form->avoids_forms || form->refetches || form->borrows || form->is_split)))
		return wrong(compilation, line, line->word_count, is_plain ? "a plain form is nothing else"
			: "a nest in parts has no other form than sequential loops");
	return true;
}

/* The group NUMBER of the array called NAME; -1: none. */
static int find_group(const struct reference_groups *groups, const char *name, int number)
{
	for (int a = 0; a < groups->count; a++)
		if (!strcmp(groups->items[a].array->name, name) && number-- == 0)
			return a;
	return -1;
}

/* "0+2", word W of the form's line, of the array called NAME: those entries get the same LABEL. */
static bool read_groups(struct compilation *compilation, const struct form *form,
	const struct reference_groups *groups, const char *name, int w, int *labels)
{
	int first = -1;
	for (const char *p = form->line->words[w].text; ; p++) {
		char *end;
		long number = strtol(p, &end, 10);
		int entry = name && end != p && number >= 0 && number < groups->count
			? find_group(groups, name, (int)number) : -1;
		if (entry < 0 || (*end && *end != '+'))
			return wrong(compilation, form->line, w, "no reference groups of an array are");
		labels[entry] = first = first < 0 ? entry : first;
		if (!*end)
			return true;
		p = end;
	}
}

bool form_merge_groups(struct compilation *compilation, const struct form *form,
	const struct nest *nest, struct merges *merges)
{
	const char *name = NULL;
	if (form->apart >= form->line->word_count)
		return true;
	const struct reference_groups *groups = reference_groups_split(compilation, nest, form->borrows,
		merges);
	int *labels = ARENA_ARRAY(compilation->arena, int, groups->count + 1);
	for (int a = 0; a < groups->count; a++)
		labels[a] = find_group(groups, groups->items[a].array->name, 0);
	for (int w = form->apart; w < form->line->word_count; w++) {
		const char *word = form->line->words[w].text;
		if (!strchr(DIGITS, *word)) {
			name = word;
			if (find_group(groups, name, 0) < 0)
				return wrong(compilation, form->line, w, "the nest has no array");
		} else if (!read_groups(compilation, form, groups, name, w, labels)) {
			return false;
		}
	}
	for (int a = 0; a < groups->count; a++)
		for (int b = a + 1; b < groups->count; b++)
			if (groups->items[a].array == groups->items[b].array && labels[a] == labels[b])
				reference_groups_merge(compilation->arena, groups, a, b, merges);
	return true;
}

#include "passes/variants/schedule_check.h"

#include <stdlib.h>
#include <string.h>

#include "passes/analysis/nest.h"

struct checking {
	struct arena *arena;
	struct diag *diag;
	const struct program *program;
	const struct schedule_lines *lines;
	bool failed;
};

/* ---- names of nests ---- */

static int nests_in(const struct function *function)
{
	int count = 0;
	for (int s = 0; s < function->statement_count; s++)
		count += nest_begins(function, s);
	return count;
}

static int all_nests(const struct program *program)
{
	int count = 0;
	for (int f = 0; f < program->function_count; f++)
		count += nests_in(program->functions[f]);
	return count;
}

const char *schedule_nest_names(struct arena *arena, const struct program *program)
{
	enum { FUNCTIONS = 12 };
	const char *text = "", *separator = "";
	for (int f = 0; f < program->function_count && f < FUNCTIONS; f++) {
		const char *name = program->functions[f]->name;
		int count = nests_in(program->functions[f]);
		if (!count)
			continue;
		text = count == 1 ? arena_printf(arena, "%s%s%s", text, separator, name)
			: arena_printf(arena, "%s%s%s.0 to %s.%d", text, separator, name, name,
				count - 1);
		separator = ", ";
	}
	return arena_printf(arena, program->function_count > FUNCTIONS ? "%s, ..." : "%s",
		text);
}

static const struct function *function_of(const struct program *program, const char *name)
{
	size_t length = strcspn(name, "./");
	for (int f = 0; f < program->function_count; f++)
		if (strlen(program->functions[f]->name) == length
			&& !strncmp(program->functions[f]->name, name, length))
			return program->functions[f];
	return NULL;
}

/* The number at *TEXT, which is moved behind it; -1: there is none. */
static long read_index(const char **text)
{
	char *end;
	long value = strspn(*text, "0123456789") ? strtol(*text, &end, 10) : -1;
	if (value >= 0)
		*text = end;
	return value;
}

static bool is_group(const char *name)
{
	return strchr(name, '-') && !strchr(name, '/');
}

/* NAME is that of a nest, of a part of one, or of several nests: F, F.2, F.2/0, F.2-4. */
static bool is_named_well(const struct program *program, const char *name)
{
	const struct function *function = function_of(program, name);
	if (!function)
		return false;
	int count = nests_in(function);
	name += strlen(function->name);
	if (*name == '.' ? count < 2 : count != 1)
		return false;
	if (*name == '.') {
		name++;
		long first = read_index(&name);
		if (first < 0 || first >= count)
			return false;
		if (*name == '-') {
			name++;
			long last = read_index(&name);
			return !*name && last > first && last < count;
		}
	}
	while (*name == '/') {
		name++;
		if (read_index(&name) < 0)
			return false;
	}
	return !*name;
}

/* ---- lines ---- */

enum place { IN_NEST = 1, IN_GROUP = 2, IN_PRAGMA = 4, IN_MERGED = 8 };

static const struct kind {
	const char *word;
	unsigned places;
	int least, most;             /* words after it; MOST 0: any number */
	const char *usage;
} kinds[] = {
	{ "form", IN_NEST | IN_MERGED | IN_PRAGMA, 1, 0, "form plain|parts|inplace|expanded|chained|sequential N|isl|refetched|"
		"borrowed|apart ..." },
	{ "tile", IN_NEST | IN_MERGED | IN_GROUP | IN_PRAGMA, 2, 2, "tile LOOP SIZE" },
	{ "order", IN_NEST | IN_MERGED | IN_GROUP | IN_PRAGMA, 0, 0, "order LOOP ..." },
	{ "serpentine", IN_NEST | IN_MERGED | IN_GROUP | IN_PRAGMA, 1, 0, "serpentine LOOP|LOOP.step ...|none" },
	{ "store", IN_NEST | IN_MERGED | IN_PRAGMA, 2, 0, "store ARRAY outside|in LOOP [slots N] [sliding] "
		"[double|single]" },
	{ "memory", IN_NEST | IN_MERGED | IN_GROUP | IN_PRAGMA, 2, 2, "memory ARRAY NAME" },
	{ "bypass", IN_NEST | IN_MERGED | IN_PRAGMA, 1, 1, "bypass ARRAY" },
	{ "spatial", IN_NEST | IN_MERGED | IN_PRAGMA, 3, 3, "spatial LOOP x|y|free N" },
	{ "register", IN_NEST | IN_MERGED | IN_PRAGMA, 2, 2, "register LOOP N" },
	{ "steps", IN_NEST | IN_MERGED | IN_PRAGMA, 0, 0, "steps LOOP ..." },
	{ "hold", IN_NEST | IN_MERGED | IN_PRAGMA, 2, 0, "hold ARRAY outside|in LOOP|in LOOP.step [slots N] [sliding] [double]" },
	{ "carry", IN_NEST | IN_MERGED | IN_GROUP | IN_PRAGMA, 1, 1, "carry ARRAY" },
	{ "repeat", IN_GROUP, 1, 1, "repeat LOOP" },
	{ "stream", IN_GROUP, 1, 3, "stream ARRAY [LOOP SIZE]" },
	{ "double", IN_GROUP, 1, 1, "double ARRAY" },
	{ "merge", IN_GROUP | IN_MERGED, 0, -1, "merge" },
	{ "fuse", IN_GROUP, 0, 0, "fuse [ARRAY ...]" },
	{ "fuse", IN_PRAGMA, 0, -1, "fuse" },
	{ "nofuse", IN_NEST | IN_PRAGMA, 0, -1, "nofuse" },
	{ "distribute", IN_PRAGMA, 0, -1, "distribute" },
};

static const struct kind *kind_of(const char *word, unsigned place)
{
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		if ((kinds[k].places & place) && !strcmp(kinds[k].word, word))
			return &kinds[k];
	return NULL;
}

/* "form, tile, ... or nofuse". */
static const char *kinds_at(struct checking *checking, unsigned place)
{
	const char *text = "";
	size_t left = 0;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		left += (kinds[k].places & place) != 0;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		if (kinds[k].places & place) {
			left--;
			text = arena_printf(checking->arena, "%s%s%s", text, kinds[k].word,
				!left ? "" : left == 1 ? " or " : ", ");
		}
	return text;
}

static void check_line(struct checking *checking, const struct schedule_line *line, unsigned place)
{
	const struct kind *kind = kind_of(line->words[0].text, place);
	int after = line->word_count - 1;
	checking->failed = true;
	if (!kind)
		diag_error(checking->diag, line->words[0].at, "%s is wanted%s, not '%s' in the schedule",
			kinds_at(checking, place), place == IN_GROUP ? " of a group"
			: place == IN_MERGED ? " of nests that are merged" : "",
			line->words[0].text);
	else if (after < kind->least)
		diag_error(checking->diag, schedule_line_at(line), "something is missing: '%s' is wanted",
			kind->usage);
	else if (kind->most && after > (kind->most < 0 ? 0 : kind->most))
		diag_error(checking->diag, line->words[(kind->most < 0 ? 0 : kind->most) + 1].at,
			"unexpected '%s': '%s' is wanted",
			line->words[(kind->most < 0 ? 0 : kind->most) + 1].text, kind->usage);
	else if (kind->most == 3 && after == 2)
		diag_error(checking->diag, schedule_line_at(line), "something is missing: '%s' is wanted",
			kind->usage);
	else
		checking->failed = false;
}

static void report_twice(struct checking *checking, const struct schedule_line *line,
	const struct schedule_line *before)
{
	checking->failed = true;
	diag_error(checking->diag, schedule_line_at(line), "'%s' says again what was said before",
		schedule_line_text(checking->arena, line));
	diag_note(checking->diag, schedule_line_at(before), "here");
}

/* ---- a file ---- */

/* The line of the heading NAME; NULL: there is none. */
static const struct schedule_line *find_heading(const struct checking *checking, const char *name,
	size_t length)
{
	for (int i = 0; checking->lines && i < checking->lines->count; i++) {
		const struct schedule_line *line = &checking->lines->items[i];
		if (line->is_heading && strlen(line->nest) == length && !strncmp(line->nest, name, length))
			return line;
	}
	return NULL;
}

static bool says_parts(const struct schedule_line *line)
{
	if (!schedule_line_is(line, "form"))
		return false;
	for (int w = 1; w < line->word_count; w++)
		if (!strcmp(line->words[w].text, "parts"))
			return true;
	return false;
}

/* A line of the section that begins with HEADING says that the nest is in parts. */
static bool is_in_parts(const struct checking *checking, const struct schedule_line *heading)
{
	const struct schedule_line *end = checking->lines->items + checking->lines->count;
	for (const struct schedule_line *line = heading + 1; line < end && !line->is_heading; line++)
		if (says_parts(line))
			return true;
	return false;
}

static void check_heading(struct checking *checking, const struct schedule_line *line)
{
	const char *name = line->nest, *slash = strrchr(name, '/');
	const struct schedule_line *whole = slash
		? find_heading(checking, name, (size_t)(slash - name)) : NULL;
	const struct schedule_line *first = find_heading(checking, name, strlen(name));
	checking->failed = true;
	if (line->word_count < 2)
		diag_error(checking->diag, line->words[0].at, "a nest's name is missing after 'nest'");
	else if (line->word_count > 2)
		diag_error(checking->diag, line->words[2].at, "unexpected '%s' after the nest's name",
			line->words[2].text);
	else if (!is_named_well(checking->program, name))
		diag_error(checking->diag, line->words[1].at, "'%s' names nests that are not there, the "
			"nests are %s", name, schedule_nest_names(checking->arena, checking->program));
	else if (first != line)
		report_twice(checking, line, first);
	else if (slash && !(whole && is_in_parts(checking, whole)))
		diag_error(checking->diag, line->words[1].at, "'%s' is a part of '%.*s', for which "
			"'form parts' has to be said", name, (int)(slash - name), name);
	else
		checking->failed = false;
}

/* Where LINE stands. */
static enum place place_of(const struct checking *checking, const struct schedule_line *line)
{
	if (!line->nest || !is_group(line->nest))
		return IN_NEST;
	const struct schedule_line *other = find_heading(checking, line->nest, strlen(line->nest));
	const struct schedule_line *end = checking->lines->items + checking->lines->count;
	while (++other < end && !other->is_heading)
		if (schedule_line_is(other, "merge"))
			return IN_MERGED;
	return IN_GROUP;
}

static void check_file_line(struct checking *checking, int i)
{
	const struct schedule_line *line = &checking->lines->items[i];
	check_line(checking, line, place_of(checking, line));
	if (checking->failed)
		return;
	if (!line->nest && all_nests(checking->program) != 1) {
		diag_error(checking->diag, schedule_line_at(line), "a heading 'nest NAME' is missing "
			"before this line: the nests are %s", schedule_nest_names(checking->arena, checking->program));
		checking->failed = true;
		return;
	}
	bool in_parts = says_parts(line);
	for (int b = i - 1; b >= 0 && !checking->lines->items[b].is_heading; b--) {
		const struct schedule_line *before = &checking->lines->items[b];
		if (schedule_lines_clash(line, before)) {
			report_twice(checking, line, before);
			return;
		}
		bool is_of_nest = !schedule_line_is(before, "carry") && !schedule_line_is(line, "carry");
		if (is_of_nest && (in_parts || says_parts(before))) {
			diag_error(checking->diag, schedule_line_at(in_parts ? before : line),
				"the nest is scheduled in parts: this line belongs below the heading of one, "
				"'nest %s/0'", line->nest ? line->nest : checking->program->functions[0]->name);
			checking->failed = true;
			return;
		}
	}
}

static void check_file(struct checking *checking)
{
	for (int i = 0; checking->lines && i < checking->lines->count && !checking->failed; i++)
		if (checking->lines->items[i].is_heading)
			check_heading(checking, &checking->lines->items[i]);
		else
			check_file_line(checking, i);
}

/* ---- pragmas ---- */

static bool is_of_fusion(const struct schedule_line *line)
{
	return schedule_line_is(line, "fuse") || schedule_line_is(line, "nofuse");
}

static void check_pragma_pair(struct checking *checking, const struct schedule_line *line,
	const struct schedule_line *before, bool has_same_loop)
{
	if (schedule_lines_clash(line, before) && (has_same_loop || !is_of_fusion(line)))
		report_twice(checking, line, before);
	else if (is_of_fusion(line) && is_of_fusion(before) && has_same_loop) {
		diag_error(checking->diag, schedule_line_at(line), "'%s' contradicts the pragma before",
			line->words[0].text);
		diag_note(checking->diag, schedule_line_at(before), "here");
		checking->failed = true;
	} else if ((says_parts(line) && !is_of_fusion(before)) ||
		(says_parts(before) && !is_of_fusion(line))) {
		diag_error(checking->diag, schedule_line_at(line), "a nest in parts has no schedule of "
			"its own: only a file for --schedule can say what the parts have");
		checking->failed = true;
	}
}

/* The nests of FUNCTION that HEADING puts together; false: it is of others, or of a part. */
static bool heading_range(const struct function *function, const char *heading, long *first, long *last)
{
	size_t length = strlen(function->name);
	if (strncmp(heading, function->name, length) || strchr(heading, '/')
		|| (heading[length] && heading[length] != '.'))
		return false;
	const char *rest = heading + length + (heading[length] == '.');
	*first = *last = *rest ? read_index(&rest) : 0;
	rest += *rest == '-';
	if (*rest)
		*last = read_index(&rest);
	return true;
}

/* What a pragma, LINE, says of nest N cannot be under a heading of the nests FIRST to LAST. */
static bool gives_way(const struct schedule_line *line, long n, long first, long last)
{
	if (n < first || n > last)
		return false;
	return schedule_line_is(line, "fuse") ? n == last : first < last;
}

/* A pragma, LINE, is about nest N of FUNCTION: what the file says of it has the last word. */
static void check_against_file(struct checking *checking, const struct schedule_line *line,
	const struct function *function, long n)
{
	long first = 0, last = 0;
	bool is_mine = all_nests(checking->program) == 1;
	for (int i = 0; i < checking->lines->count; i++) {
		const struct schedule_line *other = &checking->lines->items[i];
		if (other->is_heading) {
			is_mine = heading_range(function, other->nest, &first, &last) && first == n && last == n;
			if (!heading_range(function, other->nest, &first, &last)
				|| !gives_way(line, n, first, last))
				continue;
		} else if (!is_mine || !schedule_lines_clash(line, other) || !strcmp(
			schedule_line_text(checking->arena, line), schedule_line_text(checking->arena, other))) {
			continue;
		}
		diag_warning(checking->diag, schedule_line_at(line), "schedule", "'%s' gives way to what "
			"the schedule's file says", schedule_line_text(checking->arena, line));
		diag_note(checking->diag, schedule_line_at(other), "here");
		return;
	}
}

static void check_pragma_against_file(struct checking *checking, const struct function *function,
	const struct pragma *pragma, const struct schedule_line *line)
{
	int n = -1;
	for (int s = 0; s < function->statement_count; s++) {
		const struct statement *statement = function->statements[s];
		if (!nest_begins(function, s))
			continue;
		n++;
		if (!pragma->loop || (statement->depth && statement->loops[0] == pragma->loop))
			check_against_file(checking, line, function, n);
	}
}

static void check_pragmas(struct checking *checking, const struct function *function)
{
	const struct schedule_line **lines = ARENA_ARRAY(checking->arena,
		const struct schedule_line *, function->pragma_count + 1);
	for (int i = 0; i < function->pragma_count && !checking->failed; i++) {
		const struct pragma *pragma = &function->pragmas[i];
		lines[i] = schedule_line_of_pragma(checking->arena, pragma);
		if (!lines[i]->word_count)
			continue;
		check_line(checking, lines[i], IN_PRAGMA);
		for (int b = 0; b < i && !checking->failed; b++) {
			const struct loop *loop = function->pragmas[b].loop;
			if (lines[b]->word_count && (!loop || !pragma->loop || loop == pragma->loop))
				check_pragma_pair(checking, lines[i], lines[b], loop == pragma->loop);
		}
		if (checking->lines && !checking->failed)
			check_pragma_against_file(checking, function, pragma, lines[i]);
	}
}

bool schedule_check(struct arena *arena, struct diag *diag, const struct program *program,
	const struct schedule_lines *lines)
{
	struct checking checking = { arena, diag, program, lines, false };
	check_file(&checking);
	for (int f = 0; f < program->function_count && !checking.failed; f++)
		check_pragmas(&checking, program->functions[f]);
	return !checking.failed;
}

#include "passes/fusion/fuse_wishes.h"

#include <stdlib.h>
#include <string.h>

#include "passes/variants/schedule_text.h"

/* ---- pragmas ---- */

static int nest_of_loop(const struct nest *nests, int count, const struct loop *loop)
{
	for (int n = 0; n < count; n++)
		if (nests[n].statements[0]->depth && nests[n].statements[0]->loops[0] == loop)
			return n;
	return -1;
}

static bool read_pragma(struct compilation *compilation, const struct nest *nests,
	const struct pragma *pragma, struct fuse_wishes *wishes)
{
	const struct schedule_line *line = schedule_line_of_pragma(compilation->arena, pragma);
	bool fuses = schedule_line_is(line, "fuse");
	if (!fuses && !schedule_line_is(line, "nofuse"))
		return true;
	if (!pragma->loop) {
		wishes->fusion = fuses ? FUSE_ALL : FUSE_NEVER;
		return true;
	}
	int n = nest_of_loop(nests, wishes->nest_count, pragma->loop);
	if (n < 0)
		return true;
	if (fuses && n == wishes->nest_count - 1) {
		diag_error(compilation->diag, pragma->location,
			"there is no nest after this one that it could be fused with");
		return false;
	}
	wishes->wishes[n].location = pragma->location;
	*(fuses ? &wishes->wishes[n].with_next : &wishes->wishes[n].is_alone) = true;
	return true;
}

/* A nest of which a pragma says more than with what it is fused has a schedule of its own. */
static void keep_alone(struct compilation *compilation, const struct nest *nests,
	struct fuse_wishes *wishes)
{
	for (int n = 0; n < wishes->nest_count; n++) {
		int count;
		const struct schedule_line **lines = schedule_wishes(compilation, &nests[n], &count);
		for (int i = 0; i < count; i++)
			wishes->wishes[n].is_alone |= schedule_restricts(lines[i]);
	}
}

/* Nothing is to be fused and to be alone, too. */
static bool agree(struct compilation *compilation, const struct fuse_wishes *wishes)
{
	for (int n = 0; n + 1 < wishes->nest_count; n++)
		if (wishes->wishes[n].with_next
			&& (wishes->wishes[n].is_alone || wishes->wishes[n + 1].is_alone)) {
			diag_error(compilation->diag, wishes->wishes[n].location, "this nest is to be fused with "
				"the next one, but one of the two has a schedule of its own, or is to be fused "
				"with none");
			return false;
		}
	return true;
}

/* ---- headings of a schedule ---- */

/* "F.2-4" of function F: the nests 2 to 4; a plain F: its only nest.  False: another
 * function's, or no whole nest (F.2/0 is a part of one). */
static bool read_name(const char *name, const char *function, int *first, int *last)
{
	size_t length = strlen(function);
	char *end;
	*first = *last = 0;
	if (strncmp(name, function, length) || (name[length] && name[length] != '.'))
		return false;
	if (!name[length])
		return true;
	*first = *last = (int)strtol(name + length + 1, &end, 10);
	if (*end == '-')
		*last = (int)strtol(end + 1, &end, 10);
	return !*end;
}

static bool add_group(struct compilation *compilation, struct location at, const char *name,
	int first, int last, struct fuse_wishes *wishes)
{
	bool is_good = first >= 0 && first <= last && last < wishes->nest_count;
	for (int n = first; n <= last && is_good; n++) {
		struct fuse_wish *wish = &wishes->wishes[n];
		is_good = !wish->count || (wish->first == first && wish->count == last - first + 1);
		wish->first = first;
		wish->count = last - first + 1;
		wish->is_alone = first == last;
		wish->with_next = false;
		wish->location = at;
	}
	if (!is_good)
		diag_error(compilation->diag, at, "'%s' names nests that are not there, or in another "
			"group", name);
	return is_good;
}

static bool read_headings(struct compilation *compilation, const char *function,
	struct fuse_wishes *wishes)
{
	const struct schedule_lines *lines = compilation->schedule;
	for (int i = 0; i < lines->count; i++) {
		const struct schedule_line *line = &lines->items[i];
		int first, last;
		if (line->is_heading && read_name(line->nest, function, &first, &last)
			&& !add_group(compilation, line->words[1].at, line->nest, first, last, wishes))
			return false;
	}
	return true;
}

bool fuse_wishes_read(struct compilation *compilation, const struct nest *nests, int nest_count,
	struct fuse_wishes *wishes)
{
	const struct function *function = nests->function;
	*wishes = (struct fuse_wishes){ .fusion = compilation->fusion, .nest_count = nest_count,
		.wishes = ARENA_ARRAY(compilation->arena, struct fuse_wish, nest_count + 1) };
	for (int i = 0; i < function->pragma_count; i++)
		if (!read_pragma(compilation, nests, &function->pragmas[i], wishes))
			return false;
	keep_alone(compilation, nests, wishes);
	if (compilation->schedule && !read_headings(compilation, function->name, wishes))
		return false;
	if (!agree(compilation, wishes))
		return false;
	wishes->is_complete = true;
	for (int n = 0; n < nest_count; n++) {
		wishes->forces |= fuse_wishes_forced(wishes, n) > 1;
		wishes->is_complete &= wishes->wishes[n].count > 0;
	}
	return true;
}

/* ---- questions ---- */

bool fuse_wishes_allow(const struct fuse_wishes *wishes, int first, int count)
{
	const struct fuse_wish *all = wishes->wishes;
	int last = first + count - 1;
	bool is_asked_for = true;    /* every two neighbours */
	for (int n = first; n <= last; n++)
		if (all[n].count && (all[n].first != first || all[n].count != count))
			return false;
	if (all[first].count)
		return true;
	if ((first > 0 && all[first - 1].with_next) || all[last].with_next)
		return false;
	for (int n = first; n <= last; n++) {
		if (count > 1 && all[n].is_alone)
			return false;
		is_asked_for &= n == last || all[n].with_next;
	}
	return is_asked_for || wishes->fusion != FUSE_NEVER;
}

int fuse_wishes_forced(const struct fuse_wishes *wishes, int first)
{
	const struct fuse_wish *all = wishes->wishes;
	int count = 1;
	if (all[first].count)
		return all[first].first == first ? all[first].count : 1;
	if (first > 0 && all[first - 1].with_next)
		return 1;
	while (first + count < wishes->nest_count && all[first + count - 1].with_next)
		count++;
	return count;
}

#include "passes/fusion/fuse_constraints.h"

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
	const struct pragma *pragma, struct fuse_constraints *constraints)
{
	const struct schedule_line *line = schedule_line_of_pragma(compilation->arena, pragma);
	bool fuses = schedule_line_is(line, "fuse");
	if (!fuses && !schedule_line_is(line, "nofuse"))
		return true;
	if (!pragma->loop) {
		constraints->fusion = fuses ? FUSE_ALL : FUSE_NEVER;
		return true;
	}
	int n = nest_of_loop(nests, constraints->nest_count, pragma->loop);
	if (n < 0)
		return true;
	if (fuses && n == constraints->nest_count - 1) {
		diag_error(compilation->diag, pragma->location,
			"there is no nest after this one that it could be fused with");
		return false;
	}
	constraints->of_nest[n].location = pragma->location;
	*(fuses ? &constraints->of_nest[n].with_next : &constraints->of_nest[n].is_alone) = true;
	return true;
}

/* A nest of which a pragma says more than with what it is fused has a schedule of its own. */
static void keep_alone(struct compilation *compilation, const struct nest *nests,
	struct fuse_constraints *constraints)
{
	for (int n = 0; n < constraints->nest_count; n++) {
		int count;
		const struct schedule_line **lines = schedule_constraints(compilation, &nests[n], &count);
		for (int i = 0; i < count; i++)
			constraints->of_nest[n].is_alone |= schedule_restricts(lines[i]);
	}
}

/* Nothing is to be fused and to be alone, too. */
static bool agree(struct compilation *compilation, const struct fuse_constraints *constraints)
{
	for (int n = 0; n + 1 < constraints->nest_count; n++)
		if (constraints->of_nest[n].with_next
			&& (constraints->of_nest[n].is_alone || constraints->of_nest[n + 1].is_alone)) {
			diag_error(compilation->diag, constraints->of_nest[n].location,
				"this nest is to be fused with "
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
	int first, int last, struct fuse_constraints *constraints)
{
	bool is_good = first >= 0 && first <= last && last < constraints->nest_count;
	for (int n = first; n <= last && is_good; n++) {
		struct fuse_constraint *constraint = &constraints->of_nest[n];
		is_good = !constraint->count
			|| (constraint->first == first && constraint->count == last - first + 1);
		constraint->first = first;
		constraint->count = last - first + 1;
		constraint->is_alone = first == last;
		constraint->with_next = false;
		constraint->location = at;
	}
	if (!is_good)
		diag_error(compilation->diag, at, "'%s' names nests that are not there, or in another "
			"group", name);
	return is_good;
}

static bool read_headings(struct compilation *compilation, const char *function,
	struct fuse_constraints *constraints)
{
	const struct schedule_lines *lines = compilation->request.schedule;
	for (int i = 0; i < lines->count; i++) {
		const struct schedule_line *line = &lines->items[i];
		int first, last;
		if (!line->nest || !read_name(line->nest, function, &first, &last))
			continue;
		if (line->is_heading
			&& !add_group(compilation, line->words[1].at, line->nest, first, last, constraints))
			return false;
		for (int n = first; n <= last && schedule_line_is(line, "merge"); n++)
			constraints->of_nest[n].is_merged = true;
	}
	return true;
}

bool fuse_constraints_read(struct compilation *compilation, const struct nest *nests,
	int nest_count, struct fuse_constraints *constraints)
{
	const struct function *function = nests->function;
	*constraints = (struct fuse_constraints){
		.fusion = compilation->request.fusion, .nest_count = nest_count,
		.of_nest = ARENA_ARRAY(compilation->arena, struct fuse_constraint, nest_count + 1) };
	for (int i = 0; i < function->pragma_count; i++)
		if (!read_pragma(compilation, nests, &function->pragmas[i], constraints))
			return false;
	keep_alone(compilation, nests, constraints);
	if (compilation->request.schedule && !read_headings(compilation, function->name, constraints))
		return false;
	if (!agree(compilation, constraints))
		return false;
	constraints->is_complete = true;
	constraints->is_free = constraints->fusion == FUSE_AUTO && !compilation->request.schedule;
	for (int n = 0; n < nest_count; n++) {
		constraints->is_free &= !constraints->of_nest[n].is_alone && !constraints->of_nest[n].with_next;
		constraints->forces |= fuse_constraints_forced(constraints, n) > 1;
		constraints->is_complete &= constraints->of_nest[n].count > 0;
	}
	return true;
}

/* ---- questions ---- */

bool fuse_constraints_allow(const struct fuse_constraints *constraints, int first, int count)
{
	const struct fuse_constraint *all = constraints->of_nest;
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
	return is_asked_for || constraints->fusion != FUSE_NEVER;
}

bool fuse_constraints_merge(const struct fuse_constraints *constraints, int first)
{
	return constraints->of_nest[first].is_merged;
}

bool fuse_constraints_may_merge(const struct fuse_constraints *constraints, int first)
{
	return !constraints->of_nest[first].count || constraints->of_nest[first].is_merged;
}

int fuse_constraints_forced(const struct fuse_constraints *constraints, int first)
{
	const struct fuse_constraint *all = constraints->of_nest;
	int count = 1;
	if (all[first].count)
		return all[first].first == first ? all[first].count : 1;
	if (first > 0 && all[first - 1].with_next)
		return 1;
	while (first + count < constraints->nest_count && all[first + count - 1].with_next)
		count++;
	return count;
}

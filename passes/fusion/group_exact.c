/* Whether the model of a group counts what its plans move, and no more: only then does the least that it finds
 * bound them.  A plan's regions are boxes around what a tile touches.  The model multiplies what each loop
 * does by itself, which is the box if all that touches an array in a tile is within what one statement does.  At
 * turns it lets stay what plans can keep (passes/fusion/group_turns.c).  Borders leave out some of a box: a model
 * that bounds plans leaves them out, too (passes/fusion/group_border.h). */

#include <stdlib.h>

#include "ir/plan.h"
#include "passes/fusion/group_border.h"

static const struct group_plane *plane_of(const struct fusion_candidate *candidate, int dim, int s)
{
	return &candidate->dims[dim].planes[s];
}

/* The values of the iterator of statement S at VALUE of dimension DIM, all if none of its is one; false: it does
 * not run there. */
static bool runs_at(const struct groups *groups, const struct fusion_candidate *candidate, int dim, int s,
	long value, long values[2])
{
	const struct group_plane *plane = plane_of(candidate, dim, s);
	values[0] = values[1] = 0;
	if (plane->kind == HYPERPLANE_FIRST)
		return value == candidate->dims[dim].least;
	if (plane->kind == HYPERPLANE_LAST)
		return value == candidate->dims[dim].most;
	const long *range = groups->ranges[s][plane->iterator];
	/* factor * i is from low to high */
	long low = plane->divisor * value - plane->shift, high = low + plane->divisor - 1, factor = labs(plane->factor);
	values[0] = -plan_floor_div(plane->factor > 0 ? -low : high, factor);
	values[1] = plan_floor_div(plane->factor > 0 ? high : -low, factor);
	values[0] = values[0] < range[0] ? range[0] : values[0];
	values[1] = values[1] > range[1] ? range[1] : values[1];
	return values[0] <= values[1];
}

/* Dimensions with more values are not looked at: along two statements; of two accesses. */
enum { VALUES = 4096, ACCESS_VALUES = 1 << 16 };
/* Nor are windows that step further. */
enum { STEPS = 64 };

/* Along dimension DIM statement S runs where MAIN does, whatever the tiles. */
static bool runs_with(const struct groups *groups, const struct fusion_candidate *candidate, int dim,
	int s, int main)
{
	const struct group_dim *all = &candidate->dims[dim];
	long mine[2], its[2];
	bool does = all->most - all->least < VALUES && all->spans[s] <= all->spans[main]
		&& all->spans[s] >= 0;
	for (long value = all->least; value <= all->most && does; value++)
		does = !runs_at(groups, candidate, dim, s, value, mine)
			|| runs_at(groups, candidate, dim, main, value, its);
	return does;
}

static bool runs_with_in_all(const struct groups *groups, const struct fusion_candidate *candidate,
	int s, int main)
{
	bool does = true;
	for (int dim = 0; dim < candidate->dim_count && does && s != main; dim++)
		does = runs_with(groups, candidate, dim, s, main);
	return does;
}

/* The values of iterator I of statement S where the one of PLANE (NULL: none) has one of VALUES; all, if that is not known. */
static void values_of(const struct groups *groups, int s, int i, const struct group_plane *plane, const long values[2],
	long ends[2])
{
	const long *all = groups->ranges[s][i];
	const struct group_tie *ties = groups->ties[s];
	bool is_cut = plane && plane->kind == HYPERPLANE_AFFINE, is_its = is_cut && plane->iterator == i;
	ends[0] = is_its ? values[0] : all[0];
	ends[1] = is_its ? values[1] : all[1];
	if (is_cut && ties && ties[plane->iterator].partner == i)
		group_partners(groups, s, plane->iterator, values, ends);
}

/* Elements of subscript D that ACCESS touches where the iterator of PLANE (NULL: none) has VALUES. */
static void elements_of(const struct groups *groups, const struct group_access *access, int d,
	const struct group_plane *plane, const long values[2], long ends[2])
{
	const struct statement *statement = groups->function->statements[access->statement];
	const struct affine *subscript = &access->access->subscripts[d];
	ends[0] = ends[1] = subscript->constant;
	for (int i = 0; i < statement->depth; i++) {
		long c = subscript->coefficients[i], own[2];
		values_of(groups, access->statement, i, plane, values, own);
		ends[0] += c * own[c < 0];
		ends[1] += c * own[c > 0];
	}
	ends[0] = ends[0] < access->low[d] ? access->low[d] : ends[0];
	ends[1] = ends[1] > access->high[d] ? access->high[d] : ends[1];
}

static long coefficient_of(const struct group_access *access, int d, const struct group_plane *plane)
{
	return plane->kind == HYPERPLANE_AFFINE ? access->access->subscripts[d].coefficients[plane->iterator]
		: 0;
}

/* At VALUE of dimension DIM (-1: none) OWN's elements are within those of MAIN. */
static bool is_within_at(const struct groups *groups, const struct fusion_candidate *candidate, int dim,
	long value, const struct group_access *own, const struct group_access *main)
{
	const struct group_plane *mine = dim < 0 ? NULL : plane_of(candidate, dim, own->statement);
	const struct group_plane *its = dim < 0 ? NULL : plane_of(candidate, dim, main->statement);
	long my_values[2], its_values[2], inner[2], outer[2];
	bool is = true;
	if (dim >= 0 && (!runs_at(groups, candidate, dim, own->statement, value, my_values)
		|| !runs_at(groups, candidate, dim, main->statement, value, its_values)))
		return true;
	for (int d = 0; d < own->access->array->rank && is; d++) {
		elements_of(groups, own, d, mine, my_values, inner);
		elements_of(groups, main, d, its, its_values, outer);
		is = inner[0] >= outer[0] && inner[1] <= outer[1];
	}
	return is;
}

/* In each tile OWN's elements are within those of MAIN: at each value, and so in any run of them. */
static bool is_within(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_access *own, const struct group_access *main)
{
	bool is = own == main || is_within_at(groups, candidate, -1, 0, own, main);
	for (int dim = 0; dim < candidate->dim_count && is && own != main; dim++) {
		const struct group_dim *all = &candidate->dims[dim];
		is = all->most - all->least < ACCESS_VALUES;
		for (long value = all->least; value <= all->most && is; value++)
			is = is_within_at(groups, candidate, dim, value, own, main);
	}
	return is;
}

static bool is_in_group(const struct fusion_candidate *candidate, const struct group_access *access)
{
	return access->nest >= candidate->first && access->nest <= candidate->last;
}

/* Some access of MAIN's statement covers OWN. */
static bool is_covered(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_array *array, const struct group_access *own, int main)
{
	bool is = false;
	for (int a = 0; a < array->access_count && !is; a++) {
		const struct group_access *access = &array->accesses[a];
		is = access->statement == main && is_within(groups, candidate, own, access);
	}
	return is;
}

/* Loops that move subscript D of ACCESS by STEP elements an iteration, and that tiles of CANDIDATE cut, or do not, as IS_CUT says, leave no
 * hole, where so many elements as *RUN are touched in a row in one iteration of each.  *RUN: then in all of those. */
static bool leave_no_hole(const struct groups *groups, const struct fusion_candidate *candidate, const struct group_access *access,
	int d, long step, bool is_cut, long *run)
{
	const struct statement *statement = groups->function->statements[access->statement];
	bool are_close = true;
	for (int i = 0; i < statement->depth && are_close; i++) {
		const long *range = groups->ranges[access->statement][i];
		if (labs(access->access->subscripts[d].coefficients[i]) != step
			|| (group_dim_along(candidate, access->statement, i) >= 0) != is_cut)
			continue;
		are_close = step <= *run;
		*run += is_cut ? 0 : step * (range[1] - range[0]);
	}
	return are_close;
}

/* Nor do all of them: in the rows that a window of three steps over, two a step, each is touched. */
static bool is_dense(const struct groups *groups, const struct fusion_candidate *candidate, const struct group_access *access, int d)
{
	const struct statement *statement = groups->function->statements[access->statement];
	long run = 1, most = 0;
	for (int i = 0; i < statement->depth; i++) {
		long step = labs(access->access->subscripts[d].coefficients[i]);
		most = step > most ? step : most;
	}
	if (most > STEPS)
		return false;
	for (int is_cut = 0; is_cut < 2; is_cut++)
		for (long step = 1; step <= most; step++)
			if (!leave_no_hole(groups, candidate, access, d, step, is_cut, &run))
				return false;
	return true;
}

/* ACCESS touches all of the box around what it touches, whatever tiles and chunks its loops are cut into: each
 * loop moves one subscript, and what moves that leaves no hole.  Chunks are of loops that have a subscript for themselves. */
static bool fills_box(const struct groups *groups, const struct fusion_candidate *candidate, const struct group_access *access)
{
	const struct statement *statement = groups->function->statements[access->statement];
	for (int i = 0; i < statement->depth; i++) {
		int moved = 0;
		for (int d = 0; d < access->access->array->rank; d++)
			moved += access->access->subscripts[d].coefficients[i] != 0;
		if (moved > 1)
			return false;
	}
	for (int d = 0; d < access->access->array->rank; d++)
		if (!is_dense(groups, candidate, access, d))
			return false;
	return true;
}

/* One access of MAIN's statement touches all that the group touches of ARRAY in a tile, and no hole is in that. */
static bool is_in_one_box(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_array *array, int main)
{
	bool is = false;
	for (int a = 0; a < array->access_count && !is; a++) {
		is = array->accesses[a].statement == main && fills_box(groups, candidate, &array->accesses[a]);
		for (int b = 0; b < array->access_count && is; b++)
			is = array->accesses[b].statement != main
				|| is_within(groups, candidate, &array->accesses[b], &array->accesses[a]);
	}
	return is;
}

/* The deepest of the group's statements that touch ARRAY; -1: none does. */
static int main_of(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_array *array)
{
	int main = -1;
	for (int a = 0; a < array->access_count; a++) {
		const struct group_access *access = &array->accesses[a];
		if (is_in_group(candidate, access) && (main < 0
			|| groups->function->statements[access->statement]->depth
			> groups->function->statements[main]->depth))
			main = access->statement;
	}
	return main;
}

/* A dimension in which no subscript of ARRAY moves. */
static bool is_still(const struct fusion_candidate *candidate, const struct group_array *array, int dim)
{
	for (int a = 0; a < array->access_count; a++)
		for (int d = 0; d < array->array->rank; d++)
			if (is_in_group(candidate, &array->accesses[a]) && coefficient_of(&array->accesses[a], d,
				plane_of(candidate, dim, array->accesses[a].statement)))
				return false;
	return true;
}

/* How statement S touches ARRAY. */
struct touching {
	bool reads, writes;
	bool updates;                /* it reads an element before it writes it */
};

static bool is_same_element(const struct statement *statement, const struct access *a,
	const struct access *b)
{
	bool same = true;
	for (int d = 0; d < a->array->rank && same; d++) {
		same = a->subscripts[d].constant == b->subscripts[d].constant;
		for (int i = 0; i < statement->depth && same; i++)
			same = a->subscripts[d].coefficients[i] == b->subscripts[d].coefficients[i];
	}
	return same;
}

static struct touching touching_of(const struct groups *groups, const struct group_array *array, int s)
{
	struct touching touching = { 0 };
	const struct statement *statement = groups->function->statements[s];
	for (int a = 0; a < array->access_count; a++) {
		const struct access *one = array->accesses[a].access;
		if (array->accesses[a].statement != s)
			continue;
		touching.writes |= one->is_write;
		touching.reads |= !one->is_write;
		for (int b = 0; b < array->access_count; b++)
			touching.updates |= array->accesses[b].statement == s && one->is_write
				&& !array->accesses[b].access->is_write
				&& is_same_element(statement, one, array->accesses[b].access);
	}
	return touching;
}

/* Statement S sets ARRAY in the first tile of each loop only that does not move it, so that
 * it has to come back in all others. */
static bool sets_once(const struct fusion_candidate *candidate, const struct group_array *array, int s)
{
	for (int dim = 0; dim < candidate->dim_count; dim++)
		if (is_still(candidate, array, dim)
			&& plane_of(candidate, dim, s)->kind != HYPERPLANE_FIRST)
			return false;
	return true;
}

/* ARRAY, which is written, comes and goes as the model says: MAIN, which runs in each of its visits, updates
 * it, or nobody reads it; who sets it does so once. */
static bool comes_as_counted(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_array *array, int main)
{
	const struct touching of_main = touching_of(groups, array, main);
	bool is_read = false, is_counted = of_main.writes;
	for (int a = 0; a < array->access_count && is_counted; a++) {
		const struct group_access *access = &array->accesses[a];
		if (!is_in_group(candidate, access))
			continue;
		const struct touching own = touching_of(groups, array, access->statement);
		is_read |= own.reads;
		/* who only sets it where it is not made here would spare what the model lets come */
		if (access->statement != main && own.writes && !own.reads)
			is_counted = array->is_created && array->first >= candidate->first
				&& sets_once(candidate, array, access->statement);
	}
	return is_counted && (!is_read || of_main.updates);
}

/* Where statement S runs is known well enough: in all tiles of a loop from the first in which it does to the last. */
static bool is_plain(const struct groups *groups, const struct fusion_candidate *candidate, int s)
{
	bool is = groups->ties[s];
	for (int dim = 0; dim < candidate->dim_count && is; dim++)
		is = plane_of(candidate, dim, s)->kind != HYPERPLANE_AFFINE
			|| labs(plane_of(candidate, dim, s)->factor) == 1;
	return is;
}

/* What those of ARRAY's accesses that are in statement S (-1: in any of the group) touch in a tile is known. */
static bool are_plain(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_array *array, int s)
{
	bool are = true;
	for (int a = 0; a < array->access_count && are; a++) {
		const struct group_access *access = &array->accesses[a];
		are = !is_in_group(candidate, access) || (s >= 0 && access->statement != s)
			|| (is_plain(groups, candidate, access->statement) && group_ties_suit(groups, candidate, access));
	}
	return are;
}

/* In each tile MAIN touches all that the group touches of ARRAY. */
static bool touches_all(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_array *array, int main)
{
	bool does = true;
	for (int a = 0; a < array->access_count && does; a++) {
		const struct group_access *access = &array->accesses[a];
		does = !is_in_group(candidate, access) || access->statement == main
			|| (runs_with_in_all(groups, candidate, access->statement, main)
			&& is_covered(groups, candidate, array, access, main));
	}
	return does;
}

static bool is_written(const struct fusion_candidate *candidate, const struct group_array *array)
{
	bool is_written = false;
	for (int a = 0; a < array->access_count; a++)
		is_written |= is_in_group(candidate, &array->accesses[a]) && array->accesses[a].access->is_write;
	return is_written;
}

int group_main(const struct groups *groups, const struct fusion_candidate *candidate, int array)
{
	return main_of(groups, candidate, &groups->arrays[array]);
}

/* ARRAY is used by several of the group's nests, so that no less of it is held than of an internal one, though it comes or goes. */
static bool takes_room(const struct groups *groups, const struct fusion_candidate *candidate, const struct group_array *array)
{
	int nest = -1;
	bool has_several = false;
	for (int a = 0; a < array->access_count; a++) {
		const struct group_access *access = &array->accesses[a];
		if (!is_in_group(candidate, access))
			continue;
		has_several |= nest >= 0 && access->nest != nest;
		nest = access->nest;
	}
	return has_several && are_plain(groups, candidate, array, -1);
}

/* The same of an array of which it is not known what plans move. */
static enum group_count room_of(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_array *array)
{
	return is_written(candidate, array) && takes_room(groups, candidate, array) ? COUNTS_ROOM : COUNTS_NONE;
}

enum group_count group_counts(const struct groups *groups, const struct fusion_candidate *candidate, int index)
{
	const struct group_array *array = &groups->arrays[index];
	if (group_is_internal(groups, candidate, index))
		return are_plain(groups, candidate, array, -1) ? COUNTS_ALL : COUNTS_NONE;
	int main = main_of(groups, candidate, array);
	if (main < 0)
		return COUNTS_ALL;
	if (!are_plain(groups, candidate, array, main) || !is_in_one_box(groups, candidate, array, main))
		return room_of(groups, candidate, array);
	bool is_all = touches_all(groups, candidate, array, main);
	if (is_written(candidate, array))
		return is_all && comes_as_counted(groups, candidate, array, main) ? COUNTS_ALL
			: room_of(groups, candidate, array);
	return is_all ? COUNTS_ALL : COUNTS_MAIN;
}

bool group_is_exact(const struct groups *groups, const struct fusion_candidate *candidate)
{
	for (int n = candidate->first; n <= candidate->last; n++)
		for (int s = 0; s < groups->nests[n].statement_count; s++)
			if (!group_is_box(groups, groups->nests[n].statements[s]->index)
				|| !is_plain(groups, candidate, groups->nests[n].statements[s]->index))
				return false;
	for (int i = 0; i < groups->function->array_count; i++)
		if (!groups->function->arrays[i]->by_value
			&& !is_carried(groups->compilation, groups->function->arrays[i])
			&& group_counts(groups, candidate, i) != COUNTS_ALL)
			return false;
	return true;
}

/* Statements of different nests aligned by the elements that they share: at one value of a dimension
 * each touches the same ones, one row of a pooling, say, and the rows of its window. */

#include "passes/analysis/band_use.h"

#include <stdlib.h>
#include <string.h>

#include "ir/order.h"
#include "ir/plan.h"
#include "passes/analysis/band_dim.h"
#include "passes/analysis/lattice.h"
#include "passes/analysis/values.h"

enum { DIVISOR_LIMIT = 1 << 12 };

/* How a statement runs along the dimension: at floor((iterator + shift) / divisor), the divisor UP / DOWN
 * until all are known. */
struct follower {
	int iterator;                /* -1: it does not, as far as is known */
	long up, down, shift;
};

struct use {
	const struct nest *nest;
	const struct loop *loop;     /* of the deepest statement */
	struct follower *followers;  /* [statement] */
	bool *is_tied;               /* [statement]: shares a written array with the deepest one, or with
	                              * one that is tied: the loop is its own if such an array says so */
	long (*ranges)[LOOP_DEPTH_LIMIT][2];     /* [statement]: least and largest value of iterators */
};

/* ---- a subscript ---- */

/* The iterator that moves SUBSCRIPT most: y of 2 * y + r.  -1: none, or it has to share that. */
static int leading_iterator(const struct statement *statement, const struct affine *subscript)
{
	int leading = -1;
	bool is_shared = false;
	for (int i = 0; i < statement->depth; i++) {
		long own = labs(subscript->coefficients[i]);
		long most = leading < 0 ? 0 : labs(subscript->coefficients[leading]);
		is_shared = own > most ? false : is_shared || (own && own == most);
		leading = own > most ? i : leading;
	}
	return is_shared ? -1 : leading;
}

/* The least value of SUBSCRIPT, of statement S, where iterator LEADING is 0. */
static long least_beside(const struct use *use, int s, const struct affine *subscript, int leading)
{
	long least = subscript->constant;
	for (int i = 0; i < use->nest->statements[s]->depth; i++)
		if (i != leading && subscript->coefficients[i])
			least += subscript->coefficients[i]
				* use->ranges[s][i][subscript->coefficients[i] < 0];
	return least;
}

/* Of all accesses of statement S to the array of ACCESS that iterator LEADING moves as much in dimension
 * D. */
static long least_of_all(const struct use *use, int s, const struct access *access, int d, int leading)
{
	const struct statement *statement = use->nest->statements[s];
	long least = least_beside(use, s, &access->subscripts[d], leading);
	for (int a = 0; a < statement->access_count; a++) {
		const struct access *other = &statement->accesses[a];
		if (other->array != access->array || leading_iterator(statement, &other->subscripts[d]) != leading
			|| other->subscripts[d].coefficients[leading] != access->subscripts[d].coefficients[leading])
			continue;
		long own = least_beside(use, s, &other->subscripts[d], leading);
		least = own < least ? own : least;
	}
	return least;
}

/* Statement T follows S, which is known, as dimension D of A and B says, accesses of one array. */
static bool follow_subscript(const struct use *use, int s, const struct access *a, int t,
	const struct access *b, int d)
{
	const struct follower *known = &use->followers[s];
	int i = leading_iterator(use->nest->statements[t], &b->subscripts[d]);
	long own = a->subscripts[d].coefficients[known->iterator];
	long other = i < 0 ? 0 : b->subscripts[d].coefficients[i];
	if (own <= 0 || own > DIVISOR_LIMIT || other <= 0 || other > DIVISOR_LIMIT
		|| leading_iterator(use->nest->statements[s], &a->subscripts[d]) != known->iterator)
		return false;
	/* own * (divisor * v - shift) + what is beside it is the same element for both */
	long apart = least_of_all(use, t, b, d, i) - least_of_all(use, s, a, d, known->iterator);
	long common = gcd(known->up * own, known->down * other);
	use->followers[t] = (struct follower){ i, known->up * own / common, known->down * other / common,
		plan_floor_div(apart + own * known->shift, other) };
	return use->followers[t].up <= DIVISOR_LIMIT && use->followers[t].down <= DIVISOR_LIMIT;
}

/* ---- who follows whom ---- */

/* What tells how one statement runs from how another one does, the surest first. */
enum tie { TIE_LOOP, TIE_WRITTEN, TIE_READ, TIE_NAME, TIES };

static bool is_written(const struct nest *nest, const struct array *array)
{
	for (int a = 0; a < nest->arrays->count; a++)
		if (nest->arrays->items[a].array == array)
			return nest->arrays->items[a].is_written;
	return false;
}

/* The arrays that statements S and T share are tried; with FOLLOWS T becomes a follower. */
static bool by_arrays(const struct use *use, int s, int t, bool wants_written, bool follows)
{
	const struct statement *from = use->nest->statements[s], *to = use->nest->statements[t];
	for (int a = 0; a < from->access_count; a++)
		for (int b = 0; b < to->access_count; b++) {
			const struct array *array = from->accesses[a].array;
			if (to->accesses[b].array != array || !array->rank
				|| is_written(use->nest, array) != wants_written)
				continue;
			if (!follows)
				return true;
			for (int d = 0; d < array->rank; d++)
				if (follow_subscript(use, s, &from->accesses[a], t, &to->accesses[b], d))
					return true;
		}
	return false;
}

static bool by_name(const struct use *use, int s, int t)
{
	const struct statement *statement = use->nest->statements[t];
	for (int i = 0; i < statement->depth; i++)
		if (!strcmp(statement->loops[i]->name, use->loop->name)
			&& statement->loops[i]->step == use->loop->step) {
			use->followers[t] = use->followers[s];
			use->followers[t].iterator = i;
			return true;
		}
	return false;
}

/* Statement T, of which nothing is known yet, follows S by such a TIE. */
static bool follows(const struct use *use, int s, int t, enum tie tie)
{
	const struct follower *known = &use->followers[s];
	if (known->iterator < 0)
		return false;
	if (tie == TIE_LOOP) {
		bool shares = known->iterator
			< shared_loop_count(use->nest->statements[s], use->nest->statements[t]);
		if (shares)
			use->followers[t] = *known;
		return shares;
	}
	if (tie == TIE_WRITTEN)
		return by_arrays(use, s, t, true, true);
	return !use->is_tied[t] && (tie == TIE_READ ? by_arrays(use, s, t, false, true)
		: by_name(use, s, t));
}

/* One statement more follows. */
static bool follow_one(const struct use *use, enum tie tie)
{
	for (int t = 0; t < use->nest->statement_count; t++) {
		const struct follower before = use->followers[t];
		for (int s = 0; s < use->nest->statement_count && before.iterator < 0; s++) {
			if (follows(use, s, t, tie))
				return true;
			use->followers[t] = before;
		}
	}
	return false;
}

static void find_tied(const struct use *use, int main)
{
	use->is_tied[main] = true;
	for (bool changed = true; changed;) {
		changed = false;
		for (int s = 0; s < use->nest->statement_count; s++)
			for (int t = 0; t < use->nest->statement_count; t++)
				if (use->is_tied[s] && !use->is_tied[t] && by_arrays(use, s, t, true, false))
					changed = use->is_tied[t] = true;
	}
}

/* ---- divisors ---- */

/* All divisors times FACTOR, as whole numbers.  False if one is too large. */
static bool scale(const struct use *use, long up, long down)
{
	for (int s = 0; s < use->nest->statement_count; s++) {
		struct follower *follower = &use->followers[s];
		if (follower->iterator < 0)
			continue;
		long common = gcd(follower->up * up, follower->down * down);
		follower->up = follower->up * up / common;
		follower->down = follower->down * down / common;
		if (follower->up > DIVISOR_LIMIT || follower->down > DIVISOR_LIMIT)
			return false;
	}
	return true;
}

/* The least whole divisors that are multiples of the loops' steps.  False if one is too large. */
static bool make_whole(const struct use *use)
{
	long divisor = 0;
	for (int s = 0; s < use->nest->statement_count; s++)
		if (use->followers[s].iterator >= 0 && !scale(use, use->followers[s].down, 1))
			return false;
	for (int s = 0; s < use->nest->statement_count; s++)
		if (use->followers[s].iterator >= 0)
			divisor = gcd(divisor, use->followers[s].up);
	if (!scale(use, 1, divisor))
		return false;
	for (int s = 0; s < use->nest->statement_count; s++) {
		const struct follower *follower = &use->followers[s];
		long step = follower->iterator < 0 ? 1
			: use->nest->statements[s]->loops[follower->iterator]->step;
		if (step < 1 || (follower->iterator >= 0
			&& !scale(use, step / gcd(step, follower->up), 1)))
			return false;
	}
	return true;
}

/* A loop that goes on by its divisor has a value for each iteration, from whole multiples on. */
static void make_exact(const struct use *use)
{
	for (int s = 0; s < use->nest->statement_count; s++) {
		struct follower *follower = &use->followers[s];
		if (follower->iterator < 0
			|| use->nest->statements[s]->loops[follower->iterator]->step != follower->up)
			continue;
		long least = use->ranges[s][follower->iterator][0];
		follower->shift = follower->up * plan_floor_div(least + follower->shift, follower->up) - least;
	}
}

/* ---- a dimension ---- */

static bool find_ranges(const struct use *use)
{
	for (int s = 0; s < use->nest->statement_count; s++)
		for (int i = 0; i < use->nest->statements[s]->depth; i++)
			if (!set_dim_range(use->nest->statements[s]->domain, i, &use->ranges[s][i][0],
				&use->ranges[s][i][1]))
				return false;
	return true;
}

static bool find_followers(struct arena *arena, const struct nest *nest, int j, struct use *use)
{
	const struct statement *main = nest_deepest(nest);
	int m = nest_statement_named(nest, main->name);
	*use = (struct use){ .nest = nest, .loop = main->loops[j],
		.followers = ARENA_ARRAY(arena, struct follower, nest->statement_count),
		.is_tied = ARENA_ARRAY(arena, bool, nest->statement_count),
		.ranges = arena_alloc(arena, sizeof *use->ranges * (size_t)nest->statement_count) };
	if (!find_ranges(use))
		return false;
	for (int s = 0; s < nest->statement_count; s++)
		use->followers[s].iterator = -1;
	use->followers[m] = (struct follower){ j, 1, 1, -use->ranges[m][j][0] };
	find_tied(use, m);
	for (enum tie tie = TIE_LOOP; tie < TIES;)
		tie = follow_one(use, tie) ? TIE_LOOP : tie + 1;
	if (!make_whole(use))
		return false;
	make_exact(use);
	return true;
}

bool is_window_loop(const struct nest *nest, int j)
{
	const struct statement *main = nest_deepest(nest);
	long min, max;
	bool is = false;
	if (!set_dim_range(main->domain, j, &min, &max))
		return false;
	for (int a = 0; a < main->access_count; a++)
		for (int d = 0; d < main->accesses[a].array->rank; d++) {
			const struct affine *subscript = &main->accesses[a].subscripts[d];
			int leading = leading_iterator(main, subscript);
			if (!subscript->coefficients[j])
				continue;
			if (leading < 0 || leading == j || !is_written(nest, main->accesses[a].array)
				|| (double)labs(subscript->coefficients[j]) * (double)(max - min)
				>= (double)labs(subscript->coefficients[leading]) * (double)main->loops[leading]->step)
				return false;
			is = true;
		}
	return is;
}

bool dim_by_use(struct compilation *compilation, const struct nest *nest, const struct band *band,
	int j, struct band_dim *dim)
{
	const struct statement *main = nest_deepest(nest);
	struct hyperplane *planes = ARENA_ARRAY(compilation->arena, struct hyperplane,
		nest->statement_count);
	struct use use;
	if (!find_followers(compilation->arena, nest, j, &use))
		return false;
	for (int s = 0; s < nest->statement_count; s++) {
		const struct statement *statement = nest->statements[s];
		const struct follower *follower = &use.followers[s];
		if (follower->iterator >= 0)
			planes[s] = iterator_plane(compilation, statement, follower->iterator, 1,
				-follower->shift, follower->up);
		else
			planes[s].kind = runs_behind(statement, main) ? HYPERPLANE_LAST : HYPERPLANE_FIRST;
	}
	dim->name = main->loops[j]->name;
	return band_dim_finish(compilation, nest, band, planes, dim);
}

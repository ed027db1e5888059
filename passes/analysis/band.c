/* The band of a nest: the directions in which it may be cut into tiles. */

#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/val.h>

#include "ir/isl_work.h"
#include "ir/order.h"
#include "passes/analysis/band_chain.h"
#include "passes/analysis/band_dim.h"
#include "passes/analysis/band_isl.h"
#include "passes/analysis/band_use.h"
#include "passes/analysis/legality.h"
#include "passes/analysis/nest_memo.h"
#include "passes/analysis/values.h"

/* ---- the source's loops as a band ---- */

/* Which iterator of STATEMENT runs along loop J of MAIN, or -1. */
static int matching_iterator(const struct statement *statement, const struct statement *main,
	int j, bool by_name)
{
	int common = shared_loop_count(statement, main);
	if (j < common)
		return j;
	if (!by_name)
		return -1;
	for (int i = common; i < statement->depth; i++)
		if (!strcmp(statement->loops[i]->name, main->loops[j]->name)
			&& statement->loops[i]->step == main->loops[j]->step)
			return i;
	return -1;
}

/* Least value of sign * iterator over all statements that run along the loop, and the
 * step if every value is a multiple of it away from there. */
static bool iterator_origin(const struct nest *nest, const int *iterators, int sign, long step,
	long *origin, long *divisor)
{
	bool any = false;
	for (int s = 0; s < nest->statement_count; s++) {
		if (iterators[s] < 0)
			continue;
		long low, high;
		if (!set_dim_range(nest->statements[s]->domain, iterators[s], &low, &high))
			continue;
		long least = sign > 0 ? low : -high;
		if (!any || least < *origin)
			*origin = least;
		any = true;
	}
	*divisor = labs(step);
	for (int s = 0; s < nest->statement_count && *divisor > 1; s++) {
		if (iterators[s] < 0)
			continue;
		isl_local_space *space = isl_local_space_from_space(
			isl_set_get_space(nest->statements[s]->domain));
		isl_aff *aff = isl_aff_var_on_domain(space, isl_dim_set, (unsigned)iterators[s]);
		aff = aff_add(sign > 0 ? aff : isl_aff_neg(aff), -*origin);
		aff = isl_aff_mod_val(aff, isl_val_int_from_si(isl_aff_get_ctx(aff), *divisor));
		isl_set *whole = isl_set_from_basic_set(isl_aff_zero_basic_set(aff));
		if (isl_set_is_subset(nest->statements[s]->domain, whole) != isl_bool_true)
			*divisor = 1;
		isl_set_free(whole);
	}
	return any;
}

/* How statements are placed that do not run along a loop of the band. */
enum alignment {
	ALIGN_ENDS,                  /* in the first or last tile */
	ALIGN_NAMES,                 /* the same; loops of the same name are one */
	ALIGN_BOUNDS,                /* names, and the loop's first or last iteration */
	ALIGN_CHAINED,               /* by names; loops that one statement has behind another's are chained
	                              * with them (band_chain.h) */
	ALIGN_USES                   /* by the elements that they share with others (band_use.h);
	                              * where these do not say it, by names */
};

static isl_stat keep_piece(__isl_take isl_set *set, __isl_take isl_aff *aff, void *user)
{
	isl_set_free(set);
	isl_aff **kept = user;
	isl_aff_free(*kept);
	*kept = aff;
	return isl_stat_ok;
}

/* Where MAIN's loop J starts (or ends: AFTER), as a function of the loops that STATEMENT
 * shares with it.  False if that is no plain sum. */
static bool bound_plane(struct compilation *compilation, const struct statement *statement,
	const struct statement *main, int j, int sign, bool after, struct hyperplane *plane)
{
	int common = shared_loop_count(statement, main);
	isl_map *rest = isl_map_from_range(isl_set_reset_tuple_id(isl_set_copy(main->domain)));
	rest = isl_map_move_dims(rest, isl_dim_in, 0, isl_dim_out, 0, (unsigned)common);
	isl_pw_multi_aff *ends = (sign > 0) == after ? isl_map_lexmax_pw_multi_aff(rest)
		: isl_map_lexmin_pw_multi_aff(rest);
	isl_pw_aff *end = isl_pw_multi_aff_get_pw_aff(ends, j - common);
	isl_pw_multi_aff_free(ends);
	isl_aff *piece = NULL;
	bool plain = isl_pw_aff_n_piece(end) == 1;
	if (plain)
		isl_pw_aff_foreach_piece(end, keep_piece, &piece);
	isl_pw_aff_free(end);
	struct affine affine = { .coefficients = ARENA_ARRAY(compilation->arena, long,
		statement->depth + 1) };
	plain = plain && affine_of_isl(piece, common, &affine);
	isl_aff_free(piece);
	for (int i = 0; i < common; i++)
		affine.coefficients[i] *= sign;
	affine.constant *= sign;
	if (plain)
		*plane = hyperplane_make(compilation, statement, affine, 1);
	return plain;
}

struct extreme {
	const struct nest *nest;
	const struct hyperplane *planes;
	int statement;
	bool after;
	long shift;
};

/* How far STATEMENT must move so that what it uses is done (or what uses it is not). */
static isl_stat find_extreme(__isl_take isl_map *pairs, void *user)
{
	struct extreme *extreme = user;
	int s = nest_statement_named(extreme->nest, isl_map_get_tuple_name(pairs, isl_dim_in));
	int t = nest_statement_named(extreme->nest, isl_map_get_tuple_name(pairs, isl_dim_out));
	int own = extreme->after ? t : s, other = extreme->after ? s : t;
	struct distance distance = { false, 0, 0 };
	if (own == extreme->statement && other >= 0 && other != own
		&& extreme->planes[other].kind == HYPERPLANE_AFFINE)
		distance = pairs_distance(pairs, isl_map_from_aff(isl_aff_copy(extreme->planes[s].value)),
			isl_map_from_aff(isl_aff_copy(extreme->planes[t].value)));
	if (distance.any && -distance.min > extreme->shift)
		extreme->shift = -distance.min;
	isl_map_free(pairs);
	return isl_stat_ok;
}

static void shift_anchored(struct compilation *compilation, const struct nest *nest, int s,
	bool after, struct hyperplane *planes)
{
	struct extreme extreme = { nest, planes, s, after, 0 };
	isl_union_map_foreach_map(nest->dependences, find_extreme, &extreme);
	struct affine affine = planes[s].affine;
	affine.constant += after ? extreme.shift : -extreme.shift;
	if (extreme.shift)
		planes[s] = hyperplane_make(compilation, nest->statements[s], affine, 1);
}

/* Which way the tiles go: points of a tile run in the source's order all the same. */
enum direction { AS_WRITTEN, BACKWARDS };

/* A dimension for BAND: loop J of the deepest statement, the other statements aligned with it. */
static bool source_dim(struct compilation *compilation, const struct nest *nest,
	const struct band *band, int j, enum alignment alignment, enum direction direction,
	struct band_dim *dim)
{
	const struct statement *main = nest_deepest(nest);
	const struct loop *loop = main->loops[j];
	if (alignment == ALIGN_USES && direction == AS_WRITTEN
		&& dim_by_use(compilation, nest, band, j, dim))
		return true;
	if (alignment == ALIGN_CHAINED && direction == AS_WRITTEN
		&& dim_by_chain(compilation, nest, band, j, dim))
		return true;
	*dim = (struct band_dim){ .name = loop->name };
	int *iterators = ARENA_ARRAY(compilation->arena, int, nest->statement_count);
	for (int s = 0; s < nest->statement_count; s++)
		iterators[s] = matching_iterator(nest->statements[s], main, j, alignment != ALIGN_ENDS);
	int sign = (loop->step > 0) == (direction == AS_WRITTEN) ? 1 : -1;
	long origin = 0, divisor = 1;
	if (!iterator_origin(nest, iterators, sign, loop->step, &origin, &divisor))
		return false;
	struct hyperplane *planes = ARENA_ARRAY(compilation->arena, struct hyperplane,
		nest->statement_count);
	for (int s = 0; s < nest->statement_count; s++) {
		const struct statement *statement = nest->statements[s];
		if (iterators[s] >= 0) {
			planes[s] = iterator_plane(compilation, statement, iterators[s], sign, origin,
				divisor);
			continue;
		}
		bool after = runs_behind(statement, main);
		planes[s].kind = after ? HYPERPLANE_LAST : HYPERPLANE_FIRST;
		if (alignment == ALIGN_BOUNDS && divisor == 1
			&& bound_plane(compilation, statement, main, j, sign, after, &planes[s])) {
			struct affine affine = planes[s].affine;
			affine.constant -= origin;
			planes[s] = hyperplane_make(compilation, statement, affine, 1);
		}
	}
	for (int s = 0; s < nest->statement_count && alignment == ALIGN_BOUNDS; s++)
		if (iterators[s] < 0 && planes[s].kind == HYPERPLANE_AFFINE)
			shift_anchored(compilation, nest, s, runs_behind(nest->statements[s], main), planes);
	return band_dim_finish(compilation, nest, band, planes, dim);
}

/* ---- skewing ---- */

static struct affine sum_affine(struct arena *arena, const struct statement *statement,
	const struct hyperplane *a, const struct hyperplane *b, long factor)
{
	struct affine sum = { .constant = a->affine.constant + factor * b->affine.constant,
		.coefficients = ARENA_ARRAY(arena, long, statement->depth + 1) };
	for (int i = 0; i < statement->depth; i++)
		sum.coefficients[i] = a->affine.coefficients[i] + factor * b->affine.coefficients[i];
	return sum;
}

/* SKEWED = DIM + FACTOR * OTHER; false if either is not a plain sum of iterators. */
static bool skew(struct compilation *compilation, const struct nest *nest,
	const struct band *band, const struct band_dim *dim, const struct band_dim *other, long factor,
	struct band_dim *skewed)
{
	*skewed = *dim;
	struct hyperplane *planes = ARENA_ARRAY(compilation->arena, struct hyperplane,
		nest->statement_count);
	for (int s = 0; s < nest->statement_count; s++) {
		const struct hyperplane *a = &dim->planes[s], *b = &other->planes[s];
		if (a->kind != HYPERPLANE_AFFINE || b->kind != HYPERPLANE_AFFINE || a->divisor != 1
			|| b->divisor != 1)
			return false;
		planes[s] = hyperplane_make(compilation, nest->statements[s],
			sum_affine(compilation->arena, nest->statements[s], a, b, factor), 1);
	}
	return band_dim_finish(compilation, nest, band, planes, skewed);
}

/* Makes DIM tileable by adding multiples of at most TERMS of the first COUNT dims of BAND. */
static bool try_skews(struct compilation *compilation, const struct nest *nest,
	const struct band *band, int count, int terms, struct band_dim *dim)
{
	enum { FACTOR_LIMIT = 2 };
	for (int k = count - 1; k >= 0; k--)
		for (long factor = 1; factor <= FACTOR_LIMIT; factor++) {
			struct band_dim skewed;
			if (!band->dims[k].is_forward
				|| !skew(compilation, nest, band, dim, &band->dims[k], factor, &skewed))
				continue;
			if (skewed.can_tile
				|| (terms > 1 && try_skews(compilation, nest, band, k, terms - 1, &skewed))) {
				*dim = skewed;
				return true;
			}
		}
	return false;
}

/* DIM, loop J of the deepest statement, has several iterations, for those values of the
 * symbolic sizes that they are tuned for or for others, as a batch has that is tuned for 1. */
static bool has_choice(const struct nest *nest, int j, const struct band_dim *dim)
{
	const struct function *unbound = nest->function->unbound;
	if (dim->extent > 1 || !unbound)
		return dim->extent > 1;
	const struct statement *main = unbound->statements[nest_deepest(nest)->index];
	isl_set *values = isl_set_copy(main->domain);
	values = isl_set_project_out(values, isl_dim_set, (unsigned)j + 1,
		(unsigned)(main->depth - j - 1));
	values = isl_set_project_out(values, isl_dim_set, 0, (unsigned)j);
	isl_map *iterations = isl_map_from_range(values);
	bool has = isl_map_is_single_valued(iterations) == isl_bool_false;
	isl_map_free(iterations);
	return has;
}

/* DIM can be tiled, or becomes such by adding some of the dims of BAND; or goes backwards: a sum may
 * begin at its far end, as where a system is solved from its last row on. */
static bool find_tileable(struct compilation *compilation, const struct nest *nest,
	const struct band *band, int j, enum alignment alignment, struct band_dim *dim)
{
	struct band_dim backwards = { 0 };
	if (dim->can_tile || try_skews(compilation, nest, band, band->count, 2, dim))
		return true;
	if (!source_dim(compilation, nest, band, j, alignment, BACKWARDS, &backwards)
		|| !backwards.can_tile)
		return false;
	*dim = backwards;
	return true;
}

/* Adds to BAND the source's loops from FIRST on that can be tiled, as they are, skewed or
 * backwards. */
static void add_source_loops(struct compilation *compilation, const struct nest *nest,
	enum alignment alignment, int first, struct band *band)
{
	const struct statement *main = nest_deepest(nest);
	for (int j = first; j < main->depth && band->count < NEST_LOOPS; j++) {
		struct band_dim dim = { 0 };
		if (alignment == ALIGN_USES && is_window_loop(nest, j))
			continue;
		if (!source_dim(compilation, nest, band, j, alignment, AS_WRITTEN, &dim)
			|| !has_choice(nest, j, &dim))
			continue;
		if (find_tileable(compilation, nest, band, j, alignment, &dim)) {
			if (has_choice(nest, j, &dim))   /* a skewed loop may stand still */
				band->dims[band->count++] = dim;
		} else {
			band->blocked[band->left_out++] = (struct blocked_loop){ main->loops[j],
				nest->statements[dim.blocked_from], nest->statements[dim.blocked_to] };
		}
	}
}

/* Nests that are merged have no loops in common, and names that need not say anything. */
static void find_band(struct compilation *compilation, const struct nest *nest, bool borrows,
	struct band *best)
{
	static const enum alignment ways[] = { ALIGN_USES, ALIGN_NAMES, ALIGN_BOUNDS, ALIGN_ENDS };
	enum { COUNT = sizeof ways / sizeof *ways };
	const int first = nest->joined_count ? 0 : 1;
	struct band band;
	if (!nest->loop_depth)
		return;
	for (int a = first; a < COUNT; a++) {
		band = (struct band){ .count = 0 };
		add_source_loops(compilation, nest, ways[a], 0, &band);
		if (a == first || band.count > best->count
			|| (borrows && ways[a] == ALIGN_BOUNDS && band.count == best->count))
			*best = band;
		if (!best->left_out && (!borrows || ways[a] == ALIGN_BOUNDS))
			break;
	}
	if (!best->left_out || !scheduler_may_run(nest))
		return;
	scheduler_band(compilation, nest, &band);
	if (band.count <= best->count)
		return;
	best->left_out += best->count - band.count;
	best->count = band.count;
	memcpy(best->dims, band.dims, sizeof best->dims);
}

/* The source's loops with those chained that can be; without any, if none can. */
static void find_chained_band(struct compilation *compilation, const struct nest *nest,
	struct band *best)
{
	struct band band = { .count = 0 };
	bool is_chained = false;
	add_source_loops(compilation, nest, ALIGN_CHAINED, 0, &band);
	for (int l = 0; l < band.count; l++)
		is_chained |= band.dims[l].is_chained;
	if (is_chained)
		*best = band;
}

/* The first LOOPS source loops as sequential dimensions, in BAND; OUTER are those around parts. */
static void add_sequential_loops(struct compilation *compilation, const struct nest *nest,
	const struct band *outer, int loops, struct band *band)
{
	static const struct band none;
	for (; outer && band->count < outer->count; band->count++) {
		band->dims[band->count] = outer->dims[band->count];
		band->dims[band->count].planes += nest->first_in_parent;
	}
	for (int j = nest->outer_loops; j < loops && band->count < NEST_LOOPS; j++) {
		struct band_dim dim = { 0 };
		if (!source_dim(compilation, nest, &none, j, ALIGN_ENDS, AS_WRITTEN, &dim)
			|| !has_choice(nest, j, &dim))
			continue;
		dim.is_forward = true;
		band->dims[band->count++] = dim;
	}
	band->prefix = band->count;
}

static void find_sequential_band(struct compilation *compilation, const struct nest *nest,
	const struct band *outer, int loops, struct band *best)
{
	struct band sequential = { .count = 0 };
	add_sequential_loops(compilation, nest, outer, loops, &sequential);
	for (int a = ALIGN_ENDS; a <= ALIGN_BOUNDS; a++) {
		struct band band = sequential;
		add_source_loops(compilation, nest, (enum alignment)a, loops, &band);
		if (a == ALIGN_ENDS || band.count >= best->count)
			*best = band;
	}
}

const struct band *band_prefix(struct arena *arena, const struct band *band)
{
	struct band *prefix = ARENA_NEW(arena, struct band);
	*prefix = *band;
	prefix->count = band->prefix;
	return prefix;
}

/* What is asked for: LOOPS sequential loops, behind OUTER_COUNT dimensions; none: the BEST band, or that
 * with CHAINED loops. */
enum { LOOPS_BEST = -1, LOOPS_CHAINED = -2 };

struct band_key {
	int loops, borrows, outer_count;
};

/* The band of NEST that KEY asks for is found once. */
static const struct band *remember_band(struct compilation *compilation, const struct nest *nest,
	const struct band *outer, struct band_key key, struct answers *found)
{
	const struct nest_query query = { NEST_BAND, &key, sizeof key };
	const struct band *known = answers_find(found, query);
	if (known)
		return known;
	known = nest_answer(nest, query);
	if (!known) {
		struct compilation lasting = nest_lasting(compilation, nest);
		struct band *band = ARENA_NEW(lasting.arena, struct band);
		unsigned long begun = isl_operations(compilation->ctx);
		if (key.loops == LOOPS_CHAINED)
			find_chained_band(&lasting, nest, band);
		else if (key.loops == LOOPS_BEST)
			find_band(&lasting, nest, key.borrows, band);
		else
			find_sequential_band(&lasting, nest, outer, key.loops, band);
		nest_keep_answer(nest, query, band, sizeof *band, begun);
		known = band;
	}
	answers_keep(found, query, known, sizeof *known);
	return known;
}

const struct band *nest_find_band(struct compilation *compilation, const struct nest *nest,
	bool borrows, struct answers *found)
{
	return remember_band(compilation, nest, NULL, (struct band_key){ LOOPS_BEST, borrows, 0 }, found);
}

const struct band *nest_find_chained_band(struct compilation *compilation, const struct nest *nest,
	struct answers *found)
{
	return remember_band(compilation, nest, NULL, (struct band_key){ LOOPS_CHAINED, false, 0 }, found);
}

const struct band *nest_find_sequential_band(struct compilation *compilation,
	const struct nest *nest, const struct band *outer, int loops, bool borrows,
	struct answers *found)
{
	return remember_band(compilation, nest, outer,
		(struct band_key){ loops, borrows, outer ? outer->count : 0 }, found);
}

bool nest_source_dim(struct compilation *compilation, const struct nest *nest, int j,
	struct band_dim *dim)
{
	static const struct band none;
	struct nest alone = *nest;
	alone.dependences = alone.private_values = isl_union_map_empty(isl_union_map_get_space(nest->order));
	bool done = source_dim(compilation, &alone, &none, j, ALIGN_NAMES, AS_WRITTEN, dim);
	isl_union_map_free(alone.dependences);
	return done;
}

const struct loop *nest_loop_of(const struct nest *nest, const struct band_dim *dim)
{
	for (int s = 0; s < nest->statement_count; s++)
		for (int j = 0; j < nest->statements[s]->depth; j++)
			if (!strcmp(nest->statements[s]->loops[j]->name, dim->name))
				return nest->statements[s]->loops[j];
	return NULL;
}

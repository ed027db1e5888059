/* The directions in which a group of nests may be cut: a loop of its last member, with
 * which a loop of each producer is aligned, shifted so that what it makes is early enough.
 * ConvFusion (section IV) calls the shift the producer's compute level. */

#include <stdlib.h>
#include <string.h>

#include "passes/analysis/lattice.h"
#include "passes/fusion/group.h"
#include "passes/fusion/group_distance.h"

/* ---- the loops of one nest ---- */

struct natural_dim {
	bool is_found;
	struct group_plane *planes;  /* [statement of the nest] */
	long extent;
	const char *name;
};

static bool plain_plane(const struct statement *statement, const struct hyperplane *plane,
	struct group_plane *out)
{
	*out = (struct group_plane){ .kind = plane->kind, .iterator = -1, .divisor = 1 };
	if (plane->kind != HYPERPLANE_AFFINE)
		return true;
	for (int i = 0; i < statement->depth; i++) {
		if (!plane->affine.coefficients[i])
			continue;
		if (out->iterator >= 0)
			return false;
		out->iterator = i;
		out->factor = plane->affine.coefficients[i];
	}
	out->shift = plane->affine.constant;
	out->divisor = plane->divisor;
	return out->iterator >= 0;
}

static const struct natural_dim *natural(struct groups *groups, int n, int loop)
{
	const struct nest *nest = &groups->nests[n];
	struct arena *arena = groups->compilation->arena;
	if (!groups->naturals[n])
		groups->naturals[n] = ARENA_ARRAY(arena, struct natural_dim, nest->loop_depth + 1);
	struct natural_dim *entry = &groups->naturals[n][loop];
	if (!entry->planes) {
		struct band_dim dim = { 0 };
		entry->planes = ARENA_ARRAY(arena, struct group_plane, nest->statement_count + 1);
		entry->is_found = nest_source_dim(groups->compilation, nest, loop, &dim)
			&& dim.extent > 1;
		for (int s = 0; s < nest->statement_count && entry->is_found; s++)
			entry->is_found = plain_plane(nest->statements[s], &dim.planes[s], &entry->planes[s]);
		entry->extent = dim.extent;
		entry->name = dim.name;
	}
	return entry->is_found ? entry : NULL;
}

/* ---- a dimension of a group ---- */

static void plane_range(const struct groups *groups, int s, const struct group_plane *plane,
	long *min, long *max)
{
	const long *range = groups->ranges[s][plane->iterator];
	long a = plan_floor_div(plane->factor * range[0] + plane->shift, plane->divisor);
	long b = plan_floor_div(plane->factor * range[1] + plane->shift, plane->divisor);
	*min = a < b ? a : b;
	*max = a < b ? b : a;
}

/* DIM's range with the statements of nest N. */
static void widen_range(const struct groups *groups, int n, struct group_dim *dim, bool *any)
{
	const struct nest *nest = &groups->nests[n];
	for (int s = 0; s < nest->statement_count; s++) {
		int index = nest->statements[s]->index;
		long min, max;
		dim->is_affine &= dim->planes[index].kind == HYPERPLANE_AFFINE;
		if (dim->planes[index].kind != HYPERPLANE_AFFINE)
			continue;
		plane_range(groups, index, &dim->planes[index], &min, &max);
		dim->least = !*any || min < dim->least ? min : dim->least;
		dim->most = !*any || max > dim->most ? max : dim->most;
		*any = true;
	}
}

/* The dependences from nest N within the group, which ends with nest LAST, keep their order in a dimension
 * in which statements are at PLANES, from that of number FIRST on; *IS_FORWARD: some run forwards. */
static bool is_legal(struct groups *groups, int n, int last, const struct group_plane *planes, int first,
	bool *is_forward)
{
	for (int p = groups->first_pair[n]; p < groups->first_pair[n + 1]; p++) {
		const struct group_pair *pair = &groups->pairs[p];
		if (groups->nest_of[pair->to] > last)
			continue;
		const struct group_plane *from = &planes[pair->from - first], *to = &planes[pair->to - first];
		const struct distance distance = group_distance(groups, pair, from, 1, to, 1);
		if (!pairs_keep_order(from->kind, to->kind, pair->is_private, distance))
			return false;
		*is_forward |= distance.max > 0;
	}
	return true;
}

/* One round of making the spans of nest N's statements long enough for their users. */
static bool lengthen_spans(struct groups *groups, int n, int last, struct group_dim *dim)
{
	bool changed = false;
	for (int p = groups->first_pair[n]; p < groups->first_pair[n + 1]; p++) {
		const struct group_pair *pair = &groups->pairs[p];
		if (groups->nest_of[pair->to] > last)
			continue;
		const struct distance distance = group_distance(groups, pair, &dim->planes[pair->from], 1,
			&dim->planes[pair->to], 1);
		if (!distance.any)
			continue;
		long span = dim->spans[pair->to] + distance.max;
		if (span > dim->spans[pair->from]) {
			dim->spans[pair->from] = span;
			changed = true;
		}
		if (pair->is_private && dim->spans[pair->from] > dim->spans[pair->to]) {
			dim->spans[pair->to] = dim->spans[pair->from];
			changed = true;
		}
	}
	return changed;
}

static void find_spans(struct groups *groups, int n, int last, struct group_dim *dim)
{
	const struct nest *nest = &groups->nests[n];
	int rounds = nest->statement_count + 2;
	while (rounds && lengthen_spans(groups, n, last, dim))
		rounds--;
	for (int s = 0; s < nest->statement_count && !rounds; s++)
		dim->spans[nest->statements[s]->index] = -1;
}

/* Nest N's planes are in DIM: completes it. */
static bool finish_member(struct groups *groups, int n, int last, struct group_dim *dim)
{
	bool any = n != last;
	if (n == last)
		dim->is_affine = true;
	widen_range(groups, n, dim, &any);
	if (!any || !is_legal(groups, n, last, dim->planes, 0, &dim->is_forward))
		return false;
	find_spans(groups, n, last, dim);
	return true;
}

/* How far the users of nest N's statements, at PLANES, are away in DIM: divisor * the user's value -
 * factor * the producer's. */
static struct distance spread_of(struct groups *groups, int n, int last, const struct group_dim *dim,
	const struct group_plane *planes, long factor, long divisor)
{
	struct distance spread = { false, 0, 0 };
	int first = groups->nests[n].statements[0]->index;
	for (int p = groups->first_pair[n]; p < groups->first_pair[n + 1]; p++) {
		const struct group_pair *pair = &groups->pairs[p];
		int user = groups->nest_of[pair->to];
		if (user == n || user > last)
			continue;
		const struct distance own = group_distance(groups, pair, &planes[pair->from - first], factor,
			&dim->planes[pair->to], divisor);
		if (!own.any)
			continue;
		spread.min = !spread.any || own.min < spread.min ? own.min : spread.min;
		spread.max = !spread.any || own.max > spread.max ? own.max : spread.max;
		spread.any = true;
	}
	return spread;
}

/* A statement of nest N already runs along the same loop in another of the group's COUNT
 * dims, of those in the set USED. */
static bool is_taken(const struct groups *groups, int n, const struct group_dim *dims, int count,
	unsigned used, const struct group_plane *planes)
{
	const struct nest *nest = &groups->nests[n];
	for (int l = 0; l < count; l++) {
		if (!(used >> l & 1))
			continue;
		for (int s = 0; s < nest->statement_count; s++) {
			const struct group_plane *other = &dims[l].planes[nest->statements[s]->index];
			if (planes[s].kind == HYPERPLANE_AFFINE && other->kind == HYPERPLANE_AFFINE
				&& planes[s].iterator == other->iterator)
				return true;
		}
	}
	return false;
}

/* Puts nest N's planes into DIM: value = floor((factor * own + shift) / divisor), the latest
 * that is early enough for its users. */
static void place_member(const struct groups *groups, int n, const struct group_plane *planes,
	long factor, long divisor, long min, struct group_dim *dim)
{
	const struct nest *nest = &groups->nests[n];
	for (int s = 0; s < nest->statement_count; s++) {
		struct group_plane *plane = &dim->planes[nest->statements[s]->index];
		*plane = planes[s];
		if (plane->kind != HYPERPLANE_AFFINE)
			continue;
		plane->factor *= factor;
		plane->shift = factor * planes[s].shift + (min + divisor - 1) * planes[s].divisor;
		plane->divisor *= divisor;
	}
}

/* A loop of a producer, and how its values become the group's. */
struct alignment {
	const struct natural_dim *own;   /* NULL: none */
	long factor, divisor;
	struct distance spread;
};

/* Tries loop OWN of nest N, its values times FACTOR over DIVISOR, for DIM. */
static void try_alignment(struct groups *groups, int n, int last, const struct group_dim *dim,
	const struct natural_dim *own, long factor, long divisor, struct alignment *best)
{
	struct distance spread = spread_of(groups, n, last, dim, own->planes, factor, divisor);
	long width = spread.max - spread.min;
	long unrelated = divisor * (dim->extent - 1) + factor * (own->extent - 1);
	if (!spread.any || 2 * width > unrelated || (best->own
		&& width * best->divisor >= (best->spread.max - best->spread.min) * divisor))
		return;
	*best = (struct alignment){ own, factor, divisor, spread };
}

/* The plane in DIM of a user of nest N within the group that ends with nest LAST, and how
 * many values its loop has; NULL: it has none. */
static const struct group_plane *plane_of_user(const struct groups *groups, int n, int last,
	const struct group_dim *dim, long *extent)
{
	for (int p = groups->first_pair[n]; p < groups->first_pair[n + 1]; p++) {
		int to = groups->pairs[p].to;
		const struct group_plane *plane = &dim->planes[to];
		if (groups->nest_of[to] == n || groups->nest_of[to] > last
			|| plane->kind != HYPERPLANE_AFFINE)
			continue;
		*extent = groups->ranges[to][plane->iterator][1] - groups->ranges[to][plane->iterator][0] + 1;
		return plane;
	}
	return NULL;
}

/* Tries loop OWN at its user's scale, and at about as many of its values to one of the
 * user's (or the other way round) as their numbers say: small images have halos as large as
 * themselves. */
static void try_scales(struct groups *groups, int n, int last, const struct group_dim *dim,
	const struct natural_dim *own, struct alignment *best)
{
	long extent = dim->extent;
	const struct group_plane *user = plane_of_user(groups, n, last, dim, &extent);
	long factor = user ? labs(user->factor) : 1, divisor = user ? user->divisor : 1;
	bool is_finer = own->extent >= extent;
	long ratio = is_finer ? (own->extent + extent / 2) / extent
		: (extent + own->extent / 2) / own->extent;
	for (long scale = 1; scale <= ratio + 1; scale = scale == 1 && ratio > 3 ? ratio - 1 : scale + 1) {
		long up = is_finer ? factor : factor * scale, down = is_finer ? divisor * scale : divisor;
		long common = gcd(up, down);
		try_alignment(groups, n, last, dim, own, up / common, down / common, best);
	}
}

/* A member of the group, up to nest LAST, depends on nest N. */
static bool is_tied(const struct groups *groups, int n, int last)
{
	for (int p = groups->first_pair[n]; p < groups->first_pair[n + 1]; p++) {
		int user = groups->nest_of[groups->pairs[p].to];
		if (user > n && user <= last)
			return true;
	}
	return false;
}

/* Nothing ties nest N to the group but what both read, or write: the loop of that name, else
 * of that length, begins where the group's begins. */
static void align_freely(struct groups *groups, int n, const struct group_dim *dims, int l,
	struct alignment *best)
{
	const struct group_dim *dim = &dims[l];
	int depth = groups->nests[n].loop_depth;
	for (int j = 0; j < depth; j++) {
		const struct natural_dim *own = natural(groups, n, j);
		if (!own || is_taken(groups, n, dims, l, ~0U, own->planes))
			continue;
		bool is_namesake = !strcmp(own->name, dim->name);
		if (!is_namesake && (best->own || own->extent != dim->extent))
			continue;
		long factor = own->extent >= dim->extent ? 1 : dim->extent / own->extent;
		long divisor = own->extent >= dim->extent ? own->extent / dim->extent : 1;
		*best = (struct alignment){ own, factor, divisor, { 0 } };
		if (is_namesake)
			return;
	}
}

/* Finds the loop of nest N that runs along dimension L of the group; those before have N
 * already. */
static bool align_member(struct groups *groups, int n, const struct fusion_candidate *candidate,
	struct group_dim *dims, int l)
{
	struct group_dim *dim = &dims[l];
	int depth = groups->nests[n].loop_depth;
	struct alignment best = { 0 };
	for (int j = 0; j < depth; j++) {
		const struct natural_dim *own = natural(groups, n, j);
		if (own && !is_taken(groups, n, dims, l, ~0U, own->planes))
			try_scales(groups, n, candidate->last, dim, own, &best);
	}
	if (!best.own && !is_tied(groups, n, candidate->last))
		align_freely(groups, n, dims, l, &best);
	if (!best.own)
		return false;
	place_member(groups, n, best.own->planes, best.factor, best.divisor, best.spread.min, dim);
	return finish_member(groups, n, candidate->last, dim);
}

void group_begin(struct groups *groups, int last, struct fusion_candidate *candidate)
{
	const struct nest *nest = &groups->nests[last];
	int total = groups->function->statement_count, depth = nest->loop_depth;
	struct arena *arena = groups->compilation->arena;
	*candidate = (struct fusion_candidate){ .first = last, .last = last };
	for (int j = 0; j < depth && candidate->dim_count < GROUP_DIMS; j++) {
		const struct natural_dim *own = natural(groups, last, j);
		if (!own)
			continue;
		struct group_dim dim = { .name = own->name, .extent = own->extent,
			.planes = ARENA_ARRAY(arena, struct group_plane, total + 1),
			.spans = ARENA_ARRAY(arena, long, total + 1) };
		for (int s = 0; s < nest->statement_count; s++)
			dim.planes[nest->statements[s]->index] = own->planes[s];
		if (finish_member(groups, last, last, &dim))
			candidate->dims[candidate->dim_count++] = dim;
	}
}

void group_grow(struct groups *groups, struct fusion_candidate *candidate)
{
	int n = candidate->first - 1, kept = 0;
	for (int l = 0; l < candidate->dim_count; l++) {
		candidate->dims[kept] = candidate->dims[l];
		kept += align_member(groups, n, candidate, candidate->dims, kept);
	}
	candidate->dim_count = kept;
	candidate->first = n;
}

/* ---- repetition ---- */

/* ITERATOR of STATEMENT has SUBSCRIPT for itself. */
static bool has_alone(const struct statement *statement, const struct affine *subscript, int iterator)
{
	bool alone = subscript->coefficients[iterator] != 0;
	for (int i = 0; i < statement->depth && alone; i++)
		alone = i == iterator || !subscript->coefficients[i];
	return alone;
}

/* ITERATOR of STATEMENT has a subscript of ACCESS for itself: what is in one element comes from one
 * value of it. */
static bool has_subscript(const struct statement *statement, const struct access *access, int iterator)
{
	for (int d = 0; d < access->array->rank; d++)
		if (has_alone(statement, &access->subscripts[d], iterator))
			return true;
	return false;
}

bool group_can_repeat(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_dim *dim)
{
	for (int n = candidate->first; n <= candidate->last && dim->is_affine; n++)
		for (int s = 0; s < groups->nests[n].statement_count; s++) {
			const struct statement *statement = groups->nests[n].statements[s];
			long span = dim->spans[statement->index];
			if (!span)
				continue;
			const struct array *written = statement->accesses[0].array;
			if (span < 0 || (!written->by_value && !group_is_internal(groups, candidate, written->index)
				&& !stays_for_free(groups->compilation, written)))
				return false;
			if (!has_subscript(statement, &statement->accesses[0],
				dim->planes[statement->index].iterator))
				return false;
		}
	return dim->is_affine;
}

/* ---- turns ---- */

/* What stays on chip from tile to tile is in the order of tiles that was asked for: no internal array, nor one
 * that may be kept, is moved by DIM and touched by a statement that runs at its begin or its end only. */
static bool has_ends_on_chip(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_dim *dim)
{
	for (int i = 0; i < groups->function->array_count; i++) {
		const struct group_array *array = &groups->arrays[i];
		bool moves = false, has_ends = false;
		if (!array->is_created)
			continue;
		for (int a = 0; a < array->access_count; a++) {
			const struct group_access *access = &array->accesses[a];
			const struct group_plane *plane = &dim->planes[access->statement];
			if (access->nest < candidate->first || access->nest > candidate->last)
				continue;
			has_ends |= plane->kind != HYPERPLANE_AFFINE;
			for (int d = 0; d < array->array->rank && plane->kind == HYPERPLANE_AFFINE; d++)
				moves |= access->access->subscripts[d].coefficients[plane->iterator] != 0;
		}
		if (moves && has_ends)
			return true;
	}
	return false;
}

/* Statement READER reads an array that WRITER writes and that is not internal. */
static bool reads_outer(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct statement *reader, const struct statement *writer)
{
	for (int a = 0; a < reader->access_count; a++)
		for (int b = 0; b < writer->access_count; b++)
			if (writer->accesses[b].is_write && writer->accesses[b].array == reader->accesses[a].array
				&& !group_is_internal(groups, candidate, reader->accesses[a].array->index))
				return true;
	return false;
}

/* No tile of DIM, along which producers are repeated, needs another one's elements of arrays that are
 * everybody's. */
static bool are_tiles_apart(struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_dim *dim)
{
	for (int p = groups->first_pair[candidate->first]; p < groups->first_pair[candidate->last + 1]; p++) {
		const struct group_pair *pair = &groups->pairs[p];
		if (groups->nest_of[pair->to] > candidate->last)
			continue;
		const struct distance distance = group_distance(groups, pair, &dim->planes[pair->from], 1,
			&dim->planes[pair->to], 1);
		if (distance.any && distance.max > 0
			&& reads_outer(groups, candidate, groups->function->statements[pair->from],
			groups->function->statements[pair->to]))
			return false;
	}
	return true;
}

bool group_can_turn(struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_dim *dim)
{
	return !has_ends_on_chip(groups, candidate, dim)
		&& (!dim->is_forward || are_tiles_apart(groups, candidate, dim));
}

/* ---- as a dimension of a nest ---- */

static struct hyperplane hyperplane_of(const struct groups *groups,
	const struct statement *statement, const struct group_plane *plane, long least, long span)
{
	if (plane->kind != HYPERPLANE_AFFINE)
		return (struct hyperplane){ .kind = plane->kind };
	struct affine affine = { .constant = plane->shift - least * plane->divisor,
		.coefficients = ARENA_ARRAY(groups->compilation->arena, long, statement->depth + 1) };
	affine.coefficients[plane->iterator] = plane->factor;
	struct hyperplane made = hyperplane_make(groups->compilation, statement, affine,
		plane->divisor);
	made.span = span;
	return made;
}

void group_make_band_dim(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_dim *dim, bool repeats, struct band_dim *out)
{
	int first = groups->nests[candidate->first].statements[0]->index, count = 0;
	for (int n = candidate->first; n <= candidate->last; n++)
		count += groups->nests[n].statement_count;
	struct hyperplane *planes = ARENA_ARRAY(groups->compilation->arena, struct hyperplane, count + 1);
	*out = (struct band_dim){ .name = dim->name, .extent = dim->most - dim->least + 1,
		.is_forward = dim->is_forward, .can_tile = true, .planes = planes };
	for (int s = 0; s < count; s++)
		planes[s] = hyperplane_of(groups, groups->function->statements[first + s],
			&dim->planes[first + s], dim->least, repeats ? dim->spans[first + s] : 0);
}

/* ---- stages ---- */

int group_stage_loops(struct groups *groups, int n)
{
	return groups->nests[n].loop_depth;
}

bool group_stage_dim(struct groups *groups, const struct fusion_candidate *candidate,
	unsigned used, int n, int j,
	struct stage_dim *stage)
{
	const struct natural_dim *own = natural(groups, n, j);
	bool is_forward = false;
	if (!own || is_taken(groups, n, candidate->dims, candidate->dim_count, used, own->planes)
		|| !is_legal(groups, n, n, own->planes, groups->nests[n].statements[0]->index, &is_forward))
		return false;
	*stage = (struct stage_dim){ j, own->name, own->planes, own->extent };
	return true;
}

/* The one subscript of ACCESS that has the loop of STAGE, and no other one: its dimension (-1: none), and its
 * value where the loop is in its first iteration, and by how much it grows from one to the next. */
struct part {
	int dim;
	long first, step;
};

static struct part part_of(const struct groups *groups, const struct group_access *access,
	const struct stage_dim *stage)
{
	const struct nest *nest = &groups->nests[access->nest];
	int s = access->statement - nest->statements[0]->index;
	const struct group_plane *plane = &stage->planes[s];
	struct part part = { .dim = -1 };
	if (plane->kind != HYPERPLANE_AFFINE || labs(plane->factor) != 1)
		return part;
	for (int d = 0; d < access->access->array->rank; d++) {
		const struct affine *subscript = &access->access->subscripts[d];
		long grows = subscript->coefficients[plane->iterator] * plane->factor;
		if (!has_alone(nest->statements[s], subscript, plane->iterator))
			continue;
		return (struct part){ d, subscript->constant - grows * plane->shift, grows * plane->divisor };
	}
	return part;
}

bool group_stage_parts(const struct groups *groups, const struct group_access *const *accesses, int count,
	const struct stage_dim *stage)
{
	const struct part part = part_of(groups, accesses[0], stage);
	bool parts = part.dim >= 0;
	for (int a = 1; a < count && parts; a++) {
		const struct part own = part_of(groups, accesses[a], stage);
		parts = own.dim == part.dim && own.first == part.first && own.step == part.step;
	}
	return parts;
}

void group_make_stage_dim(const struct groups *groups, const struct fusion_candidate *candidate,
	int n,
	const struct stage_dim *stage, struct band_dim *out)
{
	const struct nest *nest = &groups->nests[n];
	int offset = nest->statements[0]->index - groups->nests[candidate->first].statements[0]->index;
	int count = 0;
	for (int m = candidate->first; m <= candidate->last; m++)
		count += groups->nests[m].statement_count;
	struct hyperplane *planes = ARENA_ARRAY(groups->compilation->arena, struct hyperplane, count + 1);
	*out = (struct band_dim){ .name = stage->name, .extent = stage->extent, .can_tile = true,
		.planes = planes };
	for (int s = 0; s < nest->statement_count; s++)
		planes[offset + s] = hyperplane_of(groups, nest->statements[s], &stage->planes[s], 0, 0);
}

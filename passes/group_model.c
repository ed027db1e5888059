/* What a group of nests moves and needs, in numbers.  Regions are boxes: in each dimension an
 * array moves with one loop at most, so that sums over tiles are products of sums over the
 * tiles of each loop (a profile).  The boxes are those of passes/general.c; its plan's own
 * count is what is reported. */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ir/macs.h"
#include "passes/group.h"

/* Elements from low to high; none if high < low. */
struct segment {
	long low, high;
};

static const struct segment NOTHING = { 0, -1 };

static bool is_empty(struct segment segment)
{
	return segment.high < segment.low;
}

static struct segment hull(struct segment a, struct segment b)
{
	if (is_empty(a) || is_empty(b))
		return is_empty(a) ? b : a;
	return (struct segment){ a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high };
}

static struct segment meet(struct segment a, struct segment b)
{
	return (struct segment){ a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high };
}

static long length(struct segment segment)
{
	return is_empty(segment) ? 0 : segment.high - segment.low + 1;
}

/* One dimension of one access: base + coefficient * the iterator of a loop. */
struct access_dim {
	struct segment base;         /* what all other iterators add, and the constant */
	long coefficient;
	struct segment clip;         /* no other element is touched */
};

/* How an array moves with one loop. */
struct array_profile {
	bool moves;
	bool slides;                 /* along the one dimension that moves, upwards */
	long sum, fresh;             /* over tiles: elements of the dimensions that move, all of
	                              * them; or what the tile before did not show */
	long most[ARRAY_RANK_LIMIT];     /* of a tile; 0: the dimension does not move */
	long window[ARRAY_RANK_LIMIT];   /* what lives in a tile, of an internal array */
	bool is_fixed[ARRAY_RANK_LIMIT]; /* the dimension does not move */
};

/* What a loop with a tile size does. */
struct profile {
	struct profile *next;
	struct group_loop loop;
	int class_count;             /* tiles that are alike: n of them from t on */
	long *t, *n;
	struct array_profile *arrays;    /* [array of the model] */
	long *tiles;                 /* [member]: in which it runs */
	double *runs;                /* [member]: how often its iterations run, over their number */
};

struct model_entry {
	int index;                   /* of the function */
	const struct group_array *array;
	int access_count;            /* of the group */
	const struct group_access **accesses;
	bool is_internal, is_read, is_written;
	bool may_be_kept;            /* see group_keeps; by all loops that move it */
	int stage;                   /* the only nest that uses it; -1: there are several */
	bool knows_dim;
	struct stage_dim dim;        /* of its stage, in chunks along which it may come */
	long extent[ARRAY_RANK_LIMIT];   /* of all that is touched (internal: written) */
};

/* What no loop moves: read only, and used by one stage. */
struct item {
	const struct model_entry *entry;
	int stage;
	long bytes, visits;
	long place, least_place;     /* in the scratchpad: all of it, or the smallest chunk */
	bool has_chunks;
	struct stage_dim dim;
	bool is_held, is_streamed;   /* streamed: as the user wants */
};

struct group_model {
	struct groups *groups;
	struct grown grown;
	struct arena *arena;
	int entry_count;
	struct model_entry *entries;
	int element_bytes;           /* the largest */
	double *weights;             /* [member]: its share of the work */
	struct profile *profiles;
	/* room for an evaluation: [entry], [member] */
	struct item *items;
	bool *is_held, *is_best;
	long *rest, *pool;
};

/* ---- intervals ---- */

enum when { AT, UP_TO, FROM };

static long ceil_div(long a, long b)
{
	return -plan_floor_div(-a, b);
}

/* The values of the plane's iterator in tile T of LOOP, or up to it, or from it on. */
static struct segment iterator_values(const struct group_model *model, int s,
	const struct group_loop *loop, long t, enum when when)
{
	const struct group_dim *dim = &model->grown.dims[loop->dim];
	const struct group_plane *plane = &dim->planes[s];
	const long *range = model->groups->ranges[s][plane->iterator];
	struct segment all = { range[0], range[1] }, at = all;
	long span = loop->repeats ? dim->spans[s] : 0;
	long first = plane->divisor * (dim->least + t * loop->tile - span) - plane->shift;
	long end = plane->divisor * (dim->least + t * loop->tile + loop->tile) - 1 - plane->shift;
	long size = labs(plane->factor);
	struct segment inside = plane->factor > 0
		? (struct segment){ ceil_div(first, size), plan_floor_div(end, size) }
		: (struct segment){ ceil_div(-end, size), plan_floor_div(-first, size) };
	bool keeps_low = when == (plane->factor > 0 ? UP_TO : FROM);
	bool keeps_high = when == (plane->factor > 0 ? FROM : UP_TO);
	if (!keeps_low)
		at.low = inside.low;
	if (!keeps_high)
		at.high = inside.high;
	at = meet(at, all);
	long step = labs(model->groups->function->statements[s]->loops[plane->iterator]->step);
	if (step > 1 && !is_empty(at)) {
		at.low = all.low + ceil_div(at.low - all.low, step) * step;
		at.high = all.low + plan_floor_div(at.high - all.low, step) * step;
	}
	return at;
}

/* Statement S runs in tile T of LOOP; its iterator's values in VALUES, if it has one. */
static bool runs_in(const struct group_model *model, int s, const struct group_loop *loop, long t,
	enum when when, struct segment *values)
{
	enum hyperplane_kind kind = model->grown.dims[loop->dim].planes[s].kind;
	*values = NOTHING;
	if (kind == HYPERPLANE_FIRST)
		return t == 0 || when == UP_TO;
	if (kind == HYPERPLANE_LAST)
		return t == loop->count - 1 || when == FROM;
	*values = iterator_values(model, s, loop, t, when);
	return !is_empty(*values);
}

static struct access_dim access_dim(const struct group_model *model,
	const struct group_access *access, int d, const struct group_loop *loop)
{
	const struct statement *statement = model->groups->function->statements[access->statement];
	const struct affine *subscript = &access->access->subscripts[d];
	const struct group_plane *plane = loop
		? &model->grown.dims[loop->dim].planes[access->statement] : NULL;
	struct access_dim dim = { .base = { subscript->constant, subscript->constant },
		.clip = { access->low[d], access->high[d] } };
	for (int i = 0; i < statement->depth; i++) {
		long c = subscript->coefficients[i];
		const long *range = model->groups->ranges[access->statement][i];
		if (plane && plane->kind == HYPERPLANE_AFFINE && plane->iterator == i) {
			dim.coefficient = c;
			continue;
		}
		dim.base.low += c > 0 ? c * range[0] : c * range[1];
		dim.base.high += c > 0 ? c * range[1] : c * range[0];
	}
	return dim;
}

/* Elements of dimension D that ACCESS touches in tile T. */
static struct segment touched(const struct group_model *model, const struct group_access *access,
	int d, const struct group_loop *loop, long t, enum when when)
{
	struct segment values;
	if (!runs_in(model, access->statement, loop, t, when, &values))
		return NOTHING;
	struct access_dim dim = access_dim(model, access, d, loop);
	struct segment all = dim.base;
	if (dim.coefficient) {
		all.low += dim.coefficient * (dim.coefficient > 0 ? values.low : values.high);
		all.high += dim.coefficient * (dim.coefficient > 0 ? values.high : values.low);
	}
	return meet(all, dim.clip);
}

/* ---- classes of tiles ---- */

/* A loop of more tiles is not considered. */
enum { TILES_LIMIT = 1 << 17, MARGIN = 2 };

static void mark(bool *is_edge, const struct group_loop *loop, long from, long to)
{
	from = from - MARGIN < 0 ? 0 : from - MARGIN;
	to = to + MARGIN >= loop->count ? loop->count - 1 : to + MARGIN;
	for (long t = from; t <= to; t++)
		is_edge[t] = true;
}

/* Tiles in which instances with VALUE (and those repeated before it) come or go. */
static void mark_value(const struct group_model *model, int s, const struct group_loop *loop,
	long value, bool *is_edge)
{
	const struct group_dim *dim = &model->grown.dims[loop->dim];
	long span = loop->repeats ? dim->spans[s] : 0;
	mark(is_edge, loop, plan_floor_div(value - dim->least, loop->tile),
		plan_floor_div(value - dim->least + span, loop->tile));
}

/* Those in which ACCESS meets the ends of its range. */
static void mark_clip(const struct group_model *model, const struct group_access *access, int d,
	const struct group_loop *loop, bool *is_edge)
{
	const struct group_plane *plane = &model->grown.dims[loop->dim].planes[access->statement];
	struct access_dim dim = access_dim(model, access, d, loop);
	if (!dim.coefficient)
		return;
	long ends[4] = { dim.clip.low - dim.base.low, dim.clip.low - dim.base.high,
		dim.clip.high - dim.base.low, dim.clip.high - dim.base.high };
	for (int e = 0; e < 4; e++) {
		long i = ends[e] / dim.coefficient;
		mark_value(model, access->statement, loop,
			plan_floor_div(plane->factor * i + plane->shift, plane->divisor), is_edge);
	}
}

/* Elements that ACCESS moves on in dimension D with a tile, times its factor. */
static long rate(const struct group_model *model, const struct group_access *access, int d,
	const struct group_loop *loop, long *factor)
{
	const struct group_plane *plane = &model->grown.dims[loop->dim].planes[access->statement];
	if (plane->kind != HYPERPLANE_AFFINE) {
		*factor = 1;
		return 0;
	}
	*factor = plane->factor;
	return access_dim(model, access, d, loop).coefficient * plane->divisor * loop->tile;
}

/* Whether tiles far from all edges are alike. */
static bool is_uniform(const struct group_model *model, const struct group_loop *loop)
{
	for (int e = 0; e < model->entry_count; e++) {
		const struct model_entry *entry = &model->entries[e];
		for (int d = 0; d < entry->array->array->rank; d++) {
			long first = 0, first_factor = 0, factor;
			for (int a = 0; a < entry->access_count; a++) {
				long own = rate(model, entry->accesses[a], d, loop, &factor);
				if (own % factor)
					return false;
				if (!first_factor) {
					first = own;
					first_factor = factor;
				}
				if (own && first && own / factor != first / first_factor)
					return false;
			}
		}
	}
	return true;
}

static void mark_edges(const struct group_model *model, const struct group_loop *loop, bool *is_edge)
{
	const struct group_dim *dim = &model->grown.dims[loop->dim];
	mark(is_edge, loop, 0, 0);
	mark(is_edge, loop, loop->count - 1, loop->count - 1);
	for (int e = 0; e < model->entry_count; e++)
		for (int a = 0; a < model->entries[e].access_count; a++) {
			const struct group_access *access = model->entries[e].accesses[a];
			const struct group_plane *plane = &dim->planes[access->statement];
			if (plane->kind != HYPERPLANE_AFFINE)
				continue;
			const long *range = model->groups->ranges[access->statement][plane->iterator];
			for (int end = 0; end < 2; end++)
				mark_value(model, access->statement, loop,
					plan_floor_div(plane->factor * range[end] + plane->shift, plane->divisor), is_edge);
			for (int d = 0; d < access->access->array->rank; d++)
				mark_clip(model, access, d, loop, is_edge);
		}
}

static void find_classes(struct group_model *model, struct profile *profile)
{
	const struct group_loop *loop = &profile->loop;
	bool *is_edge = calloc((size_t)loop->count + 1, sizeof *is_edge);
	int count = 0;
	if (!is_edge)
		return;
	if (is_uniform(model, loop))
		mark_edges(model, loop, is_edge);
	else
		memset(is_edge, 1, (size_t)loop->count);
	for (long t = 0; t < loop->count; t++)
		count += is_edge[t] || !t || is_edge[t - 1];
	profile->t = ARENA_ARRAY(model->arena, long, count + 1);
	profile->n = ARENA_ARRAY(model->arena, long, count + 1);
	for (long t = 0; t < loop->count; t++) {
		if (is_edge[t] || !t || is_edge[t - 1])
			profile->t[profile->class_count++] = t;
		profile->n[profile->class_count - 1]++;
	}
	free(is_edge);
}

/* ---- profiles ---- */

static bool moves_with(const struct group_model *model, const struct model_entry *entry, int d,
	const struct group_loop *loop)
{
	const struct group_dim *dim = &model->grown.dims[loop->dim];
	for (int a = 0; a < entry->access_count; a++) {
		const struct group_plane *plane = &dim->planes[entry->accesses[a]->statement];
		if (plane->kind == HYPERPLANE_AFFINE
			&& entry->accesses[a]->access->subscripts[d].coefficients[plane->iterator])
			return true;
	}
	return false;
}

static struct segment box_side(const struct group_model *model, const struct model_entry *entry,
	int d, const struct group_loop *loop, long t)
{
	struct segment all = NOTHING;
	for (int a = 0; a < entry->access_count; a++)
		all = hull(all, touched(model, entry->accesses[a], d, loop, t, AT));
	return all;
}

/* What lives in tile T of dimension D of an internal array: written up to it, and read
 * from it on or written in it. */
static long living(const struct group_model *model, const struct model_entry *entry, int d,
	const struct group_loop *loop, long t)
{
	struct segment until = NOTHING, from = NOTHING;
	for (int a = 0; a < entry->access_count; a++) {
		const struct group_access *access = entry->accesses[a];
		if (access->access->is_write) {
			until = hull(until, touched(model, access, d, loop, t, UP_TO));
			from = hull(from, touched(model, access, d, loop, t, AT));
		} else {
			from = hull(from, touched(model, access, d, loop, t, FROM));
		}
	}
	return is_empty(until) || is_empty(from) ? 0 : until.high - from.low + 1;
}

/* Fills in how the array moves; false if a number is too large. */
static bool fill_array(struct group_model *model, const struct model_entry *entry,
	const struct profile *profile, struct array_profile *out)
{
	const struct group_loop *loop = &profile->loop;
	int rank = entry->array->array->rank, moving = 0;
	struct segment before[ARRAY_RANK_LIMIT];
	bool has_before = false;
	for (int d = 0; d < rank; d++) {
		out->is_fixed[d] = !moves_with(model, entry, d, loop);
		moving += !out->is_fixed[d];
	}
	out->moves = moving > 0;
	out->slides = moving == 1;
	if (!moving)
		out->sum = out->fresh = loop->count;
	for (int c = 0; c < profile->class_count && moving; c++) {
		long all = 1, fresh = 1;
		bool was = has_before && profile->t[c] == profile->t[c - 1] + profile->n[c - 1];
		has_before = true;
		for (int d = 0; d < rank; d++) {
			if (out->is_fixed[d])
				continue;
			struct segment side = box_side(model, entry, d, loop, profile->t[c]);
			struct segment last = !was ? NOTHING : profile->n[c - 1] == 1 ? before[d]
				: box_side(model, entry, d, loop, profile->t[c] - 1);
			struct segment inner = profile->n[c] > 1
				? box_side(model, entry, d, loop, profile->t[c] + 1) : side;
			long shown = length(side);
			if (!is_empty(last) && !is_empty(side)) {
				out->slides &= side.low >= last.low && side.high >= last.high;
				long start = side.low > last.high + 1 ? side.low : last.high + 1;
				shown = side.high - start + 1;
			}
			/* Within a class each tile shows what the next one does not. */
			if (profile->n[c] > 1 && !is_empty(side)) {
				out->slides &= inner.low >= side.low;
				long start = inner.low > side.high + 1 ? inner.low : side.high + 1;
				shown += (profile->n[c] - 1) * (inner.high - start + 1);
			}
			if (__builtin_mul_overflow(all, length(side), &all)
				|| __builtin_mul_overflow(fresh, shown, &fresh))
				return false;
			out->most[d] = length(side) > out->most[d] ? length(side) : out->most[d];
			before[d] = side;
			if (entry->is_internal || entry->may_be_kept) {
				long window = living(model, entry, d, loop, profile->t[c]);
				out->window[d] = window > out->window[d] ? window : out->window[d];
			}
		}
		if (__builtin_mul_overflow(all, profile->n[c], &all)
			|| __builtin_add_overflow(out->sum, all, &out->sum)
			|| __builtin_add_overflow(out->fresh, fresh, &out->fresh))
			return false;
	}
	return true;
}

static const struct statement *busiest(const struct group_model *model, int n)
{
	const struct nest *nest = &model->groups->nests[n];
	const struct statement *best = nest->statements[0];
	for (int s = 1; s < nest->statement_count; s++)
		if (nest->statements[s]->depth > best->depth)
			best = nest->statements[s];
	return best;
}

static void fill_member(struct group_model *model, int n, struct profile *profile)
{
	const struct nest *nest = &model->groups->nests[n];
	const struct group_loop *loop = &profile->loop;
	int m = n - model->grown.first, main = busiest(model, n)->index;
	struct segment values;
	long total = 0;
	for (int c = 0; c < profile->class_count; c++) {
		bool any = false;
		for (int s = 0; s < nest->statement_count && !any; s++)
			any = runs_in(model, nest->statements[s]->index, loop, profile->t[c], AT, &values);
		profile->tiles[m] += any ? profile->n[c] : 0;
		if (runs_in(model, main, loop, profile->t[c], AT, &values))
			total += profile->n[c] * length(values);
	}
	const struct group_plane *plane = &model->grown.dims[loop->dim].planes[main];
	profile->runs[m] = 1;
	if (plane->kind == HYPERPLANE_AFFINE && loop->repeats) {
		const long *range = model->groups->ranges[main][plane->iterator];
		profile->runs[m] = (double)total / (double)(range[1] - range[0] + 1);
	}
}

/* What LOOP does; NULL if it has too many tiles, or a number is too large. */
static const struct profile *profile_of(struct group_model *model, const struct group_loop *loop)
{
	struct profile *profile = model->profiles;
	while (profile && (profile->loop.dim != loop->dim || profile->loop.tile != loop->tile
		|| profile->loop.repeats != loop->repeats))
		profile = profile->next;
	if (profile || loop->count > TILES_LIMIT)
		return profile && profile->class_count ? profile : NULL;
	int members = model->grown.last - model->grown.first + 1;
	profile = ARENA_NEW(model->arena, struct profile);
	profile->loop = *loop;
	profile->arrays = ARENA_ARRAY(model->arena, struct array_profile, model->entry_count + 1);
	profile->tiles = ARENA_ARRAY(model->arena, long, members);
	profile->runs = ARENA_ARRAY(model->arena, double, members);
	find_classes(model, profile);
	for (int e = 0; e < model->entry_count && profile->class_count; e++)
		if (!fill_array(model, &model->entries[e], profile, &profile->arrays[e]))
			profile->class_count = 0;
	for (int n = model->grown.first; n <= model->grown.last; n++)
		fill_member(model, n, profile);
	profile->next = model->profiles;
	model->profiles = profile;
	return profile->class_count ? profile : NULL;
}

/* ---- the model ---- */

/* ACCESS writes each element of a box once for each value of other iterators. */
static bool fills_box(const struct statement *statement, const struct access *access)
{
	bool is_used[LOOP_DEPTH_LIMIT] = { false };
	for (int d = 0; d < access->array->rank; d++) {
		int iterators = 0;
		for (int i = 0; i < statement->depth; i++) {
			long step = access->subscripts[d].coefficients[i] * statement->loops[i]->step;
			if (!step)
				continue;
			if (is_used[i] || labs(step) != 1 || ++iterators > 1)
				return false;
			is_used[i] = true;
		}
	}
	return true;
}

static bool may_be_kept(const struct groups *groups, const struct grown *grown, int array)
{
	const struct group_array *entry = &groups->arrays[array];
	int maker = -1;
	bool is_read_later = false;
	if (!entry->is_created || entry->first < grown->first
		|| group_is_internal(groups, grown, array))
		return false;
	for (int a = 0; a < entry->access_count; a++) {
		const struct group_access *access = &entry->accesses[a];
		if (access->access->is_write && maker >= 0 && access->nest != maker)
			return false;
		if (access->access->is_write && !fills_box(
			groups->function->statements[access->statement], access->access))
			return false;
		maker = access->access->is_write ? access->nest : maker;
		is_read_later |= access->nest != maker && access->nest <= grown->last;
	}
	return maker >= grown->first && maker <= grown->last && is_read_later;
}

static void add_entry(struct group_model *model, int index)
{
	struct groups *groups = model->groups;
	const struct group_array *array = &groups->arrays[index];
	struct model_entry *entry = &model->entries[model->entry_count];
	*entry = (struct model_entry){ .index = index, .array = array, .stage = -2,
		.accesses = ARENA_ARRAY(model->arena, const struct group_access *, array->access_count + 1),
		.is_internal = group_is_internal(groups, &model->grown, index),
		.may_be_kept = may_be_kept(groups, &model->grown, index) };
	struct segment sides[ARRAY_RANK_LIMIT];
	for (int d = 0; d < array->array->rank; d++)
		sides[d] = NOTHING;
	for (int a = 0; a < array->access_count; a++) {
		const struct group_access *access = &array->accesses[a];
		if (access->nest < model->grown.first || access->nest > model->grown.last)
			continue;
		entry->accesses[entry->access_count++] = access;
		entry->is_read |= !access->access->is_write;
		entry->is_written |= access->access->is_write;
		entry->stage = entry->stage == -2 || entry->stage == access->nest ? access->nest : -1;
		for (int d = 0; d < array->array->rank; d++)
			sides[d] = hull(sides[d], (struct segment){ access->low[d], access->high[d] });
	}
	for (int d = 0; d < array->array->rank; d++)
		entry->extent[d] = length(sides[d]);
	model->entry_count += entry->access_count > 0;
	if (entry->access_count && array->array->type.bytes > model->element_bytes)
		model->element_bytes = array->array->type.bytes;
}

/* A member's share: its multiply-accumulates, or its iterations where the group has none. */
static void find_weights(struct group_model *model)
{
	struct groups *groups = model->groups;
	double macs = 0;
	for (int n = model->grown.first; n <= model->grown.last; n++) {
		const struct statement *main = busiest(model, n);
		double *weight = &model->weights[n - model->grown.first];
		*weight = statement_macs(main);
		for (int i = 0; i < main->depth; i++)
			*weight *= (double)(groups->ranges[main->index][i][1] - groups->ranges[main->index][i][0] + 1);
		macs += *weight;
	}
	for (int n = model->grown.first; n <= model->grown.last && macs == 0; n++) {
		const struct statement *main = busiest(model, n);
		double *weight = &model->weights[n - model->grown.first];
		*weight = 1;
		for (int i = 0; i < main->depth; i++)
			*weight *= (double)(groups->ranges[main->index][i][1] - groups->ranges[main->index][i][0] + 1);
	}
}

struct group_model *group_model_new(struct groups *groups, const struct grown *grown)
{
	struct arena *arena = arena_new();
	struct group_model *model = ARENA_NEW(arena, struct group_model);
	model->groups = groups;
	model->grown = *grown;
	model->arena = arena;
	model->element_bytes = 1;
	model->entries = ARENA_ARRAY(arena, struct model_entry, groups->function->array_count + 1);
	model->weights = ARENA_ARRAY(arena, double, grown->last - grown->first + 1);
	for (int i = 0; i < groups->function->array_count; i++)
		if (!groups->function->arrays[i]->by_value)
			add_entry(model, i);
	find_weights(model);
	model->items = ARENA_ARRAY(arena, struct item, model->entry_count + 1);
	model->is_held = ARENA_ARRAY(arena, bool, model->entry_count + 1);
	model->is_best = ARENA_ARRAY(arena, bool, model->entry_count + 1);
	model->rest = ARENA_ARRAY(arena, long, model->entry_count + 2);
	model->pool = ARENA_ARRAY(arena, long, grown->last - grown->first + 1);
	return model;
}

void group_model_free(struct group_model *model)
{
	arena_free(model->arena);
}

/* ---- places ---- */

long group_round(const struct arch *arch, long bytes)
{
	long unit = arch->align_bytes > 1 ? arch->align_bytes : 1;
	bytes = (bytes + unit - 1) / unit * unit;
	long bank_bytes = arch->scratchpad_bytes / arch->banks;
	return arch->exclusive ? (bytes + bank_bytes - 1) / bank_bytes : bytes;
}

long group_turns_begin(const struct arch *arch, long next, int element_bytes)
{
	return arch->exclusive ? next : (next + element_bytes - 1) / element_bytes * element_bytes;
}

/* ---- evaluation ---- */

struct evaluation {
	struct group_model *model;
	const struct arch *arch;
	const struct group_wishes *wishes;
	const struct profile *profiles[GROUP_DEPTH];
	struct group_choice *choice;
	long bytes, need;            /* of all but the items */
	int item_count;
	struct item *items;
	long *pool;                  /* [member]: scratch of what comes for it */
	long steps;                  /* of the search among what is held */
};

static bool add_product(long *sum, long factor, long count)
{
	long product;
	return !__builtin_mul_overflow(factor, count, &product)
		&& !__builtin_add_overflow(*sum, product, sum);
}

/* One side of the buffer of an internal array. */
static long internal_side(const struct evaluation *evaluation, int e, int d)
{
	long side = evaluation->model->entries[e].extent[d];
	for (int l = 0; l < evaluation->choice->depth; l++) {
		const struct array_profile *profile = &evaluation->profiles[l]->arrays[e];
		bool is_inner = l == evaluation->choice->depth - 1;
		long own = is_inner ? profile->window[d] : profile->most[d];
		if (!profile->is_fixed[d] && own < side)
			side = own;
	}
	return side;
}

/* One side of the buffer of another array, and whether any loop moves it. */
static long outer_side(const struct evaluation *evaluation, int e, int d, int store)
{
	long side = evaluation->model->entries[e].extent[d];
	for (int l = 0; l < store; l++)
		if (!evaluation->profiles[l]->arrays[e].is_fixed[d])
			side = evaluation->profiles[l]->arrays[e].most[d];
	return side;
}

static bool is_moved_twice(const struct evaluation *evaluation, int e, int d)
{
	int movers = 0;
	for (int l = 0; l < evaluation->choice->depth; l++)
		movers += !evaluation->profiles[l]->arrays[e].is_fixed[d];
	return movers > 1;
}

static int store_of(const struct evaluation *evaluation, int e)
{
	int store = 0;
	for (int l = 0; l < evaluation->choice->depth; l++)
		if (evaluation->profiles[l]->arrays[e].moves)
			store = l + 1;
	return store;
}

/* Elements that an array which moves shows, in all. */
static bool moved_elements(const struct evaluation *evaluation, int e, int store, long *elements)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	*elements = 1;
	for (int l = 0; l < store; l++) {
		const struct array_profile *profile = &evaluation->profiles[l]->arrays[e];
		bool slides = l == store - 1 && profile->slides && !entry->is_written;
		if (__builtin_mul_overflow(*elements, slides ? profile->fresh : profile->sum, elements))
			return false;
	}
	for (int d = 0; d < entry->array->array->rank; d++) {
		bool is_fixed = true;
		for (int l = 0; l < store; l++)
			is_fixed &= evaluation->profiles[l]->arrays[e].is_fixed[d];
		if (is_fixed && __builtin_mul_overflow(*elements, entry->extent[d], elements))
			return false;
	}
	return true;
}

/* Elements of the last dimension that one transfer moves. */
static double run_length(const struct evaluation *evaluation, int e, int store)
{
	const struct model_entry *entry = &evaluation->model->entries[e];
	int last = entry->array->array->rank - 1;
	for (int l = 0; l < store; l++) {
		const struct array_profile *profile = &evaluation->profiles[l]->arrays[e];
		bool slides = l == store - 1 && profile->slides && !entry->is_written;
		if (!profile->is_fixed[last])
			return slides ? (double)profile->fresh / (double)evaluation->profiles[l]->loop.count
				: (double)profile->most[last];
	}
	return (double)entry->extent[last];
}

static bool add_item(struct evaluation *evaluation, int e)
{
	struct group_model *model = evaluation->model;
	const struct model_entry *entry = &model->entries[e];
	const struct array *array = entry->array->array;
	struct item *item = &evaluation->items[evaluation->item_count++];
	*item = (struct item){ .entry = entry, .stage = entry->stage, .bytes = array->type.bytes,
		.visits = 1 };
	for (int d = 0; d < array->rank; d++)
		if (__builtin_mul_overflow(item->bytes, entry->extent[d], &item->bytes))
			return false;
	for (int l = 0; l < evaluation->choice->depth; l++)
		item->visits *= evaluation->profiles[l]->tiles[item->stage - model->grown.first];
	item->place = group_round(evaluation->arch, item->bytes);
	item->is_streamed = evaluation->wishes && evaluation->wishes->is_streamed[entry->index];
	return true;
}

/* The bytes of ITEM with TILE iterations of its stage's loop. */
static long chunk_bytes(const struct evaluation *evaluation, const struct item *item, long tile)
{
	const struct groups *groups = evaluation->model->groups;
	const struct group_access *access = item->entry->accesses[0];
	const struct statement *statement = groups->function->statements[access->statement];
	int first = groups->nests[item->stage].statements[0]->index;
	int i = item->dim.planes[access->statement - first].iterator;
	long bytes = item->entry->array->array->type.bytes, step = labs(statement->loops[i]->step);
	for (int d = 0; d < item->entry->array->array->rank; d++) {
		long c = labs(access->access->subscripts[d].coefficients[i]);
		long side = c ? (tile - 1) * c * step + 1 : item->entry->extent[d];
		bytes *= side < item->entry->extent[d] ? side : item->entry->extent[d];
	}
	return bytes;
}

static const struct stage_dim *chunk_dim(const struct evaluation *evaluation, const struct item *item)
{
	struct group_model *model = evaluation->model;
	struct model_entry *entry = &model->entries[item->entry - model->entries];
	if (!entry->knows_dim)
		entry->dim = group_stage_dim(model->groups, &model->grown, item->stage,
			entry->accesses[0]->access);
	entry->knows_dim = true;
	return &entry->dim;
}

/* Gives the largest item of each stage, and all that move like it, chunks. */
static void find_chunks(struct evaluation *evaluation)
{
	for (int i = 0; i < evaluation->item_count; i++) {
		struct item *item = &evaluation->items[i];
		bool is_largest = item->entry->access_count == 1;
		for (int j = 0; j < evaluation->item_count; j++)
			is_largest &= evaluation->items[j].stage != item->stage
				|| evaluation->items[j].bytes < item->bytes
				|| (evaluation->items[j].bytes == item->bytes && j >= i);
		if (!is_largest)
			continue;
		struct stage_dim dim = *chunk_dim(evaluation, item);
		for (int j = 0; j < evaluation->item_count && dim.loop >= 0; j++) {
			struct item *other = &evaluation->items[j];
			if (other->stage != item->stage || other->entry->access_count != 1)
				continue;
			other->has_chunks = chunk_dim(evaluation, other)->loop == dim.loop;
			other->dim = dim;
		}
	}
	for (int i = 0; i < evaluation->item_count; i++) {
		struct item *item = &evaluation->items[i];
		item->least_place = item->has_chunks
			? group_round(evaluation->arch, chunk_bytes(evaluation, item, 1)) : item->place;
	}
}

static bool whole_elements(const struct model_entry *entry, long *elements)
{
	*elements = 1;
	for (int d = 0; d < entry->array->array->rank; d++)
		if (__builtin_mul_overflow(*elements, entry->extent[d], elements))
			return false;
	return true;
}

/* All arrays: what moves, and what does not as items.  False if a number is too large. */
static bool add_arrays(struct evaluation *evaluation)
{
	struct group_model *model = evaluation->model;
	for (int e = 0; e < model->entry_count; e++) {
		const struct model_entry *entry = &model->entries[e];
		const struct array *array = entry->array->array;
		int store = store_of(evaluation, e);
		long bytes = array->type.bytes, elements;
		bool is_kept = entry->may_be_kept;
		for (int l = 0; l < evaluation->choice->depth; l++)
			is_kept &= evaluation->profiles[l]->arrays[e].moves;
		for (int d = 0; d < array->rank; d++)
			if (is_moved_twice(evaluation, e, d))
				return false;
		if (!store && !entry->is_internal && !entry->is_written && entry->stage >= 0) {
			if (!add_item(evaluation, e))
				return false;
			continue;
		}
		for (int d = 0; d < array->rank; d++)
			if (__builtin_mul_overflow(bytes, entry->is_internal || is_kept ? internal_side(evaluation, e, d)
				: outer_side(evaluation, e, d, store), &bytes))
				return false;
		evaluation->need += group_round(evaluation->arch, bytes);
		if (entry->is_internal)
			continue;
		if (is_kept) {
			if (!whole_elements(entry, &elements)
				|| !add_product(&evaluation->bytes, elements, array->type.bytes))
				return false;
			continue;
		}
		/* What a stage makes it reads before it leaves the chip. */
		bool both = entry->is_written && entry->is_read
			&& !(entry->array->is_created && entry->stage == entry->array->first);
		for (int l = 0; l < store; l++)
			both |= entry->is_written && !evaluation->profiles[l]->arrays[e].moves;
		if (!moved_elements(evaluation, e, store, &elements)
			|| !add_product(&evaluation->bytes, elements, array->type.bytes * (both ? 2 : 1)))
			return false;
		double run = array->rank ? run_length(evaluation, e, store) : 1;
		evaluation->choice->runs += run > 0 ? (double)elements / run : 0;
	}
	return true;
}

/* ---- what is held: a search among the items, the largest first ---- */

static int compare_items(const void *a, const void *b)
{
	const struct item *left = a, *right = b;
	if (left->bytes != right->bytes)
		return left->bytes > right->bytes ? -1 : 1;
	if (left->visits != right->visits)
		return left->visits > right->visits ? -1 : 1;
	return left->entry->index - right->entry->index;
}

/* The scratchpad that stages need one after the other. */
static long pool_of(const struct evaluation *evaluation)
{
	long most = 0;
	for (int m = 0; m <= evaluation->model->grown.last - evaluation->model->grown.first; m++)
		most = evaluation->pool[m] > most ? evaluation->pool[m] : most;
	return most;
}

static long need_of(const struct evaluation *evaluation, long held)
{
	long pool = pool_of(evaluation);
	return pool ? group_turns_begin(evaluation->arch, evaluation->need + held,
		evaluation->model->element_bytes) + pool : evaluation->need + held;
}

struct holding {
	struct evaluation *evaluation;
	long capacity, best;         /* bytes that items move */
	bool *is_held, *is_best;
	long *rest;                  /* [item]: least that it and those after it move */
};

/* Decides on the items from I on. */
static void decide(struct holding *holding, int i, long held, long bytes)
{
	struct evaluation *evaluation = holding->evaluation;
	if (bytes + holding->rest[i] >= holding->best || evaluation->steps-- < 0
		|| evaluation->need + held + pool_of(evaluation) > holding->capacity)
		return;
	if (i == evaluation->item_count) {
		if (need_of(evaluation, held) > holding->capacity)
			return;
		holding->best = bytes;
		memcpy(holding->is_best, holding->is_held, (size_t)i * sizeof *holding->is_best);
		return;
	}
	struct item *item = &evaluation->items[i];
	const struct item *before = i ? &evaluation->items[i - 1] : NULL;
	int m = item->stage - evaluation->model->grown.first;
	/* Of items that are alike the first are held. */
	bool is_alike = before && before->bytes == item->bytes && before->visits == item->visits
		&& before->least_place == item->least_place && !before->is_streamed
		&& before->stage != item->stage
		&& !holding->is_held[i - 1];
	if (!is_alike && !item->is_streamed) {
		holding->is_held[i] = true;
		decide(holding, i + 1, held + item->place, bytes + item->bytes);
		holding->is_held[i] = false;
	}
	long all;
	if (__builtin_mul_overflow(item->bytes, item->visits, &all))
		return;
	evaluation->pool[m] += item->least_place;
	decide(holding, i + 1, held, bytes + all);
	evaluation->pool[m] -= item->least_place;
}

/* False if nothing fits. */
static bool choose_held(struct evaluation *evaluation, const struct group_limits *limits)
{
	enum { STEPS = 20000 };
	struct group_model *model = evaluation->model;
	int count = evaluation->item_count;
	struct holding holding = { evaluation, limits->capacity, LONG_MAX / 4,
		model->is_held, model->is_best, model->rest };
	memset(model->is_held, 0, (size_t)count * sizeof *model->is_held);
	model->rest[count] = 0;
	if (count)
		qsort(evaluation->items, (size_t)count, sizeof *evaluation->items, compare_items);
	for (int i = count - 1; i >= 0; i--)
		holding.rest[i] = holding.rest[i + 1] + evaluation->items[i].bytes;
	if (evaluation->bytes >= limits->bytes)
		return false;
	holding.best = limits->bytes - evaluation->bytes;
	long wanted = holding.best;
	evaluation->steps = STEPS;
	decide(&holding, 0, 0, 0);
	evaluation->choice->is_exact = evaluation->steps >= 0;
	if (holding.best == wanted)
		return false;
	for (int i = 0; i < count; i++)
		evaluation->items[i].is_held = holding.is_best[i];
	evaluation->bytes += holding.best;
	return true;
}

/* The least scratchpad that would do: everything comes as late as it can, or nothing is
 * held apart. */
static long least_need(struct evaluation *evaluation)
{
	long held = evaluation->need;
	for (int i = 0; i < evaluation->item_count; i++)
		held += evaluation->items[i].place;
	for (int i = 0; i < evaluation->item_count; i++)
		evaluation->pool[evaluation->items[i].stage - evaluation->model->grown.first]
			+= evaluation->items[i].least_place;
	long need = need_of(evaluation, 0);
	for (int i = 0; i < evaluation->item_count; i++)
		evaluation->pool[evaluation->items[i].stage - evaluation->model->grown.first]
			-= evaluation->items[i].least_place;
	return need < held ? need : held;
}

/* What stage N's items need with TILE iterations of its loop (0: whole). */
static long stage_need(const struct evaluation *evaluation, int n, long tile)
{
	long need = 0;
	for (int i = 0; i < evaluation->item_count; i++) {
		const struct item *item = &evaluation->items[i];
		if (item->stage == n && !item->is_held)
			need += item->has_chunks && tile
				? group_round(evaluation->arch, chunk_bytes(evaluation, item, tile)) : item->place;
	}
	return need;
}

/* The chunks that the user wants; 0: free. */
static long wanted_tile(const struct evaluation *evaluation, const struct item *item)
{
	const struct group_wishes *wishes = evaluation->wishes;
	int index = item->entry->index;
	return wishes && wishes->stage_loop[index] && !strcmp(wishes->stage_loop[index], item->dim.name)
		&& wishes->stage_tile[index] <= item->dim.extent ? wishes->stage_tile[index] : 0;
}

/* Chunks as large as there is room for. */
static void choose_chunks(struct evaluation *evaluation, const struct group_limits *limits)
{
	struct group_choice *choice = evaluation->choice;
	const struct grown *grown = &evaluation->model->grown;
	long need = evaluation->need, pool = 0;
	for (int i = 0; i < evaluation->item_count; i++)
		need += evaluation->items[i].is_held ? evaluation->items[i].place : 0;
	long begin = group_turns_begin(evaluation->arch, need,
		evaluation->model->element_bytes), room = limits->capacity - begin;
	for (int n = grown->first; n <= grown->last; n++) {
		const struct item *chunked = NULL;
		for (int i = 0; i < evaluation->item_count; i++)
			if (evaluation->items[i].stage == n && !evaluation->items[i].is_held
				&& evaluation->items[i].has_chunks)
				chunked = &evaluation->items[i];
		long tile = chunked ? wanted_tile(evaluation, chunked) : 0;
		if (!tile && chunked && limits->prefers_memory)
			tile = 1;
		if (!tile && chunked && stage_need(evaluation, n, 0) > room) {
			long parts = 2, extent = chunked->dim.extent;
			for (tile = (extent + 1) / 2; tile > 1 && stage_need(evaluation, n, tile) > room;) {
				parts++;
				tile = (extent + parts - 1) / parts;
			}
		}
		choice->stage_tile[n] = tile;
		if (chunked)
			choice->stages[n] = chunked->dim;
		long own = stage_need(evaluation, n, tile);
		pool = own > pool ? own : pool;
	}
	/* what was streamed with other loops may move with these */
	for (int i = 0; i < evaluation->model->groups->function->array_count; i++)
		choice->hold[i] = HOLD_ALL;
	for (int i = 0; i < evaluation->item_count; i++) {
		const struct item *item = &evaluation->items[i];
		choice->hold[item->entry->index] = item->is_held ? HOLD_ALL
			: choice->stage_tile[item->stage] && item->has_chunks ? HOLD_CHUNK : HOLD_STAGE;
	}
	choice->need = pool ? begin + pool : need;
}

static double repetition_of(const struct evaluation *evaluation)
{
	const struct group_model *model = evaluation->model;
	double runs = 0, total = 0;
	for (int m = 0; m <= model->grown.last - model->grown.first; m++) {
		double own = model->weights[m];
		total += own;
		for (int l = 0; l < evaluation->choice->depth; l++)
			own *= evaluation->profiles[l]->runs[m];
		runs += own;
	}
	return total > 0 ? runs / total : 1;
}

/* LOOP of the group moves ARRAY. */
static bool loop_moves(const struct grown *grown, const struct group_loop *loop,
	const struct group_array *array)
{
	for (int a = 0; a < array->access_count; a++) {
		const struct group_access *access = &array->accesses[a];
		if (access->nest < grown->first || access->nest > grown->last)
			continue;
		const struct group_plane *plane = &grown->dims[loop->dim].planes[access->statement];
		for (int d = 0; d < array->array->rank; d++)
			if (plane->kind == HYPERPLANE_AFFINE
				&& access->access->subscripts[d].coefficients[plane->iterator])
				return true;
	}
	return false;
}

int group_store(const struct groups *groups, const struct grown *grown,
	const struct group_choice *choice, int array)
{
	int store = 0;
	for (int l = 0; l < choice->depth; l++)
		if (loop_moves(grown, &choice->loops[l], &groups->arrays[array]))
			store = l + 1;
	return store;
}

bool group_keeps(const struct groups *groups, const struct grown *grown,
	const struct group_choice *choice, int array)
{
	bool keeps = may_be_kept(groups, grown, array);
	for (int l = 0; l < choice->depth; l++)
		keeps &= loop_moves(grown, &choice->loops[l], &groups->arrays[array]);
	return keeps;
}

bool group_evaluate(struct group_model *model, const struct group_limits *limits,
	struct group_choice *choice)
{
	struct evaluation evaluation = { .model = model, .choice = choice,
		.arch = model->groups->compilation->arch, .wishes = limits->wishes, .items = model->items, .pool = model->pool };
	memset(model->pool, 0, (size_t)(model->grown.last - model->grown.first + 1) * sizeof *model->pool);
	choice->need = LONG_MAX;
	choice->runs = 0;
	for (int l = 0; l < choice->depth; l++) {
		evaluation.profiles[l] = profile_of(model, &choice->loops[l]);
		if (!evaluation.profiles[l])
			return false;
	}
	if (!add_arrays(&evaluation))
		return false;
	find_chunks(&evaluation);
	choice->need = least_need(&evaluation);
	choice->repetition = repetition_of(&evaluation);
	if (choice->need > limits->capacity || choice->repetition > limits->repetition
		|| !choose_held(&evaluation, limits))
		return false;
	choice->bytes = evaluation.bytes;
	choose_chunks(&evaluation, limits);
	return true;
}

long group_least_bytes(struct group_model *model)
{
	struct group_choice choice = { .depth = 0 };
	struct evaluation evaluation = { .model = model, .choice = &choice,
		.arch = model->groups->compilation->arch, .items = model->items };
	if (!add_arrays(&evaluation))
		return 0;
	long bytes = evaluation.bytes;
	for (int i = 0; i < evaluation.item_count; i++)
		bytes += evaluation.items[i].bytes;
	return bytes;
}

/* What one loop of a group does to each array: regions are boxes, counted over classes of
 * tiles that are alike, edges apart. */

#include <stdlib.h>
#include <string.h>

#include "passes/fusion/group_model.h"
#include "support/memory.h"

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
	const struct group_dim *dim = &model->candidate.dims[loop->dim];
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
	enum hyperplane_kind kind = model->candidate.dims[loop->dim].planes[s].kind;
	*values = NOTHING;
	if (kind == HYPERPLANE_FIRST)
		return t == 0 || when == UP_TO;
	if (kind == HYPERPLANE_LAST)
		return t == loop->count - 1 || when == FROM;
	*values = iterator_values(model, s, loop, t, when);
	return !is_empty(*values);
}

struct segment group_values(const struct group_model *model, int s, const struct group_loop *loop, long t)
{
	return iterator_values(model, s, loop, t, AT);
}

static struct access_dim access_dim(const struct group_model *model,
	const struct group_access *access, int d, const struct group_loop *loop)
{
	const struct statement *statement = model->groups->function->statements[access->statement];
	const struct affine *subscript = &access->access->subscripts[d];
	const struct group_plane *plane = loop
		? &model->candidate.dims[loop->dim].planes[access->statement] : NULL;
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
	const struct group_dim *dim = &model->candidate.dims[loop->dim];
	long span = loop->repeats ? dim->spans[s] : 0;
	mark(is_edge, loop, plan_floor_div(value - dim->least, loop->tile),
		plan_floor_div(value - dim->least + span, loop->tile));
}

/* Those in which ACCESS meets the ends of its range. */
static void mark_clip(const struct group_model *model, const struct group_access *access, int d,
	const struct group_loop *loop, bool *is_edge)
{
	const struct group_plane *plane = &model->candidate.dims[loop->dim].planes[access->statement];
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
	const struct group_plane *plane = &model->candidate.dims[loop->dim].planes[access->statement];
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
	const struct group_dim *dim = &model->candidate.dims[loop->dim];
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

static void find_classes(struct group_model *model, struct loop_profile *profile)
{
	const struct group_loop *loop = &profile->loop;
	bool *is_edge = memory_alloc(((size_t)loop->count + 1) * sizeof *is_edge);
	int count = 0;
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
	const struct group_dim *dim = &model->candidate.dims[loop->dim];
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
 * from it on or written in it, or written in the tile before, if that is still going OUT. */
static long living(const struct group_model *model, const struct model_entry *entry, int d,
	const struct group_loop *loop, long t, bool out)
{
	struct segment until = NOTHING, from = NOTHING;
	for (int a = 0; a < entry->access_count; a++) {
		const struct group_access *access = entry->accesses[a];
		if (access->access->is_write) {
			until = hull(until, touched(model, access, d, loop, t, UP_TO));
			from = hull(from, touched(model, access, d, loop, t, AT));
			if (out && t)
				from = hull(from, touched(model, access, d, loop, t - 1, AT));
		} else {
			from = hull(from, touched(model, access, d, loop, t, FROM));
		}
	}
	return is_empty(until) || is_empty(from) ? 0 : until.high - from.low + 1;
}

static void keep_most(long *most, long value)
{
	*most = value > *most ? value : *most;
}

/* What double buffers need to know of dimension D in tile T, which moves, and the one before
 * it.  Returns whether the two share elements there. */
static bool add_two(const struct group_model *model, const struct model_entry *entry, int d,
	const struct group_loop *loop, long t, struct array_profile *out)
{
	struct segment then = box_side(model, entry, d, loop, t - 1);
	struct segment now = box_side(model, entry, d, loop, t);
	if (entry->may_be_kept)
		keep_most(&out->window_of_two[d], living(model, entry, d, loop, t, true));
	if (is_empty(then) || is_empty(now))
		return false;
	keep_most(&out->most_of_two[d], now.high - then.low + 1);
	return !is_empty(meet(then, now));
}

/* Some buffer may be double: a schedule that is given may ask for it. */
static bool may_double(const struct compilation *compilation)
{
	return compilation->request.buffering != BUFFERING_SINGLE || compilation->request.schedule;
}

static void fill_two(const struct group_model *model, const struct model_entry *entry,
	const struct loop_profile *profile, struct array_profile *out)
{
	int rank = entry->array->array->rank;
	out->is_apart = true;
	for (int d = 0; d < rank; d++)
		out->window_of_two[d] = out->window[d];
	for (int c = 0; c < profile->class_count; c++)
		for (long t = profile->t[c]; t < profile->t[c] + profile->n[c] && t < profile->t[c] + 2; t++) {
			bool meets = t > 0;
			for (int d = 0; d < rank && t > 0; d++)
				if (!out->is_fixed[d])
					meets &= add_two(model, entry, d, &profile->loop, t, out);
			out->is_apart &= !meets;
		}
}

/* How many of the N numbers from T on are even, or ODD. */
static long count_parity(long t, long n, int odd)
{
	return odd ? (t + n) / 2 - t / 2 : (t + n + 1) / 2 - (t + 1) / 2;
}

/* Adds N tiles from T on, of COUNT in all, that show so many ELEMENTS each; IS_NEW: the one before shows none. */
static bool add_parts(struct array_profile *out, long t, long n, long count, long elements, bool is_new)
{
	for (int odd = 0; odd < 2; odd++) {
		long tiles = count_parity(t, n, odd), sum, behind;
		if (__builtin_mul_overflow(elements, tiles, &sum)
			|| __builtin_add_overflow(out->part[odd], sum, &out->part[odd]))
			return false;
		behind = sum - (is_new && t % 2 == odd ? elements : 0);
		out->behind[odd] += behind;
	}
	out->end[0] = t ? out->end[0] : elements;
	out->end[1] = t + n == count ? elements : out->end[1];
	return true;
}

/* The same of an array that the loop does not move, which tiles touch or not. */
static void fill_still(const struct group_model *model, const struct model_entry *entry,
	const struct loop_profile *profile, struct array_profile *out)
{
	struct segment values;
	bool was = false;
	for (int c = 0; c < profile->class_count; c++) {
		bool any = false;
		for (int a = 0; a < entry->access_count && !any; a++)
			any = runs_in(model, entry->accesses[a]->statement, &profile->loop, profile->t[c], AT, &values);
		add_parts(out, profile->t[c], profile->n[c], profile->loop.count, any, !was);
		was = any;
	}
	out->sum = out->fresh = out->part[0] + out->part[1];
}

static bool is_same_segment(struct segment a, struct segment b)
{
	return a.low == b.low && a.high == b.high;
}

/* Whether all tiles that show elements of ENTRY show the same, of all accesses together, and of each. */
static void find_stays(const struct group_model *model, const struct model_entry *entry,
	const struct loop_profile *profile, struct array_profile *out)
{
	enum { BITS = 64 };
	int count = entry->access_count < BITS ? entry->access_count : BITS;
	out->stays = true;
	out->everywhere = out->constant = ~0UL;
	for (int d = 0; d < entry->array->array->rank; d++) {
		struct segment first = NOTHING, own[BITS];
		for (int a = 0; a < count; a++)
			own[a] = NOTHING;
		for (int c = 0; c < profile->class_count; c++)
			for (long t = profile->t[c]; t < profile->t[c] + profile->n[c] && t < profile->t[c] + 2; t++) {
				struct segment side = box_side(model, entry, d, &profile->loop, t);
				if (is_empty(side))
					continue;
				out->stays &= is_same_segment(first, is_empty(first) ? first : side);
				first = side;
				for (int a = 0; a < count; a++) {
					side = touched(model, entry->accesses[a], d, &profile->loop, t, AT);
					if (is_empty(side))
						out->everywhere &= ~(1UL << a);
					else if (!is_empty(own[a]) && !is_same_segment(own[a], side))
						out->constant &= ~(1UL << a);
					own[a] = is_empty(side) ? own[a] : side;
				}
			}
	}
}

/* Where only some accesses of an array are counted, others may show elements of these before they do, and keep them: what is
 * shown in a run comes once, if it is not there since before the turn. */
static void forget_others(int moving, struct array_profile *out)
{
	out->share = moving > 1 || (moving && !out->slides) ? 0 : out->share;
	out->stays = true;
	out->everywhere = 0;
}

/* Fills in how the array moves; false if a number is too large. */
static bool fill_array(struct group_model *model, const struct model_entry *entry,
	const struct loop_profile *profile, struct array_profile *out)
{
	const struct group_loop *loop = &profile->loop;
	int rank = entry->array->array->rank, moving = 0;
	struct segment before[ARRAY_RANK_LIMIT];
	bool has_before = false, was_shown = false;
	for (int d = 0; d < rank; d++) {
		out->is_fixed[d] = !moves_with(model, entry, d, loop);
		moving += !out->is_fixed[d];
	}
	out->moves = moving > 0;
	out->slides = moving == 1;
	if (!moving)
		fill_still(model, entry, profile, out);
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
				long window = living(model, entry, d, loop, profile->t[c], false);
				out->window[d] = window > out->window[d] ? window : out->window[d];
			}
		}
		bool is_new = !was || !was_shown;
		was_shown = all > 0;
		if (!add_parts(out, profile->t[c], profile->n[c], loop->count, all, is_new)
			|| __builtin_mul_overflow(all, profile->n[c], &all)
			|| __builtin_add_overflow(out->sum, all, &out->sum)
			|| __builtin_add_overflow(out->fresh, fresh, &out->fresh))
			return false;
	}
	out->share = !model->bounds_plans ? 1 : group_border_share(model, entry, loop, moving ? 0 : out->sum);
	find_stays(model, entry, profile, out);
	if (entry->is_main)
		forget_others(moving, out);
	if (moving && !entry->is_internal && may_double(model->groups->compilation))
		fill_two(model, entry, profile, out);
	return true;
}

static void fill_member(struct group_model *model, int n, struct loop_profile *profile)
{
	const struct group_loop *loop = &profile->loop;
	int m = n - model->candidate.first, main = nest_deepest(&model->groups->nests[n])->index;
	struct segment values;
	long total = 0;
	for (int c = 0; c < profile->class_count; c++)
		if (runs_in(model, main, loop, profile->t[c], AT, &values))
			total += profile->n[c] * length(values);
	const struct group_plane *plane = &model->candidate.dims[loop->dim].planes[main];
	profile->runs[m] = 1;
	if (plane->kind == HYPERPLANE_AFFINE && loop->repeats) {
		const long *range = model->groups->ranges[main][plane->iterator];
		profile->runs[m] = (double)total / (double)(range[1] - range[0] + 1);
	}
}

const struct loop_profile *group_profile_of(struct group_model *model, const struct group_loop *loop)
{
	struct loop_profile **bucket = &model->profiles[(size_t)((loop->dim * 2 + loop->repeats) * 37 + loop->tile)
		% PROFILE_BUCKETS];
	struct loop_profile *profile = *bucket;
	while (profile && (profile->loop.dim != loop->dim || profile->loop.tile != loop->tile
		|| profile->loop.repeats != loop->repeats))
		profile = profile->next;
	if (profile || loop->count > TILES_LIMIT)
		return profile && profile->class_count ? profile : NULL;
	int members = model->candidate.last - model->candidate.first + 1;
	profile = ARENA_NEW(model->arena, struct loop_profile);
	profile->loop = *loop;
	profile->arrays = ARENA_ARRAY(model->arena, struct array_profile, model->entry_count + 1);
	profile->runs = ARENA_ARRAY(model->arena, double, members);
	find_classes(model, profile);
	for (int e = 0; e < model->entry_count && profile->class_count; e++)
		if (!fill_array(model, &model->entries[e], profile, &profile->arrays[e]))
			profile->class_count = 0;
	for (int n = model->candidate.first; n <= model->candidate.last; n++)
		fill_member(model, n, profile);
	profile->next = *bucket;
	*bucket = profile;
	return profile->class_count ? profile : NULL;
}

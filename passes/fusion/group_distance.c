/* How far the two ends of a dependence are apart, each distance found once. */

#include "passes/fusion/group_distance.h"

#include <isl/aff.h>
#include <isl/space.h>
#include <isl/val.h>

#include "passes/analysis/values.h"

/* The value multiple * floor((factor * iterator + shift) / divisor) of an end of a pair. */
struct end {
	int iterator;
	long factor, shift, divisor, multiple;
};

struct known_distance {
	struct known_distance *next;
	int shape;
	struct end from, to;
	struct distance distance;
};

static __isl_give isl_map *value_map(__isl_take isl_space *domain, const struct end *end)
{
	isl_ctx *ctx = isl_space_get_ctx(domain);
	isl_aff *aff = isl_aff_var_on_domain(isl_local_space_from_space(domain), isl_dim_set,
		(unsigned)end->iterator);
	aff = aff_add(isl_aff_scale_val(aff, isl_val_int_from_si(ctx, end->factor)), end->shift);
	if (end->divisor > 1)
		aff = isl_aff_floor(isl_aff_scale_down_val(aff, isl_val_int_from_si(ctx, end->divisor)));
	return isl_map_from_aff(isl_aff_scale_val(aff, isl_val_int_from_si(ctx, end->multiple)));
}

static struct distance find_distance(const struct group_pair *pair, const struct end *from,
	const struct end *to)
{
	isl_space *space = isl_map_get_space(pair->map);
	isl_map *later = value_map(isl_space_range(isl_space_copy(space)), to);
	return pairs_distance(pair->map, value_map(isl_space_domain(space), from), later);
}

static bool same_end(const struct end *a, const struct end *b)
{
	return a->iterator == b->iterator && a->factor == b->factor && a->shift == b->shift
		&& a->divisor == b->divisor && a->multiple == b->multiple;
}

static size_t bucket_of(int shape, const struct end *from, const struct end *to)
{
	long key = shape * 31L + from->iterator * 7 + to->iterator * 131L + from->divisor * 17
		+ to->divisor * 257 + from->shift * 5 + to->shift * 3 + to->multiple;
	return (size_t)key % DISTANCE_BUCKETS;
}

/* END without whole steps of its shift; returns what they add. */
static long take_steps(struct end *end)
{
	long steps = plan_floor_div(end->shift, end->divisor);
	end->shift -= steps * end->divisor;
	return steps * end->multiple;
}

static struct end end_of(const struct group_plane *plane, long multiple)
{
	return (struct end){ plane->iterator, plane->factor, plane->shift, plane->divisor, multiple };
}

struct distance group_distance(struct groups *groups, const struct group_pair *pair,
	const struct group_plane *from, long multiple_from, const struct group_plane *to,
	long multiple_to)
{
	if (from->kind != HYPERPLANE_AFFINE || to->kind != HYPERPLANE_AFFINE)
		return (struct distance){ false, 0, 0 };
	struct end first = end_of(from, multiple_from), second = end_of(to, multiple_to);
	long offset = -take_steps(&first);
	offset += take_steps(&second);
	size_t bucket = bucket_of(pair->shape, &first, &second);
	struct known_distance *known = groups->distances->buckets[bucket];
	while (known && (known->shape != pair->shape || !same_end(&known->from, &first)
		|| !same_end(&known->to, &second)))
		known = known->next;
	if (!known) {
		known = ARENA_NEW(groups->compilation->arena, struct known_distance);
		*known = (struct known_distance){ groups->distances->buckets[bucket], pair->shape, first,
			second, find_distance(pair, &first, &second) };
		groups->distances->buckets[bucket] = known;
	}
	struct distance distance = known->distance;
	if (distance.any) {
		distance.min += offset;
		distance.max += offset;
	}
	return distance;
}

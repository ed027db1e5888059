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
	bool any;
	long min, max;
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

static void find_distance(const struct group_pair *pair, struct known_distance *known)
{
	isl_space *space = isl_map_get_space(pair->map);
	isl_map *values = isl_map_apply_range(isl_map_copy(pair->map),
		value_map(isl_space_range(isl_space_copy(space)), &known->to));
	values = isl_map_apply_domain(values, value_map(isl_space_domain(space), &known->from));
	isl_set *deltas = isl_map_deltas(values);
	known->any = isl_set_is_empty(deltas) == isl_bool_false;
	if (known->any && !set_dim_range(deltas, 0, &known->min, &known->max)) {
		known->min = -1;
		known->max = 1;
	}
	isl_set_free(deltas);
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

bool group_distance(struct groups *groups, const struct group_pair *pair,
	const struct group_plane *from, long multiple_from, const struct group_plane *to,
	long multiple_to, long *min, long *max)
{
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
			second, false, 0, 0 };
		find_distance(pair, known);
		groups->distances->buckets[bucket] = known;
	}
	*min = known->min + offset;
	*max = known->max + offset;
	return known->any;
}

/* The boxes around sets of elements, as functions of the tiles that touch them. */

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "passes/regions/box.h"
#include "passes/analysis/values.h"

static __isl_give isl_pw_aff *constant_pw(__isl_keep isl_set *params, long value)
{
	isl_space *space = isl_set_get_space(params);
	isl_aff *aff = isl_aff_val_on_domain_space(space,
		isl_val_int_from_si(isl_set_get_ctx(params), value));
	return isl_pw_aff_from_aff(aff);
}

/* One bound of a dimension; where isl's has too many cases, the bound over all visits. */
static __isl_give isl_pw_aff *bound(__isl_keep isl_set *elements, __isl_keep isl_set *params, int d,
	bool is_high)
{
	enum { PIECES = 12 };
	isl_pw_aff *value = is_high ? isl_set_dim_max(isl_set_copy(elements), d)
		: isl_set_dim_min(isl_set_copy(elements), d);
	isl_pw_aff *simple = isl_pw_aff_coalesce(isl_pw_aff_copy(value));
	if (isl_pw_aff_is_equal(simple, value) == isl_bool_true) {
		isl_pw_aff_free(value);
		value = simple;
	} else {
		isl_pw_aff_free(simple);
	}
	if (value && isl_pw_aff_n_piece(value) <= PIECES)
		return value;
	isl_pw_aff_free(value);
	long min = 0, max = 0;
	if (!set_dim_range(elements, d, &min, &max))
		return NULL;
	return isl_pw_aff_intersect_domain(constant_pw(params, is_high ? max : min),
		isl_set_copy(params));
}

void box_find(__isl_keep isl_set *lows, __isl_keep isl_set *highs, __isl_keep isl_set *visits,
	int rank, struct box *box)
{
	box->rank = rank;
	for (int d = 0; d < rank; d++) {
		box->low[d] = bound(lows, visits, d, false);
		box->high[d] = bound(highs, visits, d, true);
	}
}

void box_free(struct box *box)
{
	for (int d = 0; d < box->rank; d++) {
		isl_pw_aff_free(box->low[d]);
		isl_pw_aff_free(box->high[d]);
	}
}

__isl_give isl_set *box_elements(const struct box *box, __isl_keep isl_set *elements)
{
	isl_set *all = isl_set_universe(isl_set_get_space(elements));
	for (int d = 0; d < box->rank; d++) {
		isl_local_space *space = isl_local_space_from_space(isl_set_get_space(elements));
		isl_pw_aff *x = isl_pw_aff_from_aff(isl_aff_var_on_domain(space, isl_dim_set,
			(unsigned)d));
		isl_pw_aff *low = isl_pw_aff_insert_domain(isl_pw_aff_copy(box->low[d]),
			isl_set_get_space(elements));
		isl_pw_aff *high = isl_pw_aff_insert_domain(isl_pw_aff_copy(box->high[d]),
			isl_set_get_space(elements));
		all = isl_set_intersect(all, isl_pw_aff_ge_set(isl_pw_aff_copy(x), low));
		all = isl_set_intersect(all, isl_pw_aff_le_set(x, high));
	}
	return all;
}

struct most {
	bool known, any;
	long value;
};

/* A case of a difference.  isl may not have seen that it holds for no whole numbers, and has no
 * maximum of (t + 1) / 2 where all t are odd. */
static isl_stat find_most(__isl_take isl_set *domain, __isl_take isl_aff *aff, void *user)
{
	struct most *most = user;
	isl_val *divisor = isl_aff_get_denominator_val(aff);
	aff = isl_aff_scale_val(aff, isl_val_copy(divisor));
	isl_val *value = isl_val_ceil(isl_val_div(isl_set_max_val(domain, aff), divisor));
	bool is_int = isl_val_is_int(value) == isl_bool_true;
	long number = is_int ? isl_val_get_num_si(value) : 0;
	if (!is_int && isl_set_is_empty(domain) != isl_bool_true)
		most->known = false;
	if (is_int && (!most->any || number > most->value))
		most->value = number;
	most->any |= is_int;
	isl_val_free(value);
	isl_set_free(domain);
	isl_aff_free(aff);
	return isl_stat_ok;
}

long box_extent(__isl_keep isl_pw_aff *low, __isl_keep isl_pw_aff *high)
{
	struct most most = { .known = true };
	isl_pw_aff *difference = isl_pw_aff_sub(isl_pw_aff_copy(high), isl_pw_aff_copy(low));
	bool done = isl_pw_aff_foreach_piece(difference, find_most, &most) == isl_stat_ok;
	isl_pw_aff_free(difference);
	return done && most.known && most.any ? most.value + 1 : -1;
}

/* Looks for a simple low end among the cases of a bound. */
struct simple_low {
	const struct box *box;
	int dim;
	isl_set *visits;
	long extent;
	isl_pw_aff *found;
};

static isl_stat try_case(__isl_take isl_set *domain, __isl_take isl_aff *aff, void *user)
{
	struct simple_low *simple = user;
	isl_set_free(domain);
	isl_pw_aff *low = isl_pw_aff_intersect_domain(isl_pw_aff_from_aff(aff),
		isl_set_copy(simple->visits));
	isl_set *below = isl_pw_aff_le_set(isl_pw_aff_copy(low),
		isl_pw_aff_copy(simple->box->low[simple->dim]));
	if (!simple->found && isl_set_is_subset(simple->visits, below) == isl_bool_true
		&& box_extent(low, simple->box->high[simple->dim]) == simple->extent)
		simple->found = isl_pw_aff_copy(low);
	isl_set_free(below);
	isl_pw_aff_free(low);
	return isl_stat_ok;
}

__isl_give isl_pw_aff *box_origin(const struct box *box, int dim, __isl_keep isl_set *visits)
{
	struct simple_low simple = { box, dim, visits, box_extent(box->low[dim], box->high[dim]),
		NULL };
	if (isl_pw_aff_n_piece(box->low[dim]) > 1)
		isl_pw_aff_foreach_piece(box->low[dim], try_case, &simple);
	return simple.found ? simple.found : isl_pw_aff_copy(box->low[dim]);
}

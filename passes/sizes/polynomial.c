/* Piecewise polynomials on sets of integers: sums over their last dimension by the sums of powers,
 * and as few pieces as they need. */

#include "passes/sizes/polynomial.h"

#include <limits.h>

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "ir/coalesce.h"
#include "passes/analysis/values.h"

enum { POWER_LIMIT = 3, PIECES = 32 };

/* ---- fewer pieces ---- */

/* isl's own coalescing of piecewise polynomials is not always right (ir/coalesce.h). */
struct pieces {
	int count;
	bool is_final;               /* of sizes alone: worth more work */
	isl_set *sets[PIECES];
	isl_qpolynomial *polynomials[PIECES];
	isl_pw_qpolynomial *rest;    /* no room for those; NULL: none */
};

/* The one value that the quotient DIV has on SET; false if it has several. */
static bool is_known(__isl_keep isl_set *set, __isl_keep isl_aff *div, long *value)
{
	isl_pw_aff *here = isl_pw_aff_intersect_domain(isl_pw_aff_from_aff(isl_aff_copy(div)),
		isl_set_copy(set));
	isl_val *least = isl_pw_aff_min_val(isl_pw_aff_copy(here));
	isl_val *most = isl_pw_aff_max_val(here);
	bool known = isl_val_is_int(least) == isl_bool_true && isl_val_eq(least, most) == isl_bool_true;
	*value = known ? isl_val_get_num_si(least) : 0;
	isl_val_free(least);
	isl_val_free(most);
	return known;
}

struct simplification {
	isl_set *set;
	isl_space *space;
	bool with_sizes;
	isl_qpolynomial *result;
};

/* FACTOR, or the number that it is on the set, if it is one there. */
static __isl_give isl_qpolynomial *known_factor(const struct simplification *simple,
	__isl_take isl_aff *factor)
{
	long value;
	isl_qpolynomial *result = is_known(simple->set, factor, &value)
		? isl_qpolynomial_val_on_domain(isl_space_copy(simple->space),
			isl_val_int_from_si(isl_set_get_ctx(simple->set), value))
		: isl_qpolynomial_from_aff(isl_aff_copy(factor));
	isl_aff_free(factor);
	return result;
}

static __isl_give isl_qpolynomial *size_factor(const struct simplification *simple, unsigned k)
{
	isl_aff *size;
	if (!simple->with_sizes)
		return isl_qpolynomial_var_on_domain(isl_space_copy(simple->space), isl_dim_param, k);
	size = isl_aff_zero_on_domain(isl_local_space_from_space(isl_space_copy(simple->space)));
	return known_factor(simple, isl_aff_set_coefficient_si(size, isl_dim_param, (int)k, 1));
}

/* Quotients of TERM that are known are numbers. */
static isl_stat simplify_term(__isl_take isl_term *term, void *user)
{
	struct simplification *simple = user;
	isl_qpolynomial *product = isl_qpolynomial_val_on_domain(isl_space_copy(simple->space),
		isl_term_get_coefficient_val(term));
	for (unsigned k = 0; k < (unsigned)isl_term_dim(term, isl_dim_param); k++)
		if (isl_term_get_exp(term, isl_dim_param, k))
			product = isl_qpolynomial_mul(product, isl_qpolynomial_pow(size_factor(simple, k),
				(unsigned)isl_term_get_exp(term, isl_dim_param, k)));
	for (unsigned i = 0; i < (unsigned)isl_term_dim(term, isl_dim_div); i++) {
		unsigned power = (unsigned)isl_term_get_exp(term, isl_dim_div, i);
		if (power)
			product = isl_qpolynomial_mul(product, isl_qpolynomial_pow(known_factor(simple,
				isl_aff_floor(isl_term_get_div(term, i))), power));
	}
	simple->result = isl_qpolynomial_add(simple->result, product);
	isl_term_free(term);
	return isl_stat_ok;
}

/* OF on SET: quotients that are known there, and WITH_SIZES sizes too, are numbers. */
static __isl_give isl_qpolynomial *simplified(__isl_take isl_set *set,
	__isl_take isl_qpolynomial *of, bool with_sizes)
{
	isl_space *space = isl_qpolynomial_get_domain_space(of);
	struct simplification simple = { set, space, with_sizes,
		isl_qpolynomial_zero_on_domain(isl_space_copy(space)) };
	isl_qpolynomial_foreach_term(of, simplify_term, &simple);
	isl_space_free(space);
	isl_set_free(set);
	isl_qpolynomial_free(of);
	return simple.result;
}

static isl_stat collect_piece(__isl_take isl_set *set, __isl_take isl_qpolynomial *of, void *user)
{
	struct pieces *pieces = user;
	if (isl_set_is_empty(set) == isl_bool_true) {
		isl_set_free(set);
		isl_qpolynomial_free(of);
		return isl_stat_ok;
	}
	if (pieces->is_final)
		of = simplified(isl_set_copy(set), of, false);
	for (int i = 0; i < pieces->count; i++)
		if (isl_qpolynomial_plain_is_equal(pieces->polynomials[i], of) == isl_bool_true) {
			pieces->sets[i] = set_coalesce(isl_set_union(pieces->sets[i], set));
			isl_qpolynomial_free(of);
			return isl_stat_ok;
		}
	if (pieces->count < PIECES) {
		pieces->sets[pieces->count] = set;
		pieces->polynomials[pieces->count++] = of;
		return isl_stat_ok;
	}
	isl_pw_qpolynomial *piece = isl_pw_qpolynomial_alloc(set, of);
	pieces->rest = pieces->rest ? isl_pw_qpolynomial_add_disjoint(pieces->rest, piece) : piece;
	return isl_stat_ok;
}

/* What piece I says is right where J is, too. */
static bool holds_for(const struct pieces *pieces, int i, int j)
{
	isl_set *set = pieces->sets[j];
	isl_qpolynomial *difference = isl_qpolynomial_sub(
		isl_qpolynomial_copy(pieces->polynomials[i]), isl_qpolynomial_copy(pieces->polynomials[j]));
	difference = isl_qpolynomial_gist(simplified(isl_set_copy(set), difference, true),
		isl_set_copy(set));
	bool same = isl_qpolynomial_is_zero(difference) == isl_bool_true;
	isl_qpolynomial_free(difference);
	return same;
}

static void merge_pieces(struct pieces *pieces)
{
	for (int i = 0; i < pieces->count; i++)
		for (int j = 0; j < pieces->count; j++) {
			if (i == j || !pieces->sets[i] || !pieces->sets[j] || !holds_for(pieces, i, j))
				continue;
			pieces->sets[i] = set_coalesce(isl_set_union(pieces->sets[i], pieces->sets[j]));
			pieces->sets[j] = NULL;
			isl_qpolynomial_free(pieces->polynomials[j]);
		}
}

__isl_give isl_pw_qpolynomial *polynomial_tidy(__isl_take isl_pw_qpolynomial *of, bool is_final)
{
	struct pieces pieces = { .is_final = is_final };
	isl_pw_qpolynomial *result = isl_pw_qpolynomial_zero(isl_pw_qpolynomial_get_space(of));
	isl_pw_qpolynomial_foreach_piece(of, collect_piece, &pieces);
	isl_pw_qpolynomial_free(of);
	if (is_final)
		merge_pieces(&pieces);
	for (int i = 0; i < pieces.count; i++)
		if (pieces.sets[i])
			result = isl_pw_qpolynomial_add_disjoint(result, isl_pw_qpolynomial_alloc(
				pieces.sets[i], pieces.polynomials[i]));
	return pieces.rest ? isl_pw_qpolynomial_add_disjoint(result, pieces.rest) : result;
}

/* ---- sums of powers ---- */

/* Of i from 1 to X of i to the POWER; a polynomial, right for X < 0 too. */
static __isl_give isl_qpolynomial *sum_of_powers(__isl_take isl_qpolynomial *x, unsigned power)
{
	isl_ctx *ctx = isl_qpolynomial_get_ctx(x);
	isl_space *space = isl_qpolynomial_get_domain_space(x);
	isl_qpolynomial *next = isl_qpolynomial_add(isl_qpolynomial_copy(x),
		isl_qpolynomial_one_on_domain(isl_space_copy(space)));
	isl_qpolynomial *product = isl_qpolynomial_mul(isl_qpolynomial_copy(x),
		isl_qpolynomial_copy(next));
	isl_qpolynomial *result;
	if (power == 0) {
		result = isl_qpolynomial_copy(x);
	} else if (power == 1) {
		result = isl_qpolynomial_scale_down_val(isl_qpolynomial_copy(product),
			isl_val_int_from_si(ctx, 2));
	} else if (power == 2) {
		result = isl_qpolynomial_mul(isl_qpolynomial_copy(product),
			isl_qpolynomial_add(isl_qpolynomial_copy(x), isl_qpolynomial_copy(next)));
		result = isl_qpolynomial_scale_down_val(result, isl_val_int_from_si(ctx, 6));
	} else {
		result = isl_qpolynomial_pow(isl_qpolynomial_copy(product), 2);
		result = isl_qpolynomial_scale_down_val(result, isl_val_int_from_si(ctx, 4));
	}
	isl_space_free(space);
	isl_qpolynomial_free(product);
	isl_qpolynomial_free(next);
	isl_qpolynomial_free(x);
	return result;
}

/* The last dimension of a piece is summed up from LOW to HIGH. */
struct last_dim {
	bool *failed;
	unsigned dim;
	isl_space *rest;             /* the space without it */
	isl_aff *low, *high;
	isl_qpolynomial *result;
};

static __isl_give isl_qpolynomial *power_of(__isl_take isl_qpolynomial *base, int power)
{
	return isl_qpolynomial_pow(base, (unsigned)power);
}

/* TERM without the last dimension. */
static __isl_give isl_qpolynomial *without_last(struct last_dim *last, __isl_keep isl_term *term)
{
	isl_qpolynomial *result = isl_qpolynomial_val_on_domain(isl_space_copy(last->rest),
		isl_term_get_coefficient_val(term));
	for (unsigned k = 0; k < (unsigned)isl_term_dim(term, isl_dim_param); k++)
		result = isl_qpolynomial_mul(result, power_of(isl_qpolynomial_var_on_domain(
			isl_space_copy(last->rest), isl_dim_param, k),
			isl_term_get_exp(term, isl_dim_param, k)));
	for (unsigned d = 0; d < last->dim; d++)
		result = isl_qpolynomial_mul(result, power_of(isl_qpolynomial_var_on_domain(
			isl_space_copy(last->rest), isl_dim_set, d), isl_term_get_exp(term, isl_dim_set, d)));
	for (unsigned i = 0; i < (unsigned)isl_term_dim(term, isl_dim_div); i++) {
		int power = isl_term_get_exp(term, isl_dim_div, i);
		isl_aff *div = power ? isl_aff_floor(isl_term_get_div(term, i)) : NULL;
		if (!power)
			continue;
		*last->failed |= isl_aff_involves_dims(div, isl_dim_in, last->dim, 1) != isl_bool_false;
		div = isl_aff_drop_dims(div, isl_dim_in, last->dim, 1);
		result = isl_qpolynomial_mul(result, power_of(isl_qpolynomial_from_aff(div), power));
	}
	return result;
}

static isl_stat sum_term(__isl_take isl_term *term, void *user)
{
	struct last_dim *last = user;
	int power = isl_term_get_exp(term, isl_dim_set, last->dim);
	*last->failed |= power > POWER_LIMIT;
	if (!*last->failed) {
		isl_qpolynomial *high = sum_of_powers(isl_qpolynomial_from_aff(
			isl_aff_copy(last->high)), (unsigned)power);
		isl_qpolynomial *low = sum_of_powers(isl_qpolynomial_from_aff(aff_add(
			isl_aff_copy(last->low), -1)), (unsigned)power);
		last->result = isl_qpolynomial_add(last->result, isl_qpolynomial_mul(
			without_last(last, term), isl_qpolynomial_sub(high, low)));
	}
	isl_term_free(term);
	return isl_stat_ok;
}

/* ---- one dimension of a set ---- */

struct dim_sum {
	bool *failed;
	unsigned dim;
	isl_qpolynomial *of;         /* on the piece in hand */
	isl_set *low_piece;          /* where low is the least value */
	isl_aff *low;
	isl_pw_aff *high_bound;
	isl_pw_qpolynomial *result;
};

static isl_stat sum_high(__isl_take isl_set *piece, __isl_take isl_aff *high, void *user)
{
	struct dim_sum *dim = user;
	isl_set *domain = isl_set_intersect(piece, isl_set_copy(dim->low_piece));
	isl_space *rest = isl_set_get_space(domain);
	struct last_dim last = { .failed = dim->failed, .dim = dim->dim, .rest = rest, .low = dim->low,
		.high = high, .result = isl_qpolynomial_zero_on_domain(isl_space_copy(rest)) };
	if (isl_set_is_empty(domain) != isl_bool_true)
		isl_qpolynomial_foreach_term(dim->of, sum_term, &last);
	dim->result = isl_pw_qpolynomial_add(dim->result,
		isl_pw_qpolynomial_alloc(domain, last.result));
	isl_aff_free(high);
	isl_space_free(rest);
	return *dim->failed ? isl_stat_error : isl_stat_ok;
}

static isl_stat sum_low(__isl_take isl_set *piece, __isl_take isl_aff *low, void *user)
{
	struct dim_sum *dim = user;
	dim->low_piece = piece;
	dim->low = low;
	isl_stat status = isl_pw_aff_foreach_piece(dim->high_bound, sum_high, dim);
	isl_set_free(piece);
	isl_aff_free(low);
	return status;
}

/* A polynomial on a space of which each dimension becomes a value on another one, that may
 * have the dimension DIM for a new variable. */
struct replacement {
	bool *failed;
	unsigned dim;
	isl_multi_aff *by;
	isl_qpolynomial *result;
};

static __isl_give isl_space *new_space(const struct replacement *replacement)
{
	return isl_multi_aff_get_domain_space(replacement->by);
}

static bool has_new_variable(const struct replacement *replacement)
{
	return isl_multi_aff_dim(replacement->by, isl_dim_in) > (int)replacement->dim;
}

/* The floor of DIV, where whole numbers times the new variable come out. */
static __isl_give isl_qpolynomial *replaced_div(const struct replacement *replacement,
	__isl_take isl_aff *div)
{
	int dim = (int)replacement->dim;
	isl_qpolynomial *whole = isl_qpolynomial_zero_on_domain(new_space(replacement));
	div = isl_aff_pullback_multi_aff(div, isl_multi_aff_copy(replacement->by));
	if (has_new_variable(replacement)) {
		isl_val *factor = isl_aff_get_coefficient_val(div, isl_dim_in, dim);
		if (isl_val_is_int(factor) == isl_bool_true) {
			div = isl_aff_set_coefficient_si(div, isl_dim_in, dim, 0);
			whole = isl_qpolynomial_add(whole, isl_qpolynomial_scale_val(
				isl_qpolynomial_var_on_domain(new_space(replacement), isl_dim_set,
				replacement->dim), isl_val_copy(factor)));
		}
		isl_val_free(factor);
		*replacement->failed |= isl_aff_involves_dims(div, isl_dim_in, replacement->dim, 1)
			!= isl_bool_false;
	}
	return isl_qpolynomial_add(whole, isl_qpolynomial_from_aff(isl_aff_floor(div)));
}

static isl_stat replace_term(__isl_take isl_term *term, void *user)
{
	struct replacement *replacement = user;
	isl_qpolynomial *product = isl_qpolynomial_val_on_domain(new_space(replacement),
		isl_term_get_coefficient_val(term));
	for (unsigned k = 0; k < (unsigned)isl_term_dim(term, isl_dim_param); k++)
		product = isl_qpolynomial_mul(product, power_of(isl_qpolynomial_var_on_domain(
			new_space(replacement), isl_dim_param, k), isl_term_get_exp(term, isl_dim_param, k)));
	for (unsigned d = 0; d <= replacement->dim; d++)
		product = isl_qpolynomial_mul(product, power_of(isl_qpolynomial_from_aff(
			isl_multi_aff_get_aff(replacement->by, (int)d)),
			isl_term_get_exp(term, isl_dim_set, d)));
	for (unsigned i = 0; i < (unsigned)isl_term_dim(term, isl_dim_div); i++)
		if (isl_term_get_exp(term, isl_dim_div, i))
			product = isl_qpolynomial_mul(product, power_of(replaced_div(replacement,
				isl_term_get_div(term, i)), isl_term_get_exp(term, isl_dim_div, i)));
	replacement->result = isl_qpolynomial_add(replacement->result, product);
	isl_term_free(term);
	return isl_stat_ok;
}

/* OF, whose last dimension is DIM, where its dimensions are BY. */
static __isl_give isl_qpolynomial *replaced(bool *failed, __isl_keep isl_qpolynomial *of,
	unsigned dim, __isl_take isl_multi_aff *by)
{
	struct replacement replacement = { failed, dim, by, NULL };
	replacement.result = isl_qpolynomial_zero_on_domain(new_space(&replacement));
	isl_qpolynomial_foreach_term(of, replace_term, &replacement);
	isl_multi_aff_free(by);
	return replacement.result;
}

struct period {
	long value;
	unsigned dim;
	bool is_unknown;             /* isl does not say, as its work is at an end */
};

/* PERIOD is a multiple of what DIV has dimension DIM divided by. */
static void lengthen(struct period *period, __isl_take isl_aff *div)
{
	isl_val *divisor = isl_aff_get_denominator_val(div);
	long value = isl_val_get_num_si(divisor);
	isl_val_free(divisor);
	period->is_unknown |= value < 1;
	if (isl_aff_involves_dims(div, isl_dim_in, period->dim, 1) != isl_bool_false
		&& value > 0 && period->value % value)
		period->value *= value;
	isl_aff_free(div);
}

static isl_stat lengthen_for_term(__isl_take isl_term *term, void *user)
{
	for (unsigned i = 0; i < (unsigned)isl_term_dim(term, isl_dim_div); i++)
		if (isl_term_get_exp(term, isl_dim_div, i))
			lengthen(user, isl_term_get_div(term, i));
	isl_term_free(term);
	return isl_stat_ok;
}

/* A number such that what PIECE and OF (may be NULL) say of their last dimension is the same
 * for values that differ by it, but for multiples of it: of the divisors of integer divisions
 * that have it.  LONG_MAX: not known. */
static long period_of(__isl_keep isl_basic_set *piece, __isl_keep isl_qpolynomial *of, unsigned dim)
{
	struct period period = { .value = 1, .dim = dim };
	isl_local_space *space = isl_basic_set_get_local_space(piece);
	for (int i = 0; i < isl_local_space_dim(space, isl_dim_div); i++)
		lengthen(&period, isl_local_space_get_div(space, i));
	isl_local_space_free(space);
	if (of)
		isl_qpolynomial_foreach_term(of, lengthen_for_term, &period);
	return period.is_unknown ? LONG_MAX : period.value;
}

static isl_stat sum_basic(__isl_take isl_basic_set *piece, void *user);

/* The last dimension is PERIOD times a new one, plus REST. */
static isl_stat sum_residues(struct dim_sum *dim, __isl_take isl_basic_set *piece, long period)
{
	isl_qpolynomial *of = dim->of;
	isl_ctx *ctx = isl_basic_set_get_ctx(piece);
	for (long rest = 0; rest < period && !*dim->failed; rest++) {
		isl_multi_aff *stretch = isl_multi_aff_identity(isl_space_map_from_set(
			isl_basic_set_get_space(piece)));
		isl_aff *value = isl_multi_aff_get_aff(stretch, (int)dim->dim);
		value = aff_add(isl_aff_scale_val(value, isl_val_int_from_si(ctx, period)), rest);
		stretch = isl_multi_aff_set_aff(stretch, (int)dim->dim, value);
		isl_set *part = isl_set_preimage_multi_aff(isl_set_from_basic_set(
			isl_basic_set_copy(piece)), isl_multi_aff_copy(stretch));
		part = isl_set_make_disjoint(isl_set_compute_divs(part));
		dim->of = replaced(dim->failed, of, dim->dim, stretch);
		/* What still depends on residues then is none of ours. */
		isl_basic_set_list *list = isl_set_get_basic_set_list(part);
		for (int i = 0; i < isl_basic_set_list_n_basic_set(list); i++) {
			isl_basic_set *one = isl_basic_set_list_get_basic_set(list, i);
			*dim->failed |= period_of(one, NULL, dim->dim) > 1;
			isl_basic_set_free(one);
		}
		isl_basic_set_list_free(list);
		if (!*dim->failed)
			isl_set_foreach_basic_set(part, sum_basic, dim);
		isl_set_free(part);
		isl_qpolynomial_free(dim->of);
	}
	dim->of = of;
	isl_basic_set_free(piece);
	return *dim->failed ? isl_stat_error : isl_stat_ok;
}

/* On PIECE the last dimension has one value. */
static isl_stat take_value(__isl_take isl_set *piece, __isl_take isl_aff *value, void *user)
{
	struct dim_sum *dim = user;
	isl_multi_aff *by = isl_multi_aff_identity(isl_space_map_from_set(isl_set_get_space(piece)));
	by = isl_multi_aff_flat_range_product(by, isl_multi_aff_from_aff(value));
	dim->result = isl_pw_qpolynomial_add(dim->result, isl_pw_qpolynomial_alloc(piece,
		replaced(dim->failed, dim->of, dim->dim, by)));
	return *dim->failed ? isl_stat_error : isl_stat_ok;
}

/* What SET says of its last dimension, by the others. */
static __isl_give isl_map *by_others(__isl_take isl_set *set)
{
	unsigned last = (unsigned)isl_set_dim(set, isl_dim_set) - 1;
	return isl_map_move_dims(isl_map_from_range(set), isl_dim_in, 0, isl_dim_out, 0, last);
}

/* The last dimension of SET, as a function of the others. */
static __isl_give isl_pw_aff *bound_of(__isl_take isl_set *set, bool is_high)
{
	isl_map *map = by_others(set);
	isl_pw_multi_aff *bound = is_high ? isl_map_lexmax_pw_multi_aff(map)
		: isl_map_lexmin_pw_multi_aff(map);
	isl_pw_aff *value = isl_pw_multi_aff_get_pw_aff(bound, 0);
	isl_pw_multi_aff_free(bound);
	return value;
}

static isl_stat sum_basic(__isl_take isl_basic_set *piece, void *user)
{
	enum { PERIOD_LIMIT = 8 };
	struct dim_sum *dim = user;
	isl_map *map = by_others(isl_set_from_basic_set(isl_basic_set_copy(piece)));
	bool has_one_value = isl_map_is_single_valued(map) == isl_bool_true;
	isl_map_free(map);
	long period = has_one_value ? 1 : period_of(piece, dim->of, dim->dim);
	if (period > PERIOD_LIMIT)
		*dim->failed = true;
	if (period > 1 && !*dim->failed)
		return sum_residues(dim, piece, period);
	isl_set *set = isl_set_from_basic_set(piece);
	isl_pw_aff *low = bound_of(isl_set_copy(set), false);
	dim->high_bound = has_one_value ? NULL : bound_of(isl_set_copy(set), true);
	isl_set_free(set);
	isl_stat status = isl_pw_aff_foreach_piece(low, has_one_value ? take_value : sum_low, dim);
	isl_pw_aff_free(low);
	isl_pw_aff_free(dim->high_bound);
	return status;
}

static isl_stat sum_piece(__isl_take isl_set *set, __isl_take isl_qpolynomial *of, void *user)
{
	struct dim_sum *dim = user;
	dim->of = of;
	set = isl_set_make_disjoint(isl_set_compute_divs(set));
	isl_stat status = isl_set_foreach_basic_set(set, sum_basic, dim);
	isl_set_free(set);
	isl_qpolynomial_free(of);
	return status;
}

/* OF summed up over its last dimension. */
__isl_give isl_pw_qpolynomial *polynomial_sum_last(__isl_take isl_pw_qpolynomial *of,
	unsigned dim, bool *failed)
{
	isl_space *space = isl_pw_qpolynomial_get_domain_space(of);
	space = isl_space_drop_dims(space, isl_dim_set, dim, 1);
	struct dim_sum state = { .failed = failed, .dim = dim, .result = isl_pw_qpolynomial_zero(
		isl_space_add_dims(isl_space_from_domain(space), isl_dim_out, 1)) };
	if (isl_pw_qpolynomial_foreach_piece(of, sum_piece, &state) != isl_stat_ok)
		*failed = true;
	isl_pw_qpolynomial_free(of);
	return polynomial_tidy(state.result, false);
}

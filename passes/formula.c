/* What a plan moves, as a function of its symbolic sizes.  The iterations of the loops
 * around a transfer are a set, the elements that each moves a polynomial on it; loops are
 * summed up one by one, the innermost first, by the sums of powers.  Quotients by tile
 * sizes, which the bounds bring in, are isl's integer divisions. */

#include "passes/formula.h"

#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/ast_build.h>
#include <isl/ilp.h>
#include <isl/polynomial.h>
#include <isl/space.h>
#include <isl/val.h>

#include "ir/coalesce.h"
#include "ir/program_build.h"
#include "passes/plan_value.h"
#include "passes/values.h"

enum { DEPTH_LIMIT = 64, POWER_LIMIT = 3, TEXT_LIMIT = 4000, PIECES = 32,
	OPERATIONS = 2500000, FEW_OPERATIONS = 100000 };

/* A loop, a named value or a condition around the transfer in hand. */
struct scope {
	const struct plan_node *node;
	int dim;                     /* of a loop, else -1 */
};

struct summation {
	struct compilation *compilation;
	const struct plan *plan;
	int depth, loop_count;
	struct scope around[DEPTH_LIMIT];
	isl_space *space;            /* of the loops' iterations, while they are looked at */
	bool failed;
	const struct array *array;   /* whose traffic is wanted */
	bool is_put;
	isl_pw_qpolynomial *total;   /* elements, on the sizes */
};

/* ---- expressions of the plan as isl's ---- */

static __isl_give isl_pw_aff *value_of(struct summation *sum, const struct plan_expr *expr);

static __isl_give isl_pw_aff *constant(struct summation *sum, long value)
{
	return isl_pw_aff_from_aff(isl_aff_val_on_domain_space(isl_space_copy(sum->space),
		isl_val_int_from_si(sum->compilation->ctx, value)));
}

/* lower + step * the iteration's number. */
static __isl_give isl_pw_aff *loop_value(struct summation *sum, const struct scope *scope)
{
	isl_pw_aff *number = isl_pw_aff_from_aff(isl_aff_var_on_domain(isl_local_space_from_space(
		isl_space_copy(sum->space)), isl_dim_set, (unsigned)scope->dim));
	number = isl_pw_aff_scale_val(number, isl_val_int_from_si(sum->compilation->ctx,
		scope->node->step));
	return isl_pw_aff_add(number, value_of(sum, scope->node->lower));
}

static __isl_give isl_pw_aff *variable(const struct plan_values *values, const struct plan_var *var)
{
	struct summation *sum = values->user;
	for (int i = sum->depth - 1; i >= 0; i--)
		if (sum->around[i].node->var == var)
			return sum->around[i].dim >= 0 ? loop_value(sum, &sum->around[i])
				: value_of(sum, sum->around[i].node->lower);
	if (!var->size) {
		sum->failed = true;
		return constant(sum, 0);
	}
	isl_aff *size = isl_aff_zero_on_domain(isl_local_space_from_space(
		isl_space_copy(sum->space)));
	return isl_pw_aff_from_aff(isl_aff_set_coefficient_si(size, isl_dim_param,
		var->size->index, 1));
}

static struct plan_values values_of(struct summation *sum)
{
	return (struct plan_values){ sum->space, variable, sum };
}

static __isl_give isl_pw_aff *value_of(struct summation *sum, const struct plan_expr *expr)
{
	struct plan_values values = values_of(sum);
	return plan_value(&values, expr);
}

static __isl_give isl_set *truth_of(struct summation *sum, const struct plan_expr *expr)
{
	struct plan_values values = values_of(sum);
	return plan_truth(&values, expr);
}

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
	isl_qpolynomial *there = simplified(isl_set_copy(pieces->sets[j]),
		isl_qpolynomial_copy(pieces->polynomials[i]), true);
	isl_qpolynomial *own = simplified(isl_set_copy(pieces->sets[j]),
		isl_qpolynomial_copy(pieces->polynomials[j]), true);
	bool same = isl_qpolynomial_plain_is_equal(there, own) == isl_bool_true;
	isl_qpolynomial_free(there);
	isl_qpolynomial_free(own);
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

static __isl_give isl_pw_qpolynomial *tidy(__isl_take isl_pw_qpolynomial *of, bool is_final)
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
	struct summation *sum;
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
static __isl_give isl_qpolynomial *factors(struct last_dim *last, __isl_keep isl_term *term)
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
		last->sum->failed |= isl_aff_involves_dims(div, isl_dim_in, last->dim, 1) != isl_bool_false;
		div = isl_aff_drop_dims(div, isl_dim_in, last->dim, 1);
		result = isl_qpolynomial_mul(result, power_of(isl_qpolynomial_from_aff(div), power));
	}
	return result;
}

static isl_stat sum_term(__isl_take isl_term *term, void *user)
{
	struct last_dim *last = user;
	int power = isl_term_get_exp(term, isl_dim_set, last->dim);
	last->sum->failed |= power > POWER_LIMIT;
	if (!last->sum->failed) {
		isl_qpolynomial *high = sum_of_powers(isl_qpolynomial_from_aff(
			isl_aff_copy(last->high)), (unsigned)power);
		isl_qpolynomial *low = sum_of_powers(isl_qpolynomial_from_aff(aff_add(
			isl_aff_copy(last->low), -1)), (unsigned)power);
		last->result = isl_qpolynomial_add(last->result, isl_qpolynomial_mul(
			factors(last, term), isl_qpolynomial_sub(high, low)));
	}
	isl_term_free(term);
	return isl_stat_ok;
}

/* ---- one dimension of a set ---- */

struct dim_sum {
	struct summation *sum;
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
	struct last_dim last = { .sum = dim->sum, .dim = dim->dim, .rest = rest, .low = dim->low,
		.high = high, .result = isl_qpolynomial_zero_on_domain(isl_space_copy(rest)) };
	if (isl_set_is_empty(domain) != isl_bool_true)
		isl_qpolynomial_foreach_term(dim->of, sum_term, &last);
	dim->result = isl_pw_qpolynomial_add(dim->result,
		isl_pw_qpolynomial_alloc(domain, last.result));
	isl_aff_free(high);
	isl_space_free(rest);
	return dim->sum->failed ? isl_stat_error : isl_stat_ok;
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

/* The last dimension of SET, as a function of the others. */
static __isl_give isl_pw_aff *bound_of(__isl_take isl_set *set, bool is_high)
{
	unsigned last = (unsigned)isl_set_dim(set, isl_dim_set) - 1;
	isl_map *map = isl_map_from_range(set);
	map = isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, last);
	isl_pw_multi_aff *bound = is_high ? isl_map_lexmax_pw_multi_aff(map)
		: isl_map_lexmin_pw_multi_aff(map);
	isl_pw_aff *value = isl_pw_multi_aff_get_pw_aff(bound, 0);
	isl_pw_multi_aff_free(bound);
	return value;
}

/* The least number such that what PIECE says of its last dimension is the same for values
 * that differ by it: of the divisors of integer divisions that have it. */
static long period_of(__isl_keep isl_basic_set *piece, unsigned dim)
{
	long period = 1;
	isl_local_space *space = isl_basic_set_get_local_space(piece);
	for (int i = 0; i < isl_local_space_dim(space, isl_dim_div); i++) {
		isl_aff *div = isl_local_space_get_div(space, i);
		isl_val *divisor = isl_aff_get_denominator_val(div);
		long value = isl_val_get_num_si(divisor);
		isl_val_free(divisor);
		if (isl_aff_involves_dims(div, isl_dim_in, dim, 1) != isl_bool_false
			&& period % value)
			period *= value;
		isl_aff_free(div);
	}
	isl_local_space_free(space);
	return period;
}

static isl_stat sum_basic(__isl_take isl_basic_set *piece, void *user);

/* A polynomial in which a variable becomes another value. */
struct stretch {
	struct summation *sum;
	unsigned dim;
	isl_qpolynomial *by;
	isl_qpolynomial *result;
};

static isl_stat stretch_term(__isl_take isl_term *term, void *user)
{
	struct stretch *stretch = user;
	isl_space *space = isl_qpolynomial_get_domain_space(stretch->by);
	isl_qpolynomial *product = isl_qpolynomial_val_on_domain(isl_space_copy(space),
		isl_term_get_coefficient_val(term));
	for (unsigned k = 0; k < (unsigned)isl_term_dim(term, isl_dim_param); k++)
		product = isl_qpolynomial_mul(product, power_of(isl_qpolynomial_var_on_domain(
			isl_space_copy(space), isl_dim_param, k), isl_term_get_exp(term, isl_dim_param, k)));
	for (unsigned d = 0; d <= stretch->dim; d++)
		product = isl_qpolynomial_mul(product, power_of(d == stretch->dim
			? isl_qpolynomial_copy(stretch->by)
			: isl_qpolynomial_var_on_domain(isl_space_copy(space), isl_dim_set, d),
			isl_term_get_exp(term, isl_dim_set, d)));
	for (unsigned i = 0; i < (unsigned)isl_term_dim(term, isl_dim_div); i++) {
		isl_aff *div = isl_aff_floor(isl_term_get_div(term, i));
		stretch->sum->failed |= isl_term_get_exp(term, isl_dim_div, i)
			&& isl_aff_involves_dims(div, isl_dim_in, stretch->dim, 1) != isl_bool_false;
		product = isl_qpolynomial_mul(product, power_of(isl_qpolynomial_from_aff(div),
			isl_term_get_exp(term, isl_dim_div, i)));
	}
	stretch->result = isl_qpolynomial_add(stretch->result, product);
	isl_space_free(space);
	isl_term_free(term);
	return isl_stat_ok;
}

/* OF where dimension DIM is BY. */
static __isl_give isl_qpolynomial *stretched(struct summation *sum,
	__isl_keep isl_qpolynomial *of, unsigned dim, __isl_take isl_qpolynomial *by)
{
	struct stretch stretch = { sum, dim, by,
		isl_qpolynomial_zero_on_domain(isl_qpolynomial_get_domain_space(by)) };
	isl_qpolynomial_foreach_term(of, stretch_term, &stretch);
	isl_qpolynomial_free(by);
	return stretch.result;
}

/* The last dimension is PERIOD times a new one, plus REST. */
static isl_stat sum_residues(struct dim_sum *dim, __isl_take isl_basic_set *piece, long period)
{
	isl_qpolynomial *of = dim->of;
	isl_ctx *ctx = isl_basic_set_get_ctx(piece);
	for (long rest = 0; rest < period && !dim->sum->failed; rest++) {
		isl_space *space = isl_basic_set_get_space(piece);
		isl_multi_aff *stretch = isl_multi_aff_identity(isl_space_map_from_set(
			isl_space_copy(space)));
		isl_aff *value = isl_multi_aff_get_aff(stretch, (int)dim->dim);
		value = aff_add(isl_aff_scale_val(value, isl_val_int_from_si(ctx, period)), rest);
		isl_qpolynomial *by = isl_qpolynomial_from_aff(isl_aff_copy(value));
		stretch = isl_multi_aff_set_aff(stretch, (int)dim->dim, value);
		isl_set *part = isl_set_preimage_multi_aff(isl_set_from_basic_set(
			isl_basic_set_copy(piece)), stretch);
		part = isl_set_make_disjoint(isl_set_compute_divs(part));
		dim->of = stretched(dim->sum, of, dim->dim, by);
		isl_space_free(space);
		/* What still depends on residues then is none of ours. */
		isl_basic_set_list *list = isl_set_get_basic_set_list(part);
		for (int i = 0; i < isl_basic_set_list_n_basic_set(list); i++) {
			isl_basic_set *one = isl_basic_set_list_get_basic_set(list, i);
			dim->sum->failed |= period_of(one, dim->dim) > 1;
			isl_basic_set_free(one);
		}
		isl_basic_set_list_free(list);
		if (!dim->sum->failed)
			isl_set_foreach_basic_set(part, sum_basic, dim);
		isl_set_free(part);
		isl_qpolynomial_free(dim->of);
	}
	dim->of = of;
	isl_basic_set_free(piece);
	return dim->sum->failed ? isl_stat_error : isl_stat_ok;
}

static isl_stat sum_basic(__isl_take isl_basic_set *piece, void *user)
{
	enum { PERIOD_LIMIT = 8 };
	struct dim_sum *dim = user;
	long period = period_of(piece, dim->dim);
	if (period > PERIOD_LIMIT)
		dim->sum->failed = true;
	if (period > 1 && !dim->sum->failed)
		return sum_residues(dim, piece, period);
	isl_set *set = isl_set_from_basic_set(piece);
	isl_pw_aff *low = bound_of(isl_set_copy(set), false);
	dim->high_bound = bound_of(set, true);
	isl_stat status = isl_pw_aff_foreach_piece(low, sum_low, dim);
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
static __isl_give isl_pw_qpolynomial *sum_last(struct summation *sum,
	__isl_take isl_pw_qpolynomial *of, unsigned dim)
{
	isl_space *space = isl_pw_qpolynomial_get_domain_space(of);
	space = isl_space_drop_dims(space, isl_dim_set, dim, 1);
	struct dim_sum state = { .sum = sum, .dim = dim, .result = isl_pw_qpolynomial_zero(
		isl_space_add_dims(isl_space_from_domain(space), isl_dim_out, 1)) };
	if (isl_pw_qpolynomial_foreach_piece(of, sum_piece, &state) != isl_stat_ok)
		sum->failed = true;
	isl_pw_qpolynomial_free(of);
	return tidy(state.result, false);
}

/* ---- transfers ---- */

/* The iterations in which the transfer in hand comes along. */
static __isl_give isl_set *iterations(struct summation *sum)
{
	isl_set *set = isl_set_universe(isl_space_copy(sum->space));
	set = isl_set_intersect_params(set, isl_set_copy(sum->plan->function->context));
	for (int i = 0; i < sum->depth; i++) {
		const struct scope *scope = &sum->around[i];
		if (scope->node->kind == PLAN_IF)
			set = isl_set_intersect(set, truth_of(sum, scope->node->condition));
		if (scope->dim < 0)
			continue;
		set = isl_set_lower_bound_si(set, isl_dim_set, (unsigned)scope->dim, 0);
		set = isl_set_intersect(set, isl_pw_aff_le_set(loop_value(sum, scope),
			value_of(sum, scope->node->upper)));
	}
	return set;
}

static void add_transfer(struct summation *sum, const struct plan_transfer *transfer)
{
	isl_space *params = isl_set_get_space(sum->plan->function->context);
	sum->space = isl_space_add_dims(isl_space_set_from_params(params), isl_dim_set,
		(unsigned)sum->loop_count);
	isl_set *set = iterations(sum);
	isl_qpolynomial *one = isl_qpolynomial_one_on_domain(isl_space_copy(sum->space));
	isl_pw_qpolynomial *elements = isl_pw_qpolynomial_from_qpolynomial(one);
	for (int d = 0; d < transfer->buffer->rank; d++) {
		bool is_ring = transfer->ring_count && d == transfer->ring_dim;
		isl_pw_aff *count = value_of(sum, is_ring ? transfer->ring_count : transfer->count[d]);
		set = isl_set_intersect(set, isl_pw_aff_ge_set(isl_pw_aff_copy(count), constant(sum, 1)));
		elements = isl_pw_qpolynomial_mul(elements, isl_pw_qpolynomial_from_pw_aff(count));
	}
	elements = isl_pw_qpolynomial_intersect_domain(elements, set_coalesce(set));
	isl_space_free(sum->space);
	for (int dim = sum->loop_count - 1; dim >= 0 && !sum->failed; dim--)
		elements = sum_last(sum, elements, (unsigned)dim);
	if (!sum->failed)
		elements = isl_pw_qpolynomial_project_domain_on_params(elements);
	if (sum->failed) {
		isl_pw_qpolynomial_free(elements);
		return;
	}
	sum->total = !sum->total ? elements
		: tidy(isl_pw_qpolynomial_add(sum->total, elements), false);
}

static void add_node(struct summation *sum, const struct plan_node *node)
{
	if (sum->failed)
		return;
	if (node->kind == PLAN_BLOCK) {
		for (int i = 0; i < node->child_count; i++)
			add_node(sum, node->children[i]);
	} else if (node->kind == PLAN_TRANSFER) {
		if (node->transfer.buffer->array == sum->array && node->transfer.is_put == sum->is_put
			&& !node->transfer.is_rest)
			add_transfer(sum, &node->transfer);
	} else if (node->body) {
		bool is_loop = node->kind == PLAN_LOOP;
		if (sum->depth == DEPTH_LIMIT) {
			sum->failed = true;
			return;
		}
		sum->around[sum->depth++] = (struct scope){ node, is_loop ? sum->loop_count++ : -1 };
		add_node(sum, node->body);
		sum->depth--;
		sum->loop_count -= is_loop;
	}
}

/* ---- text ---- */

struct printing {
	struct summation *sum;
	isl_ast_build *build;
	const char *text;            /* of the sum, or the pieces, so far */
	long denominator;
	int piece, piece_count;      /* the last holds for all that is left, if it is_whole */
	bool is_whole;
};

static const char *text_of(struct printing *printing, __isl_take isl_ast_expr *expr)
{
	char *text = expr ? isl_ast_expr_to_C_str(expr) : NULL;
	const char *copy = arena_strdup(printing->sum->compilation->arena, text ? text : "0");
	printing->sum->failed |= !text || strstr(copy, "floord") || strstr(copy, "min(")
		|| strstr(copy, "max(");
	isl_ast_expr_free(expr);
	free(text);
	return copy;
}

static isl_stat find_denominator(__isl_take isl_term *term, void *user)
{
	struct printing *printing = user;
	isl_val *coefficient = isl_term_get_coefficient_val(term);
	long value = isl_val_get_den_si(coefficient), a = value, b = printing->denominator;
	isl_val_free(coefficient);
	isl_term_free(term);
	while (b) {
		long rest = a % b;
		a = b;
		b = rest;
	}
	printing->denominator = printing->denominator / a * value;
	return isl_stat_ok;
}

static void times(struct printing *printing, const char **term, const char *factor, int power)
{
	struct arena *arena = printing->sum->compilation->arena;
	for (; power > 0; power--)
		*term = **term ? arena_printf(arena, "%s * %s", *term, factor) : factor;
}

static isl_stat print_term(__isl_take isl_term *term, void *user)
{
	struct printing *printing = user;
	struct arena *arena = printing->sum->compilation->arena;
	const struct function *function = printing->sum->plan->function;
	isl_val *coefficient = isl_val_mul_ui(isl_term_get_coefficient_val(term),
		(unsigned long)printing->denominator);
	long value = isl_val_get_num_si(coefficient);
	const char *product = "";
	printing->sum->failed |= isl_val_is_int(coefficient) != isl_bool_true
		|| isl_val_n_abs_num_chunks(coefficient, sizeof(long)) > 1;
	isl_val_free(coefficient);
	for (int k = 0; k < function->symbolic_count; k++)
		times(printing, &product, function->symbolic[k]->name,
			isl_term_get_exp(term, isl_dim_param, (unsigned)k));
	for (unsigned i = 0; i < (unsigned)isl_term_dim(term, isl_dim_div); i++) {
		int power = isl_term_get_exp(term, isl_dim_div, i);
		if (!power)
			continue;
		isl_pw_aff *div = isl_pw_aff_from_aff(isl_aff_floor(isl_term_get_div(term, i)));
		div = isl_pw_aff_project_domain_on_params(div);
		times(printing, &product, arena_printf(arena, "(%s)", text_of(printing,
			isl_ast_build_expr_from_pw_aff(printing->build, div))), power);
	}
	isl_term_free(term);
	const char *sign = value < 0 ? *printing->text ? " - " : "-" : *printing->text ? " + " : "";
	long magnitude = value < 0 ? -value : value;
	printing->text = magnitude == 1 && *product
		? arena_printf(arena, "%s%s%s", printing->text, sign, product)
		: arena_printf(arena, "%s%s%ld%s%s", printing->text, sign, magnitude,
			*product ? " * " : "", product);
	return isl_stat_ok;
}

/* "(N * N + 2 * N) / 2" */
static const char *print_polynomial(struct printing *printing, __isl_keep isl_qpolynomial *of)
{
	struct arena *arena = printing->sum->compilation->arena;
	struct printing own = { .sum = printing->sum, .build = printing->build, .text = "",
		.denominator = 1 };
	isl_qpolynomial_foreach_term(of, find_denominator, &own);
	isl_qpolynomial_foreach_term(of, print_term, &own);
	if (!*own.text)
		return "0";
	return own.denominator == 1 ? own.text
		: arena_printf(arena, "(%s) / %ld", own.text, own.denominator);
}

static isl_stat print_piece(__isl_take isl_set *set, __isl_take isl_qpolynomial *of, void *user)
{
	struct printing *printing = user;
	struct arena *arena = printing->sum->compilation->arena;
	isl_set *context = isl_set_copy(printing->sum->plan->function->context);
	set = isl_set_gist_params(set, context);
	const char *text = print_polynomial(printing, of);
	if (++printing->piece == printing->piece_count && printing->is_whole)
		printing->text = arena_printf(arena, "%s%s", printing->text, text);
	else
		printing->text = arena_printf(arena, "%s%s ? %s : ", printing->text,
			text_of(printing, isl_ast_build_expr_from_set(printing->build,
			isl_set_params(isl_set_copy(set)))), text);
	isl_set_free(set);
	isl_qpolynomial_free(of);
	return isl_stat_ok;
}

static const char *print_sum(struct summation *sum)
{
	isl_set *context = sum->plan->function->context;
	if (!sum->total || isl_pw_qpolynomial_is_zero(sum->total) == isl_bool_true)
		return "0";
	struct printing printing = { .sum = sum, .text = "",
		.build = isl_ast_build_from_context(isl_set_copy(context)) };
	isl_set *domain = isl_set_params(isl_pw_qpolynomial_domain(isl_pw_qpolynomial_copy(sum->total)));
	printing.piece_count = isl_pw_qpolynomial_n_piece(sum->total);
	printing.is_whole = isl_set_is_subset(context, domain) == isl_bool_true;
	isl_set_free(domain);
	isl_pw_qpolynomial_foreach_piece(sum->total, print_piece, &printing);
	isl_ast_build_free(printing.build);
	if (!printing.is_whole)
		printing.text = arena_printf(sum->compilation->arena, "%s0", printing.text);
	sum->failed |= strlen(printing.text) > TEXT_LIMIT;
	return sum->failed ? NULL : printing.text;
}

/* The formula for what comes in of ARRAY, or goes out; NULL if there is none. */
static const char *formula_of(struct compilation *compilation, const struct plan *plan,
	const struct plan_node *body, bool is_rectangular, const struct array *array, bool is_put)
{
	isl_ctx *ctx = compilation->ctx;
	struct summation *sum = ARENA_NEW(compilation->arena, struct summation);
	sum->compilation = compilation;
	sum->plan = plan;
	sum->array = array;
	sum->is_put = is_put;
	isl_work_begin(ctx, is_rectangular ? OPERATIONS : FEW_OPERATIONS);
	add_node(sum, body);
	if (!sum->failed && sum->total)
		sum->total = tidy(sum->total, true);
	if (!sum->failed && sum->total)
		sum->total = isl_pw_qpolynomial_scale_val(sum->total,
			isl_val_int_from_si(ctx, array->type.bytes));
	const char *text = sum->failed ? NULL : print_sum(sum);
	isl_pw_qpolynomial_free(sum->total);
	bool done = isl_work_end(ctx);
	return done && !sum->failed ? text : NULL;
}

void nest_traffic_formulas(struct compilation *compilation, const struct plan *plan,
	struct plan_nest *nest)
{
	for (int t = 0; t < nest->traffic_count; t++) {
		struct plan_traffic *traffic = &nest->traffic[t];
		traffic->read_formula = formula_of(compilation, plan, nest->body,
			nest->is_rectangular, traffic->array, false);
		traffic->write_formula = formula_of(compilation, plan, nest->body,
			nest->is_rectangular, traffic->array, true);
	}
}

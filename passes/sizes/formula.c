/* What a plan moves, as a function of its symbolic sizes.  The iterations of the loops
 * around a transfer are a set, the elements that each moves a polynomial on it; loops are
 * summed up one by one, the innermost first, by the sums of powers.  Quotients by tile
 * sizes, which the bounds bring in, are isl's integer divisions.  Loops that no bound, no
 * condition and no count has together are summed up apart: the sum is the product of theirs. */

#include "passes/sizes/formula.h"

#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/polynomial.h>
#include <isl/space.h>
#include <isl/val.h>

#include "ir/ast_build.h"
#include "ir/coalesce.h"
#include "ir/isl_work.h"
#include "ir/program_build.h"
#include "passes/analysis/plan_value.h"
#include "passes/analysis/values.h"

enum { DEPTH_LIMIT = 64, POWER_LIMIT = 3, TEXT_LIMIT = 4000, PIECES = 32,
	OPERATIONS = 2500000, FEW_OPERATIONS = 100000 };

/* A loop, a named value or a condition around the transfer in hand. */
struct scope {
	const struct plan_node *node;
	int dim;                     /* of a loop, else -1 */
	int turns;                   /* the loop around whose position this value is, or how far from
	                              * the last one that is, as something outside says; else -1 */
};

struct summation {
	struct compilation *compilation;
	const struct plan *plan;
	int depth, loop_count;
	struct scope around[DEPTH_LIMIT];
	isl_space *space;            /* of the iterations of some loops, while they are looked at */
	int place[DEPTH_LIMIT];      /* [loop]: its dimension there */
	/* Bit l: that loop l turns does not matter for the transfer in hand, which is the same for a
	 * tile whenever that comes: the tile's number is taken for its position. */
	unsigned long unturned;
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
		isl_space_copy(sum->space)), isl_dim_set, (unsigned)sum->place[scope->dim]));
	number = isl_pw_aff_scale_val(number, isl_val_int_from_si(sum->compilation->ctx,
		scope->node->step));
	return isl_pw_aff_add(number, value_of(sum, scope->node->lower));
}

/* Where VAR has its value from; -1: from nothing around. */
static int scope_of(const struct summation *sum, const struct plan_var *var)
{
	int i = sum->depth - 1;
	while (i >= 0 && sum->around[i].node->var != var)
		i--;
	return i;
}

static bool is_unturned(const struct summation *sum, int i)
{
	const struct scope *scope = &sum->around[i];
	return scope->turns >= 0 && sum->unturned >> sum->around[scope->turns].dim & 1;
}

static __isl_give isl_pw_aff *variable(const struct plan_values *values, const struct plan_var *var)
{
	struct summation *sum = values->user;
	int i = scope_of(sum, var);
	if (i >= 0)
		return sum->around[i].dim >= 0 ? loop_value(sum, &sum->around[i])
			: is_unturned(sum, i) ? loop_value(sum, &sum->around[sum->around[i].turns])
			: value_of(sum, sum->around[i].node->lower);
	if (!var->size) {
		sum->failed = true;
		return constant(sum, 0);
	}
	return isl_pw_aff_from_aff(isl_aff_param_on_domain_space_id(isl_space_copy(sum->space),
		isl_space_get_dim_id(sum->space, isl_dim_param,
		(unsigned)isl_space_find_dim_by_name(sum->space, isl_dim_param,
		isl_size_name(sum->compilation->arena, var->size->name)))));
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
			without_last(last, term), isl_qpolynomial_sub(high, low)));
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

/* A polynomial on a space of which each dimension becomes a value on another one, that may
 * have the dimension DIM for a new variable. */
struct replacement {
	struct summation *sum;
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
		replacement->sum->failed |= isl_aff_involves_dims(div, isl_dim_in, replacement->dim, 1)
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
static __isl_give isl_qpolynomial *replaced(struct summation *sum, __isl_keep isl_qpolynomial *of,
	unsigned dim, __isl_take isl_multi_aff *by)
{
	struct replacement replacement = { sum, dim, by, NULL };
	replacement.result = isl_qpolynomial_zero_on_domain(new_space(&replacement));
	isl_qpolynomial_foreach_term(of, replace_term, &replacement);
	isl_multi_aff_free(by);
	return replacement.result;
}

struct period {
	long value;
	unsigned dim;
};

/* PERIOD is a multiple of what DIV has dimension DIM divided by. */
static void lengthen(struct period *period, __isl_take isl_aff *div)
{
	isl_val *divisor = isl_aff_get_denominator_val(div);
	long value = isl_val_get_num_si(divisor);
	isl_val_free(divisor);
	if (isl_aff_involves_dims(div, isl_dim_in, period->dim, 1) != isl_bool_false
		&& period->value % value)
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
 * that have it. */
static long period_of(__isl_keep isl_basic_set *piece, __isl_keep isl_qpolynomial *of, unsigned dim)
{
	struct period period = { 1, dim };
	isl_local_space *space = isl_basic_set_get_local_space(piece);
	for (int i = 0; i < isl_local_space_dim(space, isl_dim_div); i++)
		lengthen(&period, isl_local_space_get_div(space, i));
	isl_local_space_free(space);
	if (of)
		isl_qpolynomial_foreach_term(of, lengthen_for_term, &period);
	return period.value;
}

static isl_stat sum_basic(__isl_take isl_basic_set *piece, void *user);

/* The last dimension is PERIOD times a new one, plus REST. */
static isl_stat sum_residues(struct dim_sum *dim, __isl_take isl_basic_set *piece, long period)
{
	isl_qpolynomial *of = dim->of;
	isl_ctx *ctx = isl_basic_set_get_ctx(piece);
	for (long rest = 0; rest < period && !dim->sum->failed; rest++) {
		isl_multi_aff *stretch = isl_multi_aff_identity(isl_space_map_from_set(
			isl_basic_set_get_space(piece)));
		isl_aff *value = isl_multi_aff_get_aff(stretch, (int)dim->dim);
		value = aff_add(isl_aff_scale_val(value, isl_val_int_from_si(ctx, period)), rest);
		stretch = isl_multi_aff_set_aff(stretch, (int)dim->dim, value);
		isl_set *part = isl_set_preimage_multi_aff(isl_set_from_basic_set(
			isl_basic_set_copy(piece)), isl_multi_aff_copy(stretch));
		part = isl_set_make_disjoint(isl_set_compute_divs(part));
		dim->of = replaced(dim->sum, of, dim->dim, stretch);
		/* What still depends on residues then is none of ours. */
		isl_basic_set_list *list = isl_set_get_basic_set_list(part);
		for (int i = 0; i < isl_basic_set_list_n_basic_set(list); i++) {
			isl_basic_set *one = isl_basic_set_list_get_basic_set(list, i);
			dim->sum->failed |= period_of(one, NULL, dim->dim) > 1;
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

/* On PIECE the last dimension has one value. */
static isl_stat take_value(__isl_take isl_set *piece, __isl_take isl_aff *value, void *user)
{
	struct dim_sum *dim = user;
	isl_multi_aff *by = isl_multi_aff_identity(isl_space_map_from_set(isl_set_get_space(piece)));
	by = isl_multi_aff_flat_range_product(by, isl_multi_aff_from_aff(value));
	dim->result = isl_pw_qpolynomial_add(dim->result, isl_pw_qpolynomial_alloc(piece,
		replaced(dim->sum, dim->of, dim->dim, by)));
	return dim->sum->failed ? isl_stat_error : isl_stat_ok;
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
		dim->sum->failed = true;
	if (period > 1 && !dim->sum->failed)
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

/* One of the things that say how often the transfer in hand comes, and what it moves: a loop
 * runs, a condition holds or does not, so many elements of a dimension move. */
struct factor {
	enum { FACTOR_LOOP, FACTOR_CONDITION, FACTOR_COUNT } kind;
	unsigned long loops;         /* bit l: it depends on loop l */
	const struct scope *scope;   /* FACTOR_LOOP */
	const struct plan_expr *expr;    /* FACTOR_CONDITION, FACTOR_COUNT */
	bool is_false;               /* FACTOR_CONDITION: it is not to hold */
};

struct factors {
	struct summation *sum;
	int count;
	size_t capacity;
	struct factor *items;
};

/* The loops that the value of EXPR depends on. */
static unsigned long loops_of(const struct summation *sum, const struct plan_expr *expr)
{
	unsigned long loops = 0;
	int i = expr->op == PLAN_VAR ? scope_of(sum, expr->var) : -1;
	if (i >= 0 && is_unturned(sum, i))
		return 1UL << sum->around[sum->around[i].turns].dim;
	if (i >= 0)
		return loops_of(sum, sum->around[i].node->lower)
			| (sum->around[i].dim < 0 ? 0 : 1UL << sum->around[i].dim);
	for (int o = 0; o < plan_operand_count(expr->op); o++)
		loops |= loops_of(sum, expr->operands[o]);
	return loops;
}

static void add_factor(struct factors *factors, struct factor factor)
{
	factors->items = arena_grow(factors->sum->compilation->arena, factors->items,
		(size_t)factors->count, &factors->capacity, sizeof *factors->items);
	factors->items[factors->count++] = factor;
}

/* CONDITION holds (IS_FALSE: does not): what is said of several loops by && is said of each. */
static void add_condition(struct factors *factors, const struct plan_expr *condition, bool is_false)
{
	if (condition->op == PLAN_NOT) {
		add_condition(factors, condition->operands[0], !is_false);
	} else if (condition->op == (is_false ? PLAN_OR : PLAN_AND)) {
		add_condition(factors, condition->operands[0], is_false);
		add_condition(factors, condition->operands[1], is_false);
	} else {
		add_factor(factors, (struct factor){ .kind = FACTOR_CONDITION, .expr = condition,
			.is_false = is_false });
	}
}

static void find_factors(struct factors *factors, const struct plan_transfer *transfer)
{
	struct summation *sum = factors->sum;
	for (int i = 0; i < sum->depth; i++) {
		const struct scope *scope = &sum->around[i];
		if (scope->node->kind == PLAN_IF)
			add_condition(factors, scope->node->condition, false);
		if (scope->dim >= 0)
			add_factor(factors, (struct factor){ .kind = FACTOR_LOOP, .scope = scope });
	}
	for (int d = 0; d < transfer->buffer->rank; d++) {
		bool is_ring = transfer->ring_count && d == transfer->ring_dim;
		add_factor(factors, (struct factor){ .kind = FACTOR_COUNT,
			.expr = is_ring ? transfer->ring_count : transfer->count[d] });
	}
}

/* The loops whose positions EXPR needs, not only the tiles that they walk. */
static unsigned long positions_in(const struct summation *sum, const struct plan_expr *expr)
{
	unsigned long loops = 0;
	int i = expr->op == PLAN_VAR ? scope_of(sum, expr->var) : -1;
	if (i >= 0 && is_unturned(sum, i))
		return 0;
	if (i >= 0)
		return positions_in(sum, sum->around[i].node->lower)
			| (sum->around[i].dim < 0 ? 0 : 1UL << sum->around[i].dim);
	for (int o = 0; o < plan_operand_count(expr->op); o++)
		loops |= positions_in(sum, expr->operands[o]);
	return loops;
}

/* Those of any of FACTORS, but for how often loops run. */
static unsigned long positions_needed(const struct factors *factors)
{
	const struct summation *sum = factors->sum;
	unsigned long loops = 0;
	for (int f = 0; f < factors->count; f++) {
		const struct factor *factor = &factors->items[f];
		loops |= factor->kind != FACTOR_LOOP ? positions_in(sum, factor->expr)
			: positions_in(sum, factor->scope->node->lower)
			| positions_in(sum, factor->scope->node->upper);
	}
	return loops;
}

/* All loops are taken not to turn, and then those to do so whose positions matter. */
static void find_unturned(struct factors *factors)
{
	struct summation *sum = factors->sum;
	unsigned long needed;
	sum->unturned = ~0UL;
	while ((needed = positions_needed(factors)) & sum->unturned)
		sum->unturned &= ~needed;
	for (int f = 0; f < factors->count; f++) {
		struct factor *factor = &factors->items[f];
		factor->loops = factor->kind != FACTOR_LOOP ? loops_of(sum, factor->expr)
			: 1UL << factor->scope->dim | loops_of(sum, factor->scope->node->lower)
			| loops_of(sum, factor->scope->node->upper);
	}
}

/* Multiplies *ELEMENTS, what moves in the iterations SET, by FACTOR; returns those left. */
static __isl_give isl_set *apply_factor(struct summation *sum, const struct factor *factor,
	__isl_take isl_set *set, isl_pw_qpolynomial **elements)
{
	if (factor->kind == FACTOR_LOOP) {
		set = isl_set_lower_bound_si(set, isl_dim_set,
			(unsigned)sum->place[factor->scope->dim], 0);
		return isl_set_intersect(set, isl_pw_aff_le_set(loop_value(sum, factor->scope),
			value_of(sum, factor->scope->node->upper)));
	}
	if (factor->kind == FACTOR_CONDITION) {
		isl_set *truth = truth_of(sum, factor->expr);
		return isl_set_intersect(set, factor->is_false ? isl_set_complement(truth) : truth);
	}
	isl_pw_aff *count = value_of(sum, factor->expr);
	set = isl_set_intersect(set, isl_pw_aff_ge_set(isl_pw_aff_copy(count), constant(sum, 1)));
	*elements = isl_pw_qpolynomial_mul(*elements, isl_pw_qpolynomial_from_pw_aff(count));
	return set;
}

/* The sizes that the value of EXPR depends on. */
static unsigned sizes_of(const struct summation *sum, const struct plan_expr *expr)
{
	unsigned sizes = 0;
	if (expr->op == PLAN_VAR && expr->var->size)
		return 1U << expr->var->size->index;
	int i = expr->op == PLAN_VAR ? scope_of(sum, expr->var) : -1;
	if (i >= 0)
		return sizes_of(sum, sum->around[i].node->lower);
	for (int o = 0; o < plan_operand_count(expr->op); o++)
		sizes |= sizes_of(sum, expr->operands[o]);
	return sizes;
}

/* FACTOR depends on some of LOOPS; if these are none, on no loop. */
static bool is_among(const struct factor *factor, unsigned long loops)
{
	return loops ? (factor->loops & loops) != 0 : !factor->loops;
}

/* The values of the sizes that those of FACTORS which are among LOOPS depend on: isl's work
 * grows with their number. */
static __isl_give isl_set *context_of(const struct factors *factors, unsigned long loops)
{
	const struct summation *sum = factors->sum;
	isl_set *context = isl_set_params(isl_set_copy(sum->plan->function->context));
	unsigned sizes = loops ? 0 : ~0U;
	for (int f = 0; f < factors->count; f++) {
		const struct factor *factor = &factors->items[f];
		if (is_among(factor, loops))
			sizes |= factor->kind != FACTOR_LOOP ? sizes_of(sum, factor->expr)
				: sizes_of(sum, factor->scope->node->lower)
				| sizes_of(sum, factor->scope->node->upper);
	}
	for (int k = sum->plan->function->symbolic_count - 1; k >= 0; k--)
		if (!(sizes >> k & 1))
			context = isl_set_project_out(context, isl_dim_param, (unsigned)k, 1);
	return context;
}

struct alignment {
	isl_space *sizes;
	isl_pw_qpolynomial *result;
};

static isl_stat align_piece(__isl_take isl_set *set, __isl_take isl_qpolynomial *of, void *user)
{
	struct alignment *alignment = user;
	set = isl_set_align_params(set, isl_space_copy(alignment->sizes));
	of = isl_qpolynomial_align_params(of, isl_space_copy(alignment->sizes));
	alignment->result = isl_pw_qpolynomial_add_disjoint(alignment->result,
		isl_pw_qpolynomial_alloc(set, of));
	return alignment->result ? isl_stat_ok : isl_stat_error;
}

/* OF, of some of the sizes, as one of all. */
static __isl_give isl_pw_qpolynomial *with_all_sizes(const struct summation *sum,
	__isl_take isl_pw_qpolynomial *of)
{
	isl_space *sizes = isl_set_get_space(sum->plan->function->context);
	struct alignment alignment = { sizes, isl_pw_qpolynomial_zero(isl_space_align_params(
		isl_pw_qpolynomial_get_space(of), isl_space_copy(sizes))) };
	isl_pw_qpolynomial_foreach_piece(of, align_piece, &alignment);
	isl_pw_qpolynomial_free(of);
	isl_space_free(sizes);
	return alignment.result;
}

/* The sum over LOOPS of the product of those FACTORS that depend on some of them; if there
 * are no loops, the product of those that depend on none. */
static __isl_give isl_pw_qpolynomial *sum_loops(const struct factors *factors, unsigned long loops)
{
	struct summation *sum = factors->sum;
	int count = 0;
	for (int l = 0; l < sum->loop_count; l++)
		sum->place[l] = loops >> l & 1 ? count++ : -1;
	isl_set *context = context_of(factors, loops);
	sum->space = isl_space_add_dims(isl_space_set_from_params(isl_set_get_space(context)),
		isl_dim_set, (unsigned)count);
	isl_set *set = isl_set_universe(isl_space_copy(sum->space));
	set = isl_set_intersect_params(set, context);
	isl_pw_qpolynomial *elements = isl_pw_qpolynomial_from_qpolynomial(
		isl_qpolynomial_one_on_domain(isl_space_copy(sum->space)));
	for (int f = 0; f < factors->count; f++) {
		const struct factor *factor = &factors->items[f];
		if (is_among(factor, loops))
			set = apply_factor(sum, factor, set, &elements);
	}
	elements = isl_pw_qpolynomial_intersect_domain(elements, set_coalesce(set));
	isl_space_free(sum->space);
	for (int dim = count - 1; dim >= 0 && !sum->failed; dim--)
		elements = sum_last(sum, elements, (unsigned)dim);
	if (sum->failed)
		return elements;
	return with_all_sizes(sum, tidy(isl_pw_qpolynomial_project_domain_on_params(elements), true));
}

/* The loops that some FACTORS have together with LOOPS, one way or another. */
static unsigned long linked_loops(const struct factors *factors, unsigned long loops)
{
	unsigned long all = loops;
	do {
		loops = all;
		for (int f = 0; f < factors->count; f++)
			if (factors->items[f].loops & loops)
				all |= factors->items[f].loops;
	} while (all != loops);
	return all;
}

static void add_transfer(struct summation *sum, const struct plan_transfer *transfer)
{
	struct factors factors = { .sum = sum };
	find_factors(&factors, transfer);
	find_unturned(&factors);
	isl_pw_qpolynomial *elements = sum_loops(&factors, 0);
	unsigned long done = 0;
	for (int l = 0; l < sum->loop_count && !sum->failed; l++) {
		if (done >> l & 1)
			continue;
		unsigned long loops = linked_loops(&factors, 1UL << l);
		elements = isl_pw_qpolynomial_mul(elements, sum_loops(&factors, loops));
		done |= loops;
	}
	sum->failed |= !elements;
	if (sum->failed) {
		isl_pw_qpolynomial_free(elements);
		return;
	}
	sum->total = !sum->total ? elements
		: tidy(isl_pw_qpolynomial_add(sum->total, elements), false);
	sum->failed |= !sum->total;
}

/* EXPR is how many iterations of LOOP, which counts from 0 one by one, are left. */
static bool is_rest(const struct plan_expr *expr, const struct plan_node *loop, struct arena *arena)
{
	return plan_equal(plan_make(arena, PLAN_ADD, (struct plan_expr *)expr,
		plan_ref(arena, (struct plan_var *)loop->var)), loop->upper);
}

/* The loop around that EXPR is a tile of: the place of its position, or of what that is from
 * the end, as other variables say.  -1: none. */
static int turned_loop(const struct summation *sum, const struct plan_expr *expr)
{
	long lower;
	if (expr->op != PLAN_SELECT || expr->operands[2]->op != PLAN_VAR)
		return -1;
	int i = scope_of(sum, expr->operands[2]->var);
	if (i < 0 || sum->around[i].dim < 0)
		return -1;
	const struct plan_node *loop = sum->around[i].node;
	bool turns = loop->step == 1 && plan_is_const(loop->lower, &lower) && !lower
		&& !(positions_in(sum, expr->operands[0]) >> sum->around[i].dim & 1)
		&& is_rest(expr->operands[1], loop, sum->compilation->arena);
	return turns ? i : -1;
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
		sum->unturned = 0;
		sum->around[sum->depth] = (struct scope){ node, is_loop ? sum->loop_count++ : -1,
			node->kind == PLAN_LET ? turned_loop(sum, node->lower) : -1 };
		sum->depth++;
		add_node(sum, node->body);
		sum->depth--;
		sum->loop_count -= is_loop;
	}
}

/* ---- text ---- */

struct printing {
	struct summation *sum;
	isl_set *context;            /* the sizes there are */
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
			ast_of_value(isl_set_copy(printing->context), div))), power);
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
	struct printing own = { .sum = printing->sum, .context = printing->context, .text = "",
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
	set = isl_set_gist_params(set, isl_set_copy(printing->context));
	const char *text = print_polynomial(printing, of);
	if (++printing->piece == printing->piece_count && printing->is_whole)
		printing->text = arena_printf(arena, "%s%s", printing->text, text);
	else
		printing->text = arena_printf(arena, "%s%s ? %s : ", printing->text,
			text_of(printing, ast_of_set(isl_set_copy(printing->context),
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
	struct printing printing = { .sum = sum, .text = "", .context = context };
	isl_set *domain = isl_set_params(isl_pw_qpolynomial_domain(isl_pw_qpolynomial_copy(sum->total)));
	printing.piece_count = isl_pw_qpolynomial_n_piece(sum->total);
	printing.is_whole = isl_set_is_subset(context, domain) == isl_bool_true;
	isl_set_free(domain);
	isl_pw_qpolynomial_foreach_piece(sum->total, print_piece, &printing);
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
	struct isl_work work = isl_work_begin(ctx, is_rectangular ? OPERATIONS : FEW_OPERATIONS);
	add_node(sum, body);
	if (!sum->failed && sum->total) {
		sum->total = isl_pw_qpolynomial_scale_val(tidy(sum->total, true),
			isl_val_int_from_si(ctx, array->type.bytes));
		sum->failed = !sum->total;
	}
	const char *text = sum->failed ? NULL : print_sum(sum);
	isl_pw_qpolynomial_free(sum->total);
	bool done = isl_work_end(&work);
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

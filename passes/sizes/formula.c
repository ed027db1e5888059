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
#include "passes/sizes/polynomial.h"

enum { DEPTH_LIMIT = 64, OPERATIONS = 2500000, FEW_OPERATIONS = 100000 };

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
		elements = polynomial_sum_last(elements, (unsigned)dim, &sum->failed);
	if (sum->failed)
		return elements;
	return with_all_sizes(sum, polynomial_tidy(isl_pw_qpolynomial_project_domain_on_params(elements), true));
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
		: polynomial_tidy(isl_pw_qpolynomial_add(sum->total, elements), false);
	sum->failed |= !sum->total;
}

/* EXPR is how many iterations of LOOP, which counts from 0 one by one, are left. */
static bool is_rest(struct plan_expr *expr, const struct plan_node *loop, struct arena *arena)
{
	return plan_equal(plan_make(arena, PLAN_ADD, expr, plan_ref(arena, loop->var)), loop->upper);
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

/* The formula for what comes in of ARRAY, or goes out; NULL if there is none. */
static const char *formula_of(struct compilation *compilation, const struct plan *plan,
	const struct plan_node *body, bool has_forms, const struct array *array, bool is_put)
{
	isl_ctx *ctx = compilation->ctx;
	struct summation *sum = ARENA_NEW(compilation->arena, struct summation);
	sum->compilation = compilation;
	sum->plan = plan;
	sum->array = array;
	sum->is_put = is_put;
	struct isl_work work = isl_work_begin(ctx, has_forms ? OPERATIONS : FEW_OPERATIONS);
	add_node(sum, body);
	if (!sum->failed && sum->total) {
		sum->total = isl_pw_qpolynomial_scale_val(polynomial_tidy(sum->total, true),
			isl_val_int_from_si(ctx, array->type.bytes));
		sum->failed = !sum->total;
	}
	const char *text = sum->failed ? NULL
		: polynomial_text(compilation->arena, plan->function, sum->total);
	isl_pw_qpolynomial_free(sum->total);
	bool done = isl_work_end(&work);
	return done ? text : NULL;
}

void nest_traffic_formulas(struct compilation *compilation, const struct plan *plan,
	struct plan_nest *nest)
{
	for (int t = 0; t < nest->traffic_count; t++) {
		struct plan_traffic *traffic = &nest->traffic[t];
		traffic->read_formula = formula_of(compilation, plan, nest->body,
			nest->has_forms, traffic->array, false);
		traffic->write_formula = formula_of(compilation, plan, nest->body,
			nest->has_forms, traffic->array, true);
	}
}

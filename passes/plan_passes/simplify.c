/* A plan is made of parts that are right everywhere; most of them can say less where
 * they stand.  While a body is rebuilt, its variables have the ranges that the
 * conditions around it leave them, and the makers of expressions do the rest. */

#include "passes/plan_passes/simplify.h"

enum { FACT_LIMIT = 64, LIFT_SIZE = 100, LIFT_DEPTH = 4 };

/* Conditions known to hold where the walk stands, and the ranges that variables had
 * outside of them. */
struct simplifier {
	struct arena *arena;
	int fact_count, range_count;
	const struct plan_expr *facts[FACT_LIMIT];
	struct { struct plan_var *var; long min, max; } ranges[FACT_LIMIT];
	const struct scope *scope;
	int lift_depth;              /* choices being lifted, one in the other */
};

/* The lets around, the innermost first. */
struct scope {
	const struct scope *outer;
	const struct plan_node *let;
};

/* ------------------------------------------------------------------ facts */

static struct plan_expr *negated(struct simplifier *simplifier, struct plan_expr *condition)
{
	return condition->op == PLAN_NOT ? condition->operands[0]
		: plan_make(simplifier->arena, PLAN_NOT, condition, NULL);
}

static void restrict_var(struct simplifier *simplifier, struct plan_var *var, long min, long max)
{
	if (simplifier->range_count == FACT_LIMIT || (min <= var->min && max >= var->max))
		return;
	simplifier->ranges[simplifier->range_count].var = var;
	simplifier->ranges[simplifier->range_count].min = var->min;
	simplifier->ranges[simplifier->range_count++].max = var->max;
	var->min = min > var->min ? min : var->min;
	var->max = max < var->max ? max : var->max;
}

/* DIFFERENCE as factor * variable + constant, if it has that form. */
static bool of_one_var(const struct plan_expr *difference, struct plan_var **var, long *factor,
	long *constant)
{
	*constant = 0;
	if ((difference->op == PLAN_ADD || difference->op == PLAN_SUB)
		&& difference->operands[1]->op == PLAN_CONST) {
		*constant = difference->op == PLAN_ADD ? difference->operands[1]->value
			: -difference->operands[1]->value;
		difference = difference->operands[0];
	}
	*factor = 1;
	if (difference->op == PLAN_SUB && difference->operands[0]->op == PLAN_CONST
		&& *constant == 0) {
		*constant = difference->operands[0]->value;
		*factor = -1;
		difference = difference->operands[1];
	}
	if (difference->op == PLAN_MUL && difference->operands[1]->op == PLAN_CONST) {
		*factor *= difference->operands[1]->value;
		difference = difference->operands[0];
	}
	if (difference->op != PLAN_VAR || *factor == 0)
		return false;
	*var = difference->var;
	return true;
}

/* a <= b holds: an end of the range of the variable in it. */
static void assume_order(struct simplifier *simplifier, struct plan_expr *a, struct plan_expr *b)
{
	struct plan_var *var;
	long factor, constant;

	if (!of_one_var(plan_make(simplifier->arena, PLAN_SUB, a, b), &var, &factor, &constant))
		return;
	if (factor > 0)
		restrict_var(simplifier, var, var->min, plan_floor_div(-constant, factor));
	else
		restrict_var(simplifier, var, -plan_floor_div(-constant, -factor), var->max);
}

/* a == b does not hold: an end of the range moves if it is excluded. */
static void assume_different(struct simplifier *simplifier, struct plan_expr *a,
	struct plan_expr *b)
{
	struct plan_var *var;
	long factor, constant;

	if (!of_one_var(plan_make(simplifier->arena, PLAN_SUB, a, b), &var, &factor, &constant))
		return;
	if (factor * var->min + constant == 0)
		restrict_var(simplifier, var, var->min + 1, var->max);
	if (factor * var->max + constant == 0)
		restrict_var(simplifier, var, var->min, var->max - 1);
}

static void assume(struct simplifier *simplifier, struct plan_expr *condition);

static void assume_not(struct simplifier *simplifier, struct plan_expr *condition)
{
	struct arena *arena = simplifier->arena;

	if (condition->op == PLAN_NOT) {
		assume(simplifier, condition->operands[0]);
	} else if (condition->op == PLAN_OR) {
		assume(simplifier, negated(simplifier, condition->operands[0]));
		assume(simplifier, negated(simplifier, condition->operands[1]));
	} else if (condition->op == PLAN_EQ) {
		assume_different(simplifier, condition->operands[0], condition->operands[1]);
	} else if (condition->op == PLAN_LE) {
		assume_order(simplifier, plan_make(arena, PLAN_ADD, condition->operands[1],
			plan_const(arena, 1)), condition->operands[0]);
	}
}

/* A condition that is a fact, or whose opposite is one; else itself. */
static struct plan_expr *decided(struct simplifier *simplifier, struct plan_expr *condition)
{
	for (int i = 0; i < simplifier->fact_count; i++) {
		const struct plan_expr *fact = simplifier->facts[i];

		if (plan_equal(fact, condition))
			return plan_const(simplifier->arena, 1);
		if (fact->op == PLAN_NOT && plan_equal(fact->operands[0], condition))
			return plan_const(simplifier->arena, 0);
	}
	return condition;
}

static bool is_false(const struct plan_expr *condition)
{
	long value;

	return plan_is_const(condition, &value) && value == 0;
}

/* Of facts a || b where one does not hold the other does. */
static void assume_rest(struct simplifier *simplifier)
{
	for (int i = 0; i < simplifier->fact_count && simplifier->fact_count < FACT_LIMIT; i++) {
		struct plan_expr *const *either = simplifier->facts[i]->operands;

		if (simplifier->facts[i]->op != PLAN_OR)
			continue;
		for (int o = 0; o < 2; o++)
			if (is_false(decided(simplifier, either[o]))
			    && decided(simplifier, either[1 - o]) == either[1 - o])
				assume(simplifier, either[1 - o]);
	}
}

static void assume(struct simplifier *simplifier, struct plan_expr *condition)
{
	if (simplifier->fact_count < FACT_LIMIT)
		simplifier->facts[simplifier->fact_count++] = condition;
	assume_rest(simplifier);
	if (condition->op == PLAN_NOT) {
		assume_not(simplifier, condition->operands[0]);
	} else if (condition->op == PLAN_AND) {
		assume(simplifier, condition->operands[0]);
		assume(simplifier, condition->operands[1]);
	} else if (condition->op == PLAN_LE) {
		assume_order(simplifier, condition->operands[0], condition->operands[1]);
	} else if (condition->op == PLAN_EQ) {
		assume_order(simplifier, condition->operands[0], condition->operands[1]);
		assume_order(simplifier, condition->operands[1], condition->operands[0]);
	}
}

static void forget(struct simplifier *simplifier, int fact_count, int range_count)
{
	simplifier->fact_count = fact_count;
	while (simplifier->range_count > range_count) {
		int last = --simplifier->range_count;

		simplifier->ranges[last].var->min = simplifier->ranges[last].min;
		simplifier->ranges[last].var->max = simplifier->ranges[last].max;
	}
}

/* Whether what has been assumed leaves some variable no value. */
static bool is_unreachable(const struct simplifier *simplifier)
{
	for (int i = 0; i < simplifier->range_count; i++)
		if (simplifier->ranges[i].var->min > simplifier->ranges[i].var->max)
			return true;
	return false;
}

/* ------------------------------------------------------------------ expressions */

static struct plan_expr *rebuilt(struct simplifier *simplifier, struct plan_expr *expr);

/* a && b: b matters where a holds; a || b: where it does not. */
static struct plan_expr *rebuilt_logic(struct simplifier *simplifier, struct plan_expr *expr)
{
	int facts = simplifier->fact_count, ranges = simplifier->range_count;
	bool is_and = expr->op == PLAN_AND;
	struct plan_expr *a = rebuilt(simplifier, expr->operands[0]), *b;

	assume(simplifier, is_and ? a : negated(simplifier, a));
	b = is_unreachable(simplifier) ? plan_const(simplifier->arena, !is_and)
		: rebuilt(simplifier, expr->operands[1]);
	forget(simplifier, facts, ranges);
	return decided(simplifier, plan_make(simplifier->arena, expr->op, a, b));
}

/* A variable; a let that has one value where the walk stands: that. */
static struct plan_expr *rebuilt_var(struct simplifier *simplifier, struct plan_var *var)
{
	const struct scope *scope = simplifier->scope;
	struct plan_expr *value;
	long ignored;

	while (scope && scope->let->var != var)
		scope = scope->outer;
	if (scope && simplifier->range_count > 0) {
		value = rebuilt(simplifier, scope->let->lower);
		if (plan_is_const(value, &ignored))
			return value;
	}
	return plan_ref(simplifier->arena, var);
}

static struct plan_expr *rebuilt(struct simplifier *simplifier, struct plan_expr *expr)
{
	struct plan_expr *operands[3] = { NULL };
	int count = plan_operand_count(expr->op);

	if (expr->op == PLAN_CONST)
		return expr;
	if (expr->op == PLAN_VAR)
		return rebuilt_var(simplifier, expr->var);
	if (expr->op == PLAN_AND || expr->op == PLAN_OR)
		return rebuilt_logic(simplifier, expr);
	for (int i = 0; i < count; i++)
		operands[i] = rebuilt(simplifier, expr->operands[i]);
	if (expr->op == PLAN_SELECT)
		return plan_select(simplifier->arena, decided(simplifier, operands[0]),
			operands[1], operands[2]);
	expr = plan_make(simplifier->arena, expr->op, operands[0], operands[1]);
	if (expr->op == PLAN_EQ || expr->op == PLAN_LE)
		return decided(simplifier, expr);
	return expr;
}

static int size_of(const struct plan_expr *expr)
{
	int size = 1;

	for (int i = 0; i < plan_operand_count(expr->op) && size <= LIFT_SIZE; i++)
		size += size_of(expr->operands[i]);
	return size;
}

/* The condition of the first choice in EXPR; NULL: there is none. */
static struct plan_expr *first_condition(const struct plan_expr *expr)
{
	struct plan_expr *found = expr->op == PLAN_SELECT ? expr->operands[0] : NULL;

	for (int i = 0; i < plan_operand_count(expr->op) && !found; i++)
		found = first_condition(expr->operands[i]);
	return found;
}

static struct plan_expr *lifted(struct simplifier *simplifier, struct plan_expr *expr);

/* EXPR where CONDITION holds; NULL: it cannot. */
static struct plan_expr *lifted_where(struct simplifier *simplifier, struct plan_expr *expr,
	struct plan_expr *condition)
{
	int facts = simplifier->fact_count, ranges = simplifier->range_count;

	simplifier->lift_depth++;
	assume(simplifier, condition);
	expr = is_unreachable(simplifier) ? NULL : lifted(simplifier, rebuilt(simplifier, expr));
	forget(simplifier, facts, ranges);
	simplifier->lift_depth--;
	return expr;
}

/* EXPR, or what it comes to on either side of a choice in it, whichever is shorter: sums of
 * ends and beginnings that depend on the first or the last tile become one choice of
 * constants. */
static struct plan_expr *lifted(struct simplifier *simplifier, struct plan_expr *expr)
{
	struct plan_expr *condition = first_condition(expr), *yes, *no, *choice;
	int size = size_of(expr);

	if (!condition || size > LIFT_SIZE || simplifier->lift_depth == LIFT_DEPTH
		|| simplifier->fact_count == FACT_LIMIT)
		return expr;
	yes = lifted_where(simplifier, expr, condition);
	no = lifted_where(simplifier, expr, negated(simplifier, condition));
	if (!yes || !no)
		return yes ? yes : no ? no : expr;
	choice = plan_select(simplifier->arena, condition, yes, no);
	return size_of(choice) < size ? choice : expr;
}

static struct plan_expr *simplified(struct simplifier *simplifier, struct plan_expr *expr)
{
	return lifted(simplifier, rebuilt(simplifier, expr));
}

/* ------------------------------------------------------------------ nodes */

static void simplify_block(struct simplifier *simplifier, struct plan_node *block);

/* Range of VAR as far as its bounds say: kept for good. */
static void narrow(struct plan_var *var, const struct plan_expr *lower,
	const struct plan_expr *upper)
{
	long min, max, ignored;

	plan_range(lower, &min, &ignored);
	plan_range(upper, &ignored, &max);
	if (min > max)
		return;
	var->min = min > var->min ? min : var->min;
	var->max = max < var->max ? max : var->max;
}

static bool is_one_value(const struct plan_node *loop)
{
	long lower, upper;

	return plan_is_const(loop->lower, &lower) && plan_is_const(loop->upper, &upper)
		&& lower <= upper && upper - lower < loop->step;
}

/* A loop of one iteration has its upper bound there. */
static void simplify_loop(struct simplifier *simplifier, struct plan_node *node)
{
	node->lower = simplified(simplifier, node->lower);
	if (node->kind == PLAN_LOOP)
		node->upper = simplified(simplifier, node->upper);
	if (node->kind == PLAN_LOOP && is_one_value(node))
		node->upper = node->lower;
	narrow(node->var, node->lower, node->kind == PLAN_LOOP ? node->upper : node->lower);
	const struct scope scope = { simplifier->scope, node };
	if (node->kind == PLAN_LET)
		simplifier->scope = &scope;
	simplify_block(simplifier, node->body);
	simplifier->scope = scope.outer;
}

static bool is_empty_loop(const struct plan_node *loop)
{
	long ignored, lower, upper;

	plan_range(loop->lower, &lower, &ignored);
	plan_range(loop->upper, &ignored, &upper);
	return loop->body->child_count == 0 || lower > upper;
}

static bool moves_nothing(const struct plan_transfer *transfer)
{
	for (int d = 0; d < transfer->buffer->rank; d++) {
		long min, max;

		plan_range(transfer->count[d], &min, &max);
		if (max <= 0)
			return true;
	}
	return false;
}

/* COUNT of dimension D of BUFFER: as many elements as there is room for, if isl says that it is these or
 * more.  What is more for certain stays, for the plan's verifier to see. */
static struct plan_expr *within_room(struct simplifier *simplifier, const struct plan_buffer *buffer,
	int d, struct plan_expr *count)
{
	long min, max, room = buffer->dims[d].extent;

	plan_range(count, &min, &max);
	return min == room && max > room ? plan_const(simplifier->arena, room) : count;
}

static void simplify_transfer(struct simplifier *simplifier, struct plan_transfer *transfer)
{
	for (int d = 0; d < transfer->buffer->rank; d++) {
		transfer->first[d] = simplified(simplifier, transfer->first[d]);
		transfer->count[d] = within_room(simplifier, transfer->buffer, d,
			simplified(simplifier, transfer->count[d]));
		transfer->local[d] = simplified(simplifier, transfer->local[d]);
	}
	if (transfer->slot)
		transfer->slot = simplified(simplifier, transfer->slot);
}

/* ONE and OTHER have the same value where the walk stands; or there is neither. */
static bool is_same(struct simplifier *simplifier, struct plan_expr *one, struct plan_expr *other)
{
	return !one || !other ? one == other : plan_equal(rebuilt(simplifier, one), rebuilt(simplifier, other));
}

static bool is_same_transfer(struct simplifier *simplifier, const struct plan_transfer *one, const struct plan_transfer *other)
{
	bool are_same = one->is_put == other->is_put && one->buffer == other->buffer && one->tag == other->tag
		&& one->is_rest == other->is_rest && one->ring_dim == other->ring_dim
		&& is_same(simplifier, one->ring_count, other->ring_count) && is_same(simplifier, one->slot, other->slot);

	for (int d = 0; are_same && d < one->buffer->rank; d++)
		are_same = is_same(simplifier, one->first[d], other->first[d])
			&& is_same(simplifier, one->count[d], other->count[d])
			&& is_same(simplifier, one->local[d], other->local[d]);
	return are_same;
}

/* The transfers of the condition NODE are right where that of OTHER holds, too. */
static bool serves(struct simplifier *simplifier, const struct plan_node *node, const struct plan_node *other)
{
	int facts = simplifier->fact_count, ranges = simplifier->range_count;
	bool serves = node->body->child_count == other->body->child_count;

	assume(simplifier, other->condition);
	for (int i = 0; i < node->body->child_count && serves; i++) {
		const struct plan_node *one = node->body->children[i], *two = other->body->children[i];

		serves = one->kind == PLAN_TRANSFER && two->kind == PLAN_TRANSFER
			&& is_same_transfer(simplifier, &one->transfer, &two->transfer);
	}
	forget(simplifier, facts, ranges);
	return serves;
}

/* What came just before NODE, where its condition does not hold, says the same: "if (t == 0) get(0); else get(t);".  Then it is
 * said once, for both. */
static bool joins(struct simplifier *simplifier, struct plan_node *block, const struct plan_node *node)
{
	struct plan_node *before = block->child_count ? block->children[block->child_count - 1] : NULL;
	const struct plan_node *both;

	if (!before || before->kind != PLAN_IF || !plan_are_opposite(before->condition, node->condition))
		return false;
	both = serves(simplifier, node, before) ? node : serves(simplifier, before, node) ? before : NULL;
	if (!both)
		return false;
	block->child_count--;
	for (int i = 0; i < both->body->child_count; i++)
		plan_append(simplifier->arena, block, both->body->children[i]);
	return true;
}

/* NODE, simplified, goes to BLOCK, or its children do, or nothing. */
static void append_simplified(struct simplifier *simplifier, struct plan_node *block,
	struct plan_node *node);

static void append_if(struct simplifier *simplifier, struct plan_node *block,
	struct plan_node *node)
{
	int facts = simplifier->fact_count, ranges = simplifier->range_count;
	bool is_reachable;
	long value;

	node->condition = simplified(simplifier, node->condition);
	if (plan_is_const(node->condition, &value)) {
		for (int i = 0; value && i < node->body->child_count; i++)
			append_simplified(simplifier, block, node->body->children[i]);
		return;
	}
	assume(simplifier, node->condition);
	is_reachable = !is_unreachable(simplifier);
	if (is_reachable)
		simplify_block(simplifier, node->body);
	forget(simplifier, facts, ranges);
	if (is_reachable && node->body->child_count > 0 && !joins(simplifier, block, node))
		plan_append(simplifier->arena, block, node);
}

/* Where a word is that moves; BUFFER NULL: nowhere. */
static void simplify_word(struct simplifier *simplifier, const struct plan_buffer *buffer,
	struct plan_expr **slot, struct plan_expr **at)
{
	if (buffer && *slot)
		*slot = simplified(simplifier, *slot);
	for (int d = 0; buffer && d < buffer->rank; d++)
		at[d] = simplified(simplifier, at[d]);
}

static void append_simplified(struct simplifier *simplifier, struct plan_node *block,
	struct plan_node *node)
{
	switch (node->kind) {
	case PLAN_BLOCK:
		for (int i = 0; i < node->child_count; i++)
			append_simplified(simplifier, block, node->children[i]);
		return;
	case PLAN_IF:
		append_if(simplifier, block, node);
		return;
	case PLAN_LOOP:
	case PLAN_LET:
		simplify_loop(simplifier, node);
		if (node->kind == PLAN_LOOP ? is_empty_loop(node) : node->body->child_count == 0)
			return;
		break;
	case PLAN_TRANSFER:
		simplify_transfer(simplifier, &node->transfer);
		if (moves_nothing(&node->transfer))
			return;
		break;
	case PLAN_WAIT:
		if (node->tags == 0)
			return;
		break;
	case PLAN_STEP:
		simplify_block(simplifier, node->body);
		if (node->body->child_count == 0)
			return;
		break;
	case PLAN_COMPUTE:
		for (int i = 0; i < node->statement->depth; i++)
			node->values[i] = simplified(simplifier, node->values[i]);
		break;
	case PLAN_MOVE:
		simplify_word(simplifier, node->move->from, &node->move->from_slot, node->move->from_at);
		simplify_word(simplifier, node->move->to, &node->move->to_slot, node->move->to_at);
		break;
	}
	plan_append(simplifier->arena, block, node);
}

static void simplify_block(struct simplifier *simplifier, struct plan_node *block)
{
	struct plan_node old = *block;

	*block = (struct plan_node){ .kind = PLAN_BLOCK };
	for (int i = 0; i < old.child_count; i++)
		append_simplified(simplifier, block, old.children[i]);
}

void plan_simplify(struct plan *plan)
{
	struct simplifier simplifier = { .arena = plan->arena };

	for (int n = 0; n < plan->nest_count; n++)
		simplify_block(&simplifier, plan->nests[n].body);
	for (int i = 0; i < plan->buffer_count; i++) {
		struct plan_buffer *buffer = plan->buffers[i];

		if (buffer->slot)
			buffer->slot = rebuilt(&simplifier, buffer->slot);
		for (int d = 0; d < buffer->rank; d++)
			if (buffer->dims[d].origin)
				buffer->dims[d].origin = rebuilt(&simplifier,
					buffer->dims[d].origin);
	}
}

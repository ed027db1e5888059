/* "p_first = p_tile * 14" once instead of p_tile * 14 everywhere. */

#include "passes/plan_passes/name_values.h"

#include <string.h>

enum { CANDIDATE_LIMIT = 16, LEAST_USES = 3 };

/* Values that depend on VAR alone, found in the scope of VAR. */
struct namer {
	struct plan *plan;
	struct plan_var *var;
	bool is_place;               /* what is visited only says where in its buffer an element is */
	int count;
	struct candidate {
		struct plan_expr *expr;
		int uses;
		bool is_printed;         /* some use is no place in a buffer, where values cancel out */
		struct plan_var *name;   /* NULL: not worth one */
	} candidates[CANDIDATE_LIMIT];
};

/* What a visitor makes of an expression takes its place. */
typedef struct plan_expr *visitor(struct namer *namer, struct plan_expr *expr);

/* ------------------------------------------------------------------ all expressions */

static void visit_list(struct namer *namer, visitor *visit, struct plan_expr **exprs, int count)
{
	for (int i = 0; i < count; i++)
		if (exprs[i])
			exprs[i] = visit(namer, exprs[i]);
}

static void visit_node(struct namer *namer, visitor *visit, struct plan_node *node)
{
	int rank = node->kind == PLAN_TRANSFER ? node->transfer.buffer->rank : 0;

	visit_list(namer, visit, &node->lower, 1);
	visit_list(namer, visit, &node->upper, 1);
	visit_list(namer, visit, &node->condition, 1);
	visit_list(namer, visit, node->transfer.first, rank);
	visit_list(namer, visit, node->transfer.count, rank);
	visit_list(namer, visit, node->transfer.local, rank);
	visit_list(namer, visit, &node->transfer.slot, 1);
	if (node->kind == PLAN_MOVE) {
		struct plan_move *move = node->move;

		visit_list(namer, visit, &move->from_slot, 1);
		visit_list(namer, visit, move->from_at, move->from ? move->from->rank : 0);
		visit_list(namer, visit, &move->to_slot, 1);
		visit_list(namer, visit, move->to_at, move->to->rank);
	}
	if (node->kind == PLAN_COMPUTE) {
		namer->is_place = true;
		visit_list(namer, visit, node->values, node->statement->depth);
		namer->is_place = false;
	}
	if (node->body)
		visit_node(namer, visit, node->body);
	for (int i = 0; i < node->child_count; i++)
		visit_node(namer, visit, node->children[i]);
}

/* Buffers that move with VAR are used in its scope only. */
static void visit_buffers(struct namer *namer, visitor *visit)
{
	namer->is_place = true;
	for (int i = 0; i < namer->plan->buffer_count; i++) {
		struct plan_buffer *buffer = namer->plan->buffers[i];

		visit_list(namer, visit, &buffer->slot, 1);
		for (int d = 0; d < buffer->rank; d++)
			visit_list(namer, visit, &buffer->dims[d].origin, 1);
	}
	namer->is_place = false;
}

/* ------------------------------------------------------------------ candidates */

static bool only_mentions(const struct plan_expr *expr, const struct plan_var *var)
{
	if (expr->op == PLAN_VAR)
		return expr->var == var;
	for (int i = 0; i < plan_operand_count(expr->op); i++)
		if (!only_mentions(expr->operands[i], var))
			return false;
	return true;
}

static bool is_multiple(const struct plan_expr *expr, const struct plan_var *var)
{
	return expr->op == PLAN_MUL && expr->operands[0]->op == PLAN_VAR
		&& expr->operands[0]->var == var && expr->operands[1]->op == PLAN_CONST;
}

static bool is_candidate(const struct plan_expr *expr, const struct plan_var *var)
{
	return is_multiple(expr, var) || ((expr->op == PLAN_MIN || expr->op == PLAN_MAX)
		&& only_mentions(expr, var));
}

static struct plan_expr *count_uses(struct namer *namer, struct plan_expr *expr)
{
	for (int i = 0; i < plan_operand_count(expr->op); i++)
		count_uses(namer, expr->operands[i]);
	if (!is_candidate(expr, namer->var))
		return expr;
	for (int i = 0; i < namer->count; i++)
		if (plan_equal(namer->candidates[i].expr, expr)) {
			namer->candidates[i].uses++;
			namer->candidates[i].is_printed |= !namer->is_place;
			return expr;
		}
	if (namer->count < CANDIDATE_LIMIT)
		namer->candidates[namer->count++] = (struct candidate){ expr, 1,
			!namer->is_place, NULL };
	return expr;
}

static struct plan_expr *replace(struct namer *namer, struct plan_expr *expr)
{
	struct arena *arena = namer->plan->arena;
	struct plan_expr *operands[3] = { NULL };
	bool is_changed = false;

	for (int i = 0; i < namer->count; i++)
		if (namer->candidates[i].name && plan_equal(namer->candidates[i].expr, expr))
			return plan_ref(arena, namer->candidates[i].name);
	for (int i = 0; i < plan_operand_count(expr->op); i++) {
		operands[i] = replace(namer, expr->operands[i]);
		is_changed = is_changed || operands[i] != expr->operands[i];
	}
	return is_changed ? plan_raw(arena, expr->op, operands[0], operands[1], operands[2]) : expr;
}

/* ------------------------------------------------------------------ names */

static bool has_var(const struct plan_node *node, const char *name)
{
	if (node->var && strcmp(node->var->name, name) == 0)
		return true;
	if (node->body && has_var(node->body, name))
		return true;
	for (int i = 0; i < node->child_count; i++)
		if (has_var(node->children[i], name))
			return true;
	return false;
}

static bool is_taken(const struct plan *plan, const char *name)
{
	for (int n = 0; n < plan->nest_count; n++)
		if (has_var(plan->nests[n].body, name))
			return true;
	for (int i = 0; i < plan->function->array_count; i++)
		if (strcmp(plan->function->arrays[i]->name, name) == 0)
			return true;
	for (int i = 0; i < plan->buffer_count; i++)
		if (strcmp(plan->buffers[i]->name, name) == 0)
			return true;
	return false;
}

/* "p_first" for a multiple of p_tile or p_turned, "p_count" for what is left of a tile
 * at the edge, "p_last" for its last iteration. */
static const char *kind_of(const struct plan_expr *expr)
{
	const struct plan_expr *inner = expr->operands[0];

	if (expr->op == PLAN_MUL)
		return "first";
	if (expr->op == PLAN_MAX)
		return "from";
	return inner->op == PLAN_SUB && inner->operands[1]->op != PLAN_CONST ? "count" : "last";
}

static struct plan_var *new_name(struct namer *namer, const struct plan_expr *expr)
{
	struct arena *arena = namer->plan->arena;
	const char *end = strrchr(namer->var->name, '_');
	size_t length = end ? (size_t)(end - namer->var->name) : strlen(namer->var->name);
	const char *base = arena_printf(arena, "%.*s_%s", (int)length, namer->var->name,
		kind_of(expr));
	struct plan_var *var = ARENA_NEW(arena, struct plan_var);

	var->name = base;
	for (int i = 2; is_taken(namer->plan, var->name); i++)
		var->name = arena_printf(arena, "%s_%d", base, i);
	plan_range(expr, &var->min, &var->max);
	return var;
}

/* Puts a named value around all that BLOCK has. */
static void wrap(struct namer *namer, struct plan_node *block, struct plan_var *var,
	struct plan_expr *value)
{
	struct plan_node *let = plan_let(namer->plan->arena, var, value);

	*let->body = *block;
	*block = (struct plan_node){ .kind = PLAN_BLOCK };
	plan_append(namer->plan->arena, block, let);
}

/* Names one value of NODE's variable, the one that is used most; false if none is
 * used often. */
static bool name_one(struct plan *plan, struct plan_node *node)
{
	struct namer namer = { .plan = plan, .var = node->var };
	struct candidate *best = NULL;

	visit_node(&namer, count_uses, node->body);
	visit_buffers(&namer, count_uses);
	for (int i = 0; i < namer.count; i++)
		if (namer.candidates[i].uses >= LEAST_USES && namer.candidates[i].is_printed
			&& (!best || namer.candidates[i].uses > best->uses))
			best = &namer.candidates[i];
	if (!best)
		return false;
	best->name = new_name(&namer, best->expr);
	visit_node(&namer, replace, node->body);
	visit_buffers(&namer, replace);
	wrap(&namer, node->body, best->name, best->expr);
	return true;
}

/* Whether NODE says which tile its body works on.  A loop that turns does not: its
 * variable counts, and a named value in it is the tile. */
static bool is_tile(const struct plan_node *node)
{
	const struct plan_node *body = node->body;

	if (node->kind != PLAN_LOOP || node->loop != LOOP_TILE)
		return node->kind == PLAN_LET;
	return body->child_count != 1 || body->children[0]->kind != PLAN_LET;
}

static void name_in(struct plan *plan, struct plan_node *node)
{
	bool names = is_tile(node) && node->var->min < node->var->max;

	while (names && name_one(plan, node))
		continue;
	if (node->body)
		name_in(plan, node->body);
	for (int i = 0; i < node->child_count; i++)
		name_in(plan, node->children[i]);
}

void plan_name_values(struct plan *plan)
{
	for (int n = 0; n < plan->nest_count; n++)
		name_in(plan, plan->nests[n].body);
}

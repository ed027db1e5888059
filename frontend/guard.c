/* Conditions on data.  What such an if guards is run for all iterations, and what it assigns
 * is a choice of values: if (c) x = e; is x = c ? e : x. */

#include <string.h>

#include "frontend/sema.h"

/* Whether AST is floating point by itself, which no condition on iterators is. */
static bool is_floating(const struct ast_expr *ast)
{
	struct type type;
	if (ast->kind == AST_NUMBER)
		return type_of_number(ast->text, &type) && type_is_float(type.kind);
	return ast->kind == AST_CAST && !ast->type.is_void && type_is_float(ast->type.type.kind);
}

bool guard_is_data(const struct sema *sema, const struct ast_expr *ast)
{
	if (ast->kind == AST_CALL || is_floating(ast))
		return true;
	if (ast->kind == AST_NAME) {
		const struct symbol *symbol = symbol_find(sema, ast->text);
		return symbol && symbol->kind == SYMBOL_ARRAY;
	}
	for (int i = 0; i < ast->operand_count; i++)
		if (guard_is_data(sema, ast->operands[i]))
			return true;
	return false;
}

/* ---- what a branch assigns ---- */

/* The assignments that STMT consists of, in order; false if it is something else. */
static bool find_assignments(struct arena *arena, const struct ast_stmt *stmt,
	struct ast_list *assignments)
{
	if (!stmt || stmt->kind == AST_EMPTY)
		return true;
	if (stmt->kind == AST_BLOCK) {
		for (size_t i = 0; i < stmt->items.count; i++)
			if (!find_assignments(arena, stmt->items.items[i], assignments))
				return false;
		return true;
	}
	if (stmt->kind != AST_EXPRESSION || (stmt->condition->kind != AST_STEP &&
	    (stmt->condition->kind != AST_ASSIGN || stmt->condition->operands[1]->kind == AST_ASSIGN)))
		return false;
	ast_append(arena, assignments, stmt->condition);
	return true;
}

static void find_assigned_by(struct arena *arena, const struct ast_expr *ast,
	struct name_set *names)
{
	if (ast->kind == AST_ASSIGN || ast->kind == AST_STEP) {
		const struct ast_expr *base = ast->operands[0];
		while (base->kind == AST_SUBSCRIPT)
			base = base->operands[0];
		if (base->kind == AST_NAME)
			name_set_add(arena, names, base->text, NOWHERE);
	}
	for (int i = 0; i < ast->operand_count; i++)
		find_assigned_by(arena, ast->operands[i], names);
}

/* Names that STMT assigns to; what it declares may be among them. */
static void find_assigned(struct arena *arena, const struct ast_stmt *stmt, struct name_set *names)
{
	if (!stmt)
		return;
	if (stmt->kind == AST_EXPRESSION)
		find_assigned_by(arena, stmt->condition, names);
	for (size_t i = 0; i < stmt->items.count && stmt->kind == AST_BLOCK; i++)
		find_assigned(arena, stmt->items.items[i], names);
	find_assigned(arena, stmt->body, names);
	find_assigned(arena, stmt->otherwise, names);
}

static bool has_name(const struct ast_expr *ast, const struct name_set *names)
{
	if (ast->kind == AST_NAME && name_set_has(names, ast->text, NOWHERE))
		return true;
	for (int i = 0; i < ast->operand_count; i++)
		if (has_name(ast->operands[i], names))
			return true;
	return false;
}

/* ---- guards ---- */

static struct ast_expr *both(struct sema *sema, const struct ast_expr *a, const struct ast_expr *b)
{
	return a ? ast_node(sema->arena, AST_BINARY, b->location, "&&", (struct ast_expr *)a,
		(struct ast_expr *)b, NULL) : (struct ast_expr *)b;
}

static struct ast_expr *negation(struct sema *sema, const struct ast_expr *condition)
{
	return ast_node(sema->arena, AST_UNARY, condition->location, "!",
		(struct ast_expr *)condition, NULL, NULL);
}

struct ast_expr *guard_part(struct sema *sema, const struct ast_expr *ast, bool on_data)
{
	if (ast->kind == AST_BINARY && !strcmp(ast->text, "&&")) {
		struct ast_expr *a = guard_part(sema, ast->operands[0], on_data);
		struct ast_expr *b = guard_part(sema, ast->operands[1], on_data);
		return b ? both(sema, a, b) : a;
	}
	return guard_is_data(sema, ast) == on_data ? (struct ast_expr *)ast : NULL;
}

/* A new local of TYPE whose name is like NAME, for what VALUE is now, under the guard there is:
 * so it stays while what VALUE reads is assigned to. */
static struct ast_expr *keep_value(struct sema *sema, const char *name, struct type type,
	const struct ast_expr *value)
{
	struct ast_declarator declarator = { .name = name, .location = value->location,
		.type = { .type = type } };
	struct ast_expr *local = ast_leaf(sema->arena, AST_NAME, value->location,
		sema_add_local(sema, &declarator));
	const struct ast_expr *guard = sema->guard;
	sema->guard = NULL;
	lower_store(sema, value->location, local, NULL, value);
	sema->guard = guard;
	return local;
}

/* A condition that stays what CONDITION is now.  What is asked of iterators stays visible. */
static struct ast_expr *keep_condition(struct sema *sema, const struct ast_expr *condition)
{
	return both(sema, guard_part(sema, condition, false), keep_value(sema, "condition",
		(struct type){ TYPE_BOOL, 1, "_Bool" }, both(sema, sema->guard, condition)));
}

static void lower_under(struct sema *sema, const struct ast_expr *guard,
	const struct ast_stmt *stmt)
{
	const struct ast_expr *outer = sema->guard;
	sema->guard = both(sema, outer, guard);
	if (stmt)
		lower_stmt(sema, stmt);
	sema->guard = outer;
}

/* ---- ifs that only assign ---- */

/* An if on data, or a branch of it that only assigns. */
struct decision {
	const struct ast_expr *condition;    /* NULL: a branch */
	struct decision *then, *otherwise;
	/* of a branch: what it assigns, in order, with the targets' text; next: those not lowered */
	struct ast_list assignments;
	const char **targets;
	size_t next;
	int first_branch;                    /* of all branches in it, in the source's order */
};

/* All branches that a decision has. */
struct branches {
	struct ast_list list;
	size_t left;                         /* assignments that are not lowered */
};

static struct ast_expr *data_condition(struct sema *sema, const struct ast_expr *condition)
{
	return both(sema, guard_part(sema, condition, false), guard_part(sema, condition, true));
}

/* The only statement in STMT. */
static const struct ast_stmt *only_statement(const struct ast_stmt *stmt)
{
	while (stmt && stmt->kind == AST_BLOCK && stmt->items.count == 1 &&
	       ((const struct ast_stmt *)stmt->items.items[0])->kind != AST_DECLARATION)
		stmt = stmt->items.items[0];
	return stmt;
}

/* What STMT decides, with its branches; NULL if it is no if on data whose branches only
 * assign, nor such a branch. */
static struct decision *find_decision(struct sema *sema, const struct ast_stmt *stmt,
	struct branches *branches)
{
	struct decision *decision = ARENA_NEW(sema->arena, struct decision);
	*decision = (struct decision){ .first_branch = (int)branches->list.count };
	stmt = only_statement(stmt);
	if (stmt && stmt->kind == AST_IF && guard_is_data(sema, stmt->condition)) {
		decision->condition = data_condition(sema, stmt->condition);
		decision->then = find_decision(sema, stmt->body, branches);
		decision->otherwise = decision->then ? find_decision(sema, stmt->otherwise, branches) : NULL;
		return decision->otherwise ? decision : NULL;
	}
	if (!find_assignments(sema->arena, stmt, &decision->assignments))
		return NULL;
	size_t count = decision->assignments.count;
	decision->targets = ARENA_ARRAY(sema->arena, const char *, count + 1);
	for (size_t i = 0; i < count; i++) {
		const struct ast_expr *assignment = decision->assignments.items[i];
		decision->targets[i] = ast_expr_text(sema->arena, assignment->operands[0]);
	}
	ast_append(sema->arena, &branches->list, decision);
	branches->left += count;
	return decision;
}

static bool assigns_next(const struct decision *branch, const char *target)
{
	return branch->next < branch->assignments.count &&
		!strcmp(branch->targets[branch->next], target);
}

/* Whether some branch assigns to TARGET, but not next. */
static bool is_awaited(const struct branches *branches, const char *target)
{
	for (size_t b = 0; b < branches->list.count; b++) {
		const struct decision *branch = branches->list.items[b];
		bool is_next = assigns_next(branch, target);
		for (size_t i = branch->next + 1; i < branch->assignments.count && !is_next; i++)
			if (!strcmp(branch->targets[i], target))
				return true;
	}
	return false;
}

/* The target that is assigned to next: where it can be, by all branches that do so at once. */
static const char *next_target(const struct branches *branches)
{
	const char *first = NULL;
	for (size_t b = 0; b < branches->list.count; b++) {
		const struct decision *branch = branches->list.items[b];
		if (branch->next == branch->assignments.count)
			continue;
		const char *target = branch->targets[branch->next];
		if (!is_awaited(branches, target))
			return target;
		first = first ? first : target;
	}
	return first;
}

/* What a decision makes of one target: VALUE if GUARD holds (NULL: always), else what the target
 * is.  No value: what the target is. */
struct outcome {
	const struct ast_expr *guard, *value;
	const struct ast_expr *assignment;   /* the first that it comes from */
};

static const struct ast_expr *value_of(struct sema *sema, struct outcome outcome)
{
	const struct ast_expr *target = outcome.assignment->operands[0];
	return outcome.guard ? choice_of(sema, outcome.guard, outcome.value, target, target) :
		outcome.value;
}

static struct outcome outcome_of(struct sema *sema, struct decision *decision, const char *target)
{
	if (!decision->condition) {
		if (!assigns_next(decision, target))
			return (struct outcome){ 0 };
		const struct ast_expr *assignment = decision->assignments.items[decision->next++];
		return (struct outcome){ .value = assigned_value(sema, assignment),
			.assignment = assignment };
	}
	const struct ast_expr *condition = decision->condition;
	struct outcome then = outcome_of(sema, decision->then, target);
	struct outcome otherwise = outcome_of(sema, decision->otherwise, target);
	if (!then.value && !otherwise.value)
		return then;
	if (!then.value || !otherwise.value) {
		struct outcome outcome = then.value ? then : otherwise;
		const struct ast_expr *holds = then.value ? condition : negation(sema, condition);
		outcome.guard = outcome.guard ? both(sema, holds, outcome.guard) : holds;
		return outcome;
	}
	return (struct outcome){ .assignment = then.assignment, .value = choice_of(sema, condition,
		value_of(sema, then), value_of(sema, otherwise), then.assignment->operands[0]) };
}

static struct ast_expr *branch_number(struct sema *sema, const struct decision *decision,
	struct location at)
{
	return ast_leaf(sema->arena, AST_NUMBER, at, arena_printf(sema->arena, "%d",
		decision->first_branch));
}

/* The number of the branch that is taken. */
static struct ast_expr *taken_branch(struct sema *sema, const struct decision *decision,
	struct location at)
{
	if (!decision->condition)
		return branch_number(sema, decision, at);
	return ast_node(sema->arena, AST_CONDITIONAL, at, NULL,
		(struct ast_expr *)decision->condition, taken_branch(sema, decision->then, at),
		taken_branch(sema, decision->otherwise, at));
}

/* Conditions become ones on the number of the branch that is taken. */
static void decide_by_number(struct sema *sema, struct decision *decision,
	struct ast_expr *number)
{
	if (!decision->condition)
		return;
	struct location at = decision->condition->location;
	struct ast_expr *second = branch_number(sema, decision->otherwise, at);
	decision->condition = both(sema, guard_part(sema, decision->condition, false),
		ast_node(sema->arena, AST_BINARY, at, "<", number, second, NULL));
	decide_by_number(sema, decision->then, number);
	decide_by_number(sema, decision->otherwise, number);
}

static bool reads_name(const struct decision *decision, const struct name_set *names)
{
	return decision->condition && (has_name(decision->condition, names) ||
		reads_name(decision->then, names) || reads_name(decision->otherwise, names));
}

/* Conditions stay what they are now while names that are ASSIGNED change. */
static void keep_conditions(struct sema *sema, struct decision *decision,
	const struct name_set *assigned, size_t branch_count)
{
	if (!reads_name(decision, assigned))
		return;
	if (branch_count == 2) {
		decision->condition = keep_condition(sema, decision->condition);
		return;
	}
	struct location at = decision->condition->location;
	struct ast_expr *taken = taken_branch(sema, decision, at);
	if (sema->guard)
		taken = ast_node(sema->arena, AST_CONDITIONAL, at, NULL,
			(struct ast_expr *)sema->guard, taken,
			ast_leaf(sema->arena, AST_NUMBER, at, "0"));
	decide_by_number(sema, decision, keep_value(sema, "branch",
		(struct type){ TYPE_INT32, 4, "int" }, taken));
}

/* DECISION as choices of values, one for each target where its branches assign in like orders. */
static void lower_decision(struct sema *sema, struct decision *decision,
	struct branches *branches, const struct name_set *assigned)
{
	bool is_kept = false;
	while (branches->left && !diag_full(sema->diag)) {
		const char *target = next_target(branches);
		size_t alike = 0;
		for (size_t b = 0; b < branches->list.count; b++)
			alike += assigns_next(branches->list.items[b], target);
		branches->left -= alike;
		if (branches->left && !is_kept) {
			keep_conditions(sema, decision, assigned, branches->list.count);
			is_kept = true;
		}
		struct outcome outcome = outcome_of(sema, decision, target);
		const struct ast_expr *assignment = outcome.assignment, *outer = sema->guard;
		sema->guard = outcome.guard ? both(sema, outer, outcome.guard) : outer;
		lower_store(sema, assignment->location, assignment->operands[0], NULL, outcome.value);
		sema->guard = outer;
	}
}

void lower_data_if(struct sema *sema, const struct ast_stmt *stmt)
{
	if (guard_part(sema, stmt->condition, false) && !stmt->otherwise) {
		struct ast_stmt inner = *stmt, outer = *stmt;
		inner.condition = guard_part(sema, stmt->condition, true);
		outer.condition = guard_part(sema, stmt->condition, false);
		outer.body = &inner;
		lower_if(sema, &outer);
		return;
	}
	struct symbol *scope = sema->symbols;
	struct name_set assigned = { 0 };
	find_assigned(sema->arena, stmt->body, &assigned);
	find_assigned(sema->arena, stmt->otherwise, &assigned);
	struct branches branches = { 0 };
	struct decision *decision = find_decision(sema, stmt, &branches);
	if (decision) {
		lower_decision(sema, decision, &branches, &assigned);
	} else {
		const struct ast_expr *condition = data_condition(sema, stmt->condition);
		if (has_name(condition, &assigned))
			condition = keep_condition(sema, condition);
		lower_under(sema, condition, stmt->body);
		lower_under(sema, negation(sema, condition), stmt->otherwise);
	}
	sema->symbols = scope;
}

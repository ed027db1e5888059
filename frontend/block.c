/* Loops whose iterator is divided in subscripts, y / 2 or y % 2: they become two loops, over
 * blocks and within one, in which those are affine. */

#include <string.h>

#include "frontend/sema.h"

struct division {
	struct sema *sema;
	const char *name;            /* of the iterator */
	long divisor;                /* 0: none found */
	bool is_one;                 /* it is divided by nothing else */
};

static void find_divisor(struct division *division, const struct ast_expr *ast)
{
	enum { LARGEST = 1 << 20 };
	struct type type;
	long divisor;
	bool divides = ast->kind == AST_BINARY && (!strcmp(ast->text, "/") || !strcmp(ast->text, "%") ||
		!strcmp(ast->text, ">>") || !strcmp(ast->text, "&"));
	if (divides && ast_mentions(ast->operands[0], division->name)
		&& index_constant(division->sema, ast->operands[1], &type, &divisor)) {
		if (*ast->text == '>')
			divisor = divisor > 0 && divisor < 20 ? 1L << divisor : 0;
		else if (*ast->text == '&')
			divisor++;
		division->is_one &= !division->divisor || division->divisor == divisor;
		division->is_one &= divisor > 1 && divisor <= LARGEST;
		division->divisor = divisor;
	}
	for (int i = 0; i < ast->operand_count; i++)
		find_divisor(division, ast->operands[i]);
}

static void look_at_subscripts(struct division *division, const struct ast_expr *ast)
{
	if (!ast)
		return;
	if (ast->kind == AST_SUBSCRIPT)
		find_divisor(division, ast->operands[1]);
	for (int i = 0; i < ast->operand_count; i++)
		look_at_subscripts(division, ast->operands[i]);
}

static void look_at(struct division *division, const struct ast_stmt *stmt)
{
	if (!stmt)
		return;
	look_at_subscripts(division, stmt->condition);
	for (size_t i = 0; i < stmt->items.count; i++)
		if (stmt->kind == AST_BLOCK) {
			look_at(division, stmt->items.items[i]);
		} else if (stmt->kind == AST_DECLARATION) {
			const struct ast_declarator *declarator = stmt->items.items[i];
			look_at_subscripts(division, declarator->initial);
			if (declarator->initial && name_set_has(&division->sema->indices,
				declarator->name, declarator->location))
				find_divisor(division, declarator->initial);
		}
	look_at(division, stmt->body);
	look_at(division, stmt->otherwise);
}

/* A loop that counts up by one: for (int y = LOWER; y < LIMIT && ...; y++). */
struct counting {
	const char *name;
	struct ast_type type;
	const struct ast_expr *lower;
	/* Of each part of the condition: y <= limit, y < limit, or y != limit. */
	struct { const struct ast_expr *limit; bool is_inclusive, is_inequality; } bounds[8];
	int bound_count;
};

static bool is_name(const struct ast_expr *ast, const char *name)
{
	return ast->kind == AST_NAME && !strcmp(ast->text, name);
}

static bool is_number(const struct ast_expr *ast, const char *number)
{
	return ast->kind == AST_NUMBER && !strcmp(ast->text, number);
}

/* y++, y += 1, y = y + 1. */
static bool counts_up(const struct ast_expr *step, const char *name)
{
	if (!step || (step->kind != AST_STEP && step->kind != AST_ASSIGN) ||
	    !is_name(step->operands[0], name))
		return false;
	if (step->kind == AST_STEP)
		return !strcmp(step->text, "++");
	const struct ast_expr *value = step->operands[1];
	if (!strcmp(step->text, "+="))
		return is_number(value, "1");
	if (strcmp(step->text, "=") || value->kind != AST_BINARY || strcmp(value->text, "+"))
		return false;
	const struct ast_expr *a = value->operands[0], *b = value->operands[1];
	return (is_name(a, name) && is_number(b, "1")) || (is_number(a, "1") && is_name(b, name));
}

/* The bounds that CONDITION consists of. */
static bool find_bounds(const struct ast_expr *condition, struct counting *counting)
{
	if (!condition || condition->kind != AST_BINARY)
		return false;
	const struct ast_expr *a = condition->operands[0], *b = condition->operands[1];
	const char *operator = condition->text;
	if (!strcmp(operator, "&&"))
		return find_bounds(a, counting) && find_bounds(b, counting);
	bool is_turned = !is_name(a, counting->name);
	const struct ast_expr *limit = is_turned ? a : b;
	bool is_inequality = !strcmp(operator, "!=");
	bool is_inclusive = !strcmp(operator, is_turned ? ">=" : "<=");
	if (!is_inequality && !is_inclusive && strcmp(operator, is_turned ? ">" : "<"))
		return false;
	if (!is_name(is_turned ? b : a, counting->name) || ast_mentions(limit, counting->name) ||
	    counting->bound_count == sizeof counting->bounds / sizeof *counting->bounds)
		return false;
	counting->bounds[counting->bound_count].limit = limit;
	counting->bounds[counting->bound_count].is_inclusive = is_inclusive;
	counting->bounds[counting->bound_count++].is_inequality = is_inequality;
	return true;
}

/* The iterator: declared in the for, or before it. */
static bool find_iterator(const struct sema *sema, const struct ast_stmt *initial,
	struct counting *counting)
{
	if (initial && initial->kind == AST_DECLARATION && initial->items.count == 1) {
		const struct ast_declarator *iterator = initial->items.items[0];
		counting->name = iterator->name;
		counting->type = iterator->type;
		counting->lower = iterator->initial;
		return counting->name && counting->lower && !iterator->extents.count &&
			!iterator->pointer_count;
	}
	const struct ast_expr *first = initial && initial->kind == AST_EXPRESSION ?
		initial->condition : NULL;
	if (!first || first->kind != AST_ASSIGN || strcmp(first->text, "=") ||
	    first->operands[0]->kind != AST_NAME)
		return false;
	const struct symbol *symbol = symbol_find(sema, first->operands[0]->text);
	if (!symbol || symbol->kind != SYMBOL_ITERATOR || symbol->dim >= 0)
		return false;
	counting->name = first->operands[0]->text;
	counting->type = (struct ast_type){ .type = symbol->type };
	counting->lower = first->operands[1];
	return true;
}

static bool find_counting(const struct sema *sema, const struct ast_stmt *stmt,
	struct counting *counting)
{
	*counting = (struct counting){ 0 };
	return find_iterator(sema, stmt->initial, counting) && counts_up(stmt->step, counting->name) &&
		find_bounds(stmt->condition, counting);
}

/* ---- the two loops ---- */

struct making {
	struct arena *arena;
	struct location at;
	struct ast_type type;
};

static struct ast_expr *number(const struct making *making, long value)
{
	return ast_leaf(making->arena, AST_NUMBER, making->at,
		arena_printf(making->arena, "%ld", value));
}

static struct ast_expr *variable(const struct making *making, const char *name)
{
	return ast_leaf(making->arena, AST_NAME, making->at, name);
}

static struct ast_expr *binary(const struct making *making, const char *operator,
	struct ast_expr *a, struct ast_expr *b)
{
	return ast_node(making->arena, AST_BINARY, making->at, operator, a, b, NULL);
}

static struct ast_stmt *declaration(const struct making *making, const char *name,
	struct ast_expr *initial, bool is_const)
{
	struct ast_stmt *stmt = ast_stmt(making->arena, AST_DECLARATION, making->at);
	struct ast_declarator *declarator = ARENA_NEW(making->arena, struct ast_declarator);
	*declarator = (struct ast_declarator){ .name = name, .location = making->at,
		.type = making->type, .initial = initial };
	declarator->type.is_const = is_const;
	ast_append(making->arena, &stmt->items, declarator);
	return stmt;
}

static struct ast_stmt *loop(const struct making *making, const char *name,
	struct ast_expr *lower, struct ast_expr *condition, struct ast_stmt *body)
{
	struct ast_stmt *stmt = ast_stmt(making->arena, AST_FOR, making->at);
	stmt->initial = declaration(making, name, lower, false);
	stmt->condition = condition;
	stmt->step = ast_node(making->arena, AST_STEP, making->at, "++", variable(making, name), NULL,
		NULL);
	stmt->body = body;
	return stmt;
}

/* A && B; A may be NULL. */
static struct ast_expr *both(const struct making *making, struct ast_expr *a, struct ast_expr *b)
{
	return a ? binary(making, "&&", a, b) : b;
}

/* Whether AST is a constant and a multiple of DIVISOR. */
static bool is_multiple(struct sema *sema, const struct ast_expr *ast, long divisor)
{
	struct type type;
	long value;
	return index_constant(sema, ast, &type, &value) && value % divisor == 0;
}

/* BODY for those values of the iterator that the loop has. */
static struct ast_stmt *guarded(struct sema *sema, const struct making *making,
	const struct counting *counting, long divisor, struct ast_stmt *body)
{
	struct ast_expr *y = variable(making, counting->name), *condition = NULL;
	if (!is_multiple(sema, counting->lower, divisor))
		condition = binary(making, ">=", y, (struct ast_expr *)counting->lower);
	for (int i = 0; i < counting->bound_count; i++) {
		struct ast_expr *limit = (struct ast_expr *)counting->bounds[i].limit;
		bool is_inclusive = counting->bounds[i].is_inclusive;
		if (is_inclusive || !is_multiple(sema, limit, divisor))
			condition = both(making, condition, binary(making, is_inclusive ? "<=" : "<", y, limit));
	}
	if (!condition)
		return body;
	struct ast_stmt *stmt = ast_stmt(making->arena, AST_IF, making->at);
	stmt->condition = condition;
	stmt->body = body;
	return stmt;
}

/* Whether there is a value of the iterator that the loop has in the block. */
static struct ast_expr *block_condition(const struct making *making,
	const struct counting *counting, const char *block, long divisor)
{
	struct ast_expr *condition = NULL;
	for (int i = 0; i < counting->bound_count; i++) {
		struct ast_expr *limit = (struct ast_expr *)counting->bounds[i].limit;
		bool is_inclusive = counting->bounds[i].is_inclusive;
		if (!is_inclusive)
			limit = binary(making, "+", limit, number(making, divisor - 1));
		condition = both(making, condition, binary(making, is_inclusive ? "<=" : "<",
			variable(making, block), binary(making, "/", limit, number(making, divisor))));
	}
	return condition;
}

static struct ast_stmt *make_blocks(struct sema *sema, const struct ast_stmt *stmt,
	const struct counting *counting, long divisor)
{
	const char *name = counting->name;
	struct making making = { sema->arena, stmt->location, counting->type };
	const char *block = symbol_free_name(sema, arena_printf(sema->arena, "%s_block", name));
	const char *rest = symbol_free_name(sema, arena_printf(sema->arena, "%s_rest", name));
	struct ast_expr *value = binary(&making, "+", binary(&making, "*", variable(&making, block),
		number(&making, divisor)), variable(&making, rest));
	struct ast_stmt *body = ast_stmt(sema->arena, AST_BLOCK, stmt->location);
	ast_append(sema->arena, &body->items, declaration(&making, name, value, true));
	ast_append(sema->arena, &body->items, guarded(sema, &making, counting, divisor, stmt->body));
	struct ast_expr *within = binary(&making, "<", variable(&making, rest),
		number(&making, divisor));
	return loop(&making, block,
		binary(&making, "/", (struct ast_expr *)counting->lower, number(&making, divisor)),
		block_condition(&making, counting, block, divisor),
		loop(&making, rest, number(&making, 0), within, body));
}

/* Whether AST is never negative: then C's division rounds down. */
static bool is_positive(struct sema *sema, const struct ast_expr *ast)
{
	struct index index;
	if (!index_of(sema, ast, &index))
		return false;
	bool is_positive = index.min >= 0;
	index_free(&index);
	return is_positive;
}

/* Whether counting up ends at every y != LIMIT: the first value is not beyond it. */
static bool ends(struct sema *sema, const struct making *making, const struct counting *counting)
{
	for (int i = 0; i < counting->bound_count; i++) {
		if (!counting->bounds[i].is_inequality)
			continue;
		isl_set *holds = index_condition(sema, binary(making, "<=",
			(struct ast_expr *)counting->lower, (struct ast_expr *)counting->bounds[i].limit));
		bool is_less = holds && isl_set_is_subset(sema->domain, holds) == isl_bool_true;
		isl_set_free(holds);
		if (!is_less)
			return false;
	}
	return true;
}

const struct ast_stmt *loop_in_blocks(struct sema *sema, const struct ast_stmt *stmt)
{
	struct counting counting;
	if (sema->is_dead || !find_counting(sema, stmt, &counting))
		return NULL;
	struct making making = { sema->arena, stmt->location, counting.type };
	struct division division = { .sema = sema, .name = counting.name, .is_one = true };
	bool was_quiet = sema->is_quiet;
	sema->is_quiet = true;
	look_at(&division, stmt->body);
	bool can = division.divisor && division.is_one && is_positive(sema, counting.lower) &&
		ends(sema, &making, &counting);
	struct ast_stmt *blocks = can ? make_blocks(sema, stmt, &counting, division.divisor) : NULL;
	sema->is_quiet = was_quiet;
	return blocks;
}

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
	bool divides = ast->kind == AST_BINARY && (!strcmp(ast->text, "/") || !strcmp(ast->text, "%"));
	if (divides && ast_mentions(ast->operands[0], division->name)
		&& index_constant(division->sema, ast->operands[1], &type, &divisor)) {
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
			if (declarator->initial && name_set_has(&division->sema->indices, declarator->name))
				find_divisor(division, declarator->initial);
		}
	look_at(division, stmt->body);
	look_at(division, stmt->otherwise);
}

/* A loop of the form for (int y = LOWER; y < LIMIT; y++), or with <=. */
struct counting {
	struct ast_declarator *iterator;
	struct ast_expr *lower, *limit;
	bool is_inclusive;
};

static bool find_counting(const struct ast_stmt *stmt, struct counting *counting)
{
	const struct ast_expr *condition = stmt->condition, *step = stmt->step;
	if (!stmt->initial || stmt->initial->kind != AST_DECLARATION
		|| stmt->initial->items.count != 1 || !condition || !step)
		return false;
	counting->iterator = stmt->initial->items.items[0];
	counting->lower = counting->iterator->initial;
	bool compares = condition->kind == AST_BINARY
		&& (!strcmp(condition->text, "<") || !strcmp(condition->text, "<="));
	bool counts = step->kind == AST_STEP ? !strcmp(step->text, "++")
		: step->kind == AST_ASSIGN && !strcmp(step->text, "+=")
		&& step->operands[1]->kind == AST_NUMBER && !strcmp(step->operands[1]->text, "1");
	if (!compares || !counts || !counting->lower || !counting->iterator->name
		|| counting->iterator->extents.count || counting->iterator->pointer_count)
		return false;
	const char *name = counting->iterator->name;
	counting->limit = condition->operands[1];
	counting->is_inclusive = !strcmp(condition->text, "<=");
	return condition->operands[0]->kind == AST_NAME && !strcmp(condition->operands[0]->text, name)
		&& step->operands[0]->kind == AST_NAME && !strcmp(step->operands[0]->text, name)
		&& !ast_mentions(counting->limit, name);
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
	struct ast_expr *lower, const char *operator, struct ast_expr *limit, struct ast_stmt *body)
{
	struct ast_stmt *stmt = ast_stmt(making->arena, AST_FOR, making->at);
	stmt->initial = declaration(making, name, lower, false);
	stmt->condition = binary(making, operator, variable(making, name), limit);
	stmt->step = ast_node(making->arena, AST_STEP, making->at, "++", variable(making, name), NULL,
		NULL);
	stmt->body = body;
	return stmt;
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
	struct ast_expr *y = variable(making, counting->iterator->name), *condition = NULL;
	if (!is_multiple(sema, counting->lower, divisor))
		condition = binary(making, ">=", y, counting->lower);
	if (counting->is_inclusive || !is_multiple(sema, counting->limit, divisor)) {
		struct ast_expr *upper = binary(making, counting->is_inclusive ? "<=" : "<", y,
			counting->limit);
		condition = condition ? binary(making, "&&", condition, upper) : upper;
	}
	if (!condition)
		return body;
	struct ast_stmt *stmt = ast_stmt(making->arena, AST_IF, making->at);
	stmt->condition = condition;
	stmt->body = body;
	return stmt;
}

static struct ast_stmt *make_blocks(struct sema *sema, const struct ast_stmt *stmt,
	const struct counting *counting, long divisor)
{
	const char *name = counting->iterator->name;
	struct making making = { sema->arena, stmt->location, counting->iterator->type };
	const char *block = arena_printf(sema->arena, "%s_block", name);
	const char *rest = arena_printf(sema->arena, "%s_rest", name);
	struct ast_expr *value = binary(&making, "+", binary(&making, "*", variable(&making, block),
		number(&making, divisor)), variable(&making, rest));
	struct ast_stmt *body = ast_stmt(sema->arena, AST_BLOCK, stmt->location);
	ast_append(sema->arena, &body->items, declaration(&making, name, value, true));
	ast_append(sema->arena, &body->items, guarded(sema, &making, counting, divisor, stmt->body));
	struct ast_expr *limit = counting->is_inclusive ? counting->limit
		: binary(&making, "+", counting->limit, number(&making, divisor - 1));
	return loop(&making, block, binary(&making, "/", counting->lower, number(&making, divisor)),
		counting->is_inclusive ? "<=" : "<", binary(&making, "/", limit, number(&making, divisor)),
		loop(&making, rest, number(&making, 0), "<", number(&making, divisor), body));
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

const struct ast_stmt *loop_in_blocks(struct sema *sema, const struct ast_stmt *stmt)
{
	struct counting counting;
	if (sema->is_dead || !find_counting(stmt, &counting))
		return NULL;
	struct division division = { .sema = sema, .name = counting.iterator->name, .is_one = true };
	bool was_quiet = sema->is_quiet;
	sema->is_quiet = true;
	look_at(&division, stmt->body);
	bool can = division.divisor && division.is_one && is_positive(sema, counting.lower);
	struct ast_stmt *blocks = can ? make_blocks(sema, stmt, &counting, division.divisor) : NULL;
	sema->is_quiet = was_quiet;
	return blocks;
}

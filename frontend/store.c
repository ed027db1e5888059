/* Assignments: the statements they make, one or several where a choice decides what is read. */

#include <string.h>

#include "frontend/builder.h"
#include "ir/coalesce.h"

static void check_target(struct builder *builder, const struct ast_expr *target)
{
	const struct ast_expr *base = target;
	while (base->kind == AST_SUBSCRIPT)
		base = base->operands[0];
	if (base->kind == AST_UNSUPPORTED) {
		builder->failed = true;
		return;
	}
	if (base->kind != AST_NAME) {
		builder_fail(builder, target->location, "'%s' cannot be assigned to; write a variable or an "
			"array's element on the left",
			ast_expr_text(builder->sema->arena, target));
		return;
	}
	const struct symbol *symbol = symbol_find(builder->sema, base->text);
	if (!symbol)
		return;
	if (symbol->kind == SYMBOL_ITERATOR)
		builder_fail(builder, target->location, "'%s' is a loop's iterator; only its for may change "
			"it", symbol->name);
	else if (symbol->kind == SYMBOL_INDEX)
		builder_fail(builder, target->location, "'%s' is a size or a constant and cannot be assigned "
			"to; use a variable of its own", symbol->name);
	else if (symbol->kind == SYMBOL_ARRAY && symbol->array->is_parameter &&
		 symbol->array->by_value)
		builder_fail(builder, target->location, "'%s' is a parameter by value and cannot be "
			"assigned to; use a local variable, or an array %s[1] for a result",
			symbol->name, symbol->name);
	else if (symbol->kind == SYMBOL_ARRAY && symbol->array->is_const)
		builder_fail(builder, target->location, "'%s' is const and cannot be written; drop const "
			"from its declaration", symbol->name);
}

static struct statement *new_statement(struct sema *sema, struct location at)
{
	struct statement *statement = ARENA_NEW(sema->arena, struct statement);
	statement->index = sema->function->statement_count;
	statement->name = arena_printf(sema->arena, "S%d", statement->index);
	statement->location = at;
	statement->depth = sema->depth;
	memcpy(statement->loops, sema->loops, sizeof statement->loops);
	return statement;
}

/* The domain of STATEMENT and what follows from it.  Its pieces stand as in the program's text,
 * which then compiles to the same. */
static void set_domain(struct sema *sema, struct statement *statement, __isl_take isl_set *domain)
{
	statement_set_domain(sema->arena, statement, domain);
	if (isl_set_n_basic_set(statement->domain) > 1)
		statement_set_domain(sema->arena, statement, set_as_text(isl_set_copy(statement->domain)));
	for (int i = 0; i < statement->access_count; i++)
		access_make_map(sema->arena, statement, &statement->accesses[i]);
}

/* The value of STATEMENT, if it is nothing but an access: that; else NULL. */
static const struct access *copied_access(const struct statement *statement)
{
	const struct expr *value = statement->value;
	while (value->kind == EXPR_CAST && type_is_within(value->operands[0]->type, value->type))
		value = value->operands[0];
	return value->kind == EXPR_ACCESS ? &statement->accesses[value->access] : NULL;
}

/* A[j][i] = A[i][j] for j >= i does nothing where i = j; without those instances what is
 * read and what is written are apart.  The domain must stay in one piece.  False if nothing
 * is left. */
static bool drop_copies_onto_itself(struct sema *sema, struct statement *statement)
{
	const struct access *copied = copied_access(statement);
	if (!copied || copied->array != statement->accesses[0].array)
		return true;
	isl_map *to = statement->accesses[0].map;
	isl_set *same = isl_map_domain(isl_map_intersect(isl_map_copy(to), isl_map_copy(copied->map)));
	isl_set *rest = set_coalesce(isl_set_subtract(isl_set_copy(statement->domain), same));
	bool is_left = isl_set_is_empty(rest) != isl_bool_true;
	if (is_left && isl_set_n_basic_set(rest) == 1)
		set_domain(sema, statement, rest);
	else
		isl_set_free(rest);
	return is_left;
}

static void finish_statement(struct sema *sema, struct statement *statement)
{
	bool is_associative = sema->is_associative;
	sema->is_associative = false;
	statement->position = (*sema->position)++;
	if (sema->is_dead)
		return;
	set_domain(sema, statement, isl_set_copy(sema->domain));
	if (!drop_copies_onto_itself(sema, statement))
		return;
	statement->reduction = statement_reduction(statement, is_associative);
	if (is_associative && statement->reduction != REDUCTION_USER)
		diag_error(sema->diag, statement->location, "'#pragma loopc associative' stands "
			"before what is not x = f(x, y), with a y that never reads x; leave it out");
	struct function *function = sema->function;
	function->statements = arena_grow(sema->arena, function->statements,
		(size_t)function->statement_count, &sema->statement_capacity,
		sizeof(struct statement *));
	function->statements[function->statement_count++] = statement;
}

/* An assignment as it stands in the source, with ?: replaced where it was decided. */
struct store {
	struct location location;
	const struct ast_expr *target, *value;
	const char *operator;
};

static void lower_once(struct sema *sema, struct store store, int splits);

/* AST with the conditional (or && and ||) that GUARD decides replaced by the arm
 * for which GUARD is TRUTH. */
static struct ast_expr *resolve(struct sema *sema, const struct ast_expr *ast,
	const struct ast_expr *guard, bool truth)
{
	struct ast_expr *copy = ARENA_NEW(sema->arena, struct ast_expr);
	*copy = *ast;
	if (ast->operand_count && ast->operands[0] == guard) {
		static const char *const digits[] = { "0", "1" };
		struct ast_expr *digit = ast_leaf(sema->arena, AST_NUMBER, guard->location,
			digits[truth && ast->kind != AST_CONDITIONAL && *ast->text == '|']);
		if (ast->kind == AST_CONDITIONAL)
			copy->text = digits[truth];
		else if (truth == (*ast->text == '|'))
			copy = digit;
		else
			copy = ast_node(sema->arena, AST_BINARY, ast->location, "!=",
				ast->operands[1], digit, NULL);
		return copy;
	}
	copy->operands = ARENA_ARRAY(sema->arena, struct ast_expr *, ast->operand_count);
	for (int i = 0; i < ast->operand_count; i++)
		copy->operands[i] = resolve(sema, ast->operands[i], guard, truth);
	return copy;
}

enum { SPLIT_LIMIT = 6 };

/* A subscript is out of range where C would not evaluate it: makes two statements,
 * one for the iterations in which GUARD holds and one for the others. */
static bool split(struct sema *sema, struct store store, const struct ast_expr *guard,
	int splits)
{
	sema->is_quiet = true;
	isl_set *where = index_condition(sema, guard);
	sema->is_quiet = false;
	if (!where)
		return false;
	isl_set *domain = sema->domain;
	bool was_dead = sema->is_dead;
	for (int truth = 1; truth >= 0; truth--) {
		struct store part = store;
		part.value = resolve(sema, store.value, guard, truth);
		part.target = resolve(sema, store.target, guard, truth);
		sema->domain = (truth ? isl_set_intersect : isl_set_subtract)(isl_set_copy(domain),
			isl_set_copy(where));
		sema->is_dead = was_dead || isl_set_is_empty(sema->domain) == isl_bool_true;
		lower_once(sema, part, splits + 1);
		isl_set_free(sema->domain);
	}
	sema->domain = domain;
	sema->is_dead = was_dead;
	isl_set_free(where);
	return true;
}

static void build_statement(struct builder *builder, struct store store)
{
	check_target(builder, store.target);
	if (builder->failed)
		return;
	struct access target = builder_find_access(builder, store.target, true);
	if (target.array)
		builder_add_access(builder, target);
	struct expr *left = NULL;
	if (store.operator && target.array)
		left = build_access(builder, store.target);
	struct expr *right = build_value(builder, store.value);
	if (!target.array || !right)
		return;
	struct ast_expr at = { .location = store.location };
	builder->statement->value = store.operator ?
		build_operation(builder, &at, store.operator, left, right) : right;
}

/* A subscript is affine but for DIVISION: the same inside a loop over the quotient. */
static void divide(struct sema *sema, struct store store, const struct ast_expr *division)
{
	const struct ast_expr *guard = sema->guard;
	struct ast_expr *assignment = ast_node(sema->arena, AST_ASSIGN, store.location,
		arena_printf(sema->arena, "%s=", store.operator ? store.operator : ""),
		(struct ast_expr *)store.target, (struct ast_expr *)store.value, NULL);
	sema->guard = NULL;          /* it is in the value */
	lower_divided(sema, division, assignment);
	sema->guard = guard;
}

static void lower_once(struct sema *sema, struct store store, int splits)
{
	struct builder builder = { .sema = sema, .statement = new_statement(sema, store.location) };
	build_statement(&builder, store);
	bool is_open = builder.split_count || builder.division || builder.statement->value;
	if (sema_isl_failed(sema, store.location))
		return;
	if ((builder.failed || !is_open) && !sema->is_dead && !diag_error_count(sema->diag))
		diag_error(sema->diag, store.location, "this assignment cannot be analysed; write it "
			"as several, with conditions on iterators in ifs around them");
	if (builder.failed)
		return;
	for (int i = 0; i < builder.split_count && splits < SPLIT_LIMIT; i++)
		if (split(sema, store, builder.split_guards[i], splits))
			return;
	if (builder.division && !builder.split_count)
		divide(sema, store, builder.division);
	else if (builder.split_count)
		diag_error(sema->diag, builder.split_guards[0]->location, "a subscript leaves its array unless "
			"this condition is looked at first; write an if on iterators and sizes around "
			"the statement");
	else if (builder.statement->value)
		finish_statement(sema, builder.statement);
}

/* Whether AST is a value assigned to something of TYPE, or a choice of such values. */
static bool is_assigned(const struct ast_expr *ast, struct type type)
{
	if (ast->kind == AST_CONDITIONAL && !ast->text)
		return is_assigned(ast->operands[1], type) && is_assigned(ast->operands[2], type);
	return ast->kind == AST_CAST && ast->text && ast->type.type.kind == type.kind;
}

/* What AST is once it is assigned to something of TYPE. */
static struct ast_expr *assigned(struct sema *sema, const struct ast_expr *ast, struct type type)
{
	if (is_assigned(ast, type))
		return (struct ast_expr *)ast;
	struct ast_expr *cast = ast_node(sema->arena, AST_CAST, ast->location, "=",
		(struct ast_expr *)ast, NULL, NULL);
	cast->type.type = type;
	return cast;
}

/* The variable that TARGET is, or is an element of; NULL: none that can be written. */
static const struct symbol *target_symbol(const struct sema *sema, const struct ast_expr *target)
{
	while (target->kind == AST_SUBSCRIPT)
		target = target->operands[0];
	const struct symbol *symbol = target->kind == AST_NAME ? symbol_find(sema, target->text) : NULL;
	return symbol && symbol->kind == SYMBOL_ARRAY ? symbol : NULL;
}

/* CONDITION ? FIRST : SECOND as something of TYPE. */
static struct ast_expr *choice(struct sema *sema, const struct ast_expr *condition,
	const struct ast_expr *first, const struct ast_expr *second, struct type type)
{
	return ast_node(sema->arena, AST_CONDITIONAL, condition->location, NULL,
		(struct ast_expr *)condition, assigned(sema, first, type),
		assigned(sema, second, type));
}

static const struct ast_expr *plain_value(struct sema *sema, const struct ast_expr *target,
	const char *operator, const struct ast_expr *value)
{
	return operator ? ast_node(sema->arena, AST_BINARY, value->location, operator,
		(struct ast_expr *)target, (struct ast_expr *)value, NULL) : value;
}

/* TARGET = VALUE in those iterations in which INDICES holds. */
static void lower_store_where(struct sema *sema, struct location at, const struct ast_expr *indices,
	const struct ast_expr *target, const struct ast_expr *value)
{
	struct ast_stmt assignment = { .kind = AST_EXPRESSION, .location = at };
	assignment.condition = ast_node(sema->arena, AST_ASSIGN, at, "=", (struct ast_expr *)target,
		(struct ast_expr *)value, NULL);
	struct ast_stmt stmt = { .kind = AST_IF, .location = at, .body = &assignment };
	stmt.condition = (struct ast_expr *)indices;
	lower_if(sema, &stmt);
}

void lower_store(struct sema *sema, struct location at, const struct ast_expr *target,
	const char *operator, const struct ast_expr *value)
{
	const struct symbol *symbol = target_symbol(sema, target);
	const struct ast_expr *guard = sema->guard;
	const struct ast_expr *indices = guard && symbol ? guard_part(sema, guard, false) : NULL;
	if (indices) {
		sema->guard = guard_part(sema, guard, true);
		lower_store_where(sema, at, indices, target, plain_value(sema, target, operator, value));
		sema->guard = guard;
		return;
	}
	if (guard && symbol) {
		value = choice(sema, sema->guard, plain_value(sema, target, operator, value), target,
			symbol->array->type);
		operator = NULL;
	}
	lower_once(sema, (struct store){ at, target, value, operator }, 0);
}

void lower_initial(struct sema *sema, const struct ast_expr *target, const struct ast_expr *value)
{
	const struct symbol *symbol = target_symbol(sema, target);
	if (sema->guard && symbol)
		value = choice(sema, sema->guard, value,
			ast_leaf(sema->arena, AST_NUMBER, value->location, "0"), symbol->array->type);
	lower_once(sema, (struct store){ target->location, target, value, NULL }, 0);
}

/* The target, operator and value of the assignment, or step, AST. */
static struct store store_of(struct sema *sema, const struct ast_expr *ast)
{
	static const char *const operators[][2] = { { "+=", "+" }, { "-=", "-" }, { "*=", "*" },
		{ "/=", "/" }, { "%=", "%" }, { "<<=", "<<" }, { ">>=", ">>" }, { "&=", "&" },
		{ "^=", "^" }, { "|=", "|" } };
	struct store store = { .location = ast->location, .target = ast->operands[0] };
	if (ast->kind == AST_STEP) {
		store.value = ast_leaf(sema->arena, AST_NUMBER, ast->location, "1");
		store.operator = *ast->text == '+' ? "+" : "-";
		return store;
	}
	store.value = ast->operands[1];
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (!strcmp(operators[i][0], ast->text))
			store.operator = operators[i][1];
	return store;
}

struct ast_expr *choice_of(struct sema *sema, const struct ast_expr *condition,
	const struct ast_expr *first, const struct ast_expr *second, const struct ast_expr *target)
{
	const struct symbol *symbol = target_symbol(sema, target);
	struct type type = symbol ? symbol->array->type : (struct type){ TYPE_INT32, 4, "int" };
	return choice(sema, condition, first, second, type);
}

const struct ast_expr *assigned_value(struct sema *sema, const struct ast_expr *assignment)
{
	struct store store = store_of(sema, assignment);
	return plain_value(sema, store.target, store.operator, store.value);
}

void lower_assignment(struct sema *sema, const struct ast_expr *ast)
{
	struct store store = store_of(sema, ast);
	if (store.value->kind == AST_ASSIGN) {
		lower_assignment(sema, store.value);
		store.value = store.value->operands[0];
	}
	lower_store(sema, store.location, store.target, store.operator, store.value);
}

/* Reads what the text of a program says in expressions: affine forms, accesses and values. */

#include <ctype.h>
#include <string.h>

#include "ir/program_build.h"
#include "ir/program_reader.h"

enum { DEPTH_LIMIT = 1000 };

/* Where AFFINE has the coefficient of the iterator or symbolic size NAME. */
static long *find_coefficient(struct reader *reader, struct affine *affine, const char *name)
{
	const struct function *function = reader->function;
	int dim = reader->statement ? reader->statement->depth - 1 : -1, k = 0;
	while (dim >= 0 && strcmp(reader->statement->loops[dim]->name, name))
		dim--;
	if (dim >= 0)
		return &affine->coefficients[dim];
	while (k < function->symbolic_count && strcmp(function->symbolic[k]->name, name))
		k++;
	if (k == function->symbolic_count) {
		reader_fail(reader, "'%s' is no iterator", name);
		return NULL;
	}
	if (!affine->sizes)
		affine->sizes = ARENA_ARRAY(reader->arena, long, SYMBOLIC_LIMIT);
	return &affine->sizes[k];
}

/* One more term, NUMBER, NAME or NUMBER*NAME, of SIGN. */
static void read_term(struct reader *reader, long sign, struct affine *affine)
{
	long number = 1;
	reader_skip_space(reader);
	bool has_number = isdigit((unsigned char)*reader->at);
	if (has_number)
		number = reader_long(reader);
	bool overflow = false;
	if (has_number && !reader_accept(reader, "*")) {
		overflow = __builtin_add_overflow(affine->constant, sign * number, &affine->constant);
	} else {
		long *coefficient = find_coefficient(reader, affine, reader_name(reader));
		overflow = coefficient && __builtin_add_overflow(*coefficient, sign * number,
			coefficient);
	}
	if (overflow)
		reader_fail(reader, "a number of more than 64 bits");
}

struct affine reader_affine(struct reader *reader)
{
	struct affine affine = affine_constant(reader->arena, 0);
	long sign = reader_accept(reader, "-") ? -1 : 1;
	do {
		read_term(reader, sign, &affine);
		sign = reader_accept(reader, "+") ? 1 : reader_accept(reader, "-") ? -1 : 0;
	} while (sign && !reader->failed);
	return affine;
}

struct array *reader_array(const struct function *function, const char *name)
{
	for (int i = 0; i < function->array_count; i++)
		if (!strcmp(function->arrays[i]->name, name))
			return function->arrays[i];
	return NULL;
}

int reader_access(struct reader *reader, const char *name, bool is_write)
{
	struct statement *statement = reader->statement;
	struct access access = { .is_write = is_write, .location = statement->location };
	access.array = reader_array(reader->function, name);
	if (!access.array) {
		reader_fail(reader, "'%s' is not declared", name);
		return 0;
	}
	for (int d = 0; d < access.array->rank && !reader->failed; d++) {
		reader_expect(reader, "[");
		access.subscripts[d] = reader_affine(reader);
		reader_expect(reader, "]");
	}
	for (int i = 1; i < statement->access_count && !is_write && !reader->failed; i++)
		if (access_is_same(&statement->accesses[i], &access, statement->depth))
			return i;
	access.index = statement->access_count;
	statement->accesses = arena_grow(reader->arena, statement->accesses,
		(size_t)statement->access_count, &reader->access_capacity, sizeof access);
	statement->accesses[statement->access_count++] = access;
	return access.index;
}

static struct expr *new_expr(struct reader *reader, enum expr_kind kind, int count)
{
	struct expr *expr = ARENA_NEW(reader->arena, struct expr);
	expr->kind = kind;
	expr->type = (struct type){ TYPE_INT32, 4, "int" };
	expr->location = reader->statement->location;
	expr->operand_count = count;
	expr->operands = ARENA_ARRAY(reader->arena, struct expr *, count);
	return expr;
}

static const char *accept_operator(struct reader *reader)
{
	static const char *const operators[] = { "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
		"+", "-", "*", "/", "%", "<", ">", "&", "|", "^" };
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (reader_accept(reader, operators[i]))
			return operators[i];
	return NULL;
}

/* What is in parentheses: an operation. */
static struct expr *read_operation(struct reader *reader)
{
	static const char *const unary[] = { "-", "+", "~", "!" };
	struct type type;
	struct mark before = reader_mark(reader);
	if (reader_accept(reader, "(")) {
		if (reader_accept_type(reader, &type) && reader_accept(reader, ")")) {
			struct expr *cast = new_expr(reader, EXPR_CAST, 1);
			cast->type = type;
			cast->operands[0] = reader_expr(reader);
			return cast;
		}
		reader_go_back(reader, before);
	}
	for (size_t i = 0; i < sizeof unary / sizeof *unary; i++)
		if (reader_accept(reader, unary[i])) {
			struct expr *expr = new_expr(reader, EXPR_UNARY, 1);
			expr->operator = unary[i];
			expr->operands[0] = reader_expr(reader);
			expr->type = type_of_unary(unary[i], expr->operands[0]->type);
			return expr;
		}
	struct expr *first = reader_expr(reader);
	if (reader_accept(reader, "?")) {
		struct expr *expr = new_expr(reader, EXPR_CONDITIONAL, 3);
		expr->operands[0] = first;
		expr->operands[1] = reader_expr(reader);
		expr->operands[2] = new_expr(reader, EXPR_LITERAL, 0);
		reader_expect(reader, ":");
		if (!reader->failed)
			expr->operands[2] = reader_expr(reader);
		expr->type = type_common(expr->operands[1]->type, expr->operands[2]->type);
		return expr;
	}
	struct expr *expr = new_expr(reader, EXPR_BINARY, 2);
	expr->operator = accept_operator(reader);
	if (!expr->operator) {
		reader_fail(reader, "expected an operator");
		return first;
	}
	expr->operands[0] = first;
	expr->operands[1] = reader_expr(reader);
	expr->type = type_of_binary(expr->operator, first->type, expr->operands[1]->type);
	return expr;
}

static struct expr *read_literal(struct reader *reader)
{
	struct expr *expr = new_expr(reader, EXPR_LITERAL, 0);
	const char *start = reader->at;
	if (*reader->at == '\'') {
		reader->at += 1 + (reader->at[1] == '\\');
		reader->at += (reader->at[0] != 0) + (reader->at[0] != 0 && reader->at[1] == '\'');
	} else {
		while (isalnum((unsigned char)*reader->at) || *reader->at == '.' ||
		       ((*reader->at == '+' || *reader->at == '-') && reader->at > start &&
			strchr("eEpP", reader->at[-1]) &&
			!((reader->at[-1] | 0x20) == 'e' && start[0] == '0' && (start[1] | 0x20) == 'x')))
			reader->at++;
	}
	expr->text = arena_strndup(reader->arena, start, (size_t)(reader->at - start));
	if (!type_of_number(expr->text, &expr->type))
		reader_fail(reader, "'%s' is no number", expr->text);
	return expr;
}

static struct expr *read_call(struct reader *reader, struct type type)
{
	struct expr *operands[64];
	int count = 0;
	const char *name = reader_name(reader);
	reader_expect(reader, "(");
	while (!reader_peek(reader, ")") && !reader->failed && count < 64) {
		operands[count++] = reader_expr(reader);
		if (!reader_accept(reader, ","))
			break;
	}
	reader_expect(reader, ")");
	struct expr *expr = new_expr(reader, EXPR_CALL, count);
	expr->type = type;
	expr->text = name;
	if (count)
		memcpy(expr->operands, operands, sizeof *operands * (size_t)count);
	return expr;
}

static struct expr *read_leaf(struct reader *reader)
{
	struct type type;
	reader_skip_space(reader);
	if (isdigit((unsigned char)*reader->at) || *reader->at == '.' || *reader->at == '\'')
		return read_literal(reader);
	if (reader_accept(reader, "{")) {
		struct expr *expr = new_expr(reader, EXPR_AFFINE, 0);
		expr->type = reader_type(reader);
		reader_expect(reader, ":");
		if (!reader->failed)
			expr->affine = reader_affine(reader);
		reader_expect(reader, "}");
		return expr;
	}
	if (!reader_accept_type(reader, &type)) {
		struct expr *expr = new_expr(reader, EXPR_ACCESS, 0);
		expr->access = reader_access(reader, reader_name(reader), false);
		if (!reader->failed)
			expr->type = reader->statement->accesses[expr->access].array->type;
		return expr;
	}
	if (!reader_accept(reader, ":"))
		return read_call(reader, type);
	reader_skip_space(reader);
	struct expr *expr = new_expr(reader, EXPR_LITERAL, 0);
	if (reader_is_name_start(*reader->at))
		expr->text = reader_name(reader);
	else
		expr = read_literal(reader);
	expr->type = type;
	return expr;
}

struct expr *reader_expr(struct reader *reader)
{
	if (reader->failed)
		return new_expr(reader, EXPR_LITERAL, 0);
	if (++reader->depth > DEPTH_LIMIT)
		reader_fail(reader, "an expression of more than %d levels", (int)DEPTH_LIMIT);
	struct expr *expr;
	if (reader_accept(reader, "(")) {
		expr = read_operation(reader);
		reader_expect(reader, ")");
	} else {
		expr = read_leaf(reader);
	}
	reader->depth--;
	return expr;
}

#include "onnx/nest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx/network.h"

struct index index_constant(int64_t constant)
{
	return (struct index){ .constant = constant };
}

struct index index_loop(int loop)
{
	struct index index = { .count = 1 };

	if (loop < 0)
		return index_constant(0);
	index.terms[0] = (struct term){ loop, 1 };
	return index;
}

struct index index_sum(struct index a, struct index b)
{
	a.constant += b.constant;
	for (int t = 0; t < b.count; t++) {
		int at = 0;
		while (at < a.count && a.terms[at].loop != b.terms[t].loop)
			at++;
		if (at == TERM_LIMIT) {
			fprintf(stderr, "loopc-onnx: error: a nest of more than %d loops\n", TERM_LIMIT);
			exit(1);
		}
		if (at == a.count)
			a.terms[a.count++] = b.terms[t];
		else
			a.terms[at].factor += b.terms[t].factor;
	}
	return a;
}

struct index index_scaled(struct index a, int64_t factor)
{
	if (!factor)
		return index_constant(0);
	a.constant *= factor;
	for (int t = 0; t < a.count; t++)
		a.terms[t].factor *= factor;
	return a;
}

struct index index_plus(struct index a, int64_t constant)
{
	a.constant += constant;
	return a;
}

void index_range(const struct nest *nest, const struct index *index, int64_t *low, int64_t *high)
{
	*low = *high = index->constant;
	for (int t = 0; t < index->count; t++) {
		const int64_t end = index->terms[t].factor *
			(nest->loops[index->terms[t].loop].extent - 1);
		*(end < 0 ? low : high) += end;
	}
}

const char *nest_comment(struct arena *arena, const struct node *node, const struct value *result)
{
	if (!node)
		return arena_printf(arena, "%s: %s", result->name, shape_text(arena, &result->shape));
	const char *text = arena_printf(arena, "%s (%s): ", node->name, node->operator);
	const char *comma = "";
	for (int i = 0; i < node->input_count; i++)
		if (node->inputs[i]) {
			text = arena_printf(arena, "%s%s%s", text, comma, shape_text(arena, &node->inputs[i]->shape));
			comma = ", ";
		}
	return arena_printf(arena, "%s -> %s", text, shape_text(arena, &result->shape));
}

struct nest *nest_new(struct arena *arena, struct node *node, struct value *result)
{
	struct nest *nest = ARENA_NEW(arena, struct nest);

	nest->arena = arena;
	nest->node = node;
	nest->result = result;
	nest->comment = nest_comment(arena, node, result);
	return nest;
}

int nest_loop(struct nest *nest, const char *name, int64_t extent)
{
	if (extent == 1)
		return -1;
	nest->loops = arena_grow(nest->arena, nest->loops, nest->loop_count, &nest->loop_capacity,
		sizeof(nest->loops[0]));
	nest->loops[nest->loop_count] = (struct loop){ .name = name, .extent = extent };
	return (int)nest->loop_count++;
}

int nest_local(struct nest *nest, const char *name, enum type type)
{
	nest->locals = arena_grow(nest->arena, nest->locals, nest->local_count, &nest->local_capacity,
		sizeof(nest->locals[0]));
	nest->locals[nest->local_count] = (struct local){ name, type };
	return (int)nest->local_count++;
}

static struct statement *add(struct nest *nest, struct block *block, enum statement_kind kind)
{
	struct statement *statement = ARENA_NEW(nest->arena, struct statement);

	statement->kind = kind;
	if (block->last)
		block->last->next = statement;
	else
		block->first = statement;
	block->last = statement;
	return statement;
}

struct block *add_loop(struct nest *nest, struct block *block, int loop)
{
	if (loop < 0)
		return block;
	struct statement *statement = add(nest, block, STATEMENT_LOOP);
	statement->loop = loop;
	return &statement->body;
}

struct block *add_if(struct nest *nest, struct block *block, const struct condition *conditions, int count)
{
	struct condition *kept = ARENA_ARRAY(nest->arena, struct condition, count + 1);
	int kept_count = 0;

	for (int c = 0; c < count; c++) {
		int64_t low, high;
		index_range(nest, &conditions[c].index, &low, &high);
		if (low < conditions[c].low || high > conditions[c].high)
			kept[kept_count++] = conditions[c];
	}
	if (!kept_count)
		return block;
	struct statement *statement = add(nest, block, STATEMENT_IF);
	statement->conditions = kept;
	statement->condition_count = kept_count;
	return &statement->body;
}

struct statement *add_assign(struct nest *nest, struct block *block, struct expression *target,
	struct expression *expression)
{
	struct statement *statement = add(nest, block, STATEMENT_ASSIGN);

	statement->target = target;
	statement->expression = expression;
	return statement;
}

struct statement *add_update(struct nest *nest, struct block *block, struct expression *target,
	enum binary update, struct expression *expression)
{
	struct statement *statement = add_assign(nest, block, target, expression);

	statement->is_update = true;
	statement->update = update;
	return statement;
}

struct expression *add_local(struct nest *nest, struct block *block, const char *name, enum type type,
	struct expression *first)
{
	struct statement *statement = add(nest, block, STATEMENT_LOCAL);

	statement->target = expression_local(nest, nest_local(nest, name, type));
	statement->expression = first;
	return statement->target;
}

static struct expression *expression_new(struct arena *arena, enum expression_kind kind, enum type type)
{
	struct expression *expression = ARENA_NEW(arena, struct expression);

	expression->kind = kind;
	expression->type = type;
	return expression;
}

struct expression *expression_integer(struct arena *arena, enum type type, int64_t integer)
{
	if (type_is_float(type))
		return expression_number(arena, type, (double)integer);
	struct expression *expression = expression_new(arena, EXPRESSION_INTEGER, type_of_sum(type, type));
	expression->integer = integer;
	return expression;
}

struct expression *expression_number(struct arena *arena, enum type type, double number)
{
	if (!type_is_float(type))
		return expression_integer(arena, type, (int64_t)number);
	struct expression *expression = expression_new(arena, EXPRESSION_NUMBER, type);
	expression->number = type == TYPE_FLOAT ? (double)(float)number : number;
	return expression;
}

static struct index *copy_indices(struct arena *arena, const struct index *subscripts, int count)
{
	struct index *copy = ARENA_ARRAY(arena, struct index, count + 1);

	memcpy(copy, subscripts, sizeof(copy[0]) * (size_t)count);
	return copy;
}

struct expression *expression_index(struct arena *arena, struct index index)
{
	struct expression *expression = expression_new(arena, EXPRESSION_INDEX, TYPE_INT32);

	expression->subscripts = copy_indices(arena, &index, 1);
	return expression;
}

struct expression *expression_read(struct arena *arena, struct value *value, const struct index *subscripts)
{
	struct expression *expression = expression_new(arena, EXPRESSION_READ, value->type);

	expression->value = value;
	expression->subscripts = copy_indices(arena, subscripts, value->shape.rank);
	return expression;
}

struct expression *expression_local(struct nest *nest, int local)
{
	struct expression *expression = expression_new(nest->arena, EXPRESSION_LOCAL,
		nest->locals[local].type);

	expression->integer = local;
	return expression;
}

struct expression *expression_call(struct arena *arena, enum type type, const char *function,
	struct expression *a, struct expression *b)
{
	struct expression *expression = expression_new(arena, EXPRESSION_CALL, type);

	expression->function = function;
	expression->arguments[0] = a;
	expression->arguments[1] = b;
	return expression;
}

struct expression *expression_binary(struct arena *arena, enum binary binary, struct expression *a,
	struct expression *b)
{
	enum type type = type_of_sum(a->type, b->type);

	if (binary >= LESS)
		type = TYPE_INT32;
	else if (binary == SHIFT_LEFT || binary == SHIFT_RIGHT)
		type = type_of_sum(a->type, a->type);
	struct expression *expression = expression_new(arena, EXPRESSION_BINARY, type);
	expression->binary = binary;
	expression->arguments[0] = a;
	expression->arguments[1] = b;
	return expression;
}

struct expression *expression_unary(struct arena *arena, enum expression_kind kind, struct expression *a)
{
	struct expression *expression = expression_new(arena, kind,
		kind == EXPRESSION_NOT ? TYPE_INT32 : type_of_sum(a->type, a->type));

	expression->arguments[0] = a;
	return expression;
}

struct expression *expression_cast(struct arena *arena, enum type type, struct expression *a)
{
	if (a->type == type)
		return a;
	struct expression *expression = expression_new(arena, EXPRESSION_CAST, type);
	expression->arguments[0] = a;
	return expression;
}

struct expression *expression_choose(struct arena *arena, struct expression *condition,
	struct expression *a, struct expression *b)
{
	struct expression *expression = expression_new(arena, EXPRESSION_CHOOSE, type_of_sum(a->type, b->type));

	expression->arguments[0] = condition;
	expression->arguments[1] = a;
	expression->arguments[2] = b;
	return expression;
}

int expression_reads(const struct expression *expression, const struct value *value)
{
	int count = expression->kind == EXPRESSION_READ && expression->value == value;

	for (int a = 0; a < 3; a++)
		if (expression->arguments[a])
			count += expression_reads(expression->arguments[a], value);
	return count;
}

struct expression *expression_substitute(struct arena *arena, struct expression *expression,
	const struct value *value, struct expression *replacement)
{
	if (expression->kind == EXPRESSION_READ && expression->value == value)
		return replacement;
	struct expression *copy = ARENA_NEW(arena, struct expression);
	*copy = *expression;
	for (int a = 0; a < 3; a++)
		if (copy->arguments[a])
			copy->arguments[a] = expression_substitute(arena, copy->arguments[a], value, replacement);
	return copy;
}

void block_substitute(struct arena *arena, struct block *block, const struct value *value,
	struct expression *replacement)
{
	for (struct statement *s = block->first; s; s = s->next) {
		if (s->target)
			s->target = expression_substitute(arena, s->target, value, replacement);
		if (s->expression)
			s->expression = expression_substitute(arena, s->expression, value, replacement);
		block_substitute(arena, &s->body, value, replacement);
		block_substitute(arena, &s->otherwise, value, replacement);
	}
}

static void expression_visit(struct expression *expression,
	void (*visit)(struct expression *access, bool is_written, void *user), void *user)
{
	if (expression->kind == EXPRESSION_READ)
		visit(expression, false, user);
	for (int a = 0; a < 3; a++)
		if (expression->arguments[a])
			expression_visit(expression->arguments[a], visit, user);
}

void block_visit(struct block *block, void (*visit)(struct expression *access, bool is_written, void *user),
	void *user)
{
	for (struct statement *s = block->first; s; s = s->next) {
		if (s->expression)
			expression_visit(s->expression, visit, user);
		if (s->target && s->target->kind == EXPRESSION_READ) {
			if (s->is_update)
				visit(s->target, false, user);
			visit(s->target, true, user);
		}
		block_visit(&s->body, visit, user);
		block_visit(&s->otherwise, visit, user);
	}
}

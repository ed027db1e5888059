/* Reads the expressions of plans. */

#include <string.h>

#include "ir/plan_parser.h"

struct plan_var *find_plan_var(const struct parser *parser, const char *name)
{
	for (int i = 0; i < parser->var_count; i++)
		if (strcmp(parser->vars[i]->name, name) == 0)
			return parser->vars[i];
	for (int k = 0; parser->plan->function && k < parser->plan->function->symbolic_count; k++)
		if (strcmp(parser->plan->sizes[k]->name, name) == 0)
			return parser->plan->sizes[k];
	return NULL;
}

static struct plan_expr *number(struct parser *parser, long value)
{
	return plan_const(parser->arena, value);
}

static struct plan_expr *parse_call(struct parser *parser, const char *name)
{
	static const struct { const char *name; enum plan_op op; } calls[] = {
		{ "floordiv", PLAN_FLOORDIV }, { "mod", PLAN_MOD }, { "min", PLAN_MIN },
		{ "max", PLAN_MAX }, { "select", PLAN_SELECT }
	};
	struct plan_expr *operands[3] = { NULL };

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		if (strcmp(calls[i].name, name) != 0)
			continue;
		for (int o = 0; o < plan_operand_count(calls[i].op); o++) {
			if (o > 0)
				words_expect(&parser->words, ",");
			operands[o] = parse_plan_expr(parser);
		}
		if ((calls[i].op == PLAN_FLOORDIV || calls[i].op == PLAN_MOD)
			&& (operands[1]->op != PLAN_CONST || operands[1]->value <= 0))
			words_fail(&parser->words, "%s needs a constant above 0 as its second operand", name);
		words_expect(&parser->words, ")");
		return plan_raw(parser->arena, calls[i].op, operands[0], operands[1], operands[2]);
	}
	words_fail(&parser->words, "there is no function '%s'", name);
	return number(parser, 0);
}

static struct plan_expr *parse_primary(struct parser *parser);

static struct plan_expr *parse_negation(struct parser *parser)
{
	struct plan_expr *operand = number(parser, 0);

	if (words_enter(&parser->words))
		operand = parse_primary(parser);
	words_leave(&parser->words);
	return plan_raw(parser->arena, PLAN_NOT, operand, NULL, NULL);
}

static struct plan_expr *parse_primary(struct parser *parser)
{
	struct plan_expr *expr = number(parser, 0);

	if (parser->words.kind == WORD_NUMBER)
		return number(parser, words_take_long(&parser->words));
	if (words_take(&parser->words, "!"))
		return parse_negation(parser);
	if (words_take(&parser->words, "(")) {
		expr = parse_plan_expr(parser);
		words_expect(&parser->words, ")");
	} else if (parser->words.kind == WORD_NAME) {
		struct location at = parser->words.at;
		const char *name = words_take_name(&parser->words, "a variable");

		if (words_take(&parser->words, "("))
			return parse_call(parser, name);
		expr = plan_raw(parser->arena, PLAN_VAR, NULL, NULL, NULL);
		expr->var = find_plan_var(parser, name);
		if (!expr->var) {
			parser->words.at = at;
			words_fail(&parser->words, "there is no variable '%s'", name);
			return number(parser, 0);
		}
	} else {
		words_fail(&parser->words, "expected an expression, found '%s'", parser->words.text);
	}
	return expr;
}

static struct plan_expr *parse_product(struct parser *parser)
{
	struct plan_expr *expr = parse_primary(parser);

	while (words_take(&parser->words, "*"))
		expr = plan_raw(parser->arena, PLAN_MUL, expr, parse_primary(parser), NULL);
	return expr;
}

static struct plan_expr *parse_sum(struct parser *parser)
{
	struct plan_expr *expr = parse_product(parser);

	while (!parser->words.failed && (words_are_at(&parser->words, "+") || words_are_at(&parser->words, "-"))) {
		enum plan_op op = words_are_at(&parser->words, "+") ? PLAN_ADD : PLAN_SUB;

		words_advance(&parser->words);
		expr = plan_raw(parser->arena, op, expr, parse_product(parser), NULL);
	}
	return expr;
}

static struct plan_expr *parse_comparison(struct parser *parser)
{
	struct plan_expr *expr = parse_sum(parser);

	if (words_take(&parser->words, "=="))
		return plan_raw(parser->arena, PLAN_EQ, expr, parse_sum(parser), NULL);
	if (words_take(&parser->words, "<="))
		return plan_raw(parser->arena, PLAN_LE, expr, parse_sum(parser), NULL);
	return expr;
}

static struct plan_expr *parse_and(struct parser *parser)
{
	struct plan_expr *expr = parse_comparison(parser);

	while (words_take(&parser->words, "&&"))
		expr = plan_raw(parser->arena, PLAN_AND, expr, parse_comparison(parser), NULL);
	return expr;
}

struct plan_expr *parse_plan_expr(struct parser *parser)
{
	struct plan_expr *expr = number(parser, 1);

	if (words_enter(&parser->words)) {
		expr = parse_and(parser);
		while (words_take(&parser->words, "||"))
			expr = plan_raw(parser->arena, PLAN_OR, expr, parse_and(parser), NULL);
	}
	words_leave(&parser->words);
	return expr;
}

void parse_plan_exprs(struct parser *parser, const char *name, struct plan_expr **exprs, int count)
{
	words_expect(&parser->words, name);
	words_expect(&parser->words, "(");
	for (int i = 0; i < count; i++) {
		if (i > 0)
			words_expect(&parser->words, ",");
		exprs[i] = parse_plan_expr(parser);
	}
	words_expect(&parser->words, ")");
}

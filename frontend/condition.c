/* The expression of an #if, by precedence climbing over its expanded tokens. */

#include "frontend/condition.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_LIMIT = 200 };

struct evaluation {
	struct diag *diag;
	const struct token *tokens;
	size_t count, next;
	struct location location;
	int depth;
	int skipped;                 /* operands around this one that are not evaluated */
	bool has_unsigned, has_negative;
	bool failed;
};

static int64_t evaluate(struct evaluation *e, int precedence);

static struct token peek_token(const struct evaluation *e)
{
	if (e->next < e->count)
		return e->tokens[e->next];
	return (struct token){ .kind = TOKEN_END, .text = "the end of the line",
		.location = e->location };
}

static int64_t fail_evaluation(struct evaluation *e, const char *message)
{
	if (!e->failed)
		diag_error(e->diag, peek_token(e).location, "%s in #if", message);
	e->failed = true;
	return 0;
}

/* What is wrong with values only matters where C evaluates them. */
static int64_t fail_value(struct evaluation *e, const char *message)
{
	return e->skipped ? 0 : fail_evaluation(e, message);
}

/* VALUE, which counts where it is evaluated. */
static int64_t found(struct evaluation *e, int64_t value)
{
	e->has_negative |= value < 0 && !e->skipped;
	return e->has_negative && e->has_unsigned
		? fail_evaluation(e, "negative and unsigned values together") : value;
}

static int64_t evaluate_number(struct evaluation *e, const char *text)
{
	char *end;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 0);
	if (end == text || errno || value > INT64_MAX || strspn(end, "uUlL") != strlen(end))
		return fail_evaluation(e, "a number that is no integer of 64 bits");
	e->has_unsigned |= strpbrk(end, "uU") && !e->skipped;
	int64_t result = found(e, (int64_t)value);
	e->next++;
	return result;
}

static int64_t evaluate_operand(struct evaluation *e)
{
	struct token token = peek_token(e);
	if (token.kind == TOKEN_NUMBER)
		return evaluate_number(e, token.text);
	e->next++;
	if (token.kind == TOKEN_NAME)
		return 0;
	if (e->depth >= DEPTH_LIMIT)
		return fail_evaluation(e, "too deep an expression");
	e->depth++;
	int64_t value = 0;
	if (token_is_punctuator(token, "(")) {
		value = evaluate(e, -1);
		if (!token_is_punctuator(peek_token(e), ")"))
			fail_evaluation(e, "missing ')'");
		e->next++;
	} else if (token_is_punctuator(token, "!")) {
		value = !evaluate_operand(e);
	} else if (token_is_punctuator(token, "-")) {
		value = found(e, (int64_t)(0 - (uint64_t)evaluate_operand(e)));
	} else if (token_is_punctuator(token, "+")) {
		value = evaluate_operand(e);
	} else if (token_is_punctuator(token, "~")) {
		value = found(e, ~evaluate_operand(e));
	} else {
		e->next--;
		fail_evaluation(e, "expected a number or a name");
	}
	e->depth--;
	return value;
}

enum { CONDITIONAL, OR, AND };    /* precedences of what leaves operands out */

static const struct { const char *text; int precedence; } if_operators[] = {
	{ "||", OR }, { "&&", AND }, { "|", 3 }, { "^", 4 }, { "&", 5 }, { "==", 6 }, { "!=", 6 },
	{ "<", 7 }, { "<=", 7 }, { ">", 7 }, { ">=", 7 }, { "<<", 8 }, { ">>", 8 },
	{ "+", 9 }, { "-", 9 }, { "*", 10 }, { "/", 10 }, { "%", 10 }, { "?", CONDITIONAL },
};

/* -1: no operator. */
static int precedence_of(struct token token)
{
	for (size_t i = 0; i < sizeof if_operators / sizeof *if_operators; i++)
		if (token_is_punctuator(token, if_operators[i].text))
			return if_operators[i].precedence;
	return -1;
}

static int64_t shift(struct evaluation *e, bool is_left, int64_t a, int64_t b)
{
	if (a < 0 || b < 0 || b > 62 || (is_left && a > INT64_MAX >> b))
		return fail_value(e, "a shift out of range");
	return is_left ? a << b : a >> b;
}

static int64_t divide(struct evaluation *e, bool is_remainder, int64_t a, int64_t b)
{
	if (b == 0)
		return fail_value(e, "a division by zero");
	if (a == INT64_MIN && b == -1)
		return fail_value(e, "an overflow of 64 bits");
	return is_remainder ? a % b : a / b;
}

static int64_t apply(struct evaluation *e, const char *operator, int64_t a, int64_t b)
{
	int64_t result = 0;
	bool overflow = false;
	if (!strcmp(operator, "||")) return a || b;
	if (!strcmp(operator, "&&")) return a && b;
	if (!strcmp(operator, "|")) return a | b;
	if (!strcmp(operator, "^")) return a ^ b;
	if (!strcmp(operator, "&")) return a & b;
	if (!strcmp(operator, "==")) return a == b;
	if (!strcmp(operator, "!=")) return a != b;
	if (!strcmp(operator, "<")) return a < b;
	if (!strcmp(operator, "<=")) return a <= b;
	if (!strcmp(operator, ">")) return a > b;
	if (!strcmp(operator, ">=")) return a >= b;
	if (!strcmp(operator, "<<")) return shift(e, true, a, b);
	if (!strcmp(operator, ">>")) return shift(e, false, a, b);
	if (!strcmp(operator, "/")) return divide(e, false, a, b);
	if (!strcmp(operator, "%")) return divide(e, true, a, b);
	if (!strcmp(operator, "+")) overflow = __builtin_add_overflow(a, b, &result);
	if (!strcmp(operator, "-")) overflow = __builtin_sub_overflow(a, b, &result);
	if (!strcmp(operator, "*")) overflow = __builtin_mul_overflow(a, b, &result);
	return overflow ? fail_value(e, "an overflow of 64 bits") : result;
}

/* What follows is evaluated if IS_WANTED. */
static int64_t evaluate_if(struct evaluation *e, bool is_wanted, int precedence)
{
	e->skipped += !is_wanted;
	int64_t value = evaluate(e, precedence);
	e->skipped -= !is_wanted;
	return value;
}

static int64_t choose(struct evaluation *e, bool is_first)
{
	int64_t first = evaluate_if(e, is_first, CONDITIONAL - 1);
	if (!token_is_punctuator(peek_token(e), ":"))
		return fail_evaluation(e, "missing ':'");
	e->next++;
	int64_t second = evaluate_if(e, !is_first, CONDITIONAL - 1);
	return is_first ? first : second;
}

/* An operand with the operators behind it that bind more than PRECEDENCE. */
static int64_t evaluate(struct evaluation *e, int precedence)
{
	/* choose() comes here again for each ':' of a chain. */
	if (e->depth >= DEPTH_LIMIT)
		return fail_evaluation(e, "too deep an expression");
	e->depth++;
	int64_t left = evaluate_operand(e);
	for (;;) {
		struct token operator = peek_token(e);
		int level = precedence_of(operator);
		if (e->failed || level <= precedence)
			break;
		e->next++;
		if (level == CONDITIONAL) {
			left = choose(e, left != 0);
			continue;
		}
		bool is_wanted = level == OR ? !left : level == AND ? left != 0 : true;
		left = found(e, apply(e, operator.text, left, evaluate_if(e, is_wanted, level)));
	}
	e->depth--;
	return left;
}

bool condition_holds(struct diag *diag, struct location at, const struct token *tokens,
	size_t count)
{
	struct evaluation e = { .diag = diag, .tokens = tokens, .count = count, .location = at };
	int64_t value = evaluate(&e, CONDITIONAL - 1);
	if (!e.failed && e.next < count)
		fail_evaluation(&e, "an operator was expected");
	return value != 0 && !e.failed;
}

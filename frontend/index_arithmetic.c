/* C's arithmetic on indices. */

#include "frontend/index.h"

#include <stdint.h>
#include <string.h>

static isl_pw_aff *product(struct sema *sema, struct index *a, struct index *b)
{
	if (index_is_constant(b))
		index_set_constant(sema, b, b->min, b->type);
	else if (index_is_constant(a))
		index_set_constant(sema, a, a->min, a->type);
	wide ends[] = { a->min, a->max }, other[] = { b->min, b->max };
	wide min = WIDE_LIMIT, max = -WIDE_LIMIT;
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++) {
			wide value;
			if (__builtin_mul_overflow(ends[i], other[j], &value))
				value = (ends[i] < 0) != (other[j] < 0) ? -WIDE_LIMIT : WIDE_LIMIT;
			value = wide_clamp(value);
			min = value < min ? value : min;
			max = value > max ? value : max;
		}
	a->min = min;
	a->max = max;
	return isl_pw_aff_mul(isl_pw_aff_copy(a->value), isl_pw_aff_copy(b->value));
}

/* As isl_pw_aff_tdiv_q does, also of what was divided before. */
static isl_pw_aff *rounded_to_zero(__isl_take isl_pw_aff *value)
{
	isl_set *is_positive = isl_pw_aff_nonneg_set(isl_pw_aff_copy(value));
	isl_pw_aff *down = isl_pw_aff_floor(isl_pw_aff_copy(value)), *up = isl_pw_aff_ceil(value);
	return isl_pw_aff_cond(isl_set_indicator_function(is_positive), down, up);
}

/* a / b or a % b, b a positive constant: rounded to zero, as in C. */
static isl_pw_aff *quotient(struct sema *sema, struct index *a, wide divisor, bool is_remainder)
{
	isl_val *val = wide_to_val(sema, divisor);
	isl_pw_aff *value = isl_pw_aff_copy(a->value);
	bool is_positive = a->min >= 0;
	if (is_remainder) {
		wide limit = divisor - 1;
		a->min = a->min >= 0 ? 0 : a->min > -limit ? a->min : -limit;
		a->max = a->max < 0 ? 0 : a->max < limit ? a->max : limit;
	} else {
		a->min /= divisor;
		a->max /= divisor;
	}
	if (is_positive && is_remainder)
		return isl_pw_aff_mod_val(value, val);
	isl_pw_aff *result = isl_pw_aff_scale_down_val(isl_pw_aff_copy(value), isl_val_copy(val));
	result = is_positive ? isl_pw_aff_floor(result) : rounded_to_zero(result);
	if (!is_remainder) {
		isl_pw_aff_free(value);
		isl_val_free(val);
		return result;
	}
	return isl_pw_aff_sub(value, isl_pw_aff_scale_val(result, val));
}

static bool fold(const char *operator, wide a, wide b, wide *value)
{
	switch (*operator) {
	case '&': *value = a & b; return true;
	case '|': *value = a | b; return true;
	case '^': *value = a ^ b; return true;
	case '/': *value = b ? a / b : 0; return b != 0;
	case '%': *value = b ? a % b : 0; return b != 0;
	default: return false;
	}
}

/* Shifts by a constant are products and quotients by a power of two. */
static bool shift(struct sema *sema, const struct ast_expr *ast, struct index *a,
	struct index *b, isl_pw_aff **result)
{
	if (!index_is_constant(b) || b->min < 0 || b->min >= 8 * type_promoted(a->type).bytes)
		return index_fail(sema, ast->location, "'%s' shifts by what is no constant of 0 to %d",
			ast_expr_text(sema->arena, ast), 8 * type_promoted(a->type).bytes - 1);
	if (a->min < 0 && !sema->is_unchecked && !index_tighten(sema, a))
		return false;
	if (a->min < 0)
		return index_fail(sema, ast->location, "'%s' shifts a negative number; use * or /",
			ast_expr_text(sema->arena, ast));
	wide power = (wide)1 << b->min;
	if (*ast->text == '>') {
		*result = quotient(sema, a, power, false);
	} else {
		index_set_constant(sema, b, power, b->type);
		*result = product(sema, a, b);
	}
	return true;
}

static bool divide(struct sema *sema, const struct ast_expr *ast, struct index *a,
	struct index *b, isl_pw_aff **result)
{
	if (!index_is_constant(b))
		return index_fail(sema, ast->location, "'%s' is not affine; divide by a constant only",
			ast_expr_text(sema->arena, ast));
	if (b->min == 0)
		return index_fail(sema, ast->location, "'%s' divides by zero",
			ast_expr_text(sema->arena, ast));
	if (b->min < 0)
		return index_fail(sema, ast->location, "'%s' divides by a negative number; move the sign",
			ast_expr_text(sema->arena, ast));
	if (a->min < 0 && !sema->is_unchecked && !sema->is_dead)
		index_tighten(sema, a);
	*result = quotient(sema, a, b->min, *ast->text == '%');
	return true;
}

/* A number of ones in binary: x & 7 is the remainder that is never negative. */
static bool is_mask(wide number)
{
	return number > 0 && (number & (number + 1)) == 0;
}

/* A operator B, both of their common type.  A takes the result's bounds. */
static bool combine(struct sema *sema, const struct ast_expr *ast, struct index *a,
	struct index *b, isl_pw_aff **result)
{
	wide value;
	if (index_is_constant(a) && index_is_constant(b) &&
	    fold(ast->text, a->min, b->min, &value)) {
		a->min = a->max = value;
		*result = index_number(sema, value);
		return true;
	}
	switch (*ast->text) {
	case '+':
		a->min = wide_clamp(a->min + b->min);
		a->max = wide_clamp(a->max + b->max);
		*result = isl_pw_aff_add(isl_pw_aff_copy(a->value), isl_pw_aff_copy(b->value));
		return true;
	case '-':
		a->min = wide_clamp(a->min - b->max);
		a->max = wide_clamp(a->max - b->min);
		*result = isl_pw_aff_sub(isl_pw_aff_copy(a->value), isl_pw_aff_copy(b->value));
		return true;
	case '*':
		if (!index_is_constant(a) && !index_is_constant(b))
			return index_fail(sema, ast->location, "'%s' is not affine; one factor must be a "
				"constant", ast_expr_text(sema->arena, ast));
		*result = product(sema, a, b);
		return true;
	case '/': case '%':
		return divide(sema, ast, a, b, result);
	case '&':
		if (ast->text[1] || !index_is_constant(b) || !is_mask(b->min))
			break;
		*result = isl_pw_aff_mod_val(isl_pw_aff_copy(a->value), wide_to_val(sema, b->min + 1));
		a->max = a->min >= 0 && a->max < b->min ? a->max : b->min;
		a->min = 0;
		return true;
	default:
		break;
	}
	return index_fail(sema, ast->location, "'%s' is not affine; write it with +, -, *, / and %%",
		ast_expr_text(sema->arena, ast));
}

bool index_of_arithmetic(struct sema *sema, const struct ast_expr *ast,
	struct index *a, struct index *b)
{
	bool is_shift = !strcmp(ast->text, "<<") || !strcmp(ast->text, ">>");
	struct type type = type_of_binary(ast->text, a->type, b->type);
	isl_pw_aff *result = NULL;
	bool ok = index_convert(sema, a, type, ast->operands[0]) &&
		(is_shift || index_convert(sema, b, type, ast->operands[1]));
	ok = ok && (is_shift ? shift : combine)(sema, ast, a, b, &result);
	index_free(a);
	a->value = result;
	a->type = type;
	if (ok && index_is_constant(a) && (a->min > INT64_MAX || a->min < INT64_MIN) &&
	    !index_fits(a, type))
		index_free(a);
	else if (ok)
		return a->value;
	else
		return false;
	return index_fail(sema, ast->location, "'%s' overflows 64 bits", ast_expr_text(sema->arena, ast));
}

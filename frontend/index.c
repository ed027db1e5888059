/* Indices: integer expressions of iterators and sizes, as functions that isl knows.
 *
 * A .loop file means what C says it means, so an index is accepted only if no
 * operation in it overflows or wraps around: then arithmetic on integers and C's
 * agree.  Bounds are tracked as intervals; only where these leave the type does
 * isl say what the values really are. */

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <isl/constraint.h>
#include <isl/ilp.h>

#include "ir/coalesce.h"
#include "ir/isl_work.h"
#include "frontend/sema.h"

/* Bounds are cut here, so that no arithmetic on them overflows. */
#define WIDE_LIMIT ((wide)1 << 100)

static wide clamp(wide value)
{
	return value > WIDE_LIMIT ? WIDE_LIMIT : value < -WIDE_LIMIT ? -WIDE_LIMIT : value;
}

const char *wide_text(struct arena *arena, wide value)
{
	char digits[64];
	size_t at = sizeof digits - 1;
	bool negative = value < 0;
	digits[at] = 0;
	do {
		int digit = (int)(value % 10);
		digits[--at] = (char)('0' + (digit < 0 ? -digit : digit));
		value /= 10;
	} while (value);
	return arena_printf(arena, "%s%s", negative ? "-" : "", digits + at);
}

__attribute__((format(printf, 3, 4)))
static bool fail(struct sema *sema, struct location at, const char *format, ...)
{
	char text[600];
	va_list arguments;
	if (sema->is_quiet)
		return false;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	diag_error(sema->diag, at, "%s", text);
	return false;
}

/* Pieces of a set, and divisions in a piece: more come of no program that someone
 * wrote, and isl takes long over them. */
enum { PIECE_LIMIT = 200, DIVISION_LIMIT = 16 };

static isl_stat check_divisions(__isl_take isl_basic_set *piece, void *user)
{
	bool *is_large = user;
	*is_large |= isl_basic_set_dim(piece, isl_dim_div) > DIVISION_LIMIT;
	isl_basic_set_free(piece);
	return isl_stat_ok;
}

static bool is_too_large(isl_set *set)
{
	bool is_large = isl_set_n_basic_set(set) > PIECE_LIMIT;
	if (!is_large)
		isl_set_foreach_basic_set(set, check_divisions, &is_large);
	return is_large;
}

bool sema_isl_failed(struct sema *sema, struct location at)
{
	enum isl_error error = isl_ctx_last_error(sema->ctx);
	bool is_large = sema->domain && is_too_large(sema->domain);
	if (error == isl_error_none && !is_large && !sema->has_isl_failed)
		return false;
	if (!sema->has_isl_failed)
		diag_error(sema->diag, at, error == isl_error_quota || error == isl_error_none ?
			"the loops and conditions here are too complex to analyse; simplify them or "
			"split the function" :
			"the polyhedral library failed here (%s)", isl_ctx_last_error_msg(sema->ctx));
	sema->has_isl_failed = true;
	return true;
}

void index_free(struct index *index)
{
	isl_pw_aff_free(index->value);
	index->value = NULL;
}

static isl_local_space *space_here(struct sema *sema)
{
	return isl_local_space_from_space(isl_set_get_space(sema->domain));
}

/* An isl integer for any WIDE within 2^63. */
static isl_val *wide_val(struct sema *sema, wide value)
{
	if (value >= INT64_MIN && value <= INT64_MAX)
		return isl_val_int_from_si(sema->ctx, (long)value);
	unsigned long limit = isl_work_pause(sema->ctx);
	isl_val *read = isl_val_read_from_str(sema->ctx, wide_text(sema->arena, value));
	isl_work_resume(sema->ctx, limit);
	return read;
}

isl_pw_aff *index_number(struct sema *sema, wide value)
{
	return isl_pw_aff_from_aff(isl_aff_val_on_domain(space_here(sema),
		wide_val(sema, value)));
}

isl_pw_aff *index_iterator(struct sema *sema, int dim)
{
	return isl_pw_aff_from_aff(isl_aff_var_on_domain(space_here(sema), isl_dim_set,
		(unsigned)dim));
}

isl_pw_aff *index_size(struct sema *sema, const struct size *size)
{
	isl_aff *aff = isl_aff_zero_on_domain(space_here(sema));
	return isl_pw_aff_from_aff(isl_aff_set_coefficient_si(aff, isl_dim_param, size->index, 1));
}

bool index_is_constant(const struct index *index)
{
	return index->min == index->max;
}

/* A value known to be MIN everywhere; replaces what INDEX held. */
static bool set_constant(struct sema *sema, struct index *index, wide value, struct type type)
{
	isl_pw_aff_free(index->value);
	*index = (struct index){ index_number(sema, value), type, value, value };
	return index->value;
}

/* The text of a number, in digits isl and we read alike. */
static bool val_to_wide(isl_val *val, wide *value)
{
	bool ok = isl_val_is_int(val) == isl_bool_true;
	if (ok) {
		char *text = isl_val_to_str(val);
		const char *digit = text;
		wide magnitude = 0;
		bool negative = text && *digit == '-';
		ok = text;
		for (digit += negative; ok && *digit; digit++)
			magnitude = clamp(magnitude * 10 + (*digit - '0'));
		*value = negative ? -magnitude : magnitude;
		free(text);
	}
	isl_val_free(val);
	return ok;
}

static bool fits(const struct index *index, struct type type)
{
	return index->min >= type_min(type.kind) && index->max <= (wide)type_max(type.kind);
}

/* Makes the bounds of INDEX those on the domain.  False if isl gave up. */
static bool tighten(struct sema *sema, struct index *index)
{
	isl_pw_aff *here = isl_pw_aff_intersect_domain(isl_pw_aff_copy(index->value),
		isl_set_copy(sema->domain));
	/* isl has a minimum of functions too, but not of i / 3 where i is a multiple of 3 */
	isl_set *values = isl_map_range(isl_map_from_pw_aff(here));
	wide min, max;
	bool ok = val_to_wide(isl_set_dim_min_val(isl_set_copy(values), 0), &min) &&
		val_to_wide(isl_set_dim_max_val(isl_set_copy(values), 0), &max);
	isl_set_free(values);
	if (!ok)
		return false;
	index->min = min;
	index->max = max;
	return true;
}

/* Whether all values of INDEX fit TYPE where they are computed. */
static bool check_range(struct sema *sema, struct index *index, struct type type,
	const struct ast_expr *ast, const char *format)
{
	if (fits(index, type) || sema->is_unchecked || sema->is_dead)
		return true;
	if (!index_is_constant(index) && !tighten(sema, index)) {
		if (!sema->is_quiet)
			sema_isl_failed(sema, ast->location);
		return false;
	}
	if (fits(index, type))
		return true;
	wide value = index->min < type_min(type.kind) ? index->min : index->max;
	if (sema->is_quiet)
		return false;
	diag_error(sema->diag, ast->location, format, ast_expr_text(sema->arena, ast),
		wide_text(sema->arena, value), type.name);
	return false;
}

bool index_convert(struct sema *sema, struct index *index, struct type type,
	const struct ast_expr *ast)
{
	if (type_is_float(type.kind))
		return fail(sema, ast->location,
			"%s must be made of integers; '%s' is converted to %s here", sema->use,
			ast_expr_text(sema->arena, ast), type.name);
	if (type.kind == TYPE_BOOL && index->type.kind != TYPE_BOOL) {
		isl_set *set = isl_pw_aff_non_zero_set(isl_pw_aff_copy(index->value));
		isl_pw_aff_free(index->value);
		index->value = isl_set_indicator_function(set);
		index->min = 0;
		index->max = 1;
	} else if (!check_range(sema, index, type, ast,
			"'%s' is %s here and changes its value in the conversion to '%s'; use a "
			"wider or a signed type")) {
		return false;
	}
	index->type = type;
	return true;
}

/* Names. */

static bool fail_data(struct sema *sema, const struct ast_expr *ast)
{
	return fail(sema, ast->location, "%s depends on data, '%s'; only iterators, sizes and "
		"constants may decide it", sema->use, ast_expr_text(sema->arena, ast));
}

/* Whether the names in AST, of the declaration of SYMBOL, are those they were there. */
static bool is_unchanged(const struct sema *sema, const struct symbol *symbol,
	const struct ast_expr *ast)
{
	for (const struct symbol *s = sema->symbols; ast->kind == AST_NAME && s != symbol; s = s->outer)
		if (!strcmp(s->name, ast->text))
			return false;
	for (int i = 0; i < ast->operand_count; i++)
		if (!is_unchanged(sema, symbol, ast->operands[i]))
			return false;
	return true;
}

const struct ast_expr *index_declared_as(const struct sema *sema, const struct symbol *symbol)
{
	enum { EXPANSION_LIMIT = 8 };    /* of one in another: each may have several */
	return symbol->kind == SYMBOL_INDEX && symbol->initial
		&& sema->expansions < EXPANSION_LIMIT
		&& is_unchanged(sema, symbol, symbol->initial) ? symbol->initial : NULL;
}

static bool index_of_symbol(struct sema *sema, const struct ast_expr *ast,
	const struct symbol *symbol, struct index *index)
{
	switch (symbol->kind) {
	case SYMBOL_INDEX:
		if (sema->quotients && index_declared_as(sema, symbol)) {
			sema->expansions++;
			bool ok = index_of(sema, symbol->initial, index) &&
				index_convert(sema, index, symbol->type, symbol->initial);
			sema->expansions--;
			return ok;
		}
		*index = (struct index){ isl_pw_aff_copy(symbol->value), symbol->type, symbol->min,
			symbol->max };
		index->value = isl_pw_aff_add_dims(index->value, isl_dim_in,
			(unsigned)(sema->depth - symbol->depth));
		return index->value;
	case SYMBOL_ITERATOR:
		if (symbol->dim < 0)
			return fail(sema, ast->location, "'%s' is the iterator of a for loop and has "
				"no value outside of it; use a variable of its own here", symbol->name);
		*index = (struct index){ index_iterator(sema, symbol->dim), symbol->type,
			sema->min[symbol->dim], sema->max[symbol->dim] };
		return index->value;
	case SYMBOL_ARRAY:
		if (symbol->array->rank > 0)
			return fail(sema, ast->location, "array '%s' has no subscript here; write "
				"'%s[...]'", symbol->name, symbol->name);
		fail_data(sema, ast);
		if (!sema->is_quiet && name_set_has(&sema->assigned, symbol->name) &&
		    !type_is_float(symbol->type.kind))
			diag_note(sema->diag, symbol->location, "'%s' is assigned to after its "
				"declaration; declare it where its value is known, such as "
				"int %s = 2 * i + 1;", symbol->name, symbol->name);
		return false;
	case SYMBOL_FUNCTION:
		return fail(sema, ast->location, "'%s' is a function; call it", symbol->name);
	case SYMBOL_BAD:
		break;
	}
	return false;
}

static bool index_of_name(struct sema *sema, const struct ast_expr *ast, struct index *index)
{
	const struct symbol *symbol = symbol_find(sema, ast->text);
	if (symbol)
		return index_of_symbol(sema, ast, symbol, index);
	const struct header_constant *constant = header_constant_find(ast->text);
	if (constant && !type_is_float(constant->type.kind) &&
	    preprocess_has_include(sema->preprocessor, constant->header))
		return set_constant(sema, index, type_is_signed(constant->type.kind) ?
			(wide)constant->value : (wide)(unsigned long)constant->value, constant->type);
	const struct binding *binding = sema_binding(sema, ast->text);
	unsigned long value;
	struct type type;
	if (binding && integer_of_number(binding->value, &value, &type))
		return set_constant(sema, index, (wide)value, type);
	if (constant && type_is_float(constant->type.kind))
		return fail(sema, ast->location, "%s must be made of integers, and '%s' is none",
			sema->use, ast->text);
	if (constant)
		return fail(sema, ast->location, "'%s' is not declared; write #include %s",
			ast->text, constant->header);
	return fail(sema, ast->location, "'%s' is not declared; declare it, or give it a value "
		"with -D %s=VALUE", ast->text, ast->text);
}

/* Numbers. */

static bool index_of_number(struct sema *sema, const struct ast_expr *ast, struct index *index)
{
	unsigned long value;
	struct type type;
	if (integer_of_number(ast->text, &value, &type))
		return set_constant(sema, index, (wide)value, type);
	if (type_of_number(ast->text, &type))
		return fail(sema, ast->location, "%s must be made of integers; '%s' is none",
			sema->use, ast->text);
	return fail(sema, ast->location, "'%s' is no integer that fits 64 bits", ast->text);
}

/* Operators. */

static bool index_of_unary(struct sema *sema, const struct ast_expr *ast, struct index *index)
{
	if (*ast->text == '!') {
		isl_set *set = index_condition(sema, ast);
		if (!set)
			return false;
		*index = (struct index){ isl_set_indicator_function(set), { TYPE_INT32, 4, "int" },
			0, 1 };
		return index->value;
	}
	if (!index_of(sema, ast->operands[0], index))
		return false;
	index->type = type_promoted(index->type);
	if (*ast->text == '+')
		return true;
	index->value = isl_pw_aff_neg(index->value);
	wide min = index->min;
	index->min = -index->max;
	index->max = -min;
	if (*ast->text == '~') {
		index->value = isl_pw_aff_sub(index->value, index_number(sema, 1));
		index->min--;
		index->max--;
		if (!type_is_signed(index->type.kind)) {
			index_free(index);
			return fail(sema, ast->location, "'~' of an unsigned value is not affine; "
				"write the constant");
		}
	}
	return true;
}

static isl_pw_aff *product(struct sema *sema, struct index *a, struct index *b)
{
	if (index_is_constant(b))
		set_constant(sema, b, b->min, b->type);
	else if (index_is_constant(a))
		set_constant(sema, a, a->min, a->type);
	wide ends[] = { a->min, a->max }, other[] = { b->min, b->max };
	wide min = WIDE_LIMIT, max = -WIDE_LIMIT;
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++) {
			wide value;
			if (__builtin_mul_overflow(ends[i], other[j], &value))
				value = (ends[i] < 0) != (other[j] < 0) ? -WIDE_LIMIT : WIDE_LIMIT;
			value = clamp(value);
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
	isl_val *val = wide_val(sema, divisor);
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
		return fail(sema, ast->location, "'%s' shifts by what is no constant of 0 to %d",
			ast_expr_text(sema->arena, ast), 8 * type_promoted(a->type).bytes - 1);
	if (a->min < 0 && !sema->is_unchecked && !tighten(sema, a))
		return false;
	if (a->min < 0)
		return fail(sema, ast->location, "'%s' shifts a negative number; use * or /",
			ast_expr_text(sema->arena, ast));
	wide power = (wide)1 << b->min;
	if (*ast->text == '>') {
		*result = quotient(sema, a, power, false);
	} else {
		set_constant(sema, b, power, b->type);
		*result = product(sema, a, b);
	}
	return true;
}

static bool divide(struct sema *sema, const struct ast_expr *ast, struct index *a,
	struct index *b, isl_pw_aff **result)
{
	if (!index_is_constant(b))
		return fail(sema, ast->location, "'%s' is not affine; divide by a constant only",
			ast_expr_text(sema->arena, ast));
	if (b->min == 0)
		return fail(sema, ast->location, "'%s' divides by zero",
			ast_expr_text(sema->arena, ast));
	if (b->min < 0)
		return fail(sema, ast->location, "'%s' divides by a negative number; move the sign",
			ast_expr_text(sema->arena, ast));
	if (a->min < 0 && !sema->is_unchecked && !sema->is_dead)
		tighten(sema, a);
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
		a->min = clamp(a->min + b->min);
		a->max = clamp(a->max + b->max);
		*result = isl_pw_aff_add(isl_pw_aff_copy(a->value), isl_pw_aff_copy(b->value));
		return true;
	case '-':
		a->min = clamp(a->min - b->max);
		a->max = clamp(a->max - b->min);
		*result = isl_pw_aff_sub(isl_pw_aff_copy(a->value), isl_pw_aff_copy(b->value));
		return true;
	case '*':
		if (!index_is_constant(a) && !index_is_constant(b))
			return fail(sema, ast->location, "'%s' is not affine; one factor must be a "
				"constant", ast_expr_text(sema->arena, ast));
		*result = product(sema, a, b);
		return true;
	case '/': case '%':
		return divide(sema, ast, a, b, result);
	case '&':
		if (ast->text[1] || !index_is_constant(b) || !is_mask(b->min))
			break;
		*result = isl_pw_aff_mod_val(isl_pw_aff_copy(a->value), wide_val(sema, b->min + 1));
		a->max = a->min >= 0 && a->max < b->min ? a->max : b->min;
		a->min = 0;
		return true;
	default:
		break;
	}
	return fail(sema, ast->location, "'%s' is not affine; write it with +, -, *, / and %%",
		ast_expr_text(sema->arena, ast));
}

static bool is_test(const char *operator)
{
	return !strcmp(operator, "<<") || !strcmp(operator, ">>") ? false :
		strchr("<>", *operator) || !strcmp(operator, "==") || !strcmp(operator, "!=") ||
		!strcmp(operator, "&&") || !strcmp(operator, "||");
}

static bool index_of_arithmetic(struct sema *sema, const struct ast_expr *ast,
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
	    !fits(a, type))
		index_free(a);
	else if (ok)
		return a->value;
	else
		return false;
	return fail(sema, ast->location, "'%s' overflows 64 bits", ast_expr_text(sema->arena, ast));
}

static bool index_of_binary(struct sema *sema, const struct ast_expr *ast, struct index *index)
{
	if (!strcmp(ast->text, ","))
		return fail(sema, ast->location, "the comma operator is not supported; leave out "
			"what stands before the comma");
	if (is_test(ast->text)) {
		isl_set *set = index_condition(sema, ast);
		if (!set)
			return false;
		*index = (struct index){ isl_set_indicator_function(set), { TYPE_INT32, 4, "int" },
			0, 1 };
		return index->value;
	}
	struct index other = { 0 };
	bool ok = index_of(sema, ast->operands[0], index);
	ok &= index_of(sema, ast->operands[1], &other);
	if (ok)
		ok = index_of_arithmetic(sema, ast, index, &other);
	else
		index_free(index);
	index_free(&other);
	return ok;
}

/* One arm of c ? a : b, where WHERE holds. */
static bool index_of_arm(struct sema *sema, const struct ast_expr *ast, const isl_set *where,
	struct index *index)
{
	isl_set *domain = sema->domain;
	bool was_dead = sema->is_dead;
	sema->domain = isl_set_intersect(isl_set_copy(domain), isl_set_copy((isl_set *)where));
	sema->is_dead = was_dead || isl_set_is_empty(sema->domain) == isl_bool_true;
	bool ok = index_of(sema, ast, index);
	isl_set_free(sema->domain);
	sema->domain = domain;
	sema->is_dead = was_dead;
	return ok;
}

/* c ? a : b where it is known which is taken; the other one only gives its type. */
static bool index_of_decided(struct sema *sema, const struct ast_expr *ast,
	struct index *index)
{
	int taken = *ast->text == '1' ? 1 : 2;
	bool was_quiet = sema->is_quiet, was_unchecked = sema->is_unchecked;
	struct index other;
	sema->is_quiet = sema->is_unchecked = true;
	bool ok = index_of(sema, ast->operands[3 - taken], &other);
	sema->is_quiet = was_quiet;
	sema->is_unchecked = was_unchecked;
	struct type type = other.type;
	index_free(&other);
	return index_of(sema, ast->operands[taken], index) && (!ok || index_convert(sema, index,
		type_common(index->type, type), ast->operands[taken]));
}

static bool index_of_conditional(struct sema *sema, const struct ast_expr *ast,
	struct index *index)
{
	if (ast->text)
		return index_of_decided(sema, ast, index);
	struct index other = { 0 };
	isl_set *where = index_condition(sema, ast->operands[0]);
	if (!where)
		return false;
	isl_set *elsewhere = isl_set_complement(isl_set_copy(where));
	bool ok = index_of_arm(sema, ast->operands[1], where, index) &&
		index_of_arm(sema, ast->operands[2], elsewhere, &other);
	struct type type = type_common(index->type, other.type);
	ok = ok && index_convert(sema, index, type, ast->operands[1]) &&
		index_convert(sema, &other, type, ast->operands[2]);
	if (ok) {
		bool is_always = isl_set_is_subset(sema->domain, where) == isl_bool_true;
		bool is_never = isl_set_is_subset(sema->domain, elsewhere) == isl_bool_true;
		if (is_never)
			*index = (struct index){ (isl_pw_aff_free(index->value), other.value), type,
				other.min, other.max };
		else if (!is_always)
			*index = (struct index){
				isl_pw_aff_cond(isl_set_indicator_function(isl_set_copy(where)),
					index->value, isl_pw_aff_copy(other.value)), type,
				other.min < index->min ? other.min : index->min,
				other.max > index->max ? other.max : index->max };
		if (is_never)
			other.value = NULL;
		ok = index->value;
	} else {
		index_free(index);
	}
	index_free(&other);
	isl_set_free(where);
	isl_set_free(elsewhere);
	return ok;
}

static bool find_index(struct sema *sema, const struct ast_expr *ast, struct index *index)
{
	switch (ast->kind) {
	case AST_NUMBER:
		return index_of_number(sema, ast, index);
	case AST_NAME:
		return index_of_name(sema, ast, index);
	case AST_UNARY:
		return index_of_unary(sema, ast, index);
	case AST_BINARY:
		return index_of_binary(sema, ast, index);
	case AST_CONDITIONAL:
		return index_of_conditional(sema, ast, index);
	case AST_CAST:
		if (!index_of(sema, ast->operands[0], index))
			return false;
		if (ast->type.is_void)
			fail(sema, ast->location, "%s has no value", ast_expr_text(sema->arena, ast));
		else if (index_convert(sema, index, ast->type.type, ast->operands[0]))
			return true;
		index_free(index);
		return false;
	case AST_SUBSCRIPT:
		return fail_data(sema, ast);
	case AST_CALL:
		return fail(sema, ast->location, "%s may not call a function, as '%s' does; write "
			"it with +, -, *, / and ?:", sema->use, ast_expr_text(sema->arena, ast));
	case AST_ASSIGN: case AST_STEP:
		return fail(sema, ast->location, "%s may not change a variable, as '%s' does; write "
			"it as a statement of its own", sema->use, ast_expr_text(sema->arena, ast));
	case AST_STRING: case AST_UNSUPPORTED:
		break;
	}
	return false;
}

bool index_of(struct sema *sema, const struct ast_expr *ast, struct index *index)
{
	*index = (struct index){ 0 };
	if (!find_index(sema, ast, index)) {
		index_free(index);
		if (!sema->is_quiet && isl_ctx_last_error(sema->ctx) != isl_error_none)
			sema_isl_failed(sema, ast->location);
		return false;
	}
	if (!check_range(sema, index, index->type, ast,
			"'%s' is %s here, which does not fit its type '%s'; use a wider or a signed "
			"type")) {
		index_free(index);
		return false;
	}
	return index_use_quotient(sema, ast, index);
}

/* Conditions. */

static isl_set *comparison(const char *operator, __isl_take isl_pw_aff *a,
	__isl_take isl_pw_aff *b)
{
	if (!strcmp(operator, "<"))
		return isl_pw_aff_lt_set(a, b);
	if (!strcmp(operator, "<="))
		return isl_pw_aff_le_set(a, b);
	if (!strcmp(operator, ">"))
		return isl_pw_aff_gt_set(a, b);
	if (!strcmp(operator, ">="))
		return isl_pw_aff_ge_set(a, b);
	if (!strcmp(operator, "=="))
		return isl_pw_aff_eq_set(a, b);
	return isl_pw_aff_ne_set(a, b);
}

static isl_set *condition_of_comparison(struct sema *sema, const struct ast_expr *ast)
{
	struct index a, b;
	bool ok = index_of(sema, ast->operands[0], &a);
	ok &= index_of(sema, ast->operands[1], &b);
	struct type type = ok ? type_common(a.type, b.type) : (struct type){ TYPE_INT32, 4, "int" };
	ok = ok && index_convert(sema, &a, type, ast->operands[0]) &&
		index_convert(sema, &b, type, ast->operands[1]);
	isl_set *set = ok ? comparison(ast->text, isl_pw_aff_copy(a.value),
		isl_pw_aff_copy(b.value)) : NULL;
	index_free(&a);
	index_free(&b);
	return set;
}

/* a && b and a || b: C looks at b only where a leaves it open. */
static isl_set *condition_of_logical(struct sema *sema, const struct ast_expr *ast)
{
	bool is_and = *ast->text == '&';
	isl_set *a = index_condition(sema, ast->operands[0]);
	isl_set *domain = sema->domain;
	bool was_dead = sema->is_dead;
	if (a) {
		sema->domain = (is_and ? isl_set_intersect : isl_set_subtract)(isl_set_copy(domain),
			isl_set_copy(a));
		sema->is_dead |= isl_set_is_empty(sema->domain) == isl_bool_true;
	}
	isl_set *b = index_condition(sema, ast->operands[1]);
	if (a)
		isl_set_free(sema->domain);
	sema->domain = domain;
	sema->is_dead = was_dead;
	bool ok = a && b && !is_too_large(a) && !is_too_large(b);
	if (a && b && !ok)
		fail(sema, ast->location, "the condition is too complex to analyse; simplify it");
	if (!ok) {
		isl_set_free(a);
		isl_set_free(b);
		return NULL;
	}
	return set_coalesce(is_and ? isl_set_intersect(a, b) : isl_set_union(a, b));
}

isl_set *index_condition(struct sema *sema, const struct ast_expr *ast)
{
	if (ast->kind == AST_UNARY && *ast->text == '!') {
		isl_set *set = index_condition(sema, ast->operands[0]);
		return set ? isl_set_complement(set) : NULL;
	}
	if (ast->kind == AST_BINARY && (!strcmp(ast->text, "&&") || !strcmp(ast->text, "||")))
		return condition_of_logical(sema, ast);
	if (ast->kind == AST_BINARY && is_test(ast->text))
		return condition_of_comparison(sema, ast);
	struct index index;
	if (!index_of(sema, ast, &index))
		return NULL;
	return isl_pw_aff_non_zero_set(index.value);
}

/* Affine forms. */

struct piece_search {
	isl_set *domain;
	isl_aff *found;
	int count;
};

static isl_stat visit_piece(__isl_take isl_set *set, __isl_take isl_aff *aff, void *user)
{
	struct piece_search *search = user;
	isl_bool is_disjoint = isl_set_is_disjoint(set, search->domain);
	isl_set_free(set);
	if (is_disjoint == isl_bool_false && search->count++ == 0)
		search->found = isl_aff_copy(aff);
	isl_aff_free(aff);
	return is_disjoint == isl_bool_error ? isl_stat_error : isl_stat_ok;
}

/* The one affine function that VALUE is on the domain, or NULL. */
static isl_aff *single_piece(struct sema *sema, isl_pw_aff *value)
{
	struct piece_search search = { .domain = sema->domain };
	if (isl_pw_aff_foreach_piece(value, visit_piece, &search) == isl_stat_ok &&
	    search.count == 1)
		return search.found;
	isl_aff_free(search.found);
	return NULL;
}

/* The function of the other variables that the last variable of an equality is; NULL: none
 * with integers. */
static isl_aff *solved(__isl_keep isl_constraint *equality, __isl_keep isl_set *domain)
{
	int depth = isl_set_dim(domain, isl_dim_set), sizes = isl_set_dim(domain, isl_dim_param);
	isl_val *own = isl_constraint_get_coefficient_val(equality, isl_dim_set, depth);
	bool is_one = isl_val_is_one(own) == isl_bool_true;
	bool has_none = isl_constraint_dim(equality, isl_dim_div) == 0;
	if ((!is_one && isl_val_is_negone(own) != isl_bool_true) || !has_none) {
		isl_val_free(own);
		return NULL;
	}
	isl_val_free(own);
	isl_aff *aff = isl_aff_zero_on_domain(isl_local_space_from_space(isl_set_get_space(domain)));
	aff = isl_aff_set_constant_val(aff, isl_constraint_get_constant_val(equality));
	for (int i = 0; i < depth; i++)
		aff = isl_aff_set_coefficient_val(aff, isl_dim_in, i,
			isl_constraint_get_coefficient_val(equality, isl_dim_set, i));
	for (int k = 0; k < sizes; k++)
		aff = isl_aff_set_coefficient_val(aff, isl_dim_param, k,
			isl_constraint_get_coefficient_val(equality, isl_dim_param, k));
	return is_one ? isl_aff_neg(aff) : aff;
}

/* The affine function that VALUE is on the domain though it is not written as one, such as
 * (2 * q + r) / 2 where r is 0 or 1; NULL: it is none. */
static isl_aff *affine_hull(struct sema *sema, isl_pw_aff *value)
{
	isl_map *graph = isl_map_intersect_domain(isl_map_from_pw_aff(isl_pw_aff_copy(value)),
		isl_set_copy(sema->domain));
	isl_basic_set *hull = isl_set_affine_hull(isl_set_flatten(isl_map_wrap(graph)));
	isl_constraint *equality = NULL;
	isl_aff *aff = NULL;
	int depth = isl_set_dim(sema->domain, isl_dim_set);
	if (isl_basic_set_has_defining_equality(hull, isl_dim_set, depth, &equality) == isl_bool_true)
		aff = solved(equality, sema->domain);
	isl_constraint_free(equality);
	isl_basic_set_free(hull);
	return aff;
}

/* So that sums of coefficients times iterators stay within a WIDE. */
#define COEFFICIENT_LIMIT (1L << 56)

static bool small_integer(__isl_take isl_val *val, long *value)
{
	wide number = 0;
	bool ok = val_to_wide(val, &number);
	*value = (long)number;
	return ok && number <= INT64_MAX / 2 && number >= -(INT64_MAX / 2);
}

/* AFF with numbers that are integers of moderate size and no divisions; false: it has others. */
static bool read_affine(struct sema *sema, isl_aff *aff, struct affine *affine)
{
	*affine = affine_constant(sema->arena, 0);
	bool ok = aff && small_integer(isl_aff_get_constant_val(aff), &affine->constant);
	for (int i = 0; ok && i < sema->depth; i++)
		ok = small_integer(isl_aff_get_coefficient_val(aff, isl_dim_in, i),
			&affine->coefficients[i]) &&
			affine->coefficients[i] <= COEFFICIENT_LIMIT &&
			affine->coefficients[i] >= -COEFFICIENT_LIMIT;
	const struct function *function = sema->function;
	if (function && function->symbolic_count)
		affine->sizes = ARENA_ARRAY(sema->arena, long, SYMBOLIC_LIMIT);
	for (int k = 0; ok && function && k < function->symbolic_count; k++) {
		int place = isl_aff_find_dim_by_name(aff, isl_dim_param,
			isl_size_name(sema->arena, function->symbolic[k]->name));
		ok = place < 0 || (small_integer(isl_aff_get_coefficient_val(aff,
			isl_dim_param, place), &affine->sizes[k]) &&
			affine->sizes[k] <= COEFFICIENT_LIMIT && affine->sizes[k] >= -COEFFICIENT_LIMIT);
	}
	int divs = aff ? isl_aff_dim(aff, isl_dim_div) : 0;
	for (int i = 0; ok && i < divs; i++) {
		long coefficient;
		ok = small_integer(isl_aff_get_coefficient_val(aff, isl_dim_div, i),
			&coefficient) && coefficient == 0;
	}
	return ok;
}

bool index_affine(struct sema *sema, const struct index *index, struct affine *affine)
{
	*affine = affine_constant(sema->arena, 0);
	if (index_is_constant(index)) {
		affine->constant = (long)index->min;
		return index->min <= INT64_MAX / 2 && index->min >= -(INT64_MAX / 2);
	}
	if (sema->is_dead)
		return true;
	isl_aff *aff = single_piece(sema, index->value);
	bool ok = read_affine(sema, aff, affine);
	isl_aff_free(aff);
	if (ok)
		return true;
	aff = affine_hull(sema, index->value);
	ok = read_affine(sema, aff, affine);
	isl_aff_free(aff);
	return ok;
}

isl_aff *index_aff(struct sema *sema, const struct affine *affine)
{
	isl_aff *aff = isl_aff_zero_on_domain(space_here(sema));
	aff = isl_aff_set_constant_val(aff, wide_val(sema, affine->constant));
	for (int i = 0; i < sema->depth; i++)
		aff = isl_aff_set_coefficient_val(aff, isl_dim_in, i,
			wide_val(sema, affine->coefficients[i]));
	for (int k = 0; affine->sizes && k < sema->function->symbolic_count; k++)
		aff = isl_aff_set_coefficient_val(aff, isl_dim_param, k,
			wide_val(sema, affine->sizes[k]));
	return aff;
}

bool index_constant(struct sema *sema, const struct ast_expr *ast, struct type *type,
	long *value)
{
	struct index index;
	if (!index_of(sema, ast, &index))
		return false;
	bool is_constant = index_is_constant(&index);
	wide number = index.min;
	*type = index.type;
	index_free(&index);
	if (!is_constant)
		return fail(sema, ast->location, "%s must be a constant, and '%s' changes with the "
			"loops around it", sema->use, ast_expr_text(sema->arena, ast));
	if (number > INT64_MAX / 2 || number < -(INT64_MAX / 2))
		return fail(sema, ast->location, "'%s' is %s here; that is too large for an index",
			ast_expr_text(sema->arena, ast), wide_text(sema->arena, number));
	*value = (long)number;
	return true;
}

/* Values of indices and their bounds.  Bounds are tracked as intervals; only where these leave the type
 * does isl say what the values really are. */

#include "frontend/index.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <isl/ilp.h>

#include "ir/isl_work.h"

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
bool index_fail(struct sema *sema, struct location at, const char *format, ...)
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

bool set_is_too_large(isl_set *set)
{
	bool is_large = isl_set_n_basic_set(set) > PIECE_LIMIT;
	if (!is_large)
		isl_set_foreach_basic_set(set, check_divisions, &is_large);
	return is_large;
}

bool sema_isl_failed(struct sema *sema, struct location at)
{
	enum isl_error error = isl_ctx_last_error(sema->ctx);
	bool is_large = sema->domain && set_is_too_large(sema->domain);
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

isl_local_space *index_space(struct sema *sema)
{
	return isl_local_space_from_space(isl_set_get_space(sema->domain));
}

isl_val *wide_to_val(struct sema *sema, wide value)
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
	return isl_pw_aff_from_aff(isl_aff_val_on_domain(index_space(sema),
		wide_to_val(sema, value)));
}

isl_pw_aff *index_iterator(struct sema *sema, int dim)
{
	return isl_pw_aff_from_aff(isl_aff_var_on_domain(index_space(sema), isl_dim_set,
		(unsigned)dim));
}

isl_pw_aff *index_size(struct sema *sema, const struct size *size)
{
	isl_aff *aff = isl_aff_zero_on_domain(index_space(sema));
	return isl_pw_aff_from_aff(isl_aff_set_coefficient_si(aff, isl_dim_param, size->index, 1));
}

bool index_is_constant(const struct index *index)
{
	return index->min == index->max;
}

bool index_set_constant(struct sema *sema, struct index *index, wide value, struct type type)
{
	isl_pw_aff_free(index->value);
	*index = (struct index){ index_number(sema, value), type, value, value };
	return index->value;
}

/* The text of a number, in digits isl and we read alike. */
bool val_to_wide(isl_val *val, wide *value)
{
	bool ok = isl_val_is_int(val) == isl_bool_true;
	if (ok) {
		char *text = isl_val_to_str(val);
		const char *digit = text;
		wide magnitude = 0;
		bool negative = text && *digit == '-';
		ok = text;
		for (digit += negative; ok && *digit; digit++)
			magnitude = wide_clamp(magnitude * 10 + (*digit - '0'));
		*value = negative ? -magnitude : magnitude;
		free(text);
	}
	isl_val_free(val);
	return ok;
}

bool index_fits(const struct index *index, struct type type)
{
	return index->min >= type_min(type.kind) && index->max <= (wide)type_max(type.kind);
}

bool index_tighten(struct sema *sema, struct index *index)
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

bool index_check_range(struct sema *sema, struct index *index, struct type type,
	const struct ast_expr *ast, const char *format)
{
	if (index_fits(index, type) || sema->is_unchecked || sema->is_dead)
		return true;
	if (!index_is_constant(index) && !index_tighten(sema, index)) {
		if (!sema->is_quiet)
			sema_isl_failed(sema, ast->location);
		return false;
	}
	if (index_fits(index, type))
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
		return index_fail(sema, ast->location,
			"%s must be made of integers; '%s' is converted to %s here", sema->use,
			ast_expr_text(sema->arena, ast), type.name);
	if (type.kind == TYPE_BOOL && index->type.kind != TYPE_BOOL) {
		isl_set *set = isl_pw_aff_non_zero_set(isl_pw_aff_copy(index->value));
		isl_pw_aff_free(index->value);
		index->value = isl_set_indicator_function(set);
		index->min = 0;
		index->max = 1;
	} else if (!index_check_range(sema, index, type, ast,
			"'%s' is %s here and changes its value in the conversion to '%s'; use a "
			"wider or a signed type")) {
		return false;
	}
	index->type = type;
	return true;
}

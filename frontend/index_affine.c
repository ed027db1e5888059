/* Indices that are affine, or constant. */

#include "frontend/index.h"

#include <stdint.h>

#include <isl/constraint.h>

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
	isl_aff *aff = isl_aff_zero_on_domain(index_space(sema));
	aff = isl_aff_set_constant_val(aff, wide_to_val(sema, affine->constant));
	for (int i = 0; i < sema->depth; i++)
		aff = isl_aff_set_coefficient_val(aff, isl_dim_in, i,
			wide_to_val(sema, affine->coefficients[i]));
	for (int k = 0; affine->sizes && k < sema->function->symbolic_count; k++)
		aff = isl_aff_set_coefficient_val(aff, isl_dim_param, k,
			wide_to_val(sema, affine->sizes[k]));
	return aff;
}

/* Says that AST, whose value is INDEX, is no constant; returns false. */
static bool say_what_varies(struct sema *sema, const struct ast_expr *ast, const struct index *index)
{
	const char *text = ast_expr_text(sema->arena, ast);
	unsigned loops = (unsigned)isl_pw_aff_dim(index->value, isl_dim_in);
	if (isl_pw_aff_involves_dims(index->value, isl_dim_in, 0, loops) == isl_bool_true)
		return index_fail(sema, ast->location, "%s must be a constant, and '%s' changes with the "
			"loops around it", sema->use, text);
	return index_fail(sema, ast->location, "%s must be a constant, and '%s' is left to the run "
		"with its sizes; give them values, without --symbolic", sema->use, text);
}

bool index_constant(struct sema *sema, const struct ast_expr *ast, struct type *type,
	long *value)
{
	struct index index;
	if (!index_of(sema, ast, &index))
		return false;
	bool is_known = index_is_constant(&index) || say_what_varies(sema, ast, &index);
	wide number = index.min;
	*type = index.type;
	index_free(&index);
	if (!is_known)
		return false;
	if (number > INT64_MAX / 2 || number < -(INT64_MAX / 2))
		return index_fail(sema, ast->location, "'%s' is %s here; that is too large for an index",
			ast_expr_text(sema->arena, ast), wide_text(sema->arena, number));
	*value = (long)number;
	return true;
}

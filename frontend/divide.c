/* Assignments that divide anything but an iterator that counts up by one, in a subscript or an
 * index that is a value: (y + 2 * x) / 3, z % 8 where z += 3, z & 7, z >> 3.  Around such an
 * assignment there is one more loop, of one iteration, over the quotient; with its iterator q
 * quotient and remainder are affine.  The domain says what q is by inequalities alone, for isl is
 * at its best without divisions:
 *     0 <= e - c q <= c - 1, or, where e < 0 and the quotient is rounded to zero, 1 - c <= e - c q <= 0. */

#include <string.h>

#include <isl/constraint.h>

#include "frontend/sema.h"

struct quotient {
	const struct quotient *outer;
	const struct ast_expr *divided;
	long divisor;
	bool is_floor;               /* not rounded to zero */
	int dim;                     /* the loop over it */
};

enum { DIVISOR_LIMIT = 1 << 30, DIVISIONS_LIMIT = 3 };

/* The quotient in AST, /, %, >> or & by a constant; false if there is none.  *IS_REST: AST is what
 * is left. */
static bool read_quotient(struct sema *sema, const struct ast_expr *ast, struct quotient *quotient,
	bool *is_rest)
{
	struct type type;
	long by;
	if (ast->kind != AST_BINARY || (strcmp(ast->text, "/") && strcmp(ast->text, "%")
		&& strcmp(ast->text, ">>") && strcmp(ast->text, "&"))
		|| !index_constant(sema, ast->operands[1], &type, &by) || by < 1 || by >= DIVISOR_LIMIT)
		return false;
	*is_rest = strchr("%&", *ast->text);
	*quotient = (struct quotient){ .divided = ast->operands[0], .divisor = by,
		.is_floor = strchr(">&", *ast->text) };
	if (*ast->text == '>')
		quotient->divisor = by < 30 ? 1L << by : 0;
	else if (*ast->text == '&')
		quotient->divisor = (by & (by + 1)) == 0 ? by + 1 : 0;
	return quotient->divisor > 1;
}

/* What NAME was declared as, if that can be looked at here. */
static const struct ast_expr *declared_as(const struct sema *sema, const struct ast_expr *name)
{
	const struct symbol *symbol = name->kind == AST_NAME ? symbol_find(sema, name->text) : NULL;
	return symbol ? index_declared_as(sema, symbol) : NULL;
}

static bool is_affine(struct sema *sema, const struct ast_expr *ast, struct index *bounds,
	struct affine *affine)
{
	struct index index;
	if (!index_of(sema, ast, &index))
		return false;
	bool is_affine = index_affine(sema, &index, affine);
	if (bounds)
		*bounds = index;
	index_free(&index);
	return is_affine;
}

static const struct ast_expr *find_division(struct sema *sema, const struct ast_expr *ast)
{
	const struct ast_expr *initial = declared_as(sema, ast), *found = NULL;
	struct quotient quotient;
	struct affine affine;
	bool is_rest;
	if (initial) {
		sema->expansions++;
		found = find_division(sema, initial);
		sema->expansions--;
	}
	for (int i = 0; i < ast->operand_count && !found; i++)
		found = find_division(sema, ast->operands[i]);
	if (found)
		return found;
	return read_quotient(sema, ast, &quotient, &is_rest) && !is_affine(sema, ast, NULL, &affine)
		&& is_affine(sema, quotient.divided, NULL, &affine) ? ast : NULL;
}

const struct ast_expr *index_division(struct sema *sema, const struct ast_expr *ast)
{
	bool was_quiet = sema->is_quiet;
	sema->is_quiet = true;
	const struct ast_expr *found = sema->is_dead ? NULL : find_division(sema, ast);
	sema->is_quiet = was_quiet;
	return found;
}

bool index_use_quotient(struct sema *sema, const struct ast_expr *ast, struct index *index)
{
	struct quotient own;
	struct index whole;
	bool is_rest;
	const struct quotient *q = sema->quotients;
	if (!q || !read_quotient(sema, ast, &own, &is_rest))
		return true;
	while (q && (q->divisor != own.divisor || q->is_floor != own.is_floor
		|| !ast_is_same(q->divided, own.divided)))
		q = q->outer;
	if (!q)
		return true;
	isl_pw_aff *value = index_iterator(sema, q->dim);
	if (is_rest) {
		if (!index_of(sema, own.divided, &whole)) {
			isl_pw_aff_free(value);
			index_free(index);
			return false;
		}
		value = isl_pw_aff_scale_val(value, isl_val_int_from_si(sema->ctx, own.divisor));
		value = isl_pw_aff_sub(whole.value, value);
	}
	isl_pw_aff_free(index->value);
	index->value = value;
	return true;
}

static isl_basic_set *is_positive_where(__isl_take isl_aff *value)
{
	return isl_basic_set_from_constraint(isl_inequality_from_aff(value));
}

/* Where LOW <= VALUE <= HIGH. */
static isl_set *between(isl_aff *value, long low, long high)
{
	isl_aff *above = isl_aff_add_constant_si(isl_aff_copy(value), (int)-low);
	isl_aff *below = isl_aff_add_constant_si(isl_aff_neg(isl_aff_copy(value)), (int)high);
	return isl_set_from_basic_set(isl_basic_set_intersect(is_positive_where(above),
		is_positive_where(below)));
}

/* The domain with one dimension more, the quotient of WHOLE by DIVISOR. */
static isl_set *with_quotient(struct sema *sema, const struct affine *affine,
	const struct quotient *quotient, bool is_positive)
{
	long c = quotient->divisor;
	isl_set *outer = sema->domain;
	isl_set *domain = sema->domain = isl_set_add_dims(isl_set_copy(outer), isl_dim_set, 1);
	isl_aff *whole = index_aff(sema, affine);
	sema->domain = outer;
	isl_aff *rest = isl_aff_set_coefficient_si(isl_aff_copy(whole), isl_dim_in, quotient->dim, (int)-c);
	isl_set *where = between(rest, 0, c - 1);
	if (!is_positive && !quotient->is_floor) {
		isl_set *sign = isl_set_from_basic_set(is_positive_where(isl_aff_copy(whole)));
		where = isl_set_intersect(where, isl_set_copy(sign));
		where = isl_set_union(where, isl_set_subtract(between(rest, 1 - c, 0), sign));
	}
	isl_aff_free(whole);
	isl_aff_free(rest);
	return isl_set_intersect(domain, where);
}

static wide divided(wide value, const struct quotient *quotient)
{
	wide down = quotient->is_floor && value < 0 ? quotient->divisor - 1 : 0;
	return (value - down) / quotient->divisor;
}

static const char *quotient_name(struct sema *sema, const struct quotient *quotient)
{
	return symbol_free_name(sema, quotient->divided->kind == AST_NAME ? arena_printf(sema->arena,
		"%s_over_%ld", quotient->divided->text, quotient->divisor) : "quotient");
}

static isl_stat find_most_divisions(__isl_take isl_basic_set *piece, void *user)
{
	int *most = user, count = isl_basic_set_dim(piece, isl_dim_div);
	*most = count > *most ? count : *most;
	isl_basic_set_free(piece);
	return isl_stat_ok;
}

/* Quotients with a loop, and divisions that the domain is made of, as of steps. */
static int count_divisions(const struct sema *sema)
{
	int count = 0;
	isl_set_foreach_basic_set(sema->domain, find_most_divisions, &count);
	for (const struct quotient *q = sema->quotients; q; q = q->outer)
		count++;
	return count;
}

void lower_divided(struct sema *sema, const struct ast_expr *division,
	const struct ast_expr *assignment)
{
	struct quotient quotient;
	struct index whole;
	struct affine affine;
	bool is_rest;
	if (sema->depth == LOOP_DEPTH_LIMIT) {
		diag_error(sema->diag, division->location, "more than %d loops are nested, one more "
			"for each division", (int)LOOP_DEPTH_LIMIT);
		return;
	}
	/* isl may work for ever on remainders by many numbers of the same iterators */
	if (count_divisions(sema) >= DIVISIONS_LIMIT) {
		diag_error(sema->diag, division->location, "'%s' is one division too many: in an "
			"assignment, and the steps and conditions around it, there can be %d; loop over "
			"blocks instead", ast_expr_text(sema->arena, division), (int)DIVISIONS_LIMIT);
		return;
	}
	if (!read_quotient(sema, division, &quotient, &is_rest)
		|| !is_affine(sema, quotient.divided, &whole, &affine))
		return;
	const char *name = quotient_name(sema, &quotient);
	quotient.outer = sema->quotients;
	quotient.dim = sema->depth;
	isl_set *domain = with_quotient(sema, &affine, &quotient, whole.min >= 0);
	sema->quotients = &quotient;
	lower_in_loop(sema, name, domain, divided(whole.min, &quotient), divided(whole.max, &quotient),
		assignment);
	sema->quotients = quotient.outer;
}

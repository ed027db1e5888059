/* Indices: integer expressions of iterators and sizes, as functions that isl knows.
 *
 * A .loop file means what C says it means, so an index is accepted only if no
 * operation in it overflows or wraps around: then arithmetic on integers and C's
 * agree. */

#include "frontend/index.h"

#include <string.h>

#include "ir/coalesce.h"

/* Names. */

static bool fail_data(struct sema *sema, const struct ast_expr *ast)
{
	return index_fail(sema, ast->location, "%s depends on data, '%s'; only iterators, sizes and "
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
			return index_fail(sema, ast->location, "'%s' is the iterator of a for loop and has "
				"no value outside of it; use a variable of its own here", symbol->name);
		*index = (struct index){ index_iterator(sema, symbol->dim), symbol->type,
			sema->min[symbol->dim], sema->max[symbol->dim] };
		return index->value;
	case SYMBOL_ARRAY:
		if (symbol->array->rank > 0)
			return index_fail(sema, ast->location, "array '%s' has no subscript here; write "
				"'%s[...]'", symbol->name, symbol->name);
		fail_data(sema, ast);
		if (!sema->is_quiet && name_set_has(&sema->assigned, symbol->name, symbol->location) &&
		    !type_is_float(symbol->type.kind))
			diag_note(sema->diag, symbol->location, "'%s' is assigned to after its "
				"declaration; declare it where its value is known, such as "
				"int %s = 2 * i + 1;", symbol->name, symbol->name);
		return false;
	case SYMBOL_FUNCTION:
		return index_fail(sema, ast->location, "'%s' is a function; call it", symbol->name);
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
		return index_set_constant(sema, index, type_is_signed(constant->type.kind) ?
			(wide)constant->value : (wide)(unsigned long)constant->value, constant->type);
	const struct binding *binding = sema_binding(sema, ast->text);
	unsigned long value;
	struct type type;
	if (binding && integer_of_number(binding->value, &value, &type))
		return index_set_constant(sema, index, (wide)value, type);
	if (constant && type_is_float(constant->type.kind))
		return index_fail(sema, ast->location, "%s must be made of integers, and '%s' is none",
			sema->use, ast->text);
	if (constant)
		return index_fail(sema, ast->location, "'%s' is not declared; write #include %s",
			ast->text, constant->header);
	return index_fail(sema, ast->location, "'%s' is not declared; declare it, or give it a value "
		"with -D %s=VALUE", ast->text, ast->text);
}

/* Numbers. */

static bool index_of_number(struct sema *sema, const struct ast_expr *ast, struct index *index)
{
	unsigned long value;
	struct type type;
	if (integer_of_number(ast->text, &value, &type))
		return index_set_constant(sema, index, (wide)value, type);
	if (type_of_number(ast->text, &type))
		return index_fail(sema, ast->location, "%s must be made of integers; '%s' is none",
			sema->use, ast->text);
	return index_fail(sema, ast->location, "'%s' is no integer that fits 64 bits", ast->text);
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
			return index_fail(sema, ast->location, "'~' of an unsigned value is not affine; "
				"write the constant");
		}
	}
	return true;
}

static bool is_test(const char *operator)
{
	return !strcmp(operator, "<<") || !strcmp(operator, ">>") ? false :
		strchr("<>", *operator) || !strcmp(operator, "==") || !strcmp(operator, "!=") ||
		!strcmp(operator, "&&") || !strcmp(operator, "||");
}

static bool index_of_binary(struct sema *sema, const struct ast_expr *ast, struct index *index)
{
	if (!strcmp(ast->text, ","))
		return index_fail(sema, ast->location, "the comma operator is not supported; leave out "
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
			index_fail(sema, ast->location, "%s has no value", ast_expr_text(sema->arena, ast));
		else if (index_convert(sema, index, ast->type.type, ast->operands[0]))
			return true;
		index_free(index);
		return false;
	case AST_SUBSCRIPT:
		return fail_data(sema, ast);
	case AST_CALL:
		return index_fail(sema, ast->location, "%s may not call a function, as '%s' does; write "
			"it with +, -, *, / and ?:", sema->use, ast_expr_text(sema->arena, ast));
	case AST_ASSIGN: case AST_STEP:
		return index_fail(sema, ast->location, "%s may not change a variable, as '%s' does; write "
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
	if (!index_check_range(sema, index, index->type, ast,
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
	bool ok = a && b && !set_is_too_large(a) && !set_is_too_large(b);
	if (a && b && !ok)
		index_fail(sema, ast->location, "the condition is too complex to analyse; simplify it");
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

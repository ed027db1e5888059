/* Accesses: the array and the affine subscripts of A[i + 1][2 * j], which must stay within it. */

#include <stdarg.h>
#include <string.h>

#include <isl/ilp.h>
#include <isl/point.h>

#include "frontend/builder.h"

struct expr *builder_fail(struct builder *builder, struct location at, const char *format, ...)
{
	char text[600];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	diag_error(builder->sema->diag, at, "%s", text);
	builder->failed = true;
	return NULL;
}

int builder_add_access(struct builder *builder, struct access access)
{
	struct statement *statement = builder->statement;
	for (int i = 1; i < statement->access_count && !access.is_write; i++)
		if (access_is_same(&statement->accesses[i], &access, statement->depth))
			return i;
	access.index = statement->access_count;
	statement->accesses = arena_grow(builder->sema->arena, statement->accesses,
		(size_t)statement->access_count, &builder->capacity, sizeof access);
	statement->accesses[statement->access_count++] = access;
	return access.index;
}

/* "when i = 3 and j = 0", for a point of the domain. */
static const char *iteration_text(struct sema *sema, isl_point *point)
{
	const char *text = "";
	for (int i = 0; i < sema->depth; i++) {
		isl_val *val = isl_point_get_coordinate_val(point, isl_dim_set, i);
		text = arena_printf(sema->arena, "%s%s%s = %ld", text,
			i == 0 ? " when " : i + 1 < sema->depth ? ", " : " and ",
			sema->loops[i]->name, isl_val_get_num_si(val));
		isl_val_free(val);
	}
	return text;
}

/* ", N = 2" for every symbolic size. */
static const char *sizes_text(struct sema *sema, isl_point *point)
{
	const char *text = "";
	for (int k = 0; k < sema->function->symbolic_count; k++) {
		isl_val *val = isl_point_get_coordinate_val(point, isl_dim_param, k);
		text = arena_printf(sema->arena, "%s%s%s = %ld", text, k ? ", " : " if ",
			sema->function->symbolic[k]->name, isl_val_get_num_si(val));
		isl_val_free(val);
	}
	return text;
}

static wide affine_at(struct affine affine, isl_point *point, int depth)
{
	wide value = affine.constant;
	for (int i = 0; i < depth; i++) {
		isl_val *val = isl_point_get_coordinate_val(point, isl_dim_set, i);
		value += (wide)affine.coefficients[i] * isl_val_get_num_si(val);
		isl_val_free(val);
	}
	for (int k = 0; k < SYMBOLIC_LIMIT; k++) {
		if (!affine_size(affine, k))
			continue;
		isl_val *val = isl_point_get_coordinate_val(point, isl_dim_param, k);
		value += (wide)affine.sizes[k] * isl_val_get_num_si(val);
		isl_val_free(val);
	}
	return value;
}

/* AFFINE as isl's. */
static isl_pw_aff *affine_value(struct sema *sema, struct affine affine)
{
	isl_pw_aff *value = index_number(sema, affine.constant);
	for (int i = 0; i < sema->depth; i++)
		if (affine.coefficients[i])
			value = isl_pw_aff_add(value, isl_pw_aff_scale_val(index_iterator(sema, i),
				isl_val_int_from_si(sema->ctx, affine.coefficients[i])));
	for (int k = 0; k < sema->function->symbolic_count; k++)
		if (affine_size(affine, k))
			value = isl_pw_aff_add(value, isl_pw_aff_scale_val(
				index_size(sema, sema->function->symbolic[k]),
				isl_val_int_from_si(sema->ctx, affine_size(affine, k))));
	return value;
}

/* Iterations of the domain where AFFINE is not within [0, EXTENT). */
static isl_set *outside(struct sema *sema, struct affine affine, struct affine extent)
{
	isl_pw_aff *value = affine_value(sema, affine);
	extent.coefficients = ARENA_ARRAY(sema->arena, long, LOOP_DEPTH_LIMIT);
	isl_set *below = isl_pw_aff_lt_set(isl_pw_aff_copy(value), index_number(sema, 0));
	isl_set *above = isl_pw_aff_ge_set(value, affine_value(sema, extent));
	return isl_set_intersect(isl_set_union(below, above), isl_set_copy(sema->domain));
}

static void report_range(struct builder *builder, const struct ast_expr *ast, int dim,
	const struct array *array, struct affine affine, __isl_take isl_set *bad)
{
	struct sema *sema = builder->sema;
	bool is_bounded = isl_set_is_bounded(bad) == isl_bool_true;
	isl_point *point = isl_set_sample_point(is_bounded ? isl_set_lexmin(bad) : bad);
	wide value = affine_at(affine, point, sema->depth);
	struct affine shape = array->shape[dim];
	long extent = (long)affine_at(shape, point, 0);
	builder_fail(builder, ast->location, "subscript %d of '%s' is %s%s%s; it must be from 0 to %ld",
		dim + 1, array->source_name, wide_text(sema->arena, value), iteration_text(sema, point),
		sizes_text(sema, point), extent - 1);
	diag_note(sema->diag, array->location, "'%s' has %ld element%s in this dimension; narrow "
		"the loop's bounds or put an if around the statement", array->source_name,
		extent, extent == 1 ? "" : "s");
	isl_point_free(point);
}

static bool is_inside(const struct sema *sema, struct affine affine, struct affine extent)
{
	if (affine_is_symbolic(affine) || affine_is_symbolic(extent))
		return false;
	wide min = affine.constant, max = affine.constant;
	for (int i = 0; i < sema->depth; i++) {
		wide coefficient = affine.coefficients[i];
		min += coefficient * (coefficient > 0 ? sema->min[i] : sema->max[i]);
		max += coefficient * (coefficient > 0 ? sema->max[i] : sema->min[i]);
	}
	return min >= 0 && max < extent.constant;
}

static void remember_guard(struct builder *builder, const struct ast_expr *guard)
{
	if (builder->split_count < SPLIT_GUARDS && !guard_is_data(builder->sema, guard))
		builder->split_guards[builder->split_count++] = guard;
	/* of a && b either may decide alone, but only those on the left are split by */
	if (guard->kind != AST_BINARY || strcmp(guard->text, "&&"))
		return;
	remember_guard(builder, guard->operands[0]);
	if (guard->operands[1]->kind == AST_BINARY)
		remember_guard(builder, guard->operands[1]);
}

static void remember_guards(struct builder *builder)
{
	for (int i = 0; i < builder->guard_count; i++)
		remember_guard(builder, builder->guards[i]);
	if (!builder->split_count)           /* none decides: the message names one */
		builder->split_guards[builder->split_count++] = builder->guards[0];
}

/* Checks that subscript DIM never leaves the array. */
static void check_range(struct builder *builder, const struct ast_expr *ast, int dim,
	const struct array *array, struct affine affine)
{
	struct sema *sema = builder->sema;
	if (sema->is_dead || is_inside(sema, affine, array->shape[dim]))
		return;
	isl_set *bad = outside(sema, affine, array->shape[dim]);
	isl_bool is_fine = isl_set_is_empty(bad);
	if (is_fine == isl_bool_false && builder->guard_count) {
		if (!builder->split_count)
			remember_guards(builder);
	} else if (is_fine == isl_bool_false) {
		report_range(builder, ast, dim, array, affine, isl_set_copy(bad));
	} else if (is_fine == isl_bool_error) {
		builder->failed = true;
	}
	isl_set_free(bad);
}

/* ARRAY[...][...] with its subscripts outermost first.  NULL: AST is no such thing. */
static const struct ast_expr *split_subscripts(const struct ast_expr *ast,
	const struct ast_expr *subscripts[ARRAY_RANK_LIMIT], int *count)
{
	const struct ast_expr *base = ast;
	*count = 0;
	for (; base->kind == AST_SUBSCRIPT; base = base->operands[0])
		++*count;
	int at = *count;
	for (base = ast; base->kind == AST_SUBSCRIPT; base = base->operands[0])
		if (--at < ARRAY_RANK_LIMIT)
			subscripts[at] = base->operands[1];
	return base->kind == AST_NAME ? base : NULL;
}

/* The condition of a c ? a : b in AST that is not decided yet. */
static const struct ast_expr *find_choice(const struct ast_expr *ast)
{
	if (ast->kind == AST_CONDITIONAL && !ast->text)
		return ast->operands[0];
	const struct ast_expr *found = NULL;
	for (int i = 0; i < ast->operand_count && !found; i++)
		found = find_choice(ast->operands[i]);
	return found;
}

static bool find_subscripts(struct builder *builder, const struct ast_expr *subscripts[],
	struct access *access)
{
	struct sema *sema = builder->sema;
	bool ok = true;
	for (int d = 0; d < access->array->rank; d++) {
		struct index index;
		sema->use = arena_printf(sema->arena, "a subscript of '%s'", access->array->source_name);
		if (!index_of(sema, subscripts[d], &index)) {
			builder->failed = true;
			ok = false;
			continue;
		}
		const struct ast_expr *choice, *division;
		if (index_affine(sema, &index, &access->subscripts[d])) {
			check_range(builder, subscripts[d], d, access->array, access->subscripts[d]);
		} else if ((choice = find_choice(subscripts[d]))) {
			if (!builder->split_count)
				builder->split_guards[builder->split_count++] = choice;
			ok = false;
		} else if ((division = index_division(sema, subscripts[d]))) {
			builder->division = division;
			ok = false;
		} else {
			builder_fail(builder, subscripts[d]->location, "a subscript of '%s' is not affine: "
				"'%s'; write sums of iterators times constants, divided by "
				"constants at most", access->array->source_name,
				ast_expr_text(sema->arena, subscripts[d]));
			ok = false;
		}
		index_free(&index);
	}
	return ok;
}

struct access builder_find_access(struct builder *builder, const struct ast_expr *ast,
	bool is_write)
{
	struct sema *sema = builder->sema;
	const struct ast_expr *subscripts[ARRAY_RANK_LIMIT];
	int count;
	const struct ast_expr *base = split_subscripts(ast, subscripts, &count);
	struct access access = { .is_write = is_write, .location = ast->location };
	struct symbol *symbol = base ? symbol_find(sema, base->text) : NULL;
	if (!base) {
		builder_fail(builder, ast->location, "only an array may have a subscript");
	} else if (!symbol) {
		builder_fail(builder, base->location, "'%s' is not declared; declare it as a parameter or "
			"a local variable", base->text);
	} else if (symbol->kind == SYMBOL_BAD) {
		builder->failed = true;
	} else if (symbol->kind != SYMBOL_ARRAY) {
		builder_fail(builder, base->location, "'%s' is no array", base->text);
	} else if (symbol->array->rank != count) {
		builder_fail(builder, ast->location, "'%s' has %d dimension%s and is given %d subscript%s; "
			"write '%s%s'", base->text, symbol->array->rank,
			symbol->array->rank == 1 ? "" : "s", count, count == 1 ? "" : "s", base->text,
			symbol->array->rank == 0 ? "" : symbol->array->rank == 1 ? "[i]" :
			symbol->array->rank == 2 ? "[i][j]" : "[i][j]...");
	} else {
		access.array = symbol->array;
		if (!find_subscripts(builder, subscripts, &access))
			access.array = NULL;
	}
	return access;
}

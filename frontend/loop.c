/* for and if: what they make of the set of iterations. */

#include <stdint.h>
#include <string.h>

#include <isl/ilp.h>

#include "ir/coalesce.h"
#include "frontend/sema.h"

/* Iterators stay within this, so that arithmetic on them stays within 64 bits. */
#define ITERATOR_LIMIT ((wide)1 << 56)

/* The head of a for loop. */
struct head {
	const struct ast_stmt *stmt;
	const char *name;
	struct location location;    /* of the iterator */
	const struct ast_expr *initial;
	struct type type;
	long step;
	struct index lower;
};

static bool is_name(const struct ast_expr *ast, const char *name)
{
	return ast->kind == AST_NAME && !strcmp(ast->text, name);
}

static bool find_declared_iterator(struct sema *sema, const struct ast_stmt *initial,
	struct head *head)
{
	const struct ast_declarator *declarator = initial->items.count ? initial->items.items[0] :
		NULL;
	if (initial->items.count != 1) {
		diag_error(sema->diag, initial->location, "a for loop declares one iterator; move "
			"the other variables before the loop");
		return false;
	}
	if (type_is_float(declarator->type.type.kind) || declarator->extents.count ||
	    declarator->pointer_count || declarator->is_function || declarator->type.is_void) {
		diag_error(sema->diag, declarator->location, "the iterator '%s' must be an integer, "
			"such as int %s = 0", declarator->name, declarator->name);
		return false;
	}
	if (!declarator->initial) {
		diag_error(sema->diag, declarator->location, "the iterator '%s' has no first value; "
			"write int %s = 0", declarator->name, declarator->name);
		return false;
	}
	head->name = declarator->name;
	head->location = declarator->location;
	head->initial = declarator->initial;
	head->type = declarator->type.type;
	return true;
}

/* for (i = ...): i was declared before. */
static bool find_outer_iterator(struct sema *sema, const struct ast_expr *initial,
	struct head *head)
{
	const struct ast_expr *target = initial->operand_count ? initial->operands[0] : initial;
	if (initial->kind != AST_ASSIGN || strcmp(initial->text, "=") || target->kind != AST_NAME) {
		if (initial->kind != AST_UNSUPPORTED)
			diag_error(sema->diag, initial->location, "a for loop begins by giving one "
				"iterator its first value: for (int i = 0; ...)");
		return false;
	}
	const struct symbol *symbol = symbol_find(sema, target->text);
	if (!symbol)
		diag_error(sema->diag, target->location, "'%s' is not declared; write "
			"for (int %s = ...", target->text, target->text);
	else if (symbol->kind == SYMBOL_ITERATOR && symbol->dim >= 0)
		diag_error(sema->diag, target->location, "'%s' is the iterator of a loop around "
			"this one; use another name", target->text);
	else if (symbol->kind == SYMBOL_ARRAY
		&& name_set_has(&sema->assigned, target->text, symbol->location))
		diag_error(sema->diag, target->location, "'%s' is also assigned to outside of for; "
			"use an iterator of its own: for (int %s = ...", target->text, target->text);
	else if (symbol->kind != SYMBOL_ITERATOR && symbol->kind != SYMBOL_BAD)
		diag_error(sema->diag, target->location, "'%s' cannot be an iterator; write "
			"for (int %s = ...", target->text, target->text);
	if (!symbol || symbol->kind != SYMBOL_ITERATOR || symbol->dim >= 0)
		return false;
	head->name = target->text;
	head->location = target->location;
	head->initial = initial->operands[1];
	head->type = symbol->type;
	return true;
}

/* The constant that is added: i++, i += c, i = i + c and the like. */
static bool find_step(struct sema *sema, struct head *head)
{
	const struct ast_expr *ast = head->stmt->step, *by = NULL;
	bool is_down = false;
	if (!ast) {
		diag_error(sema->diag, head->stmt->location, "the loop never changes '%s'; write "
			"%s++ as the last part of the for", head->name, head->name);
		return false;
	}
	if (ast->kind == AST_STEP && is_name(ast->operands[0], head->name)) {
		head->step = *ast->text == '+' ? 1 : -1;
		return true;
	}
	if (ast->kind == AST_ASSIGN && is_name(ast->operands[0], head->name)) {
		const struct ast_expr *value = ast->operands[1];
		bool is_sum = value->kind == AST_BINARY && strchr("+-", *value->text) &&
			*ast->text == '=';
		if (!strcmp(ast->text, "+=") || !strcmp(ast->text, "-=")) {
			by = value;
			is_down = *ast->text == '-';
		} else if (is_sum && is_name(value->operands[0], head->name)) {
			by = value->operands[1];
			is_down = *value->text == '-';
		} else if (is_sum && *value->text == '+' && is_name(value->operands[1], head->name)) {
			by = value->operands[0];
		}
	}
	if (by && ast_mentions(by, head->name))
		by = NULL;
	if (!by) {
		if (ast->kind != AST_UNSUPPORTED)
			diag_error(sema->diag, ast->location, "the loop must change '%s' by a constant "
				"and nothing else; write %s++ or %s += 2", head->name, head->name,
				head->name);
		return false;
	}
	struct type type;
	sema->use = "the step of a loop";
	if (!index_constant(sema, by, &type, &head->step))
		return false;
	head->step = is_down ? -head->step : head->step;
	if (head->step == 0 || head->step > INT32_MAX || head->step < -INT32_MAX) {
		diag_error(sema->diag, by->location, "the step of the loop is %ld; it must be a "
			"constant of 32 bits and not 0", head->step);
		return false;
	}
	return true;
}

static bool find_head(struct sema *sema, const struct ast_stmt *stmt, struct head *head)
{
	*head = (struct head){ .stmt = stmt };
	if (!stmt->initial) {
		diag_error(sema->diag, stmt->location, "the loop has no iterator; write "
			"for (int i = 0; i < N; i++)");
		return false;
	}
	bool ok = stmt->initial->kind == AST_DECLARATION ?
		find_declared_iterator(sema, stmt->initial, head) :
		find_outer_iterator(sema, stmt->initial->condition, head);
	if (!ok)
		return false;
	ok = find_step(sema, head);
	sema->use = "the first value of an iterator";
	if (!index_of(sema, head->initial, &head->lower) ||
	    !index_convert(sema, &head->lower, head->type, head->initial))
		ok = false;
	if (ok && !stmt->condition) {
		diag_error(sema->diag, stmt->location, "the loop has no condition and never ends; "
			"write %s < N", head->name);
		ok = false;
	}
	if (!ok)
		index_free(&head->lower);
	return ok;
}

/* What sema knows of its place, to return to. */
struct place {
	isl_set *domain;
	bool is_dead;
	int *position;
	struct symbol *symbols;
};

static struct place save_place(struct sema *sema)
{
	return (struct place){ sema->domain, sema->is_dead, sema->position, sema->symbols };
}

static void restore_place(struct sema *sema, struct place place)
{
	isl_set_free(sema->domain);
	sema->domain = place.domain;
	sema->is_dead = place.is_dead;
	sema->position = place.position;
	sema->symbols = place.symbols;
}

/* Iterations from the first value on, whatever the condition says. */
static isl_set *started(struct sema *sema, struct head *head, isl_set *outer)
{
	sema->domain = isl_set_add_dims(isl_set_copy(outer), isl_dim_set, 1);
	isl_pw_aff *iterator = index_iterator(sema, sema->depth - 1);
	isl_pw_aff *lower = isl_pw_aff_add_dims(isl_pw_aff_copy(head->lower.value), isl_dim_in, 1);
	isl_set *set = (head->step > 0 ? isl_pw_aff_ge_set : isl_pw_aff_le_set)(
		isl_pw_aff_copy(iterator), isl_pw_aff_copy(lower));
	set = isl_set_intersect(set, sema->domain);
	long stride = head->step < 0 ? -head->step : head->step;
	isl_pw_aff *offset = isl_pw_aff_sub(iterator, lower);
	if (stride > 1) {
		offset = isl_pw_aff_mod_val(offset, isl_val_int_from_si(sema->ctx, stride));
		set = isl_set_intersect(set, isl_pw_aff_zero_set(isl_pw_aff_copy(offset)));
	}
	isl_pw_aff_free(offset);
	sema->domain = NULL;
	return set;
}

/* SET with its last coordinate moved by OFFSET. */
static isl_set *moved(__isl_take isl_set *set, long offset)
{
	isl_space *space = isl_space_map_from_set(isl_set_get_space(set));
	int dim = isl_set_dim(set, isl_dim_set) - 1;
	isl_multi_aff *move = isl_multi_aff_identity(space);
	isl_aff *last = isl_multi_aff_get_aff(move, dim);
	last = isl_aff_add_constant_si(last, (int)offset);
	move = isl_multi_aff_set_aff(move, dim, last);
	return isl_set_apply(set, isl_map_from_multi_aff(move));
}

/* Whether AST plainly stays false once it is: i < e, i <= e, parts of them by &&. */
static bool is_plain_bound(const struct ast_expr *ast, const char *name, bool is_up)
{
	if (ast->kind != AST_BINARY)
		return false;
	if (!strcmp(ast->text, "&&"))
		return is_plain_bound(ast->operands[0], name, is_up) &&
			is_plain_bound(ast->operands[1], name, is_up);
	if (strcmp(ast->text, "<") && strcmp(ast->text, "<=") && strcmp(ast->text, ">") &&
	    strcmp(ast->text, ">="))
		return false;
	bool is_less = *ast->text == '<';
	return (is_name(ast->operands[0], name) && !ast_mentions(ast->operands[1], name) &&
		is_less == is_up) ||
		(is_name(ast->operands[1], name) && !ast_mentions(ast->operands[0], name) &&
		is_less != is_up);
}

/* A loop ends at the first value for which its condition fails: what it runs over,
 * of the values FROM its first on, those of which HOLDS. */
static isl_set *run(const struct head *head, isl_set *from, __isl_take isl_set *holds)
{
	isl_set *domain = isl_set_intersect(isl_set_copy(from), isl_set_copy(holds));
	if (is_plain_bound(head->stmt->condition, head->name, head->step > 0)) {
		isl_set_free(holds);
		return set_coalesce(domain);
	}
	isl_set *stops = isl_set_subtract(isl_set_copy(from), holds);
	/* Every value after one at which it stops. */
	isl_space *space = isl_space_map_from_set(isl_set_get_space(from));
	int dims = isl_set_dim(from, isl_dim_set);
	isl_map *after = isl_map_universe(isl_space_copy(space));
	for (int i = 0; i + 1 < dims; i++)
		after = isl_map_equate(after, isl_dim_in, i, isl_dim_out, i);
	after = (head->step > 0 ? isl_map_order_le : isl_map_order_ge)(after, isl_dim_in, dims - 1,
		isl_dim_out, dims - 1);
	isl_space_free(space);
	return set_coalesce(isl_set_subtract(domain, isl_set_apply(stops, after)));
}

/* False if VAL is infinite; huge values become some that are beyond the limit. */
static bool val_to_wide(__isl_take isl_val *val, wide *value)
{
	bool ok = isl_val_is_int(val) == isl_bool_true;
	*value = 0;
	if (ok && isl_val_n_abs_num_chunks(val, 1) <= 7)
		*value = isl_val_get_num_si(val);
	else if (ok)
		*value = isl_val_sgn(val) * 4 * ITERATOR_LIMIT;
	isl_val_free(val);
	return ok;
}

/* The least and the greatest value of the last iterator. */
static bool find_range(struct sema *sema, const struct head *head, isl_set *domain)
{
	int dim = sema->depth - 1;
	sema->min[dim] = sema->max[dim] = 0;
	if (sema->is_dead)
		return true;
	bool ok = val_to_wide(isl_set_dim_min_val(isl_set_copy(domain), dim), &sema->min[dim]) &&
		val_to_wide(isl_set_dim_max_val(isl_set_copy(domain), dim), &sema->max[dim]);
	if (sema_isl_failed(sema, head->stmt->location))
		return false;
	if (!ok) {
		diag_error(sema->diag, head->stmt->condition->location, "the loop over '%s' never "
			"ends: it runs %s, and '%s' does not stop it", head->name,
			head->step > 0 ? "up" : "down",
			ast_expr_text(sema->arena, head->stmt->condition));
		return false;
	}
	wide last = head->step > 0 ? sema->max[dim] + head->step : sema->min[dim] + head->step;
	enum type_kind kind = head->type.kind;
	if (last < type_min(kind) || last > (wide)type_max(kind)) {
		diag_error(sema->diag, head->stmt->location, "'%s' becomes %s at the loop's end, "
			"which does not fit its type '%s', so the loop %s; use a %s type",
			head->name, wide_text(sema->arena, last), head->type.name,
			type_is_signed(kind) && head->type.bytes >= 4 ? "overflows" : "never ends",
			last < 0 && !type_is_signed(kind) ? "signed" : "wider");
		return false;
	}
	if (sema->max[dim] > ITERATOR_LIMIT || sema->min[dim] < -ITERATOR_LIMIT) {
		diag_error(sema->diag, head->stmt->location, "'%s' reaches %s; loops of that length "
			"are not supported", head->name, wide_text(sema->arena,
			sema->max[dim] > ITERATOR_LIMIT ? sema->max[dim] : sema->min[dim]));
		return false;
	}
	return true;
}

/* Looks at the condition again, for overflow, at every value it is evaluated at:
 * those of the loop and the one it stops at. */
static bool check_condition(struct sema *sema, const struct head *head, isl_set *domain,
	__isl_take isl_set *first)
{
	int dim = sema->depth - 1;
	wide min = sema->min[dim], max = sema->max[dim];
	isl_set *at = isl_set_union(isl_set_copy(domain), moved(isl_set_copy(domain), head->step));
	sema->domain = isl_set_union(at, first);
	if (sema->is_dead) {
		/* The condition fails at the first value: nothing else is evaluated. */
		sema->min[dim] = head->lower.min;
		sema->max[dim] = head->lower.max;
	} else {
		wide lower_min = head->lower.min, lower_max = head->lower.max;
		sema->min[dim] = min + (head->step < 0 ? head->step : 0);
		sema->max[dim] = max + (head->step > 0 ? head->step : 0);
		sema->min[dim] = lower_min < sema->min[dim] ? lower_min : sema->min[dim];
		sema->max[dim] = lower_max > sema->max[dim] ? lower_max : sema->max[dim];
	}
	sema->use = "the bound of a loop";
	bool never_runs = sema->is_dead;
	sema->is_dead = false;       /* of such a loop the condition is evaluated all the same */
	isl_set *again = index_condition(sema, head->stmt->condition);
	sema->is_dead = never_runs;
	isl_set_free(again);
	isl_set_free(sema->domain);
	sema->domain = NULL;
	sema->min[dim] = min;
	sema->max[dim] = max;
	return again;
}

/* The iterations of the loop, with the iterator declared; NULL after an error. */
static isl_set *find_domain(struct sema *sema, struct head *head, isl_set *outer)
{
	int dim = sema->depth - 1;
	isl_set *from = started(sema, head, outer);
	sema->min[dim] = type_min(head->type.kind);
	sema->max[dim] = (wide)type_max(head->type.kind);
	sema->domain = from;
	sema->is_unchecked = true;
	sema->use = "the bound of a loop";
	isl_set *holds = index_condition(sema, head->stmt->condition);
	sema->is_unchecked = false;
	sema->domain = NULL;
	if (!holds) {
		isl_set_free(from);
		sema_isl_failed(sema, head->stmt->location);
		return NULL;
	}
	/* The first value of every run, and the runs. */
	isl_set *domain = run(head, from, holds);
	isl_pw_aff *lower = isl_pw_aff_add_dims(isl_pw_aff_copy(head->lower.value), isl_dim_in, 1);
	sema->domain = from;
	isl_set *first = isl_set_intersect(isl_pw_aff_eq_set(index_iterator(sema, dim), lower), from);
	sema->domain = NULL;
	bool was_dead = sema->is_dead;
	sema->is_dead = was_dead || isl_set_is_empty(domain) == isl_bool_true;
	bool ok = find_range(sema, head, domain);
	if (ok && !was_dead)
		ok = check_condition(sema, head, domain, first);
	else
		isl_set_free(first);
	if (ok && sema->is_dead && !was_dead)
		diag_warning(sema->diag, head->stmt->location, "never-runs",
			"the loop over '%s' never runs: '%s' is false at once", head->name,
			ast_expr_text(sema->arena, head->stmt->condition));
	if (ok)
		return domain;
	isl_set_free(domain);
	return NULL;
}

/* The iterator's name, or one like it if a loop around has that. */
static const char *unique_name(struct sema *sema, const char *name)
{
	const char *result = name;
	for (int number = 2, i = 0; i < sema->depth; i++)
		if (!strcmp(sema->loops[i]->name, result)) {
			result = arena_printf(sema->arena, "%s_%d", name, number++);
			i = -1;
		}
	return result;
}

static struct loop *new_loop(struct sema *sema, const char *name, long step, struct location at)
{
	struct function *function = sema->function;
	struct loop *loop = ARENA_NEW(sema->arena, struct loop);
	*loop = (struct loop){ .index = function->loop_count, .name = unique_name(sema, name), .source_name = name,
		.location = at, .depth = sema->depth, .step = step,
		.parent = sema->depth ? sema->loops[sema->depth - 1] : NULL,
		.position = (*sema->position)++ };
	function->loops = arena_grow(sema->arena, function->loops, (size_t)function->loop_count,
		&sema->loop_capacity, sizeof loop);
	function->loops[function->loop_count++] = loop;
	return loop;
}

/* The body of a loop whose head was wrong: for the errors in it. */
static void lower_unknown(struct sema *sema, const struct ast_stmt *stmt)
{
	struct place place = save_place(sema);
	const struct ast_stmt *initial = stmt->initial;
	bool is_declaration = initial && initial->kind == AST_DECLARATION;
	int position = 0;
	sema->position = &position;
	sema->domain = isl_set_empty(isl_set_get_space(place.domain));
	sema->is_dead = true;
	for (size_t i = 0; is_declaration && i < initial->items.count; i++) {
		const struct ast_declarator *declarator = initial->items.items[i];
		symbol_add(sema, SYMBOL_BAD, declarator->name, declarator->location);
	}
	if (initial && initial->kind == AST_EXPRESSION && initial->condition->operand_count &&
	    initial->condition->operands[0]->kind == AST_NAME)
		symbol_add(sema, SYMBOL_BAD, initial->condition->operands[0]->text, stmt->location);
	lower_stmt(sema, stmt->body);
	restore_place(sema, place);
}

static void lower_body(struct sema *sema, const struct head *head)
{
	struct place place = save_place(sema);
	int position = 0;
	struct loop *loop = new_loop(sema, head->name, head->step, head->stmt->location);
	sema->loops[sema->depth++] = loop;
	struct symbol *symbol = symbol_add(sema, SYMBOL_ITERATOR, head->name, head->location);
	symbol->type = head->type;
	symbol->dim = sema->depth - 1;
	sema->position = &position;
	isl_set *domain = find_domain(sema, (struct head *)(uintptr_t)head, place.domain);
	if (domain) {
		sema->domain = domain;
		lower_stmt(sema, head->stmt->body);
		sema->depth--;
		restore_place(sema, place);
	} else {
		sema->depth--;
		sema->domain = NULL;
		restore_place(sema, place);
		lower_unknown(sema, head->stmt);
	}
}

void lower_in_loop(struct sema *sema, const char *name, __isl_take isl_set *domain, wide min,
	wide max, const struct ast_expr *assignment)
{
	struct place place = save_place(sema);
	int position = 0;
	sema->min[sema->depth] = min;
	sema->max[sema->depth] = max;
	sema->loops[sema->depth] = new_loop(sema, name, 1, assignment->location);
	sema->depth++;
	sema->position = &position;
	sema->domain = domain;
	if (!sema_isl_failed(sema, assignment->location))
		lower_assignment(sema, assignment);
	sema->depth--;
	restore_place(sema, place);
}

void lower_for(struct sema *sema, const struct ast_stmt *stmt)
{
	struct head head;
	if (diag_full(sema->diag) || sema->has_isl_failed)
		return;
	if (sema->depth == LOOP_DEPTH_LIMIT) {
		diag_error(sema->diag, stmt->location, "more than %d loops are nested",
			(int)LOOP_DEPTH_LIMIT);
		return;
	}
	const struct ast_stmt *blocks = loop_in_blocks(sema, stmt);
	if (blocks) {
		lower_for(sema, blocks);
	} else if (find_head(sema, stmt, &head)) {
		lower_body(sema, &head);
		index_free(&head.lower);
	} else {
		lower_unknown(sema, stmt);
	}
}

static void lower_branch(struct sema *sema, const struct ast_stmt *stmt,
	__isl_take isl_set *domain)
{
	struct place place = save_place(sema);
	sema->domain = set_coalesce(domain);
	if (sema_isl_failed(sema, stmt->location)) {
		restore_place(sema, place);
		return;
	}
	sema->is_dead |= isl_set_is_empty(sema->domain) == isl_bool_true;
	lower_stmt(sema, stmt);
	restore_place(sema, place);
}

void lower_if(struct sema *sema, const struct ast_stmt *stmt)
{
	if (guard_is_data(sema, stmt->condition)) {
		lower_data_if(sema, stmt);
		return;
	}
	sema->use = "the condition of an if";
	isl_set *holds = index_condition(sema, stmt->condition);
	if (sema_isl_failed(sema, stmt->location)) {
		isl_set_free(holds);
		return;
	}
	if (!holds)
		holds = isl_set_empty(isl_set_get_space(sema->domain));
	lower_branch(sema, stmt->body,
		isl_set_intersect(isl_set_copy(sema->domain), isl_set_copy(holds)));
	if (stmt->otherwise)
		lower_branch(sema, stmt->otherwise,
			isl_set_subtract(isl_set_copy(sema->domain), isl_set_copy(holds)));
	isl_set_free(holds);
}

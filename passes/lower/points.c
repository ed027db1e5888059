/* The statements of one tile: isl's AST generation gives tight loops over them in the
 * source's order, and this turns its tree into the plan's. */

#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/space.h>
#include <isl/union_set.h>
#include <isl/val.h>

#include "ir/ast_build.h"
#include "ir/coalesce.h"
#include "ir/program_build.h"
#include "passes/lower/lowering.h"
#include "passes/analysis/values.h"

/* ---- parameters: tI is the tile of tile loop I; fI and lI are 1 in the first and
 * last iteration of a run of that loop ---- */

static __isl_give isl_id *parameter_id(const struct lowering *lowering, char kind, int l)
{
	char name[16];
	snprintf(name, sizeof name, "%c.%d", kind, l);
	return isl_id_alloc(lowering->compilation->ctx, name, NULL);
}

/* Kinds of parameters of loop L: where tiles are walked one way only, the first and the
 * last iteration are known by the tile, if their number is known. */
static const char *kinds_of(const struct tile_loop *loop)
{
	return loop->is_backward ? "tfl" : loop->count ? "t" : "tl";
}

static __isl_give isl_space *tile_space(const struct lowering *lowering)
{
	isl_space *space = isl_space_params_alloc(lowering->compilation->ctx, 0);
	for (int l = 0; l < lowering->depth; l++)
		for (const char *kind = kinds_of(&lowering->loops[l]); *kind; kind++)
			space = isl_space_add_param_id(space, parameter_id(lowering, *kind, l));
	return space;
}

/* Parameter KIND of loop L, on the domain SPACE, which has the tile parameters. */
static __isl_give isl_aff *parameter(const struct lowering *lowering, __isl_take isl_space *space,
	char kind, int l)
{
	return isl_aff_param_on_domain_space_id(space, parameter_id(lowering, kind, l));
}

/* The parameters for which the iterations of dimension DIM of the band, as the symbolic sizes
 * make them, are more than FIRST, or (not IS_MORE) not more. */
static __isl_give isl_set *where_extent(const struct lowering *lowering, int dim, bool is_more,
	__isl_take isl_aff *first)
{
	const struct band_dim *band = &lowering->nest->band[dim];
	isl_pw_aff *from = isl_pw_aff_from_aff(first);
	isl_pw_aff *extent = band->sized_extent ? isl_pw_aff_copy(band->sized_extent)
		: isl_pw_aff_from_aff(isl_aff_val_on_domain_space(isl_pw_aff_get_domain_space(from),
			isl_val_int_from_si(lowering->compilation->ctx, band->extent)));
	return is_more ? isl_pw_aff_gt_set(extent, from) : isl_pw_aff_le_set(extent, from);
}

/* The value that the first iteration of loop L's tile has, at the tile TILE. */
static __isl_give isl_aff *tile_start(const struct lowering *lowering, int l,
	__isl_take isl_aff *tile)
{
	isl_ctx *ctx = lowering->compilation->ctx;
	int dim = lowering->loops[l].dim, block = dim < 0 ? -1 : lowering->block_of_dim[dim];
	isl_aff *start = isl_aff_scale_val(tile, isl_val_int_from_si(ctx, lowering->loops[l].size));
	if (block < 0 || block == l)
		return start;
	isl_aff *origin = parameter(lowering, isl_aff_get_domain_space(start), 't', block);
	return isl_aff_add(start, isl_aff_scale_val(origin,
		isl_val_int_from_si(ctx, lowering->loops[block].size)));
}

static __isl_give isl_set *at_least(__isl_take isl_set *set, __isl_take isl_aff *value, long low)
{
	return isl_set_add_constraint(set, isl_inequality_from_aff(aff_add(value, -low)));
}

static __isl_give isl_set *at_most(__isl_take isl_set *set, __isl_take isl_aff *value, long high)
{
	return at_least(set, isl_aff_neg(value), -high);
}

/* A tile whose number depends on symbolic sizes: some iteration is in it, and in its
 * block; or it is the only one of an empty loop. */
static __isl_give isl_set *within_extent(const struct lowering *lowering,
	__isl_take isl_set *context, int l)
{
	const struct tile_loop *loop = &lowering->loops[l];
	isl_ctx *ctx = lowering->compilation->ctx;
	int block = lowering->block_of_dim[loop->dim];
	isl_aff *tile = parameter(lowering, isl_set_get_space(context), 't', l);
	isl_aff *start = tile_start(lowering, l, parameter(lowering,
		isl_space_params(isl_set_get_space(context)), 't', l));
	isl_set *inside = isl_set_intersect_params(isl_set_copy(context),
		where_extent(lowering, loop->dim, true, start));
	if (block >= 0 && block != l)
		inside = at_most(inside, isl_aff_scale_val(isl_aff_copy(tile),
			isl_val_int_from_si(ctx, loop->size)), lowering->loops[block].size - 1);
	if (lowering->may_be_empty[loop->dim])
		inside = set_coalesce(isl_set_union(inside, at_most(isl_set_copy(context),
			isl_aff_copy(tile), 0)));
	isl_aff_free(tile);
	isl_set_free(context);
	return inside;
}

bool dim_may_be_empty(const struct lowering *lowering, int dim)
{
	isl_set *context = lowering->nest->function->context;
	if (!context)
		return false;
	isl_set *empty = isl_set_params(isl_set_copy(context));
	empty = isl_set_intersect(empty, where_extent(lowering, dim, false,
		isl_aff_zero_on_domain(isl_local_space_from_space(isl_set_get_space(empty)))));
	bool may = isl_set_is_empty(empty) != isl_bool_true;
	isl_set_free(empty);
	return may;
}

__isl_give isl_set *tile_context(const struct lowering *lowering)
{
	return context_at(lowering, lowering->depth);
}

__isl_give isl_set *context_at(const struct lowering *lowering, int depth)
{
	isl_ctx *ctx = lowering->compilation->ctx;
	isl_set *context = isl_set_universe(tile_space(lowering));
	unsigned position = 0;
	for (int l = 0; l < lowering->depth; l++)
		for (const char *kind = kinds_of(&lowering->loops[l]); *kind; kind++, position++) {
			long high = *kind == 't' ? lowering->loops[l].count - 1 : 1;
			context = isl_set_lower_bound_si(context, isl_dim_param, position, 0);
			if (high >= 0)
				context = isl_set_upper_bound_val(context, isl_dim_param, position,
					isl_val_int_from_si(ctx, high));
		}
	if (!lowering->nest->function->context)
		return context;
	context = isl_set_intersect_params(isl_set_from_params(context),
		isl_set_copy(lowering->nest->function->context));
	for (int l = 0; l < depth; l++)
		if (!lowering->loops[l].count)
			context = within_extent(lowering, context, l);
	return isl_set_params(context);
}

__isl_give isl_set *whatever_tile(const struct lowering *lowering, __isl_take isl_set *set, int l)
{
	for (const char *kind = kinds_of(&lowering->loops[l]); *kind; kind++) {
		isl_id *id = parameter_id(lowering, *kind, l);
		int position = isl_set_find_dim_by_id(set, isl_dim_param, id);
		isl_id_free(id);
		if (position >= 0)
			set = isl_set_project_out(set, isl_dim_param, (unsigned)position, 1);
	}
	return set;
}

/* The tile parameter of loop L, or of the tile before. */
static __isl_give isl_aff *tile_of(const struct lowering *lowering, __isl_take isl_space *space,
	int l, enum reach reach)
{
	return aff_add(parameter(lowering, space, 't', l), reach == IN_TILE_BEFORE ? -1 : 0);
}

static __isl_give isl_set *within_tile(const struct lowering *lowering, __isl_take isl_set *set,
	const struct hyperplane *plane, int l, enum reach reach)
{
	long size = lowering->loops[l].size;
	isl_aff *start = tile_start(lowering, l, tile_of(lowering, isl_set_get_space(set), l, reach));
	isl_aff *value = isl_aff_align_params(isl_aff_copy(plane->value), isl_set_get_space(set));
	value = isl_aff_sub(value, start);
	if (reach != UP_TO_TILE)
		set = at_least(set, isl_aff_copy(value), -plane->span);
	if (reach != FROM_TILE)
		set = at_most(set, isl_aff_copy(value), size - 1);
	isl_aff_free(value);
	return set;
}

/* A statement that runs in the first or last tile only. */
static __isl_give isl_set *within_end(const struct lowering *lowering, __isl_take isl_set *set,
	bool first, int l, enum reach reach)
{
	const struct tile_loop *loop = &lowering->loops[l];
	bool is_told = loop->is_backward || (!loop->count && !first);
	if (reach == (first ? UP_TO_TILE : FROM_TILE))
		return set;
	isl_space *space = isl_set_get_space(set);
	isl_aff *value = is_told ? parameter(lowering, space, first ? 'f' : 'l', l)
		: tile_of(lowering, space, l, reach);
	long end = is_told ? 1 : first ? 0 : loop->count - 1;
	set = at_least(set, isl_aff_copy(value), end);
	return at_most(set, value, end);
}

static const struct hyperplane *plane_of(const struct lowering *lowering, int l, int s)
{
	int dim = lowering->loops[l].dim;
	return dim < 0 ? &lowering->stage->dim.planes[s] : &lowering->nest->band[dim].planes[s];
}

__isl_give isl_set *stage_instances(const struct lowering *lowering, int s)
{
	isl_set *set = isl_set_align_params(isl_set_copy(lowering->nest->statements[s]->domain),
		tile_space(lowering));
	int l = lowering->depth - 1;
	return lowering->stage && lowering->stage->tile
		? within_tile(lowering, set, plane_of(lowering, l, s), l, IN_TILE) : set;
}

static __isl_give isl_set *find_instances(const struct lowering *lowering, int s, int depth,
	enum reach reach)
{
	isl_set *set = isl_set_align_params(isl_set_copy(lowering->nest->statements[s]->domain),
		tile_space(lowering));
	for (int l = 0; l < depth; l++) {
		const struct hyperplane *plane = plane_of(lowering, l, s);
		enum reach here = l == depth - 1 ? reach : IN_TILE;
		if (plane->kind == HYPERPLANE_AFFINE)
			set = within_tile(lowering, set, plane, l, here);
		else
			set = within_end(lowering, set, plane->kind == HYPERPLANE_FIRST, l, here);
	}
	return set;
}

/* The same ones are asked for again and again: for each access, and for each pair. */
__isl_give isl_set *tile_instances(const struct lowering *lowering, int s, int depth,
	enum reach reach)
{
	isl_set **known = &lowering->instances[(s * (TILE_LOOPS + 1) + depth) * REACHES + (int)reach];
	if (!*known)
		*known = find_instances(lowering, s, depth, reach);
	return isl_set_copy(*known);
}

/* ---- isl's expressions ---- */

struct binding {
	struct binding *outer;
	const char *name;
	struct plan_expr *value;
};

struct translation {
	struct lowering *lowering;
	struct binding *bindings;
	bool failed;
	/* What a point of a set becomes; NULL: points are statements. */
	point_leaf *leaf;
	void *user;
	int rank;
};

static struct plan_expr *lookup(struct translation *translation, __isl_take isl_id *id)
{
	struct plan_expr *value = NULL;
	for (struct binding *b = translation->bindings; b && !value; b = b->outer)
		if (!strcmp(b->name, isl_id_get_name(id)))
			value = b->value;
	isl_id_free(id);
	translation->failed |= !value;
	return value ? value : plan_const(translation->lowering->compilation->arena, 0);
}

static struct plan_expr *expression(struct translation *translation,
	__isl_take isl_ast_expr *expr);

static struct plan_expr *operand(struct translation *translation, __isl_keep isl_ast_expr *expr,
	int i)
{
	return expression(translation, isl_ast_expr_get_op_arg(expr, i));
}

static struct plan_expr *fold_operands(struct translation *translation,
	__isl_keep isl_ast_expr *expr, enum plan_op op)
{
	struct plan_expr *value = operand(translation, expr, 0);
	for (int i = 1; i < isl_ast_expr_get_op_n_arg(expr); i++)
		value = plan_make(translation->lowering->compilation->arena, op, value,
			operand(translation, expr, i));
	return value;
}

static struct plan_expr *operation(struct translation *translation, __isl_keep isl_ast_expr *expr)
{
	struct arena *arena = translation->lowering->compilation->arena;
	struct plan_expr *one = plan_const(arena, 1);
	switch (isl_ast_expr_get_op_type(expr)) {
	case isl_ast_op_and:
	case isl_ast_op_and_then: return fold_operands(translation, expr, PLAN_AND);
	case isl_ast_op_or:
	case isl_ast_op_or_else: return fold_operands(translation, expr, PLAN_OR);
	case isl_ast_op_max: return fold_operands(translation, expr, PLAN_MAX);
	case isl_ast_op_min: return fold_operands(translation, expr, PLAN_MIN);
	case isl_ast_op_minus:
		return plan_make(arena, PLAN_SUB, plan_const(arena, 0), operand(translation, expr, 0));
	case isl_ast_op_add: return fold_operands(translation, expr, PLAN_ADD);
	case isl_ast_op_sub: return fold_operands(translation, expr, PLAN_SUB);
	case isl_ast_op_mul: return fold_operands(translation, expr, PLAN_MUL);
	case isl_ast_op_div:
	case isl_ast_op_fdiv_q:
	case isl_ast_op_pdiv_q: return fold_operands(translation, expr, PLAN_FLOORDIV);
	case isl_ast_op_pdiv_r:
	case isl_ast_op_zdiv_r: return fold_operands(translation, expr, PLAN_MOD);
	case isl_ast_op_cond:
	case isl_ast_op_select:
		return plan_select(arena, operand(translation, expr, 0), operand(translation, expr, 1),
			operand(translation, expr, 2));
	case isl_ast_op_eq: return fold_operands(translation, expr, PLAN_EQ);
	case isl_ast_op_le: return fold_operands(translation, expr, PLAN_LE);
	case isl_ast_op_ge:
		return plan_make(arena, PLAN_LE, operand(translation, expr, 1),
			operand(translation, expr, 0));
	case isl_ast_op_lt:
		return plan_make(arena, PLAN_LE,
			plan_make(arena, PLAN_ADD, operand(translation, expr, 0), one),
			operand(translation, expr, 1));
	case isl_ast_op_gt:
		return plan_make(arena, PLAN_LE,
			plan_make(arena, PLAN_ADD, operand(translation, expr, 1), one),
			operand(translation, expr, 0));
	default:
		translation->failed = true;
		return plan_const(arena, 0);
	}
}

static struct plan_expr *expression(struct translation *translation, __isl_take isl_ast_expr *expr)
{
	struct plan_expr *value = NULL;
	switch (isl_ast_expr_get_type(expr)) {
	case isl_ast_expr_op:
		value = operation(translation, expr);
		break;
	case isl_ast_expr_id:
		value = lookup(translation, isl_ast_expr_get_id(expr));
		break;
	case isl_ast_expr_int: {
		isl_val *number = isl_ast_expr_get_val(expr);
		value = plan_const(translation->lowering->compilation->arena,
			isl_val_get_num_si(number));
		isl_val_free(number);
		break;
	}
	default:
		translation->failed = true;
	}
	isl_ast_expr_free(expr);
	return value ? value : plan_const(translation->lowering->compilation->arena, 0);
}

static void bind(struct translation *translation, const char *name, struct plan_expr *value)
{
	struct binding *binding = ARENA_NEW(translation->lowering->compilation->arena,
		struct binding);
	*binding = (struct binding){ translation->bindings, name, value };
	translation->bindings = binding;
}

/* The tile parameters stand for the variables of the tile loops. */
static void bind_parameters(struct translation *translation)
{
	struct lowering *lowering = translation->lowering;
	struct arena *arena = lowering->compilation->arena;
	for (int l = 0; l < lowering->depth; l++) {
		const struct tile_loop *loop = &lowering->loops[l];
		struct plan_expr *position = plan_ref(arena, loop->var);
		bind(translation, arena_printf(arena, "t.%d", l), plan_ref(arena, loop->tile_var));
		bind(translation, arena_printf(arena, "f.%d", l),
			plan_make(arena, PLAN_EQ, position, plan_const(arena, 0)));
		bind(translation, arena_printf(arena, "l.%d", l),
			plan_make(arena, PLAN_EQ, position, plan_make(arena, PLAN_SUB, loop->trips,
			plan_const(arena, 1))));
	}
	const struct function *function = lowering->nest->function;
	for (int k = 0; k < function->symbolic_count; k++)
		bind(translation, isl_size_name(arena, function->symbolic[k]->name),
			plan_ref(arena, lowering->plan->sizes[k]));
}

struct plan_expr *translate_expr(struct lowering *lowering, __isl_take isl_ast_expr *expr)
{
	return translate_expr_at(lowering, expr, NULL);
}

struct plan_expr *translate_expr_at(struct lowering *lowering, __isl_take isl_ast_expr *expr,
	const struct point *point)
{
	struct arena *arena = lowering->compilation->arena;
	struct translation translation = { .lowering = lowering };
	bind_parameters(&translation);
	for (int d = 0; point && d < point->rank; d++)
		bind(&translation, arena_printf(arena, "x%d", d), point->values[d]);
	struct plan_expr *value = expression(&translation, expr);
	return translation.failed ? NULL : value;
}

struct plan_expr *expression_of(struct lowering *lowering, __isl_keep isl_set *params,
	int depth, __isl_take isl_pw_aff *value)
{
	return expression_at(lowering, params, depth, value, NULL);
}

struct plan_expr *expression_at(struct lowering *lowering, __isl_keep isl_set *params,
	int depth, __isl_take isl_pw_aff *value, const struct point *point)
{
	isl_set *known = isl_set_intersect(context_at(lowering, depth), isl_set_copy(params));
	value = isl_pw_aff_gist(value, isl_set_copy(known));
	isl_ast_expr *expr = ast_of_value(known, value);
	return expr ? translate_expr_at(lowering, expr, point) : NULL;
}

/* ---- isl's tree ---- */

static void tree(struct translation *translation, __isl_take isl_ast_node *node,
	struct plan_node *block);

static char *iterator_name(__isl_keep isl_ast_expr *iterator, struct arena *arena)
{
	isl_id *id = isl_ast_expr_get_id(iterator);
	char *name = arena_strdup(arena, isl_id_get_name(id));
	isl_id_free(id);
	return name;
}

static struct plan_expr *upper_bound(struct translation *translation,
	__isl_take isl_ast_expr *condition)
{
	struct arena *arena = translation->lowering->compilation->arena;
	bool strict = isl_ast_expr_get_op_type(condition) == isl_ast_op_lt;
	translation->failed |= !strict && isl_ast_expr_get_op_type(condition) != isl_ast_op_le;
	struct plan_expr *bound = operand(translation, condition, 1);
	isl_ast_expr_free(condition);
	return strict ? plan_make(arena, PLAN_SUB, bound, plan_const(arena, 1)) : bound;
}

static void loop_node(struct translation *translation, __isl_keep isl_ast_node *node,
	struct plan_node *block)
{
	struct lowering *lowering = translation->lowering;
	struct arena *arena = lowering->compilation->arena;
	isl_ast_expr *iterator = isl_ast_node_for_get_iterator(node);
	const char *name = iterator_name(iterator, arena);
	isl_ast_expr_free(iterator);
	struct plan_expr *lower = expression(translation, isl_ast_node_for_get_init(node));
	struct binding *outer = translation->bindings;
	if (isl_ast_node_for_is_degenerate(node) == isl_bool_true) {
		bind(translation, name, lower);
		tree(translation, isl_ast_node_for_get_body(node), block);
	} else {
		struct plan_expr *upper = upper_bound(translation, isl_ast_node_for_get_cond(node));
		struct plan_expr *step = expression(translation, isl_ast_node_for_get_inc(node));
		long stride = 1, min, max, ignored;
		translation->failed |= !plan_is_const(step, &stride);
		plan_range(lower, &min, &ignored);
		plan_range(upper, &ignored, &max);
		struct plan_var *var = new_var(lowering, name, min, max < min ? min : max);
		struct plan_node *loop = plan_loop(arena, translation->leaf ? LOOP_TRANSFER : LOOP_POINT,
			var, lower, upper, stride);
		plan_append(arena, block, loop);
		bind(translation, name, plan_ref(arena, var));
		tree(translation, isl_ast_node_for_get_body(node), loop->body);
	}
	translation->bindings = outer;
}

static void if_node(struct translation *translation, __isl_keep isl_ast_node *node,
	struct plan_node *block)
{
	struct arena *arena = translation->lowering->compilation->arena;
	struct plan_expr *condition = expression(translation, isl_ast_node_if_get_cond(node));
	struct plan_node *yes = plan_if(arena, condition);
	plan_append(arena, block, yes);
	tree(translation, isl_ast_node_if_get_then(node), yes->body);
	if (isl_ast_node_if_has_else(node) == isl_bool_true) {
		struct plan_node *no = plan_if(arena, plan_make(arena, PLAN_NOT, condition, NULL));
		plan_append(arena, block, no);
		tree(translation, isl_ast_node_if_get_else(node), no->body);
	}
}

/* ---- statements, and where they find their elements ---- */

/* "S2@5" are the instances of S2 whose accesses 0 and 2 are made in the buffer that their
 * groups borrow from. */
static const char *variant_name(struct arena *arena, const struct statement *statement,
	unsigned long borrowed)
{
	return borrowed ? arena_printf(arena, "%s@%lx", statement->name, borrowed) : statement->name;
}

/* The statement of a name, which it ends at "@"; fills in which accesses borrow. */
static int variant_named(const struct nest *nest, char *name, unsigned long *borrowed)
{
	size_t length = strcspn(name, "@");
	*borrowed = name[length] ? strtoul(name + length + 1, NULL, 16) : 0;
	name[length] = 0;
	return nest_statement_named(nest, name);
}

/* The entry of the nest's arrays that ACCESS belongs to; -1: a scalar. */
static int entry_of(const struct nest *nest, const struct access *access)
{
	for (int a = 0; a < nest->array_count; a++) {
		const struct nest_array *array = &nest->arrays[a];
		for (int i = 0; i < array->access_count && array->array == access->array; i++)
			if (array->accesses[i].access == access)
				return a;
	}
	return -1;
}

static struct plan_buffer *buffer_of(const struct lowering *lowering, const struct access *access,
	bool is_borrowed)
{
	int a = entry_of(lowering->nest, access);
	return a < 0 ? NULL : lowering->buffers[is_borrowed ? lowering->lender[a] : a];
}

/* Adds to *ORDER the instances SET of a statement, those of them apart whose accesses from A
 * on are made in another group's buffer. */
static void add_variants(const struct lowering *lowering, const struct statement *statement,
	__isl_take isl_set *set, int a, unsigned long borrowed, isl_union_map **order)
{
	for (; a < statement->access_count && isl_set_is_empty(set) != isl_bool_true; a++) {
		int entry = entry_of(lowering->nest, &statement->accesses[a]);
		if (entry < 0 || lowering->lender[entry] < 0)
			continue;
		isl_set *held = borrowing(lowering, entry, &statement->accesses[a], isl_set_copy(set));
		set = set_coalesce(isl_set_subtract(set, isl_set_copy(held)));
		add_variants(lowering, statement, set_coalesce(held), a + 1, borrowed | 1UL << a, order);
	}
	if (isl_set_is_empty(set) == isl_bool_true && borrowed) {
		isl_set_free(set);
		return;
	}
	isl_map *map = isl_map_intersect_domain(statement_order(statement, lowering->nest->loop_depth),
		set);
	map = isl_map_set_tuple_name(map, isl_dim_in,
		variant_name(lowering->compilation->arena, statement, borrowed));
	isl_union_map *part = isl_union_map_from_map(map);
	*order = *order ? isl_union_map_union(*order, part) : part;
}

static void leaf_node(struct translation *translation, __isl_take isl_ast_expr *call,
	struct plan_node *block)
{
	struct point point = { .rank = translation->rank };
	for (int d = 0; d < point.rank; d++)
		point.values[d] = operand(translation, call, d + 1);
	isl_ast_expr_free(call);
	translation->failed |= !translation->leaf(translation->lowering, &point, translation->user,
		block);
}

static void user_node(struct translation *translation, __isl_keep isl_ast_node *node,
	struct plan_node *block)
{
	struct lowering *lowering = translation->lowering;
	struct arena *arena = lowering->compilation->arena;
	isl_ast_expr *call = isl_ast_node_user_get_expr(node);
	if (translation->leaf) {
		leaf_node(translation, call, block);
		return;
	}
	isl_ast_expr *callee = isl_ast_expr_get_op_arg(call, 0);
	unsigned long borrowed;
	int s = variant_named(lowering->nest, iterator_name(callee, arena), &borrowed);
	isl_ast_expr_free(callee);
	if (s < 0) {
		translation->failed = true;
		isl_ast_expr_free(call);
		return;
	}
	const struct statement *statement = lowering->nest->statements[s];
	struct plan_node *compute = plan_compute(arena, statement);
	for (int i = 0; i < statement->depth; i++)
		compute->values[i] = operand(translation, call, i + 1);
	for (int a = 0; a < statement->access_count; a++)
		compute->buffers[a] = buffer_of(lowering, &statement->accesses[a],
			a < BORROWERS_LIMIT && borrowed >> a & 1);
	isl_ast_expr_free(call);
	plan_append(arena, block, compute);
}

static void tree(struct translation *translation, __isl_take isl_ast_node *node,
	struct plan_node *block)
{
	switch (isl_ast_node_get_type(node)) {
	case isl_ast_node_for:
		loop_node(translation, node, block);
		break;
	case isl_ast_node_if:
		if_node(translation, node, block);
		break;
	case isl_ast_node_block: {
		isl_ast_node_list *children = isl_ast_node_block_get_children(node);
		for (int i = 0; i < isl_ast_node_list_n_ast_node(children); i++)
			tree(translation, isl_ast_node_list_get_ast_node(children, i), block);
		isl_ast_node_list_free(children);
		break;
	}
	case isl_ast_node_user:
		user_node(translation, node, block);
		break;
	default:
		translation->failed = true;
	}
	isl_ast_node_free(node);
}

static bool is_size(const struct function *function, const char *name)
{
	for (int k = 0; k < function->symbolic_count; k++)
		if (!strcmp(function->symbolic[k]->name, name))
			return true;
	return false;
}

/* The loops of the deepest statement give the point loops their names. */
static __isl_give isl_id_list *point_names(const struct lowering *lowering, int first, int end)
{
	const struct nest *nest = lowering->nest;
	isl_ctx *ctx = lowering->compilation->ctx;
	const struct statement *deepest = nest->statements[first];
	for (int s = first + 1; s < end; s++)
		if (nest->statements[s]->depth > deepest->depth)
			deepest = nest->statements[s];
	isl_id_list *names = isl_id_list_alloc(ctx, 2 * nest->loop_depth + 1);
	for (int j = 0; j <= 2 * nest->loop_depth; j++) {
		char name[128];
		if (j % 2 == 0)
			snprintf(name, sizeof name, "part%d", j / 2);
		else if (j / 2 >= deepest->depth)
			snprintf(name, sizeof name, "none%d", j / 2);
		else
			snprintf(name, sizeof name, "%.100s%s%s", deepest->loops[j / 2]->name,
				deepest->loops[j / 2]->step < 0 ? "_down" : "",
				is_size(nest->function, deepest->loops[j / 2]->name) ? "_point" : "");
		names = isl_id_list_add(names, isl_id_alloc(ctx, name, NULL));
	}
	return names;
}

/* The statements from FIRST up to END. */
static bool lower_part(struct lowering *lowering, int first, int end, struct plan_node *block)
{
	const struct nest *nest = lowering->nest;
	isl_union_map *order = NULL;
	for (int s = first; s < end; s++)
		add_variants(lowering, nest->statements[s],
			tile_instances(lowering, s, lowering->depth, IN_TILE), 0, 0, &order);
	isl_ast_node *node = ast_of_order(tile_context(lowering), point_names(lowering, first, end),
		order);
	struct translation translation = { .lowering = lowering, .failed = !node };
	bind_parameters(&translation);
	if (node)
		tree(&translation, node, block);
	return !translation.failed;
}

bool lower_set(struct lowering *lowering, __isl_take isl_set *set, int depth, const char *name,
	point_leaf *leaf, void *user, struct plan_node *block)
{
	if (!set)
		return false;
	int rank = isl_set_dim(set, isl_dim_set);
	isl_ctx *ctx = lowering->compilation->ctx;
	isl_id_list *names = isl_id_list_alloc(ctx, rank);
	for (int d = 0; d < rank; d++)
		names = isl_id_list_add(names, isl_id_alloc(ctx,
			arena_printf(lowering->compilation->arena, "%s_%d", name, d), NULL));
	set = isl_set_set_tuple_name(set, "point");
	isl_map *order = isl_map_reset_tuple_id(isl_set_identity(set), isl_dim_out);
	isl_ast_node *node = ast_of_order(context_at(lowering, depth), names,
		isl_union_map_from_map(order));
	struct translation translation = { .lowering = lowering, .failed = !node, .leaf = leaf,
		.user = user, .rank = rank };
	bind_parameters(&translation);
	if (node)
		tree(&translation, node, block);
	return !translation.failed;
}

/* What different top-level loops of a group do is done one after the other, so that each
 * is isl's alone: its work grows faster than the number of statements. */
bool lower_statements(struct lowering *lowering, int from, int to, struct plan_node *block)
{
	const struct nest *nest = lowering->nest;
	bool done = true;
	for (int first = from, end; first < to && done; first = end) {
		for (end = first + 1; end < to; end++) {
			const struct statement *last = nest->statements[end - 1], *next = nest->statements[end];
			if (last->depth && (!next->depth || next->loops[0] != last->loops[0]))
				break;
			if (!last->depth && next->depth)
				break;
		}
		done = lower_part(lowering, first, end, block);
	}
	return done;
}

bool lower_points(struct lowering *lowering, struct plan_node *block)
{
	return lower_statements(lowering, 0, lowering->nest->statement_count, block);
}

/* A nest whose sizes were bound, for all values of these sizes. */

#include "passes/symbolic.h"

#include <string.h>

#include <isl/aff.h>
#include <isl/id.h>
#include <isl/space.h>
#include <isl/union_map.h>

#include "ir/program_build.h"

/* ---- the nest where the sizes are others ---- */

/* A nest with its sizes bound, and what was found of it. */
struct sample {
	struct nest nest;
	struct nest_model model;
	struct region *regions;
	bool exact;
};

static const struct access *same_access(const struct nest *from, const struct nest *to,
	const struct access *access)
{
	for (int s = 0; s < from->statement_count; s++)
		for (int a = 0; a < from->statements[s]->access_count; a++)
			if (&from->statements[s]->accesses[a] == access)
				return &to->statements[s]->accesses[a];
	return NULL;
}

static void copy_joints(struct compilation *compilation, const struct nest *from, struct nest *to)
{
	to->joint_count = from->joint_count;
	to->joint_capacity = 0;
	to->joint = ARENA_ARRAY(compilation->arena, const struct access *, from->joint_count + 1);
	for (int i = 0; i < from->joint_count; i++)
		to->joint[i] = same_access(from, to, from->joint[i]);
}

/* What NEST is in FUNCTION, its own one with its sizes bound to others. */
static struct nest *nest_in(struct compilation *compilation, const struct nest *nest,
	const struct function *function)
{
	int count;
	if (!nest->parent)
		return &nests_of_function(compilation, function, &count)[nest->index];
	struct nest *parent = nest_in(compilation, nest->parent, function);
	nest_find_dependences(compilation, parent);
	nest_find_sequential_band(compilation, parent, nest->outer_loops);
	return nest_part_like(compilation, parent, nest);
}

/* NEST's function with the sizes VALUES; false if a statement does not run there. */
static bool sample_at(struct compilation *compilation, const struct nest *nest,
	struct band_origin origin, bool has_model, const long *values, struct sample *sample)
{
	const struct function *function = nest->function->unbound;
	struct function *bound = function_at(compilation->arena, function, values);
	if (!bound)
		return false;
	sample->nest = *nest_in(compilation, nest, bound);
	sample->nest.refetches = nest->refetches;
	sample->nest.borrows = nest->borrows;
	copy_joints(compilation, nest, &sample->nest);
	nest_split_arrays(compilation, &sample->nest, origin.split);
	nest_find_dependences(compilation, &sample->nest);
	if (origin.loops || !has_model)
		nest_find_sequential_band(compilation, &sample->nest, origin.loops);
	else
		nest_find_band(compilation, &sample->nest);
	if (!has_model)
		sample->nest.band_count = sample->nest.prefix;
	sample->regions = ARENA_ARRAY(compilation->arena, struct region,
		sample->nest.array_count + 1);
	sample->exact = has_model && nest_model_build(compilation, &sample->nest, &sample->model,
		sample->regions);
	return true;
}

static bool same_planes(const struct statement *statement, const struct hyperplane *a,
	const struct hyperplane *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind != HYPERPLANE_AFFINE)
		return true;
	for (int i = 0; i < statement->depth; i++)
		if (a->affine.coefficients[i] != b->affine.coefficients[i])
			return false;
	return a->divisor == b->divisor;
}

static bool same_bands(const struct nest *a, const struct nest *b)
{
	if (a->band_count != b->band_count || a->prefix != b->prefix)
		return false;
	for (int l = 0; l < a->band_count; l++)
		for (int s = 0; s < a->statement_count; s++)
			if (!same_planes(a->statements[s], &a->band[l].planes[s], &b->band[l].planes[s]))
				return false;
	return true;
}

static bool same_windows(const struct nest *nest, const struct region *a, const struct region *b,
	int rank)
{
	for (int d = 0; d < rank; d++) {
		const struct region_dim *x = &a->dims[d], *y = &b->dims[d];
		if (x->window != y->window || x->stride != y->stride || x->phase != y->phase
			|| memcmp(x->coefficient, y->coefficient,
				(size_t)nest->band_count * sizeof *x->coefficient))
			return false;
	}
	return a->is_clipped == b->is_clipped;
}

/* ---- the nest for all sizes ---- */

static void release_aff(void *aff) { isl_aff_free(aff); }

static void move_arrays(struct compilation *compilation, const struct nest *from, struct nest *to)
{
	to->array_count = from->array_count;
	to->arrays = ARENA_ARRAY(compilation->arena, struct nest_array, from->array_count + 1);
	for (int a = 0; a < from->array_count; a++) {
		struct nest_array *array = &to->arrays[a];
		*array = from->arrays[a];
		array->created = CREATED_UNKNOWN;
		array->accesses = ARENA_ARRAY(compilation->arena, struct nest_access,
			array->access_count + 1);
		for (int i = 0; i < array->access_count; i++)
			array->accesses[i] = (struct nest_access){ from->arrays[a].accesses[i].statement,
				same_access(from, to, from->arrays[a].accesses[i].access) };
	}
}

/* The planes and extents of FROM for all sizes, as far as they are known: no slopes yet. */
static void move_band(struct compilation *compilation, const struct nest *from, struct nest *to)
{
	to->band_count = from->band_count;
	to->prefix = from->prefix;
	to->left_out = from->left_out;
	memcpy(to->blocked, from->blocked, sizeof to->blocked);
	memcpy(to->band, from->band, sizeof to->band);
	for (int l = 0; l < to->band_count; l++) {
		to->band[l].planes = ARENA_ARRAY(compilation->arena, struct hyperplane,
			to->statement_count);
		for (int s = 0; s < to->statement_count; s++) {
			to->band[l].planes[s] = from->band[l].planes[s];
			to->band[l].planes[s].affine.sizes = ARENA_ARRAY(compilation->arena, long,
				SYMBOLIC_LIMIT);
		}
	}
}

/* Size K is one more in SAMPLE: by how much numbers of NEST are others is their slope. */
static void add_band_slopes(struct nest *nest, const struct nest *sample, int k)
{
	for (int l = 0; l < nest->band_count; l++) {
		nest->band[l].extent_slope.of[k] = sample->band[l].extent - nest->band[l].extent;
		for (int s = 0; s < nest->statement_count; s++) {
			struct hyperplane *plane = &nest->band[l].planes[s];
			if (plane->kind != HYPERPLANE_AFFINE)
				continue;
			plane->affine.sizes[k] = sample->band[l].planes[s].affine.constant
				- plane->affine.constant;
		}
	}
}

static void add_region_slopes(struct region *region, const struct region *sample, int rank, int k)
{
	for (int d = 0; d < rank; d++) {
		struct region_dim *dim = &region->dims[d];
		dim->base_slope.of[k] = sample->dims[d].base - dim->base;
		dim->low_slope.of[k] = sample->dims[d].low - dim->low;
		dim->high_slope.of[k] = sample->dims[d].high - dim->high;
	}
}

/* Slopes are known: constants lose what the sizes stand for. */
static void make_planes(struct compilation *compilation, struct nest *nest)
{
	const struct function *function = nest->function;
	for (int l = 0; l < nest->band_count; l++)
		for (int s = 0; s < nest->statement_count; s++) {
			struct hyperplane *plane = &nest->band[l].planes[s];
			if (plane->kind != HYPERPLANE_AFFINE)
				continue;
			for (int k = 0; k < function->symbolic_count; k++)
				plane->affine.constant -= plane->affine.sizes[k] * function->symbolic[k]->value;
			isl_aff *value = statement_affine(nest->statements[s], plane->affine);
			if (plane->divisor > 1)
				value = isl_aff_floor(isl_aff_scale_down_ui(value, (unsigned)plane->divisor));
			plane->value = arena_own(compilation->arena, value, release_aff);
		}
}

static bool add_slopes(struct compilation *compilation, const struct nest *nest,
	struct band_origin origin, bool exact, int k, struct nest *all, struct region *regions,
	const char **reason)
{
	const struct function *function = all->function;
	long values[SYMBOLIC_LIMIT];
	struct sample *sample = ARENA_NEW(compilation->arena, struct sample);
	for (int i = 0; i < function->symbolic_count; i++)
		values[i] = function->symbolic[i]->value + (i == k);
	*reason = "its loops and accesses change with the size";
	if (!sample_at(compilation, nest, origin, regions, values, sample) || sample->exact != exact
		|| sample->nest.array_count != nest->array_count || !same_bands(nest, &sample->nest))
		return false;
	add_band_slopes(all, &sample->nest, k);
	for (int a = 0; a < nest->array_count && exact; a++) {
		int rank = nest->arrays[a].array->rank;
		if (!same_windows(nest, &regions[a], &sample->regions[a], rank))
			return false;
		add_region_slopes(&regions[a], &sample->regions[a], rank, k);
	}
	return true;
}

struct nest *nest_with_sizes(struct compilation *compilation, const struct nest *nest,
	struct band_origin origin, bool exact, struct region *regions, const char **reason)
{
	const struct function *function = nest->function->unbound;
	int count;
	struct nest *all = nest->parent
		? nest_part_like(compilation, nest->parent->all_sizes, nest)
		: &nests_of_function(compilation, function, &count)[nest->index];
	if (nest->parent)
		memcpy(all->outer_vars, nest->parent->all_sizes->inner_vars, sizeof all->outer_vars);
	all->is_split = nest->is_split;
	all->refetches = nest->refetches;
	all->borrows = nest->borrows;
	all->moves_boxes = true;     /* which rows there are would depend on the sizes */
	move_arrays(compilation, nest, all);
	move_band(compilation, nest, all);
	for (int k = 0; k < function->symbolic_count; k++)
		if (!add_slopes(compilation, nest, origin, exact, k, all, regions, reason))
			return NULL;
	make_planes(compilation, all);
	nest_find_dependences(compilation, all);
	return all;
}

/* ---- legality for all sizes ---- */

struct check {
	const struct nest *nest;
	int dim;
	bool is_together, turns;
	bool is_legal;
};

/* The pairs of MAP whose values in dimension DIM are as COMPARE says, left of it the source's. */
static __isl_give isl_map *pairs_where(__isl_keep isl_map *pairs, const struct hyperplane *from,
	const struct hyperplane *to,
	__isl_give isl_map *(*compare)(isl_multi_pw_aff *, isl_multi_pw_aff *))
{
	isl_multi_pw_aff *source = isl_multi_pw_aff_from_pw_aff(isl_pw_aff_from_aff(
		isl_aff_copy(from->value)));
	isl_multi_pw_aff *sink = isl_multi_pw_aff_from_pw_aff(isl_pw_aff_from_aff(
		isl_aff_copy(to->value)));
	return isl_map_intersect(isl_map_copy(pairs), compare(source, sink));
}

static bool is_none(__isl_take isl_map *pairs)
{
	bool none = isl_map_is_empty(pairs) == isl_bool_true;
	isl_map_free(pairs);
	return none;
}

static bool pair_is_legal(const struct check *check, __isl_keep isl_map *pairs,
	const struct hyperplane *from, const struct hyperplane *to)
{
	if (check->is_together && from->kind != to->kind)
		return false;
	if (from->kind != HYPERPLANE_AFFINE || to->kind != HYPERPLANE_AFFINE)
		return from->kind == HYPERPLANE_FIRST || to->kind == HYPERPLANE_LAST;
	return is_none(pairs_where(pairs, from, to, isl_multi_pw_aff_lex_gt_map))
		&& ((!check->turns && !check->is_together)
			|| is_none(pairs_where(pairs, from, to, isl_multi_pw_aff_lex_lt_map)));
}

static isl_stat check_pairs(__isl_take isl_map *pairs, void *user)
{
	struct check *check = user;
	const struct nest *nest = check->nest;
	int s = nest_statement_named(nest, isl_map_get_tuple_name(pairs, isl_dim_in));
	int t = nest_statement_named(nest, isl_map_get_tuple_name(pairs, isl_dim_out));
	bool is_known = s >= 0 && t >= 0;
	for (int l = 0; l < nest->prefix && is_known; l++) {
		const struct hyperplane *from = &nest->band[l].planes[s], *to = &nest->band[l].planes[t];
		if (from->kind != HYPERPLANE_AFFINE || to->kind != HYPERPLANE_AFFINE)
			continue;
		isl_map *equal = isl_map_apply_range(isl_map_from_aff(isl_aff_copy(from->value)),
			isl_map_reverse(isl_map_from_aff(isl_aff_copy(to->value))));
		pairs = isl_map_intersect(pairs, equal);
	}
	if (is_known && isl_map_is_empty(pairs) != isl_bool_true)
		check->is_legal &= pair_is_legal(check, pairs, &nest->band[check->dim].planes[s],
			&nest->band[check->dim].planes[t]);
	isl_map_free(pairs);
	return check->is_legal ? isl_stat_ok : isl_stat_error;
}

static bool is_subset(__isl_keep isl_set *set, __isl_take isl_set *of)
{
	bool subset = isl_set_is_subset(set, of) == isl_bool_true;
	isl_set_free(of);
	return subset;
}

/* Statement S runs within the extent of dimension L, whatever the sizes: no tile loop
 * leaves any of it out. */
static bool is_covered(const struct nest *nest, int l, int s)
{
	const struct band_dim *band = &nest->band[l];
	const struct hyperplane *plane = &band->planes[s];
	if (plane->kind != HYPERPLANE_AFFINE)
		return true;
	isl_set *domain = nest->statements[s]->domain;
	isl_ctx *ctx = isl_set_get_ctx(domain);
	long last = band->extent - 1;
	isl_aff *end = isl_aff_zero_on_domain(isl_local_space_from_space(isl_set_get_space(domain)));
	for (int k = 0; k < nest->function->symbolic_count; k++) {
		last -= band->extent_slope.of[k] * nest->function->symbolic[k]->value;
		end = isl_aff_set_coefficient_val(end, isl_dim_param, k,
			isl_val_int_from_si(ctx, band->extent_slope.of[k]));
	}
	isl_pw_aff *value = isl_pw_aff_from_aff(isl_aff_copy(plane->value));
	isl_set *inside = isl_pw_aff_nonneg_set(isl_pw_aff_copy(value));
	inside = isl_set_intersect(inside, isl_pw_aff_le_set(value, isl_pw_aff_from_aff(
		isl_aff_set_constant_val(end, isl_val_int_from_si(ctx, last)))));
	return is_subset(domain, inside);
}

bool band_is_legal(const struct nest *nest, const struct schedule *schedule, const char **reason)
{
	*reason = "its loops do not grow evenly with the sizes";
	for (int l = 0; l < nest->band_count; l++)
		for (int s = 0; s < nest->statement_count; s++)
			if (!is_covered(nest, l, s))
				return false;
	for (int l = nest->prefix; l < nest->band_count; l++) {
		struct check check = { .nest = nest, .dim = l, .is_legal = true,
			.turns = schedule->is_serpentine[l] };
		isl_union_map_foreach_map(nest->dependences, check_pairs, &check);
		check.is_together = true;
		if (check.is_legal)
			isl_union_map_foreach_map(nest->together, check_pairs, &check);
		isl_ctx_reset_error(isl_union_map_get_ctx(nest->dependences));
		*reason = "a dependence runs backwards for some sizes, though not for those tuned for";
		if (!check.is_legal)
			return false;
	}
	return true;
}

/* ---- regions for all sizes ---- */

static __isl_give isl_pw_aff *parameter(__isl_take isl_space *space, isl_ctx *ctx, const char *name)
{
	isl_id *id = isl_id_alloc(ctx, name, NULL);
	space = isl_space_add_param_id(space, isl_id_copy(id));
	return isl_pw_aff_from_aff(isl_aff_param_on_domain_space_id(space, id));
}

static __isl_give isl_pw_aff *variable(const struct lowering *lowering, __isl_take isl_space *space,
	const struct plan_var *var)
{
	isl_ctx *ctx = lowering->compilation->ctx;
	char name[16];
	for (int l = 0; l < lowering->depth; l++)
		if (lowering->loops[l].tile_var == var) {
			snprintf(name, sizeof name, "t.%d", l);
			return parameter(space, ctx, name);
		}
	if (var->size)
		return parameter(space, ctx, isl_size_name(lowering->compilation->arena,
			var->size->name));
	isl_space_free(space);
	return NULL;
}

/* EXPR, of tiles and sizes, as isl's on SPACE; NULL if it has no such form. */
static __isl_give isl_pw_aff *value_of(const struct lowering *lowering,
	__isl_keep isl_space *space, const struct plan_expr *expr)
{
	isl_ctx *ctx = lowering->compilation->ctx;
	if (expr->op == PLAN_CONST)
		return isl_pw_aff_from_aff(isl_aff_val_on_domain_space(isl_space_copy(space),
			isl_val_int_from_si(ctx, expr->value)));
	if (expr->op == PLAN_VAR)
		return variable(lowering, isl_space_copy(space), expr->var);
	if (expr->op > PLAN_MAX)
		return NULL;
	isl_pw_aff *a = value_of(lowering, space, expr->operands[0]);
	isl_pw_aff *b = value_of(lowering, space, expr->operands[1]);
	switch (expr->op) {
	case PLAN_ADD: return isl_pw_aff_add(a, b);
	case PLAN_SUB: return isl_pw_aff_sub(a, b);
	case PLAN_MUL: return isl_pw_aff_mul(a, b);
	case PLAN_FLOORDIV: return isl_pw_aff_floor(isl_pw_aff_div(a, b));
	case PLAN_MOD: {
		isl_pw_aff *whole = isl_pw_aff_floor(isl_pw_aff_div(isl_pw_aff_copy(a),
			isl_pw_aff_copy(b)));
		return isl_pw_aff_sub(a, isl_pw_aff_mul(whole, b));
	}
	case PLAN_MIN: return isl_pw_aff_min(a, b);
	default: return isl_pw_aff_max(a, b);
	}
}

/* The elements of a region, in the space of the array. */
static __isl_give isl_set *region_elements(const struct lowering *lowering, int a,
	__isl_take isl_space *space, struct plan_expr *const *first, struct plan_expr *const *count)
{
	const struct plan_buffer *buffer = lowering->buffers[a];
	isl_ctx *ctx = lowering->compilation->ctx;
	isl_set *elements = isl_set_universe(isl_space_copy(space));
	for (int d = 0; d < buffer->rank; d++) {
		isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
		isl_pw_aff *x = isl_pw_aff_from_aff(isl_aff_var_on_domain(local, isl_dim_set,
			(unsigned)d));
		x = isl_pw_aff_add_constant_val(x, isl_val_int_from_si(ctx, -buffer->dims[d].phase));
		isl_val *stride = isl_val_int_from_si(ctx, buffer->dims[d].stride);
		isl_pw_aff *rest = isl_pw_aff_mod_val(isl_pw_aff_copy(x), isl_val_copy(stride));
		isl_pw_aff *from = value_of(lowering, space, first[d]);
		isl_pw_aff *end = isl_pw_aff_add(isl_pw_aff_copy(from),
			value_of(lowering, space, count[d]));
		from = isl_pw_aff_scale_val(from, isl_val_copy(stride));
		end = isl_pw_aff_scale_val(end, stride);
		elements = isl_set_intersect(elements, isl_pw_aff_zero_set(rest));
		elements = isl_set_intersect(elements, isl_pw_aff_ge_set(isl_pw_aff_copy(x), from));
		elements = isl_set_intersect(elements, isl_pw_aff_lt_set(x, end));
	}
	isl_space_free(space);
	return elements;
}

/* All elements of ARRAY, in SPACE. */
static __isl_give isl_set *array_elements(const struct lowering *lowering,
	const struct array *array, __isl_take isl_space *space)
{
	struct plan *plan = lowering->plan;
	isl_set *elements = isl_set_universe(isl_space_copy(space));
	for (int d = 0; d < array->rank; d++) {
		isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
		isl_pw_aff *x = isl_pw_aff_from_aff(isl_aff_var_on_domain(local, isl_dim_set,
			(unsigned)d));
		struct plan_expr *end = plan_affine(plan->arena, array->shape[d], 0, NULL, plan->sizes);
		elements = isl_set_lower_bound_si(elements, isl_dim_set, (unsigned)d, 0);
		elements = isl_set_intersect(elements, isl_pw_aff_lt_set(x,
			value_of(lowering, space, end)));
	}
	isl_space_free(space);
	return elements;
}

bool region_holds(const struct lowering *lowering, int a, struct plan_expr *const *first,
	struct plan_expr *const *count)
{
	const struct nest_array *array = &lowering->nest->arrays[a];
	isl_set *touched = touched_by(lowering, a, false, lowering->store[a]);
	isl_set *region = region_elements(lowering, a, isl_set_get_space(touched), first, count);
	/* Visits that touch nothing move nothing. */
	region = isl_set_intersect_params(region, isl_set_params(isl_set_copy(touched)));
	bool holds = is_subset(touched, isl_set_copy(region))
		&& is_subset(region, array_elements(lowering, array->array, isl_set_get_space(region)));
	if (holds && array->is_written && lowering->model->arrays[a].is_created)
		holds = is_subset(region, touched_by(lowering, a, true, lowering->store[a]));
	isl_set_free(touched);
	isl_set_free(region);
	return holds;
}

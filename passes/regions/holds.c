/* Whether regions in closed form are right for all values of symbolic sizes: isl says. */

#include "passes/regions/holds.h"

#include <stdio.h>

#include <isl/aff.h>
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>

#include "ir/program_build.h"
#include "passes/analysis/plan_value.h"
#include "passes/regions/footprint.h"

static bool is_subset(__isl_keep isl_set *set, __isl_take isl_set *of)
{
	bool subset = isl_set_is_subset(set, of) == isl_bool_true;
	isl_set_free(of);
	return subset;
}

static __isl_give isl_pw_aff *parameter(const struct plan_values *values, const char *name)
{
	isl_id *id = isl_id_alloc(isl_space_get_ctx(values->space), name, NULL);
	isl_space *space = isl_space_add_param_id(isl_space_copy(values->space), isl_id_copy(id));
	return isl_pw_aff_from_aff(isl_aff_param_on_domain_space_id(space, id));
}

static __isl_give isl_pw_aff *variable(const struct plan_values *values, const struct plan_var *var)
{
	const struct lowering *lowering = values->user;
	char name[16];
	for (int l = 0; l < lowering->depth; l++)
		if (lowering->loops[l].tile_var == var) {
			snprintf(name, sizeof name, "t.%d", l);
			return parameter(values, name);
		}
	return var->size ? parameter(values, isl_size_name(lowering->compilation->arena,
		var->size->name)) : NULL;
}

/* EXPR, of tiles and sizes, as isl's on SPACE; NULL if it has no such form. */
static __isl_give isl_pw_aff *value_of(struct lowering *lowering,
	__isl_keep isl_space *space, const struct plan_expr *expr)
{
	struct plan_values values = { space, variable, lowering };
	return plan_value(&values, expr);
}

/* The elements of a region, in the space of the array. */
static __isl_give isl_set *region_elements(struct lowering *lowering, int a,
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
static __isl_give isl_set *array_elements(struct lowering *lowering,
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

/* The visits of array A that move something: those of the tile loops for the sizes of which some
 * visit touches something, and in the first or the last tile only of loops that the array is
 * anchored in.  TOUCHED alone does not say it: `if (k % 3 == 1)` leaves visits between those that
 * run, which move what the closed form says. */
static __isl_give isl_set *moving_visits(struct lowering *lowering, int a,
	__isl_keep isl_set *touched)
{
	int store = lowering->holdings[a].store;
	isl_set *visits = isl_set_params(isl_set_copy(touched));
	for (int l = 0; l < store; l++)
		if (!(lowering->model->arrays[a].anchored >> lowering->loops[l].dim & 1))
			visits = whatever_tile(lowering, visits, l);
	return isl_set_intersect(visits, context_at(lowering, store));
}

bool region_holds(struct lowering *lowering, int a, struct plan_expr *const *first,
	struct plan_expr *const *count)
{
	const struct reference_group *array = &lowering->groups->items[a];
	isl_set *touched = touched_by(lowering, a, false, lowering->holdings[a].store);
	isl_set *region = region_elements(lowering, a, isl_set_get_space(touched), first, count);
	region = isl_set_intersect_params(region, moving_visits(lowering, a, touched));
	bool holds = is_subset(touched, isl_set_copy(region))
		&& is_subset(region, array_elements(lowering, array->array, isl_set_get_space(region)));
	if (holds && array->is_written && lowering->model->arrays[a].is_created)
		holds = is_subset(region, touched_by(lowering, a, true, lowering->holdings[a].store));
	isl_set_free(touched);
	isl_set_free(region);
	return holds;
}

/* Bands of isl's scheduler, where the source's loops give less. */

#include "passes/analysis/band_isl.h"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/union_set.h>
#include <isl/val.h>

#include "ir/isl_work.h"
#include "passes/analysis/band_dim.h"

static bool plane_of_isl(struct compilation *compilation, const struct statement *statement,
	__isl_take isl_aff *aff, struct hyperplane *plane)
{
	struct affine affine = { .coefficients = ARENA_ARRAY(compilation->arena, long,
		statement->depth + 1) };
	bool plain = affine_of_isl(aff, statement->depth, &affine);
	isl_aff_free(aff);
	if (plain)
		*plane = hyperplane_make(compilation, statement, affine, 1);
	return plain;
}

struct extraction {
	struct compilation *compilation;
	const struct nest *nest;
	struct hyperplane *planes;
	int found;
};

static isl_stat extract_piece(__isl_take isl_set *set, __isl_take isl_aff *aff, void *user)
{
	struct extraction *extraction = user;
	int s = nest_statement_named(extraction->nest, isl_set_get_tuple_name(set));
	isl_set_free(set);
	if (s >= 0 && plane_of_isl(extraction->compilation, extraction->nest->statements[s], aff,
		&extraction->planes[s]))
		extraction->found++;
	else if (s < 0)
		isl_aff_free(aff);
	return isl_stat_ok;
}

static isl_stat extract_plane(__isl_take isl_pw_aff *piecewise, void *user)
{
	isl_stat status = isl_pw_aff_foreach_piece(piecewise, extract_piece, user);
	isl_pw_aff_free(piecewise);
	return status;
}

static __isl_give isl_schedule_node *first_band(__isl_take isl_schedule *schedule)
{
	isl_schedule_node *node = isl_schedule_get_root(schedule);
	isl_schedule_free(schedule);
	while (node && isl_schedule_node_get_type(node) != isl_schedule_node_band) {
		if (isl_schedule_node_n_children(node) != 1) {
			isl_schedule_node_free(node);
			return NULL;
		}
		node = isl_schedule_node_child(node, 0);
	}
	return node;
}

static bool isl_dim_of_band(struct compilation *compilation, const struct nest *nest,
	const struct band *band, isl_multi_union_pw_aff *partial, int j, struct band_dim *dim)
{
	struct extraction extraction = { compilation, nest, ARENA_ARRAY(compilation->arena,
		struct hyperplane, nest->statement_count), 0 };
	isl_union_pw_aff *values = isl_multi_union_pw_aff_get_union_pw_aff(partial, j);
	isl_union_pw_aff_foreach_pw_aff(values, extract_plane, &extraction);
	isl_union_pw_aff_free(values);
	return extraction.found == nest->statement_count
		&& band_dim_finish(compilation, nest, band, extraction.planes, dim);
}

/* isl's schedule, or NULL if it takes too much work to find. */
static __isl_give isl_schedule *within_limit(isl_ctx *ctx,
	__isl_take isl_schedule_constraints *constraints)
{
	/* Shifts by the extent of a loop, which put a statement behind all of it, are no use in
	 * a band, and the search for them takes isl long where loops are.  Nor is a sum of loops
	 * times their extents, which puts all iterations in one row: scalars ask for it, and
	 * without a limit isl spends minutes on ever longer numbers. */
	enum { OPERATIONS = 20000, SHIFT_LIMIT = 64, COEFFICIENT_LIMIT = 8 };
	isl_options_set_schedule_max_constant_term(ctx, SHIFT_LIMIT);
	isl_options_set_schedule_max_coefficient(ctx, COEFFICIENT_LIMIT);
	struct isl_work work = isl_work_begin(ctx, OPERATIONS);
	isl_schedule *schedule = isl_schedule_constraints_compute_schedule(constraints);
	isl_work_end(&work);
	return schedule;
}

/* Constraints of the dependences: of all of them, and of the one with most. */
struct constraint_count {
	long total, most;
};

static isl_stat count_basic_map(__isl_take isl_basic_map *map, void *user)
{
	struct constraint_count *count = user;
	long constraints = isl_basic_map_n_constraint(map);
	count->total += constraints;
	count->most = constraints > count->most ? constraints : count->most;
	isl_basic_map_free(map);
	return isl_stat_ok;
}

static isl_stat count_map(__isl_take isl_map *map, void *user)
{
	isl_map_foreach_basic_map(map, count_basic_map, user);
	isl_map_free(map);
	return isl_stat_ok;
}

/* isl eliminates a multiplier for each constraint, which may square what is left, and no
 * limit of operations stops it there.  Stencils, for which its schedules are worth having,
 * have few statements, and some ten dependences of some ten constraints; with seven
 * statements no more of these may take it minutes, and with more than twenty loops around
 * all statements half a minute. */
bool scheduler_may_run(const struct nest *nest)
{
	enum { STATEMENTS = 6, TOTAL_CONSTRAINTS = 240, MOST_CONSTRAINTS = 24, WORK = 1000 };
	struct constraint_count count = { 0, 0 };
	long loops = 0;
	if (nest->statement_count > STATEMENTS)
		return false;
	isl_union_map_foreach_map(nest->dependences, count_map, &count);
	isl_union_map_foreach_map(nest->private_values, count_map, &count);
	for (int s = 0; s < nest->statement_count; s++)
		loops += nest->statements[s]->depth;
	return count.total <= TOTAL_CONSTRAINTS && count.most <= MOST_CONSTRAINTS
		&& count.total * loops <= WORK;
}

/* The constraint goes into *USER unless it says how long a loop is. */
static isl_stat relax_constraint(__isl_take isl_constraint *constraint, void *user)
{
	enum { LENGTH = 8 };           /* distances of dependences are shorter */
	isl_basic_map **relaxed = user;
	isl_val *constant = isl_val_abs(isl_constraint_get_constant_val(constraint));
	if (isl_constraint_is_equality(constraint) || isl_val_cmp_si(constant, LENGTH) <= 0)
		*relaxed = isl_basic_map_add_constraint(*relaxed, constraint);
	else
		isl_constraint_free(constraint);
	isl_val_free(constant);
	return isl_stat_ok;
}

static isl_stat relax_basic_map(__isl_take isl_basic_map *map, void *user)
{
	isl_union_map **relaxed = user;
	if (isl_basic_map_dim(map, isl_dim_div) == 0) {
		isl_basic_map *rest = isl_basic_map_universe(isl_basic_map_get_space(map));
		isl_basic_map_foreach_constraint(map, relax_constraint, &rest);
		isl_basic_map_free(map);
		map = rest;
	}
	*relaxed = isl_union_map_add_map(*relaxed, isl_map_from_basic_map(map));
	return isl_stat_ok;
}

static isl_stat relax_map(__isl_take isl_map *map, void *user)
{
	isl_map_foreach_basic_map(map, relax_basic_map, user);
	isl_map_free(map);
	return isl_stat_ok;
}

/* The dependences, and more, as if the sizes were not known: a schedule that suits all
 * sizes is what is wanted, and the sizes' numbers are what isl's grow from, for minutes.
 * (That dependences should be short is said of the exact ones: others have no bounds.) */
static __isl_give isl_union_map *without_sizes(__isl_take isl_union_map *dependences)
{
	isl_union_map *relaxed = isl_union_map_empty(isl_union_map_get_space(dependences));
	isl_union_map_foreach_map(dependences, relax_map, &relaxed);
	isl_union_map_free(dependences);
	return relaxed;
}

void scheduler_band(struct compilation *compilation, const struct nest *nest, struct band *band)
{
	isl_schedule_constraints *constraints = isl_schedule_constraints_on_domain(
		isl_union_set_copy(nest->domain));
	isl_union_map *all = isl_union_map_union(isl_union_map_copy(nest->dependences),
		isl_union_map_copy(nest->private_values));
	constraints = isl_schedule_constraints_set_validity(constraints,
		without_sizes(isl_union_map_copy(all)));
	constraints = isl_schedule_constraints_set_proximity(constraints, all);
	isl_schedule *schedule = within_limit(compilation->ctx, constraints);
	isl_schedule_node *node = schedule ? first_band(schedule) : NULL;
	*band = (struct band){ .count = 0 };
	if (!node)
		return;
	int members = (int)isl_schedule_node_band_n_member(node);
	isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node);
	for (int j = 0; j < members && band->count < NEST_LOOPS; j++) {
		struct band_dim dim = { .name = arena_printf(compilation->arena, "w%d", j) };
		if (isl_dim_of_band(compilation, nest, band, partial, j, &dim) && dim.extent > 1
			&& dim.can_tile)
			band->dims[band->count++] = dim;
	}
	isl_multi_union_pw_aff_free(partial);
	isl_schedule_node_free(node);
}

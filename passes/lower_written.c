/* A function becomes a plan as it is written: its nests one by one, or in fused groups. */

#include "passes/lower_written.h"

#include <math.h>
#include <string.h>

#include "passes/fusion/carry.h"
#include "passes/sizes/formula.h"
#include "passes/cost/function_bound.h"
#include "passes/cost/plan_cost.h"
#include "passes/fusion/fuse.h"
#include "passes/fusion/fuse_constraints.h"
#include "passes/variants/lower_nest.h"
#include "passes/analysis/nest.h"
#include "passes/variants/schedule_lines.h"

static bool has_transfer(const struct plan_node *node, const struct array *array)
{
	if (node->kind == PLAN_TRANSFER)
		return node->transfer.buffer->array == array;
	if (node->body && has_transfer(node->body, array))
		return true;
	for (int i = 0; i < node->child_count; i++)
		if (has_transfer(node->children[i], array))
			return true;
	return false;
}

static bool leaves_the_chip(const struct plan *plan, const struct array *array)
{
	/* With symbolic sizes it may for other ones than those tuned for. */
	for (int n = 0; n < plan->nest_count && plan->function->unbound; n++)
		if (has_transfer(plan->nests[n].body, array))
			return true;
	for (int n = 0; n < plan->nest_count; n++)
		for (int a = 0; a < plan->nests[n].traffic_count; a++)
			if (plan->nests[n].traffic[a].array == array
				&& flow_bytes(&plan->nests[n].traffic[a].flow))
				return true;
	return false;
}

static void place_workspace(struct plan *plan)
{
	const struct function *function = plan->function;
	plan->workspace_offset = ARENA_ARRAY(plan->arena, long, function->array_count + 1);
	for (int i = 0; i < function->array_count; i++) {
		const struct array *array = function->arrays[i];
		plan->workspace_offset[i] = -1;
		if (array->is_parameter || array->by_value)
			continue;
		if (!leaves_the_chip(plan, array)) {
			/* its transfers stand under conditions that never hold; what a front
			 * knows already it has without a body */
			for (int n = 0; n < plan->nest_count; n++)
				if (plan->nests[n].body)
					plan_drop_transfers(plan->nests[n].body, array);
			continue;
		}
		plan->workspace_offset[i] = plan->workspace_bytes;
		plan->workspace_bytes += (array->elements * array->type.bytes
			+ WORKSPACE_ALIGNMENT - 1) / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT;
	}
}

const struct program *program_with(const struct compilation *compilation, const struct function *old,
	const struct function *new)
{
	struct program *program = ARENA_NEW(compilation->arena, struct program);
	*program = *compilation->program;
	program->functions = ARENA_ARRAY(compilation->arena, const struct function *,
		program->function_count + 1);
	for (int f = 0; f < program->function_count; f++)
		program->functions[f] = compilation->program->functions[f] == old ? new
			: compilation->program->functions[f];
	return program;
}

/* "N = 3, M = 4": the sizes that FUNCTION is tuned for. */
static const char *tuned_sizes(struct arena *arena, const struct function *function)
{
	const char *text = "";
	for (int k = 0; k < function->symbolic_count; k++)
		text = arena_printf(arena, "%s%s%s = %ld", text, k ? ", " : "",
			function->symbolic[k]->name, function->symbolic[k]->value);
	return text;
}

/* FUNCTION with its symbolic sizes at the values to tune for. */
static const struct function *bind_sizes(struct compilation *compilation,
	const struct function *function)
{
	long values[SYMBOLIC_LIMIT];
	for (int k = 0; k < function->symbolic_count; k++)
		values[k] = function->symbolic[k]->value;
	const struct function *bound = function_at(compilation->arena, function, values);
	if (!bound)
		diag_error(compilation->diag, statement_without_instances(function, values)->location,
			"this statement of '%s' does not run for the sizes it is tuned for, %s; give others "
			"by -D", function->name, tuned_sizes(compilation->arena, function));
	return bound;
}

/* A schedule that says what every group repeats is not held to a limit. */
static bool lower_groups(struct compilation *compilation, const struct nest *nests, int count,
	const struct fuse_constraints *constraints, long least, struct plan *plan)
{
	double percent = compilation->request.recompute_percent;
	if (constraints->is_complete)
		compilation->request.recompute_percent = INFINITY;
	bool done = lower_carrying(compilation, nests, count, constraints, least, plan);
	compilation->request.recompute_percent = percent;
	return done;
}

/* Each nest is the best there is, and they have nothing in common that any other choice for the
 * function could make less of. */
static bool are_best_apart(const struct nest *nests, int count, const struct plan *plan)
{
	bool best = plan->nest_count == count && !nests_share(nests, count);
	for (int n = 0; n < plan->nest_count && best; n++)
		best = plan->nests[n].optimal;
	return best;
}

/* What holds of the bytes that any choice for FUNCTION moves, with its sizes bound. */
static struct plan_bounds bounds_of(struct compilation *compilation,
	const struct function *function, int nest_count)
{
	struct plan_bounds bounds = { 0, 0, "compulsory", false, -1 };
	if (nest_count <= 1)
		return bounds;
	struct function_bound *known = function_bound_new(compilation, function);
	bounds.compulsory_bytes = function_compulsory(known);
	bounds.lower_bound_bytes = function_lower_bound(known, compilation->arch->scratchpad_bytes,
		&bounds.lower_bound_argument);
	return bounds;
}

/* What PLAN, made of NESTS, is said of beside. */
static void judge(const struct nest *nests, int count, struct plan *plan)
{
	struct plan_bounds *bounds = &plan->bounds;
	if (count == 1) {
		*bounds = plan_bounds_of_nest(&plan->nests[0]);
		return;
	}
	if (count && are_best_apart(nests, count, plan))
		bounds->bound_bytes = plan_bytes(plan);
	if (bounds->bound_bytes < bounds->lower_bound_bytes)
		bounds->bound_bytes = bounds->lower_bound_bytes;
	bounds->optimal = plan_reaches(plan, bounds->bound_bytes);
}

/* A heading of a part of a nest of PLAN: the nest has that part, in what was made of it. */
static bool sections_check(struct compilation *compilation, const struct plan *plan)
{
	const struct schedule_lines *lines = compilation->request.schedule;
	for (int i = 0; lines && i < lines->count; i++) {
		const struct schedule_line *line = &lines->items[i];
		size_t length = strcspn(line->nest ? line->nest : "", "/");
		if (!line->is_heading || !line->nest[length])
			continue;
		for (int n = 0; n < plan->nest_count; n++) {
			if (strlen(plan->nests[n].name) != length
				|| strncmp(plan->nests[n].name, line->nest, length))
				continue;
			const char *heading = arena_printf(compilation->arena, "nest %s\n", line->nest);
			if (strstr(plan->nests[n].schedule, heading))
				continue;
			diag_error(compilation->diag, line->words[1].at, "'%s' has no part '%s'",
				plan->nests[n].name, line->nest);
			return false;
		}
	}
	return true;
}

/* The nests of FUNCTION are lowered one by one: a group's tiles are counted, which symbolic sizes do not let
 * be.  False (diagnosed) if the user wants it otherwise. */
static bool check_unfused(struct compilation *compilation, const struct function *function,
	const struct fuse_constraints *constraints)
{
	if (constraints->forces)
		diag_error(compilation->diag, function->location,
			"nests of '%s' are to be fused, but its sizes are symbolic: give them values, without "
			"--symbolic", function->name);
	else if (constraints->fusion != FUSE_NEVER)
		diag_remark(compilation->diag, function->location, "loop", "the nests of '%s' are not "
			"fused: its sizes are symbolic", function->name);
	return !constraints->forces;
}

struct plan *lower_written(struct compilation *compilation, const struct function *function)
{
	struct plan *plan = ARENA_NEW(compilation->arena, struct plan);
	plan->arena = compilation->arena;
	plan->program = compilation->program;
	plan->function = function;
	plan->arch = compilation->arch;
	plan_make_sizes(plan);
	if (function->symbolic_count && !(function = bind_sizes(compilation, function)))
		return NULL;
	plan->function = function;
	const struct nest *nests = nests_of_function(compilation, function, &plan->nest_count);
	plan->nests = ARENA_ARRAY(compilation->arena, struct plan_nest, plan->nest_count + 1);
	const int nest_count = plan->nest_count;
	plan->bounds = bounds_of(compilation, function, nest_count);
	struct fuse_constraints constraints;
	bool done = !plan->nest_count
		|| fuse_constraints_read(compilation, nests, plan->nest_count, &constraints);
	bool may_fuse = plan->nest_count > 1 && !function->unbound;
	if (done && plan->nest_count > 1 && !may_fuse)
		done = check_unfused(compilation, function, &constraints);
	/* Groups take their dependences from all nests together. */
	if (done && may_fuse && !constraints.forces)
		may_fuse = access_pairs_are_few((const struct statement *const *)function->statements,
			function->statement_count);
	if (done && may_fuse && (constraints.fusion != FUSE_NEVER || constraints.forces
		|| carry_is_wanted(compilation, function)))
		done = lower_groups(compilation, nests, plan->nest_count, &constraints,
			plan->bounds.lower_bound_bytes, plan);
	else if (done)
		for (int n = 0; n < plan->nest_count; n++)
			done &= lower_nest(compilation, &nests[n], NULL, plan, &plan->nests[n]);
	if (done && !compilation->only_weighs)
		done = carry_check(compilation, plan) && sections_check(compilation, plan);
	if (done)
		judge(nests, nest_count, plan);
	if (done)
		place_workspace(plan);
	if (function->unbound) {
		if (plan->function != function)
			plan->program = compilation->program = program_with(compilation, function->unbound,
				plan->function->unbound);
		plan->function = plan->function->unbound;
		for (int n = 0; n < plan->nest_count && done && !compilation->only_weighs; n++)
			nest_traffic_formulas(compilation, plan, &plan->nests[n]);
	} else if (plan->function != function) {
		plan->program = compilation->program = program_with(compilation, function,
			plan->function);
	}
	return done ? plan : NULL;
}

/* Lower bounds of whole functions. */

#include "passes/cost/bound_nest.h"
#include "passes/cost/function_bound.h"
#include "passes/cost/nest_model.h"

#include <limits.h>

/* Unlike the bytes of a nest, those of a function hold nothing that another schedule of it could
 * keep on chip. */
struct function_bound {
	struct compilation *compilation;
	const struct function *function;
	int nest_count;
	const struct nest *nests;
	const struct nest *whole;          /* all nests as one, whose locals are internal; NULL: too large */
	long *compulsory;            /* [array]: bytes; 0 for what stays in the function */
	long sum;                    /* of them; -1: not known */
	struct share *shares;        /* [share_count]; NULL: not looked for yet */
	int share_count;
};

/* The arrays of the caller's that only one nest writes, or none, and what of them this nest
 * needs: nothing another nest does makes these elements or takes them back. */
struct share {
	struct nest_model model;     /* with those arrays only */
	int arrays[MODEL_ARRAYS];    /* by index of the function's */
};

static long saturated_sum(long a, long b)
{
	long sum;
	return __builtin_add_overflow(a, b, &sum) ? LONG_MAX : sum;
}

/* ---- what comes and goes once ---- */

/* All nests as one tell of each array what is read before it is written. */
static void find_compulsory(struct function_bound *bound)
{
	const struct function *function = bound->function;
	const struct nest *whole = nest_join(bound->compilation, bound->nests, bound->nest_count);
	struct arena *arena = bound->compilation->arena;
	bool *is_local = ARENA_ARRAY(arena, bool, whole->arrays->count + 1);
	for (int a = 0; a < whole->arrays->count; a++) {
		const struct array *array = whole->arrays->items[a].array;
		is_local[a] = !array->is_parameter;
		if (is_local[a])
			continue;
		const struct compulsory own = array_compulsory(whole, array);
		bound->compulsory[array->index] = saturated_sum(own.in, own.out);
	}
	bound->whole = nest_with_arrays(arena, whole, reference_groups_on_chip(arena, whole->arrays,
		is_local, NULL));
	bound->sum = 0;
	for (int i = 0; i < function->array_count; i++)
		bound->sum = saturated_sum(bound->sum, bound->compulsory[i]);
	if (bound->sum == LONG_MAX)
		bound->sum = -1;
}

struct function_bound *function_bound_new(struct compilation *compilation,
	const struct function *function)
{
	struct function_bound *bound = ARENA_NEW(compilation->arena, struct function_bound);
	*bound = (struct function_bound){ .compilation = compilation, .function = function,
		.compulsory = ARENA_ARRAY(compilation->arena, long, function->array_count + 1),
		.sum = -1 };
	bound->nests = nests_of_function(compilation, function, &bound->nest_count);
	if (bound->nest_count && bound->nest_count <= FUNCTION_NESTS
		&& access_pairs_are_few((const struct statement *const *)function->statements,
			function->statement_count))
		find_compulsory(bound);
	return bound;
}

long function_compulsory(const struct function_bound *bound)
{
	return bound->sum;
}

/* ---- the partition argument ---- */

static bool is_written_elsewhere(const struct function_bound *bound, int nest,
	const struct array *array)
{
	for (int n = 0; n < bound->nest_count; n++)
		for (int a = 0; a < bound->nests[n].arrays->count; a++)
			if (n != nest && bound->nests[n].arrays->items[a].array == array
				&& bound->nests[n].arrays->items[a].is_written)
				return true;
	return false;
}

/* The model's regions are boxes, and what is updated comes in whole: array A of MODEL, which is ARRAY, may
 * come to more there than NEST needs of it, as where every second element is read and all are written. */
static bool is_taken_for_more(const struct nest *nest, const struct nest_model *model, int a,
	const struct array *array)
{
	struct nest_model alone = *model;
	const struct compulsory own = array_compulsory(nest, array);
	alone.array_count = 1;
	alone.arrays[0] = model->arrays[a];
	return model_compulsory(&alone) > saturated_sum(own.in, own.out);
}

/* What nest N adds.  False if its traffic has no closed form, and so no such bound. */
static bool find_share(const struct function_bound *bound, int n, struct share *share)
{
	const struct nest *nest = &bound->nests[n];
	struct nest_model model;
	struct region regions[MODEL_ARRAYS];
	if (nest->arrays->count > MODEL_ARRAYS)
		return false;
	const struct variant variant = variant_plain(bound->compilation, nest);
	if (!nest_model_build(bound->compilation, &variant, &model, regions))
		return false;
	share->model = model;
	share->model.array_count = 0;
	for (int a = 0; a < nest->arrays->count; a++) {
		const struct array *array = nest->arrays->items[a].array;
		/* borders leave out iterations, which the argument would count */
		if (regions[a].is_clipped)
			return false;
		if (!array->is_parameter || is_written_elsewhere(bound, n, array)
			|| is_taken_for_more(nest, &model, a, array))
			continue;
		share->arrays[share->model.array_count] = array->index;
		share->model.arrays[share->model.array_count++] = model.arrays[a];
	}
	return share->model.array_count > 0;
}

static void find_shares(struct function_bound *bound)
{
	bound->shares = ARENA_ARRAY(bound->compilation->arena, struct share, bound->nest_count + 1);
	for (int n = 0; n < bound->nest_count; n++)
		bound->share_count += find_share(bound, n, &bound->shares[bound->share_count]);
}

/* What the arrays of SHARE that are not TAKEN move, as far as this nest needs them. */
static long share_bound(const struct share *share, const bool *taken, long scratchpad_bytes)
{
	struct nest_model model = share->model;
	const char *argument;
	model.array_count = 0;
	for (int a = 0; a < share->model.array_count; a++)
		if (!taken[share->arrays[a]])
			model.arrays[model.array_count++] = share->model.arrays[a];
	return model.array_count ? model_lower_bound(&model, scratchpad_bytes, &argument) : 0;
}

/* The share of which most is gained over the compulsory bytes of its arrays; -1: none. */
static int best_share(const struct function_bound *bound, const bool *taken,
	long scratchpad_bytes, long *gain)
{
	int best = -1;
	*gain = 0;
	for (int s = 0; s < bound->share_count; s++) {
		const struct share *share = &bound->shares[s];
		long own = share_bound(share, taken, scratchpad_bytes);
		for (int a = 0; a < share->model.array_count; a++)
			own -= taken[share->arrays[a]] ? 0 : bound->compulsory[share->arrays[a]];
		if (own > *gain) {
			*gain = own;
			best = s;
		}
	}
	return best;
}

/* What the nests add one by one. */
static long bound_of_shares(struct function_bound *bound, long scratchpad_bytes,
	const char **argument)
{
	struct arena *arena = bound->compilation->arena;
	bool *taken = ARENA_ARRAY(arena, bool, bound->function->array_count + 1);
	long bytes = bound->sum, gain;
	if (!bound->shares)
		find_shares(bound);
	for (int s; (s = best_share(bound, taken, scratchpad_bytes, &gain)) >= 0; ) {
		bytes = saturated_sum(bytes, gain);
		*argument = "partition";
		for (int a = 0; a < bound->shares[s].model.array_count; a++)
			taken[bound->shares[s].arrays[a]] = true;
	}
	return bytes < LONG_MAX ? bytes : -1;
}

long function_lower_bound(struct function_bound *bound, long scratchpad_bytes,
	const char **argument)
{
	const char *of_whole;
	long compulsory;
	*argument = bound->sum < 0 ? "none" : "compulsory";
	if (bound->sum < 0)
		return -1;
	long bytes = bound_of_shares(bound, scratchpad_bytes, argument);
	long whole = nest_lower_bound(bound->whole, scratchpad_bytes, &compulsory, &of_whole);
	if (bytes >= 0 && whole > bytes && whole < LONG_MAX) {
		bytes = whole;
		*argument = of_whole;
	}
	return bytes;
}

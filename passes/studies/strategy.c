#include "passes/studies/strategy.h"

#include "passes/cost/plan_cost.h"
#include "passes/fusion/fuse.h"
#include "passes/variants/lower_nest.h"
#include "passes/quiet.h"

static struct plan *empty_plan(const struct compilation *compilation,
	const struct function *function, int nest_count)
{
	struct plan *plan = ARENA_NEW(compilation->arena, struct plan);
	plan->arena = compilation->arena;
	plan->program = compilation->program;
	plan->function = function;
	plan->arch = compilation->arch;
	plan->nests = ARENA_ARRAY(compilation->arena, struct plan_nest, nest_count + 1);
	return plan;
}

/* The least traffic of NEST, in OUT too. */
static long weigh(const struct compilation *compilation, const struct nest *nest, enum strategy strategy,
	struct plan_nest *out)
{
	static const unsigned held[STRATEGY_COUNT] = {
		1u << ROLE_INPUT, 1u << ROLE_WEIGHT, 1u << ROLE_OUTPUT, 0
	};
	struct quiet quiet;
	quiet_begin(&quiet, compilation);
	quiet.compilation.only_weighs = true;
	quiet.compilation.request.restriction.held_roles = held[strategy];
	bool fits = lower_nest(&quiet.compilation, nest, NULL,
		empty_plan(compilation, nest->function, 1), out);
	quiet_end(&quiet);
	return fits ? plan_nest_bytes(out) : -1;
}

static long array_bytes(const struct plan_nest *nest, const struct array *array)
{
	long bytes = 0;
	for (int t = 0; t < nest->traffic_count; t++)
		if (nest->traffic[t].array == array)
			bytes += flow_bytes(&nest->traffic[t].flow);
	return bytes;
}

/* Which array makes the group of LAYER and the next one, as CHOICE says, dearer than ALONE [2],
 * the two. */
static void find_dearest(struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_choice *choice, const struct plan_nest *alone, struct layer *layer)
{
	const struct function *function = groups->function;
	struct plan_nest fused;
	if (!group_emit(groups->compilation, groups, candidate, choice,
		empty_plan(groups->compilation, function, 1), &fused))
		return;
	for (int i = 0; i < function->array_count; i++) {
		const struct array *array = function->arrays[i];
		long more = array_bytes(&fused, array) - array_bytes(&alone[0], array)
			- array_bytes(&alone[1], array);
		if (more > layer->dearest_bytes) {
			layer->dearest = array;
			layer->dearest_bytes = more;
		}
	}
}

/* As CHOICE says, layer N and the next one cost less than NESTS [layer], one by one. */
static bool saves(const struct group_choice *choice, const struct plan_nest *nests, int n)
{
	const struct cost first = plan_nest_cost(&nests[n]), next = plan_nest_cost(&nests[n + 1]);
	const struct cost together = group_choice_cost(choice), alone = cost_sum(&first, &next);
	return cost_is_less(&together, &alone, false);
}

/* Layer N and the next one as a group; NESTS [layer] are those one by one. */
static void weigh_pair(struct groups *groups, struct layer *layers, const struct plan_nest *nests,
	int n)
{
	struct fusion_candidate candidate;
	struct group_choice choice;
	struct group_limits limits = group_limits_of(groups->compilation);
	struct layer *layer = &layers[n];
	long alone = layer->bytes[STRATEGY_FULL], next = layer[1].bytes[STRATEGY_FULL];
	layer->with_next_bytes = -1;
	group_begin(groups, n + 1, &candidate);
	group_grow(groups, &candidate);
	if (!group_is_whole(groups, &candidate)) {
		layer->pair = PAIR_APART;
	} else if (group_search(groups, &candidate, &limits, &choice) != GROUP_FITS) {
		layer->pair = candidate.dim_count ? PAIR_TOO_LARGE : PAIR_UNORDERED;
	} else {
		layer->with_next_bytes = flow_bytes(&choice.flow);
		layer->pair = alone < 0 || next < 0 || saves(&choice, nests, n) ? PAIR_SAVES :
			PAIR_COSTS;
		if (layer->pair == PAIR_COSTS)
			find_dearest(groups, &candidate, &choice, &nests[n], layer);
	}
}

static bool uses(const struct nest *nest, const struct array *array, bool is_write)
{
	for (int a = 0; a < nest->arrays->count; a++)
		if (nest->arrays->items[a].array == array &&
			(is_write ? nest->arrays->items[a].is_written : nest->arrays->items[a].is_read))
			return true;
	return false;
}

/* The first of the COUNT layers that reads ARRAY, or else uses it. */
static struct layer *reader(struct layer *layers, int count, const struct array *array)
{
	for (int is_write = 0; is_write < 2; is_write++)
		for (int n = 0; n < count; n++)
			if (uses(layers[n].nest, array, is_write))
				return &layers[n];
	return layers;
}

static struct layer *writer(struct layer *layers, int count, const struct array *array)
{
	int n = count - 1;
	while (n > 0 && !uses(layers[n].nest, array, true))
		n--;
	return &layers[n];
}

static void share_out(const struct plan *plan, struct layer *layers)
{
	for (int p = 0; p < plan->nest_count; p++) {
		const struct plan_nest *nest = &plan->nests[p];
		struct layer *members = &layers[nest->first_source];
		for (int n = 0; n < nest->source_count; n++)
			members[n].is_fused = nest->source_count > 1;
		for (int t = 0; t < nest->traffic_count; t++) {
			const struct plan_traffic *traffic = &nest->traffic[t];
			reader(members, nest->source_count, traffic->array)->chosen_bytes +=
				traffic->flow.read_bytes;
			writer(members, nest->source_count, traffic->array)->chosen_bytes +=
				traffic->flow.write_bytes;
		}
	}
}

/* The ranking function, equation 9 of the paper: by traffic, the most first; equals in the
 * source's order. */
static void rank(struct layer *layers, int count)
{
	for (int n = 0; n < count; n++) {
		layers[n].rank = 1;
		for (int other = 0; other < count; other++)
			layers[n].rank += layers[other].chosen_bytes > layers[n].chosen_bytes ||
				(other < n && layers[other].chosen_bytes == layers[n].chosen_bytes);
	}
}

struct layer *strategies_of_function(const struct compilation *compilation,
	const struct function *function, const struct plan *plan, int *count)
{
	struct quiet quiet;
	quiet_begin(&quiet, compilation);
	const struct nest *nests = nests_of_function(&quiet.compilation, function, count);
	struct groups *groups = *count > 1 ? groups_new(&quiet.compilation, nests, *count) : NULL;
	struct layer *layers = ARENA_ARRAY(compilation->arena, struct layer, *count + 1);
	struct plan_nest *best = ARENA_ARRAY(compilation->arena, struct plan_nest, *count + 1), other;
	for (int n = 0; n < *count; n++) {
		layers[n].nest = &nests[n];
		layers[n].with_next_bytes = -1;
		for (int s = 0; s < STRATEGY_COUNT; s++)
			layers[n].bytes[s] = weigh(compilation, &nests[n], (enum strategy)s,
				s == STRATEGY_FULL ? &best[n] : &other);
	}
	for (int n = 0; n + 1 < *count; n++)
		weigh_pair(groups, layers, best, n);
	quiet_end(&quiet);
	share_out(plan, layers);
	rank(layers, *count);
	return layers;
}

/* Who computes what is chosen: processing elements or a core, what that costs in the search, and what bounds it. */

#include <limits.h>
#include <math.h>

#include "ir/macs.h"
#include "passes/cost/bound_nest.h"
#include "passes/cost/run_cycles.h"
#include "passes/lower/lower.h"
#include "passes/variants/choice_computing.h"

const char *elements_hindrance(const struct choice *choice)
{
	const struct variant *variant = &choice->variant;
	bool has_siblings = false;
	for (int a = 0; a < variant->groups->count; a++)
		has_siblings |= variant->groups->items[a].has_siblings;
	if (!choice->has_forms || variant->groups->is_split || has_siblings)
		return "processing elements compute nests alone whose regions have closed forms, one for each array";
	if (variant->nest->parent)
		return "processing elements compute nests as a whole, and this is a part of one";
	if (variant->band->prefix || variant_outer_count(variant))
		return "processing elements compute nests alone of which all loops can be tiled";
	if (variant->nest->function->unbound)
		return "processing elements compute nests alone whose sizes are known";
	return NULL;
}

/* Elements of ARCH compute what they can without being asked. */
static bool computes_alone(const struct arch *arch)
{
	return arch->has_pe_array && arch->array.computes && (arch->core_mac_cycles <= 0 || arch->array.mac_cycles > 0);
}

static struct element_question question_of(const struct choice *choice)
{
	const struct compilation *compilation = choice->compilation;
	return (struct element_question){ compilation->arena, &choice->asked.mapping, &choice->variant, &choice->model,
		compilation->arch, compilation->request.reassociate, compilation->is_trial };
}

/* Multiply-accumulates of an iteration of all loops that has most of them. */
static int most_iteration_macs(const struct choice *choice)
{
	const struct nest *nest = choice->variant.nest;
	int most = 0;
	for (int s = 0; s < nest->statement_count; s++)
		most += statement_macs(nest->statements[s]);
	return most;
}

/* Elements compute CHOICE's nest, as far as is known before there is a schedule: as RULES say. */
static bool elements_may_compute(const struct choice *choice, struct mapping_rules *rules)
{
	const struct element_question question = question_of(choice);
	return (choice->asked.mapping.line || computes_alone(choice->compilation->arch)) && !elements_hindrance(choice)
		&& mapping_rules_of(&question, rules);
}

/* The search asks how long a core computes the nest, if its model knows what moves when. */
static void price_core_time(struct choice *choice)
{
	const struct prices *prices = &choice->compilation->request.restriction.prices;
	double macs = fmax(0, (double)nest_macs(choice->variant.nest));
	if (!prices_have_time(prices) || !choice->has_forms || choice->variant.nest->function->unbound)
		return;
	choice->options.prices.cycle = prices->cycle;
	choice->options.prices.multiplies = prices->multiplies;
	choice->options.prices.mac = prices->mac;
	choice->options.prices.macs = macs;
	choice->options.core_cycles = macs * choice->compilation->arch->core_mac_cycles;
}

void computing_price(struct choice *choice)
{
	const struct prices *prices = &choice->compilation->request.restriction.prices;
	struct element_options *elements = ARENA_NEW(choice->compilation->arena, struct element_options);
	if (!prices_have_elements(prices))
		return;
	if (!elements_may_compute(choice, &elements->rules)) {
		price_core_time(choice);
		return;
	}
	elements->macs = most_iteration_macs(choice);
	elements->proves = !choice->asked.mapping.line && !choice_is_restricted(choice);
	for (int a = 0; a < choice->model.array_count && choice->model.bypass_memory; a++)
		elements->bypassing |= (choice->compilation->arch->array.bypass >> choice->model.arrays[a].role & 1
			& !choice->asked.said.memories[a]) << a;
	choice->options.elements = elements;
	choice->options.prices = *prices;
	choice->options.prices.macs = fmax(0, (double)nest_macs(choice->variant.nest));
}

struct mapping_fault elements_map(struct choice *choice)
{
	struct mapping *mapping = ARENA_NEW(choice->compilation->arena, struct mapping);
	const struct element_question question = question_of(choice);
	struct mapping_fault fault = mapping_make(&question, &choice->schedule, choice->options.elements ? &choice->options : NULL,
		&choice->proof, mapping);
	choice->schedule.mapping = fault.why ? NULL : mapping;
	return fault;
}

void elements_map_alone(struct choice *choice)
{
	const struct arch *arch = choice->compilation->arch;
	if (!computes_alone(arch) || choice->schedule.mapping)
		return;
	choice->no_elements = elements_hindrance(choice);
	if (!choice->no_elements)
		choice->no_elements = elements_map(choice).why;
}

/* Multiply-accumulates of each iteration of all loops; 0: some have fewer.  If all together have as many as when each did
 * all that the statements do, each does. */
static int iteration_macs(const struct choice *choice)
{
	long most = most_iteration_macs(choice), all = nest_macs(choice->variant.nest), sum = most;
	for (int l = 0; l < choice->model.loop_count; l++)
		if (__builtin_mul_overflow(sum, choice->model.loops[l].extent, &sum))
			return 0;
	return sum == all ? (int)most : 0;
}

/* No mapping to elements moves fewer words: all their registers together are a memory that holds as much. */
void elements_bound_words(const struct choice *choice, struct plan_array *elements)
{
	const struct pe_array *array = &choice->compilation->arch->array;
	struct nest_model model = choice->model;
	long registers = 0, smallest = LONG_MAX;
	bool adds = false;
	for (int m = 0; m < arch_memory_count(choice->compilation->arch); m++)
		adds |= arch_memory(choice->compilation->arch, m).accumulates;
	for (int a = 0; a < model.array_count; a++) {
		smallest = model.arrays[a].element_bytes < smallest ? model.arrays[a].element_bytes : smallest;
		model.arrays[a].element_bytes = 1;
		model.arrays[a].align_bytes = 1;
	}
	/* where a memory adds up, sums are not read again */
	if (!adds && !__builtin_mul_overflow((long)array->x * array->y, array->registers_bytes / smallest, &registers))
		elements->bound_words = model_lower_bound(&model, registers, &elements->bound_argument);
	elements->iteration_macs = iteration_macs(choice);
}

/* Other forms cost no less than their bytes, and as long as these are copied or a core computes, if that is what does. */
static double rivals_priced_bound(const struct choice *choice)
{
	const struct arch *arch = choice->compilation->arch;
	const struct objective asked = objective_priced(RANK_ASKED, &choice->options.prices, arch->max_rank == 1);
	struct cost cost = cost_of_bytes((double)choice->rivals_bound);
	/* a run takes a cycle */
	cost.cycles = fmax(1, fmax(copy_cycles(arch, &cost.crossings[BOUNDARY_EXTERNAL], 0), choice->options.core_cycles));
	cost.bypassed_bytes = arch->bypass_memory ? (double)choice->rivals_bound : 0;
	return choice->rivals_bound == LONG_MAX ? INFINITY : choice->rivals_bound > 0 ? objective_value(&asked, &cost) : 0;
}

static double with_rivals(const struct choice *choice)
{
	return fmin(choice->proof.bound_priced, rivals_priced_bound(choice));
}

double elements_priced_bound(const struct choice *choice, const struct plan_array *elements)
{
	/* cycles are bounded as if all iterations had as many multiply-accumulates */
	bool is_known = choice->options.elements && choice->options.elements->proves
		&& (elements->iteration_macs > 0 || !prices_have_time(&choice->options.prices));
	return is_known ? with_rivals(choice) : 0;
}

double core_priced_bound(const struct choice *choice)
{
	return !choice->options.elements && prices_are_given(&choice->options.prices) ? with_rivals(choice) : 0;
}

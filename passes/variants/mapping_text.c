/* Lines of a schedule about processing elements become a mapping, and a mapping becomes lines. */

#include "passes/variants/mapping_text.h"

#include <math.h>
#include <string.h>

#include "passes/cost/model_math.h"

struct making {
	struct arena *arena;
	const struct mapping_asked *asked;
	const struct variant *variant;
	const struct nest_model *model;
	const struct pe_array *machine;
	const struct schedule *schedule;
	const struct arch *arch;
	bool reassociates;
	struct mapping *mapping;
	struct mapping_fault fault;
};

static void find_fault(struct making *making, const struct schedule_line *line, const char *why)
{
	if (!making->fault.why)
		making->fault = (struct mapping_fault){ why, line ? line : making->asked->line };
}

static const char *loop_name(const struct making *making, int l)
{
	return making->model->loops[l].name;
}

static void take_shares(struct making *making)
{
	for (int l = 0; l < making->model->loop_count; l++) {
		struct mapping *mapping = making->mapping;
		long tile = making->schedule->tile[l];
		mapping->part[l] = making->asked->part[l] ? making->asked->part[l] : 1;
		mapping->space[l] = making->asked->space[l] ? making->asked->space[l] : 1;
		mapping->axis[l] = making->asked->axis[l];
		if (mapping->part[l] > tile)
			find_fault(making, making->asked->parts[l], arena_printf(making->arena, "a tile of loop '%s' has %ld iterations: "
				"no element takes %ld", loop_name(making, l), tile, mapping->part[l]));
		else if (mapping->space[l] - 1 > (tile - 1) / mapping->part[l])
			find_fault(making, making->asked->spaces[l], arena_printf(making->arena, "a tile of loop '%s' has %ld iterations: "
				"of %ld elements that take %ld each some have nothing to do", loop_name(making, l), tile,
				mapping->space[l], mapping->part[l]));
	}
}

/* The axes have room for the elements. */
static void check_axes(struct making *making)
{
	const struct pe_array *machine = making->machine;
	static const char *const names[] = { "x", "y", "free" };
	long used[] = { 1, 1, 1 }, room[] = { machine->x, machine->y, (long)machine->x * machine->y };
	for (int l = 0; l < making->model->loop_count; l++) {
		long space = making->mapping->space[l];
		enum axis axis = making->mapping->axis[l];
		if (space == 1)
			continue;
		if ((axis == AXIS_FREE) != machine->is_free)
			find_fault(making, making->asked->spaces[l], machine->is_free ? "the machine's array has 'shape: free': loops in "
				"space are 'free', on no axis" : "the machine's array has rows: a loop in space is on the axis x or y");
		else if (space > room[axis] / used[axis])
			find_fault(making, making->asked->spaces[l], arena_printf(making->arena, axis == AXIS_FREE
				? "the machine's array has no room for %ld times %ld elements" : "the machine's array has no room for %ld "
				"times %ld elements along %s", used[axis], space, names[axis]));
		else
			used[axis] *= space;
	}
}

/* Statement S, which uses an array that LOOP, shared by elements, does not index, adds to it, or runs in the
 * first of them alone. */
static bool is_sum(const struct variant *variant, int s, int loop)
{
	const struct statement *statement = variant->nest->statements[s];
	const struct hyperplane *plane = &variant->band->dims[loop].planes[s];
	return plane->kind == HYPERPLANE_FIRST || (plane->kind == HYPERPLANE_AFFINE
		&& statement->reduction == REDUCTION_SUM);
}

/* Why elements that share LOOP cannot all work at once, whatever the machine; NULL: they can. */
static const char *sharing_fault(const struct making *making, int loop)
{
	const struct variant *variant = making->variant;
	if (making->model->loops[loop].is_forward)
		return arena_printf(making->arena, "the iterations of loop '%s' need each other's results: elements cannot "
			"share it", loop_name(making, loop));
	for (int s = 0; s < variant->nest->statement_count; s++)
		if (variant->band->dims[loop].planes[s].kind == HYPERPLANE_LAST)
			return arena_printf(making->arena, "a statement runs when loop '%s' has ended: elements cannot share it",
				loop_name(making, loop));
	for (int a = 0; a < variant->groups->count; a++) {
		const struct reference_group *group = &variant->groups->items[a];
		if (!making->model->arrays[a].is_written || array_is_indexed(&making->model->arrays[a], loop)
			|| (making->model->arrays[a].anchored >> loop & 1))
			continue;
		for (int i = 0; i < group->access_count; i++)
			if (!is_sum(variant, group->accesses[i].statement, loop))
				return arena_printf(making->arena, "elements that share loop '%s' would each have a part of '%s', "
					"which is no sum", loop_name(making, loop), group->array->source_name);
	}
	return NULL;
}

/* Elements that share LOOP may all work at once. */
static void check_sharing(struct making *making, int loop)
{
	const struct variant *variant = making->variant;
	const struct schedule_line *line = making->asked->spaces[loop];
	const char *why = sharing_fault(making, loop);
	if (why)
		find_fault(making, line, why);
	for (int a = 0; a < variant->groups->count; a++)
		if (making->model->arrays[a].is_written && !array_is_indexed(&making->model->arrays[a], loop)
			&& !(making->model->arrays[a].anchored >> loop & 1)
			&& !(making->machine->reduce >> making->mapping->axis[loop] & 1))
			find_fault(making, line, arena_printf(making->arena, "elements that share loop '%s' have sums of '%s' to add up, "
				"and the machine's array cannot along this axis", loop_name(making, loop),
				variant->groups->items[a].array->source_name));
}

/* STATEMENT sets an element of ARRAY, or adds to it, and reads no other element. */
static bool is_of_one(const struct statement *statement, const struct array *array)
{
	int uses = 0;
	for (int a = 0; a < statement->access_count; a++)
		uses += statement->accesses[a].array == array;
	return statement->accesses[0].array == array && uses == (statement->reduction == REDUCTION_SUM ? 2 : 1);
}

/* Array A is a sum of its group's statements, which start it in the first iteration, if they do, of all loops that do not
 * index it; in whatever order it is added up. */
static bool is_sum_of_all(const struct making *making, int a)
{
	const struct variant *variant = making->variant;
	const struct reference_group *group = &variant->groups->items[a];
	bool is = group->is_written && (making->reassociates || !type_is_float(group->array->type.kind));
	for (int i = 0; i < group->access_count && is; i++)
		is = is_of_one(variant->nest->statements[group->accesses[i].statement], group->array);
	for (int l = 0; l < making->model->loop_count && is; l++)
		for (int i = 0; i < group->access_count && is; i++)
			is = array_is_indexed(&making->model->arrays[a], l) || is_sum(variant, group->accesses[i].statement, l);
	return is;
}

/* Which arrays lie in memories that add what elements have of their sums to what is there. */
static void take_memories(struct making *making)
{
	for (int a = 0; a < making->model->array_count; a++)
		making->mapping->holds[a].may_add = arch_memory(making->arch, making->schedule->storage[a].memory).accumulates
			&& is_sum_of_all(making, a);
}

static void take_steps(struct making *making)
{
	const struct mapping_asked *asked = making->asked;
	struct mapping *mapping = making->mapping;
	int named = 0;
	mapping_order(making->model, making->schedule, mapping);
	for (int i = 0; i < asked->step_count; i++) {
		int l = asked->order[i];
		if (mapping_step(mapping, making->schedule, l) < making->schedule->tile[l])
			mapping->order[named++] = l;
		else
			find_fault(making, asked->steps, arena_printf(making->arena, "a tile of loop '%s' is one step: there is no loop "
				"over its steps", loop_name(making, l)));
	}
	if (asked->steps && named != mapping->depth && !making->fault.why) {
		for (int l = 0; l < making->model->loop_count; l++) {
			bool is_named = mapping_step(mapping, making->schedule, l) == making->schedule->tile[l];
			for (int i = 0; i < named; i++)
				is_named |= mapping->order[i] == l;
			if (!is_named)
				find_fault(making, asked->steps, arena_printf(making->arena, "a tile of loop '%s' has several steps, and the "
					"line does not say where their loop is", loop_name(making, l)));
		}
	}
	for (int l = 0; l < making->model->loop_count; l++) {
		mapping->is_serpentine[l] = asked->is_serpentine[l];
		if (asked->is_serpentine[l] && making->model->loops[l].is_forward)
			find_fault(making, asked->serpentine, arena_printf(making->arena, "a dependence forbids to walk backwards the "
				"steps of loop '%s'", loop_name(making, l)));
		else if (asked->is_serpentine[l] && mapping_step(mapping, making->schedule, l) == making->schedule->tile[l])
			find_fault(making, asked->serpentine, arena_printf(making->arena, "a tile of loop '%s' is one step: there is no "
				"loop over its steps to turn", loop_name(making, l)));
	}
}

/* The loops outside a buffer in the tile loop, or step loop, of LOOP; -1: there is none. */
static int depth_in(const struct making *making, bool is_step, int loop)
{
	const struct schedule *schedule = making->schedule;
	for (int i = 0; i < (is_step ? making->mapping->depth : schedule->depth); i++)
		if ((is_step ? making->mapping->order[i] : schedule->order[i]) == loop)
			return (is_step ? schedule->depth : 0) + i + 1;
	return -1;
}

static void take_hold(struct making *making, int a)
{
	const struct hold_asked *asked = &making->asked->holds[a];
	struct hold *hold = &making->mapping->holds[a];
	const char *name = making->model->arrays[a].name;
	bool is_step = asked->place == HOLD_IN_STEP;
	if (!asked->line)
		return;
	hold->slots = asked->slots;
	hold->is_sliding = asked->is_sliding;
	hold->is_double = asked->is_double;
	if (asked->place == HOLD_FREE)
		return;
	hold->depth = asked->place == HOLD_OUTSIDE ? 0 : depth_in(making, is_step, asked->loop);
	if (hold->depth < 0)
		find_fault(making, asked->line, arena_printf(making->arena, "loop '%s' has no loop over %s to hold '%s' in",
			loop_name(making, asked->loop), is_step ? "steps" : "tiles", name));
	else if (hold->depth > 0 && !array_is_indexed(&making->model->arrays[a], asked->loop))
		find_fault(making, asked->line, arena_printf(making->arena, "loop '%s' does not move what elements hold of '%s': "
			"it is the same outside it", loop_name(making, asked->loop), name));
	else if (hold->depth < making->schedule->storage[a].store)
		find_fault(making, asked->line, arena_printf(making->arena, "registers cannot hold '%s' further out than the "
			"scratchpad does, in loop '%s'", name,
			loop_name(making, making->schedule->order[making->schedule->storage[a].store - 1])));
}

static void take_holds(struct making *making)
{
	mapping_stream(making->model, making->schedule, making->mapping);
	for (int a = 0; a < making->model->array_count; a++) {
		struct hold *hold = &making->mapping->holds[a];
		int store = making->schedule->storage[a].store;
		bool is_all = bypasses(making->model, &making->schedule->storage[a]);
		hold->depth = hold->depth < store || is_all ? store : hold->depth;
		hold->is_double = making->machine->is_double && hold->depth > 0 && !making->model->arrays[a].anchored
			&& !making->model->arrays[a].is_written;
		take_hold(making, a);
		if (is_all && !mapping_holds_alone(hold, &making->schedule->storage[a]))
			find_fault(making, making->asked->holds[a].line, arena_printf(making->arena, "registers are all that holds '%s', which "
				"bypasses memories: they hold one region, where the schedule stores it, in a single buffer without a window that "
				"slides", making->model->arrays[a].name));
	}
}

static void check_rest(struct making *making)
{
	struct mapping *mapping = making->mapping;
	if (mapping_evaluate(making->model, making->machine, making->schedule, mapping))
		return;
	for (int role = 0; role < ROLE_COUNT && making->machine->is_split; role++)
		if (mapping->role_bytes[role] > making->machine->role_bytes[role])
			find_fault(making, NULL, arena_printf(making->arena, "the registers of an element have %ld bytes for %s arrays, and "
				"this needs %ld", making->machine->role_bytes[role], role_names[role], mapping->role_bytes[role]));
	if (mapping->register_bytes > making->machine->registers_bytes)
		find_fault(making, NULL, arena_printf(making->arena, "the registers of an element have %ld bytes, and this needs %ld",
			making->machine->registers_bytes, mapping->register_bytes));
	for (int a = 0; a < making->model->array_count; a++)
		if (making->asked->holds[a].line)
			find_fault(making, making->asked->holds[a].line, arena_printf(making->arena, "registers cannot hold '%s' so: slots "
				"need a loop that turns and has as many steps, a window that slides a loop that one element has, and both "
				"words that no other step or element has, where they are written", making->model->arrays[a].name));
	find_fault(making, NULL, "elements cannot share these loops: what they write would not be apart");
}

/* ---- what is searched ---- */

/* Nothing is said that makes a mapping whole. */
static bool is_searched(const struct mapping_asked *asked, const struct nest_model *model)
{
	bool is_searched = !asked->steps && !asked->serpentine;
	for (int a = 0; a < model->array_count; a++)
		is_searched &= !asked->holds[a].line
			|| (asked->holds[a].slots == 1 && !asked->holds[a].is_sliding && !asked->holds[a].is_double);
	return is_searched;
}

static struct making making_of(const struct element_question *question, const struct schedule *schedule,
	struct mapping *mapping)
{
	return (struct making){ .arena = question->arena, .asked = question->asked, .variant = question->variant,
		.model = question->model, .arch = question->arch, .machine = &question->arch->array,
		.reassociates = question->reassociates, .schedule = schedule, .mapping = mapping };
}

bool mapping_rules_of(const struct element_question *question, struct mapping_rules *rules)
{
	const struct making making = making_of(question, NULL, NULL);
	const struct mapping_asked *asked = question->asked;
	*rules = (struct mapping_rules){ .shareable = 0 };
	for (int l = 0; l < question->model->loop_count; l++) {
		rules->part[l] = asked->part[l];
		rules->space[l] = asked->space[l];
		rules->axis[l] = asked->space[l] ? (int)asked->axis[l] : -1;
		if (!sharing_fault(&making, l))
			rules->shareable |= 1u << l;
	}
	for (int a = 0; a < question->model->array_count; a++) {
		rules->holds[a] = (struct hold_rule){ asked->holds[a].place, asked->holds[a].loop };
		rules->sums |= (unsigned)is_sum_of_all(&making, a) << a;
	}
	for (int m = 0; m < arch_memory_count(question->arch); m++)
		rules->accumulating |= (unsigned)arch_memory(question->arch, m).accumulates << m;
	return is_searched(asked, question->model);
}

/* Looks for the best mapping of PROBLEM that costs BELOW or less, of those that cost the same one with the fewest iterations. */
static bool search_below(const struct mapping_problem *problem, double below, struct mapping *mapping)
{
	const struct mapping_sought sought = { below, MAPPING_POINTS };
	struct mapping_proof proof;
	if (!mapping_search(problem, &sought, mapping, &proof))
		return false;
	mapping_hasten(problem, proof.cost.value * (1 + 1e-9), MAPPING_TIE_POINTS, mapping);
	return true;
}

/* The best mapping that is as ASKED; false if none was found. */
static bool search(struct making *making, const struct element_question *question)
{
	static const struct prices fewest = { .moved = 1 };
	struct mapping_rules rules;
	const struct mapping_problem problem = { making->model, making->machine, making->schedule, &rules, .prices = &fewest };
	return mapping_rules_of(question, &rules) && search_below(&problem, INFINITY, making->mapping);
}

/* That, or one as good, with which the schedule was SEARCHED and FOUND. */
static bool search_again(struct making *making, const struct element_question *question, const struct search_options *searched,
	const struct mapping *found)
{
	const struct arch *arch = making->arch;
	const struct objective objective = objective_priced(RANK_ASKED, &searched->prices, arch->max_rank == 1);
	struct mapping_rules rules;
	struct cost outer = making->schedule->cost;
	outer.computing_price = 0;
	const struct mapping_problem problem = { making->model, making->machine, making->schedule, &rules,
		.prices = &searched->prices, .macs = searched->elements->macs, .base = objective_sum_of(&objective, &outer),
		.copies = copies_of(making->model, arch, making->schedule) };
	if (!mapping_rules_of(question, &rules))
		return false;
	*making->mapping = *found;
	if (!mapping_obeys(&problem, found) || !mapping_evaluate(making->model, making->machine, making->schedule, making->mapping))
		return search_below(&problem, INFINITY, making->mapping);
	if (!prices_have_time(problem.prices) && !question->is_trial) {
		const double value = mapping_cost_of(&problem, making->mapping).value;
		struct mapping better;
		if (search_below(&problem, value * (1 + 1e-9), &better))
			*making->mapping = better;
	}
	return true;
}

/* A mapping of what is said, and what stands for what is not. */
static void make(struct making *making)
{
	memset(making->mapping, 0, sizeof *making->mapping);
	if (!making->fault.why)
		take_shares(making);
	if (!making->fault.why)
		check_axes(making);
	for (int l = 0; l < making->model->loop_count && !making->fault.why; l++)
		if (making->mapping->space[l] > 1)
			check_sharing(making, l);
	if (!making->fault.why)
		take_steps(making);
	if (!making->fault.why)
		take_holds(making);
	if (!making->fault.why)
		take_memories(making);
	if (!making->fault.why)
		check_rest(making);
}

struct mapping_fault mapping_make(const struct element_question *question, const struct schedule *schedule,
	const struct search_options *searched, const struct proof *proof, struct mapping *mapping)
{
	const struct arch *arch = question->arch;
	struct making making = making_of(question, schedule, mapping);
	if (!arch->has_pe_array)
		find_fault(&making, NULL, "the machine has no processing elements ('pe_array')");
	if (arch->core_mac_cycles > 0 && arch->array.mac_cycles <= 0)
		find_fault(&making, NULL, "the machine's core computes ('core.mac_cycles'), and no processing elements for it: how "
			"long these take is not told ('pe_array.mac_cycles')");
	/* if there is none, what is said is what is wrong */
	if (making.fault.why || !(searched ? search_again(&making, question, searched, &proof->mapping) : search(&making, question)))
		make(&making);
	return making.fault;
}

/* ---- printing ---- */

static const char *print_hold(struct arena *arena, const struct nest_model *model, const struct schedule *schedule, int a)
{
	const struct mapping *mapping = schedule->mapping;
	const struct hold *hold = &mapping->holds[a];
	const char *text = arena_printf(arena, "hold %s", model->arrays[a].name);
	if (hold->depth == 0)
		text = arena_printf(arena, "%s outside", text);
	else if (hold->depth <= schedule->depth)
		text = arena_printf(arena, "%s in %s", text, model->loops[schedule->order[hold->depth - 1]].name);
	else
		text = arena_printf(arena, "%s in %s.step", text,
			model->loops[mapping->order[hold->depth - 1 - schedule->depth]].name);
	if (hold->slots > 1)
		text = arena_printf(arena, "%s slots %ld", text, hold->slots);
	return arena_printf(arena, "%s%s%s\n", text, hold->is_sliding ? " sliding" : "", hold->is_double ? " double" : "");
}

const char *mapping_print(struct arena *arena, const struct nest_model *model, const struct schedule *schedule)
{
	static const char *const axes[] = { "x", "y", "free" };
	const struct mapping *mapping = schedule->mapping;
	const char *text = "", *steps = "steps";
	for (int l = 0; l < model->loop_count; l++)
		if (mapping->space[l] > 1)
			text = arena_printf(arena, "%sspatial %s %s %ld\n", text, model->loops[l].name, axes[mapping->axis[l]],
				mapping->space[l]);
	for (int l = 0; l < model->loop_count; l++)
		if (mapping->part[l] > 1)
			text = arena_printf(arena, "%sregister %s %ld\n", text, model->loops[l].name, mapping->part[l]);
	for (int i = 0; i < mapping->depth; i++)
		steps = arena_printf(arena, "%s %s", steps, model->loops[mapping->order[i]].name);
	text = arena_printf(arena, "%s%s\n", text, steps);
	for (int a = 0; a < model->array_count; a++)
		text = arena_printf(arena, "%s%s", text, print_hold(arena, model, schedule, a));
	return text;
}

const char *mapping_print_turns(struct arena *arena, const struct nest_model *model, const struct mapping *mapping)
{
	const char *text = "";
	for (int i = 0; i < mapping->depth; i++)
		if (mapping->is_serpentine[mapping->order[i]])
			text = arena_printf(arena, "%s %s.step", text, model->loops[mapping->order[i]].name);
	return text;
}

/* A choice whose model only bounds the regions: schedules are found for the model, in less and less memory, until the
 * real regions fit. */

#include "passes/cost/plan_cost.h"
#include "passes/nest_work.h"
#include "passes/search/search_memo.h"
#include "passes/variants/choice.h"

/* Regions that are no boxes may move row by row, which is less, in as much scratchpad. */
static void try_rows(struct choice *choice, const struct plan *before, struct plan *plan,
	struct plan_nest *out)
{
	struct plan rows_plan = *before;
	struct plan_nest rows = { .name = out->name, .location = out->location };
	if (plan_nest_reaches(out, nest_compulsory(choice->variant.nest)))
		return;
	choice->schedule.moves_boxes = false;
	if (choice_weigh(choice, &rows_plan, &rows)
		&& plan_nest_compare(&rows, out) < 0
		&& !plan_nest_misaligned(&rows_plan, &rows).array) {
		*plan = rows_plan;
		*out = rows;
	} else {
		choice->schedule.moves_boxes = true;
	}
}

/* The model as it is searched: without closed forms no loop turns but those that are to, as what that
 * saves only the plan knows. */
static struct nest_model searched_model(const struct choice *choice)
{
	struct nest_model model = choice->model;
	for (int l = 0; l < model.loop_count && !choice->takes_turns; l++)
		model.loops[l].is_forward |= choice->options.serpentine[l] != 1;
	return model;
}

bool choice_search_within(struct choice *choice, long capacity, long points)
{
	const struct arch budget = arch_resized(choice->compilation->arch, capacity);
	const struct nest_model model = searched_model(choice);
	long effort = choice->compilation->request.effort;
	choice->options.effort = effort > 0 && effort < points ? effort : points;
	if (budget.scratchpad_bytes <= 0)
		return false;
	bool found = search_schedule_once(choice->compilation->known.searches, &model, &budget,
		&choice->options, &choice->schedule, &choice->proof);
	if (!found && choice->proof.smallest > choice->hindrance.smallest)
		choice->hindrance.smallest = choice->proof.smallest;
	return found;
}

enum outcome choice_weigh_general(struct choice *choice, struct plan *plan, struct plan_nest *out)
{
	const struct plan before = *plan;
	choice->schedule.moves_boxes = true;
	bool is_lowered = choice_weigh(choice, plan, out);
	if (is_lowered && choice_is_aligned(choice, plan, out)) {
		try_rows(choice, &before, plan, out);
		return LOWERED;
	}
	return choice->hindrance.obstacle.clash[0] >= 0 ? CLASH
		: choice->hindrance.obstacle.needed_bytes || is_lowered ? NO_FIT : TOO_LONG;
}

/* What is left of CAPACITY for the model, where the regions of the schedule it found are larger
 * than it says. */
static long less_capacity(const struct choice *choice, long capacity)
{
	/* where the real regions are far from the model's, isl has long to say so each time */
	long share = choice->hindrance.obstacle.needed_bytes / 4 > capacity ? 2 : 6;
	long less = capacity - capacity / share - 1;
	/* nor may it be the same schedule again */
	return less < choice->schedule.scratchpad_bytes ? less : choice->schedule.scratchpad_bytes - 1;
}

/* The real regions of single iterations do not fit: those of all tiles hold them.  Of several memories that
 * is not said, as arrays may lie in others. */
static bool is_ever_too_large(const struct choice *choice)
{
	struct choice finest = *choice;
	const struct nest_model *model = &choice->model;
	struct plan plan = { .function = choice->variant.nest->function };
	struct plan_nest out = { .name = choice->variant.nest->name };
	if (arch_memory_count(choice->compilation->arch) > 1)
		return false;
	finest.schedule = (struct schedule){ .depth = 0 };
	for (int l = 0; l < model->loop_count; l++) {
		finest.schedule.tile[l] = 1;
		if (model->loops[l].extent > 1)
			finest.schedule.order[finest.schedule.depth++] = l;
	}
	for (int a = 0; a < model->array_count; a++)
		finest.schedule.storage[a] = (struct storage){ .store = finest.schedule.depth, .slots = 1 };
	return !choice_weigh(&finest, &plan, &out)
		&& finest.hindrance.obstacle.needed_bytes > choice->compilation->arch->scratchpad_bytes;
}

/* The best for the model in CAPACITY, or in as little as it needs at least: the real regions of that may be smaller.  Of several memories it
 * is not known how little that is: a half more is tried, and again. */
static bool search_from(struct choice *choice, long capacity, long points)
{
	enum { MORE = 3 };
	const bool has_several = arch_memory_count(choice->compilation->arch) > 1;
	bool found = choice_search_within(choice, capacity, points);
	for (int i = 0; i < (has_several ? MORE : 1) && !found; i++) {
		capacity = has_several ? capacity + capacity / 2 : choice->hindrance.smallest;
		found = choice_search_within(choice, capacity, points);
	}
	return found;
}

/* The model only bounds the regions: search under a budget that shrinks until the real
 * ones fit. */
enum outcome choice_lower_general(struct choice *choice, struct plan *plan, struct plan_nest *out)
{
	enum { TRIES = 24, LEAST_POINTS = 50000 };
	long capacity = choice->compilation->arch->scratchpad_bytes, points = 0;
	double seconds = 0;
	for (int i = 0; i < TRIES; i++) {
		long left = points < BOXES_POINTS - LEAST_POINTS ? BOXES_POINTS - points : LEAST_POINTS;
		if (!(i ? choice_search_within(choice, capacity, left) : search_from(choice, capacity, left)))
			break;
		choice->proof.points = points += choice->proof.points;
		choice->proof.seconds = seconds += choice->proof.seconds;
		choice->tries = i + 1;
		enum outcome outcome = choice_weigh_general(choice, plan, out);
		if (outcome != NO_FIT)
			return outcome;
		if (nest_work_is_spent(choice->compilation))
			return TOO_LONG;
		capacity = less_capacity(choice, capacity);
	}
	if (choice->hindrance.smallest < choice->hindrance.obstacle.needed_bytes)
		choice->hindrance.smallest = choice->hindrance.obstacle.needed_bytes;
	choice->hindrance.is_final = is_ever_too_large(choice);
	return NO_FIT;
}

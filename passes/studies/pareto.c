#include "passes/studies/pareto.h"

#include <math.h>

#include "ir/isl_work.h"
#include "passes/analysis/nest_memo.h"
#include "passes/fusion/fuse.h"
#include "passes/fusion/fusion_memo.h"
#include "passes/lower_function.h"
#include "passes/variants/lower_nest.h"
#include "passes/cost/model_math.h"
#include "passes/search/search_memo.h"
#include "passes/quiet.h"
#include "passes/studies/registers.h"

/* What was found in some capacity holds for all down to what it needs. */
struct answer {
	long capacity_bytes;
	bool found;
	bool is_counted;             /* a model counts what it moves, and nothing moves less */
	struct front_point point;
};

struct nest_answers {
	int count;
	size_t capacity;
	struct answer *answers;
};

struct question {
	const struct compilation *compilation;   /* the caller's */
	const struct function *function;
	int nest_count;
	const struct nest *nests;
	struct nest_answers *answers;    /* [nest] */
	struct fusion_memo *fusions;
	int nest;                    /* that front_find asks about now */
	double work;                 /* done for the present front */
	int searches;                /* likewise */
	const long *register_traffic;
};

static struct arch *arch_of(const struct compilation *compilation, long capacity)
{
	struct arch *arch = ARENA_NEW(compilation->arena, struct arch);
	*arch = arch_limited(compilation->arch, capacity);
	return arch;
}

/* What is made of one scratchpad is gone with it.  Returns what isl has done before. */
static unsigned long begin(struct quiet *quiet, const struct compilation *compilation,
	long capacity)
{
	quiet_begin(quiet, compilation);
	quiet->compilation.arena = arena_new();
	quiet->compilation.known.searches = search_memo_new(quiet->compilation.arena,
		quiet->compilation.spent.work);
	quiet->compilation.arch = arch_of(&quiet->compilation, capacity);
	quiet->compilation.only_weighs = true;
	quiet->compilation.request.restriction.prefers_memory = true;
	quiet->compilation.request.spares_memory = true;
	if (quiet->compilation.request.buffering == BUFFERING_AUTO)
		quiet->compilation.request.buffering = BUFFERING_SINGLE;
	return isl_operations(compilation->ctx);
}

/* BEGUN: what begin returned.  isl takes less time for an operation than the search for a point,
 * and less again for those that are only counted (nest_memo.h). */
static void end(struct quiet *quiet, unsigned long begun)
{
	static const double POINTS_AN_OPERATION = 0.25;
	compilation_add_work(&quiet->compilation, POINTS_AN_OPERATION
		* (double)(isl_operations(quiet->compilation.ctx) - begun));
	arena_free(quiet->compilation.arena);
	quiet_end(quiet);
}

static struct plan *empty_plan(const struct question *question, const struct quiet *quiet)
{
	struct plan *plan = ARENA_NEW(quiet->compilation.arena, struct plan);
	plan->arena = quiet->compilation.arena;
	plan->program = quiet->compilation.program;
	plan->function = question->function;
	plan->arch = quiet->compilation.arch;
	plan->nests = ARENA_ARRAY(quiet->compilation.arena, struct plan_nest, 1);
	return plan;
}

static const struct front_point nothing = { .is_proved = true, .schedule = "" };

/* What runs after what POINT has already. */
static void add_point(struct arena *arena, const struct front_point *more,
	struct front_point *point)
{
	point->traffic_bytes += more->traffic_bytes;
	if (more->memory_bytes > point->memory_bytes)
		point->memory_bytes = more->memory_bytes;
	energy_counts_add(&point->counts, &more->counts);
	point->is_proved &= more->is_proved;
	point->schedule = arena_printf(arena, "%s%s", point->schedule, more->schedule);
}

/* TRAFFIC: what register_traffic says of the function whose nest it is. */
static void add_entry(const struct question *question, const long *traffic, struct plan_nest *nest,
	struct front_point *point)
{
	const struct compilation *compilation = question->compilation;
	register_traffic_fill(traffic, nest);
	add_point(compilation->arena, &(struct front_point){
		.traffic_bytes = plan_nest_bytes(nest), .memory_bytes = nest->scratchpad_used_bytes,
		.counts = energy_counts_of_nest(compilation->arch, nest,
			energy_scratchpad_bytes(compilation->arch, nest->scratchpad_used_bytes)),
		.is_proved = nest->optimal, .schedule = nest->schedule ? nest->schedule : "" }, point);
}

static struct answer lower_in(const struct question *question, int n, long capacity)
{
	struct answer answer = { .capacity_bytes = capacity, .point = nothing };
	struct quiet quiet;
	struct plan_nest out;
	unsigned long begun = begin(&quiet, question->compilation, capacity);
	const struct nest *nest = &question->nests[n];
	answer.found = lower_nest(&quiet.compilation, nest_renew(&quiet.compilation, nest,
		nest->function, nest->statements, nest->statement_count), NULL,
		empty_plan(question, &quiet), &out);
	if (answer.found)
		add_entry(question, question->register_traffic, &out, &answer.point);
	answer.is_counted = answer.found && out.has_forms && out.optimal;
	end(&quiet, begun);
	return answer;
}

static bool is_no_worse(const struct front_point *one, const struct front_point *other)
{
	const struct objective asked = objective_of(RANK_ASKED);
	const struct cost mine = front_point_cost(one), its = front_point_cost(other);
	return objective_compare(&asked, &mine, &its) <= 0;
}

/* Nest N in CAPACITY, such that a compilation for what it needs makes the same of it.  Where not all
 * regions have closed forms, what was found in some scratchpad may not be found in the one that it
 * needs: the point is then where it was found. */
static struct answer lower_again_in(const struct question *question, int n, long capacity)
{
	struct answer answer = lower_in(question, n, capacity);
	long need = answer.point.memory_bytes;
	if (!answer.found || answer.is_counted || need == capacity)
		return answer;
	struct answer again = lower_in(question, n, need);
	if (again.found && is_no_worse(&again.point, &answer.point))
		answer.point = again.point;
	else
		need = capacity;
	answer.point.memory_bytes = need;
	return answer;
}

/* Nest N in CAPACITY, as it was found before or now. */
static const struct answer *ask(struct question *question, int n, long capacity)
{
	struct nest_answers *known = &question->answers[n];
	for (int i = 0; i < known->count; i++) {
		const struct answer *answer = &known->answers[i];
		if (answer->capacity_bytes >= capacity &&
			(!answer->found || answer->point.memory_bytes <= capacity))
			return answer;
	}
	known->answers = arena_grow(question->compilation->arena, known->answers,
		(size_t)known->count, &known->capacity, sizeof *known->answers);
	known->answers[known->count] = lower_again_in(question, n, capacity);
	return &known->answers[known->count++];
}

static void show_search(struct question *question, long capacity)
{
	progress_show(question->compilation, "front of %s: search %d, of %ld bytes of scratchpad",
		question->function->name, ++question->searches, capacity);
}

static bool search_nest(void *user, long capacity, struct front_point *point)
{
	struct question *question = user;
	show_search(question, capacity);
	const struct answer *answer = ask(question, question->nest, capacity);
	*point = answer->point;
	return answer->found;
}

/* One nest after the other: bytes add up, the scratchpad is the largest that one needs. */
static bool search_nests(void *user, long capacity, struct front_point *point)
{
	struct question *question = user;
	show_search(question, capacity);
	*point = nothing;
	for (int n = 0; n < question->nest_count; n++) {
		const struct answer *answer = ask(question, n, capacity);
		if (!answer->found)
			return false;
		add_point(question->compilation->arena, &answer->point, point);
	}
	return true;
}

/* What a compilation for CAPACITY makes of the whole function. */
static bool lower_whole(const struct question *question, long capacity, struct front_point *point)
{
	struct quiet quiet;
	unsigned long begun = begin(&quiet, question->compilation, capacity);
	quiet.compilation.known.fusions = question->fusions;
	const struct plan *plan = lower_function(&quiet.compilation, question->function);
	const long *traffic = !plan || plan->written == question->function ? question->register_traffic
		: register_traffic(&quiet.compilation, plan->written);
	*point = nothing;
	for (int n = 0; plan && n < plan->nest_count; n++)
		add_entry(question, traffic, &plan->nests[n], point);
	bool found = plan != NULL;
	point->is_proved = found && plan->bounds.optimal;
	end(&quiet, begun);
	return found;
}

/* With fusion, or where nests may be distributed: the whole function, its groups and what stays on chip chosen for the capacity.  What
 * was found in some scratchpad may not be found in the one that it needs, where the model counts
 * more than the plan: the point is then where it was found, so that it is what a compilation for
 * its scratchpad makes. */
static bool search_function(void *user, long capacity, struct front_point *point)
{
	struct question *question = user;
	struct front_point again;
	show_search(question, capacity);
	if (!lower_whole(question, capacity, point))
		return false;
	if (point->memory_bytes == capacity)
		return true;
	long need = point->memory_bytes;
	point->memory_bytes = capacity;
	if (lower_whole(question, need, &again) && is_no_worse(&again, point)) {
		*point = again;
		point->memory_bytes = need;
	}
	return true;
}

/* Whether some nests may be lowered as one. */
static bool is_fused(const struct question *question)
{
	struct quiet quiet;
	struct fuse_constraints constraints = { .forces = false };
	quiet_begin(&quiet, question->compilation);
	bool may_fuse = question->nest_count > 1 && (!fuse_constraints_read(&quiet.compilation,
		question->nests, question->nest_count, &constraints)
		|| constraints.forces || constraints.fusion != FUSE_NEVER);
	quiet_end(&quiet);
	return may_fuse;
}

/* What SEARCH finds, in one of FRONTS fronts that share what work may be done. */
static void find_front(struct question *question, front_search *search, int limit, int fronts,
	struct front *front)
{
	static const double MOST_WORK = 3e7;
	const struct compilation *compilation = question->compilation;
	const struct front_limits limits = { .searches = limit > 0 ? limit : 0,
		.work = limit ? NULL : &question->work, .most_work = MOST_WORK / fronts,
		.interrupted = compilation->watch.interrupted };
	question->work = 0;
	question->searches = 0;
	front_find(compilation->arena, search, question, compilation->arch->scratchpad_bytes,
		arch_step_bytes(compilation->arch), &limits, front);
	progress_end(compilation);
}

/* Its nests are not lowered one by one as they are written. */
static bool is_whole(const struct question *question)
{
	struct quiet quiet;
	quiet_begin(&quiet, question->compilation);
	bool may = may_distribute(&quiet.compilation, question->function);
	quiet_end(&quiet);
	return may || is_fused(question);
}

/* The whole function, with the work that QUESTION's compilation may repeat. */
static void find_whole(struct question *question, int limit, int fronts, struct front *front)
{
	find_front(question, is_whole(question) ? search_function : search_nests, limit, fronts, front);
}

/* The fronts under less and less repeated work as one. */
static void find_with_macs(struct question *question, int limit, struct front *whole)
{
	static const double percents[] = { INFINITY, 100, 50, 25, 10, 5, 2, 1, 0 };
	const struct compilation *given = question->compilation;
	size_t count = sizeof percents / sizeof *percents, first = is_fused(question) ? 0 : count - 1;
	*whole = (struct front){ .point_count = 0 };
	while (percents[first] > given->request.recompute_percent)
		first++;
	for (size_t i = first; i < count; i++) {
		struct compilation limited = *given;
		struct front front;
		limited.request.recompute_percent = percents[i];
		question->compilation = &limited;
		find_whole(question, limit, (int)(count - first), &front);
		for (int p = 0; p < front.point_count; p++)
			front_add(given->arena, whole, &front.points[p], true);
		whole->gaps = front.gaps;
		whole->gap_count = front.gap_count;
	}
	question->compilation = given;
}

void pareto_find(const struct compilation *compilation, const struct function *function,
	bool with_macs, bool with_nests, int limit, struct pareto *pareto)
{
	struct arena *arena = compilation->arena;
	struct compilation counted = *compilation;
	struct question question = { .compilation = &counted, .function = function };
	counted.spent.work = &question.work;
	question.nests = nests_of_function(&counted, function,
		&question.nest_count);
	question.answers = ARENA_ARRAY(arena, struct nest_answers, question.nest_count + 1);
	nest_memos_admit(compilation->known.nests, function);
	question.fusions = fusion_memo_new(arena, false);
	question.register_traffic = register_traffic(compilation, function);
	*pareto = (struct pareto){ .function = function, .nest_count = question.nest_count };
	if (with_macs)
		find_with_macs(&question, limit, &pareto->whole);
	else
		find_whole(&question, limit, 1, &pareto->whole);
	if (!with_nests)
		return;
	pareto->nest_names = ARENA_ARRAY(arena, const char *, question.nest_count + 1);
	pareto->nests = ARENA_ARRAY(arena, struct front, question.nest_count + 1);
	for (question.nest = 0; question.nest < question.nest_count; question.nest++) {
		pareto->nest_names[question.nest] = question.nests[question.nest].name;
		find_front(&question, search_nest, limit, question.nest_count,
			&pareto->nests[question.nest]);
	}
}

/* The ways in which plans are made for an objective, and the best of them. */

#include "driver/ways.h"

#include <limits.h>
#include <math.h>

#include "driver/objective.h"
#include "driver/trace.h"
#include "ir/energy.h"
#include "passes/analysis/nest.h"
#include "passes/cost/plan_cost.h"
#include "passes/limits.h"
#include "passes/lower/lower.h"
#include "passes/quiet.h"

/* What came of a way. */
struct plan_tried {
	struct plan_way way;
	bool fits, is_fused;
	int nest_count;              /* of the source */
	double shown;                /* what was searched for costs no less, whatever the plan; 0: not known */
	long bound_bytes;            /* no choice of the way's space moves less */
	double figures[PLAN_FIGURE_COUNT];   /* NAN: not known */
};

struct plan_ways {
	int count, best;
	struct plan_tried tried[PLAN_WAYS];
};

/* ---- which ---- */

/* Bytes that the bus moves in the time that a command takes to start. */
static double bytes_of_a_start(const struct arch *arch)
{
	return (double)arch->startup_cycles * arch->bytes_per_cycle;
}

static int add_priced(struct plan_way *ways, int count, enum buffering buffering, struct prices prices)
{
	for (int w = 0; w < count; w++) {
		if (ways[w].buffering == buffering && prices_are_equal(&ways[w].prices, &prices))
			return count;
	}
	ways[count] = (struct plan_way){ .buffering = buffering, .prices = prices };
	return count + 1;
}

static int add_way(struct plan_way *ways, int count, enum buffering buffering, double command_bytes)
{
	return add_priced(ways, count, buffering, (struct prices){ .byte = 1, .command = command_bytes });
}

/* Where commands overlap some of their starts cost nothing: shares of what one takes are tried.  Double
 * buffers hide starts and computing, and take memory that single ones save bytes with. */
static int add_ways_of_time(const struct arch *arch, int buffering, struct plan_way *ways, int count)
{
	static const double shares[] = { 0.25, 0.5, 1 };
	double start = bytes_of_a_start(arch);
	/* elements compute meanwhile: what matters of copies is that they overlap */
	if (arch->has_pe_array && arch->array.computes && arch->array.mac_cycles > 0)
		return add_way(ways, count, buffering < 0 ? BUFFERING_DOUBLE : (enum buffering)buffering, 0.25 * start);
	for (int s = 0; s < 3 && buffering != BUFFERING_DOUBLE; s++)
		count = add_way(ways, count, buffering < 0 ? BUFFERING_SINGLE : (enum buffering)buffering,
			shares[s] * start);
	for (int s = 0; s < 3 && (buffering < 0 || buffering == BUFFERING_DOUBLE); s++)
		count = add_way(ways, count, BUFFERING_DOUBLE, shares[s] * start);
	if (buffering < 0 && (arch->core_mac_cycles > 0 || arch->array.mac_cycles > 0))
		count = add_way(ways, count, BUFFERING_AUTO, 0.25 * start);
	return count;
}

static void prices_add(struct prices *sum, const struct prices *more)
{
	sum->byte += more->byte;
	sum->access += more->access;
	sum->command += more->command;
	sum->moved += more->moved;
	sum->delivered += more->delivered;
	sum->reduced += more->reduced;
	sum->cycle += more->cycle;
	sum->mac += more->mac;
	sum->picojoule += more->picojoule;
	sum->scratchpad += more->scratchpad;
}

/* Where ARCH has no elements what they do has no price. */
static void forget_elements(const struct arch *arch, struct prices *prices)
{
	if (!arch->has_pe_array)
		prices->moved = prices->delivered = prices->reduced = prices->scratchpad = 0;
}

/* What OBJECTIVE asks for, if elements matter, or time does, or what is computed.  Of sums after the first hardly anything: they tell apart what is equal. */
static int add_searched_ways(const struct plan_objective *objective, const struct arch *arch, enum buffering buffering,
	bool is_given, struct plan_way *ways, int count)
{
	struct prices prices = { .byte = 0 };
	/* it is not known how long elements compute */
	bool lacks_time = arch->has_pe_array && arch->array.mac_cycles <= 0;
	bool has_edp = energy_is_known(arch) && arch_has_clock(arch) && !lacks_time && objective_asks_for(objective, PLAN_EDP);
	for (int s = 0; s < objective->count; s++) {
		const struct prices of_sum = objective_prices(objective->weight[s], arch, s ? 1e-4 : 1);
		prices_add(&prices, &of_sum);
	}
	forget_elements(arch, &prices);
	prices.cycle = lacks_time ? 0 : prices.cycle;
	if (prices_have_elements(&prices) || prices_have_computing(&prices))
		count = add_priced(ways, count, prices_have_time(&prices) && !is_given ? BUFFERING_AUTO : buffering, prices);
	if (has_edp) {
		const double energy[PLAN_FIGURE_COUNT] = { [PLAN_ENERGY] = 1 };
		prices = objective_prices(energy, arch, 1);
		prices.multiplies = true;
		forget_elements(arch, &prices);
		count = add_priced(ways, count, is_given ? buffering : BUFFERING_AUTO, prices);
	}
	return count;
}

/* The ways that may lead to what is asked for on ARCH, with what the user says of buffers (-1: nothing); the
 * first one is that of least traffic.  Returns how many they are. */
static int ways_for(const struct plan_objective *objective, const struct arch *arch, int buffering,
	struct plan_way *ways)
{
	const double *weights = objective->weight[0];
	int count = add_way(ways, 0, buffering < 0 ? BUFFERING_SINGLE : (enum buffering)buffering, 0);
	if (objective_asks_for_time(objective, arch))
		count = add_ways_of_time(arch, buffering, ways, count);
	count = add_searched_ways(objective, arch, ways[0].buffering, buffering >= 0, ways, count);
	if (weights[PLAN_COMMANDS] > 0)
		count = add_way(ways, count, ways[0].buffering, weights[PLAN_TRAFFIC] > 0
			? weights[PLAN_COMMANDS] / weights[PLAN_TRAFFIC] : 1e9);
	return count;
}

int ways_to_trade(const struct plan_objective *figures, const struct arch *arch, int buffering,
	struct plan_way *ways)
{
	static const double prices[] = { 16, 256, 4096, 1e9 };
	static const double of_elements[] = { 0.02, 0.0675, 0.25, 1, 1e4 };
	int count = ways_for(figures, arch, buffering, ways);
	/* what a compilation for one of them alone is made in; processing elements are searched once, as that takes long */
	for (int f = 0; f < PLAN_FIGURE_COUNT && !arch->has_pe_array; f++) {
		struct plan_objective one = { .count = 1 };
		one.weight[0][f] = objective_asks_for(figures, (enum plan_figure)f);
		count = add_searched_ways(&one, arch, ways[0].buffering, buffering >= 0, ways, count);
	}
	for (int p = 0; p < 5 && arch->has_pe_array && objective_asks_for(figures, PLAN_SCRATCHPAD); p++)
		count = add_priced(ways, count, ways[0].buffering, (struct prices){ .byte = 1, .moved = of_elements[p], .scratchpad = of_elements[p] });
	for (int p = 0; p < 4 && objective_asks_for(figures, PLAN_COMMANDS); p++)
		count = add_way(ways, count, ways[0].buffering, prices[p]);
	return count;
}

/* ---- plans ---- */

/* Some ways have other buffers than others. */
static bool chooses_buffers(const struct session *session)
{
	const struct options *options = session->options;
	struct plan_way ways[PLAN_WAYS];
	int count = ways_for(&options->objective, session->arch, options->is_buffering_given ? (int)options->buffering : -1, ways);
	bool chooses = false;
	for (int w = 0; w < count; w++)
		chooses |= ways[w].buffering != ways[0].buffering;
	return chooses;
}

/* What a search looks at in WAY, of EFFORT: where commands count it proves nothing of bytes, and what is shown of single nests' time is not
 * told. */
static long effort_of(const struct arch *arch, const struct plan_way *way, long effort)
{
	enum { POINTS = 2000000 };
	long of_several = !arch->has_pe_array ? CORE_POINTS_OF_SEVERAL : prices_have_time(&way->prices) ? TIMED_POINTS_OF_SEVERAL : WORDS_POINTS_OF_SEVERAL;
	long most = way->is_of_several && prices_have_elements(&way->prices) ? of_several : way->prices.command > 0 ? POINTS : LONG_MAX;
	return effort > 0 && effort < most ? effort : most < LONG_MAX ? most : effort;
}

/* COMPILATION makes plans in this WAY of SESSION's. */
static void go(const struct session *session, const struct plan_way *way, struct compilation *compilation)
{
	const struct options *options = session->options;
	compilation->request.buffering = way->buffering;
	compilation->request.chooses_buffers = chooses_buffers(session);
	compilation->request.restriction.prices = way->prices;
	compilation->request.fusion = way->keeps_apart ? FUSE_NEVER : compilation->request.fusion;
	compilation->request.effort = effort_of(session->arch, way, options->effort);
}

struct plan *ways_make(const struct session *session, const struct arch *arch, const struct function *function,
	const struct plan_way *way, make_plan_fn *make)
{
	struct quiet quiet;
	quiet_begin(&quiet, &session->compilation);
	quiet.compilation.arch = arch;
	quiet.compilation.request.omits_points = arch->core_mac_cycles <= 0;
	go(session, way, &quiet.compilation);
	struct plan *plan = make(&quiet.compilation, function);
	quiet_end(&quiet);
	return plan;
}

/* Some nests of FUNCTION are fused in PLAN, or distributed. */
static bool is_fused(const struct plan *plan, const struct function *function)
{
	bool is_fused = plan->written != function;
	for (int n = 0; n < plan->nest_count; n++)
		is_fused |= plan->nests[n].source_count > 1;
	return is_fused;
}

/* What comes of WAY to a plan of FUNCTION. */
static struct plan_tried try_way(const struct session *session, const struct function *function,
	const struct plan_way *way, make_plan_fn *make)
{
	struct plan_tried tried = { .way = *way };
	struct plan *plan = ways_make(session, session->arch, function, way, make);
	if (plan)
		objective_figures(&session->options->objective, plan, tried.figures);
	/* what is searched for a core says nothing of elements */
	if (plan && plan->nest_count == 1 && (plan->nests[0].elements || !session->arch->has_pe_array))
		tried.shown = plan->nests[0].priced_bound;
	tried.fits = plan;
	tried.bound_bytes = plan ? plan->bounds.bound_bytes : 0;
	tried.is_fused = plan && is_fused(plan, function);
	tried.nest_count = plan ? plan_source_nests(plan) : 0;
	return tried;
}

/* Both differ in what a command costs, at most. */
static bool are_alike(const struct plan_way *one, const struct plan_way *other)
{
	struct prices prices = other->prices;
	prices.command = one->prices.command;
	return one->buffering == other->buffering && prices_are_equal(&one->prices, &prices);
}

/* Of COUNT ways like number W, commands cost most there, or least. */
static bool is_extreme(const struct plan_way *all, int count, int w)
{
	bool has_more = false, has_less = false;
	for (int v = 0; v < count; v++) {
		has_more |= are_alike(&all[v], &all[w]) && all[v].prices.command > all[w].prices.command;
		has_less |= are_alike(&all[v], &all[w]) && all[v].prices.command < all[w].prices.command;
	}
	return !has_more || !has_less;
}

/* The same came of both, as far as figures tell. */
static bool are_same(const struct plan_tried *one, const struct plan_tried *other)
{
	bool are_same = one->fits == other->fits && one->is_fused == other->is_fused;
	for (int f = 0; f < PLAN_FIGURE_COUNT && are_same && one->fits; f++)
		are_same = one->figures[f] == other->figures[f] || (isnan(one->figures[f]) && isnan(other->figures[f]));
	return are_same;
}

/* Of the COUNT ways that were TRIED, where that is known, one like WAY at which commands cost less, and one at which they cost more, led to the
 * same.  What is best for both prices is best for all between. */
static bool is_between(const struct plan_way *way, const struct plan_tried *tried, const bool *is_tried, int count)
{
	const struct plan_tried *less = NULL, *more = NULL;
	for (int v = 0; v < count; v++) {
		double command = tried[v].way.prices.command;
		if (!is_tried[v] || !are_alike(&tried[v].way, way))
			continue;
		if (command < way->prices.command && (!less || command > less->way.prices.command))
			less = &tried[v];
		if (command > way->prices.command && (!more || command < more->way.prices.command))
			more = &tried[v];
	}
	return less && more && are_same(less, more);
}

/* Which of WAYS is best; that nothing fits is the first. */
static void choose_best(const struct plan_objective *objective, struct plan_ways *ways)
{
	struct objective_values best = { .is_known = false };
	ways->best = 0;
	for (int w = 0; w < ways->count; w++) {
		const struct objective_values values = objective_values_of(objective, ways->tried[w].figures);
		if (!ways->tried[w].fits || objective_values_compare(objective, &values, &best) >= 0)
			continue;
		best = values;
		ways->best = w;
	}
}

/* In some of the COUNT WAYS parts of a function are chosen by their time (passes/fusion/part_cost.h). */
static bool times_parts(const struct plan_way *ways, int count)
{
	bool times = false;
	for (int w = 0; w < count && ways[w].is_of_several; w++)
		times |= prices_have_time(&ways[w].prices);
	return times;
}

/* In some of them parts are chosen by that, or by what they compute. */
static bool weighs_parts(const struct plan_way *ways, int count)
{
	bool weighs = times_parts(ways, count);
	for (int w = 0; w < count && ways[w].is_of_several; w++)
		weighs |= prices_have_computing(&ways[w].prices);
	return weighs;
}

bool way_is_idle(const struct plan_way *way)
{
	bool is_of_parts = prices_have_computing(&way->prices) && !prices_have_elements(&way->prices) && way->prices.command <= 0;
	return is_of_parts && !way->is_of_several;
}

/* There is a better one of the COUNT ways than WAY, or one that is the same: if commands have a price only as they take time. */
static bool is_outdone(const struct session *session, const struct plan_way *way, const struct plan_way *all, int count)
{
	return way_is_idle(way) || (way->prices.command > 0 && !prices_have_time(&way->prices) && times_parts(all, count)
		&& !objective_asks_for(&session->options->objective, PLAN_COMMANDS));
}

void ways_are_of(bool several, struct plan_way *ways, int count)
{
	for (int w = 0; w < count; w++)
		ways[w].is_of_several = several;
}

/* Tries all ways to a plan of FUNCTION; the best one is the first, if none fits.  Nests are fused and distributed for fewer bytes, which may cost more
 * of what is asked for: those of the best plan are tried apart, as they are written, too. */
static void try_ways(const struct session *session, const struct function *function,
	make_plan_fn *make, struct plan_ways *ways)
{
	const struct options *options = session->options;
	struct plan_way all[PLAN_WAYS];
	struct plan_tried tried[PLAN_WAYS];
	bool is_tried[PLAN_WAYS] = { false };
	int count = ways_for(&options->objective, session->arch, options->is_buffering_given ? (int)options->buffering : -1, all);
	*ways = (struct plan_ways){ .count = 1 };
	/* the first, then the extremes, then what is between them */
	for (int round = 0; round < 3; round++) {
		for (int w = 0; w < (round ? count : 1); w++) {
			if (is_tried[w] || (round < 2 && !is_extreme(all, count, w)) || is_outdone(session, &all[w], all, count) || is_between(&all[w], tried, is_tried, count))
				continue;
			tried[w] = try_way(session, function, &all[w], make);
			is_tried[w] = true;
		}
		ways->tried[0] = tried[0];
		if (!tried[0].fits)
			return;              /* the compilation says why */
		ways_are_of(tried[0].nest_count > 1, all, count);
	}
	for (int w = 1; w < count; w++)
		if (is_tried[w])
			ways->tried[ways->count++] = tried[w];
	choose_best(&options->objective, ways);
	struct plan_way apart = ways->tried[ways->best].way;
	/* where a core computes a part it is not known what is moved on chip */
	bool may_gain = !weighs_parts(all, count) || objective_asks_for(&options->objective, PLAN_SCRATCHPAD);
	if (ways->tried[ways->best].is_fused && may_gain && session->compilation.request.fusion == FUSE_AUTO && ways->count < PLAN_WAYS) {
		apart.keeps_apart = true;
		ways->tried[ways->count++] = try_way(session, function, &apart, make);
		choose_best(&options->objective, ways);
	}
}

/* Multiply-accumulates of the source; -1: not known. */
static long source_macs(struct compilation *compilation, const struct function *function)
{
	int count;
	long sum = 0;
	const struct nest *nests = function->symbolic_count ? NULL
		: nests_of_function(compilation, function, &count);
	for (int n = 0; nests && n < count && sum >= 0; n++) {
		long macs = nest_macs(&nests[n]);
		if (macs < 0 || __builtin_add_overflow(sum, macs, &sum))
			sum = -1;
	}
	return nests ? sum : -1;
}

bool ways_check(const struct session *session)
{
	const struct plan_objective *objective = &session->options->objective;
	const char *lacks = objective_lacks(objective, session->arch);
	if (lacks)
		fprintf(stderr, "loopc: error: --objective=%s needs a machine that says %s\n", objective->text,
			lacks);
	return !lacks;
}

/* Where the ways to the plan that is made next are kept. */
static struct plan_ways *next_ways(struct session *session)
{
	if (!session->ways)
		session->ways = ARENA_ARRAY(session->arena, struct plan_ways,
			session->program->function_count);
	return &session->ways[session->plan_count];
}

/* What the WAYS that leave all buffers possible on ARCH have shown: with double ones fewer schedules fit.  Commands for
 * contiguous pieces are not counted exactly.  Returns how many. */
static int searched_of(const struct plan_ways *ways, const struct arch *arch, struct objective_searched *searched)
{
	int count = 0;
	for (int w = 0; w < ways->count; w++) {
		const struct plan_tried *tried = &ways->tried[w];
		if (tried->shown > 0 && (tried->way.prices.command <= 0 || arch->max_rank > 1)
			&& (tried->way.buffering == ways->tried[0].way.buffering || tried->way.buffering == BUFFERING_AUTO))
			searched[count++] = (struct objective_searched){ tried->way.prices, tried->shown };
	}
	return count;
}

/* What was shown of the bytes of schedules with double buffers, or of nests apart, says nothing of others: of PLAN the bounds are left that
 * hold of all. */
static void forget_search(struct plan *plan)
{
	for (int n = 0; n < plan->nest_count; n++) {
		plan->nests[n].bound_bytes = plan->nests[n].lower_bound_bytes;
		plan_nest_judge(&plan->nests[n]);
	}
	plan->bounds.bound_bytes = plan->bounds.lower_bound_bytes;
	plan->bounds.optimal = plan_reaches(plan, plan->bounds.bound_bytes);
}

/* No choice moves fewer than BYTES. */
static void note_bound(struct plan *plan, long bytes)
{
	if (bytes > plan->bounds.bound_bytes)
		plan->bounds.bound_bytes = bytes;
	plan->bounds.optimal = plan_reaches(plan, plan->bounds.bound_bytes);
}

/* What a value of FIGURES is not known for, if it is not. */
static const char *why_unknown(const struct plan_objective *objective, const double *figures)
{
	bool lacks_words = objective_asks_for(objective, PLAN_SCRATCHPAD) && isnan(figures[PLAN_SCRATCHPAD]);
	return lacks_words ? "the core, and not the array, computes a nest" : "the run is too long to be walked";
}

struct plan *ways_make_best(struct session *session, const struct function *function,
	make_plan_fn *make)
{
	static const double ROUNDING = 4e-12;
	const struct plan_objective *objective = &session->options->objective;
	if (objective_is_traffic(objective))
		return make(&session->compilation, function);
	struct plan_ways *ways = next_ways(session);
	try_ways(session, function, make, ways);
	trace_time("plans tried for the objective");
	const struct plan_way *way = &ways->tried[ways->best].way;
	const enum fusion fusion = session->compilation.request.fusion;
	go(session, way, &session->compilation);
	struct plan *plan = make(&session->compilation, function);
	session->compilation.request.fusion = fusion;
	if (!plan)
		return NULL;
	if ((way->buffering == BUFFERING_DOUBLE && !session->options->is_buffering_given) || way->keeps_apart)
		forget_search(plan);
	/* the first way looks for the fewest bytes, in buffers that leave the others possible */
	note_bound(plan, ways->tried[0].bound_bytes);
	double figures[PLAN_FIGURE_COUNT];
	objective_figures(objective, plan, figures);
	struct objective_searched searched[PLAN_WAYS];
	int count = searched_of(ways, session->arch, searched);
	plan->asked = (struct plan_asked){ .name = objective->text,
		.value = objective_values_of(objective, figures).value[0], .why_unknown = why_unknown(objective, figures) };
	plan->asked.bound = objective_bound(objective, plan, searched, count,
		source_macs(&session->compilation, function), &plan->asked.is_of_space);
	/* against rounding bounds of searches are lowered by less than that */
	if (plan->asked.is_of_space && plan->asked.bound >= plan->asked.value * (1 - ROUNDING))
		plan->asked.bound = plan->asked.value;
	return plan;
}

/* ---- what was tried ---- */

static bool is_shown(const struct plan_objective *objective, int figure)
{
	return figure == PLAN_TRAFFIC || objective_asks_for(objective, (enum plan_figure)figure);
}

void ways_print(FILE *out, const struct plan_way *way)
{
	fprintf(out, "%-7s", buffering_names[way->buffering]);
	if (prices_have_time(&way->prices))
		fprintf(out, " %14s", "what it takes");
	else
		fprintf(out, " %8.6g bytes", way->prices.command);
}

static void print_tried(FILE *out, const struct plan_objective *objective,
	const struct plan_tried *tried, bool is_best)
{
	fprintf(out, "\n%c ", is_best ? '*' : ' ');
	ways_print(out, &tried->way);
	if (!tried->fits)
		fputs("  does not fit", out);
	for (int f = 0; f < PLAN_FIGURE_COUNT && tried->fits; f++)
		if (is_shown(objective, f))
			fprintf(out, " %16.10g", tried->figures[f]);
	fputs(tried->way.keeps_apart ? "  nests apart" : "", out);
}

void ways_explain(FILE *out, const struct session *session)
{
	const struct plan_objective *objective = &session->options->objective;
	for (int p = 0; p < session->plan_count && session->ways; p++) {
		const struct plan_ways *ways = &session->ways[p];
		fprintf(out, "%s was made in %d ways; --objective=%s takes the one with *\n"
			"  " WAY_HEADING, session->plans[p]->function->name, ways->count,
			objective->text);
		for (int f = 0; f < PLAN_FIGURE_COUNT; f++)
			if (is_shown(objective, f))
				fprintf(out, " %16s", plan_figure_names[f]);
		for (int w = 0; w < ways->count; w++)
			print_tried(out, objective, &ways->tried[w], w == ways->best);
		fputs("\n\n", out);
	}
}

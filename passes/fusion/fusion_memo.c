#include "passes/fusion/fusion_memo.h"

/* What came of a nest, or of a group under one choice. */
struct lowered {
	struct lowered *next;
	int first, last;             /* nests that are one; FIRST -1: a group */
	unsigned long carried;
	const enum group_hold *choice;   /* a group's, which no other one shares */
	struct arch arch;            /* that was asked for */
	double percent;              /* of its work that the group might repeat */
	int call;                    /* that it was last asked for in */
	bool fits;
	struct weighed_nest weighed;
};

struct chosen {
	struct chosen *next;
	int first, last;
	unsigned long carried;
	struct group_limits limits;
	enum group_outcome outcome;
	struct group_choice choice;
};

struct fusion_memo {
	struct arena *arena;
	bool keeps_choices;
	const struct function *function;     /* NULL: that which is asked about first */
	struct fusion_memo *next;    /* of another function */
	int call;                    /* that it is asked in now */
	struct compilation compilation;  /* that of now, but for the arena */
	struct groups *groups;
	struct lowered *lowered;
	struct chosen *chosen;
};

struct fusion_memo *fusion_memo_new(struct arena *arena, bool keeps_choices)
{
	struct fusion_memo *memo = ARENA_NEW(arena, struct fusion_memo);
	memo->arena = arena;
	memo->keeps_choices = keeps_choices;
	return memo;
}

struct fusion_memo *fusion_memo_for(struct fusion_memo *memo, const struct function *function)
{
	while (memo->function && memo->function != function) {
		if (!memo->next)
			memo->next = fusion_memo_new(memo->arena, memo->keeps_choices);
		memo = memo->next;
	}
	memo->function = function;
	return memo;
}

struct groups *fusion_memo_groups(struct fusion_memo *memo, struct compilation *compilation,
	const struct nest *nests, int count)
{
	if (!memo)
		return groups_new(compilation, nests, count);
	memo->compilation = *compilation;
	memo->compilation.arena = memo->arena;
	memo->compilation.room.carried = NULL;
	if (!memo->groups) {
		const struct nest *own = nests_of_function(&memo->compilation, nests->function, &count);
		memo->groups = groups_new(&memo->compilation, own, count);
	}
	memo->compilation.room.carried = compilation->room.carried;
	return memo->groups;
}

/* ENTRY as it may outlive its plan. */
static struct plan_nest summary(struct arena *arena, const struct plan_nest *entry)
{
	struct plan_nest kept = *entry;
	kept.body = kept.inner = NULL;
	kept.name = arena_strdup(arena, entry->name);
	kept.schedule = arena_strdup(arena, entry->schedule ? entry->schedule : "");
	kept.traffic = ARENA_ARRAY(arena, struct plan_traffic, entry->traffic_count + 1);
	for (int t = 0; t < entry->traffic_count; t++)
		kept.traffic[t] = entry->traffic[t];
	return kept;
}

static void keep(struct fusion_memo *memo, struct lowered lowered)
{
	struct lowered *kept = ARENA_NEW(memo->arena, struct lowered);
	*kept = lowered;
	if (lowered.fits)
		kept->weighed.entry = summary(memo->arena, &lowered.weighed.entry);
	if (!memo->keeps_choices)
		kept->weighed.choice = NULL;
	kept->call = memo->call;
	kept->next = memo->lowered;
	memo->lowered = kept;
}

void fusion_memo_begin(struct fusion_memo *memo)
{
	memo->call++;
}

/* What is not proved may be another in a smaller scratchpad, and so may be what is proved of a plan
 * where the model counts more than plans need.  Only what this call has found serves there, so that
 * an answer does not depend on what was asked before.  What was found for several memories serves for the
 * same ones alone. */
static bool serves(const struct fusion_memo *memo, const struct lowered *known, const struct arch *arch)
{
	long capacity = arch->scratchpad_bytes;
	if (known->arch.scratchpad_bytes <= capacity || arch->memory_count)
		return arch_same_room(&known->arch, arch);
	const struct plan_nest *entry = &known->weighed.entry;
	return !known->fits || (entry->scratchpad_used_bytes <= capacity
		&& ((entry->optimal && entry->has_forms) || known->call == memo->call));
}

/* A is rather taken than B. */
static bool is_nearer(const struct fusion_memo *memo, const struct lowered *a,
	const struct lowered *b)
{
	bool is_own = a->call == memo->call, is_other_own = b->call == memo->call;
	return is_own != is_other_own ? is_own : a->arch.scratchpad_bytes > b->arch.scratchpad_bytes;
}

bool fusion_memo_nest(struct fusion_memo *memo, int first, int last, unsigned long carried,
	const struct arch *arch, bool *fits, struct weighed_nest *out)
{
	struct lowered *best = NULL;
	for (struct lowered *known = memo ? memo->lowered : NULL; known; known = known->next)
		if (known->first == first && known->last == last && known->carried == carried && serves(memo, known, arch)
			&& (!best || is_nearer(memo, known, best)))
			best = known;
	if (!best)
		return false;
	best->call = memo->call;
	*fits = best->fits;
	*out = best->weighed;
	return true;
}

void fusion_memo_keep_nest(struct fusion_memo *memo, int first, int last, unsigned long carried,
	const struct arch *arch, bool fits, const struct weighed_nest *out)
{
	if (memo)
		keep(memo, (struct lowered){ .first = first, .last = last, .carried = carried, .arch = *arch,
			.fits = fits, .weighed = *out });
}

/* A is no more than B, in each memory. */
static bool are_no_more(const long *a, const long *b)
{
	bool no_more = true;
	for (int m = 0; m < MEMORY_LIMIT && no_more; m++)
		no_more = a[m] <= b[m];
	return no_more;
}

/* The answer that is KNOWN answers LIMITS too: nothing is wanted that it was not asked for,
 * and what it found is within them. */
static bool answers(const struct chosen *known, const struct group_limits *limits)
{
	bool is_narrower = limits->prefers_memory == known->limits.prefers_memory
		&& limits->holds_results == known->limits.holds_results
		&& limits->capacity <= known->limits.capacity
		&& are_no_more(limits->capacities, known->limits.capacities)
		&& limits->repetition <= known->limits.repetition
		&& (known->outcome != GROUP_FITS || known->choice.is_optimal
		|| (are_no_more(known->limits.capacities, limits->capacities)
		&& known->limits.capacity <= limits->capacity));
	if (known->outcome != GROUP_FITS)
		return is_narrower && objective_is_less(&limits->asked, &limits->most, &known->limits.most, true);
	return is_narrower && are_no_more(known->choice.needs, limits->capacities)
		&& known->choice.need <= limits->capacity
		&& known->choice.repetition <= limits->repetition;
}

bool fusion_memo_choice(const struct fusion_memo *memo, const struct fusion_candidate *candidate,
	unsigned long carried, const struct group_limits *limits, enum group_outcome *outcome,
	struct group_choice *choice)
{
	for (const struct chosen *known = memo ? memo->chosen : NULL; known; known = known->next) {
		if (known->first != candidate->first || known->last != candidate->last
			|| known->carried != carried || !answers(known, limits))
			continue;
		*outcome = known->outcome;
		*choice = known->choice;
		const struct cost cost = group_choice_cost(choice);
		if (known->outcome == GROUP_FITS && !group_is_wanted(limits, &cost))
			*outcome = GROUP_USELESS;
		return true;
	}
	return false;
}

void fusion_memo_keep_choice(struct fusion_memo *memo, const struct fusion_candidate *candidate,
	unsigned long carried, const struct group_limits *limits, enum group_outcome outcome,
	const struct group_choice *choice)
{
	if (!memo)
		return;
	struct chosen *kept = ARENA_NEW(memo->arena, struct chosen);
	*kept = (struct chosen){ memo->chosen, candidate->first, candidate->last, carried, *limits,
		outcome, *choice };
	memo->chosen = kept;
}

/* ARCH has, in each memory, as much as ENTRY uses. */
static bool has_used(const struct arch *arch, const struct plan_nest *entry)
{
	bool has = entry->scratchpad_used_bytes <= arch->scratchpad_bytes;
	for (int m = 0; m < arch_memory_count(arch) && has; m++)
		has = entry->memory_used_bytes[m] <= arch_memory(arch, m).bytes;
	return has;
}

/* OTHER has at least as much of each memory as ARCH, and of all. */
static bool has_room_of(const struct arch *other, const struct arch *arch)
{
	bool has = other->scratchpad_bytes >= arch->scratchpad_bytes;
	for (int m = 0; m < arch_memory_count(arch) && has; m++)
		has = arch_memory(other, m).bytes >= arch_memory(arch, m).bytes;
	return has;
}

/* What fits under some limit to the work it repeats may not under a lower one. */
bool fusion_memo_group(const struct fusion_memo *memo, const struct compilation *compilation,
	const struct group_choice *choice, bool *fits, struct plan_nest *out)
{
	double percent = compilation->request.recompute_percent;
	for (const struct lowered *known = memo ? memo->lowered : NULL; known; known = known->next)
		if (known->first < 0 && known->choice == choice->hold && (known->fits
			? has_used(compilation->arch, &known->weighed.entry) && known->percent <= percent
			: has_room_of(&known->arch, compilation->arch) && known->percent >= percent)) {
			*fits = known->fits;
			*out = known->weighed.entry;
			return true;
		}
	return false;
}

void fusion_memo_keep_group(struct fusion_memo *memo, const struct compilation *compilation,
	const struct group_choice *choice, bool fits, const struct plan_nest *out)
{
	if (memo)
		keep(memo, (struct lowered){ .first = -1, .choice = choice->hold, .fits = fits,
			.arch = *compilation->arch,
			.percent = compilation->request.recompute_percent, .weighed = { .entry = *out } });
}

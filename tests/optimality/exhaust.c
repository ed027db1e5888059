#include "tests/optimality/exhaust.h"

#include <limits.h>
#include <string.h>

#include "passes/cost/model_math.h"

/* One way to hold an array, and all that matters of it. */
struct choice { long bytes, traffic, commands; };

enum { CHOICES = 512 };

struct run {
	const struct nest_model *model;
	const struct arch *arch;
	const struct search_options *options;
	bool try_directions;
	struct exhausted *result;
	struct schedule schedule;    /* tiles, order and directions of the moment */
	struct choice choices[MODEL_ARRAYS][CHOICES];
	int choice_count[MODEL_ARRAYS];
	long used[MEMORY_LIMIT];     /* of each memory */
};

static void add_choice(struct run *run, int a, struct choice choice)
{
	struct choice *choices = run->choices[a];
	int *count = &run->choice_count[a];

	for (int i = 0; i < *count; i++)
		if (choices[i].bytes <= choice.bytes && choices[i].traffic <= choice.traffic &&
			choices[i].commands <= choice.commands)
			return;
	choices[(*count)++] = choice;
}

/* Some loop outside the buffer does not change what array A touches. */
static bool is_left_alone(const struct run *run, int a, int store)
{
	for (int i = 0; i < store; i++) {
		bool is_moved = false;

		for (int d = 0; d < run->model->arrays[a].rank; d++)
			if (run->model->arrays[a].dims[d].coefficient[run->schedule.order[i]] != 0)
				is_moved = true;
		if (!is_moved)
			return true;
	}
	return false;
}

/* By the rules, with copies that are aligned. */
static bool is_legal(const struct nest_model *alone, const struct schedule *schedule)
{
	return simulate_is_legal(alone, schedule) && storage_is_aligned(alone, schedule,
		&alone->arrays[0], &schedule->storage[0]);
}

static void try_storage(struct run *run, int a, const struct nest_model *alone,
	struct storage storage)
{
	const struct search_options *options = run->options;
	struct schedule schedule = run->schedule;
	struct simulated result;

	if ((options->store[a] >= 0 && options->store[a] != storage.store) ||
		(options->slots[a] > 0 && options->slots[a] != storage.slots) ||
		(options->sliding[a] >= 0 && options->sliding[a] != storage.is_sliding) ||
		(options->held[a] && is_left_alone(run, a, storage.store)))
		return;
	schedule.storage[0] = storage;
	if (options->doubled[a] == 1) {
		schedule.storage[0].is_double = true;
	} else if (options->doubled[a] < 0 && options->buffering == BUFFERING_DOUBLE &&
		storage.store > 0) {
		schedule.storage[0].is_double = true;
		if (!is_legal(alone, &schedule))
			schedule.storage[0].is_double = false;
	}
	if (!is_legal(alone, &schedule))
		return;
	simulate(alone, &schedule, &result);
	run->result->schedules++;
	add_choice(run, a, (struct choice){ run->arch->memory_count ? result.bytes[0]
		: simulate_round(run->arch, result.bytes[0]), result.total_bytes, result.total_commands });
}

static void list_choices(struct run *run, int a)
{
	struct nest_model alone = *run->model;

	alone.array_count = 1;
	alone.arrays[0] = run->model->arrays[a];
	run->choice_count[a] = 0;
	for (int store = 0; store <= run->schedule.depth; store++)
		for (long slots = 1; slots <= 8; slots++)
			for (int slides = 0; slides < 2; slides++)
				try_storage(run, a, &alone, (struct storage){ .store = store,
					.slots = slots, .is_sliding = slides });
}

static bool is_better(const struct run *run, struct choice sum)
{
	const struct exhausted *best = run->result;
	double price = run->options->prices.command;
	double mine = (double)sum.traffic + price * (double)sum.commands;
	double its = (double)best->traffic + price * (double)best->commands;

	if (price > 0 && mine != its)
		return mine < its;
	if (sum.traffic != best->traffic)
		return sum.traffic < best->traffic;
	if (run->options->prefers_memory && sum.bytes != best->bytes)
		return sum.bytes < best->bytes;
	return sum.commands < best->commands;
}

static bool fits(const struct run *run, struct choice sum)
{
	for (int m = 0; m < run->arch->memory_count; m++)
		if (run->used[m] > simulate_memory_capacity(run->arch, m))
			return false;
	return run->arch->memory_count || sum.bytes <= simulate_capacity(run->arch);
}

static void combine(struct run *run, int a, struct choice sum);

/* Array A has CHOICE, in memory M if there are several. */
static void take(struct run *run, int a, struct choice sum, const struct choice *choice, int m)
{
	long bytes = run->arch->memory_count ? simulate_memory_round(run->arch, m, choice->bytes)
		: choice->bytes;

	run->used[m] += bytes;
	combine(run, a + 1, (struct choice){ sum.bytes + bytes, sum.traffic + choice->traffic,
		sum.commands + choice->commands });
	run->used[m] -= bytes;
}

static void combine(struct run *run, int a, struct choice sum)
{
	struct exhausted *result = run->result;
	bool is_there = fits(run, sum);

	if (a < run->model->array_count) {
		for (int i = 0; i < run->choice_count[a]; i++)
			for (int m = 0; m == 0 || m < run->arch->memory_count; m++)
				if (run->options->memories[a] >> m & 1)
					take(run, a, sum, &run->choices[a][i], m);
		return;
	}
	if (sum.bytes < result->smallest)
		result->smallest = sum.bytes;
	if (is_there && result->traffic_in != NULL && sum.traffic < result->traffic_in[sum.bytes])
		result->traffic_in[sum.bytes] = sum.traffic;
	if (!is_there || (result->found && !is_better(run, sum)))
		return;
	result->traffic = sum.traffic;
	result->bytes = sum.bytes;
	result->commands = sum.commands;
	result->found = true;
}

static void try_directions(struct run *run, int position)
{
	int loop = position < run->schedule.depth ? run->schedule.order[position] : -1;

	if (loop < 0) {
		for (int a = 0; a < run->model->array_count; a++)
			list_choices(run, a);
		combine(run, 0, (struct choice){ 0, 0, 0 });
		return;
	}
	for (int turns = 0; turns < 2; turns++) {
		bool may_turn = !run->model->loops[loop].is_forward &&
			run->options->serpentine[loop] != 0;

		if (turns > may_turn || (!run->try_directions && turns != may_turn) ||
			(run->options->serpentine[loop] == 1 && turns != may_turn))
			continue;
		run->schedule.is_serpentine[loop] = turns;
		try_directions(run, position + 1);
	}
	run->schedule.is_serpentine[loop] = false;
}

/* The user's loops first, in the user's order, but for those left whole. */
static bool order_is_allowed(const struct run *run)
{
	int at = 0;

	for (int i = 0; i < run->options->order_count; i++) {
		int loop = run->options->order[i];

		if (run->schedule.tile[loop] < run->model->loops[loop].extent &&
			run->schedule.order[at++] != loop)
			return false;
	}
	return true;
}

static void try_orders(struct run *run, int placed)
{
	struct schedule *schedule = &run->schedule;

	if (placed == schedule->depth) {
		if (order_is_allowed(run))
			try_directions(run, 0);
		return;
	}
	for (int i = placed; i < schedule->depth; i++) {
		int loop = schedule->order[i], other = schedule->order[placed];

		schedule->order[placed] = loop;
		schedule->order[i] = other;
		try_orders(run, placed + 1);
		schedule->order[placed] = other;
		schedule->order[i] = loop;
	}
}

static bool has_aligned(const struct nest_model *model)
{
	for (int a = 0; a < model->array_count; a++)
		if (model->arrays[a].align_bytes > 1)
			return true;
	return false;
}

static void try_tiles(struct run *run, int loop)
{
	const struct model_loop *at = &run->model->loops[loop];
	struct schedule *schedule = &run->schedule;
	long last = 0;

	if (loop == run->model->loop_count) {
		schedule->depth = 0;
		for (int l = 0; l < loop; l++)
			if (schedule->tile[l] < run->model->loops[l].extent)
				schedule->order[schedule->depth++] = l;
		try_orders(run, 0);
		return;
	}
	for (long n = 1; n <= at->extent; n++) {
		/* of as many tiles the smallest are best, where they are no worse aligned */
		long tile = at->tile > 0 ? at->tile : has_aligned(run->model) ? at->extent + 1 - n
			: (at->extent + n - 1) / n;

		bool is_allowed = !run->options->divides || at->tile > 0 || at->extent % tile == 0;
		/* who wants a loop to turn wants it cut */
		bool is_cut = at->tile > 0 || at->extent == 1 || tile < at->extent ||
			run->options->serpentine[loop] != 1;

		if (tile != last && is_allowed && is_cut) {
			schedule->tile[loop] = tile;
			try_tiles(run, loop + 1);
		}
		last = tile;
	}
}

void exhaust(const struct nest_model *model, const struct arch *arch,
	const struct search_options *options, bool directions, struct exhausted *result)
{
	static struct run run;

	memset(&run, 0, sizeof run);
	run = (struct run){ .model = model, .arch = arch, .options = options,
		.try_directions = directions, .result = result };
	*result = (struct exhausted){ .traffic_in = result->traffic_in };
	result->smallest = LONG_MAX;
	try_tiles(&run, 0);
}

#include "passes/search_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"

/* A path of the tree places tile loops from the outermost inwards, each with its
 * tile size, and at each of them chooses which arrays are stored there.  What an
 * array moves depends only on the loops outside its buffer, so it is known exactly
 * from then on, but for the slots, which share what memory is left when all arrays
 * are stored.  Numbers are doubles: exact below 2^53, never overflowing above. */

struct dim_state {
	double sum;                  /* of the extents over the tiles of the loops placed */
	double lower;                /* no loops placed later make it less than this */
	double tiles;                /* how many of them */
	double extent;               /* of a region where the loops placed have full tiles */
	double least;                /* and the others the smallest */
};

struct array_state {
	struct dim_state dims[MODEL_RANK];
	double reuse;                /* iterations of the loops placed that do not move it */
	double visits;               /* of the loops placed, all in all */
	double turns;                /* runs that begin with a turn and can keep regions */
	double turned;               /* elements of all of these runs, at most */
	double first;                /* elements of all its regions together, at least */
	double region, least;        /* elements */
};

struct level {
	int loop;
	struct tile_choice choice;
	double runs;                 /* iterations of this loop and those outside */
	unsigned stored;             /* bit a: array a is stored here or further out */
	bool stores_here;
	struct array_state arrays[MODEL_ARRAYS];
};

struct saving {
	double rate, most;           /* bytes of traffic a byte of memory saves; bytes */
};

/* An array that is stored: traffic with m slots is
 *     bytes - slope * (m - 1), at m = full_slots: full_bytes. */
struct stored {
	double bytes, slope, full_bytes;
	double memory, memory_step;  /* of the first slot and of each more, not rounded */
	double memory_most;          /* a ring never needs more */
	double visits, turns, first_visits;
	long most_slots, tiles;      /* what the rules allow; of the loop that moves it */
	/* What bounds ask for: slots worth trying, traffic, memory and commands with the
	 * least and the most of them, and what more of them save. */
	long least, most;
	double least_bytes, least_memory, least_commands;
	struct saving saving;
	bool is_sliding, is_double;
	bool is_touching;            /* sliding without overlap */
	int store;
};

struct tree {
	const struct space *space;
	struct level levels[MODEL_LOOPS + 1];
	struct stored stored[MODEL_ARRAYS];
	struct schedule path;        /* order and tiles of the levels */
	long slots[MODEL_ARRAYS];
	struct schedule best;
	bool found, is_over;
	double best_traffic, best_commands, best_scratchpad;
	long points, limit;
};

static const double TOLERANCE = 1e-3;

/* ---- arithmetic ---- */

static double round_bytes(const struct space *space, double bytes)
{
	return ceil(bytes / space->granule) * space->granule;
}

static double slots_memory(const struct space *space, const struct stored *stored, long slots)
{
	double bytes = stored->memory + stored->memory_step * (double)(slots - 1);

	if (bytes > stored->memory_most)
		bytes = stored->memory_most;
	return round_bytes(space, bytes);
}

static double slots_traffic(const struct stored *stored, long slots)
{
	if (slots == stored->tiles && slots > 1)
		return stored->full_bytes;
	return stored->bytes - stored->slope * (double)(slots - 1);
}

static double last_tile(const struct space *space, int loop, struct tile_choice choice)
{
	return (double)(space->model->loops[loop].extent - (choice.count - 1) * choice.tile);
}

/* Small tiles leave out elements between the windows of a loop that steps over
 * more than a window, so that the sum over more tiles may be less.  The least that
 * dimension D of array A comes to, whatever follows the loops of LEVELS up to LAST;
 * docs/search.md, "Gaps". */
static double gap_lower(const struct space *space, int a, int d, const struct level *levels,
	const struct level *last)
{
	const struct model_dim *dim = &space->model->arrays[a].dims[d];
	int gap = space->gap_loop[a][d], free[MODEL_LOOPS], free_count = 0;
	double tiles[MODEL_LOOPS], most = (double)dim->window, lower = INFINITY, c, extent;
	double placed_tiles = 1, sum = 0;
	bool is_gap_placed = false;

	for (int l = 0; l < space->model->loop_count; l++)
		tiles[l] = 1;
	for (const struct level *at = levels + 1; at <= last; at++)
		if (dim->coefficient[at->loop] > 0) {
			tiles[at->loop] = (double)at->choice.count;
			placed_tiles *= tiles[at->loop];
			is_gap_placed = is_gap_placed || at->loop == gap;
		}
	if (gap == MANY_GAPS)
		return fmax(space->distinct[a][d], placed_tiles * (double)dim->window);
	if (!is_gap_placed) {
		double others = 1, mean = (double)dim->window;

		for (int l = 0; l < space->model->loop_count; l++) {
			c = (double)dim->coefficient[l];
			extent = (double)space->model->loops[l].extent;
			if (c == 0 || l == gap)
				continue;
			others *= tiles[l];
			mean += c * (extent / tiles[l] - 1);
			most += c * (ceil(extent / tiles[l]) - 1);
		}
		for (const struct level *at = levels + 1; at <= last; at++)
			if (dim->coefficient[at->loop] > 0)
				most += (double)dim->coefficient[at->loop] * ((double)at->choice.tile -
					ceil((double)space->model->loops[at->loop].extent /
					tiles[at->loop]));
		c = (double)dim->coefficient[gap];
		extent = (double)space->model->loops[gap].extent;
		return others * mean / most * fmin(most + c * (extent - 1), extent * most);
	}
	for (int l = 0; l < space->model->loop_count; l++)
		if (dim->coefficient[l] > 0 && tiles[l] == 1 && space->model->loops[l].extent > 1)
			free[free_count++] = l;
	/* multilinear in the tiles of the loops to come: least at a corner */
	for (unsigned corner = 0; corner < 1u << free_count; corner++) {
		double count = 1;

		for (int i = 0; i < free_count; i++)
			tiles[free[i]] = corner >> i & 1 ?
				(double)space->model->loops[free[i]].extent : 1;
		sum = (double)dim->window;
		for (int l = 0; l < space->model->loop_count; l++)
			if (dim->coefficient[l] > 0) {
				count *= tiles[l];
				sum += (double)dim->coefficient[l] *
					((double)space->model->loops[l].extent / tiles[l] - 1);
			}
		lower = fmin(lower, count * sum);
	}
	return lower * (1 - 1e-14);
}

static void array_start(const struct space *space, int a, const struct level *levels,
	struct array_state *state)
{
	const struct model_array *array = &space->model->arrays[a];

	state->reuse = state->visits = 1;
	state->turns = state->turned = 0;
	state->first = state->region = state->least = 1;
	for (int d = 0; d < array->rank; d++) {
		double whole = (double)array->dims[d].window, least = whole;

		for (int l = 0; l < space->model->loop_count; l++) {
			double c = (double)array->dims[d].coefficient[l];
			long smallest = space->choice_count[l] > 0 ?
				space->choices[l][space->choice_count[l] - 1].tile :
				space->model->loops[l].extent;

			whole += c * (double)(space->model->loops[l].extent - 1);
			least += c * (double)(smallest - 1);
		}
		state->dims[d] = (struct dim_state){ whole, whole, 1, whole, least };
		if (space->gap_loop[a][d] != NO_GAPS)
			state->dims[d].lower = gap_lower(space, a, d, levels, levels);
		state->first *= space->is_counted[a][d] ? state->dims[d].lower :
			(double)array->dims[d].window;
		state->region *= whole;
		state->least *= least;
	}
}

/* State of array A one loop further in than BEFORE. */
static void array_step(const struct tree *tree, int a, const struct level *before,
	struct level *level)
{
	const struct space *space = tree->space;
	const struct model_array *array = &space->model->arrays[a];
	const struct array_state *old = &before->arrays[a];
	struct array_state *state = &level->arrays[a];
	double n = (double)level->choice.count, tile = (double)level->choice.tile;
	double extent = (double)space->model->loops[level->loop].extent;
	double smallest = (double)space->choices[level->loop]
		[space->choice_count[level->loop] - 1].tile;

	state->reuse = old->reuse;
	state->turns = old->turns;
	state->turned = old->turned;
	state->visits = old->visits;
	if (!(space->model->arrays[a].anchored >> level->loop & 1))
		state->visits *= n;
	if (!(space->indexed[a] >> level->loop & 1)) {
		memcpy(state->dims, old->dims, sizeof *state->dims * (size_t)array->rank);
		state->first = old->first;
		state->region = old->region;
		state->least = old->least;
		if (array->anchored == 0) {
			double run = old->reuse * (n - 1);

			for (int d = 0; d < array->rank; d++)
				run *= old->dims[d].sum;
			state->turned += run;
			state->turns += before->runs * (n - 1);
		}
		if (!(array->anchored >> level->loop & 1))
			state->reuse *= n;
		return;
	}
	if (!space->may_turn[level->loop])
		state->turns = state->turned = 0;
	state->first = state->region = state->least = 1;
	for (int d = 0; d < array->rank; d++) {
		struct dim_state *dim = &state->dims[d];
		double c = (double)array->dims[d].coefficient[level->loop];

		*dim = old->dims[d];
		if (c > 0) {
			dim->sum = n * dim->sum - dim->tiles * c * extent * (n - 1);
			dim->tiles *= n;
			/* only the first tile of a run goes on from the run before */
			state->turned *= 1 - c * (extent - tile) / dim->extent;
			dim->extent -= c * (extent - tile);
			dim->least += c * (tile - smallest);
			dim->lower = space->gap_loop[a][d] == NO_GAPS ? dim->sum :
				gap_lower(space, a, d, tree->levels, level);
		}
		state->first *= space->is_counted[a][d] ? dim->lower :
			(double)array->dims[d].window;
		state->region *= dim->extent;
		state->least *= dim->least;
	}
}

/* ---- storing an array at a level ---- */

/* Elements that the turns of an array save: with m slots ONE + STEP * (m - 1), with as
 * many as tiles FULL. */
struct kept {
	double one, step, full;
};

/* Adds what one parity of the turns of the loop at level TURN saves, COUNT of them:
 * the visits kept, and of a sliding window what the rest of these runs does not move
 * again.  See subtract_turns in model.c. */
static void add_turns(const struct tree *tree, int a, int store, int turn, bool is_odd,
	double count, int slide, struct kept *kept)
{
	const struct space *space = tree->space;
	const struct model_array *array = &space->model->arrays[a];
	const struct level *moving = &tree->levels[store], *outer = &tree->levels[turn - 1];
	double fixed[MODEL_LOOPS], others = outer->arrays[a].reuse * count, run = 0, step = 0;
	double tile = (double)moving->choice.tile, n = (double)moving->choice.count;
	double extent = (double)space->model->loops[moving->loop].extent, clip;

	for (int i = turn + 1; i < store; i++) {
		const struct level *between = &tree->levels[i];

		fixed[i] = is_odd ? last_tile(space, between->loop, between->choice) :
			(double)between->choice.tile;
		is_odd = is_odd && between->choice.count % 2 == 1;
	}
	clip = n * tile - extent;
	for (int d = 0; d < array->rank; d++) {
		const struct dim_state *dim = &outer->arrays[a].dims[d];
		double sum = dim->sum, c = (double)array->dims[d].coefficient[moving->loop];

		for (int i = turn + 1; i < store; i++) {
			int loop = tree->levels[i].loop;

			if (array->dims[d].coefficient[loop] > 0)
				sum -= dim->tiles * (double)array->dims[d].coefficient[loop] *
					((double)space->model->loops[loop].extent - fixed[i]);
		}
		if (c == 0) {
			others *= sum;
			continue;
		}
		step = dim->tiles * c;
		run = sum;
	}
	if (slide >= 0) {
		/* of a whole run, RUN elements, what is left to move */
		kept->one += others * (run - step * (is_odd ? tile * (n - 1) : extent - tile));
		kept->step += others * step * tile;
		kept->full += others * run;
		return;
	}
	run -= step * (extent - tile);
	kept->one += others * (run - (is_odd ? step * clip : 0));
	kept->step += others * run;
	kept->full += others * (n * run - step * clip);
}

static struct kept kept_elements(const struct tree *tree, int a, int store, int slide)
{
	const struct space *space = tree->space;
	struct kept kept = { 0, 0, 0 };
	bool is_clipped = false;

	for (int turn = store - 1; turn >= 1; turn--) {
		const struct level *inner = &tree->levels[turn + 1];
		long n = tree->levels[turn].choice.count;

		if (space->indexed[a] >> inner->loop & 1) {
			if (!space->may_turn[inner->loop])
				break;
			is_clipped = is_clipped || inner->choice.tile * inner->choice.count !=
				space->model->loops[inner->loop].extent;
		}
		if (space->indexed[a] >> tree->levels[turn].loop & 1)
			continue;
		/* whole tiles are alike in both directions */
		if (!is_clipped) {
			add_turns(tree, a, store, turn, false, (double)(n - 1), slide, &kept);
			continue;
		}
		add_turns(tree, a, store, turn, true, (double)(n / 2), slide, &kept);
		if (n > 2)
			add_turns(tree, a, store, turn, false, (double)((n - 1) / 2), slide, &kept);
	}
	return kept;
}

/* True if the window of a clipped tile of another loop might jump over elements. */
static bool slide_has_gaps(const struct tree *tree, int a, int store, int slide)
{
	const struct space *space = tree->space;
	const struct model_dim *dim = &space->model->arrays[a].dims[slide];
	const struct level *level = &tree->levels[store];
	double extent = level->arrays[a].dims[slide].extent;

	for (int i = 1; i < store; i++)
		extent -= (double)dim->coefficient[tree->levels[i].loop] *
			((double)tree->levels[i].choice.tile -
			last_tile(space, tree->levels[i].loop, tree->levels[i].choice));
	return extent < (double)(dim->coefficient[level->loop] * level->choice.tile);
}

/* The slow way, for arrays whose sums do not factor. */
static bool store_coupled(struct tree *tree, int a, int store, struct stored *stored)
{
	const struct space *space = tree->space;
	struct storage storage = { .store = store, .is_sliding = stored->is_sliding };
	double bytes[3] = { 0, 0, 0 };

	for (int m = 1; m <= 3; m++) {
		storage.slots = m < 3 ? m : stored->tiles;
		if (storage.slots > stored->tiles || (m > 1 && stored->most_slots == 1))
			break;
		if (!array_evaluate(space->model, &tree->path, &space->model->arrays[a], &storage))
			return false;
		bytes[m - 1] = (double)(storage.read_bytes + storage.write_bytes);
	}
	stored->bytes = bytes[0];
	stored->full_bytes = stored->tiles > 1 ? bytes[2] : bytes[0];
	stored->slope = stored->tiles > 2 && stored->most_slots > 1 ? bytes[0] - bytes[1] : 0;
	return true;
}

static void store_traffic(struct tree *tree, int a, int store, int slide, struct stored *stored)
{
	const struct space *space = tree->space;
	const struct array_state *outer = &tree->levels[store - 1].arrays[a];
	const struct array_state *state = &tree->levels[store].arrays[a];
	double moved = state->reuse, bytes = space->visit_bytes[a], once;
	struct kept kept;

	for (int d = 0; d < space->model->arrays[a].rank; d++)
		moved *= d == slide ? outer->dims[d].sum : state->dims[d].sum;
	once = moved / state->reuse * space->first_bytes[a];
	stored->bytes = stored->full_bytes = moved * bytes - once;
	stored->slope = 0;
	if (stored->turns == 0)
		return;
	kept = kept_elements(tree, a, store, slide);
	stored->bytes -= bytes * kept.one;
	if (stored->most_slots > 1) {
		stored->slope = bytes * kept.step;
		stored->full_bytes -= bytes * kept.full;
	}
}

static void store_memory(struct tree *tree, int a, int store, int slide, struct stored *stored)
{
	const struct model_array *array = &tree->space->model->arrays[a];
	const struct level *level = &tree->levels[store];
	double bytes = level->arrays[a].region * array->element_bytes;

	stored->memory = stored->memory_step = bytes;
	stored->memory_most = INFINITY;
	if (slide >= 0) {
		double row = bytes / level->arrays[a].dims[slide].extent;

		stored->memory_step = row * (double)(array->dims[slide].coefficient[level->loop] *
			level->choice.tile);
		stored->memory_most = row * (level->arrays[a].dims[slide].extent +
			(double)array->dims[slide].coefficient[level->loop] *
			(double)(tree->space->model->loops[level->loop].extent - level->choice.tile));
	}
	if (stored->is_double)
		stored->memory += stored->memory_step;
}

static double command_count(const struct space *space, int a, const struct stored *stored,
	long slots)
{
	double visits = stored->visits - stored->turns * (double)slots;

	if (space->first_bytes[a] > 0)
		return 2 * visits - stored->first_visits;
	return space->visit_bytes[a] > 0 ?
		visits * (space->model->arrays[a].is_written ? 2 : 1) : 0;
}

/* As many slots as tiles: mostly the same as storing further out, with more memory,
 * but not where a region of several tiles has elements that none of them touches,
 * nor where a larger region would have to be doubled. */
static bool is_full_useful(const struct space *space, int a)
{
	for (int d = 0; d < space->model->arrays[a].rank; d++)
		if (space->gap_loop[a][d] != NO_GAPS)
			return true;
	return space->is_double || space->is_coupled[a] || space->options->store[a] >= 0 ||
		space->options->sliding[a] >= 0 || space->options->slots[a] > 0;
}

/* The slots that are worth trying. */
static void slots_range(const struct space *space, int a, struct stored *stored)
{
	long fixed = space->options->slots[a];

	stored->least = fixed > 0 ? fixed : 1;
	stored->most = stored->turns > 0 ? stored->most_slots : 1;
	if (stored->most == stored->tiles && stored->most > 1 && !is_full_useful(space, a))
		stored->most--;
	if (fixed > 0)
		stored->most = fixed;
}

static double raw_memory(const struct stored *stored, long slots)
{
	return fmin(stored->memory + stored->memory_step * (double)(slots - 1),
		stored->memory_most);
}

/* What more slots than the least save, at the best rate that any number of them
 * has; what costs nothing is taken off the least. */
static void slots_saving(const struct space *space, int a, struct stored *stored)
{
	long tried[3];
	double free_bytes = 0;

	slots_range(space, a, stored);
	stored->least_bytes = slots_traffic(stored, stored->least);
	stored->least_memory = slots_memory(space, stored, stored->least);
	stored->least_commands = command_count(space, a, stored, stored->most);
	stored->saving = (struct saving){ 0, 0 };
	if (stored->least == stored->most)
		return;
	/* linear up to where a ring holds everything */
	tried[0] = stored->most > stored->least + 2 ? stored->most - 2 : stored->least + 1;
	tried[1] = stored->most > stored->least + 1 ? stored->most - 1 : stored->most;
	tried[2] = stored->most;
	for (int i = 0; i < 3; i++) {
		double saved = stored->least_bytes - slots_traffic(stored, tried[i]);
		double raw = raw_memory(stored, tried[i]) - raw_memory(stored, stored->least);

		if (raw <= 0)
			free_bytes = fmax(free_bytes, saved);
		else
			stored->saving.rate = fmax(stored->saving.rate, saved / raw);
		stored->saving.most = raw;
	}
	stored->least_bytes -= free_bytes;
}

/* Stores array A at level STORE; false if the user or the rules forbid it. */
static bool store_array(struct tree *tree, int a, int store)
{
	const struct space *space = tree->space;
	const struct search_options *options = space->options;
	const struct model_array *array = &space->model->arrays[a];
	const struct level *level = &tree->levels[store];
	struct stored *stored = &tree->stored[a];
	bool is_apart = true, may_turn;
	int slide = -1;

	memset(stored, 0, sizeof *stored);
	stored->store = store;
	stored->most_slots = stored->tiles = 1;
	if (options->store[a] >= 0 && options->store[a] != store)
		return false;
	if (store == 0) {
		double elements = level->arrays[a].region;

		stored->visits = stored->first_visits = 1;
		stored->bytes = stored->full_bytes = elements *
			(space->visit_bytes[a] - space->first_bytes[a]);
		stored->memory = stored->memory_step = stored->memory_most =
			elements * array->element_bytes;
		slots_saving(space, a, stored);
		return options->slots[a] <= 1 && options->sliding[a] != 1;
	}
	tree->path.depth = store;
	stored->tiles = level->choice.count;
	may_turn = space->may_turn[level->loop];
	if (array->is_written && !space->is_apart[a])
		is_apart = regions_are_disjoint(space->model, &tree->path, array, store);
	stored->is_double = space->is_double && is_apart && array->anchored == 0;
	stored->most_slots = !may_turn || !is_apart || array->anchored != 0 ? 1 :
		level->choice.count;
	if (options->slots[a] > stored->most_slots)
		return false;
	if (options->sliding[a] != 0)
		slide = slide_dim(space->model, &tree->path, array, store);
	if (slide < 0 && options->sliding[a] == 1)
		return false;
	stored->is_touching = slide >= 0 && options->sliding[a] < 0 &&
		level->arrays[a].dims[slide].extent <=
		(double)(array->dims[slide].coefficient[level->loop] * level->choice.tile);
	stored->is_sliding = slide >= 0;
	stored->visits = level->arrays[a].visits;
	stored->first_visits = stored->visits / level->arrays[a].reuse;
	stored->turns = may_turn ? level->arrays[a].turns : 0;
	store_memory(tree, a, store, slide, stored);
	if (!space->is_coupled[a] && (slide < 0 || !slide_has_gaps(tree, a, store, slide))) {
		store_traffic(tree, a, store, slide, stored);
		slots_saving(space, a, stored);
		return true;
	}
	for (int i = 1; i <= store; i++)
		tree->path.is_serpentine[tree->levels[i].loop] =
			space->may_turn[tree->levels[i].loop];
	if (!store_coupled(tree, a, store, stored))
		return false;
	slots_saving(space, a, stored);
	return true;
}

/* ---- bounds ---- */

/* The most that MEMORY bytes can save: the fractional knapsack. */
static double best_savings(struct saving *savings, int count, double memory)
{
	double saved = 0;

	while (memory > 0) {
		int best = -1;

		for (int i = 0; i < count; i++)
			if (savings[i].most > 0 && savings[i].rate > 0 &&
				(best < 0 || savings[i].rate > savings[best].rate))
				best = i;
		if (best < 0)
			break;
		if (savings[best].most > memory)
			savings[best].most = memory;
		saved += savings[best].rate * savings[best].most;
		memory -= savings[best].most;
		savings[best].most = 0;
	}
	return saved;
}

/* False if nothing below LEVEL can be better than the best so far. */
static bool is_promising(struct tree *tree, int depth)
{
	const struct space *space = tree->space;
	const struct level *level = &tree->levels[depth];
	struct saving savings[MODEL_ARRAYS];
	double traffic = 0, commands = 0, memory = 0, spare = 0;

	for (int a = 0; a < space->model->array_count; a++) {
		const struct stored *stored = &tree->stored[a];
		const struct array_state *state = &level->arrays[a];
		int bytes = space->model->arrays[a].element_bytes;

		if (level->stored >> a & 1) {
			traffic += stored->least_bytes;
			commands += stored->least_commands;
			memory += stored->least_memory;
			savings[a] = stored->saving;
			/* more slots may begin in what the least of them leave of a granule */
			if (savings[a].most > 0)
				spare += space->granule;
			continue;
		}
		traffic += state->first * (state->reuse * space->visit_bytes[a] -
			space->first_bytes[a]);
		savings[a].rate = state->turns * space->visit_bytes[a] / bytes;
		savings[a].most = state->turns > 0 ?
			(state->turned / state->turns - state->least) * bytes : 0;
		traffic -= fmin(state->turns * state->least, state->turned) *
			space->visit_bytes[a];
		memory += round_bytes(space, state->least * bytes);
		spare += space->granule;
		/* a run that turns still moves a tile, others two */
		commands += space->visit_bytes[a] == 0 ? 0 : 2 * (state->visits - state->turns) +
			(is_full_useful(space, a) ? 0 : state->turns);
	}
	if (memory > space->capacity)
		return false;
	if (space->is_minimal_memory)
		return !tree->found || memory < tree->best_scratchpad;
	if (tree->found)
		traffic -= best_savings(savings, space->model->array_count,
			space->capacity - memory + spare);
	if (!tree->found || traffic < tree->best_traffic - TOLERANCE)
		return true;
	return traffic <= tree->best_traffic + TOLERANCE && commands <= tree->best_commands;
}

/* ---- leaves ---- */

/* Loops whose tiles the user fixed and that no buffer sees go inside. */
static void finish_order(const struct tree *tree, int depth, struct schedule *schedule)
{
	const struct space *space = tree->space;
	bool is_placed[MODEL_LOOPS] = { false };

	schedule->depth = depth;
	for (int i = 0; i < depth; i++) {
		schedule->order[i] = tree->levels[i + 1].loop;
		is_placed[schedule->order[i]] = true;
	}
	for (int l = 0; l < space->model->loop_count; l++) {
		schedule->tile[l] = space->is_tiled[l] ? space->model->loops[l].tile :
			space->model->loops[l].extent;
		schedule->is_serpentine[l] = false;
	}
	for (int i = 0; i < space->options->order_count; i++) {
		int loop = space->options->order[i];

		if (space->is_tiled[loop] && !is_placed[loop]) {
			schedule->order[schedule->depth++] = loop;
			is_placed[loop] = true;
		}
	}
	for (int l = 0; l < space->model->loop_count; l++)
		if (space->is_tiled[l] && !is_placed[l])
			schedule->order[schedule->depth++] = l;
	for (int i = 0; i < schedule->depth; i++) {
		int loop = schedule->order[i];

		if (i < depth)
			schedule->tile[loop] = tree->levels[i + 1].choice.tile;
		schedule->is_serpentine[loop] = space->may_turn[loop];
	}
}

/* All choices are made: takes the schedule if it is better. */
static void take(struct tree *tree, int depth)
{
	const struct space *space = tree->space;
	struct schedule schedule;

	memset(&schedule, 0, sizeof schedule);
	finish_order(tree, depth, &schedule);
	for (int a = 0; a < space->model->array_count; a++) {
		const struct stored *stored = &tree->stored[a];

		schedule.storage[a].store = stored->store;
		schedule.storage[a].slots = tree->slots[a];
		/* windows that only touch move the same bytes without a ring, which may
		 * still be smaller than slots */
		schedule.storage[a].is_sliding = stored->is_sliding && !(stored->is_touching &&
			stored->memory + stored->memory_step * (double)(tree->slots[a] - 1) <=
			stored->memory_most);
		schedule.storage[a].is_double = stored->is_double;
	}
	if (!schedule_evaluate(space->model, space->arch, &schedule))
		return;
	if (tree->found && schedule_compare(space, &schedule, &tree->best) >= 0)
		return;
	tree->best = schedule;
	tree->found = true;
	tree->best_traffic = (double)schedule.total_bytes;
	tree->best_scratchpad = (double)schedule.scratchpad_bytes;
	tree->best_commands = 0;
	for (int a = 0; a < space->model->array_count; a++)
		tree->best_commands += (double)schedule.storage[a].commands;
}

/* Chooses the slots of array A and those after it, from what MEMORY is left when
 * all have their least; TRAFFIC and COMMANDS are what is chosen so far. */
static void choose_slots(struct tree *tree, int depth, int a, double memory, double traffic,
	double commands)
{
	const struct space *space = tree->space;
	const struct stored *stored = &tree->stored[a];

	tree->points++;
	if (a == space->model->array_count) {
		if (space->is_minimal_memory || !tree->found ||
			traffic < tree->best_traffic - TOLERANCE ||
			(traffic <= tree->best_traffic + TOLERANCE && commands <= tree->best_commands))
			take(tree, depth);
		return;
	}
	for (long m = stored->most; m >= stored->least; m--) {
		double more = slots_memory(space, stored, m) - stored->least_memory;
		double rest = memory - more, lower, spare = 0;
		struct saving savings[MODEL_ARRAYS] = { { 0, 0 } };

		if (rest < 0) {
			/* straight to the most that fits */
			long fit = stored->least + (long)((memory + space->granule) / stored->memory_step);

			if (fit < m - 1)
				m = fit + 1;
			continue;
		}
		lower = traffic + slots_traffic(stored, m);
		for (int b = a + 1; b < space->model->array_count; b++) {
			lower += tree->stored[b].least_bytes;
			savings[b] = tree->stored[b].saving;
			spare += space->granule;
		}
		lower -= best_savings(savings, space->model->array_count, rest + spare);
		if (space->is_minimal_memory || !tree->found ||
			lower <= tree->best_traffic + TOLERANCE) {
			tree->slots[a] = m;
			choose_slots(tree, depth, a + 1, rest, traffic + slots_traffic(stored, m),
				commands + command_count(space, a, stored, m));
		}
		/* fewer slots of the last array only move more */
		if (a == space->model->array_count - 1 && !space->is_minimal_memory)
			break;
	}
}

static void leaf(struct tree *tree, int depth)
{
	const struct space *space = tree->space;
	double memory = space->capacity;

	for (int a = 0; a < space->model->array_count; a++)
		memory -= tree->stored[a].least_memory;
	if (memory >= 0)
		choose_slots(tree, depth, 0, memory, 0, 0);
}

/* ---- the tree ---- */

static void descend(struct tree *tree, int depth);

/* Arrays that no loop is left for to be stored at: they have to be by now. */
static unsigned last_chance(const struct tree *tree, int depth)
{
	const struct space *space = tree->space;
	unsigned open = 0, arrays = 0;

	for (int l = 0; l < space->model->loop_count; l++)
		if (space->choice_count[l] > 0)
			open |= 1u << l;
	for (int i = 1; i <= depth; i++)
		open &= ~(1u << tree->levels[i].loop);
	for (int a = 0; a < space->model->array_count; a++)
		if ((space->indexed[a] & open) == 0)
			arrays |= 1u << a;
	return arrays;
}

/* Array sets to store at the level just placed: ARRAYS may be. */
static void choose_stores(struct tree *tree, int depth, unsigned arrays)
{
	struct level *level = &tree->levels[depth];
	unsigned before = level->stored, legal = 0, needed = last_chance(tree, depth) & ~before;
	struct stored kept[MODEL_ARRAYS];

	for (int a = 0; a < tree->space->model->array_count; a++)
		if ((arrays >> a & 1) && store_array(tree, a, depth)) {
			legal |= 1u << a;
			kept[a] = tree->stored[a];
		}
	if ((needed & ~legal) != 0)
		return;
	legal &= ~needed;
	/* all subsets, the largest first */
	for (unsigned set = legal;; set = (set - 1) & legal) {
		level->stored = before | needed | set;
		level->stores_here = (needed | set) != 0;
		for (int a = 0; a < tree->space->model->array_count; a++)
			if ((needed | set) >> a & 1)
				tree->stored[a] = kept[a];
		descend(tree, depth);
		if (set == 0 || tree->is_over)
			break;
	}
	level->stored = before;
}

static bool is_placed(const struct tree *tree, int depth, int loop)
{
	for (int i = 1; i <= depth; i++)
		if (tree->levels[i].loop == loop)
			return true;
	return false;
}

/* The user's order, if there is one, comes first; its loops may be left whole. */
static bool order_allows(const struct tree *tree, int depth, int loop)
{
	const struct space *space = tree->space;
	int last = -1;

	for (int i = 0; i < space->options->order_count; i++)
		if (is_placed(tree, depth, space->options->order[i]))
			last = i;
	for (int i = 0; i < depth; i++) {
		bool is_listed = false;

		for (int j = 0; j < space->options->order_count; j++)
			is_listed = is_listed || space->options->order[j] == tree->levels[i + 1].loop;
		if (!is_listed)
			last = space->options->order_count;
	}
	for (int i = 0; i < space->options->order_count; i++) {
		if (space->options->order[i] == loop)
			return i > last;
		if (i > last && space->is_tiled[space->options->order[i]])
			return false;
	}
	return true;
}

/* Two neighbours that no buffer lies between and that are alike for every array may
 * change places: one of the two orders is enough.  Where turns keep regions, clipped
 * tiles tell them apart. */
static bool is_twin_order(const struct tree *tree, int depth)
{
	const struct space *space = tree->space;
	const struct level *level = &tree->levels[depth], *before = level - 1;
	unsigned open = ~level->stored;

	if (depth < 2 || before->stores_here || level->stores_here ||
		before->loop < level->loop || space->options->order_count > 0 ||
		space->may_turn[before->loop] != space->may_turn[level->loop] ||
		((space->indexing[before->loop] ^ space->indexing[level->loop]) & open) != 0)
		return false;
	for (int a = 0; a < space->model->array_count; a++)
		if ((open >> a & 1) && (space->indexing[level->loop] >> a & 1) &&
			level->arrays[a].turns > 0 &&
			(last_tile(space, level->loop, level->choice) != (double)level->choice.tile ||
			last_tile(space, before->loop, before->choice) != (double)before->choice.tile))
			return false;
	return true;
}

static bool has_fixed_stores(const struct space *space)
{
	for (int a = 0; a < space->model->array_count; a++)
		if (space->options->store[a] >= 0)
			return true;
	return false;
}

static void place_loop(struct tree *tree, int depth, int loop, struct tile_choice choice)
{
	const struct space *space = tree->space;
	struct level *level = &tree->levels[depth], *before = level - 1;

	level->loop = loop;
	level->choice = choice;
	level->runs = before->runs * (double)choice.count;
	level->stored = before->stored;
	tree->path.order[depth - 1] = loop;
	tree->path.tile[loop] = choice.tile;
	for (int a = 0; a < space->model->array_count; a++)
		if (!(before->stored >> a & 1))
			array_step(tree, a, before, level);
	choose_stores(tree, depth, space->indexing[loop] & ~before->stored);
}

static void descend(struct tree *tree, int depth)
{
	const struct space *space = tree->space;
	struct level *level = &tree->levels[depth];
	unsigned all = (1u << space->model->array_count) - 1;

	tree->points++;
	if (tree->points >= tree->limit || (space->options->interrupted != NULL &&
		*space->options->interrupted))
		tree->is_over = true;
	if (tree->is_over || !is_promising(tree, depth))
		return;
	if (level->stored == all) {
		leaf(tree, depth);
		return;
	}
	if (is_twin_order(tree, depth))
		return;
	for (int l = 0; l < space->model->loop_count; l++) {
		if (space->choice_count[l] == 0 || is_placed(tree, depth, l) ||
			!order_allows(tree, depth, l))
			continue;
		/* a loop that moves no buffer's region can only cost */
		if ((space->indexing[l] & ~level->stored) == 0 && !space->is_tiled[l] &&
			!has_fixed_stores(space))
			continue;
		for (int i = 0; i < space->choice_count[l] && !tree->is_over; i++)
			place_loop(tree, depth + 1, l, space->choices[l][i]);
	}
}

/* ---- interface ---- */

struct tree *tree_new(const struct space *space)
{
	struct tree *tree = calloc(1, sizeof *tree);

	if (tree == NULL)
		abort();
	tree->space = space;
	return tree;
}

void tree_free(struct tree *tree)
{
	free(tree);
}

static void tree_start(struct tree *tree)
{
	const struct space *space = tree->space;
	struct level *root = &tree->levels[0];

	root->loop = -1;
	root->runs = 1;
	root->stored = 0;
	for (int a = 0; a < space->model->array_count; a++)
		array_start(space, a, root, &root->arrays[a]);
	for (int l = 0; l < space->model->loop_count; l++)
		tree->path.tile[l] = space->model->loops[l].extent;
}

/* Arrays stored outside all loops, with their buffers. */
static bool store_outside(struct tree *tree, unsigned outside)
{
	const struct space *space = tree->space;
	double memory = 0;

	for (int a = 0; a < space->model->array_count; a++)
		if (outside >> a & 1) {
			if (!store_array(tree, a, 0))
				return false;
			memory += slots_memory(space, &tree->stored[a], 1);
		}
	tree->levels[0].stored = outside;
	tree->levels[0].stores_here = outside != 0;
	return memory <= space->capacity;
}

struct task *tree_tasks(const struct space *space, int *count)
{
	unsigned all = (1u << space->model->array_count) - 1;
	struct tree *tree = tree_new(space);
	struct task *tasks = NULL;
	size_t capacity = 0, used = 0;

	tree_start(tree);
	for (unsigned outside = all;; outside--) {
		bool fits = store_outside(tree, outside);

		for (int l = -1; fits && l < space->model->loop_count; l++) {
			int choices = l < 0 ? 1 : space->choice_count[l];

			if ((l < 0) != (outside == all) || (l >= 0 && !order_allows(tree, 0, l)))
				continue;
			for (int i = 0; i < choices; i++) {
				if (used == capacity) {
					capacity = capacity == 0 ? 64 : 2 * capacity;
					tasks = realloc(tasks, capacity * sizeof *tasks);
					if (tasks == NULL)
						abort();
				}
				tasks[used++] = (struct task){ outside, l, i, 0 };
			}
		}
		if (outside == 0)
			break;
	}
	tree_free(tree);
	*count = (int)used;
	return tasks;
}

bool tree_search(struct tree *tree, const struct task *task, struct schedule *best,
	bool *found, long *points, long limit)
{
	const struct space *space = tree->space;

	tree_start(tree);
	tree->is_over = false;
	tree->points = *points;
	tree->limit = limit;
	tree->found = *found;
	if (*found) {
		tree->best = *best;
		tree->best_traffic = (double)best->total_bytes;
		tree->best_scratchpad = (double)best->scratchpad_bytes;
		tree->best_commands = 0;
		for (int a = 0; a < space->model->array_count; a++)
			tree->best_commands += (double)best->storage[a].commands;
	}
	store_outside(tree, task->outside);
	if (task->loop < 0)
		leaf(tree, 0);
	else if (is_promising(tree, 0) && ((space->indexing[task->loop] & ~task->outside) != 0 ||
		space->is_tiled[task->loop] || has_fixed_stores(space)))
		place_loop(tree, 1, task->loop, space->choices[task->loop][task->choice]);
	if (tree->found)
		*best = tree->best;
	*found = tree->found;
	*points = tree->points;
	return !tree->is_over;
}

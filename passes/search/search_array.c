#include "passes/search/search_state.h"

#include <math.h>
#include <string.h>

double last_tile(const struct space *space, int loop, struct tile_choice choice)
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

/* The same of a dimension that may be clipped. */
static double gap_clipped_lower(const struct space *space, int a, int d,
	const struct level *levels, const struct level *last)
{
	double lower;

	if (space->model->arrays[a].dims[d].clip_high == 0)
		return gap_lower(space, a, d, levels, last);
	if (space->gap_loop[a][d] == MANY_GAPS)
		return space->distinct[a][d];
	lower = gap_lower(space, a, d, levels, last) - space->clipped_away[a][d];
	return fmax(space->distinct[a][d], lower * (1 - 1e-14));
}

/* The sum of a clipped dimension over the tiles of the loops placed. */
static double clipped_dim_sum(const struct space *space, const struct model_dim *dim,
	const struct level *levels, const struct level *last)
{
	long tile[MODEL_LOOPS] = { 0 }, total;
	struct tile_range range[MODEL_LOOPS] = { { 0, 0 } };

	for (const struct level *at = levels + 1; at <= last; at++) {
		tile[at->loop] = at->choice.tile;
		range[at->loop] = (struct tile_range){ 0, at->choice.count };
	}
	return clipped_sum(space->model, dim, tile, range, -1, &total) ? (double)total : INFINITY;
}

/* Fills in the room for dimension D of array A, of which STATE tells the extents, inside the loops of LEVELS up to LAST.  Whatever the
 * tiles of the others, one of them has the region of any of their iterations. */
static void find_room(const struct space *space, int a, int d, const struct level *levels, const struct level *last, struct dim_state *state)
{
	const struct model_array *array = &space->model->arrays[a];
	long tile[MODEL_LOOPS] = { 0 };

	state->room = fmax(state->extent, (double)array->dims[d].least_side);
	state->least_room = fmax(state->least, (double)array->dims[d].least_side);
	if (array->dims[d].clip_high == 0)
		return;
	for (int l = 0; l < space->model->loop_count; l++)
		tile[l] = array->anchored >> l & 1;
	for (const struct level *at = levels + 1; at <= last; at++)
		tile[at->loop] = at->choice.tile;
	state->room = (double)clipped_room(space->model, array, d, tile);
	for (int l = 0; l < space->model->loop_count; l++)
		tile[l] = tile[l] > 0 || space->choice_count[l] == 0 ? tile[l] : 1;
	state->least_room = (double)clipped_room(space->model, array, d, tile);
}

/* No piece of array A's regions is longer: dimensions of which they have all are one behind the other. */
static double longest_piece(const struct model_array *array, const struct array_state *whole, const struct array_state *state)
{
	double piece = array->element_bytes;

	for (int d = array->rank - 1; d >= 0; d--) {
		piece *= state->dims[d].extent;
		if (state->dims[d].extent < whole->dims[d].extent)
			break;
	}
	return piece;
}

void array_start(const struct space *space, int a, const struct level *levels,
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

			/* Such a loop runs one iteration at a time, and one of them counts. */
			if (array->anchored >> l & 1)
				continue;
			whole += c * (double)(space->model->loops[l].extent - 1);
			least += c * (double)(smallest - 1);
		}
		state->dims[d] = (struct dim_state){ whole, whole, 1, whole, least, 0, 0 };
		find_room(space, a, d, levels, levels, &state->dims[d]);
		if (array->dims[d].clip_high > 0)
			state->dims[d].sum = state->dims[d].lower =
				clipped_dim_sum(space, &array->dims[d], levels, levels);
		if (space->gap_loop[a][d] != NO_GAPS)
			state->dims[d].lower = gap_clipped_lower(space, a, d, levels, levels);
		state->first *= space->is_counted[a][d] ? state->dims[d].lower :
			(double)array->dims[d].window;
		state->region *= state->dims[d].room;
		state->least *= state->dims[d].least_room;
	}
	state->piece = longest_piece(array, state, state);
	state->ends = 0;
}

/* Bytes that array A, of which STATE tells the extents, moves at least besides at ends of loops, some of which are outside its buffer. */
static double least_at_ends(const struct space *space, int a, const struct array_state *state)
{
	const struct model_array *array = &space->model->arrays[a];
	double whole = array->element_bytes, last = whole;

	for (int d = 0; d < array->rank; d++) {
		const struct dim_state *dim = &state->dims[d];
		bool has_end = false;

		for (int l = 0; l < space->model->loop_count; l++)
			has_end = has_end || (array->dims[d].coefficient[l] > 0 && array->ends >> l & 1);
		whole *= has_end ? fmax(dim->extent, (double)array->dims[d].end_side) : dim->lower;
		last *= has_end ? dim->extent : dim->lower;
	}
	return (array->ends_read + array->ends_written) * (whole - last);
}

void array_step(const struct tree *tree, int a, const struct level *before,
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

	state->ends = old->ends;
	state->reuse = old->reuse;
	state->turns = old->turns;
	state->turned = old->turned;
	state->visits = old->visits;
	/* an anchored loop counts as one iteration, and what is held does not outlast it */
	if (array->anchored >> level->loop & 1)
		state->turns = state->turned = 0;
	else
		state->visits *= n;
	if (!(space->indexed[a] >> level->loop & 1)) {
		memcpy(state->dims, old->dims, sizeof *state->dims * (size_t)array->rank);
		state->first = old->first;
		state->region = old->region;
		state->least = old->least;
		state->piece = old->piece;
		if (!(array->anchored >> level->loop & 1)) {
			double run = old->reuse * (n - 1);

			for (int d = 0; d < array->rank; d++)
				run *= old->dims[d].sum;
			state->turned += run;
			state->turns += old->visits * (n - 1);
			state->reuse *= n;
		}
		return;
	}
	if (!space->may_turn[level->loop])
		state->turns = state->turned = 0;
	state->first = state->region = state->least = 1;
	for (int d = 0; d < array->rank; d++) {
		struct dim_state *dim = &state->dims[d];
		double c = (double)array->dims[d].coefficient[level->loop];

		*dim = old->dims[d];
		if (c > 0 && !(array->anchored >> level->loop & 1)) {
			dim->sum = n * dim->sum - dim->tiles * c * extent * (n - 1);
			dim->tiles *= n;
			/* only the first tile of a run goes on from the run before */
			if (array->dims[d].clip_high == 0)
				state->turned *= 1 - c * (extent - tile) / dim->extent;
			else
				dim->sum = clipped_dim_sum(space, &array->dims[d], tree->levels, level);
			dim->extent -= c * (extent - tile);
			dim->least += c * (tile - smallest);
			find_room(space, a, d, tree->levels, level, dim);
			dim->lower = space->gap_loop[a][d] == NO_GAPS ? dim->sum :
				gap_clipped_lower(space, a, d, tree->levels, level);
		}
		state->first *= space->is_counted[a][d] ? dim->lower :
			(double)array->dims[d].window;
		state->region *= dim->room;
		state->least *= dim->least_room;
	}
	state->piece = longest_piece(array, &tree->levels[0].arrays[a], state);
	if (state->ends > 0 || array->ends >> level->loop & 1)
		state->ends = least_at_ends(space, a, state);
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

		if (space->model->arrays[a].anchored >> inner->loop & 1)
			break;
		if (space->indexed[a] >> inner->loop & 1) {
			if (!space->may_turn[inner->loop])
				break;
			is_clipped = is_clipped || inner->choice.tile * inner->choice.count !=
				space->model->loops[inner->loop].extent;
		}
		if ((space->indexed[a] | (unsigned long)space->model->arrays[a].anchored) >> tree->levels[turn].loop & 1)
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

bool shows_something(const struct space *space, int a, const struct level *levels, const struct level *last)
{
	const struct model_array *array = &space->model->arrays[a];
	double size[MODEL_LOOPS];

	for (int l = 0; l < space->model->loop_count; l++)
		size[l] = array->anchored >> l & 1 ? 1 : (double)space->model->loops[l].extent;
	for (const struct level *at = levels + 1; at <= last; at++)
		size[at->loop] = array->anchored >> at->loop & 1 ? 1 : last_tile(space, at->loop, at->choice);
	for (int d = 0; d < array->rank; d++) {
		const struct model_dim *dim = &array->dims[d];
		double region = (double)dim->window, all = region;

		for (int l = 0; l < space->model->loop_count; l++) {
			region += (double)dim->coefficient[l] * (size[l] - 1);
			all += (double)dim->coefficient[l] * (double)(space->model->loops[l].extent - 1);
		}
		/* the smallest region, at either end */
		if (dim->clip_high > 0 && (region <= (double)dim->clip_low || all - region >= (double)dim->clip_high))
			return false;
	}
	return true;
}

/* What commands of array A, which is STORED, are not sure. */
static void find_idle(struct tree *tree, int a, int store, int slide, struct stored *stored)
{
	const struct space *space = tree->space;
	const struct model_array *array = &space->model->arrays[a];
	const struct level *level = &tree->levels[store];
	double all, outside, step, idle;

	if (!space->may_be_idle[a])
		return;
	if (!shows_something(space, a, tree->levels, level)) {
		stored->most_moved = level->arrays[a].region * array->element_bytes;
		return;
	}
	if (slide < 0 || array->dims[slide].clip_high == 0)
		return;
	all = (double)array->dims[slide].window;
	for (int l = 0; l < space->model->loop_count; l++)
		all += (double)array->dims[slide].coefficient[l] * (double)(space->model->loops[l].extent - 1);
	/* the first window of a run shows something; from there on what is new is apart, and leaves the array at one end */
	outside = fmax((double)array->dims[slide].clip_low, all - (double)array->dims[slide].clip_high);
	step = (double)(array->dims[slide].coefficient[level->loop] * level->choice.tile);
	idle = floor(outside / step) + (last_tile(space, level->loop, level->choice) < (double)level->choice.tile);
	stored->idle = stored->visits / (double)stored->tiles * fmin(idle, (double)stored->tiles - 1);
}

/* Near a border a slot saves less than elsewhere: no more than if nothing were clipped,
 * which makes slots_traffic a bound. */
static bool bound_slope(const struct tree *tree, int a, struct storage *storage,
	struct stored *stored)
{
	struct model_array whole = tree->space->model->arrays[a];
	double bytes[2];

	for (int d = 0; d < whole.rank; d++)
		whole.dims[d].clip_low = whole.dims[d].clip_high = 0;
	for (int m = 1; m <= 2; m++) {
		storage->slots = m;
		if (!array_evaluate(tree->space->model, &tree->path, &whole, storage))
			return false;
		bytes[m - 1] = (double)flow_bytes(&storage->flow);
	}
	stored->slope = bytes[0] - bytes[1];
	return true;
}

/* The slow way, for arrays whose sums do not factor; sums with slots that nobody will ask for
 * are left out. */
static bool store_coupled(struct tree *tree, int a, int store, struct stored *stored)
{
	const struct space *space = tree->space;
	struct storage storage = { .store = store, .is_sliding = stored->is_sliding };
	double bytes[3] = { 0, 0, 0 };
	bool is_fixed = space->options->slots[a] > 1;
	bool has_slots = is_fixed || (stored->turns > 0 && stored->most_slots > 1);

	for (int m = 1; m <= 3; m++) {
		storage.slots = m < 3 ? m : stored->tiles;
		if (storage.slots > stored->tiles || (m > 1 && !has_slots)
			|| (m > 2 && !is_fixed && !space->is_full_useful[a]))
			break;
		if (!array_evaluate(space->model, &tree->path, &space->model->arrays[a], &storage))
			return false;
		bytes[m - 1] = (double)flow_bytes(&storage.flow);
	}
	stored->bytes = bytes[0];
	stored->full_bytes = stored->tiles > 1 ? bytes[2] : bytes[0];
	stored->slope = stored->tiles > 2 && has_slots ? bytes[0] - bytes[1] : 0;
	return stored->slope == 0 || !space->is_clipped[a] || bound_slope(tree, a, &storage, stored);
}

/* What array A moves besides where loops end. */
static double end_traffic(const struct tree *tree, int a, int store)
{
	const struct model_array *array = &tree->space->model->arrays[a];

	return array->ends ? (double)(array->ends_read + array->ends_written) *
		(double)array_end_bytes(tree->space->model, &tree->path, array, store) : 0;
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
	stored->bytes = stored->full_bytes = moved * bytes - once + end_traffic(tree, a, store);
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
	stored->memory_floor = 0;
	if (slide >= 0) {
		double row = bytes / level->arrays[a].dims[slide].room;

		stored->memory_floor = row * (double)array->dims[slide].least_side;
		/* windows that slide are not clipped; those that only touch need not slide */
		if (!stored->is_touching) {
			stored->memory = row * level->arrays[a].dims[slide].extent;
			stored->memory_step = row * (double)(array->dims[slide].coefficient[level->loop] *
				level->choice.tile);
		}
		stored->memory_most = row * (level->arrays[a].dims[slide].extent +
			(double)array->dims[slide].coefficient[level->loop] *
			(double)(tree->space->model->loops[level->loop].extent - level->choice.tile));
	}
	if (stored->is_double)
		stored->memory += stored->memory_step;
}

/* Whether array A can be copied to STORAGE, where the loops outside are those of the path. */
static bool is_aligned(struct tree *tree, int a, struct storage storage)
{
	tree->path.depth = storage.store;
	return storage_is_aligned(tree->space->model, &tree->path, &tree->space->model->arrays[a],
		&storage);
}

/* Registers may hold array A, which they alone do, inside the first STORE loops. */
static bool registers_may_hold(const struct tree *tree, int a, int store)
{
	const struct nest_model *model = tree->space->model;
	long iterations[MODEL_LOOPS];

	for (int l = 0; l < model->loop_count; l++)
		iterations[l] = model->loops[l].extent;
	for (int i = 1; i <= store; i++)
		iterations[tree->levels[i].loop] = tree->levels[i].choice.tile;
	return elements_may_hold(tree, a, iterations, store > 0);
}

/* What of array A, in a double buffer inside STORE loops, comes first and leaves last.  Loops begin with a whole tile, and may end with a smaller one. */
static void find_edges(const struct tree *tree, int a, int store, struct stored *stored)
{
	const struct model_array *array = &tree->space->model->arrays[a];
	const struct level *level = &tree->levels[store];
	double first = array->element_bytes, last = first;

	if (!stored->is_double || tree->space->is_clipped[a])
		return;
	for (int d = 0; d < array->rank; d++) {
		double extent = level->arrays[a].dims[d].extent, less = 0;

		for (int i = 1; i <= store; i++)
			less += (double)array->dims[d].coefficient[tree->levels[i].loop] * ((double)tree->levels[i].choice.tile -
				last_tile(tree->space, tree->levels[i].loop, tree->levels[i].choice));
		first *= extent;
		last *= extent - less;
	}
	stored->first_bytes = array->is_written ? !array->is_created * first : array->is_read * first;
	stored->last_bytes = array->is_written && !array->is_dropped ? last : 0;
}

bool store_array(struct tree *tree, int a, int store, bool may_slide)
{
	const struct space *space = tree->space;
	const struct search_options *options = space->options;
	const struct model_array *array = &space->model->arrays[a];
	const struct level *level = &tree->levels[store];
	struct stored *stored = &tree->stored[a];
	bool is_apart = true, may_turn, may_double, may_repeat;
	/* registers hold one region of what is nowhere else */
	bool is_all = is_bypassed(space, a);
	int slide = -1;

	memset(stored, 0, sizeof *stored);
	stored->store = store;
	stored->most_slots = stored->tiles = 1;
	if (store < options->min_store[a] || (options->store[a] >= 0 && options->store[a] != store))
		return false;
	if (is_all && space->elements && !registers_may_hold(tree, a, store))
		return false;
	if (store == 0) {
		double elements = level->arrays[a].region, moved = 1;

		for (int d = 0; d < array->rank; d++)
			moved *= level->arrays[a].dims[d].sum;
		stored->visits = stored->first_visits = 1;
		stored->bytes = stored->full_bytes = moved *
			(space->visit_bytes[a] - space->first_bytes[a]);
		stored->memory = stored->memory_step = stored->memory_most =
			elements * array->element_bytes;
		slots_saving(space, a, stored);
		return options->slots[a] <= 1 && options->sliding[a] != 1 && options->doubled[a] != 1
			&& is_aligned(tree, a, (struct storage){ .store = 0, .slots = 1 });
	}
	tree->path.depth = store;
	stored->tiles = level->choice.count;
	may_turn = space->may_turn[level->loop];
	may_repeat = is_aligned(tree, a, (struct storage){ .store = store, .slots = 2 });
	may_double = (options->doubled[a] < 0 ? tree->doubles >> a & 1 : (unsigned)options->doubled[a])
		&& store > options->shared_loops;
	/* asking costs most of what is done here */
	if (array->is_written && !space->is_apart[a] && (may_double || may_turn))
		is_apart = regions_are_disjoint(space->model, &tree->path, array, store);
	stored->is_double = may_double && !is_all && is_apart && array->anchored == 0 && may_repeat;
	if (options->doubled[a] == 1 && !stored->is_double)
		return false;
	stored->most_slots = is_all || !may_turn || !is_apart || array->anchored >> level->loop & 1 || !may_repeat ? 1 :
		level->choice.count;
	if (options->slots[a] > stored->most_slots)
		return false;
	if (options->sliding[a] != 0 && may_slide && !is_all)
		slide = slide_dim(space->model, &tree->path, array, store);
	if (slide >= 0 && options->sliding[a] < 0 && !is_aligned(tree, a, (struct storage){
		.store = store, .slots = 1, .is_sliding = true }))
		slide = -1;
	if ((slide < 0 && options->sliding[a] == 1) || !is_aligned(tree, a, (struct storage){
		.store = store, .slots = 1, .is_sliding = slide >= 0 }))
		return false;
	stored->is_touching = slide >= 0 && options->sliding[a] < 0 &&
		level->arrays[a].dims[slide].extent >= (double)array->dims[slide].least_side &&
		level->arrays[a].dims[slide].extent <=
		(double)(array->dims[slide].coefficient[level->loop] * level->choice.tile);
	stored->is_sliding = slide >= 0;
	stored->visits = level->arrays[a].visits;
	stored->first_visits = stored->visits / level->arrays[a].reuse;
	stored->turns = may_turn ? level->arrays[a].turns : 0;
	find_idle(tree, a, store, slide, stored);
	find_edges(tree, a, store, stored);
	store_memory(tree, a, store, slide, stored);
	if (slots_memory(space, a, stored, options->slots[a] > 1 ? options->slots[a] : 1)
		> room_of(space, a)->capacity)
		return false;
	if (!space->is_coupled[a] && !(space->is_clipped[a] && (slide >= 0 || stored->turns > 0)) &&
		(slide < 0 || !slide_has_gaps(tree, a, store, slide))) {
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

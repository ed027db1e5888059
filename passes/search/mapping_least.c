/* What mappings cost and need at least, of which a part is chosen: docs/search.md has the arguments. */

#include "passes/search/mapping_state.h"

#include <math.h>

#include "passes/cost/array_cycles.h"
#include "support/memory.h"

/* ---- words ---- */

/* How array A's words are counted: by boxes around those of all elements that a read may serve, or by those of each element. */
enum boxes { ONE_OF_ALL, ONE_EACH };

/* Where regions of array A begin anew along LOOP: once for each step, for each tile, or once. */
static double intervals(const struct mapping_tree *tree, int a, int loop, const struct held *held)
{
	const struct share *share = tree->chosen[loop];

	if (tree->model->arrays[a].anchored >> loop & 1)
		return 1;
	if (held->depth <= tree->outer->depth)
		return tree->tile_position[loop] < held->depth ? tree->tiles[loop] : 1;
	return share && (held->is_open || held->outside >> loop & 1) ? share->steps : tree->tiles[loop];
}

/* The same of boxes. */
static double box_intervals(const struct mapping_tree *tree, int a, int loop, const struct held *held, enum boxes boxes)
{
	const struct share *share = tree->chosen[loop];

	return boxes == ONE_EACH && share && share->space > 1 && !(tree->model->arrays[a].anchored >> loop & 1) ?
		share->parts : intervals(tree, a, loop, held);
}

static struct sum_dim sum_dim_of(const struct mapping_tree *tree, int a, int d)
{
	const struct model_array *array = &tree->model->arrays[a];
	struct sum_dim sum = { .dim = &array->dims[d], .fixed = (double)array->dims[d].window };

	for (int l = 0; l < tree->model->loop_count; l++) {
		double coefficient = (double)array->dims[d].coefficient[l];

		sum.has_gaps = sum.has_gaps || coefficient > (double)array->dims[d].window;
		if (!(tree->counted[a][d] >> l & 1))
			continue;
		sum.loops[sum.count] = l;
		sum.coefficient[sum.count] = coefficient;
		sum.extent[sum.count++] = array->anchored >> l & 1 ? 1 : (double)tree->model->loops[l].extent;
		sum.fixed -= coefficient;
	}
	return sum;
}

void mapping_begin_sums(struct mapping_tree *tree)
{
	for (int a = 0; a < tree->model->array_count; a++) {
		tree->sums[a] = memory_alloc((size_t)tree->model->arrays[a].rank * sizeof *tree->sums[a]);
		for (int d = 0; d < tree->model->arrays[a].rank; d++)
			tree->sums[a][d] = sum_dim_of(tree, a, d);
	}
}

/* Elements of a clipped dimension's windows that do not exist, at most: of COUNTS intervals of its loops.  Along the loop with
 * most of them each begins an iteration later than the one before, at least. */
static double clipped_away(const struct mapping_tree *tree, const struct sum_dim *sum, const double *counts)
{
	double whole = (double)sum->dim->window, most = 1, all = 1, low = (double)sum->dim->clip_low, high;

	for (int l = 0; l < tree->model->loop_count; l++)
		whole += (double)(sum->dim->coefficient[l] * (tree->model->loops[l].extent - 1));
	for (int i = 0; i < sum->count; i++) {
		all *= counts[sum->loops[i]];
		most = fmax(most, counts[sum->loops[i]]);
	}
	high = fmax(whole - (double)sum->dim->clip_high, 0);
	return all / most * (low * (low + 1) + high * (high + 1)) / 2;
}

/* The extents of a dimension, summed over all COUNTS [loop] intervals of the loops that move it. */
static double extent_sum(const struct mapping_tree *tree, const struct sum_dim *sum, const double *counts)
{
	double product = 1, extents = 0;

	/* one loop after the other: what its intervals add is once for each of the others' */
	for (int i = 0; i < sum->count; i++) {
		double count = counts[sum->loops[i]];

		extents = extents * count + sum->coefficient[i] * sum->extent[i] * product;
		product *= count;
	}
	extents += sum->fixed * product;
	return sum->dim->clip_high == 0 ? extents : fmax(extents - clipped_away(tree, sum, counts), 0);
}

/* The sum is linear in each count, so it is least where each is as it is, or as large as can be; where windows touch, where they are as
 * they are. */
double mapping_dim_sum(const struct mapping_tree *tree, int a, int d, const double *counts, unsigned final)
{
	const struct sum_dim *sum = &tree->sums[a][d];
	unsigned open = tree->counted[a][d] & ~final, corner = 0;
	double least = INFINITY, corners[MODEL_LOOPS];

	if (!sum->has_gaps)
		return extent_sum(tree, sum, counts);
	do {
		for (int i = 0; i < sum->count; i++)
			corners[sum->loops[i]] = corner >> sum->loops[i] & 1 ? sum->extent[i] : counts[sum->loops[i]];
		least = fmin(least, extent_sum(tree, sum, corners));
		corner = (corner - open) & open;
	} while (corner != 0);
	return least;
}

/* The loops whose intervals are known: not where some elements are served one by one, and others together. */
static unsigned final_loops(const struct mapping_tree *tree, const struct held *held, enum boxes boxes)
{
	unsigned loops = 0;

	for (int l = 0; l < tree->model->loop_count; l++)
		if (boxes == ONE_EACH ? mapping_is_decided(tree, l) : !held->is_open)
			loops |= 1u << l;
	return held->is_open || tree->machine->multicast != AXES_ANY ? 0 : loops;
}

/* Words of all regions of array A together, each once. */
static double region_words(const struct mapping_tree *tree, int a, const struct held *held, enum boxes boxes)
{
	double words = 1, counts[MODEL_LOOPS];
	unsigned final = final_loops(tree, held, boxes);

	for (int l = 0; l < tree->model->loop_count; l++)
		counts[l] = box_intervals(tree, a, l, held, boxes);
	for (int d = 0; d < tree->model->arrays[a].rank; d++)
		words *= mapping_dim_sum(tree, a, d, counts, final);
	return words;
}

/* How often each region of array A comes. */
static double repeats(const struct mapping_tree *tree, int a, const struct held *held)
{
	double repeats = 1;

	for (int l = 0; l < tree->model->loop_count; l++)
		if (!(tree->indexing[a] >> l & 1))
			repeats *= intervals(tree, a, l, held);
	return repeats;
}

double mapping_sharers(const struct mapping_tree *tree, int a)
{
	double count = 1;

	for (int l = 0; l < tree->model->loop_count; l++)
		if (tree->chosen[l] && !(tree->indexing[a] >> l & 1) && !(tree->model->arrays[a].anchored >> l & 1))
			count *= tree->chosen[l]->least_sharers;
	return count;
}

/* ALL words of an array that is written leave, and come back, but for those of regions that come for the FIRST time. */
static struct least_words written_words(const struct mapping_tree *tree, int a, double all, double first, double together)
{
	const struct model_array *array = &tree->model->arrays[a];
	struct least_words words = { .written = all - (array->is_dropped ? first : 0) };

	words.read = may_add(tree->problem, a) && !array->is_dropped ? 0 : all - (array->is_created ? first : 0);
	words.delivered = words.read + words.written;
	words.reduced = all * (together - 1);
	return words;
}

/* The registers of array A are in tile loops. */
static struct least_words tile_least(const struct mapping_tree *tree, int a)
{
	const struct model_array *array = &tree->model->arrays[a];
	const struct held *held = &tree->held[a];
	const struct tile_words *words = &tree->by_tiles[a][held->depth];
	double together = mapping_sharers(tree, a), all = words->all, first = words->first, each;

	if (words->shrinks && (array->is_written || held->is_open || tree->machine->multicast != AXES_ANY)) {
		first = region_words(tree, a, held, array->is_written ? ONE_EACH : ONE_OF_ALL);
		all = first * (words->may_turn ? 1 : repeats(tree, a, held));
	}
	if (array->is_written)
		return written_words(tree, a, all, first, together);
	if (!array->is_read)
		return (struct least_words){ .read = 0 };
	each = all;
	if (!words->may_turn && tree->prices->delivered > 0)
		each = region_words(tree, a, held, ONE_EACH) * repeats(tree, a, held);
	else if (words->shrinks)
		each = 0;
	return (struct least_words){ .read = all, .delivered = each * together };
}

struct least_words mapping_step_words(const struct mapping_tree *tree, int a, const struct step_words *step)
{
	const struct model_array *array = &tree->model->arrays[a];

	if (array->is_written)
		return written_words(tree, a, step->each * step->often, step->each, step->together);
	return array->is_read ? (struct least_words){ .read = step->all * step->often, .delivered = step->each * step->often * step->together } :
		(struct least_words){ .read = 0 };
}

/* They are in step loops. */
static struct least_words step_least(const struct mapping_tree *tree, int a)
{
	const struct held *held = &tree->held[a];
	bool has_each = tree->model->arrays[a].is_written || tree->prices->delivered > 0;
	bool has_all = !tree->model->arrays[a].is_written && (tree->prices->moved > 0 || prices_have_time(tree->prices));
	struct step_words step = { .each = has_each ? region_words(tree, a, held, ONE_EACH) : 0,
		.all = has_all ? region_words(tree, a, held, ONE_OF_ALL) : 0, .often = repeats(tree, a, held), .together = mapping_sharers(tree, a) };

	return mapping_step_words(tree, a, &step);
}

static struct least_words least_words_of(const struct mapping_tree *tree, int a)
{
	return tree->held[a].depth <= tree->outer->depth ? tile_least(tree, a) : step_least(tree, a);
}

/* Smaller boxes of array A, whose registers are inside DEPTH tile loops, may be fewer words all together: a loop moves two
 * dimensions, or there are gaps between windows. */
static bool shrinks(const struct mapping_tree *tree, int a, int depth)
{
	const struct held open = { .is_open = true, .depth = depth };
	double counts[MODEL_LOOPS];
	bool shrinks = false;

	for (int l = 0; l < tree->model->loop_count; l++)
		counts[l] = intervals(tree, a, l, &open);
	for (int d = 0; d < tree->model->arrays[a].rank; d++) {
		const struct sum_dim *sum = &tree->sums[a][d];

		/* of what is clipped both may be nothing, as far as is known */
		shrinks = shrinks || (sum->has_gaps && sum->dim->clip_high > 0) ||
			mapping_dim_sum(tree, a, d, counts, 0) < extent_sum(tree, sum, counts);
		for (int l = 0; l < tree->model->loop_count; l++)
			shrinks = shrinks || (tree->model->arrays[a].dims[d].coefficient[l] > 0 && !(tree->counted[a][d] >> l & 1));
	}
	return shrinks;
}

void mapping_count_tiles(struct mapping_tree *tree)
{
	for (int a = 0; a < tree->model->array_count; a++) {
		struct model_array array = tree->model->arrays[a];
		struct tile_words *words = memory_alloc((size_t)(tree->outer->depth + 1) * sizeof *words);
		bool may_turn = false;

		array.element_bytes = 1;
		array.align_bytes = 1;
		array.is_created = array.is_written;
		array.is_dropped = false;
		for (int depth = 0; depth <= tree->outer->depth; depth++) {
			struct storage storage = { .store = depth, .slots = 1 };

			may_turn = may_turn || (depth > 0 && tree->outer->is_serpentine[tree->outer->order[depth - 1]]);
			words[depth] = (struct tile_words){ .may_turn = may_turn };
			if (!array_evaluate(tree->model, tree->outer, &array, &storage))
				continue;
			words[depth].shrinks = shrinks(tree, a, depth);
			words[depth].all = (double)(array.is_written ? storage.flow.write_bytes : storage.flow.read_bytes);
			words[depth].first = array.is_written ? words[depth].all - (double)storage.flow.read_bytes : 0;
		}
		tree->by_tiles[a] = words;
	}
}

/* ---- all of it ---- */

double mapping_elements_left(const struct mapping_tree *tree)
{
	double most = 1;

	for (int l = 0; l < tree->model->loop_count; l++)
		if (!mapping_has_space(tree, l) && (tree->rules->shareable >> l & 1))
			most *= (double)tree->outer->tile[l];
	return fmin(elements_beside(tree->machine, tree->used), most);
}

/* Iterations of the busiest element, all together. */
static double cycles_with(const struct mapping_tree *tree, double left)
{
	double cycles = 1, open = 1, least = 1;

	for (int l = 0; l < tree->model->loop_count; l++) {
		if (tree->chosen[l]) {
			cycles *= tree->chosen[l]->cycles;
		} else {
			open *= (double)tree->model->loops[l].extent;
			least *= tree->rules->shareable >> l & 1 ? tree->tiles[l] : (double)tree->model->loops[l].extent;
		}
	}
	return cycles * fmax(least, ceil(open / left * (1 - 1e-12)));
}

bool mapping_is_double(const struct mapping_tree *tree, int a)
{
	const struct model_array *array = &tree->model->arrays[a];

	return tree->machine->is_double && !array->is_written && !array->anchored &&
		(tree->held[a].is_open || tree->held[a].depth > 0);
}

double mapping_words_price(const struct mapping_tree *tree, int a, const struct least_words *words)
{
	const struct prices *prices = tree->prices;
	double moved = bypasses(tree->model, &tree->outer->storage[a]) ? 0 : prices->moved;

	return (moved * (words->read + words->written) + prices->delivered * words->delivered + prices->reduced * words->reduced) *
		tree->model->arrays[a].element_bytes;
}

void mapping_add_words(const struct mapping_tree *tree, int a, const struct least_words *words, struct array_work *work)
{
	array_work_add(work, tree->outer->storage[a].memory, words->read, words->written, words->reduced, mapping_is_double(tree, a),
		tree->model->arrays[a].is_written);
}

/* Cycles of all WORK, where the busiest element has so many CYCLES, and of copies beside it; 0 if they do not matter. */
static double time_of(const struct mapping_tree *tree, struct array_work *work, double cycles)
{
	work->macs = cycles * tree->problem->macs;
	return !prices_have_time(tree->prices) ? 0 :
		fmax(array_least_cycles(tree->machine, work) + tree->problem->copies.alone, tree->problem->copies.least);
}

struct least_cost mapping_least_cost(const struct mapping_tree *tree)
{
	struct least_cost cost = { .work = { .elements = 1, .is_serial = true }, .closed_work = { .elements = 1, .is_serial = true } };

	for (int a = 0; a < tree->model->array_count; a++) {
		struct least_words words = least_words_of(tree, a);
		double price = mapping_words_price(tree, a, &words);

		mapping_add_words(tree, a, &words, &cost.work);
		cost.price += price;
		if (tree->held[a].is_open)
			continue;
		mapping_add_words(tree, a, &words, &cost.closed_work);
		cost.closed += price;
	}
	return cost;
}

/* What COST comes to where the busiest element has so many CYCLES. */
static double value_of(const struct mapping_tree *tree, const struct least_cost *cost, double cycles)
{
	struct array_work work = cost->work;

	return prices_with_time(tree->prices, tree->problem->base + cost->price, time_of(tree, &work, cycles));
}

double mapping_least_value(const struct mapping_tree *tree, double cycles)
{
	struct least_cost cost = mapping_least_cost(tree);

	return value_of(tree, &cost, cycles) * (1 - 1e-12);
}

bool mapping_cycles_may_do(const struct mapping_tree *tree, const struct least_cost *cost, double cycles)
{
	return value_of(tree, cost, cycles) * (1 - 1e-9) <= tree->below;
}

double mapping_price_left(const struct mapping_tree *tree, const struct least_cost *cost)
{
	struct array_work work = cost->work;
	double time = time_of(tree, &work, mapping_least_cycles(tree));

	/* what is added to the sum costs its price in each cycle, if these multiply */
	return (tree->below - prices_with_time(tree->prices, tree->problem->base + cost->closed, time)) /
		(tree->prices->multiplies ? time : 1);
}

bool mapping_work_may_do(const struct mapping_tree *tree, const struct least_cost *cost, const struct array_work *work, double price,
	double cycles, double bursts)
{
	struct array_work all = *work;

	all.bursts = bursts;
	return prices_with_time(tree->prices, tree->problem->base + cost->closed + price, time_of(tree, &all, cycles)) * (1 - 1e-9) <= tree->below;
}

struct mapping_least mapping_least(const struct mapping_tree *tree)
{
	struct mapping_least least = { .value = 0 };
	double left = mapping_elements_left(tree);

	least.fits = mapping_may_fit(tree, left);
	if (!least.fits)
		return least;
	least.cycles = cycles_with(tree, left);
	least.value = mapping_least_value(tree, least.cycles);
	return least;
}

double mapping_least_cycles(const struct mapping_tree *tree)
{
	return cycles_with(tree, mapping_elements_left(tree));
}

/* The space of a search: the sizes that its loops may be cut into, and what of its arrays is the same
 * wherever they are stored. */

#include "passes/search/search_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "passes/cost/place.h"
#include "passes/search/mirror.h"
#include "passes/search/search.h"
#include "passes/search/search_tree.h"
#include "support/memory.h"

/* The next smaller size that cuts EXTENT into another number of tiles; 0: none. */
static long next_tile(long extent, long tile)
{
	return tile == 1 ? 0 : tile_count(extent, tile_count(extent, tile - 1));
}

/* The user wants LOOP cut into tiles: of a size, in an order, or walked to and fro. */
static bool is_tiled_by_constraint(const struct space *space, int loop)
{
	const struct model_loop *at = &space->model->loops[loop];
	bool is_wanted = at->tile > 0 || space->options->serpentine[loop] == 1;

	for (int i = 0; i < space->options->order_count && space->options->has_fixed_order; i++)
		is_wanted = is_wanted || space->options->order[i] == loop;
	return is_wanted && at->extent > 1 && at->tile < at->extent;
}

/* The sizes that cut EXTENT into as many tiles as TILE does, the least that does, and are multiples
 * of a power of two up to GRANULE, the largest of these sizes first: the least multiple of each power,
 * if CHOICES are given.  Returns how many they are. */
static int add_multiples(struct tile_choice *choices, long extent, long tile, long granule)
{
	long count = tile_count(extent, tile), last = 0;
	int added = 0;

	for (; granule > 0; granule /= 2) {
		long size = (tile + granule - 1) / granule * granule;

		if (size >= extent || size == last || tile_count(extent, size) != count)
			continue;
		if (choices != NULL)
			choices[added] = (struct tile_choice){ size, count };
		added++;
		last = size;
	}
	return added;
}

/* The sizes that cut LOOP into several tiles, the largest first: of those that cut it into as many
 * the least, and the least for each alignment that larger ones may have. */
static void add_choices(struct space *space, int loop)
{
	const struct model_loop *at = &space->model->loops[loop];
	struct tile_choice *choices;
	long granule = loop_granule(space->model, loop);
	int count = 0, all = 0;

	space->is_tiled[loop] = is_tiled_by_constraint(space, loop);
	if (at->extent == 1 || at->tile >= at->extent)
		return;
	if (at->tile > 0) {
		space->choices[loop] = choices = memory_alloc(sizeof *choices);
		choices[0] = (struct tile_choice){ at->tile, tile_count(at->extent, at->tile) };
		space->choice_count[loop] = 1;
		return;
	}
	for (long tile = (at->extent + 1) / 2; tile > 0; tile = next_tile(at->extent, tile))
		count += add_multiples(NULL, at->extent, tile, granule);
	space->choices[loop] = choices = memory_alloc((size_t)count * sizeof *choices);
	for (long tile = (at->extent + 1) / 2; tile > 0; tile = next_tile(at->extent, tile))
		all += add_multiples(choices + all, at->extent, tile, granule);
	for (int i = 0; i < all; i++)
		if (!space->options->divides || at->extent % choices[i].tile == 0)
			choices[space->choice_count[loop]++] = choices[i];
}

/* The largest dimension first that shares no loop with those before. */
static void count_dims(struct space *space, int a)
{
	const struct model_array *array = &space->model->arrays[a];
	bool is_used[MODEL_LOOPS] = { false };

	for (int taken = 0; taken < array->rank; taken++) {
		int next = -1;

		for (int d = 0; d < array->rank; d++) {
			bool is_free = !space->is_counted[a][d];

			for (int l = 0; l < space->model->loop_count; l++)
				is_free = is_free && (array->dims[d].coefficient[l] == 0 || !is_used[l]);
			if (is_free && (next < 0 || space->distinct[a][d] > space->distinct[a][next]))
				next = d;
		}
		if (next < 0)
			return;
		space->is_counted[a][next] = true;
		for (int l = 0; l < space->model->loop_count; l++)
			is_used[l] = is_used[l] || array->dims[next].coefficient[l] > 0;
	}
}

/* The most that all windows together have outside [0, LIMIT) where they begin at 0, STEP, 2 STEP
 * ... from a border, LENGTH elements before it. */
static double outside(double length, double step)
{
	double count = ceil(length / step);

	return length > 0 ? count * length - step * count * (count - 1) / 2 : 0;
}

/* What clipping takes at most from the sum of dimension D of array A over all tiles, whatever
 * these are.  The loop with gaps has tiles that begin, and end, at different iterations; of the
 * others no more than all iterations are tiles. */
static double clipped_away(const struct space *space, int a, int d)
{
	const struct model_dim *dim = &space->model->arrays[a].dims[d];
	int gap = space->gap_loop[a][d];
	double end = (double)dim->window, others = 1, step;

	if (gap < 0 || dim->clip_high == 0)
		return 0;
	step = (double)dim->coefficient[gap];
	for (int l = 0; l < space->model->loop_count; l++) {
		double extent = (double)space->model->loops[l].extent;

		end += (double)dim->coefficient[l] * (extent - 1);
		if (l != gap && dim->coefficient[l] > 0)
			others *= extent;
	}
	return others * (outside((double)dim->clip_low, step)
		+ outside(end - (double)dim->clip_high, step));
}

static void add_array(struct space *space, int a)
{
	const struct model_array *array = &space->model->arrays[a];

	space->visit_bytes[a] = array->is_written ? 2 * array->element_bytes :
		array->is_read ? array->element_bytes : 0;
	space->first_bytes[a] = (array->is_created + array->is_dropped) * array->element_bytes;
	space->is_apart[a] = true;
	for (int d = 0; d < array->rank; d++) {
		int loops = 0;

		space->gap_loop[a][d] = NO_GAPS;
		space->distinct[a][d] = (double)dim_elements(space->model, &array->dims[d],
			array->dims[d].window);
		for (int l = 0; l < space->model->loop_count; l++)
			if (array->dims[d].coefficient[l] > 0) {
				loops++;
				space->is_apart[a] = space->is_apart[a] &&
					array->dims[d].window <= array->dims[d].coefficient[l];
				if (array->dims[d].coefficient[l] > array->dims[d].window &&
					space->model->loops[l].extent > 1)
					space->gap_loop[a][d] = space->gap_loop[a][d] == NO_GAPS ? l :
						MANY_GAPS;
			}
		space->clipped_away[a][d] = clipped_away(space, a, d);
		space->is_apart[a] = space->is_apart[a] && loops <= 1;
	}
	space->is_clipped[a] = array_is_clipped(array);
	count_dims(space, a);
	for (int l = 0; l < space->model->loop_count; l++) {
		int dims = 0;

		for (int d = 0; d < array->rank; d++)
			dims += array->dims[d].coefficient[l] > 0;
		space->is_coupled[a] = space->is_coupled[a] || dims > 1;
		if (dims > 0) {
			space->indexed[a] |= 1u << l;
			space->indexing[l] |= 1u << a;
		}
	}
}

static bool may_bypass(const struct search_options *options, int a)
{
	return options->elements && options->elements->bypassing >> a & 1;
}

/* Arrays that can change places without a difference. */
static bool are_twins(const struct space *space, int one, int other)
{
	const struct search_options *options = space->options;
	struct model_array a = space->model->arrays[one], b = space->model->arrays[other];

	a.name = b.name = NULL;
	for (int d = 0; d < a.rank && a.rank == b.rank; d++)
		if (a.dims[d].window != b.dims[d].window ||
			a.dims[d].clip_low != b.dims[d].clip_low ||
			a.dims[d].clip_high != b.dims[d].clip_high ||
			a.dims[d].least_side != b.dims[d].least_side || a.dims[d].end_side != b.dims[d].end_side ||
			((a.dims[d].clip_high > 0 || a.align_bytes > 1) &&
			a.dims[d].negative != b.dims[d].negative) ||
			a.dims[d].step_bytes != b.dims[d].step_bytes ||
			memcmp(a.dims[d].coefficient, b.dims[d].coefficient,
				sizeof a.dims[d].coefficient) != 0)
			return false;
	return a.rank == b.rank && a.element_bytes == b.element_bytes &&
		a.is_read == b.is_read && a.is_written == b.is_written &&
		a.is_created == b.is_created && a.is_dropped == b.is_dropped &&
		a.anchored == b.anchored && a.ends == b.ends && a.ends_first == b.ends_first &&
		a.ends_read == b.ends_read && a.ends_written == b.ends_written && a.role == b.role && a.align_bytes == b.align_bytes &&
		a.first_bytes == b.first_bytes && a.align_rank == b.align_rank &&
		options->memories[one] == options->memories[other] && may_bypass(options, one) == may_bypass(options, other) &&
		options->store[one] == options->store[other] &&
		options->min_store[one] == options->min_store[other] &&
		options->slots[one] == options->slots[other] &&
		options->held[one] == options->held[other] &&
		options->doubled[one] == options->doubled[other] &&
		options->sliding[one] == options->sliding[other];
}

/* As many slots as tiles: mostly the same as storing further out, with more memory,
 * but not where a region of several tiles has elements that none of them touches,
 * nor where a larger region would have to be doubled. */
static bool is_full_useful(const struct space *space, int a)
{
	for (int d = 0; d < space->model->arrays[a].rank; d++)
		if (space->gap_loop[a][d] != NO_GAPS)
			return true;
	return space->is_double || space->options->doubled[a] == 1 || space->is_coupled[a] || space->options->store[a] >= 0 ||
		space->options->min_store[a] > 0 ||
		space->options->sliding[a] >= 0 || space->options->slots[a] > 0;
}

/* Bytes of the largest. */
static double largest_element(const struct nest_model *model)
{
	int bytes = 1;

	for (int a = 0; a < model->array_count; a++)
		bytes = model->arrays[a].element_bytes > bytes ? model->arrays[a].element_bytes : bytes;
	return bytes;
}

/* What elements move costs no less, in any schedule (docs/search.md, "Mappings and schedules together").  All registers together load and
 * store what a memory of their size has to.  Elements that computed one after the other would all need the registers of one: those would load
 * and store what single elements get and give, and a sum once more for each part of it that is added to a neighbour's.  Where a memory adds sums
 * up these leave alone. */
static void bound_words(struct space *space, bool may_be_apart)
{
	const struct pe_array *array = &space->arch->array;
	const struct prices *prices = &space->options->prices;
	double share = space->elements->rules.accumulating ? 0.5 : 1, of_one, of_all;
	const char *argument;
	long registers = 0;

	of_one = share * (double)model_lower_bound(space->model, array->registers_bytes, &argument);
	space->least_delivered = fmin(prices->delivered, prices->reduced / 2) * of_one;
	if (__builtin_mul_overflow((long)array->x * array->y, array->registers_bytes, &registers))
		return;
	of_all = share * (double)model_lower_bound(space->model, registers, &argument);
	space->least_moved = may_be_apart ? 0 : prices->moved * of_all;
	space->least_words = of_all / largest_element(space->model);
	space->least_delivered = fmax(space->least_delivered, prices->delivered * of_all);
}

/* What is read comes before anything is computed of it, and what is written leaves after that. */
static void find_edges(struct space *space)
{
	bool comes = false, leaves = false;

	for (int a = 0; a < space->model->array_count; a++) {
		const struct model_array *array = &space->model->arrays[a];

		if (array->anchored)
			continue;
		comes = comes || (!space->may_be_idle[a] && (array->is_written ? !array->is_created : array->is_read));
		leaves = leaves || (!space->may_be_idle[a] && array->is_written && !array->is_dropped);
	}
	space->least_edges = comes * (double)space->arch->startup_cycles + leaves * (double)space->arch->write_startup_cycles;
}

/* Each element does its share of the work at best. */
static void add_elements(struct space *space)
{
	const struct element_options *elements = space->options->elements;
	bool may_be_apart = false;

	space->elements = elements;
	space->iterations = 1;
	for (int l = 0; l < space->model->loop_count; l++)
		space->iterations *= (double)space->model->loops[l].extent;
	if (!elements)
		return;
	for (int a = 0; a < space->model->array_count; a++) {
		space->may_shrink[a] = false;
		for (int d = 0; d < space->model->arrays[a].rank; d++)
			space->may_shrink[a] = space->may_shrink[a] || space->gap_loop[a][d] != NO_GAPS;
	}
	for (int a = 0; a < space->model->array_count; a++)
		may_be_apart = may_be_apart || (space->model->bypass_memory && space->allowed[a] >> space->model->bypass_memory & 1);
	bound_words(space, may_be_apart);
}

void space_init(struct space *space, const struct nest_model *model,
	const struct arch *arch, const struct search_options *options, bool is_double,
	double least_bytes)
{
	memset(space, 0, sizeof *space);
	space->model = model;
	space->arch = arch;
	space->options = options;
	space->is_double = is_double;
	space->memory_count = arch_memory_count(arch);
	for (int m = 0; m < space->memory_count; m++) {
		const struct memory memory = place_memory(arch, m);

		space->memories[m] = (struct room_of_memory){ (double)memory.bytes, (double)memory.granule };
		space->capacity += (double)memory.bytes;
	}
	space->is_limited = arch_is_limited(arch);
	if (space->is_limited)
		space->capacity = (double)arch->scratchpad_bytes;
	space->least = cost_of_bytes(least_bytes);
	space->objective = objective_priced(options->prefers_memory ? RANK_SMALL_SCHEDULES :
		RANK_SCHEDULES, &options->prices, arch->max_rank == 1);
	for (int l = 0; l < model->loop_count; l++) {
		space->may_turn[l] = !model->loops[l].is_forward && options->serpentine[l] != 0;
		add_choices(space, l);
	}
	for (int a = 0; a < model->array_count; a++) {
		add_array(space, a);
		space->is_full_useful[a] = is_full_useful(space, a);
		space->held |= (unsigned)options->held[a] << a;
		space->may_be_idle[a] = space->is_clipped[a] && (options->prices.command > 0 || prices_have_time(&options->prices));
		space->is_any_idle = space->is_any_idle || space->may_be_idle[a];
	}
	for (int a = 0; a < model->array_count; a++) {
		space->alike[a] = -1;
		for (int b = 0; b < a; b++)
			if (are_twins(space, b, a))
				space->alike[a] = b;
	}
	find_edges(space);
	space_allow(space, options->elements);
	add_elements(space);
	space_find_mirror(space);
}

/* ---- which array lies in which memory ---- */

/* The memory that array A may lie in after M; -1: there is none. */
static int next_memory(const struct space *space, int a, int m)
{
	for (m++; m < space->memory_count; m++)
		if (space->allowed[a] >> m & 1)
			return m;
	return -1;
}

static void find_twins(struct space *space)
{
	for (int a = 0; a < space->model->array_count; a++) {
		int alike = space->alike[a];

		space->twin[a] = alike >= 0 && space->memory_of[a] == space->memory_of[alike] ? alike : -1;
	}
}

/* Of arrays that are alike the first lie in the first memories: other ways are the same but for names. */
static bool is_first_of_alike(const struct space *space)
{
	for (int a = 0; a < space->model->array_count; a++)
		if (space->alike[a] >= 0 && space->memory_of[a] < space->memory_of[space->alike[a]])
			return false;
	return true;
}

void space_allow(struct space *space, const struct element_options *elements)
{
	for (int a = 0; a < space->model->array_count; a++) {
		space->allowed[a] = space->options->memories[a];
		if (elements && elements->bypassing >> a & 1)
			space->allowed[a] |= 1u << space->model->bypass_memory;
	}
	space_assign_first(space);
}

void space_assign_first(struct space *space)
{
	for (int a = 0; a < space->model->array_count; a++)
		space->memory_of[a] = next_memory(space, a, -1);
	find_twins(space);
}

/* The memories are the digits of a number, that of the last array counted up first. */
bool space_assign_next(struct space *space)
{
	int a;

	do {
		for (a = space->model->array_count - 1; a >= 0; a--) {
			int m = next_memory(space, a, space->memory_of[a]);

			space->memory_of[a] = m >= 0 ? m : next_memory(space, a, -1);
			if (m >= 0)
				break;
		}
	} while (a >= 0 && !is_first_of_alike(space));
	find_twins(space);
	return a >= 0;
}

int space_assignments(const struct space *space, bool *is_all)
{
	struct space trial = *space;
	int count = 0;

	space_assign_first(&trial);
	do {
		count++;
		*is_all = !space_assign_next(&trial);
	} while (!*is_all && count < MEMORY_ASSIGNMENTS);
	return count;
}

void space_clear(struct space *space)
{
	for (int l = 0; l < space->model->loop_count; l++)
		free(space->choices[l]);
}

void space_thin(struct space *thin, const struct space *space, int count,
	const struct schedule *schedule)
{
	*thin = *space;
	for (int l = 0; l < space->model->loop_count; l++) {
		int all = space->choice_count[l], used = 0, here = all - 1;

		thin->choices[l] = memory_alloc((size_t)all * sizeof **thin->choices);
		while (schedule != NULL && here > 0 &&
			space->choices[l][here].tile < schedule->tile[l])
			here--;
		for (int i = 0; i < all; i++)
			if (schedule != NULL ? abs(i - here) <= count :
				i == 0 || i == all - 1 || i * count / all != (i - 1) * count / all)
				thin->choices[l][used++] = space->choices[l][i];
		thin->choice_count[l] = used;
	}
	/* sizes near those of SCHEDULE are not alike */
	if (schedule)
		space_forget_mirror(thin);
}

void space_keep_small(struct space *space, int loop)
{
	long granule = loop_granule(space->model, loop);
	struct tile_choice *choices = space->choices[loop];
	int all = space->choice_count[loop], kept = 0;

	for (int i = 0; i < all; i++)
		if (i == all - 1 ||
			(choices[i].tile <= granule && (choices[i].tile & (choices[i].tile - 1)) == 0))
			choices[kept++] = choices[i];
	space->choice_count[loop] = kept;
}

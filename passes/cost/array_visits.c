/* What the registers of elements hold in each visit of theirs, and what of it moves. */

#include "passes/cost/array_visits.h"

#include <string.h>

#include "passes/cost/model_math.h"

static long smaller(long a, long b)
{
	return a < b ? a : b;
}

/* ---- sizes ---- */

long sequence_tile(const struct sequence *sequence, const struct places *places, int l)
{
	int place = sequence->tile_place[l];
	long extent = sequence->mapped.model->loops[l].extent, tile = sequence->mapped.outer->tile[l];

	return place >= 0 && places->at[place].is_short ? extent % tile : tile;
}

long sequence_step(const struct sequence *sequence, const struct places *places, int l)
{
	int place = sequence->step_place[l];
	long tile = sequence_tile(sequence, places, l), step = mapping_step(sequence->mapped.mapping, sequence->mapped.outer, l);

	if (step > tile || place < 0)
		return smaller(step, tile);
	return places->at[place].is_short ? tile % step : step;
}

void sequence_loop(const struct sequence *sequence, const struct places *places, int place, long *extent, long *size)
{
	int l = sequence->loop[place];
	bool is_step = place >= sequence->mapped.outer->depth;

	*extent = is_step ? sequence_tile(sequence, places, l) : sequence->mapped.model->loops[l].extent;
	*size = is_step ? mapping_step(sequence->mapped.mapping, sequence->mapped.outer, l) : sequence->mapped.outer->tile[l];
}

/* The first iteration of loop L that a visit of a buffer inside DEPTH loops has. */
static long first_at(const struct sequence *sequence, const struct places *places, int depth, int l)
{
	int tile = sequence->tile_place[l], step = sequence->step_place[l];
	long first = tile >= 0 && tile < depth ? places->at[tile].index * sequence->mapped.outer->tile[l] : 0;

	return first + (step >= 0 && step < depth ? places->at[step].index *
		mapping_step(sequence->mapped.mapping, sequence->mapped.outer, l) : 0);
}

/* Elements of DIM up to LOW and from there, below HIGH, that COUNT iterations of loop L from FIRST on reach, if other loops are
 * at their begin. */
static void reach(const struct sequence *sequence, const struct model_dim *dim, int l, long first, long count, long *low,
	long *high)
{
	long extent = sequence->mapped.model->loops[l].extent;

	*low = dim->coefficient[l] * (dim->negative >> l & 1 ? extent - first - count : first);
	*high = *low + dim->coefficient[l] * (count - 1) + dim->window;
}

/* Whether a border may cut regions of some array where the loop at PLACE is. */
static bool is_at_border(const struct sequence *sequence, const struct places *places, int place)
{
	const struct nest_model *model = sequence->mapped.model;
	int l = sequence->loop[place];
	bool is_step = place >= sequence->mapped.outer->depth;
	long first = first_at(sequence, places, place + 1, l), low, high;

	for (int a = 0; a < model->array_count && (sequence->is_clipped >> l & 1); a++)
		for (int d = 0; d < model->arrays[a].rank; d++) {
			const struct model_dim *dim = &model->arrays[a].dims[d];

			if (dim->clip_high == 0 || dim->coefficient[l] == 0)
				continue;
			reach(sequence, dim, l, first, is_step ? sequence_step(sequence, places, l) : sequence_tile(sequence, places, l), &low, &high);
			for (int k = 0; k < model->loop_count; k++)
				high += k == l ? 0 : dim->coefficient[k] * (model->loops[k].extent - 1);
			if (low < dim->clip_low || high > dim->clip_high)
				return true;
		}
	return false;
}

void sequence_set(const struct sequence *sequence, struct places *places, int place, long position, bool is_odd)
{
	long extent, size, trips, index;

	sequence_loop(sequence, places, place, &extent, &size);
	trips = tile_count(extent, size);
	position = position < 0 ? trips - 1 : position;
	index = is_odd ? trips - 1 - position : position;
	places->at[place] = (struct place){ position, index, is_odd, position == 0, position == trips - 1,
		index == trips - 1 && extent % size != 0, false };
	places->at[place].is_border = is_at_border(sequence, places, place);
}

/* The iterations of loop L that a visit of array A's registers has. */
static long iterations_at(const struct sequence *sequence, const struct places *places, int a, int l)
{
	int depth = sequence->mapped.mapping->holds[a].depth;

	if (sequence->tile_place[l] >= depth)
		return sequence->mapped.model->loops[l].extent;
	if (sequence->step_place[l] >= depth)
		return sequence_tile(sequence, places, l);
	return sequence_step(sequence, places, l);
}

/* COUNT boxes that have SIZE iterations of a loop each; the first, or where it matters the only one, begins at FIRST. */
struct range { long first, size, count; };
struct ranges { int count, capacity; struct range *list; struct range few[SPLIT_PIECES]; };

static void add_range(struct ranges *ranges, struct arena *arena, struct range range)
{
	if (ranges->count == ranges->capacity) {
		struct range *more = ARENA_ARRAY(arena, struct range, 2 * (size_t)ranges->capacity);

		memcpy(more, ranges->list, sizeof *more * (size_t)ranges->count);
		ranges->list = more;
		ranges->capacity *= 2;
	}
	ranges->list[ranges->count++] = range;
}

/* The boxes of loop L that are apart, by size; or one by one, if a border cuts them. */
static void ranges_at(const struct sequence *sequence, const struct places *places, int a, enum view view, int l,
	struct ranges *ranges)
{
	int depth = sequence->mapped.mapping->holds[a].depth;
	long iterations = iterations_at(sequence, places, a, l), first = first_at(sequence, places, depth, l);
	long tile = sequence->mapped.outer->tile[l];
	struct split split = elements_split(&sequence->mapped, l, tile);
	struct piece pieces[SPLIT_PIECES];
	bool is_step = sequence->tile_place[l] < depth && sequence->step_place[l] < depth;

	*ranges = (struct ranges){ 0, SPLIT_PIECES, ranges->few, { { 0, 0, 0 } } };
	if (is_step)
		split = (struct split){ iterations, iterations, smaller(split.part, iterations) };
	if (!elements_are_apart(&sequence->mapped, view, l)) {
		add_range(ranges, sequence->arena, (struct range){ first, iterations, 1 });
	} else if (!(sequence->is_clipped >> l & 1)) {
		for (int i = 0, count = split_pieces(&split, iterations, pieces); i < count; i++)
			add_range(ranges, sequence->arena, (struct range){ first, pieces[i].size, pieces[i].count });
	} else {
		for (long t = 0; t < iterations; t += split.tile)
			for (long s = t; s < smaller(t + split.tile, iterations); s += split.step)
				for (long e = s, end = smaller(smaller(s + split.step, t + split.tile), iterations); e < end;
					e += split.part)
					add_range(ranges, sequence->arena, (struct range){ first + e, smaller(split.part, end - e), 1 });
	}
}

static long within(const struct model_dim *dim, long low, long high)
{
	if (dim->clip_high > 0) {
		low = low < dim->clip_low ? dim->clip_low : low;
		high = smaller(high, dim->clip_high);
	}
	return high > low ? high - low : 0;
}

/* Elements of DIM in the box AT [loop]; of a window that a loop slides, those that BEFORE, where that loop was, did not have. */
static long box_extent(const struct sequence *sequence, const struct model_dim *dim, const struct range *at, int slide,
	const struct range *before)
{
	long low = 0, high = dim->window, old_low = 0, old_high = dim->window, a, b;

	for (int l = 0; l < sequence->mapped.model->loop_count; l++) {
		if (dim->coefficient[l] == 0)
			continue;
		reach(sequence, dim, l, at[l].first, at[l].size, &a, &b);
		low += a;
		high += b - dim->window;
		if (l == slide)
			reach(sequence, dim, l, before->first, before->size, &a, &b);
		old_low += a;
		old_high += b - dim->window;
	}
	if (slide < 0 || dim->coefficient[slide] == 0)
		return within(dim, low, high);
	old_low = old_low < low ? low : old_low;
	old_high = smaller(old_high, high);
	return within(dim, low, high) - (old_high > old_low ? within(dim, old_low, old_high) : 0);
}

/* Where the loop at PLACE, which is not at the begin of its run, was an iteration before. */
static struct range range_before(const struct sequence *sequence, const struct places *places, int place)
{
	int l = sequence->loop[place];
	struct places old = *places;

	sequence_set(sequence, &old, place, old.at[place].position - 1, old.at[place].is_back);
	return (struct range){ first_at(sequence, &old, place + 1, l),
		place < sequence->mapped.outer->depth ? sequence_tile(sequence, &old, l) : sequence_step(sequence, &old, l), 1 };
}

/* ---- words ---- */

/* Dimension D of ARRAY, and those that share loops with it, or with one that does. */
static struct dims dims_with(const struct model_array *array, int loop_count, int d)
{
	struct dims with = { 1u << d, 0 };
	bool grows = true;

	while (grows) {
		grows = false;
		for (int i = 0; i < array->rank; i++) {
			unsigned loops = 0;

			for (int l = 0; l < loop_count; l++)
				loops |= (unsigned)(array->dims[i].coefficient[l] != 0) << l;
			if (!(with.dims >> i & 1) && !(loops & with.loops))
				continue;
			grows |= !(with.dims >> i & 1) || (loops & ~with.loops) != 0;
			with.dims |= 1u << i;
			with.loops |= loops;
		}
	}
	return with;
}

/* The sum over all boxes of the product of their extents in DIMS. */
static double words_in(const struct sequence *sequence, const struct model_array *array, struct dims dims,
	const struct ranges *ranges, int slide, const struct range *before)
{
	int at[MODEL_LOOPS] = { 0 }, loops = sequence->mapped.model->loop_count, l;
	double words = 0;

	do {
		struct range box[MODEL_LOOPS];
		double times = 1;

		for (l = 0; l < loops; l++) {
			if (!(dims.loops >> l & 1))
				continue;
			box[l] = ranges[l].list[at[l]];
			times *= (double)box[l].count;
		}
		for (int d = 0; d < array->rank; d++)
			if (dims.dims >> d & 1)
				times *= (double)box_extent(sequence, &array->dims[d], box, slide, before);
		words += times;
		for (l = 0; l < loops; l++) {
			if (!(dims.loops >> l & 1))
				continue;
			if (++at[l] < ranges[l].count)
				break;
			at[l] = 0;
		}
	} while (l < loops);
	return words;
}

static double count_words(const struct sequence *sequence, const struct places *places, int a, enum view view, int slide)
{
	const struct model_array *array = &sequence->mapped.model->arrays[a];
	struct range before = slide >= 0 ? range_before(sequence, places, slide) : (struct range){ 0, 0, 0 };
	struct ranges ranges[MODEL_LOOPS];
	double words = 1;

	for (int l = 0; l < sequence->mapped.model->loop_count; l++)
		if (sequence->indexed[a] >> l & 1)
			ranges_at(sequence, places, a, view, l, &ranges[l]);
	/* sums over dimensions that share no loop multiply */
	for (int i = 0; i < sequence->dims_count[a]; i++)
		words *= words_in(sequence, array, sequence->dims[a][i], ranges, slide >= 0 ? sequence->loop[slide] : -1,
			&before);
	return words;
}

enum { KNOWN_WORDS = 1 << 6 };

/* What the words of a visit depend on, where no border cuts it: which of the tiles and steps that move it are smaller; above 0.  0: that
 * is not all. */
static unsigned long words_key(const struct sequence *sequence, const struct places *places, int a, enum view view, int slide)
{
	unsigned long is_short = 0;

	for (int p = 0; p < sequence->mapped.mapping->holds[a].depth; p++) {
		if (!(sequence->indexed[a] >> sequence->loop[p] & 1))
			continue;
		if (places->at[p].is_border || (slide >= 0 && (sequence->is_clipped >> sequence->loop[p] & 1)))
			return 0;
		is_short |= (unsigned long)places->at[p].is_short << p;
	}
	/* the window before may be a shorter one where a run goes back */
	if (slide >= 0 && places->at[slide].is_back)
		is_short |= (places->at[slide].position == 1 ? 3UL : 1UL) << PLACES;
	return ((is_short * (PLACES + 1) + (unsigned long)(slide + 1)) * 2 + (view == EACH_READ)) * MODEL_ARRAYS + (unsigned long)a + 1;
}

double sequence_words(const struct sequence *sequence, const struct places *places, int a, enum view view, int slide)
{
	unsigned long key = words_key(sequence, places, a, view, slide);
	struct visit_words *known = &sequence->known[(key * 0x9E3779B97F4A7C15UL >> 32) % KNOWN_WORDS];

	if (!key)
		return count_words(sequence, places, a, view, slide);
	if (known->key != key)
		*known = (struct visit_words){ key, count_words(sequence, places, a, view, slide) };
	return known->words;
}

static void begin_array(struct sequence *sequence, int a)
{
	const struct model_array *array = &sequence->mapped.model->arrays[a];
	int loops = sequence->mapped.model->loop_count;
	unsigned done = 0;

	for (int l = 0; l < loops; l++)
		sequence->indexed[a] |= (unsigned)array_is_indexed(array, l) << l;
	for (int d = 0; d < array->rank; d++) {
		struct dims dims = dims_with(array, loops, d);

		if (array->dims[d].clip_high > 0)
			for (int l = 0; l < loops; l++)
				sequence->is_clipped |= (unsigned)(array->dims[d].coefficient[l] > 0) << l;
		if (done >> d & 1)
			continue;
		done |= dims.dims;
		sequence->dims[a][sequence->dims_count[a]++] = dims;
	}
}

void sequence_begin(struct sequence *sequence, struct mapped mapped, struct arena *arena)
{
	*sequence = (struct sequence){ .mapped = mapped, .length = mapped.outer->depth + mapped.mapping->depth,
		.arena = arena, .known = ARENA_ARRAY(arena, struct visit_words, KNOWN_WORDS),
		.sharing = ARENA_ARRAY(arena, struct visit_sharing, 2 * mapped.model->array_count) };
	for (int l = 0; l < mapped.model->loop_count; l++)
		sequence->tile_place[l] = sequence->step_place[l] = -1;
	for (int p = 0; p < sequence->length; p++) {
		bool is_step = p >= mapped.outer->depth;
		int l = is_step ? mapped.mapping->order[p - mapped.outer->depth] : mapped.outer->order[p];

		sequence->loop[p] = l;
		sequence->turns[p] = is_step ? mapped.mapping->is_serpentine[l] : mapped.outer->is_serpentine[l];
		(is_step ? sequence->step_place : sequence->tile_place)[l] = p;
	}
	for (int a = 0; a < mapped.model->array_count; a++)
		begin_array(sequence, a);
}

double sequence_sharing(const struct sequence *sequence, const struct places *places, int a, enum view view)
{
	bool by_steps = sequence->mapped.mapping->holds[a].depth > sequence->mapped.outer->depth;
	struct visit_sharing *known = &sequence->sharing[2 * a + (view == EACH_READ)];
	unsigned long key = 1;
	long tile[MODEL_LOOPS];

	for (int l = 0; l < sequence->mapped.model->loop_count && by_steps; l++)
		if (sequence->tile_place[l] >= 0)
			key |= (unsigned long)places->at[sequence->tile_place[l]].is_short << (l + 1);
	if (known->key == key)
		return known->elements;
	for (int l = 0; l < sequence->mapped.model->loop_count; l++)
		tile[l] = by_steps ? sequence_tile(sequence, places, l) : sequence->mapped.outer->tile[l];
	*known = (struct visit_sharing){ key, (double)elements_sharing(&sequence->mapped, a, view, tile) };
	return known->elements;
}

/* ---- visits ---- */

bool sequence_moves(const struct sequence *sequence, int a, int place)
{
	return sequence->indexed[a] >> sequence->loop[place] & 1;
}

/* The first place whose runs matter for what array A keeps. */
static int first_place(const struct sequence *sequence, int a)
{
	int tiles = sequence->mapped.outer->depth;

	return sequence->mapped.mapping->holds[a].depth > tiles ? tiles : 0;
}

/* Array A comes back over what it held, if the loop at TURN goes on and those inside it, up to what moves its region,
 * begin anew.  What is held does not outlast an anchored loop. */
static bool comes_back(const struct sequence *sequence, int a, int turn)
{
	long anchored = sequence->mapped.model->arrays[a].anchored;

	if (turn < first_place(sequence, a) || sequence_moves(sequence, a, turn))
		return false;
	for (int p = turn; p < sequence->mapped.mapping->holds[a].depth; p++)
		if ((sequence_moves(sequence, a, p) && !sequence->turns[p]) || anchored >> sequence->loop[p] & 1)
			return false;
	return true;
}

bool sequence_keeps(const struct sequence *sequence, const struct places *places, int a, int went_on)
{
	int moving = sequence->mapped.mapping->holds[a].depth - 1, turn = went_on;

	if (moving < 0 ||
		places->at[moving].position >= sequence->mapped.mapping->holds[a].slots)
		return false;
	if (went_on == moving)
		for (turn = moving - 1; turn >= 0 && places->at[turn].is_first; turn--)
			continue;
	return turn >= 0 && comes_back(sequence, a, turn);
}

bool sequence_retains(const struct sequence *sequence, const struct places *places, int a, int goes_on)
{
	int moving = sequence->mapped.mapping->holds[a].depth - 1, turn = goes_on;
	long extent, size;

	if (moving < 0)
		return false;
	sequence_loop(sequence, places, moving, &extent, &size);
	if (places->at[moving].position < tile_count(extent, size) - sequence->mapped.mapping->holds[a].slots)
		return false;
	if (goes_on == moving)
		for (turn = moving - 1; turn >= 0 && places->at[turn].is_last; turn--)
			continue;
	return turn >= 0 && comes_back(sequence, a, turn);
}

bool sequence_visits(const struct sequence *sequence, const struct places *places, int a)
{
	for (int p = 0; p < sequence->mapped.mapping->holds[a].depth; p++)
		if ((sequence->mapped.model->arrays[a].anchored >> sequence->loop[p] & 1) && !places->at[p].is_first)
			return false;
	return true;
}

bool sequence_is_at_end(const struct sequence *sequence, const struct places *places, int a, bool first)
{
	for (int p = 0; p < sequence->mapped.mapping->holds[a].depth; p++)
		if (!sequence_moves(sequence, a, p) && !(sequence->mapped.model->arrays[a].anchored >> sequence->loop[p] & 1) &&
			!(first ? places->at[p].is_first : places->at[p].is_last))
			return false;
	return true;
}

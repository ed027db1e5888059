/* Which buffers a DMA controller of coarse addresses can fill: where all that a copy gives it is a
 * multiple of the array's alignment.  The same is proved of the plan afterwards
 * (ir/plan_align.h); here it narrows what is searched. */

#include "passes/cost/model_math.h"

long power_in(long value, long limit)
{
	long power = 1;

	while (power < limit && value % (2 * power) == 0)
		power *= 2;
	return power;
}

static long smaller(long a, long b)
{
	return a < b ? a : b;
}

/* What the regions of a dimension have in common. */
struct side {
	long first;                  /* element, of those that the loops reach, that one begins at */
	long most;                   /* elements */
	bool is_fixed;               /* all regions have so many */
	long begins, counts;         /* powers of two that divide where the others begin from there
	                              * on, and how many elements they have */
};

/* Regions end at the array's border: where they begin and end is one of that, or as before. */
static void clip_side(const struct model_dim *dim, bool is_moved, long limit, struct side *side)
{
	long within = dim->clip_high - dim->clip_low;
	long borders = smaller(power_in(dim->clip_low, limit), power_in(dim->clip_high, limit));

	side->most = smaller(side->most, within);
	if (!is_moved) {
		side->first = dim->clip_low;
		side->counts = power_in(within, limit);
		return;
	}
	side->is_fixed = false;
	side->counts = smaller(smaller(side->counts, side->begins), borders);
	side->begins = smaller(side->begins, borders);
}

/* The regions of DIM with the loops of TILE [loop] > 0 around the buffer. */
static struct side side_of(const struct nest_model *model, const struct model_dim *dim,
	const long *tile, long limit)
{
	struct side side = { 0, dim->window, true, limit, limit };
	bool is_moved = false;

	for (int l = 0; l < model->loop_count; l++) {
		long extent = model->loops[l].extent, c = dim->coefficient[l], last;

		if (c == 0)
			continue;
		side.most += c * ((tile[l] > 0 ? tile[l] : extent) - 1);
		if (tile[l] == 0)
			continue;
		is_moved = true;
		last = extent - (tile_count(extent, tile[l]) - 1) * tile[l];
		side.begins = smaller(side.begins, power_in(c * tile[l], limit));
		if (last == tile[l])
			continue;
		side.is_fixed = false;
		side.counts = smaller(side.counts, power_in(c * (tile[l] - last), limit));
		/* where the subscript falls the last tile is the first in memory */
		if (dim->negative >> l & 1)
			side.begins = smaller(side.begins, power_in(c * extent, limit));
	}
	side.counts = smaller(side.counts, power_in(side.most, limit));
	if (dim->clip_high > 0)
		clip_side(dim, is_moved, limit, &side);
	return side;
}

static bool is_multiple(long bytes, const struct model_array *array)
{
	return bytes % array->align_bytes == 0;
}

bool storage_is_aligned(const struct nest_model *model, const struct schedule *schedule,
	const struct model_array *array, const struct storage *storage)
{
	long limit = array->align_bytes, tile[MODEL_LOOPS] = { 0 };
	long run = array->element_bytes;     /* of a contiguous run, but for odd factors */
	long inside = run, local = run;      /* bytes of the dimensions further in, in the array
	                                      * if they lie without a gap, and in the buffer */
	long offset = array->first_bytes;
	bool in_run = true;
	int slide = -1;

	if (limit <= 1)
		return true;
	for (int i = 0; i < storage->store; i++)
		tile[schedule->order[i]] = schedule->tile[schedule->order[i]];
	if (storage->is_sliding)
		slide = slide_dim(model, schedule, array, storage->store);
	for (int d = array->align_rank - 1; d >= 0; d--) {
		const struct model_dim *dim = &array->dims[d];
		struct side side = side_of(model, dim, tile, limit);

		offset += side.first * dim->step_bytes;
		if (!is_multiple(side.begins * power_in(dim->step_bytes, limit), array))
			return false;
		/* a ring is filled, and is cut in two, anywhere */
		if (d == slide && !(is_multiple(dim->step_bytes, array) && is_multiple(local, array)))
			return false;
		if (side.is_fixed && side.most == 1 && d != slide)
			continue;
		in_run = in_run && dim->step_bytes == inside;
		if (in_run && d != slide)
			run = smaller(power_in(run, limit) * side.counts, limit);
		else if (!in_run && !(is_multiple(dim->step_bytes, array) && is_multiple(local, array)))
			return false;
		in_run = in_run && side.is_fixed && d != slide;
		inside *= side.most;
		local *= side.most;
	}
	return is_multiple(offset, array) && is_multiple(run, array)
		&& ((storage->slots == 1 && !storage->is_double) || is_multiple(local, array));
}

long loop_granule(const struct nest_model *model, int loop)
{
	long granule = 1;

	for (int a = 0; a < model->array_count; a++) {
		const struct model_array *array = &model->arrays[a];

		for (int d = 0; d < array->align_rank && array->align_bytes > 1; d++) {
			const struct model_dim *dim = &array->dims[d];
			long own = array->align_bytes
				/ power_in(dim->coefficient[loop] * dim->step_bytes, array->align_bytes);

			if (dim->coefficient[loop] > 0 && own > granule)
				granule = own;
		}
	}
	return granule;
}

#include "passes/regions/ahead.h"

/* After the step of loop R the buffer shows other elements than before, none of them the same.  The tiles
 * of loops inside R are other ones then if these begin anew, and do not turn. */
static bool shows_others(const struct lowering *lowering, const struct turning *turning, int r)
{
	for (int l = r; l <= turning->mover; l++) {
		const struct tile_loop *loop = &lowering->loops[l];
		if (!(turning->still >> l & 1) && (l == r || (!loop->is_serpentine && loop->count > 1)))
			return true;
	}
	return false;
}

/* Each step that brings another region takes the other slot.  That is free: its region has been computed
 * with, and what of it was put has been waited for.  Elements that are written may come only after they
 * have been put. */
void ask_ahead(const struct lowering *lowering, int a, const struct turning *turning,
	struct plan_buffer *buffer, struct visit *visit)
{
	bool is_updated = lowering->groups->items[a].is_written && visit->is_fetched;
	visit->ahead = turning->mover;
	visit->kept = kept_loops(lowering, turning);
	if (!buffer->is_double || turning->slots != 1 || visit->slide >= 0)
		return;
	for (int l = turning->mover - 1; l >= outermost_own(lowering); l--) {
		if (visit->kept >> l & 1)
			continue;
		if (is_updated && !shows_others(lowering, turning, l))
			break;
		visit->ahead = l;
	}
	if (visit->ahead < turning->mover)
		buffer->slot = odd_steps(lowering, turning->mover + 1, visit->kept);
}

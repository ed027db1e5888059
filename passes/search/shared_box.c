#include "passes/search/shared_box.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

/* The loops of a box are shared one after the other, side by side. */
struct sharing {
	const struct shared_box *box;
	double rest[MODEL_RANK + 1]; /* words that the sides from one on touch */
	double most;                 /* that the busiest element can have */
	double found;                /* that it has in the first way with no more; INFINITY: none yet */
};

/* What an element has of a side that moves by COEFFICIENT in so many iterations, where a box of one has BASE words: in one box, or each by
 * itself. */
static double stretched(double base, double coefficient, double iterations)
{
	return base + fmin(coefficient, base) * (iterations - 1);
}

/* What an element has of SIDE at least with so many ITERATIONS [loop].  Of a loop's iterations it has as many boxes as it takes of a size: the words
 * are linear in how many, so they are least in one box, or each by itself. */
static double length_of(const struct box_side *side, const long *iterations)
{
	double least = INFINITY;

	for (unsigned apart = 0; apart < 1u << side->count; apart++) {
		double length = side->base, boxes = 1;

		for (int l = 0; l < side->count; l++)
			if (apart >> l & 1)
				boxes *= (double)iterations[l];
			else
				length += side->loops[l].coefficient * (double)(iterations[l] - 1);
		least = fmin(least, boxes * length);
	}
	return least;
}

/* Words that so many ITERATIONS [loop] of SIDE touch, or fewer: the loop with the smaller step makes a box if its windows leave no gaps,
 * and the other moves it. */
static double touched_by(const struct box_side *side, const long *iterations)
{
	int small = side->count > 1 && side->loops[1].coefficient < side->loops[0].coefficient ? 1 : 0;
	const struct box_loop *loop = &side->loops[small], *other = &side->loops[1 - small];

	if (side->count < BOX_LOOPS)
		return stretched(side->base, loop->coefficient, (double)iterations[0]);
	if (loop->coefficient > side->base)
		return side->base * (double)(iterations[0] > iterations[1] ? iterations[0] : iterations[1]);
	return stretched(side->base + loop->coefficient * (double)(iterations[small] - 1), other->coefficient, (double)iterations[1 - small]);
}

static void share_loops(struct sharing *sharing, int i, int l, double own, const long *before, const long room[2]);

/* Shares the sides from number I on, where the busiest element has OWN of those before and ROOM [axis] elements are left. */
static void share_sides(struct sharing *sharing, int i, double own, const long room[2])
{
	const struct box_side *side = &sharing->box->sides[i];
	long iterations[BOX_LOOPS];

	if (i == sharing->box->count) {
		sharing->found = own <= sharing->most ? own : INFINITY;
		return;
	}
	for (int l = 0; l < side->count; l++)
		iterations[l] = side->loops[l].iterations;
	share_loops(sharing, i, 0, own, iterations, room);
}

/* The same of side I, of whose loops the busiest element has so many iterations BEFORE loop L is shared. */
static void share_loops(struct sharing *sharing, int i, int l, double own, const long *before, const long room[2])
{
	const struct box_side *side = &sharing->box->sides[i];
	long iterations[BOX_LOOPS], whole = before[l];
	bool is_last = l + 1 == side->count, is_end = is_last && i + 1 == sharing->box->count;

	/* what elements have together they touch together */
	if (own * touched_by(side, before) * sharing->rest[i + 1] > sharing->most * (double)(room[0] * room[1]))
		return;
	memcpy(iterations, before, (size_t)side->count * sizeof *iterations);
	for (int axis = 0; axis < (room[0] == room[1] ? 1 : 2); axis++) {
		long left[2] = { room[0], room[1] };

		/* of numbers of elements that leave as many iterations for one the least will do; the last loop has all of the longer axis */
		if (is_end && room[axis] < room[1 - axis])
			continue;
		for (long elements = room[axis]; elements >= 1 && sharing->found > sharing->most; elements = is_end ? 0 : elements - 1) {
			iterations[l] = (whole - 1) / elements + 1;
			elements = (whole - 1) / iterations[l] + 1;
			left[axis] = room[axis] / elements;
			if (is_last)
				share_sides(sharing, i + 1, own * length_of(side, iterations), left);
			else
				share_loops(sharing, i, l + 1, own, iterations, left);
		}
	}
}

/* What the busiest element has of BOX, but for what is fixed, in some way for ROOM [axis] elements to share it, if that is no more than MOST;
 * INFINITY: it has more in all ways. */
static double share_box(const struct shared_box *box, const long room[2], double most)
{
	struct sharing sharing = { .box = box, .most = most, .found = INFINITY };

	sharing.rest[box->count] = 1;
	for (int i = box->count - 1; i >= 0; i--) {
		long iterations[BOX_LOOPS];

		for (int l = 0; l < box->sides[i].count; l++)
			iterations[l] = box->sides[i].loops[l].iterations;
		sharing.rest[i] = sharing.rest[i + 1] * touched_by(&box->sides[i], iterations);
	}
	share_sides(&sharing, 0, 1, room);
	return sharing.found;
}

/* ---- what was found before ---- */

enum { REMEMBERED = 32768, REMEMBERED_SIDES = 4 };

struct remembered {
	long room[2];                /* 0: nothing */
	int count;
	struct box_side sides[REMEMBERED_SIDES];
	double too_few, enough;      /* words that no way to share it has, and that one has */
};

struct shared_boxes { struct remembered items[REMEMBERED]; };

struct shared_boxes *shared_boxes_new(void)
{
	struct shared_boxes *boxes = calloc(1, sizeof *boxes);

	if (!boxes)
		memory_exhausted();
	return boxes;
}

static bool are_same_sides(const struct box_side *one, const struct box_side *other, int count)
{
	bool are_same = true;

	for (int i = 0; i < count && are_same; i++) {
		are_same = one[i].base == other[i].base && one[i].count == other[i].count;
		for (int l = 0; l < one[i].count && are_same; l++)
			are_same = one[i].loops[l].coefficient == other[i].loops[l].coefficient &&
				one[i].loops[l].iterations == other[i].loops[l].iterations;
	}
	return are_same;
}

/* Where BOX, shared by ROOM elements, is remembered. */
static struct remembered *place_of(struct shared_boxes *boxes, const struct shared_box *box, const long room[2])
{
	unsigned long hash = (unsigned long)room[0] * 31 + (unsigned long)room[1];

	for (int i = 0; i < box->count; i++) {
		hash = hash * 31 + (unsigned long)box->sides[i].base;
		for (int l = 0; l < box->sides[i].count; l++)
			hash = hash * 31 + (unsigned long)box->sides[i].loops[l].iterations;
	}
	return &boxes->items[(hash ^ hash >> 12 ^ hash >> 24) % REMEMBERED];
}

/* Whether some way for ROOM [axis] elements to share BOX has no more than MOST words, but for what is fixed; BOXES (NULL: nothing is known). */
static bool can_share(struct shared_boxes *boxes, const struct shared_box *box, const long room[2], double most)
{
	struct remembered *item;
	double found;

	if (!boxes || box->count > REMEMBERED_SIDES)
		return share_box(box, room, most) <= most;
	item = place_of(boxes, box, room);
	if (item->room[0] != room[0] || item->room[1] != room[1] || item->count != box->count ||
		!are_same_sides(item->sides, box->sides, box->count)) {
		*item = (struct remembered){ .room = { room[0], room[1] }, .count = box->count, .too_few = -INFINITY, .enough = INFINITY };
		memcpy(item->sides, box->sides, (size_t)box->count * sizeof *box->sides);
	}
	if (most <= item->too_few || most >= item->enough)
		return most >= item->enough;
	found = share_box(box, room, most);
	if (found <= most)
		item->enough = found;
	else
		item->too_few = most;
	return found <= most;
}

bool shared_box_fits(struct shared_boxes *boxes, const struct shared_box *box, const struct pe_array *machine, const long *used,
	double most)
{
	const long room[2] = { machine->is_free ? (long)machine->x * machine->y / used[AXIS_FREE] : machine->x / used[AXIS_X],
		machine->is_free ? 1 : machine->y / used[AXIS_Y] };

	most *= 1 + 1e-9;
	return box->fixed <= most && can_share(boxes, box, room, most / box->fixed);
}

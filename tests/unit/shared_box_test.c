/* Boxes that processing elements share, against all ways to give their sides elements. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "passes/search/shared_box.h"

static uint64_t seed;

static long pick(long most)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return 1 + (long)((seed >> 33) % (uint64_t)most);
}

/* The fewest words of SIDE with so many iterations PART [loop], in boxes of whatever size. */
static double words_of(const struct box_side *side, const long *part)
{
	double least = 1e30;
	for (long one = 1; one <= part[0]; one++)
		for (long other = 1; other <= part[1]; other++) {
			const long sizes[] = { one, other };
			double length = side->base, boxes = 1;
			for (int l = 0; l < side->count; l++) {
				length += side->loops[l].coefficient * (double)(sizes[l] - 1);
				boxes *= (double)((part[l] + sizes[l] - 1) / sizes[l]);
			}
			least = boxes * length < least ? boxes * length : least;
		}
	return least;
}

static double least_of(const struct shared_box *box, int i, double own, long x, long y);

/* The least that the element with the highest share has of the sides from I on, times OWN, where so many elements are LEFT along x and
 * y; PART [loop] are its iterations of those loops of side I that are before number L: they are counted. */
static double least_of_side(const struct shared_box *box, int i, int l, long *part, double own, long x, long y)
{
	const struct box_side *side = &box->sides[i];
	if (l == side->count)
		return least_of(box, i + 1, own * words_of(side, part), x, y);
	double least = 1e30;
	for (long elements = 1; elements <= (x > y ? x : y); elements++) {
		part[l] = 0;
		for (long iteration = 0; iteration < side->loops[l].iterations; iteration++)
			part[l] += iteration % elements == 0;
		double along_x = elements <= x ? least_of_side(box, i, l + 1, part, own, x / elements, y) : 1e30;
		double along_y = elements <= y ? least_of_side(box, i, l + 1, part, own, x, y / elements) : 1e30;
		least = along_x < least ? along_x : least;
		least = along_y < least ? along_y : least;
	}
	part[l] = 1;
	return least;
}

static double least_of(const struct shared_box *box, int i, double own, long x, long y)
{
	long part[BOX_LOOPS] = { 1, 1 };
	return i == box->count ? own : least_of_side(box, i, 0, part, own, x, y);
}

static struct shared_box random_box(void)
{
	struct shared_box box = { .fixed = (double)pick(3), .count = (int)pick(4) - 1 };
	for (int i = 0; i < box.count; i++) {
		/* of windows that leave gaps, too */
		box.sides[i] = (struct box_side){ (double)pick(4), (int)pick(BOX_LOOPS), { { 0, 1 } } };
		for (int l = 0; l < box.sides[i].count; l++)
			box.sides[i].loops[l] = (struct box_loop){ (double)pick(4), pick(box.count < 3 ? 14 : 7) };
	}
	return box;
}

static void parts_are_the_least(void **state)
{
	(void)state;
	enum { BOXES = 6000 };
	struct shared_boxes *boxes = shared_boxes_new();
	int tight = 0;
	for (seed = 1; seed <= BOXES; seed++) {
		uint64_t number = seed;
		struct shared_box box = random_box();
		struct pe_array machine = { .x = (int)pick(5), .y = (int)pick(5), .is_free = pick(3) == 1 };
		long used[] = { pick(machine.x), pick(machine.y), pick((long)machine.x * machine.y) };
		long x = machine.is_free ? (long)machine.x * machine.y / used[AXIS_FREE] : machine.x / used[AXIS_X];
		long y = machine.is_free ? 1 : machine.y / used[AXIS_Y];
		double least = least_of(&box, 0, box.fixed, x, y), all = least_of(&box, 0, box.fixed, 1, 1);
		/* what is remembered of other boxes, and of this one, changes nothing */
		for (int known = 0; known < 2; known++) {
			assert_true(shared_box_fits(boxes, &box, &machine, used, least));
			assert_false(shared_box_fits(boxes, &box, &machine, used, least - 0.5));
		}
		assert_true(shared_box_fits(NULL, &box, &machine, used, least));
		tight += least > all / (double)(x * y) + 1;
		seed = number;
	}
	free(boxes);
	/* whole iterations make a difference */
	assert_true(tight > BOXES / 10);
}

/* The example of docs/search.md: inputs of 28 x 11 windows of 11 x 11, four apart, in three channels. */
static void windows_overlap(void **state)
{
	(void)state;
	const struct shared_box box = { 1, 3, { { 1, 1, { { 1, 3 } } }, { 1, 2, { { 4, 28 }, { 1, 11 } } }, { 1, 2, { { 4, 11 }, { 1, 11 } } } } };
	const struct pe_array machine = { .x = 12, .y = 14 };
	const long used[] = { 1, 1, 1 };
	assert_true(shared_box_fits(NULL, &box, &machine, used, 285));
	assert_false(shared_box_fits(NULL, &box, &machine, used, 284));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(parts_are_the_least), cmocka_unit_test(windows_overlap) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

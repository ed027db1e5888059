/* How elements share the iterations of a loop, counted. */

#include "passes/cost/cut.h"

static int add_pieces(struct piece *pieces, int count, long size, long times)
{
	if (size > 0 && times > 0)
		pieces[count++] = (struct piece){ size, times };
	return count;
}

int split_pieces(const struct split *split, long iterations, struct piece *pieces)
{
	long tiles = iterations / split->tile, last = iterations % split->tile;
	long steps = tiles * (split->tile / split->step) + last / split->step;
	long rest = split->tile % split->step, last_rest = last % split->step, part = split->part;
	int count = 0;

	count = add_pieces(pieces, count, part, steps * (split->step / part) + tiles * (rest / part) +
		last_rest / part);
	count = add_pieces(pieces, count, split->step % part, steps);
	count = add_pieces(pieces, count, rest % part, tiles);
	return add_pieces(pieces, count, last_rest % part, 1);
}

static long ceiling(long a, long b)
{
	return (a + b - 1) / b;
}

long split_steps(const struct split *split, long iterations)
{
	return iterations / split->tile * ceiling(split->tile, split->step) +
		ceiling(iterations % split->tile, split->step);
}

long split_elements(const struct split *split, long iterations)
{
	return ceiling(iterations < split->step ? iterations : split->step, split->part);
}

/* Which elements of a dimension subscripts leave out, whatever the iteration. */

#include "passes/analysis/lattice.h"

#include <stdlib.h>

#include <isl/set.h>

#include "passes/analysis/values.h"

long gcd(long a, long b)
{
	a = labs(a);
	b = labs(b);
	while (b) {
		long rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* The values of iterator I of STATEMENT: OFFSET and from there each STEP (0: no other), where the
 * loop begins at the same offset in all iterations around it; else all. */
static long step_of(const struct statement *statement, int i, long *offset)
{
	if (set_dim_value(statement->domain, i, offset))
		return 0;
	*offset = 0;
	return labs(statement->loops[i]->step) == 1 ? 1 : set_dim_step(statement->domain, i, offset);
}

/* SUBSCRIPT of STATEMENT is PHASE and a multiple of what is returned; 0: it is PHASE. */
static long stride_of(const struct statement *statement, const struct affine *subscript, long *phase)
{
	long stride = 0;
	*phase = subscript->constant;
	for (int k = 0; k < SYMBOLIC_LIMIT; k++)
		stride = gcd(stride, affine_size(*subscript, k));
	for (int i = 0; i < statement->depth && stride != 1; i++) {
		long offset, coefficient = subscript->coefficients[i];
		if (!coefficient)
			continue;
		stride = gcd(stride, coefficient * step_of(statement, i, &offset));
		*phase += coefficient * offset;
	}
	return stride;
}

struct lattice reference_group_lattice(const struct compilation *compilation,
	const struct nest *nest, const struct reference_group *array, int d)
{
	bool is_aligned = compilation->arch->dma_align_bytes > array->array->type.bytes;
	long stride = is_aligned, first = 0;
	for (int a = 0; a < array->access_count && stride != 1; a++) {
		const struct nest_access *access = &array->accesses[a];
		long phase;
		stride = gcd(stride, stride_of(nest->statements[access->statement],
			&access->access->subscripts[d], &phase));
		if (a)
			stride = gcd(stride, phase - first);
		else
			first = phase;
	}
	if (!stride)
		stride = 1;
	return (struct lattice){ stride, (first % stride + stride) % stride };
}

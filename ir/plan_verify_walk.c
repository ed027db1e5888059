/* The invariants of a plan that depend on loop variables: they are checked by walking the
 * loops, all iterations of a small plan, of a large one the first and last of each loop and
 * pseudo-random pairs of neighbours. */

#include <stdlib.h>

#include "ir/plan.h"
#include "ir/plan_verifier.h"
#include "support/memory.h"

enum { BUDGET = 200000, SAMPLED_PAIRS = 3 };

static long evaluate(const struct verifier *verifier, const struct plan_expr *expr)
{
	long value[3] = { 0 };

	if (expr->op == PLAN_CONST)
		return expr->value;
	if (expr->op == PLAN_VAR) {
		for (int i = verifier->scope_count - 1; i >= 0; i--)
			if (verifier->scope[i].var == expr->var)
				return verifier->scope[i].value;
		return 0;
	}
	for (int i = 0; i < plan_operand_count(expr->op); i++)
		value[i] = evaluate(verifier, expr->operands[i]);
	return plan_apply(expr->op, value[0], value[1], value[2]);
}

static bool boxes_meet(int rank, const long *first_a, const long *count_a, const long *first_b,
	const long *count_b)
{
	for (int d = 0; d < rank; d++)
		if (first_a[d] >= first_b[d] + count_b[d] || first_b[d] >= first_a[d] + count_a[d])
			return false;
	return true;
}

/* Lattices of two buffers of an array may differ: their boxes in its elements. */
static void elements(const struct flight *flight, long *first, long *count)
{
	const struct plan_buffer *buffer = flight->transfer->buffer;

	for (int d = 0; d < buffer->rank; d++) {
		first[d] = flight->first[d] * buffer->dims[d].stride + buffer->dims[d].phase;
		count[d] = (flight->count[d] - 1) * buffer->dims[d].stride + 1;
	}
}

static bool same_lattice(const struct plan_buffer *a, const struct plan_buffer *b)
{
	for (int d = 0; d < a->rank; d++)
		if (a->dims[d].stride != b->dims[d].stride || a->dims[d].phase != b->dims[d].phase)
			return false;
	return true;
}

static bool meet_outside(const struct flight *a, const struct flight *b)
{
	long first[2][ARRAY_RANK_LIMIT], count[2][ARRAY_RANK_LIMIT];
	const struct plan_buffer *buffer = a->transfer->buffer;

	if (buffer->array != b->transfer->buffer->array)
		return false;
	if (!same_lattice(buffer, b->transfer->buffer))
		return false;            /* may miss elements; cannot raise a false alarm */
	elements(a, first[0], count[0]);
	elements(b, first[1], count[1]);
	return boxes_meet(buffer->rank, first[0], count[0], first[1], count[1]);
}

static bool meet_inside(const struct flight *a, const struct flight *b)
{
	return a->transfer->buffer == b->transfer->buffer && a->slot == b->slot
		&& boxes_meet(a->transfer->buffer->rank, a->local, a->count, b->local, b->count);
}

static void check_region(struct verifier *verifier, const struct flight *flight)
{
	const struct plan_buffer *buffer = flight->transfer->buffer;

	if (flight->slot < 0 || flight->slot >= buffer->slots)
		plan_problem(verifier, "buffer %s has no slot %ld", buffer->name, flight->slot);
	for (int d = 0; d < buffer->rank; d++) {
		const struct plan_dim *dim = &buffer->dims[d];
		long last = flight->first[d] + flight->count[d] - 1;

		if (flight->first[d] < 0
			|| last * dim->stride + dim->phase
				>= affine_at_sizes(buffer->array->shape[d], verifier->sizes))
			plan_problem(verifier, "a transfer of %s leaves dimension %d of the array: "
				"%ld .. %ld", buffer->name, d, flight->first[d], last);
		if (flight->local[d] < 0 || flight->local[d] + flight->count[d] > dim->extent)
			plan_problem(verifier, "a transfer of %s leaves dimension %d of the buffer: "
				"%ld .. %ld", buffer->name, d, flight->local[d],
				flight->local[d] + flight->count[d] - 1);
		if (dim->modulus > 0 && flight->first[d] >= 0
			&& flight->local[d] != flight->first[d] % dim->modulus)
			plan_problem(verifier, "a transfer of %s puts element %ld of dimension %d to "
				"%ld of the ring", buffer->name, flight->first[d], d,
				flight->local[d]);
	}
}

static void start_flight(struct verifier *verifier, const struct flight *flight)
{
	bool is_put = flight->transfer->is_put;

	for (int i = 0; i < verifier->flight_count; i++) {
		const struct flight *other = &verifier->flights[i];

		if ((!is_put || !other->transfer->is_put) && meet_inside(flight, other))
			plan_problem(verifier, "a transfer of %s starts while one of tag %d is in flight "
				"in the same place", flight->transfer->buffer->name,
				other->transfer->tag);
		if ((is_put || other->transfer->is_put) && meet_outside(flight, other))
			plan_problem(verifier, "a transfer of %s starts while one of tag %d is in flight "
				"at the same elements", flight->transfer->buffer->name,
				other->transfer->tag);
	}
	if (verifier->flight_count == verifier->flight_capacity) {
		verifier->flight_capacity = 2 * verifier->flight_capacity + 16;
		verifier->flights = realloc(verifier->flights,
			(size_t)verifier->flight_capacity * sizeof *verifier->flights);
		if (!verifier->flights)
			memory_exhausted();
	}
	verifier->flights[verifier->flight_count++] = *flight;
}

static void walk_transfer(struct verifier *verifier, const struct plan_transfer *transfer)
{
	const struct plan_buffer *buffer = transfer->buffer;
	const struct plan_expr *slot = transfer->slot ? transfer->slot : buffer->slot;
	struct flight flight = { .transfer = transfer };

	for (int d = 0; d < buffer->rank; d++) {
		flight.first[d] = evaluate(verifier, transfer->first[d]);
		flight.count[d] = evaluate(verifier, transfer->count[d]);
		flight.local[d] = evaluate(verifier, transfer->local[d]);
		if (flight.count[d] <= 0)
			return;
	}
	if (buffer->slots > 1)
		flight.slot = evaluate(verifier, slot);
	check_region(verifier, &flight);
	start_flight(verifier, &flight);
}

static void walk_wait(struct verifier *verifier, unsigned tags)
{
	int kept = 0;

	for (int i = 0; i < verifier->flight_count; i++)
		if (!(tags >> verifier->flights[i].transfer->tag & 1))
			verifier->flights[kept++] = verifier->flights[i];
	verifier->flight_count = kept;
}

/* The coordinate in BUFFER of element X of dimension D; false if it has none. */
static bool find_coordinate(struct verifier *verifier, const struct plan_dim *dim, long x,
	long *coordinate)
{
	long lattice = x - dim->phase;

	if (lattice < 0 || lattice % dim->stride != 0)
		return false;
	lattice /= dim->stride;
	*coordinate = dim->modulus > 0 ? lattice % dim->modulus
		: lattice - evaluate(verifier, dim->origin);
	return *coordinate >= 0 && *coordinate < dim->extent;
}

/* Access A of NODE's statement, whose iterators have VALUES. */
static void walk_access(struct verifier *verifier, const struct plan_node *node, int a,
	const long *values)
{
	static const long ones[ARRAY_RANK_LIMIT] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	const struct access *access = &node->statement->accesses[a];
	const struct plan_buffer *buffer = node->buffers[a];
	long at[ARRAY_RANK_LIMIT], slot = buffer->slots > 1 ? evaluate(verifier, buffer->slot) : 0;

	if (slot < 0 || slot >= buffer->slots)
		plan_problem(verifier, "buffer %s has no slot %ld", buffer->name, slot);
	for (int d = 0; d < buffer->rank; d++) {
		long x = affine_at_sizes(access->subscripts[d], verifier->sizes);

		for (int i = 0; i < node->statement->depth; i++)
			x += access->subscripts[d].coefficients[i] * values[i];
		if (!find_coordinate(verifier, &buffer->dims[d], x, &at[d])) {
			plan_problem(verifier, "%s: buffer %s does not hold element %ld of dimension %d",
				node->statement->name, buffer->name, x, d);
			return;
		}
	}
	for (int i = 0; i < verifier->flight_count; i++) {
		const struct flight *flight = &verifier->flights[i];

		if (flight->transfer->buffer == buffer && flight->slot == slot
			&& (access->is_write || !flight->transfer->is_put)
			&& boxes_meet(buffer->rank, at, ones, flight->local, flight->count))
			plan_problem(verifier, "%s uses buffer %s while a transfer of tag %d is in flight "
				"there", node->statement->name, buffer->name, flight->transfer->tag);
	}
}

static void walk_compute(struct verifier *verifier, const struct plan_node *node)
{
	long values[LOOP_DEPTH_LIMIT] = { 0 };

	for (int i = 0; i < node->statement->depth; i++)
		values[i] = evaluate(verifier, node->values[i]);
	for (int a = 0; a < node->statement->access_count; a++)
		if (node->buffers[a])
			walk_access(verifier, node, a, values);
}

static void walk_node(struct verifier *verifier, const struct plan_node *node, long budget);

static void walk_iteration(struct verifier *verifier, const struct plan_node *node, long value,
	long budget)
{
	int scope = verifier->scope_count;

	plan_push(verifier, node->var, value);
	if (value < node->var->min || value > node->var->max)
		plan_problem(verifier, "%s is outside %ld .. %ld", node->var->name, node->var->min,
			node->var->max);
	walk_node(verifier, node->body, budget);
	verifier->scope_count = scope;
}

static long node_count(const struct plan_node *node)
{
	long count = 1 + (node->body ? node_count(node->body) : 0);

	for (int i = 0; i < node->child_count; i++)
		count += node_count(node->children[i]);
	return count;
}

static long random_below(struct verifier *verifier, long bound)
{
	verifier->random = verifier->random * 6364136223846793005UL + 1442695040888963407UL;
	return (long)((verifier->random >> 33) % (unsigned long)bound);
}

static int compare_longs(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

/* What is left where the budget is spent: the end of a loop over elements, the first two
 * iterations of one that moves regions. */
static void walk_least(struct verifier *verifier, const struct plan_node *node, long lower,
	long trips)
{
	if (node->loop == LOOP_POINT) {
		walk_iteration(verifier, node, lower + (trips - 1) * node->step, 0);
		return;
	}
	walk_iteration(verifier, node, lower, 0);
	walk_iteration(verifier, node, lower + node->step, 0);
	if (trips > 2)
		verifier->flight_count = 0;
}

/* Neighbouring iterations at both ends and in the middle; copies in flight across a
 * gap are forgotten. */
static void walk_some(struct verifier *verifier, const struct plan_node *node, long lower,
	long trips, long budget)
{
	long chosen[2 * SAMPLED_PAIRS + 4];
	int count = 0;

	for (int i = 0; i < SAMPLED_PAIRS + 2; i++) {
		long at = i == 0 ? 0 : i == 1 ? trips - 2 : random_below(verifier, trips - 1);

		chosen[count++] = at;
		chosen[count++] = at + 1;
	}
	qsort(chosen, (size_t)count, sizeof *chosen, compare_longs);
	for (int i = 0; i < count; i++) {
		if (i > 0 && chosen[i] == chosen[i - 1])
			continue;
		if (i > 0 && chosen[i] != chosen[i - 1] + 1)
			verifier->flight_count = 0;
		walk_iteration(verifier, node, lower + chosen[i] * node->step, budget / count);
	}
}

static void walk_loop(struct verifier *verifier, const struct plan_node *node, long budget)
{
	long lower = evaluate(verifier, node->lower), upper = evaluate(verifier, node->upper);
	long trips = upper < lower ? 0 : (upper - lower) / node->step + 1;

	if (trips > 1 && budget < 2) {
		walk_least(verifier, node, lower, trips);
		return;
	}
	if (trips > 2 * SAMPLED_PAIRS + 4 && trips > budget / node_count(node->body)) {
		walk_some(verifier, node, lower, trips, budget);
		return;
	}
	for (long i = 0; i < trips && verifier->problems < SHOWN_PROBLEMS; i++)
		walk_iteration(verifier, node, lower + i * node->step, budget / trips);
}

static void walk_node(struct verifier *verifier, const struct plan_node *node, long budget)
{
	switch (node->kind) {
	case PLAN_BLOCK:
		for (int i = 0; i < node->child_count; i++)
			walk_node(verifier, node->children[i], budget);
		break;
	case PLAN_LOOP:
		walk_loop(verifier, node, budget);
		break;
	case PLAN_LET:
		walk_iteration(verifier, node, evaluate(verifier, node->lower), budget);
		break;
	case PLAN_IF:
		if (evaluate(verifier, node->condition))
			walk_node(verifier, node->body, budget);
		break;
	case PLAN_TRANSFER:
		walk_transfer(verifier, &node->transfer);
		break;
	case PLAN_WAIT:
		walk_wait(verifier, node->tags);
		break;
	case PLAN_COMPUTE:
		walk_compute(verifier, node);
		break;
	}
}

/* All of NEST's transfers and statements, for the sizes chosen. */
void plan_walk_nest(struct verifier *verifier, const struct plan_nest *nest)
{
	verifier->flight_count = 0;
	walk_node(verifier, nest->body, BUDGET);
	for (int i = 0; i < verifier->flight_count; i++)
		plan_problem(verifier, "a transfer of %s, tag %d, is never waited for",
			verifier->flights[i].transfer->buffer->name,
			verifier->flights[i].transfer->tag);
}

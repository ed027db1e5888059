/* The invariants of a plan that depend on loop variables: they are checked by walking the
 * loops, all iterations of a small plan, of a large one the first and last of each loop and
 * pseudo-random pairs of neighbours.  Loops over points in which each use is a box are looked at by their
 * ends. */

#include <stdlib.h>

#include "ir/plan_steps.h"
#include "ir/plan_verifier.h"
#include "support/memory.h"

enum { BUDGET = 60000, SAMPLED_PAIRS = 3 };

/* ---- copies in flight ---- */

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

static void check_region(struct verifier *verifier, const struct copy *copy, const struct flight *flight)
{
	const struct plan_buffer *buffer = flight->transfer->buffer;

	if (flight->slot < 0 || flight->slot >= buffer->slots)
		plan_problem(verifier, "buffer %s has no slot %ld", buffer->name, flight->slot);
	for (int d = 0; d < buffer->rank; d++) {
		const struct plan_dim *dim = &buffer->dims[d];
		long last = flight->first[d] + flight->count[d] - 1;

		if (flight->first[d] < 0
			|| last * dim->stride + dim->phase >= copy->dims[d].extent)
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

static void walk_transfer(struct verifier *verifier, const struct copy *copy)
{
	struct flight flight = { .transfer = copy->transfer };

	for (int d = 0; d < copy->rank; d++) {
		flight.first[d] = plan_formula_value(copy->dims[d].first);
		flight.count[d] = plan_formula_value(copy->dims[d].count);
		flight.local[d] = plan_formula_value(copy->dims[d].local);
		if (flight.count[d] <= 0)
			return;
	}
	if (copy->slot)
		flight.slot = plan_formula_value(copy->slot);
	check_region(verifier, copy, &flight);
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

/* ---- uses ---- */

/* The coordinate in the buffer of element X of a dimension; false if it has none. */
static bool find_coordinate(const struct use_dim *use, long x, long *coordinate)
{
	const struct plan_dim *dim = use->dim;
	long lattice = x - dim->phase;

	if (lattice < 0)
		return false;
	if (dim->stride != 1) {
		if (lattice % dim->stride != 0)
			return false;
		lattice /= dim->stride;
	}
	*coordinate = dim->modulus > 0 ? lattice % dim->modulus
		: lattice - plan_formula_value(use->origin);
	return *coordinate >= 0 && *coordinate < dim->extent;
}

/* No copy is in flight at element AT of the buffer that USE uses. */
static void check_no_flight(struct verifier *verifier, const struct statement *statement,
	const struct use *use, const long *at, long slot)
{
	static const long ones[ARRAY_RANK_LIMIT] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };

	for (int i = 0; i < verifier->flight_count; i++) {
		const struct flight *flight = &verifier->flights[i];

		if (flight->transfer->buffer == use->buffer && flight->slot == slot
			&& (use->is_write || !flight->transfer->is_put)
			&& boxes_meet(use->buffer->rank, at, ones, flight->local, flight->count))
			plan_problem(verifier, "%s uses buffer %s while a transfer of tag %d is in flight "
				"there", statement->name, use->buffer->name, flight->transfer->tag);
	}
}

static void check_held(struct verifier *verifier, const struct statement *statement, const struct use *use,
	int d, long x, long *at)
{
	if (!find_coordinate(&use->dims[d], x, at))
		plan_problem(verifier, "%s: buffer %s does not hold element %ld of dimension %d",
			statement->name, use->buffer->name, x, d);
}

/* The first and the last element that dimension DIM of a use comes to in the box that is walked: one,
 * where none is. */
static void find_ends(const struct use_dim *dim, long *first, long *last)
{
	*first = *last = dim->constant;
	for (int t = 0; t < dim->term_count; t++) {
		const struct use_term *term = &dim->terms[t];
		long value = term->coefficient * (term->cell ? term->cell->value
			: plan_formula_value(term->other));
		long span = term->loop ? term->coefficient * term->loop->span : 0;

		*first += value + (span < 0 ? span : 0);
		*last += value + (span > 0 ? span : 0);
	}
}

/* A use of STATEMENT, in all of the box that is walked: what is in flight is not where it is, if that
 * is a box of several (can_meet). */
static void walk_use(struct verifier *verifier, const struct statement *statement, const struct use *use)
{
	long at[ARRAY_RANK_LIMIT] = { 0 }, slot = use->slot ? plan_formula_value(use->slot) : 0;
	int problems = verifier->problems;
	bool is_one = true;

	if (slot < 0 || slot >= use->buffer->slots)
		plan_problem(verifier, "buffer %s has no slot %ld", use->buffer->name, slot);
	for (int d = 0; d < use->buffer->rank && verifier->problems == problems; d++) {
		long first, last;

		find_ends(&use->dims[d], &first, &last);
		check_held(verifier, statement, use, d, first, &at[d]);
		if (last == first)
			continue;
		check_held(verifier, statement, use, d, last, &at[d]);
		is_one = false;
	}
	if (is_one && verifier->problems == problems)
		check_no_flight(verifier, statement, use, at, slot);
}

static void walk_compute(struct verifier *verifier, const struct step *step)
{
	for (int u = 0; u < step->use_count; u++)
		walk_use(verifier, step->node->statement, &step->uses[u]);
}

/* A word that moves is in its buffers, and no copy in flight is there. */
static void walk_move(struct verifier *verifier, const struct step *step)
{
	static const long ones[ARRAY_RANK_LIMIT] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };

	for (int w = 0; w < 2 && step->words[w].buffer; w++) {
		const struct word *word = &step->words[w];
		long slot = word->slot ? plan_formula_value(word->slot) : 0, at[ARRAY_RANK_LIMIT];

		if (slot < 0 || slot >= word->buffer->slots)
			plan_problem(verifier, "buffer %s has no slot %ld", word->buffer->name, slot);
		for (int d = 0; d < word->buffer->rank; d++) {
			at[d] = plan_formula_value(word->at[d]);
			if (at[d] < 0 || at[d] >= word->buffer->dims[d].extent)
				plan_problem(verifier, "a word moves at %ld of dimension %d of buffer %s", at[d], d,
					word->buffer->name);
		}
		for (int i = 0; i < verifier->flight_count; i++) {
			const struct flight *flight = &verifier->flights[i];

			if (flight->transfer->buffer == word->buffer && flight->slot == slot
				&& (w == 1 || !flight->transfer->is_put)
				&& boxes_meet(word->buffer->rank, at, ones, flight->local, flight->count))
				plan_problem(verifier, "a word of buffer %s moves while a transfer of tag %d is in flight there",
					word->buffer->name, flight->transfer->tag);
		}
	}
}

/* A copy in flight may be where a statement in STEP, a box, uses a buffer: each of its iterations is to
 * be looked at. */
static bool can_meet(const struct verifier *verifier, const struct step *step)
{
	bool can = step->body && can_meet(verifier, step->body);

	for (int i = 0; i < step->child_count && !can; i++)
		can = can_meet(verifier, step->children[i]);
	for (int u = 0; u < step->use_count && !can; u++) {
		const struct use *use = &step->uses[u];
		long slot = use->slot ? plan_formula_value(use->slot) : 0;

		for (int i = 0; i < verifier->flight_count && !can; i++)
			can = verifier->flights[i].transfer->buffer == use->buffer
				&& verifier->flights[i].slot == slot
				&& (use->is_write || !verifier->flights[i].transfer->is_put);
	}
	return can;
}

/* ---- the walk ---- */

static void walk_step(struct verifier *verifier, struct step *step, long budget);

static void check_range(struct verifier *verifier, const struct plan_var *var, long value)
{
	if (value < var->min || value > var->max)
		plan_problem(verifier, "%s is outside %ld .. %ld", var->name, var->min, var->max);
}

/* The iteration of VALUE of STEP, or, of a box, all from there on. */
static void walk_iteration(struct verifier *verifier, struct step *step, long value, long budget)
{
	int scope = verifier->scope_count;
	long before = step->cell->value;

	plan_push(verifier, step->cell->var, value);
	step->cell->value = value;
	check_range(verifier, step->cell->var, value);
	walk_step(verifier, step->body, budget);
	step->cell->value = before;
	verifier->scope_count = scope;
}

/* Where nothing is in flight that statements in a box could use, the ends of each dimension are looked
 * at, and with them all between. */
static void walk_box(struct verifier *verifier, struct step *step, long lower, long trips)
{
	if (trips <= 0)
		return;
	step->span = (trips - 1) * step->node->step;
	check_range(verifier, step->cell->var, lower + step->span);
	walk_iteration(verifier, step, lower, 0);
	step->span = 0;
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
static void walk_least(struct verifier *verifier, struct step *step, long lower,
	long trips)
{
	if (step->node->loop == LOOP_POINT || step->node->loop == LOOP_ELEMENT) {
		walk_iteration(verifier, step, lower + (trips - 1) * step->node->step, 0);
		return;
	}
	walk_iteration(verifier, step, lower, 0);
	walk_iteration(verifier, step, lower + step->node->step, 0);
	if (trips > 2)
		verifier->flight_count = 0;
}

/* Neighbouring iterations at both ends and in the middle; copies in flight across a
 * gap are forgotten. */
static void walk_some(struct verifier *verifier, struct step *step, long lower,
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
		walk_iteration(verifier, step, lower + chosen[i] * step->node->step, budget / count);
	}
}

static void walk_loop(struct verifier *verifier, struct step *step, long budget)
{
	long lower = plan_formula_value(step->lower), upper = plan_formula_value(step->upper);
	long trips = upper < lower ? 0 : (upper - lower) / step->node->step + 1;

	if (verifier->is_in_box || (step->is_box && !can_meet(verifier, step))) {
		bool was_in_box = verifier->is_in_box;

		verifier->is_in_box = true;
		walk_box(verifier, step, lower, trips);
		verifier->is_in_box = was_in_box;
		return;
	}
	if (trips > 1 && budget < 2) {
		walk_least(verifier, step, lower, trips);
		return;
	}
	if (trips > 2 * SAMPLED_PAIRS + 4 && trips > budget / step->body->size) {
		walk_some(verifier, step, lower, trips, budget);
		return;
	}
	for (long i = 0; i < trips && verifier->problems < SHOWN_PROBLEMS; i++)
		walk_iteration(verifier, step, lower + i * step->node->step, budget / trips);
}

static void walk_step(struct verifier *verifier, struct step *step, long budget)
{
	switch (step->node->kind) {
	case PLAN_BLOCK:
		for (int i = 0; i < step->child_count; i++)
			walk_step(verifier, step->children[i], budget);
		break;
	case PLAN_LOOP:
		walk_loop(verifier, step, budget);
		break;
	case PLAN_LET:
		walk_iteration(verifier, step, plan_formula_value(step->lower), budget);
		break;
	case PLAN_IF:
		if (plan_formula_value(step->lower))
			walk_step(verifier, step->body, budget);
		break;
	case PLAN_TRANSFER:
		walk_transfer(verifier, step->copy);
		break;
	case PLAN_WAIT:
		walk_wait(verifier, step->node->tags);
		break;
	case PLAN_COMPUTE:
		walk_compute(verifier, step);
		break;
	case PLAN_MOVE:
		walk_move(verifier, step);
		break;
	case PLAN_STEP:
		walk_step(verifier, step->body, budget);
		break;
	}
}

/* All of NEST's transfers and statements, for the sizes chosen. */
void plan_walk_nest(struct verifier *verifier, const struct plan_nest *nest)
{
	struct plan_cells cells = { .arena = arena_new(), .sizes = verifier->sizes };

	verifier->flight_count = 0;
	walk_step(verifier, step_of(&cells, nest->body), BUDGET);
	for (int i = 0; i < verifier->flight_count; i++)
		plan_problem(verifier, "a transfer of %s, tag %d, is never waited for",
			verifier->flights[i].transfer->buffer->name,
			verifier->flights[i].transfer->tag);
	arena_free(cells.arena);
}

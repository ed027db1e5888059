/* The invariants of a plan.  What is static is checked for all of it; what depends on
 * loop variables is checked by walking the loops: all iterations of a small plan, of
 * a large one the first and last of each loop and pseudo-random pairs of neighbours. */

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ir/plan.h"
#include "ir/plan_box.h"
#include "support/memory.h"

enum { SHOWN_PROBLEMS = 10, SCOPE_LIMIT = 256, BUDGET = 200000, SAMPLED_PAIRS = 3,
	SIZE_CHOICES = 4 };

/* A started copy that was not waited for, as boxes in the array's lattice and in the
 * buffer. */
struct flight {
	const struct plan_transfer *transfer;
	long first[ARRAY_RANK_LIMIT], count[ARRAY_RANK_LIMIT], local[ARRAY_RANK_LIMIT];
	long slot;
};

struct verifier {
	const struct plan *plan;
	const struct plan_nest *nest;
	int problems;
	long sizes[SYMBOLIC_LIMIT];  /* the values of symbolic sizes */
	int scope_count;
	struct { const struct plan_var *var; long value; } scope[SCOPE_LIMIT];
	struct flight *flights;
	int flight_count, flight_capacity;
	unsigned long random;
};

static void problem(struct verifier *verifier, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void problem(struct verifier *verifier, const char *format, ...)
{
	va_list arguments;

	if (verifier->problems++ >= SHOWN_PROBLEMS)
		return;
	fprintf(stderr, "loopc: plan of %s: ", verifier->plan->function->name);
	if (verifier->nest)
		fprintf(stderr, "nest %s: ", verifier->nest->name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	for (int i = 0; i < verifier->scope_count; i++)
		fprintf(stderr, "%s%s = %ld", i > 0 ? ", " : " at ", verifier->scope[i].var->name,
			verifier->scope[i].value);
	fputc('\n', stderr);
}

/* ------------------------------------------------------------------ scopes */

static bool in_scope(const struct verifier *verifier, const struct plan_var *var)
{
	for (int i = verifier->scope_count - 1; i >= 0; i--)
		if (verifier->scope[i].var == var)
			return true;
	return false;
}

static bool check_expr(struct verifier *verifier, const struct plan_expr *expr, const char *where)
{
	if (!expr) {
		problem(verifier, "%s is missing", where);
		return false;
	}
	if (expr->op == PLAN_VAR && !in_scope(verifier, expr->var)) {
		problem(verifier, "%s: variable %s is not in scope", where, expr->var->name);
		return false;
	}
	for (int i = 0; i < plan_operand_count(expr->op); i++)
		if (!check_expr(verifier, expr->operands[i], where))
			return false;
	if ((expr->op == PLAN_FLOORDIV || expr->op == PLAN_MOD)
		&& (expr->operands[1]->op != PLAN_CONST || expr->operands[1]->value <= 0)) {
		problem(verifier, "%s: a divisor is no constant above 0", where);
		return false;
	}
	return true;
}

static bool is_known(const struct plan *plan, const struct plan_buffer *buffer)
{
	for (int i = 0; i < plan->buffer_count; i++)
		if (plan->buffers[i] == buffer)
			return true;
	return false;
}

static void check_buffer_use(struct verifier *verifier, const struct plan_buffer *buffer,
	const struct plan_expr *slot, bool needs_origin)
{
	if (!is_known(verifier->plan, buffer))
		problem(verifier, "buffer %s is not in the plan's list", buffer->name);
	if (buffer->slots > 1)
		check_expr(verifier, slot ? slot : buffer->slot, buffer->name);
	for (int d = 0; d < buffer->rank && needs_origin; d++)
		if (buffer->dims[d].modulus <= 0)
			check_expr(verifier, buffer->dims[d].origin, buffer->name);
}

static void check_transfer(struct verifier *verifier, const struct plan_transfer *transfer)
{
	const struct plan_buffer *buffer = transfer->buffer;

	check_buffer_use(verifier, buffer, transfer->slot, false);
	if (transfer->tag < 0 || transfer->tag > 31)
		problem(verifier, "a transfer of %s has tag %d", buffer->name, transfer->tag);
	if (transfer->is_put && buffer->array->is_const)
		problem(verifier, "array %s is const, but put into", buffer->array->name);
	for (int d = 0; d < buffer->rank; d++) {
		check_expr(verifier, transfer->first[d], buffer->name);
		check_expr(verifier, transfer->count[d], buffer->name);
		check_expr(verifier, transfer->local[d], buffer->name);
	}
}

static void check_compute(struct verifier *verifier, const struct plan_node *node)
{
	const struct statement *statement = node->statement;

	for (int i = 0; i < statement->depth; i++)
		check_expr(verifier, node->values[i], statement->name);
	for (int a = 0; a < statement->access_count; a++) {
		const struct plan_buffer *buffer = node->buffers[a];
		const struct array *array = statement->accesses[a].array;

		if (!buffer && array->rank > 0)
			problem(verifier, "%s: array %s has no buffer", statement->name,
				array->name);
		if (!buffer)
			continue;
		if (buffer->array != array)
			problem(verifier, "%s: array %s is taken from the buffer %s",
				statement->name, array->name, buffer->name);
		check_buffer_use(verifier, buffer, NULL, true);
	}
}

static void push(struct verifier *verifier, const struct plan_var *var, long value)
{
	if (verifier->scope_count == SCOPE_LIMIT) {
		problem(verifier, "more than %d nested variables", SCOPE_LIMIT);
		return;
	}
	verifier->scope[verifier->scope_count].var = var;
	verifier->scope[verifier->scope_count++].value = value;
}

static void check_node(struct verifier *verifier, const struct plan_node *node)
{
	int scope = verifier->scope_count;

	switch (node->kind) {
	case PLAN_LOOP:
		check_expr(verifier, node->upper, "a loop's upper bound");
		if (node->step <= 0)
			problem(verifier, "loop %s has step %ld", node->var->name, node->step);
		/* fall through */
	case PLAN_LET:
		check_expr(verifier, node->lower, "a value");
		push(verifier, node->var, node->var->min);
		break;
	case PLAN_IF:
		check_expr(verifier, node->condition, "a condition");
		break;
	case PLAN_TRANSFER:
		check_transfer(verifier, &node->transfer);
		break;
	case PLAN_COMPUTE:
		check_compute(verifier, node);
		break;
	default:
		break;
	}
	if (node->body)
		check_node(verifier, node->body);
	for (int i = 0; i < node->child_count; i++)
		check_node(verifier, node->children[i]);
	verifier->scope_count = scope;
}

/* Adds the names of NODE's variables to NAMES from place COUNT on, unless that is NULL; returns how
 * many there are then. */
static size_t list_names(const struct plan_node *node, const char **names, size_t count)
{
	if (node->var && names)
		names[count] = node->var->name;
	count += node->var != NULL;
	if (node->body)
		count = list_names(node->body, names, count);
	for (int i = 0; i < node->child_count; i++)
		count = list_names(node->children[i], names, count);
	return count;
}

static size_t list_all_names(const struct plan *plan, const char **names)
{
	size_t count = 0;

	for (int n = 0; n < plan->nest_count; n++)
		count = list_names(plan->nests[n].body, names, count);
	return count;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* No two variables of the plan have one name. */
static void check_names(struct verifier *verifier)
{
	size_t count = list_all_names(verifier->plan, NULL);
	const char **names = memory_alloc((count + 1) * sizeof *names);

	list_all_names(verifier->plan, names);
	qsort(names, count, sizeof *names, compare_names);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && !strcmp(names[i], names[end]); )
			end++;
		if (end > i + 1)
			problem(verifier, "%zu variables have the name %s", end - i, names[i]);
	}
	free(names);
}

/* ------------------------------------------------------------------ buffers */

static void check_place(struct verifier *verifier, const struct plan_buffer *buffer)
{
	const struct arch *arch = verifier->plan->arch;
	long bytes = buffer->slots * buffer->array->type.bytes;

	for (int d = 0; d < buffer->rank; d++)
		if (__builtin_mul_overflow(bytes, buffer->dims[d].extent, &bytes))
			bytes = LONG_MAX;
	if (bytes > buffer->bytes)
		problem(verifier, "buffer %s needs %ld bytes and has %ld", buffer->name, bytes,
			buffer->bytes);
	if (buffer->offset_bytes < 0 || buffer->bytes > arch->scratchpad_bytes
		|| buffer->offset_bytes > arch->scratchpad_bytes - buffer->bytes)
		problem(verifier, "buffer %s is outside the scratchpad", buffer->name);
	if (buffer->offset_bytes % buffer->array->type.bytes != 0)
		problem(verifier, "buffer %s is not aligned for its elements", buffer->name);
	if (buffer->rank != buffer->array->rank)
		problem(verifier, "buffer %s has rank %d, its array %d", buffer->name, buffer->rank,
			buffer->array->rank);
}

/* Whether a transfer or a statement in NODE touches BUFFER. */
static bool uses_buffer(const struct plan_node *node, const struct plan_buffer *buffer)
{
	bool found = node->kind == PLAN_TRANSFER && node->transfer.buffer == buffer;

	for (int a = 0; node->kind == PLAN_COMPUTE && a < node->statement->access_count; a++)
		found |= node->buffers[a] == buffer;
	found = found || (node->body && uses_buffer(node->body, buffer));
	for (int i = 0; i < node->child_count && !found; i++)
		found = uses_buffer(node->children[i], buffer);
	return found;
}

struct extent_of_use {
	int first, last;             /* children that use the buffer; first > last: none */
};

static struct extent_of_use use_of(const struct plan_node *block, const struct plan_buffer *buffer)
{
	struct extent_of_use use = { block->child_count, -1 };

	for (int i = 0; i < block->child_count; i++)
		if (uses_buffer(block->children[i], buffer)) {
			use.first = use.last < 0 ? i : use.first;
			use.last = i;
		}
	return use;
}

/* Whether A and B, both used in BLOCK, hold something at the same time: one may begin
 * only where the other has ended, as those of the parts of a sequential loop's body do. */
static bool live_together(const struct plan_node *block, const struct plan_buffer *a,
	const struct plan_buffer *b)
{
	struct extent_of_use of_a = use_of(block, a), of_b = use_of(block, b);

	if (of_a.last < of_b.first || of_b.last < of_a.first)
		return false;
	if (of_a.first != of_a.last || of_b.first != of_b.last)
		return true;
	return !block->children[of_a.first]->body
		|| live_together(block->children[of_a.first]->body, a, b);
}

/* A and B are used in the nest. */
static void check_apart(struct verifier *verifier, const struct plan_buffer *a,
	const struct plan_buffer *b)
{
	if (!live_together(verifier->nest->body, a, b))
		return;
	if (a->offset_bytes < b->offset_bytes + b->bytes
		&& b->offset_bytes < a->offset_bytes + a->bytes)
		problem(verifier, "buffers %s and %s overlap", a->name, b->name);
	if (a->bank >= 0 && b->bank >= 0 && a->bank < b->bank + b->bank_count
		&& b->bank < a->bank + a->bank_count)
		problem(verifier, "buffers %s and %s share a bank", a->name, b->name);
}

/* ------------------------------------------------------------------ the walk */

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
		problem(verifier, "buffer %s has no slot %ld", buffer->name, flight->slot);
	for (int d = 0; d < buffer->rank; d++) {
		const struct plan_dim *dim = &buffer->dims[d];
		long last = flight->first[d] + flight->count[d] - 1;

		if (flight->first[d] < 0
			|| last * dim->stride + dim->phase
				>= affine_at_sizes(buffer->array->shape[d], verifier->sizes))
			problem(verifier, "a transfer of %s leaves dimension %d of the array: "
				"%ld .. %ld", buffer->name, d, flight->first[d], last);
		if (flight->local[d] < 0 || flight->local[d] + flight->count[d] > dim->extent)
			problem(verifier, "a transfer of %s leaves dimension %d of the buffer: "
				"%ld .. %ld", buffer->name, d, flight->local[d],
				flight->local[d] + flight->count[d] - 1);
		if (dim->modulus > 0 && flight->first[d] >= 0
			&& flight->local[d] != flight->first[d] % dim->modulus)
			problem(verifier, "a transfer of %s puts element %ld of dimension %d to "
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
			problem(verifier, "a transfer of %s starts while one of tag %d is in flight "
				"in the same place", flight->transfer->buffer->name,
				other->transfer->tag);
		if ((is_put || other->transfer->is_put) && meet_outside(flight, other))
			problem(verifier, "a transfer of %s starts while one of tag %d is in flight "
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
		problem(verifier, "buffer %s has no slot %ld", buffer->name, slot);
	for (int d = 0; d < buffer->rank; d++) {
		long x = affine_at_sizes(access->subscripts[d], verifier->sizes);

		for (int i = 0; i < node->statement->depth; i++)
			x += access->subscripts[d].coefficients[i] * values[i];
		if (!find_coordinate(verifier, &buffer->dims[d], x, &at[d])) {
			problem(verifier, "%s: buffer %s does not hold element %ld of dimension %d",
				node->statement->name, buffer->name, x, d);
			return;
		}
	}
	for (int i = 0; i < verifier->flight_count; i++) {
		const struct flight *flight = &verifier->flights[i];

		if (flight->transfer->buffer == buffer && flight->slot == slot
			&& (access->is_write || !flight->transfer->is_put)
			&& boxes_meet(buffer->rank, at, ones, flight->local, flight->count))
			problem(verifier, "%s uses buffer %s while a transfer of tag %d is in flight "
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

	push(verifier, node->var, value);
	if (value < node->var->min || value > node->var->max)
		problem(verifier, "%s is outside %ld .. %ld", node->var->name, node->var->min,
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

/* ------------------------------------------------------------------ the plan */

/* Sets the symbolic sizes to choice I: what they are tuned for, then values around it.
 * False if there is no such choice. */
static bool choose_sizes(struct verifier *verifier, int i)
{
	const struct function *function = verifier->plan->function;

	for (int k = 0; k < function->symbolic_count; k++) {
		long value = function->symbolic[k]->value;
		const long choices[SIZE_CHOICES] = { value, 1, value / 2 + k + 1, 2 * value + k + 1 };

		verifier->sizes[k] = choices[i];
		verifier->scope[k].value = choices[i];
	}
	return i == 0 || (function->symbolic_count && sizes_are_possible(function, verifier->sizes));
}

/* All of NEST's transfers and statements, for the sizes chosen. */
static void walk_nest(struct verifier *verifier, const struct plan_nest *nest)
{
	verifier->flight_count = 0;
	walk_node(verifier, nest->body, BUDGET);
	for (int i = 0; i < verifier->flight_count; i++)
		problem(verifier, "a transfer of %s, tag %d, is never waited for",
			verifier->flights[i].transfer->buffer->name,
			verifier->flights[i].transfer->tag);
}

static void check_all_apart(struct verifier *verifier)
{
	const struct plan *plan = verifier->plan;
	bool *used = memory_alloc((size_t)plan->buffer_count + 1);

	plan_mark_buffers(verifier->nest->body, used);
	for (int i = 0; i < plan->buffer_count; i++)
		for (int j = 0; used[i] && j < i; j++)
			if (used[j])
				check_apart(verifier, plan->buffers[i], plan->buffers[j]);
	free(used);
}

static void verify_nest(struct verifier *verifier, const struct plan_nest *nest)
{
	verifier->nest = nest;
	check_node(verifier, nest->body);
	check_all_apart(verifier);
	for (int i = 0; i < SIZE_CHOICES && verifier->problems == 0; i++)
		if (choose_sizes(verifier, i))
			walk_nest(verifier, nest);
}

bool plan_verify(const struct plan *plan)
{
	struct verifier verifier = { .plan = plan };

	for (int k = 0; k < plan->function->symbolic_count; k++)
		push(&verifier, plan->sizes[k], plan->function->symbolic[k]->value);
	for (int i = 0; i < plan->buffer_count; i++) {
		check_place(&verifier, plan->buffers[i]);
		if (plan->buffers[i]->index != i)
			problem(&verifier, "buffer %s has index %d, not %d", plan->buffers[i]->name,
				plan->buffers[i]->index, i);
	}
	check_names(&verifier);
	for (int n = 0; n < plan->nest_count && verifier.problems == 0; n++)
		verify_nest(&verifier, &plan->nests[n]);
	free(verifier.flights);
	if (verifier.problems > SHOWN_PROBLEMS)
		fprintf(stderr, "loopc: plan of %s: %d problems in all\n", plan->function->name,
			verifier.problems);
	return verifier.problems == 0;
}

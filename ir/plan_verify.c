/* The invariants of a plan.  What is static is checked here, for all of it; what depends on
 * loop variables is checked by walking the loops (ir/plan_verify_walk.c). */

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ir/plan.h"
#include "ir/plan_verifier.h"
#include "support/memory.h"

enum { SIZE_CHOICES = 4 };

void plan_problem(struct verifier *verifier, const char *format, ...)
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
		plan_problem(verifier, "%s is missing", where);
		return false;
	}
	if (expr->op == PLAN_VAR && !in_scope(verifier, expr->var)) {
		plan_problem(verifier, "%s: variable %s is not in scope", where, expr->var->name);
		return false;
	}
	for (int i = 0; i < plan_operand_count(expr->op); i++)
		if (!check_expr(verifier, expr->operands[i], where))
			return false;
	if ((expr->op == PLAN_FLOORDIV || expr->op == PLAN_MOD)
		&& (expr->operands[1]->op != PLAN_CONST || expr->operands[1]->value <= 0)) {
		plan_problem(verifier, "%s: a divisor is no constant above 0", where);
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
		plan_problem(verifier, "buffer %s is not in the plan's list", buffer->name);
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
		plan_problem(verifier, "a transfer of %s has tag %d", buffer->name, transfer->tag);
	if (transfer->is_put && buffer->array->is_const)
		plan_problem(verifier, "array %s is const, but put into", buffer->array->name);
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
			plan_problem(verifier, "%s: array %s has no buffer", statement->name,
				array->name);
		if (!buffer)
			continue;
		if (buffer->array != array)
			plan_problem(verifier, "%s: array %s is taken from the buffer %s",
				statement->name, array->name, buffer->name);
		check_buffer_use(verifier, buffer, NULL, true);
	}
}

static void check_word(struct verifier *verifier, const struct plan_buffer *buffer, const struct plan_expr *slot,
	struct plan_expr *const *at)
{
	if (!is_known(verifier->plan, buffer))
		plan_problem(verifier, "buffer %s is not in the plan's list", buffer->name);
	if (buffer->slots > 1)
		check_expr(verifier, slot, buffer->name);
	for (int d = 0; d < buffer->rank; d++)
		check_expr(verifier, at[d], buffer->name);
}

static void check_move(struct verifier *verifier, const struct plan_move *move)
{
	check_word(verifier, move->to, move->to_slot, move->to_at);
	if (move->from)
		check_word(verifier, move->from, move->from_slot, move->from_at);
	if (move->to->home == IN_SCRATCHPAD && (!move->from || move->from->home == IN_SCRATCHPAD))
		plan_problem(verifier, "a word of %s moves within the scratchpad", move->to->array->name);
	if (move->adds && move->to->home == IN_SCRATCHPAD
		&& !arch_memory(verifier->plan->arch, move->to->memory).accumulates)
		plan_problem(verifier, "a word of %s is added in a memory that does not add", move->to->array->name);
}

void plan_push(struct verifier *verifier, const struct plan_var *var, long value)
{
	if (verifier->scope_count == SCOPE_LIMIT) {
		plan_problem(verifier, "more than %d nested variables", SCOPE_LIMIT);
		return;
	}
	verifier->scope[verifier->scope_count].var = var;
	verifier->scope[verifier->scope_count++].value = value;
}

static void check_node(struct verifier *verifier, const struct plan_node *node)
{
	int scope = verifier->scope_count;
	bool was_in_step = verifier->is_in_step;

	switch (node->kind) {
	case PLAN_LOOP:
		check_expr(verifier, node->upper, "a loop's upper bound");
		if (node->loop == LOOP_ELEMENT && !verifier->is_in_step)
			plan_problem(verifier, "loop %s over elements is in no step of them", node->var->name);
		if (node->step <= 0)
			plan_problem(verifier, "loop %s has step %ld", node->var->name, node->step);
		/* fall through */
	case PLAN_LET:
		check_expr(verifier, node->lower, "a value");
		plan_push(verifier, node->var, node->var->min);
		break;
	case PLAN_IF:
		check_expr(verifier, node->condition, "a condition");
		break;
	case PLAN_STEP:
		if (verifier->is_in_step)
			plan_problem(verifier, "a step of elements is inside another one");
		if (!verifier->nest->elements)
			plan_problem(verifier, "a step of elements is in a nest that none compute");
		break;
	case PLAN_TRANSFER:
		check_transfer(verifier, &node->transfer);
		break;
	case PLAN_COMPUTE:
		check_compute(verifier, node);
		break;
	case PLAN_MOVE:
		check_move(verifier, node->move);
		break;
	default:
		break;
	}
	if (verifier->is_in_step && (node->kind == PLAN_TRANSFER || node->kind == PLAN_WAIT || node->kind == PLAN_MOVE))
		plan_problem(verifier, "in a step elements compute, and nothing is moved or waited for");
	verifier->is_in_step |= node->kind == PLAN_STEP;
	if (node->body)
		check_node(verifier, node->body);
	for (int i = 0; i < node->child_count; i++)
		check_node(verifier, node->children[i]);
	verifier->is_in_step = was_in_step;
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
			plan_problem(verifier, "%zu variables have the name %s", end - i, names[i]);
	}
	free(names);
}

/* ------------------------------------------------------------------ buffers */

static void check_place(struct verifier *verifier, const struct plan_buffer *buffer)
{
	if (buffer->rank != buffer->array->rank)
		plan_problem(verifier, "buffer %s has rank %d, its array %d", buffer->name, buffer->rank,
			buffer->array->rank);
	if (buffer->home != IN_SCRATCHPAD)
		return;
	const struct arch *arch = verifier->plan->arch;
	const struct arch_memory memory = arch_memory(arch, buffer->memory);
	long bytes = buffer->slots * buffer->array->type.bytes;

	for (int d = 0; d < buffer->rank; d++)
		if (__builtin_mul_overflow(bytes, buffer->dims[d].extent, &bytes))
			bytes = LONG_MAX;
	if (bytes > buffer->bytes)
		plan_problem(verifier, "buffer %s needs %ld bytes and has %ld", buffer->name, bytes,
			buffer->bytes);
	if (buffer->offset_bytes < 0 || buffer->bytes > memory.bytes
		|| buffer->offset_bytes > memory.bytes - buffer->bytes)
		plan_problem(verifier, "buffer %s is outside the %s", buffer->name,
			arch_memory_count(arch) > 1 ? memory.name : "scratchpad");
	if (buffer->offset_bytes % buffer->array->type.bytes != 0)
		plan_problem(verifier, "buffer %s is not aligned for its elements", buffer->name);
}

/* Whether a transfer or a statement in NODE touches BUFFER. */
static bool uses_buffer(const struct plan_node *node, const struct plan_buffer *buffer)
{
	bool found = (node->kind == PLAN_TRANSFER && node->transfer.buffer == buffer)
		|| (node->kind == PLAN_MOVE && (node->move->from == buffer || node->move->to == buffer));

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
	if (a->memory != b->memory || !live_together(verifier->nest->body, a, b))
		return;
	if (a->offset_bytes < b->offset_bytes + b->bytes
		&& b->offset_bytes < a->offset_bytes + a->bytes)
		plan_problem(verifier, "buffers %s and %s overlap", a->name, b->name);
	if (a->bank >= 0 && b->bank >= 0 && a->bank < b->bank + b->bank_count
		&& b->bank < a->bank + a->bank_count)
		plan_problem(verifier, "buffers %s and %s share a bank", a->name, b->name);
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

static void check_all_apart(struct verifier *verifier)
{
	const struct plan *plan = verifier->plan;
	bool *used = memory_alloc((size_t)plan->buffer_count + 1);

	plan_mark_buffers(verifier->nest->body, used);
	for (int i = 0; i < plan->buffer_count; i++)
		for (int j = 0; used[i] && plan->buffers[i]->home == IN_SCRATCHPAD && j < i; j++)
			if (used[j] && plan->buffers[j]->home == IN_SCRATCHPAD)
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
			plan_walk_nest(verifier, nest);
}

bool plan_verify(const struct plan *plan)
{
	struct verifier verifier = { .plan = plan };

	for (int k = 0; k < plan->function->symbolic_count; k++)
		plan_push(&verifier, plan->sizes[k], plan->function->symbolic[k]->value);
	for (int i = 0; i < plan->buffer_count; i++) {
		check_place(&verifier, plan->buffers[i]);
		if (plan->buffers[i]->index != i)
			plan_problem(&verifier, "buffer %s has index %d, not %d", plan->buffers[i]->name,
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

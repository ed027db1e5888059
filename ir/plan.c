/* Makers of the plan: nodes and nests, and what they say of themselves. */

#include "ir/plan.h"

#include <limits.h>
#include <stdlib.h>

#include "support/memory.h"

void plan_make_sizes(struct plan *plan)
{
	for (int k = 0; k < plan->function->symbolic_count; k++) {
		const struct size *size = plan->function->symbolic[k];

		plan->sizes[k] = ARENA_NEW(plan->arena, struct plan_var);
		*plan->sizes[k] = (struct plan_var){ .name = size->name, .min = 1,
			.max = size->max, .size = size };
	}
}

long plan_workspace_at(const struct plan *plan, const long *sizes, int a)
{
	long bytes = 0;

	for (int i = 0; i < a; i++)
		if (plan->workspace_offset[i] >= 0)
			bytes += (array_elements_at(plan->function->arrays[i], sizes)
				* plan->function->arrays[i]->type.bytes + WORKSPACE_ALIGNMENT - 1)
				/ WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT;
	return bytes;
}

static struct plan_node *new_node(struct arena *arena, enum plan_kind kind)
{
	struct plan_node *node = ARENA_NEW(arena, struct plan_node);

	node->kind = kind;
	return node;
}

struct plan_node *plan_block(struct arena *arena)
{
	return new_node(arena, PLAN_BLOCK);
}

void plan_append(struct arena *arena, struct plan_node *block, struct plan_node *node)
{
	block->children = arena_grow(arena, block->children, (size_t)block->child_count,
		&block->child_capacity, sizeof *block->children);
	block->children[block->child_count++] = node;
}

struct plan_node *plan_loop(struct arena *arena, enum plan_loop_kind kind, struct plan_var *var,
	struct plan_expr *lower, struct plan_expr *upper, long step)
{
	struct plan_node *node = new_node(arena, PLAN_LOOP);

	node->loop = kind;
	node->var = var;
	node->lower = lower;
	node->upper = upper;
	node->step = step;
	node->body = plan_block(arena);
	return node;
}

struct plan_node *plan_let(struct arena *arena, struct plan_var *var, struct plan_expr *value)
{
	struct plan_node *node = new_node(arena, PLAN_LET);

	node->var = var;
	node->lower = value;
	node->body = plan_block(arena);
	return node;
}

struct plan_node *plan_if(struct arena *arena, struct plan_expr *condition)
{
	struct plan_node *node = new_node(arena, PLAN_IF);

	node->condition = condition;
	node->body = plan_block(arena);
	return node;
}

struct plan_node *plan_step(struct arena *arena)
{
	struct plan_node *node = new_node(arena, PLAN_STEP);

	node->body = plan_block(arena);
	return node;
}

struct plan_node *plan_wait(struct arena *arena, unsigned tags)
{
	struct plan_node *node = new_node(arena, PLAN_WAIT);

	node->tags = tags;
	return node;
}

struct plan_node *plan_transfer(struct arena *arena, bool is_put, struct plan_buffer *buffer,
	int tag)
{
	struct plan_node *node = new_node(arena, PLAN_TRANSFER);

	node->transfer.is_put = is_put;
	node->transfer.buffer = buffer;
	node->transfer.tag = tag;
	return node;
}

struct plan_node *plan_move(struct arena *arena)
{
	struct plan_node *node = new_node(arena, PLAN_MOVE);

	node->move = ARENA_NEW(arena, struct plan_move);
	return node;
}

bool plan_words_bypass(const struct arch *arch, const struct plan_words *words)
{
	return arch->bypass_memory && words->memory == arch->bypass_memory;
}

double plan_array_bytes(const struct arch *arch, const struct plan_array *elements)
{
	double bytes = 0;

	for (int i = 0; i < elements->count; i++) {
		const struct plan_words *words = &elements->words[i];

		if (!plan_words_bypass(arch, words))
			bytes += ((double)words->words[WORD_READ] + (double)words->words[WORD_WRITTEN]) * words->array->type.bytes;
	}
	return bytes;
}

void words_of_move(const struct plan_move *move, bool counts[PLAN_WORDS])
{
	bool from_element = move->from && move->from->home == IN_REGISTERS;
	bool to_element = move->to->home == IN_REGISTERS;

	counts[WORD_READ] = move->from && move->from->home == IN_SCRATCHPAD;
	counts[WORD_WRITTEN] = move->to->home == IN_SCRATCHPAD;
	counts[WORD_DELIVERED] = move->from && from_element != to_element;
	counts[WORD_REDUCED] = move->adds && to_element;
}

struct plan_node *plan_compute(struct arena *arena, const struct statement *statement)
{
	struct plan_node *node = new_node(arena, PLAN_COMPUTE);

	node->statement = statement;
	node->values = ARENA_ARRAY(arena, struct plan_expr *, statement->depth + 1);
	node->buffers = ARENA_ARRAY(arena, struct plan_buffer *, statement->access_count);
	return node;
}

long plan_nest_bytes(const struct plan_nest *nest)
{
	long total = 0;
	for (int a = 0; a < nest->traffic_count; a++)
		total += flow_bytes(&nest->traffic[a].flow);
	return total;
}

long plan_nest_moves(const struct plan_nest *nest, const struct array *array)
{
	long total = 0;
	for (int t = 0; t < nest->traffic_count; t++)
		if (nest->traffic[t].array == array)
			total += flow_bytes(&nest->traffic[t].flow);
	return total;
}

int plan_source_nests(const struct plan *plan)
{
	int count = 0;
	for (int n = 0; n < plan->nest_count; n++)
		count += plan->nests[n].source_count;
	return count;
}

long plan_bytes(const struct plan *plan)
{
	long total = 0;
	for (int n = 0; n < plan->nest_count; n++)
		if (__builtin_add_overflow(total, plan_nest_bytes(&plan->nests[n]), &total))
			return LONG_MAX;
	return total;
}

struct plan_bounds plan_bounds_of_nest(const struct plan_nest *nest)
{
	return (struct plan_bounds){ nest->compulsory_bytes, nest->lower_bound_bytes,
		nest->lower_bound_argument ? nest->lower_bound_argument : "none", nest->optimal,
		nest->bound_bytes };
}

bool plan_has_own_bounds(const struct plan *plan)
{
	if (plan->nest_count != 1)
		return plan->nest_count > 1;
	struct plan_bounds nest = plan_bounds_of_nest(&plan->nests[0]);
	return plan->bounds.compulsory_bytes != nest.compulsory_bytes
		|| plan->bounds.lower_bound_bytes != nest.lower_bound_bytes
		|| plan->bounds.optimal != nest.optimal
		|| (!nest.optimal && plan->bounds.bound_bytes != nest.bound_bytes);
}

void plan_mark_buffers(const struct plan_node *node, bool *used)
{
	if (node->kind == PLAN_TRANSFER)
		used[node->transfer.buffer->index] = true;
	if (node->kind == PLAN_MOVE) {
		used[node->move->to->index] = true;
		if (node->move->from)
			used[node->move->from->index] = true;
	}
	for (int a = 0; node->kind == PLAN_COMPUTE && a < node->statement->access_count; a++)
		if (node->buffers[a])
			used[node->buffers[a]->index] = true;
	if (node->body)
		plan_mark_buffers(node->body, used);
	for (int i = 0; i < node->child_count; i++)
		plan_mark_buffers(node->children[i], used);
}

void plan_nest_use_memory(struct plan_nest *nest, int m, long bytes)
{
	long more = bytes - nest->memory_used_bytes[m];
	if (more > 0) {
		nest->memory_used_bytes[m] += more;
		nest->scratchpad_used_bytes += more;
	}
}

/* Transfers cut to the limits of the machine's DMA controller: rank, bytes, counts
 * and strides of one command.  Pieces are boxes of the same array, so all that holds
 * for transfers holds for them. */

#include "passes/plan_passes/split.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ir/plan_box.h"

enum { EFFORT = 200000 };            /* piece shapes tried for one transfer */

/* The pieces of one transfer, while the best are looked for: PIECE[d] elements of
 * dimension D in each but the last. */
struct cut {
	long unit;                   /* pieces of the innermost dimension are multiples of it */
	const struct plan_buffer *buffer;
	const struct arch *arch;
	int rank;
	long max[ARRAY_RANK_LIMIT];
	bool is_fixed[ARRAY_RANK_LIMIT];
	long piece[ARRAY_RANK_LIMIT], best[ARRAY_RANK_LIMIT];
	long best_commands, best_run, best_loops;
	long effort;
};

static long ceil_div(long a, long b)
{
	return (a + b - 1) / b;
}

/* SIZE elements of dimension D, or as many more as a command takes at a time. */
static long whole_units(const struct cut *cut, int d, long size)
{
	long units = d == cut->rank - 1 ? ceil_div(size, cut->unit) * cut->unit : size;
	return units < cut->max[d] ? units : cut->max[d];
}

static long unit_of(const struct cut *cut, int d)
{
	return whole_units(cut, d, 1);
}

/* Whether PIECE fits; *RUN is its contiguous run, in elements. */
static bool piece_fits(const struct cut *cut, long *run)
{
	bool is_fixed[ARRAY_RANK_LIMIT] = { false };
	struct plan_box box;

	for (int d = 0; d < cut->rank; d++)
		is_fixed[d] = cut->piece[d] == 1 || (cut->is_fixed[d]
			&& cut->max[d] % cut->piece[d] == 0);
	plan_box_of_counts(cut->buffer, cut->piece, is_fixed, &box);
	*run = box.dims[box.rank - 1].max_elems;
	return plan_box_fits(&box, cut->buffer, cut->arch);
}

static void keep_if_better(struct cut *cut, long commands)
{
	long run, loops = 0;

	cut->effort--;
	if (!piece_fits(cut, &run))
		return;
	for (int d = 0; d < cut->rank; d++)
		loops += cut->piece[d] < cut->max[d];
	if (cut->best_commands > 0 && (commands > cut->best_commands
		|| (commands == cut->best_commands && (run < cut->best_run
		|| (run == cut->best_run && loops >= cut->best_loops)))))
		return;
	memcpy(cut->best, cut->piece, sizeof cut->best);
	cut->best_commands = commands;
	cut->best_run = run;
	cut->best_loops = loops;
}

/* Tries the dimensions from D inwards, COMMANDS pieces so far, fewest first. */
static void try_pieces(struct cut *cut, int d, long commands)
{
	long max, pieces = 1;

	if (d == cut->rank) {
		keep_if_better(cut, commands);
		return;
	}
	max = cut->max[d];
	while (cut->effort > 0) {
		long size = whole_units(cut, d, ceil_div(max, pieces)), product;

		pieces = ceil_div(max, size);

		if (__builtin_mul_overflow(commands, pieces, &product)
			|| (cut->best_commands > 0 && product > cut->best_commands))
			return;
		cut->piece[d] = size;
		try_pieces(cut, d + 1, product);
		if (size == unit_of(cut, d))
			return;
		pieces = ceil_div(max, size - unit_of(cut, d));
	}
}

/* A first solution: single elements, then each dimension from the innermost made as
 * large as fits. */
static bool start_greedily(struct cut *cut)
{
	long run, commands = 1;

	for (int d = 0; d < cut->rank; d++)
		cut->piece[d] = unit_of(cut, d);
	if (!piece_fits(cut, &run))
		return false;
	for (int d = cut->rank - 1; d >= 0; d--) {
		long pieces = 1;

		cut->piece[d] = cut->max[d];
		while (!piece_fits(cut, &run)) {
			pieces = ceil_div(cut->max[d], cut->piece[d] - unit_of(cut, d));
			cut->piece[d] = whole_units(cut, d, ceil_div(cut->max[d], pieces));
		}
		pieces = ceil_div(cut->max[d], cut->piece[d]);
		if (__builtin_mul_overflow(commands, pieces, &commands))
			commands = LONG_MAX;
	}
	keep_if_better(cut, commands);
	return true;
}

/* ------------------------------------------------------------------ the tree */

struct splitter {
	struct plan *plan;
	long next_var;
};

static struct plan_var *new_var(struct splitter *splitter, long max)
{
	struct plan_var *var = ARENA_NEW(splitter->plan->arena, struct plan_var);

	var->name = arena_printf(splitter->plan->arena, "part_%ld", splitter->next_var++);
	var->max = max;
	return var;
}

static struct plan_node *build_loops(struct splitter *splitter, const struct plan_transfer *whole,
	const struct cut *cut)
{
	struct arena *arena = splitter->plan->arena;
	struct plan_node *piece = plan_transfer(arena, whole->is_put, whole->buffer, whole->tag);
	struct plan_transfer *transfer = &piece->transfer;
	struct plan_node *outer = NULL, *block = NULL;

	*transfer = *whole;
	for (int d = 0; d < cut->rank; d++) {
		struct plan_expr *size = plan_const(arena, cut->best[d]), *offset;
		struct plan_var *var;
		struct plan_node *loop;

		/* At most one element, perhaps none: a loop too, so that the piece has one. */
		if (cut->best[d] == cut->max[d] && (cut->is_fixed[d] || cut->max[d] > 1))
			continue;
		var = new_var(splitter, (cut->max[d] - 1) / cut->best[d] * cut->best[d]);
		offset = plan_ref(arena, var);
		loop = plan_loop(arena, LOOP_TRANSFER, var, plan_const(arena, 0), plan_make(arena,
			PLAN_SUB, whole->count[d], plan_const(arena, 1)), cut->best[d]);
		transfer->first[d] = plan_make(arena, PLAN_ADD, whole->first[d], offset);
		transfer->local[d] = plan_make(arena, PLAN_ADD, whole->local[d], offset);
		if (cut->best[d] == 1 || (cut->is_fixed[d] && cut->max[d] % cut->best[d] == 0))
			transfer->count[d] = size;
		else
			transfer->count[d] = plan_make(arena, PLAN_MIN, size,
				plan_make(arena, PLAN_SUB, whole->count[d], offset));
		if (block)
			plan_append(arena, block, loop);
		else
			outer = loop;
		block = loop->body;
	}
	plan_append(arena, block, piece);
	return outer;
}

/* The node that takes the place of the transfer NODE; NULL if an element is too
 * large. */
static struct plan_node *split_transfer(struct splitter *splitter, struct plan_node *node)
{
	struct plan_transfer *transfer = &node->transfer;
	struct cut cut = { .buffer = transfer->buffer, .arch = splitter->plan->arch,
		.rank = transfer->buffer->rank, .effort = EFFORT };
	struct plan_box box;

	cut.unit = cut.arch->dma_align_bytes > cut.buffer->array->type.bytes
		? cut.arch->dma_align_bytes / cut.buffer->array->type.bytes : 1;
	plan_box(transfer, &box);
	if (plan_box_fits(&box, cut.buffer, cut.arch))
		return node;
	for (int d = 0; d < cut.rank; d++) {
		cut.is_fixed[d] = plan_transfer_max(transfer, d, &cut.max[d]);
		if (cut.max[d] <= 0)
			return node;
	}
	if (!start_greedily(&cut)) {
		fprintf(stderr, "loopc: error: machine %s: an element of %s is %d bytes, more than "
			"one DMA command may move\n", cut.arch->name, cut.buffer->array->source_name,
			cut.buffer->array->type.bytes);
		return NULL;
	}
	try_pieces(&cut, 0, 1);
	return build_loops(splitter, transfer, &cut);
}

static bool split_block(struct splitter *splitter, struct plan_node *block)
{
	for (int i = 0; i < block->child_count; i++) {
		struct plan_node *child = block->children[i];

		if (child->kind == PLAN_TRANSFER) {
			block->children[i] = split_transfer(splitter, child);
			if (!block->children[i])
				return false;
		} else if (child->kind == PLAN_BLOCK) {
			if (!split_block(splitter, child))
				return false;
		} else if (child->body && !split_block(splitter, child->body)) {
			return false;
		}
	}
	return true;
}

/* The first number N such that no variable is named part_M for M >= N. */
static long first_free_var(const struct plan_node *node)
{
	long free = 0;

	if (node->var && strncmp(node->var->name, "part_", 5) == 0)
		free = strtol(node->var->name + 5, NULL, 10) + 1;
	for (int i = -1; i < node->child_count; i++) {
		const struct plan_node *child = i < 0 ? node->body : node->children[i];
		long other = child ? first_free_var(child) : 0;

		free = other > free ? other : free;
	}
	return free;
}

bool split_transfers(struct plan *plan)
{
	struct splitter splitter = { plan, 0 };

	for (int i = 0; i < plan->nest_count; i++) {
		long free = first_free_var(plan->nests[i].body);

		splitter.next_var = free > splitter.next_var ? free : splitter.next_var;
	}
	for (int i = 0; i < plan->nest_count; i++)
		if (!split_block(&splitter, plan->nests[i].body))
			return false;
	return true;
}

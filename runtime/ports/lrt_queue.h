#ifndef LRT_QUEUE_H
#define LRT_QUEUE_H

#include "loopc_rt.h"

/* For ports: the commands that are started and not done, in order, and the next
 * contiguous run of the first of them.  A controller that copies runs, or lists of
 * runs, needs nothing more.  No function here is safe against an interrupt handler
 * that uses the same queue; a port that has one turns interrupts off around calls. */

#ifndef LRT_QUEUE_COMMANDS
#define LRT_QUEUE_COMMANDS 16
#endif

/* ext and loc are where the run begins that is handed out next, taken is what of it
 * was already. */
typedef struct lrt_command {
	unsigned tag;
	int is_put;
	uintptr_t ext, loc;
	uint32_t taken, index[LRT_MAX_RANK - 1];
	lrt_box box;
} lrt_command;

typedef struct lrt_queue {
	lrt_command commands[LRT_QUEUE_COMMANDS];
	unsigned first, count;
	uint32_t pending[LRT_TAGS];         /* commands of a tag */
} lrt_queue;

typedef struct lrt_run {
	uintptr_t from, to;
	uint32_t bytes;
} lrt_run;

/* Makes the dimensions around a run that lie end to end on both sides part of it. */
static inline void lrt_box_fold(lrt_box *box)
{
	while (box->rank > 1) {
		uint32_t d = box->rank - 2;
		ptrdiff_t bytes = (ptrdiff_t)box->bytes;
		if (box->count[d] != 1 && (box->ext_stride[d] != bytes || box->loc_stride[d] != bytes ||
				box->count[d] > UINT32_MAX / box->bytes))
			return;
		box->bytes *= box->count[d];
		box->rank--;
	}
}

/* Appends a command; 0 if there is no room. */
static inline int lrt_queue_push(lrt_queue *queue, unsigned tag, int is_put, lrt_ext ext,
	const void *loc, const lrt_box *box)
{
	lrt_command *command;
	uint32_t d;
	if (queue->count == LRT_QUEUE_COMMANDS)
		return 0;
	command = &queue->commands[(queue->first + queue->count++) % LRT_QUEUE_COMMANDS];
	command->tag = tag;
	command->is_put = is_put;
	command->ext = ext;
	command->loc = (uintptr_t)loc;
	command->taken = 0;
	command->box.rank = box->rank;
	command->box.bytes = box->bytes;
	for (d = 0; d + 1 < box->rank; d++) {
		command->index[d] = 0;
		command->box.count[d] = box->count[d];
		command->box.ext_stride[d] = box->ext_stride[d];
		command->box.loc_stride[d] = box->loc_stride[d];
	}
	lrt_box_fold(&command->box);
	queue->pending[tag]++;
	return 1;
}

/* True if a command of these tags is not done. */
static inline int lrt_queue_pending(const lrt_queue *queue, uint32_t tag_mask)
{
	unsigned tag;
	for (tag = 0; tag < LRT_TAGS; tag++)
		if ((tag_mask >> tag & 1) && queue->pending[tag])
			return 1;
	return 0;
}

/* What is left of the first command's run at hand; 0 if all of it was taken, or
 * there is no command. */
static inline int lrt_queue_peek(const lrt_queue *queue, lrt_run *run)
{
	const lrt_command *command = &queue->commands[queue->first];
	if (queue->count == 0 || command->taken == command->box.bytes)
		return 0;
	run->from = (command->is_put ? command->loc : command->ext) + command->taken;
	run->to = (command->is_put ? command->ext : command->loc) + command->taken;
	run->bytes = command->box.bytes - command->taken;
	return 1;
}

/* The first BYTES of what lrt_queue_peek gave are on their way. */
static inline void lrt_queue_take(lrt_queue *queue, uint32_t bytes)
{
	lrt_command *command = &queue->commands[queue->first];
	const lrt_box *box = &command->box;
	uint32_t d = box->rank - 1;
	command->taken += bytes;
	if (command->taken < box->bytes)
		return;
	while (d-- > 0) {
		uintptr_t back = box->count[d] - 1;
		if (++command->index[d] < box->count[d]) {
			command->ext += (uintptr_t)box->ext_stride[d];
			command->loc += (uintptr_t)box->loc_stride[d];
			command->taken = 0;
			return;
		}
		command->index[d] = 0;
		command->ext -= (uintptr_t)box->ext_stride[d] * back;
		command->loc -= (uintptr_t)box->loc_stride[d] * back;
	}
}

/* All that was taken of the first command is done: if nothing is left of it, so is
 * the command. */
static inline void lrt_queue_done(lrt_queue *queue)
{
	lrt_run run;
	if (queue->count == 0 || lrt_queue_peek(queue, &run))
		return;
	queue->pending[queue->commands[queue->first].tag]--;
	queue->first = (queue->first + 1) % LRT_QUEUE_COMMANDS;
	queue->count--;
}

#endif

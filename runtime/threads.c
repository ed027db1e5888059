/* A host port with an engine of its own: copies run in other threads, beside the
 * computation and in no particular order, as on a machine with several channels. */

#define _POSIX_C_SOURCE 200809L

#include "loopc_rt.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef LRT_SCRATCHPAD_BYTES
#define LRT_SCRATCHPAD_BYTES (16u << 20)
#endif

enum { CHANNELS = 2, QUEUE_COMMANDS = 256 };

struct command {
	unsigned tag;
	unsigned char *to;
	const unsigned char *from;
	int is_put;
	lrt_box box;
};

/* queue is a ring of QUEUED commands from FIRST on; pending counts what of a tag is
 * in it or being copied. */
static struct {
	pthread_once_t once;
	pthread_mutex_t mutex;
	pthread_cond_t queued_changed, pending_changed;
	struct command queue[QUEUE_COMMANDS];
	unsigned first, queued;
	unsigned long pending[LRT_TAGS];
} engine = {
	.once = PTHREAD_ONCE_INIT,
	.mutex = PTHREAD_MUTEX_INITIALIZER,
	.queued_changed = PTHREAD_COND_INITIALIZER,
	.pending_changed = PTHREAD_COND_INITIALIZER
};

/* All have as many bytes; what no program touches takes no room. */
static union {
	unsigned char bytes[LRT_SCRATCHPAD_BYTES + 64];
	double alignment;
} memories[LRT_MEMORIES];

static void copy_box(unsigned char *to, const unsigned char *from, const lrt_box *box,
	const ptrdiff_t *to_stride, const ptrdiff_t *from_stride, uint32_t d)
{
	uint32_t i;
	if (d + 1 == box->rank) {
		memcpy(to, from, box->bytes);
		return;
	}
	for (i = 0; i < box->count[d]; i++)
		copy_box(to + (ptrdiff_t)i * to_stride[d], from + (ptrdiff_t)i * from_stride[d], box,
			to_stride, from_stride, d + 1);
}

static struct command take_command(void)
{
	struct command command;
	pthread_mutex_lock(&engine.mutex);
	while (engine.queued == 0)
		pthread_cond_wait(&engine.queued_changed, &engine.mutex);
	command = engine.queue[engine.first];
	engine.first = (engine.first + 1) % QUEUE_COMMANDS;
	engine.queued--;
	pthread_cond_broadcast(&engine.queued_changed);
	pthread_mutex_unlock(&engine.mutex);
	return command;
}

static void *run_channel(void *unused)
{
	(void)unused;
	for (;;) {
		struct command command = take_command();
		const lrt_box *box = &command.box;
		copy_box(command.to, command.from, box,
			command.is_put ? box->ext_stride : box->loc_stride,
			command.is_put ? box->loc_stride : box->ext_stride, 0);
		pthread_mutex_lock(&engine.mutex);
		if (--engine.pending[command.tag] == 0)
			pthread_cond_broadcast(&engine.pending_changed);
		pthread_mutex_unlock(&engine.mutex);
	}
	return NULL;
}

static void start_channels(void)
{
	int c;
	for (c = 0; c < CHANNELS; c++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, run_channel, NULL) != 0) {
			fputs("loopc-rt: cannot start a thread\n", stderr);
			exit(70);
		}
		pthread_detach(thread);
	}
}

/* Waits for room in the queue. */
static void start(const struct command *command)
{
	pthread_once(&engine.once, start_channels);
	pthread_mutex_lock(&engine.mutex);
	while (engine.queued == QUEUE_COMMANDS)
		pthread_cond_wait(&engine.queued_changed, &engine.mutex);
	engine.queue[(engine.first + engine.queued++) % QUEUE_COMMANDS] = *command;
	engine.pending[command->tag]++;
	pthread_cond_broadcast(&engine.queued_changed);
	pthread_mutex_unlock(&engine.mutex);
}

void lrt_get(unsigned tag, void *loc, lrt_ext ext, const lrt_box *box)
{
	struct command command;
	command.tag = tag % LRT_TAGS;
	command.to = loc;
	command.from = (const unsigned char *)ext;
	command.is_put = 0;
	command.box = *box;
	start(&command);
}

void lrt_put(unsigned tag, lrt_ext ext, const void *loc, const lrt_box *box)
{
	struct command command;
	command.tag = tag % LRT_TAGS;
	command.to = (unsigned char *)ext;
	command.from = loc;
	command.is_put = 1;
	command.box = *box;
	start(&command);
}

void lrt_wait(uint32_t tag_mask)
{
	unsigned tag;
	pthread_mutex_lock(&engine.mutex);
	for (tag = 0; tag < LRT_TAGS; tag++)
		while ((tag_mask >> tag & 1) && engine.pending[tag] > 0)
			pthread_cond_wait(&engine.pending_changed, &engine.mutex);
	pthread_mutex_unlock(&engine.mutex);
}

void *lrt_memory(unsigned n)
{
	unsigned char *bytes = memories[n % LRT_MEMORIES].bytes;
	return bytes + (64 - (uintptr_t)bytes % 64) % 64;
}

void *lrt_scratchpad(void)
{
	return lrt_memory(0);
}

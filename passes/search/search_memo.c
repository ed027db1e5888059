#include "passes/search/search_memo.h"

#include <string.h>

/* A question to the search: its structures with all that does not matter at zero, so
 * that equal questions are equal bytes. */
struct question {
	struct nest_model model;
	struct arch arch;
	struct search_options options;
	bool has_elements;
	struct element_options elements;
	struct pe_array array;
};

struct answer {
	struct answer *next;
	struct question question;
	bool found;
	struct schedule best;
	struct proof proof;
};

struct search_memo {
	struct arena *arena;
	double *work;
	struct answer *answers;
};

struct search_memo *search_memo_new(struct arena *arena, double *work)
{
	struct search_memo *memo = ARENA_NEW(arena, struct search_memo);

	memo->arena = arena;
	memo->work = work;
	return memo;
}

static void copy_array(struct model_array *to, const struct model_array *from, int loop_count)
{
	to->role = from->role;
	to->element_bytes = from->element_bytes;
	to->rank = from->rank;
	to->is_read = from->is_read;
	to->is_written = from->is_written;
	to->is_created = from->is_created;
	to->is_dropped = from->is_dropped;
	to->is_partial = from->is_partial;
	to->anchored = from->anchored;
	to->ends = from->ends;
	to->ends_first = from->ends_first;
	to->ends_read = from->ends_read;
	to->ends_written = from->ends_written;
	to->align_bytes = from->align_bytes;
	to->first_bytes = from->first_bytes;
	to->align_rank = from->align_rank;
	for (int d = 0; d < from->rank; d++) {
		to->dims[d].window = from->dims[d].window;
		to->dims[d].touched = from->dims[d].touched;
		to->dims[d].clip_low = from->dims[d].clip_low;
		to->dims[d].clip_high = from->dims[d].clip_high;
		to->dims[d].negative = from->dims[d].clip_high > 0 || from->align_bytes > 1
			? from->dims[d].negative : 0;
		to->dims[d].least_side = from->dims[d].least_side;
		to->dims[d].end_side = from->dims[d].end_side;
		to->dims[d].step_bytes = from->dims[d].step_bytes;
		for (int l = 0; l < loop_count; l++)
			to->dims[d].coefficient[l] = from->dims[d].coefficient[l];
	}
}

/* All of the machine that a search depends on. */
static void copy_arch(struct question *question, const struct arch *arch)
{
	question->arch.scratchpad_bytes = arch->scratchpad_bytes;
	question->arch.exclusive = arch->exclusive;
	question->arch.banks = arch->banks;
	question->arch.align_bytes = arch->align_bytes;
	question->arch.memory_count = arch->memory_count;
	question->arch.startup_cycles = arch->startup_cycles;
	question->arch.write_startup_cycles = arch->write_startup_cycles;
	question->arch.bytes_per_cycle = arch->bytes_per_cycle;
	question->arch.clock_hz = arch->clock_hz;
	question->arch.dma_clock_hz = arch->dma_clock_hz;
	question->arch.channels = arch->channels;
	question->arch.max_rank = arch->max_rank;
	question->arch.is_duplex = arch->is_duplex;
	question->arch.starts_once = arch->starts_once;
	for (int m = 0; m < arch->memory_count; m++) {
		question->arch.memories[m].bytes = arch->memories[m].bytes;
		question->arch.memories[m].banks = arch->memories[m].banks;
		question->arch.memories[m].exclusive = arch->memories[m].exclusive;
		question->arch.memories[m].align_bytes = arch->memories[m].align_bytes;
	}
}

static void copy_elements(struct question *question, const struct arch *arch, const struct element_options *elements,
	const struct nest_model *model)
{
	question->has_elements = true;
	question->array.x = arch->array.x;
	question->array.y = arch->array.y;
	question->array.registers_bytes = arch->array.registers_bytes;
	question->array.is_split = arch->array.is_split;
	for (int role = 0; role < ROLE_COUNT; role++)
		question->array.role_bytes[role] = arch->array.role_bytes[role];
	question->array.multicast = arch->array.multicast;
	question->array.reduce = arch->array.reduce;
	question->array.is_free = arch->array.is_free;
	question->array.is_double = arch->array.is_double;
	question->array.shares_room = arch->array.shares_room;
	question->array.mac_cycles = arch->array.mac_cycles;
	question->array.words_per_cycle = arch->array.words_per_cycle;
	memcpy(question->array.memory_words_per_cycle, arch->array.memory_words_per_cycle,
		sizeof question->array.memory_words_per_cycle);
	for (int way = 0; way < ARRAY_WAYS; way++)
		question->array.networks[way] = arch->array.networks[way];
	question->elements.macs = elements->macs;
	question->elements.proves = elements->proves;
	question->elements.bypassing = elements->bypassing;
	question->elements.rules.shareable = elements->rules.shareable;
	question->elements.rules.sums = elements->rules.sums;
	question->elements.rules.accumulating = elements->rules.accumulating;
	for (int l = 0; l < model->loop_count; l++) {
		question->elements.rules.part[l] = elements->rules.part[l];
		question->elements.rules.space[l] = elements->rules.space[l];
		question->elements.rules.axis[l] = elements->rules.axis[l];
	}
	for (int a = 0; a < model->array_count; a++) {
		question->elements.rules.holds[a].place = elements->rules.holds[a].place;
		question->elements.rules.holds[a].loop = elements->rules.holds[a].loop;
	}
}

static void ask(struct question *question, const struct nest_model *model,
	const struct arch *arch, const struct search_options *options)
{
	memset(question, 0, sizeof *question);
	question->model.loop_count = model->loop_count;
	question->model.array_count = model->array_count;
	question->model.bypass_memory = model->bypass_memory;
	copy_arch(question, arch);
	question->options.buffering = options->buffering;
	question->options.effort = options->effort;
	question->options.order_count = options->order_count;
	question->options.has_fixed_order = options->has_fixed_order;
	for (int i = 0; i < options->order_count; i++)
		question->options.order[i] = options->order[i];
	for (int l = 0; l < model->loop_count; l++) {
		question->model.loops[l].extent = model->loops[l].extent;
		question->model.loops[l].is_forward = model->loops[l].is_forward;
		question->model.loops[l].tile = model->loops[l].tile;
		question->options.serpentine[l] = options->serpentine[l];
	}
	for (int a = 0; a < model->array_count; a++) {
		copy_array(&question->model.arrays[a], &model->arrays[a], model->loop_count);
		question->options.memories[a] = options->memories[a];
		question->options.store[a] = options->store[a];
		question->options.slots[a] = options->slots[a];
		question->options.sliding[a] = options->sliding[a];
		question->options.min_store[a] = options->min_store[a];
		question->options.doubled[a] = options->doubled[a];
		question->options.held[a] = options->held[a];
	}
	question->options.shared_loops = options->shared_loops;
	question->options.divides = options->divides;
	question->options.prefers_memory = options->prefers_memory;
	question->options.prices.byte = options->prices.byte;
	question->options.prices.access = options->prices.access;
	question->options.prices.command = options->prices.command;
	question->options.prices.moved = options->prices.moved;
	question->options.prices.delivered = options->prices.delivered;
	question->options.prices.reduced = options->prices.reduced;
	question->options.prices.cycle = options->prices.cycle;
	question->options.prices.multiplies = options->prices.multiplies;
	question->options.prices.mac = options->prices.mac;
	question->options.prices.macs = options->prices.macs;
	question->options.core_cycles = options->core_cycles;
	if (options->elements)
		copy_elements(question, arch, options->elements, model);
}

bool search_schedule_once(struct search_memo *memo, const struct nest_model *model,
	const struct arch *arch, const struct search_options *options, struct schedule *best,
	struct proof *proof)
{
	struct answer *answer;

	if (memo == NULL)
		return search_schedule(model, arch, options, best, proof);
	answer = ARENA_NEW(memo->arena, struct answer);
	ask(&answer->question, model, arch, options);
	for (const struct answer *old = memo->answers; old != NULL; old = old->next)
		if (memcmp(&old->question, &answer->question, sizeof old->question) == 0) {
			*best = old->best;
			*proof = old->proof;
			return old->found;
		}
	answer->found = search_schedule(model, arch, options, best, proof);
	if (memo->work)
		*memo->work += (double)proof->points;
	answer->best = *best;
	answer->proof = *proof;
	/* what an interrupt cut short may not be what the next search finds */
	if (options->interrupted == NULL || !*options->interrupted) {
		answer->next = memo->answers;
		memo->answers = answer;
	}
	return answer->found;
}

/* How long a run takes whose tiles a core computes, by its model alone: what the clock of passes/cost/tile_clock.c has to know of a schedule. */

#include "passes/cost/core_cycles.h"

#include "passes/cost/run_cycles.h"
#include "passes/cost/tile_clock.h"

static struct tile_buffer buffer_of(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule, int a)
{
	const struct storage *storage = &schedule->storage[a];
	struct tile_buffer buffer = { .stage = -1, .store = storage->store, .is_double = storage->is_double && storage->store > 0,
		.is_by_runs = storage->slots > 1 || storage->is_sliding, .share = 1,
		.gets = visit_copies(model, arch, schedule, a, false), .puts = visit_copies(model, arch, schedule, a, true) };

	for (int place = 0; place < storage->store; place++)
		buffer.kept |= (unsigned)visit_is_kept(&model->arrays[a], schedule, storage, place) << place;
	buffer.whole = buffer.gets;
	if (storage->store > 0) {
		buffer.share = moving_share(model, schedule, a);
		buffer.reuses_room = (storage->store > 1 && !buffer.is_by_runs) ||
			tile_iterations(model, schedule, storage->store) > (double)(storage->slots + 1) * tile_iterations(model, schedule, storage->store - 1);
	}
	if (storage->is_sliding)
		window_copies(model, arch, schedule, a, &buffer.whole, &buffer.gets);
	return buffer;
}

double core_cycles(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule, double computing)
{
	struct tile_buffer buffers[MODEL_ARRAYS];
	struct tile_stage stage = { .chunks = 1 };
	double copying = copy_cycles(arch, &schedule->cost.crossings[BOUNDARY_EXTERNAL], coming_bytes(model, schedule)), iterations[MODEL_LOOPS + 1];
	struct tile_run run = { .arch = arch, .iterations = iterations, .buffer_count = model->array_count, .buffers = buffers, .stage_count = 1,
		.stages = &stage };

	for (int a = 0; a < model->array_count; a++) {
		buffers[a] = buffer_of(model, arch, schedule, a);
		run.depth = buffers[a].store > run.depth ? buffers[a].store : run.depth;
	}
	for (int depth = 0; depth <= run.depth; depth++)
		iterations[depth] = tile_iterations(model, schedule, depth);
	stage.cycles = computing / iterations[run.depth];
	return tile_run_cycles(&run, copying);
}

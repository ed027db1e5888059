#include "passes/cost/run_cycles.h"

#include <math.h>

#include "passes/cost/model_math.h"

double copy_cycles(const struct arch *arch, const struct crossing *crossing)
{
	double moving = arch->bytes_per_cycle > 0 ? crossing->bytes / arch->bytes_per_cycle : 0;
	double start = (double)(arch->write_startup_cycles < arch->startup_cycles ? arch->write_startup_cycles :
		arch->startup_cycles);
	/* commands of one transfer may start together */
	double commands = arch->max_rank == 1 && !arch->starts_once ? fmax(crossing->commands, crossing->runs) :
		crossing->commands;
	int channels = arch->channels > 1 ? arch->channels : 1;
	double cycles = fmax(moving / (arch->is_duplex ? 2 : 1), (moving + start * commands) / channels);

	return cycles * arch_dma_scale(arch) * (1 - 1e-12);
}

/* Iterations of the first DEPTH tile loops, all in all. */
static double iterations(const struct nest_model *model, const struct schedule *schedule, int depth)
{
	double count = 1;

	for (int i = 0; i < depth; i++)
		count *= (double)tile_count(model->loops[schedule->order[i]].extent, schedule->tile[schedule->order[i]]);
	return count;
}

struct copies copies_of(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule)
{
	struct copies copies = { .least = copy_cycles(arch, &schedule->cost.crossings[BOUNDARY_EXTERNAL]),
		.tiles = iterations(model, schedule, schedule->depth) };
	double of_tile[MODEL_LOOPS + 1] = { 0 }, beside = 0;

	for (int a = 0; a < model->array_count; a++) {
		const struct storage *storage = &schedule->storage[a];
		const struct crossing crossing = { (double)flow_bytes(&storage->flow), (double)storage->flow.commands,
			storage->flow.runs };
		double cycles = copy_cycles(arch, &crossing), visits, runs;

		if (storage->store == 0 || !storage->is_double) {
			copies.exposed += cycles;
			copies.waits = fmax(copies.waits, iterations(model, schedule, storage->store));
			continue;
		}
		visits = iterations(model, schedule, storage->store);
		/* what asks ahead does so from run to run (passes/regions/ahead.h) */
		runs = storage->slots == 1 && !storage->is_sliding ? 1 :
			iterations(model, schedule, storage->store - 1);
		copies.exposed += cycles * runs / visits;
		copies.waits = fmax(copies.waits, runs);
		of_tile[storage->store] += cycles * (1 - runs / visits) / (visits - runs);
	}
	for (int depth = schedule->depth; depth > 0; depth--) {
		beside += of_tile[depth];
		copies.beside[copies.count].tiles = iterations(model, schedule, depth) - iterations(model, schedule, depth - 1);
		copies.beside[copies.count++].cycles = beside;
	}
	return copies;
}

double run_cycles(const struct copies *copies, double computing, double fetching)
{
	double each = computing / copies->tiles, cycles = copies->exposed + copies->waits * fetching, tiles = copies->tiles;

	for (int i = 0; i < copies->count; i++) {
		cycles += copies->beside[i].tiles * fmax(each, copies->beside[i].cycles + fetching);
		tiles -= copies->beside[i].tiles;
	}
	return cycles + tiles * each;
}

#include "passes/cost/run_cycles.h"

#include <math.h>

#include "passes/cost/model_math.h"

static int channels_of(const struct arch *arch)
{
	return arch->channels > 1 ? arch->channels : 1;
}

/* Those of one transfer may start together. */
static double commands_of(const struct arch *arch, const struct crossing *crossing)
{
	return arch->max_rank == 1 && !arch->starts_once ? fmax(crossing->commands, crossing->runs) : crossing->commands;
}

double copy_cycles(const struct arch *arch, const struct crossing *crossing)
{
	double moving = arch->bytes_per_cycle > 0 ? crossing->bytes / arch->bytes_per_cycle : 0;
	double start = (double)(arch->write_startup_cycles < arch->startup_cycles ? arch->write_startup_cycles :
		arch->startup_cycles);
	double cycles = fmax(moving / (arch->is_duplex ? 2 : 1),
		(moving + start * commands_of(arch, crossing)) / channels_of(arch));

	return cycles * arch_dma_scale(arch) * (1 - 1e-12);
}

double copy_cycles_apart(const struct arch *arch, const struct crossing *crossing)
{
	double moving = arch->bytes_per_cycle > 0 ? crossing->bytes / arch->bytes_per_cycle : 0;

	/* several channels hide how long commands start */
	return channels_of(arch) == 1 ? copy_cycles(arch, crossing) :
		moving / (arch->is_duplex ? 2 : 1) * arch_dma_scale(arch) * (1 - 1e-12);
}

/* Iterations of the first DEPTH tile loops, all in all. */
static double iterations(const struct nest_model *model, const struct schedule *schedule, int depth)
{
	double count = 1;

	for (int i = 0; i < depth; i++)
		count *= (double)tile_count(model->loops[schedule->order[i]].extent, schedule->tile[schedule->order[i]]);
	return count;
}

/* Cycles of copies of CROSSING, all of one size: each takes whole ones. */
static double whole_cycles(const struct arch *arch, const struct crossing *crossing)
{
	double cycles = copy_cycles(arch, crossing), commands = commands_of(arch, crossing);

	return commands > 0 ? commands * ceil(cycles / commands * channels_of(arch)) / channels_of(arch) : cycles;
}

struct copies copies_of(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule)
{
	struct copies copies = { .least = copy_cycles(arch, &schedule->cost.crossings[BOUNDARY_EXTERNAL]) };

	for (int a = 0; a < model->array_count; a++) {
		const struct storage *storage = &schedule->storage[a];
		double bytes = (double)flow_bytes(&storage->flow), visits, runs, each, read;
		const struct crossing crossing = { bytes, (double)storage->flow.commands, storage->flow.runs };
		double cycles = whole_cycles(arch, &crossing);

		if (storage->store == 0 || !storage->is_double) {
			copies.exposed += cycles;
			copies.alone += copy_cycles_apart(arch, &crossing);
			copies.waits = fmax(copies.waits, iterations(model, schedule, storage->store));
			continue;
		}
		visits = iterations(model, schedule, storage->store);
		/* what asks ahead does so from run to run (passes/regions/ahead.h) */
		runs = storage->slots == 1 && !storage->is_sliding ? 1 :
			iterations(model, schedule, storage->store - 1);
		copies.exposed += cycles * runs / visits;
		copies.waits = fmax(copies.waits, runs);
		copies.beside += cycles * (1 - runs / visits);
		if (storage->slots > 1 && storage->flow.commands > 0) {
			struct bunch *bunch = &copies.bunches[storage->store];

			bunch->cycles += cycles * (1 - runs / visits);
			bunch->tiles = fmax(bunch->tiles, (double)storage->flow.commands * (1 - runs / visits));
			bunch->of = visits;
			continue;
		}
		each = cycles / visits;
		read = bytes > 0 ? (double)storage->flow.read_bytes / bytes : 1;
		for (int place = 0; place < storage->store; place++) {
			copies.coming[place] += each * read;
			copies.leaving[place] += each * (1 - read);
		}
	}
	return copies;
}

double bunched_cycles(const struct copies *copies, double cycles)
{
	double late = 0;

	for (int depth = 1; depth <= MODEL_LOOPS; depth++) {
		const struct bunch *bunch = &copies->bunches[depth];

		if (bunch->cycles > 0)
			late += fmax(bunch->cycles - bunch->tiles * (cycles / bunch->of), 0);
	}
	return late;
}

double run_cycles(const struct copies *copies, double computing, double late)
{
	return fmax(copies->exposed + computing + late, copies->least);
}

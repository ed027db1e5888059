#include "passes/cost/run_cycles.h"

#include <math.h>
#include <string.h>

#include "passes/cost/copy_visits.h"

static int channels_of(const struct arch *arch)
{
	return arch->channels > 1 ? arch->channels : 1;
}

double least_start(const struct arch *arch)
{
	return (double)(arch->write_startup_cycles < arch->startup_cycles ? arch->write_startup_cycles : arch->startup_cycles);
}

double copy_cycles(const struct arch *arch, const struct crossing *crossing, double coming)
{
	double moving = arch->bytes_per_cycle > 0 ? crossing->bytes / arch->bytes_per_cycle : 0;
	double one_way = arch->bytes_per_cycle > 0 ? coming / arch->bytes_per_cycle : 0;
	/* the bus has nothing to do until the first command has started */
	double cycles = fmax((arch->is_duplex ? fmax(moving / 2, one_way) : moving) + (moving > 0 ? least_start(arch) : 0),
		(moving + least_start(arch) * crossing_commands(arch, crossing)) / channels_of(arch));

	return cycles * arch_dma_scale(arch) * (1 - 1e-12);
}

void alone_add(const struct arch *arch, struct alone *alone, const struct crossing *crossing, double start)
{
	alone->bytes += crossing->bytes;
	alone->starting += crossing_commands(arch, crossing) * start;
	alone->most = fmax(alone->most, crossing->commands * start);
}

double alone_cycles(const struct arch *arch, const struct alone *alone)
{
	bool is_one = channels_of(arch) == 1;
	double moving = arch->bytes_per_cycle > 0 ? alone->bytes / arch->bytes_per_cycle : 0;

	/* several channels start the commands of several buffers at once */
	return ((arch->is_duplex && !is_one ? moving / 2 : moving) + fmax(alone->most, is_one ? alone->starting : 0)) *
		arch_dma_scale(arch) * (1 - 1e-12);
}

/* ---- what is started together ---- */

static void stream_add(struct stream *stream, const struct stream *other)
{
	stream->commands += other->commands;
	stream->starting += other->starting;
	stream->moving += other->moving;
}

void batch_add(struct batch *batch, const struct batch *other)
{
	stream_add(&batch->gets, &other->gets);
	stream_add(&batch->puts, &other->puts);
}

/* Adds OTHER so many TIMES. */
static void batch_add_times(struct batch *batch, const struct batch *other, double times)
{
	const struct batch all = { { other->gets.commands * times, other->gets.starting * times, other->gets.moving * times },
		{ other->puts.commands * times, other->puts.starting * times, other->puts.moving * times } };

	batch_add(batch, &all);
}

static double bus_cycles(const struct copies *copies, const struct batch *batch)
{
	return copies->is_duplex ? fmax(batch->gets.moving, batch->puts.moving) : batch->gets.moving + batch->puts.moving;
}

/* Of so many channels, each of which does its part. */
static double channel_cycles(const struct copies *copies, const struct batch *batch)
{
	return (batch->gets.starting + batch->gets.moving + batch->puts.starting + batch->puts.moving) / copies->channels;
}

/* Starts of other channels are hidden behind the bus, but for the first. */
double batch_latency(const struct copies *copies, const struct batch *batch)
{
	double commands = batch->gets.commands + batch->puts.commands;

	return commands <= 0 ? 0 : fmax((batch->gets.starting + batch->puts.starting) / fmax(commands, 1) + bus_cycles(copies, batch),
		channel_cycles(copies, batch));
}

double puts_latency(const struct copies *copies, const struct batch *batch)
{
	const struct batch puts = { .puts = batch->puts };

	return batch_latency(copies, &puts);
}

/* One of its commands, by itself. */
static double command_cycles(const struct stream *stream)
{
	return stream->commands > 0 ? (stream->starting + stream->moving) / fmax(stream->commands, 1) : 0;
}

double batch_cycles(const struct copies *copies, const struct batch *batch)
{
	return fmax(fmax(bus_cycles(copies, batch), channel_cycles(copies, batch)), fmax(command_cycles(&batch->gets), command_cycles(&batch->puts)));
}

/* Each of COPIES takes whole cycles. */
static struct stream stream_of(const struct arch *arch, const struct visit_copies *copies, bool is_put)
{
	double scale = arch_dma_scale(arch), startup = (double)(is_put ? arch->write_startup_cycles : arch->startup_cycles) * scale;
	double moving = arch->bytes_per_cycle > 0 ? copies->bytes / arch->bytes_per_cycle * scale : 0;

	return (struct stream){ copies->commands, copies->commands * startup, copies->commands * (ceil(startup + moving) - startup) };
}

/* ---- the copies of a schedule ---- */

/* What comes and leaves in a visit of array A's buffer, but for those that are kept. */
static struct batch visit_batch(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule, int a)
{
	const struct visit_copies gets = visit_copies(model, arch, schedule, a, false), puts = visit_copies(model, arch, schedule, a, true);

	return (struct batch){ stream_of(arch, &gets, false), stream_of(arch, &puts, true) };
}

/* Adds what array A moves to COPIES, and to WAITS [place] what is waited for as a loop goes on. */
static void add_copies(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule, int a, struct copies *copies,
	struct batch *waits)
{
	const struct storage *storage = &schedule->storage[a];
	const struct batch visit = visit_batch(model, arch, schedule, a), gets = { .gets = visit.gets }, puts = { .puts = visit.puts };
	/* what asks ahead does so from run to run (passes/regions/ahead.h) */
	bool is_by_runs = storage->slots > 1 || storage->is_sliding;
	/* what is put leaves its room to what comes next */
	bool puts_behind = storage->is_double && storage->flow.read_bytes == 0;
	unsigned kept = 0;

	for (int place = 0; place < storage->store; place++) {
		bool is_inner = place == storage->store - 1, asks = storage->is_double && (is_inner || !is_by_runs);
		bool is_deepest = storage->store >= copies->depth, is_after = asks && is_deepest && storage->slots > 1;
		double often = is_inner ? moving_share(model, schedule, a) : 1;

		if (visit_is_kept(&model->arrays[a], schedule, storage, place)) {
			kept |= 1u << place;
		} else if (is_after) {
			batch_add(&copies->after[place], &gets);
			copies->turning[place] = kept;
			copies->slots[place] = storage->slots;
		} else {
			batch_add_times(!asks ? &waits[place] : is_deepest ? &copies->coming[place] : &copies->leaving[place], &gets, often);
		}
		if (!(kept >> place & 1))
			batch_add_times(asks && puts_behind ? &copies->leaving[place] : &waits[place], &puts, often);
	}
	copies->exposed += batch_latency(copies, &gets) + batch_latency(copies, &puts);
}

/* Adds up what is waited for, and what is not. */
static void add_waits(const struct nest_model *model, const struct schedule *schedule, const struct batch *waits, struct copies *copies)
{
	for (int place = 0; place < schedule->depth; place++) {
		double turns = tile_turns(model, schedule, place);
		struct batch *leaving = &copies->leaving[place], beside;

		copies->standing[place] = puts_latency(copies, &waits[place]);
		if (waits[place].gets.commands > 0) {
			/* what was put before is on the bus before them */
			stream_add(&leaving->gets, &waits[place].gets);
			copies->standing[place] += batch_latency(copies, leaving);
			*leaving = (struct batch){ .gets = { .commands = 0 } };
		}
		copies->exposed += turns * copies->standing[place];
		beside = *leaving;
		batch_add(&beside, &copies->coming[place]);
		batch_add_times(&beside, &copies->after[place],
			fmax(1 - (double)copies->slots[place] * tile_iterations(model, schedule, place) / fmax(turns, 1), 0));
		copies->beside += turns * batch_cycles(copies, &beside);
	}
}

struct copies copies_of(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule)
{
	struct copies copies = { .least = copy_cycles(arch, &schedule->cost.crossings[BOUNDARY_EXTERNAL], coming_bytes(model, schedule)),
		.channels = channels_of(arch), .is_duplex = arch->is_duplex };
	struct alone alone = { 0, 0, 0 };
	struct batch waits[MODEL_LOOPS];

	memset(waits, 0, sizeof waits);
	/* what is mostly kept makes no tiles */
	for (int a = 0; a < model->array_count; a++)
		if (schedule->storage[a].is_double && schedule->storage[a].store > copies.depth && moving_share(model, schedule, a) > 0.25)
			copies.depth = schedule->storage[a].store;
	for (int a = 0; a < model->array_count; a++) {
		const struct storage *storage = &schedule->storage[a];
		const struct crossing crossing = { (double)flow_bytes(&storage->flow), (double)storage->flow.commands, storage->flow.runs };

		if ((storage->store == 0 || !storage->is_double) && !model->arrays[a].anchored)
			alone_add(arch, &alone, &crossing, least_start(arch));
		add_copies(model, arch, schedule, a, &copies, waits);
	}
	copies.alone = alone_cycles(arch, &alone);
	add_waits(model, schedule, waits, &copies);
	return copies;
}

double run_cycles(const struct copies *copies, double computing, double late)
{
	return fmax(copies->exposed + computing + late, copies->least);
}

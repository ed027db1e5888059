#include "passes/cost/run_cycles.h"

#include <math.h>
#include <string.h>

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

/* COMMANDS that move so many BYTES all together, all alike: each takes whole cycles. */
static struct stream stream_of(const struct arch *arch, double commands, double bytes, bool is_put)
{
	double scale = arch_dma_scale(arch), startup = (double)(is_put ? arch->write_startup_cycles : arch->startup_cycles) * scale;
	double moving = arch->bytes_per_cycle > 0 && commands > 0 ? bytes / commands / arch->bytes_per_cycle * scale : 0;

	return (struct stream){ commands, commands * startup, commands * (ceil(startup + moving) - startup) };
}

/* ---- the copies of a schedule ---- */

/* How often the loop at PLACE goes on. */
static double turns_of(const struct nest_model *model, const struct schedule *schedule, int place)
{
	return iterations(model, schedule, place + 1) - iterations(model, schedule, place);
}

/* The buffer of ARRAY shows in the next run of the loop that moves it what it showed last, as the loop at PLACE goes on: struct storage. */
static bool is_kept(const struct model_array *array, const struct schedule *schedule, const struct storage *storage, int place)
{
	bool turns = true;

	for (int i = place + 1; i < storage->store; i++)
		if (array_is_indexed(array, schedule->order[i]))
			turns = turns && schedule->is_serpentine[schedule->order[i]];
	return place < storage->store - 1 && turns && !array_is_indexed(array, schedule->order[place]) && array->anchored == 0;
}

/* How often a turn keeps what array A's buffer shows. */
static double kept_turns(const struct nest_model *model, const struct schedule *schedule, int a)
{
	const struct storage *storage = &schedule->storage[a];
	double turns = 0;

	for (int place = 0; place < storage->store; place++)
		if (is_kept(&model->arrays[a], schedule, storage, place))
			turns += turns_of(model, schedule, place);
	return turns;
}

/* Of the times that the loop goes on which moves array A's buffer those where something moves, not what a turn keeps in other slots. */
static double moving_share(const struct nest_model *model, const struct schedule *schedule, int a)
{
	const struct storage *storage = &schedule->storage[a];

	return 1 - kept_turns(model, schedule, a) * (double)(storage->slots - 1) / fmax(turns_of(model, schedule, storage->store - 1), 1);
}

/* What comes and leaves in a visit of array A's buffer, but for those that are kept. */
static struct batch visit_batch(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule, int a)
{
	const struct storage *storage = &schedule->storage[a];
	double bytes = (double)flow_bytes(&storage->flow), kept = kept_turns(model, schedule, a) * (double)storage->slots;
	double visits = fmax(iterations(model, schedule, storage->store) - kept, 1);
	double read = bytes > 0 ? (double)storage->flow.read_bytes / bytes : 1;
	const struct crossing crossing = { bytes, (double)storage->flow.commands, storage->flow.runs };
	double commands = commands_of(arch, &crossing);

	return (struct batch){ stream_of(arch, commands * read / visits, bytes * read / visits, false),
		stream_of(arch, commands * (1 - read) / visits, bytes * (1 - read) / visits, true) };
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

		if (is_kept(&model->arrays[a], schedule, storage, place)) {
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
		double turns = turns_of(model, schedule, place);
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
			fmax(1 - (double)copies->slots[place] * iterations(model, schedule, place) / fmax(turns, 1), 0));
		copies->beside += turns * batch_cycles(copies, &beside);
	}
}

struct copies copies_of(const struct nest_model *model, const struct arch *arch, const struct schedule *schedule)
{
	struct copies copies = { .least = copy_cycles(arch, &schedule->cost.crossings[BOUNDARY_EXTERNAL]), .channels = channels_of(arch),
		.is_duplex = arch->is_duplex };
	struct batch waits[MODEL_LOOPS];

	memset(waits, 0, sizeof waits);
	/* what is mostly kept makes no tiles */
	for (int a = 0; a < model->array_count; a++)
		if (schedule->storage[a].is_double && schedule->storage[a].store > copies.depth && moving_share(model, schedule, a) > 0.25)
			copies.depth = schedule->storage[a].store;
	for (int a = 0; a < model->array_count; a++) {
		const struct storage *storage = &schedule->storage[a];
		const struct crossing crossing = { (double)flow_bytes(&storage->flow), (double)storage->flow.commands, storage->flow.runs };

		if (storage->store == 0 || !storage->is_double)
			copies.alone += copy_cycles_apart(arch, &crossing);
		add_copies(model, arch, schedule, a, &copies, waits);
	}
	add_waits(model, schedule, waits, &copies);
	return copies;
}

double run_cycles(const struct copies *copies, double computing, double late)
{
	return fmax(copies->exposed + computing + late, copies->least);
}

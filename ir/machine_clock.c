#include "ir/machine_clock.h"

#include <math.h>
#include <string.h>

#define TIME_LIMIT (1L << 60)

static long later(long a, long b)
{
	return a > b ? a : b;
}

/* Whole CYCLES, the next ones.  A time that no long holds ends all. */
static long whole(struct machine_clock *clock, double cycles)
{
	if (clock->now > TIME_LIMIT || clock->last_end > TIME_LIMIT || cycles > (double)TIME_LIMIT) {
		clock->is_over = true;
		return 0;
	}
	return (long)ceil(cycles);
}

/* The array's clock says that it is NOW. */
static void go_on(struct machine_clock *clock, double now)
{
	clock->now = whole(clock, now);
	clock->sum.compute_cycles += whole(clock, clock->array.computing);
	clock->sum.move_cycles += whole(clock, clock->array.moving);
	clock->sum.network_cycles += whole(clock, clock->array.travelling);
	clock->array.computing = clock->array.moving = clock->array.travelling = 0;
}

void clock_begin(struct machine_clock *clock, const struct arch *arch)
{
	*clock = (struct machine_clock){ .arch = arch, .scale = arch_dma_scale(arch),
		.channels = arch->channels < CHANNEL_LIMIT ? arch->channels : CHANNEL_LIMIT };
}

void clock_begin_nest(struct machine_clock *clock, const struct travellers *travellers)
{
	const struct travellers none = { .count = 0 };
	clock->sum = (struct plan_time){ 0 };
	array_clock_begin(&clock->array, travellers ? &clock->arch->array : NULL, travellers ? travellers : &none,
		(double)clock->now);
}

void clock_call(struct machine_clock *clock)
{
	if (clock->array.array)
		go_on(clock, array_clock_drain(&clock->array, (double)clock->now, true));
	long cycles = whole(clock, clock->macs * clock->arch->core_mac_cycles);
	clock->now += cycles;
	clock->sum.compute_cycles += cycles;
	clock->macs = 0;
}

/* Cycles of the DMA engine's clock in which RUNS of RUN bytes each have the bus. */
static double busy_cycles(const struct arch *arch, bool is_put, double runs, double run)
{
	double burst = (double)arch->burst_bytes, rest = burst > 0 ? fmod(run, burst) : 0;
	double more = (double)(is_put ? arch->write_burst_cycles : arch->burst_cycles);
	if (burst <= 0)
		return runs * run / arch->bytes_per_cycle;
	return runs * ((run - rest) / burst * (ceil(burst / arch->bytes_per_cycle) + more)
		+ (rest > 0 ? ceil(rest / arch->bytes_per_cycle) + more : 0));
}

/* It occupies the first channel that is free: it starts up, and then has the bus. */
void clock_copy(struct machine_clock *clock, bool is_put, int tag, double runs, double run)
{
	const struct arch *arch = clock->arch;
	double busy = busy_cycles(arch, is_put, runs, run) * clock->scale;
	double startup = (double)(is_put ? arch->write_startup_cycles : arch->startup_cycles);
	long *bus_free = &clock->bus_free[is_put && arch->is_duplex];
	int channel = 0;
	clock_call(clock);
	for (int c = 1; c < clock->channels; c++)
		if (clock->channel_free[c] < clock->channel_free[channel])
			channel = c;
	long start = later(clock->now, clock->channel_free[channel]);
	int transfer = 1 + 2 * tag + is_put;
	if (arch->starts_once && start == clock->channel_free[channel]
		&& clock->channel_last[channel] == transfer)
		startup = 0;
	clock->channel_last[channel] = transfer;
	long end = later(start + whole(clock, startup * clock->scale + busy), *bus_free + whole(clock, busy));
	clock->channel_free[channel] = *bus_free = end;
	clock->last_end = later(clock->last_end, end);
	clock->tag_done[tag] = later(clock->tag_done[tag], end);
	clock->sum.dma_cycles += whole(clock, busy);
	clock->sum.start_cycles += whole(clock, startup * clock->scale);
}

void clock_wait(struct machine_clock *clock, unsigned tags)
{
	long done = 0;
	clock_call(clock);
	for (int tag = 0; tag < TAG_LIMIT; tag++)
		if (tags >> tag & 1)
			done = later(done, clock->tag_done[tag]);
	if (clock->array.array)
		array_clock_wait(&clock->array, (double)done);
	if (done > clock->now) {
		clock->sum.wait_cycles += done - clock->now;
		clock->now = done;
	}
}

void clock_step(struct machine_clock *clock, double macs)
{
	go_on(clock, array_clock_step(&clock->array, (double)clock->now, macs));
}

/* ---- states ---- */

static long bits_of(double value)
{
	long bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static double double_of(long bits)
{
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Copies that were done then, or before, hold nothing up: the core does not wait for them, and words could
 * come since. */
static long settled(const struct machine_clock *clock)
{
	return clock->array.array && clock->array.early < (double)clock->now ? (long)clock->array.early : clock->now;
}

/* The state but for the channels. */
static int pack(const struct machine_clock *clock, unsigned tags, long *state)
{
	const struct array_clock *array = &clock->array;
	int count = 0;
	state[count++] = later(clock->bus_free[0] - clock->now, 0);
	state[count++] = later(clock->bus_free[1] - clock->now, 0);
	state[count++] = later(clock->last_end - clock->now, 0);
	state[count++] = bits_of(clock->macs);
	for (int tag = 0; tag < TAG_LIMIT; tag++)
		if (tags >> tag & 1)
			state[count++] = later(clock->tag_done[tag], settled(clock)) - clock->now;
	if (!array->array)
		return count;
	state[count++] = (long)array->early - clock->now;
	state[count++] = (long)array->late - clock->now;
	state[count++] = later((long)array->leaving - clock->now, 0);
	for (int m = 0; m < MEMORY_LIMIT; m++)
		state[count++] = bits_of(array->written[m]);
	state[count++] = bits_of(array->computing);
	state[count++] = bits_of(array->moving);
	state[count++] = bits_of(array->travelling);
	for (int way = 0; way < ARRAY_WAYS; way++)
		for (int t = 0; t < array->travellers.count; t++)
			for (int is_double = 0; is_double < 2; is_double++)
				state[count++] = bits_of(array->load.words[way][is_double][t]);
	return count;
}

static int unpack(struct machine_clock *clock, unsigned tags, const long *state)
{
	struct array_clock *array = &clock->array;
	int count = 0;
	clock->bus_free[0] = clock->now + state[count++];
	clock->bus_free[1] = clock->now + state[count++];
	clock->last_end = clock->now + state[count++];
	clock->macs = double_of(state[count++]);
	for (int tag = 0; tag < TAG_LIMIT; tag++)
		if (tags >> tag & 1)
			clock->tag_done[tag] = clock->now + state[count++];
	if (!array->array)
		return count;
	array->early = (double)(clock->now + state[count++]);
	array->late = (double)(clock->now + state[count++]);
	array->leaving = (double)(clock->now + state[count++]);
	for (int m = 0; m < MEMORY_LIMIT; m++)
		array->written[m] = double_of(state[count++]);
	array->computing = double_of(state[count++]);
	array->moving = double_of(state[count++]);
	array->travelling = double_of(state[count++]);
	for (int way = 0; way < ARRAY_WAYS; way++)
		for (int t = 0; t < array->travellers.count; t++)
			for (int is_double = 0; is_double < 2; is_double++)
				array->load.words[way][is_double][t] = double_of(state[count++]);
	return count;
}

/* Fills in ORDER of the channels that are free: the one that has been so for longest is taken first, and -1 is the last of them. */
static void order_free(const struct machine_clock *clock, long *order)
{
	int free[CHANNEL_LIMIT], count = 0;
	for (int c = clock->channels - 1; c >= 0; c--) {
		int place = count;
		if (clock->channel_free[c] >= clock->now)
			continue;
		for (; place > 0 && clock->channel_free[free[place - 1]] < clock->channel_free[c]; place--)
			free[place] = free[place - 1];
		free[place] = c;
		count++;
	}
	for (int i = 0; i < count; i++)
		order[free[i]] = -1 - i;
}

int clock_state(const struct machine_clock *clock, unsigned tags, long *state)
{
	int count = pack(clock, tags, state);
	long order[CHANNEL_LIMIT];
	order_free(clock, order);
	for (int c = 0; c < clock->channels; c++) {
		bool is_free = clock->channel_free[c] < clock->now;
		state[count++] = is_free ? order[c] : clock->channel_free[c] - clock->now;
		state[count++] = is_free || !clock->arch->starts_once ? 0 : clock->channel_last[c];
	}
	return count;
}

/* ---- effects ---- */

enum { SUMS = 6 };

static void find_sums(struct plan_time *time, long *sums[SUMS])
{
	sums[0] = &time->compute_cycles;
	sums[1] = &time->move_cycles;
	sums[2] = &time->wait_cycles;
	sums[3] = &time->dma_cycles;
	sums[4] = &time->network_cycles;
	sums[5] = &time->start_cycles;
}

int clock_effect(const struct machine_clock *before, const struct machine_clock *clock, unsigned tags, long *effect)
{
	struct plan_time then = before->sum, now = clock->sum;
	long *sums[2][SUMS];
	int count = 0;
	find_sums(&then, sums[0]);
	find_sums(&now, sums[1]);
	effect[count++] = clock->now - before->now;
	for (int i = 0; i < SUMS; i++)
		effect[count++] = *sums[1][i] - *sums[0][i];
	for (int c = 0; c < clock->channels; c++) {
		effect[count++] = clock->channel_free[c] != before->channel_free[c];
		effect[count++] = clock->channel_free[c] - clock->now;
		effect[count++] = clock->channel_last[c];
	}
	return count + pack(clock, tags, effect + count);
}

void clock_apply(struct machine_clock *clock, unsigned tags, const long *effect)
{
	long *sums[SUMS];
	int count = 0;
	find_sums(&clock->sum, sums);
	clock->now += effect[count++];
	clock->is_over |= clock->now > TIME_LIMIT;
	for (int i = 0; i < SUMS; i++)
		*sums[i] += effect[count++];
	for (int c = 0; c < clock->channels; c++) {
		bool is_used = effect[count++];
		long free = effect[count++], last = effect[count++];
		if (is_used) {
			clock->channel_free[c] = clock->now + free;
			clock->channel_last[c] = (int)last;
		}
	}
	unpack(clock, tags, effect + count);
}

/* The time that a plan takes: its loops are walked, command by command, beside a core and a DMA
 * engine as docs/machine.md defines them.  Statements are not run but counted, a whole nest of point
 * loops at a time where its bounds do not depend on the loops inside. */

#include "ir/plan_time.h"

#include <math.h>

#include "ir/macs.h"
#include "ir/plan_box.h"
#include "ir/plan_formula.h"

enum { STEPS = 100000000, CHANNEL_LIMIT = 64, TAG_LIMIT = 32 };
#define TIME_LIMIT (1L << 60)

/* A plan_node, ready to be walked. */
struct step {
	enum plan_kind kind;
	int child_count;
	struct step **children;
	struct step *body;
	struct plan_cell *cell;           /* of a loop or a named value */
	struct plan_formula *lower, *upper;   /* lower: the condition of an if, too */
	long stride;
	bool has_copies;             /* calls of the runtime are inside; else only statements */
	bool matters;                /* a loop without copies: what is inside depends on its variable */
	int macs;                    /* of a statement */
	bool is_put;                 /* of a transfer */
	int tag, rank, element_bytes;
	int run_from, run_to;        /* dimensions of the run that its command moves at a time */
	struct plan_formula *count[ARRAY_RANK_LIMIT];
	unsigned tags;               /* of a wait */
};

struct machine {
	const struct arch *arch;
	struct plan_cells cells;
	long steps;                  /* that are left */
	double scale;                /* cycles of the core in one of the DMA engine's clock */
	double macs;                 /* since the last call of the runtime */
	long now, bus_free[2], last_end;     /* [1]: of what is written, where that has a bus */
	long channel_free[CHANNEL_LIMIT], tag_done[TAG_LIMIT];
	int channel_last[CHANNEL_LIMIT];     /* 1 + twice its last command's tag, + 1 for a put; 0: none */
	int channels;
	struct plan_time sum;
};

bool arch_has_clock(const struct arch *arch)
{
	return arch->startup_cycles > 0 || arch->write_startup_cycles > 0 || arch->burst_cycles > 0
		|| arch->write_burst_cycles > 0 || arch->core_mac_cycles > 0;
}

/* ---- from a plan ---- */

/* How often statements in STEP run depends on CELL, by the bounds and conditions there. */
static bool depends_on(const struct step *step, const struct plan_cell *cell)
{
	if ((step->lower && step->kind != PLAN_LET && plan_formula_has(step->lower, cell))
		|| (step->upper && plan_formula_has(step->upper, cell)))
		return true;
	if (step->kind == PLAN_LET && plan_formula_has(step->lower, cell) && depends_on(step->body, step->cell))
		return true;
	bool depends = step->body && depends_on(step->body, cell);
	for (int i = 0; i < step->child_count && !depends; i++)
		depends = depends_on(step->children[i], cell);
	return depends;
}

static void fill_transfer(struct machine *machine, const struct plan_transfer *transfer,
	struct step *step)
{
	struct plan_box box;
	plan_box(transfer, &box);
	step->run_from = box.dims[box.rank - 1].from;
	step->run_to = box.dims[box.rank - 1].to;
	step->is_put = transfer->is_put;
	step->has_copies = true;
	step->tag = transfer->tag;
	step->rank = transfer->buffer->rank;
	step->element_bytes = transfer->buffer->array->type.bytes;
	for (int d = 0; d < step->rank; d++)
		step->count[d] = plan_formula_of(&machine->cells, transfer->count[d]);
}

static struct step *step_of(struct machine *machine, const struct plan_node *node)
{
	struct step *step = ARENA_NEW(machine->cells.arena, struct step);
	*step = (struct step){ .kind = node->kind, .child_count = node->child_count, .stride = node->step,
		.tags = node->tags };
	step->children = ARENA_ARRAY(machine->cells.arena, struct step *, node->child_count + 1);
	for (int i = 0; i < node->child_count; i++) {
		step->children[i] = step_of(machine, node->children[i]);
		step->has_copies |= step->children[i]->has_copies;
	}
	if (node->kind == PLAN_LOOP || node->kind == PLAN_LET) {
		step->cell = plan_cell_of(&machine->cells, node->var);
		step->lower = plan_formula_of(&machine->cells, node->lower);
		step->upper = node->kind == PLAN_LOOP ? plan_formula_of(&machine->cells, node->upper) : NULL;
	}
	if (node->kind == PLAN_IF)
		step->lower = plan_formula_of(&machine->cells, node->condition);
	if (node->body) {
		step->body = step_of(machine, node->body);
		step->has_copies |= step->body->has_copies;
	}
	if (node->kind == PLAN_LOOP)
		step->matters = depends_on(step->body, step->cell);
	if (node->kind == PLAN_COMPUTE)
		step->macs = statement_macs(node->statement);
	if (node->kind == PLAN_TRANSFER)
		fill_transfer(machine, &node->transfer, step);
	step->has_copies |= node->kind == PLAN_WAIT;
	return step;
}

/* ---- time ---- */

static long later(long a, long b)
{
	return a > b ? a : b;
}

/* Whole CYCLES, the next ones.  A time that no long holds ends the walk. */
static long whole(struct machine *machine, double cycles)
{
	if (machine->now > TIME_LIMIT || machine->last_end > TIME_LIMIT || cycles > (double)TIME_LIMIT) {
		machine->steps = -1;
		return 0;
	}
	return (long)ceil(cycles);
}

/* A call of the runtime: what the core has computed since the last one takes its time. */
static void compute(struct machine *machine)
{
	long cycles = whole(machine, machine->macs * machine->arch->core_mac_cycles);
	machine->now += cycles;
	machine->sum.compute_cycles += cycles;
	machine->macs = 0;
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

/* A command occupies the first channel that is free: it starts up, and then has the bus. */
static void copy(struct machine *machine, bool is_put, int tag, double runs, double run)
{
	const struct arch *arch = machine->arch;
	double busy = busy_cycles(arch, is_put, runs, run) * machine->scale;
	double startup = (double)(is_put ? arch->write_startup_cycles : arch->startup_cycles);
	long *bus_free = &machine->bus_free[is_put && arch->is_duplex];
	int channel = 0;
	compute(machine);
	for (int c = 1; c < machine->channels; c++)
		if (machine->channel_free[c] < machine->channel_free[channel])
			channel = c;
	long start = later(machine->now, machine->channel_free[channel]);
	int transfer = 1 + 2 * tag + is_put;
	if (arch->starts_once && start == machine->channel_free[channel]
		&& machine->channel_last[channel] == transfer)
		startup = 0;
	machine->channel_last[channel] = transfer;
	long end = later(start + whole(machine, startup * machine->scale + busy),
		*bus_free + whole(machine, busy));
	machine->channel_free[channel] = *bus_free = end;
	machine->last_end = later(machine->last_end, end);
	machine->tag_done[tag] = later(machine->tag_done[tag], end);
	machine->sum.dma_cycles += whole(machine, busy);
	machine->sum.start_cycles += whole(machine, startup * machine->scale);
}

static void wait_for(struct machine *machine, unsigned tags)
{
	long done = 0;
	compute(machine);
	for (int tag = 0; tag < TAG_LIMIT; tag++)
		if (tags >> tag & 1)
			done = later(done, machine->tag_done[tag]);
	if (done > machine->now) {
		machine->sum.wait_cycles += done - machine->now;
		machine->now = done;
	}
}

/* ---- the walk ---- */

/* Multiply-accumulates in STEP, which has no copies. */
static double macs_in(struct machine *machine, const struct step *step)
{
	double macs = step->macs;
	if (--machine->steps < 0)
		return 0;
	for (int i = 0; i < step->child_count; i++)
		macs += macs_in(machine, step->children[i]);
	if (step->kind == PLAN_IF)
		return plan_formula_value(step->lower) ? macs_in(machine, step->body) : 0;
	if (step->kind == PLAN_LET) {
		step->cell->value = plan_formula_value(step->lower);
		return macs_in(machine, step->body);
	}
	if (step->kind != PLAN_LOOP)
		return macs;
	long lower = plan_formula_value(step->lower), upper = plan_formula_value(step->upper);
	if (lower > upper)
		return 0;
	step->cell->value = lower;
	if (!step->matters)
		return (double)((upper - lower) / step->stride + 1) * macs_in(machine, step->body);
	for (long at = lower; at <= upper && machine->steps >= 0; at += step->stride) {
		step->cell->value = at;
		macs += macs_in(machine, step->body);
	}
	return macs;
}

static void start(struct machine *machine, const struct step *step)
{
	double run = step->element_bytes, runs = 1;
	for (int d = 0; d < step->rank; d++) {
		long count = plan_formula_value(step->count[d]);
		if (count <= 0)
			return;
		*(d >= step->run_from && d < step->run_to ? &run : &runs) *= (double)count;
	}
	copy(machine, step->is_put, step->tag, runs, run);
}

static void walk(struct machine *machine, const struct step *step)
{
	if (!step->has_copies) {
		machine->macs += machine->arch->core_mac_cycles > 0 ? macs_in(machine, step) : 0;
		return;
	}
	if (--machine->steps < 0)
		return;
	for (int i = 0; i < step->child_count; i++)
		walk(machine, step->children[i]);
	if (step->kind == PLAN_TRANSFER)
		start(machine, step);
	if (step->kind == PLAN_WAIT)
		wait_for(machine, step->tags);
	if (step->kind == PLAN_LET)
		step->cell->value = plan_formula_value(step->lower);
	if (step->kind == PLAN_LET || (step->kind == PLAN_IF && plan_formula_value(step->lower)))
		walk(machine, step->body);
	if (step->kind != PLAN_LOOP)
		return;
	long upper = plan_formula_value(step->upper);
	for (long at = plan_formula_value(step->lower); at <= upper && machine->steps >= 0; at += step->stride) {
		step->cell->value = at;
		walk(machine, step->body);
	}
}

bool plan_times(const struct plan *plan, struct plan_time *times)
{
	const struct arch *arch = plan->arch;
	struct arena *arena = arena_new();
	struct machine machine = { .arch = arch, .cells.arena = arena, .steps = STEPS,
		.scale = arch_dma_scale(arch),
		.channels = arch->channels < CHANNEL_LIMIT ? arch->channels : CHANNEL_LIMIT };
	bool is_known = arch_has_clock(arch);
	for (int n = 0; n < plan->nest_count && is_known; n++) {
		long begun = later(machine.now, machine.last_end);
		machine.sum = (struct plan_time){ 0 };
		walk(&machine, step_of(&machine, plan->nests[n].body));
		compute(&machine);
		times[n] = machine.sum;
		times[n].cycles = later(machine.now, machine.last_end) - begun;
		is_known = machine.steps >= 0;
	}
	arena_free(arena);
	return is_known;
}

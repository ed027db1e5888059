/* The time that a plan takes: its loops are walked, command by command, beside a core and a DMA
 * engine as docs/machine.md defines them.  Statements are not run but counted, a whole nest of point
 * loops at a time where its bounds do not depend on the loops inside. */

#include "ir/plan_time.h"

#include <math.h>
#include <string.h>

#include "ir/array_time.h"
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
	bool has_copies;             /* calls of the runtime, or steps of elements, are inside */
	bool has_macs;               /* multiply-accumulates */
	bool has_words;              /* words that travel between the scratchpad and elements, or among these */
	bool has_elements;           /* loops over elements */
	bool is_element;             /* such a loop */
	bool matters;                /* a loop without copies: what is inside depends on its variable */
	int macs;                    /* of a statement */
	bool is_put;                 /* of a transfer */
	int tag, rank, element_bytes;
	int run_from, run_to;        /* dimensions of the run that its command moves at a time */
	struct plan_formula *count[ARRAY_RANK_LIMIT];
	unsigned tags;               /* of a wait */
	double *words;               /* of a move: those of its array and way */
	struct plan_formula *trips;  /* of a loop: its last value - its first, in as few variables as these have apart */
	struct known *known;         /* of a step of elements, or an outermost loop over words: what has been found of it */
};

/* What elements do in a step, or words do in a loop, depends on the values of some formulas around it: it is found once for each
 * of them, as long as there is room. */
enum { KNOWN = 1 << 12 };
struct known {
	int count, sum_count, inner_count;
	size_t capacity, sum_capacity, inner_capacity;
	const struct plan_formula **formulas;
	const struct plan_cell **inner;      /* cells that are set inside */
	double **sums;               /* that it adds to */
	long *values;                /* of the formulas, where the walk is */
	long *keys;                  /* [KNOWN * (count + 1)]: 1, and the values of the formulas; 0: none */
	double *found;               /* [KNOWN * sum_count] */
};

struct machine {
	const struct arch *arch;
	struct plan_cells cells;
	long steps;                  /* that are left */
	double scale;                /* cycles of the core in one of the DMA engine's clock */
	double macs;                 /* since the last call of the runtime, or of an element */
	double most;                 /* of an element so far */
	struct array_clock array;
	const struct plan_node *body;        /* of the nest */
	long now, bus_free[2], last_end;     /* [1]: of what is written, where that has a bus */
	long channel_free[CHANNEL_LIMIT], tag_done[TAG_LIMIT];
	int channel_last[CHANNEL_LIMIT];     /* 1 + twice its last command's tag, + 1 for a put; 0: none */
	int channels;
	struct plan_time sum;
};

/* ---- from a plan ---- */

/* Of STEP what is in CHILD is counted: words that travel, or else multiply-accumulates. */
static bool counts_in(const struct step *step, const struct step *child)
{
	return step->has_words ? child->has_words : child->has_macs;
}

/* What is counted in STEP depends on CELL, by the bounds and conditions there. */
static bool depends_on(const struct step *step, const struct plan_cell *cell)
{
	bool has_trips = step->kind == PLAN_LOOP && !step->matters;
	if (has_trips ? plan_formula_has(step->trips, cell)
		: (step->lower && step->kind != PLAN_LET && plan_formula_has(step->lower, cell))
			|| (step->upper && plan_formula_has(step->upper, cell)))
		return true;
	if (step->kind == PLAN_LET && plan_formula_has(step->lower, cell) && depends_on(step->body, step->cell))
		return true;
	bool depends = step->body && depends_on(step->body, cell);
	for (int i = 0; i < step->child_count && !depends; i++)
		depends = counts_in(step, step->children[i]) && depends_on(step->children[i], cell);
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

/* FORMULA reads a cell that is set inside. */
static bool is_inner(const struct known *known, const struct plan_formula *formula)
{
	for (int i = 0; i < known->inner_count; i++)
		if (plan_formula_has(formula, known->inner[i]))
			return true;
	return false;
}

static bool are_alike(const struct plan_formula *a, const struct plan_formula *b)
{
	bool same = a->op == b->op && a->value == b->value && a->cell == b->cell;
	for (int i = 0; i < plan_operand_count(a->op) && same; i++)
		same = are_alike(a->operands[i], b->operands[i]);
	return same;
}

/* Adds the largest parts of FORMULA (NULL: there is none) that are known outside. */
static void know_formula(struct machine *machine, struct known *known, const struct plan_formula *formula)
{
	if (!formula || formula->op == PLAN_CONST)
		return;
	if (is_inner(known, formula)) {
		for (int i = 0; i < plan_operand_count(formula->op); i++)
			know_formula(machine, known, formula->operands[i]);
		return;
	}
	for (int i = 0; i < known->count; i++)
		if (are_alike(known->formulas[i], formula))
			return;
	known->formulas = arena_grow(machine->cells.arena, known->formulas, (size_t)known->count, &known->capacity,
		sizeof *known->formulas);
	known->formulas[known->count++] = formula;
}

static void know_inner(struct machine *machine, struct known *known, const struct step *step)
{
	if (step->cell) {
		known->inner = arena_grow(machine->cells.arena, known->inner, (size_t)known->inner_count,
			&known->inner_capacity, sizeof *known->inner);
		known->inner[known->inner_count++] = step->cell;
	}
	if (step->body)
		know_inner(machine, known, step->body);
	for (int i = 0; i < step->child_count; i++)
		know_inner(machine, known, step->children[i]);
}

/* STEP adds to SUM. */
static void know_sum(struct machine *machine, struct known *known, double *sum)
{
	for (int i = 0; i < known->sum_count; i++)
		if (known->sums[i] == sum)
			return;
	known->sums = arena_grow(machine->cells.arena, known->sums, (size_t)known->sum_count, &known->sum_capacity,
		sizeof *known->sums);
	known->sums[known->sum_count++] = sum;
}

/* Adds what decides about STEP, and the sums that it adds to. */
static void know_step(struct machine *machine, struct known *known, const struct step *step)
{
	bool has_trips = step->kind == PLAN_LOOP && !step->matters;
	know_formula(machine, known, has_trips ? step->trips : step->lower);
	know_formula(machine, known, has_trips ? NULL : step->upper);
	if (step->words)
		know_sum(machine, known, step->words);
	if (step->body)
		know_step(machine, known, step->body);
	for (int i = 0; i < step->child_count; i++)
		if (counts_in(step, step->children[i]))
			know_step(machine, known, step->children[i]);
}

/* The place for what is found where the formulas have their values; *IS_NEW: it is not there. */
static size_t place_of(struct machine *machine, struct known *known, bool *is_new)
{
	size_t count = (size_t)known->count;
	unsigned long hash = 0;
	if (!known->keys) {
		known->values = ARENA_ARRAY(machine->cells.arena, long, count + 1);
		known->keys = ARENA_ARRAY(machine->cells.arena, long, KNOWN * (count + 1));
		known->found = ARENA_ARRAY(machine->cells.arena, double, KNOWN * (size_t)known->sum_count + 1);
	}
	for (size_t i = 0; i < count; i++) {
		known->values[i] = plan_formula_value(known->formulas[i]);
		hash = (hash + (unsigned long)known->values[i]) * 0x9E3779B97F4A7C15UL;
	}
	size_t place = (hash ^ hash >> 32) % KNOWN;
	long *key = &known->keys[place * (count + 1)];
	*is_new = !key[0] || memcmp(key + 1, known->values, count * sizeof *key);
	key[0] = 1;
	memcpy(key + 1, known->values, count * sizeof *key);
	return place;
}

/* Adds what FIND adds for STEP to some sums, if need be by asking it. */
static void add_known(struct machine *machine, const struct step *step,
	void (*find)(struct machine *machine, const struct step *step))
{
	struct known *known = step->known;
	bool is_new;
	double before[ARRAY_WAYS * TRAVELLERS];
	size_t place = place_of(machine, known, &is_new);
	double *found = &known->found[place * (size_t)known->sum_count];
	machine->steps--;
	for (int i = 0; i < known->sum_count; i++) {
		before[i] = *known->sums[i];
		*known->sums[i] = is_new ? 0 : found[i];
	}
	if (is_new)
		find(machine, step);
	for (int i = 0; i < known->sum_count; i++) {
		found[i] = *known->sums[i];
		*known->sums[i] += before[i];
	}
}

static void fill_elements(struct machine *machine, const struct plan_node *node, struct step *step)
{
	enum array_way way;
	const struct plan_buffer *buffer;
	step->is_element = node->kind == PLAN_LOOP && node->loop == LOOP_ELEMENT;
	step->has_elements |= step->is_element;
	if (node->kind == PLAN_MOVE && word_travels(node->move, &way, &buffer)) {
		step->has_words = true;
		step->words = &machine->array.load.words[way][buffer->is_double][traveller_of(machine->body, buffer)];
	}
	step->has_copies |= node->kind == PLAN_STEP;
	if (node->kind == PLAN_STEP || (node->kind == PLAN_LOOP && step->has_words && !step->has_copies))
		step->known = ARENA_NEW(machine->cells.arena, struct known);
	if (step->known) {
		know_inner(machine, step->known, step);
		know_step(machine, step->known, step);
	}
	if (node->kind == PLAN_STEP)
		know_sum(machine, step->known, &machine->most);
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
		step->has_words |= step->children[i]->has_words;
		step->has_macs |= step->children[i]->has_macs;
		step->has_elements |= step->children[i]->has_elements;
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
		step->has_words |= step->body->has_words;
		step->has_macs |= step->body->has_macs;
		step->has_elements |= step->body->has_elements;
	}
	if (node->kind == PLAN_LOOP) {
		step->matters = depends_on(step->body, step->cell);
		step->trips = plan_formula_of(&machine->cells, plan_make(machine->cells.arena, PLAN_SUB, node->upper, node->lower));
	}
	if (node->kind == PLAN_COMPUTE)
		step->macs = statement_macs(node->statement);
	step->has_macs |= step->macs > 0;
	if (node->kind == PLAN_TRANSFER)
		fill_transfer(machine, &node->transfer, step);
	step->has_copies |= node->kind == PLAN_WAIT;
	if (machine->arch->array.mac_cycles > 0)
		fill_elements(machine, node, step);
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

/* The array's clock says that it is NOW. */
static void go_on(struct machine *machine, double now)
{
	machine->now = whole(machine, now);
	machine->sum.compute_cycles += whole(machine, machine->array.computing);
	machine->sum.move_cycles += whole(machine, machine->array.moving);
	machine->sum.network_cycles += whole(machine, machine->array.travelling);
	machine->array.computing = machine->array.moving = machine->array.travelling = 0;
}

/* A call of the runtime: what the core has computed since the last one takes its time, and so does what leaves
 * elements. */
static void compute(struct machine *machine)
{
	if (machine->array.array)
		go_on(machine, array_clock_drain(&machine->array, (double)machine->now, true));
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
	if (machine->array.array)
		array_clock_wait(&machine->array, (double)done);
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
	if (!step->has_macs || --machine->steps < 0)
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
	if (!step->matters) {
		long trips = plan_formula_value(step->trips);
		return trips < 0 ? 0 : (double)(trips / step->stride + 1) * macs_in(machine, step->body);
	}
	long lower = plan_formula_value(step->lower), upper = plan_formula_value(step->upper);
	for (long at = lower; at <= upper && machine->steps >= 0; at += step->stride) {
		step->cell->value = at;
		macs += macs_in(machine, step->body);
	}
	return macs;
}

/* Words that travel in STEP, which has no copies, TIMES times. */
static void load_words(struct machine *machine, const struct step *step, double times)
{
	if (!step->has_words || --machine->steps < 0)
		return;
	if (step->words)
		*step->words += times;
	for (int i = 0; i < step->child_count; i++)
		load_words(machine, step->children[i], times);
	if (step->kind == PLAN_LET)
		step->cell->value = plan_formula_value(step->lower);
	if (step->kind == PLAN_LET || (step->kind == PLAN_IF && plan_formula_value(step->lower)))
		load_words(machine, step->body, times);
	if (step->kind != PLAN_LOOP)
		return;
	if (!step->matters) {
		long trips = plan_formula_value(step->trips);
		if (trips >= 0)
			load_words(machine, step->body, times * (double)(trips / step->stride + 1));
		return;
	}
	long upper = plan_formula_value(step->upper);
	for (long at = plan_formula_value(step->lower); at <= upper && machine->steps >= 0; at += step->stride) {
		step->cell->value = at;
		load_words(machine, step->body, times);
	}
}

static void load_once(struct machine *machine, const struct step *step)
{
	load_words(machine, step, 1);
}

/* An element has done what it does in this step. */
static void end_element(struct machine *machine)
{
	machine->most = machine->macs > machine->most ? machine->macs : machine->most;
	machine->macs = 0;
}

/* What elements do in STEP, one after the other. */
static void do_elements(struct machine *machine, const struct step *step)
{
	if (!step->has_elements) {
		machine->macs += macs_in(machine, step);
		return;
	}
	if (--machine->steps < 0)
		return;
	for (int i = 0; i < step->child_count; i++)
		do_elements(machine, step->children[i]);
	if (step->kind == PLAN_LET)
		step->cell->value = plan_formula_value(step->lower);
	if (step->kind == PLAN_LET || (step->kind == PLAN_IF && plan_formula_value(step->lower)))
		do_elements(machine, step->body);
	if (step->kind != PLAN_LOOP)
		return;
	long upper = plan_formula_value(step->upper);
	for (long at = plan_formula_value(step->lower); at <= upper && machine->steps >= 0; at += step->stride) {
		step->cell->value = at;
		do_elements(machine, step->body);
		if (step->is_element && !step->body->has_elements)
			end_element(machine);
	}
}

static void find_most(struct machine *machine, const struct step *step)
{
	machine->macs = 0;
	do_elements(machine, step->body);
	end_element(machine);
}

/* A step of elements: the busiest one counts. */
static void do_step(struct machine *machine, const struct step *step)
{
	machine->most = 0;
	add_known(machine, step, find_most);
	go_on(machine, array_clock_step(&machine->array, (double)machine->now, machine->most));
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
	if (!step->has_copies && step->known) {
		add_known(machine, step, load_once);
		return;
	}
	if (!step->has_copies && !step->has_words) {
		machine->macs += machine->arch->core_mac_cycles > 0 ? macs_in(machine, step) : 0;
		return;
	}
	if (--machine->steps < 0)
		return;
	if (step->kind == PLAN_STEP) {
		do_step(machine, step);
		return;
	}
	if (step->words)
		++*step->words;
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

/* Nothing of the nest before is on its way to elements, or from them. */
static void begin_nest(struct machine *machine, const struct plan_node *body)
{
	const struct pe_array *array = &machine->arch->array;
	machine->body = body;
	array_clock_begin(&machine->array, array->mac_cycles > 0 ? array : NULL, traveller_of(body, NULL),
		(double)machine->now);
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
		begin_nest(&machine, plan->nests[n].body);
		walk(&machine, step_of(&machine, plan->nests[n].body));
		compute(&machine);
		times[n] = machine.sum;
		times[n].cycles = later(machine.now, machine.last_end) - begun;
		is_known = machine.steps >= 0;
	}
	arena_free(arena);
	return is_known;
}

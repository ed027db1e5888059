/* The time that a plan takes: its loops are walked, command by command, beside a core and a DMA
 * engine as docs/machine.md defines them.  Statements are not run but counted, a whole nest of point
 * loops at a time where its bounds do not depend on the loops inside.  An iteration that does the same
 * commands as an earlier one, on a machine in the same state, is not walked again. */

#include "ir/plan_time.h"

#include <string.h>

#include "ir/machine_clock.h"
#include "ir/macs.h"
#include "ir/plan_box.h"
#include "ir/plan_formula.h"

enum { STEPS = 100000000 };

/* A plan_node, ready to be walked. */
struct step {
	enum plan_kind kind;
	int child_count;
	struct step **children;
	struct step *body;
	struct plan_cell *cell;           /* of a loop */
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
	struct seen *seen;           /* of a loop with copies: the iterations that have been walked */
};

/* The formulas whose values decide about a part of the plan, and are known outside of it: what it does is found once for
 * each of their values, as long as there is room. */
struct outside {
	int count, inner_count;
	size_t capacity, inner_capacity;
	const struct plan_formula **formulas;
	const struct plan_cell **inner;      /* cells that are set inside */
};

/* What elements do in a step, or words do in a loop. */
enum { KNOWN = 1 << 12 };
struct known {
	struct outside outside;
	int sum_count;
	size_t sum_capacity;
	double **sums;               /* that it adds to */
	long *values;                /* of the formulas, where the walk is */
	long *keys;                  /* [KNOWN * (count + 1)]: 1, and the values of the formulas; 0: none */
	double *found;               /* [KNOWN * sum_count] */
};

/* What an iteration of a loop does to the machine, whose state decides about it too. */
enum { SEEN = 1 << 8 };
struct seen {
	struct outside outside;
	size_t key_size, entry_size;
	long *key;                   /* the values of the formulas, and the state */
	long *entries;               /* [SEEN * entry_size]: 1, or 0 for none; the key; the effect */
};

struct machine {
	const struct arch *arch;
	struct plan_cells cells;
	long steps;                  /* that are left */
	struct machine_clock clock;
	unsigned tags;               /* that the nest uses */
	double most;                 /* multiply-accumulates of an element so far, in this step */
	const struct plan_node *body;        /* of the nest */
	bool has_steps;              /* elements compute it */
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
		: (step->lower && plan_formula_has(step->lower, cell))
			|| (step->upper && plan_formula_has(step->upper, cell)))
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
	machine->tags |= 1U << step->tag;
	step->rank = transfer->buffer->rank;
	step->element_bytes = transfer->buffer->array->type.bytes;
	for (int d = 0; d < step->rank; d++)
		step->count[d] = plan_formula_of(&machine->cells, transfer->count[d]);
}

/* FORMULA reads a cell that is set inside. */
static bool is_inner(const struct outside *outside, const struct plan_formula *formula)
{
	for (int i = 0; i < outside->inner_count; i++)
		if (plan_formula_has(formula, outside->inner[i]))
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
static void add_formula(struct machine *machine, struct outside *outside, const struct plan_formula *formula)
{
	if (!formula || formula->op == PLAN_CONST)
		return;
	if (is_inner(outside, formula)) {
		for (int i = 0; i < plan_operand_count(formula->op); i++)
			add_formula(machine, outside, formula->operands[i]);
		return;
	}
	for (int i = 0; i < outside->count; i++)
		if (are_alike(outside->formulas[i], formula))
			return;
	outside->formulas = arena_grow(machine->cells.arena, outside->formulas, (size_t)outside->count, &outside->capacity,
		sizeof *outside->formulas);
	outside->formulas[outside->count++] = formula;
}

static void add_inner(struct machine *machine, struct outside *outside, const struct step *step)
{
	if (step->cell) {
		outside->inner = arena_grow(machine->cells.arena, outside->inner, (size_t)outside->inner_count,
			&outside->inner_capacity, sizeof *outside->inner);
		outside->inner[outside->inner_count++] = step->cell;
	}
	if (step->body)
		add_inner(machine, outside, step->body);
	for (int i = 0; i < step->child_count; i++)
		add_inner(machine, outside, step->children[i]);
}

/* The formulas of STEP itself.  Of a loop whose variable does not matter the number of iterations is enough. */
static void add_own_formulas(struct machine *machine, struct outside *outside, const struct step *step)
{
	bool has_trips = step->kind == PLAN_LOOP && !step->has_copies && !step->matters;
	add_formula(machine, outside, has_trips ? step->trips : step->lower);
	add_formula(machine, outside, has_trips ? NULL : step->upper);
	for (int d = 0; d < step->rank; d++)
		add_formula(machine, outside, step->count[d]);
}

static void outside_values(const struct outside *outside, long *values)
{
	for (int i = 0; i < outside->count; i++)
		values[i] = plan_formula_value(outside->formulas[i]);
}

static unsigned long hash_of(const long *values, size_t count)
{
	unsigned long hash = 0;
	for (size_t i = 0; i < count; i++)
		hash = (hash + (unsigned long)values[i]) * 0x9E3779B97F4A7C15UL;
	return hash ^ hash >> 32;
}

/* ---- what is known of words and elements ---- */

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
	add_own_formulas(machine, &known->outside, step);
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
	size_t count = (size_t)known->outside.count;
	if (!known->keys) {
		known->values = ARENA_ARRAY(machine->cells.arena, long, count + 1);
		known->keys = ARENA_ARRAY(machine->cells.arena, long, KNOWN * (count + 1));
		known->found = ARENA_ARRAY(machine->cells.arena, double, KNOWN * (size_t)known->sum_count + 1);
	}
	outside_values(&known->outside, known->values);
	size_t place = hash_of(known->values, count) % KNOWN;
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
		step->words = &machine->clock.array.load.words[way][buffer->is_double][traveller_of(machine->body, buffer)];
	}
	step->has_copies |= node->kind == PLAN_STEP;
	machine->has_steps |= node->kind == PLAN_STEP;
	if (node->kind == PLAN_STEP || (node->kind == PLAN_LOOP && step->has_words && !step->has_copies))
		step->known = ARENA_NEW(machine->cells.arena, struct known);
	if (step->known) {
		add_inner(machine, &step->known->outside, step);
		know_step(machine, step->known, step);
	}
	if (node->kind == PLAN_STEP)
		know_sum(machine, step->known, &machine->most);
}

static struct step *step_of(struct machine *machine, const struct plan_node *node)
{
	if (node->kind == PLAN_LET) {
		plan_cell_of(&machine->cells, node->var)->definition = plan_formula_of(&machine->cells, node->lower);
		return step_of(machine, node->body);
	}
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
	if (node->kind == PLAN_LOOP) {
		step->cell = plan_cell_of(&machine->cells, node->var);
		step->lower = plan_formula_of(&machine->cells, node->lower);
		step->upper = plan_formula_of(&machine->cells, node->upper);
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
	if (step->kind == PLAN_IF && plan_formula_value(step->lower))
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
	machine->most = machine->clock.macs > machine->most ? machine->clock.macs : machine->most;
	machine->clock.macs = 0;
}

/* What elements do in STEP, one after the other. */
static void do_elements(struct machine *machine, const struct step *step)
{
	if (!step->has_elements) {
		machine->clock.macs += macs_in(machine, step);
		return;
	}
	if (--machine->steps < 0)
		return;
	for (int i = 0; i < step->child_count; i++)
		do_elements(machine, step->children[i]);
	if (step->kind == PLAN_IF && plan_formula_value(step->lower))
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
	machine->clock.macs = 0;
	do_elements(machine, step->body);
	end_element(machine);
}

/* A step of elements: the busiest one counts. */
static void do_step(struct machine *machine, const struct step *step)
{
	machine->most = 0;
	add_known(machine, step, find_most);
	clock_step(&machine->clock, machine->most);
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
	clock_copy(&machine->clock, step->is_put, step->tag, runs, run);
}

static void walk(struct machine *machine, struct step *step);

/* Adds what decides about STEP, which has copies or is computed beside them. */
static void see_step(struct machine *machine, struct seen *seen, const struct step *step)
{
	if (!step->has_copies && !step->has_words && !step->has_macs)
		return;
	add_own_formulas(machine, &seen->outside, step);
	if (step->body)
		see_step(machine, seen, step->body);
	for (int i = 0; i < step->child_count; i++)
		see_step(machine, seen, step->children[i]);
}

/* Nothing has been seen of the iterations of LOOP. */
static struct seen *seen_none(struct machine *machine, const struct step *loop)
{
	struct arena *arena = machine->cells.arena;
	struct seen *seen = ARENA_NEW(arena, struct seen);
	long state[STATE_LIMIT], effect[EFFECT_LIMIT];
	add_inner(machine, &seen->outside, loop->body);
	see_step(machine, seen, loop->body);
	seen->key_size = (size_t)seen->outside.count + (size_t)clock_state(&machine->clock, machine->tags, state);
	seen->entry_size = 1 + seen->key_size + (size_t)clock_effect(&machine->clock, &machine->clock, machine->tags,
		effect);
	seen->key = ARENA_ARRAY(arena, long, seen->key_size);
	seen->entries = ARENA_ARRAY(arena, long, SEEN * seen->entry_size);
	return seen;
}

/* An iteration of a loop: what it does is walked, or known from an earlier one. */
static void walk_iteration(struct machine *machine, struct seen *seen, struct step *body)
{
	size_t key_bytes = seen->key_size * sizeof *seen->key;
	outside_values(&seen->outside, seen->key);
	clock_state(&machine->clock, machine->tags, seen->key + seen->outside.count);
	long *entry = &seen->entries[hash_of(seen->key, seen->key_size) % SEEN * seen->entry_size];
	if (entry[0] && !memcmp(entry + 1, seen->key, key_bytes)) {
		machine->steps--;
		clock_apply(&machine->clock, machine->tags, entry + 1 + seen->key_size);
		return;
	}
	struct machine_clock before = machine->clock;
	walk(machine, body);
	entry[0] = 1;
	memcpy(entry + 1, seen->key, key_bytes);
	clock_effect(&before, &machine->clock, machine->tags, entry + 1 + seen->key_size);
}

static void walk_loop(struct machine *machine, struct step *loop)
{
	long upper = plan_formula_value(loop->upper);
	if (loop->has_copies && !loop->seen)
		loop->seen = seen_none(machine, loop);
	for (long at = plan_formula_value(loop->lower); at <= upper && machine->steps >= 0 && !machine->clock.is_over; at += loop->stride) {
		loop->cell->value = at;
		if (loop->seen)
			walk_iteration(machine, loop->seen, loop->body);
		else
			walk(machine, loop->body);
	}
}

static void walk(struct machine *machine, struct step *step)
{
	if (!step->has_copies && step->known) {
		add_known(machine, step, load_once);
		return;
	}
	if (!step->has_copies && !step->has_words) {
		machine->clock.macs += machine->arch->core_mac_cycles > 0 ? macs_in(machine, step) : 0;
		return;
	}
	if (--machine->steps < 0 || machine->clock.is_over)
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
		clock_wait(&machine->clock, step->tags);
	if (step->kind == PLAN_IF && plan_formula_value(step->lower))
		walk(machine, step->body);
	if (step->kind == PLAN_LOOP)
		walk_loop(machine, step);
}

/* Where NODE, a nest, leaves the machine. */
static void walk_nest(struct machine *machine, const struct plan_node *node)
{
	machine->body = node;
	machine->tags = 0;
	machine->has_steps = false;
	struct step *step = step_of(machine, node);
	struct travellers travellers = travellers_of(node);
	clock_begin_nest(&machine->clock, machine->has_steps ? &travellers : NULL);
	walk(machine, step);
	clock_call(&machine->clock);
}

static long end_of(const struct machine_clock *clock)
{
	return clock->now > clock->last_end ? clock->now : clock->last_end;
}

bool plan_times(const struct plan *plan, struct plan_time *times)
{
	const struct arch *arch = plan->arch;
	struct arena *arena = arena_new();
	struct machine machine = { .arch = arch, .cells.arena = arena, .steps = STEPS };
	bool is_known = arch_has_clock(arch);
	clock_begin(&machine.clock, arch);
	for (int n = 0; n < plan->nest_count && is_known; n++) {
		long begun = end_of(&machine.clock);
		walk_nest(&machine, plan->nests[n].body);
		times[n] = machine.clock.sum;
		times[n].cycles = end_of(&machine.clock) - begun;
		is_known = machine.steps >= 0 && !machine.clock.is_over;
	}
	arena_free(arena);
	return is_known;
}

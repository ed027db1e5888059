#include "tests/optimality/dmazerunner.h"

#include <float.h>
#include <math.h>
#include <string.h>

const struct dm_machine dm_paper = { 256, 256, 32, 1024, 0.96, 2, 13.5, 200, 0.075 };

enum { WORD_BYTES = 2 };

bool dm_indexes(int operand, int loop)
{
	static const unsigned indexed[] = {
		1u << DM_N | 1u << DM_C | 1u << DM_X | 1u << DM_Y | 1u << DM_FX | 1u << DM_FY,
		1u << DM_M | 1u << DM_C | 1u << DM_FX | 1u << DM_FY,
		1u << DM_N | 1u << DM_M | 1u << DM_X | 1u << DM_Y };

	return indexed[operand] >> loop & 1;
}

static long product(const long *trips)
{
	long all = 1;

	for (int l = 0; l < DM_LOOPS; l++)
		all *= trips[l];
	return all;
}

/* Extents of OPERAND's dimensions, the outermost first, for so many iterations of each loop. */
static void dimensions(const struct dm_layer *layer, int operand, const long *t, long *extents)
{
	if (operand == DM_INPUT) {
		extents[0] = t[DM_N];
		extents[1] = t[DM_C];
		extents[2] = (t[DM_X] - 1) * layer->stride + t[DM_FX];
		extents[3] = (t[DM_Y] - 1) * layer->stride + t[DM_FY];
	} else if (operand == DM_WEIGHT) {
		memcpy(extents, (long[]){ t[DM_M], t[DM_C], t[DM_FX], t[DM_FY] }, 4 * sizeof *extents);
	} else {
		memcpy(extents, (long[]){ t[DM_N], t[DM_M], t[DM_X], t[DM_Y] }, 4 * sizeof *extents);
	}
}

static long region(const struct dm_layer *layer, int operand, const long *trips)
{
	long extents[4];

	dimensions(layer, operand, trips, extents);
	return extents[0] * extents[1] * extents[2] * extents[3];
}

/* Cycles of the copies of a region: one for each contiguous run of the array. */
static long copy_cycles(const struct dm_layer *layer, int operand, const long *trips)
{
	long extents[4], whole[4], run = 1, runs = 1;
	bool is_contiguous = true;

	dimensions(layer, operand, trips, extents);
	dimensions(layer, operand, layer->extents, whole);
	if (operand == DM_INPUT)
		whole[2] = whole[3] = layer->input;
	for (int d = 3; d >= 0; d--) {
		if (is_contiguous)
			run *= extents[d];
		else
			runs *= extents[d];
		is_contiguous = is_contiguous && extents[d] == whole[d];
	}
	return runs * (long)ceil((291 + 0.24 * WORD_BYTES * (double)run) * (500.0 / 3200));
}

/* Algorithm 1: how many passes an operand stays for, with the loops of INNERMOST inside the others. */
static long reuse_of(int operand, const long *trips, unsigned innermost)
{
	long reuse = 1;

	for (int l = 0; l < DM_LOOPS; l++)
		if (innermost >> l & 1 && trips[l] > 1) {
			if (dm_indexes(operand, l))
				return 1;
			reuse *= trips[l];
		}
	/* of the loops outside those some index it, unless none is left */
	for (int l = 0; l < DM_LOOPS; l++)
		if (dm_indexes(operand, l) && trips[l] > 1)
			return reuse;
	return product(trips);
}

/* What is known of a mapping before its orders are. */
struct tiling {
	const struct dm_layer *layer;
	const struct dm_machine *machine;
	long region[DM_LEVELS][DM_OPERANDS], delivered[DM_OPERANDS], copies[DM_OPERANDS], distinct[DM_OPERANDS];
	long passes, register_passes, iterations, reductions;
};

static void tiling_fill(const struct dm_layer *layer, const struct dm_machine *machine,
	const struct dm_mapping *mapping, struct tiling *tiling)
{
	long trips[DM_LEVELS][DM_LOOPS], groups = 1, group = 1;

	for (int l = 0; l < DM_LOOPS; l++) {
		long space = mapping->trips[DM_SPACE][l];

		trips[DM_RF][l] = mapping->trips[DM_RF][l];
		trips[DM_SPACE][l] = trips[DM_RF][l] * space;
		trips[DM_SPM][l] = trips[DM_SPACE][l] * mapping->trips[DM_SPM][l];
		if (dm_indexes(DM_OUTPUT, l))
			groups *= space;
		else
			group *= space;
	}
	tiling->layer = layer;
	tiling->machine = machine;
	tiling->passes = product(mapping->trips[DM_DRAM]);
	tiling->register_passes = product(mapping->trips[DM_SPM]);
	tiling->iterations = product(mapping->trips[DM_RF]);
	for (int o = 0; o < DM_OPERANDS; o++) {
		tiling->distinct[o] = 1;
		for (int l = 0; l < DM_LOOPS; l++)
			tiling->distinct[o] *= dm_indexes(o, l) ? mapping->trips[DM_DRAM][l] : 1;
		tiling->copies[o] = copy_cycles(layer, o, trips[DM_SPM]);
		for (int level = DM_SPM; level <= DM_SPACE; level++)
			tiling->region[level][o] = region(layer, o, trips[level]);
		/* of elements that add up what they have of one output, one sends it */
		tiling->delivered[o] = tiling->region[DM_RF][o] * groups * (o == DM_OUTPUT ? 1 : group);
	}
	tiling->reductions = (group - 1) * groups * tiling->region[DM_RF][DM_OUTPUT];
}

static double scratchpad_pj(const struct tiling *tiling, int operand)
{
	return (double)tiling->delivered[operand] * tiling->machine->network_pj +
		(double)tiling->region[DM_SPACE][operand] * tiling->machine->scratchpad_pj;
}

static void count_words(const struct tiling *tiling, const long *reuse, const long *register_reuse,
	struct dm_price *price)
{
	for (int o = 0; o < DM_OPERANDS; o++) {
		bool stays = register_reuse[o] == tiling->register_passes && reuse[o] > 1;
		long visits = tiling->passes / reuse[o];
		long times = stays ? visits : tiling->passes * (tiling->register_passes / register_reuse[o]) *
			(o == DM_OUTPUT ? 2 : 1);

		price->stays[o] = stays;
		price->dram_words[o] = tiling->region[DM_SPM][o] *
			(visits + (o == DM_OUTPUT ? visits - tiling->distinct[o] : 0));
		price->array_words[o] = tiling->region[DM_SPACE][o] * times;
		price->delivered_words[o] = tiling->delivered[o] * times;
		if (o == DM_OUTPUT)
			price->reductions = tiling->reductions * (stays ? times : times / 2);
	}
}

static void price_energy(const struct tiling *tiling, const long *reuse, const long *register_reuse,
	struct dm_price *price)
{
	const struct dm_machine *machine = tiling->machine;
	double macs = (double)product(tiling->layer->extents);
	double reduction = (double)tiling->reductions *
		(3 * machine->register_pj + machine->network_pj + machine->mac_pj);

	price->pass_pj = price->dram_pj = 0;
	for (int o = 0; o < DM_OPERANDS; o++) {
		double pj = scratchpad_pj(tiling, o), more = o == DM_OUTPUT ? reduction : 0;

		price->dram_pj += (double)price->dram_words[o] * machine->dram_pj;
		if (register_reuse[o] == tiling->register_passes && reuse[o] > 1)
			price->dram_pj += (pj + more) * (double)(tiling->passes / reuse[o]);
		else
			price->pass_pj += ((o == DM_OUTPUT ? 2 * pj : pj) + more) *
				(double)(tiling->register_passes / register_reuse[o]);
	}
	price->energy_pj = macs * (machine->mac_pj + 4 * machine->register_pj) +
		price->pass_pj * (double)tiling->passes + price->dram_pj;
}

/* Cycles of one pass over a half of the scratchpad: of operands that move as often only the longest counts, and one that
 * moves less often adds what it takes longer.  Where outputs leave, the array waits for what it does to them. */
static void price_pass(const struct tiling *tiling, const long *reuse, const long *register_reuse,
	struct dm_price *price)
{
	bool is_done[DM_OPERANDS] = { false };
	long longest = tiling->iterations, all = longest * tiling->register_passes;

	for (int o = 0; o < DM_OPERANDS; o++)
		is_done[o] = register_reuse[o] == tiling->register_passes && reuse[o] > 1;
	if (!is_done[DM_OUTPUT] && register_reuse[DM_OUTPUT] == 1)
		longest = all = 0;
	price->register_pass_cycles = 0;
	for (;;) {
		long every = 0, words = 0, stall = 0;

		for (int o = 0; o < DM_OPERANDS; o++)
			if (!is_done[o] && (every == 0 || register_reuse[o] < every))
				every = register_reuse[o];
		if (every == 0)
			break;
		for (int o = 0; o < DM_OPERANDS; o++) {
			if (is_done[o] || register_reuse[o] != every)
				continue;
			is_done[o] = true;
			words = words > tiling->region[DM_SPACE][o] ? words : tiling->region[DM_SPACE][o];
			if (o == DM_OUTPUT)
				stall = tiling->iterations + tiling->reductions;
		}
		if (every == 1)
			price->register_pass_cycles = words;
		if (words > longest) {
			all += (words - longest) * (tiling->register_passes / every);
			longest = words;
		}
		all += stall * (tiling->register_passes / every);
	}
	price->pass_cycles = all;
}

static long more_than(long a, long b)
{
	return a > b ? a - b : 0;
}

/* Passes in which an operand moves that stays for some take longer: once as it comes, and once as it leaves. */
static void price_cycles(const struct tiling *tiling, const long *reuse, const long *register_reuse,
	struct dm_price *price)
{
	long pass = price->pass_cycles, copies = 0, usual;

	for (int o = 0; o < DM_OPERANDS; o++)
		if (reuse[o] == 1)
			copies += tiling->copies[o] * (o == DM_OUTPUT ? 2 : 1);
	usual = copies > pass ? copies : pass;
	price->cycles = (double)usual * (double)tiling->passes;
	for (int o = 0; o < DM_OPERANDS; o++) {
		long fetch = pass, store = pass, all = copies + tiling->copies[o];
		bool is_output = o == DM_OUTPUT;

		if (reuse[o] == 1)
			continue;
		if (register_reuse[o] == tiling->register_passes) {
			store += more_than(tiling->region[DM_SPACE][o], price->register_pass_cycles);
			fetch += is_output ? tiling->reductions + tiling->iterations : 0;
		}
		fetch = fetch > all ? fetch : all;
		all = is_output ? all : copies;
		store = store > all ? store : all;
		price->cycles += (double)(more_than(fetch, usual) + more_than(store, usual)) *
			(double)(tiling->passes / reuse[o]);
	}
}

static void price_orders(const struct tiling *tiling, const long *reuse, const long *register_reuse,
	struct dm_price *price)
{
	count_words(tiling, reuse, register_reuse, price);
	price_energy(tiling, reuse, register_reuse, price);
	price_pass(tiling, reuse, register_reuse, price);
	price_cycles(tiling, reuse, register_reuse, price);
}

void dm_evaluate(const struct dm_layer *layer, const struct dm_machine *machine, const struct dm_mapping *mapping,
	struct dm_price *price)
{
	struct tiling tiling;
	long reuse[DM_OPERANDS], register_reuse[DM_OPERANDS];

	tiling_fill(layer, machine, mapping, &tiling);
	for (int o = 0; o < DM_OPERANDS; o++) {
		reuse[o] = reuse_of(o, mapping->trips[DM_DRAM], mapping->innermost[DM_DRAM]);
		register_reuse[o] = reuse_of(o, mapping->trips[DM_SPM], mapping->innermost[DM_SPM]);
	}
	memcpy(price->region, tiling.region, sizeof price->region);
	memcpy(price->copy_cycles, tiling.copies, sizeof price->copy_cycles);
	price_orders(&tiling, reuse, register_reuse, price);
}

/* ---- all mappings ---- */

struct walk {
	const struct dm_layer *layer;
	const struct dm_machine *machine;
	bool is_pruned;
	struct dm_mapping mapping;
	long left[DM_LEVELS][DM_LOOPS];        /* to be shared by this level and those outside it */
	struct dm_best *best;
};

/* The different ways in which operands stay at a level: for each operand, each set of the loops that do not
 * index it innermost (table 2 has the 15 of them). */
static int list_reuses(const long *trips, long reuses[][DM_OPERANDS])
{
	int count = 0;

	for (int o = 0; o < DM_OPERANDS; o++)
		for (unsigned set = 1; set < 1u << DM_LOOPS; set++) {
			bool is_allowed = true, is_new = true;

			for (int l = 0; l < DM_LOOPS; l++)
				if (set >> l & 1 && (dm_indexes(o, l) || trips[l] == 1))
					is_allowed = false;
			if (!is_allowed)
				continue;
			for (int k = 0; k < DM_OPERANDS; k++)
				reuses[count][k] = reuse_of(k, trips, set);
			for (int i = 0; i < count; i++)
				is_new = is_new && memcmp(reuses[i], reuses[count], sizeof reuses[i]) != 0;
			count += is_new;
		}
	if (count == 0)
		for (int k = 0; k < DM_OPERANDS; k++)
			reuses[count][k] = 1;
	return count > 0 ? count : 1;
}

static void price_tiling(struct walk *walk)
{
	long outer[16][DM_OPERANDS], inner[16][DM_OPERANDS];
	int outers = list_reuses(walk->mapping.trips[DM_DRAM], outer);
	int inners = list_reuses(walk->mapping.trips[DM_SPM], inner);
	struct dm_best *best = walk->best;
	struct tiling tiling;

	tiling_fill(walk->layer, walk->machine, &walk->mapping, &tiling);
	best->tilings++;
	for (int i = 0; i < outers; i++)
		for (int j = 0; j < inners; j++) {
			struct dm_price price;

			price_orders(&tiling, outer[i], inner[j], &price);
			if (round(price.energy_pj) * price.cycles < best->edp) {
				best->edp = round(price.energy_pj) * price.cycles;
				best->energy_pj = price.energy_pj;
				best->cycles = price.cycles;
			}
		}
}

/* Whether what level LEVEL has to hold fits there, and is enough. */
static bool is_level_allowed(const struct walk *walk, int level)
{
	const struct dm_machine *machine = walk->machine;
	const struct dm_mapping *mapping = &walk->mapping;
	long trips[DM_LOOPS], words = 0, banks = 0;
	double least = walk->is_pruned ? level == DM_SPM ? 0.5 : 0.8 : 0;

	if (level == DM_SPACE) {
		long elements = product(mapping->trips[DM_SPACE]);
		bool has_sums = mapping->trips[DM_SPACE][DM_C] * mapping->trips[DM_SPACE][DM_FX] *
			mapping->trips[DM_SPACE][DM_FY] > 1;

		return elements <= machine->elements && (!walk->is_pruned || !has_sums) &&
			(double)elements >= least * (double)machine->elements;
	}
	for (int l = 0; l < DM_LOOPS; l++)
		trips[l] = mapping->trips[DM_RF][l] * (level == DM_RF ? 1 :
			mapping->trips[DM_SPACE][l] * mapping->trips[DM_SPM][l]);
	for (int o = 0; o < DM_OPERANDS; o++) {
		long one = region(walk->layer, o, trips);

		words += one;
		banks += (one + machine->bank_words - 1) / machine->bank_words;
	}
	if (level == DM_RF)
		return words <= machine->registers && (double)words >= least * (double)machine->registers;
	for (int l = DM_FX; l <= DM_FY && walk->is_pruned; l++)
		if (mapping->trips[DM_SPM][l] < walk->left[DM_SPM][l])
			return false;
	return banks <= machine->banks && (double)words >= least * (double)(machine->banks * machine->bank_words);
}

/* Regions only grow with trip counts. */
static bool is_too_much(const struct walk *walk, int level)
{
	long trips[DM_LOOPS], words = 0;

	if (level == DM_SPACE)
		return product(walk->mapping.trips[DM_SPACE]) > walk->machine->elements;
	for (int l = 0; l < DM_LOOPS; l++)
		trips[l] = walk->mapping.trips[DM_RF][l] * (level == DM_RF ? 1 :
			walk->mapping.trips[DM_SPACE][l] * walk->mapping.trips[DM_SPM][l]);
	for (int o = 0; o < DM_OPERANDS; o++)
		words += region(walk->layer, o, trips);
	return words > (level == DM_RF ? walk->machine->registers : walk->machine->banks * walk->machine->bank_words);
}

/* Trip counts of LOOP and those after it at LEVEL, then those of the levels after: in space, registers, scratchpad. */
static void walk_level(struct walk *walk, int level, int loop)
{
	static const int next[] = { [DM_SPACE] = DM_RF, [DM_RF] = DM_SPM, [DM_SPM] = DM_DRAM };
	long *trips = walk->mapping.trips[level], all;

	if (loop == DM_LOOPS) {
		if (!is_level_allowed(walk, level))
			return;
		memcpy(walk->left[next[level]], walk->left[level], sizeof walk->left[level]);
		for (int l = 0; l < DM_LOOPS; l++)
			walk->left[next[level]][l] /= trips[l];
		if (next[level] != DM_DRAM) {
			walk_level(walk, next[level], 0);
			return;
		}
		memcpy(walk->mapping.trips[DM_DRAM], walk->left[DM_DRAM], sizeof walk->left[DM_DRAM]);
		price_tiling(walk);
		return;
	}
	all = walk->left[level][loop];
	for (long divisor = 1; divisor <= all; divisor++) {
		if (all % divisor != 0)
			continue;
		trips[loop] = divisor;
		if (is_too_much(walk, level))
			break;
		walk_level(walk, level, loop + 1);
	}
	trips[loop] = 1;
}

void dm_search(const struct dm_layer *layer, const struct dm_machine *machine, bool is_pruned, struct dm_best *best)
{
	struct walk walk = { .layer = layer, .machine = machine, .is_pruned = is_pruned, .best = best };

	for (int level = 0; level < DM_LEVELS; level++)
		for (int l = 0; l < DM_LOOPS; l++)
			walk.mapping.trips[level][l] = 1;
	memcpy(walk.left[DM_SPACE], layer->extents, sizeof layer->extents);
	*best = (struct dm_best){ .edp = DBL_MAX };
	walk_level(&walk, DM_SPACE, 0);
}

/* The best that partitions of the iterations prove; docs/search.md has the argument.
 *
 * Cut any execution into groups of F iterations.  What a group touches was on chip when it began or
 * came in during it, so all groups together bring in what they touch but one scratchpad each.  How
 * little F iterations can touch follows from Finner's inequality for projections (Loomis-Whitney is
 * the case of matrix products), with any exponents that cover every loop; small extents cover loops
 * too.  Where elements are shared by different numbers of iterations, groups are of equal weight. */

#include "passes/cost/bound_partition.h"

#include <math.h>
#include <string.h>

struct solver {
	const struct partition *partition;
	bool weighs;                 /* groups of equal weight, not of equal iterations */
	/* What a box of iterations is taken to touch of a term, by iteration of the loops that index
	 * it; right where all elements are shared alike. */
	double weight[PARTITION_TERMS];
};

/* ---- what exponents prove ---- */

/* F iterations touch at least sigma (F / K)^(1 / sigma) bytes. */
struct proof {
	double sigma, log_k;
	double slack;                /* iterations that a group may have more than it needs */
	double apart;                /* bytes of arrays without exponents, less what is lost */
};

static double extent_of(const struct solver *solver, int l)
{
	return solver->partition->extent[l];
}

/* Bytes of the arrays of which POWER has no term, less what groups count too much. */
static double bytes_apart(const struct partition *partition, const double *power)
{
	bool is_taken[MODEL_ARRAYS] = { false };
	double bytes = 0;

	for (int t = 0; t < partition->term_count; t++)
		if (power[t] > 0) {
			is_taken[partition->terms[t].array] = true;
			bytes -= partition->terms[t].loss;
		}
	for (int a = 0; a < MODEL_ARRAYS; a++)
		bytes += is_taken[a] ? 0 : partition->alone[a];
	return bytes;
}

static struct proof proof_of(const struct solver *solver, const double *power)
{
	const struct partition *partition = solver->partition;
	struct proof proof = { .apart = bytes_apart(partition, power) };
	double cover[MODEL_LOOPS], light = 0;

	for (int l = 0; l < partition->loop_count; l++)
		cover[l] = 1;
	for (int t = 0; t < partition->term_count; t++) {
		const struct partition_term *term = &partition->terms[t];
		double mean;

		if (power[t] == 0)
			continue;
		mean = solver->weighs ? spread_mean(&term->spread, power[t]) : log(term->spread.all);
		proof.sigma += power[t];
		proof.log_k += power[t] * (log(power[t] / term->bytes) + mean);
		light += solver->weighs ? power[t] * (mean - spread_least(&term->spread)) : 0;
		for (int l = 0; l < partition->loop_count; l++)
			cover[l] -= term->indexed >> l & 1 ? power[t] : 0;
	}
	for (int l = 0; l < partition->loop_count; l++)
		proof.log_k += cover[l] > 0 ? cover[l] * log(extent_of(solver, l)) : 0;
	proof.slack = solver->weighs ? exp(light) * partition->unit : 0;
	return proof;
}

static double touched_by(const struct proof *proof, double iterations)
{
	return proof->sigma * exp((log(iterations) - proof->log_k) / proof->sigma);
}

/* What groups of GROUP iterations, or more, prove. */
static double bound_of_groups(const struct solver *solver, const struct proof *proof, double group)
{
	const double iterations = solver->partition->iterations;
	const double scratchpad = solver->partition->scratchpad, unit = solver->partition->unit;
	double groups, rest, bound;

	group = solver->weighs ? group : floor(group / unit) * unit;
	group = fmin(fmax(group, unit), iterations);
	groups = floor(iterations / (group + proof->slack));
	if (groups < 1) {
		groups = 1;
		group = iterations;
	}
	rest = iterations - groups * (group + proof->slack);
	/* nothing is on chip at the beginning */
	bound = groups * (touched_by(proof, group) - scratchpad) + scratchpad;
	if (rest >= 1)
		bound += fmax(0, touched_by(proof, rest) - scratchpad);
	return proof->apart + bound;
}

/* What the exponents POWER of the terms prove, in groups of the best size, or in a whole number of
 * groups of about that size. */
static double bound_of_powers(const struct solver *solver, const double *power)
{
	const struct partition *partition = solver->partition;
	struct proof proof = proof_of(solver, power);
	double group, groups, best;

	if (proof.sigma <= 1)
		return 0;
	group = exp(proof.log_k + proof.sigma *
		log(partition->scratchpad / (proof.sigma - 1)));
	best = bound_of_groups(solver, &proof, group);
	groups = fmax(floor(partition->iterations / (group + proof.slack)), 1);
	for (int more = 0; more < 2; more++) {
		/* a little less, lest rounding makes it a group fewer */
		group = (partition->iterations / (groups + more) - proof.slack) * (1 - 1e-12);
		best = fmax(best, bound_of_groups(solver, &proof, group));
	}
	return best;
}

/* ---- the best exponents ---- */

/* The sets of iterations that touch least are boxes: where a box of so many iterations has the
 * least bytes, the shares of the terms in them, over what a longer side adds, are exponents
 * that prove it (docs/search.md).  Terms that the same loops index are one kind. */
struct box {
	const struct solver *solver;
	double side[MODEL_LOOPS];    /* 1 .. extent */
	int kind_count;
	unsigned indexed[PARTITION_TERMS];
	double least[PARTITION_TERMS];   /* bytes, by kind, where all sides are 1 */
	double bytes[PARTITION_TERMS];   /* that the box touches */
	int kind[PARTITION_TERMS];   /* by term; -1: it does not count */
};

static void box_init(struct box *box, const struct solver *solver, const bool *is_member)
{
	*box = (struct box){ .solver = solver };
	for (int l = 0; l < solver->partition->loop_count; l++)
		box->side[l] = 1;
	for (int t = 0; t < solver->partition->term_count; t++) {
		unsigned indexed = solver->partition->terms[t].indexed;
		int k = 0;

		box->kind[t] = -1;
		if (!is_member[t])
			continue;
		while (k < box->kind_count && box->indexed[k] != indexed)
			k++;
		box->kind[t] = k;
		box->indexed[k] = indexed;
		box->kind_count += k == box->kind_count;
		box->least[k] += solver->weight[t];
		box->bytes[k] = box->least[k];
	}
}

/* Bytes of the terms that loop L indexes and loop M does not; M -1: of all it indexes. */
static double bytes_along(const struct box *box, int l, int m)
{
	double bytes = 0;

	for (int k = 0; k < box->kind_count; k++)
		if ((box->indexed[k] >> l & 1) && (m < 0 || !(box->indexed[k] >> m & 1)))
			bytes += box->bytes[k];
	return bytes;
}

static void stretch(struct box *box, int l, double factor)
{
	box->side[l] *= factor;
	for (int k = 0; k < box->kind_count; k++)
		if (box->indexed[k] >> l & 1)
			box->bytes[k] *= factor;
}

static double clamped(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

/* Of two sides whose product stays, the lengths that touch least; returns how much longer or
 * shorter they became. */
static double exchange(struct box *box, int l, int m)
{
	double first = bytes_along(box, l, m), second = bytes_along(box, m, l);
	double least = fmax(1 / box->side[m], box->side[l] / extent_of(box->solver, l));
	double most = fmin(box->side[l], extent_of(box->solver, m) / box->side[m]);
	double factor = first == 0 && second == 0 ? 1 : second == 0 ? most :
		clamped(sqrt(first / second), least, most);

	if (fabs(factor - 1) < 1e-12)
		return 0;
	stretch(box, l, 1 / factor);
	stretch(box, m, factor);
	return fabs(factor - 1);
}

/* The box of VOLUME iterations that touches least, from one of another volume.  To touch as
 * little as possible is convex in the logarithms of the sides: pairs of sides lead there. */
static void set_volume(struct box *box, double volume)
{
	enum { ROUNDS = 200 };
	int loops = box->solver->partition->loop_count;
	double factor = volume, change = 1;

	for (int l = 0; l < loops; l++)
		factor /= box->side[l];
	for (int l = 0; l < loops; l++) {
		double share = clamped(factor, 1 / box->side[l],
			extent_of(box->solver, l) / box->side[l]);

		stretch(box, l, share);
		factor /= share;
	}
	for (int i = 0; i < ROUNDS && change > 1e-9; i++) {
		change = 0;
		for (int l = 0; l < loops; l++)
			for (int m = 0; m < l; m++)
				change = fmax(change, exchange(box, l, m));
	}
}

/* What the exponents prove where a longer side adds RATE bytes. */
static double bound_at_rate(const struct box *box, double rate)
{
	const struct solver *solver = box->solver;
	double power[PARTITION_TERMS] = { 0 };

	for (int t = 0; t < solver->partition->term_count && rate > 0; t++) {
		int k = box->kind[t];

		power[t] = k < 0 ? 0 : box->bytes[k] / rate * solver->weight[t] / box->least[k];
	}
	return bound_of_powers(solver, power);
}

/* What BOX proves.  A side that could be longer and shorter adds as much as all such; one that
 * is whole adds no more, one of 1 no less. */
static double bound_of_box(const struct box *box)
{
	double least = 0, most = INFINITY, best;

	for (int l = 0; l < box->solver->partition->loop_count; l++) {
		double rate = bytes_along(box, l, -1);

		if (box->side[l] > 1)
			least = fmax(least, rate);
		if (box->side[l] < extent_of(box->solver, l))
			most = fmin(most, rate);
	}
	best = bound_at_rate(box, least);
	return most < INFINITY && most != least ? fmax(best, bound_at_rate(box, most)) : best;
}

static double bound_at_volume(struct box *box, double log_volume)
{
	set_volume(box, exp(log_volume));
	return bound_of_box(box);
}

/* The logarithm of the iterations of the largest box. */
static double log_of_all(const struct solver *solver)
{
	double all = 0;

	for (int l = 0; l < solver->partition->loop_count; l++)
		all += log(extent_of(solver, l));
	return all;
}

/* The best that boxes of some volume prove, of the terms that are members; the arrays of the others
 * count alone.  So many volumes on a grid are tried, and then as many between two of them. */
static double bound_of_members(const struct solver *solver, const bool *is_member, int steps)
{
	const double ratio = 0.6180339887498949;
	const double all = log_of_all(solver);
	double best = 0, from = 0, to = all, at[2], value[2];
	struct box box;

	box_init(&box, solver, is_member);
	for (int i = 0; i <= steps; i++) {
		double bound = bound_at_volume(&box, all * i / steps);

		if (bound > best) {
			best = bound;
			from = all * fmax(0, i - 1) / steps;
			to = all * fmin(steps, i + 1) / steps;
		}
	}
	if (best == 0)
		return 0;
	for (int i = 0; i < 2; i++) {
		at[i] = i == 0 ? to - ratio * (to - from) : from + ratio * (to - from);
		value[i] = bound_at_volume(&box, at[i]);
		best = fmax(best, value[i]);
	}
	for (int i = 0; i < steps; i++) {
		int worse = value[0] >= value[1];    /* the end beyond it goes */

		if (worse)
			to = at[1];
		else
			from = at[0];
		at[worse] = at[!worse];
		value[worse] = value[!worse];
		at[!worse] = worse ? to - ratio * (to - from) : from + ratio * (to - from);
		value[!worse] = bound_at_volume(&box, at[!worse]);
		best = fmax(best, value[!worse]);
	}
	return best;
}

/* ---- which terms ---- */

enum { FEW_STEPS = 16, ALL_STEPS = 40, TRIED_ALL = 5 };

static void members_of(unsigned some, int count, bool *is_member)
{
	for (int t = 0; t < count; t++)
		is_member[t] = some >> t & 1;
}

/* The best of all choices of terms, where there are few: of those that nearly are it at a first
 * look. */
static double bound_of_all_choices(const struct solver *solver)
{
	const double nearly = 0.95;
	int count = solver->partition->term_count;
	bool is_member[PARTITION_TERMS] = { false };
	double best = 0, rough[1 << TRIED_ALL] = { 0 }, best_rough = 0;

	for (unsigned some = 1; some < 1u << count; some++) {
		members_of(some, count, is_member);
		rough[some] = bound_of_members(solver, is_member, FEW_STEPS);
		best_rough = fmax(best_rough, rough[some]);
	}
	for (unsigned some = 1; some < 1u << count; some++)
		if (rough[some] > nearly * best_rough) {
			members_of(some, count, is_member);
			best = fmax(best, bound_of_members(solver, is_member, ALL_STEPS));
		}
	return best;
}

/* The member of which BOX touches least in all groups, of what it counts for if it is none; -1: all
 * are better members. */
static int worst_member(const struct box *box, double groups)
{
	const struct partition *partition = box->solver->partition;
	double least = 1;
	int worst = -1;

	for (int t = 0; t < partition->term_count; t++) {
		const struct partition_term *term = &partition->terms[t];
		double lost = partition->alone[term->array] + term->loss, share;

		if (box->kind[t] < 0 || lost == 0)
			continue;
		share = groups * box->bytes[box->kind[t]] * box->solver->weight[t] /
			box->least[box->kind[t]] / lost;
		if (share < least) {
			least = share;
			worst = t;
		}
	}
	return worst;
}

/* Members for groups of about VOLUME iterations: all but those that are worth more alone. */
static double choose_members(const struct solver *solver, double log_volume, bool *is_member)
{
	double groups = solver->partition->iterations / exp(log_volume);

	for (int t = 0; t < solver->partition->term_count; t++)
		is_member[t] = true;
	for (;;) {
		struct box box;
		int worst;

		box_init(&box, solver, is_member);
		set_volume(&box, exp(log_volume));
		worst = worst_member(&box, groups);
		if (worst < 0)
			return bound_of_box(&box);
		is_member[worst] = false;
	}
}

/* One term more is a member, or one less, as long as that helps. */
static void improve_members(const struct solver *solver, bool *is_member)
{
	double best = bound_of_members(solver, is_member, FEW_STEPS);

	for (bool is_better = true; is_better;) {
		is_better = false;
		for (int t = 0; t < solver->partition->term_count; t++) {
			double bound;

			is_member[t] = !is_member[t];
			bound = bound_of_members(solver, is_member, FEW_STEPS);
			is_better = is_better || bound > best;
			if (bound > best)
				best = bound;
			else
				is_member[t] = !is_member[t];
		}
	}
}

/* Of many terms, those that are good members for groups of some size. */
static double bound_of_good_choice(const struct solver *solver)
{
	enum { STEPS = 24 };
	bool is_member[PARTITION_TERMS] = { false }, best_members[PARTITION_TERMS] = { false };
	double all = log_of_all(solver), best = 0;

	for (int i = 1; i < STEPS; i++) {
		double bound = choose_members(solver, all * i / STEPS, is_member);

		if (bound > best) {
			best = bound;
			memcpy(best_members, is_member, sizeof is_member);
		}
	}
	improve_members(solver, best_members);
	return bound_of_members(solver, best_members, ALL_STEPS);
}

static double solve(struct solver *solver)
{
	const struct partition *partition = solver->partition;

	for (int t = 0; t < partition->term_count; t++) {
		const struct partition_term *term = &partition->terms[t];

		solver->weight[t] = term->bytes / (solver->weighs ?
			exp(spread_mean(&term->spread, 0.5)) : term->spread.all);
	}
	return partition->term_count <= TRIED_ALL ? bound_of_all_choices(solver) :
		bound_of_good_choice(solver);
}

/* PARTITION where no loop is in the spread of two terms: their weights are then independent.  False
 * if there is no spread. */
static bool keep_independent(struct partition *partition)
{
	unsigned used = 0;

	for (int t = 0; t < partition->term_count; t++) {
		struct spread *spread = &partition->terms[t].spread;

		if (spread->loops & used)
			spread_flatten(spread);
		used |= spread->loops;
	}
	return used != 0;
}

double partition_incoming(const struct partition *partition)
{
	struct partition weighed = *partition;
	struct solver alike = { .partition = partition };
	struct solver apart = { .partition = &weighed, .weighs = true };
	double best = solve(&alike);

	return keep_independent(&weighed) ? fmax(best, solve(&apart)) : best;
}

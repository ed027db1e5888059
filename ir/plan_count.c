/* Counts what a plan moves.  Each transfer is taken by itself with the loops, named
 * values and conditions around it.  Loops that nothing about it depends on multiply; the
 * longest of the others is not walked iteration by iteration: every expression is a
 * straight line over a run of iterations, up to where a minimum, a condition or a division
 * turns, and what the run moves is a sum in closed form.  Dimensions that share no loop, named
 * value or condition are summed apart, and their sums multiplied: what walking takes is the sum
 * of their iterations then, not the product. */

#include "ir/plan_count.h"

#include <string.h>

#include "ir/plan_formula.h"

/* In the run of iterations in hand the value is value + slope * k in iteration k. */
struct line {
	long value, slope;
};

/* A loop, a named value (lower) or a condition (upper) around transfers. */
struct link {
	enum plan_kind kind;
	struct plan_cell *cell;
	struct plan_formula *lower, *upper;
	long stride;
};

enum { DEPTH_LIMIT = 256 };

struct counter {
	struct plan_cells cells;
	long steps;                  /* that may still be taken */
	struct plan_traffic *traffic;
	int depth;
	struct link *around[DEPTH_LIMIT];        /* what the transfer is in, outermost first */
};

/* One transfer with those of the links around it that matter, or a part of them that nothing
 * ties to the others. */
struct chain {
	struct counter *counter;
	int count, loop_count;       /* loops come first, where they can */
	const struct link *links[DEPTH_LIMIT];
	int factor_count;
	struct plan_formula *factors[ARRAY_RANK_LIMIT];       /* the counts of its dimensions */
	long times;                  /* it is started for each iteration of the chain */
	long run;                    /* iterations over which all lines seen hold */
	__int128 elements, commands;
};

static struct line line_of(const struct plan_cell *cell)
{
	return (struct line){ cell->value, cell->slope };
}

static void set_cell(struct plan_cell *cell, struct line line)
{
	cell->value = line.value;
	cell->slope = line.slope;
}

/* ---- lines ---- */

/* Runs are no longer, and lines no steeper and no farther from 0, than what lets none of
 * their values overflow. */
#define RUN_LIMIT (1L << 31)
#define SLOPE_LIMIT (1L << 30)
#define VALUE_LIMIT (1L << 60)

static void end_run_after(struct chain *chain, long iterations)
{
	chain->run = iterations < chain->run ? iterations : chain->run;
}

/* A value that is known for one iteration only. */
static struct line point(struct chain *chain, long value)
{
	end_run_after(chain, 1);
	return (struct line){ value, 0 };
}

static bool is_tame(struct line line)
{
	return line.slope < SLOPE_LIMIT && line.slope > -SLOPE_LIMIT && line.value < VALUE_LIMIT
		&& line.value > -VALUE_LIMIT;
}

/* Whether LINE <= 0, for as long as that stays so. */
static bool is_at_most_zero(struct chain *chain, struct line line)
{
	if (line.value <= 0) {
		if (line.slope > 0)
			end_run_after(chain, -line.value / line.slope + 1);
		return true;
	}
	if (line.slope < 0)
		end_run_after(chain, (line.value - line.slope - 1) / -line.slope);
	return false;
}

static bool is_zero(struct chain *chain, struct line line)
{
	if (line.value == 0) {
		if (line.slope)
			end_run_after(chain, 1);
		return true;
	}
	if (line.slope && line.value % line.slope == 0 && (line.value < 0) != (line.slope < 0))
		end_run_after(chain, -(line.value / line.slope));
	return false;
}

/* floor(LINE / divisor); *REST is what is left. */
static long divided(struct chain *chain, struct line line, long divisor, long *rest)
{
	long quotient = plan_floor_div(line.value, divisor);

	*rest = line.value - quotient * divisor;
	if (line.slope > 0)
		end_run_after(chain, (divisor - 1 - *rest) / line.slope + 1);
	else if (line.slope < 0)
		end_run_after(chain, *rest / -line.slope + 1);
	return quotient;
}

static struct line evaluate(struct chain *chain, const struct plan_formula *formula);

static bool is_true(struct chain *chain, const struct plan_formula *formula)
{
	return !is_zero(chain, evaluate(chain, formula));
}

static struct line evaluate_division(struct chain *chain, enum plan_op op, struct line a, long divisor)
{
	bool is_whole = a.slope % divisor == 0;
	long rest, quotient;

	if (is_whole) {              /* all iterations leave the same */
		quotient = plan_floor_div(a.value, divisor);
		return op == PLAN_FLOORDIV ? (struct line){ quotient, a.slope / divisor }
			: (struct line){ a.value - quotient * divisor, 0 };
	}
	quotient = divided(chain, a, divisor, &rest);
	return op == PLAN_FLOORDIV ? (struct line){ quotient, 0 } : (struct line){ rest, a.slope };
}

static struct line evaluate_product(struct chain *chain, struct line a, struct line b)
{
	struct line product;

	if ((a.slope && b.slope) || __builtin_mul_overflow(a.value, b.value, &product.value)
		|| __builtin_mul_overflow(a.slope ? a.slope : b.slope, a.slope ? b.value : a.value,
			&product.slope)
		|| !is_tame(product))
		return point(chain, plan_apply(PLAN_MUL, a.value, b.value, 0));
	return product;
}

static struct line evaluate_pair(struct chain *chain, enum plan_op op, struct line a, struct line b)
{
	struct line difference = { a.value - b.value, a.slope - b.slope };

	if (!is_tame(a) || !is_tame(b))
		return point(chain, plan_apply(op, a.value, b.value, 0));
	switch (op) {
	case PLAN_ADD:
		return (struct line){ a.value + b.value, a.slope + b.slope };
	case PLAN_SUB:
		return difference;
	case PLAN_MUL:
		return evaluate_product(chain, a, b);
	case PLAN_FLOORDIV:
	case PLAN_MOD:
		return evaluate_division(chain, op, a, b.value);
	case PLAN_MIN:
		/* Of two that are equal here, the one that is less further on. */
		if (difference.value == 0)
			return difference.slope < 0 ? a : b;
		return is_at_most_zero(chain, difference) ? a : b;
	case PLAN_MAX:
		if (difference.value == 0)
			return difference.slope < 0 ? b : a;
		return is_at_most_zero(chain, difference) ? b : a;
	case PLAN_EQ:
		return (struct line){ is_zero(chain, difference), 0 };
	default:
		return (struct line){ is_at_most_zero(chain, difference), 0 };
	}
}

static struct line evaluate(struct chain *chain, const struct plan_formula *formula)
{
	struct line a;

	switch (formula->op) {
	case PLAN_CONST:
		return (struct line){ formula->value, 0 };
	case PLAN_VAR:
		return line_of(formula->cell);
	case PLAN_NOT:
		return (struct line){ !is_true(chain, formula->operands[0]), 0 };
	case PLAN_AND:
		return (struct line){ is_true(chain, formula->operands[0])
			&& is_true(chain, formula->operands[1]), 0 };
	case PLAN_OR:
		return (struct line){ is_true(chain, formula->operands[0])
			|| is_true(chain, formula->operands[1]), 0 };
	case PLAN_SELECT:
		return evaluate(chain, formula->operands[is_true(chain, formula->operands[0]) ? 1 : 2]);
	default:
		a = evaluate(chain, formula->operands[0]);
		return evaluate_pair(chain, formula->op, a, evaluate(chain, formula->operands[1]));
	}
}

/* ---- what a run moves ---- */

enum { SUM_DEGREE = 3 };

/* SUMS[j]: the sum of k^j over the iterations k of a run. */
static bool power_sums(long run, __int128 *sums)
{
	__int128 n = run;

	sums[0] = n;
	sums[1] = n * (n - 1) / 2;
	return !__builtin_mul_overflow(sums[1], 2 * n - 1, &sums[2])
		&& !__builtin_mul_overflow(sums[1], sums[1], &sums[3])
		&& (sums[2] /= 3, true);
}

/* Multiplies a polynomial of degree *DEGREE by LINE. */
static bool times_line(__int128 *polynomial, int *degree, struct line line)
{
	if (line.slope && ++*degree > SUM_DEGREE)
		return false;
	for (int j = *degree; j >= 0; j--) {
		__int128 low, high = 0;

		if (__builtin_mul_overflow(polynomial[j], (__int128)line.value, &low)
			|| (j && __builtin_mul_overflow(polynomial[j - 1], (__int128)line.slope, &high))
			|| __builtin_add_overflow(low, high, &polynomial[j]))
			return false;
	}
	return true;
}

/* The sum over the run of the product of COUNTS; false where it has no closed form here. */
static bool sum_in_closed_form(const struct chain *chain, const struct line *counts,
	__int128 *sum)
{
	__int128 polynomial[SUM_DEGREE + 1] = { 1 }, sums[SUM_DEGREE + 1], term;
	int degree = 0;

	if (!power_sums(chain->run, sums))
		return false;
	for (int d = 0; d < chain->factor_count; d++)
		if (!times_line(polynomial, &degree, counts[d]))
			return false;
	*sum = 0;
	for (int j = 0; j <= degree; j++)
		if (__builtin_mul_overflow(polynomial[j], sums[j], &term)
			|| __builtin_add_overflow(*sum, term, sum))
			return false;
	return true;
}

static bool sum_by_walking(const struct chain *chain, const struct line *counts, __int128 *sum)
{
	*sum = 0;
	chain->counter->steps -= chain->run;
	if (chain->counter->steps < 0)
		return false;
	for (long k = 0; k < chain->run; k++) {
		__int128 product = 1;

		for (int d = 0; d < chain->factor_count; d++)
			if (__builtin_mul_overflow(product, (__int128)counts[d].value + counts[d].slope
				* (__int128)k, &product))
				return false;
		if (__builtin_add_overflow(*sum, product, sum))
			return false;
	}
	return true;
}

/* What the transfer moves in the iterations of a run, which may become shorter. */
static bool count_transfer(struct chain *chain)
{
	struct line counts[ARRAY_RANK_LIMIT];
	__int128 sum;
	bool moves = true;

	for (int d = 0; d < chain->factor_count && moves; d++) {
		counts[d] = evaluate(chain, chain->factors[d]);
		if (!is_tame(counts[d]))
			counts[d] = point(chain, counts[d].value);
		moves = !is_at_most_zero(chain, counts[d]);
	}
	if (!moves)
		return true;
	chain->commands += chain->run;
	return (sum_in_closed_form(chain, counts, &sum) || sum_by_walking(chain, counts, &sum))
		&& !__builtin_add_overflow(chain->elements, sum, &chain->elements);
}

static bool count_from(struct chain *chain, int position);

/* The iterations of the innermost loop, run by run. */
static bool count_runs(struct chain *chain, int position, long lower, long trips)
{
	const struct link *loop = chain->links[position];

	for (long i = 0; i < trips; i += chain->run) {
		if (--chain->counter->steps < 0)
			return false;
		chain->run = trips - i < RUN_LIMIT ? trips - i : RUN_LIMIT;
		set_cell(loop->cell, (struct line){ lower + i * loop->stride, loop->stride });
		if (loop->stride >= SLOPE_LIMIT)
			set_cell(loop->cell, point(chain, loop->cell->value));
		if (!count_from(chain, position + 1))
			return false;
	}
	return true;
}

static bool count_loop(struct chain *chain, int position)
{
	const struct link *loop = chain->links[position];
	long lower = evaluate(chain, loop->lower).value, upper = evaluate(chain, loop->upper).value;
	long trips = upper < lower ? 0 : (upper - lower) / loop->stride + 1;

	if (position == chain->loop_count - 1)
		return count_runs(chain, position, lower, trips);
	for (long i = 0; i < trips; i++) {
		if (--chain->counter->steps < 0)
			return false;
		chain->run = 1;
		set_cell(loop->cell, (struct line){ lower + i * loop->stride, 0 });
		if (!count_from(chain, position + 1))
			return false;
	}
	return true;
}

static bool count_from(struct chain *chain, int position)
{
	for (; position < chain->count; position++) {
		const struct link *link = chain->links[position];

		switch (link->kind) {
		case PLAN_LOOP:
			return count_loop(chain, position);
		case PLAN_LET:
			set_cell(link->cell, evaluate(chain, link->lower));
			break;
		default:
			if (!is_true(chain, link->upper))
				return true;
		}
	}
	return count_transfer(chain);
}

/* ---- chains ---- */

static void mark(const struct plan_formula *formula)
{
	if (!formula)
		return;
	if (formula->op == PLAN_VAR)
		formula->cell->is_marked = true;
	for (int i = 0; i < plan_operand_count(formula->op); i++)
		mark(formula->operands[i]);
}

static bool is_constant(const struct plan_formula *formula)
{
	return formula->op == PLAN_CONST;
}

/* The iterations of a loop with constant bounds. */
static long trips_of(const struct link *loop)
{
	long lower = loop->lower->value, upper = loop->upper->value;

	return upper < lower ? 0 : (upper - lower) / loop->stride + 1;
}

static bool has_constant_bounds(const struct link *link)
{
	return link->kind == PLAN_LOOP && is_constant(link->lower) && is_constant(link->upper);
}

static bool add_link(struct chain *chain, const struct link *link)
{
	if (chain->count == DEPTH_LIMIT)
		return false;
	chain->links[chain->count++] = link;
	return true;
}

/* CONDITION, as one condition for each of those that it joins by and. */
static bool add_conditions(struct chain *chain, const struct plan_formula *condition)
{
	struct link *link;

	if (condition->op == PLAN_AND)
		return add_conditions(chain, condition->operands[1])
			&& add_conditions(chain, condition->operands[0]);
	link = ARENA_NEW(chain->counter->cells.arena, struct link);
	*link = (struct link){ .kind = PLAN_IF, .upper = (struct plan_formula *)condition };
	return add_link(chain, link);
}

/* Leaves out what does not matter to the transfer, from the inside out. */
static bool choose_links(struct chain *chain)
{
	struct counter *counter = chain->counter;

	for (struct plan_cell *cell = counter->cells.first; cell; cell = cell->next)
		cell->is_marked = false;
	for (int d = 0; d < chain->factor_count; d++)
		mark(chain->factors[d]);
	for (int i = counter->depth - 1; i >= 0; i--) {
		const struct link *link = counter->around[i];

		if (link->kind != PLAN_IF && !link->cell->is_marked) {
			if (link->kind == PLAN_LET)
				continue;
			if (has_constant_bounds(link)) {
				if (__builtin_mul_overflow(chain->times, trips_of(link), &chain->times))
					return false;
				continue;
			}
		}
		mark(link->lower);
		mark(link->upper);
		if (link->kind == PLAN_IF ? !add_conditions(chain, link->upper) : !add_link(chain, link))
			return false;
	}
	for (int i = 0; i < chain->count / 2; i++) {
		const struct link *link = chain->links[i];

		chain->links[i] = chain->links[chain->count - 1 - i];
		chain->links[chain->count - 1 - i] = link;
	}
	return true;
}

/* Loops with constant bounds may be walked in any order, before anything else is looked
 * at: the longest innermost, for that one is not walked at all. */
static void order_links(struct chain *chain)
{
	bool all = true;
	int loops = 0;

	for (int i = 0; i < chain->count; i++)
		if (chain->links[i]->kind == PLAN_LOOP)
			all &= has_constant_bounds(chain->links[i]);
	for (int i = 0; i < chain->count && all; i++) {
		const struct link *link = chain->links[i];
		int to = loops;

		if (link->kind != PLAN_LOOP)
			continue;
		while (to > 0 && trips_of(chain->links[to - 1]) > trips_of(link))
			to--;
		memmove(&chain->links[to + 1], &chain->links[to], (size_t)(i - to) * sizeof link);
		chain->links[to] = link;
		loops++;
	}
	for (int i = 0; i < chain->count; i++)
		if (chain->links[i]->kind == PLAN_LOOP)
			chain->loop_count = i + 1;
}

/* ---- parts ---- */

/* Which part each link of a chain is in, and each factor: those with the same number, which is
 * the place of one of them among all. */
struct parting {
	const struct chain *chain;
	int part[DEPTH_LIMIT + ARRAY_RANK_LIMIT];
};

static void join(struct parting *parting, int one, int other)
{
	int from = parting->part[one], to = parting->part[other];

	for (int i = 0; i < parting->chain->count + parting->chain->factor_count; i++)
		if (parting->part[i] == from)
			parting->part[i] = to;
}

/* What FORMULA of link or factor I reads ties it to where that is set. */
static void tie(struct parting *parting, int i, const struct plan_formula *formula)
{
	if (!formula)
		return;
	for (int j = 0; formula->op == PLAN_VAR && j < parting->chain->count; j++)
		if (parting->chain->links[j]->cell == formula->cell)
			join(parting, i, j);
	for (int o = 0; o < plan_operand_count(formula->op); o++)
		tie(parting, i, formula->operands[o]);
}

static void find_parts(struct parting *parting)
{
	const struct chain *chain = parting->chain;

	for (int i = 0; i < chain->count + chain->factor_count; i++)
		parting->part[i] = i;
	for (int i = 0; i < chain->count; i++) {
		tie(parting, i, chain->links[i]->lower);
		tie(parting, i, chain->links[i]->upper);
	}
	for (int d = 0; d < chain->factor_count; d++)
		tie(parting, chain->count + d, chain->factors[d]);
}

/* The sums of part P of the chain multiply those of WHOLE. */
static bool count_part(const struct parting *parting, int p, struct chain *whole)
{
	struct chain part = { .counter = whole->counter, .run = 1 };

	for (int i = 0; i < whole->count; i++)
		if (parting->part[i] == p)
			part.links[part.count++] = whole->links[i];
	for (int d = 0; d < whole->factor_count; d++)
		if (parting->part[whole->count + d] == p)
			part.factors[part.factor_count++] = whole->factors[d];
	if (!part.count && !part.factor_count)
		return true;
	order_links(&part);
	return count_from(&part, 0)
		&& !__builtin_mul_overflow(whole->elements, part.elements, &whole->elements)
		&& !__builtin_mul_overflow(whole->commands, part.commands, &whole->commands);
}

static bool count_parts(struct chain *chain)
{
	struct parting parting = { .chain = chain };

	find_parts(&parting);
	chain->elements = chain->commands = 1;
	for (int p = 0; p < chain->count + chain->factor_count && chain->commands; p++)
		if (!count_part(&parting, p, chain))
			return false;
	return true;
}

/* *SUM += VALUE * times. */
static bool add_times(long *sum, __int128 value, long times)
{
	__int128 product, total;

	if (__builtin_mul_overflow(value, (__int128)times, &product)
		|| __builtin_add_overflow(product, (__int128)*sum, &total) || (long)total != total)
		return false;
	*sum = (long)total;
	return true;
}

static bool count_chain(struct counter *counter, const struct plan_transfer *transfer)
{
	const struct array *array = transfer->buffer->array;
	struct plan_traffic *traffic = &counter->traffic[array->index];
	struct chain *chain = ARENA_NEW(counter->cells.arena, struct chain);
	__int128 bytes;

	chain->counter = counter;
	chain->times = 1;
	chain->run = 1;
	chain->factor_count = transfer->buffer->rank;
	for (int d = 0; d < chain->factor_count; d++)
		chain->factors[d] = plan_formula_of(&counter->cells, transfer->count[d]);
	if (!choose_links(chain))
		return false;
	return count_parts(chain)
		&& !__builtin_mul_overflow(chain->elements, (__int128)array->type.bytes, &bytes)
		&& add_times(transfer->is_put ? &traffic->flow.write_bytes : &traffic->flow.read_bytes, bytes,
			chain->times)
		&& add_times(&traffic->flow.commands, chain->commands, chain->times);
}

static struct link *compile_link(struct counter *counter, const struct plan_node *node)
{
	struct link *link = ARENA_NEW(counter->cells.arena, struct link);

	link->kind = node->kind;
	link->stride = node->step;
	if (node->kind == PLAN_IF) {
		link->upper = plan_formula_of(&counter->cells, node->condition);
		return link;
	}
	link->cell = plan_cell_of(&counter->cells, node->var);
	link->lower = plan_formula_of(&counter->cells, node->lower);
	if (node->kind == PLAN_LOOP)
		link->upper = plan_formula_of(&counter->cells, node->upper);
	return link;
}

static bool count_node(struct counter *counter, const struct plan_node *node)
{
	bool counted = true;

	switch (node->kind) {
	case PLAN_BLOCK:
		for (int i = 0; i < node->child_count && counted; i++)
			counted = count_node(counter, node->children[i]);
		return counted;
	case PLAN_TRANSFER:
		return count_chain(counter, &node->transfer);
	case PLAN_LOOP:
	case PLAN_LET:
	case PLAN_IF:
		if (counter->depth == DEPTH_LIMIT)
			return false;
		counter->around[counter->depth++] = compile_link(counter, node);
		counted = count_node(counter, node->body);
		counter->depth--;
		return counted;
	default:
		return true;
	}
}

bool plan_count(const struct plan_node *node, const struct function *function, long steps,
	struct plan_traffic *traffic)
{
	return plan_count_at(node, function, NULL, steps, traffic);
}

bool plan_count_at(const struct plan_node *node, const struct function *function,
	const long *sizes, long steps, struct plan_traffic *traffic)
{
	struct arena *arena = arena_new();
	int array_count = function->array_count;
	struct counter counter = { .cells = { .arena = arena, .sizes = sizes }, .steps = steps,
		 .traffic = ARENA_ARRAY(arena, struct plan_traffic, array_count + 1) };
	bool counted;

	for (int a = 0; a < array_count; a++)
		counter.traffic[a] = traffic[a];
	counted = count_node(&counter, node);
	for (int a = 0; a < array_count && counted; a++)
		traffic[a] = counter.traffic[a];
	arena_free(arena);
	return counted;
}

long plan_traffic_commands(const struct plan_traffic *traffic, int count)
{
	long commands = 0;

	for (int i = 0; i < count; i++)
		if (__builtin_add_overflow(commands, traffic[i].flow.commands, &commands))
			return -1;
	return commands;
}

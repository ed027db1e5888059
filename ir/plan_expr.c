/* Makers of the expressions of a plan: in a normal form, with their ranges. */

#include "ir/plan.h"

#include <limits.h>

/* A sum of integer multiples of atoms (expressions that are no sums), the atoms
 * in the order in which they were met.  All linear arithmetic goes through it, so
 * that p + 7 - p is 7 however it was built. */
enum { SUM_TERM_LIMIT = 48 };

struct sum {
	int count;
	long constant;
	struct { long coefficient; const struct plan_expr *atom; } terms[SUM_TERM_LIMIT];
};

bool plan_is_const(const struct plan_expr *expr, long *value)
{
	if (expr->op != PLAN_CONST)
		return false;
	*value = expr->value;
	return true;
}

int plan_operand_count(enum plan_op op)
{
	switch (op) {
	case PLAN_CONST:
	case PLAN_VAR:
		return 0;
	case PLAN_NOT:
		return 1;
	case PLAN_SELECT:
		return 3;
	default:
		return 2;
	}
}

bool plan_equal(const struct plan_expr *a, const struct plan_expr *b)
{
	if (a == b)
		return true;
	if (a->op != b->op || a->value != b->value || a->var != b->var)
		return false;
	for (int i = 0; i < plan_operand_count(a->op); i++)
		if (!plan_equal(a->operands[i], b->operands[i]))
			return false;
	return true;
}

bool plan_are_opposite(const struct plan_expr *a, const struct plan_expr *b)
{
	return (a->op == PLAN_NOT && plan_equal(a->operands[0], b)) || (b->op == PLAN_NOT && plan_equal(b->operands[0], a));
}

struct plan_expr *plan_raw(struct arena *arena, enum plan_op op, struct plan_expr *a,
	struct plan_expr *b, struct plan_expr *c)
{
	struct plan_expr *expr = ARENA_NEW(arena, struct plan_expr);

	expr->op = op;
	expr->operands[0] = a;
	expr->operands[1] = b;
	expr->operands[2] = c;
	return expr;
}

struct plan_expr *plan_const(struct arena *arena, long value)
{
	struct plan_expr *expr = plan_raw(arena, PLAN_CONST, NULL, NULL, NULL);

	expr->value = value;
	return expr;
}

struct plan_expr *plan_ref(struct arena *arena, struct plan_var *var)
{
	struct plan_expr *expr = plan_raw(arena, PLAN_VAR, NULL, NULL, NULL);

	if (var->min == var->max) {
		expr->op = PLAN_CONST;
		expr->value = var->min;
		return expr;
	}
	expr->var = var;
	return expr;
}

/* ------------------------------------------------------------------ ranges */

static bool sum_add(struct sum *sum, const struct plan_expr *expr, long factor);
static void sum_range(const struct sum *sum, int choices, long *min, long *max);

enum { CHOICE_LIMIT = 4 };           /* minima and the like that a range looks into */

static long clamp(__int128 value)
{
	if (value > LONG_MAX)
		return LONG_MAX;
	if (value < LONG_MIN)
		return LONG_MIN;
	return (long)value;
}

long plan_floor_div(long a, long b)
{
	long quotient = a / b;

	return a % b < 0 ? quotient - 1 : quotient;
}

static void product_range(const long a[2], const long b[2], long out[2])
{
	__int128 low = (__int128)a[0] * b[0], high = low;

	for (int i = 1; i < 4; i++) {
		__int128 corner = (__int128)a[i & 1] * b[i >> 1];

		low = corner < low ? corner : low;
		high = corner > high ? corner : high;
	}
	out[0] = clamp(low);
	out[1] = clamp(high);
}

static void truth_range(bool always, bool never, long *min, long *max)
{
	*min = always;
	*max = !never;
}

static void binary_range(enum plan_op op, const long a[2], const long b[2], long *min, long *max)
{
	long out[2];

	switch (op) {
	case PLAN_ADD:
		*min = clamp((__int128)a[0] + b[0]);
		*max = clamp((__int128)a[1] + b[1]);
		break;
	case PLAN_SUB:
		*min = clamp((__int128)a[0] - b[1]);
		*max = clamp((__int128)a[1] - b[0]);
		break;
	case PLAN_MUL:
		product_range(a, b, out);
		*min = out[0];
		*max = out[1];
		break;
	case PLAN_FLOORDIV:
		*min = plan_floor_div(a[0], b[0]);
		*max = plan_floor_div(a[1], b[0]);
		break;
	case PLAN_MOD:
		if (plan_floor_div(a[0], b[0]) == plan_floor_div(a[1], b[0])) {
			*min = a[0] - plan_floor_div(a[0], b[0]) * b[0];
			*max = a[1] - plan_floor_div(a[1], b[0]) * b[0];
		} else {
			*min = 0;
			*max = b[0] - 1;
		}
		break;
	case PLAN_MIN:
		*min = a[0] < b[0] ? a[0] : b[0];
		*max = a[1] < b[1] ? a[1] : b[1];
		break;
	case PLAN_MAX:
		*min = a[0] > b[0] ? a[0] : b[0];
		*max = a[1] > b[1] ? a[1] : b[1];
		break;
	case PLAN_EQ:
		truth_range(a[0] == a[1] && b[0] == b[1] && a[0] == b[0],
			a[1] < b[0] || b[1] < a[0], min, max);
		break;
	case PLAN_LE:
		truth_range(a[1] <= b[0], a[0] > b[1], min, max);
		break;
	case PLAN_AND:
		truth_range((a[0] > 0 || a[1] < 0) && (b[0] > 0 || b[1] < 0),
			(a[0] == 0 && a[1] == 0) || (b[0] == 0 && b[1] == 0), min, max);
		break;
	default:
		truth_range(a[0] > 0 || a[1] < 0 || b[0] > 0 || b[1] < 0,
			a[0] == 0 && a[1] == 0 && b[0] == 0 && b[1] == 0, min, max);
		break;
	}
}

void plan_range(const struct plan_expr *expr, long *min, long *max)
{
	struct sum sum = { 0 };
	long range[3][2];
	int count = plan_operand_count(expr->op);

	if ((expr->op == PLAN_ADD || expr->op == PLAN_SUB) && sum_add(&sum, expr, 1)) {
		sum_range(&sum, CHOICE_LIMIT, min, max);
		return;
	}
	for (int i = 0; i < count; i++)
		plan_range(expr->operands[i], &range[i][0], &range[i][1]);
	switch (expr->op) {
	case PLAN_CONST:
		*min = *max = expr->value;
		break;
	case PLAN_VAR:
		*min = expr->var->min;
		*max = expr->var->max;
		break;
	case PLAN_NOT:
		truth_range(range[0][0] == 0 && range[0][1] == 0,
			range[0][0] > 0 || range[0][1] < 0, min, max);
		break;
	case PLAN_SELECT:
		*min = range[1][0] < range[2][0] ? range[1][0] : range[2][0];
		*max = range[1][1] > range[2][1] ? range[1][1] : range[2][1];
		break;
	default:
		binary_range(expr->op, range[0], range[1], min, max);
		break;
	}
}

long plan_apply(enum plan_op op, long a, long b, long c)
{
	switch (op) {
	case PLAN_ADD:
		return clamp((__int128)a + b);
	case PLAN_SUB:
		return clamp((__int128)a - b);
	case PLAN_MUL:
		return clamp((__int128)a * b);
	case PLAN_FLOORDIV:
		return plan_floor_div(a, b);
	case PLAN_MOD:
		return a - plan_floor_div(a, b) * b;
	case PLAN_MIN:
		return a < b ? a : b;
	case PLAN_MAX:
		return a > b ? a : b;
	case PLAN_EQ:
		return a == b;
	case PLAN_LE:
		return a <= b;
	case PLAN_AND:
		return a && b;
	case PLAN_OR:
		return a || b;
	case PLAN_NOT:
		return !a;
	case PLAN_SELECT:
		return a ? b : c;
	default:
		return a;
	}
}

/* ------------------------------------------------------------------ sums */

static bool sum_add_atom(struct sum *sum, const struct plan_expr *atom, long factor)
{
	for (int i = 0; i < sum->count; i++)
		if (plan_equal(sum->terms[i].atom, atom))
			return !__builtin_add_overflow(sum->terms[i].coefficient, factor,
				&sum->terms[i].coefficient);
	if (sum->count == SUM_TERM_LIMIT)
		return false;
	sum->terms[sum->count].atom = atom;
	sum->terms[sum->count++].coefficient = factor;
	return true;
}

/* Adds FACTOR * EXPR to SUM.  False if it does not fit. */
static bool sum_add(struct sum *sum, const struct plan_expr *expr, long factor)
{
	long product;

	switch (expr->op) {
	case PLAN_CONST:
		return !__builtin_mul_overflow(expr->value, factor, &product)
			&& !__builtin_add_overflow(sum->constant, product, &sum->constant);
	case PLAN_ADD:
	case PLAN_SUB:
		if (expr->op == PLAN_SUB && factor == LONG_MIN)
			return false;
		return sum_add(sum, expr->operands[0], factor)
			&& sum_add(sum, expr->operands[1], expr->op == PLAN_ADD ? factor : -factor);
	case PLAN_MUL:
		if (expr->operands[1]->op == PLAN_CONST)
			return !__builtin_mul_overflow(expr->operands[1]->value, factor, &product)
				&& sum_add(sum, expr->operands[0], product);
		return sum_add_atom(sum, expr, factor);
	default:
		return sum_add_atom(sum, expr, factor);
	}
}

/* Expressions are immutable, so one may be an operand of another. */
static struct plan_expr *scaled(struct arena *arena, const struct plan_expr *atom, long factor)
{
	if (factor == 1)
		return (struct plan_expr *)atom;
	return plan_raw(arena, PLAN_MUL, (struct plan_expr *)atom, plan_const(arena, factor), NULL);
}

static void term_range(const struct sum *sum, int i, long *min, long *max)
{
	const long factor[2] = { sum->terms[i].coefficient, sum->terms[i].coefficient };
	long range[2], product[2];

	plan_range(sum->terms[i].atom, &range[0], &range[1]);
	product_range(range, factor, product);
	*min = product[0];
	*max = product[1];
}

/* SUM with its term I replaced by operand O of the atom. */
static bool choose(const struct sum *sum, int i, int o, struct sum *chosen)
{
	long factor = sum->terms[i].coefficient;

	*chosen = *sum;
	chosen->terms[i] = chosen->terms[--chosen->count];
	return sum_add(chosen, sum->terms[i].atom->operands[o], factor);
}

/* Tightens the range of SUM by what it is for either value of its term I, a minimum,
 * maximum or choice: it has one of the two values, and a minimum neither exceeds. */
static void tighten(const struct sum *sum, int i, int choices, long *min, long *max)
{
	enum plan_op op = sum->terms[i].atom->op;
	bool is_low = (op == PLAN_MIN) == (sum->terms[i].coefficient > 0);
	int first = op == PLAN_SELECT ? 1 : 0;
	struct sum chosen;
	long range[2][2], low, high;

	for (int o = 0; o < 2; o++) {
		if (!choose(sum, i, first + o, &chosen))
			return;
		sum_range(&chosen, choices - 1, &range[o][0], &range[o][1]);
	}
	low = range[0][0] < range[1][0] ? range[0][0] : range[1][0];
	high = range[0][1] > range[1][1] ? range[0][1] : range[1][1];
	if (op != PLAN_SELECT && is_low)
		high = range[0][1] < range[1][1] ? range[0][1] : range[1][1];
	else if (op != PLAN_SELECT)
		low = range[0][0] > range[1][0] ? range[0][0] : range[1][0];
	*min = low > *min ? low : *min;
	*max = high < *max ? high : *max;
}

static void sum_range(const struct sum *sum, int choices, long *min, long *max)
{
	*min = *max = sum->constant;
	for (int i = 0; i < sum->count; i++) {
		long low, high;

		term_range(sum, i, &low, &high);
		*min = clamp((__int128)*min + low);
		*max = clamp((__int128)*max + high);
	}
	for (int i = 0; i < sum->count && choices > 0; i++) {
		enum plan_op op = sum->terms[i].atom->op;

		if (sum->terms[i].coefficient == 0 || (op != PLAN_MIN && op != PLAN_MAX
			&& op != PLAN_SELECT))
			continue;
		tighten(sum, i, choices, min, max);
		break;
	}
}

/* Positive terms, then negative ones, then the constant: the order in which the
 * same sum always prints. */
static struct plan_expr *sum_expr(struct arena *arena, const struct sum *sum)
{
	struct plan_expr *expr = NULL;
	bool constant_used = false;

	for (int i = 0; i < sum->count; i++) {
		struct plan_expr *term;

		if (sum->terms[i].coefficient <= 0)
			continue;
		term = scaled(arena, sum->terms[i].atom, sum->terms[i].coefficient);
		expr = expr ? plan_raw(arena, PLAN_ADD, expr, term, NULL) : term;
	}
	if (!expr) {
		expr = plan_const(arena, sum->constant);
		constant_used = true;
	}
	for (int i = 0; i < sum->count; i++)
		if (sum->terms[i].coefficient < 0)
			expr = plan_raw(arena, PLAN_SUB, expr,
				scaled(arena, sum->terms[i].atom, -sum->terms[i].coefficient), NULL);
	if (constant_used || sum->constant == 0)
		return expr;
	if (sum->constant > 0)
		return plan_raw(arena, PLAN_ADD, expr, plan_const(arena, sum->constant), NULL);
	return plan_raw(arena, PLAN_SUB, expr, plan_const(arena, -sum->constant), NULL);
}

static bool sum_is_safe(const struct sum *sum)
{
	for (int i = 0; i < sum->count; i++)
		if (sum->terms[i].coefficient == LONG_MIN)
			return false;
	return sum->constant != LONG_MIN;
}

static struct plan_expr *make_linear(struct arena *arena, enum plan_op op, struct plan_expr *a,
	struct plan_expr *b)
{
	struct sum sum = { 0 };
	long factor;
	bool fits;

	if (op == PLAN_MUL) {
		if (a->op == PLAN_CONST) {
			struct plan_expr *swap = a;

			a = b;
			b = swap;
		}
		if (!plan_is_const(b, &factor))
			return plan_raw(arena, op, a, b, NULL);
		fits = sum_add(&sum, a, factor);
	} else {
		fits = sum_add(&sum, a, 1) && sum_add(&sum, b, op == PLAN_ADD ? 1 : -1);
	}
	if (!fits || !sum_is_safe(&sum))
		return plan_raw(arena, op, a, b, NULL);
	return sum_expr(arena, &sum);
}

/* floor((d x + r) / d) = x + floor(r / d) and (d x + r) mod d = r mod d. */
static struct plan_expr *make_division(struct arena *arena, enum plan_op op, struct plan_expr *a,
	struct plan_expr *b)
{
	struct sum sum = { 0 }, whole = { 0 }, rest = { 0 };
	struct plan_expr *remainder;
	long divisor = b->value, min, max;

	if (b->op != PLAN_CONST || divisor <= 0 || !sum_add(&sum, a, 1) || !sum_is_safe(&sum))
		return plan_raw(arena, op, a, b, NULL);
	for (int i = 0; i < sum.count; i++) {
		bool divides = sum.terms[i].coefficient % divisor == 0;
		struct sum *part = divides ? &whole : &rest;

		if (sum.terms[i].coefficient != 0)
			sum_add_atom(part, sum.terms[i].atom, divides
				? sum.terms[i].coefficient / divisor : sum.terms[i].coefficient);
	}
	whole.constant = plan_floor_div(sum.constant, divisor);
	rest.constant = sum.constant - whole.constant * divisor;
	remainder = sum_expr(arena, &rest);
	plan_range(remainder, &min, &max);
	if (min != LONG_MIN && max != LONG_MAX
		&& plan_floor_div(min, divisor) == plan_floor_div(max, divisor)) {
		whole.constant += plan_floor_div(min, divisor);
		rest.constant -= plan_floor_div(min, divisor) * divisor;
		return sum_expr(arena, op == PLAN_FLOORDIV ? &whole : &rest);
	}
	remainder = plan_raw(arena, op, remainder, b, NULL);
	if (op == PLAN_MOD)
		return remainder;
	return make_linear(arena, PLAN_ADD, sum_expr(arena, &whole), remainder);
}

/* Range of a - b, with common terms cancelled. */
static void difference_range(struct arena *arena, struct plan_expr *a, struct plan_expr *b,
	long *min, long *max)
{
	plan_range(make_linear(arena, PLAN_SUB, a, b), min, max);
}

static struct plan_expr *make_extremum(struct arena *arena, enum plan_op op, struct plan_expr *a,
	struct plan_expr *b)
{
	long min, max;

	difference_range(arena, a, b, &min, &max);
	if (max <= 0)
		return op == PLAN_MIN ? a : b;
	if (min >= 0)
		return op == PLAN_MIN ? b : a;
	if (a->op == PLAN_CONST)
		return plan_raw(arena, op, b, a, NULL);
	return plan_raw(arena, op, a, b, NULL);
}

static bool is_truth(const struct plan_expr *expr)
{
	return expr->op == PLAN_EQ || expr->op == PLAN_LE || expr->op == PLAN_AND
		|| expr->op == PLAN_OR || expr->op == PLAN_NOT;
}

static struct plan_expr *make_comparison(struct arena *arena, enum plan_op op, struct plan_expr *a,
	struct plan_expr *b)
{
	long min, max;

	difference_range(arena, a, b, &min, &max);
	if (op == PLAN_LE && (max <= 0 || min > 0))
		return plan_const(arena, max <= 0);
	if (op == PLAN_EQ && ((min == 0 && max == 0) || min > 0 || max < 0))
		return plan_const(arena, min == 0 && max == 0);
	if (op == PLAN_EQ && is_truth(a) && b->op == PLAN_CONST)
		return b->value ? a : plan_make(arena, PLAN_NOT, a, NULL);
	if (op == PLAN_LE && min == 0)
		return make_comparison(arena, PLAN_EQ, a, b);
	return plan_raw(arena, op, a, b, NULL);
}

static struct plan_expr *make_logic(struct arena *arena, enum plan_op op, struct plan_expr *a,
	struct plan_expr *b)
{
	long value;

	if (op == PLAN_NOT) {
		if (plan_is_const(a, &value))
			return plan_const(arena, !value);
		if (a->op == PLAN_NOT && is_truth(a->operands[0]))
			return a->operands[0];
		return plan_raw(arena, op, a, NULL, NULL);
	}
	if (plan_is_const(a, &value))
		return (value != 0) == (op == PLAN_AND) ? b : plan_const(arena, op == PLAN_OR);
	if (plan_is_const(b, &value))
		return (value != 0) == (op == PLAN_AND) ? a : plan_const(arena, op == PLAN_OR);
	if (plan_equal(a, b))
		return a;
	return plan_raw(arena, op, a, b, NULL);
}

struct plan_expr *plan_make(struct arena *arena, enum plan_op op, struct plan_expr *a,
	struct plan_expr *b)
{
	switch (op) {
	case PLAN_ADD:
	case PLAN_SUB:
	case PLAN_MUL:
		return make_linear(arena, op, a, b);
	case PLAN_FLOORDIV:
	case PLAN_MOD:
		return make_division(arena, op, a, b);
	case PLAN_MIN:
	case PLAN_MAX:
		return make_extremum(arena, op, a, b);
	case PLAN_EQ:
	case PLAN_LE:
		return make_comparison(arena, op, a, b);
	default:
		return make_logic(arena, op, a, b);
	}
}

struct plan_expr *plan_select(struct arena *arena, struct plan_expr *condition,
	struct plan_expr *yes, struct plan_expr *no)
{
	long value;

	if (plan_is_const(condition, &value))
		return value ? yes : no;
	if (plan_equal(yes, no))
		return yes;
	return plan_raw(arena, PLAN_SELECT, condition, yes, no);
}

struct plan_expr *plan_affine(struct arena *arena, struct affine affine, int count,
	struct plan_expr **values, struct plan_var *const *sizes)
{
	struct plan_expr *sum = plan_const(arena, 0);

	for (int i = 0; i < count; i++)
		if (affine.coefficients[i] != 0)
			sum = plan_make(arena, PLAN_ADD, sum, plan_make(arena, PLAN_MUL, values[i],
				plan_const(arena, affine.coefficients[i])));
	for (int k = 0; k < SYMBOLIC_LIMIT; k++)
		if (affine_size(affine, k) != 0)
			sum = plan_make(arena, PLAN_ADD, sum, plan_make(arena, PLAN_MUL,
				plan_ref(arena, sizes[k]), plan_const(arena, affine_size(affine, k))));
	return plan_make(arena, PLAN_ADD, sum, plan_const(arena, affine.constant));
}

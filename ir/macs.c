/* How many multiply-accumulates statements do, and how often statements run. */

#include "ir/macs.h"

#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/set.h>
#include <isl/val.h>

#include "ir/coalesce.h"
#include "support/memory.h"

/* ---- products ---- */

static int products(const struct expr *expr)
{
	int yes, no;
	switch (expr->kind) {
	case EXPR_CAST:
	case EXPR_UNARY:
		return products(expr->operands[0]);
	case EXPR_BINARY:
		if (!strcmp(expr->operator, "*"))
			return 1;
		if (strcmp(expr->operator, "+") && strcmp(expr->operator, "-"))
			return 0;
		return products(expr->operands[0]) + products(expr->operands[1]);
	case EXPR_CONDITIONAL:
		yes = products(expr->operands[1]);
		no = products(expr->operands[2]);
		return yes > no ? yes : no;
	default:
		return 0;
	}
}

int statement_macs(const struct statement *statement)
{
	return statement->reduction == REDUCTION_SUM ? products(statement->value) : 0;
}

/* ---- points ---- */

enum { COUNT_DIMS = 64 };

/* Constraints constant + sum coefficient * x >= 0 on the dimensions of one part, those
 * up to DEPTH alone: LEVELS [depth]. */
struct level {
	int count;
	long (*rows)[COUNT_DIMS + 1];   /* [0]: the constant */
};

struct counting {
	int depth;
	struct level levels[COUNT_DIMS];
	long steps;                  /* left */
	long point[COUNT_DIMS];
};

static bool add_row(struct level *level, __isl_keep isl_constraint *constraint, int sign, int n)
{
	long *row = level->rows[level->count++];
	bool known = true;
	for (int d = -1; d < n; d++) {
		isl_val *value = d < 0 ? isl_constraint_get_constant_val(constraint)
			: isl_constraint_get_coefficient_val(constraint, isl_dim_set, d);
		known &= isl_val_is_int(value) == isl_bool_true && labs(isl_val_get_num_si(value)) < 1L << 30;
		row[d + 1] = sign * isl_val_get_num_si(value);
		isl_val_free(value);
	}
	return known;
}

/* The constraints of SET's shadow on its first N dimensions, rational: points of it
 * that are no points of SET have an empty range further in. */
static bool fill_level(struct level *level, __isl_keep isl_basic_set *set, int n)
{
	int all = isl_basic_set_dim(set, isl_dim_set);
	isl_basic_set *shadow = isl_basic_set_project_out(isl_basic_set_copy(set), isl_dim_set,
		(unsigned)n, (unsigned)(all - n));
	shadow = n < all ? isl_basic_set_remove_divs(shadow) : shadow;
	isl_constraint_list *list = isl_basic_set_get_constraint_list(shadow);
	int count = isl_constraint_list_n_constraint(list);
	bool known = isl_basic_set_dim(shadow, isl_dim_div) == 0 && count >= 0;
	level->rows = memory_alloc((known ? 2 * (size_t)count + 1 : 1) * sizeof *level->rows);
	for (int c = 0; c < count && known; c++) {
		isl_constraint *constraint = isl_constraint_list_get_constraint(list, c);
		known = add_row(level, constraint, 1, n)
			&& (!isl_constraint_is_equality(constraint) || add_row(level, constraint, -1, n));
		isl_constraint_free(constraint);
	}
	isl_constraint_list_free(list);
	isl_basic_set_free(shadow);
	return known && level->rows;
}

/* The range of dimension D where those before have the values in POINT; false if it has
 * an end only on one side. */
static bool range(const struct counting *counting, int d, long *min, long *max)
{
	const struct level *level = &counting->levels[d];
	bool has_min = false, has_max = false;
	*min = 0;
	*max = -1;
	for (int r = 0; r < level->count; r++) {
		const long *row = level->rows[r];
		long rest = row[0], factor = row[d + 1];
		for (int i = 0; i < d; i++)
			rest += row[i + 1] * counting->point[i];
		if (!factor) {
			if (rest < 0) {
				*max = *min - 1;
				return true;
			}
			continue;
		}
		/* factor * x >= -rest */
		long end = factor > 0 ? -rest : rest, size = labs(factor);
		long down = end / size - (end % size < 0), up = end / size + (end % size > 0);
		if (factor > 0 && (!has_min || up > *min))
			*min = up;
		if (factor < 0 && (!has_max || down < *max))
			*max = down;
		has_min |= factor > 0;
		has_max |= factor < 0;
	}
	return has_min && has_max;
}

static long count_from(struct counting *counting, int d)
{
	long min, max, total = 0;
	if (--counting->steps < 0 || !range(counting, d, &min, &max))
		return -1;
	if (max < min)
		return 0;
	if (d == counting->depth - 1) {
		/* Rows without this dimension were seen to hold; so do all others in the range. */
		return max - min + 1;
	}
	for (long x = min; x <= max; x++) {
		counting->point[d] = x;
		long inside = count_from(counting, d + 1);
		if (inside < 0 || __builtin_add_overflow(total, inside, &total))
			return -1;
	}
	return total;
}

/* The points of SET, whose dimensions are all coupled. */
static long count_part(__isl_take isl_basic_set *set)
{
	enum { STEPS = 20000000 };
	struct counting *counting = memory_alloc(sizeof *counting);
	bool known = true;
	counting->depth = isl_basic_set_dim(set, isl_dim_set);
	counting->steps = STEPS;
	for (int d = 0; d < counting->depth && known; d++)
		known = fill_level(&counting->levels[d], set, d + 1);
	long count = known ? count_from(counting, 0) : -1;
	for (int d = 0; d < counting->depth; d++)
		free(counting->levels[d].rows);
	free(counting);
	isl_basic_set_free(set);
	return count;
}

/* PART [dimension]: the first of those that constraints couple it with. */
static void find_parts(__isl_keep isl_basic_set *set, int n, int *part)
{
	isl_constraint_list *list = isl_basic_set_get_constraint_list(set);
	for (int d = 0; d < n; d++)
		part[d] = d;
	for (int c = 0; c < isl_constraint_list_n_constraint(list); c++) {
		isl_constraint *constraint = isl_constraint_list_get_constraint(list, c);
		int first = -1;
		for (int d = 0; d < n; d++) {
			if (isl_constraint_involves_dims(constraint, isl_dim_set, (unsigned)d, 1) != isl_bool_true)
				continue;
			int low = first < 0 || part[d] < part[first] ? part[d] : part[first];
			int high = first < 0 || part[d] > part[first] ? part[d] : part[first];
			for (int e = 0; e < n; e++)
				part[e] = part[e] == high ? low : part[e];
			first = d;
		}
		isl_constraint_free(constraint);
	}
	isl_constraint_list_free(list);
}

static long count_basic(__isl_take isl_basic_set *set)
{
	int n = isl_basic_set_dim(set, isl_dim_set), part[COUNT_DIMS];
	long total = n <= COUNT_DIMS && isl_basic_set_dim(set, isl_dim_div) == 0 ? 1 : -1;
	if (total > 0 && isl_basic_set_is_empty(set) == isl_bool_true)
		total = 0;
	if (total > 0)
		find_parts(set, n, part);
	for (int p = 0; p < n && total > 0; p++) {
		if (part[p] != p)
			continue;
		isl_basic_set *alone = isl_basic_set_copy(set);
		for (int d = n - 1; d >= 0; d--)
			if (part[d] != p)
				alone = isl_basic_set_project_out(alone, isl_dim_set, (unsigned)d, 1);
		long count = count_part(alone);
		if (count < 0 || __builtin_mul_overflow(total, count, &total))
			total = -1;
	}
	isl_basic_set_free(set);
	return total;
}

/* Few points, or constraints with divisions: isl steps through them. */
static long count_slowly(__isl_keep isl_set *set)
{
	isl_ctx *ctx = isl_set_get_ctx(set);
	enum { OPERATIONS = 40000000 };
	isl_ctx_reset_operations(ctx);
	isl_ctx_set_max_operations(ctx, OPERATIONS);
	isl_val *value = isl_set_count_val(set);
	isl_ctx_set_max_operations(ctx, 0);
	isl_ctx_reset_operations(ctx);
	if (!value)
		isl_ctx_reset_error(ctx);
	long count = value && isl_val_is_int(value) == isl_bool_true
		&& isl_val_n_abs_num_chunks(value, sizeof(long)) <= 1 ? isl_val_get_num_si(value) : -1;
	isl_val_free(value);
	return count;
}

long set_count(__isl_take isl_set *set)
{
	set = isl_set_make_disjoint(isl_set_detect_equalities(set_coalesce(set)));
	isl_basic_set_list *list = isl_set_get_basic_set_list(set);
	long total = 0;
	for (int b = 0; b < isl_basic_set_list_n_basic_set(list) && total >= 0; b++) {
		long count = count_basic(isl_basic_set_list_get_basic_set(list, b));
		if (count < 0 || __builtin_add_overflow(total, count, &total))
			total = -1;
	}
	isl_basic_set_list_free(list);
	if (total < 0)
		total = count_slowly(set);
	isl_set_free(set);
	return total;
}

/* How many points a set has.
 *
 * A set is cut into disjoint basic sets.  Of each, the quotients that its constraints divide by
 * become dimensions, which changes no count, as each is a function of the point.  A dimension that
 * an equality gives as a whole number by the others is left out.  Those left are counted apart
 * where no constraint couples them, and else stepped through, but for the last, and where the numbers
 * of its values grow in lines, the last two. */

#include "ir/set_count.h"

#include <limits.h>
#include <stdlib.h>

#include <isl/constraint.h>
#include <isl/val.h>

#include "ir/coalesce.h"
#include "ir/isl_work.h"
#include "support/memory.h"


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
	long *steps;                 /* left, of all that is counted */
	bool is_complete;            /* no step was missing */
	bool has_concave_width;      /* of the last two dimensions points are counted together */
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

/* How many values the last dimension has where the one before is X; 0 or less: none.  That is
 * concave in X: the least of some sums less the largest of others. */
static long width_at(struct counting *counting, long x)
{
	long min, max;
	--*counting->steps;
	counting->point[counting->depth - 2] = x;
	if (range(counting, counting->depth - 1, &min, &max))
		return max - min + 1;
	counting->is_complete = false;
	return 0;
}

/* Where each end of its range is a whole number. */
static bool has_concave_width(const struct counting *counting)
{
	const struct level *last = counting->depth < 2 ? NULL : &counting->levels[counting->depth - 1];
	for (int r = 0; last && r < last->count; r++)
		if (labs(last->rows[r][counting->depth]) > 1)
			return false;
	return last;
}

/* The points where the last dimension but one runs from FIRST to LAST.  Where a concave function
 * is on its chord once, it is all along. */
static long count_widths(struct counting *counting, long first, long last)
{
	enum { FEW = 2 };
	long total = 0, middle = first + (last - first) / 2, part;
	if (last - first < FEW) {
		for (long x = first; x <= last; x++)
			if ((part = width_at(counting, x)) > 0 && __builtin_add_overflow(total, part, &total))
				total = LONG_MAX;
		counting->is_complete &= total < LONG_MAX;
		return total;
	}
	if (*counting->steps < 0) {
		counting->is_complete = false;
		return 0;
	}
	__int128 low = width_at(counting, first), mean = width_at(counting, middle);
	__int128 high = width_at(counting, last);
	bool is_line = (mean - low) * (last - middle) == (high - mean) * (middle - first);
	if (is_line && low <= 0 && high <= 0)
		return 0;
	if (is_line && low >= 0 && high >= 0) {
		__int128 sum = (low + high) * ((__int128)last - first + 1) / 2;
		counting->is_complete &= sum < LONG_MAX;
		return sum < LONG_MAX ? (long)sum : LONG_MAX;
	}
	total = count_widths(counting, first, middle);
	part = count_widths(counting, middle + 1, last);
	if (!__builtin_add_overflow(total, part, &total))
		return total;
	counting->is_complete = false;
	return LONG_MAX;
}

/* The points with the first D values in counting.point, or some of them. */
static long count_from(struct counting *counting, int d)
{
	long min, max, total = 0;
	if (--*counting->steps < 0 || !range(counting, d, &min, &max)) {
		counting->is_complete = false;
		return 0;
	}
	if (max < min)
		return 0;
	if (d == counting->depth - 1) {
		/* Rows without this dimension were seen to hold; so do all others in the range. */
		return max - min + 1;
	}
	if (d == counting->depth - 2 && counting->has_concave_width)
		return count_widths(counting, min, max);
	for (long x = min; x <= max && *counting->steps >= 0; x++) {
		counting->point[d] = x;
		if (__builtin_add_overflow(total, count_from(counting, d + 1), &total)) {
			counting->is_complete = false;
			return LONG_MAX;
		}
	}
	return total;
}

/* A number of points, or at least so many. */
struct size {
	long count;
	bool is_exact;
};

/* The points of SET, whose dimensions are all coupled. */
static struct size count_part(__isl_take isl_basic_set *set, long *steps)
{
	struct counting *counting = memory_alloc(sizeof *counting);
	bool known = true;
	counting->depth = isl_basic_set_dim(set, isl_dim_set);
	counting->steps = steps;
	counting->is_complete = true;
	for (int d = 0; d < counting->depth && known; d++)
		known = fill_level(&counting->levels[d], set, d + 1);
	counting->has_concave_width = known && has_concave_width(counting);
	struct size size = { known ? count_from(counting, 0) : 0, known && counting->is_complete };
	for (int d = 0; d < counting->depth; d++)
		free(counting->levels[d].rows);
	free(counting);
	isl_basic_set_free(set);
	return size;
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

/* A dimension that an equality of SET gives as a whole number by the others; -1: none. */
static int given_dim(__isl_keep isl_basic_set *set)
{
	isl_constraint_list *list = isl_basic_set_get_constraint_list(set);
	int given = -1;
	for (int c = 0; c < isl_constraint_list_n_constraint(list) && given < 0; c++) {
		isl_constraint *constraint = isl_constraint_list_get_constraint(list, c);
		for (int d = 0; d < isl_basic_set_dim(set, isl_dim_set) && given < 0; d++) {
			isl_val *value = isl_constraint_get_coefficient_val(constraint, isl_dim_set, d);
			if (isl_constraint_is_equality(constraint) == isl_bool_true
				&& (isl_val_is_one(value) == isl_bool_true
				|| isl_val_is_negone(value) == isl_bool_true))
				given = d;
			isl_val_free(value);
		}
		isl_constraint_free(constraint);
	}
	isl_constraint_list_free(list);
	return given;
}

/* As many points as SET has, each a point of dimensions that are not given by others. */
static __isl_give isl_basic_set *independent(__isl_take isl_basic_set *set)
{
	set = isl_basic_set_lift(isl_basic_set_detect_equalities(set));
	set = isl_basic_set_flatten(set);
	for (int d; (d = given_dim(set)) >= 0;)
		set = isl_basic_set_project_out(set, isl_dim_set, (unsigned)d, 1);
	return set;
}

static struct size count_basic(__isl_take isl_basic_set *set, long *steps)
{
	int part[COUNT_DIMS];
	set = independent(set);
	int n = isl_basic_set_dim(set, isl_dim_set);
	struct size total = { 0, false };
	bool is_closed = isl_basic_set_involves_dims(set, isl_dim_param, 0,
		(unsigned)isl_basic_set_dim(set, isl_dim_param)) == isl_bool_false;
	if (isl_basic_set_is_empty(set) == isl_bool_true)
		total = (struct size){ 0, true };
	else if (is_closed && n >= 0 && n <= COUNT_DIMS && isl_basic_set_dim(set, isl_dim_div) == 0)
		total = (struct size){ 1, true };
	if (total.count > 0)
		find_parts(set, n, part);
	for (int p = 0; p < n && total.count > 0; p++) {
		if (part[p] != p)
			continue;
		isl_basic_set *alone = isl_basic_set_copy(set);
		for (int d = n - 1; d >= 0; d--)
			if (part[d] != p)
				alone = isl_basic_set_project_out(alone, isl_dim_set, (unsigned)d, 1);
		struct size size = count_part(alone, steps);
		total.is_exact &= size.is_exact;
		if (__builtin_mul_overflow(total.count, size.count, &total.count))
			total = (struct size){ LONG_MAX, false };
	}
	isl_basic_set_free(set);
	return total;
}

/* The points of disjoint basic sets, or of the largest of those in LIST that may overlap. */
static struct size count_all(__isl_take isl_basic_set_list *list, bool are_disjoint, long steps)
{
	struct size total = { 0, list };
	int count = list ? isl_basic_set_list_n_basic_set(list) : 0;
	for (int b = 0; b < count; b++) {
		struct size size = count_basic(isl_basic_set_list_get_basic_set(list, b), &steps);
		total.is_exact &= size.is_exact;
		if (!are_disjoint)
			total.count = size.count > total.count ? size.count : total.count;
		else if (__builtin_add_overflow(total.count, size.count, &total.count))
			total = (struct size){ LONG_MAX, false };
	}
	isl_basic_set_list_free(list);
	return total;
}

static __isl_give isl_set *disjoint(__isl_take isl_set *set)
{
	set = isl_set_compute_divs(isl_set_detect_equalities(set_coalesce(set)));
	return isl_set_make_disjoint(set);
}

/* Few points, or constraints with large numbers: isl steps through them. */
static long count_slowly(__isl_keep isl_set *set)
{
	enum { OPERATIONS = 40000000 };
	isl_ctx *ctx = isl_set_get_ctx(set);
	struct isl_work work = isl_work_begin(ctx, OPERATIONS);
	isl_val *value = isl_set_count_val(set);
	long count = isl_work_end(&work) && value && isl_val_is_int(value) == isl_bool_true
		&& isl_val_n_abs_num_chunks(value, sizeof(long)) <= 1 ? isl_val_get_num_si(value) : -1;
	isl_val_free(value);
	return count;
}

long set_count(__isl_take isl_set *set)
{
	enum { STEPS = 20000000 };
	set = disjoint(set);
	struct size size = count_all(isl_set_get_basic_set_list(set), true, STEPS);
	long count = size.is_exact ? size.count : count_slowly(set);
	isl_set_free(set);
	return count;
}

/* Within the limit of isl's work; 0 where it does not do. */
static long count_within(__isl_take isl_set *set, bool are_disjoint)
{
	enum { OPERATIONS = 1000000, STEPS = 1000000 };
	isl_ctx *ctx = isl_set_get_ctx(set);
	struct isl_work work = isl_work_begin(ctx, OPERATIONS);
	set = are_disjoint ? disjoint(set) : isl_set_compute_divs(set);
	struct size size = count_all(isl_set_get_basic_set_list(set), are_disjoint, STEPS);
	isl_set_free(set);
	return isl_work_end(&work) ? size.count : 0;
}

long set_count_at_least(__isl_take isl_set *set)
{
	long count = set ? count_within(isl_set_copy(set), true) : 0;
	if (!count)
		return set ? count_within(set, false) : 0;
	isl_set_free(set);
	return count;
}

/* Iterators of a statement that the guards of a border tie, and what of an array they leave out of tiles. */

#include "passes/fusion/group_border.h"

#include <stdlib.h>

#include <isl/constraint.h>

#include "passes/analysis/values.h"
#include "passes/fusion/group_model.h"

/* Iterators that are tied and have more values are not looked at, nor are any beyond so large ones, whose products with
 * coefficients must be a long. */
enum { VALUES = 4096, LARGEST = 1 << 30 };

struct builder {
	struct arena *arena;
	const struct statement *statement;
	long (*ranges)[2];
	struct group_tie *ties;
};

static long count_of(const long range[2])
{
	return range[1] - range[0] + 1;
}

/* Iterators I and J are tied from here on; false: one of them is tied to another, or has too many values. */
static bool tie(const struct builder *builder, int i, int j)
{
	struct group_tie *own = &builder->ties[i];
	if (own->partner == j)
		return true;
	if (own->partner >= 0 || count_of(builder->ranges[i]) > VALUES)
		return false;
	own->partner = j;
	own->low = ARENA_ARRAY(builder->arena, long, count_of(builder->ranges[i]));
	own->high = ARENA_ARRAY(builder->arena, long, count_of(builder->ranges[i]));
	for (long v = 0; v < count_of(builder->ranges[i]); v++) {
		own->low[v] = builder->ranges[j][0];
		own->high[v] = builder->ranges[j][1];
	}
	return true;
}

/* Leaves iterator I, which is tied, those values of its partner with which A times the one and B times the other and C are 0 or
 * more. */
static void narrow(const struct builder *builder, int i, long a, long b, long c)
{
	struct group_tie *own = &builder->ties[i];
	for (long v = 0; v < count_of(builder->ranges[i]); v++) {
		long rest = a * (builder->ranges[i][0] + v) + c;
		if (b > 0 && own->low[v] < -plan_floor_div(rest, b))
			own->low[v] = -plan_floor_div(rest, b);
		if (b < 0 && own->high[v] > plan_floor_div(rest, -b))
			own->high[v] = plan_floor_div(rest, -b);
	}
}

/* VALUE as a long that can be multiplied by an iterator; false: it is too large. */
static bool take_small(__isl_take isl_val *value, long *out)
{
	enum { MOST = 1 << 30 };
	bool is_small = isl_val_is_int(value) == isl_bool_true && isl_val_cmp_si(value, MOST) < 0
		&& isl_val_cmp_si(value, -MOST) > 0;
	*out = is_small ? isl_val_get_num_si(value) : 0;
	isl_val_free(value);
	return is_small;
}

/* Takes up what CONSTRAINT says of two iterators; what one says of a single one the ranges know.  False: it ties more than two, or
 * lets one have a single value for each of the other. */
static bool read_constraint(const struct builder *builder, __isl_keep isl_constraint *constraint)
{
	int iterators[2], count = 0;
	long coefficients[2], constant;
	for (int i = 0; i < builder->statement->depth; i++) {
		if (!isl_constraint_involves_dims(constraint, isl_dim_set, (unsigned)i, 1))
			continue;
		if (count == 2)
			return false;
		iterators[count] = i;
		if (!take_small(isl_constraint_get_coefficient_val(constraint, isl_dim_set, i), &coefficients[count++]))
			return false;
	}
	if (count < 2)
		return true;
	if (isl_constraint_is_equality(constraint) || !take_small(isl_constraint_get_constant_val(constraint), &constant))
		return false;
	for (int one = 0; one < 2; one++) {
		if (!tie(builder, iterators[one], iterators[!one]))
			return false;
		narrow(builder, iterators[one], coefficients[one], coefficients[!one], constant);
	}
	return true;
}

static isl_stat add_constraint(__isl_take isl_constraint *constraint, void *user)
{
	bool is_read = read_constraint(user, constraint);
	isl_constraint_free(constraint);
	return is_read ? isl_stat_ok : isl_stat_error;
}

/* All that is said of a domain is said by constraints between its iterators. */
static bool read_domain(struct builder *builder)
{
	isl_set *domain = isl_set_coalesce(isl_set_copy(builder->statement->domain));
	isl_basic_set_list *list = isl_set_get_basic_set_list(domain);
	bool is_read = isl_basic_set_list_n_basic_set(list) == 1;
	if (is_read) {
		isl_basic_set *all = isl_basic_set_remove_redundancies(isl_basic_set_list_get_basic_set(list, 0));
		is_read = isl_basic_set_dim(all, isl_dim_div) == 0
			&& isl_basic_set_involves_dims(all, isl_dim_param, 0, (unsigned)isl_basic_set_dim(all, isl_dim_param))
			== isl_bool_false
			&& isl_basic_set_foreach_constraint(all, add_constraint, builder) == isl_stat_ok;
		isl_basic_set_free(all);
	}
	isl_basic_set_list_free(list);
	isl_set_free(domain);
	return is_read;
}

/* Each value of iterator I has a partner, next to those of the value before or among them; some has all. */
static bool is_whole(const struct builder *builder, int i)
{
	struct group_tie *own = &builder->ties[i];
	long count = count_of(builder->ranges[i]), first = count, last = -1;
	for (long v = 0; own->partner >= 0 && v < count; v++) {
		if (own->low[v] > own->high[v]
			|| (v && (own->low[v] > own->high[v - 1] + 1 || own->high[v] < own->low[v - 1] - 1)))
			return false;
		if (own->low[v] > builder->ranges[own->partner][0] || own->high[v] < builder->ranges[own->partner][1])
			continue;
		first = v < first ? v : first;
		last = v;
	}
	own->lacking[0] = first;
	own->lacking[1] = count - 1 - last;
	return own->partner < 0 || last >= 0;
}

/* The domain is all of the box of the ranges. */
static bool is_box(const struct builder *builder)
{
	const struct statement *statement = builder->statement;
	isl_set *box = isl_set_universe(isl_set_get_space(statement->domain));
	for (int i = 0; i < statement->depth; i++)
		box = set_bounds(box, (unsigned)i, builder->ranges[i][0], builder->ranges[i][1]);
	bool is = isl_set_is_equal(box, statement->domain) == isl_bool_true;
	isl_set_free(box);
	return is;
}

struct group_tie *group_ties(struct arena *arena, const struct statement *statement, long (*ranges)[2])
{
	struct builder builder = { arena, statement, ranges,
		ARENA_ARRAY(arena, struct group_tie, statement->depth + 1) };
	bool is_known = true;
	for (int i = 0; i < statement->depth; i++) {
		builder.ties[i].partner = -1;
		is_known &= labs(statement->loops[i]->step) == 1 && ranges[i][0] <= ranges[i][1]
			&& ranges[i][0] >= -LARGEST && ranges[i][1] <= LARGEST;
	}
	is_known = is_known && (is_box(&builder) || read_domain(&builder));
	for (int i = 0; i < statement->depth && is_known; i++)
		is_known = is_whole(&builder, i);
	return is_known ? builder.ties : NULL;
}

bool group_is_box(const struct groups *groups, int s)
{
	bool is_box = groups->ties[s];
	for (int i = 0; is_box && i < groups->function->statements[s]->depth; i++)
		is_box = groups->ties[s][i].partner < 0;
	return is_box;
}

void group_partners(const struct groups *groups, int s, int i, const long values[2], long ends[2])
{
	const struct group_tie *tie = &groups->ties[s][i];
	long least = groups->ranges[s][i][0];
	ends[0] = tie->low[values[0] - least];
	ends[1] = tie->high[values[0] - least];
	for (long v = values[0] - least + 1; v <= values[1] - least; v++) {
		ends[0] = tie->low[v] < ends[0] ? tie->low[v] : ends[0];
		ends[1] = tie->high[v] > ends[1] ? tie->high[v] : ends[1];
	}
}

static bool cuts_border_of(const struct groups *groups, int s, const struct group_dim *dim, long tile)
{
	const struct group_plane *plane = &dim->planes[s];
	if (plane->kind != HYPERPLANE_AFFINE || !groups->ties[s] || groups->ties[s][plane->iterator].partner < 0)
		return false;
	const long *range = groups->ranges[s][plane->iterator], *lacking = groups->ties[s][plane->iterator].lacking;
	bool rises = plane->factor > 0;
	long first = plan_floor_div(plane->factor * range[!rises] + plane->shift, plane->divisor) - dim->least;
	long last = plan_floor_div(plane->factor * range[rises] + plane->shift, plane->divisor) - dim->least;
	/* of several iterations at a value there are as many or more */
	return tile - first % tile <= lacking[!rises] || last % tile + 1 <= lacking[rises];
}

bool group_cuts_border(const struct groups *groups, const struct fusion_candidate *candidate, const struct group_dim *dim,
	long tile)
{
	bool cuts = false;
	for (int n = candidate->first; n <= candidate->last && !cuts; n++)
		for (int s = 0; s < groups->nests[n].statement_count && !cuts; s++)
			cuts = cuts_border_of(groups, groups->nests[n].statements[s]->index, dim, tile);
	return cuts;
}

/* ---- what is touched ---- */

int group_dim_along(const struct fusion_candidate *candidate, int s, int i)
{
	for (int dim = 0; dim < candidate->dim_count; dim++)
		if (candidate->dims[dim].planes[s].kind == HYPERPLANE_AFFINE && candidate->dims[dim].planes[s].iterator == i)
			return dim;
	return -1;
}

/* With each value of iterator I subscript D of ACCESS, which only it and its partner move, touches what it would without a
 * border, but for what is not from LOW to HIGH. */
static bool ends_at_border(const struct groups *groups, const struct group_access *access, int d, int i)
{
	const struct group_tie *tie = &groups->ties[access->statement][i];
	const struct affine *subscript = &access->access->subscripts[d];
	const long *range = groups->ranges[access->statement][i];
	const long *all = groups->ranges[access->statement][tie->partner];
	long a = subscript->coefficients[i], b = subscript->coefficients[tie->partner];
	bool ends = true;
	for (long v = range[0]; v <= range[1] && ends; v++) {
		long own = subscript->constant + a * v;
		long there[] = { tie->low[v - range[0]], tie->high[v - range[0]] };
		long low = own + b * all[b < 0], high = own + b * all[b > 0];
		ends = own + b * there[b < 0] == (low < access->low[d] ? access->low[d] : low)
			&& own + b * there[b > 0] == (high > access->high[d] ? access->high[d] : high);
	}
	return ends;
}

/* Subscript D of ACCESS and the tie of iterator I go together. */
static bool subscript_suits(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_access *access, int d, int i)
{
	const struct statement *statement = groups->function->statements[access->statement];
	const struct affine *subscript = &access->access->subscripts[d];
	int partner = groups->ties[access->statement][i].partner;
	for (int other = 0; other < statement->depth; other++)
		if (other != i && other != partner && subscript->coefficients[other])
			return false;
	if (!subscript->coefficients[i] || !subscript->coefficients[partner])
		return labs(subscript->coefficients[i] + subscript->coefficients[partner]) == 1;
	/* what is not cut has all of its values in each tile */
	return (group_dim_along(candidate, access->statement, i) < 0 || ends_at_border(groups, access, d, i))
		&& (group_dim_along(candidate, access->statement, partner) < 0 || ends_at_border(groups, access, d, partner));
}

bool group_ties_suit(const struct groups *groups, const struct fusion_candidate *candidate,
	const struct group_access *access)
{
	int s = access->statement;
	const struct group_tie *ties = groups->ties[s];
	for (int i = 0; i < groups->function->statements[s]->depth; i++) {
		int subscripts = 0;
		if (ties[i].partner < i)
			continue;
		/* tiles in which nothing runs, as their rows and those of a filter do not meet */
		if (group_dim_along(candidate, s, i) >= 0 && group_dim_along(candidate, s, ties[i].partner) >= 0)
			return false;
		for (int d = 0; d < access->access->array->rank; d++) {
			const struct affine *subscript = &access->access->subscripts[d];
			if (!subscript->coefficients[i] && !subscript->coefficients[ties[i].partner])
				continue;
			if (++subscripts > 1 || !subscript_suits(groups, candidate, access, d, i))
				return false;
		}
	}
	return true;
}

/* ---- what is left out ---- */

/* Of COUNT values of the iterator's partner, those that tile T of LOOP has, in which iterator I of statement S has VALUES.
 * Where other tiles cut the partner, and have some of its values twice, that may be said of none. */
static long partners_in(const struct group_model *model, int s, int i, const struct segment *values, long count)
{
	const struct fusion_candidate *candidate = &model->candidate;
	int dim = group_dim_along(candidate, s, model->groups->ties[s][i].partner);
	const long own[] = { values->low, values->high };
	long ends[2];
	group_partners(model->groups, s, i, own, ends);
	long there = ends[1] - ends[0] + 1;
	return there < count && dim >= 0 && candidate->dims[dim].spans[s] ? 0 : there;
}

/* How many values the partner of iterator I of statement S, which LOOP cuts, lacks in its tiles, all together.  Those in between
 * have one of the values with which all are there. */
static long lacking_partners(const struct group_model *model, int s, int i, const struct group_loop *loop, long count)
{
	long lacking = 0, from = 0;
	for (int end = 0; end < 2; end++) {
		bool is_border = true;
		for (long t = end ? loop->count - 1 : 0; is_border && (end ? t >= from : t < loop->count); t += end ? -1 : 1) {
			const struct segment values = group_values(model, s, loop, t);
			long own = values.high < values.low ? 0 : count - partners_in(model, s, i, &values, count);
			is_border = values.high < values.low || own > 0;
			lacking += own;
			from = end ? from : t + 1;
		}
	}
	return lacking;
}

/* The same as a share of what ACCESS shows in TILES; 0: there is no saying. */
static double share_of_access(const struct group_model *model, const struct group_access *access, int i,
	const struct group_loop *loop, long tiles)
{
	const struct group_tie *ties = model->groups->ties[access->statement];
	const long *range = model->groups->ranges[access->statement][ties[i].partner];
	long count = range[1] - range[0] + 1;
	for (int d = 0; d < access->access->array->rank; d++) {
		const struct affine *subscript = &access->access->subscripts[d];
		if (!subscript->coefficients[ties[i].partner] || subscript->coefficients[i])
			continue;
		long lacking = lacking_partners(model, access->statement, i, loop, count);
		return !lacking ? 1 : tiles > 0 && lacking < tiles * count ? 1 - (double)lacking / (double)tiles / (double)count : 0;
	}
	return 1;
}

double group_border_share(const struct group_model *model, const struct model_entry *entry, const struct group_loop *loop,
	long tiles)
{
	const struct group_plane *plane = &model->candidate.dims[loop->dim].planes[entry->main];
	double share = 1;
	if (plane->kind != HYPERPLANE_AFFINE || !model->groups->ties[entry->main]
		|| model->groups->ties[entry->main][plane->iterator].partner < 0)
		return 1;
	for (int a = 0; a < entry->access_count; a++) {
		if (entry->accesses[a]->statement != entry->main)
			continue;
		double own = share_of_access(model, entry->accesses[a], plane->iterator, loop, tiles);
		share = own < share ? own : share;
	}
	return share;
}

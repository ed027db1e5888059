/* Which elements the visits of a buffer touch, as sets over the tile parameters. */

#include "passes/regions/footprint.h"

#include <isl/aff.h>
#include <isl/space.h>
#include <isl/val.h>

#include "ir/coalesce.h"
#include "ir/order.h"
#include "passes/analysis/values.h"

#define ARENA(lowering) ((lowering)->compilation->arena)

/* The elements that accesses of array A touch (or only those that they write) in a visit,
 * as a function of the tile parameters of the loops outside. */
__isl_give isl_set *touched_by(const struct lowering *lowering, int a, bool writes_only,
	int depth)
{
	const struct reference_group *array = &lowering->groups->items[a];
	isl_set *elements = NULL;
	for (int i = 0; i < array->access_count; i++) {
		if (writes_only && !array->accesses[i].access->is_write)
			continue;
		isl_set *instances = tile_instances(lowering, array->accesses[i].statement, depth,
			IN_TILE);
		elements = set_unite(elements, isl_set_apply(instances,
			isl_map_copy(array->accesses[i].access->map)));
	}
	elements = isl_set_intersect_params(elements, context_at(lowering, depth));
	return set_coalesce(elements);
}

__isl_give isl_set *written_by(const struct lowering *lowering, int a, int depth)
{
	return touched_by(lowering, a, true, depth);
}

/* ---- footprints: sets with the extremes of what a visit touches ---- */

/* A and B, accesses of one statement, have the same subscripts but for constants. */
static bool is_shifted(const struct statement *statement, const struct access *a,
	const struct access *b)
{
	for (int d = 0; d < a->array->rank; d++)
		for (int i = 0; i < statement->depth; i++)
			if (a->subscripts[d].coefficients[i] != b->subscripts[d].coefficients[i])
				return false;
	for (int d = 0; d < a->array->rank; d++)
		for (int k = 0; k < SYMBOLIC_LIMIT; k++)
			if (affine_size(a->subscripts[d], k) != affine_size(b->subscripts[d], k))
				return false;
	return true;
}

/* {[x] -> [x + shift]} in the space of SET. */
static __isl_give isl_set *shift(__isl_take isl_set *set, const long *by, int rank)
{
	isl_ctx *ctx = isl_set_get_ctx(set);
	isl_multi_aff *move = isl_multi_aff_identity_on_domain_space(isl_set_get_space(set));
	bool moves = false;
	for (int d = 0; d < rank; d++) {
		moves |= by[d] != 0;
		move = isl_multi_aff_set_aff(move, d, isl_aff_add_constant_val(
			isl_multi_aff_get_aff(move, d), isl_val_int_from_si(ctx, by[d])));
	}
	if (moves)
		return isl_set_apply(set, isl_map_from_multi_aff(move));
	isl_multi_aff_free(move);
	return set;
}

/* Adds the shape of access FIRST of ARRAY, and of all that are like it. */
static void add_shape(const struct lowering *lowering, const struct reference_group *array, int first,
	int depth, enum reach reach, struct footprint *footprint)
{
	const struct nest_access *one = &array->accesses[first];
	const struct statement *statement = lowering->nest->statements[one->statement];
	long low[ARRAY_RANK_LIMIT] = { 0 }, high[ARRAY_RANK_LIMIT] = { 0 };
	int rank = array->array->rank;
	bool differ = false;
	for (int i = first; i < array->access_count; i++) {
		const struct nest_access *other = &array->accesses[i];
		if (other->statement != one->statement || !is_shifted(statement, one->access, other->access))
			continue;
		for (int d = 0; d < rank; d++) {
			long by = other->access->subscripts[d].constant - one->access->subscripts[d].constant;
			low[d] = by < low[d] ? by : low[d];
			high[d] = by > high[d] ? by : high[d];
			differ |= by != 0;
		}
	}
	isl_set *shape = isl_set_apply(tile_instances(lowering, one->statement, depth, reach),
		isl_map_copy(one->access->map));
	shape = isl_set_intersect_params(shape, context_at(lowering, depth));
	if (differ && !footprint->highs)
		footprint->highs = isl_set_copy(footprint->lows);
	if (footprint->highs || differ)
		footprint->highs = set_unite(footprint->highs, shift(isl_set_copy(shape), high, rank));
	footprint->lows = set_unite(footprint->lows, shift(shape, low, rank));
}

/* No access of ARRAY before number I has the same shape. */
static bool has_new_shape(const struct lowering *lowering, const struct reference_group *array, int i)
{
	const struct nest_access *access = &array->accesses[i];
	bool is_new = true;
	for (int j = 0; j < i && is_new; j++)
		is_new = access->statement != array->accesses[j].statement || !is_shifted(
			lowering->nest->statements[access->statement], access->access,
			array->accesses[j].access);
	return is_new;
}

__isl_give isl_set *footprint_shape(const struct lowering *lowering, int a, int i, int depth)
{
	const struct reference_group *array = &lowering->groups->items[a];
	if (!has_new_shape(lowering, array, i))
		return NULL;
	isl_set *shape = isl_set_apply(tile_instances(lowering, array->accesses[i].statement, depth, IN_TILE),
		isl_map_copy(array->accesses[i].access->map));
	return isl_set_intersect_params(shape, context_at(lowering, depth));
}

/* Of array A; only the first DEPTH tile loops count.  Caller ends it. */
struct footprint footprint_find(const struct lowering *lowering, int a, int depth,
	enum reach reach)
{
	const struct reference_group *array = &lowering->groups->items[a];
	struct footprint footprint = { NULL, NULL, NULL };
	for (int i = 0; i < array->access_count; i++)
		if (has_new_shape(lowering, array, i))
			add_shape(lowering, array, i, depth, reach, &footprint);
	if (!footprint.highs)
		footprint.highs = isl_set_copy(footprint.lows);
	footprint.lows = set_coalesce(footprint.lows);
	footprint.highs = set_coalesce(footprint.highs);
	footprint.visits = isl_set_params(isl_set_copy(footprint.lows));
	return footprint;
}

__isl_give isl_set *by_lattice(const struct plan_buffer *buffer, __isl_take isl_set *elements)
{
	isl_multi_aff *element = NULL;   /* of its number */
	for (int d = 0; d < buffer->rank && elements; d++) {
		const struct plan_dim *dim = &buffer->dims[d];
		if (dim->stride == 1)
			continue;
		isl_ctx *ctx = isl_set_get_ctx(elements);
		if (!element)
			element = isl_multi_aff_identity_on_domain_space(isl_set_get_space(elements));
		isl_aff *aff = isl_aff_scale_val(isl_multi_aff_get_aff(element, d),
			isl_val_int_from_si(ctx, dim->stride));
		element = isl_multi_aff_set_aff(element, d, isl_aff_add_constant_val(aff,
			isl_val_int_from_si(ctx, dim->phase)));
	}
	return element ? set_coalesce(isl_set_preimage_multi_aff(elements, element)) : elements;
}

struct footprint footprint_by_lattice(const struct plan_buffer *buffer, struct footprint footprint)
{
	footprint.lows = by_lattice(buffer, footprint.lows);
	footprint.highs = by_lattice(buffer, footprint.highs);
	return footprint;
}

void footprint_end(struct footprint *footprint)
{
	isl_set_free(footprint->lows);
	isl_set_free(footprint->highs);
	isl_set_free(footprint->visits);
}

/* ---- what is read before it is written ---- */

/* Statement S with those instances only that run in a visit.  Its domain is the
 * caller's to free. */
struct statement statement_in_visit(const struct lowering *lowering, int s, int depth)
{
	struct statement statement = *lowering->nest->statements[s];
	statement.domain = isl_set_intersect_params(tile_instances(lowering, s, depth, IN_TILE),
		context_at(lowering, depth));
	return statement;
}

/* The accesses that read array A's buffer, or write it, in a visit: its own, and those of
 * other groups that borrow from it. */
struct visit_accesses {
	int count, write_count;
	struct statement *statements;            /* [count]: with the instances of the visit */
	const struct access **accesses;          /* [count] */
	struct statement_access *writes;         /* [write_count] */
};

static void add_access(struct visit_accesses *visit, struct statement statement,
	const struct access *access)
{
	visit->statements[visit->count] = statement;
	visit->accesses[visit->count] = access;
	if (access->is_write)
		visit->writes[visit->write_count++] = (struct statement_access){
			&visit->statements[visit->count], access };
	visit->count++;
}

/* Caller frees the domains. */
static struct visit_accesses visit_of(const struct lowering *lowering, int a)
{
	const struct reference_groups *groups = lowering->groups;
	size_t limit = 0;
	for (int b = 0; b < groups->count; b++)
		if (b == a || lowering->lender[b] == a)
			limit += (size_t)groups->items[b].access_count;
	struct visit_accesses visit = { .statements = ARENA_ARRAY(ARENA(lowering), struct statement,
		limit),
		.accesses = ARENA_ARRAY(ARENA(lowering), const struct access *, limit),
		.writes = ARENA_ARRAY(ARENA(lowering), struct statement_access, limit) };
	for (int b = 0; b < groups->count; b++)
		for (int i = 0; i < groups->items[b].access_count; i++) {
			const struct nest_access *access = &groups->items[b].accesses[i];
			if (b != a && lowering->lender[b] != a)
				continue;
			struct statement statement = statement_in_visit(lowering, access->statement,
				visit_depth(lowering, a));
			if (b != a)
				statement.domain = borrowing(lowering, b, access->access, statement.domain);
			add_access(&visit, statement, access->access);
		}
	return visit;
}

/* The elements that a visit of array A reads before it writes them. */
__isl_give isl_set *read_before_written(const struct lowering *lowering, int a)
{
	struct visit_accesses visit = visit_of(lowering, a);
	isl_set *elements = NULL;
	for (int r = 0; r < visit.count; r++) {
		const struct access *read = visit.accesses[r];
		if (read->is_write)
			continue;
		isl_set *open = reads_without_write(isl_set_copy(visit.statements[r].domain),
			(struct statement_access){ &visit.statements[r], read }, visit.writes,
			visit.write_count, 0);
		elements = set_unite(elements, isl_set_apply(open, isl_map_copy(read->map)));
	}
	for (int r = 0; r < visit.count; r++)
		isl_set_free(visit.statements[r].domain);
	return elements ? set_coalesce(elements) : NULL;
}

__isl_give isl_set *borrowing(const struct lowering *lowering, int a,
	const struct access *access, __isl_take isl_set *set)
{
	int lender = lowering->lender[a];
	isl_set *held = touched_by(lowering, lender, false, lowering->holdings[lender].store);
	return isl_set_intersect(set, isl_set_apply(held, isl_map_reverse(isl_map_copy(access->map))));
}

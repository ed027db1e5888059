/* Which instance of which statement runs first. */

#include "ir/order.h"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/space.h>
#include <isl/val.h>

int shared_loop_count(const struct statement *from, const struct statement *to)
{
	int count = 0;
	while (count < from->depth && count < to->depth && from->loops[count] == to->loops[count])
		count++;
	return count;
}

/* The place in the body of the innermost shared loop. */
static int place_in_body(const struct statement *statement, int shared)
{
	return statement->depth > shared ? statement->loops[shared]->position : statement->position;
}

static __isl_give isl_constraint *add_term(__isl_take isl_constraint *constraint,
	enum isl_dim_type type, int position, long coefficient)
{
	return isl_constraint_set_coefficient_val(constraint, type, position,
		isl_val_int_from_si(isl_constraint_get_ctx(constraint), coefficient));
}

/* iterator I of the one = iterator I of the other */
static __isl_give isl_map *equate(__isl_take isl_map *map, int i)
{
	return isl_map_equate(map, isl_dim_in, i, isl_dim_out, i);
}

/* The first one's loop I is in an earlier iteration. */
static __isl_give isl_map *precede(__isl_take isl_map *map, const struct loop *loop, int i)
{
	return loop->step > 0 ? isl_map_order_lt(map, isl_dim_in, i, isl_dim_out, i)
		: isl_map_order_gt(map, isl_dim_in, i, isl_dim_out, i);
}

/* Subscripts LEFT and RIGHT have the same symbolic sizes in them. */
static bool sizes_are_equal(const struct affine *left, const struct affine *right)
{
	for (int k = 0; k < SYMBOLIC_LIMIT; k++)
		if (affine_size(*left, k) != affine_size(*right, k))
			return false;
	return true;
}

/* A and B differ in a dimension where both are one number. */
bool accesses_are_apart(const struct statement *from, const struct access *a,
	const struct statement *to, const struct access *b)
{
	for (int d = 0; d < a->array->rank; d++) {
		bool is_fixed = a->subscripts[d].constant != b->subscripts[d].constant
			&& sizes_are_equal(&a->subscripts[d], &b->subscripts[d]);
		for (int i = 0; i < from->depth && is_fixed; i++)
			is_fixed = !a->subscripts[d].coefficients[i];
		for (int i = 0; i < to->depth && is_fixed; i++)
			is_fixed = !b->subscripts[d].coefficients[i];
		if (is_fixed)
			return true;
	}
	return false;
}

/* What meeting says, by the maps of the accesses, which takes isl longer. */
static __isl_give isl_map *meeting_by_maps(const struct statement *from, const struct access *a,
	const struct statement *to, const struct access *b)
{
	isl_map *left = isl_map_intersect_domain(isl_map_copy(a->map), isl_set_copy(from->domain));
	isl_map *right = isl_map_intersect_domain(isl_map_copy(b->map), isl_set_copy(to->domain));
	return isl_map_apply_range(left, isl_map_reverse(right));
}

/* {instance of FROM -> instance of TO : A and B touch the same element} */
static __isl_give isl_map *meeting(const struct statement *from, const struct access *a,
	const struct statement *to, const struct access *b)
{
	for (int d = 0; d < a->array->rank; d++)
		if (!sizes_are_equal(&a->subscripts[d], &b->subscripts[d]))
			return meeting_by_maps(from, a, to, b);
	isl_map *map = isl_map_from_domain_and_range(isl_set_copy(from->domain),
		isl_set_copy(to->domain));
	for (int d = 0; d < a->array->rank; d++) {
		isl_constraint *equal = isl_constraint_alloc_equality(
			isl_local_space_from_space(isl_map_get_space(map)));
		const struct affine *left = &a->subscripts[d], *right = &b->subscripts[d];
		for (int i = 0; i < from->depth; i++)
			equal = add_term(equal, isl_dim_in, i, left->coefficients[i]);
		for (int i = 0; i < to->depth; i++)
			equal = add_term(equal, isl_dim_out, i, -right->coefficients[i]);
		isl_ctx *ctx = isl_map_get_ctx(map);
		equal = isl_constraint_set_constant_val(equal, isl_val_sub(
			isl_val_int_from_si(ctx, left->constant), isl_val_int_from_si(ctx, right->constant)));
		map = isl_map_add_constraint(map, equal);
	}
	return map;
}

/* Whether FROM stands before TO in the body of the innermost loop they share. */
static bool is_before(const struct statement *from, const struct statement *to, int shared)
{
	return place_in_body(from, shared) < place_in_body(to, shared);
}

bool may_precede(const struct statement *from, const struct statement *to)
{
	int shared = shared_loop_count(from, to);
	return shared > 0 || is_before(from, to, shared);
}

/* The pairs of MEETING at LEVEL. */
static __isl_give isl_map *at_level(__isl_keep isl_map *meeting, const struct statement *from,
	int level, int shared)
{
	isl_map *map = isl_map_copy(meeting);
	for (int i = 0; i < level; i++)
		map = equate(map, i);
	return level < shared ? precede(map, from->loops[level], level) : map;
}

__isl_give isl_map *access_pairs_at(const struct statement *from, const struct access *a,
	const struct statement *to, const struct access *b, int level)
{
	int shared = shared_loop_count(from, to);
	if (level == shared && !is_before(from, to, shared))
		return NULL;
	isl_map *all = meeting(from, a, to, b);
	isl_map *map = at_level(all, from, level, shared);
	isl_map_free(all);
	return map;
}

__isl_give isl_map *access_pairs(const struct statement *from, const struct access *a,
	const struct statement *to, const struct access *b)
{
	int shared = shared_loop_count(from, to);
	isl_map *all = meeting(from, a, to, b);
	isl_map *pairs = isl_map_empty(isl_map_get_space(all));
	for (int level = 0; level < shared || (level == shared && is_before(from, to, shared)); level++)
		pairs = isl_map_union(pairs, at_level(all, from, level, shared));
	isl_map_free(all);
	return pairs;
}

/* LEFT without the reads that meet WRITE at LEVEL. */
static __isl_give isl_set *without(__isl_take isl_set *left, const struct statement_access *read,
	const struct statement_access *write, int level)
{
	isl_map *pairs = access_pairs_at(write->statement, write->access, read->statement,
		read->access, level);
	return pairs ? isl_set_subtract(left, isl_map_range(pairs)) : left;
}

/* Nearest writes first: they mostly are all there is to find. */
__isl_give isl_set *reads_without_write(__isl_take isl_set *left, struct statement_access read,
	const struct statement_access *writes, int write_count, int same_loops)
{
	for (int distance = 0; distance <= read.statement->depth; distance++)
		for (int w = 0; w < write_count; w++) {
			int level = shared_loop_count(writes[w].statement, read.statement) - distance;
			if (level < same_loops)
				continue;
			left = without(left, &read, &writes[w], level);
			if (isl_set_is_empty(left) != isl_bool_false)
				return left;
		}
	return left;
}

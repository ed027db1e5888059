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

int place_in_body(const struct statement *statement, int shared)
{
	return statement->depth > shared ? statement->loops[shared]->position : statement->position;
}

static __isl_give isl_constraint *add_term(__isl_take isl_constraint *constraint,
	enum isl_dim_type type, int position, long coefficient)
{
	return coefficient ? isl_constraint_set_coefficient_val(constraint, type, position,
		isl_val_int_from_si(isl_constraint_get_ctx(constraint), coefficient)) : constraint;
}

/* iterator I of the other - iterator I of the one, times SIGN, plus CONSTANT; of KIND */
static __isl_give isl_basic_map *compare(__isl_take isl_basic_map *pairs, int i, long sign,
	long constant, bool is_equality)
{
	isl_local_space *space = isl_local_space_from_space(isl_basic_map_get_space(pairs));
	isl_constraint *row = is_equality ? isl_constraint_alloc_equality(space)
		: isl_constraint_alloc_inequality(space);
	row = add_term(add_term(row, isl_dim_out, i, sign), isl_dim_in, i, -sign);
	row = isl_constraint_set_constant_si(row, (int)constant);
	return isl_basic_map_add_constraint(pairs, row);
}

/* The first SHARED of the loops: the pairs in the same iteration of those before LEVEL; and in
 * an earlier one of LEVEL, the first, if that is one of them. */
static __isl_give isl_basic_map *at_level(__isl_take isl_basic_map *pairs,
	const struct statement *from, int level, int shared)
{
	for (int i = 0; i < level; i++)
		pairs = compare(pairs, i, 1, 0, true);
	return level < shared ? compare(pairs, level, from->loops[level]->step > 0 ? 1 : -1, -1, false)
		: pairs;
}

/* A and B differ in a dimension where both are one number. */
bool accesses_are_apart(const struct statement *from, const struct access *a,
	const struct statement *to, const struct access *b)
{
	for (int d = 0; d < a->array->rank; d++) {
		bool is_fixed = a->subscripts[d].constant != b->subscripts[d].constant;
		for (int k = 0; k < SYMBOLIC_LIMIT && is_fixed; k++)
			is_fixed = affine_size(a->subscripts[d], k) == affine_size(b->subscripts[d], k);
		for (int i = 0; i < from->depth && is_fixed; i++)
			is_fixed = !a->subscripts[d].coefficients[i];
		for (int i = 0; i < to->depth && is_fixed; i++)
			is_fixed = !b->subscripts[d].coefficients[i];
		if (is_fixed)
			return true;
	}
	return false;
}

/* {instance of FROM -> instance of TO : A and B touch the same element}, whatever their
 * domains are */
static __isl_give isl_basic_map *meeting(const struct statement *from, const struct access *a,
	const struct statement *to, const struct access *b)
{
	isl_space *range = isl_space_align_params(isl_set_get_space(to->domain),
		isl_set_get_space(from->domain));
	isl_space *domain = isl_space_align_params(isl_set_get_space(from->domain),
		isl_space_copy(range));
	isl_space *space = isl_space_map_from_domain_and_range(domain, range);
	isl_ctx *ctx = isl_space_get_ctx(space);
	isl_basic_map *pairs = isl_basic_map_universe(isl_space_copy(space));
	for (int d = 0; d < a->array->rank; d++) {
		isl_constraint *equal = isl_constraint_alloc_equality(
			isl_local_space_from_space(isl_space_copy(space)));
		const struct affine *left = &a->subscripts[d], *right = &b->subscripts[d];
		for (int i = 0; i < from->depth; i++)
			equal = add_term(equal, isl_dim_in, i, left->coefficients[i]);
		for (int i = 0; i < to->depth; i++)
			equal = add_term(equal, isl_dim_out, i, -right->coefficients[i]);
		for (int k = 0; k < SYMBOLIC_LIMIT; k++)
			equal = add_term(equal, isl_dim_param, k,
				affine_size(*left, k) - affine_size(*right, k));
		equal = isl_constraint_set_constant_val(equal, isl_val_sub(
			isl_val_int_from_si(ctx, left->constant), isl_val_int_from_si(ctx, right->constant)));
		pairs = isl_basic_map_add_constraint(pairs, equal);
	}
	isl_space_free(space);
	return pairs;
}

/* PAIRS of instances that both are. */
static __isl_give isl_map *of_instances(__isl_take isl_basic_map *pairs,
	const struct statement *from, const struct statement *to)
{
	isl_map *map = isl_map_intersect_domain(isl_map_from_basic_map(pairs),
		isl_set_copy(from->domain));
	return isl_map_intersect_range(map, isl_set_copy(to->domain));
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

__isl_give isl_map *access_pairs_at(const struct statement *from, const struct access *a,
	const struct statement *to, const struct access *b, int level)
{
	int shared = shared_loop_count(from, to);
	if (level == shared && !is_before(from, to, shared))
		return NULL;
	return of_instances(at_level(meeting(from, a, to, b), from, level, shared), from, to);
}

__isl_give isl_map *access_pairs(const struct statement *from, const struct access *a,
	const struct statement *to, const struct access *b)
{
	int shared = shared_loop_count(from, to);
	isl_basic_map *all = meeting(from, a, to, b);
	isl_map *pairs = isl_map_empty(isl_basic_map_get_space(all));
	for (int level = 0; level < shared || (level == shared && is_before(from, to, shared)); level++)
		pairs = isl_map_union(pairs, isl_map_from_basic_map(at_level(isl_basic_map_copy(all), from,
			level, shared)));
	isl_basic_map_free(all);
	pairs = isl_map_intersect_domain(pairs, isl_set_copy(from->domain));
	return isl_map_intersect_range(pairs, isl_set_copy(to->domain));
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

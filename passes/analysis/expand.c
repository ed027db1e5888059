/* Scalars that carry a sum through inner loops keep those loops in one tile, because the
 * core has one of each.  Here they become elements of an array, one for each iteration of
 * the loops around: of the array that the sum is stored in at the end where that is all
 * that is done with it, else of a local array of their own.  Tiles of the inner loops then
 * keep their partial sums in the scratchpad. */

#include "passes/analysis/expand.h"

#include <limits.h>
#include <string.h>

#include <isl/union_map.h>

#include "ir/isl_work.h"
#include "ir/order.h"
#include "ir/program_build.h"
#include "passes/analysis/nest_memo.h"
#include "passes/analysis/reference_groups.h"
#include "passes/analysis/values.h"

/* One scalar of a nest that is to become an array; or what it is to some statements, between
 * which and the others none of its values passes. */
struct expansion {
	struct compilation *compilation;
	const struct nest *nest;
	const struct array *scalar;
	bool *is_member;             /* [statement of the nest] */
	bool is_alone;               /* nothing else uses the scalar: the array takes its place */
	int depth;                   /* loops around all its uses, whose iterations share nothing */
	const struct statement *last;    /* stores the result, or a function of it; NULL: the array
	                              * is its own */
	struct array *home;
	/* Of the iterators of those loops; functions of symbolic sizes. */
	struct affine low[LOOP_DEPTH_LIMIT], high[LOOP_DEPTH_LIMIT];
};

static bool uses(const struct statement *statement, const struct array *array)
{
	for (int a = 0; a < statement->access_count; a++)
		if (statement->accesses[a].array == array)
			return true;
	return false;
}

/* The loops that all statements share which use the scalar. */
static int shared_depth(const struct expansion *expansion)
{
	const struct statement *first = NULL;
	int depth = 0;
	for (int s = 0; s < expansion->nest->statement_count; s++) {
		const struct statement *statement = expansion->nest->statements[s];
		if (!expansion->is_member[s])
			continue;
		if (!first) {
			first = statement;
			depth = statement->depth;
		}
		int common = shared_loop_count(first, statement);
		depth = common < depth ? common : depth;
	}
	return depth;
}

/* Some use is in loops inside those. */
static bool carries_inside(const struct expansion *expansion)
{
	for (int s = 0; s < expansion->nest->statement_count; s++)
		if (expansion->is_member[s] && expansion->nest->statements[s]->depth > expansion->depth)
			return true;
	return false;
}

struct sameness {
	const struct expansion *expansion;
	bool is_same;
};

/* Writer and reader, if it is a member, are in the same iteration of the outer loops. */
static isl_stat check_same(__isl_take isl_map *map, void *user)
{
	struct sameness *sameness = user;
	const struct expansion *expansion = sameness->expansion;
	int reader = nest_statement_named(expansion->nest, isl_map_get_tuple_name(map, isl_dim_out));
	isl_map *same = isl_map_universe(isl_map_get_space(map));
	for (int i = 0; i < expansion->depth && expansion->is_member[reader]; i++)
		same = isl_map_equate(same, isl_dim_in, i, isl_dim_out, i);
	sameness->is_same &= isl_map_is_subset(map, same) == isl_bool_true;
	isl_map_free(same);
	isl_map_free(map);
	return isl_stat_ok;
}

/* No iteration of the outer loops reads what another one wrote. */
static bool is_private(const struct expansion *expansion, __isl_keep isl_union_map *values)
{
	struct sameness sameness = { expansion, true };
	return isl_union_map_foreach_map(values, check_same, &sameness) == isl_stat_ok
		&& sameness.is_same;
}

/* The iterations of the outer loops in which STATEMENT runs. */
static __isl_give isl_set *outer_iterations(const struct expansion *expansion,
	const struct statement *statement)
{
	isl_set *set = isl_set_reset_tuple_id(isl_set_copy(statement->domain));
	return isl_set_project_out(set, isl_dim_set, (unsigned)expansion->depth,
		(unsigned)(statement->depth - expansion->depth));
}

/* The coefficient of symbolic size K in AFF, or its constant (K < 0); false if it is no whole
 * number. */
static bool take_term(__isl_keep isl_aff *aff, int k, long *term)
{
	isl_val *value = k < 0 ? isl_aff_get_constant_val(aff)
		: isl_aff_get_coefficient_val(aff, isl_dim_param, k);
	bool is_whole = isl_val_is_int(value) == isl_bool_true;
	*term = isl_val_get_num_si(value);
	isl_val_free(value);
	return is_whole;
}

static isl_stat take_piece(__isl_take isl_set *domain, __isl_take isl_aff *aff, void *user)
{
	isl_set_free(domain);
	*(isl_aff **)user = aff;
	return isl_stat_ok;
}

/* VALUE is one sum of symbolic sizes, whatever these are. */
static bool take_sum(const struct expansion *expansion, __isl_take isl_pw_aff *value,
	struct affine *sum)
{
	const struct function *function = expansion->nest->function;
	isl_aff *aff = NULL;
	isl_set *known = isl_pw_aff_domain(isl_pw_aff_copy(value));
	bool plain = isl_pw_aff_n_piece(value) == 1 && (!function->context
		|| isl_set_is_subset(function->context, known) == isl_bool_true);
	isl_set_free(known);
	if (plain)
		isl_pw_aff_foreach_piece(value, take_piece, &aff);
	isl_pw_aff_free(value);
	*sum = (struct affine){ .sizes = function->symbolic_count
		? ARENA_ARRAY(expansion->compilation->arena, long, SYMBOLIC_LIMIT) : NULL };
	plain = plain && isl_aff_dim(aff, isl_dim_div) == 0 && take_term(aff, -1, &sum->constant);
	for (int k = 0; k < function->symbolic_count && plain; k++)
		plain = take_term(aff, k, &sum->sizes[k]);
	isl_aff_free(aff);
	return plain;
}

static bool find_extents(struct expansion *expansion)
{
	isl_set *all = NULL;
	bool known = true;
	for (int s = 0; s < expansion->nest->statement_count; s++) {
		if (!expansion->is_member[s])
			continue;
		isl_set *own = outer_iterations(expansion, expansion->nest->statements[s]);
		all = all ? isl_set_union(all, own) : own;
	}
	all = isl_set_coalesce(all);
	for (int i = 0; i < expansion->depth && known; i++)
		known = take_sum(expansion, isl_set_dim_min(isl_set_copy(all), i), &expansion->low[i])
			&& take_sum(expansion, isl_set_dim_max(isl_set_copy(all), i), &expansion->high[i]);
	isl_set_free(all);
	return known;
}

/* ---- where the result is stored ---- */

/* STATEMENT runs wherever the scalar is used. */
static bool runs_always(const struct expansion *expansion, const struct statement *statement)
{
	isl_set *there = outer_iterations(expansion, statement);
	bool always = true;
	for (int s = 0; s < expansion->nest->statement_count && always; s++) {
		if (!expansion->is_member[s])
			continue;
		isl_set *used = outer_iterations(expansion, expansion->nest->statements[s]);
		always = isl_set_is_subset(used, there) == isl_bool_true;
		isl_set_free(used);
	}
	isl_set_free(there);
	return always;
}

/* {iteration of the outer loops -> element of ACCESS there} */
static __isl_give isl_map *elements_by_iteration(const struct expansion *expansion,
	const struct statement *statement, const struct access *access)
{
	isl_map *map = isl_map_intersect_domain(isl_map_copy(access->map),
		isl_set_copy(statement->domain));
	map = isl_map_reset_tuple_id(map, isl_dim_in);
	return isl_map_project_out(map, isl_dim_in, (unsigned)expansion->depth,
		(unsigned)(statement->depth - expansion->depth));
}

/* Statement S sets the scalar before all other members do in an iteration: what it reads may
 * be the element that is to be the scalar's home. */
static bool is_first(const struct expansion *expansion, int s)
{
	const struct statement *statement = expansion->nest->statements[s];
	for (int t = 0; t < s; t++)
		if (expansion->is_member[t])
			return false;
	return expansion->is_member[s] && statement->depth == expansion->depth
		&& statement->accesses[0].array == expansion->scalar;
}

/* In the iterations that LAST runs in, nothing else touches the element that it stores. */
static bool has_home_alone(const struct expansion *expansion, const struct statement *last)
{
	const struct nest *nest = expansion->nest;
	const struct array *array = last->accesses[0].array;
	isl_map *home = elements_by_iteration(expansion, last, &last->accesses[0]);
	bool alone = true;
	for (int s = 0; s < nest->statement_count && alone; s++) {
		const struct statement *statement = nest->statements[s];
		bool is_other = shared_loop_count(statement, last) < expansion->depth
			|| is_first(expansion, s);
		for (int a = 0; a < statement->access_count && alone && !is_other; a++) {
			if (statement->accesses[a].array != array || (statement == last && !a))
				continue;
			isl_map *both = isl_map_intersect(isl_map_copy(home),
				elements_by_iteration(expansion, statement, &statement->accesses[a]));
			alone = isl_map_is_empty(both) == isl_bool_true;
			isl_map_free(both);
		}
	}
	isl_map_free(home);
	return alone;
}

/* The last use of the scalar stores it, or a function of it, in an element of its type that
 * nothing else touches meanwhile: it can be summed up there. */
static const struct statement *find_last(const struct expansion *expansion)
{
	const struct nest *nest = expansion->nest;
	const struct statement *last = NULL;
	for (int s = 0; s < nest->statement_count; s++)
		if (expansion->is_member[s])
			last = nest->statements[s];
	const struct array *array = last->accesses[0].array;
	if (last->depth != expansion->depth || array->by_value
		|| array->type.kind != expansion->scalar->type.kind)
		return NULL;
	return runs_always(expansion, last) && has_home_alone(expansion, last) ? last : NULL;
}

/* ---- the new statements ---- */

static bool is_name_taken(const struct function *function, const char *name)
{
	bool taken = false;
	for (int i = 0; i < function->array_count; i++)
		taken |= strcmp(function->arrays[i]->name, name) == 0;
	for (int i = 0; i < function->size_count; i++)
		taken |= strcmp(function->sizes[i]->name, name) == 0;
	return taken;
}

static const char *new_name(const struct expansion *expansion)
{
	const char *name = expansion->scalar->name;
	for (int i = 1; is_name_taken(expansion->nest->function, name); i++)
		name = arena_printf(expansion->compilation->arena, "%s_%d", expansion->scalar->name, i);
	return name;
}

/* ADDED + FACTOR * AFFINE + CONSTANT, of symbolic sizes only. */
static struct affine sum_of(struct arena *arena, struct affine added, struct affine affine,
	long factor, long constant)
{
	struct affine sum = { .constant = added.constant + factor * affine.constant + constant,
		.sizes = affine.sizes ? ARENA_ARRAY(arena, long, SYMBOLIC_LIMIT) : NULL };
	for (int k = 0; k < SYMBOLIC_LIMIT && sum.sizes; k++)
		sum.sizes[k] = affine_size(added, k) + factor * affine.sizes[k];
	return sum;
}

/* Where others use the scalar it stays beside the array. */
static bool make_home(struct expansion *expansion)
{
	const struct function *function = expansion->nest->function;
	long values[SYMBOLIC_LIMIT];
	for (int k = 0; k < function->symbolic_count; k++)
		values[k] = function->symbolic[k]->value;
	struct array *home = ARENA_NEW(expansion->compilation->arena, struct array);
	*home = *expansion->scalar;
	if (!expansion->is_alone) {
		home->name = new_name(expansion);
		home->index = expansion->nest->function->array_count;
	}
	home->by_value = false;
	home->scope = NULL;
	home->rank = expansion->depth;
	home->elements = 1;
	for (int i = 0; i < expansion->depth; i++) {
		home->shape[i] = sum_of(expansion->compilation->arena, expansion->high[i],
			expansion->low[i], -1, 1);
		home->extents[i] = affine_at_sizes(home->shape[i], values);
		if (__builtin_mul_overflow(home->elements, home->extents[i], &home->elements))
			return false;
	}
	expansion->home = home;
	return home->elements <= LONG_MAX / 64;
}

static struct affine widen(struct arena *arena, struct affine affine, int from, int to)
{
	long *coefficients = ARENA_ARRAY(arena, long, to + 1);
	memcpy(coefficients, affine.coefficients, (size_t)from * sizeof *coefficients);
	return (struct affine){ .constant = affine.constant, .coefficients = coefficients,
		.sizes = affine.sizes };
}

/* ACCESS of STATEMENT, to the scalar so far, in the new array. */
static void redirect(const struct expansion *expansion, const struct statement *statement,
	struct access *access)
{
	struct arena *arena = expansion->compilation->arena;
	const struct statement *last = expansion->last;
	access->array = last ? last->accesses[0].array : expansion->home;
	for (int d = 0; d < access->array->rank; d++) {
		if (last) {
			access->subscripts[d] = widen(arena, last->accesses[0].subscripts[d],
				expansion->depth, statement->depth);
			continue;
		}
		access->subscripts[d] = sum_of(arena, (struct affine){ 0 }, expansion->low[d], -1, 0);
		access->subscripts[d].coefficients = ARENA_ARRAY(arena, long, statement->depth + 1);
		access->subscripts[d].coefficients[d] = 1;
	}
	access_make_map(arena, statement, access);
}

static struct statement *rewrite(const struct expansion *expansion,
	const struct statement *statement)
{
	struct arena *arena = expansion->compilation->arena;
	struct statement *copy = statement_copy(arena, statement);
	for (int a = 0; a < copy->access_count; a++)
		if (copy->accesses[a].array == expansion->scalar)
			redirect(expansion, copy, &copy->accesses[a]);
	return copy;
}

/* A statement of the function at INDEX; others may point to it where it stood before. */
static struct statement *renumber(struct arena *arena, struct statement *statement,
	int index)
{
	if (statement->index == index)
		return statement;
	struct statement *copy = ARENA_NEW(arena, struct statement);
	*copy = *statement;
	copy->index = index;
	return copy;
}

/* STATEMENT stores an element in itself. */
static bool does_nothing(const struct statement *statement)
{
	const struct access *to = &statement->accesses[0], *from = &statement->accesses[1];
	bool same = statement->value->kind == EXPR_ACCESS && statement->access_count == 2
		&& to->array == from->array;
	for (int d = 0; d < to->array->rank && same; d++)
		same = affine_is_equal(to->subscripts[d], from->subscripts[d], statement->depth);
	return same;
}

/* The statement's place in the nest; -1. */
static int place_in(const struct nest *nest, const struct statement *statement)
{
	for (int s = 0; s < nest->statement_count; s++)
		if (nest->statements[s] == statement)
			return s;
	return -1;
}

/* The nest in a function where the scalar's place is changed. */
static const struct nest *apply(const struct expansion *expansion)
{
	struct arena *arena = expansion->compilation->arena;
	const struct nest *nest = expansion->nest;
	const struct function *old = nest->function;
	struct function *function = ARENA_NEW(arena, struct function);
	struct statement **statements = ARENA_ARRAY(arena, struct statement *,
		old->statement_count + 1);
	const struct statement **own = ARENA_ARRAY(arena, const struct statement *,
		nest->statement_count + 1);
	int count = 0, own_count = 0;
	for (int s = 0; s < old->statement_count; s++) {
		struct statement *statement = old->statements[s];
		int place = place_in(nest, statement);
		bool is_own = place >= 0;
		if (is_own && expansion->is_member[place]) {
			statement = rewrite(expansion, statement);
			if (does_nothing(statement))
				continue;
		}
		statements[count] = renumber(arena, statement, count);
		if (is_own)
			own[own_count++] = statements[count];
		count++;
	}
	*function = *old;
	function->statements = statements;
	function->statement_count = count;
	function->arrays = ARENA_ARRAY(arena, struct array *, old->array_count + 2);
	memcpy(function->arrays, old->arrays, (size_t)old->array_count * sizeof *function->arrays);
	if (expansion->home) {
		function->arrays[expansion->home->index] = expansion->home;
		function->array_count += !expansion->is_alone;
	}
	return nest_renew(expansion->compilation, nest, function, own, own_count);
}

/* ---- which statements ---- */

struct members {
	const struct nest *nest;
	bool *is_member;
	bool grows;
};

/* A value passes between the ends of MAP: both are members, or none is. */
static isl_stat add_ends(__isl_take isl_map *map, void *user)
{
	struct members *members = user;
	int s = nest_statement_named(members->nest, isl_map_get_tuple_name(map, isl_dim_in));
	int t = nest_statement_named(members->nest, isl_map_get_tuple_name(map, isl_dim_out));
	if (members->is_member[s] != members->is_member[t])
		members->is_member[s] = members->is_member[t] = members->grows = true;
	isl_map_free(map);
	return isl_stat_ok;
}

/* Makes members of the statements that values of the scalar join to FIRST. */
static void find_members(struct expansion *expansion, __isl_keep isl_union_map *values, int first)
{
	const struct nest *nest = expansion->nest;
	struct members members = { nest, ARENA_ARRAY(expansion->compilation->arena, bool,
		nest->statement_count + 1), true };
	members.is_member[first] = true;
	while (members.grows) {
		members.grows = false;
		isl_union_map_foreach_map(values, add_ends, &members);
	}
	expansion->is_member = members.is_member;
	expansion->is_alone = !nest_shares(nest, expansion->scalar);
	for (int s = 0; s < nest->statement_count; s++)
		if (uses(nest->statements[s], expansion->scalar) && !members.is_member[s])
			expansion->is_alone = false;
}

static const struct nest *expand_members(struct expansion *expansion, __isl_keep isl_union_map *values)
{
	expansion->home = NULL;
	expansion->depth = shared_depth(expansion);
	if (!expansion->depth || expansion->depth > ARRAY_RANK_LIMIT || !carries_inside(expansion)
		|| !is_private(expansion, values) || !find_extents(expansion))
		return NULL;
	expansion->last = find_last(expansion);
	return expansion->last || make_home(expansion) ? apply(expansion) : NULL;
}

static const struct nest *expand(struct compilation *compilation, const struct nest *nest,
	const struct array *scalar)
{
	struct expansion expansion = { .compilation = compilation, .nest = nest, .scalar = scalar };
	if (!scalar->by_value || scalar->is_parameter || nest_passes_on(nest, scalar))
		return NULL;
	isl_union_map *values = nest_scalar_values(nest, scalar);
	const struct nest *expanded = NULL;
	bool *seen = ARENA_ARRAY(compilation->arena, bool, nest->statement_count + 1);
	for (int s = 0; s < nest->statement_count && values && !expanded; s++) {
		if (seen[s] || !uses(nest->statements[s], scalar))
			continue;
		find_members(&expansion, values, s);
		for (int t = 0; t < nest->statement_count; t++)
			seen[t] |= expansion.is_member[t];
		expanded = expand_members(&expansion, values);
	}
	isl_union_map_free(values);
	return expanded;
}

static const struct nest *expand_all(struct compilation *compilation, const struct nest *nest)
{
	const struct nest *expanded = NULL;
	for (int i = 0; i < nest->function->array_count; i++)
		for (;;) {
			const struct nest *now = expanded ? expanded : nest;
			const struct nest *next = expand(compilation, now, now->function->arrays[i]);
			if (!next)
				break;
			expanded = next;
		}
	return expanded;
}

const struct nest *nest_expand_scalars(struct compilation *compilation, const struct nest *nest)
{
	const struct nest_query query = { .question = NEST_EXPANDED };
	const struct nest *const *known = nest_answer(nest, query);
	const struct nest *found = known ? *known : NULL;
	if (!known) {
		struct compilation lasting = nest_lasting(compilation, nest);
		unsigned long begun = isl_operations(compilation->ctx);
		found = expand_all(&lasting, nest);
		if (found && nest->memo)
			nest_memos_admit(compilation->known.nests, found->function);
		nest_keep_answer(nest, query, &found, sizeof found, begun);
	}
	if (!found)
		return NULL;
	struct nest *expanded = ARENA_NEW(compilation->arena, struct nest);
	*expanded = *found;
	expanded->memo = nest_memo_of(compilation, expanded);
	expanded->findings = ARENA_NEW(compilation->arena, struct nest_findings);
	expanded->arrays = reference_groups_whole(compilation, expanded);
	return expanded;
}

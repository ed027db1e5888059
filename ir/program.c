#include "ir/program.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include <isl/aff.h>
#include <isl/space.h>
#include <isl/val.h>

#include "ir/isl_work.h"
#include "ir/program_build.h"

bool type_is_float(enum type_kind kind)
{
	return kind == TYPE_FLOAT || kind == TYPE_DOUBLE;
}

bool type_is_signed(enum type_kind kind)
{
	return kind == TYPE_INT8 || kind == TYPE_INT16 || kind == TYPE_INT32 || kind == TYPE_INT64 ||
		type_is_float(kind);
}

long type_min(enum type_kind kind)
{
	switch (kind) {
	case TYPE_INT8: return INT8_MIN;
	case TYPE_INT16: return INT16_MIN;
	case TYPE_INT32: return INT32_MIN;
	case TYPE_INT64: return INT64_MIN;
	default: return 0;
	}
}

unsigned long type_max(enum type_kind kind)
{
	switch (kind) {
	case TYPE_INT8: return INT8_MAX;
	case TYPE_UINT8: return UINT8_MAX;
	case TYPE_INT16: return INT16_MAX;
	case TYPE_UINT16: return UINT16_MAX;
	case TYPE_INT32: return INT32_MAX;
	case TYPE_UINT32: return UINT32_MAX;
	case TYPE_INT64: return INT64_MAX;
	case TYPE_UINT64: return UINT64_MAX;
	default: return 1;
	}
}

static const struct type type_int = { TYPE_INT32, 4, "int" };

/* Conversion rank of the integer types from int on: 0 int, 1 long, 2 long long. */
static int rank_of(struct type type)
{
	return type.bytes < 8 ? 0 : strstr(type.name, "long long") ? 2 : 1;
}

static const struct type ranked_types[3][2] = {
	{ { TYPE_INT32, 4, "int" }, { TYPE_UINT32, 4, "unsigned int" } },
	{ { TYPE_INT64, 8, "long" }, { TYPE_UINT64, 8, "unsigned long" } },
	{ { TYPE_INT64, 8, "long long" }, { TYPE_UINT64, 8, "unsigned long long" } },
};

struct type type_promoted(struct type type)
{
	if (type_is_float(type.kind))
		return (struct type){ type.kind, type.bytes,
			type.kind == TYPE_FLOAT ? "float" : "double" };
	if (type.bytes < 4)
		return type_int;
	return ranked_types[rank_of(type)][!type_is_signed(type.kind)];
}

struct type type_common(struct type a, struct type b)
{
	a = type_promoted(a);
	b = type_promoted(b);
	if (a.kind == TYPE_DOUBLE || b.kind == TYPE_DOUBLE)
		return a.kind == TYPE_DOUBLE ? a : b;
	if (a.kind == TYPE_FLOAT || b.kind == TYPE_FLOAT)
		return a.kind == TYPE_FLOAT ? a : b;
	int rank_a = rank_of(a), rank_b = rank_of(b);
	bool unsigned_a = !type_is_signed(a.kind), unsigned_b = !type_is_signed(b.kind);
	int rank = rank_a > rank_b ? rank_a : rank_b;
	/* A signed type of the higher rank takes an unsigned one only if it is wider. */
	bool is_unsigned = (unsigned_a && (rank_a == rank || a.bytes == 8)) ||
		(unsigned_b && (rank_b == rank || b.bytes == 8));
	return ranked_types[rank][is_unsigned];
}

struct type type_of_binary(const char *operator, struct type a, struct type b)
{
	static const char *const tests[] = { "<", ">", "<=", ">=", "==", "!=", "&&", "||" };
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		if (!strcmp(operator, tests[i]))
			return type_int;
	if (!strcmp(operator, "<<") || !strcmp(operator, ">>"))
		return type_promoted(a);
	return type_common(a, b);
}

struct type type_of_unary(const char *operator, struct type a)
{
	return *operator == '!' ? type_int : type_promoted(a);
}

bool type_find(const char *name, struct type *type)
{
#define KNOWN(type_name, signed_kind, unsigned_kind) \
	{ (type_name)-1 < (type_name)1 ? signed_kind : unsigned_kind, (int)sizeof(type_name), \
	  #type_name }
#define KNOWN_8(type_name) KNOWN(type_name, TYPE_INT8, TYPE_UINT8)
#define KNOWN_16(type_name) KNOWN(type_name, TYPE_INT16, TYPE_UINT16)
#define KNOWN_32(type_name) KNOWN(type_name, TYPE_INT32, TYPE_UINT32)
#define KNOWN_64(type_name) KNOWN(type_name, TYPE_INT64, TYPE_UINT64)
	static const struct type known[] = {
		KNOWN_8(char), KNOWN_8(signed char), KNOWN_8(unsigned char),
		KNOWN_16(short), KNOWN_16(unsigned short), KNOWN_32(int), KNOWN_32(unsigned int),
		KNOWN_64(long), KNOWN_64(unsigned long),
		KNOWN_64(long long), KNOWN_64(unsigned long long),
		KNOWN_8(int8_t), KNOWN_8(uint8_t), KNOWN_16(int16_t), KNOWN_16(uint16_t),
		KNOWN_32(int32_t), KNOWN_32(uint32_t), KNOWN_64(int64_t), KNOWN_64(uint64_t),
		KNOWN_8(int_least8_t), KNOWN_8(uint_least8_t),
		KNOWN_16(int_least16_t), KNOWN_16(uint_least16_t),
		KNOWN_32(int_least32_t), KNOWN_32(uint_least32_t),
		KNOWN_64(int_least64_t), KNOWN_64(uint_least64_t),
		KNOWN_8(int_fast8_t), KNOWN_8(uint_fast8_t),
		KNOWN_64(int_fast16_t), KNOWN_64(uint_fast16_t),
		KNOWN_64(int_fast32_t), KNOWN_64(uint_fast32_t),
		KNOWN_64(int_fast64_t), KNOWN_64(uint_fast64_t),
		KNOWN_64(intptr_t), KNOWN_64(uintptr_t), KNOWN_64(intmax_t), KNOWN_64(uintmax_t),
		KNOWN_64(size_t), KNOWN_64(ptrdiff_t),
		{ TYPE_FLOAT, 4, "float" }, { TYPE_DOUBLE, 8, "double" }, { TYPE_BOOL, 1, "_Bool" },
	};
	_Static_assert(sizeof(int_fast16_t) == 8 && sizeof(int_fast32_t) == 8,
		"the fast types are those of 64-bit glibc");
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, name)) {
			*type = known[i];
			return true;
		}
	return false;
}

struct affine affine_constant(struct arena *arena, long constant)
{
	return (struct affine){ .constant = constant,
		.coefficients = ARENA_ARRAY(arena, long, LOOP_DEPTH_LIMIT) };
}

__isl_give isl_aff *statement_affine(const struct statement *statement, struct affine affine)
{
	isl_local_space *space = isl_local_space_from_space(isl_set_get_space(statement->domain));
	isl_aff *aff = isl_aff_zero_on_domain(space);
	aff = isl_aff_set_constant_si(aff, 0);
	isl_ctx *ctx = isl_set_get_ctx(statement->domain);
	aff = isl_aff_set_constant_val(aff, isl_val_int_from_si(ctx, affine.constant));
	for (int i = 0; i < statement->depth; i++)
		if (affine.coefficients[i])
			aff = isl_aff_set_coefficient_val(aff, isl_dim_in, i,
				isl_val_int_from_si(ctx, affine.coefficients[i]));
	for (int k = 0; k < SYMBOLIC_LIMIT; k++)
		if (affine_size(affine, k))
			aff = isl_aff_set_coefficient_val(aff, isl_dim_param, k,
				isl_val_int_from_si(ctx, affine_size(affine, k)));
	return aff;
}

/* The coordinates of statement_order: constants at even places, iterators at odd. */
static __isl_give isl_aff *order_coordinate(const struct statement *statement, int place)
{
	struct affine affine = { .coefficients = (long[LOOP_DEPTH_LIMIT]){ 0 } };
	int level = place / 2;
	if (place % 2 && level < statement->depth)
		affine.coefficients[level] = statement->loops[level]->step < 0 ? -1 : 1;
	else if (place % 2 == 0 && level < statement->depth)
		affine.constant = statement->loops[level]->position;
	else if (place % 2 == 0 && level == statement->depth)
		affine.constant = statement->position;
	return statement_affine(statement, affine);
}

__isl_give isl_map *statement_order(const struct statement *statement, int depth)
{
	isl_aff_list *list = isl_aff_list_alloc(isl_set_get_ctx(statement->domain), 2 * depth + 1);
	for (int place = 0; place < 2 * depth + 1; place++)
		list = isl_aff_list_add(list, order_coordinate(statement, place));
	isl_space *space = isl_set_get_space(statement->domain);
	space = isl_space_add_dims(isl_space_from_domain(space), isl_dim_out,
		(unsigned)(2 * depth + 1));
	isl_map *map = isl_map_from_multi_aff(isl_multi_aff_from_aff_list(space, list));
	return isl_map_intersect_domain(map, isl_set_copy(statement->domain));
}

bool affine_is_equal(struct affine a, struct affine b, int depth)
{
	bool same = a.constant == b.constant;
	for (int i = 0; same && i < depth; i++)
		same = a.coefficients[i] == b.coefficients[i];
	for (int k = 0; same && k < SYMBOLIC_LIMIT; k++)
		same = affine_size(a, k) == affine_size(b, k);
	return same;
}

bool affine_is_symbolic(struct affine affine)
{
	for (int k = 0; k < SYMBOLIC_LIMIT; k++)
		if (affine_size(affine, k))
			return true;
	return false;
}

long affine_at_sizes(struct affine affine, const long *values)
{
	long value = affine.constant;
	for (int k = 0; k < SYMBOLIC_LIMIT && affine.sizes; k++)
		value += affine.sizes[k] ? affine.sizes[k] * values[k] : 0;
	return value;
}

bool access_is_same(const struct access *a, const struct access *b, int depth)
{
	bool same = a->array == b->array;
	for (int d = 0; same && d < a->array->rank; d++)
		same = affine_is_equal(a->subscripts[d], b->subscripts[d], depth);
	return same;
}

static void release_map(void *map)
{
	isl_map_free(map);
}

static void release_set(void *set)
{
	isl_set_free(set);
}

void access_make_map(struct arena *arena, const struct statement *statement,
	struct access *access)
{
	const struct array *array = access->array;
	isl_aff_list *list = isl_aff_list_alloc(isl_set_get_ctx(statement->domain), array->rank);
	for (int d = 0; d < array->rank; d++)
		list = isl_aff_list_add(list, statement_affine(statement, access->subscripts[d]));
	isl_space *space = isl_set_get_space(statement->domain);
	space = isl_space_add_dims(isl_space_from_domain(space), isl_dim_out,
		(unsigned)array->rank);
	space = isl_space_set_tuple_name(space, isl_dim_out, array->name);
	isl_map *map = isl_map_from_multi_aff(isl_multi_aff_from_aff_list(space, list));
	map = isl_map_intersect_domain(map, isl_set_copy(statement->domain));
	access->map = arena_own(arena, map, release_map);
}

struct statement *statement_copy(struct arena *arena, const struct statement *statement)
{
	struct statement *copy = ARENA_NEW(arena, struct statement);
	*copy = *statement;
	copy->accesses = ARENA_ARRAY(arena, struct access, statement->access_count + 1);
	memcpy(copy->accesses, statement->accesses,
		(size_t)statement->access_count * sizeof *copy->accesses);
	return copy;
}

/* Names that mean something else in isl's syntax. */
static bool is_isl_word(const char *name)
{
	static const char *const words[] = { "exists", "and", "or", "implies", "not", "infty",
		"infinity", "NaN", "min", "max", "rat", "true", "false", "ceild", "floord", "mod",
		"ceil", "floor" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcasecmp(words[i], name))
			return true;
	return false;
}

const char *isl_size_name(struct arena *arena, const char *name)
{
	return is_isl_word(name) ? arena_printf(arena, "%s_", name) : name;
}

/* SET with the equalities that hold in it among its constraints.  isl finds them when it needs them,
 * and writes them into the set that it was asked about: what is read off the constraints, such as that
 * a loop runs once, would be another answer before than after. */
static __isl_give isl_set *with_equalities(__isl_take isl_set *set)
{
	enum { OPERATIONS = 200000 };
	struct isl_work work = isl_work_begin(isl_set_get_ctx(set), OPERATIONS);
	isl_set *found = isl_set_detect_equalities(isl_set_copy(set));
	if (!isl_work_end(&work)) {
		isl_set_free(found);
		return set;
	}
	isl_set_free(set);
	return found;
}

void statement_set_domain(struct arena *arena, struct statement *statement,
	__isl_take isl_set *domain)
{
	domain = isl_set_set_tuple_name(with_equalities(domain), statement->name);
	for (int i = 0; i < statement->depth; i++) {
		const char *name = isl_size_name(arena, statement->loops[i]->name);
		domain = isl_set_set_dim_name(domain, isl_dim_set, (unsigned)i, name);
	}
	statement->domain = arena_own(arena, domain, release_set);
}

/* ---- symbolic sizes ---- */

long array_elements_at(const struct array *array, const long *values)
{
	long elements = 1;
	for (int d = 0; d < array->rank; d++)
		if (__builtin_mul_overflow(elements, affine_at_sizes(array->shape[d], values), &elements))
			return LONG_MAX;
	return elements;
}

bool sizes_are_possible(const struct function *function, const long *values)
{
	for (int k = 0; k < function->symbolic_count; k++)
		if (values[k] < 1 || values[k] > function->symbolic[k]->max)
			return false;
	for (int a = 0; a < function->array_count; a++)
		for (int d = 0; d < function->arrays[a]->rank; d++)
			if (affine_at_sizes(function->arrays[a]->shape[d], values) < 1)
				return false;
	return true;
}

static __isl_give isl_set *bound_size(__isl_take isl_set *context, struct arena *arena,
	const struct size *size)
{
	isl_ctx *ctx = isl_set_get_ctx(context);
	unsigned place = (unsigned)size->index;
	context = isl_set_add_dims(context, isl_dim_param, 1);
	context = isl_set_set_dim_name(context, isl_dim_param, place,
		isl_size_name(arena, size->name));
	context = isl_set_lower_bound_si(context, isl_dim_param, place, 1);
	return isl_set_upper_bound_val(context, isl_dim_param, place,
		isl_val_int_from_si(ctx, size->max));
}

/* Where an array of SHAPE has elements in dimension D. */
static __isl_give isl_set *has_elements(__isl_take isl_set *context, struct affine shape)
{
	isl_ctx *ctx = isl_set_get_ctx(context);
	isl_aff *aff = isl_aff_zero_on_domain(isl_local_space_from_space(isl_set_get_space(context)));
	aff = isl_aff_set_constant_val(aff, isl_val_int_from_si(ctx, shape.constant - 1));
	for (int k = 0; k < SYMBOLIC_LIMIT; k++)
		if (affine_size(shape, k))
			aff = isl_aff_set_coefficient_val(aff, isl_dim_param, k,
				isl_val_int_from_si(ctx, affine_size(shape, k)));
	return isl_set_intersect_params(context, isl_set_params(
		isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(aff))));
}

void function_set_context(struct arena *arena, isl_ctx *ctx, struct function *function)
{
	isl_set *context = isl_set_universe(isl_space_set_alloc(ctx, 0, 0));
	if (!function->symbolic_count) {
		isl_set_free(context);
		return;
	}
	for (int k = 0; k < function->symbolic_count; k++)
		context = bound_size(context, arena, function->symbolic[k]);
	for (int a = 0; a < function->array_count; a++)
		for (int d = 0; d < function->arrays[a]->rank; d++)
			context = has_elements(context, function->arrays[a]->shape[d]);
	function->context = arena_own(arena, isl_set_params(context), release_set);
}

static __isl_give isl_set *bind_sizes(__isl_take isl_set *set, int count, const long *values)
{
	isl_ctx *ctx = isl_set_get_ctx(set);
	for (int k = 0; k < count; k++)
		set = isl_set_fix_val(set, isl_dim_param, (unsigned)k,
			isl_val_int_from_si(ctx, values[k]));
	return isl_set_project_out(set, isl_dim_param, 0, (unsigned)count);
}

static struct affine bound_affine(struct affine affine, const long *values)
{
	affine.constant = affine_at_sizes(affine, values);
	affine.sizes = NULL;
	return affine;
}

static struct statement *statement_at(struct arena *arena, const struct function *function,
	const struct statement *statement, const long *values)
{
	struct statement *bound = ARENA_NEW(arena, struct statement);
	*bound = *statement;
	statement_set_domain(arena, bound, bind_sizes(isl_set_copy(statement->domain),
		function->symbolic_count, values));
	if (isl_set_is_empty(bound->domain) != isl_bool_false)
		return NULL;
	bound->accesses = ARENA_ARRAY(arena, struct access, statement->access_count);
	for (int a = 0; a < statement->access_count; a++) {
		bound->accesses[a] = statement->accesses[a];
		for (int d = 0; d < bound->accesses[a].array->rank; d++)
			bound->accesses[a].subscripts[d] = bound_affine(
				bound->accesses[a].subscripts[d], values);
		access_make_map(arena, bound, &bound->accesses[a]);
	}
	return bound;
}

const struct statement *statement_without_instances(const struct function *function,
	const long *values)
{
	const struct statement *found = NULL;
	for (int s = 0; s < function->statement_count && !found; s++) {
		isl_set *domain = bind_sizes(isl_set_copy(function->statements[s]->domain),
			function->symbolic_count, values);
		if (isl_set_is_empty(domain) != isl_bool_false)
			found = function->statements[s];
		isl_set_free(domain);
	}
	return found;
}

struct function *function_at(struct arena *arena, const struct function *function,
	const long *values)
{
	struct function *bound = ARENA_NEW(arena, struct function);
	*bound = *function;
	bound->unbound = function;
	bound->symbolic_count = 0;
	bound->context = NULL;
	bound->statements = ARENA_ARRAY(arena, struct statement *, function->statement_count + 1);
	for (int s = 0; s < function->statement_count; s++) {
		bound->statements[s] = statement_at(arena, function, function->statements[s], values);
		if (!bound->statements[s])
			return NULL;
	}
	return bound;
}

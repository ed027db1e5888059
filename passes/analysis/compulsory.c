/* What must cross the bus at least: each element whose value from before the nest is read
 * comes in, and each element that is written goes out.  Counted are the elements that the
 * accesses touch, whatever shape they make together. */

#include <limits.h>

#include "ir/isl_work.h"
#include "ir/order.h"
#include "ir/set_count.h"
#include "passes/analysis/reference_groups.h"
#include "passes/analysis/nest_memo.h"
#include "support/memory.h"

/* The accesses of the nest to one array. */
struct uses {
	const struct array *array;
	int read_count, write_count;
	struct statement_access *reads, *writes;
};

static bool find_uses(const struct nest *nest, const struct array *array, struct uses *uses)
{
	int most = 0;
	for (int s = 0; s < nest->statement_count; s++)
		most += nest->statements[s]->access_count;
	*uses = (struct uses){ .array = array };
	uses->reads = memory_alloc(((size_t)most + 1) * sizeof *uses->reads);
	uses->writes = memory_alloc(((size_t)most + 1) * sizeof *uses->writes);
	for (int a = 0; a < nest->arrays->count; a++)
		for (int i = 0; i < nest->arrays->items[a].access_count; i++) {
			const struct nest_access *access = &nest->arrays->items[a].accesses[i];
			struct statement_access use = { nest->statements[access->statement], access->access };
			if (nest->arrays->items[a].array != array || nest->arrays->items[a].is_internal)
				continue;
			if (access->access->is_write)
				uses->writes[uses->write_count++] = use;
			else
				uses->reads[uses->read_count++] = use;
		}
	return uses->read_count + uses->write_count > 0;
}

static void uses_end(struct uses *uses)
{
	free(uses->reads);
	free(uses->writes);
}

/* The elements that ACCESS touches in INSTANCES of its statement. */
static __isl_give isl_set *touched(const struct access *access, __isl_take isl_set *instances)
{
	return isl_set_apply(instances, isl_map_copy(access->map));
}

static __isl_give isl_set *unite(__isl_take isl_set *all, __isl_take isl_set *more)
{
	return all ? isl_set_union(all, more) : more;
}

/* Whose value from before the nest is read; NULL: there is none, or finding them is too much
 * work. */
static __isl_give isl_set *elements_in(isl_ctx *ctx, const struct uses *uses)
{
	enum { OPERATIONS = 1000000 };
	isl_set *elements = NULL;
	struct isl_work work = isl_work_begin(ctx, OPERATIONS);
	for (int r = 0; r < uses->read_count; r++) {
		const struct statement_access *read = &uses->reads[r];
		isl_set *instances = reads_without_write(isl_set_copy(read->statement->domain), *read,
			uses->writes, uses->write_count, 0);
		elements = unite(elements, touched(read->access, instances));
	}
	if (isl_work_end(&work))
		return elements;
	isl_set_free(elements);
	return NULL;
}

static __isl_give isl_set *elements_out(const struct uses *uses)
{
	isl_set *elements = NULL;
	for (int w = 0; w < uses->write_count; w++)
		elements = unite(elements, touched(uses->writes[w].access,
			isl_set_copy(uses->writes[w].statement->domain)));
	return elements;
}

/* All that is written of it is used up in the nest. */
static bool is_used_up(const struct nest *nest, const struct array *array)
{
	return !array->is_parameter && (nest->parent || !nest_shares(nest, array));
}

static long count(__isl_take isl_set *elements)
{
	return elements ? set_count_at_least(elements) : 0;
}

/* What USES of an array move at least. */
static struct compulsory uses_compulsory(const struct nest *nest, const struct array *array,
	const struct uses *uses)
{
	isl_ctx *ctx = isl_union_map_get_ctx(nest->order);
	const struct nest_query query = { NEST_COMPULSORY, &array, sizeof array };
	const struct compulsory *known = nest_answer(nest, query);
	struct compulsory bytes;
	if (known)
		return *known;
	unsigned long begun = isl_operations(ctx);
	long in = count(elements_in(ctx, uses));
	long out = is_used_up(nest, array) ? 0 : count(elements_out(uses));
	if (__builtin_mul_overflow(in, array->type.bytes, &bytes.in))
		bytes.in = LONG_MAX;
	if (__builtin_mul_overflow(out, array->type.bytes, &bytes.out))
		bytes.out = LONG_MAX;
	nest_keep_answer(nest, query, &bytes, sizeof bytes, begun);
	return bytes;
}

struct compulsory array_compulsory(const struct nest *nest, const struct array *array)
{
	struct uses uses;
	struct compulsory bytes = { 0, 0 };
	if (find_uses(nest, array, &uses))
		bytes = uses_compulsory(nest, array, &uses);
	uses_end(&uses);
	return bytes;
}

bool array_add_compulsory(const struct nest *nest, const struct array *array, long *bytes)
{
	const struct compulsory own = array_compulsory(nest, array);
	bool is_long = __builtin_add_overflow(*bytes, own.in, bytes) || __builtin_add_overflow(*bytes, own.out, bytes);
	if (is_long)
		*bytes = LONG_MAX;
	return !is_long;
}

long reference_group_bytes(const struct nest *nest, const struct reference_group *group, bool writes_only)
{
	isl_set *elements = NULL;
	for (int a = 0; a < group->access_count; a++) {
		const struct nest_access *access = &group->accesses[a];
		if (!writes_only || access->access->is_write)
			elements = unite(elements, touched(access->access, isl_set_copy(nest->statements[access->statement]->domain)));
	}
	long bytes = count(elements);
	return __builtin_mul_overflow(bytes, group->array->type.bytes, &bytes) ? LONG_MAX : bytes;
}

long nest_compulsory(const struct nest *nest)
{
	long bytes = 0;
	for (int i = 0; i < nest->function->array_count; i++)
		if (!array_add_compulsory(nest, nest->function->arrays[i], &bytes))
			break;
	return bytes;
}

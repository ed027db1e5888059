/* Arrays whose values are all made in the nest, so that nothing of them has to come in; and those that
 * nobody needs after it. */

#include <stdlib.h>

#include "ir/isl_work.h"
#include "ir/order.h"
#include "passes/analysis/nest_memo.h"
#include "passes/cost/created.h"
#include "support/memory.h"

enum { CREATED_OPERATIONS = 1000000 };

/* Whether isl finds a write before every read of ARRAY; false too if that takes long. */
static bool reads_have_writers(const struct nest *nest, const struct reference_group *array)
{
	isl_ctx *ctx = isl_union_map_get_ctx(nest->order);
	struct statement_access *writes = memory_alloc(sizeof *writes * (size_t)array->access_count);
	int count = 0;
	for (int a = 0; a < array->access_count; a++)
		if (array->accesses[a].access->is_write)
			writes[count++] = (struct statement_access){
				nest->statements[array->accesses[a].statement], array->accesses[a].access };
	bool created = writes;
	struct isl_work work = isl_work_begin(ctx, CREATED_OPERATIONS);
	for (int a = 0; a < array->access_count && created; a++) {
		const struct statement *reader = nest->statements[array->accesses[a].statement];
		if (array->accesses[a].access->is_write)
			continue;
		isl_set *missing = reads_without_write(isl_set_copy(reader->domain),
			(struct statement_access){ reader, array->accesses[a].access }, writes, count, 0);
		created = isl_set_is_empty(missing) == isl_bool_true;
		isl_set_free(missing);
	}
	free(writes);
	return isl_work_end(&work) && created;
}

/* The same, once for all variants. */
static bool is_created(const struct variant *variant, const struct reference_group *array,
	struct nest_query query)
{
	const struct nest *nest = variant->nest;
	const bool *known = answers_find(variant->found, query);
	if (known)
		return *known;
	known = nest_answer(nest, query);
	unsigned long begun = isl_operations(isl_union_map_get_ctx(nest->order));
	bool is_created = known ? *known : reads_have_writers(nest, array);
	if (!known)
		nest_keep_answer(nest, query, &is_created, sizeof is_created, begun);
	answers_keep(variant->found, query, &is_created, sizeof is_created);
	return is_created;
}

bool nest_is_created(const struct variant *variant, const struct reference_group *array)
{
	size_t size = sizeof(struct access *) * (size_t)array->access_count;
	if (!array->is_written)
		return false;
	const struct access **accesses = memory_alloc(size);
	for (int a = 0; a < array->access_count; a++)
		accesses[a] = array->accesses[a].access;
	bool created = is_created(variant, array, (struct nest_query){ NEST_CREATED, accesses, size });
	free(accesses);
	return created;
}

bool nest_is_dropped(const struct variant *variant, const struct reference_group *array)
{
	return !array->array->is_parameter && !variant->nest->parent && !array->has_siblings
		&& !nest_shares(variant->nest, array->array) && nest_is_created(variant, array);
}

/* The instances that read an element which none of WRITES has written before are all of STATEMENT's. */
static bool is_all_from_before(const struct statement *statement, const struct access *read,
	const struct statement_access *writes, int count)
{
	struct isl_work work = isl_work_begin(isl_set_get_ctx(statement->domain), CREATED_OPERATIONS);
	isl_set *first = reads_without_write(isl_set_copy(statement->domain),
		(struct statement_access){ statement, read }, writes, count, 0);
	bool is_all = isl_set_is_equal(first, statement->domain) == isl_bool_true;
	isl_set_free(first);
	return isl_work_end(&work) && is_all;
}

bool nest_begins_with(const struct nest *nest, const struct reference_group *array)
{
	int s = array->accesses[0].statement, count = 0, all = 0;
	const struct access *first = array->accesses[0].access;
	for (int a = 1; a < array->access_count; a++)
		if (isl_map_is_equal(array->accesses[a].access->map, first->map) != isl_bool_true)
			return false;
	if (!array->is_read)
		return false;
	for (int t = 0; t < nest->statement_count; t++)
		all += nest->statements[t]->access_count;
	struct statement_access *writes = memory_alloc(sizeof *writes * (size_t)(all + 1));
	for (int t = 0; t < nest->statement_count; t++)
		for (int a = 0; a < nest->statements[t]->access_count && t != s; a++)
			if (nest->statements[t]->accesses[a].array == array->array && nest->statements[t]->accesses[a].is_write)
				writes[count++] = (struct statement_access){ nest->statements[t],
					&nest->statements[t]->accesses[a] };
	bool begins = is_all_from_before(nest->statements[s], first, writes, count);
	free(writes);
	return begins;
}

/* How many values are made within a nest: the order of the writes and the reads of an element tells,
 * without a flow of values through each instance. */

#include "passes/cost/bound_values.h"

#include <math.h>

#include "ir/order.h"
#include "ir/set_count.h"
#include "passes/analysis/values.h"

static bool affines_are_equal(struct affine a, struct affine b, int depth)
{
	for (int i = 0; i < depth; i++)
		if (a.coefficients[i] != b.coefficients[i])
			return false;
	for (int k = 0; k < SYMBOLIC_LIMIT; k++)
		if (affine_size(a, k) != affine_size(b, k))
			return false;
	return a.constant == b.constant;
}

bool accesses_touch_alike(const struct access *a, const struct access *b, int depth)
{
	if (a->array != b->array)
		return false;
	for (int d = 0; d < a->array->rank; d++)
		if (!affines_are_equal(a->subscripts[d], b->subscripts[d], depth))
			return false;
	return true;
}

bool kind_updates(const struct kind *kind, int i)
{
	const struct statement *statement = kind->statements[0];
	return accesses_touch_alike(&statement->accesses[0], &statement->accesses[i], statement->depth);
}

static bool has_statement(const struct kind *kind, const struct statement *statement)
{
	for (int s = 0; s < kind->count; s++)
		if (kind->statements[s] == statement)
			return true;
	return false;
}

static __isl_give isl_set *elements_of(const struct statement *statement,
	const struct access *access)
{
	return isl_set_apply(isl_set_copy(statement->domain), isl_map_copy(access->map));
}

__isl_give isl_set *kind_elements(const struct kind *kind, const int *reads, int count)
{
	isl_set *all = NULL;
	for (int s = 0; s < kind->count; s++)
		for (int r = 0; r < count; r++) {
			const struct statement *statement = kind->statements[s];
			isl_set *elements = elements_of(statement, &statement->accesses[reads[r]]);
			all = all ? isl_set_union(all, elements) : elements;
		}
	return all;
}

/* Of the pairs in which a write and a read touch one element. */
struct met {
	bool writes_first, reads_first;      /* in some pair; true if isl does not know */
};

static bool is_some(__isl_take isl_map *pairs)
{
	bool found = isl_map_is_empty(pairs) != isl_bool_true;
	isl_map_free(pairs);
	return found;
}

static struct met how_they_meet(const struct statement *writer, const struct kind *kind,
	const int *reads, int count)
{
	const struct access *write = &writer->accesses[0];
	struct met met = { false, false };
	for (int s = 0; s < kind->count; s++)
		for (int r = 0; r < count; r++) {
			const struct statement *reader = kind->statements[s];
			const struct access *read = &reader->accesses[reads[r]];
			met.writes_first |= is_some(access_pairs(writer, write, reader, read));
			met.reads_first |= is_some(access_pairs(reader, read, writer, write));
			/* an instance reads before it writes */
			if (reader == writer)
				met.reads_first |= is_some(isl_map_intersect(isl_map_copy(read->map),
					isl_map_copy(write->map)));
		}
	return met;
}

/* No fewer points than STATEMENT's domain has. */
static double points_around(const struct statement *statement)
{
	double points = 1;
	for (int d = 0; d < statement->depth; d++) {
		long min, max;
		if (!set_dim_range(statement->domain, d, &min, &max))
			return INFINITY;
		points *= (double)max - (double)min + 1;
	}
	return points;
}

static double exact_count(__isl_take isl_set *set)
{
	long count = set ? set_count(set) : -1;
	return count < 0 ? INFINITY : (double)count;
}

double values_made(const struct nest *nest, const struct kind *kind, const int *reads, int count)
{
	const struct array *array = kind->statements[0]->accesses[reads[0]].array;
	isl_set *elements = kind_elements(kind, reads, count);
	isl_set *once = isl_set_empty(isl_set_get_space(elements)), *shared = isl_set_copy(once);
	double more = 0;
	for (int t = 0; t < nest->statement_count; t++) {
		const struct statement *writer = nest->statements[t];
		bool updates = has_statement(kind, writer) && kind_updates(kind, reads[0]);
		if (writer->accesses[0].array != array || (updates && count == 1))
			continue;
		struct met met = how_they_meet(writer, kind, reads, count);
		isl_set *both = isl_set_intersect(elements_of(writer, &writer->accesses[0]),
			isl_set_copy(elements));
		if (!met.writes_first && met.reads_first && has_statement(kind, writer))
			/* values from before all writes, the first of which reads them too */
			shared = isl_set_union(shared, both);
		else if (met.writes_first && !met.reads_first)
			/* the last value of each element, whoever of such writers makes it */
			once = isl_set_union(once, both);
		else
			isl_set_free(both);
		/* each value is made once, and is perhaps read once by a chain */
		if (met.writes_first && met.reads_first)
			more += 2 * points_around(writer);
	}
	isl_set_free(elements);
	return exact_count(once) + exact_count(shared) + more;
}

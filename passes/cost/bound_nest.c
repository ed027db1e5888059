/* Lower bounds of nests of any shape: the argument of partitions (bound_partition.c) for the instances
 * of a statement, which may be a triangle, or all of a box but its borders.  docs/search.md proves
 * what is used of arrays that are updated in place and of those that are touched in several ways. */

#include "passes/cost/bound_nest.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include <isl/space.h>

#include "ir/isl_work.h"
#include "ir/set_count.h"
#include "passes/analysis/values.h"
#include "passes/cost/bound_partition.h"
#include "passes/cost/bound_values.h"
#include "support/memory.h"

/* A way in which a kind reads an array. */
struct reading {
	int access;                  /* of the kind's statements */
	const struct array *array;
	unsigned loops;              /* bit i: iterator i is in a subscript */
	double made;                 /* values_made */
	unsigned meets;              /* bit r: reading r touches elements of these at the same time */
};

struct kind_bound {
	const struct nest *nest;
	struct kind kind;
	int depth, reading_count;
	struct reading readings[KIND_READS];
	isl_set *instances;          /* without a name */
	double count;                /* of them, at least */
	long min[MODEL_LOOPS], max[MODEL_LOOPS], step[MODEL_LOOPS];
	const struct compulsory *compulsory;     /* by array of the function */
	double scratchpad;
};

/* ---- kinds ---- */

static bool are_of_a_kind(const struct statement *a, const struct statement *b)
{
	if (a->depth != b->depth || a->access_count != b->access_count)
		return false;
	for (int d = 0; d < a->depth; d++)
		if (a->loops[d]->step != b->loops[d]->step)
			return false;
	for (int i = 0; i < a->access_count; i++)
		if (!accesses_touch_alike(&a->accesses[i], &b->accesses[i], a->depth))
			return false;
	return true;
}

/* The kind of statement S of NEST.  False if a statement before it has that. */
static bool find_kind(const struct nest *nest, int s, struct kind *kind)
{
	kind->count = 0;
	for (int t = 0; t < nest->statement_count && kind->count < KIND_STATEMENTS; t++) {
		if (!are_of_a_kind(nest->statements[s], nest->statements[t]))
			continue;
		if (t < s)
			return false;
		kind->statements[kind->count++] = nest->statements[t];
	}
	return true;
}

/* The instances of all of KIND's statements, as one set. */
static __isl_give isl_set *instances_of(const struct kind *kind)
{
	isl_set *all = NULL;
	for (int s = 0; s < kind->count; s++) {
		isl_set *domain = isl_set_reset_tuple_id(isl_set_copy(kind->statements[s]->domain));
		all = all ? isl_set_union(all, domain) : domain;
	}
	return all;
}

/* ---- readings ---- */

static unsigned loops_of(const struct access *access, int depth)
{
	unsigned loops = 0;
	for (int d = 0; d < access->array->rank; d++)
		for (int i = 0; i < depth; i++)
			if (access->subscripts[d].coefficients[i])
				loops |= 1u << i;
	return loops;
}

/* NEST moves ARRAY: it is no scalar, and does not stay on chip. */
static bool is_moved(const struct nest *nest, const struct array *array)
{
	for (int a = 0; a < nest->arrays->count; a++)
		if (nest->arrays->items[a].array == array)
			return !nest->arrays->items[a].is_internal;
	return false;
}

/* Access I of the kind is one of an array that is moved, the first that touches it so. */
static bool is_reading(const struct kind_bound *bound, int i)
{
	const struct statement *statement = bound->kind.statements[0];
	const struct access *access = &statement->accesses[i];
	if (access->is_write || !access->array->rank || access->array->scope
		|| !is_moved(bound->nest, access->array) || !loops_of(access, bound->depth))
		return false;
	for (int j = 0; j < i; j++)
		if (!statement->accesses[j].is_write
			&& accesses_touch_alike(&statement->accesses[j], access, bound->depth))
			return false;
	return true;
}

static bool share_elements(const struct kind_bound *bound, const struct reading *a,
	const struct reading *b)
{
	if (a->array != b->array)
		return false;
	isl_set *both = isl_set_intersect(kind_elements(&bound->kind, &a->access, 1),
		kind_elements(&bound->kind, &b->access, 1));
	bool found = isl_set_is_empty(both) != isl_bool_true;
	isl_set_free(both);
	return found;
}

/* Which readings touch one element at the same time, again and again.  One that a chain of updates
 * goes through does so with another only where values are made that that one reads: few. */
static void find_meetings(struct kind_bound *bound)
{
	for (int a = 0; a < bound->reading_count; a++)
		for (int b = 0; b < a; b++)
			if (!kind_updates(&bound->kind, bound->readings[a].access)
				&& !kind_updates(&bound->kind, bound->readings[b].access)
				&& share_elements(bound, &bound->readings[a], &bound->readings[b])) {
				bound->readings[a].meets |= 1u << b;
				bound->readings[b].meets |= 1u << a;
			}
}

/* Those whose values are not nearly all made in the nest. */
static void find_readings(struct kind_bound *bound)
{
	const struct statement *statement = bound->kind.statements[0];
	for (int i = 0; i < statement->access_count && bound->reading_count < KIND_READS; i++) {
		struct reading *reading = &bound->readings[bound->reading_count];
		if (!is_reading(bound, i))
			continue;
		*reading = (struct reading){ .access = i, .array = statement->accesses[i].array,
			.loops = loops_of(&statement->accesses[i], bound->depth),
			.made = values_made(bound->nest, &bound->kind, &i, 1) };
		bound->reading_count += reading->made < bound->count;
	}
	find_meetings(bound);
}

/* ---- partitions ---- */

static double extent_of(const struct kind_bound *bound, int loop)
{
	return (double)((bound->max[loop] - bound->min[loop]) / bound->step[loop] + 1);
}

/* How many iterations of the box share an element that READING touches. */
static void fill_spread(const struct kind_bound *bound, const struct partition *partition,
	const struct reading *reading, struct spread *spread)
{
	const struct access *access = &bound->kind.statements[0]->accesses[reading->access];
	struct nest_model *model = memory_alloc(sizeof *model);
	struct model_array *array = &model->arrays[0];
	double box = 1;
	model->loop_count = bound->depth;
	array->rank = access->array->rank;
	for (int l = 0; l < bound->depth; l++) {
		model->loops[l].extent = (long)partition->extent[l];
		box *= partition->extent[l];
		for (int d = 0; d < array->rank; d++)
			array->dims[d].coefficient[l] = labs(access->subscripts[d].coefficients[l])
				* bound->step[l];
	}
	spread_of_array(model, array, spread);
	if (partition->iterations < box)
		spread_flatten(spread);
	free(model);
}

/* READING becomes a term: of its elements a SHARE is counted. */
static void add_term(const struct kind_bound *bound, const struct reading *reading, double share,
	double made, struct partition *partition)
{
	struct partition_term *term = &partition->terms[partition->term_count];
	int local = 0;
	while (local < partition->term_count
		&& bound->kind.statements[0]->accesses[partition->terms[local].tag].array != reading->array)
		local++;
	term->tag = reading->access;
	term->array = local < partition->term_count ? partition->terms[local].array
		: partition->term_count;
	partition->term_count++;
	partition->alone[term->array] = (double)bound->compulsory[reading->array->index].in;
	term->indexed = reading->loops;
	term->bytes = reading->array->type.bytes * share;
	term->loss = made * term->bytes;
	fill_spread(bound, partition, reading, &term->spread);
}

/* What PARTITION proves to come in, and what is compulsory besides. */
static double bound_of_partition(const struct kind_bound *bound, const struct partition *partition)
{
	const struct function *function = bound->nest->function;
	double besides = 0;
	for (int a = 0; a < function->array_count; a++)
		besides += (double)bound->compulsory[a].in + (double)bound->compulsory[a].out;
	for (int t = 0; t < partition->term_count; t++)
		if (partition->terms[t].array == t)
			besides -= partition->alone[t];
	return partition_incoming(partition) + besides;
}

static struct partition *new_partition(const struct kind_bound *bound)
{
	struct partition *partition = memory_alloc(sizeof *partition);
	partition->loop_count = bound->depth;
	partition->iterations = bound->count;
	partition->unit = 1;
	partition->scratchpad = bound->scratchpad;
	for (int l = 0; l < bound->depth; l++)
		partition->extent[l] = extent_of(bound, l);
	return partition;
}

/* The readings that meet R, or one that does, with R itself. */
static unsigned meeting_with(const struct kind_bound *bound, int r)
{
	unsigned all = 1u << r, before = 0;
	while (all != before) {
		before = all;
		for (int other = 0; other < bound->reading_count; other++)
			if (all >> other & 1)
				all |= bound->readings[other].meets;
	}
	return all;
}

/* Of an element that several readings touch each counts its share. */
static double bound_of_iterations(const struct kind_bound *bound)
{
	struct partition *partition = new_partition(bound);
	for (int r = 0; r < bound->reading_count; r++) {
		const struct reading *reading = &bound->readings[r];
		add_term(bound, reading, 1.0 / __builtin_popcount(meeting_with(bound, r)), reading->made,
			partition);
	}
	double best = bound_of_partition(bound, partition);
	free(partition);
	return best;
}

/* ---- two loops in exchange ---- */

static __isl_give isl_set *exchanged(__isl_keep isl_set *set, int p, int q)
{
	int dims = isl_set_dim(set, isl_dim_set);
	isl_map *exchange = isl_map_universe(isl_space_map_from_set(isl_set_get_space(set)));
	for (int d = 0; d < dims; d++)
		exchange = isl_map_equate(exchange, isl_dim_in, d == p ? q : d == q ? p : d,
			isl_dim_out, d);
	return isl_set_apply(isl_set_copy(set), exchange);
}

/* A reads what B would with iterators P and Q exchanged. */
static bool are_mirrored(const struct kind_bound *bound, const struct reading *a,
	const struct reading *b, int p, int q)
{
	const struct access *one = &bound->kind.statements[0]->accesses[a->access];
	const struct access *other = &bound->kind.statements[0]->accesses[b->access];
	if (a->array != b->array)
		return false;
	for (int d = 0; d < a->array->rank; d++) {
		if (one->subscripts[d].constant != other->subscripts[d].constant)
			return false;
		for (int i = 0; i < bound->depth; i++)
			if (one->subscripts[d].coefficients[i]
				!= other->subscripts[d].coefficients[i == p ? q : i == q ? p : i])
				return false;
	}
	return true;
}

/* The reading that meets R, and no other, and is R with P and Q exchanged; -1: none. */
static int mirror_of(const struct kind_bound *bound, int r, int p, int q)
{
	unsigned both = meeting_with(bound, r);
	for (int other = 0; other < bound->reading_count; other++)
		if (other != r && both == (1u << r | 1u << other)
			&& are_mirrored(bound, &bound->readings[r], &bound->readings[other], p, q))
			return other;
	return -1;
}

/* The readings of iterations and of their mirror images, where P and Q are exchanged. */
static void fill_mirrored(const struct kind_bound *bound, int p, int q, struct partition *partition)
{
	for (int r = 0; r < bound->reading_count; r++) {
		const struct reading *reading = &bound->readings[r];
		int mirror = mirror_of(bound, r, p, q);
		double share = 1.0 / __builtin_popcount(meeting_with(bound, r));
		bool has_p = reading->loops >> p & 1, has_q = reading->loops >> q & 1;
		if (mirror >= 0)
			add_term(bound, reading, 0.5, values_made(bound->nest, &bound->kind,
				(const int []){ reading->access, bound->readings[mirror].access }, 2), partition);
		else if (has_p && has_q)
			/* its elements count once for the iteration and once for the image */
			add_term(bound, reading, share / 2, 2 * reading->made, partition);
		else if (!has_p && !has_q)
			add_term(bound, reading, share, reading->made, partition);
	}
}

/* Iterations and their images are twice as many, and touch the same of arrays that are read both
 * ways. */
static double bound_of_images(const struct kind_bound *bound, int p, int q)
{
	isl_set *images = exchanged(bound->instances, p, q);
	long count = set_count_at_least(isl_set_subtract(isl_set_copy(bound->instances), images));
	struct partition *partition = new_partition(bound);
	long min = bound->min[p] < bound->min[q] ? bound->min[p] : bound->min[q];
	long max = bound->max[p] > bound->max[q] ? bound->max[p] : bound->max[q];
	double best = 0;
	partition->iterations = 2 * (double)count;
	partition->unit = 2;
	partition->extent[p] = partition->extent[q] = (double)((max - min) / bound->step[p] + 1);
	if (partition->iterations > bound->count) {
		fill_mirrored(bound, p, q, partition);
		best = bound_of_partition(bound, partition);
	}
	free(partition);
	return best;
}

static double bound_of_all_images(const struct kind_bound *bound)
{
	double best = 0;
	for (int p = 0; p < bound->depth; p++)
		for (int q = 0; q < p; q++) {
			bool has_mirror = false;
			for (int r = 0; r < bound->reading_count; r++)
				has_mirror = has_mirror || mirror_of(bound, r, p, q) >= 0;
			if (has_mirror && bound->step[p] == bound->step[q]
				&& (bound->min[p] - bound->min[q]) % bound->step[p] == 0)
				best = fmax(best, bound_of_images(bound, p, q));
		}
	return best;
}

/* ---- all together ---- */

/* The values of iterator L are a multiple of so much from each other. */
static long step_of(const struct kind_bound *bound, int l)
{
	long offset;
	if (labs(bound->kind.statements[0]->loops[l]->step) == 1 || bound->min[l] == bound->max[l])
		return 1;
	return set_dim_step(bound->instances, l, &offset);
}

/* How the iterators run.  False if that is not known. */
static bool find_box(struct kind_bound *bound)
{
	for (int l = 0; l < bound->depth; l++) {
		if (!set_dim_range(bound->instances, l, &bound->min[l], &bound->max[l]))
			return false;
		bound->step[l] = step_of(bound, l);
	}
	return true;
}

static double bound_of_kind(struct kind_bound *bound)
{
	enum { OPERATIONS = 2000000 };
	double best = 0;
	bound->depth = bound->kind.statements[0]->depth;
	bound->reading_count = 0;
	if (bound->depth < 2 || bound->depth > MODEL_LOOPS)
		return 0;
	struct isl_work work = isl_work_begin(isl_union_map_get_ctx(bound->nest->order), OPERATIONS);
	bound->instances = instances_of(&bound->kind);
	bound->count = (double)set_count_at_least(isl_set_copy(bound->instances));
	if (bound->count > 0 && find_box(bound)) {
		find_readings(bound);
		best = fmax(bound_of_iterations(bound), bound_of_all_images(bound));
	}
	isl_set_free(bound->instances);
	return isl_work_end(&work) ? best : 0;
}

/* What only serves arrays that stay on chip may run again, where nests are fused. */
static bool may_run_again(const struct nest *nest, const struct kind *kind)
{
	const struct statement *statement = kind->statements[0];
	for (int i = 0; i < statement->access_count; i++)
		for (int a = 0; a < nest->arrays->count && statement->accesses[i].is_write; a++)
			if (nest->arrays->items[a].array == statement->accesses[i].array)
				return nest->arrays->items[a].is_internal;
	return false;
}

/* The best that a kind of statements proves. */
static double bound_of_kinds(const struct nest *nest, long scratchpad_bytes,
	const struct compulsory *compulsory)
{
	enum { STATEMENTS = 64 };
	struct kind_bound bound = { .nest = nest, .compulsory = compulsory,
		.scratchpad = (double)scratchpad_bytes };
	double best = 0;
	for (int s = 0; s < nest->statement_count && nest->statement_count <= STATEMENTS; s++)
		if (find_kind(nest, s, &bound.kind) && !may_run_again(nest, &bound.kind))
			best = fmax(best, bound_of_kind(&bound));
	/* rounding may not make it a byte too much */
	return floor(best * (1 - 1e-9));
}

long nest_lower_bound(const struct nest *nest, long scratchpad_bytes, long *compulsory,
	const char **argument)
{
	int count = nest->function->array_count;
	struct compulsory *arrays = memory_alloc(sizeof *arrays * ((size_t)count + 1));
	bool is_countable = true;
	*compulsory = 0;
	for (int a = 0; a < count && is_countable; a++) {
		arrays[a] = array_compulsory(nest, nest->function->arrays[a]);
		is_countable = !__builtin_add_overflow(*compulsory, arrays[a].in, compulsory)
			&& !__builtin_add_overflow(*compulsory, arrays[a].out, compulsory);
	}
	*argument = "compulsory";
	/* a part of a nest may find on chip what others left */
	double best = !nest->parent && scratchpad_bytes > 0 && is_countable
		? bound_of_kinds(nest, scratchpad_bytes, arrays) : 0;
	free(arrays);
	*compulsory = is_countable ? *compulsory : LONG_MAX;
	if (best <= (double)*compulsory || best >= (double)LONG_MAX)
		return *compulsory;
	*argument = "partition";
	return (long)best;
}

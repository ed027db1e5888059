/* passes/analysis/legality against instances that are run one by one: random programs, random
 * dimensions of them inside random sequential ones, for several sizes and for all at once. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <isl/point.h>
#include <isl/union_map.h>

#include "frontend/frontend.h"
#include "ir/order.h"
#include "passes/analysis/legality.h"
#include "passes/analysis/nest_memo.h"

enum { PROGRAMS = 80, TRIES = 12, DEPTH = 2, STATEMENTS = 3, SIZES = 6, LARGEST = 14, FAR = 1000,
	INSTANCES = (STATEMENTS + DEPTH) * (LARGEST + 1) * (LARGEST + 1) };

static uint32_t state;

static int draw(int count)
{
	state = state * 1664525u + 1013904223u;
	return (int)((state >> 10) % (uint32_t)count);
}

/* ---- programs: a nest of loops up to n, or up to a loop around, with statements in all of them ---- */

static void put_subscript(char *text, int depth)
{
	int i = draw(depth + 1);
	if (i < depth)
		sprintf(text + strlen(text), "[i%d + %d]", i, draw(3));
	else
		sprintf(text + strlen(text), "[%d]", draw(3));
}

static void put_statement(char *text, int depth)
{
	const char *written = draw(2) ? "A" : "B", *read = draw(2) ? "A" : "B";
	strcat(text, written);
	put_subscript(text, depth);
	sprintf(text + strlen(text), " = %s", read);
	put_subscript(text, depth);
	strcat(text, " + 1;\n");
}

static const char *random_program(void)
{
	static char text[4096];
	int depth = 1 + draw(DEPTH), left = STATEMENTS;
	strcpy(text, "void f(int n, int A[n + 8], int B[n + 8])\n{\n");
	for (int l = 0; l < depth; l++) {
		if (l && left > 1 && !draw(3)) {
			put_statement(text, l);
			left--;
		}
		if (draw(3))
			sprintf(text + strlen(text), "for (int i%d = %d; i%d <= n; i%d++) {\n", l, draw(2), l, l);
		else if (l)
			sprintf(text + strlen(text), "for (int i%d = 0; i%d <= i%d; i%d++) {\n", l, l, l - 1, l);
		else
			sprintf(text + strlen(text), "for (int i%d = n; i%d >= 0; i%d--) {\n", l, l, l);
	}
	do
		put_statement(text, depth);
	while (--left > 0 && draw(2));
	for (int l = depth; l > 0; l--) {
		strcat(text, "}\n");
		if (l > 1 && left > 0 && !draw(3)) {
			put_statement(text, l - 1);
			left--;
		}
	}
	return strcat(text, "}\n");
}

/* ---- what runs, one by one ---- */

struct instance {
	int statement;               /* of the nest */
	long at[DEPTH];
};

struct run {
	const struct nest *nest;
	int count, statement;
	struct instance instances[INSTANCES];
};

static isl_stat add_instance(__isl_take isl_point *point, void *user)
{
	struct run *run = user;
	assert_true(run->count < INSTANCES);
	struct instance *instance = &run->instances[run->count++];
	instance->statement = run->statement;
	for (int i = 0; i < run->nest->statements[run->statement]->depth; i++) {
		isl_val *value = isl_point_get_coordinate_val(point, isl_dim_set, i);
		instance->at[i] = isl_val_get_num_si(value);
		isl_val_free(value);
	}
	isl_point_free(point);
	return isl_stat_ok;
}

static void run_all(const struct nest *nest, struct run *run)
{
	*run = (struct run){ .nest = nest };
	for (; run->statement < nest->statement_count; run->statement++)
		isl_set_foreach_point(nest->statements[run->statement]->domain, add_instance, run);
}

static bool is_before(const struct nest *nest, const struct instance *a, const struct instance *b)
{
	const struct statement *one = nest->statements[a->statement];
	const struct statement *other = nest->statements[b->statement];
	int shared = shared_loop_count(one, other);
	for (int l = 0; l < shared; l++)
		if (a->at[l] != b->at[l])
			return (a->at[l] < b->at[l]) == (one->loops[l]->step > 0);
	return place_in_body(one, shared) < place_in_body(other, shared);
}

static long value_at(const struct affine *affine, const struct instance *instance, int depth)
{
	long value = affine->constant;
	for (int i = 0; i < depth; i++)
		value += affine->coefficients[i] * instance->at[i];
	return value;
}

/* A and B touch one element of array B (IS_B), else A; one of them writes it. */
static bool meet(const struct nest *nest, const struct instance *a, const struct instance *b, bool is_b)
{
	const struct statement *one = nest->statements[a->statement];
	const struct statement *other = nest->statements[b->statement];
	for (int x = 0; x < one->access_count; x++)
		for (int y = 0; y < other->access_count; y++) {
			const struct access *mine = &one->accesses[x], *its = &other->accesses[y];
			if (mine->array == its->array && !strcmp(mine->array->name, is_b ? "B" : "A")
				&& (mine->is_write || its->is_write)
				&& value_at(&mine->subscripts[0], a, one->depth)
				== value_at(&its->subscripts[0], b, other->depth))
				return true;
		}
	return false;
}

/* ---- dimensions ---- */

static void random_planes(struct compilation *compilation, const struct nest *nest, bool is_sequential,
	struct hyperplane *planes)
{
	int lead = draw(DEPTH), sign = draw(4) ? 1 : -1;
	for (int s = 0; s < nest->statement_count; s++) {
		const struct statement *statement = nest->statements[s];
		struct affine affine = { .constant = draw(4) ? 0 : draw(5) - 2,
			.coefficients = ARENA_ARRAY(compilation->arena, long, statement->depth + 1),
			.sizes = ARENA_ARRAY(compilation->arena, long, SYMBOLIC_LIMIT) };
		bool has_lead = lead < statement->depth;
		if (has_lead)
			affine.coefficients[lead] = sign;
		if (draw(3) == 0)
			affine.coefficients[draw(statement->depth)] += draw(3) - 1;
		planes[s] = hyperplane_make(compilation, statement, affine, draw(3) ? 1 : 2);
		if (!has_lead && !is_sequential && draw(3))
			planes[s] = (struct hyperplane){ .kind = draw(2) ? HYPERPLANE_FIRST : HYPERPLANE_LAST };
	}
}

static long plane_value(const struct nest *nest, const struct hyperplane *planes,
	const struct instance *instance)
{
	const struct hyperplane *plane = &planes[instance->statement];
	if (plane->kind != HYPERPLANE_AFFINE)
		return plane->kind == HYPERPLANE_FIRST ? -FAR : FAR;
	long value = value_at(&plane->affine, instance, nest->statements[instance->statement]->depth);
	return value >= 0 ? value / plane->divisor : -((plane->divisor - 1 - value) / plane->divisor);
}

/* What the instances of RUN say of PLANES inside BAND; pairs by B are of private values if IS_PRIVATE. */
static void judge(const struct run *run, const struct band *band, const struct hyperplane *planes,
	bool is_private, struct freedom *found)
{
	const struct nest *nest = run->nest;
	for (int i = 0; i < run->count; i++)
		for (int j = 0; j < run->count; j++) {
			const struct instance *a = &run->instances[i], *b = &run->instances[j];
			if (!is_before(nest, a, b))
				continue;
			bool ordered = meet(nest, a, b, false) || (!is_private && meet(nest, a, b, true));
			bool together = is_private && meet(nest, a, b, true);
			long from = plane_value(nest, planes, a), to = plane_value(nest, planes, b);
			bool within = !band->prefix || plane_value(nest, band->dims[0].planes, a)
				== plane_value(nest, band->dims[0].planes, b);
			found->can_tile &= !together || (within && from == to);
			found->can_tile &= !ordered || !within || from <= to;
			found->can_turn &= !(ordered || together) || !within || from == FAR || to == FAR
				|| from == -FAR || to == -FAR || to <= from;
		}
}

/* ---- programs for one size, and for all ---- */

struct counts {
	int legal, illegal, turns;
};

/* NEST's dependences by the array of NAME alone. */
static isl_union_map *pairs_by(const struct nest *nest, const char *name)
{
	isl_union_map *pairs = isl_union_map_empty(isl_union_map_get_space(nest->order));
	for (int s = 0; s < nest->statement_count; s++)
		for (int t = 0; t < nest->statement_count; t++)
			for (int a = 0; a < nest->statements[s]->access_count; a++)
				for (int b = 0; b < nest->statements[t]->access_count; b++) {
					const struct access *one = &nest->statements[s]->accesses[a];
					const struct access *other = &nest->statements[t]->accesses[b];
					if (one->array == other->array && !strcmp(one->array->name, name)
						&& (one->is_write || other->is_write))
						pairs = isl_union_map_add_map(pairs, access_pairs(nest->statements[s], one,
							nest->statements[t], other));
				}
	return pairs;
}

/* The freedom of PLANES in NEST, which has the statements that they are of, perhaps for one size;
 * pairs by B are of private values if IS_PRIVATE. */
static struct freedom ask(struct compilation *compilation, const struct nest *nest,
	const struct hyperplane *planes, const struct hyperplane *outer, bool is_private)
{
	struct band band = { .prefix = outer != NULL, .count = outer != NULL };
	struct hyperplane own[STATEMENTS + DEPTH], around[STATEMENTS + DEPTH];
	for (int s = 0; s < nest->statement_count; s++) {
		own[s] = planes[s];
		if (planes[s].kind == HYPERPLANE_AFFINE)
			own[s] = hyperplane_make(compilation, nest->statements[s], planes[s].affine,
				planes[s].divisor);
		if (outer)
			around[s] = hyperplane_make(compilation, nest->statements[s], outer[s].affine,
				outer[s].divisor);
	}
	band.dims[0].planes = around;
	struct nest asked = *nest;
	isl_union_map *b = pairs_by(nest, "B");
	asked.dependences = pairs_by(nest, "A");
	asked.private_values = is_private ? b : isl_union_map_empty(isl_union_map_get_space(b));
	if (!is_private)
		asked.dependences = isl_union_map_union(asked.dependences, isl_union_map_copy(b));
	struct freedom freedom = nest_freedom(&asked, &band, own, true);
	isl_union_map_free(asked.dependences);
	isl_union_map_free(asked.private_values);
	if (!is_private)
		isl_union_map_free(b);
	return freedom;
}

static void compare(struct freedom found, struct freedom expected)
{
	assert_int_equal(found.can_tile, expected.can_tile);
	if (expected.can_tile)
		assert_int_equal(found.can_turn, expected.can_turn);
}

/* A dimension of FUNCTION, for the values of its size and for all of them at once. */
struct question {
	struct compilation *compilation;
	const struct function *function;
	struct hyperplane planes[STATEMENTS + DEPTH], outer[STATEMENTS + DEPTH];
	struct band band;
	bool is_private;
};

static const struct nest *nest_at(const struct question *question, long n)
{
	int count;
	const struct function *bound = function_at(question->compilation->arena, question->function, &n);
	return bound ? &nests_of_function(question->compilation, bound, &count)[0] : NULL;
}

static struct freedom ask_of(const struct question *question, const struct nest *nest)
{
	return ask(question->compilation, nest, question->planes,
		question->band.prefix ? question->outer : NULL, question->is_private);
}

/* Adds to *ALL what the instances say where the size is N; what is found must be that. */
static void check_size(const struct question *question, long n, bool is_asked, struct freedom *all)
{
	static struct run run;
	struct freedom expected = { true, true, 0, 0 };
	const struct nest *nest = nest_at(question, n);
	if (!nest)
		return;
	run_all(nest, &run);
	judge(&run, &question->band, question->planes, question->is_private, &expected);
	if (is_asked)
		compare(ask_of(question, nest), expected);
	all->can_tile &= expected.can_tile;
	all->can_turn &= expected.can_turn;
}

static void check_dims(struct compilation *compilation, const struct function *function,
	struct counts *counts)
{
	int count;
	const struct nest *nest = &nests_of_function(compilation, function, &count)[0];
	for (int i = 0; i < TRIES; i++) {
		struct question question = { .compilation = compilation, .function = function,
			.band.prefix = draw(2), .is_private = !draw(3) };
		struct freedom all = { true, true, 0, 0 };
		random_planes(compilation, nest, false, question.planes);
		random_planes(compilation, nest, true, question.outer);
		question.band.dims[0].planes = question.outer;
		const struct freedom found = ask_of(&question, nest);
		for (long n = 0; n < SIZES; n++)
			check_size(&question, n, true, &all);
		/* some larger size may be what does not allow it */
		for (long n = SIZES; n <= LARGEST && (all.can_tile > found.can_tile
			|| (all.can_tile && all.can_turn > found.can_turn)); n++)
			check_size(&question, n, false, &all);
		compare(found, all);
		counts->legal += all.can_tile;
		counts->illegal += !all.can_tile;
		counts->turns += all.can_tile && all.can_turn;
	}
}

static void freedom_is_what_instances_say(void **unused)
{
	const struct binding size = { "n", "4", true };
	struct counts counts = { 0, 0, 0 };
	(void)unused;
	state = 1;
	for (int p = 0; p < PROGRAMS; p++) {
		struct compilation compilation = { .arena = arena_new(), .ctx = isl_ctx_alloc(),
			.diag = diag_new(stderr) };
		const char *text = random_program();
		struct program *program = frontend_parse(compilation.arena, compilation.ctx,
			compilation.diag, "random.loop", text, strlen(text), &size, 1, NULL, 0);
		assert_non_null(program);
		check_dims(&compilation, program->functions[0], &counts);
		diag_free(compilation.diag);
		arena_free(compilation.arena);
		isl_ctx_free(compilation.ctx);
	}
	printf("# %d legal, %d of them both ways, %d not\n", counts.legal, counts.turns, counts.illegal);
	assert_true(counts.legal > PROGRAMS && counts.illegal > PROGRAMS && counts.turns > PROGRAMS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(freedom_is_what_instances_say) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

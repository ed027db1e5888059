/* Lower bounds against executions: the iterations of random small nests in random orders, tiled or
 * not, with the elements on chip replaced as if the future were known.  It counts element by
 * element and shares nothing with the bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "passes/cost/model.h"
#include "tests/optimality/simulate.h"

enum { ITERATIONS = 1500, ELEMENTS = 6000, NEVER = 1 << 30 };

/* An element of some array: where it stands in the execution. */
struct element {
	const struct model_array *array;
	int next;                    /* the iteration that touches it next, by its place in the order */
	bool is_on_chip, is_dirty, was_touched;
};

struct execution {
	const struct nest_model *model;
	int iteration_count, element_count, on_chip_count;
	int at[ITERATIONS][MODEL_LOOPS];     /* the iterations, in their order */
	struct element elements[ELEMENTS];
	int first[MODEL_ARRAYS];     /* elements of each array, from here on */
	int *uses[ITERATIONS];       /* elements that an iteration touches, by place in the order */
	int use_count[ITERATIONS];
	int *later[ITERATIONS];      /* the next iteration that touches each of them */
	int on_chip[ELEMENTS];
	long scratchpad, used, moved;
};

/* ---- orders ---- */

/* Loops in any order, in tiles of any size; or no order at all. */
struct order {
	int loops[MODEL_LOOPS];
	int tile[MODEL_LOOPS];
	bool turns;                  /* inner loops go back and forth */
	int count;
};

static struct order the_order;

static int compare_iterations(const void *a, const void *b)
{
	const int *one = a, *other = b;
	int sign = 1;

	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < the_order.count; i++) {
			int l = the_order.loops[i], tile = the_order.tile[l];
			int x = pass ? one[l] : one[l] / tile, y = pass ? other[l] : other[l] / tile;

			if (x != y)
				return sign * (x < y ? -1 : 1);
			if (the_order.turns && x % 2)
				sign = -sign;
		}
	return 0;
}

static void random_order(struct random_source *source, struct execution *execution)
{
	int count = execution->model->loop_count;

	the_order = (struct order){ .count = count, .turns = random_below(source, 2) };
	for (int i = 0; i < count; i++) {
		int place = (int)random_below(source, i + 1);

		the_order.loops[i] = the_order.loops[place];
		the_order.loops[place] = i;
		the_order.tile[i] = 1 + (int)random_below(source, execution->model->loops[i].extent);
	}
	qsort(execution->at, (size_t)execution->iteration_count, sizeof *execution->at,
		compare_iterations);
	if (random_below(source, 8) != 0)
		return;
	for (int i = execution->iteration_count - 1; i > 0; i--) {
		int other = (int)random_below(source, i + 1), kept[MODEL_LOOPS];

		memcpy(kept, execution->at[i], sizeof kept);
		memcpy(execution->at[i], execution->at[other], sizeof kept);
		memcpy(execution->at[other], kept, sizeof kept);
	}
}

static bool fill_iterations(struct execution *execution)
{
	const struct nest_model *model = execution->model;
	long all = 1;

	for (int l = 0; l < model->loop_count; l++)
		if ((all *= model->loops[l].extent) > ITERATIONS)
			return false;
	execution->iteration_count = (int)all;
	for (int i = 0; i < all; i++) {
		long rest = i;

		for (int l = 0; l < model->loop_count; l++) {
			execution->at[i][l] = (int)(rest % model->loops[l].extent);
			rest /= model->loops[l].extent;
		}
	}
	return true;
}

/* ---- what an iteration touches ---- */

static long dim_size(const struct nest_model *model, const struct model_dim *dim)
{
	long size = dim->window;

	for (int l = 0; l < model->loop_count; l++)
		size += dim->coefficient[l] * (model->loops[l].extent - 1);
	return size;
}

static bool fill_elements(struct execution *execution)
{
	const struct nest_model *model = execution->model;
	int count = 0;

	for (int a = 0; a < model->array_count; a++) {
		long size = 1;

		for (int d = 0; d < model->arrays[a].rank; d++)
			size *= dim_size(model, &model->arrays[a].dims[d]);
		if (count + size > ELEMENTS)
			return false;
		execution->first[a] = count;
		for (long e = 0; e < size; e++)
			execution->elements[count++] = (struct element){ .array = &model->arrays[a] };
	}
	execution->element_count = count;
	return true;
}

/* The elements of array A that iteration AT touches; returns how many. */
static int touched_elements(const struct execution *execution, int a, const int *at, int *elements)
{
	const struct nest_model *model = execution->model;
	const struct model_array *array = &model->arrays[a];
	int all = 1;

	for (int d = 0; d < array->rank; d++)
		all *= (int)array->dims[d].window;
	for (int w = 0; w < all; w++) {
		long element = 0;
		int rest = w;

		for (int d = 0; d < array->rank; d++) {
			const struct model_dim *dim = &array->dims[d];
			long x = rest % dim->window;

			rest /= (int)dim->window;
			for (int l = 0; l < model->loop_count; l++)
				x += dim->coefficient[l] * at[l];
			element = element * dim_size(model, dim) + x;
		}
		elements[w] = execution->first[a] + (int)element;
	}
	return all;
}

/* False if the scratchpad does not hold what one iteration touches. */
static bool fill_uses(struct execution *execution)
{
	enum { MOST = 512 };
	bool fits = true;

	for (int i = execution->iteration_count - 1; i >= 0; i--) {
		int touched[MOST], count = 0;
		long bytes = 0;

		for (int a = 0; a < execution->model->array_count; a++)
			count += touched_elements(execution, a, execution->at[i], touched + count);
		execution->use_count[i] = count;
		execution->uses[i] = malloc(sizeof(int) * (size_t)count);
		execution->later[i] = malloc(sizeof(int) * (size_t)count);
		memcpy(execution->uses[i], touched, sizeof(int) * (size_t)count);
		for (int u = 0; u < count; u++) {
			struct element *element = &execution->elements[touched[u]];

			execution->later[i][u] = element->next ? element->next : NEVER;
			element->next = i + 1;
			bytes += element->array->element_bytes;
		}
		fits &= bytes <= execution->scratchpad;
	}
	return fits;
}

static void free_uses(struct execution *execution)
{
	for (int i = 0; i < execution->iteration_count; i++) {
		free(execution->uses[i]);
		free(execution->later[i]);
	}
}

/* ---- the execution ---- */

/* The element of those on chip at PLACE leaves. */
static void leave(struct execution *execution, int place)
{
	struct element *element = &execution->elements[execution->on_chip[place]];
	bool is_wanted = element->next != NEVER || !element->array->is_dropped;

	if (element->is_dirty && is_wanted)
		execution->moved += element->array->element_bytes;
	element->is_on_chip = element->is_dirty = false;
	execution->used -= element->array->element_bytes;
	execution->on_chip[place] = execution->on_chip[--execution->on_chip_count];
}

/* The one that is needed last leaves, if this iteration does not; of those, one that costs nothing. */
static void make_room(struct execution *execution, int now)
{
	int best = -1;

	for (int p = 0; p < execution->on_chip_count; p++) {
		const struct element *element = &execution->elements[execution->on_chip[p]];

		if (element->next != now && (best < 0 ||
			element->next > execution->elements[execution->on_chip[best]].next))
			best = p;
	}
	assert_true(best >= 0);
	leave(execution, best);
}

static void come(struct execution *execution, int e, int now)
{
	struct element *element = &execution->elements[e];

	if (element->is_on_chip)
		return;
	while (execution->used + element->array->element_bytes > execution->scratchpad)
		make_room(execution, now);
	if (!element->array->is_created || element->was_touched)
		execution->moved += element->array->element_bytes;
	element->is_on_chip = element->was_touched = true;
	execution->used += element->array->element_bytes;
	execution->on_chip[execution->on_chip_count++] = e;
}

/* What moves; iterations are counted from 1. */
static long execute(struct execution *execution)
{
	for (int i = 0; i < execution->iteration_count; i++) {
		for (int u = 0; u < execution->use_count[i]; u++)
			come(execution, execution->uses[i][u], i + 1);
		for (int u = 0; u < execution->use_count[i]; u++) {
			struct element *element = &execution->elements[execution->uses[i][u]];

			element->is_dirty |= element->array->is_written;
			element->next = execution->later[i][u];
		}
	}
	while (execution->on_chip_count > 0)
		leave(execution, 0);
	return execution->moved;
}

/* -1: nothing fits, or the nest is too large. */
static long traffic_in_some_order(struct random_source *source, const struct nest_model *model,
	long scratchpad)
{
	static struct execution execution;
	long moved = -1;

	memset(&execution, 0, sizeof execution);
	execution.model = model;
	execution.scratchpad = scratchpad;
	if (!fill_iterations(&execution) || !fill_elements(&execution))
		return -1;
	random_order(source, &execution);
	if (fill_uses(&execution))
		moved = execute(&execution);
	free_uses(&execution);
	return moved;
}

/* ---- nests ---- */

/* Nests without borders, which all iterations touch. */
static void random_whole_model(struct random_source *source, struct nest_model *model)
{
	random_model(source, 4, 9, model);
	for (int a = 0; a < model->array_count; a++) {
		model->arrays[a].anchored = 0;
		for (int d = 0; d < model->arrays[a].rank; d++)
			model->arrays[a].dims[d].clip_low = model->arrays[a].dims[d].clip_high = 0;
	}
}

static void set_dim(struct nest_model *model, int a, int loop, long coefficient)
{
	struct model_array *array = &model->arrays[a];

	array->dims[array->rank].window = 1;
	array->dims[array->rank++].coefficient[loop] = coefficient;
}

/* Like a product of matrices: two loops index each of some arrays, and another moves windows. */
static void random_product(struct random_source *source, struct nest_model *model)
{
	memset(model, 0, sizeof *model);
	model->loop_count = 3;
	model->array_count = 2 + (int)random_below(source, 3);
	for (int l = 0; l < 3; l++)
		model->loops[l] = (struct model_loop){ .name = "l", .extent = 6 + random_below(source, 6) };
	for (int a = 0; a < model->array_count; a++) {
		struct model_array *array = &model->arrays[a];

		*array = (struct model_array){ .name = "a", .is_read = true, .is_written = a == 0,
			.element_bytes = 1 << random_below(source, 2) };
		array->is_created = a == 0 && random_below(source, 2);
		array->is_dropped = array->is_created && random_below(source, 3) == 0;
		for (int l = 0; l < 3; l++)
			if (l != a % 3)
				set_dim(model, a, l, 1 + (random_below(source, 4) == 0));
		if (a > 0 && random_below(source, 3) == 0)
			array->dims[0].coefficient[a % 3] = 1 + random_below(source, 3);
	}
}

/* A convolution of one or two dimensions with strides and dilation: O[k][p][q] of I[c][u p + d r][q + s]
 * and W[k][c][r][s], where some loops may run once. */
static void random_convolution(struct random_source *source, struct nest_model *model)
{
	enum { K, C, P, Q, R, S };
	static const long most[] = { 5, 5, 9, 4, 4, 3 };

	memset(model, 0, sizeof *model);
	model->loop_count = 6;
	model->array_count = 3;
	for (int l = 0; l < 6; l++)
		model->loops[l] = (struct model_loop){ .name = "l",
			.extent = 1 + random_below(source, most[l]) };
	for (int a = 0; a < 3; a++) {
		model->arrays[a].name = "a";
		model->arrays[a].element_bytes = 1 << random_below(source, 2);
		model->arrays[a].is_read = a > 0;
	}
	model->arrays[0].is_written = true;
	model->arrays[0].is_created = random_below(source, 2);
	model->arrays[0].is_dropped = model->arrays[0].is_created && random_below(source, 3) == 0;
	set_dim(model, 0, K, 1);
	set_dim(model, 0, P, 1);
	set_dim(model, 0, Q, 1);
	set_dim(model, 1, C, 1);
	set_dim(model, 1, P, 1 + random_below(source, 2));
	model->arrays[1].dims[1].coefficient[R] = 1 + random_below(source, 3);
	set_dim(model, 1, Q, 1);
	model->arrays[1].dims[2].coefficient[S] = 1;
	for (int l = 0; l < 6; l++)
		if (l != P && l != Q)
			set_dim(model, 2, l, 1);
}

/* How many bounds were compared, and how many of them by partition with an order at most half above. */
struct tally {
	int compared, close;
};

static void check_orders(struct random_source *source, const struct nest_model *model,
	struct tally *tally)
{
	enum { ORDERS = 12 };

	for (long scratchpad = 6; scratchpad < 250; scratchpad += scratchpad / 2) {
		const char *argument;
		long bound = model_lower_bound(model, scratchpad, &argument), least = -1;

		for (int i = 0; i < ORDERS; i++) {
			long moved = traffic_in_some_order(source, model, scratchpad);

			if (moved >= 0 && moved < bound)
				print_case(model, &(struct schedule){ .depth = 0 });
			if (moved >= 0 && moved < bound)
				fprintf(stderr, "%ld moved, bound %ld in %ld\n", moved, bound, scratchpad);
			assert_true(moved < 0 || moved >= bound);
			if (moved >= 0 && (least < 0 || moved < least))
				least = moved;
		}
		tally->compared += least >= 0;
		tally->close += least >= 0 && strcmp(argument, "partition") == 0 &&
			least <= bound + bound / 2;
	}
}

static void no_order_is_below(void **state)
{
	struct random_source source = { 21 };
	struct tally any = { 0, 0 }, products = { 0, 0 }, convolutions = { 0, 0 };
	struct nest_model model;

	(void)state;
	for (int i = 0; i < 80; i++) {
		random_whole_model(&source, &model);
		check_orders(&source, &model, &any);
		random_product(&source, &model);
		check_orders(&source, &model, &products);
		random_convolution(&source, &model);
		check_orders(&source, &model, &convolutions);
	}
	assert_true(products.close > 20 && convolutions.close > 30 && any.compared > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_order_is_below),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

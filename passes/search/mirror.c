#include "passes/search/mirror.h"

#include <string.h>

/* The loop that stands for each. */
struct exchange { int of[MODEL_LOOPS]; };

static struct exchange no_exchange(void)
{
	struct exchange exchange;

	for (int l = 0; l < MODEL_LOOPS; l++)
		exchange.of[l] = l;
	return exchange;
}

static void exchange_loops(struct exchange *exchange, int one, int other)
{
	int first = exchange->of[one];

	exchange->of[one] = exchange->of[other];
	exchange->of[other] = first;
}

/* A set of loops where bit l is loop l. */
static long image_of_set(const struct exchange *exchange, int loop_count, long set)
{
	long image = 0;

	for (int l = 0; l < loop_count; l++)
		image |= (set >> l & 1) << exchange->of[l];
	return image;
}

/* ---- what is alike ---- */

static bool is_image_of_dim(const struct exchange *exchange, int loop_count, const struct model_dim *dim, const struct model_dim *image)
{
	if (dim->window != image->window || dim->touched != image->touched || dim->clip_low != image->clip_low ||
		dim->clip_high != image->clip_high || dim->least_side != image->least_side || dim->end_side != image->end_side || image_of_set(exchange, loop_count, dim->negative) != image->negative)
		return false;
	for (int l = 0; l < loop_count; l++)
		if (dim->coefficient[l] != image->coefficient[exchange->of[l]])
			return false;
	return true;
}

/* The dimensions of ARRAY are those of its image, in some order. */
static bool is_array_alike(const struct exchange *exchange, int loop_count, const struct model_array *array)
{
	unsigned taken = 0;

	if (array->align_bytes > 1 || array->ends || image_of_set(exchange, loop_count, array->anchored) != array->anchored)
		return false;
	for (int d = 0; d < array->rank; d++) {
		int other = 0;

		while (other < array->rank && (taken >> other & 1 ||
			!is_image_of_dim(exchange, loop_count, &array->dims[d], &array->dims[other])))
			other++;
		if (other == array->rank)
			return false;
		taken |= 1u << other;
	}
	return true;
}

/* What the user says of ONE and OTHER, and the sizes of their tiles, are the same. */
static bool are_loops_alike(const struct space *space, int one, int other)
{
	const struct model_loop *loops = space->model->loops;
	const struct search_options *options = space->options;
	const struct mapping_rules *rules = &space->elements->rules;

	return loops[one].extent == loops[other].extent && loops[one].is_forward == loops[other].is_forward &&
		loops[one].tile == loops[other].tile && space->is_tiled[one] == space->is_tiled[other] &&
		space->may_turn[one] == space->may_turn[other] && options->serpentine[one] == options->serpentine[other] &&
		((rules->shareable >> one ^ rules->shareable >> other) & 1) == 0 && rules->part[one] == rules->part[other] &&
		rules->space[one] == rules->space[other] && rules->axis[one] == rules->axis[other] &&
		space->choice_count[one] == space->choice_count[other] &&
		(space->choice_count[one] == 0 || memcmp(space->choices[one], space->choices[other],
		(size_t)space->choice_count[one] * sizeof **space->choices) == 0);
}

static bool is_mirror(const struct space *space, const struct exchange *exchange)
{
	const struct nest_model *model = space->model;

	for (int a = 0; a < model->array_count; a++)
		if (!is_array_alike(exchange, model->loop_count, &model->arrays[a]))
			return false;
	return true;
}

/* The user says something of the order of loops, or where something is in it. */
static bool has_places(const struct space *space)
{
	const struct search_options *options = space->options;
	bool has_places = options->order_count > 0;

	for (int a = 0; a < space->model->array_count; a++)
		has_places = has_places || options->store[a] >= 0 || options->min_store[a] > 0 ||
			space->elements->rules.holds[a].place != HOLD_FREE;
	return has_places;
}

/* ---- interface ---- */

void space_forget_mirror(struct space *space)
{
	for (int l = 0; l < MODEL_LOOPS; l++)
		space->mirror[l] = l;
	space->mirrored = 0;
}

/* Takes EXCHANGE as the mirror of SPACE, if it is one. */
static bool take_mirror(struct space *space, const struct exchange *exchange)
{
	if (!is_mirror(space, exchange))
		return false;
	memcpy(space->mirror, exchange->of, sizeof space->mirror);
	for (int l = 0; l < space->model->loop_count; l++)
		space->mirrored |= exchange->of[l] != l ? 1u << l : 0;
	return true;
}

/* Takes EXCHANGE with one more pair of loops, from number FIRST on, or with up to COUNT of them, if that is a mirror of SPACE. */
static bool find_mirror(struct space *space, const struct exchange *exchange, int first, int count)
{
	for (int one = first; one < space->model->loop_count; one++)
		for (int other = one + 1; other < space->model->loop_count; other++) {
			struct exchange next = *exchange;

			if (exchange->of[one] != one || exchange->of[other] != other || !are_loops_alike(space, one, other))
				continue;
			exchange_loops(&next, one, other);
			if (take_mirror(space, &next) || (count > 1 && find_mirror(space, &next, one + 1, count - 1)))
				return true;
		}
	return false;
}

void space_find_mirror(struct space *space)
{
	enum { PAIRS = 2 };
	const struct exchange none = no_exchange();

	space_forget_mirror(space);
	if (space->elements && space->options->prices.command <= 0 && !prices_have_time(&space->options->prices) && !has_places(space))
		find_mirror(space, &none, 0, PAIRS);
}

void mirror_image(const struct space *space, struct schedule *schedule, struct mapping *mapping)
{
	const struct schedule original = *schedule;
	const struct mapping mapped = *mapping;

	for (int l = 0; l < space->model->loop_count; l++) {
		int image = space->mirror[l];

		schedule->tile[image] = original.tile[l];
		schedule->is_serpentine[image] = original.is_serpentine[l];
		mapping->part[image] = mapped.part[l];
		mapping->space[image] = mapped.space[l];
		mapping->axis[image] = mapped.axis[l];
		mapping->is_serpentine[image] = mapped.is_serpentine[l];
	}
	for (int i = 0; i < original.depth; i++)
		schedule->order[i] = space->mirror[original.order[i]];
	for (int i = 0; i < mapped.depth; i++)
		mapping->order[i] = space->mirror[mapped.order[i]];
}

/* Small random nests, as models, and schedules of them. */
#include "tests/optimality/simulate.h"

#include <string.h>

static bool moves(const struct model_array *array, int loop)
{
	bool found = false;

	for (int d = 0; d < array->rank; d++)
		found = found || array->dims[d].coefficient[loop] != 0;
	return found;
}

long random_below(struct random_source *source, long bound)
{
	source->state = source->state * 6364136223846793005ul + 1442695040888963407ul;
	return (long)((source->state >> 33) % (unsigned long)bound);
}

static void random_output(struct random_source *source, const struct nest_model *model,
	struct model_array *array)
{
	array->is_written = true;
	array->is_created = random_below(source, 2);
	array->is_dropped = array->is_created && random_below(source, 3) == 0;
	array->is_read = !array->is_created;
	for (int l = 0; l < model->loop_count; l++)
		if (array->rank < 3 && random_below(source, 2)) {
			/* some iterations write a block of their own */
			long block = (source->state >> 40) % 5 == 0 ? 2 + (long)(source->state >> 50) % 2 : 1;

			array->dims[array->rank].window = block;
			array->dims[array->rank++].coefficient[l] = block;
		}
	/* a dimension that several iterations add to */
	if (!array->is_created && array->rank > 0 && random_below(source, 3) == 0) {
		array->dims[0].coefficient[random_below(source, model->loop_count)] =
			random_below(source, 3);
		array->dims[0].window = 1 + random_below(source, 2);
	}
}

static void random_input(struct random_source *source, const struct nest_model *model,
	struct model_array *array)
{
	array->is_read = true;
	array->rank = 1 + (int)random_below(source, 3);
	for (int d = 0; d < array->rank; d++) {
		array->dims[d].window = random_below(source, 3) ? 1 : 1 + random_below(source, 3);
		for (int tries = 1 + (int)random_below(source, 2); tries > 0; tries--)
			array->dims[d].coefficient[random_below(source, model->loop_count)] =
				random_below(source, 3) ? 1 : random_below(source, 3);
	}
}

/* What others make on chip, and this model only reads. */
static void random_intermediate(struct random_source *source, const struct nest_model *model,
	struct model_array *array)
{
	random_output(source, model, array);
	while (!array->is_created) {
		memset(array->dims, 0, sizeof array->dims);
		array->rank = 0;
		random_output(source, model, array);
	}
	array->is_written = array->is_dropped = false;
	array->is_read = true;
}

/* A border of some elements at each end of some dimensions; some subscripts fall. */
static void random_clip(struct random_source *source, const struct nest_model *model,
	struct model_array *array)
{
	for (int l = 0; l < model->loop_count; l++) {
		int dims = 0;

		for (int d = 0; d < array->rank; d++)
			dims += array->dims[d].coefficient[l] > 0;
		if (dims > 1)
			return;
	}
	for (int d = 0; d < array->rank; d++) {
		struct model_dim *dim = &array->dims[d];
		long whole = dim->window, step = 1;

		for (int l = 0; l < model->loop_count; l++) {
			whole += dim->coefficient[l] * (model->loops[l].extent - 1);
			step = dim->coefficient[l] > step ? dim->coefficient[l] : step;
			if (random_below(source, 4) == 0)
				dim->negative |= 1l << l;
		}
		dim->clip_low = random_below(source, 3);
		dim->clip_high = whole - random_below(source, 3);
		/* what exists has an element that is touched: no step goes over all of it */
		if (dim->clip_high - dim->clip_low < step || random_below(source, 3) == 0)
			dim->clip_low = dim->clip_high = 0;
	}
}

void random_model(struct random_source *source, int max_loops, long max_extent,
	struct nest_model *model)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f" };

	memset(model, 0, sizeof *model);
	model->loop_count = 1 + (int)random_below(source, max_loops);
	for (int l = 0; l < model->loop_count; l++) {
		model->loops[l].name = names[l];
		model->loops[l].extent = 1 + random_below(source, max_extent);
		model->loops[l].is_forward = random_below(source, 8) == 0;
	}
	model->array_count = 1 + (int)random_below(source, 3);
	for (int a = 0; a < model->array_count; a++) {
		struct model_array *array = &model->arrays[a];

		array->name = names[a];
		array->element_bytes = 1 << random_below(source, 3);
		if (random_below(source, 3) == 0 || (a == 0 && random_below(source, 2)))
			random_output(source, model, array);
		else if (random_below(source, 8) == 0)
			random_intermediate(source, model, array);
		else
			random_input(source, model, array);
		for (int l = 0; l < model->loop_count; l++)
			if (!moves(array, l) && random_below(source, 6) == 0)
				array->anchored |= 1l << l;
		if (random_below(source, 3) == 0)
			random_clip(source, model, array);
	}
}

/* Bit l: loop l moves a dimension of ARRAY that a loop of SET moves; SET among them. */
static long moving_with(const struct nest_model *model, const struct model_array *array, long set)
{
	long all = set;

	for (int d = 0; d < array->rank; d++) {
		long movers = 0;

		for (int l = 0; l < model->loop_count; l++)
			movers |= array->dims[d].coefficient[l] > 0 ? 1l << l : 0;
		all |= movers & set ? movers : 0;
	}
	return all;
}

void random_ends(struct random_source *source, struct nest_model *model)
{
	for (int a = 0; a < model->array_count; a++) {
		struct model_array *array = &model->arrays[a];
		bool is_clipped = false, is_coupled = false;

		for (int d = 0; d < array->rank; d++)
			is_clipped = is_clipped || array->dims[d].clip_high > 0;
		for (int l = 0; l < model->loop_count; l++) {
			int dims = 0;

			for (int d = 0; d < array->rank; d++)
				dims += array->dims[d].coefficient[l] > 0;
			is_coupled = is_coupled || dims > 1;
		}
		if (is_clipped || random_below(source, 3) == 0)
			continue;
		for (int d = 0; d < array->rank; d++)
			array->dims[d].least_side = random_below(source, 2) ? 0 : 1 + random_below(source, 9);
		for (int d = 0; d < array->rank; d++)
			array->dims[d].end_side = random_below(source, 2) ? array->dims[d].least_side : random_below(source, 10);
		if (array->anchored || is_coupled || (!array->is_written && !array->is_read))
			continue;
		array->ends = 1l << random_below(source, model->loop_count);
		for (int i = 0; i < model->loop_count; i++)
			array->ends = moving_with(model, array, array->ends);
		array->ends_first = !array->is_written && random_below(source, 4) > 0;
		array->ends_read = !array->is_written || random_below(source, 4) > 0;
		array->ends_written = array->is_written && random_below(source, 3) > 0;
	}
}

/* DIM with loops 0 and 1 exchanged. */
static struct model_dim image_of(const struct model_dim *dim)
{
	struct model_dim image = *dim;

	image.coefficient[0] = dim->coefficient[1];
	image.coefficient[1] = dim->coefficient[0];
	image.negative = (dim->negative & ~3L) | (dim->negative & 1) << 1 | (dim->negative >> 1 & 1);
	return image;
}

bool make_alike(struct nest_model *model)
{
	struct nest_model alike = *model;

	alike.loops[1] = alike.loops[0];
	for (int a = 0; a < model->array_count; a++) {
		const struct model_array *array = &model->arrays[a];
		struct model_array *out = &alike.arrays[a];

		out->rank = 0;
		for (int d = 0; d < array->rank; d++) {
			const struct model_dim *dim = &array->dims[d];

			if (dim->coefficient[0] && dim->coefficient[1])
				return false;
			if (!dim->coefficient[1])
				out->dims[out->rank++] = *dim;
			if (dim->coefficient[0])
				out->dims[out->rank++] = image_of(dim);
		}
		out->ends = 0;
		out->anchored = moves(out, 0) ? array->anchored & ~3L : (array->anchored & ~2L) | (array->anchored & 1) << 1;
	}
	if (model->loop_count < 2)
		return false;
	*model = alike;
	return true;
}

void random_schedule(struct random_source *source, const struct nest_model *model,
	struct schedule *schedule)
{
	memset(schedule, 0, sizeof *schedule);
	for (int l = 0; l < model->loop_count; l++) {
		long extent = model->loops[l].extent;

		schedule->tile[l] = random_below(source, 4) ? 1 + random_below(source, extent) : extent;
		if (schedule->tile[l] < extent) {
			int place = (int)random_below(source, schedule->depth + 1);

			memmove(&schedule->order[place + 1], &schedule->order[place],
				sizeof(int) * (size_t)(schedule->depth++ - place));
			schedule->order[place] = l;
			schedule->is_serpentine[l] = !model->loops[l].is_forward &&
				random_below(source, 4) != 0;
		}
	}
	for (int a = 0; a < model->array_count; a++) {
		struct storage *storage = &schedule->storage[a];

		storage->store = (int)random_below(source, schedule->depth + 1);
		while (storage->store > 0 &&
			!moves(&model->arrays[a], schedule->order[storage->store - 1]))
			storage->store--;
		storage->slots = 1;
		if (storage->store == 0)
			continue;
		if (random_below(source, 2))
			storage->slots = 1 + random_below(source, 3);
		storage->is_sliding = random_below(source, 2);
		storage->is_double = random_below(source, 4) == 0;
	}
}

void random_split(struct random_source *source, struct nest_model *model, struct pe_array *machine)
{
	machine->is_split = random_below(source, 5) == 0;
	if (!machine->is_split)
		return;
	long left = machine->registers_bytes;
	for (int role = 0; role < ROLE_COUNT; role++) {
		machine->role_bytes[role] = role + 1 < ROLE_COUNT ? random_below(source, left + 1) : left;
		left -= machine->role_bytes[role];
	}
	for (int a = 0; a < model->array_count; a++)
		model->arrays[a].role = (enum array_role)random_below(source, ROLE_COUNT);
}

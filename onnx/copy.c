/* Operators that copy elements, with loops of their own. */

#include <math.h>
#include <string.h>

#include "onnx/move.h"

static void emit_part(struct network *network, struct nest *nest, struct value *output)
{
	nest->tail = NULL;
	if (!output->constant)
		network_append(network, nest);
	else
		nest_evaluate(network->arena, nest);
}

/* Dimension AXIS of X from OFFSET of OUTPUT on. */
static void copy_part(struct network *network, struct node *node, struct value *output, struct value *x, int axis,
	int64_t offset)
{
	struct nest *nest = lower_nest(network, node, x);
	struct index at[RANK_LIMIT];

	nest->result = output;
	for (int d = 0; d < x->shape.rank; d++)
		at[d] = index_plus(index_loop(nest->axes[d]), d == axis ? offset : 0);
	add_assign(nest, nest->tail, expression_read(network->arena, output, at),
		expression_cast(network->arena, output->type, lower_element(network, nest, x)));
	emit_part(network, nest, output);
}

/* Whoever makes X can write into the whole at once. */
static bool can_be_part(const struct value *x, const struct value *whole)
{
	return !x->constant && !x->is_input && !x->is_output && x->view == VIEW_NONE && x->type == whole->type &&
		((x->nest && x->nest->result == x) || x->is_written_by_parts);
}

/* The concatenation of integers holds them all. */
static void concat_type(struct network *network, struct node *node, struct value *output)
{
	int64_t low = INT64_MAX, high = INT64_MIN;
	enum type type = node->inputs[0]->type;
	bool is_same = true;

	for (int i = 0; i < node->input_count; i++) {
		const struct value *x = node->inputs[i];
		if (x->declared != node->inputs[0]->declared)
			refuse(network, "operands of types %s and %s", type_infos[node->inputs[0]->declared].name,
				type_infos[x->declared].name);
		is_same &= x->type == type;
		low = !x->has_range ? INT64_MIN : x->low < low ? x->low : low;
		high = !x->has_range ? INT64_MAX : x->high > high ? x->high : high;
		if (!x->has_range && !is_same)
			refuse(network, "operands of integers and of numbers");
	}
	move_keep_type(output, node->inputs[0]);
	output->has_range = node->inputs[0]->has_range && low > INT64_MIN;
	output->low = low;
	output->high = high;
	if (!is_same)
		output->type = type_for_range(low, high);
}

void lower_concat(struct network *network, struct node *node)
{
	struct value *first = lower_input(network, node, 0);
	const int axis = lower_axis(network, attribute_int(network, node, "axis", 1), first->shape.rank,
		first->shape.rank);
	struct shape shape = first->shape;
	bool is_constant = true;
	int64_t offset = 0;

	shape.dims[axis] = 0;
	for (int i = 0; i < node->input_count; i++) {
		const struct value *x = lower_input(network, node, i);
		for (int d = 0; d < first->shape.rank; d++)
			if (x->shape.rank != first->shape.rank || (d != axis && x->shape.dims[d] != first->shape.dims[d]))
				refuse(network, "operands of shapes %s and %s", shape_text(network->arena, &first->shape),
					shape_text(network->arena, &x->shape));
		shape.dims[axis] += x->shape.dims[axis];
		is_constant &= x->constant != NULL;
	}
	struct value *output = lower_output(network, node, 0, first->type, &shape);
	concat_type(network, node, output);
	if (is_constant)
		output->constant = tensor_new(network->arena, output->type, &shape, false);
	else
		output->is_written_by_parts = true;
	for (int i = 0; i < node->input_count; i++) {
		struct value *x = node->inputs[i];
		if (!x->shape.dims[axis])
			continue;
		if (can_be_part(x, output)) {
			x->view = VIEW_AXES;
			x->base = output;
			x->axes = ARENA_ARRAY(network->arena, struct view_axis, shape.rank);
			move_identity_axes(x->axes, shape.rank);
			x->axes[axis].offset = offset;
		} else if (x->constant || !is_constant) {
			copy_part(network, node, output, x, axis, offset);
		}
		offset += x->shape.dims[axis];
	}
}

/* ---- copies by maps: element o of a dimension comes from element map[o] ---- */

/* Elements begin + step * i of a dimension come from elements from + factor * i; i < count.  Where SPLIT is
 * not 0 the dimension is one piece, and o comes from o / split, or, if IS_REST, from o % split. */
struct piece {
	int64_t begin, step, count, from, factor, split;
	bool is_rest;
};

/* The map cut into affine pieces of elements STEP apart.  Their number; at most LIMIT are put into PIECES. */
static int64_t cut_map(const int64_t *map, int64_t size, int64_t step, struct piece *pieces, int64_t limit)
{
	int64_t count = 0;

	for (int64_t first = 0; first < step && first < size; first++)
		for (int64_t o = first; o < size;) {
			struct piece piece = { .begin = o, .step = step, .count = 1, .from = map[o] };
			if (o + step < size)
				piece.factor = map[o + step] - map[o];
			for (; o + step < size && map[o + step] - map[o] == piece.factor; o += step)
				piece.count++;
			o += step;
			if (count < limit)
				pieces[count] = piece;
			count++;
		}
	return count;
}

/* o / s or o % s of all SIZE elements, made of IN. */
static bool is_split(const int64_t *map, int64_t size, int64_t in, struct piece *piece)
{
	const int64_t s = in && size % in == 0 ? size / in : 0;
	bool is_quotient = s > 1, is_rest = s > 1 && in > 1;

	for (int64_t o = 0; o < size; o++) {
		is_quotient = is_quotient && map[o] == o / s;
		is_rest = is_rest && map[o] == o % in;
	}
	*piece = (struct piece){ .step = 1, .count = size, .split = is_quotient ? s : in, .is_rest = !is_quotient };
	return is_quotient || is_rest;
}

/* As few as there are.  More than LIMIT: 0. */
static int64_t pieces_of(struct network *network, const int64_t *map, int64_t size, int64_t in, int64_t limit,
	struct piece **pieces)
{
	struct piece split;
	int64_t least = cut_map(map, size, 1, NULL, 0), step = 1;

	if (least > 1 && is_split(map, size, in, &split)) {
		*pieces = ARENA_NEW(network->arena, struct piece);
		**pieces = split;
		return 1;
	}
	for (int64_t s = 2; s <= 16 && least > 1; s++) {
		const int64_t count = cut_map(map, size, s, NULL, 0);
		if (count < least) {
			least = count;
			step = s;
		}
	}
	if (least > limit)
		return 0;
	*pieces = ARENA_ARRAY(network->arena, struct piece, least);
	cut_map(map, size, step, *pieces, least);
	return least;
}

/* The loops of a piece in BLOCK; the subscripts of both sides. */
static struct block *piece_loops(struct nest *nest, struct block *block, const char *name, const struct piece *piece,
	struct index *out_at, struct index *x_at)
{
	if (piece->split) {
		const int64_t inner_size = piece->split, outer_size = piece->count / inner_size;
		const int outer = nest_loop(nest, piece->is_rest ? "copy" : name, outer_size);
		block = add_loop(nest, block, outer);
		const int inner = nest_loop(nest, piece->is_rest ? name : "copy", inner_size);
		block = add_loop(nest, block, inner);
		*out_at = index_sum(index_scaled(index_loop(outer), inner_size), index_loop(inner));
		*x_at = index_loop(piece->is_rest ? inner : outer);
		return block;
	}
	const int loop = nest_loop(nest, name, piece->count);
	*out_at = index_plus(index_scaled(index_loop(loop), piece->step), piece->begin);
	*x_at = index_plus(index_scaled(index_loop(loop), piece->factor), piece->from);
	return add_loop(nest, block, loop);
}

/* OUTPUT is made of the elements of X that the maps say, a nest for each choice of pieces. */
static void copy_mapped(struct network *network, struct node *node, struct value *output, struct value *x,
	int64_t **map)
{
	static const char *const names[] = { "n", "k", "y", "x", "z", "i5", "i6", "i7", "i8", "i9", "i10", "i11" };
	const int64_t limit = x->constant ? 1000000 : 256;
	struct piece *pieces[RANK_LIMIT];
	int64_t counts[RANK_LIMIT], total = 1;

	for (int d = 0; d < x->shape.rank; d++) {
		counts[d] = pieces_of(network, map[d], output->shape.dims[d], x->shape.dims[d], limit, &pieces[d]);
		total *= counts[d];
		if (!total || total > limit)
			refuse(network, "dimension %d goes from %lld to %lld elements in no order: more than %lld parts", d,
				(long long)x->shape.dims[d], (long long)output->shape.dims[d], (long long)limit);
	}
	if (x->constant && !output->constant)
		output->constant = tensor_new(network->arena, output->type, &output->shape, false);
	for (int64_t t = 0; t < total; t++) {
		struct nest *nest = nest_new(network->arena, node, output);
		struct block *block = &nest->block;
		struct index out_at[RANK_LIMIT], x_at[RANK_LIMIT];
		int64_t rest = t;

		for (int d = 0; d < x->shape.rank; d++) {
			block = piece_loops(nest, block, names[d], &pieces[d][rest % counts[d]], &out_at[d], &x_at[d]);
			rest /= counts[d];
		}
		add_assign(nest, block, expression_read(network->arena, output, out_at),
			expression_read(network->arena, x, x_at));
		emit_part(network, nest, output);
	}
}

void lower_gather(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	const struct tensor *indices = lower_constant(network, node, 1, "the indices");
	const int axis = lower_axis(network, attribute_int(network, node, "axis", 0), x->shape.rank, x->shape.rank);
	const int64_t size = x->shape.dims[axis];
	struct shape shape = { 0 }, flat = x->shape;
	int64_t *map[RANK_LIMIT];

	if (x->shape.rank - 1 + indices->shape.rank > RANK_LIMIT)
		refuse(network, "more than %d dimensions", RANK_LIMIT);
	for (int d = 0; d < x->shape.rank; d++)
		for (int i = 0; i < (d == axis ? indices->shape.rank : 1); i++)
			shape.dims[shape.rank++] = d == axis ? indices->shape.dims[i] : x->shape.dims[d];
	struct value *output = lower_output(network, node, 0, x->type, &shape);
	move_keep_type(output, x);
	if (!shape_count(&shape))
		return;
	flat.dims[axis] = indices->count;
	for (int d = 0; d < x->shape.rank; d++) {
		if (flat.dims[d] > 10000000)
			refuse(network, "dimension %d of %lld elements", d, (long long)flat.dims[d]);
		map[d] = ARENA_ARRAY(network->arena, int64_t, flat.dims[d] + 1);
		for (int64_t o = 0; o < flat.dims[d]; o++) {
			const int64_t index = d == axis ? tensor_integer(indices, o) : o;
			if (index < -size || (d == axis && index >= size))
				refuse(network, "index %lld of %lld", (long long)index, (long long)size);
			map[d][o] = index < 0 ? index + size : index;
		}
	}
	struct value *copy = indices->shape.rank == 1 ? output :
		network_temporary(network, output->name, output->type, &flat);
	copy_mapped(network, node, copy, x, map);
	if (copy != output)
		lower_reshape(network, node, output, copy);
}

/* ---- borders ---- */

/* The element of X that element o of a dimension with a border BEFORE it is, for mode edge or reflect. */
static int64_t *border_map(struct network *network, const char *mode, int64_t size, int64_t before, int64_t after)
{
	if (before < -size || after < -size - before || (!strcmp(mode, "reflect") && (before >= size || after >= size)) ||
	    size + before + after > 10000000)
		refuse(network, "%lld and %lld elements around %lld", (long long)before, (long long)after, (long long)size);
	int64_t *map = ARENA_ARRAY(network->arena, int64_t, size + before + after + 1);
	for (int64_t o = 0; o < size + before + after; o++) {
		const int64_t at = o - before;
		if (!strcmp(mode, "edge"))
			map[o] = move_clamped(at, 0, size - 1);
		else
			map[o] = at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
	}
	return map;
}

static void pad_constant(struct network *network, struct node *node, struct value *output, struct value *x,
	double value, const int64_t *before)
{
	struct nest *nest = lower_nest(network, node, output);
	struct condition conditions[RANK_LIMIT];
	struct index at[RANK_LIMIT];
	struct expression *border = expression_number(network->arena, output->type, value);

	for (int d = 0; d < x->shape.rank; d++) {
		at[d] = index_plus(index_loop(nest->axes[d]), -before[d]);
		conditions[d] = (struct condition){ at[d], 0, x->shape.dims[d] - 1 };
	}
	struct expression *element = lower_element(network, nest, output);
	struct block *inside = add_if(nest, nest->tail, conditions, x->shape.rank);
	add_assign(nest, inside, element, expression_read(network->arena, x, at));
	if (inside != nest->tail) {
		struct nest scratch = *nest;
		add_assign(&scratch, &nest->tail->last->otherwise, element, border);
	}
	nest->tail = NULL;
	lower_emit(network, nest);
}

void lower_pad(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	const char *mode = attribute_string(network, node, "mode", "constant");
	const struct value *given = node->version < 11 ? NULL : lower_optional(node, 2);
	int count = 0, axis_count = 0;
	const int64_t *pads = lower_list(network, node, 11, 1, "pads", &count);
	const int64_t *axes = node->version < 18 ? NULL : lower_list(network, node, 18, 3, "axes", &axis_count);
	int64_t before[RANK_LIMIT] = { 0 }, after[RANK_LIMIT] = { 0 };
	struct shape shape = x->shape;
	bool is_border = true;

	if (!axes)
		axis_count = x->shape.rank;
	if (!pads || count != 2 * axis_count)
		refuse(network, "%d numbers for the border of %d dimensions", count, axis_count);
	for (int a = 0; a < axis_count; a++) {
		const int d = axes ? lower_axis(network, axes[a], x->shape.rank, x->shape.rank) : a;
		before[d] = pads[a];
		after[d] = pads[axis_count + a];
		if (before[d] < -ELEMENT_LIMIT || before[d] > ELEMENT_LIMIT || after[d] < -ELEMENT_LIMIT ||
		    after[d] > ELEMENT_LIMIT)
			refuse(network, "a border of %lld elements", (long long)before[d]);
		shape.dims[d] += before[d] + after[d];
		is_border &= before[d] >= 0 && after[d] >= 0 && (d >= 2 || (!before[d] && !after[d]));
		if (shape.dims[d] < 1)
			refuse(network, "dimension %d has nothing left", d);
	}
	if (given && !given->constant)
		lower_constant(network, node, 2, "the value");
	const double value = given ? tensor_number(given->constant, 0) :
		node->version < 11 ? attribute_float(network, node, "value", 0) : 0;
	if (x->type != x->declared && (value < (double)type_infos[x->type].lowest || value > (double)type_infos[x->type].highest ||
	    value != floor(value)))
		x = lower_declared(network, node, x);
	struct value *output = lower_output(network, node, 0, x->type, &shape);
	move_keep_type(output, x);
	if (x->has_range) {
		output->has_range = true;
		output->low = value < (double)x->low ? (int64_t)value : x->low;
		output->high = value > (double)x->high ? (int64_t)value : x->high;
	}
	if (strcmp(mode, "constant") && strcmp(mode, "edge") && strcmp(mode, "reflect"))
		refuse(network, "mode %.20s", mode);
	if (strcmp(mode, "constant")) {
		int64_t *map[RANK_LIMIT];
		for (int d = 0; d < x->shape.rank; d++)
			map[d] = border_map(network, mode, x->shape.dims[d], before[d], after[d]);
		copy_mapped(network, node, output, x, map);
		return;
	}
	pad_constant(network, node, output, x, value, before);
	if (is_border && value == 0 && !output->is_output && x->shape.rank >= 3) {
		output->padded = x;
		memcpy(output->before, before, sizeof(before));
		memcpy(output->after, after, sizeof(after));
	}
}

/* ---- other sizes ---- */

/* What element of the input element o of a dimension of a resized tensor is, as ONNX defines it. */
static int64_t nearest(const char *transform, const char *rounding, int64_t o, int64_t in, int64_t out, double scale)
{
	double x = (double)o;

	if (!strcmp(transform, "half_pixel") || (!strcmp(transform, "pytorch_half_pixel") && out > 1))
		x = (x + 0.5) / scale - 0.5;
	else if (!strcmp(transform, "pytorch_half_pixel"))
		x = 0;
	else if (!strcmp(transform, "align_corners"))
		x = out > 1 ? x * (double)(in - 1) / (double)(out - 1) : 0;
	else if (!strcmp(transform, "tf_half_pixel_for_nn"))
		x = (x + 0.5) / scale;
	else
		x = x / scale;
	if (!strcmp(rounding, "floor"))
		x = floor(x);
	else if (!strcmp(rounding, "ceil"))
		x = ceil(x);
	else if (!strcmp(rounding, "round_prefer_ceil"))
		x = floor(x + 0.5);
	else
		x = ceil(x - 0.5);
	return move_clamped((int64_t)x, 0, in - 1);
}

void lower_resize(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	const bool is_upsample = !strcmp(node->operator, "Upsample"), is_old = is_upsample || node->version < 11;
	const char *mode = attribute_string(network, node, "mode", "nearest");
	const char *transform = is_old ? "asymmetric" : attribute_string(network, node,
		"coordinate_transformation_mode", "half_pixel");
	const char *rounding = is_old ? "floor" : attribute_string(network, node, "nearest_mode", "round_prefer_floor");
	double scales[RANK_LIMIT];
	struct shape shape = x->shape;
	int64_t *map[RANK_LIMIT];
	int count = 0;

	if (strcmp(mode, "nearest"))
		refuse(network, "mode %.20s; nearest is supported", mode);
	if (attribute_is_given(node, "axes") || !strcmp(transform, "tf_crop_and_resize"))
		refuse(network, "attribute axes, or a part of the input; give all dimensions");
	const int at = is_old ? 1 : 2;
	const struct value *given = is_upsample && node->version < 9 ? NULL : lower_optional(node, at);
	if (is_upsample && node->version < 9) {
		const float *list = attribute_floats(network, node, "scales", &count);
		for (int d = 0; d < count && d < RANK_LIMIT; d++)
			scales[d] = (double)list[d];
	} else if (given && shape_count(&given->shape) > 0) {
		const struct tensor *list = lower_constant(network, node, at, "the scale");
		count = (int)list->count;
		for (int d = 0; d < count && d < RANK_LIMIT; d++)
			scales[d] = tensor_number(list, d);
	} else {
		const struct tensor *list = lower_constant(network, node, 3, "the size");
		count = (int)list->count;
		for (int d = 0; d < count && d < x->shape.rank; d++) {
			shape.dims[d] = tensor_integer(list, d);
			scales[d] = (double)shape.dims[d] / (double)x->shape.dims[d];
		}
	}
	if (count != x->shape.rank)
		refuse(network, "%d scales for %d dimensions", count, x->shape.rank);
	for (int d = 0; d < count; d++) {
		if (!(scales[d] > 0 && scales[d] < 1e6))
			refuse(network, "a scale of %g", scales[d]);
		if (given || (is_upsample && node->version < 9))
			shape.dims[d] = (int64_t)floor((double)x->shape.dims[d] * scales[d]);
		if (shape.dims[d] < 1)
			refuse(network, "dimension %d has nothing left", d);
	}
	struct value *output = lower_output(network, node, 0, x->type, &shape);
	move_keep_type(output, x);
	for (int d = 0; d < count; d++) {
		if (shape.dims[d] < 1 || shape.dims[d] > 10000000)
			refuse(network, "dimension %d becomes %lld", d, (long long)shape.dims[d]);
		map[d] = ARENA_ARRAY(network->arena, int64_t, shape.dims[d]);
		for (int64_t o = 0; o < shape.dims[d]; o++)
			map[d][o] = nearest(transform, rounding, o, x->shape.dims[d], shape.dims[d], scales[d]);
	}
	copy_mapped(network, node, output, x, map);
}

void lower_tile(struct network *network, struct node *node)
{
	struct value *x = lower_input(network, node, 0);
	const struct tensor *repeats = lower_constant(network, node, 1, "the number of copies");
	struct shape shape = x->shape;
	int64_t *map[RANK_LIMIT];

	if (repeats->count != x->shape.rank)
		refuse(network, "%lld numbers for %d dimensions", (long long)repeats->count, x->shape.rank);
	for (int d = 0; d < shape.rank; d++)
		if (tensor_integer(repeats, d) < 1 ||
		    __builtin_mul_overflow(shape.dims[d], tensor_integer(repeats, d), &shape.dims[d]))
			refuse(network, "%lld copies", (long long)tensor_integer(repeats, d));
	struct value *output = lower_output(network, node, 0, x->type, &shape);
	move_keep_type(output, x);
	for (int d = 0; d < shape.rank; d++) {
		if (shape.dims[d] < 1 || shape.dims[d] > 10000000)
			refuse(network, "dimension %d becomes %lld", d, (long long)shape.dims[d]);
		map[d] = ARENA_ARRAY(network->arena, int64_t, shape.dims[d]);
		for (int64_t o = 0; o < shape.dims[d]; o++)
			map[d][o] = o % x->shape.dims[d];
	}
	copy_mapped(network, node, output, x, map);
}

#include "onnx/place.h"

#include <string.h>

#include "onnx/lower.h"

/* ---- the border of the network ---- */

static struct expression *make_same(struct network *network, struct node *node, struct expression **operands,
	int count)
{
	(void)network, (void)node, (void)count;
	return operands[0];
}

/* What floats of the network's own border may be, when integers are meant: 8 bits, signed or not. */
enum { INPUT_LOW = -128, INPUT_HIGH = 255 };

void place_inputs(struct network *network)
{
	for (int i = 0; i < network->input_count && network->is_integer; i++) {
		struct value *input = network->inputs[i];
		if (!type_is_float(input->type) || input->constant)
			continue;
		struct value *integers = network_temporary(network, arena_printf(network->arena, "%s_integers",
			input->name), type_for_range(INPUT_LOW, INPUT_HIGH), &input->shape);
		integers->declared = input->type;
		integers->has_range = true;
		integers->low = INPUT_LOW;
		integers->high = INPUT_HIGH;
		integers->uses = input->uses;
		input->uses = 1;
		for (int n = 0; n < network->node_count; n++)
			for (int j = 0; j < network->nodes[n]->input_count; j++)
				if (network->nodes[n]->inputs[j] == input)
					network->nodes[n]->inputs[j] = integers;
		lower_elementwise(network, NULL, integers, &input, 1, make_same);
	}
}

/* RESULT is a copy of VALUE, in its own type. */
static void copy_to(struct network *network, struct value *result, struct value *value)
{
	struct nest *nest = lower_nest(network, NULL, result);

	add_assign(nest, nest->tail, lower_element(network, nest, result),
		expression_cast(network->arena, result->type, lower_element(network, nest, value)));
	nest->tail = NULL;
	network_append(network, nest);
}

static bool can_change_places(const struct value *value)
{
	return value->view == VIEW_NONE && !value->constant && !value->is_input && !value->is_output;
}

static void place_output(struct network *network, int number)
{
	struct value *output = network->outputs[number];
	struct value *own;

	if (!shape_count(&output->shape))
		fail(network, "output '%.80s' has no elements", output->name);
	if (output->type == output->declared && output->view == VIEW_RESHAPE && can_change_places(output->base)) {
		struct value *base = output->base;
		base->view = VIEW_RESHAPE;
		base->base = output;
		output->view = VIEW_NONE;
		output->base = NULL;
		return;
	}
	if (output->type == output->declared && output->view == VIEW_NONE && !output->constant && !output->is_input)
		return;
	own = network_temporary(network, output->name, output->declared, &output->shape);
	network->outputs[number] = own;
	output->is_output = false;
	output->name = arena_printf(network->arena, "%s_values", output->name);
	if (output->type != output->declared && output->view == VIEW_NONE && !output->constant)
		lower_elementwise(network, NULL, own, &output, 1, make_same);
	else
		copy_to(network, own, output);
	own->is_output = true;
	if (output->is_input) {
		output->name = own->name;
		own->name = arena_printf(network->arena, "%s_result", own->name);
	}
}

/* ---- nests that nobody needs ---- */

struct marks {
	const struct nest *nest;
	bool is_needed;
};

static struct value *root(struct value *value)
{
	while (value->view != VIEW_NONE)
		value = value->base;
	return value;
}

static void mark_read(struct expression *access, bool is_written, void *user)
{
	(void)user;
	if (!is_written)
		root(access->value)->is_used = true;
}

static void mark_written(struct expression *access, bool is_written, void *user)
{
	struct marks *marks = user;

	if (is_written)
		marks->is_needed |= root(access->value)->is_used || root(access->value)->is_output;
}

/* From the last to the first, as a nest is needed by later ones only. */
static void remove_unneeded(struct network *network)
{
	int count = 0;

	for (struct nest *nest = network->first_nest; nest; nest = nest->next)
		count++;
	struct nest **nests = ARENA_ARRAY(network->arena, struct nest *, count + 1);
	count = 0;
	for (struct nest *nest = network->first_nest; nest; nest = nest->next)
		nests[count++] = nest;
	network->first_nest = NULL;
	network->last_nest = NULL;
	for (int n = count - 1; n >= 0; n--) {
		struct marks marks = { nests[n], false };
		block_visit(&nests[n]->block, mark_written, &marks);
		if (!marks.is_needed)
			continue;
		block_visit(&nests[n]->block, mark_read, NULL);
		nests[n]->next = network->first_nest;
		network->first_nest = nests[n];
		if (!network->last_nest)
			network->last_nest = nests[n];
	}
}

/* ---- accesses ---- */

struct index place_expanded(const struct nest *nest, const struct index *index)
{
	struct index result = index_constant(index->constant);

	for (int t = 0; t < index->count; t++) {
		const struct loop *loop = &nest->loops[index->terms[t].loop];
		int64_t factor = index->terms[t].factor;
		if (!loop->split_count) {
			const struct index term = index_scaled(index_loop(index->terms[t].loop), factor);
			result = index_sum(result, term);
			continue;
		}
		for (int s = loop->split_count - 1; s >= 0; s--) {
			struct index part = index_scaled(index_loop(loop->split[s]), factor);
			part = place_expanded(nest, &part);
			result = index_sum(result, part);
			factor *= nest->loops[loop->split[s]].extent;
		}
	}
	return result;
}

/* Cuts LOOP into one over EXTENT / INNER and one over INNER. */
static void split_loop(struct nest *nest, int loop, int64_t inner)
{
	const char *name = nest->loops[loop].name;
	const int first = nest_loop(nest, name, nest->loops[loop].extent / inner);
	const int second = nest_loop(nest, arena_printf(nest->arena, "%s_in", name), inner);

	nest->loops[loop].split_count = 2;
	nest->loops[loop].split[0] = first;
	nest->loops[loop].split[1] = second;
}

/* The digits of LINEAR in mixed radix DIMS; loops are split where a boundary runs through them.  False
 * if that cannot be done. */
static bool take_digits(struct nest *nest, struct index linear, const int64_t *dims, int count, struct index *digits)
{
	int64_t stride = 1, constant;

again:
	linear = place_expanded(nest, &linear);
	for (int d = 0; d < count; d++)
		digits[d] = index_constant(0);
	constant = linear.constant;
	if (constant < 0)
		return false;
	stride = 1;
	for (int d = count - 1; d >= 0; d--) {
		int64_t most;
		const int64_t end = stride * dims[d];
		for (int t = 0; t < linear.count; t++) {
			const int64_t factor = linear.terms[t].factor, extent = nest->loops[linear.terms[t].loop].extent;
			if (factor < 0)
				return false;
			if (factor < stride || factor >= end)
				continue;
			if (factor % stride)
				return false;
			if (factor * extent > end) {
				if (end % factor || extent % (end / factor) || end / factor < 2)
					return false;
				split_loop(nest, linear.terms[t].loop, end / factor);
				goto again;
			}
			digits[d] = index_sum(digits[d], index_scaled(index_loop(linear.terms[t].loop), factor / stride));
		}
		digits[d].constant = constant / stride % dims[d];
		int64_t least;
		index_range(nest, &digits[d], &least, &most);
		if (most >= dims[d])
			return false;
		stride = end;
	}
	return true;
}

/* What to do about an access that does not come down to an array. */
struct obstacle {
	struct value *view;              /* the reshaped value */
	int first, last;                 /* dimensions of its base */
};

static bool through_reshape(struct nest *nest, struct value *view, const struct index *from, struct index *to,
	struct obstacle *obstacle)
{
	const struct value *base = view->base;
	int i = 0, j = 0;

	for (int d = 0; d < base->shape.rank; d++)
		to[d] = index_constant(0);
	while (j < base->shape.rank) {
		const int first = j, from_first = i;
		int64_t from_size = 1, to_size = base->shape.dims[j++];
		while (from_size != to_size)
			if (from_size < to_size)
				from_size *= view->shape.dims[i++];
			else
				to_size *= base->shape.dims[j++];
		struct index linear = index_constant(0);
		for (int n = from_first; n < i; n++)
			linear = index_sum(index_scaled(linear, view->shape.dims[n]), from[n]);
		bool is_joined = j - first > 1;
		for (int d = first; d < j - 1; d++)
			is_joined &= base->is_joined[d];
		if (is_joined || j - first == 1) {
			to[j - 1] = linear;
		} else if (!take_digits(nest, linear, base->shape.dims + first, j - first, to + first)) {
			*obstacle = (struct obstacle){ view, first, j - 1 };
			return false;
		}
	}
	return true;
}

static struct value *resolve(struct nest *nest, const struct expression *access, struct index *at,
	struct obstacle *obstacle)
{
	struct value *value = access->value;
	struct index next[RANK_LIMIT];

	memcpy(at, access->subscripts, sizeof(at[0]) * (size_t)value->shape.rank);
	for (; value->view != VIEW_NONE; value = value->base) {
		for (int b = 0; value->view == VIEW_AXES && b < value->base->shape.rank; b++)
			next[b] = value->axes[b].axis < 0 ? index_constant(value->axes[b].offset) :
				index_plus(index_scaled(at[value->axes[b].axis], value->axes[b].factor), value->axes[b].offset);
		if (value->view == VIEW_RESHAPE && !through_reshape(nest, value, at, next, obstacle))
			return NULL;
		memcpy(at, next, sizeof(at[0]) * (size_t)value->base->shape.rank);
	}
	for (int d = 0; d < value->shape.rank; d++)
		at[d] = place_expanded(nest, &at[d]);
	return value;
}

struct value *place_access(struct nest *nest, const struct expression *access, struct index *at)
{
	struct obstacle obstacle;

	return resolve(nest, access, at, &obstacle);
}

struct check {
	struct nest *nest;
	struct obstacle obstacle;
	bool is_blocked;
};

static void check_access(struct expression *access, bool is_written, void *user)
{
	struct check *check = user;
	struct index at[RANK_LIMIT];

	(void)is_written;
	if (!check->is_blocked && !resolve(check->nest, access, at, &check->obstacle))
		check->is_blocked = true;
}

static void remove_obstacle(struct network *network, struct nest *nest, const struct obstacle *obstacle)
{
	struct value *base = obstacle->view->base;

	if (base->view == VIEW_NONE) {
		for (int d = obstacle->first; d < obstacle->last; d++)
			base->is_joined[d] = true;
		return;
	}
	struct value *own = network_temporary(network, base->name, base->type, &base->shape);
	struct nest *copy = lower_nest(network, NULL, own);
	add_assign(copy, copy->tail, lower_element(network, copy, own), lower_element(network, copy, base));
	network_insert_before(network, nest, copy);
	obstacle->view->base = own;
}

static void place_accesses(struct network *network)
{
	struct nest *nest = network->first_nest;

	while (nest) {
		struct check check = { .nest = nest };
		block_visit(&nest->block, check_access, &check);
		if (!check.is_blocked) {
			nest = nest->next;
			continue;
		}
		remove_obstacle(network, nest, &check.obstacle);
		nest = network->first_nest;
	}
}

/* ---- constants in the shape of the loops that read them ---- */

/* The extents of the loops that an index counts through without a gap, outermost first; 0 if it is
 * not so. */
static int exact_loops(const struct nest *nest, struct index index, int64_t size, int64_t *extents)
{
	int count = 0;

	if (index.constant)
		return 0;
	while (index.count) {
		int most = 0;
		for (int t = 1; t < index.count; t++)
			if (index.terms[t].factor > index.terms[most].factor)
				most = t;
		const struct term term = index.terms[most];
		if (term.factor < 1 || term.factor * nest->loops[term.loop].extent != size)
			return 0;
		size = term.factor;
		extents[count++] = nest->loops[term.loop].extent;
		index.terms[most] = index.terms[--index.count];
	}
	return size == 1 ? count : 0;
}

static void shape_constant(struct expression *access, bool is_written, void *user)
{
	struct nest *nest = user;
	struct index at[RANK_LIMIT];
	struct value *value = access->value;
	int64_t extents[RANK_LIMIT + TERM_LIMIT];

	(void)is_written;
	if (!value->constant)
		return;
	place_access(nest, access, at);
	for (int d = 0; d < value->shape.rank; d++) {
		const int count = exact_loops(nest, at[d], value->shape.dims[d], extents);
		const bool is_first = value->split_count[d] == 0;
		if (count < 1 || count > 4 || (!is_first && (value->split_count[d] != count ||
			memcmp(value->splits[d], extents, sizeof(extents[0]) * (size_t)count)))) {
			value->split_count[d] = -1;
			continue;
		}
		value->split_count[d] = count;
		memcpy(value->splits[d], extents, sizeof(extents[0]) * (size_t)count);
	}
}

struct storage place_storage(const struct value *value)
{
	struct storage storage = { 0 };

	for (int d = 0; d < value->shape.rank; d++) {
		const int first = d;
		int64_t size = value->shape.dims[d];
		while (value->is_joined[d] && d + 1 < value->shape.rank)
			size *= value->shape.dims[++d];
		if (size == 1)
			continue;
		storage.dims[storage.rank] = size;
		storage.first[storage.rank] = first;
		storage.last[storage.rank++] = d;
	}
	return storage;
}

void place_network(struct network *network)
{
	for (int o = 0; o < network->output_count; o++)
		place_output(network, o);
	remove_unneeded(network);
	place_accesses(network);
	for (struct nest *nest = network->first_nest; nest; nest = nest->next)
		block_visit(&nest->block, shape_constant, nest);
}

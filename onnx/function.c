#include "onnx/function.h"

#include "onnx/place.h"

struct visit {
	struct nest *nest;
	int number;                      /* of the nest */
	int function;                    /* 0: of all functions */
	struct arena *arena;
	struct value **values;           /* the arrays, in the order of their first use */
	size_t count, capacity;
};

static void add_value(struct visit *v, struct value *value)
{
	v->values = arena_grow(v->arena, v->values, v->count, &v->capacity, sizeof(v->values[0]));
	v->values[v->count++] = value;
}

/* ---- where functions end ---- */

static void note_use(struct expression *access, bool is_written, void *user)
{
	struct visit *v = user;
	struct index at[RANK_LIMIT];
	struct value *owner = place_access(v->nest, access, at);

	if (!owner->is_in_nests) {
		owner->is_in_nests = true;
		owner->first_nest = v->number;
		owner->last_write = -1;
		add_value(v, owner);
	}
	owner->last_nest = v->number;
	if (is_written)
		owner->last_write = v->number;
}

/* Whether the network is narrow before nest N, for each from 0 to the number of nests; it is at both ends. */
static bool *narrow_places(struct arena *arena, const struct visit *all)
{
	int *change = ARENA_ARRAY(arena, int, all->number + 2), width = 0;
	bool *is_narrow = ARENA_ARRAY(arena, bool, all->number + 1);

	for (size_t i = 0; i < all->count; i++) {
		const struct value *value = all->values[i];
		if (value->constant)
			continue;
		change[value->first_nest + 1]++;
		change[value->last_nest + 1]--;
		if (value->last_write > value->first_nest) {
			change[value->first_nest + 1]++;
			change[value->last_write + 1]--;
		}
	}
	for (int n = 0; n <= all->number; n++) {
		width += change[n];
		is_narrow[n] = width <= 1 || n == 0 || n == all->number;
	}
	return is_narrow;
}

/* A function ends at a narrow place, but not between two links of a chain. */
static bool ends_before(const bool *is_narrow, int n)
{
	return is_narrow[n] && !(is_narrow[n - 1] && is_narrow[n + 1]);
}

/* ---- what a function takes ---- */

enum group { READ_INPUT, READ_ARRAY, READ_WEIGHT, WRITTEN_OUTPUT, WRITTEN_ARRAY, LOCAL, GROUP_COUNT };

/* In the function of nests BEGIN to END - 1. */
static enum group group_of(const struct value *value, int begin, int end)
{
	const bool is_written = value->last_write >= begin && value->last_write < end;

	if (value->constant)
		return READ_WEIGHT;
	if (value->is_input)
		return READ_INPUT;
	if (value->is_output)
		return is_written ? WRITTEN_OUTPUT : READ_ARRAY;
	if (value->first_nest >= begin && value->last_nest < end)
		return LOCAL;
	return is_written ? WRITTEN_ARRAY : READ_ARRAY;
}

static void collect(struct expression *access, bool is_written, void *user)
{
	struct visit *v = user;
	struct index at[RANK_LIMIT];
	struct value *owner = place_access(v->nest, access, at);

	(void)is_written;
	if (owner->function != v->function && !owner->is_input && !owner->is_output)
		add_value(v, owner);
	owner->function = v->function;
}

/* All arrays of the function: inputs and outputs in the network's order, the others in that of their use.
 * An input that nobody uses is the first function's. */
static struct visit collect_all(struct network *network, const struct function *function, int number)
{
	struct visit found = { .function = number, .arena = network->arena, .nest = function->first }, all = found;

	for (; found.nest != function->end; found.nest = found.nest->next)
		block_visit(&found.nest->block, collect, &found);
	for (int i = 0; i < network->input_count; i++)
		if (!network->inputs[i]->constant && (network->inputs[i]->function == number ||
		    (!network->inputs[i]->is_in_nests && number == 1)))
			add_value(&all, network->inputs[i]);
	for (size_t v = 0; v < found.count; v++)
		add_value(&all, found.values[v]);
	for (int o = 0; o < network->output_count; o++)
		if (network->outputs[o]->function == number)
			add_value(&all, network->outputs[o]);
	return all;
}

static void take_arrays(struct network *network, struct function *function, int number, int begin, int end)
{
	const struct visit all = collect_all(network, function, number);

	function->parameters = ARENA_ARRAY(network->arena, struct value *, all.count + 1);
	function->locals = ARENA_ARRAY(network->arena, struct value *, all.count + 1);
	for (enum group group = READ_INPUT; group < GROUP_COUNT; group++)
		for (size_t v = 0; v < all.count; v++) {
			struct value *value = all.values[v];
			if (group_of(value, begin, end) != group)
				continue;
			if (group == LOCAL) {
				function->locals[function->local_count++] = value;
				continue;
			}
			function->parameters[function->parameter_count++] = value;
			if (group < WRITTEN_OUTPUT)
				function->read_count = function->parameter_count;
			if (group == WRITTEN_ARRAY)
				value->between = number;
		}
}

/* ---- memory between functions ---- */

static int64_t bytes_of(const struct value *value)
{
	return (shape_count(&value->shape) * type_infos[value->type].bytes + 63) / 64 * 64;
}

static bool are_together(const struct value *a, const struct value *b)
{
	return a->between <= b->function && b->between <= a->function;
}

/* Each at the lowest offset where nothing else is as long as it is needed: from the function that makes it
 * to the last that reads it, which is the one that its mark is left at. */
static void place_between(struct network *network, const struct visit *all)
{
	for (size_t v = 0; v < all->count; v++) {
		struct value *value = all->values[v];
		bool is_moved = value->between > 0;

		value->offset = 0;
		while (is_moved) {
			is_moved = false;
			for (size_t o = 0; o < v; o++) {
				const struct value *other = all->values[o];
				if (other->between && are_together(value, other) && value->offset < other->offset +
				    bytes_of(other) && other->offset < value->offset + bytes_of(value)) {
					value->offset = other->offset + bytes_of(other);
					is_moved = true;
				}
			}
		}
		if (value->between && value->offset + bytes_of(value) > network->between_bytes)
			network->between_bytes = value->offset + bytes_of(value);
	}
}

/* ---- all ---- */

static void add_function(struct network *network, struct nest *first, struct nest *end, int begin, int count)
{
	struct function *function = &network->functions[network->function_count++];

	function->first = first;
	function->end = end;
	take_arrays(network, function, network->function_count, begin, begin + count);
}

void function_split(struct network *network, bool per_block)
{
	struct visit all = { .arena = network->arena, .nest = network->first_nest };
	int begin = 0;

	for (; all.nest; all.nest = all.nest->next, all.number++)
		block_visit(&all.nest->block, note_use, &all);
	const bool *is_narrow = narrow_places(network->arena, &all);
	network->functions = ARENA_ARRAY(network->arena, struct function, all.number + 1);
	struct nest *first = network->first_nest, *end = first;
	for (int n = 1; n <= all.number; n++) {
		end = end->next;
		if (n < all.number && !(per_block && ends_before(is_narrow, n)))
			continue;
		add_function(network, first, end, begin, n - begin);
		first = end;
		begin = n;
	}
	place_between(network, &all);
	for (int f = 0; f < network->function_count; f++)
		network->functions[f].name = network->function_count == 1 ? network->name :
			arena_printf(network->arena, "%s_%d", network->name, f + 1);
}

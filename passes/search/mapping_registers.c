/* Whether what a mapping holds may fit the registers of elements, where a part of it is chosen: docs/search.md has the arguments.
 * What an array needs depends on the shares of its own loops and on where it is held: it is found anew when these change. */

#include <math.h>
#include <string.h>

#include "passes/search/mapping_state.h"

/* What an element holds of LOOP, whose share is SHARE (NULL: none yet): a box of *ITERATIONS, and so many *BOXES.  *IS_KNOWN: else it
 * may be divided.  SHRINKS: smaller boxes may be less all together. */
static void held_iterations(const struct mapping_tree *tree, int loop, const struct share *share, const struct held *held, bool shrinks,
	double *iterations, double *boxes, bool *is_known)
{
	bool by_tiles = held->depth <= tree->outer->depth, has_space = share && share->space > 0;
	bool is_tile_inside = by_tiles && tree->tile_position[loop] >= held->depth && tree->tiles[loop] > 1;
	double whole = (double)(is_tile_inside ? tree->model->loops[loop].extent : tree->outer->tile[loop]);

	*boxes = 1;
	*is_known = has_space || held->is_open;
	if (held->is_open) {
		*iterations = share ? (double)share->part : 1;
	} else if (!has_space) {
		*iterations = whole;
	} else if (!by_tiles && (held->outside >> loop & 1)) {
		*iterations = (double)share->part;
	} else if (share->space == 1) {
		*iterations = whole;
	} else if (share->is_decided) {
		*iterations = (double)share->part;
		*boxes = is_tile_inside ? share->steps : (double)share->steps_of_tile;
	} else if (shrinks) {
		*iterations = 1;
	} else {
		*boxes = is_tile_inside ? tree->tiles[loop] : 1;
		*iterations = is_tile_inside ? share->of_all / *boxes : share->of_tile;
	}
}

/* Of no loop. */
static struct dim_sums no_loops(const struct model_dim *dim)
{
	return (struct dim_sums){ .known = (double)dim->window, .largest = 1, .boxes = 1 };
}

/* Adds LOOP, whose share is SHARE, to what loops make of dimension D of array A: SUMS.  True: it may be divided. */
static bool add_loop(const struct mapping_tree *tree, int a, int d, int loop, const struct share *share, struct dim_sums *sums)
{
	double iterations, boxes, coefficient = (double)tree->model->arrays[a].dims[d].coefficient[loop];
	bool is_known, is_counted = tree->counted[a][d] >> loop & 1;

	held_iterations(tree, loop, share, &tree->held[a], tree->shrinking[a] >> loop & 1, &iterations, &boxes, &is_known);
	if (is_known)
		sums->known += coefficient * (iterations - 1);
	if (is_known && is_counted)
		sums->boxes *= boxes;
	if (is_known || !is_counted)
		return false;
	sums->open += coefficient * (iterations - 1);
	sums->open_coefficients += coefficient;
	sums->largest = iterations > sums->largest ? iterations : sums->largest;
	return tree->rules->shareable >> loop & 1;
}

/* What SUMS make of DIM: the LEAST that an element holds, and the WHOLE that may be divided. */
static void sum_up(const struct model_dim *dim, const struct dim_sums *sums, double *least, double *whole)
{
	double known = sums->known, all = known;

	/* the parts of a box that is cut are no smaller than it all together, if windows leave no gaps; else no smaller
	 * than its iterations */
	if (sums->open > 0)
		all = known >= sums->open_coefficients ? known + sums->open : fmax(known, sums->largest);
	if (dim->clip_high > 0) {
		known = fmin(known, (double)(dim->clip_high - dim->clip_low));
		all = fmin(all, (double)(dim->clip_high - dim->clip_low));
	}
	*least = known * sums->boxes;
	*whole = all * sums->boxes;
}

/* LOOP may be shared: one more of NEED's side. */
static void add_side_loop(const struct mapping_tree *tree, int a, int d, int loop, struct need_dim *need)
{
	double iterations, boxes, coefficient = (double)tree->model->arrays[a].dims[d].coefficient[loop];
	bool is_known;

	need->loops |= 1u << loop;
	held_iterations(tree, loop, tree->chosen[loop], &tree->held[a], false, &iterations, &boxes, &is_known);
	if (need->side.count < BOX_LOOPS)
		need->side.loops[need->side.count] = (struct box_loop){ coefficient, (long)iterations };
	need->side.count++;
	need->side.base -= coefficient * (iterations - 1);
}

/* Elements of dimension D of array A in an element's registers. */
static void find_dim(const struct mapping_tree *tree, int a, int d, struct need_dim *need)
{
	const struct model_dim *dim = &tree->model->arrays[a].dims[d];
	struct dim_sums sums = no_loops(dim);

	need->loops = 0;
	need->side = (struct box_side){ .base = 0 };
	for (unsigned loops = tree->moving[a][d]; loops; loops &= loops - 1) {
		int l = __builtin_ctz(loops);

		if (add_loop(tree, a, d, l, tree->chosen[l], &sums))
			add_side_loop(tree, a, d, l, need);
	}
	sum_up(dim, &sums, &need->least, &need->whole);
	need->has_box = need->side.count == 0 || (need->side.count <= BOX_LOOPS && dim->clip_high == 0);
	need->has_side = need->has_box && need->side.count > 0;
	need->fixed = need->has_side ? sums.boxes : need->whole;
	need->side.base += sums.known + sums.open;
}

double mapping_word_bytes(const struct mapping_tree *tree, int a)
{
	const struct model_array *array = &tree->model->arrays[a];
	bool is_double = tree->machine->is_double && !tree->machine->shares_room && !array->is_written && !array->anchored &&
		tree->held[a].depth > 0;

	return is_double ? 2.0 * array->element_bytes : array->element_bytes;
}

/* NEED of array A is that of its dimensions. */
static void put_together(const struct mapping_tree *tree, int a, struct register_need *need)
{
	need->least = need->whole = need->bytes = mapping_word_bytes(tree, a);
	need->loops = 0;
	for (int d = 0; d < tree->model->arrays[a].rank; d++) {
		const struct need_dim *dim = &need->dims[d];

		need->least *= dim->least;
		need->whole *= dim->whole;
		need->loops |= dim->loops;
	}
}

/* The box of NEED, of an array of RANK; false: a loop does not move a dimension of its own, or none is shared. */
static bool make_box(const struct register_need *need, int rank, struct shared_box *box)
{
	box->fixed = need->bytes;
	box->count = 0;
	for (int d = 0; d < rank; d++) {
		const struct need_dim *dim = &need->dims[d];

		if (!dim->has_box)
			return false;
		box->fixed *= dim->fixed;
		if (dim->has_side)
			box->sides[box->count++] = dim->side;
	}
	return box->count > 0;
}

/* What array A needs. */
static const struct register_need *need_of(const struct mapping_tree *tree, int a)
{
	struct register_need *need = &tree->needs[a];
	const struct held *held = &tree->held[a];
	bool is_moved = !need->is_found || need->held.depth != held->depth || need->held.is_open != held->is_open ||
		(need->held.outside ^ held->outside) & tree->indexing[a];

	if (!is_moved && !need->changed)
		return need;
	for (int d = 0; d < tree->model->arrays[a].rank; d++)
		if (is_moved || tree->moving[a][d] & need->changed)
			find_dim(tree, a, d, &need->dims[d]);
	put_together(tree, a, need);
	need->is_found = true;
	need->held = *held;
	need->changed = 0;
	need->used[AXIS_X] = 0;
	return need;
}

void mapping_change_share(struct mapping_tree *tree, int loop, const struct share *share)
{
	tree->chosen[loop] = share;
	for (int a = 0; a < tree->model->array_count; a++)
		tree->needs[a].changed |= tree->indexing[a] & 1u << loop;
}

static double power(double base, int exponent)
{
	double power = 1;

	while (exponent-- > 0)
		power *= base;
	return power;
}

/* Whether COUNT needs may fit CAPACITY, if LEFT elements share what is whole of those in SET: the mean of what these are divided by
 * is no more than LEFT to the power of how many of them a loop divides. */
static bool set_fits(const struct register_need *const *needs, int count, unsigned set, double left, double capacity)
{
	double product = 1 - 1e-9;
	unsigned loops = 0;
	int size = 0, most = 0;

	for (int a = 0; a < count; a++) {
		if (!(set >> a & 1)) {
			capacity -= needs[a]->least;
			continue;
		}
		product *= needs[a]->whole;
		loops |= needs[a]->loops;
		size++;
	}
	for (; loops; loops &= loops - 1) {
		int l = __builtin_ctz(loops), divides = 0;

		for (int a = 0; a < count; a++)
			divides += (int)(set >> a & needs[a]->loops >> l & 1);
		most = divides > most ? divides : most;
	}
	return capacity > 0 && product <= power(capacity / size, size) * power(left, most);
}

static double least_bytes(const struct register_need *need, double left)
{
	return fmax(need->least, need->loops ? need->whole / left : need->whole);
}

/* The box that array A needs, if it is one, can be shared by the elements that are left, each of which has MOST bytes for it. */
static bool box_fits(const struct mapping_tree *tree, int a, double most)
{
	struct register_need *need = &tree->needs[a];
	struct shared_box box;
	bool fits;

	if (memcmp(need->used, tree->used, sizeof need->used) != 0) {
		memcpy(need->used, tree->used, sizeof need->used);
		need->too_few = -INFINITY;
		need->enough = INFINITY;
	}
	if (most <= need->too_few || most >= need->enough)
		return most >= need->enough;
	fits = !make_box(need, tree->model->arrays[a].rank, &box) || shared_box_fits(tree->problem->boxes, &box, tree->machine, tree->used, most);
	if (fits)
		need->enough = most;
	else
		need->too_few = most;
	return fits;
}

/* Those of COUNT ARRAYS may fit CAPACITY. */
static bool arrays_fit(const struct mapping_tree *tree, const int *arrays, int count, double left, double capacity)
{
	enum { SUBSETS_OF = 4 };
	const struct register_need *needs[MODEL_ARRAYS];
	double least = 0;
	bool fits = true;

	for (int i = 0; i < count; i++) {
		needs[i] = need_of(tree, arrays[i]);
		least += least_bytes(needs[i], left);
	}
	if (least > capacity * (1 + 1e-9))
		return false;
	for (unsigned set = 1; fits && set < 1u << count && count <= SUBSETS_OF; set++)
		if (set & (set - 1))
			fits = set_fits(needs, count, set, left, capacity);
	/* each by itself may have more than its part, as elements have whole iterations */
	for (int i = 0; i < count && fits; i++)
		fits = box_fits(tree, arrays[i], capacity - (least - least_bytes(needs[i], left)));
	return fits;
}

double mapping_room_left(const struct mapping_tree *tree, enum array_role role)
{
	double room = (double)pe_array_room(tree->machine, role), left = mapping_elements_left(tree);

	for (int a = 0; a < tree->model->array_count; a++)
		if (!tree->held[a].is_open && (!tree->machine->is_split || tree->model->arrays[a].role == role))
			room -= least_bytes(need_of(tree, a), left);
	return room;
}

/* ---- before a share is chosen ---- */

static struct array_rest rest_of_array(const struct mapping_tree *tree, int a, int loop)
{
	const struct model_array *array = &tree->model->arrays[a];
	const struct register_need *need = need_of(tree, a);
	struct array_rest rest = { .least = need->bytes, .whole = need->bytes, .dim = -1 };

	for (int d = 0; d < array->rank; d++) {
		if (!(tree->moving[a][d] >> loop & 1)) {
			rest.least *= need->dims[d].least;
			rest.whole *= need->dims[d].whole;
			rest.is_shared = rest.is_shared || need->dims[d].loops;
			continue;
		}
		/* a loop that moves two dimensions: what that comes to is seen when it is chosen */
		if (rest.dim >= 0)
			return (struct array_rest){ .dim = -1 };
		rest.dim = d;
		rest.sums = no_loops(&array->dims[d]);
		for (unsigned loops = tree->moving[a][d] & ~(1u << loop); loops; loops &= loops - 1) {
			int l = __builtin_ctz(loops);

			rest.is_shared = add_loop(tree, a, d, l, tree->chosen[l], &rest.sums) || rest.is_shared;
		}
	}
	return rest;
}

void mapping_rest(const struct mapping_tree *tree, int loop, struct loop_rest *rest)
{
	rest->loop = loop;
	rest->most = 1;
	for (int l = 0; l < tree->model->loop_count; l++)
		if (l != loop && !mapping_has_space(tree, l) && (tree->rules->shareable >> l & 1))
			rest->most *= (double)tree->outer->tile[l];
	for (int a = 0; a < tree->model->array_count; a++)
		rest->arrays[a] = rest_of_array(tree, a, loop);
}

/* Bytes that array A needs at least with SHARE, where LEFT elements may still share it. */
static double bytes_with(const struct mapping_tree *tree, int a, const struct loop_rest *rest, const struct share *share, double left)
{
	const struct array_rest *array = &rest->arrays[a];
	double least = 1, whole = 1;

	if (array->dim >= 0) {
		struct dim_sums sums = array->sums;

		add_loop(tree, a, array->dim, rest->loop, share, &sums);
		sum_up(&tree->model->arrays[a].dims[array->dim], &sums, &least, &whole);
	}
	least *= array->least;
	whole *= array->whole;
	if (array->is_shared)
		whole /= left;
	return least > whole ? least : whole;
}

bool mapping_share_may_fit(const struct mapping_tree *tree, const struct loop_rest *rest, const struct share *share, enum axis axis)
{
	const struct pe_array *machine = tree->machine;
	double bytes[ROLE_COUNT] = { 0 }, left;
	long used[3] = { tree->used[0], tree->used[1], tree->used[2] };

	if (!tree->is_space_first)
		used[axis] *= share->space;
	left = fmin(elements_beside(machine, used), rest->most);
	for (int a = 0; a < tree->model->array_count; a++) {
		enum array_role role = machine->is_split ? tree->model->arrays[a].role : 0;

		bytes[role] += bytes_with(tree, a, rest, share, left);
		if (bytes[role] > (double)pe_array_room(machine, role) * (1 + 1e-9))
			return false;
	}
	return true;
}

bool mapping_may_fit(const struct mapping_tree *tree, double left)
{
	const struct pe_array *machine = tree->machine;
	int pools = machine->is_split ? ROLE_COUNT : 1;

	for (int pool = 0; pool < pools; pool++) {
		int arrays[MODEL_ARRAYS], count = 0;

		for (int a = 0; a < tree->model->array_count; a++)
			if (!machine->is_split || (int)tree->model->arrays[a].role == pool)
				arrays[count++] = a;
		if (!arrays_fit(tree, arrays, count, left, (double)pe_array_room(machine, (enum array_role)pool)))
			return false;
	}
	return true;
}

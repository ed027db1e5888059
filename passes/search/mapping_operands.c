/* The steps of a tile, where it is known how many elements share each loop and what is held in tile loops: how many iterations of each loop a
 * step takes, and which loops are outside the registers of each other array, an *operand*.  Their order matters no more than that.  docs/search.md
 * has the arguments. */

#include "passes/search/mapping_state.h"

#include <math.h>

enum { OPERANDS = 4, OPERAND_RANK = 6, NODES_OF_POINT = 4 };

/* An array that is held in step loops, as far as these are chosen: those that are not are inside its registers for its words, and have one
 * iteration there. */
struct operand {
	int array;
	double word_bytes;
	unsigned gaining;                /* bit l: fewer steps of loop l, outside its registers, are fewer words */
	/* [loop] intervals, for boxes of each element and around those of all, FINAL where there will be no more; iterations in registers;
	 * iterations that all elements need words for in a visit, at most; those of the busiest element in the steps before visits */
	double each[MODEL_LOOPS], all[MODEL_LOOPS], iterations[MODEL_LOOPS], of_all[MODEL_LOOPS], before[MODEL_LOOPS];
	unsigned final;
	double often, together, visits;  /* see struct step_words; visits of the registers */
	/* [dimension]: sums of extents, and the extent in registers */
	double each_sum[OPERAND_RANK], all_sum[OPERAND_RANK], extent[OPERAND_RANK];
};

struct operand_search {
	struct mapping_tree *tree;
	int count;
	struct operand operands[MODEL_LOOPS + 1][OPERANDS];      /* where so many loops are chosen: those outside first */
	struct least_cost cost;
	double room[ROLE_COUNT], limit;
	/* as they were last found: what all words cost, what each operand reads, and all that elements do */
	double price, words[OPERANDS];
	struct array_work work;
	unsigned shrinking;                      /* bit l: smaller boxes along loop l may be fewer words of some operand */
	/* the path: each loop is inside the registers of the first so many operands, outside those of others, and shared so */
	int position[MODEL_LOOPS];
	const struct share *shares[MODEL_LOOPS];
	long nodes;
};

/* What dimension D of OPERAND is in registers. */
static double extent_of(const struct mapping_tree *tree, const struct operand *operand, int d)
{
	const struct model_dim *dim = &tree->model->arrays[operand->array].dims[d];
	double extent = (double)dim->window;

	for (unsigned moving = tree->moving[operand->array][d]; moving; moving &= moving - 1) {
		int l = __builtin_ctz(moving);

		extent += (double)dim->coefficient[l] * (operand->iterations[l] - 1);
	}
	return dim->clip_high > 0 ? fmin(extent, (double)(dim->clip_high - dim->clip_low)) : extent;
}

/* Finds that of all that LOOP moves. */
static void find_extents(const struct mapping_tree *tree, struct operand *operand, int loop)
{
	for (int d = 0; d < tree->model->arrays[operand->array].rank; d++)
		if (tree->moving[operand->array][d] >> loop & 1)
			operand->extent[d] = extent_of(tree, operand, d);
}

/* What they add up to. */
static void find_sums(const struct mapping_tree *tree, struct operand *operand, int loop)
{
	for (int d = 0; d < tree->model->arrays[operand->array].rank; d++) {
		if (!(tree->moving[operand->array][d] >> loop & 1))
			continue;
		operand->each_sum[d] = mapping_dim_sum(tree, operand->array, d, operand->each, operand->final);
		operand->all_sum[d] = mapping_dim_sum(tree, operand->array, d, operand->all, operand->final);
	}
}

static void begin_operand(const struct mapping_tree *tree, int a, struct operand *operand)
{
	*operand = (struct operand){ .array = a, .word_bytes = mapping_word_bytes(tree, a), .visits = 1, .often = 1,
		.together = mapping_sharers(tree, a) };
	for (int l = 0; l < tree->model->loop_count; l++) {
		const struct share *least = tree->chosen[l];
		bool is_fixed = tree->model->arrays[a].anchored >> l & 1;

		operand->gaining |= (unsigned)!windows_touch(&tree->model->arrays[a], l) << l;
		operand->iterations[l] = 1;
		operand->visits *= tree->tiles[l];
		operand->of_all[l] = (double)tree->outer->tile[l];
		operand->all[l] = is_fixed ? 1 : tree->tiles[l];
		operand->each[l] = !is_fixed && least->space > 1 ? least->parts : operand->all[l];
		if (!(tree->indexing[a] >> l & 1))
			operand->often *= operand->all[l];
	}
	for (int d = 0; d < tree->model->arrays[a].rank; d++) {
		operand->extent[d] = extent_of(tree, operand, d);
		operand->each_sum[d] = mapping_dim_sum(tree, a, d, operand->each, 0);
		operand->all_sum[d] = mapping_dim_sum(tree, a, d, operand->all, 0);
	}
}

/* Loop L is outside OPERAND's registers, shared as SHARE, which STANDS for others of larger regions or does not. */
static void put_outside(const struct mapping_tree *tree, struct operand *operand, int l, const struct share *share, bool stands)
{
	bool is_fixed = tree->model->arrays[operand->array].anchored >> l & 1;
	double all = is_fixed ? 1 : share->steps;

	if (!(tree->indexing[operand->array] >> l & 1))
		operand->often *= all / operand->all[l];
	operand->all[l] = all;
	operand->each[l] = !is_fixed && share->space > 1 ? share->parts : all;
	operand->iterations[l] = (double)share->part;
	operand->visits *= share->steps / tree->tiles[l];
	operand->before[l] = share->cycles;
	if (!stands)
		operand->of_all[l] = fmin(operand->of_all[l], longest_part(tree->outer->tile[l], share->part, share->space) * (double)share->space);
	if (tree->machine->multicast == AXES_ANY)
		operand->final |= 1u << l;
	find_extents(tree, operand, l);
}

/* Loop L, shared as SHARE, is inside: an element holds all its iterations of a tile. */
static void put_inside(const struct mapping_tree *tree, struct operand *operand, int l, const struct share *share)
{
	const struct share *least = tree->chosen[l];
	long tile = tree->outer->tile[l];

	operand->before[l] = last_parts(tree->model->loops[l].extent, tile, share->part, share->space);
	/* the boxes of several elements may leave gaps */
	if (least->space == 1 || !(tree->shrinking[operand->array] >> l & 1))
		operand->iterations[l] = least->space > 1 ? least->of_tile : (double)tile;
	find_extents(tree, operand, l);
}

/* Bytes of OPERAND in registers. */
static double bytes_of(const struct mapping_tree *tree, const struct operand *operand)
{
	double bytes = operand->word_bytes;

	for (int d = 0; d < tree->model->arrays[operand->array].rank; d++)
		bytes *= operand->extent[d];
	return bytes;
}

/* The part of registers that OPERAND shares with others. */
static int pool_of(const struct mapping_tree *tree, const struct operand *operand)
{
	return tree->machine->is_split ? (int)tree->model->arrays[operand->array].role : 0;
}

/* The registers have room for OPERANDS. */
static bool have_room(const struct operand_search *search, const struct operand *operands)
{
	const struct mapping_tree *tree = search->tree;
	double left[ROLE_COUNT];

	for (int role = 0; role < ROLE_COUNT; role++)
		left[role] = search->room[role];
	for (int i = 0; i < search->count; i++) {
		int role = pool_of(tree, &operands[i]);

		left[role] -= bytes_of(tree, &operands[i]);
		if (left[role] < -1e-9 * (double)tree->machine->registers_bytes)
			return false;
	}
	return true;
}

/* So many cycles of the busiest element, if steps of the first LOOPS loops are chosen, are not too many for the words that were found last. */
static bool are_soon_done(const struct operand_search *search, int loops)
{
	const struct mapping_tree *tree = search->tree;
	double cycles = 1;

	for (int l = 0; l < tree->model->loop_count; l++)
		cycles *= l < loops ? search->shares[l]->cycles : tree->chosen[l]->cycles;
	return mapping_work_may_do(tree, &search->cost, &search->work, search->price, cycles, 0);
}

/* The words of OPERANDS do not cost too much, nor take too long, where steps of the first LOOPS loops are chosen. */
static bool are_cheap(struct operand_search *search, const struct operand *operands, int loops)
{
	const struct mapping_tree *tree = search->tree;

	search->price = 0;
	search->work = search->cost.closed_work;
	for (int i = 0; i < search->count; i++) {
		const struct operand *operand = &operands[i];
		struct step_words step = { .each = 1, .all = 1, .often = operand->often, .together = operand->together };
		struct least_words words;

		for (int d = 0; d < tree->model->arrays[operand->array].rank; d++) {
			step.each *= operand->each_sum[d];
			step.all *= operand->all_sum[d];
		}
		words = mapping_step_words(tree, operand->array, &step);
		search->words[i] = words.read;
		search->price += mapping_words_price(tree, operand->array, &words);
		if (search->price > search->limit)
			return false;
		mapping_add_words(tree, operand->array, &words, &search->work);
	}
	return are_soon_done(search, loops);
}

/* How words come to registers of array A, which are in tile loops. */
static struct register_visits visits_in_tiles(const struct mapping_tree *tree, int a)
{
	struct register_visits visits = { .visits = 1 };

	for (int i = 0; i < tree->held[a].depth; i++)
		visits.visits *= tree->tiles[tree->outer->order[i]];
	/* what hidden words of such an array come to is not asked */
	visits.is_hidden = mapping_is_double(tree, a);
	return visits;
}

/* Words of operand NUMBER that all elements together have room for beside the others, each word once. */
static double room_of_all(const struct operand_search *search, int number)
{
	const struct mapping_tree *tree = search->tree;
	const struct operand *operands = search->operands[tree->model->loop_count];
	double left = search->room[pool_of(tree, &operands[number])], elements = 1;

	for (int i = 0; i < search->count; i++)
		if (i != number && pool_of(tree, &operands[i]) == pool_of(tree, &operands[number]))
			left -= bytes_of(tree, &operands[i]);
	for (int l = 0; l < tree->model->loop_count; l++)
		elements *= array_is_indexed(&tree->model->arrays[operands[number].array], l) ? (double)search->shares[l]->space : 1;
	return elements * floor(left / operands[number].word_bytes + 1e-9);
}

/* Whether what is sought may have all these steps, and wait for bursts of words. */
static bool may_do(const struct operand_search *search)
{
	const struct mapping_tree *tree = search->tree;
	struct register_visits visits[MODEL_ARRAYS];
	double cycles = 1;

	for (int l = 0; l < tree->model->loop_count; l++)
		cycles *= search->shares[l]->cycles;
	for (int a = 0; a < tree->model->array_count; a++)
		if (!tree->held[a].is_open)
			visits[a] = visits_in_tiles(tree, a);
	for (int i = 0; i < search->count; i++) {
		const struct operand *operand = &search->operands[tree->model->loop_count][i];
		const struct model_array *array = &tree->model->arrays[operand->array];
		double iterations = 1;

		for (int l = 0; l < tree->model->loop_count; l++)
			iterations *= operand->before[l];
		visits[operand->array] = (struct register_visits){ search->words[i], operand->visits,
			fmin(box_elements(array, operand->of_all), room_of_all(search, i)), iterations, mapping_is_double(tree, operand->array) };
	}
	return mapping_work_may_do(tree, &search->cost, &search->work, search->price, cycles,
		array_bursts(tree->machine, visits, tree->model->array_count, tree->problem->macs * tree->machine->mac_cycles));
}

/* The operands from FIRST on that are held in one place: loops are between others. */
static int last_held_with(const struct operand_search *search, int first)
{
	int last = first;

	for (bool is_between = false; last + 1 < search->count; last++) {
		for (int l = 0; l < search->tree->model->loop_count; l++)
			is_between = is_between || search->position[l] == last + 1;
		if (is_between)
			break;
	}
	return last;
}

/* Puts the loops outside the registers of operand FIRST, but inside those before, into the tree's order: last one that moves all that are held
 * there, up to operand LAST.  False: there is none. */
static bool order_loops(struct operand_search *search, int first, int last)
{
	struct mapping_tree *tree = search->tree;
	int moves_all = -1;

	for (int l = 0; l < tree->model->loop_count; l++) {
		bool moves = search->position[l] == first;

		for (int i = first; i <= last; i++)
			moves = moves && tree->indexing[search->operands[0][i].array] >> l & 1;
		moves_all = moves ? l : moves_all;
	}
	for (int l = 0; l < tree->model->loop_count; l++)
		if (search->position[l] == first && l != moves_all)
			tree->order[tree->depth++] = l;
	if (moves_all >= 0)
		tree->order[tree->depth++] = moves_all;
	return moves_all >= 0;
}

/* Puts all step loops and operands where they are; false: they cannot be there, or are seen there in another order. */
static bool place_operands(struct operand_search *search)
{
	struct mapping_tree *tree = search->tree;

	tree->depth = 0;
	for (int first = 0, last; first < search->count; first = last + 1) {
		last = last_held_with(search, first);
		if (!order_loops(search, first, last))
			return false;
		for (int i = first; i <= last; i++) {
			if (i > first && search->operands[0][i].array < search->operands[0][i - 1].array)
				return false;
			tree->held[search->operands[0][i].array].depth = tree->outer->depth + tree->depth;
		}
	}
	return true;
}

/* All is chosen: takes it if it is better. */
static void take_steps(struct operand_search *search)
{
	struct mapping_tree *tree = search->tree;
	const struct share *chosen[MODEL_LOOPS];
	double below = tree->below;

	if (place_operands(search)) {
		for (int l = 0; l < tree->model->loop_count; l++) {
			chosen[l] = tree->chosen[l];
			tree->chosen[l] = search->shares[l];
		}
		mapping_take(tree);
		for (int l = 0; l < tree->model->loop_count; l++)
			tree->chosen[l] = chosen[l];
	}
	tree->depth = 0;
	for (int i = 0; i < search->count; i++)
		tree->held[search->operands[0][i].array].depth = tree->outer->depth + 1;
	if (tree->below < below)
		search->limit = mapping_price_left(tree, &search->cost) * (1 + 1e-9);
}

static void choose_steps(struct operand_search *search, int l);

/* Fewer steps of loop L are fewer words of some operand from POSITION on. */
static bool gains_from(const struct operand_search *search, int l, int position)
{
	bool gains = false;

	for (int i = position; i < search->count; i++)
		gains = gains || search->operands[0][i].gaining >> l & 1;
	return gains;
}

/* Loop L, shared as SHARE, is inside the registers of the first POSITION operands, and outside those of others.  False: its words alone cost too much. */
static bool choose_position(struct operand_search *search, int l, int position, const struct share *share)
{
	struct mapping_tree *tree = search->tree;
	struct operand *operands = search->operands[l + 1];
	bool stands = !gains_from(search, l, position);

	if (tree->is_over)
		return false;
	search->position[l] = position;
	search->shares[l] = share;
	for (int i = 0; i < search->count; i++) {
		operands[i] = search->operands[l][i];
		if (i < position)
			put_inside(tree, &operands[i], l, share);
		else
			put_outside(tree, &operands[i], l, share, stands);
	}
	if (!have_room(search, operands))
		return true;
	for (int i = 0; i < search->count; i++)
		find_sums(tree, &operands[i], l);
	if (!are_cheap(search, operands, l))
		return false;
	if (share->cycles <= tree->chosen[l]->cycles || are_soon_done(search, l + 1))
		choose_steps(search, l + 1);
	return true;
}

/* Loop L is inside all registers: more than one step there means fewer iterations at best. */
static void choose_inside(struct operand_search *search, int l)
{
	const struct loop_shares *shares = search->tree->shares[l];

	for (int i = 0; i < shares->count; i++)
		if (shares->items[i].is_inner)
			choose_position(search, l, search->count, &shares->items[i]);
}

/* Loop L is outside the registers of operands from POSITION on.  If they need no fewer words with fewer steps there, those that hold least are
 * as good as any. */
static void choose_outside(struct operand_search *search, int l, int position)
{
	const struct loop_shares *shares = search->tree->shares[l];
	bool gains = gains_from(search, l, position), may_shrink = search->shrinking >> l & 1;
	double dear_parts = INFINITY;
	int least = -1;

	for (int i = shares->single_count; i < shares->count; i++)
		/* more steps in more boxes are no fewer words, if windows leave no gaps */
		if (gains && shares->items[i].parts < dear_parts) {
			if (!choose_position(search, l, position, &shares->items[i]) && !may_shrink)
				dear_parts = shares->items[i].parts;
		} else if (!gains && (least < 0 || shares->items[i].part < shares->items[least].part)) {
			least = i;
		}
	if (least >= 0)
		choose_position(search, l, position, &shares->items[least]);
}

/* Where loop L and those after it are, in which steps. */
static void choose_steps(struct operand_search *search, int l)
{
	struct mapping_tree *tree = search->tree;

	if (++search->nodes % NODES_OF_POINT == 0)
		tree->is_over = tree->is_over || ++tree->points > tree->limit;
	if (l == tree->model->loop_count) {
		if (may_do(search))
			take_steps(search);
		return;
	}
	for (int position = 0; position < search->count && !tree->is_over; position++)
		/* what it does not move is better held outside it; what is in nobody's way is inside all or none */
		if (tree->indexing[search->operands[0][position].array] >> l & 1 && (position == 0 || gains_from(search, l, 0)))
			choose_outside(search, l, position);
	choose_inside(search, l);
}

/* Every order of the operands from FIRST on. */
static void try_orders(struct operand_search *search, int first)
{
	struct operand *operands = search->operands[0];

	if (first == search->count && have_room(search, operands) && are_cheap(search, operands, 0))
		choose_steps(search, 0);
	for (int i = first; i < search->count; i++) {
		struct operand operand = operands[first];

		operands[first] = operands[i];
		operands[i] = operand;
		try_orders(search, first + 1);
		operands[i] = operands[first];
		operands[first] = operand;
	}
}

bool mapping_choose_steps(struct mapping_tree *tree)
{
	struct operand_search search;

	search.tree = tree;
	search.cost = mapping_least_cost(tree);
	search.limit = mapping_price_left(tree, &search.cost) * (1 + 1e-9);
	search.count = 0;
	search.nodes = 0;
	search.shrinking = 0;
	for (int role = 0; role < ROLE_COUNT; role++)
		search.room[role] = mapping_room_left(tree, (enum array_role)role);
	for (int a = 0; a < tree->model->array_count; a++) {
		if (!tree->held[a].is_open)
			continue;
		if (search.count == OPERANDS || tree->model->arrays[a].rank > OPERAND_RANK)
			return false;
		search.shrinking |= tree->shrinking[a];
		begin_operand(tree, a, &search.operands[0][search.count++]);
	}
	try_orders(&search, 0);
	return true;
}

/* Words that come to registers, and leave them: the loops around each move, and where it is from and to. */

#include "passes/lower/elements_state.h"

#include "ir/plan_copy.h"
#include "passes/tiles/expressions.h"

static bool is_anchored(const struct elements *elements, int a, int dim)
{
	return elements->outer->model->arrays[a].anchored >> dim & 1;
}

static bool is_apart(const struct elements *elements, int dim)
{
	return elements->mapping->space[dim] > 1 && !is_joined(elements, dim);
}

/* ---- words that move ---- */

/* Loops that are being made around words: what their variables stand for. */
struct site {
	struct elements *elements;
	int a;
	struct plan_node *block;
	struct plan_binding bindings[3 * NEST_LOOPS];
	int count;
};

static struct plan_expr *at_site(const struct site *site, struct plan_expr *expr)
{
	return expr && site->count ? plan_expr_at(ARENA(site->elements), expr, &site->bindings[site->count - 1]) : expr;
}

static void bind(struct site *site, const struct plan_var *var, struct plan_expr *value)
{
	site->bindings[site->count] = (struct plan_binding){ site->count ? &site->bindings[site->count - 1] : NULL, var,
		value };
	site->count++;
}

/* From here on SITE is inside a loop over COUNT values of what is VAR elsewhere. */
static void enter_loop(struct site *site, const struct plan_var *var, struct plan_expr *count)
{
	struct elements *elements = site->elements;
	struct plan_var *here = new_var(elements->outer, arena_printf(ARENA(elements), "%s_moved", var->name), 0, var->max);
	struct plan_node *loop = plan_loop(ARENA(elements), LOOP_POINT, here, constant(elements, 0),
		make(elements, PLAN_SUB, at_site(site, count), constant(elements, 1)), 1);
	plan_append(ARENA(elements), site->block, loop);
	bind(site, var, plan_ref(ARENA(elements), here));
	site->block = loop->body;
}

static void enter_if(struct site *site, struct plan_expr *condition)
{
	long value;
	condition = at_site(site, condition);
	if (!condition || (plan_is_const(condition, &value) && value))
		return;
	struct plan_node *guard = plan_if(ARENA(site->elements), condition);
	plan_append(ARENA(site->elements), site->block, guard);
	site->block = guard->body;
}

/* Loops over the elements along DIM, which indexes the array, and the steps whose words they hold one by one. */
static void enter_shares(struct site *site, int dim)
{
	struct elements *elements = site->elements;
	const struct tile_loop *tile = tile_loop_of_dim(elements, dim), *step = step_loop_of_dim(elements, dim);
	struct plan_expr *first, *count;
	if (is_tile_inside(elements, site->a, dim))
		enter_loop(site, tile->tile_var, tile->trips);
	if (step && is_step_inside(elements, site->a, dim))
		enter_loop(site, step->tile_var, step->trips);
	enter_loop(site, elements->element[dim], constant(elements, elements->mapping->space[dim]));
	/* an element without iterations has no words, whatever its window */
	element_iterations(elements, dim, &first, &count);
	enter_if(site, make(elements, PLAN_LE, constant(elements, 1), count));
}

/* The elements along DIM, which does not index the array, that have work in a whole step of the tile, or of a whole
 * tile. */
static struct plan_expr *sharers(const struct elements *elements, int a, int dim)
{
	long part = elements->mapping->part[dim], space = elements->mapping->space[dim];
	if (is_anchored(elements, a, dim))
		return constant(elements, 1);
	if (elements->mapping->holds[a].depth <= elements->outer->depth)
		return constant(elements, space);
	return make(elements, PLAN_MIN, constant(elements, space), element_parts(elements, elements->steps.extent[dim], part));
}

/* Loops over the elements of some dimensions, as SITE's array sees them. */
static void enter_elements(struct site *site, bool (*is_wanted)(const struct elements *elements, int dim))
{
	for (int dim = 0; dim < site->elements->outer->band->count; dim++) {
		if (!site->elements->element[dim] || !is_wanted(site->elements, dim))
			continue;
		if (is_indexed(site->elements, site->a, dim))
			enter_shares(site, dim);
		else
			enter_loop(site, site->elements->element[dim], sharers(site->elements, site->a, dim));
	}
}

static bool is_any(const struct elements *elements, int dim)
{
	(void)elements, (void)dim;
	return true;
}

/* Of elements with the same words the first is meant. */
static void take_first(struct site *site)
{
	for (int dim = 0; dim < site->elements->outer->band->count; dim++)
		if (site->elements->element[dim] && !is_indexed(site->elements, site->a, dim))
			bind(site, site->elements->element[dim], constant(site->elements, 0));
}

/* Loops over WORDS; their places go to AT. */
static void enter_words(struct site *site, const struct words *words, struct plan_expr **at)
{
	struct elements *elements = site->elements;
	const struct array *array = elements->outer->groups->items[site->a].array;
	for (int d = 0; d < array->rank; d++) {
		struct plan_expr *first = at_site(site, words->first[d]), *count = at_site(site, words->count[d]);
		struct plan_expr *last = make(elements, PLAN_SUB, make(elements, PLAN_ADD, first, count),
			constant(elements, 1));
		long min, max, ignored;
		plan_range(first, &min, &ignored);
		plan_range(last, &ignored, &max);
		struct plan_var *var = new_var(elements->outer, arena_printf(ARENA(elements), "%s_%d_word", array->name, d),
			min, max < min ? min : max);
		struct plan_node *loop = plan_loop(ARENA(elements), LOOP_POINT, var, first, last, 1);
		plan_append(ARENA(elements), site->block, loop);
		site->block = loop->body;
		at[d] = plan_ref(ARENA(elements), var);
	}
}

/* Where BUFFER has the word AT, for the elements of SITE. */
static void place_word(const struct site *site, const struct plan_buffer *buffer, struct plan_expr *const *at,
	struct plan_expr **place, struct plan_expr **slot)
{
	const struct elements *elements = site->elements;
	for (int d = 0; d < buffer->rank; d++) {
		const struct plan_dim *dim = &buffer->dims[d];
		place[d] = buffer->home == ON_NETWORK ? constant(elements, 0)
			: dim->modulus ? make(elements, PLAN_MOD, at[d], constant(elements, dim->modulus))
			: make(elements, PLAN_SUB, at[d], at_site(site, dim->origin));
	}
	if (buffer->slots > 1)
		*slot = at_site(site, buffer->slot);
}

/* The word AT goes from FROM (NULL: it is 0), as FROM_SITE sees it, to TO. */
static void append_move(struct site *site, const struct site *from_site, struct plan_buffer *from,
	struct plan_buffer *to, struct plan_expr *const *at, bool adds)
{
	struct plan_node *node = plan_move(ARENA(site->elements));
	node->move->from = from;
	node->move->to = to;
	node->move->adds = adds;
	place_word(site, to, at, node->move->to_at, &node->move->to_slot);
	if (from)
		place_word(from_site, from, at, node->move->from_at, &node->move->from_slot);
	plan_append(ARENA(site->elements), site->block, node);
}

/* ---- what comes ---- */

/* The word AT is one of the present element's. */
static struct plan_expr *is_own(const struct site *site, struct plan_expr *const *at)
{
	struct elements *elements = site->elements;
	struct words own = element_words(elements, site->a, OF_ELEMENT);
	struct plan_expr *condition = NULL;
	for (int d = 0; d < elements->outer->groups->items[site->a].array->rank; d++) {
		bool is_shared = false;
		for (int dim = 0; dim < elements->outer->band->count; dim++)
			is_shared |= is_joined(elements, dim)
				&& elements->outer->model->arrays[site->a].dims[d].coefficient[dim];
		if (!is_shared)
			continue;
		struct plan_expr *offset = make(elements, PLAN_SUB, at[d], own.first[d]);
		condition = both_hold(elements->outer, condition, make(elements, PLAN_AND,
			make(elements, PLAN_LE, constant(elements, 0), offset),
			make(elements, PLAN_LE, make(elements, PLAN_ADD, offset, constant(elements, 1)), own.count[d])));
	}
	return condition;
}

/* WORDS of an array that is only read, in as many reads as elements need that no one read serves. */
static void append_reads(struct elements *elements, int a, struct words words, int slide,
	const struct fresh *fresh, struct plan_node *block)
{
	struct site site = { .elements = elements, .a = a, .block = block };
	struct plan_expr *at[ARRAY_RANK_LIMIT];
	if (fresh) {
		words.first[slide] = fresh->first;
		words.count[slide] = fresh->count;
	}
	enter_elements(&site, is_apart);
	enter_words(&site, &words, at);
	if (!elements->network[a]) {
		append_move(&site, &site, elements->outer->buffers[a], elements->registers[a], at, false);
		return;
	}
	append_move(&site, &site, elements->outer->buffers[a], elements->network[a], at, false);
	enter_elements(&site, is_joined);
	enter_if(&site, is_own(&site, at));
	append_move(&site, &site, elements->network[a], elements->registers[a], at, false);
}

static struct plan_node *guarded(struct elements *elements, struct plan_node *block, struct plan_expr *condition)
{
	struct site site = { .elements = elements, .block = block };
	enter_if(&site, condition);
	return site.block;
}

/* The whole window where it starts, and what is new where it goes on. */
static void append_inputs(struct elements *elements, int a, struct plan_node *block)
{
	const struct visit *visit = &elements->visits[a];
	struct words words = element_words(elements, a, OF_READ);
	block = guarded(elements, block, visit->begins);
	if (visit->slide < 0) {
		append_reads(elements, a, words, -1, NULL, block);
		return;
	}
	append_reads(elements, a, words, -1, NULL, guarded(elements, block,
		make(elements, PLAN_NOT, visit->goes_on, NULL)));
	for (int i = 0; i < visit->fresh_count; i++)
		append_reads(elements, a, words, visit->slide, &visit->fresh[i],
			guarded(elements, block, both_hold(elements->outer, visit->goes_on, visit->fresh[i].when)));
}

/* The elements that share outputs, but the first of them. */
static struct plan_expr *is_other(const struct elements *elements, int a)
{
	struct plan_expr *sum = NULL;
	for (int dim = 0; dim < elements->outer->band->count; dim++)
		if (elements->element[dim] && !is_indexed(elements, a, dim)) {
			struct plan_expr *index = plan_ref(ARENA(elements), elements->element[dim]);
			sum = sum ? make(elements, PLAN_ADD, sum, index) : index;
		}
	return sum ? make(elements, PLAN_LE, constant(elements, 1), sum) : NULL;
}

/* What elements have of an output that others of them have too is 0 at first. */
static void append_clears(struct elements *elements, int a, struct plan_node *block)
{
	struct words words = element_words(elements, a, OF_ELEMENT);
	struct site site = { .elements = elements, .a = a, .block = guarded(elements, block, elements->visits[a].begins) };
	struct plan_expr *at[ARRAY_RANK_LIMIT], *other = is_other(elements, a);
	if (!other)
		return;
	enter_elements(&site, is_any);
	enter_if(&site, other);
	enter_words(&site, &words, at);
	append_move(&site, &site, NULL, elements->registers[a], at, false);
}

/* Sums so far come, or, where their memory adds up what leaves, sums begin anew. */
static void append_outputs_in(struct elements *elements, int a, struct plan_node *block)
{
	const struct visit *visit = &elements->visits[a];
	bool adds = elements->mapping->holds[a].adds;
	struct words words = element_words(elements, a, OF_ELEMENT);
	struct site site = { .elements = elements, .a = a };
	struct plan_expr *at[ARRAY_RANK_LIMIT];
	append_clears(elements, a, block);
	if (!visit->is_fetched)
		return;
	site.block = guarded(elements, block, visit->fetches);
	take_first(&site);
	for (int dim = 0; dim < elements->outer->band->count; dim++)
		if (elements->element[dim] && is_indexed(elements, a, dim))
			enter_shares(&site, dim);
	enter_words(&site, &words, at);
	append_move(&site, &site, adds ? NULL : elements->outer->buffers[a], elements->registers[a], at, false);
}

/* ---- what leaves ---- */

/* The others' parts of sums go to the first of the elements that share them. */
static void append_sums(struct elements *elements, int a, struct plan_node *block)
{
	struct words words = element_words(elements, a, OF_ELEMENT);
	struct site site = { .elements = elements, .a = a, .block = guarded(elements, block, elements->visits[a].ends) };
	struct plan_expr *at[ARRAY_RANK_LIMIT], *other = is_other(elements, a);
	if (!other)
		return;
	/* the loops over elements with outputs of their own are around both */
	for (int dim = 0; dim < elements->outer->band->count; dim++)
		if (elements->element[dim] && is_indexed(elements, a, dim))
			enter_shares(&site, dim);
	struct site first = site;
	first.bindings[0].outer = NULL;
	for (int i = 1; i < first.count; i++)
		first.bindings[i].outer = &first.bindings[i - 1];
	take_first(&first);
	for (int dim = 0; dim < elements->outer->band->count; dim++)
		if (elements->element[dim] && !is_indexed(elements, a, dim))
			enter_loop(&site, elements->element[dim], sharers(elements, a, dim));
	enter_if(&site, other);
	enter_words(&site, &words, at);
	first.block = site.block;
	append_move(&first, &site, elements->registers[a], elements->registers[a], at, true);
}

/* What the first of the elements have of outputs goes where it is, or is ADDED to what is there. */
static void append_puts(struct elements *elements, int a, bool is_added, struct plan_node *block)
{
	struct words words = element_words(elements, a, OF_ELEMENT);
	struct site site = { .elements = elements, .a = a, .block = block };
	struct plan_expr *at[ARRAY_RANK_LIMIT];
	take_first(&site);
	for (int dim = 0; dim < elements->outer->band->count; dim++)
		if (elements->element[dim] && is_indexed(elements, a, dim))
			enter_shares(&site, dim);
	enter_words(&site, &words, at);
	append_move(&site, &site, elements->registers[a], elements->outer->buffers[a], at, is_added);
}

static void append_outputs_out(struct elements *elements, int a, struct plan_node *block)
{
	const struct visit *visit = &elements->visits[a];
	bool adds = elements->mapping->holds[a].adds && visit->is_fetched;
	append_sums(elements, a, block);
	if (!visit->is_put)
		return;
	block = guarded(elements, block, visit->puts);
	if (adds)
		append_puts(elements, a, true, guarded(elements, block, visit->fetches));
	if (!adds || visit->fetches)
		append_puts(elements, a, false, !adds ? block : guarded(elements, block,
			make(elements, PLAN_NOT, visit->fetches, NULL)));
}

void fill_elements(struct elements *elements, int depth, struct plan_node *block)
{
	for (int a = 0; a < elements->outer->groups->count; a++) {
		const struct model_array *array = &elements->outer->model->arrays[a];
		if (elements->mapping->holds[a].depth != depth)
			continue;
		if (array->is_written)
			append_outputs_in(elements, a, block);
		else if (array->is_read)
			append_inputs(elements, a, block);
	}
}

void drain_elements(struct elements *elements, int depth, struct plan_node *block)
{
	for (int a = 0; a < elements->outer->groups->count; a++)
		if (elements->mapping->holds[a].depth == depth && elements->outer->model->arrays[a].is_written)
			append_outputs_out(elements, a, block);
}

#include "passes/regions/region_memo.h"

#include <string.h>

#include <isl/aff.h>

#include "ir/isl_work.h"
#include "ir/plan_copy.h"
#include "ir/plan_names.h"
#include "passes/analysis/nest_memo.h"

#define ARENA(lowering) ((lowering)->compilation->arena)

/* A tile loop, as far as regions depend on it; its variables, in what is kept. */
struct known_loop {
	const struct hyperplane *planes;
	long size, count;
	bool is_backward;
	const struct plan_var *var, *tile_var;
};

/* A name that was taken while a region was found. */
struct known_name {
	const char *name, *base;
};

/* What is moved when, where the region is moved in this way. */
struct known_transfers {
	struct known_transfers *next;
	const struct region_memo *user;  /* the last lowering that has asked for it */
	unsigned long operations;    /* of isl's, that it took */
	bool moves_boxes, must_cut, slides;
	size_t access_count;         /* of other groups that read in the buffer */
	const struct access **accesses;
	bool done;
	struct general_region region;    /* without box and footprint */
	struct known_loop *loops;    /* [depth]: with the variables in it */
	size_t name_count;
	struct known_name *names;
};

struct known_region {
	struct known_region *next;
	const struct region_memo *user;  /* the last lowering that has asked for it */
	unsigned long operations, ends_operations;   /* of isl's, that it took; and where the box
	                              * begins and ends */
	int depth, store;
	bool has_siblings;
	bool done;                   /* what follows was found */
	struct known_loop *loops;    /* [depth] */
	size_t access_count;
	const struct access **accesses;
	bool is_touched;
	struct footprint footprint;  /* the arena's, as is the box */
	struct box box;
	long extent[ARRAY_RANK_LIMIT];
	struct known_transfers *transfers;
};

/* Of all lowerings of a nest. */
struct region_store {
	struct known_region *regions;
};

struct region_memo {
	struct region_store *store;
};

void region_memo_begin(struct compilation *compilation, const struct nest *nest)
{
	if (nest->findings->regions)
		return;
	const struct nest_query query = { .question = NEST_REGIONS };
	struct region_memo *memo = ARENA_NEW(compilation->arena, struct region_memo);
	bool is_own = nest_memo_is_own(compilation, nest);
	struct region_store *const *known = is_own ? nest_answer(nest, query) : NULL;
	memo->store = known ? *known : ARENA_NEW(compilation->arena, struct region_store);
	if (!known && is_own)
		nest_keep_answer(nest, query, &memo->store, sizeof memo->store,
			isl_operations(compilation->ctx));
	nest->findings->regions = memo;
}

/* What was found for USER, in so many OPERATIONS of isl's, serves the lowering of MEMO.  What
 * another one did not find this one may. */
static bool serves(struct lowering *lowering, const struct region_memo *memo, bool done,
	unsigned long operations, const struct region_memo **user)
{
	if (*user != memo && (!done || !isl_work_repeat(lowering->compilation->ctx, operations)))
		return false;
	*user = memo;
	return true;
}

/* The memo of what LOWERING asks; NULL: regions depend on more than their loops and accesses. */
static struct region_memo *memo_of(const struct lowering *lowering)
{
	const struct function *function = lowering->nest->function;
	return lowering->stage_count || function->context || function->symbolic_count ? NULL
		: lowering->nest->findings->regions;
}

static const struct hyperplane *planes_of(const struct lowering *lowering, int l)
{
	return lowering->band->dims[lowering->loops[l].dim].planes;
}

static struct known_loop *loops_of(const struct lowering *lowering)
{
	struct known_loop *loops = ARENA_ARRAY(ARENA(lowering), struct known_loop,
		lowering->depth + 1);
	for (int l = 0; l < lowering->depth; l++) {
		const struct tile_loop *loop = &lowering->loops[l];
		loops[l] = (struct known_loop){ planes_of(lowering, l), loop->size, loop->count,
			loop->is_backward, loop->var, loop->tile_var };
	}
	return loops;
}

static bool has_loops(const struct lowering *lowering, const struct known_loop *loops)
{
	for (int l = 0; l < lowering->depth; l++) {
		const struct tile_loop *loop = &lowering->loops[l];
		if (loops[l].planes != planes_of(lowering, l) || loops[l].size != loop->size
			|| loops[l].count != loop->count || loops[l].is_backward != (loop->is_backward != NULL))
			return false;
	}
	return true;
}

/* ---- which accesses a region depends on ---- */

static bool has_accesses(const struct reference_group *array, size_t count,
	const struct access *const *accesses)
{
	if ((size_t)array->access_count != count)
		return false;
	for (int i = 0; i < array->access_count; i++)
		if (array->accesses[i].access != accesses[i])
			return false;
	return true;
}

static const struct access **accesses_of(const struct lowering *lowering,
	const struct reference_group *array)
{
	const struct access **accesses = ARENA_ARRAY(ARENA(lowering), const struct access *,
		array->access_count + 1);
	for (int i = 0; i < array->access_count; i++)
		accesses[i] = array->accesses[i].access;
	return accesses;
}

/* Those of groups that borrow from array A, one group after the other, a NULL after each. */
static const struct access **borrowing_accesses(const struct lowering *lowering, int a,
	size_t *count)
{
	const struct reference_groups *groups = lowering->groups;
	const struct access **accesses = NULL;
	size_t capacity = 0;
	*count = 0;
	for (int b = 0; b < groups->count; b++)
		for (int i = 0; i <= groups->items[b].access_count && lowering->lender[b] == a; i++) {
			accesses = arena_grow(ARENA(lowering), accesses, *count, &capacity, sizeof *accesses);
			accesses[(*count)++] = i < groups->items[b].access_count
				? groups->items[b].accesses[i].access : NULL;
		}
	return accesses;
}

static struct known_region *find_region(const struct lowering *lowering, int a)
{
	struct region_memo *memo = memo_of(lowering);
	const struct reference_group *array = &lowering->groups->items[a];
	struct known_region *known = memo ? memo->store->regions : NULL;
	while (known && (known->depth != lowering->depth || known->store != lowering->holdings[a].store
		|| known->has_siblings != array->has_siblings
		|| !has_accesses(array, known->access_count, known->accesses)
		|| !has_loops(lowering, known->loops)))
		known = known->next;
	return known;
}

/* ---- boxes ---- */

bool region_memo_take_box(struct lowering *lowering, int a, struct general_region *region,
	bool *done)
{
	struct known_region *known = find_region(lowering, a);
	if (!known || !serves(lowering, memo_of(lowering), known->done, known->operations, &known->user))
		return false;
	*done = known->done;
	region->is_touched = known->is_touched;
	region->footprint = (struct footprint){ isl_set_copy(known->footprint.lows),
		isl_set_copy(known->footprint.highs), isl_set_copy(known->footprint.visits) };
	memcpy(region->extent, known->extent, sizeof known->extent);
	region->box.rank = known->box.rank;
	for (int d = 0; d < known->box.rank; d++) {
		region->box.low[d] = isl_pw_aff_copy(known->box.low[d]);
		region->box.high[d] = isl_pw_aff_copy(known->box.high[d]);
	}
	return true;
}

static void release_box(void *box) { box_free(box); }
static void release_footprint(void *footprint) { footprint_end(footprint); }

void region_memo_keep_box(struct lowering *lowering, int a, const struct general_region *region,
	bool done, unsigned long begun)
{
	struct region_memo *memo = memo_of(lowering);
	const struct reference_group *array = &lowering->groups->items[a];
	if (!memo)
		return;
	struct known_region *known = ARENA_NEW(ARENA(lowering), struct known_region);
	*known = (struct known_region){ .next = memo->store->regions, .user = memo,
		.operations = isl_operations(lowering->compilation->ctx) - begun, .done = done, .depth = lowering->depth,
		.store = lowering->holdings[a].store, .has_siblings = array->has_siblings,
		.loops = loops_of(lowering), .access_count = (size_t)array->access_count,
		.accesses = accesses_of(lowering, array), .is_touched = region->is_touched,
		.footprint = { isl_set_copy(region->footprint.lows), isl_set_copy(region->footprint.highs),
		isl_set_copy(region->footprint.visits) }, .box = { .rank = region->box.rank } };
	memcpy(known->extent, region->extent, sizeof known->extent);
	for (int d = 0; d < known->box.rank; d++) {
		known->box.low[d] = isl_pw_aff_copy(region->box.low[d]);
		known->box.high[d] = isl_pw_aff_copy(region->box.high[d]);
	}
	arena_own(ARENA(lowering), &known->box, release_box);
	arena_own(ARENA(lowering), &known->footprint, release_footprint);
	memo->store->regions = known;
}

/* ---- transfers ---- */

static struct known_transfers *find_transfers(const struct lowering *lowering, int a,
	const struct known_region *known)
{
	size_t count;
	const struct access **accesses = borrowing_accesses(lowering, a, &count);
	struct known_transfers *found = known->transfers;
	while (found && (found->moves_boxes != lowering->schedule->moves_boxes
		|| found->must_cut != lowering->must_cut[a] || found->slides != lowering->holdings[a].slides
		|| found->access_count != count
		|| (count && memcmp(found->accesses, accesses, count * sizeof *accesses))))
		found = found->next;
	return found;
}

/* Copies of kept transfers, in another plan. */
struct renaming {
	struct lowering *lowering;
	const struct known_transfers *known;     /* NULL: names stay as they are */
	const char **names;          /* [known.name_count]: the new ones */
};

static struct plan_var *renamed(void *user, const struct plan_var *var)
{
	const struct renaming *renaming = user;
	struct plan_var *copy = ARENA_NEW(ARENA(renaming->lowering), struct plan_var);
	*copy = *var;
	for (size_t i = 0; renaming->known && i < renaming->known->name_count; i++)
		if (!strcmp(renaming->known->names[i].name, var->name))
			copy->name = renaming->names[i];
	return copy;
}

/* The rows below NODE are transfers of array A's buffer, which has its origins. */
static void aim(const struct lowering *lowering, int a, struct plan_node *node)
{
	if (node->kind == PLAN_TRANSFER) {
		struct plan_transfer *transfer = &node->transfer;
		transfer->buffer = lowering->buffers[a];
		transfer->tag = transfer->is_put ? put_tag(a) : get_tag(a);
		transfer->slot = NULL;
		for (int d = 0; d < transfer->buffer->rank; d++)
			transfer->local[d] = plan_make(ARENA(lowering), PLAN_SUB, transfer->first[d],
				transfer->buffer->dims[d].origin);
	}
	if (node->body)
		aim(lowering, a, node->body);
	for (int i = 0; i < node->child_count; i++)
		aim(lowering, a, node->children[i]);
}

static struct plan_node *copy_rows(struct renaming *renaming, int a, const struct plan_node *rows,
	const struct plan_binding *bindings)
{
	if (!rows)
		return NULL;
	struct plan_node *copy = plan_block(ARENA(renaming->lowering));
	plan_append_at(ARENA(renaming->lowering), copy, rows, bindings, renamed, renaming);
	aim(renaming->lowering, a, copy);
	return copy;
}

/* In the place of the variables in what is known stand those of LOWERING's loops. */
static const struct plan_binding *bind_loops(const struct lowering *lowering,
	const struct known_loop *loops)
{
	const struct plan_binding *bindings = NULL;
	struct plan_binding *all = ARENA_ARRAY(ARENA(lowering), struct plan_binding,
		2 * lowering->depth + 1);
	for (int l = 0; l < lowering->depth; l++) {
		const struct tile_loop *loop = &lowering->loops[l];
		all[2 * l] = (struct plan_binding){ bindings, loops[l].var,
			plan_ref(ARENA(lowering), loop->var) };
		all[2 * l + 1] = (struct plan_binding){ &all[2 * l], loops[l].tile_var,
			plan_ref(ARENA(lowering), loop->tile_var) };
		bindings = &all[2 * l + 1];
	}
	return bindings;
}

static struct plan_expr *bound(const struct lowering *lowering, struct plan_expr *expr,
	const struct plan_binding *bindings)
{
	return expr ? plan_expr_at(ARENA(lowering), expr, bindings) : NULL;
}

static void copy_transfers(struct lowering *lowering, int a, const struct known_transfers *known,
	struct renaming *renaming, struct general_region *region)
{
	const struct plan_binding *bindings = bind_loops(lowering, known->loops);
	struct general_region copy = known->region;
	copy.box = region->box;
	copy.footprint = region->footprint;
	for (int d = 0; d < copy.box.rank; d++) {
		copy.visit.first[d] = region->visit.first[d];
		copy.visit.count[d] = region->visit.count[d];
		copy.run_first[d] = bound(lowering, copy.run_first[d], bindings);
		copy.run_count[d] = bound(lowering, copy.run_count[d], bindings);
	}
	copy.visit.fetches = bound(lowering, copy.visit.fetches, bindings);
	copy.visit.puts = bound(lowering, copy.visit.puts, bindings);
	copy.visited = bound(lowering, copy.visited, bindings);
	copy.continues = bound(lowering, copy.continues, bindings);
	copy.end_before = bound(lowering, copy.end_before, bindings);
	copy.visit.put_rows = copy_rows(renaming, a, copy.visit.put_rows, bindings);
	copy.visit.get_rows = copy_rows(renaming, a, copy.visit.get_rows, bindings);
	*region = copy;
}

bool region_memo_take_ends(struct lowering *lowering, int a, struct general_region *region)
{
	const struct known_region *known = find_region(lowering, a);
	const struct region_memo *user = known && known->transfers ? known->transfers->user : NULL;
	for (const struct known_transfers *t = known ? known->transfers : NULL; t; t = t->next)
		user = t->user == memo_of(lowering) ? t->user : user;
	if (!known || !known->transfers || !serves(lowering, memo_of(lowering), true,
		known->ends_operations, &user))
		return false;
	const struct plan_binding *bindings = bind_loops(lowering, known->transfers->loops);
	for (int d = 0; d < region->box.rank; d++) {
		region->visit.first[d] = bound(lowering, known->transfers->region.visit.first[d], bindings);
		region->visit.count[d] = bound(lowering, known->transfers->region.visit.count[d], bindings);
	}
	return true;
}

bool region_memo_take_transfers(struct lowering *lowering, int a, struct general_region *region,
	bool *done)
{
	const struct known_region *known_region = find_region(lowering, a);
	struct known_transfers *known = known_region
		? find_transfers(lowering, a, known_region) : NULL;
	if (!known || !serves(lowering, memo_of(lowering), known->done, known->operations, &known->user))
		return false;
	struct renaming renaming = { lowering, known, ARENA_ARRAY(ARENA(lowering), const char *,
		known->name_count + 1) };
	for (size_t i = 0; i < known->name_count; i++)
		renaming.names[i] = unique_name(lowering, known->names[i].base);
	*done = known->done;
	if (known->done)
		copy_transfers(lowering, a, known, &renaming, region);
	return true;
}

/* The names of the plan that were taken since BEFORE, the first one first. */
static void keep_names(const struct lowering *lowering, const struct plan_name *before,
	struct known_transfers *known)
{
	for (const struct plan_name *n = *lowering->names; n != before; n = n->next)
		known->name_count++;
	known->names = ARENA_ARRAY(ARENA(lowering), struct known_name, known->name_count + 1);
	size_t i = known->name_count;
	for (const struct plan_name *n = *lowering->names; n != before; n = n->next)
		known->names[--i] = (struct known_name){ n->name, n->base };
}

void region_memo_keep_transfers(struct lowering *lowering, int a,
	const struct general_region *region, bool done, const struct plan_name *names,
	const unsigned long begun[2])
{
	struct known_region *known_region = find_region(lowering, a);
	if (!known_region)
		return;
	struct known_transfers *known = ARENA_NEW(ARENA(lowering), struct known_transfers);
	struct renaming as_is = { .lowering = lowering };
	known_region->ends_operations = begun[1] - begun[0];
	*known = (struct known_transfers){ .next = known_region->transfers, .user = memo_of(lowering),
		.operations = isl_operations(lowering->compilation->ctx) - begun[1],
		.moves_boxes = lowering->schedule->moves_boxes, .must_cut = lowering->must_cut[a],
		.slides = lowering->holdings[a].slides, .done = done, .region = *region,
		.loops = loops_of(lowering) };
	known->accesses = borrowing_accesses(lowering, a, &known->access_count);
	keep_names(lowering, names, known);
	known->region.box = (struct box){ .rank = 0 };
	known->region.footprint = (struct footprint){ NULL, NULL, NULL };
	/* What becomes part of the plan is changed there. */
	known->region.visit.put_rows = copy_rows(&as_is, a, region->visit.put_rows, NULL);
	known->region.visit.get_rows = copy_rows(&as_is, a, region->visit.get_rows, NULL);
	known_region->transfers = known;
}

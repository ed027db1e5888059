/* Loop distribution.  The pieces of a body are what may run as a whole, for all iterations of the loops around, before the
 * next: loops, and statements between them (nest_separate).  Pieces keep their order, so all that is to be decided is
 * with which loop a statement goes. */

#include "passes/analysis/distribute.h"

#include <string.h>

#include <isl/union_map.h>

#include "ir/isl_work.h"
#include "ir/order.h"
#include "ir/program_build.h"
#include "passes/analysis/expand.h"
#include "passes/analysis/legality.h"
#include "passes/analysis/nest_memo.h"

enum { PIECES = 64 };

struct pieces {
	struct compilation *compilation;
	const struct nest *nest;     /* with its scalars expanded, and dependences */
	int shared;                  /* loops around all pieces */
	int count;
	int *of;                     /* [statement of the nest] */
	bool has_loops[PIECES];      /* some statement is in loops of its own */
	bool leads[PIECES][PIECES];  /* [p][q]: q depends on p, or on what does */
	int home[PIECES];            /* the piece with loops that it goes with */
};

/* ---- which pieces there are ---- */

bool nest_may_distribute(const struct nest *nest)
{
	int shared = nest_shared_loops(nest), place = -1;
	for (int s = 0; s < nest->statement_count && shared; s++) {
		const struct statement *statement = nest->statements[s];
		if (statement->depth == shared)
			continue;
		if (place >= 0 && place_in_body(statement, shared) != place)
			return true;
		place = place_in_body(statement, shared);
	}
	return false;
}

/* False: they are too many. */
static bool find_pieces(struct pieces *pieces)
{
	const struct nest *nest = pieces->nest;
	bool *is_apart = ARENA_ARRAY(pieces->compilation->arena, bool, nest->statement_count + 1);
	for (int s = 1; s < nest->statement_count; s++)
		is_apart[s] = place_in_body(nest->statements[s], pieces->shared)
			!= place_in_body(nest->statements[s - 1], pieces->shared);
	nest_separate(nest, 0, is_apart);
	for (int s = 0; s < nest->statement_count; s++) {
		if ((!s || is_apart[s]) && pieces->count++ == PIECES)
			return false;
		pieces->of[s] = pieces->count - 1;
		pieces->has_loops[pieces->count - 1] |= nest->statements[s]->depth > pieces->shared;
	}
	return true;
}

static isl_stat add_pair(__isl_take isl_map *pairs, void *user)
{
	struct pieces *pieces = user;
	int from = nest_statement_named(pieces->nest, isl_map_get_tuple_name(pairs, isl_dim_in));
	int to = nest_statement_named(pieces->nest, isl_map_get_tuple_name(pairs, isl_dim_out));
	pieces->leads[pieces->of[from]][pieces->of[to]] = true;
	isl_map_free(pairs);
	return isl_stat_ok;
}

/* False: they are not known. */
static bool find_leads(struct pieces *pieces)
{
	bool known = isl_union_map_foreach_map(pieces->nest->dependences, add_pair, pieces) == isl_stat_ok
		&& isl_union_map_foreach_map(pieces->nest->private_values, add_pair, pieces) == isl_stat_ok;
	for (int via = 0; via < pieces->count; via++)
		for (int p = 0; p < via; p++)
			for (int q = via + 1; q < pieces->count; q++)
				pieces->leads[p][q] |= pieces->leads[p][via] && pieces->leads[via][q];
	return known;
}

/* ---- with which loop a statement goes ---- */

/* The last piece with loops that P depends on; -1. */
static int last_before(const struct pieces *pieces, int p)
{
	for (int q = p - 1; q >= 0; q--)
		if (pieces->has_loops[q] && pieces->leads[q][p])
			return q;
	return -1;
}

/* Where what depends on P is at the earliest, but for what goes where P does; or the next piece with loops, or the last. */
static int first_after(const struct pieces *pieces, int p)
{
	int next = -1, last = -1, first = -1;
	for (int q = 0; q < pieces->count; q++) {
		if (pieces->has_loops[q]) {
			last = q;
			next = next < 0 && q > p ? q : next;
		}
		bool has_home = pieces->has_loops[q] || last_before(pieces, q) >= 0;
		if (q > p && pieces->leads[p][q] && has_home && (first < 0 || pieces->home[q] < first))
			first = pieces->home[q];
	}
	return first >= 0 ? first : next >= 0 ? next : last;
}

/* Returns how many pieces have loops. */
static int find_homes(struct pieces *pieces)
{
	int count = 0;
	for (int p = 0; p < pieces->count; p++) {
		pieces->home[p] = pieces->has_loops[p] ? p : last_before(pieces, p);
		count += pieces->has_loops[p];
	}
	for (int p = 0; p < pieces->count && count; p++)
		if (pieces->home[p] < 0)
			pieces->home[p] = first_after(pieces, p);
	return count;
}

/* ---- the new function ---- */

struct copying {
	struct arena *arena;
	const struct pieces *pieces;
	const struct function *from;
	struct function *to;
	struct loop **loops;         /* [loop of from]: its copy, the last one; NULL: there is none yet */
	int added;                   /* places that what is behind has moved by */
};

static struct loop *copy_loop(struct copying *copying, const struct loop *loop)
{
	struct loop **copy = &copying->loops[loop->index];
	if (*copy)
		return *copy;
	struct loop *parent = loop->parent ? copy_loop(copying, loop->parent) : NULL;
	*copy = ARENA_NEW(copying->arena, struct loop);
	**copy = *loop;
	(*copy)->parent = parent;
	if (!parent)
		(*copy)->position += copying->added;
	(*copy)->index = copying->to->loop_count;
	copying->to->loops[copying->to->loop_count++] = *copy;
	return *copy;
}

static void copy_statement(struct copying *copying, const struct statement *statement)
{
	struct statement *copy = statement_copy(copying->arena, statement);
	for (int l = 0; l < copy->depth; l++)
		copy->loops[l] = copy_loop(copying, statement->loops[l]);
	if (!copy->depth)
		copy->position += copying->added;
	copy->index = copying->to->statement_count;
	copying->to->statements[copying->to->statement_count++] = copy;
}

/* The nest's statements, piece with loops by piece with loops, each in loops of its own. */
static void copy_pieces(struct copying *copying)
{
	const struct pieces *pieces = copying->pieces;
	const struct nest *nest = pieces->nest;
	for (int home = 0, done = 0; home < pieces->count; home++) {
		if (!pieces->has_loops[home])
			continue;
		copying->added += done++ > 0;
		for (int l = 0; l < pieces->shared; l++)
			copying->loops[nest->statements[0]->loops[l]->index] = NULL;
		for (int s = 0; s < nest->statement_count; s++)
			if (pieces->home[pieces->of[s]] == home)
				copy_statement(copying, nest->statements[s]);
	}
}

static bool uses(const struct statement *statement, const struct array *array)
{
	for (int a = 0; a < statement->access_count; a++)
		if (statement->accesses[a].array == array)
			return true;
	return false;
}

/* The copy of ARRAY's loop that all its uses are in; NULL: there is none, and it is of the function. */
static struct loop *scope_of(const struct copying *copying, const struct array *array)
{
	struct loop *scope = NULL;
	for (int s = 0; s < copying->to->statement_count; s++) {
		const struct statement *statement = copying->to->statements[s];
		if (!uses(statement, array))
			continue;
		struct loop *own = statement->depth > array->scope->depth ? statement->loops[array->scope->depth] : NULL;
		if (!own || (scope && own != scope))
			return NULL;
		scope = own;
	}
	return scope;
}

/* Arrays that are declared in loops are so in the copies of these. */
static void copy_arrays(struct copying *copying)
{
	struct function *to = copying->to;
	to->arrays = ARENA_ARRAY(copying->arena, struct array *, to->array_count + 1);
	for (int i = 0; i < to->array_count; i++) {
		struct array *array = copying->from->arrays[i];
		to->arrays[i] = array;
		if (!array->scope)
			continue;
		to->arrays[i] = ARENA_NEW(copying->arena, struct array);
		*to->arrays[i] = *array;
		to->arrays[i]->scope = scope_of(copying, array);
		for (int s = 0; s < to->statement_count; s++)
			for (int a = 0; a < to->statements[s]->access_count; a++)
				if (to->statements[s]->accesses[a].array == array)
					to->statements[s]->accesses[a].array = to->arrays[i];
	}
}

static void copy_pragmas(struct copying *copying)
{
	struct function *to = copying->to;
	to->pragmas = ARENA_ARRAY(copying->arena, struct pragma, to->pragma_count + 1);
	to->pragma_count = 0;
	for (int i = 0; i < copying->from->pragma_count; i++) {
		struct pragma pragma = copying->from->pragmas[i];
		if (pragma.loop)
			pragma.loop = copying->loops[pragma.loop->index];
		if (pragma.loop || !copying->from->pragmas[i].loop)
			to->pragmas[to->pragma_count++] = pragma;
	}
}

static bool is_in(const struct nest *nest, const struct statement *statement)
{
	int s = statement->index - nest->statements[0]->index;
	return s >= 0 && s < nest->statement_count;
}

static const struct function *copy_function(const struct pieces *pieces, const char *name)
{
	const struct nest *nest = pieces->nest;
	const struct function *from = nest->function;
	struct arena *arena = pieces->compilation->arena;
	struct function *to = ARENA_NEW(arena, struct function);
	struct copying copying = { .arena = arena, .pieces = pieces, .from = from, .to = to,
		.loops = ARENA_ARRAY(arena, struct loop *, from->loop_count + 1) };
	*to = *from;
	to->loop_count = to->statement_count = 0;
	to->loops = ARENA_ARRAY(arena, struct loop *, from->loop_count + pieces->count * pieces->shared + 1);
	to->statements = ARENA_ARRAY(arena, struct statement *, from->statement_count + 1);
	for (int s = 0; s < from->statement_count; s++)
		if (!is_in(nest, from->statements[s]))
			copy_statement(&copying, from->statements[s]);
		else if (from->statements[s] == nest->statements[0])
			copy_pieces(&copying);
	copy_arrays(&copying);
	copy_pragmas(&copying);
	to->distributed = from->distributed ? arena_printf(arena, "%s %s", from->distributed, name) : name;
	return to;
}

static const struct function *distribute(struct compilation *compilation, const struct nest *nest)
{
	const struct nest *expanded = nest_expand_scalars(compilation, nest_with_dependences(compilation, nest));
	struct pieces *pieces = ARENA_NEW(compilation->arena, struct pieces);
	pieces->compilation = compilation;
	pieces->nest = nest_with_dependences(compilation, expanded ? expanded : nest);
	pieces->shared = nest_shared_loops(pieces->nest);
	pieces->of = ARENA_ARRAY(compilation->arena, int, pieces->nest->statement_count + 1);
	if (!find_pieces(pieces) || !find_leads(pieces) || find_homes(pieces) < 2)
		return NULL;
	return copy_function(pieces, arena_strdup(compilation->arena, nest->name));
}

const struct function *nest_distribute(struct compilation *compilation, const struct nest *nest)
{
	const struct nest_query query = { .question = NEST_DISTRIBUTED };
	if (!nest_may_distribute(nest) || nest->function->unbound)
		return NULL;
	const struct function *const *known = nest_answer(nest, query);
	if (known)
		return *known;
	struct compilation lasting = nest_lasting(compilation, nest);
	unsigned long begun = isl_operations(compilation->ctx);
	const struct function *found = distribute(&lasting, nest);
	if (found && nest->memo)
		nest_memos_admit(compilation->known.nests, found);
	nest_keep_answer(nest, query, &found, sizeof found, begun);
	return found;
}

/* The statements of one tile: isl's AST generation gives tight loops over them in the
 * source's order, and this turns its tree into the plan's. */

#include <stdlib.h>
#include <string.h>

#include <isl/ast.h>
#include <isl/id.h>
#include <isl/union_map.h>

#include "ir/ast_memo.h"
#include "ir/coalesce.h"
#include "ir/program_build.h"
#include "passes/lower/points.h"
#include "passes/regions/footprint.h"
#include "passes/tiles/instances.h"
#include "passes/tiles/loops.h"

/* "S2@5" are the instances of S2 whose accesses 0 and 2 are made in the buffer that their
 * groups borrow from. */
static const char *variant_name(struct arena *arena, const struct statement *statement,
	unsigned long borrowed)
{
	return borrowed ? arena_printf(arena, "%s@%lx", statement->name, borrowed) : statement->name;
}

/* The statement of a name, which it ends at "@"; fills in which accesses borrow. */
static int variant_named(const struct nest *nest, char *name, unsigned long *borrowed)
{
	size_t length = strcspn(name, "@");
	*borrowed = name[length] ? strtoul(name + length + 1, NULL, 16) : 0;
	name[length] = 0;
	return nest_statement_named(nest, name);
}

/* The one of GROUPS that ACCESS belongs to; -1: it is to a scalar. */
static int entry_of(const struct reference_groups *groups, const struct access *access)
{
	for (int a = 0; a < groups->count; a++) {
		const struct reference_group *array = &groups->items[a];
		for (int i = 0; i < array->access_count && array->array == access->array; i++)
			if (array->accesses[i].access == access)
				return a;
	}
	return -1;
}

static struct plan_buffer *buffer_of(const struct lowering *lowering, const struct access *access,
	bool is_borrowed)
{
	int a = entry_of(lowering->groups, access);
	return a < 0 ? NULL : lowering->buffers[is_borrowed ? lowering->lender[a] : a];
}

/* Adds to *ORDER the instances SET of a statement, those of them apart whose accesses from A
 * on are made in another group's buffer. */
static void add_variants(const struct lowering *lowering, const struct statement *statement,
	__isl_take isl_set *set, int a, unsigned long borrowed, isl_union_map **order)
{
	for (; a < statement->access_count && isl_set_is_empty(set) != isl_bool_true; a++) {
		int entry = entry_of(lowering->groups, &statement->accesses[a]);
		if (entry < 0 || lowering->lender[entry] < 0)
			continue;
		isl_set *held = borrowing(lowering, entry, &statement->accesses[a], isl_set_copy(set));
		set = set_coalesce(isl_set_subtract(set, isl_set_copy(held)));
		add_variants(lowering, statement, set_coalesce(held), a + 1, borrowed | 1UL << a, order);
	}
	if (isl_set_is_empty(set) == isl_bool_true && borrowed) {
		isl_set_free(set);
		return;
	}
	isl_map *map = isl_map_intersect_domain(statement_order(statement, lowering->nest->loop_depth),
		set);
	map = isl_map_set_tuple_name(map, isl_dim_in,
		variant_name(lowering->compilation->arena, statement, borrowed));
	isl_union_map *part = isl_union_map_from_map(map);
	*order = *order ? isl_union_map_union(*order, part) : part;
}

static void compute_node(struct translation *translation, __isl_keep isl_ast_node *node,
	void *user, struct plan_node *block)
{
	struct lowering *lowering = translation->lowering;
	struct arena *arena = lowering->compilation->arena;
	isl_ast_expr *call = isl_ast_node_user_get_expr(node);
	isl_ast_expr *callee = isl_ast_expr_get_op_arg(call, 0);
	unsigned long borrowed;
	int s = variant_named(lowering->nest, isl_name(callee, arena), &borrowed);
	(void)user;
	isl_ast_expr_free(callee);
	if (s < 0) {
		translation->failed = true;
		isl_ast_expr_free(call);
		return;
	}
	const struct statement *statement = lowering->nest->statements[s];
	struct plan_node *compute = plan_compute(arena, statement);
	for (int i = 0; i < statement->depth; i++)
		compute->values[i] = translate_operand(translation, call, i + 1);
	for (int a = 0; a < statement->access_count; a++)
		compute->buffers[a] = buffer_of(lowering, &statement->accesses[a],
			a < BORROWERS_LIMIT && borrowed >> a & 1);
	isl_ast_expr_free(call);
	plan_append(arena, block, compute);
}

static bool is_size(const struct function *function, const char *name)
{
	for (int k = 0; k < function->symbolic_count; k++)
		if (!strcmp(function->symbolic[k]->name, name))
			return true;
	return false;
}

/* The loops of the deepest statement give the point loops their names. */
static __isl_give isl_id_list *point_names(const struct lowering *lowering, int first, int end)
{
	const struct nest *nest = lowering->nest;
	isl_ctx *ctx = lowering->compilation->ctx;
	const struct statement *deepest = nest->statements[first];
	for (int s = first + 1; s < end; s++)
		if (nest->statements[s]->depth > deepest->depth)
			deepest = nest->statements[s];
	isl_id_list *names = isl_id_list_alloc(ctx, 2 * nest->loop_depth + 1);
	for (int j = 0; j <= 2 * nest->loop_depth; j++) {
		char name[128];
		if (j % 2 == 0)
			snprintf(name, sizeof name, "part%d", j / 2);
		else if (j / 2 >= deepest->depth)
			snprintf(name, sizeof name, "none%d", j / 2);
		else
			snprintf(name, sizeof name, "%.100s%s%s", deepest->loops[j / 2]->name,
				deepest->loops[j / 2]->step < 0 ? "_down" : "",
				is_size(nest->function, deepest->loops[j / 2]->name) ? "_point" : "");
		names = isl_id_list_add(names, isl_id_alloc(ctx, name, NULL));
	}
	return names;
}

/* The statements from FIRST up to END. */
static bool lower_run(struct lowering *lowering, int first, int end, struct plan_node *block)
{
	const struct nest *nest = lowering->nest;
	isl_union_map *order = NULL;
	for (int s = first; s < end; s++)
		add_variants(lowering, nest->statements[s],
			tile_instances(lowering, s, lowering->depth, IN_TILE), 0, 0, &order);
	isl_ast_node *node = ast_of_order_once(lowering->compilation->known.loops, tile_context(lowering),
		point_names(lowering, first, end), order);
	return translate_tree(lowering, node, LOOP_POINT, compute_node, NULL, block);
}

/* What different top-level loops of a group do is done one after the other, so that each
 * is isl's alone: its work grows faster than the number of statements. */
bool lower_statements(struct lowering *lowering, int from, int to, struct plan_node *block)
{
	const struct nest *nest = lowering->nest;
	bool done = true;
	for (int first = from, end; first < to && done; first = end) {
		for (end = first + 1; end < to; end++) {
			const struct statement *last = nest->statements[end - 1], *next = nest->statements[end];
			if (last->depth && (!next->depth || next->loops[0] != last->loops[0]))
				break;
			if (!last->depth && next->depth)
				break;
		}
		done = lower_run(lowering, first, end, block);
	}
	return done;
}

bool lower_points(struct lowering *lowering, struct plan_node *block)
{
	return lower_statements(lowering, 0, lowering->nest->statement_count, block);
}

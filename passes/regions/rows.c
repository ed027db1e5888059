/* Sets of elements that are no boxes, such as the triangle that a tile on the diagonal of a
 * triangular matrix needs: where a visit's set is a box it moves as one, elsewhere it is
 * cut along its first dimensions into rows that are. */

#include <stdio.h>

#include <isl/id.h>
#include <isl/space.h>

#include "ir/coalesce.h"
#include "passes/regions/box.h"
#include "passes/regions/rows.h"
#include "passes/analysis/values.h"
#include "passes/tiles/loops.h"

/* A set whose first DEPTH dimensions are parameters x0, x1, ...: what is left of it is a
 * box for each value of those. */
struct rows {
	int a, depth, rank;
	bool is_put;
	isl_set *params;             /* where a row is not empty */
	struct box box;
};

static __isl_give isl_set *with_parameters(__isl_take isl_set *set, int depth)
{
	isl_ctx *ctx = isl_set_get_ctx(set);
	unsigned first = (unsigned)isl_set_dim(set, isl_dim_param);
	set = isl_set_move_dims(isl_set_reset_tuple_id(set), isl_dim_param, first, isl_dim_set, 0,
		(unsigned)depth);
	for (int d = 0; d < depth; d++) {
		char name[16];
		snprintf(name, sizeof name, "x%d", d);
		set = isl_set_set_dim_id(set, isl_dim_param, first + (unsigned)d,
			isl_id_alloc(ctx, name, NULL));
	}
	return set;
}

static void rows_free(struct rows *rows)
{
	box_free(&rows->box);
	isl_set_free(rows->params);
}

/* Bounds with many cases take isl long, and nobody can read what they become. */
static bool is_simple(const struct box *box)
{
	enum { CASES = 4 };
	for (int d = 0; d < box->rank; d++)
		if (!box->low[d] || !box->high[d] || isl_pw_aff_n_piece(box->low[d]) > CASES
			|| isl_pw_aff_n_piece(box->high[d]) > CASES)
			return false;
	return true;
}

/* Cuts SET at DEPTH.  Returns the parameters of the tiles with a row that is no box, or has
 * no simple bounds. */
static __isl_give isl_set *cut(__isl_keep isl_set *set, int depth, struct rows *rows)
{
	isl_set *rest = with_parameters(isl_set_copy(set), depth);
	rows->depth = depth;
	rows->params = isl_set_params(isl_set_copy(rest));
	box_find(rest, rest, rows->params, rows->rank - depth, &rows->box);
	if (!is_simple(&rows->box)) {
		isl_set *all = isl_set_params(rest);
		int params = isl_set_dim(all, isl_dim_param);
		return isl_set_project_out(all, isl_dim_param, (unsigned)(params - depth),
			(unsigned)depth);
	}
	isl_set *holes = isl_set_intersect_params(box_elements(&rows->box, rest),
		isl_set_copy(rows->params));
	holes = isl_set_params(isl_set_subtract(holes, rest));
	int count = isl_set_dim(holes, isl_dim_param);
	return isl_set_project_out(holes, isl_dim_param, (unsigned)(count - depth), (unsigned)depth);
}

static struct plan_expr *subtract(struct lowering *lowering, struct plan_expr *a,
	struct plan_expr *b)
{
	return plan_make(lowering->compilation->arena, PLAN_SUB, a, b);
}

/* The transfer of the row at POINT. */
static bool append_row(struct lowering *lowering, const struct point *point, void *user,
	struct plan_node *block)
{
	const struct rows *rows = user;
	struct arena *arena = lowering->compilation->arena;
	struct plan_buffer *buffer = lowering->buffers[rows->a];
	struct plan_node *node = plan_transfer(arena, rows->is_put, buffer,
		rows->is_put ? put_tag(rows->a) : get_tag(rows->a));
	struct plan_transfer *transfer = &node->transfer;
	for (int d = 0; d < rows->rank; d++) {
		int inner = d - rows->depth;
		transfer->first[d] = inner < 0 ? point->values[d] : expression_at(lowering,
			rows->params, lowering->holdings[rows->a].store, isl_pw_aff_copy(rows->box.low[inner]), point);
		struct plan_expr *last = inner < 0 ? transfer->first[d] : expression_at(lowering,
			rows->params, lowering->holdings[rows->a].store, isl_pw_aff_copy(rows->box.high[inner]), point);
		if (!transfer->first[d] || !last)
			return false;
		transfer->count[d] = plan_make(arena, PLAN_ADD,
			subtract(lowering, last, transfer->first[d]), plan_const(arena, 1));
		transfer->local[d] = subtract(lowering, transfer->first[d], buffer->dims[d].origin);
	}
	plan_append(arena, block, node);
	return true;
}

/* The rows of SET at the depth of ROWS. */
static bool append_cut(struct lowering *lowering, struct rows *rows, __isl_take isl_set *set,
	struct plan_node *block)
{
	isl_set *outer = isl_set_project_out(isl_set_reset_tuple_id(set), isl_dim_set,
		(unsigned)rows->depth, (unsigned)(rows->rank - rows->depth));
	outer = set_coalesce(isl_set_make_disjoint(outer));
	return lower_set(lowering, outer, lowering->holdings[rows->a].store, "row", append_row, rows, block);
}

/* The part of SET whose rows at DEPTH are boxes is appended; the rest is returned. */
static __isl_give isl_set *append_boxes(struct lowering *lowering, struct rows *rows, int depth,
	__isl_take isl_set *set, struct plan_node *block, bool *is_done)
{
	isl_set *open = cut(set, depth, rows);
	isl_set *rest = isl_set_intersect_params(isl_set_copy(set), isl_set_copy(open));
	bool is_whole = isl_set_is_empty(rest) == isl_bool_true;
	if (!is_whole)
		set = set_coalesce(isl_set_subtract(set, isl_set_copy(rest)));
	isl_set_free(open);
	if (isl_set_is_empty(set) == isl_bool_true) {
		isl_set_free(set);
	} else {
		if (!is_whole) {
			rows_free(rows);
			isl_set_free(cut(set, depth, rows));
		}
		*is_done &= append_cut(lowering, rows, set, block);
	}
	rows_free(rows);
	return set_coalesce(rest);
}

bool append_rows(struct lowering *lowering, int a, bool is_put, __isl_take isl_set *set,
	struct plan_node *block)
{
	struct rows rows = { .a = a, .is_put = is_put, .rank = lowering->buffers[a]->rank };
	bool done = true;
	for (int depth = 0; depth < rows.rank && done && isl_set_is_empty(set) == isl_bool_false;
		depth++)
		set = append_boxes(lowering, &rows, depth, set, block, &done);
	done &= set && isl_set_is_empty(set) == isl_bool_true;
	isl_set_free(set);
	return done;
}

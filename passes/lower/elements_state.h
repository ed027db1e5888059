#ifndef PASSES_ELEMENTS_STATE_H
#define PASSES_ELEMENTS_STATE_H

#include "passes/cost/array_model.h"
#include "passes/cost/model_math.h"
#include "passes/lower/elements.h"
#include "passes/regions/visit.h"

/* What the files that lower processing elements share: where words of an array are, and in which registers. */

struct elements {
	struct lowering *outer;
	const struct mapping *mapping;
	/* Buffers that tile loops move are those of this lowering, which is like the outer one; buffers that step loops move
	 * those of the other, in which a scratchpad tile is a block. */
	struct lowering tiles, steps;
	struct schedule tile_schedule, step_schedule;
	struct nest_model tile_model;
	struct plan_var *element[NEST_LOOPS];    /* of the points: which element along a dimension; NULL: there is one */
	struct plan_buffer **registers, **network;   /* [array] */
	struct visit *visits;                    /* [array] */
};

#define ARENA(elements) ((elements)->outer->compilation->arena)

static inline struct plan_expr *constant(const struct elements *elements, long value)
{
	return plan_const(ARENA(elements), value);
}

static inline struct plan_expr *make(const struct elements *elements, enum plan_op op, struct plan_expr *a, struct plan_expr *b)
{
	return plan_make(ARENA(elements), op, a, b);
}

/* FACTOR * VALUE + MORE */
static inline struct plan_expr *scaled(const struct elements *elements, long factor, struct plan_expr *value,
	struct plan_expr *more)
{
	return make(elements, PLAN_ADD, make(elements, PLAN_MUL, constant(elements, factor), value), more);
}

static inline bool is_indexed(const struct elements *elements, int a, int dim)
{
	return array_is_indexed(&elements->outer->model->arrays[a], dim);
}

/* Several elements share DIM, and one read serves all of them. */
static inline bool is_joined(const struct elements *elements, int dim)
{
	return elements->mapping->space[dim] > 1 &&
		(elements->outer->compilation->arch->array.multicast >> elements->mapping->axis[dim] & 1);
}

/* min(SIZE, EXTENT - SIZE * INDEX): what is left of EXTENT for the part of SIZE with number INDEX. */
struct plan_expr *element_rest(const struct elements *elements, struct plan_expr *extent, long size,
	struct plan_expr *index);
/* The parts of SIZE that EXTENT iterations make. */
struct plan_expr *element_parts(const struct elements *elements, struct plan_expr *extent, long size);

/* The tile loop, and the step loop, of dimension DIM; NULL: it has none. */
const struct tile_loop *tile_loop_of_dim(const struct elements *elements, int dim);
const struct tile_loop *step_loop_of_dim(const struct elements *elements, int dim);
/* They are inside the place where registers hold array A. */
bool is_tile_inside(const struct elements *elements, int a, int dim);
bool is_step_inside(const struct elements *elements, int a, int dim);

/* The iterations of the present step of DIM that the present element has. */
void element_iterations(const struct elements *elements, int dim, struct plan_expr **first,
	struct plan_expr **count);

/* A box of an array's lattice elements: in a visit of array A's registers those of one element, or of all that a read
 * serves. */
enum view { OF_ELEMENT, OF_READ };
struct words { struct plan_expr *first[ARRAY_RANK_LIMIT], *count[ARRAY_RANK_LIMIT]; };
struct words element_words(const struct elements *elements, int a, enum view view);

/* Makes the buffers of array A in registers and, if a read serves several elements, on the network. */
void element_registers(struct elements *elements, int a);

#endif

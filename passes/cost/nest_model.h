#ifndef PASSES_NEST_MODEL_H
#define PASSES_NEST_MODEL_H

#include "passes/analysis/variant.h"
#include "passes/cost/model.h"

/* From a nest to the numbers that its cost depends on. */

/* What a tile touches of a dimension of an array, in closed form:
 * base + sum coefficient[l] * value of band dim l, in lattice units. */
struct region_dim {
	long base;
	long coefficient[NEST_LOOPS];    /* signed */
	long window;
	long touched;                /* see struct model_dim */
	long stride, phase;          /* see struct plan_dim */
	long low, high;              /* no element outside is touched: regions are clipped */
	/* These for all values of the symbolic sizes, as in struct band_dim. */
	isl_pw_aff *sized_base, *sized_low, *sized_high;
};

struct region {
	struct region_dim dims[ARRAY_RANK_LIMIT];
	bool is_clipped;             /* some regions end at low or high */
};

/* The model of VARIANT.  Where every region has a closed form, true and REGIONS
 * [array] say where they are; else false, and the model is one whose regions hold
 * the real ones, for choosing a schedule.  Clipped regions are whole in the model. */
bool nest_model_build(struct compilation *compilation, const struct variant *variant,
	struct nest_model *model, struct region *regions);

/* A model of a variant whose regions are within the real ones, whatever these are: of each array what one statement
 * touches that has a closed form.  Arrays without only take room. */
struct inside_model {
	struct nest_model model;
	int group[MODEL_ARRAYS];     /* [array of the model]: of the variant; -1: the buffer that there is besides, of one of those apart */
	bool is_counted[MODEL_ARRAYS];   /* [array of the model]: what it moves is known; else it takes room, or only what last tiles
	                              * touch besides moves */
};

/* Fills in INSIDE, of VARIANT.  A group that has siblings stands for all that hold it.
 * Where the one statement does not update its elements, so that these need not come back when they are seen again, the group takes room and
 * moves nothing.  APART: groups that no form has in parts, of which
 * some buffer holds each, and not one all of an array; NULL: VARIANT's are all there are.
 * No plan of VARIANT moves or needs less than the model's least. */
void nest_model_inside(struct compilation *compilation, const struct variant *variant,
	const struct reference_groups *apart, struct inside_model *inside);

/* The loops of the band and how each array's regions move with them. */
void nest_print_model(const struct variant *variant, const struct nest_model *model, bool has_forms,
	FILE *out);

/* --emit=reuse: loops, and how each array's regions move with them. */
bool print_reuse(struct compilation *compilation, const struct function *function, FILE *out);

#endif

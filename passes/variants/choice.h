/* A variant of a nest, and the schedule that was chosen for it. */

#ifndef PASSES_CHOICE_H
#define PASSES_CHOICE_H

#include "ir/plan_align.h"
#include "passes/variants/form.h"
#include "passes/lower/lower.h"
#include "passes/search/search.h"
#include "passes/variants/schedule_text.h"

/* What the user says of a nest, and what is searched without that. */
struct asked {
	const struct schedule_line **lines;
	int line_count;
	struct schedule_reader said;
	struct mapping_asked mapping;
	struct nest_model free_model;
	struct search_options free_options;
	/* What of the user's schedule cannot be in this form of the nest; NULL: all can. */
	const char *contradiction;
	struct location contradicts_at;
};

/* What is in the way of a plan. */
struct hindrance {
	struct obstacle obstacle;
	struct misaligned misaligned;    /* of the last schedule that was lowered: {0} if none */
	long smallest;               /* scratchpad that would do, where nothing fits */
	bool is_final;               /* proved: no schedule of this form fits, or can be as the user says */
};

struct choice {
	struct compilation *compilation;
	struct variant variant;
	struct nest_model model;
	struct region *regions;
	bool has_forms;              /* its regions have closed forms; else isl is asked for them */
	struct search_options options;
	long anchored[MODEL_ARRAYS]; /* without closed forms: see struct model_array; the model does not know it */
	bool takes_turns;            /* loops turn wherever they may, though only the plan knows what for */
	bool is_fallback;            /* others that move less are not right for all sizes, or their
	                              * traffic is not known */
	struct schedule schedule;
	struct proof proof;          /* of the search that found it */
	int tries;                   /* budgets under which it was searched before the real regions of what
	                              * was found did fit */
	bool is_expanded, is_in_place;   /* see struct form */
	bool is_cut;                 /* not all forms of the nest were tried */
	bool has_others;             /* other forms of the nest (form.h) could have been chosen */
	long rivals_bound;           /* no schedule of those with other buffers or loops moves less; 0:
	                              * not known */
	struct asked asked;
	struct hindrance hindrance;
	const char *no_elements;     /* why a core computes it where elements compute what they can */
};

/* What is wrong where no plan was made. */
enum outcome { LOWERED, NO_FIT, CLASH, TOO_LONG, BEATEN };

/* A choice for VARIANT, with what pragmas and --schedule say of it.  NULL after an error
 * (diagnosed). */
struct choice *choice_make(struct compilation *compilation, const struct variant *variant);
/* A reader of what is said of CHOICE's nest, into MODEL and OPTIONS. */
struct schedule_reader choice_reader(const struct choice *choice, struct nest_model *model,
	struct search_options *options);
/* No schedule of CHOICE moves fewer bytes than MOST, as a short search shows, and its plans move what its schedules do; false:
 * that is not known, or the user says something of it. */
bool choice_is_beaten(const struct choice *choice, long most);
/* Chooses a schedule and lowers it, without statements, into PLAN with its entry OUT. */
enum outcome choice_lower(struct choice *choice, struct plan *plan, struct plan_nest *out);
/* The steps of that.  Lowers the schedule, without statements, unless isl takes too long over it. */
bool choice_weigh(struct choice *choice, struct plan *plan, struct plan_nest *out);
/* The DMA controller can do the copies of OUT; else CHOICE says of which array not. */
bool choice_is_aligned(struct choice *choice, const struct plan *plan, const struct plan_nest *out);
/* The same as choice_lower, where the model only bounds the regions (choice_general.c). */
enum outcome choice_lower_general(struct choice *choice, struct plan *plan, struct plan_nest *out);
/* The steps of that.  Chooses a schedule that needs at most
 * CAPACITY bytes for the model, looking at so many POINTS; false if there is none. */
bool choice_search_within(struct choice *choice, long capacity, long points);
/* Lowers that schedule likewise, in boxes or in rows, in all the scratchpad there is. */
enum outcome choice_weigh_general(struct choice *choice, struct plan *plan, struct plan_nest *out);
/* Lowers the schedule once more, with the statements unless DETAIL says otherwise. */
bool choice_lower_again(struct choice *choice, enum detail detail, struct plan *plan,
	struct plan_nest *out);
/* Lowers CHOICE, found for the values that symbolic sizes are tuned for, such that it is
 * right for all values.  False, with the reason, if that cannot be. */
bool choice_lower_all_sizes(struct choice *choice, struct plan *plan, struct plan_nest *out,
	const char **reason);

/* What CHOICE costs, lowered as OUT: bytes and scratchpad as the plan says, the rest as its model. */
struct cost choice_cost(const struct choice *choice, const struct plan_nest *out);
/* What a model finds first is also the best in all scratchpad between what that needs and what there is.
 * So no less than this, of a CHOICE that was lowered as OUT, makes another one of it, as far as a model
 * only bounds its regions; LONG_MAX: not known. */
long choice_bounded_bytes(const struct choice *choice, const struct plan_nest *out);
/* The user leaves a part of the space only: what is best there says nothing of the rest. */
bool choice_is_restricted(const struct choice *choice);
/* No schedule of CHOICE's form, lowered as OUT, moves less; 0: not known. */
long choice_space_bound(const struct choice *choice, const struct plan_nest *out);
/* Fills in what OUT says of bounds and optimality. */
void choice_fill_bounds(const struct choice *choice, struct plan_nest *out);
/* The plan's own count is the second opinion on the model's closed forms: whether OUT moves
 * what the schedule says. */
bool choice_agrees(const struct choice *choice, const struct plan_nest *out);
/* Why there is no schedule: what cannot be as the user says, or what would do. */
void choice_report_no_fit(struct choice *choice);
/* The text of the schedule, which can be given back by --schedule. */
const char *choice_describe(const struct choice *choice);

/* The form that the user wants NEST in; not given: any.  False after an error. */
bool nest_read_form(struct compilation *compilation, const struct nest *nest, struct form *form);

#endif

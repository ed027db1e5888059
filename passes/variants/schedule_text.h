#ifndef PASSES_SCHEDULE_TEXT_H
#define PASSES_SCHEDULE_TEXT_H

#include "passes/analysis/reference_groups.h"
#include "passes/search/search.h"
#include "passes/variants/form.h"
#include "passes/variants/group_constraints.h"
#include "passes/variants/mapping_text.h"
#include "passes/variants/schedule_lines.h"

/* A schedule as text, one fact a line:
 *     form ...                how the nest is written before it is tiled (form.h)
 *     tile LOOP SIZE
 *     order LOOP LOOP ...     tile loops, outermost first: each is cut into tiles, unless
 *                             it has one iteration; the others run whole unless they
 *                             have a tile
 *     serpentine LOOP ...     those that turn; `serpentine none`: no other does
 *     store ARRAY outside | in LOOP [slots N] [sliding] [double|single]
 *                             one slot, and with a place no sliding, if it does not say;
 *                             ARRAY:G is the buffer G of an array that has several, ARRAY
 *                             all of them
 *     memory ARRAY NAME       in which of the machine's memories that lies
 *     bypass ARRAY            in none: registers are all that holds it
 * and what passes/variants/mapping_text.h says of processing elements.
 * `nest NAME` starts the facts of the nest of that name.  What --emit=schedule prints,
 * --schedule reads; `#pragma loopc FACT` before a loop states one for its nest.  What a
 * text does not say is free, so that any part of a schedule can be fixed; what it says is
 * so in the result, or there is none.
 *
 * Of a fused group, tile and order are those of its loops, and
 *     repeat LOOP             producers run again in each of its tiles that needs them
 *     stream ARRAY [LOOP SIZE]
 *                             the array comes for its stage in each tile of the group; SIZE
 *                             iterations of a loop of the stage at a time
 *
 * TELLS_FORWARD: where no loop turns a line says so, as a search that reads the text would turn some.  TELLS_SINGLE: so do lines of
 * single buffers. */
const char *schedule_print(struct arena *arena, const struct arch *arch,
	const struct nest_model *model, bool tells_forward, bool tells_single,
	const struct search_options *options, const struct schedule *schedule);

/* The number of array A among those with its name, N in "A:N"; -1 if it is the only one. */
int schedule_entry_number(const struct nest_model *model, int a);

/* Reads lines into the tiles of MODEL, which is a nest's, and OPTIONS. */
struct schedule_reader {
	struct arena *arena;
	const struct function *function;
	int prefix;                  /* the nest's sequential dimensions */
	struct nest_model *model;
	struct search_options *options;
	struct group_constraints *group;  /* the nest is a group: what is said of that; else NULL */
	struct mapping_asked *mapping;    /* what is said of processing elements; NULL: nothing can be */
	const struct compilation *compilation;   /* knows what is carried */
	/* What of the lines cannot be in this form of the nest; NULL: nothing. */
	const char *failure;
	struct location failed_at;
	/* The line that says so; NULL: none does. */
	const struct schedule_line *order, *tiles[MODEL_LOOPS], *stores[MODEL_ARRAYS],
		*memories[MODEL_ARRAYS];
	const struct schedule_line *line;   /* that is read, from its word NEXT on */
	int next;
};

/* What COUNT LINES, which schedule_check.h found well formed, say of the reader's nest.
 * False with reader->failure. */
bool schedule_read(struct schedule_reader *reader, const struct schedule_line *const *lines,
	int count);

/* Those of --schedule below the heading NAME. */
const struct schedule_line **schedule_lines_below(const struct compilation *compilation,
	const char *name, int *count);
/* The lines about NEST: those of pragmas, but for what --schedule says too, then those of
 * --schedule. */
const struct schedule_line **schedule_constraints(const struct compilation *compilation,
	const struct nest *nest, int *count);
/* LINE says something of the tiles, loops or buffers of a nest. */
bool schedule_restricts(const struct schedule_line *line);

/* The form that LINES state; FORM is left alone if they do not.  False after an error
 * (diagnosed). */
bool schedule_read_form(struct compilation *compilation, const struct schedule_line *const *lines,
	int count, struct form *form);

#endif

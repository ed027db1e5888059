#ifndef PASSES_SCHEDULE_TEXT_H
#define PASSES_SCHEDULE_TEXT_H

#include "passes/form.h"
#include "passes/group.h"

/* A schedule as text, one fact a line:
 *     form ...                how the nest is written before it is tiled (form.h)
 *     tile LOOP SIZE
 *     order LOOP LOOP ...     tile loops, outermost first; the others run whole unless
 *                             they have a tile
 *     serpentine LOOP ...     those that turn; `serpentine none`: no other does
 *     store ARRAY outside | in LOOP [slots N] [sliding] [double|single]
 *                             one slot if it does not say; ARRAY:G is the buffer G of an
 *                             array that has several, ARRAY all of them
 * `nest NAME` starts the facts of the nest of that name.  What --emit=schedule prints,
 * --schedule reads; `#pragma loopc FACT` before a loop states one for its nest.  What a
 * text does not say is free, so that any part of a schedule can be fixed.
 *
 * Of a fused group, tile and order are those of its loops, and
 *     repeat LOOP             producers run again in each of its tiles that needs them
 *     stream ARRAY [LOOP SIZE]
 *                             the array comes for its stage in each tile of the group; SIZE
 *                             iterations of a loop of the stage at a time */
const char *schedule_print(struct arena *arena, const struct nest_model *model,
	const struct search_options *options, const struct schedule *schedule);

/* Reads facts into the tiles of MODEL, which is NEST's, and OPTIONS. */
struct schedule_reader {
	struct diag *diag;
	const struct nest *nest;
	struct nest_model *model;
	struct search_options *options;
	struct group_wishes *group;  /* NEST is a group: what is said of that; else NULL */
	struct location at;
	char line[1024];
	char *rest;                  /* of the line */
	bool has_order, failed;
};

/* The facts that TEXT states of the reader's nest; lines before any heading are for all.
 * Any number of texts, and schedule_read_end after the last.  False after an error
 * (diagnosed at AT's file, counting lines from AT). */
bool schedule_read(struct schedule_reader *reader, struct location at, const char *text);
bool schedule_read_end(struct schedule_reader *reader);

/* The form that TEXT states of the nest called NAME; FORM is left alone if it does not. */
bool schedule_read_form(struct compilation *compilation, struct location at, const char *text,
	const char *name, struct form *form);

#endif

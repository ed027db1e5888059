#ifndef PASSES_SCHEDULE_LINES_H
#define PASSES_SCHEDULE_LINES_H

#include "ir/program.h"
#include "support/arena.h"
#include "support/diag.h"

/* The text of a schedule as words: a file that --schedule names, or one pragma.  What the words
 * mean is passes/variants/schedule_text.h's. */

struct schedule_word {
	const char *text;
	struct location at;
};

struct schedule_line {
	const char *nest;            /* what the heading above it names; NULL: there is none */
	bool is_heading;             /* `nest NAME` itself, which NEST names then */
	bool is_pragma;
	int word_count;              /* at least 1 */
	size_t capacity;
	struct schedule_word *words;
};

struct schedule_lines {
	int count;
	size_t capacity;
	struct schedule_line *items; /* those with words, in their order, but for */
	int distributed_count;       /* `distribute NAME`, of no heading */
	size_t distributed_capacity;
	struct schedule_line *distributed;
};

/* The lines of TEXT, which begins at AT.  Words end at blanks and commas, lines at # or their
 * end.  All is the arena's. */
struct schedule_lines *schedule_lines_parse(struct arena *arena, struct location at,
	const char *text);
/* The one line of PRAGMA, of no heading. */
const struct schedule_line *schedule_line_of_pragma(struct arena *arena,
	const struct pragma *pragma);

/* The first word of LINE is WORD. */
bool schedule_line_is(const struct schedule_line *line, const char *word);
/* The place of all words of LINE. */
struct location schedule_line_at(const struct schedule_line *line);
/* LINE's words with one blank between. */
const char *schedule_line_text(struct arena *arena, const struct schedule_line *line);
/* LINE and OTHER, which are about one nest, say the same thing of it, as two tiles of a loop. */
bool schedule_lines_clash(const struct schedule_line *line, const struct schedule_line *other);

#endif

/* Reads a text word by word: names, numbers, strings and punctuation, with space and comments
 * from # to the line's end between them. */

#ifndef IR_WORDS_H
#define IR_WORDS_H

#include <stdbool.h>

#include "support/arena.h"
#include "support/diag.h"

enum word_kind { WORD_END, WORD_NAME, WORD_NUMBER, WORD_STRING, WORD_PUNCTUATION };

struct words {
	struct arena *arena;
	struct diag *diag;
	const char *file;
	const char *next;            /* the text behind the word */
	int line;
	const char *line_start;
	enum word_kind kind;
	const char *text;            /* of the word; a string's content */
	struct location at;
	bool failed;
	int depth;                   /* of nesting */
};

/* Begins with the first word of TEXT, which starts in LINE of FILE (for messages).  What is read
 * is kept in ARENA. */
void words_start(struct words *words, struct arena *arena, struct diag *diag, const char *file,
	const char *text, int line);

/* An error at the present word; only the first is told.  After it there are no more words. */
void words_fail(struct words *words, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The next word. */
void words_advance(struct words *words);
/* Whether the present word is the name or punctuation TEXT; _take: and takes it; _expect: or
 * fails. */
bool words_are_at(const struct words *words, const char *text);
bool words_take(struct words *words, const char *text);
void words_expect(struct words *words, const char *text);

/* Take a word of their kind; fail, and return "" or 0, if the present one is another.  WHAT
 * says in the message what is missing.  _string: or several that follow each other. */
const char *words_take_name(struct words *words, const char *what);
long words_take_long(struct words *words);
int words_take_int(struct words *words);
double words_take_real(struct words *words);
const char *words_take_string(struct words *words);
/* NAME and a number. */
long words_take_named(struct words *words, const char *name);

/* Around what can be nested, so that the stack does not overflow: false, with an error, where it
 * is too deep (words_leave is to be called all the same). */
bool words_enter(struct words *words);
void words_leave(struct words *words);

#endif

#ifndef FRONTEND_LEXER_H
#define FRONTEND_LEXER_H

#include <stdbool.h>
#include <stddef.h>

#include "support/arena.h"
#include "support/diag.h"

/* Tokens of one file, before preprocessing: directives are tokens too. */

enum token_kind {
	TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_PUNCTUATOR,
	TOKEN_HASH,                  /* # at the start of a line */
	TOKEN_NEWLINE,               /* only within a directive */
	TOKEN_HEADER,                /* <...> where it was asked for */
	TOKEN_REST,                  /* the rest of a line where it was asked for */
	TOKEN_STRAY                  /* a byte that begins no token */
};

struct token {
	enum token_kind kind;
	const char *text;            /* in the arena */
	struct location location;
	bool space_before;
	bool hidden;                 /* a macro's name inside its own expansion: stays as it is */
};

bool token_is_punctuator(struct token token, const char *text);

struct lexer;

/* TEXT is copied.  FILE is kept. */
struct lexer *lexer_new(struct arena *arena, struct diag *diag, const char *file,
	const char *text, size_t length);
void lexer_free(struct lexer *lexer);
struct token lexer_next(struct lexer *lexer);
/* What the next token is, in a directive: a header name, or all to the line's end. */
void lexer_expect_header(struct lexer *lexer);
void lexer_expect_rest(struct lexer *lexer);
/* While on, nothing is reported: text that #if leaves out. */
void lexer_set_quiet(struct lexer *lexer, bool on);

#endif

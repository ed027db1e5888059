#ifndef FRONTEND_PARSE_H
#define FRONTEND_PARSE_H

#include "frontend/preprocess.h"

/* What the grammar's actions share. */
struct parse {
	struct arena *arena;
	struct diag *diag;
	struct preprocessor *preprocessor;
	struct ast_file *file;
	struct ast_list typedefs;    /* struct ast_declarator */
	struct ast_list pragmas;     /* before the next function */
	struct location previous;    /* the token before the last one read */
	struct location last;
	int last_token;              /* as the grammar has it; 0: none yet */
	struct token ahead;          /* the next one, if it was looked at already */
	bool has_ahead;
	int stray_line;              /* had a character that is not C's: said already */
	bool gave_up;                /* nested too deeply: nothing more is worth saying */
};

/* The tree of all that PREPROCESSOR yields; errors are in DIAG.  Never NULL. */
struct ast_file *parse_file(struct arena *arena, struct diag *diag,
	struct preprocessor *preprocessor);

/* The type that a list of specifiers stands for: a set of the words below, or a
 * name. */
enum specifier {
	SPECIFIER_VOID = 1, SPECIFIER_CHAR = 2, SPECIFIER_SHORT = 4, SPECIFIER_INT = 8,
	SPECIFIER_LONG = 16, SPECIFIER_LONG_LONG = 32, SPECIFIER_SIGNED = 64,
	SPECIFIER_UNSIGNED = 128, SPECIFIER_FLOAT = 256, SPECIFIER_DOUBLE = 512,
	SPECIFIER_BOOL = 1024, SPECIFIER_NAMED = 2048, SPECIFIER_OTHER = 4096
};
struct specifiers {
	unsigned words;
	struct ast_type type;        /* its flags; the type of SPECIFIER_NAMED */
};
void specifiers_add(struct parse *parse, struct specifiers *specifiers, unsigned word,
	struct location at);
struct ast_type specifiers_type(struct parse *parse, struct specifiers specifiers,
	struct location at);
/* The type that NAME stands for after <stdint.h>, <stddef.h>, or a typedef. */
bool parse_find_type(const struct parse *parse, const char *name, struct ast_type *type);

#endif

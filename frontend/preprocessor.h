#ifndef FRONTEND_PREPROCESSOR_H
#define FRONTEND_PREPROCESSOR_H

#include <string.h>

#include "frontend/preprocess.h"

/* What the preprocessor's files share: tokens and directives (preprocess.c), macros (macro.c) and
 * files (include.c). */

enum { CONDITION_DEPTH_LIMIT = 256, MACRO_PARAMETER_LIMIT = 32, BUCKETS = 1024 };
enum { EXPANSION_LIMIT = 1000000, FILE_BYTES_LIMIT = 64 << 20 };

struct tokens {
	size_t count, capacity;
	struct token *items;
};

struct macro {
	struct macro *next;
	const char *name;
	struct location location;
	bool is_function, is_active, is_defined;
	int parameter_count;
	const char *parameters[MACRO_PARAMETER_LIMIT];
	struct tokens body;
};

/* Where tokens come from: a file, or tokens that a macro left. */
struct input {
	struct input *below;
	struct lexer *lexer;
	struct tokens tokens;
	size_t next;
	struct macro *macro;         /* may expand again when the tokens are used up */
	bool is_barrier;             /* ends in TOKEN_END instead of going on below */
	int condition_depth;         /* of a file: open conditions when it began */
	const char *directory;       /* of a file: "" or ending in / */
};

struct condition {
	struct location location;
	bool was_taken, is_active, has_else;
};

struct preprocessor {
	struct arena *arena;
	struct diag *diag;
	struct input *input;
	struct macro *macros[BUCKETS];
	const struct binding *bindings;
	int binding_count;
	const char *const *include_dirs;
	int include_dir_count, include_depth, expansion_depth;
	long expanded;
	bool gave_up;
	int condition_count;
	struct condition conditions[CONDITION_DEPTH_LIMIT];
	struct ast_list includes, files, once;
};

static inline bool is_name(struct token token, const char *text)
{
	return token.kind == TOKEN_NAME && !strcmp(token.text, text);
}

/* Tokens (preprocess.c). */

/* The next one as it is written; TOKEN_END where a file or a barrier ends. */
struct token pp_next_raw(struct preprocessor *pp);
/* The next one, directives carried out and macros expanded. */
struct token pp_next_expanded(struct preprocessor *pp);
void pp_push_token(struct arena *arena, struct tokens *tokens, struct token token);
/* TOKENS come next; MACRO, unless NULL, may not expand before they are used up. */
struct input *pp_push_input(struct preprocessor *pp, struct tokens tokens, struct macro *macro);
void pp_unread(struct preprocessor *pp, struct token token);
void pp_skip_line(struct preprocessor *pp);
/* The end of DIRECTIVE's line; what stands there is an error. */
void pp_end_line(struct preprocessor *pp, const char *directive);

/* Macros (macro.c). */

struct macro *pp_find_macro(struct preprocessor *pp, const char *name);
/* Makes NAME a macro whose body is TEXT, as -D and <stdbool.h> do. */
void pp_define_text(struct preprocessor *pp, const char *name, const char *text);
/* A name that the file tests: from here on, -D NAME is a macro. */
bool pp_test_defined(struct preprocessor *pp, const char *name);
/* TOKENS with all their macros expanded. */
struct tokens pp_expand_all(struct preprocessor *pp, struct tokens tokens);
/* Replaces NAME if it is a macro that may be expanded here. */
bool pp_expand(struct preprocessor *pp, struct token *name);
/* The name in a line of DIRECTIVE that has nothing else. */
struct token pp_read_macro_name(struct preprocessor *pp, const char *directive);
/* What #define and #undef say. */
void pp_read_define(struct preprocessor *pp);
void pp_undefine(struct preprocessor *pp);

/* Files (include.c). */

void pp_push_file(struct preprocessor *pp, const char *file, const char *text, size_t length);
/* The innermost file ends; it is an error if it leaves conditions open. */
void pp_pop_file(struct preprocessor *pp);
struct lexer *pp_current_lexer(const struct preprocessor *pp);
void pp_read_include(struct preprocessor *pp);
bool pp_list_has(const struct ast_list *list, const char *text);

#endif

#ifndef FRONTEND_PREPROCESS_H
#define FRONTEND_PREPROCESS_H

#include "frontend/ast.h"
#include "frontend/frontend.h"
#include "frontend/lexer.h"

/* C's preprocessing as far as a .loop file needs it: #include, #define with and
 * without parameters, #undef, #if and its kin, #pragma. */
struct preprocessor;

/* TOKEN_REST is a #pragma loopc, its text what follows "loopc". */
struct preprocessor *preprocess_new(struct arena *arena, struct diag *diag, const char *file,
	const char *text, size_t length, const struct binding *bindings, int binding_count,
	const char *const *include_dirs, int include_dir_count);
struct token preprocess_next(struct preprocessor *preprocessor);
/* Frees what is not in the arena. */
void preprocess_free(struct preprocessor *preprocessor);

/* The system headers included, "<math.h>", and the paths of the others: const char *. */
const struct ast_list *preprocess_includes(const struct preprocessor *preprocessor);
const struct ast_list *preprocess_files(const struct preprocessor *preprocessor);
bool preprocess_has_include(const struct preprocessor *preprocessor, const char *name);
/* Whether -D NAME was made a macro, since the file tests it. */
bool preprocess_is_macro(const struct preprocessor *preprocessor, const char *name);

#endif

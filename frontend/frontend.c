#include "frontend/frontend.h"

#include <isl/options.h>

#include "frontend/parse.h"
#include "frontend/sema.h"

/* What isl may do for a file, in its own count, so that no input hangs the compiler:
 * a statement takes some 500. */
enum { ISL_OPERATIONS = 500000, ISL_OPERATIONS_PER_BYTE = 60 };

static struct ast_file *parse_text(struct arena *arena, struct diag *diag,
	struct preprocessor *preprocessor, const char *file, const char *text, size_t length)
{
	diag_add_source(diag, file, text, length);
	return parse_file(arena, diag, preprocessor);
}

/* Lowers FILE with isl's work limited and its errors left to us to report. */
static struct program *lower(struct arena *arena, isl_ctx *ctx, struct diag *diag,
	const struct preprocessor *preprocessor, const struct ast_file *ast, const char *file,
	size_t length, const struct binding *bindings, int binding_count)
{
	unsigned long operations = isl_ctx_get_max_operations(ctx);
	int on_error = isl_options_get_on_error(ctx);
	isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
	isl_ctx_reset_error(ctx);
	isl_ctx_reset_operations(ctx);
	isl_ctx_set_max_operations(ctx, ISL_OPERATIONS + ISL_OPERATIONS_PER_BYTE * length);
	struct program *program = sema_lower(arena, ctx, diag, preprocessor, ast, file, bindings,
		binding_count);
	if (!diag_error_count(diag) && isl_ctx_last_error(ctx) != isl_error_none)
		diag_error(diag, (struct location){ .file = file },
			"the loops are too complex to analyse; split the functions");
	isl_ctx_reset_error(ctx);
	isl_ctx_set_max_operations(ctx, operations);
	isl_ctx_reset_operations(ctx);
	isl_options_set_on_error(ctx, on_error);
	return program;
}

static void add_files(struct program *program, const struct preprocessor *preprocessor)
{
	const struct ast_list *files = preprocess_files(preprocessor);
	program->files = ARENA_ARRAY(program->arena, const char *, files->count);
	for (size_t i = 0; i < files->count; i++)
		program->files[program->file_count++] = files->items[i];
}

struct program *frontend_parse(struct arena *arena, isl_ctx *ctx, struct diag *diag,
	const char *file, const char *text, size_t length,
	const struct binding *bindings, int binding_count,
	const char *const *include_dirs, int include_dir_count)
{
	int errors = diag_error_count(diag);
	struct preprocessor *preprocessor = preprocess_new(arena, diag, file, text, length,
		bindings, binding_count, include_dirs, include_dir_count);
	struct ast_file *ast = parse_text(arena, diag, preprocessor, file, text, length);
	struct program *program = lower(arena, ctx, diag, preprocessor, ast, file, length, bindings,
		binding_count);
	add_files(program, preprocessor);
	preprocess_free(preprocessor);
	return diag_error_count(diag) > errors ? NULL : program;
}

bool frontend_print_ast(FILE *out, struct arena *arena, struct diag *diag,
	const char *file, const char *text, size_t length,
	const struct binding *bindings, int binding_count,
	const char *const *include_dirs, int include_dir_count)
{
	int errors = diag_error_count(diag);
	struct preprocessor *preprocessor = preprocess_new(arena, diag, file, text, length,
		bindings, binding_count, include_dirs, include_dir_count);
	struct ast_file *ast = parse_text(arena, diag, preprocessor, file, text, length);
	preprocess_free(preprocessor);
	if (diag_error_count(diag) > errors)
		return false;
	ast_print(out, ast);
	return true;
}

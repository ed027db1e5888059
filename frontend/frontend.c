#include "frontend/frontend.h"

#include <isl/options.h>

#include "frontend/parse.h"
#include "frontend/sema.h"
#include "ir/isl_work.h"
#include "support/memory.h"

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
	int on_error = isl_options_get_on_error(ctx);
	isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
	isl_ctx_reset_error(ctx);
	struct isl_work work = isl_work_begin(ctx, ISL_OPERATIONS + ISL_OPERATIONS_PER_BYTE * length);
	struct program *program = sema_lower(arena, ctx, diag, preprocessor, ast, file, bindings,
		binding_count);
	if (!diag_error_count(diag) && isl_ctx_last_error(ctx) != isl_error_none)
		diag_error(diag, (struct location){ .file = file },
			"the loops are too complex to analyse; split the functions");
	isl_work_end(&work);
	isl_ctx_reset_error(ctx);
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

/* System headers are not opened: loopc knows what they declare. */
static void print_includes(FILE *out, const struct preprocessor *preprocessor)
{
	const struct ast_list *includes = preprocess_includes(preprocessor);
	for (size_t i = 0; i < includes->count; i++)
		fprintf(out, "#include %s\n", (const char *)includes->items[i]);
}

static void print_tokens(FILE *out, struct preprocessor *preprocessor)
{
	struct location last = { .line = 0 };
	for (struct token token; (token = preprocess_next(preprocessor)).kind != TOKEN_END; ) {
		bool is_pragma = token.kind == TOKEN_REST;
		bool begins = is_pragma || token.location.line != last.line
			|| token.location.file != last.file;
		fputs(begins && last.line ? "\n" : token.space_before && last.line ? " " : "", out);
		for (int i = 1; begins && i < token.location.column && !is_pragma; i++)
			putc(' ', out);
		fprintf(out, is_pragma ? "#pragma loopc %s" : token.kind == TOKEN_STRING ? "\"%s\"" : "%s",
			token.text);
		last = token.location;
		last.line = is_pragma ? -1 : last.line;
	}
	putc('\n', out);
}

bool frontend_print_preprocessed(FILE *out, struct arena *arena, struct diag *diag,
	const char *file, const char *text, size_t length,
	const struct binding *bindings, int binding_count,
	const char *const *include_dirs, int include_dir_count)
{
	int errors = diag_error_count(diag);
	char *tokens = NULL;
	size_t size = 0;
	struct preprocessor *preprocessor = preprocess_new(arena, diag, file, text, length,
		bindings, binding_count, include_dirs, include_dir_count);
	FILE *memory = open_memstream(&tokens, &size);
	if (!memory)
		memory_exhausted();
	print_tokens(memory, preprocessor);
	fclose(memory);
	print_includes(out, preprocessor);
	fputs(tokens, out);
	free(tokens);
	preprocess_free(preprocessor);
	return diag_error_count(diag) == errors;
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

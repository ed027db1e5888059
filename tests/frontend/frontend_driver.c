/* frontend_driver [-D NAME=VALUE [--symbolic]]... [-I DIR]... [--json] [--ast] [--werror] [-RNAME] FILE
 *
 * The front end alone: prints the program, or the syntax tree, to stdout and the
 * diagnostics to stderr.  FILE may be a program's text (x.program).  Exits 1 after
 * errors. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/frontend.h"

enum { LIMIT = 64 };

struct options {
	struct binding bindings[LIMIT];
	const char *include_dirs[LIMIT], *file;
	int binding_count, include_dir_count;
	bool json, ast, werror;
};

static void add_binding(struct options *options, char *text)
{
	char *equals = strchr(text, '=');
	if (equals)
		*equals++ = 0;
	options->bindings[options->binding_count++] =
		(struct binding){ .name = text, .value = equals ? equals : "1" };
}

static bool read_options(struct options *options, int count, char **arguments)
{
	for (int i = 1; i < count; i++) {
		char *argument = arguments[i];
		if (options->binding_count == LIMIT || options->include_dir_count == LIMIT)
			return false;
		if (!strcmp(argument, "-D") && i + 1 < count)
			add_binding(options, arguments[++i]);
		else if (!strcmp(argument, "--symbolic") && options->binding_count)
			options->bindings[options->binding_count - 1].is_symbolic = true;
		else if (!strcmp(argument, "-I") && i + 1 < count)
			options->include_dirs[options->include_dir_count++] = arguments[++i];
		else if (!strcmp(argument, "--json"))
			options->json = true;
		else if (!strcmp(argument, "--ast"))
			options->ast = true;
		else if (!strcmp(argument, "--werror"))
			options->werror = true;
		else
			options->file = argument;
	}
	return options->file;
}

static char *read_all(const char *file, size_t *length)
{
	FILE *in = fopen(file, "rb");
	char *text = NULL;
	size_t capacity = 0;
	*length = 0;
	if (!in) {
		perror(file);
		exit(2);
	}
	do {
		capacity = capacity ? 2 * capacity : 4096;
		text = realloc(text, capacity + 1);
		if (!text)
			abort();
		*length += fread(text + *length, 1, capacity - *length, in);
	} while (*length == capacity);
	fclose(in);
	text[*length] = 0;
	return text;
}

static bool is_program_text(const char *file)
{
	size_t length = strlen(file);
	return length > 8 && !strcmp(file + length - 8, ".program");
}

int main(int count, char **arguments)
{
	struct options options = { .binding_count = 0 };
	if (!read_options(&options, count, arguments))
		return 2;
	struct arena *arena = arena_new();
	isl_ctx *ctx = isl_ctx_alloc();
	struct diag *diag = diag_new(stderr);
	diag_set_json(diag, options.json);
	diag_set_werror(diag, options.werror);
	size_t length;
	char *text = read_all(options.file, &length);
	struct program *program = NULL;
	bool ok = true;
	if (options.ast) {
		ok = frontend_print_ast(stdout, arena, diag, options.file, text, length,
			options.bindings, options.binding_count, options.include_dirs,
			options.include_dir_count);
	} else if (is_program_text(options.file)) {
		program = program_parse(arena, ctx, diag, options.file, text);
	} else {
		program = frontend_parse(arena, ctx, diag, options.file, text, length,
			options.bindings, options.binding_count, options.include_dirs,
			options.include_dir_count);
	}
	diag_finish(diag);
	ok = ok && (options.ast || program) && !diag_error_count(diag);
	if (program) {
		ok = program_verify(program) && ok;
		program_print(stdout, program);
	}
	free(text);
	diag_free(diag);
	arena_free(arena);
	isl_ctx_free(ctx);
	return !ok;
}

/* Files that are read: the source, and what #include names. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "frontend/preprocess.h"
#include "frontend/preprocessor.h"

enum { INCLUDE_DEPTH_LIMIT = 32 };

static const char *directory_of(struct arena *arena, const char *file)
{
	const char *slash = strrchr(file, '/');
	return slash ? arena_strndup(arena, file, (size_t)(slash - file) + 1) : "";
}

void pp_push_file(struct preprocessor *pp, const char *file, const char *text, size_t length)
{
	struct input *input = pp_push_input(pp, (struct tokens){ 0 }, NULL);
	input->lexer = lexer_new(pp->arena, pp->diag, file, text, length);
	input->condition_depth = pp->condition_count;
	input->directory = directory_of(pp->arena, file);
	pp->include_depth++;
}

void pp_pop_file(struct preprocessor *pp)
{
	struct input *input = pp->input;
	for (; pp->condition_count > input->condition_depth; pp->condition_count--)
		diag_error(pp->diag, pp->conditions[pp->condition_count - 1].location,
			"this #if has no #endif");
	lexer_free(input->lexer);
	pp->input = input->below;
	pp->include_depth--;
}

bool pp_list_has(const struct ast_list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i], text))
			return true;
	return false;
}

/* The whole of FILE in the arena, or NULL. */
static char *read_file(struct preprocessor *pp, const char *file, size_t *length)
{
	FILE *in = fopen(file, "rb");
	if (!in)
		return NULL;
	char *text = NULL;
	size_t capacity = 0;
	*length = 0;
	do {
		text = arena_grow(pp->arena, text, *length, &capacity, 1);
		*length += fread(text + *length, 1, capacity - *length, in);
	} while (*length == capacity && capacity < FILE_BYTES_LIMIT);
	bool ok = !ferror(in) && *length < FILE_BYTES_LIMIT;
	fclose(in);
	return ok ? text : NULL;
}

static bool try_include(struct preprocessor *pp, const char *directory, const char *name)
{
	size_t length = strlen(directory);
	bool needs_slash = length && directory[length - 1] != '/';
	const char *file = arena_printf(pp->arena, "%s%s%s", directory, needs_slash ? "/" : "", name);
	size_t text_length;
	if (pp_list_has(&pp->once, file))
		return true;
	char *text = read_file(pp, file, &text_length);
	if (!text)
		return false;
	if (!pp_list_has(&pp->files, file)) {
		ast_append(pp->arena, &pp->files, (void *)(uintptr_t)file);
		diag_add_source(pp->diag, file, text, text_length);
	}
	pp_push_file(pp, file, text, text_length);
	return true;
}

static void include_file(struct preprocessor *pp, struct token name)
{
	const char *path = arena_strndup(pp->arena, name.text + 1, strlen(name.text) - 2);
	if (pp->include_depth >= INCLUDE_DEPTH_LIMIT) {
		diag_error(pp->diag, name.location, "#include is nested more than %d deep; does \"%s\" "
			"include itself?", (int)INCLUDE_DEPTH_LIMIT, path);
		return;
	}
	const struct input *input = pp->input;
	while (input && !input->lexer)
		input = input->below;
	bool found = path[0] == '/' ? try_include(pp, "", path) :
		try_include(pp, input ? input->directory : "", path);
	for (int i = 0; !found && path[0] != '/' && i < pp->include_dir_count; i++)
		found = try_include(pp, pp->include_dirs[i], path);
	if (!found)
		diag_error(pp->diag, name.location, "cannot read \"%s\"; name its directory with -I",
			path);
}

static void include_system(struct preprocessor *pp, struct token name)
{
	static const char *const known[] = { "<stdint.h>", "<math.h>", "<stdbool.h>", "<stddef.h>",
		"<stdlib.h>", "<limits.h>", "<float.h>" };
	if (pp_list_has(&pp->includes, name.text))
		return;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i], name.text)) {
			ast_append(pp->arena, &pp->includes, (void *)(uintptr_t)known[i]);
			if (!strcmp(name.text, "<stdbool.h>")) {
				pp_define_text(pp, "bool", "_Bool");
				pp_define_text(pp, "true", "1");
				pp_define_text(pp, "false", "0");
			}
			return;
		}
	diag_error(pp->diag, name.location, "%s is not known here; a .loop file may include "
		"<stdint.h>, <stdbool.h>, <stddef.h>, <limits.h>, <float.h>, <math.h>, <stdlib.h> "
		"and its own headers", name.text);
}

struct lexer *pp_current_lexer(const struct preprocessor *pp)
{
	const struct input *input = pp->input;
	while (input && !input->lexer)
		input = input->below;
	return input ? input->lexer : NULL;
}

void pp_read_include(struct preprocessor *pp)
{
	lexer_expect_header(pp_current_lexer(pp));
	struct token name = pp_next_raw(pp);
	if (name.kind != TOKEN_HEADER && name.kind != TOKEN_STRING) {
		diag_error(pp->diag, name.location, "expected <name> or \"name\" after #include");
		if (name.kind != TOKEN_NEWLINE && name.kind != TOKEN_END)
			pp_skip_line(pp);
		return;
	}
	pp_end_line(pp, "include");
	if (name.kind == TOKEN_HEADER)
		include_system(pp, name);
	else
		include_file(pp, name);
}

#include "frontend/preprocess.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/condition.h"

enum {
	INCLUDE_DEPTH_LIMIT = 32, CONDITION_DEPTH_LIMIT = 256, EXPANSION_DEPTH_LIMIT = 200,
	MACRO_PARAMETER_LIMIT = 32, BUCKETS = 1024
};
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

static struct token next_raw(struct preprocessor *pp);
static struct token next_expanded(struct preprocessor *pp);

static void push_token(struct arena *arena, struct tokens *tokens, struct token token)
{
	tokens->items = arena_grow(arena, tokens->items, tokens->count, &tokens->capacity,
		sizeof token);
	tokens->items[tokens->count++] = token;
}

static bool is_name(struct token token, const char *text)
{
	return token.kind == TOKEN_NAME && !strcmp(token.text, text);
}

/* Macros. */

static struct macro **bucket_of(struct preprocessor *pp, const char *name)
{
	uint32_t hash = 2166136261U;
	for (const char *c = name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619U;
	return &pp->macros[hash % BUCKETS];
}

static struct macro *find_macro(struct preprocessor *pp, const char *name)
{
	for (struct macro *macro = *bucket_of(pp, name); macro; macro = macro->next)
		if (macro->is_defined && !strcmp(macro->name, name))
			return macro;
	return NULL;
}

static struct macro *add_macro(struct preprocessor *pp, const char *name, struct location at)
{
	struct macro *macro = ARENA_NEW(pp->arena, struct macro);
	struct macro **bucket = bucket_of(pp, name);
	*macro = (struct macro){ .next = *bucket, .name = name, .location = at,
		.is_defined = true };
	*bucket = macro;
	return macro;
}

static const struct binding *find_binding(const struct preprocessor *pp, const char *name)
{
	const struct binding *found = NULL;
	for (int i = 0; i < pp->binding_count; i++)
		if (!strcmp(pp->bindings[i].name, name))
			found = &pp->bindings[i];
	return found;
}

/* Makes NAME a macro whose body is TEXT, as -D and <stdbool.h> do. */
static void define_text(struct preprocessor *pp, const char *name, const char *text)
{
	struct lexer *lexer = lexer_new(pp->arena, pp->diag, NULL, text, strlen(text));
	struct macro *macro = add_macro(pp, name, (struct location){ 0 });
	for (struct token token; (token = lexer_next(lexer)).kind != TOKEN_END;)
		push_token(pp->arena, &macro->body, token);
	lexer_free(lexer);
}

/* A name that the file tests: from here on, -D NAME is a macro. */
static bool test_defined(struct preprocessor *pp, const char *name)
{
	if (find_macro(pp, name))
		return true;
	const struct binding *binding = find_binding(pp, name);
	for (struct macro *macro = *bucket_of(pp, name); macro; macro = macro->next)
		if (!strcmp(macro->name, name))
			return false;
	if (binding)
		define_text(pp, name, binding->value);
	return binding;
}

static struct input *push_input(struct preprocessor *pp, struct tokens tokens, struct macro *macro)
{
	struct input *input = ARENA_NEW(pp->arena, struct input);
	*input = (struct input){ .below = pp->input, .tokens = tokens, .macro = macro };
	if (macro)
		macro->is_active = true;
	pp->input = input;
	return input;
}

static void unread(struct preprocessor *pp, struct token token)
{
	struct tokens tokens = { 0 };
	push_token(pp->arena, &tokens, token);
	push_input(pp, tokens, NULL);
}

static struct tokens expand_all(struct preprocessor *pp, struct tokens tokens)
{
	struct tokens result = { 0 };
	if (++pp->expansion_depth > EXPANSION_DEPTH_LIMIT) {
		pp->gave_up = true;
	} else {
		push_input(pp, tokens, NULL)->is_barrier = true;
		for (struct token token; (token = next_expanded(pp)).kind != TOKEN_END;)
			push_token(pp->arena, &result, token);
	}
	pp->expansion_depth--;
	return result;
}

/* Reads the arguments of MACRO, after its "(". */
static bool read_arguments(struct preprocessor *pp, struct macro *macro, struct token name,
	struct tokens arguments[MACRO_PARAMETER_LIMIT])
{
	int count = 0, depth = 0;
	memset(arguments, 0, sizeof(struct tokens) * MACRO_PARAMETER_LIMIT);
	for (;;) {
		struct token token = next_raw(pp);
		if (token.kind == TOKEN_END || token.kind == TOKEN_HASH ||
		    token.kind == TOKEN_NEWLINE) {
			diag_error(pp->diag, name.location,
				"the arguments of macro '%s' have no ')'", macro->name);
			unread(pp, token);
			return false;
		}
		if (depth == 0 && token_is_punctuator(token, ")"))
			break;
		if (depth == 0 && token_is_punctuator(token, ",") && count + 1 < MACRO_PARAMETER_LIMIT) {
			count++;
			continue;
		}
		depth += token_is_punctuator(token, "(");
		depth -= token_is_punctuator(token, ")");
		push_token(pp->arena, &arguments[count], token);
	}
	count += macro->parameter_count > 0 || arguments[0].count > 0;
	if (count != macro->parameter_count)
		diag_error(pp->diag, name.location, "macro '%s' takes %d argument%s and is given %d",
			macro->name, macro->parameter_count,
			macro->parameter_count == 1 ? "" : "s", count);
	return count == macro->parameter_count;
}

static int parameter_index(const struct macro *macro, struct token token)
{
	for (int i = 0; token.kind == TOKEN_NAME && i < macro->parameter_count; i++)
		if (!strcmp(macro->parameters[i], token.text))
			return i;
	return -1;
}

/* What the text of two tokens side by side is. */
static struct token joined(struct preprocessor *pp, struct token a, struct token b)
{
	char *text = arena_printf(pp->arena, "%s%s", a.text, b.text);
	struct lexer *lexer = lexer_new(pp->arena, pp->diag, a.location.file, text, strlen(text));
	struct token token = lexer_next(lexer);
	if (token.kind == TOKEN_END || lexer_next(lexer).kind != TOKEN_END)
		diag_error(pp->diag, a.location, "'%s' and '%s' are no token together", a.text, b.text);
	lexer_free(lexer);
	token.location = a.location;
	return token;
}

/* Appends TOKENS to RESULT; the first of them is joined to its last if JOIN. */
static void append_tokens(struct preprocessor *pp, struct tokens *result, struct tokens tokens,
	bool join)
{
	pp->expanded += (long)tokens.count;
	for (size_t i = 0; i < tokens.count && pp->expanded <= EXPANSION_LIMIT; i++)
		if (i == 0 && join && result->count)
			result->items[result->count - 1] =
				joined(pp, result->items[result->count - 1], tokens.items[0]);
		else
			push_token(pp->arena, result, tokens.items[i]);
}

/* The body of MACRO; beside ## stand the arguments as they were written, RAW. */
static void substitute(struct preprocessor *pp, struct macro *macro, struct token name,
	const struct tokens *raw, const struct tokens *expanded)
{
	struct tokens result = { 0 };
	const struct tokens *body = &macro->body;
	bool join = false, was_empty = false;
	for (size_t i = 0; i < body->count && pp->expanded <= EXPANSION_LIMIT; i++) {
		struct token token = body->items[i];
		bool joins_next = i + 1 < body->count && token_is_punctuator(body->items[i + 1], "##");
		int index = parameter_index(macro, token);
		token.location = name.location;
		if (token_is_punctuator(token, "##")) {
			join = true;
			continue;
		}
		struct tokens one = { .count = 1, .items = &token };
		struct tokens what = index < 0 ? one : join || joins_next ? raw[index] :
			expanded[index];
		append_tokens(pp, &result, what, join && !was_empty);
		was_empty = !what.count && (!join || was_empty);
		join = false;
	}
	push_input(pp, result, macro);
}

/* Replaces NAME if it is a macro that may be expanded here. */
static bool expand(struct preprocessor *pp, struct token *name)
{
	struct macro *macro = find_macro(pp, name->text);
	if (!macro || name->hidden)
		return false;
	if (macro->is_active) {
		name->hidden = true;
		return false;
	}
	struct tokens arguments[MACRO_PARAMETER_LIMIT], expanded[MACRO_PARAMETER_LIMIT];
	if (macro->is_function) {
		struct token open = next_raw(pp);
		if (!token_is_punctuator(open, "(")) {
			unread(pp, open);
			return false;
		}
		if (!read_arguments(pp, macro, *name, arguments)) {
			*name = (struct token){ .kind = TOKEN_NUMBER, .text = "1",
				.location = name->location };
			return false;
		}
		for (int i = 0; i < macro->parameter_count; i++)
			expanded[i] = expand_all(pp, arguments[i]);
	}
	substitute(pp, macro, *name, arguments, expanded);
	return true;
}

/* Directives. */

static void skip_line(struct preprocessor *pp)
{
	for (struct token token = next_raw(pp);
	     token.kind != TOKEN_NEWLINE && token.kind != TOKEN_END;)
		token = next_raw(pp);
}

static void end_line(struct preprocessor *pp, const char *directive)
{
	struct token token = next_raw(pp);
	if (token.kind == TOKEN_NEWLINE || token.kind == TOKEN_END)
		return;
	diag_error(pp->diag, token.location, "unexpected '%s' after #%s", token.text, directive);
	skip_line(pp);
}

static struct tokens read_line(struct preprocessor *pp)
{
	struct tokens line = { 0 };
	for (struct token token = next_raw(pp);
	     token.kind != TOKEN_NEWLINE && token.kind != TOKEN_END; token = next_raw(pp))
		push_token(pp->arena, &line, token);
	return line;
}

static bool same_body(const struct macro *a, const struct macro *b)
{
	bool same = a->is_function == b->is_function && a->body.count == b->body.count &&
		a->parameter_count == b->parameter_count;
	for (int i = 0; same && i < a->parameter_count; i++)
		same = !strcmp(a->parameters[i], b->parameters[i]);
	for (size_t i = 0; same && i < a->body.count; i++)
		same = !strcmp(a->body.items[i].text, b->body.items[i].text);
	return same;
}

/* The parameters of a macro, after "(".  False after an error. */
static bool read_parameters(struct preprocessor *pp, struct macro *macro)
{
	macro->is_function = true;
	struct token token = next_raw(pp);
	if (token_is_punctuator(token, ")"))
		return true;
	for (;; token = next_raw(pp)) {
		if (token.kind != TOKEN_NAME || macro->parameter_count == MACRO_PARAMETER_LIMIT) {
			diag_error(pp->diag, token.location,
				"a macro's parameters must be names, at most %d of them",
				(int)MACRO_PARAMETER_LIMIT);
			break;
		}
		macro->parameters[macro->parameter_count++] = token.text;
		token = next_raw(pp);
		if (token_is_punctuator(token, ")"))
			return true;
		if (!token_is_punctuator(token, ",")) {
			diag_error(pp->diag, token.location,
				"expected ',' or ')' in the parameters of macro '%s'", macro->name);
			break;
		}
	}
	if (token.kind != TOKEN_NEWLINE && token.kind != TOKEN_END)
		skip_line(pp);
	return false;
}

static void check_redefinition(struct preprocessor *pp, const struct macro *old,
	const struct macro *macro)
{
	if (old && !same_body(old, macro)) {
		diag_error(pp->diag, macro->location, "macro '%s' is defined again", macro->name);
		diag_note(pp->diag, old->location, old->location.line ?
			"it was defined here; write #undef %s in between" :
			"-D or a header defines it; put #ifndef %s around this line", macro->name);
	}
	const struct binding *binding = old ? NULL : find_binding(pp, macro->name);
	if (binding && (macro->body.count != 1 ||
	    strcmp(macro->body.items[0].text, binding->value)))
		diag_error(pp->diag, macro->location,
			"'%s' is defined here, so -D %s=%s has no effect; put #ifndef %s around "
			"this line", macro->name, macro->name, binding->value, macro->name);
}

static void read_define(struct preprocessor *pp)
{
	struct token name = next_raw(pp);
	if (name.kind != TOKEN_NAME) {
		diag_error(pp->diag, name.location, "expected a name after #define");
		if (name.kind != TOKEN_NEWLINE)
			skip_line(pp);
		return;
	}
	struct macro *macro = ARENA_NEW(pp->arena, struct macro);
	*macro = (struct macro){ .name = name.text, .location = name.location, .is_defined = true };
	struct token token = next_raw(pp);
	if (token_is_punctuator(token, "(") && !token.space_before) {
		if (!read_parameters(pp, macro))
			return;
		token = next_raw(pp);
	}
	for (; token.kind != TOKEN_NEWLINE && token.kind != TOKEN_END; token = next_raw(pp)) {
		if (token_is_punctuator(token, "#"))
			diag_error(pp->diag, token.location,
				"'#' in a macro is not supported: there are no strings");
		push_token(pp->arena, &macro->body, token);
	}
	size_t count = macro->body.count;
	if (count && (token_is_punctuator(macro->body.items[0], "##") ||
	    token_is_punctuator(macro->body.items[count - 1], "##"))) {
		diag_error(pp->diag, name.location, "'##' joins two tokens; one is missing");
		return;
	}
	struct macro *old = find_macro(pp, name.text);
	check_redefinition(pp, old, macro);
	if (old)
		old->is_defined = false;
	struct macro **bucket = bucket_of(pp, name.text);
	macro->next = *bucket;
	*bucket = macro;
}

static struct token read_macro_name(struct preprocessor *pp, const char *directive)
{
	struct token name = next_raw(pp);
	if (name.kind == TOKEN_NAME) {
		end_line(pp, directive);
	} else {
		diag_error(pp->diag, name.location, "expected a name after #%s", directive);
		if (name.kind != TOKEN_NEWLINE)
			skip_line(pp);
	}
	return name;
}

/* Replaces `defined NAME` by 1 or 0 and expands the rest. */
static struct tokens prepare_condition(struct preprocessor *pp, struct tokens line)
{
	struct tokens result = { 0 };
	for (size_t i = 0; i < line.count; i++) {
		struct token token = line.items[i];
		if (is_name(token, "defined")) {
			bool has_paren = i + 1 < line.count && token_is_punctuator(line.items[i + 1], "(");
			size_t at = i + 1 + has_paren;
			if (at < line.count && line.items[at].kind == TOKEN_NAME) {
				token.kind = TOKEN_NUMBER;
				token.text = test_defined(pp, line.items[at].text) ? "1" : "0";
				i = at + has_paren;
			}
		} else if (token.kind == TOKEN_NAME) {
			test_defined(pp, token.text);
		}
		push_token(pp->arena, &result, token);
	}
	return expand_all(pp, result);
}

static bool read_condition(struct preprocessor *pp, struct location at)
{
	struct tokens line = prepare_condition(pp, read_line(pp));
	return condition_holds(pp->diag, at, line.items, line.count);
}

static bool is_active(const struct preprocessor *pp)
{
	return !pp->condition_count || pp->conditions[pp->condition_count - 1].is_active;
}

static void open_condition(struct preprocessor *pp, struct location at, bool value)
{
	bool outer = is_active(pp);
	if (pp->condition_count == CONDITION_DEPTH_LIMIT) {
		diag_error(pp->diag, at, "more than %d nested #if", (int)CONDITION_DEPTH_LIMIT);
		pp->gave_up = true;
		return;
	}
	pp->conditions[pp->condition_count++] = (struct condition){
		.location = at, .was_taken = value || !outer, .is_active = value && outer };
}

/* The number of conditions that the files around the innermost one left open. */
static int condition_base(const struct preprocessor *pp)
{
	const struct input *input = pp->input;
	while (input && !input->lexer)
		input = input->below;
	return input ? input->condition_depth : 0;
}

static void read_else(struct preprocessor *pp, struct token name)
{
	if (pp->condition_count <= condition_base(pp)) {
		diag_error(pp->diag, name.location, "#%s without #if", name.text);
		skip_line(pp);
		return;
	}
	struct condition *condition = &pp->conditions[pp->condition_count - 1];
	if (is_name(name, "endif")) {
		pp->condition_count--;
		end_line(pp, "endif");
		return;
	}
	if (condition->has_else)
		diag_error(pp->diag, name.location, "#%s after #else", name.text);
	if (is_name(name, "else")) {
		condition->is_active = !condition->was_taken;
		condition->has_else = true;
		end_line(pp, "else");
	} else if (condition->was_taken) {
		condition->is_active = false;
		skip_line(pp);
	} else {
		condition->is_active = true;
		condition->is_active = read_condition(pp, name.location);
	}
	condition->was_taken |= condition->is_active;
}

/* Files. */

static const char *directory_of(struct arena *arena, const char *file)
{
	const char *slash = strrchr(file, '/');
	return slash ? arena_strndup(arena, file, (size_t)(slash - file) + 1) : "";
}

static void push_file(struct preprocessor *pp, const char *file, const char *text, size_t length)
{
	struct input *input = push_input(pp, (struct tokens){ 0 }, NULL);
	input->lexer = lexer_new(pp->arena, pp->diag, file, text, length);
	input->condition_depth = pp->condition_count;
	input->directory = directory_of(pp->arena, file);
	pp->include_depth++;
}

static void pop_file(struct preprocessor *pp)
{
	struct input *input = pp->input;
	for (; pp->condition_count > input->condition_depth; pp->condition_count--)
		diag_error(pp->diag, pp->conditions[pp->condition_count - 1].location,
			"this #if has no #endif");
	lexer_free(input->lexer);
	pp->input = input->below;
	pp->include_depth--;
}

static bool list_has(const struct ast_list *list, const char *text)
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
	if (list_has(&pp->once, file))
		return true;
	char *text = read_file(pp, file, &text_length);
	if (!text)
		return false;
	if (!list_has(&pp->files, file)) {
		ast_append(pp->arena, &pp->files, (void *)(uintptr_t)file);
		diag_add_source(pp->diag, file, text, text_length);
	}
	push_file(pp, file, text, text_length);
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
	if (list_has(&pp->includes, name.text))
		return;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i], name.text)) {
			ast_append(pp->arena, &pp->includes, (void *)(uintptr_t)known[i]);
			if (!strcmp(name.text, "<stdbool.h>")) {
				define_text(pp, "bool", "_Bool");
				define_text(pp, "true", "1");
				define_text(pp, "false", "0");
			}
			return;
		}
	diag_error(pp->diag, name.location, "%s is not known here; a .loop file may include "
		"<stdint.h>, <stdbool.h>, <stddef.h>, <limits.h>, <float.h>, <math.h>, <stdlib.h> "
		"and its own headers", name.text);
}

static struct lexer *current_lexer(const struct preprocessor *pp)
{
	const struct input *input = pp->input;
	while (input && !input->lexer)
		input = input->below;
	return input ? input->lexer : NULL;
}

static void read_include(struct preprocessor *pp)
{
	lexer_expect_header(current_lexer(pp));
	struct token name = next_raw(pp);
	if (name.kind != TOKEN_HEADER && name.kind != TOKEN_STRING) {
		diag_error(pp->diag, name.location, "expected <name> or \"name\" after #include");
		if (name.kind != TOKEN_NEWLINE && name.kind != TOKEN_END)
			skip_line(pp);
		return;
	}
	end_line(pp, "include");
	if (name.kind == TOKEN_HEADER)
		include_system(pp, name);
	else
		include_file(pp, name);
}

/* True if there is a pragma for the parser: *PRAGMA. */
static bool read_pragma(struct preprocessor *pp, struct token at, struct token *pragma)
{
	struct token name = next_raw(pp);
	if (is_name(name, "once")) {
		const struct ast_list *files = &pp->files;
		for (size_t i = 0; i < files->count; i++)
			if (name.location.file == files->items[i])
				ast_append(pp->arena, &pp->once, files->items[i]);
	}
	if (!is_name(name, "loopc")) {
		/* scop and endscop mark loops for other polyhedral tools. */
		if (!is_name(name, "once") && !is_name(name, "STDC") && !is_name(name, "scop") &&
		    !is_name(name, "endscop"))
			diag_warning(pp->diag, at.location, "unknown-pragma",
				"this pragma is none of loopc's and is ignored");
		if (name.kind != TOKEN_NEWLINE && name.kind != TOKEN_END)
			skip_line(pp);
		return false;
	}
	lexer_expect_rest(current_lexer(pp));
	struct token rest = next_raw(pp);
	if (rest.kind != TOKEN_REST) {
		diag_error(pp->diag, name.location, "expected what to fix after #pragma loopc");
		return false;
	}
	skip_line(pp);
	*pragma = rest;
	return true;
}

static void read_if(struct preprocessor *pp, struct token name)
{
	bool value = false;
	if (!is_active(pp)) {
		skip_line(pp);
	} else if (is_name(name, "if")) {
		value = read_condition(pp, name.location);
	} else {
		struct token macro = read_macro_name(pp, name.text);
		value = macro.kind == TOKEN_NAME &&
			test_defined(pp, macro.text) == is_name(name, "ifdef");
	}
	open_condition(pp, name.location, value);
}

static void undefine(struct preprocessor *pp)
{
	struct token name = read_macro_name(pp, "undef");
	struct macro *macro = name.kind == TOKEN_NAME ? find_macro(pp, name.text) : NULL;
	if (macro)
		macro->is_defined = false;
}

static bool is_conditional(struct token name)
{
	static const char *const names[] = { "if", "ifdef", "ifndef", "elif", "else", "endif" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (is_name(name, names[i]))
			return true;
	return false;
}

/* Carries out a directive, after its #.  True if it is a pragma for the parser. */
static bool read_directive(struct preprocessor *pp, struct token *pragma)
{
	struct token name = next_raw(pp);
	if (name.kind == TOKEN_NEWLINE || name.kind == TOKEN_END)
		return false;
	if (is_conditional(name)) {
		if (name.text[0] == 'i')
			read_if(pp, name);
		else
			read_else(pp, name);
	} else if (!is_active(pp)) {
		skip_line(pp);
	} else if (is_name(name, "define")) {
		read_define(pp);
	} else if (is_name(name, "undef")) {
		undefine(pp);
	} else if (is_name(name, "include")) {
		read_include(pp);
	} else if (is_name(name, "pragma")) {
		return read_pragma(pp, name, pragma);
	} else if (is_name(name, "error")) {
		lexer_expect_rest(current_lexer(pp));
		struct token rest = next_raw(pp);
		diag_error(pp->diag, name.location, "#error %s",
			rest.kind == TOKEN_REST ? rest.text : "");
		if (rest.kind == TOKEN_REST)
			skip_line(pp);
	} else {
		diag_error(pp->diag, name.location, "'#%s' is no directive that loopc knows",
			name.text);
		skip_line(pp);
	}
	return false;
}

static struct token next_raw(struct preprocessor *pp)
{
	for (;;) {
		struct input *input = pp->input;
		if (!input)
			return (struct token){ .kind = TOKEN_END, .text = "" };
		if (input->lexer)
			return lexer_next(input->lexer);
		if (input->next < input->tokens.count)
			return input->tokens.items[input->next++];
		if (input->macro)
			input->macro->is_active = false;
		pp->input = input->below;
		if (input->is_barrier)
			return (struct token){ .kind = TOKEN_END, .text = "" };
	}
}

/* Drops what #if leaves out, up to the next directive. */
static struct token skip_inactive(struct preprocessor *pp)
{
	lexer_set_quiet(pp->input->lexer, true);
	struct token token;
	do
		token = next_raw(pp);
	while (token.kind != TOKEN_HASH && token.kind != TOKEN_END);
	lexer_set_quiet(pp->input->lexer, false);
	return token;
}

static struct token next_expanded(struct preprocessor *pp)
{
	for (;;) {
		struct token token = next_raw(pp), pragma;
		if (pp->expanded > EXPANSION_LIMIT)
			pp->gave_up = true;
		if (token.kind == TOKEN_HASH && !pp->gave_up) {
			if (read_directive(pp, &pragma))
				return pragma;
			while (!is_active(pp) && !pp->gave_up) {
				token = skip_inactive(pp);
				if (token.kind == TOKEN_END) {
					pp->condition_count -= pp->input->condition_depth <
						pp->condition_count;
					diag_error(pp->diag, pp->conditions[pp->condition_count].location,
						"this #if has no #endif");
				} else {
					read_directive(pp, &pragma);
				}
			}
			continue;
		}
		if (token.kind != TOKEN_NAME || pp->gave_up || !expand(pp, &token))
			return token;
	}
}

struct preprocessor *preprocess_new(struct arena *arena, struct diag *diag, const char *file,
	const char *text, size_t length, const struct binding *bindings, int binding_count,
	const char *const *include_dirs, int include_dir_count)
{
	struct preprocessor *pp = ARENA_NEW(arena, struct preprocessor);
	pp->arena = arena;
	pp->diag = diag;
	pp->bindings = bindings;
	pp->binding_count = binding_count;
	pp->include_dirs = include_dirs;
	pp->include_dir_count = include_dir_count;
	if (length >= FILE_BYTES_LIMIT) {
		diag_error(diag, (struct location){ .file = file }, "the file is larger than 64 MB");
		length = 0;
	}
	push_file(pp, file, text, length);
	return pp;
}

struct token preprocess_next(struct preprocessor *pp)
{
	for (;;) {
		struct token token = next_expanded(pp);
		if (pp->gave_up) {
			if (pp->gave_up && !diag_error_count(pp->diag))
				diag_error(pp->diag, token.location, "macros expand to too much here");
			token.kind = TOKEN_END;
			return token;
		}
		if (token.kind != TOKEN_END || !pp->input || !pp->input->lexer)
			return token;
		if (pp->include_depth == 1 && pp->condition_count <= pp->input->condition_depth)
			return token;
		pop_file(pp);
	}
}

void preprocess_free(struct preprocessor *pp)
{
	for (; pp->input; pp->input = pp->input->below)
		if (pp->input->lexer)
			lexer_free(pp->input->lexer);
}

const struct ast_list *preprocess_includes(const struct preprocessor *pp)
{
	return &pp->includes;
}

const struct ast_list *preprocess_files(const struct preprocessor *pp)
{
	return &pp->files;
}

bool preprocess_has_include(const struct preprocessor *pp, const char *name)
{
	return list_has(&pp->includes, name);
}

bool preprocess_is_macro(const struct preprocessor *pp, const char *name)
{
	struct preprocessor *writable = (struct preprocessor *)(uintptr_t)pp;
	for (struct macro *macro = *bucket_of(writable, name); macro; macro = macro->next)
		if (!strcmp(macro->name, name))
			return true;
	return false;
}

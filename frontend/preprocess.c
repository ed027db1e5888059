#include "frontend/preprocess.h"

#include "frontend/condition.h"
#include "frontend/preprocessor.h"

void pp_push_token(struct arena *arena, struct tokens *tokens, struct token token)
{
	tokens->items = arena_grow(arena, tokens->items, tokens->count, &tokens->capacity,
		sizeof token);
	tokens->items[tokens->count++] = token;
}

struct input *pp_push_input(struct preprocessor *pp, struct tokens tokens, struct macro *macro)
{
	struct input *input = ARENA_NEW(pp->arena, struct input);
	*input = (struct input){ .below = pp->input, .tokens = tokens, .macro = macro };
	if (macro)
		macro->is_active = true;
	pp->input = input;
	return input;
}

void pp_unread(struct preprocessor *pp, struct token token)
{
	struct tokens tokens = { 0 };
	pp_push_token(pp->arena, &tokens, token);
	pp_push_input(pp, tokens, NULL);
}

/* Directives. */

void pp_skip_line(struct preprocessor *pp)
{
	for (struct token token = pp_next_raw(pp);
	     token.kind != TOKEN_NEWLINE && token.kind != TOKEN_END;)
		token = pp_next_raw(pp);
}

void pp_end_line(struct preprocessor *pp, const char *directive)
{
	struct token token = pp_next_raw(pp);
	if (token.kind == TOKEN_NEWLINE || token.kind == TOKEN_END)
		return;
	diag_error(pp->diag, token.location, "unexpected '%s' after #%s", token.text, directive);
	pp_skip_line(pp);
}

static struct tokens read_line(struct preprocessor *pp)
{
	struct tokens line = { 0 };
	for (struct token token = pp_next_raw(pp);
	     token.kind != TOKEN_NEWLINE && token.kind != TOKEN_END; token = pp_next_raw(pp))
		pp_push_token(pp->arena, &line, token);
	return line;
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
				token.text = pp_test_defined(pp, line.items[at].text) ? "1" : "0";
				i = at + has_paren;
			}
		} else if (token.kind == TOKEN_NAME) {
			pp_test_defined(pp, token.text);
		}
		pp_push_token(pp->arena, &result, token);
	}
	return pp_expand_all(pp, result);
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
		pp_skip_line(pp);
		return;
	}
	struct condition *condition = &pp->conditions[pp->condition_count - 1];
	if (is_name(name, "endif")) {
		pp->condition_count--;
		pp_end_line(pp, "endif");
		return;
	}
	if (condition->has_else)
		diag_error(pp->diag, name.location, "#%s after #else", name.text);
	if (is_name(name, "else")) {
		condition->is_active = !condition->was_taken;
		condition->has_else = true;
		pp_end_line(pp, "else");
	} else if (condition->was_taken) {
		condition->is_active = false;
		pp_skip_line(pp);
	} else {
		condition->is_active = true;
		condition->is_active = read_condition(pp, name.location);
	}
	condition->was_taken |= condition->is_active;
}

/* True if there is a pragma for the parser: *PRAGMA. */
static bool read_pragma(struct preprocessor *pp, struct token at, struct token *pragma)
{
	struct token name = pp_next_raw(pp);
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
			pp_skip_line(pp);
		return false;
	}
	lexer_expect_rest(pp_current_lexer(pp));
	struct token rest = pp_next_raw(pp);
	if (rest.kind != TOKEN_REST) {
		diag_error(pp->diag, name.location, "expected what to fix after #pragma loopc");
		return false;
	}
	pp_skip_line(pp);
	*pragma = rest;
	return true;
}

static void read_if(struct preprocessor *pp, struct token name)
{
	bool value = false;
	if (!is_active(pp)) {
		pp_skip_line(pp);
	} else if (is_name(name, "if")) {
		value = read_condition(pp, name.location);
	} else {
		struct token macro = pp_read_macro_name(pp, name.text);
		value = macro.kind == TOKEN_NAME &&
			pp_test_defined(pp, macro.text) == is_name(name, "ifdef");
	}
	open_condition(pp, name.location, value);
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
	struct token name = pp_next_raw(pp);
	if (name.kind == TOKEN_NEWLINE || name.kind == TOKEN_END)
		return false;
	if (is_conditional(name)) {
		if (name.text[0] == 'i')
			read_if(pp, name);
		else
			read_else(pp, name);
	} else if (!is_active(pp)) {
		pp_skip_line(pp);
	} else if (is_name(name, "define")) {
		pp_read_define(pp);
	} else if (is_name(name, "undef")) {
		pp_undefine(pp);
	} else if (is_name(name, "include")) {
		pp_read_include(pp);
	} else if (is_name(name, "pragma")) {
		return read_pragma(pp, name, pragma);
	} else if (is_name(name, "error")) {
		lexer_expect_rest(pp_current_lexer(pp));
		struct token rest = pp_next_raw(pp);
		diag_error(pp->diag, name.location, "#error %s",
			rest.kind == TOKEN_REST ? rest.text : "");
		if (rest.kind == TOKEN_REST)
			pp_skip_line(pp);
	} else {
		diag_error(pp->diag, name.location, "'#%s' is no directive that loopc knows",
			name.text);
		pp_skip_line(pp);
	}
	return false;
}

struct token pp_next_raw(struct preprocessor *pp)
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
		token = pp_next_raw(pp);
	while (token.kind != TOKEN_HASH && token.kind != TOKEN_END);
	lexer_set_quiet(pp->input->lexer, false);
	return token;
}

struct token pp_next_expanded(struct preprocessor *pp)
{
	for (;;) {
		struct token token = pp_next_raw(pp), pragma;
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
		if (token.kind != TOKEN_NAME || pp->gave_up || !pp_expand(pp, &token))
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
	pp_push_file(pp, file, text, length);
	return pp;
}

struct token preprocess_next(struct preprocessor *pp)
{
	for (;;) {
		struct token token = pp_next_expanded(pp);
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
		pp_pop_file(pp);
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
	return pp_list_has(&pp->includes, name);
}

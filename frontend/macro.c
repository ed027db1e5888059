/* Macros: what #define makes, and what becomes of a name that is one. */

#include <stdint.h>
#include <string.h>

#include "frontend/preprocess.h"
#include "frontend/preprocessor.h"

enum { EXPANSION_DEPTH_LIMIT = 200 };

static struct macro **bucket_of(struct preprocessor *pp, const char *name)
{
	uint32_t hash = 2166136261U;
	for (const char *c = name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619U;
	return &pp->macros[hash % BUCKETS];
}

struct macro *pp_find_macro(struct preprocessor *pp, const char *name)
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

void pp_define_text(struct preprocessor *pp, const char *name, const char *text)
{
	struct lexer *lexer = lexer_new(pp->arena, pp->diag, NULL, text, strlen(text));
	struct macro *macro = add_macro(pp, name, (struct location){ 0 });
	for (struct token token; (token = lexer_next(lexer)).kind != TOKEN_END;)
		pp_push_token(pp->arena, &macro->body, token);
	lexer_free(lexer);
}

bool pp_test_defined(struct preprocessor *pp, const char *name)
{
	if (pp_find_macro(pp, name))
		return true;
	const struct binding *binding = find_binding(pp, name);
	for (struct macro *macro = *bucket_of(pp, name); macro; macro = macro->next)
		if (!strcmp(macro->name, name))
			return false;
	if (binding)
		pp_define_text(pp, name, binding->value);
	return binding;
}

struct tokens pp_expand_all(struct preprocessor *pp, struct tokens tokens)
{
	struct tokens result = { 0 };
	if (++pp->expansion_depth > EXPANSION_DEPTH_LIMIT) {
		pp->gave_up = true;
	} else {
		pp_push_input(pp, tokens, NULL)->is_barrier = true;
		for (struct token token; (token = pp_next_expanded(pp)).kind != TOKEN_END;)
			pp_push_token(pp->arena, &result, token);
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
		struct token token = pp_next_raw(pp);
		if (token.kind == TOKEN_END || token.kind == TOKEN_HASH ||
		    token.kind == TOKEN_NEWLINE) {
			diag_error(pp->diag, name.location,
				"the arguments of macro '%s' have no ')'", macro->name);
			pp_unread(pp, token);
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
		pp_push_token(pp->arena, &arguments[count], token);
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
			pp_push_token(pp->arena, result, tokens.items[i]);
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
	pp_push_input(pp, result, macro);
}

bool pp_expand(struct preprocessor *pp, struct token *name)
{
	struct macro *macro = pp_find_macro(pp, name->text);
	if (!macro || name->hidden)
		return false;
	if (macro->is_active) {
		name->hidden = true;
		return false;
	}
	struct tokens arguments[MACRO_PARAMETER_LIMIT], expanded[MACRO_PARAMETER_LIMIT];
	if (macro->is_function) {
		struct token open = pp_next_raw(pp);
		if (!token_is_punctuator(open, "(")) {
			pp_unread(pp, open);
			return false;
		}
		if (!read_arguments(pp, macro, *name, arguments)) {
			*name = (struct token){ .kind = TOKEN_NUMBER, .text = "1",
				.location = name->location };
			return false;
		}
		for (int i = 0; i < macro->parameter_count; i++)
			expanded[i] = pp_expand_all(pp, arguments[i]);
	}
	substitute(pp, macro, *name, arguments, expanded);
	return true;
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
	struct token token = pp_next_raw(pp);
	if (token_is_punctuator(token, ")"))
		return true;
	for (;; token = pp_next_raw(pp)) {
		if (token.kind != TOKEN_NAME || macro->parameter_count == MACRO_PARAMETER_LIMIT) {
			diag_error(pp->diag, token.location,
				"a macro's parameters must be names, at most %d of them",
				(int)MACRO_PARAMETER_LIMIT);
			break;
		}
		macro->parameters[macro->parameter_count++] = token.text;
		token = pp_next_raw(pp);
		if (token_is_punctuator(token, ")"))
			return true;
		if (!token_is_punctuator(token, ",")) {
			diag_error(pp->diag, token.location,
				"expected ',' or ')' in the parameters of macro '%s'", macro->name);
			break;
		}
	}
	if (token.kind != TOKEN_NEWLINE && token.kind != TOKEN_END)
		pp_skip_line(pp);
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

void pp_read_define(struct preprocessor *pp)
{
	struct token name = pp_next_raw(pp);
	if (name.kind != TOKEN_NAME) {
		diag_error(pp->diag, name.location, "expected a name after #define");
		if (name.kind != TOKEN_NEWLINE)
			pp_skip_line(pp);
		return;
	}
	struct macro *macro = ARENA_NEW(pp->arena, struct macro);
	*macro = (struct macro){ .name = name.text, .location = name.location, .is_defined = true };
	struct token token = pp_next_raw(pp);
	if (token_is_punctuator(token, "(") && !token.space_before) {
		if (!read_parameters(pp, macro))
			return;
		token = pp_next_raw(pp);
	}
	for (; token.kind != TOKEN_NEWLINE && token.kind != TOKEN_END; token = pp_next_raw(pp)) {
		if (token_is_punctuator(token, "#"))
			diag_error(pp->diag, token.location,
				"'#' in a macro is not supported: there are no strings");
		pp_push_token(pp->arena, &macro->body, token);
	}
	size_t count = macro->body.count;
	if (count && (token_is_punctuator(macro->body.items[0], "##") ||
	    token_is_punctuator(macro->body.items[count - 1], "##"))) {
		diag_error(pp->diag, name.location, "'##' joins two tokens; one is missing");
		return;
	}
	struct macro *old = pp_find_macro(pp, name.text);
	check_redefinition(pp, old, macro);
	if (old)
		old->is_defined = false;
	struct macro **bucket = bucket_of(pp, name.text);
	macro->next = *bucket;
	*bucket = macro;
}

struct token pp_read_macro_name(struct preprocessor *pp, const char *directive)
{
	struct token name = pp_next_raw(pp);
	if (name.kind == TOKEN_NAME) {
		pp_end_line(pp, directive);
	} else {
		diag_error(pp->diag, name.location, "expected a name after #%s", directive);
		if (name.kind != TOKEN_NEWLINE)
			pp_skip_line(pp);
	}
	return name;
}

void pp_undefine(struct preprocessor *pp)
{
	struct token name = pp_read_macro_name(pp, "undef");
	struct macro *macro = name.kind == TOKEN_NAME ? pp_find_macro(pp, name.text) : NULL;
	if (macro)
		macro->is_defined = false;
}

bool preprocess_is_macro(const struct preprocessor *pp, const char *name)
{
	struct preprocessor *writable = (struct preprocessor *)(uintptr_t)pp;
	for (struct macro *macro = *bucket_of(writable, name); macro; macro = macro->next)
		if (!strcmp(macro->name, name))
			return true;
	return false;
}

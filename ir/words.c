#include "ir/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NESTING_LIMIT = 400 };

void words_fail(struct words *words, const char *format, ...)
{
	char text[256];
	va_list arguments;

	if (words->failed)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	diag_error(words->diag, words->at, "%s", text);
	words->failed = true;
	words->kind = WORD_END;
	words->text = "";
}

static void skip_space(struct words *words)
{
	while (isspace((unsigned char)*words->next) || *words->next == '#') {
		if (*words->next == '#') {
			words->next += strcspn(words->next, "\n");
			continue;
		}
		if (*words->next == '\n') {
			words->line++;
			words->line_start = words->next + 1;
		}
		words->next++;
	}
}

static void read_string(struct words *words)
{
	const char *c = words->next + 1;
	char *text = arena_alloc(words->arena, strcspn(c, "\n") + 1), *end = text;

	for (; *c != '"'; c++) {
		if (*c == '\0' || *c == '\n' || (*c == '\\' && (c[1] == '\0' || c[1] == '\n'))) {
			words_fail(words, "the string has no end on its line");
			return;
		}
		if (*c == '\\' && *++c == 'n')
			*end++ = '\n';
		else
			*end++ = *c;
	}
	words->kind = WORD_STRING;
	words->text = text;
	words->next = c + 1;
}

static size_t number_length(const char *text)
{
	size_t length = *text == '-' ? 1 : 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '.'
		|| ((text[length] == '+' || text[length] == '-') && length > 0
			&& text[length - 1] == 'e'))
		length++;
	return length;
}

static size_t punctuation_length(const char *text)
{
	static const char *const pairs[] = { "==", "<=", "&&", "||" };

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (strncmp(text, pairs[i], 2) == 0)
			return 2;
	return 1;
}

void words_advance(struct words *words)
{
	const char *start;
	size_t length = 0;

	if (words->failed)
		return;
	skip_space(words);
	start = words->next;
	words->at = (struct location){ words->file, words->line,
		(int)(start - words->line_start) + 1, 0 };
	if (*start == '"') {
		read_string(words);
		return;
	}
	if (isalpha((unsigned char)*start) || *start == '_') {
		words->kind = WORD_NAME;
		while (isalnum((unsigned char)start[length]) || start[length] == '_'
			|| start[length] == '.')
			length++;
	} else if (isdigit((unsigned char)*start)
		|| (*start == '-' && isdigit((unsigned char)start[1]))) {
		words->kind = WORD_NUMBER;
		length = number_length(start);
	} else if (*start) {
		words->kind = WORD_PUNCTUATION;
		length = punctuation_length(start);
	} else {
		words->kind = WORD_END;
	}
	words->text = arena_strndup(words->arena, start, length);
	words->next = start + length;
	words->at.end_column = words->at.column + (int)length;
}

bool words_are_at(const struct words *words, const char *text)
{
	return (words->kind == WORD_NAME || words->kind == WORD_PUNCTUATION)
		&& strcmp(words->text, text) == 0;
}

bool words_take(struct words *words, const char *text)
{
	if (words->failed || !words_are_at(words, text))
		return false;
	words_advance(words);
	return true;
}

void words_expect(struct words *words, const char *text)
{
	if (!words_take(words, text))
		words_fail(words, words->kind == WORD_END ? "expected '%s' before the end of the plan"
			: "expected '%s', found '%s'", text, words->text);
}

const char *words_take_name(struct words *words, const char *what)
{
	const char *name = words->text;

	if (words->kind != WORD_NAME) {
		words_fail(words, "expected %s, found '%s'", what, words->text);
		return "";
	}
	words_advance(words);
	return name;
}

long words_take_long(struct words *words)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(words->text, &end, 10);
	if (words->kind != WORD_NUMBER || *end || errno) {
		words_fail(words, "expected an integer, found '%s'", words->text);
		return 0;
	}
	words_advance(words);
	return value;
}

int words_take_int(struct words *words)
{
	long value = words_take_long(words);

	if (value != (int)value)
		words_fail(words, "%ld is too large here", value);
	return (int)value;
}

double words_take_real(struct words *words)
{
	char *end;
	double value = strtod(words->text, &end);

	if (words->kind != WORD_NUMBER || *end) {
		words_fail(words, "expected a number, found '%s'", words->text);
		return 0;
	}
	words_advance(words);
	return value;
}

const char *words_take_string(struct words *words)
{
	const char *text = "";

	if (words->kind != WORD_STRING)
		words_fail(words, "expected a string, found '%s'", words->text);
	while (words->kind == WORD_STRING && !words->failed) {
		text = *text ? arena_printf(words->arena, "%s%s", text, words->text)
			: words->text;
		words_advance(words);
	}
	return text;
}

long words_take_named(struct words *words, const char *name)
{
	words_expect(words, name);
	return words_take_long(words);
}

void words_start(struct words *words, struct arena *arena, struct diag *diag, const char *file,
	const char *text, int line)
{
	*words = (struct words){ .arena = arena, .diag = diag, .file = file, .next = text,
		.line = line, .line_start = text };
	words_advance(words);
}

bool words_enter(struct words *words)
{
	if (++words->depth > NESTING_LIMIT)
		words_fail(words, "too deeply nested");
	return !words->failed;
}

void words_leave(struct words *words)
{
	words->depth--;
}

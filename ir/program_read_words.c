/* What the text of a program consists of: names, numbers, strings, places and types. */

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "ir/program_build.h"
#include "ir/program_reader.h"

enum { NAME_LIMIT = 256 };

void reader_fail(struct reader *reader, const char *format, ...)
{
	char text[300];
	va_list arguments;
	if (reader->failed)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	struct location at = { reader->file, reader->line,
		(int)(reader->at - reader->line_start) + 1, 0 };
	diag_error(reader->diag, at, "%s in the text of a program", text);
	reader->failed = true;
}

void reader_skip_space(struct reader *reader)
{
	while (isspace((unsigned char)*reader->at) || *reader->at == '#') {
		if (*reader->at == '#')
			reader->at += strcspn(reader->at, "\n");
		if (*reader->at == '\n') {
			reader->line++;
			reader->line_start = reader->at + 1;
		}
		reader->at += *reader->at != 0;
	}
}

bool reader_peek(struct reader *reader, const char *text)
{
	reader_skip_space(reader);
	size_t length = strlen(text);
	bool is_word = isalnum((unsigned char)text[length - 1]) || text[length - 1] == '_';
	unsigned char next = 0;
	if (strncmp(reader->at, text, length))
		return false;
	next = (unsigned char)reader->at[length];
	return !is_word || !(isalnum(next) || next == '_');
}

bool reader_accept(struct reader *reader, const char *text)
{
	if (reader->failed || !reader_peek(reader, text))
		return false;
	reader->at += strlen(text);
	return true;
}

void reader_expect(struct reader *reader, const char *text)
{
	if (!reader_accept(reader, text))
		reader_fail(reader, "expected '%s'", text);
}

struct mark reader_mark(const struct reader *reader)
{
	return (struct mark){ reader->at, reader->line_start, reader->line };
}

void reader_go_back(struct reader *reader, struct mark mark)
{
	reader->at = mark.at;
	reader->line_start = mark.line_start;
	reader->line = mark.line;
}

bool reader_is_name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

const char *reader_name(struct reader *reader)
{
	reader_skip_space(reader);
	const char *start = reader->at;
	if (!reader_is_name_start(*start)) {
		reader_fail(reader, "expected a name");
		return "";
	}
	while (isalnum((unsigned char)*reader->at) || *reader->at == '_')
		reader->at++;
	return arena_strndup(reader->arena, start, (size_t)(reader->at - start));
}

long reader_long(struct reader *reader)
{
	reader_skip_space(reader);
	long sign = *reader->at == '-' ? -1 : 1, value = 0;
	reader->at += *reader->at == '-';
	if (!isdigit((unsigned char)*reader->at))
		reader_fail(reader, "expected a number");
	for (; isdigit((unsigned char)*reader->at); reader->at++)
		if (__builtin_mul_overflow(value, 10L, &value) ||
		    __builtin_add_overflow(value, *reader->at - '0', &value)) {
			reader_fail(reader, "a number of more than 64 bits");
			return 0;
		}
	return sign * value;
}

int reader_int(struct reader *reader, long min, long max)
{
	long value = reader_long(reader);
	if (value < min || value > max) {
		reader_fail(reader, "%ld is out of range here", value);
		return (int)min;
	}
	return (int)value;
}

const char *reader_string(struct reader *reader)
{
	reader_expect(reader, "\"");
	if (reader->failed)
		return "";
	const char *start = reader->at;
	while (*reader->at && *reader->at != '"' && *reader->at != '\n')
		reader->at += 1 + (*reader->at == '\\' && reader->at[1] && reader->at[1] != '\n');
	char *text = arena_strndup(reader->arena, start, (size_t)(reader->at - start)), *to = text;
	for (const char *from = text; *from; from++) {
		from += *from == '\\' && from[1];
		*to++ = *from;
	}
	*to = 0;
	reader_expect(reader, "\"");
	return text;
}

struct location reader_place(struct reader *reader)
{
	struct location at = { .file = reader->program->file };
	if (reader_accept(reader, "@")) {
		at.line = reader_int(reader, 1, INT32_MAX);
		reader_expect(reader, ":");
		at.column = reader_int(reader, 0, INT32_MAX);
		if (reader_accept(reader, "-"))
			at.end_column = reader_int(reader, at.column, INT32_MAX);
	}
	return at;
}

bool reader_accept_type(struct reader *reader, struct type *type)
{
	static const char *const words[] = { "unsigned", "signed", "long", "short", "char", "int" };
	struct mark before = reader_mark(reader);
	const char *name = "";
	bool more = true;
	while (more) {
		more = false;
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			if (reader_accept(reader, words[i])) {
				name = arena_printf(reader->arena, "%s%s%s", name, *name ? " " : "",
					words[i]);
				more = strlen(name) < NAME_LIMIT;
				break;
			}
	}
	reader_skip_space(reader);
	if (!*name && reader_is_name_start(*reader->at))
		name = reader_name(reader);
	if (type_find(name, type))
		return true;
	reader_go_back(reader, before);
	return false;
}

struct type reader_type(struct reader *reader)
{
	struct type type = { TYPE_INT32, 4, "int" };
	if (!reader_accept_type(reader, &type))
		reader_fail(reader, "expected a type");
	return type;
}

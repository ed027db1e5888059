#include "support/diag.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/memory.h"

enum { ERROR_LIMIT = 20, LINE_SHOWN_BYTES = 160, TAB_WIDTH = 8 };

enum severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_REMARK, SEVERITY_NOTE };

/* Every -W and -R name there is; all warnings are on unless turned off, all
 * remarks off unless turned on. */
static const char *const warning_names[] = {
	"never-runs", "schedule", "sizes", "uninitialized", "unknown-pragma", "unused-define",
};
static const char *const warning_meanings[] = {
	"a loop that never runs",
	"a pragma gives way to the file of --schedule",
	"with sizes left to the run more moves than with them bound",
	"a value is read that nothing has set",
	"a #pragma that is none of loopc's",
	"-D of a name that the file does not use",
};
static const char *const remark_names[] = { "loop", "time" };
static const char *const remark_meanings[] = {
	"why loops are not tiled, or nests not fused",
	"cycles that a search for the fewest expected of what it chose",
};

enum { WARNING_COUNT = sizeof warning_names / sizeof *warning_names,
       REMARK_COUNT = sizeof remark_names / sizeof *remark_names };

struct source {
	struct source *next;
	char *file, *text;
	size_t length;
};

/* A remark that was printed: others who find the same say nothing more. */
struct said {
	struct said *next;
	struct location at;
	char *message;
};

struct diag {
	FILE *out;
	enum diag_color color;
	bool json, warnings_are_errors;
	bool warning_is_off[WARNING_COUNT], remark_is_on[REMARK_COUNT];
	struct source *sources;
	struct said *said;
	int error_count;
	bool last_was_printed;       /* a note now belongs to something shown */
	bool said_too_many;
	int json_count;              /* diagnostics begun in the JSON array */
	int json_child_count;        /* notes of the open one */
	bool json_is_closed;
};

struct diag *diag_new(FILE *out)
{
	struct diag *diag = memory_alloc(sizeof *diag);
	diag->out = out;
	return diag;
}

void diag_free(struct diag *diag)
{
	if (!diag)
		return;
	for (struct source *source = diag->sources, *next; source; source = next) {
		next = source->next;
		free(source->file);
		free(source->text);
		free(source);
	}
	for (struct said *said = diag->said, *next; said; said = next) {
		next = said->next;
		free(said->message);
		free(said);
	}
	free(diag);
}

void diag_set_color(struct diag *diag, enum diag_color color)
{
	diag->color = color;
}

void diag_set_json(struct diag *diag, bool json)
{
	diag->json = json;
}

void diag_set_werror(struct diag *diag, bool on)
{
	diag->warnings_are_errors = on;
}

static int find_name(const char *const *names, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

void diag_list_names(FILE *out)
{
	for (int w = 0; w < WARNING_COUNT; w++)
		fprintf(out, "-W%-16s %s\n", warning_names[w], warning_meanings[w]);
	for (int r = 0; r < REMARK_COUNT; r++)
		fprintf(out, "-R%-16s %s (off unless asked for)\n", remark_names[r], remark_meanings[r]);
}

bool diag_set_warning(struct diag *diag, const char *name, bool on)
{
	if (!strcmp(name, "all")) {
		for (int i = 0; i < WARNING_COUNT; i++)
			diag->warning_is_off[i] = !on;
		return true;
	}
	int index = find_name(warning_names, WARNING_COUNT, name);
	if (index >= 0)
		diag->warning_is_off[index] = !on;
	return index >= 0;
}

bool diag_set_remark(struct diag *diag, const char *name, bool on)
{
	if (!strcmp(name, "all")) {
		for (int i = 0; i < REMARK_COUNT; i++)
			diag->remark_is_on[i] = on;
		return true;
	}
	int index = find_name(remark_names, REMARK_COUNT, name);
	if (index >= 0)
		diag->remark_is_on[index] = on;
	return index >= 0;
}

void diag_add_source(struct diag *diag, const char *file, const char *text, size_t length)
{
	struct source *source = memory_alloc(sizeof *source);
	source->file = memory_alloc(strlen(file) + 1);
	strcpy(source->file, file);
	source->text = memory_alloc(length + 1);
	if (length)
		memcpy(source->text, text, length);
	source->length = length;
	source->next = diag->sources;
	diag->sources = source;
}

/* Bytes of the UTF-8 character at TEXT, of at most LEFT bytes; 0 if it is not
 * valid.  *CODE is the character. */
static size_t decode_utf8(const char *text, size_t left, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char first = (unsigned char)text[0];
	size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 :
		first >> 3 == 30 ? 4 : 0;
	if (!length || length > left)
		return 0;
	*code = length == 1 ? first : first & (0x7fU >> length);
	for (size_t i = 1; i < length; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | ((unsigned char)text[i] & 0x3f);
	}
	return *code >= least[length] && *code <= 0x10ffff ? length : 0;
}

/* Columns of a terminal that the character takes. */
static int display_width(uint32_t code)
{
	if ((code >= 0x300 && code <= 0x36f) || (code >= 0x200b && code <= 0x200f) ||
	    (code >= 0xfe00 && code <= 0xfe0f))
		return 0;
	if ((code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
	    (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
	    (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
	    (code >= 0x1f300 && code <= 0x1faff) || (code >= 0x20000 && code <= 0x3fffd))
		return 2;
	return 1;
}

/* One character of a source line, made fit to print: what is no character or
 * would control a terminal becomes '?'. */
struct glyph {
	size_t bytes;
	int columns;                 /* -1: a tab */
	bool is_printable;
};

static struct glyph glyph_at(const char *text, size_t left)
{
	uint32_t code = 0;
	size_t bytes = decode_utf8(text, left, &code);
	if (code == '\t' && bytes)
		return (struct glyph){ 1, -1, true };
	bool is_printable = bytes && code >= 0x20 && code != 0x7f && !(code >= 0x80 && code < 0xa0);
	return (struct glyph){ bytes ? bytes : 1, is_printable ? display_width(code) : 1,
		is_printable };
}

static int next_column(int column, struct glyph glyph)
{
	return glyph.columns < 0 ? column + TAB_WIDTH - column % TAB_WIDTH : column + glyph.columns;
}

struct line {
	const char *text;
	size_t length;
};

static bool find_line(const struct diag *diag, struct location at, struct line *line)
{
	const struct source *source = diag->sources;
	while (source && (!at.file || strcmp(source->file, at.file)))
		source = source->next;
	if (!source || at.line <= 0)
		return false;
	const char *text = source->text, *end = text + source->length;
	for (int number = 1; number < at.line; number++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline)
			return false;
		text = newline + 1;
	}
	const char *stop = memchr(text, '\n', (size_t)(end - text));
	if (!stop)
		stop = end;
	if (stop > text && stop[-1] == '\r')
		stop--;
	*line = (struct line){ text, (size_t)(stop - text) };
	return true;
}

/* The column a terminal shows for 1-based byte COLUMN of LINE, from 1. */
static int display_column(struct line line, int column)
{
	int display = 0;
	for (size_t i = 0; i < line.length && (int)i < column - 1;) {
		struct glyph glyph = glyph_at(line.text + i, line.length - i);
		display = next_column(display, glyph);
		i += glyph.bytes;
	}
	return display + 1;
}

static bool use_color(const struct diag *diag)
{
	if (diag->color != COLOR_AUTO)
		return diag->color == COLOR_ALWAYS;
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
	if ((no_color && *no_color) || (terminal && !strcmp(terminal, "dumb")))
		return false;
	int descriptor = fileno(diag->out);
	return descriptor >= 0 && isatty(descriptor);
}

static void put_color(const struct diag *diag, const char *code)
{
	if (use_color(diag))
		fprintf(diag->out, "\033[%sm", code);
}

static const char *const severity_names[] = { "error", "warning", "remark", "note" };
static const char *const severity_colors[] = { "01;31", "01;35", "01;34", "01;36" };

/* The line of AT between FROM and TO, and under it a caret and tildes. */
static void print_line(const struct diag *diag, struct location at, struct line line,
	size_t from, size_t to, enum severity severity)
{
	size_t caret = (size_t)at.column - 1;
	size_t end = at.end_column > at.column ? (size_t)at.end_column - 1 : caret + 1;
	char marks[4 * LINE_SHOWN_BYTES * TAB_WIDTH + 16];
	int width = 0, marked = 0;
	fprintf(diag->out, "%5d | ", at.line);
	for (size_t i = from; i < to;) {
		struct glyph glyph = glyph_at(line.text + i, line.length - i);
		int next = next_column(width, glyph);
		bool is_here = i >= caret && i < end;
		if (glyph.columns < 0)
			fprintf(diag->out, "%*s", next - width, "");
		else if (glyph.is_printable)
			fwrite(line.text + i, 1, glyph.bytes, diag->out);
		else
			fputc('?', diag->out);
		for (; width < next; width++)
			marks[width] = is_here ? marked++ ? '~' : '^' : ' ';
		i += glyph.bytes;
	}
	if (!marked)
		marks[width++] = '^';
	while (width > 0 && marks[width - 1] == ' ')
		width--;
	fputs("\n      | ", diag->out);
	put_color(diag, severity_colors[severity]);
	fwrite(marks, 1, (size_t)width, diag->out);
	put_color(diag, "0");
	fputc('\n', diag->out);
}

static bool is_continuation(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

static void print_source(const struct diag *diag, struct location at, enum severity severity)
{
	struct line line;
	if (at.column <= 0 || !find_line(diag, at, &line))
		return;
	if ((size_t)at.column > line.length + 1)
		at.column = (int)line.length + 1;
	size_t from = 0, to = line.length;
	if (to > LINE_SHOWN_BYTES) {
		size_t caret = (size_t)at.column - 1;
		from = caret > LINE_SHOWN_BYTES / 2 ? caret - LINE_SHOWN_BYTES / 2 : 0;
		to = from + LINE_SHOWN_BYTES < line.length ? from + LINE_SHOWN_BYTES : line.length;
		for (int i = 0; i < 3 && from > 0 && is_continuation(line.text[from]); i++)
			from--;
		for (int i = 0; i < 3 && to < line.length && is_continuation(line.text[to]); i++)
			to++;
	}
	print_line(diag, at, line, from, to, severity);
}

static void print_text(const struct diag *diag, struct location at, enum severity severity,
	const char *option, const char *message)
{
	put_color(diag, "01");
	if (!at.file)
		fputs("loopc: ", diag->out);
	else if (at.line <= 0)
		fprintf(diag->out, "%s: ", at.file);
	else if (at.column <= 0)
		fprintf(diag->out, "%s:%d: ", at.file, at.line);
	else
		fprintf(diag->out, "%s:%d:%d: ", at.file, at.line, at.column);
	put_color(diag, severity_colors[severity]);
	fprintf(diag->out, "%s: ", severity_names[severity]);
	put_color(diag, "0");
	put_color(diag, "01");
	fputs(message, diag->out);
	put_color(diag, "0");
	if (option)
		fprintf(diag->out, " [%s]", option);
	fputc('\n', diag->out);
	print_source(diag, at, severity);
}

static void print_json_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (size_t left = strlen(text); left;) {
		uint32_t code;
		size_t bytes = decode_utf8(text, left, &code);
		if (!bytes)
			fputs("\\ufffd", out);
		else if (code < 0x20)
			fprintf(out, "\\u%04x", (unsigned)code);
		else if (code == '"' || code == '\\')
			fprintf(out, "\\%c", (int)code);
		else
			fwrite(text, 1, bytes, out);
		text += bytes ? bytes : 1;
		left -= bytes ? bytes : 1;
	}
	fputc('"', out);
}

static void print_json_place(const struct diag *diag, struct location at, int column)
{
	struct line line;
	int display = find_line(diag, at, &line) ? display_column(line, column) : column;
	fputs("{\"file\": ", diag->out);
	print_json_string(diag->out, at.file);
	fprintf(diag->out, ", \"line\": %d, \"display-column\": %d, \"byte-column\": %d, "
		"\"column\": %d}", at.line, display, column, display);
}

/* Prints all of an object but its closing brace, so that notes may follow as its
 * children (the form of gcc's -fdiagnostics-format=json). */
static void print_json_body(const struct diag *diag, struct location at, enum severity severity,
	const char *option, const char *message)
{
	fprintf(diag->out, "{\"kind\": \"%s\", \"message\": ", severity_names[severity]);
	print_json_string(diag->out, message);
	if (option) {
		fputs(", \"option\": ", diag->out);
		print_json_string(diag->out, option);
	}
	fputs(", \"locations\": [", diag->out);
	if (at.file && at.line > 0) {
		fputs("{\"caret\": ", diag->out);
		print_json_place(diag, at, at.column > 0 ? at.column : 1);
		if (at.end_column > at.column + 1) {
			fputs(", \"finish\": ", diag->out);
			print_json_place(diag, at, at.end_column - 1);
		}
		fputc('}', diag->out);
	}
	fputc(']', diag->out);
}

static void close_json_object(struct diag *diag)
{
	if (diag->json_count)
		fputs("]}", diag->out);
}

static void print_json(struct diag *diag, struct location at, enum severity severity,
	const char *option, const char *message)
{
	if (severity == SEVERITY_NOTE && diag->json_count) {
		fputs(diag->json_child_count++ ? ", " : "", diag->out);
		print_json_body(diag, at, severity, option, message);
		fputc('}', diag->out);
		return;
	}
	close_json_object(diag);
	fputs(diag->json_count++ ? ",\n " : "[", diag->out);
	diag->json_child_count = 0;
	print_json_body(diag, at, severity, option, message);
	fputs(", \"children\": [", diag->out);
}

static void print_any(struct diag *diag, struct location at, enum severity severity,
	const char *option, const char *message)
{
	if (diag->json)
		print_json(diag, at, severity, option, message);
	else
		print_text(diag, at, severity, option, message);
}

/* The caller frees it. */
static char *formatted(const char *format, va_list arguments)
{
	va_list again;
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	char *message = memory_alloc((size_t)(length < 0 ? 0 : length) + 1);
	vsnprintf(message, (size_t)(length < 0 ? 0 : length) + 1, format, again);
	va_end(again);
	return message;
}

static void print_formatted(struct diag *diag, struct location at, enum severity severity,
	const char *option, const char *format, va_list arguments)
{
	char *message = formatted(format, arguments);
	print_any(diag, at, severity, option, message);
	free(message);
}

/* MESSAGE at AT was said before; else it is kept, and is DIAG's. */
static bool was_said(struct diag *diag, struct location at, char *message)
{
	for (const struct said *said = diag->said; said; said = said->next)
		if (said->at.line == at.line && said->at.column == at.column
			&& !strcmp(said->message, message))
			return true;
	struct said *said = memory_alloc(sizeof *said);
	*said = (struct said){ diag->said, at, message };
	diag->said = said;
	return false;
}

/* Counts an error; false if it is beyond the limit and must not be shown. */
static bool may_show_error(struct diag *diag)
{
	diag->last_was_printed = diag->error_count < ERROR_LIMIT;
	diag->error_count++;
	if (!diag->last_was_printed && !diag->said_too_many) {
		diag->said_too_many = true;
		print_any(diag, (struct location){ 0 }, SEVERITY_NOTE, NULL,
			"more than 20 errors; the rest is not shown");
	}
	return diag->last_was_printed;
}

void diag_error(struct diag *diag, struct location at, const char *format, ...)
{
	if (!may_show_error(diag))
		return;
	va_list arguments;
	va_start(arguments, format);
	print_formatted(diag, at, SEVERITY_ERROR, NULL, format, arguments);
	va_end(arguments);
}

void diag_warning(struct diag *diag, struct location at, const char *name,
	const char *format, ...)
{
	int index = find_name(warning_names, WARNING_COUNT, name);
	diag->last_was_printed = false;
	if (index >= 0 && diag->warning_is_off[index])
		return;
	bool is_error = diag->warnings_are_errors;
	if (is_error && !may_show_error(diag))
		return;
	diag->last_was_printed = true;
	char option[80];
	snprintf(option, sizeof option, is_error ? "-Werror=%s" : "-W%s", name);
	va_list arguments;
	va_start(arguments, format);
	print_formatted(diag, at, is_error ? SEVERITY_ERROR : SEVERITY_WARNING, option, format,
		arguments);
	va_end(arguments);
}

bool diag_has_remark(const struct diag *diag, const char *name)
{
	int index = find_name(remark_names, REMARK_COUNT, name);
	return index >= 0 && diag->remark_is_on[index];
}

void diag_remark(struct diag *diag, struct location at, const char *name,
	const char *format, ...)
{
	diag->last_was_printed = diag_has_remark(diag, name);
	if (!diag->last_was_printed)
		return;
	char option[80];
	snprintf(option, sizeof option, "-R%s", name);
	va_list arguments;
	va_start(arguments, format);
	char *message = formatted(format, arguments);
	va_end(arguments);
	diag->last_was_printed = !was_said(diag, at, message);
	if (diag->last_was_printed)
		print_any(diag, at, SEVERITY_REMARK, option, message);
	else
		free(message);
}

void diag_note(struct diag *diag, struct location at, const char *format, ...)
{
	if (!diag->last_was_printed)
		return;
	va_list arguments;
	va_start(arguments, format);
	print_formatted(diag, at, SEVERITY_NOTE, NULL, format, arguments);
	va_end(arguments);
}

int diag_error_count(const struct diag *diag)
{
	return diag->error_count;
}

bool diag_full(const struct diag *diag)
{
	return diag->error_count >= ERROR_LIMIT;
}

void diag_finish(struct diag *diag)
{
	if (diag->json && !diag->json_is_closed) {
		close_json_object(diag);
		fputs(diag->json_count ? "]\n" : "[]\n", diag->out);
		diag->json_is_closed = true;
	}
	fflush(diag->out);
}

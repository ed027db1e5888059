#include "passes/variants/schedule_lines.h"

#include <string.h>

static void add_word(struct arena *arena, struct schedule_line *line, const char *text, size_t length,
	struct location at)
{
	line->words = arena_grow(arena, line->words, (size_t)line->word_count, &line->capacity,
		sizeof *line->words);
	at.end_column = at.column + (int)length;
	line->words[line->word_count++] = (struct schedule_word){ arena_strndup(arena, text, length),
		at };
}

/* The words of the LENGTH bytes of TEXT, which begin at AT. */
static struct schedule_line read_line(struct arena *arena, const char *text, size_t length,
	struct location at)
{
	static const char separators[] = " \t\r\v\f,";
	struct schedule_line line = { .nest = NULL };
	for (size_t i = 0; i < length && text[i] != '#'; ) {
		if (strchr(separators, text[i])) {
			i++;
			continue;
		}
		size_t begin = i;
		while (i < length && text[i] != '#' && !strchr(separators, text[i]))
			i++;
		struct location here = at;
		here.column += (int)begin;
		add_word(arena, &line, text + begin, i - begin, here);
	}
	return line;
}

struct schedule_lines *schedule_lines_parse(struct arena *arena, struct location at,
	const char *text)
{
	struct schedule_lines *lines = ARENA_NEW(arena, struct schedule_lines);
	static const char mark[] = "\xEF\xBB\xBF";   /* of UTF-8, which some editors write */
	const char *nest = NULL;
	if (!strncmp(text, mark, sizeof mark - 1)) {
		text += sizeof mark - 1;
		at.column += (int)sizeof mark - 1;
	}
	while (*text) {
		size_t length = strcspn(text, "\n");
		struct schedule_line line = read_line(arena, text, length, at);
		line.is_heading = line.word_count && schedule_line_is(&line, "nest");
		if (line.is_heading)
			nest = line.word_count > 1 ? line.words[1].text : "";
		if (schedule_line_is(&line, "distribute")) {
			nest = NULL;
			lines->distributed = arena_grow(arena, lines->distributed, (size_t)lines->distributed_count,
				&lines->distributed_capacity, sizeof *lines->distributed);
			lines->distributed[lines->distributed_count++] = line;
		} else if (line.word_count) {
			line.nest = nest;
			lines->items = arena_grow(arena, lines->items, (size_t)lines->count, &lines->capacity,
				sizeof *lines->items);
			lines->items[lines->count++] = line;
		}
		text += length + (text[length] == '\n');
		at.line++;
		at.column = 1;
	}
	return lines;
}

const struct schedule_line *schedule_line_of_pragma(struct arena *arena,
	const struct pragma *pragma)
{
	struct schedule_line *line = ARENA_NEW(arena, struct schedule_line);
	*line = read_line(arena, pragma->text, strlen(pragma->text), pragma->location);
	line->is_pragma = true;
	return line;
}

bool schedule_line_is(const struct schedule_line *line, const char *word)
{
	return line->word_count && !strcmp(line->words[0].text, word);
}

struct location schedule_line_at(const struct schedule_line *line)
{
	struct location at = line->words[0].at;
	at.end_column = line->words[line->word_count - 1].at.end_column;
	return at;
}

const char *schedule_line_text(struct arena *arena, const struct schedule_line *line)
{
	const char *text = "";
	for (int w = 0; w < line->word_count; w++)
		text = arena_printf(arena, "%s%s%s", text, w ? " " : "", line->words[w].text);
	return text;
}

/* "A" and "A:1" share a buffer, "A:0" and "A:1" do not. */
static bool share_buffers(const char *name, const char *other)
{
	size_t length = strcspn(name, ":");
	if (length != strcspn(other, ":") || strncmp(name, other, length))
		return false;
	return !name[length] || !other[length] || !strcmp(name + length, other + length);
}

bool schedule_lines_clash(const struct schedule_line *line, const struct schedule_line *other)
{
	static const char *const of_a_name[] = { "tile", "store", "memory", "bypass", "repeat", "stream", "double", "carry",
		"spatial", "register", "hold" };
	if (line->is_heading || !schedule_line_is(other, line->words[0].text))
		return false;
	for (size_t i = 0; i < sizeof of_a_name / sizeof *of_a_name; i++)
		if (schedule_line_is(line, of_a_name[i]))
			return line->word_count > 1 && other->word_count > 1
				&& share_buffers(line->words[1].text, other->words[1].text);
	return true;
}

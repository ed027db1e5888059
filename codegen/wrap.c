#include "codegen/wrap.h"

#include <stdbool.h>
#include <string.h>

enum { LINE_WIDTH = 100, TAB_WIDTH = 8 };

/* How bad a break at TEXT[AT] is: outside of parentheses and behind a comma, or before
 * what a condition chooses else, is best, before an opening brace worst. */
static int badness(const char *text, size_t at, int nesting)
{
	bool is_good = (at > 0 && strchr(",;{", text[at - 1])) || strncmp(text + at, " : ", 3) == 0;
	bool is_fair = strchr("+-*/%<>=&|?:", text[at + 1]) != NULL;

	if (text[at + 1] == '{')
		return 1000;
	return 4 * nesting + (is_good ? 0 : is_fair ? 1 : 3);
}

/* Characters of TEXT that go on a line of WIDTH columns: everything if it fits, else
 * up to the best space of its last two thirds that is in no literal. */
static size_t line_length(const char *text, size_t width)
{
	size_t best = 0;
	int least = 0, nesting = 0;
	char quote = '\0';

	if (strlen(text) <= width)
		return strlen(text);
	for (size_t i = 0; text[i] && (i <= width || best == 0); i++) {
		if (quote && text[i] == '\\' && text[i + 1]) {
			i++;
		} else if (quote) {
			quote = text[i] == quote ? '\0' : quote;
		} else if (text[i] == '\'' || text[i] == '"') {
			quote = text[i];
		} else if (strchr("([", text[i])) {
			nesting++;
		} else if (strchr(")]", text[i])) {
			nesting--;
		} else if (text[i] == ' ' && i > width / 3
			&& (best == 0 || badness(text, i, nesting) <= least)) {
			best = i;
			least = badness(text, i, nesting);
		}
	}
	return best > 0 ? best : strlen(text);
}

void print_wrapped(FILE *out, int depth, const char *text)
{
	bool is_first = true;

	while (*text) {
		int tabs = depth + (is_first ? 0 : 2);
		int room = LINE_WIDTH - TAB_WIDTH * tabs;
		size_t length = line_length(text, room > LINE_WIDTH / 2 ? (size_t)room
			: LINE_WIDTH / 2);

		for (int i = 0; i < tabs; i++)
			fputc('\t', out);
		fwrite(text, 1, length, out);
		text += length;
		if (*text == ' ')
			text++;
		if (*text)
			fputc('\n', out);
		is_first = false;
	}
}

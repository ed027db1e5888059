#include "passes/fuse_wishes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Whether the first word of TEXT is WORD. */
static bool begins_with(const char *text, const char *word)
{
	size_t length = strlen(word);
	text += strspn(text, " \t\r");
	return !strncmp(text, word, length) && (!text[length] || isspace((unsigned char)text[length]));
}

/* ---- pragmas ---- */

static int nest_of_loop(const struct nest *nests, int count, const struct loop *loop)
{
	for (int n = 0; n < count; n++)
		if (nests[n].statements[0]->depth && nests[n].statements[0]->loops[0] == loop)
			return n;
	return -1;
}

static bool read_pragma(struct compilation *compilation, const struct nest *nests,
	const struct pragma *pragma, struct fuse_wishes *wishes)
{
	bool fuses = begins_with(pragma->text, "fuse");
	if (!fuses && !begins_with(pragma->text, "nofuse"))
		return true;
	if (!pragma->loop) {
		wishes->fusion = fuses ? FUSE_ALL : FUSE_NEVER;
		return true;
	}
	int n = nest_of_loop(nests, wishes->nest_count, pragma->loop);
	if (n < 0)
		return true;
	if (fuses && n == wishes->nest_count - 1) {
		diag_error(compilation->diag, pragma->location,
			"there is no nest after this one that it could be fused with");
		return false;
	}
	wishes->wishes[n].location = pragma->location;
	*(fuses ? &wishes->wishes[n].with_next : &wishes->wishes[n].is_alone) = true;
	return true;
}

/* ---- headings of a schedule ---- */

/* "F.2-4" of function F: the nests 2 to 4; a plain F: its only nest.  False: another
 * function's, or no whole nest (F.2/0 is a part of one). */
static bool read_name(const char *name, const char *function, int *first, int *last)
{
	size_t length = strlen(function);
	char *end;
	*first = *last = 0;
	if (strncmp(name, function, length) || (name[length] && name[length] != '.'))
		return false;
	if (!name[length])
		return true;
	*first = *last = (int)strtol(name + length + 1, &end, 10);
	if (*end == '-')
		*last = (int)strtol(end + 1, &end, 10);
	return !*end;
}

static bool add_group(struct compilation *compilation, struct location at, const char *name,
	int first, int last, struct fuse_wishes *wishes)
{
	bool is_good = first >= 0 && first <= last && last < wishes->nest_count;
	for (int n = first; n <= last && is_good; n++) {
		struct fuse_wish *wish = &wishes->wishes[n];
		is_good = !wish->count || (wish->first == first && wish->count == last - first + 1);
		wish->first = first;
		wish->count = last - first + 1;
		wish->is_alone = first == last;
		wish->with_next = false;
		wish->location = at;
	}
	if (!is_good)
		diag_error(compilation->diag, at, "'%s' names nests that are not there, or in another "
			"group", name);
	return is_good;
}

static bool read_headings(struct compilation *compilation, const char *function,
	struct fuse_wishes *wishes)
{
	struct location at = { .file = compilation->schedule_file, .line = 1, .column = 1 };
	for (const char *line = compilation->schedule_text; *line; at.line++) {
		char name[256];
		int first, last, length = (int)strcspn(line, "\n");
		char *copy = arena_strndup(compilation->arena, line, (size_t)length);
		copy[strcspn(copy, "#")] = '\0';
		if (begins_with(copy, "nest") && sscanf(copy, " nest %255s", name) == 1
			&& read_name(name, function, &first, &last)
			&& !add_group(compilation, at, name, first, last, wishes))
			return false;
		line += length + (line[length] == '\n');
	}
	return true;
}

bool fuse_wishes_read(struct compilation *compilation, const struct nest *nests, int nest_count,
	struct fuse_wishes *wishes)
{
	const struct function *function = nests->function;
	*wishes = (struct fuse_wishes){ .fusion = compilation->fusion, .nest_count = nest_count,
		.wishes = ARENA_ARRAY(compilation->arena, struct fuse_wish, nest_count + 1) };
	for (int i = 0; i < function->pragma_count; i++)
		if (!read_pragma(compilation, nests, &function->pragmas[i], wishes))
			return false;
	if (compilation->schedule_text && !read_headings(compilation, function->name, wishes))
		return false;
	wishes->is_complete = true;
	for (int n = 0; n < nest_count; n++) {
		wishes->forces |= fuse_wishes_forced(wishes, n) > 1;
		wishes->is_complete &= wishes->wishes[n].count > 0;
	}
	return true;
}

/* ---- questions ---- */

bool fuse_wishes_allow(const struct fuse_wishes *wishes, int first, int count)
{
	const struct fuse_wish *all = wishes->wishes;
	int last = first + count - 1;
	bool is_asked_for = true;    /* every two neighbours */
	for (int n = first; n <= last; n++)
		if (all[n].count && (all[n].first != first || all[n].count != count))
			return false;
	if (all[first].count)
		return true;
	if ((first > 0 && all[first - 1].with_next) || all[last].with_next)
		return false;
	for (int n = first; n <= last; n++) {
		if (count > 1 && all[n].is_alone)
			return false;
		is_asked_for &= n == last || all[n].with_next;
	}
	return is_asked_for || wishes->fusion != FUSE_NEVER;
}

int fuse_wishes_forced(const struct fuse_wishes *wishes, int first)
{
	const struct fuse_wish *all = wishes->wishes;
	int count = 1;
	if (all[first].count)
		return all[first].first == first ? all[first].count : 1;
	if (first > 0 && all[first - 1].with_next)
		return 1;
	while (first + count < wishes->nest_count && all[first + count - 1].with_next)
		count++;
	return count;
}

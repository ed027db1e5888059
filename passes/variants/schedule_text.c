/* The text of a schedule, read: see schedule_print.c for how it is made. */

#include "passes/variants/schedule_text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Where an array is stored, until the order is known: STORE_IN - L is in loop L. */
enum { STORE_OUTSIDE = -2, STORE_IN = -3 };

static const struct schedule_word *next_word(struct schedule_reader *reader)
{
	return reader->next < reader->line->word_count ? &reader->line->words[reader->next++] : NULL;
}

/* What cannot be, at LINE or its WORD; the first such counts. */
static void fail_at(struct schedule_reader *reader, const struct schedule_line *line,
	const struct schedule_word *word, const char *what, const char *name)
{
	if (reader->failure)
		return;
	reader->failed_at = word ? word->at : schedule_line_at(line);
	reader->failure = !name ? arena_printf(reader->arena, "%s in the schedule", what)
		: arena_printf(reader->arena, "%s '%s' in the schedule", what, name);
}

static void fail(struct schedule_reader *reader, const char *what, const struct schedule_word *word)
{
	fail_at(reader, reader->line, word, what, word ? word->text : NULL);
}

static int loop_named(struct schedule_reader *reader, const struct schedule_word *word)
{
	for (int l = 0; word && l < reader->model->loop_count; l++)
		if (!strcmp(reader->model->loops[l].name, word->text))
			return l;
	fail(reader, word ? "no loop that can be tiled is called" : "a loop's name is missing", word);
	return -1;
}

static long number(struct schedule_reader *reader, const struct schedule_word *word, long most)
{
	char *end = NULL;
	errno = 0;
	long value = word ? strtol(word->text, &end, 10) : 0;
	if (!word || *end || errno || value < 1 || value > most) {
		fail(reader, !word ? "a number is missing" : most >= LONG_MAX / 4
			? "a number of at least 1 is wanted, not"
			: arena_printf(reader->arena, "a number between 1 and the loop's extent, %ld, is "
			"wanted, not", most), word);
		return 0;
	}
	return value;
}

static void read_tile(struct schedule_reader *reader)
{
	int l = loop_named(reader, next_word(reader));
	if (l < 0)
		return;
	reader->tiles[l] = reader->line;
	reader->model->loops[l].tile = number(reader, next_word(reader),
		reader->model->loops[l].extent);
}

/* Sequential loops are outermost, in their order, whether they are named or not. */
static void read_order(struct schedule_reader *reader)
{
	bool named[MODEL_LOOPS] = { false };
	int prefix = reader->prefix, last = -1;
	reader->options->order_count = prefix;
	reader->options->has_fixed_order = true;
	reader->order = reader->line;
	for (const struct schedule_word *word; !reader->failure && (word = next_word(reader)); ) {
		int l = loop_named(reader, word);
		if (l < 0)
			return;
		if (named[l]) {
			fail(reader, "the order names twice the loop", word);
			return;
		}
		if (l < prefix && (reader->options->order_count > prefix || l < last))
			fail(reader, "another loop stands before one that runs in order, outside it:", word);
		named[l] = true;
		last = l < prefix ? l : last;
		if (l >= prefix)
			reader->options->order[reader->options->order_count++] = l;
	}
}

/* ---- of processing elements ---- */

static struct mapping_asked *asked_of(struct schedule_reader *reader)
{
	if (!reader->mapping)
		fail(reader, "no processing elements can compute this nest,", &reader->line->words[0]);
	else if (!reader->mapping->line)
		reader->mapping->line = reader->line;
	return reader->failure ? NULL : reader->mapping;
}

/* WORD is LOOP.step; *LOOP is its loop then, or -1 after a failure. */
static bool is_step(struct schedule_reader *reader, const struct schedule_word *word, int *loop)
{
	const char *end = word ? strrchr(word->text, '.') : NULL;
	if (!end || strcmp(end, ".step"))
		return false;
	const struct schedule_word name = { arena_strndup(reader->arena, word->text, (size_t)(end - word->text)), word->at };
	*loop = loop_named(reader, &name);
	return true;
}

static void read_spatial(struct schedule_reader *reader)
{
	static const char *const axes[] = { "x", "y", "free" };
	struct mapping_asked *asked = asked_of(reader);
	int l = loop_named(reader, next_word(reader)), axis = 0;
	const struct schedule_word *word = next_word(reader);
	if (!asked || l < 0)
		return;
	while (axis < 3 && strcmp(axes[axis], word->text))
		axis++;
	if (axis == 3)
		fail(reader, "x, y or free is wanted, not", word);
	asked->axis[l] = (enum axis)axis;
	asked->spaces[l] = reader->line;
	asked->space[l] = number(reader, next_word(reader), reader->model->loops[l].extent);
}

static void read_register(struct schedule_reader *reader)
{
	struct mapping_asked *asked = asked_of(reader);
	int l = loop_named(reader, next_word(reader));
	if (!asked || l < 0)
		return;
	asked->parts[l] = reader->line;
	asked->part[l] = number(reader, next_word(reader), reader->model->loops[l].extent);
}

static void read_steps(struct schedule_reader *reader)
{
	struct mapping_asked *asked = asked_of(reader);
	bool named[MODEL_LOOPS] = { false };
	if (asked)
		asked->steps = reader->line;
	for (const struct schedule_word *word; !reader->failure && (word = next_word(reader)); ) {
		int l = loop_named(reader, word);
		if (l < 0 || !asked)
			return;
		if (named[l])
			fail(reader, "the line names twice the loop", word);
		named[l] = true;
		if (!reader->failure)
			asked->order[asked->step_count++] = l;
	}
}

static void read_hold_of(struct schedule_reader *reader, struct hold_asked *hold)
{
	int places = 0;
	*hold = (struct hold_asked){ .slots = 1, .line = reader->line };
	for (const struct schedule_word *word; !reader->failure && (word = next_word(reader)); ) {
		if (!strcmp(word->text, "outside")) {
			hold->place = HOLD_OUTSIDE;
			places++;
		} else if (!strcmp(word->text, "in")) {
			const struct schedule_word *name = next_word(reader);
			hold->place = is_step(reader, name, &hold->loop) ? HOLD_IN_STEP : HOLD_IN_TILE;
			if (hold->place == HOLD_IN_TILE)
				hold->loop = loop_named(reader, name);
			places++;
		} else if (!strcmp(word->text, "slots")) {
			hold->slots = number(reader, next_word(reader), LONG_MAX / 4);
		} else if (!strcmp(word->text, "sliding")) {
			hold->is_sliding = true;
		} else if (!strcmp(word->text, "double")) {
			hold->is_double = true;
		} else {
			fail(reader, "outside, in, slots, sliding or double is wanted, not", word);
		}
		if (places > 1)
			fail(reader, "the array is held in two places: the second is", word);
	}
}

static void read_hold(struct schedule_reader *reader)
{
	struct mapping_asked *asked = asked_of(reader);
	const struct schedule_word *word = next_word(reader);
	for (int a = 0; asked && a < reader->model->array_count; a++)
		if (!strcmp(reader->model->arrays[a].name, word->text)) {
			read_hold_of(reader, &asked->holds[a]);
			return;
		}
	fail(reader, "the nest has no array", word);
}

static void read_serpentine(struct schedule_reader *reader)
{
	for (const struct schedule_word *word; !reader->failure && (word = next_word(reader)); ) {
		if (!strcmp(word->text, "none")) {
			for (int other = 0; other < reader->model->loop_count; other++)
				if (reader->options->serpentine[other] != 1)
					reader->options->serpentine[other] = 0;
			continue;
		}
		int l;
		if (!reader->group && is_step(reader, word, &l)) {
			struct mapping_asked *asked = asked_of(reader);
			if (asked && l >= 0) {
				asked->serpentine = reader->line;
				asked->is_serpentine[l] = true;
			}
			continue;
		}
		l = loop_named(reader, word);
		if (l >= 0 && reader->model->loops[l].is_forward)
			fail(reader, "a dependence forbids to walk backwards the loop", word);
		else if (l >= 0 && reader->options->serpentine[l] == 1)
			fail(reader, "the line names twice the loop", word);
		else if (l >= 0 && reader->model->loops[l].extent > 1)
			reader->options->serpentine[l] = 1;
	}
}

/* What the line, from its third word on, says of array A. */
static void read_storage(struct schedule_reader *reader, int a)
{
	struct search_options *options = reader->options;
	bool is_sliding = false;
	int places = 0;
	reader->next = 2;
	reader->stores[a] = reader->line;
	options->slots[a] = 1;
	for (const struct schedule_word *word; !reader->failure && (word = next_word(reader)); ) {
		if (!strcmp(word->text, "outside")) {
			options->store[a] = STORE_OUTSIDE;
			places++;
		} else if (!strcmp(word->text, "in")) {
			int l = loop_named(reader, next_word(reader));
			options->store[a] = STORE_IN - l;
			places++;
		} else if (!strcmp(word->text, "slots")) {
			options->slots[a] = number(reader, next_word(reader), LONG_MAX / 4);
		} else if (!strcmp(word->text, "sliding")) {
			is_sliding = true;
		} else if (!strcmp(word->text, "double") || !strcmp(word->text, "single")) {
			options->doubled[a] = *word->text == 'd';
		} else {
			fail(reader, "outside, in, slots, sliding, double or single is wanted, not", word);
		}
		if (places > 1)
			fail(reader, "the buffer is in two places: the second is", word);
	}
	if (places || is_sliding)
		options->sliding[a] = is_sliding;
	if (options->store[a] == STORE_OUTSIDE && (options->slots[a] > 1 || is_sliding
		|| options->doubled[a] == 1))
		fail(reader, "a buffer outside all loops holds the whole array once: it has no slots, does "
			"not slide and is not double,", NULL);
}

/* The name of LENGTH bytes at NAME is of an array that is carried, so that the nest has no buffer
 * for it. */
static bool is_carried_here(const struct schedule_reader *reader, const char *name, size_t length)
{
	const struct function *function = reader->function;
	for (int i = 0; i < function->array_count; i++)
		if (strlen(function->arrays[i]->name) == length
			&& !strncmp(function->arrays[i]->name, name, length))
			return is_carried(reader->compilation, function->arrays[i]);
	return false;
}

/* The memory that the line's third word names, as a bit; 0 (a failure): none. */
static unsigned memory_named(struct schedule_reader *reader)
{
	const struct schedule_word *word = &reader->line->words[2];
	int m = arch_memory_named(reader->compilation->arch, word->text);
	if (m > 0 && m == reader->compilation->arch->bypass_memory)
		m = -1;
	if (m < 0)
		fail(reader, arena_printf(reader->arena, "'%s' has no memory", reader->compilation->arch->name),
			word);
	return m < 0 ? 0 : 1u << m;
}

/* The place of ARRAY, which is carried, or its memory. */
static void read_carried(struct schedule_reader *reader, const struct schedule_word *array)
{
	if (schedule_line_is(reader->line, "memory")) {
		memory_named(reader);
		return;
	}
	const struct schedule_word *word = next_word(reader);
	if (!word || strcmp(word->text, "outside") || next_word(reader))
		fail(reader, "what is carried is stored `outside` and nowhere else:", array);
}

/* The next word is ARRAY or ARRAY:NUMBER: has READ read what the line says of each such buffer. */
static void read_of_buffers(struct schedule_reader *reader,
	void (*read)(struct schedule_reader *reader, int a))
{
	const struct schedule_word *word = next_word(reader);
	const char *colon = strchr(word->text, ':');
	size_t length = colon ? (size_t)(colon - word->text) : strlen(word->text);
	char *end = NULL;
	long wanted = colon ? strtol(colon + 1, &end, 10) : -1;
	bool any = false;
	if (colon && (end == colon + 1 || *end || wanted < 0)) {
		fail(reader, "no buffer of an array is", word);
		return;
	}
	for (int a = 0; a < reader->model->array_count && !reader->failure; a++) {
		const char *name = reader->model->arrays[a].name;
		if (strlen(name) != length || strncmp(name, word->text, length)
			|| (wanted >= 0 && schedule_entry_number(reader->model, a) != wanted))
			continue;
		read(reader, a);
		any = true;
	}
	if (!any && is_carried_here(reader, word->text, length))
		read_carried(reader, word);
	else if (!any)
		fail(reader, colon ? "the nest has no such buffer:" : "the nest has no array", word);
}

static void read_store(struct schedule_reader *reader)
{
	read_of_buffers(reader, read_storage);
}

/* Array A lies in the memory that the line names. */
static void read_memory_of(struct schedule_reader *reader, int a)
{
	unsigned memory = memory_named(reader);
	reader->memories[a] = reader->line;
	if (memory)
		reader->options->memories[a] = memory;
}

/* Array A goes between external memory and registers alone. */
static void read_bypass_of(struct schedule_reader *reader, int a)
{
	const struct arch *arch = reader->compilation->arch;
	reader->memories[a] = reader->line;
	if (!arch->bypass_memory)
		fail(reader, arena_printf(reader->arena, "the elements of '%s' get nothing that bypasses memories ('pe_array.bypass'):",
			arch->name), &reader->line->words[1]);
	else if (!(arch->array.bypass >> reader->model->arrays[a].role & 1))
		fail(reader, arena_printf(reader->arena, "'%s' says of which roles arrays bypass memories ('pe_array.bypass'), %s is none of them:",
			arch->name, role_names[reader->model->arrays[a].role]), &reader->line->words[1]);
	else
		reader->options->memories[a] = 1u << arch->bypass_memory;
	if (!reader->mapping->line)
		reader->mapping->line = reader->line;
}

static void read_bypass(struct schedule_reader *reader)
{
	read_of_buffers(reader, read_bypass_of);
}

/* The array of the function that the next word names; -1 (a failure): none. */
static int read_array(struct schedule_reader *reader)
{
	const struct schedule_word *word = next_word(reader);
	const struct function *function = reader->function;
	for (int i = 0; word && i < function->array_count; i++)
		if (!strcmp(function->arrays[i]->name, word->text))
			return i;
	fail(reader, word ? "the function has no array" : "an array's name is missing", word);
	return -1;
}

/* Where what is carried lies is read there (passes/fusion/carry.c). */
static void read_memory(struct schedule_reader *reader)
{
	int found;
	if (!reader->group)
		read_of_buffers(reader, read_memory_of);
	else if ((found = read_array(reader)) >= 0)
		reader->group->memories[found] = memory_named(reader);
}

/* ---- of groups ---- */

static void read_repeat(struct schedule_reader *reader)
{
	int l = loop_named(reader, next_word(reader));
	if (l >= 0)
		reader->group->repeats[l] = true;
}

static void read_double(struct schedule_reader *reader)
{
	int found = read_array(reader);
	if (found >= 0)
		reader->group->is_double[found] = true;
}

static void read_stream(struct schedule_reader *reader)
{
	const struct function *function = reader->function;
	int found = read_array(reader);
	const struct schedule_word *loop = next_word(reader);
	if (found < 0)
		return;
	reader->group->is_streamed[found] = true;
	for (int l = 0; loop && l < function->loop_count; l++)
		if (!strcmp(function->loops[l]->name, loop->text))
			reader->group->stage_loop[found] = function->loops[l]->name;
	if (loop && !reader->group->stage_loop[found])
		fail(reader, "no loop is called", loop);
	if (loop)
		reader->group->stage_tile[found] = number(reader, next_word(reader), LONG_MAX);
}

static void read_fuse(struct schedule_reader *reader)
{
	while (!reader->failure && reader->next < reader->line->word_count) {
		const struct schedule_word *word = &reader->line->words[reader->next];
		int found = read_array(reader);
		if (found >= 0 && !reader->group->is_internal[found])
			fail(reader, "the group cannot keep on chip the array", word);
	}
}

/* ---- all lines ---- */

static void read_fact(struct schedule_reader *reader)
{
	static const struct {
		const char *word;
		bool of_group;
		void (*read)(struct schedule_reader *reader);
	} facts[] = {
		{ "tile", false, read_tile }, { "order", false, read_order },
		{ "serpentine", false, read_serpentine }, { "store", false, read_store },
		{ "memory", false, read_memory }, { "bypass", false, read_bypass },
		{ "spatial", false, read_spatial }, { "register", false, read_register },
		{ "steps", false, read_steps }, { "hold", false, read_hold },
		{ "repeat", true, read_repeat }, { "stream", true, read_stream },
		{ "double", true, read_double }, { "fuse", true, read_fuse }
	};
	reader->next = 1;
	for (size_t f = 0; f < sizeof facts / sizeof *facts; f++)
		if (schedule_line_is(reader->line, facts[f].word) && (!facts[f].of_group || reader->group))
			facts[f].read(reader);
	if (schedule_line_is(reader->line, "carry"))
		read_array(reader);
}

/* Loop L moves the region of array A. */
static bool indexes(const struct nest_model *model, int a, int l)
{
	for (int d = 0; d < model->arrays[a].rank; d++)
		if (model->arrays[a].dims[d].coefficient[l])
			return true;
	return false;
}

/* The level inside LOOP, if the order names it, of the tile loops that there are: a loop of one
 * iteration has none.  -1: it does not. */
static int level_inside(const struct schedule_reader *reader, int loop)
{
	int level = 0;
	for (int i = 0; i < reader->options->order_count; i++) {
		level += reader->model->loops[reader->options->order[i]].extent > 1;
		if (reader->options->order[i] == loop)
			return level;
	}
	return -1;
}

/* Stores are read as names of loops, and are levels of the order once it is known. */
static void resolve_stores(struct schedule_reader *reader)
{
	struct search_options *options = reader->options;
	for (int a = 0; a < reader->model->array_count && !reader->failure; a++) {
		int loop = STORE_IN - options->store[a];
		if (options->store[a] == STORE_OUTSIDE) {
			options->store[a] = 0;
		} else if (loop >= 0) {
			options->store[a] = level_inside(reader, loop);
			if (!indexes(reader->model, a, loop))
				fail_at(reader, reader->stores[a], NULL, arena_printf(reader->arena, "loop '%s' does "
					"not move what is held of the array, so that the buffer is the same outside it: "
					"no buffer is in this loop for", reader->model->loops[loop].name),
					reader->model->arrays[a].name);
			else if (options->store[a] < 0)
				fail_at(reader, reader->stores[a], NULL, "`store ... in` needs an `order` that names "
					"its loop, for array", reader->model->arrays[a].name);
		}
	}
}

static bool names(const struct schedule_line *line, const char *word)
{
	for (int w = 1; w < line->word_count; w++)
		if (!strcmp(line->words[w].text, word))
			return true;
	return false;
}

/* An order that leaves out sequential loops can only be meant where the form, IS_FORM_GIVEN, or their
 * tiles say that they are. */
static void check_sequential(struct schedule_reader *reader, bool is_form_given)
{
	for (int l = 0; l < reader->prefix && reader->order && !is_form_given; l++)
		if (reader->model->loops[l].extent > 1 && !reader->tiles[l]
			&& !names(reader->order, reader->model->loops[l].name))
			fail_at(reader, reader->order, NULL, "the order leaves out a loop that runs one iteration "
				"at a time, outside those that can be tiled:", reader->model->loops[l].name);
}

/* A loop that is to be cut, in this order or to turn, is not to run whole. */
static void check_whole(struct schedule_reader *reader, int l)
{
	const struct model_loop *loop = &reader->model->loops[l];
	bool is_named = reader->options->serpentine[l] == 1;
	for (int i = 0; i < reader->options->order_count && reader->order; i++)
		is_named |= reader->options->order[i] == l;
	if (is_named && loop->extent > 1 && loop->tile == loop->extent && reader->tiles[l])
		fail_at(reader, reader->tiles[l], NULL, "all iterations of a loop in one tile leave no tile "
			"loop to order or to turn:", loop->name);
}

bool schedule_read(struct schedule_reader *reader, const struct schedule_line *const *lines,
	int count)
{
	struct search_options *options = reader->options;
	bool is_form_given = false;
	for (int i = 0; i < count && !reader->failure; i++) {
		reader->line = lines[i];
		is_form_given |= schedule_line_is(lines[i], "form");
		read_fact(reader);
	}
	check_sequential(reader, is_form_given);
	for (int l = 0; l < reader->model->loop_count && !reader->failure; l++)
		check_whole(reader, l);
	for (int l = 0; l < reader->model->loop_count && reader->order && !reader->group; l++) {
		bool is_named = false;
		for (int i = 0; i < options->order_count; i++)
			is_named |= options->order[i] == l;
		if (!is_named && !reader->model->loops[l].tile && options->serpentine[l] != 1)
			reader->model->loops[l].tile = reader->model->loops[l].extent;
	}
	resolve_stores(reader);
	return !reader->failure;
}

const struct schedule_line **schedule_lines_below(const struct compilation *compilation,
	const char *name, int *count)
{
	const struct schedule_lines *lines = compilation->request.schedule;
	const struct schedule_line **below = ARENA_ARRAY(compilation->arena,
		const struct schedule_line *, (lines ? lines->count : 0) + 1);
	*count = 0;
	for (int i = 0; lines && i < lines->count; i++)
		if (!lines->items[i].is_heading && lines->items[i].nest
			&& !strcmp(lines->items[i].nest, name))
			below[(*count)++] = &lines->items[i];
	return below;
}

const struct schedule_line **schedule_constraints(const struct compilation *compilation,
	const struct nest *nest, int *count)
{
	const struct function *function = nest->function;
	const struct schedule_lines *lines = compilation->request.schedule;
	int file_count = 0, capacity = function->pragma_count + (lines ? lines->count : 0) + 1;
	const struct schedule_line **file = ARENA_ARRAY(compilation->arena,
		const struct schedule_line *, capacity);
	const struct schedule_line **all = ARENA_ARRAY(compilation->arena,
		const struct schedule_line *, capacity);
	/* lines of no heading are about the only nest (schedule_check.h) */
	for (int i = 0; lines && i < lines->count; i++)
		if (!lines->items[i].is_heading && (lines->items[i].nest
			? !strcmp(lines->items[i].nest, nest->name) : !nest->parent))
			file[file_count++] = &lines->items[i];
	*count = 0;
	for (int i = 0; i < function->pragma_count && !nest->parent; i++) {
		const struct pragma *pragma = &function->pragmas[i];
		if (pragma->loop && !(nest->statements[0]->depth
			&& pragma->loop == nest->statements[0]->loops[0]))
			continue;
		const struct schedule_line *line = schedule_line_of_pragma(compilation->arena, pragma);
		bool gives_way = !line->word_count;
		for (int f = 0; f < file_count && !gives_way; f++)
			gives_way = schedule_lines_clash(line, file[f]);
		if (!gives_way)
			all[(*count)++] = line;
	}
	for (int f = 0; f < file_count; f++)
		all[(*count)++] = file[f];
	return all;
}

bool schedule_restricts(const struct schedule_line *line)
{
	return !schedule_line_is(line, "carry") && !schedule_line_is(line, "fuse")
		&& !schedule_line_is(line, "merge") && !schedule_line_is(line, "nofuse");
}

bool schedule_read_form(struct compilation *compilation, const struct schedule_line *const *lines,
	int count, struct form *form)
{
	for (int i = 0; i < count; i++)
		if (schedule_line_is(lines[i], "form") && !form_parse(compilation, lines[i], form))
			return false;
	return true;
}

#include "passes/schedule_text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- printing ---- */

static const char *append(struct arena *arena, const char *text, const char *more)
{
	return arena_printf(arena, "%s%s", text, more);
}

/* The number of array A among those with its name; -1 if it is the only one. */
static int entry_number(const struct nest_model *model, int a)
{
	int before = 0, all = 0;
	for (int b = 0; b < model->array_count; b++)
		if (!strcmp(model->arrays[b].name, model->arrays[a].name)) {
			before += b < a;
			all++;
		}
	return all > 1 ? before : -1;
}

static const char *print_storage(struct arena *arena, const struct nest_model *model,
	const struct search_options *options, const struct schedule *schedule, int a)
{
	const struct storage *storage = &schedule->storage[a];
	const char *text = arena_printf(arena, "store %s", model->arrays[a].name);
	if (entry_number(model, a) >= 0)
		text = arena_printf(arena, "%s:%d", text, entry_number(model, a));
	text = storage->store == 0 ? append(arena, text, " outside")
		: arena_printf(arena, "%s in %s", text,
			model->loops[schedule->order[storage->store - 1]].name);
	if (storage->slots > 1)
		text = arena_printf(arena, "%s slots %ld", text, storage->slots);
	if (storage->is_sliding)
		text = append(arena, text, " sliding");
	if (storage->is_double)
		text = append(arena, text, " double");
	else if (options->buffering != BUFFERING_SINGLE && storage->store > 0)
		text = append(arena, text, " single");
	return append(arena, text, "\n");
}

/* All loops that may turn were told not to. */
static bool is_told_forward(const struct nest_model *model, const struct search_options *options)
{
	bool any = false;
	for (int l = 0; l < model->loop_count; l++) {
		if (!model->loops[l].is_forward && options->serpentine[l] != 0)
			return false;
		any |= !model->loops[l].is_forward;
	}
	return any;
}

const char *schedule_print(struct arena *arena, const struct nest_model *model,
	const struct search_options *options, const struct schedule *schedule)
{
	const char *text = "", *order = "order";
	const char *turns = is_told_forward(model, options) ? "serpentine none" : "";
	for (int i = 0; i < schedule->depth; i++) {
		int l = schedule->order[i];
		text = arena_printf(arena, "%stile %s %ld\n", text, model->loops[l].name,
			schedule->tile[l]);
		order = arena_printf(arena, "%s %s", order, model->loops[l].name);
		if (schedule->is_serpentine[l])
			turns = arena_printf(arena, "%s %s", *turns ? turns : "serpentine",
				model->loops[l].name);
	}
	text = arena_printf(arena, "%s%s\n", text, order);
	if (*turns)
		text = arena_printf(arena, "%s%s\n", text, turns);
	for (int a = 0; a < model->array_count; a++)
		text = append(arena, text, print_storage(arena, model, options, schedule, a));
	return text;
}

/* ---- parsing ---- */

static char *next_word(struct schedule_reader *reader)
{
	char *word = strtok_r(reader->rest, " \t\r,", &reader->rest);
	return word;
}

static void fail(struct schedule_reader *reader, const char *what, const char *word)
{
	diag_error(reader->diag, reader->at, "%s%s%s%s in the schedule", what, word ? " '" : "",
		word ? word : "", word ? "'" : "");
	reader->failed = true;
}

static int loop_named(struct schedule_reader *reader, const char *name)
{
	for (int l = 0; name && l < reader->model->loop_count; l++)
		if (!strcmp(reader->model->loops[l].name, name))
			return l;
	fail(reader, name ? "no loop that can be tiled is called" : "a loop's name is missing", name);
	return -1;
}

static long number(struct schedule_reader *reader, const char *word, long most)
{
	char *end = NULL;
	errno = 0;
	long value = word ? strtol(word, &end, 10) : 0;
	if (!word || *end || errno || value < 1 || value > most) {
		fail(reader, word ? "a number between 1 and the loop's extent is wanted, not"
			: "a number is missing", word);
		return 0;
	}
	return value;
}

static void read_tile(struct schedule_reader *reader)
{
	int l = loop_named(reader, next_word(reader));
	if (l >= 0)
		reader->model->loops[l].tile = number(reader, next_word(reader),
			reader->model->loops[l].extent);
}

/* Sequential loops are outermost whether they are named or not. */
static void read_order(struct schedule_reader *reader)
{
	bool named[MODEL_LOOPS] = { false };
	reader->options->order_count = reader->nest->prefix;
	reader->has_order = true;
	for (char *word; (word = next_word(reader)) && !reader->failed; ) {
		int l = loop_named(reader, word);
		if (l < 0)
			return;
		if (named[l]) {
			fail(reader, "the order names twice the loop", word);
			return;
		}
		named[l] = true;
		if (l >= reader->nest->prefix)
			reader->options->order[reader->options->order_count++] = l;
	}
}

static void read_serpentine(struct schedule_reader *reader)
{
	for (char *word; (word = next_word(reader)) && !reader->failed; ) {
		if (!strcmp(word, "none")) {
			for (int other = 0; other < reader->model->loop_count; other++)
				if (reader->options->serpentine[other] < 0)
					reader->options->serpentine[other] = 0;
			continue;
		}
		int l = loop_named(reader, word);
		if (l >= 0 && reader->model->loops[l].is_forward)
			fail(reader, "a dependence forbids to walk backwards the loop", word);
		else if (l >= 0)
			reader->options->serpentine[l] = 1;
	}
}

/* What the rest of a store line says of array A. */
static void read_storage(struct schedule_reader *reader, int a)
{
	struct search_options *options = reader->options;
	for (char *word; (word = next_word(reader)) && !reader->failed; ) {
		if (!strcmp(word, "outside")) {
			options->store[a] = -2;
		} else if (!strcmp(word, "in")) {
			int l = loop_named(reader, next_word(reader));
			options->store[a] = -3 - l;
		} else if (!strcmp(word, "slots")) {
			options->slots[a] = number(reader, next_word(reader), 1L << 40);
		} else if (!strcmp(word, "sliding")) {
			options->sliding[a] = 1;
		} else if (!strcmp(word, "double") || !strcmp(word, "single")) {
			options->doubled[a] = *word == 'd';
		} else {
			fail(reader, "outside, in, slots, sliding, double or single is wanted, not", word);
		}
	}
	if (!options->slots[a])
		options->slots[a] = 1;
}

/* ARRAY or ARRAY:NUMBER. */
static void read_store(struct schedule_reader *reader)
{
	char *name = next_word(reader), *colon = name ? strchr(name, ':') : NULL, *end = NULL;
	long wanted = colon ? strtol(colon + 1, &end, 10) : -1;
	char facts[sizeof reader->line];
	bool any = false;
	if (colon && (end == colon + 1 || *end || wanted < 0)) {
		fail(reader, "no buffer of an array is", name);
		return;
	}
	if (colon)
		*colon = '\0';
	snprintf(facts, sizeof facts, "%s", reader->rest ? reader->rest : "");
	for (int a = 0; name && a < reader->model->array_count && !reader->failed; a++) {
		if (strcmp(reader->model->arrays[a].name, name)
			|| (wanted >= 0 && entry_number(reader->model, a) != wanted))
			continue;
		char copy[sizeof facts];
		memcpy(copy, facts, sizeof copy);
		reader->rest = copy;
		read_storage(reader, a);
		any = true;
	}
	reader->rest = NULL;
	if (!any && !reader->failed)
		fail(reader, name ? "the nest has no array" : "an array's name is missing", name);
}

/* Whether producers are repeated follows from the order; that the loop is known does not. */
static void read_repeat(struct schedule_reader *reader)
{
	for (char *word; (word = next_word(reader)) && !reader->failed; )
		loop_named(reader, word);
}

/* The array of the function that has this name; -1 (diagnosed): none. */
static int read_array(struct schedule_reader *reader, const char *name)
{
	const struct function *function = reader->nest->function;
	for (int i = 0; name && i < function->array_count; i++)
		if (!strcmp(function->arrays[i]->name, name))
			return i;
	fail(reader, name ? "the nest has no array" : "an array's name is missing", name);
	return -1;
}

static void read_double(struct schedule_reader *reader)
{
	int found = read_array(reader, next_word(reader));
	if (found >= 0)
		reader->group->is_double[found] = true;
}

static void read_stream(struct schedule_reader *reader)
{
	const struct function *function = reader->nest->function;
	const char *name = next_word(reader), *loop = next_word(reader);
	int found = read_array(reader, name);
	if (found < 0)
		return;
	reader->group->is_streamed[found] = true;
	for (int l = 0; loop && l < function->loop_count; l++)
		if (!strcmp(function->loops[l]->name, loop))
			reader->group->stage_loop[found] = function->loops[l]->name;
	if (loop)
		reader->group->stage_tile[found] = number(reader, next_word(reader), LONG_MAX);
}

static void read_fact(struct schedule_reader *reader, const char *word)
{
	if (!strcmp(word, "tile"))
		read_tile(reader);
	else if (!strcmp(word, "order"))
		read_order(reader);
	else if (!strcmp(word, "serpentine"))
		read_serpentine(reader);
	else if (!strcmp(word, "store"))
		read_store(reader);
	else if (reader->group && !strcmp(word, "repeat"))
		read_repeat(reader);
	else if (reader->group && !strcmp(word, "stream"))
		read_stream(reader);
	else if (reader->group && !strcmp(word, "double"))
		read_double(reader);
	else if (!strcmp(word, "carry"))
		read_array(reader, next_word(reader));
	else if (!strcmp(word, "form") || !strcmp(word, "fuse") || !strcmp(word, "nofuse"))
		return;              /* read before there was a model */
	else
		fail(reader, "form, tile, order, serpentine, store, fuse or nofuse is wanted, not", word);
	char *extra = reader->failed || !reader->rest ? NULL : next_word(reader);
	if (extra)
		fail(reader, "unexpected", extra);
}

/* Stores are read as names of loops, and are levels of the order once it is known. */
static void resolve_stores(struct schedule_reader *reader)
{
	struct search_options *options = reader->options;
	for (int a = 0; a < reader->model->array_count && !reader->failed; a++) {
		int loop = -3 - options->store[a];
		if (options->store[a] == -2) {
			options->store[a] = 0;
		} else if (loop >= 0) {
			options->store[a] = -1;
			for (int i = 0; i < options->order_count; i++)
				if (options->order[i] == loop)
					options->store[a] = i + 1;
			if (options->store[a] < 0)
				fail(reader, "`store ... in` needs an `order` that names its loop for array",
					reader->model->arrays[a].name);
		}
	}
}

/* The next line of *TEXT that is not empty, of the nest called NAME (or of all); returns
 * its first word.  MINE: whether the lines now are the nest's.  NULL at the end. */
static char *next_line(struct schedule_reader *reader, const char **text, const char *name,
	bool *mine)
{
	while (**text && !reader->failed) {
		size_t length = strcspn(*text, "\n");
		if (length >= sizeof reader->line) {
			fail(reader, "a line is too long", NULL);
			return NULL;
		}
		memcpy(reader->line, *text, length);
		reader->line[length] = '\0';
		*text += length + ((*text)[length] == '\n');
		reader->line[strcspn(reader->line, "#")] = '\0';
		reader->rest = reader->line;
		char *word = next_word(reader);
		if (word && !strcmp(word, "nest")) {
			char *which = next_word(reader);
			*mine = which && !strcmp(which, name);
		} else if (word && *mine) {
			return word;
		}
		reader->at.line++;
	}
	return NULL;
}

bool schedule_read(struct schedule_reader *reader, struct location at, const char *text)
{
	bool mine = true;
	reader->at = at;
	for (char *word; (word = next_line(reader, &text, reader->nest->name, &mine)); ) {
		read_fact(reader, word);
		reader->at.line++;
	}
	return !reader->failed;
}

bool schedule_read_end(struct schedule_reader *reader)
{
	for (int l = 0; l < reader->model->loop_count && reader->has_order; l++) {
		bool is_named = false;
		for (int i = 0; i < reader->options->order_count; i++)
			is_named |= reader->options->order[i] == l;
		if (!is_named && !reader->model->loops[l].tile)
			reader->model->loops[l].tile = reader->model->loops[l].extent;
	}
	resolve_stores(reader);
	return !reader->failed;
}

bool schedule_read_form(struct compilation *compilation, struct location at, const char *text,
	const char *name, struct form *form)
{
	struct schedule_reader reader = { .diag = compilation->diag, .at = at };
	bool mine = true;
	for (char *word; (word = next_line(&reader, &text, name, &mine)); reader.at.line++)
		if (!strcmp(word, "form")
			&& !form_parse(compilation, reader.at, reader.rest ? reader.rest : reader.line, form))
			return false;
	return !reader.failed;
}

#include "passes/schedule_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- printing ---- */

static const char *append(struct arena *arena, const char *text, const char *more)
{
	return arena_printf(arena, "%s%s", text, more);
}

static const char *print_storage(struct arena *arena, const struct nest_model *model,
	const struct schedule *schedule, int a)
{
	const struct storage *storage = &schedule->storage[a];
	const char *text = arena_printf(arena, "store %s ", model->arrays[a].name);
	text = storage->store == 0 ? append(arena, text, "outside")
		: arena_printf(arena, "%sin %s", text,
			model->loops[schedule->order[storage->store - 1]].name);
	if (storage->slots > 1)
		text = arena_printf(arena, "%s slots %ld", text, storage->slots);
	if (storage->is_sliding)
		text = append(arena, text, " sliding");
	if (storage->is_double)
		text = append(arena, text, " double");
	return append(arena, text, "\n");
}

const char *schedule_print(struct arena *arena, const struct nest_model *model,
	const struct schedule *schedule)
{
	const char *text = "", *order = "order", *turns = "serpentine";
	bool any = false;
	for (int i = 0; i < schedule->depth; i++) {
		int l = schedule->order[i];
		text = arena_printf(arena, "%stile %s %ld\n", text, model->loops[l].name,
			schedule->tile[l]);
		order = arena_printf(arena, "%s %s", order, model->loops[l].name);
		if (schedule->is_serpentine[l]) {
			turns = arena_printf(arena, "%s %s", turns, model->loops[l].name);
			any = true;
		}
	}
	text = arena_printf(arena, "%s%s\n", text, order);
	if (any)
		text = arena_printf(arena, "%s%s\n", text, turns);
	for (int a = 0; a < model->array_count; a++)
		text = append(arena, text, print_storage(arena, model, schedule, a));
	return text;
}

/* ---- parsing ---- */

struct reader {
	struct diag *diag;
	struct location at;
	struct nest_model *model;
	struct search_options *options;
	char line[512];
	char *rest;                  /* of the line */
	bool failed;
};

static char *next_word(struct reader *reader)
{
	char *word = strtok_r(reader->rest, " \t\r,", &reader->rest);
	return word;
}

static void fail(struct reader *reader, const char *what, const char *word)
{
	diag_error(reader->diag, reader->at, "%s%s%s%s in the schedule", what, word ? " '" : "",
		word ? word : "", word ? "'" : "");
	reader->failed = true;
}

static int loop_named(struct reader *reader, const char *name)
{
	for (int l = 0; name && l < reader->model->loop_count; l++)
		if (!strcmp(reader->model->loops[l].name, name))
			return l;
	fail(reader, name ? "no loop that can be tiled is called" : "a loop's name is missing", name);
	return -1;
}

static long number(struct reader *reader, const char *word, long most)
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

static void read_tile(struct reader *reader)
{
	int l = loop_named(reader, next_word(reader));
	if (l >= 0)
		reader->model->loops[l].tile = number(reader, next_word(reader),
			reader->model->loops[l].extent);
}

/* The loops that the order does not name run whole. */
static void read_order(struct reader *reader)
{
	bool named[MODEL_LOOPS] = { false };
	reader->options->order_count = 0;
	for (char *word; (word = next_word(reader)) && !reader->failed; ) {
		int l = loop_named(reader, word);
		if (l < 0)
			return;
		if (named[l]) {
			fail(reader, "the order names twice the loop", word);
			return;
		}
		named[l] = true;
		reader->options->order[reader->options->order_count++] = l;
	}
}

static void read_serpentine(struct reader *reader)
{
	for (char *word; (word = next_word(reader)) && !reader->failed; ) {
		int l = loop_named(reader, word);
		if (l >= 0 && reader->model->loops[l].is_forward)
			fail(reader, "a dependence forbids to walk backwards the loop", word);
		else if (l >= 0)
			reader->options->serpentine[l] = 1;
	}
}

static void read_store(struct reader *reader)
{
	char *name = next_word(reader), *word;
	int a = 0;
	while (name && a < reader->model->array_count
		&& strcmp(reader->model->arrays[a].name, name))
		a++;
	if (!name || a == reader->model->array_count) {
		fail(reader, name ? "the nest has no array" : "an array's name is missing", name);
		return;
	}
	while ((word = next_word(reader)) && !reader->failed) {
		if (!strcmp(word, "outside")) {
			reader->options->store[a] = -2;
		} else if (!strcmp(word, "in")) {
			int l = loop_named(reader, next_word(reader));
			reader->options->store[a] = -3 - l;
		} else if (!strcmp(word, "slots")) {
			reader->options->slots[a] = number(reader, next_word(reader), 1L << 40);
		} else if (!strcmp(word, "sliding")) {
			reader->options->sliding[a] = 1;
		} else if (strcmp(word, "double")) {
			fail(reader, "outside, in, slots, sliding or double is wanted, not", word);
		}
	}
}

static void read_fact(struct reader *reader, const char *word)
{
	if (!strcmp(word, "tile"))
		read_tile(reader);
	else if (!strcmp(word, "order"))
		read_order(reader);
	else if (!strcmp(word, "serpentine"))
		read_serpentine(reader);
	else if (!strcmp(word, "store"))
		read_store(reader);
	else
		fail(reader, "tile, order, serpentine or store is wanted, not", word);
	char *extra = reader->failed ? NULL : next_word(reader);
	if (extra)
		fail(reader, "unexpected", extra);
}

/* Stores are read as names of loops, and are levels of the order once it is known. */
static void resolve_stores(struct reader *reader)
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

bool schedule_parse(struct diag *diag, struct location at, const char *text, const char *name,
	struct nest_model *model, struct search_options *options)
{
	struct reader reader = { .diag = diag, .at = at, .model = model, .options = options };
	bool mine = true;
	for (const char *p = text; *p && !reader.failed; reader.at.line++) {
		size_t length = strcspn(p, "\n");
		if (length >= sizeof reader.line) {
			fail(&reader, "a line is too long", NULL);
			break;
		}
		memcpy(reader.line, p, length);
		reader.line[length] = '\0';
		p += length + (p[length] == '\n');
		reader.line[strcspn(reader.line, "#")] = '\0';
		reader.rest = reader.line;
		char *word = next_word(&reader);
		if (!word)
			continue;
		if (!strcmp(word, "nest")) {
			char *which = next_word(&reader);
			mine = which && !strcmp(which, name);
		} else if (mine) {
			read_fact(&reader, word);
		}
	}
	if (!reader.failed)
		resolve_stores(&reader);
	return !reader.failed;
}

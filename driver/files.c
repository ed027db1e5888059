#include "driver/files.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "driver/depfile.h"

/* Where a file that is not there yet will be, in the arena; NULL: nowhere. */
static const char *place_of(struct arena *arena, const char *file)
{
	char *directory = realpath(dirname(arena_strdup(arena, file)), NULL);
	const char *place = directory ? arena_printf(arena, "%s/%s", directory,
		basename(arena_strdup(arena, file))) : NULL;
	free(directory);
	return place;
}

/* Devices and pipes can be written as often as one likes. */
static bool is_same(struct arena *arena, const char *one, const char *other)
{
	struct stat a, b;
	bool is_there = stat(one, &a) == 0;
	if (is_there != (stat(other, &b) == 0))
		return false;
	if (is_there)
		return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
	const char *place = place_of(arena, one), *other_place = place_of(arena, other);
	return place && other_place ? !strcmp(place, other_place) : !strcmp(one, other);
}

static void add(struct arena *arena, struct string_list *list, const char *file)
{
	if (!file || !strcmp(file, "-"))
		return;
	list->items = arena_grow(arena, list->items, (size_t)list->count, &list->capacity,
		sizeof *list->items);
	list->items[list->count++] = file;
}

static struct string_list written_by(const struct session *session)
{
	const struct options *options = session->options;
	struct string_list list = { 0 };
	for (int e = 0; e < options->emission_count; e++)
		add(session->arena, &list, options->emissions[e].file);
	add(session->arena, &list, options->report_file);
	for (int f = 0; f < options->sweep_files.count; f++)
		add(session->arena, &list, options->sweep_files.items[f]);
	for (int f = 0; f < options->pareto_files.count; f++)
		add(session->arena, &list, options->pareto_files.items[f]);
	if (options->depfile_only ? options->depfile_file != NULL : options->depfile)
		add(session->arena, &list, depfile_name(session->arena, options));
	return list;
}

bool files_are_apart(const struct session *session)
{
	struct string_list written = written_by(session);
	for (int w = 0; w < written.count; w++) {
		const char *file = written.items[w];
		for (int r = 0; r < session->files.count; r++)
			if (strcmp(session->files.items[r], "-")
				&& is_same(session->arena, file, session->files.items[r])) {
				fprintf(stderr, "loopc: error: '%s' was read as '%s': it is not written over\n", file,
					session->files.items[r]);
				return false;
			}
		for (int before = 0; before < w; before++)
			if (is_same(session->arena, file, written.items[before])) {
				fprintf(stderr, "loopc: error: two things would be written to '%s' ('%s')\n", written.items[before], file);
				return false;
			}
	}
	return true;
}

/* Data of the user's for --verify. */

#include "driver/verify_data.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ir/program_build.h"

static const struct location nowhere = { NULL, 0, 0, 0 };

/* Beyond this a double does not tell whole numbers apart. */
static const double WHOLE_LIMIT = 9007199254740992.0;

/* Whether ITEM, "A=..." or "f.A=...", speaks of ARRAY of FUNCTION. */
static bool is_about(const char *item, const struct function *function, const struct array *array)
{
	size_t length = strcspn(item, "=");
	const char *dot = memchr(item, '.', length), *name = dot ? dot + 1 : item;
	size_t name_length = length - (size_t)(name - item);
	if (dot && (strlen(function->name) != (size_t)(dot - item) ||
		strncmp(function->name, item, (size_t)(dot - item))))
		return false;
	return array->is_parameter && strlen(array->name) == name_length &&
		!strncmp(array->name, name, name_length);
}

/* "LO..HI" */
static bool parse_range(const char *text, double *least, double *most)
{
	char *end;
	*least = strtod(text, &end);
	/* strtod takes the first dot of "1..2" for its own */
	const char *dots = strstr(text, "..");
	if (end == text || !dots || (end != dots && end != dots + 1) || !isfinite(*least))
		return false;
	*most = strtod(dots + 2, &end);
	return end != dots + 2 && !*end && isfinite(*most) && *least <= *most;
}

static const char *value_of(const char *item)
{
	return item + strcspn(item, "=") + 1;
}

struct verify_source verify_data_of(const struct session *session, const struct function *function,
	const struct array *array)
{
	const struct options *options = session->options;
	struct verify_source source = { .file = NULL };
	for (int i = 0; i < options->verify_files.count; i++)
		if (is_about(options->verify_files.items[i], function, array))
			source.file = value_of(options->verify_files.items[i]);
	for (int i = 0; i < options->verify_ranges.count; i++)
		if (is_about(options->verify_ranges.items[i], function, array))
			source.has_range = parse_range(value_of(options->verify_ranges.items[i]),
				&source.least, &source.most);
	return source;
}

static bool check_file(const struct session *session, const struct array *array, const char *file)
{
	struct stat status;
	long bytes = array->elements * array->type.bytes;
	if (stat(file, &status)) {
		diag_error(session->diag, nowhere, "cannot read '%s' for '%s': %s", file, array->name,
			strerror(errno));
		return false;
	}
	if (!array->by_value && status.st_size == bytes)
		return true;
	if (array->by_value)
		diag_error(session->diag, nowhere, "'%s' is a number, not an array; --verify-range gives it "
			"a value", array->name);
	else
		diag_error(session->diag, array->location, "'%s' has %ld bytes, but '%s' has %ld: %ld "
			"elements of type '%s'", file, (long)status.st_size, array->name, bytes,
			array->elements, array->type.name);
	return false;
}

static bool check_range(const struct session *session, const struct array *array, const char *text)
{
	double least, most;
	if (!parse_range(text, &least, &most)) {
		diag_error(session->diag, nowhere, "--verify-range is ARRAY=LO..HI with numbers, LO no more "
			"than HI, not '%s=%s'", array->name, text);
		return false;
	}
	if (type_is_float(array->type.kind))
		return true;
	double lowest = (double)type_min(array->type.kind), highest = (double)type_max(array->type.kind);
	lowest = lowest < -WHOLE_LIMIT ? -WHOLE_LIMIT : lowest;
	highest = highest > WHOLE_LIMIT ? WHOLE_LIMIT : highest;
	if (least >= lowest && most <= highest && ceil(least) <= floor(most))
		return true;
	diag_error(session->diag, array->location, "no range of '%s', which is of type '%s': %s (whole "
		"numbers from %.0f to %.0f)", array->name, array->type.name, text, lowest, highest);
	return false;
}

/* What a check does with each parameter that ITEM is about. */
static bool check_item(const struct session *session, const char *option, const char *item,
	bool (*check)(const struct session *, const struct array *, const char *))
{
	bool is_good = true;
	int count = 0;
	for (int f = 0; f < session->program->function_count; f++) {
		const struct function *function = session->program->functions[f];
		for (int a = 0; a < function->array_count; a++)
			if (is_about(item, function, function->arrays[a])) {
				count++;
				is_good &= check(session, function->arrays[a], value_of(item));
			}
	}
	if (!count)
		diag_error(session->diag, nowhere, "%s: no function has a parameter '%.*s' that is no size",
			option, (int)strcspn(item, "="), item);
	return is_good && count > 0;
}

static int count_about(const struct string_list *items, const struct function *function,
	const struct array *array)
{
	int count = 0;
	for (int i = 0; i < items->count; i++)
		count += is_about(items->items[i], function, array);
	return count;
}

/* No parameter is given its values twice. */
static bool check_once(const struct session *session)
{
	const struct options *options = session->options;
	bool is_good = true;
	for (int f = 0; f < session->program->function_count; f++) {
		const struct function *function = session->program->functions[f];
		for (int a = 0; a < function->array_count; a++)
			if (count_about(&options->verify_files, function, function->arrays[a]) +
				count_about(&options->verify_ranges, function, function->arrays[a]) > 1) {
				diag_error(session->diag, function->arrays[a]->location, "'%s' of '%s' is given its "
					"values twice; FUNCTION.ARRAY names one of several",
					function->arrays[a]->name, function->name);
				is_good = false;
			}
	}
	return is_good;
}

bool verify_data_check(const struct session *session)
{
	const struct options *options = session->options;
	bool is_good = check_once(session);
	for (int i = 0; i < options->verify_files.count; i++)
		is_good &= check_item(session, "--verify-data", options->verify_files.items[i], check_file);
	for (int i = 0; i < options->verify_ranges.count; i++)
		is_good &= check_item(session, "--verify-range", options->verify_ranges.items[i],
			check_range);
	return is_good;
}

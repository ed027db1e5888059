#include "driver/depfile.h"

#include <string.h>

const char *depfile_quote(struct arena *arena, const char *name)
{
	char *text = arena_alloc(arena, 2 * strlen(name) + 1), *end = text;
	for (const char *c = name; *c; c++) {
		if (*c == '$')
			*end++ = '$';
		else if (strchr(" \t#", *c))
			*end++ = '\\';
		*end++ = *c;
	}
	*end = '\0';
	return text;
}

static void print_name(FILE *out, struct arena *arena, const char *name)
{
	fputs(depfile_quote(arena, name), out);
}

static const char *first_file(const struct options *options)
{
	for (int e = 0; e < options->emission_count; e++)
		if (strcmp(options->emissions[e].file, "-"))
			return options->emissions[e].file;
	return options->report_file;
}

/* As C compilers name the object of a source: the C of INPUT, where loopc runs. */
static const char *default_target(struct arena *arena, const char *input)
{
	const char *slash = strrchr(input, '/'), *name = slash ? slash + 1 : input;
	const char *dot = strrchr(name, '.');
	if (!strcmp(input, "-"))
		return input;
	return arena_printf(arena, "%.*s.c", dot && dot > name ? (int)(dot - name) : (int)strlen(name),
		name);
}

/* What -MT names is written as it stands, as other compilers do. */
static void print_targets(FILE *out, struct arena *arena, const struct options *options)
{
	int count = 0;
	for (int t = 0; t < options->depfile_targets.count; t++, count++)
		fprintf(out, "%s%s", count ? " " : "", options->depfile_targets.items[t]);
	for (int e = 0; !options->depfile_targets.count && e < options->emission_count; e++)
		if (strcmp(options->emissions[e].file, "-")) {
			fputs(count++ ? " " : "", out);
			print_name(out, arena, options->emissions[e].file);
		}
	if (!options->depfile_targets.count && options->report_file) {
		fputs(count++ ? " " : "", out);
		print_name(out, arena, options->report_file);
	}
	if (!count)
		print_name(out, arena, default_target(arena, options->input));
}

void depfile_print(FILE *out, struct arena *arena, const struct options *options,
	const struct string_list *files)
{
	print_targets(out, arena, options);
	putc(':', out);
	for (int f = 0; f < files->count; f++) {
		fputs(" \\\n ", out);
		print_name(out, arena, files->items[f]);
	}
	putc('\n', out);
	for (int f = 1; options->depfile_phony && f < files->count; f++) {
		putc('\n', out);
		print_name(out, arena, files->items[f]);
		fputs(":\n", out);
	}
}

bool depfile_is_named(const struct options *options)
{
	return options->depfile_file || first_file(options);
}

const char *depfile_name(struct arena *arena, const struct options *options)
{
	if (options->depfile_file)
		return options->depfile_file;
	const char *output = first_file(options);
	if (!output)
		return "-";
	const char *slash = strrchr(output, '/'), *dot = strrchr(output, '.');
	int length = dot && (!slash || dot > slash + 1) ? (int)(dot - output) : (int)strlen(output);
	return arena_printf(arena, "%.*s.d", length, output);
}

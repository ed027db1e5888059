#include "driver/depfile.h"

#include <string.h>

/* NAME as make reads it. */
static void print_name(FILE *out, const char *name)
{
	for (const char *c = name; *c; c++) {
		if (*c == '$')
			putc('$', out);
		else if (strchr(" \t#", *c))
			putc('\\', out);
		putc(*c, out);
	}
}

static const char *first_file(const struct options *options)
{
	for (int e = 0; e < options->emission_count; e++)
		if (strcmp(options->emissions[e].file, "-"))
			return options->emissions[e].file;
	return options->report_file;
}

/* What -MT names is written as it stands, as other compilers do. */
static void print_targets(FILE *out, const struct options *options)
{
	int count = 0;
	for (int t = 0; t < options->depfile_targets.count; t++, count++)
		fprintf(out, "%s%s", count ? " " : "", options->depfile_targets.items[t]);
	for (int e = 0; !options->depfile_targets.count && e < options->emission_count; e++)
		if (strcmp(options->emissions[e].file, "-")) {
			fputs(count++ ? " " : "", out);
			print_name(out, options->emissions[e].file);
		}
	if (!options->depfile_targets.count && options->report_file) {
		fputs(count++ ? " " : "", out);
		print_name(out, options->report_file);
	}
	if (!count)
		print_name(out, options->input);
}

void depfile_print(FILE *out, const struct options *options, const struct string_list *files)
{
	print_targets(out, options);
	putc(':', out);
	for (int f = 0; f < files->count; f++) {
		fputs(" \\\n ", out);
		print_name(out, files->items[f]);
	}
	putc('\n', out);
	for (int f = 1; options->depfile_phony && f < files->count; f++) {
		putc('\n', out);
		print_name(out, files->items[f]);
		fputs(":\n", out);
	}
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

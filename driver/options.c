#include "driver/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/depfile.h"
#include "driver/pareto.h"
#include "driver/trades.h"
#include "driver/space.h"
#include "driver/sweep.h"
#include "passes/studies/pareto.h"
#include "passes/pipeline.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS "0123456789"

const char *const buffering_names[] = { "single", "double", "auto" };

enum {
	OPTION_ARCH = 256, OPTION_OBJECTIVE, OPTION_EMIT, OPTION_SCHEDULE, OPTION_EFFORT,
	OPTION_BUFFERING, OPTION_FUSE, OPTION_RECOMPUTE, OPTION_REPORT, OPTION_VERIFY, OPTION_EXPLAIN, OPTION_PRINT_AFTER,
	OPTION_PRINT_CHANGED, OPTION_TIME_PASSES, OPTION_COLOR, OPTION_DIAGNOSTICS_FORMAT,
	OPTION_HELP, OPTION_VERSION, OPTION_LIST_ARCHS, OPTION_LIST_PASSES,
	OPTION_PRINT_RUNTIME_DIR, OPTION_PREFIX, OPTION_LINE_DIRECTIVES, OPTION_SAVE_TEMPS, OPTION_VERIFY_DATA,
	OPTION_VERIFY_RANGE,
	OPTION_SWEEP, OPTION_SWEEP_OUTPUT, OPTION_PARETO, OPTION_PARETO_OUTPUT, OPTION_PARETO_POINTS,
	OPTION_PARETO_NESTS, OPTION_SPACE, OPTION_SYMBOLIC, OPTION_TIME_LIMIT, OPTION_LIST_WARNINGS
};

static const struct option long_options[] = {
	{ "arch", required_argument, NULL, OPTION_ARCH },
	{ "objective", required_argument, NULL, OPTION_OBJECTIVE },
	{ "emit", required_argument, NULL, OPTION_EMIT },
	{ "schedule", required_argument, NULL, OPTION_SCHEDULE },
	{ "effort", required_argument, NULL, OPTION_EFFORT },
	{ "buffering", required_argument, NULL, OPTION_BUFFERING },
	{ "fuse", required_argument, NULL, OPTION_FUSE },
	{ "recompute", required_argument, NULL, OPTION_RECOMPUTE },
	{ "report", optional_argument, NULL, OPTION_REPORT },
	{ "verify", no_argument, NULL, OPTION_VERIFY },
	{ "verify-data", required_argument, NULL, OPTION_VERIFY_DATA },
	{ "verify-range", required_argument, NULL, OPTION_VERIFY_RANGE },
	{ "explain", optional_argument, NULL, OPTION_EXPLAIN },
	{ "print-after", required_argument, NULL, OPTION_PRINT_AFTER },
	{ "print-changed", no_argument, NULL, OPTION_PRINT_CHANGED },
	{ "time-passes", no_argument, NULL, OPTION_TIME_PASSES },
	{ "color", optional_argument, NULL, OPTION_COLOR },
	{ "diagnostics-format", required_argument, NULL, OPTION_DIAGNOSTICS_FORMAT },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ "list-archs", no_argument, NULL, OPTION_LIST_ARCHS },
	{ "list-passes", no_argument, NULL, OPTION_LIST_PASSES },
	{ "list-warnings", no_argument, NULL, OPTION_LIST_WARNINGS },
	{ "print-runtime-dir", no_argument, NULL, OPTION_PRINT_RUNTIME_DIR },
	{ "prefix", required_argument, NULL, OPTION_PREFIX },
	{ "line-directives", no_argument, NULL, OPTION_LINE_DIRECTIVES },
	{ "save-temps", required_argument, NULL, OPTION_SAVE_TEMPS },
	{ "symbolic", required_argument, NULL, OPTION_SYMBOLIC },
	{ "sweep", required_argument, NULL, OPTION_SWEEP },
	{ "sweep-output", required_argument, NULL, OPTION_SWEEP_OUTPUT },
	{ "pareto", optional_argument, NULL, OPTION_PARETO },
	{ "pareto-output", required_argument, NULL, OPTION_PARETO_OUTPUT },
	{ "pareto-points", required_argument, NULL, OPTION_PARETO_POINTS },
	{ "pareto-nests", no_argument, NULL, OPTION_PARETO_NESTS },
	{ "space", required_argument, NULL, OPTION_SPACE },
	{ "time-limit", required_argument, NULL, OPTION_TIME_LIMIT },
	{ NULL, 0, NULL, 0 }
};

static const char *const form_names[EMIT_COUNT] = {
	"preprocessed", "ast", "program", "deps", "reuse", "schedule", "plan", "c", "h", "report"
};

void options_help(void)
{
	fputs("Usage: loopc [options] FILE.loop          (- is standard input or output)\n"
"  -o FILE                write the C (or the first form of --emit) there\n"
"  -D NAME=VALUE          the value of a size; the last one counts, -U NAME: none\n"
"  -I DIR                 where #include looks\n"
"  --symbolic=NAME,...    sizes left to the run; -D has the value to tune for\n"
"  --arch=FILE|NAME       the machine (default: default; see --list-archs)\n"
"  --emit=FORM[=FILE],... preprocessed ast program deps reuse schedule plan c h\n"
"                         report           -E  preprocessed  -fsyntax-only  none\n"
"  --schedule=FILE        replay a schedule that --emit=schedule printed\n"
"  --objective=FIGURES    least: traffic commands cycles energy edp scratchpad,\n"
"                         or sums, as traffic+16*commands (default: traffic)\n"
"  --buffering=single|double|auto             (default: single)\n"
"  --fuse=never|auto|all  keep what is between nests on chip (default: auto)\n"
"  --recompute=never|allowed|N%  work that fusion may repeat (default: 25%)\n"
"  --effort=N|exhaustive  points the search looks at    -j N  with N threads\n"
"  --time-limit=SECONDS   of processor time until plans are made (default: 900)\n"
	"  -fno-reassociate       keep the order of floating-point reductions\n"
"  --prefix=TEXT          of all emitted names   --line-directives  emit #line\n"
"  --report[=FILE.json]   traffic, bounds and buffers: a table, or JSON in a file\n"
"  --explain              how the traffic comes about, array by array\n"
"  --explain=strategies   what each layer moves by input, weight and output reuse\n"
"  --verify               build with $CC, run against the source, compare results\n"
"                         and what is moved (--save-temps=DIR keeps the programs)\n"
"  --verify-data=ARRAY=FILE  --verify-range=ARRAY=LO..HI   with these values\n"
"  --sweep=scratchpad:8K..1M   least traffic for each size\n"
"                         (--sweep-output=FILE.csv|.json|.svg writes it)\n"
"  --pareto[=FIGURES]     the front of scratchpad and traffic (memory,traffic),\n"
"                         or of two or three of these, macs, commands, cycles,\n"
"                         energy, edp\n"
"                         (--pareto-output=FILE.csv|.json|.svg writes it,\n"
"                         --pareto-points=N|all searches, --pareto-nests: each)\n"
"  --space=baseline|tiling|fusion-norecompute|full   part of the schedule space\n"
"  --print-after=PASS|all --print-changed --time-passes\n"
"  -M -MD -MF FILE -MT TARGET -MQ TARGET -MP  dependencies for make\n"
"  -Wno-... -Werror -R...                     warnings, errors, remarks\n"
"  --color[=auto|always|never] --diagnostics-format=text|json\n"
"  --list-archs --list-passes --list-warnings --print-runtime-dir --version\n"
"  --help -h\n"
"Exit status: 0 done, 1 error in the input, 2 wrong usage, 3 nothing fits the\n"
"machine, 4 verification failed, 70 a bug in loopc.\n", stdout);
}

static bool __attribute__((format(printf, 1, 2))) wrong(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("loopc: error: ", stderr);
	vfprintf(stderr, format, arguments);
	fputs("\nTry 'loopc --help'.\n", stderr);
	va_end(arguments);
	return false;
}

static void list_add(struct arena *arena, struct string_list *list, const char *item)
{
	list->items = arena_grow(arena, list->items, (size_t)list->count, &list->capacity,
		sizeof *list->items);
	list->items[list->count++] = item;
}

/* "ARRAY=VALUES" */
static bool add_values(struct arena *arena, const char *option, struct string_list *list,
	const char *text)
{
	const char *equals = strchr(text, '=');
	if (!equals || equals == text || !equals[1])
		return wrong("%s needs ARRAY=%s, not '%s'", option,
			strcmp(option, "--verify-data") ? "LO..HI" : "FILE", text);
	list_add(arena, list, text);
	return true;
}

/* The index of TEXT among COUNT names, or -1. */
static int choice(const char *text, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(text, names[i]))
			return i;
	return -1;
}

static bool parse_count(const char *option, const char *text, long least, long *value)
{
	char *end;
	errno = 0;
	*value = strtol(text, &end, 10);
	if (end == text || *end || errno || *value < least)
		return wrong("%s needs a whole number of at least %ld, not '%s'", option, least, text);
	return true;
}

static bool is_name(const char *text, size_t length)
{
	return length && !strchr(DIGITS, text[0]) && strspn(text, LETTERS DIGITS) >= length;
}

/* What the -D before say of the name, LENGTH bytes of TEXT, counts no more. */
static void drop_define(struct options *options, const char *text, size_t length)
{
	struct string_list *defines = &options->defines;
	int kept = 0;
	for (int d = 0; d < defines->count; d++)
		if (strncmp(defines->items[d], text, length) || defines->items[d][length] != '=')
			defines->items[kept++] = defines->items[d];
	defines->count = kept;
}

/* NAME=VALUE; the front end reads the value.  The last one for a name counts. */
static bool add_define(struct arena *arena, struct options *options, const char *text)
{
	size_t length = strcspn(text, "=");
	if (!is_name(text, length))
		return wrong("-D needs NAME=VALUE, not '%s'", text);
	drop_define(options, text, length);
	list_add(arena, &options->defines,
		text[length] ? text : arena_printf(arena, "%s=1", text));
	return true;
}

static bool undefine(struct options *options, const char *name)
{
	if (!is_name(name, strlen(name)) || strchr(name, '='))
		return wrong("-U needs a NAME, not '%s'", name);
	drop_define(options, name, strlen(name));
	return true;
}

/* NAME,... */
static bool add_symbolic(struct arena *arena, struct options *options, const char *text)
{
	char *list = arena_strdup(arena, text), *save = NULL;
	int before = options->symbolic.count;
	for (char *name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		if (strchr(DIGITS, *name) || name[strspn(name, LETTERS DIGITS)])
			return wrong("--symbolic needs names of sizes, not '%s'", name);
		list_add(arena, &options->symbolic, name);
	}
	return options->symbolic.count > before || wrong("--symbolic needs a name");
}

/* Whether -D gives NAME a value. */
static bool is_defined(const struct options *options, const char *name)
{
	size_t length = strlen(name);
	for (int d = 0; d < options->defines.count; d++)
		if (!strncmp(options->defines.items[d], name, length) &&
		    options->defines.items[d][length] == '=')
			return true;
	return false;
}

static bool check_symbolic(const struct options *options)
{
	for (int s = 0; s < options->symbolic.count; s++)
		if (!is_defined(options, options->symbolic.items[s]))
			return wrong("--symbolic=%s needs a value to tune for: -D %s=VALUE",
				options->symbolic.items[s], options->symbolic.items[s]);
	if (options->symbolic.count && (options->pareto || options->explain_strategies ||
		options->sweep))
		return wrong("%s compares schedules for sizes that are known: it does not go with "
			"--symbolic", options->pareto ? "--pareto" : options->sweep ? "--sweep" :
			"--explain=strategies");
	if (options->symbolic.count && options->is_fusion_given && options->fusion != FUSE_NEVER)
		return wrong("--fuse works with sizes that are known: it does not go with --symbolic");
	return true;
}

/* FORM[=FILE],... */
static bool add_emissions(struct arena *arena, struct options *options, const char *text)
{
	char *list = arena_strdup(arena, text), *save = NULL;
	for (char *item = strtok_r(list, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
		char *file = strchr(item, '=');
		if (file)
			*file++ = '\0';
		int form = choice(item, form_names, EMIT_COUNT);
		if (form < 0)
			return wrong("--emit knows preprocessed, ast, program, deps, reuse, schedule, plan, c, h and "
				"report, not '%s'", item);
		if (file && !*file)
			return wrong("--emit=%s= needs a file", item);
		for (int e = 0; e < options->emission_count; e++)
			if (options->emissions[e].form == (enum emit)form)
				return wrong("--emit=%s is given twice", item);
		options->emissions[options->emission_count++] = (struct emission){ (enum emit)form, file };
	}
	return options->emission_count > 0 || wrong("--emit needs a form");
}

/* -M, -MD, -MP; -MF, -MT and -MQ take the next argument where none is attached. */
static bool parse_make_option(struct arena *arena, struct options *options, const char *text,
	int argc, char **argv)
{
	if (!*text || !strcmp(text, "M")) {
		options->depfile_only = true;
		return true;
	}
	if (!strcmp(text, "D") || !strcmp(text, "MD")) {
		options->depfile = true;
		return true;
	}
	if (!strcmp(text, "P")) {
		options->depfile_phony = true;
		return true;
	}
	if (!strchr("FTQ", *text))
		return wrong("unknown option '-M%s'", text);
	const char *value = text[1] ? text + 1 : optind < argc ? argv[optind++] : NULL;
	if (!value)
		return wrong("-M%c needs an argument", *text);
	if (*text == 'F')
		options->depfile_file = value;
	else
		list_add(arena, &options->depfile_targets, *text == 'T' ? value
			: depfile_quote(arena, value));
	return true;
}

static bool parse_warning(struct arena *arena, struct options *options, const char *name,
	bool is_remark)
{
	if (!is_remark && !strcmp(name, "error")) {
		options->werror = true;
		return true;
	}
	bool on = strncmp(name, "no-", 3) != 0;
	options->warnings = arena_grow(arena, options->warnings, (size_t)options->warning_count,
		&options->warning_capacity, sizeof *options->warnings);
	options->warnings[options->warning_count++] =
		(struct warning_choice){ on ? name : name + 3, on, is_remark };
	return true;
}

static bool parse_color(struct options *options, const char *text)
{
	static const char *const names[] = { "auto", "always", "never" };
	int index = text ? choice(text, names, 3) : COLOR_ALWAYS;
	if (index < 0)
		return wrong("--color is auto, always or never, not '%s'", text);
	options->color = (enum diag_color)index;
	return true;
}

static bool parse_enumerated(struct options *options, int option, const char *text)
{
	static const char *const fusions[] = { "never", "auto", "all" };
	int index;
	switch (option) {
	case OPTION_BUFFERING:
		index = choice(text, buffering_names, 3);
		if (index < 0)
			return wrong("--buffering is single, double or auto, not '%s'", text);
		options->buffering = (enum buffering)index;
		options->is_buffering_given = true;
		return true;
	case OPTION_FUSE:
		index = choice(text, fusions, 3);
		if (index < 0)
			return wrong("--fuse is never, auto or all, not '%s'", text);
		options->fusion = (enum fusion)index;
		options->is_fusion_given = true;
		return true;
	case OPTION_DIAGNOSTICS_FORMAT:
		options->json_diagnostics = !strcmp(text, "json");
		return options->json_diagnostics || !strcmp(text, "text") ||
			wrong("--diagnostics-format is text or json, not '%s'", text);
	default:
		return objective_parse(text, &options->objective) ||
			wrong("--objective is traffic, commands, cycles, energy, edp or scratchpad, a sum of these as "
				"traffic+16*commands, or sums one after the other as cycles,traffic, not '%s'", text);
	}
}

static bool parse_flag(struct options *options, const char *text)
{
	if (!strcmp(text, "syntax-only")) {
		options->syntax_only = true;
		return true;
	}
	if (strcmp(text, "no-reassociate") && strcmp(text, "reassociate"))
		return wrong("unknown option '-f%s'", text);
	options->reassociate = *text == 'r';
	return true;
}

static bool parse_threads(struct options *options, const char *text)
{
	long threads;
	if (!parse_count("-j", text, 1, &threads))
		return false;
	options->threads = (int)(threads < 256 ? threads : 256);
	return true;
}

static bool parse_recompute(struct options *options, const char *text)
{
	char *end;
	options->recompute_percent = !strcmp(text, "never") ? 0
		: !strcmp(text, "allowed") ? HUGE_VAL : -1;
	if (options->recompute_percent >= 0)
		return true;
	double percent = strtod(text, &end);
	if (!isdigit((unsigned char)*text) || strcmp(end, "%") || !isfinite(percent))
		return wrong("--recompute is never, allowed or a share such as 10%%, not '%s'", text);
	options->recompute_percent = percent;
	return true;
}

static bool parse_explain(struct options *options, const char *text)
{
	if (text && strcmp(text, "strategies"))
		return wrong("--explain is given alone or as --explain=strategies, not '%s'", text);
	*(text ? &options->explain_strategies : &options->explain) = true;
	return true;
}

static bool parse_option(struct arena *arena, struct options *options, int option,
	int argc, char **argv)
{
	char *text = optarg;
	switch (option) {
	case 'o': options->output = text; return true;
	case 'D': return add_define(arena, options, text);
	case 'U': return undefine(options, text);
	case 'h': options->action = ACTION_HELP; return true;
	case 'E': return text ? wrong("unknown option '-E%s'", text)
		: add_emissions(arena, options, "preprocessed");
	case 'I': list_add(arena, &options->include_dirs, text); return true;
	case 'j': return parse_threads(options, text);
	case 'M': return parse_make_option(arena, options, text ? text : "", argc, argv);
	case 'W': return parse_warning(arena, options, text, false);
	case 'R': return parse_warning(arena, options, text, true);
	case 'f': return parse_flag(options, text);
	case OPTION_ARCH: options->arch = text; return true;
	case OPTION_EMIT: return add_emissions(arena, options, text);
	case OPTION_SCHEDULE: options->schedule_file = text; return true;
	case OPTION_EFFORT:
		options->effort = 0;
		return !strcmp(text, "exhaustive") || parse_count("--effort", text, 1, &options->effort);
	case OPTION_TIME_LIMIT:
		return parse_count("--time-limit", text, 0, &options->time_limit_seconds);
	case OPTION_REPORT:
		if (text)
			options->report_file = text;
		else
			options->report_text = true;
		return true;
	case OPTION_VERIFY: options->verify = true; return true;
	case OPTION_VERIFY_DATA:
		return add_values(arena, "--verify-data", &options->verify_files, text);
	case OPTION_VERIFY_RANGE:
		return add_values(arena, "--verify-range", &options->verify_ranges, text);
	case OPTION_RECOMPUTE:
		options->is_recompute_given = true;
		return parse_recompute(options, text);
	case OPTION_EXPLAIN: return parse_explain(options, text);
	case OPTION_PRINT_AFTER: list_add(arena, &options->print_after, text); return true;
	case OPTION_PRINT_CHANGED: options->print_changed = true; return true;
	case OPTION_TIME_PASSES: options->time_passes = true; return true;
	case OPTION_COLOR: return parse_color(options, text);
	case OPTION_PREFIX: options->prefix = text; return true;
	case OPTION_LINE_DIRECTIVES: options->line_directives = true; return true;
	case OPTION_SAVE_TEMPS: options->save_temps = text; return true;
	case OPTION_SYMBOLIC: return add_symbolic(arena, options, text);
	case OPTION_SWEEP: options->sweep = text; return true;
	case OPTION_PARETO: options->pareto = text ? text : "memory,traffic"; return true;
	case OPTION_PARETO_OUTPUT: list_add(arena, &options->pareto_files, text); return true;
	case OPTION_PARETO_NESTS: options->pareto_nests = true; return true;
	case OPTION_PARETO_POINTS:
		options->pareto_points = PARETO_COMPLETE;
		return !strcmp(text, "all") || parse_count("--pareto-points", text, 1, &options->pareto_points);
	case OPTION_SPACE: options->space = text; return true;
	case OPTION_SWEEP_OUTPUT: list_add(arena, &options->sweep_files, text); return true;
	case OPTION_HELP: options->action = ACTION_HELP; return true;
	case OPTION_VERSION: options->action = ACTION_VERSION; return true;
	case OPTION_LIST_ARCHS: options->action = ACTION_LIST_ARCHS; return true;
	case OPTION_LIST_WARNINGS: options->action = ACTION_LIST_WARNINGS; return true;
	case OPTION_LIST_PASSES: options->action = ACTION_LIST_PASSES; return true;
	case OPTION_PRINT_RUNTIME_DIR: options->action = ACTION_PRINT_RUNTIME_DIR; return true;
	default: return parse_enumerated(options, option, text);
	}
}

/* Remembers an option that says how a source is bound, or how a program becomes a plan: inputs that
 * are further on have no use for it. */
static void note_option(struct options *options, int option)
{
	static const struct {
		int option;
		const char *name;
		bool binds;
	} early[] = {
		{ 'D', "-D", true }, { 'U', "-U", true },
		{ OPTION_SYMBOLIC, "--symbolic", true }, { OPTION_ARCH, "--arch", false },
		{ OPTION_SCHEDULE, "--schedule", false }, { OPTION_BUFFERING, "--buffering", false },
		{ OPTION_FUSE, "--fuse", false }, { OPTION_RECOMPUTE, "--recompute", false },
		{ OPTION_EFFORT, "--effort", false }, { OPTION_OBJECTIVE, "--objective", false },
		{ OPTION_SPACE, "--space", false }, { OPTION_SWEEP, "--sweep", false },
		{ OPTION_PARETO, "--pareto", false }
	};
	for (size_t e = 0; e < sizeof early / sizeof *early; e++)
		if (early[e].option == option)
			*(early[e].binds ? &options->binding_option : &options->planning_option) = early[e].name;
}

static void option_defaults(struct options *options)
{
	*options = (struct options){ .arch = "default", .threads = 1, .reassociate = true,
		.fusion = FUSE_AUTO, .recompute_percent = RECOMPUTE_PERCENT, .time_limit_seconds = 900,
		.prefix = "" };
	objective_parse("traffic", &options->objective);
}

/* Something is asked for besides forms of the result. */
static bool has_reports(const struct options *options)
{
	return options->report_file || options->report_text || options->explain
		|| options->explain_strategies || options->verify || options->sweep || options->pareto
		|| options->depfile_only;
}

bool options_only_preprocess(const struct options *options)
{
	return options->emission_count == 1 && options->emissions[0].form == EMIT_PREPROCESSED
		&& !has_reports(options) && !options->depfile;
}

/* Gives every form of the result its place: -o names that of the one form, C if
 * none was asked for.  Without -o, options that print or check something else keep
 * the C off standard output. */
static bool place_emissions(struct options *options)
{
	int unnamed = 0;
	for (int e = 0; e < options->emission_count; e++)
		unnamed += !options->emissions[e].file;
	if (options->syntax_only)
		options->emission_count = 0;
	else if (options->output && options->emission_count && unnamed != 1)
		return wrong("-o names the file of one form; with several write --emit=FORM=FILE,...");
	bool is_quiet = has_reports(options);
	if (!options->emission_count && !options->syntax_only && (options->output || !is_quiet))
		options->emissions[options->emission_count++] = (struct emission){ EMIT_C, NULL };
	for (int e = 0; e < options->emission_count; e++)
		if (!options->emissions[e].file)
			options->emissions[e].file = options->output ? options->output : "-";
	for (int e = 0; e < options->emission_count; e++)
		for (int other = 0; other < e; other++)
			if (strcmp(options->emissions[e].file, "-") &&
			    !strcmp(options->emissions[e].file, options->emissions[other].file))
				return wrong("two forms go to '%s'", options->emissions[e].file);
	return true;
}

/* FILES of OPTION end in what can be written. */
static bool check_plot_files(const char *option, const struct string_list *files)
{
	for (int f = 0; f < files->count; f++) {
		const char *dot = strrchr(files->items[f], '.');
		if (!dot || (strcmp(dot, ".csv") && strcmp(dot, ".json") && strcmp(dot, ".svg")))
			return wrong("%s names a file that ends in .csv, .json or .svg, not '%s'", option,
				files->items[f]);
	}
	return true;
}

static bool check_sweep(const struct options *options)
{
	struct sweep_asked asked;
	if (options->sweep_files.count && !options->sweep)
		return wrong("--sweep-output goes with --sweep");
	if (options->sweep && !sweep_parse(options->sweep, &asked))
		return wrong("--sweep is scratchpad:FROM..TO (or a memory's name for the first word) in bytes, with "
			"K or M behind a number for 1024 or 1024^2 of them, as scratchpad:8K..1M, not '%s'",
			options->sweep);
	return check_plot_files("--sweep-output", &options->sweep_files);
}

static bool ends_in(const char *name, const char *suffix)
{
	size_t length = strlen(name), end = strlen(suffix);
	return length > end && !strcmp(name + length - end, suffix);
}

static bool check_pareto(const struct options *options)
{
	struct trades_asked asked;
	bool with_macs, is_of_bytes = options->pareto && pareto_parse(options->pareto, &with_macs);
	if ((options->pareto_files.count || options->pareto_points || options->pareto_nests) &&
		!options->pareto)
		return wrong("--pareto-output, --pareto-points and --pareto-nests go with --pareto");
	if (options->pareto && !trades_parse(options->pareto, &asked))
		return wrong("--pareto is two or three of memory, traffic, macs, commands, cycles, energy, edp and scratchpad, "
			"as memory,traffic, not '%s'", options->pareto);
	if (options->pareto && !is_of_bytes && options->pareto_nests)
		return wrong("--pareto-nests goes with memory,traffic or memory,traffic,macs, not with '%s'",
			options->pareto);
	for (int f = 0; f < options->pareto_files.count && options->pareto && !is_of_bytes; f++)
		if (ends_in(options->pareto_files.items[f], ".svg"))
			return wrong("charts show memory,traffic: '%s' of --pareto=%s can be .csv or .json",
				options->pareto_files.items[f], options->pareto);
	if ((options->pareto || options->sweep || options->explain_strategies)
		&& !objective_is_traffic(&options->objective))
		return wrong("--pareto, --sweep and --explain=strategies are about traffic: they do not go "
			"with --objective=%s", options->objective.text);
	if (options->space && !space_find(options->space))
		return wrong("--space is baseline, tiling, fusion-norecompute or full, not '%s'",
			options->space);
	return check_plot_files("--pareto-output", &options->pareto_files);
}

/* Nothing is said that this input, or no other option, can make use of. */
static bool check_use(const struct options *options)
{
	bool is_plan = ends_in(options->input, ".plan");
	if (options->binding_option && (is_plan || ends_in(options->input, ".program")))
		return wrong("%s says how a source is read: the sizes of '%s' have their values",
			options->binding_option, options->input);
	if (options->planning_option && is_plan)
		return wrong("%s says how a plan is made: '%s' is one", options->planning_option,
			options->input);
	if (options->save_temps && !options->verify)
		return wrong("--save-temps goes with --verify");
	if ((options->depfile_file || options->depfile_targets.count || options->depfile_phony)
		&& !options->depfile && !options->depfile_only)
		return wrong("-MF, -MT, -MQ and -MP go with -M or -MD");
	return true;
}

static bool check_whole(struct options *options)
{
	if (!options->input)
		return wrong("no input file");
	if (!check_use(options))
		return false;
	if ((options->verify_files.count || options->verify_ranges.count) && !options->verify)
		return wrong("--verify-data and --verify-range go with --verify");
	if (options->prefix[strspn(options->prefix, LETTERS DIGITS)] ||
	    (options->prefix[0] && strchr(DIGITS, options->prefix[0])))
		return wrong("--prefix needs the beginning of an identifier, not '%s'", options->prefix);
	if (!place_emissions(options))
		return false;
	if (options->depfile && !depfile_is_named(options))
		return wrong("-MD needs -MF, -o or a file of --emit to name the file of dependences");
	for (int p = 0; p < options->print_after.count; p++)
		if (strcmp(options->print_after.items[p], "all") &&
		    !pass_find(options->print_after.items[p]))
			return wrong("--print-after: there is no pass '%s'; --list-passes shows them",
				options->print_after.items[p]);
	return check_sweep(options) && check_pareto(options) && check_symbolic(options);
}

/* What getopt found wrong: GIVEN is the word, unless it is of several one-letter options, of which
 * optopt is the wrong one. */
static bool wrong_option(int kind, const char *given)
{
	bool is_letter = optopt > 0 && optopt < 256;
	if (kind == ':')
		return is_letter ? wrong("-%c needs an argument", optopt)
			: wrong("%s needs an argument", given);
	if (is_letter)
		return wrong("unknown option '-%c'", optopt);
	return optopt ? wrong("'%s': this option takes no value", given)
		: wrong("unknown option '%s'", given);
}

bool options_parse(struct arena *arena, int argc, char **argv, struct options *options)
{
	option_defaults(options);
	opterr = 0;
	int option;
	while ((option = getopt_long(argc, argv, ":o:D:U:I:j:E::M::W:R:f:h", long_options, NULL)) != -1) {
		if (option == ':' || option == '?')
			return wrong_option(option, argv[optind - 1]);
		note_option(options, option);
		if (!parse_option(arena, options, option, argc, argv))
			return false;
	}
	if (options->action != ACTION_COMPILE)
		return true;
	if (optind < argc)
		options->input = argv[optind++];
	if (optind < argc)
		return wrong("one input file at a time: '%s' and '%s'", options->input, argv[optind]);
	return check_whole(options);
}

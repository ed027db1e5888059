#include "driver/verify.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/emit.h"
#include "driver/harness.h"
#include "driver/output.h"
#include "driver/runtime_dir.h"
#include "driver/verify_data.h"
#include "driver/verify_sizes.h"
#include "ir/plan_count.h"
#include "support/memory.h"

struct verification {
	struct session *session;
	const char *directory;       /* where the program is made */
	const char *runtime;
	struct verify_nest *nests;   /* of the case in hand */
	struct verify_nest *tuned_nests;   /* of all plans, for the report */
	long (*moved)[2];            /* [nest * array_count + array.index]: read, written */
	long (*words)[PLAN_WORDS];   /* likewise, of processing elements */
	const char *phase;           /* what ran last, for a crash */
	const char *function;
	int done_count;
	bool has_rounding;           /* of some function no data is known that rounds nothing */
	bool is_undefined;           /* the case in hand was not run */
	bool is_good;
};

static const struct location nowhere = { NULL, 0, 0, 0 };

static bool __attribute__((format(printf, 2, 3))) complain(struct verification *v,
	const char *format, ...)
{
	va_list arguments;
	char text[1024];
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	diag_error(v->session->diag, nowhere, "%s", text);
	return v->is_good = false;
}

static const char *path_in(const struct verification *v, const char *name)
{
	return arena_printf(v->session->arena, "%s/%s", v->directory, name);
}

/* ---- the program's files ---- */

static FILE *create(struct verification *v, const char *name)
{
	FILE *out = fopen(path_in(v, name), "w");
	if (!out)
		complain(v, "cannot write '%s': %s", path_in(v, name), strerror(errno));
	return out;
}

static bool finish(struct verification *v, FILE *out, const char *name)
{
	bool is_written = !ferror(out);
	if (fclose(out) == 0 && is_written)
		return true;
	return complain(v, "cannot write '%s': %s", path_in(v, name), strerror(errno));
}

enum part { PART_KERNEL, PART_TIME, PART_HEADER, PART_SOURCE, PART_REFERENCE, PART_TILED, PART_SHADOW,
	PART_SUPPORT, PART_SHADOW_SUPPORT, PART_MAIN, PART_COUNT };

static bool print_part(struct verification *v, enum part part, FILE *out)
{
	struct session *session = v->session;
	switch (part) {
	case PART_KERNEL: return emit_c(session, out, "kernel.h", true);
	case PART_TIME: harness_print_time(out, session); break;
	case PART_HEADER: return emit_header(session, out);
	case PART_SOURCE: fwrite(session->text, 1, session->length, out); break;
	case PART_REFERENCE: harness_print_reference(out, session); break;
	case PART_TILED: harness_print_tiled(out, session, "kernel.h"); break;
	case PART_SHADOW:
		return harness_print_shadow(out, session) || complain(v, "the instances of a statement "
			"cannot be put in the order of the source with a bounded amount of work");
	case PART_SHADOW_SUPPORT: fputs(harness_shadow_text, out); break;
	case PART_SUPPORT: fputs(harness_support_text, out); break;
	default: harness_print_main(out, session);
	}
	return true;
}

static bool write_program(struct verification *v)
{
	static const char *const names[PART_COUNT] = { "kernel.c", "verify_time.h", "kernel.h", "source.h",
		"reference.c", "tiled.c", "shadow.c", "verify_support.h", "verify_shadow.h", "main.c" };
	for (int part = 0; part < PART_COUNT; part++) {
		FILE *out = create(v, names[part]);
		if (!out)
			return false;
		bool is_printed = print_part(v, (enum part)part, out);
		if (!finish(v, out, names[part]) || !is_printed)
			return v->is_good = false;
	}
	return true;
}

/* ---- building and running it ---- */

/* TEXT as one word of the shell. */
static const char *quoted(struct arena *arena, const char *text)
{
	const char *out = "'";
	for (; *text; text++)
		out = *text == '\'' ? arena_printf(arena, "%s'\\''", out) :
			arena_printf(arena, "%s%c", out, *text);
	return arena_printf(arena, "%s'", out);
}

static const char *environment(const char *name, const char *otherwise)
{
	const char *value = getenv(name);
	return value && *value ? value : otherwise;
}

/* Runs COMMAND by the shell; its output goes to files of the directory. */
static int run(const struct verification *v, const char *command, const char *out,
	const char *err)
{
	struct arena *arena = v->session->arena;
	fflush(NULL);
	return system(arena_printf(arena, "{ %s; } </dev/null >%s 2>%s", command,
		quoted(arena, path_in(v, out)), quoted(arena, path_in(v, err))));
}

/* The first lines of a file of the directory, on stderr. */
static void show(const struct verification *v, const char *name, int lines)
{
	char line[512];
	FILE *in = fopen(path_in(v, name), "r");
	while (in && lines-- > 0 && fgets(line, sizeof line, in))
		fprintf(stderr, "  %s%s", line, strchr(line, '\n') ? "" : "\n");
	if (in)
		fclose(in);
}

static const char *include_options(const struct session *session)
{
	const char *text = "";
	const char *input = session->options->input, *slash = strrchr(input, '/');
	const char *directory = !slash ? "." :
		arena_strndup(session->arena, input, (size_t)(slash - input) + 1);
	text = arena_printf(session->arena, "-I %s", quoted(session->arena, directory));
	for (int i = 0; i < session->options->include_dirs.count; i++)
		text = arena_printf(session->arena, "%s -I %s", text,
			quoted(session->arena, session->options->include_dirs.items[i]));
	return text;
}

static bool build(struct verification *v)
{
	struct arena *arena = v->session->arena;
	const char *compiler = environment("CC", "cc");
	const char *where = quoted(arena, v->directory), *runtime = quoted(arena, v->runtime);
	/* Wrapping integers and separate roundings: data cannot make the source's behaviour
	 * undefined, and both programs compute the same. */
	const char *command = arena_printf(arena, "%s -std=c99 -D_POSIX_C_SOURCE=200809L -O1 -w -fwrapv "
		"-ffp-contract=off %s -I %s -I %s %s -o %s/verify %s/kernel.c %s/reference.c %s/tiled.c "
		"%s/shadow.c %s/main.c %s/checked.c %s -lm", compiler, environment("CFLAGS", ""), where, runtime,
		include_options(v->session), where, where, where, where, where, where, runtime,
		environment("LDLIBS", ""));
	int status = run(v, command, "build.out", "build.err");
	if (status == 0)
		return true;
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126))
		complain(v, "--verify needs a C compiler, and '%s' cannot be run; "
			"the environment's CC names another", compiler);
	else
		complain(v, "'%s' cannot build the verification program; a pure function that is not "
			"in the library is named by the environment's LDLIBS", compiler);
	show(v, "build.err", 20);
	return false;
}

/* The source keeps its local arrays on the stack, for which the usual 8 MiB may be too few: the
 * program has all that the system allows. */
static bool execute(struct verification *v)
{
	struct arena *arena = v->session->arena;
	struct rlimit usual, all;
	bool is_raised = getrlimit(RLIMIT_STACK, &usual) == 0;
	if (is_raised) {
		all = usual;
		all.rlim_cur = all.rlim_max;
		is_raised = setrlimit(RLIMIT_STACK, &all) == 0;
	}
	int status = run(v, arena_printf(arena, "exec %s", quoted(arena, path_in(v, "verify"))),
		"run.out", "run.err");
	if (is_raised)
		setrlimit(RLIMIT_STACK, &usual);
	if (status == 0)
		return true;
	v->is_good = false;
	return false;
}

/* ---- its findings ---- */

static const struct verify_case *case_of(const struct verification *v, const char *name)
{
	for (int c = 0; c < v->session->case_count; c++)
		if (!strcmp(v->session->cases[c].name, name))
			return &v->session->cases[c];
	return NULL;
}

/* " for N = 5 and M = 3", where sizes are symbolic. */
static const char *sizes_text(const struct verification *v, const struct verify_case *one)
{
	const struct function *function = one->plan->function;
	const char *text = "";
	for (int k = 0; k < function->symbolic_count; k++)
		text = arena_printf(v->session->arena, "%s%s%s = %ld", text, k ? " and " : " for ",
			function->symbolic[k]->name, one->sizes[k]);
	return text;
}

static const struct array *array_of(const struct verification *v, const struct function *function,
	const char *name)
{
	for (int a = 0; a < function->array_count; a++)
		if (!strcmp(harness_array_name(v->session->arena, function, function->arrays[a]), name))
			return function->arrays[a];
	return NULL;
}

/* The formulas of a nest give what its plan moves. */
static void check_formula(struct verification *v, const struct verify_case *one,
	const struct array *array, int n, long read_bytes, long write_bytes)
{
	enum { STEPS = 100000000 };
	const struct function *function = one->plan->function;
	struct plan_traffic *all = ARENA_ARRAY(v->session->arena, struct plan_traffic,
		function->array_count + 1);
	if (!plan_count_at(one->plan->nests[n].body, function, one->sizes, STEPS, all))
		return;
	const struct plan_traffic *counted = &all[array->index];
	if (counted->flow.read_bytes == read_bytes && counted->flow.write_bytes == write_bytes)
		return;
	v->is_good = false;
	diag_error(v->session->diag, array->location, "verification of '%s' failed%s: the formulas for "
		"'%s' give %ld bytes read and %ld written, but %ld and %ld are moved",
		one->plan->nests[n].name, sizes_text(v, one), array->source_name, read_bytes, write_bytes,
		counted->flow.read_bytes, counted->flow.write_bytes);
}

/* What the report says; for symbolic sizes that the plan was not tuned for, its count. */
static bool predicted_bytes(const struct verification *v, const struct verify_case *one,
	const struct array *array, long bytes[2])
{
	enum { STEPS = 100000000 };
	const struct plan *plan = one->plan;
	struct plan_traffic *all = ARENA_ARRAY(v->session->arena, struct plan_traffic,
		plan->function->array_count + 1);
	bytes[0] = bytes[1] = 0;
	for (int n = 0; n < plan->nest_count; n++) {
		if (plan->function->symbolic_count && !plan_count_at(plan->nests[n].body,
			plan->function, one->sizes, STEPS, all))
			return false;
		for (int t = 0; t < plan->nests[n].traffic_count && !plan->function->symbolic_count; t++)
			if (plan->nests[n].traffic[t].array == array) {
				bytes[0] += plan->nests[n].traffic[t].flow.read_bytes;
				bytes[1] += plan->nests[n].traffic[t].flow.write_bytes;
			}
	}
	bytes[0] += all[array->index].flow.read_bytes;
	bytes[1] += all[array->index].flow.write_bytes;
	return true;
}

static void check_traffic(struct verification *v, const struct verify_case *one,
	const struct array *array, long read_bytes, long write_bytes)
{
	const struct plan *plan = one->plan;
	long predicted[2];
	if (!predicted_bytes(v, one, array, predicted)) {
		complain(v, "the plan of '%s' is too long to count%s", plan->function->name,
			sizes_text(v, one));
		return;
	}
	if (!strcmp(one->name, plan->function->name)) {
		v->session->verify.measured_read_bytes += read_bytes;
		v->session->verify.measured_write_bytes += write_bytes;
	}
	if (predicted[0] == read_bytes && predicted[1] == write_bytes)
		return;
	v->is_good = false;
	diag_error(v->session->diag, array->location, "verification of '%s' failed%s: the run read "
		"%ld and wrote %ld bytes of '%s', but %ld and %ld were predicted",
		plan->function->name, sizes_text(v, one), read_bytes, write_bytes, array->source_name,
		predicted[0], predicted[1]);
}

/* ---- nest by nest ---- */

static void begin_case(struct verification *v, const struct verify_case *one)
{
	const struct plan *plan = one->plan;
	int arrays = plan->function->array_count;
	v->nests = ARENA_ARRAY(v->session->arena, struct verify_nest, plan->nest_count + 1);
	v->moved = arena_alloc(v->session->arena,
		sizeof *v->moved * (size_t)(plan->nest_count * arrays + 1));
	v->words = arena_alloc(v->session->arena,
		sizeof *v->words * (size_t)(plan->nest_count * arrays + 1));
}

static void note_words(struct verification *v, const struct verify_case *one, int n, int a, char *const *words)
{
	int arrays = one->plan->function->array_count;
	if (!v->words || n < 0 || n >= one->plan->nest_count || a < 0 || a >= arrays)
		return;
	for (int w = 0; w < PLAN_WORDS; w++)
		v->words[n * arrays + a][w] = atol(words[w]);
}

/* What the report says of the words that processing elements move in nest N. */
static void check_words(struct verification *v, const struct verify_case *one, int n)
{
	static const char *const names[] = { "words read from the scratchpad of", "words written to the scratchpad of",
		"words delivered to or from elements of", "words added up of" };
	const struct plan *plan = one->plan;
	const struct plan_array *elements = plan->nests[n].elements;
	int arrays = plan->function->array_count;
	for (int a = 0; a < arrays; a++)
		for (int w = 0; w < PLAN_WORDS; w++) {
			long predicted = 0;
			for (int i = 0; elements && i < elements->count; i++)
				if (elements->words[i].array->index == a)
					predicted += elements->words[i].words[w];
			if (predicted != v->words[n * arrays + a][w])
				complain(v, "verification of '%s' failed: the run moved %ld %s '%s', but %ld were predicted",
					plan->nests[n].name, v->words[n * arrays + a][w], names[w],
					plan->function->arrays[a]->source_name, predicted);
		}
}

static void note_moved(struct verification *v, const struct verify_case *one,
	const struct array *array, int n, long read_bytes, long write_bytes)
{
	if (!v->moved || n < 0 || n >= one->plan->nest_count)
		return;
	long *moved = v->moved[n * one->plan->function->array_count + array->index];
	moved[0] = read_bytes;
	moved[1] = write_bytes;
	v->nests[n].read_bytes += read_bytes;
	v->nests[n].write_bytes += write_bytes;
}

static void note_work(struct verification *v, const struct verify_case *one, int n, long macs,
	long commands)
{
	if (!v->nests || n < 0 || n >= one->plan->nest_count)
		return;
	v->nests[n].macs = macs;
	v->nests[n].commands = commands;
}

static void note_time(struct verification *v, const struct verify_case *one, int n,
	const struct plan_time *time)
{
	if (v->nests && n >= 0 && n < one->plan->nest_count)
		v->nests[n].time = *time;
}

/* A figure that was predicted of a nest (-1: none was) is what was measured. */
static void check_figure(struct verification *v, const struct verify_case *one, int n,
	const char *what, long predicted, long measured)
{
	if (predicted >= 0 && predicted != measured)
		complain(v, "verification of '%s' failed%s: the run did %ld %s, but %ld were predicted",
			one->plan->nests[n].name, sizes_text(v, one), measured, what, predicted);
}

/* What the report says of nest N and each of its arrays. */
static void check_tuned_nest(struct verification *v, const struct verify_case *one, int n)
{
	const struct plan *plan = one->plan;
	const struct plan_nest *nest = &plan->nests[n];
	int arrays = plan->function->array_count;
	long (*predicted)[2] = arena_alloc(v->session->arena, sizeof *predicted * (size_t)(arrays + 1));
	for (int t = 0; t < nest->traffic_count; t++) {
		predicted[nest->traffic[t].array->index][0] += nest->traffic[t].flow.read_bytes;
		predicted[nest->traffic[t].array->index][1] += nest->traffic[t].flow.write_bytes;
	}
	for (int a = 0; a < arrays; a++) {
		const long *moved = v->moved[n * arrays + a];
		if (moved[0] == predicted[a][0] && moved[1] == predicted[a][1])
			continue;
		v->is_good = false;
		diag_error(v->session->diag, plan->function->arrays[a]->location, "verification of '%s' "
			"failed: the run read %ld and wrote %ld bytes of '%s', but %ld and %ld were predicted",
			nest->name, moved[0], moved[1], plan->function->arrays[a]->source_name, predicted[a][0],
			predicted[a][1]);
	}
	check_words(v, one, n);
	check_figure(v, one, n, "multiply-accumulates", nest->macs, v->nests[n].macs);
	check_figure(v, one, n, "DMA commands", report_commands_of_nest(plan, nest),
		v->nests[n].commands);
}

/* For other sizes there is the plan's own count. */
static void check_other_nest(struct verification *v, const struct verify_case *one, int n)
{
	enum { STEPS = 4000000 };
	const struct function *function = one->plan->function;
	struct plan_traffic *traffic = ARENA_ARRAY(v->session->arena, struct plan_traffic,
		function->array_count + 1);
	if (plan_count_at(one->plan->nests[n].body, function, one->sizes, STEPS, traffic))
		check_figure(v, one, n, "DMA commands",
			plan_traffic_commands(traffic, function->array_count), v->nests[n].commands);
}

/* What the report says of the time that each nest takes.  Adds it to CYCLES, where it says something. */
static void check_times(struct verification *v, const struct verify_case *one, long *cycles)
{
	const struct plan *plan = one->plan;
	struct plan_time *times = ARENA_ARRAY(v->session->arena, struct plan_time, plan->nest_count + 1);
	if (!plan_times(plan, times))
		return;
	for (int n = 0; n < plan->nest_count; n++) {
		const struct plan_time *measured = &v->nests[n].time;
		*cycles += measured->cycles;
		check_figure(v, one, n, "cycles", times[n].cycles, measured->cycles);
		check_figure(v, one, n, "cycles of computing", times[n].compute_cycles,
			measured->compute_cycles);
		check_figure(v, one, n, "cycles of elements waiting for words", times[n].move_cycles,
			measured->move_cycles);
		check_figure(v, one, n, "cycles of waiting", times[n].wait_cycles, measured->wait_cycles);
		check_figure(v, one, n, "cycles of the bus", times[n].dma_cycles, measured->dma_cycles);
	}
}

/* The place of PLAN's first nest among those of all plans. */
static int first_nest(const struct session *session, const struct plan *plan)
{
	int first = 0;
	for (int p = 0; session->plans[p] != plan; p++)
		first += session->plans[p]->nest_count;
	return first;
}

static void end_case(struct verification *v, const struct verify_case *one)
{
	struct verify_result *result = &v->session->verify;
	bool is_tuned = !strcmp(one->name, one->plan->function->name);
	if (v->nests && is_tuned)
		check_times(v, one, &result->measured_cycles);
	for (int n = 0; v->nests && n < one->plan->nest_count; n++) {
		(is_tuned ? check_tuned_nest : check_other_nest)(v, one, n);
		if (is_tuned) {
			v->tuned_nests[first_nest(v->session, one->plan) + n] = v->nests[n];
			result->measured_commands += v->nests[n].commands;
			result->measured_macs += v->nests[n].macs;
		}
	}
	v->nests = NULL;
	v->moved = NULL;
	v->words = NULL;
}

/* INDEX, a place in the array as a whole, as subscripts. */
static const char *subscripts(struct arena *arena, const struct array *array, const long *sizes,
	long index)
{
	const char *text = "";
	for (int d = array->rank - 1; d >= 0; d--) {
		long extent = affine_at_sizes(array->shape[d], sizes);
		text = arena_printf(arena, "[%ld]%s", index % extent, text);
		index /= extent;
	}
	return text;
}

/* Outputs that differ say nothing of loopc where FUNCTION computes with what nothing has set. */
static void note_unset(struct verification *v, const struct function *function)
{
	for (int a = 0; a < function->array_count; a++)
		if (function->arrays[a]->is_read_unset)
			diag_note(v->session->diag, function->arrays[a]->location, "'%s' is read before "
				"anything is written to it, so that it is not defined what the source computes",
				function->arrays[a]->source_name);
}

static void report_difference(struct verification *v, const struct verify_case *one,
	const struct array *array, long count, long first, const char *expected, const char *got)
{
	v->is_good = false;
	v->session->verify.mismatched_elements += count;
	diag_error(v->session->diag, array->location, "verification of '%s' failed%s: %ld of %ld "
		"elements of '%s' differ; the first, '%s%s', should be %s but is %s",
		one->plan->function->name, sizes_text(v, one), count,
		array_elements_at(array, one->sizes), array->source_name, array->source_name,
		subscripts(v->session->arena, array, one->sizes, first), expected, got);
	note_unset(v, one->plan->function);
}

/* ARRAY's elements differ by DIFFERENCE at most, where BOUND was allowed. */
static void note_rounding(struct verification *v, const struct array *array,
	const char *difference, const char *bound, long unknown)
{
	struct arena *arena = v->session->arena;
	struct verify_result *result = &v->session->verify;
	const char *text = arena_printf(arena, "'%s' within the rounding of its own terms (largest "
		"difference %s, at most %s there)", array->source_name, difference, bound);
	if (unknown)
		text = arena_printf(arena, "%s, but for %ld elements that a rounding decides", text, unknown);
	result->tolerance = result->tolerance ? arena_printf(arena, "%s, %s", result->tolerance, text) :
		text;
}

/* No data was found for which the source is defined. */
static void report_undefined(struct verification *v, const struct verify_case *one, int line,
	const char *what)
{
	struct location at = { v->session->options->input, line, 0, 0 };
	v->is_good = false;
	v->is_undefined = true;
	diag_error(v->session->diag, line > 0 ? at : nowhere, "'%s' cannot be verified%s: for all data "
		"that was tried, this does %s, which C leaves undefined; --verify-range or --verify-data "
		"gives other data", one->plan->function->name, sizes_text(v, one), what);
}

/* One line of the program's output, in words. */
static void read_line(struct verification *v, char *line)
{
	/* the fourth word and all after it */
	const char *rest = line;
	for (int space = 0; space < 3 && rest; space++)
		rest = strchr(rest, ' ') ? strchr(rest, ' ') + 1 : NULL;
	rest = rest ? arena_strndup(v->session->arena, rest, strcspn(rest, "\n")) : "";
	char *words[8] = { "", "", "", "", "", "", "", "" }, *save = NULL;
	int count = 0;
	for (char *word = strtok_r(line, " \n", &save); word && count < 8;
	     word = strtok_r(NULL, " \n", &save))
		words[count++] = word;
	const struct verify_case *one = case_of(v, words[1]);
	if (!one)
		return;
	const struct function *function = one->plan->function;
	const struct array *array = array_of(v, function, words[2]);
	if (!strcmp(words[0], "phase")) {
		v->phase = arena_strdup(v->session->arena, words[2]);
		v->function = function->name;
		if (!strcmp(words[2], "reference"))
			begin_case(v, one);
	} else if (!strcmp(words[0], "undefined")) {
		report_undefined(v, one, atoi(words[2]), rest);
	} else if (!strcmp(words[0], "work")) {
		note_work(v, one, atoi(words[2]), atol(words[3]), atol(words[4]));
	} else if (!strcmp(words[0], "words")) {
		note_words(v, one, atoi(words[2]), atoi(words[3]), &words[4]);
	} else if (!strcmp(words[0], "time")) {
		note_time(v, one, atoi(words[2]), &(struct plan_time){ .cycles = atol(words[3]),
			.compute_cycles = atol(words[4]), .wait_cycles = atol(words[5]),
			.dma_cycles = atol(words[6]), .move_cycles = atol(words[7]) });
	} else if (!strcmp(words[0], "exact")) {
		if (!strcmp(one->name, function->name)) {
			v->session->verify.is_exact |= atoi(words[2]);
			v->has_rounding |= !atoi(words[2]);
		}
	} else if (!strcmp(words[0], "violations") && strcmp(words[2], "0")) {
		complain(v, "verification of '%s' failed%s: the checked port saw %s violations",
			function->name, sizes_text(v, one), words[2]);
	} else if (!strcmp(words[0], "done")) {
		v->done_count++;
		v->phase = NULL;
		if (!v->is_undefined)
			end_case(v, one);
		v->is_undefined = false;
	} else if (array && !strcmp(words[0], "formula")) {
		check_formula(v, one, array, atoi(words[3]), atol(words[4]), atol(words[5]));
	} else if (array && !strcmp(words[0], "nest")) {
		note_moved(v, one, array, atoi(words[3]), atol(words[4]), atol(words[5]));
	} else if (array && !strcmp(words[0], "traffic")) {
		check_traffic(v, one, array, atol(words[3]), atol(words[4]));
	} else if (array && !strcmp(words[0], "differ")) {
		report_difference(v, one, array, atol(words[3]), atol(words[4]), words[5], words[6]);
	} else if (array && !strcmp(words[0], "rounded")) {
		if (!strcmp(one->name, function->name))
			note_rounding(v, array, words[3], words[4], atol(words[5]));
	}
}

static void read_findings(struct verification *v)
{
	char line[1024];
	FILE *in = fopen(path_in(v, "run.out"), "r");
	while (in && fgets(line, sizeof line, in))
		read_line(v, line);
	if (in)
		fclose(in);
	v->session->verify.is_exact &= !v->has_rounding;
	if (v->done_count == v->session->case_count) {
		v->session->verify.nests = v->tuned_nests;
		return;
	}
	complain(v, v->phase ? "verification of '%s' failed: %s ended before its time" :
		"verification failed: the program ended before its time", v->function,
		v->phase && !strcmp(v->phase, "tiled") ? "the tiled program" : "the source itself");
}

/* ---- the directory ---- */

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status, (void)type, (void)ftw;
	return remove(path);
}

static bool make_directory(struct verification *v)
{
	const char *kept = v->session->options->save_temps;
	if (kept) {
		v->directory = kept;
		if (mkdir(kept, 0777) == 0 || errno == EEXIST)
			return true;
		return complain(v, "cannot make the directory '%s': %s", kept, strerror(errno));
	}
	char *name = arena_printf(v->session->arena, "%s/loopc-verify.XXXXXX",
		environment("TMPDIR", "/tmp"));
	v->directory = mkdtemp(name);
	return v->directory || complain(v, "cannot make a directory like '%s': %s", name,
		strerror(errno));
}

static bool can_verify(struct verification *v)
{
	const char *input = v->session->options->input, *dot = strrchr(input, '.');
	if (dot && (!strcmp(dot, ".plan") || !strcmp(dot, ".program")))
		return complain(v, "--verify compares with the source: it needs the .loop file");
	v->runtime = runtime_dir(v->session->arena);
	if (!v->runtime)
		return complain(v, "--verify needs the runtime, which is not installed beside loopc; "
			"LOOPC_RUNTIME_DIR can name its directory");
	return true;
}

static void remove_directory(void *user)
{
	const struct verification *v = user;
	if (v->directory && !v->session->options->save_temps)
		nftw(v->directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

enum status verify(struct session *session)
{
	struct verification v = { .session = session, .is_good = true };
	if (!verify_data_check(session))
		return STATUS_USAGE;
	if (!can_verify(&v))
		return STATUS_VERIFY_FAILED;
	if (!make_directory(&v))
		return session->options->save_temps ? STATUS_INPUT_ERROR : STATUS_VERIFY_FAILED;
	memory_guard(remove_directory, &v);
	verify_cases(session);
	session->verify.nest_count = 0;
	for (int p = 0; p < session->plan_count; p++)
		session->verify.nest_count += session->plans[p]->nest_count;
	v.tuned_nests = ARENA_ARRAY(session->arena, struct verify_nest,
		session->verify.nest_count + 1);
	if (write_program(&v) && build(&v)) {
		bool has_ended_well = execute(&v);
		read_findings(&v);
		if (!v.is_good)
			show(&v, "run.err", 20);
		session->verify.status = has_ended_well && v.is_good ? VERIFY_PASSED : VERIFY_FAILED;
	}
	memory_unguard();
	remove_directory(&v);
	emit_verified(session);
	return session->verify.status == VERIFY_PASSED ? STATUS_DONE : STATUS_VERIFY_FAILED;
}

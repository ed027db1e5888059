#include "driver/trace.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What a pass prints is collected here, to be compared with what the one before it
 * printed. */
struct pass_time {
	const char *name;
	double seconds;
};

struct trace {
	struct arena *arena;
	const struct options *options;
	FILE *stream;
	char *text;
	size_t length, start;        /* of what the pass in progress prints */
	const char *pass;            /* whose result is being collected; NULL: none */
	const char *shown;                 /* the text shown last */
	double last_seconds;
	int time_count;
	size_t time_capacity;
	struct pass_time *times;
};

/* compilation.watch.traced has no argument of its own, and there is one run a process. */
static struct trace *current;

static double now_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct trace *trace_new(struct arena *arena, const struct options *options)
{
	struct trace *trace = ARENA_NEW(arena, struct trace);
	*trace = (struct trace){ .arena = arena, .options = options,
		.last_seconds = now_seconds() };
	if (options->print_after.count || options->print_changed)
		trace->stream = open_memstream(&trace->text, &trace->length);
	current = trace;
	return trace;
}

FILE *trace_stream(struct trace *trace)
{
	return trace->stream;
}

/* Shows what the last pass printed. */
static void flush_pass(struct trace *trace)
{
	if (!trace->pass)
		return;
	fflush(trace->stream);
	const char *text = trace->text + trace->start;
	bool is_same = trace->shown && !strcmp(trace->shown, text);
	if (!trace->options->print_changed || !is_same)
		fprintf(stderr, "*** after %s\n%s", trace->pass, text);
	trace->shown = arena_strdup(trace->arena, text);
	trace->start = trace->length;
	trace->pass = NULL;
}

static bool is_wanted(const struct options *options, const char *pass)
{
	for (int p = 0; p < options->print_after.count; p++)
		if (!strcmp(options->print_after.items[p], pass) ||
		    !strcmp(options->print_after.items[p], "all"))
			return true;
	return options->print_changed && !options->print_after.count;
}

static void add_time(struct trace *trace, const char *pass)
{
	double now = now_seconds(), seconds = now - trace->last_seconds;
	trace->last_seconds = now;
	for (int t = 0; t < trace->time_count; t++)
		if (!strcmp(trace->times[t].name, pass)) {
			trace->times[t].seconds += seconds;
			return;
		}
	trace->times = arena_grow(trace->arena, trace->times, (size_t)trace->time_count,
		&trace->time_capacity, sizeof *trace->times);
	trace->times[trace->time_count++] = (struct pass_time){ pass, seconds };
}

void trace_time(const char *what)
{
	if (current)
		add_time(current, what);
}

bool trace_after(const struct compilation *compilation, const char *pass)
{
	(void)compilation;
	add_time(current, pass);
	if (!current->stream)
		return false;
	flush_pass(current);
	if (!is_wanted(current->options, pass))
		return false;
	current->pass = pass;
	return true;
}

void trace_end(struct trace *trace)
{
	if (trace->stream) {
		flush_pass(trace);
		fclose(trace->stream);
		free(trace->text);
		trace->stream = NULL;
	}
	for (int t = 0; t < trace->time_count && trace->options->time_passes; t++)
		fprintf(stderr, "%10.3f ms  %s\n", 1e3 * trace->times[t].seconds, trace->times[t].name);
}

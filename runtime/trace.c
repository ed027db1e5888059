/* The trace port: copies are done at once, and their timeline is worked out under
 * the machine's DMA model (loopc_trace.h). */

#define _POSIX_C_SOURCE 200809L

#include "loopc_timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef LRT_SCRATCHPAD_BYTES
#define LRT_SCRATCHPAD_BYTES (16u << 20)
#endif

enum { REGION_LIMIT = 256, CORE_ROW = 0, FIRST_CHANNEL_ROW = 1 };

struct region {
	const char *name;
	lrt_ext base;
	size_t bytes;
};

/* line begins with lrt_trace_begin.  resumed: the processor time when the core last left the
 * runtime. */
static struct {
	int begun, exit_hook, failed;
	lrt_timeline line;
	FILE *file;
	int events;
	struct timespec resumed;
	double mac_cycles;
	uint64_t most_macs;                 /* of an element in this step */
	uint64_t steps_since;               /* elements work: 1 + since when, the core has called nothing */
	struct region regions[REGION_LIMIT];
	size_t region_count;
} trace;

uint64_t lrt_trace_macs;

/* All have as many bytes; what no program touches takes no room. */
static union {
	unsigned char bytes[LRT_SCRATCHPAD_BYTES + 64];
	double alignment;
} memories[LRT_MEMORIES];

static double microseconds(uint64_t cycles)
{
	return trace.line.model.clock_hz > 0 ? (double)cycles * 1e6 / trace.line.model.clock_hz : (double)cycles;
}

static void print_name(const char *name)
{
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;
		if (c == '"' || c == '\\')
			fprintf(trace.file, "\\%c", c);
		else if (c < 0x20)
			fprintf(trace.file, "\\u%04x", c);
		else
			fputc(c, trace.file);
	}
}

/* Begins an event of the file: a bar in ROW. */
static void print_event(unsigned row, const char *verb, const char *name, uint64_t start,
	uint64_t end)
{
	fprintf(trace.file, "%s\n{\"name\":\"%s", trace.events++ ? "," : "", verb);
	print_name(name);
	fprintf(trace.file, "\",\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f",
		row, microseconds(start), microseconds(end - start));
}

static void print_row(unsigned row, const char *name)
{
	fprintf(trace.file, "%s\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%u,"
		"\"args\":{\"name\":\"%s", trace.events++ ? "," : "", row, name);
	if (row >= FIRST_CHANNEL_ROW)
		fprintf(trace.file, " %u", row - FIRST_CHANNEL_ROW);
	fputs("\"}}", trace.file);
}

static void open_file(const char *name)
{
	unsigned c;
	trace.file = fopen(name, "w");
	if (!trace.file) {
		fprintf(stderr, "loopc-rt: cannot write %s\n", name);
		trace.failed = 1;
		return;
	}
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", trace.file);
	print_row(CORE_ROW, "core");
	for (c = 0; c < trace.line.model.channels; c++)
		print_row(FIRST_CHANNEL_ROW + c, "DMA channel");
}

static void leave_runtime(void)
{
	if (trace.line.model.compute_hz > 0)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &trace.resumed);
}

void lrt_trace_begin(const lrt_trace_model *model, const char *file)
{
	const lrt_trace_model usual = { 100, 4.0, 1, 0.0, 0.0 };
	if (trace.begun)
		lrt_trace_end();
	lrt_timeline_begin(&trace.line, model ? model : &usual);
	trace.failed = 0;
	trace.region_count = 0;
	trace.events = 0;
	trace.begun = 1;
	trace.mac_cycles = 0;
	trace.most_macs = trace.steps_since = 0;
	lrt_trace_macs = 0;
	trace.file = NULL;
	if (file)
		open_file(file);
	leave_runtime();
}

static void end_at_exit(void)
{
	if (trace.begun)
		lrt_trace_end();
}

static void core_computes(const char *name, uint64_t cycles)
{
	if (cycles == 0)
		return;
	if (trace.file) {
		print_event(CORE_ROW, "", name, trace.line.now, trace.line.now + cycles);
		fputs("}", trace.file);
	}
	lrt_timeline_compute(&trace.line, cycles);
}

/* What elements did since the last call of the runtime is done when words have left them. */
static void elements_end(void)
{
	lrt_timeline_drain(&trace.line, 1);
	if (trace.steps_since && trace.file) {
		print_event(CORE_ROW, "elements", "", trace.steps_since - 1, trace.line.now);
		fputs("}", trace.file);
	}
	trace.steps_since = 0;
}

/* Every call of the runtime begins here: what the core did since the last one. */
static void enter_runtime(void)
{
	struct timespec now;
	double seconds;
	if (!trace.begun) {
		lrt_trace_begin(NULL, getenv("LRT_TRACE"));
		if (!trace.exit_hook)
			atexit(end_at_exit);
		trace.exit_hook = 1;
	}
	elements_end();
	core_computes("compute", lrt_timeline_whole((double)lrt_trace_macs * trace.mac_cycles));
	lrt_trace_macs = 0;
	if (!(trace.line.model.compute_hz > 0))
		return;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	seconds = (double)(now.tv_sec - trace.resumed.tv_sec) +
		1e-9 * (double)(now.tv_nsec - trace.resumed.tv_nsec);
	core_computes("compute", (uint64_t)(seconds * trace.line.model.compute_hz));
}

void lrt_trace_dma_engine(const lrt_trace_dma *dma)
{
	enter_runtime();
	trace.line.dma = *dma;
	leave_runtime();
}

void lrt_trace_core(double mac_cycles)
{
	enter_runtime();
	trace.mac_cycles = mac_cycles;
	leave_runtime();
}

void lrt_trace_elements(const lrt_trace_pe_array *array)
{
	enter_runtime();
	trace.line.elements.array = *array;
	leave_runtime();
}

void lrt_trace_begin_nest(void)
{
	enter_runtime();
	lrt_timeline_begin_nest(&trace.line);
	leave_runtime();
}

void lrt_trace_word(unsigned way, unsigned array, unsigned memory, int is_double)
{
	lrt_timeline_word(&trace.line, way, array, memory, is_double);
}

void lrt_trace_element(void)
{
	if (lrt_trace_macs > trace.most_macs)
		trace.most_macs = lrt_trace_macs;
	lrt_trace_macs = 0;
}

void lrt_trace_step(void)
{
	lrt_trace_element();
	if (!trace.steps_since)
		trace.steps_since = 1 + trace.line.now;
	lrt_timeline_step(&trace.line, trace.most_macs);
	trace.most_macs = 0;
}

void lrt_trace_array(const char *name, const void *base, size_t bytes)
{
	struct region *region;
	enter_runtime();
	if (trace.region_count < REGION_LIMIT) {
		region = &trace.regions[trace.region_count++];
		region->name = name;
		region->base = (lrt_ext)base;
		region->bytes = bytes;
	}
	leave_runtime();
}

static const char *region_name(lrt_ext ext)
{
	size_t r;
	for (r = 0; r < trace.region_count; r++)
		if (ext - trace.regions[r].base < trace.regions[r].bytes)
			return trace.regions[r].name;
	return "";
}

void lrt_trace_compute(const char *name, uint64_t cycles)
{
	enter_runtime();
	core_computes(name, cycles);
	leave_runtime();
}

/* Gives a command of TAG its place in time. */
static void schedule(int is_put, unsigned tag, lrt_ext ext, const lrt_box *box)
{
	lrt_timeline_span span = lrt_timeline_command(&trace.line, is_put, tag, box);
	if (!trace.file)
		return;
	print_event(FIRST_CHANNEL_ROW + span.channel, is_put ? "put " : "get ", region_name(ext), span.start, span.end);
	fprintf(trace.file, ",\"args\":{\"tag\":%u,\"bytes\":%" PRIu64 ",\"issued\":%" PRIu64 "}}",
		tag, lrt_timeline_bytes(box), trace.line.now);
}

static void copy_box(unsigned char *to, const unsigned char *from, const lrt_box *box,
	const ptrdiff_t *to_stride, const ptrdiff_t *from_stride, uint32_t d)
{
	uint32_t i;
	if (d + 1 == box->rank) {
		memcpy(to, from, box->bytes);
		return;
	}
	for (i = 0; i < box->count[d]; i++)
		copy_box(to + (ptrdiff_t)i * to_stride[d], from + (ptrdiff_t)i * from_stride[d], box,
			to_stride, from_stride, d + 1);
}

void lrt_get(unsigned tag, void *loc, lrt_ext ext, const lrt_box *box)
{
	enter_runtime();
	schedule(0, tag % LRT_TAGS, ext, box);
	copy_box(loc, (const unsigned char *)ext, box, box->loc_stride, box->ext_stride, 0);
	leave_runtime();
}

void lrt_put(unsigned tag, lrt_ext ext, const void *loc, const lrt_box *box)
{
	enter_runtime();
	schedule(1, tag % LRT_TAGS, ext, box);
	copy_box((unsigned char *)ext, loc, box, box->ext_stride, box->loc_stride, 0);
	leave_runtime();
}

void lrt_wait(uint32_t tag_mask)
{
	uint64_t begun, done;
	enter_runtime();
	begun = trace.line.now;
	done = lrt_timeline_wait(&trace.line, tag_mask);
	if (done > begun && trace.file) {
		print_event(CORE_ROW, "wait", "", begun, done);
		fprintf(trace.file, ",\"args\":{\"tags\":%" PRIu32 "}}", tag_mask);
	}
	leave_runtime();
}

static void close_file(void)
{
	if (!trace.file)
		return;
	fputs("\n]}\n", trace.file);
	if (ferror(trace.file))
		trace.failed = 1;
	if (fclose(trace.file) != 0)
		trace.failed = 1;
	if (trace.failed)
		fputs("loopc-rt: the trace could not be written\n", stderr);
	trace.file = NULL;
}

lrt_trace_result lrt_trace_end(void)
{
	lrt_trace_result result;
	enter_runtime();
	close_file();
	result.cycles = lrt_timeline_cycles(&trace.line);
	result.compute_cycles = trace.line.compute_cycles;
	result.wait_cycles = trace.line.wait_cycles;
	result.bus_cycles = trace.line.bus_cycles;
	result.commands = trace.line.commands;
	result.bytes = trace.line.bytes;
	result.failed = trace.failed;
	trace.begun = 0;
	return result;
}

void *lrt_memory(unsigned n)
{
	unsigned char *bytes = memories[n % LRT_MEMORIES].bytes;
	return bytes + (64 - (uintptr_t)bytes % 64) % 64;
}

void *lrt_scratchpad(void)
{
	return lrt_memory(0);
}

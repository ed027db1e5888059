/* The comment on top of the emitted C: what is moved, where buffers are, and the schedule. */

#include "codegen/writer.h"

#include <string.h>

/* TEXT inside a comment, its lines indented. */
static void print_quoted(FILE *out, const char *prefix, const char *text)
{
	bool at_start = true;

	for (; *text; text++) {
		if (at_start)
			fputs(prefix, out);
		at_start = *text == '\n';
		fputc(*text, out);
		if (text[0] == '*' && text[1] == '/')
			fputc(' ', out);
	}
	if (!at_start)
		fputc('\n', out);
}

static void print_shape(FILE *out, const struct plan_buffer *buffer)
{
	fputs(buffer->array->type.name, out);
	if (buffer->slots > 1)
		fprintf(out, " %ld x", buffer->slots);
	fputc(' ', out);
	for (int d = 0; d < buffer->rank; d++)
		fprintf(out, "[%ld]", buffer->dims[d].extent);
}

/* Of arrays of the nests that processing elements compute. */
static void print_register_map(FILE *out, const struct plan *plan)
{
	bool is_any = false;

	for (int i = 0; i < plan->buffer_count; i++) {
		const struct plan_buffer *buffer = plan->buffers[i];

		if (buffer->home != IN_REGISTERS)
			continue;
		if (!is_any)
			fputs(" *   registers of all elements, one behind the other:\n", out);
		is_any = true;
		fprintf(out, " *     %s: ", buffer->name);
		print_shape(out, buffer);
		fputc('\n', out);
	}
}

/* Some buffer lies in memory M. */
static bool is_used(const struct plan *plan, int m)
{
	for (int i = 0; i < plan->buffer_count; i++)
		if (plan->buffers[i]->home == IN_SCRATCHPAD && plan->buffers[i]->memory == m)
			return true;
	return false;
}

static void print_memory_map(FILE *out, const struct plan *plan, int m)
{
	const struct arch_memory memory = arch_memory(plan->arch, m);

	if (m && m == plan->arch->bypass_memory && !is_used(plan, m))
		return;
	fprintf(out, " *   %s, of %ld bytes:\n", memory.name, memory.bytes);
	for (int i = 0; i < plan->buffer_count; i++) {
		const struct plan_buffer *buffer = plan->buffers[i];

		if (buffer->home != IN_SCRATCHPAD || buffer->memory != m)
			continue;
		fprintf(out, " *     %8ld .. %-8ld %s: ", buffer->offset_bytes,
			buffer->offset_bytes + buffer->bytes, buffer->name);
		print_shape(out, buffer);
		if (buffer->bank >= 0)
			fprintf(out, ", banks %d .. %d", buffer->bank,
				buffer->bank + buffer->bank_count);
		fputc('\n', out);
	}
}

static void print_buffer_map(FILE *out, const struct plan *plan)
{
	for (int m = 0; m < arch_memory_count(plan->arch) && plan->buffer_count > 0; m++)
		print_memory_map(out, plan, m);
	print_register_map(out, plan);
	if (plan->workspace_bytes > 0)
		fprintf(out, " *   workspace in external memory: %ld bytes\n",
			plan->workspace_bytes);
}

/* What is moved for every value of the symbolic sizes. */
static void print_formulas(FILE *out, const struct plan_nest *nest)
{
	fputs(" *   whatever the sizes:\n", out);
	for (int i = 0; i < nest->traffic_count; i++) {
		const struct plan_traffic *traffic = &nest->traffic[i];
		const char *const formulas[2] = { traffic->read_formula, traffic->write_formula };

		for (int w = 0; w < 2; w++)
			if (!formulas[w])
				fprintf(out, " *     %s %s: no short formula\n", traffic->array->name,
					w ? "written" : "read");
			else if (strcmp(formulas[w], "0") != 0)
				fprintf(out, " *     %s %s: %s\n", traffic->array->name,
					w ? "written" : "read", formulas[w]);
	}
}

static void print_nest_comment(FILE *out, const struct plan_nest *nest, bool is_symbolic)
{
	long read_bytes = 0, write_bytes = 0;

	fprintf(out, " *\n * %s\n", nest->name);
	fprintf(out, " *   bytes moved%s:           read            written\n",
		is_symbolic ? " for the sizes tuned for" : "");
	for (int i = 0; i < nest->traffic_count; i++) {
		const struct plan_traffic *traffic = &nest->traffic[i];

		if (traffic->flow.read_bytes == 0 && traffic->flow.write_bytes == 0)
			continue;
		fprintf(out, " *     %-12s %14ld %14ld\n", traffic->array->name,
			traffic->flow.read_bytes, traffic->flow.write_bytes);
		read_bytes += traffic->flow.read_bytes;
		write_bytes += traffic->flow.write_bytes;
	}
	fprintf(out, " *     %-12s %14ld %14ld\n", "all", read_bytes, write_bytes);
	if (is_symbolic)
		print_formulas(out, nest);
	if (nest->schedule && *nest->schedule) {
		fputs(" *   schedule:\n", out);
		print_quoted(out, " *     ", nest->schedule);
	}
}

void print_top_comment(FILE *out, const struct plan *const *plans, int count,
	const struct codegen_options *options)
{
	fprintf(out, "/* Written by loopc %s: change the source, not this file.\n",
		options->version ? options->version : "");
	if (count > 0)
		print_quoted(out, " * source:  ", plans[0]->program->file);
	if (options->arguments && *options->arguments)
		print_quoted(out, " * options: ", options->arguments);
	if (count > 0)
		fprintf(out, " * machine: %s\n", plans[0]->arch->name);
	for (int i = 0; i < count; i++) {
		for (int n = 0; n < plans[i]->nest_count; n++)
			print_nest_comment(out, &plans[i]->nests[n],
				plans[i]->function->symbolic_count > 0);
		print_buffer_map(out, plans[i]);
	}
	fputs(" */\n\n", out);
}

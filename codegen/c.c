/* The emitted C file: prints finished plans and decides nothing. */

#include "codegen/codegen.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/signature.h"
#include "codegen/sizes.h"
#include "codegen/transfer.h"
#include "codegen/wrap.h"
#include "codegen/writer.h"
#include "ir/program_build.h"

/* ------------------------------------------------------------------ names */

static void name_vars(struct names *names, const struct plan_node *node)
{
	if (node->var)
		names_add(names, node->var, node->var->name);
	if (node->body)
		name_vars(names, node->body);
	for (int i = 0; i < node->child_count; i++)
		name_vars(names, node->children[i]);
}

/* Index arithmetic is signed and of 32 bits; a size of another type is converted once. */
static bool is_converted(const struct size *size)
{
	struct type type;

	return !type_find(size->type_name, &type) || type.kind != TYPE_INT32;
}

static void name_size(struct names *names, const struct size *size, const struct plan_var *var)
{
	const char *text = names_add(names, size, size->name);

	if (is_converted(size))
		names_add(names, var, arena_printf(names->arena, "%s_value", size->name));
	else
		names_share(names, var, text);
}

static void name_everything(struct writer *writer, struct names *globals)
{
	struct names *names = &writer->printer.names;
	const struct plan *plan = writer->printer.plan;

	names_init(names, writer->printer.arena, globals);
	for (int i = 0; i < plan->function->array_count; i++)
		names_add(names, plan->function->arrays[i], plan->function->arrays[i]->name);
	for (int k = 0; k < plan->function->symbolic_count; k++)
		name_size(names, plan->function->symbolic[k], plan->sizes[k]);
	for (int m = 0; m < arch_memory_count(plan->arch); m++)
		writer->memories[m] = names_add(names, NULL, arch_memory(plan->arch, m).name);
	writer->workspace = names_add(names, NULL, "workspace");
	for (int i = 0; i < plan->buffer_count; i++)
		names_add(names, plan->buffers[i], plan->buffers[i]->name);
	for (int i = 0; i < plan->nest_count; i++)
		name_vars(names, plan->nests[i].body);
}

/* ------------------------------------------------------------------ the function */

/* "int16_t (*const I_0)[7][31] = (void *)(scratchpad + 1024);": subscripts are the
 * slot, where there are several, and the buffer's coordinates. */
static void print_buffer(struct writer *writer, const struct plan_buffer *buffer)
{
	const char *name = names_of(&writer->printer.names, buffer);
	int first = buffer->slots > 1 ? 0 : 1;

	if (buffer->home != IN_SCRATCHPAD) {
		fprintf(writer->out, "\t%s %s", buffer->array->type.name, name);
		if (buffer->slots > 1 || buffer->rank == 0)
			fprintf(writer->out, "[%ld]", buffer->slots);
		for (int d = 0; d < buffer->rank; d++)
			fprintf(writer->out, "[%ld]", buffer->dims[d].extent);
		fputs(";\n", writer->out);
		return;
	}
	if (first < buffer->rank)
		fprintf(writer->out, "\t%s (*const %s)", buffer->array->type.name, name);
	else
		fprintf(writer->out, "\t%s *const %s", buffer->array->type.name, name);
	for (int d = first; d < buffer->rank; d++)
		fprintf(writer->out, "[%ld]", buffer->dims[d].extent);
	fprintf(writer->out, " = (void *)(%s + %ld);\n", writer->memories[buffer->memory],
		buffer->offset_bytes);
}

static bool node_reads(const struct plan_node *node, const struct array *array)
{
	if (node->body && node_reads(node->body, array))
		return true;
	for (int i = 0; i < node->child_count; i++)
		if (node_reads(node->children[i], array))
			return true;
	if (node->kind != PLAN_COMPUTE || node->statement->accesses[0].array == array)
		return false;
	for (int i = 1; i < node->statement->access_count; i++)
		if (node->statement->accesses[i].array == array)
			return true;
	return false;
}

/* Whether another statement than its own updates reads the array. */
static bool is_read(const struct plan *plan, const struct array *array)
{
	for (int i = 0; i < plan->nest_count; i++)
		if (node_reads(plan->nests[i].body, array))
			return true;
	return false;
}

/* Scalars of the source that live in the core; one that is only written or updated gets a
 * use, or compilers warn. */
static void print_scalars(struct writer *writer)
{
	const struct function *function = writer->printer.plan->function;

	for (int i = 0; i < function->array_count; i++) {
		const struct array *array = function->arrays[i];

		const char *name;

		if (array->rank > 0 || array->is_parameter || !writer_uses(writer, array)
			|| writer->printer.plan->workspace_offset[i] >= 0)
			continue;
		name = names_of(&writer->printer.names, array);
		fprintf(writer->out, "\t%s %s = 0;\n", array->type.name, name);
		if (!is_read(writer->printer.plan, array))
			fprintf(writer->out, "\t(void)%s;\n", name);
	}
}

/* Where local array A begins in the workspace. */
static const char *workspace_text(struct writer *writer, int a)
{
	const struct plan *plan = writer->printer.plan;
	const char *names[SYMBOLIC_LIMIT] = { NULL };

	if (!plan->function->symbolic_count)
		return arena_printf(writer->printer.arena, "%ldu", plan->workspace_offset[a]);
	for (int k = 0; k < plan->function->symbolic_count; k++)
		names[k] = names_of(&writer->printer.names, plan->function->symbolic[k]);
	return size_workspace_text(writer->printer.arena, plan, a, names, "lrt_ext");
}

/* The memories that buffers in use lie in. */
static void print_memories(struct writer *writer)
{
	const struct plan *plan = writer->printer.plan;

	for (int m = 0; m < arch_memory_count(plan->arch); m++) {
		bool uses_memory = false;

		for (int i = 0; i < plan->buffer_count; i++)
			uses_memory = uses_memory || (plan->buffers[i]->home == IN_SCRATCHPAD
				&& plan->buffers[i]->memory == m && writer_uses(writer, plan->buffers[i]));
		if (uses_memory)
			fprintf(writer->out, "\tunsigned char *const %s = %s;\n", writer->memories[m],
				memory_call(writer->printer.arena, m));
	}
}

static void print_declarations(struct writer *writer)
{
	const struct plan *plan = writer->printer.plan;

	print_memories(writer);
	for (int i = 0; i < plan->buffer_count; i++)
		if (writer_uses(writer, plan->buffers[i]))
			print_buffer(writer, plan->buffers[i]);
	for (int i = 0; i < plan->function->array_count; i++)
		if (plan->workspace_offset[i] >= 0 && writer_uses(writer, plan->function->arrays[i]))
			fprintf(writer->out, "\tconst lrt_ext %s = %s + %s;\n",
				names_of(&writer->printer.names, plan->function->arrays[i]),
				writer->workspace, workspace_text(writer, i));
	for (int k = 0; k < plan->function->symbolic_count; k++)
		if (writer_uses(writer, plan->sizes[k]) && is_converted(plan->function->symbolic[k]))
			fprintf(writer->out, "\tconst int32_t %s = (int32_t)%s;\n",
				names_of(&writer->printer.names, plan->sizes[k]),
				names_of(&writer->printer.names, plan->function->symbolic[k]));
	print_scalars(writer);
}

/* Parameters that the plan has no use for; a caller passes them all the same. */
static void print_unused(struct writer *writer)
{
	const struct plan *plan = writer->printer.plan;
	const struct function *function = plan->function;
	bool uses_workspace = false;

	for (int i = 0; i < function->parameter_count; i++) {
		const struct array *array = function->parameters[i].array;

		if (array && !writer_uses(writer, array))
			fprintf(writer->out, "\t(void)%s;\n",
				names_of(&writer->printer.names, array));
	}
	for (int k = 0; k < function->symbolic_count; k++)
		if (!writer_uses(writer, plan->sizes[k]))
			fprintf(writer->out, "\t(void)%s;\n",
				names_of(&writer->printer.names, function->symbolic[k]));
	for (int i = 0; i < function->array_count; i++)
		if (plan->workspace_offset[i] >= 0 && writer_uses(writer, function->arrays[i]))
			uses_workspace = true;
	if (plan->workspace_bytes > 0 && !uses_workspace)
		fprintf(writer->out, "\t(void)%s;\n", writer->workspace);
}

static void print_function(struct writer *writer)
{
	const struct plan *plan = writer->printer.plan;

	for (int i = 0; i < writer->forms.count; i++)
		transfer_form_print(writer->out, writer->printer.arena,
			&writer->forms.items[i]);
	print_wrapped(writer->out, 0, signature_text(writer->printer.arena, plan, writer->options,
		&writer->printer.names, writer->workspace));
	fputs("\n{\n", writer->out);
	print_declarations(writer);
	print_unused(writer);
	writer->depth = 1;
	for (int i = 0; i < plan->nest_count; i++) {
		fprintf(writer->out, "\n\t/* %s", plan->nests[i].name);
		if (plan->nests[i].location.line > 0)
			fprintf(writer->out, ": line %d of the source", plan->nests[i].location.line);
		fputs(" */\n", writer->out);
		if (writer->options->is_measured)
			fprintf(writer->out, "\tlrt_checked_nest(%d);\n", i);
		if (plan->arch->array.mac_cycles > 0 && plan->nests[i].elements)
			fputs("\tLRT_BEGIN();\n", writer->out);
		writer->nest = plan->nests[i].body;
		writer_print_node(writer, plan->nests[i].body);
	}
	fputs("}\n", writer->out);
}

/* ------------------------------------------------------------------ the file */

static void print_includes(FILE *out, const struct program *program,
	const struct codegen_options *options, bool counts_macs, bool counts_elements)
{
	fputs("#include <stddef.h>\n#include <stdint.h>\n", out);
	for (int i = 0; i < program->include_count; i++)
		fprintf(out, "#include %s\n", program->includes[i]);
	fputs("\n#include \"loopc_rt.h\"\n", out);
	if (options->is_measured)
		fputs("#include \"loopc_checked.h\"\n#include \"verify_time.h\"\n\n"
			"void lrt_checked_nest(int nest);\n", out);
	if (options->header)
		fprintf(out, "#include \"%s\"\n", options->header);
	if (counts_macs)
		fputs("\n/* With the trace port the core's time is that of its multiply-accumulates. */\n"
			"#ifdef LRT_TRACE_COMPUTE\n#include \"loopc_trace.h\"\n"
			"#define LRT_MACS(count) (void)(lrt_trace_macs += (count))\n"
			"#else\n#define LRT_MACS(count) (void)0\n#endif\n", out);
	if (counts_elements)
		fputs("\n/* And that of what processing elements do: a nest begins, a word travels, an element ends, all of them do. */\n"
			"#ifdef LRT_TRACE_COMPUTE\n"
			"#define LRT_BEGIN() lrt_trace_begin_nest()\n"
			"#define LRT_WORD(way, array, memory, is_double) lrt_trace_word(way, array, memory, is_double)\n"
			"#define LRT_ELEMENT() lrt_trace_element()\n#define LRT_STEP() lrt_trace_step()\n#else\n"
			"#define LRT_BEGIN() (void)0\n#define LRT_WORD(way, array, memory, is_double) (void)0\n"
			"#define LRT_ELEMENT() (void)0\n#define LRT_STEP() (void)0\n#endif\n", out);
	fputc('\n', out);
	for (int i = 0; i < program->prototype_count; i++)
		if (program->prototypes[i].text)
			fprintf(out, "%s\n", program->prototypes[i].text);
}

static void print_helpers(FILE *out, const bool uses_min[2], const bool uses_max[2])
{
	for (int i = 0; i < 4; i++) {
		bool is_min = i < 2, is_wide = i % 2;
		const char *type = is_wide ? "int64_t" : "int32_t";

		if (!(is_min ? uses_min : uses_max)[is_wide])
			continue;
		fprintf(out, "static inline %s loopc_%s%s(%s a, %s b)\n{\n\treturn a %c b ? a : b;\n"
			"}\n\n", type, is_min ? "min" : "max", is_wide ? "64" : "", type, type,
			is_min ? '<' : '>');
	}
}

static void reserve_globals(struct names *globals, const struct plan *const *plans, int count,
	const struct codegen_options *options, struct arena *arena)
{
	const char *prefix = options->prefix ? options->prefix : "";

	names_init(globals, arena, NULL);
	names_add(globals, NULL, "loopc_min");
	names_add(globals, NULL, "loopc_max");
	names_add(globals, NULL, "loopc_min64");
	names_add(globals, NULL, "loopc_max64");
	for (int i = 0; i < count; i++)
		names_add(globals, NULL, arena_printf(arena, "%s%s", prefix,
			plans[i]->function->name));
	for (int i = 0; count > 0 && i < plans[0]->program->prototype_count; i++)
		names_add(globals, NULL, plans[0]->program->prototypes[i].name);
}

/* Copies TEXT to OUT; a line "#line here" sets the line of the file itself. */
static void copy_with_lines(FILE *out, const char *text, const char *output)
{
	static const char marker[] = "#line here\n";
	int line = 1;

	while (*text) {
		const char *end = strchr(text, '\n');
		size_t length = end ? (size_t)(end - text) + 1 : strlen(text);

		if (strncmp(text, marker, sizeof marker - 1) == 0)
			print_line_directive(out, line + 1, output);
		else
			fwrite(text, 1, length, out);
		text += length;
		line++;
	}
}

static bool print_functions(FILE *out, const struct plan *const *plans, int count,
	const struct codegen_options *options, struct arena *arena, bool uses_min[2],
	bool uses_max[2])
{
	struct names globals;

	reserve_globals(&globals, plans, count, options, arena);
	for (int i = 0; i < count; i++) {
		struct writer writer = { .out = out, .options = options };

		writer.printer.arena = arena;
		writer.printer.plan = plans[i];
		if (!transfer_forms_collect(&writer.forms, plans[i], &globals, arena))
			return false;
		name_everything(&writer, &globals);
		for (int n = 0; n < plans[i]->nest_count; n++)
			writer_use_node(&writer, plans[i]->nests[n].body);
		writer_use_workspace(&writer);
		if (i > 0)
			fputc('\n', out);
		print_function(&writer);
		for (int wide = 0; wide < 2; wide++) {
			uses_min[wide] = uses_min[wide] || writer.printer.uses_min[wide];
			uses_max[wide] = uses_max[wide] || writer.printer.uses_max[wide];
		}
	}
	return true;
}

/* The trace port is told of elements, which compute some nest. */
static bool times_elements(const struct plan *const *plans, int count)
{
	for (int i = 0; i < count && plans[i]->arch->array.mac_cycles > 0; i++)
		for (int n = 0; n < plans[i]->nest_count; n++)
			if (plans[i]->nests[n].elements)
				return true;
	return false;
}

/* It is told of multiply-accumulates. */
static bool times_macs(const struct plan *const *plans, int count)
{
	return plans[0]->arch->core_mac_cycles > 0 || times_elements(plans, count);
}

static void print_file(FILE *out, const struct plan *const *plans, int count,
	const struct codegen_options *options, const char *functions, const bool uses_min[2],
	const bool uses_max[2])
{
	print_top_comment(out, plans, count, options);
	if (count > 0)
		print_includes(out, plans[0]->program, options,
			!options->is_measured && times_macs(plans, count), !options->is_measured && times_elements(plans, count));
	if (!options->header)
		signatures_print(out, plans, count, options);
	fputc('\n', out);
	print_helpers(out, uses_min, uses_max);
	fputs(functions, out);
}

bool codegen_c(FILE *out, const struct plan *const *plans, int count,
	const struct codegen_options *options)
{
	struct arena *arena = arena_new();
	bool uses_min[2] = { false, false }, uses_max[2] = { false, false }, printed;
	char *functions = NULL, *file = NULL;
	size_t size;
	FILE *stream = open_memstream(&functions, &size);

	printed = print_functions(stream, plans, count, options, arena, uses_min, uses_max);
	fclose(stream);
	if (printed) {
		stream = open_memstream(&file, &size);
		print_file(stream, plans, count, options, functions, uses_min, uses_max);
		fclose(stream);
		copy_with_lines(out, file, options->output ? options->output : "kernel.c");
	}
	free(functions);
	free(file);
	arena_free(arena);
	return printed;
}

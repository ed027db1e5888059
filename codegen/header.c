/* Signatures, and the header that declares them. */

#include "codegen/signature.h"
#include "codegen/sizes.h"
#include "codegen/wrap.h"

#include "ir/plan_count.h"

#include <ctype.h>
#include <string.h>

const char *signature_text(struct arena *arena, const struct plan *plan,
	const struct codegen_options *options, const struct names *names, const char *workspace)
{
	const struct function *function = plan->function;
	const char *separator = "", *text = arena_printf(arena, "void %s%s(",
		options->prefix ? options->prefix : "", function->name);

	for (int i = 0; i < function->parameter_count; i++) {
		const struct array *array = function->parameters[i].array;
		const struct size *size = function->parameters[i].size;

		if (!array && !size->is_symbolic)
			continue;
		text = !array ? arena_printf(arena, "%s%s%s %s", text, separator, size->type_name,
				names_of(names, size))
			: arena_printf(arena, "%s%s%s %s", text, separator,
				array->by_value ? array->type.name : "lrt_ext", names_of(names, array));
		separator = ", ";
	}
	if (plan->workspace_bytes > 0)
		return arena_printf(arena, "%s%slrt_ext %s)", text, separator, workspace);
	return arena_printf(arena, "%s%s)", text, *separator ? "" : "void");
}

void signatures_print(FILE *out, const struct plan *const *plans, int count,
	const struct codegen_options *options)
{
	for (int i = 0; i < count; i++) {
		struct arena *arena = arena_new();
		const struct function *function = plans[i]->function;
		struct names names;

		names_init(&names, arena, NULL);
		for (int p = 0; p < function->parameter_count; p++) {
			const struct array *array = function->parameters[p].array;
			const struct size *size = function->parameters[p].size;
			const char *name = array ? array->name : size->name;

			if (array || size->is_symbolic)
				names_add(&names, array ? (const void *)array : size,
					names_is_keyword_of_cplusplus(name)
					? arena_printf(arena, "%s_", name) : name);
		}
		print_wrapped(out, 0, arena_printf(arena, "%s;", signature_text(arena, plans[i],
			options, &names, names_add(&names, NULL, "workspace"))));
		fputc('\n', out);
		arena_free(arena);
	}
}

/* NAME in capitals, as the stem of macros. */
static const char *macro_name(struct arena *arena, const char *prefix, const char *name)
{
	char *text = arena_printf(arena, "%s%s", prefix ? prefix : "", name);

	for (char *c = text; *c; c++)
		*c = (char)(isalnum((unsigned char)*c) ? toupper((unsigned char)*c) : '_');
	return text;
}

/* The header being written: names of macros are for once, whatever functions and arrays are
 * called ("h" and "H" have one stem). */
struct header {
	FILE *out;
	struct arena *arena;
	struct names macros;
};

static const char *macro_of(struct header *header, const char *stem, const char *name,
	const char *suffix)
{
	return names_add(&header->macros, NULL, arena_printf(header->arena, "%s%s%s", stem, name,
		suffix));
}

static void print_macro(struct header *header, const char *stem, const char *name,
	const char *suffix, long value)
{
	const char *open = value < 0 ? "(" : "", *close = value < 0 ? ")" : "";

	fprintf(header->out, "#define %s %s%ld%s\n", macro_of(header, stem, name, suffix), open, value,
		close);
}

/* A macro of the sizes LIST. */
static void print_function_macro(struct header *header, const char *stem, const char *name,
	const char *list, const char *text)
{
	fprintf(header->out, "#define %s(%s) (%s)\n", macro_of(header, stem, name, "_BYTES"), list, text);
}

/* How many bytes of memory M the buffers take, from its base on. */
static long memory_end(const struct plan *plan, int m)
{
	long end = 0;

	for (int i = 0; i < plan->buffer_count; i++) {
		const struct plan_buffer *buffer = plan->buffers[i];

		if (buffer->home == IN_SCRATCHPAD && buffer->memory == m
			&& buffer->offset_bytes + buffer->bytes > end)
			end = buffer->offset_bytes + buffer->bytes;
	}
	return end;
}

/* Of several memories each has a macro of its own too, and what bypasses them has one. */
static void print_memories(struct header *header, const struct plan *plan, const char *stem)
{
	print_macro(header, stem, "", "_SCRATCHPAD_BYTES", memory_end(plan, 0));
	for (int m = 0; m < plan->arch->memory_count; m++)
		if (arch_has_memories(plan->arch) || (m && m == plan->arch->bypass_memory))
			print_macro(header, stem, arena_printf(header->arena, "_%s",
				macro_name(header->arena, NULL, plan->arch->memories[m].name)), "_BYTES",
				memory_end(plan, m));
}

/* A walk of more loop iterations takes too long; the macro is left out then. */
enum { COMMAND_STEPS = 20000000 };

static void print_commands(struct header *header, const struct plan *plan, const char *stem)
{
	struct arena *arena = arena_new();
	struct plan_traffic *traffic = ARENA_ARRAY(arena, struct plan_traffic,
		plan->function->array_count + 1);
	long commands;
	bool is_counted = true;

	for (int n = 0; n < plan->nest_count && is_counted; n++)
		is_counted = plan_count(plan->nests[n].body, plan->function, COMMAND_STEPS, traffic);
	commands = plan_traffic_commands(traffic, plan->function->array_count);
	if (is_counted && commands >= 0)
		print_macro(header, stem, "", "_COMMANDS", commands);
	arena_free(arena);
}

/* "(N, M)" and how the sizes are called in what such a macro stands for. */
static const char *size_list(struct arena *arena, const struct function *function,
	const char *names[SYMBOLIC_LIMIT])
{
	const char *list = "";

	for (int k = 0; k < function->symbolic_count; k++) {
		names[k] = arena_printf(arena, "(%s)", function->symbolic[k]->name);
		list = arena_printf(arena, "%s%s%s", list, k ? ", " : "", function->symbolic[k]->name);
	}
	return list;
}

/* The sum of all formulas for bytes read, or written; NULL if one is not known. */
static const char *sum_of_formulas(struct arena *arena, const struct plan *plan, bool is_write)
{
	const char *text = "";

	for (int n = 0; n < plan->nest_count; n++)
		for (int i = 0; i < plan->nests[n].traffic_count; i++) {
			const struct plan_traffic *traffic = &plan->nests[n].traffic[i];
			const char *formula = is_write ? traffic->write_formula : traffic->read_formula;

			if (!formula)
				return NULL;
			if (strcmp(formula, "0") != 0)
				text = arena_printf(arena, "%s%s(%s)", text, *text ? " + " : "", formula);
		}
	return *text ? text : "0";
}

/* FORMULA, in which a size stands by its name, with NAMES in their places. */
static const char *with_names(struct arena *arena, const struct function *function,
	const char *formula)
{
	const char *text = "";

	while (*formula) {
		size_t length = strspn(formula, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
			"0123456789");
		const char *word = arena_strndup(arena, formula, length ? length : 1);
		bool is_size = false;

		for (int k = 0; k < function->symbolic_count; k++)
			is_size = is_size || strcmp(function->symbolic[k]->name, word) == 0;
		text = arena_printf(arena, is_size ? "%s(int64_t)(%s)" : "%s%s", text, word);
		formula += length ? length : 1;
	}
	return text;
}

/* What depends on symbolic sizes: macros of these. */
static void print_size_macros(struct header *header, const struct plan *plan,
	const char *stem)
{
	struct arena *arena = header->arena;
	const struct function *function = plan->function;
	const char *names[SYMBOLIC_LIMIT] = { NULL }, *list = size_list(arena, function, names);

	print_function_macro(header, stem, "_WORKSPACE", list,
		size_workspace_text(arena, plan, function->array_count, names, "uint64_t"));
	for (int w = 0; w < 2; w++) {
		const char *formula = sum_of_formulas(arena, plan, w);

		if (formula)
			print_function_macro(header, stem, w ? "_WRITE" : "_READ", list,
				with_names(arena, function, formula));
	}
	for (int k = 0; k < function->symbolic_count; k++) {
		const struct size *size = function->symbolic[k];

		print_macro(header, stem, arena_printf(arena, "_%s", size->name), "_TUNED", size->value);
		print_macro(header, stem, arena_printf(arena, "_%s", size->name), "_MAX", size->max);
	}
	for (int i = 0; i < function->parameter_count; i++) {
		const struct array *array = function->parameters[i].array;

		if (array && !array->by_value)
			print_function_macro(header, stem, arena_printf(arena, "_%s", array->name), list,
				size_bytes_text(arena, array, names, "uint64_t"));
	}
}

static void print_needs(struct header *header, const struct plan *plan, const char *stem)
{
	long read_bytes = 0, write_bytes = 0;

	for (int n = 0; n < plan->nest_count; n++)
		for (int i = 0; i < plan->nests[n].traffic_count; i++) {
			read_bytes += plan->nests[n].traffic[i].flow.read_bytes;
			write_bytes += plan->nests[n].traffic[i].flow.write_bytes;
		}
	print_memories(header, plan, stem);
	print_macro(header, stem, "", "_STACK_BYTES", codegen_stack_bytes(plan));
	if (plan->function->symbolic_count)
		return;
	print_macro(header, stem, "", "_WORKSPACE_BYTES", plan->workspace_bytes);
	print_macro(header, stem, "", "_READ_BYTES", read_bytes);
	print_macro(header, stem, "", "_WRITE_BYTES", write_bytes);
	print_commands(header, plan, stem);
}

static void print_macros(struct header *header, const struct plan *plan,
	const struct codegen_options *options)
{
	struct arena *arena = header->arena;
	const struct function *function = plan->function;
	const char *stem = macro_name(arena, options->prefix, function->name);

	fprintf(header->out, "/* %s: what it needs, what it moves, the sizes it was compiled for, and the\n"
		" * bytes of its arrays. */\n", function->name);
	print_needs(header, plan, stem);
	for (int i = 0; i < function->size_count; i++)
		if (!function->sizes[i]->is_symbolic)
			print_macro(header, stem, arena_printf(arena, "_%s", function->sizes[i]->name), "",
				function->sizes[i]->value);
	if (function->symbolic_count)
		print_size_macros(header, plan, stem);
	for (int i = 0; i < function->parameter_count && !function->symbolic_count; i++) {
		const struct array *array = function->parameters[i].array;

		if (array && !array->by_value)
			print_macro(header, stem, arena_printf(arena, "_%s", array->name), "_BYTES",
				array->elements * array->type.bytes);
	}
}

bool codegen_header(FILE *out, const struct plan *const *plans, int count,
	const struct codegen_options *options)
{
	struct arena *arena = arena_new();
	const char *name = options->header ? options->header : "kernel.h";
	const char *slash = strrchr(name, '/');
	struct header header = { .out = out, .arena = arena };
	const char *guard = macro_name(arena, "LOOPC_", slash ? slash + 1 : name);

	names_init(&header.macros, arena, NULL);
	names_add(&header.macros, NULL, guard);
	fprintf(out, "/* Written by loopc %s: change the source, not this file. */\n"
		"#ifndef %s\n#define %s\n\n#include <stdint.h>\n\n#include \"loopc_rt.h\"\n\n"
		"#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
		options->version ? options->version : "", guard, guard);
	for (int i = 0; i < count; i++) {
		print_macros(&header, plans[i], options);
		signatures_print(out, &plans[i], 1, options);
		fputc('\n', out);
	}
	fputs("#ifdef __cplusplus\n}\n#endif\n\n#endif\n", out);
	arena_free(arena);
	return !ferror(out);
}

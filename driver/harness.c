#include "driver/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "driver/shadow.h"
#include "driver/verify_data.h"
#include "ir/plan_time.h"

/* Whether a scalar parameter that is no size: passed by value to both functions. */
static bool is_scalar(const struct parameter *parameter)
{
	return parameter->array && parameter->array->by_value;
}

/* The middle of the user's range, or some value. */
void harness_print_scalar(FILE *out, const struct session *session,
	const struct function *function, const struct array *array)
{
	struct verify_source source = verify_data_of(session, function, array);
	double middle = source.least + (source.most - source.least) / 2;
	if (source.has_range && type_is_float(array->type.kind))
		fprintf(out, "(%s)%.17g", array->type.name, middle);
	else if (source.has_range)
		fprintf(out, "(%s)%.0f", array->type.name, floor(middle) < ceil(source.least) ?
			ceil(source.least) : floor(middle));
	else if (type_is_float(array->type.kind))
		fprintf(out, "(%s)%d.75", array->type.name, array->index % 3);
	else
		fprintf(out, "(%s)%d", array->type.name, 1 + array->index % 3);
}

/* Arguments of a function: elements of the array of pointers that the caller has. */
static int print_arguments(FILE *out, const struct session *session,
	const struct function *function, const long *sizes, bool is_reference)
{
	int count = 0, next_array = 0;
	for (int p = 0; p < function->parameter_count; p++) {
		const struct parameter *parameter = &function->parameters[p];
		if (parameter->size && !parameter->size->is_symbolic && !is_reference)
			continue;
		fputs(count++ ? ", " : "", out);
		if (parameter->size)
			fprintf(out, "%ld", parameter->size->is_symbolic ? sizes[parameter->size->index] :
				parameter->size->value);
		else if (is_scalar(parameter))
			harness_print_scalar(out, session, function, parameter->array);
		else if (is_reference)
			fprintf(out, "loopc_arrays[%d]", next_array++);
		else
			fprintf(out, "(lrt_ext)loopc_arrays[%d]", next_array++);
	}
	return count;
}

/* A size that is a parameter must not be a macro too, nor what the file calls otherwise. */
static bool is_no_macro(const struct program *program, const char *name)
{
	for (int i = 0; i < program->unused_count; i++)
		if (!strcmp(program->unused[i], name))
			return true;
	for (int f = 0; f < program->function_count; f++)
		for (int s = 0; s < program->functions[f]->size_count; s++)
			if (!strcmp(program->functions[f]->sizes[s]->name, name))
				return true;
	return false;
}

static void print_defines(FILE *out, const struct session *session)
{
	for (int d = 0; d < session->options->defines.count; d++) {
		const char *define = session->options->defines.items[d];
		int length = (int)strcspn(define, "=");
		const char *name = arena_strndup(session->arena, define, (size_t)length);
		if (!is_no_macro(session->program, name))
			fprintf(out, "#define %s %s\n", name, define + length + 1);
	}
}

static int function_index(const struct program *program, const struct function *function)
{
	int f = 0;
	while (strcmp(program->functions[f]->name, function->name))
		f++;
	return f;
}

void harness_print_reference(FILE *out, const struct session *session)
{
	const struct program *program = session->program;
	print_defines(out, session);
	for (int f = 0; f < program->function_count; f++)
		fprintf(out, "#define %s loopc_reference_%d_\n", program->functions[f]->name, f);
	fprintf(out, "#include \"source.h\"\n");
	for (int c = 0; c < session->case_count; c++) {
		const struct verify_case *one = &session->cases[c];
		fprintf(out, "\nvoid loopc_reference_%d(void *const *loopc_arrays);\n"
			"void loopc_reference_%d(void *const *loopc_arrays)\n{\n"
			"\t(void)loopc_arrays;\n\tloopc_reference_%d_(", c, c,
			function_index(program, one->plan->function));
		print_arguments(out, session, one->plan->function, one->sizes, true);
		fputs(");\n}\n", out);
	}
}

void harness_print_tiled(FILE *out, const struct session *session, const char *header)
{
	fprintf(out, "#include <stdint.h>\n#include \"loopc_rt.h\"\n#include \"%s\"\n", header);
	for (int c = 0; c < session->case_count; c++) {
		const struct verify_case *one = &session->cases[c];
		const struct plan *plan = one->plan;
		fprintf(out, "\nvoid loopc_tiled_%d(void *const *loopc_arrays, void *loopc_workspace);\n"
			"void loopc_tiled_%d(void *const *loopc_arrays, void *loopc_workspace)\n{\n"
			"\t(void)loopc_arrays;\n\t(void)loopc_workspace;\n\t%s%s(", c, c,
			session->options->prefix, plan->function->name);
		int count = print_arguments(out, session, plan->function, one->sizes, false);
		if (plan->workspace_bytes > 0)
			fprintf(out, "%s(lrt_ext)loopc_workspace", count ? ", " : "");
		fputs(");\n}\n", out);
	}
}

/* Whether there is something that shadow code is asked. */
static bool has_shadow(const struct session *session, const struct function *function)
{
	const bool *is_inexact = shadow_inexact(session->arena, function,
		session->options->reassociate);
	for (int a = 0; a < function->array_count; a++)
		if (is_inexact[a])
			return true;
	return shadow_is_risky(function);
}

bool harness_print_shadow(FILE *out, const struct session *session)
{
	const struct program *program = session->program;
	fputs("#include <stdbool.h>\n", out);
	for (int i = 0; i < program->include_count; i++)
		fprintf(out, "#include %s\n", program->includes[i]);
	fputs("#include \"verify_support.h\"\n\nstruct verify_undefined verify_undefined;\n"
		"int verify_speculation;\n\n"
		"#define loopc_min(a, b) ((a) < (b) ? (a) : (b))\n"
		"#define loopc_max(a, b) ((a) > (b) ? (a) : (b))\n"
		"#define loopc_floord(a, b) (((a) - ((a) < 0 ? (b) - 1 : 0)) / (b))\n", out);
	for (int i = 0; i < program->prototype_count; i++)
		if (program->prototypes[i].text)
			fprintf(out, "%s\n", program->prototypes[i].text);
	for (int f = 0; f < program->function_count; f++)
		if (has_shadow(session, program->functions[f]) && !shadow_print(out, session, f))
			return false;
	return true;
}

const char *harness_array_name(struct arena *arena, const struct function *function,
	const struct array *array)
{
	for (int a = 0; a < function->array_count; a++)
		if (function->arrays[a] != array && !strcmp(function->arrays[a]->name, array->name))
			return arena_printf(arena, "%s#%d", array->name, array->index);
	return array->name;
}

/* TEXT as a constant of C. */
static void print_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++)
		fprintf(out, strchr("\"\\?", *text) || (unsigned char)*text < ' ' ? "\\%03o" : "%c",
			(unsigned char)*text);
	putc('"', out);
}

static void print_array(FILE *out, const struct session *session,
	const struct verify_case *one, const struct array *array, bool is_inexact)
{
	static const char *const kinds[] = {
		[TYPE_INT8] = "INT8", [TYPE_UINT8] = "UINT8", [TYPE_INT16] = "INT16",
		[TYPE_UINT16] = "UINT16", [TYPE_INT32] = "INT32", [TYPE_UINT32] = "UINT32",
		[TYPE_INT64] = "INT64", [TYPE_UINT64] = "UINT64", [TYPE_FLOAT] = "FLOAT",
		[TYPE_DOUBLE] = "DOUBLE", [TYPE_BOOL] = "BOOL"
	};
	long last = array->rank < 2 ? 0 : affine_at_sizes(array->shape[array->rank - 1], one->sizes);
	long square = array->rank >= 2 &&
		affine_at_sizes(array->shape[array->rank - 2], one->sizes) == last ? last : 0;
	struct verify_source source = verify_data_of(session, one->plan->function, array);
	fprintf(out, "\t{ \"%s\", VERIFY_%s, %d, %ld, %ld, %d, %d, ",
		harness_array_name(session->arena, one->plan->function, array),
		kinds[array->type.kind], array->type.bytes, array_elements_at(array, one->sizes),
		square, !array->is_const, is_inexact);
	/* a file has the elements of the sizes tuned for */
	if (source.file && !strcmp(one->name, one->plan->function->name))
		print_string(out, source.file);
	else
		fputs("NULL", out);
	fprintf(out, ", %d, %.17g, %.17g },\n", source.has_range, source.least, source.most);
}

/* The tables of one function; an empty one gets an entry that is not counted. */
static void print_tables(FILE *out, const struct session *session, int c, int *array_count,
	int *local_count)
{
	const struct verify_case *one = &session->cases[c];
	const struct plan *plan = one->plan;
	const struct function *function = plan->function;
	const bool *is_inexact = shadow_inexact(session->arena, function,
		session->options->reassociate);
	*array_count = *local_count = 0;
	fprintf(out, "\nstatic const struct verify_array arrays_%d[] = {\n", c);
	for (int i = 0; i < function->parameter_count; i++) {
		const struct parameter *parameter = &function->parameters[i];
		if (parameter->size || is_scalar(parameter))
			continue;
		print_array(out, session, one, parameter->array,
			is_inexact[parameter->array->index]);
		++*array_count;
	}
	fprintf(out, "\t{ \"\", VERIFY_INT8, 1, 0, 0, 0, 0, NULL, 0, 0, 0 }\n};\n"
		"static const struct verify_local locals_%d[] = {\n", c);
	for (int a = 0; a < function->array_count; a++) {
		const struct array *array = function->arrays[a];
		if (!plan->workspace_offset || plan->workspace_offset[a] < 0)
			continue;
		fprintf(out, "\t{ \"%s\", %ld, %ld },\n",
			harness_array_name(session->arena, function, array),
			plan_workspace_at(plan, one->sizes, a),
			array_elements_at(array, one->sizes) * array->type.bytes);
		++*local_count;
	}
	fputs("\t{ \"\", 0, 0 }\n};\n", out);
}

/* What the plan's formulas say of one case, by the C compiler. */
static void print_formulas(FILE *out, const struct session *session, int c)
{
	const struct verify_case *one = &session->cases[c];
	const struct function *function = one->plan->function;
	fprintf(out, "\nstatic void print_formulas_%d(void)\n{\n", c);
	for (int k = 0; k < function->symbolic_count; k++)
		fprintf(out, "\tconst int64_t %s = %ld;\n\t(void)%s;\n", function->symbolic[k]->name,
			one->sizes[k], function->symbolic[k]->name);
	for (int n = 0; n < one->plan->nest_count; n++)
		for (int t = 0; t < one->plan->nests[n].traffic_count; t++) {
			const struct plan_traffic *traffic = &one->plan->nests[n].traffic[t];
			if (traffic->read_formula && traffic->write_formula)
				fprintf(out, "\tprintf(\"formula %s %s %d %%lld %%lld\\n\",\n"
					"\t\t(long long)(%s),\n\t\t(long long)(%s));\n", one->name,
					harness_array_name(session->arena, function, traffic->array), n,
					traffic->read_formula, traffic->write_formula);
		}
	fputs("}\n", out);
}

/* The most that a nest of the plan uses of memory M: nothing beyond may be touched. */
static long memory_bytes(const struct plan *plan, int m)
{
	long bytes = 0;
	for (int n = 0; n < plan->nest_count; n++) {
		long used = plan->nests[n].memory_used_bytes[m];
		bytes = used > bytes ? used : bytes;
	}
	return bytes;
}

/* What case C uses of several memories. */
static void print_memories(FILE *out, const struct plan *plan, int c)
{
	if (!plan->arch->memory_count)
		return;
	fprintf(out, "static const size_t memories_%d[] = {", c);
	for (int m = 0; m < plan->arch->memory_count; m++)
		fprintf(out, " %ld,", memory_bytes(plan, m));
	fputs(" };\n", out);
}

static void print_function(FILE *out, const struct session *session, int c)
{
	const struct verify_case *one = &session->cases[c];
	const struct plan *plan = one->plan;
	int array_count, local_count;
	print_tables(out, session, c, &array_count, &local_count);
	int f = function_index(session->program, plan->function);
	bool is_shadowed = has_shadow(session, plan->function);
	fprintf(out, "void loopc_reference_%d(void *const *arrays);\n"
		"void loopc_tiled_%d(void *const *arrays, void *workspace);\n"
		"void loopc_shadow_%d(void *const *arrays, struct verify_error *const *errors, "
		"const long *sizes);\n"
		"static const long sizes_%d[] = { ", c, c, f, c);
	for (int k = 0; k < SYMBOLIC_LIMIT; k++)
		fprintf(out, "%s%ld", k ? ", " : "", one->sizes[k]);
	fputs(" };\n", out);
	print_memories(out, plan, c);
	fprintf(out, "static const struct verify_function function_%d = {\n"
		"\t\"%s\", arrays_%d, %d, locals_%d, %d, %ld, %d,\n"
		"\tloopc_reference_%d, loopc_tiled_%d, ", c, one->name, c, array_count, c, local_count,
		plan_workspace_at(plan, one->sizes, plan->function->array_count),
		shadow_is_risky(plan->function), c, c);
	fprintf(out, is_shadowed ? "loopc_shadow_%d" : "NULL", f);
	fprintf(out, plan->arch->memory_count ? ", sizes_%d, %d, memories_%d\n};\n"
		: ", sizes_%d, %d, NULL\n};\n", c, plan->arch->memory_count, c);
}

/* What the scratchpad of a plan has, at least a byte: of several memories the first. */
static long scratchpad_bytes(const struct plan *plan)
{
	long bytes = memory_bytes(plan, 0);
	return bytes ? bytes : arch_memory(plan->arch, 0).bytes;
}

/* Before the emitted code's own calls of the runtime the timeline is told of them. */
void harness_print_time(FILE *out, const struct session *session)
{
	if (!arch_has_clock(session->arch)) {
		fputs("typedef int verify_no_time;\n", out);
		return;
	}
	fputs("void verify_command(int is_put, unsigned tag, const lrt_box *box);\n"
		"void verify_wait(uint32_t mask);\n"
		"#define lrt_get(tag, loc, ext, box) (verify_command(0, tag, box), lrt_get(tag, loc, ext, box))\n"
		"#define lrt_put(tag, ext, loc, box) (verify_command(1, tag, box), lrt_put(tag, ext, loc, box))\n"
		"#define lrt_wait(mask) (verify_wait(mask), lrt_wait(mask))\n", out);
	if (session->arch->array.mac_cycles > 0)
		fputs("enum { LRT_READ, LRT_WRITE, LRT_REDUCE };\n"
			"void elements_begin(void);\nvoid elements_word(unsigned way, unsigned array, unsigned memory, int is_double);\n"
			"void elements_element(void);\nvoid elements_step(void);\n"
			"#define LRT_BEGIN() elements_begin()\n#define LRT_WORD(way, array, memory, is_double) \\\n\telements_word(way, array, memory, is_double)\n"
			"#define LRT_ELEMENT() elements_element()\n#define LRT_STEP() elements_step()\n", out);
}

static void print_elements(FILE *out, const struct pe_array *array)
{
	fprintf(out, "\tstatic const lrt_trace_pe_array array = { %.17g, { %d, %d, %d }, %.17g, {", array->mac_cycles,
		array->networks[WAY_READ], array->networks[WAY_WRITE], array->networks[WAY_REDUCE],
		array->words_per_cycle);
	for (int m = 0; m < MEMORY_LIMIT; m++)
		fprintf(out, "%s %.17g", m ? "," : "", array->memory_words_per_cycle[m]);
	fputs(" } };\n", out);
}

static void print_clock(FILE *out, const struct arch *arch)
{
	const struct pe_array *array = &arch->array;
	if (array->mac_cycles > 0)
		print_elements(out, array);
	if (arch_has_clock(arch))
		fprintf(out, "\tstatic const lrt_trace_model clock = { %ld, %.17g, %d, %.17g, 0 };\n"
			"\tstatic const lrt_trace_dma dma = { %.17g, %ld, %ld, %ld, %ld, %d, %d };\n"
			"\tverify_clock(&clock, &dma, %.17g, %s);\n", arch->startup_cycles, arch->bytes_per_cycle,
			arch->channels, arch->clock_hz, arch->dma_clock_hz, arch->write_startup_cycles,
			arch->burst_bytes, arch->burst_cycles, arch->write_burst_cycles, arch->is_duplex,
			arch->starts_once, arch->core_mac_cycles, array->mac_cycles > 0 ? "&array" : "NULL");
}

void harness_print_main(FILE *out, const struct session *session)
{
	const struct arch *arch = session->arch;
	fputs("#include \"verify_support.h\"\n\n"
		"void lrt_checked_nest(int nest);\nvoid lrt_checked_nest(int nest)\n{\n"
		"\tverify_nest(nest);\n}\n"
		"void verify_command(int is_put, unsigned tag, const lrt_box *box);\n"
		"void verify_command(int is_put, unsigned tag, const lrt_box *box)\n{\n"
		"\tverify_note_command(is_put, tag, box);\n}\n"
		"void verify_wait(uint32_t mask);\nvoid verify_wait(uint32_t mask)\n{\n"
		"\tverify_note_wait(mask);\n}\n"
		"void elements_begin(void);\nvoid elements_begin(void)\n{\n\tverify_begin_elements();\n}\n"
		"void elements_word(unsigned way, unsigned array, unsigned memory, int is_double);\n"
		"void elements_word(unsigned way, unsigned array, unsigned memory, int is_double)\n{\n"
		"\tverify_word(way, array, memory, is_double);\n}\n"
		"void elements_element(void);\nvoid elements_element(void)\n{\n\tverify_element();\n}\n"
		"void elements_step(void);\nvoid elements_step(void)\n{\n\tverify_step();\n}\n", out);
	for (int c = 0; c < session->case_count; c++) {
		print_function(out, session, c);
		print_formulas(out, session, c);
	}
	fputs("\nint main(void)\n{\n", out);
	for (int c = 0; c < session->case_count; c++)
		fprintf(out, "\tstatic const lrt_limits limits_%d = { %ld, %d, %ld, %ld, %ld, %d };\n", c,
			scratchpad_bytes(session->cases[c].plan), arch->max_rank, arch->max_bytes,
			arch->max_count, arch->max_stride_bytes, arch->dma_align_bytes);
	print_clock(out, arch);
	for (int c = 0; c < session->case_count; c++)
		fprintf(out, "\tprint_formulas_%d();\n\tverify_function(&function_%d, &limits_%d);\n", c, c,
			c);
	fputs("\treturn 0;\n}\n", out);
}

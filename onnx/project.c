/* The directory that is written: loops, weights, a program to run them, a makefile. */

#include "onnx/project.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/output.h"
#include "onnx/function.h"
#include "onnx/model.h"
#include "onnx/print.h"

enum { ALIGNMENT = 64 };
/* Bytes of all weights together. */
#define WEIGHT_LIMIT INT64_C(4000000000)

/* The file's inputs that are not constant, or its outputs, one after the other. */
struct tensors {
	struct value **values;
	int count;
};

struct writer {
	struct network *network;
	const struct project *project;
	struct outputs *files;
	struct value **weights;
	int weight_count;
	int64_t weight_bytes;
	struct tensors inputs, outputs;
	struct tensor **vector_inputs, **vector_outputs;   /* NULL: there is no vector */
	bool has_failed;
};

static int64_t bytes_of(const struct value *value)
{
	return shape_count(&value->shape) * type_infos[value->type].bytes;
}

static FILE *open_file(struct writer *w, const char *name)
{
	FILE *file = outputs_open(w->files, arena_printf(w->network->arena, "%s/%s", w->project->directory, name));

	if (!file)
		w->has_failed = true;
	return file;
}

static const char *upper(struct arena *arena, const char *name)
{
	char *text = arena_strdup(arena, name);

	for (char *c = text; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return text;
}

/* ---- weights ---- */

static void place_weights(struct writer *w)
{
	for (int i = 0; i < w->weight_count; i++) {
		w->weights[i]->offset = w->weight_bytes;
		w->weight_bytes += (bytes_of(w->weights[i]) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
		if (w->weight_bytes > WEIGHT_LIMIT)
			fail(w->network, "its weights are more than %" PRId64 " bytes", WEIGHT_LIMIT);
	}
}

/* Calls WRITE for all bytes of the weights, those between them too. */
static void each_weight(struct writer *w, void (*write)(const void *data, size_t bytes, void *user), void *user)
{
	static const char zeros[ALIGNMENT];

	for (int i = 0; i < w->weight_count; i++) {
		const struct tensor *tensor = w->weights[i]->constant;
		const size_t size = (size_t)type_infos[tensor->type].bytes, bytes = size * (size_t)tensor->count;
		if (!tensor->is_uniform) {
			write(tensor->data, bytes, user);
		} else {
			char block[4096];
			size_t filled = 0;
			for (; filled + size <= sizeof(block); filled += size)
				memcpy(block + filled, tensor->data, size);
			for (size_t at = 0; at < bytes; at += filled)
				write(block, bytes - at < filled ? bytes - at : filled, user);
		}
		write(zeros, (ALIGNMENT - bytes % ALIGNMENT) % ALIGNMENT, user);
	}
}

static void write_raw(const void *data, size_t bytes, void *user)
{
	fwrite(data, 1, bytes, user);
}

static void write_text(const void *data, size_t bytes, void *user)
{
	const unsigned char *byte = data;

	for (size_t b = 0; b < bytes; b++)
		fprintf(user, "%d,%s", byte[b], b % 24 == 23 || b + 1 == bytes ? "\n" : "");
}

static void write_weights(struct writer *w)
{
	const char *name = w->network->name;
	FILE *out;

	if (w->project->has_c_weights) {
		if (!(out = open_file(w, "weights.c")))
			return;
		fprintf(out, "/* The weights of %s, at the offsets of network.h. */\n\n"
			"const unsigned char %s_weights[%" PRId64 "] __attribute__((aligned(%d))) = {\n", name, name,
			w->weight_bytes + !w->weight_bytes, ALIGNMENT);
		each_weight(w, write_text, out);
		fprintf(out, "%s};\n", w->weight_bytes ? "" : "0\n");
		return;
	}
	if (!(out = open_file(w, "weights.bin")))
		return;
	each_weight(w, write_raw, out);
	if (!(out = open_file(w, "weights.S")))
		return;
	fprintf(out, "/* The weights of %s, at the offsets of network.h. */\n\n"
		"#ifndef WEIGHTS_SECTION\n#define WEIGHTS_SECTION .section .rodata\n#endif\n"
		"\tWEIGHTS_SECTION\n\t.balign %d\n\t.globl %s_weights\n%s_weights:\n\t.incbin \"weights.bin\"\n"
		"\t.byte 0\n\n#ifdef __linux__\n\t.section .note.GNU-stack,\"\",%%progbits\n#endif\n", name, ALIGNMENT, name, name);
}

/* ---- header and program ---- */

static void describe(struct writer *w, FILE *out, const char *what, const struct value *value)
{
	fprintf(out, "/* %s %s: %s of %s */\n#define %s_%s_BYTES %" PRId64 "\n", what, value->c_name,
		shape_text(w->network->arena, &value->shape), type_infos[value->type].name,
		upper(w->network->arena, w->network->name), upper(w->network->arena, value->c_name), bytes_of(value));
}

static struct tensors all_inputs(struct network *network)
{
	struct tensors inputs = { ARENA_ARRAY(network->arena, struct value *, network->input_count + 1), 0 };

	for (int i = 0; i < network->input_count; i++)
		if (!network->inputs[i]->constant)
			inputs.values[inputs.count++] = network->inputs[i];
	return inputs;
}

/* The bytes before VALUE, or all if it is NULL. */
static int64_t offset_in(const struct tensors *tensors, const struct value *value)
{
	int64_t bytes = 0;

	for (int t = 0; t < tensors->count && tensors->values[t] != value; t++)
		bytes += bytes_of(tensors->values[t]);
	return bytes;
}

/* ---- the calls of all functions ---- */

static void write_argument(struct writer *w, FILE *out, const struct value *value)
{
	if (value->constant)
		fprintf(out, "(lrt_ext)((weights) + %s_%s_OFFSET)", upper(w->network->arena, w->network->name),
			upper(w->network->arena, value->c_name));
	else if (value->is_input)
		fprintf(out, "(lrt_ext)((input) + %" PRId64 ")", offset_in(&w->inputs, value));
	else if (value->is_output)
		fprintf(out, "(lrt_ext)((output) + %" PRId64 ")", offset_in(&w->outputs, value));
	else
		fprintf(out, "(lrt_ext)((workspace) + %" PRId64 ")", value->offset);
}

/* The greatest of what the functions need, as enumerators that each add one function. */
static void write_greatest(struct writer *w, FILE *out, const char *what, const char *suffix)
{
	struct arena *arena = w->network->arena;

	for (int f = 0; f < w->network->function_count; f++) {
		const char *need = arena_printf(arena, "%s_%s", upper(arena, w->network->functions[f].name), suffix);
		if (f)
			fprintf(out, "\tloopc_network_%s_%d = loopc_network_%s_%d > %s ?\n\t\tloopc_network_%s_%d : %s,\n", what, f, what, f - 1,
				need, what, f - 1, need);
		else
			fprintf(out, "\tloopc_network_%s_0 = %s,\n", what, need);
	}
}

static void write_call(struct writer *w, FILE *out, const struct function *function)
{
	fprintf(out, "\t%s(", function->name);
	for (int p = 0; p < function->parameter_count; p++) {
		fprintf(out, "%s \\\n\t\t", p ? "," : "");
		write_argument(w, out, function->parameters[p]);
	}
	fprintf(out, " %s_WORKSPACE(workspace)); \\\n", upper(w->network->arena, function->name));
}

static void write_calls(struct writer *w, FILE *out)
{
	const struct network *network = w->network;
	const int last = network->function_count - 1;
	const char *first = upper(network->arena, network->functions[0].name);

	fprintf(out, "\n/* To run it, with kernel.h, which loopc writes, included before: all inputs one after the other, the\n"
		" * weights, all outputs, and a workspace%s; addresses of bytes. */\n"
		"#define LOOPC_NETWORK_WEIGHTS %s_weights\n#define LOOPC_NETWORK_INPUT_BYTES %" PRId64 "\n"
		"#define LOOPC_NETWORK_OUTPUT_BYTES %" PRId64 "\n#ifdef %s_WORKSPACE_BYTES\nenum {\n",
		network->between_bytes ? ", which holds what goes from one function to another too" : "", network->name,
		offset_in(&w->inputs, NULL), offset_in(&w->outputs, NULL), first);
	write_greatest(w, out, "workspace", "WORKSPACE_BYTES");
	write_greatest(w, out, "scratchpad", "SCRATCHPAD_BYTES");
	fprintf(out, "\tLOOPC_NETWORK_WORKSPACE_BYTES = %" PRId64 " + loopc_network_workspace_%d,\n"
		"\tLOOPC_NETWORK_SCRATCHPAD_BYTES = loopc_network_scratchpad_%d\n};\n", network->between_bytes, last, last);
	for (int f = 0; f <= last; f++) {
		const char *capital = upper(network->arena, network->functions[f].name);
		fprintf(out, "#if %s_WORKSPACE_BYTES > 0\n#define %s_WORKSPACE(workspace) , (lrt_ext)((workspace) + %" PRId64 ")\n"
			"#else\n#define %s_WORKSPACE(workspace)\n#endif\n", capital, capital, network->between_bytes, capital);
	}
	fputs("#define LOOPC_NETWORK_RUN(input, weights, output, workspace) do { \\\n", out);
	for (int f = 0; f <= last; f++)
		write_call(w, out, &network->functions[f]);
	fputs("\t} while (0)\n#endif\n", out);
}

static void write_header(struct writer *w)
{
	struct network *network = w->network;
	const char *name = network->name, *capital = upper(network->arena, name);
	FILE *out = open_file(w, "network.h");

	if (!out)
		return;
	fprintf(out, "/* Written by loopc-onnx: what %s takes and gives, and where its weights are. */\n"
		"#ifndef LOOPC_ONNX_%s_H\n#define LOOPC_ONNX_%s_H\n\n", name, capital, capital);
	for (int i = 0; i < w->inputs.count; i++)
		describe(w, out, "input", w->inputs.values[i]);
	for (int o = 0; o < w->outputs.count; o++)
		describe(w, out, "output", w->outputs.values[o]);
	fprintf(out, "\n/* The weights, each at its offset in bytes. */\nextern const unsigned char %s_weights[];\n"
		"#define %s_WEIGHTS_BYTES %" PRId64 "\n", name, capital, w->weight_bytes);
	for (int i = 0; i < w->weight_count; i++)
		fprintf(out, "#define %s_%s_OFFSET %" PRId64 "   /* %s of %s */\n", capital,
			upper(network->arena, w->weights[i]->c_name), w->weights[i]->offset,
			shape_text(network->arena, &w->weights[i]->shape), type_infos[w->weights[i]->type].name);
	write_calls(w, out);
	fputs("\n#endif\n", out);
}

/* ---- the program ---- */

static void write_compare(struct writer *w, FILE *out)
{
	fputs("/* As the networks of ONNX are compared: integers equal, numbers by 1e-3 of their size. */\n"
		"static int compare(FILE *file)\n{\n\tlong wrong = 0;\n\n", out);
	for (int o = 0; o < w->outputs.count; o++) {
		const struct value *value = w->outputs.values[o];
		fprintf(out, "\tfor (long i = 0; i < %" PRId64 "; i++) {\n\t\t%s actual, expected;\n"
			"\t\tmemcpy(&actual, output + %" PRId64 " + i * (long)sizeof(actual), sizeof(actual));\n"
			"\t\tif (fread(&expected, sizeof(expected), 1, file) != 1)\n\t\t\treturn 0;\n",
			shape_count(&value->shape), type_infos[value->type].c_name, offset_in(&w->outputs, value));
		fputs(type_is_float(value->type) ?
			"\t\tif (!(fabs((double)actual - (double)expected) <= 1e-7 + 1e-3 * fabs((double)expected)) &&\n"
			"\t\t    !(actual == expected) && !(isnan(actual) && isnan(expected)))\n" :
			"\t\tif (actual != expected)\n", out);
		fprintf(out, "\t\t\tif (wrong++ < 10)\n\t\t\t\tfprintf(stderr, \"%s[%%ld] is %%.9g, not %%.9g\\n\", i, "
			"(double)actual, (double)expected);\n\t}\n", value->c_name);
	}
	fputs("\tif (wrong)\n\t\tfprintf(stderr, \"%ld elements differ\\n\", wrong);\n\treturn !wrong;\n}\n\n", out);
}

static void write_begin(struct writer *w, FILE *out)
{
	const char *name = w->network->name;

	fputs("#ifdef PORT_checked\nstatic void begin(void)\n{\n"
		"\tconst lrt_limits limits = { .scratchpad_bytes = LOOPC_NETWORK_SCRATCHPAD_BYTES };\n\n"
		"\tlrt_checked_begin(&limits);\n", out);
	for (int i = 0; i < w->inputs.count; i++)
		fprintf(out, "\tlrt_checked_array(\"%s\", input + %" PRId64 ", %" PRId64 ", 0);\n", w->inputs.values[i]->c_name,
			offset_in(&w->inputs, w->inputs.values[i]), bytes_of(w->inputs.values[i]));
	for (int o = 0; o < w->outputs.count; o++)
		fprintf(out, "\tlrt_checked_array(\"%s\", output + %" PRId64 ", %" PRId64 ", 1);\n", w->outputs.values[o]->c_name,
			offset_in(&w->outputs, w->outputs.values[o]), bytes_of(w->outputs.values[o]));
	fprintf(out, "\tlrt_checked_array(\"weights\", %s_weights, %s_WEIGHTS_BYTES + 1, 0);\n"
		"\tlrt_checked_array(\"workspace\", workspace, sizeof(workspace), 1);\n}\n#endif\n\n", name,
		upper(w->network->arena, name));
}

static void write_main(struct writer *w)
{
	FILE *out = open_file(w, "main.c");

	if (!out)
		return;
	fprintf(out, "/* Runs %s once: program INPUT OUTPUT [EXPECTED].  Files hold the tensors one after the other,\n"
		" * little-endian; with EXPECTED the status says whether the outputs are those. */\n\n"
		"#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
		"#include \"kernel.h\"\n#include \"loopc_rt.h\"\n#include \"network.h\"\n"
		"#ifdef PORT_checked\n#include \"loopc_checked.h\"\n#endif\n\n"
		"static unsigned char input[LOOPC_NETWORK_INPUT_BYTES + 1] __attribute__((aligned(64)));\n"
		"static unsigned char output[LOOPC_NETWORK_OUTPUT_BYTES] __attribute__((aligned(64)));\n"
		"static unsigned char workspace[LOOPC_NETWORK_WORKSPACE_BYTES + 1] __attribute__((aligned(64)));\n\n",
		w->network->name);
	write_begin(w, out);
	write_compare(w, out);
	fputs("static FILE *must_open(const char *name, const char *mode)\n{\n\tFILE *file = fopen(name, mode);\n\n"
		"\tif (!file) {\n\t\tperror(name);\n\t\texit(1);\n\t}\n\treturn file;\n}\n\n"
		"int main(int count, char **arguments)\n{\n\tif (count != 3 && count != 4) {\n"
		"\t\tfprintf(stderr, \"%s INPUT OUTPUT [EXPECTED]\\n\", arguments[0]);\n\t\treturn 2;\n\t}\n"
		"\tFILE *file = must_open(arguments[1], \"rb\");\n"
		"\tif (fread(input, 1, sizeof(input), file) != LOOPC_NETWORK_INPUT_BYTES) {\n"
		"\t\tfprintf(stderr, \"%s has not the bytes of the inputs\\n\", "
		"arguments[1]);\n\t\treturn 1;\n\t}\n\tfclose(file);\n#ifdef PORT_checked\n\tbegin();\n#endif\n"
		"\tLOOPC_NETWORK_RUN(input, LOOPC_NETWORK_WEIGHTS, output, workspace);\n"
		"#ifdef PORT_checked\n\tif (lrt_checked_end())\n\t\treturn 1;\n#endif\n"
		"\tfile = must_open(arguments[2], \"wb\");\n"
		"\tfwrite(output, 1, sizeof(output), file);\n"
		"\tif (fclose(file)) {\n\t\tperror(arguments[2]);\n\t\treturn 1;\n\t}\n"
		"\treturn count == 4 && !compare(must_open(arguments[3], \"rb\"));\n}\n", out);
}

static void write_makefile(struct writer *w)
{
	FILE *out = open_file(w, "Makefile");

	if (!out)
		return;
	fprintf(out, "# Written by loopc-onnx.\n#\n"
		"#   make run INPUT=in.bin OUTPUT=out.bin   on the host; files hold the tensors one after the other\n"
		"#   make report                            what each layer moves, and what is fused\n"
		"#   make strategies                        what each layer would move by itself, by reuse\n"
		"%s#\n# ARCH=: the machine; PORT=: checked, memcpy, threads or trace; O=: where everything is built.\n\n"
		"LOOPC ?= loopc\nARCH ?= default\nPORT ?= checked\nLOOPCFLAGS ?=\nO ?= build\n"
		"RUNTIME ?= $(shell $(LOOPC) --print-runtime-dir)\nCFLAGS ?= -O2\n"
		"FLAGS = -std=gnu99 $(CFLAGS) -fwrapv -ffp-contract=off -I. -I$(O) -I$(RUNTIME) -DPORT_$(PORT)\n"
		"INPUT ?= %s\nOUTPUT ?= $(O)/output.bin\n\n"
		"all: $(O)/network-$(PORT)\n\n"
		"$(O)/kernel.c $(O)/kernel.h $(O)/kernel.json &: network.loop | $(O)\n"
		"\t$(LOOPC) --arch=$(ARCH) $(LOOPCFLAGS) --emit=c=$(O)/kernel.c,h=$(O)/kernel.h --report=$(O)/kernel.json $<\n"
		"$(O)/kernel.o: $(O)/kernel.c\n\t$(CC) $(FLAGS) -c -o $@ $<\n"
		"$(O)/weights.o: %s | $(O)\n\t$(CC) $(FLAGS) -c -o $@ $<\n"
		"$(O)/network-$(PORT): main.c network.h $(O)/kernel.o $(O)/weights.o\n"
		"\t$(CC) $(FLAGS) -o $@ main.c $(O)/kernel.o $(O)/weights.o $(RUNTIME)/$(PORT).c -lm -lpthread\n"
		"$(O):\n\tmkdir -p $@\n\n"
		"run: $(O)/network-$(PORT)\n\t$< $(INPUT) $(OUTPUT)\n"
		"report:\n\t$(LOOPC) --arch=$(ARCH) $(LOOPCFLAGS) --report network.loop | awk -f layers.awk\n"
		"strategies:\n\t$(LOOPC) --arch=$(ARCH) $(LOOPCFLAGS) --explain=strategies network.loop | awk -f layers.awk\n",
		w->vector_inputs ? "#   make check                             the test vector of the model\n" : "",
		w->vector_inputs ? "input.bin" : "input.bin",
		w->project->has_c_weights ? "weights.c" : "weights.S weights.bin");
	if (w->vector_inputs)
		fputs("check: $(O)/network-$(PORT)\n\t$< input.bin $(O)/output.bin expected.bin\n", out);
	fputs("clean:\n\trm -rf $(O)\n\n.PHONY: all run report strategies check clean\n.DELETE_ON_ERROR:\n", out);
}

/* ---- the test vector ---- */

/* All tensors of one kind; NULL if one is missing or another than the model's. */
static struct tensor **take_vector(struct writer *w, const char *what, struct value **values, int count)
{
	struct tensor **tensors = ARENA_ARRAY(w->network->arena, struct tensor *, count + 1);

	for (int v = 0; v < count; v++) {
		if (values[v]->is_input && values[v]->constant)
			continue;
		tensors[v] = model_vector(w->network, what, v, values[v]->name);
		if (!tensors[v] || tensors[v]->type != values[v]->declared ||
		    !shape_equal(&tensors[v]->shape, &values[v]->shape))
			return NULL;
	}
	return tensors;
}

static void write_vector(struct writer *w, const char *name, struct tensor **tensors, int count)
{
	FILE *out = open_file(w, name);

	for (int t = 0; out && t < count; t++)
		if (tensors[t])
			fwrite(tensors[t]->data, (size_t)type_infos[tensors[t]->type].bytes, (size_t)tensors[t]->count, out);
}

/* ---- all ---- */

static void write_depfile(struct writer *w)
{
	FILE *out = !w->project->depfile ? NULL : outputs_open(w->files, w->project->depfile);

	if (out)
		fprintf(out, "%s: %s\n", w->project->depfile_target ? w->project->depfile_target :
			arena_printf(w->network->arena, "%s/network.loop", w->project->directory), w->network->file);
	else if (w->project->depfile)
		w->has_failed = true;
}

void project_write(struct network *network, const struct project *project)
{
	struct writer w = { .network = network, .project = project };

	function_split(network, project->per_block);
	w.inputs = all_inputs(network);
	w.outputs = (struct tensors){ network->outputs, network->output_count };
	print_prepare(network, &w.weights, &w.weight_count);
	place_weights(&w);
	if (network->vector) {
		w.vector_outputs = take_vector(&w, "output", network->outputs, network->output_count);
		if (w.vector_outputs)
			w.vector_inputs = take_vector(&w, "input", network->inputs, network->input_count);
	}
	const bool is_new = !mkdir(project->directory, 0777);
	if (!is_new && errno != EEXIST)
		fail(network, "cannot make directory '%s': %s", project->directory, strerror(errno));
	w.files = outputs_new(network->arena);
	FILE *loops = open_file(&w, "network.loop");
	if (loops)
		print_loops(loops, network);
	write_weights(&w);
	write_header(&w);
	write_main(&w);
	write_makefile(&w);
	FILE *layers = open_file(&w, "layers.awk");
	if (layers)
		print_layers(layers, network);
	if (w.vector_inputs) {
		write_vector(&w, "input.bin", w.vector_inputs, network->input_count);
		write_vector(&w, "expected.bin", w.vector_outputs, network->output_count);
	}
	write_depfile(&w);
	if (!w.has_failed && !outputs_commit(w.files))
		w.has_failed = true;
	outputs_free(w.files);
	if (w.has_failed) {
		if (is_new)
			rmdir(project->directory);
		longjmp(*network->failed, 1);
	}
}

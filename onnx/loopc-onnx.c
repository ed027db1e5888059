/* Reads a network in ONNX's format and writes it as loops. */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "onnx/lower.h"
#include "onnx/model.h"
#include "onnx/place.h"
#include "onnx/print.h"
#include "onnx/project.h"
#include "support/program.h"

static const char help[] =
	"loopc-onnx NETWORK.onnx -o DIR: writes a network as loops for loopc.\n"
	"\n"
	"  -o DIR             directory to write: network.loop, weights, a program and a makefile\n"
	"  -D SYMBOL=SIZE     size of a symbolic dimension; INPUT:AXIS where it has no name\n"
	"  --name=NAME        the function's name; else made of the file's\n"
	"  --constant=INPUT   the input is a constant, of the test vector\n"
	"  --test=DIR         test vector: input_0.pb ..., output_0.pb ...; else test_data_set_0\n"
	"                     beside the model, if it is there\n"
	"  --weights=bin|c    weights as a file that weights.S includes, or as C\n"
	"  --function-per-block\n"
	"                     several functions: from where a tensor goes several ways to\n"
	"                     where these come together; and what is between such blocks\n"
	"  -MD                write a make rule that says what DIR/network.loop depends on\n"
	"  -MF FILE           where; else DIR/network.d.  -MT TARGET: its target\n"
	"  --list-operators   what is supported\n"
	"  --help, --version\n"
	"\n"
	"Then: make -C DIR run INPUT=in.bin OUTPUT=out.bin\n"
	"Status: 0 done, 1 the network cannot be imported, 2 wrong usage, 70 out of memory.\n";

struct arguments {
	const char *file, *name, *vector;
	struct define defines[64];
	int define_count;
	const char *constants[64];
	int constant_count;
	struct project project;
};

static int usage(const char *text, const char *what)
{
	fprintf(stderr, "loopc-onnx: error: %s%s; --help shows all options\n", text, what ? what : "");
	return 2;
}

static int take_define(struct arguments *a, char *text)
{
	char *equals = strrchr(text, '='), *end;
	long long value;

	if (!equals || equals == text || a->define_count == 64)
		return usage("-D wants SYMBOL=SIZE, not ", text);
	errno = 0;
	value = strtoll(equals + 1, &end, 10);
	if (errno || *end || end == equals + 1 || value < 1 || value > ELEMENT_LIMIT)
		return usage("the size is not a number from 1 to 2147483647: -D ", text);
	*equals = 0;
	a->defines[a->define_count++] = (struct define){ text, value, false };
	return 0;
}

/* -MD, -MF FILE and -MT TARGET are taken out before getopt sees them. */
static int take_dependences(int *count, char **arguments, struct arguments *a, bool *wanted)
{
	int kept = 1;

	for (int i = 1; i < *count; i++) {
		const bool is_file = !strcmp(arguments[i], "-MF"), is_target = !strcmp(arguments[i], "-MT");
		if (!strcmp(arguments[i], "-MD")) {
			*wanted = true;
		} else if (is_file || is_target) {
			if (i + 1 == *count)
				return usage("a name is missing after ", arguments[i]);
			*(is_file ? &a->project.depfile : &a->project.depfile_target) = arguments[i + 1];
			i++;
		} else {
			arguments[kept++] = arguments[i];
		}
	}
	*count = kept;
	arguments[kept] = NULL;
	return 0;
}

/* -1: go on. */
static int take_arguments(int count, char **arguments, struct arguments *a)
{
	enum { NAME = 256, CONSTANT, TEST, WEIGHTS, PER_BLOCK, HELP, VERSION, LIST };
	static const struct option options[] = { { "name", 1, NULL, NAME }, { "constant", 1, NULL, CONSTANT },
		{ "test", 1, NULL, TEST }, { "weights", 1, NULL, WEIGHTS }, { "function-per-block", 0, NULL, PER_BLOCK }, { "help", 0, NULL, HELP },
		{ "version", 0, NULL, VERSION }, { "list-operators", 0, NULL, LIST }, { NULL, 0, NULL, 0 } };
	bool wants_depfile = false;
	int option;

	if (take_dependences(&count, arguments, a, &wants_depfile))
		return 2;
	opterr = 0;
	while ((option = getopt_long(count, arguments, ":o:D:", options, NULL)) != -1)
		switch (option) {
		case 'o': a->project.directory = optarg; break;
		case 'D':
			if (take_define(a, optarg))
				return 2;
			break;
		case NAME: a->name = optarg; break;
		case CONSTANT:
			if (a->constant_count == 64)
				return usage("too many constants", NULL);
			a->constants[a->constant_count++] = optarg;
			break;
		case TEST: a->vector = optarg; break;
		case WEIGHTS:
			if (strcmp(optarg, "c") && strcmp(optarg, "bin"))
				return usage("--weights is bin or c, not ", optarg);
			a->project.has_c_weights = !strcmp(optarg, "c");
			break;
		case PER_BLOCK: a->project.per_block = true; break;
		case HELP: fputs(help, stdout); return 0;
		case VERSION: puts("loopc-onnx " PACKAGE_VERSION); return 0;
		case LIST: operator_list(stdout); return 0;
		case ':': return usage("a value is missing after ", arguments[optind - 1]);
		default: return usage("unknown option ", arguments[optind - 1]);
		}
	if (optind + 1 != count)
		return usage(optind == count ? "no network given" : "more than one network", NULL);
	a->file = arguments[optind];
	if (!a->project.directory)
		return usage("where to? -o DIR is missing", NULL);
	if (wants_depfile && !a->project.depfile)
		a->project.depfile = "";
	return -1;
}

static const char *directory_of(struct arena *arena, const char *file)
{
	const char *slash = strrchr(file, '/');

	return !slash ? "." : slash == file ? "/" : arena_strndup(arena, file, (size_t)(slash - file));
}

/* "dir/mobile-net.onnx" is mobile_net; a file that is called model is called after its directory. */
static const char *name_of(struct arena *arena, const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');

	return print_name(arena, arena_strndup(arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base)));
}

/* Inputs of the file that the user wants fixed. */
static void fix_inputs(struct network *network, const struct arguments *a)
{
	for (int c = 0; c < a->constant_count; c++) {
		struct value *value = NULL;
		int number = -1;
		for (int i = 0; i < network->input_count; i++)
			if (!strcmp(network->inputs[i]->name, a->constants[c])) {
				value = network->inputs[i];
				number = i;
			}
		if (!value)
			fail(network, "--constant=%s: no input is called so", a->constants[c]);
		value->constant = model_vector(network, "input", number, value->name);
		if (!value->constant)
			fail(network, "--constant=%s: the test vector has no such input", a->constants[c]);
		if (value->constant->type != value->type || !shape_equal(&value->constant->shape, &value->shape))
			fail(network, "--constant=%s: the test vector has another type or shape", a->constants[c]);
	}
}

static void check_inputs(struct network *network)
{
	for (int i = 0; i < network->input_count; i++)
		if (!network->inputs[i]->constant && !shape_count(&network->inputs[i]->shape))
			fail(network, "input '%.80s' has no elements: fix input '%.80s' by --constant",
				network->inputs[i]->name, network->inputs[i]->name);
}

static void find_integers(struct network *network)
{
	for (int n = 0; n < network->node_count; n++)
		network->is_integer |= !strcmp(network->nodes[n]->operator, "RequantShift");
}

static void import(struct network *network, const struct arguments *a)
{
	struct stat status;
	struct project project = a->project;

	network->vector = a->vector;
	if (!network->vector) {
		const char *beside = arena_printf(network->arena, "%s/test_data_set_0", network->directory);
		if (!stat(beside, &status))
			network->vector = beside;
	}
	if (project.depfile && !*project.depfile)
		project.depfile = arena_printf(network->arena, "%s/network.d", project.directory);
	model_read(network);
	fix_inputs(network, a);
	check_inputs(network);
	find_integers(network);
	place_inputs(network);
	lower_network(network);
	place_network(network);
	project_write(network, &project);
	if (network->float_nodes)
		fprintf(stderr, "loopc-onnx: note: %s: %d computed in floats between integers: %s%s\n", network->file,
			network->float_node_count, network->float_nodes,
			network->float_node_count > FLOAT_NODES_SHOWN ? ", ..." : "");
}

int main(int count, char **arguments)
{
	struct arguments a = { 0 };
	jmp_buf failed;

	program_name = "loopc-onnx";
	const int status = take_arguments(count, arguments, &a);

	if (status >= 0)
		return status;
	struct arena *arena = arena_new();
	struct network *network = ARENA_NEW(arena, struct network);
	network->arena = arena;
	network->file = a.file;
	network->directory = directory_of(arena, a.file);
	network->name = a.name ? print_name(arena, a.name) : name_of(arena, a.file);
	network->defines = a.defines;
	network->define_count = a.define_count;
	network->last_refusal = &network->refusals;
	network->failed = &failed;
	const bool has_failed = setjmp(failed) != 0;
	if (!has_failed)
		import(network, &a);
	arena_free(arena);
	return has_failed ? 1 : 0;
}

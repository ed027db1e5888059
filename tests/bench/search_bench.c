/* What the search reaches, layer by layer: traffic beside what is known to be
 * reachable, lower bound, work and time.  `make bench` runs it; the README shows it.
 *
 *     search_bench [-j N] [LAYER [MACHINE]]        parts of names */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/optimality/convolution.h"

struct row {
	const char *layer;
	struct convolution sizes;
	long stride;
	const char *machine;
	long known_bytes;            /* reachable, as published or found elsewhere; within 0.2 % */
};

static const struct row rows[] = {
	{ "alexnet_conv1", { 4, 96, 3, 55, 55, 11, 11 }, 4, "eyeriss108k", 3629592 },
	{ "alexnet_conv1", { 4, 96, 3, 55, 55, 11, 11 }, 4, "unified108k", 3629592 },
	{ "alexnet_conv2", { 4, 256, 48, 27, 27, 5, 5 }, 1, "eyeriss108k", 4283616 },
	{ "alexnet_conv2", { 4, 256, 48, 27, 27, 5, 5 }, 1, "unified108k", 4276416 },
	{ "alexnet_conv3", { 4, 384, 256, 13, 13, 3, 3 }, 1, "eyeriss108k", 4972440 },
	{ "alexnet_conv3", { 4, 384, 256, 13, 13, 3, 3 }, 1, "unified108k", 4578240 },
	{ "alexnet_conv4", { 4, 384, 192, 13, 13, 3, 3 }, 1, "eyeriss108k", 3838872 },
	{ "alexnet_conv4", { 4, 384, 192, 13, 13, 3, 3 }, 1, "unified108k", 3559872 },
	{ "alexnet_conv5", { 4, 256, 192, 13, 13, 3, 3 }, 1, "eyeriss108k", 2564648 },
	{ "alexnet_conv5", { 4, 256, 192, 13, 13, 3, 3 }, 1, "unified108k", 2548448 },
	{ "vgg16_conv1_1", { 3, 64, 3, 224, 224, 3, 3 }, 1, "eyeriss108k", 20190408 },
	{ "vgg16_conv1_1", { 3, 64, 3, 224, 224, 3, 3 }, 1, "unified108k", 20190408 },
	{ "vgg16_conv1_1", { 3, 64, 3, 224, 224, 3, 3 }, 1, "eff173k", 20190408 },
	{ "vgg16_conv1_2", { 3, 64, 64, 224, 224, 3, 3 }, 1, "eyeriss108k", 39301632 },
	{ "vgg16_conv1_2", { 3, 64, 64, 224, 224, 3, 3 }, 1, "unified108k", 39301632 },
	{ "vgg16_conv1_2", { 3, 64, 64, 224, 224, 3, 3 }, 1, "eff173k", 38954496 },
	{ "vgg16_conv2_1", { 3, 128, 64, 112, 112, 3, 3 }, 1, "eyeriss108k", 19929723 },
	{ "vgg16_conv2_1", { 3, 128, 64, 112, 112, 3, 3 }, 1, "unified108k", 19929723 },
	{ "vgg16_conv2_1", { 3, 128, 64, 112, 112, 3, 3 }, 1, "eff173k", 14859264 },
	{ "vgg16_conv2_2", { 3, 128, 128, 112, 112, 3, 3 }, 1, "eyeriss108k", 45572736 },
	{ "vgg16_conv2_2", { 3, 128, 128, 112, 112, 3, 3 }, 1, "unified108k", 45118260 },
	{ "vgg16_conv2_2", { 3, 128, 128, 112, 112, 3, 3 }, 1, "eff173k", 30933367 },
	{ "vgg16_conv3_1", { 3, 256, 128, 56, 56, 3, 3 }, 1, "eyeriss108k", 22786368 },
	{ "vgg16_conv3_1", { 3, 256, 128, 56, 56, 3, 3 }, 1, "unified108k", 22593768 },
	{ "vgg16_conv3_1", { 3, 256, 128, 56, 56, 3, 3 }, 1, "eff173k", 16073417 },
	{ "vgg16_conv3_2", { 3, 256, 256, 56, 56, 3, 3 }, 1, "eyeriss108k", 40923456 },
	{ "vgg16_conv3_2", { 3, 256, 256, 56, 56, 3, 3 }, 1, "unified108k", 40730856 },
	{ "vgg16_conv3_2", { 3, 256, 256, 56, 56, 3, 3 }, 1, "eff173k", 34189200 },
	{ "vgg16_conv4_1", { 3, 512, 256, 28, 28, 3, 3 }, 1, "eyeriss108k", 20463024 },
	{ "vgg16_conv4_1", { 3, 512, 256, 28, 28, 3, 3 }, 1, "unified108k", 20355000 },
	{ "vgg16_conv4_1", { 3, 512, 256, 28, 28, 3, 3 }, 1, "eff173k", 16265050 },
	{ "vgg16_conv4_2", { 3, 512, 512, 28, 28, 3, 3 }, 1, "eyeriss108k", 38600112 },
	{ "vgg16_conv4_2", { 3, 512, 512, 28, 28, 3, 3 }, 1, "unified108k", 38492088 },
	{ "vgg16_conv4_2", { 3, 512, 512, 28, 28, 3, 3 }, 1, "eff173k", 30254938 },
	{ "vgg16_conv5", { 3, 512, 512, 14, 14, 3, 3 }, 1, "eyeriss108k", 10023936 },
	{ "vgg16_conv5", { 3, 512, 512, 14, 14, 3, 3 }, 1, "unified108k", 10000896 },
	{ "vgg16_conv5", { 3, 512, 512, 14, 14, 3, 3 }, 1, "eff173k", 8401920 },
};

/* Layers that their network has more than once. */
static const struct {
	const char *layer;
	int times;
} repeated[] = {
	{ "vgg16_conv3_2", 2 }, { "vgg16_conv4_2", 2 }, { "vgg16_conv5", 3 },
};

/* Nests whose arrays are indexed by single loops, in Einstein's notation, the result
 * first; extents in the order in which the letters appear. */
struct contraction {
	const char *name, *arrays;
	long extents[MODEL_LOOPS];
};

static const struct contraction contractions[] = {
	{ "product 100", "ij,ik,kj", { 100, 100, 100 } },
	{ "product 1000", "ij,ik,kj", { 1000, 1000, 1000 } },
	{ "product 10000", "ij,ik,kj", { 10000, 10000, 10000 } },
	{ "product 100000", "ij,ik,kj", { 100000, 100000, 100000 } },
	{ "product of primes", "ij,ik,kj", { 99991, 1009, 10007 } },
	{ "thin product", "ij,ik,kj", { 100000, 16, 100000 } },
	{ "matrix by vector", "i,ij,j", { 100000, 100000 } },
	{ "batched product", "bij,bik,bkj", { 64, 512, 512, 64 } },
	{ "tensor by matrix", "abd,abc,cd", { 312, 312, 312, 312 } },
	{ "MTTKRP", "ia,ijk,ja,ka", { 500, 64, 500, 500 } },
	{ "MTTKRP, order 4", "ia,ijkl,ja,ka,la", { 100, 64, 100, 100, 100 } },
	{ "attention scores", "bhij,bhid,bhjd", { 8, 16, 1024, 1024, 64 } },
	{ "contraction of 6", "abcd,aebf,fdec", { 48, 48, 48, 48, 48, 48 } },
	{ "contraction of 7", "abcdef,gdab,efgc", { 24, 24, 24, 24, 24, 24, 24 } },
	{ "Tucker core", "abcd,ai,bj,ck,dl,ijkl", { 30, 30, 30, 30, 30, 30, 30, 30 } },
	{ "contraction of 9", "abcdef,aghbi,cdgefhi", { 16, 16, 16, 16, 16, 16, 16, 16, 16 } },
};

/* Other layers, on unified108k. */
static const struct row layers[] = {
	{ "resnet_conv1", { 1, 64, 3, 112, 112, 7, 7 }, 2, "unified108k", 0 },
	{ "resnet_conv2", { 1, 64, 64, 56, 56, 3, 3 }, 1, "unified108k", 0 },
	{ "resnet_conv3", { 1, 128, 64, 28, 28, 3, 3 }, 2, "unified108k", 0 },
	{ "resnet_conv4", { 1, 256, 256, 14, 14, 3, 3 }, 1, "unified108k", 0 },
	{ "resnet_short", { 1, 512, 256, 7, 7, 1, 1 }, 2, "unified108k", 0 },
	{ "large_batch", { 64, 256, 128, 28, 28, 3, 3 }, 1, "unified108k", 0 },
	{ "large_image", { 1, 32, 16, 1080, 1920, 5, 5 }, 1, "unified108k", 0 },
};

static void contraction_model(struct nest_model *model, const struct contraction *spec,
	int element_bytes)
{
	static char letters[MODEL_LOOPS][2];
	struct model_array *array = &model->arrays[0];

	memset(model, 0, sizeof *model);
	model->array_count = 1;
	array->is_written = array->is_created = true;
	array->name = "result";
	for (const char *at = spec->arrays; *at != '\0'; at++) {
		int loop = 0;

		array->element_bytes = element_bytes;
		if (*at == ',') {
			array = &model->arrays[model->array_count++];
			array->is_read = true;
			array->name = "operand";
			continue;
		}
		while (loop < model->loop_count && letters[loop][0] != *at)
			loop++;
		if (loop == model->loop_count) {
			letters[loop][0] = *at;
			model->loops[loop].name = letters[loop];
			model->loops[loop].extent = spec->extents[loop];
			model->loop_count++;
		}
		array->dims[array->rank].window = 1;
		array->dims[array->rank++].coefficient[loop] = 1;
	}
}

static const struct arch machines[] = {
	{ .name = "eyeriss108k", .scratchpad_bytes = 110592, .banks = 27, .exclusive = true,
		.align_bytes = 2 },
	{ .name = "unified108k", .scratchpad_bytes = 110592, .banks = 1, .align_bytes = 2 },
	{ .name = "eff173k", .scratchpad_bytes = 177664, .banks = 1, .align_bytes = 2 },
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void print_schedule(const struct nest_model *model, const struct schedule *schedule)
{
	printf("    ");
	for (int i = 0; i < schedule->depth; i++)
		printf(" %s:%ld%s", model->loops[schedule->order[i]].name,
			schedule->tile[schedule->order[i]],
			schedule->is_serpentine[schedule->order[i]] ? "~" : "");
	for (int a = 0; a < model->array_count; a++) {
		const struct storage *storage = &schedule->storage[a];

		printf("; %s in %s", model->arrays[a].name, storage->store == 0 ? "all" :
			model->loops[schedule->order[storage->store - 1]].name);
		if (storage->slots > 1)
			printf(" x%ld", storage->slots);
		printf("%s %ld B", storage->is_sliding ? " sliding" : "", storage->bytes);
	}
	printf("\n");
}

static const struct arch *find_machine(const char *name)
{
	for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
		if (strcmp(machines[m].name, name) == 0)
			return &machines[m];
	return NULL;
}

static int compare_seconds(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return a < b ? -1 : a > b;
}

struct table {
	struct search_options options;
	const char *name, *machine;  /* parts of names; NULL: all */
	double seconds[128];
	int count, missed, open;
};

static void print_head(const char *title)
{
	printf("\n%-18s %-12s %14s %14s %7s %14s %6s %9s %8s\n", title, "machine", "bytes",
		"known", "ratio", "lower bound", "proof", "points", "CPU s");
}

/* Searches one nest and prints its row; returns the bytes moved, 0 of one that is not asked for. */
static long run(struct table *table, const char *name, const struct nest_model *model,
	const char *machine, long known_bytes)
{
	const struct arch *arch = find_machine(machine);
	struct schedule best;
	struct proof proof;
	const char *argument;
	double start = seconds();

	if ((table->name != NULL && strstr(name, table->name) == NULL) ||
		(table->machine != NULL && strstr(machine, table->machine) == NULL))
		return 0;
	if (!search_schedule(model, arch, &table->options, &best, &proof)) {
		printf("%-18s nothing fits; %ld would do\n", name, proof.smallest);
		exit(1);
	}
	table->seconds[table->count] = seconds() - start;
	printf("%-18s %-12s %14ld ", name, machine, best.total_bytes);
	if (known_bytes > 0)
		printf("%14ld %7.4f ", known_bytes, (double)best.total_bytes / (double)known_bytes);
	else
		printf("%14s %7s ", "", "");
	printf("%14ld %6s %9ld %8.3f\n", model_lower_bound(model, arch->scratchpad_bytes,
		&argument), proof.is_optimal ? "yes" : "no", proof.points,
		table->seconds[table->count]);
	if (table->name != NULL)
		print_schedule(model, &best);
	fflush(stdout);
	table->missed += known_bytes > 0 && (double)best.total_bytes > 1.002 * (double)known_bytes;
	table->open += !proof.is_optimal;
	table->count++;
	return best.total_bytes;
}

static int times_of(const char *layer)
{
	for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++)
		if (strcmp(repeated[i].layer, layer) == 0)
			return repeated[i].times;
	return 1;
}

static bool is_row_of(const struct row *row, const char *network, const char *machine)
{
	return strncmp(row->layer, network, strlen(network)) == 0 &&
		strcmp(row->machine, machine) == 0;
}

/* All layers of NETWORK, whose names begin with it, on MACHINE; NULL: of all on all.  BORDER rows
 * and columns of zeros around the inputs cost nothing.  BYTES: what each row moves. */
static void run_rows(struct table *table, const char *network, const char *machine, long border,
	long *bytes)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct nest_model model;

		bytes[i] = 0;
		if (network != NULL && !is_row_of(&rows[i], network, machine))
			continue;
		convolution_model(&model, &rows[i].sizes, rows[i].stride, 2);
		if (border > 0)
			convolution_pad(&model, border);
		bytes[i] = run(table, rows[i].layer, &model, rows[i].machine,
			border > 0 ? 0 : rows[i].known_bytes);
	}
}

/* What the layers of NETWORK move on MACHINE, as often as it has them. */
static void print_network(const char *network, const char *machine, const char *note,
	const long *bytes)
{
	double sum = 0;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (is_row_of(&rows[i], network, machine))
			sum += times_of(rows[i].layer) * (double)bytes[i];
	if (sum > 0)
		printf("%s on %s, all layers%s: %.2f MiB\n", network, machine, note, sum / 1048576);
}

static void print_sum(struct table *table)
{
	struct rusage usage;

	if (table->count > 0) {
		qsort(table->seconds, (size_t)table->count, sizeof *table->seconds, compare_seconds);
		getrusage(RUSAGE_SELF, &usage);
		printf("%d rows: %d above what is known, %d without proof; CPU seconds: median %.3f, "
			"worst %.3f; at most %ld KB\n", table->count, table->missed, table->open,
			table->seconds[table->count / 2], table->seconds[table->count - 1],
			usage.ru_maxrss);
	}
	table->count = table->missed = table->open = 0;
}

int main(int argc, char **argv)
{
	struct table table = { .count = 0 };
	long bytes[sizeof rows / sizeof *rows];
	struct nest_model model;
	int first = 1;

	search_options_init(&table.options);
	if (argc > 2 && strcmp(argv[1], "-j") == 0) {
		table.options.threads = atoi(argv[2]);
		first = 3;
	}
	table.name = argc > first ? argv[first] : NULL;
	table.machine = argc > first + 1 ? argv[first + 1] : NULL;
	print_head("layer");
	run_rows(&table, NULL, NULL, 0, bytes);
	print_network("alexnet", "eyeriss108k", "", bytes);
	print_network("alexnet", "unified108k", "", bytes);
	print_network("vgg16", "eyeriss108k", "", bytes);
	print_network("vgg16", "unified108k", "", bytes);
	print_network("vgg16", "eff173k", "", bytes);
	print_sum(&table);
	print_head("border of zeros");
	run_rows(&table, "vgg16", "eff173k", 1, bytes);
	print_network("vgg16", "eff173k", ", borders free", bytes);
	print_sum(&table);
	print_head("other layers");
	for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
		convolution_model(&model, &layers[i].sizes, layers[i].stride, 2);
		run(&table, layers[i].layer, &model, layers[i].machine, layers[i].known_bytes);
	}
	print_sum(&table);
	print_head("other nests");
	for (size_t i = 0; i < sizeof contractions / sizeof *contractions; i++) {
		contraction_model(&model, &contractions[i], 2);
		run(&table, contractions[i].name, &model, "unified108k", 0);
	}
	print_sum(&table);
	return 0;
}

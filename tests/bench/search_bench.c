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

int main(int argc, char **argv)
{
	struct search_options options;
	double times[sizeof rows / sizeof *rows];
	int count = 0, first = 1, missed = 0, open = 0;
	struct rusage usage;

	search_options_init(&options);
	if (argc > 2 && strcmp(argv[1], "-j") == 0) {
		options.threads = atoi(argv[2]);
		first = 3;
	}
	printf("%-14s %-12s %10s %10s %7s %10s %6s %9s %8s\n", "layer", "machine", "bytes",
		"known", "ratio", "bound", "proof", "points", "CPU s");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *row = &rows[i];
		const struct arch *arch = find_machine(row->machine);
		struct nest_model model;
		struct schedule best;
		const char *argument;
		long smallest;
		double start = seconds();

		if ((argc > first && strstr(row->layer, argv[first]) == NULL) ||
			(argc > first + 1 && strstr(row->machine, argv[first + 1]) == NULL))
			continue;
		convolution_model(&model, &row->sizes, row->stride, 2);
		if (!search_schedule(&model, arch, &options, &best, &smallest)) {
			printf("%s: nothing fits; %ld would do\n", row->layer, smallest);
			return 1;
		}
		times[count] = seconds() - start;
		printf("%-14s %-12s %10ld %10ld %7.4f %10ld %6s %9ld %8.3f\n", row->layer,
			row->machine, best.total_bytes, row->known_bytes,
			(double)best.total_bytes / (double)row->known_bytes,
			model_lower_bound(&model, arch->scratchpad_bytes, &argument),
			best.is_optimal ? "yes" : "no", best.points, times[count]);
		if (argc > first)
			print_schedule(&model, &best);
		fflush(stdout);
		missed += (double)best.total_bytes > 1.002 * (double)row->known_bytes;
		open += !best.is_optimal;
		count++;
	}
	if (count == 0)
		return 1;
	qsort(times, (size_t)count, sizeof *times, compare_seconds);
	getrusage(RUSAGE_SELF, &usage);
	printf("%d rows: %d above what is known, %d without proof; CPU seconds: median %.3f, "
		"worst %.3f; %ld KB\n", count, missed, open, times[count / 2], times[count - 1],
		usage.ru_maxrss);
	return 0;
}

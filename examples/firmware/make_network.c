/* Makes the network's weights and test images, and what it must answer to them.
 *
 *   make_network data      weights and test images, as C
 *   make_network expected  for each test image its class and the scores
 *
 * The images are patterns of ten kinds with random places, sizes and noise.  The
 * filters and the first fully connected layer are random; the last layer is trained
 * on what they make of other images (a perceptron, its weights averaged over time).
 * The scores are worked out here in a way that has nothing in common with
 * network.loop but the arithmetic. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SIDE = 32, MAPS1 = 16, MAPS2 = 32, HIDDEN = 64, CLASSES = 10,
	CONV1 = SIDE - 2, POOL1 = CONV1 / 2, CONV2 = POOL1 - 2, POOL2 = CONV2 / 2,
	FLAT = MAPS2 * POOL2 * POOL2,
	TRAINING_IMAGES = 400, TEST_IMAGES = 10, ROUNDS = 40
};

static int filters1[MAPS1 * 9], bias1[MAPS1], filters2[MAPS2 * MAPS1 * 9], bias2[MAPS2];
static int weights3[HIDDEN * FLAT], bias3[HIDDEN], weights4[CLASSES * HIDDEN], bias4[CLASSES];
static int images[TRAINING_IMAGES][SIDE * SIDE], features[TRAINING_IMAGES][HIDDEN];

static uint32_t random_state = 20251u;

static int random_below(int limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return (int)(random_state >> 8) % limit;
}

static void fill_randomly(int *values, int count, int most)
{
	for (int i = 0; i < count; i++)
		values[i] = random_below(2 * most + 1) - most;
}

/* ------------------------------------------------------------------ images */

struct pattern {
	int kind, period, phase, x, y, radius;
};

static int is_ink(const struct pattern *p, int x, int y)
{
	int dx = abs(x - p->x), dy = abs(y - p->y), distance2 = dx * dx + dy * dy;
	int largest = dx > dy ? dx : dy, r = p->radius;
	switch (p->kind) {
	case 0: return (y + p->phase) % p->period < p->period / 2;
	case 1: return (x + p->phase) % p->period < p->period / 2;
	case 2: return (x + y + p->phase) % p->period < p->period / 2;
	case 3: return (x - y + SIDE + p->phase) % p->period < p->period / 2;
	case 4: return ((x + p->phase) / (p->period / 2) + (y + p->phase) / (p->period / 2)) % 2;
	case 5: return distance2 < r * r && distance2 >= (r - 2) * (r - 2);
	case 6: return largest < r && largest >= r - 2;
	case 7: return (dx < 2 || dy < 2) && largest < r;
	case 8: return distance2 < r * r;
	default: return abs(dx - dy) < 2 && largest < r;
	}
}

static void draw(int *image, int kind)
{
	struct pattern p;
	p.kind = kind;
	p.period = 6 + random_below(4);
	p.phase = random_below(p.period);
	p.x = 12 + random_below(8);
	p.y = 12 + random_below(8);
	p.radius = 8 + random_below(4);
	for (int i = 0; i < SIDE * SIDE; i++)
		image[i] = (is_ink(&p, i % SIDE, i / SIDE) ? 80 : 10) + random_below(31) - 15;
}

/* ------------------------------------------------------------------ the network */

static int activation(int64_t sum, int scale)
{
	return sum < 0 ? 0 : sum / scale > 127 ? 127 : (int)(sum / scale);
}

/* Convolution by scattering: each input is added to all sums it is part of.  Then the
 * activation and the largest of each two by two. */
static void convolve_and_pool(const int *in, int maps_in, int side_in, const int *filters,
	const int *bias, int maps_out, int scale, int *out)
{
	int side = side_in - 2, half = side / 2;
	int64_t *sums = calloc((size_t)(maps_out * side * side), sizeof *sums);
	if (!sums)
		exit(1);
	for (int c = 0; c < maps_in; c++)
		for (int i = 0; i < side_in * side_in; i++)
			for (int k = 0; k < maps_out; k++)
				for (int tap = 0; tap < 9; tap++) {
					int y = i / side_in - tap / 3, x = i % side_in - tap % 3;
					if (y >= 0 && y < side && x >= 0 && x < side)
						sums[(k * side + y) * side + x] +=
							in[c * side_in * side_in + i] * filters[(k * maps_in + c) * 9 + tap];
				}
	memset(out, 0, sizeof *out * (size_t)(maps_out * half * half));
	for (int k = 0; k < maps_out; k++)
		for (int y = 0; y < 2 * half; y++)
			for (int x = 0; x < 2 * half; x++) {
				int value = activation(bias[k] + sums[(k * side + y) * side + x], scale);
				int *best = &out[(k * half + y / 2) * half + x / 2];
				*best = value > *best ? value : *best;
			}
	free(sums);
}

static int64_t dot(const int *a, const int *b, int count)
{
	int64_t sum = 0;
	while (count-- > 0)
		sum += *a++ * *b++;
	return sum;
}

static void hidden_features(const int *image, int *hidden)
{
	static int maps1[MAPS1 * POOL1 * POOL1], maps2[FLAT];
	convolve_and_pool(image, 1, SIDE, filters1, bias1, MAPS1, 64, maps1);
	convolve_and_pool(maps1, MAPS1, POOL1, filters2, bias2, MAPS2, 128, maps2);
	for (int h = 0; h < HIDDEN; h++)
		hidden[h] = activation(bias3[h] + dot(maps2, &weights3[h * FLAT], FLAT), 512);
}

static int best_class(const int64_t *scores)
{
	int best = 0;
	for (int n = 1; n < CLASSES; n++)
		if (scores[n] > scores[best])
			best = n;
	return best;
}

/* ------------------------------------------------------------------ training */

static int64_t current[CLASSES][HIDDEN + 1], averaged[CLASSES][HIDDEN + 1];

static void learn(const int *hidden, int label)
{
	int64_t scores[CLASSES];
	int answer;
	for (int n = 0; n < CLASSES; n++) {
		scores[n] = 64 * current[n][HIDDEN];
		for (int h = 0; h < HIDDEN; h++)
			scores[n] += current[n][h] * hidden[h];
	}
	answer = best_class(scores);
	if (answer != label) {
		for (int h = 0; h < HIDDEN; h++) {
			current[label][h] += hidden[h];
			current[answer][h] -= hidden[h];
		}
		current[label][HIDDEN] += 64;
		current[answer][HIDDEN] -= 64;
	}
	for (int n = 0; n < CLASSES; n++)
		for (int h = 0; h <= HIDDEN; h++)
			averaged[n][h] += current[n][h];
}

static void train(void)
{
	int64_t largest = 1;
	for (int i = 0; i < TRAINING_IMAGES; i++) {
		draw(images[i], i % CLASSES);
		hidden_features(images[i], features[i]);
	}
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < TRAINING_IMAGES; i++)
			learn(features[i], i % CLASSES);
	for (int n = 0; n < CLASSES; n++)
		for (int h = 0; h < HIDDEN; h++)
			if (llabs(averaged[n][h]) > largest)
				largest = llabs(averaged[n][h]);
	for (int n = 0; n < CLASSES; n++) {
		bias4[n] = (int)(averaged[n][HIDDEN] * 64 * 127 / largest);
		for (int h = 0; h < HIDDEN; h++)
			weights4[n * HIDDEN + h] = (int)(averaged[n][h] * 127 / largest);
	}
}

/* ------------------------------------------------------------------ output */

static void print_array(const char *type, const char *name, const char *extents, const int *values,
	int count)
{
	printf("static %s %s%s EXTERNAL = {", type, name, extents);
	for (int i = 0; i < count; i++)
		printf("%s%d,", i % 24 ? " " : "\n\t", values[i]);
	printf("\n};\n\n");
}

static void print_data(void)
{
	puts("/* Made by make_network.c. */\n");
	print_array("int8_t", "images", "[]", images[0], TEST_IMAGES * SIDE * SIDE);
	print_array("int8_t", "filters1", "[]", filters1, MAPS1 * 9);
	print_array("int32_t", "bias1", "[]", bias1, MAPS1);
	print_array("int8_t", "filters2", "[]", filters2, MAPS2 * MAPS1 * 9);
	print_array("int32_t", "bias2", "[]", bias2, MAPS2);
	print_array("int8_t", "weights3", "[]", weights3, HIDDEN * FLAT);
	print_array("int32_t", "bias3", "[]", bias3, HIDDEN);
	print_array("int8_t", "weights4", "[]", weights4, CLASSES * HIDDEN);
	print_array("int32_t", "bias4", "[]", bias4, CLASSES);
}

static void print_expected(void)
{
	for (int i = 0; i < TEST_IMAGES; i++) {
		int64_t scores[CLASSES];
		int hidden[HIDDEN];
		hidden_features(images[i], hidden);
		for (int n = 0; n < CLASSES; n++)
			scores[n] = bias4[n] + dot(hidden, &weights4[n * HIDDEN], HIDDEN);
		printf("%d", best_class(scores));
		for (int n = 0; n < CLASSES; n++)
			printf(" %d", (int)scores[n]);
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	fill_randomly(filters1, MAPS1 * 9, 20);
	fill_randomly(bias1, MAPS1, 1000);
	fill_randomly(filters2, MAPS2 * MAPS1 * 9, 20);
	fill_randomly(bias2, MAPS2, 2000);
	fill_randomly(weights3, HIDDEN * FLAT, 20);
	fill_randomly(bias3, HIDDEN, 2000);
	train();
	for (int i = 0; i < TEST_IMAGES; i++)
		draw(images[i], i);
	if (argc == 2 && strcmp(argv[1], "data") == 0)
		print_data();
	else if (argc == 2 && strcmp(argv[1], "expected") == 0)
		print_expected();
	else
		return 2;
	return fflush(stdout) != 0;
}

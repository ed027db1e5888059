/* The part of a verification program that is the same for every kernel.  loopc
 * --verify writes it beside the program's own part, which describes the functions,
 * their arrays and the machine; verify_function runs one function as the source has
 * it and as loopc tiled it, and says on standard output what it found:
 *
 *     phase FUNCTION reference|tiled
 *     undefined FUNCTION LINE WHAT          (whatever the data; nothing is run)
 *     traffic FUNCTION ARRAY READ_BYTES WRITTEN_BYTES
 *     differ FUNCTION ARRAY COUNT INDEX EXPECTED GOT
 *     rounded FUNCTION ARRAY LARGEST_DIFFERENCE BOUND_THERE UNKNOWN
 *     exact FUNCTION IS_FOUND               (1: a run without any rounding was compared too)
 *     unordered FUNCTION ARRAY COUNT        (results that are no numbers)
 *     formula FUNCTION ARRAY NEST READ_BYTES WRITTEN_BYTES
 *     nest FUNCTION ARRAY NEST READ_BYTES WRITTEN_BYTES
 *     work FUNCTION NEST MACS COMMANDS
 *     time FUNCTION NEST CYCLES COMPUTING WAITING BUS    (on a machine with a clock)
 *     violations FUNCTION COUNT
 *     done FUNCTION
 */

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loopc_checked.h"
#include "loopc_timeline.h"
#include "verify_shadow.h"

enum verify_kind {
	VERIFY_INT8, VERIFY_UINT8, VERIFY_INT16, VERIFY_UINT16, VERIFY_INT32, VERIFY_UINT32,
	VERIFY_INT64, VERIFY_UINT64, VERIFY_FLOAT, VERIFY_DOUBLE, VERIFY_BOOL
};

/* An array parameter.  square: extent of its last two dimensions where they are
 * equal, else 0.  is_inexact: sums of floats that may be done in another order reach it.
 * What the user gives: a file that holds the elements, or a range of them. */
struct verify_array {
	const char *name;
	enum verify_kind kind;
	size_t element_bytes, elements, square;
	int is_writable, is_inexact;
	const char *file;
	int has_range;
	double least, most;
};

/* A local array that lives in the workspace. */
struct verify_local {
	const char *name;
	size_t offset, bytes;
};

struct verify_function {
	const char *name;
	const struct verify_array *arrays;
	int array_count;
	const struct verify_local *locals;
	int local_count;
	size_t workspace_bytes;
	int is_risky;                /* data may make something undefined */
	void (*reference)(void *const *arrays);
	void (*tiled)(void *const *arrays, void *workspace);
	/* NULL: there is nothing to ask it */
	void (*shadow)(void *const *arrays, struct verify_error *const *errors, const long *sizes);
	const long *sizes;
	/* Of several memories on chip, from the first on, what it uses; 0: there is one. */
	int memory_count;
	const size_t *memory_bytes;
};

/* What data a run gets.  integers: 0, wide ones, or from 1 to that many.  whole: 0, or floats
 * are whole numbers up to that, none 0, so that sums may be without any rounding. */
struct verify_data {
	int is_positive, integers;
	double whole;
};

enum { VERIFY_ARRAYS_LIMIT = 4096 };

static uint64_t verify_hash(uint64_t x)
{
	x += UINT64_C(0x9E3779B97F4A7C15);
	x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
	return x ^ (x >> 31);
}

static int verify_is_float(const struct verify_array *array)
{
	return array->kind == VERIFY_FLOAT || array->kind == VERIFY_DOUBLE;
}

/* A whole number between LEAST and MOST at random, but for 0. */
static double verify_whole(uint64_t random, double least, double most)
{
	uint64_t count = (uint64_t)(most - least) + 1;
	double value = least + (double)(random % count);
	return value == 0 && count > 1 ? (random >> 40 & 1 && most > 0) || least == 0 ? 1 : -1 : value;
}

/* A number of the range that the user gave. */
static double verify_ranged(const struct verify_array *array, uint64_t random, double whole)
{
	double unit = (double)(random >> 11) / 9007199254740992.0;
	double least = ceil(array->least), most = floor(array->most);
	int is_float = array->kind == VERIFY_FLOAT || array->kind == VERIFY_DOUBLE;
	if (is_float && whole > 0 && least < -whole)
		least = -whole < most ? -whole : most;
	if (is_float && whole > 0 && most > whole)
		most = whole > least ? whole : least;
	if ((!is_float || whole > 0) && least <= most && most - least < 9e15)
		return is_float ? verify_whole(random, least, most) :
			least + (double)(random % ((uint64_t)(most - least) + 1));
	return array->least + unit * (array->most - array->least);
}

/* Floats are in (-1, 1), or in (1/4, 5/4) where such results were no numbers.  The
 * diagonal of a square matrix is made large, so that factorisations are stable. */
static double verify_float(const struct verify_array *array, size_t index, uint64_t random,
	const struct verify_data *data)
{
	double unit = (double)(random >> 11) / 9007199254740992.0;
	double value = data->is_positive ? 0.25 + unit : 2 * unit - 1;
	if (array->has_range)
		return verify_ranged(array, random, data->whole);
	if (data->whole > 0)
		return verify_whole(random, data->is_positive ? 1 : -data->whole, data->whole);
	if (array->square && index / array->square % array->square == index % array->square)
		value = (double)array->square + 1 + unit;
	return value;
}

static int64_t verify_integer(const struct verify_array *array, uint64_t random, int integers)
{
	int is_signed = array->kind == VERIFY_INT8 || array->kind == VERIFY_INT16 ||
		array->kind == VERIFY_INT32 || array->kind == VERIFY_INT64;
	if (array->has_range)
		return (int64_t)verify_ranged(array, random, 0);
	if (array->kind == VERIFY_BOOL)
		return (int64_t)(random & 1);
	if (integers)
		return 1 + (int64_t)(random % (uint64_t)integers);
	if (array->element_bytes == 1)
		return (int64_t)(random & 255) - (is_signed ? 128 : 0);
	return (int64_t)(random & 2047) - (is_signed ? 1024 : 0);
}

static void verify_store(const struct verify_array *array, void *data, size_t i, int64_t value)
{
	switch (array->element_bytes) {
	case 1: ((uint8_t *)data)[i] = (uint8_t)value; break;
	case 2: ((uint16_t *)data)[i] = (uint16_t)value; break;
	case 4: ((uint32_t *)data)[i] = (uint32_t)value; break;
	default: ((uint64_t *)data)[i] = (uint64_t)value;
	}
}

/* The user's file: the elements as the machine has them, no more and no less. */
static void verify_read(const struct verify_array *array, void *data)
{
	FILE *in = fopen(array->file, "rb");
	if (!in || fread(data, array->element_bytes, array->elements, in) != array->elements ||
		getc(in) != EOF) {
		fprintf(stderr, "'%s' does not hold the %zu bytes of '%s'\n", array->file,
			array->elements * array->element_bytes, array->name);
		exit(3);
	}
	fclose(in);
}

/* The same data for the same array each time. */
static void verify_fill(const struct verify_function *function, int a, void *data,
	const struct verify_data *how)
{
	const struct verify_array *array = &function->arrays[a];
	if (array->file) {
		verify_read(array, data);
		return;
	}
	for (size_t i = 0; i < array->elements; i++) {
		uint64_t random = verify_hash(verify_hash((uint64_t)a + 1) ^ (uint64_t)i);
		if (array->kind == VERIFY_FLOAT)
			((float *)data)[i] = (float)verify_float(array, i, random, how);
		else if (array->kind == VERIFY_DOUBLE)
			((double *)data)[i] = verify_float(array, i, random, how);
		else
			verify_store(array, data, i, verify_integer(array, random, how->integers));
	}
}

static double verify_value(const struct verify_array *array, const void *data, size_t i)
{
	switch (array->kind) {
	case VERIFY_INT8: return (double)((const int8_t *)data)[i];
	case VERIFY_UINT8: case VERIFY_BOOL: return (double)((const uint8_t *)data)[i];
	case VERIFY_INT16: return (double)((const int16_t *)data)[i];
	case VERIFY_UINT16: return (double)((const uint16_t *)data)[i];
	case VERIFY_INT32: return (double)((const int32_t *)data)[i];
	case VERIFY_UINT32: return (double)((const uint32_t *)data)[i];
	case VERIFY_INT64: return (double)((const int64_t *)data)[i];
	case VERIFY_UINT64: return (double)((const uint64_t *)data)[i];
	case VERIFY_FLOAT: return (double)((const float *)data)[i];
	default: return ((const double *)data)[i];
	}
}

/* Equal to the bit, but that all zeros and all results that are no numbers are alike. */
static int verify_same(const struct verify_array *array, const void *a, const void *b, size_t i)
{
	size_t at = i * array->element_bytes;
	if (!memcmp((const char *)a + at, (const char *)b + at, array->element_bytes))
		return 1;
	if (!verify_is_float(array))
		return 0;
	double x = verify_value(array, a, i), y = verify_value(array, b, i);
	return x == y || (isnan(x) && isnan(y));
}

static void *verify_allocate(size_t bytes)
{
	void *memory = NULL;
	bytes = (bytes + 63) / 64 * 64 + 64;
	if (posix_memalign(&memory, 64, bytes) != 0) {
		fprintf(stderr, "out of memory: %zu bytes\n", bytes);
		exit(3);
	}
	memset(memory, 0, bytes);
	return memory;
}

static void verify_fill_all(const struct verify_function *function, void **data,
	const struct verify_data *how)
{
	for (int a = 0; a < function->array_count; a++)
		verify_fill(function, a, data[a], how);
}

static size_t verify_count_unordered(const struct verify_array *array, const void *data)
{
	size_t count = 0;
	for (size_t i = 0; verify_is_float(array) && i < array->elements; i++)
		count += !isfinite(verify_value(array, data, i));
	return count;
}

static size_t verify_all_unordered(const struct verify_function *function, void **data)
{
	size_t unordered = 0;
	for (int a = 0; a < function->array_count; a++)
		unordered += verify_count_unordered(&function->arrays[a], data[a]);
	return unordered;
}

/* Runs the shadow code on this data; the errors of inexact arrays are left in ERRORS. */
static void verify_run_shadow(const struct verify_function *function, void **data,
	const struct verify_data *how, struct verify_error **errors)
{
	verify_fill_all(function, data, how);
	verify_undefined.what = NULL;
	function->shadow(data, errors, function->sizes);
}

static void verify_allocate_errors(const struct verify_function *function,
	struct verify_error **errors)
{
	for (int a = 0; a < function->array_count; a++)
		errors[a] = function->arrays[a].is_inexact ? verify_allocate(
			function->arrays[a].elements * sizeof *errors[a]) : NULL;
}

static void verify_free_errors(const struct verify_function *function, struct verify_error **errors)
{
	for (int a = 0; a < function->array_count; a++)
		free(errors[a]);
}

/* Whether nothing that the source does with this data is undefined. */
static int verify_is_defined(const struct verify_function *function, void **data,
	const struct verify_data *how)
{
	struct verify_error *errors[VERIFY_ARRAYS_LIMIT];
	if (!function->is_risky)
		return 1;
	verify_allocate_errors(function, errors);
	verify_run_shadow(function, data, how, errors);
	verify_free_errors(function, errors);
	return !verify_undefined.what;
}

/* Runs the source's function on data for which it is defined and, if it can be, its results
 * are numbers, which else would be equal whatever was computed.  False: there is none. */
static int verify_run_reference(const struct verify_function *function, void **data,
	struct verify_data *how)
{
	static const int integers[] = { 0, 7, 3, 1 };
	struct verify_data best = { -1, 0, 0 };
	for (int c = 0; c < (function->is_risky ? 8 : 2); c++) {
		*how = (struct verify_data){ c % 2, integers[c / 2], 0 };
		if (!verify_is_defined(function, data, how))
			continue;
		verify_fill_all(function, data, how);
		function->reference(data);
		if (!verify_all_unordered(function, data))
			return 1;
		if (best.is_positive < c % 2)
			best = *how;
	}
	if (best.is_positive < 0) {
		printf("undefined %s %d %s\n", function->name, verify_undefined.line,
			verify_undefined.what);
		return 0;
	}
	*how = best;
	verify_fill_all(function, data, how);
	function->reference(data);
	return 1;
}

static void verify_print_traffic(const struct verify_function *function, const char *name)
{
	lrt_counts counts = lrt_checked_counts(name);
	printf("traffic %s %s %llu %llu\n", function->name, name,
		(unsigned long long)counts.read_bytes, (unsigned long long)counts.write_bytes);
}

/* ---- time ---- */

/* The machine's clock, NULL if it has none; and the run's, of which BEGUN is where the nest in hand
 * began. */
static struct {
	const lrt_trace_model *model;
	const lrt_trace_dma *dma;
	double mac_cycles;
	const lrt_trace_pe_array *array;    /* NULL: elements have no time */
	uint64_t macs;                      /* whose time has passed */
	uint64_t most;                      /* of an element in this step */
	lrt_timeline line, begun;
} verify_time;

static void verify_clock(const lrt_trace_model *model, const lrt_trace_dma *dma, double mac_cycles,
	const lrt_trace_pe_array *array)
{
	verify_time.array = array;
	verify_time.model = model;
	verify_time.dma = dma;
	verify_time.mac_cycles = mac_cycles;
}

static void verify_begin_time(void)
{
	if (!verify_time.model)
		return;
	lrt_timeline_begin(&verify_time.line, verify_time.model);
	verify_time.line.dma = *verify_time.dma;
	if (verify_time.array)
		verify_time.line.elements.array = *verify_time.array;
	verify_time.begun = verify_time.line;
	verify_time.macs = lrt_checked_macs;
}

/* The core has done the multiply-accumulates since the last call of the runtime, and what elements did is done. */
static void verify_compute(void)
{
	lrt_timeline_drain(&verify_time.line, 1);
	uint64_t macs = lrt_checked_macs - verify_time.macs;
	verify_time.macs = lrt_checked_macs;
	lrt_timeline_compute(&verify_time.line,
		(uint64_t)ceil((double)macs * verify_time.mac_cycles));
}

static void verify_begin_elements(void)
{
	verify_compute();
	lrt_timeline_begin_nest(&verify_time.line);
}

static void verify_word(unsigned way, unsigned array, unsigned memory, int is_double)
{
	lrt_timeline_word(&verify_time.line, way, array, memory, is_double);
}

static void verify_element(void)
{
	uint64_t macs = lrt_checked_macs - verify_time.macs;
	verify_time.most = macs > verify_time.most ? macs : verify_time.most;
	verify_time.macs = lrt_checked_macs;
}

static void verify_step(void)
{
	verify_element();
	lrt_timeline_step(&verify_time.line, verify_time.most);
	verify_time.most = 0;
}

static void verify_note_command(int is_put, unsigned tag, const lrt_box *box)
{
	verify_compute();
	lrt_timeline_command(&verify_time.line, is_put, tag, box);
}

static void verify_note_wait(uint32_t mask)
{
	verify_compute();
	lrt_timeline_wait(&verify_time.line, mask);
}

/* NEST of the function NAME is done. */
static void verify_print_time(const char *name, int nest)
{
	const lrt_timeline *begun = &verify_time.begun, *now = &verify_time.line;
	if (!verify_time.model)
		return;
	verify_compute();
	if (nest >= 0)
		printf("time %s %d %llu %llu %llu %llu %llu\n", name, nest,
			(unsigned long long)(lrt_timeline_cycles(now) - lrt_timeline_cycles(begun)),
			(unsigned long long)(now->compute_cycles - begun->compute_cycles),
			(unsigned long long)(now->wait_cycles - begun->wait_cycles),
			(unsigned long long)(now->bus_cycles - begun->bus_cycles),
			(unsigned long long)(now->elements.moving - begun->elements.moving));
	verify_time.begun = *now;
}

/* What was counted when the nest in hand began: nest -1, none; function NULL, nothing is told. */
static struct {
	const struct verify_function *function;
	int nest;
	lrt_counts arrays[2 * VERIFY_ARRAYS_LIMIT];
	uint64_t macs;
	uint64_t words[2 * VERIFY_ARRAYS_LIMIT][LRT_WORD_KINDS];
} verify_begun;

/* What the nest in hand moved of array NAME, the A-th; returns its commands. */
static uint64_t verify_print_nest(const char *name, int a)
{
	lrt_counts now = lrt_checked_counts(name), then = verify_begun.arrays[a];
	verify_begun.arrays[a] = now;
	if (verify_begun.nest >= 0 && (now.gets != then.gets || now.puts != then.puts))
		printf("nest %s %s %d %llu %llu\n", verify_begun.function->name, name, verify_begun.nest,
			(unsigned long long)(now.read_bytes - then.read_bytes),
			(unsigned long long)(now.write_bytes - then.write_bytes));
	return now.gets - then.gets + now.puts - then.puts;
}

/* What the nest in hand moved between the scratchpad and processing elements of the function's A-th array. */
static void verify_print_words(unsigned a)
{
	unsigned long long moved[LRT_WORD_KINDS], all = 0;
	for (unsigned k = 0; k < LRT_WORD_KINDS; k++) {
		uint64_t now = lrt_checked_words(a, k);
		all += moved[k] = now - verify_begun.words[a][k];
		verify_begun.words[a][k] = now;
	}
	if (all && verify_begun.nest >= 0)
		printf("words %s %d %u %llu %llu %llu %llu\n", verify_begun.function->name, verify_begun.nest, a,
			moved[0], moved[1], moved[2], moved[3]);
}

/* The nest in hand is done, NEST begins; -1: none does. */
static void verify_nest(int nest)
{
	const struct verify_function *function = verify_begun.function;
	uint64_t commands = 0;
	if (!function)
		return;
	for (int a = 0; a < function->array_count; a++)
		commands += verify_print_nest(function->arrays[a].name, a);
	for (int l = 0; l < function->local_count; l++)
		commands += verify_print_nest(function->locals[l].name, function->array_count + l);
	for (unsigned a = 0; a < 2 * VERIFY_ARRAYS_LIMIT; a++)
		verify_print_words(a);
	if (verify_begun.nest >= 0)
		printf("work %s %d %llu %llu\n", function->name, verify_begun.nest,
			(unsigned long long)(lrt_checked_macs - verify_begun.macs),
			(unsigned long long)commands);
	verify_print_time(function->name, verify_begun.nest);
	verify_begun.macs = lrt_checked_macs;
	verify_begun.nest = nest;
}

/* is_counted: what it moves and computes is told. */
static void verify_run_tiled(const struct verify_function *function, const lrt_limits *limits,
	void **data, int is_counted)
{
	char *workspace = verify_allocate(function->workspace_bytes);
	memset(&verify_begun, 0, sizeof verify_begun);
	verify_begun.function = is_counted ? function : NULL;
	verify_begun.nest = -1;
	lrt_checked_begin(limits);
	for (int m = 1; m < function->memory_count; m++)
		lrt_checked_memory((unsigned)m, function->memory_bytes[m]);
	verify_begin_time();
	for (int a = 0; a < function->array_count; a++)
		lrt_checked_array(function->arrays[a].name, data[a],
			function->arrays[a].elements * function->arrays[a].element_bytes,
			function->arrays[a].is_writable);
	for (int l = 0; l < function->local_count; l++)
		lrt_checked_array(function->locals[l].name, workspace + function->locals[l].offset,
			function->locals[l].bytes, 1);
	function->tiled(data, workspace);
	verify_nest(-1);
	for (int a = 0; a < function->array_count && is_counted; a++)
		verify_print_traffic(function, function->arrays[a].name);
	for (int l = 0; l < function->local_count && is_counted; l++)
		verify_print_traffic(function, function->locals[l].name);
	printf("violations %s %d\n", function->name, lrt_checked_end());
	free(workspace);
}

static size_t verify_count_different(const struct verify_array *array, const void *expected,
	const void *got)
{
	size_t count = 0;
	for (size_t i = 0; i < array->elements; i++)
		count += !verify_same(array, expected, got, i);
	return count;
}

/* Compares an array; where ERRORS says that an element may be off, within that.  Returns how
 * many elements differ. */
static size_t verify_compare(const struct verify_function *function, int a, const void *expected,
	const void *got, const struct verify_error *errors)
{
	const struct verify_array *array = &function->arrays[a];
	double unit = array->kind == VERIFY_FLOAT ? FLT_EPSILON : array->kind == VERIFY_DOUBLE ?
		DBL_EPSILON : 0;
	size_t count = 0, first = 0, unknown = 0, rounded = 0;
	double largest = 0, bound_there = 0;
	for (size_t i = 0; i < array->elements; i++) {
		double value = verify_value(array, expected, i);
		double difference = fabs(value - verify_value(array, got, i));
		double bound = errors ? verify_error_of(&errors[i], value, unit) : 0;
		int is_known = bound < (double)INFINITY;
		unknown += !is_known;
		if (verify_same(array, expected, got, i) || !is_known)
			continue;
		if (!(difference <= bound)) {
			first = count++ ? first : i;
			continue;
		}
		rounded++;
		if (difference > largest) {
			largest = difference;
			bound_there = bound;
		}
	}
	if (rounded || unknown)
		printf("rounded %s %s %.3g %.3g %zu\n", function->name, array->name, largest, bound_there,
			unknown);
	if (count)
		printf("differ %s %s %zu %zu %.17g %.17g\n", function->name, array->name, count, first,
			verify_value(array, expected, first), verify_value(array, got, first));
	size_t unordered = verify_count_unordered(array, expected);
	if (unordered)
		printf("unordered %s %s %zu\n", function->name, array->name, unordered);
	return count;
}

/* Compares all arrays, to the bit unless a sum may be done in another order; then shadow code
 * says how far each element may be off.  OTHER: room for the arrays once more.  True: all are
 * as they should be. */
static int verify_compare_all(const struct verify_function *function, void **expected,
	void **got, void **other, const struct verify_data *how)
{
	struct verify_error *errors[VERIFY_ARRAYS_LIMIT] = { NULL };
	int is_needed = 0;
	size_t count = 0;
	for (int a = 0; a < function->array_count; a++)
		is_needed |= function->arrays[a].is_inexact &&
			verify_count_different(&function->arrays[a], expected[a], got[a]) > 0;
	if (is_needed) {
		verify_allocate_errors(function, errors);
		verify_run_shadow(function, other, how, errors);
	}
	for (int a = 0; a < function->array_count; a++)
		count += verify_compare(function, a, expected[a], got[a], errors[a]);
	verify_free_errors(function, errors);
	return !count;
}

/* ---- runs without any rounding ---- */

#ifdef FE_INEXACT
static const int verify_roundings = FE_INEXACT;
#else
static const int verify_roundings = 0;
#endif

/* Whether the source computes without any rounding on this data. */
static int verify_is_exact(const struct verify_function *function, void **data,
	const struct verify_data *how)
{
	if (!verify_is_defined(function, data, how))
		return 0;
	verify_fill_all(function, data, how);
	feclearexcept(FE_ALL_EXCEPT);
	function->reference(data);
	return !fetestexcept(verify_roundings) && !verify_all_unordered(function, data);
}

/* Both programs on data for which neither rounds anything: whatever the order, all results are
 * equal to the bit then, so that not even the least wrong term can hide.  False: no such data
 * was found.  HOW is that of the run before. */
static int verify_run_exact(const struct verify_function *function, const lrt_limits *limits,
	void **expected, void **got, const struct verify_data *how)
{
	static const double wholes[] = { 1 << 20, 1 << 12, 127, 15, 3, 1 };
	int w = 2;
	struct verify_data exact = *how;
	for (int a = 0; a < function->array_count; a++)
		if (function->arrays[a].is_inexact && function->arrays[a].kind == VERIFY_DOUBLE)
			w = 0;
	exact.whole = 1;
	if (!verify_roundings || !verify_is_exact(function, expected, &exact))
		return 0;
	for (; w < 6; w++) {
		exact.whole = wholes[w];
		if (!verify_is_exact(function, expected, &exact))
			continue;
		verify_fill_all(function, got, &exact);
		feclearexcept(FE_ALL_EXCEPT);
		verify_run_tiled(function, limits, got, 0);
		if (fetestexcept(verify_roundings))
			continue;
		for (int a = 0; a < function->array_count; a++)
			verify_compare(function, a, expected[a], got[a], NULL);
		return 1;
	}
	return 0;
}

static int verify_is_inexact(const struct verify_function *function)
{
	for (int a = 0; a < function->array_count; a++)
		if (function->arrays[a].is_inexact)
			return 1;
	return 0;
}

static void verify_allocate_all(const struct verify_function *function, void **data)
{
	for (int a = 0; a < function->array_count; a++)
		data[a] = verify_allocate(function->arrays[a].elements * function->arrays[a].element_bytes);
}

static void verify_free_all(const struct verify_function *function, void **data)
{
	for (int a = 0; a < function->array_count; a++)
		free(data[a]);
}

static void verify_function(const struct verify_function *function, const lrt_limits *limits)
{
	static void *expected[VERIFY_ARRAYS_LIMIT], *got[VERIFY_ARRAYS_LIMIT],
		*other[VERIFY_ARRAYS_LIMIT];
	struct verify_data how;
	verify_allocate_all(function, expected);
	verify_allocate_all(function, got);
	verify_allocate_all(function, other);
	printf("phase %s reference\n", function->name);
	fflush(stdout);
	if (verify_run_reference(function, expected, &how)) {
		printf("phase %s tiled\n", function->name);
		fflush(stdout);
		verify_fill_all(function, got, &how);
		verify_run_tiled(function, limits, got, 1);
		if (verify_compare_all(function, expected, got, other, &how) &&
			verify_is_inexact(function))
			printf("exact %s %d\n", function->name,
				verify_run_exact(function, limits, expected, got, &how));
	}
	verify_free_all(function, expected);
	verify_free_all(function, got);
	verify_free_all(function, other);
	printf("done %s\n", function->name);
}

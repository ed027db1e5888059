/* The part of a verification program that is the same for every kernel.  loopc
 * --verify writes it beside the program's own part, which describes the functions,
 * their arrays and the machine; verify_function runs one function as the source has
 * it and as loopc tiled it, and says on standard output what it found:
 *
 *     phase FUNCTION reference|tiled
 *     traffic FUNCTION ARRAY READ_BYTES WRITTEN_BYTES
 *     differ FUNCTION ARRAY COUNT INDEX EXPECTED GOT
 *     bound FUNCTION ARRAY BOUND LARGEST_DIFFERENCE
 *     unordered FUNCTION ARRAY COUNT        (results that are no numbers)
 *     formula FUNCTION ARRAY NEST READ_BYTES WRITTEN_BYTES
 *     macs FUNCTION COUNT
 *     violations FUNCTION COUNT
 *     done FUNCTION
 */

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loopc_checked.h"

enum verify_kind {
	VERIFY_INT8, VERIFY_UINT8, VERIFY_INT16, VERIFY_UINT16, VERIFY_INT32, VERIFY_UINT32,
	VERIFY_INT64, VERIFY_UINT64, VERIFY_FLOAT, VERIFY_DOUBLE, VERIFY_BOOL
};

/* An array parameter.  square: extent of its last two dimensions where they are
 * equal, else 0.  is_bounded: sums of floats reach it in another order, so that it
 * is compared within a bound. */
struct verify_array {
	const char *name;
	enum verify_kind kind;
	size_t element_bytes, elements, square;
	int is_writable, is_bounded;
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
	int is_gentle;               /* integers divide or shift: small and positive data */
	void (*reference)(void *const *arrays);
	void (*tiled)(void *const *arrays, void *workspace);
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

/* Floats are in (-1, 1), or in (1/4, 5/4) where such results were no numbers.  The
 * diagonal of a square matrix is made large, so that factorisations are stable. */
static double verify_float(const struct verify_array *array, size_t index, uint64_t random,
	int is_positive)
{
	double unit = (double)(random >> 11) / 9007199254740992.0;
	double value = is_positive ? 0.25 + unit : 2 * unit - 1;
	if (array->square && index / array->square % array->square == index % array->square)
		value = (double)array->square + 1 + unit;
	return value;
}

static int64_t verify_integer(const struct verify_array *array, uint64_t random, int is_gentle)
{
	int is_signed = array->kind == VERIFY_INT8 || array->kind == VERIFY_INT16 ||
		array->kind == VERIFY_INT32 || array->kind == VERIFY_INT64;
	if (array->kind == VERIFY_BOOL)
		return (int64_t)(random & 1);
	if (is_gentle)
		return 1 + (int64_t)(random % 7);
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

/* The same data for the same array each time; is_perturbed moves each float by at
 * most a unit in its last place. */
static void verify_fill(const struct verify_function *function, int a, void *data,
	int is_positive, int is_perturbed)
{
	const struct verify_array *array = &function->arrays[a];
	for (size_t i = 0; i < array->elements; i++) {
		uint64_t random = verify_hash(verify_hash((uint64_t)a + 1) ^ (uint64_t)i);
		double nudge = is_perturbed ? (double)((int)(random & 2) - 1) : 0;
		if (array->kind == VERIFY_FLOAT)
			((float *)data)[i] = (float)verify_float(array, i, random, is_positive) *
				(1 + (float)nudge * FLT_EPSILON);
		else if (array->kind == VERIFY_DOUBLE)
			((double *)data)[i] = verify_float(array, i, random, is_positive) *
				(1 + nudge * DBL_EPSILON);
		else
			verify_store(array, data, i, verify_integer(array, random, function->is_gentle));
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
	int is_positive, int is_perturbed)
{
	for (int a = 0; a < function->array_count; a++)
		verify_fill(function, a, data[a], is_positive, is_perturbed);
}

static size_t verify_count_unordered(const struct verify_array *array, const void *data)
{
	size_t count = 0;
	for (size_t i = 0; verify_is_float(array) && i < array->elements; i++)
		count += !isfinite(verify_value(array, data, i));
	return count;
}

/* Runs the source's function; with other data if it gives results that are no
 * numbers, which would be equal whatever was computed.  Returns whether it did. */
static int verify_run_reference(const struct verify_function *function, void **data)
{
	for (int is_positive = 0; is_positive < 2; is_positive++) {
		size_t unordered = 0;
		verify_fill_all(function, data, is_positive, 0);
		function->reference(data);
		for (int a = 0; a < function->array_count; a++)
			unordered += verify_count_unordered(&function->arrays[a], data[a]);
		if (!unordered || is_positive)
			return is_positive;
	}
	return 0;
}

static void verify_print_traffic(const struct verify_function *function, const char *name)
{
	lrt_counts counts = lrt_checked_counts(name);
	printf("traffic %s %s %llu %llu\n", function->name, name,
		(unsigned long long)counts.read_bytes, (unsigned long long)counts.write_bytes);
}

static void verify_run_tiled(const struct verify_function *function, const lrt_limits *limits,
	void **data)
{
	char *workspace = verify_allocate(function->workspace_bytes);
	lrt_checked_begin(limits);
	for (int a = 0; a < function->array_count; a++)
		lrt_checked_array(function->arrays[a].name, data[a],
			function->arrays[a].elements * function->arrays[a].element_bytes,
			function->arrays[a].is_writable);
	for (int l = 0; l < function->local_count; l++)
		lrt_checked_array(function->locals[l].name, workspace + function->locals[l].offset,
			function->locals[l].bytes, 1);
	function->tiled(data, workspace);
	for (int a = 0; a < function->array_count; a++)
		verify_print_traffic(function, function->arrays[a].name);
	for (int l = 0; l < function->local_count; l++)
		verify_print_traffic(function, function->locals[l].name);
	printf("macs %s %llu\n", function->name, (unsigned long long)lrt_checked_macs);
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

/* How much a sum in another order may change results of ARRAY: by as much as noise of
 * one unit in the last place of the data does, times a margin; and a few units of the
 * largest result. */
static double verify_bound(const struct verify_array *array, const void *expected,
	const void *perturbed)
{
	double largest = 0, moved = 0;
	double unit = array->kind == VERIFY_DOUBLE ? DBL_EPSILON : FLT_EPSILON;
	for (size_t i = 0; i < array->elements; i++) {
		double value = verify_value(array, expected, i);
		double change = fabs(verify_value(array, perturbed, i) - value);
		if (isfinite(value) && fabs(value) > largest)
			largest = fabs(value);
		if (isfinite(change) && change > moved)
			moved = change;
	}
	return 256 * moved + 16 * unit * largest + (verify_is_float(array) ? 0 : 1);
}

static void verify_compare(const struct verify_function *function, int a, const void *expected,
	const void *got, double bound)
{
	const struct verify_array *array = &function->arrays[a];
	size_t count = 0, first = 0;
	double largest = 0;
	for (size_t i = 0; i < array->elements; i++) {
		double difference = fabs(verify_value(array, expected, i) -
			verify_value(array, got, i));
		if (verify_same(array, expected, got, i))
			continue;
		if (difference > largest)
			largest = difference;
		if (!(difference <= bound) || bound == 0)
			first = count++ ? first : i;
	}
	if (bound > 0)
		printf("bound %s %s %.3g %.3g\n", function->name, array->name, bound, largest);
	if (count)
		printf("differ %s %s %zu %zu %.17g %.17g\n", function->name, array->name, count, first,
			verify_value(array, expected, first), verify_value(array, got, first));
	size_t unordered = verify_count_unordered(array, expected);
	if (unordered)
		printf("unordered %s %s %zu\n", function->name, array->name, unordered);
}

/* Compares all arrays; runs the source on perturbed data where a bound is needed. */
static void verify_compare_all(const struct verify_function *function, void **expected,
	void **got, int is_positive)
{
	void *perturbed[VERIFY_ARRAYS_LIMIT] = { NULL };
	int is_needed = 0;
	for (int a = 0; a < function->array_count; a++)
		is_needed |= function->arrays[a].is_bounded &&
			verify_count_different(&function->arrays[a], expected[a], got[a]) > 0;
	for (int a = 0; a < function->array_count && is_needed; a++)
		perturbed[a] = verify_allocate(function->arrays[a].elements *
			function->arrays[a].element_bytes);
	if (is_needed) {
		verify_fill_all(function, perturbed, is_positive, 1);
		function->reference(perturbed);
	}
	for (int a = 0; a < function->array_count; a++) {
		double bound = is_needed && function->arrays[a].is_bounded ?
			verify_bound(&function->arrays[a], expected[a], perturbed[a]) : 0;
		verify_compare(function, a, expected[a], got[a], bound);
		free(perturbed[a]);
	}
}

static void verify_function(const struct verify_function *function, const lrt_limits *limits)
{
	void *expected[VERIFY_ARRAYS_LIMIT], *got[VERIFY_ARRAYS_LIMIT];
	for (int a = 0; a < function->array_count; a++) {
		size_t bytes = function->arrays[a].elements * function->arrays[a].element_bytes;
		expected[a] = verify_allocate(bytes);
		got[a] = verify_allocate(bytes);
	}
	printf("phase %s reference\n", function->name);
	fflush(stdout);
	int is_positive = verify_run_reference(function, expected);
	printf("phase %s tiled\n", function->name);
	fflush(stdout);
	verify_fill_all(function, got, is_positive, 0);
	verify_run_tiled(function, limits, got);
	verify_compare_all(function, expected, got, is_positive);
	for (int a = 0; a < function->array_count; a++) {
		free(expected[a]);
		free(got[a]);
	}
	printf("done %s\n", function->name);
}

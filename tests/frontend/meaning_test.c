/* The program means what the source means: kernels that the C compiler compiled here
 * and the front end reads as text, run both ways on the same data, leave the same
 * bytes in every array.  So does the program that is printed and read back. */

#include <float.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/frontend.h"
#include "tests/frontend/interpret.h"

/* The kernels convert as C lets them. */
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wabsolute-value"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wbool-operation"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

enum { EXTENT = 12 };

#define PARAMETERS int N, int M, float alpha, int shift, \
	const int8_t a[12], const uint8_t b[12], const int16_t c[12][12], const uint16_t d[12], \
	const int32_t e[12], const uint32_t u[12], const int64_t l[12], const uint64_t w[12], \
	const float f[12][12], const double g[12], const _Bool t[12], \
	int8_t oa[12], uint8_t ob[12], int16_t oc[12][12], uint16_t od[12], int32_t oe[12][12], \
	uint32_t ou[12], int64_t ol[12], uint64_t ow[12], float of[12][12], double og[12], \
	_Bool ot[12]
#define ARGUMENTS 12, 7, data->alpha, data->shift, data->a, data->b, data->c, data->d, data->e, \
	data->u, data->l, data->w, data->f, data->g, data->t, data->oa, data->ob, data->oc, \
	data->od, data->oe, data->ou, data->ol, data->ow, data->of, data->og, data->ot

struct data {
	float alpha;
	int shift;
	int8_t a[12];
	uint8_t b[12];
	int16_t c[12][12];
	uint16_t d[12];
	int32_t e[12];
	uint32_t u[12];
	int64_t l[12];
	uint64_t w[12];
	float f[12][12];
	double g[12];
	_Bool t[12];
	int8_t oa[12];
	uint8_t ob[12];
	int16_t oc[12][12];
	uint16_t od[12];
	int32_t oe[12][12];
	uint32_t ou[12];
	int64_t ol[12];
	uint64_t ow[12];
	float of[12][12];
	double og[12];
	_Bool ot[12];
};

#define STRING_OF(...) #__VA_ARGS__
#define STRING(...) STRING_OF(__VA_ARGS__)
#define HEADERS "#include <stdint.h>\n#include <math.h>\n#include <float.h>\n"
#define KERNEL(name, ...) \
	static void name##_compiled(PARAMETERS) __VA_ARGS__ \
	static void name(void **state) \
	{ \
		(void)state; \
		struct data *data = new_data(); \
		name##_compiled(ARGUMENTS); \
		check(HEADERS "void " #name "(" STRING(PARAMETERS) ")\n" #__VA_ARGS__ "\n", data); \
	}

static uint32_t random_state;

static uint32_t random_bits(void)
{
	random_state = random_state * 1664525U + 1013904223U;
	return random_state >> 8;
}

/* The same data at every call. */
static struct data *new_data(void)
{
	struct data *data = calloc(1, sizeof *data);
	assert_non_null(data);
	random_state = 12345;
	data->alpha = 1.7f;
	data->shift = 3;
	for (int i = 0; i < EXTENT; i++) {
		data->a[i] = (int8_t)random_bits();
		data->b[i] = (uint8_t)random_bits();
		data->d[i] = (uint16_t)random_bits();
		data->e[i] = (int32_t)(random_bits() % 2001) - 1000;
		data->u[i] = random_bits() << 8 ^ random_bits();
		data->l[i] = (int64_t)random_bits() - (1 << 23);
		data->w[i] = (uint64_t)random_bits() << 40 ^ random_bits();
		data->g[i] = (double)random_bits() / 1024 - 8192;
		data->t[i] = random_bits() & 1;
		data->oa[i] = (int8_t)random_bits();
		data->ou[i] = random_bits();
		data->og[i] = 0.5 * i;
		data->ot[i] = i & 1;
		for (int j = 0; j < EXTENT; j++) {
			data->c[i][j] = (int16_t)random_bits();
			data->f[i][j] = (float)random_bits() / 65536.0f - 128.0f;
			data->oc[i][j] = (int16_t)random_bits();
			data->of[i][j] = (float)j;
		}
	}
	return data;
}

static struct program *read_source(struct arena *arena, isl_ctx *ctx, const char *source)
{
	static const struct binding bindings[] = {
		{ .name = "N", .value = "12" }, { .name = "M", .value = "7" }
	};
	struct diag *diag = diag_new(stderr);
	struct program *program = frontend_parse(arena, ctx, diag, "kernel.loop", source,
		strlen(source), bindings, 2, NULL, 0);
	diag_free(diag);
	assert_non_null(program);
	assert_true(program_verify(program));
	return program;
}

static char *text_of(const struct program *program)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	program_print(out, program);
	fclose(out);
	return text;
}

static struct program *read_back(struct arena *arena, isl_ctx *ctx, const struct program *program)
{
	char *text = text_of(program);
	struct diag *diag = diag_new(stderr);
	struct program *again = program_parse(arena, ctx, diag, "kernel.program", text);
	diag_free(diag);
	assert_non_null(again);
	char *text_again = text_of(again);
	assert_string_equal(text, text_again);
	free(text);
	free(text_again);
	return again;
}

/* Runs PROGRAM's only function and compares what it leaves with EXPECTED. */
static void check_run(const struct program *program, const struct data *expected)
{
	const struct function *function = program->functions[0];
	struct data *data = new_data();
	void *places[] = { &data->alpha, &data->shift, data->a, data->b, data->c, data->d, data->e,
		data->u, data->l, data->w, data->f, data->g, data->t, data->oa, data->ob, data->oc,
		data->od, data->oe, data->ou, data->ol, data->ow, data->of, data->og, data->ot };
	static const char *const names[] = { "alpha", "shift", "a", "b", "c", "d", "e", "u", "l",
		"w", "f", "g", "t", "oa", "ob", "oc", "od", "oe", "ou", "ol", "ow", "of", "og", "ot" };
	void *arguments[26] = { NULL };
	assert_int_equal(function->parameter_count, 26);
	for (int i = 0; i < function->parameter_count; i++)
		for (size_t j = 0; j < sizeof names / sizeof *names; j++)
			if (function->parameters[i].array &&
			    !strcmp(function->parameters[i].array->name, names[j]))
				arguments[i] = places[j];
	interpret(function, arguments);
	for (size_t j = 2; j < sizeof places / sizeof *places; j++) {
		size_t offset = (size_t)((char *)places[j] - (char *)data);
		size_t end = j + 1 < sizeof places / sizeof *places ?
			(size_t)((char *)places[j + 1] - (char *)data) : sizeof *data;
		if (memcmp(places[j], (const char *)expected + offset, end - offset))
			fail_msg("%s: array %s differs", function->name, names[j]);
	}
	free(data);
}

/* Frees EXPECTED. */
static void check(const char *source, struct data *expected)
{
	isl_ctx *ctx = isl_ctx_alloc();
	struct arena *arena = arena_new();
	struct program *program = read_source(arena, ctx, source);
	check_run(program, expected);
	check_run(read_back(arena, ctx, program), expected);
	arena_free(arena);
	isl_ctx_free(ctx);
	free(expected);
}

KERNEL(convolution, {
	for (int p = 0; p < N - 2; p++)
		for (int q = 0; q < N - 2; q++) {
			oe[p][q] = 0;
			for (int r = 0; r < 3; r++)
				for (int s = 0; s < 3; s++)
					oe[p][q] += c[p + r][q + s] * a[3 * r + s];
		}
})

KERNEL(promotions, {
	for (int i = 0; i < N; i++) {
		oe[i][0] = a[i] + b[i];
		oe[i][1] = a[i] * b[i] - d[i];
		oe[i][2] = (int8_t)(a[i] + b[i]);
		oe[i][3] = a[i] < u[i];
		oe[i][4] = -b[i] < e[i];
		oe[i][5] = (b[i] << 2) | (a[i] >> 1);
		oe[i][6] = ~a[i] ^ d[i];
		oe[i][7] = !e[i] + !!e[i];
		oe[i][8] = t[i] + t[i];
		oe[i][9] = (_Bool)e[i];
		oe[i][10] = a[i] / 7 + a[i] % 7;
		oe[i][11] = (uint8_t)a[i] / 7;
		ou[i] = u[i] * 3u - e[i];
		ol[i] = l[i] + u[i];
		ow[i] = w[i] + e[i];
		oa[i] = e[i] * 17;
		ob[i] = -a[i];
		od[i] = a[i];
		ot[i] = e[i] & 4;
	}
})

KERNEL(unsigned_arithmetic, {
	for (int i = 0; i < N; i++) {
		ow[i] = u[i] - 1u;
		ol[i] = -u[i];
		ou[i] = u[i] / 3u + u[i] % 10u;
		oe[i][0] = u[i] > -1;
		oe[i][1] = e[i] > -1;
		oe[i][2] = (e[i] > 0 ? e[i] : u[i]) > 100;
		oe[i][3] = w[i] >> 33;
		oe[i][4] = l[i] >> 3;
		ow[i] += l[i] * u[i];
		og[i] = u[i] + 0.5;
		of[i][0] = w[i];
	}
})

KERNEL(floats, {
	for (int i = 0; i < N; i++) {
		of[i][0] = f[i][0] * alpha + f[i][1];
		of[i][1] = f[i][0] * 0.1;
		of[i][2] = f[i][0] * 0.1f;
		of[i][3] = e[i] / 3;
		of[i][4] = e[i] / 3.0f;
		og[i] = f[i][0] / 3 + g[i];
		oe[i][0] = (int)f[i][2];
		oe[i][1] = g[i] < f[i][3];
		oa[i] = (int8_t)(int)(f[i][1] / 2);
		ot[i] = f[i][4];
		of[i][5] = fmaxf(f[i][1], f[i][2]) + fabsf(g[i]);
		og[i] += sqrt(fabsf(f[i][3]));
		of[i][6] = -FLT_MAX < f[i][0] ? 1 : INT16_MIN;
	}
})

KERNEL(order_of_statements, {
	for (int i = 0; i < N; i++) {
		oe[i][0] = i;
		for (int j = 1; j < N; j++) {
			oe[i][j] = oe[i][j - 1] * 3 % 1000 + c[i][j];
			if (j == M)
				oe[i][0] += oe[i][j];
			else if (j > M)
				oe[i][0]--;
			else
				oe[i][0] ^= j;
		}
		oe[i][0] *= 2;
	}
	oe[0][0] = oe[N - 1][0];
})

KERNEL(directions, {
	int i;
	int j;
	for (i = N - 1; i >= 0; i--)
		for (j = i; j < N; j += 2)
			oe[i][j] = oe[(i + 1 < N ? i + 1 : i)][j] + 1;
	for (i = 1; i <= N - 2; i = i + 3)
		for (j = N - 1; j > i; j -= 3)
			oe[i][j] += i * 100 + j;
	for (i = 10; i != 4; i -= 2)
		oe[i][0] = i;
	for (i = 0; i < 3 || i == 7; i++)
		oe[i][1] = 5;
	for (i = 0; i < N && i < M; ++i)
		oe[i][2] = 6;
	for (i = 0; !(i >= 5); i++)
		oe[i][3] = i;
})

KERNEL(triangles, {
	for (int i = 0; i < N; i++)
		for (int j = i; j < N; j++)
			for (int k = (i > 2 ? i - 2 : 0); k < (j + 2 < N ? j + 2 : N); k++)
				oe[i][j] += c[i][k] / 64 * c[k][j] / 64;
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N / 2; j++)
			if (2 * j + i < N && (i + j) % 3 != 1 || i == j && !(j / 2 == 1))
				oc[i][2 * j] += oc[i][2 * j + 1];
})

KERNEL(padding, {
	for (int p = 0; p < N; p++)
		for (int q = 0; q < N; q++) {
			float sum = 0;
			for (int r = 0; r < 3; r++)
				for (int s = 0; s < 3; s++) {
					const int y = p + r - 1;
					int x = q + s - 1;
					if (y >= 0 && y < N && x >= 0 && x < N)
						sum += f[y][x];
				}
			of[p][q] = sum;
		}
	for (int i = 0; i < N; i++)
		for (int r = -2; r <= 2; r++)
			og[i] += (i + r >= 0 && i + r < N) ? g[i + r] : 1;
	for (int i = 0; i < N; i++)
		oe[i][0] = i > 0 && c[i - 1][0] > 0 || i == 0;
	for (int i = 0; i < N; i++)
		oe[i][1] = (i > 0 ? a[i - 1] : 1u) < -1;
})

KERNEL(scalars, {
	float total = 0;
	for (int i = 0; i < N; i++) {
		float row = 0;
		int count = 0;
		for (int j = 0; j < N; j++) {
			row += f[i][j];
			count++;
		}
		const float mean = row / count;
		for (int j = 0; j < N; j++) {
			float d = f[i][j] - mean;
			of[i][j] = d * d;
		}
		total += mean;
	}
	og[0] = total;
	for (int i = 0; i < N; i++) {
		int total = b[i] << shift;
		oe[i][0] = total * alpha;
	}
})

KERNEL(chains, {
	for (int i = 0; i < N; i++) {
		oe[i][0] = oa[i] = e[i];
		og[i] = oe[i][1] = g[i];
		oe[i][2] = oe[i][3] += e[i];
		oc[i][0]++;
		--oc[i][1];
		ou[i] <<= 3;
		ou[i] %= 1000;
		oa[i] >>= 1;
		ob[i] -= a[i];
		ob[i] /= 3;
		ow[i] |= b[i];
		ow[i] &= 0xf0;
		of[i][0] /= 3;
		of[i][1] *= 1.1;
		oa[i] *= 0.5;
		ot[i] += 1, ot[i] ^= t[i];
	}
})

KERNEL(constants, {
	enum { K = 3, L = K * K - 1 };
	for (int i = 0; i < N - K; i++) {
		oe[i][0] = 0x7fffff00 - 017 + 'a' - '\n';
		ol[i] = 4294967295 + 1;
		ol[i + K] = 0xffffffff + 1;
		ow[i] = 18446744073709551615u;
		ow[i + 1] = 1ul << 40 | L;
		og[i] = 1e3 + .5 + 1.f / 3 + 0x1p-3;
		of[i][0] = N / 5 * 1.0f + M;
		oe[i][1] = i * i;
	}
})

KERNEL(iterators_as_values, {
	for (unsigned char i = 0; i < 12; i++)
		for (int j = 0; j < N; j++) {
			oe[i][j] = i - j;
			of[i][j] = (i + 1) / (j + 1) + j * 0.5f;
			ou[i] = -j;
		}
	for (unsigned i = 0; i < 12u; i++) {
		ow[i] = -i;
		ol[i] = i * -1;
	}
	for (long i = 11; i >= 0; i--) {
		int half = i / 2;
		ol[i] = half + i;
		const int next = 2 * i - 11;
		if (next >= 0)
			oe[next][0] = next;
	}
})

KERNEL(reductions, {
	for (int i = 0; i < N; i++) {
		oe[0][0] += c[i][0];
		oe[0][1] = oe[0][1] - c[i][1];
		oe[0][2] = c[i][0] + oe[0][2];
		oe[0][3] = oe[0][3] > c[i][2] ? oe[0][3] : c[i][2];
		oe[0][4] = c[i][2] < oe[0][4] ? c[i][2] : oe[0][4];
		of[0][0] = fmaxf(of[0][0], f[i][i]);
		of[0][1] *= f[i][0];
		ou[0] ^= u[i];
		ou[1] &= u[i];
		ou[2] |= u[i];
		og[0] = og[0] + f[i][0] - g[i];
	}
})

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(convolution), cmocka_unit_test(promotions),
		cmocka_unit_test(unsigned_arithmetic), cmocka_unit_test(floats),
		cmocka_unit_test(order_of_statements), cmocka_unit_test(directions),
		cmocka_unit_test(triangles), cmocka_unit_test(padding), cmocka_unit_test(scalars),
		cmocka_unit_test(chains), cmocka_unit_test(constants),
		cmocka_unit_test(iterators_as_values), cmocka_unit_test(reductions),
	};
	return cmocka_run_group_tests_name("meaning", tests, NULL, NULL);
}

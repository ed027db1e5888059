/* The C of random plans: it compiles without a warning, computes what the source
 * computes, moves what plan_count says, and breaks no rule of the checked port. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <isl/ilp.h>
#include <isl/val.h>

#include "codegen/codegen.h"
#include "ir/plan_count.h"
#include "passes/plan_passes/simplify.h"
#include "passes/plan_passes/split.h"
#include "tests/plan/random_plan.h"

enum { FUNCTIONS = 24, STEP_LIMIT = 1000000 };

static const struct arch machines[] = {
	{ .name = "plain", .scratchpad_bytes = 1 << 20, .banks = 1, .align_bytes = 64 },
	{ .name = "small-commands", .scratchpad_bytes = 1 << 20, .banks = 1, .align_bytes = 64,
		.max_rank = 2, .max_bytes = 24, .max_count = 3, .max_stride_bytes = 60 },
	{ .name = "runs", .scratchpad_bytes = 1 << 20, .banks = 1, .align_bytes = 64,
		.max_rank = 1 },
};

struct sample {
	struct arena *arena;
	isl_ctx *ctx;
	const struct arch *arch;
	struct program *program;
	struct plan *plans[FUNCTIONS];
	struct plan_traffic traffic[FUNCTIONS][3];
	long commands[FUNCTIONS];
	char directory[64];
};

static const char *environment(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value && *value ? value : otherwise;
}

/* ------------------------------------------------------------------ the test program */

static void print_reference(FILE *out, struct arena *arena, const struct plan *plan)
{
	const struct function *function = plan->function;
	const struct statement *statement = function->statements[0];

	fprintf(out, "static void reference_%s(", function->name);
	for (int a = 0; a < 3; a++) {
		const struct array *array = function->arrays[a];

		fprintf(out, "%s%s %s", a > 0 ? ", " : "", array->type.name, array->name);
		for (int d = 0; d < array->rank; d++)
			fprintf(out, "[%ld]", array->extents[d]);
	}
	fputs(")\n{\n", out);
	for (int l = 0; l < statement->depth; l++) {
		isl_val *val = isl_set_dim_max_val(isl_set_copy(statement->domain), l);

		fprintf(out, "\tfor (int %s = 0; %s <= %ld; %s++)\n", statement->loops[l]->name,
			statement->loops[l]->name, isl_val_get_num_si(val),
			statement->loops[l]->name);
		isl_val_free(val);
	}
	fprintf(out, "\t\t%s = (%s)%s;\n}\n\n", reference_element(arena, statement, 0),
		function->arrays[2]->type.name, reference_text(arena, statement, statement->value));
}

static void print_counts(FILE *out, const struct sample *sample, int i, int a)
{
	const struct array *array = sample->plans[i]->function->arrays[a];

	fprintf(out, "\tcounts = lrt_checked_counts(\"%s\");\n"
		"\tcommands += (long)(counts.gets + counts.puts);\n"
		"\tcheck(\"%s reads\", (long)counts.read_bytes, %ld);\n"
		"\tcheck(\"%s writes\", (long)counts.write_bytes, %ld);\n", array->name, array->name,
		sample->traffic[i][a].flow.read_bytes, array->name, sample->traffic[i][a].flow.write_bytes);
}

static void print_case(FILE *out, const struct sample *sample, int i)
{
	const struct function *function = sample->plans[i]->function;

	fprintf(out, "static void test_%s(void)\n{\n\tlrt_counts counts;\n\tlong commands = 0;\n",
		function->name);
	for (int a = 0; a < 3; a++) {
		const struct array *array = function->arrays[a];

		fprintf(out, "\tstatic %s %s[%ld], reference_%s[%ld];\n", array->type.name,
			array->name, array->elements, array->name, array->elements);
		fprintf(out, "\tfor (int x = 0; x < %ld; x++)\n"
			"\t\t%s[x] = reference_%s[x] = (%s)(x * 7 %% 4);\n", array->elements,
			array->name, array->name, array->type.name);
	}
	fprintf(out, "\tname = \"%s\";\n\tlrt_checked_begin(&limits);\n", function->name);
	for (int a = 0; a < 3; a++)
		fprintf(out, "\tlrt_checked_array(\"%s\", %s, sizeof %s, %d);\n",
			function->arrays[a]->name, function->arrays[a]->name,
			function->arrays[a]->name, !function->arrays[a]->is_const);
	fprintf(out, "\tt_%s((lrt_ext)A, (lrt_ext)B, (lrt_ext)O);\n", function->name);
	for (int a = 0; a < 3; a++)
		print_counts(out, sample, i, a);
	fprintf(out, "\tcheck(\"commands\", commands, %ld);\n"
		"\tcheck(\"violations\", lrt_checked_end(), 0);\n"
		"\treference_%s((void *)reference_A, (void *)reference_B, (void *)reference_O);\n"
		"\tcheck(\"output\", memcmp(O, reference_O, sizeof O), 0);\n}\n\n",
		sample->commands[i], function->name);
}

static void print_main(FILE *out, const struct sample *sample)
{
	const struct arch *arch = sample->arch;

	fprintf(out, "#include <stdio.h>\n#include <string.h>\n#include \"loopc_checked.h\"\n"
		"#include \"kernel.h\"\n\n"
		"static const lrt_limits limits = { %ld, %d, %ld, %ld, %ld, 0 };\n"
		"static const char *name;\nstatic int failures;\n\n"
		"static void check(const char *what, long got, long expected)\n{\n"
		"\tif (got != expected) {\n"
		"\t\tfailures++;\n"
		"\t\tprintf(\"%%s: %%s: %%ld, expected %%ld\\n\", name, what, got, expected);\n"
		"\t}\n}\n\n", arch->scratchpad_bytes, arch->max_rank, arch->max_bytes,
		arch->max_count, arch->max_stride_bytes);
	for (int i = 0; i < FUNCTIONS; i++) {
		print_reference(out, sample->arena, sample->plans[i]);
		print_case(out, sample, i);
	}
	fputs("int main(void)\n{\n", out);
	for (int i = 0; i < FUNCTIONS; i++)
		fprintf(out, "\ttest_f%d();\n", i);
	fputs("\treturn failures > 0;\n}\n", out);
}

/* ------------------------------------------------------------------ set-up */

static FILE *open_file(const struct sample *sample, const char *name)
{
	FILE *file = fopen(arena_printf(sample->arena, "%s/%s", sample->directory, name), "w");

	assert_non_null(file);
	return file;
}

static void write_files(const struct sample *sample)
{
	static const struct codegen_options options = { .version = "0", .prefix = "t_",
		.arguments = "-D N=1", .header = "kernel.h", .output = "kernel.c",
		.line_directives = true };
	const struct plan *const *plans = (const struct plan *const *)sample->plans;
	FILE *file = open_file(sample, "kernel.c");

	assert_true(codegen_c(file, plans, FUNCTIONS, &options));
	assert_int_equal(fclose(file), 0);
	file = open_file(sample, "kernel.h");
	assert_true(codegen_header(file, plans, FUNCTIONS, &options));
	assert_int_equal(fclose(file), 0);
	file = open_file(sample, "main.c");
	print_main(file, sample);
	assert_int_equal(fclose(file), 0);
}

static void set_up(struct sample *sample, const struct arch *arch, unsigned long seed)
{
	memset(sample, 0, sizeof *sample);
	sample->arena = arena_new();
	sample->ctx = isl_ctx_alloc();
	sample->arch = arch;
	sample->program = random_program(sample->arena, sample->ctx, seed, FUNCTIONS, arch,
		sample->plans);
	for (int i = 0; i < FUNCTIONS; i++) {
		struct plan *plan = sample->plans[i];

		if (i % 2 == 0)
			plan_simplify(plan);
		assert_true(split_transfers(plan));
		assert_true(plan_count(plan->nests[0].body, plan->function, STEP_LIMIT,
			sample->traffic[i]));
		sample->commands[i] = plan_traffic_commands(sample->traffic[i],
			plan->function->array_count);
	}
	strcpy(sample->directory, "/tmp/loopc-emit-XXXXXX");
	assert_non_null(mkdtemp(sample->directory));
	write_files(sample);
}

static void tear_down(struct sample *sample)
{
	static const char *const files[] = { "kernel.c", "kernel.h", "main.c", "kernel.o", "main",
		"kernel.su" };

	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		unlink(arena_printf(sample->arena, "%s/%s", sample->directory, files[i]));
	rmdir(sample->directory);
	arena_free(sample->arena);
	isl_ctx_free(sample->ctx);
}

static int run(const struct sample *sample, const char *command)
{
	return system(arena_printf(sample->arena, "cd %s && %s", sample->directory, command));
}

/* ------------------------------------------------------------------ tests */

#define WARNINGS "-std=c99 -Wall -Wextra -Wconversion -pedantic -Wmissing-prototypes -Werror"

static void computes_and_counts_right(const struct arch *arch, unsigned long seed)
{
	struct sample sample;
	const char *runtime;

	set_up(&sample, arch, seed);
	runtime = arena_printf(sample.arena, "%s/runtime", environment("top_srcdir", "."));
	assert_int_equal(run(&sample, arena_printf(sample.arena,
		"%s -g0 -w -fsanitize=address,undefined -fno-sanitize-recover=all -I %s -o main "
		"main.c kernel.c %s/checked.c", environment("CC", "cc"), runtime, runtime)), 0);
	assert_int_equal(run(&sample, "./main"), 0);
	tear_down(&sample);
}

static void test_plain(void **state)
{
	(void)state;
	computes_and_counts_right(&machines[0], 1);
}

static void test_small_commands(void **state)
{
	(void)state;
	computes_and_counts_right(&machines[1], 2);
}

static void test_runs(void **state)
{
	(void)state;
	computes_and_counts_right(&machines[2], 3);
}

/* Every compiler that is installed takes the code without a word. */
static void test_compilers(void **state)
{
	static const char *const compilers[] = { "gcc -O3", "gcc -Os -m32 -ffreestanding",
		"clang -O3", "clang -Os", "arm-none-eabi-gcc -mcpu=cortex-m33 -mthumb -Os",
		"riscv64-unknown-elf-gcc -O2 -ffreestanding" };
	const char *runtime;
	struct sample sample;

	(void)state;
	set_up(&sample, &machines[1], 4);
	runtime = arena_printf(sample.arena, "%s/runtime", environment("top_srcdir", "."));
	for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
		if (run(&sample, arena_printf(sample.arena,
			"echo '#include <stdint.h>' | %s -xc -c -o kernel.o - 2>/dev/null",
			compilers[i])) != 0)
			continue;
		assert_int_equal(run(&sample, arena_printf(sample.arena, "%s " WARNINGS
			" -I %s -c kernel.c", compilers[i], runtime)), 0);
	}
	tear_down(&sample);
}

/* The largest frame of FUNCTION and of its transfers in kernel.su. */
static long measured_stack(const struct sample *sample, const char *function)
{
	FILE *file = fopen(arena_printf(sample->arena, "%s/kernel.su", sample->directory), "r");
	char line[256], own[64], get[64], put[64];
	long frame = 0, transfer = 0;

	assert_non_null(file);
	snprintf(own, sizeof own, ":t_%s\t", function);
	snprintf(get, sizeof get, ":%s_get_", function);
	snprintf(put, sizeof put, ":%s_put_", function);
	while (fgets(line, sizeof line, file)) {
		const char *tab = strchr(line, '\t');
		long bytes = tab ? strtol(tab, NULL, 10) : 0;

		assert_true(strstr(line, "static") || strstr(line, "bounded"));
		if (strstr(line, own))
			frame = bytes;
		else if ((strstr(line, get) || strstr(line, put)) && bytes > transfer)
			transfer = bytes;
	}
	fclose(file);
	return frame + transfer;
}

static void test_stack(void **state)
{
	static const char *const levels[] = { "-O0", "-Os", "-O1", "-O2" };
	struct sample sample;
	long most[FUNCTIONS] = { 0 };

	(void)state;
	if (system("gcc --version >/dev/null 2>&1") != 0)
		skip();
	set_up(&sample, &machines[1], 5);
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
		if (run(&sample, arena_printf(sample.arena, "gcc -w -std=c99 %s -fstack-usage "
			"-I %s/runtime -c kernel.c 2>/dev/null", levels[i],
			environment("top_srcdir", "."))) != 0)
			fail_msg("gcc %s fails", levels[i]);
		for (int f = 0; f < FUNCTIONS; f++) {
			long measured = measured_stack(&sample, sample.plans[f]->function->name);

			assert_true(measured > 0);
			assert_true(measured <= codegen_stack_bytes(sample.plans[f]));
			if (measured > most[f])
				most[f] = measured;
		}
	}
	for (int f = 0; f < FUNCTIONS; f++)
		assert_true(codegen_stack_bytes(sample.plans[f]) <= 4 * most[f]);
	tear_down(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_small_commands),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_compilers),
		cmocka_unit_test(test_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

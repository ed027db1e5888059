/* The checked port finds every kind of violation, and nothing in a correct program. */

#define _POSIX_C_SOURCE 200809L

#include "runtime/loopc_checked.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* AddressSanitizer stops programs that touch what the port has poisoned, so the
 * tests that do so on purpose are for builds without it. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISONS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define POISONS 1
#endif
#ifdef POISONS
#include <sanitizer/asan_interface.h>
#endif

enum { SCRATCHPAD_BYTES = 1000, SAID_BYTES = 8192 };

static unsigned char input[64][64], output[64][64];
static unsigned char *scratchpad;
static char said[SAID_BYTES];
static FILE *messages;
static int standard_error;

static void begin(const lrt_limits *limits)
{
	lrt_limits usual;
	size_t i;
	memset(&usual, 0, sizeof usual);
	if (limits)
		usual = *limits;
	usual.scratchpad_bytes = SCRATCHPAD_BYTES;
	for (i = 0; i < sizeof input; i++) {
		input[i / 64][i % 64] = (unsigned char)(i * 7 + 3);
		output[i / 64][i % 64] = 0x55;
	}
	fflush(stderr);
	messages = tmpfile();
	standard_error = dup(2);
	dup2(fileno(messages), 2);
	lrt_checked_begin(&usual);
	lrt_checked_array("input", input, sizeof input, 0);
	lrt_checked_array("output", output, sizeof output, 1);
	scratchpad = lrt_scratchpad();
}

/* Ends the run; what the port printed is in said. */
static int end(void)
{
	int violations = lrt_checked_end();
	size_t length;
	fflush(stderr);
	dup2(standard_error, 2);
	close(standard_error);
	rewind(messages);
	length = fread(said, 1, sizeof said - 1, messages);
	said[length] = '\0';
	fclose(messages);
	return violations;
}

static void assert_finds(const char *message)
{
	int violations = end();
	if (violations != 1 || !strstr(said, message))
		print_error("%d violations: %s\nnot: %s\n", violations, said, message);
	assert_int_equal(violations, 1);
	assert_non_null(strstr(said, message));
}

static lrt_box run(uint32_t bytes)
{
	lrt_box box;
	memset(&box, 0, sizeof box);
	box.rank = 1;
	box.bytes = bytes;
	return box;
}

static lrt_box rows(uint32_t count, uint32_t bytes, ptrdiff_t ext_stride, ptrdiff_t loc_stride)
{
	lrt_box box = run(bytes);
	box.rank = 2;
	box.count[0] = count;
	box.ext_stride[0] = ext_stride;
	box.loc_stride[0] = loc_stride;
	return box;
}

static void get(unsigned tag, size_t loc, const void *ext, lrt_box box)
{
	lrt_get(tag, scratchpad + loc, (lrt_ext)ext, &box);
}

static void put(unsigned tag, void *ext, size_t loc, lrt_box box)
{
	lrt_put(tag, (lrt_ext)ext, scratchpad + loc, &box);
}

static void correct_program(void **state)
{
	lrt_counts counts;
	int i, j;
	(void)state;
	begin(NULL);
	get(0, 0, &input[3][5], rows(4, 10, 64, 10));
	get(1, 100, &input[0][0], run(64));
	lrt_wait(1u << 0 | 1u << 1 | 1u << 9);
	for (i = 0; i < 40; i++)
		scratchpad[200 + i] = scratchpad[i];
	put(2, &output[10][1], 200, rows(4, 10, 64, 10));
	put(2, &output[20][0], 100, run(64));
	get(3, 300, &input[0][0], run(64));
	lrt_wait(1u << 2);
	lrt_wait(1u << 3);
	counts = lrt_checked_counts("input");
	assert_int_equal(counts.read_bytes, 40 + 64 + 64);
	assert_int_equal(counts.gets, 3);
	assert_int_equal(counts.write_bytes, 0);
	assert_int_equal(counts.puts, 0);
	counts = lrt_checked_counts("output");
	assert_int_equal(counts.write_bytes, 40 + 64);
	assert_int_equal(counts.puts, 2);
	assert_int_equal(lrt_checked_counts("no such array").gets, 0);
	assert_int_equal(end(), 0);
	assert_string_equal(said, "");
	for (i = 0; i < 4; i++)
		for (j = 0; j < 10; j++)
			assert_int_equal(output[10 + i][1 + j], input[3 + i][5 + j]);
	assert_memory_equal(output[20], input[0], 64);
	assert_int_equal(output[10][11], 0x55);
	assert_int_equal(lrt_checked_counts("output").puts, 2);
}

#ifndef POISONS
static void get_is_done_at_its_wait(void **state)
{
	(void)state;
	begin(NULL);
	get(4, 8, input, run(64));
	assert_memory_not_equal(scratchpad + 8, input, 64);
	lrt_wait(~(1u << 4));
	assert_memory_not_equal(scratchpad + 8, input, 64);
	lrt_wait(1u << 4);
	assert_memory_equal(scratchpad + 8, input, 64);
	assert_int_equal(end(), 0);
}
#endif

static void put_is_done_at_its_wait(void **state)
{
	(void)state;
	begin(NULL);
	memset(scratchpad, 1, 64);
	put(4, output, 0, run(64));
	assert_int_equal(output[0][0], 0x55);
	lrt_wait(1u << 4);
	assert_int_equal(output[0][0], 1);
	assert_int_equal(end(), 0);
}

static void fresh_scratchpad_is_noise(void **state)
{
	int i, zeros = 0;
	(void)state;
	begin(NULL);
	for (i = 0; i < SCRATCHPAD_BYTES; i++)
		zeros += scratchpad[i] == 0;
	assert_true(zeros < SCRATCHPAD_BYTES / 20);
	assert_int_equal((uintptr_t)scratchpad % 64, 0);
	assert_int_equal(end(), 0);
}

#ifndef POISONS
static void destination_written(void **state)
{
	(void)state;
	begin(NULL);
	get(5, 16, input, rows(2, 8, 64, 8));
	scratchpad[16 + 9]++;
	lrt_wait(1u << 5);
	assert_finds("get input tag 5 (command 1, input + 0, scratchpad + 16, 2 x 8 bytes): "
		"its destination was written before the wait");
}
#endif

static void source_written(void **state)
{
	(void)state;
	begin(NULL);
	put(6, &output[1][2], 40, run(8));
	scratchpad[47]++;
	lrt_wait(1u << 6);
	assert_int_equal(output[1][9], scratchpad[47]);
	assert_finds("put output tag 6 (command 1, output + 66, scratchpad + 40, 8 bytes): "
		"its source was written before the wait");
}

static void source_written_between_puts(void **state)
{
	(void)state;
	begin(NULL);
	put(0, &output[0][0], 40, run(8));
	scratchpad[40]++;
	put(1, &output[1][0], 40, run(8));
	lrt_wait(3);
	assert_finds("its source was changed while an earlier put of it was in flight");
}

static void never_waited_for(void **state)
{
	(void)state;
	begin(NULL);
	get(7, 0, input, run(8));
	lrt_wait(~(1u << 7));
	assert_finds("get input tag 7 (command 1, input + 0, scratchpad + 0, 8 bytes): "
		"it was never waited for");
}

static void get_over_get(void **state)
{
	(void)state;
	begin(NULL);
	get(0, 0, input, rows(4, 8, 64, 16));
	get(1, 8, input, rows(4, 8, 64, 16));
	get(2, 31, input, run(2));
	lrt_wait(7);
	assert_finds("the run at scratchpad + 31 overlaps get input tag 0 (command 1");
}

static void get_over_put_source(void **state)
{
	(void)state;
	begin(NULL);
	put(0, output, 0, run(32));
	get(1, 31, input, run(8));
	lrt_wait(2);
	lrt_wait(1);
	assert_finds("the run at scratchpad + 31 overlaps put output tag 0");
}

static void put_from_get_destination(void **state)
{
	(void)state;
	begin(NULL);
	get(1, 24, input, run(8));
	put(0, output, 0, run(32));
	lrt_wait(3);
	assert_finds("the run at scratchpad + 0 overlaps get input tag 1");
}

static void put_over_put(void **state)
{
	(void)state;
	begin(NULL);
	put(0, &output[2][0], 0, rows(3, 4, 8, 4));
	put(1, &output[2][4], 100, rows(3, 4, 8, 4));
	put(2, &output[2][19], 200, run(1));
	lrt_wait(7);
	assert_finds("the run at output + 147 overlaps put output tag 0 (command 1");
}

static void get_of_what_a_put_writes(void **state)
{
	(void)state;
	begin(NULL);
	put(0, &output[2][0], 0, run(8));
	get(1, 100, &output[2][7], run(8));
	lrt_wait(3);
	assert_finds("the run at output + 135 overlaps put output tag 0");
}

static void put_over_what_a_get_reads(void **state)
{
	(void)state;
	begin(NULL);
	get(1, 100, &output[2][7], run(8));
	get(2, 200, &output[2][7], run(8));
	lrt_wait(2);
	put(0, &output[2][0], 0, run(8));
	lrt_wait(7);
	assert_finds("the run at output + 128 overlaps get output tag 2");
}

static void copy_over_itself(void **state)
{
	(void)state;
	begin(NULL);
	get(0, 0, input, rows(3, 8, 64, 7));
	lrt_wait(1);
	assert_finds("the run at scratchpad + 14 overlaps another run of the same copy");
}

static void shared_reads_are_allowed(void **state)
{
	(void)state;
	begin(NULL);
	get(0, 0, input, rows(3, 8, 0, 8));
	get(1, 100, input, run(64));
	get(2, 200, output, run(64));
	get(3, 300, output, run(64));
	put(4, output[5], 400, run(64));
	put(5, output[6], 410, run(64));
	lrt_wait(1u << 4 | 1u << 2);
	put(4, output[5], 400, run(64));
	lrt_wait(~0u);
	assert_int_equal(end(), 0);
}

/* The copy ends the program, in a process of its own, which says MESSAGE. */
static void assert_ends_run(int is_put, const void *ext, lrt_box box, const char *message)
{
	int status = 0;
	pid_t child;
	begin(NULL);
	fflush(stdout);
	child = fork();
	assert_int_not_equal(child, -1);
	if (child == 0) {
		if (is_put)
			lrt_put(0, (lrt_ext)ext, scratchpad, &box);
		else
			lrt_get(0, scratchpad, (lrt_ext)ext, &box);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(end(), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	assert_non_null(strstr(said, message));
	assert_non_null(strstr(said, "the run ends here"));
}

static void outside_of_arrays(void **state)
{
	static const char reaches[] = "it reaches outside the 4096 bytes of input";
	static unsigned char stranger[16];
	(void)state;
	assert_ends_run(0, stranger, run(8), "is in no array");
	assert_ends_run(1, stranger, run(8), "is in no array");
	assert_ends_run(0, &input[63][60], run(5), reaches);
	assert_ends_run(0, &input[60][0], rows(5, 4, 64, 4), reaches);
	assert_ends_run(0, &input[3][0], rows(5, 4, -64, 4), reaches);
	assert_ends_run(0, &input[3][0], rows(2, 4, PTRDIFF_MIN, 4), reaches);
	assert_ends_run(1, &output[63][60], run(5), "it reaches outside the 4096 bytes of output");
	begin(NULL);
	get(0, 0, &input[4][0], rows(5, 4, -64, 4));
	lrt_wait(1);
	assert_int_equal(end(), 0);
}

static void outside_of_the_scratchpad(void **state)
{
	(void)state;
	begin(NULL);
	get(0, SCRATCHPAD_BYTES - 3, input, run(4));
	lrt_wait(1);
	assert_finds("it reaches outside the 1000 bytes of the scratchpad");
	begin(NULL);
	put(0, output, 0, rows(2, 4, 4, -4));
	lrt_wait(1);
	assert_finds("it reaches outside the 1000 bytes of the scratchpad");
	begin(NULL);
	put(0, output, SCRATCHPAD_BYTES, run(1));
	lrt_wait(1);
	assert_finds("is not in the scratchpad");
	begin(NULL);
	get(0, SCRATCHPAD_BYTES - 4, input, run(4));
	lrt_wait(1);
	assert_int_equal(end(), 0);
}

/* Copies into several memories are apart, whatever their offsets, and each ends where it ends. */
static void several_memories(void **state)
{
	lrt_box box = run(50), more = run(1);
	unsigned char *other;
	(void)state;
	begin(NULL);
	lrt_checked_memory(2, 100);
	other = lrt_memory(2);
	assert_int_equal((uintptr_t)other % 64, 0);
	assert_ptr_equal(lrt_memory(0), scratchpad);
	lrt_get(0, scratchpad, (lrt_ext)input, &box);
	lrt_get(1, other, (lrt_ext)input[1], &box);
	lrt_wait(3);
	assert_memory_equal(scratchpad, input, 50);
	assert_memory_equal(other, input[1], 50);
	lrt_put(0, (lrt_ext)output, other, &box);
	lrt_wait(1);
	assert_memory_equal(output, input[1], 50);
	assert_int_equal(end(), 0);
	begin(NULL);
	lrt_checked_memory(2, 100);
	lrt_get(0, (unsigned char *)lrt_memory(2) + 51, (lrt_ext)input, &box);
	lrt_wait(1);
	assert_finds("it reaches outside the 100 bytes of memory 2");
	begin(NULL);
	lrt_checked_memory(1, 100);
	lrt_get(0, lrt_memory(1), (lrt_ext)input, &box);
	lrt_get(0, (unsigned char *)lrt_memory(1) + 49, (lrt_ext)input[1], &more);
	lrt_wait(1);
	assert_finds("the run at memory 1 + 49 overlaps");
	begin(NULL);
	lrt_checked_memory(0, 100);
	assert_finds("memory 0 is the scratchpad");
	begin(NULL);
	(void)lrt_memory(LRT_MEMORIES);
	assert_finds("there is no memory 8");
}

#ifndef POISONS
static void writes_around_a_memory(void **state)
{
	unsigned char *other;
	(void)state;
	begin(NULL);
	lrt_checked_memory(1, 100);
	other = lrt_memory(1);
	other[100] = (unsigned char)~other[100];
	assert_finds("byte 1 after the end of memory 1 was written");
	begin(NULL);
	other = lrt_memory(1);
	other[-1] = (unsigned char)~other[-1];
	assert_finds("byte 1 before memory 1 was written");
}

static void writes_around_the_scratchpad(void **state)
{
	(void)state;
	begin(NULL);
	scratchpad[-2] = (unsigned char)~scratchpad[-2];
	assert_finds("byte 2 before the scratchpad was written");
	begin(NULL);
	scratchpad[SCRATCHPAD_BYTES] = (unsigned char)~scratchpad[SCRATCHPAD_BYTES];
	assert_finds("byte 1 after the end of the scratchpad was written");
}
#endif

static void put_into_a_read_only_array(void **state)
{
	(void)state;
	begin(NULL);
	put(0, input, 0, run(4));
	lrt_wait(1);
	assert_int_equal(input[0][0], 3);
	assert_finds("input is read only");
}

static void copies_that_mean_nothing(void **state)
{
	lrt_box box = rows(0, 4, 4, 4);
	(void)state;
	begin(NULL);
	get(0, 0, input, run(0));
	get(0, 0, input, box);
	box.rank = 0;
	get(0, 0, input, box);
	box.rank = LRT_MAX_RANK + 1;
	get(0, 0, input, box);
	get(LRT_TAGS, 0, input, run(4));
	lrt_wait(~0u);
	assert_int_equal(end(), 5);
	assert_int_equal(lrt_checked_counts("input").gets, 0);
}

static void limits_of_the_machine(void **state)
{
	const lrt_limits limits = { 0, 2, 64, 8, 128, 0 };
	lrt_box box = rows(2, 4, 64, 4);
	(void)state;
	begin(&limits);
	get(0, 0, input, rows(8, 8, 128, 8));
	lrt_wait(1);
	assert_int_equal(end(), 0);
	begin(&limits);
	get(0, 0, input, rows(8, 9, 128, 9));
	lrt_wait(1);
	assert_finds("72 bytes are above the machine's 64");
	begin(&limits);
	get(0, 0, input, rows(9, 1, 128, 1));
	lrt_wait(1);
	assert_finds("count 9 is above the machine's 8");
	begin(&limits);
	get(0, 0, &input[10][0], rows(2, 1, -129, 1));
	lrt_wait(1);
	assert_finds("a stride of 129 bytes is above the machine's 128");
	begin(&limits);
	get(0, 0, input, rows(1, 1, 129, 1));
	box.rank = 3;
	box.count[1] = 1;
	get(1, 8, input, box);
	lrt_wait(3);
	assert_finds("rank 3 is above the machine's 2");
	assert_int_equal(lrt_checked_counts("input").gets, 2);
}

static void alignment_of_the_machine(void **state)
{
	const lrt_limits limits = { 0, 0, 0, 0, 0, 4 };
	unsigned char *aligned = &output[0][0] + (4 - (uintptr_t)output % 4) % 4;
	(void)state;
	begin(&limits);
	get(0, 0, aligned + 8, rows(2, 4, 64, 12));
	get(1, 100, aligned, rows(1, 4, 3, 3));
	lrt_wait(3);
	assert_int_equal(end(), 0);
	begin(&limits);
	get(0, 0, aligned + 1, run(4));
	lrt_wait(1);
	assert_finds("addresses or bytes are not multiples of the machine's 4");
	begin(&limits);
	get(0, 2, aligned, run(4));
	lrt_wait(1);
	assert_finds("addresses or bytes are not multiples of the machine's 4");
	begin(&limits);
	get(0, 0, aligned, run(6));
	lrt_wait(1);
	assert_finds("addresses or bytes are not multiples of the machine's 4");
	begin(&limits);
	get(0, 0, aligned, rows(2, 4, 64, 10));
	lrt_wait(1);
	assert_finds("are not both multiples of the machine's 4");
}

static void arrays_share_memory(void **state)
{
	(void)state;
	begin(NULL);
	lrt_checked_array("alias", &output[63][63], 1, 0);
	assert_finds("arrays output and alias share memory");
	begin(NULL);
	lrt_checked_array("input", said, 4, 0);
	assert_finds("array input is named twice");
}

static void many_violations(void **state)
{
	int i, lines = 0;
	const char *at;
	(void)state;
	begin(NULL);
	for (i = 0; i < 100; i++)
		put(0, input, 0, run(4));
	lrt_wait(1);
	assert_int_equal(end(), 100);
	for (at = said; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 21);
}

static void words_are_counted(void **state)
{
	(void)state;
	begin(NULL);
	assert_int_equal(lrt_checked_words(7, 1), 0);
	lrt_checked_word(7, 1);
	lrt_checked_word(7, 1);
	lrt_checked_word(2, 3);
	assert_int_equal(lrt_checked_words(7, 1), 2);
	assert_int_equal(lrt_checked_words(2, 3), 1);
	assert_int_equal(lrt_checked_words(7, 3), 0);
	assert_int_equal(lrt_checked_end(), 0);
	begin(NULL);
	assert_int_equal(lrt_checked_words(7, 1), 0);
	assert_int_equal(lrt_checked_end(), 0);
}

static void runs_are_apart(void **state)
{
	(void)state;
	begin(NULL);
	get(0, 0, input, run(4));
	assert_int_equal(end(), 1);
	begin(NULL);
	assert_int_equal(lrt_checked_counts("input").gets, 0);
	get(0, 0, input, run(4));
	lrt_wait(1);
	assert_int_equal(end(), 0);
}

#ifdef POISONS
static void poisoned_for_the_sanitizer(void **state)
{
	(void)state;
	begin(NULL);
	get(0, 64, input, rows(2, 16, 64, 32));
	assert_true(__asan_address_is_poisoned(scratchpad + 64));
	assert_true(__asan_address_is_poisoned(scratchpad + 79));
	assert_false(__asan_address_is_poisoned(scratchpad + 80));
	assert_true(__asan_address_is_poisoned(scratchpad + 96));
	assert_true(__asan_address_is_poisoned(scratchpad - 1));
	assert_true(__asan_address_is_poisoned(scratchpad + SCRATCHPAD_BYTES));
	assert_false(__asan_address_is_poisoned(scratchpad + SCRATCHPAD_BYTES - 1));
	lrt_wait(1);
	assert_false(__asan_address_is_poisoned(scratchpad + 64));
	assert_false(__asan_address_is_poisoned(scratchpad + 96));
	assert_int_equal(end(), 0);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(correct_program),
#ifdef POISONS
		cmocka_unit_test(poisoned_for_the_sanitizer),
#else
		cmocka_unit_test(get_is_done_at_its_wait),
		cmocka_unit_test(destination_written),
		cmocka_unit_test(writes_around_the_scratchpad),
		cmocka_unit_test(writes_around_a_memory),
#endif
		cmocka_unit_test(put_is_done_at_its_wait),
		cmocka_unit_test(fresh_scratchpad_is_noise),
		cmocka_unit_test(source_written),
		cmocka_unit_test(source_written_between_puts),
		cmocka_unit_test(never_waited_for),
		cmocka_unit_test(get_over_get),
		cmocka_unit_test(get_over_put_source),
		cmocka_unit_test(put_from_get_destination),
		cmocka_unit_test(put_over_put),
		cmocka_unit_test(get_of_what_a_put_writes),
		cmocka_unit_test(put_over_what_a_get_reads),
		cmocka_unit_test(copy_over_itself),
		cmocka_unit_test(shared_reads_are_allowed),
		cmocka_unit_test(outside_of_arrays),
		cmocka_unit_test(outside_of_the_scratchpad),
		cmocka_unit_test(several_memories),
		cmocka_unit_test(put_into_a_read_only_array),
		cmocka_unit_test(copies_that_mean_nothing),
		cmocka_unit_test(limits_of_the_machine),
		cmocka_unit_test(alignment_of_the_machine),
		cmocka_unit_test(arrays_share_memory),
		cmocka_unit_test(many_violations),
		cmocka_unit_test(words_are_counted),
		cmocka_unit_test(runs_are_apart),
	};
	return cmocka_run_group_tests_name("checked", tests, NULL, NULL);
}

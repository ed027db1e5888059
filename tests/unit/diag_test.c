/* Diagnostics: their text and JSON forms, limits and switches. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/diag.h"

/* A diag that writes to memory. */
struct capture {
	char *text;
	size_t length;
	FILE *out;
	struct diag *diag;
};

static struct capture begin(const char *source)
{
	return (struct capture){ .text = NULL, .out = NULL, .length = strlen(source) };
}

static void open_capture(struct capture *capture, const char *source)
{
	*capture = begin(source);
	capture->out = open_memstream(&capture->text, &capture->length);
	capture->diag = diag_new(capture->out);
	diag_add_source(capture->diag, "x.loop", source, strlen(source));
}

static const char *text_of(struct capture *capture)
{
	diag_finish(capture->diag);
	fflush(capture->out);
	return capture->text;
}

static void close_capture(struct capture *capture)
{
	diag_free(capture->diag);
	fclose(capture->out);
	free(capture->text);
}

static struct location at(int line, int column, int end_column)
{
	return (struct location){ "x.loop", line, column, end_column };
}

static void error_shows_its_line(void **state)
{
	(void)state;
	struct capture capture;
	open_capture(&capture, "int a;\nint bcd;\n");
	diag_error(capture.diag, at(2, 5, 8), "'%s' is wrong", "bcd");
	diag_note(capture.diag, at(1, 5, 6), "because of this");
	assert_string_equal(text_of(&capture),
		"x.loop:2:5: error: 'bcd' is wrong\n    2 | int bcd;\n      |     ^~~\n"
		"x.loop:1:5: note: because of this\n    1 | int a;\n      |     ^\n");
	assert_int_equal(diag_error_count(capture.diag), 1);
	close_capture(&capture);
}

static void places_may_be_missing(void **state)
{
	(void)state;
	struct capture capture;
	open_capture(&capture, "x");
	diag_error(capture.diag, (struct location){ 0 }, "nowhere");
	diag_error(capture.diag, (struct location){ .file = "x.loop" }, "in a file");
	diag_error(capture.diag, (struct location){ .file = "y.loop", .line = 3, .column = 2 },
		"of no known text");
	diag_error(capture.diag, at(9, 1, 2), "beyond the end");
	diag_error(capture.diag, at(1, 50, 60), "beyond the line");
	assert_string_equal(text_of(&capture), "loopc: error: nowhere\nx.loop: error: in a file\n"
		"y.loop:3:2: error: of no known text\nx.loop:9:1: error: beyond the end\n"
		"x.loop:1:50: error: beyond the line\n    1 | x\n      |  ^\n");
	close_capture(&capture);
}

static void warnings_have_names(void **state)
{
	(void)state;
	struct capture capture;
	open_capture(&capture, "x\n");
	assert_false(diag_set_warning(capture.diag, "no-such-warning", true));
	assert_false(diag_set_remark(capture.diag, "no-such-remark", true));
	diag_warning(capture.diag, at(1, 1, 2), "never-runs", "one");
	assert_true(diag_set_warning(capture.diag, "never-runs", false));
	diag_warning(capture.diag, at(1, 1, 2), "never-runs", "two");
	diag_note(capture.diag, at(1, 1, 2), "of two");
	diag_remark(capture.diag, at(1, 1, 2), "loop", "three");
	assert_true(diag_set_remark(capture.diag, "loop", true));
	diag_remark(capture.diag, at(1, 1, 2), "loop", "four");
	assert_int_equal(diag_error_count(capture.diag), 0);
	assert_true(diag_set_warning(capture.diag, "never-runs", true));
	diag_set_werror(capture.diag, true);
	diag_warning(capture.diag, at(1, 1, 2), "never-runs", "five");
	assert_int_equal(diag_error_count(capture.diag), 1);
	assert_string_equal(text_of(&capture),
		"x.loop:1:1: warning: one [-Wnever-runs]\n    1 | x\n      | ^\n"
		"x.loop:1:1: remark: four [-Rloop]\n    1 | x\n      | ^\n"
		"x.loop:1:1: error: five [-Werror=never-runs]\n    1 | x\n      | ^\n");
	close_capture(&capture);
}

static void remarks_are_made_once(void **state)
{
	(void)state;
	struct capture capture;
	open_capture(&capture, "xy\n");
	assert_true(diag_set_remark(capture.diag, "loop", true));
	for (int i = 0; i < 6; i++) {
		diag_remark(capture.diag, at(1, 1 + i % 2, 0), "loop", "number %d", i / 4);
		diag_note(capture.diag, at(1, 1, 0), "of %d", i);
	}
	for (int i = 0; i < 2; i++)
		diag_warning(capture.diag, at(1, 1, 0), "never-runs", "warning %d", i / 2);
	assert_string_equal(text_of(&capture),
		"x.loop:1:1: remark: number 0 [-Rloop]\n    1 | xy\n      | ^\n"
		"x.loop:1:1: note: of 0\n    1 | xy\n      | ^\n"
		"x.loop:1:2: remark: number 0 [-Rloop]\n    1 | xy\n      |  ^\n"
		"x.loop:1:1: note: of 1\n    1 | xy\n      | ^\n"
		"x.loop:1:1: remark: number 1 [-Rloop]\n    1 | xy\n      | ^\n"
		"x.loop:1:1: note: of 4\n    1 | xy\n      | ^\n"
		"x.loop:1:2: remark: number 1 [-Rloop]\n    1 | xy\n      |  ^\n"
		"x.loop:1:1: note: of 5\n    1 | xy\n      | ^\n"
		"x.loop:1:1: warning: warning 0 [-Wnever-runs]\n    1 | xy\n      | ^\n"
		"x.loop:1:1: warning: warning 0 [-Wnever-runs]\n    1 | xy\n      | ^\n");
	close_capture(&capture);
}

static void twenty_errors_are_shown(void **state)
{
	(void)state;
	struct capture capture;
	open_capture(&capture, "");
	for (int i = 0; i < 30; i++) {
		assert_int_equal(diag_full(capture.diag), i >= 20);
		diag_error(capture.diag, (struct location){ 0 }, "number %d", i);
		diag_note(capture.diag, (struct location){ 0 }, "of %d", i);
	}
	const char *text = text_of(&capture);
	assert_non_null(strstr(text, "error: number 19\nloopc: note: of 19\n"));
	assert_null(strstr(text, "number 20"));
	assert_null(strstr(text, "of 20"));
	assert_non_null(strstr(text, "more than 20 errors"));
	assert_int_equal(diag_error_count(capture.diag), 30);
	close_capture(&capture);
}

static void json_is_gcc_s(void **state)
{
	(void)state;
	struct capture capture;
	open_capture(&capture, "\tab \"c\\\n");
	diag_set_json(capture.diag, true);
	diag_warning(capture.diag, at(1, 2, 4), "never-runs", "say \"%s\"\n", "x");
	diag_note(capture.diag, at(1, 1, 2), "first");
	diag_note(capture.diag, (struct location){ 0 }, "second");
	diag_error(capture.diag, at(1, 2, 3), "third\xff");
	assert_string_equal(text_of(&capture),
		"[{\"kind\": \"warning\", \"message\": \"say \\\"x\\\"\\u000a\", "
		"\"option\": \"-Wnever-runs\", \"locations\": [{\"caret\": {\"file\": \"x.loop\", "
		"\"line\": 1, \"display-column\": 9, \"byte-column\": 2, \"column\": 9}, "
		"\"finish\": {\"file\": \"x.loop\", \"line\": 1, \"display-column\": 10, "
		"\"byte-column\": 3, \"column\": 10}}], \"children\": ["
		"{\"kind\": \"note\", \"message\": \"first\", \"locations\": [{\"caret\": {\"file\": "
		"\"x.loop\", \"line\": 1, \"display-column\": 1, \"byte-column\": 1, \"column\": 1}}]}, "
		"{\"kind\": \"note\", \"message\": \"second\", \"locations\": []}]},\n "
		"{\"kind\": \"error\", \"message\": \"third\\ufffd\", \"locations\": [{\"caret\": "
		"{\"file\": \"x.loop\", \"line\": 1, \"display-column\": 9, \"byte-column\": 2, "
		"\"column\": 9}}], \"children\": []}]\n");
	close_capture(&capture);
	open_capture(&capture, "");
	diag_set_json(capture.diag, true);
	assert_string_equal(text_of(&capture), "[]\n");
	close_capture(&capture);
}

static void lines_are_made_fit_to_print(void **state)
{
	(void)state;
	struct capture capture;
	open_capture(&capture, "\xc3\xa9\t\x1b[31m \xf0\x9f\x98\x80x\r\nnext");
	diag_error(capture.diag, at(1, 14, 15), "here");
	assert_string_equal(text_of(&capture), "x.loop:1:14: error: here\n"
		"    1 | \xc3\xa9       ?[31m \xf0\x9f\x98\x80x\n      |                 ^\n");
	close_capture(&capture);
}

static void long_lines_are_cut(void **state)
{
	(void)state;
	struct capture capture;
	char *line = malloc(100001);
	assert_non_null(line);
	memset(line, '\t', 100000);
	line[100000] = 0;
	open_capture(&capture, line);
	diag_error(capture.diag, at(1, 50000, 90000), "here");
	assert_true(strlen(text_of(&capture)) < 4000);
	close_capture(&capture);
	free(line);
}

static void color_only_if_asked(void **state)
{
	(void)state;
	struct capture capture;
	open_capture(&capture, "x");
	diag_error(capture.diag, at(1, 1, 2), "plain");
	assert_null(strchr(text_of(&capture), '\033'));
	diag_set_color(capture.diag, COLOR_ALWAYS);
	diag_error(capture.diag, at(1, 1, 2), "colored");
	assert_non_null(strstr(text_of(&capture), "\033[01;31m"));
	close_capture(&capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(error_shows_its_line), cmocka_unit_test(places_may_be_missing),
		cmocka_unit_test(warnings_have_names), cmocka_unit_test(remarks_are_made_once),
		cmocka_unit_test(twenty_errors_are_shown),
		cmocka_unit_test(json_is_gcc_s), cmocka_unit_test(lines_are_made_fit_to_print),
		cmocka_unit_test(long_lines_are_cut), cmocka_unit_test(color_only_if_asked),
	};
	return cmocka_run_group_tests_name("diag", tests, NULL, NULL);
}

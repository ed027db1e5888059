/* Coverage-guided fuzzing of the front end, with clang's libFuzzer: whatever the
 * bytes, it neither crashes nor leaks; a program that comes out is consistent, and its
 * text reads back to itself.  tests/frontend/fuzz_test.sh builds and runs it. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/options.h>

#include "frontend/frontend.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
const char *__lsan_default_suppressions(void);

/* isl leaves behind the token at which it gives up reading a malformed set.  What else isl makes
 * holds on to its context, so that freeing the context finds it: see below. */
const char *__lsan_default_suppressions(void)
{
	return "leak:isl_malloc_or_die\n";
}

static FILE *nowhere;

static char *text_of(const struct program *program)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	program_print(out, program);
	fclose(out);
	return text;
}

static void check_program(struct arena *arena, isl_ctx *ctx, const struct program *program)
{
	struct diag *diag = diag_new(stderr);
	if (!program_verify(program))
		abort();
	char *text = text_of(program);
	struct program *again = program_parse(arena, ctx, diag, "fuzz.program", text);
	if (!again)
		abort();
	char *text_again = text_of(again);
	if (strcmp(text, text_again)) {
		fprintf(stderr, "%s\n---\n%s\n", text, text_again);
		abort();
	}
	free(text);
	free(text_again);
	diag_free(diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static const struct binding bindings[] = { { "N", "5", false }, { "M", "3", false },
		{ "K", "4", true }, { "L", "1", true } };
	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	isl_ctx *ctx = isl_ctx_alloc();
	struct arena *arena = arena_new();
	struct diag *diag = diag_new(nowhere);
	struct program *program = frontend_parse(arena, ctx, diag, "fuzz.loop",
		(const char *)bytes, length, bindings, 4, NULL, 0);
	if (program)
		check_program(arena, ctx, program);
	char *text = strndup((const char *)bytes, length);
	program_parse(arena, ctx, diag, "text.program", text);
	free(text);
	diag_free(diag);
	arena_free(arena);
	isl_options_set_on_error(ctx, ISL_ON_ERROR_ABORT); /* if anything still holds on to it */
	isl_ctx_free(ctx);
	return 0;
}

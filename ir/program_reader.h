#ifndef IR_PROGRAM_READER_H
#define IR_PROGRAM_READER_H

#include "ir/program_build.h"

/* What ir/program_read.c reads programs with. */

struct reader {
	struct arena *arena;
	isl_ctx *ctx;
	struct diag *diag;
	const char *file, *at, *line_start;
	int line, depth;
	bool failed;
	struct program *program;
	struct function *function;
	size_t function_capacity, prototype_capacity, include_capacity;
	size_t parameter_capacity, array_capacity, size_capacity, loop_capacity,
		statement_capacity, pragma_capacity, access_capacity;
	struct loop *loops[LOOP_DEPTH_LIMIT];
	int loop_depth;
	struct statement *statement;
	/* Locals may name a loop that is read later. */
	int scopes[4096];
	int pragma_loops[4096];
};

/* An error here; only the first is told.  After it nothing more is accepted. */
void reader_fail(struct reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The words of the text (ir/program_read_words.c). */

/* A place to go back to. */
struct mark {
	const char *at, *line_start;
	int line;
};

/* Space, and comments from # to the line's end. */
void reader_skip_space(struct reader *reader);
/* Whether TEXT comes next; _accept: and takes it; _expect: or fails. */
bool reader_peek(struct reader *reader, const char *text);
bool reader_accept(struct reader *reader, const char *text);
void reader_expect(struct reader *reader, const char *text);
struct mark reader_mark(const struct reader *reader);
void reader_go_back(struct reader *reader, struct mark mark);
bool reader_is_name_start(char c);
const char *reader_name(struct reader *reader);
long reader_long(struct reader *reader);
int reader_int(struct reader *reader, long min, long max);
const char *reader_string(struct reader *reader);
/* "@ line:column", if it is there. */
struct location reader_place(struct reader *reader);
/* A type's name, of several words; false, with nothing read, if there is none. */
bool reader_accept_type(struct reader *reader, struct type *type);
struct type reader_type(struct reader *reader);

/* Expressions (ir/program_read_expr.c). */

struct affine reader_affine(struct reader *reader);
/* The array NAME of FUNCTION; NULL if there is none. */
struct array *reader_array(const struct function *function, const char *name);
/* NAME and its subscripts: an access of the present statement, whose number it returns. */
int reader_access(struct reader *reader, const char *name, bool is_write);
struct expr *reader_expr(struct reader *reader);

#endif

#ifndef CODEGEN_WRITER_H
#define CODEGEN_WRITER_H

#include "codegen/codegen.h"
#include "codegen/transfer.h"

/* What the files that write the emitted C share. */

/* One function being written. */
struct writer {
	FILE *out;
	struct printer printer;
	const struct codegen_options *options;
	struct transfer_forms forms;
	const char *memories[MEMORY_LIMIT], *workspace;   /* the variables' names */
	int depth;                   /* of indentation */
	const struct plan_node *nest;        /* the body of the nest being written */
	bool in_step;                /* of elements */
	/* Names of the buffers whose transfers have the tag, for the comment at a wait. */
	const char *tags[32];
	/* What the bodies use, so that nothing unused is declared. */
	const void **used;
	int used_count;
	size_t used_capacity;
};

/* What the bodies use (used.c). */

bool writer_uses(const struct writer *writer, const void *object);
/* Notes all that NODE uses. */
void writer_use_node(struct writer *writer, const struct plan_node *node);
/* The sizes that places in the workspace depend on. */
void writer_use_workspace(struct writer *writer);

/* Bodies (body.c). */

void writer_print_node(struct writer *writer, const struct plan_node *node);
void print_line_directive(FILE *out, int line, const char *file);

/* The comment on top (top_comment.c). */

void print_top_comment(FILE *out, const struct plan *const *plans, int count,
	const struct codegen_options *options);

#endif

/* The emitted C file: prints finished plans and decides nothing. */

#include "codegen/codegen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/ring.h"
#include "codegen/signature.h"
#include "codegen/sizes.h"
#include "codegen/transfer.h"
#include "codegen/wrap.h"
#include "ir/macs.h"
#include "ir/program_build.h"

/* One function being written. */
struct writer {
	FILE *out;
	struct printer printer;
	const struct codegen_options *options;
	struct transfer_forms forms;
	const char *scratchpad, *workspace;   /* the variables' names */
	int depth;                   /* of indentation */
	/* Names of the buffers whose transfers have the tag, for the comment at a wait. */
	const char *tags[32];
	/* What the bodies use, so that nothing unused is declared. */
	const void **used;
	int used_count;
	size_t used_capacity;
};

/* ------------------------------------------------------------------ what is used */

static bool is_used(const struct writer *writer, const void *object)
{
	for (int i = 0; i < writer->used_count; i++)
		if (writer->used[i] == object)
			return true;
	return false;
}

static void use(struct writer *writer, const void *object)
{
	if (!object || is_used(writer, object))
		return;
	writer->used = arena_grow(writer->printer.arena, writer->used, (size_t)writer->used_count,
		&writer->used_capacity, sizeof *writer->used);
	writer->used[writer->used_count++] = object;
}

static void use_expr(struct writer *writer, const struct plan_expr *expr)
{
	if (!expr)
		return;
	use(writer, expr->var);
	for (int i = 0; i < plan_operand_count(expr->op); i++)
		use_expr(writer, expr->operands[i]);
}

static void use_affine(struct writer *writer, struct affine affine)
{
	for (int k = 0; k < SYMBOLIC_LIMIT; k++)
		if (affine_size(affine, k))
			use(writer, writer->printer.plan->sizes[k]);
}

static void use_transfer(struct writer *writer, const struct plan_transfer *transfer)
{
	const struct plan_buffer *buffer = transfer->buffer;
	const char **names = &writer->tags[transfer->tag & 31];

	use(writer, buffer->array);
	use_expr(writer, transfer->slot ? transfer->slot : buffer->slot);
	for (int k = 0; k < writer->printer.plan->function->symbolic_count; k++)
		if (transfer_has_size(&writer->forms, transfer, k))
			use(writer, writer->printer.plan->sizes[k]);
	for (int d = 0; d < buffer->rank; d++) {
		use_expr(writer, transfer->first[d]);
		use_expr(writer, transfer->count[d]);
		use_expr(writer, transfer->local[d]);
	}
	if (!*names)
		*names = buffer->name;
	else if (!strstr(*names, buffer->name))
		*names = arena_printf(writer->printer.arena, "%s, %s", *names, buffer->name);
}

static void use_access(struct writer *writer, const struct plan_node *node, int access)
{
	const struct plan_buffer *buffer = node->buffers[access];

	if (!buffer) {
		use(writer, node->statement->accesses[access].array);
		return;
	}
	use(writer, buffer);
	if (buffer->slots > 1)
		use_expr(writer, buffer->slot);
	for (int d = 0; d < buffer->rank; d++) {
		use_expr(writer, buffer->dims[d].origin);
		use_affine(writer, node->statement->accesses[access].subscripts[d]);
	}
}

static void use_value(struct writer *writer, const struct plan_node *node, const struct expr *value)
{
	if (value->kind == EXPR_ACCESS)
		use_access(writer, node, value->access);
	if (value->kind == EXPR_AFFINE)
		use_affine(writer, value->affine);
	for (int i = 0; i < value->operand_count; i++)
		use_value(writer, node, value->operands[i]);
}

static void use_compute(struct writer *writer, const struct plan_node *node)
{
	for (int i = 0; i < node->statement->depth; i++)
		use_expr(writer, node->values[i]);
	use_access(writer, node, 0);
	use_value(writer, node, node->statement->value);
}

static void use_node(struct writer *writer, const struct plan_node *node)
{
	use_expr(writer, node->lower);
	use_expr(writer, node->upper);
	use_expr(writer, node->condition);
	if (node->kind == PLAN_TRANSFER)
		use_transfer(writer, &node->transfer);
	if (node->kind == PLAN_COMPUTE)
		use_compute(writer, node);
	if (node->body)
		use_node(writer, node->body);
	for (int i = 0; i < node->child_count; i++)
		use_node(writer, node->children[i]);
}

/* ------------------------------------------------------------------ names */

static void name_vars(struct names *names, const struct plan_node *node)
{
	if (node->var)
		names_add(names, node->var, node->var->name);
	if (node->body)
		name_vars(names, node->body);
	for (int i = 0; i < node->child_count; i++)
		name_vars(names, node->children[i]);
}

/* Index arithmetic is signed and of 32 bits; a size of another type is converted once. */
static bool is_converted(const struct size *size)
{
	struct type type;

	return !type_find(size->type_name, &type) || type.kind != TYPE_INT32;
}

static void name_size(struct names *names, const struct size *size, const struct plan_var *var)
{
	const char *text = names_add(names, size, size->name);

	if (is_converted(size))
		names_add(names, var, arena_printf(names->arena, "%s_value", size->name));
	else
		names_share(names, var, text);
}

static void name_everything(struct writer *writer, struct names *globals)
{
	struct names *names = &writer->printer.names;
	const struct plan *plan = writer->printer.plan;

	names_init(names, writer->printer.arena, globals);
	for (int i = 0; i < plan->function->array_count; i++)
		names_add(names, plan->function->arrays[i], plan->function->arrays[i]->name);
	for (int k = 0; k < plan->function->symbolic_count; k++)
		name_size(names, plan->function->symbolic[k], plan->sizes[k]);
	writer->scratchpad = names_add(names, NULL, "scratchpad");
	writer->workspace = names_add(names, NULL, "workspace");
	for (int i = 0; i < plan->buffer_count; i++)
		names_add(names, plan->buffers[i], plan->buffers[i]->name);
	for (int i = 0; i < plan->nest_count; i++)
		name_vars(names, plan->nests[i].body);
}

/* ------------------------------------------------------------------ nodes */

static void indent(struct writer *writer)
{
	for (int i = 0; i < writer->depth; i++)
		fputc('\t', writer->out);
}

static void print_node(struct writer *writer, const struct plan_node *node);

static void print_body(struct writer *writer, const struct plan_node *block)
{
	writer->depth++;
	print_node(writer, block);
	writer->depth--;
}

/* EXPR + 1 where that reads no worse, so that "x <= EXPR" can be "x < that"; else
 * NULL. */
static struct plan_expr *successor(struct arena *arena, struct plan_expr *expr)
{
	struct plan_expr *a, *b;

	switch (expr->op) {
	case PLAN_MIN:
	case PLAN_MAX:
		a = successor(arena, expr->operands[0]);
		b = successor(arena, expr->operands[1]);
		return a && b ? plan_raw(arena, expr->op, a, b, NULL) : NULL;
	case PLAN_CONST:
		return expr->value < INT32_MAX / 2 ? plan_const(arena, expr->value + 1) : NULL;
	case PLAN_ADD:
	case PLAN_SUB:
		return expr->operands[1]->op == PLAN_CONST
			? plan_make(arena, PLAN_ADD, expr, plan_const(arena, 1)) : NULL;
	default:
		return NULL;
	}
}

static const char *c_type(bool is_wide)
{
	return is_wide ? "int64_t" : "int32_t";
}

/* A line of the function, broken where it is too long. */
static void print_line(struct writer *writer, const char *text)
{
	print_wrapped(writer->out, writer->depth, text);
	fputc('\n', writer->out);
}

/* Declares the new rings up to BEFORE that are counters, or those that are not. */
static void print_rings(struct writer *writer, const struct ring *ring, const struct ring *before,
	bool are_counters)
{
	if (ring == before)
		return;
	print_rings(writer, ring->outer, before, are_counters);
	if (are_counters == (ring->advance != NULL))
		print_line(writer, arena_printf(writer->printer.arena, "%s%s %s = %s;",
			are_counters ? "" : "const ", c_type(expr_is_wide(ring->expr)), ring->name,
			ring->value));
}

/* The counters among them as the next turn of their loop needs them. */
static void advance_rings(struct writer *writer, const struct ring *ring, const struct ring *before)
{
	if (ring == before)
		return;
	advance_rings(writer, ring->outer, before);
	if (ring->advance)
		print_line(writer, arena_printf(writer->printer.arena, "%s;", ring->advance));
}

static void print_loop_header(struct writer *writer, const struct plan_node *loop)
{
	struct printer *printer = &writer->printer;
	bool wide = var_is_wide(loop->var);
	const char *name = names_of(&printer->names, loop->var);
	struct plan_expr *end = successor(printer->arena, loop->upper);
	const char *limit = text_at(printer, index_text_as(printer, end ? end : loop->upper, wide),
		TEXT_SUM);
	const char *header = arena_printf(printer->arena, "for (%s %s = %s; %s %s %s; %s",
		c_type(wide), name, index_text_as(printer, loop->lower, wide).c, name, end ? "<" : "<=",
		limit, name);

	print_line(writer, loop->step == 1 ? arena_printf(printer->arena, "%s++) {", header)
		: arena_printf(printer->arena, "%s += %ld) {", header, loop->step));
}

static void print_loop(struct writer *writer, const struct plan_node *loop)
{
	struct printer *printer = &writer->printer;
	const struct ring *before = rings_open(printer, loop), *rings = printer->rings;

	print_rings(writer, rings, before, true);
	print_loop_header(writer, loop);
	writer->depth++;
	print_rings(writer, rings, before, false);
	print_node(writer, loop->body);
	advance_rings(writer, rings, before);
	writer->depth--;
	print_line(writer, "}");
	printer->rings = before;
}

static bool starts_with_let(const struct plan_node *block)
{
	return block->child_count > 0 && block->children[0]->kind == PLAN_LET;
}

/* A value, or a loop of one iteration: its variable is declared where it stands;
 * names are unique, so it needs no braces. */
static void print_let(struct writer *writer, const struct plan_node *node)
{
	struct printer *printer = &writer->printer;
	bool wide = var_is_wide(node->var);
	const struct ring *before = rings_open(printer, node);

	if (is_used(writer, node->var)) {
		print_line(writer, arena_printf(printer->arena, "const %s %s = %s;", c_type(wide),
			names_of(&printer->names, node->var),
			index_text_as(printer, node->lower, wide).c));
		print_rings(writer, printer->rings, before, false);
		if (!starts_with_let(node->body))
			fputc('\n', writer->out);
	}
	print_node(writer, node->body);
	printer->rings = before;
}

/* Both stand one after the other, and where one condition holds the other does not. */
static bool is_else(const struct plan_node *first, const struct plan_node *second)
{
	const struct plan_expr *a = first->condition, *b = second->condition;

	return first->kind == PLAN_IF && second->kind == PLAN_IF && first->body->child_count > 0
		&& second->body->child_count > 0
		&& ((a->op == PLAN_NOT && plan_equal(a->operands[0], b))
			|| (b->op == PLAN_NOT && plan_equal(b->operands[0], a)));
}

/* OTHERWISE is the node for the opposite condition; NULL: there is none. */
static void print_if(struct writer *writer, const struct plan_node *node,
	const struct plan_node *otherwise)
{
	if (node->body->child_count == 0)
		return;
	print_line(writer, arena_printf(writer->printer.arena, "if (%s) {",
		index_text(&writer->printer, node->condition).c));
	print_body(writer, node->body);
	if (otherwise) {
		print_line(writer, "} else {");
		print_body(writer, otherwise->body);
	}
	print_line(writer, "}");
}

static void print_transfer(struct writer *writer, const struct plan_transfer *transfer)
{
	const char *call = transfer_call(&writer->printer, &writer->forms, transfer);

	if (!*call)
		return;
	print_line(writer, arena_printf(writer->printer.arena, "%s;", call));
}

static void print_wait(struct writer *writer, unsigned tags)
{
	const char *separator = "";

	if (tags == 0)
		return;
	indent(writer);
	fprintf(writer->out, "lrt_wait(0x%xu);  /* ", tags);
	for (unsigned tag = 0; tag < 32; tag++)
		if (tags >> tag & 1 && writer->tags[tag]) {
			fprintf(writer->out, "%s%s", separator, writer->tags[tag]);
			separator = ", ";
		}
	fputs(" */\n", writer->out);
}

static void print_line_directive(FILE *out, int line, const char *file)
{
	fprintf(out, "#line %d \"", line);
	for (; *file; file++) {
		if (*file == '"' || *file == '\\')
			fputc('\\', out);
		fputc(*file, out);
	}
	fputs("\"\n", out);
}

static void print_compute(struct writer *writer, const struct plan_node *node)
{
	int line = writer->options->line_directives ? node->statement->location.line : 0;
	int macs = writer->options->is_measured ? statement_macs(node->statement) : 0;

	if (line > 0)
		print_line_directive(writer->out, line, writer->printer.plan->program->file);
	print_line(writer, arena_printf(writer->printer.arena, "%s;",
		assignment_text(&writer->printer, node)));
	if (line > 0)
		fputs("#line here\n", writer->out);
	if (macs) {
		indent(writer);
		fprintf(writer->out, "lrt_checked_macs += %d;\n", macs);
	}
}

static void print_block(struct writer *writer, const struct plan_node *block)
{
	for (int i = 0; i < block->child_count; i++) {
		const struct plan_node *child = block->children[i];

		if (i + 1 < block->child_count && is_else(child, block->children[i + 1]))
			print_if(writer, child, block->children[++i]);
		else
			print_node(writer, child);
	}
}

static void print_node(struct writer *writer, const struct plan_node *node)
{
	switch (node->kind) {
	case PLAN_BLOCK:
		print_block(writer, node);
		break;
	case PLAN_LOOP:
		if (is_printed_as_loop(node))
			print_loop(writer, node);
		else
			print_let(writer, node);
		break;
	case PLAN_LET:
		print_let(writer, node);
		break;
	case PLAN_IF:
		print_if(writer, node, NULL);
		break;
	case PLAN_TRANSFER:
		print_transfer(writer, &node->transfer);
		break;
	case PLAN_WAIT:
		print_wait(writer, node->tags);
		break;
	case PLAN_COMPUTE:
		print_compute(writer, node);
		break;
	}
}

/* ------------------------------------------------------------------ the function */

/* "int16_t (*const I_0)[7][31] = (void *)(scratchpad + 1024);": subscripts are the
 * slot, where there are several, and the buffer's coordinates. */
static void print_buffer(struct writer *writer, const struct plan_buffer *buffer)
{
	const char *name = names_of(&writer->printer.names, buffer);
	int first = buffer->slots > 1 ? 0 : 1;

	if (first < buffer->rank)
		fprintf(writer->out, "\t%s (*const %s)", buffer->array->type.name, name);
	else
		fprintf(writer->out, "\t%s *const %s", buffer->array->type.name, name);
	for (int d = first; d < buffer->rank; d++)
		fprintf(writer->out, "[%ld]", buffer->dims[d].extent);
	fprintf(writer->out, " = (void *)(%s + %ld);\n", writer->scratchpad, buffer->offset_bytes);
}

static bool node_reads(const struct plan_node *node, const struct array *array)
{
	if (node->body && node_reads(node->body, array))
		return true;
	for (int i = 0; i < node->child_count; i++)
		if (node_reads(node->children[i], array))
			return true;
	if (node->kind != PLAN_COMPUTE || node->statement->accesses[0].array == array)
		return false;
	for (int i = 1; i < node->statement->access_count; i++)
		if (node->statement->accesses[i].array == array)
			return true;
	return false;
}

/* Whether another statement than its own updates reads the array. */
static bool is_read(const struct plan *plan, const struct array *array)
{
	for (int i = 0; i < plan->nest_count; i++)
		if (node_reads(plan->nests[i].body, array))
			return true;
	return false;
}

/* Scalars of the source that live in the core; one that is only written or updated gets a
 * use, or compilers warn. */
static void print_scalars(struct writer *writer)
{
	const struct function *function = writer->printer.plan->function;

	for (int i = 0; i < function->array_count; i++) {
		const struct array *array = function->arrays[i];

		const char *name;

		if (array->rank > 0 || array->is_parameter || !is_used(writer, array)
			|| writer->printer.plan->workspace_offset[i] >= 0)
			continue;
		name = names_of(&writer->printer.names, array);
		fprintf(writer->out, "\t%s %s = 0;\n", array->type.name, name);
		if (!is_read(writer->printer.plan, array))
			fprintf(writer->out, "\t(void)%s;\n", name);
	}
}

/* Where local array A begins in the workspace. */
static const char *workspace_text(struct writer *writer, int a)
{
	const struct plan *plan = writer->printer.plan;
	const char *names[SYMBOLIC_LIMIT] = { NULL };

	if (!plan->function->symbolic_count)
		return arena_printf(writer->printer.arena, "%ldu", plan->workspace_offset[a]);
	for (int k = 0; k < plan->function->symbolic_count; k++)
		names[k] = names_of(&writer->printer.names, plan->function->symbolic[k]);
	return size_workspace_text(writer->printer.arena, plan, a, names, "lrt_ext");
}

/* The sizes that places in the workspace depend on. */
static void use_workspace(struct writer *writer)
{
	const struct plan *plan = writer->printer.plan;
	int last = 0;

	for (int i = 0; i < plan->function->array_count; i++)
		if (plan->workspace_offset[i] >= 0 && is_used(writer, plan->function->arrays[i]))
			last = i;
	for (int i = 0; i < last; i++)
		for (int d = 0; d < plan->function->arrays[i]->rank && plan->workspace_offset[i] >= 0; d++)
			use_affine(writer, plan->function->arrays[i]->shape[d]);
}

static void print_declarations(struct writer *writer)
{
	const struct plan *plan = writer->printer.plan;
	bool uses_buffer = false;

	for (int i = 0; i < plan->buffer_count; i++)
		uses_buffer = uses_buffer || is_used(writer, plan->buffers[i]);
	if (uses_buffer)
		fprintf(writer->out, "\tunsigned char *const %s = lrt_scratchpad();\n",
			writer->scratchpad);
	for (int i = 0; i < plan->buffer_count; i++)
		if (is_used(writer, plan->buffers[i]))
			print_buffer(writer, plan->buffers[i]);
	for (int i = 0; i < plan->function->array_count; i++)
		if (plan->workspace_offset[i] >= 0 && is_used(writer, plan->function->arrays[i]))
			fprintf(writer->out, "\tconst lrt_ext %s = %s + %s;\n",
				names_of(&writer->printer.names, plan->function->arrays[i]),
				writer->workspace, workspace_text(writer, i));
	for (int k = 0; k < plan->function->symbolic_count; k++)
		if (is_used(writer, plan->sizes[k]) && is_converted(plan->function->symbolic[k]))
			fprintf(writer->out, "\tconst int32_t %s = (int32_t)%s;\n",
				names_of(&writer->printer.names, plan->sizes[k]),
				names_of(&writer->printer.names, plan->function->symbolic[k]));
	print_scalars(writer);
}

/* Parameters that the plan has no use for; a caller passes them all the same. */
static void print_unused(struct writer *writer)
{
	const struct plan *plan = writer->printer.plan;
	const struct function *function = plan->function;
	bool uses_workspace = false;

	for (int i = 0; i < function->parameter_count; i++) {
		const struct array *array = function->parameters[i].array;

		if (array && !is_used(writer, array))
			fprintf(writer->out, "\t(void)%s;\n",
				names_of(&writer->printer.names, array));
	}
	for (int k = 0; k < function->symbolic_count; k++)
		if (!is_used(writer, plan->sizes[k]))
			fprintf(writer->out, "\t(void)%s;\n",
				names_of(&writer->printer.names, function->symbolic[k]));
	for (int i = 0; i < function->array_count; i++)
		if (plan->workspace_offset[i] >= 0 && is_used(writer, function->arrays[i]))
			uses_workspace = true;
	if (plan->workspace_bytes > 0 && !uses_workspace)
		fprintf(writer->out, "\t(void)%s;\n", writer->workspace);
}

static void print_function(struct writer *writer)
{
	const struct plan *plan = writer->printer.plan;

	for (int i = 0; i < writer->forms.count; i++)
		transfer_form_print(writer->out, writer->printer.arena,
			&writer->forms.items[i]);
	print_wrapped(writer->out, 0, signature_text(writer->printer.arena, plan, writer->options,
		&writer->printer.names, writer->workspace));
	fputs("\n{\n", writer->out);
	print_declarations(writer);
	print_unused(writer);
	writer->depth = 1;
	for (int i = 0; i < plan->nest_count; i++) {
		fprintf(writer->out, "\n\t/* %s", plan->nests[i].name);
		if (plan->nests[i].location.line > 0)
			fprintf(writer->out, ": line %d of the source", plan->nests[i].location.line);
		fputs(" */\n", writer->out);
		if (writer->options->is_measured)
			fprintf(writer->out, "\tlrt_checked_nest(%d);\n", i);
		print_node(writer, plan->nests[i].body);
	}
	fputs("}\n", writer->out);
}

/* ------------------------------------------------------------------ the comment on top */

/* TEXT inside a comment, its lines indented. */
static void print_quoted(FILE *out, const char *prefix, const char *text)
{
	bool at_start = true;

	for (; *text; text++) {
		if (at_start)
			fputs(prefix, out);
		at_start = *text == '\n';
		fputc(*text, out);
		if (text[0] == '*' && text[1] == '/')
			fputc(' ', out);
	}
	if (!at_start)
		fputc('\n', out);
}

static void print_shape(FILE *out, const struct plan_buffer *buffer)
{
	fputs(buffer->array->type.name, out);
	if (buffer->slots > 1)
		fprintf(out, " %ld x", buffer->slots);
	fputc(' ', out);
	for (int d = 0; d < buffer->rank; d++)
		fprintf(out, "[%ld]", buffer->dims[d].extent);
}

static void print_buffer_map(FILE *out, const struct plan *plan)
{
	if (plan->buffer_count > 0)
		fprintf(out, " *   scratchpad, of %ld bytes:\n", plan->arch->scratchpad_bytes);
	for (int i = 0; i < plan->buffer_count; i++) {
		const struct plan_buffer *buffer = plan->buffers[i];

		fprintf(out, " *     %8ld .. %-8ld %s: ", buffer->offset_bytes,
			buffer->offset_bytes + buffer->bytes, buffer->name);
		print_shape(out, buffer);
		if (buffer->bank >= 0)
			fprintf(out, ", banks %d .. %d", buffer->bank,
				buffer->bank + buffer->bank_count);
		fputc('\n', out);
	}
	if (plan->workspace_bytes > 0)
		fprintf(out, " *   workspace in external memory: %ld bytes\n",
			plan->workspace_bytes);
}

/* What is moved for every value of the symbolic sizes. */
static void print_formulas(FILE *out, const struct plan_nest *nest)
{
	fputs(" *   whatever the sizes:\n", out);
	for (int i = 0; i < nest->traffic_count; i++) {
		const struct plan_traffic *traffic = &nest->traffic[i];
		const char *const formulas[2] = { traffic->read_formula, traffic->write_formula };

		for (int w = 0; w < 2; w++)
			if (!formulas[w])
				fprintf(out, " *     %s %s: no short formula\n", traffic->array->name,
					w ? "written" : "read");
			else if (strcmp(formulas[w], "0") != 0)
				fprintf(out, " *     %s %s: %s\n", traffic->array->name,
					w ? "written" : "read", formulas[w]);
	}
}

static void print_nest_comment(FILE *out, const struct plan_nest *nest, bool is_symbolic)
{
	long read_bytes = 0, write_bytes = 0;

	fprintf(out, " *\n * %s\n", nest->name);
	fprintf(out, " *   bytes moved%s:           read            written\n",
		is_symbolic ? " for the sizes tuned for" : "");
	for (int i = 0; i < nest->traffic_count; i++) {
		const struct plan_traffic *traffic = &nest->traffic[i];

		if (traffic->read_bytes == 0 && traffic->write_bytes == 0)
			continue;
		fprintf(out, " *     %-12s %14ld %14ld\n", traffic->array->name,
			traffic->read_bytes, traffic->write_bytes);
		read_bytes += traffic->read_bytes;
		write_bytes += traffic->write_bytes;
	}
	fprintf(out, " *     %-12s %14ld %14ld\n", "all", read_bytes, write_bytes);
	if (is_symbolic)
		print_formulas(out, nest);
	if (nest->schedule && *nest->schedule) {
		fputs(" *   schedule:\n", out);
		print_quoted(out, " *     ", nest->schedule);
	}
}

static void print_top_comment(FILE *out, const struct plan *const *plans, int count,
	const struct codegen_options *options)
{
	fprintf(out, "/* Written by loopc %s: change the source, not this file.\n",
		options->version ? options->version : "");
	if (count > 0)
		print_quoted(out, " * source:  ", plans[0]->program->file);
	if (options->arguments && *options->arguments)
		print_quoted(out, " * options: ", options->arguments);
	if (count > 0)
		fprintf(out, " * machine: %s\n", plans[0]->arch->name);
	for (int i = 0; i < count; i++) {
		for (int n = 0; n < plans[i]->nest_count; n++)
			print_nest_comment(out, &plans[i]->nests[n],
				plans[i]->function->symbolic_count > 0);
		print_buffer_map(out, plans[i]);
	}
	fputs(" */\n\n", out);
}

/* ------------------------------------------------------------------ the file */

static void print_includes(FILE *out, const struct program *program,
	const struct codegen_options *options)
{
	fputs("#include <stddef.h>\n#include <stdint.h>\n", out);
	for (int i = 0; i < program->include_count; i++)
		fprintf(out, "#include %s\n", program->includes[i]);
	fputs("\n#include \"loopc_rt.h\"\n", out);
	if (options->is_measured)
		fputs("#include \"loopc_checked.h\"\n\nvoid lrt_checked_nest(int nest);\n", out);
	if (options->header)
		fprintf(out, "#include \"%s\"\n", options->header);
	fputc('\n', out);
	for (int i = 0; i < program->prototype_count; i++)
		if (program->prototypes[i].text)
			fprintf(out, "%s\n", program->prototypes[i].text);
}

static void print_helpers(FILE *out, const bool uses_min[2], const bool uses_max[2])
{
	for (int i = 0; i < 4; i++) {
		bool is_min = i < 2, is_wide = i % 2;
		const char *type = is_wide ? "int64_t" : "int32_t";

		if (!(is_min ? uses_min : uses_max)[is_wide])
			continue;
		fprintf(out, "static inline %s loopc_%s%s(%s a, %s b)\n{\n\treturn a %c b ? a : b;\n"
			"}\n\n", type, is_min ? "min" : "max", is_wide ? "64" : "", type, type,
			is_min ? '<' : '>');
	}
}

static void reserve_globals(struct names *globals, const struct plan *const *plans, int count,
	const struct codegen_options *options, struct arena *arena)
{
	const char *prefix = options->prefix ? options->prefix : "";

	names_init(globals, arena, NULL);
	names_add(globals, NULL, "loopc_min");
	names_add(globals, NULL, "loopc_max");
	names_add(globals, NULL, "loopc_min64");
	names_add(globals, NULL, "loopc_max64");
	for (int i = 0; i < count; i++)
		names_add(globals, NULL, arena_printf(arena, "%s%s", prefix,
			plans[i]->function->name));
	for (int i = 0; count > 0 && i < plans[0]->program->prototype_count; i++)
		names_add(globals, NULL, plans[0]->program->prototypes[i].name);
}

/* Copies TEXT to OUT; a line "#line here" sets the line of the file itself. */
static void copy_with_lines(FILE *out, const char *text, const char *output)
{
	static const char marker[] = "#line here\n";
	int line = 1;

	while (*text) {
		const char *end = strchr(text, '\n');
		size_t length = end ? (size_t)(end - text) + 1 : strlen(text);

		if (strncmp(text, marker, sizeof marker - 1) == 0)
			print_line_directive(out, line + 1, output);
		else
			fwrite(text, 1, length, out);
		text += length;
		line++;
	}
}

static bool print_functions(FILE *out, const struct plan *const *plans, int count,
	const struct codegen_options *options, struct arena *arena, bool uses_min[2],
	bool uses_max[2])
{
	struct names globals;

	reserve_globals(&globals, plans, count, options, arena);
	for (int i = 0; i < count; i++) {
		struct writer writer = { .out = out, .options = options };

		writer.printer.arena = arena;
		writer.printer.plan = plans[i];
		if (!transfer_forms_collect(&writer.forms, plans[i], &globals, arena))
			return false;
		name_everything(&writer, &globals);
		for (int n = 0; n < plans[i]->nest_count; n++)
			use_node(&writer, plans[i]->nests[n].body);
		use_workspace(&writer);
		if (i > 0)
			fputc('\n', out);
		print_function(&writer);
		for (int wide = 0; wide < 2; wide++) {
			uses_min[wide] = uses_min[wide] || writer.printer.uses_min[wide];
			uses_max[wide] = uses_max[wide] || writer.printer.uses_max[wide];
		}
	}
	return true;
}

static void print_file(FILE *out, const struct plan *const *plans, int count,
	const struct codegen_options *options, const char *functions, const bool uses_min[2],
	const bool uses_max[2])
{
	print_top_comment(out, plans, count, options);
	if (count > 0)
		print_includes(out, plans[0]->program, options);
	if (!options->header)
		signatures_print(out, plans, count, options);
	fputc('\n', out);
	print_helpers(out, uses_min, uses_max);
	fputs(functions, out);
}

bool codegen_c(FILE *out, const struct plan *const *plans, int count,
	const struct codegen_options *options)
{
	struct arena *arena = arena_new();
	bool uses_min[2] = { false, false }, uses_max[2] = { false, false }, printed;
	char *functions = NULL, *file = NULL;
	size_t size;
	FILE *stream = open_memstream(&functions, &size);

	printed = print_functions(stream, plans, count, options, arena, uses_min, uses_max);
	fclose(stream);
	if (printed) {
		stream = open_memstream(&file, &size);
		print_file(stream, plans, count, options, functions, uses_min, uses_max);
		fclose(stream);
		copy_with_lines(out, file, options->output ? options->output : "kernel.c");
	}
	free(functions);
	free(file);
	arena_free(arena);
	return printed;
}

/* The body of an emitted function: loops, conditions, transfers, waits and assignments. */

#include "codegen/writer.h"

#include <stdint.h>

#include "codegen/ring.h"
#include "codegen/transfer.h"
#include "codegen/wrap.h"
#include "ir/array_time.h"
#include "ir/macs.h"

static void indent(struct writer *writer)
{
	for (int i = 0; i < writer->depth; i++)
		fputc('\t', writer->out);
}

static void print_body(struct writer *writer, const struct plan_node *block)
{
	writer->depth++;
	writer_print_node(writer, block);
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

/* The trace port is told what elements do. */
static bool times_elements(const struct writer *writer)
{
	return writer->printer.plan->arch->array.mac_cycles > 0;
}

static bool has_elements(const struct plan_node *node)
{
	bool found = (node->kind == PLAN_LOOP && node->loop == LOOP_ELEMENT) || (node->body && has_elements(node->body));

	for (int i = 0; i < node->child_count && !found; i++)
		found = has_elements(node->children[i]);
	return found;
}

static void print_loop(struct writer *writer, const struct plan_node *loop)
{
	struct printer *printer = &writer->printer;
	const struct ring *before = rings_open(printer, loop), *rings = printer->rings;

	print_rings(writer, rings, before, true);
	print_loop_header(writer, loop);
	writer->depth++;
	print_rings(writer, rings, before, false);
	writer_print_node(writer, loop->body);
	advance_rings(writer, rings, before);
	if (times_elements(writer) && loop->loop == LOOP_ELEMENT && !has_elements(loop->body))
		print_line(writer, "LRT_ELEMENT();");
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

	if (writer_uses(writer, node->var)) {
		print_line(writer, arena_printf(printer->arena, "const %s %s = %s;", c_type(wide),
			names_of(&printer->names, node->var),
			index_text_as(printer, node->lower, wide).c));
		print_rings(writer, printer->rings, before, false);
		if (!starts_with_let(node->body))
			fputc('\n', writer->out);
	}
	writer_print_node(writer, node->body);
	printer->rings = before;
}

/* Both stand one after the other, and where one condition holds the other does not. */
static bool is_else(const struct plan_node *first, const struct plan_node *second)
{
	return first->kind == PLAN_IF && second->kind == PLAN_IF && first->body->child_count > 0
		&& second->body->child_count > 0 && plan_are_opposite(first->condition, second->condition);
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

void print_line_directive(FILE *out, int line, const char *file)
{
	fprintf(out, "#line %d \"", line);
	for (; *file; file++) {
		if (*file == '"' || *file == '\\')
			fputc('\\', out);
		if (*file == '\n')
			fputs("\\n", out);
		else
			fputc(*file, out);
	}
	fputs("\"\n", out);
}

static void print_compute(struct writer *writer, const struct plan_node *node)
{
	int line = writer->options->line_directives ? node->statement->location.line : 0;
	bool is_timed = writer->printer.plan->arch->core_mac_cycles > 0 || (times_elements(writer) && writer->in_step);
	int macs = writer->options->is_measured || is_timed ? statement_macs(node->statement) : 0;

	if (line > 0)
		print_line_directive(writer->out, line, writer->printer.plan->program->file);
	print_line(writer, arena_printf(writer->printer.arena, "%s;",
		assignment_text(&writer->printer, node)));
	if (line > 0)
		fputs("#line here\n", writer->out);
	if (macs) {
		indent(writer);
		fprintf(writer->out, writer->options->is_measured ? "lrt_checked_macs += %d;\n"
			: "LRT_MACS(%d);\n", macs);
	}
}

static const char *word_text(struct writer *writer, const struct plan_buffer *buffer, const struct plan_expr *slot,
	struct plan_expr *const *at)
{
	struct printer *printer = &writer->printer;
	const char *text = names_of(&printer->names, buffer);

	if (slot)
		text = arena_printf(printer->arena, "%s[%s]", text, index_text(printer, slot).c);
	else if (buffer->rank == 0)
		return arena_printf(printer->arena, "%s[0]", text);
	for (int d = 0; d < buffer->rank; d++)
		text = arena_printf(printer->arena, "%s[%s]", text, index_text(printer, at[d]).c);
	return text;
}

/* Tells the trace port of a word that travels. */
static void print_travel(struct writer *writer, const struct plan_move *move)
{
	static const char *const ways[] = { [WAY_READ] = "LRT_READ", [WAY_WRITE] = "LRT_WRITE",
		[WAY_REDUCE] = "LRT_REDUCE" };
	enum array_way way;
	const struct plan_buffer *buffer;

	if (times_elements(writer) && word_travels(move, &way, &buffer))
		print_line(writer, arena_printf(writer->printer.arena, "LRT_WORD(%s, %d, %d, %d);", ways[way],
			traveller_of(writer->nest, buffer), word_memory(move), buffer->is_double));
}

static void print_step(struct writer *writer, const struct plan_node *step)
{
	writer->in_step = true;
	writer_print_node(writer, step->body);
	writer->in_step = false;
	if (times_elements(writer))
		print_line(writer, "LRT_STEP();");
}

static void print_move(struct writer *writer, const struct plan_move *move)
{
	struct arena *arena = writer->printer.arena;
	const char *from = move->from ? word_text(writer, move->from, move->from_slot, move->from_at) : "0";
	const char *to = word_text(writer, move->to, move->to_slot, move->to_at);
	bool counts[PLAN_WORDS];

	/* sums wrap in their own type, as they do one by one */
	if (move->adds)
		from = arena_printf(arena, "(%s)(%s + %s)", move->to->array->type.name, to, from);
	print_line(writer, arena_printf(arena, "%s = %s;", to, from));
	words_of_move(move, counts);
	for (int w = 0; w < PLAN_WORDS && writer->options->is_measured; w++)
		if (counts[w])
			print_line(writer, arena_printf(arena, "lrt_checked_word(%d, %d);", move->to->array->index, w));
	print_travel(writer, move);
}

static void print_block(struct writer *writer, const struct plan_node *block)
{
	for (int i = 0; i < block->child_count; i++) {
		const struct plan_node *child = block->children[i];

		if (i + 1 < block->child_count && is_else(child, block->children[i + 1]))
			print_if(writer, child, block->children[++i]);
		else
			writer_print_node(writer, child);
	}
}

void writer_print_node(struct writer *writer, const struct plan_node *node)
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
	case PLAN_MOVE:
		print_move(writer, node->move);
		break;
	case PLAN_STEP:
		print_step(writer, node);
		break;
	}
}

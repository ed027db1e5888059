/* Prints a program.  ir/program_read.c reads it back; docs/ir.md describes it. */

#include <stdlib.h>
#include <string.h>

#include "ir/isl_work.h"
#include "ir/program_build.h"

static const char *const reduction_words[] = { NULL, "sum", "product", "min", "max", "and", "or",
	"xor", "user" };

const char *reduction_word(enum reduction reduction)
{
	return reduction_words[reduction];
}

static void print_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void print_place(FILE *out, struct location at)
{
	if (at.line > 0)
		fprintf(out, " @%d:%d", at.line, at.column);
	if (at.line > 0 && at.end_column > at.column)
		fprintf(out, "-%d", at.end_column);
}

static void indent(FILE *out, int depth)
{
	for (int i = 0; i < depth; i++)
		fputs("  ", out);
}

/* What the names in a text are: iterators of STATEMENT (NULL: none) and sizes of
 * FUNCTION. */
struct names {
	const struct function *function;
	const struct statement *statement;
};

static void print_term(FILE *out, long coefficient, const char *name, bool is_first)
{
	if (!coefficient)
		return;
	unsigned long magnitude = coefficient < 0 ? 0UL - (unsigned long)coefficient :
		(unsigned long)coefficient;
	fputs(coefficient < 0 ? is_first ? "-" : " - " : is_first ? "" : " + ", out);
	if (magnitude != 1)
		fprintf(out, "%lu*", magnitude);
	fputs(name, out);
}

/* "2*i - j + N + 3" */
static void print_affine(FILE *out, const struct names *names, struct affine affine)
{
	bool is_first = true;
	for (int i = 0; names->statement && i < names->statement->depth; i++) {
		print_term(out, affine.coefficients[i], names->statement->loops[i]->name, is_first);
		is_first &= !affine.coefficients[i];
	}
	for (int k = 0; k < names->function->symbolic_count; k++) {
		print_term(out, affine_size(affine, k), names->function->symbolic[k]->name, is_first);
		is_first &= !affine_size(affine, k);
	}
	if (is_first)
		fprintf(out, "%ld", affine.constant);
	else if (affine.constant)
		fprintf(out, " %c %lu", affine.constant < 0 ? '-' : '+', affine.constant < 0 ?
			0UL - (unsigned long)affine.constant : (unsigned long)affine.constant);
}

static void print_access(FILE *out, const struct names *names,
	const struct access *access)
{
	fputs(access->array->name, out);
	for (int d = 0; d < access->array->rank; d++) {
		fputc('[', out);
		print_affine(out, names, access->subscripts[d]);
		fputc(']', out);
	}
}

static void print_literal(FILE *out, const struct expr *expr)
{
	struct type type;
	if (!type_of_number(expr->text, &type) || type.kind != expr->type.kind ||
	    strcmp(type.name, expr->type.name))
		fprintf(out, "%s:", expr->type.name);
	fputs(expr->text, out);
}

static void print_expr(FILE *out, const struct names *names, const struct expr *expr)
{
	switch (expr->kind) {
	case EXPR_LITERAL:
		print_literal(out, expr);
		break;
	case EXPR_AFFINE:
		fprintf(out, "{%s: ", expr->type.name);
		print_affine(out, names, expr->affine);
		fputc('}', out);
		break;
	case EXPR_ACCESS:
		print_access(out, names, &names->statement->accesses[expr->access]);
		break;
	case EXPR_UNARY:
		fprintf(out, "(%s ", expr->operator);
		print_expr(out, names, expr->operands[0]);
		fputc(')', out);
		break;
	case EXPR_BINARY:
		fputc('(', out);
		print_expr(out, names, expr->operands[0]);
		fprintf(out, " %s ", expr->operator);
		print_expr(out, names, expr->operands[1]);
		fputc(')', out);
		break;
	case EXPR_CONDITIONAL:
		fputc('(', out);
		print_expr(out, names, expr->operands[0]);
		fputs(" ? ", out);
		print_expr(out, names, expr->operands[1]);
		fputs(" : ", out);
		print_expr(out, names, expr->operands[2]);
		fputc(')', out);
		break;
	case EXPR_CAST:
		fprintf(out, "((%s) ", expr->type.name);
		print_expr(out, names, expr->operands[0]);
		fputc(')', out);
		break;
	case EXPR_CALL:
		fprintf(out, "%s %s(", expr->type.name, expr->text);
		for (int i = 0; i < expr->operand_count; i++) {
			fputs(i ? ", " : "", out);
			print_expr(out, names, expr->operands[i]);
		}
		fputc(')', out);
		break;
	}
}

isl_set *set_as_text(__isl_take isl_set *set)
{
	enum { TRIES = 10 };
	char *text = isl_set_to_str(set);
	bool is_same = false;
	for (int i = 0; i < TRIES && text && !is_same; i++) {
		isl_ctx *ctx = isl_set_get_ctx(set);
		unsigned long limit = isl_work_pause(ctx);
		isl_set *again = isl_set_read_from_str(ctx, text);
		isl_work_resume(ctx, limit);
		char *next = isl_set_to_str(again);
		is_same = next && !strcmp(text, next);
		isl_set_free(set);
		free(text);
		set = again;
		text = next;
	}
	free(text);
	return set;
}

static void print_domain(FILE *out, isl_set *domain)
{
	isl_set *set = set_as_text(isl_set_copy(domain));
	char *text = isl_set_to_str(set);
	fputs(text ? text : "{ }", out);
	free(text);
	isl_set_free(set);
}

static void print_statement(FILE *out, const struct function *function,
	const struct statement *statement, int depth)
{
	const struct names names = { function, statement };
	indent(out, depth);
	fprintf(out, "%s at %d", statement->name, statement->position);
	print_place(out, statement->location);
	if (statement->reduction != REDUCTION_NONE)
		fprintf(out, " %s", reduction_word(statement->reduction));
	fputc('\n', out);
	indent(out, depth + 1);
	fputs("domain ", out);
	print_domain(out, statement->domain);
	fputc('\n', out);
	indent(out, depth + 1);
	print_access(out, &names, &statement->accesses[0]);
	fputs(" = ", out);
	print_expr(out, &names, statement->value);
	fputc('\n', out);
}

/* Loops and statements of a function are both in source order: a walk that takes
 * whichever comes first. */
struct walk {
	FILE *out;
	const struct function *function;
	int loop, statement;
};

static void print_body(struct walk *walk, const struct loop *parent, int depth)
{
	const struct function *function = walk->function;
	int level = parent ? parent->depth + 1 : 0;
	for (;;) {
		const struct loop *loop = walk->loop < function->loop_count ?
			function->loops[walk->loop] : NULL;
		const struct statement *statement = walk->statement < function->statement_count ?
			function->statements[walk->statement] : NULL;
		bool has_loop = loop && loop->parent == parent;
		bool has_statement = statement && statement->depth == level &&
			(level == 0 || statement->loops[level - 1] == parent);
		if (has_statement && !(has_loop && loop->position < statement->position)) {
			walk->statement++;
			print_statement(walk->out, function, statement, depth);
		} else if (has_loop) {
			walk->loop++;
			indent(walk->out, depth);
			fprintf(walk->out, "for %s step %ld at %d", loop->name, loop->step,
				loop->position);
			print_place(walk->out, loop->location);
			fputs(" {\n", walk->out);
			print_body(walk, loop, depth + 1);
			indent(walk->out, depth);
			fputs("}\n", walk->out);
		} else {
			return;
		}
	}
}

static void print_array(FILE *out, const struct function *function, const struct array *array)
{
	const struct names names = { function, NULL };
	fprintf(out, "  %s %s : %s%s", array->is_parameter ? "parameter" : "local", array->name,
		array->is_const && array->rank ? "const " : "", array->type.name);
	for (int d = 0; d < array->rank; d++) {
		fputs(d ? "[" : " [", out);
		print_affine(out, &names, array->shape[d]);
		fputc(']', out);
	}
	if (array->scope)
		fprintf(out, " in loop %d", array->scope->index);
	print_place(out, array->location);
	fputc('\n', out);
}

static void print_pragma(FILE *out, const struct pragma *pragma)
{
	fputs("  pragma ", out);
	print_string(out, pragma->text);
	if (pragma->loop)
		fprintf(out, " before loop %d", pragma->loop->index);
	print_place(out, pragma->location);
	fputc('\n', out);
}

static void print_size(FILE *out, const struct size *size)
{
	fprintf(out, "  size %s : %s = %ld", size->name, size->type_name, size->value);
	if (size->is_symbolic)
		fprintf(out, " symbolic to %ld", size->max);
	fputc('\n', out);
}

static void print_function(FILE *out, const struct function *function)
{
	fprintf(out, "function %s%s", function->name, function->is_static ? " static" : "");
	print_place(out, function->location);
	fputs(" {\n", out);
	for (int i = 0; i < function->parameter_count; i++) {
		const struct parameter *parameter = &function->parameters[i];
		if (parameter->size)
			print_size(out, parameter->size);
		else
			print_array(out, function, parameter->array);
	}
	for (int i = 0; i < function->array_count; i++)
		if (!function->arrays[i]->is_parameter)
			print_array(out, function, function->arrays[i]);
	for (int i = 0; i < function->pragma_count; i++)
		print_pragma(out, &function->pragmas[i]);
	struct walk walk = { .out = out, .function = function };
	print_body(&walk, NULL, 1);
	fputs("}\n", out);
}

void program_print(FILE *out, const struct program *program)
{
	fputs("program ", out);
	print_string(out, program->file);
	fputc('\n', out);
	for (int i = 0; i < program->include_count; i++)
		fprintf(out, "include %s\n", program->includes[i]);
	for (int i = 0; i < program->prototype_count; i++) {
		const struct prototype *prototype = &program->prototypes[i];
		fprintf(out, "prototype %s", prototype->name);
		if (prototype->text) {
			fputc(' ', out);
			print_string(out, prototype->text);
		}
		fputc('\n', out);
	}
	for (int i = 0; i < program->function_count; i++)
		print_function(out, program->functions[i]);
}

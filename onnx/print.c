#include "onnx/print.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "onnx/function.h"
#include "onnx/place.h"

/* ---- names ---- */

/* Also not in capitals, which macros are in. */
static const char *const reserved[] = { "auto", "break", "case", "char", "const", "continue", "default", "do",
	"double", "else", "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
	"restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union",
	"unsigned", "void", "volatile", "while", "bool", "true", "false", "asm", "main", "NAN", "INFINITY",
	/* of macros */
	"scratchpad", "stack", "read", "write", "weights",
	/* of nests */
	"sum", "value", "mean", "variance", "scale", "peak", "squares", "best", "place", "scaled", "low", "high",
	"copy", "workspace", "abs", "div", "log", "exp", "pow", "sin", "cos", "tan", "sqrt", "erf", "tanh", "fabs",
	"rint", "floor", "ceil", "fmod", "round", "gamma", "index", "time", "gain", "remainder", "scalb",
	"j0", "j1", "y0", "y1", "jn", "yn", "fmax", "fmin", "fma", "hypot", "cbrt", "logb", "expf", "powf" };

static bool is_reserved(const char *name)
{
	for (size_t r = 0; r < sizeof(reserved) / sizeof(reserved[0]); r++)
		if (!strcasecmp(reserved[r], name))
			return true;
	/* A letter and digits, or the like, is a loop. */
	const size_t letters = strcspn(name, "0123456789_");
	return letters <= 1 || (strstr(name, "_in") == name + 1);
}

const char *print_name(struct arena *arena, const char *name)
{
	char *text = arena_strndup(arena, name, strlen(name) > 60 ? 60 : strlen(name));

	for (char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	if (!*text || isdigit((unsigned char)*text) || is_reserved(text) || !strncmp(text, "lrt", 3) ||
	    !strncmp(text, "loopc", 5) || *text == '_')
		return arena_printf(arena, "t_%s", text);
	return text;
}

struct names {
	struct network *network;
	const char **taken;
	size_t count, capacity;
	struct value **weights;
	size_t weight_count, weight_capacity;
	struct nest *nest;
};

/* Are they the same but for case?  The header's constants are in capitals. */
static bool is_taken(const struct names *names, const char *name)
{
	for (size_t n = 0; n < names->count; n++)
		if (!strcasecmp(names->taken[n], name))
			return true;
	return false;
}

static void take_name(struct names *names, const char *name)
{
	names->taken = arena_grow(names->network->arena, names->taken, names->count, &names->capacity,
		sizeof(names->taken[0]));
	names->taken[names->count++] = name;
}

static void give_name(struct names *names, struct value *value)
{
	struct arena *arena = names->network->arena;
	const char *base = print_name(arena, value->name), *name = base;

	if (value->c_name)
		return;
	for (int n = 2; is_taken(names, name); n++)
		name = arena_printf(arena, "%s_%d", base, n);
	take_name(names, name);
	value->c_name = name;
}

static void name_access(struct expression *access, bool is_written, void *user)
{
	struct names *names = user;
	struct index at[RANK_LIMIT];
	struct value *owner = place_access(names->nest, access, at);

	(void)is_written;
	if (owner->constant && !owner->c_name) {
		names->weights = arena_grow(names->network->arena, names->weights, names->weight_count,
			&names->weight_capacity, sizeof(names->weights[0]));
		names->weights[names->weight_count++] = owner;
	}
	give_name(names, owner);
}

void print_prepare(struct network *network, struct value ***weights, int *count)
{
	struct names names = { .network = network };

	take_name(&names, network->name);
	for (int f = 0; f < network->function_count; f++)
		take_name(&names, network->functions[f].name);
	for (int i = 0; i < network->input_count; i++)
		if (!network->inputs[i]->constant)
			give_name(&names, network->inputs[i]);
	for (int o = 0; o < network->output_count; o++)
		give_name(&names, network->outputs[o]);
	for (struct nest *nest = network->first_nest; nest; nest = nest->next) {
		names.nest = nest;
		block_visit(&nest->block, name_access, &names);
	}
	*weights = names.weights;
	*count = (int)names.weight_count;
}

/* ---- expressions ---- */

struct printer {
	FILE *out;
	struct arena *arena;
	struct nest *nest;
	int indent;
	const char *scope[64];           /* names of loops that are open */
	int scope_count;
	bool has_local[64];
};

static const struct {
	const char *text;
	int precedence;
} binaries[BINARY_COUNT] = { [ADD] = { "+", 9 }, [SUBTRACT] = { "-", 9 }, [MULTIPLY] = { "*", 10 },
	[DIVIDE] = { "/", 10 }, [REMAINDER] = { "%", 10 }, [SHIFT_LEFT] = { "<<", 8 }, [SHIFT_RIGHT] = { ">>", 8 },
	[BIT_AND] = { "&", 5 }, [LESS] = { "<", 7 }, [GREATER] = { ">", 7 }, [LESS_EQUAL] = { "<=", 7 },
	[GREATER_EQUAL] = { ">=", 7 }, [EQUAL] = { "==", 6 }, [UNEQUAL] = { "!=", 6 }, [AND] = { "&&", 3 },
	[OR] = { "||", 2 } };

static void print_index(struct printer *p, const struct index *index)
{
	const char *sign = "";

	for (int t = 0; t < index->count; t++) {
		const int64_t factor = index->terms[t].factor;
		const char *name = p->nest->loops[index->terms[t].loop].name;
		if (!factor)
			continue;
		fprintf(p->out, "%s", factor < 0 ? (*sign ? " - " : "-") : sign);
		if (factor != 1 && factor != -1)
			fprintf(p->out, "%" PRId64 " * ", factor < 0 ? -factor : factor);
		fputs(name, p->out);
		sign = " + ";
	}
	if (!*sign)
		fprintf(p->out, "%" PRId64, index->constant);
	else if (index->constant)
		fprintf(p->out, " %c %" PRId64, index->constant < 0 ? '-' : '+',
			index->constant < 0 ? -index->constant : index->constant);
}

static void print_access(struct printer *p, const struct expression *access)
{
	struct index at[RANK_LIMIT];
	const struct value *owner = place_access(p->nest, access, at);
	const struct storage storage = place_storage(owner);

	fputs(owner->c_name, p->out);
	for (int s = 0; s < storage.rank; s++) {
		struct index index = index_constant(0);
		const int d = storage.first[s];
		for (int e = d; e <= storage.last[s]; e++)
			index = index_sum(index_scaled(index, owner->shape.dims[e]), at[e]);
		if (d == storage.last[s] && owner->constant && owner->split_count[d] > 1) {
			int64_t stride = owner->shape.dims[d];
			for (int n = 0; n < owner->split_count[d]; n++) {
				stride /= owner->splits[d][n];
				for (int t = 0; t < index.count; t++)
					if (index.terms[t].factor == stride)
						fprintf(p->out, "[%s]", p->nest->loops[index.terms[t].loop].name);
			}
			continue;
		}
		putc('[', p->out);
		print_index(p, &index);
		putc(']', p->out);
	}
	if (!storage.rank)
		fputs("[0]", p->out);
}

static void print_number(struct printer *p, enum type type, double number)
{
	char text[64];

	if (isnan(number) || isinf(number)) {
		fputs(isnan(number) ? "NAN" : number < 0 ? "-INFINITY" : "INFINITY", p->out);
		return;
	}
	snprintf(text, sizeof(text), type == TYPE_FLOAT ? "%.9g" : "%.17g", number);
	for (int digits = 6; digits < 17; digits++) {
		char shorter[64];
		snprintf(shorter, sizeof(shorter), "%.*g", digits, number);
		double back;
		sscanf(shorter, "%lf", &back);
		if (type == TYPE_FLOAT ? (float)back == (float)number : back == number) {
			strcpy(text, shorter);
			break;
		}
	}
	fprintf(p->out, "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0", type == TYPE_FLOAT ? "f" : "");
}

static void print_integer(struct printer *p, int64_t integer)
{
	if (integer == INT64_MIN)
		fputs("(-9223372036854775807 - 1)", p->out);
	else if (integer == INT32_MIN)
		fputs("(-2147483647 - 1)", p->out);
	else
		fprintf(p->out, "%" PRId64 "%s", integer, integer > INT32_MAX || integer < INT32_MIN ? "LL" : "");
}

static void print_expression(struct printer *p, const struct expression *e, int around)
{
	int own = 12;

	if (e->kind == EXPRESSION_BINARY)
		own = binaries[e->binary].precedence;
	else if (e->kind == EXPRESSION_CHOOSE)
		own = 1;
	else if (e->kind == EXPRESSION_CAST || e->kind == EXPRESSION_NEGATE || e->kind == EXPRESSION_NOT)
		own = 11;
	if (own < around)
		putc('(', p->out);
	switch (e->kind) {
	case EXPRESSION_INTEGER: print_integer(p, e->integer); break;
	case EXPRESSION_NUMBER: print_number(p, e->type, e->number); break;
	case EXPRESSION_INDEX: {
		const struct index index = place_expanded(p->nest, e->subscripts);
		putc('(', p->out);
		print_index(p, &index);
		putc(')', p->out);
		break;
	}
	case EXPRESSION_READ: print_access(p, e); break;
	case EXPRESSION_LOCAL: fputs(p->nest->locals[e->integer].name, p->out); break;
	case EXPRESSION_CALL:
		fprintf(p->out, "%s%s(", e->function, e->type == TYPE_FLOAT ? "f" : "");
		print_expression(p, e->arguments[0], 0);
		if (e->arguments[1]) {
			fputs(", ", p->out);
			print_expression(p, e->arguments[1], 0);
		}
		putc(')', p->out);
		break;
	case EXPRESSION_BINARY: {
		/* Shifts and bits in parentheses, as compilers want them. */
		const bool is_odd = e->binary == BIT_AND || e->binary == SHIFT_LEFT || e->binary == SHIFT_RIGHT;
		print_expression(p, e->arguments[0], is_odd ? 11 : own);
		fprintf(p->out, " %s ", binaries[e->binary].text);
		print_expression(p, e->arguments[1], is_odd ? 11 : own + 1);
		break;
	}
	case EXPRESSION_NEGATE:
	case EXPRESSION_NOT:
		putc(e->kind == EXPRESSION_NOT ? '!' : '-', p->out);
		print_expression(p, e->arguments[0], 12);
		break;
	case EXPRESSION_CAST:
		fprintf(p->out, "(%s)", type_infos[e->type].c_name);
		print_expression(p, e->arguments[0], 11);
		break;
	default:
		print_expression(p, e->arguments[0], 2);
		fputs(" ? ", p->out);
		print_expression(p, e->arguments[1], 2);
		fputs(" : ", p->out);
		print_expression(p, e->arguments[2], 1);
	}
	if (own < around)
		putc(')', p->out);
}

/* ---- statements ---- */

static void begin_line(struct printer *p)
{
	for (int i = 0; i < p->indent; i++)
		putc('\t', p->out);
}

static const char *fresh_name(struct printer *p, const char *name)
{
	const char *base = name;

	for (int n = 1, s = 0; s < p->scope_count; s++)
		if (!strcmp(p->scope[s], name)) {
			name = arena_printf(p->arena, "%s%d", base, n++);
			s = -1;
		}
	if (p->scope_count < 64)
		p->scope[p->scope_count++] = name;
	return name;
}

static void print_block(struct printer *p, const struct block *block);

static int print_loop_head(struct printer *p, int loop)
{
	struct loop *l = &p->nest->loops[loop];

	if (l->split_count) {
		int count = 0;
		for (int s = 0; s < l->split_count; s++)
			count += print_loop_head(p, p->nest->loops[loop].split[s]);
		return count;
	}
	l->name = fresh_name(p, l->name);
	begin_line(p);
	fprintf(p->out, "for (int %s = 0; %s < %" PRId64 "; %s++)", l->name, l->name, l->extent, l->name);
	p->indent++;
	return 1;
}

static bool is_single(const struct block *block)
{
	return block->first && !block->first->next && block->first->kind != STATEMENT_LOCAL;
}

/* Braces around more than one statement; loops follow each other on lines of their own. */
static void print_body(struct printer *p, const struct block *block, int depth)
{
	const bool is_plain = is_single(block);

	fputs(is_plain ? "\n" : " {\n", p->out);
	print_block(p, block);
	p->indent -= depth;
	if (!is_plain) {
		p->indent += depth - 1;
		begin_line(p);
		fputs("}\n", p->out);
		p->indent -= depth - 1;
	}
}

static void print_condition(struct printer *p, const struct condition *condition)
{
	struct index index = place_expanded(p->nest, &condition->index);
	const int64_t constant = index.constant;
	const char *and = "";
	int64_t low, high;

	index_range(p->nest, &condition->index, &low, &high);
	index.constant = 0;
	if (low < condition->low) {
		print_index(p, &index);
		fprintf(p->out, " >= %" PRId64, condition->low - constant);
		and = " && ";
	}
	if (high > condition->high) {
		fputs(and, p->out);
		print_index(p, &index);
		fprintf(p->out, " <= %" PRId64, condition->high - constant);
	}
}

static void print_statement(struct printer *p, const struct statement *s)
{
	const int scope = p->scope_count;
	int depth;

	switch (s->kind) {
	case STATEMENT_LOOP: {
		const struct loop *loop = &p->nest->loops[s->loop];
		if (loop->split_count) {
			int opened = 0;
			for (int i = 0; i < loop->split_count; i++) {
				if (opened++)
					putc('\n', p->out);
				depth = print_loop_head(p, loop->split[i]);
				opened += depth - 1;
			}
			print_body(p, &s->body, opened);
		} else {
			print_body(p, &s->body, print_loop_head(p, s->loop));
		}
		p->scope_count = scope;
		break;
	}
	case STATEMENT_IF:
		begin_line(p);
		fputs("if (", p->out);
		for (int c = 0; c < s->condition_count; c++) {
			if (c)
				fputs(" && ", p->out);
			print_condition(p, &s->conditions[c]);
		}
		putc(')', p->out);
		p->indent++;
		print_body(p, &s->body, 1);
		if (s->otherwise.first) {
			begin_line(p);
			fputs("else", p->out);
			p->indent++;
			print_body(p, &s->otherwise, 1);
		}
		break;
	case STATEMENT_LOCAL:
		begin_line(p);
		p->nest->locals[s->target->integer].name = fresh_name(p, p->nest->locals[s->target->integer].name);
		fprintf(p->out, "%s %s", type_infos[s->target->type].c_name,
			p->nest->locals[s->target->integer].name);
		if (s->expression) {
			fputs(" = ", p->out);
			print_expression(p, s->expression, 0);
		}
		fputs(";\n", p->out);
		break;
	default:
		begin_line(p);
		print_expression(p, s->target, 0);
		fprintf(p->out, " %s= ", s->is_update ? binaries[s->update].text : "");
		print_expression(p, s->expression, 0);
		fputs(";\n", p->out);
	}
}

static void print_block(struct printer *p, const struct block *block)
{
	const int scope = p->scope_count;

	for (const struct statement *s = block->first; s; s = s->next)
		print_statement(p, s);
	p->scope_count = scope;
}

/* ---- the function ---- */

static void print_array(FILE *out, const struct value *value)
{
	const struct storage storage = place_storage(value);

	fprintf(out, "%s %s", type_infos[value->type].c_name, value->c_name);
	for (int s = 0; s < storage.rank; s++) {
		const int d = storage.first[s];
		if (d == storage.last[s] && value->constant && value->split_count[d] > 1)
			for (int n = 0; n < value->split_count[d]; n++)
				fprintf(out, "[%" PRId64 "]", value->splits[d][n]);
		else
			fprintf(out, "[%" PRId64 "]", storage.dims[s]);
	}
	if (!storage.rank)
		fputs("[1]", out);
}

/* Names of the file are text in a comment. */
static void print_comment(FILE *out, const char *text)
{
	fputs("\n\t/* ", out);
	for (; *text; text++)
		if (*text == '\n')
			fputs("\n\t * ", out);
		else if (*text == '/' && text[1] == '*')
			fputs("/ ", out);
		else if (*text == '*' && text[1] == '/')
			fputs("* ", out);
		else
			putc(isprint((unsigned char)*text) || *text & 128 ? *text : '?', out);
	fputs(" */\n", out);
}

static void print_nest(FILE *out, struct network *network, struct nest *nest)
{
	struct printer printer = { .out = out, .arena = network->arena, .nest = nest, .indent = 1 };

	print_comment(out, nest->comment ? nest->comment : "a copy");
	if (nest->block.first && nest->block.first->kind == STATEMENT_LOOP) {
		print_block(&printer, &nest->block);
		return;
	}
	/* Alone, statements that no loop is around get one. */
	fputs("\tfor (int one = 0; one < 1; one++) {\n", out);
	printer.indent = 2;
	print_block(&printer, &nest->block);
	fputs("\t}\n", out);
}

static void print_function(FILE *out, struct network *network, const struct function *function)
{
	fprintf(out, "\nvoid %s(", function->name);
	for (int p = 0; p < function->parameter_count; p++) {
		fprintf(out, "%s%s", p ? ",\n\t" : "", p < function->read_count ? "const " : "");
		print_array(out, function->parameters[p]);
	}
	fputs(")\n{\n", out);
	for (int l = 0; l < function->local_count; l++) {
		putc('\t', out);
		print_array(out, function->locals[l]);
		fputs(";\n", out);
	}
	for (struct nest *nest = function->first; nest != function->end; nest = nest->next)
		print_nest(out, network, nest);
	fputs("}\n", out);
}

void print_loops(FILE *out, struct network *network)
{
	fprintf(out, "/* Written by loopc-onnx from %s. */\n\n#include <math.h>\n#include <stdint.h>\n", network->file);
	for (int f = 0; f < network->function_count; f++)
		print_function(out, network, &network->functions[f]);
}

/* ---- names in reports ---- */

/* "conv1 (Conv): 1x3x8x8 -> ...", a line for each node, as "conv1, relu1". */
static void print_nodes(FILE *out, const char *comment)
{
	const char *comma = "";

	while (*comment) {
		const size_t line = strcspn(comment, "\n");
		const char *end = strstr(comment, " (");
		const size_t name = end && end < comment + line ? (size_t)(end - comment) : strcspn(comment, ":\n");
		fputs(comma, out);
		for (size_t c = 0; c < name; c++)
			putc(isprint((unsigned char)comment[c]) && !strchr("\"\\&", comment[c]) ? comment[c] : '_', out);
		comma = " + ";
		comment += line + (comment[line] == '\n');
	}
}

static void print_layers_of(FILE *out, const struct function *function)
{
	int count = 0;

	for (const struct nest *nest = function->first; nest != function->end; nest = nest->next) {
		fprintf(out, "\tlayer[\"%s\", %d] = \"", function->name, count++);
		print_nodes(out, nest->comment);
		fputs("\"\n", out);
	}
	fprintf(out, "\tcount[\"%s\"] = %d\n", function->name, count);
}

void print_layers(FILE *out, const struct network *network)
{
	fprintf(out, "# The nodes of each nest, for `make report` and `make strategies`; then a table of what is fused.\nBEGIN {\n");
	for (int f = 0; f < network->function_count; f++)
		print_layers_of(out, &network->functions[f]);
	fputs("}\nfunction nodes(   n, text)\n{\n\tfor (n = first; n <= last; n++)\n"
		"\t\ttext = text (text == \"\" ? \"\" : \", \") layer[name, n]\n\treturn text\n}\n"
		"# FUNCTION.FIRST or FUNCTION.FIRST-LAST; FUNCTION alone is one of one nest.\n"
		"function range(word,   dot, ends)\n{\n\tsub(/:$/, \"\", word)\n\tdot = index(word, \".\")\n"
		"\tname = dot ? substr(word, 1, dot - 1) : word\n\tif (!(name in count) || (!dot && count[name] != 1))\n"
		"\t\treturn 0\n\tfirst = last = 0\n\tif (dot) {\n"
		"\t\tif (substr(word, dot + 1) !~ /^[0-9]+(-[0-9]+)?$/)\n\t\t\treturn 0\n"
		"\t\tsplit(substr(word, dot + 1), ends, \"-\")\n\t\tfirst = ends[1] + 0\n"
		"\t\tlast = (2 in ends) ? ends[2] + 0 : first\n\t}\n\treturn last < count[name]\n}\n"
		"{ print }\n"
		"range($1) && / on / { at++; what[at] = $1; made_of[at] = nodes(); print \"  layers: \" made_of[at] }\n"
		"range($1) && !/ on / && !($1 in shown) { shown[$1]; print \"  = \" nodes() }\n"
		"at && $1 == \"total\" { moved[at] = $NF }\n"
		"at && /^  lower bound/ { for (f = 3; f <= NF; f++) if ($f ~ /^[0-9,]+$/) bound[at] = $f }\n"
		"at && $1 == \"multiply-accumulates\" { macs[at] = $NF }\n"
		"END {\n\tif (at)\n\t\tprintf \"\\n%-20s %15s %15s %17s  %s\\n\", \"nests\", \"bytes moved\", \"lower bound\", "
		"\"MACs\", \"layers fused\"\n"
		"\tfor (n = 1; n <= at; n++)\n\t\tprintf \"%-20s %15s %15s %17s  %s\\n\", what[n], moved[n], bound[n], macs[n], made_of[n]\n}\n",
		out);
}

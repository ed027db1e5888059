/* Reads what ir/plan_print.c writes.  Nothing is folded, so that it prints back as it
 * was.  Errors go to the diagnostics; the first ends the parse. */

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ir/plan.h"

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_PUNCTUATION };

struct parser {
	struct arena *arena;
	struct diag *diag;
	const char *file;
	const char *next;            /* the text behind the token */
	int line;
	const char *line_start;
	enum token_kind kind;
	const char *text;            /* of the token; a string's content */
	struct location at;
	bool failed;
	int depth;                   /* of nesting, bounded against overflow of the stack */
	const struct program *program;
	struct plan *plan;
	int var_count;
	size_t var_capacity;
	struct plan_var **vars;
};

enum { NESTING_LIMIT = 400 };

/* ------------------------------------------------------------------ tokens */

static void fail(struct parser *parser, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void fail(struct parser *parser, const char *format, ...)
{
	char text[256];
	va_list arguments;

	if (parser->failed)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	diag_error(parser->diag, parser->at, "%s", text);
	parser->failed = true;
	parser->kind = TOKEN_END;
	parser->text = "";
}

static void skip_space(struct parser *parser)
{
	while (isspace((unsigned char)*parser->next) || *parser->next == '#') {
		if (*parser->next == '#') {
			parser->next += strcspn(parser->next, "\n");
			continue;
		}
		if (*parser->next == '\n') {
			parser->line++;
			parser->line_start = parser->next + 1;
		}
		parser->next++;
	}
}

static void read_string(struct parser *parser)
{
	const char *c = parser->next + 1;
	char *text = arena_alloc(parser->arena, strcspn(c, "\n") + 1), *end = text;

	for (; *c != '"'; c++) {
		if (*c == '\0' || *c == '\n' || (*c == '\\' && (c[1] == '\0' || c[1] == '\n'))) {
			fail(parser, "the string has no end on its line");
			return;
		}
		if (*c == '\\' && *++c == 'n')
			*end++ = '\n';
		else
			*end++ = *c;
	}
	parser->kind = TOKEN_STRING;
	parser->text = text;
	parser->next = c + 1;
}

static size_t number_length(const char *text)
{
	size_t length = *text == '-' ? 1 : 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '.'
		|| ((text[length] == '+' || text[length] == '-') && length > 0
			&& text[length - 1] == 'e'))
		length++;
	return length;
}

static size_t punctuation_length(const char *text)
{
	static const char *const pairs[] = { "==", "<=", "&&", "||" };

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (strncmp(text, pairs[i], 2) == 0)
			return 2;
	return 1;
}

static void advance(struct parser *parser)
{
	const char *start;
	size_t length = 0;

	if (parser->failed)
		return;
	skip_space(parser);
	start = parser->next;
	parser->at = (struct location){ parser->file, parser->line,
		(int)(start - parser->line_start) + 1, 0 };
	if (*start == '"') {
		read_string(parser);
		return;
	}
	if (isalpha((unsigned char)*start) || *start == '_') {
		parser->kind = TOKEN_NAME;
		while (isalnum((unsigned char)start[length]) || start[length] == '_'
			|| start[length] == '.')
			length++;
	} else if (isdigit((unsigned char)*start)
		|| (*start == '-' && isdigit((unsigned char)start[1]))) {
		parser->kind = TOKEN_NUMBER;
		length = number_length(start);
	} else if (*start) {
		parser->kind = TOKEN_PUNCTUATION;
		length = punctuation_length(start);
	} else {
		parser->kind = TOKEN_END;
	}
	parser->text = arena_strndup(parser->arena, start, length);
	parser->next = start + length;
	parser->at.end_column = parser->at.column + (int)length;
}

static bool is_at(const struct parser *parser, const char *text)
{
	return (parser->kind == TOKEN_NAME || parser->kind == TOKEN_PUNCTUATION)
		&& strcmp(parser->text, text) == 0;
}

/* Takes the token if it is TEXT. */
static bool take(struct parser *parser, const char *text)
{
	if (parser->failed || !is_at(parser, text))
		return false;
	advance(parser);
	return true;
}

static void expect(struct parser *parser, const char *text)
{
	if (!take(parser, text))
		fail(parser, parser->kind == TOKEN_END ? "expected '%s' before the end of the plan"
			: "expected '%s', found '%s'", text, parser->text);
}

static const char *take_name(struct parser *parser, const char *what)
{
	const char *name = parser->text;

	if (parser->kind != TOKEN_NAME) {
		fail(parser, "expected %s, found '%s'", what, parser->text);
		return "";
	}
	advance(parser);
	return name;
}

static long take_number(struct parser *parser)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(parser->text, &end, 10);
	if (parser->kind != TOKEN_NUMBER || *end || errno) {
		fail(parser, "expected an integer, found '%s'", parser->text);
		return 0;
	}
	advance(parser);
	return value;
}

static int take_int(struct parser *parser)
{
	long value = take_number(parser);

	if (value != (int)value)
		fail(parser, "%ld is too large here", value);
	return (int)value;
}

static double take_real(struct parser *parser)
{
	char *end;
	double value = strtod(parser->text, &end);

	if (parser->kind != TOKEN_NUMBER || *end) {
		fail(parser, "expected a number, found '%s'", parser->text);
		return 0;
	}
	advance(parser);
	return value;
}

/* One string, or several that follow each other. */
static const char *take_string(struct parser *parser)
{
	const char *text = "";

	if (parser->kind != TOKEN_STRING)
		fail(parser, "expected a string, found '%s'", parser->text);
	while (parser->kind == TOKEN_STRING && !parser->failed) {
		text = *text ? arena_printf(parser->arena, "%s%s", text, parser->text)
			: parser->text;
		advance(parser);
	}
	return text;
}

static long named_number(struct parser *parser, const char *name)
{
	expect(parser, name);
	return take_number(parser);
}

/* ------------------------------------------------------------------ expressions */

static struct plan_expr *parse_expr(struct parser *parser);

static struct plan_var *find_var(const struct parser *parser, const char *name)
{
	for (int i = 0; i < parser->var_count; i++)
		if (strcmp(parser->vars[i]->name, name) == 0)
			return parser->vars[i];
	for (int k = 0; parser->plan->function && k < parser->plan->function->symbolic_count; k++)
		if (strcmp(parser->plan->sizes[k]->name, name) == 0)
			return parser->plan->sizes[k];
	return NULL;
}

static struct plan_expr *number(struct parser *parser, long value)
{
	return plan_const(parser->arena, value);
}

static struct plan_expr *parse_call(struct parser *parser, const char *name)
{
	static const struct { const char *name; enum plan_op op; } calls[] = {
		{ "floordiv", PLAN_FLOORDIV }, { "mod", PLAN_MOD }, { "min", PLAN_MIN },
		{ "max", PLAN_MAX }, { "select", PLAN_SELECT }
	};
	struct plan_expr *operands[3] = { NULL };

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		if (strcmp(calls[i].name, name) != 0)
			continue;
		for (int o = 0; o < plan_operand_count(calls[i].op); o++) {
			if (o > 0)
				expect(parser, ",");
			operands[o] = parse_expr(parser);
		}
		if ((calls[i].op == PLAN_FLOORDIV || calls[i].op == PLAN_MOD)
			&& (operands[1]->op != PLAN_CONST || operands[1]->value <= 0))
			fail(parser, "%s needs a constant above 0 as its second operand", name);
		expect(parser, ")");
		return plan_raw(parser->arena, calls[i].op, operands[0], operands[1], operands[2]);
	}
	fail(parser, "there is no function '%s'", name);
	return number(parser, 0);
}

static struct plan_expr *parse_primary(struct parser *parser);

static struct plan_expr *parse_negation(struct parser *parser)
{
	struct plan_expr *operand = number(parser, 0);

	if (++parser->depth > NESTING_LIMIT)
		fail(parser, "too deeply nested");
	else
		operand = parse_primary(parser);
	parser->depth--;
	return plan_raw(parser->arena, PLAN_NOT, operand, NULL, NULL);
}

static struct plan_expr *parse_primary(struct parser *parser)
{
	struct plan_expr *expr = number(parser, 0);

	if (parser->kind == TOKEN_NUMBER)
		return number(parser, take_number(parser));
	if (take(parser, "!"))
		return parse_negation(parser);
	if (take(parser, "(")) {
		expr = parse_expr(parser);
		expect(parser, ")");
	} else if (parser->kind == TOKEN_NAME) {
		struct location at = parser->at;
		const char *name = take_name(parser, "a variable");

		if (take(parser, "("))
			return parse_call(parser, name);
		expr = plan_raw(parser->arena, PLAN_VAR, NULL, NULL, NULL);
		expr->var = find_var(parser, name);
		if (!expr->var) {
			parser->at = at;
			fail(parser, "there is no variable '%s'", name);
			return number(parser, 0);
		}
	} else {
		fail(parser, "expected an expression, found '%s'", parser->text);
	}
	return expr;
}

static struct plan_expr *parse_product(struct parser *parser)
{
	struct plan_expr *expr = parse_primary(parser);

	while (take(parser, "*"))
		expr = plan_raw(parser->arena, PLAN_MUL, expr, parse_primary(parser), NULL);
	return expr;
}

static struct plan_expr *parse_sum(struct parser *parser)
{
	struct plan_expr *expr = parse_product(parser);

	while (!parser->failed && (is_at(parser, "+") || is_at(parser, "-"))) {
		enum plan_op op = is_at(parser, "+") ? PLAN_ADD : PLAN_SUB;

		advance(parser);
		expr = plan_raw(parser->arena, op, expr, parse_product(parser), NULL);
	}
	return expr;
}

static struct plan_expr *parse_comparison(struct parser *parser)
{
	struct plan_expr *expr = parse_sum(parser);

	if (take(parser, "=="))
		return plan_raw(parser->arena, PLAN_EQ, expr, parse_sum(parser), NULL);
	if (take(parser, "<="))
		return plan_raw(parser->arena, PLAN_LE, expr, parse_sum(parser), NULL);
	return expr;
}

static struct plan_expr *parse_and(struct parser *parser)
{
	struct plan_expr *expr = parse_comparison(parser);

	while (take(parser, "&&"))
		expr = plan_raw(parser->arena, PLAN_AND, expr, parse_comparison(parser), NULL);
	return expr;
}

static struct plan_expr *parse_expr(struct parser *parser)
{
	struct plan_expr *expr;

	if (++parser->depth > NESTING_LIMIT) {
		fail(parser, "too deeply nested");
		return number(parser, 1);
	}
	expr = parse_and(parser);
	while (take(parser, "||"))
		expr = plan_raw(parser->arena, PLAN_OR, expr, parse_and(parser), NULL);
	parser->depth--;
	return expr;
}

static void parse_list(struct parser *parser, const char *name, struct plan_expr **exprs, int count)
{
	expect(parser, name);
	expect(parser, "(");
	for (int i = 0; i < count; i++) {
		if (i > 0)
			expect(parser, ",");
		exprs[i] = parse_expr(parser);
	}
	expect(parser, ")");
}

/* ------------------------------------------------------------------ names of the program */

static struct array *take_array(struct parser *parser)
{
	const struct function *function = parser->plan->function;
	struct location at = parser->at;
	const char *name = take_name(parser, "an array");

	for (int i = 0; i < function->array_count; i++)
		if (strcmp(function->arrays[i]->name, name) == 0)
			return function->arrays[i];
	parser->at = at;
	fail(parser, "function '%s' has no array '%s'", function->name, name);
	return NULL;
}

static struct plan_buffer *find_buffer(const struct parser *parser, const char *name)
{
	for (int i = 0; i < parser->plan->buffer_count; i++)
		if (strcmp(parser->plan->buffers[i]->name, name) == 0)
			return parser->plan->buffers[i];
	return NULL;
}

static struct plan_buffer *take_buffer(struct parser *parser)
{
	struct location at = parser->at;
	const char *name = take_name(parser, "a buffer");
	struct plan_buffer *buffer = find_buffer(parser, name);

	if (!buffer) {
		parser->at = at;
		fail(parser, "there is no buffer '%s'", name);
	}
	return buffer;
}

static struct plan_var *take_var(struct parser *parser)
{
	struct location at = parser->at;
	const char *name = take_name(parser, "a variable");
	struct plan_var *var = find_var(parser, name);

	if (!var) {
		parser->at = at;
		fail(parser, "there is no variable '%s'", name);
	}
	return var;
}

/* ------------------------------------------------------------------ nodes */

static void parse_block(struct parser *parser, struct plan_node *block);

static struct plan_node *parse_loop(struct parser *parser, enum plan_loop_kind kind)
{
	struct plan_var *var = take_var(parser);
	struct plan_expr *lower, *upper;
	struct plan_node *loop;
	long step = 1;

	expect(parser, "=");
	lower = parse_expr(parser);
	expect(parser, "to");
	upper = parse_expr(parser);
	if (take(parser, "step"))
		step = take_number(parser);
	if (step <= 0)
		fail(parser, "a loop's step is above 0");
	loop = plan_loop(parser->arena, kind, var, lower, upper, step);
	parse_block(parser, loop->body);
	return loop;
}

static struct plan_node *parse_let(struct parser *parser)
{
	struct plan_var *var = take_var(parser);
	struct plan_node *let;

	expect(parser, "=");
	let = plan_let(parser->arena, var, parse_expr(parser));
	parse_block(parser, let->body);
	return let;
}

static struct plan_node *parse_if(struct parser *parser)
{
	struct plan_node *node = plan_if(parser->arena, parse_expr(parser));

	parse_block(parser, node->body);
	return node;
}

static struct plan_node *parse_transfer(struct parser *parser, bool is_put)
{
	struct plan_buffer *buffer = take_buffer(parser);
	struct plan_node *node;
	long tag = named_number(parser, "tag");

	if (!buffer)
		return NULL;
	if (tag < 0 || tag > 31)
		fail(parser, "tags are 0 .. 31");
	node = plan_transfer(parser->arena, is_put, buffer, (int)tag);
	parse_list(parser, "first", node->transfer.first, buffer->rank);
	parse_list(parser, "count", node->transfer.count, buffer->rank);
	parse_list(parser, "local", node->transfer.local, buffer->rank);
	if (take(parser, "slot"))
		node->transfer.slot = parse_expr(parser);
	return node;
}

static struct plan_node *parse_wait(struct parser *parser)
{
	unsigned tags = 0;

	while (parser->kind == TOKEN_NUMBER && !parser->failed) {
		long tag = take_number(parser);

		if (tag < 0 || tag > 31)
			fail(parser, "tags are 0 .. 31");
		else
			tags |= 1u << tag;
	}
	return plan_wait(parser->arena, tags);
}

static struct plan_node *parse_compute(struct parser *parser)
{
	const struct function *function = parser->plan->function;
	struct location at = parser->at;
	const char *name = take_name(parser, "a statement");
	const struct statement *statement = NULL;
	struct plan_node *node;

	for (int i = 0; i < function->statement_count; i++)
		if (strcmp(function->statements[i]->name, name) == 0)
			statement = function->statements[i];
	if (!statement) {
		parser->at = at;
		fail(parser, "function '%s' has no statement '%s'", function->name, name);
		return NULL;
	}
	node = plan_compute(parser->arena, statement);
	parse_list(parser, "at", node->values, statement->depth);
	expect(parser, "in");
	expect(parser, "(");
	for (int a = 0; a < statement->access_count && !parser->failed; a++) {
		if (a > 0)
			expect(parser, ",");
		if (!take(parser, "core"))
			node->buffers[a] = take_buffer(parser);
	}
	expect(parser, ")");
	return node;
}

static struct plan_node *parse_node(struct parser *parser)
{
	struct plan_node *block;

	if (take(parser, "tile"))
		return parse_loop(parser, LOOP_TILE);
	if (take(parser, "point"))
		return parse_loop(parser, LOOP_POINT);
	if (take(parser, "pieces"))
		return parse_loop(parser, LOOP_TRANSFER);
	if (take(parser, "let"))
		return parse_let(parser);
	if (take(parser, "if"))
		return parse_if(parser);
	if (take(parser, "get"))
		return parse_transfer(parser, false);
	if (take(parser, "put"))
		return parse_transfer(parser, true);
	if (take(parser, "wait"))
		return parse_wait(parser);
	if (take(parser, "do"))
		return parse_compute(parser);
	if (!take(parser, "block")) {
		fail(parser, "expected a node of the plan or '}', found '%s'", parser->text);
		return NULL;
	}
	block = plan_block(parser->arena);
	parse_block(parser, block);
	return block;
}

static void parse_block(struct parser *parser, struct plan_node *block)
{
	expect(parser, "{");
	if (++parser->depth > NESTING_LIMIT)
		fail(parser, "too deeply nested");
	while (!parser->failed && !is_at(parser, "}")) {
		struct plan_node *node = parse_node(parser);

		if (node)
			plan_append(parser->arena, block, node);
	}
	parser->depth--;
	expect(parser, "}");
}

/* ------------------------------------------------------------------ the plan */

static struct arch *parse_machine(struct parser *parser)
{
	struct arch *arch = ARENA_NEW(parser->arena, struct arch);

	expect(parser, "machine");
	expect(parser, "name");
	arch->name = take_string(parser);
	arch->scratchpad_bytes = named_number(parser, "scratchpad_bytes");
	expect(parser, "banks");
	arch->banks = take_int(parser);
	arch->exclusive = named_number(parser, "exclusive") != 0;
	arch->startup_cycles = named_number(parser, "startup_cycles");
	expect(parser, "bytes_per_cycle");
	arch->bytes_per_cycle = take_real(parser);
	expect(parser, "max_rank");
	arch->max_rank = take_int(parser);
	arch->max_bytes = named_number(parser, "max_bytes");
	arch->max_count = named_number(parser, "max_count");
	arch->max_stride_bytes = named_number(parser, "max_stride_bytes");
	expect(parser, "align_bytes");
	arch->align_bytes = take_int(parser);
	expect(parser, "channels");
	arch->channels = take_int(parser);
	arch->has_pe_array = named_number(parser, "pe_array") != 0;
	arch->pe_x = take_int(parser);
	arch->pe_y = take_int(parser);
	arch->registers_bytes = take_number(parser);
	expect(parser, "energy_pj");
	arch->energy_mac_pj = take_real(parser);
	arch->energy_register_pj = take_real(parser);
	arch->energy_scratchpad_pj = take_real(parser);
	arch->energy_dram_pj = take_real(parser);
	arch->energy_word_bits = ARCH_WORD_BITS;
	if (take(parser, "energy_model")) {
		arch->energy_word_bits = take_int(parser);
		arch->energy_scratchpad_sqrt_pj = take_real(parser);
		arch->energy_bank_bits = take_number(parser);
		arch->energy_bank_select = take_real(parser);
		arch->energy_register_file_bytes = take_number(parser);
		arch->energy_is_sized_by_schedule = take_number(parser) != 0;
	}
	expect(parser, "clock_hz");
	arch->clock_hz = take_real(parser);
	return arch;
}

static void parse_workspace(struct parser *parser)
{
	struct plan *plan = parser->plan;
	int count = plan->function->array_count;

	plan->workspace_bytes = named_number(parser, "workspace");
	plan->workspace_offset = ARENA_ARRAY(parser->arena, long, count + 1);
	for (int i = 0; i < count; i++)
		plan->workspace_offset[i] = -1;
	while (take(parser, "place")) {
		const struct array *array = take_array(parser);
		long offset = take_number(parser);

		if (array)
			plan->workspace_offset[array->index] = offset;
	}
}

static void parse_var(struct parser *parser)
{
	struct plan_var *var = ARENA_NEW(parser->arena, struct plan_var);

	var->name = take_name(parser, "a variable");
	if (find_var(parser, var->name))
		fail(parser, "there are two variables '%s'", var->name);
	expect(parser, "=");
	var->min = take_number(parser);
	expect(parser, "to");
	var->max = take_number(parser);
	parser->vars = arena_grow(parser->arena, parser->vars, (size_t)parser->var_count,
		&parser->var_capacity, sizeof *parser->vars);
	parser->vars[parser->var_count++] = var;
}

static void parse_dim(struct parser *parser, struct plan_dim *dim)
{
	dim->extent = named_number(parser, "dim");
	dim->stride = 1;
	if (take(parser, "stride")) {
		dim->stride = take_number(parser);
		dim->phase = named_number(parser, "phase");
	}
	if (take(parser, "ring")) {
		dim->modulus = take_number(parser);
	} else {
		expect(parser, "from");
		dim->origin = parse_expr(parser);
	}
	if (dim->extent < 1 || dim->stride < 1 || dim->phase < 0 || dim->phase >= dim->stride
		|| (!dim->origin && dim->modulus < 1))
		fail(parser, "a dimension has an extent, stride and modulus above 0 and a phase "
			"below its stride");
}

static void parse_buffer(struct parser *parser, size_t *capacity)
{
	struct plan *plan = parser->plan;
	struct plan_buffer *buffer = ARENA_NEW(parser->arena, struct plan_buffer);

	buffer->index = plan->buffer_count;
	buffer->name = take_name(parser, "a buffer");
	if (find_buffer(parser, buffer->name))
		fail(parser, "there are two buffers '%s'", buffer->name);
	expect(parser, "of");
	buffer->array = take_array(parser);
	buffer->offset_bytes = named_number(parser, "offset");
	buffer->bytes = named_number(parser, "bytes");
	buffer->bank = -1;
	if (take(parser, "banks")) {
		buffer->bank = take_int(parser);
		expect(parser, "+");
		buffer->bank_count = take_int(parser);
	}
	buffer->is_double = take(parser, "double");
	buffer->slots = named_number(parser, "slots");
	if (take(parser, "slot"))
		buffer->slot = parse_expr(parser);
	if (buffer->slots < 1 || (buffer->slots > 1 && !buffer->slot))
		fail(parser, "a buffer of several slots says which is in use");
	buffer->rank = parser->failed ? 0 : buffer->array->rank;
	for (int d = 0; d < buffer->rank && !parser->failed; d++)
		parse_dim(parser, &buffer->dims[d]);
	plan->buffers = arena_grow(parser->arena, plan->buffers, (size_t)plan->buffer_count,
		capacity, sizeof *plan->buffers);
	plan->buffers[plan->buffer_count++] = buffer;
}

static void parse_traffic(struct parser *parser, struct plan_nest *nest)
{
	size_t capacity = 0;

	while (take(parser, "traffic")) {
		struct plan_traffic traffic = { .array = take_array(parser) };

		traffic.read_bytes = named_number(parser, "read");
		traffic.write_bytes = named_number(parser, "write");
		if (take(parser, "reads"))
			traffic.read_formula = take_string(parser);
		if (take(parser, "writes"))
			traffic.write_formula = take_string(parser);
		nest->traffic = arena_grow(parser->arena, nest->traffic,
			(size_t)nest->traffic_count, &capacity, sizeof *nest->traffic);
		nest->traffic[nest->traffic_count++] = traffic;
	}
}

/* "F.2", or "F.2-4" of a fused group. */
static const char *take_nest_name(struct parser *parser)
{
	const char *name = take_name(parser, "a nest");

	if (parser->kind != TOKEN_NUMBER || *parser->text != '-')
		return name;
	name = arena_printf(parser->arena, "%s%s", name, parser->text);
	advance(parser);
	return name;
}

static struct plan_nest parse_nest(struct parser *parser)
{
	struct plan_nest nest = { .name = take_nest_name(parser), .schedule = "",
		.lower_bound_argument = "" };

	expect(parser, "line");
	nest.location.file = parser->program->file;
	nest.location.line = take_int(parser);
	expect(parser, "column");
	nest.location.column = take_int(parser);
	nest.location.end_column = take_int(parser);
	if (take(parser, "schedule"))
		nest.schedule = take_string(parser);
	parse_traffic(parser, &nest);
	nest.compulsory_bytes = named_number(parser, "compulsory");
	nest.lower_bound_bytes = named_number(parser, "lower_bound");
	if (take(parser, "argument"))
		nest.lower_bound_argument = take_string(parser);
	if (take(parser, "macs"))
		nest.macs = take_number(parser);
	nest.scratchpad_used_bytes = named_number(parser, "used");
	nest.optimal = named_number(parser, "optimal") != 0;
	nest.bound_bytes = named_number(parser, "bound");
	nest.points = named_number(parser, "points");
	nest.is_double = named_number(parser, "double") != 0;
	expect(parser, "body");
	nest.body = plan_block(parser->arena);
	parse_block(parser, nest.body);
	return nest;
}

static const struct function *take_function(struct parser *parser)
{
	struct location at = parser->at;
	const char *name = take_name(parser, "a function");

	for (int i = 0; i < parser->program->function_count; i++)
		if (strcmp(parser->program->functions[i]->name, name) == 0)
			return parser->program->functions[i];
	parser->at = at;
	fail(parser, "the program has no function '%s'", name);
	return NULL;
}

static struct plan *parse_one(struct parser *parser)
{
	struct plan *plan = ARENA_NEW(parser->arena, struct plan);
	size_t buffer_capacity = 0, nest_capacity = 0;

	parser->plan = plan;
	parser->var_count = 0;
	plan->arena = parser->arena;
	plan->program = parser->program;
	expect(parser, "plan");
	plan->function = take_function(parser);
	if (plan->function)
		plan_make_sizes(plan);
	if (!plan->function)
		return NULL;
	expect(parser, "{");
	plan->arch = parse_machine(parser);
	parse_workspace(parser);
	while (take(parser, "var"))
		parse_var(parser);
	while (take(parser, "buffer"))
		parse_buffer(parser, &buffer_capacity);
	while (take(parser, "nest")) {
		plan->nests = arena_grow(parser->arena, plan->nests, (size_t)plan->nest_count,
			&nest_capacity, sizeof *plan->nests);
		plan->nests[plan->nest_count++] = parse_nest(parser);
	}
	expect(parser, "}");
	return parser->failed ? NULL : plan;
}

/* Where the plans begin: the first line "plan NAME {". */
static const char *find_plans(const char *text, int *line)
{
	*line = 1;
	while (*text) {
		if (strncmp(text, "plan ", 5) == 0)
			return text;
		text += strcspn(text, "\n");
		if (*text) {
			text++;
			++*line;
		}
	}
	return NULL;
}

struct plan **plans_parse_alone(struct arena *arena, struct diag *diag, const char *file,
	const char *text, int line, const struct program *program, int *count)
{
	struct parser parser = { .arena = arena, .diag = diag, .file = file, .next = text,
		.line = line, .line_start = text, .program = program };
	struct plan **plans = NULL;
	size_t capacity = 0;

	*count = 0;
	advance(&parser);
	while (!parser.failed && parser.kind != TOKEN_END) {
		struct plan *plan = parse_one(&parser);

		plans = arena_grow(arena, plans, (size_t)*count, &capacity, sizeof *plans);
		plans[(*count)++] = plan;
	}
	return parser.failed ? NULL : plans;
}

struct plan **plans_parse(struct arena *arena, isl_ctx *ctx, struct diag *diag, const char *file,
	const char *text, int *count)
{
	int line;
	const char *plans = find_plans(text, &line);
	struct program *program;

	*count = 0;
	if (!plans) {
		diag_error(diag, (struct location){ .file = file, .line = 1, .column = 1 },
			"no plan in this file: a line 'plan FUNCTION {' is missing");
		return NULL;
	}
	program = program_parse(arena, ctx, diag, file,
		arena_strndup(arena, text, (size_t)(plans - text)));
	return program ? plans_parse_alone(arena, diag, file, plans, line, program, count) : NULL;
}

struct plan *plan_parse(struct arena *arena, isl_ctx *ctx, struct diag *diag, const char *file,
	const char *text)
{
	int count;
	struct plan **plans = plans_parse(arena, ctx, diag, file, text, &count);

	return plans ? plans[0] : NULL;
}

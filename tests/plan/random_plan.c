#include "tests/plan/random_plan.h"

#include <string.h>

#include <isl/set.h>

enum { INTEGER_TYPES = 8, LOOPS = 4, SLOT_LIMIT = 2, SCRATCHPAD_ALIGN = 64 };

long random_below(struct random_source *random, long bound)
{
	random->state = random->state * 6364136223846793005UL + 1442695040888963407UL;
	return (long)((random->state >> 33) % (unsigned long)bound);
}

static const struct type types[] = {
	{ TYPE_INT8, 1, "int8_t" }, { TYPE_UINT8, 1, "uint8_t" },
	{ TYPE_INT16, 2, "int16_t" }, { TYPE_UINT16, 2, "uint16_t" },
	{ TYPE_INT32, 4, "int32_t" }, { TYPE_UINT32, 4, "uint32_t" },
	{ TYPE_INT64, 8, "int64_t" }, { TYPE_UINT64, 8, "uint64_t" },
	{ TYPE_FLOAT, 4, "float" }, { TYPE_DOUBLE, 8, "double" }
};
static const struct type int_type = { TYPE_INT32, 4, "int" };

/* What is chosen for one function. */
struct maker {
	struct random_source random;
	struct arena *arena;
	isl_ctx *ctx;
	bool is_float;               /* every array is: sums of small integers, exact in any order */
	int loop_count;
	long extent[LOOPS], tile[LOOPS];
	int order[LOOPS];
	struct function *function;
	struct statement *statement;
	struct plan *plan;
	struct plan_var *tile_var[LOOPS], *point_var[LOOPS];
};

static const char *const loop_names[LOOPS] = { "i", "j", "k", "l" };

/* ------------------------------------------------------------------ program */

static void add_array(struct maker *maker, const char *name, int rank, bool is_const)
{
	struct function *function = maker->function;
	struct array *array = ARENA_NEW(maker->arena, struct array);

	array->index = function->array_count;
	array->name = name;
	array->type = types[maker->is_float ? INTEGER_TYPES + random_below(&maker->random, 2)
		: random_below(&maker->random, is_const ? INTEGER_TYPES : INTEGER_TYPES + 2)];
	array->rank = rank;
	array->is_parameter = true;
	array->is_const = is_const;
	function->arrays[function->array_count++] = array;
	function->parameters[function->parameter_count++].array = array;
}

static long largest(const struct maker *maker, struct affine affine)
{
	long value = affine.constant;

	for (int l = 0; l < maker->loop_count; l++)
		value += affine.coefficients[l] * (maker->extent[l] - 1);
	return value;
}

/* The subscript of dimension D of access A: the output (access 0 and 1) is indexed
 * by loops of its own, so that tiles write apart. */
static struct affine subscript(struct maker *maker, int a, int d)
{
	struct affine affine = {
		.coefficients = ARENA_ARRAY(maker->arena, long, maker->loop_count + 1) };

	if (a < 2) {
		affine.coefficients[d] = 1;
		return affine;
	}
	affine.constant = random_below(&maker->random, 4);
	for (int l = 0; l < maker->loop_count; l++)
		if (random_below(&maker->random, 2))
			affine.coefficients[l] = random_below(&maker->random, 4);
	return affine;
}

static void add_access(struct maker *maker, int a, struct array *array)
{
	struct access *access = &maker->statement->accesses[a];

	access->index = a;
	access->array = array;
	access->is_write = a == 0;
	if (a == 1) {
		memcpy(access->subscripts, access[-1].subscripts, sizeof access->subscripts);
		return;
	}
	array->elements = 1;
	for (int d = 0; d < array->rank; d++) {
		access->subscripts[d] = subscript(maker, a, d);
		array->extents[d] = largest(maker, access->subscripts[d]) + 1
			+ random_below(&maker->random, 3);
		array->elements *= array->extents[d];
		array->shape[d] = (struct affine){ .constant = array->extents[d] };
	}
}

static struct type common(struct type a, struct type b)
{
	bool float_a = type_is_float(a.kind), float_b = type_is_float(b.kind);

	if (float_a || float_b)
		return float_a && (!float_b || a.bytes >= b.bytes) ? a : b;
	a = a.bytes < 4 ? int_type : a;
	b = b.bytes < 4 ? int_type : b;
	if (a.bytes != b.bytes)
		return a.bytes > b.bytes ? a : b;
	return type_is_signed(a.kind) ? b : a;
}

static struct expr *new_expr(struct maker *maker, enum expr_kind kind, struct type type,
	int operand_count)
{
	struct expr *expr = ARENA_NEW(maker->arena, struct expr);

	expr->kind = kind;
	expr->type = type;
	expr->operand_count = operand_count;
	expr->operands = ARENA_ARRAY(maker->arena, struct expr *, operand_count + 1);
	return expr;
}

static struct expr *leaf(struct maker *maker, int access)
{
	struct expr *expr;
	int choice = (int)random_below(&maker->random, 5);
	long loop = random_below(&maker->random, maker->loop_count);

	/* An iterator with one value is a constant, and compilers judge constants. */
	if (choice == 1 && maker->extent[loop] == 1)
		choice = 0;
	switch (choice) {
	case 0:
		expr = new_expr(maker, EXPR_LITERAL, int_type, 0);
		expr->text = arena_printf(maker->arena, "%ld", 1 + random_below(&maker->random, 9));
		return expr;
	case 1:
		expr = new_expr(maker, EXPR_AFFINE, int_type, 0);
		expr->affine.constant = random_below(&maker->random, 9) - 4;
		expr->affine.coefficients = ARENA_ARRAY(maker->arena, long, maker->loop_count + 1);
		expr->affine.coefficients[loop] = 1;
		return expr;
	default:
		expr = new_expr(maker, EXPR_ACCESS,
			maker->statement->accesses[access].array->type, 0);
		expr->access = access;
		return expr;
	}
}

static struct expr *cast_to(struct maker *maker, struct expr *operand, int type_count)
{
	struct expr *expr = new_expr(maker, EXPR_CAST,
		types[random_below(&maker->random, type_count)], 1);

	expr->operands[0] = operand;
	return expr;
}

/* A cast, often: signed values stay so small that nothing overflows, unsigned ones
 * may wrap. */
static struct expr *narrowed(struct maker *maker, struct expr *operand)
{
	struct type type = operand->type;

	if (type_is_float(type.kind))
		return operand;
	if (type.bytes >= 4 && !type_is_signed(type.kind) && random_below(&maker->random, 2))
		return operand;
	return cast_to(maker, operand, 2);
}

static struct expr *combination(struct maker *maker, struct expr *a, struct expr *b)
{
	static const char *const operators[] = { "<", "==", ">=", "&&", "+", "-", "*", "&", "|" };
	bool is_float = type_is_float(a->type.kind) || type_is_float(b->type.kind);
	bool chooses = random_below(&maker->random, 4) == 0;
	int operator = (int)random_below(&maker->random, chooses ? 3 : is_float ? 7 : 9);
	struct expr *expr, *choice;

	expr = new_expr(maker, EXPR_BINARY, operator < 4 ? int_type : common(a->type, b->type), 2);
	expr->operator = operators[operator];
	expr->operands[0] = a;
	expr->operands[1] = b;
	if (!chooses)
		return expr;
	choice = new_expr(maker, EXPR_CONDITIONAL, common(a->type, b->type), 3);
	choice->operands[0] = expr;
	choice->operands[1] = a;
	choice->operands[2] = b;
	return choice;
}

/* O + f(A, B), or f alone. */
static void add_value(struct maker *maker)
{
	struct expr *a = narrowed(maker, leaf(maker, 2)), *b = narrowed(maker, leaf(maker, 3));
	struct expr *value = combination(maker, a, b), *sum, *old;

	maker->statement->value = value;
	if (!type_is_float(value->type.kind))
		value = cast_to(maker, value, 4);
	if (random_below(&maker->random, 4) == 0)
		return;
	old = new_expr(maker, EXPR_ACCESS, maker->statement->accesses[1].array->type, 0);
	old->access = 1;
	sum = new_expr(maker, EXPR_BINARY, common(old->type, value->type), 2);
	sum->operator = "+";
	sum->operands[0] = old;
	sum->operands[1] = value;
	maker->statement->value = sum;
}

static void add_loops(struct maker *maker)
{
	struct function *function = maker->function;

	function->loops = ARENA_ARRAY(maker->arena, struct loop *, maker->loop_count);
	for (int l = 0; l < maker->loop_count; l++) {
		struct loop *loop = ARENA_NEW(maker->arena, struct loop);

		loop->index = l;
		loop->name = loop_names[l];
		loop->parent = l > 0 ? function->loops[l - 1] : NULL;
		loop->depth = l;
		loop->step = 1;
		function->loops[l] = loop;
		maker->statement->loops[l] = loop;
	}
	function->loop_count = maker->loop_count;
}

static void release_set(void *set)
{
	isl_set_free(set);
}

static void release_map(void *map)
{
	isl_map_free(map);
}

static void add_domain(struct maker *maker)
{
	struct statement *statement = maker->statement;
	const char *tuple = "", *bounds = "";

	for (int l = 0; l < maker->loop_count; l++) {
		tuple = arena_printf(maker->arena, "%s%s%s", tuple, l > 0 ? ", " : "",
			loop_names[l]);
		bounds = arena_printf(maker->arena, "%s%s0 <= %s < %ld", bounds,
			l > 0 ? " and " : "", loop_names[l], maker->extent[l]);
	}
	statement->domain = arena_own(maker->arena, isl_set_read_from_str(maker->ctx,
		arena_printf(maker->arena, "{ S0[%s] : %s }", tuple, bounds)), release_set);
	for (int a = 0; a < statement->access_count; a++) {
		const struct array *array = statement->accesses[a].array;
		const char *element = reference_element(maker->arena, statement, a);
		char *list = arena_strdup(maker->arena, element + strlen(array->name));
		const char *text = "";

		for (char *part = strtok(list, "[]"); part; part = strtok(NULL, "[]"))
			text = arena_printf(maker->arena, "%s%s%s", text, *text ? ", " : "", part);
		statement->accesses[a].map = arena_own(maker->arena, isl_map_intersect_domain(
			isl_map_read_from_str(maker->ctx, arena_printf(maker->arena,
				"{ S0[%s] -> %s[%s] }", tuple, array->name, text)),
			isl_set_copy(statement->domain)), release_map);
	}
}

static void make_function(struct maker *maker, int index)
{
	struct function *function = ARENA_NEW(maker->arena, struct function);
	struct statement *statement = ARENA_NEW(maker->arena, struct statement);
	int rank = 1;

	maker->function = function;
	maker->statement = statement;
	maker->loop_count = 2 + (int)random_below(&maker->random, LOOPS - 1);
	for (int l = 0; l < maker->loop_count; l++)
		maker->extent[l] = 1 + random_below(&maker->random, 7);
	rank += (int)random_below(&maker->random, maker->loop_count);
	maker->is_float = random_below(&maker->random, 3) == 0;
	function->name = arena_printf(maker->arena, "f%d", index);
	function->arrays = ARENA_ARRAY(maker->arena, struct array *, 3);
	function->parameters = ARENA_ARRAY(maker->arena, struct parameter, 3);
	add_array(maker, "A", 1 + (int)random_below(&maker->random, 3), true);
	add_array(maker, "B", 1 + (int)random_below(&maker->random, 4), true);
	add_array(maker, "O", rank, false);
	function->statements = ARENA_ARRAY(maker->arena, struct statement *, 1);
	function->statements[0] = statement;
	function->statement_count = 1;
	statement->name = "S0";
	statement->depth = maker->loop_count;
	statement->access_count = 4;
	statement->accesses = ARENA_ARRAY(maker->arena, struct access, 4);
	add_loops(maker);
	add_access(maker, 0, function->arrays[2]);
	add_access(maker, 1, function->arrays[2]);
	add_access(maker, 2, function->arrays[0]);
	add_access(maker, 3, function->arrays[1]);
	add_value(maker);
	add_domain(maker);
}

/* ------------------------------------------------------------------ plan */

static struct plan_expr *number(struct maker *maker, long value)
{
	return plan_const(maker->arena, value);
}

static struct plan_expr *tile_origin(struct maker *maker, int l)
{
	return plan_ref(maker->arena, maker->tile_var[l]);
}

/* Iterations of loop L in the current tile. */
static struct plan_expr *tile_extent(struct maker *maker, int l)
{
	return plan_make(maker->arena, PLAN_MIN, number(maker, maker->tile[l]),
		plan_make(maker->arena, PLAN_SUB, number(maker, maker->extent[l]),
			tile_origin(maker, l)));
}

static long gcd(long a, long b)
{
	return b == 0 ? a : gcd(b, a % b);
}

static struct plan_expr *scaled(struct maker *maker, struct plan_expr *expr, long factor)
{
	return plan_make(maker->arena, PLAN_MUL, expr, number(maker, factor));
}

/* Dimension D of ACCESS's region in the current tile. */
static void region(struct maker *maker, const struct affine *affine, struct plan_dim *dim,
	struct plan_expr **first, struct plan_expr **count, struct plan_expr **local)
{
	struct arena *arena = maker->arena;
	long stride = 0;

	for (int l = 0; l < maker->loop_count; l++)
		stride = gcd(affine->coefficients[l], stride);
	dim->stride = stride > 0 ? stride : 1 + random_below(&maker->random, 3);
	dim->phase = affine->constant % dim->stride;
	*first = number(maker, affine->constant / dim->stride);
	*count = number(maker, 1);
	dim->extent = 1;
	for (int l = 0; l < maker->loop_count; l++) {
		long factor = affine->coefficients[l] / dim->stride;

		*first = plan_make(arena, PLAN_ADD, *first,
			scaled(maker, tile_origin(maker, l), factor));
		*count = plan_make(arena, PLAN_ADD, *count, scaled(maker, plan_make(arena,
			PLAN_SUB, tile_extent(maker, l), number(maker, 1)), factor));
		dim->extent += factor * (maker->tile[l] - 1);
	}
	dim->origin = *first;
	*local = number(maker, 0);
	if (random_below(&maker->random, 4) == 0) {
		dim->extent = dim->modulus = (largest(maker, *affine) - dim->phase) / dim->stride
			+ 1 + random_below(&maker->random, 3);
		dim->origin = NULL;
		*local = *first;
	}
}

static struct plan_buffer *make_buffer(struct maker *maker, const struct access *access,
	struct plan_node *get)
{
	struct plan *plan = maker->plan;
	struct plan_buffer *buffer = ARENA_NEW(maker->arena, struct plan_buffer);
	long end = 0, elements = 1;

	if (plan->buffer_count > 0)
		end = plan->buffers[plan->buffer_count - 1]->offset_bytes
			+ plan->buffers[plan->buffer_count - 1]->bytes;
	buffer->index = plan->buffer_count;
	buffer->array = access->array;
	buffer->name = arena_printf(maker->arena, "%s_0", access->array->name);
	buffer->rank = access->array->rank;
	for (int d = 0; d < buffer->rank; d++) {
		region(maker, &access->subscripts[d], &buffer->dims[d], &get->transfer.first[d],
			&get->transfer.count[d], &get->transfer.local[d]);
		elements *= buffer->dims[d].extent;
	}
	buffer->slots = 1 + random_below(&maker->random, SLOT_LIMIT);
	if (buffer->slots > 1)
		buffer->slot = plan_make(maker->arena, PLAN_MOD, plan_make(maker->arena,
			PLAN_FLOORDIV, tile_origin(maker, 0), number(maker, maker->tile[0])),
			number(maker, buffer->slots));
	buffer->bytes = elements * buffer->slots * access->array->type.bytes;
	buffer->offset_bytes = (end + SCRATCHPAD_ALIGN - 1) / SCRATCHPAD_ALIGN * SCRATCHPAD_ALIGN;
	buffer->bank = -1;
	plan->buffers[plan->buffer_count++] = buffer;
	get->transfer.buffer = buffer;
	return buffer;
}

static struct plan_var *new_var(struct maker *maker, const char *name, const char *suffix, long max)
{
	struct plan_var *var = ARENA_NEW(maker->arena, struct plan_var);

	var->name = arena_printf(maker->arena, "%s%s", name, suffix);
	var->max = max;
	return var;
}

static void choose_tiles(struct maker *maker)
{
	for (int l = 0; l < maker->loop_count; l++) {
		maker->tile[l] = 1 + random_below(&maker->random, maker->extent[l]);
		maker->order[l] = l;
		maker->tile_var[l] = new_var(maker, loop_names[l], "_0",
			(maker->extent[l] - 1) / maker->tile[l] * maker->tile[l]);
		maker->point_var[l] = new_var(maker, loop_names[l], "_1", maker->tile[l] - 1);
	}
	for (int l = maker->loop_count - 1; l > 0; l--) {
		int other = (int)random_below(&maker->random, l + 1), swap = maker->order[l];

		maker->order[l] = maker->order[other];
		maker->order[other] = swap;
	}
}

/* The point loops and the statement, appended to BLOCK. */
static void add_compute(struct maker *maker, struct plan_node *block,
	struct plan_buffer *const buffers[])
{
	struct plan_node *compute = plan_compute(maker->arena, maker->statement);

	for (int l = 0; l < maker->loop_count; l++) {
		struct plan_node *loop = plan_loop(maker->arena, LOOP_POINT, maker->point_var[l],
			number(maker, 0), plan_make(maker->arena, PLAN_SUB, tile_extent(maker, l),
				number(maker, 1)), 1);

		plan_append(maker->arena, block, loop);
		block = loop->body;
		compute->values[l] = plan_make(maker->arena, PLAN_ADD, tile_origin(maker, l),
			plan_ref(maker->arena, maker->point_var[l]));
	}
	for (int a = 0; a < 4; a++)
		compute->buffers[a] = buffers[a];
	plan_append(maker->arena, block, compute);
}

static bool mentions(const struct plan_expr *expr, const struct plan_var *var)
{
	if (expr && expr->op == PLAN_VAR && expr->var == var)
		return true;
	for (int i = 0; expr && i < plan_operand_count(expr->op); i++)
		if (mentions(expr->operands[i], var))
			return true;
	return false;
}

static bool moves_with(const struct plan_transfer *transfer, const struct plan_var *var)
{
	for (int d = 0; d < transfer->buffer->rank; d++)
		if (mentions(transfer->first[d], var) || mentions(transfer->count[d], var))
			return true;
	return mentions(transfer->buffer->slot, var);
}

static struct plan_node *inside(struct maker *maker, struct plan_node *block,
	struct plan_expr *condition)
{
	struct plan_node *node = plan_if(maker->arena, condition);

	plan_append(maker->arena, block, node);
	return node->body;
}

/* An input that stays in the innermost tile loop is fetched in its first iteration,
 * said in a way that leaves something to simplify. */
static void append_get(struct maker *maker, struct plan_node *block, struct plan_node *get)
{
	struct plan_var *inner = maker->tile_var[maker->order[maker->loop_count - 1]];
	struct plan_expr *at = plan_ref(maker->arena, inner), *is_first, *is_later;
	struct plan_node *never = ARENA_NEW(maker->arena, struct plan_node);

	if (!get->transfer.buffer->array->is_const || moves_with(&get->transfer, inner)
		|| random_below(&maker->random, 4) == 0) {
		plan_append(maker->arena, block, get);
		return;
	}
	is_first = plan_make(maker->arena, PLAN_LE, at, number(maker, 0));
	is_later = plan_make(maker->arena, PLAN_NOT, plan_make(maker->arena, PLAN_EQ, at,
		number(maker, 0)), NULL);
	*never = *get;
	plan_append(maker->arena, inside(maker, inside(maker, block, is_later), is_first), never);
	block = inside(maker, block, is_first);
	plan_append(maker->arena, inside(maker, block, plan_make(maker->arena, PLAN_NOT, is_later,
		NULL)), get);
}

static void add_tile(struct maker *maker, struct plan_node *block)
{
	struct plan_node *get[3], *put;
	struct plan_buffer *buffers[4];
	struct plan_node *wait = plan_wait(maker->arena, 7);

	for (int i = 0; i < 3; i++) {
		get[i] = plan_transfer(maker->arena, false, NULL, i);
		buffers[i + 1] = make_buffer(maker, &maker->statement->accesses[i + 1], get[i]);
		append_get(maker, block, get[i]);
	}
	buffers[0] = buffers[1];
	plan_append(maker->arena, block, wait);
	add_compute(maker, block, buffers);
	put = plan_transfer(maker->arena, true, buffers[0], 3);
	put->transfer = get[0]->transfer;
	put->transfer.is_put = true;
	put->transfer.tag = 3;
	plan_append(maker->arena, block, put);
	plan_append(maker->arena, block, plan_wait(maker->arena, 8));
}

static void make_plan(struct maker *maker, const struct program *program, const struct arch *arch)
{
	struct plan *plan = ARENA_NEW(maker->arena, struct plan);
	struct plan_node *block = plan_block(maker->arena);

	maker->plan = plan;
	plan->arena = maker->arena;
	plan->program = program;
	plan->function = maker->function;
	plan->arch = arch;
	plan->nest_count = 1;
	plan->nests = ARENA_NEW(maker->arena, struct plan_nest);
	plan->nests[0].name = maker->function->name;
	plan->nests[0].body = block;
	plan->nests[0].schedule = "order i j\n*/ none";
	plan->nests[0].lower_bound_argument = "compulsory";
	plan->buffers = ARENA_ARRAY(maker->arena, struct plan_buffer *, 4);
	plan->workspace_offset = ARENA_ARRAY(maker->arena, long, 3);
	for (int a = 0; a < 3; a++)
		plan->workspace_offset[a] = -1;
	choose_tiles(maker);
	for (int i = 0; i < maker->loop_count; i++) {
		int l = maker->order[i];
		struct plan_node *loop = plan_loop(maker->arena, LOOP_TILE, maker->tile_var[l],
			number(maker, 0), number(maker, maker->extent[l] - 1), maker->tile[l]);

		plan_append(maker->arena, block, loop);
		block = loop->body;
	}
	add_tile(maker, block);
}

struct program *random_program(struct arena *arena, isl_ctx *ctx, unsigned long seed, int count,
	const struct arch *arch, struct plan **plans)
{
	struct program *program = ARENA_NEW(arena, struct program);

	program->arena = arena;
	program->ctx = ctx;
	program->file = "random.loop";
	program->function_count = count;
	program->functions = ARENA_ARRAY(arena, const struct function *, count);
	for (int i = 0; i < count; i++) {
		struct maker maker = { .arena = arena, .ctx = ctx };

		maker.random.state = seed * 1000003UL + (unsigned long)i;
		make_function(&maker, i);
		program->functions[i] = maker.function;
		make_plan(&maker, program, arch);
		plans[i] = maker.plan;
	}
	return program;
}

/* ------------------------------------------------------------------ reference */

static const char *affine_text(struct arena *arena, const struct statement *statement,
	struct affine affine)
{
	const char *text = arena_printf(arena, "%ld", affine.constant);

	for (int l = 0; l < statement->depth; l++)
		if (affine.coefficients[l] != 0)
			text = arena_printf(arena, "%s + %ld * %s", text, affine.coefficients[l],
				statement->loops[l]->name);
	return text;
}

const char *reference_element(struct arena *arena, const struct statement *statement, int access)
{
	const struct array *array = statement->accesses[access].array;
	const char *text = array->name;

	for (int d = 0; d < array->rank; d++)
		text = arena_printf(arena, "%s[%s]", text, affine_text(arena, statement,
			statement->accesses[access].subscripts[d]));
	return text;
}

const char *reference_text(struct arena *arena, const struct statement *statement,
	const struct expr *expr)
{
	const char *part[3];

	for (int i = 0; i < expr->operand_count; i++)
		part[i] = reference_text(arena, statement, expr->operands[i]);
	switch (expr->kind) {
	case EXPR_LITERAL:
		return expr->text;
	case EXPR_AFFINE:
		return arena_printf(arena, "(%s)", affine_text(arena, statement, expr->affine));
	case EXPR_ACCESS:
		return reference_element(arena, statement, expr->access);
	case EXPR_CAST:
		return arena_printf(arena, "((%s)%s)", expr->type.name, part[0]);
	case EXPR_CONDITIONAL:
		return arena_printf(arena, "(%s ? %s : %s)", part[0], part[1], part[2]);
	default:
		return arena_printf(arena, "(%s %s %s)", part[0], expr->operator, part[1]);
	}
}

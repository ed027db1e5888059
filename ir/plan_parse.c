/* Reads what ir/plan_print.c writes.  Nothing is folded, so that it prints back as it
 * was.  Errors go to the diagnostics; the first ends the parse. */

#include <string.h>

#include "ir/plan_parser.h"

/* ------------------------------------------------------------------ names of the program */

static struct array *take_array(struct parser *parser)
{
	const struct function *function = parser->plan->function;
	struct location at = parser->words.at;
	const char *name = words_take_name(&parser->words, "an array");

	for (int i = 0; i < function->array_count; i++)
		if (strcmp(function->arrays[i]->name, name) == 0)
			return function->arrays[i];
	parser->words.at = at;
	words_fail(&parser->words, "function '%s' has no array '%s'", function->name, name);
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
	struct location at = parser->words.at;
	const char *name = words_take_name(&parser->words, "a buffer");
	struct plan_buffer *buffer = find_buffer(parser, name);

	if (!buffer) {
		parser->words.at = at;
		words_fail(&parser->words, "there is no buffer '%s'", name);
	}
	return buffer;
}

static struct plan_var *take_var(struct parser *parser)
{
	struct location at = parser->words.at;
	const char *name = words_take_name(&parser->words, "a variable");
	struct plan_var *var = find_plan_var(parser, name);

	if (!var) {
		parser->words.at = at;
		words_fail(&parser->words, "there is no variable '%s'", name);
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

	words_expect(&parser->words, "=");
	lower = parse_plan_expr(parser);
	words_expect(&parser->words, "to");
	upper = parse_plan_expr(parser);
	if (words_take(&parser->words, "step"))
		step = words_take_long(&parser->words);
	if (step <= 0)
		words_fail(&parser->words, "a loop's step is above 0");
	loop = plan_loop(parser->arena, kind, var, lower, upper, step);
	parse_block(parser, loop->body);
	return loop;
}

static struct plan_node *parse_let(struct parser *parser)
{
	struct plan_var *var = take_var(parser);
	struct plan_node *let;

	words_expect(&parser->words, "=");
	let = plan_let(parser->arena, var, parse_plan_expr(parser));
	parse_block(parser, let->body);
	return let;
}

static struct plan_node *parse_if(struct parser *parser)
{
	struct plan_node *node = plan_if(parser->arena, parse_plan_expr(parser));

	parse_block(parser, node->body);
	return node;
}

static struct plan_node *parse_transfer(struct parser *parser, bool is_put)
{
	struct plan_buffer *buffer = take_buffer(parser);
	struct plan_node *node;
	long tag = words_take_named(&parser->words, "tag");

	if (!buffer)
		return NULL;
	if (tag < 0 || tag > 31)
		words_fail(&parser->words, "tags are 0 .. 31");
	node = plan_transfer(parser->arena, is_put, buffer, (int)tag);
	parse_plan_exprs(parser, "first", node->transfer.first, buffer->rank);
	parse_plan_exprs(parser, "count", node->transfer.count, buffer->rank);
	parse_plan_exprs(parser, "local", node->transfer.local, buffer->rank);
	if (words_take(&parser->words, "slot"))
		node->transfer.slot = parse_plan_expr(parser);
	return node;
}

static struct plan_node *parse_wait(struct parser *parser)
{
	unsigned tags = 0;

	while (parser->words.kind == WORD_NUMBER && !parser->words.failed) {
		long tag = words_take_long(&parser->words);

		if (tag < 0 || tag > 31)
			words_fail(&parser->words, "tags are 0 .. 31");
		else
			tags |= 1u << tag;
	}
	return plan_wait(parser->arena, tags);
}

static struct plan_node *parse_compute(struct parser *parser)
{
	const struct function *function = parser->plan->function;
	struct location at = parser->words.at;
	const char *name = words_take_name(&parser->words, "a statement");
	const struct statement *statement = NULL;
	struct plan_node *node;

	for (int i = 0; i < function->statement_count; i++)
		if (strcmp(function->statements[i]->name, name) == 0)
			statement = function->statements[i];
	if (!statement) {
		parser->words.at = at;
		words_fail(&parser->words, "function '%s' has no statement '%s'", function->name, name);
		return NULL;
	}
	node = plan_compute(parser->arena, statement);
	parse_plan_exprs(parser, "at", node->values, statement->depth);
	words_expect(&parser->words, "in");
	words_expect(&parser->words, "(");
	for (int a = 0; a < statement->access_count && !parser->words.failed; a++) {
		if (a > 0)
			words_expect(&parser->words, ",");
		if (!words_take(&parser->words, "core"))
			node->buffers[a] = take_buffer(parser);
	}
	words_expect(&parser->words, ")");
	return node;
}

/* NAME [slot EXPR] at (EXPR, ...) */
static struct plan_buffer *parse_word(struct parser *parser, struct plan_expr **slot, struct plan_expr **at)
{
	struct plan_buffer *buffer = take_buffer(parser);

	if (!buffer)
		return NULL;
	if (words_take(&parser->words, "slot"))
		*slot = parse_plan_expr(parser);
	if ((*slot != NULL) != (buffer->slots > 1))
		words_fail(&parser->words, "a word of a buffer with several slots, and of no other, says in which it is");
	parse_plan_exprs(parser, "at", at, buffer->rank);
	return buffer;
}

static struct plan_node *parse_move(struct parser *parser, bool adds, bool clears)
{
	struct plan_node *node = plan_move(parser->arena);
	struct plan_move *move = node->move;

	move->adds = adds;
	if (!clears) {
		move->from = parse_word(parser, &move->from_slot, move->from_at);
		words_expect(&parser->words, "to");
	}
	move->to = parse_word(parser, &move->to_slot, move->to_at);
	if (!move->to || (!clears && !move->from))
		return NULL;
	if (move->from && move->from->array != move->to->array)
		words_fail(&parser->words, "a word moves between buffers of one array");
	return node;
}

static struct plan_node *parse_node(struct parser *parser)
{
	struct plan_node *block;

	if (words_take(&parser->words, "tile"))
		return parse_loop(parser, LOOP_TILE);
	if (words_take(&parser->words, "point"))
		return parse_loop(parser, LOOP_POINT);
	if (words_take(&parser->words, "pieces"))
		return parse_loop(parser, LOOP_TRANSFER);
	if (words_take(&parser->words, "element"))
		return parse_loop(parser, LOOP_ELEMENT);
	if (words_take(&parser->words, "let"))
		return parse_let(parser);
	if (words_take(&parser->words, "if"))
		return parse_if(parser);
	if (words_take(&parser->words, "get"))
		return parse_transfer(parser, false);
	if (words_take(&parser->words, "put"))
		return parse_transfer(parser, true);
	if (words_take(&parser->words, "wait"))
		return parse_wait(parser);
	if (words_take(&parser->words, "do"))
		return parse_compute(parser);
	if (words_take(&parser->words, "move"))
		return parse_move(parser, false, false);
	if (words_take(&parser->words, "add"))
		return parse_move(parser, true, false);
	if (words_take(&parser->words, "clear"))
		return parse_move(parser, false, true);
	if (words_take(&parser->words, "step")) {
		struct plan_node *step = plan_step(parser->arena);

		parse_block(parser, step->body);
		return step;
	}
	if (!words_take(&parser->words, "block")) {
		words_fail(&parser->words, "expected a node of the plan or '}', found '%s'", parser->words.text);
		return NULL;
	}
	block = plan_block(parser->arena);
	parse_block(parser, block);
	return block;
}

static void parse_block(struct parser *parser, struct plan_node *block)
{
	words_expect(&parser->words, "{");
	words_enter(&parser->words);
	while (!parser->words.failed && !words_are_at(&parser->words, "}")) {
		struct plan_node *node = parse_node(parser);

		if (node)
			plan_append(parser->arena, block, node);
	}
	words_leave(&parser->words);
	words_expect(&parser->words, "}");
}

/* ------------------------------------------------------------------ the plan */

static unsigned parse_roles(struct parser *parser)
{
	unsigned roles = 0;

	words_expect(&parser->words, "holds");
	for (int r = 0; r < ROLE_COUNT; r++)
		if (words_take(&parser->words, role_names[r]))
			roles |= 1u << r;
	return roles;
}

static bool has_memory(const struct arch *arch, const char *name)
{
	for (int m = 0; m < arch->memory_count; m++)
		if (!strcmp(arch->memories[m].name, name))
			return true;
	return false;
}

static void parse_memories(struct parser *parser, struct arch *arch)
{
	while (words_take(&parser->words, "memory")) {
		struct arch_memory memory = { .name = words_take_name(&parser->words, "a memory") };

		memory.bytes = words_take_named(&parser->words, "bytes");
		words_expect(&parser->words, "banks");
		memory.banks = words_take_int(&parser->words);
		memory.exclusive = words_take_named(&parser->words, "exclusive") != 0;
		words_expect(&parser->words, "align_bytes");
		memory.align_bytes = words_take_int(&parser->words);
		memory.roles = parse_roles(parser);
		memory.accumulates = words_take(&parser->words, "accumulates");
		if (memory.bytes < 1 || memory.banks < 1 || memory.align_bytes < 1)
			words_fail(&parser->words, "a memory has bytes, banks and an alignment above 0");
		else if (arch->memory_count == MEMORY_LIMIT || has_memory(arch, memory.name))
			words_fail(&parser->words, "a machine has up to %d memories, each with a name of its own",
				MEMORY_LIMIT);
		else
			arch->memories[arch->memory_count++] = memory;
	}
}

static void parse_array_time(struct parser *parser, struct pe_array *array)
{
	array->mac_cycles = words_take_real(&parser->words);
	for (int w = 0; w < ARRAY_WAYS; w++)
		array->networks[w] = words_take_int(&parser->words);
	array->words_per_cycle = words_take_real(&parser->words);
	array->memory_words_per_cycle[0] = words_take_real(&parser->words);
	if (!(array->mac_cycles > 0) || array->networks[WAY_READ] < 1 || array->networks[WAY_WRITE] < 1
		|| array->networks[WAY_REDUCE] < 1 || !(array->words_per_cycle > 0)
		|| !(array->memory_words_per_cycle[0] >= 0))
		words_fail(&parser->words, "an array's cycles, networks and words are above 0");
}

/* Words that another memory than the first has for the networks. */
static void parse_memory_words(struct parser *parser, struct arch *arch)
{
	while (words_take(&parser->words, "pe_memory")) {
		int m = words_take_int(&parser->words);
		double words = words_take_real(&parser->words);
		if (m < 1 || m >= arch->memory_count || !(words > 0))
			words_fail(&parser->words, "'pe_memory' has a memory after the first, and words above 0");
		else
			arch->array.memory_words_per_cycle[m] = words;
	}
}

static void parse_prices_by_size(struct parser *parser, const char *name, struct price_by_size *prices)
{
	if (!words_take(&parser->words, name))
		return;
	int count = words_take_int(&parser->words);
	if (count < 1 || count > PRICE_SIZES) {
		words_fail(&parser->words, "from 1 to %d sizes have prices", PRICE_SIZES);
		return;
	}
	for (; prices->count < count; prices->count++) {
		prices->at[prices->count].bytes = words_take_long(&parser->words);
		prices->at[prices->count].pj = words_take_real(&parser->words);
		if (prices->at[prices->count].bytes < 1 || !(prices->at[prices->count].pj > 0))
			words_fail(&parser->words, "sizes and their prices are above 0");
	}
}

static void parse_pe_array(struct parser *parser, struct arch *arch)
{
	arch->has_pe_array = words_take_named(&parser->words, "pe_array") != 0;
	arch->array = pe_array_usual();
	arch->array.x = words_take_int(&parser->words);
	arch->array.y = words_take_int(&parser->words);
	arch->array.registers_bytes = words_take_long(&parser->words);
	if (words_take(&parser->words, "pe_network")) {
		arch->array.multicast = (unsigned)words_take_long(&parser->words) & AXES_ANY;
		arch->array.reduce = (unsigned)words_take_long(&parser->words) & AXES_ANY;
		arch->array.is_free = words_take_long(&parser->words) != 0;
		long registers = words_take_long(&parser->words);
		arch->array.is_double = registers != 0;
		arch->array.shares_room = registers == 2;
	}
	if (words_take(&parser->words, "pe_registers")) {
		arch->array.is_split = true;
		for (int r = 0; r < ROLE_COUNT; r++)
			arch->array.role_bytes[r] = words_take_long(&parser->words);
	}
	if (words_take(&parser->words, "pe_accesses"))
		arch->array.register_accesses = words_take_int(&parser->words);
	if (words_take(&parser->words, "pe_bypass")) {
		arch->array.bypass = (unsigned)words_take_long(&parser->words) & ((1u << ROLE_COUNT) - 1);
		arch->bypass_memory = words_take_int(&parser->words);
		if (arch->bypass_memory < 1 || arch->bypass_memory != arch->memory_count - 1)
			words_fail(&parser->words, "the last memory is what arrays have that bypass the others");
	}
	if (words_take(&parser->words, "pe_time"))
		parse_array_time(parser, &arch->array);
	parse_memory_words(parser, arch);
}

static void parse_energy(struct parser *parser, struct arch *arch)
{
	words_expect(&parser->words, "energy_pj");
	arch->energy_mac_pj = words_take_real(&parser->words);
	arch->energy_register_pj = words_take_real(&parser->words);
	arch->energy_scratchpad_pj = words_take_real(&parser->words);
	arch->energy_dram_pj = words_take_real(&parser->words);
	arch->energy_word_bits = ARCH_WORD_BITS;
	if (words_take(&parser->words, "energy_network"))
		arch->energy_network_pj = words_take_real(&parser->words);
	arch->energy_reduce_pj = words_take(&parser->words, "energy_reduce") ? words_take_real(&parser->words) : -1;
	if (words_take(&parser->words, "energy_model")) {
		arch->energy_word_bits = words_take_int(&parser->words);
		arch->energy_scratchpad_sqrt_pj = words_take_real(&parser->words);
		arch->energy_bank_bits = words_take_long(&parser->words);
		arch->energy_bank_select = words_take_real(&parser->words);
		arch->energy_register_file_bytes = words_take_long(&parser->words);
		arch->energy_is_sized_by_schedule = words_take_long(&parser->words) != 0;
	}
	parse_prices_by_size(parser, "energy_register_by_bytes", &arch->energy_register_by_bytes);
	parse_prices_by_size(parser, "energy_scratchpad_by_bytes", &arch->energy_scratchpad_by_bytes);
	if (words_take(&parser->words, "energy_leakage"))
		arch->energy_leakage_pj = words_take_real(&parser->words);
}

static struct arch *parse_machine(struct parser *parser)
{
	struct arch *arch = ARENA_NEW(parser->arena, struct arch);

	words_expect(&parser->words, "machine");
	words_expect(&parser->words, "name");
	arch->name = words_take_string(&parser->words);
	arch->scratchpad_bytes = words_take_named(&parser->words, "scratchpad_bytes");
	words_expect(&parser->words, "banks");
	arch->banks = words_take_int(&parser->words);
	arch->exclusive = words_take_named(&parser->words, "exclusive") != 0;
	arch->accumulates = words_take(&parser->words, "accumulates");
	parse_memories(parser, arch);
	arch->startup_cycles = words_take_named(&parser->words, "startup_cycles");
	words_expect(&parser->words, "bytes_per_cycle");
	arch->bytes_per_cycle = words_take_real(&parser->words);
	if (words_take(&parser->words, "dma_clock_hz"))
		arch->dma_clock_hz = words_take_real(&parser->words);
	arch->write_startup_cycles = arch->startup_cycles;
	if (words_take(&parser->words, "write_startup_cycles"))
		arch->write_startup_cycles = words_take_long(&parser->words);
	if (words_take(&parser->words, "bursts")) {
		arch->burst_bytes = words_take_long(&parser->words);
		arch->burst_cycles = words_take_long(&parser->words);
		arch->write_burst_cycles = words_take_long(&parser->words);
	}
	arch->is_duplex = words_take(&parser->words, "duplex");
	arch->starts_once = words_take(&parser->words, "latency_only_first");
	if (words_take(&parser->words, "mac_cycles"))
		arch->core_mac_cycles = words_take_real(&parser->words);
	words_expect(&parser->words, "max_rank");
	arch->max_rank = words_take_int(&parser->words);
	arch->max_bytes = words_take_named(&parser->words, "max_bytes");
	arch->max_count = words_take_named(&parser->words, "max_count");
	arch->max_stride_bytes = words_take_named(&parser->words, "max_stride_bytes");
	words_expect(&parser->words, "align_bytes");
	arch->align_bytes = words_take_int(&parser->words);
	if (words_take(&parser->words, "dma_align_bytes"))
		arch->dma_align_bytes = words_take_int(&parser->words);
	words_expect(&parser->words, "channels");
	arch->channels = words_take_int(&parser->words);
	parse_pe_array(parser, arch);
	parse_energy(parser, arch);
	words_expect(&parser->words, "clock_hz");
	arch->clock_hz = words_take_real(&parser->words);
	return arch;
}

static void parse_workspace(struct parser *parser)
{
	struct plan *plan = parser->plan;
	int count = plan->function->array_count;

	plan->workspace_bytes = words_take_named(&parser->words, "workspace");
	plan->workspace_offset = ARENA_ARRAY(parser->arena, long, count + 1);
	for (int i = 0; i < count; i++)
		plan->workspace_offset[i] = -1;
	while (words_take(&parser->words, "place")) {
		const struct array *array = take_array(parser);
		long offset = words_take_long(&parser->words);

		if (array)
			plan->workspace_offset[array->index] = offset;
	}
}

static void parse_var(struct parser *parser)
{
	struct plan_var *var = ARENA_NEW(parser->arena, struct plan_var);

	var->name = words_take_name(&parser->words, "a variable");
	if (find_plan_var(parser, var->name))
		words_fail(&parser->words, "there are two variables '%s'", var->name);
	words_expect(&parser->words, "=");
	var->min = words_take_long(&parser->words);
	words_expect(&parser->words, "to");
	var->max = words_take_long(&parser->words);
	parser->vars = arena_grow(parser->arena, parser->vars, (size_t)parser->var_count,
		&parser->var_capacity, sizeof *parser->vars);
	parser->vars[parser->var_count++] = var;
}

static void parse_dim(struct parser *parser, struct plan_dim *dim)
{
	dim->extent = words_take_named(&parser->words, "dim");
	dim->stride = 1;
	if (words_take(&parser->words, "stride")) {
		dim->stride = words_take_long(&parser->words);
		dim->phase = words_take_named(&parser->words, "phase");
	}
	if (words_take(&parser->words, "ring")) {
		dim->modulus = words_take_long(&parser->words);
	} else {
		words_expect(&parser->words, "from");
		dim->origin = parse_plan_expr(parser);
	}
	if (dim->extent < 1 || dim->stride < 1 || dim->phase < 0 || dim->phase >= dim->stride
		|| (!dim->origin && dim->modulus < 1))
		words_fail(&parser->words, "a dimension has an extent, stride and modulus above 0 and a phase "
			"below its stride");
}

/* One of the machine's, by its name. */
static int take_memory(struct parser *parser)
{
	const char *name = words_take_name(&parser->words, "a memory");
	int memory = parser->words.failed ? 0 : arch_memory_named(parser->plan->arch, name);

	if (memory < 0)
		words_fail(&parser->words, "the machine has no memory '%s'", name);
	return memory < 0 ? 0 : memory;
}

static void parse_buffer(struct parser *parser, enum plan_home home, size_t *capacity)
{
	struct plan *plan = parser->plan;
	struct plan_buffer *buffer = ARENA_NEW(parser->arena, struct plan_buffer);

	buffer->index = plan->buffer_count;
	buffer->name = words_take_name(&parser->words, "a buffer");
	if (find_buffer(parser, buffer->name))
		words_fail(&parser->words, "there are two buffers '%s'", buffer->name);
	words_expect(&parser->words, "of");
	buffer->array = take_array(parser);
	buffer->home = home;
	if (home == IN_SCRATCHPAD && words_take(&parser->words, "memory")) {
		buffer->memory = take_memory(parser);
	}
	if (home == IN_SCRATCHPAD)
		buffer->offset_bytes = words_take_named(&parser->words, "offset");
	buffer->bytes = words_take_named(&parser->words, "bytes");
	buffer->bank = -1;
	if (words_take(&parser->words, "banks")) {
		buffer->bank = words_take_int(&parser->words);
		words_expect(&parser->words, "+");
		buffer->bank_count = words_take_int(&parser->words);
	}
	buffer->is_double = words_take(&parser->words, "double");
	buffer->slots = words_take_named(&parser->words, "slots");
	if (words_take(&parser->words, "slot"))
		buffer->slot = parse_plan_expr(parser);
	if (buffer->slots < 1 || (buffer->slots > 1 && !buffer->slot))
		words_fail(&parser->words, "a buffer of several slots says which is in use");
	buffer->rank = parser->words.failed ? 0 : buffer->array->rank;
	for (int d = 0; d < buffer->rank && !parser->words.failed; d++)
		parse_dim(parser, &buffer->dims[d]);
	plan->buffers = arena_grow(parser->arena, plan->buffers, (size_t)plan->buffer_count,
		capacity, sizeof *plan->buffers);
	plan->buffers[plan->buffer_count++] = buffer;
}

static void parse_buffers(struct parser *parser)
{
	size_t capacity = 0;

	for (;;) {
		if (words_take(&parser->words, "buffer"))
			parse_buffer(parser, IN_SCRATCHPAD, &capacity);
		else if (words_take(&parser->words, "registers"))
			parse_buffer(parser, IN_REGISTERS, &capacity);
		else if (words_take(&parser->words, "network"))
			parse_buffer(parser, ON_NETWORK, &capacity);
		else
			return;
	}
}

static struct plan_array *parse_elements(struct parser *parser)
{
	struct plan_array *elements = ARENA_NEW(parser->arena, struct plan_array);
	size_t capacity = 0;

	elements->elements = words_take_long(&parser->words);
	elements->steps = words_take_named(&parser->words, "steps");
	elements->cycles = words_take_named(&parser->words, "cycles");
	elements->register_bytes = words_take_named(&parser->words, "registers");
	for (int r = 0; r < ROLE_COUNT && parser->plan->arch->array.is_split; r++)
		elements->role_bytes[r] = words_take_named(&parser->words, role_names[r]);
	while (words_take(&parser->words, "words")) {
		static const char *const names[] = { "read", "written", "delivered", "reduced" };
		struct plan_words words = { .array = take_array(parser) };

		for (int w = 0; w < PLAN_WORDS; w++)
			words.words[w] = words_take_named(&parser->words, names[w]);
		if (words_take(&parser->words, "memory"))
			words.memory = take_memory(parser);
		elements->words = arena_grow(parser->arena, elements->words, (size_t)elements->count, &capacity,
			sizeof *elements->words);
		elements->words[elements->count++] = words;
	}
	return elements;
}

static void parse_traffic(struct parser *parser, struct plan_nest *nest)
{
	size_t capacity = 0;

	while (words_take(&parser->words, "traffic")) {
		struct plan_traffic traffic = { .array = take_array(parser) };

		traffic.flow.read_bytes = words_take_named(&parser->words, "read");
		traffic.flow.write_bytes = words_take_named(&parser->words, "write");
		if (words_take(&parser->words, "reads"))
			traffic.read_formula = words_take_string(&parser->words);
		if (words_take(&parser->words, "writes"))
			traffic.write_formula = words_take_string(&parser->words);
		nest->traffic = arena_grow(parser->arena, nest->traffic,
			(size_t)nest->traffic_count, &capacity, sizeof *nest->traffic);
		nest->traffic[nest->traffic_count++] = traffic;
	}
}

/* "F.2", or "F.2-4" of a fused group. */
static const char *take_nest_name(struct parser *parser)
{
	const char *name = words_take_name(&parser->words, "a nest");

	if (parser->words.kind != WORD_NUMBER || *parser->words.text != '-')
		return name;
	name = arena_printf(parser->arena, "%s%s", name, parser->words.text);
	words_advance(&parser->words);
	return name;
}

static struct plan_nest parse_nest(struct parser *parser, const struct arch *arch)
{
	struct plan_nest nest = { .name = take_nest_name(parser), .schedule = "",
		.lower_bound_argument = "" };

	words_expect(&parser->words, "line");
	nest.location.file = parser->program->file;
	nest.location.line = words_take_int(&parser->words);
	words_expect(&parser->words, "column");
	nest.location.column = words_take_int(&parser->words);
	nest.location.end_column = words_take_int(&parser->words);
	if (words_take(&parser->words, "schedule"))
		nest.schedule = words_take_string(&parser->words);
	parse_traffic(parser, &nest);
	nest.compulsory_bytes = words_take_named(&parser->words, "compulsory");
	nest.lower_bound_bytes = words_take_named(&parser->words, "lower_bound");
	if (words_take(&parser->words, "argument"))
		nest.lower_bound_argument = words_take_string(&parser->words);
	if (words_take(&parser->words, "macs"))
		nest.macs = words_take_long(&parser->words);
	words_expect(&parser->words, "used");
	for (int m = 0; m < arch_memory_count(arch); m++)
		plan_nest_use_memory(&nest, m, words_take_long(&parser->words));
	nest.optimal = words_take_named(&parser->words, "optimal") != 0;
	nest.bound_bytes = words_take_named(&parser->words, "bound");
	nest.points = words_take_named(&parser->words, "points");
	nest.is_double = words_take_named(&parser->words, "double") != 0;
	if (words_take(&parser->words, "elements"))
		nest.elements = parse_elements(parser);
	words_expect(&parser->words, "body");
	nest.body = plan_block(parser->arena);
	parse_block(parser, nest.body);
	return nest;
}

static const struct function *take_function(struct parser *parser)
{
	struct location at = parser->words.at;
	const char *name = words_take_name(&parser->words, "a function");

	for (int i = 0; i < parser->program->function_count; i++)
		if (strcmp(parser->program->functions[i]->name, name) == 0)
			return parser->program->functions[i];
	parser->words.at = at;
	words_fail(&parser->words, "the program has no function '%s'", name);
	return NULL;
}

/* What is known of the function: what is known of its nest, if it has but one. */
static void parse_bounds(struct parser *parser)
{
	struct plan *plan = parser->plan;
	struct plan_bounds *bounds = &plan->bounds;
	*bounds = (struct plan_bounds){ -1, -1, "none", false, -1 };
	if (plan->nest_count == 1)
		*bounds = plan_bounds_of_nest(&plan->nests[0]);
	if (words_take(&parser->words, "compulsory"))
		*bounds = (struct plan_bounds){ words_take_long(&parser->words), -1, "none", false,
			-1 };
	if (!words_take(&parser->words, "lower_bound"))
		return;
	bounds->lower_bound_bytes = words_take_long(&parser->words);
	words_expect(&parser->words, "argument");
	bounds->lower_bound_argument = words_take_string(&parser->words);
	bounds->optimal = words_take_named(&parser->words, "optimal") != 0;
	bounds->bound_bytes = words_take(&parser->words, "bound") ? words_take_long(&parser->words)
		: bounds->lower_bound_bytes;
}

static struct plan *parse_one(struct parser *parser)
{
	struct plan *plan = ARENA_NEW(parser->arena, struct plan);
	size_t nest_capacity = 0;

	parser->plan = plan;
	parser->var_count = 0;
	plan->arena = parser->arena;
	plan->program = parser->program;
	words_expect(&parser->words, "plan");
	plan->function = take_function(parser);
	if (plan->function)
		plan_make_sizes(plan);
	if (!plan->function)
		return NULL;
	words_expect(&parser->words, "{");
	plan->arch = parse_machine(parser);
	parse_workspace(parser);
	while (words_take(&parser->words, "var"))
		parse_var(parser);
	parse_buffers(parser);
	while (words_take(&parser->words, "nest")) {
		plan->nests = arena_grow(parser->arena, plan->nests, (size_t)plan->nest_count,
			&nest_capacity, sizeof *plan->nests);
		plan->nests[plan->nest_count++] = parse_nest(parser, plan->arch);
	}
	parse_bounds(parser);
	words_expect(&parser->words, "}");
	return parser->words.failed ? NULL : plan;
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
	struct parser parser = { .arena = arena, .program = program };
	struct plan **plans = NULL;
	size_t capacity = 0;

	*count = 0;
	words_start(&parser.words, arena, diag, file, text, line);
	while (!parser.words.failed && parser.words.kind != WORD_END) {
		struct plan *plan = parse_one(&parser);

		plans = arena_grow(arena, plans, (size_t)*count, &capacity, sizeof *plans);
		plans[(*count)++] = plan;
	}
	return parser.words.failed ? NULL : plans;
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

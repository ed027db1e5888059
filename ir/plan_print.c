/* The plan as text; ir/plan_parse.c reads it back.  docs/ir.md is the grammar. */

#include <ctype.h>

#include "ir/plan.h"

/* ------------------------------------------------------------------ expressions */

enum { LEVEL_OR, LEVEL_AND, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_PRIMARY };

static const struct {
	const char *text;            /* operator, or the name of a function */
	int level, left, right;      /* operands that bind looser get parentheses */
} forms[] = {
	[PLAN_ADD] = { "+", LEVEL_SUM, LEVEL_SUM, LEVEL_PRODUCT },
	[PLAN_SUB] = { "-", LEVEL_SUM, LEVEL_SUM, LEVEL_PRODUCT },
	[PLAN_MUL] = { "*", LEVEL_PRODUCT, LEVEL_PRODUCT, LEVEL_PRIMARY },
	[PLAN_FLOORDIV] = { "floordiv", LEVEL_PRIMARY, 0, 0 },
	[PLAN_MOD] = { "mod", LEVEL_PRIMARY, 0, 0 },
	[PLAN_MIN] = { "min", LEVEL_PRIMARY, 0, 0 },
	[PLAN_MAX] = { "max", LEVEL_PRIMARY, 0, 0 },
	[PLAN_EQ] = { "==", LEVEL_COMPARE, LEVEL_SUM, LEVEL_SUM },
	[PLAN_LE] = { "<=", LEVEL_COMPARE, LEVEL_SUM, LEVEL_SUM },
	[PLAN_AND] = { "&&", LEVEL_AND, LEVEL_AND, LEVEL_COMPARE },
	[PLAN_OR] = { "||", LEVEL_OR, LEVEL_OR, LEVEL_AND },
	[PLAN_NOT] = { "!", LEVEL_PRIMARY, LEVEL_PRIMARY, 0 },
	[PLAN_SELECT] = { "select", LEVEL_PRIMARY, 0, 0 },
};

static void print_at(FILE *out, const struct plan_expr *expr, int level);

static void print_call(FILE *out, const struct plan_expr *expr)
{
	fprintf(out, "%s(", forms[expr->op].text);
	for (int i = 0; i < plan_operand_count(expr->op); i++) {
		fputs(i > 0 ? ", " : "", out);
		print_at(out, expr->operands[i], LEVEL_OR);
	}
	fputc(')', out);
}

static void print_plain(FILE *out, const struct plan_expr *expr)
{
	switch (expr->op) {
	case PLAN_CONST:
		fprintf(out, "%ld", expr->value);
		break;
	case PLAN_VAR:
		fputs(expr->var->name, out);
		break;
	case PLAN_FLOORDIV:
	case PLAN_MOD:
	case PLAN_MIN:
	case PLAN_MAX:
	case PLAN_SELECT:
		print_call(out, expr);
		break;
	case PLAN_NOT:
		fputs("!", out);
		print_at(out, expr->operands[0], forms[PLAN_NOT].left);
		break;
	default:
		print_at(out, expr->operands[0], forms[expr->op].left);
		fprintf(out, " %s ", forms[expr->op].text);
		print_at(out, expr->operands[1], forms[expr->op].right);
		break;
	}
}

static void print_at(FILE *out, const struct plan_expr *expr, int level)
{
	bool is_leaf = expr->op == PLAN_CONST || expr->op == PLAN_VAR;
	bool is_looser = !is_leaf && forms[expr->op].level < level;

	fputs(is_looser ? "(" : "", out);
	print_plain(out, expr);
	fputs(is_looser ? ")" : "", out);
}

void plan_expr_print(FILE *out, const struct plan_expr *expr)
{
	print_at(out, expr, LEVEL_OR);
}

/* " NAME (a, b)" */
static void print_list(FILE *out, const char *name, struct plan_expr *const *exprs, int count)
{
	fprintf(out, " %s (", name);
	for (int i = 0; i < count; i++) {
		fputs(i > 0 ? ", " : "", out);
		plan_expr_print(out, exprs[i]);
	}
	fputc(')', out);
}

/* ------------------------------------------------------------------ nodes */

static void indent(FILE *out, int depth)
{
	for (int i = 0; i < depth; i++)
		fputs("  ", out);
}

static void print_node(FILE *out, const struct plan_node *node, int depth);

/* The children of BLOCK and the brace that closes it. */
static void print_body(FILE *out, const struct plan_node *block, int depth)
{
	for (int i = 0; i < block->child_count; i++)
		print_node(out, block->children[i], depth + 1);
	indent(out, depth);
	fputs("}\n", out);
}

static void print_loop(FILE *out, const struct plan_node *node)
{
	static const char *const kinds[] = { [LOOP_TILE] = "tile", [LOOP_POINT] = "point",
		[LOOP_TRANSFER] = "pieces", [LOOP_ELEMENT] = "element" };

	fprintf(out, "%s %s = ", kinds[node->loop], node->var->name);
	plan_expr_print(out, node->lower);
	fputs(" to ", out);
	plan_expr_print(out, node->upper);
	if (node->step != 1)
		fprintf(out, " step %ld", node->step);
	fputs(" {\n", out);
}

static void print_transfer(FILE *out, const struct plan_transfer *transfer)
{
	int rank = transfer->buffer->rank;

	fprintf(out, "%s %s tag %d", transfer->is_put ? "put" : "get", transfer->buffer->name,
		transfer->tag);
	print_list(out, "first", transfer->first, rank);
	print_list(out, "count", transfer->count, rank);
	print_list(out, "local", transfer->local, rank);
	if (transfer->slot) {
		fputs(" slot ", out);
		plan_expr_print(out, transfer->slot);
	}
	fputc('\n', out);
}

static void print_wait(FILE *out, unsigned tags)
{
	fputs("wait", out);
	for (unsigned tag = 0; tag < 32; tag++)
		if (tags >> tag & 1)
			fprintf(out, " %u", tag);
	fputc('\n', out);
}

static void print_compute(FILE *out, const struct plan_node *node)
{
	const struct statement *statement = node->statement;

	fprintf(out, "do %s", statement->name);
	print_list(out, "at", node->values, statement->depth);
	fputs(" in (", out);
	for (int a = 0; a < statement->access_count; a++)
		fprintf(out, "%s%s", a > 0 ? ", " : "",
			node->buffers[a] ? node->buffers[a]->name : "core");
	fputs(")\n", out);
}

/* A word's place in a buffer. */
static void print_word(FILE *out, const struct plan_buffer *buffer, const struct plan_expr *slot,
	struct plan_expr *const *at)
{
	fprintf(out, " %s", buffer->name);
	if (slot) {
		fputs(" slot ", out);
		plan_expr_print(out, slot);
	}
	print_list(out, "at", at, buffer->rank);
}

static void print_move(FILE *out, const struct plan_move *move)
{
	fputs(!move->from ? "clear" : move->adds ? "add" : "move", out);
	if (move->from) {
		print_word(out, move->from, move->from_slot, move->from_at);
		fputs(" to", out);
	}
	print_word(out, move->to, move->to_slot, move->to_at);
	fputc('\n', out);
}

static void print_node(FILE *out, const struct plan_node *node, int depth)
{
	indent(out, depth);
	switch (node->kind) {
	case PLAN_BLOCK:
		fputs("block {\n", out);
		print_body(out, node, depth);
		break;
	case PLAN_LOOP:
		print_loop(out, node);
		print_body(out, node->body, depth);
		break;
	case PLAN_LET:
		fprintf(out, "let %s = ", node->var->name);
		plan_expr_print(out, node->lower);
		fputs(" {\n", out);
		print_body(out, node->body, depth);
		break;
	case PLAN_IF:
		fputs("if ", out);
		plan_expr_print(out, node->condition);
		fputs(" {\n", out);
		print_body(out, node->body, depth);
		break;
	case PLAN_TRANSFER:
		print_transfer(out, &node->transfer);
		break;
	case PLAN_WAIT:
		print_wait(out, node->tags);
		break;
	case PLAN_COMPUTE:
		print_compute(out, node);
		break;
	case PLAN_MOVE:
		print_move(out, node->move);
		break;
	case PLAN_STEP:
		fputs("step {\n", out);
		print_body(out, node->body, depth);
		break;
	}
}

/* ------------------------------------------------------------------ the plan */

/* Lines of TEXT as strings, one a line. */
static void print_string(FILE *out, const char *prefix, const char *text)
{
	bool at_start = true;

	for (; *text; text++) {
		if (at_start)
			fprintf(out, "%s\"", prefix);
		at_start = false;
		if (*text == '\n') {
			fputs("\\n\"\n", out);
			at_start = true;
		} else if (*text == '"' || *text == '\\') {
			fprintf(out, "\\%c", *text);
		} else {
			fputc(*text, out);
		}
	}
	if (!at_start)
		fputs("\"\n", out);
}

static void print_prices_by_size(FILE *out, const char *name, const struct price_by_size *prices)
{
	if (!prices->count)
		return;
	fprintf(out, "    %s %d", name, prices->count);
	for (int i = 0; i < prices->count; i++)
		fprintf(out, " %ld %.17g", prices->at[i].bytes, prices->at[i].pj);
	fputc('\n', out);
}

/* More than a price for each access. */
static bool has_energy_model(const struct arch *arch)
{
	return arch->energy_word_bits != ARCH_WORD_BITS || arch->energy_scratchpad_sqrt_pj > 0 ||
		arch->energy_bank_bits || arch->energy_bank_select > 0 ||
		arch->energy_register_file_bytes || arch->energy_is_sized_by_schedule;
}

/* More is said of it than its size. */
static bool has_own_network(const struct pe_array *array)
{
	return array->multicast != AXES_ANY || array->reduce != AXES_ANY || array->is_free || !array->is_double || array->shares_room;
}

/* Several memories, and the roles of the arrays that lie in them. */
static void print_memories(FILE *out, const struct arch *arch)
{
	for (int m = 0; m < arch->memory_count; m++) {
		const struct arch_memory *memory = &arch->memories[m];

		fprintf(out, "    memory %s bytes %ld banks %d exclusive %d align_bytes %d holds",
			memory->name, memory->bytes, memory->banks, memory->exclusive, memory->align_bytes);
		for (int r = 0; r < ROLE_COUNT; r++)
			if (memory->roles >> r & 1)
				fprintf(out, " %s", role_names[r]);
		fputs(memory->accumulates ? " accumulates\n" : "\n", out);
	}
}

static void print_machine(FILE *out, const struct arch *arch)
{
	fputs("  machine\n", out);
	print_string(out, "    name ", arch->name);
	fprintf(out, "    scratchpad_bytes %ld\n    banks %d\n    exclusive %d\n", arch->scratchpad_bytes,
		arch->banks, arch->exclusive);
	if (arch->accumulates)
		fputs("    accumulates\n", out);
	print_memories(out, arch);
	fprintf(out, "    startup_cycles %ld\n    bytes_per_cycle %.17g\n", arch->startup_cycles,
		arch->bytes_per_cycle);
	if (arch->dma_clock_hz > 0)
		fprintf(out, "    dma_clock_hz %.17g\n", arch->dma_clock_hz);
	if (arch->write_startup_cycles != arch->startup_cycles)
		fprintf(out, "    write_startup_cycles %ld\n", arch->write_startup_cycles);
	if (arch->burst_bytes)
		fprintf(out, "    bursts %ld %ld %ld\n", arch->burst_bytes, arch->burst_cycles,
			arch->write_burst_cycles);
	if (arch->is_duplex)
		fputs("    duplex\n", out);
	if (arch->starts_once)
		fputs("    latency_only_first\n", out);
	if (arch->core_mac_cycles > 0)
		fprintf(out, "    mac_cycles %.17g\n", arch->core_mac_cycles);
	fprintf(out, "    max_rank %d\n    max_bytes %ld\n    max_count %ld\n    max_stride_bytes %ld\n"
		"    align_bytes %d\n", arch->max_rank, arch->max_bytes, arch->max_count,
		arch->max_stride_bytes, arch->align_bytes);
	if (arch->dma_align_bytes > 1)
		fprintf(out, "    dma_align_bytes %d\n", arch->dma_align_bytes);
	fprintf(out, "    channels %d\n", arch->channels);
	fprintf(out, "    pe_array %d %d %d %ld\n", arch->has_pe_array, arch->array.x, arch->array.y,
		arch->array.registers_bytes);
	if (arch->has_pe_array && has_own_network(&arch->array))
		fprintf(out, "    pe_network %u %u %d %d\n", arch->array.multicast, arch->array.reduce,
			arch->array.is_free, arch->array.is_double + arch->array.shares_room);
	if (arch->array.is_split)
		fprintf(out, "    pe_registers %ld %ld %ld\n", arch->array.role_bytes[ROLE_INPUT],
			arch->array.role_bytes[ROLE_WEIGHT], arch->array.role_bytes[ROLE_OUTPUT]);
	if (arch->array.register_accesses != ACCESSES_OF_MAC)
		fprintf(out, "    pe_accesses %d\n", arch->array.register_accesses);
	if (arch->array.bypass)
		fprintf(out, "    pe_bypass %u %d\n", arch->array.bypass, arch->bypass_memory);
	if (arch->array.mac_cycles > 0)
		fprintf(out, "    pe_time %.17g %d %d %d %.17g %.17g\n", arch->array.mac_cycles,
			arch->array.networks[WAY_READ], arch->array.networks[WAY_WRITE],
			arch->array.networks[WAY_REDUCE], arch->array.words_per_cycle,
			arch->array.memory_words_per_cycle[0]);
	for (int m = 1; m < arch->memory_count && arch->array.mac_cycles > 0; m++)
		if (arch->array.memory_words_per_cycle[m] > 0)
			fprintf(out, "    pe_memory %d %.17g\n", m, arch->array.memory_words_per_cycle[m]);
	fprintf(out, "    energy_pj %.17g %.17g %.17g %.17g\n", arch->energy_mac_pj,
		arch->energy_register_pj, arch->energy_scratchpad_pj, arch->energy_dram_pj);
	if (arch->energy_network_pj > 0)
		fprintf(out, "    energy_network %.17g\n", arch->energy_network_pj);
	if (arch->energy_reduce_pj >= 0)
		fprintf(out, "    energy_reduce %.17g\n", arch->energy_reduce_pj);
	if (has_energy_model(arch))
		fprintf(out, "    energy_model %d %.17g %ld %.17g %ld %d\n", arch->energy_word_bits,
			arch->energy_scratchpad_sqrt_pj, arch->energy_bank_bits,
			arch->energy_bank_select, arch->energy_register_file_bytes,
			arch->energy_is_sized_by_schedule);
	print_prices_by_size(out, "energy_register_by_bytes", &arch->energy_register_by_bytes);
	print_prices_by_size(out, "energy_scratchpad_by_bytes", &arch->energy_scratchpad_by_bytes);
	if (arch->energy_leakage_pj > 0)
		fprintf(out, "    energy_leakage %.17g\n", arch->energy_leakage_pj);
	fprintf(out, "    clock_hz %.17g\n", arch->clock_hz);
}

static void print_vars(FILE *out, const struct plan_node *node)
{
	if (node->var)
		fprintf(out, "  var %s = %ld to %ld\n", node->var->name, node->var->min,
			node->var->max);
	if (node->body)
		print_vars(out, node->body);
	for (int i = 0; i < node->child_count; i++)
		print_vars(out, node->children[i]);
}

static void print_dim(FILE *out, const struct plan_dim *dim)
{
	fprintf(out, "    dim %ld", dim->extent);
	if (dim->stride != 1 || dim->phase != 0)
		fprintf(out, " stride %ld phase %ld", dim->stride, dim->phase);
	if (dim->modulus > 0) {
		fprintf(out, " ring %ld", dim->modulus);
	} else {
		fputs(" from ", out);
		plan_expr_print(out, dim->origin);
	}
	fputc('\n', out);
}

static void print_buffer(FILE *out, const struct arch *arch, const struct plan_buffer *buffer)
{
	static const char *const homes[] = { [IN_SCRATCHPAD] = "buffer", [IN_REGISTERS] = "registers",
		[ON_NETWORK] = "network" };

	fprintf(out, "  %s %s of %s", homes[buffer->home], buffer->name, buffer->array->name);
	if (buffer->home == IN_SCRATCHPAD && arch_memory_count(arch) > 1)
		fprintf(out, " memory %s", arch_memory(arch, buffer->memory).name);
	if (buffer->home == IN_SCRATCHPAD)
		fprintf(out, " offset %ld", buffer->offset_bytes);
	fprintf(out, " bytes %ld", buffer->bytes);
	if (buffer->bank >= 0)
		fprintf(out, " banks %d + %d", buffer->bank, buffer->bank_count);
	if (buffer->is_double)
		fputs(" double", out);
	fprintf(out, " slots %ld", buffer->slots);
	if (buffer->slot) {
		fputs(" slot ", out);
		plan_expr_print(out, buffer->slot);
	}
	fputc('\n', out);
	for (int d = 0; d < buffer->rank; d++)
		print_dim(out, &buffer->dims[d]);
}

static void print_traffic(FILE *out, const struct plan_traffic *traffic)
{
	fprintf(out, "    traffic %s read %ld write %ld", traffic->array->name, traffic->flow.read_bytes,
		traffic->flow.write_bytes);
	if (traffic->read_formula)
		fprintf(out, " reads \"%s\"", traffic->read_formula);
	if (traffic->write_formula)
		fprintf(out, " writes \"%s\"", traffic->write_formula);
	fputc('\n', out);
}

static void print_elements(FILE *out, const struct arch *arch, const struct plan_array *elements)
{
	fprintf(out, "    elements %ld steps %ld cycles %ld registers %ld", elements->elements, elements->steps,
		elements->cycles, elements->register_bytes);
	for (int r = 0; r < ROLE_COUNT && arch->array.is_split; r++)
		fprintf(out, " %s %ld", role_names[r], elements->role_bytes[r]);
	fputc('\n', out);
	for (int i = 0; i < elements->count; i++) {
		const struct plan_words *words = &elements->words[i];

		fprintf(out, "    words %s read %ld written %ld delivered %ld reduced %ld", words->array->name,
			words->words[WORD_READ], words->words[WORD_WRITTEN], words->words[WORD_DELIVERED],
			words->words[WORD_REDUCED]);
		if (arch_memory_count(arch) > 1)
			fprintf(out, " memory %s", arch_memory(arch, words->memory).name);
		fputc('\n', out);
	}
}

static void print_nest(FILE *out, const struct arch *arch, const struct plan_nest *nest)
{
	fprintf(out, "  nest %s line %d column %d %d\n", nest->name, nest->location.line,
		nest->location.column, nest->location.end_column);
	if (nest->schedule && *nest->schedule) {
		fputs("    schedule\n", out);
		print_string(out, "      ", nest->schedule);
	}
	for (int i = 0; i < nest->traffic_count; i++)
		print_traffic(out, &nest->traffic[i]);
	fprintf(out, "    compulsory %ld\n    lower_bound %ld\n", nest->compulsory_bytes,
		nest->lower_bound_bytes);
	if (nest->lower_bound_argument && *nest->lower_bound_argument)
		print_string(out, "    argument ", nest->lower_bound_argument);
	if (nest->macs)
		fprintf(out, "    macs %ld\n", nest->macs);
	fputs("    used", out);
	for (int m = 0; m < arch_memory_count(arch); m++)
		fprintf(out, " %ld", nest->memory_used_bytes[m]);
	fprintf(out, "\n    optimal %d\n    bound %ld\n    points %ld\n    double %d\n",
		nest->optimal, nest->bound_bytes, nest->points, nest->is_double);
	if (nest->elements)
		print_elements(out, arch, nest->elements);
	fputs("    body {\n", out);
	print_body(out, nest->body, 2);
}

/* What is known of the function. */
static void print_bounds(FILE *out, const struct plan_bounds *bounds)
{
	if (bounds->compulsory_bytes >= 0)
		fprintf(out, "  compulsory %ld\n", bounds->compulsory_bytes);
	if (bounds->lower_bound_bytes < 0)
		return;
	fprintf(out, "  lower_bound %ld\n", bounds->lower_bound_bytes);
	print_string(out, "  argument ", bounds->lower_bound_argument);
	fprintf(out, "  optimal %d\n", bounds->optimal);
	if (bounds->bound_bytes > bounds->lower_bound_bytes)
		fprintf(out, "  bound %ld\n", bounds->bound_bytes);
}

void plan_print_alone(FILE *out, const struct plan *plan)
{
	const struct function *function = plan->function;

	fprintf(out, "plan %s {\n", function->name);
	print_machine(out, plan->arch);
	fprintf(out, "  workspace %ld\n", plan->workspace_bytes);
	for (int i = 0; i < function->array_count; i++)
		if (plan->workspace_offset[i] >= 0)
			fprintf(out, "    place %s %ld\n", function->arrays[i]->name,
				plan->workspace_offset[i]);
	for (int n = 0; n < plan->nest_count; n++)
		print_vars(out, plan->nests[n].body);
	for (int i = 0; i < plan->buffer_count; i++)
		print_buffer(out, plan->arch, plan->buffers[i]);
	for (int n = 0; n < plan->nest_count; n++)
		print_nest(out, plan->arch, &plan->nests[n]);
	if (plan_has_own_bounds(plan))
		print_bounds(out, &plan->bounds);
	fputs("}\n", out);
}

void plans_print(FILE *out, const struct plan *const *plans, int count)
{
	if (count > 0)
		program_print(out, plans[0]->program);
	for (int i = 0; i < count; i++) {
		fputc('\n', out);
		plan_print_alone(out, plans[i]);
	}
}

void plan_print(FILE *out, const struct plan *plan)
{
	plans_print(out, &plan, 1);
}

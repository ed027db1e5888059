#include "codegen/report_elements.h"

#include "ir/energy.h"

static long elements_of(const struct plan *plan)
{
	return (long)plan->arch->array.x * plan->arch->array.y;
}

/* The share of all elements that compute, over all steps: of their time, if TIME says it (NULL: it is not known), or
 * else of iterations; -1: not known. */
static double utilisation(const struct plan *plan, const struct plan_nest *nest, const struct plan_time *time)
{
	double mac_cycles = plan->arch->array.mac_cycles, macs = (double)nest->macs;
	double cycles = (double)nest->elements->cycles;
	if (time && mac_cycles > 0) {
		cycles = (double)time->compute_cycles + (double)time->move_cycles;
		macs *= mac_cycles;
	}
	return macs <= 0 || cycles <= 0 ? -1 : macs / (cycles * (double)elements_of(plan));
}

/* Words of an array of NEST that come to the scratchpad from external memory, or leave it (IS_WRITTEN). */
static long external_words(const struct plan_nest *nest, const struct array *array, bool is_written)
{
	long words = 0;
	for (int t = 0; t < nest->traffic_count; t++)
		if (nest->traffic[t].array == array)
			words += (is_written ? nest->traffic[t].flow.write_bytes : nest->traffic[t].flow.read_bytes)
				/ array->type.bytes;
	return words;
}

/* Words that are read from memories on chip, or written to them, by elements and copies. */
static long scratchpad_words(const struct plan *plan, const struct plan_nest *nest, bool is_written)
{
	long sum = 0;
	for (int i = 0; i < nest->elements->count; i++) {
		const struct plan_words *words = &nest->elements->words[i];
		if (!plan_words_bypass(plan->arch, words))
			sum += words->words[is_written ? WORD_WRITTEN : WORD_READ] + external_words(nest, words->array, !is_written);
	}
	return sum;
}

static json_t *words_json(const struct plan *plan, const struct plan_words *words)
{
	json_t *entry = json_pack("{ss sI sI sI sI}", "name", words->array->name,
		"array_read_words", (json_int_t)words->words[WORD_READ],
		"array_write_words", (json_int_t)words->words[WORD_WRITTEN],
		"delivered_words", (json_int_t)words->words[WORD_DELIVERED],
		"reduced_words", (json_int_t)words->words[WORD_REDUCED]);
	if (entry && plan->arch->bypass_memory)
		json_object_set_new(entry, "bypass", json_boolean(plan_words_bypass(plan->arch, words)));
	return entry;
}

void report_elements_json(json_t *entry, const struct plan *plan, const struct plan_nest *nest,
	const struct plan_time *time)
{
	const struct plan_array *elements = nest->elements;
	double share = utilisation(plan, nest, time);
	json_t *arrays = json_array();
	for (int i = 0; i < elements->count; i++)
		json_array_append_new(arrays, words_json(plan, &elements->words[i]));
	json_object_set_new(entry, "array", json_pack("{sI sI so sI sI sI}",
		"elements", (json_int_t)elements_of(plan), "used", (json_int_t)elements->elements,
		"utilisation", share < 0 ? json_null() : json_real(share), "steps", (json_int_t)elements->steps,
		"cycles", (json_int_t)elements->cycles, "registers_bytes_used", (json_int_t)elements->register_bytes));
	if (plan->arch->array.is_split)
		json_object_set_new(json_object_get(entry, "array"), "registers_bytes_by_role", json_pack("{sI sI sI}",
			role_names[ROLE_INPUT], (json_int_t)elements->role_bytes[ROLE_INPUT],
			role_names[ROLE_WEIGHT], (json_int_t)elements->role_bytes[ROLE_WEIGHT],
			role_names[ROLE_OUTPUT], (json_int_t)elements->role_bytes[ROLE_OUTPUT]));
	json_object_set_new(entry, "levels", json_pack("[{ss sI sI so so ss}, {ss so}]", "name", "scratchpad",
		"read_words", (json_int_t)scratchpad_words(plan, nest, false),
		"write_words", (json_int_t)scratchpad_words(plan, nest, true), "arrays", arrays, "lower_bound_words",
		elements->bound_argument ? json_integer((json_int_t)elements->bound_words) : json_null(), "argument",
		elements->bound_argument ? elements->bound_argument : "none", "name", "register",
		"words", nest->macs < 0 ? json_null() : json_integer((json_int_t)plan->arch->array.register_accesses * nest->macs)));
}

void report_elements_text(FILE *out, const struct plan *plan, const struct plan_nest *nest,
	const struct plan_time *time)
{
	const struct plan_array *elements = nest->elements;
	double share = utilisation(plan, nest, time);
	long moved = 0;
	fprintf(out, "  array: %s of %s elements", report_number(elements->elements), report_number(elements_of(plan)));
	fprintf(out, ", %s of %s bytes of registers", report_number(elements->register_bytes),
		report_number(plan->arch->array.registers_bytes));
	for (int r = 0; r < ROLE_COUNT && plan->arch->array.is_split; r++)
		fprintf(out, "%s%s %s of %s%s", r ? ", " : " (", role_names[r], report_number(elements->role_bytes[r]),
			report_number(plan->arch->array.role_bytes[r]), r + 1 == ROLE_COUNT ? ")" : "");
	fprintf(out, ", %s steps, %s iterations of the busiest element", report_number(elements->steps),
		report_number(elements->cycles));
	if (share >= 0)
		fprintf(out, ", %.1f %% used", 100 * share);
	fprintf(out, "\n    %-10s %15s %15s %15s %15s\n", "words", "read", "written", "delivered", "added up");
	for (int i = 0; i < elements->count; i++) {
		const struct plan_words *words = &elements->words[i];
		fprintf(out, "    %-10s %15s %15s", words->array->name, report_number(words->words[WORD_READ]),
			report_number(words->words[WORD_WRITTEN]));
		fprintf(out, " %15s %15s%s\n", report_number(words->words[WORD_DELIVERED]),
			report_number(words->words[WORD_REDUCED]), plan_words_bypass(plan->arch, words) ? "  bypasses memories" : "");
		moved += words->words[WORD_READ] + words->words[WORD_WRITTEN];
	}
	if (!elements->bound_argument || elements->bound_words <= 0)
		return;
	fprintf(out, "    read and written: %s words, ", report_number(moved));
	if (moved > elements->bound_words)
		fprintf(out, "%.1f %% above what any mapping has to move (%s: %s)\n",
			100.0 * (double)(moved - elements->bound_words) / (double)elements->bound_words, elements->bound_argument,
			report_number(elements->bound_words));
	else
		fprintf(out, "which is the least that any mapping moves (%s)\n", elements->bound_argument);
}

#include "passes/studies/registers.h"

#include "passes/cost/nest_model.h"
#include "passes/quiet.h"
#include "passes/search/search_memo.h"

/* An estimate needs no proof: so many points of the search. */
enum { EFFORT = 200000 };

/* False if nothing fits a register file.  Regions without closed forms count as the boxes
 * around them. */
static bool nest_register_bytes(struct compilation *compilation, const struct nest *nest,
	const struct arch *registers, long *bytes)
{
	struct nest_model *model = ARENA_NEW(compilation->arena, struct nest_model);
	struct region *regions = ARENA_ARRAY(compilation->arena, struct region,
		nest->arrays->count + 1);
	struct search_options options;
	struct schedule best;
	struct proof proof;
	if (nest->arrays->count > MODEL_ARRAYS)
		return false;
	const struct variant variant = variant_plain(compilation, nest);
	nest_model_build(compilation, &variant, model, regions);
	search_options_init(&options);
	options.effort = EFFORT;
	options.threads = compilation->watch.threads;
	options.interrupted = compilation->watch.interrupted;
	if (!search_schedule_once(compilation->known.searches, model, registers, &options, &best,
		&proof))
		return false;
	*bytes = best.total_bytes;
	return true;
}

/* FUNCTION with the sizes it is tuned for; lower_function has seen that it has a statement
 * there. */
static const struct function *tuned(struct compilation *compilation,
	const struct function *function)
{
	long values[SYMBOLIC_LIMIT];
	for (int k = 0; k < function->symbolic_count; k++)
		values[k] = function->symbolic[k]->value;
	return function->symbolic_count ? function_at(compilation->arena, function, values) : function;
}

const long *register_traffic(const struct compilation *compilation,
	const struct function *function)
{
	struct quiet quiet;
	int count;
	struct arch registers = { .banks = 1, .align_bytes = 1,
		.scratchpad_bytes = compilation->arch->energy_register_file_bytes };
	if (!registers.scratchpad_bytes)
		return NULL;
	quiet_begin(&quiet, compilation);
	const struct nest *nests = nests_of_function(&quiet.compilation, tuned(&quiet.compilation, function),
		&count);
	long *traffic = ARENA_ARRAY(compilation->arena, long, count + 1);
	for (int n = 0; n < count; n++)
		if (!nest_register_bytes(&quiet.compilation, &nests[n], &registers, &traffic[n]))
			traffic[n] = -1;
	quiet_end(&quiet);
	return traffic;
}

void register_traffic_fill(const long *traffic, struct plan_nest *entry)
{
	if (!traffic || !entry->source_count)
		return;
	entry->register_use = REGISTERS_USED;
	entry->register_traffic_bytes = 0;
	for (int n = entry->first_source; n < entry->first_source + entry->source_count; n++) {
		entry->register_traffic_bytes += traffic[n];
		if (traffic[n] < 0)
			entry->register_use = REGISTERS_UNUSED;
	}
}

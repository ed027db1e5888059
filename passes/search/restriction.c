#include "passes/analysis/roles.h"
#include "passes/search/restriction.h"

void restriction_apply(const struct compilation *compilation, const struct variant *variant,
	struct nest_model *model, struct search_options *options)
{
	const struct restriction *restriction = &compilation->request.restriction;
	for (int a = 0; a < model->array_count; a++)
		options->held[a] = restriction->held_roles
			>> array_role_in(variant->nest, variant->groups->items[a].array) & 1;
	options->divides = restriction->divides;
	options->prefers_memory = restriction->prefers_memory;
	options->prices = (struct prices){ .byte = restriction->prices.byte, .command = restriction->prices.command };
	for (int l = 0; l < model->loop_count && restriction->is_forward; l++)
		options->serpentine[l] = 0;
	if (!restriction->is_in_source_order)
		return;
	options->order_count = model->loop_count;
	for (int l = 0; l < model->loop_count; l++) {
		options->order[l] = l;
		model->loops[l].tile = 1;
	}
}

bool restriction_has_parts(const struct compilation *compilation)
{
	return !compilation->request.restriction.held_roles && !compilation->request.restriction.is_in_source_order;
}

void restriction_trim(const struct compilation *compilation, const struct variant *variant,
	const struct nest_model *model, struct schedule *schedule)
{
	int used = 0;
	if (!compilation->request.restriction.is_in_source_order)
		return;
	for (int a = 0; a < model->array_count; a++)
		if (schedule->storage[a].store > used)
			used = schedule->storage[a].store;
	while (schedule->depth > used && schedule->order[schedule->depth - 1] >= variant->band->prefix) {
		int loop = schedule->order[--schedule->depth];
		schedule->tile[loop] = model->loops[loop].extent;
	}
}

/* Transfers: one small function for each buffer and direction. */

#include "codegen/transfer.h"

enum { RUNTIME_MAX_RANK = 8 };       /* LRT_MAX_RANK */

static bool moves_nothing(const struct plan_transfer *transfer)
{
	for (int d = 0; d < transfer->buffer->rank; d++) {
		long min, max;

		plan_range(transfer->count[d], &min, &max);
		if (max <= 0)
			return true;
	}
	return false;
}

static const struct plan_expr *slot_of(const struct plan_transfer *transfer)
{
	return transfer->slot ? transfer->slot : transfer->buffer->slot;
}

/* Whether TRANSFER's counts are what FORM has as constants and parameters: its box
 * must be FORM's. */
static bool has_form(const struct transfer_form *form, const struct plan_transfer *transfer)
{
	if (form->buffer != transfer->buffer || form->is_put != transfer->is_put)
		return false;
	for (int d = 0; d < transfer->buffer->rank; d++) {
		long min, max;

		plan_range(transfer->count[d], &min, &max);
		if ((min == max) != form->count[d].is_fixed
			|| (min == max && max != form->count[d].value))
			return false;
	}
	return true;
}

static void join_value(struct form_value *value, const struct plan_expr *expr, bool is_new)
{
	long min, max;
	bool is_wide = expr_is_wide(expr);

	plan_range(expr, &min, &max);
	if (is_new) {
		*value = (struct form_value){ min == max, is_wide, min, min };
		return;
	}
	value->is_fixed = value->is_fixed && min == max && min == value->value;
	value->is_wide = value->is_wide || is_wide;
	value->min = min < value->min ? min : value->min;
}

static void join(struct arena *arena, struct transfer_form *form,
	const struct plan_transfer *transfer, bool is_new)
{
	const struct plan_expr *slot = slot_of(transfer);

	join_value(&form->tag, plan_const(arena, transfer->tag), is_new);
	join_value(&form->slot, form->buffer->slots > 1 && slot ? slot : plan_const(arena, 0),
		is_new);
	for (int d = 0; d < form->buffer->rank; d++) {
		long shift;
		bool is_shifted = plan_is_const(plan_make(arena, PLAN_SUB, transfer->local[d],
			transfer->first[d]), &shift);

		join_value(&form->first[d], transfer->first[d], is_new);
		join_value(&form->count[d], transfer->count[d], is_new);
		join_value(&form->local[d], transfer->local[d], is_new);
		if (is_new) {
			form->is_shifted[d] = is_shifted;
			form->local_shift[d] = shift;
		} else if (!is_shifted || shift != form->local_shift[d]) {
			form->is_shifted[d] = false;
		}
	}
	form->transfer_count++;
}

static struct transfer_form *find_form(const struct transfer_forms *forms,
	const struct plan_transfer *transfer)
{
	for (int i = 0; i < forms->count; i++)
		if (has_form(&forms->items[i], transfer))
			return &forms->items[i];
	return NULL;
}

static bool collect_transfer(struct transfer_forms *forms, const struct plan *plan,
	const struct plan_transfer *transfer, struct names *globals)
{
	struct transfer_form *form = find_form(forms, transfer);
	bool is_new = !form;

	if (moves_nothing(transfer))
		return true;
	if (is_new) {
		forms->items = arena_grow(forms->arena, forms->items, (size_t)forms->count,
			&forms->capacity, sizeof *forms->items);
		form = &forms->items[forms->count++];
		*form = (struct transfer_form){ .buffer = transfer->buffer,
			.is_put = transfer->is_put };
		plan_box(transfer, &form->box);
		form->name = names_add(globals, NULL, arena_printf(forms->arena, "%s_%s_%s",
			plan->function->name, transfer->is_put ? "put" : "get",
			transfer->buffer->name));
	}
	join(forms->arena, form, transfer, is_new);
	if (form->box.rank <= RUNTIME_MAX_RANK)
		return true;
	fprintf(stderr, "loopc: internal error: a transfer of %s has rank %d, the runtime's limit "
		"is %d\n", transfer->buffer->name, form->box.rank, RUNTIME_MAX_RANK);
	return false;
}

static bool collect_node(struct transfer_forms *forms, const struct plan *plan,
	const struct plan_node *node, struct names *globals)
{
	if (node->kind == PLAN_TRANSFER)
		return collect_transfer(forms, plan, &node->transfer, globals);
	if (node->body && !collect_node(forms, plan, node->body, globals))
		return false;
	for (int i = 0; i < node->child_count; i++)
		if (!collect_node(forms, plan, node->children[i], globals))
			return false;
	return true;
}

bool transfer_forms_collect(struct transfer_forms *forms, const struct plan *plan,
	struct names *globals, struct arena *arena)
{
	*forms = (struct transfer_forms){ .arena = arena };
	for (int i = 0; i < plan->nest_count; i++)
		if (!collect_node(forms, plan, plan->nests[i].body, globals))
			return false;
	return true;
}

/* ------------------------------------------------------------------ printing */

/* Whether the place in the buffer has a parameter of its own. */
static bool has_local(const struct transfer_form *form, int d)
{
	return !form->local[d].is_fixed && !form->is_shifted[d];
}

static bool has_first(const struct transfer_form *form, int d)
{
	return !form->first[d].is_fixed;
}

static const char *c_type(const struct form_value *value)
{
	return value->is_wide ? "int64_t" : "int32_t";
}

static void print_parameters(FILE *out, const struct transfer_form *form)
{
	int rank = form->buffer->rank;

	if (!form->tag.is_fixed)
		fputs(", unsigned tag", out);
	if (!form->slot.is_fixed)
		fprintf(out, ", %s slot", c_type(&form->slot));
	for (int d = 0; d < rank; d++)
		if (has_first(form, d))
			fprintf(out, ", %s first_%d", c_type(&form->first[d]), d);
	for (int d = 0; d < rank; d++)
		if (!form->count[d].is_fixed)
			fprintf(out, ", %s count_%d", c_type(&form->count[d]), d);
	for (int d = 0; d < rank; d++)
		if (has_local(form, d))
			fprintf(out, ", %s local_%d", c_type(&form->local[d]), d);
}

/* The elements of one dimension of the box, times FACTOR. */
static void print_count(FILE *out, const struct transfer_form *form,
	const struct plan_box_dim *dim, long factor)
{
	int varies = -1;

	for (int d = dim->from; d < dim->to; d++) {
		if (form->count[d].is_fixed)
			factor *= form->count[d].value;
		else
			varies = d;
	}
	if (varies < 0)
		fprintf(out, "%ldu", factor);
	else if (factor == 1)
		fprintf(out, "(uint32_t)count_%d", varies);
	else
		fprintf(out, "(uint32_t)count_%d * %ldu", varies, factor);
}

static bool is_constant_box(const struct transfer_form *form)
{
	for (int d = 0; d < form->buffer->rank; d++)
		if (!form->count[d].is_fixed)
			return false;
	return true;
}

static void print_strides(FILE *out, const char *field, const struct plan_box *box, bool is_ext)
{
	fprintf(out, ",\n\t\t.%s = { ", field);
	for (int i = 0; i < box->rank - 1; i++)
		fprintf(out, "%s%ld", i > 0 ? ", " : "",
			is_ext ? box->dims[i].ext_stride_bytes : box->dims[i].loc_stride_bytes);
	fputs(" }", out);
}

static void print_box(FILE *out, const struct transfer_form *form)
{
	const struct plan_box *box = &form->box;

	fprintf(out, "\t%sconst lrt_box box = {\n\t\t.rank = %du,\n\t\t.bytes = ",
		is_constant_box(form) ? "static " : "", box->rank);
	print_count(out, form, &box->dims[box->rank - 1], form->buffer->array->type.bytes);
	if (box->rank > 1) {
		fputs(",\n\t\t.count = { ", out);
		for (int i = 0; i < box->rank - 1; i++) {
			fputs(i > 0 ? ", " : "", out);
			print_count(out, form, &box->dims[i], 1);
		}
		fputs(" }", out);
		print_strides(out, "ext_stride", box, true);
		print_strides(out, "loc_stride", box, false);
	}
	fputs("\n\t};\n", out);
}

/* " + (TYPE)(NAME_D + SHIFT) * FACTOR" */
static void print_term(FILE *out, const char *type, const char *name, int d, long shift,
	long factor)
{
	fprintf(out, " + (%s)%s%s", type, shift != 0 ? "(" : "", name);
	if (d >= 0)
		fprintf(out, "_%d", d);
	if (shift != 0)
		fprintf(out, " %c %ld)", shift > 0 ? '+' : '-', shift > 0 ? shift : -shift);
	if (factor != 1)
		fprintf(out, " * %ldu", factor);
}

static void print_local_address(FILE *out, const struct transfer_form *form)
{
	const struct plan_buffer *buffer = form->buffer;
	long bytes = buffer->array->type.bytes, offset = buffer->offset_bytes;
	long slot_bytes = plan_slot_elems(buffer) * bytes;

	if (form->slot.is_fixed)
		offset += form->slot.value * slot_bytes;
	for (int d = 0; d < buffer->rank; d++)
		if (form->local[d].is_fixed)
			offset += form->local[d].value * plan_loc_stride(buffer, d) * bytes;
	fputs("(unsigned char *)lrt_scratchpad()", out);
	if (offset > 0)
		fprintf(out, " + %ldu", offset);
	if (!form->slot.is_fixed)
		print_term(out, "size_t", "slot", -1, 0, slot_bytes);
	for (int d = 0; d < buffer->rank; d++)
		if (!form->local[d].is_fixed)
			print_term(out, "size_t", has_local(form, d) ? "local" : "first", d,
				has_local(form, d) ? 0 : form->local_shift[d],
				plan_loc_stride(buffer, d) * bytes);
}

static void print_external_address(FILE *out, const struct transfer_form *form)
{
	const struct plan_buffer *buffer = form->buffer;
	long bytes = buffer->array->type.bytes, offset = 0;

	for (int d = 0; d < buffer->rank; d++) {
		long stride = plan_ext_stride(buffer, d);

		offset += buffer->dims[d].phase * (stride / buffer->dims[d].stride) * bytes;
		if (!has_first(form, d))
			offset += form->first[d].value * stride * bytes;
	}
	fputs("array", out);
	if (offset > 0)
		fprintf(out, " + %ldu", offset);
	for (int d = 0; d < buffer->rank; d++)
		if (has_first(form, d))
			print_term(out, "lrt_ext", "first", d, 0, plan_ext_stride(buffer, d) * bytes);
}

/* The tests without which an empty transfer would start, if any. */
static int print_guard(FILE *out, const struct transfer_form *form)
{
	int guards = 0;

	for (int d = 0; d < form->buffer->rank; d++)
		if (!form->count[d].is_fixed && form->count[d].min <= 0)
			fprintf(out, "%scount_%d > 0", guards++ > 0 ? " && " : "\tif (", d);
	if (guards > 0)
		fputs(") {\n\t", out);
	return guards;
}

static void print_region(FILE *out, const struct transfer_form *form)
{
	const struct plan_buffer *buffer = form->buffer;

	fputs(buffer->array->name, out);
	for (int d = 0; d < buffer->rank; d++) {
		const struct form_value *first = &form->first[d], *count = &form->count[d];

		if (first->is_fixed)
			fprintf(out, "[%ld", first->value);
		else
			fprintf(out, "[first_%d", d);
		if (!count->is_fixed)
			fprintf(out, " .. +count_%d", d);
		else if (count->value != 1)
			fprintf(out, " .. +%ld", count->value);
		fputs("]", out);
	}
}

/* "I[first_0][c .. +64], every 2nd of dimension 1": what the function moves. */
static void print_comment(FILE *out, const struct transfer_form *form)
{
	const struct plan_buffer *buffer = form->buffer;

	fputs("/* ", out);
	if (form->is_put)
		fprintf(out, "%s -> ", buffer->name);
	print_region(out, form);
	if (!form->is_put)
		fprintf(out, " -> %s", buffer->name);
	for (int d = 0; d < buffer->rank; d++)
		if (buffer->dims[d].stride > 1)
			fprintf(out, "; dimension %d in steps of %ld from %ld", d,
				buffer->dims[d].stride, buffer->dims[d].phase);
	fputs(" */\n", out);
}

void transfer_form_print(FILE *out, const struct transfer_form *form)
{
	print_comment(out, form);
	fprintf(out, "static void %s(lrt_ext array", form->name);
	print_parameters(out, form);
	fputs(")\n{\n", out);
	print_box(out, form);
	fputs("\tunsigned char *const local = ", out);
	print_local_address(out, form);
	fputs(";\n\n", out);

	bool is_guarded = print_guard(out, form) > 0;
	fprintf(out, "\tlrt_%s(", form->is_put ? "put" : "get");
	if (form->tag.is_fixed)
		fprintf(out, "%ldu, ", form->tag.value);
	else
		fputs("tag, ", out);
	if (!form->is_put)
		fputs("local, ", out);
	print_external_address(out, form);
	fprintf(out, "%s, &box);\n%s}\n\n", form->is_put ? ", local" : "",
		is_guarded ? "\t}\n" : "");
}

static const char *argument(struct printer *printer, const struct form_value *value,
	const struct plan_expr *expr)
{
	return index_text_as(printer, expr, value->is_wide).c;
}

const char *transfer_call(struct printer *printer, const struct transfer_forms *forms,
	const struct plan_transfer *transfer)
{
	const struct transfer_form *form = find_form(forms, transfer);
	struct arena *arena = printer->arena;
	int rank = transfer->buffer->rank;
	const char *call;

	if (moves_nothing(transfer) || !form)
		return "";
	call = arena_printf(arena, "%s(%s", form->name,
		names_of(&printer->names, transfer->buffer->array));
	if (!form->tag.is_fixed)
		call = arena_printf(arena, "%s, %du", call, transfer->tag);
	if (!form->slot.is_fixed)
		call = arena_printf(arena, "%s, %s", call,
			argument(printer, &form->slot, slot_of(transfer)));
	for (int d = 0; d < rank; d++)
		if (has_first(form, d))
			call = arena_printf(arena, "%s, %s", call,
				argument(printer, &form->first[d], transfer->first[d]));
	for (int d = 0; d < rank; d++)
		if (!form->count[d].is_fixed)
			call = arena_printf(arena, "%s, %s", call,
				argument(printer, &form->count[d], transfer->count[d]));
	for (int d = 0; d < rank; d++)
		if (has_local(form, d))
			call = arena_printf(arena, "%s, %s", call,
				argument(printer, &form->local[d], transfer->local[d]));
	return arena_printf(arena, "%s)", call);
}

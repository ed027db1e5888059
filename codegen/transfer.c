/* Transfers: one small function for each buffer and direction. */

#include "codegen/transfer.h"

#include "codegen/sizes.h"
#include "codegen/wrap.h"

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
		long shift = 0;
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
		*form = (struct transfer_form){ .function = plan->function,
			.buffer = transfer->buffer, .is_put = transfer->is_put };
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

/* Whether an extent from dimension FIRST on depends on symbolic size K. */
static bool extents_have(const struct transfer_form *form, int first, int k)
{
	for (int d = first; d < form->buffer->rank; d++)
		if (affine_size(form->buffer->array->shape[d], k))
			return true;
	return false;
}

/* Bytes from the array's beginning that dimension D always adds, times the extents behind
 * it that depend on sizes. */
static long constant_offset(const struct transfer_form *form, int d)
{
	const struct plan_buffer *buffer = form->buffer;
	long bytes = buffer->array->type.bytes, stride = plan_ext_stride(buffer, d);
	long offset = buffer->dims[d].phase * (stride / buffer->dims[d].stride) * bytes;

	return has_first(form, d) ? offset : offset + form->first[d].value * stride * bytes;
}

/* Whether FORM's addresses or strides depend on symbolic size K. */
static bool has_size(const struct transfer_form *form, int k)
{
	for (int d = 0; d < form->buffer->rank; d++)
		if ((has_first(form, d) || constant_offset(form, d)) && extents_have(form, d + 1, k))
			return true;
	for (int i = 0; i < form->box.rank - 1; i++)
		if (extents_have(form, form->box.dims[i].inner, k))
			return true;
	return false;
}

/* " * (TYPE)size_N": the extents from dimension INNER on that depend on sizes. */
static const char *size_factors(struct arena *arena, const struct transfer_form *form, int inner,
	const char *type)
{
	const char *names[SYMBOLIC_LIMIT] = { NULL };

	for (int k = 0; k < form->function->symbolic_count; k++)
		names[k] = arena_printf(arena, "size_%s", form->function->symbolic[k]->name);
	return size_factors_text(arena, form->buffer->array, inner, names, type);
}

static const char *signature(struct arena *arena, const struct transfer_form *form)
{
	int rank = form->buffer->rank;
	const char *text = arena_printf(arena, "static void %s(lrt_ext array", form->name);

	for (int k = 0; k < form->function->symbolic_count; k++)
		if (has_size(form, k))
			text = arena_printf(arena, "%s, int32_t size_%s", text,
				form->function->symbolic[k]->name);

	if (!form->tag.is_fixed)
		text = arena_printf(arena, "%s, unsigned tag", text);
	if (!form->slot.is_fixed)
		text = arena_printf(arena, "%s, %s slot", text, c_type(&form->slot));
	for (int d = 0; d < rank; d++)
		if (has_first(form, d))
			text = arena_printf(arena, "%s, %s first_%d", text, c_type(&form->first[d]),
				d);
	for (int d = 0; d < rank; d++)
		if (!form->count[d].is_fixed)
			text = arena_printf(arena, "%s, %s count_%d", text, c_type(&form->count[d]),
				d);
	for (int d = 0; d < rank; d++)
		if (has_local(form, d))
			text = arena_printf(arena, "%s, %s local_%d", text, c_type(&form->local[d]),
				d);
	return arena_printf(arena, "%s)", text);
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
	for (int i = 0; i < form->box.rank - 1; i++)
		if (form->box.dims[i].is_symbolic)
			return false;
	for (int d = 0; d < form->buffer->rank; d++)
		if (!form->count[d].is_fixed)
			return false;
	return true;
}

static void print_strides(FILE *out, struct arena *arena, const struct transfer_form *form,
	bool is_ext)
{
	const struct plan_box *box = &form->box;

	fprintf(out, ",\n\t\t.%s = { ", is_ext ? "ext_stride" : "loc_stride");
	for (int i = 0; i < box->rank - 1; i++)
		fprintf(out, "%s%ld%s", i > 0 ? ", " : "",
			is_ext ? box->dims[i].ext_stride_bytes : box->dims[i].loc_stride_bytes,
			is_ext ? size_factors(arena, form, box->dims[i].inner, "ptrdiff_t") : "");
	fputs(" }", out);
}

static void print_box(FILE *out, struct arena *arena, const struct transfer_form *form)
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
		print_strides(out, arena, form, true);
		print_strides(out, arena, form, false);
	}
	fputs("\n\t};\n", out);
}

/* TEXT " + (TYPE)(NAME + SHIFT) * FACTOR" */
static const char *add_term(struct arena *arena, const char *text, const char *type,
	const char *name, long shift, long factor)
{
	if (shift != 0)
		name = arena_printf(arena, "(%s %c %ld)", name, shift > 0 ? '+' : '-',
			shift > 0 ? shift : -shift);
	if (factor == 1)
		return arena_printf(arena, "%s + (%s)%s", text, type, name);
	return arena_printf(arena, "%s + (%s)%s * %ldu", text, type, name, factor);
}

static const char *add_offset(struct arena *arena, const char *text, long offset)
{
	return offset > 0 ? arena_printf(arena, "%s + %ldu", text, offset) : text;
}

const char *memory_call(struct arena *arena, int m)
{
	return m ? arena_printf(arena, "lrt_memory(%d)", m) : "lrt_scratchpad()";
}

static const char *local_address(struct arena *arena, const struct transfer_form *form)
{
	const struct plan_buffer *buffer = form->buffer;
	long bytes = buffer->array->type.bytes, offset = buffer->offset_bytes;
	long slot_bytes = plan_slot_elems(buffer) * bytes;
	const char *text;

	if (form->slot.is_fixed)
		offset += form->slot.value * slot_bytes;
	for (int d = 0; d < buffer->rank; d++)
		if (form->local[d].is_fixed)
			offset += form->local[d].value * plan_loc_stride(buffer, d) * bytes;
	text = add_offset(arena, arena_printf(arena, "(unsigned char *)%s",
		memory_call(arena, buffer->memory)), offset);
	if (!form->slot.is_fixed)
		text = add_term(arena, text, "size_t", "slot", 0, slot_bytes);
	for (int d = 0; d < buffer->rank; d++) {
		bool is_own = has_local(form, d);

		if (!form->local[d].is_fixed)
			text = add_term(arena, text, "size_t", arena_printf(arena, "%s_%d",
				is_own ? "local" : "first", d), is_own ? 0 : form->local_shift[d],
				plan_loc_stride(buffer, d) * bytes);
	}
	return text;
}

static const char *external_address(struct arena *arena, const struct transfer_form *form)
{
	const struct plan_buffer *buffer = form->buffer;
	long bytes = buffer->array->type.bytes, offset = 0, constant[ARRAY_RANK_LIMIT];
	const char *text, *sizes[ARRAY_RANK_LIMIT];

	for (int d = 0; d < buffer->rank; d++) {
		constant[d] = constant_offset(form, d);
		sizes[d] = size_factors(arena, form, d + 1, "lrt_ext");
		offset += *sizes[d] ? 0 : constant[d];
	}
	text = add_offset(arena, "array", offset);
	for (int d = 0; d < buffer->rank; d++) {
		if (*sizes[d] && constant[d])
			text = arena_printf(arena, "%s + %ldu%s", text, constant[d], sizes[d]);
		if (has_first(form, d))
			text = arena_printf(arena, "%s%s", add_term(arena, text, "lrt_ext",
				arena_printf(arena, "first_%d", d), 0,
				plan_ext_stride(buffer, d) * bytes), sizes[d]);
	}
	return text;
}

/* The condition without which an empty transfer would start; NULL if it never is. */
static const char *guard(struct arena *arena, const struct transfer_form *form)
{
	const char *text = NULL;

	for (int d = 0; d < form->buffer->rank; d++)
		if (!form->count[d].is_fixed && form->count[d].min <= 0)
			text = arena_printf(arena, "%s%scount_%d > 0", text ? text : "",
				text ? " && " : "", d);
	return text;
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

static const char *runtime_call(struct arena *arena, const struct transfer_form *form)
{
	const char *tag = form->tag.is_fixed ? arena_printf(arena, "%ldu", form->tag.value) : "tag";
	const char *external = external_address(arena, form);

	return form->is_put ? arena_printf(arena, "lrt_put(%s, %s, local, &box);", tag, external)
		: arena_printf(arena, "lrt_get(%s, local, %s, &box);", tag, external);
}

void transfer_form_print(FILE *out, struct arena *arena, const struct transfer_form *form)
{
	const char *condition = guard(arena, form);
	int depth = condition ? 2 : 1;

	print_comment(out, form);
	print_wrapped(out, 0, signature(arena, form));
	fputs("\n{\n", out);
	print_box(out, arena, form);
	if (condition)
		fprintf(out, "\n\tif (%s) {\n", condition);
	print_wrapped(out, depth, arena_printf(arena, "unsigned char *const local = %s;",
		local_address(arena, form)));
	fputs("\n\n", out);
	print_wrapped(out, depth, runtime_call(arena, form));
	fprintf(out, "\n%s}\n\n", condition ? "\t}\n" : "");
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
	for (int k = 0; k < form->function->symbolic_count; k++)
		if (has_size(form, k))
			call = arena_printf(arena, "%s, %s", call,
				names_of(&printer->names, printer->plan->sizes[k]));
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

bool transfer_has_size(const struct transfer_forms *forms, const struct plan_transfer *transfer,
	int k)
{
	const struct transfer_form *form = find_form(forms, transfer);

	return !moves_nothing(transfer) && form && has_size(form, k);
}

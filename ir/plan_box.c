#include "ir/plan_box.h"

#include <limits.h>

enum { RUNTIME_MAX_RANK = 8 };       /* LRT_MAX_RANK of runtime/loopc_rt.h */

long plan_ext_stride(const struct plan_buffer *buffer, int d)
{
	long stride = buffer->dims[d].stride;

	for (int i = d + 1; i < buffer->rank; i++)
		if (!affine_is_symbolic(buffer->array->shape[i]))
			stride *= buffer->array->extents[i];
	return stride;
}

/* Whether the array's dimensions from FROM up to TO have extents that are known. */
static bool are_known(const struct plan_buffer *buffer, int from, int to)
{
	for (int i = from; i < to; i++)
		if (affine_is_symbolic(buffer->array->shape[i]))
			return false;
	return true;
}

long plan_loc_stride(const struct plan_buffer *buffer, int d)
{
	long stride = 1;

	for (int i = d + 1; i < buffer->rank; i++)
		stride *= buffer->dims[i].extent;
	return stride;
}

long plan_slot_elems(const struct plan_buffer *buffer)
{
	return buffer->rank > 0 ? plan_loc_stride(buffer, 0) * buffer->dims[0].extent : 1;
}

/* Whether DIM lies around INNER, whose count is fixed, without a gap. */
static bool touches(const struct plan_buffer *buffer, const struct plan_box_dim *dim,
	const struct plan_box_dim *inner)
{
	return are_known(buffer, dim->inner, inner->inner)
		&& dim->ext_stride_bytes == inner->max_elems * inner->ext_stride_bytes
		&& dim->loc_stride_bytes == inner->max_elems * inner->loc_stride_bytes;
}

void plan_box_of_counts(const struct plan_buffer *buffer, const long *max, const bool *is_fixed,
	struct plan_box *box)
{
	long bytes = buffer->array->type.bytes;
	struct plan_box_dim dims[ARRAY_RANK_LIMIT + 1];   /* innermost first */
	int count = 1;
	bool inner_fixed = true;

	dims[0] = (struct plan_box_dim){ .from = buffer->rank, .to = buffer->rank, .max_elems = 1,
		.ext_stride_bytes = bytes, .loc_stride_bytes = bytes, .inner = buffer->rank };
	for (int d = buffer->rank - 1; d >= 0; d--) {
		struct plan_box_dim dim = { d, d + 1, max[d], plan_ext_stride(buffer, d) * bytes,
			plan_loc_stride(buffer, d) * bytes, d + 1,
			!are_known(buffer, d + 1, buffer->rank) };
		struct plan_box_dim *inner = &dims[count - 1];

		if (is_fixed[d] && max[d] == 1)
			continue;
		if (inner_fixed && touches(buffer, &dim, inner)) {
			if (inner->from == inner->to)
				inner->to = d + 1;
			inner->from = d;
			inner->max_elems *= max[d];
		} else {
			dims[count++] = dim;
		}
		inner_fixed = is_fixed[d];
	}
	box->rank = count;
	for (int i = 0; i < count; i++)
		box->dims[i] = dims[count - 1 - i];
}

bool plan_transfer_max(const struct plan_transfer *transfer, int d, long *max)
{
	long min, extent = transfer->buffer->dims[d].extent;

	plan_range(transfer->count[d], &min, max);
	if (*max > extent)
		*max = extent;
	return min == *max;
}

void plan_box(const struct plan_transfer *transfer, struct plan_box *box)
{
	long max[ARRAY_RANK_LIMIT] = { 0 };
	bool is_fixed[ARRAY_RANK_LIMIT] = { false };

	for (int d = 0; d < transfer->buffer->rank; d++)
		is_fixed[d] = plan_transfer_max(transfer, d, &max[d]);
	plan_box_of_counts(transfer->buffer, max, is_fixed, box);
}

static bool within(long value, long limit)
{
	return limit == 0 || value <= limit;
}

bool plan_box_fits(const struct plan_box *box, const struct plan_buffer *buffer,
	const struct arch *arch)
{
	long bytes = buffer->array->type.bytes;
	long limit_bytes = arch->max_bytes ? arch->max_bytes : UINT_MAX;

	if (box->rank > RUNTIME_MAX_RANK || !within(box->rank, arch->max_rank))
		return false;
	for (int i = 0; i < box->rank; i++) {
		const struct plan_box_dim *dim = &box->dims[i];
		bool is_run = i == box->rank - 1;

		if (__builtin_mul_overflow(bytes, dim->max_elems, &bytes)
			|| !within(dim->max_elems, arch->max_count)
			|| (!is_run && (dim->is_symbolic ? arch->max_stride_bytes != 0
				: !within(dim->ext_stride_bytes, arch->max_stride_bytes)))
			|| (!is_run && !within(dim->loc_stride_bytes, arch->max_stride_bytes)))
			return false;
	}
	return bytes <= limit_bytes;
}

/* What runs in a tile: the instances of statements, as sets over the parameters of the tile
 * loops. */

#include "passes/tiles/instances.h"

#include <stdio.h>

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>

#include "ir/coalesce.h"
#include "passes/analysis/values.h"

/* Parameters: t.I is the tile of tile loop I; f.I and l.I are 1 in the first and last iteration
 * of a run of that loop. */

static __isl_give isl_id *parameter_id(const struct lowering *lowering, char kind, int l)
{
	char name[16];
	snprintf(name, sizeof name, "%c.%d", kind, l);
	return isl_id_alloc(lowering->compilation->ctx, name, NULL);
}

/* Kinds of parameters of loop L: where tiles are walked one way only, the first and the
 * last iteration are known by the tile, if their number is known; they may not matter either. */
static const char *kinds_of(const struct tile_loop *loop)
{
	return loop->is_backward && loop->has_ends ? "tfl" : loop->count || loop->is_backward ? "t" : "tl";
}

static __isl_give isl_space *tile_space(const struct lowering *lowering)
{
	isl_space *space = isl_space_params_alloc(lowering->compilation->ctx, 0);
	for (int l = 0; l < lowering->depth; l++)
		for (const char *kind = kinds_of(&lowering->loops[l]); *kind; kind++)
			space = isl_space_add_param_id(space, parameter_id(lowering, *kind, l));
	return space;
}

/* Parameter KIND of loop L, on the domain SPACE, which has the tile parameters. */
static __isl_give isl_aff *parameter(const struct lowering *lowering, __isl_take isl_space *space,
	char kind, int l)
{
	return isl_aff_param_on_domain_space_id(space, parameter_id(lowering, kind, l));
}

/* The parameters for which the iterations of dimension DIM of the band, as the symbolic sizes
 * make them, are more than FIRST, or (not IS_MORE) not more. */
static __isl_give isl_set *where_extent(const struct lowering *lowering, int dim, bool is_more,
	__isl_take isl_aff *first)
{
	const struct band_dim *band = &lowering->band->dims[dim];
	isl_pw_aff *from = isl_pw_aff_from_aff(first);
	isl_pw_aff *extent = band->sized_extent ? isl_pw_aff_copy(band->sized_extent)
		: isl_pw_aff_from_aff(isl_aff_val_on_domain_space(isl_pw_aff_get_domain_space(from),
			isl_val_int_from_si(lowering->compilation->ctx, band->extent)));
	return is_more ? isl_pw_aff_gt_set(extent, from) : isl_pw_aff_le_set(extent, from);
}

/* The value that the first iteration of loop L's tile has, at the tile TILE. */
static __isl_give isl_aff *tile_start(const struct lowering *lowering, int l,
	__isl_take isl_aff *tile)
{
	isl_ctx *ctx = lowering->compilation->ctx;
	int dim = lowering->loops[l].dim;
	isl_aff *start = isl_aff_scale_val(tile, isl_val_int_from_si(ctx, lowering->loops[l].size));
	/* the tiles that it is in, of loops around it over the same dimension */
	for (int around = 0; around < l && dim >= 0; around++) {
		if (lowering->loops[around].dim != dim)
			continue;
		isl_aff *origin = parameter(lowering, isl_aff_get_domain_space(start), 't', around);
		start = isl_aff_add(start, isl_aff_scale_val(origin,
			isl_val_int_from_si(ctx, lowering->loops[around].size)));
	}
	return start;
}

static __isl_give isl_set *at_least(__isl_take isl_set *set, __isl_take isl_aff *value, long low)
{
	return isl_set_add_constraint(set, isl_inequality_from_aff(aff_add(value, -low)));
}

static __isl_give isl_set *at_most(__isl_take isl_set *set, __isl_take isl_aff *value, long high)
{
	return at_least(set, isl_aff_neg(value), -high);
}

/* A tile whose number depends on symbolic sizes: some iteration is in it, and in its
 * block; or it is the only one of an empty loop. */
static __isl_give isl_set *within_extent(const struct lowering *lowering,
	__isl_take isl_set *context, int l)
{
	const struct tile_loop *loop = &lowering->loops[l];
	isl_ctx *ctx = lowering->compilation->ctx;
	int block = lowering->block_of_dim[loop->dim];
	isl_aff *tile = parameter(lowering, isl_set_get_space(context), 't', l);
	isl_aff *start = tile_start(lowering, l, parameter(lowering,
		isl_space_params(isl_set_get_space(context)), 't', l));
	isl_set *inside = isl_set_intersect_params(isl_set_copy(context),
		where_extent(lowering, loop->dim, true, start));
	if (block >= 0 && block != l)
		inside = at_most(inside, isl_aff_scale_val(isl_aff_copy(tile),
			isl_val_int_from_si(ctx, loop->size)), lowering->loops[block].size - 1);
	if (lowering->may_be_empty[loop->dim])
		inside = set_coalesce(isl_set_union(inside, at_most(isl_set_copy(context),
			isl_aff_copy(tile), 0)));
	isl_aff_free(tile);
	isl_set_free(context);
	return inside;
}

bool dim_may_be_empty(const struct lowering *lowering, int dim)
{
	isl_set *context = lowering->nest->function->context;
	if (!context)
		return false;
	isl_set *empty = isl_set_params(isl_set_copy(context));
	empty = isl_set_intersect(empty, where_extent(lowering, dim, false,
		isl_aff_zero_on_domain(isl_local_space_from_space(isl_set_get_space(empty)))));
	bool may = isl_set_is_empty(empty) != isl_bool_true;
	isl_set_free(empty);
	return may;
}

__isl_give isl_set *tile_context(const struct lowering *lowering)
{
	return context_at(lowering, lowering->depth);
}

__isl_give isl_set *context_at(const struct lowering *lowering, int depth)
{
	isl_ctx *ctx = lowering->compilation->ctx;
	isl_set *context = isl_set_universe(tile_space(lowering));
	unsigned position = 0;
	for (int l = 0; l < lowering->depth; l++)
		for (const char *kind = kinds_of(&lowering->loops[l]); *kind; kind++, position++) {
			long high = *kind == 't' ? lowering->loops[l].count - 1 : 1;
			context = isl_set_lower_bound_si(context, isl_dim_param, position, 0);
			if (high >= 0)
				context = isl_set_upper_bound_val(context, isl_dim_param, position,
					isl_val_int_from_si(ctx, high));
		}
	if (!lowering->nest->function->context)
		return context;
	context = isl_set_intersect_params(isl_set_from_params(context),
		isl_set_copy(lowering->nest->function->context));
	for (int l = 0; l < depth; l++)
		if (!lowering->loops[l].count)
			context = within_extent(lowering, context, l);
	return isl_set_params(context);
}

/* SET for any value of parameter KIND of loop L. */
static __isl_give isl_set *whatever(const struct lowering *lowering, __isl_take isl_set *set,
	char kind, int l)
{
	isl_id *id = parameter_id(lowering, kind, l);
	int position = isl_set_find_dim_by_id(set, isl_dim_param, id);
	isl_id_free(id);
	return position < 0 ? set : isl_set_project_out(set, isl_dim_param, (unsigned)position, 1);
}

__isl_give isl_set *whatever_tile(const struct lowering *lowering, __isl_take isl_set *set, int l)
{
	for (const char *kind = kinds_of(&lowering->loops[l]); *kind; kind++)
		set = whatever(lowering, set, *kind, l);
	return set;
}

__isl_give isl_set *whatever_end(const struct lowering *lowering, __isl_take isl_set *set, int l)
{
	for (const char *kind = kinds_of(&lowering->loops[l]); *kind; kind++)
		if (*kind != 't')
			set = whatever(lowering, set, *kind, l);
	return set;
}

/* The kind of the parameter that is another tile's where KIND is the present one's. */
static char kind_there(char kind)
{
	return kind == 't' ? 'u' : kind == 'f' ? 'g' : 'm';
}

__isl_give isl_set *tiles_further(const struct lowering *lowering, __isl_take isl_set *set, int l,
	long from, long to)
{
	const char *kinds = kinds_of(&lowering->loops[l]);
	for (const char *kind = kinds; *kind; kind++) {
		isl_id *id = parameter_id(lowering, *kind, l);
		int position = isl_set_find_dim_by_id(set, isl_dim_param, id);
		isl_id_free(id);
		if (position >= 0)
			set = isl_set_set_dim_id(set, isl_dim_param, (unsigned)position,
				parameter_id(lowering, kind_there(*kind), l));
	}
	isl_space *tiles = isl_space_params_alloc(lowering->compilation->ctx, 0);
	for (int there = 0; there < 2; there++)
		tiles = isl_space_add_param_id(tiles, parameter_id(lowering, there ? 'u' : 't', l));
	set = isl_set_align_params(set, tiles);
	isl_aff *step = isl_aff_sub(parameter(lowering, isl_set_get_space(set), 'u', l),
		parameter(lowering, isl_set_get_space(set), 't', l));
	set = at_least(set, isl_aff_copy(step), from);
	set = at_most(set, step, to);
	for (const char *kind = kinds; *kind; kind++)
		set = whatever(lowering, set, kind_there(*kind), l);
	return set;
}

/* The tile parameter of loop L, or of the tile before. */
static __isl_give isl_aff *tile_of(const struct lowering *lowering, __isl_take isl_space *space,
	int l, enum reach reach)
{
	return aff_add(parameter(lowering, space, 't', l), reach == IN_TILE_BEFORE ? -1 : 0);
}

static __isl_give isl_set *within_tile(const struct lowering *lowering, __isl_take isl_set *set,
	const struct hyperplane *plane, int l, enum reach reach)
{
	long size = lowering->loops[l].size;
	isl_aff *start = tile_start(lowering, l, tile_of(lowering, isl_set_get_space(set), l, reach));
	isl_aff *value = isl_aff_align_params(isl_aff_copy(plane->value), isl_set_get_space(set));
	value = isl_aff_sub(value, start);
	if (reach != UP_TO_TILE)
		set = at_least(set, isl_aff_copy(value), -plane->span);
	if (reach != FROM_TILE)
		set = at_most(set, isl_aff_copy(value), size - 1);
	isl_aff_free(value);
	return set;
}

/* A statement that runs in the first or last tile only. */
static __isl_give isl_set *within_end(const struct lowering *lowering, __isl_take isl_set *set,
	bool first, int l, enum reach reach)
{
	const struct tile_loop *loop = &lowering->loops[l];
	bool is_told = loop->is_backward || (!loop->count && !first);
	if (reach == (first ? UP_TO_TILE : FROM_TILE))
		return set;
	isl_space *space = isl_set_get_space(set);
	isl_aff *value = is_told ? parameter(lowering, space, first ? 'f' : 'l', l)
		: tile_of(lowering, space, l, reach);
	long end = is_told ? 1 : first ? 0 : loop->count - 1;
	set = at_least(set, isl_aff_copy(value), end);
	return at_most(set, value, end);
}

static const struct hyperplane *plane_of(const struct lowering *lowering, int l, int s)
{
	int dim = lowering->loops[l].dim;
	return dim < 0 ? &lowering->stage->dim.planes[s] : &lowering->band->dims[dim].planes[s];
}

__isl_give isl_set *stage_instances(const struct lowering *lowering, int s)
{
	isl_set *set = isl_set_align_params(isl_set_copy(lowering->nest->statements[s]->domain),
		tile_space(lowering));
	int l = lowering->depth - 1;
	return lowering->stage && lowering->stage->tile
		? within_tile(lowering, set, plane_of(lowering, l, s), l, IN_TILE) : set;
}

static __isl_give isl_set *find_instances(const struct lowering *lowering, int s, int depth,
	enum reach reach)
{
	isl_set *set = isl_set_align_params(isl_set_copy(lowering->nest->statements[s]->domain),
		tile_space(lowering));
	for (int l = 0; l < depth; l++) {
		const struct hyperplane *plane = plane_of(lowering, l, s);
		enum reach here = l == depth - 1 ? reach : IN_TILE;
		if (plane->kind == HYPERPLANE_AFFINE)
			set = within_tile(lowering, set, plane, l, here);
		else
			set = within_end(lowering, set, plane->kind == HYPERPLANE_FIRST, l, here);
	}
	return set;
}

/* The same ones are asked for again and again: for each access, and for each pair. */
__isl_give isl_set *tile_instances(const struct lowering *lowering, int s, int depth,
	enum reach reach)
{
	isl_set **known = &lowering->instances[(s * (TILE_LOOPS + 1) + depth) * REACHES + (int)reach];
	if (!*known)
		*known = find_instances(lowering, s, depth, reach);
	return isl_set_copy(*known);
}

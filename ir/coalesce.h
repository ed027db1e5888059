#ifndef IR_COALESCE_H
#define IR_COALESCE_H

#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

/* isl's coalescing, kept only where it is right: isl 0.25 makes
 * { [x] : 0 <= x <= 12 and (x mod 2 = 0 or x <= 1) } into { [x] : 0 <= x <= 13 }. */

static inline __isl_give isl_set *set_coalesce(__isl_take isl_set *set)
{
	if (isl_set_n_basic_set(set) <= 1)
		return set;
	isl_set *simple = isl_set_coalesce(isl_set_copy(set));
	if (isl_set_is_equal(simple, set) == isl_bool_true) {
		isl_set_free(set);
		return simple;
	}
	isl_set_free(simple);
	return set;
}

static inline __isl_give isl_map *map_coalesce(__isl_take isl_map *map)
{
	if (isl_map_n_basic_map(map) <= 1)
		return map;
	isl_map *simple = isl_map_coalesce(isl_map_copy(map));
	if (isl_map_is_equal(simple, map) == isl_bool_true) {
		isl_map_free(map);
		return simple;
	}
	isl_map_free(simple);
	return map;
}

static inline __isl_give isl_union_map *union_map_coalesce(__isl_take isl_union_map *map)
{
	isl_union_map *simple = isl_union_map_coalesce(isl_union_map_copy(map));
	if (isl_union_map_is_equal(simple, map) == isl_bool_true) {
		isl_union_map_free(map);
		return simple;
	}
	isl_union_map_free(simple);
	return map;
}

#endif

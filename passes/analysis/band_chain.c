#include "passes/analysis/band_chain.h"

#include <string.h>

#include "ir/order.h"
#include "passes/analysis/band_dim.h"
#include "passes/analysis/values.h"

/* The first loop of STATEMENT, not around OTHER, over which it adds up elements that OTHER adds up too;
 * -1: none. */
static int sum_loop(const struct statement *statement, const struct statement *other)
{
	const struct access *sum = &statement->accesses[0];
	if (sum->array != other->accesses[0].array || !sum->array->rank)
		return -1;
	for (int i = shared_loop_count(statement, other); i < statement->depth; i++) {
		bool moves = false;
		for (int d = 0; d < sum->array->rank; d++)
			moves |= sum->subscripts[d].coefficients[i] != 0;
		if (!moves)
			return i;
	}
	return -1;
}

/* STATEMENT adds up what MAIN does, in loops of its own that may be chained with MAIN's loop J. */
static bool is_link(const struct statement *statement, const struct statement *main, int j)
{
	return sum_loop(main, statement) == j && sum_loop(statement, main) >= 0;
}

bool nest_may_chain(const struct nest *nest)
{
	const struct statement *main = nest_deepest(nest);
	if (nest->function->unbound || nest->parent)
		return false;
	for (int s = 0; s < nest->statement_count; s++)
		if (sum_loop(main, nest->statements[s]) >= 0 && sum_loop(nest->statements[s], main) >= 0)
			return true;
	return false;
}

/* How a statement runs along the dimension: with ITERATOR (-1: not at all), in LOOP's place. */
struct runner {
	int iterator;
	const struct loop *loop;
};

/* STATEMENT runs in the loop of a link of NEST, which is not MAIN's loop J. */
static struct runner in_link(const struct nest *nest, const struct statement *statement,
	const struct statement *main, int j)
{
	for (int s = 0; s < nest->statement_count; s++) {
		const struct statement *link = nest->statements[s];
		int i = is_link(link, main, j) ? sum_loop(link, main) : -1;
		if (i >= 0 && (statement == link || i < shared_loop_count(statement, link)))
			return (struct runner){ i, link->loops[i] };
	}
	return (struct runner){ -1, NULL };
}

/* STATEMENT runs in MAIN's loop J, in one of its name, or in a link. */
static struct runner find_runner(const struct nest *nest, const struct statement *statement,
	const struct statement *main, int j)
{
	int common = shared_loop_count(statement, main);
	if (statement == main || j < common)
		return (struct runner){ j, main->loops[j] };
	struct runner runner = in_link(nest, statement, main, j);
	for (int i = common; i < statement->depth && runner.iterator < 0; i++)
		if (!strcmp(statement->loops[i]->name, main->loops[j]->name))
			runner = (struct runner){ i, main->loops[j] };
	return runner;
}

/* A loop in the dimension, where its LEAST value is at BEGIN. */
struct link {
	const struct loop *loop;
	long least, most, begin;
};

/* The link of LOOP, among COUNT of them. */
static struct link *link_of(struct link *links, int *count, const struct loop *loop)
{
	for (int i = 0; i < *count; i++)
		if (links[i].loop == loop)
			return &links[i];
	links[*count] = (struct link){ .loop = loop, .least = 1, .most = 0 };
	return &links[(*count)++];
}

/* Fills LINKS, in the order of the source; their number, 0 if they are not known. */
static int find_links(const struct nest *nest, const struct runner *runners, struct link *links)
{
	long begin = 0;
	int count = 0;
	for (int s = 0; s < nest->statement_count; s++) {
		const struct statement *statement = nest->statements[s];
		long min, max;
		if (runners[s].iterator < 0)
			continue;
		if (statement->loops[runners[s].iterator]->step != 1
			|| !set_dim_range(statement->domain, runners[s].iterator, &min, &max))
			return 0;
		struct link *link = link_of(links, &count, runners[s].loop);
		bool is_first = link->most < link->least;
		link->least = is_first || min < link->least ? min : link->least;
		link->most = is_first || max > link->most ? max : link->most;
	}
	for (int i = 0; i < count; i++) {
		links[i].begin = begin;
		begin += links[i].most - links[i].least + 1;
	}
	return count;
}

bool dim_by_chain(struct compilation *compilation, const struct nest *nest, const struct band *band,
	int j, struct band_dim *dim)
{
	struct arena *arena = compilation->arena;
	const struct statement *main = nest_deepest(nest);
	struct runner *runners = ARENA_ARRAY(arena, struct runner, nest->statement_count);
	struct link *links = ARENA_ARRAY(arena, struct link, nest->statement_count);
	struct hyperplane *planes = ARENA_ARRAY(arena, struct hyperplane, nest->statement_count);
	for (int s = 0; s < nest->statement_count; s++)
		runners[s] = find_runner(nest, nest->statements[s], main, j);
	int count = find_links(nest, runners, links);
	for (int s = 0; s < nest->statement_count && count > 1; s++) {
		const struct statement *statement = nest->statements[s];
		if (runners[s].iterator < 0) {
			planes[s].kind = runs_behind(statement, main) ? HYPERPLANE_LAST : HYPERPLANE_FIRST;
			continue;
		}
		const struct link *link = link_of(links, &count, runners[s].loop);
		planes[s] = iterator_plane(compilation, statement, runners[s].iterator, 1,
			link->least - link->begin, 1);
	}
	dim->name = main->loops[j]->name;
	dim->is_chained = true;
	return count > 1 && band_dim_finish(compilation, nest, band, planes, dim) && dim->can_tile;
}

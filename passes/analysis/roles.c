#include "passes/analysis/roles.h"

static bool is_written_in(const struct function *function, const struct array *array)
{
	for (int s = 0; s < function->statement_count; s++)
		if (function->statements[s]->accesses[0].array == array)
			return true;
	return false;
}

/* Some subscript of the access has two iterators. */
static bool slides(const struct statement *statement, const struct access *access)
{
	for (int d = 0; d < access->array->rank; d++) {
		int iterators = 0;
		for (int i = 0; i < statement->depth; i++)
			iterators += access->subscripts[d].coefficients[i] != 0;
		if (iterators > 1)
			return true;
	}
	return false;
}

static bool has_window(const struct function *function, const struct array *array)
{
	for (int s = 0; s < function->statement_count; s++)
		for (int a = 0; a < function->statements[s]->access_count; a++) {
			const struct access *access = &function->statements[s]->accesses[a];
			if (access->array == array && slides(function->statements[s], access))
				return true;
		}
	return false;
}

static bool nest_uses(const struct nest *nest, const struct array *array, bool is_write)
{
	for (int s = 0; s < nest->statement_count; s++)
		for (int a = 0; a < nest->statements[s]->access_count; a++)
			if (nest->statements[s]->accesses[a].array == array
				&& (!is_write || nest->statements[s]->accesses[a].is_write))
				return true;
	return false;
}

/* ARRAY, which NEST reads, is an input of it whatever else it reads. */
static bool is_input(const struct nest *nest, const struct array *array)
{
	return !array->by_value && !nest_uses(nest, array, true)
		&& (is_written_in(nest->function, array) || has_window(nest->function, array));
}

enum array_role array_role_in(const struct nest *nest, const struct array *array)
{
	const struct array *first = NULL;
	bool has_input = false;
	int most = -1;
	if (nest_uses(nest, array, true))
		return ROLE_OUTPUT;
	if (is_input(nest, array))
		return ROLE_INPUT;
	for (int s = 0; s < nest->statement_count; s++)
		for (int a = 0; a < nest->statements[s]->access_count; a++) {
			const struct array *other = nest->statements[s]->accesses[a].array;
			has_input |= is_input(nest, other);
			if (nest->statements[s]->depth > most && !other->by_value && !nest_uses(nest, other, true)) {
				most = nest->statements[s]->depth;
				first = other;
			}
		}
	return !has_input && first == array ? ROLE_INPUT : ROLE_WEIGHT;
}

unsigned array_memories(const struct arch *arch, const struct nest *nest, const struct array *array)
{
	unsigned memories = 0;
	const struct nest *whole = nest;
	if (arch_memory_count(arch) == 1)
		return 1;
	while (whole->parent && nest_uses(whole->parent, array, false))
		whole = whole->parent;
	if (!nest_uses(whole, array, false))
		return 0;
	enum array_role role = array_role_in(whole, array);
	for (int m = 0; m < arch_memory_count(arch); m++)
		memories |= (arch_memory(arch, m).roles >> role & 1) << m;
	return memories;
}

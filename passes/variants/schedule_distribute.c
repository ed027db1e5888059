#include "passes/variants/schedule_distribute.h"

#include <string.h>

#include "passes/analysis/distribute.h"
#include "passes/variants/schedule_check.h"
#include "passes/variants/schedule_lines.h"

/* PRAGMA is about NEST, whose loops may be copies by now. */
static bool stands_before(const struct pragma *pragma, const struct nest *nest)
{
	if (!pragma->loop || !nest->statements[0]->depth)
		return false;
	const struct location *at = &pragma->loop->location, *own = &nest->statements[0]->loops[0]->location;
	return at->line == own->line && at->column == own->column && !strcmp(at->file, own->file);
}

/* A pragma says what becomes of NEST, whose name others would have. */
static bool has_pragma(const struct compilation *compilation, const struct nest *nest)
{
	for (int i = 0; i < nest->function->pragma_count; i++)
		if (stands_before(&nest->function->pragmas[i], nest) && !schedule_line_is(
			schedule_line_of_pragma(compilation->arena, &nest->function->pragmas[i]), "carry"))
			return true;
	return false;
}

/* Distributes NEST of function F, as is said at AT. */
static bool distribute(struct compilation *compilation, struct program *program, int f, const struct nest *nest,
	struct location at)
{
	const struct function *distributed = NULL;
	const char *reason = NULL;
	if (nest->function->symbolic_count)
		reason = "its sizes are symbolic";
	else if (has_pragma(compilation, nest))
		reason = "a pragma says what becomes of it as one nest";
	else if (!nest_may_distribute(nest))
		reason = "there are no two loops in its body, inside loops around all of it";
	else if (!access_pairs_are_few(nest->statements, nest->statement_count))
		reason = "it has too many pairs of accesses to find its dependences";
	else if (!(distributed = nest_distribute(compilation, nest)))
		reason = "the loops in its body have to run in turns";
	if (reason)
		diag_error(compilation->diag, at, "'%s' cannot be distributed: %s", nest->name, reason);
	else
		program->functions[f] = distributed;
	return distributed != NULL;
}

/* A nest of the program that LINE names. */
static bool follow_line(struct compilation *compilation, struct program *program, const struct schedule_line *line)
{
	if (line->word_count != 2) {
		diag_error(compilation->diag, schedule_line_at(line), "'distribute NEST' is wanted");
		return false;
	}
	for (int f = 0; f < program->function_count; f++) {
		int count;
		const struct nest *nests = nests_of_function(compilation, program->functions[f], &count);
		for (int n = 0; n < count; n++)
			if (!strcmp(nests[n].name, line->words[1].text))
				return distribute(compilation, program, f, &nests[n], line->words[1].at);
	}
	diag_error(compilation->diag, line->words[1].at, "'%s' is no nest that is there, the nests are %s",
		line->words[1].text, schedule_nest_names(compilation->arena, program));
	return false;
}

/* FUNCTION without its pragmas to distribute nests; *FIRST: the first of these, NULL: it has none. */
static const struct function *without_pragmas(struct compilation *compilation, const struct function *function,
	const struct pragma **first)
{
	struct function *without = ARENA_NEW(compilation->arena, struct function);
	*without = *function;
	without->pragmas = ARENA_ARRAY(compilation->arena, struct pragma, function->pragma_count + 1);
	without->pragma_count = 0;
	*first = NULL;
	for (int i = 0; i < function->pragma_count; i++) {
		const struct pragma *pragma = &function->pragmas[i];
		if (!schedule_line_is(schedule_line_of_pragma(compilation->arena, pragma), "distribute"))
			without->pragmas[without->pragma_count++] = *pragma;
		else if (!*first)
			*first = pragma;
	}
	return without;
}

/* Distributes the nests of function F that pragmas say, the last first: the others keep their names. */
static bool follow_pragmas(struct compilation *compilation, struct program *program, int f)
{
	const struct function *function = program->functions[f];
	const struct pragma *first;
	const struct function *without = without_pragmas(compilation, function, &first);
	if (!first)
		return true;
	program->functions[f] = without;
	if (compilation->request.schedule && !compilation->request.schedule->distributed_count)
		diag_warning(compilation->diag, first->location, "schedule", "'distribute' gives way to what the schedule's file says");
	for (int i = function->pragma_count - 1; i >= 0 && !compilation->request.schedule; i--) {
		const struct pragma *pragma = &function->pragmas[i];
		int count, n = 0;
		if (!schedule_line_is(schedule_line_of_pragma(compilation->arena, pragma), "distribute"))
			continue;
		const struct nest *nests = nests_of_function(compilation, program->functions[f], &count);
		while (n < count && !stands_before(pragma, &nests[n]))
			n++;
		if (n == count) {
			diag_error(compilation->diag, pragma->location, "'distribute' is about the nest that follows: there is none");
			return false;
		}
		if (!distribute(compilation, program, f, &nests[n], pragma->location))
			return false;
	}
	return true;
}

const struct program *schedule_distribute(struct compilation *compilation)
{
	const struct schedule_lines *lines = compilation->request.schedule;
	struct program *program = ARENA_NEW(compilation->arena, struct program);
	*program = *compilation->program;
	program->functions = ARENA_ARRAY(compilation->arena, const struct function *, program->function_count + 1);
	for (int f = 0; f < program->function_count; f++)
		program->functions[f] = compilation->program->functions[f];
	for (int f = 0; f < program->function_count; f++)
		if (!follow_pragmas(compilation, program, f))
			return NULL;
	for (int i = 0; lines && i < lines->distributed_count; i++)
		if (!follow_line(compilation, program, &lines->distributed[i]))
			return NULL;
	return program;
}

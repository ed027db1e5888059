/* loopc: the whole pipeline on one page.
 *
 *   .loop text --frontend_parse--> program --lower_function--> plan of each function
 *   --split_transfers--> plan within the machine's limits --codegen--> C
 *
 * The schedule (tile sizes, order, buffers) is chosen in passes/search/, transfers
 * are placed in passes/lower/transfers.c, C is printed in codegen/. */

#include <stdio.h>

#include "codegen/reserved.h"
#include "driver/emit.h"
#include "driver/files.h"
#include "driver/limit.h"
#include "driver/options.h"
#include "driver/output.h"
#include "driver/pareto.h"
#include "driver/runtime_dir.h"
#include "driver/session.h"
#include "driver/strategies.h"
#include "driver/sweep.h"
#include "driver/trades.h"
#include "driver/verify.h"
#include "driver/ways.h"
#include "frontend/arch.h"
#include "ir/plan_align.h"
#include "passes/fusion/fuse.h"
#include "passes/lower_function.h"
#include "passes/pipeline.h"
#include "passes/plan_passes/name_values.h"
#include "passes/studies/registers.h"
#include "passes/plan_passes/simplify.h"
#include "passes/plan_passes/split.h"
#include "support/numbers.h"

static bool needs_plans(const struct options *options)
{
	bool is_needed = options->verify || options->explain || options->report_text ||
		options->explain_strategies ||
		options->report_file;
	for (int e = 0; e < options->emission_count; e++)
		is_needed |= emit_needs_plan(options->emissions[e].form);
	return is_needed;
}

static void show_plan(const struct compilation *compilation, const char *pass,
	const struct plan *plan)
{
	if (pass_done(compilation, pass))
		plan_print(compilation->watch.trace, plan);
}

/* Reports have sums over all nests. */
static bool check_totals(const struct session *session)
{
	long moved = 0;
	for (int p = 0; p < session->plan_count; p++)
		for (int n = 0; n < session->plans[p]->nest_count; n++) {
			const struct plan_nest *nest = &session->plans[p]->nests[n];
			if (__builtin_add_overflow(moved, plan_nest_bytes(nest), &moved)) {
				diag_error(session->diag, nest->location, "up to this nest 2^63 bytes or more "
					"are moved in all, which cannot be counted; give it smaller sizes");
				return false;
			}
		}
	return true;
}

/* The plan of FUNCTION, through all passes.  NULL after errors. */
static struct plan *make_plan(struct compilation *compilation, const struct function *function)
{
	struct plan *plan = lower_function(compilation, function);
	if (!plan)
		return NULL;
	show_plan(compilation, "lower", plan);
	plan_simplify(plan);
	show_plan(compilation, "simplify", plan);
	if (!split_transfers(plan))
		return NULL;
	show_plan(compilation, "split", plan);
	plan_name_values(plan);
	show_plan(compilation, "name", plan);
	const long *traffic = register_traffic(compilation, plan->written);
	for (int n = 0; n < plan->nest_count; n++)
		register_traffic_fill(traffic, &plan->nests[n]);
	return plan;
}

/* Plans for all functions, so that one run shows the errors of all. */
static enum status make_plans(struct session *session)
{
	const struct program *program = session->program;
	if (!ways_check(session))
		return STATUS_USAGE;
	session->plans = ARENA_ARRAY(session->arena, struct plan *, program->function_count);
	for (int f = 0; f < program->function_count; f++) {
		struct plan *plan = ways_make_best(session, program->functions[f], make_plan);
		if (plan)
			session->plans[session->plan_count++] = plan;
	}
	for (int p = 0; p < session->plan_count; p++)
		session->plans[p]->program = session->compilation.program;
	if (!check_totals(session))
		return STATUS_INPUT_ERROR;
	if (session->plan_count == program->function_count)
		return STATUS_DONE;
	return session->compilation.failure.is_broken ? STATUS_INTERNAL :
		session->compilation.failure.does_not_fit ? STATUS_DOES_NOT_FIT : STATUS_INPUT_ERROR;
}

/* A plan that breaks a rule is loopc's fault, unless it was given. */
static enum status check_plans(const struct session *session, bool are_given)
{
	for (int p = 0; p < session->plan_count; p++) {
		if (plan_verify(session->plans[p])) {
			if (!plan_check_alignment(session->plans[p], session->diag))
				return STATUS_DOES_NOT_FIT;
			continue;
		}
		fprintf(stderr, are_given ? "loopc: error: the plan of '%s' breaks a rule\n" :
			"loopc: error: a bug: the plan of '%s' breaks a rule; please report it "
			"with the input\n", session->plans[p]->function->name);
		return are_given ? STATUS_INPUT_ERROR : STATUS_INTERNAL;
	}
	return STATUS_DONE;
}

static enum status find_strategies(struct session *session)
{
	if (session->plan_count && !session->plans[0]->nests[0].source_count) {
		fputs("loopc: error: --explain=strategies needs the source, not a plan\n", stderr);
		return STATUS_USAGE;
	}
	strategies_find(session);
	return STATUS_DONE;
}

/* Where there is no point at all, a compilation says why. */
static enum status find_pareto(struct session *session, struct outputs *outputs)
{
	bool with_macs;
	enum status status = pareto_parse(session->options->pareto, &with_macs) ? pareto(session, outputs)
		: trades(session, outputs, make_plan);
	if (status != STATUS_DOES_NOT_FIT)
		return status;
	status = session->plan_count ? STATUS_DONE : make_plans(session);
	if (status != STATUS_DONE)
		return status;
	fputs("loopc: error: the front has no point that is as the schedule says: what it says of processing elements, say, "
		"needs tiles that it says too\n", stderr);
	return STATUS_DOES_NOT_FIT;
}

static enum status compile(struct session *session, struct outputs *outputs)
{
	const struct options *options = session->options;
	enum status status = STATUS_DONE;
	if (!session_choose_warnings(session))
		return STATUS_USAGE;
	limit_begin(options->time_limit_seconds, options->input);
	if (!session_read(session))
		return STATUS_INPUT_ERROR;
	if (!files_are_apart(session))
		return STATUS_USAGE;
	if (session->program && pass_done(&session->compilation, "parse"))
		program_print(session->compilation.watch.trace, session->program);
	if (needs_plans(options)) {
		if (!reserved_check(session->program, options->prefix, session->diag))
			return STATUS_INPUT_ERROR;
		bool are_given = session->plan_count > 0;
		if (!are_given)
			status = make_plans(session);
		if (status == STATUS_DONE)
			status = check_plans(session, are_given);
	}
	limit_end();
	if (status == STATUS_DONE && options->explain_strategies)
		status = find_strategies(session);
	if (status == STATUS_DONE && options->sweep)
		status = sweep(session, outputs);
	if (status == STATUS_DONE && options->pareto)
		status = find_pareto(session, outputs);
	if (status == STATUS_DONE && options->verify)
		status = verify(session);
	if (status == STATUS_VERIFY_FAILED)
		return emit_reports(session, outputs) ? status : STATUS_INPUT_ERROR;
	if (status != STATUS_DONE)
		return status;
	return emit_all(session, outputs) ? STATUS_DONE : STATUS_INPUT_ERROR;
}

static enum status compile_file(struct arena *arena, const struct options *options)
{
	struct session session;
	struct outputs *outputs = outputs_new(arena);
	session_begin(&session, arena, options);
	enum status status = compile(&session, outputs);
	session_end(&session);
	/* Files have their names when nothing is left that can fail. */
	if ((status == STATUS_DONE || status == STATUS_VERIFY_FAILED) && !outputs_commit(outputs))
		status = STATUS_INPUT_ERROR;
	outputs_free(outputs);
	return status;
}

static enum status print_runtime_dir(struct arena *arena)
{
	const char *directory = runtime_dir(arena);
	if (directory)
		puts(directory);
	else
		fputs("loopc: error: the runtime is not installed beside loopc; "
			"LOOPC_RUNTIME_DIR can name its directory\n", stderr);
	return directory ? STATUS_DONE : STATUS_INPUT_ERROR;
}

static enum status act(struct arena *arena, const struct options *options)
{
	enum status status = STATUS_DONE;
	switch (options->action) {
	case ACTION_COMPILE: return compile_file(arena, options);
	case ACTION_HELP: options_help(); break;
	case ACTION_VERSION: puts("loopc " PACKAGE_VERSION); break;
	case ACTION_LIST_ARCHS: arch_list(stdout); break;
	case ACTION_LIST_WARNINGS: diag_list_names(stdout); break;
	case ACTION_LIST_PASSES: passes_list(stdout); break;
	case ACTION_PRINT_RUNTIME_DIR: status = print_runtime_dir(arena); break;
	}
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	perror("loopc: error: cannot write standard output");
	return STATUS_INPUT_ERROR;
}

int main(int argc, char **argv)
{
	numbers_begin();
	struct arena *arena = arena_new();
	struct options options;
	enum status status = STATUS_USAGE;
	if (options_parse(arena, argc, argv, &options))
		status = act(arena, &options);
	arena_free(arena);
	return (int)status;
}

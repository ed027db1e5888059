#include "driver/emit.h"

#include <math.h>
#include <string.h>

#include "codegen/codegen.h"
#include "driver/depfile.h"
#include "driver/strategies.h"
#include "driver/ways.h"
#include "passes/cost/nest_model.h"

bool emit_needs_plan(enum emit form)
{
	return form == EMIT_SCHEDULE || form == EMIT_PLAN ||
		form == EMIT_C || form == EMIT_H || form == EMIT_REPORT;
}

static struct report report_of(const struct session *session)
{
	return (struct report){ .arch = session->arch, .plan_count = session->plan_count,
		.plans = session->plans, .verify = session->verify };
}

/* The file's name, without its directories: emitted text names no place. */
static const char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/');
	return slash ? slash + 1 : file;
}

/* A plan has its machine, and all else, from when it was made. */
static bool are_plans_given(const struct session *session)
{
	const char *suffix = strrchr(session->options->input, '.');
	return suffix && !strcmp(suffix, ".plan");
}

/* The options that the result depends on, as the comment at its top tells them. */
static const char *arguments_of(const struct session *session)
{
	const struct options *options = session->options;
	const char *text = are_plans_given(session) ? "(those of the plan)"
		: arena_printf(session->arena, "--arch=%s", base_name(options->arch));
	bool is_traffic = objective_is_traffic(&options->objective);
	if (!are_plans_given(session) && (is_traffic || options->is_buffering_given))
		text = arena_printf(session->arena, "%s --buffering=%s", text, buffering_names[options->buffering]);
	if (!is_traffic)
		text = arena_printf(session->arena, "%s --objective=%s", text, options->objective.text);
	for (int d = 0; d < options->defines.count; d++)
		text = arena_printf(session->arena, "%s -D %s", text, options->defines.items[d]);
	for (int s = 0; s < options->symbolic.count; s++)
		text = arena_printf(session->arena, "%s --symbolic=%s", text, options->symbolic.items[s]);
	if (!options->reassociate)
		text = arena_printf(session->arena, "%s -fno-reassociate", text);
	if (options->space)
		text = arena_printf(session->arena, "%s --space=%s", text, options->space);
	if (options->fusion != FUSE_AUTO)
		text = arena_printf(session->arena, "%s --fuse=%s", text,
			options->fusion == FUSE_ALL ? "all" : "never");
	if (options->fusion != FUSE_NEVER && options->recompute_percent != RECOMPUTE_PERCENT)
		text = isinf(options->recompute_percent)
			? arena_printf(session->arena, "%s --recompute=allowed", text)
			: arena_printf(session->arena, "%s --recompute=%g%%", text, options->recompute_percent);
	if (options->effort)
		text = arena_printf(session->arena, "%s --effort=%ld", text, options->effort);
	if (options->schedule_file)
		text = arena_printf(session->arena, "%s --schedule=%s", text,
			base_name(options->schedule_file));
	if (*options->prefix)
		text = arena_printf(session->arena, "%s --prefix=%s", text, options->prefix);
	return text;
}

/* The file that FORM goes to, by its name alone; NULL: nowhere, or standard output. */
static const char *emitted_name(const struct session *session, enum emit form)
{
	for (int e = 0; e < session->options->emission_count; e++)
		if (session->options->emissions[e].form == form &&
		    strcmp(session->options->emissions[e].file, "-"))
			return base_name(session->options->emissions[e].file);
	return NULL;
}

static struct codegen_options codegen_options_of(const struct session *session)
{
	return (struct codegen_options){ .version = PACKAGE_VERSION,
		.arguments = arguments_of(session), .prefix = session->options->prefix,
		.line_directives = session->options->line_directives,
		.output = emitted_name(session, EMIT_C) };
}

static const struct plan *const *plans_of(const struct session *session)
{
	return (const struct plan *const *)session->plans;
}

bool emit_c(struct session *session, FILE *out, const char *header, bool is_measured)
{
	struct codegen_options options = codegen_options_of(session);
	options.header = header;
	options.is_measured = is_measured;
	return codegen_c(out, plans_of(session), session->plan_count, &options);
}

bool emit_header(struct session *session, FILE *out)
{
	struct codegen_options options = codegen_options_of(session);
	options.header = emitted_name(session, EMIT_H);
	return codegen_header(out, plans_of(session), session->plan_count, &options);
}

/* What a pass prints of every function. */
static bool emit_each(struct session *session, FILE *out,
	bool (*print)(struct compilation *, const struct function *, FILE *))
{
	for (int f = 0; f < session->program->function_count; f++)
		if (!print(&session->compilation, session->program->functions[f], out))
			return false;
	return true;
}

/* One heading a nest where there are several: --schedule reads it back. */
static void emit_schedules(const struct session *session, FILE *out)
{
	for (int p = 0; p < session->plan_count; p++)
		for (int n = 0; n < session->plans[p]->nest_count; n++) {
			const struct plan_nest *nest = &session->plans[p]->nests[n];
			const char *text = nest->schedule ? nest->schedule : "";
			size_t length = strlen(text);
			fprintf(out, "%s%s", text, length && text[length - 1] == '\n' ? "" : "\n");
		}
}

static bool emit_json(const struct session *session, FILE *out)
{
	struct report report = report_of(session);
	report.strategies = strategies_json(session);
	bool is_written = report_json(out, &report);
	json_decref(report.strategies);
	return is_written;
}

static bool emit_form(struct session *session, enum emit form, FILE *out)
{
	switch (form) {
	case EMIT_PREPROCESSED: return session_print_preprocessed(session, out);
	case EMIT_AST: return session_print_ast(session, out);
	case EMIT_PROGRAM: program_print(out, session->program); return true;
	case EMIT_DEPS: return emit_each(session, out, print_dependences);
	case EMIT_REUSE: return emit_each(session, out, print_reuse);
	case EMIT_SCHEDULE: emit_schedules(session, out); return true;
	case EMIT_PLAN:
		plans_print(out, plans_of(session), session->plan_count);
		return true;
	case EMIT_C: return emit_c(session, out, emitted_name(session, EMIT_H), false);
	case EMIT_H: return emit_header(session, out);
	default: return emit_json(session, out);
	}
}

bool emit_reports(struct session *session, struct outputs *outputs)
{
	const struct options *options = session->options;
	struct report report = report_of(session);
	if (options->report_file) {
		FILE *out = outputs_open(outputs, options->report_file);
		if (!out || !emit_json(session, out))
			return false;
	}
	if (options->explain || options->explain_strategies || options->report_text) {
		FILE *out = outputs_open(outputs, "-");
		if (!out)
			return false;
		if (options->explain)
			report_explain(out, &report);
		if (options->explain)
			ways_explain(out, session);
		if (session->strategies)
			strategies_print(out, session);
		if (options->report_text)
			report_text(out, &report);
	}
	return true;
}

void emit_verified(const struct session *session)
{
	const struct options *options = session->options;
	struct report report = report_of(session);
	if (report.verify.status == VERIFY_PASSED && !options->report_text &&
		!options->json_diagnostics)
		report_verified(stderr, &report);
}

static bool emit_depfile(struct session *session, struct outputs *outputs)
{
	const struct options *options = session->options;
	if (!options->depfile && !options->depfile_only)
		return true;
	const char *name = options->depfile_only && !options->depfile_file ? "-" :
		depfile_name(session->arena, options);
	FILE *out = outputs_open(outputs, name);
	if (out)
		depfile_print(out, session->arena, options, &session->files);
	return out != NULL;
}

bool emit_all(struct session *session, struct outputs *outputs)
{
	const struct options *options = session->options;
	for (int e = 0; e < options->emission_count; e++) {
		FILE *out = outputs_open(outputs, options->emissions[e].file);
		if (!out || !emit_form(session, options->emissions[e].form, out))
			return false;
	}
	return emit_reports(session, outputs) && emit_depfile(session, outputs);
}

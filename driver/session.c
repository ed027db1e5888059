#include "driver/session.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <isl/options.h>

#include "driver/output.h"
#include "driver/space.h"
#include "frontend/arch.h"
#include "frontend/frontend.h"
#include "ir/ast_memo.h"
#include "passes/analysis/nest_memo.h"
#include "passes/search/search_memo.h"
#include "passes/variants/schedule_check.h"
#include "passes/variants/schedule_distribute.h"

static volatile int interrupted;

/* The first interrupt ends the search with the best found so far; a second one
 * ends loopc. */
static void on_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

static void release_ctx(void *ctx)
{
	isl_ctx_free(ctx);
}

static void release_diag(void *diag)
{
	diag_free(diag);
}

static void set_up_diagnostics(struct session *session)
{
	const struct options *options = session->options;
	session->diag = arena_own(session->arena, diag_new(stderr), release_diag);
	diag_set_color(session->diag, options->color);
	diag_set_json(session->diag, options->json_diagnostics);
	diag_set_werror(session->diag, options->werror);
}

void session_begin(struct session *session, struct arena *arena, const struct options *options)
{
	*session = (struct session){ .arena = arena, .options = options };
	set_up_diagnostics(session);
	session->ctx = arena_own(arena, isl_ctx_alloc(), release_ctx);
	isl_options_set_on_error(session->ctx, ISL_ON_ERROR_CONTINUE);
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = on_interrupt,
		.sa_flags = (int)SA_RESETHAND }, NULL);
	session->trace = trace_new(arena, options);
	session->compilation = (struct compilation){
		.arena = arena, .ctx = session->ctx, .diag = session->diag,
		.request = { .reassociate = options->reassociate, .buffering = options->buffering,
			.fusion = options->fusion, .recompute_percent = options->recompute_percent,
			.effort = options->effort },
		.known = { .searches = search_memo_new(arena, NULL), .nests = nest_memos_new(arena),
			.loops = ast_memo_new(arena) },
		.watch = { .threads = options->threads, .show_progress = isatty(STDERR_FILENO) != 0,
			.interrupted = &interrupted, .trace = trace_stream(session->trace),
			.traced = trace_after },
	};
	if (options->space)
		space_apply(&session->compilation, options);
}

bool session_choose_warnings(struct session *session)
{
	const struct options *options = session->options;
	for (int w = 0; w < options->warning_count; w++) {
		const struct warning_choice *choice = &options->warnings[w];
		bool is_known = choice->is_remark ?
			diag_set_remark(session->diag, choice->name, choice->on) :
			diag_set_warning(session->diag, choice->name, choice->on);
		if (!is_known) {
			fprintf(stderr, "loopc: error: there is no %s '%s'; --list-warnings shows them\n",
				choice->is_remark ? "remark" : "warning", choice->name);
			return false;
		}
	}
	return true;
}

static void add_file(struct session *session, const char *file)
{
	struct string_list *files = &session->files;
	files->items = arena_grow(session->arena, files->items, (size_t)files->count,
		&files->capacity, sizeof *files->items);
	files->items[files->count++] = file;
}

static char *read_source(struct session *session, const char *file, size_t *length)
{
	char *text = file_read(session->arena, file, length);
	if (!text)
		return NULL;
	add_file(session, file);
	diag_add_source(session->diag, file, text, *length);
	return text;
}

/* A name with a dot or a slash is a file; else it is built in, or a file after all. */
static const struct arch *read_arch(struct session *session)
{
	const char *name = session->options->arch;
	const struct arch_builtin *builtin = arch_builtin_find(name);
	if (builtin) {
		diag_add_source(session->diag, name, builtin->text, strlen(builtin->text));
		return arch_parse(session->arena, session->diag, name, builtin->text,
			strlen(builtin->text));
	}
	if (!strpbrk(name, "./") && access(name, R_OK) != 0) {
		fprintf(stderr, "loopc: error: no machine is called '%s', and there is no such file; "
			"--list-archs shows those that are built in\n", name);
		return NULL;
	}
	size_t length;
	const char *text = read_source(session, name, &length);
	return text ? arch_parse(session->arena, session->diag, name, text, length) : NULL;
}

static bool read_schedule(struct session *session)
{
	const char *file = session->options->schedule_file;
	size_t length;
	if (!file)
		return true;
	const char *text = read_source(session, file, &length);
	if (text)
		session->compilation.request.schedule = schedule_lines_parse(session->arena,
			(struct location){ .file = file, .line = 1, .column = 1 }, text);
	return text != NULL;
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t length = strlen(name), end = strlen(suffix);
	return length > end && !strcmp(name + length - end, suffix);
}

/* -D as the front end takes it. */
static struct binding *bindings_of(struct session *session)
{
	const struct string_list *defines = &session->options->defines;
	struct binding *bindings = ARENA_ARRAY(session->arena, struct binding, defines->count + 1);
	for (int d = 0; d < defines->count; d++) {
		const char *equals = strchr(defines->items[d], '=');
		bindings[d].name = arena_strndup(session->arena, defines->items[d],
			(size_t)(equals - defines->items[d]));
		bindings[d].value = equals + 1;
		for (int s = 0; s < session->options->symbolic.count; s++)
			bindings[d].is_symbolic |= !strcmp(session->options->symbolic.items[s],
				bindings[d].name);
	}
	return bindings;
}

static const char *source_name(const struct session *session)
{
	return strcmp(session->options->input, "-") ? session->options->input : "<stdin>";
}

static void read_plan(struct session *session)
{
	session->plans = plans_parse(session->arena, session->ctx, session->diag,
		source_name(session), session->text, &session->plan_count);
	if (!session->plans)
		return;
	session->program = session->plans[0]->program;
	session->arch = session->plans[0]->arch;
}

static void read_program(struct session *session)
{
	const struct options *options = session->options;
	const char *name = source_name(session);
	if (has_suffix(name, ".plan"))
		read_plan(session);
	else if (has_suffix(name, ".program"))
		session->program = program_parse(session->arena, session->ctx, session->diag, name,
			session->text);
	else
		session->program = frontend_parse(session->arena, session->ctx, session->diag, name,
			session->text, session->length, bindings_of(session), options->defines.count,
			options->include_dirs.items, options->include_dirs.count);
}

/* The program has the nests that the user wants from here on. */
static bool distribute(struct session *session)
{
	const struct program *program = schedule_distribute(&session->compilation);
	if (program)
		session->program = session->compilation.program = program;
	return program != NULL;
}

bool session_read(struct session *session)
{
	session->text = read_source(session, session->options->input, &session->length);
	if (!session->text)
		return false;
	session->arch = read_arch(session);
	if (!session->arch || !read_schedule(session))
		return false;
	if (options_only_preprocess(session->options))
		return true;
	read_program(session);
	for (int f = 0; session->program && f < session->program->file_count; f++)
		add_file(session, session->program->files[f]);
	session->compilation.program = session->program;
	session->compilation.arch = session->arch;
	return session->program && !diag_error_count(session->diag)
		&& (session->plan_count || (distribute(session) && schedule_check(session->arena, session->diag,
			session->program, session->compilation.request.schedule)));
}

bool session_print_preprocessed(struct session *session, FILE *out)
{
	const struct options *options = session->options;
	return frontend_print_preprocessed(out, session->arena, session->diag, source_name(session),
		session->text, session->length, bindings_of(session), options->defines.count,
		options->include_dirs.items, options->include_dirs.count);
}

bool session_print_ast(struct session *session, FILE *out)
{
	const struct options *options = session->options;
	return frontend_print_ast(out, session->arena, session->diag, source_name(session),
		session->text, session->length, bindings_of(session), options->defines.count,
		options->include_dirs.items, options->include_dirs.count);
}

void session_end(struct session *session)
{
	trace_end(session->trace);
	diag_finish(session->diag);
}

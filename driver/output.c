#include "driver/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/memory.h"
#include "support/program.h"

struct output {
	struct output *next;
	const char *file, *temporary;   /* temporary NULL: written in place, or kept as text */
	FILE *stream;
	char *text;                  /* of standard output, until all files are written */
	size_t length;
};

struct outputs {
	struct arena *arena;
	struct output *first, **last;
};

/* Where memory ends no stream is closed, but no file stays. */
static void remove_temporaries(void *user)
{
	const struct outputs *outputs = user;
	for (const struct output *output = outputs->first; output; output = output->next)
		if (output->temporary)
			unlink(output->temporary);
}

struct outputs *outputs_new(struct arena *arena)
{
	struct outputs *outputs = ARENA_NEW(arena, struct outputs);
	*outputs = (struct outputs){ arena, NULL, NULL };
	outputs->last = &outputs->first;
	memory_guard(remove_temporaries, outputs);
	return outputs;
}

static void discard(struct outputs *outputs)
{
	for (struct output *output = outputs->first; output; output = output->next) {
		if (output->stream)
			fclose(output->stream);
		free(output->text);
		if (output->temporary)
			unlink(output->temporary);
	}
	outputs->first = NULL;
	outputs->last = &outputs->first;
}

void outputs_free(struct outputs *outputs)
{
	discard(outputs);
	memory_unguard();
}

static bool failed(const char *what, const char *file)
{
	fprintf(stderr, "%s: error: cannot %s '%s': %s\n", program_name, what, file, strerror(errno));
	return false;
}

/* A file that is not there yet, or a regular one, can be replaced by a rename. */
static bool can_rename(const char *file)
{
	struct stat status;
	return lstat(file, &status) != 0 || S_ISREG(status.st_mode);
}

static void add_output(struct outputs *outputs, struct output *output)
{
	*outputs->last = output;
	outputs->last = &output->next;
}

/* OUTPUT is known before there is memory to ask for, so that its file can be removed. */
static FILE *open_temporary(struct outputs *outputs, struct output *output)
{
	char *name = arena_printf(outputs->arena, "%s.XXXXXX", output->file);
	int descriptor = mkstemp(name);
	if (descriptor < 0)
		return NULL;
	output->temporary = name;
	add_output(outputs, output);
	mode_t mask = umask(0);
	umask(mask);
	fchmod(descriptor, 0666 & ~mask);
	return fdopen(descriptor, "w");
}

FILE *outputs_open(struct outputs *outputs, const char *file)
{
	struct output *output = ARENA_NEW(outputs->arena, struct output);
	output->file = file;
	if (!strcmp(file, "-"))
		output->stream = open_memstream(&output->text, &output->length);
	else if (can_rename(file))
		output->stream = open_temporary(outputs, output);
	else
		output->stream = fopen(file, "w");
	if (!output->stream) {
		failed("write", file);
		return NULL;
	}
	if (!output->temporary)
		add_output(outputs, output);
	return output->stream;
}

/* True if all that was written to the stream arrived. */
static bool close_output(struct output *output)
{
	bool is_written = fflush(output->stream) == 0 && !ferror(output->stream);
	if (fclose(output->stream) != 0)
		is_written = false;
	output->stream = NULL;
	return is_written || failed("write", output->file);
}

/* What was kept for standard output, where there was any. */
static bool show_output(const struct output *output)
{
	return !output->text || (fwrite(output->text, 1, output->length, stdout) == output->length
		&& fflush(stdout) == 0) || failed("write", "standard output");
}

bool outputs_commit(struct outputs *outputs)
{
	bool is_done = true;
	for (struct output *output = outputs->first; output; output = output->next)
		if (output->stream && !close_output(output))
			is_done = false;
	for (struct output *output = outputs->first; output && is_done; output = output->next)
		is_done = show_output(output);
	for (struct output *output = outputs->first; output && is_done; output = output->next) {
		if (output->temporary && rename(output->temporary, output->file) != 0)
			is_done = failed("write", output->file);
		else
			output->temporary = NULL;
	}
	discard(outputs);
	return is_done;
}

char *file_read(struct arena *arena, const char *file, size_t *length)
{
	FILE *stream = strcmp(file, "-") ? fopen(file, "r") : stdin;
	if (!stream) {
		failed("read", file);
		return NULL;
	}
	char *buffer = NULL, block[4096];
	size_t count = 0;
	FILE *memory = open_memstream(&buffer, &count);
	for (size_t got; memory && (got = fread(block, 1, sizeof block, stream)) > 0; )
		fwrite(block, 1, got, memory);
	bool is_read = memory && fclose(memory) == 0 && !ferror(stream);
	if (!is_read)
		failed("read", file);
	if (stream != stdin)
		fclose(stream);
	char *text = is_read ? arena_strndup(arena, buffer, count) : NULL;
	*length = count;
	free(buffer);
	return text;
}

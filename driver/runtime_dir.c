#include "driver/runtime_dir.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static bool is_runtime(struct arena *arena, const char *directory)
{
	return directory && access(arena_printf(arena, "%s/loopc_rt.h", directory), R_OK) == 0;
}

/* Where this program lies, without its name; NULL if the system does not say.  A chroot may
 * have no /proc: then it is where it was called. */
static char *program_dir(struct arena *arena)
{
	char path[PATH_MAX];
	const char *called = (const char *)getauxval(AT_EXECFN);
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	if (length > 0)
		path[length] = '\0';
	else if (!called || !realpath(called, path))
		return NULL;
	char *slash = strrchr(path, '/');
	return slash ? arena_strndup(arena, path, (size_t)(slash - path)) : NULL;
}

/* make leaves a file beside the program that it built, with the place of the sources. */
static char *source_tree_dir(struct arena *arena, const char *directory)
{
	FILE *note = fopen(arena_printf(arena, "%s/.loopc-runtime-dir", directory), "r");
	if (!note)
		return NULL;
	char line[PATH_MAX];
	char *text = fgets(line, sizeof line, note);
	fclose(note);
	return text ? arena_strndup(arena, text, strcspn(text, "\n")) : NULL;
}

const char *runtime_dir(struct arena *arena)
{
	const char *chosen = getenv("LOOPC_RUNTIME_DIR");
	if (chosen && *chosen)
		return is_runtime(arena, chosen) ? chosen : NULL;
	const char *program = program_dir(arena);
	const char *candidates[] = {
		program ? source_tree_dir(arena, program) : NULL,
		program ? arena_printf(arena, "%s/../share/loopc/runtime", program) : NULL,
		LOOPC_DATADIR "/runtime",
	};
	for (size_t c = 0; c < sizeof candidates / sizeof *candidates; c++)
		if (is_runtime(arena, candidates[c])) {
			char *real = realpath(candidates[c], NULL);
			const char *found = arena_strdup(arena, real ? real : candidates[c]);
			free(real);
			return found;
		}
	return NULL;
}

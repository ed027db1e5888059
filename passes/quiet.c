#include "passes/quiet.h"

#include <stdlib.h>

#include "support/memory.h"

void quiet_begin(struct quiet *quiet, const struct compilation *compilation)
{
	*quiet = (struct quiet){ .compilation = *compilation };
	quiet->unseen = open_memstream(&quiet->text, &quiet->length);
	if (!quiet->unseen)
		memory_exhausted();
	quiet->compilation.diag = diag_new(quiet->unseen);
	quiet->compilation.watch.traced = NULL;
	quiet->compilation.watch.show_progress = false;
	quiet->compilation.failure.does_not_fit = false;
}

void quiet_end(struct quiet *quiet)
{
	diag_free(quiet->compilation.diag);
	fclose(quiet->unseen);
	free(quiet->text);
}

/* The line of progress on a terminal. */

#include <stdarg.h>
#include <stdio.h>

#include "passes/pass.h"

void progress_show(const struct compilation *compilation, const char *format, ...)
{
	va_list arguments;
	if (!compilation->watch.show_progress)
		return;
	fputs("\r\033[K", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fflush(stderr);
}

void progress_end(const struct compilation *compilation)
{
	if (compilation->watch.show_progress)
		fputs("\r\033[K", stderr);
}

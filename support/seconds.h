#ifndef SUPPORT_SECONDS_H
#define SUPPORT_SECONDS_H

#include <time.h>

/* Processor time that this process has used so far, of all its threads, in seconds. */
static inline double processor_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif

#include "driver/limit.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "driver/options.h"

static char message[512];

static void on_limit(int signal)
{
	(void)signal;
	if (write(STDERR_FILENO, message, strlen(message)) < 0)
		_exit(STATUS_INTERNAL);
	_exit(STATUS_INPUT_ERROR);
}

void limit_begin(long seconds, const char *file)
{
	snprintf(message, sizeof message, "\n%.300s: error: not done after %ld s of processor time; "
		"simplify what is unusual in it, split its nests, or raise --time-limit\n", file, seconds);
	sigaction(SIGVTALRM, &(struct sigaction){ .sa_handler = on_limit }, NULL);
	setitimer(ITIMER_VIRTUAL, &(struct itimerval){ .it_value.tv_sec = seconds }, NULL);
}

void limit_end(void)
{
	setitimer(ITIMER_VIRTUAL, &(struct itimerval){ .it_value.tv_sec = 0 }, NULL);
}

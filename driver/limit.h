#ifndef DRIVER_LIMIT_H
#define DRIVER_LIMIT_H

/* Until limit_end, loopc may use SECONDS of processor time; then it says so of FILE and
 * exits with status 1.  The polyhedral library has questions without end that its own
 * limits do not stop.  What is compiled does not depend on it, only whether it is.  0: no
 * limit.  Nothing may be written to files meanwhile. */
void limit_begin(long seconds, const char *file);
void limit_end(void);

#endif

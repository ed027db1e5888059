#ifndef DRIVER_FILES_H
#define DRIVER_FILES_H

#include "driver/session.h"

/* Nothing that is to be written is a file that was read, however it is spelled or linked, or that
 * is to be written twice; else says so.  SESSION has been read. */
bool files_are_apart(const struct session *session);

#endif

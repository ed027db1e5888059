#ifndef DRIVER_RUNTIME_DIR_H
#define DRIVER_RUNTIME_DIR_H

#include "support/arena.h"

/* The directory of the runtime's sources, to build emitted code with: that of the
 * environment's LOOPC_RUNTIME_DIR; beside an installed loopc, wherever it was moved
 * to; or in the source tree where loopc runs from its build directory.  NULL if there
 * is none. */
const char *runtime_dir(struct arena *arena);

#endif

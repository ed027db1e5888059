#ifndef DRIVER_HARNESS_H
#define DRIVER_HARNESS_H

#include <stdio.h>

#include "driver/session.h"

/* The files of a verification program, but for the emitted C and the runtime. */

/* The source itself, with its functions renamed and a caller for each. */
void harness_print_reference(FILE *out, const struct session *session);
/* A caller for each emitted function; HEADER declares them. */
void harness_print_tiled(FILE *out, const struct session *session, const char *header);
/* main: the functions, their arrays and the machine's limits. */
void harness_print_main(FILE *out, const struct session *session);

/* The text of driver/verify_support.h, which the program includes. */
extern const char harness_support_text[];

/* The name under which ARRAY of FUNCTION is counted: its own, or where two have the
 * same one, that and its number. */
const char *harness_array_name(struct arena *arena, const struct function *function,
	const struct array *array);

#endif

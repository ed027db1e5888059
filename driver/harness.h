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
/* The header that the emitted code includes: on a machine with a clock its time is told. */
void harness_print_time(FILE *out, const struct session *session);

/* Shadow code of the functions that need it (driver/shadow.h).  False: it cannot be made. */
bool harness_print_shadow(FILE *out, const struct session *session);

/* The texts of driver/verify_support.h and driver/verify_shadow.h, which the program includes. */
extern const char harness_support_text[], harness_shadow_text[];

/* The value that a scalar parameter has in all calls. */
void harness_print_scalar(FILE *out, const struct session *session,
	const struct function *function, const struct array *array);

/* The name under which ARRAY of FUNCTION is counted: its own, or where two have the
 * same one, that and its number. */
const char *harness_array_name(struct arena *arena, const struct function *function,
	const struct array *array);

#endif

#ifndef DRIVER_VERIFY_DATA_H
#define DRIVER_VERIFY_DATA_H

#include "driver/session.h"

/* What --verify-data and --verify-range say of an array parameter's values. */
struct verify_source {
	const char *file;            /* its elements, as the machine has them; NULL: none */
	bool has_range;
	double least, most;
};

/* Whether both options name parameters that there are, with files of the right size and ranges
 * of their types; else errors. */
bool verify_data_check(const struct session *session);
/* FILES only hold for the sizes that the function is tuned for. */
struct verify_source verify_data_of(const struct session *session, const struct function *function,
	const struct array *array);

#endif

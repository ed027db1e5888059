#ifndef DRIVER_STRATEGIES_H
#define DRIVER_STRATEGIES_H

#include <jansson.h>

#include "driver/session.h"

/* --explain=strategies: what each layer moves under each reuse strategy.  Needs the
 * session's plans, made from its program. */

/* Searches; the results are the session's. */
void strategies_find(struct session *session);

/* A table for people. */
void strategies_print(FILE *out, const struct session *session);

/* The value of the report's key "strategies"; the caller's.  NULL if they were not
 * asked for. */
json_t *strategies_json(const struct session *session);

#endif

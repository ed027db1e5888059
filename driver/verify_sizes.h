#ifndef DRIVER_VERIFY_SIZES_H
#define DRIVER_VERIFY_SIZES_H

#include "driver/session.h"

/* Fills in session.cases: each function once, with symbolic sizes several times: what they
 * are tuned for, 1, and values around tiles and around that. */
void verify_cases(struct session *session);

#endif

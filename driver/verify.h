#ifndef DRIVER_VERIFY_H
#define DRIVER_VERIFY_H

#include "driver/session.h"

/* --verify: builds the emitted C and the source with $CC, runs both on the checked
 * port with the same data and compares outputs and traffic.  Fills in
 * session->verify.  STATUS_DONE only if all agree; else STATUS_VERIFY_FAILED after
 * diagnostics, or STATUS_INPUT_ERROR where the directory that is to keep the programs cannot be made. */
enum status verify(struct session *session);

#endif

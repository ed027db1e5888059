#ifndef PASSES_OBEYED_H
#define PASSES_OBEYED_H

#include "passes/variants/choice.h"

/* The user says something of NEST's tiles, loops or buffers, which its parts would not have. */
bool nest_is_constrained(const struct compilation *compilation, const struct nest *nest);

/* What the user says of the nest is so in CHOICE.  Else false, and an error says what is not. */
bool choice_check_obeyed(struct compilation *compilation, const struct choice *choice);

#endif

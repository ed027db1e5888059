#ifndef PASSES_SCHEDULE_DISTRIBUTE_H
#define PASSES_SCHEDULE_DISTRIBUTE_H

#include "passes/pass.h"

/* The program of COMPILATION with those nests distributed (passes/analysis/distribute.h) that the user says: those of
 * --schedule's lines `distribute NEST`, one after the other, each with the names that nests have by then; where no schedule
 * is given, those before which `#pragma loopc distribute` stands.  All else that is said of nests is about those of this
 * program.  NULL after an error (diagnosed). */
const struct program *schedule_distribute(struct compilation *compilation);

#endif

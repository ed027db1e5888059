#ifndef IR_ORDER_H
#define IR_ORDER_H

#include "ir/program.h"

/* When instances of statements run, one before the other, straight from the loops that
 * two statements share: for each of them the pairs that first differ there, and the pairs
 * that share an iteration of all.  The same as comparing what statement_order says, but
 * isl meets no coordinate that does not matter. */

/* The number of loops around both statements. */
int shared_loop_count(const struct statement *from, const struct statement *to);
/* The place of STATEMENT, or of its loop, in the body of the first SHARED of its loops. */
int place_in_body(const struct statement *statement, int shared);

/* Some instance of FROM may run before one of TO. */
bool may_precede(const struct statement *from, const struct statement *to);

/* The text alone says that A and B, accesses of one array, touch no element in common. */
bool accesses_are_apart(const struct statement *from, const struct access *a,
	const struct statement *to, const struct access *b);

/* {instance of FROM -> instance of TO : A and B touch the same element, and FROM's runs
 * before TO's} as far as the shared loop LEVEL carries the pairs; or, if LEVEL is
 * shared_loop_count, those within one iteration of all shared loops.  NULL if the program's
 * text says that there are none.  Caller frees. */
__isl_give isl_map *access_pairs_at(const struct statement *from, const struct access *a,
	const struct statement *to, const struct access *b, int level);

/* The pairs of all levels; never NULL.  Caller frees. */
__isl_give isl_map *access_pairs(const struct statement *from, const struct access *a,
	const struct statement *to, const struct access *b);

/* An access of a statement. */
struct statement_access {
	const struct statement *statement;
	const struct access *access;
};

/* Of the instances LEFT of READ's statement, those that read what none of the accesses
 * WRITES has written before.  SAME_LOOPS: only writes in the same iteration of that many
 * outer loops count.  Caller frees. */
__isl_give isl_set *reads_without_write(__isl_take isl_set *left, struct statement_access read,
	const struct statement_access *writes, int write_count, int same_loops);

#endif

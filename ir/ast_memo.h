#ifndef IR_AST_MEMO_H
#define IR_AST_MEMO_H

#include "ir/ast_build.h"
#include "support/arena.h"

/* Loops that isl has found before.  A plan that is tried and then chosen is lowered twice, and ways to a plan often come to the same
 * schedule. */
struct ast_memo;

/* Remembers the last few answers, as long as ARENA lives. */
struct ast_memo *ast_memo_new(struct arena *arena);

/* ast_of_order, or what it gave for the same question before.  MEMO may be NULL.  An answer that is taken counts as as many of isl's
 * operations as it took to find, so that what is found within a limit does not depend on what was asked before. */
__isl_give isl_ast_node *ast_of_order_once(struct ast_memo *memo, __isl_take isl_set *context, __isl_take isl_id_list *names,
	__isl_take isl_union_map *order);

#endif

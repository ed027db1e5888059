#ifndef IR_PLAN_PARSER_H
#define IR_PLAN_PARSER_H

#include "ir/plan.h"
#include "ir/words.h"

/* What ir/plan_parse.c reads plans with. */
struct parser {
	struct arena *arena;
	struct words words;
	const struct program *program;
	struct plan *plan;           /* the present one */
	int var_count;
	size_t var_capacity;
	struct plan_var **vars;
};

/* The variable or symbolic size NAME of the present plan; NULL if there is none. */
struct plan_var *find_plan_var(const struct parser *parser, const char *name);
/* An expression; some constant after an error. */
struct plan_expr *parse_plan_expr(struct parser *parser);
/* NAME and COUNT expressions in parentheses, to EXPRS. */
void parse_plan_exprs(struct parser *parser, const char *name, struct plan_expr **exprs, int count);

#endif

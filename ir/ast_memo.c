#include "ir/ast_memo.h"

#include <isl/id.h>
#include <isl/map.h>

#include "ir/isl_work.h"

enum { REMEMBERED = 64 };

struct answer {
	uint32_t hash;
	isl_set *context;
	isl_id_list *names;          /* NULL: isl's own */
	isl_map_list *order;
	isl_ast_node *node;          /* NULL: there is no answer */
	unsigned long operations;    /* of isl's, that it took */
};

struct ast_memo {
	struct answer answers[REMEMBERED];
	int next;                    /* to be forgotten */
};

static void clear(struct answer *answer)
{
	isl_set_free(answer->context);
	isl_id_list_free(answer->names);
	isl_map_list_free(answer->order);
	isl_ast_node_free(answer->node);
	*answer = (struct answer){ .node = NULL };
}

static void release(void *object)
{
	struct ast_memo *memo = object;
	for (int i = 0; i < REMEMBERED; i++)
		clear(&memo->answers[i]);
}

struct ast_memo *ast_memo_new(struct arena *arena)
{
	return arena_own(arena, ARENA_NEW(arena, struct ast_memo), release);
}

static bool are_same_names(isl_id_list *one, isl_id_list *other)
{
	int count = one ? isl_id_list_n_id(one) : 0;
	bool are_same = !one == !other && count == (other ? isl_id_list_n_id(other) : 0);
	for (int i = 0; i < count && are_same; i++) {
		isl_id *a = isl_id_list_get_id(one, i), *b = isl_id_list_get_id(other, i);
		are_same = a == b;
		isl_id_free(a);
		isl_id_free(b);
	}
	return are_same;
}

static bool are_same_maps(isl_map_list *one, isl_map_list *other)
{
	int count = isl_map_list_n_map(one);
	bool are_same = count == isl_map_list_n_map(other);
	for (int i = 0; i < count && are_same; i++) {
		isl_map *a = isl_map_list_get_map(one, i), *b = isl_map_list_get_map(other, i);
		are_same = isl_map_plain_is_equal(a, b) == isl_bool_true;
		isl_map_free(a);
		isl_map_free(b);
	}
	return are_same;
}

/* The answer to QUESTION; NULL: none is remembered, or isl may do less than it took, and would not come to it. */
static __isl_give isl_ast_node *remembered(const struct ast_memo *memo, isl_ctx *ctx, const struct answer *question)
{
	for (int i = 0; i < REMEMBERED; i++) {
		const struct answer *answer = &memo->answers[i];
		if (answer->node && answer->hash == question->hash && are_same_names(answer->names, question->names) &&
			isl_set_plain_is_equal(answer->context, question->context) == isl_bool_true &&
			are_same_maps(answer->order, question->order))
			return isl_work_repeat(ctx, answer->operations) ? isl_ast_node_copy(answer->node) : NULL;
	}
	return NULL;
}

__isl_give isl_ast_node *ast_of_order_once(struct ast_memo *memo, __isl_take isl_set *context, __isl_take isl_id_list *names,
	__isl_take isl_union_map *order)
{
	if (!memo || !context || !order)
		return ast_of_order(context, names, order);
	isl_ctx *ctx = isl_set_get_ctx(context);
	struct answer question = { .hash = isl_set_get_hash(context) * 31 + isl_union_map_get_hash(order),
		.context = isl_set_copy(context), .names = isl_id_list_copy(names), .order = isl_union_map_get_map_list(order) };
	isl_ast_node *node = remembered(memo, ctx, &question);
	if (node) {
		isl_set_free(context);
		isl_id_list_free(names);
		isl_union_map_free(order);
		clear(&question);
		return node;
	}
	unsigned long begun = isl_operations(ctx);
	node = ast_of_order(context, names, order);
	question.operations = isl_operations(ctx) - begun;
	if (!node || isl_work_is_spent(ctx)) {
		clear(&question);
		return node;
	}
	question.node = isl_ast_node_copy(node);
	clear(&memo->answers[memo->next]);
	memo->answers[memo->next] = question;
	memo->next = (memo->next + 1) % REMEMBERED;
	return node;
}

/* Answers about nests, by nest, question and key. */

#include "passes/analysis/nest_memo.h"

#include <stdint.h>
#include <string.h>

#include "ir/isl_work.h"
#include "passes/analysis/nest.h"

struct answer {
	struct answer *next;
	struct nest_query query;
	const void *value;
	unsigned long operations;    /* of isl's, that it took */
};

struct answers {
	struct arena *arena;
	struct answer *first;
};

struct nest_memo {
	struct nest_memo *next;
	struct answers answers;
	isl_ctx *ctx;
	const struct function *function;
	const struct statement *first;
	int statement_count;
	const struct nest_memo *parent;  /* NULL: a whole nest */
	int outer_loops;
};

enum { BUCKETS = 256 };

struct admitted {
	struct admitted *next;
	const struct function *function;
};

struct nest_memos {
	struct arena *arena;
	struct admitted *admitted;
	struct nest_memo *memos[BUCKETS];    /* by first statement */
};

struct nest_memos *nest_memos_new(struct arena *arena)
{
	struct nest_memos *memos = ARENA_NEW(arena, struct nest_memos);
	memos->arena = arena;
	return memos;
}

void nest_memos_admit(struct nest_memos *memos, const struct function *function)
{
	struct admitted *admitted = memos ? ARENA_NEW(memos->arena, struct admitted) : NULL;
	if (!admitted)
		return;
	*admitted = (struct admitted){ memos->admitted, function };
	memos->admitted = admitted;
}

static bool is_admitted(const struct nest_memos *memos, const struct function *function)
{
	const struct admitted *admitted = memos->admitted;
	while (admitted && admitted->function != function)
		admitted = admitted->next;
	return admitted;
}

/* What is kept of FUNCTION's nests does not refer to what is gone. */
static bool may_keep(const struct compilation *compilation, const struct function *function)
{
	const struct nest_memos *memos = compilation->known.nests;
	return memos && (memos->arena == compilation->arena || is_admitted(memos, function));
}

void nest_memos_share(const struct compilation *compilation, const struct function *function)
{
	if (may_keep(compilation, function) && !is_admitted(compilation->known.nests, function))
		nest_memos_admit(compilation->known.nests, function);
}

struct nest_memo *nest_memo_of(const struct compilation *compilation, const struct nest *nest)
{
	struct nest_memos *memos = compilation->known.nests;
	const struct nest_memo *parent = nest->parent ? nest->parent->memo : NULL;
	if (!may_keep(compilation, nest->function) || (nest->parent && !parent))
		return NULL;
	struct nest_memo **bucket = &memos->memos[(uintptr_t)nest->statements[0] / 64 % BUCKETS];
	for (struct nest_memo *memo = *bucket; memo; memo = memo->next)
		if (memo->function == nest->function && memo->first == nest->statements[0]
			&& memo->statement_count == nest->statement_count
			&& memo->parent == parent && memo->outer_loops == nest->outer_loops)
			return memo;
	struct nest_memo *memo = ARENA_NEW(memos->arena, struct nest_memo);
	*memo = (struct nest_memo){ .next = *bucket, .answers.arena = memos->arena, .ctx = compilation->ctx,
		.function = nest->function, .first = nest->statements[0],
		.statement_count = nest->statement_count, .parent = parent,
		.outer_loops = nest->outer_loops };
	*bucket = memo;
	return memo;
}

struct compilation nest_lasting(const struct compilation *compilation, const struct nest *nest)
{
	struct compilation lasting = *compilation;
	if (nest->memo)
		lasting.arena = nest->memo->answers.arena;
	return lasting;
}

bool nest_memo_is_own(const struct compilation *compilation, const struct nest *nest)
{
	return nest->memo && nest->memo->answers.arena == compilation->arena;
}

static const struct answer *find(const struct answers *answers, struct nest_query query)
{
	const struct answer *answer = answers->first;
	while (answer && (answer->query.question != query.question || answer->query.size != query.size
		|| (query.size && memcmp(answer->query.key, query.key, query.size))))
		answer = answer->next;
	return answer;
}

static void *copy_of(struct arena *arena, const void *bytes, size_t size)
{
	void *copy = arena_alloc(arena, size + 1);
	if (size)
		memcpy(copy, bytes, size);
	return copy;
}

static void keep(struct answers *answers, struct nest_query query, const void *value, size_t size,
	unsigned long operations)
{
	struct answer *answer = ARENA_NEW(answers->arena, struct answer);
	query.key = copy_of(answers->arena, query.key, query.size);
	*answer = (struct answer){ .next = answers->first, .query = query,
		.value = copy_of(answers->arena, value, size), .operations = operations };
	answers->first = answer;
}

const void *nest_answer(const struct nest *nest, struct nest_query query)
{
	const struct answer *answer = nest->memo ? find(&nest->memo->answers, query) : NULL;
	return answer && isl_work_repeat(nest->memo->ctx, answer->operations) ? answer->value : NULL;
}

void nest_keep_answer(const struct nest *nest, struct nest_query query, const void *value,
	size_t size, unsigned long begun)
{
	struct nest_memo *memo = nest->memo;
	if (memo && !find(&memo->answers, query) && !isl_work_is_spent(memo->ctx))
		keep(&memo->answers, query, value, size, isl_operations(memo->ctx) - begun);
}

struct answers *answers_new(struct arena *arena)
{
	struct answers *answers = ARENA_NEW(arena, struct answers);
	answers->arena = arena;
	return answers;
}

const void *answers_find(const struct answers *answers, struct nest_query query)
{
	const struct answer *answer = answers ? find(answers, query) : NULL;
	return answer ? answer->value : NULL;
}

void answers_keep(struct answers *answers, struct nest_query query, const void *value, size_t size)
{
	if (answers)
		keep(answers, query, value, size, 0);
}

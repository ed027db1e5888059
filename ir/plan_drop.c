/* Plans without the transfers of arrays that turn out to stay on chip. */

#include "ir/plan.h"

static bool has_nothing(const struct plan_node *node)
{
	return node->body ? has_nothing(node->body) : node->kind == PLAN_BLOCK && !node->child_count;
}

static void drop_transfers(struct plan_node *node, const struct array *array)
{
	int kept = 0;
	if (node->body)
		drop_transfers(node->body, array);
	for (int i = 0; i < node->child_count; i++) {
		struct plan_node *child = node->children[i];
		if (child->kind == PLAN_TRANSFER && child->transfer.buffer->array == array)
			continue;
		drop_transfers(child, array);
		if (!has_nothing(child))
			node->children[kept++] = child;
	}
	node->child_count = kept;
}

static unsigned tags_of(const struct plan_node *node)
{
	unsigned tags = node->kind == PLAN_TRANSFER ? 1U << node->transfer.tag : 0;
	if (node->body)
		tags |= tags_of(node->body);
	for (int i = 0; i < node->child_count; i++)
		tags |= tags_of(node->children[i]);
	return tags;
}

/* Waits for no other tags than TAGS. */
static void drop_waits(struct plan_node *node, unsigned tags)
{
	int kept = 0;
	if (node->body)
		drop_waits(node->body, tags);
	for (int i = 0; i < node->child_count; i++) {
		struct plan_node *child = node->children[i];
		drop_waits(child, tags);
		child->tags &= tags;
		if (child->kind != PLAN_WAIT || child->tags)
			node->children[kept++] = child;
	}
	node->child_count = kept;
}

void plan_drop_transfers(struct plan_node *node, const struct array *array)
{
	drop_transfers(node, array);
	drop_waits(node, tags_of(node));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Focus, downwards: merges subtrees in pre-order, so every parent is placed before its children.
 * Each node of the tree is looked at once at most. */
#include "server/view/focus_callees.h"

#include "server/view/graft.h"

/* Lays the subtree at position `at` over the graft. `into` maps nodes of it to graft nodes. */
static enum status focus_callees_lay(const struct focus_target *target, uint32_t at, uint32_t *into,
                                     struct graft *graft, struct error *err)
{
    const struct tree *tree = target->tree;
    const uint32_t *nodes = target->order->nodes;
    uint32_t end = at + target->order->sizes[nodes[at]];

    into[nodes[at]] = CALLTREE_ROOT;
    enum status status = graft_add(graft, CALLTREE_ROOT, tree->self, nodes[at], err);
    for (uint32_t i = at + 1; i < end && status == STATUS_OK; i++) {
        uint32_t node = nodes[i];
        status =
            graft_child(graft, into[tree->parents[node]], tree->functions[node], err, &into[node]);
        if (status == STATUS_OK)
            status = graft_add(graft, into[node], tree->self, node, err);
    }
    return status;
}

enum status focus_callees(const struct focus_target *target, struct arena *arena, struct error *err,
                          struct tree *ret_tree)
{
    const struct preorder *order = target->order;
    uint32_t *into = arena_array(arena, target->tree->node_count, uint32_t);
    uint32_t capacity = 1;
    struct graft graft;

    if (into == NULL)
        return arena_exhausted(arena, err, "callees");
    for (uint32_t i = 0; i < target->count; i++)
        capacity += order->sizes[order->nodes[target->places[i]]] - 1;
    enum status status = graft_init(&graft, target->tree, capacity, arena, err);
    for (uint32_t i = 0; i < target->count && status == STATUS_OK; i++)
        status = focus_callees_lay(target, target->places[i], into, &graft, err);
    if (status != STATUS_OK)
        return status;
    struct tree tree = graft_tree(&graft, target->name, target->file);
    status = tree_sum(&tree, arena, err);
    if (status == STATUS_OK)
        *ret_tree = tree;
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Behind the function list: a tree's nodes to sums by function.
 *
 * In: a summed tree in pre-order; out: one row a function. One walk: a node counts towards its
 * function's total unless it stands inside the latest counted subtree of the same function, which
 * is a comparison of two positions. Sums are carried in 128 bits and checked once at the end. */
#include "server/view/function_sums.h"

enum status function_sums_entries(const struct tree *tree, uint32_t side, struct arena *arena,
                                  struct error *err, uint32_t **ret_entries)
{
    uint32_t *entries = arena_array(arena, tree->node_count, uint32_t);

    if (entries == NULL)
        return arena_exhausted(arena, err, "counts of stacks");
    for (uint32_t node = 0; node < tree->node_count; node++)
        entries[node] = tree->self[side][node] != 0;
    for (uint32_t node = tree->node_count - 1; node > 0; node--)
        entries[tree->parents[node]] += entries[node];
    *ret_entries = entries;
    return STATUS_OK;
}

struct function_walk {
    tree_wide *self, *total; /* [function] */
    uint32_t *stacks;        /* [function] */
    uint32_t *ends;          /* [function] end of its latest outermost subtree */
};

static void function_walk_run(const struct tree *tree, const struct preorder *order, uint32_t side,
                              const uint32_t *entries, struct function_walk *walk)
{
    for (uint32_t at = 1; at < order->count; at++) { /* the root is no function */
        uint32_t node = order->nodes[at];
        uint32_t function = tree->functions[node];
        walk->self[function] += tree->self[side][node];
        if (at < walk->ends[function])
            continue;
        walk->ends[function] = at + order->sizes[node];
        walk->total[function] += tree->total[side][node];
        walk->stacks[function] += entries[node];
    }
}

static bool function_sums_narrow(const tree_wide *wide, uint32_t count, int64_t *narrow)
{
    for (uint32_t i = 0; i < count; i++) {
        if (wide[i] > INT64_MAX || wide[i] < INT64_MIN)
            return false;
        narrow[i] = (int64_t)wide[i];
    }
    return true;
}

static enum status function_sums_of_side(const struct tree *tree, const struct preorder *order,
                                         uint32_t side, struct arena *arena, struct error *err,
                                         struct function_sums *sums)
{
    uint32_t count = tree->function_count;
    uint32_t *entries;
    struct function_walk walk = {
        .self = arena_array(arena, count, tree_wide),
        .total = arena_array(arena, count, tree_wide),
        .stacks = arena_array(arena, count, uint32_t),
        .ends = arena_array(arena, count, uint32_t),
    };

    sums->self[side] = arena_array(arena, count, int64_t);
    sums->total[side] = arena_array(arena, count, int64_t);
    if (walk.self == NULL || walk.total == NULL || walk.stacks == NULL || walk.ends == NULL ||
        sums->self[side] == NULL || sums->total[side] == NULL)
        return arena_exhausted(arena, err, "sums of functions");
    memset(walk.self, 0, count * sizeof(*walk.self));
    memset(walk.total, 0, count * sizeof(*walk.total));
    memset(walk.stacks, 0, count * sizeof(*walk.stacks));
    memset(walk.ends, 0, count * sizeof(*walk.ends));
    enum status status = function_sums_entries(tree, side, arena, err, &entries);
    if (status != STATUS_OK)
        return status;
    function_walk_run(tree, order, side, entries, &walk);
    if (!function_sums_narrow(walk.self, count, sums->self[side]) ||
        !function_sums_narrow(walk.total, count, sums->total[side]))
        return error_set(err, STATUS_VALUE_OVERFLOW, "the sum of a function leaves 64 bits");
    sums->stacks[side] = walk.stacks;
    return STATUS_OK;
}

enum status function_sums_of_tree(const struct tree *tree, const struct preorder *order,
                                  struct arena *arena, struct error *err,
                                  struct function_sums *ret_sums)
{
    struct function_sums sums = {0};

    for (uint32_t side = 0; side < tree->side_count; side++) {
        enum status status = function_sums_of_side(tree, order, side, arena, err, &sums);
        if (status != STATUS_OK)
            return status;
    }
    *ret_sums = sums;
    return STATUS_OK;
}

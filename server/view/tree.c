/* SPDX-License-Identifier: Apache-2.0 */
/* Behind the tally: self values to subtree totals and weights, one pass from the leaves up.
 *
 * In: parents and self columns; out: total and weight columns. The usual case, where no partial
 * sum can overflow, adds in int64; else sums are carried in 128 bits and checked at the end, so an
 * answer is refused only if one of its own numbers does not fit. Never recurses, never rounds. */
#include "server/view/tree.h"

struct tree tree_of_tally(const struct store_tally *tally)
{
    struct tree tree = {
        .calltree = tally->tree,
        .node_count = tally->node_count,
        .function_count = tally->function_count,
        .parents = calltree_parents(tally->tree),
        .functions = calltree_functions(tally->tree),
        .root_name = SLICE_LITERAL("all"),
        .root_file = SLICE_LITERAL(""),
        .side_count = tally->side_count,
    };

    for (uint32_t side = 0; side < tally->side_count; side++) {
        uint64_t profiles = tally->sides[side].profile_count;
        tree.profiles[side] = profiles == 0 ? 1 : profiles;
        tree.self[side] = tally->sides[side].self;
    }
    return tree;
}

static uint64_t tree_add_weight(uint64_t a, uint64_t b)
{
    uint64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static void tree_sum_weights(const struct tree *tree, const int64_t *self, uint64_t *weight)
{
    for (uint32_t node = 0; node < tree->node_count; node++)
        weight[node] = tree_magnitude(self[node]);
    for (uint32_t node = tree->node_count - 1; node > 0; node--) {
        if (weight[node] != 0) {
            uint64_t *above = &weight[tree->parents[node]];
            *above = tree_add_weight(*above, weight[node]);
        }
    }
}

static enum status tree_sum_wide(const struct tree *tree, const int64_t *self, struct arena *arena,
                                 struct error *err, int64_t *total)
{
    tree_wide *sums = arena_array(arena, tree->node_count, tree_wide);

    if (sums == NULL)
        return arena_exhausted(arena, err, "wide subtree sums");
    for (uint32_t node = 0; node < tree->node_count; node++)
        sums[node] = self[node];
    for (uint32_t node = tree->node_count; node-- > 0;) {
        if (sums[node] > INT64_MAX || sums[node] < INT64_MIN)
            return error_set_at(err, STATUS_VALUE_OVERFLOW, "total", node, ERROR_NONE,
                                "the total of node %u leaves 64 bits", node);
        total[node] = (int64_t)sums[node];
        if (node > 0)
            sums[tree->parents[node]] += sums[node];
    }
    return STATUS_OK;
}

static enum status tree_sum_totals(const struct tree *tree, const int64_t *self, uint64_t weight,
                                   struct arena *arena, struct error *err, int64_t *total)
{
    if (weight > INT64_MAX)
        return tree_sum_wide(tree, self, arena, err, total);
    /* No sum of any of the values exceeds the sum of all magnitudes: nothing to check. */
    memcpy(total, self, tree->node_count * sizeof(*total));
    for (uint32_t node = tree->node_count - 1; node > 0; node--)
        total[tree->parents[node]] += total[node];
    return STATUS_OK;
}

enum status tree_sum(struct tree *tree, struct arena *arena, struct error *err)
{
    for (uint32_t side = 0; side < tree->side_count; side++) {
        int64_t *total = arena_array(arena, tree->node_count, int64_t);
        uint64_t *weight = arena_array(arena, tree->node_count, uint64_t);
        if (total == NULL || weight == NULL)
            return arena_exhausted(arena, err, "subtree sums");
        tree_sum_weights(tree, tree->self[side], weight);
        enum status status = tree_sum_totals(tree, tree->self[side], weight[0], arena, err, total);
        if (status != STATUS_OK)
            return status;
        tree->total[side] = total;
        tree->weight[side] = weight;
    }
    return STATUS_OK;
}

uint64_t tree_threshold(struct query_fraction fraction, uint64_t whole)
{
    tree_key product = (tree_key)whole * fraction.numerator;
    tree_key threshold = product / fraction.denominator + (product % fraction.denominator != 0);

    return threshold == 0 ? 1 : (uint64_t)threshold;
}

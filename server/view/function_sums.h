/* SPDX-License-Identifier: Apache-2.0 */
/* What each function of a tree used up, over all the places where it occurs.
 *
 * self: the sum of `self` over its nodes. total: the sum over all stacks that contain it, each once
 * however often the function recurs in it. stacks: distinct stacks that contain it, where a stack
 * is a node with a value of its own. Columns are indexed by function and live in the arena. */
#ifndef BRAZIER_SERVER_VIEW_FUNCTION_SUMS_H
#define BRAZIER_SERVER_VIEW_FUNCTION_SUMS_H

#include "server/view/preorder.h"

struct function_sums {
    int64_t *self[2];    /* [side][function] */
    int64_t *total[2];   /* [side][function] */
    uint32_t *stacks[2]; /* [side][function]; 0 on all sides: not in the selection */
};

/* Sums a summed tree. STATUS_VALUE_OVERFLOW: a function's sum leaves int64; STATUS_TOO_LARGE. */
CHECKED enum status function_sums_of_tree(const struct tree *tree, const struct preorder *order,
                                          struct arena *arena, struct error *err,
                                          struct function_sums *ret_sums);

/* For every node of `tree`, the nodes with a value of their own in its subtree, on `side`. */
CHECKED enum status function_sums_entries(const struct tree *tree, uint32_t side,
                                          struct arena *arena, struct error *err,
                                          uint32_t **ret_entries);

#endif

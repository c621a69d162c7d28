/* SPDX-License-Identifier: Apache-2.0 */
/* The live nodes of a tree in pre-order, siblings by node number, with their subtree sizes.
 *
 * A node at position i has its subtree at positions [i, i + size): "inside" and "outermost" are
 * comparisons of two positions, and no walk needs a stack. */
#ifndef BRAZIER_SERVER_VIEW_PREORDER_H
#define BRAZIER_SERVER_VIEW_PREORDER_H

#include "server/view/tree.h"

struct preorder {
    uint32_t count;  /* live nodes, the root included even when nothing is live */
    uint32_t *nodes; /* [position] */
    uint32_t *sizes; /* [node], live nodes of its subtree; 0: not live */
};

/* Orders a summed tree. STATUS_TOO_LARGE: arena. */
CHECKED enum status preorder_of_tree(const struct tree *tree, struct arena *arena,
                                     struct error *err, struct preorder *ret_order);

#endif

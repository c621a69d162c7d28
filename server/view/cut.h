/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a tree that is worth sending: rows in pre-order, heaviest sibling first.
 *
 * A node is kept when its weight reaches `min_fraction` of its own side's root on at least one
 * side, and, if those are more than max_nodes, when it is among the heaviest (tree_key_of; ties
 * to the smaller node number). Weight never shrinks towards the root, so what is kept is a tree.
 * All that is dropped below a kept node becomes one rest row behind its kept children, whose self
 * and total are the exact sum: totals always equal self plus children. Rest rows come on top of
 * max_nodes, at most one for each kept node. A node without any entry below it is not part of the
 * tree and neither kept nor counted.
 *
 * Siblings come in order of tree_key_of, ties by name, then file, then node number; their rest
 * last. Rows live in the arena. */
#ifndef BRAZIER_SERVER_VIEW_CUT_H
#define BRAZIER_SERVER_VIEW_CUT_H

#include "server/view/tree.h"

/* `node` of a rest row. */
#define CUT_REST UINT32_MAX

struct cut_limits {
    struct query_fraction min_fraction; /* of the weight of `root`; 0: all that is live */
    uint32_t max_nodes;                 /* >= 1: the root is always kept */
    uint32_t root;                      /* the node that becomes row 0 */
};

struct cut {
    uint32_t row_count;
    uint32_t *nodes;          /* [row] node of the tree, or CUT_REST */
    int32_t *depths;          /* [row] 0 for row 0 */
    int64_t *self[2];         /* [side][row] */
    int64_t *total[2];        /* [side][row] */
    uint32_t dropped;         /* live nodes below `root` that the rest rows stand for */
    int64_t dropped_total[2]; /* sum of the totals of the rest rows */
};

/* Reads min_fraction (default 1/8000: below half a pixel of the widest screens) and max_nodes; the
 * root is node 0. STATUS_BAD_PARAMETER. */
CHECKED enum status cut_read_limits(const struct query *query, struct error *err,
                                    struct cut_limits *ret_limits);

/* Cuts a summed tree. STATUS_VALUE_OVERFLOW: a rest's sum leaves int64; STATUS_TOO_LARGE: arena. */
CHECKED enum status cut_tree(const struct tree *tree, struct cut_limits limits, struct arena *arena,
                             struct error *err, struct cut *ret_cut);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A call tree with one or two vectors of values over it, and what follows from them.
 *
 * Every view of stacks starts here: the tally's tree and sums go in, subtree totals and weights
 * come out. Columns are indexed by node; node 0 is the root, a parent's number is smaller than its
 * children's. Focus builds further trees of this kind, so nothing here knows the store.
 *
 * total: the exact signed sum of `self` over the subtree.
 * weight: the sum of |self| over the subtree, saturating at 2^64 - 1. It equals the total where
 *     nothing is negative, never shrinks towards the root, and is 0 exactly where the subtree has
 *     no entry at all; so it orders siblings and decides what is worth showing.
 *
 * Columns live in the arena that they were made in. */
#ifndef BRAZIER_SERVER_VIEW_TREE_H
#define BRAZIER_SERVER_VIEW_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/arena.h"
#include "proto/base/slice.h"
#include "server/view/query.h"
#include "storage/store.h"

/* The function of a node that stands for stacks nobody listed one by one (see focus_callers.h). */
#define TREE_REST UINT32_MAX

__extension__ typedef __int128 tree_wide;
__extension__ typedef unsigned __int128 tree_key;

struct tree {
    const struct calltree *calltree; /* holds the names of `functions` */
    uint32_t node_count;             /* >= 1 */
    uint32_t function_count;
    const uint32_t *parents;
    const uint32_t *functions;         /* [0] means nothing */
    struct slice root_name, root_file; /* what node 0 is called */
    uint32_t side_count;
    uint64_t profiles[2];   /* profiles behind each side, at least 1: what to divide by */
    const int64_t *self[2]; /* [side][node] */
    int64_t *total[2];      /* after tree_sum */
    uint64_t *weight[2];    /* after tree_sum */
};

/* The tree of a tally, its root called "all". Borrows the tally's columns. */
struct tree tree_of_tally(const struct store_tally *tally);

/* Computes totals and weights. STATUS_VALUE_OVERFLOW: a subtree's total leaves int64, which values
 * of both signs can do though the whole fits; STATUS_TOO_LARGE: arena. */
CHECKED enum status tree_sum(struct tree *tree, struct arena *arena, struct error *err);

/* Whether the subtree of `node` has an entry on any side. */
static inline bool tree_live(const struct tree *tree, uint32_t node)
{
    return tree->weight[0][node] != 0 || (tree->side_count == 2 && tree->weight[1][node] != 0);
}

/* |value|, of INT64_MIN too. */
static inline uint64_t tree_magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* What orders nodes: the larger of weight / profiles and base weight / base profiles, exactly, as
 * numerators over the common denominator. */
static inline tree_key tree_key_of(const struct tree *tree, uint32_t node)
{
    if (tree->side_count == 1)
        return tree->weight[0][node];
    tree_key now = (tree_key)tree->weight[0][node] * tree->profiles[1];
    tree_key base = (tree_key)tree->weight[1][node] * tree->profiles[0];
    return now > base ? now : base;
}

/* The smallest weight that reaches `fraction` of `whole`, and never 0: nothing reaches it when
 * `whole` is 0. */
uint64_t tree_threshold(struct query_fraction fraction, uint64_t whole);

/* Name and file of `node`. */
static inline struct slice tree_name(const struct tree *tree, uint32_t node)
{
    return node == CALLTREE_ROOT ? tree->root_name
                                 : calltree_name(tree->calltree, tree->functions[node]);
}

static inline struct slice tree_file(const struct tree *tree, uint32_t node)
{
    return node == CALLTREE_ROOT ? tree->root_file
                                 : calltree_file(tree->calltree, tree->functions[node]);
}

#endif

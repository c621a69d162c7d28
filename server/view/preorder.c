/* SPDX-License-Identifier: Apache-2.0 */
/* Between sums and the function views: node numbers to pre-order positions.
 *
 * In: parents and weights; out: a permutation of the live nodes. Sizes come from one pass up,
 * positions from one pass down; children are never collected into lists. */
#include "server/view/preorder.h"

enum status preorder_of_tree(const struct tree *tree, struct arena *arena, struct error *err,
                             struct preorder *ret_order)
{
    uint32_t count = tree->node_count;
    uint32_t *sizes = arena_array(arena, count, uint32_t);
    uint32_t *next = arena_array(arena, count, uint32_t); /* where a node's next child goes */

    if (sizes == NULL || next == NULL)
        return arena_exhausted(arena, err, "subtree sizes");
    memset(sizes, 0, count * sizeof(*sizes));
    for (uint32_t node = count - 1; node > 0; node--) {
        if (tree_live(tree, node)) {
            sizes[node]++;
            sizes[tree->parents[node]] += sizes[node];
        }
    }
    sizes[CALLTREE_ROOT]++;
    uint32_t *nodes = arena_array(arena, sizes[CALLTREE_ROOT], uint32_t);
    if (nodes == NULL)
        return arena_exhausted(arena, err, "the order of nodes");
    nodes[0] = CALLTREE_ROOT;
    next[CALLTREE_ROOT] = 1;
    for (uint32_t node = 1; node < count; node++) {
        if (sizes[node] == 0)
            continue;
        uint32_t *place = &next[tree->parents[node]];
        nodes[*place] = node;
        next[node] = *place + 1;
        *place += sizes[node];
    }
    *ret_order = (struct preorder){sizes[CALLTREE_ROOT], nodes, sizes};
    return STATUS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the cut: which nodes stay when there are more than fit.
 *
 * In: nodes and their keys; out: the heaviest ones. Looks at the keys byte by byte from the top
 * and keeps only the nodes that are still undecided, so sixteen passes are the worst case and no
 * choice of values makes it quadratic. Never compares names. */
#include "server/view/heaviest.h"

/* The key that the lightest of the chosen nodes has, and how many nodes with just this key fit. */
struct heaviest_edge {
    tree_key key;
    uint32_t ties;
};

static struct heaviest_edge heaviest_find_edge(const struct tree *tree, uint32_t *open,
                                               uint32_t count, uint32_t wanted)
{
    struct heaviest_edge edge = {.key = 0, .ties = wanted};

    for (int shift = 120; shift >= 0; shift -= 8) {
        uint32_t buckets[256] = {0};
        for (uint32_t i = 0; i < count; i++)
            buckets[(tree_key_of(tree, open[i]) >> shift) & 255]++;
        uint32_t bucket = 255;
        while (buckets[bucket] < edge.ties)
            edge.ties -= buckets[bucket--];
        edge.key |= (tree_key)bucket << shift;
        uint32_t left = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (((tree_key_of(tree, open[i]) >> shift) & 255) == bucket)
                open[left++] = open[i];
        }
        count = left;
    }
    return edge;
}

enum status heaviest_select(const struct tree *tree, uint32_t *nodes, uint32_t count,
                            uint32_t wanted, struct arena *arena, struct error *err)
{
    if (wanted == 0 || wanted >= count)
        return STATUS_OK;
    uint32_t *open = arena_array(arena, count, uint32_t);
    if (open == NULL)
        return arena_exhausted(arena, err, "the heaviest nodes");
    memcpy(open, nodes, count * sizeof(*open));
    struct heaviest_edge edge = heaviest_find_edge(tree, open, count, wanted);
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < count; i++) {
        tree_key key = tree_key_of(tree, nodes[i]);
        if (key < edge.key || (key == edge.key && edge.ties == 0))
            continue;
        if (key == edge.key)
            edge.ties--;
        nodes[chosen++] = nodes[i];
    }
    return STATUS_OK;
}

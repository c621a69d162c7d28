/* SPDX-License-Identifier: Apache-2.0 */
/* Inside focus: paths and values to a tree. Knows neither callers nor callees. */
#include "server/view/graft.h"

enum status graft_init(struct graft *graft, const struct tree *source, uint32_t capacity,
                       struct arena *arena, struct error *err)
{
    *graft = (struct graft){.source = source, .count = 1, .capacity = capacity};
    graft->parents = arena_array(arena, capacity, uint32_t);
    graft->functions = arena_array(arena, capacity, uint32_t);
    if (graft->parents == NULL || graft->functions == NULL)
        return arena_exhausted(arena, err, "focus nodes");
    for (uint32_t side = 0; side < source->side_count; side++) {
        graft->self[side] = arena_array(arena, capacity, int64_t);
        if (graft->self[side] == NULL)
            return arena_exhausted(arena, err, "focus values");
        graft->self[side][CALLTREE_ROOT] = 0;
    }
    graft->parents[CALLTREE_ROOT] = CALLTREE_ROOT;
    graft->functions[CALLTREE_ROOT] = 0;
    return map_init(&graft->children, arena, 0, err);
}

static uint64_t graft_key(uint32_t parent, uint32_t function)
{
    return (uint64_t)parent << 32 | function;
}

uint32_t graft_find(const struct graft *graft, uint32_t parent, uint32_t function)
{
    return map_find(&graft->children, graft_key(parent, function));
}

enum status graft_child(struct graft *graft, uint32_t parent, uint32_t function, struct error *err,
                        uint32_t *ret_node)
{
    uint32_t node;
    enum status status =
        map_add(&graft->children, graft_key(parent, function), graft->count, err, &node);

    if (status != STATUS_OK)
        return status;
    if (node == graft->count) {
        graft->parents[node] = parent;
        graft->functions[node] = function;
        for (uint32_t side = 0; side < graft->source->side_count; side++)
            graft->self[side][node] = 0;
        graft->count++;
    }
    *ret_node = node;
    return STATUS_OK;
}

enum status graft_add(struct graft *graft, uint32_t node, const int64_t *const columns[2],
                      uint32_t from, struct error *err)
{
    for (uint32_t side = 0; side < graft->source->side_count; side++) {
        int64_t *sum = &graft->self[side][node];
        if (__builtin_add_overflow(*sum, columns[side][from], sum))
            return error_set(err, STATUS_VALUE_OVERFLOW,
                             "a sum around the function leaves 64 bits");
    }
    return STATUS_OK;
}

struct tree graft_tree(const struct graft *graft, struct slice name, struct slice file)
{
    struct tree tree = *graft->source;

    tree.node_count = graft->count;
    tree.parents = graft->parents;
    tree.functions = graft->functions;
    tree.root_name = name;
    tree.root_file = file;
    for (uint32_t side = 0; side < tree.side_count; side++) {
        tree.self[side] = graft->self[side];
        tree.total[side] = NULL;
        tree.weight[side] = NULL;
    }
    return tree;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A new tree grown out of pieces of another: where equal paths meet, their values add up.
 *
 * Node 0 is the root; functions keep the numbers they have in the source tree, so names need no
 * copying. All memory is the arena's. */
#ifndef BRAZIER_SERVER_VIEW_GRAFT_H
#define BRAZIER_SERVER_VIEW_GRAFT_H

#include "proto/base/map.h"
#include "server/view/tree.h"

struct graft {
    const struct tree *source;
    struct map children; /* parent << 32 | function -> node */
    uint32_t count, capacity;
    uint32_t *parents, *functions;
    int64_t *self[2];
};

/* A root alone, with room for `capacity` nodes (>= 1). STATUS_TOO_LARGE: arena. */
CHECKED enum status graft_init(struct graft *graft, const struct tree *source, uint32_t capacity,
                               struct arena *arena, struct error *err);

/* The child of `parent` for `function`, or MAP_ABSENT. */
uint32_t graft_find(const struct graft *graft, uint32_t parent, uint32_t function);

/* As graft_find, and adds the child if it is new; the caller sees to the capacity.
 * STATUS_TOO_LARGE: arena. */
CHECKED enum status graft_child(struct graft *graft, uint32_t parent, uint32_t function,
                                struct error *err, uint32_t *ret_node);

/* Adds to `node` the values of source node `from` in `columns` (the source's self or total).
 * STATUS_VALUE_OVERFLOW. */
CHECKED enum status graft_add(struct graft *graft, uint32_t node, const int64_t *const columns[2],
                              uint32_t from, struct error *err);

/* The grown tree, not yet summed, its root called (name, file). Borrows the graft's columns. */
struct tree graft_tree(const struct graft *graft, struct slice name, struct slice file);

#endif

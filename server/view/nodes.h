/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of a tree: "nodes" as columns, and "truncated".
 *
 * Names must be known before the answer's tables are written, and the tables come first in the
 * answer, so writing has two steps: nodes_label for every tree of the answer, then the tables,
 * then nodes_write. */
#ifndef BRAZIER_SERVER_VIEW_NODES_H
#define BRAZIER_SERVER_VIEW_NODES_H

#include "server/view/cut.h"
#include "server/view/names.h"

struct nodes {
    const struct cut *cut;
    uint32_t side_count;
    int32_t *names; /* [row], -1: a rest row */
    int32_t *files; /* [row] */
};

/* Looks up or adds the names of all rows. `cut` is borrowed. STATUS_TOO_LARGE: arena. */
CHECKED enum status nodes_label(const struct tree *tree, const struct cut *cut,
                                struct symbols *symbols, struct arena *arena, struct error *err,
                                struct nodes *ret_nodes);

/* Writes the members "nodes" and "truncated" into the open object. */
void nodes_write(struct json *json, const struct nodes *nodes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a node in a URL: 16 hex digits, two FNV-1a 32-bit states (bases 811c9dc5 and
 * 9747b28c) fed with name NUL file NUL of every frame from the root's child down to the node, and
 * written one after the other. The page computes the same from the names it got. */
#ifndef BRAZIER_SERVER_VIEW_PATH_H
#define BRAZIER_SERVER_VIEW_PATH_H

#include "server/view/tree.h"

struct path {
    uint32_t first, second;
};

/* The root's own: no frame yet. */
struct path path_root(void);

/* The path of a child whose frame is (name, file). */
struct path path_extend(struct path parent, struct slice name, struct slice file);

/* Reads 16 hex digits. STATUS_BAD_PARAMETER, naming `parameter` (static text). */
CHECKED enum status path_read(struct slice text, const char *parameter, struct error *err,
                              struct path *ret_path);

/* The live node of a summed tree that has this path; the smallest number if several do, which
 * takes a collision. STATUS_NOT_FOUND; STATUS_TOO_LARGE: LIMIT_PATH_BYTES, arena. */
CHECKED enum status path_find(const struct tree *tree, struct path path, struct arena *arena,
                              struct error *err, uint32_t *ret_node);

#endif

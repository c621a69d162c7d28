/* SPDX-License-Identifier: Apache-2.0 */
/* The function that a focus is about: where it occurs, and what it used up.
 *
 * A name without a file means all functions of that name as one. An occurrence is outermost when
 * no occurrence is above it; counting only these counts each stack once. */
#ifndef BRAZIER_SERVER_VIEW_FOCUS_TARGET_H
#define BRAZIER_SERVER_VIEW_FOCUS_TARGET_H

#include "server/view/preorder.h"

struct focus_target {
    const struct tree *tree;
    const struct preorder *order;
    struct slice name, file; /* file: "" when functions of several files are meant */
    uint32_t *places;        /* [count] positions of the outermost occurrences, ascending */
    uint32_t count;
    int64_t self[2];    /* of all occurrences */
    int64_t total[2];   /* of the outermost ones */
    uint64_t stacks[2]; /* distinct stacks that contain it */
};

/* Finds the function `name`, of `file` unless that is NULL, in a summed tree.
 * STATUS_NOT_FOUND: it occurs on no side; STATUS_VALUE_OVERFLOW; STATUS_TOO_LARGE: arena. */
CHECKED enum status focus_target_find(const struct tree *tree, const struct preorder *order,
                                      struct slice name, const struct slice *file,
                                      struct arena *arena, struct error *err,
                                      struct focus_target *ret_target);

#endif

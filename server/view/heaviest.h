/* SPDX-License-Identifier: Apache-2.0 */
/* The k heaviest of n nodes in O(n), whatever the input: radix selection on their exact keys. */
#ifndef BRAZIER_SERVER_VIEW_HEAVIEST_H
#define BRAZIER_SERVER_VIEW_HEAVIEST_H

#include "server/view/tree.h"

/* Moves to the front of `nodes` (ascending node numbers) the `wanted` heaviest by tree_key_of, ties
 * to the smaller number, and leaves these in ascending order. `wanted` <= `count`.
 * STATUS_TOO_LARGE: arena. */
CHECKED enum status heaviest_select(const struct tree *tree, uint32_t *nodes, uint32_t count,
                                    uint32_t wanted, struct arena *arena, struct error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls a function: the paths from its outermost occurrences up to the root, merged.
 *
 *     main -> a -> F   3                F 5
 *     main -> b -> F   2     becomes      a 3 -> main 3 (self 3)
 *                                         b 2 -> main 2 (self 2)
 *
 * An inverted tree can be far larger than the tree (nodes x depth), so it grows level by level,
 * away from the function, and only where the cut would keep it: a caller below min_fraction stays
 * a leaf. LIMIT_FOCUS_NODES and LIMIT_FOCUS_STEPS bound what is left; callers beyond them are one
 * TREE_REST child of where they would begin. Every number is exact all the same. */
#ifndef BRAZIER_SERVER_VIEW_FOCUS_CALLERS_H
#define BRAZIER_SERVER_VIEW_FOCUS_CALLERS_H

#include "server/view/focus_target.h"

/* A summed tree whose root is the function and whose root total is the target's total. A node's
 * self is what has no further caller. To be cut by `min_fraction` or more.
 * STATUS_VALUE_OVERFLOW; STATUS_TOO_LARGE: arena. */
CHECKED enum status focus_callers(const struct focus_target *target,
                                  struct query_fraction min_fraction, struct arena *arena,
                                  struct error *err, struct tree *ret_tree);

#endif

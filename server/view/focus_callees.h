/* SPDX-License-Identifier: Apache-2.0 */
/* What a function calls: the subtrees of its outermost occurrences laid over each other. */
#ifndef BRAZIER_SERVER_VIEW_FOCUS_CALLEES_H
#define BRAZIER_SERVER_VIEW_FOCUS_CALLEES_H

#include "server/view/focus_target.h"

/* A summed tree whose root is the function and whose root total is the target's total.
 * STATUS_VALUE_OVERFLOW; STATUS_TOO_LARGE: arena. */
CHECKED enum status focus_callees(const struct focus_target *target, struct arena *arena,
                                  struct error *err, struct tree *ret_tree);

#endif

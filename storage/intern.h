/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks to nodes: the one moment at which a profile meets its call tree.
 *
 * What a frame is called is decided here, for good: names and files as valid UTF-8 (utf8_clean),
 * files without "/proc/self/cwd/" and "./" in front; a location without lines, and a function
 * without a name, is "[binary]" after its mapping's file, or "[unknown]". */
#ifndef BRAZIER_STORAGE_INTERN_H
#define BRAZIER_STORAGE_INTERN_H

#include "proto/base/arena.h"
#include "proto/profile.h"
#include "storage/calltree.h"

/* The function of a location that has neither lines nor a mapping with a file. */
#define INTERN_UNKNOWN "[unknown]"

/* Adds every stack of `profile` to `tree`, whose only interning thread the caller must be.
 * `ret_nodes[i]`, with room for sample_count, is the node of sample i: its leaf frame, or the root
 * for a sample without locations. On failure some nodes may have been added; they do no harm.
 * STATUS_TOO_LARGE: a name over LIMIT_NAME_BYTES, or the arena; STATUS_UNAVAILABLE: no memory. */
CHECKED enum status intern_stacks(struct calltree *tree, const struct profile *profile,
                                  struct arena *arena, struct error *err, uint32_t *ret_nodes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of a profile as sorted sums per node: what a vector is encoded from.
 *
 * Samples that end at the same node are added up, per tagset; entries whose values are all zero are
 * dropped. Results live in the arena. */
#ifndef BRAZIER_STORAGE_ENTRIES_H
#define BRAZIER_STORAGE_ENTRIES_H

#include "proto/base/arena.h"
#include "proto/profile.h"

struct entries {
    uint32_t tagset; /* as given for its samples */
    uint32_t entry_count;
    const uint32_t *nodes;        /* ascending, without repeats */
    const int64_t *const *values; /* [type][entry] */
};

/* One `struct entries` per tagset that has samples, by tagset; a profile without samples gives one
 * empty one of tagset 0, so that it can be counted. `nodes[i]` is the node of sample i and
 * `sample_tagset[i]` its tagset, below `tagset_count` (NULL: all 0).
 * STATUS_VALUE_OVERFLOW: the sum at a node leaves int64; STATUS_TOO_LARGE: arena. */
CHECKED enum status entries_collect(const struct profile *profile, const uint32_t *nodes,
                                    const uint32_t *sample_tagset, uint32_t tagset_count,
                                    struct arena *arena, struct error *err,
                                    struct entries **ret_entries, uint32_t *ret_count);

#endif

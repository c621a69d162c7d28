/* SPDX-License-Identifier: Apache-2.0 */
/* From the ids that a profile's elements refer to each other by, to column indices.
 *
 * Writers number from 1, or sparsely, or use hashes up to 2^64 - 1. The index takes the cheapest of
 * three forms that fits, and never uses an id as an array index that it has not checked. Tables
 * live in the arena given to ids_init. */
#ifndef BRAZIER_PROTO_IDS_H
#define BRAZIER_PROTO_IDS_H

#include "proto/base/map.h"

/* What ids_find gives for an id that no element has; equal to PROFILE_NONE. */
#define IDS_ABSENT MAP_ABSENT

struct ids {
    uint32_t sequential; /* n: element i of n has id i + 1, as Go writes; no table. 0: not so */
    uint32_t *dense;     /* [dense_size], IDS_ABSENT where no id is; NULL: in the map */
    uint64_t dense_size;
    struct map map;
};

/* Indexes the ids of `count` elements; `name` ("location") is for messages.
 * STATUS_ZERO_ID, DUP_ID, TOO_LARGE (arena). */
CHECKED enum status ids_init(struct ids *ids, const char *name, const uint64_t *id, uint32_t count,
                             struct arena *arena, struct error *err);

/* The index of the element with this id, or IDS_ABSENT. */
static inline uint32_t ids_find(const struct ids *ids, uint64_t id)
{
    if (id - 1 < ids->sequential)
        return (uint32_t)(id - 1);
    if (ids->dense)
        return id < ids->dense_size ? ids->dense[id] : IDS_ABSENT;
    return ids->map.keys ? map_find(&ids->map, id) : IDS_ABSENT;
}

#endif

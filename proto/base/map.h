/* SPDX-License-Identifier: Apache-2.0 */
/* Map from 64-bit keys to 32-bit values in arena memory: the ids of a profile to column indices.
 *
 * Open addressing, linear probing, seeded hash: keys are hostile. Entries cannot be removed. The
 * arena owns the tables; a map that grows leaves its old table there, at most once its final size
 * in all. Not thread-safe. */
#ifndef BRAZIER_PROTO_BASE_MAP_H
#define BRAZIER_PROTO_BASE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/arena.h"

/* What map_find gives for an absent key; never a legal value. */
#define MAP_ABSENT UINT32_MAX

struct map {
    struct arena *arena;
    uint64_t *keys;
    uint32_t *values; /* MAP_ABSENT marks a free slot */
    uint32_t mask;    /* slots - 1, slots a power of two */
    uint32_t count;
    uint64_t seed;
};

/* An empty map with room for `expected` entries without growing. */
CHECKED enum status map_init(struct map *map, struct arena *arena, uint32_t expected,
                             struct error *err);

/* The value of `key`, or MAP_ABSENT. */
uint32_t map_find(const struct map *map, uint64_t key);

/* Adds key -> value unless the key is there. `ret_value` is the value it has now: `value` when it
 * was added, the older one otherwise. */
CHECKED enum status map_add(struct map *map, uint64_t key, uint32_t value, struct error *err,
                            uint32_t *ret_value);

#endif

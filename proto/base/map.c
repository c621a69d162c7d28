/* SPDX-License-Identifier: Apache-2.0 */
/* The id map: open addressing with linear probing, at most half full. */
#include "proto/base/map.h"

#include <string.h>

#include "proto/base/hash.h"

#define MAP_FIRST_SLOTS 16u

/* The largest table: 2^31 slots, so that `slots * 2` stays within uint32_t arithmetic. */
#define MAP_MAX_SLOTS (UINT32_C(1) << 31)

static enum status map_allocate(struct map *map, uint32_t slots, struct error *err)
{
    uint64_t *keys = arena_array(map->arena, slots, uint64_t);
    uint32_t *values = arena_array(map->arena, slots, uint32_t);

    if (keys == NULL || values == NULL)
        return arena_exhausted(map->arena, err, "id map");
    memset(values, 0xff, slots * sizeof(*values)); /* every slot MAP_ABSENT */
    map->keys = keys;
    map->values = values;
    map->mask = slots - 1;
    return STATUS_OK;
}

enum status map_init(struct map *map, struct arena *arena, uint32_t expected, struct error *err)
{
    uint32_t slots = MAP_FIRST_SLOTS;

    while (slots / 2 < expected && slots < MAP_MAX_SLOTS)
        slots *= 2;
    *map = (struct map){.arena = arena, .seed = hash_seed()};
    return map_allocate(map, slots, err);
}

/* The slot that holds `key`, or the free one where it belongs. */
static uint32_t map_slot(const struct map *map, uint64_t key)
{
    uint32_t slot = (uint32_t)hash_u64(key, map->seed) & map->mask;

    while (map->values[slot] != MAP_ABSENT && map->keys[slot] != key)
        slot = (slot + 1) & map->mask;
    return slot;
}

uint32_t map_find(const struct map *map, uint64_t key)
{
    return map->values[map_slot(map, key)];
}

static enum status map_grow(struct map *map, struct error *err)
{
    const struct map old = *map;
    enum status status;

    if (old.mask + 1 >= MAP_MAX_SLOTS)
        return arena_exhausted(map->arena, err, "id map");
    status = map_allocate(map, (old.mask + 1) * 2, err);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i <= old.mask; i++) {
        if (old.values[i] == MAP_ABSENT)
            continue;
        uint32_t slot = map_slot(map, old.keys[i]);
        map->keys[slot] = old.keys[i];
        map->values[slot] = old.values[i];
    }
    return STATUS_OK;
}

enum status map_add(struct map *map, uint64_t key, uint32_t value, struct error *err,
                    uint32_t *ret_value)
{
    uint32_t slot = map_slot(map, key);

    if (map->values[slot] != MAP_ABSENT) {
        *ret_value = map->values[slot];
        return STATUS_OK;
    }
    if (map->count > map->mask / 2) { /* half of the slots are taken */
        enum status status = map_grow(map, err);
        if (status != STATUS_OK)
            return status;
        slot = map_slot(map, key);
    }
    map->keys[slot] = key;
    map->values[slot] = value;
    map->count++;
    *ret_value = value;
    return STATUS_OK;
}

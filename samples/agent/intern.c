/* SPDX-License-Identifier: Apache-2.0 */
/* The string table while a profile is built. In: names from symbols and settings. Out: indices. */
#include "samples/agent/intern.h"

#include "proto/base/hash.h"

#define FIRST_STRINGS 512u

static uint32_t *find_slot(const struct intern *intern, struct slice text)
{
    uint32_t mask = 2 * intern->capacity - 1;
    uint32_t at = (uint32_t)hash_bytes(text, intern->seed) & mask;

    while (intern->slots[at] != 0 && !slice_equal(intern->strings[intern->slots[at] - 1], text))
        at = (at + 1) & mask;
    return &intern->slots[at];
}

static enum status grow(struct intern *intern, struct error *err)
{
    uint32_t capacity = intern->capacity ? 2 * intern->capacity : FIRST_STRINGS;
    struct slice *strings = arena_array(intern->arena, capacity, struct slice);
    uint32_t *slots = arena_array(intern->arena, 2 * (size_t)capacity, uint32_t);

    if (!strings || !slots)
        return arena_exhausted(intern->arena, err, "strings of the profile");
    memset(slots, 0, 2 * (size_t)capacity * sizeof(*slots));
    if (intern->count > 0)
        memcpy(strings, intern->strings, intern->count * sizeof(*strings));
    intern->strings = strings;
    intern->slots = slots;
    intern->capacity = capacity;
    for (uint32_t i = 0; i < intern->count; i++)
        *find_slot(intern, strings[i]) = i + 1;
    return STATUS_OK;
}

enum status intern_text(struct intern *intern, const char *text, struct error *err,
                        uint32_t *ret_index)
{
    struct slice slice = slice_of(text);
    uint32_t *slot = find_slot(intern, slice);

    if (*slot == 0 && intern->count == intern->capacity) {
        enum status status = grow(intern, err);
        if (status != STATUS_OK)
            return status;
        slot = find_slot(intern, slice);
    }
    if (*slot == 0) {
        intern->strings[intern->count++] = slice;
        *slot = intern->count;
    }
    *ret_index = *slot - 1;
    return STATUS_OK;
}

enum status intern_init(struct intern *intern, struct arena *arena, struct error *err)
{
    uint32_t empty = 0;

    *intern = (struct intern){.arena = arena, .seed = hash_seed()};
    enum status status = grow(intern, err);
    if (status == STATUS_OK)
        status = intern_text(intern, "", err, &empty);
    return status;
}

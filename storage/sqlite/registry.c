/* SPDX-License-Identifier: Apache-2.0 */
/* The in-memory lists of names. Input: text of uploads, or rows at start; output: numbers.
 *
 * Entries lie in a region that never moves, so that readers by number need no lock; finding by text
 * and adding take the registry's own. What of it is on disk is the writer's business. */
#include "storage/sqlite/registry.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "proto/base/hash.h"
#include "proto/base/limits.h"
#include "storage/region.h"
#include "storage/text_store.h"

#define SLOTS_AT_FIRST 64u
#define REGION_BYTES   (LIMIT_REGISTRY_ENTRIES * sizeof(struct registry_entry))

struct registry {
    const char *what;
    pthread_mutex_t lock;
    struct registry_entry *entries; /* region */
    _Atomic uint32_t count;
    struct text_store texts;
    uint32_t *slots; /* number + 1; 0: free */
    uint32_t mask;
    uint64_t seed;
};

enum status registry_new(const char *what, struct error *err, struct registry **ret_registry)
{
    CLEANUP(registry_cleanup) struct registry *registry = calloc(1, sizeof(*registry));

    if (registry == NULL)
        return error_no_memory(err, what);
    (void)pthread_mutex_init(&registry->lock, NULL);
    registry->what = what;
    registry->seed = hash_seed();
    registry->mask = SLOTS_AT_FIRST - 1;
    registry->entries = region_reserve(REGION_BYTES);
    registry->slots = calloc(SLOTS_AT_FIRST, sizeof(*registry->slots));
    if (registry->entries == NULL || registry->slots == NULL)
        return error_no_memory(err, what);
    *ret_registry = registry;
    registry = NULL;
    return STATUS_OK;
}

void registry_free(struct registry *registry)
{
    region_release(registry->entries, REGION_BYTES);
    text_store_free(&registry->texts);
    free(registry->slots);
    (void)pthread_mutex_destroy(&registry->lock);
    free(registry);
}

/* The slot that holds (parent, text), or the free one where it belongs. */
static uint32_t *find_slot(const struct registry *registry, uint32_t parent, struct slice text)
{
    uint64_t hash = hash_bytes(text, hash_u64(parent, registry->seed));

    for (uint32_t at = (uint32_t)hash & registry->mask;; at = (at + 1) & registry->mask) {
        uint32_t *slot = &registry->slots[at];
        const struct registry_entry *entry;

        if (*slot == 0)
            return slot;
        entry = &registry->entries[*slot - 1];
        if (entry->parent == parent && slice_equal(entry->text, text))
            return slot;
    }
}

/* Doubles the hash table when it is half full. False: no memory. */
static bool ready_slots(struct registry *registry)
{
    uint32_t count = atomic_load_explicit(&registry->count, memory_order_relaxed);
    uint32_t *slots;

    if (count < (registry->mask + 1) / 2)
        return true;
    slots = calloc((size_t)(registry->mask + 1) * 2, sizeof(*slots));
    if (slots == NULL)
        return false;
    free(registry->slots);
    registry->slots = slots;
    registry->mask = registry->mask * 2 + 1;
    for (uint32_t i = 0; i < count; i++)
        *find_slot(registry, registry->entries[i].parent, registry->entries[i].text) = i + 1;
    return true;
}

uint32_t registry_find(struct registry *registry, uint32_t parent, struct slice text)
{
    uint32_t number_plus;

    (void)pthread_mutex_lock(&registry->lock);
    number_plus = *find_slot(registry, parent, text);
    (void)pthread_mutex_unlock(&registry->lock);
    return number_plus == 0 ? REGISTRY_ABSENT : number_plus - 1;
}

static enum status add_locked(struct registry *registry, uint32_t parent, struct slice text,
                              struct slice detail, struct error *err, uint32_t *ret_number)
{
    uint32_t count = atomic_load_explicit(&registry->count, memory_order_relaxed);
    uint32_t *slot = find_slot(registry, parent, text);
    const char *copy;

    if (*slot != 0) {
        *ret_number = *slot - 1;
        return STATUS_OK;
    }
    if (count >= LIMIT_REGISTRY_ENTRIES ||
        registry->texts.text_bytes + text.size_bytes + detail.size_bytes > LIMIT_REGISTRY_BYTES)
        return error_set_at(
            err, STATUS_RATE_LIMITED, registry->what, ERROR_NONE, (int64_t)LIMIT_REGISTRY_ENTRIES,
            "the store is full of %s: %u entries (limit %u), %zu bytes (limit %zu)", registry->what,
            count, LIMIT_REGISTRY_ENTRIES, registry->texts.text_bytes, LIMIT_REGISTRY_BYTES);
    copy = text_store_join(&registry->texts, text, detail);
    if (copy == NULL || !ready_slots(registry))
        return error_no_memory(err, registry->what);
    registry->entries[count] =
        (struct registry_entry){.parent = parent,
                                .text = slice_make(copy, text.size_bytes),
                                .detail = slice_make(copy + text.size_bytes, detail.size_bytes)};
    *find_slot(registry, parent, text) = count + 1;
    atomic_store_explicit(&registry->count, count + 1, memory_order_release);
    *ret_number = count;
    return STATUS_OK;
}

enum status registry_add(struct registry *registry, uint32_t parent, struct slice text,
                         struct slice detail, struct error *err, uint32_t *ret_number)
{
    enum status status;

    (void)pthread_mutex_lock(&registry->lock);
    status = add_locked(registry, parent, text, detail, err, ret_number);
    (void)pthread_mutex_unlock(&registry->lock);
    return status;
}

uint32_t registry_count(const struct registry *registry)
{
    return atomic_load_explicit(&registry->count, memory_order_acquire);
}

struct registry_entry registry_get(const struct registry *registry, uint32_t number)
{
    return registry->entries[number];
}

uint32_t registry_next(const struct registry *registry, uint32_t parent, uint32_t from)
{
    uint32_t count = registry_count(registry);

    for (uint32_t number = from; number < count; number++)
        if (registry->entries[number].parent == parent)
            return number;
    return REGISTRY_ABSENT;
}

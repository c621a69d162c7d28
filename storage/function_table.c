/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a call tree. Input: cleaned names from interning or from disk; output: numbers.
 *
 * Entries lie in a region that never moves; their text in chunks that never move either. The hash
 * table is for adding only, is seeded (names come from strangers), and is built at the first
 * lookup, so that a tree loaded just to be read never pays for it. Never removes anything. */
#include "storage/function_table.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "proto/base/cleanup.h"
#include "proto/base/hash.h"
#include "proto/base/limits.h"
#include "storage/region.h"
#include "storage/text_store.h"

#define SLOTS_AT_FIRST 256u

struct entry {
    const char *text; /* the name's bytes, then the file's */
    uint32_t name_bytes;
    uint32_t file_bytes;
};

struct slot {
    uint32_t tag;         /* high half of the hash: most mismatches end here */
    uint32_t number_plus; /* function + 1; 0: free */
};

struct function_table {
    uint32_t max_functions;
    struct slice full_name;
    struct entry *entries; /* region */
    _Atomic uint32_t count;
    _Atomic uint64_t memory_bytes;
    struct text_store texts;
    struct slot *slots; /* NULL: not built */
    uint32_t mask;
    uint64_t seed;
};

static size_t region_bytes(uint32_t max_functions)
{
    return ((size_t)max_functions + FUNCTION_TABLE_RESERVED) * sizeof(struct entry);
}

CLEANUP_DEFINE(table_cleanup, struct function_table *, function_table_free)

enum status function_table_new(uint32_t max_functions, struct slice full_name, struct error *err,
                               struct function_table **ret_table)
{
    CLEANUP(table_cleanup) struct function_table *table = calloc(1, sizeof(*table));

    if (table == NULL)
        return error_no_memory(err, "function table");
    table->max_functions = max_functions;
    table->full_name = full_name;
    table->seed = hash_seed();
    table->entries = region_reserve(region_bytes(max_functions));
    if (table->entries == NULL)
        return error_no_memory(err, "function table");
    *ret_table = table;
    table = NULL;
    return STATUS_OK;
}

void function_table_free(struct function_table *table)
{
    text_store_free(&table->texts);
    region_release(table->entries, region_bytes(table->max_functions));
    free(table->slots);
    free(table);
}

static void count_memory(struct function_table *table, size_t size_bytes)
{
    atomic_fetch_add_explicit(&table->memory_bytes, size_bytes, memory_order_relaxed);
}

static uint64_t entry_hash(const struct function_table *table, struct slice name, struct slice file)
{
    return hash_bytes(file, hash_bytes(name, table->seed));
}

/* The slot that holds (name, file), or the free one where it belongs. */
static struct slot *find_slot(const struct function_table *table, struct slice name,
                              struct slice file, uint64_t hash)
{
    for (uint32_t at = (uint32_t)hash & table->mask;; at = (at + 1) & table->mask) {
        struct slot *slot = &table->slots[at];

        if (slot->number_plus == 0)
            return slot;
        if (slot->tag == (uint32_t)(hash >> 32) &&
            slice_equal(function_table_name(table, slot->number_plus - 1), name) &&
            slice_equal(function_table_file(table, slot->number_plus - 1), file))
            return slot;
    }
}

/* Replaces the hash table by one of `slot_count` slots with all functions in it. */
static enum status build_slots(struct function_table *table, uint32_t slot_count, struct error *err)
{
    struct slot *slots = calloc(slot_count, sizeof(*slots));
    uint32_t count = atomic_load_explicit(&table->count, memory_order_relaxed);

    if (slots == NULL)
        return error_no_memory(err, "function table");
    count_memory(table, slot_count * sizeof(*slots));
    if (table->slots != NULL)
        atomic_fetch_sub_explicit(&table->memory_bytes, (table->mask + 1) * sizeof(*slots),
                                  memory_order_relaxed);
    free(table->slots);
    table->slots = slots;
    table->mask = slot_count - 1;
    for (uint32_t i = 0; i < count; i++) {
        struct slice name = function_table_name(table, i);
        struct slice file = function_table_file(table, i);
        uint64_t hash = entry_hash(table, name, file);

        *find_slot(table, name, file, hash) =
            (struct slot){.tag = (uint32_t)(hash >> 32), .number_plus = i + 1};
    }
    return STATUS_OK;
}

/* Keeps the hash table at most half full, counting the entry about to come. */
static enum status ready_slots(struct function_table *table, struct error *err)
{
    uint32_t count = atomic_load_explicit(&table->count, memory_order_relaxed);
    uint32_t slot_count = table->slots == NULL ? SLOTS_AT_FIRST : table->mask + 1;

    if (table->slots != NULL && count < slot_count / 2)
        return STATUS_OK;
    while (count >= slot_count / 2)
        slot_count *= 2;
    return build_slots(table, slot_count, err);
}

enum status function_table_append(struct function_table *table, struct slice name,
                                  struct slice file, struct error *err)
{
    uint32_t count = atomic_load_explicit(&table->count, memory_order_relaxed);
    size_t before_bytes = table->texts.memory_bytes;
    const char *text;

    if (count >= table->max_functions + FUNCTION_TABLE_RESERVED)
        return error_set(err, STATUS_INTERNAL, "call tree has over %u functions", count);
    if (name.size_bytes > LIMIT_NAME_BYTES || file.size_bytes > LIMIT_NAME_BYTES)
        return error_set(err, STATUS_INTERNAL, "call tree function %u: name too long", count);
    text = text_store_join(&table->texts, name, file);
    if (text == NULL)
        return error_no_memory(err, "function names");
    count_memory(table, sizeof(struct entry) + table->texts.memory_bytes - before_bytes);
    table->entries[count] = (struct entry){.text = text,
                                           .name_bytes = (uint32_t)name.size_bytes,
                                           .file_bytes = (uint32_t)file.size_bytes};
    atomic_store_explicit(&table->count, count + 1, memory_order_release);
    return STATUS_OK;
}

enum status function_table_find(struct function_table *table, struct slice name, struct slice file,
                                struct error *err, bool *ret_found, uint32_t *ret_function)
{
    enum status status = ready_slots(table, err);
    const struct slot *slot;

    if (status != STATUS_OK)
        return status;
    slot = find_slot(table, name, file, entry_hash(table, name, file));
    *ret_found = slot->number_plus != 0;
    if (*ret_found)
        *ret_function = slot->number_plus - 1;
    return STATUS_OK;
}

static bool is_full(const struct function_table *table, struct slice name, struct slice file)
{
    return atomic_load_explicit(&table->count, memory_order_relaxed) >= table->max_functions ||
           table->texts.text_bytes + name.size_bytes + file.size_bytes > LIMIT_CALLTREE_NAME_BYTES;
}

/* Finds or appends (name, file). `*ret_function` is UINT32_MAX when it is new, the table is full
 * and `reserved` does not allow more. */
static enum status add_entry(struct function_table *table, struct slice name, struct slice file,
                             bool reserved, struct error *err, uint32_t *ret_function)
{
    uint64_t hash = entry_hash(table, name, file);
    uint32_t count = atomic_load_explicit(&table->count, memory_order_relaxed);
    enum status status = ready_slots(table, err);
    struct slot *slot;

    if (status != STATUS_OK)
        return status;
    slot = find_slot(table, name, file, hash);
    if (slot->number_plus != 0) {
        *ret_function = slot->number_plus - 1;
        return STATUS_OK;
    }
    if (!reserved && is_full(table, name, file)) {
        *ret_function = UINT32_MAX;
        return STATUS_OK;
    }
    status = function_table_append(table, name, file, err);
    if (status != STATUS_OK)
        return status;
    *slot = (struct slot){.tag = (uint32_t)(hash >> 32), .number_plus = count + 1};
    *ret_function = count;
    return STATUS_OK;
}

enum status function_table_add(struct function_table *table, struct slice name, struct slice file,
                               struct error *err, uint32_t *ret_function)
{
    uint32_t function = 0;
    enum status status = add_entry(table, name, file, false, err, &function);

    if (status == STATUS_OK && function == UINT32_MAX)
        status = function_table_add_reserved(table, table->full_name, err, &function);
    if (status == STATUS_OK)
        *ret_function = function;
    return status;
}

enum status function_table_add_reserved(struct function_table *table, struct slice name,
                                        struct error *err, uint32_t *ret_function)
{
    return add_entry(table, name, SLICE_LITERAL(""), true, err, ret_function);
}

uint32_t function_table_count(const struct function_table *table)
{
    return atomic_load_explicit(&table->count, memory_order_acquire);
}

uint64_t function_table_memory_bytes(const struct function_table *table)
{
    return atomic_load_explicit(&table->memory_bytes, memory_order_relaxed);
}

struct slice function_table_name(const struct function_table *table, uint32_t function)
{
    const struct entry *entry = &table->entries[function];

    return slice_make(entry->text, entry->name_bytes);
}

struct slice function_table_file(const struct function_table *table, uint32_t function)
{
    const struct entry *entry = &table->entries[function];

    return slice_make(entry->text + entry->name_bytes, entry->file_bytes);
}

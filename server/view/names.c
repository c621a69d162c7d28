/* SPDX-License-Identifier: Apache-2.0 */
/* Between rows and JSON: strings to small numbers.
 *
 * In: functions of a call tree; out: two lists of distinct strings. Compares bytes, never only
 * hashes: two names are never taken for one. */
#include "server/view/names.h"

#include "proto/base/hash.h"

#define NAMES_FIRST 256u /* strings; most answers have a few hundred to a few thousand */

static enum status names_resize(struct names *names, uint32_t capacity, struct error *err)
{
    struct slice *strings = arena_array(names->arena, capacity, struct slice);
    uint32_t *slots = arena_array(names->arena, 2 * (size_t)capacity, uint32_t);
    uint32_t mask = 2 * capacity - 1;

    if (strings == NULL || slots == NULL)
        return arena_exhausted(names->arena, err, "names");
    if (names->count > 0)
        memcpy(strings, names->strings, names->count * sizeof(*strings));
    memset(slots, 0, 2 * (size_t)capacity * sizeof(*slots));
    for (uint32_t i = 0; i < names->count; i++) {
        uint64_t slot = hash_bytes(strings[i], names->seed) & mask;
        while (slots[slot] != 0)
            slot = (slot + 1) & mask;
        slots[slot] = i + 1;
    }
    names->strings = strings;
    names->slots = slots;
    names->mask = mask;
    names->capacity = capacity;
    return STATUS_OK;
}

static enum status names_init(struct names *names, struct arena *arena, struct error *err)
{
    *names = (struct names){.arena = arena, .seed = hash_seed()};
    return names_resize(names, NAMES_FIRST, err);
}

/* The position of `string`, added if new. STATUS_TOO_LARGE: arena. */
static enum status names_add(struct names *names, struct slice string, struct error *err,
                             uint32_t *ret_position)
{
    uint64_t hash = hash_bytes(string, names->seed);
    uint64_t slot = hash & names->mask;

    for (; names->slots[slot] != 0; slot = (slot + 1) & names->mask) {
        uint32_t position = names->slots[slot] - 1;
        if (slice_equal(names->strings[position], string)) {
            *ret_position = position;
            return STATUS_OK;
        }
    }
    if (names->count == names->capacity) {
        enum status status = names_resize(names, 2 * names->capacity, err);
        if (status != STATUS_OK)
            return status;
        slot = hash & names->mask;
        while (names->slots[slot] != 0)
            slot = (slot + 1) & names->mask;
    }
    names->strings[names->count] = string;
    *ret_position = names->count++;
    names->slots[slot] = names->count;
    return STATUS_OK;
}

static void names_write(struct json *json, const struct names *names)
{
    json_begin_array(json);
    for (uint32_t i = 0; i < names->count; i++)
        json_string(json, names->strings[i]);
    json_end_array(json);
}

enum status symbols_init(struct symbols *symbols, const struct tree *tree, struct arena *arena,
                         struct error *err)
{
    size_t bytes = tree->function_count * sizeof(int32_t);
    uint32_t none;
    enum status status = names_init(&symbols->names, arena, err);

    if (status == STATUS_OK)
        status = names_init(&symbols->files, arena, err);
    if (status == STATUS_OK)
        status = names_add(&symbols->files, slice_make("", 0), err, &none);
    if (status != STATUS_OK)
        return status;
    symbols->name_of = arena_array(arena, tree->function_count, int32_t);
    symbols->file_of = arena_array(arena, tree->function_count, int32_t);
    if (symbols->name_of == NULL || symbols->file_of == NULL)
        return arena_exhausted(arena, err, "names of functions");
    memset(symbols->name_of, 0xff, bytes);
    memset(symbols->file_of, 0xff, bytes);
    return STATUS_OK;
}

static enum status symbols_add(struct symbols *symbols, struct slice name, struct slice file,
                               struct error *err, int32_t *ret_name, int32_t *ret_file)
{
    uint32_t name_place, file_place;
    enum status status = names_add(&symbols->names, name, err, &name_place);

    if (status == STATUS_OK)
        status = names_add(&symbols->files, file, err, &file_place);
    if (status != STATUS_OK)
        return status;
    *ret_name = (int32_t)name_place;
    *ret_file = (int32_t)file_place;
    return STATUS_OK;
}

enum status symbols_of_node(struct symbols *symbols, const struct tree *tree, uint32_t node,
                            struct error *err, int32_t *ret_name, int32_t *ret_file)
{
    if (node == CALLTREE_ROOT)
        return symbols_add(symbols, tree->root_name, tree->root_file, err, ret_name, ret_file);
    uint32_t function = tree->functions[node];
    if (symbols->name_of[function] < 0) {
        enum status status = symbols_add(symbols, tree_name(tree, node), tree_file(tree, node), err,
                                         &symbols->name_of[function], &symbols->file_of[function]);
        if (status != STATUS_OK)
            return status;
    }
    *ret_name = symbols->name_of[function];
    *ret_file = symbols->file_of[function];
    return STATUS_OK;
}

void symbols_write(struct json *json, const struct symbols *symbols)
{
    json_key(json, "names");
    names_write(json, &symbols->names);
    json_key(json, "files");
    names_write(json, &symbols->files);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The cache in front of libdw. In: addresses of samples. Out: places, looked up once each. An
 * object is opened at its first address. When the cache is full, or the set of objects changes, it
 * starts anew; so its memory has a bound. */
#include "samples/agent/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/map.h"
#include "samples/agent/bounds.h"
#include "samples/agent/debuginfo.h"

struct object {
    struct debuginfo *debuginfo; /* NULL: not opened yet, or nothing usable */
    bool opened;
};

struct symbols {
    struct modules *modules;
    struct object *objects; /* per module */
    struct arena *arena;    /* map, places and frames */
    struct map by_address;
    struct place *places; /* AGENT_SYMBOLS of them */
    uint32_t place_count;
};

struct symbols *symbols_new(void)
{
    struct symbols *symbols = calloc(1, sizeof(*symbols));

    if (!symbols)
        return NULL;
    symbols->arena = arena_new(AGENT_SYMBOL_BYTES);
    symbols->places = calloc(AGENT_SYMBOLS, sizeof(*symbols->places));
    if (!symbols->arena || !symbols->places) {
        symbols_free(symbols);
        return NULL;
    }
    return symbols;
}

static void forget_modules(struct symbols *symbols)
{
    uint32_t count = symbols->modules ? symbols->modules->count : 0;

    for (uint32_t i = 0; symbols->objects && i < count; i++)
        debuginfo_close(symbols->objects[i].debuginfo);
    free(symbols->objects);
    modules_free(symbols->modules);
    symbols->objects = NULL;
    symbols->modules = NULL;
}

void symbols_free(struct symbols *symbols)
{
    if (!symbols)
        return;
    forget_modules(symbols);
    arena_free(symbols->arena);
    free(symbols->places);
    free(symbols);
}

static enum status forget_places(struct symbols *symbols, struct error *err)
{
    arena_reset(symbols->arena);
    symbols->place_count = 0;
    enum status status = map_init(&symbols->by_address, symbols->arena, 1024, err);
    if (status != STATUS_OK)
        forget_modules(symbols); /* the next refresh begins at nothing */
    return status;
}

enum status symbols_refresh(struct symbols *symbols, struct error *err)
{
    /* Half full: one profile's addresses fit the other half, so places stay valid while it is
     * built. */
    bool roomy = symbols->place_count < AGENT_SYMBOLS / 2 &&
                 arena_used_bytes(symbols->arena) < AGENT_SYMBOL_BYTES / 2;

    if (symbols->modules && modules_are_current(symbols->modules))
        return roomy ? STATUS_OK : forget_places(symbols, err);
    forget_modules(symbols);
    enum status status = modules_read(err, &symbols->modules);
    if (status != STATUS_OK)
        return status;
    symbols->objects = calloc(symbols->modules->count, sizeof(*symbols->objects));
    if (!symbols->objects) {
        forget_modules(symbols);
        return error_no_memory(err, "symbols");
    }
    return forget_places(symbols, err);
}

const struct modules *symbols_modules(const struct symbols *symbols)
{
    return symbols->modules;
}

static struct debuginfo *module_debuginfo(struct symbols *symbols, uint32_t index)
{
    struct object *object = &symbols->objects[index];

    if (!object->opened) {
        object->opened = true;
        object->debuginfo = debuginfo_open(&symbols->modules->modules[index],
                                           index == symbols->modules->main_index);
    }
    return object->debuginfo;
}

static struct place look_up(struct symbols *symbols, uint64_t address)
{
    struct place place = {.module = modules_find(symbols->modules, address)};
    struct frame frames[AGENT_INLINES];

    if (place.module == MODULES_NONE)
        return place;
    struct debuginfo *debuginfo = module_debuginfo(symbols, place.module);
    uint32_t count = debuginfo ? debuginfo_frames(debuginfo, address, frames, AGENT_INLINES) : 0;
    struct frame *kept = count > 0 ? arena_array(symbols->arena, count, struct frame) : NULL;
    if (!kept)
        return place;
    memcpy(kept, frames, count * sizeof(*kept));
    place.frames = kept;
    place.frame_count = count;
    return place;
}

struct place symbols_find(struct symbols *symbols, uint64_t address)
{
    uint32_t known = map_find(&symbols->by_address, address);
    uint32_t added = 0;

    if (known != MAP_ABSENT)
        return symbols->places[known];
    struct place place = look_up(symbols, address);
    if (symbols->place_count == AGENT_SYMBOLS ||
        map_add(&symbols->by_address, address, symbols->place_count, NULL, &added) != STATUS_OK)
        return place; /* not remembered; the next refresh makes room */
    symbols->places[symbols->place_count++] = place;
    return place;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Building the id index: look at all ids once, then take no table, a dense one, or the map.
 *
 * Input: an id column. Output: struct ids. The only place that sees duplicate and zero ids. */
#include "proto/ids.h"

#include <inttypes.h>
#include <string.h>

/* A dense table wins while the greatest id is at most this many times the count, plus a little. */
#define IDS_DENSE_FACTOR 4
#define IDS_DENSE_SLACK  64

static enum status fail_duplicate(const char *name, uint64_t id, uint32_t index, struct error *err)
{
    return error_set_at(err, STATUS_DUP_ID, name, index, ERROR_NONE,
                        "%s %" PRIu32 " has id %" PRIu64 ", as one before it", name, index, id);
}

static enum status fill_dense(struct ids *ids, const char *name, const uint64_t *id, uint32_t count,
                              struct arena *arena, struct error *err)
{
    ids->dense = arena_array(arena, ids->dense_size, uint32_t);
    if (!ids->dense)
        return arena_exhausted(arena, err, "the id table");
    memset(ids->dense, 0xff, ids->dense_size * sizeof *ids->dense); /* all IDS_ABSENT */
    for (uint32_t i = 0; i < count; i++) {
        if (ids->dense[id[i]] != IDS_ABSENT)
            return fail_duplicate(name, id[i], i, err);
        ids->dense[id[i]] = i;
    }
    return STATUS_OK;
}

static enum status fill_map(struct ids *ids, const char *name, const uint64_t *id, uint32_t count,
                            struct arena *arena, struct error *err)
{
    enum status status = map_init(&ids->map, arena, count, err);

    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        uint32_t now = i;

        status = map_add(&ids->map, id[i], i, err, &now);
        if (status == STATUS_OK && now != i)
            return fail_duplicate(name, id[i], i, err);
    }
    return status;
}

enum status ids_init(struct ids *ids, const char *name, const uint64_t *id, uint32_t count,
                     struct arena *arena, struct error *err)
{
    uint64_t greatest = 0;
    bool sequential = true;

    *ids = (struct ids){0};
    for (uint32_t i = 0; i < count; i++) {
        if (id[i] == 0)
            return error_set_at(err, STATUS_ZERO_ID, name, i, ERROR_NONE,
                                "%s %" PRIu32 " has the reserved id 0", name, i);
        sequential = sequential && id[i] == (uint64_t)i + 1;
        greatest = id[i] > greatest ? id[i] : greatest;
    }
    if (sequential) {
        ids->sequential = count;
        return STATUS_OK;
    }
    if (greatest <= IDS_DENSE_FACTOR * (uint64_t)count + IDS_DENSE_SLACK) {
        ids->dense_size = greatest + 1;
        return fill_dense(ids, name, id, count, arena, err);
    }
    return fill_map(ids, name, id, count, arena, err);
}

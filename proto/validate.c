/* SPDX-License-Identifier: Apache-2.0 */
/* Ids to indices, and the rules that need the whole profile.
 *
 * Input: filled columns and the ids they refer by. Output: the index columns. Ids may be 1..n, or
 * sparse, or hashes up to 2^64 - 1; an id is never used as an index before it is checked.
 * Follows CheckValid of the pprof reference; changes nothing but the index columns. */
#include "proto/validate.h"

#include <inttypes.h>

#include "proto/base/limits.h"
#include "proto/base/map.h"
#include "proto/sum.h"

/* A dense table wins while the greatest id is at most this many times the count, plus a little. */
#define DENSE_FACTOR 4
#define DENSE_SLACK  64

/* Finds the index of an id, in the cheapest of three ways. */
struct id_index {
    const char *name; /* static: "location" */
    uint32_t count;
    bool sequential; /* id i + 1 at index i, as Go writes: no table at all */
    uint32_t *dense; /* [dense_size], MAP_ABSENT where no id is; NULL: use the map */
    uint64_t dense_size;
    struct map map;
};

static enum status fail_duplicate(const struct id_index *ids, uint64_t id, uint32_t index,
                                  struct error *err)
{
    return error_set_at(err, STATUS_DUP_ID, ids->name, index, ERROR_NONE,
                        "%s %" PRIu32 " has id %" PRIu64 ", as one before it", ids->name, index,
                        id);
}

static enum status index_dense(struct id_index *ids, const uint64_t *id, struct arena *arena,
                               struct error *err)
{
    ids->dense = arena_array(arena, ids->dense_size, uint32_t);
    if (!ids->dense)
        return arena_exhausted(arena, err, "the id table");
    memset(ids->dense, 0xff, ids->dense_size * sizeof *ids->dense); /* all MAP_ABSENT */
    for (uint32_t i = 0; i < ids->count; i++) {
        if (ids->dense[id[i]] != MAP_ABSENT)
            return fail_duplicate(ids, id[i], i, err);
        ids->dense[id[i]] = i;
    }
    return STATUS_OK;
}

static enum status index_sparse(struct id_index *ids, const uint64_t *id, struct arena *arena,
                                struct error *err)
{
    enum status status = map_init(&ids->map, arena, ids->count, err);

    for (uint32_t i = 0; status == STATUS_OK && i < ids->count; i++) {
        uint32_t now = i;

        status = map_add(&ids->map, id[i], i, err, &now);
        if (status == STATUS_OK && now != i)
            return fail_duplicate(ids, id[i], i, err);
    }
    return status;
}

/* Indexes the ids of one kind of element. STATUS_ZERO_ID, DUP_ID, TOO_LARGE. */
static enum status index_ids(const char *name, const uint64_t *id, uint32_t count,
                             struct arena *arena, struct error *err, struct id_index *ret_ids)
{
    struct id_index ids = {.name = name, .count = count, .sequential = true};
    uint64_t greatest = 0;
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < count; i++) {
        if (id[i] == 0)
            return error_set_at(err, STATUS_ZERO_ID, name, i, ERROR_NONE,
                                "%s %" PRIu32 " has the reserved id 0", name, i);
        ids.sequential = ids.sequential && id[i] == (uint64_t)i + 1;
        greatest = id[i] > greatest ? id[i] : greatest;
    }
    if (!ids.sequential && greatest <= DENSE_FACTOR * (uint64_t)count + DENSE_SLACK) {
        ids.dense_size = greatest + 1;
        status = index_dense(&ids, id, arena, err);
    } else if (!ids.sequential) {
        status = index_sparse(&ids, id, arena, err);
    }
    if (status != STATUS_OK)
        return status;
    *ret_ids = ids;
    return STATUS_OK;
}

/* The index of `id`, or PROFILE_NONE. */
static inline uint32_t find_id(const struct id_index *ids, uint64_t id)
{
    if (ids->sequential)
        return id - 1 < ids->count ? (uint32_t)(id - 1) : PROFILE_NONE;
    if (ids->dense)
        return id < ids->dense_size ? ids->dense[id] : PROFILE_NONE;
    return map_find(&ids->map, id);
}

/* Resolves a column; returns the position of the first unknown id, or `count`. */
static uint32_t resolve(const struct id_index *ids, const uint64_t *id, uint32_t count,
                        uint32_t *index)
{
    uint64_t unknown = 0;

    if (ids->sequential) { /* the usual case, without a branch per element */
        for (uint32_t i = 0; i < count; i++) {
            index[i] = (uint32_t)(id[i] - 1);
            unknown |= id[i] - 1 >= ids->count;
        }
        if (!unknown)
            return count;
    }
    for (uint32_t i = 0; i < count; i++) {
        index[i] = find_id(ids, id[i]);
        if (index[i] == PROFILE_NONE)
            return i;
    }
    return count;
}

/* The element whose part `position` belongs to, by its offset column. */
static uint32_t owner_of(const uint32_t *first, uint32_t count, uint32_t position)
{
    uint32_t low = 0;
    uint32_t high = count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (first[middle] <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static enum status resolve_locations(struct profile *p, const struct profile_refs *refs,
                                     const struct id_index *functions,
                                     const struct id_index *mappings, struct error *err)
{
    uint32_t lines = p->location_line_first[p->location_count];
    uint32_t bad = resolve(functions, refs->line_function_ids, lines, p->line_function);

    for (uint32_t i = 0; i < p->location_count; i++)
        p->location_mapping[i] = find_id(mappings, refs->location_mapping_ids[i]);
    if (bad < lines) {
        uint32_t location = owner_of(p->location_line_first, p->location_count, bad);

        return error_set_at(err, STATUS_BAD_REF, "location.line.function_id", location, ERROR_NONE,
                            "location %" PRIu32 " has a line with function id %" PRIu64
                            ", which no function has",
                            location, refs->line_function_ids[bad]);
    }
    return STATUS_OK;
}

static enum status resolve_samples(struct profile *p, const struct profile_refs *refs,
                                   const struct id_index *locations, struct error *err)
{
    uint32_t count = p->sample_location_first[p->sample_count];
    uint32_t bad = resolve(locations, refs->sample_location_ids, count, p->sample_locations);

    if (bad < count) {
        uint32_t sample = owner_of(p->sample_location_first, p->sample_count, bad);

        return error_set_at(err, STATUS_BAD_REF, "sample.location_id", sample, ERROR_NONE,
                            "sample %" PRIu32 " has location id %" PRIu64 ", which no location has",
                            sample, refs->sample_location_ids[bad]);
    }
    return STATUS_OK;
}

/* Frames of location i: its lines, or one stand-in when it has none. */
static uint32_t location_frames(const struct profile *p, uint32_t i)
{
    uint32_t lines = p->location_line_first[i + 1] - p->location_line_first[i];

    return lines > 0 ? lines : 1;
}

static enum status check_depth(const struct profile *p, struct error *err)
{
    uint64_t most = 1;

    for (uint32_t i = 0; i < p->location_count; i++)
        most = location_frames(p, i) > most ? location_frames(p, i) : most;
    for (uint32_t s = 0; s < p->sample_count; s++) {
        uint32_t first = p->sample_location_first[s];
        uint32_t end = p->sample_location_first[s + 1];
        uint64_t frames = 0;

        if ((end - first) * most <= LIMIT_STACK_FRAMES)
            continue;
        for (uint32_t i = first; i < end; i++)
            frames += location_frames(p, p->sample_locations[i]);
        if (frames > LIMIT_STACK_FRAMES)
            return error_set_at(err, STATUS_TOO_LARGE, "sample.location_id", s, LIMIT_STACK_FRAMES,
                                "sample %" PRIu32 " is %" PRIu64 " frames deep, at most %u", s,
                                frames, LIMIT_STACK_FRAMES);
    }
    return STATUS_OK;
}

static enum status check_sums(const struct profile *p, struct error *err)
{
    for (uint32_t t = 0; t < p->type_count; t++) {
        struct sum sum = {0};

        for (uint32_t s = 0; s < p->sample_count; s++)
            sum_add(&sum, p->sample_values[(size_t)s * p->type_count + t]);
        if (!sum_fits(&sum))
            return error_set_at(err, STATUS_VALUE_OVERFLOW, "sample.value", t, ERROR_NONE,
                                "the sum of sample type %" PRIu32 " leaves the 64-bit range", t);
    }
    return STATUS_OK;
}

enum status validate_profile(struct profile *profile, const struct profile_refs *refs,
                             struct arena *arena, struct error *err)
{
    struct profile *p = profile;
    struct id_index mappings;
    struct id_index functions;
    struct id_index locations;
    enum status status;

    status = index_ids("mapping", p->mapping_id, p->mapping_count, arena, err, &mappings);
    if (status != STATUS_OK)
        return status;
    status = index_ids("function", p->function_id, p->function_count, arena, err, &functions);
    if (status != STATUS_OK)
        return status;
    status = index_ids("location", p->location_id, p->location_count, arena, err, &locations);
    if (status != STATUS_OK)
        return status;
    status = resolve_locations(p, refs, &functions, &mappings, err);
    if (status != STATUS_OK)
        return status;
    status = resolve_samples(p, refs, &locations, err);
    if (status != STATUS_OK)
        return status;
    status = check_depth(p, err);
    if (status != STATUS_OK)
        return status;
    return check_sums(p, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* From samples to vector entries. Input: node and tagset per sample, and the profile's values;
 * output: per tagset, ascending nodes with a column of sums per sample type.
 *
 * Two stable counting sorts: samples by tagset, then each tagset's by node, byte by byte. Linear in
 * the samples and independent of their order, so nobody can send a slow profile. */
#include "storage/entries.h"

#include <string.h>

struct item {
    uint32_t node;
    uint32_t sample;
};

/* Sorts by node; `spare` is as long as `items`. Returns which of the two holds the result. */
static struct item *sort_by_node(struct item *items, struct item *spare, uint32_t count)
{
    for (unsigned shift = 0; shift < 32; shift += 8) {
        uint32_t starts[257] = {0};

        for (uint32_t i = 0; i < count; i++)
            starts[(items[i].node >> shift & 0xff) + 1]++;
        if (count > 0 && starts[(items[0].node >> shift & 0xff) + 1] == count)
            continue; /* all equal in this byte */
        for (unsigned i = 1; i < 256; i++)
            starts[i] += starts[i - 1];
        for (uint32_t i = 0; i < count; i++)
            spare[starts[items[i].node >> shift & 0xff]++] = items[i];
        struct item *sorted = spare;
        spare = items;
        items = sorted;
    }
    return items;
}

struct columns {
    uint32_t *nodes;
    int64_t **values; /* [type] */
};

static enum status new_columns(struct arena *arena, uint32_t type_count, uint32_t count,
                               struct error *err, struct columns *ret_columns)
{
    struct columns columns = {.nodes = arena_array(arena, count, uint32_t),
                              .values = arena_array(arena, type_count, int64_t *)};
    int64_t *values =
        arena_alloc_array(arena, (size_t)type_count * count, sizeof(int64_t), _Alignof(int64_t));

    if (columns.nodes == NULL || columns.values == NULL || values == NULL)
        return arena_exhausted(arena, err, "vector entries");
    for (uint32_t type = 0; type < type_count; type++)
        columns.values[type] = values + (size_t)type * count;
    *ret_columns = columns;
    return STATUS_OK;
}

/* Adds sample `sample` to entry `entry`. False: overflow. */
static bool add_sample(const struct profile *profile, uint32_t sample,
                       const struct columns *columns, uint32_t entry)
{
    const int64_t *values = &profile->sample_values[(size_t)sample * profile->type_count];
    bool overflow = false;

    for (uint32_t type = 0; type < profile->type_count; type++)
        overflow |= __builtin_add_overflow(columns->values[type][entry], values[type],
                                           &columns->values[type][entry]);
    return !overflow;
}

static bool is_zero(const struct profile *profile, const struct columns *columns, uint32_t entry)
{
    for (uint32_t type = 0; type < profile->type_count; type++)
        if (columns->values[type][entry] != 0)
            return false;
    return true;
}

/* Adds up the samples of one tagset, in order of node. */
static enum status sum_items(const struct profile *profile, const struct item *items,
                             uint32_t count, struct arena *arena, struct error *err,
                             struct entries *entries)
{
    struct columns columns = {0};
    uint32_t entry = 0;
    enum status status = new_columns(arena, profile->type_count, count, err, &columns);

    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < count;) {
        uint32_t node = items[i].node;

        for (uint32_t type = 0; type < profile->type_count; type++)
            columns.values[type][entry] = 0;
        for (; i < count && items[i].node == node; i++)
            if (!add_sample(profile, items[i].sample, &columns, entry))
                return error_set_at(
                    err, STATUS_VALUE_OVERFLOW, "sample.value", (int64_t)items[i].sample,
                    ERROR_NONE, "sample %u: the sum of equal stacks leaves int64", items[i].sample);
        columns.nodes[entry] = node;
        if (!is_zero(profile, &columns, entry))
            entry++;
    }
    entries->entry_count = entry;
    entries->nodes = columns.nodes;
    entries->values = (const int64_t *const *)columns.values;
    return STATUS_OK;
}

/* Sorts samples by tagset into `items`; `starts[t]` is where those of t begin. */
static void sort_by_tagset(const struct profile *profile, const uint32_t *nodes,
                           const uint32_t *sample_tagset, uint32_t tagset_count, uint32_t *starts,
                           struct item *items)
{
    memset(starts, 0, ((size_t)tagset_count + 1) * sizeof(*starts));
    for (uint32_t i = 0; i < profile->sample_count; i++)
        starts[(sample_tagset == NULL ? 0 : sample_tagset[i]) + 1]++;
    for (uint32_t i = 1; i <= tagset_count; i++)
        starts[i] += starts[i - 1];
    for (uint32_t i = 0; i < profile->sample_count; i++)
        items[starts[sample_tagset == NULL ? 0 : sample_tagset[i]]++] =
            (struct item){.node = nodes[i], .sample = i};
    memmove(starts + 1, starts, (size_t)tagset_count * sizeof(*starts)); /* ends back to starts */
    starts[0] = 0;
}

enum status entries_collect(const struct profile *profile, const uint32_t *nodes,
                            const uint32_t *sample_tagset, uint32_t tagset_count,
                            struct arena *arena, struct error *err, struct entries **ret_entries,
                            uint32_t *ret_count)
{
    struct item *items = arena_array(arena, profile->sample_count, struct item);
    struct item *spare = arena_array(arena, profile->sample_count, struct item);
    uint32_t *starts = arena_array(arena, (size_t)tagset_count + 1, uint32_t);
    struct entries *entries = arena_array(arena, tagset_count, struct entries);
    uint32_t found = 0;

    if (items == NULL || spare == NULL || starts == NULL || entries == NULL)
        return arena_exhausted(arena, err, "vector entries");
    sort_by_tagset(profile, nodes, sample_tagset, tagset_count, starts, items);
    for (uint32_t tagset = 0; tagset < tagset_count; tagset++) {
        uint32_t first = starts[tagset];
        uint32_t count = starts[tagset + 1] - first;
        struct item *sorted;
        enum status status;

        if (count == 0 && (tagset != 0 || profile->sample_count > 0))
            continue;
        sorted = sort_by_node(items + first, spare + first, count);
        entries[found] = (struct entries){.tagset = tagset};
        status = sum_items(profile, sorted, count, arena, err, &entries[found]);
        if (status != STATUS_OK)
            return status;
        found++;
    }
    *ret_entries = entries;
    *ret_count = found;
    return STATUS_OK;
}

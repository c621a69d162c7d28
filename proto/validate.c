/* SPDX-License-Identifier: Apache-2.0 */
/* Ids to indices, and the rules that need the whole profile.
 *
 * Input: filled columns and the ids they refer by. Output: the index columns of symbols, the index
 * of locations, and a verdict on depth and sums. Follows CheckValid of the pprof reference. */
#include "proto/validate.h"

#include <inttypes.h>

#include "proto/base/limits.h"
#include "proto/sum.h"

enum status validate_fail_function(uint32_t location, uint64_t function_id, struct error *err)
{
    return error_set_at(err, STATUS_BAD_REF, "location.line.function_id", location, ERROR_NONE,
                        "location %" PRIu32 " has a line with function id %" PRIu64
                        ", which no function has",
                        location, function_id);
}

static enum status resolve_lines(struct profile *p, const uint64_t *function_ids,
                                 const struct ids *functions, struct error *err)
{
    uint32_t line = 0;

    for (uint32_t i = 0; i < p->location_count; i++) {
        for (; line < p->location_line_first[i + 1]; line++) {
            p->line_function[line] = ids_find(functions, function_ids[line]);
            if (p->line_function[line] == IDS_ABSENT)
                return validate_fail_function(i, function_ids[line], err);
        }
    }
    return STATUS_OK;
}

enum status validate_symbols(struct profile *profile, const struct profile_refs *refs,
                             struct arena *arena, struct error *err, struct ids *ret_locations)
{
    struct profile *p = profile;
    struct ids mappings;
    struct ids functions;
    struct ids locations;
    enum status status;

    status = ids_init(&mappings, "mapping", p->mapping_id, p->mapping_count, arena, err);
    if (status != STATUS_OK)
        return status;
    status = ids_init(&functions, "function", p->function_id, p->function_count, arena, err);
    if (status != STATUS_OK)
        return status;
    status = ids_init(&locations, "location", p->location_id, p->location_count, arena, err);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < p->location_count; i++)
        p->location_mapping[i] = ids_find(&mappings, refs->location_mapping_ids[i]);
    status = resolve_lines(p, refs->line_function_ids, &functions, err);
    if (status != STATUS_OK)
        return status;
    *ret_locations = locations;
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

enum status validate_samples(const struct profile *profile, struct error *err)
{
    enum status status = check_depth(profile, err);

    return status == STATUS_OK ? check_sums(profile, err) : status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Pass one of decoding: how many of everything.
 *
 * Input: the inflated body. Output: the size of every column. Enters samples only, as far as
 * counting needs; values in packed fields are counted by their last bytes, eight at a time. Where a
 * bound is far cheaper than the number and not far above it, a bound does. Allocates nothing, so a
 * bomb of empty messages is refused before it costs memory. */
#include <inttypes.h>

#include "proto/base/limits.h"
#include "proto/decode_columns.h"
#include "proto/wire.h"

/* A line takes this many bytes at least, because it names a function: two tags, a length, an id. */
#define LINE_BYTES_MIN 4

static inline uint32_t bytes_of(const struct wire_field *field)
{
    return (uint32_t)(field->nested.end - field->nested.at);
}

static enum status count_sample(struct decode_counts *counts, struct wire message,
                                const uint8_t *words_end, const uint8_t *start, struct error *err)
{
    struct wire_field field;

    while (message.at < message.end) {
        if (!wire_next_inside(&message, words_end, &field))
            return wire_fail(message, (struct wire_place){start, "sample", counts->samples}, err);
        switch (field.tag) {
        case WIRE_TAG(1, WIRE_BYTES):
            counts->sample_locations += bytes_of(&field); /* most ids have one byte */
            break;
        case WIRE_TAG(1, WIRE_VARINT):
            counts->sample_locations++;
            break;
        case WIRE_TAG(2, WIRE_BYTES):
            counts->sample_values += wire_count_packed(field.nested);
            break;
        case WIRE_TAG(2, WIRE_VARINT):
            counts->sample_values++;
            break;
        case WIRE_TAG(3, WIRE_BYTES):
            counts->sample_labels++;
            break;
        default:
            break;
        }
    }
    counts->samples++;
    return STATUS_OK;
}

/* What the counts alone rule out. */
static enum status judge_counts(const struct decode_counts *counts, struct error *err)
{
    if (counts->strings == 0)
        return error_set_at(err, STATUS_BAD_STRING_TABLE, "string_table", ERROR_NONE, ERROR_NONE,
                            "the profile has no string table");
    if (counts->types == 0)
        return error_set_at(err, STATUS_NO_SAMPLE_TYPE, "sample_type", ERROR_NONE, ERROR_NONE,
                            "the profile has no sample type");
    if (counts->types > LIMIT_SAMPLE_TYPES)
        return error_set_at(err, STATUS_TOO_LARGE, "sample_type", ERROR_NONE, LIMIT_SAMPLE_TYPES,
                            "%" PRIu32 " sample types, at most %u", counts->types,
                            LIMIT_SAMPLE_TYPES);
    if (counts->samples > LIMIT_SAMPLES)
        return error_set_at(err, STATUS_TOO_LARGE, "sample", ERROR_NONE, LIMIT_SAMPLES,
                            "%" PRIu32 " samples, at most %u", counts->samples, LIMIT_SAMPLES);
    return STATUS_OK;
}

/* A second time_nanos is how the reference tells two profiles written one behind the other. */
static enum status count_time(int64_t *time_ns, const struct wire_field *field, struct error *err)
{
    if (*time_ns != 0)
        return error_set_at(err, STATUS_CONCATENATED, "time_nanos", ERROR_NONE, ERROR_NONE,
                            "a second time_nanos: two profiles in one body");
    *time_ns = (int64_t)field->value;
    return STATUS_OK;
}

/* One field of the Profile message, which begins at `begin`. */
static enum status count_field(struct decode_counts *counts, const uint8_t *begin,
                               const struct wire_field *field, const uint8_t *words_end,
                               const uint8_t *start, int64_t *time_ns, struct error *err)
{
    switch (field->tag) {
    case WIRE_TAG(1, WIRE_BYTES):
        counts->types++;
        return STATUS_OK;
    case WIRE_TAG(2, WIRE_BYTES):
        if (counts->samples == 0)
            counts->sample_bytes.at = begin;
        counts->sample_bytes.end = field->nested.end;
        return count_sample(counts, field->nested, words_end, start, err);
    case WIRE_TAG(3, WIRE_BYTES):
        counts->mappings++;
        return STATUS_OK;
    case WIRE_TAG(4, WIRE_BYTES):
        counts->locations++;
        counts->lines += bytes_of(field) / LINE_BYTES_MIN;
        return STATUS_OK;
    case WIRE_TAG(5, WIRE_BYTES):
        counts->functions++;
        return STATUS_OK;
    case WIRE_TAG(6, WIRE_BYTES):
        if (counts->strings++ == 0 && field->nested.at < field->nested.end)
            return error_set_at(err, STATUS_BAD_STRING_TABLE, "string_table", 0, ERROR_NONE,
                                "string_table[0] must be empty");
        return STATUS_OK;
    case WIRE_TAG(9, WIRE_VARINT):
        return count_time(time_ns, field, err);
    case WIRE_TAG(13, WIRE_BYTES):
        counts->comments += wire_count_packed(field->nested);
        return STATUS_OK;
    case WIRE_TAG(13, WIRE_VARINT):
        counts->comments++;
        return STATUS_OK;
    default:
        return STATUS_OK;
    }
}

enum status decode_count(struct slice bytes, struct error *err, struct decode_counts *ret_counts)
{
    const uint8_t *start = (const uint8_t *)bytes.data;
    struct wire wire = {start, start + bytes.size_bytes};
    const uint8_t *words_end = wire_words_end(start, wire.end);
    const struct wire_place top = {start, "profile", ERROR_NONE};
    struct decode_counts counts = {0};
    struct wire_field field;
    enum status status;
    int64_t time_ns = 0;

    while (wire.at < wire.end) {
        const uint8_t *begin = wire.at;

        if (!wire_next_inside(&wire, words_end, &field))
            return wire_fail(wire, top, err);
        status = count_field(&counts, begin, &field, words_end, start, &time_ns, err);
        if (status != STATUS_OK)
            return status;
    }
    status = judge_counts(&counts, err);
    if (status != STATUS_OK)
        return status;
    *ret_counts = counts;
    return STATUS_OK;
}

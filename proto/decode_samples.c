/* SPDX-License-Identifier: Apache-2.0 */
/* Pass three of decoding: samples, the bulk of every profile.
 *
 * Input: the body, the counts of pass one, and the index of location ids. Output: the sample
 * columns. Each location id is looked up as it is read, so no column of 64-bit ids is ever made.
 * Takes integers packed, single or mixed. This is the hot loop of ingest. */
#include <inttypes.h>

#include "proto/decode_columns.h"
#include "proto/decode_message.h"

/* The continuation bits of four two-byte integers in a row. */
#define FOUR_OF_TWO_BYTES UINT64_C(0x0080008000800080)

/* Every byte, or every two bytes, of eight. */
#define EACH_BYTE UINT64_C(0x0101010101010101)
#define EACH_PAIR UINT64_C(0x0001000100010001)

/* The columns being filled. Positions count what is written so far and never pass the counts of
 * pass one, which sized the columns. */
struct fill {
    struct decode_context context;
    struct profile *profile;
    const struct ids *locations;
    uint32_t samples;
    uint32_t sample_locations;
    uint32_t sample_values;
    uint32_t sample_labels;
};

static enum status fail_location(const struct fill *f, uint64_t id)
{
    return error_set_at(
        f->context.err, STATUS_BAD_REF, "sample.location_id", f->samples, ERROR_NONE,
        "sample %" PRIu32 " has location id %" PRIu64 ", which no location has", f->samples, id);
}

/* Adds one frame to the sample being read. */
static inline enum status fill_location(struct fill *f, uint64_t id)
{
    uint32_t index = ids_find(f->locations, id);

    if (__builtin_expect(index == IDS_ABSENT, 0))
        return fail_location(f, id);
    f->profile->sample_locations[f->sample_locations++] = index;
    return STATUS_OK;
}

/* Eight ids of one byte each, when all are from 1 to `greatest`. */
static inline bool fill_eight(uint64_t word, uint64_t greatest, uint32_t *out)
{
    uint64_t room = 0x7f - (greatest < 0x7f ? greatest : 0x7f);
    uint64_t index = word - EACH_BYTE; /* a 0 borrows and shows in the top bit of its byte */

    if ((index | (word + room * EACH_BYTE)) & WIRE_CONTINUES)
        return false;
    out[0] = (uint8_t)index;
    out[1] = (uint8_t)(index >> 8);
    out[2] = (uint8_t)(index >> 16);
    out[3] = (uint8_t)(index >> 24);
    out[4] = (uint8_t)(index >> 32);
    out[5] = (uint8_t)(index >> 40);
    out[6] = (uint8_t)(index >> 48);
    out[7] = (uint8_t)(index >> 56);
    return true;
}

/* Four ids of two bytes each, when all are from 1 to `greatest`. */
static inline bool fill_four(uint64_t word, uint64_t greatest, uint32_t *out)
{
    uint64_t room = 0x7fff - (greatest < 0x3fff ? greatest : 0x3fff);
    uint64_t id = (word & (0x7f * EACH_PAIR)) | (word & (0x7f00 * EACH_PAIR)) >> 1;
    uint64_t index = id - EACH_PAIR; /* as above: 14 bits of 16 are in use */

    if ((index | (id + room * EACH_PAIR)) & (0x8000 * EACH_PAIR))
        return false;
    out[0] = (uint16_t)index;
    out[1] = (uint16_t)(index >> 16);
    out[2] = (uint16_t)(index >> 32);
    out[3] = (uint16_t)(index >> 48);
    return true;
}

/* The ids of the next eight packed bytes, when they are all one byte long or all two bytes. Returns
 * how many; 0: read them singly. */
static inline unsigned fill_word(uint64_t word, uint64_t greatest, uint32_t *out)
{
    uint64_t continues = word & WIRE_CONTINUES;

    if (continues == 0)
        return fill_eight(word, greatest, out) ? 8 : 0;
    if (continues == FOUR_OF_TWO_BYTES)
        return fill_four(word, greatest, out) ? 4 : 0;
    return 0;
}

/* Packed ids. In shallow or small profiles runs of one-byte ids are common, in large ones runs of
 * two-byte ids; those go eight or four at a time. Where a word is mixed, ids are read singly until
 * the word is used up; where ids need a table, all are. */
static enum status fill_locations(struct fill *f, struct wire packed)
{
    const struct ids *ids = f->locations;
    const uint8_t *mixed_end = ids->sequential > 0 ? packed.at : packed.end;
    uint32_t *out = f->profile->sample_locations + f->sample_locations;

    while (packed.at < packed.end) {
        struct wire_integer id;

        if (packed.at >= mixed_end && packed.end - packed.at >= 8) {
            unsigned count = fill_word(wire_word(packed.at), ids->sequential, out);

            if (count > 0) {
                packed.at += 8;
                out += count;
                continue;
            }
            mixed_end = packed.at + 8;
        }
        id = wire_varint(packed.at, packed.end);
        if (!id.at)
            return wire_fail_packed(
                packed.at, (struct wire_place){f->context.start, "sample.location_id", f->samples},
                f->context.err);
        *out = ids_find(ids, id.value);
        if (*out++ == IDS_ABSENT)
            return fail_location(f, id.value);
        packed.at = id.at;
    }
    f->sample_locations = (uint32_t)(out - f->profile->sample_locations);
    return STATUS_OK;
}

static enum status fill_values(struct fill *f, struct wire packed)
{
    int64_t *out = f->profile->sample_values + f->sample_values;

    while (packed.at < packed.end) {
        struct wire_integer value = wire_varint(packed.at, packed.end);

        if (!value.at)
            return wire_fail_packed(
                packed.at, (struct wire_place){f->context.start, "sample.value", f->samples},
                f->context.err);
        *out++ = (int64_t)value.value;
        packed.at = value.at;
    }
    f->sample_values = (uint32_t)(out - f->profile->sample_values);
    return STATUS_OK;
}

static enum status fill_label(struct fill *f, struct wire message)
{
    static const struct string_field strings[] = {
        {1, "sample.label.key"}, {2, "sample.label.str"}, {4, "sample.label.num_unit"}};
    uint64_t fields[5] = {0};
    enum status status = read_scalars(&f->context, message, 4, fields, "sample.label", f->samples);

    if (status != STATUS_OK)
        return status;
    status = CHECK_STRINGS(&f->context, fields, strings, f->samples);
    if (status != STATUS_OK)
        return status;
    if (fields[2] != 0)
        fields[3] = fields[4] = 0; /* a text wins over a number, as in the reference */
    else if (fields[3] == 0 && fields[4] == 0)
        return STATUS_OK; /* says nothing: the reference drops it */
    f->profile->sample_labels[f->sample_labels++] = (struct profile_label){
        .key = (uint32_t)fields[1],
        .text = (uint32_t)fields[2],
        .number = (int64_t)fields[3],
        .unit = (uint32_t)fields[4],
    };
    return STATUS_OK;
}

/* One field of a sample. */
static inline enum status fill_sample_field(struct fill *f, const struct wire_field *field)
{
    switch (field->tag) {
    case WIRE_TAG(1, WIRE_BYTES):
        return fill_locations(f, field->nested);
    case WIRE_TAG(1, WIRE_VARINT):
        return fill_location(f, field->value);
    case WIRE_TAG(2, WIRE_BYTES):
        return fill_values(f, field->nested);
    case WIRE_TAG(2, WIRE_VARINT):
        f->profile->sample_values[f->sample_values++] = (int64_t)field->value;
        return STATUS_OK;
    case WIRE_TAG(3, WIRE_BYTES):
        return fill_label(f, field->nested);
    default:
        if (field->tag >> 3 >= 1 && field->tag >> 3 <= 3)
            return wire_fail_type(field->tag,
                                  (struct wire_place){f->context.start, "sample", f->samples},
                                  f->context.err);
        return STATUS_OK;
    }
}

static enum status fill_sample(struct fill *f, struct wire message)
{
    struct profile *p = f->profile;
    uint32_t first_value = f->sample_values;
    struct wire_field field;

    while (message.at < message.end) {
        enum status status;

        if (!wire_next_inside(&message, f->context.words_end, &field))
            return wire_fail(message, (struct wire_place){f->context.start, "sample", f->samples},
                             f->context.err);
        status = fill_sample_field(f, &field);
        if (status != STATUS_OK)
            return status;
    }
    if (f->sample_values - first_value != p->type_count)
        return error_set_at(f->context.err, STATUS_VALUE_COUNT_MISMATCH, "sample.value", f->samples,
                            p->type_count,
                            "sample %" PRIu32 ": %" PRIu32 " values, %" PRIu32 " sample types",
                            f->samples, f->sample_values - first_value, p->type_count);
    f->samples++;
    p->sample_location_first[f->samples] = f->sample_locations;
    p->sample_label_first[f->samples] = f->sample_labels;
    return STATUS_OK;
}

static bool allocate_samples(struct profile *p, const struct decode_counts *counts,
                             struct arena *arena)
{
    size_t samples = counts->samples;

    p->sample_location_first = arena_array(arena, samples + 1, uint32_t);
    p->sample_locations = arena_array(arena, counts->sample_locations, uint32_t);
    p->sample_values = arena_array(arena, counts->sample_values, int64_t);
    p->sample_label_first = arena_array(arena, samples + 1, uint32_t);
    p->sample_labels = arena_array(arena, counts->sample_labels, struct profile_label);
    p->sample_count = counts->samples;
    if (!p->sample_location_first || !p->sample_locations || !p->sample_values ||
        !p->sample_label_first || !p->sample_labels)
        return false;
    p->sample_location_first[0] = 0;
    p->sample_label_first[0] = 0;
    return true;
}

enum status decode_samples(struct slice bytes, const struct decode_counts *counts,
                           const struct ids *locations, struct arena *arena, struct error *err,
                           struct profile *profile)
{
    const uint8_t *start = (const uint8_t *)bytes.data;
    struct fill f = {
        .context = {start, wire_words_end(start, start + bytes.size_bytes), counts->strings, err},
        .profile = profile,
        .locations = locations};
    struct wire wire = counts->sample_bytes;
    struct wire_field field;

    if (!allocate_samples(profile, counts, arena))
        return arena_exhausted(arena, err, "the profile's samples");
    while (wire.at < wire.end) {
        enum status status = STATUS_OK;

        if (!wire_next_inside(&wire, f.context.words_end, &field))
            return wire_fail(wire, (struct wire_place){start, "profile", ERROR_NONE}, err);
        if (field.tag == WIRE_TAG(2, WIRE_BYTES))
            status = fill_sample(&f, field.nested);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Pass two of decoding: samples, the bulk of every profile.
 *
 * Input: the bytes of one Sample. Output: its location ids, values and labels behind those of the
 * samples before it. Takes integers packed, single or mixed; never looks an id up. */
#include <inttypes.h>

#include "proto/decode_fill.h"

/* Unpacks integers to `out` and adds their number to `count`. */
static inline enum status unpack(const struct fill *f, struct wire packed, uint64_t *out,
                                 const char *name, int64_t index, uint32_t *count)
{
    uint64_t *first = out;

    while (packed.at < packed.end) {
        const uint8_t *next = wire_varint(packed.at, packed.end, out);

        if (!next)
            return wire_fail_packed(packed.at, &(struct wire_place){f->start, name, index}, f->err);
        packed.at = next;
        out++;
    }
    *count += (uint32_t)(out - first);
    return STATUS_OK;
}

static enum status fill_label(struct fill *f, struct wire message, uint32_t sample)
{
    static const struct string_field strings[] = {
        {1, "sample.label.key"}, {2, "sample.label.str"}, {4, "sample.label.num_unit"}};
    uint64_t fields[5] = {0};
    enum status status = read_scalars(f, message, 4, fields, "sample.label", sample);

    if (status != STATUS_OK)
        return status;
    status = CHECK_STRINGS(f, fields, strings, sample);
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
static inline enum status fill_sample_field(struct fill *f, const struct wire_field *field,
                                            uint32_t sample)
{
    uint64_t *values = (uint64_t *)f->profile->sample_values;

    switch (field->tag) {
    case WIRE_TAG(1, WIRE_BYTES):
        return unpack(f, field->nested, f->sample_location_ids + f->sample_locations,
                      "sample.location_id", sample, &f->sample_locations);
    case WIRE_TAG(1, WIRE_VARINT):
        f->sample_location_ids[f->sample_locations++] = field->value;
        return STATUS_OK;
    case WIRE_TAG(2, WIRE_BYTES):
        return unpack(f, field->nested, values + f->sample_values, "sample.value", sample,
                      &f->sample_values);
    case WIRE_TAG(2, WIRE_VARINT):
        values[f->sample_values++] = field->value;
        return STATUS_OK;
    case WIRE_TAG(3, WIRE_BYTES):
        return fill_label(f, field->nested, sample);
    default:
        if (field->tag >> 3 >= 1 && field->tag >> 3 <= 3)
            return wire_fail_type(field, &(struct wire_place){f->start, "sample", sample}, f->err);
        return STATUS_OK;
    }
}

enum status fill_sample(struct fill *f, struct wire message)
{
    struct profile *p = f->profile;
    uint32_t i = f->samples++;
    uint32_t first_value = f->sample_values;
    struct wire_field field;

    while (message.at < message.end) {
        enum status status;

        if (!wire_next(&message, &field))
            return wire_fail(&message, &(struct wire_place){f->start, "sample", i}, f->err);
        status = fill_sample_field(f, &field, i);
        if (status != STATUS_OK)
            return status;
    }
    if (f->sample_values - first_value != p->type_count)
        return error_set_at(f->err, STATUS_VALUE_COUNT_MISMATCH, "sample.value", i, p->type_count,
                            "sample %" PRIu32 ": %" PRIu32 " values, %" PRIu32 " sample types", i,
                            f->sample_values - first_value, p->type_count);
    p->sample_location_first[i + 1] = f->sample_locations;
    p->sample_label_first[i + 1] = f->sample_labels;
    return STATUS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of decoding's second pass: where it stands, and how messages of integers are
 * read. Nothing else includes this.
 *
 * Messages without nested ones (mapping, function, line, label, value type) are read into a small
 * array: fields[n] is the last value of field n, as the format says, fields[0] a dump for the
 * ignored field number 0. */
#ifndef BRAZIER_PROTO_DECODE_FILL_H
#define BRAZIER_PROTO_DECODE_FILL_H

#include "proto/profile.h"
#include "proto/validate.h"
#include "proto/wire.h"

/* The columns being filled. Positions count what is written so far and never pass the counts of
 * pass one, which sized the columns. */
struct fill {
    struct profile *profile;
    struct error *err;
    const uint8_t *start; /* of the body, for offsets in messages */

    struct slice *string_column; /* profile's columns that are const there */
    uint32_t *type_name_column;
    uint32_t *type_unit_column;
    uint32_t *comment_column;
    uint64_t *sample_location_ids; /* struct profile_refs */
    uint64_t *line_function_ids;
    uint64_t *location_mapping_ids;

    uint32_t strings;
    uint32_t types;
    uint32_t comments;
    uint32_t samples;
    uint32_t sample_locations;
    uint32_t sample_values;
    uint32_t sample_labels;
    uint32_t mappings;
    uint32_t locations;
    uint32_t lines;
    uint32_t functions;
};

/* Each takes the bytes of one message and appends it to its columns. STATUS_BAD_WIRE,
 * BAD_STRING_INDEX, VALUE_COUNT_MISMATCH. */
CHECKED enum status fill_sample(struct fill *f, struct wire message);
CHECKED enum status fill_mapping(struct fill *f, struct wire message);
CHECKED enum status fill_location(struct fill *f, struct wire message);
CHECKED enum status fill_function(struct fill *f, struct wire message);

/* A field that holds a string index. */
struct string_field {
    unsigned number;
    const char *name; /* for messages: "function.name" */
};

/* STATUS_BAD_STRING_INDEX unless each of the `count` fields is inside the string table. `index` is
 * the element's, for the message. */
static inline enum status check_strings(const struct fill *f, const uint64_t *fields,
                                        const struct string_field *strings, unsigned count,
                                        int64_t index)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t value = fields[strings[i].number]; /* a negative index is a huge one */

        if (value >= f->profile->string_count)
            return error_set_at(f->err, STATUS_BAD_STRING_INDEX, strings[i].name, index,
                                f->profile->string_count,
                                "%s %lld is string %lld, the string table has %u", strings[i].name,
                                (long long)index, (long long)value, f->profile->string_count);
    }
    return STATUS_OK;
}

#define CHECK_STRINGS(f, fields, table, index)                                                     \
    check_strings((f), (fields), (table), sizeof(table) / sizeof((table)[0]), (index))

/* Keeps the value of a field numbered up to `last`. False: the field is known and no integer. */
static inline bool store_scalar(const struct wire_field *field, unsigned last, uint64_t *fields)
{
    uint64_t number = field->tag >> 3;

    if (number > last)
        return true;
    fields[number] = field->value;
    return (field->tag & 7) == WIRE_VARINT || number == 0;
}

/* Reads a message whose known fields, 1 to `last`, are all integers into `fields`, which the caller
 * has cleared. */
CHECKED static inline enum status read_scalars(const struct fill *f, struct wire message,
                                               unsigned last, uint64_t *fields, const char *name,
                                               int64_t index)
{
    struct wire_field field;

    while (message.at < message.end) {
        if (!wire_next(&message, &field))
            return wire_fail(&message, &(struct wire_place){f->start, name, index}, f->err);
        if (!store_scalar(&field, last, fields))
            return wire_fail_type(&field, &(struct wire_place){f->start, name, index}, f->err);
    }
    return STATUS_OK;
}

#endif

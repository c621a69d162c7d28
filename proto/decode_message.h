/* SPDX-License-Identifier: Apache-2.0 */
/* How the filling passes of decoding read messages of integers. Nothing else includes this.
 *
 * Messages without nested ones (mapping, function, line, label, value type) are read into a small
 * array: fields[n] is the last value of field n, as the format says, fields[0] a dump for the
 * ignored field number 0. */
#ifndef BRAZIER_PROTO_DECODE_MESSAGE_H
#define BRAZIER_PROTO_DECODE_MESSAGE_H

#include "proto/wire.h"

/* What every reader needs beside its bytes. */
struct decode_context {
    const uint8_t *start;     /* of the body, for offsets in messages */
    const uint8_t *words_end; /* wire_words_end of the body */
    uint32_t string_count;    /* of the profile */
    struct error *err;
};

/* A field that holds a string index. */
struct string_field {
    unsigned number;
    const char *name; /* for messages: "function.name" */
};

/* STATUS_BAD_STRING_INDEX unless each of the `count` fields is inside the string table. `index` is
 * the element's, for the message. */
CHECKED static inline enum status check_strings(const struct decode_context *context,
                                                const uint64_t *fields,
                                                const struct string_field *strings, unsigned count,
                                                int64_t index)
{
#pragma GCC unroll 4
    for (unsigned i = 0; i < count; i++) {
        uint64_t value = fields[strings[i].number]; /* a negative index is a huge one */

        if (__builtin_expect(value >= context->string_count, 0))
            return error_set_at(
                context->err, STATUS_BAD_STRING_INDEX, strings[i].name, index,
                context->string_count, "%s of element %lld is string %lld, the string table has %u",
                strings[i].name, (long long)index, (long long)value, context->string_count);
    }
    return STATUS_OK;
}

#define CHECK_STRINGS(context, fields, table, index)                                               \
    check_strings((context), (fields), (table), sizeof(table) / sizeof((table)[0]), (index))

/* Keeps the value of a field numbered up to `last`. False: the field is known and no integer. */
static inline bool store_scalar(const struct wire_field *field, unsigned last, uint64_t *fields)
{
    uint64_t number = field->tag >> 3;

    if (number > last)
        return true;
    fields[number] = field->value;
    return (field->tag & 7) == WIRE_VARINT || number == 0;
}

/* read_scalars from where its fast path does not go on. */
CHECKED __attribute__((noinline)) static enum status
read_scalars_any(const struct decode_context *context, struct wire message, unsigned last,
                 uint64_t *fields, const char *name, int64_t index)
{
    struct wire_field field;

    while (message.at < message.end) {
        if (!wire_next_any(&message, &field))
            return wire_fail(message, (struct wire_place){context->start, name, index},
                             context->err);
        if (!store_scalar(&field, last, fields))
            return wire_fail_type(field.tag, (struct wire_place){context->start, name, index},
                                  context->err);
    }
    return STATUS_OK;
}

/* Reads a message whose known fields, 1 to `last`, are all integers into `fields`, which the caller
 * has cleared. `name` and `index` are for messages. Inlined, because most messages are two to four
 * short integers. */
CHECKED __attribute__((always_inline)) static inline enum status
read_scalars(const struct decode_context *context, struct wire message, unsigned last,
             uint64_t *fields, const char *name, int64_t index)
{
    message.at = wire_read_integers(message, context->words_end, (2u << last) - 2, fields);
    if (__builtin_expect(message.at < message.end, 0))
        return read_scalars_any(context, message, last, fields, name, index);
    return STATUS_OK;
}

#endif

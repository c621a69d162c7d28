/* SPDX-License-Identifier: Apache-2.0 */
/* The cold half of the wire reader: turns "this field cannot be read" into a status and a sentence.
 *
 * Input: the reader stopped at the bad field. Output: STATUS_TRUNCATED or STATUS_BAD_WIRE with
 * message name, index and byte offset. Reads the field again, byte by byte; never on the hot path.
 */
#include "proto/wire.h"

#include <inttypes.h>

struct wire_integer wire_varint_long(const uint8_t *at, const uint8_t *end)
{
    uint64_t word = end - at >= 8 ? wire_word(at) : WIRE_CONTINUES;
    uint64_t stops = ~word & WIRE_CONTINUES;

    if (stops == 0) { /* near the end, or nine or ten bytes: negative numbers */
        at = varint_read(at, end, &word);
        return (struct wire_integer){at, word};
    }
    return (struct wire_integer){at + (__builtin_ctzll(stops) + 1) / 8, wire_fold(word, stops)};
}

const uint8_t *wire_read_any(const uint8_t *at, const uint8_t *end, struct wire_field *ret_field)
{
    uint64_t size = 0;

    at = varint_read(at, end, &ret_field->tag);
    if (!at)
        return NULL;
    ret_field->value = 0;
    ret_field->nested = (struct wire){at, at};
    switch (ret_field->tag & 7) {
    case WIRE_VARINT:
        return varint_read(at, end, &ret_field->value);
    case WIRE_BYTES:
        at = varint_read(at, end, &size);
        if (!at || size > (uint64_t)(end - at))
            return NULL;
        ret_field->nested = (struct wire){at, at + size};
        return at + size;
    case WIRE_FIXED64:
    case WIRE_FIXED32:
        size = (ret_field->tag & 7) == WIRE_FIXED64 ? 8 : 4;
        return size <= (uint64_t)(end - at) ? at + size : NULL;
    default:
        return NULL;
    }
}

/* Only what the body's end cuts is truncated: a message inside it arrived whole. */
static bool at_top(struct wire_place place)
{
    return place.index == ERROR_NONE;
}

/* A varint that could not be read: cut by the end of the body, or broken. */
static enum status fail_varint(const uint8_t *at, struct wire wire, struct wire_place place,
                               const char *what, struct error *err)
{
    size_t offset = (size_t)(at - place.start);

    if (wire.end - at < VARINT_MAX_BYTES && at_top(place))
        return error_set_at(err, STATUS_TRUNCATED, place.message, place.index, ERROR_NONE,
                            "the body ends inside %s at offset %zu, in %s", what, offset,
                            place.message);
    return error_set_at(err, STATUS_BAD_WIRE, place.message, place.index, VARINT_MAX_BYTES,
                        "%s at offset %zu, in %s, does not end within its message or ten bytes",
                        what, offset, place.message);
}

static enum status fail_length(uint64_t size, const uint8_t *at, struct wire wire,
                               struct wire_place place, uint64_t number, struct error *err)
{
    bool cut = at_top(place);

    return error_set_at(
        err, cut ? STATUS_TRUNCATED : STATUS_BAD_WIRE, place.message, place.index, wire.end - at,
        "field %" PRIu64 " of %s at offset %zu claims %" PRIu64 " bytes, %zu are left in its %s",
        number, place.message, (size_t)(at - place.start), size, (size_t)(wire.end - at),
        cut ? "body" : "message");
}

enum status wire_fail(struct wire wire, struct wire_place place, struct error *err)
{
    uint64_t tag = *wire.at; /* enough for the wire type when the rest is missing */
    uint64_t size = 0;
    const uint8_t *at = varint_read(wire.at, wire.end, &tag);
    unsigned type = (unsigned)(tag & 7);

    if (type != WIRE_VARINT && type != WIRE_FIXED64 && type != WIRE_BYTES && type != WIRE_FIXED32)
        return error_set_at(err, STATUS_BAD_WIRE, place.message, place.index, ERROR_NONE,
                            "wire type %u at offset %zu, in %s, is not known", type,
                            (size_t)(wire.at - place.start), place.message);
    if (!at)
        return fail_varint(wire.at, wire, place, "a field tag", err);
    if (type == WIRE_VARINT)
        return fail_varint(at, wire, place, "an integer", err);
    if (type == WIRE_BYTES) {
        const uint8_t *length = at;

        at = varint_read(length, wire.end, &size);
        if (!at)
            return fail_varint(length, wire, place, "a length", err);
    } else {
        size = type == WIRE_FIXED64 ? 8 : 4;
    }
    return fail_length(size, at, wire, place, tag >> 3, err);
}

enum status wire_fail_type(uint64_t tag, struct wire_place place, struct error *err)
{
    return error_set_at(err, STATUS_BAD_WIRE, place.message, place.index, ERROR_NONE,
                        "field %" PRIu64 " of %s has the wrong wire type %u", tag >> 3,
                        place.message, (unsigned)(tag & 7));
}

enum status wire_fail_packed(const uint8_t *at, struct wire_place place, struct error *err)
{
    return error_set_at(err, STATUS_BAD_WIRE, place.message, place.index, VARINT_MAX_BYTES,
                        "a packed integer at offset %zu, in %s, does not end within its field or "
                        "ten bytes",
                        (size_t)(at - place.start), place.message);
}

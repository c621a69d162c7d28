/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf's wire format as a stream of fields over bytes that stay where they are.
 *
 * A reader holds [at, end) of one message. Every read checks against `end` and either consumes a
 * whole field or fails and leaves `at` at that field's first byte, so that the cold wire_fail can
 * look again and say what is wrong. What is legal follows the pprof reference: wire types 0, 1, 2
 * and 5; padded varints; any field number; lengths inside the message that holds them.
 *
 * Nothing is copied or allocated; bytes handed out are the caller's. */
#ifndef BRAZIER_PROTO_WIRE_H
#define BRAZIER_PROTO_WIRE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "proto/base/error.h"
#include "proto/base/varint.h"

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* A field's number and wire type in one integer, as the tag holds them. */
#define WIRE_TAG(number, type) (((uint64_t)(number) << 3) | (uint64_t)(type))

struct wire {
    const uint8_t *at;
    const uint8_t *end;
};

struct wire_field {
    uint64_t tag;       /* WIRE_TAG */
    uint64_t value;     /* of a varint; 0 for the fixed types, which pprof does not use */
    struct wire nested; /* the bytes of a WIRE_BYTES field; empty for others */
};

/* varint_read with the two-byte case inlined too: most ids and string indices have two. */
static inline const uint8_t *wire_varint(const uint8_t *at, const uint8_t *end, uint64_t *ret_value)
{
    if (end - at >= 2) {
        uint64_t low = at[0];
        uint64_t high = at[1];

        if (low < 0x80) {
            *ret_value = low;
            return at + 1;
        }
        if (high < 0x80) {
            *ret_value = (low & 0x7f) | high << 7;
            return at + 2;
        }
    }
    return varint_read(at, end, ret_value);
}

/* Reads the next field. False: malformed (see wire_fail), `wire->at` is unmoved. The caller has
 * checked that at < end. */
static inline bool wire_next(struct wire *wire, struct wire_field *ret_field)
{
    const uint8_t *at = wire_varint(wire->at, wire->end, &ret_field->tag);
    uint64_t size = 0;

    if (!at)
        return false;
    ret_field->nested = (struct wire){at, at};
    switch (ret_field->tag & 7) {
    case WIRE_VARINT:
        at = wire_varint(at, wire->end, &ret_field->value);
        if (!at)
            return false;
        wire->at = at;
        return true;
    case WIRE_BYTES:
        at = wire_varint(at, wire->end, &size);
        if (!at)
            return false;
        if (size > (uint64_t)(wire->end - at))
            return false;
        ret_field->nested = (struct wire){at, at + size};
        break;
    case WIRE_FIXED64:
        size = 8;
        break;
    case WIRE_FIXED32:
        size = 4;
        break;
    default:
        return false;
    }
    if (size > (uint64_t)(wire->end - at))
        return false;
    ret_field->value = 0;
    wire->at = at + size;
    return true;
}

/* How many varints end inside the packed bytes: those without the continuation bit. A last one
 * that is cut is not counted; whoever reads them finds it. */
static inline uint32_t wire_count_packed(struct wire packed)
{
    const uint64_t continues = UINT64_C(0x8080808080808080);
    const uint8_t *at = packed.at;
    uint32_t count = 0;

    for (; packed.end - at >= 8; at += 8) {
        uint64_t word;

        memcpy(&word, at, sizeof word);
        count += 8;
        if (word & continues) /* one multiplication adds up the eight bits */
            count -= (uint32_t)((((word & continues) >> 7) * UINT64_C(0x0101010101010101)) >> 56);
    }
    for (; at < packed.end; at++)
        count += *at < 0x80;
    return count;
}

/* What wire_fail needs to name the place. */
struct wire_place {
    const uint8_t *start; /* of the body, for offsets */
    const char *message;  /* static: "sample", "location.line"; "profile" at the top */
    int64_t index;        /* which of them; ERROR_NONE at the top */
};

/* Says why wire_next failed at `wire->at`: STATUS_TRUNCATED when the body itself ends inside the
 * field, STATUS_BAD_WIRE for anything else, such as a field longer than the message it is in. */
CHECKED enum status wire_fail(const struct wire *wire, const struct wire_place *place,
                              struct error *err);

/* STATUS_BAD_WIRE for a known field that was read but has another wire type than the format says.
 */
CHECKED enum status wire_fail_type(const struct wire_field *field, const struct wire_place *place,
                                   struct error *err);

/* Says why a varint at `at` in packed bytes cannot be read: STATUS_BAD_WIRE. */
CHECKED enum status wire_fail_packed(const uint8_t *at, const struct wire_place *place,
                                     struct error *err);

#endif

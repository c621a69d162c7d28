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

#include <endian.h>
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
    uint64_t value;     /* of a WIRE_VARINT; of no meaning for others */
    struct wire nested; /* the bytes of a WIRE_BYTES field; empty for others */
};

/* The continuation bits of eight integers' bytes. */
#define WIRE_CONTINUES UINT64_C(0x8080808080808080)

/* Eight bytes as one integer, the first lowest. The caller has checked that they are there. */
static inline uint64_t wire_word(const uint8_t *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return le64toh(word);
}

/* An integer that was read and where it ended, in two registers; `at` is NULL if it was malformed.
 */
struct wire_integer {
    const uint8_t *at;
    uint64_t value;
};

/* varint_read for integers of any length, out of line. */
struct wire_integer wire_varint_long(const uint8_t *at, const uint8_t *end);

/* As varint_read, with integers of up to three bytes inlined: nearly all ids, string indices and
 * lengths. Here and below nothing that the fast path keeps in registers has its address taken. */
__attribute__((always_inline)) static inline struct wire_integer wire_varint(const uint8_t *at,
                                                                             const uint8_t *end)
{
    ptrdiff_t left = end - at;

    if (left >= 1 && at[0] < 0x80)
        return (struct wire_integer){at + 1, at[0]};
    if (left >= 2 && at[1] < 0x80)
        return (struct wire_integer){at + 2, (uint64_t)(at[0] & 0x7f) | (uint64_t)at[1] << 7};
    if (left >= 3 && at[2] < 0x80)
        return (struct wire_integer){at + 3, (uint64_t)(at[0] & 0x7f) |
                                                 (uint64_t)(at[1] & 0x7f) << 7 |
                                                 (uint64_t)at[2] << 14};
    return wire_varint_long(at, end);
}

/* wire_next for the fields its fast path does not take. */
bool wire_next_any(struct wire *wire, struct wire_field *ret_field);

/* Reads the next field. False: malformed (see wire_fail), `wire->at` is unmoved. The caller has
 * checked that at < end. Inlined, because a call costs more than the usual field: a tag of one byte
 * before a short integer or length. */
__attribute__((always_inline)) static inline bool wire_next(struct wire *wire,
                                                            struct wire_field *ret_field)
{
    uint64_t tag = *wire->at;
    struct wire_integer integer;

    if (tag >= 0x80 || ((tag & 7) != WIRE_VARINT && (tag & 7) != WIRE_BYTES)) {
        struct wire rest = *wire;
        struct wire_field field = {0};
        bool read = wire_next_any(&rest, &field);

        *wire = rest;
        *ret_field = field;
        return read;
    }
    integer = wire_varint(wire->at + 1, wire->end);
    if (!integer.at)
        return false;
    ret_field->tag = tag;
    ret_field->value = integer.value;
    ret_field->nested = (struct wire){integer.at, integer.at};
    if ((tag & 7) == WIRE_BYTES) {
        if (integer.value > (uint64_t)(wire->end - integer.at))
            return false;
        ret_field->nested.end = integer.at + integer.value;
    }
    wire->at = ret_field->nested.end;
    return true;
}

/* Up to seven bytes as wire_word would read them, the missing ones continuing. */
static inline uint64_t wire_partial_word(const uint8_t *at, size_t size_bytes)
{
    uint64_t missing = WIRE_CONTINUES << (8 * size_bytes);
    uint32_t low = 0;
    uint32_t high = 0;

    if (size_bytes >= 4) {
        memcpy(&low, at, sizeof low);
        memcpy(&high, at + size_bytes - 4, sizeof high);
        return (uint64_t)le32toh(low) | (uint64_t)le32toh(high) << (8 * (size_bytes - 4)) | missing;
    }
    if (size_bytes > 0)
        low = at[0] | (uint32_t)at[size_bytes / 2] << (8 * (size_bytes / 2)) |
              (uint32_t)at[size_bytes - 1] << (8 * (size_bytes - 1));
    return low | missing;
}

/* How many of the eight bytes end an integer. */
static inline uint32_t wire_count_stops(uint64_t word)
{
    /* one multiplication adds up the eight bits */
    return (uint32_t)((((~word & WIRE_CONTINUES) >> 7) * UINT64_C(0x0101010101010101)) >> 56);
}

/* How many varints end inside the packed bytes: those without the continuation bit. A last one
 * that is cut is not counted; whoever reads them finds it. */
static inline uint32_t wire_count_packed(struct wire packed)
{
    const uint8_t *at = packed.at;
    uint32_t count = 0;

    for (; packed.end - at >= 8; at += 8)
        count += wire_count_stops(wire_word(at));
    return count + wire_count_stops(wire_partial_word(at, (size_t)(packed.end - at)));
}

/* Where a fault is, for its message. */
struct wire_place {
    const uint8_t *start; /* of the body, for offsets */
    const char *message;  /* static: "sample", "location.line"; "profile" at the top */
    int64_t index;        /* which of them; ERROR_NONE at the top */
};

/* Says why wire_next failed at `wire.at`: STATUS_TRUNCATED when the body itself ends inside the
 * field, STATUS_BAD_WIRE for anything else, such as a field longer than the message it is in. */
CHECKED enum status wire_fail(struct wire wire, struct wire_place place, struct error *err);

/* STATUS_BAD_WIRE for a known field that was read but has another wire type than the format says.
 */
CHECKED enum status wire_fail_type(uint64_t tag, struct wire_place place, struct error *err);

/* Says why a varint at `at` in packed bytes cannot be read: STATUS_BAD_WIRE. */
CHECKED enum status wire_fail_packed(const uint8_t *at, struct wire_place place, struct error *err);

#endif

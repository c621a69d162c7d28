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

/* Reads a field of any kind at `at`, out of line, and returns where it ends; NULL: malformed. */
const uint8_t *wire_read_any(const uint8_t *at, const uint8_t *end, struct wire_field *ret_field);

/* wire_next without its fast path. Inlined, so that callers keep wire and field in registers. */
__attribute__((always_inline)) static inline bool wire_next_any(struct wire *wire,
                                                                struct wire_field *ret_field)
{
    struct wire_field field = {0};
    const uint8_t *at = wire_read_any(wire->at, wire->end, &field);

    ret_field->tag = field.tag; /* member by member, or they are moved as vectors in memory */
    ret_field->value = field.value;
    ret_field->nested.at = field.nested.at;
    ret_field->nested.end = field.nested.end;
    if (!at)
        return false;
    wire->at = at;
    return true;
}

/* Reads the next field. False: malformed (see wire_fail), `wire->at` is unmoved. The caller has
 * checked that at < end. Inlined, because a call costs more than the usual field: a tag of one byte
 * before a short integer or length. */
__attribute__((always_inline)) static inline bool wire_next(struct wire *wire,
                                                            struct wire_field *ret_field)
{
    uint64_t tag = *wire->at;
    struct wire_integer integer;

    if (__builtin_expect(tag >= 0x80 || ((tag & 7) != WIRE_VARINT && (tag & 7) != WIRE_BYTES), 0))
        return wire_next_any(wire, ret_field);
    integer = wire_varint(wire->at + 1, wire->end);
    if (__builtin_expect(!integer.at, 0))
        return false;
    ret_field->tag = tag;
    ret_field->value = integer.value;
    ret_field->nested = (struct wire){integer.at, integer.at};
    if ((tag & 7) == WIRE_BYTES) {
        if (__builtin_expect(integer.value > (uint64_t)(wire->end - integer.at), 0))
            return false;
        ret_field->nested.end = integer.at + integer.value;
    }
    wire->at = ret_field->nested.end;
    return true;
}

/* The end of where eight bytes can be read from in a body: any address below it is good. */
static inline const uint8_t *wire_words_end(const uint8_t *start, const uint8_t *end)
{
    return end - start >= 8 ? end - 7 : start;
}

/* The integer of up to seven bytes that the first stop, of `stops`, in `word` ends. Three steps
 * close the gaps between groups of seven bits: no branch per byte. */
static inline uint64_t wire_fold(uint64_t word, uint64_t stops)
{
    word &= (stops ^ (stops - 1)) & ~WIRE_CONTINUES; /* up to the first stop */
    word = (word & UINT64_C(0x7f007f007f007f00)) >> 1 | (word & UINT64_C(0x007f007f007f007f));
    word = (word & UINT64_C(0x3fff00003fff0000)) >> 2 | (word & UINT64_C(0x00003fff00003fff));
    return (word & UINT64_C(0x0fffffff00000000)) >> 4 | (word & UINT64_C(0x000000000fffffff));
}

/* The integer at `at`, whose first seven bytes are those of `word`. NULL: it has more. */
__attribute__((always_inline)) static inline struct wire_integer wire_word_varint(const uint8_t *at,
                                                                                  uint64_t word)
{
    uint64_t stops;

    if (!(word & 0x80))
        return (struct wire_integer){at + 1, word & 0x7f};
    if (!(word & 0x8000))
        return (struct wire_integer){at + 2, (word & 0x7f) | (word >> 1 & 0x3f80)};
    stops = ~word & (WIRE_CONTINUES >> 8);
    if (__builtin_expect(stops == 0, 0))
        return (struct wire_integer){NULL, 0};
    return (struct wire_integer){at + (__builtin_ctzll(stops) + 1) / 8, wire_fold(word, stops)};
}

/* As wire_next, for a message inside a body whose wire_words_end is `words_end`. One load fetches
 * tag and integer; it may reach behind the message, so only the result is checked against its end.
 * What is longer, at the body's very end or malformed is left to wire_next_any. Integers and bytes
 * part early, so that callers who ignore an integer's value do not pay for it. */
__attribute__((always_inline)) static inline bool
wire_next_inside(struct wire *wire, const uint8_t *words_end, struct wire_field *ret_field)
{
    uint64_t word = wire->at < words_end ? wire_word(wire->at) : UINT8_MAX;

    if ((word & 0x87) == WIRE_VARINT) {
        struct wire_integer integer = wire_word_varint(wire->at + 1, word >> 8);

        if (__builtin_expect(integer.at && integer.at <= wire->end, 1)) {
            ret_field->tag = word & 0x7f;
            ret_field->value = integer.value;
            ret_field->nested.at = ret_field->nested.end = integer.at;
            wire->at = integer.at;
            return true;
        }
    } else if ((word & 0x87) == WIRE_BYTES) {
        uint64_t size = word >> 8 & 0x7f;
        const uint8_t *at = wire->at + 2;

        if (word & 0x8000) { /* a length of three bytes or more is none that fits */
            size = word & 0x800000 ? INT64_MAX : size | (word >> 9 & 0x3f80);
            at++;
        }
        if (__builtin_expect((ptrdiff_t)size <= wire->end - at, 1)) {
            ret_field->tag = word & 0x7f;
            ret_field->value = size;
            ret_field->nested.at = at;
            ret_field->nested.end = at + size;
            wire->at = at + size;
            return true;
        }
    }
    return wire_next_any(wire, ret_field);
}

/* Reads the short integers that a message begins with, those whose field numbers, up to 15, are
 * bits of `known`, into fields[number], last one wins. Returns where it stopped: the end, or a
 * field of another kind, an unknown, long or malformed one. */
__attribute__((always_inline)) static inline const uint8_t *
wire_read_integers(struct wire wire, const uint8_t *words_end, unsigned known, uint64_t *fields)
{
    while (wire.at < wire.end && wire.at < words_end) {
        uint64_t word = wire_word(wire.at);
        unsigned number = (unsigned)(word & 0x78) >> 3;
        struct wire_integer integer;

        if ((word & 0x87) != WIRE_VARINT || !(known >> number & 1))
            break;
        integer = wire_word_varint(wire.at + 1, word >> 8);
        if (__builtin_expect(!integer.at || integer.at > wire.end, 0))
            break;
        fields[number] = integer.value;
        wire.at = integer.at;
    }
    return wire.at;
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

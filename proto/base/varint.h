/* SPDX-License-Identifier: Apache-2.0 */
/* Base-128 integers, least significant group first, as protobuf and our vectors use them. */
#ifndef BRAZIER_PROTO_BASE_VARINT_H
#define BRAZIER_PROTO_BASE_VARINT_H

#include <stddef.h>
#include <stdint.h>

#define VARINT_MAX_BYTES 10 /* ceil(64 / 7) */

/* Writes `value` at `out` (room for VARINT_MAX_BYTES) and returns the end of what was written. */
static inline uint8_t *varint_write(uint8_t *out, uint64_t value)
{
    while (value >= 0x80) {
        *out++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *out++ = (uint8_t)value;
    return out;
}

/* Reads one integer from [at, end) and returns the byte after it; NULL: it runs past `end` or has
 * more than ten bytes. Padded (non-minimal) forms are legal; bits above 2^64 are dropped, as the
 * pprof reference does. */
static inline const uint8_t *varint_read(const uint8_t *at, const uint8_t *end, uint64_t *ret_value)
{
    uint64_t value = 0;

    if (at < end && *at < 0x80) { /* one byte: by far the most common */
        *ret_value = *at;
        return at + 1;
    }
    for (unsigned shift = 0; shift < 7 * VARINT_MAX_BYTES && at < end; shift += 7) {
        uint8_t byte = *at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *ret_value = value;
            return at;
        }
    }
    return NULL;
}

/* Signed values near zero as small unsigned ones: 0, -1, 1, -2 become 0, 1, 2, 3. */
static inline uint64_t varint_zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static inline int64_t varint_unzigzag(uint64_t value)
{
    return (int64_t)((value >> 1) ^ (~(value & 1) + 1));
}

#endif

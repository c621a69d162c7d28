/* SPDX-License-Identifier: Apache-2.0 */
/* What bytes that failed to decode really are.
 *
 * Input: a body that is not a valid profile. Output: whether it was ever meant as one. Error pages,
 * JSON, folded stacks and other compressions get "not a profile" instead of a puzzling complaint
 * about a wire type. Runs only after a failure, so it can never refuse a valid profile. */
#include "proto/decode_columns.h"
#include "proto/wire.h"

/* Text this long without a control character is text: each pprof field begins with one. */
#define SNIFF_TEXT_BYTES 256

static bool begins_with_magic(struct slice bytes)
{
    static const struct slice magics[] = {
        {"\x1f\x8b", 2},         /* gzip: here inside gzip */
        {"\x28\xb5\x2f\xfd", 4}, /* zstd */
        {"\x78\x01", 2},         /* zlib, three levels of four */
        {"\x78\x5e", 2},
        {"\x78\x9c", 2},
        {"\x78\xda", 2},
        {"BZh", 3},
        {"\xfd"
         "7zXZ",
         5},
        {"PK\x03\x04", 4},
        {"PERFILE2", 8},
        {"FLR\0", 4}, /* JFR */
        {"\x7f"
         "ELF",
         4},
    };

    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (bytes.size_bytes >= magics[i].size_bytes &&
            memcmp(bytes.data, magics[i].data, magics[i].size_bytes) == 0)
            return true;
    return false;
}

static bool is_text(struct slice bytes)
{
    size_t size = bytes.size_bytes < SNIFF_TEXT_BYTES ? bytes.size_bytes : SNIFF_TEXT_BYTES;

    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)bytes.data[i];

        if (c == 0x7f || (c < 0x20 && c != '\t' && c != '\n' && c != '\r'))
            return false;
    }
    return true;
}

/* A first tag that no Profile begins with: number 0, unknown, or a wire type that does not exist.
 */
static bool begins_with_foreign_tag(struct slice bytes)
{
    const uint8_t *at = (const uint8_t *)bytes.data;
    uint64_t tag = 0;

    if (!varint_read(at, at + bytes.size_bytes, &tag))
        return true;
    switch (tag & 7) {
    case WIRE_VARINT:
    case WIRE_FIXED64:
    case WIRE_BYTES:
    case WIRE_FIXED32:
        return tag >> 3 == 0 || tag >> 3 > 15;
    default:
        return true;
    }
}

bool decode_is_foreign(struct slice bytes)
{
    return begins_with_magic(bytes) || is_text(bytes) || begins_with_foreign_tag(bytes);
}

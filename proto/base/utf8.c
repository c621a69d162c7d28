/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 well-formedness by the table of the Unicode standard (chapter 3, table 3-7). */
#include "proto/base/utf8.h"

#include <stdint.h>

/* Bytes of the well-formed character at `at`, or 0 when there is none. `at < end`. */
static size_t utf8_length(const unsigned char *at, const unsigned char *end)
{
    size_t left_bytes = (size_t)(end - at);
    unsigned char lead = at[0];
    unsigned char low = 0x80, high = 0xbf; /* bounds of the second byte */
    size_t length;

    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (left_bytes < length)
        return 0;
    if (lead == 0xe0)
        low = 0xa0; /* overlong */
    else if (lead == 0xed)
        high = 0x9f; /* surrogates */
    else if (lead == 0xf0)
        low = 0x90; /* overlong */
    else if (lead == 0xf4)
        high = 0x8f; /* past U+10FFFF */
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++) {
        if (at[i] < 0x80 || at[i] > 0xbf)
            return 0;
    }
    return length;
}

/* The first byte that is not part of a well-formed character, or `end`. */
static const unsigned char *utf8_skip_valid(const unsigned char *at, const unsigned char *end)
{
    while (at < end) {
        uint64_t word;
        size_t length;

        if (end - at >= (ptrdiff_t)sizeof(word)) { /* eight ASCII bytes at once */
            memcpy(&word, at, sizeof(word));
            if ((word & UINT64_C(0x8080808080808080)) == 0) {
                at += sizeof(word);
                continue;
            }
        }
        length = utf8_length(at, end);
        if (length == 0)
            return at;
        at += length;
    }
    return end;
}

bool utf8_valid(struct slice text)
{
    const unsigned char *at = (const unsigned char *)text.data;

    return text.size_bytes == 0 ||
           utf8_skip_valid(at, at + text.size_bytes) == at + text.size_bytes;
}

enum status utf8_clean(struct slice text, struct arena *arena, struct error *err,
                       struct slice *ret_clean)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *at = (const unsigned char *)text.data;
    const unsigned char *end;
    size_t bad_count = 0;
    char *clean, *out;

    if (utf8_valid(text)) {
        *ret_clean = text;
        return STATUS_OK;
    }
    end = at + text.size_bytes;
    for (const unsigned char *p = at; (p = utf8_skip_valid(p, end)) < end; p++)
        bad_count++;
    clean = out = arena_array(arena, text.size_bytes + 3 * bad_count, char);
    if (clean == NULL)
        return arena_exhausted(arena, err, "name");
    while (at < end) {
        const unsigned char *bad = utf8_skip_valid(at, end);

        memcpy(out, at, (size_t)(bad - at));
        out += bad - at;
        at = bad;
        if (at < end) {
            *out++ = '\\';
            *out++ = 'x';
            *out++ = hex[*at >> 4];
            *out++ = hex[*at & 15];
            at++;
        }
    }
    *ret_clean = slice_make(clean, (size_t)(out - clean));
    return STATUS_OK;
}

void utf8_mask(char *text)
{
    unsigned char *at = (unsigned char *)text;
    const unsigned char *end = at + strlen(text);

    while (at < end) {
        size_t length = utf8_length(at, end);

        if (length == 0 || (length == 1 && (*at < 0x20 || *at == 0x7f))) {
            *at = '?';
            length = 1;
        } else if (length == 2 && at[0] == 0xc2 && at[1] < 0xa0) { /* U+0080 to U+009F */
            at[0] = at[1] = '?';
        }
        at += length;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A text in a blob: its size as a varint, then its bytes. */
#ifndef BRAZIER_STORAGE_SIZED_TEXT_H
#define BRAZIER_STORAGE_SIZED_TEXT_H

#include <string.h>

#include "proto/base/slice.h"
#include "proto/base/varint.h"

/* Writes at `at`, where there is room for VARINT_MAX_BYTES and the text; returns what follows. */
static inline uint8_t *sized_text_write(uint8_t *at, struct slice text)
{
    at = varint_write(at, text.size_bytes);
    if (text.size_bytes > 0)
        memcpy(at, text.data, text.size_bytes);
    return at + text.size_bytes;
}

/* Reads at `at`, below `end`; returns what follows, or NULL: there is no such text. `ret_text`
 * points into the blob. */
static inline const uint8_t *sized_text_read(const uint8_t *at, const uint8_t *end,
                                             struct slice *ret_text)
{
    uint64_t size_bytes = 0;

    at = varint_read(at, end, &size_bytes);
    if (at == NULL || size_bytes > (uint64_t)(end - at))
        return NULL;
    *ret_text = slice_make(at, size_bytes);
    return at + size_bytes;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The growing byte buffer: doubles up to its maximum, then fails once and for good. */
#include "proto/base/buf.h"

#include <stdlib.h>

#include "proto/base/varint.h"

#define BUF_FIRST_BYTES 4096u /* most answers are a few KiB */

void buf_init(struct buf *buf, size_t max_bytes)
{
    *buf = (struct buf){.max_bytes = max_bytes};
}

void buf_free(struct buf *buf)
{
    free(buf->data);
    buf_init(buf, buf->max_bytes);
}

static void buf_fail(struct buf *buf, bool no_memory)
{
    buf_free(buf);
    buf->failed = true;
    buf->no_memory = no_memory;
}

char *buf_reserve(struct buf *buf, size_t size_bytes)
{
    size_t need_bytes, capacity_bytes;
    char *data;

    if (buf->failed)
        return NULL;
    if (__builtin_add_overflow(buf->size_bytes, size_bytes, &need_bytes) ||
        need_bytes > buf->max_bytes) {
        buf_fail(buf, false);
        return NULL;
    }
    if (need_bytes <= buf->capacity_bytes && buf->data != NULL)
        return buf->data + buf->size_bytes;
    capacity_bytes = buf->capacity_bytes == 0 ? BUF_FIRST_BYTES : buf->capacity_bytes;
    while (capacity_bytes < need_bytes)
        capacity_bytes = capacity_bytes > buf->max_bytes / 2 ? buf->max_bytes : capacity_bytes * 2;
    data = realloc(buf->data, capacity_bytes);
    if (data == NULL) {
        buf_fail(buf, true);
        return NULL;
    }
    buf->data = data;
    buf->capacity_bytes = capacity_bytes;
    return buf->data + buf->size_bytes;
}

void buf_advance(struct buf *buf, size_t size_bytes)
{
    buf->size_bytes += size_bytes;
}

void buf_append(struct buf *buf, const void *bytes, size_t size_bytes)
{
    char *at;

    if (size_bytes == 0)
        return;
    at = buf_reserve(buf, size_bytes);
    if (at == NULL)
        return;
    memcpy(at, bytes, size_bytes);
    buf->size_bytes += size_bytes;
}

void buf_append_char(struct buf *buf, char byte)
{
    char *at = buf_reserve(buf, 1);

    if (at == NULL)
        return;
    *at = byte;
    buf->size_bytes++;
}

void buf_append_text(struct buf *buf, const char *text)
{
    buf_append(buf, text, strlen(text));
}

void buf_append_varint(struct buf *buf, uint64_t value)
{
    uint8_t *at = (uint8_t *)buf_reserve(buf, VARINT_MAX_BYTES);

    if (at != NULL)
        buf_advance(buf, (size_t)(varint_write(at, value) - at));
}

enum status buf_status(const struct buf *buf, struct error *err, const char *what)
{
    if (!buf->failed)
        return STATUS_OK;
    if (buf->no_memory)
        return error_no_memory(err, what);
    return error_set_at(err, STATUS_TOO_LARGE, what, ERROR_NONE, (int64_t)buf->max_bytes,
                        "%s: more than %zu bytes", what, buf->max_bytes);
}

char *buf_take(struct buf *buf)
{
    char *data = buf->data;

    buf_init(buf, buf->max_bytes);
    return data;
}

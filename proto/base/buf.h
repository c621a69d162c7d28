/* SPDX-License-Identifier: Apache-2.0 */
/* A growing byte buffer that cannot be made without its maximum size.
 *
 * The buffer owns its bytes until buf_free or buf_take. Appending never fails visibly: the first
 * append that would pass the maximum or finds no memory drops all contents and marks the buffer,
 * later appends do nothing, and buf_status tells at the end. So a writer of many small pieces
 * checks once. */
#ifndef BRAZIER_PROTO_BASE_BUF_H
#define BRAZIER_PROTO_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/cleanup.h"
#include "proto/base/error.h"
#include "proto/base/slice.h"

struct buf {
    char *data; /* NULL until the first append */
    size_t size_bytes;
    size_t capacity_bytes;
    size_t max_bytes; /* fixed by buf_init */
    bool failed;      /* sticky: contents are gone */
    bool no_memory;   /* why it failed: malloc, not the maximum */
};

/* An empty buffer; allocates nothing. */
void buf_init(struct buf *buf, size_t max_bytes);

/* Frees the bytes; the buffer is then as after buf_init. */
void buf_free(struct buf *buf);

void buf_append(struct buf *buf, const void *bytes, size_t size_bytes);
void buf_append_char(struct buf *buf, char byte);
void buf_append_text(struct buf *buf, const char *text); /* NUL-terminated, without the NUL */
void buf_append_varint(struct buf *buf, uint64_t value); /* as varint_write */

/* Room for `size_bytes` more at the end, for writers that fill it themselves and then call
 * buf_advance with what they used. NULL: failed (see buf_status). */
char *buf_reserve(struct buf *buf, size_t size_bytes);
void buf_advance(struct buf *buf, size_t size_bytes);

/* STATUS_OK, STATUS_TOO_LARGE (the maximum, named with `what`) or STATUS_UNAVAILABLE (memory). */
CHECKED enum status buf_status(const struct buf *buf, struct error *err, const char *what);

/* Hands the bytes (malloc'd) to the caller and empties the buffer. NULL when it is empty. */
char *buf_take(struct buf *buf);

static inline void buf_cleanup(struct buf *buf)
{
    buf_free(buf);
}

#endif

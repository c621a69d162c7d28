/* SPDX-License-Identifier: Apache-2.0 */
/* A run of bytes that somebody else owns: pointer and length, not NUL-terminated.
 *
 * Names from profiles may hold NUL and any other byte, so text from input never travels as a C
 * string. Each header that hands out a slice says how long its bytes live. */
#ifndef BRAZIER_PROTO_BASE_SLICE_H
#define BRAZIER_PROTO_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct slice {
    const char *data; /* may be NULL when size_bytes is 0 */
    size_t size_bytes;
};

/* The slice of a string literal. */
#define SLICE_LITERAL(text) ((struct slice){.data = "" text, .size_bytes = sizeof(text) - 1})

static inline struct slice slice_of(const char *text)
{
    return (struct slice){.data = text, .size_bytes = strlen(text)};
}

static inline struct slice slice_make(const void *data, size_t size_bytes)
{
    return (struct slice){.data = data, .size_bytes = size_bytes};
}

static inline bool slice_equal(struct slice a, struct slice b)
{
    return a.size_bytes == b.size_bytes &&
           (a.size_bytes == 0 || memcmp(a.data, b.data, a.size_bytes) == 0);
}

/* Bytewise order, a prefix before what it begins: <0, 0, >0 as memcmp. */
static inline int slice_compare(struct slice a, struct slice b)
{
    size_t shared = a.size_bytes < b.size_bytes ? a.size_bytes : b.size_bytes;
    int order = shared == 0 ? 0 : memcmp(a.data, b.data, shared);

    if (order != 0)
        return order;
    return (a.size_bytes > b.size_bytes) - (a.size_bytes < b.size_bytes);
}

#endif

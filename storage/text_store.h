/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of text that stay where they are: chunks that are filled once and never move.
 *
 * The owner zero-initialises the struct and serialises copying; what was copied may be read from
 * any thread, until text_store_free. */
#ifndef BRAZIER_STORAGE_TEXT_STORE_H
#define BRAZIER_STORAGE_TEXT_STORE_H

#include <stdlib.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/base/slice.h"

/* Names of a small service fit one chunk; a longer text gets a chunk of its own. */
#define TEXT_STORE_CHUNK_BYTES (64 * LIMIT_KIB)

struct text_chunk {
    struct text_chunk *next;
    size_t size_bytes;
    size_t used_bytes;
    char bytes[];
};

struct text_store {
    struct text_chunk *chunks; /* newest first */
    size_t text_bytes;         /* copied */
    size_t memory_bytes;       /* taken from the system */
};

static inline void text_store_free(struct text_store *store)
{
    while (store->chunks != NULL) {
        struct text_chunk *next = store->chunks->next;
        free(store->chunks);
        store->chunks = next;
    }
}

/* Room for `size_bytes` bytes that the caller fills. NULL: no memory. */
static inline char *text_store_room(struct text_store *store, size_t size_bytes)
{
    struct text_chunk *chunk = store->chunks;

    if (chunk == NULL || chunk->size_bytes - chunk->used_bytes < size_bytes) {
        size_t room = size_bytes > TEXT_STORE_CHUNK_BYTES ? size_bytes : TEXT_STORE_CHUNK_BYTES;

        chunk = malloc(sizeof(*chunk) + room);
        if (chunk == NULL)
            return NULL;
        *chunk = (struct text_chunk){.next = store->chunks, .size_bytes = room};
        store->chunks = chunk;
        store->memory_bytes += sizeof(*chunk) + room;
    }
    chunk->used_bytes += size_bytes;
    store->text_bytes += size_bytes;
    return chunk->bytes + chunk->used_bytes - size_bytes;
}

/* The copy of two texts one behind the other. NULL: no memory. */
static inline const char *text_store_join(struct text_store *store, struct slice a, struct slice b)
{
    char *text = text_store_room(store, a.size_bytes + b.size_bytes);

    if (text != NULL && a.size_bytes > 0)
        memcpy(text, a.data, a.size_bytes);
    if (text != NULL && b.size_bytes > 0)
        memcpy(text + a.size_bytes, b.data, b.size_bytes);
    return text;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a text the way a download arrives: in pieces, into a buffer that grows. Inflating stands in
 * for the network of the original tutorial. */
#include "samples/shakesapp/text.h"

#include <stdlib.h>

#include <zlib.h>

#define NOINLINE    __attribute__((noinline))
#define FIRST_BYTES 512

static NOINLINE bool grow_buffer(char **bytes, size_t *capacity_bytes)
{
    size_t larger = *capacity_bytes ? 2 * *capacity_bytes : FIRST_BYTES;
    char *grown = realloc(*bytes, larger);

    if (!grown)
        return false;
    *bytes = grown;
    *capacity_bytes = larger;
    return true;
}

static NOINLINE bool read_all(gzFile file, struct text *text)
{
    char *bytes = NULL;
    size_t capacity_bytes = 0;
    size_t size_bytes = 0;

    for (;;) {
        if (size_bytes == capacity_bytes && !grow_buffer(&bytes, &capacity_bytes))
            break;
        int count = gzread(file, bytes + size_bytes, (unsigned)(capacity_bytes - size_bytes));
        if (count < 0)
            break;
        if (count == 0) {
            text->bytes = bytes;
            text->size_bytes = size_bytes;
            return true;
        }
        size_bytes += (size_t)count;
    }
    free(bytes);
    return false;
}

bool text_read(const char *path, struct text *text)
{
    gzFile file = gzopen(path, "rb");
    bool good = file && read_all(file, text);

    if (file)
        gzclose(file);
    return good;
}

void text_free(struct text *text)
{
    free(text->bytes);
    *text = (struct text){.bytes = NULL};
}

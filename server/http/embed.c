/* SPDX-License-Identifier: Apache-2.0 */
/* Build tool: turns the files of static/ into C, with gzip bytes and ETags worked out beforehand.
 *
 *     embed OUTPUT.c ROOT FILE...      (FILEs are paths below ROOT, sorted)
 *
 * Runs on the building machine only; never part of the server. */
#include <errno.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/buf.h"
#include "proto/gzip.h"
#include "server/http/mime.h"

#define EMBED_FILE_BYTES ((size_t)16 << 20) /* a page file larger than this is a mistake */
#define EMBED_PATH_BYTES 4096

static int fail(const char *what, const char *path)
{
    (void)fprintf(stderr, "embed: %s: %s (%s)\n", path, what, strerror(errno));
    return 1;
}

static void file_cleanup(FILE **file)
{
    if (*file != NULL)
        (void)fclose(*file);
}

static int read_file(const char *path, struct buf *out)
{
    CLEANUP(file_cleanup) FILE *file = fopen(path, "rb");
    char chunk[65536];
    size_t got_bytes;

    if (file == NULL)
        return fail("cannot open", path);
    while ((got_bytes = fread(chunk, 1, sizeof(chunk), file)) > 0)
        buf_append(out, chunk, got_bytes);
    return ferror(file) || out->failed ? fail("cannot read", path) : 0;
}

static void write_array(FILE *out, const char *prefix, unsigned index, const struct buf *bytes)
{
    (void)fprintf(out, "static const unsigned char %s_%u[] = {", prefix, index);
    for (size_t i = 0; i < bytes->size_bytes; i++)
        (void)fprintf(out, "%s%u,", i % 24 == 0 ? "\n" : "", (unsigned char)bytes->data[i]);
    (void)fprintf(out, "%s};\n", bytes->size_bytes == 0 ? "0" : "\n");
}

/* Writes the arrays of one file, and its row of the table to `table`. */
static int embed_file(FILE *out, FILE *table, const char *root, const char *name, unsigned index)
{
    char path[EMBED_PATH_BYTES];
    struct sha256_ctx sha;
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct error err;
    CLEANUP(buf_cleanup) struct buf raw;
    CLEANUP(buf_cleanup) struct buf zipped;

    buf_init(&raw, EMBED_FILE_BYTES);
    buf_init(&zipped, EMBED_FILE_BYTES);
    if (snprintf(path, sizeof(path), "%s/%s", root, name) >= (int)sizeof(path))
        return fail("path too long", name);
    if (read_file(path, &raw) != 0)
        return 1;
    if (gzip_deflate(slice_make(raw.data, raw.size_bytes), 9, &err, &zipped) != STATUS_OK)
        return fail(err.text, path);
    write_array(out, "raw", index, &raw);
    if (zipped.size_bytes < raw.size_bytes)
        write_array(out, "zipped", index, &zipped);
    sha256_init(&sha);
    sha256_update(&sha, raw.size_bytes, (const uint8_t *)raw.data);
    sha256_digest(&sha, sizeof(digest), digest);
    (void)fprintf(table, "    {\"/%s\", \"%s\", \"\\\"", name, mime_of(name));
    for (size_t i = 0; i < 16; i++)
        (void)fprintf(table, "%02x", digest[i]);
    (void)fprintf(table, "\\\"\", raw_%u, %zu, ", index, raw.size_bytes);
    if (zipped.size_bytes < raw.size_bytes)
        (void)fprintf(table, "zipped_%u, %zu},\n", index, zipped.size_bytes);
    else
        (void)fprintf(table, "NULL, 0},\n");
    return 0;
}

int main(int argc, char **argv)
{
    char *table_text = NULL;
    size_t table_bytes = 0;
    FILE *out, *table;
    int failed = 0;

    if (argc < 4) {
        (void)fprintf(stderr, "usage: embed OUTPUT.c ROOT FILE...\n");
        return 2;
    }
    out = fopen(argv[1], "w");
    table = open_memstream(&table_text, &table_bytes);
    if (out == NULL || table == NULL)
        return fail("cannot write", argv[1]);
    (void)fprintf(out, "/* Generated from static/ by embed; do not edit. */\n"
                       "#include \"server/http/assets.h\"\n\n");
    for (int i = 3; i < argc && !failed; i++)
        failed = embed_file(out, table, argv[2], argv[i], (unsigned)i - 3);
    (void)fclose(table);
    (void)fprintf(out, "\nconst struct asset ASSETS[] = {\n%s};\n", table_text);
    (void)fprintf(out, "const size_t ASSET_COUNT = sizeof(ASSETS) / sizeof(ASSETS[0]);\n");
    free(table_text);
    if (fclose(out) != 0 || failed)
        return 1;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Serialisation of call trees. Input: a tree that only grows; output: its tail as one blob, and
 * back. A blob for many nodes instead of a row per node makes loading a scan. Trusts nothing that
 * it reads: sizes, numbers and order are checked although the checksum fits. */
#include "storage/tree_chunk.h"

#include "proto/base/hash.h"
#include "proto/base/varint.h"

#define FORMAT_VERSION 1u
#define CHECKSUM_BYTES 8u

struct tree_mark tree_chunk_mark(const struct calltree *tree)
{
    struct tree_mark mark = {.node_count = calltree_node_count(tree)};

    mark.function_count = calltree_function_count(tree); /* after: covers what the nodes use */
    return mark;
}

/* --- writing --------------------------------------------------------------------------------- */

static void append_slice(struct buf *out, struct slice text)
{
    buf_append_varint(out, text.size_bytes);
    if (text.size_bytes > 0)
        buf_append(out, text.data, text.size_bytes);
}

enum status tree_chunk_encode(const struct calltree *tree, struct tree_mark from,
                              struct tree_mark until, struct error *err, struct buf *out)
{
    const uint32_t *parents = calltree_parents(tree);
    const uint32_t *functions = calltree_functions(tree);
    size_t start_bytes = out->size_bytes;
    enum status status;
    uint64_t checksum;

    buf_append(out, "\0\0\0\0\0\0\0\0", CHECKSUM_BYTES);
    buf_append_varint(out, FORMAT_VERSION);
    buf_append_varint(out, from.function_count);
    buf_append_varint(out, until.function_count - from.function_count);
    buf_append_varint(out, from.node_count);
    buf_append_varint(out, until.node_count - from.node_count);
    for (uint32_t i = from.function_count; i < until.function_count; i++) {
        append_slice(out, calltree_name(tree, i));
        append_slice(out, calltree_file(tree, i));
    }
    for (uint32_t node = from.node_count; node < until.node_count; node++) {
        buf_append_varint(out, node - parents[node]);
        buf_append_varint(out, functions[node]);
    }
    status = buf_status(out, err, "call tree");
    if (status != STATUS_OK)
        return status;
    checksum = hash_bytes(slice_make(out->data + start_bytes + CHECKSUM_BYTES,
                                     out->size_bytes - start_bytes - CHECKSUM_BYTES),
                          0);
    for (unsigned i = 0; i < CHECKSUM_BYTES; i++)
        out->data[start_bytes + i] = (char)(checksum >> (8 * i));
    return STATUS_OK;
}

/* --- reading --------------------------------------------------------------------------------- */

struct cursor {
    const uint8_t *at; /* NULL: something did not fit */
    const uint8_t *end;
};

static uint64_t read_varint(struct cursor *cursor)
{
    uint64_t value = 0;

    if (cursor->at != NULL)
        cursor->at = varint_read(cursor->at, cursor->end, &value);
    return cursor->at == NULL ? 0 : value;
}

static struct slice read_slice(struct cursor *cursor)
{
    uint64_t size_bytes = read_varint(cursor);
    struct slice text = slice_make(cursor->at, size_bytes);

    if (cursor->at == NULL || size_bytes > (uint64_t)(cursor->end - cursor->at)) {
        cursor->at = NULL;
        return SLICE_LITERAL("");
    }
    cursor->at += size_bytes;
    return text;
}

static enum status damaged(struct error *err, const char *what)
{
    return error_set(err, STATUS_INTERNAL, "stored call tree is damaged: %s", what);
}

static bool checksum_fits(struct slice chunk)
{
    uint64_t stored = 0;

    for (unsigned i = 0; i < CHECKSUM_BYTES; i++)
        stored |= (uint64_t)(uint8_t)chunk.data[i] << (8 * i);
    return stored ==
           hash_bytes(slice_make(chunk.data + CHECKSUM_BYTES, chunk.size_bytes - CHECKSUM_BYTES),
                      0);
}

static enum status append_functions(struct calltree *tree, struct cursor *cursor, uint64_t count,
                                    struct error *err)
{
    enum status status = STATUS_OK;

    for (uint64_t i = 0; status == STATUS_OK && i < count; i++) {
        struct slice name = read_slice(cursor);
        struct slice file = read_slice(cursor);

        if (cursor->at == NULL)
            return damaged(err, "functions end early");
        status = calltree_append_function(tree, name, file, err);
    }
    return status;
}

static enum status append_nodes(struct calltree *tree, struct cursor *cursor, uint64_t count,
                                struct error *err)
{
    uint32_t node = calltree_node_count(tree);
    enum status status = STATUS_OK;

    for (uint64_t i = 0; status == STATUS_OK && i < count; i++, node++) {
        uint64_t up = read_varint(cursor);
        uint64_t function = read_varint(cursor);

        if (cursor->at == NULL || up == 0 || up > node || function > UINT32_MAX)
            return damaged(err, "nodes end early or have no parent");
        status = calltree_append_node(tree, node - (uint32_t)up, (uint32_t)function, err);
    }
    return status;
}

enum status tree_chunk_append(struct calltree *tree, struct slice chunk, struct error *err)
{
    struct cursor cursor;
    struct tree_mark mark = tree_chunk_mark(tree);
    uint64_t first_function, function_count, first_node, node_count;
    enum status status;

    if (chunk.size_bytes < CHECKSUM_BYTES || !checksum_fits(chunk))
        return damaged(err, "wrong checksum");
    cursor = (struct cursor){.at = (const uint8_t *)chunk.data + CHECKSUM_BYTES,
                             .end = (const uint8_t *)chunk.data + chunk.size_bytes};
    if (read_varint(&cursor) != FORMAT_VERSION)
        return damaged(err, "unknown format");
    first_function = read_varint(&cursor);
    function_count = read_varint(&cursor);
    first_node = read_varint(&cursor);
    node_count = read_varint(&cursor);
    if (cursor.at == NULL || first_function != mark.function_count || first_node != mark.node_count)
        return damaged(err, "a piece is missing or there twice");
    status = append_functions(tree, &cursor, function_count, err);
    if (status == STATUS_OK)
        status = append_nodes(tree, &cursor, node_count, err);
    if (status == STATUS_OK && cursor.at != cursor.end)
        return damaged(err, "bytes left over");
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Call trees in pieces: what a tree gained between two moments, as bytes for an engine to keep.
 *
 *     checksum (8 bytes, little endian: XXH3 of all that follows) | format version |
 *     first function | functions | first node | nodes |
 *     per function: name size | name | file size | file |
 *     per node: node - parent | function
 *
 * Appending all pieces in order to an empty tree gives a tree with the same numbers. */
#ifndef BRAZIER_STORAGE_TREE_CHUNK_H
#define BRAZIER_STORAGE_TREE_CHUNK_H

#include "proto/base/buf.h"
#include "storage/calltree.h"

/* Nodes and functions of a tree up to one moment. Node counts include the root, so a new tree is
 * {1, 0}. */
struct tree_mark {
    uint32_t node_count;
    uint32_t function_count;
};

/* The moment now. May be called while another thread interns. */
struct tree_mark tree_chunk_mark(const struct calltree *tree);

/* Appends what `tree` gained from `from` to `until` to `out`. STATUS_TOO_LARGE: the buffer. */
CHECKED enum status tree_chunk_encode(const struct calltree *tree, struct tree_mark from,
                                      struct tree_mark until, struct error *err, struct buf *out);

/* Adds one piece to `tree`, which must be exactly as far as the piece begins.
 * STATUS_INTERNAL: damaged, or not the next piece; the tree must then be thrown away. */
CHECKED enum status tree_chunk_append(struct calltree *tree, struct slice chunk, struct error *err);

#endif

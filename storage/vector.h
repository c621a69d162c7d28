/* SPDX-License-Identifier: Apache-2.0 */
/* The sparse vector: what one profile (or one tagset of it) spent at each node of its call tree.
 *
 * All metrics of a profile share one list of nodes; each has a column of values beside it. In
 * memory these are plain arrays; on disk a blob of varints, about 0.5 KB for a typical CPU profile:
 *
 *     checksum (4 bytes, little endian: low half of XXH3 of all that follows) | format version |
 *     duration_ns | work + 1 (0: none) | work unit | entries |
 *     metrics, then per metric: metric number | bytes of its column | divisor |
 *     nodes: first, then differences | per metric: zigzag(value / divisor) ...
 *
 * XXH3 and not a CRC, because checking must not cost more than adding.
 *
 * The divisor is the greatest common divisor of the column: CPU time in steps of 10 ms costs a
 * byte a value instead of five. Column sizes come first, so reading one metric skips the others. */
#ifndef BRAZIER_STORAGE_VECTOR_H
#define BRAZIER_STORAGE_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "proto/base/slice.h"

struct vector {
    int64_t duration_ns; /* 0: unknown */
    int64_t work;        /* units of work; -1: none reported */
    uint32_t work_unit;  /* the store's number for the unit's name; 0 when work is -1 */
    uint32_t metric_count;
    const uint32_t *metrics; /* the store's numbers */
    uint32_t entry_count;
    const uint32_t *nodes;        /* ascending, without repeats */
    const int64_t *const *values; /* [metric][entry]; zeros allowed */
};

/* Appends the blob of `vector` to `out`. STATUS_TOO_LARGE: the buffer's maximum. */
CHECKED enum status vector_encode(const struct vector *vector, struct error *err, struct buf *out);

/* What a blob says before its columns; cheap, and enough to count profiles. */
struct vector_head {
    int64_t duration_ns;
    int64_t work; /* -1: none */
    uint32_t work_unit;
    uint32_t entry_count;
    uint32_t metric_count;
    const uint8_t *metrics_at; /* positions inside the blob, for vector_add */
    const uint8_t *nodes_at;
    const uint8_t *values_at; /* where nodes end and the first column begins */
    const uint8_t *end;
};

/* Checks the blob's sum and reads its head. `ret_head` points into `blob`.
 * STATUS_INTERNAL: the blob is damaged (the message says how); it is never added then. */
CHECKED enum status vector_open(struct slice blob, struct error *err, struct vector_head *ret_head);

/* Adds the column of `metric` to sums[node], and sets *ret_found to whether the vector has it.
 * `node_count` bounds the node numbers.
 * STATUS_VALUE_OVERFLOW: a sum would leave int64; STATUS_INTERNAL: damaged blob. On failure `sums`
 * holds a part of the column and must be thrown away. */
CHECKED enum status vector_add(const struct vector_head *head, uint32_t metric, int64_t *sums,
                               uint32_t node_count, struct error *err, bool *ret_found);

#endif

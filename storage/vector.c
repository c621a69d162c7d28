/* SPDX-License-Identifier: Apache-2.0 */
/* The vector codec. Writing: one profile's entries to a blob, once per upload. Reading: a blob's
 * column added to the sums of a query, once per stored profile, so this loop is what a view costs.
 *
 * A blob is checked as a whole before anything of it is believed; the loops check bounds and
 * overflow all the same, because a sum of checks is not a proof. Never allocates when reading. */
#include "storage/vector.h"

#include "proto/base/cleanup.h"
#include "proto/base/hash.h"
#include "proto/base/limits.h"
#include "proto/base/varint.h"

#define FORMAT_VERSION 1u
#define CHECKSUM_BYTES 4u

/* The largest divisor: values are multiplied by an int64. */
#define DIVISOR_MAX ((uint64_t)INT64_MAX)

/* --- writing --------------------------------------------------------------------------------- */

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* The greatest common divisor of a column; 1 for a column of zeros. */
static int64_t column_divisor(const int64_t *values, uint32_t count)
{
    uint64_t divisor = 0;

    for (uint32_t i = 0; i < count && divisor != 1; i++) {
        uint64_t a = magnitude(values[i]), b = divisor;

        if (a == 0 || (b != 0 && a % b == 0))
            continue;
        while (b != 0) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        divisor = a;
    }
    if (divisor == 0)
        return 1;
    if (divisor > DIVISOR_MAX) /* 2^63: nothing but INT64_MIN and zeros */
        divisor /= 2;
    return (int64_t)divisor;
}

/* Appends a column to `out` in one reservation. */
static void append_column(struct buf *out, const int64_t *values, uint32_t count, int64_t divisor)
{
    uint8_t *at = (uint8_t *)buf_reserve(out, (size_t)count * VARINT_MAX_BYTES);
    uint8_t *end = at;

    if (at == NULL)
        return;
    for (uint32_t i = 0; i < count; i++)
        end = varint_write(end, varint_zigzag(divisor == 1 ? values[i] : values[i] / divisor));
    buf_advance(out, (size_t)(end - at));
}

static void append_nodes(struct buf *out, const uint32_t *nodes, uint32_t count)
{
    uint8_t *at = (uint8_t *)buf_reserve(out, (size_t)count * VARINT_MAX_BYTES);
    uint8_t *end = at;
    uint32_t before = 0;

    if (at == NULL)
        return;
    for (uint32_t i = 0; i < count; i++) {
        end = varint_write(end, nodes[i] - before);
        before = nodes[i];
    }
    buf_advance(out, (size_t)(end - at));
}

enum status vector_encode(const struct vector *vector, struct error *err, struct buf *out)
{
    CLEANUP(buf_cleanup) struct buf columns;
    size_t start_bytes = out->size_bytes;
    enum status status;
    uint32_t checksum;

    buf_init(&columns, out->max_bytes);
    buf_append(out, "\0\0\0\0", CHECKSUM_BYTES);
    buf_append_varint(out, FORMAT_VERSION);
    buf_append_varint(out, (uint64_t)vector->duration_ns);
    buf_append_varint(out, (uint64_t)vector->work + 1);
    buf_append_varint(out, vector->work_unit);
    buf_append_varint(out, vector->entry_count);
    buf_append_varint(out, vector->metric_count);
    for (uint32_t i = 0; i < vector->metric_count; i++) {
        int64_t divisor = column_divisor(vector->values[i], vector->entry_count);
        size_t before_bytes = columns.size_bytes;

        append_column(&columns, vector->values[i], vector->entry_count, divisor);
        buf_append_varint(out, vector->metrics[i]);
        buf_append_varint(out, columns.size_bytes - before_bytes);
        buf_append_varint(out, (uint64_t)divisor);
    }
    append_nodes(out, vector->nodes, vector->entry_count);
    status = buf_status(&columns, err, "vector");
    if (status != STATUS_OK)
        return status;
    buf_append(out, columns.data, columns.size_bytes);
    status = buf_status(out, err, "vector");
    if (status != STATUS_OK)
        return status;
    checksum = (uint32_t)hash_bytes(slice_make(out->data + start_bytes + CHECKSUM_BYTES,
                                               out->size_bytes - start_bytes - CHECKSUM_BYTES),
                                    0);
    for (unsigned i = 0; i < CHECKSUM_BYTES; i++)
        out->data[start_bytes + i] = (char)(checksum >> (8 * i));
    return STATUS_OK;
}

/* --- reading --------------------------------------------------------------------------------- */

static enum status damaged(struct error *err, const char *what)
{
    return error_set(err, STATUS_INTERNAL, "stored vector is damaged: %s", what);
}

/* Reads a varint that must not exceed `max`; NULL: it does, or the blob ends. */
static const uint8_t *read_bounded(const uint8_t *at, const uint8_t *end, uint64_t max,
                                   uint64_t *ret_value)
{
    at = varint_read(at, end, ret_value);
    return at != NULL && *ret_value <= max ? at : NULL;
}

/* One metric's line of the head. */
struct column_head {
    uint64_t metric, size_bytes, divisor;
};

static const uint8_t *read_column_head(const uint8_t *at, const uint8_t *end,
                                       struct column_head *ret_column)
{
    at = read_bounded(at, end, UINT32_MAX, &ret_column->metric);
    if (at != NULL)
        at = read_bounded(at, end, UINT32_MAX, &ret_column->size_bytes);
    if (at != NULL)
        at = read_bounded(at, end, DIVISOR_MAX, &ret_column->divisor);
    return at;
}

static bool checksum_fits(struct slice blob)
{
    uint32_t stored = 0;

    for (unsigned i = 0; i < CHECKSUM_BYTES; i++)
        stored |= (uint32_t)(uint8_t)blob.data[i] << (8 * i);
    return stored ==
           (uint32_t)hash_bytes(
               slice_make(blob.data + CHECKSUM_BYTES, blob.size_bytes - CHECKSUM_BYTES), 0);
}

enum status vector_open(struct slice blob, struct error *err, struct vector_head *ret_head)
{
    const uint8_t *at, *end;
    uint64_t version, duration, work, unit, entries, metrics;
    uint64_t columns_bytes = 0;
    struct vector_head head;

    if (blob.size_bytes < CHECKSUM_BYTES || !checksum_fits(blob))
        return damaged(err, "wrong checksum");
    at = (const uint8_t *)blob.data + CHECKSUM_BYTES;
    end = (const uint8_t *)blob.data + blob.size_bytes;
    if ((at = varint_read(at, end, &version)) == NULL || version != FORMAT_VERSION)
        return damaged(err, "unknown format");
    if ((at = read_bounded(at, end, INT64_MAX, &duration)) == NULL ||
        (at = read_bounded(at, end, (uint64_t)INT64_MAX + 1, &work)) == NULL ||
        (at = read_bounded(at, end, UINT32_MAX, &unit)) == NULL ||
        (at = read_bounded(at, end, UINT32_MAX, &entries)) == NULL ||
        (at = read_bounded(at, end, UINT32_MAX, &metrics)) == NULL)
        return damaged(err, "bad head");
    head = (struct vector_head){.duration_ns = (int64_t)duration,
                                .work = (int64_t)(work - 1),
                                .work_unit = (uint32_t)unit,
                                .entry_count = (uint32_t)entries,
                                .metric_count = (uint32_t)metrics,
                                .metrics_at = at,
                                .end = end};
    for (uint32_t i = 0; i < head.metric_count; i++) {
        struct column_head column;

        at = read_column_head(at, end, &column);
        if (at == NULL)
            return damaged(err, "bad column head");
        columns_bytes += column.size_bytes; /* < 2^64: the blob bounds the metrics, each < 2^32 */
    }
    if (columns_bytes > (uint64_t)(end - at))
        return damaged(err, "columns longer than the blob");
    head.nodes_at = at;
    head.values_at = end - columns_bytes;
    *ret_head = head;
    return STATUS_OK;
}

/* A varint of one or two bytes without a branch between the two; longer ones by the general way.
 * Needs VARINT_MAX_BYTES readable bytes. NULL: no varint. */
static inline const uint8_t *read_short(const uint8_t *at, uint64_t *ret_value)
{
    uint64_t more = at[0] >> 7;

    if (__builtin_expect((more & (at[1] >> 7)) != 0, 0))
        return varint_read(at, at + VARINT_MAX_BYTES, ret_value);
    *ret_value = (at[0] & 0x7fu) | (((uint64_t)at[1] << 7) & -more);
    return at + 1 + more;
}

/* The two columns that are read side by side. */
struct walk {
    const uint8_t *node_at, *node_end;
    const uint8_t *value_at, *value_end;
    int64_t divisor;
};

/* Adds `count` entries; fast while both columns have room for the longest varint, then careful.
 * Works on copies: what `sums` points to could else be the walk itself, for all that the compiler
 * knows. False: something does not fit the blob or the tree. */
static bool add_entries(const struct walk *walk, uint32_t count, int64_t *restrict sums,
                        uint32_t node_count, bool *ret_overflow)
{
    const uint8_t *node_at = walk->node_at, *node_end = walk->node_end;
    const uint8_t *value_at = walk->value_at, *value_end = walk->value_end;
    const int64_t divisor = walk->divisor;
    uint64_t node = 0, step = 0, value = 0;
    bool overflow = false;

    for (; count > 0; count--) {
        int64_t product;

        if (node_end - node_at >= VARINT_MAX_BYTES && value_end - value_at >= VARINT_MAX_BYTES) {
            node_at = read_short(node_at, &step); /* one byte or two, as it comes: no branch */
            if (__builtin_expect(*value_at < 0x80, 1))
                value = *value_at++;
            else
                value_at = read_short(value_at, &value);
        } else {
            node_at = varint_read(node_at, node_end, &step);
            value_at = varint_read(value_at, value_end, &value);
        }
        if (__builtin_expect(node_at == NULL || value_at == NULL || step >= node_count, 0))
            return false;
        node += step;
        if (__builtin_expect(node >= node_count, 0))
            return false;
        overflow |= __builtin_mul_overflow(varint_unzigzag(value), divisor, &product);
        overflow |= __builtin_add_overflow(sums[node], product, &sums[node]);
    }
    *ret_overflow = overflow;
    return node_at == node_end && value_at == value_end;
}

enum status vector_add(const struct vector_head *head, uint32_t metric, int64_t *sums,
                       uint32_t node_count, struct error *err, bool *ret_found)
{
    const uint8_t *at = head->metrics_at;
    const uint8_t *column_at = head->values_at;
    struct column_head column = {0};
    struct walk walk;
    bool overflow = false;
    uint32_t i;

    for (i = 0; i < head->metric_count; i++) {
        at = read_column_head(at, head->end, &column);
        if (at == NULL)
            return damaged(err, "bad column head");
        if (column.metric == metric)
            break;
        column_at += column.size_bytes;
    }
    if (i == head->metric_count) {
        *ret_found = false;
        return STATUS_OK;
    }
    walk = (struct walk){.node_at = head->nodes_at,
                         .node_end = head->values_at,
                         .value_at = column_at,
                         .value_end = column_at + column.size_bytes,
                         .divisor = (int64_t)column.divisor};
    if (!add_entries(&walk, head->entry_count, sums, node_count, &overflow))
        return damaged(err, "entries do not fit the blob or the call tree");
    if (overflow)
        return error_set(err, STATUS_VALUE_OVERFLOW, "the sum of the selected values leaves int64");
    *ret_found = true;
    return STATUS_OK;
}

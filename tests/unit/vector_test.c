/* SPDX-License-Identifier: Apache-2.0 */
/* The vector codec: what goes in comes out, and no damage is ever added up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/hash.h"
#include "proto/base/limits.h"
#include "storage/vector.h"

enum { ENTRIES_MAX = 300, NODES = 70000 };

static struct slice encode(const struct vector *vector, struct buf *out)
{
    struct error err = {0};

    buf_init(out, 1 * LIMIT_MIB);
    buf_append_text(out, "before"); /* blobs may lie behind others */
    if (vector_encode(vector, &err, out) != STATUS_OK)
        fail_msg("%s", err.text);
    return slice_make(out->data + 6, out->size_bytes - 6);
}

static struct vector_head open_blob(struct slice blob)
{
    struct vector_head head;
    struct error err = {0};

    if (vector_open(blob, &err, &head) != STATUS_OK)
        fail_msg("%s", err.text);
    return head;
}

/* Encodes one column and reads it back, compared value by value. */
static void assert_round_trip(const uint32_t *nodes, const int64_t *values, uint32_t count)
{
    CLEANUP(buf_cleanup) struct buf out;
    const uint32_t metric = 9;
    struct vector vector = {.work = -1,
                            .metric_count = 1,
                            .metrics = &metric,
                            .entry_count = count,
                            .nodes = nodes,
                            .values = &values};
    struct vector_head head = open_blob(encode(&vector, &out));
    int64_t *sums = calloc(NODES, sizeof(*sums));
    uint32_t next = 0;
    bool found = false;

    assert_int_equal(head.entry_count, count);
    assert_int_equal(vector_add(&head, metric, sums, NODES, NULL, &found), STATUS_OK);
    assert_true(found);
    for (uint32_t node = 0; node < NODES; node++) {
        bool has = next < count && nodes[next] == node;

        assert_int_equal(sums[node], has ? values[next] : 0);
        next += has;
    }
    free(sums);
}

static void extremes_come_back(void **state)
{
    const uint32_t nodes[] = {0, 1, 127, 128, 255, 16384, 65535, NODES - 1};
    const int64_t values[][8] = {
        {INT64_MIN, INT64_MAX, 0, 1, -1, INT64_MIN + 1, INT64_MAX - 1, 2},
        {INT64_MIN, 0, INT64_MIN, 0, 0, 0, 0, INT64_MIN}, /* divisor 2^63 */
        {INT64_MIN, 0, INT64_MIN / 2, 0, 0, 0, 0, 0},
        {INT64_MAX, 0, 0, 0, 0, 0, 0, INT64_MAX},
        {INT64_MAX, 0, 0, -INT64_MAX, 0, 0, 0, 0},
        {0, 0, 0, 0, 0, 0, 0, 0},
        {10000000, 20000000, -30000000, 0, 10000000, 70000000, 10000000, 90000000},
        {63, 64, -64, -65, 8191, 8192, -8192, -8193}, /* around varint lengths */
    };
    (void)state;

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        for (uint32_t count = 0; count <= 8; count++)
            assert_round_trip(nodes, values[i], count);
}

static uint64_t next_random(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return hash_u64(*random, 0);
}

static void random_columns_come_back(void **state)
{
    uint64_t random = 1;
    uint32_t nodes[ENTRIES_MAX];
    int64_t values[ENTRIES_MAX];
    (void)state;

    for (unsigned round = 0; round < 200; round++) {
        uint32_t count = (uint32_t)(next_random(&random) % ENTRIES_MAX);
        unsigned shift = (unsigned)(next_random(&random) % 64);

        for (uint32_t i = 0; i < count; i++) {
            nodes[i] = (i == 0 ? 0 : nodes[i - 1] + 1) + (uint32_t)(next_random(&random) % 200);
            values[i] = (int64_t)next_random(&random) >> shift;
        }
        assert_round_trip(nodes, values, count);
    }
}

/* Three metrics of different widths, and a head with everything in it. */
static struct slice encode_rich(struct buf *out)
{
    static const uint32_t metrics[] = {7, 300, 2};
    static const uint32_t nodes[] = {1, 5, 1000, 1001};
    static const int64_t counts[] = {1, 2, 3, 4};
    static const int64_t times[] = {10000000, -20000000, INT64_C(3000000000000), 0};
    static const int64_t bytes[] = {0, 0, 0, INT64_MIN};
    static const int64_t *const values[] = {counts, times, bytes};
    struct vector vector = {.duration_ns = INT64_C(10000000000),
                            .work = INT64_MAX,
                            .work_unit = 3,
                            .metric_count = 3,
                            .metrics = metrics,
                            .entry_count = 4,
                            .nodes = nodes,
                            .values = values};

    return encode(&vector, out);
}

static void columns_are_found_by_metric(void **state)
{
    CLEANUP(buf_cleanup) struct buf out;
    struct vector_head head = open_blob(encode_rich(&out));
    int64_t sums[1002] = {0};
    bool found = true;
    (void)state;

    assert_int_equal(head.duration_ns, INT64_C(10000000000));
    assert_int_equal(head.work, INT64_MAX);
    assert_int_equal(head.work_unit, 3);
    assert_int_equal(head.metric_count, 3);
    assert_int_equal(vector_add(&head, 8, sums, 1002, NULL, &found), STATUS_OK);
    assert_false(found);
    assert_int_equal(vector_add(&head, 300, sums, 1002, NULL, &found), STATUS_OK);
    assert_true(found);
    assert_int_equal(sums[5], -20000000);
    assert_int_equal(sums[1000], INT64_C(3000000000000));
    assert_int_equal(vector_add(&head, 2, sums, 1002, NULL, &found), STATUS_OK);
    assert_int_equal(sums[1001], INT64_MIN);
    assert_int_equal(vector_add(&head, 7, sums, 1002, NULL, &found), STATUS_OK);
    assert_int_equal(sums[5], -19999998);
}

static void overflow_is_told(void **state)
{
    CLEANUP(buf_cleanup) struct buf out;
    struct vector_head head = open_blob(encode_rich(&out));
    int64_t sums[1002] = {0};
    bool found;
    (void)state;

    sums[5] = INT64_MAX - 1;
    assert_int_equal(vector_add(&head, 7, sums, 1002, NULL, &found), STATUS_VALUE_OVERFLOW);
    memset(sums, 0, sizeof(sums));
    sums[1001] = -1;
    assert_int_equal(vector_add(&head, 2, sums, 1002, NULL, &found), STATUS_VALUE_OVERFLOW);
}

static void nodes_past_the_tree_are_damage(void **state)
{
    CLEANUP(buf_cleanup) struct buf out;
    struct vector_head head = open_blob(encode_rich(&out));
    int64_t sums[1001] = {0};
    bool found;
    (void)state;

    assert_int_equal(vector_add(&head, 7, sums, 1001, NULL, &found), STATUS_INTERNAL);
}

static void every_flipped_byte_is_noticed(void **state)
{
    CLEANUP(buf_cleanup) struct buf out;
    struct slice blob = encode_rich(&out);
    struct vector_head head;
    (void)state;

    for (size_t at = 0; at < blob.size_bytes; at++) {
        char *byte = out.data + 6 + at;
        char right = *byte;

        for (unsigned flip = 1; flip < 256; flip++) {
            *byte = (char)(right ^ (char)flip);
            assert_int_equal(vector_open(blob, NULL, &head), STATUS_INTERNAL);
        }
        *byte = right;
    }
    for (size_t size_bytes = 0; size_bytes < blob.size_bytes; size_bytes++)
        assert_int_equal(vector_open(slice_make(blob.data, size_bytes), NULL, &head),
                         STATUS_INTERNAL);
}

static void seal(char *blob, size_t size_bytes)
{
    uint32_t checksum = (uint32_t)hash_bytes(slice_make(blob + 4, size_bytes - 4), 0);

    for (unsigned i = 0; i < 4; i++)
        blob[i] = (char)(checksum >> (8 * i));
}

/* Damage behind a right checksum: bounds must hold by themselves. The blob lies at the end of its
 * allocation, so that AddressSanitizer sees a byte too many. */
static void sealed_damage_stays_in_bounds(void **state)
{
    CLEANUP(buf_cleanup) struct buf out;
    struct slice blob = encode_rich(&out);
    uint64_t random = 3;
    int64_t *sums = calloc(1002, sizeof(*sums));
    unsigned refused = 0;
    (void)state;

    for (unsigned round = 0; round < 20000; round++) {
        size_t size_bytes = blob.size_bytes - (round % 3 == 0 ? next_random(&random) % 20 : 0);
        char *copy = malloc(size_bytes);
        struct vector_head head;
        bool found;

        memcpy(copy, blob.data, size_bytes);
        for (unsigned i = 0; i <= round % 3; i++)
            copy[4 + next_random(&random) % (size_bytes - 4)] = (char)next_random(&random);
        seal(copy, size_bytes);
        if (vector_open(slice_make(copy, size_bytes), NULL, &head) != STATUS_OK) {
            refused++;
        } else {
            memset(sums, 0, 1002 * sizeof(*sums));
            refused += vector_add(&head, 7, sums, 1002, NULL, &found) != STATUS_OK;
            refused += vector_add(&head, 300, sums, 1002, NULL, &found) != STATUS_OK;
        }
        free(copy);
    }
    free(sums);
    assert_true(refused > 1000);
}

static void typical_blob_is_small(void **state)
{
    CLEANUP(buf_cleanup) struct buf out;
    uint32_t nodes[120];
    int64_t counts[120], times[120];
    const int64_t *const values[] = {counts, times};
    struct vector vector = {.duration_ns = INT64_C(10000000000),
                            .work = -1,
                            .metric_count = 2,
                            .metrics = (const uint32_t[]){0, 1},
                            .entry_count = 120,
                            .nodes = nodes,
                            .values = values};
    (void)state;

    for (uint32_t i = 0; i < 120; i++) {
        nodes[i] = i * 400;
        counts[i] = 1 + i % 3;
        times[i] = 10000000 * counts[i];
    }
    assert_true(encode(&vector, &out).size_bytes < 520);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extremes_come_back),
        cmocka_unit_test(random_columns_come_back),
        cmocka_unit_test(columns_are_found_by_metric),
        cmocka_unit_test(overflow_is_told),
        cmocka_unit_test(nodes_past_the_tree_are_damage),
        cmocka_unit_test(every_flipped_byte_is_noticed),
        cmocka_unit_test(sealed_damage_stays_in_bounds),
        cmocka_unit_test(typical_blob_is_small),
    };

    return cmocka_run_group_tests_name("vector", tests, NULL, NULL);
}

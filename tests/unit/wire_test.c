/* SPDX-License-Identifier: Apache-2.0 */
/* The wire reader: integers of every length at every distance from the end, packed counts, fields.
 */
#include "proto/wire.h"

#include <stdlib.h>

#include "tests/unit/unit.h"

/* Values whose encodings have 1 to 10 bytes, both ends of each length. */
static void test_varint_lengths(void **state)
{
    (void)state;
    for (unsigned size = 1; size <= VARINT_MAX_BYTES; size++) {
        uint64_t values[] = {size == 1 ? 0 : UINT64_C(1) << (7 * (size - 1)),
                             size == 10 ? UINT64_MAX : (UINT64_C(1) << (7 * size)) - 1};

        for (size_t v = 0; v < 2; v++) {
            for (size_t behind = 0; behind < 10; behind++) { /* bytes that follow */
                uint8_t *bytes = malloc(size + behind);
                struct wire_integer read;

                assert_non_null(bytes);
                memset(bytes, 0xff, size + behind);
                assert_ptr_equal(varint_write(bytes, values[v]), bytes + size);
                read = wire_varint(bytes, bytes + size + behind);
                assert_ptr_equal(read.at, bytes + size);
                assert_int_equal(read.value, values[v]);
                for (size_t cut = 0; cut < size; cut++)
                    assert_null(wire_varint(bytes, bytes + cut).at);
                free(bytes);
            }
        }
    }
}

/* Padded forms: a value in more bytes than it needs. */
static void test_varint_padded(void **state)
{
    uint8_t bytes[16];

    (void)state;
    for (unsigned size = 2; size <= 11; size++) {
        struct wire_integer read;

        memset(bytes, 0x80, sizeof bytes);
        bytes[0] = 0x85;
        bytes[size - 1] = 0;
        read = wire_varint(bytes, bytes + sizeof bytes);
        if (size > VARINT_MAX_BYTES) {
            assert_null(read.at);
            continue;
        }
        assert_ptr_equal(read.at, bytes + size);
        assert_int_equal(read.value, 5);
    }
}

static void test_count_packed(void **state)
{
    uint64_t random = 3;

    (void)state;
    for (size_t size = 0; size < 40; size++) {
        for (int round = 0; round < 20; round++) {
            uint8_t *bytes = malloc(size > 0 ? size : 1);
            uint32_t expected = 0;

            assert_non_null(bytes);
            for (size_t i = 0; i < size; i++) {
                bytes[i] = (uint8_t)unit_random(&random);
                expected += bytes[i] < 0x80;
            }
            assert_int_equal(wire_count_packed((struct wire){bytes, bytes + size}), expected);
            free(bytes);
        }
    }
}

/* The fast path and the general one read the same, or fail alike without moving. */
static void test_fast_path_is_the_general_one(void **state)
{
    uint64_t random = 9;

    (void)state;
    for (int round = 0; round < 200000; round++) {
        uint8_t bytes[24];
        size_t size = 1 + unit_random(&random) % sizeof bytes;
        struct wire fast = {bytes, bytes + size};
        struct wire general = fast;
        struct wire_field a = {0};
        struct wire_field b = {0};
        bool read;

        for (size_t i = 0; i < size; i++) /* short numbers and lengths are likely */
            bytes[i] = (uint8_t)(unit_random(&random) & (unit_random(&random) % 4 ? 0x1f : 0xff));
        read = wire_next(&fast, &a);
        assert_int_equal(read, wire_next_any(&general, &b));
        assert_ptr_equal(fast.at, general.at);
        if (!read) {
            assert_ptr_equal(fast.at, bytes);
            continue;
        }
        assert_int_equal(a.tag, b.tag);
        assert_int_equal(a.nested.end - a.nested.at, b.nested.end - b.nested.at);
        if ((a.tag & 7) == WIRE_BYTES)
            assert_ptr_equal(a.nested.at, b.nested.at);
        if ((a.tag & 7) == WIRE_VARINT)
            assert_int_equal(a.value, b.value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_varint_lengths),
        cmocka_unit_test(test_varint_padded),
        cmocka_unit_test(test_count_packed),
        cmocka_unit_test(test_fast_path_is_the_general_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

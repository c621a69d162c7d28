/* SPDX-License-Identifier: Apache-2.0 */
/* Varints: round trips, padding, ends. */
#include "proto/base/varint.h"

#include "tests/unit/unit.h"

static void test_round_trip(void **state)
{
    uint64_t random = 9;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t value = unit_random(&random) >> (unit_random(&random) % 64), again = 0;
        uint8_t bytes[VARINT_MAX_BYTES];
        uint8_t *end = varint_write(bytes, value);

        assert_ptr_equal(varint_read(bytes, end, &again), end);
        assert_true(again == value);
        assert_null(varint_read(bytes, end - 1, &again)); /* one byte short */
        assert_int_equal(varint_unzigzag(varint_zigzag((int64_t)value)), (int64_t)value);
    }
}

static void test_borders(void **state)
{
    static const uint8_t padded[] = {0x82, 0x80, 0x80, 0x00};
    static const uint8_t eleven[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                     0x80, 0x80, 0x80, 0x80, 0x00};
    static const uint8_t wide[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
    uint64_t value = 0;

    (void)state;
    assert_ptr_equal(varint_read(padded, padded + sizeof(padded), &value), padded + sizeof(padded));
    assert_int_equal(value, 2);
    assert_null(varint_read(eleven, eleven + sizeof(eleven), &value));
    assert_non_null(varint_read(wide, wide + sizeof(wide), &value));
    assert_true(value == UINT64_MAX); /* bits past 2^64 are dropped */
    assert_int_equal(varint_zigzag(0), 0);
    assert_int_equal(varint_zigzag(-1), 1);
    assert_int_equal(varint_zigzag(1), 2);
    assert_true(varint_zigzag(INT64_MIN) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_borders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

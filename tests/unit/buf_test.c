/* SPDX-License-Identifier: Apache-2.0 */
/* The growing buffer: contents, maximum, and that a failure sticks. */
#include "proto/base/buf.h"

#include <stdlib.h>

#include "tests/unit/unit.h"

static void test_appends_in_order(void **state)
{
    CLEANUP(buf_cleanup) struct buf buf;
    char expected[30000];

    (void)state;
    buf_init(&buf, sizeof(expected));
    for (size_t i = 0; i < sizeof(expected); i++) {
        expected[i] = (char)('a' + i % 26);
        buf_append_char(&buf, expected[i]);
    }
    assert_status(buf_status(&buf, NULL, "text"), STATUS_OK);
    assert_slice_equal(slice_make(buf.data, buf.size_bytes),
                       slice_make(expected, sizeof(expected)));
}

static void test_maximum_is_exact_and_failure_sticks(void **state)
{
    CLEANUP(buf_cleanup) struct buf buf;
    struct error err;

    (void)state;
    buf_init(&buf, 10);
    buf_append_text(&buf, "0123456789");
    assert_status(buf_status(&buf, &err, "text"), STATUS_OK);
    buf_append_char(&buf, 'x');
    assert_status(buf_status(&buf, &err, "text"), STATUS_TOO_LARGE);
    assert_int_equal(err.limit, 10);
    assert_int_equal(buf.size_bytes, 0);
    buf_append_char(&buf, 'y');
    assert_status(buf_status(&buf, &err, "text"), STATUS_TOO_LARGE);
    assert_null(buf_reserve(&buf, 1));
}

static void test_reserve_advance_take(void **state)
{
    struct buf buf;
    char *at, *taken;

    (void)state;
    buf_init(&buf, 1000);
    assert_null(buf_take(&buf));
    at = buf_reserve(&buf, 100);
    assert_non_null(at);
    memcpy(at, "abc", 3);
    buf_advance(&buf, 3);
    buf_append_text(&buf, "def");
    taken = buf_take(&buf);
    assert_memory_equal(taken, "abcdef", 6);
    assert_int_equal(buf.size_bytes, 0);
    free(taken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_appends_in_order),
        cmocka_unit_test(test_maximum_is_exact_and_failure_sticks),
        cmocka_unit_test(test_reserve_advance_take),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

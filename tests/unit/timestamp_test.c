/* SPDX-License-Identifier: Apache-2.0 */
/* Times: text against the C library's calendar, parameters, months. */
#include "proto/base/timestamp.h"

#include <stdio.h>
#include <time.h>

#include "tests/unit/unit.h"

#define NOW_NS INT64_C(1700000000123456789)

static void test_format_agrees_with_libc(void **state)
{
    uint64_t random = 11;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        int64_t time_ns = (int64_t)unit_random(&random);
        int64_t seconds = time_ns / TIMESTAMP_SECOND_NS - (time_ns % TIMESTAMP_SECOND_NS < 0);
        time_t libc_seconds = (time_t)seconds;
        char text[TIMESTAMP_BYTES], expected[80];
        struct tm tm;

        assert_non_null(gmtime_r(&libc_seconds, &tm));
        (void)snprintf(expected, sizeof(expected), "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ",
                       tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
                       tm.tm_sec, (int)(time_ns - seconds * TIMESTAMP_SECOND_NS));
        timestamp_format(time_ns, text);
        assert_string_equal(text, expected);
    }
}

static void test_parse_reads_what_format_writes(void **state)
{
    uint64_t random = 5;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        int64_t time_ns = (int64_t)unit_random(&random), again_ns = 0;
        char text[TIMESTAMP_BYTES];

        timestamp_format(time_ns, text);
        assert_status(timestamp_parse(slice_of(text), NOW_NS, NULL, &again_ns), STATUS_OK);
        assert_int_equal(again_ns, time_ns);
    }
}

static void test_parse_forms(void **state)
{
    static const struct {
        const char *text;
        int64_t time_ns;
    } cases[] = {
        {"1700000000", INT64_C(1700000000000000000)},
        {"1700000000100", INT64_C(1700000000100000000)},
        {"1700000000100200", INT64_C(1700000000100200000)},
        {"1700000000100200300", INT64_C(1700000000100200300)},
        {"0", 0},
        {"-5", -5 * TIMESTAMP_SECOND_NS},
        {"now", NOW_NS},
        {"now-15m", NOW_NS - 900 * TIMESTAMP_SECOND_NS},
        {"now-1h", NOW_NS - 3600 * TIMESTAMP_SECOND_NS},
        {"now-7d", NOW_NS - 7 * 86400 * TIMESTAMP_SECOND_NS},
        {"1970-01-01T00:00:01Z", TIMESTAMP_SECOND_NS},
        {"1970-01-01T01:00:00+01:00", 0},
        {"1970-01-01T00:00:00.5Z", TIMESTAMP_SECOND_NS / 2},
        {"2000-02-29T00:00:00Z", INT64_C(951782400000000000)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t time_ns = -1;
        assert_status(timestamp_parse(slice_of(cases[i].text), NOW_NS, NULL, &time_ns), STATUS_OK);
        assert_int_equal(time_ns, cases[i].time_ns);
    }
}

static void test_parse_refuses(void **state)
{
    static const char *const cases[] = {
        "",
        "nowhere",
        "now+1h",
        "now-",
        "now-1w",
        "now-h",
        "1.5",
        "0x10",
        " 1",
        "12345678901234567890123",
        "2026-02-30T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00:00.Z",
        "2026-01-01",
        "99999999999999999999d",
        "now-99999999999d",
        "9999-01-01T00:00:00Z", /* past int64 nanoseconds */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t time_ns = 42;
        struct error err;
        assert_status(timestamp_parse(slice_of(cases[i]), NOW_NS, &err, &time_ns),
                      STATUS_BAD_PARAMETER);
        assert_int_equal(time_ns, 42);
    }
}

static void test_months(void **state)
{
    (void)state;
    assert_int_equal(timestamp_month(0), 0);
    assert_int_equal(timestamp_month(-1), -1);
    assert_int_equal(timestamp_month_start_ns(0), 0);
    for (int32_t month = -2000; month < 2700; month++) {
        int64_t start_ns = timestamp_month_start_ns(month);
        assert_int_equal(timestamp_month(start_ns), month);
        assert_int_equal(timestamp_month(start_ns - 1), month - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format_agrees_with_libc),
        cmocka_unit_test(test_parse_reads_what_format_writes),
        cmocka_unit_test(test_parse_forms),
        cmocka_unit_test(test_parse_refuses),
        cmocka_unit_test(test_months),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

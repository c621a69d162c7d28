/* SPDX-License-Identifier: Apache-2.0 */
/* Query parameters: nothing is ignored, every reader is exact, every refusal names its key. */
#include "proto/base/limits.h"
#include "proto/base/timestamp.h"
#include "tests/unit/support/view_fixture.h"
#include "tests/unit/unit.h"

#define ALL_OF_A_VIEW (QUERY_SELECTION | QUERY_COMPARISON | QUERY_TREE)

static struct fixture fixture;

static int set_up(void **state)
{
    (void)state;
    fixture_init(&fixture, 16);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_free(&fixture);
    return 0;
}

static enum status check(const char *text, unsigned groups)
{
    struct query query = fixture_query(&fixture, text);

    return query_check(&query, groups, &fixture.err);
}

static void assert_refused(const char *text, unsigned groups, const char *part)
{
    assert_status(check(text, groups), STATUS_BAD_PARAMETER);
    if (strstr(fixture.err.text, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", fixture.err.text, part);
}

static void known_parameters_pass(void **state)
{
    (void)state;
    assert_status(check("", 0), STATUS_OK);
    assert_status(
        check("service=a&version=1&version=2&label=a:b&label=c:d&min_fraction=0", ALL_OF_A_VIEW),
        STATUS_OK);
    assert_status(check("service=a&base_version=1&base_version=&base_from=now&base_having=work",
                        ALL_OF_A_VIEW),
                  STATUS_OK);
    assert_status(check("service=a&version=1&work=3", QUERY_UPLOAD), STATUS_OK);
}

static void nothing_is_ignored(void **state)
{
    (void)state;
    assert_refused("service=a&nonsense=1", ALL_OF_A_VIEW, "\"nonsense\": unknown");
    assert_refused("service=a", 0, "\"service\": unknown");
    assert_refused("Service=a", ALL_OF_A_VIEW, "\"Service\": unknown");
    assert_refused("=a", ALL_OF_A_VIEW, "\"\": unknown");
    assert_refused("limit=5", ALL_OF_A_VIEW, "\"limit\": unknown");
    assert_refused("base_service=a", QUERY_SELECTION, "\"base_service\": unknown");
    assert_refused("base_min_fraction=0", ALL_OF_A_VIEW, "\"base_min_fraction\": unknown");
    assert_refused("base_=0", ALL_OF_A_VIEW, "\"base_\": unknown");
    assert_refused("base_base_version=0", ALL_OF_A_VIEW, "unknown");
    assert_refused("service=a&service=a", ALL_OF_A_VIEW, "\"service\": given twice");
    assert_refused("version=a&version=b", QUERY_UPLOAD, "\"version\": given twice");
    assert_refused("base_from=1&base_from=2", ALL_OF_A_VIEW, "given twice");
    assert_refused("service", ALL_OF_A_VIEW, "\"service\": has no value");
    assert_refused("service=\xff", ALL_OF_A_VIEW, "UTF-8");
    assert_refused("service=\xc3", ALL_OF_A_VIEW, "UTF-8");
}

static void what_is_not_served_yet_is_refused(void **state)
{
    static const char *const later[] = {
        "tag=a:b",       "weight=50",     "base_tag=a:b",  "base_weight=1", "show_stacks=x",
        "hide_stacks=x", "hide_frames=x", "only_frames=x", "show_from=x",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++)
        assert_refused(later[i], ALL_OF_A_VIEW, "not supported yet");
    assert_refused("base_show_stacks=x", ALL_OF_A_VIEW, "unknown");
}

static void long_keys_are_clipped(void **state)
{
    char text[2000];

    (void)state;
    memset(text, 'k', sizeof(text));
    text[sizeof(text) - 2] = '=';
    text[sizeof(text) - 1] = '\0';
    assert_refused(text, ALL_OF_A_VIEW, "unknown");
}

static void integers(void **state)
{
    struct query query = fixture_query(&fixture, "a=0&b=18446744073709551615&c=18446744073709551616"
                                                 "&d=-1&e=&f=1x&g= 1&h=7&i=007");
    uint64_t value = 42;

    (void)state;
    assert_status(query_uint(&query, "absent", 5, 0, 9, &fixture.err, &value), STATUS_OK);
    assert_int_equal(value, 5);
    assert_status(query_uint(&query, "a", 5, 0, 9, &fixture.err, &value), STATUS_OK);
    assert_int_equal(value, 0);
    assert_status(query_uint(&query, "b", 5, 0, UINT64_MAX, &fixture.err, &value), STATUS_OK);
    assert_true(value == UINT64_MAX);
    assert_status(query_uint(&query, "i", 5, 0, 9, &fixture.err, &value), STATUS_OK);
    assert_int_equal(value, 7);
    value = 42;
    for (const char *key = "c\0d\0e\0f\0g\0"; *key != '\0'; key += 2)
        assert_status(query_uint(&query, key, 5, 0, UINT64_MAX, &fixture.err, &value),
                      STATUS_BAD_PARAMETER);
    assert_status(query_uint(&query, "h", 5, 8, 9, &fixture.err, &value), STATUS_BAD_PARAMETER);
    assert_status(query_uint(&query, "h", 5, 0, 6, &fixture.err, &value), STATUS_BAD_PARAMETER);
    assert_int_equal(value, 42);
}

static void assert_fraction(const char *text, uint64_t numerator, uint64_t denominator)
{
    struct query_pair pair = {slice_of("x"), slice_of(text), true};
    struct query query = {&pair, 1};
    struct query_fraction fraction;

    assert_status(
        query_fraction(&query, "x", (struct query_fraction){1, 2}, &fixture.err, &fraction),
        STATUS_OK);
    if (fraction.numerator != numerator || fraction.denominator != denominator)
        fail_msg("%s: %ju/%ju", text, (uintmax_t)fraction.numerator,
                 (uintmax_t)fraction.denominator);
}

static void fractions(void **state)
{
    static const char *const bad[] = {
        "",     ".",
        "-1",   "1/0",
        "2/1",  "1.0001",
        "2",    "1e-3",
        "1/",   "/2",
        "1/x",  "0x1",
        "0,5",  "nan",
        "1//2", "0.1234567890123456789",
        "1.5",  "99999999999999999999/99999999999999999999",
    };
    struct query none = {NULL, 0};
    struct query_fraction fraction;

    (void)state;
    assert_fraction("0", 0, 1);
    assert_fraction("1", 1, 1);
    assert_fraction("1/8000", 1, 8000);
    assert_fraction("0/1", 0, 1);
    assert_fraction("0.001", 1, 1000);
    assert_fraction(".5", 5, 10);
    assert_fraction("1.", 1, 1);
    assert_fraction("1.000", 1000, 1000);
    assert_fraction("0.123456789012345678", 123456789012345678u, 1000000000000000000u);
    assert_fraction("18446744073709551615/18446744073709551615", UINT64_MAX, UINT64_MAX);
    assert_status(
        query_fraction(&none, "x", (struct query_fraction){1, 3}, &fixture.err, &fraction),
        STATUS_OK);
    assert_int_equal(fraction.denominator, 3);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct query_pair pair = {slice_of("x"), slice_of(bad[i]), true};
        struct query query = {&pair, 1};
        if (query_fraction(&query, "x", (struct query_fraction){1, 2}, &fixture.err, &fraction) !=
            STATUS_BAD_PARAMETER)
            fail_msg("\"%s\" is taken for a fraction", bad[i]);
    }
}

static void choices(void **state)
{
    static const char *const list[] = {"total", "self", NULL};
    struct query query = fixture_query(&fixture, "a=self&b=Self");
    uint32_t choice = 9;

    (void)state;
    assert_status(query_choice(&query, "a", list, 0, &fixture.err, &choice), STATUS_OK);
    assert_int_equal(choice, 1);
    assert_status(query_choice(&query, "absent", list, 5, &fixture.err, &choice), STATUS_OK);
    assert_int_equal(choice, 5);
    assert_status(query_choice(&query, "b", list, 0, &fixture.err, &choice), STATUS_BAD_PARAMETER);
    assert_string_equal(fixture.err.text, "b: not one of total self");
}

static void times(void **state)
{
    struct query query = fixture_query(&fixture, "a=1700000000&b=now-1h&c=yesterday");
    int64_t now_ns = 5000 * TIMESTAMP_SECOND_NS;
    int64_t time_ns = 0;

    (void)state;
    assert_status(query_time(&query, "a", now_ns, 0, &fixture.err, &time_ns), STATUS_OK);
    assert_true(time_ns == 1700000000 * TIMESTAMP_SECOND_NS);
    assert_status(query_time(&query, "b", now_ns, 0, &fixture.err, &time_ns), STATUS_OK);
    assert_true(time_ns == 1400 * TIMESTAMP_SECOND_NS);
    assert_status(query_time(&query, "absent", now_ns, 77, &fixture.err, &time_ns), STATUS_OK);
    assert_true(time_ns == 77);
    assert_status(query_time(&query, "c", now_ns, 0, &fixture.err, &time_ns), STATUS_BAD_PARAMETER);
    assert_memory_equal(fixture.err.text, "c: ", 3);
}

static void hex_digits(void **state)
{
    uint8_t bytes[2] = {1, 2};

    (void)state;
    assert_false(query_hex(slice_of("00f"), bytes, 2));
    assert_false(query_hex(slice_of("00fg"), bytes, 2));
    assert_false(query_hex(slice_of("00ff0"), bytes, 2));
    assert_int_equal(bytes[0], 1);
    assert_true(query_hex(slice_of("0aF9"), bytes, 2));
    assert_int_equal(bytes[0], 0x0a);
    assert_int_equal(bytes[1], 0xf9);
}

static void repeats_are_walked_in_order(void **state)
{
    struct query query = fixture_query(&fixture, "v=1&w=x&v=2");
    uint32_t at = 0;

    (void)state;
    assert_slice_equal(query_next(&query, "v", &at)->value, slice_of("1"));
    assert_slice_equal(query_next(&query, "v", &at)->value, slice_of("2"));
    assert_null(query_next(&query, "v", &at));
    assert_null(query_find(&query, "u"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_parameters_pass),
        cmocka_unit_test(nothing_is_ignored),
        cmocka_unit_test(what_is_not_served_yet_is_refused),
        cmocka_unit_test(long_keys_are_clipped),
        cmocka_unit_test(integers),
        cmocka_unit_test(fractions),
        cmocka_unit_test(choices),
        cmocka_unit_test(times),
        cmocka_unit_test(hex_digits),
        cmocka_unit_test(repeats_are_walked_in_order),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

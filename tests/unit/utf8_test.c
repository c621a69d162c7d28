/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 against the borders of the standard's table, and cleaning that keeps names apart. */
#include "proto/base/utf8.h"

#include "proto/base/limits.h"
#include "tests/unit/unit.h"

static void test_borders(void **state)
{
    static const struct {
        const char *bytes;
        bool valid;
    } cases[] = {
        {"plain", true},
        {"\x7f", true},
        {"\xc2\x80", true},
        {"\xc1\xbf", false}, /* overlong */
        {"\xdf\xbf", true},
        {"\xe0\xa0\x80", true},
        {"\xe0\x9f\xbf", false}, /* overlong */
        {"\xed\x9f\xbf", true},
        {"\xed\xa0\x80", false}, /* surrogate */
        {"\xee\x80\x80", true},
        {"\xf0\x90\x80\x80", true},
        {"\xf0\x8f\xbf\xbf", false}, /* overlong */
        {"\xf4\x8f\xbf\xbf", true},
        {"\xf4\x90\x80\x80", false}, /* past U+10FFFF */
        {"\xf5\x80\x80\x80", false},
        {"\x80", false},
        {"\xc3", false},
        {"\xe2\x82", false},
        {"eight by\xff", false},
        {"more than eight bytes \xe2\x82\xac and on", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(utf8_valid(slice_of(cases[i].bytes)), cases[i].valid);
    assert_true(utf8_valid(slice_make("a\0b", 3)));
    assert_true(utf8_valid(slice_make(NULL, 0)));
}

static void test_clean_keeps_names_apart(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(1 * LIMIT_MIB);
    struct slice a, b, same;
    struct error err;

    (void)state;
    assert_status(utf8_clean(SLICE_LITERAL("x\xff!"), arena, &err, &a), STATUS_OK);
    assert_status(utf8_clean(SLICE_LITERAL("x\xfe!"), arena, &err, &b), STATUS_OK);
    assert_slice_equal(a, SLICE_LITERAL("x\\xff!"));
    assert_false(slice_equal(a, b));
    assert_status(utf8_clean(SLICE_LITERAL("\xe2\x82"), arena, &err, &a), STATUS_OK);
    assert_slice_equal(a, SLICE_LITERAL("\\xe2\\x82"));
    same = SLICE_LITERAL("gr\xc3\xbc\xc3\x9f");
    assert_status(utf8_clean(same, arena, &err, &a), STATUS_OK);
    assert_ptr_equal(a.data, same.data);
}

static void test_clean_makes_valid(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(8 * LIMIT_MIB);
    uint64_t random = 3;
    struct slice clean;
    char bytes[24];

    (void)state;
    for (int i = 0; i < 20000; i++) {
        size_t size_bytes = unit_random(&random) % sizeof(bytes);
        for (size_t k = 0; k < size_bytes; k++)
            bytes[k] = (char)unit_random(&random);
        arena_reset(arena);
        assert_status(utf8_clean(slice_make(bytes, size_bytes), arena, NULL, &clean), STATUS_OK);
        assert_true(utf8_valid(clean));
    }
}

static void test_mask(void **state)
{
    char text[] = "a\nb\x01\xff\xc3\xbc\x7f\xc2\x9b\xc2\xa0";

    (void)state;
    utf8_mask(text);
    assert_string_equal(text, "a?b??\xc3\xbc???\xc2\xa0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_clean_keeps_names_apart),
        cmocka_unit_test(test_clean_makes_valid),
        cmocka_unit_test(test_mask),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

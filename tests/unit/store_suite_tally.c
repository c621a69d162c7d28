/* SPDX-License-Identifier: Apache-2.0 */
/* Store contract: sums over versions, months, services. */
#include "tests/unit/store_suite_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void tally_adds_exactly(void **state)
{
    struct suite *suite = *state;
    struct store_selection all = fixture_all();
    struct store_tally result;

    for (unsigned i = 1; i <= 3; i++)
        (void)suite_put(suite, &(struct fixture_put){.id = i,
                                                     .start_ns = NOVEMBER + i,
                                                     .duration_ns = i == 2 ? 0 : 10,
                                                     .work = 4,
                                                     .work_unit = i == 3 ? NULL : "requests",
                                                     .samples = suite_two_paths,
                                                     .sample_count = 4});
    result = suite_tally(suite, &all, 1);
    suite_assert_slice(result.type, "cpu");
    suite_assert_slice(result.metric, "cpu");
    suite_assert_slice(result.unit, "nanoseconds");
    assert_int_equal(result.kind, METRIC_COUNTER);
    assert_int_equal(result.side_count, 1);
    assert_int_equal(result.sides[0].profile_count, 3);
    assert_int_equal(result.sides[0].total, 201);
    assert_int_equal(result.sides[0].duration_ns, 20);
    assert_int_equal(result.sides[0].without_duration_count, 1);
    assert_int_equal(result.sides[0].work, 8);
    assert_int_equal(result.sides[0].without_work_count, 1);
    suite_assert_slice(result.sides[0].work_unit, "requests");
    assert_int_equal(result.sides[0].first_ns, NOVEMBER + 1);
    assert_int_equal(result.sides[0].last_ns, NOVEMBER + 3);
    assert_int_equal(fixture_self(&result, 0, "main;work;compile"), 150);
    assert_int_equal(fixture_self(&result, 0, "main;work"), 30);
    assert_int_equal(fixture_self(&result, 0, "main"), 0);
    assert_int_equal(fixture_self(&result, 0, ""), 21);
    store_tally_release(suite->store, &result);
    all.metric = slice_of("samples");
    result = suite_tally(suite, &all, 1);
    suite_assert_slice(result.unit, "count");
    assert_int_equal(fixture_self(&result, 0, "main;work;compile"), 15);
    store_tally_release(suite->store, &result);
}

void nothing_matching_is_an_empty_side(void **state)
{
    struct suite *suite = *state;
    struct slice version = slice_of("9");
    struct store_selection sides[6];
    struct store_label label = {.key = slice_of("zone"), .value = slice_of("eu")};

    fixture_put_stack(suite->store, &(struct fixture_put){.id = 1}, "main", 5);
    for (unsigned i = 0; i < 6; i++)
        sides[i] = fixture_all();
    sides[0].versions = &version;
    sides[0].version_count = 1;
    sides[1].from_ns = NOVEMBER + 1;
    sides[2].until_ns = NOVEMBER;
    sides[3].metric = slice_of("absent");
    sides[4].labels = &label;
    sides[4].label_count = 1;
    sides[5].type = slice_of("heap");
    for (unsigned i = 0; i < 6; i++) {
        struct store_tally result = suite_tally(suite, &sides[i], 1);

        assert_int_equal(result.sides[0].profile_count, 0);
        assert_int_equal(result.sides[0].total, 0);
        assert_int_equal(result.sides[0].work, -1);
        assert_int_equal(result.sides[0].first_ns, 0);
        assert_true(result.node_count >= 1);
        for (uint32_t node = 0; node < result.node_count; node++)
            assert_int_equal(result.sides[0].self[node], 0);
        if (i == 3)
            suite_assert_slice(result.unit, "");
        store_tally_release(suite->store, &result);
    }
}

void ranges_are_half_open(void **state)
{
    struct suite *suite = *state;
    struct store_selection some = fixture_all();
    struct store_tally result;

    for (unsigned i = 1; i <= 4; i++)
        fixture_put_stack(suite->store,
                          &(struct fixture_put){.id = i, .start_ns = NOVEMBER + 10 * i}, "main",
                          1 << i);
    some.from_ns = NOVEMBER + 20;
    some.until_ns = NOVEMBER + 40;
    result = suite_tally(suite, &some, 1);
    assert_int_equal(result.sides[0].total, 4 + 8);
    store_tally_release(suite->store, &result);
}

void versions_are_compared_over_one_tree(void **state)
{
    struct suite *suite = *state;
    struct store_selection sides[2] = {fixture_all(), fixture_all()};
    struct slice three = slice_of("3"), four = slice_of("4");
    struct store_tally result;

    fixture_put_stack(suite->store, &(struct fixture_put){.id = 1, .version = "3"}, "main;old",
                      100);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 2, .version = "4"}, "main;new", 40);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 3, .version = "4"}, "main", 2);
    sides[0].versions = &four;
    sides[1].versions = &three;
    sides[0].version_count = sides[1].version_count = 1;
    result = suite_tally(suite, sides, 2);
    assert_int_equal(result.side_count, 2);
    assert_int_equal(fixture_self(&result, 0, "main;new"), 40);
    assert_int_equal(fixture_self(&result, 1, "main;new"), 0);
    assert_int_equal(fixture_self(&result, 0, "main;old"), 0);
    assert_int_equal(fixture_self(&result, 1, "main;old"), 100);
    assert_int_equal(result.sides[0].profile_count, 2);
    assert_int_equal(result.sides[1].profile_count, 1);
    store_tally_release(suite->store, &result);
}

void several_months_become_one_tree(void **state)
{
    struct suite *suite = *state;
    struct store_selection all = fixture_all();
    struct store_tally result;

    /* Other numbers in each month: the second begins with another stack. */
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 1, .start_ns = OCTOBER},
                      "main;work;compile", 1);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 2}, "other;thing", 10);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 3}, "main;work;compile", 100);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 4, .start_ns = OCTOBER - 40 * DAY},
                      "main;work", 1000);
    result = suite_tally(suite, &all, 1);
    assert_int_equal(result.sides[0].profile_count, 4);
    assert_int_equal(result.sides[0].total, 1111);
    assert_int_equal(fixture_self(&result, 0, "main;work;compile"), 101);
    assert_int_equal(fixture_self(&result, 0, "main;work"), 1000);
    assert_int_equal(fixture_self(&result, 0, "other;thing"), 10);
    store_tally_release(suite->store, &result);
    all.until_ns = NOVEMBER;
    all.from_ns = OCTOBER;
    result = suite_tally(suite, &all, 1);
    assert_int_equal(result.sides[0].total, 1);
    store_tally_release(suite->store, &result);
}

void two_services_are_compared(void **state)
{
    struct suite *suite = *state;
    struct store_selection sides[2] = {fixture_all(), fixture_all()};
    struct store_tally result;

    fixture_put_stack(suite->store, &(struct fixture_put){.id = 1}, "main;shared", 3);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 2, .service = "bank"},
                      "main;own;shared", 5);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 3, .service = "bank"},
                      "main;shared", 7);
    sides[1].service = slice_of("bank");
    result = suite_tally(suite, sides, 2);
    assert_int_equal(fixture_self(&result, 0, "main;shared"), 3);
    assert_int_equal(fixture_self(&result, 1, "main;shared"), 7);
    assert_int_equal(fixture_self(&result, 0, "main;own;shared"), 0);
    assert_int_equal(fixture_self(&result, 1, "main;own;shared"), 5);
    store_tally_release(suite->store, &result);
    sides[1].service = slice_of("nobody");
    assert_int_equal(suite_tally_status(suite, sides, 2), STATUS_NOT_FOUND);
}

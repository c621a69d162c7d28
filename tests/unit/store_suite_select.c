/* SPDX-License-Identifier: Apache-2.0 */
/* Store contract: what a selection takes and leaves, and what a tally refuses. */
#include "tests/unit/store_suite_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void labels_are_joined_by_and(void **state)
{
    struct suite *suite = *state;
    struct store_selection some = fixture_all();
    struct store_label labels[2] = {{.key = slice_of("host"), .value = slice_of("a")},
                                    {.key = slice_of("zone"), .value = slice_of("eu")}};
    struct store_tally result;

    fixture_put_stack(suite->store, &(struct fixture_put){.id = 1, .labels = "host=a;zone=eu"},
                      "main", 1);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 2, .labels = "host=a;zone=us"},
                      "main", 2);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 3, .labels = "zone=eu"}, "main", 4);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 4}, "main", 8);
    some.labels = labels;
    some.label_count = 1;
    result = suite_tally(suite, &some, 1);
    assert_int_equal(result.sides[0].total, 3);
    store_tally_release(suite->store, &result);
    some.label_count = 2;
    result = suite_tally(suite, &some, 1);
    assert_int_equal(result.sides[0].total, 1);
    store_tally_release(suite->store, &result);
}

void having_leaves_profiles_out(void **state)
{
    struct suite *suite = *state;
    struct store_selection some = fixture_all();
    struct store_page page;
    struct store_tally result;

    fixture_put_stack(suite->store, &(struct fixture_put){.id = 1, .duration_ns = 5}, "main", 1);
    fixture_put_stack(suite->store,
                      &(struct fixture_put){.id = 2, .work = 0, .work_unit = "requests"}, "main",
                      2);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 3}, "main", 4);
    some.having = STORE_HAVING_DURATION;
    result = suite_tally(suite, &some, 1);
    assert_int_equal(result.sides[0].total, 1);
    store_tally_release(suite->store, &result);
    some.having = STORE_HAVING_WORK;
    result = suite_tally(suite, &some, 1);
    assert_int_equal(result.sides[0].total, 2);
    assert_int_equal(result.sides[0].work, 0);
    store_tally_release(suite->store, &result);
    assert_int_equal(store_list(suite->store, &some, 9, NULL, suite->arena, &suite->err, &page),
                     STATUS_OK);
    assert_int_equal(page.profile_count, 1);
    assert_int_equal(page.profiles[0].work, 0);
}

/* The month of the first and that of the last nanosecond reach beyond int64. */
void first_and_last_months_are_found(void **state)
{
    struct suite *suite = *state;
    struct store_selection some = fixture_all();
    struct store_tally result;

    fixture_put_stack(suite->store, &(struct fixture_put){.id = 1, .start_ns = INT64_MIN}, "a", 1);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 2, .start_ns = INT64_MAX - 1}, "a",
                      2);
    result = suite_tally(suite, &some, 1);
    assert_int_equal(result.sides[0].total, 3);
    store_tally_release(suite->store, &result);
    some.from_ns = NOVEMBER;
    result = suite_tally(suite, &some, 1);
    assert_int_equal(result.sides[0].total, 2);
    store_tally_release(suite->store, &result);
    some.from_ns = INT64_MIN;
    some.until_ns = NOVEMBER;
    result = suite_tally(suite, &some, 1);
    assert_int_equal(result.sides[0].total, 1);
    store_tally_release(suite->store, &result);
}

void unlike_units_of_work_do_not_add(void **state)
{
    struct suite *suite = *state;
    struct store_selection all = fixture_all();
    struct store_tally result;

    fixture_put_stack(suite->store,
                      &(struct fixture_put){.id = 1, .work = 3, .work_unit = "requests"}, "a", 1);
    fixture_put_stack(suite->store,
                      &(struct fixture_put){.id = 2, .work = 4, .work_unit = "messages"}, "a", 1);
    result = suite_tally(suite, &all, 1);
    assert_int_equal(result.sides[0].work, -1);
    suite_assert_slice(result.sides[0].work_unit, "");
    assert_int_equal(result.sides[0].without_work_count, 2);
    store_tally_release(suite->store, &result);
}

void one_profile_can_be_asked_for(void **state)
{
    struct suite *suite = *state;
    struct store_selection one = fixture_all();
    struct store_tally result;

    for (unsigned i = 1; i <= 3; i++) /* all start at the same time */
        fixture_put_stack(suite->store, &(struct fixture_put){.id = i}, "main", 1 << i);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 9, .service = "bank"}, "main", 1);
    one.one = true;
    one.id = fixture_id(2);
    result = suite_tally(suite, &one, 1);
    assert_int_equal(result.sides[0].profile_count, 1);
    assert_int_equal(result.sides[0].total, 4);
    store_tally_release(suite->store, &result);
    one.id = fixture_id(9); /* of another service */
    result = suite_tally(suite, &one, 1);
    assert_int_equal(result.sides[0].profile_count, 0);
    store_tally_release(suite->store, &result);
    one.id = fixture_id(77); /* of none */
    result = suite_tally(suite, &one, 1);
    assert_int_equal(result.sides[0].profile_count, 0);
    store_tally_release(suite->store, &result);
}

void type_and_metric_are_found_when_left_out(void **state)
{
    struct suite *suite = *state;
    struct store_selection some = fixture_all();
    struct store_tally result;

    fixture_put_stack(suite->store, &(struct fixture_put){.id = 1, .metric = "old"}, "main", 1);
    fixture_put_stack(suite->store,
                      &(struct fixture_put){.id = 2, .metric = "new", .start_ns = NOVEMBER + 9},
                      "main", 2);
    fixture_put_stack(suite->store,
                      &(struct fixture_put){.id = 3, .metric = "old", .start_ns = NOVEMBER + 1},
                      "main", 4);
    some.type = some.metric = slice_of("");
    result = suite_tally(suite, &some, 1);
    suite_assert_slice(result.type, "cpu");
    suite_assert_slice(result.metric, "new"); /* of the newest by start, not by arrival */
    assert_int_equal(result.sides[0].total, 2);
    assert_int_equal(result.sides[0].profile_count, 1);
    store_tally_release(suite->store, &result);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 4, .type = "heap"}, "main", 8);
    assert_int_equal(suite_tally_status(suite, &some, 1), STATUS_BAD_PARAMETER);
}

void overflowing_sums_are_refused(void **state)
{
    struct suite *suite = *state;
    struct store_selection all = fixture_all();
    struct store_tally result;

    fixture_put_stack(suite->store, &(struct fixture_put){.id = 1}, "a", INT64_MAX);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 2, .version = "2"}, "a", INT64_MIN);
    result = suite_tally(suite, &all, 1);
    assert_int_equal(result.sides[0].total, -1);
    store_tally_release(suite->store, &result);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 3, .version = "0"}, "a", 1);
    /* MAX + 1 in one node, in whatever order; then in two nodes, where only the total overflows. */
    all.versions = (struct slice[]){slice_of("0"), slice_of("1")};
    all.version_count = 2;
    assert_int_equal(suite_tally_status(suite, &all, 1), STATUS_VALUE_OVERFLOW);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 4, .version = "5"}, "b", 1);
    all.versions = (struct slice[]){slice_of("5"), slice_of("1")};
    assert_int_equal(suite_tally_status(suite, &all, 1), STATUS_VALUE_OVERFLOW);
    /* MAX, 1 and -2: the total must fit, not every step on the way to it. */
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 5, .version = "6"}, "c", -2);
    all.versions = (struct slice[]){slice_of("1"), slice_of("5"), slice_of("6")};
    all.version_count = 3;
    result = suite_tally(suite, &all, 1);
    assert_int_equal(result.sides[0].total, INT64_MAX - 1);
    store_tally_release(suite->store, &result);
}

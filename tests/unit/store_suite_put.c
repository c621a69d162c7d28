/* SPDX-License-Identifier: Apache-2.0 */
/* Store contract: what was put is described, given back, and stored once; metrics and sample
 * labels. */
#include "tests/unit/store_suite_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void empty_store_knows_nothing(void **state)
{
    struct suite *suite = *state;
    struct store_selection all = fixture_all();
    struct store_catalog catalog;
    struct store_profile profile;
    struct store_page page;
    struct slice body;

    assert_int_equal(store_ready(suite->store, &suite->err), STATUS_OK);
    assert_int_equal(store_catalog(suite->store, suite->arena, &suite->err, &catalog), STATUS_OK);
    assert_int_equal(catalog.service_count, 0);
    assert_int_equal(suite_tally_status(suite, &all, 1), STATUS_NOT_FOUND);
    assert_int_equal(store_list(suite->store, &all, 10, NULL, suite->arena, &suite->err, &page),
                     STATUS_NOT_FOUND);
    assert_int_equal(store_find(suite->store, fixture_id(1), suite->arena, &suite->err, &profile),
                     STATUS_NOT_FOUND);
    assert_int_equal(store_raw(suite->store, fixture_id(1), suite->arena, &suite->err, &body),
                     STATUS_NOT_FOUND);
}

static void assert_described(const struct store_profile *profile)
{
    struct store_id id = fixture_id(1);

    assert_memory_equal(&profile->id, &id, sizeof(id));
    suite_assert_slice(profile->service, "shop");
    suite_assert_slice(profile->version, "v\xc3\xa9");
    suite_assert_slice(profile->type, "cpu");
    assert_int_equal(profile->label_count, 2);
    suite_assert_slice(profile->labels[0].key, "host");
    suite_assert_slice(profile->labels[0].value, "a");
    suite_assert_slice(profile->labels[1].key, "zone");
    suite_assert_slice(profile->labels[1].value, "");
    assert_int_equal(profile->start_ns, NOVEMBER + 5);
    assert_int_equal(profile->duration_ns, 10);
    assert_int_equal(profile->received_ns, NOVEMBER + DAY);
    assert_int_equal(profile->work, 0);
    suite_assert_slice(profile->work_unit, "requests");
    assert_int_equal(profile->sample_count, 4);
    assert_int_equal(profile->body_bytes, 4);
    assert_int_equal(profile->metric_count, 2);
    suite_assert_slice(profile->metrics[0].name, "samples");
    suite_assert_slice(profile->metrics[0].unit, "count");
    assert_int_equal(profile->metrics[0].total, 7);
    suite_assert_slice(profile->metrics[1].name, "cpu");
    assert_int_equal(profile->metrics[1].total, 67);
}

void stored_profile_is_described_and_given_back(void **state)
{
    struct suite *suite = *state;
    struct fixture_put what = {.id = 1,
                               .version = "v\xc3\xa9",
                               .labels = "host=a;zone=",
                               .start_ns = NOVEMBER + 5,
                               .duration_ns = 10,
                               .work = 0,
                               .work_unit = "requests",
                               .samples = suite_two_paths,
                               .sample_count = 4};
    struct store_receipt receipt = suite_put(suite, &what);
    struct store_profile profile;
    struct slice body;

    assert_false(receipt.repeated);
    assert_described(&receipt.profile);
    assert_int_equal(store_find(suite->store, fixture_id(1), suite->arena, &suite->err, &profile),
                     STATUS_OK);
    assert_described(&profile);
    assert_int_equal(store_raw(suite->store, fixture_id(1), suite->arena, &suite->err, &body),
                     STATUS_OK);
    suite_assert_slice(body, "body");
}

void equal_ids_are_one_upload(void **state)
{
    struct suite *suite = *state;
    struct store_selection all = fixture_all();
    struct store_receipt receipt;
    struct store_tally result;
    struct fixture_put what = {.id = 1, .samples = suite_two_paths, .sample_count = 4};

    (void)suite_put(suite, &what);
    what.version = "2"; /* whatever else it says: the id decides */
    what.sample_count = 1;
    receipt = suite_put(suite, &what);
    assert_true(receipt.repeated);
    suite_assert_slice(receipt.profile.version, "1");
    assert_int_equal(receipt.profile.sample_count, 4);
    result = suite_tally(suite, &all, 1);
    assert_int_equal(result.sides[0].profile_count, 1);
    assert_int_equal(result.sides[0].total, 67);
    store_tally_release(suite->store, &result);
}

void unit_conflict_makes_another_metric(void **state)
{
    struct suite *suite = *state;
    struct store_selection some = fixture_all();
    struct store_receipt receipt;
    struct store_tally result;
    struct handmade_sample sample = {.stack = "main", .values = {1, 5}};
    struct fixture_put what = {
        .id = 2, .metric = "cpu", .unit = "bytes", .samples = &sample, .sample_count = 1};

    fixture_put_stack(suite->store, &(struct fixture_put){.id = 1}, "main", 1);
    receipt = suite_put(suite, &what);
    suite_assert_slice(receipt.profile.metrics[1].name, "cpu:bytes");
    suite_assert_slice(receipt.profile.metrics[1].unit, "bytes");
    result = suite_tally(suite, &some, 1);
    assert_int_equal(result.sides[0].total, 1);
    store_tally_release(suite->store, &result);
    some.metric = slice_of("cpu:bytes");
    result = suite_tally(suite, &some, 1);
    assert_int_equal(result.sides[0].total, 5);
    suite_assert_slice(result.unit, "bytes");
    store_tally_release(suite->store, &result);
    struct store_selection sides[2] = {some, fixture_all()};
    assert_int_equal(suite_tally_status(suite, sides, 2), STATUS_BAD_PARAMETER);
}

void too_many_metrics_are_refused(void **state)
{
    struct suite *suite = *state;
    struct handmade_sample sample = {.stack = "main", .values = {1, 1}};
    struct store_receipt receipt;
    char name[32];
    unsigned i;
    enum status status = STATUS_OK;

    for (i = 0; i < LIMIT_SERIES_METRICS + 10 && status == STATUS_OK; i++) {
        (void)snprintf(name, sizeof(name), "metric%u", i);
        status =
            fixture_try_put(suite->store, suite->arena,
                            &(struct fixture_put){
                                .id = i + 1, .metric = name, .samples = &sample, .sample_count = 1},
                            &suite->err, &receipt);
    }
    assert_int_equal(status, STATUS_RATE_LIMITED);
    assert_int_equal(i, LIMIT_SERIES_METRICS); /* "samples" is one of them */
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 9999, .metric = "metric0"}, "a", 1);
}

/* Puts with an arena that has a little more room each time, until one succeeds. */
void failed_puts_store_nothing(void **state)
{
    enum { STEP_BYTES = 32 };
    struct suite *suite = *state;
    struct handmade made;
    struct store_label label = {.key = slice_of("zone"), .value = slice_of("eu")};
    struct store_put put = {.service = slice_of("shop"),
                            .version = slice_of("1"),
                            .type = slice_of("cpu"),
                            .labels = &label,
                            .label_count = 1,
                            .start_ns = NOVEMBER,
                            .work = -1,
                            .work_unit = slice_of(""),
                            .profile = &made.profile,
                            .metrics = made.metrics,
                            .default_metric = 1,
                            .body = slice_of("body")};
    struct store_receipt receipt;
    struct store_profile found;
    enum status status;
    unsigned failures = 0;

    handmade_make(suite->arena, "cpu", "nanoseconds", suite_two_paths, 4, &made);
    for (;; failures++) {
        struct arena *arena = arena_new(failures * STEP_BYTES);

        put.id = fixture_id(failures + 1);
        status = store_put(suite->store, &put, arena, &suite->err, &receipt);
        arena_free(arena);
        if (status == STATUS_OK)
            break;
        assert_int_equal(status, STATUS_TOO_LARGE);
        assert_int_equal(store_find(suite->store, put.id, suite->arena, NULL, &found),
                         STATUS_NOT_FOUND);
    }
    assert_true(failures > 10);
}

void sample_labels_do_not_change_sums(void **state)
{
    struct suite *suite = *state;
    struct store_selection all = fixture_all();
    enum { COUNT = 200 };
    struct handmade_sample samples[COUNT];
    char tags[COUNT][64];
    struct store_receipt receipt;
    struct store_tally result;

    for (unsigned i = 0; i < COUNT; i++) { /* 10 x 10 sets; a number that differs everywhere */
        (void)snprintf(tags[i], sizeof(tags[i]), "a=%u;b=%u;time=#%u", i % 10, i / 10 % 10, i);
        samples[i] = (struct handmade_sample){
            .stack = i % 2 ? "main;odd" : "main;even", .values = {1, i}, .tags = tags[i]};
    }
    receipt =
        suite_put(suite, &(struct fixture_put){.id = 1, .samples = samples, .sample_count = COUNT});
    assert_int_equal(receipt.tag_keys_left_out, 1);
    assert_int_equal(receipt.tagsets_folded, 100 - LIMIT_TAGSETS);
    result = suite_tally(suite, &all, 1);
    assert_int_equal(result.sides[0].profile_count, 1);
    assert_int_equal(result.sides[0].total, 199 * 200 / 2);
    assert_int_equal(fixture_self(&result, 0, "main;odd"), 100 * 100);
    store_tally_release(suite->store, &result);
}

/* What is one byte in one label is spelt out in another; the store keeps both as the same text. */
void sample_labels_that_cleaning_makes_equal_add_up(void **state)
{
    struct suite *suite = *state;
    struct store_selection all = fixture_all();
    struct store_receipt receipt;
    struct store_tally result;
    const struct handmade_sample samples[] = {
        {.stack = "main", .values = {1, 1}, .tags = "a=\xff"},
        {.stack = "main", .values = {1, 2}, .tags = "a=\\xff"},
        {.stack = "main", .values = {1, 4}, .tags = "a\xfe=v"},
        {.stack = "main", .values = {1, 8}, .tags = "a\\xfe=v"},
        {.stack = "main", .values = {1, 16}, .tags = "a\xfe=v;a\\xfe=v"},
        {.stack = "main", .values = {1, 32}, .tags = "a=other"},
    };

    receipt = suite_put(
        suite, &(struct fixture_put){.id = 1,
                                     .samples = samples,
                                     .sample_count = sizeof(samples) / sizeof(samples[0])});
    assert_int_equal(receipt.tag_keys_left_out, 0);
    result = suite_tally(suite, &all, 1);
    assert_int_equal(result.sides[0].total, 63);
    store_tally_release(suite->store, &result);
}

void profile_without_samples_counts(void **state)
{
    struct suite *suite = *state;
    struct store_selection all = fixture_all();
    struct store_tally result;

    (void)suite_put(suite, &(struct fixture_put){.id = 1, .duration_ns = 6});
    result = suite_tally(suite, &all, 1);
    assert_int_equal(result.sides[0].profile_count, 1);
    assert_int_equal(result.sides[0].duration_ns, 6);
    assert_int_equal(result.sides[0].total, 0);
    store_tally_release(suite->store, &result);
}

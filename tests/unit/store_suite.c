/* SPDX-License-Identifier: Apache-2.0 */
/* The contract suite of storage/store.h: every promise of the header that can be seen from outside.
 * Knows no engine. */
#include "tests/unit/store_suite.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/limits.h"
#include "tests/unit/store_fixture.h"

static const struct store_suite_engine *engine; /* set once, before the tests run */

struct context {
    struct store *store;
    struct arena *arena;
    struct error err;
};

static int set_up(void **state)
{
    struct context *context = calloc(1, sizeof(*context));

    context->store = engine->open_empty();
    context->arena = arena_new(64 * LIMIT_MIB);
    *state = context;
    return 0;
}

static int tear_down(void **state)
{
    struct context *context = *state;

    engine->destroy(context->store);
    arena_free(context->arena);
    free(context);
    return 0;
}

static struct store_tally tally(struct context *context, const struct store_selection *sides,
                                uint32_t side_count)
{
    struct store_tally result;

    if (store_tally(context->store, sides, side_count, context->arena, &context->err, &result) !=
        STATUS_OK)
        fail_msg("tally: %s", context->err.text);
    return result;
}

static enum status tally_status(struct context *context, const struct store_selection *sides,
                                uint32_t side_count)
{
    struct store_tally result;

    return store_tally(context->store, sides, side_count, context->arena, &context->err, &result);
}

static struct store_receipt put(struct context *context, const struct fixture_put *what)
{
    struct store_receipt receipt;

    if (fixture_try_put(context->store, context->arena, what, &context->err, &receipt) != STATUS_OK)
        fail_msg("put %u: %s", what->id, context->err.text);
    return receipt;
}

static void assert_slice(struct slice have, const char *expected)
{
    if (!slice_equal(have, slice_of(expected)))
        fail_msg("\"%.*s\" is not \"%s\"", (int)have.size_bytes, have.data, expected);
}

static const struct handmade_sample two_paths[] = {
    {.stack = "main;work;compile", .values = {3, 30}},
    {.stack = "main;work", .values = {1, 10}},
    {.stack = "main;work;compile", .values = {2, 20}},
    {.stack = "", .values = {1, 7}},
};

/* --- put, find, raw -------------------------------------------------------------------------- */

static void empty_store_knows_nothing(void **state)
{
    struct context *context = *state;
    struct store_selection all = fixture_all();
    struct store_catalog catalog;
    struct store_profile profile;
    struct store_page page;
    struct slice body;

    assert_int_equal(store_ready(context->store, &context->err), STATUS_OK);
    assert_int_equal(store_catalog(context->store, context->arena, &context->err, &catalog),
                     STATUS_OK);
    assert_int_equal(catalog.service_count, 0);
    assert_int_equal(tally_status(context, &all, 1), STATUS_NOT_FOUND);
    assert_int_equal(
        store_list(context->store, &all, 10, NULL, context->arena, &context->err, &page),
        STATUS_NOT_FOUND);
    assert_int_equal(
        store_find(context->store, fixture_id(1), context->arena, &context->err, &profile),
        STATUS_NOT_FOUND);
    assert_int_equal(store_raw(context->store, fixture_id(1), context->arena, &context->err, &body),
                     STATUS_NOT_FOUND);
}

static void assert_described(const struct store_profile *profile)
{
    struct store_id id = fixture_id(1);

    assert_memory_equal(&profile->id, &id, sizeof(id));
    assert_slice(profile->service, "shop");
    assert_slice(profile->version, "v\xc3\xa9");
    assert_slice(profile->type, "cpu");
    assert_int_equal(profile->label_count, 2);
    assert_slice(profile->labels[0].key, "host");
    assert_slice(profile->labels[0].value, "a");
    assert_slice(profile->labels[1].key, "zone");
    assert_slice(profile->labels[1].value, "");
    assert_int_equal(profile->start_ns, NOVEMBER + 5);
    assert_int_equal(profile->duration_ns, 10);
    assert_int_equal(profile->received_ns, NOVEMBER + DAY);
    assert_int_equal(profile->work, 0);
    assert_slice(profile->work_unit, "requests");
    assert_int_equal(profile->sample_count, 4);
    assert_int_equal(profile->body_bytes, 4);
    assert_int_equal(profile->metric_count, 2);
    assert_slice(profile->metrics[0].name, "samples");
    assert_slice(profile->metrics[0].unit, "count");
    assert_int_equal(profile->metrics[0].total, 7);
    assert_slice(profile->metrics[1].name, "cpu");
    assert_int_equal(profile->metrics[1].total, 67);
}

static void stored_profile_is_described_and_given_back(void **state)
{
    struct context *context = *state;
    struct fixture_put what = {.id = 1,
                               .version = "v\xc3\xa9",
                               .labels = "host=a;zone=",
                               .start_ns = NOVEMBER + 5,
                               .duration_ns = 10,
                               .work = 0,
                               .work_unit = "requests",
                               .samples = two_paths,
                               .sample_count = 4};
    struct store_receipt receipt = put(context, &what);
    struct store_profile profile;
    struct slice body;

    assert_false(receipt.repeated);
    assert_described(&receipt.profile);
    assert_int_equal(
        store_find(context->store, fixture_id(1), context->arena, &context->err, &profile),
        STATUS_OK);
    assert_described(&profile);
    assert_int_equal(store_raw(context->store, fixture_id(1), context->arena, &context->err, &body),
                     STATUS_OK);
    assert_slice(body, "body");
}

static void equal_ids_are_one_upload(void **state)
{
    struct context *context = *state;
    struct store_selection all = fixture_all();
    struct store_receipt receipt;
    struct store_tally result;
    struct fixture_put what = {.id = 1, .samples = two_paths, .sample_count = 4};

    (void)put(context, &what);
    what.version = "2"; /* whatever else it says: the id decides */
    what.sample_count = 1;
    receipt = put(context, &what);
    assert_true(receipt.repeated);
    assert_slice(receipt.profile.version, "1");
    assert_int_equal(receipt.profile.sample_count, 4);
    result = tally(context, &all, 1);
    assert_int_equal(result.sides[0].profile_count, 1);
    assert_int_equal(result.sides[0].total, 67);
    store_tally_release(context->store, &result);
}

/* --- tally ----------------------------------------------------------------------------------- */

static void tally_adds_exactly(void **state)
{
    struct context *context = *state;
    struct store_selection all = fixture_all();
    struct store_tally result;

    for (unsigned i = 1; i <= 3; i++)
        (void)put(context, &(struct fixture_put){.id = i,
                                                 .start_ns = NOVEMBER + i,
                                                 .duration_ns = i == 2 ? 0 : 10,
                                                 .work = 4,
                                                 .work_unit = i == 3 ? NULL : "requests",
                                                 .samples = two_paths,
                                                 .sample_count = 4});
    result = tally(context, &all, 1);
    assert_slice(result.type, "cpu");
    assert_slice(result.metric, "cpu");
    assert_slice(result.unit, "nanoseconds");
    assert_int_equal(result.kind, METRIC_COUNTER);
    assert_int_equal(result.side_count, 1);
    assert_int_equal(result.sides[0].profile_count, 3);
    assert_int_equal(result.sides[0].total, 201);
    assert_int_equal(result.sides[0].duration_ns, 20);
    assert_int_equal(result.sides[0].without_duration_count, 1);
    assert_int_equal(result.sides[0].work, 8);
    assert_int_equal(result.sides[0].without_work_count, 1);
    assert_slice(result.sides[0].work_unit, "requests");
    assert_int_equal(result.sides[0].first_ns, NOVEMBER + 1);
    assert_int_equal(result.sides[0].last_ns, NOVEMBER + 3);
    assert_int_equal(fixture_self(&result, 0, "main;work;compile"), 150);
    assert_int_equal(fixture_self(&result, 0, "main;work"), 30);
    assert_int_equal(fixture_self(&result, 0, "main"), 0);
    assert_int_equal(fixture_self(&result, 0, ""), 21);
    store_tally_release(context->store, &result);
    all.metric = slice_of("samples");
    result = tally(context, &all, 1);
    assert_slice(result.unit, "count");
    assert_int_equal(fixture_self(&result, 0, "main;work;compile"), 15);
    store_tally_release(context->store, &result);
}

static void nothing_matching_is_an_empty_side(void **state)
{
    struct context *context = *state;
    struct slice version = slice_of("9");
    struct store_selection sides[6];
    struct store_label label = {.key = slice_of("zone"), .value = slice_of("eu")};

    fixture_put_stack(context->store, &(struct fixture_put){.id = 1}, "main", 5);
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
        struct store_tally result = tally(context, &sides[i], 1);

        assert_int_equal(result.sides[0].profile_count, 0);
        assert_int_equal(result.sides[0].total, 0);
        assert_int_equal(result.sides[0].work, -1);
        assert_int_equal(result.sides[0].first_ns, 0);
        assert_true(result.node_count >= 1);
        for (uint32_t node = 0; node < result.node_count; node++)
            assert_int_equal(result.sides[0].self[node], 0);
        if (i == 3)
            assert_slice(result.unit, "");
        store_tally_release(context->store, &result);
    }
}

static void ranges_are_half_open(void **state)
{
    struct context *context = *state;
    struct store_selection some = fixture_all();
    struct store_tally result;

    for (unsigned i = 1; i <= 4; i++)
        fixture_put_stack(context->store,
                          &(struct fixture_put){.id = i, .start_ns = NOVEMBER + 10 * i}, "main",
                          1 << i);
    some.from_ns = NOVEMBER + 20;
    some.until_ns = NOVEMBER + 40;
    result = tally(context, &some, 1);
    assert_int_equal(result.sides[0].total, 4 + 8);
    store_tally_release(context->store, &result);
}

static void versions_are_compared_over_one_tree(void **state)
{
    struct context *context = *state;
    struct store_selection sides[2] = {fixture_all(), fixture_all()};
    struct slice three = slice_of("3"), four = slice_of("4");
    struct store_tally result;

    fixture_put_stack(context->store, &(struct fixture_put){.id = 1, .version = "3"}, "main;old",
                      100);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 2, .version = "4"}, "main;new",
                      40);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 3, .version = "4"}, "main", 2);
    sides[0].versions = &four;
    sides[1].versions = &three;
    sides[0].version_count = sides[1].version_count = 1;
    result = tally(context, sides, 2);
    assert_int_equal(result.side_count, 2);
    assert_int_equal(fixture_self(&result, 0, "main;new"), 40);
    assert_int_equal(fixture_self(&result, 1, "main;new"), 0);
    assert_int_equal(fixture_self(&result, 0, "main;old"), 0);
    assert_int_equal(fixture_self(&result, 1, "main;old"), 100);
    assert_int_equal(result.sides[0].profile_count, 2);
    assert_int_equal(result.sides[1].profile_count, 1);
    store_tally_release(context->store, &result);
}

static void several_months_become_one_tree(void **state)
{
    struct context *context = *state;
    struct store_selection all = fixture_all();
    struct store_tally result;

    /* Other numbers in each month: the second begins with another stack. */
    fixture_put_stack(context->store, &(struct fixture_put){.id = 1, .start_ns = OCTOBER},
                      "main;work;compile", 1);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 2}, "other;thing", 10);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 3}, "main;work;compile", 100);
    fixture_put_stack(context->store,
                      &(struct fixture_put){.id = 4, .start_ns = OCTOBER - 40 * DAY}, "main;work",
                      1000);
    result = tally(context, &all, 1);
    assert_int_equal(result.sides[0].profile_count, 4);
    assert_int_equal(result.sides[0].total, 1111);
    assert_int_equal(fixture_self(&result, 0, "main;work;compile"), 101);
    assert_int_equal(fixture_self(&result, 0, "main;work"), 1000);
    assert_int_equal(fixture_self(&result, 0, "other;thing"), 10);
    store_tally_release(context->store, &result);
    all.until_ns = NOVEMBER;
    all.from_ns = OCTOBER;
    result = tally(context, &all, 1);
    assert_int_equal(result.sides[0].total, 1);
    store_tally_release(context->store, &result);
}

static void two_services_are_compared(void **state)
{
    struct context *context = *state;
    struct store_selection sides[2] = {fixture_all(), fixture_all()};
    struct store_tally result;

    fixture_put_stack(context->store, &(struct fixture_put){.id = 1}, "main;shared", 3);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 2, .service = "bank"},
                      "main;own;shared", 5);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 3, .service = "bank"},
                      "main;shared", 7);
    sides[1].service = slice_of("bank");
    result = tally(context, sides, 2);
    assert_int_equal(fixture_self(&result, 0, "main;shared"), 3);
    assert_int_equal(fixture_self(&result, 1, "main;shared"), 7);
    assert_int_equal(fixture_self(&result, 0, "main;own;shared"), 0);
    assert_int_equal(fixture_self(&result, 1, "main;own;shared"), 5);
    store_tally_release(context->store, &result);
    sides[1].service = slice_of("nobody");
    assert_int_equal(tally_status(context, sides, 2), STATUS_NOT_FOUND);
}

static void labels_are_joined_by_and(void **state)
{
    struct context *context = *state;
    struct store_selection some = fixture_all();
    struct store_label labels[2] = {{.key = slice_of("host"), .value = slice_of("a")},
                                    {.key = slice_of("zone"), .value = slice_of("eu")}};
    struct store_tally result;

    fixture_put_stack(context->store, &(struct fixture_put){.id = 1, .labels = "host=a;zone=eu"},
                      "main", 1);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 2, .labels = "host=a;zone=us"},
                      "main", 2);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 3, .labels = "zone=eu"}, "main",
                      4);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 4}, "main", 8);
    some.labels = labels;
    some.label_count = 1;
    result = tally(context, &some, 1);
    assert_int_equal(result.sides[0].total, 3);
    store_tally_release(context->store, &result);
    some.label_count = 2;
    result = tally(context, &some, 1);
    assert_int_equal(result.sides[0].total, 1);
    store_tally_release(context->store, &result);
}

static void having_leaves_profiles_out(void **state)
{
    struct context *context = *state;
    struct store_selection some = fixture_all();
    struct store_page page;
    struct store_tally result;

    fixture_put_stack(context->store, &(struct fixture_put){.id = 1, .duration_ns = 5}, "main", 1);
    fixture_put_stack(context->store,
                      &(struct fixture_put){.id = 2, .work = 0, .work_unit = "requests"}, "main",
                      2);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 3}, "main", 4);
    some.having = STORE_HAVING_DURATION;
    result = tally(context, &some, 1);
    assert_int_equal(result.sides[0].total, 1);
    store_tally_release(context->store, &result);
    some.having = STORE_HAVING_WORK;
    result = tally(context, &some, 1);
    assert_int_equal(result.sides[0].total, 2);
    assert_int_equal(result.sides[0].work, 0);
    store_tally_release(context->store, &result);
    assert_int_equal(
        store_list(context->store, &some, 9, NULL, context->arena, &context->err, &page),
        STATUS_OK);
    assert_int_equal(page.profile_count, 1);
    assert_int_equal(page.profiles[0].work, 0);
}

static void unlike_units_of_work_do_not_add(void **state)
{
    struct context *context = *state;
    struct store_selection all = fixture_all();
    struct store_tally result;

    fixture_put_stack(context->store,
                      &(struct fixture_put){.id = 1, .work = 3, .work_unit = "requests"}, "a", 1);
    fixture_put_stack(context->store,
                      &(struct fixture_put){.id = 2, .work = 4, .work_unit = "messages"}, "a", 1);
    result = tally(context, &all, 1);
    assert_int_equal(result.sides[0].work, -1);
    assert_slice(result.sides[0].work_unit, "");
    assert_int_equal(result.sides[0].without_work_count, 2);
    store_tally_release(context->store, &result);
}

static void one_profile_can_be_asked_for(void **state)
{
    struct context *context = *state;
    struct store_selection one = fixture_all();
    struct store_tally result;

    for (unsigned i = 1; i <= 3; i++) /* all start at the same time */
        fixture_put_stack(context->store, &(struct fixture_put){.id = i}, "main", 1 << i);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 9, .service = "bank"}, "main", 1);
    one.one = true;
    one.id = fixture_id(2);
    result = tally(context, &one, 1);
    assert_int_equal(result.sides[0].profile_count, 1);
    assert_int_equal(result.sides[0].total, 4);
    store_tally_release(context->store, &result);
    one.id = fixture_id(9); /* of another service */
    result = tally(context, &one, 1);
    assert_int_equal(result.sides[0].profile_count, 0);
    store_tally_release(context->store, &result);
    one.id = fixture_id(77); /* of none */
    result = tally(context, &one, 1);
    assert_int_equal(result.sides[0].profile_count, 0);
    store_tally_release(context->store, &result);
}

static void type_and_metric_are_found_when_left_out(void **state)
{
    struct context *context = *state;
    struct store_selection some = fixture_all();
    struct store_tally result;

    fixture_put_stack(context->store, &(struct fixture_put){.id = 1, .metric = "old"}, "main", 1);
    fixture_put_stack(context->store,
                      &(struct fixture_put){.id = 2, .metric = "new", .start_ns = NOVEMBER + 9},
                      "main", 2);
    fixture_put_stack(context->store,
                      &(struct fixture_put){.id = 3, .metric = "old", .start_ns = NOVEMBER + 1},
                      "main", 4);
    some.type = some.metric = slice_of("");
    result = tally(context, &some, 1);
    assert_slice(result.type, "cpu");
    assert_slice(result.metric, "new"); /* of the newest by start, not by arrival */
    assert_int_equal(result.sides[0].total, 2);
    assert_int_equal(result.sides[0].profile_count, 1);
    store_tally_release(context->store, &result);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 4, .type = "heap"}, "main", 8);
    assert_int_equal(tally_status(context, &some, 1), STATUS_BAD_PARAMETER);
}

static void overflowing_sums_are_refused(void **state)
{
    struct context *context = *state;
    struct store_selection all = fixture_all();
    struct store_tally result;

    fixture_put_stack(context->store, &(struct fixture_put){.id = 1}, "a", INT64_MAX);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 2, .version = "2"}, "a",
                      INT64_MIN);
    result = tally(context, &all, 1);
    assert_int_equal(result.sides[0].total, -1);
    store_tally_release(context->store, &result);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 3, .version = "0"}, "a", 1);
    /* MAX + 1 in one node, in whatever order; then in two nodes, where only the total overflows. */
    all.versions = (struct slice[]){slice_of("0"), slice_of("1")};
    all.version_count = 2;
    assert_int_equal(tally_status(context, &all, 1), STATUS_VALUE_OVERFLOW);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 4, .version = "5"}, "b", 1);
    all.versions = (struct slice[]){slice_of("5"), slice_of("1")};
    assert_int_equal(tally_status(context, &all, 1), STATUS_VALUE_OVERFLOW);
}

/* --- metrics and labels of samples ----------------------------------------------------------- */

static void unit_conflict_makes_another_metric(void **state)
{
    struct context *context = *state;
    struct store_selection some = fixture_all();
    struct store_receipt receipt;
    struct store_tally result;
    struct handmade_sample sample = {.stack = "main", .values = {1, 5}};
    struct fixture_put what = {
        .id = 2, .metric = "cpu", .unit = "bytes", .samples = &sample, .sample_count = 1};

    fixture_put_stack(context->store, &(struct fixture_put){.id = 1}, "main", 1);
    receipt = put(context, &what);
    assert_slice(receipt.profile.metrics[1].name, "cpu:bytes");
    assert_slice(receipt.profile.metrics[1].unit, "bytes");
    result = tally(context, &some, 1);
    assert_int_equal(result.sides[0].total, 1);
    store_tally_release(context->store, &result);
    some.metric = slice_of("cpu:bytes");
    result = tally(context, &some, 1);
    assert_int_equal(result.sides[0].total, 5);
    assert_slice(result.unit, "bytes");
    store_tally_release(context->store, &result);
    struct store_selection sides[2] = {some, fixture_all()};
    assert_int_equal(tally_status(context, sides, 2), STATUS_BAD_PARAMETER);
}

static void too_many_metrics_are_refused(void **state)
{
    struct context *context = *state;
    struct handmade_sample sample = {.stack = "main", .values = {1, 1}};
    struct store_receipt receipt;
    char name[32];
    unsigned i;
    enum status status = STATUS_OK;

    for (i = 0; i < LIMIT_SERIES_METRICS + 10 && status == STATUS_OK; i++) {
        (void)snprintf(name, sizeof(name), "metric%u", i);
        status =
            fixture_try_put(context->store, context->arena,
                            &(struct fixture_put){
                                .id = i + 1, .metric = name, .samples = &sample, .sample_count = 1},
                            &context->err, &receipt);
    }
    assert_int_equal(status, STATUS_RATE_LIMITED);
    assert_int_equal(i, LIMIT_SERIES_METRICS); /* "samples" is one of them */
    fixture_put_stack(context->store, &(struct fixture_put){.id = 9999, .metric = "metric0"}, "a",
                      1);
}

static void sample_labels_do_not_change_sums(void **state)
{
    struct context *context = *state;
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
        put(context, &(struct fixture_put){.id = 1, .samples = samples, .sample_count = COUNT});
    assert_int_equal(receipt.tag_keys_left_out, 1);
    assert_int_equal(receipt.tagsets_folded, 100 - LIMIT_TAGSETS);
    result = tally(context, &all, 1);
    assert_int_equal(result.sides[0].profile_count, 1);
    assert_int_equal(result.sides[0].total, 199 * 200 / 2);
    assert_int_equal(fixture_self(&result, 0, "main;odd"), 100 * 100);
    store_tally_release(context->store, &result);
}

static void profile_without_samples_counts(void **state)
{
    struct context *context = *state;
    struct store_selection all = fixture_all();
    struct store_tally result;

    (void)put(context, &(struct fixture_put){.id = 1, .duration_ns = 6});
    result = tally(context, &all, 1);
    assert_int_equal(result.sides[0].profile_count, 1);
    assert_int_equal(result.sides[0].duration_ns, 6);
    assert_int_equal(result.sides[0].total, 0);
    store_tally_release(context->store, &result);
}

/* --- list and catalog ------------------------------------------------------------------------ */

static void list_pages_through_everything_once(void **state)
{
    struct context *context = *state;
    struct store_selection all = fixture_all();
    struct store_cursor cursor;
    struct store_page page = {.more = true};
    unsigned seen = 0;
    int64_t before = INT64_MAX;

    for (unsigned i = 1; i <= 25; i++) /* pairs of equal starts, two types, two months */
        fixture_put_stack(context->store,
                          &(struct fixture_put){.id = i,
                                                .type = i % 3 ? "cpu" : "heap",
                                                .start_ns = (i % 4 ? NOVEMBER : OCTOBER) + i / 2},
                          "main", i);
    all.type = slice_of("");
    while (page.more) {
        assert_int_equal(store_list(context->store, &all, 4, seen == 0 ? NULL : &cursor,
                                    context->arena, &context->err, &page),
                         STATUS_OK);
        for (uint32_t i = 0; i < page.profile_count; i++, seen++) {
            assert_true(page.profiles[i].start_ns <= before);
            before = page.profiles[i].start_ns;
        }
        cursor = page.next;
    }
    assert_int_equal(seen, 25);
    all.type = slice_of("heap");
    all.metric = slice_of("absent"); /* does not restrict */
    assert_int_equal(
        store_list(context->store, &all, 100, NULL, context->arena, &context->err, &page),
        STATUS_OK);
    assert_int_equal(page.profile_count, 8);
    assert_false(page.more);
}

static void catalog_lists_what_can_be_chosen(void **state)
{
    struct context *context = *state;
    struct store_catalog catalog;
    const struct store_catalog_service *shop;

    fixture_put_stack(context->store,
                      &(struct fixture_put){.id = 1, .version = "2", .labels = "zone=us"}, "a", 1);
    fixture_put_stack(context->store,
                      &(struct fixture_put){
                          .id = 2, .version = "1", .labels = "zone=eu", .start_ns = NOVEMBER + 7},
                      "a", 1);
    fixture_put_stack(context->store,
                      &(struct fixture_put){.id = 3,
                                            .type = "alloc",
                                            .metric = "space",
                                            .unit = "bytes",
                                            .start_ns = OCTOBER,
                                            .version = "2",
                                            .labels = "host=h;zone=us"},
                      "a", 1);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 4, .service = "bank"}, "a", 1);
    assert_int_equal(store_catalog(context->store, context->arena, &context->err, &catalog),
                     STATUS_OK);
    assert_int_equal(catalog.service_count, 2);
    assert_slice(catalog.services[0].service, "bank");
    assert_int_equal(catalog.services[0].label_count, 0);
    shop = &catalog.services[1];
    assert_slice(shop->service, "shop");
    assert_int_equal(shop->profile_count, 3);
    assert_int_equal(shop->first_ns, OCTOBER);
    assert_int_equal(shop->last_ns, NOVEMBER + 7);
    assert_int_equal(shop->version_count, 2);
    assert_slice(shop->versions[0].version, "2");
    assert_int_equal(shop->versions[0].profile_count, 2);
    assert_int_equal(shop->versions[0].first_ns, OCTOBER);
    assert_slice(shop->versions[1].version, "1");
    assert_int_equal(shop->type_count, 2);
    assert_slice(shop->types[0].type, "alloc");
    assert_slice(shop->types[0].default_metric, "space");
    assert_int_equal(shop->types[0].metric_count, 2);
    assert_slice(shop->types[0].metrics[1].unit, "bytes");
    assert_int_equal(shop->types[1].profile_count, 2);
    assert_int_equal(shop->label_count, 2);
    assert_slice(shop->labels[0].key, "host");
    assert_slice(shop->labels[1].key, "zone");
    assert_int_equal(shop->labels[1].value_count, 2);
    assert_slice(shop->labels[1].values[0], "eu");
    assert_slice(shop->labels[1].values[1], "us");
}

/* --- keeping --------------------------------------------------------------------------------- */

static void reopening_changes_no_answer(void **state)
{
    struct context *context = *state;
    struct store_selection sides[2] = {fixture_all(), fixture_all()};
    struct store_tally before, after;
    struct store_catalog catalog;

    for (unsigned i = 1; i <= 20; i++) {
        char stack[64];

        (void)snprintf(stack, sizeof(stack), "main;f%u;g%u", i % 7, i % 3);
        fixture_put_stack(context->store,
                          &(struct fixture_put){.id = i,
                                                .labels = i % 2 ? "zone=eu" : NULL,
                                                .version = i % 4 ? "1" : "2",
                                                .start_ns = i % 5 ? NOVEMBER : OCTOBER},
                          stack, i);
    }
    sides[1].versions = (struct slice[]){slice_of("2")};
    sides[1].version_count = 1;
    before = tally(context, sides, 2);
    store_tally_release(context->store, &before);
    context->store = engine->reopen(context->store);
    after = tally(context, sides, 2);
    assert_int_equal(after.node_count, before.node_count);
    for (unsigned side = 0; side < 2; side++) {
        assert_int_equal(after.sides[side].total, before.sides[side].total);
        assert_int_equal(after.sides[side].profile_count, before.sides[side].profile_count);
    }
    assert_int_equal(after.sides[0].total, 210);
    assert_int_equal(fixture_self(&after, 0, "main;f1;g1"), 1); /* 8 is f1;g2, 15 is f1;g0 */
    assert_int_equal(fixture_self(&after, 0, "main;f1;g0"), 15);
    store_tally_release(context->store, &after);
    fixture_put_stack(context->store, &(struct fixture_put){.id = 21}, "main;f1;g1", 1000);
    after = tally(context, sides, 1);
    assert_int_equal(fixture_self(&after, 0, "main;f1;g1"), 1001);
    assert_int_equal(after.sides[0].total, 1210);
    store_tally_release(context->store, &after);
    assert_int_equal(store_catalog(context->store, context->arena, &context->err, &catalog),
                     STATUS_OK);
    assert_int_equal(catalog.services[0].profile_count, 21);
}

/* A tally stays readable whatever happens to the store meanwhile. */
static void tally_outlives_later_uploads(void **state)
{
    struct context *context = *state;
    struct store_selection all = fixture_all();
    struct store_tally result;
    char stack[32];

    fixture_put_stack(context->store, &(struct fixture_put){.id = 1}, "main;a", 1);
    result = tally(context, &all, 1);
    for (unsigned i = 2; i < 60; i++) {
        (void)snprintf(stack, sizeof(stack), "main;later%u", i);
        fixture_put_stack(context->store, &(struct fixture_put){.id = i}, stack, 1);
    }
    assert_int_equal(result.sides[0].total, 1);
    assert_int_equal(fixture_self(&result, 0, "main;a"), 1);
    assert_int_equal(fixture_self(&result, 0, "main;later5"), INT64_MIN); /* not below its count */
    store_tally_release(context->store, &result);
}

/* --- many at once ---------------------------------------------------------------------------- */

enum { PUTTERS = 4, READERS = 4, PUTS = 60 };

struct crowd {
    struct store *store;
    unsigned number;
};

static void *put_many(void *argument)
{
    struct crowd *crowd = argument;
    struct arena *arena = arena_new(8 * LIMIT_MIB);
    uintptr_t failures = 0;

    for (unsigned i = 0; i < PUTS; i++) { /* half of the ids are everybody's */
        char stack[64];
        struct handmade_sample sample = {.stack = stack, .values = {1, 1}};
        struct store_receipt receipt;
        struct fixture_put what = {.id = i % 2 ? 1000 + i : 10000 * (crowd->number + 1) + i,
                                   .version = i % 3 ? "1" : "2",
                                   .start_ns = i % 7 ? NOVEMBER + i : OCTOBER + i,
                                   .samples = &sample,
                                   .sample_count = 1};

        (void)snprintf(stack, sizeof(stack), "main;t%u;f%u", i % 2 ? 9 : crowd->number, i);
        failures += fixture_try_put(crowd->store, arena, &what, NULL, &receipt) != STATUS_OK;
        arena_reset(arena);
    }
    arena_free(arena);
    return (void *)failures; /* cmocka's asserts are for its own thread */
}

static void *tally_many(void *argument)
{
    struct crowd *crowd = argument;
    struct arena *arena = arena_new(8 * LIMIT_MIB);
    uintptr_t failures = 0;
    uint64_t before = 0;

    for (unsigned i = 0; i < PUTS; i++) {
        struct store_selection sides[2] = {fixture_all(), fixture_all()};
        struct store_tally result;
        struct store_catalog catalog;
        enum status status = store_tally(crowd->store, sides, 1 + i % 2, arena, NULL, &result);

        failures += store_catalog(crowd->store, arena, NULL, &catalog) != STATUS_OK;
        if (status == STATUS_OK) { /* every profile has the total 1 */
            failures += result.sides[0].total != (int64_t)result.sides[0].profile_count;
            failures += result.sides[0].profile_count < before;
            before = result.sides[0].profile_count;
            store_tally_release(crowd->store, &result);
        } else {
            failures += status != STATUS_NOT_FOUND; /* before the first upload */
        }
        arena_reset(arena);
    }
    arena_free(arena);
    return (void *)failures;
}

static void putters_and_readers_together(void **state)
{
    struct context *context = *state;
    struct store_selection all = fixture_all();
    pthread_t threads[PUTTERS + READERS];
    struct crowd crowds[PUTTERS + READERS];
    struct store_tally result;
    struct store_stats stats;

    for (unsigned i = 0; i < PUTTERS + READERS; i++) {
        crowds[i] = (struct crowd){.store = context->store, .number = i};
        assert_int_equal(
            pthread_create(&threads[i], NULL, i < PUTTERS ? put_many : tally_many, &crowds[i]), 0);
    }
    for (unsigned i = 0; i < PUTTERS + READERS; i++) {
        void *failures = NULL;

        assert_int_equal(pthread_join(threads[i], &failures), 0);
        assert_null(failures);
    }
    result = tally(context, &all, 1);
    assert_int_equal(result.sides[0].profile_count, PUTS / 2 * (PUTTERS + 1));
    assert_int_equal(result.sides[0].total, PUTS / 2 * (PUTTERS + 1));
    store_tally_release(context->store, &result);
    store_stats(context->store, &stats);
    assert_int_equal(stats.profiles_stored, PUTS / 2 * (PUTTERS + 1));
    assert_int_equal(stats.commit_failures, 0);
    assert_true(stats.database_bytes > 0);
}

#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int store_suite_run(const struct store_suite_engine *tested)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(empty_store_knows_nothing),
        STORE_TEST(stored_profile_is_described_and_given_back),
        STORE_TEST(equal_ids_are_one_upload),
        STORE_TEST(tally_adds_exactly),
        STORE_TEST(nothing_matching_is_an_empty_side),
        STORE_TEST(ranges_are_half_open),
        STORE_TEST(versions_are_compared_over_one_tree),
        STORE_TEST(several_months_become_one_tree),
        STORE_TEST(two_services_are_compared),
        STORE_TEST(labels_are_joined_by_and),
        STORE_TEST(having_leaves_profiles_out),
        STORE_TEST(unlike_units_of_work_do_not_add),
        STORE_TEST(one_profile_can_be_asked_for),
        STORE_TEST(type_and_metric_are_found_when_left_out),
        STORE_TEST(overflowing_sums_are_refused),
        STORE_TEST(unit_conflict_makes_another_metric),
        STORE_TEST(too_many_metrics_are_refused),
        STORE_TEST(sample_labels_do_not_change_sums),
        STORE_TEST(profile_without_samples_counts),
        STORE_TEST(list_pages_through_everything_once),
        STORE_TEST(catalog_lists_what_can_be_chosen),
        STORE_TEST(reopening_changes_no_answer),
        STORE_TEST(tally_outlives_later_uploads),
        STORE_TEST(putters_and_readers_together),
    };

    engine = tested;
    return cmocka_run_group_tests_name(tested->name, tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Store contract: answers outlast reopening, later uploads and many threads at once. */
#include "tests/unit/store_suite_tests.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void reopening_changes_no_answer(void **state)
{
    struct suite *suite = *state;
    struct store_selection sides[2] = {fixture_all(), fixture_all()};
    struct store_tally before, after;
    struct store_catalog catalog;

    for (unsigned i = 1; i <= 20; i++) {
        char stack[64];

        (void)snprintf(stack, sizeof(stack), "main;f%u;g%u", i % 7, i % 3);
        fixture_put_stack(suite->store,
                          &(struct fixture_put){.id = i,
                                                .labels = i % 2 ? "zone=eu" : NULL,
                                                .version = i % 4 ? "1" : "2",
                                                .start_ns = i % 5 ? NOVEMBER : OCTOBER},
                          stack, i);
    }
    sides[1].versions = (struct slice[]){slice_of("2")};
    sides[1].version_count = 1;
    before = suite_tally(suite, sides, 2);
    store_tally_release(suite->store, &before);
    suite_reopen(suite);
    after = suite_tally(suite, sides, 2);
    assert_int_equal(after.node_count, before.node_count);
    for (unsigned side = 0; side < 2; side++) {
        assert_int_equal(after.sides[side].total, before.sides[side].total);
        assert_int_equal(after.sides[side].profile_count, before.sides[side].profile_count);
    }
    assert_int_equal(after.sides[0].total, 210);
    assert_int_equal(fixture_self(&after, 0, "main;f1;g1"), 1); /* 8 is f1;g2, 15 is f1;g0 */
    assert_int_equal(fixture_self(&after, 0, "main;f1;g0"), 15);
    store_tally_release(suite->store, &after);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 21}, "main;f1;g1", 1000);
    after = suite_tally(suite, sides, 1);
    assert_int_equal(fixture_self(&after, 0, "main;f1;g1"), 1001);
    assert_int_equal(after.sides[0].total, 1210);
    store_tally_release(suite->store, &after);
    assert_int_equal(store_catalog(suite->store, suite->arena, &suite->err, &catalog), STATUS_OK);
    assert_int_equal(catalog.services[0].profile_count, 21);
}

/* A tally stays readable whatever happens to the store meanwhile. */
void tally_outlives_later_uploads(void **state)
{
    struct suite *suite = *state;
    struct store_selection all = fixture_all();
    struct store_tally result;
    char stack[32];

    fixture_put_stack(suite->store, &(struct fixture_put){.id = 1}, "main;a", 1);
    result = suite_tally(suite, &all, 1);
    for (unsigned i = 2; i < 60; i++) {
        (void)snprintf(stack, sizeof(stack), "main;later%u", i);
        fixture_put_stack(suite->store, &(struct fixture_put){.id = i}, stack, 1);
    }
    assert_int_equal(result.sides[0].total, 1);
    assert_int_equal(fixture_self(&result, 0, "main;a"), 1);
    assert_int_equal(fixture_self(&result, 0, "main;later5"), INT64_MIN); /* not below its count */
    store_tally_release(suite->store, &result);
}

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

void putters_and_readers_together(void **state)
{
    struct suite *suite = *state;
    struct store_selection all = fixture_all();
    pthread_t threads[PUTTERS + READERS];
    struct crowd crowds[PUTTERS + READERS];
    struct store_tally result;
    struct store_stats stats;

    for (unsigned i = 0; i < PUTTERS + READERS; i++) {
        crowds[i] = (struct crowd){.store = suite->store, .number = i};
        assert_int_equal(
            pthread_create(&threads[i], NULL, i < PUTTERS ? put_many : tally_many, &crowds[i]), 0);
    }
    for (unsigned i = 0; i < PUTTERS + READERS; i++) {
        void *failures = NULL;

        assert_int_equal(pthread_join(threads[i], &failures), 0);
        assert_null(failures);
    }
    result = suite_tally(suite, &all, 1);
    assert_int_equal(result.sides[0].profile_count, PUTS / 2 * (PUTTERS + 1));
    assert_int_equal(result.sides[0].total, PUTS / 2 * (PUTTERS + 1));
    store_tally_release(suite->store, &result);
    store_stats(suite->store, &stats);
    assert_int_equal(stats.profiles_stored, PUTS / 2 * (PUTTERS + 1));
    assert_int_equal(stats.commit_failures, 0);
    assert_true(stats.database_bytes > 0);
}

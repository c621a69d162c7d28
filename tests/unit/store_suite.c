/* SPDX-License-Identifier: Apache-2.0 */
/* The contract suite of storage/store.h: every promise of the header that can be seen from outside.
 * Knows no engine. The tests are in store_suite_*.c. */
#include "tests/unit/store_suite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/store_suite_tests.h"

static const struct store_suite_engine *engine; /* set once, before the tests run */

static int set_up(void **state)
{
    struct suite *suite = calloc(1, sizeof(*suite));

    suite->store = engine->open_empty();
    suite->arena = arena_new(64 * LIMIT_MIB);
    *state = suite;
    return 0;
}

static int tear_down(void **state)
{
    struct suite *suite = *state;

    engine->destroy(suite->store);
    arena_free(suite->arena);
    free(suite);
    return 0;
}

struct store_tally suite_tally(struct suite *suite, const struct store_selection *sides,
                               uint32_t side_count)
{
    struct store_tally result;

    if (store_tally(suite->store, sides, side_count, suite->arena, &suite->err, &result) !=
        STATUS_OK)
        fail_msg("tally: %s", suite->err.text);
    return result;
}

enum status suite_tally_status(struct suite *suite, const struct store_selection *sides,
                               uint32_t side_count)
{
    struct store_tally result;

    return store_tally(suite->store, sides, side_count, suite->arena, &suite->err, &result);
}

struct store_receipt suite_put(struct suite *suite, const struct fixture_put *what)
{
    struct store_receipt receipt;

    if (fixture_try_put(suite->store, suite->arena, what, &suite->err, &receipt) != STATUS_OK)
        fail_msg("put %u: %s", what->id, suite->err.text);
    return receipt;
}

void suite_assert_slice(struct slice have, const char *expected)
{
    if (!slice_equal(have, slice_of(expected)))
        fail_msg("\"%.*s\" is not \"%s\"", (int)have.size_bytes, have.data, expected);
}

const struct handmade_sample suite_two_paths[4] = {
    {.stack = "main;work;compile", .values = {3, 30}},
    {.stack = "main;work", .values = {1, 10}},
    {.stack = "main;work;compile", .values = {2, 20}},
    {.stack = "", .values = {1, 7}},
};

void suite_reopen(struct suite *suite)
{
    suite->store = engine->reopen(suite->store);
}

int store_suite_run(const struct store_suite_engine *tested)
{
    const struct CMUnitTest tests[] = {
#define STORE_SUITE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down),
        STORE_SUITE_TESTS(STORE_SUITE_TEST)
#undef STORE_SUITE_TEST
    };

    engine = tested;
    return cmocka_run_group_tests_name(tested->name, tests, NULL, NULL);
}

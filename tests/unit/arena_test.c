/* SPDX-License-Identifier: Apache-2.0 */
/* The arena: alignment, contents, budget, pool. */
#include "proto/base/arena.h"

#include <stdint.h>

#include "proto/base/limits.h"
#include "tests/unit/unit.h"

static void test_alignment(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(16 * LIMIT_MIB);
    uint64_t random = 1;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        size_t align = (size_t)1 << (unit_random(&random) % 7);
        size_t size_bytes = unit_random(&random) % 300;
        unsigned char *at = arena_alloc(arena, size_bytes, align);

        assert_non_null(at);
        assert_int_equal((uintptr_t)at % align, 0);
        memset(at, i & 0xff, size_bytes); /* AddressSanitizer looks at the borders */
    }
    assert_true(arena_used_bytes(arena) <= 16 * LIMIT_MIB);
}

static void test_contents_survive_growth(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(64 * LIMIT_MIB);
    uint32_t *blocks[200];

    (void)state;
    for (uint32_t i = 0; i < 200; i++) {
        blocks[i] = arena_array(arena, 10000, uint32_t);
        assert_non_null(blocks[i]);
        for (uint32_t k = 0; k < 10000; k++)
            blocks[i][k] = i * 10000 + k;
    }
    for (uint32_t i = 0; i < 200; i++) {
        for (uint32_t k = 0; k < 10000; k++)
            assert_int_equal(blocks[i][k], i * 10000 + k);
    }
}

static void test_budget_is_a_bound(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(1 * LIMIT_MIB);
    struct error err;
    size_t got_bytes = 0;

    (void)state;
    while (arena_alloc(arena, 1000, 8) != NULL)
        got_bytes += 1000;
    assert_true(got_bytes > 700 * LIMIT_KIB); /* most of the budget is usable */
    assert_true(arena_used_bytes(arena) <= 1 * LIMIT_MIB);
    assert_status(arena_exhausted(arena, &err, "frames"), STATUS_TOO_LARGE);
    assert_int_equal(err.limit, 1 * LIMIT_MIB);
    assert_non_null(strstr(err.text, "frames"));
}

static void test_impossible_sizes(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(SIZE_MAX);

    (void)state;
    assert_null(arena_alloc(arena, SIZE_MAX, 1));
    assert_null(arena_alloc_array(arena, SIZE_MAX / 2, 16, 8)); /* the product wraps */
    assert_null(arena_alloc(arena, 8, 128));
    assert_non_null(arena_alloc(arena, 0, 1));
}

static void test_reset_keeps_one_block(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(64 * LIMIT_MIB);
    size_t first_bytes;

    (void)state;
    assert_non_null(arena_alloc(arena, 10, 1));
    first_bytes = arena_used_bytes(arena);
    for (int i = 0; i < 100; i++)
        assert_non_null(arena_alloc(arena, 100000, 8));
    assert_true(arena_used_bytes(arena) > first_bytes);
    arena_reset(arena);
    assert_int_equal(arena_used_bytes(arena), first_bytes);
    assert_non_null(arena_alloc(arena, 10, 1));
    assert_int_equal(arena_used_bytes(arena), first_bytes);
}

static void test_pool_is_shared(void **state)
{
    struct arena_pool pool = {.max_bytes = 2 * LIMIT_MIB};
    struct arena *hungry = arena_new(64 * LIMIT_MIB);
    CLEANUP(arena_cleanup) struct arena *late = arena_new(64 * LIMIT_MIB);
    struct error err;

    (void)state;
    arena_set_pool(hungry, &pool);
    arena_set_pool(late, &pool);
    while (arena_alloc(hungry, 1000, 8) != NULL)
        ;
    assert_status(arena_exhausted(hungry, &err, "x"), STATUS_UNAVAILABLE);
    assert_true(atomic_load(&pool.used_bytes) <= pool.max_bytes);
    while (arena_pool_take(&pool, 1000))
        ;
    assert_null(arena_alloc(late, 1000, 8));
    arena_free(hungry);
    assert_non_null(arena_alloc(late, 1000, 8));
}

/* Callers take several columns and look afterwards: a small one that still fits must not turn "the
 * server is busy" into "your request is too large". */
static void test_success_does_not_hide_a_starved_pool(void **state)
{
    struct arena_pool pool = {.max_bytes = 1 * LIMIT_MIB};
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(64 * LIMIT_MIB);
    struct error err;

    (void)state;
    arena_set_pool(arena, &pool);
    assert_null(arena_alloc(arena, 2 * LIMIT_MIB, 8));
    assert_non_null(arena_alloc(arena, 1000, 8));
    assert_status(arena_exhausted(arena, &err, "x"), STATUS_UNAVAILABLE);
    assert_null(arena_alloc(arena, SIZE_MAX, 8));
    assert_status(arena_exhausted(arena, &err, "x"), STATUS_TOO_LARGE);
}

static void test_pool_gets_everything_back(void **state)
{
    struct arena_pool pool = {.max_bytes = 64 * LIMIT_MIB};
    struct arena *arena = arena_new(64 * LIMIT_MIB);

    (void)state;
    arena_set_pool(arena, &pool);
    for (int i = 0; i < 50; i++)
        assert_non_null(arena_alloc(arena, 100000, 8));
    arena_reset(arena);
    assert_int_equal(atomic_load(&pool.used_bytes), arena_used_bytes(arena));
    arena_free(arena);
    assert_int_equal(atomic_load(&pool.used_bytes), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_contents_survive_growth),
        cmocka_unit_test(test_budget_is_a_bound),
        cmocka_unit_test(test_impossible_sizes),
        cmocka_unit_test(test_reset_keeps_one_block),
        cmocka_unit_test(test_pool_is_shared),
        cmocka_unit_test(test_success_does_not_hide_a_starved_pool),
        cmocka_unit_test(test_pool_gets_everything_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

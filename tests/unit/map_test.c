/* SPDX-License-Identifier: Apache-2.0 */
/* The id map against a plain array of pairs. */
#include "proto/base/map.h"

#include "proto/base/limits.h"
#include "tests/unit/unit.h"

#define ENTRIES 5000u

static void test_against_plain_search(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(16 * LIMIT_MIB);
    static uint64_t keys[ENTRIES];
    uint64_t random = 7;
    uint32_t count = 0, value;
    struct map map;

    (void)state;
    assert_status(map_init(&map, arena, 0, NULL), STATUS_OK);
    for (uint32_t i = 0; i < 3 * ENTRIES && count < ENTRIES; i++) {
        uint64_t key = unit_random(&random) % 4000;
        uint32_t known = MAP_ABSENT;

        if (i % 2 == 0) /* wide and narrow keys mixed */
            key = unit_random(&random);
        for (uint32_t k = 0; k < count; k++) {
            if (keys[k] == key)
                known = k;
        }
        assert_int_equal(map_find(&map, key), known);
        assert_status(map_add(&map, key, count, NULL, &value), STATUS_OK);
        assert_int_equal(value, known == MAP_ABSENT ? count : known);
        if (known == MAP_ABSENT)
            keys[count++] = key;
    }
    assert_int_equal(map.count, count);
}

static void test_extreme_keys(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(1 * LIMIT_MIB);
    uint32_t value;
    struct map map;

    (void)state;
    assert_status(map_init(&map, arena, 4, NULL), STATUS_OK);
    assert_int_equal(map_find(&map, 0), MAP_ABSENT);
    assert_status(map_add(&map, UINT64_MAX, 1, NULL, &value), STATUS_OK);
    assert_status(map_add(&map, 0, 2, NULL, &value), STATUS_OK);
    assert_int_equal(map_find(&map, UINT64_MAX), 1);
    assert_int_equal(map_find(&map, 0), 2);
}

static void test_budget(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(300 * LIMIT_KIB);
    enum status status = STATUS_OK;
    struct error err;
    struct map map;
    uint32_t value;

    (void)state;
    assert_status(map_init(&map, arena, 4, &err), STATUS_OK);
    for (uint32_t i = 0; i < 1000000 && status == STATUS_OK; i++)
        status = map_add(&map, i, i, &err, &value);
    assert_status(status, STATUS_TOO_LARGE);
    assert_int_equal(map_find(&map, 5), 5); /* what was there is still there */
}

/* As many entries as were announced fit the first table, whatever their number. */
static void test_expected_entries_do_not_grow_it(void **state)
{
    static const uint32_t counts[] = {1, 7, 8, 9, 16, 1000, 1024, 4096};

    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(1 * LIMIT_MIB);
        const uint64_t *keys;
        struct map map;
        uint32_t value;

        assert_status(map_init(&map, arena, counts[i], NULL), STATUS_OK);
        keys = map.keys;
        for (uint32_t key = 0; key < counts[i]; key++)
            assert_status(map_add(&map, key, key, NULL, &value), STATUS_OK);
        assert_ptr_equal(map.keys, keys);
        assert_int_equal(map_find(&map, counts[i] - 1), counts[i] - 1);
        assert_int_equal(map_find(&map, counts[i]), MAP_ABSENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_plain_search),
        cmocka_unit_test(test_extreme_keys),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_expected_entries_do_not_grow_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

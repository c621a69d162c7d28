/* SPDX-License-Identifier: Apache-2.0 */
/* The id index in its three forms, stack depth and sums. */
#include "proto/validate.h"

#include <stdlib.h>

#include "proto/base/limits.h"
#include "tests/unit/unit.h"

static void test_ids_found(void **state)
{
    enum { COUNT = 1000 };
    uint64_t id[COUNT];

    (void)state;
    for (int form = 0; form < 4; form++) {
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
        struct ids ids;

        for (uint64_t i = 0; i < COUNT; i++) {
            id[i] = form == 0   ? i + 1                                   /* sequential */
                    : form == 1 ? COUNT - i                               /* dense, reversed */
                    : form == 2 ? 4 * i + 3                               /* dense, sparse */
                                : UINT64_MAX - i * UINT64_C(0x100000001); /* map */
        }
        assert_int_equal(ids_init(&ids, "x", id, COUNT, arena, NULL), STATUS_OK);
        assert_true((ids.sequential > 0) == (form == 0));
        assert_true((ids.dense != NULL) == (form == 1 || form == 2));
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(ids_find(&ids, id[i]), i);
        assert_int_equal(ids_find(&ids, 0), IDS_ABSENT);
        assert_int_equal(ids_find(&ids, 5000), IDS_ABSENT);
        assert_int_equal(ids_find(&ids, UINT64_MAX / 2), IDS_ABSENT);
        if (form != 3)
            assert_int_equal(ids_find(&ids, UINT64_MAX), IDS_ABSENT);
    }
}

static void test_ids_refused(void **state)
{
    static const struct {
        uint64_t id[4];
        enum status status;
        int64_t index;
    } cases[] = {
        {{1, 2, 3, 0}, STATUS_ZERO_ID, 3},
        {{0, 1, 2, 3}, STATUS_ZERO_ID, 0},
        {{1, 2, 3, 3}, STATUS_DUP_ID, 3},
        {{9, 2, 9, 3}, STATUS_DUP_ID, 2},
        {{UINT64_MAX, 2, 3, UINT64_MAX}, STATUS_DUP_ID, 3},
        {{UINT64_MAX, 0, 3, 4}, STATUS_ZERO_ID, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
        struct error err;
        struct ids ids;

        assert_status(ids_init(&ids, "x", cases[i].id, 4, arena, &err), cases[i].status);
        assert_int_equal(err.index, cases[i].index);
    }
}

static void test_no_ids(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
    struct ids ids;

    (void)state;
    assert_int_equal(ids_init(&ids, "x", NULL, 0, arena, NULL), STATUS_OK);
    assert_int_equal(ids_find(&ids, 0), IDS_ABSENT);
    assert_int_equal(ids_find(&ids, 1), IDS_ABSENT);
}

/* One sample of `depth` times location 0, which has `lines` lines. */
static enum status validate_depth(uint32_t depth, uint32_t lines)
{
    uint32_t *stack = calloc(depth + 1, sizeof *stack);
    uint32_t line_first[] = {0, lines};
    uint32_t location_first[] = {0, depth};
    struct profile profile = {.sample_count = 1,
                              .sample_location_first = location_first,
                              .sample_locations = stack,
                              .location_count = 1,
                              .location_line_first = line_first};
    enum status status;

    assert_non_null(stack);
    status = validate_samples(&profile, NULL);
    free(stack);
    return status;
}

static void test_depth(void **state)
{
    (void)state;
    assert_status(validate_depth(0, 0), STATUS_OK);
    assert_status(validate_depth(LIMIT_STACK_FRAMES, 0), STATUS_OK);
    assert_status(validate_depth(LIMIT_STACK_FRAMES, 1), STATUS_OK);
    assert_status(validate_depth(LIMIT_STACK_FRAMES + 1, 1), STATUS_TOO_LARGE);
    assert_status(validate_depth(LIMIT_STACK_FRAMES + 1, 0), STATUS_TOO_LARGE);
    assert_status(validate_depth(LIMIT_STACK_FRAMES / 3, 3), STATUS_OK);
    assert_status(validate_depth(LIMIT_STACK_FRAMES / 3 + 1, 3), STATUS_TOO_LARGE);
    assert_status(validate_depth(1, LIMIT_STACK_FRAMES), STATUS_OK);
    assert_status(validate_depth(1, LIMIT_STACK_FRAMES + 1), STATUS_TOO_LARGE);
}

static void test_sums(void **state)
{
    static const struct {
        int64_t values[6]; /* two types, three samples */
        enum status status;
        int64_t type;
    } cases[] = {
        {{INT64_MAX, INT64_MIN, 0, 0, 0, 0}, STATUS_OK, 0},
        {{INT64_MAX, 0, 1, 0, -1, 0}, STATUS_OK, 0},
        {{INT64_MAX, 0, 1, 0, 0, 0}, STATUS_VALUE_OVERFLOW, 0},
        {{0, INT64_MIN, 0, 0, 0, -1}, STATUS_VALUE_OVERFLOW, 1},
        {{INT64_MIN, INT64_MIN, INT64_MAX, INT64_MAX, 0, 0}, STATUS_OK, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t values[6];
        uint32_t location_first[4] = {0};
        struct profile profile = {.type_count = 2,
                                  .sample_count = 3,
                                  .sample_location_first = location_first,
                                  .sample_values = values};
        struct error err;

        memcpy(values, cases[i].values, sizeof values);
        assert_status(validate_samples(&profile, &err), cases[i].status);
        if (cases[i].status != STATUS_OK)
            assert_int_equal(err.index, cases[i].type);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_found), cmocka_unit_test(test_ids_refused),
        cmocka_unit_test(test_no_ids),    cmocka_unit_test(test_depth),
        cmocka_unit_test(test_sums),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

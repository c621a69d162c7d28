/* SPDX-License-Identifier: Apache-2.0 */
/* The way of an upload: gzip levels, the cap over them, the answer, and that nothing reaches the
 * store when something is wrong. */
#include <stdlib.h>

#include "proto/gzip.h"
#include "tests/unit/support/keeper.h"
#include "tests/unit/unit.h"

static void a_profile_arrives_whole(void **state)
{
    (void)state;
    assert_posted("service=shop&version=4&label=zone:eu&label=arch:arm&label=zone:eu&work=12"
                  "&work_unit=requests",
                  keeper_slice(&keeper.pprof));
    const struct store_put *put = &keeper.put;
    assert_int_equal(keeper.puts, 1);
    assert_slice_equal(put->service, slice_of("shop"));
    assert_slice_equal(put->version, slice_of("4"));
    assert_slice_equal(put->type, slice_of("cpu"));
    assert_int_equal(put->label_count, 2);
    assert_slice_equal(keeper.labels[0].key, slice_of("arch"));
    assert_slice_equal(keeper.labels[1].value, slice_of("eu"));
    assert_true(put->start_ns == KEEPER_TIME_NS && put->received_ns == KEEPER_NOW_NS);
    assert_true(put->duration_ns == 1000 && put->work == 12);
    assert_slice_equal(put->work_unit, slice_of("requests"));
    assert_int_equal(keeper.first_value, 7000);
    assert_slice_equal(put->body, keeper_slice(&keeper.pprof));

    cJSON *json = cJSON_ParseWithLength(keeper.answer.data, keeper.answer.size_bytes);
    assert_non_null(json);
    assert_int_equal(strlen(cJSON_GetObjectItem(json, "id")->valuestring), 32);
    assert_string_equal(cJSON_GetObjectItem(json, "time")->valuestring,
                        "2025-11-30T16:26:40.123456789Z");
    assert_true(cJSON_GetObjectItem(json, "samples")->valuedouble == 1);
    const cJSON *cpu = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "metrics"), "cpu");
    assert_string_equal(cJSON_GetObjectItem(cpu, "unit")->valuestring, "nanoseconds");
    assert_true(cJSON_GetObjectItem(cpu, "total")->valuedouble == 7000);
    assert_null(cJSON_GetObjectItem(json, "time_adjusted"));
    cJSON_Delete(json);
}

static void every_gzip_level_is_the_same_profile(void **state)
{
    struct buf once = keeper_gzip(keeper_slice(&keeper.pprof));
    struct buf twice = keeper_gzip(keeper_slice(&once));
    struct buf thrice = keeper_gzip(keeper_slice(&twice));
    struct slice no_key = slice_make("", 0);
    size_t cap = LIMIT_INFLATED_BYTES;

    (void)state;
    assert_posted("service=s", keeper_slice(&keeper.pprof));
    struct store_id id = keeper.put.id;
    assert_posted("service=s", keeper_slice(&once));
    assert_true(keeper_same_id(keeper.put.id, id));
    assert_slice_equal(keeper.put.body, keeper_slice(&once));
    /* Declared as encoded: one level means the pprof itself was not gzip, or was not declared. */
    assert_status(keeper_post_with("service=s", keeper_slice(&once), true, no_key, cap), STATUS_OK);
    assert_true(keeper_same_id(keeper.put.id, id));
    assert_slice_equal(keeper.put.body, keeper_slice(&once));
    assert_status(keeper_post_with("service=s", keeper_slice(&twice), true, no_key, cap),
                  STATUS_OK);
    assert_true(keeper_same_id(keeper.put.id, id));
    assert_slice_equal(keeper.put.body, keeper_slice(&once));
    /* A level too many is no profile. */
    assert_status(keeper_post_with("service=s", keeper_slice(&thrice), true, no_key, cap),
                  STATUS_NOT_A_PROFILE);
    assert_refused("service=s", keeper_slice(&twice), STATUS_NOT_A_PROFILE);
    buf_free(&once);
    buf_free(&twice);
    buf_free(&thrice);
}

static void both_levels_share_one_cap(void **state)
{
    struct buf once = keeper_gzip(keeper_slice(&keeper.pprof));
    struct buf twice = keeper_gzip(keeper_slice(&once));
    struct slice no_key = slice_make("", 0);
    size_t both = once.size_bytes + keeper.pprof.size_bytes;

    (void)state;
    assert_status(keeper_post_with("service=s", keeper_slice(&twice), true, no_key, both),
                  STATUS_OK);
    assert_status(keeper_post_with("service=s", keeper_slice(&twice), true, no_key, both - 1),
                  STATUS_TOO_LARGE);
    assert_status(keeper_post_with("service=s", keeper_slice(&keeper.pprof), false, no_key,
                                   keeper.pprof.size_bytes),
                  STATUS_OK);
    assert_status(keeper_post_with("service=s", keeper_slice(&keeper.pprof), false, no_key,
                                   keeper.pprof.size_bytes - 1),
                  STATUS_TOO_LARGE);
    buf_free(&once);
    buf_free(&twice);
}

static void bad_bodies_reach_no_store(void **state)
{
    struct buf packed = keeper_gzip(keeper_slice(&keeper.pprof));
    struct buf nothing = keeper_gzip(slice_make("", 0));
    char key[LIMIT_IDEMPOTENCY_KEY_BYTES + 1];

    (void)state;
    assert_refused("service=s", slice_make("", 0), STATUS_EMPTY_BODY);
    assert_refused("service=s", keeper_slice(&nothing), STATUS_EMPTY_BODY);
    assert_refused("service=s", slice_of("<html>"), STATUS_NOT_A_PROFILE);
    assert_refused("service=s", slice_make(packed.data, packed.size_bytes - 1), STATUS_BAD_GZIP);
    assert_refused("service=s", slice_make(keeper.pprof.data, keeper.pprof.size_bytes - 1),
                   STATUS_TRUNCATED);
    memset(key, 'k', sizeof(key));
    assert_status(keeper_post_with("service=s", keeper_slice(&keeper.pprof), false,
                                   slice_make(key, sizeof(key)), LIMIT_INFLATED_BYTES),
                  STATUS_BAD_REQUEST);
    assert_int_equal(keeper.puts, 0);
    buf_free(&packed);
    buf_free(&nothing);
}

static void a_bomb_is_refused_early(void **state)
{
    size_t size_bytes = 128 * LIMIT_MIB;
    char *zeros = calloc(1, size_bytes);
    struct buf bomb;

    (void)state;
    assert_non_null(zeros);
    buf_init(&bomb, LIMIT_MIB);
    assert_status(gzip_deflate(slice_make(zeros, size_bytes), 9, &keeper.err, &bomb), STATUS_OK);
    free(zeros);
    assert_refused("service=s", keeper_slice(&bomb), STATUS_TOO_LARGE);
    assert_true(arena_used_bytes(keeper.arena) <= 32 * LIMIT_MIB);
    buf_free(&bomb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_profile_arrives_whole, keeper_set_up, keeper_tear_down),
        cmocka_unit_test_setup_teardown(every_gzip_level_is_the_same_profile, keeper_set_up,
                                        keeper_tear_down),
        cmocka_unit_test_setup_teardown(both_levels_share_one_cap, keeper_set_up, keeper_tear_down),
        cmocka_unit_test_setup_teardown(bad_bodies_reach_no_store, keeper_set_up, keeper_tear_down),
        cmocka_unit_test_setup_teardown(a_bomb_is_refused_early, keeper_set_up, keeper_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What an upload's parameters decide: its identity, its times, its labels and work. */
#include "tests/unit/support/keeper.h"
#include "tests/unit/unit.h"

static void what_makes_an_upload_itself(void **state)
{
    static const char *const others[] = {
        "service=t&version=1",           "service=s&version=2",
        "service=s&version=1&type=wall", "service=s&version=1&label=a:b",
        "service=s&version=1&label=b:a", "service=s&version=1&time=1764520001",
        "service=s1&version=",
    };
    struct store_id ids[8];

    (void)state;
    assert_posted("service=s&version=1", keeper_slice(&keeper.pprof));
    struct store_id id = keeper.put.id;
    assert_posted("version=1&service=s&type=cpu&work=5", keeper_slice(&keeper.pprof));
    assert_true(
        keeper_same_id(keeper.put.id, id)); /* the type as inferred, the work not part of it */
    for (size_t i = 0; i < 7; i++) {
        assert_posted(others[i], keeper_slice(&keeper.pprof));
        ids[i] = keeper.put.id;
    }
    ids[7] = id;
    for (size_t i = 0; i < 8; i++) {
        for (size_t k = 0; k < i; k++)
            assert_false(keeper_same_id(ids[i], ids[k]));
    }
    keeper.repeated = true; /* what the store finds is what is answered */
    assert_posted("service=s&version=1", keeper_slice(&keeper.pprof));
}

static void without_a_time_nothing_is_a_repeat(void **state)
{
    struct buf timeless;
    struct slice body;

    (void)state;
    keeper_make_pprof(&timeless, 0, 0);
    body = keeper_slice(&timeless);
    assert_posted("service=s", body);
    struct store_id id = keeper.put.id;
    assert_true(keeper.put.start_ns == KEEPER_NOW_NS);
    assert_posted("service=s", body);
    assert_false(keeper_same_id(keeper.put.id, id));
    /* A parameter is a time, and a key is a name. */
    assert_posted("service=s&time=1764520001", body);
    id = keeper.put.id;
    assert_posted("service=s&time=1764520001", body);
    assert_true(keeper_same_id(keeper.put.id, id));
    assert_status(keeper_post_with("service=s", body, false, slice_of("k1"), LIMIT_INFLATED_BYTES),
                  STATUS_OK);
    id = keeper.put.id;
    assert_status(keeper_post_with("service=s&version=9", keeper_slice(&keeper.pprof), false,
                                   slice_of("k1"), LIMIT_INFLATED_BYTES),
                  STATUS_OK);
    assert_true(keeper_same_id(keeper.put.id, id));
    assert_status(keeper_post_with("service=t", body, false, slice_of("k1"), LIMIT_INFLATED_BYTES),
                  STATUS_OK);
    assert_false(keeper_same_id(keeper.put.id, id));
    buf_free(&timeless);
}

static void assert_time(const char *text, int64_t start_ns, bool adjusted)
{
    assert_posted(text, keeper_slice(&keeper.pprof));
    assert_true(keeper.put.start_ns == start_ns);
    cJSON *json = cJSON_ParseWithLength(keeper.answer.data, keeper.answer.size_bytes);
    assert_int_equal(cJSON_IsTrue(cJSON_GetObjectItem(json, "time_adjusted")), adjusted);
    cJSON_Delete(json);
}

static void impossible_times_give_way(void **state)
{
    struct buf old;

    (void)state;
    assert_time("service=s", KEEPER_TIME_NS, false);
    assert_time("service=s&time=now", KEEPER_NOW_NS, false);
    assert_time("service=s&time=2000-01-01T00:00:00Z", LIMIT_TIME_MIN_NS, false);
    assert_time("service=s&time=1999-12-31T23:59:59Z", KEEPER_NOW_NS, true);
    assert_time("service=s&time=1764523860", KEEPER_NOW_NS + 600 * TIMESTAMP_SECOND_NS, false);
    assert_time("service=s&time=1764523861", KEEPER_NOW_NS, true);
    assert_time("service=s&time=-5", KEEPER_NOW_NS, true);
    keeper_make_pprof(&old, 1, 0); /* a profile from 1970 is the same upload each time it comes */
    assert_posted("service=s", keeper_slice(&old));
    struct store_id id = keeper.put.id;
    assert_true(keeper.put.start_ns == KEEPER_NOW_NS);
    assert_posted("service=s", keeper_slice(&old));
    assert_true(keeper_same_id(keeper.put.id, id));
    buf_free(&old);
}

static void assert_duration(const char *text, int64_t written_ns, int64_t expected_ns)
{
    struct buf body;

    keeper_make_pprof(&body, KEEPER_TIME_NS, written_ns);
    assert_posted(text, keeper_slice(&body));
    assert_true(keeper.put.duration_ns == expected_ns);
    buf_free(&body);
}

static void durations(void **state)
{
    (void)state;
    assert_duration("service=s", LIMIT_DURATION_NS, LIMIT_DURATION_NS);
    assert_duration("service=s", LIMIT_DURATION_NS + 1, 0);
    assert_duration("service=s", -1, 0);
    assert_duration("service=s&duration=250", 5, 250);
    assert_duration("service=s&duration=10s", 5, 10 * TIMESTAMP_SECOND_NS);
    assert_duration("service=s&duration=3ms", 5, 3000000);
    assert_duration("service=s&duration=25h", 5, 0);
    assert_duration("service=s&duration=0", 5, 0);
}

static void parameters_are_checked(void **state)
{
    static const char *const bad[] = {
        "",
        "service=",
        "service=s&version=1&version=2",
        "service=s&metric=cpu",
        "service=s&type=a b",
        "service=s&type=",
        "service=s&label=x",
        "service=s&time=late",
        "service=s&duration=1x",
        "service=s&duration=",
        "service=s&duration=s",
        "service=s&duration=-1",
        "service=s&duration=99999999999h",
        "service=s&work=-1",
        "service=s&work=9223372036854775808",
        "service=s&work_unit=x",
        "service=s&work=1&work_unit=",
        "service=\xff",
        "service=s&base_version=1",
    };
    char text[LIMIT_SERVICE_BYTES + 16] = "service=";

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_refused(bad[i], keeper_slice(&keeper.pprof), STATUS_BAD_PARAMETER);
    memset(text + 8, 'x', LIMIT_SERVICE_BYTES);
    assert_posted(text, keeper_slice(&keeper.pprof));
    text[8 + LIMIT_SERVICE_BYTES] = 'x';
    assert_refused(text, keeper_slice(&keeper.pprof), STATUS_BAD_PARAMETER);
    assert_posted("service=s&work=9223372036854775807", keeper_slice(&keeper.pprof));
    assert_slice_equal(keeper.put.work_unit, slice_of("units"));
    assert_posted("service=s&type=Wallclock", keeper_slice(&keeper.pprof));
    assert_slice_equal(keeper.put.type, slice_of("wall"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_makes_an_upload_itself, keeper_set_up,
                                        keeper_tear_down),
        cmocka_unit_test_setup_teardown(without_a_time_nothing_is_a_repeat, keeper_set_up,
                                        keeper_tear_down),
        cmocka_unit_test_setup_teardown(impossible_times_give_way, keeper_set_up, keeper_tear_down),
        cmocka_unit_test_setup_teardown(durations, keeper_set_up, keeper_tear_down),
        cmocka_unit_test_setup_teardown(parameters_are_checked, keeper_set_up, keeper_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The way of an upload, with a store that only remembers what it was given: parameters, gzip
 * levels, times, identity, and that nothing reaches the store when something is wrong. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/base/timestamp.h"
#include "proto/base/varint.h"
#include "proto/gzip.h"
#include "server/ingest/ingest.h"
#include "tests/unit/unit.h"

#define NOW_NS  INT64_C(1764523260000000000) /* 2025-11-30T17:21:00Z */
#define TIME_NS INT64_C(1764520000123456789)

struct keeper {
    struct store store;
    struct store_put put; /* the latest */
    struct store_label labels[LIMIT_LABELS];
    int64_t first_value; /* as normalised */
    uint32_t puts;
    bool repeated;
};

static struct keeper keeper;
static struct arena *arena;
static struct error err;
static struct buf answer;
static struct buf pprof; /* the sample profile, not compressed */

static enum status keep(struct store *store, const struct store_put *put, struct arena *scratch,
                        struct error *error, struct store_receipt *ret_receipt)
{
    struct keeper *into = (struct keeper *)store;

    (void)scratch;
    (void)error;
    into->put = *put;
    into->puts++;
    into->first_value = put->profile->sample_values[0];
    memcpy(into->labels, put->labels, put->label_count * sizeof(*put->labels));
    *ret_receipt = (struct store_receipt){
        .repeated = into->repeated,
        .profile = {.id = put->id,
                    .service = put->service,
                    .version = put->version,
                    .type = put->type,
                    .labels = put->labels,
                    .label_count = put->label_count,
                    .start_ns = put->start_ns,
                    .duration_ns = put->duration_ns,
                    .received_ns = put->received_ns,
                    .work = put->work,
                    .work_unit = put->work_unit,
                    .sample_count = put->profile->sample_count,
                    .body_bytes = put->body.size_bytes,
                    .metrics = put->metrics,
                    .metric_count = put->profile->type_count},
    };
    return STATUS_OK;
}

static const struct store_ops keeper_ops = {.put = keep};

/* --- a pprof by hand ------------------------------------------------------------------------- */

static void put_varint(struct buf *out, uint64_t value)
{
    uint8_t bytes[VARINT_MAX_BYTES];

    buf_append(out, bytes, (size_t)(varint_write(bytes, value) - bytes));
}

static void put_number(struct buf *out, unsigned field, uint64_t value)
{
    put_varint(out, field << 3);
    put_varint(out, value);
}

static void put_bytes(struct buf *out, unsigned field, struct slice bytes)
{
    put_varint(out, field << 3 | 2);
    put_varint(out, bytes.size_bytes);
    buf_append(out, bytes.data, bytes.size_bytes);
}

/* One sample of 7 microseconds in main, named "cpu"; no time when `time_ns` is 0. */
static void make_pprof(struct buf *out, int64_t time_ns, int64_t duration_ns)
{
    static const char *const strings[] = {"", "cpu", "microseconds", "main"};

    buf_init(out, LIMIT_MIB);
    put_bytes(out, 1, SLICE_LITERAL("\x08\x01\x10\x02"));             /* sample type */
    put_bytes(out, 2, SLICE_LITERAL("\x0a\x01\x01\x12\x01\x07"));     /* sample */
    put_bytes(out, 4, SLICE_LITERAL("\x08\x01\x22\x02\x08\x01"));     /* location */
    put_bytes(out, 5, SLICE_LITERAL("\x08\x01\x10\x03"));             /* function */
    for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) /* string table */
        put_bytes(out, 6, slice_of(strings[i]));
    if (time_ns != 0)
        put_number(out, 9, (uint64_t)time_ns);
    if (duration_ns != 0)
        put_number(out, 10, (uint64_t)duration_ns);
}

static struct slice slice_of_buf(const struct buf *buf)
{
    return slice_make(buf->data, buf->size_bytes);
}

static struct buf gzip(struct slice bytes)
{
    struct buf out;

    buf_init(&out, LIMIT_MIB);
    assert_status(gzip_deflate(bytes, 6, &err, &out), STATUS_OK);
    return out;
}

/* --- asking ---------------------------------------------------------------------------------- */

static int set_up(void **state)
{
    (void)state;
    keeper = (struct keeper){.store = {.ops = &keeper_ops}};
    arena = arena_new(LIMIT_ARENA_BYTES);
    buf_init(&answer, LIMIT_MIB);
    make_pprof(&pprof, TIME_NS, 1000);
    return arena == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    buf_free(&answer);
    buf_free(&pprof);
    arena_free(arena);
    return 0;
}

static enum status post_with(const char *text, struct slice body, bool encoded, struct slice key,
                             size_t max_inflated_bytes)
{
    struct ingest_context context = {&keeper.store, max_inflated_bytes};
    struct query_pair pairs[64];
    struct query query = {pairs, 0};
    bool created = false;

    for (; *text != '\0'; query.count++) {
        size_t size_bytes = strcspn(text, "&");
        size_t key_bytes = strcspn(text, "=");
        pairs[query.count] =
            (struct query_pair){slice_make(text, key_bytes),
                                slice_make(text + key_bytes + 1, size_bytes - key_bytes - 1), true};
        text += size_bytes + (text[size_bytes] == '&');
    }
    buf_free(&answer);
    enum status status = ingest_profile(&context, &query, body, encoded, key, arena, NOW_NS, &err,
                                        &answer, &created);
    if (status == STATUS_OK)
        assert_int_equal(created, !keeper.repeated);
    return status;
}

static enum status post(const char *text, struct slice body)
{
    return post_with(text, body, false, slice_make("", 0), LIMIT_INFLATED_BYTES);
}

static void assert_posted(const char *text, struct slice body)
{
    enum status status = post(text, body);

    if (status != STATUS_OK)
        print_error("%s: %s\n", text, err.text);
    assert_status(status, STATUS_OK);
}

static void assert_refused(const char *text, struct slice body, enum status expected)
{
    uint32_t before = keeper.puts;

    assert_status(post(text, body), expected);
    assert_int_equal(keeper.puts, before);
}

static bool same_id(struct store_id a, struct store_id b)
{
    return memcmp(a.bytes, b.bytes, STORE_ID_BYTES) == 0;
}

/* --- tests ----------------------------------------------------------------------------------- */

static void a_profile_arrives_whole(void **state)
{
    (void)state;
    assert_posted("service=shop&version=4&label=zone:eu&label=arch:arm&label=zone:eu&work=12"
                  "&work_unit=requests",
                  slice_of_buf(&pprof));
    const struct store_put *put = &keeper.put;
    assert_int_equal(keeper.puts, 1);
    assert_slice_equal(put->service, slice_of("shop"));
    assert_slice_equal(put->version, slice_of("4"));
    assert_slice_equal(put->type, slice_of("cpu"));
    assert_int_equal(put->label_count, 2);
    assert_slice_equal(keeper.labels[0].key, slice_of("arch"));
    assert_slice_equal(keeper.labels[1].value, slice_of("eu"));
    assert_true(put->start_ns == TIME_NS && put->received_ns == NOW_NS);
    assert_true(put->duration_ns == 1000 && put->work == 12);
    assert_slice_equal(put->work_unit, slice_of("requests"));
    assert_int_equal(keeper.first_value, 7000);
    assert_slice_equal(put->body, slice_of_buf(&pprof));

    cJSON *json = cJSON_ParseWithLength(answer.data, answer.size_bytes);
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
    struct buf once = gzip(slice_of_buf(&pprof));
    struct buf twice = gzip(slice_of_buf(&once));
    struct buf thrice = gzip(slice_of_buf(&twice));
    struct slice no_key = slice_make("", 0);
    size_t cap = LIMIT_INFLATED_BYTES;

    (void)state;
    assert_posted("service=s", slice_of_buf(&pprof));
    struct store_id id = keeper.put.id;
    assert_posted("service=s", slice_of_buf(&once));
    assert_true(same_id(keeper.put.id, id));
    assert_slice_equal(keeper.put.body, slice_of_buf(&once));
    /* Declared as encoded: one level means the pprof itself was not gzip, or was not declared. */
    assert_status(post_with("service=s", slice_of_buf(&once), true, no_key, cap), STATUS_OK);
    assert_true(same_id(keeper.put.id, id));
    assert_slice_equal(keeper.put.body, slice_of_buf(&once));
    assert_status(post_with("service=s", slice_of_buf(&twice), true, no_key, cap), STATUS_OK);
    assert_true(same_id(keeper.put.id, id));
    assert_slice_equal(keeper.put.body, slice_of_buf(&once));
    /* A level too many is no profile. */
    assert_status(post_with("service=s", slice_of_buf(&thrice), true, no_key, cap),
                  STATUS_NOT_A_PROFILE);
    assert_refused("service=s", slice_of_buf(&twice), STATUS_NOT_A_PROFILE);
    buf_free(&once);
    buf_free(&twice);
    buf_free(&thrice);
}

static void both_levels_share_one_cap(void **state)
{
    struct buf once = gzip(slice_of_buf(&pprof));
    struct buf twice = gzip(slice_of_buf(&once));
    struct slice no_key = slice_make("", 0);
    size_t both = once.size_bytes + pprof.size_bytes;

    (void)state;
    assert_status(post_with("service=s", slice_of_buf(&twice), true, no_key, both), STATUS_OK);
    assert_status(post_with("service=s", slice_of_buf(&twice), true, no_key, both - 1),
                  STATUS_TOO_LARGE);
    assert_status(post_with("service=s", slice_of_buf(&pprof), false, no_key, pprof.size_bytes),
                  STATUS_OK);
    assert_status(post_with("service=s", slice_of_buf(&pprof), false, no_key, pprof.size_bytes - 1),
                  STATUS_TOO_LARGE);
    buf_free(&once);
    buf_free(&twice);
}

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
    assert_posted("service=s&version=1", slice_of_buf(&pprof));
    struct store_id id = keeper.put.id;
    assert_posted("version=1&service=s&type=cpu&work=5", slice_of_buf(&pprof));
    assert_true(same_id(keeper.put.id, id)); /* the type as inferred, the work not part of it */
    for (size_t i = 0; i < 7; i++) {
        assert_posted(others[i], slice_of_buf(&pprof));
        ids[i] = keeper.put.id;
    }
    ids[7] = id;
    for (size_t i = 0; i < 8; i++) {
        for (size_t k = 0; k < i; k++)
            assert_false(same_id(ids[i], ids[k]));
    }
    keeper.repeated = true; /* what the store finds is what is answered */
    assert_posted("service=s&version=1", slice_of_buf(&pprof));
}

static void without_a_time_nothing_is_a_repeat(void **state)
{
    struct buf timeless;
    struct slice body;

    (void)state;
    make_pprof(&timeless, 0, 0);
    body = slice_of_buf(&timeless);
    assert_posted("service=s", body);
    struct store_id id = keeper.put.id;
    assert_true(keeper.put.start_ns == NOW_NS);
    assert_posted("service=s", body);
    assert_false(same_id(keeper.put.id, id));
    /* A parameter is a time, and a key is a name. */
    assert_posted("service=s&time=1764520001", body);
    id = keeper.put.id;
    assert_posted("service=s&time=1764520001", body);
    assert_true(same_id(keeper.put.id, id));
    assert_status(post_with("service=s", body, false, slice_of("k1"), LIMIT_INFLATED_BYTES),
                  STATUS_OK);
    id = keeper.put.id;
    assert_status(post_with("service=s&version=9", slice_of_buf(&pprof), false, slice_of("k1"),
                            LIMIT_INFLATED_BYTES),
                  STATUS_OK);
    assert_true(same_id(keeper.put.id, id));
    assert_status(post_with("service=t", body, false, slice_of("k1"), LIMIT_INFLATED_BYTES),
                  STATUS_OK);
    assert_false(same_id(keeper.put.id, id));
    buf_free(&timeless);
}

static void assert_time(const char *text, int64_t start_ns, bool adjusted)
{
    assert_posted(text, slice_of_buf(&pprof));
    assert_true(keeper.put.start_ns == start_ns);
    cJSON *json = cJSON_ParseWithLength(answer.data, answer.size_bytes);
    assert_int_equal(cJSON_IsTrue(cJSON_GetObjectItem(json, "time_adjusted")), adjusted);
    cJSON_Delete(json);
}

static void impossible_times_give_way(void **state)
{
    struct buf old;

    (void)state;
    assert_time("service=s", TIME_NS, false);
    assert_time("service=s&time=now", NOW_NS, false);
    assert_time("service=s&time=2000-01-01T00:00:00Z", LIMIT_TIME_MIN_NS, false);
    assert_time("service=s&time=1999-12-31T23:59:59Z", NOW_NS, true);
    assert_time("service=s&time=1764523860", NOW_NS + 600 * TIMESTAMP_SECOND_NS, false);
    assert_time("service=s&time=1764523861", NOW_NS, true);
    assert_time("service=s&time=-5", NOW_NS, true);
    make_pprof(&old, 1, 0); /* a profile from 1970 is the same upload each time it comes */
    assert_posted("service=s", slice_of_buf(&old));
    struct store_id id = keeper.put.id;
    assert_true(keeper.put.start_ns == NOW_NS);
    assert_posted("service=s", slice_of_buf(&old));
    assert_true(same_id(keeper.put.id, id));
    buf_free(&old);
}

static void assert_duration(const char *text, int64_t written_ns, int64_t expected_ns)
{
    struct buf body;

    make_pprof(&body, TIME_NS, written_ns);
    assert_posted(text, slice_of_buf(&body));
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
        assert_refused(bad[i], slice_of_buf(&pprof), STATUS_BAD_PARAMETER);
    memset(text + 8, 'x', LIMIT_SERVICE_BYTES);
    assert_posted(text, slice_of_buf(&pprof));
    text[8 + LIMIT_SERVICE_BYTES] = 'x';
    assert_refused(text, slice_of_buf(&pprof), STATUS_BAD_PARAMETER);
    assert_posted("service=s&work=9223372036854775807", slice_of_buf(&pprof));
    assert_slice_equal(keeper.put.work_unit, slice_of("units"));
    assert_posted("service=s&type=Wallclock", slice_of_buf(&pprof));
    assert_slice_equal(keeper.put.type, slice_of("wall"));
}

static void bad_bodies_reach_no_store(void **state)
{
    struct buf packed = gzip(slice_of_buf(&pprof));
    struct buf nothing = gzip(slice_make("", 0));
    char key[LIMIT_IDEMPOTENCY_KEY_BYTES + 1];

    (void)state;
    assert_refused("service=s", slice_make("", 0), STATUS_EMPTY_BODY);
    assert_refused("service=s", slice_of_buf(&nothing), STATUS_EMPTY_BODY);
    assert_refused("service=s", slice_of("<html>"), STATUS_NOT_A_PROFILE);
    assert_refused("service=s", slice_make(packed.data, packed.size_bytes - 1), STATUS_BAD_GZIP);
    assert_refused("service=s", slice_make(pprof.data, pprof.size_bytes - 1), STATUS_TRUNCATED);
    memset(key, 'k', sizeof(key));
    assert_status(post_with("service=s", slice_of_buf(&pprof), false, slice_make(key, sizeof(key)),
                            LIMIT_INFLATED_BYTES),
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
    assert_status(gzip_deflate(slice_make(zeros, size_bytes), 9, &err, &bomb), STATUS_OK);
    free(zeros);
    assert_refused("service=s", slice_of_buf(&bomb), STATUS_TOO_LARGE);
    assert_true(arena_used_bytes(arena) <= 32 * LIMIT_MIB);
    buf_free(&bomb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_profile_arrives_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_gzip_level_is_the_same_profile, set_up, tear_down),
        cmocka_unit_test_setup_teardown(both_levels_share_one_cap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_makes_an_upload_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_time_nothing_is_a_repeat, set_up, tear_down),
        cmocka_unit_test_setup_teardown(impossible_times_give_way, set_up, tear_down),
        cmocka_unit_test_setup_teardown(durations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(parameters_are_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_bodies_reach_no_store, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_bomb_is_refused_early, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The views that show what the store keeps: catalogue, list of profiles, original bytes. */
#include "proto/base/limits.h"
#include "proto/base/timestamp.h"
#include "proto/gzip.h"
#include "tests/unit/support/view_fixture.h"
#include "tests/unit/unit.h"

static struct fixture fixture;

static int set_up(void **state)
{
    (void)state;
    fixture_init(&fixture, 16);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_free(&fixture);
    return 0;
}

static void assert_json(cJSON *json, const char *expected)
{
    char *text = cJSON_PrintUnformatted(json);

    assert_string_equal(text, expected);
    cJSON_free(text);
    cJSON_Delete(json);
}

static void an_empty_catalogue(void **state)
{
    (void)state;
    assert_json(fixture_ask(&fixture, services_view, ""), "{\"services\":[]}");
    assert_status(fixture_refuse(&fixture, services_view, "service=s"), STATUS_BAD_PARAMETER);
}

static void the_catalogue(void **state)
{
    struct store_catalog_metric metric = {SLICE_LITERAL("cpu"), SLICE_LITERAL("nanoseconds"),
                                          METRIC_COUNTER};
    struct store_catalog_type type = {SLICE_LITERAL("cpu"), 3, SLICE_LITERAL("cpu"), &metric, 1};
    struct store_catalog_version version = {SLICE_LITERAL("4"), 3, 0, TIMESTAMP_SECOND_NS};
    struct slice zones[] = {SLICE_LITERAL("eu"), SLICE_LITERAL("us")};
    struct store_catalog_label label = {SLICE_LITERAL("zone"), zones, 2};
    struct store_catalog_service service = {
        SLICE_LITERAL("shop\""), 3, 0, TIMESTAMP_SECOND_NS, &version, 1, &type, 1, &label, 1};

    (void)state;
    fixture.catalog = (struct store_catalog){&service, 1};
    assert_json(fixture_ask(&fixture, services_view, ""),
                "{\"services\":[{\"name\":\"shop\\\"\",\"profiles\":3,"
                "\"first\":\"1970-01-01T00:00:00.000000000Z\","
                "\"last\":\"1970-01-01T00:00:01.000000000Z\",\"versions\":[{\"version\":\"4\","
                "\"profiles\":3,\"first\":\"1970-01-01T00:00:00.000000000Z\","
                "\"last\":\"1970-01-01T00:00:01.000000000Z\"}],\"types\":[{\"type\":\"cpu\","
                "\"profiles\":3,\"default_metric\":\"cpu\",\"metrics\":[{\"name\":\"cpu\","
                "\"unit\":\"nanoseconds\",\"kind\":\"counter\"}]}],"
                "\"labels\":{\"zone\":[\"eu\",\"us\"]}}]}");
}

static struct metric metrics[2];
static struct store_label labels[1];
static struct store_profile profile;

static void make_profile(void)
{
    metrics[0] =
        (struct metric){SLICE_LITERAL("samples"), SLICE_LITERAL("count"), METRIC_COUNTER, 7};
    metrics[1] =
        (struct metric){SLICE_LITERAL("cpu"), SLICE_LITERAL("nanoseconds"), METRIC_COUNTER, 70};
    labels[0] = (struct store_label){SLICE_LITERAL("zone"), SLICE_LITERAL("eu")};
    profile = (struct store_profile){
        .id = {{0xab, 1}},
        .service = SLICE_LITERAL("shop"),
        .version = SLICE_LITERAL("4"),
        .type = SLICE_LITERAL("cpu"),
        .labels = labels,
        .label_count = 1,
        .start_ns = 1,
        .duration_ns = 10,
        .work = -1,
        .sample_count = 2,
        .body_bytes = 99,
        .metrics = metrics,
        .metric_count = 2,
    };
}

static void a_page_of_profiles(void **state)
{
    (void)state;
    make_profile();
    fixture.page = (struct store_page){&profile, 1, true, {0x0102, -1}};
    assert_json(fixture_ask(&fixture, profiles_view, "service=shop&limit=1"),
                "{\"profiles\":[{\"id\":\"ab010000000000000000000000000000\","
                "\"service\":\"shop\",\"version\":\"4\",\"type\":\"cpu\","
                "\"labels\":[[\"zone\",\"eu\"]],\"time\":\"1970-01-01T00:00:00.000000001Z\","
                "\"duration_ns\":10,\"work\":null,\"work_unit\":null,\"samples\":2,\"bytes\":99,"
                "\"metrics\":{\"samples\":{\"unit\":\"count\",\"kind\":\"counter\",\"total\":7},"
                "\"cpu\":{\"unit\":\"nanoseconds\",\"kind\":\"counter\",\"total\":70}},"
                "\"metric\":\"cpu\",\"total\":70}],"
                "\"next\":\"0000000000000102ffffffffffffffff\"}");
    fixture.page.more = false;
    cJSON *json = fixture_ask(&fixture, profiles_view, "service=shop&metric=samples&version=4");
    const cJSON *row = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "profiles"), 0);
    assert_int_equal(fixture_integer(cJSON_GetObjectItem(row, "total")), 7);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "next")));
    assert_int_equal(fixture.asked[0].version_count, 1);
    cJSON_Delete(json);
    json = fixture_ask(&fixture, profiles_view, "service=shop&metric=heap");
    row = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "profiles"), 0);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(row, "total")));
    cJSON_Delete(json);
}

static void a_cursor_comes_back_as_it_went(void **state)
{
    (void)state;
    make_profile();
    fixture.page = (struct store_page){&profile, 1, true, {0, 0}};
    cJSON *json = fixture_ask(&fixture, profiles_view,
                              "service=shop&cursor=80000000000000007fffffffffffffff");
    assert_string_equal(cJSON_GetObjectItem(json, "next")->valuestring,
                        "80000000000000007fffffffffffffff");
    cJSON_Delete(json);
}

static void lists_refuse_what_they_do_not_know(void **state)
{
    static const char *const bad[] = {
        "",
        "service=s&cursor=12",
        "service=s&limit=0",
        "service=s&limit=1001",
        "service=s&base_version=1",
        "service=s&sort=total",
        "service=s&weight=50",
        "service=s&min_fraction=0",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_status(fixture_refuse(&fixture, profiles_view, bad[i]), STATUS_BAD_PARAMETER);
}

static enum status raw(const char *id, const char *text, struct buf *out)
{
    struct query query = fixture_query(&fixture, text);

    return raw_view(&fixture.store, slice_of(id), &query, fixture.arena, &fixture.err, out);
}

static void original_bytes_are_gzip(void **state)
{
    const char *id = "ab000000000000000000000000000000";
    struct slice plain = slice_of("a profile that was not compressed");
    struct slice inflated;
    struct buf packed, out;

    (void)state;
    buf_init(&packed, LIMIT_MIB);
    buf_init(&out, LIMIT_MIB);
    fixture.body = plain;
    assert_status(raw(id, "", &out), STATUS_OK);
    assert_status(gzip_inflate(slice_make(out.data, out.size_bytes), LIMIT_MIB, fixture.arena,
                               &fixture.err, &inflated),
                  STATUS_OK);
    assert_slice_equal(inflated, plain);
    buf_free(&out);
    assert_status(gzip_deflate(plain, 9, &fixture.err, &packed), STATUS_OK);
    fixture.body = slice_make(packed.data, packed.size_bytes);
    assert_status(raw(id, "", &out), STATUS_OK);
    assert_slice_equal(slice_make(out.data, out.size_bytes), fixture.body);
    buf_free(&out);
    assert_status(raw("00000000000000000000000000000000", "", &out), STATUS_NOT_FOUND);
    assert_status(raw("ab", "", &out), STATUS_NOT_FOUND);
    assert_status(raw("", "", &out), STATUS_NOT_FOUND);
    assert_status(raw(id, "x=1", &out), STATUS_BAD_PARAMETER);
    buf_free(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_empty_catalogue, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_catalogue, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_page_of_profiles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cursor_comes_back_as_it_went, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lists_refuse_what_they_do_not_know, set_up, tear_down),
        cmocka_unit_test_setup_teardown(original_bytes_are_gzip, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

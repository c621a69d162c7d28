/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer: commas, escapes, exact integers, columns; everything parsed back. */
#include <cjson/cJSON.h>

#include "proto/base/limits.h"
#include "server/view/json.h"
#include "tests/unit/unit.h"

static void assert_text(struct buf *out, const char *expected)
{
    struct error err;

    assert_status(buf_status(out, &err, "answer"), STATUS_OK);
    assert_slice_equal(slice_make(out->data, out->size_bytes), slice_of(expected));
    buf_free(out);
}

static void commas_come_by_construction(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, LIMIT_MIB);
    struct json json = json_to(&out);
    json_begin_object(&json);
    json_key(&json, "a");
    json_begin_array(&json);
    json_end_array(&json);
    json_key(&json, "b");
    json_begin_array(&json);
    json_int(&json, 1);
    json_begin_object(&json);
    json_end_object(&json);
    json_begin_array(&json);
    json_null(&json);
    json_bool(&json, true);
    json_end_array(&json);
    json_text(&json, "x");
    json_end_array(&json);
    json_name(&json, SLICE_LITERAL("c\""));
    json_bool(&json, false);
    json_key(&json, "d");
    json_uint(&json, 7);
    json_end_object(&json);
    assert_text(&out, "{\"a\":[],\"b\":[1,{},[null,true],\"x\"],\"c\\\"\":false,\"d\":7}");
}

static void integers_are_exact(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, LIMIT_MIB);
    struct json json = json_to(&out);
    json_begin_array(&json);
    json_int(&json, 0);
    json_int(&json, -1);
    json_int(&json, 9);
    json_int(&json, 10);
    json_int(&json, 99);
    json_int(&json, 100);
    json_int(&json, -12345);
    json_int(&json, JSON_SAFE_INTEGER);
    json_int(&json, -JSON_SAFE_INTEGER);
    json_int(&json, JSON_SAFE_INTEGER + 1);
    json_int(&json, -JSON_SAFE_INTEGER - 1);
    json_int(&json, INT64_MAX);
    json_int(&json, INT64_MIN);
    json_uint(&json, UINT64_MAX);
    json_end_array(&json);
    assert_text(&out, "[0,-1,9,10,99,100,-12345,9007199254740991,-9007199254740991,"
                      "\"9007199254740992\",\"-9007199254740992\",\"9223372036854775807\","
                      "\"-9223372036854775808\",\"18446744073709551615\"]");
}

static void text_is_escaped(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, LIMIT_MIB);
    struct json json = json_to(&out);
    json_begin_array(&json);
    json_string(&json, SLICE_LITERAL("a\0b\n\x1f\x7f"));
    json_string(&json, SLICE_LITERAL("\"\\/"));
    json_string(&json, SLICE_LITERAL("</script>\xc3\xa9\xf0\x9f\x94\xa5"));
    json_string(&json, SLICE_LITERAL("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xa6"));
    json_string(&json, slice_make(NULL, 0));
    json_string(&json, SLICE_LITERAL("\xe2")); /* not UTF-8: must not be read past */
    json_end_array(&json);
    assert_text(&out, "[\"a\\u0000b\\u000a\\u001f\\u007f\",\"\\\"\\\\/\","
                      "\"</script>\xc3\xa9\xf0\x9f\x94\xa5\","
                      "\"\\u2028\\u2029\xe2\x80\xa6\",\"\",\"\xe2\"]");
}

static void times_and_hex(void **state)
{
    struct buf out;
    const uint8_t bytes[3] = {0x00, 0xaf, 0xff};

    (void)state;
    buf_init(&out, LIMIT_MIB);
    struct json json = json_to(&out);
    json_begin_array(&json);
    json_time(&json, INT64_C(1700000000123456789));
    json_hex(&json, bytes, sizeof(bytes));
    json_end_array(&json);
    assert_text(&out, "[\"2023-11-14T22:13:20.123456789Z\",\"00afff\"]");
}

static void columns_match_single_values(void **state)
{
    enum { COUNT = 3000 }; /* several blocks, the last one partial */
    static int64_t wide[COUNT];
    static int32_t narrow[COUNT];
    struct buf columns, singles;
    uint64_t random = 1;

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        wide[i] = (int64_t)(unit_random(&random) >> (unit_random(&random) % 64));
        if (unit_random(&random) % 2 == 0)
            wide[i] = -wide[i];
        narrow[i] = (int32_t)unit_random(&random);
    }
    for (uint32_t count = 0; count <= COUNT; count = count == 0 ? 1 : count * 3) {
        buf_init(&columns, LIMIT_MIB);
        buf_init(&singles, LIMIT_MIB);
        struct json a = json_to(&columns);
        struct json b = json_to(&singles);
        json_column_i64(&a, wide, count);
        json_column_i32(&a, narrow, count);
        json_begin_array(&b);
        for (uint32_t i = 0; i < count; i++)
            json_int(&b, wide[i]);
        json_end_array(&b);
        json_begin_array(&b);
        for (uint32_t i = 0; i < count; i++)
            json_int(&b, narrow[i]);
        json_end_array(&b);
        assert_slice_equal(slice_make(columns.data, columns.size_bytes),
                           slice_make(singles.data, singles.size_bytes));
        buf_free(&columns);
        buf_free(&singles);
    }
}

static void every_text_parses_back(void **state)
{
    uint64_t random = 7;

    (void)state;
    for (uint32_t round = 0; round < 2000; round++) {
        char text[24];
        struct buf out;
        size_t size_bytes = unit_random(&random) % sizeof(text);
        for (size_t i = 0; i < size_bytes; i++) /* ASCII without NUL, which cJSON cannot hold */
            text[i] = (char)(1 + unit_random(&random) % 127);
        buf_init(&out, LIMIT_MIB);
        struct json json = json_to(&out);
        json_string(&json, slice_make(text, size_bytes));
        cJSON *parsed = cJSON_ParseWithLength(out.data, out.size_bytes);
        assert_non_null(parsed);
        assert_slice_equal(slice_of(parsed->valuestring), slice_make(text, size_bytes));
        cJSON_Delete(parsed);
        buf_free(&out);
    }
}

static void a_full_buffer_fails_once(void **state)
{
    int64_t values[100] = {0};
    struct error err;
    struct buf out;

    (void)state;
    buf_init(&out, 64);
    struct json json = json_to(&out);
    json_column_i64(&json, values, 100);
    json_text(&json, "more");
    assert_status(buf_status(&out, &err, "answer"), STATUS_TOO_LARGE);
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_come_by_construction),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(times_and_hex),
        cmocka_unit_test(columns_match_single_values),
        cmocka_unit_test(every_text_parses_back),
        cmocka_unit_test(a_full_buffer_fails_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

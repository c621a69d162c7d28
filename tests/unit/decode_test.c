/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder's verdicts, one small body per rule. Bodies are a valid base plus what breaks it. */
#include "proto/decode.h"

#include <stdlib.h>

#include "proto/base/limits.h"
#include "tests/unit/unit.h"

/* Field by field: one sample of one frame, main, with the value 5. */
#define TYPE     "\x0a\x04\x08\x01\x10\x02"
#define SAMPLE   "\x12\x06\x0a\x01\x01\x12\x01\x05"
#define LOCATION "\x22\x06\x08\x01\x22\x02\x08\x01"
#define FUNCTION "\x2a\x04\x08\x01\x10\x03"
#define STRINGS  "\x32\x00\x32\x07samples\x32\x05\x63ount\x32\x04main"
#define BASE     TYPE SAMPLE LOCATION FUNCTION STRINGS

struct decode_case {
    const char *what;
    const char *bytes;
    size_t size_bytes;
    enum status status;
};

#define CASE(what, bytes, status)                                                                  \
    {                                                                                              \
        what, bytes, sizeof(bytes) - 1, STATUS_##status                                            \
    }

static const struct decode_case cases[] = {
    CASE("the base", BASE, OK),
    CASE("nothing", "", EMPTY_BODY),
    CASE("strings first", STRINGS FUNCTION LOCATION SAMPLE TYPE, OK),
    CASE("no samples", TYPE STRINGS, OK),
    CASE("no sample types, no samples", STRINGS LOCATION FUNCTION, NO_SAMPLE_TYPE),
    CASE("no sample types", SAMPLE LOCATION FUNCTION STRINGS, NO_SAMPLE_TYPE),
    CASE("no string table", TYPE SAMPLE LOCATION, BAD_STRING_TABLE),
    CASE("string 0 not empty", TYPE "\x32\x01x", BAD_STRING_TABLE),
    CASE("sample without locations", BASE "\x12\x03\x12\x01\x05", OK),
    CASE("location without lines", BASE "\x22\x02\x08\x02", OK),
    CASE("unpacked integers", BASE "\x12\x04\x08\x01\x10\x05", OK),
    CASE("packed in two pieces", BASE "\x12\x09\x0a\x01\x01\x0a\x01\x01\x12\x01\x05", OK),
    CASE("empty packed field", BASE "\x12\x05\x0a\x00\x12\x01\x05", OK),
    CASE("padded integer", BASE "\x12\x08\x0a\x03\x81\x80\x00\x12\x01\x05", OK),
    CASE("padded tag", BASE "\x92\x80\x00\x03\x12\x01\x05", OK),
    CASE("ten bytes with bits above 2^64",
         BASE "\x12\x0c\x12\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", OK),
    CASE("eleven bytes", BASE "\x12\x0d\x12\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
         BAD_WIRE),
    CASE("unknown fields of all wire types",
         BASE "\xa0\x06\x01\xa2\x06\x01x\xa1\x06"
              "12345678\xa5\x06"
              "1234",
         OK),
    CASE("field number 0", BASE "\x00\x01", OK),
    CASE("unknown field in a sample", BASE "\x12\x06\x12\x01\x05\xa0\x06\x01", OK),
    CASE("group", BASE "\xa3\x06", BAD_WIRE),
    CASE("group end", BASE "\xa4\x06", BAD_WIRE),
    CASE("wire type 6", BASE "\xa6\x06", BAD_WIRE),
    CASE("wire type 7", BASE "\xa7\x06", BAD_WIRE),
    CASE("sample as integer", BASE "\x10\x01", BAD_WIRE),
    CASE("string as integer", BASE "\x30\x01", BAD_WIRE),
    CASE("period as bytes", BASE "\x62\x01\x01", BAD_WIRE),
    CASE("period type as integer", BASE "\x58\x01", BAD_WIRE),
    CASE("label as integer", BASE "\x12\x05\x18\x01\x12\x01\x05", BAD_WIRE),
    CASE("line as integer", BASE "\x22\x04\x08\x02\x20\x01", BAD_WIRE),
    CASE("location id as fixed64",
         BASE "\x22\x09\x09"
              "12345678",
         BAD_WIRE),
    CASE("line column as bytes", BASE "\x22\x07\x08\x02\x22\x03\x08\x01\x1a", BAD_WIRE),
    CASE("is_folded as bytes", BASE "\x22\x05\x08\x02\x2a\x01x", BAD_WIRE),
    CASE("has_functions as bytes", BASE "\x1a\x05\x08\x01\x3a\x01x", BAD_WIRE),
    CASE("cut in a tag", BASE "\x92", TRUNCATED),
    CASE("cut before a length", BASE "\x12", TRUNCATED),
    CASE("cut in a length", BASE "\x12\x80", TRUNCATED),
    CASE("cut in a message", BASE "\x12\x06\x0a", TRUNCATED),
    CASE("cut in an integer", BASE "\x60\x80", TRUNCATED),
    CASE("cut in a fixed64",
         BASE "\xa1\x06"
              "1234567",
         TRUNCATED),
    CASE("length of 2^63", BASE "\x12\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", TRUNCATED),
    CASE("length of 2^64-1", BASE "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", TRUNCATED),
    CASE("a whole message with a cut field", BASE "\x12\x02\x0a\x05", BAD_WIRE),
    CASE("a whole message with a cut integer", BASE "\x22\x02\x08\x80", BAD_WIRE),
    CASE("a packed field with a cut integer", BASE "\x12\x06\x0a\x01\x81\x12\x01\x05", BAD_WIRE),
    CASE("second time", BASE "\x48\x01\x48\x01", CONCATENATED),
    CASE("second time after 0", BASE "\x48\x00\x48\x01", OK),
    CASE("two profiles", BASE "\x48\x01" BASE "\x48\x01", CONCATENATED),
    CASE("period twice", BASE "\x60\x01\x60\x02", OK),
    CASE("too few values", BASE "\x12\x03\x0a\x01\x01", VALUE_COUNT_MISMATCH),
    CASE("too many values", BASE "\x12\x04\x12\x02\x05\x05", VALUE_COUNT_MISMATCH),
    CASE("one too few, one too many", BASE "\x12\x00\x12\x04\x12\x02\x05\x05",
         VALUE_COUNT_MISMATCH),
    CASE("function name past the table", BASE "\x2a\x04\x08\x02\x10\x04", BAD_STRING_INDEX),
    CASE("function name negative",
         BASE "\x2a\x0d\x08\x02\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", BAD_STRING_INDEX),
    CASE("function name 2^32", BASE "\x2a\x08\x08\x02\x10\x80\x80\x80\x80\x10", BAD_STRING_INDEX),
    CASE("system name", BASE "\x2a\x04\x08\x02\x18\x04", BAD_STRING_INDEX),
    CASE("function file", BASE "\x2a\x04\x08\x02\x20\x04", BAD_STRING_INDEX),
    CASE("mapping file", BASE "\x1a\x04\x08\x01\x28\x04", BAD_STRING_INDEX),
    CASE("mapping build id", BASE "\x1a\x04\x08\x01\x30\x04", BAD_STRING_INDEX),
    CASE("type name", BASE "\x0a\x02\x08\x04", BAD_STRING_INDEX),
    CASE("type unit", BASE "\x0a\x02\x10\x04", BAD_STRING_INDEX),
    CASE("period type", BASE "\x5a\x02\x08\x04", BAD_STRING_INDEX),
    CASE("label key", BASE "\x12\x07\x12\x01\x05\x1a\x02\x08\x04", BAD_STRING_INDEX),
    CASE("label text", BASE "\x12\x07\x12\x01\x05\x1a\x02\x10\x04", BAD_STRING_INDEX),
    CASE("label unit", BASE "\x12\x07\x12\x01\x05\x1a\x02\x20\x04", BAD_STRING_INDEX),
    CASE("label unit beside a text", BASE "\x12\x09\x12\x01\x05\x1a\x04\x10\x01\x20\x04",
         BAD_STRING_INDEX),
    CASE("drop_frames", BASE "\x38\x04", BAD_STRING_INDEX),
    CASE("keep_frames", BASE "\x40\x04", BAD_STRING_INDEX),
    CASE("default type", BASE "\x70\x04", BAD_STRING_INDEX),
    CASE("doc url", BASE "\x78\x04", BAD_STRING_INDEX),
    CASE("comment", BASE "\x68\x04", BAD_STRING_INDEX),
    CASE("packed comment", BASE "\x6a\x02\x01\x04", BAD_STRING_INDEX),
    CASE("packed comment cut", BASE "\x6a\x02\x01\x81", BAD_WIRE),
    CASE("location id 0", BASE "\x22\x02\x18\x01", ZERO_ID),
    CASE("function id 0", BASE "\x2a\x02\x10\x01", ZERO_ID),
    CASE("mapping id 0", BASE "\x1a\x00", ZERO_ID),
    CASE("location twice", BASE LOCATION, DUP_ID),
    CASE("function twice", BASE FUNCTION, DUP_ID),
    CASE("mapping twice", BASE "\x1a\x02\x08\x01\x1a\x02\x08\x01", DUP_ID),
    CASE("sample of location 0", BASE "\x12\x06\x0a\x01\x00\x12\x01\x05", BAD_REF),
    CASE("sample of an unknown location", BASE "\x12\x06\x0a\x01\x02\x12\x01\x05", BAD_REF),
    CASE("line of function 0", BASE "\x22\x04\x08\x02\x22\x00", BAD_REF),
    CASE("line of an unknown function", BASE "\x22\x06\x08\x02\x22\x02\x08\x02", BAD_REF),
    CASE("unknown mapping is no mapping", BASE "\x22\x04\x08\x02\x10\x07", OK),
    CASE("HTML", "<!DOCTYPE html><p>502</p>", NOT_A_PROFILE),
    CASE("JSON", "{\"head\":{}}", NOT_A_PROFILE),
    CASE("folded stacks", "main;a;b 12\nmain;c 3\n", NOT_A_PROFILE),
    CASE("text that begins like a field", "\nHello, this is text\n", NOT_A_PROFILE),
    CASE("text that is a valid message", "h0", NOT_A_PROFILE),
    CASE("gzip in gzip", "\x1f\x8b\x08\x00", NOT_A_PROFILE),
    CASE("zstd", "\x28\xb5\x2f\xfd\x04\x58", NOT_A_PROFILE),
    CASE("zlib", "\x78\xda\x2d\xd0", NOT_A_PROFILE),
    CASE("UTF-16",
         "\xfe\xff\x00"
         "a\x00;",
         NOT_A_PROFILE),
    CASE("old binary CPU profile", "\0\0\0\0\0\0\0\0\3\0\0\0", NOT_A_PROFILE),
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct decode_case *c = &cases[i];
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
        char *copy = malloc(c->size_bytes + 1); /* its own block: sanitizers see the end */
        struct error err = {0};
        struct profile profile;
        enum status status;

        assert_non_null(copy);
        copy = realloc(copy, c->size_bytes > 0 ? c->size_bytes : 1);
        memcpy(copy, c->bytes, c->size_bytes);
        status = decode_profile(slice_make(copy, c->size_bytes), arena, &err, &profile);
        free(copy);
        if (status != c->status)
            fail_msg("%s: %s (%s), expected %s", c->what, status_code(status), err.text,
                     status_code(c->status));
        if (status != STATUS_OK && (err.status != status || err.text[0] == '\0'))
            fail_msg("%s: no message", c->what);
    }
}

static struct profile decode(struct arena *arena, const char *bytes, size_t size_bytes)
{
    struct profile profile;

    assert_int_equal(decode_profile(slice_make(bytes, size_bytes), arena, NULL, &profile),
                     STATUS_OK);
    return profile;
}

#define DECODE(arena, bytes) decode((arena), (bytes), sizeof(bytes) - 1)

static void test_columns(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
    struct profile p = DECODE(arena, BASE "\x48\x07\x50\x09\x60\x01\x60\x02");

    (void)state;
    assert_int_equal(p.type_count, 1);
    assert_slice_equal(p.strings[p.type_name[0]], SLICE_LITERAL("samples"));
    assert_slice_equal(p.strings[p.type_unit[0]], SLICE_LITERAL("count"));
    assert_int_equal(p.sample_count, 1);
    assert_int_equal(p.sample_location_first[1], 1);
    assert_int_equal(p.sample_locations[0], 0);
    assert_int_equal(p.sample_values[0], 5);
    assert_int_equal(p.location_line_first[1], 1);
    assert_int_equal(p.location_mapping[0], PROFILE_NONE);
    assert_slice_equal(p.strings[p.function_name[p.line_function[0]]], SLICE_LITERAL("main"));
    assert_int_equal(p.time_ns, 7);
    assert_int_equal(p.duration_ns, 9);
    assert_int_equal(p.period, 2); /* the last one */
}

static void test_labels(void **state)
{
    static const char bytes[] = BASE "\x12\x19\x12\x01\x05"
                                     "\x1a\x04\x08\x01\x10\x02"         /* text */
                                     "\x1a\x06\x08\x01\x10\x02\x18\x09" /* text wins over number */
                                     "\x1a\x02\x08\x01"                 /* says nothing */
                                     "\x1a\x02\x18\x09";                /* number without a key */
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
    struct profile p = decode(arena, bytes, sizeof bytes - 1);

    (void)state;
    assert_int_equal(p.sample_label_first[1], 0);
    assert_int_equal(p.sample_label_first[2], 3);
    assert_int_equal(p.sample_labels[0].text, 2);
    assert_int_equal(p.sample_labels[1].text, 2);
    assert_int_equal(p.sample_labels[1].number, 0);
    assert_int_equal(p.sample_labels[2].key, 0);
    assert_int_equal(p.sample_labels[2].number, 9);
}

/* Mixed runs of one- and two-byte ids around the borders of the eight-byte steps. */
static void test_packed_runs(void **state)
{
    enum { LOCATIONS = 300 };
    char bytes[8192];

    (void)state;
    for (unsigned shift = 0; shift < 24; shift++) {
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(4 * LIMIT_MIB);
        static const char head[] = TYPE FUNCTION STRINGS;
        size_t at = sizeof head - 1;
        size_t length_at;
        struct profile p;

        memcpy(bytes, head, at);
        for (unsigned id = 1; id <= LOCATIONS; id++) {
            bytes[at++] = 0x22;
            bytes[at++] = id < 128 ? 2 : 3;
            bytes[at++] = 0x08;
            if (id >= 128)
                bytes[at++] = (char)((id & 0x7f) | 0x80);
            bytes[at++] = (char)(id < 128 ? id : id >> 7);
        }
        memcpy(bytes + at, "\x12\x00\x00\x12\x01\x05\x0a\x00\x00", 9);
        length_at = at + 1;
        at += 9;
        for (unsigned i = 0; i < 40;
             i++) { /* `shift` ids of one byte, then two bytes, then mixed */
            unsigned id = i < shift ? i + 1 : i < 2 * shift ? 200 + i : i % 3 ? 290 - i : i + 1;

            if (id >= 128)
                bytes[at++] = (char)((id & 0x7f) | 0x80);
            bytes[at++] = (char)(id < 128 ? id : id >> 7);
        }
        bytes[length_at] = (char)((at - length_at - 2) & 0x7f) | (char)0x80;
        bytes[length_at + 1] = (char)((at - length_at - 2) >> 7);
        bytes[length_at + 6] = (char)((at - length_at - 8) & 0x7f) | (char)0x80;
        bytes[length_at + 7] = (char)((at - length_at - 8) >> 7);
        p = decode(arena, bytes, at);
        assert_int_equal(p.sample_location_first[1], 40);
        for (unsigned i = 0; i < 40; i++) {
            unsigned id = i < shift ? i + 1 : i < 2 * shift ? 200 + i : i % 3 ? 290 - i : i + 1;

            assert_int_equal(p.sample_locations[i], id - 1);
        }
    }
}

/* Runs with one bad id in each place: 0, padded 0, one too many. */
static void test_bad_id_in_run(void **state)
{
    static const char *const bad[] = {"\x00", "\x02", "\x80\x00", "\x80\x01", "\xff\x7f"};

    (void)state;
    for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
        size_t bad_bytes = b < 2 ? 1 : 2;

        for (unsigned place = 0; place < 20; place++) {
            CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
            char bytes[256] = BASE "\x12\x00\x12\x01\x05\x0a";
            size_t at = sizeof(BASE "\x12\x00\x12\x01\x05\x0a");
            size_t first = at;
            struct error err;
            struct profile profile;

            for (unsigned i = 0; i < 20; i++) {
                memcpy(bytes + at,
                       i == place       ? bad[b]
                       : bad_bytes == 1 ? "\x01"
                                        : "\x81\x00",
                       bad_bytes);
                at += bad_bytes;
            }
            bytes[first - 1] = (char)(at - first);
            bytes[sizeof BASE] = (char)(at - sizeof BASE - 1);
            assert_status(decode_profile(slice_make(bytes, at), arena, &err, &profile),
                          STATUS_BAD_REF);
            assert_int_equal(err.index, 1);
        }
    }
}

static void test_message_names_place(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
    static const char bytes[] = BASE "\x2a\x04\x08\x02\x10\x04";
    struct profile profile;
    struct error err;

    (void)state;
    assert_status(decode_profile(slice_make(bytes, sizeof bytes - 1), arena, &err, &profile),
                  STATUS_BAD_STRING_INDEX);
    assert_string_equal(err.field, "function.name");
    assert_int_equal(err.index, 1);
    assert_int_equal(err.limit, 4);
}

static void test_default_type(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
    struct profile named = DECODE(arena, TYPE "\x0a\x02\x08\x02" STRINGS "\x70\x01");
    struct profile second = DECODE(arena, TYPE "\x0a\x02\x08\x02" STRINGS "\x70\x02");
    struct profile none = DECODE(arena, TYPE "\x0a\x02\x08\x02" STRINGS);
    struct profile unknown = DECODE(arena, TYPE "\x0a\x02\x08\x02" STRINGS "\x70\x03");

    (void)state;
    assert_int_equal(profile_default_type(&named), 0);
    assert_int_equal(profile_default_type(&second), 1);
    assert_int_equal(profile_default_type(&none), 1);
    assert_int_equal(profile_default_type(&unknown), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),         cmocka_unit_test(test_columns),
        cmocka_unit_test(test_labels),        cmocka_unit_test(test_packed_runs),
        cmocka_unit_test(test_bad_id_in_run), cmocka_unit_test(test_message_names_place),
        cmocka_unit_test(test_default_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

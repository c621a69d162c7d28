/* SPDX-License-Identifier: Apache-2.0 */
/* Real profiles and malformed ones: the decoder against protobuf-c and against recorded verdicts.
 *
 * Every file of the corpus' files/ that decodes must say the same as protobuf-c in every column and
 * survive encoding; its totals must be those of golden/. Every file of bad/ must get the verdict
 * and the code of bad/cases.json. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/decode.h"
#include "proto/encode.h"
#include "proto/gzip.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/oracle.h"
#include "tests/unit/unit.h"

/* As the server does it: gzip by magic, then decode. `ret_body` are the inflated bytes. */
static enum status read_profile(struct slice bytes, struct arena *arena, struct error *err,
                                struct slice *ret_body, struct profile *ret_profile)
{
    enum status status = STATUS_OK;

    *ret_body = bytes;
    if (gzip_detect(bytes))
        status = gzip_inflate(bytes, LIMIT_INFLATED_BYTES, arena, err, ret_body);
    if (status == STATUS_OK)
        status = decode_profile(*ret_body, arena, err, ret_profile);
    return status;
}

static cJSON *read_json(const char *folder, const char *name)
{
    struct slice bytes = corpus_read(folder, name);
    cJSON *json = bytes.data ? cJSON_ParseWithLength(bytes.data, bytes.size_bytes) : NULL;

    free((void *)(uintptr_t)bytes.data);
    return json;
}

/* A total as the corpus writes it: a number, or a string beyond 2^53. */
static int64_t json_integer(const cJSON *item)
{
    return cJSON_IsString(item) ? strtoll(item->valuestring, NULL, 10) : (int64_t)item->valuedouble;
}

/* The totals of a golden file. */
static void compare_totals(const char *name, const cJSON *totals, const struct profile *profile)
{
    assert_int_equal(cJSON_GetArraySize(totals), profile->type_count);
    for (uint32_t t = 0; t < profile->type_count; t++) {
        int64_t total = 0;

        for (uint32_t s = 0; s < profile->sample_count; s++)
            total += profile->sample_values[(size_t)s * profile->type_count + t];
        if (total != json_integer(cJSON_GetArrayItem(totals, (int)t)))
            fail_msg("%s: total of sample type %u", name, t);
    }
}

static size_t compared;

static void compare_file(const char *name, struct slice bytes)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(2 * LIMIT_ARENA_BYTES);
    CLEANUP(buf_cleanup) struct buf encoded;
    char golden_name[512];
    struct oracle_verdict verdict;
    struct profile profile;
    struct profile back;
    struct slice body;
    cJSON *golden;

    buf_init(&encoded, 64 * LIMIT_MIB);
    snprintf(golden_name, sizeof golden_name, "golden/%s.json", name);
    golden = read_json(corpus_folder(), golden_name);
    assert_non_null(golden);
    if (read_profile(bytes, arena, NULL, &body, &profile) != STATUS_OK) {
        if (!cJSON_HasObjectItem(golden, "reject") && !cJSON_HasObjectItem(golden, "legacy"))
            fail_msg("%s: refused", name);
        cJSON_Delete(golden);
        return;
    }
    verdict = oracle_compare(body, &profile, arena);
    if (!verdict.readable || !verdict.equal)
        fail_msg("%s: %s", name, verdict.readable ? verdict.what : "protobuf-c cannot read it");
    compare_totals(name, cJSON_GetObjectItem(golden, "totals"), &profile);
    cJSON_Delete(golden);
    assert_int_equal(encode_profile(&profile, arena, NULL, &encoded), STATUS_OK);
    assert_int_equal(
        decode_profile(slice_make(encoded.data, encoded.size_bytes), arena, NULL, &back),
        STATUS_OK);
    verdict = oracle_compare_profiles(&profile, &back);
    if (!verdict.equal)
        fail_msg("%s: encoded: %s", name, verdict.what);
    compared++;
}

static void test_real_profiles(void **state)
{
    const char *folder = corpus_folder();
    char path[4096];

    (void)state;
    if (!folder)
        skip();
    snprintf(path, sizeof path, "%s/files", folder);
    assert_true(corpus_each(path, compare_file) > 0);
    printf("%zu real profiles equal in every column\n", compared);
    assert_true(compared >= 40);
}

static void check_case(const char *folder, const cJSON *c)
{
    const char *name = cJSON_GetObjectItem(c, "file")->valuestring;
    const char *verdict = cJSON_GetObjectItem(c, "verdict")->valuestring;
    const cJSON *reason = cJSON_GetObjectItem(c, "reason");
    const cJSON *expect = cJSON_GetObjectItem(c, "expect");
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_ARENA_BYTES);
    struct slice bytes = corpus_read(folder, name);
    struct error err = {0};
    struct profile profile;
    struct slice body;
    const char *code;

    assert_non_null(bytes.data);
    code = status_code(read_profile(bytes, arena, &err, &body, &profile));
    if (strcmp(code, strcmp(verdict, "accept") == 0 ? "ok" : reason->valuestring) != 0)
        fail_msg("%s: %s (%s), expected %s %s", name, code, err.text, verdict,
                 reason ? reason->valuestring : "");
    if (strcmp(code, "ok") == 0 && cJSON_HasObjectItem(expect, "totals"))
        compare_totals(name, cJSON_GetObjectItem(expect, "totals"), &profile);
    free((void *)(uintptr_t)bytes.data);
}

static void test_malformed(void **state)
{
    const char *folder = corpus_folder();
    const cJSON *c;
    char path[4096];
    cJSON *cases;

    (void)state;
    if (!folder)
        skip();
    snprintf(path, sizeof path, "%s/bad", folder);
    cases = read_json(path, "cases.json");
    assert_non_null(cases);
    cJSON_ArrayForEach(c, cases)
    {
        check_case(path, c);
    }
    printf("%d malformed or odd inputs with the expected verdict\n", cJSON_GetArraySize(cases));
    cJSON_Delete(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real_profiles),
        cmocka_unit_test(test_malformed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

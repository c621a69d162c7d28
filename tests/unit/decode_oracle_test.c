/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder against protobuf-c, on generated profiles of every shape, and with every budget. */
#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/decode.h"
#include "tests/unit/support/oracle.h"
#include "tests/unit/support/profile_gen.h"
#include "tests/unit/unit.h"

static void compare_spec(const struct gen_spec *spec)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(256 * LIMIT_MIB);
    CLEANUP(buf_cleanup) struct buf bytes;
    struct profile profile;
    struct oracle_verdict verdict;
    struct error err = {0};
    enum status status;

    buf_init(&bytes, 64 * LIMIT_MIB);
    gen_profile(spec, &bytes);
    status = decode_profile(slice_make(bytes.data, bytes.size_bytes), arena, &err, &profile);
    if (status != STATUS_OK)
        fail_msg("seed %llu: %s: %s", (unsigned long long)spec->seed, status_code(status),
                 err.text);
    verdict = oracle_compare(slice_make(bytes.data, bytes.size_bytes), &profile, arena);
    if (!verdict.readable || !verdict.equal)
        fail_msg("seed %llu: %s", (unsigned long long)spec->seed,
                 verdict.readable ? verdict.what : "protobuf-c cannot read it");
}

static void test_random_specs(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct gen_spec spec = gen_spec_random(seed, seed % 10 == 0 ? 400 : 40);

        compare_spec(&spec);
    }
}

/* Each form of ids and packing with enough locations for ids of three bytes. */
static void test_large(void **state)
{
    (void)state;
    for (int ids = 0; ids < GEN_IDS_MAX; ids++) {
        for (int packing = 0; packing < GEN_PACKING_MAX; packing++) {
            struct gen_spec spec = {.seed = (uint64_t)(ids * 10 + packing),
                                    .types = 2,
                                    .samples = 300,
                                    .mappings = 3,
                                    .locations = 20000,
                                    .functions = 500,
                                    .strings = 300,
                                    .max_depth = 120,
                                    .max_lines = 2,
                                    .max_labels = 2,
                                    .ids = (enum gen_ids)ids,
                                    .packing = (enum gen_packing)packing};

            compare_spec(&spec);
        }
    }
}

/* Every cut of a body is decided without reading past it; what decodes equals the oracle's view. */
static void test_every_cut(void **state)
{
    struct gen_spec spec = gen_spec_random(12, 12);
    CLEANUP(buf_cleanup) struct buf bytes;

    (void)state;
    buf_init(&bytes, LIMIT_MIB);
    gen_profile(&spec, &bytes);
    for (size_t size = 0; size <= bytes.size_bytes; size++) {
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(4 * LIMIT_MIB);
        char *cut = malloc(size > 0 ? size : 1);
        struct profile profile;

        assert_non_null(cut);
        memcpy(cut, bytes.data, size);
        if (decode_profile(slice_make(cut, size), arena, NULL, &profile) == STATUS_OK)
            assert_true(oracle_compare(slice_make(cut, size), &profile, arena).equal);
        free(cut);
    }
}

/* Every byte changed in some ways: never more than a refusal, and never another reading. */
static void test_every_byte_changed(void **state)
{
    static const uint8_t masks[] = {0x01, 0x02, 0x08, 0x80, 0xff};
    struct gen_spec spec = gen_spec_random(34, 10);
    CLEANUP(buf_cleanup) struct buf bytes;
    size_t accepted = 0;

    (void)state;
    buf_init(&bytes, LIMIT_MIB);
    spec.odd = false;
    gen_profile(&spec, &bytes);
    for (size_t i = 0; i < bytes.size_bytes; i++) {
        for (size_t m = 0; m < sizeof masks; m++) {
            CLEANUP(arena_cleanup) struct arena *arena = arena_new(4 * LIMIT_MIB);
            struct slice body = slice_make(bytes.data, bytes.size_bytes);
            struct oracle_verdict verdict;
            struct profile profile;

            bytes.data[i] = (char)(bytes.data[i] ^ masks[m]);
            if (decode_profile(body, arena, NULL, &profile) == STATUS_OK) {
                verdict = oracle_compare(body, &profile, arena);
                if (verdict.readable && !verdict.equal)
                    fail_msg("byte %zu ^ %02x: %s", i, masks[m], verdict.what);
                accepted++;
            }
            bytes.data[i] = (char)(bytes.data[i] ^ masks[m]);
        }
    }
    assert_true(accepted > 0);
}

/* Memory as a dimension: every budget either decodes or says too_large, and nothing else. */
static void test_every_budget(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        struct gen_spec spec = gen_spec_random(seed, 60);
        CLEANUP(buf_cleanup) struct buf bytes;
        enum status status = STATUS_TOO_LARGE;
        size_t refused = 0;

        spec.ids = (enum gen_ids)(seed % GEN_IDS_MAX);
        spec.samples = spec.locations = 60;
        buf_init(&bytes, LIMIT_MIB);
        gen_profile(&spec, &bytes);
        for (size_t budget = 0; status != STATUS_OK; budget += 64) {
            CLEANUP(arena_cleanup) struct arena *arena = arena_new(budget);
            struct profile profile;
            struct error err;

            assert_true(budget < 4 * LIMIT_MIB);
            status =
                decode_profile(slice_make(bytes.data, bytes.size_bytes), arena, &err, &profile);
            if (status == STATUS_OK)
                continue;
            assert_status(status, STATUS_TOO_LARGE);
            assert_true(err.text[0] != '\0');
            refused++;
        }
        assert_true(refused > 10);
    }
}

/* Shapes that cost a naive decoder up to 88 times their size: never past the budget of an upload.
 */
static void test_amplification(void **state)
{
    static const struct slice shapes[] = {
        {"\x0a\x00", 2},         {"\x12\x00", 2},         {"\x1a\x00", 2}, {"\x22\x00", 2},
        {"\x2a\x00", 2},         {"\x32\x00", 2},         {"\x68\x00", 2}, {"\xb8\x02\x00", 3},
        {"\x12\x02\x1a\x00", 4}, {"\x22\x02\x22\x00", 4},
    };
    const size_t size_bytes = 4 * LIMIT_MIB;
    char *bytes = malloc(size_bytes + 8);

    (void)state;
    assert_non_null(bytes);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const size_t budget = LIMIT_ARENA_FACTOR * size_bytes + LIMIT_ARENA_BASE_BYTES;
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(budget);
        struct profile profile;
        struct error err;
        size_t at = 0;

        memcpy(bytes, "\x0a\x00\x32\x00", 4); /* a sample type and the string table */
        for (at = 4; at < size_bytes; at += shapes[i].size_bytes)
            memcpy(bytes + at, shapes[i].data, shapes[i].size_bytes);
        if (decode_profile(slice_make(bytes, at), arena, &err, &profile) != STATUS_OK)
            assert_true(err.text[0] != '\0');
        assert_true(arena_used_bytes(arena) <= budget);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_specs), cmocka_unit_test(test_large),
        cmocka_unit_test(test_every_cut),    cmocka_unit_test(test_every_byte_changed),
        cmocka_unit_test(test_every_budget), cmocka_unit_test(test_amplification),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

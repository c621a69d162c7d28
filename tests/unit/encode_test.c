/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding: what is written decodes to the same columns, and other readers take it. */
#include "proto/encode.h"

#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/decode.h"
#include "proto/profile.pb-c.h"
#include "proto/prune.h"
#include "tests/unit/support/oracle.h"
#include "tests/unit/support/profile_gen.h"
#include "tests/unit/support/stacks.h"
#include "tests/unit/unit.h"

static void assert_round_trip(const struct profile *profile, struct arena *arena, uint64_t seed)
{
    CLEANUP(buf_cleanup) struct buf bytes;
    struct oracle_verdict verdict;
    struct error err = {0};
    struct profile back;

    buf_init(&bytes, 64 * LIMIT_MIB);
    assert_int_equal(encode_profile(profile, arena, NULL, &bytes), STATUS_OK);
    if (decode_profile(slice_make(bytes.data, bytes.size_bytes), arena, &err, &back) != STATUS_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
    verdict = oracle_compare_profiles(profile, &back);
    if (!verdict.equal)
        fail_msg("seed %llu: %s", (unsigned long long)seed, verdict.what);
    for (uint32_t i = 0; i < back.location_count; i++)
        assert_int_equal(back.location_id[i], i + 1);
}

static void test_round_trip(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct gen_spec spec = gen_spec_random(seed, 50);
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(64 * LIMIT_MIB);
        CLEANUP(buf_cleanup) struct buf bytes;
        struct profile profile;

        buf_init(&bytes, 64 * LIMIT_MIB);
        gen_profile(&spec, &bytes);
        assert_int_equal(
            decode_profile(slice_make(bytes.data, bytes.size_bytes), arena, NULL, &profile),
            STATUS_OK);
        assert_round_trip(&profile, arena, seed);
    }
}

static void test_pruned_profile(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(4 * LIMIT_MIB);
    struct profile profile =
        stacks_profile("main;malloc;x 1\nmain;a+free+b;c 2\n 3\n", "malloc|free", "", arena);

    (void)state;
    assert_int_equal(prune_profile(&profile, arena, NULL), STATUS_OK);
    assert_round_trip(&profile, arena, 0);
}

static void test_appends(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(4 * LIMIT_MIB);
    CLEANUP(buf_cleanup) struct buf bytes;
    struct profile profile = stacks_profile("main 1\n", "", "", arena);
    struct profile back;

    (void)state;
    buf_init(&bytes, LIMIT_MIB);
    buf_append_text(&bytes, "head");
    assert_int_equal(encode_profile(&profile, arena, NULL, &bytes), STATUS_OK);
    assert_memory_equal(bytes.data, "head", 4);
    assert_int_equal(
        decode_profile(slice_make(bytes.data + 4, bytes.size_bytes - 4), arena, NULL, &back),
        STATUS_OK);
}

/* Two locations in one mapping, the second without lines; a second mapping with only such. */
static void test_symbol_flags(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(4 * LIMIT_MIB);
    CLEANUP(buf_cleanup) struct buf bytes;
    const struct slice strings[] = {SLICE_LITERAL(""), SLICE_LITERAL("main")};
    uint32_t zero = 0, zeros[4] = {0}, function = 0, mapping_of[] = {0, 0, 1};
    uint32_t line_first[] = {0, 1, 1, 1};
    uint64_t numbers[4] = {1, 2, 3, 4}, addresses[3] = {16, 32, 48};
    int64_t line = 7;
    struct profile profile = {.string_count = 2,
                              .strings = strings,
                              .type_count = 1,
                              .type_name = &zero,
                              .type_unit = &zero,
                              .sample_location_first = zeros,
                              .sample_label_first = zeros,
                              .mapping_count = 2,
                              .mapping_id = numbers,
                              .mapping_start = numbers,
                              .mapping_limit = numbers,
                              .mapping_offset = numbers,
                              .mapping_file = zeros,
                              .mapping_build_id = zeros,
                              .location_count = 3,
                              .location_id = numbers,
                              .location_mapping = mapping_of,
                              .location_address = addresses,
                              .location_line_first = line_first,
                              .line_function = &function,
                              .line_number = &line,
                              .function_count = 1,
                              .function_id = numbers,
                              .function_name = &(uint32_t){1},
                              .function_system_name = zeros,
                              .function_file = zeros,
                              .function_start_line = &line};
    Brazier__Pprof__Profile *message;

    (void)state;
    buf_init(&bytes, LIMIT_MIB);
    assert_status(encode_profile(&profile, arena, NULL, &bytes), STATUS_OK);
    message = brazier__pprof__profile__unpack(NULL, bytes.size_bytes, (const uint8_t *)bytes.data);
    assert_non_null(message);
    assert_true(message->mapping[0]->has_functions && message->mapping[0]->has_line_numbers);
    assert_false(message->mapping[1]->has_functions || message->mapping[1]->has_line_numbers);
    brazier__pprof__profile__free_unpacked(message, NULL);
}

static void test_bounds(void **state)
{
    CLEANUP(arena_cleanup) struct arena *fixture = arena_new(LIMIT_MIB);
    struct profile profile = stacks_profile("main;a;b 1\nmain;c 2\n", "", "", fixture);
    enum status status = STATUS_TOO_LARGE;

    (void)state;
    for (size_t budget = 0; status != STATUS_OK; budget += 64) { /* every budget */
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(budget);
        CLEANUP(buf_cleanup) struct buf bytes;

        assert_true(budget < LIMIT_MIB);
        buf_init(&bytes, LIMIT_MIB);
        status = encode_profile(&profile, arena, NULL, &bytes);
        assert_true(status == STATUS_OK || status == STATUS_TOO_LARGE);
    }
    status = STATUS_TOO_LARGE;
    for (size_t max = 0; status != STATUS_OK; max++) { /* every buffer */
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
        CLEANUP(buf_cleanup) struct buf bytes;

        assert_true(max < 4096);
        buf_init(&bytes, max);
        status = encode_profile(&profile, arena, NULL, &bytes);
        assert_true(status == STATUS_OK || status == STATUS_TOO_LARGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_pruned_profile),
        cmocka_unit_test(test_appends),    cmocka_unit_test(test_symbol_flags),
        cmocka_unit_test(test_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

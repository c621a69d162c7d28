/* SPDX-License-Identifier: Apache-2.0 */
/* gzip: round trips, members, every cut, every changed byte, bombs and budgets. */
#include "proto/gzip.h"

#include <stdlib.h>

#include "proto/base/limits.h"
#include "tests/unit/unit.h"

static const char text[] = "the quick brown fox jumps over the lazy dog, the quick brown fox again";

/* Appends a member holding `bytes`. */
static void add_member(struct buf *out, struct slice bytes)
{
    struct error err;

    assert_int_equal(gzip_deflate(bytes, 6, &err, out), STATUS_OK);
}

static struct slice contents(const struct buf *buf)
{
    return slice_make(buf->data, buf->size_bytes);
}

static void test_detect(void **state)
{
    (void)state;
    assert_true(gzip_detect(slice_make("\x1f\x8b", 2)));
    assert_false(gzip_detect(slice_make("\x1f", 1)));
    assert_false(gzip_detect(slice_make("\x1f\x8c", 2)));
    assert_false(gzip_detect(slice_make(NULL, 0)));
}

static void test_round_trip(void **state)
{
    static const size_t sizes[] = {0, 1, 70, 65535, 65536, 65537, 3000000};
    char *bytes = malloc(3000000);
    uint64_t random = 1;

    (void)state;
    assert_non_null(bytes);
    for (size_t i = 0; i < 3000000; i++)
        bytes[i] = (char)(unit_random(&random) % 7);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int level = 1; level <= 9; level += 4) {
            CLEANUP(arena_cleanup) struct arena *arena = arena_new(16 * LIMIT_MIB);
            CLEANUP(buf_cleanup) struct buf packed;
            struct slice back;

            buf_init(&packed, 4 * LIMIT_MIB);
            assert_int_equal(gzip_deflate(slice_make(bytes, sizes[i]), level, NULL, &packed),
                             STATUS_OK);
            assert_int_equal(
                gzip_inflate(contents(&packed), LIMIT_INFLATED_BYTES, arena, NULL, &back),
                STATUS_OK);
            assert_slice_equal(back, slice_make(bytes, sizes[i]));
        }
    }
    free(bytes);
}

static void test_members_are_joined(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(4 * LIMIT_MIB);
    CLEANUP(buf_cleanup) struct buf packed;
    struct slice back;

    (void)state;
    buf_init(&packed, LIMIT_MIB);
    add_member(&packed, SLICE_LITERAL("one "));
    add_member(&packed, SLICE_LITERAL(""));
    add_member(&packed, slice_of(text));
    assert_int_equal(gzip_inflate(contents(&packed), 1000, arena, NULL, &back), STATUS_OK);
    assert_int_equal(back.size_bytes, 4 + sizeof text - 1);
    assert_memory_equal(back.data, "one the quick", 13);
}

/* Inflates a copy in a block of its own, so that sanitizers see its end. */
static enum status inflate_copy(const char *bytes, size_t size_bytes, struct slice expected)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
    char *copy = malloc(size_bytes > 0 ? size_bytes : 1);
    struct error err = {0};
    struct slice back;
    enum status status;

    assert_non_null(copy);
    memcpy(copy, bytes, size_bytes);
    status = gzip_inflate(slice_make(copy, size_bytes), 4096, arena, &err, &back);
    free(copy);
    if (status == STATUS_OK)
        assert_slice_equal(back, expected);
    else
        assert_true(err.text[0] != '\0');
    return status;
}

static void test_every_cut(void **state)
{
    CLEANUP(buf_cleanup) struct buf packed;

    (void)state;
    buf_init(&packed, LIMIT_MIB);
    add_member(&packed, slice_of(text));
    for (size_t size = 0; size < packed.size_bytes; size++)
        assert_status(inflate_copy(packed.data, size, slice_of(text)), STATUS_BAD_GZIP);
    assert_status(inflate_copy(packed.data, packed.size_bytes, slice_of(text)), STATUS_OK);
}

/* A changed byte is found by the sums, or is one of those in the header that mean nothing. */
static void test_every_byte_changed(void **state)
{
    CLEANUP(buf_cleanup) struct buf packed;
    size_t refused = 0;

    (void)state;
    buf_init(&packed, LIMIT_MIB);
    add_member(&packed, slice_of(text));
    for (size_t i = 0; i < packed.size_bytes; i++) {
        packed.data[i] = (char)(packed.data[i] ^ 0x55);
        refused += inflate_copy(packed.data, packed.size_bytes, slice_of(text)) != STATUS_OK;
        packed.data[i] = (char)(packed.data[i] ^ 0x55);
    }
    assert_true(refused >= packed.size_bytes - 6); /* time, extra flags, system */
}

static void test_bytes_behind(void **state)
{
    static const char *const tails[] = {"x", "\x1f", "\x1f\x8b", "garbage that is long enough"};

    (void)state;
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        CLEANUP(buf_cleanup) struct buf packed;

        buf_init(&packed, LIMIT_MIB);
        add_member(&packed, slice_of(text));
        buf_append_text(&packed, tails[i]);
        assert_status(inflate_copy(packed.data, packed.size_bytes, slice_of(text)),
                      STATUS_BAD_GZIP);
        buf_free(&packed);
        add_member(&packed, slice_of(text));
        buf_append(&packed, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
        assert_status(inflate_copy(packed.data, packed.size_bytes, slice_of(text)),
                      STATUS_BAD_GZIP);
    }
}

static void test_cap(void **state)
{
    (void)state;
    for (size_t below = 0; below <= 1; below++) {
        for (int members = 1; members <= 2; members++) { /* at once, and streaming */
            CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
            CLEANUP(buf_cleanup) struct buf packed;
            size_t total = (sizeof text - 1) * (size_t)members;
            struct slice back;

            buf_init(&packed, LIMIT_MIB);
            for (int i = 0; i < members; i++)
                add_member(&packed, slice_of(text));
            assert_status(gzip_inflate(contents(&packed), total - below, arena, NULL, &back),
                          below == 0 ? STATUS_OK : STATUS_TOO_LARGE);
        }
    }
}

/* Zeros, 1028:1. Honest about its size, lying about it, and in members; little memory each time. */
static void test_bombs(void **state)
{
    static const size_t bomb_bytes = 24 * LIMIT_MIB;
    char *zeros = calloc(1, bomb_bytes);

    (void)state;
    assert_non_null(zeros);
    for (int kind = 0; kind < 3; kind++) {
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_ARENA_BYTES);
        CLEANUP(buf_cleanup) struct buf packed;
        struct error err;
        struct slice back;

        buf_init(&packed, LIMIT_MIB);
        for (int i = 0; i < (kind == 2 ? 4 : 1); i++)
            add_member(&packed, slice_make(zeros, kind == 2 ? 8 * LIMIT_MIB : bomb_bytes));
        if (kind == 1)
            memset(packed.data + packed.size_bytes - 4, 0, 4);
        assert_status(gzip_inflate(contents(&packed), bomb_bytes, arena, &err, &back),
                      STATUS_TOO_LARGE);
        assert_int_equal(err.limit, LIMIT_INFLATE_RATIO);
        assert_true(arena_used_bytes(arena) <= 32 * LIMIT_MIB);
    }
    free(zeros);
}

/* A million equal samples compress as well as a bomb does, and are a profile all the same. */
static void test_million_equal_samples(void **state)
{
    static const char sample[] = "\x12\x0c\x0a\x03\x01\x02\x03\x12\x05\x01\x80\xad\xe2\x04";
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_ARENA_BYTES);
    CLEANUP(buf_cleanup) struct buf raw;
    CLEANUP(buf_cleanup) struct buf packed;
    struct slice back;

    (void)state;
    buf_init(&raw, 32 * LIMIT_MIB);
    buf_init(&packed, LIMIT_MIB);
    for (int i = 0; i < 1000000; i++)
        buf_append(&raw, sample, sizeof sample - 1);
    add_member(&packed, contents(&raw));
    assert_true(raw.size_bytes / packed.size_bytes > 200);
    assert_int_equal(gzip_inflate(contents(&packed), LIMIT_INFLATED_BYTES, arena, NULL, &back),
                     STATUS_OK);
    assert_int_equal(back.size_bytes, raw.size_bytes);
}

static void test_every_budget(void **state)
{
    CLEANUP(buf_cleanup) struct buf packed;
    enum status status = STATUS_TOO_LARGE;

    (void)state;
    buf_init(&packed, LIMIT_MIB);
    add_member(&packed, slice_of(text));
    add_member(&packed, slice_of(text)); /* both ways through the code */
    for (size_t budget = 0; status != STATUS_OK; budget += 16) {
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(budget);
        struct slice back;

        assert_true(budget < LIMIT_MIB);
        status = gzip_inflate(contents(&packed), 4096, arena, NULL, &back);
        assert_true(status == STATUS_OK || status == STATUS_TOO_LARGE);
    }
}

static void test_deflate_maximum(void **state)
{
    uint64_t random = 5;
    char noise[4096];

    (void)state;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (char)unit_random(&random);
    for (size_t max = 0; max < 64; max++) {
        CLEANUP(buf_cleanup) struct buf packed;

        buf_init(&packed, max);
        assert_status(gzip_deflate(slice_make(noise, sizeof noise), 1, NULL, &packed),
                      STATUS_TOO_LARGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_detect),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_members_are_joined),
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_every_byte_changed),
        cmocka_unit_test(test_bytes_behind),
        cmocka_unit_test(test_cap),
        cmocka_unit_test(test_bombs),
        cmocka_unit_test(test_million_equal_samples),
        cmocka_unit_test(test_every_budget),
        cmocka_unit_test(test_deflate_maximum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

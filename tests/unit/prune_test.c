/* SPDX-License-Identifier: Apache-2.0 */
/* drop_frames and keep_frames: cases as triples of stacks, expressions and what is left. */
#include "proto/prune.h"

#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/base/timestamp.h"
#include "tests/unit/support/stacks.h"
#include "tests/unit/unit.h"

struct prune_case {
    const char *what;
    const char *stacks;
    const char *drop;
    const char *keep;
    const char *left;
};

static const struct prune_case cases[] = {
    {"no expression", "main;malloc 1\n", "", "", "main;malloc 1\n"},
    {"keep without drop does nothing", "main;malloc 1\n", "", "malloc", "main;malloc 1\n"},
    {"the match and its leaf side go", "main;work;malloc;brk 5\n", "malloc", "", "main;work 5\n"},
    {"the match nearest the root counts", "main;a;x;b;x;c 1\n", "x", "", "main;a 1\n"},
    {"matched in full only", "main;malloc_init;mallo 1\n", "malloc", "",
     "main;malloc_init;mallo 1\n"},
    {"alternatives", "main;free 1\nmain;malloc;brk 2\n", "malloc|free", "", "main 1\nmain 2\n"},
    {"keep is an exception", "main;malloc_a;x 1\nmain;malloc_b;y 2\n", "malloc_.*", "malloc_b",
     "main 1\nmain;malloc_b;y 2\n"},
    {"nothing before the first user frame", "malloc;main 1\n", "malloc", "", "malloc;main 1\n"},
    {"a stack of matches alone stays", "malloc;malloc 4\n", "malloc", "", "malloc;malloc 4\n"},
    {"then the next match behind a user frame", "malloc;main;malloc;x 1\n", "malloc", "",
     "malloc;main 1\n"},
    {"outermost line matches: the location goes", "main;malloc+inner;leaf 1\n", "malloc", "",
     "main 1\n"},
    {"inlined line matches: lines inside it go", "main;user+malloc+inner;leaf 1\n", "malloc", "",
     "main;user 1\n"},
    {"an inlined match is cut in every stack", "user+malloc;main 1\nmain;user+malloc 2\n", "malloc",
     "", "user;main 1\nmain;user 2\n"},
    {"a cut location is no user frame", "user+malloc;malloc;x 1\n", "malloc", "",
     "user;malloc;x 1\n"},
    {"the outermost of two inlined matches", "main;a+x+b+x+c;leaf 1\n", "x", "", "main;a 1\n"},
    {"leading dot is not part of a name", "main;.malloc 1\n", "malloc", "", "main 1\n"},
    {"only one dot", "main;..malloc 1\n", "malloc", "", "main;..malloc 1\n"},
    {"argument lists are cut", "main;Alloc(int, char) 1\n", "Alloc", "", "main 1\n"},
    {"anonymous namespaces are not argument lists", "main;(anonymous namespace)::f(int) 1\n",
     "\\(anonymous namespace\\)::f", "", "main 1\n"},
    {"nor is the call operator", "main;F::operator()(int) 1\n", "F::operator\\(\\)", "",
     "main 1\n"},
    {"a name that begins with a bracket is empty", "main;(unknown) 1\n", "x*", "", "main 1\n"},
    {"expressions without a group of their own", "main;ab 1\nmain;a 2\n", "a|ab", "",
     "main 1\nmain 2\n"},
    {"set between anchors as text", "main;xy 1\n", "x)(y", "", "main 1\n"},
    {"a dollar does not match before a last newline", "main;\x01 1\n", ".\n?", "", "main 1\n"},
    {"invalid expression", "main;malloc 1\n", "malloc(", "", "main;malloc 1\n"},
    {"invalid exception voids the rule", "main;malloc 1\n", "malloc", "(", "main;malloc 1\n"},
    {"not RE2: lookahead", "main;malloc 1\n", "(?=m)malloc", "", "main;malloc 1\n"},
    {"not RE2: back reference", "main;aa 1\n", "(a)\\1", "", "main;aa 1\n"},
    {"bytes that are not UTF-8 match as one character each",
     "main;a\xff\xfe"
     "b 1\n",
     "a..b", "", "main 1\n"},
    {"samples without a stack", " 3\nmain;malloc 1\n", "malloc", "", " 3\nmain 1\n"},
    {"root alone", "main 1\n", "main", "", "main 1\n"},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct prune_case *c = &cases[i];
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
        CLEANUP(buf_cleanup) struct buf left;
        struct profile profile = stacks_profile(c->stacks, c->drop, c->keep, arena);

        buf_init(&left, LIMIT_MIB);
        assert_int_equal(prune_profile(&profile, arena, NULL), STATUS_OK);
        stacks_print(&profile, &left);
        buf_append_char(&left, '\0');
        if (strcmp(left.data, c->left) != 0)
            fail_msg("%s:\n%sexpected:\n%s", c->what, left.data, c->left);
    }
}

/* A pattern that backtracks for ever gives up in time and changes nothing. */
static void test_runaway(void **state)
{
    static const char stacks[] =
        "main;gone;x 1\nmain;aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! 1\n";
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(4 * LIMIT_MIB);
    CLEANUP(buf_cleanup) struct buf left;
    struct profile profile = stacks_profile(stacks, "gone|(a+)+(a+)+b", "", arena);
    int64_t started_ns = timestamp_monotonic_ns();

    (void)state;
    buf_init(&left, LIMIT_MIB);
    assert_int_equal(prune_profile(&profile, arena, NULL), STATUS_OK);
    assert_true(timestamp_monotonic_ns() - started_ns < INT64_C(2000000000));
    stacks_print(&profile, &left);
    buf_append_char(&left, '\0');
    assert_string_equal(left.data, stacks);
}

/* An expression longer than the limit is ignored, one of exactly the limit is not. */
static void test_length_limit(void **state)
{
    for (size_t extra = 0; extra <= 1; extra++) {
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(16 * LIMIT_MIB);
        size_t size_bytes = LIMIT_PRUNE_PATTERN_BYTES + extra;
        char *drop = malloc(size_bytes + 1);
        struct profile profile;

        (void)state;
        assert_non_null(drop);
        memset(drop, '|', size_bytes);
        memcpy(drop, "gone", 4);
        drop[size_bytes] = '\0';
        profile = stacks_profile("main;gone 1\n", drop, "", arena);
        assert_int_equal(prune_profile(&profile, arena, NULL), STATUS_OK);
        assert_int_equal(profile.sample_location_first[1], extra == 0 ? 1 : 2);
        free(drop);
    }
}

/* Every budget from the profile's own need upwards: done, or refused cleanly and unchanged. */
static void test_every_budget(void **state)
{
    static const char stacks[] = "main;malloc;a 1\nmain;b+free;c 2\n";
    enum status status = STATUS_TOO_LARGE;
    size_t refused = 0;

    (void)state;
    for (size_t budget = 0; status != STATUS_OK; budget += 512) {
        CLEANUP(arena_cleanup) struct arena *fixture = arena_new(LIMIT_MIB);
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(budget);
        CLEANUP(buf_cleanup) struct buf left;
        struct profile profile = stacks_profile(stacks, "malloc|free", "x", fixture);
        struct error err;

        assert_true(budget < 4 * LIMIT_MIB);
        buf_init(&left, LIMIT_MIB);
        status = prune_profile(&profile, arena, &err);
        stacks_print(&profile, &left);
        buf_append_char(&left, '\0');
        if (status == STATUS_OK) {
            assert_string_equal(left.data, "main 1\nmain;b 2\n");
            continue;
        }
        refused++;
        assert_int_equal(status, STATUS_TOO_LARGE);
        assert_string_equal(left.data, stacks);
    }
    assert_true(refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_runaway),
        cmocka_unit_test(test_length_limit),
        cmocka_unit_test(test_every_budget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

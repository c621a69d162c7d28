/* SPDX-License-Identifier: Apache-2.0 */
/* From a profile's columns to entries: names, inlined lines, binaries, tagsets, sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/limits.h"
#include "storage/entries.h"
#include "storage/intern.h"
#include "storage/tagset.h"
#include "tests/unit/handmade.h"

struct context {
    struct arena *arena;
    struct calltree *tree;
    struct handmade made;
    uint32_t nodes[8];
};

static int set_up(void **state)
{
    static struct context context; /* one test at a time */

    context = (struct context){.arena = arena_new(64 * LIMIT_MIB)};
    assert_int_equal(calltree_new(100000, NULL, &context.tree), STATUS_OK);
    *state = &context;
    return 0;
}

static int tear_down(void **state)
{
    struct context *context = *state;

    calltree_free(context->tree);
    arena_free(context->arena);
    return 0;
}

static void make(struct context *context, const struct handmade_sample *samples, uint32_t count)
{
    handmade_make(context->arena, "cpu", "nanoseconds", samples, count, &context->made);
}

static void intern(struct context *context)
{
    struct error err = {0};

    if (intern_stacks(context->tree, &context->made.profile, context->arena, &err,
                      context->nodes) != STATUS_OK)
        fail_msg("%s", err.text);
}

/* The frames of a node from the root, "name@file" joined by ';'. */
static void assert_path(const struct context *context, uint32_t node, const char *expected)
{
    char path[512] = "";

    while (node != CALLTREE_ROOT) {
        uint32_t function = calltree_functions(context->tree)[node];
        struct slice name = calltree_name(context->tree, function);
        struct slice file = calltree_file(context->tree, function);
        char longer[512];

        (void)snprintf(longer, sizeof(longer), "%.*s%s%.*s%s%s", (int)name.size_bytes, name.data,
                       file.size_bytes > 0 ? "@" : "", (int)file.size_bytes, file.data,
                       path[0] == '\0' ? "" : ";", path);
        memcpy(path, longer, sizeof(path));
        node = calltree_parents(context->tree)[node];
    }
    assert_string_equal(path, expected);
}

static void stacks_become_paths(void **state)
{
    struct context *context = *state;

    make(context,
         (struct handmade_sample[]){{.stack = "main@m.c;work@w.c"},
                                    {.stack = ""},
                                    {.stack = "main@m.c;work@w.c;work@w.c"},
                                    {.stack = "main@m.c;work@w.c"}},
         4);
    intern(context);
    assert_path(context, context->nodes[0], "main@m.c;work@w.c");
    assert_int_equal(context->nodes[1], CALLTREE_ROOT);
    assert_path(context, context->nodes[2], "main@m.c;work@w.c;work@w.c");
    assert_int_equal(context->nodes[3], context->nodes[0]);
    assert_int_equal(calltree_node_count(context->tree), 4);
}

static void names_are_cleaned(void **state)
{
    struct context *context = *state;

    make(context,
         (struct handmade_sample[]){{.stack = "a\xff@/proc/self/cwd/./x.c"},
                                    {.stack = "b@./y/./z.c"},
                                    {.stack = "c@/proc/self/cwd/w\xc3.c"},
                                    {.stack = "d@.//e.c"}},
         4);
    intern(context);
    assert_path(context, context->nodes[0], "a\\xff@x.c");
    assert_path(context, context->nodes[1], "b@y/./z.c");
    assert_path(context, context->nodes[2], "c@w\\xc3.c");
    assert_path(context, context->nodes[3], "d@/e.c");
}

/* Three lines in the leaf's location: the last is the outermost caller. */
static void inlined_lines_are_frames(void **state)
{
    struct context *context = *state;
    struct profile *profile = &context->made.profile;

    make(context,
         (struct handmade_sample[]){
             {.stack = "inner"}, {.stack = "middle"}, {.stack = "outer"}, {.stack = "main;x"}},
         4);
    /* Locations: inner, middle, outer, main, x. Make x the three lines inner, middle, outer. */
    profile->line_function[4] = 0;
    profile->line_function[5] = 1;
    profile->line_function[6] = 2;
    profile->location_line_first[5] = 7;
    intern(context);
    assert_path(context, context->nodes[3], "main;outer;middle;inner");
}

static void binaries_stand_for_what_has_no_name(void **state)
{
    struct context *context = *state;
    struct profile *profile = &context->made.profile;
    static uint32_t mapping_file[4];
    static struct slice strings[8];
    uint32_t count;

    make(context,
         (struct handmade_sample[]){{.stack = "a"},
                                    {.stack = "b"},
                                    {.stack = "c"},
                                    {.stack = "d"},
                                    {.stack = "e;e"},
                                    {.stack = "@ignored.c"}},
         6);
    count = profile->string_count;
    assert_true(count <= 8);
    memcpy(strings, profile->strings, count * sizeof(strings[0]));
    profile->strings = strings;
    /* strings: "", a, b, c, d, e, ignored.c: the names of a .. d serve as paths. */
    strings[1] = slice_of("/usr/lib/libc\xfe.so.6");
    strings[2] = slice_of("");
    strings[3] = slice_of("[vdso]");
    strings[4] = slice_of("/opt/app//");
    profile->mapping_count = 4;
    profile->mapping_file = mapping_file;
    for (uint32_t i = 0; i < 4; i++) {
        mapping_file[i] = i + 1;
        profile->location_mapping[i] = i;
    }
    profile->location_mapping[5] = 0; /* the nameless function is in libc */
    for (uint32_t i = 0; i <= 4; i++) /* a .. d lose their lines, e keeps its own */
        profile->location_line_first[i] = 4;
    intern(context);
    assert_path(context, context->nodes[0], "[libc\\xfe.so.6]");
    assert_path(context, context->nodes[1], "[unknown]"); /* a mapping without a file */
    assert_path(context, context->nodes[2], "[[vdso]]");
    assert_path(context, context->nodes[3], "[app]");
    assert_path(context, context->nodes[4], "e;e");
    assert_path(context, context->nodes[5], "[libc\\xfe.so.6]");
    profile->location_mapping[5] = PROFILE_NONE;
    intern(context);
    assert_path(context, context->nodes[5], "[unknown]");
}

static void too_long_names_are_refused(void **state)
{
    struct context *context = *state;
    static char name[LIMIT_NAME_BYTES + 2];
    struct error err = {0};

    memset(name, 'n', LIMIT_NAME_BYTES);
    make(context, (struct handmade_sample[]){{.stack = name}}, 1);
    intern(context);
    name[LIMIT_NAME_BYTES] = 'n';
    make(context, (struct handmade_sample[]){{.stack = name}}, 1);
    assert_int_equal(
        intern_stacks(context->tree, &context->made.profile, context->arena, &err, context->nodes),
        STATUS_TOO_LARGE);
    assert_int_equal(err.limit, LIMIT_NAME_BYTES);
}

/* The name of a binary grows by its brackets. */
static void too_long_binaries_are_refused(void **state)
{
    struct context *context = *state;
    struct profile *profile = &context->made.profile;
    static char name[LIMIT_NAME_BYTES];
    uint32_t mapping_file = 1;
    struct slice strings[2] = {{0}};
    struct error err = {0};

    memset(name, 'n', sizeof(name));
    make(context, (struct handmade_sample[]){{.stack = "a"}}, 1);
    profile->strings = strings;
    profile->mapping_count = 1;
    profile->mapping_file = &mapping_file;
    profile->location_mapping[0] = 0;
    profile->location_line_first[0] = profile->location_line_first[1]; /* no lines */
    strings[1] = slice_make(name, LIMIT_NAME_BYTES - 2);
    intern(context);
    strings[1] = slice_make(name, LIMIT_NAME_BYTES - 1);
    assert_int_equal(
        intern_stacks(context->tree, &context->made.profile, context->arena, &err, context->nodes),
        STATUS_TOO_LARGE);
    assert_int_equal(err.limit, LIMIT_NAME_BYTES);
}

/* --- tagsets --------------------------------------------------------------------------------- */

static struct tagsets group(struct context *context, const struct handmade_sample *samples,
                            uint32_t count)
{
    struct tagsets tagsets;

    make(context, samples, count);
    assert_int_equal(tagset_group(&context->made.profile, context->arena, NULL, &tagsets),
                     STATUS_OK);
    return tagsets;
}

static void no_labels_no_tagsets(void **state)
{
    struct tagsets tagsets = group(*state, (struct handmade_sample[]){{.stack = "a"}}, 1);

    assert_null(tagsets.sample_tagset);
    assert_int_equal(tagsets.keys_left_out + tagsets.folded, 0);
}

static void equal_sets_are_one_in_any_order(void **state)
{
    struct tagsets tagsets =
        group(*state,
              (struct handmade_sample[]){{.stack = "a", .tags = "k=v;n=#5"},
                                         {.stack = "a", .tags = "n=#5;k=v"},
                                         {.stack = "a", .tags = "n=#5;n=#5;k=v"},
                                         {.stack = "a"},
                                         {.stack = "a", .tags = "k=5;n=v"},
                                         {.stack = "a", .tags = "n=#-5"}},
              6);
    const uint32_t *of = tagsets.sample_tagset;

    assert_int_equal(of[0], 2);
    assert_int_equal(of[1], 2);
    assert_int_equal(of[2], 2);
    assert_int_equal(of[3], TAGSET_NONE);
    assert_int_equal(of[4], 3);
    assert_int_equal(of[5], 4);
    assert_int_equal(tagsets.count, 5);
    assert_int_equal(tagsets.texts[2].size_bytes, 10);
    assert_memory_equal(tagsets.texts[2].data, "\1k\0\1v\1n\1\x0a\0", 10); /* and the empty unit */
    assert_int_equal(tagsets.texts[4].size_bytes, 5);
    assert_memory_equal(tagsets.texts[4].data, "\1n\1\x09\0", 5);
}

static void varied_and_long_keys_are_left_out(void **state)
{
    enum { COUNT = LIMIT_TAG_VALUES + 1 };
    static char tags[COUNT][LIMIT_LABEL_VALUE_BYTES + 64];
    struct handmade_sample samples[COUNT];
    struct tagsets tagsets;

    for (unsigned i = 0; i < COUNT; i++) {
        (void)snprintf(tags[i], sizeof(tags[i]), "few=%u;time=#%u;big=", i % LIMIT_TAG_VALUES, i);
        memset(tags[i] + strlen(tags[i]), 'b', LIMIT_LABEL_VALUE_BYTES + (i == 7));
        samples[i] = (struct handmade_sample){.stack = "a", .tags = tags[i]};
    }
    tagsets = group(*state, samples, COUNT);
    assert_int_equal(tagsets.keys_left_out, 2); /* time varies, big is too long once */
    assert_int_equal(tagsets.count, 2 + LIMIT_TAG_VALUES);
    assert_int_equal(tagsets.sample_tagset[COUNT - 1], tagsets.sample_tagset[0]);
}

static void keys_past_the_limit_are_left_out(void **state)
{
    static char tags[LIMIT_TAG_KEYS * 16 + 64];
    size_t at = 0;
    struct tagsets tagsets;

    for (unsigned i = 0; i < LIMIT_TAG_KEYS + 3; i++)
        at += (size_t)snprintf(tags + at, sizeof(tags) - at, "k%u=v;", i);
    tagsets = group(*state, (struct handmade_sample[]){{.stack = "a", .tags = tags}}, 1);
    assert_int_equal(tagsets.keys_left_out, 3);
    assert_int_equal(tagsets.count, 3);
}

/* --- entries --------------------------------------------------------------------------------- */

static void entries_are_sums_by_node_and_tagset(void **state)
{
    struct context *context = *state;
    const uint32_t tagsets[8] = {0, 2, 0, 2, 0, 0, 0, 2};
    const uint32_t nodes[8] = {70000, 5, 5, 5, 300, 70000, 300, 0};
    struct entries *entries = NULL;
    uint32_t count = 0;

    make(context,
         (struct handmade_sample[]){{"a", {1, 10}, NULL},
                                    {"a", {2, 20}, NULL},
                                    {"a", {3, -30}, NULL},
                                    {"a", {4, 40}, NULL},
                                    {"a", {5, 50}, NULL},
                                    {"a", {6, INT64_MAX - 10}, NULL},
                                    {"a", {-5, -50}, NULL},
                                    {"a", {0, 0}, NULL}},
         8);
    assert_int_equal(entries_collect(&context->made.profile, nodes, tagsets, 3, context->arena,
                                     NULL, &entries, &count),
                     STATUS_OK);
    assert_int_equal(count, 2);
    assert_int_equal(entries[0].tagset, 0);
    assert_int_equal(entries[0].entry_count, 2); /* 300 cancelled out */
    assert_int_equal(entries[0].nodes[0], 5);
    assert_int_equal(entries[0].values[0][0], 3);
    assert_int_equal(entries[0].values[1][0], -30);
    assert_int_equal(entries[0].nodes[1], 70000);
    assert_int_equal(entries[0].values[0][1], 7);
    assert_int_equal(entries[0].values[1][1], INT64_MAX);
    assert_int_equal(entries[1].tagset, 2);
    assert_int_equal(entries[1].entry_count, 1); /* node 0 has only zeros */
    assert_int_equal(entries[1].values[1][0], 60);
}

static void overflow_at_a_node_is_refused(void **state)
{
    struct context *context = *state;
    const uint32_t nodes[3] = {5, 5, 6};
    struct entries *entries = NULL;
    struct error err = {0};
    uint32_t count = 0;

    make(context,
         (struct handmade_sample[]){
             {"a", {1, INT64_MAX}, NULL}, {"a", {1, 1}, NULL}, {"a", {1, -9}, NULL}},
         3);
    assert_int_equal(entries_collect(&context->made.profile, nodes, NULL, 2, context->arena, &err,
                                     &entries, &count),
                     STATUS_VALUE_OVERFLOW);
    assert_int_equal(err.index, 1);
}

#define INTERN_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        INTERN_TEST(stacks_become_paths),
        INTERN_TEST(names_are_cleaned),
        INTERN_TEST(inlined_lines_are_frames),
        INTERN_TEST(binaries_stand_for_what_has_no_name),
        INTERN_TEST(too_long_names_are_refused),
        INTERN_TEST(too_long_binaries_are_refused),
        INTERN_TEST(no_labels_no_tagsets),
        INTERN_TEST(equal_sets_are_one_in_any_order),
        INTERN_TEST(varied_and_long_keys_are_left_out),
        INTERN_TEST(keys_past_the_limit_are_left_out),
        INTERN_TEST(entries_are_sums_by_node_and_tagset),
        INTERN_TEST(overflow_at_a_node_is_refused),
    };

    return cmocka_run_group_tests_name("intern", tests, NULL, NULL);
}

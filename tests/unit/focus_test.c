/* SPDX-License-Identifier: Apache-2.0 */
/* Focus against a reading of every stack by itself: what is below the outermost occurrence, what is
 * above it, and which of it survives a cut. */
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/limits.h"
#include "server/view/focus_callers.h"
#include "tests/unit/support/view_fixture.h"
#include "tests/unit/unit.h"

#define MAX_DEPTH 512

/* A tree of an answer with its names resolved. */
struct shown {
    const cJSON *json; /* the whole answer */
    const cJSON *nodes;
    int count;
};

static struct shown shown_of(const cJSON *json, const char *which)
{
    struct shown shown = {.json = json};

    shown.nodes =
        cJSON_GetObjectItem(which == NULL ? json : cJSON_GetObjectItem(json, which), "nodes");
    assert_non_null(shown.nodes);
    shown.count = cJSON_GetArraySize(cJSON_GetObjectItem(shown.nodes, "name"));
    return shown;
}

static int64_t shown_value(const struct shown *shown, const char *column, int row)
{
    return fixture_at(cJSON_GetObjectItem(shown->nodes, column), (uint32_t)row);
}

static bool shown_is(const struct shown *shown, int row, const struct tree *tree, uint32_t node)
{
    int64_t name = shown_value(shown, "name", row);
    int64_t file = shown_value(shown, "file", row);
    const cJSON *names = cJSON_GetObjectItem(shown->json, "names");
    const cJSON *files = cJSON_GetObjectItem(shown->json, "files");

    return name >= 0 &&
           slice_equal(slice_of(cJSON_GetArrayItem(names, (int)name)->valuestring),
                       tree_name(tree, node)) &&
           slice_equal(slice_of(cJSON_GetArrayItem(files, (int)file)->valuestring),
                       tree_file(tree, node));
}

/* The row reached from the root by these nodes' names, or -1. */
static int shown_row(const struct shown *shown, const struct tree *tree, const uint32_t *path,
                     uint32_t length)
{
    int row = 0;

    for (uint32_t i = 0; i < length; i++) {
        int64_t depth = shown_value(shown, "depth", row) + 1;
        for (row++; row < shown->count; row++) {
            int64_t at = shown_value(shown, "depth", row);
            if (at < depth)
                return -1;
            if (at == depth && shown_is(shown, row, tree, path[i]))
                break;
        }
        if (row == shown->count)
            return -1;
    }
    return row;
}

/* Takes `value` away from the self of the row at the end of the path: a sum that is right ends
 * at 0 everywhere. */
static void take(struct shown *shown, const struct tree *tree, const uint32_t *path,
                 uint32_t length, const char *column, int64_t value)
{
    int row = shown_row(shown, tree, path, length);

    assert_true(row >= 0);
    cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(shown->nodes, column), row);
    cJSON_SetNumberValue(item, (double)(fixture_integer(item) - value));
}

static void assert_all_taken(const struct shown *shown, const char *column)
{
    for (int row = 0; row < shown->count; row++)
        assert_true(shown_value(shown, column, row) == 0);
}

/* The frames of `node`'s stack from the root's child down; returns how many. */
static uint32_t stack_of(const struct tree *tree, uint32_t node, uint32_t *frames)
{
    uint32_t depth = 0;

    for (uint32_t at = node; at != CALLTREE_ROOT; at = tree->parents[at])
        depth++;
    assert_true(depth < MAX_DEPTH);
    for (uint32_t at = node, i = depth; at != CALLTREE_ROOT; at = tree->parents[at])
        frames[--i] = at;
    return depth;
}

/* Compares both trees of an uncut answer with every stack of the tree, on one side. */
static void assert_focus(const cJSON *json, const struct tree *tree, struct slice name,
                         const struct slice *file, uint32_t side)
{
    const char *self_column = side == 0 ? "self" : "base_self";
    struct shown callees = shown_of(json, "callees");
    struct shown callers = shown_of(json, "callers");
    int64_t self = 0;
    int64_t total = 0;
    uint32_t stacks = 0;

    for (uint32_t leaf = 1; leaf < tree->node_count; leaf++) {
        uint32_t frames[MAX_DEPTH], above[MAX_DEPTH];
        uint32_t depth = stack_of(tree, leaf, frames);
        int64_t value = tree->self[side][leaf];
        uint32_t at = 0;
        while (at < depth && !(slice_equal(tree_name(tree, frames[at]), name) &&
                               (file == NULL || slice_equal(tree_file(tree, frames[at]), *file))))
            at++;
        if (value == 0 || at == depth)
            continue;
        total += value;
        stacks++;
        if (slice_equal(tree_name(tree, leaf), name) &&
            (file == NULL || slice_equal(tree_file(tree, leaf), *file)))
            self += value;
        for (uint32_t i = 0; i < at; i++)
            above[i] = frames[at - 1 - i];
        take(&callees, tree, frames + at + 1, depth - at - 1, self_column, value);
        take(&callers, tree, above, at, self_column, value);
    }
    assert_all_taken(&callees, self_column);
    assert_all_taken(&callers, self_column);
    const cJSON *function = cJSON_GetObjectItem(json, "function");
    const char *const keys[] = {"self",      "total",      "stacks",
                                "base_self", "base_total", "base_stacks"};
    assert_true(fixture_integer(cJSON_GetObjectItem(function, keys[3 * side])) == self);
    assert_true(fixture_integer(cJSON_GetObjectItem(function, keys[3 * side + 1])) == total);
    assert_true(fixture_integer(cJSON_GetObjectItem(function, keys[3 * side + 2])) == stacks);
}

/* total = self + the children's totals, in every row of a tree as it was sent. */
static void assert_adds_up(const cJSON *json, const char *which, const char *self_column,
                           const char *total_column)
{
    struct shown shown = shown_of(json, which);

    for (int row = 0; row < shown.count; row++) {
        int64_t depth = shown_value(&shown, "depth", row);
        int64_t sum = shown_value(&shown, self_column, row);
        for (int below = row + 1;
             below < shown.count && shown_value(&shown, "depth", below) > depth; below++) {
            if (shown_value(&shown, "depth", below) == depth + 1)
                sum += shown_value(&shown, total_column, below);
        }
        assert_true(sum == shown_value(&shown, total_column, row));
    }
}

static void assert_sums(const cJSON *json, uint32_t sides)
{
    assert_adds_up(json, "callees", "self", "total");
    assert_adds_up(json, "callers", "self", "total");
    if (sides == 2) {
        assert_adds_up(json, "callees", "base_self", "base_total");
        assert_adds_up(json, "callers", "base_self", "base_total");
    }
}

static void random_trees(void **state)
{
    uint64_t random = 11;

    (void)state;
    for (uint32_t round = 0; round < 60; round++) {
        struct fixture fixture;
        char query[128];
        fixture_init(&fixture, 256);
        fixture_random(&fixture, 20 + (uint32_t)(unit_random(&random) % 80),
                       2 + (uint32_t)(unit_random(&random) % 8), 1 + (int64_t)(round % 9), false,
                       &random);
        fixture.side_count = 1 + round % 2;
        struct tree tree = fixture_tree(&fixture);
        uint32_t node = 1 + (uint32_t)(unit_random(&random) % (tree.node_count - 1));
        struct slice name = tree_name(&tree, node);
        struct slice file = tree_file(&tree, node);
        bool of_file = round % 3 == 0;
        (void)snprintf(query, sizeof(query), "service=s&function=%.*s%s%.*s%s&min_fraction=0",
                       (int)name.size_bytes, name.data, of_file ? "&file=" : "",
                       of_file ? (int)file.size_bytes : 0, file.data,
                       round % 2 == 0 ? "" : "&base_version=1");
        if (tree_live(&tree, node)) {
            cJSON *json = fixture_ask(&fixture, focus_view, query);
            assert_sums(json, tree.side_count);
            for (uint32_t side = 0; side < tree.side_count; side++)
                assert_focus(json, &tree, name, of_file ? &file : NULL, side);
            cJSON_Delete(json);
        }
        fixture_free(&fixture);
    }
}

/* A cut answer shows the numbers of the uncut one, only fewer of them. */
static void a_cut_changes_no_number(void **state)
{
    uint64_t random = 13;

    (void)state;
    for (uint32_t round = 0; round < 40; round++) {
        struct fixture fixture;
        fixture_init(&fixture, 512);
        fixture_random(&fixture, 300, 8, 9, false, &random);
        cJSON *whole = fixture_ask(&fixture, focus_view,
                                   "service=s&function=f1&min_fraction=0&base_version=1");
        cJSON *part =
            fixture_ask(&fixture, focus_view,
                        round % 2 == 0 ? "service=s&function=f1&min_fraction=1/20&base_version=1"
                                       : "service=s&function=f1&max_nodes=12&base_version=1");
        assert_sums(part, 2);
        static const char *const trees[] = {"callees", "callers"};
        for (uint32_t which = 0; which < 2; which++) {
            struct shown all = shown_of(whole, trees[which]);
            struct shown some = shown_of(part, trees[which]);
            int at = 0; /* kept rows come in the order they have in the whole */
            for (int row = 0; row < some.count; row++) {
                if (shown_value(&some, "name", row) < 0)
                    continue;
                while (
                    at < all.count &&
                    (shown_value(&all, "total", at) != shown_value(&some, "total", row) ||
                     shown_value(&all, "base_total", at) != shown_value(&some, "base_total", row) ||
                     shown_value(&all, "depth", at) != shown_value(&some, "depth", row)))
                    at++;
                assert_true(at < all.count);
                at++;
            }
        }
        cJSON_Delete(whole);
        cJSON_Delete(part);
        fixture_free(&fixture);
    }
}

static void the_example_of_the_contract(void **state)
{
    struct fixture fixture;

    (void)state;
    fixture_init(&fixture, 64);
    fixture.self[0][fixture_path(&fixture, "main;walk;walk;walk;visit")] = 5;
    fixture.self[0][fixture_path(&fixture, "main;walk;walk")] = 3;
    cJSON *json = fixture_ask(&fixture, focus_view, "service=s&function=walk");
    struct shown callees = shown_of(json, "callees");
    struct shown callers = shown_of(json, "callers");
    assert_int_equal(callees.count, 4);
    assert_int_equal(shown_value(&callees, "total", 0), 8);
    assert_int_equal(callers.count, 2);
    assert_int_equal(shown_value(&callers, "total", 1), 8);
    assert_int_equal(shown_value(&callers, "self", 1), 8);
    assert_int_equal(shown_value(&callers, "self", 0), 0);
    const cJSON *function = cJSON_GetObjectItem(json, "function");
    assert_int_equal(fixture_integer(cJSON_GetObjectItem(function, "self")), 3);
    assert_int_equal(fixture_integer(cJSON_GetObjectItem(function, "total")), 8);
    assert_int_equal(fixture_integer(cJSON_GetObjectItem(function, "stacks")), 2);
    cJSON_Delete(json);
    fixture_free(&fixture);
}

static void a_name_means_all_its_files(void **state)
{
    struct fixture fixture;

    (void)state;
    fixture_init(&fixture, 64);
    fixture.self[0][fixture_path(&fixture, "main;f@a.c;f@b.c;g")] = 5;
    fixture.self[0][fixture_path(&fixture, "main;f@b.c;h")] = 2;
    cJSON *json = fixture_ask(&fixture, focus_view, "service=s&function=f");
    const cJSON *function = cJSON_GetObjectItem(json, "function");
    assert_int_equal(fixture_integer(cJSON_GetObjectItem(function, "total")), 7);
    assert_string_equal(cJSON_GetObjectItem(function, "file")->valuestring, "");
    cJSON_Delete(json);
    json = fixture_ask(&fixture, focus_view, "service=s&function=f&file=b.c");
    function = cJSON_GetObjectItem(json, "function");
    assert_int_equal(fixture_integer(cJSON_GetObjectItem(function, "total")), 7);
    assert_string_equal(cJSON_GetObjectItem(function, "file")->valuestring, "b.c");
    cJSON_Delete(json);
    json = fixture_ask(&fixture, focus_view, "service=s&function=main");
    function = cJSON_GetObjectItem(json, "function");
    assert_int_equal(fixture_integer(cJSON_GetObjectItem(function, "total")), 7);
    assert_int_equal(shown_of(json, "callers").count, 1);
    cJSON_Delete(json);
    fixture_free(&fixture);
}

/* A chain of 3,000 functions, each of which calls f: inverted, 4.5 million nodes. What there is no
 * room for becomes rests, and every sum stays what it was. */
static void callers_past_the_limit_are_rests(void **state)
{
    enum { DEPTH = 3000 };
    struct fixture fixture;
    struct preorder order;
    struct focus_target target;
    struct tree callers;
    uint32_t chain = CALLTREE_ROOT;
    uint32_t function;
    uint32_t rests = 0;
    char name[32];

    (void)state;
    fixture_init(&fixture, 2 * DEPTH + 1);
    for (uint32_t depth = 1; depth <= DEPTH; depth++) {
        uint32_t leaf;
        (void)snprintf(name, sizeof(name), "c%u", depth);
        assert_status(
            calltree_function(fixture.tree, slice_of(name), slice_of(""), &fixture.err, &function),
            STATUS_OK);
        assert_status(calltree_child(fixture.tree, chain, function, &fixture.err, &chain),
                      STATUS_OK);
        assert_status(
            calltree_function(fixture.tree, slice_of("f"), slice_of(""), &fixture.err, &function),
            STATUS_OK);
        assert_status(calltree_child(fixture.tree, chain, function, &fixture.err, &leaf),
                      STATUS_OK);
        fixture.self[0][leaf] = depth;
    }
    struct tree tree = fixture_tree(&fixture);
    assert_status(preorder_of_tree(&tree, fixture.arena, &fixture.err, &order), STATUS_OK);
    assert_status(
        focus_target_find(&tree, &order, slice_of("f"), NULL, fixture.arena, &fixture.err, &target),
        STATUS_OK);
    assert_status(focus_callers(&target, (struct query_fraction){0, 1}, fixture.arena, &fixture.err,
                                &callers),
                  STATUS_OK);
    assert_true(callers.node_count <= LIMIT_FOCUS_NODES + DEPTH);
    assert_true(callers.total[0][CALLTREE_ROOT] == target.total[0]);
    for (uint32_t node = 1; node < callers.node_count; node++) {
        rests += callers.functions[node] == TREE_REST;
        if (callers.parents[node] == CALLTREE_ROOT) { /* c7 calls f 7 times */
            struct slice caller = tree_name(&callers, node);
            (void)snprintf(name, sizeof(name), "c%d", (int)callers.total[0][node]);
            assert_slice_equal(caller, slice_of(name));
        }
        assert_true(callers.total[0][node] == (int64_t)callers.weight[0][node]);
    }
    assert_in_range(rests, 1, DEPTH);
    /* Where a fraction is asked for, light callers are not even walked past. */
    assert_status(focus_callers(&target, (struct query_fraction){1, 1000}, fixture.arena,
                                &fixture.err, &callers),
                  STATUS_OK);
    assert_true(callers.node_count == DEPTH + 1);
    fixture_free(&fixture);
}

static void refusals(void **state)
{
    struct fixture fixture;

    (void)state;
    fixture_init(&fixture, 64);
    fixture.self[0][fixture_path(&fixture, "main@m.c;f@a.c")] = 5;
    (void)fixture_path(&fixture, "never");
    assert_status(fixture_refuse(&fixture, focus_view, "service=s"), STATUS_BAD_PARAMETER);
    assert_status(fixture_refuse(&fixture, focus_view, "service=s&function=f&root=0"),
                  STATUS_BAD_PARAMETER);
    assert_status(fixture_refuse(&fixture, focus_view, "service=s&function=f&tag=a:b"),
                  STATUS_BAD_PARAMETER);
    assert_status(fixture_refuse(&fixture, focus_view, "service=s&function=x"), STATUS_NOT_FOUND);
    assert_status(fixture_refuse(&fixture, focus_view, "service=s&function=all"), STATUS_NOT_FOUND);
    assert_status(fixture_refuse(&fixture, focus_view, "service=s&function=never"),
                  STATUS_NOT_FOUND);
    assert_status(fixture_refuse(&fixture, focus_view, "service=s&function=f&file="),
                  STATUS_NOT_FOUND);
    fixture_free(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees),
        cmocka_unit_test(a_cut_changes_no_number),
        cmocka_unit_test(the_example_of_the_contract),
        cmocka_unit_test(a_name_means_all_its_files),
        cmocka_unit_test(callers_past_the_limit_are_rests),
        cmocka_unit_test(refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

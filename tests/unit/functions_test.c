/* SPDX-License-Identifier: Apache-2.0 */
/* The function list against a reading of every stack by itself, and its page parameters. */
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/limits.h"
#include "tests/unit/support/view_fixture.h"
#include "tests/unit/unit.h"

struct expected {
    int64_t self, total;
    uint32_t stacks;
};

/* Each node with a value is one stack: walks it from leaf to root, counting a function once. */
static struct expected *count_stacks(const struct tree *tree, uint32_t side)
{
    struct expected *rows = calloc(tree->function_count, sizeof(*rows));
    bool *seen = calloc(tree->function_count, sizeof(*seen));

    assert_true(rows != NULL && seen != NULL);
    for (uint32_t leaf = 1; leaf < tree->node_count; leaf++) {
        int64_t value = tree->self[side][leaf];
        if (value == 0)
            continue;
        rows[tree->functions[leaf]].self += value;
        memset(seen, 0, tree->function_count * sizeof(*seen));
        for (uint32_t node = leaf; node != CALLTREE_ROOT; node = tree->parents[node]) {
            uint32_t function = tree->functions[node];
            if (!seen[function]) {
                rows[function].total += value;
                rows[function].stacks++;
            }
            seen[function] = true;
        }
    }
    free(seen);
    return rows;
}

static const cJSON *row_of(const cJSON *rows, struct slice name, struct slice file)
{
    const cJSON *row;

    cJSON_ArrayForEach(row, rows)
    {
        if (slice_equal(slice_of(cJSON_GetObjectItem(row, "name")->valuestring), name) &&
            slice_equal(slice_of(cJSON_GetObjectItem(row, "file")->valuestring), file))
            return row;
    }
    return NULL;
}

static void assert_row(const cJSON *row, const char *prefix, struct expected expected)
{
    static const char *const fields[] = {"self", "total", "stacks"};
    int64_t values[] = {expected.self, expected.total, expected.stacks};

    for (size_t i = 0; i < 3; i++) {
        char key[20];
        (void)snprintf(key, sizeof(key), "%s%s", prefix, fields[i]);
        assert_true(fixture_integer(cJSON_GetObjectItem(row, key)) == values[i]);
    }
}

static void assert_list(struct fixture *fixture, const cJSON *json)
{
    const cJSON *rows = cJSON_GetObjectItem(json, "functions");
    struct tree tree = fixture_tree(fixture);
    struct expected *sides[2] = {NULL, NULL};
    uint32_t listed = 0;

    for (uint32_t side = 0; side < tree.side_count; side++)
        sides[side] = count_stacks(&tree, side);
    for (uint32_t function = 0; function < tree.function_count; function++) {
        const cJSON *row = row_of(rows, calltree_name(tree.calltree, function),
                                  calltree_file(tree.calltree, function));
        bool live = sides[0][function].stacks > 0 ||
                    (tree.side_count == 2 && sides[1][function].stacks > 0);
        assert_int_equal(row != NULL, live);
        listed += live;
        if (!live)
            continue;
        assert_row(row, "", sides[0][function]);
        if (tree.side_count == 2)
            assert_row(row, "base_", sides[1][function]);
        else
            assert_null(cJSON_GetObjectItem(row, "base_total"));
    }
    assert_int_equal(cJSON_GetArraySize(rows), listed);
    assert_int_equal(fixture_integer(cJSON_GetObjectItem(json, "count")), listed);
    free(sides[0]);
    free(sides[1]);
}

static void random_trees(void **state)
{
    uint64_t random = 5;

    (void)state;
    for (uint32_t round = 0; round < 60; round++) {
        struct fixture fixture;
        fixture_init(&fixture, 512);
        fixture_random(&fixture, 1 + (uint32_t)(unit_random(&random) % 300),
                       2 + (uint32_t)(unit_random(&random) % 12), 1 + (int64_t)(round % 9),
                       round % 3 == 0, &random);
        cJSON *json = fixture_ask(&fixture, functions_view,
                                  round % 2 == 0 ? "service=s&limit=1000000"
                                                 : "service=s&base_version=1&limit=1000000");
        assert_list(&fixture, json);
        cJSON_Delete(json);
        fixture_free(&fixture);
    }
}

static void a_recursion_counts_once(void **state)
{
    struct fixture fixture;

    (void)state;
    fixture_init(&fixture, 64);
    fixture.self[0][fixture_path(&fixture, "main;walk;walk;walk;visit")] = 5;
    fixture.self[0][fixture_path(&fixture, "main;walk;walk")] = 3;
    fixture.self[0][fixture_path(&fixture, "main;even;odd;even;odd")] = 4;
    fixture.self[0][fixture_path(&fixture, "main")] = 1;
    fixture.self[0][CALLTREE_ROOT] = 100; /* belongs to no function */
    cJSON *json = fixture_ask(&fixture, functions_view, "service=s");
    const cJSON *rows = cJSON_GetObjectItem(json, "functions");
    assert_row(row_of(rows, slice_of("walk"), slice_of("")), "", (struct expected){3, 8, 2});
    assert_row(row_of(rows, slice_of("odd"), slice_of("")), "", (struct expected){4, 4, 1});
    assert_row(row_of(rows, slice_of("main"), slice_of("")), "", (struct expected){1, 13, 4});
    assert_list(&fixture, json);
    cJSON_Delete(json);
    fixture_free(&fixture);
}

/* Three functions with sums that differ in every order; the base side turns them around. */
static void make_page(struct fixture *fixture)
{
    fixture_init(fixture, 64);
    fixture->self[0][fixture_path(fixture, "b@x.c")] = 10;
    fixture->self[0][fixture_path(fixture, "b@x.c;a@y.c")] = 20;
    fixture->self[0][fixture_path(fixture, "c@x.c")] = 25;
    fixture->self[1][fixture_path(fixture, "b@x.c")] = 80;
    fixture->self[1][fixture_path(fixture, "d@gone.c")] = 30;
}

static void assert_names(struct fixture *fixture, const char *query, const char *expected)
{
    cJSON *json = fixture_ask(fixture, functions_view, query);
    const cJSON *row;
    char names[64] = "";

    cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "functions"))
    {
        size_t used = strlen(names);
        (void)snprintf(names + used, sizeof(names) - used, "%s",
                       cJSON_GetObjectItem(row, "name")->valuestring);
    }
    if (strcmp(names, expected) != 0)
        fail_msg("%s: %s, expected %s", query, names, expected);
    cJSON_Delete(json);
}

static void sorting(void **state)
{
    struct fixture fixture;

    (void)state;
    make_page(&fixture);
    assert_names(&fixture, "service=s", "bca");
    assert_names(&fixture, "service=s&sort=total&order=asc", "acb");
    assert_names(&fixture, "service=s&sort=self", "cab");
    assert_names(&fixture, "service=s&sort=name", "abc");
    assert_names(&fixture, "service=s&sort=name&order=desc", "cba");
    assert_names(&fixture, "service=s&base_version=1", "bdca");
    assert_names(&fixture, "service=s&base_version=1&sort=self", "bdca");
    /* One profile each: -50 for b, +20 for a, +25 for c, -30 for d. */
    assert_names(&fixture, "service=s&base_version=1&sort=delta", "cadb");
    assert_names(&fixture, "service=s&base_version=1&sort=delta&order=asc", "bdac");
    /* Ten profiles in the base: b 30 against 8, d 0 against 3. */
    fixture.profiles[1] = 10;
    assert_names(&fixture, "service=s&base_version=1", "bcad");
    assert_names(&fixture, "service=s&base_version=1&sort=delta", "cbad");
    fixture.profiles[1] = 0;
    fixture_free(&fixture);
}

static void pages_and_filters(void **state)
{
    struct fixture fixture;

    (void)state;
    make_page(&fixture);
    assert_names(&fixture, "service=s&limit=2", "bc");
    assert_names(&fixture, "service=s&limit=2&offset=1", "ca");
    assert_names(&fixture, "service=s&offset=3", "");
    assert_names(&fixture, "service=s&offset=4294967295&limit=1000000", "");
    assert_names(&fixture, "service=s&q=x.c", "bc");
    assert_names(&fixture, "service=s&q=a", "a");
    assert_names(&fixture, "service=s&q=A", "");
    assert_names(&fixture, "service=s&q=", "bca");
    cJSON *json = fixture_ask(&fixture, functions_view, "service=s&q=x.c&limit=1");
    assert_int_equal(fixture_integer(cJSON_GetObjectItem(json, "count")), 2);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "functions")), 1);
    cJSON_Delete(json);
    fixture_free(&fixture);
}

static void refusals(void **state)
{
    static const char *const bad[] = {
        "service=s&sort=delta",    "service=s&sort=age",   "service=s&limit=0",
        "service=s&limit=1000001", "service=s&offset=-1",  "service=s&order=up",
        "service=s&root=00",       "service=s&function=a", "sort=self",
        "service=s&hide_frames=x", "service=s&cursor=1",
    };
    struct fixture fixture;

    (void)state;
    make_page(&fixture);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_status(fixture_refuse(&fixture, functions_view, bad[i]), STATUS_BAD_PARAMETER);
    assert_status(fixture_refuse(&fixture, functions_view, "service=nobody"), STATUS_NOT_FOUND);
    fixture_free(&fixture);
}

static void extreme_values(void **state)
{
    struct fixture fixture;

    (void)state;
    fixture_init(&fixture, 64); /* partial sums of f overflow, its total does not */
    fixture.self[0][fixture_path(&fixture, "a;f")] = INT64_MAX;
    fixture.self[0][fixture_path(&fixture, "b;f")] = INT64_MAX;
    fixture.self[0][fixture_path(&fixture, "c;f")] = INT64_MIN;
    fixture.self[0][fixture_path(&fixture, "d;f")] = INT64_MIN;
    fixture.self[0][fixture_path(&fixture, "e")] = INT64_MIN;
    fixture.self[0][fixture_path(&fixture, "g")] = INT64_MAX;
    cJSON *json = fixture_ask(&fixture, functions_view, "service=s&sort=self");
    const cJSON *rows = cJSON_GetObjectItem(json, "functions");
    assert_row(row_of(rows, slice_of("f"), slice_of("")), "", (struct expected){-2, -2, 4});
    assert_string_equal(
        cJSON_GetObjectItem(row_of(rows, slice_of("e"), slice_of("")), "self")->valuestring,
        "-9223372036854775808");
    cJSON_Delete(json);
    fixture_free(&fixture);

    fixture_init(&fixture, 64); /* the tree's totals all fit, the function's does not */
    fixture.self[0][fixture_path(&fixture, "a;f")] = INT64_MAX;
    fixture.self[0][fixture_path(&fixture, "b;f")] = INT64_MAX;
    fixture.self[0][CALLTREE_ROOT] = INT64_MIN;
    assert_status(fixture_refuse(&fixture, functions_view, "service=s"), STATUS_VALUE_OVERFLOW);
    fixture_free(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees), cmocka_unit_test(a_recursion_counts_once),
        cmocka_unit_test(sorting),      cmocka_unit_test(pages_and_filters),
        cmocka_unit_test(refusals),     cmocka_unit_test(extreme_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

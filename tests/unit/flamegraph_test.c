/* SPDX-License-Identifier: Apache-2.0 */
/* The flame graph as JSON: its shape, its names, zooming by hash, both sides, and large trees. */
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/base/timestamp.h"
#include "server/view/path.h"
#include "tests/unit/support/view_fixture.h"
#include "tests/unit/unit.h"

static struct fixture fixture;

static int set_up(void **state)
{
    (void)state;
    fixture_init(&fixture, FIXTURE_NODES);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_free(&fixture);
    return 0;
}

static void assert_member(const cJSON *json, const char *key, const char *expected)
{
    char *text = cJSON_PrintUnformatted(cJSON_GetObjectItem(json, key));

    if (text == NULL || strcmp(text, expected) != 0)
        fail_msg("%s is %s, expected %s", key, text == NULL ? "absent" : text, expected);
    cJSON_free(text);
}

static void assert_column(const cJSON *json, const char *column, const char *expected)
{
    assert_member(cJSON_GetObjectItem(json, "nodes"), column, expected);
}

/* main 10 { b 6 { x 2 }, a 4 }, z 10 */
static void make_small(void)
{
    fixture.self[0][fixture_path(&fixture, "main@m.c;a@m.c")] = 4;
    fixture.self[0][fixture_path(&fixture, "main@m.c;b@n.c")] = 4;
    fixture.self[0][fixture_path(&fixture, "main@m.c;b@n.c;x")] = 2;
    fixture.self[0][fixture_path(&fixture, "z@m.c")] = 10;
    (void)fixture_path(&fixture, "main@m.c;unused");
}

static void one_side(void **state)
{
    (void)state;
    make_small();
    cJSON *json = fixture_ask(&fixture, flamegraph_view, "service=s&min_fraction=0");
    assert_member(json, "names", "[\"all\",\"main\",\"b\",\"x\",\"a\",\"z\"]");
    assert_member(json, "files", "[\"\",\"m.c\",\"n.c\"]");
    assert_column(json, "name", "[0,1,2,3,4,5]");
    assert_column(json, "file", "[0,1,2,0,1,1]");
    assert_column(json, "depth", "[0,1,2,3,2,1]");
    assert_column(json, "self", "[0,0,4,2,4,10]");
    assert_column(json, "total", "[20,10,6,2,4,10]");
    assert_member(json, "truncated", "{\"nodes\":0,\"total\":0}");
    assert_member(json, "metric", "\"samples\"");
    assert_member(json, "unit", "\"count\"");
    assert_member(json, "kind", "\"counter\"");
    assert_member(json, "sides",
                  "[{\"version\":[],\"profiles\":1,\"duration_ns\":0,\"without_duration\":0,"
                  "\"work\":null,\"work_unit\":null,\"without_work\":0,"
                  "\"from\":\"1970-01-01T00:00:00.000000000Z\","
                  "\"until\":\"1970-01-01T00:00:00.000000001Z\",\"total\":20,"
                  "\"unfiltered_total\":20}]");
    assert_null(cJSON_GetObjectItem(cJSON_GetObjectItem(json, "nodes"), "base_total"));
    cJSON_Delete(json);
}

static void what_is_cut_is_one_row(void **state)
{
    (void)state;
    make_small();
    cJSON *json = fixture_ask(&fixture, flamegraph_view, "service=s&min_fraction=1/4");
    assert_column(json, "name", "[0,1,2,-1,-1,3]");
    assert_column(json, "file", "[0,1,2,0,0,1]");
    assert_column(json, "depth", "[0,1,2,3,2,1]");
    assert_column(json, "self", "[0,0,4,2,4,10]");
    assert_column(json, "total", "[20,10,6,2,4,10]");
    assert_member(json, "truncated", "{\"nodes\":2,\"total\":6}");
    cJSON_Delete(json);
    json = fixture_ask(&fixture, flamegraph_view, "service=s&max_nodes=1");
    assert_column(json, "name", "[0,-1]");
    assert_column(json, "total", "[20,20]");
    assert_member(json, "truncated", "{\"nodes\":5,\"total\":20}");
    cJSON_Delete(json);
}

static void two_sides(void **state)
{
    (void)state;
    make_small();
    fixture.self[1][fixture_path(&fixture, "z@m.c")] = 3;
    fixture.self[1][fixture_path(&fixture, "gone")] = 90;
    fixture.profiles[1] = 10;
    cJSON *json =
        fixture_ask(&fixture, flamegraph_view, "service=s&version=4&base_version=3&min_fraction=0");
    /* Per profile: main 10, z 10 against 0.3, gone 9. */
    assert_member(json, "names", "[\"all\",\"main\",\"b\",\"x\",\"a\",\"z\",\"gone\"]");
    assert_column(json, "total", "[20,10,6,2,4,10,0]");
    assert_column(json, "base_total", "[93,0,0,0,0,3,90]");
    assert_column(json, "base_self", "[0,0,0,0,0,3,90]");
    assert_member(json, "truncated", "{\"nodes\":0,\"total\":0,\"base_total\":0}");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "sides")), 2);
    cJSON_Delete(json);
    /* A node that is large on either side stays; x, a and b are below both halves. */
    json = fixture_ask(&fixture, flamegraph_view, "service=s&base_version=3&min_fraction=1/2");
    assert_column(json, "name", "[0,1,-1,2,3]");
    assert_member(json, "truncated", "{\"nodes\":3,\"total\":10,\"base_total\":0}");
    cJSON_Delete(json);
}

static void path_text(struct path path, char text[64])
{
    (void)snprintf(text, 64, "service=s&min_fraction=0&root=%08x%08x", path.first, path.second);
}

static void zooming(void **state)
{
    char query[64];
    struct path path = path_extend(path_root(), slice_of("main"), slice_of("m.c"));

    (void)state;
    make_small();
    path_text(path, query);
    cJSON *json = fixture_ask(&fixture, flamegraph_view, query);
    assert_member(json, "names", "[\"main\",\"b\",\"x\",\"a\"]");
    assert_column(json, "depth", "[0,1,2,1]");
    assert_column(json, "total", "[10,6,2,4]");
    cJSON_Delete(json);
    path_text(path_extend(path, slice_of("b"), slice_of("n.c")), query);
    json = fixture_ask(&fixture, flamegraph_view, query);
    assert_member(json, "names", "[\"b\",\"x\"]");
    assert_column(json, "total", "[6,2]");
    cJSON_Delete(json);
    path_text(path_root(), query);
    json = fixture_ask(&fixture, flamegraph_view, query);
    assert_column(json, "total", "[20,10,6,2,4,10]");
    cJSON_Delete(json);
    path_text(path_extend(path, slice_of("unused"), slice_of("")), query);
    assert_status(fixture_refuse(&fixture, flamegraph_view, query), STATUS_NOT_FOUND);
    path_text(path_extend(path, slice_of("b"), slice_of("m.c")), query);
    assert_status(fixture_refuse(&fixture, flamegraph_view, query), STATUS_NOT_FOUND);
    assert_status(fixture_refuse(&fixture, flamegraph_view, "service=s&root=123"),
                  STATUS_BAD_PARAMETER);
}

/* The bytes `main NUL m.c NUL`, hashed by another program. */
static void hashes_are_fnv(void **state)
{
    struct path path = path_extend(path_root(), slice_of("main"), slice_of("m.c"));

    (void)state;
    assert_int_equal(path.first, 0x1fc98df0u);
    assert_int_equal(path.second, 0x38e2811fu);
    /* 0xe40c292c is the published FNV-1a of "a". */
    path = path_extend(path_root(), slice_of("a"), slice_of(""));
    assert_int_equal(path.first, (uint32_t)(0xe40c292cu * 16777619u * 16777619u));
}

static void hostile_names_stay_json(void **state)
{
    (void)state;
    fixture.self[0][fixture_path(&fixture, "</script>\"\\\n\x7f\xe2\x80\xa8@\x01")] = 1;
    cJSON *json = fixture_ask(&fixture, flamegraph_view, "service=s");
    const cJSON *name = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "names"), 1);
    assert_string_equal(name->valuestring, "</script>\"\\\n\x7f\xe2\x80\xa8");
    cJSON_Delete(json);
}

static void refusals(void **state)
{
    static const char *const bad[] = {
        "service=s&min_fraction=2", "service=s&min_fraction=1/0",
        "service=s&max_nodes=0",    "service=s&max_nodes=x",
        "service=s&root=zz",        "service=s&max_nodes=10000001",
        "service=s&limit=1",        "min_fraction=0",
        "service=s&show_stacks=a",  "service=s&min_fraction=-0",
        "service=s&base_weight=5",  "service=s&function=f",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_status(fixture_refuse(&fixture, flamegraph_view, bad[i]), STATUS_BAD_PARAMETER);
    assert_status(fixture_refuse(&fixture, flamegraph_view, "service=nobody"), STATUS_NOT_FOUND);
}

static void the_store_is_asked_for_both_sides(void **state)
{
    (void)state;
    cJSON *json = fixture_ask(&fixture, flamegraph_view,
                              "service=s&type=cpu&version=4&base_version=3&base_version=2");
    assert_int_equal(fixture.asked_count, 2);
    assert_slice_equal(fixture.asked[0].versions[0], slice_of("4"));
    assert_int_equal(fixture.asked[1].version_count, 2);
    assert_slice_equal(fixture.asked[1].type, slice_of("cpu"));
    cJSON_Delete(json);
}

/* A view's time in ms over a tree of the fixture's. */
static double time_view(view_function *view, const char *text, size_t *ret_bytes)
{
    struct query query = fixture_query(&fixture, text);
    CLEANUP(buf_cleanup) struct buf out;
    int64_t started_ns = timestamp_monotonic_ns();

    buf_init(&out, LIMIT_ANSWER_BYTES);
    enum status status = view(&fixture.store, &query, fixture.arena, 0, &fixture.err, &out);
    if (status != STATUS_OK)
        print_error("%s: %s\n", text, fixture.err.text);
    assert_status(status, STATUS_OK);
    *ret_bytes = out.size_bytes;
    return (double)(timestamp_monotonic_ns() - started_ns) / 1e6;
}

static void measure(const char *what)
{
    static const struct {
        const char *name;
        view_function *view;
        const char *query;
    } views[] = {
        {"flamegraph", flamegraph_view, "service=s"},
        {"flamegraph, whole", flamegraph_view, "service=s&min_fraction=0&max_nodes=10000000"},
        {"flamegraph, 65536 nodes", flamegraph_view, "service=s&min_fraction=0"},
        {"flamegraph, 2 sides", flamegraph_view, "service=s&base_version=1"},
        {"whole, 2 sides", flamegraph_view,
         "service=s&base_version=1&min_fraction=0&max_nodes=10000000"},
        {"functions", functions_view, "service=s"},
        {"focus", focus_view, "service=s&function=f1"},
        {"focus, whole, 2 sides", focus_view,
         "service=s&base_version=1&function=f1&min_fraction=0&max_nodes=10000000"},
    };

    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
        size_t bytes = 0;
        arena_reset(fixture.arena);
        double ms = time_view(views[i].view, views[i].query, &bytes);
        print_message("%s, %s: %.2f ms, %zu KB, arena %zu MB\n", what, views[i].name, ms,
                      bytes / 1000, arena_used_bytes(fixture.arena) / 1000000);
    }
}

static uint32_t add_function(const char *name)
{
    uint32_t function;

    assert_status(calltree_function(fixture.tree, slice_of(name), slice_of("file.c"), &fixture.err,
                                    &function),
                  STATUS_OK);
    return function;
}

static uint32_t add_child(uint32_t parent, uint32_t function)
{
    uint32_t node;

    assert_status(calltree_child(fixture.tree, parent, function, &fixture.err, &node), STATUS_OK);
    fixture.self[0][node] = 1 + node % 3;
    fixture.self[1][node] = node % 5;
    return node;
}

static void restart(uint32_t capacity)
{
    fixture_free(&fixture);
    fixture_init(&fixture, capacity);
}

/* 20,000 frames deep, the function f1 being called from each of 2,000 levels of a recursion. */
static void a_deep_tree(void **state)
{
    uint32_t node = CALLTREE_ROOT;

    (void)state;
    restart(40000);
    for (uint32_t depth = 0; depth < 20000; depth++) {
        node = add_child(node, add_function(depth % 2 == 0 ? "walk" : "step"));
        if (depth % 10 == 0)
            (void)add_child(node, add_function("f1"));
    }
    measure("20,000 deep");
    cJSON *json = fixture_ask(&fixture, flamegraph_view, "service=s&min_fraction=0");
    const cJSON *depths = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "nodes"), "depth");
    const cJSON *depth;
    double deepest = 0;
    cJSON_ArrayForEach(depth, depths)
    {
        if (depth->valuedouble > deepest)
            deepest = depth->valuedouble;
    }
    assert_true(deepest == 20000);
    cJSON_Delete(json);
}

/* A small upload can hold a deep recursion of a function with a very long name; its nodes have no
 * path that could be worked out in time. */
static void zoom_into_long_names_is_refused(void **state)
{
    const size_t name_bytes = 4 * LIMIT_MIB;
    char *name = malloc(name_bytes);
    uint32_t function = 0;
    uint32_t node = CALLTREE_ROOT;
    char query[64];

    (void)state;
    assert_non_null(name);
    memset(name, 'n', name_bytes);
    assert_status(calltree_function(fixture.tree, slice_make(name, name_bytes), slice_make("", 0),
                                    &fixture.err, &function),
                  STATUS_OK);
    free(name);
    for (uint64_t left = LIMIT_PATH_BYTES / name_bytes + 1; left > 0; left--)
        assert_status(calltree_child(fixture.tree, node, function, &fixture.err, &node), STATUS_OK);
    fixture.self[0][node] = 1;
    path_text((struct path){1, 2}, query);
    assert_status(fixture_refuse(&fixture, flamegraph_view, query), STATUS_TOO_LARGE);
    assert_int_equal(fixture.err.limit, LIMIT_PATH_BYTES);
}

/* 50,000 children of the root. */
static void a_wide_tree(void **state)
{
    char name[32];

    (void)state;
    restart(60000);
    for (uint32_t i = 0; i < 50000; i++) {
        (void)snprintf(name, sizeof(name), "f%u", i);
        (void)add_child(CALLTREE_ROOT, add_function(name));
    }
    measure("50,000 wide");
}

/* The shape of many merged CPU profiles: few functions, paths that share their upper parts. */
static void make_bushy(uint32_t nodes, uint32_t functions)
{
    uint64_t random = 99;
    char name[64];

    for (uint32_t i = 0; i < functions; i++) {
        (void)snprintf(name, sizeof(name), "f%u", i);
        (void)add_function(name);
    }
    while (calltree_node_count(fixture.tree) < nodes) {
        uint32_t count = calltree_node_count(fixture.tree);
        uint32_t back = (uint32_t)(unit_random(&random) % 8);
        uint32_t parent = unit_random(&random) % 4 == 0 || back >= count
                              ? (uint32_t)(unit_random(&random) % count)
                              : count - 1 - back;
        (void)add_child(parent, (uint32_t)(unit_random(&random) % functions));
    }
}

static void a_usual_tree(void **state)
{
    (void)state;
    restart(46496);
    make_bushy(46496, 2001);
    for (uint32_t node = 0; node < 46496; node++) /* a few nodes hold most of the weight */
        fixture.self[0][node] *= node % 97 == 0 ? 5000 : 1;
    measure("46,496 nodes");
}

static void a_million_nodes(void **state)
{
    (void)state;
    restart(1000000);
    make_bushy(1000000, 20000);
    measure("1,000,000 nodes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_side, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_cut_is_one_row, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_sides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(zooming, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hashes_are_fnv, set_up, tear_down),
        cmocka_unit_test_setup_teardown(zoom_into_long_names_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hostile_names_stay_json, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refusals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_store_is_asked_for_both_sides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_deep_tree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wide_tree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_usual_tree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_million_nodes, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

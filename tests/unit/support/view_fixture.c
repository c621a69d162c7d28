/* SPDX-License-Identifier: Apache-2.0 */
/* The views' tests in place of a database: answers are what the test put in. */
#include "tests/unit/support/view_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/limits.h"
#include "tests/unit/unit.h"

static struct fixture *fixture_of(struct store *store)
{
    return (struct fixture *)store;
}

static void fixture_note(struct fixture *fixture, const struct store_selection *sides,
                         uint32_t count)
{
    memcpy(fixture->asked, sides, count * sizeof(*sides));
    fixture->asked_count = count;
}

static enum status fixture_answer_tally(struct store *store, const struct store_selection *sides,
                                        uint32_t side_count, struct arena *arena, struct error *err,
                                        struct store_tally *ret_tally)
{
    struct fixture *fixture = fixture_of(store);

    (void)arena;
    fixture_note(fixture, sides, side_count);
    if (slice_equal(sides[0].service, slice_of("nobody")))
        return error_set(err, STATUS_NOT_FOUND, "service: unknown");
    fixture->side_count = side_count;
    *ret_tally = fixture_tally(fixture);
    fixture->held++;
    return STATUS_OK;
}

static void fixture_release(struct store *store, struct store_tally *tally)
{
    (void)tally;
    fixture_of(store)->held--;
}

static enum status fixture_answer_list(struct store *store, const struct store_selection *selection,
                                       uint32_t limit, const struct store_cursor *cursor,
                                       struct arena *arena, struct error *err,
                                       struct store_page *ret_page)
{
    struct fixture *fixture = fixture_of(store);

    (void)limit;
    (void)arena;
    (void)err;
    fixture_note(fixture, selection, 1);
    *ret_page = fixture->page;
    if (cursor != NULL) /* what was asked comes back, for the test to compare */
        ret_page->next = *cursor;
    return STATUS_OK;
}

static enum status fixture_answer_catalog(struct store *store, struct arena *arena,
                                          struct error *err, struct store_catalog *ret_catalog)
{
    (void)arena;
    (void)err;
    *ret_catalog = fixture_of(store)->catalog;
    return STATUS_OK;
}

static enum status fixture_answer_raw(struct store *store, struct store_id id, struct arena *arena,
                                      struct error *err, struct slice *ret_body)
{
    (void)arena;
    if (id.bytes[0] != 0xab)
        return error_set(err, STATUS_NOT_FOUND, "no such profile");
    *ret_body = fixture_of(store)->body;
    return STATUS_OK;
}

static const struct store_ops fixture_ops = {
    .tally = fixture_answer_tally,
    .tally_release = fixture_release,
    .list = fixture_answer_list,
    .catalog = fixture_answer_catalog,
    .raw = fixture_answer_raw,
};

void fixture_init(struct fixture *fixture, uint32_t capacity)
{
    *fixture = (struct fixture){.store = {.ops = &fixture_ops}, .capacity = capacity};
    fixture->arena = arena_new(LIMIT_ARENA_BYTES);
    assert_non_null(fixture->arena);
    assert_status(calltree_new(capacity, &fixture->err, &fixture->tree), STATUS_OK);
    for (uint32_t side = 0; side < 2; side++) {
        fixture->self[side] = calloc(capacity, sizeof(int64_t));
        assert_non_null(fixture->self[side]);
        fixture->profiles[side] = 1;
    }
    fixture->side_count = 1;
}

void fixture_free(struct fixture *fixture)
{
    assert_int_equal(fixture->held, 0);
    for (uint32_t side = 0; side < 2; side++)
        free(fixture->self[side]);
    calltree_free(fixture->tree);
    arena_free(fixture->arena);
}

static uint32_t fixture_frame(struct fixture *fixture, uint32_t parent, const char *frame,
                              size_t size_bytes)
{
    const char *file = memchr(frame, '@', size_bytes);
    size_t name_bytes = file == NULL ? size_bytes : (size_t)(file - frame);
    struct slice file_slice =
        file == NULL ? slice_make("", 0) : slice_make(file + 1, size_bytes - name_bytes - 1);
    uint32_t function, node;

    assert_status(calltree_function(fixture->tree, slice_make(frame, name_bytes), file_slice,
                                    &fixture->err, &function),
                  STATUS_OK);
    assert_status(calltree_child(fixture->tree, parent, function, &fixture->err, &node), STATUS_OK);
    assert_true(node < fixture->capacity);
    return node;
}

uint32_t fixture_path(struct fixture *fixture, const char *path)
{
    uint32_t node = CALLTREE_ROOT;

    while (*path != '\0') {
        size_t size_bytes = strcspn(path, ";");
        node = fixture_frame(fixture, node, path, size_bytes);
        path += size_bytes + (path[size_bytes] == ';');
    }
    return node;
}

static int64_t fixture_value(int64_t reach, bool negative, uint64_t *state)
{
    if (unit_random(state) % 2 == 0)
        return 0;
    int64_t value = (int64_t)(unit_random(state) % (uint64_t)reach) + 1;
    return negative && unit_random(state) % 3 == 0 ? -value : value;
}

void fixture_random(struct fixture *fixture, uint32_t nodes, uint32_t functions, int64_t reach,
                    bool negative, uint64_t *state)
{
    while (calltree_node_count(fixture->tree) < nodes) {
        /* Near the newest nodes half of the time: deep parts as well as bushy ones. */
        uint32_t count = calltree_node_count(fixture->tree);
        uint32_t parent = (uint32_t)(unit_random(state) % count);
        if (unit_random(state) % 2 == 0)
            parent = count - 1 - (uint32_t)(unit_random(state) % (count < 4 ? count : 4));
        uint32_t number = (uint32_t)(unit_random(state) % functions);
        char frame[32];
        /* Some functions share a name and differ by file. */
        (void)snprintf(frame, sizeof(frame), "f%" PRIu32 "@%" PRIu32, number / 2, number % 2);
        (void)fixture_frame(fixture, parent, frame, strlen(frame));
    }
    for (uint32_t side = 0; side < 2; side++) {
        for (uint32_t node = 0; node < nodes; node++)
            fixture->self[side][node] = fixture_value(reach, negative, state);
    }
}

struct store_tally fixture_tally(struct fixture *fixture)
{
    struct store_tally tally = {
        .type = SLICE_LITERAL("cpu"),
        .metric = SLICE_LITERAL("samples"),
        .unit = SLICE_LITERAL("count"),
        .kind = METRIC_COUNTER,
        .tree = fixture->tree,
        .node_count = calltree_node_count(fixture->tree),
        .function_count = calltree_function_count(fixture->tree),
        .side_count = fixture->side_count,
    };

    for (uint32_t side = 0; side < fixture->side_count; side++) {
        struct store_side *into = &tally.sides[side];
        *into = (struct store_side){.profile_count = fixture->profiles[side],
                                    .work = -1,
                                    .work_unit = SLICE_LITERAL(""),
                                    .self = fixture->self[side]};
        /* Wraps where a test means it to: only its views judge. */
        for (uint32_t node = 0; node < tally.node_count; node++)
            into->total = (int64_t)((uint64_t)into->total + (uint64_t)into->self[node]);
    }
    return tally;
}

struct tree fixture_tree(struct fixture *fixture)
{
    struct store_tally tally = fixture_tally(fixture);
    struct tree tree = tree_of_tally(&tally);

    assert_status(tree_sum(&tree, fixture->arena, &fixture->err), STATUS_OK);
    return tree;
}

struct query fixture_query(struct fixture *fixture, const char *text)
{
    struct query_pair *pairs = arena_array(fixture->arena, strlen(text) + 1, struct query_pair);
    uint32_t count = 0;

    assert_non_null(pairs);
    while (*text != '\0') {
        size_t size_bytes = strcspn(text, "&");
        const char *equals = memchr(text, '=', size_bytes);
        size_t key_bytes = equals == NULL ? size_bytes : (size_t)(equals - text);
        pairs[count].key = slice_make(text, key_bytes);
        pairs[count].has_value = equals != NULL;
        pairs[count].value =
            equals == NULL ? slice_make("", 0) : slice_make(equals + 1, size_bytes - key_bytes - 1);
        count++;
        text += size_bytes + (text[size_bytes] == '&');
    }
    return (struct query){pairs, count};
}

cJSON *fixture_ask(struct fixture *fixture, view_function *view, const char *text)
{
    struct query query = fixture_query(fixture, text);
    CLEANUP(buf_cleanup) struct buf out;
    enum status status;

    buf_init(&out, LIMIT_ANSWER_BYTES);
    status = view(&fixture->store, &query, fixture->arena, 0, &fixture->err, &out);
    if (status != STATUS_OK)
        print_error("%s: %s\n", text, fixture->err.text);
    assert_status(status, STATUS_OK);
    cJSON *json = cJSON_ParseWithLength(out.data, out.size_bytes);
    if (json == NULL)
        print_error("not JSON: %.*s\n", (int)(out.size_bytes < 2000 ? out.size_bytes : 2000),
                    out.data);
    assert_non_null(json);
    return json;
}

enum status fixture_refuse(struct fixture *fixture, view_function *view, const char *text)
{
    struct query query = fixture_query(fixture, text);
    CLEANUP(buf_cleanup) struct buf out;

    buf_init(&out, LIMIT_ANSWER_BYTES);
    enum status status = view(&fixture->store, &query, fixture->arena, 0, &fixture->err, &out);
    assert_int_not_equal(status, STATUS_OK);
    return status;
}

int64_t fixture_integer(const cJSON *item)
{
    assert_non_null(item);
    if (cJSON_IsString(item))
        return strtoll(item->valuestring, NULL, 10);
    assert_true(cJSON_IsNumber(item));
    return (int64_t)item->valuedouble;
}

int64_t fixture_at(const cJSON *array, uint32_t index)
{
    return fixture_integer(cJSON_GetArrayItem(array, (int)index));
}

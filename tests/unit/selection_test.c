/* SPDX-License-Identifier: Apache-2.0 */
/* Selections: what a side inherits, what it overrides, what is refused, what is said back. */
#include "proto/base/limits.h"
#include "proto/base/timestamp.h"
#include "server/view/selection.h"
#include "tests/unit/support/view_fixture.h"
#include "tests/unit/unit.h"

static struct fixture fixture;

static int set_up(void **state)
{
    (void)state;
    fixture_init(&fixture, 16);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_free(&fixture);
    return 0;
}

static struct selection read_selection(const char *text)
{
    struct query query = fixture_query(&fixture, text);
    struct selection selection;

    assert_status(
        selection_read(&query, fixture.arena, 1000 * TIMESTAMP_SECOND_NS, &fixture.err, &selection),
        STATUS_OK);
    return selection;
}

static void assert_refused(const char *text, const char *part)
{
    struct query query = fixture_query(&fixture, text);
    struct selection selection;

    assert_status(selection_read(&query, fixture.arena, 0, &fixture.err, &selection),
                  STATUS_BAD_PARAMETER);
    if (strstr(fixture.err.text, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", fixture.err.text, part);
}

static void one_side_and_its_defaults(void **state)
{
    struct selection selection = read_selection("service=shop");
    const struct store_selection *side = &selection.sides[0];

    (void)state;
    assert_int_equal(selection.side_count, 1);
    assert_slice_equal(side->service, slice_of("shop"));
    assert_int_equal(side->type.size_bytes + side->metric.size_bytes, 0);
    assert_int_equal(side->version_count + side->label_count, 0);
    assert_true(side->from_ns == INT64_MIN && side->until_ns == INT64_MAX);
    assert_false(side->one);
    assert_int_equal(side->having, STORE_HAVING_ANY);
}

static void everything_on_one_side(void **state)
{
    struct selection selection = read_selection(
        "service=shop&type=Heap-Alloc&metric=alloc_space&version=2&version=&label=zone:eu"
        "&label=a:b:c&from=now-15m&until=1700000000&profile=00112233445566778899aabbccddeeFF"
        "&having=duration");
    const struct store_selection *side = &selection.sides[0];

    (void)state;
    assert_slice_equal(side->type, slice_of("heap_alloc"));
    assert_slice_equal(side->metric, slice_of("alloc_space"));
    assert_int_equal(side->version_count, 2);
    assert_slice_equal(side->versions[0], slice_of("2"));
    assert_int_equal(side->versions[1].size_bytes, 0);
    assert_int_equal(side->label_count, 2);
    assert_slice_equal(side->labels[0].key, slice_of("zone"));
    assert_slice_equal(side->labels[0].value, slice_of("eu"));
    assert_slice_equal(side->labels[1].key, slice_of("a"));
    assert_slice_equal(side->labels[1].value, slice_of("b:c"));
    assert_true(side->from_ns == 100 * TIMESTAMP_SECOND_NS);
    assert_true(side->until_ns == 1700000000 * TIMESTAMP_SECOND_NS);
    assert_true(side->one);
    assert_int_equal(side->id.bytes[1], 0x11);
    assert_int_equal(side->id.bytes[15], 0xff);
    assert_int_equal(side->having, STORE_HAVING_DURATION);
}

static void a_base_shares_what_it_does_not_override(void **state)
{
    struct selection selection =
        read_selection("service=shop&type=cpu&version=4&label=zone:eu&label=a:b&from=1&until=9"
                       "&having=work&base_version=3&base_version=2");
    const struct store_selection *base = &selection.sides[1];

    (void)state;
    assert_int_equal(selection.side_count, 2);
    assert_int_equal(selection.sides[0].version_count, 1);
    assert_int_equal(base->version_count, 2);
    assert_slice_equal(base->versions[0], slice_of("3"));
    assert_slice_equal(base->service, slice_of("shop"));
    assert_slice_equal(base->type, slice_of("cpu"));
    assert_int_equal(base->label_count, 2);
    assert_true(base->from_ns == 1 * TIMESTAMP_SECOND_NS);
    assert_true(base->until_ns == 9 * TIMESTAMP_SECOND_NS);
    assert_int_equal(base->having, STORE_HAVING_WORK);

    selection = read_selection("service=shop&label=zone:eu&label=a:b&base_label=zone:us"
                               "&base_service=store&base_from=5&base_having=any&having=work");
    base = &selection.sides[1];
    assert_int_equal(base->label_count, 1);
    assert_slice_equal(base->labels[0].value, slice_of("us"));
    assert_slice_equal(base->service, slice_of("store"));
    assert_true(base->from_ns == 5 * TIMESTAMP_SECOND_NS);
    assert_true(base->until_ns == INT64_MAX);
    assert_int_equal(base->having, STORE_HAVING_ANY);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    assert_refused("", "service: is required");
    assert_refused("service=", "service: is empty");
    assert_refused("base_service=a", "service: is required");
    assert_refused("service=a&base_service=", "base_service: is empty");
    assert_refused("service=a&metric=", "metric: is empty");
    assert_refused("service=a&label=zone", "label: not of the form");
    assert_refused("service=a&label=:x", "label: not of the form");
    assert_refused("service=a&base_label=x", "base_label: not of the form");
    assert_refused("service=a&from=soon", "from: ");
    assert_refused("service=a&base_until=", "base_until: ");
    assert_refused("service=a&profile=12", "profile: not the 32");
    assert_refused("service=a&having=luck", "having: not one of any duration work");
    assert_refused("service=a&type=a b", "type");
    assert_refused("service=a&type=", "type");
}

static void lists_are_bounded(void **state)
{
    char text[2000] = "service=a";

    (void)state;
    for (uint32_t i = 0; i <= LIMIT_SELECTION_VERSIONS; i++)
        memcpy(text + strlen(text), "&version=1", sizeof("&version=1"));
    assert_refused(text, "version: given 65 times, at most 64");
    memcpy(text, "service=a", sizeof("service=a"));
    for (uint32_t i = 0; i <= LIMIT_LABELS; i++)
        memcpy(text + strlen(text), "&label=a:b", sizeof("&label=a:b"));
    assert_refused(text, "label: given 31 times, at most 30");
}

static void long_labels_are_refused(void **state)
{
    char text[LIMIT_LABEL_VALUE_BYTES + 64];
    struct store_label label;

    (void)state;
    memset(text, 'x', sizeof(text));
    text[LIMIT_LABEL_KEY_BYTES] = ':';
    assert_status(selection_read_label(slice_make(text, LIMIT_LABEL_KEY_BYTES + 1), "label",
                                       &fixture.err, &label),
                  STATUS_OK);
    text[LIMIT_LABEL_KEY_BYTES] = 'x';
    text[LIMIT_LABEL_KEY_BYTES + 1] = ':';
    assert_status(selection_read_label(slice_make(text, LIMIT_LABEL_KEY_BYTES + 2), "label",
                                       &fixture.err, &label),
                  STATUS_BAD_PARAMETER);
    text[1] = ':';
    assert_status(selection_read_label(slice_make(text, LIMIT_LABEL_VALUE_BYTES + 2), "label",
                                       &fixture.err, &label),
                  STATUS_OK);
    assert_status(selection_read_label(slice_make(text, LIMIT_LABEL_VALUE_BYTES + 3), "label",
                                       &fixture.err, &label),
                  STATUS_BAD_PARAMETER);
}

static void a_selection_is_said_back(void **state)
{
    struct selection selection =
        read_selection("service=shop&version=4&label=zone:eu&base_version=3&base_from=1700000000");
    struct buf out;

    (void)state;
    buf_init(&out, LIMIT_MIB);
    struct json json = json_to(&out);
    selection_write(&json, &selection, slice_of("cpu"), slice_of("samples"));
    assert_slice_equal(
        slice_make(out.data, out.size_bytes),
        slice_of(
            "{\"service\":\"shop\",\"type\":\"cpu\",\"metric\":\"samples\",\"version\":[\"4\"],"
            "\"label\":[[\"zone\",\"eu\"]],\"from\":null,\"until\":null,\"profile\":null,"
            "\"having\":\"any\",\"base\":{\"service\":\"shop\",\"type\":\"cpu\","
            "\"metric\":\"samples\",\"version\":[\"3\"],\"label\":[[\"zone\",\"eu\"]],"
            "\"from\":\"2023-11-14T22:13:20.000000000Z\",\"until\":null,\"profile\":null,"
            "\"having\":\"any\"}}"));
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_side_and_its_defaults),
        cmocka_unit_test(everything_on_one_side),
        cmocka_unit_test(a_base_shares_what_it_does_not_override),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(lists_are_bounded),
        cmocka_unit_test(long_labels_are_refused),
        cmocka_unit_test(a_selection_is_said_back),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

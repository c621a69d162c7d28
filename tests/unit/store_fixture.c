/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/store_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LABELS_MAX 8

struct store_id fixture_id(unsigned number)
{
    struct store_id id = {{0}};

    memcpy(id.bytes, &number, sizeof(number));
    return id;
}

static struct slice or_default(const char *text, const char *otherwise)
{
    return slice_of(text == NULL ? otherwise : text);
}

static uint32_t split_labels(const char *text, struct store_label labels[LABELS_MAX])
{
    uint32_t count = 0;

    while (text != NULL && *text != '\0' && count < LABELS_MAX) {
        size_t size_bytes = strcspn(text, ";"), key_bytes = strcspn(text, "=");

        labels[count++] = (struct store_label){
            .key = slice_make(text, key_bytes),
            .value = slice_make(text + key_bytes + 1, size_bytes - key_bytes - 1)};
        text += size_bytes + (text[size_bytes] == ';');
    }
    return count;
}

enum status fixture_try_put(struct store *store, struct arena *arena, const struct fixture_put *put,
                            struct error *err, struct store_receipt *ret_receipt)
{
    struct store_label labels[LABELS_MAX];
    struct handmade made;
    struct store_put real = {
        .id = fixture_id(put->id),
        .service = or_default(put->service, "shop"),
        .version = or_default(put->version, "1"),
        .type = or_default(put->type, "cpu"),
        .labels = labels,
        .label_count = split_labels(put->labels, labels),
        .start_ns = put->start_ns == 0 ? NOVEMBER : put->start_ns,
        .duration_ns = put->duration_ns,
        .received_ns = NOVEMBER + DAY,
        .work = put->work_unit == NULL ? -1 : put->work,
        .work_unit = or_default(put->work_unit, ""),
        .default_metric = 1,
        .body = or_default(put->body, "body"),
    };

    handmade_make(arena, put->metric == NULL ? "cpu" : put->metric,
                  put->unit == NULL ? "nanoseconds" : put->unit, put->samples, put->sample_count,
                  &made);
    real.profile = &made.profile;
    real.metrics = made.metrics;
    return store_put(store, &real, arena, err, ret_receipt);
}

void fixture_put_stack(struct store *store, const struct fixture_put *put, const char *stack,
                       int64_t value)
{
    struct arena *arena = arena_new(8 * LIMIT_MIB);
    struct handmade_sample sample = {.stack = stack, .values = {1, value}};
    struct fixture_put one = *put;
    struct store_receipt receipt;
    struct error err = {0};

    one.samples = &sample;
    one.sample_count = 1;
    if (fixture_try_put(store, arena, &one, &err, &receipt) != STATUS_OK)
        fail_msg("put %u: %s", put->id, err.text);
    assert_false(receipt.repeated);
    arena_free(arena);
}

struct store_selection fixture_all(void)
{
    return (struct store_selection){.service = slice_of("shop"),
                                    .type = slice_of("cpu"),
                                    .metric = slice_of("cpu"),
                                    .from_ns = INT64_MIN,
                                    .until_ns = INT64_MAX};
}

static uint32_t find_child(const struct store_tally *tally, uint32_t parent, struct slice name)
{
    const uint32_t *parents = calltree_parents(tally->tree);
    const uint32_t *functions = calltree_functions(tally->tree);

    for (uint32_t node = 1; node < tally->node_count; node++)
        if (parents[node] == parent &&
            slice_equal(calltree_name(tally->tree, functions[node]), name))
            return node;
    return UINT32_MAX;
}

int64_t fixture_self(const struct store_tally *tally, unsigned side, const char *stack)
{
    uint32_t node = CALLTREE_ROOT;

    while (*stack != '\0') {
        size_t size_bytes = strcspn(stack, ";");

        node = find_child(tally, node, slice_make(stack, size_bytes));
        if (node == UINT32_MAX)
            return INT64_MIN;
        stack += size_bytes + (stack[size_bytes] == ';');
    }
    return tally->sides[side].self[node];
}

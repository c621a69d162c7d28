/* SPDX-License-Identifier: Apache-2.0 */
/* The sample ring: order, wrap-around, refusal when full; and the sums of one period. */
#include <stdlib.h>

#include "samples/agent/period.h"
#include "samples/agent/ring.h"
#include "tests/unit/unit.h"

static struct sample make_sample(uint32_t depth, uint64_t first_pc, uint32_t weight)
{
    struct sample sample = {.weight = weight, .depth = depth, .truncated = depth % 2 == 1};

    for (uint32_t i = 0; i < depth; i++)
        sample.pcs[i] = first_pc + i;
    return sample;
}

static void assert_sample(const struct sample *got, const struct sample *want)
{
    assert_int_equal(got->weight, want->weight);
    assert_int_equal(got->depth, want->depth);
    assert_int_equal(got->truncated, want->truncated);
    assert_memory_equal(got->pcs, want->pcs, want->depth * sizeof(want->pcs[0]));
}

/* Far more words than the ring has, and past the wrap of its 32-bit indices. */
static void samples_come_out_as_they_went_in(void **state)
{
    struct ring *ring = calloc(1, sizeof(*ring));
    uint64_t random = 7;

    (void)state;
    assert_non_null(ring);
    atomic_store(&ring->head, UINT32_MAX - 1000);
    atomic_store(&ring->tail, UINT32_MAX - 1000);
    for (int round = 0; round < 2000; round++) {
        struct sample in[4];
        struct sample out;
        for (int i = 0; i < 4; i++) {
            in[i] = make_sample(1 + (uint32_t)(unit_random(&random) % AGENT_FRAMES), random, 3);
            ring_write(ring, &in[i]);
        }
        for (int i = 0; i < 4; i++) {
            assert_true(ring_read(ring, &out));
            assert_sample(&out, &in[i]);
        }
        assert_false(ring_read(ring, &out));
    }
    assert_int_equal(ring_take_lost(ring), 0);
    free(ring);
}

static void a_full_ring_counts_what_it_loses(void **state)
{
    struct ring *ring = calloc(1, sizeof(*ring));
    struct sample sample = make_sample(AGENT_FRAMES, 1, 5);
    struct sample out;
    uint32_t fits = AGENT_RING_WORDS / (AGENT_FRAMES + 1);
    uint32_t found = 0;

    (void)state;
    assert_non_null(ring);
    for (uint32_t i = 0; i < fits + 3; i++)
        ring_write(ring, &sample);
    assert_int_equal(ring_take_lost(ring), 3 * 5);
    assert_int_equal(ring_take_lost(ring), 0);
    while (ring_read(ring, &out))
        found++;
    assert_int_equal(found, fits);
    free(ring);
}

static void equal_stacks_add_up(void **state)
{
    struct period *period = period_new();
    int64_t weight = 0;

    (void)state;
    assert_non_null(period);
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 1000; i++) {
            struct sample sample = make_sample(1 + i % 50, i, 2);
            period_add(period, &sample);
        }
    }
    assert_int_equal(period->stack_count, 1000);
    for (uint32_t i = 0; i < period->stack_count; i++) {
        assert_int_equal(period->stacks[i].weight, 6);
        weight += period->stacks[i].weight;
    }
    assert_int_equal(weight, 6000);
    assert_int_equal(period->lost, 0);
    period_free(period);
}

/* Without end: memory stays within its bound and nothing goes uncounted. */
static void a_full_period_counts_what_it_loses(void **state)
{
    struct period *period = period_new();
    int64_t weight = 0;
    int64_t total = 50000;

    (void)state;
    assert_non_null(period);
    for (int64_t i = 0; i < total; i++) {
        struct sample sample = make_sample(60, (uint64_t)i * 1000, 1);
        period_add(period, &sample);
    }
    for (uint32_t i = 0; i < period->stack_count; i++)
        weight += period->stacks[i].weight;
    assert_true(period->lost > 0);
    assert_int_equal(weight + period->lost, total);
    assert_true(arena_used_bytes(period->arena) <= AGENT_STACKS_BYTES);
    period_free(period);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_come_out_as_they_went_in),
        cmocka_unit_test(a_full_ring_counts_what_it_loses),
        cmocka_unit_test(equal_stacks_add_up),
        cmocka_unit_test(a_full_period_counts_what_it_loses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

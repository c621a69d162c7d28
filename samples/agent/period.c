/* SPDX-License-Identifier: Apache-2.0 */
/* Adds samples up by stack. In: samples from the rings. Out: distinct stacks with weights. Knows
 * addresses only; never grows past its arena. */
#include "samples/agent/period.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/hash.h"

#define FIRST_STACKS 256u /* half as many as slots: chains stay short */

struct period *period_new(void)
{
    struct period *period = calloc(1, sizeof(*period));

    if (!period)
        return NULL;
    period->arena = arena_new(AGENT_STACKS_BYTES);
    if (!period->arena) {
        free(period);
        return NULL;
    }
    period->seed = hash_seed();
    return period;
}

void period_free(struct period *period)
{
    if (!period)
        return;
    arena_free(period->arena);
    free(period);
}

static uint64_t hash_stack(const struct period *period, const struct sample *sample)
{
    struct slice pcs = slice_make(sample->pcs, sample->depth * sizeof(sample->pcs[0]));

    return hash_bytes(pcs, period->seed + (sample->truncated ? 1 : 0));
}

/* Where the stack is, or the free slot where it belongs. */
static uint32_t find_slot(const struct period *period, const struct sample *sample, uint64_t hash)
{
    uint32_t at = (uint32_t)hash & period->slot_mask;

    for (; period->slots[at] != 0; at = (at + 1) & period->slot_mask) {
        const struct stack *stack = &period->stacks[period->slots[at] - 1];
        if (stack->hash == hash && stack->depth == sample->depth &&
            stack->truncated == sample->truncated &&
            memcmp(stack->pcs, sample->pcs, sample->depth * sizeof(sample->pcs[0])) == 0)
            break;
    }
    return at;
}

/* Doubles both tables; the old ones stay in the arena. False: no room. */
static bool grow(struct period *period)
{
    uint32_t capacity = period->stack_capacity ? 2 * period->stack_capacity : FIRST_STACKS;
    struct stack *stacks = arena_array(period->arena, capacity, struct stack);
    uint32_t *slots = arena_array(period->arena, 2 * (size_t)capacity, uint32_t);

    if (!stacks || !slots)
        return false;
    memset(slots, 0, 2 * (size_t)capacity * sizeof(*slots));
    if (period->stack_count > 0)
        memcpy(stacks, period->stacks, period->stack_count * sizeof(*stacks));
    period->stacks = stacks;
    period->stack_capacity = capacity;
    period->slots = slots;
    period->slot_mask = 2 * capacity - 1;
    for (uint32_t i = 0; i < period->stack_count; i++) {
        uint32_t at = (uint32_t)stacks[i].hash & period->slot_mask;
        while (slots[at] != 0)
            at = (at + 1) & period->slot_mask;
        slots[at] = i + 1;
    }
    return true;
}

void period_add(struct period *period, const struct sample *sample)
{
    uint64_t hash = hash_stack(period, sample);

    if (period->stack_count == period->stack_capacity && !grow(period)) {
        period->lost += sample->weight;
        return;
    }
    uint32_t at = find_slot(period, sample, hash);
    if (period->slots[at] != 0) {
        period->stacks[period->slots[at] - 1].weight += sample->weight;
        return;
    }
    uint64_t *pcs = arena_array(period->arena, sample->depth, uint64_t);
    if (!pcs) {
        period->lost += sample->weight;
        return;
    }
    memcpy(pcs, sample->pcs, sample->depth * sizeof(*pcs));
    period->stacks[period->stack_count++] = (struct stack){.pcs = pcs,
                                                           .depth = sample->depth,
                                                           .truncated = sample->truncated,
                                                           .weight = sample->weight,
                                                           .hash = hash};
    period->slots[at] = period->stack_count;
}

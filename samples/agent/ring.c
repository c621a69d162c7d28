/* SPDX-License-Identifier: Apache-2.0 */
/* Single-producer single-consumer ring of variable-length samples. In: what the handler unwound.
 * Out: the same, to the collector. Indices run freely and wrap at 2^32, a multiple of the size.
 * Never blocks and never overwrites what was not read. */
#include "samples/agent/ring.h"

#define TRUNCATED_BIT (UINT64_C(1) << 16)

_Static_assert((AGENT_RING_WORDS & (AGENT_RING_WORDS - 1)) == 0, "indices are masked");
_Static_assert(AGENT_FRAMES < TRUNCATED_BIT, "depth shares a word with the truncated bit");

static uint64_t *word(struct ring *ring, uint32_t index)
{
    return &ring->words[index & (AGENT_RING_WORDS - 1)];
}

void ring_write(struct ring *ring, const struct sample *sample)
{
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);

    if (sample->depth + 1 > AGENT_RING_WORDS - (head - tail)) {
        atomic_fetch_add_explicit(&ring->lost, sample->weight, memory_order_relaxed);
        return;
    }
    *word(ring, head) =
        (uint64_t)sample->weight << 32 | (sample->truncated ? TRUNCATED_BIT : 0) | sample->depth;
    for (uint32_t i = 0; i < sample->depth; i++)
        *word(ring, head + 1 + i) = sample->pcs[i];
    atomic_store_explicit(&ring->head, head + 1 + sample->depth, memory_order_release);
}

bool ring_read(struct ring *ring, struct sample *ret_sample)
{
    uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_acquire);

    if (head == tail)
        return false;
    uint64_t header = *word(ring, tail);
    uint32_t depth = (uint32_t)(header & (TRUNCATED_BIT - 1));

    ret_sample->weight = (uint32_t)(header >> 32);
    ret_sample->truncated = (header & TRUNCATED_BIT) != 0;
    ret_sample->depth = depth;
    for (uint32_t i = 0; i < depth; i++)
        ret_sample->pcs[i] = *word(ring, tail + 1 + i);
    atomic_store_explicit(&ring->tail, tail + 1 + depth, memory_order_release);
    return true;
}

uint64_t ring_take_lost(struct ring *ring)
{
    return atomic_exchange_explicit(&ring->lost, 0, memory_order_relaxed);
}

void ring_reset(struct ring *ring)
{
    atomic_store(&ring->head, 0);
    atomic_store(&ring->tail, 0);
    atomic_store(&ring->lost, 0);
}

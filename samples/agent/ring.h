/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of one thread on their way from the signal handler to the collector.
 *
 * One writer (the handler, in the profiled thread, SIGPROF masked), one reader (the collector).
 * No lock, no wait, no memory beyond the struct: a sample that does not fit is refused, and its
 * weight is kept in `lost` so that totals stay honest. Zeroed memory is an empty ring. */
#ifndef BRAZIER_SAMPLES_AGENT_RING_H
#define BRAZIER_SAMPLES_AGENT_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "samples/agent/bounds.h"

struct ring {
    _Atomic uint32_t head; /* words written so far; only the writer changes it */
    _Atomic uint32_t tail; /* words read so far; only the reader changes it */
    _Atomic uint64_t lost; /* weight of refused samples since the last ring_take_lost */
    uint64_t words[AGENT_RING_WORDS];
};

/* One sample: `depth` addresses, leaf first, each inside the instruction that was running. */
struct sample {
    uint32_t weight; /* timer expiries it stands for, >= 1 */
    uint32_t depth;  /* <= AGENT_FRAMES */
    bool truncated;  /* the stack was deeper; the root side is missing */
    uint64_t pcs[AGENT_FRAMES];
};

/* Adds a sample or counts it as lost. Async-signal-safe. */
void ring_write(struct ring *ring, const struct sample *sample);

/* Moves the oldest sample out. False: the ring is empty. */
bool ring_read(struct ring *ring, struct sample *ret_sample);

/* The weight lost since the last call. */
uint64_t ring_take_lost(struct ring *ring);

/* Empties the ring for a new writer. Only when neither side uses it. */
void ring_reset(struct ring *ring);

#endif

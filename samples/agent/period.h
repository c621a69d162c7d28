/* SPDX-License-Identifier: Apache-2.0 */
/* One period's samples, equal stacks added up: what becomes one profile.
 *
 * Owns everything in one arena of AGENT_STACKS_BYTES. Not thread-safe: filled by the collector,
 * then handed to the poster as a whole. */
#ifndef BRAZIER_SAMPLES_AGENT_PERIOD_H
#define BRAZIER_SAMPLES_AGENT_PERIOD_H

#include "proto/base/arena.h"
#include "proto/base/cleanup.h"
#include "samples/agent/ring.h"

struct stack {
    const uint64_t *pcs; /* leaf first */
    uint32_t depth;
    bool truncated; /* the root side is missing */
    int64_t weight; /* timer expiries */
    uint64_t hash;
};

struct period {
    struct arena *arena;
    struct stack *stacks;
    uint32_t stack_count;
    uint32_t stack_capacity;
    uint32_t *slots; /* open addressing by stack hash: index into stacks + 1, 0 free */
    uint32_t slot_mask;
    uint64_t seed;

    int64_t lost;        /* weight of samples that did not fit somewhere */
    int64_t start_ns;    /* wall clock */
    int64_t duration_ns; /* by the monotonic clock; set when the period ends */
    int64_t interval_ns; /* CPU time of one expiry */
    int64_t work;        /* units done */
    bool has_work;       /* brazier_work has been called before, or has a unit */
    bool is_last;        /* the agent stops: delivered even while it backs off */
    uint64_t number;     /* from 1 */
};

/* An empty period. NULL: no memory. The caller owns it until period_free. */
struct period *period_new(void);
void period_free(struct period *period);

/* Adds `sample` to its stack; when memory is used up, to `lost`. */
void period_add(struct period *period, const struct sample *sample);

CLEANUP_DEFINE(period_cleanup, struct period *, period_free)

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles made by hand, for tests that want no decoder in between.
 *
 * A sample is a text: frames from the root, separated by ';', each "name" or "name@file"; an empty
 * text is a sample without locations. Everything lives in the arena; a test that runs out of it
 * aborts. */
#ifndef BRAZIER_TESTS_UNIT_HANDMADE_H
#define BRAZIER_TESTS_UNIT_HANDMADE_H

#include "proto/base/arena.h"
#include "proto/metrics.h"
#include "proto/profile.h"

#define HANDMADE_TYPES 2

struct handmade_sample {
    const char *stack;
    int64_t values[HANDMADE_TYPES];
    const char *tags; /* "key=text;key=#12" or NULL */
};

struct handmade {
    struct profile profile;
    struct metric metrics[HANDMADE_TYPES]; /* with totals */
};

/* Two sample types: samples/count, and `name`/`unit`. */
void handmade_make(struct arena *arena, const char *name, const char *unit,
                   const struct handmade_sample *samples, uint32_t sample_count,
                   struct handmade *ret_made);

#endif

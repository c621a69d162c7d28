/* SPDX-License-Identifier: Apache-2.0 */
/* Valid profiles made from a seed, in every form the wire format allows.
 *
 * The generator writes protobuf bytes itself, byte by byte, so that it can produce what no library
 * writes: unpacked and mixed integers, padded varints, unknown fields, any field order, ids that
 * are sparse or hashes, names with any byte. The same spec always gives the same bytes. */
#ifndef BRAZIER_TESTS_PROFILE_GEN_H
#define BRAZIER_TESTS_PROFILE_GEN_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/buf.h"

enum gen_ids { GEN_IDS_SEQUENTIAL, GEN_IDS_SPARSE, GEN_IDS_HASHED, GEN_IDS_MAX };
enum gen_packing { GEN_PACKED, GEN_UNPACKED, GEN_MIXED, GEN_PACKING_MAX };

struct gen_spec {
    uint64_t seed;
    uint32_t types;
    uint32_t samples;
    uint32_t mappings;
    uint32_t locations;  /* 0: stacks are empty */
    uint32_t functions;  /* 0: locations have no lines */
    uint32_t strings;    /* beside those of sample types; at least 1 */
    uint32_t max_depth;  /* of a stack, in locations */
    uint32_t max_lines;  /* of a location */
    uint32_t max_labels; /* of a sample */
    enum gen_ids ids;
    enum gen_packing packing;
    bool shuffled; /* fields of Profile in random order, else as Go writes them */
    bool odd;      /* unknown fields, padded varints, fields given twice */
};

/* A small pseudo-random generator, for tests that need more choices of their own. */
struct gen_random {
    uint64_t state;
};

static inline uint64_t gen_next(struct gen_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0 .. below - 1; below > 0. */
static inline uint32_t gen_below(struct gen_random *random, uint32_t below)
{
    return (uint32_t)(gen_next(random) % below);
}

/* A spec with all knobs drawn from `seed`; `size` bounds the counts. */
struct gen_spec gen_spec_random(uint64_t seed, uint32_t size);

/* Appends the profile to `out`. */
void gen_profile(const struct gen_spec *spec, struct buf *out);

#endif

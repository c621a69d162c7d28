/* SPDX-License-Identifier: Apache-2.0 */
/* Hashing: seeded ones for tables, SHA-256 where a collision would lose data.
 *
 * Names and ids come from strangers, so every table takes a random seed at its making. */
#ifndef BRAZIER_PROTO_BASE_HASH_H
#define BRAZIER_PROTO_BASE_HASH_H

#include <stdint.h>

#include "proto/base/slice.h"

/* A random seed for one table; falls back to address and clock bits if the kernel gives none. */
uint64_t hash_seed(void);

/* XXH3 of the bytes. */
uint64_t hash_bytes(struct slice bytes, uint64_t seed);

/* A full-width mix of one integer: every input bit reaches every output bit. */
static inline uint64_t hash_u64(uint64_t value, uint64_t seed)
{
    value ^= seed;
    value *= UINT64_C(0x9e3779b97f4a7c15);
    value ^= value >> 32;
    value *= UINT64_C(0xd6e8feb86659fd93);
    value ^= value >> 32;
    return value;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Seeds and byte hashes for tables. The algorithm is xxhash's; this file only fixes the variant. */
#include "proto/base/hash.h"

#include <sys/random.h>
#include <time.h>
#include <xxhash.h>

uint64_t hash_seed(void)
{
    uint64_t seed;
    struct timespec now;

    if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == (ssize_t)sizeof(seed))
        return seed;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return hash_u64((uint64_t)now.tv_nsec, (uint64_t)(uintptr_t)&now);
}

uint64_t hash_bytes(struct slice bytes, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes.data, bytes.size_bytes, seed);
}

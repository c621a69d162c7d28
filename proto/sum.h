/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums of int64 values: only the result must fit, not every step on the way.
 *
 * A delta profile may hold INT64_MAX, 1 and -5 in this order; its total is representable and must
 * not be refused. Up to 2^63 values cannot leave the 128-bit range. */
#ifndef BRAZIER_PROTO_SUM_H
#define BRAZIER_PROTO_SUM_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise to begin. */
struct sum {
    __extension__ __int128 value;
};

static inline void sum_add(struct sum *sum, int64_t value)
{
    sum->value += value;
}

/* Whether the sum is an int64_t; then sum_value is exact. */
static inline bool sum_fits(const struct sum *sum)
{
    return sum->value >= INT64_MIN && sum->value <= INT64_MAX;
}

static inline int64_t sum_value(const struct sum *sum)
{
    return (int64_t)sum->value;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A second opinion on decoded profiles: protobuf-c's reading of the same bytes.
 *
 * Used by unit tests and fuzz targets. The oracle knows the format's semantics (dropped labels,
 * text over number, unknown mappings) but shares no code with the decoder. */
#ifndef BRAZIER_TESTS_ORACLE_H
#define BRAZIER_TESTS_ORACLE_H

#include <stdbool.h>

#include "proto/base/arena.h"
#include "proto/profile.h"

/* What the oracle made of the bytes. */
struct oracle_verdict {
    bool readable;  /* protobuf-c could unpack them */
    bool equal;     /* and every column of the profile says the same */
    char what[128]; /* the first difference, when not equal */
};

/* Compares `profile`, decoded from `bytes`, column by column. A NULL `profile` only asks whether
 * the bytes are readable. Memory comes from `arena`, within its budget; a short budget makes bytes
 * unreadable. */
struct oracle_verdict oracle_compare(struct slice bytes, const struct profile *profile,
                                     struct arena *arena);

/* Compares two decoded profiles by meaning: all columns equal, ids aside. The verdict's `readable`
 * is true. For round trips. */
struct oracle_verdict oracle_compare_profiles(const struct profile *a, const struct profile *b);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold for a decoded profile before anything else looks at it.
 *
 * The decoder hands over ids; validation checks them (google/pprof CheckValid) and writes the
 * column indices that `struct profile` promises. An unknown mapping id becomes "no mapping". */
#ifndef BRAZIER_PROTO_VALIDATE_H
#define BRAZIER_PROTO_VALIDATE_H

#include "proto/base/arena.h"
#include "proto/profile.h"

/* The references of a profile as ids, in the order of the index columns they resolve to. */
struct profile_refs {
    const uint64_t *sample_location_ids;  /* [sample_location_first[sample_count]] */
    const uint64_t *line_function_ids;    /* [location_line_first[location_count]] */
    const uint64_t *location_mapping_ids; /* [location_count], 0: none */
};

/* Checks ids (zero, duplicate, unknown), stack depth and the sum of every metric, and fills
 * sample_locations, line_function and location_mapping of `profile` (already allocated).
 * STATUS_ZERO_ID, DUP_ID, BAD_REF, VALUE_OVERFLOW, TOO_LARGE. */
CHECKED enum status validate_profile(struct profile *profile, const struct profile_refs *refs,
                                     struct arena *arena, struct error *err);

#endif

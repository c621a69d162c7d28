/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold for a decoded profile before anything else looks at it.
 *
 * The decoder hands over ids; validation checks them (google/pprof CheckValid) and writes the
 * column indices that `struct profile` promises. An unknown mapping id becomes "no mapping". It
 * runs in two steps, because the bulk of a profile, the ids in samples, is looked up while samples
 * are read: first the symbols, then samples are decoded against them, then what only the whole
 * shows. */
#ifndef BRAZIER_PROTO_VALIDATE_H
#define BRAZIER_PROTO_VALIDATE_H

#include "proto/base/arena.h"
#include "proto/ids.h"
#include "proto/profile.h"

/* The references between symbols as ids, in the order of the index columns they resolve to. */
struct profile_refs {
    const uint64_t *line_function_ids;    /* [location_line_first[location_count]] */
    const uint64_t *location_mapping_ids; /* [location_count], 0: none */
};

/* Checks the ids of mappings, functions and locations (zero, duplicate), fills line_function and
 * location_mapping of `profile` (already allocated), and gives the index that sample locations are
 * looked up in; it lives in `arena`.
 * STATUS_ZERO_ID, DUP_ID, BAD_REF (a line's function), TOO_LARGE (arena). */
CHECKED enum status validate_symbols(struct profile *profile, const struct profile_refs *refs,
                                     struct arena *arena, struct error *err,
                                     struct ids *ret_locations);

/* STATUS_BAD_REF: a line of this location refers to a function that is not there. */
CHECKED enum status validate_fail_function(uint32_t location, uint64_t function_id,
                                           struct error *err);

/* Checks stack depth (inlined frames counted) and the sum of every metric.
 * STATUS_TOO_LARGE, VALUE_OVERFLOW. */
CHECKED enum status validate_samples(const struct profile *profile, struct error *err);

#endif

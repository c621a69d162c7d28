/* SPDX-License-Identifier: Apache-2.0 */
/* pprof bytes to columns: from an upload's body to a valid `struct profile`.
 *
 * Accepts and refuses what google/pprof's decoder and CheckValid do, and is stricter on string
 * indices (sign and bound of every one) and sums. Three walks over the bytes: count, symbols,
 * samples, so that every column is allocated once at its size and location ids are looked up as
 * they are read. Memory only from the arena, never more than its budget; nothing recurses. */
#ifndef BRAZIER_PROTO_DECODE_H
#define BRAZIER_PROTO_DECODE_H

#include "proto/base/arena.h"
#include "proto/base/slice.h"
#include "proto/profile.h"

/* Decodes an inflated pprof and validates it (proto/validate.h). `bytes` must outlive the profile.
 * STATUS_EMPTY_BODY, NOT_A_PROFILE, TRUNCATED, BAD_WIRE, CONCATENATED, BAD_STRING_TABLE,
 * BAD_STRING_INDEX, NO_SAMPLE_TYPE, VALUE_COUNT_MISMATCH, ZERO_ID, DUP_ID, BAD_REF,
 * VALUE_OVERFLOW (a metric's total), TOO_LARGE (samples, sample types, stack depth, arena).
 * The message names field, index and limit; `err->index` counts elements of that field. */
CHECKED enum status decode_profile(struct slice bytes, struct arena *arena, struct error *err,
                                   struct profile *ret_profile);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of decoding, for decode.c alone.
 *
 * Field order is free in protobuf, and strings and locations may follow what refers to them. So one
 * pass counts, which bounds every column before a byte is allocated, one fills all but samples, and
 * one fills samples, whose location ids can then be looked up on the fly. All walk the same bytes
 * with the same reader; what fills writes at running positions that cannot pass the counted ends,
 * because no element is smaller than pass one takes it to be. */
#ifndef BRAZIER_PROTO_DECODE_COLUMNS_H
#define BRAZIER_PROTO_DECODE_COLUMNS_H

#include "proto/base/arena.h"
#include "proto/base/slice.h"
#include "proto/profile.h"
#include "proto/validate.h"
#include "proto/wire.h"

/* Elements of each repeated field, summed over the messages that hold them. */
struct decode_counts {
    uint32_t strings;
    uint32_t types;
    uint32_t samples;
    struct wire sample_bytes;  /* from the first sample's field to behind the last one */
    uint32_t sample_locations; /* an upper bound: packed bytes */
    uint32_t sample_values;
    uint32_t sample_labels; /* an upper bound: empty labels are dropped */
    uint32_t mappings;
    uint32_t locations;
    uint32_t lines; /* an upper bound, if all name functions */
    uint32_t functions;
    uint32_t comments;
};

/* Pass one over at most LIMIT_PROFILE_BYTES. Also finds what only an overview can see:
 * STATUS_CONCATENATED, BAD_STRING_TABLE, NO_SAMPLE_TYPE, TOO_LARGE (samples, sample types), and
 * TRUNCATED or BAD_WIRE of the layers it reads. */
CHECKED enum status decode_count(struct slice bytes, struct error *err,
                                 struct decode_counts *ret_counts);

/* Pass two: allocates the columns of `profile` that are not samples' and fills them, but for the
 * index columns that validation resolves from `ret_refs`.
 * STATUS_BAD_WIRE, BAD_STRING_INDEX, BAD_REF (a line's function is 0), TOO_LARGE (arena). */
CHECKED enum status decode_symbols(struct slice bytes, const struct decode_counts *counts,
                                   struct arena *arena, struct error *err, struct profile *profile,
                                   struct profile_refs *ret_refs);

/* Pass three: allocates and fills the sample columns, looking location ids up in `locations`.
 * STATUS_BAD_WIRE, BAD_STRING_INDEX, BAD_REF, VALUE_COUNT_MISMATCH, TOO_LARGE (arena). */
CHECKED enum status decode_samples(struct slice bytes, const struct decode_counts *counts,
                                   const struct ids *locations, struct arena *arena,
                                   struct error *err, struct profile *profile);

/* True when bytes that could not be decoded were never meant as a profile: text, HTML, JSON,
 * another compression or file format. Senders often forward an error page. */
bool decode_is_foreign(struct slice bytes);

#endif

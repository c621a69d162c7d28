/* SPDX-License-Identifier: Apache-2.0 */
/* The two passes of decoding, for decode.c alone.
 *
 * Field order is free in protobuf, and strings and locations may follow what refers to them. So
 * pass one counts, which bounds every column before a byte is allocated, and pass two fills. Both
 * walk the same bytes with the same reader; pass two writes through running positions that cannot
 * pass the counted ends, because both count an integer by its last byte. */
#ifndef BRAZIER_PROTO_DECODE_COLUMNS_H
#define BRAZIER_PROTO_DECODE_COLUMNS_H

#include "proto/base/arena.h"
#include "proto/base/slice.h"
#include "proto/profile.h"
#include "proto/validate.h"

/* Elements of each repeated field, summed over the messages that hold them. */
struct decode_counts {
    uint32_t strings;
    uint32_t types;
    uint32_t samples;
    uint32_t sample_locations;
    uint32_t sample_values;
    uint32_t sample_labels; /* an upper bound: empty labels are dropped */
    uint32_t mappings;
    uint32_t locations;
    uint32_t lines;
    uint32_t functions;
    uint32_t comments;
};

/* Pass one over at most LIMIT_PROFILE_BYTES. Also finds what only an overview can see:
 * STATUS_CONCATENATED, BAD_STRING_TABLE, NO_SAMPLE_TYPE, TOO_LARGE (samples, sample types), and
 * TRUNCATED or BAD_WIRE of the layers it reads. */
CHECKED enum status decode_count(struct slice bytes, struct error *err,
                                 struct decode_counts *ret_counts);

/* Pass two: allocates the columns of `profile` and fills them, but for the index columns that
 * validation resolves from `refs` (allocated here, not filled). Fails as decode_profile does, but
 * for what validation finds. */
CHECKED enum status decode_fill(struct slice bytes, const struct decode_counts *counts,
                                struct arena *arena, struct error *err, struct profile *profile,
                                struct profile_refs *refs);

/* True when bytes that could not be decoded were never meant as a profile: text, HTML, JSON,
 * another compression or file format. Senders often forward an error page. */
bool decode_is_foreign(struct slice bytes);

#endif

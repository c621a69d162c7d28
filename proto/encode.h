/* SPDX-License-Identifier: Apache-2.0 */
/* Columns to pprof bytes, on protobuf-c. The inverse of decoding for what Brazier's own agent and
 * exports write: decode(encode(p)) has the same columns as p, ids renumbered from 1. */
#ifndef BRAZIER_PROTO_ENCODE_H
#define BRAZIER_PROTO_ENCODE_H

#include "proto/base/arena.h"
#include "proto/base/buf.h"
#include "proto/profile.h"

/* Appends the uncompressed protobuf message to `out`. Index columns must be in range; id columns
 * are ignored. Strings may hold any byte: our profile.proto declares the string table as bytes.
 * STATUS_TOO_LARGE: arena or buffer maximum. */
CHECKED enum status encode_profile(const struct profile *profile, struct arena *arena,
                                   struct error *err, struct buf *out);

#endif

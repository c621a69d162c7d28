/* SPDX-License-Identifier: Apache-2.0 */
/* gzip to bytes and back, with a cap on what comes out.
 *
 * Inflating reads one or several members to the end of the input, checks each member's CRC and
 * size, and refuses anything behind the last member, as the pprof reference does. It never holds
 * more than the cap. A body that does not inflate to the size its trailer claims is measured in a
 * small window before memory is taken, and stopped there when it is a bomb (LIMIT_INFLATE_RATIO).
 * Uses libdeflate where the build found it and the size is honest, zlib elsewhere; results are the
 * same. */
#ifndef BRAZIER_PROTO_GZIP_H
#define BRAZIER_PROTO_GZIP_H

#include <stdbool.h>

#include "proto/base/arena.h"
#include "proto/base/buf.h"
#include "proto/base/slice.h"

/* True when the bytes begin with the gzip magic 1f 8b. */
bool gzip_detect(struct slice bytes);

/* The inflated bytes of `compressed`, in `arena`.
 * STATUS_BAD_GZIP: cut, wrong CRC or size, bytes behind the end (message says where).
 * STATUS_TOO_LARGE: more than `max_bytes`, the ratio limit, or the arena's budget. */
CHECKED enum status gzip_inflate(struct slice compressed, size_t max_bytes, struct arena *arena,
                                 struct error *err, struct slice *ret_bytes);

/* Appends one gzip member holding `bytes` to `out`. `level` 1 (fast, for answers) to 9.
 * STATUS_TOO_LARGE: past the buffer's maximum; STATUS_UNAVAILABLE: no memory. */
CHECKED enum status gzip_deflate(struct slice bytes, int level, struct error *err, struct buf *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of an upload's body: what to decode, and what to keep.
 *
 * A pprof is usually gzip by itself, and Content-Encoding may wrap it once more. Both levels are
 * told by their magic bytes and share one cap on what comes out. Kept is the body as received,
 * except that a wrapped gzip pprof is kept without its wrapping: every kept body is one a pprof
 * tool can read. */
#ifndef BRAZIER_SERVER_INGEST_BODY_H
#define BRAZIER_SERVER_INGEST_BODY_H

#include <stdbool.h>

#include "proto/base/arena.h"
#include "proto/base/slice.h"

struct body {
    struct slice profile; /* the protobuf message, in the arena or the body as received */
    struct slice kept;    /* likewise */
};

/* Unwraps `received` and sets the arena's budget to what decoding the result may take.
 * STATUS_EMPTY_BODY, BAD_GZIP, TOO_LARGE. */
CHECKED enum status body_unwrap(struct slice received, bool content_encoding_gzip,
                                size_t max_inflated_bytes, struct arena *arena, struct error *err,
                                struct body *ret_body);

#endif

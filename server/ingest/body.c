/* SPDX-License-Identifier: Apache-2.0 */
/* Second step of ingest: received bytes to a protobuf message under a cap and a budget. Looks at
 * the first two bytes only; whether the message is a profile is the decoder's question. */
#include "server/ingest/body.h"

#include "proto/base/limits.h"
#include "proto/gzip.h"

static size_t body_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The budget of a request whose body inflates to `inflated_bytes`. */
static size_t body_budget(size_t inflated_bytes)
{
    if (inflated_bytes > LIMIT_ARENA_BYTES / LIMIT_ARENA_FACTOR)
        return LIMIT_ARENA_BYTES;
    return body_smaller(LIMIT_ARENA_FACTOR * inflated_bytes + LIMIT_ARENA_BASE_BYTES,
                        LIMIT_ARENA_BYTES);
}

enum status body_unwrap(struct slice received, bool content_encoding_gzip,
                        size_t max_inflated_bytes, struct arena *arena, struct error *err,
                        struct body *ret_body)
{
    struct body body = {.profile = received, .kept = received};
    size_t left_bytes = max_inflated_bytes;
    unsigned levels = content_encoding_gzip ? 2 : 1;

    if (received.size_bytes == 0)
        return error_set(err, STATUS_EMPTY_BODY, "the body is empty");
    /* Inflating needs the result and, while it grows, a copy of a part of it. */
    arena_set_budget(
        arena, body_smaller(2 * max_inflated_bytes + LIMIT_ARENA_BASE_BYTES, LIMIT_ARENA_BYTES));
    for (unsigned level = 0; level < levels && gzip_detect(body.profile); level++) {
        body.kept = body.profile;
        enum status status = gzip_inflate(body.kept, left_bytes, arena, err, &body.profile);
        if (status != STATUS_OK)
            return status;
        left_bytes -= body.profile.size_bytes;
    }
    if (body.profile.size_bytes == 0)
        return error_set(err, STATUS_EMPTY_BODY, "the body is gzip of nothing");
    if (body.profile.size_bytes > max_inflated_bytes)
        return error_set_at(err, STATUS_TOO_LARGE, "body", ERROR_NONE, (int64_t)max_inflated_bytes,
                            "the profile has %zu bytes, at most %zu", body.profile.size_bytes,
                            max_inflated_bytes);
    size_t inflated_bytes = max_inflated_bytes - left_bytes;
    arena_set_budget(arena,
                     body_budget(inflated_bytes > 0 ? inflated_bytes : body.profile.size_bytes));
    *ret_body = body;
    return STATUS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* POST /profiles: from a body and its parameters to a durable profile and the answer.
 *
 * ingest_profile reads as the data path: parameters, inflate, decode, prune, normalise, digest,
 * store, answer. No step reaches back, and on any failure nothing is stored. */
#ifndef BRAZIER_SERVER_INGEST_INGEST_H
#define BRAZIER_SERVER_INGEST_INGEST_H

#include "proto/base/arena.h"
#include "proto/base/buf.h"
#include "server/view/query.h"
#include "storage/store.h"

/* What uploads share; made by the server, read by every thread. */
struct ingest_context {
    struct store *store;
    size_t max_inflated_bytes; /* of one upload, both gzip levels together */
};

/* Stores one upload and returns when it is durable. `body` is as received and must outlive the
 * call; `content_encoding_gzip` says that the request declared it compressed; `idempotency_key` is
 * the header's value, or empty. The arena's budget is set here, by the inflated size.
 * Appends the JSON answer to `out`; *ret_created is false when the upload was stored before.
 * STATUS_BAD_PARAMETER, BAD_REQUEST (the key), BAD_GZIP, and all that decode_profile,
 * metrics_normalise and store_put can fail with. */
CHECKED enum status ingest_profile(const struct ingest_context *context, const struct query *query,
                                   struct slice body, bool content_encoding_gzip,
                                   struct slice idempotency_key, struct arena *arena,
                                   int64_t now_ns, struct error *err, struct buf *out,
                                   bool *ret_created);

#endif

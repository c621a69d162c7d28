/* SPDX-License-Identifier: Apache-2.0 */
/* What makes an upload itself: SHA-256 over length-prefixed fields, cut to 128 bits.
 *
 * Two uploads with one id are one upload. Length prefixes keep ("ab", "c") and ("a", "bc") apart,
 * and each kind of id begins with its own text, so that no key can imitate a body. */
#ifndef BRAZIER_SERVER_INGEST_DIGEST_H
#define BRAZIER_SERVER_INGEST_DIGEST_H

#include "proto/base/error.h"
#include "server/ingest/upload.h"

/* The id of (service, version, type, labels, time, inflated body). `type` is the resolved one,
 * `time_ns` as claimed by parameter or profile, before anything adjusts it. */
struct store_id digest_upload(const struct upload *upload, struct slice type, int64_t time_ns,
                              struct slice body);

/* The id of (service, Idempotency-Key). */
struct store_id digest_key(struct slice service, struct slice key);

/* An id that no other upload has. STATUS_UNAVAILABLE: no random bytes. */
CHECKED enum status digest_random(struct error *err, struct store_id *ret_id);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What an upload's parameters say about it. Slices point into the query or the arena. */
#ifndef BRAZIER_SERVER_INGEST_UPLOAD_H
#define BRAZIER_SERVER_INGEST_UPLOAD_H

#include "proto/base/arena.h"
#include "server/view/query.h"
#include "storage/store.h"

/* `time_ns` and `duration_ns` of an upload that leaves them to the profile. */
#define UPLOAD_UNSET INT64_MIN

struct upload {
    struct slice service;
    struct slice version; /* may be empty */
    struct slice type;    /* canonical; empty: to be inferred */
    struct store_label *labels;
    uint32_t label_count; /* sorted by key, then value; no pair twice */
    int64_t time_ns;
    int64_t duration_ns;
    int64_t work; /* -1: none reported */
    struct slice work_unit;
};

/* Reads and checks all parameters of a query (any: query_check is done here). Work without a unit
 * counts "units". A duration is nanoseconds, or a number with ns, us, ms, s, m or h behind it.
 * STATUS_BAD_PARAMETER; STATUS_TOO_LARGE: arena. */
CHECKED enum status upload_read(const struct query *query, struct arena *arena, int64_t now_ns,
                                struct error *err, struct upload *ret_upload);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads to a store that only remembers what it was given.
 *
 * One upload at a time: every test begins with keeper_set_up and ends with keeper_tear_down. */
#ifndef BRAZIER_TESTS_UNIT_SUPPORT_KEEPER_H
#define BRAZIER_TESTS_UNIT_SUPPORT_KEEPER_H

#include <cjson/cJSON.h>

#include "proto/base/buf.h"
#include "proto/base/limits.h"
#include "proto/base/timestamp.h"
#include "server/ingest/ingest.h"

#define KEEPER_NOW_NS  INT64_C(1764523260000000000) /* 2025-11-30T17:21:00Z */
#define KEEPER_TIME_NS INT64_C(1764520000123456789) /* the sample profile's own */

struct keeper {
    struct store store;
    struct store_put put; /* the latest */
    struct store_label labels[LIMIT_LABELS];
    int64_t first_value; /* as normalised */
    uint32_t puts;
    bool repeated; /* what the store shall answer */
    struct arena *arena;
    struct error err;
    struct buf answer; /* to the latest upload */
    struct buf pprof;  /* the sample profile, not compressed */
};

extern struct keeper keeper;

int keeper_set_up(void **state);
int keeper_tear_down(void **state);

/* One sample of 7 microseconds of "cpu" in main; no time or duration when that is 0. */
void keeper_make_pprof(struct buf *out, int64_t time_ns, int64_t duration_ns);

/* `bytes` as gzip; the caller frees. */
struct buf keeper_gzip(struct slice bytes);

struct slice keeper_slice(const struct buf *buf);

/* Uploads with parameters from "key=value&key=value". */
enum status keeper_post_with(const char *text, struct slice body, bool encoded, struct slice key,
                             size_t max_inflated_bytes);

/* Uploads what must be stored, or what must be refused and reach no store. */
void assert_posted(const char *text, struct slice body);
void assert_refused(const char *text, struct slice body, enum status expected);

static inline bool keeper_same_id(struct store_id a, struct store_id b)
{
    return memcmp(a.bytes, b.bytes, STORE_ID_BYTES) == 0;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Short ways to put into a store and to look into its answers, for store tests. */
#ifndef BRAZIER_TESTS_UNIT_STORE_FIXTURE_H
#define BRAZIER_TESTS_UNIT_STORE_FIXTURE_H

#include "proto/base/limits.h"
#include "storage/store.h"
#include "tests/unit/handmade.h"

/* 2026-11-15T12:00:00Z, the middle of a month, and that month's neighbours. */
#define NOVEMBER INT64_C(1794744000000000000)
#define OCTOBER  (NOVEMBER - 30 * DAY)
#define DAY      (INT64_C(86400) * 1000000000)

/* A put in words; what is zero takes the default in brackets. */
struct fixture_put {
    unsigned id;         /* becomes the digest */
    const char *service; /* ["shop"] */
    const char *version; /* ["1"] */
    const char *type;    /* ["cpu"] */
    const char *labels;  /* "key=value;key=value", sorted [none] */
    int64_t start_ns;    /* [NOVEMBER] */
    int64_t duration_ns;
    int64_t work; /* with work_unit only */
    const char *work_unit;
    const char *metric; /* name of the second sample type ["cpu"] */
    const char *unit;   /* ["nanoseconds"] */
    const char *body;   /* ["body"] */
    const struct handmade_sample *samples;
    uint32_t sample_count;
};

struct store_id fixture_id(unsigned number);

/* Stores it; the receipt is in `arena`. */
enum status fixture_try_put(struct store *store, struct arena *arena, const struct fixture_put *put,
                            struct error *err, struct store_receipt *ret_receipt);

/* Stores one sample `stack` with values {1, value}, which must succeed. */
void fixture_put_stack(struct store *store, const struct fixture_put *put, const char *stack,
                       int64_t value);

/* The selection of everything of service "shop", type "cpu", metric "cpu". */
struct store_selection fixture_all(void);

/* Self of a stack ("main;work", names without files; "" the root) on one side, or INT64_MIN. */
int64_t fixture_self(const struct store_tally *tally, unsigned side, const char *stack);

#endif

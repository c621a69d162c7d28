/* SPDX-License-Identifier: Apache-2.0 */
/* The sample types of a profile as the metrics Brazier keeps: unique names, canonical units,
 * exact values, and what kind of quantity each is (api.md, "Types, metrics, units"). */
#ifndef BRAZIER_PROTO_METRICS_H
#define BRAZIER_PROTO_METRICS_H

#include "proto/base/arena.h"
#include "proto/profile.h"

enum metric_kind {
    METRIC_COUNTER,    /* used up during the profile: add, and divide by its duration */
    METRIC_GAUGE,      /* what is there at one moment: average over profiles, never per second */
    METRIC_CUMULATIVE, /* since the process began */
    METRIC_KIND_MAX
};

struct metric {
    struct slice name; /* valid UTF-8, unique within the profile: "cpu", "value", "value#2" */
    struct slice unit; /* "nanoseconds", "bytes", or as written */
    enum metric_kind kind;
    int64_t total; /* exact signed sum over all samples, in `unit` */
};

/* "counter", "gauge" or "cumulative". */
const char *metric_kind_name(enum metric_kind kind);

/* Names, scales and sums the profile's sample types: times are multiplied to nanoseconds, sizes to
 * bytes, in sample_values themselves. `ret_metrics` has type_count entries, in column order, in
 * `arena`; unit names are static or point into it.
 * STATUS_VALUE_OVERFLOW: a product or a total past int64 (the profile is then half scaled and must
 * be thrown away); STATUS_TOO_LARGE: a name over LIMIT_METRIC_BYTES, or the arena. */
CHECKED enum status metrics_normalise(struct profile *profile, struct arena *arena,
                                      struct error *err, struct metric **ret_metrics);

/* The profile type that a profile without a `type` parameter gets: "cpu", "heap" ... (api.md, first
 * match). Always [a-z0-9_]{1,64}. The result is static or lives in `arena`.
 * STATUS_TOO_LARGE: arena. */
CHECKED enum status metrics_infer_type(const struct profile *profile, struct arena *arena,
                                       struct error *err, struct slice *ret_type);

/* A type as given by a client, in canonical spelling: lower case, '-' as '_', "goroutines" and
 * "wallclock" by their names. STATUS_BAD_PARAMETER: not [a-z0-9_]{1,64} then. */
CHECKED enum status metrics_canonical_type(struct slice given, struct arena *arena,
                                           struct error *err, struct slice *ret_type);

#endif

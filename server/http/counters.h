/* SPDX-License-Identifier: Apache-2.0 */
/* Counting what was answered, for /metrics. Relaxed atomics: figures, not synchronisation. */
#ifndef BRAZIER_SERVER_HTTP_COUNTERS_H
#define BRAZIER_SERVER_HTTP_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

#include "proto/base/buf.h"
#include "proto/base/status.h"
#include "server/http/deadline.h"
#include "server/http/route_id.h"
#include "storage/store.h"

struct counters {
    atomic_uint_least64_t answers[ROUTE_MAX][STATUS_MAX];
    atomic_uint_least64_t busy_ns[ROUTE_MAX]; /* wall time spent in handlers */
    atomic_uint_least64_t body_bytes;         /* of accepted uploads, as received */
    atomic_uint_least64_t requests_active;
};

/* Counts one finished request. */
void counters_add(struct counters *counters, enum route_id route, enum status status,
                  uint64_t busy_ns);

/* Appends all figures in Prometheus text format, version 0.0.4. */
void counters_write(struct counters *counters, const struct deadline_sweeper *sweeper,
                    struct store *store, const struct arena_pool *memory, struct buf *out);

#endif

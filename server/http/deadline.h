/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines for connections: a sweeper that shuts down those whose current phase takes too long.
 *
 * libmicrohttpd's own time-out only counts idle time, so a client that sends one byte a second
 * lives for ever. Here every phase of a connection (first request line, headers, body, answer, rest
 * between requests) has an end that single bytes do not move. While a handler works there is none:
 * handlers are bounded by their own limits. Nor is a client late whose bytes are here unread. */
#ifndef BRAZIER_SERVER_HTTP_DEADLINE_H
#define BRAZIER_SERVER_HTTP_DEADLINE_H

#include <stdatomic.h>
#include <stdint.h>

#include "proto/base/error.h"

enum deadline_phase {
    DEADLINE_IDLE,    /* kept alive: no further request line yet */
    DEADLINE_HEADERS, /* just connected, or request line seen */
    DEADLINE_BODY,
    DEADLINE_WORK, /* no deadline */
    DEADLINE_SEND,
    DEADLINE_PHASE_MAX
};

struct deadline_sweeper;
struct deadline; /* of one connection */

/* Starts the sweeper's thread. STATUS_UNAVAILABLE: no memory or no thread. */
CHECKED enum status deadline_start(struct error *err, struct deadline_sweeper **ret_sweeper);

/* Stops the thread and frees the sweeper; all connections must have been closed. */
void deadline_stop(struct deadline_sweeper *sweeper);

/* Registers the socket of a new connection, in phase HEADERS: a first request may not dawdle.
 * NULL: no memory; the connection is then unwatched. */
struct deadline *deadline_open(struct deadline_sweeper *sweeper, int fd);

/* Forgets a connection; must come before its socket is closed. NULL is allowed. */
void deadline_close(struct deadline_sweeper *sweeper, struct deadline *deadline);

/* Begins `phase` now. In BODY it may be called again as bytes arrive: `size_bytes` of them lengthen
 * the phase by what it takes to move so much at LIMIT_BODY_BYTES_PER_MS. 0 in other phases: an
 * answer's time does not grow with its size, because it holds that much memory. NULL is allowed. */
void deadline_enter(struct deadline *deadline, enum deadline_phase phase, uint64_t size_bytes);

/* Connections shut down so far, by the phase that took too long. */
uint64_t deadline_count(const struct deadline_sweeper *sweeper, enum deadline_phase phase);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* One request and its answer, from the headers to the last byte sent.
 *
 * The daemon makes an exchange when the headers are in and frees it when libmicrohttpd is done with
 * the request, however it ended. Handlers read the upper part and fill the lower one; they own
 * nothing. Body, query and arena go once the handler is done: an answer may take a minute to send,
 * and needs none of them. */
#ifndef BRAZIER_SERVER_HTTP_EXCHANGE_H
#define BRAZIER_SERVER_HTTP_EXCHANGE_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/arena.h"
#include "proto/base/buf.h"
#include "server/app.h"
#include "server/http/assets.h"
#include "server/http/deadline.h"
#include "server/http/router.h"
#include "server/view/query.h"

struct exchange {
    struct app *app;
    struct MHD_Connection *connection;
    const struct deadline_sweeper *sweeper;
    struct deadline *deadline; /* the connection's; may be NULL */
    uint64_t number;           /* for the log */
    const char *method;
    const char *url;
    const struct route *route; /* NULL: none matched */
    const char *allowed;       /* for the Allow header, with STATUS_METHOD_NOT_ALLOWED */
    struct slice rest;         /* what stands for the * of the route's path */
    struct query query;
    struct buf body;         /* as received */
    size_t body_taken_bytes; /* charged to app->memory */
    struct arena *arena;
    int64_t now_ns;     /* wall clock at the end of the body */
    int64_t started_ns; /* monotonic, at the end of the headers */

    enum status status; /* STATUS_OK, or what `error` explains */
    struct error error;
    int http_status; /* 0: as the status says */
    bool answered;
    const char *content_type;  /* NULL: JSON */
    const struct asset *asset; /* the answer instead of `out` */
    struct buf out;
    size_t out_taken_bytes; /* charged to app->memory until the answer is sent */
};

/* A header's value, or size 0. */
struct slice exchange_header(const struct exchange *exchange, const char *name);

/* Queues the answer: status line, security headers, body (gzip where the client takes it and it
 * pays), or the error as JSON. */
enum MHD_Result exchange_answer(struct exchange *exchange);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a request between its headers and its answer. */
#ifndef BRAZIER_SERVER_HTTP_INTAKE_H
#define BRAZIER_SERVER_HTTP_INTAKE_H

#include "server/http/exchange.h"

/* An exchange for a request whose headers are in. `url` and `method` live as long as the request.
 * NULL: no memory. */
struct exchange *intake_open(struct app *app, struct MHD_Connection *connection, const char *url,
                             const char *method);

/* Decides, before any body is read, whether the request goes on: guard, route, token, announced
 * size. On failure exchange->error is filled and the status is to be answered. */
CHECKED enum status intake_admit(struct exchange *exchange, const char *http_version);

/* Appends a piece of the body. A failure (too large, memory) is kept in exchange->status and
 * answered when the body ends; the rest of the body is then thrown away as it comes. */
void intake_take_body(struct exchange *exchange, struct slice piece);

/* Parses the query and runs the route's handler; leaves status and output in the exchange and gives
 * back the body and the arena. */
void intake_handle(struct exchange *exchange);

/* Counts and logs the request, gives memory back, frees the exchange. */
void intake_close(struct exchange *exchange);

#endif

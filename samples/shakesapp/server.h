/* SPDX-License-Identifier: Apache-2.0 */
/* The service: answers "QUERY\n" with "COUNT\n" on a loopback socket, any number of requests a
 * connection. A pool of SERVER_THREADS threads, each serving one connection at a time. */
#ifndef BRAZIER_SAMPLES_SHAKESAPP_SERVER_H
#define BRAZIER_SAMPLES_SHAKESAPP_SERVER_H

#include <stdint.h>

#include "samples/shakesapp/search.h"

#define SERVER_THREADS     16  /* as many connections at once; --concurrency is bounded by it */
#define SERVER_QUERY_BYTES 256 /* longest request, newline included */

struct server;

/* Listens on 127.0.0.1 at a free port and serves. `search` must outlive it. NULL: the socket or the
 * threads could not be had, errno says why. */
struct server *server_start(const struct search *search, uint16_t *ret_port);

/* Ends the requests at work, closes everything and joins the threads. Clients have gone by then. */
void server_stop(struct server *server);

#endif

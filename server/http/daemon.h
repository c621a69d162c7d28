/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP server: libmicrohttpd with a pool of epoll threads, and the life of each request.
 *
 *     connect -> deadline -> headers -> guard -> route -> token -> body <= limit -> handler ->
 * answer
 *
 * Refusals that need no body are answered before the body is read. */
#ifndef BRAZIER_SERVER_HTTP_DAEMON_H
#define BRAZIER_SERVER_HTTP_DAEMON_H

#include "server/app.h"

struct daemon;

/* Binds and starts serving. `app` must outlive the daemon. STATUS_UNAVAILABLE: the address is in
 * use or not ours (the message says which). */
CHECKED enum status daemon_start(struct app *app, struct error *err, struct daemon **ret_daemon);

/* The port that is listened on; differs from the configured one when that was 0. */
uint16_t daemon_port(const struct daemon *daemon);

/* Stops accepting, lets requests at work finish (at most LIMIT_DRAIN_MS), closes everything and
 * frees the daemon. */
void daemon_stop(struct daemon *daemon);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The load: rounds of random queries over a socket, every answer checked. */
#ifndef BRAZIER_SAMPLES_SHAKESAPP_CLIENT_H
#define BRAZIER_SAMPLES_SHAKESAPP_CLIENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct client {
    uint16_t port;
    int num_requests;                  /* of one round, over all connections */
    int concurrency;                   /* connections at once, each with its thread */
    const volatile sig_atomic_t *stop; /* set: the round ends early */
};

/* Sends one round. `ret_requests` is how many were answered. False: a wrong count or a broken
 * connection, already reported on standard error. */
bool client_round(const struct client *client, int round, int *ret_requests);

#endif

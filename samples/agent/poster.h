/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that names, encodes and delivers finished periods.
 *
 * At most one period waits while another is being delivered; further ones are dropped, so a slow
 * or dead server costs profiles and never memory. After a failure nothing is tried for a while:
 * AGENT_BACKOFF_MIN_MS, doubling to AGENT_BACKOFF_MAX_MS, or what the server asks for. */
#ifndef BRAZIER_SAMPLES_AGENT_POSTER_H
#define BRAZIER_SAMPLES_AGENT_POSTER_H

#include "samples/agent/config.h"
#include "samples/agent/period.h"

struct poster;

/* Starts the thread. `config` must outlive it. STATUS_UNAVAILABLE: memory or threads. */
CHECKED enum status poster_new(const struct config *config, struct error *err,
                               struct poster **ret_poster);

/* Hands `period` over; the poster owns it. Never waits. */
void poster_offer(struct poster *poster, struct period *period);

/* Delivers what waits, within AGENT_STOP_MS, joins the thread and frees the poster. */
void poster_free(struct poster *poster);

#endif

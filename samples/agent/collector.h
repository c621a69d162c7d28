/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that finds threads, empties their rings and cuts time into periods. */
#ifndef BRAZIER_SAMPLES_AGENT_COLLECTOR_H
#define BRAZIER_SAMPLES_AGENT_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "samples/agent/config.h"
#include "samples/agent/poster.h"

struct collector;

/* Gives all units of work counted since the last call; `ret_used`: whether work is counted at all.
 */
typedef int64_t collector_work(bool *ret_used);

/* Starts collecting (threads_start must have been called). `config` and `poster` must outlive it.
 * STATUS_UNAVAILABLE: memory or threads. */
CHECKED enum status collector_new(const struct config *config, struct poster *poster,
                                  collector_work *work, struct error *err,
                                  struct collector **ret_collector);

/* Stops all timers, hands the last, partial period to the poster, joins the thread, frees. */
void collector_free(struct collector *collector);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the agent: no signal of the host is ever delivered to them. */
#ifndef BRAZIER_SAMPLES_AGENT_QUIET_THREAD_H
#define BRAZIER_SAMPLES_AGENT_QUIET_THREAD_H

#include <pthread.h>

#include "proto/base/error.h"

/* Starts `run(argument)` in a thread with all signals blocked, SIGPROF among them, named `name`
 * (at most 15 bytes). The caller joins it. STATUS_UNAVAILABLE: the system refuses a thread. */
CHECKED enum status quiet_thread_start(const char *name, void *(*run)(void *), void *argument,
                                       struct error *err, pthread_t *ret_thread);

#endif

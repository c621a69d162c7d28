/* SPDX-License-Identifier: Apache-2.0 */
/* The profiled threads: one timer on each thread's CPU clock, one ring for its samples.
 *
 * Threads are found from outside, by reading /proc/self/task: Linux lets any thread create a timer
 * on another's CPU clock and aim its signal at that thread. So nothing has to be registered, and
 * threads made by libraries, by clone or before the agent came are seen as well. Who knows of a new
 * thread earlier (the shared library wraps pthread_create) may say so with threads_adopt.
 *
 * The table is one mapping that lives as long as the process, because a late signal may still
 * point into it; threads_start begins a new life of the same table. Calls are serialised by a lock
 * of their own, except threads_ring, which is for the handler. */
#ifndef BRAZIER_SAMPLES_AGENT_THREADS_H
#define BRAZIER_SAMPLES_AGENT_THREADS_H

#include <signal.h>
#include <sys/types.h>

#include "proto/base/error.h"
#include "samples/agent/ring.h"

/* Called with each sample that left a ring. */
typedef void threads_visit(void *context, const struct sample *sample);

/* Makes the table, and from now on gives every found thread a timer that fires each `interval_ns`
 * of its CPU time. STATUS_UNAVAILABLE: no memory or no /proc. */
CHECKED enum status threads_start(int64_t interval_ns, struct error *err);

/* Deletes all timers. Samples stay until threads_drain. */
void threads_stop(void);

/* Leaves a thread of the agent itself out. Call from that thread. */
void threads_exclude_self(void);

/* Gives thread `tid` of this process a timer, unless it has one. `is_new`: the thread has just
 * begun, so that an older entry of the same number is that of a dead one. Before threads_start and
 * after threads_stop nothing happens. */
void threads_adopt(pid_t tid, bool is_new);

/* Whether threads get timers just now. */
bool threads_are_profiled(void);

/* Finds threads that came and lets go of those that went. `in_full`: read the list even when the
 * number of threads is unchanged. */
void threads_scan(bool in_full);

/* Hands all waiting samples to `visit` and returns the weight of those that did not fit. Only one
 * caller at a time. */
uint64_t threads_drain(threads_visit *visit, void *context);

/* The ring that a timer signal belongs to; NULL when it is not one of ours. Async-signal-safe. */
struct ring *threads_ring(const siginfo_t *signal_info);

/* Around fork: hold the table's lock, release it, and in the child forget every thread. */
void threads_fork_prepare(void);
void threads_fork_parent(void);
void threads_fork_child(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The Brazier profiling agent: link it into a C or C++ program, call brazier_start once, and the
 * CPU profile of every period appears in the viewer.
 *
 *     #include "brazier_agent.h"
 *
 *     int main(void)
 *     {
 *         struct brazier_config config = {.service = "mill", .version = "2.1"};
 *
 *         brazier_start(&config); // failing leaves the program as it was
 *         run();                  // calls brazier_work(1) per request, if it counts any
 *         brazier_stop();         // posts the last, partial period; exit() does the same
 *     }
 *
 * What it does to its host: a POSIX timer on the CPU clock of every thread, a SIGPROF handler that
 * notes return addresses (no lock, no memory, no symbols), and two threads of its own that add up,
 * name and post them. Threads are found by the agent; none has to be registered. A server that is
 * down, slow or refusing costs the profiles of that time and one line on standard error, never
 * memory, never a wait. About 0.2 % of CPU time at 100 Hz; memory stays below 80 MiB with a
 * thousand threads, and is typically 10 MiB.
 *
 * What the host must leave alone: SIGPROF (a handler that was there before is called for signals
 * that are not the agent's), and it must not block SIGPROF in threads it wants to see.
 *
 * fork: the child is not profiled until it calls brazier_start itself. exec: nothing is left.
 * All calls may come from any thread, but none from a signal handler except brazier_work. */
#ifndef BRAZIER_AGENT_H
#define BRAZIER_AGENT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BRAZIER_API __attribute__((visibility("default")))

/* What to profile and where it goes. Zero a struct, set what differs. All strings are copied by
 * brazier_start. A BRAZIER_* environment variable that is set and not empty overrides its member,
 * so that the operator has the last word. */
struct brazier_config {
    /* Base URL of the server, http:// or https:// (certificates are checked), at most 2048 bytes.
     * NULL: http://127.0.0.1:4040. Ignored when `file` is set. BRAZIER_SERVER. */
    const char *server_url;

    /* Bearer token with the scope `write`, at most 512 bytes. NULL: none is sent. BRAZIER_TOKEN. */
    const char *token;

    /* Write profiles (gzip'd pprof) here instead of posting them. With `period_seconds` 0 the whole
     * run is one profile, written by brazier_stop; otherwise period N goes to FILE.N, from 1.
     * NULL: post to the server. BRAZIER_FILE. */
    const char *file;

    /* Name of the program in the viewer, 1 to 255 bytes. NULL: the name of the executable.
     * BRAZIER_SERVICE. */
    const char *service;

    /* Version, at most 255 bytes: the thing one compares. NULL: empty. BRAZIER_VERSION. */
    const char *version;

    /* Labels as "key:value,key:value", at most 30, key <= 128 and value <= 1024 bytes.
     * NULL: none. BRAZIER_LABELS. */
    const char *labels;

    /* What brazier_work counts, such as "requests", at most 64 bytes. With a unit every profile
     * carries its work, 0 included; NULL: work is sent without a unit, from the first profile in
     * which brazier_work was called. BRAZIER_WORK_UNIT. */
    const char *work_unit;

    /* Length of one profile in seconds, 1 to 3600. 0: 10. BRAZIER_PERIOD_SECONDS. */
    unsigned period_seconds;

    /* Samples per second of CPU time of each thread, 1 to 1000. 0: 100. The kernel may take fewer
     * (its timer tick is often 250 Hz); samples then weigh more and totals stay right. BRAZIER_HZ.
     */
    unsigned hz;
};

enum brazier_status {
    BRAZIER_OK = 0,
    BRAZIER_BAD_CONFIG = -1,      /* a member or variable out of its bound */
    BRAZIER_ALREADY_RUNNING = -2, /* started before, or brazier_stop has not returned yet */
    BRAZIER_NO_RESOURCES = -3     /* memory, threads or timers */
};

/* Starts profiling. `config` NULL: environment and defaults only. On failure nothing runs, and one
 * line on standard error says why. Does not wait for the server. */
BRAZIER_API enum brazier_status brazier_start(const struct brazier_config *config);

/* Counts `units` of work done (requests, messages, frames) since the last call; sent with each
 * profile, it makes cost per unit visible. One atomic addition; safe everywhere, agent running or
 * not. Negative units are ignored. */
BRAZIER_API void brazier_work(int64_t units);

/* Makes the calling thread known at once instead of within the 25 ms (250 ms at worst) in which the
 * agent finds new threads itself. Only worth it for threads that live shorter, in programs that
 * link the static library: the shared one sees pthread_create. Nothing happens when the agent is
 * not running. */
BRAZIER_API void brazier_thread(void);

/* Ends profiling: posts or writes the last, partial period, waits at most about five seconds for
 * it, and joins the agent's threads. Nothing happens when it is not running. */
BRAZIER_API void brazier_stop(void);

#ifdef __cplusplus
}
#endif

#endif

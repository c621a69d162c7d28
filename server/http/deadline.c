/* SPDX-License-Identifier: Apache-2.0 */
/* The sweeper: twice a second it walks the open connections and shuts down the late ones.
 * Shutting a socket down makes libmicrohttpd's own thread see the end and clean up; this thread
 * never closes a descriptor, so numbers cannot be reused under its hands. */
#include "server/http/deadline.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

#include "proto/base/limits.h"
#include "proto/base/timestamp.h"

#define SWEEP_MS 500 /* how late a deadline may be noticed */
#define MS_NS    INT64_C(1000000)
#define NEVER_NS INT64_MAX

struct deadline {
    struct deadline *previous, *next; /* guarded by the sweeper's lock */
    int fd;
    _Atomic enum deadline_phase phase;
    _Atomic int64_t since_ns; /* monotonic: when the phase began */
    _Atomic int64_t end_ns;
};

struct deadline_sweeper {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    bool stop;
    struct deadline list; /* sentinel of a ring */
    atomic_uint_least64_t late_count[DEADLINE_PHASE_MAX];
};

/* Whether the connection waits for this server and not for its client: bytes lie in the socket that
 * its thread, at work for another connection, has not come to read. */
static bool waits_for_us(const struct deadline *deadline)
{
    enum deadline_phase phase = atomic_load(&deadline->phase);
    int unread_bytes = 0;

    return phase != DEADLINE_SEND && ioctl(deadline->fd, FIONREAD, &unread_bytes) == 0 &&
           unread_bytes > 0;
}

static void sweep(struct deadline_sweeper *sweeper)
{
    int64_t now_ns = timestamp_monotonic_ns();

    for (struct deadline *at = sweeper->list.next; at != &sweeper->list; at = at->next) {
        if (now_ns < atomic_load(&at->end_ns) || waits_for_us(at))
            continue;
        atomic_fetch_add(&sweeper->late_count[atomic_load(&at->phase)], 1);
        atomic_store(&at->end_ns, NEVER_NS); /* once is enough */
        (void)shutdown(at->fd, SHUT_RDWR);
    }
}

static void *sweeper_run(void *argument)
{
    struct deadline_sweeper *sweeper = argument;

    (void)pthread_mutex_lock(&sweeper->lock);
    while (!sweeper->stop) {
        struct timespec until;

        (void)clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += SWEEP_MS * MS_NS;
        until.tv_sec += until.tv_nsec / TIMESTAMP_SECOND_NS;
        until.tv_nsec %= TIMESTAMP_SECOND_NS;
        (void)pthread_cond_timedwait(&sweeper->stopped, &sweeper->lock, &until);
        sweep(sweeper);
    }
    (void)pthread_mutex_unlock(&sweeper->lock);
    return NULL;
}

enum status deadline_start(struct error *err, struct deadline_sweeper **ret_sweeper)
{
    struct deadline_sweeper *sweeper = calloc(1, sizeof(*sweeper));
    pthread_condattr_t monotonic;

    if (sweeper == NULL)
        return error_no_memory(err, "deadline sweeper");
    sweeper->list.next = sweeper->list.previous = &sweeper->list;
    (void)pthread_mutex_init(&sweeper->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&sweeper->stopped, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    if (pthread_create(&sweeper->thread, NULL, sweeper_run, sweeper) != 0) {
        free(sweeper);
        return error_set(err, STATUS_UNAVAILABLE, "cannot start the deadline thread");
    }
    *ret_sweeper = sweeper;
    return STATUS_OK;
}

void deadline_stop(struct deadline_sweeper *sweeper)
{
    (void)pthread_mutex_lock(&sweeper->lock);
    sweeper->stop = true;
    (void)pthread_cond_signal(&sweeper->stopped);
    (void)pthread_mutex_unlock(&sweeper->lock);
    (void)pthread_join(sweeper->thread, NULL);
    (void)pthread_cond_destroy(&sweeper->stopped);
    (void)pthread_mutex_destroy(&sweeper->lock);
    free(sweeper);
}

struct deadline *deadline_open(struct deadline_sweeper *sweeper, int fd)
{
    struct deadline *deadline = calloc(1, sizeof(*deadline));

    if (deadline == NULL)
        return NULL;
    deadline->fd = fd;
    deadline_enter(deadline, DEADLINE_HEADERS, 0); /* the first request may not dawdle */
    (void)pthread_mutex_lock(&sweeper->lock);
    deadline->next = &sweeper->list;
    deadline->previous = sweeper->list.previous;
    deadline->previous->next = deadline;
    sweeper->list.previous = deadline;
    (void)pthread_mutex_unlock(&sweeper->lock);
    return deadline;
}

void deadline_close(struct deadline_sweeper *sweeper, struct deadline *deadline)
{
    if (deadline == NULL)
        return;
    (void)pthread_mutex_lock(&sweeper->lock);
    deadline->previous->next = deadline->next;
    deadline->next->previous = deadline->previous;
    (void)pthread_mutex_unlock(&sweeper->lock);
    free(deadline);
}

void deadline_enter(struct deadline *deadline, enum deadline_phase phase, uint64_t size_bytes)
{
    static const int64_t limit_ms[DEADLINE_PHASE_MAX] = {
        [DEADLINE_IDLE] = LIMIT_IDLE_SECONDS * 1000, [DEADLINE_HEADERS] = LIMIT_HEADER_DEADLINE_MS,
        [DEADLINE_BODY] = LIMIT_BODY_DEADLINE_MS,    [DEADLINE_WORK] = 0,
        [DEADLINE_SEND] = LIMIT_SEND_DEADLINE_MS,
    };
    int64_t extra_ms = (int64_t)(size_bytes / LIMIT_BODY_BYTES_PER_MS);

    if (deadline == NULL)
        return;
    if (phase != atomic_load(&deadline->phase) || atomic_load(&deadline->since_ns) == 0) {
        atomic_store(&deadline->phase, phase);
        atomic_store(&deadline->since_ns, timestamp_monotonic_ns());
    }
    if (phase == DEADLINE_WORK)
        atomic_store(&deadline->end_ns, NEVER_NS);
    else
        atomic_store(&deadline->end_ns,
                     atomic_load(&deadline->since_ns) + (limit_ms[phase] + extra_ms) * MS_NS);
}

uint64_t deadline_count(const struct deadline_sweeper *sweeper, enum deadline_phase phase)
{
    return atomic_load(&sweeper->late_count[phase]);
}

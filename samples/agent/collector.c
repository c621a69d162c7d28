/* SPDX-License-Identifier: Apache-2.0 */
/* The first half of the agent's path: rings -> period -> poster. Wakes every AGENT_COLLECT_MS; does
 * nothing slow, so rings never fill up while a server is slow. */
#include "samples/agent/collector.h"

#include <stdlib.h>
#include <time.h>

#include "proto/base/timestamp.h"
#include "samples/agent/complain.h"
#include "samples/agent/quiet_thread.h"
#include "samples/agent/threads.h"

#define MS_NS INT64_C(1000000)

struct collector {
    const struct config *config;
    struct poster *poster;
    collector_work *work;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stopping; /* guarded by lock */

    /* The thread's own. */
    struct period *period;
    int64_t begun_ns;     /* monotonic, of `period` */
    int64_t last_list_ns; /* monotonic, of the last full thread list */
    uint64_t number;
};

static void add_sample(void *context, const struct sample *sample)
{
    period_add(context, sample);
}

static void begin_period(struct collector *collector)
{
    collector->period = period_new();
    collector->begun_ns = timestamp_monotonic_ns();
    if (!collector->period) {
        complain(COMPLAINT_RESOURCES, "no memory for a profile; the next period tries again");
        return;
    }
    collector->period->start_ns = timestamp_now_ns();
    collector->period->interval_ns = collector->config->interval_ns;
    collector->period->number = ++collector->number;
}

static void end_period(struct collector *collector, bool is_last)
{
    struct period *period = collector->period;

    collector->period = NULL;
    if (!period)
        return;
    period->duration_ns = timestamp_monotonic_ns() - collector->begun_ns;
    period->work = collector->work(&period->has_work);
    period->has_work |= collector->config->work_unit[0] != '\0'; /* it will come: this is 0 */
    period->is_last = is_last;
    poster_offer(collector->poster, period);
}

/* Waits one round. True: the collector is to stop. */
static bool wait_round(struct collector *collector)
{
    int64_t until_ns = timestamp_monotonic_ns() + AGENT_COLLECT_MS * MS_NS;
    struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};

    pthread_mutex_lock(&collector->lock);
    if (!collector->stopping)
        pthread_cond_clockwait(&collector->changed, &collector->lock, CLOCK_MONOTONIC, &until);
    bool stopping = collector->stopping;
    pthread_mutex_unlock(&collector->lock);
    return stopping;
}

static void collect(struct collector *collector)
{
    int64_t now_ns = timestamp_monotonic_ns();
    bool in_full = now_ns - collector->last_list_ns >= AGENT_LIST_MS * MS_NS;

    if (in_full)
        collector->last_list_ns = now_ns;
    threads_scan(in_full);
    if (!collector->period)
        begin_period(collector);
    if (!collector->period)
        return; /* samples wait in their rings, then count as lost */
    uint64_t lost = threads_drain(add_sample, collector->period);
    collector->period->lost += (int64_t)lost;
}

static void *run(void *opaque)
{
    struct collector *collector = opaque;

    threads_exclude_self();
    collect(collector);
    while (!wait_round(collector)) {
        collect(collector);
        if (timestamp_monotonic_ns() - collector->begun_ns >= collector->config->period_ns) {
            end_period(collector, false);
            begin_period(collector);
        }
    }
    threads_stop();
    collect(collector);
    end_period(collector, true);
    return NULL;
}

void collector_free(struct collector *collector)
{
    if (!collector)
        return;
    pthread_mutex_lock(&collector->lock);
    collector->stopping = true;
    pthread_cond_signal(&collector->changed);
    pthread_mutex_unlock(&collector->lock);
    if (collector->has_thread)
        pthread_join(collector->thread, NULL);
    period_free(collector->period);
    pthread_cond_destroy(&collector->changed);
    pthread_mutex_destroy(&collector->lock);
    free(collector);
}

CLEANUP_DEFINE(collector_cleanup, struct collector *, collector_free)

enum status collector_new(const struct config *config, struct poster *poster, collector_work *work,
                          struct error *err, struct collector **ret_collector)
{
    CLEANUP(collector_cleanup) struct collector *collector = calloc(1, sizeof(*collector));

    if (!collector)
        return error_no_memory(err, "agent");
    pthread_mutex_init(&collector->lock, NULL);
    pthread_cond_init(&collector->changed, NULL);
    collector->config = config;
    collector->poster = poster;
    collector->work = work;
    begin_period(collector); /* now, not when the system gets round to the thread */
    enum status status =
        quiet_thread_start("brazier-collect", run, collector, err, &collector->thread);
    if (status != STATUS_OK)
        return status;
    collector->has_thread = true;
    *ret_collector = collector;
    collector = NULL;
    return STATUS_OK;
}

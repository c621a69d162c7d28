/* SPDX-License-Identifier: Apache-2.0 */
/* The second half of the agent's path: period -> symbols -> pprof -> server or file. Everything
 * slow happens here, out of the way of the collector, which must keep emptying the rings. */
#include "samples/agent/poster.h"

#include <pthread.h>
#include <stdlib.h>

#include "proto/base/timestamp.h"
#include "samples/agent/complain.h"
#include "samples/agent/pprof.h"
#include "samples/agent/quiet_thread.h"
#include "samples/agent/threads.h"
#include "samples/agent/upload.h"

#define MS_NS INT64_C(1000000)

struct poster {
    const struct config *config;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct period *waiting; /* guarded by lock, as is `closing` */
    bool closing;
    _Atomic int64_t deadline_ns; /* 0: none yet */

    /* The thread's own. */
    struct symbols *symbols;
    struct upload *upload; /* NULL: profiles go to a file */
    int64_t backoff_ms;    /* 0: the last upload was answered */
    int64_t resume_ns;     /* monotonic; nothing is posted before */
};

static void back_off(struct poster *poster, int64_t asked_ms)
{
    int64_t doubled_ms = 2 * poster->backoff_ms;

    if (doubled_ms < AGENT_BACKOFF_MIN_MS)
        doubled_ms = AGENT_BACKOFF_MIN_MS;
    if (doubled_ms > AGENT_BACKOFF_MAX_MS)
        doubled_ms = AGENT_BACKOFF_MAX_MS;
    poster->backoff_ms = doubled_ms;
    poster->resume_ns =
        timestamp_monotonic_ns() + (asked_ms > doubled_ms ? asked_ms : doubled_ms) * MS_NS;
}

static void post(struct poster *poster, const struct period *period, struct slice bytes)
{
    int64_t asked_ms = 0;

    if (upload_post(poster->upload, period, bytes, &asked_ms) == UPLOAD_LATER)
        back_off(poster, asked_ms);
    else
        poster->backoff_ms = 0;
}

static void deliver(struct poster *poster, const struct period *period)
{
    CLEANUP(buf_cleanup) struct buf bytes;
    struct error err;

    if (period->lost > 0)
        complain(COMPLAINT_LOST, "%lld samples were lost; the profile shows them as " PPROF_LOST,
                 (long long)period->lost);
    if (!period->is_last && poster->backoff_ms != 0 && timestamp_monotonic_ns() < poster->resume_ns)
        return; /* dropped: the server is down */
    buf_init(&bytes, AGENT_MESSAGE_BYTES);
    enum status status = symbols_refresh(poster->symbols, &err);
    if (status == STATUS_OK)
        status = pprof_write(period, poster->config, poster->symbols, &err, &bytes);
    if (status != STATUS_OK) {
        complain(COMPLAINT_BUILD, "a profile is dropped: %s", err.text);
        return;
    }
    struct slice body = slice_make(bytes.data, bytes.size_bytes);
    if (poster->upload)
        post(poster, period, body);
    else
        upload_to_file(poster->config, period, body);
}

/* The next period, or NULL when the poster closes and none is left. */
static struct period *take(struct poster *poster)
{
    pthread_mutex_lock(&poster->lock);
    while (!poster->waiting && !poster->closing)
        pthread_cond_wait(&poster->changed, &poster->lock);
    struct period *period = poster->waiting;
    poster->waiting = NULL;
    pthread_mutex_unlock(&poster->lock);
    return period;
}

static void *run(void *opaque)
{
    struct poster *poster = opaque;

    threads_exclude_self();
    for (struct period *period = take(poster); period; period = take(poster)) {
        deliver(poster, period);
        period_free(period);
    }
    return NULL;
}

void poster_offer(struct poster *poster, struct period *period)
{
    pthread_mutex_lock(&poster->lock);
    struct period *dropped = poster->waiting;
    poster->waiting = period;
    pthread_cond_signal(&poster->changed);
    pthread_mutex_unlock(&poster->lock);
    if (dropped)
        complain(COMPLAINT_SLOW, "uploads take longer than a period; profiles are dropped");
    period_free(dropped);
}

void poster_free(struct poster *poster)
{
    if (!poster)
        return;
    atomic_store(&poster->deadline_ns, timestamp_monotonic_ns() + AGENT_STOP_MS * MS_NS);
    pthread_mutex_lock(&poster->lock);
    poster->closing = true;
    pthread_cond_signal(&poster->changed);
    pthread_mutex_unlock(&poster->lock);
    if (poster->has_thread)
        pthread_join(poster->thread, NULL);
    period_free(poster->waiting);
    upload_free(poster->upload);
    symbols_free(poster->symbols);
    pthread_cond_destroy(&poster->changed);
    pthread_mutex_destroy(&poster->lock);
    free(poster);
}

CLEANUP_DEFINE(poster_cleanup, struct poster *, poster_free)

enum status poster_new(const struct config *config, struct error *err, struct poster **ret_poster)
{
    CLEANUP(poster_cleanup) struct poster *poster = calloc(1, sizeof(*poster));

    if (!poster)
        return error_no_memory(err, "agent");
    pthread_mutex_init(&poster->lock, NULL);
    pthread_cond_init(&poster->changed, NULL);
    poster->config = config;
    poster->symbols = symbols_new();
    if (!config->file)
        poster->upload = upload_new(config, &poster->deadline_ns);
    if (!poster->symbols || (!config->file && !poster->upload))
        return error_no_memory(err, "agent");
    enum status status = quiet_thread_start("brazier-post", run, poster, err, &poster->thread);
    if (status != STATUS_OK)
        return status;
    poster->has_thread = true;
    *ret_poster = poster;
    poster = NULL;
    return STATUS_OK;
}

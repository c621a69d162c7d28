/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls and the agent's life: configuration -> handler -> threads -> poster ->
 * collector, and back in reverse. One agent a process, because there is one SIGPROF. Never waits
 * for a server except, bounded, in brazier_stop. */
#include "samples/agent/brazier_agent.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "samples/agent/collector.h"
#include "samples/agent/complain.h"
#include "samples/agent/config.h"
#include "samples/agent/poster.h"
#include "samples/agent/sampler.h"
#include "samples/agent/threads.h"

enum life { STOPPED, RUNNING, STOPPING };

static struct {
    pthread_mutex_t lock;
    enum life life; /* guarded by lock, as are the three parts */
    struct config *config;
    struct poster *poster;
    struct collector *collector;
    bool prepared; /* what is done once per process */
    _Atomic int64_t work;
    _Atomic bool work_used;
} agent = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int64_t take_work(bool *ret_used)
{
    *ret_used = atomic_load(&agent.work_used);
    return atomic_exchange(&agent.work, 0);
}

static void fork_prepare(void)
{
    pthread_mutex_lock(&agent.lock);
    threads_fork_prepare();
}

static void fork_parent(void)
{
    threads_fork_parent();
    pthread_mutex_unlock(&agent.lock);
}

/* The child has neither timers nor our threads. What they owned is left alone: a lock in it may be
 * held for ever. */
static void fork_child(void)
{
    threads_fork_child();
    agent.life = STOPPED;
    agent.config = NULL;
    agent.poster = NULL;
    agent.collector = NULL;
    atomic_store(&agent.work, 0);
    atomic_store(&agent.work_used, false);
    pthread_mutex_unlock(&agent.lock);
}

/* libcurl's TLS library cleans up at exit; our handler is registered behind it and so runs before
 * it, when no upload may be under way any more. */
static enum status prepare_process(struct error *err)
{
    if (agent.prepared)
        return STATUS_OK;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return error_set(err, STATUS_UNAVAILABLE, "libcurl cannot be initialised");
    if (pthread_atfork(fork_prepare, fork_parent, fork_child) != 0 || atexit(brazier_stop) != 0)
        return error_no_memory(err, "agent");
    agent.prepared = true;
    return STATUS_OK;
}

static enum status start_parts(struct error *err)
{
    enum status status = sampler_install(err);

    if (status == STATUS_OK)
        status = threads_start(agent.config->interval_ns, err);
    if (status != STATUS_OK)
        return status;
    status = poster_new(agent.config, err, &agent.poster);
    if (status == STATUS_OK)
        status = collector_new(agent.config, agent.poster, take_work, err, &agent.collector);
    if (status != STATUS_OK)
        threads_stop();
    return status;
}

static void free_parts(struct collector *collector, struct poster *poster, struct config *config)
{
    collector_free(collector);
    poster_free(poster);
    config_free(config);
}

static enum brazier_status start_locked(const struct brazier_config *given)
{
    struct error err;

    if (agent.life != STOPPED)
        return BRAZIER_ALREADY_RUNNING;
    if (config_resolve(given, &err, &agent.config) != STATUS_OK) {
        complain(COMPLAINT_CONFIG, "not started: %s", err.text);
        return err.status == STATUS_BAD_PARAMETER ? BRAZIER_BAD_CONFIG : BRAZIER_NO_RESOURCES;
    }
    enum status status = prepare_process(&err);
    if (status == STATUS_OK)
        status = start_parts(&err);
    if (status != STATUS_OK) {
        complain(COMPLAINT_RESOURCES, "not started: %s", err.text);
        free_parts(agent.collector, agent.poster, agent.config);
        agent.collector = NULL;
        agent.poster = NULL;
        agent.config = NULL;
        return BRAZIER_NO_RESOURCES;
    }
    agent.life = RUNNING;
    threads_adopt(gettid(), false);
    return BRAZIER_OK;
}

enum brazier_status brazier_start(const struct brazier_config *config)
{
    pthread_mutex_lock(&agent.lock);
    enum brazier_status status = start_locked(config);
    pthread_mutex_unlock(&agent.lock);
    return status;
}

void brazier_stop(void)
{
    pthread_mutex_lock(&agent.lock);
    if (agent.life != RUNNING) {
        pthread_mutex_unlock(&agent.lock);
        return;
    }
    struct collector *collector = agent.collector;
    struct poster *poster = agent.poster;
    struct config *config = agent.config;
    agent.collector = NULL;
    agent.poster = NULL;
    agent.config = NULL;
    agent.life = STOPPING;
    pthread_mutex_unlock(&agent.lock); /* fork must not wait for an upload */

    free_parts(collector, poster, config);

    pthread_mutex_lock(&agent.lock);
    agent.life = STOPPED;
    pthread_mutex_unlock(&agent.lock);
}

void brazier_work(int64_t units)
{
    if (units < 0)
        return;
    atomic_fetch_add_explicit(&agent.work, units, memory_order_relaxed);
    if (!atomic_load_explicit(&agent.work_used, memory_order_relaxed))
        atomic_store_explicit(&agent.work_used, true, memory_order_relaxed);
}

void brazier_thread(void)
{
    threads_adopt(gettid(), true);
}

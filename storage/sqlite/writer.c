/* SPDX-License-Identifier: Apache-2.0 */
/* The writer thread. Input: prepared uploads from request threads; output: committed transactions.
 *
 * While one commit waits for the disk the next uploads queue up, so the busier the server, the more
 * uploads share a sync. When several came at once lately, the writer also waits a moment for as
 * many: a page that ten uploads touch is then written once and not ten times. What is in memory
 * (names, nodes) keeps its numbers when a transaction fails; the marks of what is saved move only
 * after a commit. */
#include "storage/sqlite/writer.h"

#include <stdlib.h>
#include <time.h>

#include "proto/base/limits.h"
#include "proto/base/timestamp.h"
#include "storage/sqlite/batch.h"
#include "storage/sqlite/database.h"

/* How long uploads that came alone may wait for company. Less than a sync of most disks, so it
 * costs little latency; each commit that lacked company expects one upload less, so a client that
 * stays alone soon waits no more. */
#define COMPANY_WAIT_NS 2000000

struct writer {
    struct batch *batch; /* the thread's alone */
    struct log *log;
    pthread_t thread;

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t queued;
    struct write_job *first, **end;
    uint32_t queue_count;
    uint32_t expected_count; /* uploads that seem to come at once */
    bool stopping;
    uint64_t stored_count, repeated_count, commit_count, failure_count;
};

/* With the lock held: waits until as many jobs are queued as came together lately, or for a moment.
 */
static void wait_for_company(struct writer *writer)
{
    struct timespec until;
    int code = 0;

    if (writer->queue_count >= writer->expected_count)
        return;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += COMPANY_WAIT_NS;
    until.tv_sec += until.tv_nsec / TIMESTAMP_SECOND_NS;
    until.tv_nsec %= TIMESTAMP_SECOND_NS;
    while (code == 0 && writer->queue_count < writer->expected_count && !writer->stopping)
        code = pthread_cond_timedwait(&writer->queued, &writer->lock, &until);
}

/* Waits for jobs and takes up to LIMIT_BATCH_PROFILES of them. NULL: stopping, and none left. */
static struct write_job *take_jobs(struct writer *writer)
{
    struct write_job *jobs, *last;
    uint32_t count = 1;

    (void)pthread_mutex_lock(&writer->lock);
    while (writer->first == NULL && !writer->stopping)
        (void)pthread_cond_wait(&writer->queued, &writer->lock);
    if (writer->first != NULL)
        wait_for_company(writer);
    jobs = last = writer->first;
    if (jobs != NULL) {
        for (; last->next != NULL && count < LIMIT_BATCH_PROFILES; count++)
            last = last->next;
        writer->first = last->next;
        if (writer->first == NULL)
            writer->end = &writer->first;
        last->next = NULL;
        writer->queue_count -= count;
        writer->expected_count =
            count >= writer->expected_count ? count : writer->expected_count - 1;
    }
    (void)pthread_mutex_unlock(&writer->lock);
    return jobs;
}

/* Tells the callers of `jobs` how it went. A job may vanish as soon as its `done` is set. */
static void answer_jobs(struct writer *writer, struct write_job *jobs, enum status status,
                        const struct error *err)
{
    (void)pthread_mutex_lock(&writer->lock);
    writer->commit_count += status == STATUS_OK;
    writer->failure_count += status != STATUS_OK;
    while (jobs != NULL) {
        struct write_job *next = jobs->next;

        jobs->status = status;
        jobs->error = *err;
        if (status == STATUS_OK) {
            writer->stored_count += !jobs->repeated;
            writer->repeated_count += jobs->repeated;
        }
        jobs->done = true;
        (void)pthread_cond_signal(&jobs->answered); /* its own: nobody wakes for another's commit */
        jobs = next;
    }
    (void)pthread_mutex_unlock(&writer->lock);
}

static void *run(void *argument)
{
    struct writer *writer = argument;
    struct write_job *jobs;

    while ((jobs = take_jobs(writer)) != NULL) {
        struct error error = {0};
        enum status status = batch_write(writer->batch, jobs, &error);

        if (status != STATUS_OK)
            log_write(writer->log, LOG_LEVEL_ERROR, "commit failed", "code", status_code(status),
                      "error", error.text, NULL);
        answer_jobs(writer, jobs, status, &error);
    }
    return NULL;
}

static void writer_free(struct writer *writer)
{
    batch_free(writer->batch);
    (void)pthread_cond_destroy(&writer->queued);
    (void)pthread_mutex_destroy(&writer->lock);
    free(writer);
}

enum status writer_start(sqlite3 *database, struct numbering *numbering, struct log *log,
                         struct error *err, struct writer **ret_writer)
{
    struct batch *batch = NULL;
    enum status status = batch_new(database, numbering, err, &batch);
    struct writer *writer;
    pthread_condattr_t monotonic;

    if (status != STATUS_OK)
        return status;
    writer = calloc(1, sizeof(*writer));
    if (writer == NULL) {
        batch_free(batch);
        return error_no_memory(err, "writer");
    }
    writer->batch = batch;
    writer->log = log;
    writer->end = &writer->first;
    (void)pthread_mutex_init(&writer->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&writer->queued, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    if (pthread_create(&writer->thread, NULL, run, writer) != 0) {
        writer_free(writer);
        return error_set(err, STATUS_UNAVAILABLE, "cannot start the writer thread");
    }
    *ret_writer = writer;
    return STATUS_OK;
}

void writer_stop(struct writer *writer)
{
    (void)pthread_mutex_lock(&writer->lock);
    writer->stopping = true;
    (void)pthread_cond_signal(&writer->queued);
    (void)pthread_mutex_unlock(&writer->lock);
    (void)pthread_join(writer->thread, NULL);
    writer_free(writer);
}

enum status writer_submit(struct writer *writer, struct write_job *job, struct error *err)
{
    job->next = NULL;
    job->done = false;
    (void)pthread_cond_init(&job->answered, NULL);
    (void)pthread_mutex_lock(&writer->lock);
    *writer->end = job;
    writer->end = &job->next;
    writer->queue_count++;
    (void)pthread_cond_signal(&writer->queued);
    while (!job->done)
        (void)pthread_cond_wait(&job->answered, &writer->lock);
    (void)pthread_mutex_unlock(&writer->lock);
    (void)pthread_cond_destroy(&job->answered);
    if (job->status != STATUS_OK && err != NULL)
        *err = job->error;
    return job->status;
}

void writer_stats(struct writer *writer, struct store_stats *stats)
{
    (void)pthread_mutex_lock(&writer->lock);
    stats->profiles_stored += writer->stored_count;
    stats->profiles_repeated += writer->repeated_count;
    stats->commits += writer->commit_count;
    stats->commit_failures += writer->failure_count;
    (void)pthread_mutex_unlock(&writer->lock);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The one thread that writes: all that waits goes into one transaction (group commit).
 *
 * A caller hands over a prepared upload and waits. When writer_submit returns STATUS_OK the upload
 * is on disk, with every name and node it needs; on any other status nothing of it is. */
#ifndef BRAZIER_STORAGE_SQLITE_WRITER_H
#define BRAZIER_STORAGE_SQLITE_WRITER_H

#include <pthread.h>

#include "proto/base/log.h"
#include "storage/sqlite/dictionary.h"
#include "storage/sqlite/profile_row.h"

struct write_vector {
    uint32_t tagset;
    struct slice blob;
};

struct write_job {
    struct profile_row row;        /* sequence is given by the writer */
    struct dictionary *dictionary; /* acquired by the caller, until the job is done */
    const struct write_vector *vectors;
    uint32_t vector_count;
    struct slice body;

    /* The writer's answer. */
    bool repeated; /* a profile of this id was there, or came first in the same batch */
    enum status status;
    struct error error;
    bool done;
    pthread_cond_t answered;
    struct write_job *next;
};

struct writer;

/* Takes over `database` (a DATABASE_WRITER connection with the schema in place), also on failure,
 * and starts the thread. `numbering` and `log` must outlive the writer. */
CHECKED enum status writer_start(sqlite3 *database, struct numbering *numbering, struct log *log,
                                 struct error *err, struct writer **ret_writer);

/* Finishes what is queued, stops the thread, closes the database. */
void writer_stop(struct writer *writer);
CLEANUP_DEFINE(writer_cleanup, struct writer *, writer_stop)

/* Writes one upload and returns when it is durable. Any thread. */
CHECKED enum status writer_submit(struct writer *writer, struct write_job *job, struct error *err);

/* Adds its counters. */
void writer_stats(struct writer *writer, struct store_stats *stats);

#endif

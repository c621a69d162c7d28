/* SPDX-License-Identifier: Apache-2.0 */
/* A pool of read connections with prepared statements, one per call at a time.
 *
 * Between reader_take and reader_give a call sees the database as it was at its first read,
 * whatever the writer does meanwhile. Any thread; a taken reader is its taker's alone. */
#ifndef BRAZIER_STORAGE_SQLITE_READER_H
#define BRAZIER_STORAGE_SQLITE_READER_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/cleanup.h"
#include "proto/base/error.h"

/* X(name, SQL). Columns of SELECT_PROFILE*: see profile_row.c. */
#define READER_STATEMENTS(X)                                                                       \
    X(FIND_ID, "SELECT sequence, series, version, labelset, start_ns FROM profile WHERE id = ?1")  \
    X(SELECT_PROFILE,                                                                              \
      "SELECT id, series, dictionary, version, labelset, start_ns, duration_ns, received_ns, "     \
      "work, work_unit, sample_count, body_bytes, default_metric, totals, checksum "               \
      "FROM profile WHERE sequence = ?1")                                                          \
    X(SELECT_RAW, "SELECT checksum, body FROM raw WHERE sequence = ?1")                            \
    X(SELECT_NEWEST,                                                                               \
      "SELECT sequence FROM profile WHERE series = ?1 ORDER BY start_ns DESC, sequence DESC "      \
      "LIMIT 1")                                                                                   \
    X(LIST, "SELECT start_ns, sequence, version, labelset FROM profile WHERE series = ?1 "         \
            "AND start_ns >= ?2 AND start_ns < ?3 AND (start_ns, sequence) < (?4, ?5) "            \
            "ORDER BY start_ns DESC, sequence DESC")                                               \
    X(LIST_HAVING, "SELECT start_ns, sequence, version, labelset, duration_ns, work FROM profile " \
                   "WHERE series = ?1 AND start_ns >= ?2 AND start_ns < ?3 "                       \
                   "AND (start_ns, sequence) < (?4, ?5) ORDER BY start_ns DESC, sequence DESC")    \
    X(SELECT_USAGE,                                                                                \
      "SELECT version, labelset, first_ns, last_ns, profiles FROM usage WHERE dictionary = ?1 "    \
      "ORDER BY version")                                                                          \
    X(SELECT_ALL_USAGE,                                                                            \
      "SELECT dictionary, version, labelset, profiles, first_ns, last_ns FROM usage")              \
    X(SCAN_VECTORS, "SELECT sequence, start_ns, labelset, body FROM vector WHERE dictionary = ?1 " \
                    "AND version = ?2 AND start_ns >= ?3 AND start_ns < ?4")                       \
    X(PROBE, "SELECT count(*) FROM sqlite_schema")

enum reader_statement {
#define READER_MEMBER(name, sql) READER_##name,
    READER_STATEMENTS(READER_MEMBER)
#undef READER_MEMBER
        READER_STATEMENT_MAX
};

struct reader {
    sqlite3 *database;
    sqlite3_stmt *statements[READER_STATEMENT_MAX];
    struct reader_pool *pool;
    struct reader *next; /* free list */
};

struct reader_pool;

CHECKED enum status reader_pool_new(const char *path, uint32_t reader_count, struct error *err,
                                    struct reader_pool **ret_pool);
void reader_pool_free(struct reader_pool *pool); /* all readers must be back */
CLEANUP_DEFINE(reader_pool_cleanup, struct reader_pool *, reader_pool_free)

/* Takes a reader, waiting for one if all are out, and begins its transaction. */
CHECKED enum status reader_take(struct reader_pool *pool, struct error *err,
                                struct reader **ret_reader);

/* Ends the transaction, resets all statements and gives the reader back. */
void reader_give(struct reader *reader);
CLEANUP_DEFINE(reader_cleanup, struct reader *, reader_give)

/* The statement, reset. */
sqlite3_stmt *reader_statement(struct reader *reader, enum reader_statement which);

/* Steps `statement`: STATUS_OK with *ret_row false when there are no more rows. */
CHECKED enum status reader_step(struct reader *reader, sqlite3_stmt *statement, struct error *err,
                                bool *ret_row);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Connections to the database file: opening, settings, schema, and what SQLite's codes mean.
 *
 * A connection is used by one thread at a time; whoever opened it closes it. */
#ifndef BRAZIER_STORAGE_SQLITE_DATABASE_H
#define BRAZIER_STORAGE_SQLITE_DATABASE_H

#include <sqlite3.h>

#include "proto/base/cleanup.h"
#include "proto/base/error.h"
#include "proto/base/slice.h"

enum database_role {
    DATABASE_READER, /* refuses to write */
    DATABASE_WRITER, /* durable commits */
};

static inline void database_close(sqlite3 *database)
{
    (void)sqlite3_close(database);
}
CLEANUP_DEFINE(database_cleanup, sqlite3 *, database_close)

static inline void statement_free(sqlite3_stmt *statement)
{
    (void)sqlite3_finalize(statement);
}
CLEANUP_DEFINE(statement_cleanup, sqlite3_stmt *, statement_free)

/* Creates the file if it is absent, and gives its absolute path without links (free it).
 * STATUS_UNAVAILABLE: cannot. */
CHECKED enum status database_create(const char *path, struct error *err, char **ret_path);

/* Takes the database for this process, by a lock on "PATH.lock" beside it; `path` from
 * database_create, so that no second name leads past the lock. `ret_lock` is a file descriptor:
 * closing it gives the database up. STATUS_UNAVAILABLE: another process has it. */
CHECKED enum status database_lock(const char *path, struct error *err, int *ret_lock);

/* Opens the file. STATUS_UNAVAILABLE: cannot, or it is no SQLite database. */
CHECKED enum status database_open(const char *path, enum database_role role, struct error *err,
                                  sqlite3 **ret_database);

/* Creates the schema in an empty file, or steps an older one up, in one transaction.
 * STATUS_UNAVAILABLE: another program's database, or one of a newer Brazier. */
CHECKED enum status database_prepare_schema(sqlite3 *database, struct error *err);

CHECKED enum status database_prepare(sqlite3 *database, const char *sql, struct error *err,
                                     sqlite3_stmt **ret_statement);

/* For the writer: runs a literal statement without results. `what` names the deed for the message.
 */
CHECKED enum status database_run(sqlite3 *database, const char *sql, const char *what,
                                 struct error *err);

/* For the writer: steps a statement that gives no rows, and resets it. */
CHECKED enum status database_step(sqlite3 *database, sqlite3_stmt *statement, const char *what,
                                  struct error *err);

/* STATUS_UNAVAILABLE: the file that `database` has open is no longer what lies at its path; what is
 * written to it would be gone with this process. */
CHECKED enum status database_check_place(sqlite3 *database, struct error *err);

/* The status for the last failure on `database`, with a message that names `what` but neither
 * path nor SQL: STATUS_STORAGE_FULL (no space, a writer's I/O error), STATUS_UNAVAILABLE (memory,
 * locked), STATUS_TOO_LARGE, STATUS_INTERNAL (damage, a reader's I/O error, and all else). */
CHECKED enum status database_error(sqlite3 *database, enum database_role role, const char *what,
                                   struct error *err);

/* Binds text by reference: it must live until the statement is reset. */
static inline void database_bind_blob(sqlite3_stmt *statement, int at, struct slice bytes)
{
    (void)sqlite3_bind_blob64(statement, at, bytes.size_bytes == 0 ? "" : bytes.data,
                              bytes.size_bytes, SQLITE_STATIC);
}

static inline void database_bind_text(sqlite3_stmt *statement, int at, struct slice text)
{
    (void)sqlite3_bind_text64(statement, at, text.size_bytes == 0 ? "" : text.data, text.size_bytes,
                              SQLITE_STATIC, SQLITE_UTF8);
}

/* The bytes of a result column; valid until the statement is stepped or reset. */
static inline struct slice database_column_blob(sqlite3_stmt *statement, int at)
{
    const void *bytes = sqlite3_column_blob(statement, at);

    return slice_make(bytes == NULL ? "" : bytes, (size_t)sqlite3_column_bytes(statement, at));
}

#endif

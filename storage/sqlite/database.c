/* SPDX-License-Identifier: Apache-2.0 */
/* Opening the database. Input: a path; output: connections set up for their role.
 *
 * WAL with synchronous=FULL: a commit that returned is on disk. Nothing that a stranger put into
 * the file may run code: trusted_schema is off, the connection is defensive. Never scans the whole
 * file at start (it may be large); rows carry checksums instead. */
#include "storage/sqlite/database.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "storage/sqlite/schema_sql.h"

#define APPLICATION_ID 1114790514 /* "BrZr" */
#define LOCK_SUFFIX    ".lock"
#define BUSY_MS        10000 /* readers wait only while WAL recovery or a checkpoint restarts it */

/* Step i brings version i to i + 1; a database is as new as the number of steps it has seen. */
static const char *const schema_steps[] = {schema_sql};
#define SCHEMA_VERSION ((int)(sizeof(schema_steps) / sizeof(schema_steps[0])))

/* --- errors ---------------------------------------------------------------------------------- */

static enum status status_of(int code)
{
    switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR: /* the disk refuses: quota, file size limit, a dying device */
        return STATUS_STORAGE_FULL;
    case SQLITE_NOMEM:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_INTERRUPT:
        return STATUS_UNAVAILABLE;
    case SQLITE_TOOBIG:
        return STATUS_TOO_LARGE;
    default:
        return STATUS_INTERNAL;
    }
}

enum status database_error(sqlite3 *database, enum database_role role, const char *what,
                           struct error *err)
{
    int code = sqlite3_extended_errcode(database);
    enum status status = status_of(code);

    if (role == DATABASE_READER && status == STATUS_STORAGE_FULL)
        status = STATUS_INTERNAL;
    return error_set(err, status, "%s: %s", what, sqlite3_errstr(code));
}

enum status database_run(sqlite3 *database, const char *sql, const char *what, struct error *err)
{
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK)
        return database_error(database, DATABASE_WRITER, what, err);
    return STATUS_OK;
}

enum status database_step(sqlite3 *database, sqlite3_stmt *statement, const char *what,
                          struct error *err)
{
    enum status status = STATUS_OK;

    if (sqlite3_step(statement) != SQLITE_DONE)
        status = database_error(database, DATABASE_WRITER, what, err);
    (void)sqlite3_reset(statement);
    return status;
}

enum status database_check_place(sqlite3 *database, struct error *err)
{
    int moved = 0;

    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
        moved != 0)
        return error_set(err, STATUS_UNAVAILABLE,
                         "the database file was moved, replaced or deleted while in use");
    return STATUS_OK;
}

enum status database_prepare(sqlite3 *database, const char *sql, struct error *err,
                             sqlite3_stmt **ret_statement)
{
    if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, ret_statement, NULL) !=
        SQLITE_OK)
        return database_error(database, DATABASE_READER, "preparing a statement", err);
    return STATUS_OK;
}

/* --- opening --------------------------------------------------------------------------------- */

static void close_descriptor(int *descriptor)
{
    if (*descriptor >= 0)
        (void)close(*descriptor);
}

/* Hands a descriptor on, out of reach of its cleanup. */
static int take_descriptor(int *descriptor)
{
    int taken = *descriptor;

    *descriptor = -1;
    return taken;
}

enum status database_create(const char *path, struct error *err, char **ret_path)
{
    /* Profiles tell what a program does: the file is its owner's alone. SQLite's own files beside
     * it take over this mode. */
    CLEANUP(close_descriptor) int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    char *real;

    if (file < 0)
        return error_set(err, STATUS_UNAVAILABLE, "cannot open %s: %s", path, strerror(errno));
    real = realpath(path, NULL);
    if (real == NULL)
        return error_set(err, STATUS_UNAVAILABLE, "cannot resolve %s: %s", path, strerror(errno));
    *ret_path = real;
    return STATUS_OK;
}

enum status database_lock(const char *path, struct error *err, int *ret_lock)
{
    CLEANUP(close_descriptor) int lock = -1;
    char lock_path[PATH_MAX + sizeof(LOCK_SUFFIX)];

    (void)snprintf(lock_path, sizeof(lock_path), "%s" LOCK_SUFFIX, path);
    lock = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock < 0)
        return error_set(err, STATUS_UNAVAILABLE, "cannot create %s: %s", lock_path,
                         strerror(errno));
    if (flock(lock, LOCK_EX | LOCK_NB) != 0)
        return error_set(err, STATUS_UNAVAILABLE, "%s is in use by another Brazier", path);
    *ret_lock = take_descriptor(&lock);
    return STATUS_OK;
}

/* Settings for every connection. The page size counts only while the file is empty. */
static const char common_settings[] = "PRAGMA page_size=8192;"
                                      "PRAGMA trusted_schema=OFF;"
                                      "PRAGMA cell_size_check=ON;"
                                      "PRAGMA secure_delete=OFF;"
                                      "PRAGMA temp_store=MEMORY;"
                                      "PRAGMA mmap_size=1073741824;";
static const char reader_settings[] = "PRAGMA query_only=ON;"
                                      "PRAGMA cache_size=-4096;";
static const char writer_settings[] = "PRAGMA synchronous=FULL;"
                                      "PRAGMA cache_size=-65536;"
                                      "PRAGMA wal_autocheckpoint=2000;"
                                      "PRAGMA journal_size_limit=67108864;";

enum status database_open(const char *path, enum database_role role, struct error *err,
                          sqlite3 **ret_database)
{
    CLEANUP(database_cleanup) sqlite3 *database = NULL;
    int code = sqlite3_open_v2(
        path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);

    if (database == NULL)
        return error_no_memory(err, "database connection");
    if (code == SQLITE_OK)
        code = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
    if (code == SQLITE_OK)
        code = sqlite3_busy_timeout(database, BUSY_MS);
    if (code == SQLITE_OK)
        code = sqlite3_exec(database, common_settings, NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(database, role == DATABASE_READER ? reader_settings : writer_settings,
                            NULL, NULL, NULL);
    if ((code & 0xff) == SQLITE_NOTADB)
        return error_set(err, STATUS_UNAVAILABLE, "%s is not a database", path);
    if (code != SQLITE_OK)
        return error_set(err, STATUS_UNAVAILABLE, "cannot open %s: %s", path,
                         sqlite3_errstr(sqlite3_extended_errcode(database)));
    *ret_database = database;
    database = NULL;
    return STATUS_OK;
}

/* --- schema ---------------------------------------------------------------------------------- */

/* The first column of the only row. A file whose header is not SQLite's is told apart here. */
static enum status read_integer(sqlite3 *database, const char *sql, struct error *err,
                                int64_t *ret_value)
{
    CLEANUP(statement_cleanup) sqlite3_stmt *statement = NULL;
    enum status status = database_prepare(database, sql, err, &statement);

    if (sqlite3_errcode(database) == SQLITE_NOTADB)
        return error_set(err, STATUS_UNAVAILABLE, "the file is not a database");
    if (status != STATUS_OK)
        return status;
    if (sqlite3_step(statement) != SQLITE_ROW)
        return database_error(database, DATABASE_READER, "reading the schema version", err);
    *ret_value = sqlite3_column_int64(statement, 0);
    return STATUS_OK;
}

/* Runs the steps from `version` on, inside the caller's transaction. */
static enum status run_steps(sqlite3 *database, int version, struct error *err)
{
    char settings[80];

    for (; version < SCHEMA_VERSION; version++) {
        enum status status =
            database_run(database, schema_steps[version], "stepping the schema up", err);

        if (status != STATUS_OK)
            return status;
    }
    (void)snprintf(settings, sizeof(settings), "PRAGMA application_id=%d; PRAGMA user_version=%d;",
                   APPLICATION_ID, SCHEMA_VERSION);
    return database_run(database, settings, "writing the schema version", err);
}

/* Whose database it is, and its version; 0 for an empty file. Only reads. */
static enum status read_version(sqlite3 *database, struct error *err, int *ret_version)
{
    int64_t application = 0, version = 0, tables = 0;
    enum status status = read_integer(database, "PRAGMA application_id", err, &application);

    if (status == STATUS_OK)
        status = read_integer(database, "PRAGMA user_version", err, &version);
    if (status == STATUS_OK)
        status = read_integer(database, "SELECT count(*) FROM sqlite_schema", err, &tables);
    if (status != STATUS_OK)
        return status;
    if (application == 0 && tables == 0 && version == 0) {
        *ret_version = 0;
        return STATUS_OK;
    }
    if (application != APPLICATION_ID || version < 1)
        return error_set(err, STATUS_UNAVAILABLE, "the file is a database of another program");
    if (version > SCHEMA_VERSION)
        return error_set(err, STATUS_UNAVAILABLE,
                         "the database has schema version %lld, this program knows %d: use a "
                         "newer Brazier",
                         (long long)version, SCHEMA_VERSION);
    *ret_version = (int)version;
    return STATUS_OK;
}

enum status database_prepare_schema(sqlite3 *database, struct error *err)
{
    int version = 0;
    enum status status = read_version(database, err, &version);

    /* Only now may the file be touched: WAL is written into its header. */
    if (status == STATUS_OK)
        status = database_run(database, "PRAGMA journal_mode=WAL", "opening the database", err);
    if (status != STATUS_OK || version == SCHEMA_VERSION)
        return status;
    status = database_run(database, "BEGIN IMMEDIATE", "opening the database", err);
    if (status == STATUS_OK)
        status = run_steps(database, version, err);
    if (status == STATUS_OK)
        status = database_run(database, "COMMIT", "stepping the schema up", err);
    if (status != STATUS_OK)
        (void)sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of read connections. The last one given back is taken first: its page cache is warm,
 * and a quiet server uses one connection only. */
#include "storage/sqlite/reader.h"

#include <pthread.h>
#include <stdlib.h>

#include "storage/sqlite/database.h"

static const char *const statement_sql[READER_STATEMENT_MAX] = {
#define READER_SQL(name, sql) [READER_##name] = (sql),
    READER_STATEMENTS(READER_SQL)
#undef READER_SQL
};

struct reader_pool {
    pthread_mutex_t lock;
    pthread_cond_t given;
    struct reader *free_readers;
    uint32_t reader_count;
    struct reader readers[];
};

static enum status open_reader(struct reader_pool *pool, const char *path, struct reader *reader,
                               struct error *err)
{
    enum status status = database_open(path, DATABASE_READER, err, &reader->database);

    for (unsigned i = 0; status == STATUS_OK && i < READER_STATEMENT_MAX; i++)
        status = database_prepare(reader->database, statement_sql[i], err, &reader->statements[i]);
    reader->pool = pool;
    reader->next = pool->free_readers;
    pool->free_readers = reader;
    return status;
}

enum status reader_pool_new(const char *path, uint32_t reader_count, struct error *err,
                            struct reader_pool **ret_pool)
{
    CLEANUP(reader_pool_cleanup)
    struct reader_pool *pool = calloc(1, sizeof(*pool) + reader_count * sizeof(struct reader));
    enum status status = STATUS_OK;

    if (pool == NULL)
        return error_no_memory(err, "read connections");
    (void)pthread_mutex_init(&pool->lock, NULL);
    (void)pthread_cond_init(&pool->given, NULL);
    pool->reader_count = reader_count;
    for (uint32_t i = 0; status == STATUS_OK && i < reader_count; i++)
        status = open_reader(pool, path, &pool->readers[i], err);
    if (status != STATUS_OK)
        return status;
    *ret_pool = pool;
    pool = NULL;
    return STATUS_OK;
}

void reader_pool_free(struct reader_pool *pool)
{
    for (uint32_t i = 0; i < pool->reader_count; i++) {
        for (unsigned k = 0; k < READER_STATEMENT_MAX; k++)
            (void)sqlite3_finalize(pool->readers[i].statements[k]);
        (void)sqlite3_close(pool->readers[i].database);
    }
    (void)pthread_cond_destroy(&pool->given);
    (void)pthread_mutex_destroy(&pool->lock);
    free(pool);
}

enum status reader_take(struct reader_pool *pool, struct error *err, struct reader **ret_reader)
{
    struct reader *reader;
    enum status status;

    (void)pthread_mutex_lock(&pool->lock);
    while (pool->free_readers == NULL)
        (void)pthread_cond_wait(&pool->given, &pool->lock);
    reader = pool->free_readers;
    pool->free_readers = reader->next;
    (void)pthread_mutex_unlock(&pool->lock);
    status = database_run(reader->database, "BEGIN", "reading", err);
    if (status != STATUS_OK)
        reader_give(reader);
    else
        *ret_reader = reader;
    return status;
}

void reader_give(struct reader *reader)
{
    struct reader_pool *pool = reader->pool;

    for (unsigned i = 0; i < READER_STATEMENT_MAX; i++)
        (void)sqlite3_reset(reader->statements[i]);
    (void)sqlite3_exec(reader->database, "COMMIT", NULL, NULL, NULL);
    (void)pthread_mutex_lock(&pool->lock);
    reader->next = pool->free_readers;
    pool->free_readers = reader;
    (void)pthread_cond_signal(&pool->given);
    (void)pthread_mutex_unlock(&pool->lock);
}

sqlite3_stmt *reader_statement(struct reader *reader, enum reader_statement which)
{
    (void)sqlite3_reset(reader->statements[which]);
    return reader->statements[which];
}

enum status reader_step(struct reader *reader, sqlite3_stmt *statement, struct error *err,
                        bool *ret_row)
{
    int code = sqlite3_step(statement);

    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return database_error(reader->database, DATABASE_READER, "reading", err);
    *ret_row = code == SQLITE_ROW;
    return STATUS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite engine's life: opening in the order lock, schema, names, writer, readers, and closing
 * in the reverse. What it does in between is in put.c, tally.c, list.c, catalog.c, find.c. */
#include "storage/sqlite/sqlite_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/sqlite/database.h"
#include "storage/sqlite/engine.h"

static enum status engine_ready(struct store *store, struct error *err)
{
    CLEANUP(reader_cleanup) struct reader *reader = NULL;
    bool row = false;
    enum status status = reader_take(engine_of(store)->readers, err, &reader);

    if (status == STATUS_OK)
        status = reader_step(reader, reader_statement(reader, READER_PROBE), err, &row);
    if (status == STATUS_OK)
        status = database_check_place(reader->database, err);
    return status;
}

static uint64_t file_bytes(const char *path, const char *suffix)
{
    char name[4096];
    struct stat info;
    int written = snprintf(name, sizeof(name), "%s%s", path, suffix);

    if (written < 0 || (size_t)written >= sizeof(name) || stat(name, &info) != 0)
        return 0;
    return (uint64_t)info.st_size;
}

static void engine_stats(struct store *store, struct store_stats *ret_stats)
{
    struct engine *engine = engine_of(store);

    *ret_stats = (struct store_stats){0};
    writer_stats(engine->writer, ret_stats);
    dictionary_cache_stats(engine->dictionaries, ret_stats);
    ret_stats->database_bytes = file_bytes(engine->path, "") + file_bytes(engine->path, "-wal");
}

/* Also after a half-way failure to open. The writer goes last of the connections, so that its
 * closing can fold the log into the file. */
static void engine_close(struct store *store)
{
    struct engine *engine = engine_of(store);

    if (engine->readers != NULL)
        reader_pool_free(engine->readers);
    if (engine->dictionaries != NULL)
        dictionary_cache_free(engine->dictionaries);
    if (engine->writer != NULL)
        writer_stop(engine->writer);
    numbering_free(&engine->numbering);
    if (engine->lock >= 0)
        (void)close(engine->lock);
    free(engine->path);
    free(engine);
}

static const struct store_ops engine_ops = {
    .put = engine_put,
    .find = engine_find,
    .raw = engine_raw,
    .tally = engine_tally,
    .tally_release = engine_tally_release,
    .list = engine_list,
    .catalog = engine_catalog,
    .ready = engine_ready,
    .stats = engine_stats,
    .close = engine_close,
};

static enum status start_writer(struct engine *engine, struct log *log, struct error *err)
{
    CLEANUP(database_cleanup) sqlite3 *database = NULL;
    enum status status = database_open(engine->path, DATABASE_WRITER, err, &database);

    if (status == STATUS_OK)
        status = database_prepare_schema(database, err);
    if (status == STATUS_OK)
        status = numbering_load(&engine->numbering, database, err);
    if (status == STATUS_OK) {
        sqlite3 *taken = database;

        database = NULL;
        status = writer_start(taken, &engine->numbering, log, err, &engine->writer);
    }
    return status;
}

enum status sqlite_store_open(const struct sqlite_store_config *config, struct error *err,
                              struct store **ret_store)
{
    struct engine *engine = calloc(1, sizeof(*engine));
    CLEANUP(store_cleanup) struct store *store = engine == NULL ? NULL : &engine->store;
    enum status status;

    if (engine == NULL)
        return error_no_memory(err, "store");
    engine->store.ops = &engine_ops;
    engine->lock = -1;
    status = database_create(config->path, err, &engine->path);
    if (status == STATUS_OK)
        status = database_lock(engine->path, err, &engine->lock);
    if (status == STATUS_OK)
        status = numbering_open(&engine->numbering, err);
    if (status == STATUS_OK)
        status = start_writer(engine, config->log, err);
    if (status == STATUS_OK)
        status = dictionary_cache_new(engine->path, err, &engine->dictionaries);
    if (status == STATUS_OK)
        status = reader_pool_new(engine->path, config->reader_count, err, &engine->readers);
    if (status != STATUS_OK)
        return status;
    *ret_store = store;
    store = NULL;
    return STATUS_OK;
}

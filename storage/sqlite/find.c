/* SPDX-License-Identifier: Apache-2.0 */
/* Single profiles: by id, and their bodies. Input: an id; output: what was stored under it. */
#include <string.h>

#include "proto/base/hash.h"
#include "storage/sqlite/database.h"
#include "storage/sqlite/engine.h"

/* Steps a query for one sequence number, bound already. */
static enum status read_sequence(struct reader *reader, sqlite3_stmt *statement, struct error *err,
                                 int64_t *ret_sequence)
{
    bool row = false;
    enum status status = reader_step(reader, statement, err, &row);

    if (status == STATUS_OK)
        *ret_sequence = row ? sqlite3_column_int64(statement, 0) : -1;
    return status;
}

enum status engine_find_sequence(struct reader *reader, struct store_id id, struct error *err,
                                 int64_t *ret_sequence)
{
    sqlite3_stmt *statement = reader_statement(reader, READER_FIND_ID);

    /* Copied: the statement is not reset before the caller's id goes. */
    (void)sqlite3_bind_blob(statement, 1, id.bytes, sizeof(id.bytes), SQLITE_TRANSIENT);
    return read_sequence(reader, statement, err, ret_sequence);
}

enum status engine_newest_sequence(struct reader *reader, uint32_t series, struct error *err,
                                   int64_t *ret_sequence)
{
    sqlite3_stmt *statement = reader_statement(reader, READER_SELECT_NEWEST);

    (void)sqlite3_bind_int64(statement, 1, series);
    return read_sequence(reader, statement, err, ret_sequence);
}

static enum status find(struct reader *reader, struct store_id id, struct error *err,
                        int64_t *ret_sequence)
{
    enum status status = engine_find_sequence(reader, id, err, ret_sequence);

    if (status == STATUS_OK && *ret_sequence < 0)
        return error_set(err, STATUS_NOT_FOUND, "no such profile");
    return status;
}

enum status engine_find(struct store *store, struct store_id id, struct arena *arena,
                        struct error *err, struct store_profile *ret_profile)
{
    struct engine *engine = engine_of(store);
    CLEANUP(reader_cleanup) struct reader *reader = NULL;
    struct profile_row row;
    int64_t sequence = -1;
    enum status status = reader_take(engine->readers, err, &reader);

    if (status == STATUS_OK)
        status = find(reader, id, err, &sequence);
    if (status == STATUS_OK)
        status = profile_row_read(reader, sequence, arena, err, &row);
    if (status == STATUS_OK)
        status = profile_row_describe(&engine->numbering, &row, arena, err, ret_profile);
    return status;
}

enum status engine_raw(struct store *store, struct store_id id, struct arena *arena,
                       struct error *err, struct slice *ret_body)
{
    CLEANUP(reader_cleanup) struct reader *reader = NULL;
    sqlite3_stmt *statement;
    struct slice body;
    int64_t sequence = -1;
    bool row = false;
    char *copy;
    enum status status = reader_take(engine_of(store)->readers, err, &reader);

    if (status == STATUS_OK)
        status = find(reader, id, err, &sequence);
    if (status != STATUS_OK)
        return status;
    statement = reader_statement(reader, READER_SELECT_RAW);
    (void)sqlite3_bind_int64(statement, 1, sequence);
    status = reader_step(reader, statement, err, &row);
    if (status != STATUS_OK)
        return status;
    if (!row)
        return error_set(err, STATUS_NOT_FOUND, "the body of this profile is no longer kept");
    body = database_column_blob(statement, 1);
    if (sqlite3_column_int64(statement, 0) != (int64_t)hash_bytes(body, 0))
        return error_set(err, STATUS_INTERNAL, "the stored body is damaged");
    copy = arena_array(arena, body.size_bytes, char);
    if (copy == NULL)
        return arena_exhausted(arena, err, "profile body");
    if (body.size_bytes > 0)
        memcpy(copy, body.data, body.size_bytes);
    *ret_body = slice_make(copy, body.size_bytes);
    return STATUS_OK;
}

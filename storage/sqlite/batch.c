/* SPDX-License-Identifier: Apache-2.0 */
/* The transaction. Input: jobs of the writer's queue; output: rows on disk, all or none.
 *
 * Order inside: profiles (which finds repeats), vectors, bodies, usage; then every name and every
 * tree node that exists by now, so that no row can refer to something that was not written.
 * Runs on the writer thread alone. */
#include "storage/sqlite/batch.h"

#include <stdlib.h>

#include "proto/base/hash.h"
#include "proto/base/limits.h"
#include "storage/sqlite/database.h"

/* A tree's whole tail: all its names and all its nodes at their longest. */
#define CHUNK_MAX_BYTES (LIMIT_CALLTREE_NAME_BYTES + 64 * LIMIT_MIB)

/* X(name, SQL) */
#define BATCH_STATEMENTS(X)                                                                        \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                    \
    X(COMMIT, "COMMIT")                                                                            \
    X(INSERT_PROFILE,                                                                              \
      "INSERT INTO profile VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16) "       \
      "ON CONFLICT (id) DO NOTHING")                                                               \
    X(INSERT_VECTOR, "INSERT INTO vector VALUES (?1,?2,?3,?4,?5,?6,?7)")                           \
    X(INSERT_RAW, "INSERT INTO raw VALUES (?1,?2,?3)")                                             \
    X(COUNT_USAGE,                                                                                 \
      "INSERT INTO usage VALUES (?1,?2,?3,1,?4,?4) ON CONFLICT DO UPDATE SET "                     \
      "profiles = profiles + 1, first_ns = min(first_ns, ?4), last_ns = max(last_ns, ?4)")         \
    X(INSERT_NAME, "INSERT INTO name VALUES (?1,?2,?3,?4,?5,?6)")                                  \
    X(INSERT_CHUNK, "INSERT INTO tree_chunk VALUES (?1,?2,?3,?4)")

enum batch_statement {
#define BATCH_MEMBER(name, sql) BATCH_##name,
    BATCH_STATEMENTS(BATCH_MEMBER)
#undef BATCH_MEMBER
        BATCH_STATEMENT_MAX
};

static const char *const statement_sql[BATCH_STATEMENT_MAX] = {
#define BATCH_SQL(name, sql) [BATCH_##name] = (sql),
    BATCH_STATEMENTS(BATCH_SQL)
#undef BATCH_SQL
};

/* A dictionary that the batch writes to, and how far it will be on disk. */
struct saving {
    struct dictionary *dictionary;
    struct tree_mark until;
};

struct batch {
    sqlite3 *database;
    sqlite3_stmt *statements[BATCH_STATEMENT_MAX];
    struct numbering *numbering;
    int64_t next_sequence;
    struct saving savings[LIMIT_BATCH_PROFILES];
    uint32_t saving_count;
};

static enum status read_next_sequence(struct batch *batch, struct error *err)
{
    CLEANUP(statement_cleanup) sqlite3_stmt *statement = NULL;
    enum status status = database_prepare(
        batch->database, "SELECT coalesce(max(sequence), 0) FROM profile", err, &statement);

    if (status != STATUS_OK)
        return status;
    if (sqlite3_step(statement) != SQLITE_ROW)
        return database_error(batch->database, DATABASE_READER, "reading profiles", err);
    batch->next_sequence = sqlite3_column_int64(statement, 0) + 1;
    return STATUS_OK;
}

enum status batch_new(sqlite3 *database, struct numbering *numbering, struct error *err,
                      struct batch **ret_batch)
{
    CLEANUP(batch_cleanup) struct batch *batch = calloc(1, sizeof(*batch));
    enum status status = STATUS_OK;

    if (batch == NULL) {
        database_close(database);
        return error_no_memory(err, "writer");
    }
    batch->database = database;
    batch->numbering = numbering;
    for (unsigned i = 0; status == STATUS_OK && i < BATCH_STATEMENT_MAX; i++)
        status = database_prepare(database, statement_sql[i], err, &batch->statements[i]);
    if (status == STATUS_OK)
        status = read_next_sequence(batch, err);
    if (status != STATUS_OK)
        return status;
    *ret_batch = batch;
    batch = NULL;
    return STATUS_OK;
}

void batch_free(struct batch *batch)
{
    for (unsigned i = 0; i < BATCH_STATEMENT_MAX; i++)
        (void)sqlite3_finalize(batch->statements[i]);
    (void)sqlite3_close(batch->database); /* the last connection checkpoints the log */
    free(batch);
}

static enum status step(struct batch *batch, enum batch_statement which, const char *what,
                        struct error *err)
{
    return database_step(batch->database, batch->statements[which], what, err);
}

/* --- the rows of one upload ------------------------------------------------------------------ */

static enum status write_vectors(struct batch *batch, const struct write_job *job,
                                 struct error *err)
{
    sqlite3_stmt *statement = batch->statements[BATCH_INSERT_VECTOR];

    (void)sqlite3_bind_int64(statement, 1, job->row.dictionary);
    (void)sqlite3_bind_int64(statement, 2, job->row.version);
    (void)sqlite3_bind_int64(statement, 3, job->row.start_ns);
    (void)sqlite3_bind_int64(statement, 4, job->row.sequence);
    (void)sqlite3_bind_int64(statement, 6, job->row.labelset);
    for (uint32_t i = 0; i < job->vector_count; i++) {
        enum status status;

        (void)sqlite3_bind_int64(statement, 5, job->vectors[i].tagset);
        database_bind_blob(statement, 7, job->vectors[i].blob);
        status = step(batch, BATCH_INSERT_VECTOR, "storing a vector", err);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status write_body(struct batch *batch, const struct write_job *job, struct error *err)
{
    sqlite3_stmt *statement = batch->statements[BATCH_INSERT_RAW];

    (void)sqlite3_bind_int64(statement, 1, job->row.sequence);
    (void)sqlite3_bind_int64(statement, 2, (int64_t)hash_bytes(job->body, 0));
    database_bind_blob(statement, 3, job->body);
    return step(batch, BATCH_INSERT_RAW, "storing a body", err);
}

static enum status count_usage(struct batch *batch, const struct write_job *job, struct error *err)
{
    sqlite3_stmt *statement = batch->statements[BATCH_COUNT_USAGE];

    (void)sqlite3_bind_int64(statement, 1, job->row.dictionary);
    (void)sqlite3_bind_int64(statement, 2, job->row.version);
    (void)sqlite3_bind_int64(statement, 3, job->row.labelset);
    (void)sqlite3_bind_int64(statement, 4, job->row.start_ns);
    return step(batch, BATCH_COUNT_USAGE, "counting a profile", err);
}

static void note_dictionary(struct batch *batch, struct dictionary *dictionary)
{
    for (uint32_t i = 0; i < batch->saving_count; i++)
        if (batch->savings[i].dictionary == dictionary)
            return;
    batch->savings[batch->saving_count++].dictionary = dictionary;
}

static enum status write_job(struct batch *batch, struct write_job *job, int64_t sequence,
                             struct error *err)
{
    enum status status;

    job->row.sequence = sequence;
    profile_row_bind(batch->statements[BATCH_INSERT_PROFILE], &job->row);
    status = step(batch, BATCH_INSERT_PROFILE, "storing a profile", err);
    job->repeated = status == STATUS_OK && sqlite3_changes(batch->database) == 0;
    if (status != STATUS_OK || job->repeated)
        return status;
    note_dictionary(batch, job->dictionary);
    status = write_vectors(batch, job, err);
    if (status == STATUS_OK)
        status = write_body(batch, job, err);
    if (status == STATUS_OK)
        status = count_usage(batch, job, err);
    return status;
}

/* --- what the rows refer to ------------------------------------------------------------------ */

static enum status write_chunk(struct batch *batch, struct saving *saving, struct error *err)
{
    CLEANUP(buf_cleanup) struct buf body;
    sqlite3_stmt *statement = batch->statements[BATCH_INSERT_CHUNK];
    const struct dictionary *dictionary = saving->dictionary;
    enum status status;

    buf_init(&body, CHUNK_MAX_BYTES);
    saving->until = tree_chunk_mark(dictionary->tree);
    if (saving->until.node_count == dictionary->saved.node_count &&
        saving->until.function_count == dictionary->saved.function_count)
        return STATUS_OK;
    status = tree_chunk_encode(dictionary->tree, dictionary->saved, saving->until, err, &body);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(statement, 1, dictionary->number);
    (void)sqlite3_bind_int64(statement, 2, dictionary->saved.node_count);
    (void)sqlite3_bind_int64(statement, 3, dictionary->saved.function_count);
    database_bind_blob(statement, 4, slice_make(body.data, body.size_bytes));
    status = step(batch, BATCH_INSERT_CHUNK, "storing a call tree", err);
    (void)sqlite3_clear_bindings(statement);
    return status;
}

static enum status write_all(struct batch *batch, struct write_job *jobs, struct error *err,
                             uint32_t ret_name_counts[NAME_KIND_MAX], int64_t *ret_next_sequence)
{
    int64_t sequence = batch->next_sequence;
    enum status status = step(batch, BATCH_BEGIN, "beginning a transaction", err);

    for (struct write_job *job = jobs; status == STATUS_OK && job != NULL; job = job->next) {
        status = write_job(batch, job, sequence, err);
        sequence += !job->repeated;
    }
    for (uint32_t i = 0; status == STATUS_OK && i < batch->saving_count; i++)
        status = write_chunk(batch, &batch->savings[i], err);
    if (status == STATUS_OK)
        status = numbering_save(batch->numbering, batch->database,
                                batch->statements[BATCH_INSERT_NAME], err, ret_name_counts);
    if (status == STATUS_OK) /* late, to leave little time in which it could still go */
        status = database_check_place(batch->database, err);
    if (status == STATUS_OK)
        status = step(batch, BATCH_COMMIT, "committing", err);
    *ret_next_sequence = sequence;
    return status;
}

enum status batch_write(struct batch *batch, struct write_job *jobs, struct error *err)
{
    uint32_t name_counts[NAME_KIND_MAX] = {0};
    int64_t next_sequence = batch->next_sequence;
    enum status status;

    batch->saving_count = 0;
    status = write_all(batch, jobs, err, name_counts, &next_sequence);
    if (status != STATUS_OK) {
        if (sqlite3_get_autocommit(batch->database) == 0)
            (void)sqlite3_exec(batch->database, "ROLLBACK", NULL, NULL, NULL);
        return status;
    }
    batch->next_sequence = next_sequence;
    for (unsigned kind = 0; kind < NAME_KIND_MAX; kind++)
        batch->numbering->saved[kind] = name_counts[kind];
    for (uint32_t i = 0; i < batch->saving_count; i++)
        batch->savings[i].dictionary->saved = batch->savings[i].until;
    return STATUS_OK;
}

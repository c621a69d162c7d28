/* SPDX-License-Identifier: Apache-2.0 */
/* Adding up one side of a tally. Input: a selection's scope and one dictionary after the other;
 * output: a sum per node and the figures of the profiles that took part.
 *
 * The usage table says which versions have rows in the range, so each scan is one walk along the
 * clustered vector table. This is the loop of every view: per row one checksum, one column. */
#include "storage/sqlite/side.h"

#include <string.h>

#include "proto/base/buf.h"
#include "proto/base/limits.h"
#include "storage/sqlite/database.h"

enum status side_resolve(struct engine *engine, struct reader *reader,
                         const struct store_selection *selection, struct arena *arena,
                         struct error *err, struct side *ret_side)
{
    struct side side = {.sum = {.work = -1}};
    struct profile_row newest;
    int64_t sequence = -1;
    enum status status = scope_resolve(engine, reader, selection, arena, err, &side.scope);

    if (status != STATUS_OK)
        return status;
    if (side.scope.series_count > 1)
        return error_set(err, STATUS_BAD_PARAMETER, "type: the service has %u types, name one",
                         side.scope.series_count);
    if (side.scope.series_count == 1 && selection->metric.size_bytes > 0) {
        side.metric =
            registry_find(engine->names.of[NAME_METRIC], side.scope.series[0], selection->metric);
        side.has_metric = side.metric != REGISTRY_ABSENT;
    } else if (side.scope.series_count == 1) {
        status = engine_newest_sequence(reader, side.scope.series[0], err, &sequence);
        if (status == STATUS_OK && sequence >= 0)
            status = profile_row_read(reader, sequence, arena, err, &newest);
        if (status != STATUS_OK)
            return status;
        side.has_metric = sequence >= 0;
        side.metric = side.has_metric ? newest.default_metric : 0;
    }
    *ret_side = side;
    return STATUS_OK;
}

/* --- counting profiles ----------------------------------------------------------------------- */

static enum status count_work(struct side *side, const struct vector_head *head, struct error *err)
{
    struct store_side *sum = &side->sum;

    if (head->work < 0) {
        sum->without_work_count++;
        return STATUS_OK;
    }
    if (sum->work < 0) {
        sum->work = 0;
        side->work_unit = head->work_unit;
    }
    side->work_mixed |= head->work_unit != side->work_unit;
    if (!side->work_mixed && __builtin_add_overflow(sum->work, head->work, &sum->work))
        return error_set(err, STATUS_VALUE_OVERFLOW, "the sum of work leaves int64");
    return STATUS_OK;
}

static enum status count_profile(struct side *side, const struct vector_head *head,
                                 int64_t start_ns, struct error *err)
{
    struct store_side *sum = &side->sum;

    if (sum->profile_count == 0 || start_ns < sum->first_ns)
        sum->first_ns = start_ns;
    if (sum->profile_count == 0 || start_ns > sum->last_ns)
        sum->last_ns = start_ns;
    sum->profile_count++;
    sum->without_duration_count += head->duration_ns == 0;
    if (__builtin_add_overflow(sum->duration_ns, head->duration_ns, &sum->duration_ns))
        return error_set(err, STATUS_VALUE_OVERFLOW, "the sum of durations leaves int64");
    return count_work(side, head, err);
}

void side_finish(struct side *side, const struct names *names)
{
    struct store_side *sum = &side->sum;

    sum->work_unit = SLICE_LITERAL("");
    if (side->work_mixed) {
        sum->work = -1;
        sum->without_work_count = sum->profile_count;
    } else if (sum->work >= 0 && side->work_unit < registry_count(names->of[NAME_WORK_UNIT])) {
        sum->work_unit = registry_get(names->of[NAME_WORK_UNIT], side->work_unit).text;
    }
}

/* --- scanning -------------------------------------------------------------------------------- */

static bool has(const struct side *side, const struct vector_head *head)
{
    return (side->scope.having != STORE_HAVING_DURATION || head->duration_ns != 0) &&
           (side->scope.having != STORE_HAVING_WORK || head->work >= 0);
}

/* Adds the rows of one version of a dictionary. */
static enum status scan_version(struct side *side, struct reader *reader, uint32_t dictionary,
                                uint32_t version, int64_t *self, uint32_t node_count,
                                struct error *err)
{
    sqlite3_stmt *statement = reader_statement(reader, READER_SCAN_VECTORS);
    int64_t counted = -1; /* the profile counted last: its rows lie together */
    bool row = false;
    enum status status;

    (void)sqlite3_bind_int64(statement, 1, dictionary);
    (void)sqlite3_bind_int64(statement, 2, version);
    (void)sqlite3_bind_int64(statement, 3, side->scope.from_ns);
    (void)sqlite3_bind_int64(statement, 4, side->scope.until_ns);
    while ((status = reader_step(reader, statement, err, &row)) == STATUS_OK && row) {
        int64_t sequence = sqlite3_column_int64(statement, 0);
        struct vector_head head;
        bool found = false;

        if ((side->scope.sequence >= 0 && sequence != side->scope.sequence) ||
            !scope_has_labelset(&side->scope, sqlite3_column_int64(statement, 2)))
            continue;
        status = vector_open(database_column_blob(statement, 3), err, &head);
        if (status == STATUS_OK && has(side, &head))
            status = vector_add(&head, side->metric, self, node_count, err, &found);
        if (status == STATUS_OK && found && sequence != counted) {
            counted = sequence;
            status = count_profile(side, &head, sqlite3_column_int64(statement, 1), err);
        }
        if (status != STATUS_OK)
            return status;
    }
    return status;
}

/* The versions of a dictionary that have rows for the side, each once. */
static enum status find_versions(const struct side *side, struct reader *reader,
                                 uint32_t dictionary, struct buf *versions, struct error *err)
{
    sqlite3_stmt *statement = reader_statement(reader, READER_SELECT_USAGE);
    uint32_t before = REGISTRY_ABSENT;
    bool row = false;
    enum status status;

    (void)sqlite3_bind_int64(statement, 1, dictionary);
    while ((status = reader_step(reader, statement, err, &row)) == STATUS_OK && row) {
        uint32_t version = (uint32_t)sqlite3_column_int64(statement, 0);

        if (version == before || !scope_has_version(&side->scope, version) ||
            !scope_has_labelset(&side->scope, sqlite3_column_int64(statement, 1)) ||
            sqlite3_column_int64(statement, 2) >= side->scope.until_ns ||
            sqlite3_column_int64(statement, 3) < side->scope.from_ns)
            continue;
        before = version; /* rows come by version */
        buf_append(versions, &version, sizeof(version));
    }
    return status == STATUS_OK ? buf_status(versions, err, "versions") : status;
}

enum status side_add(struct side *side, struct reader *reader, uint32_t dictionary, int64_t *self,
                     uint32_t node_count, struct error *err)
{
    CLEANUP(buf_cleanup) struct buf versions;
    enum status status;

    buf_init(&versions, LIMIT_REGISTRY_ENTRIES * sizeof(uint32_t));
    status = find_versions(side, reader, dictionary, &versions, err);
    for (size_t at = 0; status == STATUS_OK && at < versions.size_bytes; at += sizeof(uint32_t)) {
        uint32_t version;

        memcpy(&version, versions.data + at, sizeof(version));
        status = scan_version(side, reader, dictionary, version, self, node_count, err);
    }
    return status;
}

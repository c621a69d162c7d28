/* SPDX-License-Identifier: Apache-2.0 */
/* Adding up one side of a tally. Input: a selection's scope and one dictionary after the other;
 * output: a sum per node and the figures of the profiles that took part.
 *
 * The usage table says which versions have rows, so each scan is one walk along the clustered
 * vector table, and how many profiles a whole version must give, so that lost rows are noticed.
 * This is the loop of every view: per row one checksum, one column. */
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
        side.metric = registry_find(engine->numbering.of[NAME_METRIC], side.scope.series[0],
                                    selection->metric);
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

void side_finish(struct side *side, const struct numbering *numbering)
{
    struct store_side *sum = &side->sum;

    sum->work_unit = SLICE_LITERAL("");
    if (side->work_mixed) {
        sum->work = -1;
        sum->without_work_count = sum->profile_count;
    } else if (sum->work >= 0 && side->work_unit < registry_count(numbering->of[NAME_WORK_UNIT])) {
        sum->work_unit = registry_get(numbering->of[NAME_WORK_UNIT], side->work_unit).text;
    }
}

/* --- scanning -------------------------------------------------------------------------------- */

static bool has(const struct side *side, const struct vector_head *head)
{
    return (side->scope.having != STORE_HAVING_DURATION || head->duration_ns != 0) &&
           (side->scope.having != STORE_HAVING_WORK || head->work >= 0);
}

/* A version of a dictionary that has rows for the side. */
struct version {
    uint32_t number;
    bool whole;             /* the range covers all of it, so `profile_count` must be found */
    uint64_t profile_count; /* with a matching label set, by the usage table */
};

/* What a scan has seen. */
struct scan {
    int64_t sequence; /* of the last row: rows of a profile lie together */
    bool counted;     /* it has the metric and is in the side's figures */
    uint64_t profile_count;
};

/* Adds one row whose label set matches. */
static enum status add_row(struct side *side, struct scan *scan, sqlite3_stmt *row, int64_t *self,
                           uint32_t node_count, struct error *err)
{
    int64_t sequence = sqlite3_column_int64(row, 0);
    struct vector_head head;
    bool found = false;
    enum status status = vector_open(database_column_blob(row, 3), err, &head);

    if (sequence != scan->sequence) {
        scan->sequence = sequence;
        scan->counted = false;
        scan->profile_count++;
    }
    if (status == STATUS_OK && has(side, &head))
        status = vector_add(&head, side->metric, self, node_count, err, &found);
    if (status == STATUS_OK && found && !scan->counted) {
        scan->counted = true;
        status = count_profile(side, &head, sqlite3_column_int64(row, 1), err);
    }
    return status;
}

/* Adds the rows of one version of a dictionary. */
static enum status scan_version(struct side *side, struct reader *reader, uint32_t dictionary,
                                const struct version *version, int64_t *self, uint32_t node_count,
                                struct error *err)
{
    sqlite3_stmt *statement = reader_statement(reader, READER_SCAN_VECTORS);
    struct scan scan = {.sequence = -1};
    bool row = false;
    enum status status;

    (void)sqlite3_bind_int64(statement, 1, dictionary);
    (void)sqlite3_bind_int64(statement, 2, version->number);
    (void)sqlite3_bind_int64(statement, 3, side->scope.from_ns);
    (void)sqlite3_bind_int64(statement, 4, side->scope.until_ns);
    while ((status = reader_step(reader, statement, err, &row)) == STATUS_OK && row) {
        if ((side->scope.sequence >= 0 &&
             side->scope.sequence != sqlite3_column_int64(statement, 0)) ||
            !scope_has_labelset(&side->scope, sqlite3_column_int64(statement, 2)))
            continue;
        status = add_row(side, &scan, statement, self, node_count, err);
        if (status != STATUS_OK)
            return status;
    }
    if (status == STATUS_OK && version->whole && side->scope.sequence < 0 &&
        scan.profile_count != version->profile_count)
        return error_set(
            err, STATUS_INTERNAL, "the database is damaged: %llu of %llu profiles found",
            (unsigned long long)scan.profile_count, (unsigned long long)version->profile_count);
    return status;
}

/* Appends the versions of a dictionary that have rows for the side, each once. */
static enum status find_versions(const struct side *side, struct reader *reader,
                                 uint32_t dictionary, struct buf *versions, struct error *err)
{
    sqlite3_stmt *statement = reader_statement(reader, READER_SELECT_USAGE);
    struct version version = {.number = REGISTRY_ABSENT};
    bool row = false;
    enum status status;

    (void)sqlite3_bind_int64(statement, 1, dictionary);
    while ((status = reader_step(reader, statement, err, &row)) == STATUS_OK && row) {
        uint32_t number = (uint32_t)sqlite3_column_int64(statement, 0);
        int64_t first_ns = sqlite3_column_int64(statement, 2);
        int64_t last_ns = sqlite3_column_int64(statement, 3);

        if (!scope_has_version(&side->scope, number) ||
            !scope_has_labelset(&side->scope, sqlite3_column_int64(statement, 1)))
            continue;
        if (number != version.number) { /* rows come by version */
            if (version.number != REGISTRY_ABSENT)
                buf_append(versions, &version, sizeof(version));
            version = (struct version){.number = number, .whole = true};
        }
        version.whole &= first_ns >= side->scope.from_ns && last_ns < side->scope.until_ns;
        version.profile_count += (uint64_t)sqlite3_column_int64(statement, 4);
    }
    if (version.number != REGISTRY_ABSENT)
        buf_append(versions, &version, sizeof(version));
    return status == STATUS_OK ? buf_status(versions, err, "versions") : status;
}

enum status side_add(struct side *side, struct reader *reader, uint32_t dictionary, int64_t *self,
                     uint32_t node_count, struct error *err)
{
    CLEANUP(buf_cleanup) struct buf versions;
    enum status status;

    buf_init(&versions, LIMIT_REGISTRY_ENTRIES * sizeof(struct version));
    status = find_versions(side, reader, dictionary, &versions, err);
    for (size_t at = 0; status == STATUS_OK && at < versions.size_bytes;
         at += sizeof(struct version)) {
        struct version version;

        memcpy(&version, versions.data + at, sizeof(version));
        status = scan_version(side, reader, dictionary, &version, self, node_count, err);
    }
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Profile rows. Input: numbers, from an upload or from disk; output: bound columns, or the profile
 * in words. A checksum over all columns makes a damaged row an error. */
#include "storage/sqlite/profile_row.h"

#include <string.h>

#include "proto/base/hash.h"
#include "proto/base/varint.h"
#include "storage/sqlite/database.h"

static int64_t row_checksum(const struct profile_row *row)
{
    const int64_t numbers[] = {
        row->sequence,     row->series,      row->dictionary,    row->version, row->labelset,
        row->start_ns,     row->duration_ns, row->received_ns,   row->work,    row->work_unit,
        row->sample_count, row->body_bytes,  row->default_metric};
    uint64_t hash = 0;

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        hash = hash_u64((uint64_t)numbers[i], hash);
    hash = hash_bytes(slice_make(row->id.bytes, sizeof(row->id.bytes)), hash);
    return (int64_t)hash_bytes(row->totals, hash);
}

enum status profile_row_totals(const struct metric *metrics, const uint32_t *numbers,
                               uint32_t metric_count, struct arena *arena, struct error *err,
                               struct slice *ret_totals)
{
    uint8_t *text = arena_alloc_array(arena, (size_t)metric_count + 1, 3 * VARINT_MAX_BYTES, 1);
    uint8_t *at = text;

    if (text == NULL)
        return arena_exhausted(arena, err, "metric totals");
    at = varint_write(at, metric_count);
    for (uint32_t i = 0; i < metric_count; i++) {
        at = varint_write(at, numbers[i]);
        at = varint_write(at, metrics[i].kind);
        at = varint_write(at, varint_zigzag(metrics[i].total));
    }
    *ret_totals = slice_make(text, (size_t)(at - text));
    return STATUS_OK;
}

void profile_row_bind(sqlite3_stmt *statement, const struct profile_row *row)
{
    const int64_t numbers[] = {row->series,       row->dictionary, row->version,
                               row->labelset,     row->start_ns,   row->duration_ns,
                               row->received_ns,  row->work,       row->work_unit,
                               row->sample_count, row->body_bytes, row->default_metric};
    const int count = (int)(sizeof(numbers) / sizeof(numbers[0]));

    (void)sqlite3_bind_int64(statement, 1, row->sequence);
    database_bind_blob(statement, 2, slice_make(row->id.bytes, sizeof(row->id.bytes)));
    for (int i = 0; i < count; i++)
        (void)sqlite3_bind_int64(statement, 3 + i, numbers[i]);
    database_bind_blob(statement, 3 + count, row->totals);
    (void)sqlite3_bind_int64(statement, 4 + count, row_checksum(row));
}

enum status profile_row_read(struct reader *reader, int64_t sequence, struct arena *arena,
                             struct error *err, struct profile_row *ret_row)
{
    sqlite3_stmt *statement = reader_statement(reader, READER_SELECT_PROFILE);
    struct profile_row row = {.sequence = sequence};
    struct slice id, totals;
    bool found = false;
    enum status status;
    char *copy;

    (void)sqlite3_bind_int64(statement, 1, sequence);
    status = reader_step(reader, statement, err, &found);
    if (status != STATUS_OK)
        return status;
    id = database_column_blob(statement, 0);
    if (!found || id.size_bytes != sizeof(row.id.bytes))
        return error_set(err, STATUS_INTERNAL, "profile row %lld is missing or damaged",
                         (long long)sequence);
    memcpy(row.id.bytes, id.data, sizeof(row.id.bytes));
    row.series = (uint32_t)sqlite3_column_int64(statement, 1);
    row.dictionary = (uint32_t)sqlite3_column_int64(statement, 2);
    row.version = (uint32_t)sqlite3_column_int64(statement, 3);
    row.labelset = (uint32_t)sqlite3_column_int64(statement, 4);
    row.start_ns = sqlite3_column_int64(statement, 5);
    row.duration_ns = sqlite3_column_int64(statement, 6);
    row.received_ns = sqlite3_column_int64(statement, 7);
    row.work = sqlite3_column_int64(statement, 8);
    row.work_unit = (uint32_t)sqlite3_column_int64(statement, 9);
    row.sample_count = sqlite3_column_int64(statement, 10);
    row.body_bytes = sqlite3_column_int64(statement, 11);
    row.default_metric = (uint32_t)sqlite3_column_int64(statement, 12);
    totals = database_column_blob(statement, 13);
    copy = arena_array(arena, totals.size_bytes, char);
    if (copy == NULL)
        return arena_exhausted(arena, err, "metric totals");
    if (totals.size_bytes > 0)
        memcpy(copy, totals.data, totals.size_bytes);
    row.totals = slice_make(copy, totals.size_bytes);
    if (sqlite3_column_int64(statement, 14) != row_checksum(&row))
        return error_set(err, STATUS_INTERNAL, "profile row %lld is damaged", (long long)sequence);
    (void)sqlite3_reset(statement);
    *ret_row = row;
    return STATUS_OK;
}

/* --- in words -------------------------------------------------------------------------------- */

static enum status describe_metrics(const struct numbering *numbering, struct slice totals,
                                    struct arena *arena, struct error *err,
                                    struct store_profile *profile)
{
    const uint8_t *at = (const uint8_t *)totals.data, *end = at + totals.size_bytes;
    uint32_t known = registry_count(numbering->of[NAME_METRIC]);
    uint64_t count = 0, number = 0, kind = 0, total = 0;
    struct metric *metrics;

    at = varint_read(at, end, &count);
    if (at == NULL || count > totals.size_bytes)
        return error_set(err, STATUS_INTERNAL, "metric totals are damaged");
    metrics = arena_array(arena, count, struct metric);
    if (metrics == NULL)
        return arena_exhausted(arena, err, "metrics");
    for (uint64_t i = 0; i < count; i++) {
        if ((at = varint_read(at, end, &number)) == NULL || number >= known ||
            (at = varint_read(at, end, &kind)) == NULL || kind >= METRIC_KIND_MAX ||
            (at = varint_read(at, end, &total)) == NULL)
            return error_set(err, STATUS_INTERNAL, "metric totals are damaged");
        metrics[i] = numbering_metric(numbering, (uint32_t)number);
        metrics[i].kind = (enum metric_kind)kind;
        metrics[i].total = varint_unzigzag(total);
    }
    profile->metrics = metrics;
    profile->metric_count = (uint32_t)count;
    return STATUS_OK;
}

enum status profile_row_describe(const struct numbering *numbering, const struct profile_row *row,
                                 struct arena *arena, struct error *err,
                                 struct store_profile *ret_profile)
{
    struct registry_entry series;
    struct store_profile profile = {.id = row->id,
                                    .start_ns = row->start_ns,
                                    .duration_ns = row->duration_ns,
                                    .received_ns = row->received_ns,
                                    .work = row->work,
                                    .sample_count = (uint64_t)row->sample_count,
                                    .body_bytes = (uint64_t)row->body_bytes};
    struct store_label *labels = NULL;
    enum status status;

    if (row->series >= registry_count(numbering->of[NAME_SERIES]) ||
        row->version >= registry_count(numbering->of[NAME_VERSION]) ||
        row->labelset >= registry_count(numbering->of[NAME_LABELSET]) ||
        row->work_unit >= registry_count(numbering->of[NAME_WORK_UNIT]))
        return error_set(err, STATUS_INTERNAL, "profile row %lld names what does not exist",
                         (long long)row->sequence);
    series = registry_get(numbering->of[NAME_SERIES], row->series);
    profile.service = registry_get(numbering->of[NAME_SERVICE], series.parent).text;
    profile.type = series.text;
    profile.version = registry_get(numbering->of[NAME_VERSION], row->version).text;
    profile.work_unit = registry_get(numbering->of[NAME_WORK_UNIT], row->work_unit).text;
    status = numbering_labels(numbering, row->labelset, arena, err, &labels, &profile.label_count);
    if (status == STATUS_OK)
        status = describe_metrics(numbering, row->totals, arena, err, &profile);
    if (status != STATUS_OK)
        return status;
    profile.labels = labels;
    *ret_profile = profile;
    return STATUS_OK;
}

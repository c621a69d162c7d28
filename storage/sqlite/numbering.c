/* SPDX-License-Identifier: Apache-2.0 */
/* The registries of the store and their table. Input: names from uploads, rows from disk; output:
 * numbers that every other table uses.
 *
 * A name is in memory before it is on disk: the batch that first needs it writes it in the same
 * transaction, together with any other that waits. */
#include "storage/sqlite/numbering.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/hash.h"
#include "proto/base/limits.h"
#include "proto/base/timestamp.h"
#include "proto/base/varint.h"
#include "storage/sized_text.h"
#include "storage/sqlite/database.h"
#include "storage/tagset.h"

/* The text that TAGSET_FOLDED has in the registry; no tagset has a key of 2^64 - 1 bytes. */
#define FOLDED_TEXT SLICE_LITERAL("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")

static const char *const kind_names[NAME_KIND_MAX] = {
    [NAME_SERVICE] = "services",         [NAME_VERSION] = "versions",
    [NAME_SERIES] = "profile types",     [NAME_METRIC] = "metrics",
    [NAME_DICTIONARY] = "call trees",    [NAME_LABELSET] = "label sets",
    [NAME_TAGSET] = "sample label sets", [NAME_WORK_UNIT] = "work units",
};

enum status numbering_open(struct numbering *numbering, struct error *err)
{
    const struct slice none = SLICE_LITERAL("");
    enum status status = STATUS_OK;
    uint32_t number;

    for (unsigned kind = 0; status == STATUS_OK && kind < NAME_KIND_MAX; kind++)
        status = registry_new(kind_names[kind], err, &numbering->of[kind]);
    if (status == STATUS_OK)
        status = registry_add(numbering->of[NAME_LABELSET], 0, none, none, err, &number);
    if (status == STATUS_OK)
        status = registry_add(numbering->of[NAME_TAGSET], 0, none, none, err, &number);
    if (status == STATUS_OK)
        status = registry_add(numbering->of[NAME_TAGSET], 0, FOLDED_TEXT, none, err, &number);
    if (status == STATUS_OK)
        status = registry_add(numbering->of[NAME_WORK_UNIT], 0, none, none, err, &number);
    return status;
}

void numbering_free(struct numbering *numbering)
{
    for (unsigned kind = 0; kind < NAME_KIND_MAX; kind++)
        if (numbering->of[kind] != NULL)
            registry_free(numbering->of[kind]);
}

/* --- the table ------------------------------------------------------------------------------- */

static int64_t row_checksum(unsigned kind, uint32_t number, const struct registry_entry *entry)
{
    uint64_t seed = hash_u64((uint64_t)kind << 32 | number, entry->parent);

    return (int64_t)hash_bytes(entry->detail, hash_bytes(entry->text, seed));
}

static enum status load_row(struct numbering *numbering, sqlite3_stmt *statement, struct error *err)
{
    int64_t kind = sqlite3_column_int64(statement, 0);
    int64_t number = sqlite3_column_int64(statement, 1);
    int64_t parent = sqlite3_column_int64(statement, 2);
    struct registry_entry entry = {.parent = (uint32_t)parent,
                                   .text = database_column_blob(statement, 3),
                                   .detail = database_column_blob(statement, 4)};
    uint32_t given = REGISTRY_ABSENT;
    enum status status;

    if (kind < 0 || kind >= NAME_KIND_MAX || number < 0 || number >= LIMIT_REGISTRY_ENTRIES ||
        parent < 0 || parent >= LIMIT_REGISTRY_ENTRIES ||
        sqlite3_column_int64(statement, 5) !=
            row_checksum((unsigned)kind, (uint32_t)number, &entry))
        return error_set(err, STATUS_INTERNAL, "table name is damaged: kind %lld, number %lld",
                         (long long)kind, (long long)number);
    status = registry_add(numbering->of[kind], entry.parent, entry.text, entry.detail, err, &given);
    if (status == STATUS_OK && given != number)
        return error_set(err, STATUS_INTERNAL, "table name lacks rows of kind %lld before %lld",
                         (long long)kind, (long long)number);
    numbering->saved[kind] = (uint32_t)number + 1;
    return status;
}

enum status numbering_load(struct numbering *numbering, sqlite3 *database, struct error *err)
{
    CLEANUP(statement_cleanup) sqlite3_stmt *statement = NULL;
    enum status status = database_prepare(
        database,
        "SELECT kind, number, parent, text, detail, checksum FROM name ORDER BY kind, number", err,
        &statement);
    int code = SQLITE_DONE;

    while (status == STATUS_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = load_row(numbering, statement, err);
    if (status == STATUS_OK && code != SQLITE_DONE)
        status = database_error(database, DATABASE_READER, "reading names", err);
    return status;
}

enum status numbering_save(const struct numbering *numbering, sqlite3 *database,
                           sqlite3_stmt *insert_name, struct error *err,
                           uint32_t ret_counts[NAME_KIND_MAX])
{
    for (unsigned kind = 0; kind < NAME_KIND_MAX; kind++) {
        bool binary = kind == NAME_LABELSET || kind == NAME_TAGSET;

        ret_counts[kind] = registry_count(numbering->of[kind]);
        for (uint32_t i = numbering->saved[kind]; i < ret_counts[kind]; i++) {
            struct registry_entry entry = registry_get(numbering->of[kind], i);
            enum status status;

            (void)sqlite3_bind_int64(insert_name, 1, kind);
            (void)sqlite3_bind_int64(insert_name, 2, i);
            (void)sqlite3_bind_int64(insert_name, 3, entry.parent);
            (binary ? database_bind_blob : database_bind_text)(insert_name, 4, entry.text);
            database_bind_text(insert_name, 5, entry.detail);
            (void)sqlite3_bind_int64(insert_name, 6, row_checksum(kind, i, &entry));
            status = database_step(database, insert_name, "writing names", err);
            if (status != STATUS_OK)
                return status;
        }
    }
    return STATUS_OK;
}

/* --- metrics --------------------------------------------------------------------------------- */

struct metric numbering_metric(const struct numbering *numbering, uint32_t number)
{
    struct registry_entry entry = registry_get(numbering->of[NAME_METRIC], number);
    struct metric metric = {.name = entry.text};

    if (entry.detail.size_bytes > 0) {
        unsigned kind = (unsigned)(unsigned char)entry.detail.data[0] - '0';

        metric.kind = kind < METRIC_KIND_MAX ? (enum metric_kind)kind : METRIC_COUNTER;
        metric.unit = slice_make(entry.detail.data + 1, entry.detail.size_bytes - 1);
    }
    return metric;
}

static struct slice join(struct arena *arena, struct slice a, char between, struct slice b)
{
    char *text = arena_array(arena, a.size_bytes + 1 + b.size_bytes, char);

    if (text == NULL)
        return slice_make(NULL, 0);
    if (a.size_bytes > 0)
        memcpy(text, a.data, a.size_bytes);
    text[a.size_bytes] = between;
    if (b.size_bytes > 0)
        memcpy(text + a.size_bytes + 1, b.data, b.size_bytes);
    return slice_make(text, a.size_bytes + 1 + b.size_bytes);
}

/* Adds (series, name) unless the series is full; refuses only new ones. */
static enum status add_metric(struct numbering *numbering, uint32_t series, struct slice name,
                              struct slice detail, struct error *err, uint32_t *ret_number)
{
    struct registry *metrics = numbering->of[NAME_METRIC];
    uint32_t known = registry_find(metrics, series, name);
    uint32_t count = 0;

    if (known != REGISTRY_ABSENT) {
        *ret_number = known;
        return STATUS_OK;
    }
    for (uint32_t i = 0; (i = registry_next(metrics, series, i)) != REGISTRY_ABSENT; i++)
        count++;
    if (count >= LIMIT_SERIES_METRICS)
        return error_set_at(err, STATUS_RATE_LIMITED, "metric", ERROR_NONE, LIMIT_SERIES_METRICS,
                            "this service and type have %u metrics, %u allowed", count,
                            LIMIT_SERIES_METRICS);
    return registry_add(metrics, series, name, detail, err, ret_number);
}

enum status numbering_add_metric(struct numbering *numbering, uint32_t series,
                                 const struct metric *metric, struct arena *arena,
                                 struct error *err, uint32_t *ret_number)
{
    struct slice detail = join(arena, SLICE_LITERAL(""), (char)('0' + metric->kind), metric->unit);
    struct slice name = join(arena, metric->name, ':', metric->unit);
    uint32_t number = 0;
    enum status status;

    if (detail.data == NULL || name.data == NULL)
        return arena_exhausted(arena, err, "metric names");
    status = add_metric(numbering, series, metric->name, detail, err, &number);
    if (status == STATUS_OK && !slice_equal(numbering_metric(numbering, number).unit, metric->unit))
        status = add_metric(numbering, series, name, detail, err, &number);
    if (status != STATUS_OK)
        return status;
    if (!slice_equal(numbering_metric(numbering, number).unit, metric->unit))
        return error_set(err, STATUS_BAD_PARAMETER,
                         "metric \"%.*s\" is kept with another unit, and so is \"%.*s\"",
                         (int)metric->name.size_bytes, metric->name.data, (int)name.size_bytes,
                         name.data);
    *ret_number = number;
    return STATUS_OK;
}

/* --- months ---------------------------------------------------------------------------------- */

enum status numbering_add_dictionary(struct numbering *numbering, uint32_t series, int64_t time_ns,
                                     struct error *err, uint32_t *ret_number)
{
    int32_t month = timestamp_month(time_ns) + 1970 * 12; /* int64 times begin in 1677: positive */
    char text[24];

    (void)snprintf(text, sizeof(text), "%04" PRId32 "-%02" PRId32, month / 12, month % 12 + 1);
    return registry_add(numbering->of[NAME_DICTIONARY], series, slice_of(text), SLICE_LITERAL(""),
                        err, ret_number);
}

int32_t numbering_dictionary_month(const struct numbering *numbering, uint32_t number)
{
    struct slice text = registry_get(numbering->of[NAME_DICTIONARY], number).text;
    int32_t year = 0, month = 0;

    for (size_t i = 0; i < text.size_bytes && i < 4; i++)
        year = year * 10 + (text.data[i] - '0');
    for (size_t i = 5; i < text.size_bytes && i < 7; i++)
        month = month * 10 + (text.data[i] - '0');
    return (year - 1970) * 12 + month - 1;
}

/* --- label sets: per label, size | key | size | value ---------------------------------------- */

enum status numbering_add_labels(struct numbering *numbering, const struct store_label *labels,
                                 uint32_t label_count, struct arena *arena, struct error *err,
                                 uint32_t *ret_number)
{
    size_t size_bytes = 0;
    uint8_t *text, *at;

    for (uint32_t i = 0; i < label_count; i++)
        size_bytes += labels[i].key.size_bytes + labels[i].value.size_bytes + 2 * VARINT_MAX_BYTES;
    at = text = arena_array(arena, size_bytes, uint8_t);
    if (text == NULL)
        return arena_exhausted(arena, err, "labels");
    for (uint32_t i = 0; i < label_count; i++)
        at = sized_text_write(sized_text_write(at, labels[i].key), labels[i].value);
    return registry_add(numbering->of[NAME_LABELSET], 0, slice_make(text, (size_t)(at - text)),
                        SLICE_LITERAL(""), err, ret_number);
}

enum status numbering_labels(const struct numbering *numbering, uint32_t number,
                             struct arena *arena, struct error *err,
                             struct store_label **ret_labels, uint32_t *ret_count)
{
    struct slice text = registry_get(numbering->of[NAME_LABELSET], number).text;
    const uint8_t *at = (const uint8_t *)text.data, *end = at + text.size_bytes;
    struct store_label label, *labels;
    uint32_t count = 0;

    for (; at < end; count++)
        if ((at = sized_text_read(at, end, &label.key)) == NULL ||
            (at = sized_text_read(at, end, &label.value)) == NULL)
            return error_set(err, STATUS_INTERNAL, "label set %u is damaged", number);
    labels = arena_array(arena, count, struct store_label);
    if (labels == NULL)
        return arena_exhausted(arena, err, "labels");
    at = (const uint8_t *)text.data;
    for (uint32_t i = 0; i < count; i++)
        at = sized_text_read(sized_text_read(at, end, &labels[i].key), end, &labels[i].value);
    *ret_labels = labels;
    *ret_count = count;
    return STATUS_OK;
}

bool numbering_labelset_has(const struct numbering *numbering, uint32_t number,
                            const struct store_label *labels, uint32_t label_count)
{
    struct slice text = registry_get(numbering->of[NAME_LABELSET], number).text;
    const uint8_t *end = (const uint8_t *)text.data + text.size_bytes;

    for (uint32_t i = 0; i < label_count; i++) {
        const uint8_t *at = (const uint8_t *)text.data;
        bool found = false;

        while (!found && at != NULL && at < end) {
            struct slice key = {0}, value = {0};

            at = sized_text_read(at, end, &key);
            if (at != NULL)
                at = sized_text_read(at, end, &value);
            found = at != NULL && slice_equal(key, labels[i].key) &&
                    slice_equal(value, labels[i].value);
        }
        if (!found)
            return false;
    }
    return true;
}

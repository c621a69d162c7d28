/* SPDX-License-Identifier: Apache-2.0 */
/* The catalog: what can be chosen. Input: table usage and the names; output: services with their
 * versions, types, metrics and labels, sorted for menus.
 *
 * One scan of a table that has a row per (call tree, version, label set), sorted by service and
 * version and cut into groups; no profile row is touched but the newest of each type. */
#include <stdlib.h>
#include <string.h>

#include "proto/base/limits.h"
#include "storage/sqlite/database.h"
#include "storage/sqlite/engine.h"

struct usage {
    uint32_t service, series, version, labelset;
    uint64_t profile_count;
    int64_t first_ns, last_ns;
};

struct build {
    struct engine *engine;
    struct reader *reader;
    struct arena *arena;
    struct buf rows; /* struct usage */
    uint32_t series_count;
    uint64_t *series_profiles; /* [series_count] */
    uint32_t *metrics;         /* numbers of metrics, by series */
    uint32_t *metric_starts;   /* [series_count + 1] into `metrics` */
    bool *labelset_taken;      /* [label sets], of the service at work */
};

static void build_cleanup(struct build *build)
{
    buf_free(&build->rows);
    if (build->reader != NULL)
        reader_give(build->reader);
}

static enum status exhausted(const struct build *build, struct error *err)
{
    return arena_exhausted(build->arena, err, "catalog");
}

/* --- reading --------------------------------------------------------------------------------- */

static enum status read_row(struct build *build, sqlite3_stmt *statement, struct error *err)
{
    struct registry *const *names = build->engine->numbering.of;
    int64_t dictionary = sqlite3_column_int64(statement, 0);
    int64_t version = sqlite3_column_int64(statement, 1);
    int64_t labelset = sqlite3_column_int64(statement, 2);
    struct usage usage = {.version = (uint32_t)version,
                          .labelset = (uint32_t)labelset,
                          .profile_count = (uint64_t)sqlite3_column_int64(statement, 3),
                          .first_ns = sqlite3_column_int64(statement, 4),
                          .last_ns = sqlite3_column_int64(statement, 5)};

    if (dictionary < 0 || dictionary >= registry_count(names[NAME_DICTIONARY]) || version < 0 ||
        version >= registry_count(names[NAME_VERSION]) || labelset < 0 ||
        labelset >= registry_count(names[NAME_LABELSET]))
        return error_set(err, STATUS_INTERNAL, "table usage names what does not exist");
    usage.series = registry_get(names[NAME_DICTIONARY], (uint32_t)dictionary).parent;
    usage.service = registry_get(names[NAME_SERIES], usage.series).parent;
    build->series_profiles[usage.series] += usage.profile_count;
    buf_append(&build->rows, &usage, sizeof(usage));
    return STATUS_OK;
}

static int by_service_and_version(const void *a, const void *b)
{
    const struct usage *left = a, *right = b;

    if (left->service != right->service)
        return left->service < right->service ? -1 : 1;
    return (left->version > right->version) - (left->version < right->version);
}

static enum status read_usage(struct build *build, struct error *err)
{
    sqlite3_stmt *statement = reader_statement(build->reader, READER_SELECT_ALL_USAGE);
    bool row = false;
    enum status status = reader_step(build->reader, statement, err, &row);

    /* Counted behind the first step: the snapshot is fixed, so no row names a later series. */
    build->series_count = registry_count(build->engine->numbering.of[NAME_SERIES]);
    build->series_profiles = arena_array(build->arena, build->series_count, uint64_t);
    if (build->series_profiles == NULL)
        return exhausted(build, err);
    memset(build->series_profiles, 0, build->series_count * sizeof(uint64_t));
    while (status == STATUS_OK && row) {
        status = read_row(build, statement, err);
        if (status == STATUS_OK)
            status = reader_step(build->reader, statement, err, &row);
    }
    if (status == STATUS_OK)
        status = buf_status(&build->rows, err, "catalog");
    if (status == STATUS_OK && build->rows.size_bytes > 0)
        qsort(build->rows.data, build->rows.size_bytes / sizeof(struct usage), sizeof(struct usage),
              by_service_and_version);
    return status;
}

/* Sorts the numbers of all metrics by series, in one pass for all services: looking for each
 * series' own among all would take the square of their number. */
static enum status index_metrics(struct build *build, struct error *err)
{
    struct registry *all = build->engine->numbering.of[NAME_METRIC];
    uint32_t count = registry_count(all);
    uint32_t *starts = arena_array(build->arena, (size_t)build->series_count + 1, uint32_t);

    build->metrics = arena_array(build->arena, count, uint32_t);
    if (starts == NULL || build->metrics == NULL)
        return exhausted(build, err);
    memset(starts, 0, ((size_t)build->series_count + 1) * sizeof(*starts));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t series = registry_get(all, i).parent;

        if (series < build->series_count) /* else it came behind the snapshot */
            starts[series]++;
    }
    for (uint32_t series = 1; series <= build->series_count; series++)
        starts[series] += starts[series - 1];
    for (uint32_t i = count; i-- > 0;) { /* from the ends of the series down to their starts */
        uint32_t series = registry_get(all, i).parent;

        if (series < build->series_count)
            build->metrics[--starts[series]] = i;
    }
    build->metric_starts = starts;
    return STATUS_OK;
}

/* What adding services looks up, once all rows are read. */
static enum status prepare(struct build *build, struct error *err)
{
    uint32_t labelset_count = registry_count(build->engine->numbering.of[NAME_LABELSET]);

    build->labelset_taken = arena_array(build->arena, labelset_count, bool);
    if (build->labelset_taken == NULL)
        return exhausted(build, err);
    memset(build->labelset_taken, 0, labelset_count * sizeof(bool));
    return index_metrics(build, err);
}

/* --- one service ----------------------------------------------------------------------------- */

static int oldest_first(const void *a, const void *b)
{
    const struct store_catalog_version *left = a, *right = b;

    if (left->last_ns != right->last_ns)
        return left->last_ns < right->last_ns ? -1 : 1;
    return slice_compare(left->version, right->version);
}

static enum status add_versions(struct build *build, const struct usage *rows, uint32_t count,
                                struct error *err, struct store_catalog_service *service)
{
    struct store_catalog_version *version = NULL;

    service->versions = arena_array(build->arena, count, struct store_catalog_version);
    if (service->versions == NULL)
        return exhausted(build, err);
    for (uint32_t i = 0; i < count; i++) {
        const struct usage *row = &rows[i];

        if (i == 0 || row->version != rows[i - 1].version) {
            version = &service->versions[service->version_count++];
            *version = (struct store_catalog_version){
                .version =
                    registry_get(build->engine->numbering.of[NAME_VERSION], row->version).text,
                .first_ns = row->first_ns,
                .last_ns = row->last_ns};
        }
        version->profile_count += row->profile_count;
        version->first_ns = row->first_ns < version->first_ns ? row->first_ns : version->first_ns;
        version->last_ns = row->last_ns > version->last_ns ? row->last_ns : version->last_ns;
    }
    service->first_ns = service->versions[0].first_ns;
    service->last_ns = service->versions[0].last_ns;
    for (uint32_t i = 0; i < service->version_count; i++) {
        version = &service->versions[i];
        service->profile_count += version->profile_count;
        if (version->first_ns < service->first_ns)
            service->first_ns = version->first_ns;
        if (version->last_ns > service->last_ns)
            service->last_ns = version->last_ns;
    }
    qsort(service->versions, service->version_count, sizeof(*service->versions), oldest_first);
    return STATUS_OK;
}

static enum status add_metrics(struct build *build, uint32_t series, struct error *err,
                               struct store_catalog_type *type)
{
    const struct numbering *numbering = &build->engine->numbering;
    const uint32_t *metrics = build->metrics + build->metric_starts[series];
    uint32_t count = build->metric_starts[series + 1] - build->metric_starts[series];
    struct profile_row newest;
    int64_t sequence = -1;
    enum status status = engine_newest_sequence(build->reader, series, err, &sequence);

    if (status == STATUS_OK && sequence >= 0)
        status = profile_row_read(build->reader, sequence, build->arena, err, &newest);
    if (status != STATUS_OK)
        return status;
    type->default_metric = SLICE_LITERAL("");
    if (sequence >= 0)
        type->default_metric = numbering_metric(numbering, newest.default_metric).name;
    type->metrics = arena_array(build->arena, count, struct store_catalog_metric);
    if (type->metrics == NULL)
        return exhausted(build, err);
    for (uint32_t i = 0; i < count; i++) {
        struct metric metric = numbering_metric(numbering, metrics[i]);

        type->metrics[type->metric_count++] = (struct store_catalog_metric){
            .name = metric.name, .unit = metric.unit, .kind = metric.kind};
    }
    return STATUS_OK;
}

static int by_type(const void *a, const void *b)
{
    return slice_compare(((const struct store_catalog_type *)a)->type,
                         ((const struct store_catalog_type *)b)->type);
}

static enum status add_types(struct build *build, const struct usage *rows, uint32_t count,
                             struct error *err, struct store_catalog_service *service)
{
    struct registry *all = build->engine->numbering.of[NAME_SERIES];
    uint32_t type_count = 0;

    for (uint32_t i = 0; i < count; i++) /* marks each series once by taking its count away */
        type_count += build->series_profiles[rows[i].series] > 0;
    service->types = arena_array(build->arena, type_count, struct store_catalog_type);
    if (service->types == NULL)
        return exhausted(build, err);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t series = rows[i].series;
        struct store_catalog_type *type = &service->types[service->type_count];
        enum status status;

        if (build->series_profiles[series] == 0)
            continue;
        *type = (struct store_catalog_type){.type = registry_get(all, series).text,
                                            .profile_count = build->series_profiles[series]};
        build->series_profiles[series] = 0;
        status = add_metrics(build, series, err, type);
        if (status != STATUS_OK)
            return status;
        service->type_count++;
    }
    qsort(service->types, service->type_count, sizeof(*service->types), by_type);
    return STATUS_OK;
}

/* --- labels ---------------------------------------------------------------------------------- */

static int by_key_and_value(const void *a, const void *b)
{
    const struct store_label *left = a, *right = b;
    int order = slice_compare(left->key, right->key);

    return order != 0 ? order : slice_compare(left->value, right->value);
}

/* Keeps one of each of the sorted labels. */
static void drop_repeats(struct buf *labels)
{
    struct store_label *all = (struct store_label *)(void *)labels->data;
    size_t count = labels->size_bytes / sizeof(*all), kept = 0;

    for (size_t i = 0; i < count; i++)
        if (kept == 0 || by_key_and_value(&all[i], &all[kept - 1]) != 0)
            all[kept++] = all[i];
    labels->size_bytes = kept * sizeof(*all);
}

/* All labels of the rows, sorted, each once. */
static enum status collect_labels(struct build *build, const struct usage *rows, uint32_t count,
                                  struct error *err, struct buf *labels)
{
    for (uint32_t i = 0; i < count; i++) {
        struct store_label *set = NULL;
        uint32_t set_count = 0;
        enum status status;

        if (build->labelset_taken[rows[i].labelset])
            continue;
        build->labelset_taken[rows[i].labelset] = true;
        status = numbering_labels(&build->engine->numbering, rows[i].labelset, build->arena, err,
                                  &set, &set_count);
        if (status != STATUS_OK)
            return status;
        buf_append(labels, set, set_count * sizeof(*set));
    }
    for (uint32_t i = 0; i < count; i++)
        build->labelset_taken[rows[i].labelset] = false;
    if (labels->size_bytes > 0)
        qsort(labels->data, labels->size_bytes / sizeof(struct store_label),
              sizeof(struct store_label), by_key_and_value);
    drop_repeats(labels);
    return buf_status(labels, err, "catalog");
}

static enum status add_labels(struct build *build, const struct usage *rows, uint32_t count,
                              struct error *err, struct store_catalog_service *service)
{
    CLEANUP(buf_cleanup) struct buf buf;
    const struct store_label *labels;
    struct slice *values;
    size_t label_count, key_count = 0;
    enum status status;

    buf_init(&buf, LIMIT_ARENA_BYTES);
    status = collect_labels(build, rows, count, err, &buf);
    if (status != STATUS_OK)
        return status;
    labels = (const struct store_label *)(const void *)buf.data;
    label_count = buf.size_bytes / sizeof(*labels);
    for (size_t i = 0; i < label_count; i++)
        key_count += i == 0 || !slice_equal(labels[i].key, labels[i - 1].key);
    values = arena_array(build->arena, label_count, struct slice);
    service->labels = arena_array(build->arena, key_count, struct store_catalog_label);
    if (values == NULL || service->labels == NULL)
        return exhausted(build, err);
    for (size_t i = 0; i < label_count; i++) {
        struct store_catalog_label *label;

        if (i == 0 || !slice_equal(labels[i].key, labels[i - 1].key))
            service->labels[service->label_count++] =
                (struct store_catalog_label){.key = labels[i].key, .values = values};
        label = &service->labels[service->label_count - 1];
        label->value_count++;
        *values++ = labels[i].value;
    }
    return STATUS_OK;
}

/* --- all services ---------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return slice_compare(((const struct store_catalog_service *)a)->service,
                         ((const struct store_catalog_service *)b)->service);
}

static enum status add_service(struct build *build, const struct usage *rows, uint32_t count,
                               struct error *err, struct store_catalog_service *service)
{
    enum status status;

    *service = (struct store_catalog_service){
        .service = registry_get(build->engine->numbering.of[NAME_SERVICE], rows[0].service).text};
    status = add_versions(build, rows, count, err, service);
    if (status == STATUS_OK)
        status = add_types(build, rows, count, err, service);
    if (status == STATUS_OK)
        status = add_labels(build, rows, count, err, service);
    return status;
}

enum status engine_catalog(struct store *store, struct arena *arena, struct error *err,
                           struct store_catalog *ret_catalog)
{
    CLEANUP(build_cleanup) struct build build = {.engine = engine_of(store), .arena = arena};
    struct store_catalog catalog = {0};
    const struct usage *rows;
    size_t count, service_count = 0;
    enum status status;

    buf_init(&build.rows, LIMIT_ARENA_BYTES);
    status = reader_take(build.engine->readers, err, &build.reader);
    if (status == STATUS_OK)
        status = read_usage(&build, err);
    if (status == STATUS_OK)
        status = prepare(&build, err);
    if (status != STATUS_OK)
        return status;
    rows = (const struct usage *)(const void *)build.rows.data;
    count = build.rows.size_bytes / sizeof(*rows);
    for (size_t i = 0; i < count; i++)
        service_count += i == 0 || rows[i].service != rows[i - 1].service;
    catalog.services = arena_array(arena, service_count, struct store_catalog_service);
    if (catalog.services == NULL)
        return exhausted(&build, err);
    for (size_t first = 0, end; status == STATUS_OK && first < count; first = end) {
        for (end = first + 1; end < count && rows[end].service == rows[first].service;)
            end++;
        status = add_service(&build, &rows[first], (uint32_t)(end - first), err,
                             &catalog.services[catalog.service_count++]);
    }
    if (status != STATUS_OK)
        return status;
    if (catalog.service_count > 1)
        qsort(catalog.services, catalog.service_count, sizeof(*catalog.services), by_name);
    *ret_catalog = catalog;
    return STATUS_OK;
}

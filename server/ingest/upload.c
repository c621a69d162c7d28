/* SPDX-License-Identifier: Apache-2.0 */
/* First step of ingest: query parameters to what the store wants to know. Looks at no body. */
#include "server/ingest/upload.h"

#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/base/timestamp.h"
#include "proto/metrics.h"
#include "server/view/selection.h"

#define UPLOAD_WORK_UNIT "units"

/* A text parameter of at most `max_bytes`; `absent` when it is not there. */
static enum status upload_read_text(const struct query *query, const char *key, size_t max_bytes,
                                    struct slice absent, struct error *err, struct slice *ret_text)
{
    const struct query_pair *pair = query_find(query, key);

    if (pair != NULL && pair->value.size_bytes > max_bytes)
        return error_set_at(err, STATUS_BAD_PARAMETER, key, ERROR_NONE, (int64_t)max_bytes,
                            "%s: %zu bytes, at most %zu", key, pair->value.size_bytes, max_bytes);
    *ret_text = pair == NULL ? absent : pair->value;
    return STATUS_OK;
}

static enum status upload_read_names(const struct query *query, struct arena *arena,
                                     struct error *err, struct upload *upload)
{
    const struct query_pair *type = query_find(query, "type");
    struct slice none = slice_make("", 0);

    enum status status =
        upload_read_text(query, "service", LIMIT_SERVICE_BYTES, none, err, &upload->service);
    if (status == STATUS_OK)
        status =
            upload_read_text(query, "version", LIMIT_VERSION_BYTES, none, err, &upload->version);
    if (status != STATUS_OK)
        return status;
    if (upload->service.size_bytes == 0)
        return query_refuse("service", err, "is required, 1 to 255 bytes");
    upload->type = none;
    return type == NULL ? STATUS_OK
                        : metrics_canonical_type(type->value, arena, err, &upload->type);
}

static int upload_compare_labels(const void *left, const void *right)
{
    const struct store_label *a = left;
    const struct store_label *b = right;
    int order = slice_compare(a->key, b->key);

    return order != 0 ? order : slice_compare(a->value, b->value);
}

static enum status upload_read_labels(const struct query *query, struct arena *arena,
                                      struct error *err, struct upload *upload)
{
    const struct query_pair *pair;
    struct store_label *labels = arena_array(arena, LIMIT_LABELS, struct store_label);
    uint32_t count = 0;
    uint32_t at = 0;

    if (labels == NULL)
        return arena_exhausted(arena, err, "labels");
    while ((pair = query_next(query, "label", &at)) != NULL) {
        if (count == LIMIT_LABELS)
            return error_set_at(err, STATUS_BAD_PARAMETER, "label", ERROR_NONE, LIMIT_LABELS,
                                "label: more than %u", LIMIT_LABELS);
        enum status status = selection_read_label(pair->value, "label", err, &labels[count++]);
        if (status != STATUS_OK)
            return status;
    }
    if (count > 0)
        qsort(labels, count, sizeof(*labels), upload_compare_labels);
    upload->labels = labels;
    upload->label_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || upload_compare_labels(&labels[i - 1], &labels[i]) != 0)
            labels[upload->label_count++] = labels[i];
    }
    return STATUS_OK;
}

/* How many nanoseconds one of a duration's unit has; 0: no such unit. */
static int64_t upload_unit_ns(struct slice unit)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {
        {"", 1},
        {"ns", 1},
        {"us", 1000},
        {"ms", 1000000},
        {"s", TIMESTAMP_SECOND_NS},
        {"m", 60 * TIMESTAMP_SECOND_NS},
        {"h", 3600 * TIMESTAMP_SECOND_NS},
    };

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (slice_equal(unit, slice_of(units[i].name)))
            return units[i].ns;
    }
    return 0;
}

static enum status upload_read_duration(const struct query *query, struct error *err,
                                        struct upload *upload)
{
    const struct query_pair *pair = query_find(query, "duration");
    int64_t value = 0;
    size_t digits = 0;

    upload->duration_ns = UPLOAD_UNSET;
    if (pair == NULL)
        return STATUS_OK;
    struct slice text = pair->value;
    bool good = true;
    for (; digits < text.size_bytes && text.data[digits] >= '0' && text.data[digits] <= '9';
         digits++)
        good = good && !__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, text.data[digits] - '0', &value);
    int64_t unit_ns = upload_unit_ns(slice_make(text.data + digits, text.size_bytes - digits));
    if (!good || digits == 0 || unit_ns == 0 || __builtin_mul_overflow(value, unit_ns, &value))
        return query_refuse("duration", err, "not nanoseconds, nor a number with ns us ms s m h");
    upload->duration_ns = value;
    return STATUS_OK;
}

static enum status upload_read_work(const struct query *query, struct error *err,
                                    struct upload *upload)
{
    uint64_t work = 0;
    enum status status = query_uint(query, "work", 0, 0, INT64_MAX, err, &work);

    if (status != STATUS_OK)
        return status;
    if (query_find(query, "work") == NULL) {
        if (query_find(query, "work_unit") != NULL)
            return query_refuse("work_unit", err, "given without work");
        upload->work = -1;
        upload->work_unit = slice_make("", 0);
        return STATUS_OK;
    }
    upload->work = (int64_t)work;
    status = upload_read_text(query, "work_unit", LIMIT_WORK_UNIT_BYTES, slice_of(UPLOAD_WORK_UNIT),
                              err, &upload->work_unit);
    if (status == STATUS_OK && upload->work_unit.size_bytes == 0)
        return query_refuse("work_unit", err, "is empty");
    return status;
}

enum status upload_read(const struct query *query, struct arena *arena, int64_t now_ns,
                        struct error *err, struct upload *ret_upload)
{
    struct upload upload;
    enum status status = query_check(query, QUERY_UPLOAD, err);

    if (status == STATUS_OK)
        status = upload_read_names(query, arena, err, &upload);
    if (status == STATUS_OK)
        status = upload_read_labels(query, arena, err, &upload);
    if (status == STATUS_OK)
        status = query_time(query, "time", now_ns, UPLOAD_UNSET, err, &upload.time_ns);
    if (status == STATUS_OK)
        status = upload_read_duration(query, err, &upload);
    if (status == STATUS_OK)
        status = upload_read_work(query, err, &upload);
    if (status == STATUS_OK)
        *ret_upload = upload;
    return status;
}

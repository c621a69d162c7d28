/* SPDX-License-Identifier: Apache-2.0 */
/* Sample types as metrics: names, units, exact totals, and the profile's type.
 *
 * Input: a valid profile. Output: one struct metric per sample type, with the values of the profile
 * scaled to base units. Works on whole columns; knows nothing of services or storage. The spelling
 * rules are those of api.md, "Types, metrics, units". */
#include "proto/metrics.h"

#include <inttypes.h>
#include <stdio.h>

#include "proto/base/limits.h"
#include "proto/base/utf8.h"
#include "proto/sum.h"

const char *metric_kind_name(enum metric_kind kind)
{
    switch (kind) {
    case METRIC_GAUGE:
        return "gauge";
    case METRIC_CUMULATIVE:
        return "cumulative";
    case METRIC_COUNTER:
    case METRIC_KIND_MAX:
    default:
        return "counter";
    }
}

/* --- spelling -------------------------------------------------------------------------------- */

static char fold_char(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '-' ? '_' : c;
}

/* Whether `name`, in lower case and with '_' for '-', is `folded`. */
static bool folds_to(struct slice name, const char *folded)
{
    for (size_t i = 0; i < name.size_bytes; i++)
        if (folded[i] == '\0' || fold_char(name.data[i]) != folded[i])
            return false;
    return folded[name.size_bytes] == '\0';
}

/* Whether `name`, folded the same way, begins with `prefix`. */
static bool folds_to_prefix(struct slice name, const char *prefix)
{
    size_t size_bytes = strlen(prefix);

    return name.size_bytes >= size_bytes && folds_to(slice_make(name.data, size_bytes), prefix);
}

/* --- units ----------------------------------------------------------------------------------- */

/* The families of the reference (internal/measurement) that have an exact base unit. A trailing
 * "s" of names longer than two bytes is cut before the look-up. */
static const struct {
    const char *name;
    const char *base;
    int64_t factor;
} units[] = {
    {"b", "bytes", 1},
    {"byte", "bytes", 1},
    {"kb", "bytes", INT64_C(1) << 10},
    {"kbyte", "bytes", INT64_C(1) << 10},
    {"kilobyte", "bytes", INT64_C(1) << 10},
    {"mb", "bytes", INT64_C(1) << 20},
    {"mbyte", "bytes", INT64_C(1) << 20},
    {"megabyte", "bytes", INT64_C(1) << 20},
    {"gb", "bytes", INT64_C(1) << 30},
    {"gbyte", "bytes", INT64_C(1) << 30},
    {"gigabyte", "bytes", INT64_C(1) << 30},
    {"tb", "bytes", INT64_C(1) << 40},
    {"tbyte", "bytes", INT64_C(1) << 40},
    {"terabyte", "bytes", INT64_C(1) << 40},
    {"pb", "bytes", INT64_C(1) << 50},
    {"pbyte", "bytes", INT64_C(1) << 50},
    {"petabyte", "bytes", INT64_C(1) << 50},
    {"ns", "nanoseconds", 1},
    {"nanosecond", "nanoseconds", 1},
    {"us", "nanoseconds", 1000},
    {"\xc2\xb5s", "nanoseconds", 1000}, /* micro sign */
    {"\xce\xbcs", "nanoseconds", 1000}, /* Greek mu */
    {"microsecond", "nanoseconds", 1000},
    {"ms", "nanoseconds", 1000000},
    {"millisecond", "nanoseconds", 1000000},
    {"s", "nanoseconds", 1000000000},
    {"sec", "nanoseconds", 1000000000},
    {"second", "nanoseconds", 1000000000},
    {"hr", "nanoseconds", INT64_C(3600) * 1000000000},
    {"hour", "nanoseconds", INT64_C(3600) * 1000000000},
};

/* The base unit and its factor; any other unit is kept as it is written, with factor 1. */
static enum status find_unit(struct slice unit, struct arena *arena, struct error *err,
                             struct slice *ret_base, int64_t *ret_factor)
{
    struct slice stem = unit;

    if (unit.size_bytes > 2 && fold_char(unit.data[unit.size_bytes - 1]) == 's' &&
        (unsigned char)unit.data[unit.size_bytes - 2] < 0x80) /* not the "s" of a micro sign */
        stem.size_bytes--;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (!folds_to(stem, units[i].name))
            continue;
        *ret_base = slice_of(units[i].base);
        *ret_factor = units[i].factor;
        return STATUS_OK;
    }
    *ret_factor = 1;
    return utf8_clean(unit, arena, err, ret_base);
}

/* --- metrics --------------------------------------------------------------------------------- */

static bool is_gauge(struct slice name)
{
    return folds_to_prefix(name, "inuse_") || folds_to(name, "space") ||
           folds_to(name, "objects") || folds_to(name, "live") || folds_to(name, "goroutine") ||
           folds_to(name, "goroutines") || folds_to_prefix(name, "thread");
}

static enum metric_kind find_kind(struct slice name, int64_t duration_ns)
{
    if (is_gauge(name))
        return METRIC_GAUGE;
    if (duration_ns == 0 && (folds_to_prefix(name, "alloc_") || folds_to(name, "contentions") ||
                             folds_to(name, "delay")))
        return METRIC_CUMULATIVE;
    return METRIC_COUNTER;
}

static bool is_taken(const struct metric *metrics, uint32_t count, struct slice name)
{
    for (uint32_t i = 0; i < count; i++)
        if (slice_equal(metrics[i].name, name))
            return true;
    return false;
}

/* A name that none of the `count` metrics before has: "cpu", then "cpu#2", "cpu#3". */
static enum status make_unique(const struct metric *metrics, uint32_t count, struct slice base,
                               struct arena *arena, struct error *err, struct slice *ret_name)
{
    struct slice name = base;
    char *text = NULL;

    for (uint32_t n = 2; is_taken(metrics, count, name); n++) {
        size_t room = base.size_bytes + sizeof "#4294967295";
        int suffix_bytes;

        if (!text)
            text = arena_alloc(arena, room, 1);
        if (!text)
            return arena_exhausted(arena, err, "a metric's name");
        memcpy(text, base.data, base.size_bytes);
        suffix_bytes = snprintf(text + base.size_bytes, room - base.size_bytes, "#%" PRIu32, n);
        name = slice_make(text, base.size_bytes + (size_t)suffix_bytes);
    }
    *ret_name = name;
    return STATUS_OK;
}

static enum status name_metric(const struct profile *p, uint32_t type, const struct metric *metrics,
                               struct arena *arena, struct error *err, struct slice *ret_name)
{
    struct slice name = p->strings[p->type_name[type]];
    enum status status = STATUS_OK;

    if (name.size_bytes == 0)
        name = SLICE_LITERAL("value");
    else
        status = utf8_clean(name, arena, err, &name);
    if (status == STATUS_OK)
        status = make_unique(metrics, type, name, arena, err, &name);
    if (status != STATUS_OK)
        return status;
    if (name.size_bytes > LIMIT_METRIC_BYTES)
        return error_set_at(err, STATUS_TOO_LARGE, "sample_type", type, LIMIT_METRIC_BYTES,
                            "the name of sample type %" PRIu32 " has %zu bytes, at most %u", type,
                            name.size_bytes, LIMIT_METRIC_BYTES);
    *ret_name = name;
    return STATUS_OK;
}

/* Multiplies a column in place and sums it. */
static enum status scale_and_sum(struct profile *p, uint32_t type, int64_t factor,
                                 struct error *err, int64_t *ret_total)
{
    struct sum sum = {0};

    for (uint32_t s = 0; s < p->sample_count; s++) {
        int64_t *value = &p->sample_values[(size_t)s * p->type_count + type];

        if (factor != 1 && __builtin_mul_overflow(*value, factor, value))
            return error_set_at(
                err, STATUS_VALUE_OVERFLOW, "sample.value", s, ERROR_NONE,
                "sample %" PRIu32 ": a value times %" PRId64 " leaves the 64-bit range", s, factor);
        sum_add(&sum, *value);
    }
    if (!sum_fits(&sum))
        return error_set_at(err, STATUS_VALUE_OVERFLOW, "sample.value", type, ERROR_NONE,
                            "the sum of sample type %" PRIu32 " leaves the 64-bit range", type);
    *ret_total = sum_value(&sum);
    return STATUS_OK;
}

static enum status make_metric(struct profile *p, uint32_t type, struct metric *metrics,
                               struct arena *arena, struct error *err)
{
    struct metric *m = &metrics[type];
    int64_t factor;
    enum status status;

    status = name_metric(p, type, metrics, arena, err, &m->name);
    if (status != STATUS_OK)
        return status;
    status = find_unit(p->strings[p->type_unit[type]], arena, err, &m->unit, &factor);
    if (status != STATUS_OK)
        return status;
    if (m->unit.size_bytes > LIMIT_METRIC_BYTES)
        return error_set_at(err, STATUS_TOO_LARGE, "sample_type", type, LIMIT_METRIC_BYTES,
                            "the unit of sample type %" PRIu32 " has %zu bytes, at most %u", type,
                            m->unit.size_bytes, LIMIT_METRIC_BYTES);
    m->kind = find_kind(p->strings[p->type_name[type]], p->duration_ns);
    return scale_and_sum(p, type, factor, err, &m->total);
}

enum status metrics_normalise(struct profile *profile, struct arena *arena, struct error *err,
                              struct metric **ret_metrics)
{
    struct metric *metrics = arena_array(arena, profile->type_count, struct metric);

    if (!metrics)
        return arena_exhausted(arena, err, "the metrics");
    for (uint32_t t = 0; t < profile->type_count; t++) {
        enum status status = make_metric(profile, t, metrics, arena, err);

        if (status != STATUS_OK)
            return status;
    }
    *ret_metrics = metrics;
    return STATUS_OK;
}

/* --- the profile's type ---------------------------------------------------------------------- */

static bool has_type(const struct profile *p, const char *name)
{
    for (uint32_t t = 0; t < p->type_count; t++)
        if (folds_to(p->strings[p->type_name[t]], name))
            return true;
    return false;
}

/* The rules that look at sample types, first match wins. */
static const struct {
    const char *sample_type;
    const char *type;
} inference[] = {
    {"wall", "wall"},
    {"cpu", "cpu"},
    {"inuse_space", "heap"},
    {"inuse_objects", "heap"},
    {"alloc_space", "heap_alloc"},
    {"alloc_objects", "heap_alloc"},
    {"space", "heap"},
    {"objects", "heap"},
    {"contentions", "contention"},
    {"delay", "contention"},
    {"goroutine", "goroutine"},
    {"goroutines", "goroutine"},
    {"threadcreate", "threadcreate"},
    {"thread", "threads"},
    {"threads", "threads"},
};

enum status metrics_infer_type(const struct profile *profile, struct arena *arena,
                               struct error *err, struct slice *ret_type)
{
    struct slice period = profile->strings[profile->period_type_name];
    enum status status;

    if (folds_to(period, "cpu")) {
        *ret_type = SLICE_LITERAL("cpu");
        return STATUS_OK;
    }
    if (folds_to(period, "wall") || folds_to(period, "wallclock")) {
        *ret_type = SLICE_LITERAL("wall");
        return STATUS_OK;
    }
    for (size_t i = 0; i < sizeof inference / sizeof inference[0]; i++) {
        if (!has_type(profile, inference[i].sample_type))
            continue;
        *ret_type = slice_of(inference[i].type);
        return STATUS_OK;
    }
    status = metrics_canonical_type(period, arena, err, ret_type);
    if (status == STATUS_BAD_PARAMETER) {
        *ret_type = SLICE_LITERAL("other");
        return STATUS_OK;
    }
    return status;
}

static bool is_type_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

enum status metrics_canonical_type(struct slice given, struct arena *arena, struct error *err,
                                   struct slice *ret_type)
{
    char *text;

    if (given.size_bytes == 0 || given.size_bytes > LIMIT_TYPE_BYTES)
        return error_set_at(err, STATUS_BAD_PARAMETER, "type", ERROR_NONE, LIMIT_TYPE_BYTES,
                            "a profile type has 1 to %u characters, this one %zu", LIMIT_TYPE_BYTES,
                            given.size_bytes);
    if (folds_to(given, "goroutines")) {
        *ret_type = SLICE_LITERAL("goroutine");
        return STATUS_OK;
    }
    if (folds_to(given, "wallclock")) {
        *ret_type = SLICE_LITERAL("wall");
        return STATUS_OK;
    }
    text = arena_alloc(arena, given.size_bytes, 1);
    if (!text)
        return arena_exhausted(arena, err, "the profile type");
    for (size_t i = 0; i < given.size_bytes; i++) {
        text[i] = fold_char(given.data[i]);
        if (!is_type_char(text[i]))
            return error_set_at(err, STATUS_BAD_PARAMETER, "type", (int64_t)i, ERROR_NONE,
                                "a profile type is made of a-z, 0-9 and '_'; character %zu is not",
                                i);
    }
    *ret_type = slice_make(text, given.size_bytes);
    return STATUS_OK;
}

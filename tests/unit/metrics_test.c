/* SPDX-License-Identifier: Apache-2.0 */
/* Names, units, kinds, totals and types. */
#include "proto/metrics.h"

#include <stdlib.h>

#include "proto/base/limits.h"
#include "tests/unit/unit.h"

#define TYPES_MAX 8

/* A profile of sample types alone, with one sample per row of values. */
struct fixture {
    struct profile p;
    struct slice strings[2 * TYPES_MAX + 2];
    uint32_t name[TYPES_MAX];
    uint32_t unit[TYPES_MAX];
    int64_t values[TYPES_MAX * 4];
};

static void add_type(struct fixture *f, struct slice name, struct slice unit)
{
    uint32_t t = f->p.type_count++;

    f->p.strings = f->strings;
    f->p.type_name = f->name;
    f->p.type_unit = f->unit;
    f->p.sample_values = f->values;
    f->p.string_count = 2 * f->p.type_count + 2;
    f->name[t] = 2 + 2 * t;
    f->unit[t] = 3 + 2 * t;
    f->strings[2 + 2 * t] = name;
    f->strings[3 + 2 * t] = unit;
}

static void set_period(struct fixture *f, struct slice name)
{
    f->strings[1] = name;
    f->p.period_type_name = 1;
}

static void test_units(void **state)
{
    static const struct {
        const char *unit;
        const char *base;
        int64_t factor;
    } cases[] = {
        {"nanoseconds", "nanoseconds", 1},
        {"ns", "nanoseconds", 1},
        {"us", "nanoseconds", 1000},
        {"\xc2\xb5s", "nanoseconds", 1000},
        {"\xce\xbcs", "nanoseconds", 1000},
        {"Microseconds", "nanoseconds", 1000},
        {"milliseconds", "nanoseconds", 1000000},
        {"ms", "nanoseconds", 1000000},
        {"s", "nanoseconds", 1000000000},
        {"SECONDS", "nanoseconds", 1000000000},
        {"sec", "nanoseconds", 1000000000},
        {"hrs", "nanoseconds", INT64_C(3600000000000)},
        {"hours", "nanoseconds", INT64_C(3600000000000)},
        {"bytes", "bytes", 1},
        {"B", "bytes", 1},
        {"kB", "bytes", 1024},
        {"kilobytes", "bytes", 1024},
        {"MB", "bytes", 1048576},
        {"gigabyte", "bytes", 1073741824},
        {"count", "count", 1},
        {"", "", 1},
        {"objects", "objects", 1},
        {"ss", "ss", 1},
        {"bs", "bs", 1},
        {"cycles", "cycles", 1},
        {"\xff", "\\xff", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
        struct fixture f = {.p.sample_count = 2, .values = {3, -1}};
        struct metric *metrics;

        add_type(&f, SLICE_LITERAL("t"), slice_of(cases[i].unit));
        assert_int_equal(metrics_normalise(&f.p, arena, NULL, &metrics), STATUS_OK);
        assert_slice_equal(metrics[0].unit, slice_of(cases[i].base));
        assert_int_equal(metrics[0].total, 2 * cases[i].factor);
        assert_int_equal(f.values[0], 3 * cases[i].factor);
        assert_int_equal(f.values[1], -cases[i].factor);
    }
}

static void test_names(void **state)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
    struct fixture f = {0};
    struct metric *metrics;

    (void)state;
    add_type(&f, SLICE_LITERAL("cpu"), SLICE_LITERAL("count"));
    add_type(&f, SLICE_LITERAL(""), SLICE_LITERAL(""));
    add_type(&f, SLICE_LITERAL("cpu"), SLICE_LITERAL("count"));
    add_type(&f, SLICE_LITERAL("cpu#2"), SLICE_LITERAL("count"));
    add_type(&f, SLICE_LITERAL("cpu"), SLICE_LITERAL("count"));
    add_type(&f, SLICE_LITERAL(""), SLICE_LITERAL("count"));
    add_type(&f, SLICE_LITERAL("a\xff"), SLICE_LITERAL("count"));
    assert_int_equal(metrics_normalise(&f.p, arena, NULL, &metrics), STATUS_OK);
    assert_slice_equal(metrics[0].name, SLICE_LITERAL("cpu"));
    assert_slice_equal(metrics[1].name, SLICE_LITERAL("value"));
    assert_slice_equal(metrics[2].name, SLICE_LITERAL("cpu#2"));
    assert_slice_equal(metrics[3].name, SLICE_LITERAL("cpu#2#2"));
    assert_slice_equal(metrics[4].name, SLICE_LITERAL("cpu#3"));
    assert_slice_equal(metrics[5].name, SLICE_LITERAL("value#2"));
    assert_slice_equal(metrics[6].name, SLICE_LITERAL("a\\xff"));
}

static void test_name_limit(void **state)
{
    char name[LIMIT_METRIC_BYTES + 1];

    (void)state;
    memset(name, 'n', sizeof name);
    for (size_t extra = 0; extra <= 1; extra++) {
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
        struct fixture as_name = {0};
        struct fixture as_unit = {0};
        struct slice text = slice_make(name, LIMIT_METRIC_BYTES + extra);
        struct metric *metrics;

        add_type(&as_name, text, SLICE_LITERAL("count"));
        add_type(&as_unit, SLICE_LITERAL("cpu"), text);
        assert_status(metrics_normalise(&as_name.p, arena, NULL, &metrics),
                      extra ? STATUS_TOO_LARGE : STATUS_OK);
        assert_status(metrics_normalise(&as_unit.p, arena, NULL, &metrics),
                      extra ? STATUS_TOO_LARGE : STATUS_OK);
    }
}

static void test_kinds(void **state)
{
    static const struct {
        const char *name;
        int64_t duration_ns;
        enum metric_kind kind;
    } cases[] = {
        {"cpu", 0, METRIC_COUNTER},
        {"samples", 10, METRIC_COUNTER},
        {"inuse_space", 0, METRIC_GAUGE},
        {"inuse_objects", 10, METRIC_GAUGE},
        {"inuse-space", 10, METRIC_GAUGE},
        {"space", 10, METRIC_GAUGE},
        {"objects", 10, METRIC_GAUGE},
        {"live", 10, METRIC_GAUGE},
        {"goroutine", 0, METRIC_GAUGE},
        {"threads", 0, METRIC_GAUGE},
        {"threadcreate", 0, METRIC_GAUGE},
        {"alloc_space", 0, METRIC_CUMULATIVE},
        {"alloc_space", 10, METRIC_COUNTER},
        {"alloc_objects", -1, METRIC_COUNTER},
        {"contentions", 0, METRIC_CUMULATIVE},
        {"delay", 0, METRIC_CUMULATIVE},
        {"delay", 10, METRIC_COUNTER},
        {"spaces", 0, METRIC_COUNTER},
        {"inuse", 0, METRIC_COUNTER},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
        struct fixture f = {.p.duration_ns = cases[i].duration_ns};
        struct metric *metrics;

        add_type(&f, slice_of(cases[i].name), SLICE_LITERAL("count"));
        assert_int_equal(metrics_normalise(&f.p, arena, NULL, &metrics), STATUS_OK);
        assert_string_equal(metric_kind_name(metrics[0].kind), metric_kind_name(cases[i].kind));
    }
}

static void test_overflow(void **state)
{
    static const struct {
        const char *unit;
        int64_t values[3];
        enum status status;
        int64_t total;
    } cases[] = {
        {"count", {INT64_MAX, 0, 0}, STATUS_OK, INT64_MAX},
        {"count", {INT64_MAX, 1, 0}, STATUS_VALUE_OVERFLOW, 0},
        {"count", {INT64_MAX, 1, -1}, STATUS_OK, INT64_MAX}, /* only the sum must fit */
        {"count", {INT64_MIN, 0, 0}, STATUS_OK, INT64_MIN},
        {"count", {INT64_MIN, -1, 0}, STATUS_VALUE_OVERFLOW, 0},
        {"count", {INT64_MIN, INT64_MAX, 0}, STATUS_OK, -1},
        {"us", {INT64_MAX / 1000, 0, 0}, STATUS_OK, INT64_MAX / 1000 * 1000},
        {"us", {INT64_MAX / 1000 + 1, 0, 0}, STATUS_VALUE_OVERFLOW, 0},
        {"kB", {INT64_MIN / 1024, 0, 0}, STATUS_OK, INT64_MIN},
        {"kB", {INT64_MIN / 1024 - 1, 0, 0}, STATUS_VALUE_OVERFLOW, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
        struct fixture f = {.p.sample_count = 3};
        struct metric *metrics;

        memcpy(f.values, cases[i].values, sizeof cases[i].values);
        add_type(&f, SLICE_LITERAL("t"), slice_of(cases[i].unit));
        assert_status(metrics_normalise(&f.p, arena, NULL, &metrics), cases[i].status);
        if (cases[i].status == STATUS_OK)
            assert_int_equal(metrics[0].total, cases[i].total);
    }
}

static void test_infer_type(void **state)
{
    static const struct {
        const char *period;
        const char *types[4];
        const char *type;
    } cases[] = {
        {"cpu", {"samples", "cpu"}, "cpu"},
        {"CPU", {"samples"}, "cpu"},
        {"cpu", {"wall"}, "cpu"}, /* the period decides first */
        {"wallclock", {"samples", "time"}, "wall"},
        {"wall", {"sample", "cpu"}, "wall"},
        {"", {"cpu", "wall"}, "wall"},
        {"", {"CPU"}, "cpu"},
        {"space", {"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}, "heap"},
        {"space", {"alloc_objects", "alloc_space"}, "heap_alloc"},
        {"space", {"objects", "space"}, "heap"},
        {"contentions", {"contentions", "delay"}, "contention"},
        {"goroutine", {"goroutine"}, "goroutine"},
        {"", {"goroutines"}, "goroutine"},
        {"threadcreate", {"threadcreate"}, "threadcreate"},
        {"", {"thread"}, "threads"},
        {"Lock-Wait", {"x"}, "lock_wait"},
        {"not a type", {"x"}, "other"},
        {"", {"x"}, "other"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
        struct fixture f = {0};
        struct slice type;

        for (size_t t = 0; t < 4 && cases[i].types[t]; t++)
            add_type(&f, slice_of(cases[i].types[t]), SLICE_LITERAL("count"));
        set_period(&f, slice_of(cases[i].period));
        assert_int_equal(metrics_infer_type(&f.p, arena, NULL, &type), STATUS_OK);
        assert_slice_equal(type, slice_of(cases[i].type));
    }
}

static void test_canonical_type(void **state)
{
    static const char long_type[LIMIT_TYPE_BYTES + 2] =
        "abcdefghijklmnopqrstuvwxyz0123456789_bcdefghijklmnopqrstuvwxyz012";
    static const struct {
        const char *given;
        const char *type; /* NULL: refused */
    } cases[] = {
        {"cpu", "cpu"},
        {"CPU", "cpu"},
        {"heap-alloc", "heap_alloc"},
        {"Goroutines", "goroutine"},
        {"wallclock", "wall"},
        {"", NULL},
        {"a b", NULL},
        {"a.b", NULL},
        {"\xc3\xa9", NULL},
        {"x/y", NULL},
        {long_type, NULL},
        {long_type + 1, "bcdefghijklmnopqrstuvwxyz0123456789_bcdefghijkl"
                        "mnopqrstuvwxyz012"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_MIB);
        struct slice type;
        enum status status = metrics_canonical_type(slice_of(cases[i].given), arena, NULL, &type);

        assert_status(status, cases[i].type ? STATUS_OK : STATUS_BAD_PARAMETER);
        if (cases[i].type)
            assert_slice_equal(type, slice_of(cases[i].type));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),          cmocka_unit_test(test_names),
        cmocka_unit_test(test_name_limit),     cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_overflow),       cmocka_unit_test(test_infer_type),
        cmocka_unit_test(test_canonical_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

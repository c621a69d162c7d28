/* SPDX-License-Identifier: Apache-2.0 */
/* The protobuf-c side of differential tests: unpack into the arena, then walk both in step. */
#include "tests/unit/support/oracle.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "proto/profile.pb-c.h"

typedef Brazier__Pprof__Profile Message; /* generated names are long */

static void *oracle_alloc(void *arena, size_t size_bytes)
{
    return arena_alloc(arena, size_bytes, 16);
}

static void oracle_free(void *arena, void *memory)
{
    (void)arena;
    (void)memory;
}

__attribute__((format(printf, 2, 3))) static bool differs(struct oracle_verdict *v,
                                                          const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(v->what, sizeof v->what, format, arguments);
    va_end(arguments);
    return false;
}

#define SAME(v, a, b, what, index)                                                                 \
    do {                                                                                           \
        if ((int64_t)(a) != (int64_t)(b))                                                          \
            return differs((v), "%s %" PRIu32 ": %" PRId64 " against %" PRId64, (what), (index),   \
                           (int64_t)(a), (int64_t)(b));                                            \
    } while (0)

static bool same_labels(struct oracle_verdict *v, const struct profile *p, uint32_t s,
                        const Brazier__Pprof__Sample *m)
{
    uint32_t at = p->sample_label_first[s];

    for (size_t i = 0; i < m->n_label; i++) {
        const Brazier__Pprof__Label *l = m->label[i];
        const struct profile_label *ours = &p->sample_labels[at];

        if (l->str == 0 && l->num == 0 && l->num_unit == 0)
            continue; /* says nothing, the reference drops it */
        if (at == p->sample_label_first[s + 1])
            return differs(v, "sample %" PRIu32 ": a label is missing", s);
        SAME(v, ours->key, l->key, "label key of sample", s);
        SAME(v, ours->text, l->str, "label text of sample", s);
        SAME(v, ours->number, l->str ? 0 : l->num, "label number of sample", s);
        SAME(v, ours->unit, l->str ? 0 : l->num_unit, "label unit of sample", s);
        at++;
    }
    SAME(v, at, p->sample_label_first[s + 1], "labels of sample", s);
    return true;
}

static bool same_samples(struct oracle_verdict *v, const struct profile *p, const Message *m)
{
    SAME(v, p->sample_count, m->n_sample, "samples", 0);
    for (uint32_t s = 0; s < p->sample_count; s++) {
        const Brazier__Pprof__Sample *sample = m->sample[s];
        const uint32_t *stack = p->sample_locations + p->sample_location_first[s];

        SAME(v, p->sample_location_first[s + 1] - p->sample_location_first[s],
             sample->n_location_id, "depth of sample", s);
        for (size_t i = 0; i < sample->n_location_id; i++)
            SAME(v, p->location_id[stack[i]], sample->location_id[i], "location of sample", s);
        SAME(v, p->type_count, sample->n_value, "values of sample", s);
        for (size_t i = 0; i < sample->n_value; i++)
            SAME(v, p->sample_values[(size_t)s * p->type_count + i], sample->value[i],
                 "value of sample", s);
        if (!same_labels(v, p, s, sample))
            return false;
    }
    return true;
}

static bool same_locations(struct oracle_verdict *v, const struct profile *p, const Message *m)
{
    SAME(v, p->location_count, m->n_location, "locations", 0);
    for (uint32_t i = 0; i < p->location_count; i++) {
        const Brazier__Pprof__Location *l = m->location[i];
        uint32_t line = p->location_line_first[i];

        SAME(v, p->location_id[i], l->id, "id of location", i);
        SAME(v, p->location_address[i], l->address, "address of location", i);
        if (p->location_mapping[i] != PROFILE_NONE)
            SAME(v, p->mapping_id[p->location_mapping[i]], l->mapping_id, "mapping of location", i);
        for (size_t j = 0; p->location_mapping[i] == PROFILE_NONE && j < m->n_mapping; j++)
            if (m->mapping[j]->id == l->mapping_id)
                return differs(v, "location %" PRIu32 " lost its mapping", i);
        SAME(v, p->location_line_first[i + 1] - line, l->n_line, "lines of location", i);
        for (size_t j = 0; j < l->n_line; j++, line++) {
            SAME(v, p->function_id[p->line_function[line]], l->line[j]->function_id,
                 "function of location", i);
            SAME(v, p->line_number[line], l->line[j]->line, "line of location", i);
        }
    }
    return true;
}

static bool same_tables(struct oracle_verdict *v, const struct profile *p, const Message *m)
{
    SAME(v, p->mapping_count, m->n_mapping, "mappings", 0);
    for (uint32_t i = 0; i < p->mapping_count; i++) {
        SAME(v, p->mapping_id[i], m->mapping[i]->id, "id of mapping", i);
        SAME(v, p->mapping_start[i], m->mapping[i]->memory_start, "start of mapping", i);
        SAME(v, p->mapping_limit[i], m->mapping[i]->memory_limit, "limit of mapping", i);
        SAME(v, p->mapping_offset[i], m->mapping[i]->file_offset, "offset of mapping", i);
        SAME(v, p->mapping_file[i], m->mapping[i]->filename, "file of mapping", i);
        SAME(v, p->mapping_build_id[i], m->mapping[i]->build_id, "build id of mapping", i);
    }
    SAME(v, p->function_count, m->n_function, "functions", 0);
    for (uint32_t i = 0; i < p->function_count; i++) {
        SAME(v, p->function_id[i], m->function[i]->id, "id of function", i);
        SAME(v, p->function_name[i], m->function[i]->name, "name of function", i);
        SAME(v, p->function_system_name[i], m->function[i]->system_name, "system name of", i);
        SAME(v, p->function_file[i], m->function[i]->filename, "file of function", i);
        SAME(v, p->function_start_line[i], m->function[i]->start_line, "start of function", i);
    }
    SAME(v, p->string_count, m->n_string_table, "strings", 0);
    for (uint32_t i = 0; i < p->string_count; i++)
        if (!slice_equal(p->strings[i],
                         slice_make(m->string_table[i].data, m->string_table[i].len)))
            return differs(v, "string %" PRIu32, i);
    return true;
}

static bool same_scalars(struct oracle_verdict *v, const struct profile *p, const Message *m)
{
    const Brazier__Pprof__ValueType none = BRAZIER__PPROF__VALUE_TYPE__INIT;
    const Brazier__Pprof__ValueType *period = m->period_type ? m->period_type : &none;

    SAME(v, p->type_count, m->n_sample_type, "sample types", 0);
    for (uint32_t i = 0; i < p->type_count; i++) {
        SAME(v, p->type_name[i], m->sample_type[i]->type, "name of sample type", i);
        SAME(v, p->type_unit[i], m->sample_type[i]->unit, "unit of sample type", i);
    }
    SAME(v, p->comment_count, m->n_comment, "comments", 0);
    for (uint32_t i = 0; i < p->comment_count; i++)
        SAME(v, p->comments[i], m->comment[i], "comment", i);
    SAME(v, p->time_ns, m->time_nanos, "time", 0);
    SAME(v, p->duration_ns, m->duration_nanos, "duration", 0);
    SAME(v, p->period, m->period, "period", 0);
    SAME(v, p->period_type_name, period->type, "period type", 0);
    SAME(v, p->period_type_unit, period->unit, "period unit", 0);
    SAME(v, p->default_type, m->default_sample_type, "default type", 0);
    SAME(v, p->drop_frames, m->drop_frames, "drop_frames", 0);
    SAME(v, p->keep_frames, m->keep_frames, "keep_frames", 0);
    SAME(v, p->doc_url, m->doc_url, "doc_url", 0);
    return true;
}

struct oracle_verdict oracle_compare(struct slice bytes, const struct profile *profile,
                                     struct arena *arena)
{
    ProtobufCAllocator allocator = {oracle_alloc, oracle_free, arena};
    struct oracle_verdict verdict = {0};
    const Message *m =
        brazier__pprof__profile__unpack(&allocator, bytes.size_bytes, (const uint8_t *)bytes.data);

    verdict.readable = m != NULL;
    if (m && profile)
        verdict.equal = same_scalars(&verdict, profile, m) && same_tables(&verdict, profile, m) &&
                        same_locations(&verdict, profile, m) && same_samples(&verdict, profile, m);
    return verdict;
}

#define SAME_COLUMN(v, a, b, column, count)                                                        \
    do {                                                                                           \
        for (uint32_t i_ = 0; i_ < (count); i_++)                                                  \
            SAME((v), (a)->column[i_], (b)->column[i_], #column, i_);                              \
    } while (0)

static bool same_sample_columns(struct oracle_verdict *v, const struct profile *a,
                                const struct profile *b)
{
    SAME(v, a->type_count, b->type_count, "sample types", 0);
    SAME_COLUMN(v, a, b, type_name, a->type_count);
    SAME_COLUMN(v, a, b, type_unit, a->type_count);
    SAME(v, a->sample_count, b->sample_count, "samples", 0);
    SAME_COLUMN(v, a, b, sample_location_first, a->sample_count + 1);
    SAME_COLUMN(v, a, b, sample_locations, a->sample_location_first[a->sample_count]);
    SAME_COLUMN(v, a, b, sample_values, a->sample_count * a->type_count);
    SAME_COLUMN(v, a, b, sample_label_first, a->sample_count + 1);
    for (uint32_t i = 0; i < a->sample_label_first[a->sample_count]; i++) {
        SAME(v, a->sample_labels[i].key, b->sample_labels[i].key, "label key", i);
        SAME(v, a->sample_labels[i].text, b->sample_labels[i].text, "label text", i);
        SAME(v, a->sample_labels[i].number, b->sample_labels[i].number, "label number", i);
        SAME(v, a->sample_labels[i].unit, b->sample_labels[i].unit, "label unit", i);
    }
    return true;
}

static bool same_symbol_columns(struct oracle_verdict *v, const struct profile *a,
                                const struct profile *b)
{
    SAME(v, a->mapping_count, b->mapping_count, "mappings", 0);
    SAME_COLUMN(v, a, b, mapping_start, a->mapping_count);
    SAME_COLUMN(v, a, b, mapping_limit, a->mapping_count);
    SAME_COLUMN(v, a, b, mapping_offset, a->mapping_count);
    SAME_COLUMN(v, a, b, mapping_file, a->mapping_count);
    SAME_COLUMN(v, a, b, mapping_build_id, a->mapping_count);
    SAME(v, a->location_count, b->location_count, "locations", 0);
    SAME_COLUMN(v, a, b, location_mapping, a->location_count);
    SAME_COLUMN(v, a, b, location_address, a->location_count);
    SAME_COLUMN(v, a, b, location_line_first, a->location_count + 1);
    SAME_COLUMN(v, a, b, line_function, a->location_line_first[a->location_count]);
    SAME_COLUMN(v, a, b, line_number, a->location_line_first[a->location_count]);
    SAME(v, a->function_count, b->function_count, "functions", 0);
    SAME_COLUMN(v, a, b, function_name, a->function_count);
    SAME_COLUMN(v, a, b, function_system_name, a->function_count);
    SAME_COLUMN(v, a, b, function_file, a->function_count);
    SAME_COLUMN(v, a, b, function_start_line, a->function_count);
    return true;
}

static bool same_scalar_columns(struct oracle_verdict *v, const struct profile *a,
                                const struct profile *b)
{
    SAME(v, a->string_count, b->string_count, "strings", 0);
    for (uint32_t i = 0; i < a->string_count; i++)
        if (!slice_equal(a->strings[i], b->strings[i]))
            return differs(v, "string %" PRIu32, i);
    SAME(v, a->comment_count, b->comment_count, "comments", 0);
    SAME_COLUMN(v, a, b, comments, a->comment_count);
    SAME(v, a->time_ns, b->time_ns, "time", 0);
    SAME(v, a->duration_ns, b->duration_ns, "duration", 0);
    SAME(v, a->period, b->period, "period", 0);
    SAME(v, a->period_type_name, b->period_type_name, "period type", 0);
    SAME(v, a->period_type_unit, b->period_type_unit, "period unit", 0);
    SAME(v, a->default_type, b->default_type, "default type", 0);
    SAME(v, a->drop_frames, b->drop_frames, "drop_frames", 0);
    SAME(v, a->keep_frames, b->keep_frames, "keep_frames", 0);
    SAME(v, a->doc_url, b->doc_url, "doc_url", 0);
    return true;
}

struct oracle_verdict oracle_compare_profiles(const struct profile *a, const struct profile *b)
{
    struct oracle_verdict verdict = {.readable = true};

    verdict.equal = same_scalar_columns(&verdict, a, b) && same_symbol_columns(&verdict, a, b) &&
                    same_sample_columns(&verdict, a, b);
    return verdict;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Columns to a pprof message, on protobuf-c.
 *
 * Input: a valid profile. Output: the uncompressed message behind what `out` holds. Builds the
 * message structs in the arena, pointing at the profile's own columns where types agree, and lets
 * protobuf-c write them. Ids become index + 1; the ids of the columns are not looked at. */
#include "proto/encode.h"

#include "proto/profile.pb-c.h"

/* The generated names are long; these are the messages of profile.proto. */
typedef Brazier__Pprof__Profile ProfileMessage;
typedef Brazier__Pprof__ValueType ValueTypeMessage;
typedef Brazier__Pprof__Sample SampleMessage;
typedef Brazier__Pprof__Label LabelMessage;
typedef Brazier__Pprof__Mapping MappingMessage;
typedef Brazier__Pprof__Location LocationMessage;
typedef Brazier__Pprof__Line LineMessage;
typedef Brazier__Pprof__Function FunctionMessage;

/* Each builder below puts `count` messages in the arena and their addresses into the profile
 * message's pointer array. False: the arena is exhausted. */

static bool build_types(const struct profile *p, struct arena *arena, ProfileMessage *m)
{
    ValueTypeMessage *types = arena_array(arena, p->type_count, ValueTypeMessage);

    m->sample_type = arena_array(arena, p->type_count, ValueTypeMessage *);
    m->n_sample_type = p->type_count;
    if (!types || !m->sample_type)
        return false;
    for (uint32_t i = 0; i < p->type_count; i++) {
        brazier__pprof__value_type__init(&types[i]);
        types[i].type = p->type_name[i];
        types[i].unit = p->type_unit[i];
        m->sample_type[i] = &types[i];
    }
    return true;
}

/* The labels of all samples; sample i then takes its run of the pointers. */
static LabelMessage **build_labels(const struct profile *p, struct arena *arena)
{
    uint32_t count = p->sample_label_first[p->sample_count];
    LabelMessage *labels = arena_array(arena, count, LabelMessage);
    LabelMessage **pointers = arena_array(arena, count, LabelMessage *);

    if (!labels || !pointers)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        brazier__pprof__label__init(&labels[i]);
        labels[i].key = p->sample_labels[i].key;
        labels[i].str = p->sample_labels[i].text;
        labels[i].num = p->sample_labels[i].number;
        labels[i].num_unit = p->sample_labels[i].unit;
        pointers[i] = &labels[i];
    }
    return pointers;
}

static bool build_samples(const struct profile *p, struct arena *arena, ProfileMessage *m)
{
    uint32_t frames = p->sample_location_first[p->sample_count];
    SampleMessage *samples = arena_array(arena, p->sample_count, SampleMessage);
    uint64_t *ids = arena_array(arena, frames, uint64_t);
    LabelMessage **labels = build_labels(p, arena);

    m->sample = arena_array(arena, p->sample_count, SampleMessage *);
    m->n_sample = p->sample_count;
    if (!samples || !ids || !labels || !m->sample)
        return false;
    for (uint32_t i = 0; i < frames; i++)
        ids[i] = (uint64_t)p->sample_locations[i] + 1;
    for (uint32_t i = 0; i < p->sample_count; i++) {
        SampleMessage *s = &samples[i];

        brazier__pprof__sample__init(s);
        s->location_id = ids + p->sample_location_first[i];
        s->n_location_id = p->sample_location_first[i + 1] - p->sample_location_first[i];
        s->value = p->sample_values + (size_t)i * p->type_count;
        s->n_value = p->type_count;
        s->label = labels + p->sample_label_first[i];
        s->n_label = p->sample_label_first[i + 1] - p->sample_label_first[i];
        m->sample[i] = s;
    }
    return true;
}

static bool build_mappings(const struct profile *p, struct arena *arena, ProfileMessage *m)
{
    MappingMessage *mappings = arena_array(arena, p->mapping_count, MappingMessage);

    m->mapping = arena_array(arena, p->mapping_count, MappingMessage *);
    m->n_mapping = p->mapping_count;
    if (!mappings || !m->mapping)
        return false;
    for (uint32_t i = 0; i < p->mapping_count; i++) {
        MappingMessage *mapping = &mappings[i];

        brazier__pprof__mapping__init(mapping);
        mapping->id = (uint64_t)i + 1;
        mapping->memory_start = p->mapping_start[i];
        mapping->memory_limit = p->mapping_limit[i];
        mapping->file_offset = p->mapping_offset[i];
        mapping->filename = p->mapping_file[i];
        mapping->build_id = p->mapping_build_id[i];
        m->mapping[i] = mapping;
    }
    return true;
}

static LineMessage **build_lines(const struct profile *p, struct arena *arena)
{
    uint32_t count = p->location_line_first[p->location_count];
    LineMessage *lines = arena_array(arena, count, LineMessage);
    LineMessage **pointers = arena_array(arena, count, LineMessage *);

    if (!lines || !pointers)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        brazier__pprof__line__init(&lines[i]);
        lines[i].function_id = (uint64_t)p->line_function[i] + 1;
        lines[i].line = p->line_number[i];
        pointers[i] = &lines[i];
    }
    return pointers;
}

static void mark_symbolised(MappingMessage *mapping)
{
    mapping->has_functions = mapping->has_filenames = true;
    mapping->has_line_numbers = mapping->has_inline_frames = true;
}

/* After the mappings: a location with lines tells that its mapping is symbolised. Unmarked, tools
 * would symbolise it anew and lose the names that are there; a few places without a name in a
 * marked one (a PLT stub) only stay nameless. */
static bool build_locations(const struct profile *p, struct arena *arena, ProfileMessage *m)
{
    LocationMessage *locations = arena_array(arena, p->location_count, LocationMessage);
    LineMessage **lines = build_lines(p, arena);

    m->location = arena_array(arena, p->location_count, LocationMessage *);
    m->n_location = p->location_count;
    if (!locations || !lines || !m->location)
        return false;
    for (uint32_t i = 0; i < p->location_count; i++) {
        LocationMessage *location = &locations[i];
        uint32_t mapping = p->location_mapping[i];

        brazier__pprof__location__init(location);
        location->id = (uint64_t)i + 1;
        location->mapping_id = mapping == PROFILE_NONE ? 0 : (uint64_t)mapping + 1;
        location->address = p->location_address[i];
        location->line = lines + p->location_line_first[i];
        location->n_line = p->location_line_first[i + 1] - p->location_line_first[i];
        if (location->n_line > 0 && mapping != PROFILE_NONE)
            mark_symbolised(m->mapping[mapping]);
        m->location[i] = location;
    }
    return true;
}

static bool build_functions(const struct profile *p, struct arena *arena, ProfileMessage *m)
{
    FunctionMessage *functions = arena_array(arena, p->function_count, FunctionMessage);

    m->function = arena_array(arena, p->function_count, FunctionMessage *);
    m->n_function = p->function_count;
    if (!functions || !m->function)
        return false;
    for (uint32_t i = 0; i < p->function_count; i++) {
        brazier__pprof__function__init(&functions[i]);
        functions[i].id = (uint64_t)i + 1;
        functions[i].name = p->function_name[i];
        functions[i].system_name = p->function_system_name[i];
        functions[i].filename = p->function_file[i];
        functions[i].start_line = p->function_start_line[i];
        m->function[i] = &functions[i];
    }
    return true;
}

static bool build_strings(const struct profile *p, struct arena *arena, ProfileMessage *m)
{
    m->string_table = arena_array(arena, p->string_count, ProtobufCBinaryData);
    m->n_string_table = p->string_count;
    m->comment = arena_array(arena, p->comment_count, int64_t);
    m->n_comment = p->comment_count;
    if (!m->string_table || !m->comment)
        return false;
    for (uint32_t i = 0; i < p->string_count; i++) /* protobuf-c only reads them */
        m->string_table[i] = (ProtobufCBinaryData){.len = p->strings[i].size_bytes,
                                                   .data = (uint8_t *)p->strings[i].data};
    for (uint32_t i = 0; i < p->comment_count; i++)
        m->comment[i] = p->comments[i];
    return true;
}

static void set_scalars(const struct profile *p, ProfileMessage *m, ValueTypeMessage *period_type)
{
    period_type->type = p->period_type_name;
    period_type->unit = p->period_type_unit;
    if (p->period_type_name != 0 || p->period_type_unit != 0)
        m->period_type = period_type;
    m->drop_frames = p->drop_frames;
    m->keep_frames = p->keep_frames;
    m->time_nanos = p->time_ns;
    m->duration_nanos = p->duration_ns;
    m->period = p->period;
    m->default_sample_type = p->default_type;
    m->doc_url = p->doc_url;
}

enum status encode_profile(const struct profile *profile, struct arena *arena, struct error *err,
                           struct buf *out)
{
    ProfileMessage message = BRAZIER__PPROF__PROFILE__INIT;
    ValueTypeMessage period_type = BRAZIER__PPROF__VALUE_TYPE__INIT;
    size_t size_bytes;
    char *at;

    if (!build_types(profile, arena, &message) || !build_samples(profile, arena, &message) ||
        !build_mappings(profile, arena, &message) || !build_locations(profile, arena, &message) ||
        !build_functions(profile, arena, &message) || !build_strings(profile, arena, &message))
        return arena_exhausted(arena, err, "the encoded profile");
    set_scalars(profile, &message, &period_type);
    size_bytes = brazier__pprof__profile__get_packed_size(&message);
    at = buf_reserve(out, size_bytes);
    if (!at)
        return buf_status(out, err, "the encoded profile");
    buf_advance(out, brazier__pprof__profile__pack(&message, (uint8_t *)at));
    return STATUS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the profile of a period as columns and encodes it. In: stacks of addresses, symbols. Out:
 * gzip'd pprof bytes. Three passes: addresses to locations, locations to places, places to lines
 * and functions, so that every column is allocated once at its size. */
#include "samples/agent/pprof.h"

#include <inttypes.h>
#include <stdio.h>

#include "proto/base/map.h"
#include "proto/encode.h"
#include "proto/gzip.h"
#include "samples/agent/intern.h"

/* Keys of the frames that stand for no code; no instruction lives in the first page. */
#define KEY_TRUNCATED UINT64_C(0)
#define KEY_LOST      UINT64_C(1)
#define KEY_CODE      UINT64_C(4096)

#define TYPE_COUNT    2u /* samples/count and cpu/nanoseconds */
#define GZIP_LEVEL    6
#define COMMENT_BYTES 160

struct builder {
    const struct period *period;
    struct symbols *symbols;
    struct arena *arena;
    struct error *err;
    struct profile *profile;
    struct intern intern;
    struct map locations; /* address -> location */
    struct map functions; /* name << 32 | file -> function */
    struct place *places; /* per location */
    uint32_t *mapping_of; /* per module: index + 1, 0: not used yet */
};

static enum status text_index(struct builder *builder, const char *text, uint32_t *ret_index)
{
    return intern_text(&builder->intern, text, builder->err, ret_index);
}

static enum status exhausted(struct builder *builder)
{
    return arena_exhausted(builder->arena, builder->err, "profile");
}

static enum status add_location(struct builder *builder, uint64_t key)
{
    struct profile *profile = builder->profile;
    uint32_t at = profile->sample_location_first[profile->sample_count + 1];
    uint32_t location = 0;
    enum status status =
        map_add(&builder->locations, key, profile->location_count, builder->err, &location);

    if (status != STATUS_OK)
        return status;
    if (location == profile->location_count)
        profile->location_address[profile->location_count++] = key;
    profile->sample_locations[at] = location;
    profile->sample_location_first[profile->sample_count + 1] = at + 1;
    return STATUS_OK;
}

static void begin_sample(struct profile *profile)
{
    profile->sample_location_first[profile->sample_count + 1] =
        profile->sample_location_first[profile->sample_count];
}

static void end_sample(struct builder *builder, int64_t weight)
{
    struct profile *profile = builder->profile;
    int64_t *values = &profile->sample_values[(size_t)profile->sample_count * TYPE_COUNT];

    values[0] = weight;
    values[1] = weight * builder->period->interval_ns;
    profile->sample_count++;
    profile->sample_label_first[profile->sample_count] = 0;
}

static enum status add_stack(struct builder *builder, const struct stack *stack)
{
    begin_sample(builder->profile);
    for (uint32_t i = 0; i < stack->depth; i++) {
        enum status status = add_location(builder, stack->pcs[i]);
        if (status != STATUS_OK)
            return status;
    }
    if (stack->truncated) {
        enum status status = add_location(builder, KEY_TRUNCATED);
        if (status != STATUS_OK)
            return status;
    }
    end_sample(builder, stack->weight);
    return STATUS_OK;
}

static enum status allocate_samples(struct builder *builder)
{
    struct profile *profile = builder->profile;
    size_t samples = (size_t)builder->period->stack_count + 1; /* the lost ones */
    size_t frames = 1;

    for (uint32_t i = 0; i < builder->period->stack_count; i++)
        frames += builder->period->stacks[i].depth + 1;
    profile->sample_location_first = arena_array(builder->arena, samples + 1, uint32_t);
    profile->sample_label_first = arena_array(builder->arena, samples + 1, uint32_t);
    profile->sample_values = arena_array(builder->arena, samples * TYPE_COUNT, int64_t);
    profile->sample_locations = arena_array(builder->arena, frames, uint32_t);
    profile->location_address = arena_array(builder->arena, frames, uint64_t);
    if (!profile->sample_location_first || !profile->sample_label_first ||
        !profile->sample_values || !profile->sample_locations || !profile->location_address)
        return exhausted(builder);
    profile->sample_location_first[0] = 0;
    profile->sample_label_first[0] = 0;
    return map_init(&builder->locations, builder->arena, 1024, builder->err);
}

/* First pass: samples, and which addresses there are. */
static enum status build_samples(struct builder *builder)
{
    const struct period *period = builder->period;
    enum status status = allocate_samples(builder);

    for (uint32_t i = 0; i < period->stack_count && status == STATUS_OK; i++)
        status = add_stack(builder, &period->stacks[i]);
    if (status != STATUS_OK || period->lost == 0)
        return status;
    begin_sample(builder->profile);
    status = add_location(builder, KEY_LOST);
    if (status == STATUS_OK)
        end_sample(builder, period->lost);
    return status;
}

static enum status use_mapping(struct builder *builder, uint32_t module_index)
{
    const struct module *module = &symbols_modules(builder->symbols)->modules[module_index];
    struct profile *profile = builder->profile;
    uint32_t at = profile->mapping_count;

    if (builder->mapping_of[module_index] != 0)
        return STATUS_OK;
    profile->mapping_start[at] = module->start;
    profile->mapping_limit[at] = module->limit;
    profile->mapping_offset[at] = module->offset;
    profile->mapping_id[at] = at + 1;
    enum status status = text_index(builder, module->path, &profile->mapping_file[at]);
    if (status == STATUS_OK)
        status = text_index(builder, module->build_id, &profile->mapping_build_id[at]);
    builder->mapping_of[module_index] = ++profile->mapping_count;
    return status;
}

static enum status allocate_mappings(struct builder *builder)
{
    const struct modules *modules = symbols_modules(builder->symbols);
    struct profile *profile = builder->profile;
    struct arena *arena = builder->arena;
    uint32_t count = modules->count;

    profile->mapping_id = arena_array(arena, count, uint64_t);
    profile->mapping_start = arena_array(arena, count, uint64_t);
    profile->mapping_limit = arena_array(arena, count, uint64_t);
    profile->mapping_offset = arena_array(arena, count, uint64_t);
    profile->mapping_file = arena_array(arena, count, uint32_t);
    profile->mapping_build_id = arena_array(arena, count, uint32_t);
    builder->mapping_of = arena_array(arena, count, uint32_t);
    if (!profile->mapping_id || !profile->mapping_start || !profile->mapping_limit ||
        !profile->mapping_offset || !profile->mapping_file || !profile->mapping_build_id ||
        !builder->mapping_of)
        return exhausted(builder);
    memset(builder->mapping_of, 0, count * sizeof(*builder->mapping_of));
    /* Tools take the first mapping for the program itself. */
    if (modules->main_index != MODULES_NONE)
        return use_mapping(builder, modules->main_index);
    return STATUS_OK;
}

static struct place place_of(struct builder *builder, uint64_t key)
{
    static const struct frame truncated = {.function = PPROF_TRUNCATED, .file = ""};
    static const struct frame lost = {.function = PPROF_LOST, .file = ""};

    if (key >= KEY_CODE)
        return symbols_find(builder->symbols, key);
    return (struct place){.module = MODULES_NONE,
                          .frame_count = 1,
                          .frames = key == KEY_TRUNCATED ? &truncated : &lost};
}

/* Second pass: what is at each address. */
static enum status build_locations(struct builder *builder)
{
    struct profile *profile = builder->profile;
    uint32_t count = profile->location_count;
    enum status status = allocate_mappings(builder);

    profile->location_id = arena_array(builder->arena, count, uint64_t);
    profile->location_mapping = arena_array(builder->arena, count, uint32_t);
    profile->location_line_first = arena_array(builder->arena, (size_t)count + 1, uint32_t);
    builder->places = arena_array(builder->arena, count, struct place);
    if (!profile->location_id || !profile->location_mapping || !profile->location_line_first ||
        !builder->places)
        return exhausted(builder);
    profile->location_line_first[0] = 0;
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        struct place place = place_of(builder, profile->location_address[i]);
        builder->places[i] = place;
        profile->location_id[i] = (uint64_t)i + 1;
        profile->location_line_first[i + 1] = profile->location_line_first[i] + place.frame_count;
        profile->location_mapping[i] = PROFILE_NONE;
        if (profile->location_address[i] < KEY_CODE)
            profile->location_address[i] = 0;
        if (place.module == MODULES_NONE)
            continue;
        status = use_mapping(builder, place.module);
        profile->location_mapping[i] = builder->mapping_of[place.module] - 1;
    }
    return status;
}

static enum status use_function(struct builder *builder, const struct frame *frame,
                                uint32_t *ret_function)
{
    struct profile *profile = builder->profile;
    uint32_t at = profile->function_count;
    uint32_t name = 0;
    uint32_t file = 0;
    enum status status = text_index(builder, frame->function, &name);

    if (status == STATUS_OK)
        status = text_index(builder, frame->file, &file);
    if (status == STATUS_OK)
        status = map_add(&builder->functions, (uint64_t)name << 32 | file, at, builder->err,
                         ret_function);
    if (status != STATUS_OK || *ret_function != at)
        return status;
    profile->function_id[at] = (uint64_t)at + 1;
    profile->function_name[at] = name;
    profile->function_system_name[at] = name;
    profile->function_file[at] = file;
    profile->function_start_line[at] = frame->start_line;
    profile->function_count++;
    return STATUS_OK;
}

/* Third pass: lines and functions. */
static enum status build_lines(struct builder *builder)
{
    struct profile *profile = builder->profile;
    struct arena *arena = builder->arena;
    uint32_t count = profile->location_line_first[profile->location_count];
    enum status status = map_init(&builder->functions, arena, 256, builder->err);

    profile->line_function = arena_array(arena, count, uint32_t);
    profile->line_number = arena_array(arena, count, int64_t);
    profile->function_id = arena_array(arena, count, uint64_t);
    profile->function_name = arena_array(arena, count, uint32_t);
    profile->function_system_name = arena_array(arena, count, uint32_t);
    profile->function_file = arena_array(arena, count, uint32_t);
    profile->function_start_line = arena_array(arena, count, int64_t);
    if (!profile->line_function || !profile->line_number || !profile->function_id ||
        !profile->function_name || !profile->function_system_name || !profile->function_file ||
        !profile->function_start_line)
        return exhausted(builder);
    for (uint32_t i = 0; i < profile->location_count; i++) {
        uint32_t line = profile->location_line_first[i];
        for (uint32_t j = 0; j < builder->places[i].frame_count && status == STATUS_OK; j++) {
            const struct frame *frame = &builder->places[i].frames[j];
            profile->line_number[line + j] = frame->line;
            status = use_function(builder, frame, &profile->line_function[line + j]);
        }
    }
    return status;
}

static enum status add_comment(struct builder *builder, uint32_t *comments, const char *text)
{
    char *copy = arena_array(builder->arena, strlen(text) + 1, char);

    if (!copy)
        return exhausted(builder);
    memcpy(copy, text, strlen(text) + 1);
    return text_index(builder, copy, &comments[builder->profile->comment_count++]);
}

/* Types, times, comments. */
static enum status build_head(struct builder *builder, const struct config *config)
{
    struct profile *profile = builder->profile;
    const struct period *period = builder->period;
    uint32_t *names = arena_array(builder->arena, TYPE_COUNT, uint32_t);
    uint32_t *units = arena_array(builder->arena, TYPE_COUNT, uint32_t);
    uint32_t *comments = arena_array(builder->arena, 2, uint32_t);
    char work[COMMENT_BYTES];

    if (!names || !units || !comments)
        return exhausted(builder);
    enum status status = text_index(builder, "samples", &names[0]);
    if (status == STATUS_OK)
        status = text_index(builder, "count", &units[0]);
    if (status == STATUS_OK)
        status = text_index(builder, "cpu", &names[1]);
    if (status == STATUS_OK)
        status = text_index(builder, "nanoseconds", &units[1]);
    if (status == STATUS_OK)
        status = add_comment(builder, comments, "brazier agent " BRAZIER_VERSION);
    if (status == STATUS_OK && period->has_work) {
        snprintf(work, sizeof(work), "work %" PRId64 " %s", period->work, config->work_unit);
        status = add_comment(builder, comments, work);
    }
    profile->type_count = TYPE_COUNT;
    profile->type_name = names;
    profile->type_unit = units;
    profile->period_type_name = names[1];
    profile->period_type_unit = units[1];
    profile->default_type = names[1];
    profile->period = period->interval_ns;
    profile->time_ns = period->start_ns;
    profile->duration_ns = period->duration_ns;
    profile->comments = comments;
    return status;
}

enum status pprof_columns(const struct period *period, const struct config *config,
                          struct symbols *symbols, struct arena *arena, struct error *err,
                          struct profile *ret_profile)
{
    struct profile profile = {.sample_count = 0};
    struct builder builder = {
        .period = period, .symbols = symbols, .arena = arena, .err = err, .profile = &profile};
    enum status status = intern_init(&builder.intern, arena, err);

    if (status == STATUS_OK)
        status = build_head(&builder, config);
    if (status == STATUS_OK)
        status = build_samples(&builder);
    if (status == STATUS_OK)
        status = build_locations(&builder);
    if (status == STATUS_OK)
        status = build_lines(&builder);
    if (status != STATUS_OK)
        return status;
    profile.strings = builder.intern.strings;
    profile.string_count = builder.intern.count;
    *ret_profile = profile;
    return STATUS_OK;
}

enum status pprof_write(const struct period *period, const struct config *config,
                        struct symbols *symbols, struct error *err, struct buf *out)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(AGENT_PROFILE_BYTES);
    CLEANUP(buf_cleanup) struct buf message;
    struct profile profile;

    buf_init(&message, AGENT_MESSAGE_BYTES);
    if (!arena)
        return error_no_memory(err, "profile");
    enum status status = pprof_columns(period, config, symbols, arena, err, &profile);
    if (status == STATUS_OK)
        status = encode_profile(&profile, arena, err, &message);
    if (status == STATUS_OK)
        status = buf_status(&message, err, "encoded profile");
    if (status != STATUS_OK)
        return status;
    return gzip_deflate(slice_make(message.data, message.size_bytes), GZIP_LEVEL, err, out);
}

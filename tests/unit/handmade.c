/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/handmade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room per column: tests are small. */
#define ROOM 4096u

struct making {
    struct arena *arena;
    struct profile *profile;
    struct slice *strings;
    uint32_t location_total, label_total;
};

static void *room(struct arena *arena, size_t count, size_t size_bytes)
{
    void *at = arena_alloc_array(arena, count, size_bytes, 8);

    if (at == NULL)
        abort();
    memset(at, 0, count * size_bytes);
    return at;
}

static uint32_t string_of(struct making *making, struct slice text)
{
    struct profile *profile = making->profile;

    for (uint32_t i = 0; i < profile->string_count; i++)
        if (slice_equal(making->strings[i], text))
            return i;
    if (profile->string_count == ROOM)
        abort();
    making->strings[profile->string_count] = text;
    return profile->string_count++;
}

static struct slice cut(struct slice *text, char at)
{
    const char *end = text->size_bytes == 0 ? NULL : memchr(text->data, at, text->size_bytes);
    struct slice head = *text;

    if (end == NULL) {
        *text = slice_make(NULL, 0);
        return head;
    }
    head.size_bytes = (size_t)(end - text->data);
    *text = slice_make(end + 1, text->size_bytes - head.size_bytes - 1);
    return head;
}

/* The location of a frame: one line, one function. */
static uint32_t location_of(struct making *making, struct slice frame)
{
    struct profile *profile = making->profile;
    struct slice file = frame;
    struct slice name = cut(&file, '@');
    uint32_t name_string = string_of(making, name);
    uint32_t file_string = string_of(making, file);

    for (uint32_t i = 0; i < profile->function_count; i++)
        if (profile->function_name[i] == name_string && profile->function_file[i] == file_string)
            return i;
    if (profile->function_count == ROOM)
        abort();
    profile->function_name[profile->function_count] = name_string;
    profile->function_file[profile->function_count] = file_string;
    profile->function_count++;
    profile->location_mapping[profile->location_count] = PROFILE_NONE;
    profile->line_function[profile->location_count] = profile->location_count;
    profile->location_count++;
    profile->location_line_first[profile->location_count] = profile->location_count;
    return profile->location_count - 1;
}

static void add_stack(struct making *making, uint32_t sample, struct slice stack)
{
    struct profile *profile = making->profile;
    uint32_t first = making->location_total;

    while (stack.size_bytes > 0)
        profile->sample_locations[making->location_total++] = location_of(making, cut(&stack, ';'));
    for (uint32_t a = first, b = making->location_total; a + 1 < b; a++, b--) { /* leaf first */
        uint32_t location = profile->sample_locations[a];

        profile->sample_locations[a] = profile->sample_locations[b - 1];
        profile->sample_locations[b - 1] = location;
    }
    profile->sample_location_first[sample + 1] = making->location_total;
}

static void add_tags(struct making *making, uint32_t sample, struct slice tags)
{
    struct profile *profile = making->profile;

    while (tags.size_bytes > 0) {
        struct slice value = cut(&tags, ';');
        struct slice key = cut(&value, '=');
        struct profile_label *label = &profile->sample_labels[making->label_total++];

        *label = (struct profile_label){.key = string_of(making, key)};
        if (value.size_bytes > 0 && value.data[0] == '#')
            label->number = strtoll(value.data + 1, NULL, 10);
        else
            label->text = string_of(making, value);
    }
    profile->sample_label_first[sample + 1] = making->label_total;
}

static size_t count_char(const char *text, char wanted)
{
    size_t count = 1;

    for (; text != NULL && *text != '\0'; text++)
        count += *text == wanted;
    return count;
}

void handmade_make(struct arena *arena, const char *name, const char *unit,
                   const struct handmade_sample *samples, uint32_t sample_count,
                   struct handmade *ret_made)
{
    struct profile *profile = &ret_made->profile;
    struct making making = {.arena = arena, .profile = profile};
    size_t frames = 1, tags = 1;

    *ret_made = (struct handmade){0};
    for (uint32_t i = 0; i < sample_count; i++) {
        frames += count_char(samples[i].stack, ';');
        tags += count_char(samples[i].tags, ';');
    }
    making.strings = room(arena, ROOM, sizeof(struct slice));
    profile->strings = making.strings;
    making.strings[profile->string_count++] = slice_make("", 0);
    profile->type_count = HANDMADE_TYPES;
    profile->sample_count = sample_count;
    profile->sample_location_first = room(arena, sample_count + 1, sizeof(uint32_t));
    profile->sample_locations = room(arena, frames, sizeof(uint32_t));
    profile->sample_values = room(arena, sample_count * HANDMADE_TYPES + 1, sizeof(int64_t));
    profile->sample_label_first = room(arena, sample_count + 1, sizeof(uint32_t));
    profile->sample_labels = room(arena, tags, sizeof(struct profile_label));
    profile->location_mapping = room(arena, ROOM, sizeof(uint32_t));
    profile->location_line_first = room(arena, ROOM + 1, sizeof(uint32_t));
    profile->line_function = room(arena, ROOM, sizeof(uint32_t));
    profile->function_name = room(arena, ROOM, sizeof(uint32_t));
    profile->function_file = room(arena, ROOM, sizeof(uint32_t));
    ret_made->metrics[0] = (struct metric){.name = slice_of("samples"), .unit = slice_of("count")};
    ret_made->metrics[1] = (struct metric){.name = slice_of(name), .unit = slice_of(unit)};
    for (uint32_t i = 0; i < sample_count; i++) {
        add_stack(&making, i, slice_of(samples[i].stack));
        add_tags(&making, i, slice_of(samples[i].tags == NULL ? "" : samples[i].tags));
        for (uint32_t type = 0; type < HANDMADE_TYPES; type++) {
            profile->sample_values[i * HANDMADE_TYPES + type] = samples[i].values[type];
            ret_made->metrics[type].total = /* wraps: some tests overflow on purpose */
                (int64_t)((uint64_t)ret_made->metrics[type].total +
                          (uint64_t)samples[i].values[type]);
        }
    }
}

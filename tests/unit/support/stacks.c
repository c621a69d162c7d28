/* SPDX-License-Identifier: Apache-2.0 */
/* Text to columns and back, with linear look-ups: tests are small. */
#include "tests/unit/support/stacks.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/unit.h"

struct builder {
    struct profile p;
    struct slice *strings;
    struct slice locations[STACKS_MAX_ELEMENTS]; /* their texts */
    uint32_t lines;
    uint32_t frames;
};

static void *column(struct arena *arena, size_t element_bytes)
{
    void *memory = arena_alloc_array(arena, STACKS_MAX_ELEMENTS + 1, element_bytes, 16);

    assert_non_null(memory);
    memset(memory, 0, (STACKS_MAX_ELEMENTS + 1) * element_bytes);
    return memory;
}

static uint32_t add_string(struct builder *b, struct slice text)
{
    for (uint32_t i = 0; i < b->p.string_count; i++)
        if (slice_equal(b->strings[i], text))
            return i;
    assert_in_range(b->p.string_count, 0, STACKS_MAX_ELEMENTS - 1);
    b->strings[b->p.string_count] = text;
    return b->p.string_count++;
}

static uint32_t add_function(struct builder *b, struct slice name)
{
    uint32_t string = add_string(b, name);

    for (uint32_t i = 0; i < b->p.function_count; i++)
        if (b->p.function_name[i] == string)
            return i;
    assert_in_range(b->p.function_count, 0, STACKS_MAX_ELEMENTS - 1);
    b->p.function_id[b->p.function_count] = b->p.function_count + 1;
    b->p.function_name[b->p.function_count] = string;
    return b->p.function_count++;
}

/* Lines are stored innermost first, so the text is taken from its end. */
static uint32_t add_location(struct builder *b, struct slice text)
{
    size_t end = text.size_bytes;
    uint32_t i = 0;

    for (; i < b->p.location_count; i++)
        if (slice_equal(b->locations[i], text))
            return i;
    assert_in_range(i, 0, STACKS_MAX_ELEMENTS - 1);
    b->locations[i] = text;
    b->p.location_id[i] = i + 1;
    b->p.location_mapping[i] = PROFILE_NONE;
    b->p.location_line_first[i] = b->lines;
    for (size_t at = end; at-- > 0;) {
        if (at > 0 && text.data[at - 1] != '+')
            continue;
        b->p.line_function[b->lines++] = add_function(b, slice_make(text.data + at, end - at));
        end = at > 0 ? at - 1 : 0;
    }
    b->p.location_line_first[i + 1] = b->lines;
    return b->p.location_count++;
}

static void add_sample(struct builder *b, struct slice stack, int64_t value)
{
    size_t end = stack.size_bytes;
    uint32_t s = b->p.sample_count++;

    assert_in_range(s, 0, STACKS_MAX_ELEMENTS - 1);
    for (size_t at = end; at-- > 0;) {
        if (at > 0 && stack.data[at - 1] != ';')
            continue;
        assert_in_range(b->frames, 0, STACKS_MAX_ELEMENTS - 1);
        b->p.sample_locations[b->frames++] = add_location(b, slice_make(stack.data + at, end - at));
        end = at > 0 ? at - 1 : 0;
    }
    b->p.sample_values[s] = value;
    b->p.sample_location_first[s + 1] = b->frames;
}

static void allocate(struct builder *b, struct arena *arena)
{
    struct profile *p = &b->p;

    p->strings = b->strings = column(arena, sizeof *p->strings);
    p->type_name = column(arena, sizeof *p->type_name);
    p->type_unit = column(arena, sizeof *p->type_unit);
    p->sample_location_first = column(arena, sizeof *p->sample_location_first);
    p->sample_locations = column(arena, sizeof *p->sample_locations);
    p->sample_values = column(arena, sizeof *p->sample_values);
    p->sample_label_first = column(arena, sizeof *p->sample_label_first);
    p->sample_labels = column(arena, sizeof *p->sample_labels);
    p->location_id = column(arena, sizeof *p->location_id);
    p->location_mapping = column(arena, sizeof *p->location_mapping);
    p->location_address = column(arena, sizeof *p->location_address);
    p->location_line_first = column(arena, sizeof *p->location_line_first);
    p->line_function = column(arena, sizeof *p->line_function);
    p->line_number = column(arena, sizeof *p->line_number);
    p->function_id = column(arena, sizeof *p->function_id);
    p->function_name = column(arena, sizeof *p->function_name);
    p->function_system_name = column(arena, sizeof *p->function_system_name);
    p->function_file = column(arena, sizeof *p->function_file);
    p->function_start_line = column(arena, sizeof *p->function_start_line);
}

struct profile stacks_profile(const char *text, const char *drop_frames, const char *keep_frames,
                              struct arena *arena)
{
    struct builder b = {0};

    allocate(&b, arena);
    add_string(&b, slice_make("", 0));
    *(uint32_t *)(uintptr_t)b.p.type_name = add_string(&b, SLICE_LITERAL("samples"));
    *(uint32_t *)(uintptr_t)b.p.type_unit = add_string(&b, SLICE_LITERAL("count"));
    b.p.type_count = 1;
    b.p.drop_frames = add_string(&b, slice_of(drop_frames));
    b.p.keep_frames = add_string(&b, slice_of(keep_frames));
    while (*text) {
        const char *line_end = strchr(text, '\n');
        const char *space = NULL;

        assert_non_null(line_end); /* each line ends in one */
        for (const char *at = text; at < line_end; at++)
            space = *at == ' ' ? at : space; /* the last one: names may hold spaces */
        assert_non_null(space);
        add_sample(&b, slice_make(text, (size_t)(space - text)), strtoll(space, NULL, 10));
        text = line_end + 1;
    }
    return b.p;
}

static void print_location(const struct profile *p, uint32_t location, struct buf *out)
{
    uint32_t first = p->location_line_first[location];

    for (uint32_t line = p->location_line_first[location + 1]; line > first; line--) {
        struct slice name = p->strings[p->function_name[p->line_function[line - 1]]];

        buf_append(out, name.data, name.size_bytes);
        if (line - 1 > first)
            buf_append_char(out, '+');
    }
}

void stacks_print(const struct profile *profile, struct buf *out)
{
    for (uint32_t s = 0; s < profile->sample_count; s++) {
        char value[24];
        uint32_t first = profile->sample_location_first[s];

        for (uint32_t i = profile->sample_location_first[s + 1]; i > first; i--) {
            print_location(profile, profile->sample_locations[i - 1], out);
            if (i - 1 > first)
                buf_append_char(out, ';');
        }
        snprintf(value, sizeof value, " %lld\n", (long long)profile->sample_values[s]);
        buf_append_text(out, value);
    }
}

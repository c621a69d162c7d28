/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes what the agent wrote with the server's own decoder and adds it up by name. Frames are
 * (location, line) pairs, inlined ones included, leaf first. */
#include "tests/unit/agent_profile.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/buf.h"
#include "proto/base/limits.h"
#include "proto/decode.h"
#include "proto/gzip.h"
#include "tests/unit/unit.h"

#define CPU_TYPE 1u /* column of cpu/nanoseconds */

struct agent_profile *agent_profile_decode(struct slice gzip_bytes)
{
    struct agent_profile *read = calloc(1, sizeof(*read));
    struct slice bytes;
    struct error err = {.text = ""};

    assert_non_null(read);
    read->arena = arena_new(64 * LIMIT_MIB);
    assert_non_null(read->arena);
    if (gzip_inflate(gzip_bytes, LIMIT_INFLATED_BYTES, read->arena, &err, &bytes) != STATUS_OK ||
        decode_profile(bytes, read->arena, &err, &read->profile) != STATUS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(read->profile.type_count, 2);
    return read;
}

struct agent_profile *agent_profile_read(const char *path)
{
    CLEANUP(buf_cleanup) struct buf file;
    FILE *stream = fopen(path, "rb");
    char chunk[4096];

    if (!stream)
        fail_msg("%s cannot be opened", path);
    buf_init(&file, 64 * LIMIT_MIB);
    for (size_t n = fread(chunk, 1, sizeof(chunk), stream); n > 0;
         n = fread(chunk, 1, sizeof(chunk), stream))
        buf_append(&file, chunk, n);
    fclose(stream);
    return agent_profile_decode(slice_make(file.data, file.size_bytes));
}

void agent_profile_free(struct agent_profile *read)
{
    arena_free(read->arena);
    free(read);
}

static int64_t value_of(const struct agent_profile *read, uint32_t sample)
{
    return read->profile.sample_values[(size_t)sample * read->profile.type_count + CPU_TYPE];
}

/* The frames of a sample as function indices (UINT32_MAX: no symbol); at most `max`. */
static uint32_t frames_of(const struct profile *profile, uint32_t sample, uint32_t *functions,
                          uint32_t max)
{
    uint32_t count = 0;

    for (uint32_t i = profile->sample_location_first[sample];
         i < profile->sample_location_first[sample + 1]; i++) {
        uint32_t location = profile->sample_locations[i];
        uint32_t first = profile->location_line_first[location];
        uint32_t end = profile->location_line_first[location + 1];
        if (first == end && count < max)
            functions[count++] = UINT32_MAX;
        for (uint32_t line = first; line < end && count < max; line++)
            functions[count++] = profile->line_function[line];
    }
    return count;
}

static bool is_named(const struct profile *profile, uint32_t function, const char *name)
{
    return function != UINT32_MAX &&
           slice_equal(profile->strings[profile->function_name[function]], slice_of(name));
}

#define FRAMES_MAX 4096u

static int64_t sum_ns(const struct agent_profile *read, const char *caller, const char *callee,
                      bool leaf_only)
{
    const struct profile *profile = &read->profile;
    uint32_t functions[FRAMES_MAX];
    int64_t sum = 0;

    for (uint32_t sample = 0; sample < profile->sample_count; sample++) {
        uint32_t count = frames_of(profile, sample, functions, FRAMES_MAX);
        for (uint32_t i = 0; i < count; i++) {
            bool matches =
                is_named(profile, functions[i], callee) &&
                (!caller || (i + 1 < count && is_named(profile, functions[i + 1], caller)));
            if (matches)
                sum += value_of(read, sample);
            if (matches || leaf_only)
                break;
        }
    }
    return sum;
}

int64_t agent_profile_all_ns(const struct agent_profile *read)
{
    int64_t sum = 0;

    for (uint32_t sample = 0; sample < read->profile.sample_count; sample++)
        sum += value_of(read, sample);
    return sum;
}

int64_t agent_profile_self_ns(const struct agent_profile *read, const char *function)
{
    return sum_ns(read, NULL, function, true);
}

int64_t agent_profile_total_ns(const struct agent_profile *read, const char *function)
{
    return sum_ns(read, NULL, function, false);
}

int64_t agent_profile_call_ns(const struct agent_profile *read, const char *caller,
                              const char *callee)
{
    return sum_ns(read, caller, callee, false);
}

uint32_t agent_profile_depth(const struct agent_profile *read)
{
    uint32_t functions[FRAMES_MAX];
    uint32_t deepest = 0;

    for (uint32_t sample = 0; sample < read->profile.sample_count; sample++) {
        uint32_t count = frames_of(&read->profile, sample, functions, FRAMES_MAX);
        deepest = count > deepest ? count : deepest;
    }
    return deepest;
}

bool agent_profile_has_comment(const struct agent_profile *read, const char *text)
{
    const struct profile *profile = &read->profile;

    for (uint32_t i = 0; i < profile->comment_count; i++) {
        if (slice_equal(profile->strings[profile->comments[i]], slice_of(text)))
            return true;
    }
    return false;
}

uint32_t agent_profile_function(const struct agent_profile *read, const char *function)
{
    for (uint32_t i = 0; i < read->profile.function_count; i++) {
        if (is_named(&read->profile, i, function))
            return i;
    }
    return UINT32_MAX;
}

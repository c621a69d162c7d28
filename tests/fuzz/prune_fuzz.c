/* SPDX-License-Identifier: Apache-2.0 */
/* drop_frames and keep_frames from a stranger, on names from a stranger.
 *
 * Input: drop NUL keep NUL name NUL name ... Each name is a function; stacks of one to three of
 * them follow each other. Aborts when pruning fails, lengthens anything, or touches a profile that
 * has no drop_frames. */
#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/prune.h"

#define NAMES_MAX 64u

struct fuzz_profile {
    struct profile p;
    struct slice strings[NAMES_MAX + 3];
    uint32_t location_first[NAMES_MAX + 1];
    uint32_t locations[3 * NAMES_MAX];
    uint32_t line_first[NAMES_MAX + 1];
    uint32_t line_function[2 * NAMES_MAX];
    int64_t line_number[2 * NAMES_MAX];
    uint32_t function_name[NAMES_MAX];
    uint32_t location_count, line_count;
};

/* The bytes up to the next NUL. */
static struct slice take(struct slice *rest)
{
    const char *end = rest->size_bytes > 0 ? memchr(rest->data, '\0', rest->size_bytes) : NULL;
    size_t size_bytes = end ? (size_t)(end - rest->data) : rest->size_bytes;
    struct slice piece = slice_make(rest->data, size_bytes);
    size_t taken = end ? size_bytes + 1 : size_bytes;

    *rest = slice_make(rest->data + taken, rest->size_bytes - taken);
    return piece;
}

/* Location i is function i, every third with its predecessor inlined into it; sample i is a stack
 * of i % 3 + 1 locations. */
static void build(struct fuzz_profile *f, struct slice rest)
{
    uint32_t frames = 0;
    uint32_t lines = 0;
    uint32_t n = 0;

    f->strings[0] = slice_make("", 0);
    f->strings[1] = take(&rest);
    f->strings[2] = take(&rest);
    for (; n < NAMES_MAX && rest.size_bytes > 0; n++) {
        f->strings[3 + n] = take(&rest);
        f->function_name[n] = 3 + n;
        if (n % 3 == 2)
            f->line_function[lines++] = n - 1;
        f->line_function[lines++] = n;
        f->line_first[n + 1] = lines;
        for (uint32_t depth = 0; depth <= n % 3 && depth <= n; depth++)
            f->locations[frames++] = n - depth;
        f->location_first[n + 1] = frames;
    }
    f->p = (struct profile){.string_count = n + 3,
                            .strings = f->strings,
                            .sample_count = n,
                            .sample_location_first = f->location_first,
                            .sample_locations = f->locations,
                            .location_count = n,
                            .location_line_first = f->line_first,
                            .line_function = f->line_function,
                            .line_number = f->line_number,
                            .function_count = n,
                            .function_name = f->function_name,
                            .drop_frames = 1,
                            .keep_frames = 2};
    f->location_count = frames;
    f->line_count = lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(64 * LIMIT_MIB);
    struct fuzz_profile *f = calloc(1, sizeof *f);
    bool has_rule;

    if (!arena || !f)
        abort();
    build(f, slice_make(data, size_bytes));
    has_rule = f->strings[1].size_bytes > 0;
    if (prune_profile(&f->p, arena, NULL) != STATUS_OK)
        abort();
    if (f->location_first[f->p.sample_count] > f->location_count ||
        f->line_first[f->p.location_count] > f->line_count)
        abort();
    if (!has_rule && f->location_first[f->p.sample_count] != f->location_count)
        abort();
    for (uint32_t i = 0; i < f->p.sample_count; i++)
        if (f->location_first[i] > f->location_first[i + 1])
            abort();
    for (uint32_t i = 0; i < f->p.location_count; i++)
        if (f->line_first[i] >= f->line_first[i + 1])
            abort(); /* a location that had lines keeps at least one */
    free(f);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Interning of stacks. Input: a valid profile's columns; output: a node number per sample.
 *
 * Names are cleaned and hashed once per profile: functions and mappings remember their number, and
 * stacks are then walked by numbers alone. Runs under the tree's lock, so it does nothing else.
 * Never looks at values or labels. */
#include "storage/intern.h"

#include <string.h>

#include "proto/base/limits.h"
#include "proto/base/utf8.h"

#define NO_NUMBER UINT32_MAX

/* The numbers that this profile's names have in the tree, filled as they are met. */
struct numbers {
    struct calltree *tree;
    const struct profile *profile;
    struct arena *arena;
    uint32_t *of_function; /* [function_count] */
    uint32_t *of_mapping;  /* [mapping_count]: the function that stands for the binary */
    uint32_t of_unknown;
};

static uint32_t *new_numbers(struct arena *arena, uint32_t count)
{
    uint32_t *numbers = arena_array(arena, count, uint32_t);

    if (numbers != NULL)
        memset(numbers, 0xff, count * sizeof(*numbers)); /* all NO_NUMBER */
    return numbers;
}

static enum status check_size(size_t size_bytes, struct error *err)
{
    if (size_bytes > LIMIT_NAME_BYTES)
        return error_set_at(err, STATUS_TOO_LARGE, "function", ERROR_NONE,
                            (int64_t)LIMIT_NAME_BYTES, "a name of %zu bytes, %zu allowed",
                            size_bytes, LIMIT_NAME_BYTES);
    return STATUS_OK;
}

static enum status clean_name(const struct numbers *numbers, struct slice name, struct error *err,
                              struct slice *ret_clean)
{
    enum status status = utf8_clean(name, numbers->arena, err, ret_clean);

    return status == STATUS_OK ? check_size(ret_clean->size_bytes, err) : status;
}

static struct slice without_prefix(struct slice text, struct slice prefix)
{
    if (text.size_bytes < prefix.size_bytes ||
        memcmp(text.data, prefix.data, prefix.size_bytes) != 0)
        return text;
    return slice_make(text.data + prefix.size_bytes, text.size_bytes - prefix.size_bytes);
}

static struct slice without_directories(struct slice path)
{
    size_t start;

    while (path.size_bytes > 1 && path.data[path.size_bytes - 1] == '/')
        path.size_bytes--;
    for (start = path.size_bytes; start > 0 && path.data[start - 1] != '/'; start--)
        ;
    return start == path.size_bytes ? path : slice_make(path.data + start, path.size_bytes - start);
}

/* The function that stands for code without a name in `mapping` (PROFILE_NONE: in no mapping). */
static enum status binary_number(struct numbers *numbers, uint32_t mapping, struct error *err,
                                 uint32_t *ret_number)
{
    uint32_t *number =
        mapping == PROFILE_NONE ? &numbers->of_unknown : &numbers->of_mapping[mapping];
    struct slice binary = SLICE_LITERAL("");
    struct slice name = SLICE_LITERAL(INTERN_UNKNOWN);
    enum status status = STATUS_OK;

    if (*number == NO_NUMBER && mapping != PROFILE_NONE)
        status = clean_name(
            numbers,
            without_directories(numbers->profile->strings[numbers->profile->mapping_file[mapping]]),
            err, &binary);
    if (status == STATUS_OK)
        status = check_size(binary.size_bytes + 2, err); /* brackets */
    if (status != STATUS_OK)
        return status;
    if (*number == NO_NUMBER && binary.size_bytes > 0) {
        char *text = arena_array(numbers->arena, binary.size_bytes + 2, char);

        if (text == NULL)
            return arena_exhausted(numbers->arena, err, "function names");
        text[0] = '[';
        memcpy(text + 1, binary.data, binary.size_bytes);
        text[binary.size_bytes + 1] = ']';
        name = slice_make(text, binary.size_bytes + 2);
    }
    if (*number == NO_NUMBER)
        status = calltree_function(numbers->tree, name, SLICE_LITERAL(""), err, number);
    if (status == STATUS_OK)
        *ret_number = *number;
    return status;
}

/* The number of `function` when met for the first time. Most are in the tree from earlier profiles,
 * and what is found there as it is needs no cleaning. */
static enum status name_function(struct numbers *numbers, uint32_t function, struct error *err)
{
    const struct profile *profile = numbers->profile;
    struct slice name = profile->strings[profile->function_name[function]];
    struct slice file = profile->strings[profile->function_file[function]];
    bool found = false;
    enum status status;

    file = without_prefix(file, SLICE_LITERAL("/proc/self/cwd/"));
    file = without_prefix(file, SLICE_LITERAL("./"));
    status = calltree_find_function(numbers->tree, name, file, err, &found,
                                    &numbers->of_function[function]);
    if (status != STATUS_OK || found)
        return status;
    status = clean_name(numbers, name, err, &name);
    if (status == STATUS_OK)
        status = clean_name(numbers, file, err, &file);
    if (status == STATUS_OK)
        status = calltree_function(numbers->tree, name, file, err, &numbers->of_function[function]);
    return status;
}

static enum status line_number_of(struct numbers *numbers, uint32_t location, uint32_t function,
                                  struct error *err, uint32_t *ret_number)
{
    const struct profile *profile = numbers->profile;

    if (numbers->of_function[function] == NO_NUMBER) {
        enum status status;

        if (profile->strings[profile->function_name[function]].size_bytes == 0)
            return binary_number(numbers, profile->location_mapping[location], err, ret_number);
        status = name_function(numbers, function, err);
        if (status != STATUS_OK)
            return status;
    }
    *ret_number = numbers->of_function[function];
    return STATUS_OK;
}

/* Goes from `*node` down through the frames of one location, outermost first. */
static enum status walk_location(struct numbers *numbers, uint32_t location, struct error *err,
                                 uint32_t *node)
{
    const struct profile *profile = numbers->profile;
    uint32_t first = profile->location_line_first[location];
    uint32_t line = profile->location_line_first[location + 1];
    uint32_t number = NO_NUMBER;
    enum status status;

    if (first == line) {
        status = binary_number(numbers, profile->location_mapping[location], err, &number);
        if (status != STATUS_OK)
            return status;
        return calltree_child(numbers->tree, *node, number, err, node);
    }
    while (line-- > first) {
        status = line_number_of(numbers, location, profile->line_function[line], err, &number);
        if (status == STATUS_OK)
            status = calltree_child(numbers->tree, *node, number, err, node);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum status intern_stacks(struct calltree *tree, const struct profile *profile, struct arena *arena,
                          struct error *err, uint32_t *ret_nodes)
{
    struct numbers numbers = {.tree = tree,
                              .profile = profile,
                              .arena = arena,
                              .of_function = new_numbers(arena, profile->function_count),
                              .of_mapping = new_numbers(arena, profile->mapping_count),
                              .of_unknown = NO_NUMBER};

    if (numbers.of_function == NULL || numbers.of_mapping == NULL)
        return arena_exhausted(arena, err, "interning");
    for (uint32_t sample = 0; sample < profile->sample_count; sample++) {
        uint32_t first = profile->sample_location_first[sample];
        uint32_t at = profile->sample_location_first[sample + 1];
        uint32_t node = CALLTREE_ROOT;

        while (at-- > first) { /* leaf first in the profile, root first in the tree */
            enum status status = walk_location(&numbers, profile->sample_locations[at], err, &node);

            if (status != STATUS_OK)
                return status;
        }
        ret_nodes[sample] = node;
    }
    return STATUS_OK;
}

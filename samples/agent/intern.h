/* SPDX-License-Identifier: Apache-2.0 */
/* Strings to indices, equal bytes to equal indices: the string table of a profile. Index 0 is "".
 * All memory, and nothing of the texts, is the arena's: texts must outlive the table. */
#ifndef BRAZIER_SAMPLES_AGENT_INTERN_H
#define BRAZIER_SAMPLES_AGENT_INTERN_H

#include "proto/base/arena.h"
#include "proto/base/slice.h"

struct intern {
    struct arena *arena;
    struct slice *strings;
    uint32_t count;
    uint32_t capacity;
    uint32_t *slots; /* open addressing: index + 1, 0 free */
    uint64_t seed;
};

/* A table that holds "". STATUS_TOO_LARGE: arena. */
CHECKED enum status intern_init(struct intern *intern, struct arena *arena, struct error *err);

/* The index of `text`, added when new. STATUS_TOO_LARGE: arena. */
CHECKED enum status intern_text(struct intern *intern, const char *text, struct error *err,
                                uint32_t *ret_index);

#endif

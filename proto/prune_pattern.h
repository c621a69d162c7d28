/* SPDX-License-Identifier: Apache-2.0 */
/* One drop_frames or keep_frames expression, compiled, that asks whether it matches a function name
 * in full. Hostile on both sides: the expression is bounded in length, every match in steps.
 *
 * The arena given to prune_pattern_compile owns all memory but the machine code and stack of
 * PCRE2's JIT, which prune_pattern_free gives back. */
#ifndef BRAZIER_PROTO_PRUNE_PATTERN_H
#define BRAZIER_PROTO_PRUNE_PATTERN_H

#include "proto/base/arena.h"
#include "proto/base/cleanup.h"
#include "proto/base/slice.h"

struct prune_pattern;

/* What matching a name came to. */
enum prune_match {
    PRUNE_NO,
    PRUNE_YES,
    PRUNE_GIVE_UP,   /* the expression ran out of steps */
    PRUNE_NO_MEMORY, /* the arena did */
};

/* Compiles `expression`. `ret_pattern` is NULL when it is empty, too long or not valid RE2 syntax:
 * no error, there is just nothing to prune by. STATUS_TOO_LARGE: arena. */
CHECKED enum status prune_pattern_compile(struct slice expression, struct arena *arena,
                                          struct error *err, struct prune_pattern **ret_pattern);

/* Whether `name`, already simplified, matches. Bytes that are not UTF-8 match as U+FFFD each, as in
 * the reference. */
enum prune_match prune_pattern_match(struct prune_pattern *pattern, struct slice name);

/* NULL is allowed. */
void prune_pattern_free(struct prune_pattern *pattern);
CLEANUP_DEFINE(prune_pattern_cleanup, struct prune_pattern *, prune_pattern_free)

#endif

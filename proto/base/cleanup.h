/* SPDX-License-Identifier: Apache-2.0 */
/* The one cleanup idiom: a variable that frees what it holds when its scope ends.
 *
 *     CLEANUP(arena_cleanup) struct arena *arena = arena_new(LIMIT_ARENA_BYTES);
 *
 * A module that owns a handle type defines `TYPE_cleanup` with CLEANUP_DEFINE beside its free
 * function. To hand the handle on to a caller, assign it and set the variable to NULL. */
#ifndef BRAZIER_PROTO_BASE_CLEANUP_H
#define BRAZIER_PROTO_BASE_CLEANUP_H

#define CLEANUP(function) __attribute__((cleanup(function)))

/* Defines `static inline void NAME(type *variable)` that calls `release` on a non-NULL handle. */
#define CLEANUP_DEFINE(name, type, release)                                                        \
    static inline void name(type *variable)                                                        \
    {                                                                                              \
        if (*variable)                                                                             \
            release(*variable);                                                                    \
    }

#endif

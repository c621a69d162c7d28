/* SPDX-License-Identifier: Apache-2.0 */
/* Bump memory with a byte budget: everything that one request needs, freed at once.
 *
 * The arena owns what it returns; pointers live until arena_free or arena_reset. Memory is not
 * zeroed. Under AddressSanitizer unused bytes are poisoned, so overruns between two allocations
 * are seen. Not thread-safe: one arena per request. */
#ifndef BRAZIER_PROTO_BASE_ARENA_H
#define BRAZIER_PROTO_BASE_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "proto/base/cleanup.h"
#include "proto/base/error.h"

struct arena;

/* A bound on what several arenas together take from the system. Their owner keeps it alive. */
struct arena_pool {
    atomic_size_t used_bytes;
    size_t max_bytes;
};

/* Takes `size_bytes` from the pool, for memory that is not an arena's; false: not that much left.
 * What was taken goes back with arena_pool_give. */
bool arena_pool_take(struct arena_pool *pool, size_t size_bytes);
void arena_pool_give(struct arena_pool *pool, size_t size_bytes);

/* An empty arena that will hand out at most `budget_bytes` (block slack included).
 * NULL: no memory for the arena itself. */
struct arena *arena_new(size_t budget_bytes);

/* Frees the arena and all it handed out. NULL is allowed. */
void arena_free(struct arena *arena);
CLEANUP_DEFINE(arena_cleanup, struct arena *, arena_free)

/* From now on blocks are charged to `pool` too; call it before the first allocation. */
void arena_set_pool(struct arena *arena, struct arena_pool *pool);

/* Forgets all allocations and keeps the first block for the next use. */
void arena_reset(struct arena *arena);

/* Changes the budget; what is already handed out stays. For a request whose true need is only
 * known after its body has been inflated. */
void arena_set_budget(struct arena *arena, size_t budget_bytes);

/* Bytes taken from the system so far; never above the budget. */
size_t arena_used_bytes(const struct arena *arena);

/* `size_bytes` bytes aligned to `align` (a power of two <= 64). NULL: over budget, no memory, or
 * size overflow. A size of 0 gives a unique non-NULL pointer. */
void *arena_alloc(struct arena *arena, size_t size_bytes, size_t align)
    __attribute__((malloc, warn_unused_result));

/* As arena_alloc for `count` elements; NULL also when the product overflows. */
void *arena_alloc_array(struct arena *arena, size_t count, size_t element_bytes, size_t align)
    __attribute__((malloc, warn_unused_result));

/* `count` elements of `type`, uninitialised; NULL as arena_alloc. */
#define arena_array(arena, count, type)                                                            \
    ((type *)arena_alloc_array((arena), (count), sizeof(type), _Alignof(type)))

/* The status and message of the arena's last failed allocation: STATUS_TOO_LARGE, naming `what` and
 * the budget; or STATUS_UNAVAILABLE when it was the pool or the system that had no more. */
#define arena_exhausted(arena, err, what)                                                          \
    (arena_starved(arena) ? error_set((err), STATUS_UNAVAILABLE,                                   \
                                      "%s: the server's memory is taken by other requests", what)  \
                          : error_set_at((err), STATUS_TOO_LARGE, "memory", ERROR_NONE,            \
                                         (int64_t)arena_budget_bytes(arena),                       \
                                         "%s: the request needs more than its memory budget of "   \
                                         "%zu bytes",                                              \
                                         what, arena_budget_bytes(arena)))

/* Whether the last failure was the pool's or the system's and not the budget's. */
bool arena_starved(const struct arena *arena);

size_t arena_budget_bytes(const struct arena *arena);

#endif

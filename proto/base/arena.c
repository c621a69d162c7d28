/* SPDX-License-Identifier: Apache-2.0 */
/* Bump memory in doubling blocks. The budget counts whole blocks, because that is what the system
 * gives; nothing is ever returned before arena_reset or arena_free. */
#include "proto/base/arena.h"

#include <stdint.h>
#include <stdlib.h>

#include "proto/base/limits.h"

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISONS 1
#endif
#endif

#ifdef ARENA_POISONS
#include <sanitizer/asan_interface.h>
#define ARENA_POISON(at, size)   __asan_poison_memory_region((at), (size))
#define ARENA_UNPOISON(at, size) __asan_unpoison_memory_region((at), (size))
#define ARENA_RED_ZONE_BYTES     16u /* unused bytes between two allocations, to catch overruns */
#else
#define ARENA_POISON(at, size)   ((void)(at), (void)(size))
#define ARENA_UNPOISON(at, size) ((void)(at), (void)(size))
#define ARENA_RED_ZONE_BYTES     0u
#endif

#define ARENA_ALIGN_MAX 64u

struct block {
    struct block *older;
    size_t size_bytes; /* of `bytes` */
    size_t used_bytes;
    _Alignas(ARENA_ALIGN_MAX) unsigned char bytes[];
};

struct arena {
    struct block *newest;
    struct arena_pool *pool; /* NULL: none */
    size_t budget_bytes;
    size_t used_bytes; /* sum of block sizes, headers included */
    bool starved;      /* the last failure was the pool's or the system's */
};

bool arena_pool_take(struct arena_pool *pool, size_t size_bytes)
{
    size_t used_bytes = atomic_fetch_add(&pool->used_bytes, size_bytes);

    if (used_bytes <= pool->max_bytes && size_bytes <= pool->max_bytes - used_bytes)
        return true;
    arena_pool_give(pool, size_bytes);
    return false;
}

void arena_pool_give(struct arena_pool *pool, size_t size_bytes)
{
    (void)atomic_fetch_sub(&pool->used_bytes, size_bytes);
}

struct arena *arena_new(size_t budget_bytes)
{
    struct arena *arena = calloc(1, sizeof(*arena));

    if (arena != NULL)
        arena->budget_bytes = budget_bytes;
    return arena;
}

void arena_set_pool(struct arena *arena, struct arena_pool *pool)
{
    arena->pool = pool;
}

/* Frees the newest block. */
static void arena_shrink(struct arena *arena)
{
    struct block *block = arena->newest;
    size_t size_bytes = sizeof(*block) + block->size_bytes;

    arena->newest = block->older;
    arena->used_bytes -= size_bytes;
    if (arena->pool != NULL)
        arena_pool_give(arena->pool, size_bytes);
    ARENA_UNPOISON(block->bytes, block->size_bytes);
    free(block);
}

void arena_free(struct arena *arena)
{
    if (arena == NULL)
        return;
    while (arena->newest != NULL)
        arena_shrink(arena);
    free(arena);
}

void arena_reset(struct arena *arena)
{
    while (arena->newest != NULL && arena->newest->older != NULL)
        arena_shrink(arena);
    if (arena->newest != NULL) {
        arena->newest->used_bytes = 0;
        ARENA_POISON(arena->newest->bytes, arena->newest->size_bytes);
    }
}

void arena_set_budget(struct arena *arena, size_t budget_bytes)
{
    arena->budget_bytes = budget_bytes;
}

size_t arena_used_bytes(const struct arena *arena)
{
    return arena->used_bytes;
}

/* Remembers why an allocation failed. A later one that succeeds does not forget it: callers ask for
 * several columns and then look whether one is missing. */
static bool arena_fail(struct arena *arena, bool starved)
{
    arena->starved = starved;
    return false;
}

/* A new block with room for `need_bytes`; false: over budget or no memory. Blocks double so that
 * a large request takes few of them, but never past the budget when a smaller one suffices. */
static bool arena_grow(struct arena *arena, size_t need_bytes)
{
    size_t left_bytes = arena->budget_bytes - arena->used_bytes;
    size_t size_bytes = LIMIT_ARENA_BLOCK_BYTES;
    struct block *block;

    if (arena->used_bytes > arena->budget_bytes || left_bytes < sizeof(struct block) ||
        left_bytes - sizeof(struct block) < need_bytes)
        return arena_fail(arena, false);
    left_bytes -= sizeof(struct block);
    if (arena->newest != NULL)
        size_bytes = arena->newest->size_bytes * 2;
    if (size_bytes > LIMIT_ARENA_BLOCK_MAX_BYTES)
        size_bytes = LIMIT_ARENA_BLOCK_MAX_BYTES;
    if (size_bytes > left_bytes)
        size_bytes = left_bytes;
    if (size_bytes < need_bytes)
        size_bytes = need_bytes;
    if (arena->pool != NULL && !arena_pool_take(arena->pool, sizeof(*block) + size_bytes))
        return arena_fail(arena, true);
    if (posix_memalign((void **)&block, ARENA_ALIGN_MAX, sizeof(*block) + size_bytes) != 0) {
        if (arena->pool != NULL)
            arena_pool_give(arena->pool, sizeof(*block) + size_bytes);
        return arena_fail(arena, true);
    }
    block->older = arena->newest;
    block->size_bytes = size_bytes;
    block->used_bytes = 0;
    ARENA_POISON(block->bytes, size_bytes);
    arena->newest = block;
    arena->used_bytes += sizeof(*block) + size_bytes;
    return true;
}

void *arena_alloc(struct arena *arena, size_t size_bytes, size_t align)
{
    size_t start;
    struct block *block = arena->newest;

    if (align == 0 || align > ARENA_ALIGN_MAX || size_bytes > SIZE_MAX / 4) {
        (void)arena_fail(arena, false);
        return NULL;
    }
    if (size_bytes == 0)
        size_bytes = 1;
    start = block == NULL ? 0 : (block->used_bytes + align - 1) & ~(align - 1);
    if (block == NULL || start > block->size_bytes || block->size_bytes - start < size_bytes) {
        if (!arena_grow(arena, size_bytes + ARENA_RED_ZONE_BYTES))
            return NULL;
        block = arena->newest;
        start = 0;
    }
    block->used_bytes = start + size_bytes + ARENA_RED_ZONE_BYTES;
    ARENA_UNPOISON(block->bytes + start, size_bytes);
    return block->bytes + start;
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t element_bytes, size_t align)
{
    size_t size_bytes;

    if (__builtin_mul_overflow(count, element_bytes, &size_bytes))
        size_bytes = SIZE_MAX; /* no arena has as much */
    return arena_alloc(arena, size_bytes, align);
}

bool arena_starved(const struct arena *arena)
{
    return arena->starved;
}

size_t arena_budget_bytes(const struct arena *arena)
{
    return arena->budget_bytes;
}

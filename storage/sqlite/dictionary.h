/* SPDX-License-Identifier: Apache-2.0 */
/* The call trees of the store, each loaded when first needed and shared by all who use it.
 *
 * Whoever acquires a dictionary must release it; its tree stays until then. Trees that nobody uses
 * go when they take more than LIMIT_CALLTREES_BYTES together. Any thread. */
#ifndef BRAZIER_STORAGE_SQLITE_DICTIONARY_H
#define BRAZIER_STORAGE_SQLITE_DICTIONARY_H

#include <pthread.h>
#include <sqlite3.h>

#include "storage/store.h"
#include "storage/tree_chunk.h"

struct dictionary {
    uint32_t number;
    pthread_mutex_t intern_lock; /* held by the one thread that interns, and while loading */
    struct calltree *tree;  /* NULL until loaded, under both locks; then fixed while acquired */
    struct tree_mark saved; /* how much is on disk; the writer's, after loading */

    /* The cache's: under its lock. */
    uint32_t user_count;
    uint64_t last_use;
    struct dictionary *next;
};

struct dictionary_cache;

/* A cache that loads through a connection of its own, so that what it reads is never older than
 * what the writer has committed. */
CHECKED enum status dictionary_cache_new(const char *path, struct error *err,
                                         struct dictionary_cache **ret_cache);
void dictionary_cache_free(struct dictionary_cache *cache);

/* STATUS_INTERNAL: the stored tree is damaged; STATUS_UNAVAILABLE: no memory. */
CHECKED enum status dictionary_acquire(struct dictionary_cache *cache, uint32_t number,
                                       struct error *err, struct dictionary **ret_dictionary);
void dictionary_release(struct dictionary_cache *cache, struct dictionary *dictionary);

/* Adds what the trees in memory amount to. */
void dictionary_cache_stats(struct dictionary_cache *cache, struct store_stats *stats);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of call trees. Input: a dictionary's number; output: its tree, loaded once.
 *
 * Two locks: each dictionary's own while it loads or interns, and, inside it or alone, the cache's
 * for the list, the counts and which trees there are, held for moments only. A tree is dropped only
 * when nobody holds it, so all of it that matters is on disk by then: whoever waits for a commit
 * still holds it. */
#include "storage/sqlite/dictionary.h"

#include <stdlib.h>

#include "proto/base/limits.h"
#include "storage/sqlite/database.h"

struct dictionary_cache {
    pthread_mutex_t lock;
    struct dictionary *first;
    uint64_t clock;        /* counts acquisitions */
    uint64_t folded_count; /* of trees that were dropped */

    pthread_mutex_t load_lock;
    sqlite3 *database;
    sqlite3_stmt *select_chunks;
};

CLEANUP_DEFINE(cache_cleanup, struct dictionary_cache *, dictionary_cache_free)

enum status dictionary_cache_new(const char *path, struct error *err,
                                 struct dictionary_cache **ret_cache)
{
    CLEANUP(cache_cleanup) struct dictionary_cache *cache = calloc(1, sizeof(*cache));
    enum status status;

    if (cache == NULL)
        return error_no_memory(err, "call trees");
    (void)pthread_mutex_init(&cache->lock, NULL);
    (void)pthread_mutex_init(&cache->load_lock, NULL);
    status = database_open(path, DATABASE_READER, err, &cache->database);
    if (status == STATUS_OK)
        status = database_prepare(cache->database,
                                  "SELECT body FROM tree_chunk WHERE dictionary = ?1 "
                                  "ORDER BY first_node, first_function",
                                  err, &cache->select_chunks);
    if (status != STATUS_OK)
        return status;
    *ret_cache = cache;
    cache = NULL;
    return STATUS_OK;
}

static void free_dictionary(struct dictionary *dictionary)
{
    if (dictionary->tree != NULL)
        calltree_free(dictionary->tree);
    (void)pthread_mutex_destroy(&dictionary->intern_lock);
    free(dictionary);
}

void dictionary_cache_free(struct dictionary_cache *cache)
{
    while (cache->first != NULL) {
        struct dictionary *next = cache->first->next;
        free_dictionary(cache->first);
        cache->first = next;
    }
    (void)sqlite3_finalize(cache->select_chunks);
    (void)sqlite3_close(cache->database);
    (void)pthread_mutex_destroy(&cache->load_lock);
    (void)pthread_mutex_destroy(&cache->lock);
    free(cache);
}

/* --- loading --------------------------------------------------------------------------------- */

static enum status read_chunks(struct dictionary_cache *cache, uint32_t number,
                               struct calltree *tree, struct error *err)
{
    enum status status = STATUS_OK;
    int code = SQLITE_DONE;

    (void)pthread_mutex_lock(&cache->load_lock);
    (void)sqlite3_bind_int64(cache->select_chunks, 1, number);
    while (status == STATUS_OK && (code = sqlite3_step(cache->select_chunks)) == SQLITE_ROW)
        status = tree_chunk_append(tree, database_column_blob(cache->select_chunks, 0), err);
    if (status == STATUS_OK && code != SQLITE_DONE)
        status = database_error(cache->database, DATABASE_READER, "reading a call tree", err);
    (void)sqlite3_reset(cache->select_chunks);
    (void)pthread_mutex_unlock(&cache->load_lock);
    return status;
}

/* Fills an acquired dictionary on its first use. */
static enum status load(struct dictionary_cache *cache, struct dictionary *dictionary,
                        struct error *err)
{
    CLEANUP(calltree_cleanup) struct calltree *tree = NULL;
    enum status status = STATUS_OK;

    (void)pthread_mutex_lock(&dictionary->intern_lock);
    if (dictionary->tree == NULL) {
        status = calltree_new(LIMIT_CALLTREE_NODES, err, &tree);
        if (status == STATUS_OK)
            status = read_chunks(cache, dictionary->number, tree, err);
        if (status == STATUS_OK) {
            dictionary->saved = tree_chunk_mark(tree);
            (void)pthread_mutex_lock(&cache->lock); /* for dictionary_cache_stats */
            dictionary->tree = tree;
            (void)pthread_mutex_unlock(&cache->lock);
            tree = NULL;
        }
    }
    (void)pthread_mutex_unlock(&dictionary->intern_lock);
    return status;
}

/* --- the cache, under its lock --------------------------------------------------------------- */

static struct dictionary *find_or_add(struct dictionary_cache *cache, uint32_t number)
{
    struct dictionary *dictionary = cache->first;

    while (dictionary != NULL && dictionary->number != number)
        dictionary = dictionary->next;
    if (dictionary != NULL)
        return dictionary;
    dictionary = calloc(1, sizeof(*dictionary));
    if (dictionary == NULL)
        return NULL;
    dictionary->number = number;
    (void)pthread_mutex_init(&dictionary->intern_lock, NULL);
    dictionary->next = cache->first;
    cache->first = dictionary;
    return dictionary;
}

static void drop(struct dictionary_cache *cache, struct dictionary *dictionary)
{
    struct dictionary **link = &cache->first;

    while (*link != dictionary)
        link = &(*link)->next;
    *link = dictionary->next;
    if (dictionary->tree != NULL)
        cache->folded_count += calltree_folded_count(dictionary->tree);
    free_dictionary(dictionary);
}

/* Drops unused trees, the longest unused first, until the rest fits. */
static void drop_unused(struct dictionary_cache *cache)
{
    for (;;) {
        struct dictionary *oldest = NULL;
        uint64_t size_bytes = 0;

        for (struct dictionary *each = cache->first; each != NULL; each = each->next) {
            if (each->user_count > 0)
                continue; /* may be loading: its tree is not ours to look at */
            size_bytes += each->tree == NULL ? 0 : calltree_memory_bytes(each->tree);
            if (oldest == NULL || each->last_use < oldest->last_use)
                oldest = each;
        }
        if (oldest == NULL || size_bytes <= LIMIT_CALLTREES_BYTES)
            return;
        drop(cache, oldest);
    }
}

/* --- use ------------------------------------------------------------------------------------- */

enum status dictionary_acquire(struct dictionary_cache *cache, uint32_t number, struct error *err,
                               struct dictionary **ret_dictionary)
{
    struct dictionary *dictionary;
    enum status status;

    (void)pthread_mutex_lock(&cache->lock);
    dictionary = find_or_add(cache, number);
    if (dictionary != NULL) {
        dictionary->user_count++;
        dictionary->last_use = ++cache->clock;
    }
    (void)pthread_mutex_unlock(&cache->lock);
    if (dictionary == NULL)
        return error_no_memory(err, "call trees");
    status = load(cache, dictionary, err);
    if (status != STATUS_OK)
        dictionary_release(cache, dictionary);
    else
        *ret_dictionary = dictionary;
    return status;
}

void dictionary_release(struct dictionary_cache *cache, struct dictionary *dictionary)
{
    (void)pthread_mutex_lock(&cache->lock);
    if (--dictionary->user_count == 0) {
        if (dictionary->tree == NULL)
            drop(cache, dictionary);
        drop_unused(cache);
    }
    (void)pthread_mutex_unlock(&cache->lock);
}

void dictionary_cache_stats(struct dictionary_cache *cache, struct store_stats *stats)
{
    (void)pthread_mutex_lock(&cache->lock);
    stats->folded_paths += cache->folded_count;
    for (struct dictionary *each = cache->first; each != NULL; each = each->next) {
        if (each->tree == NULL)
            continue;
        stats->folded_paths += calltree_folded_count(each->tree);
        stats->calltree_count++;
        stats->calltree_nodes += calltree_node_count(each->tree);
        stats->calltree_bytes += calltree_memory_bytes(each->tree);
    }
    (void)pthread_mutex_unlock(&cache->lock);
}

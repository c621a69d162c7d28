/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite engine from inside: what its operations share. */
#ifndef BRAZIER_STORAGE_SQLITE_ENGINE_H
#define BRAZIER_STORAGE_SQLITE_ENGINE_H

#include "storage/sqlite/dictionary.h"
#include "storage/sqlite/numbering.h"
#include "storage/sqlite/reader.h"
#include "storage/sqlite/writer.h"

struct engine {
    struct store store; /* first: what callers hold */
    struct numbering numbering;
    struct dictionary_cache *dictionaries;
    struct reader_pool *readers;
    struct writer *writer;
    char *path;
    int lock; /* file descriptor; closing it gives the database up */
};

static inline struct engine *engine_of(struct store *store)
{
    return (struct engine *)store;
}

/* The operations, as in store.h. */
CHECKED enum status engine_put(struct store *store, const struct store_put *put,
                               struct arena *arena, struct error *err,
                               struct store_receipt *ret_receipt);
CHECKED enum status engine_find(struct store *store, struct store_id id, struct arena *arena,
                                struct error *err, struct store_profile *ret_profile);
CHECKED enum status engine_raw(struct store *store, struct store_id id, struct arena *arena,
                               struct error *err, struct slice *ret_body);
CHECKED enum status engine_tally(struct store *store, const struct store_selection *sides,
                                 uint32_t side_count, struct arena *arena, struct error *err,
                                 struct store_tally *ret_tally);
void engine_tally_release(struct store *store, struct store_tally *tally);
CHECKED enum status engine_list(struct store *store, const struct store_selection *selection,
                                uint32_t limit, const struct store_cursor *cursor,
                                struct arena *arena, struct error *err,
                                struct store_page *ret_page);
CHECKED enum status engine_catalog(struct store *store, struct arena *arena, struct error *err,
                                   struct store_catalog *ret_catalog);

/* The sequence of profile `id`, or -1. */
CHECKED enum status engine_find_sequence(struct reader *reader, struct store_id id,
                                         struct error *err, int64_t *ret_sequence);

/* The sequence of the newest profile of a series, or -1: there is none. */
CHECKED enum status engine_newest_sequence(struct reader *reader, uint32_t series,
                                           struct error *err, int64_t *ret_sequence);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The store: keeps profiles and adds them up. One interface for every engine.
 *
 * A profile is kept as a sparse vector over the call tree of its (service, type, calendar month
 * UTC), once per set of sample labels, beside the bytes as they were sent. A tally adds the vectors
 * that a selection matches; everything shown is derived from a tally.
 *
 * All calls may come from any thread at once. Arrays in results live in the arena that the call was
 * given, slices there or in the store itself: both are good until the arena or the store goes,
 * whichever is first. Slices in arguments need to live until the call returns. Text
 * arguments are valid UTF-8 (the server cleans what it takes). Any call may fail with
 * STATUS_UNAVAILABLE (no memory, closing), STATUS_STORAGE_FULL (writes), STATUS_INTERNAL (damage).
 */
#ifndef BRAZIER_STORAGE_STORE_H
#define BRAZIER_STORAGE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/arena.h"
#include "proto/base/slice.h"
#include "proto/metrics.h"
#include "proto/profile.h"
#include "storage/calltree.h"

#define STORE_ID_BYTES 16

struct store_id {
    uint8_t bytes[STORE_ID_BYTES];
};

struct store_label {
    struct slice key;
    struct slice value;
};

/* --- put ------------------------------------------------------------------------------------- */

struct store_put {
    struct store_id id; /* digest of what makes this upload itself; equal ids are one upload */
    struct slice service, version, type;
    const struct store_label *labels; /* sorted by key, then value; no pair twice */
    uint32_t label_count;
    int64_t start_ns;
    int64_t duration_ns; /* 0: unknown */
    int64_t received_ns;
    int64_t work;                  /* -1: none */
    struct slice work_unit;        /* empty when work is -1 */
    const struct profile *profile; /* valid, pruned, values normalised; names any bytes */
    const struct metric *metrics;  /* [profile->type_count] */
    uint32_t default_metric;       /* index into metrics */
    struct slice body;             /* the bytes to give back later */
};

/* A stored profile, without its samples. */
struct store_profile {
    struct store_id id;
    struct slice service, version, type;
    const struct store_label *labels;
    uint32_t label_count;
    int64_t start_ns, duration_ns, received_ns;
    int64_t work; /* -1: none */
    struct slice work_unit;
    uint64_t sample_count;
    uint64_t body_bytes;
    const struct metric *metrics; /* names as stored: a unit conflict reads "name:unit" */
    uint32_t metric_count;
};

struct store_receipt {
    bool repeated;                /* it was there already; nothing was stored */
    uint32_t tag_keys_left_out;   /* sample label keys with over LIMIT_TAG_VALUES values */
    uint32_t tagsets_folded;      /* tagsets past LIMIT_TAGSETS that share one row */
    struct store_profile profile; /* as it is stored, whether now or before */
};

/* --- selection and tally --------------------------------------------------------------------- */

enum store_having {
    STORE_HAVING_ANY,
    STORE_HAVING_DURATION, /* only profiles whose duration is known */
    STORE_HAVING_WORK,     /* only profiles that report work */
    STORE_HAVING_MAX
};

struct store_selection {
    struct slice service;
    struct slice type;            /* empty: the only type that the service has */
    struct slice metric;          /* empty: the default of the newest profile of that type */
    const struct slice *versions; /* any of these; version_count 0: all */
    uint32_t version_count;
    const struct store_label *labels; /* all of these */
    uint32_t label_count;
    int64_t from_ns, until_ns; /* from <= start < until */
    bool one;                  /* only the profile `id` */
    struct store_id id;
    enum store_having having;
};

struct store_side {
    uint64_t profile_count;          /* profiles that match and have the metric */
    uint64_t without_duration_count; /* of these, how many add nothing to duration_ns */
    uint64_t without_work_count;     /* of these, how many add nothing to work */
    int64_t duration_ns;
    int64_t work;              /* -1: no profile reports any, or units differ */
    struct slice work_unit;    /* "" when work is -1 */
    int64_t first_ns, last_ns; /* starts of the oldest and newest profile; 0, 0 when none */
    int64_t total;             /* sum over all nodes */
    int64_t *self;             /* [node_count] */
};

struct store_tally {
    struct slice type, metric, unit; /* as resolved; unit "" when nothing has the metric */
    enum metric_kind kind;
    const struct calltree *tree; /* until store_tally_release; read it below these counts only */
    uint32_t node_count;
    uint32_t function_count;
    uint32_t side_count;        /* 1, or 2: selection and base */
    struct store_side sides[2]; /* over the same node numbers */
    void *hold;                 /* the engine's: keeps `tree` alive */
};

/* --- list and catalog ------------------------------------------------------------------------ */

struct store_cursor { /* where a page begins: strictly older than this */
    int64_t start_ns;
    int64_t sequence;
};

struct store_page {
    struct store_profile *profiles; /* newest first */
    uint32_t profile_count;
    bool more;
    struct store_cursor next; /* when more */
};

struct store_catalog_metric {
    struct slice name, unit;
    enum metric_kind kind;
};

struct store_catalog_type {
    struct slice type;
    uint64_t profile_count;
    struct slice default_metric;
    struct store_catalog_metric *metrics;
    uint32_t metric_count;
};

struct store_catalog_version {
    struct slice version;
    uint64_t profile_count;
    int64_t first_ns, last_ns;
};

struct store_catalog_label {
    struct slice key;
    struct slice *values; /* sorted */
    uint32_t value_count;
};

struct store_catalog_service {
    struct slice service;
    uint64_t profile_count;
    int64_t first_ns, last_ns;
    struct store_catalog_version *versions; /* newest (by last_ns) last */
    uint32_t version_count;
    struct store_catalog_type *types; /* by name */
    uint32_t type_count;
    struct store_catalog_label *labels; /* by key */
    uint32_t label_count;
};

struct store_catalog {
    struct store_catalog_service *services; /* by name */
    uint32_t service_count;
};

struct store_stats {
    uint64_t profiles_stored; /* since the process began */
    uint64_t profiles_repeated;
    uint64_t commits;
    uint64_t commit_failures;
    uint64_t folded_paths;   /* into "(other paths)", see calltree.h */
    uint64_t calltree_count; /* in memory */
    uint64_t calltree_nodes;
    uint64_t calltree_bytes;
    uint64_t database_bytes;
};

/* --- the interface --------------------------------------------------------------------------- */

struct store;

struct store_ops {
    enum status (*put)(struct store *, const struct store_put *, struct arena *, struct error *,
                       struct store_receipt *);
    enum status (*find)(struct store *, struct store_id, struct arena *, struct error *,
                        struct store_profile *);
    enum status (*raw)(struct store *, struct store_id, struct arena *, struct error *,
                       struct slice *);
    enum status (*tally)(struct store *, const struct store_selection *, uint32_t, struct arena *,
                         struct error *, struct store_tally *);
    void (*tally_release)(struct store *, struct store_tally *);
    enum status (*list)(struct store *, const struct store_selection *, uint32_t,
                        const struct store_cursor *, struct arena *, struct error *,
                        struct store_page *);
    enum status (*catalog)(struct store *, struct arena *, struct error *, struct store_catalog *);
    enum status (*ready)(struct store *, struct error *);
    void (*stats)(struct store *, struct store_stats *);
    void (*close)(struct store *);
};

/* Every engine's handle begins with this. Engines: storage/sqlite/sqlite_store.h. */
struct store {
    const struct store_ops *ops;
};

/* Stores one profile and returns when it is durable, or finds that it was stored before. On any
 * failure nothing is stored. STATUS_BAD_PARAMETER: a metric of this name and unit cannot be kept;
 * STATUS_RATE_LIMITED: LIMIT_REGISTRY_ENTRIES or LIMIT_SERIES_METRICS; STATUS_VALUE_OVERFLOW: the
 * sum of equal stacks leaves int64; STATUS_TOO_LARGE: a name over LIMIT_NAME_BYTES, or the arena.
 */
CHECKED static inline enum status store_put(struct store *store, const struct store_put *put,
                                            struct arena *arena, struct error *err,
                                            struct store_receipt *ret_receipt)
{
    return store->ops->put(store, put, arena, err, ret_receipt);
}

/* The stored profile `id`. STATUS_NOT_FOUND. */
CHECKED static inline enum status store_find(struct store *store, struct store_id id,
                                             struct arena *arena, struct error *err,
                                             struct store_profile *ret_profile)
{
    return store->ops->find(store, id, arena, err, ret_profile);
}

/* The body of profile `id` as given to store_put. STATUS_NOT_FOUND. */
CHECKED static inline enum status store_raw(struct store *store, struct store_id id,
                                            struct arena *arena, struct error *err,
                                            struct slice *ret_body)
{
    return store->ops->raw(store, id, arena, err, ret_body);
}

/* Adds up the vectors of one or two selections over one tree. Selections that match nothing give
 * empty sides. The caller releases the tally with store_tally_release before the arena goes.
 * STATUS_NOT_FOUND: unknown service; STATUS_BAD_PARAMETER: no type given and the service has
 * several, or the sides' units differ; STATUS_VALUE_OVERFLOW: a sum, or a side's total, leaves
 * int64; STATUS_TOO_LARGE: arena. */
CHECKED static inline enum status store_tally(struct store *store,
                                              const struct store_selection *sides,
                                              uint32_t side_count, struct arena *arena,
                                              struct error *err, struct store_tally *ret_tally)
{
    return store->ops->tally(store, sides, side_count, arena, err, ret_tally);
}

static inline void store_tally_release(struct store *store, struct store_tally *tally)
{
    store->ops->tally_release(store, tally);
}

/* The matching profiles, newest first, at most `limit`; `cursor` NULL: from the newest. The metric
 * of the selection does not restrict. STATUS_NOT_FOUND: unknown service. */
CHECKED static inline enum status store_list(struct store *store,
                                             const struct store_selection *selection,
                                             uint32_t limit, const struct store_cursor *cursor,
                                             struct arena *arena, struct error *err,
                                             struct store_page *ret_page)
{
    return store->ops->list(store, selection, limit, cursor, arena, err, ret_page);
}

/* Everything that can be chosen. */
CHECKED static inline enum status store_catalog(struct store *store, struct arena *arena,
                                                struct error *err,
                                                struct store_catalog *ret_catalog)
{
    return store->ops->catalog(store, arena, err, ret_catalog);
}

/* STATUS_OK while the store answers a trivial query. */
CHECKED static inline enum status store_ready(struct store *store, struct error *err)
{
    return store->ops->ready(store, err);
}

static inline void store_stats(struct store *store, struct store_stats *ret_stats)
{
    store->ops->stats(store, ret_stats);
}

/* Finishes what is being written and frees the store. No other call may run or follow. */
static inline void store_close(struct store *store)
{
    store->ops->close(store);
}

static inline void store_cleanup(struct store **store)
{
    if (*store != NULL)
        store_close(*store);
}

#endif

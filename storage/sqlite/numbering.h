/* SPDX-License-Identifier: Apache-2.0 */
/* All that has a number, by kind, and the rules for metrics, label sets and months.
 *
 * Kept whole in memory; the writer appends what is new to table `name`. Slices live until
 * numbering_free. */
#ifndef BRAZIER_STORAGE_SQLITE_NUMBERING_H
#define BRAZIER_STORAGE_SQLITE_NUMBERING_H

#include <sqlite3.h>

#include "proto/metrics.h"
#include "storage/sqlite/registry.h"
#include "storage/store.h"

/* Values are written to the database: never renumber. */
enum name_kind {
    NAME_SERVICE,
    NAME_VERSION,
    NAME_SERIES,     /* parent: service; text: type */
    NAME_METRIC,     /* parent: series; text: name; detail: kind digit, unit */
    NAME_DICTIONARY, /* parent: series; text: month */
    NAME_LABELSET,   /* text: as numbering_add_labels writes it */
    NAME_TAGSET,     /* text: struct tagsets.texts */
    NAME_WORK_UNIT,
    NAME_KIND_MAX
};

struct numbering {
    struct registry *of[NAME_KIND_MAX];
    uint32_t saved[NAME_KIND_MAX]; /* how many are on disk; the writer's alone */
};

/* Makes the registries, with "no labels" and "no tags" as number 0 (and TAGSET_FOLDED as 1). */
CHECKED enum status numbering_open(struct numbering *numbering, struct error *err);

/* Also after a failed numbering_open of a zeroed struct. */
void numbering_free(struct numbering *numbering);

/* Reads table `name`. STATUS_INTERNAL: damaged. */
CHECKED enum status numbering_load(struct numbering *numbering, sqlite3 *database,
                                   struct error *err);

/* Writes what is not on disk yet; `ret_counts` becomes `saved` once the transaction is through. */
CHECKED enum status numbering_save(const struct numbering *numbering, sqlite3 *database,
                                   sqlite3_stmt *insert_name, struct error *err,
                                   uint32_t ret_counts[NAME_KIND_MAX]);

/* The number of `metric` in `series`: its name, or "name:unit" when the name is taken with another
 * unit. STATUS_BAD_PARAMETER: that is taken too; STATUS_RATE_LIMITED: LIMIT_SERIES_METRICS. */
CHECKED enum status numbering_add_metric(struct numbering *numbering, uint32_t series,
                                         const struct metric *metric, struct arena *arena,
                                         struct error *err, uint32_t *ret_number);

/* Name, unit and kind of a metric. */
struct metric numbering_metric(const struct numbering *numbering, uint32_t number);

/* The number of the call tree of `series` for the month that holds `time_ns`. */
CHECKED enum status numbering_add_dictionary(struct numbering *numbering, uint32_t series,
                                             int64_t time_ns, struct error *err,
                                             uint32_t *ret_number);

/* The month of a dictionary, as timestamp_month counts them. */
int32_t numbering_dictionary_month(const struct numbering *numbering, uint32_t number);

/* The number of a label set, and back into an array in `arena`. */
CHECKED enum status numbering_add_labels(struct numbering *numbering,
                                         const struct store_label *labels, uint32_t label_count,
                                         struct arena *arena, struct error *err,
                                         uint32_t *ret_number);
CHECKED enum status numbering_labels(const struct numbering *numbering, uint32_t number,
                                     struct arena *arena, struct error *err,
                                     struct store_label **ret_labels, uint32_t *ret_count);

/* Whether a label set holds all of `labels`. */
bool numbering_labelset_has(const struct numbering *numbering, uint32_t number,
                            const struct store_label *labels, uint32_t label_count);

#endif

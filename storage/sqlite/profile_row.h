/* SPDX-License-Identifier: Apache-2.0 */
/* A row of table `profile`, and how it becomes a `struct store_profile`. */
#ifndef BRAZIER_STORAGE_SQLITE_PROFILE_ROW_H
#define BRAZIER_STORAGE_SQLITE_PROFILE_ROW_H

#include "storage/sqlite/numbering.h"
#include "storage/sqlite/reader.h"

struct profile_row {
    int64_t sequence; /* order of arrival */
    struct store_id id;
    uint32_t series, dictionary, version, labelset;
    int64_t start_ns, duration_ns, received_ns;
    int64_t work;
    uint32_t work_unit;
    int64_t sample_count;
    int64_t body_bytes;
    uint32_t default_metric;
    struct slice totals; /* count, then per metric: number, kind, zigzag(total); varints */
};

/* Writes `totals` for metrics with these numbers. STATUS_TOO_LARGE: arena. */
CHECKED enum status profile_row_totals(const struct metric *metrics, const uint32_t *numbers,
                                       uint32_t metric_count, struct arena *arena,
                                       struct error *err, struct slice *ret_totals);

/* Binds all columns for INSERT INTO profile VALUES (?1 ... ?16), in the order of the schema. */
void profile_row_bind(sqlite3_stmt *statement, const struct profile_row *row);

/* Reads row `sequence`; `ret_row->totals` lives in `arena`. STATUS_INTERNAL: damaged, or it is
 * missing although something refers to it. */
CHECKED enum status profile_row_read(struct reader *reader, int64_t sequence, struct arena *arena,
                                     struct error *err, struct profile_row *ret_row);

/* The row in names, all in `arena`. */
CHECKED enum status profile_row_describe(const struct numbering *numbering,
                                         const struct profile_row *row, struct arena *arena,
                                         struct error *err, struct store_profile *ret_profile);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* One transaction of the writer: the rows of some uploads and what they need to be read again. */
#ifndef BRAZIER_STORAGE_SQLITE_BATCH_H
#define BRAZIER_STORAGE_SQLITE_BATCH_H

#include "storage/sqlite/writer.h"

struct batch;

/* Prepares the statements. Takes over `database`, also on failure. */
CHECKED enum status batch_new(sqlite3 *database, struct numbering *numbering, struct error *err,
                              struct batch **ret_batch);
void batch_free(struct batch *batch);
CLEANUP_DEFINE(batch_cleanup, struct batch *, batch_free)

/* Commits a list of jobs, or nothing of it. Sets `repeated` of each. */
CHECKED enum status batch_write(struct batch *batch, struct write_job *jobs, struct error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The store on one SQLite file: the engine that every installation starts with. */
#ifndef BRAZIER_STORAGE_SQLITE_SQLITE_STORE_H
#define BRAZIER_STORAGE_SQLITE_SQLITE_STORE_H

#include "proto/base/log.h"
#include "storage/store.h"

struct sqlite_store_config {
    const char *path;      /* created when absent */
    uint32_t reader_count; /* connections for reading, one per thread that may ask at once */
    struct log *log;       /* may be NULL; must outlive the store */
};

/* Opens or creates the database, steps an older schema up in one transaction, and starts the
 * writer thread. STATUS_UNAVAILABLE: cannot open, is no Brazier database, is newer than this
 * program, or is in use by another Brazier; STATUS_INTERNAL: damaged (the message says what). */
CHECKED enum status sqlite_store_open(const struct sqlite_store_config *config, struct error *err,
                                      struct store **ret_store);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite stores in a directory of their own, for tests. */
#ifndef BRAZIER_TESTS_UNIT_SQLITE_FIXTURE_H
#define BRAZIER_TESTS_UNIT_SQLITE_FIXTURE_H

#include "storage/sqlite/sqlite_store.h"

/* Makes a new directory and fills `path` with "DIRECTORY/test.db"; the file is not made. */
void sqlite_fixture_path(char path[64]);

/* Removes the directory with the database and all that lies beside it. */
void sqlite_fixture_remove(const char *path);

/* Opens the store, which must succeed. */
struct store *sqlite_fixture_open(const char *path);

/* Tries to; the store is closed again. */
enum status sqlite_fixture_try_open(const char *path, struct error *err);

#endif

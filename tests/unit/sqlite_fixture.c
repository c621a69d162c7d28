/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/sqlite_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void sqlite_fixture_path(char path[64])
{
    char directory[] = "/tmp/brazier-store-XXXXXX";

    if (mkdtemp(directory) == NULL)
        abort();
    (void)snprintf(path, 64, "%s/test.db", directory);
}

void sqlite_fixture_remove(const char *path)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal", ".lock"};
    char name[80];

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        (void)snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
        (void)unlink(name);
    }
    (void)snprintf(name, sizeof(name), "%.*s", (int)(strrchr(path, '/') - path), path);
    if (rmdir(name) != 0)
        abort();
}

static enum status open_store(const char *path, struct error *err, struct store **ret_store)
{
    struct sqlite_store_config config = {.path = path, .reader_count = 3};

    return sqlite_store_open(&config, err, ret_store);
}

struct store *sqlite_fixture_open(const char *path)
{
    struct store *store = NULL;
    struct error err = {0};

    if (open_store(path, &err, &store) != STATUS_OK) {
        (void)fprintf(stderr, "open: %s\n", err.text);
        abort();
    }
    return store;
}

enum status sqlite_fixture_try_open(const char *path, struct error *err)
{
    struct store *store = NULL;
    enum status status = open_store(path, err, &store);

    if (status == STATUS_OK)
        store_close(store);
    return status;
}

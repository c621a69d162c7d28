/* SPDX-License-Identifier: Apache-2.0 */
/* The store contract, run on the SQLite engine. */
#include "tests/unit/sqlite_fixture.h"
#include "tests/unit/store_suite.h"

static char path[64]; /* of the one store that the suite has open */

static struct store *open_empty(void)
{
    sqlite_fixture_path(path);
    return sqlite_fixture_open(path);
}

static struct store *reopen(struct store *store)
{
    store_close(store);
    return sqlite_fixture_open(path);
}

static void destroy(struct store *store)
{
    store_close(store);
    sqlite_fixture_remove(path);
}

int main(void)
{
    const struct store_suite_engine engine = {
        .name = "store on sqlite", .open_empty = open_empty, .reopen = reopen, .destroy = destroy};

    return store_suite_run(&engine);
}

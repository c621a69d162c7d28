/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite engine on a disk that fails: the nth write, sync or truncation is refused, for every
 * n, once or from then on. Whatever happens, what was acknowledged is there, what was refused is
 * not, and the store goes on when the disk does.
 *
 * A shim in front of SQLite's own file layer does the refusing. It changes the method tables of
 * opened files (one for the database, one for the files beside it) and keeps nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "tests/unit/sqlite_fixture.h"
#include "tests/unit/store_fixture.h"

/* --- the shim -------------------------------------------------------------------------------- */

static sqlite3_vfs *real_vfs;
static sqlite3_vfs shim_vfs;
static const sqlite3_io_methods *real_methods[2]; /* of the database, of other files */
static sqlite3_io_methods shim_methods[2];

static _Atomic long operation_count; /* since armed */
static _Atomic long fail_at;         /* this one fails; 0: none */
static _Atomic bool fail_for_good;   /* and all behind it */

static void arm(long at, bool for_good)
{
    atomic_store(&operation_count, 0);
    atomic_store(&fail_for_good, for_good);
    atomic_store(&fail_at, at);
}

static bool fails(void)
{
    long at = atomic_load(&fail_at);
    long count = atomic_fetch_add(&operation_count, 1) + 1;

    return at != 0 && (count == at || (count > at && atomic_load(&fail_for_good)));
}

static const sqlite3_io_methods *real_of(const sqlite3_file *file)
{
    return real_methods[file->pMethods == &shim_methods[1]];
}

static int shim_write(sqlite3_file *file, const void *bytes, int size_bytes, sqlite3_int64 offset)
{
    if (fails())
        return SQLITE_FULL;
    return real_of(file)->xWrite(file, bytes, size_bytes, offset);
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size_bytes)
{
    if (fails())
        return SQLITE_IOERR_TRUNCATE;
    return real_of(file)->xTruncate(file, size_bytes);
}

static int shim_sync(sqlite3_file *file, int flags)
{
    if (fails())
        return SQLITE_IOERR_FSYNC;
    return real_of(file)->xSync(file, flags);
}

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *ret_flags)
{
    int code = real_vfs->xOpen(real_vfs, name, file, flags, ret_flags);
    int which = (flags & SQLITE_OPEN_MAIN_DB) == 0;
    (void)vfs;

    if (code != SQLITE_OK || file->pMethods == NULL)
        return code;
    if (real_methods[which] == NULL) {
        real_methods[which] = file->pMethods;
        shim_methods[which] = *file->pMethods;
        shim_methods[which].xWrite = shim_write;
        shim_methods[which].xTruncate = shim_truncate;
        shim_methods[which].xSync = shim_sync;
    }
    assert_ptr_equal(real_methods[which], file->pMethods);
    file->pMethods = &shim_methods[which];
    return code;
}

/* --- the tests ------------------------------------------------------------------------------- */

static char path[64];

static int set_up(void **state)
{
    (void)state;
    sqlite_fixture_path(path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arm(0, false);
    sqlite_fixture_remove(path);
    return 0;
}

enum { PUTS = 3 };

static const char *const stacks[PUTS] = {"main;a;b;c", "main;a;x", "other"};

/* Checks that exactly the acknowledged uploads are there. */
static void assert_stored(struct store *store, const bool *acknowledged, unsigned count)
{
    struct arena *arena = arena_new(8 * LIMIT_MIB);
    struct store_selection all = fixture_all();
    struct store_tally tally;
    unsigned expected = 0;

    assert_int_equal(store_tally(store, &all, 1, arena, NULL, &tally), STATUS_OK);
    for (unsigned i = 0; i < count; i++) {
        struct slice body;

        expected += acknowledged[i];
        assert_int_equal(store_raw(store, fixture_id(i + 1), arena, NULL, &body),
                         acknowledged[i] ? STATUS_OK : STATUS_NOT_FOUND);
        if (acknowledged[i])
            assert_int_equal(fixture_self(&tally, 0, stacks[i]), 1);
    }
    assert_int_equal(tally.sides[0].profile_count, expected + 1); /* and the one put at the end */
    assert_int_equal(tally.sides[0].total, expected + 1);
    assert_int_equal(fixture_self(&tally, 0, "main;a;b;c;d"), 1);
    store_tally_release(store, &tally);
    arena_free(arena);
}

/* One round: puts on a disk that fails at operation `at`. False: it did not come to that. */
static bool put_on_failing_disk(long at, bool for_good)
{
    struct store *store = sqlite_fixture_open(path);
    struct arena *arena = arena_new(8 * LIMIT_MIB);
    bool acknowledged[PUTS], reached;

    arm(at, for_good);
    for (unsigned i = 0; i < PUTS; i++) {
        struct handmade_sample sample = {.stack = stacks[i], .values = {1, 1}};
        struct store_receipt receipt;
        enum status status = fixture_try_put(
            store, arena, &(struct fixture_put){.id = i + 1, .samples = &sample, .sample_count = 1},
            NULL, &receipt);

        acknowledged[i] = status == STATUS_OK;
        assert_true(status == STATUS_OK || status == STATUS_STORAGE_FULL);
    }
    reached = atomic_load(&operation_count) >= at;
    arm(0, false);
    fixture_put_stack(store, &(struct fixture_put){.id = 99}, "main;a;b;c;d", 1);
    assert_stored(store, acknowledged, PUTS);
    store_close(store);
    store = sqlite_fixture_open(path);
    assert_stored(store, acknowledged, PUTS);
    store_close(store);
    arena_free(arena);
    return reached;
}

static void every_write_may_fail(void **state)
{
    long at = 1;
    (void)state;

    for (bool reached = true; reached; at++) {
        reached = put_on_failing_disk(at, false);
        assert_int_equal(remove(path), 0);
    }
    assert_true(at > 20); /* else the shim is not in place */
}

static void every_write_may_be_the_last(void **state)
{
    (void)state;

    for (long at = 1; put_on_failing_disk(at, true); at++)
        assert_int_equal(remove(path), 0);
}

/* Opening a new database with each operation failing: an error, and the next try succeeds. */
static void opening_may_fail(void **state)
{
    long at = 1;
    (void)state;

    for (bool failed = true; failed; at++) {
        struct error err = {0};
        enum status status;

        arm(at, false);
        status = sqlite_fixture_try_open(path, &err);
        failed = atomic_load(&operation_count) >= at;
        arm(0, false);
        assert_true(status == STATUS_OK || status == STATUS_STORAGE_FULL ||
                    status == STATUS_UNAVAILABLE);
        assert_int_equal(sqlite_fixture_try_open(path, &err), STATUS_OK);
        assert_int_equal(remove(path), 0);
    }
    assert_true(at > 10);
}

#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(every_write_may_fail),
        STORE_TEST(every_write_may_be_the_last),
        STORE_TEST(opening_may_fail),
    };

    real_vfs = sqlite3_vfs_find(NULL);
    shim_vfs = *real_vfs;
    shim_vfs.zName = "failing";
    shim_vfs.pNext = NULL;
    shim_vfs.xOpen = shim_open;
    if (sqlite3_vfs_register(&shim_vfs, 1) != SQLITE_OK)
        return 1;
    return cmocka_run_group_tests_name("store on a failing disk", tests, NULL, NULL);
}

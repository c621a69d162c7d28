/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite engine on damaged files: an error, never another answer, never a crash. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "tests/unit/sqlite_fixture.h"
#include "tests/unit/store_fixture.h"

static char path[64]; /* of the database of the running test */

static int set_up(void **state)
{
    (void)state;
    sqlite_fixture_path(path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sqlite_fixture_remove(path);
    return 0;
}

static void run_sql(const char *sql)
{
    sqlite3 *database = NULL;

    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(database));
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static void write_file(const char *bytes, size_t size_bytes)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_int_equal(write(file, bytes, size_bytes), size_bytes);
    assert_int_equal(close(file), 0);
}

static size_t read_file(char *bytes, size_t room_bytes)
{
    int file = open(path, O_RDONLY);
    ssize_t size_bytes = read(file, bytes, room_bytes);

    assert_true(size_bytes >= 0);
    assert_int_equal(close(file), 0);
    return (size_t)size_bytes;
}

/* Total and count of everything; the status when that fails. */
static enum status total_of(struct store *store, int64_t *ret_total, uint64_t *ret_count)
{
    struct arena *arena = arena_new(64 * LIMIT_MIB);
    struct store_selection all = fixture_all();
    struct store_tally tally;
    enum status status = store_tally(store, &all, 1, arena, NULL, &tally);

    if (status == STATUS_OK) {
        *ret_total = tally.sides[0].total;
        *ret_count = tally.sides[0].profile_count;
        store_tally_release(store, &tally);
    }
    arena_free(arena);
    return status;
}

static void fill(void)
{
    struct store *store = sqlite_fixture_open(path);

    for (unsigned id = 1; id <= 30; id++) {
        char stack[64];

        (void)snprintf(stack, sizeof(stack), "main;f%u", id % 10);
        fixture_put_stack(store,
                          &(struct fixture_put){.id = id,
                                                .labels = id % 2 ? "zone=eu" : NULL,
                                                .version = id % 3 ? "1" : "2"},
                          stack, 1);
    }
    store_close(store);
}

/* Damages one row; every way to it must then say so, and no other answer may change. */
static void damaged_rows_are_told(void **state)
{
    static const char *const damages[] = {
        "UPDATE vector SET body = zeroblob(length(body)) WHERE sequence = 7",
        "UPDATE vector SET body = x'' WHERE sequence = 7",
        "DELETE FROM vector WHERE sequence = 7",
        "UPDATE usage SET profiles = profiles + 1",
        "DELETE FROM tree_chunk WHERE rowid = 3",
        "UPDATE tree_chunk SET body = zeroblob(length(body)) WHERE rowid = 3",
        "INSERT INTO tree_chunk SELECT * FROM tree_chunk WHERE rowid = 3",
    };
    (void)state;

    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        struct store *store;
        int64_t total = 0;
        uint64_t count = 0;

        fill();
        run_sql(damages[i]);
        store = sqlite_fixture_open(path);
        assert_int_equal(total_of(store, &total, &count), STATUS_INTERNAL);
        store_close(store);
        assert_int_equal(unlink(path), 0);
    }
}

static void damaged_names_refuse_to_open(void **state)
{
    static const char *const damages[] = {
        "UPDATE name SET text = 'shoq' WHERE kind = 0",
        "UPDATE name SET number = 7 WHERE kind = 3 AND number = 1",
        "UPDATE name SET parent = 1 WHERE kind = 2",
        "DELETE FROM name WHERE kind = 3 AND number = 0",
    };
    struct error err = {0};
    (void)state;

    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        fill();
        run_sql(damages[i]);
        assert_int_equal(sqlite_fixture_try_open(path, &err), STATUS_INTERNAL);
        assert_int_equal(unlink(path), 0);
    }
}

static void damaged_profiles_and_bodies_are_told(void **state)
{
    struct arena *arena = arena_new(LIMIT_MIB);
    struct store_profile profile;
    struct store_page page;
    struct store_selection all = fixture_all();
    struct slice body;
    struct store *store;
    struct error err = {0};
    (void)state;

    fill();
    run_sql("UPDATE profile SET work = 12 WHERE sequence = 7;"
            "UPDATE raw SET body = x'626f6459' WHERE sequence = 8");
    store = sqlite_fixture_open(path);
    assert_int_equal(store_find(store, fixture_id(7), arena, &err, &profile), STATUS_INTERNAL);
    assert_int_equal(store_find(store, fixture_id(8), arena, &err, &profile), STATUS_OK);
    assert_int_equal(store_raw(store, fixture_id(8), arena, &err, &body), STATUS_INTERNAL);
    assert_int_equal(store_list(store, &all, 100, NULL, arena, &err, &page), STATUS_INTERNAL);
    store_close(store);
    arena_free(arena);
}

/* Random bytes of the file changed: errors are fine, other totals and crashes are not. */
static void flipped_bytes_never_crash(void **state)
{
    static char right[1 << 20], wrong[1 << 20];
    struct arena *arena = arena_new(64 * LIMIT_MIB);
    size_t size_bytes;
    unsigned errors = 0;
    (void)state;

    fill();
    size_bytes = read_file(right, sizeof(right));
    assert_true(size_bytes < sizeof(right));
    srandom(4);
    for (unsigned round = 0; round < 150; round++) {
        struct store *store = NULL;
        struct sqlite_store_config config = {.path = path, .reader_count = 1};
        struct store_catalog catalog;
        int64_t total = 0;
        uint64_t count = 0;
        enum status status;

        memcpy(wrong, right, size_bytes);
        for (unsigned i = 0; i <= round % 64; i++)
            wrong[(size_t)random() % size_bytes] ^= (char)(1 << random() % 8);
        write_file(wrong, size_bytes);
        status = sqlite_store_open(&config, NULL, &store);
        if (status == STATUS_OK) {
            status = total_of(store, &total, &count);
            if (status == STATUS_OK)
                assert_int_equal(total, 30);
            (void)(store_catalog(store, arena, NULL, &catalog) != STATUS_OK);
            store_close(store);
            arena_reset(arena);
        }
        errors += status != STATUS_OK;
    }
    assert_true(errors > 0);
    arena_free(arena);
}

#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(damaged_rows_are_told),
        STORE_TEST(damaged_names_refuse_to_open),
        STORE_TEST(damaged_profiles_and_bodies_are_told),
        STORE_TEST(flipped_bytes_never_crash),
    };

    return cmocka_run_group_tests_name("damaged stores", tests, NULL, NULL);
}

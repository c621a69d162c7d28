/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite engine where it meets the file: whose it is, kills, full disks. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
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

/* --- whose file it is ------------------------------------------------------------------------ */

static void one_process_at_a_time(void **state)
{
    struct store *store = sqlite_fixture_open(path);
    struct error err = {0};
    char link_path[80];
    (void)state;

    assert_int_equal(sqlite_fixture_try_open(path, &err), STATUS_UNAVAILABLE);
    assert_non_null(strstr(err.text, "in use"));
    (void)snprintf(link_path, sizeof(link_path), "%s.link", path);
    assert_int_equal(symlink(path, link_path), 0);
    assert_int_equal(sqlite_fixture_try_open(link_path, &err), STATUS_UNAVAILABLE);
    assert_int_equal(unlink(link_path), 0);
    store_close(store);
    assert_int_equal(sqlite_fixture_try_open(path, &err), STATUS_OK);
}

static void file_is_its_owners_alone(void **state)
{
    struct stat info;
    (void)state;

    store_close(sqlite_fixture_open(path));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

/* What is written to a file that nobody can find again is not durable. */
static void moved_files_take_no_more(void **state)
{
    struct store *store = sqlite_fixture_open(path);
    struct arena *arena = arena_new(64 * LIMIT_MIB);
    struct handmade_sample sample = {.stack = "main", .values = {1, 1}};
    struct fixture_put what = {.id = 2, .samples = &sample, .sample_count = 1};
    struct store_receipt receipt;
    struct error err = {0};
    char moved_path[80];
    (void)state;

    fixture_put_stack(store, &(struct fixture_put){.id = 1}, "main", 1);
    assert_int_equal(store_ready(store, &err), STATUS_OK);
    (void)snprintf(moved_path, sizeof(moved_path), "%s.moved", path);
    assert_int_equal(rename(path, moved_path), 0);
    assert_int_equal(fixture_try_put(store, arena, &what, &err, &receipt), STATUS_UNAVAILABLE);
    assert_non_null(strstr(err.text, "moved"));
    assert_int_equal(store_ready(store, &err), STATUS_UNAVAILABLE);
    assert_int_equal(rename(moved_path, path), 0);
    assert_int_equal(store_ready(store, &err), STATUS_OK);
    assert_int_equal(fixture_try_put(store, arena, &what, &err, &receipt), STATUS_OK);
    store_close(store);
    arena_free(arena);
}

static void foreign_databases_are_left_alone(void **state)
{
    static char before[65536], after[65536];
    size_t size_bytes;
    struct error err = {0};
    (void)state;

    run_sql("CREATE TABLE theirs(x); INSERT INTO theirs VALUES (1);");
    size_bytes = read_file(before, sizeof(before));
    assert_int_equal(sqlite_fixture_try_open(path, &err), STATUS_UNAVAILABLE);
    assert_non_null(strstr(err.text, "another program"));
    assert_int_equal(read_file(after, sizeof(after)), size_bytes);
    assert_memory_equal(before, after, size_bytes);
}

static void other_files_are_left_alone(void **state)
{
    static const char text[] =
        "The quick brown fox jumps over the lazy dog, again and again; "
        "this is no database whatever its name says, and must stay as it is.";
    char after[sizeof(text)];
    struct error err = {0};
    (void)state;

    write_file(text, sizeof(text));
    assert_int_equal(sqlite_fixture_try_open(path, &err), STATUS_UNAVAILABLE);
    assert_int_equal(read_file(after, sizeof(after)), sizeof(text));
    assert_memory_equal(text, after, sizeof(text));
    write_file("", 0); /* an empty one is as good as none */
    assert_int_equal(sqlite_fixture_try_open(path, &err), STATUS_OK);
}

static void newer_schemas_are_refused(void **state)
{
    struct error err = {0};
    (void)state;

    store_close(sqlite_fixture_open(path));
    run_sql("PRAGMA user_version=99");
    assert_int_equal(sqlite_fixture_try_open(path, &err), STATUS_UNAVAILABLE);
    assert_non_null(strstr(err.text, "99"));
}

static void missing_directory_is_unavailable(void **state)
{
    struct error err = {0};
    (void)state;

    assert_int_equal(sqlite_fixture_try_open("/nonexistent/x.db", &err), STATUS_UNAVAILABLE);
}

/* --- kills ----------------------------------------------------------------------------------- */

/* Puts from `first` on until killed; writes each acknowledged number to `acknowledged`. */
static void put_until_killed(unsigned first, int acknowledged)
{
    struct store *store = sqlite_fixture_open(path);

    for (unsigned id = first;; id++) {
        char stack[64];

        (void)snprintf(stack, sizeof(stack), "main;f%u;g%u", id % 50, id);
        fixture_put_stack(store, &(struct fixture_put){.id = id, .body = stack}, stack, 1);
        if (write(acknowledged, &id, sizeof(id)) != sizeof(id))
            _exit(1);
    }
}

static void assert_all_there(struct store *store, unsigned last)
{
    struct arena *arena = arena_new(64 * LIMIT_MIB);
    struct store_selection all = fixture_all();
    struct store_tally tally;

    assert_int_equal(store_tally(store, &all, 1, arena, NULL, &tally), STATUS_OK);
    for (unsigned id = 1; id <= last; id++) {
        char stack[64];
        struct slice body;

        (void)snprintf(stack, sizeof(stack), "main;f%u;g%u", id % 50, id);
        assert_int_equal(store_raw(store, fixture_id(id), arena, NULL, &body), STATUS_OK);
        assert_true(slice_equal(body, slice_of(stack)));
        assert_int_equal(fixture_self(&tally, 0, stack), 1); /* there, and not twice */
    }
    store_tally_release(store, &tally);
    arena_free(arena);
}

static void killed_stores_keep_what_they_acknowledged(void **state)
{
    unsigned last = 0; /* acknowledged by any child so far */
    (void)state;

    for (unsigned round = 0; round < 12; round++) {
        int ends[2];
        unsigned id, first = last + 1;
        int64_t total = 0;
        uint64_t count = 0;
        struct store *store;
        pid_t child;

        assert_int_equal(pipe(ends), 0);
        child = fork();
        if (child == 0) {
            (void)close(ends[0]);
            put_until_killed(first, ends[1]);
        }
        assert_int_equal(close(ends[1]), 0);
        assert_int_equal(read(ends[0], &last, sizeof(last)), sizeof(last)); /* it is at work */
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000 * (1 + 7 * (long)round)}, NULL);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        while (read(ends[0], &id, sizeof(id)) == sizeof(id))
            last = id;
        assert_int_equal(close(ends[0]), 0);
        store = sqlite_fixture_open(path);
        assert_all_there(store, last);
        assert_int_equal(total_of(store, &total, &count), STATUS_OK);
        assert_true(count == last || count == last + 1); /* the last answer may not have come out */
        assert_int_equal(total, count);
        last = (unsigned)count;
        store_close(store);
    }
    assert_true(last >= 12);
}

/* --- full disks ------------------------------------------------------------------------------ */

static void limit_file_size(rlim_t size_bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size_bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The file size limit makes writes fail as a full disk does. */
static void full_disks_refuse_and_recover(void **state)
{
    static char body[200000];
    struct store *store = sqlite_fixture_open(path);
    struct arena *arena = arena_new(64 * LIMIT_MIB);
    struct store_receipt receipt;
    struct store_profile profile;
    struct store_stats stats;
    struct error err = {0};
    int64_t total = 0;
    uint64_t count = 0;
    unsigned id = 0, refused = 0;
    (void)state;

    memset(body, 'b', sizeof(body) - 1);
    (void)signal(SIGXFSZ, SIG_IGN);
    limit_file_size(2 * 1024 * 1024);
    for (unsigned tried = 0; tried < 60; tried++) {
        char stack[64];
        struct handmade_sample sample = {.stack = stack, .values = {1, 1}};
        struct fixture_put what = {
            .id = 1000 + tried, .body = body, .samples = &sample, .sample_count = 1};
        enum status status;

        (void)snprintf(stack, sizeof(stack), "main;f%u", tried);
        arena_reset(arena);
        status = fixture_try_put(store, arena, &what, &err, &receipt);
        if (status == STATUS_OK) {
            id++;
            continue;
        }
        refused++;
        assert_int_equal(status, STATUS_STORAGE_FULL);
        assert_int_equal(store_find(store, fixture_id(what.id), arena, &err, &profile),
                         STATUS_NOT_FOUND);
        assert_int_equal(total_of(store, &total, &count), STATUS_OK); /* reading goes on */
        assert_int_equal(count, id);
    }
    assert_true(refused > 0);
    assert_true(id > 0);
    limit_file_size(RLIM_INFINITY);
    fixture_put_stack(store, &(struct fixture_put){.id = 1}, "main;f59;after", 1);
    store_stats(store, &stats);
    assert_int_equal(stats.commit_failures, refused);
    store_close(store);
    store = sqlite_fixture_open(path);
    assert_int_equal(total_of(store, &total, &count), STATUS_OK);
    assert_int_equal(count, id + 1);
    assert_int_equal(total, id + 1);
    store_close(store);
    arena_free(arena);
}

/* --- many names ------------------------------------------------------------------------------ */

/* The catalog's memory follows what there is to list, not what there could be. */
static void catalog_of_many_services_is_small(void **state)
{
    struct store *store = sqlite_fixture_open(path);
    struct arena *arena = arena_new(512 * LIMIT_KIB);
    struct store_catalog catalog;
    struct error err = {0};
    char service[16], version[16], labels[32];
    (void)state;

    for (unsigned i = 0; i < 100; i++) {
        (void)snprintf(service, sizeof(service), "%03u", i);
        fixture_put_stack(store, &(struct fixture_put){.id = i, .service = service}, "main", 1);
    }
    for (unsigned i = 0; i < 900; i++) { /* of "shop": each of 30 versions on each of 30 hosts */
        (void)snprintf(version, sizeof(version), "%u", i / 30);
        (void)snprintf(labels, sizeof(labels), "a=1;b=2;c=3;d=4;e=5;host=%02u", i % 30);
        fixture_put_stack(
            store, &(struct fixture_put){.id = 1000 + i, .version = version, .labels = labels},
            "main", 1);
    }
    if (store_catalog(store, arena, &err, &catalog) != STATUS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(catalog.service_count, 101);
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(catalog.services[i].types[0].metric_count, 2);
        assert_int_equal(catalog.services[i].label_count, 0);
    }
    assert_int_equal(catalog.services[100].version_count, 30);
    assert_int_equal(catalog.services[100].label_count, 6);
    assert_int_equal(catalog.services[100].labels[4].value_count, 1);
    assert_int_equal(catalog.services[100].labels[5].value_count, 30);
    store_close(store);
    arena_free(arena);
}

#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(one_process_at_a_time),
        STORE_TEST(file_is_its_owners_alone),
        STORE_TEST(moved_files_take_no_more),
        STORE_TEST(foreign_databases_are_left_alone),
        STORE_TEST(other_files_are_left_alone),
        STORE_TEST(newer_schemas_are_refused),
        STORE_TEST(missing_directory_is_unavailable),
        STORE_TEST(killed_stores_keep_what_they_acknowledged),
        STORE_TEST(full_disks_refuse_and_recover),
        STORE_TEST(catalog_of_many_services_is_small),
    };

    return cmocka_run_group_tests_name("store files", tests, NULL, NULL);
}

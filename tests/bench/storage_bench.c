/* SPDX-License-Identifier: Apache-2.0 */
/* What the store costs by itself: CPU per put and per tally, on pprof files given as arguments.
 *
 *   storage_bench PROFILES FILE...     (raw or gzip; used round and round, each time a new upload)
 *
 * Puts run in one thread first, so that every commit syncs alone, and then in eight, as a busy
 * server's do. Prints figures; judges nothing. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/hash.h"
#include "proto/base/limits.h"
#include "proto/decode.h"
#include "proto/gzip.h"
#include "storage/sqlite/sqlite_store.h"

#define HOUR_NS     INT64_C(3600000000000)
#define THREADS_MAX 8u

struct input {
    struct slice body;
    struct profile profile;
    struct metric *metrics;
};

static double seconds(clockid_t clock)
{
    struct timespec now;

    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void check(enum status status, const struct error *err)
{
    if (status == STATUS_OK)
        return;
    (void)fprintf(stderr, "%s: %s\n", status_code(status), err->text);
    exit(1);
}

static struct slice read_file(const char *path, struct arena *arena)
{
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    char *bytes;

    if (file < 0 || fstat(file, &info) != 0 ||
        (bytes = arena_array(arena, (size_t)info.st_size, char)) == NULL ||
        read(file, bytes, (size_t)info.st_size) != info.st_size) {
        perror(path);
        exit(1);
    }
    (void)close(file);
    return slice_make(bytes, (size_t)info.st_size);
}

static struct input read_input(const char *path, struct arena *arena)
{
    struct input input = {.body = read_file(path, arena)};
    struct slice bytes = input.body;
    struct error err;

    if (gzip_detect(bytes))
        check(gzip_inflate(bytes, LIMIT_INFLATED_BYTES, arena, &err, &bytes), &err);
    check(decode_profile(bytes, arena, &err, &input.profile), &err);
    check(metrics_normalise(&input.profile, arena, &err, &input.metrics), &err);
    return input;
}

/* What one putting thread does: uploads `first`, first + step ... below `end`. */
struct putting {
    struct store *store;
    const struct input *inputs;
    unsigned input_count, first, step, end;
};

static void *put_some(void *argument)
{
    const struct putting *putting = argument;
    struct arena *arena = arena_new(LIMIT_ARENA_BYTES);

    for (unsigned i = putting->first; i < putting->end; i += putting->step) {
        const struct input *input = &putting->inputs[i % putting->input_count];
        struct store_put put = {.service = slice_of("shop"),
                                .version = slice_of(i % 2 ? "1" : "2"),
                                .type = slice_of("cpu"),
                                .start_ns = INT64_C(1793500000000000000) + i * HOUR_NS / 40,
                                .duration_ns = INT64_C(10000000000),
                                .received_ns = INT64_C(1793500000000000000),
                                .work = -1,
                                .work_unit = slice_of(""),
                                .profile = &input->profile,
                                .metrics = input->metrics,
                                .default_metric = profile_default_type(&input->profile),
                                .body = input->body};
        struct store_receipt receipt;
        struct error err;

        memcpy(put.id.bytes, &(uint64_t){hash_u64(i, 7)}, sizeof(uint64_t)); /* as digests lie */
        check(store_put(putting->store, &put, arena, &err, &receipt), &err);
        arena_reset(arena);
    }
    arena_free(arena);
    return NULL;
}

static void put_all(struct store *store, const struct input *inputs, int input_count,
                    unsigned first, unsigned end, unsigned thread_count)
{
    pthread_t threads[THREADS_MAX];
    struct putting puttings[THREADS_MAX];
    double process = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
    unsigned count = end - first;

    for (unsigned i = 0; i < thread_count; i++) {
        puttings[i] = (struct putting){.store = store,
                                       .inputs = inputs,
                                       .input_count = (unsigned)input_count,
                                       .first = first + i,
                                       .step = thread_count,
                                       .end = end};
        if (pthread_create(&threads[i], NULL, put_some, &puttings[i]) != 0)
            exit(1);
    }
    for (unsigned i = 0; i < thread_count; i++)
        (void)pthread_join(threads[i], NULL);
    process = seconds(CLOCK_PROCESS_CPUTIME_ID) - process;
    wall = seconds(CLOCK_MONOTONIC) - wall;
    (void)printf("put     %7.1f us CPU a profile, %.0f durable a second (%u threads)\n",
                 process / count * 1e6, count / wall, thread_count);
}

static void tally_all(struct store *store, const char *what, uint32_t side_count)
{
    enum { ROUNDS = 20 };
    struct arena *arena = arena_new(LIMIT_ARENA_BYTES);
    struct slice versions[2] = {slice_of("1"), slice_of("2")};
    struct store_selection sides[2];
    uint64_t profiles = 0;
    uint32_t nodes = 0;
    double best = 1e9;

    for (unsigned i = 0; i < 2; i++)
        sides[i] = (struct store_selection){.service = slice_of("shop"),
                                            .versions = &versions[i],
                                            .version_count = side_count == 2 ? 1 : 0,
                                            .from_ns = INT64_MIN,
                                            .until_ns = INT64_MAX};
    for (unsigned i = 0; i < ROUNDS; i++) {
        double start = seconds(CLOCK_THREAD_CPUTIME_ID);
        struct store_tally tally;
        struct error err;

        check(store_tally(store, sides, side_count, arena, &err, &tally), &err);
        if (seconds(CLOCK_THREAD_CPUTIME_ID) - start < best)
            best = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
        nodes = tally.node_count;
        profiles =
            tally.sides[0].profile_count + (side_count == 2 ? tally.sides[1].profile_count : 0);
        store_tally_release(store, &tally);
        arena_reset(arena);
    }
    (void)printf("%-7s %7.2f ms CPU for %llu profiles over %u nodes\n", what, best * 1e3,
                 (unsigned long long)profiles, nodes);
    arena_free(arena);
}

int main(int argc, char **argv)
{
    char path[] = "/tmp/brazier-bench-XXXXXX";
    char database[64];
    struct arena *arena = arena_new(4096 * LIMIT_MIB);
    struct input *inputs;
    struct store *store = NULL;
    unsigned count;
    struct store_stats stats;
    struct error err;
    struct sqlite_store_config config = {.path = database, .reader_count = THREADS_MAX};

    if (argc < 3 || mkdtemp(path) == NULL) {
        (void)fprintf(stderr, "usage: storage_bench PROFILES FILE...\n");
        return 2;
    }
    (void)snprintf(database, sizeof(database), "%s/bench.db", path);
    inputs = arena_array(arena, (size_t)argc, struct input);
    for (int i = 2; i < argc; i++)
        inputs[i - 2] = read_input(argv[i], arena);
    check(sqlite_store_open(&config, &err, &store), &err);
    count = (unsigned)strtoul(argv[1], NULL, 10);
    put_all(store, inputs, argc - 2, 0, count / 10, 1);
    put_all(store, inputs, argc - 2, count / 10, count, THREADS_MAX);
    tally_all(store, "tally", 1);
    tally_all(store, "compare", 2);
    store_close(store);
    store = NULL;
    check(sqlite_store_open(&config, &err, &store), &err);
    double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    tally_all(store, "again", 1);
    (void)printf("loading and 20 tallies after a restart: %.1f ms CPU\n",
                 (seconds(CLOCK_THREAD_CPUTIME_ID) - start) * 1e3);
    store_stats(store, &stats);
    (void)printf("tree    %.1f MB in memory; database %.1f MB\n",
                 (double)stats.calltree_bytes / 1e6, (double)stats.database_bytes / 1e6);
    store_close(store);
    arena_free(arena);
    (void)unlink(database);
    (void)snprintf(database, sizeof(database), "%s/bench.db.lock", path);
    (void)unlink(database);
    return rmdir(path);
}

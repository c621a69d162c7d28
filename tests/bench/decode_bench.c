/* SPDX-License-Identifier: Apache-2.0 */
/* How fast profiles decode, ours against protobuf-c with an arena allocator, in one run.
 *
 *     decode_bench FILE...      each FILE a pprof, gzip or raw
 *
 * Prints MB/s of inflated bytes, the best of many rounds, for inflating, for our decoder (with
 * validation) and for protobuf-c. Best and not mean, because the question is what the code costs,
 * not what else the machine did. No test: speed is judged by people. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/base/timestamp.h"
#include "proto/decode.h"
#include "proto/gzip.h"
#include "proto/profile.pb-c.h"

#define ROUND_COUNT 60

static void *bench_alloc(void *arena, size_t size_bytes)
{
    return arena_alloc(arena, size_bytes, 16);
}

static void bench_free(void *arena, void *memory)
{
    (void)arena;
    (void)memory;
}

static void free_cleanup(char **memory)
{
    free(*memory);
}

static char *read_file(const char *path, size_t *ret_size_bytes)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long size = -1;

    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    rewind(file);
    if (size > 0)
        bytes = malloc((size_t)size);
    if (bytes)
        *ret_size_bytes = fread(bytes, 1, (size_t)size, file);
    fclose(file);
    return bytes;
}

/* MB/s of `bytes` handled in the best of all rounds. */
static double rate(size_t size_bytes, int64_t best_ns)
{
    return (double)size_bytes * 1e3 / (double)best_ns;
}

static int64_t best_of(int64_t best_ns, int64_t started_ns)
{
    int64_t took_ns = timestamp_monotonic_ns() - started_ns;

    return took_ns < best_ns ? took_ns : best_ns;
}

static int bench_file(const char *path, struct arena *body, struct arena *work)
{
    size_t size_bytes = 0;
    CLEANUP(free_cleanup) char *file = read_file(path, &size_bytes);
    struct slice raw = slice_make(file, size_bytes);
    const char *name = strrchr(path, '/');
    ProtobufCAllocator allocator = {bench_alloc, bench_free, work};
    int64_t inflate_ns = INT64_MAX;
    int64_t ours_ns = INT64_MAX;
    int64_t theirs_ns = INT64_MAX;
    struct error err = {0};
    bool packed = file && gzip_detect(raw);

    if (!file)
        return fprintf(stderr, "%s: cannot be read\n", path), 1;
    for (int round = 0; round < ROUND_COUNT; round++) {
        struct slice bytes = raw;
        struct profile profile;
        int64_t started_ns = timestamp_monotonic_ns();

        arena_reset(body);
        if (packed && gzip_inflate(raw, LIMIT_INFLATED_BYTES, body, &err, &bytes) != STATUS_OK)
            return fprintf(stderr, "%s: %s\n", path, err.text), 1;
        inflate_ns = best_of(inflate_ns, started_ns);
        arena_reset(work);
        started_ns = timestamp_monotonic_ns();
        if (decode_profile(bytes, work, &err, &profile) != STATUS_OK)
            return fprintf(stderr, "%s: %s\n", path, err.text), 1;
        ours_ns = best_of(ours_ns, started_ns);
        arena_reset(work);
        started_ns = timestamp_monotonic_ns();
        if (!brazier__pprof__profile__unpack(&allocator, bytes.size_bytes,
                                             (const uint8_t *)bytes.data))
            return fprintf(stderr, "%s: protobuf-c cannot read it\n", path), 1;
        theirs_ns = best_of(theirs_ns, started_ns);
        size_bytes = bytes.size_bytes;
    }
    printf("%9zu %8.0f %8.0f %8.0f %6.1fx  %.60s\n", size_bytes,
           packed ? rate(size_bytes, inflate_ns) : 0.0, rate(size_bytes, ours_ns),
           rate(size_bytes, theirs_ns), (double)theirs_ns / (double)ours_ns,
           name ? name + 1 : path);
    return 0;
}

int main(int argc, char **argv)
{
    CLEANUP(arena_cleanup) struct arena *body = arena_new(LIMIT_ARENA_BYTES);
    CLEANUP(arena_cleanup) struct arena *work = arena_new(LIMIT_ARENA_BYTES);
    int failed = 0;

    if (!body || !work)
        return 1;
    printf("raw bytes  inflate   decode  pb-c+arena  ratio   (MB/s of raw bytes, best of %d)\n",
           ROUND_COUNT);
    for (int i = 1; i < argc; i++)
        failed |= bench_file(argv[i], body, work);
    return failed;
}

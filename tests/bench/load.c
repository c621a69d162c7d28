/* SPDX-License-Identifier: Apache-2.0 */
/* Load generator of the benchmark: posts profiles over a few kept-alive connections and tells how
 * long that took. One thread a connection, blocking sockets, bodies read into memory beforehand, so
 * that it costs little beside the server. It speaks just enough HTTP for this one server.
 *
 *   load PORT CONNECTIONS POSTS FIRST-TIME-S PATH FILE...
 *
 * Post i sends file i mod n to PATH&time=..., a time of its own, so that none is a repeat. Prints
 * `posts seconds p50_ms p99_ms`; exit status 1 when any answer is not 201. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_BYTES 65536

struct body {
    char *data;
    size_t size_bytes;
};

struct load {
    struct sockaddr_in address;
    const char *path;
    const struct body *bodies;
    size_t body_count;
    size_t posts;
    uint64_t first_time_s;
    uint64_t *latency_ns; /* [posts] */
    atomic_size_t next;
    atomic_size_t failures;
};

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int read_file(const char *path, struct body *ret_body)
{
    FILE *file = fopen(path, "rb");
    long size;
    char *data;

    if (file == NULL)
        return -1;
    if (fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0 ||
        fseek(file, 0, SEEK_SET) != 0 || (data = malloc((size_t)size + 1)) == NULL) {
        fclose(file);
        return -1;
    }
    if (fread(data, 1, (size_t)size, file) != (size_t)size) {
        free(data);
        fclose(file);
        return -1;
    }
    fclose(file);
    *ret_body = (struct body){data, (size_t)size};
    return 0;
}

static int open_connection(const struct load *load)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int on = 1;

    if (fd < 0)
        return -1;
    if (connect(fd, (const struct sockaddr *)&load->address, sizeof(load->address)) != 0) {
        close(fd);
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return fd;
}

static int send_all(int fd, struct iovec *parts, int count)
{
    while (count > 0) {
        ssize_t sent = writev(fd, parts, count);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return -1;
        while (count > 0 && (size_t)sent >= parts->iov_len) {
            sent -= (ssize_t)parts->iov_len;
            parts++;
            count--;
        }
        if (count > 0) {
            parts->iov_base = (char *)parts->iov_base + sent;
            parts->iov_len -= (size_t)sent;
        }
    }
    return 0;
}

/* Reads one answer to its end; its status, or -1. */
static int read_answer(int fd, char *answer)
{
    size_t used = 0;
    size_t wanted = 0;

    for (;;) {
        ssize_t got = read(fd, answer + used, ANSWER_BYTES - 1 - used);

        if (got <= 0)
            return -1;
        used += (size_t)got;
        answer[used] = '\0';
        if (wanted == 0) {
            char *end = strstr(answer, "\r\n\r\n");
            char *length = strcasestr(answer, "\r\nContent-Length:");

            if (end == NULL)
                continue;
            if (length == NULL || length > end)
                return -1;
            wanted = (size_t)(end - answer) + 4 + strtoul(length + 17, NULL, 10);
            if (wanted >= ANSWER_BYTES)
                return -1;
        }
        if (used >= wanted)
            return (int)strtol(answer + 9, NULL, 10);
    }
}

static int post_one(const struct load *load, int fd, size_t number, char *answer)
{
    const struct body *body = &load->bodies[number % load->body_count];
    char head[1024];
    int head_bytes =
        snprintf(head, sizeof(head),
                 "POST %s&time=%llu HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                 "Content-Type: application/octet-stream\r\n"
                 "Content-Length: %zu\r\n\r\n",
                 load->path, (unsigned long long)(load->first_time_s + number), body->size_bytes);
    struct iovec parts[2] = {{head, (size_t)head_bytes}, {body->data, body->size_bytes}};

    if (head_bytes < 0 || (size_t)head_bytes >= sizeof(head) || send_all(fd, parts, 2) != 0)
        return -1;
    return read_answer(fd, answer);
}

static void *run_connection(void *argument)
{
    struct load *load = argument;
    char *answer = malloc(ANSWER_BYTES);
    int fd = open_connection(load);

    for (;;) {
        size_t number = atomic_fetch_add(&load->next, 1);
        uint64_t from = now_ns();
        int status;

        if (number >= load->posts)
            break;
        status = answer == NULL || fd < 0 ? -1 : post_one(load, fd, number, answer);
        load->latency_ns[number] = now_ns() - from;
        if (status != 201) {
            if (atomic_fetch_add(&load->failures, 1) == 0)
                fprintf(stderr, "load: post %zu: status %d: %.300s\n", number, status,
                        status < 0 || answer == NULL ? "" : answer);
        }
        if (status < 0)
            break;
    }
    if (fd >= 0)
        close(fd);
    free(answer);
    return NULL;
}

static int compare_ns(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Runs all connections; seconds taken, or a negative number. */
static double run_load(struct load *load, size_t connections)
{
    pthread_t *threads = calloc(connections, sizeof(*threads));
    uint64_t from = now_ns();
    double seconds;

    if (threads == NULL)
        return -1;
    for (size_t i = 0; i < connections; i++) {
        if (pthread_create(&threads[i], NULL, run_connection, load) != 0)
            exit(1);
    }
    for (size_t i = 0; i < connections; i++)
        pthread_join(threads[i], NULL);
    seconds = (double)(now_ns() - from) / 1e9;
    free(threads);
    return seconds;
}

int main(int argc, char **argv)
{
    struct load load = {.path = NULL};
    struct body *bodies;
    double seconds;

    if (argc < 7) {
        fprintf(stderr, "usage: load PORT CONNECTIONS POSTS FIRST-TIME-S PATH FILE...\n");
        return 2;
    }
    load.address.sin_family = AF_INET;
    load.address.sin_port = htons((uint16_t)strtoul(argv[1], NULL, 10));
    load.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    load.posts = strtoul(argv[3], NULL, 10);
    load.first_time_s = strtoull(argv[4], NULL, 10);
    load.path = argv[5];
    load.body_count = (size_t)argc - 6;
    bodies = calloc(load.body_count, sizeof(*bodies));
    load.latency_ns = calloc(load.posts + 1, sizeof(*load.latency_ns));
    if (bodies == NULL || load.latency_ns == NULL)
        return 1;
    for (size_t i = 0; i < load.body_count; i++) {
        if (read_file(argv[6 + i], &bodies[i]) != 0) {
            fprintf(stderr, "load: cannot read %s\n", argv[6 + i]);
            return 1;
        }
    }
    load.bodies = bodies;
    seconds = run_load(&load, strtoul(argv[2], NULL, 10));
    qsort(load.latency_ns, load.posts, sizeof(*load.latency_ns), compare_ns);
    printf("%zu %.6f %.3f %.3f\n", load.posts, seconds,
           (double)load.latency_ns[load.posts / 2] / 1e6,
           (double)load.latency_ns[load.posts * 99 / 100] / 1e6);
    return atomic_load(&load.failures) == 0 && seconds > 0 ? 0 : 1;
}

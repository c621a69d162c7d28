/* SPDX-License-Identifier: Apache-2.0 */
/* Thread pool over one listening socket. In: lines with queries. Out: lines with counts; each
 * answer is one unit of work for the profiler. */
#include "samples/shakesapp/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "samples/agent/brazier_agent.h"
#include "samples/shakesapp/wire.h"

struct server {
    const struct search *search;
    int listener;
    int thread_count;
    pthread_t threads[SERVER_THREADS];
};

static void serve_connection(const struct search *search, const struct wire *wire)
{
    char query[SERVER_QUERY_BYTES];

    while (fgets(query, sizeof(query), wire->in)) {
        query[strcspn(query, "\n")] = '\0';
        int64_t count = get_match_count(search, query);
        brazier_work(1);
        if (fprintf(wire->out, "%" PRId64 "\n", count) < 0 || fflush(wire->out) != 0)
            return;
    }
}

static void *serve(void *opaque)
{
    const struct server *server = opaque;

    for (;;) {
        int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (fd < 0)
            return NULL; /* server_stop has shut the listener down */
        struct wire wire;
        if (!wire_open(&wire, fd))
            continue;
        serve_connection(server->search, &wire);
        wire_close(&wire);
    }
}

static int listen_on_loopback(uint16_t *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size_bytes = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(fd, SERVER_THREADS) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size_bytes) != 0) {
        close(fd);
        return -1;
    }
    *ret_port = ntohs(address.sin_port);
    return fd;
}

struct server *server_start(const struct search *search, uint16_t *ret_port)
{
    struct server *server = calloc(1, sizeof(*server));

    if (!server)
        return NULL;
    server->search = search;
    server->listener = listen_on_loopback(ret_port);
    if (server->listener < 0) {
        free(server);
        return NULL;
    }
    while (server->thread_count < SERVER_THREADS &&
           pthread_create(&server->threads[server->thread_count], NULL, serve, server) == 0)
        server->thread_count++;
    if (server->thread_count < SERVER_THREADS) {
        server_stop(server);
        return NULL;
    }
    return server;
}

void server_stop(struct server *server)
{
    shutdown(server->listener, SHUT_RDWR);
    for (int i = 0; i < server->thread_count; i++)
        pthread_join(server->threads[i], NULL);
    close(server->listener);
    free(server);
}

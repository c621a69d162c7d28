/* SPDX-License-Identifier: Apache-2.0 */
/* The other end of the agent's uploads, as small as a test allows. */
#include "tests/unit/agent_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/unit.h"

/* The value of Content-Length in a head; 0 when absent. */
static size_t content_length(const char *head)
{
    const char *found = strcasestr(head, "\r\nContent-Length:");

    return found ? strtoul(found + strlen("\r\nContent-Length:"), NULL, 10) : 0;
}

static bool read_request(struct agent_server *server, FILE *connection)
{
    size_t used = 0;

    for (;;) {
        if (!fgets(server->head + used, (int)(sizeof(server->head) - used), connection))
            return false;
        bool is_end = strcmp(server->head + used, "\r\n") == 0;
        used += strlen(server->head + used);
        if (is_end)
            break;
    }
    size_t wanted = content_length(server->head);
    if (wanted > sizeof(server->body))
        return false;
    server->body_bytes = fread(server->body, 1, wanted, connection);
    return server->body_bytes == wanted;
}

static void serve_connection(struct agent_server *server, FILE *connection)
{
    while (read_request(server, connection)) {
        if (!server->answer)
            continue;
        fprintf(connection, "%sContent-Length: 2\r\n\r\n{}", server->answer);
        fflush(connection);
        atomic_fetch_add(&server->requests, 1);
    }
}

static void *serve(void *opaque)
{
    struct agent_server *server = opaque;

    for (;;) {
        int fd = accept(server->listener, NULL, NULL);
        if (fd < 0)
            return NULL;
        FILE *connection = fdopen(fd, "r+");
        serve_connection(server, connection);
        fclose(connection);
    }
}

struct agent_server *agent_server_start(const char *answer)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct agent_server *server = calloc(1, sizeof(*server));
    socklen_t size_bytes = sizeof(address);

    assert_non_null(server);
    server->answer = answer;
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(server->listener, 8), 0);
    getsockname(server->listener, (struct sockaddr *)&address, &size_bytes);
    snprintf(server->url, sizeof(server->url), "http://127.0.0.1:%d/", ntohs(address.sin_port));
    assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
    return server;
}

void agent_server_stop(struct agent_server *server)
{
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->listener);
}

void agent_server_free(struct agent_server *server)
{
    free(server);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A server for the agent's upload tests: answers each POST with a given status and keeps the last
 * request. One connection at a time, HTTP/1.1 with Content-Length only. */
#ifndef BRAZIER_TESTS_UNIT_AGENT_SERVER_H
#define BRAZIER_TESTS_UNIT_AGENT_SERVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define AGENT_SERVER_REQUEST_BYTES (1024 * 1024)

struct agent_server {
    int listener;
    pthread_t thread;
    char url[64];
    const char *answer;                    /* status line and headers of every answer */
    atomic_int requests;                   /* answered so far */
    char head[16 * 1024];                  /* of the last request, NUL-terminated */
    char body[AGENT_SERVER_REQUEST_BYTES]; /* of the last request */
    size_t body_bytes;
};

/* `answer`: such as "HTTP/1.1 201 Created\r\n"; NULL: accept connections and never answer. */
struct agent_server *agent_server_start(const char *answer);

/* Ends the thread. The requests can be read until agent_server_free. */
void agent_server_stop(struct agent_server *server);
void agent_server_free(struct agent_server *server);

#endif

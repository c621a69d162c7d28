/* SPDX-License-Identifier: Apache-2.0 */
/* Client simulator. In: a number of requests. Out: whether all answers were right. Each round draws
 * the same queries on every run and for every version, so that versions do equal work. */
#include "samples/shakesapp/client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "samples/shakesapp/corpus.h"
#include "samples/shakesapp/server.h"
#include "samples/shakesapp/wire.h"

#define ANSWER_BYTES 32

struct round {
    const struct client *client;
    int number;
    atomic_int next;     /* index of the next request */
    atomic_int answered; /* rightly */
    atomic_bool failed;
};

static const struct corpus_query *pick_query(int round, int request)
{
    uint64_t mixed =
        ((uint64_t)round * 1000003 + (uint64_t)request + 1) * UINT64_C(0x9e3779b97f4a7c15);

    return &corpus_queries[(mixed >> 33) % CORPUS_QUERIES];
}

static bool dial(uint16_t port, struct wire *wire)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return false;
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        close(fd);
        return false;
    }
    return wire_open(wire, fd);
}

/* Sends one query and checks its answer. */
static bool ask(const struct wire *wire, const struct corpus_query *query)
{
    char answer[ANSWER_BYTES];

    if (fprintf(wire->out, "%s\n", query->text) < 0 || fflush(wire->out) != 0 ||
        !fgets(answer, sizeof(answer), wire->in)) {
        fprintf(stderr, "shakesapp: the server is gone: %s\n", strerror(errno));
        return false;
    }
    int64_t count = strtoll(answer, NULL, 10);
    if (count != query->matching_lines) {
        fprintf(stderr, "shakesapp: \"%s\" matched %" PRId64 " lines, expected %" PRId64 "\n",
                query->text, count, query->matching_lines);
        return false;
    }
    return true;
}

static void *simulate_client(void *opaque)
{
    struct round *round = opaque;
    struct wire wire;

    if (!dial(round->client->port, &wire)) {
        fprintf(stderr, "shakesapp: no connection: %s\n", strerror(errno));
        atomic_store(&round->failed, true);
        return NULL;
    }
    for (int i = atomic_fetch_add(&round->next, 1); i < round->client->num_requests;
         i = atomic_fetch_add(&round->next, 1)) {
        if (*round->client->stop || atomic_load(&round->failed))
            break;
        if (ask(&wire, pick_query(round->number, i)))
            atomic_fetch_add(&round->answered, 1);
        else
            atomic_store(&round->failed, true);
    }
    wire_close(&wire);
    return NULL;
}

bool client_round(const struct client *client, int round_number, int *ret_requests)
{
    struct round round = {.client = client, .number = round_number};
    pthread_t threads[SERVER_THREADS];
    int started = 0;

    while (started < client->concurrency &&
           pthread_create(&threads[started], NULL, simulate_client, &round) == 0)
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    *ret_requests = atomic_load(&round.answered);
    return started > 0 && !atomic_load(&round.failed);
}

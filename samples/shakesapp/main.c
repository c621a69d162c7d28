/* SPDX-License-Identifier: Apache-2.0 */
/* shakesapp: a service that counts matching lines in Shakespeare-like texts, and the clients that
 * keep it busy, in one process. In: flags. Out: the tutorial's log lines, and profiles through the
 * agent. Ends with status 1 at the first wrong count. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "samples/agent/brazier_agent.h"
#include "samples/shakesapp/client.h"
#include "samples/shakesapp/corpus.h"
#include "samples/shakesapp/server.h"

#define REQUESTS_MAX 1000000
#define ROUNDS_MAX   1000000

struct options {
    int version;
    int num_rounds;
    int num_requests;
    int concurrency;
    const char *corpus;
};

static volatile sig_atomic_t stop_requested;

static void on_stop(int number)
{
    (void)number;
    stop_requested = 1;
}

static const char usage[] =
    "usage: shakesapp [--version 1|2] [--num_rounds N] [--num_requests N] [--concurrency N]\n"
    "                 [--corpus DIRECTORY]\n"
    "\n"
    "  --version 1       compile a regular expression for every line (default)\n"
    "  --version 2       search a substring\n"
    "  --num_rounds N    rounds of requests; 0, the default: until Ctrl-C\n"
    "  --num_requests N  requests of one round (20)\n"
    "  --concurrency N   requests at once, 1 to 16 (1)\n"
    "  --corpus DIR      where the generated texts are kept (" SHAKESAPP_CORPUS ")\n"
    "\n"
    "Profiles go to BRAZIER_SERVER (http://127.0.0.1:4040) or BRAZIER_FILE, each\n"
    "BRAZIER_PERIOD_SECONDS (10), as service shakesapp.\n";

/* A whole number from `min` to `max`; anything else ends the program. */
static int parse_number(const char *name, const char *text, int min, int max)
{
    char *end = NULL;

    errno = 0;
    long number = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || number < min || number > max) {
        fprintf(stderr, "shakesapp: --%s must be a number from %d to %d\n", name, min, max);
        exit(2);
    }
    return (int)number;
}

static struct options parse_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"version", required_argument, NULL, 'v'},
        {"num_rounds", required_argument, NULL, 'r'},
        {"num_requests", required_argument, NULL, 'q'},
        {"concurrency", required_argument, NULL, 'c'},
        {"corpus", required_argument, NULL, 'd'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct options options = {
        .version = 1, .num_requests = 20, .concurrency = 1, .corpus = SHAKESAPP_CORPUS};

    for (int flag = getopt_long(argc, argv, "", known, NULL); flag != -1;
         flag = getopt_long(argc, argv, "", known, NULL)) {
        switch (flag) {
        case 'v':
            options.version = parse_number("version", optarg, 1, SEARCH_VERSIONS);
            break;
        case 'r':
            options.num_rounds = parse_number("num_rounds", optarg, 0, ROUNDS_MAX);
            break;
        case 'q':
            options.num_requests = parse_number("num_requests", optarg, 1, REQUESTS_MAX);
            break;
        case 'c':
            options.concurrency = parse_number("concurrency", optarg, 1, SERVER_THREADS);
            break;
        case 'd':
            options.corpus = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        default:
            fputs(usage, stderr);
            exit(2);
        }
    }
    return options;
}

static double now_seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* A log line begins with the local time. */
static void log_time(void)
{
    time_t now = time(NULL);
    struct tm local;
    char text[32];

    if (localtime_r(&now, &local) && strftime(text, sizeof(text), "%Y/%m/%d %H:%M:%S ", &local) > 0)
        fputs(text, stdout);
}

static bool run_round(const struct client *client, int number)
{
    int requests = 0;

    log_time();
    printf("Simulating client requests, round %d\n", number);
    double begun = now_seconds();
    bool good = client_round(client, number, &requests);
    double took = now_seconds() - begun;
    if (!good)
        return false;
    log_time();
    printf("Simulated %d requests in %.4gs, rate of %f reqs / sec\n", requests,
           (double)(long)(took * 100 + 0.5) / 100, took > 0 ? requests / took : 0);
    fflush(stdout);
    return true;
}

static bool run_rounds(const struct client *client, int num_rounds)
{
    for (int round = 1; (num_rounds == 0 || round <= num_rounds) && !stop_requested; round++) {
        if (!run_round(client, round))
            return false;
    }
    return true;
}

static void start_profiling(int version)
{
    char version_text[16];
    struct brazier_config config = {
        .service = "shakesapp", .version = version_text, .work_unit = "requests"};

    snprintf(version_text, sizeof(version_text), "%d", version);
    brazier_start(&config); /* a failure has been reported and is no reason to stop */
}

int main(int argc, char **argv)
{
    struct options options = parse_options(argc, argv);
    struct search search = {.corpus_directory = options.corpus, .version = options.version};
    struct client client = {.num_requests = options.num_requests,
                            .concurrency = options.concurrency,
                            .stop = &stop_requested};
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = SA_RESTART};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (!corpus_make(options.corpus)) {
        fprintf(stderr, "shakesapp: %s: %s\n", options.corpus, strerror(errno));
        return 1;
    }
    struct server *server = server_start(&search, &client.port);
    if (!server) {
        fprintf(stderr, "shakesapp: cannot listen: %s\n", strerror(errno));
        return 1;
    }
    start_profiling(options.version);
    bool good = run_rounds(&client, options.num_rounds);
    server_stop(server);
    brazier_stop();
    return good ? 0 : 1;
}

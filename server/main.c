/* SPDX-License-Identifier: Apache-2.0 */
/* brazier: reads the configuration, opens the store, serves until told to stop.
 *
 * Signals are blocked in every thread and waited for here: SIGTERM and SIGINT drain and end. */
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/limits.h"
#include "server/app.h"
#include "server/http/daemon.h"
#include "storage/sqlite/sqlite_store.h"

CLEANUP_DEFINE(log_cleanup, struct log *, log_free)
CLEANUP_DEFINE(daemon_stop_cleanup, struct daemon *, daemon_stop)

static void block_signals(sigset_t *ret_signals)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    (void)sigaction(SIGPIPE, &ignore, NULL);
    (void)sigemptyset(ret_signals);
    (void)sigaddset(ret_signals, SIGTERM);
    (void)sigaddset(ret_signals, SIGINT);
    (void)pthread_sigmask(SIG_BLOCK, ret_signals, NULL);
}

/* Requests come and go with buffers of up to some MiB. By default glibc gives their pages back to
 * the system after each and faults them in again for the next, and keeps eight heaps per core. */
static void tune_allocator(void)
{
    (void)mallopt(M_ARENA_MAX, 4);
    (void)mallopt(M_MMAP_THRESHOLD, (int)(8 * LIMIT_MIB));
    (void)mallopt(M_TRIM_THRESHOLD, (int)(16 * LIMIT_MIB));
}

static void log_listening(const struct app *app, uint16_t port)
{
    const struct config *config = app->config;
    bool v6 = config->address.any.sa_family == AF_INET6;
    char url[128];

    (void)snprintf(url, sizeof(url), "http://%s%s%s:%u/", v6 ? "[" : "", config->host,
                   v6 ? "]" : "", port);
    log_write(app->log, LOG_LEVEL_INFO, "listening", "url", url, "db", config->database, "version",
              BRAZIER_VERSION, NULL);
}

/* Everything is closed in the reverse order of its opening, on success and failure alike. */
static enum status serve(const struct config *config, struct error *err)
{
    CLEANUP(log_cleanup) struct log *log = log_new(STDERR_FILENO, config->log_level);
    CLEANUP(auth_cleanup) struct auth *auth = NULL;
    CLEANUP(store_cleanup) struct store *store = NULL;
    struct app app = {.config = config, .log = log, .memory = {.max_bytes = LIMIT_ARENAS_BYTES}};
    CLEANUP(daemon_stop_cleanup) struct daemon *daemon = NULL;
    struct sqlite_store_config store_config = {
        .path = config->database, .reader_count = (uint32_t)config->threads, .log = log};
    sigset_t signals;
    int signal_number = 0;
    enum status status = STATUS_OK;

    block_signals(&signals);
    if (config->token_file != NULL)
        status = auth_load(config->token_file, err, &auth);
    if (status == STATUS_OK)
        status = sqlite_store_open(&store_config, err, &store);
    if (status != STATUS_OK)
        return status;
    app.auth = auth;
    app.store = store;
    status = daemon_start(&app, err, &daemon);
    if (status != STATUS_OK)
        return status;
    log_listening(&app, daemon_port(daemon));
    (void)sigwait(&signals, &signal_number);
    log_write(log, LOG_LEVEL_INFO, "stopping", "signal", strsignal(signal_number), NULL);
    return STATUS_OK;
}

static int report(const struct error *err)
{
    (void)fprintf(stderr, "brazier: %s\n", err->text);
    return 1;
}

int main(int argc, char **argv)
{
    struct config config;
    enum config_action action = CONFIG_SERVE;
    struct error err = {.status = STATUS_OK};
    enum status status;

    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)) {
        config_help(stdout);
        return 0;
    }
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
        (void)printf("brazier %s\n", BRAZIER_VERSION);
        return 0;
    }
    if (argc < 2 || strcmp(argv[1], "serve") != 0) {
        config_help(stderr);
        return 2;
    }
    status = config_read(argc - 2, argv + 2, &err, &config, &action);
    if (status != STATUS_OK)
        return report(&err);
    switch (action) {
    case CONFIG_HELP:
        config_help(stdout);
        return 0;
    case CONFIG_PRINT:
        config_print(&config, stdout);
        return 0;
    case CONFIG_HASH_TOKEN:
        status = auth_hash_token(stdin, stdout, &err);
        break;
    case CONFIG_SERVE:
    case CONFIG_MAX:
        tune_allocator();
        status = serve(&config, &err);
        break;
    }
    return status == STATUS_OK ? 0 : report(&err);
}

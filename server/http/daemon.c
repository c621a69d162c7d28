/* SPDX-License-Identifier: Apache-2.0 */
/* libmicrohttpd's callbacks, each a thin step of a request's life. */
#include "server/http/daemon.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/limits.h"
#include "proto/base/timestamp.h"
#include "server/http/exchange.h"
#include "server/http/guard.h"
#include "server/http/intake.h"

#define THREAD_STACK_BYTES                                                                         \
    (1 * LIMIT_MIB) /* no handler recurses; the largest frame is a few KiB                         \
                     */
#define LISTEN_BACKLOG 1024
#define DRAIN_POLL_NS  (20 * 1000 * 1000)

/* Descriptors that are no client's: two for each thread's database, three for its epoll. */
#define OTHER_DESCRIPTORS 512u

struct daemon {
    struct app *app;
    struct MHD_Daemon *http;
    struct deadline_sweeper *sweeper;
    int listen_fd;
    uint16_t port;
    atomic_uint_least64_t request_count;
};

/* A connection came or went. */
static void on_connection(void *cls, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct daemon *daemon = cls;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *context = info == NULL ? NULL : deadline_open(daemon->sweeper, info->connect_fd);
    } else {
        deadline_close(daemon->sweeper, *context);
        *context = NULL;
    }
}

static struct deadline *connection_deadline(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info == NULL ? NULL : info->socket_context;
}

/* Stands for an exchange until there is one: the URI holds %00, which libmicrohttpd decodes before
 * it hands the path over as a C string. */
static char uri_with_nul;

/* The request line is in: from here on the headers have a deadline of their own. What is returned
 * becomes the request's context. */
static void *on_request_line(void *cls, const char *uri, struct MHD_Connection *connection)
{
    (void)cls;
    deadline_enter(connection_deadline(connection), DEADLINE_HEADERS, 0);
    return memmem(uri, strcspn(uri, "?"), "%00", 3) != NULL ? &uri_with_nul : NULL;
}

/* The headers are in. Returns MHD_NO to drop the connection. */
static enum MHD_Result begin(struct daemon *daemon, struct MHD_Connection *connection,
                             const char *url, const char *method, const char *version,
                             void **context)
{
    struct exchange *exchange = intake_open(daemon->app, connection, url, method);
    bool nul = *context == &uri_with_nul;

    if (exchange == NULL)
        return MHD_NO;
    *context = exchange;
    exchange->sweeper = daemon->sweeper;
    exchange->deadline = connection_deadline(connection);
    exchange->number = atomic_fetch_add(&daemon->request_count, 1) + 1;
    exchange->status = intake_admit(exchange, version);
    if (nul && exchange->status == STATUS_OK)
        exchange->status = error_set(&exchange->error, STATUS_NOT_FOUND, "a path with a NUL byte");
    if (exchange->status != STATUS_OK)
        return exchange_answer(exchange);
    deadline_enter(exchange->deadline, DEADLINE_BODY, 0);
    return MHD_YES;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_bytes, void **context)
{
    struct daemon *daemon = cls;
    struct exchange *exchange = *context;

    if (*context == NULL || *context == &uri_with_nul)
        return begin(daemon, connection, url, method, version, context);
    if (*upload_bytes > 0) {
        intake_take_body(exchange, slice_make(upload, *upload_bytes));
        *upload_bytes = 0;
        return MHD_YES;
    }
    if (exchange->answered)
        return MHD_YES;
    deadline_enter(exchange->deadline, DEADLINE_WORK, 0);
    intake_handle(exchange);
    return exchange_answer(exchange);
}

/* The request is over, answered or not. */
static void on_completed(void *cls, struct MHD_Connection *connection, void **context,
                         enum MHD_RequestTerminationCode code)
{
    struct exchange *exchange = *context;

    (void)cls;
    (void)code;
    if (*context == NULL || *context == &uri_with_nul)
        return;
    *context = NULL;
    intake_close(exchange);
    deadline_enter(connection_deadline(connection), DEADLINE_IDLE, 0);
}

/* libmicrohttpd's own messages, mostly about clients that went away. */
__attribute__((format(printf, 2, 0))) static void on_log(void *cls, const char *format,
                                                         va_list arguments)
{
    struct daemon *daemon = cls;
    char text[256];

    (void)vsnprintf(text, sizeof(text), format, arguments);
    text[strcspn(text, "\r\n")] = '\0';
    log_write(daemon->app->log, LOG_LEVEL_DEBUG, "libmicrohttpd", "text", text, NULL);
}

/* A listening socket of our own, so that errors can be named and port 0 asked back. */
static enum status daemon_listen(struct daemon *daemon, struct error *err)
{
    const struct config *config = daemon->app->config;
    struct sockaddr_in6 bound = {.sin6_port = 0}; /* IPv4 has its port at the same place */
    socklen_t bound_bytes = sizeof(bound);
    socklen_t address_bytes = config->address.any.sa_family == AF_INET ? sizeof(config->address.v4)
                                                                       : sizeof(config->address.v6);
    int on = 1;
    int fd = socket(config->address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    daemon->listen_fd = fd;
    if (fd < 0)
        return error_set(err, STATUS_UNAVAILABLE, "cannot make a socket: %s", strerror(errno));
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, &config->address.any, address_bytes) != 0 || listen(fd, LISTEN_BACKLOG) != 0 ||
        getsockname(fd, (struct sockaddr *)&bound, &bound_bytes) != 0)
        return error_set(err, STATUS_UNAVAILABLE, "cannot listen on %s: %s", config->listen,
                         strerror(errno));
    daemon->port = ntohs(bound.sin6_port);
    return STATUS_OK;
}

static void daemon_free(struct daemon *daemon)
{
    if (daemon->http != NULL)
        MHD_stop_daemon(daemon->http);
    if (daemon->sweeper != NULL)
        deadline_stop(daemon->sweeper);
    if (daemon->listen_fd >= 0)
        (void)close(daemon->listen_fd);
    free(daemon);
}
CLEANUP_DEFINE(daemon_cleanup, struct daemon *, daemon_free)

/* How many connections the system gives descriptors for, once it is asked for all of them. Without
 * this bound, idle connections would take those that the database needs. */
static unsigned daemon_connection_limit(const struct daemon *daemon)
{
    const rlim_t wanted = LIMIT_CONNECTIONS + OTHER_DESCRIPTORS;
    struct rlimit files;
    unsigned limit;
    char text[16];

    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return LIMIT_CONNECTIONS;
    if (files.rlim_cur < wanted) {
        files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted;
        if (setrlimit(RLIMIT_NOFILE, &files) != 0 || getrlimit(RLIMIT_NOFILE, &files) != 0)
            return LIMIT_CONNECTIONS / 8;
    }
    if (files.rlim_cur >= wanted)
        return LIMIT_CONNECTIONS;
    limit = (unsigned)(files.rlim_cur > 2 * OTHER_DESCRIPTORS ? files.rlim_cur - OTHER_DESCRIPTORS
                                                              : files.rlim_cur / 2);
    (void)snprintf(text, sizeof(text), "%u", limit);
    log_write(daemon->app->log, LOG_LEVEL_WARN, "the limit of open files allows few connections",
              "connections", text, NULL);
    return limit;
}

static struct MHD_Daemon *daemon_open(struct daemon *daemon)
{
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem options[] = {
        {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)on_log, daemon},
        {MHD_OPTION_LISTEN_SOCKET, daemon->listen_fd, NULL},
        {MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)daemon->app->config->threads, NULL},
        {MHD_OPTION_THREAD_STACK_SIZE, (intptr_t)THREAD_STACK_BYTES, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)daemon_connection_limit(daemon), NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)LIMIT_CONNECTION_BYTES, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, LIMIT_IDLE_SECONDS, NULL},
        {MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
        {MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, NULL},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)on_connection, daemon},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)on_completed, daemon},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)on_request_line, daemon},
        {MHD_OPTION_END, 0, NULL},
    };

    return MHD_start_daemon(flags, 0, NULL, NULL, on_request, daemon, MHD_OPTION_ARRAY, options,
                            MHD_OPTION_END);
}

enum status daemon_start(struct app *app, struct error *err, struct daemon **ret_daemon)
{
    CLEANUP(daemon_cleanup) struct daemon *daemon = calloc(1, sizeof(*daemon));
    enum status status;

    if (daemon == NULL)
        return error_no_memory(err, "HTTP server");
    daemon->app = app;
    daemon->listen_fd = -1;
    status = daemon_listen(daemon, err);
    if (status == STATUS_OK)
        status = deadline_start(err, &daemon->sweeper);
    if (status != STATUS_OK)
        return status;
    daemon->http = daemon_open(daemon);
    if (daemon->http == NULL)
        return error_set(err, STATUS_UNAVAILABLE, "libmicrohttpd does not start");
    *ret_daemon = daemon;
    daemon = NULL;
    return STATUS_OK;
}

uint16_t daemon_port(const struct daemon *daemon)
{
    return daemon->port;
}

void daemon_stop(struct daemon *daemon)
{
    int64_t end_ns = timestamp_monotonic_ns() + (int64_t)LIMIT_DRAIN_MS * 1000000;
    const struct timespec poll = {.tv_nsec = DRAIN_POLL_NS};

    atomic_store(&daemon->app->draining, true);
    (void)MHD_quiesce_daemon(daemon->http);
    while (atomic_load(&daemon->app->counters.requests_active) > 0 &&
           timestamp_monotonic_ns() < end_ns)
        (void)nanosleep(&poll, NULL);
    daemon_free(daemon);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* From headers to handler: guard, route, token, body, query. One check a step, and no step looks
 * at what a later one decides. */
#include "server/http/intake.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/base/timestamp.h"
#include "server/http/guard.h"

/* Bodies are charged to the memory pool in steps of this size. */
#define BODY_STEP_BYTES (64 * LIMIT_KIB)

/* An announced body up to this size gets its room at once; a longer one as it arrives, so that an
 * announcement alone costs nothing. */
#define BODY_AHEAD_BYTES (256 * LIMIT_KIB)

struct exchange *intake_open(struct app *app, struct MHD_Connection *connection, const char *url,
                             const char *method)
{
    struct exchange *exchange = calloc(1, sizeof(*exchange));

    if (exchange == NULL)
        return NULL;
    exchange->app = app;
    exchange->connection = connection;
    exchange->url = url;
    exchange->method = method;
    exchange->started_ns = timestamp_monotonic_ns();
    exchange->error.index = exchange->error.limit = ERROR_NONE;
    buf_init(&exchange->body, LIMIT_BODY_BYTES);
    buf_init(&exchange->out, LIMIT_ANSWER_BYTES);
    (void)atomic_fetch_add(&app->counters.requests_active, 1);
    return exchange;
}

enum status intake_admit(struct exchange *exchange, const char *http_version)
{
    struct app *app = exchange->app;
    struct error *err = &exchange->error;
    bool writes = strcmp(exchange->method, "GET") != 0 && strcmp(exchange->method, "HEAD") != 0;
    uint64_t length_bytes = guard_content_length(exchange->connection);
    enum status status =
        guard_request(exchange->connection, app->config, http_version, writes, err);

    if (status == STATUS_OK && atomic_load(&app->draining))
        status = error_set(err, STATUS_UNAVAILABLE, "the server is shutting down");
    if (status == STATUS_OK)
        status = router_find(exchange->method, exchange->url, err, &exchange->route,
                             &exchange->rest, &exchange->allowed);
    if (status == STATUS_OK && app->auth != NULL && exchange->route->scope != AUTH_NONE)
        status = auth_check(app->auth, exchange_header(exchange, "Authorization"),
                            exchange->route->scope, err);
    if (status == STATUS_OK && length_bytes != UINT64_MAX && length_bytes > LIMIT_BODY_BYTES)
        status = error_set_at(err, STATUS_TOO_LARGE, "body", ERROR_NONE, LIMIT_BODY_BYTES,
                              "the body of %" PRIu64 " bytes is over the limit of %zu",
                              length_bytes, LIMIT_BODY_BYTES);
    if (status == STATUS_OK && length_bytes > 0 && length_bytes <= BODY_AHEAD_BYTES)
        (void)buf_reserve(&exchange->body, length_bytes); /* no memory shows at the first piece */
    return status;
}

void intake_take_body(struct exchange *exchange, struct slice piece)
{
    size_t need_bytes = exchange->body.size_bytes + piece.size_bytes;

    if (exchange->answered || exchange->status != STATUS_OK)
        return;
    if (need_bytes > exchange->body_taken_bytes) {
        size_t step_bytes = need_bytes - exchange->body_taken_bytes + BODY_STEP_BYTES;
        if (!arena_pool_take(&exchange->app->memory, step_bytes)) {
            exchange->status = error_set(&exchange->error, STATUS_UNAVAILABLE,
                                         "the server's memory is taken by other requests");
            return;
        }
        exchange->body_taken_bytes += step_bytes;
    }
    buf_append(&exchange->body, piece.data, piece.size_bytes);
    exchange->status = buf_status(&exchange->body, &exchange->error, "body");
    if (exchange->status == STATUS_OK) /* else the body is gone, and the time it has earned stays */
        deadline_enter(exchange->deadline, DEADLINE_BODY, exchange->body.size_bytes);
}

/* --- the query ------------------------------------------------------------------------------- */

struct query_fill {
    struct query_pair *pairs;
    uint32_t count;
};

static enum MHD_Result query_add(void *cls, enum MHD_ValueKind kind, const char *key,
                                 size_t key_bytes, const char *value, size_t value_bytes)
{
    struct query_fill *fill = cls;

    (void)kind;
    if (fill->count == LIMIT_QUERY_PARAMETERS)
        return MHD_NO;
    fill->pairs[fill->count++] = (struct query_pair){
        .key = slice_make(key, key_bytes),
        .value = slice_make(value == NULL ? "" : value, value == NULL ? 0 : value_bytes),
        .has_value = value != NULL,
    };
    return MHD_YES;
}

/* libmicrohttpd has split and percent-decoded the parameters; their order is that of the URL. */
static enum status query_read(struct exchange *exchange)
{
    int count = MHD_get_connection_values(exchange->connection, MHD_GET_ARGUMENT_KIND, NULL, NULL);
    struct query_fill fill = {0};

    if (count > (int)LIMIT_QUERY_PARAMETERS)
        return error_set_at(&exchange->error, STATUS_BAD_PARAMETER, "query", ERROR_NONE,
                            LIMIT_QUERY_PARAMETERS, "%d parameters, at most %u are allowed", count,
                            LIMIT_QUERY_PARAMETERS);
    fill.pairs = arena_array(exchange->arena, LIMIT_QUERY_PARAMETERS, struct query_pair);
    if (fill.pairs == NULL)
        return arena_exhausted(exchange->arena, &exchange->error, "query");
    (void)MHD_get_connection_values_n(exchange->connection, MHD_GET_ARGUMENT_KIND, query_add,
                                      &fill);
    exchange->query = (struct query){.pairs = fill.pairs, .count = fill.count};
    return STATUS_OK;
}

/* Gives back what only the handler needed. */
static void intake_release(struct exchange *exchange)
{
    exchange->query = (struct query){.count = 0};
    arena_free(exchange->arena);
    exchange->arena = NULL;
    buf_free(&exchange->body);
    arena_pool_give(&exchange->app->memory, exchange->body_taken_bytes);
    exchange->body_taken_bytes = 0;
}

/* Parses the query and runs the handler. */
static void intake_run(struct exchange *exchange)
{
    exchange->arena = arena_new(LIMIT_ARENA_BYTES);
    if (exchange->arena == NULL) {
        exchange->status = error_no_memory(&exchange->error, "request");
        return;
    }
    arena_set_pool(exchange->arena, &exchange->app->memory);
    exchange->now_ns = timestamp_now_ns();
    exchange->status = query_read(exchange);
    if (exchange->status == STATUS_OK)
        exchange->status = exchange->route->handler(exchange);
}

void intake_handle(struct exchange *exchange)
{
    if (exchange->status == STATUS_OK) /* else the body was refused */
        intake_run(exchange);
    intake_release(exchange);
}

/* --- the end --------------------------------------------------------------------------------- */

static void intake_log(const struct exchange *exchange, uint64_t busy_ns)
{
    enum log_level level = status_http(exchange->status) >= 500 ? LOG_LEVEL_WARN : LOG_LEVEL_INFO;
    char number[24], http_status[16], milliseconds[40];

    (void)snprintf(number, sizeof(number), "%" PRIu64, exchange->number);
    (void)snprintf(http_status, sizeof(http_status), "%d", exchange->http_status);
    (void)snprintf(milliseconds, sizeof(milliseconds), "%" PRIu64 ".%03" PRIu64, busy_ns / 1000000,
                   busy_ns / 1000 % 1000);
    if (exchange->status == STATUS_OK)
        log_write(exchange->app->log, level, "request", "id", number, "method", exchange->method,
                  "path", exchange->url, "status", http_status, "ms", milliseconds, NULL);
    else
        log_write(exchange->app->log, level, "request", "id", number, "method", exchange->method,
                  "path", exchange->url, "status", http_status, "ms", milliseconds, "code",
                  status_code(exchange->status), "error", exchange->error.text, NULL);
}

void intake_close(struct exchange *exchange)
{
    struct app *app = exchange->app;
    uint64_t busy_ns = (uint64_t)(timestamp_monotonic_ns() - exchange->started_ns);

    counters_add(&app->counters, exchange->route == NULL ? ROUTE_UNKNOWN : exchange->route->id,
                 exchange->status, busy_ns);
    intake_log(exchange, busy_ns);
    intake_release(exchange); /* the client may have gone before there was an answer */
    buf_free(&exchange->out);
    arena_pool_give(&app->memory, exchange->out_taken_bytes);
    (void)atomic_fetch_sub(&app->counters.requests_active, 1);
    free(exchange);
}

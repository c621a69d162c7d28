/* SPDX-License-Identifier: Apache-2.0 */
/* The last step of an exchange: from status, body or asset to a queued HTTP response.
 *
 * Bodies are handed to libmicrohttpd without a copy. An error is always JSON with code, message and
 * what the error names; it never holds paths of the file system or SQL. */
#include <stdlib.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/gzip.h"
#include "server/http/exchange.h"
#include "server/view/json.h"

#define GZIP_LEVEL 1 /* level 6 is 10-20 % smaller for six times the CPU */

/* Answers up to this size are not charged to the memory of all requests: a health check must not
 * fail because others read slowly. */
#define FREE_ANSWER_BYTES (16 * LIMIT_KIB)

#define ERROR_ANSWER_BYTES ((size_t)16 * 1024) /* the message is at most ERROR_TEXT_BYTES */

static const char JSON_TYPE[] = "application/json; charset=utf-8";

/* Nothing but our own files may run, load or embed anything. */
static const char CONTENT_POLICY[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'";

static void response_cleanup(struct MHD_Response **response)
{
    if (*response != NULL)
        MHD_destroy_response(*response);
}

static void write_error(struct exchange *exchange)
{
    const struct error *error = &exchange->error;
    struct json json = json_to(&exchange->out);

    buf_free(&exchange->out);
    buf_init(&exchange->out, ERROR_ANSWER_BYTES);
    json_begin_object(&json);
    json_key(&json, "error");
    json_begin_object(&json);
    json_key(&json, "code");
    json_text(&json, status_code(exchange->status));
    json_key(&json, "message");
    json_text(&json, error->text);
    json_key(&json, "detail");
    json_begin_object(&json);
    if (error->field != NULL) {
        json_key(&json, "field");
        json_text(&json, error->field);
    }
    if (error->index != ERROR_NONE) {
        json_key(&json, "index");
        json_int(&json, error->index);
    }
    if (error->limit != ERROR_NONE) {
        json_key(&json, "limit");
        json_int(&json, error->limit);
    }
    json_end_object(&json);
    json_end_object(&json);
    json_end_object(&json);
    exchange->content_type = JSON_TYPE;
    exchange->asset = NULL;
    exchange->http_status = 0;
}

static struct slice trimmed(struct slice text)
{
    while (text.size_bytes > 0 && (*text.data == ' ' || *text.data == '\t'))
        text = slice_make(text.data + 1, text.size_bytes - 1);
    while (text.size_bytes > 0 && strchr(" \t", text.data[text.size_bytes - 1]) != NULL)
        text.size_bytes--;
    return text;
}

/* Takes the part of *rest up to `separator`, trimmed; false: nothing is left. */
static bool take_part(struct slice *rest, char separator, struct slice *ret_part)
{
    const char *end;

    if (rest->data == NULL)
        return false;
    end = rest->size_bytes == 0 ? NULL : memchr(rest->data, separator, rest->size_bytes);
    *ret_part = trimmed(end == NULL ? *rest : slice_make(rest->data, (size_t)(end - rest->data)));
    *rest = end == NULL ? slice_make(NULL, 0)
                        : slice_make(end + 1, rest->size_bytes - (size_t)(end + 1 - rest->data));
    return true;
}

/* "q=0", "q=0.", "q=0.000": not acceptable. */
static bool weight_is_zero(struct slice parameter)
{
    if (parameter.size_bytes < 3 || strncasecmp(parameter.data, "q=0", 3) != 0)
        return false;
    for (size_t i = 3; i < parameter.size_bytes; i++) {
        if (parameter.data[i] != '.' && parameter.data[i] != '0')
            return false;
    }
    return true;
}

/* Whether the Accept-Encoding header takes gzip: by name, or by "*" when it is not named. */
static bool client_takes_gzip(const struct exchange *exchange)
{
    struct slice rest = exchange_header(exchange, MHD_HTTP_HEADER_ACCEPT_ENCODING);
    struct slice coding, name, parameter;
    bool any = false;

    while (take_part(&rest, ',', &coding)) {
        bool zero;

        (void)take_part(&coding, ';', &name);
        zero = take_part(&coding, ';', &parameter) && weight_is_zero(parameter);
        if (name.size_bytes == 4 && strncasecmp(name.data, "gzip", 4) == 0)
            return !zero;
        any |= !zero && slice_equal(name, SLICE_LITERAL("*"));
    }
    return any;
}

/* A response that owns the buffer's bytes. */
static struct MHD_Response *response_of_buf(struct buf *buf)
{
    size_t size_bytes = buf->size_bytes;
    char *bytes = buf_take(buf);
    struct MHD_Response *response;

    if (bytes == NULL)
        return MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    response = MHD_create_response_from_buffer_with_free_callback(size_bytes, bytes, free);
    if (response == NULL)
        free(bytes);
    return response;
}

static struct MHD_Response *response_of_asset(const struct exchange *exchange, bool *ret_gzip)
{
    const struct asset *asset = exchange->asset;

    *ret_gzip = asset->gzip != NULL && client_takes_gzip(exchange);
    if (*ret_gzip)
        return MHD_create_response_from_buffer(asset->gzip_bytes, (void *)(uintptr_t)asset->gzip,
                                               MHD_RESPMEM_PERSISTENT);
    return MHD_create_response_from_buffer(asset->size_bytes, (void *)(uintptr_t)asset->bytes,
                                           MHD_RESPMEM_PERSISTENT);
}

/* Charges `out`, which a slow reader may hold for long, to the memory of all requests. */
static enum status hold_out(struct exchange *exchange)
{
    size_t size_bytes = exchange->out.size_bytes;

    if (size_bytes <= FREE_ANSWER_BYTES)
        return STATUS_OK;
    if (!arena_pool_take(&exchange->app->memory, size_bytes))
        return error_set(&exchange->error, STATUS_UNAVAILABLE,
                         "the server's memory is taken by other answers");
    exchange->out_taken_bytes = size_bytes;
    return STATUS_OK;
}

/* Puts the gzip of `out` in its place when that is worth it and possible. */
static bool compress_out(struct exchange *exchange)
{
    CLEANUP(buf_cleanup) struct buf zipped;
    struct buf *out = &exchange->out;
    struct buf plain = *out;

    buf_init(&zipped, out->size_bytes);
    if (out->size_bytes <= LIMIT_GZIP_FROM_BYTES || exchange->content_type != JSON_TYPE ||
        !client_takes_gzip(exchange) ||
        gzip_deflate(slice_make(out->data, out->size_bytes), GZIP_LEVEL, NULL, &zipped) !=
            STATUS_OK)
        return false;
    *out = zipped;
    zipped = plain;
    if (exchange->out_taken_bytes > out->size_bytes) {
        arena_pool_give(&exchange->app->memory, exchange->out_taken_bytes - out->size_bytes);
        exchange->out_taken_bytes = out->size_bytes;
    }
    return true;
}

static void add_headers(const struct exchange *exchange, struct MHD_Response *response, bool gzip)
{
    bool page = exchange->route != NULL && exchange->route->id == ROUTE_STATIC;

    (void)MHD_add_response_header(response, "Content-Type", exchange->content_type);
    (void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    (void)MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    (void)MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    (void)MHD_add_response_header(response, "Content-Security-Policy", CONTENT_POLICY);
    (void)MHD_add_response_header(response, "Cache-Control", page ? "no-cache" : "no-store");
    (void)MHD_add_response_header(response, "Vary", "Accept-Encoding");
    if (gzip)
        (void)MHD_add_response_header(response, "Content-Encoding", "gzip");
    if (exchange->asset != NULL)
        (void)MHD_add_response_header(response, "ETag", exchange->asset->etag);
    switch (exchange->status) {
    case STATUS_UNAUTHENTICATED:
        (void)MHD_add_response_header(response, "WWW-Authenticate", "Basic realm=\"brazier\"");
        break;
    case STATUS_UNAVAILABLE:
    case STATUS_RATE_LIMITED:
        (void)MHD_add_response_header(response, "Retry-After", "1");
        break;
    default:
        break;
    }
}

/* True when the client has these very bytes already. */
static bool asset_is_known(const struct exchange *exchange)
{
    struct slice header = exchange_header(exchange, MHD_HTTP_HEADER_IF_NONE_MATCH);

    return exchange->asset != NULL && header.size_bytes > 0 &&
           (slice_equal(header, SLICE_LITERAL("*")) ||
            memmem(header.data, header.size_bytes, exchange->asset->etag,
                   strlen(exchange->asset->etag)) != NULL);
}

enum MHD_Result exchange_answer(struct exchange *exchange)
{
    CLEANUP(response_cleanup) struct MHD_Response *response = NULL;
    bool gzip = false;
    int http_status;

    if (exchange->status == STATUS_OK && exchange->asset == NULL)
        exchange->status = buf_status(&exchange->out, &exchange->error, "answer");
    if (exchange->status == STATUS_OK)
        exchange->status = hold_out(exchange);
    if (exchange->status != STATUS_OK)
        write_error(exchange);
    if (exchange->content_type == NULL)
        exchange->content_type = JSON_TYPE;
    http_status =
        exchange->http_status != 0 ? exchange->http_status : status_http(exchange->status);
    if (asset_is_known(exchange)) {
        http_status = MHD_HTTP_NOT_MODIFIED;
        response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    } else if (exchange->asset != NULL) {
        response = response_of_asset(exchange, &gzip);
    } else {
        deadline_enter(exchange->deadline, DEADLINE_WORK, 0);
        gzip = compress_out(exchange);
        response = response_of_buf(&exchange->out);
    }
    if (response == NULL)
        return MHD_NO;
    add_headers(exchange, response, gzip);
    if (exchange->status == STATUS_METHOD_NOT_ALLOWED)
        (void)MHD_add_response_header(response, "Allow", exchange->allowed);
    if (atomic_load(&exchange->app->draining))
        (void)MHD_add_response_header(response, "Connection", "close");
    exchange->http_status = http_status;
    exchange->answered = true;
    deadline_enter(exchange->deadline, DEADLINE_SEND, 0);
    return MHD_queue_response(exchange->connection, (unsigned)http_status, response);
}

struct slice exchange_header(const struct exchange *exchange, const char *name)
{
    const char *value = NULL;
    size_t value_bytes = 0;

    if (MHD_lookup_connection_value_n(exchange->connection, MHD_HEADER_KIND, name, strlen(name),
                                      &value, &value_bytes) != MHD_YES ||
        value == NULL)
        return slice_make("", 0);
    return slice_make(value, value_bytes);
}

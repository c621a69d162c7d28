/* SPDX-License-Identifier: Apache-2.0 */
/* Joining HTTP to what answers: each handler is one call into ingest, a view, or an asset. */
#include "server/http/handlers.h"

#include "server/http/exchange.h"
#include "server/ingest/ingest.h"
#include "server/view/views.h"

static enum status view_of(struct exchange *exchange, view_function *view)
{
    return view(exchange->app->store, &exchange->query, exchange->arena, exchange->now_ns,
                &exchange->error, &exchange->out);
}

/* Names of codings are compared without case. */
static bool is_coding(struct slice value, const char *name)
{
    return value.size_bytes == strlen(name) && strncasecmp(value.data, name, value.size_bytes) == 0;
}

/* 201 for a new profile, 200 for a repeat. An encoding that is neither gzip nor none is refused. */
enum status handle_profiles_post(struct exchange *exchange)
{
    const struct ingest_context context = {.store = exchange->app->store,
                                           .max_inflated_bytes =
                                               exchange->app->config->max_inflated_bytes};
    struct slice encoding = exchange_header(exchange, MHD_HTTP_HEADER_CONTENT_ENCODING);
    bool gzip = is_coding(encoding, "gzip") || is_coding(encoding, "x-gzip");
    bool created = false;
    enum status status;

    if (!gzip && encoding.size_bytes > 0 && !is_coding(encoding, "identity"))
        return error_set(&exchange->error, STATUS_UNSUPPORTED_MEDIA_TYPE,
                         "Content-Encoding '%.*s': only gzip is understood",
                         (int)(encoding.size_bytes > 40 ? 40 : encoding.size_bytes), encoding.data);
    status = ingest_profile(&context, &exchange->query,
                            slice_make(exchange->body.data, exchange->body.size_bytes), gzip,
                            exchange_header(exchange, "Idempotency-Key"), exchange->arena,
                            exchange->now_ns, &exchange->error, &exchange->out, &created);
    if (status != STATUS_OK)
        return status;
    exchange->http_status = created ? MHD_HTTP_CREATED : MHD_HTTP_OK;
    (void)atomic_fetch_add(&exchange->app->counters.body_bytes, exchange->body.size_bytes);
    return STATUS_OK;
}

enum status handle_profiles(struct exchange *exchange)
{
    return view_of(exchange, profiles_view);
}

enum status handle_services(struct exchange *exchange)
{
    return view_of(exchange, services_view);
}

enum status handle_flamegraph(struct exchange *exchange)
{
    return view_of(exchange, flamegraph_view);
}

enum status handle_functions(struct exchange *exchange)
{
    return view_of(exchange, functions_view);
}

enum status handle_focus(struct exchange *exchange)
{
    return view_of(exchange, focus_view);
}

enum status handle_profile(struct exchange *exchange)
{
    exchange->content_type = "application/octet-stream";
    return raw_view(exchange->app->store, exchange->rest, &exchange->query, exchange->arena,
                    &exchange->error, &exchange->out);
}

enum status handle_healthz(struct exchange *exchange)
{
    buf_append_text(&exchange->out, "{\"status\":\"ok\"}\n");
    return STATUS_OK;
}

enum status handle_readyz(struct exchange *exchange)
{
    enum status status = store_ready(exchange->app->store, &exchange->error);

    if (status == STATUS_OK)
        buf_append_text(&exchange->out, "{\"status\":\"ready\"}\n");
    return status;
}

enum status handle_metrics(struct exchange *exchange)
{
    exchange->content_type = "text/plain; version=0.0.4; charset=utf-8";
    counters_write(&exchange->app->counters, exchange->sweeper, exchange->app->store,
                   &exchange->app->memory, &exchange->out);
    return STATUS_OK;
}

enum status handle_static(struct exchange *exchange)
{
    const char *dir = exchange->app->config->static_dir;

    exchange->content_type = asset_mime(exchange->url);
    if (dir != NULL)
        return asset_read(dir, exchange->url, &exchange->error, &exchange->out);
    exchange->asset = asset_find(exchange->url);
    if (exchange->asset == NULL)
        return error_set(&exchange->error, STATUS_NOT_FOUND, "no such page: %.100s", exchange->url);
    return STATUS_OK;
}

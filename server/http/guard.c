/* SPDX-License-Identifier: Apache-2.0 */
/* Refusing requests that two readers could read differently or that were lured here. */
#include "server/http/guard.h"

#include <stdlib.h>
#include <string.h>

struct framing {
    bool bad_name;    /* a header's name is no token */
    unsigned lengths; /* Content-Length headers */
    unsigned codings; /* Transfer-Encoding headers */
    unsigned hosts;
    unsigned origins;
    struct slice coding, host, origin, fetch_site;
};

static bool header_is(const char *key, size_t key_bytes, const char *name)
{
    return key_bytes == strlen(name) && strncasecmp(key, name, key_bytes) == 0;
}

bool guard_name_allowed(struct slice name)
{
    for (size_t i = 0; i < name.size_bytes; i++) {
        unsigned char byte = (unsigned char)name.data[i];

        if (byte <= ' ' || byte >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", byte) != NULL)
            return false;
    }
    return name.size_bytes > 0;
}

static enum MHD_Result framing_collect(void *cls, enum MHD_ValueKind kind, const char *key,
                                       size_t key_bytes, const char *value, size_t value_bytes)
{
    struct framing *framing = cls;
    struct slice text = slice_make(value, value_bytes);

    (void)kind;
    framing->bad_name |= !guard_name_allowed(slice_make(key, key_bytes));
    if (header_is(key, key_bytes, "Content-Length")) {
        framing->lengths++;
    } else if (header_is(key, key_bytes, "Transfer-Encoding")) {
        framing->codings++;
        framing->coding = text;
    } else if (header_is(key, key_bytes, "Host")) {
        framing->hosts++;
        framing->host = text;
    } else if (header_is(key, key_bytes, "Origin")) {
        framing->origins++;
        framing->origin = text;
    } else if (header_is(key, key_bytes, "Sec-Fetch-Site")) {
        framing->fetch_site = text;
    }
    return MHD_YES;
}

static bool slice_is(struct slice text, const char *word)
{
    return text.size_bytes == strlen(word) && strncasecmp(text.data, word, text.size_bytes) == 0;
}

bool guard_host_allowed(const struct config *config, struct slice host)
{
    const char *end = host.data + host.size_bytes;
    const char *colon;

    if (host.size_bytes == 0)
        return false;
    if (host.data[0] == '[') { /* [V6] or [V6]:PORT */
        const char *close = memchr(host.data, ']', host.size_bytes);
        if (close == NULL || (close + 1 != end && close[1] != ':'))
            return false;
        host = slice_make(host.data + 1, (size_t)(close - host.data) - 1);
    } else {
        colon = memchr(host.data, ':', host.size_bytes);
        if (colon != NULL)
            host.size_bytes = (size_t)(colon - host.data);
    }
    if (slice_is(host, "localhost") || slice_is(host, "127.0.0.1") || slice_is(host, "::1") ||
        slice_is(host, config->host))
        return true;
    for (unsigned i = 0; i < config->public_host_count; i++) {
        if (slice_is(host, config->public_hosts[i]))
            return true;
    }
    return false;
}

static enum status guard_framing(const struct framing *framing, const char *http_version,
                                 struct error *err)
{
    if (framing->bad_name)
        return error_set(err, STATUS_BAD_REQUEST, "a header name with white space or separators");
    if (framing->lengths > 1)
        return error_set(err, STATUS_BAD_REQUEST, "more than one Content-Length");
    if (framing->codings > 1)
        return error_set(err, STATUS_BAD_REQUEST, "more than one Transfer-Encoding");
    if (framing->lengths > 0 && framing->codings > 0)
        return error_set(err, STATUS_BAD_REQUEST, "both Content-Length and Transfer-Encoding");
    if (framing->codings > 0 && !slice_is(framing->coding, "chunked"))
        return error_set(err, STATUS_BAD_REQUEST, "a Transfer-Encoding other than chunked");
    if (framing->hosts > 1)
        return error_set(err, STATUS_BAD_REQUEST, "more than one Host");
    if (framing->hosts == 0 && strcmp(http_version, "HTTP/1.0") != 0)
        return error_set(err, STATUS_BAD_REQUEST, "no Host");
    return STATUS_OK;
}

/* Origin is "SCHEME://HOST[:PORT]" or "null"; ours has the very host and port of the Host header,
 * which HTTP/1.0 may lack: then none is ours. */
static bool origin_is_ours(struct slice origin, struct slice host)
{
    const char *authority = memmem(origin.data, origin.size_bytes, "://", 3);
    size_t left_bytes;

    if (authority == NULL || host.size_bytes == 0)
        return false;
    authority += 3;
    left_bytes = origin.size_bytes - (size_t)(authority - origin.data);
    return left_bytes == host.size_bytes && strncasecmp(authority, host.data, left_bytes) == 0;
}

enum status guard_request(struct MHD_Connection *connection, const struct config *config,
                          const char *http_version, bool writes, struct error *err)
{
    struct framing framing = {0};
    enum status status;

    (void)MHD_get_connection_values_n(connection, MHD_HEADER_KIND, framing_collect, &framing);
    status = guard_framing(&framing, http_version, err);
    if (status != STATUS_OK)
        return status;
    if (framing.hosts == 1 && !guard_host_allowed(config, framing.host))
        return error_set(err, STATUS_MISDIRECTED,
                         "this server does not answer to the host '%.*s'; --public-host adds one",
                         (int)(framing.host.size_bytes > 80 ? 80 : framing.host.size_bytes),
                         framing.host.data);
    if (!writes)
        return STATUS_OK;
    if (framing.origins > 0 && !origin_is_ours(framing.origin, framing.host))
        return error_set(err, STATUS_FORBIDDEN, "a page of another site may not write here");
    if (slice_is(framing.fetch_site, "cross-site") || slice_is(framing.fetch_site, "same-site"))
        return error_set(err, STATUS_FORBIDDEN, "a page of another site may not write here");
    return STATUS_OK;
}

uint64_t guard_content_length(struct MHD_Connection *connection)
{
    const char *length =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);

    if (length != NULL)
        return strtoull(length, NULL, 10); /* libmicrohttpd has checked that it is a number */
    if (MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
                                    MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL)
        return UINT64_MAX;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP through libcurl. In: a finished pprof. Out: POST /api/v1/profiles with the profile's
 * identity in the query. Checks certificates, follows no redirect, keeps no more of an answer than
 * one line needs. Never prints the token. */
#include "samples/agent/upload.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/buf.h"
#include "proto/base/timestamp.h"
#include "samples/agent/bounds.h"
#include "samples/agent/complain.h"

#define QUERY_BYTES  (128 * LIMIT_KIB) /* 30 labels, each byte escaped as three */
#define HEADER_BYTES (AGENT_TOKEN_BYTES + 64)

struct upload {
    const struct config *config;
    const _Atomic int64_t *deadline_ns;
    CURL *curl;
    struct curl_slist *headers;
    char answer[AGENT_ANSWER_BYTES]; /* beginning of the body, NUL-terminated */
    size_t answer_bytes;
};

static size_t keep_answer(char *data, size_t unit, size_t count, void *opaque)
{
    struct upload *upload = opaque;
    size_t size_bytes = unit * count;
    size_t room = sizeof(upload->answer) - 1 - upload->answer_bytes;
    size_t kept = size_bytes < room ? size_bytes : room;

    memcpy(upload->answer + upload->answer_bytes, data, kept);
    upload->answer_bytes += kept;
    upload->answer[upload->answer_bytes] = '\0';
    return size_bytes;
}

/* Called by libcurl about once a second and at every progress: gives up past the deadline. */
static int check_deadline(void *opaque, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
                          curl_off_t up)
{
    struct upload *upload = opaque;
    int64_t deadline_ns = atomic_load(upload->deadline_ns);

    (void)down_total;
    (void)down;
    (void)up_total;
    (void)up;
    return deadline_ns != 0 && timestamp_monotonic_ns() > deadline_ns;
}

static bool add_header(struct upload *upload, const char *line)
{
    struct curl_slist *longer = curl_slist_append(upload->headers, line);

    if (longer)
        upload->headers = longer;
    return longer != NULL;
}

/* Lets go of a name look-up that is given up; libcurl would wait for the system's resolver, and so
 * would brazier_stop, for half a minute. The look-up's thread then ends by itself. */
static bool leave_resolver(CURL *curl)
{
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L) == CURLE_OK;
#else
    (void)curl;
    return true;
#endif
}

static bool set_up(struct upload *upload)
{
    CURL *curl = upload->curl;
    char authorization[HEADER_BYTES];

    if (!add_header(upload, "Content-Type: application/octet-stream") ||
        !add_header(upload, "Expect:"))
        return false;
    if (upload->config->token) {
        snprintf(authorization, sizeof(authorization), "Authorization: Bearer %s",
                 upload->config->token);
        if (!add_header(upload, authorization))
            return false;
    }
    return curl_easy_setopt(curl, CURLOPT_HTTPHEADER, upload->headers) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK && leave_resolver(curl) &&
           curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, AGENT_CONNECT_MS) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, AGENT_UPLOAD_MS) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_USERAGENT, "brazier-agent/" BRAZIER_VERSION) ==
               CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep_answer) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_WRITEDATA, upload) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, check_deadline) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_XFERINFODATA, upload) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L) == CURLE_OK;
}

struct upload *upload_new(const struct config *config, const _Atomic int64_t *deadline_ns)
{
    CLEANUP(upload_cleanup) struct upload *upload = calloc(1, sizeof(*upload));

    if (!upload)
        return NULL;
    upload->config = config;
    upload->deadline_ns = deadline_ns;
    upload->curl = curl_easy_init();
    if (!upload->curl || !set_up(upload))
        return NULL;
    struct upload *made = upload;
    upload = NULL;
    return made;
}

void upload_free(struct upload *upload)
{
    if (!upload)
        return;
    curl_easy_cleanup(upload->curl);
    curl_slist_free_all(upload->headers);
    free(upload);
}

static void append_parameter(struct buf *url, char separator, const char *name, const char *value)
{
    char *escaped = curl_easy_escape(NULL, value, (int)strlen(value));

    buf_append_char(url, separator);
    buf_append_text(url, name);
    buf_append_char(url, '=');
    buf_append_text(url, escaped ? escaped : "");
    curl_free(escaped);
}

static enum status build_url(const struct upload *upload, const struct period *period,
                             struct error *err, struct buf *url)
{
    const struct config *config = upload->config;
    char number[32];

    buf_append_text(url, config->server_url);
    buf_append_text(url, "/api/v1/profiles");
    append_parameter(url, '?', "service", config->service);
    append_parameter(url, '&', "version", config->version);
    append_parameter(url, '&', "type", "cpu");
    for (uint32_t i = 0; i < config->label_count; i++)
        append_parameter(url, '&', "label", config->labels[i]);
    if (period->has_work) {
        snprintf(number, sizeof(number), "%" PRId64, period->work);
        append_parameter(url, '&', "work", number);
        if (config->work_unit[0] != '\0')
            append_parameter(url, '&', "work_unit", config->work_unit);
    }
    buf_append_char(url, '\0');
    return buf_status(url, err, "upload URL");
}

/* What a completed request means; says so when it is not good. */
static enum upload_result judge(struct upload *upload, int64_t *ret_retry_after_ms)
{
    long http_status = 0;
    curl_off_t retry_after_s = 0;

    curl_easy_getinfo(upload->curl, CURLINFO_RESPONSE_CODE, &http_status);
    curl_easy_getinfo(upload->curl, CURLINFO_RETRY_AFTER, &retry_after_s);
    if (http_status == 200 || http_status == 201)
        return UPLOAD_DONE;
    if (http_status == 408 || http_status == 429 || http_status >= 500) {
        complain(COMPLAINT_BUSY, "%s answers %ld; profiles are dropped until it does not",
                 upload->config->server_url, http_status);
        if (retry_after_s > AGENT_BACKOFF_MAX_MS / 1000)
            retry_after_s = AGENT_BACKOFF_MAX_MS / 1000;
        *ret_retry_after_ms = (int64_t)retry_after_s * 1000;
        return UPLOAD_LATER;
    }
    complain(COMPLAINT_REFUSED, "%s refuses a profile with %ld: %.200s", upload->config->server_url,
             http_status, upload->answer);
    return UPLOAD_REFUSED;
}

enum upload_result upload_post(struct upload *upload, const struct period *period,
                               struct slice bytes, int64_t *ret_retry_after_ms)
{
    CURL *curl = upload->curl;
    CLEANUP(buf_cleanup) struct buf url;

    buf_init(&url, QUERY_BYTES);
    *ret_retry_after_ms = 0;
    upload->answer_bytes = 0;
    upload->answer[0] = '\0';
    if (build_url(upload, period, NULL, &url) != STATUS_OK)
        return UPLOAD_REFUSED;
    if (curl_easy_setopt(curl, CURLOPT_URL, url.data) != CURLE_OK ||
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, bytes.data) != CURLE_OK ||
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)bytes.size_bytes) !=
            CURLE_OK)
        return UPLOAD_LATER;
    CURLcode code = curl_easy_perform(curl);
    if (code == CURLE_OK)
        return judge(upload, ret_retry_after_ms);
    complain(COMPLAINT_UNREACHABLE, "%s: %s; profiles are dropped until it answers",
             upload->config->server_url, curl_easy_strerror(code));
    return UPLOAD_LATER;
}

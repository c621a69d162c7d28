/* SPDX-License-Identifier: Apache-2.0 */
/* The way of an upload: HTTP has authorised it and read its body; from here to the answer.
 *
 * In: parameters and bytes; out: a durable profile and 201, or the first thing that is wrong. Each
 * step is one call and one check; the profile is decoded once and never copied. */
#include "server/ingest/ingest.h"

#include "proto/base/limits.h"
#include "proto/decode.h"
#include "proto/metrics.h"
#include "proto/prune.h"
#include "server/ingest/body.h"
#include "server/ingest/digest.h"
#include "server/ingest/upload.h"
#include "server/view/profile_json.h"

struct ingest {
    struct upload upload;
    struct body body;
    struct profile profile;
    struct store_put put;
    bool time_adjusted; /* a time was claimed and not believed */
    struct store_receipt receipt;
};

/* What a profile claims about time gives way to the parameters; what nobody can mean gives way to
 * the time of receipt, and an impossible duration to "unknown". */
static void ingest_settle_times(struct ingest *ingest, int64_t now_ns, int64_t *ret_claimed_ns)
{
    struct profile *profile = &ingest->profile;
    const struct upload *upload = &ingest->upload;
    bool claimed = upload->time_ns != UPLOAD_UNSET || profile->time_ns != 0;
    int64_t time_ns = upload->time_ns != UPLOAD_UNSET ? upload->time_ns : profile->time_ns;
    bool believed = claimed && time_ns >= LIMIT_TIME_MIN_NS &&
                    (time_ns <= now_ns || time_ns - now_ns <= LIMIT_TIME_AHEAD_NS);

    *ret_claimed_ns = claimed ? time_ns : UPLOAD_UNSET;
    ingest->time_adjusted = claimed && !believed;
    ingest->put.start_ns = believed ? time_ns : now_ns;
    ingest->put.received_ns = now_ns;
    if (upload->duration_ns != UPLOAD_UNSET)
        profile->duration_ns = upload->duration_ns;
    if (profile->duration_ns < 0 || profile->duration_ns > LIMIT_DURATION_NS)
        profile->duration_ns = 0;
    ingest->put.duration_ns = profile->duration_ns;
}

static enum status ingest_decode(struct ingest *ingest, struct arena *arena, struct error *err)
{
    enum status status = decode_profile(ingest->body.profile, arena, err, &ingest->profile);

    if (status != STATUS_OK)
        return status;
    return prune_profile(&ingest->profile, arena, err);
}

/* Type and metrics. The metrics' kinds depend on the duration, so times are settled before. */
static enum status ingest_normalise(struct ingest *ingest, struct arena *arena, struct error *err)
{
    struct store_put *put = &ingest->put;
    struct metric *metrics = NULL;
    enum status status = STATUS_OK;

    put->type = ingest->upload.type;
    if (put->type.size_bytes == 0)
        status = metrics_infer_type(&ingest->profile, arena, err, &put->type);
    if (status == STATUS_OK)
        status = metrics_normalise(&ingest->profile, arena, err, &metrics);
    if (status != STATUS_OK)
        return status;
    put->metrics = metrics;
    put->default_metric = profile_default_type(&ingest->profile);
    return STATUS_OK;
}

/* A profile without a time of its own is never taken for a repeat, unless a key says so. */
static enum status ingest_identify(struct ingest *ingest, int64_t claimed_ns, struct slice key,
                                   struct error *err)
{
    if (key.size_bytes > LIMIT_IDEMPOTENCY_KEY_BYTES)
        return error_set_at(err, STATUS_BAD_REQUEST, "Idempotency-Key", ERROR_NONE,
                            LIMIT_IDEMPOTENCY_KEY_BYTES, "Idempotency-Key: %zu bytes, at most %u",
                            key.size_bytes, LIMIT_IDEMPOTENCY_KEY_BYTES);
    if (key.size_bytes > 0) {
        ingest->put.id = digest_key(ingest->upload.service, key);
        return STATUS_OK;
    }
    if (claimed_ns == UPLOAD_UNSET)
        return digest_random(err, &ingest->put.id);
    ingest->put.id =
        digest_upload(&ingest->upload, ingest->put.type, claimed_ns, ingest->body.profile);
    return STATUS_OK;
}

static enum status ingest_store(struct ingest *ingest, struct store *store, struct arena *arena,
                                struct error *err)
{
    struct store_put *put = &ingest->put;

    put->service = ingest->upload.service;
    put->version = ingest->upload.version;
    put->labels = ingest->upload.labels;
    put->label_count = ingest->upload.label_count;
    put->work = ingest->upload.work;
    put->work_unit = ingest->upload.work_unit;
    put->profile = &ingest->profile;
    put->body = ingest->body.kept;
    return store_put(store, put, arena, err, &ingest->receipt);
}

static enum status ingest_answer(const struct ingest *ingest, struct error *err, struct buf *out)
{
    const struct store_receipt *receipt = &ingest->receipt;
    struct json json = json_to(out);

    json_begin_object(&json);
    profile_json_write(&json, &receipt->profile);
    if (ingest->time_adjusted) {
        json_key(&json, "time_adjusted");
        json_bool(&json, true);
    }
    if (receipt->tag_keys_left_out > 0) {
        json_key(&json, "tag_keys_left_out");
        json_uint(&json, receipt->tag_keys_left_out);
    }
    if (receipt->tagsets_folded > 0) {
        json_key(&json, "tagsets_folded");
        json_uint(&json, receipt->tagsets_folded);
    }
    json_end_object(&json);
    return buf_status(out, err, "answer");
}

enum status ingest_profile(const struct ingest_context *context, const struct query *query,
                           struct slice body, bool content_encoding_gzip,
                           struct slice idempotency_key, struct arena *arena, int64_t now_ns,
                           struct error *err, struct buf *out, bool *ret_created)
{
    struct ingest ingest = {.time_adjusted = false};
    int64_t claimed_ns = UPLOAD_UNSET;

    enum status status = upload_read(query, arena, now_ns, err, &ingest.upload);
    if (status == STATUS_OK)
        status = body_unwrap(body, content_encoding_gzip, context->max_inflated_bytes, arena, err,
                             &ingest.body);
    if (status == STATUS_OK)
        status = ingest_decode(&ingest, arena, err);
    if (status != STATUS_OK)
        return status;
    ingest_settle_times(&ingest, now_ns, &claimed_ns);
    status = ingest_normalise(&ingest, arena, err);
    if (status == STATUS_OK)
        status = ingest_identify(&ingest, claimed_ns, idempotency_key, err);
    if (status == STATUS_OK)
        status = ingest_store(&ingest, context->store, arena, err);
    if (status == STATUS_OK)
        status = ingest_answer(&ingest, err, out);
    if (status == STATUS_OK)
        *ret_created = !ingest.receipt.repeated;
    return status;
}

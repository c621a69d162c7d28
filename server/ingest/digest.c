/* SPDX-License-Identifier: Apache-2.0 */
/* Inside ingest: fields to an id. The hash is nettle's; this file fixes what goes into it, and
 * changing that makes repeats of older uploads look new. */
#include "server/ingest/digest.h"

#include <nettle/sha2.h>
#include <sys/random.h>

static void digest_number(struct sha256_ctx *sha, uint64_t number)
{
    uint8_t bytes[8];

    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(number >> (8 * i));
    sha256_update(sha, sizeof(bytes), bytes);
}

static void digest_field(struct sha256_ctx *sha, struct slice field)
{
    digest_number(sha, field.size_bytes);
    if (field.size_bytes > 0)
        sha256_update(sha, field.size_bytes, (const uint8_t *)field.data);
}

static struct store_id digest_finish(struct sha256_ctx *sha)
{
    struct store_id id;

    sha256_digest(sha, sizeof(id.bytes), id.bytes);
    return id;
}

struct store_id digest_upload(const struct upload *upload, struct slice type, int64_t time_ns,
                              struct slice body)
{
    struct sha256_ctx sha;

    sha256_init(&sha);
    digest_field(&sha, SLICE_LITERAL("brazier upload 1"));
    digest_field(&sha, upload->service);
    digest_field(&sha, upload->version);
    digest_field(&sha, type);
    digest_number(&sha, upload->label_count);
    for (uint32_t i = 0; i < upload->label_count; i++) {
        digest_field(&sha, upload->labels[i].key);
        digest_field(&sha, upload->labels[i].value);
    }
    digest_number(&sha, (uint64_t)time_ns);
    digest_field(&sha, body);
    return digest_finish(&sha);
}

struct store_id digest_key(struct slice service, struct slice key)
{
    struct sha256_ctx sha;

    sha256_init(&sha);
    digest_field(&sha, SLICE_LITERAL("brazier key 1"));
    digest_field(&sha, service);
    digest_field(&sha, key);
    return digest_finish(&sha);
}

enum status digest_random(struct error *err, struct store_id *ret_id)
{
    struct store_id id;

    if (getrandom(id.bytes, sizeof(id.bytes), 0) != (ssize_t)sizeof(id.bytes))
        return error_set(err, STATUS_UNAVAILABLE, "the system gives no random bytes");
    *ret_id = id;
    return STATUS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* An upload's bytes: inflate, decode, and compare with protobuf-c and with the encoder.
 *
 * Aborts when protobuf-c reads another profile from the same bytes, when it reads bytes that we
 * call malformed, or when what we accept does not survive encoding. */
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/decode.h"
#include "proto/encode.h"
#include "proto/gzip.h"
#include "proto/metrics.h"
#include "proto/wire.h"
#include "tests/unit/support/oracle.h"

#define FUZZ_BUDGET_BYTES   (64 * LIMIT_MIB)
#define FUZZ_INFLATED_BYTES (4 * LIMIT_MIB)

static void require(bool holds, const char *what, const char *detail)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, detail);
    abort();
}

/* Where protobuf-c merges a second period_type into the first, the reference replaces it. */
static bool has_two_period_types(struct slice body)
{
    const uint8_t *start = (const uint8_t *)body.data;
    struct wire wire = {start, start + body.size_bytes};
    struct wire_field field;
    unsigned count = 0;

    while (wire.at < wire.end && wire_next(&wire, &field))
        count += field.tag == WIRE_TAG(11, WIRE_BYTES);
    return count > 1;
}

/* protobuf-c takes a bool of any wire type; the reference and we do not. */
static bool is_lenient_bool(const struct error *err)
{
    return strstr(err->text, "has the wrong wire type") &&
           (strcmp(err->field, "mapping") == 0 || strcmp(err->field, "location") == 0);
}

static void check_accepted(struct slice body, struct profile *profile, struct arena *arena)
{
    struct oracle_verdict verdict = oracle_compare(body, profile, arena);
    CLEANUP(buf_cleanup) struct buf encoded;
    struct metric *metrics;
    struct profile back;
    struct error err = {0};

    if (verdict.readable && !has_two_period_types(body))
        require(verdict.equal, "protobuf-c reads it otherwise", verdict.what);
    buf_init(&encoded, FUZZ_BUDGET_BYTES);
    if (encode_profile(profile, arena, &err, &encoded) != STATUS_OK)
        return; /* the budget */
    if (decode_profile(slice_make(encoded.data, encoded.size_bytes), arena, &err, &back) ==
        STATUS_OK) {
        verdict = oracle_compare_profiles(profile, &back);
        require(verdict.equal, "encoding changed it", verdict.what);
    } else {
        require(err.status == STATUS_TOO_LARGE, "what was encoded is refused", err.text);
    }
    if (metrics_normalise(profile, arena, &err, &metrics) == STATUS_OK)
        require(metrics[0].name.size_bytes > 0, "a metric without a name", "");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(FUZZ_BUDGET_BYTES);
    struct slice body = slice_make(data, size_bytes);
    struct error err = {0};
    struct profile profile;
    enum status status;

    if (gzip_detect(body) &&
        gzip_inflate(body, FUZZ_INFLATED_BYTES, arena, &err, &body) != STATUS_OK)
        return 0;
    status = decode_profile(body, arena, &err, &profile);
    if (status == STATUS_OK)
        check_accepted(body, &profile, arena);
    else
        require(err.status == status && err.text[0] != '\0', "no message", status_code(status));
    if (status == STATUS_TRUNCATED || (status == STATUS_BAD_WIRE && !is_lenient_bool(&err)))
        require(!oracle_compare(body, NULL, arena).readable, "protobuf-c can read it", err.text);
    return 0;
}

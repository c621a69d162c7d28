/* SPDX-License-Identifier: Apache-2.0 */
/* pprof decoding, first to last: count, fill symbols, fill samples, validate.
 *
 * Input: the inflated body of an upload. Output: a struct profile whose indices all hold. This file
 * is the order of the steps and the one decision no step can make alone: whether a body that does
 * not decode is a broken profile or no profile at all. */
#include "proto/decode.h"

#include "proto/base/limits.h"
#include "proto/decode_columns.h"

static enum status decode_steps(struct slice bytes, struct arena *arena, struct error *err,
                                struct profile *ret_profile)
{
    struct decode_counts counts;
    struct profile_refs refs;
    struct profile profile = {0};
    struct ids locations;
    enum status status;

    status = decode_count(bytes, err, &counts);
    if (status != STATUS_OK)
        return status;
    status = decode_symbols(bytes, &counts, arena, err, &profile, &refs);
    if (status != STATUS_OK)
        return status;
    status = validate_symbols(&profile, &refs, arena, err, &locations);
    if (status != STATUS_OK)
        return status;
    status = decode_samples(bytes, &counts, &locations, arena, err, &profile);
    if (status != STATUS_OK)
        return status;
    status = validate_samples(&profile, err);
    if (status != STATUS_OK)
        return status;
    *ret_profile = profile;
    return STATUS_OK;
}

/* True for failures that bytes of another format run into. */
static bool is_format_failure(enum status status)
{
    return status == STATUS_TRUNCATED || status == STATUS_BAD_WIRE ||
           status == STATUS_BAD_STRING_TABLE || status == STATUS_NO_SAMPLE_TYPE;
}

enum status decode_profile(struct slice bytes, struct arena *arena, struct error *err,
                           struct profile *ret_profile)
{
    enum status status;

    if (bytes.size_bytes == 0)
        return error_set(err, STATUS_EMPTY_BODY, "the body is empty, or gzip of nothing");
    if (bytes.size_bytes > LIMIT_PROFILE_BYTES)
        return error_set_at(err, STATUS_TOO_LARGE, NULL, ERROR_NONE, (int64_t)LIMIT_PROFILE_BYTES,
                            "the profile has %zu bytes, at most %zu", bytes.size_bytes,
                            LIMIT_PROFILE_BYTES);
    status = decode_steps(bytes, arena, err, ret_profile);
    if (is_format_failure(status) && decode_is_foreign(bytes))
        return error_set(err, STATUS_NOT_A_PROFILE,
                         "the body is not a pprof protobuf (text, another compression or format)");
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of every call that can fail, one name per cause.
 *
 * One table gives the enum, the stable code that clients see in `error.code`, and the HTTP status
 * the server answers with, so that the three can never disagree. Layers below the server only use
 * the names. */
#ifndef BRAZIER_PROTO_BASE_STATUS_H
#define BRAZIER_PROTO_BASE_STATUS_H

/* X(name, wire code, HTTP status) */
#define STATUS_TABLE(X)                                                                            \
    X(OK, "ok", 200)                                                                               \
    X(BAD_GZIP, "bad_gzip", 400)                         /* gzip cut, wrong sum, trailing bytes */ \
    X(EMPTY_BODY, "empty_body", 400)                     /* nothing, or gzip of nothing */         \
    X(NOT_A_PROFILE, "not_a_profile", 400)               /* text, HTML, zlib, gzip in gzip */      \
    X(TRUNCATED, "truncated", 400)                       /* a field runs past the end */           \
    X(BAD_WIRE, "bad_wire", 400)                         /* not protobuf, or a wrong wire type */  \
    X(CONCATENATED, "concatenated", 400)                 /* two profiles in one body */            \
    X(BAD_REF, "bad_ref", 400)                           /* an id that nothing declares */         \
    X(DUP_ID, "dup_id", 400)                             /* an id declared twice */                \
    X(ZERO_ID, "zero_id", 400)                           /* the reserved id 0 */                   \
    X(BAD_STRING_INDEX, "bad_string_index", 400)         /* outside the string table */            \
    X(BAD_STRING_TABLE, "bad_string_table", 400)         /* absent, or [0] is not "" */            \
    X(VALUE_COUNT_MISMATCH, "value_count_mismatch", 400) /* values per sample != sample types */   \
    X(NO_SAMPLE_TYPE, "no_sample_type", 400)             /* nothing says what is counted */        \
    X(VALUE_OVERFLOW, "value_overflow", 400)             /* a sum leaves int64 */                  \
    X(BAD_PARAMETER, "bad_parameter", 400)               /* a query parameter */                   \
    X(BAD_FILTER, "bad_filter", 400)                     /* a filter pattern */                    \
    X(BAD_REQUEST, "bad_request", 400)                   /* the HTTP request itself */             \
    X(UNAUTHENTICATED, "unauthenticated", 401)                                                     \
    X(FORBIDDEN, "forbidden", 403)                                                                 \
    X(NOT_FOUND, "not_found", 404)                                                                 \
    X(METHOD_NOT_ALLOWED, "method_not_allowed", 405)                                               \
    X(TIMEOUT, "timeout", 408)                                                                     \
    X(TOO_LARGE, "too_large", 413) /* any bound of limits.h that input can reach */                \
    X(UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", 415)                                       \
    X(MISDIRECTED, "misdirected", 421)                                                             \
    X(RATE_LIMITED, "rate_limited", 429)                                                           \
    X(INTERNAL, "internal", 500)       /* a broken promise of our own; always a bug */             \
    X(UNAVAILABLE, "unavailable", 503) /* no memory, shutting down, store not answering */         \
    X(STORAGE_FULL, "storage_full", 507)

enum status {
#define STATUS_MEMBER(name, code, http) STATUS_##name,
    STATUS_TABLE(STATUS_MEMBER)
#undef STATUS_MEMBER
        STATUS_MAX
};

/* Marks a call whose result must be looked at. */
#define CHECKED __attribute__((warn_unused_result))

/* The wire code, such as "bad_gzip". Static text, never NULL. */
const char *status_code(enum status status);

/* The HTTP status that the code goes with. */
int status_http(enum status status);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The query parameters of a request, and reading them strictly.
 *
 * The HTTP layer hands over what the URL said, percent-decoded and in order; values may hold any
 * byte. Every route first names the groups of parameters it knows (query_check): anything else, a
 * repeat of what may not repeat, a missing '=' or a value that is not UTF-8 is refused with the
 * parameter's name. So a parameter is obeyed or refused and never ignored, and the readers below
 * may take what they find as it is.
 *
 * Slices point into the query, which the HTTP layer keeps for the length of the request. */
#ifndef BRAZIER_SERVER_VIEW_QUERY_H
#define BRAZIER_SERVER_VIEW_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/slice.h"

struct query_pair {
    struct slice key;
    struct slice value;
    bool has_value; /* false: "key" without "=" */
};

struct query {
    const struct query_pair *pairs; /* in the order given */
    uint32_t count;
};

/* Parameters that go together; the table in query.c says which parameter is in which. */
enum query_group {
    QUERY_UPLOAD = 1 << 0,     /* POST /profiles */
    QUERY_SELECTION = 1 << 1,  /* which profiles and which metric */
    QUERY_COMPARISON = 1 << 2, /* the selection's own again, with the prefix base_ */
    QUERY_TREE = 1 << 3,       /* how much of a tree: min_fraction, max_nodes */
    QUERY_ZOOM = 1 << 4,       /* root */
    QUERY_LIMIT = 1 << 5,      /* limit */
    QUERY_ROWS = 1 << 6,       /* sort, order, offset, q */
    QUERY_FUNCTION = 1 << 7,   /* function, file */
    QUERY_CURSOR = 1 << 8,     /* cursor */
};

/* Checks that every parameter is in one of `groups` (ORed; 0: none is known), is given as often as
 * it may be, and has a UTF-8 value. A parameter of the contract that this version does not serve
 * yet is refused as "not supported yet". STATUS_BAD_PARAMETER. */
CHECKED enum status query_check(const struct query *query, unsigned groups, struct error *err);

/* The first pair with this key, or NULL. */
const struct query_pair *query_find(const struct query *query, const char *key);

/* The next pair with this key at or behind position *at, or NULL; *at moves behind it. */
const struct query_pair *query_next(const struct query *query, const char *key, uint32_t *at);

/* The value of `key` as a decimal integer within [min, max]; `absent` when it is not there.
 * STATUS_BAD_PARAMETER: not digits, or outside. `key` is static text. */
CHECKED enum status query_uint(const struct query *query, const char *key, uint64_t absent,
                               uint64_t min, uint64_t max, struct error *err, uint64_t *ret_value);

/* The position of the value of `key` in `choices` (a NULL-terminated list of texts), or `absent`.
 * STATUS_BAD_PARAMETER: none of them; the message lists them. */
CHECKED enum status query_choice(const struct query *query, const char *key,
                                 const char *const *choices, uint32_t absent, struct error *err,
                                 uint32_t *ret_choice);

/* An exact share of a whole: 0 <= numerator <= denominator, denominator > 0. */
struct query_fraction {
    uint64_t numerator;
    uint64_t denominator;
};

/* The value of `key` as "a/b" or as a decimal such as "0.000125" (at most 18 digits behind the
 * point, no exponent), between 0 and 1; `absent` when it is not there. STATUS_BAD_PARAMETER. */
CHECKED enum status query_fraction(const struct query *query, const char *key,
                                   struct query_fraction absent, struct error *err,
                                   struct query_fraction *ret_fraction);

/* The value of `key` as a point in time (proto/base/timestamp.h), or `absent_ns`.
 * STATUS_BAD_PARAMETER names the parameter and its fault. */
CHECKED enum status query_time(const struct query *query, const char *key, int64_t now_ns,
                               int64_t absent_ns, struct error *err, int64_t *ret_time_ns);

/* Refuses a parameter's value: STATUS_BAD_PARAMETER, "KEY: WHAT". Returns the status. */
CHECKED enum status query_refuse(const char *key, struct error *err, const char *what);

/* Reads exactly 2 * size_bytes hex digits. False: anything else. */
bool query_hex(struct slice text, uint8_t *ret_bytes, size_t size_bytes);

#endif

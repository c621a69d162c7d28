/* SPDX-License-Identifier: Apache-2.0 */
/* Points in time as int64 nanoseconds since 1970-01-01T00:00:00Z, and their RFC 3339 text. */
#ifndef BRAZIER_PROTO_BASE_TIMESTAMP_H
#define BRAZIER_PROTO_BASE_TIMESTAMP_H

#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/slice.h"

#define TIMESTAMP_SECOND_NS INT64_C(1000000000)
#define TIMESTAMP_BYTES     40 /* "-292277022-01-01T00:00:00.123456789Z" and NUL */

/* The wall clock. */
int64_t timestamp_now_ns(void);

/* A clock that never steps back, for deadlines and durations only. */
int64_t timestamp_monotonic_ns(void);

/* Writes "2026-11-30T16:21:00.123456789Z" (always nine decimals) and its NUL to `text`. */
void timestamp_format(int64_t time_ns, char text[TIMESTAMP_BYTES]);

/* Reads what api.md allows as a time parameter: RFC 3339 in UTC or with an offset; Unix seconds,
 * ms, us or ns told apart by digit count (<= 10, <= 13, <= 16, more; a leading '-' allowed);
 * "now", "now-15m" (units s, m, h, d), measured from `now_ns`. STATUS_BAD_PARAMETER otherwise. */
CHECKED enum status timestamp_parse(struct slice text, int64_t now_ns, struct error *err,
                                    int64_t *ret_time_ns);

/* First nanosecond of the UTC calendar month that holds `time_ns`; months are numbered
 * (year - 1970) * 12 + month, month 0..11. */
int32_t timestamp_month(int64_t time_ns);
int64_t timestamp_month_start_ns(int32_t month);

#endif

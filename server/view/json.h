/* SPDX-License-Identifier: Apache-2.0 */
/* The one JSON writer: streams an answer into a buffer, token by token.
 *
 * Commas come by construction: a value that follows a value gets one, whatever the nesting, so a
 * caller only opens, names, writes and closes. Nothing is allocated but the buffer's own bytes and
 * nothing fails on the way; the caller asks buf_status once at the end.
 *
 * Integers are exact. One beyond +-(2^53 - 1) is written as a decimal string, because a reader
 * that parses numbers as doubles would change it silently. Text must be valid UTF-8; control
 * characters, DEL, quotes, backslashes and the two line separators that end a line in JavaScript
 * are escaped. The writer borrows the buffer; it needs no closing. */
#ifndef BRAZIER_SERVER_VIEW_JSON_H
#define BRAZIER_SERVER_VIEW_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/buf.h"
#include "proto/base/slice.h"

/* 2^53 - 1: every integer up to here is exact in a double. */
#define JSON_SAFE_INTEGER INT64_C(9007199254740991)

struct json {
    struct buf *out;
    bool comma; /* the last token was a value: the next one needs a comma before it */
};

/* A writer that appends to `out`, at the place of a value. */
static inline struct json json_to(struct buf *out)
{
    return (struct json){.out = out, .comma = false};
}

void json_begin_object(struct json *json);
void json_end_object(struct json *json);
void json_begin_array(struct json *json);
void json_end_array(struct json *json);

/* The name of the next member. `name` is one of ours: NUL-terminated and free of anything that
 * needs escaping. json_name takes any text. */
void json_key(struct json *json, const char *name);
void json_name(struct json *json, struct slice name);

void json_string(struct json *json, struct slice text);
void json_text(struct json *json, const char *text); /* as json_string, NUL-terminated */
void json_int(struct json *json, int64_t value);
void json_uint(struct json *json, uint64_t value);
void json_bool(struct json *json, bool value);
void json_null(struct json *json);

/* A point in time as an RFC 3339 string in UTC with nanoseconds. */
void json_time(struct json *json, int64_t time_ns);

/* `size_bytes` bytes as a string of lower-case hex digits. */
void json_hex(struct json *json, const uint8_t *bytes, size_t size_bytes);

/* Whole arrays of integers, the bulk of every tree: about 6 ns a number. */
void json_column_i32(struct json *json, const int32_t *values, size_t count);
void json_column_i64(struct json *json, const int64_t *values, size_t count);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What went wrong, in words and in figures.
 *
 * The caller owns a `struct error`, usually on its stack, and passes it down; whoever detects the
 * fault fills it once and returns its status. It holds no pointer to input, so it outlives every
 * arena. A NULL `err` is allowed everywhere and only drops the details. */
#ifndef BRAZIER_PROTO_BASE_ERROR_H
#define BRAZIER_PROTO_BASE_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/status.h"

/* Long enough for a field, an index, a limit and a clipped name; short enough for the stack. */
#define ERROR_TEXT_BYTES 256

/* `index` and `limit` when there is none to name. */
#define ERROR_NONE INT64_MIN

struct error {
    enum status status;
    const char *field;           /* static text such as "sample.location_id"; NULL: no field */
    int64_t index;               /* which element, 0-based; ERROR_NONE: none */
    int64_t limit;               /* the bound that was passed; ERROR_NONE: none */
    char text[ERROR_TEXT_BYTES]; /* one line for people, valid UTF-8, no control characters */
};

/* Fills `err`: the general form behind the macros below. Bytes of the message that are control
 * characters or not UTF-8 are replaced by '?', because names from profiles end up here. */
void error_fill(struct error *err, enum status status, const char *field, int64_t index,
                int64_t limit, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Fills `err` with a message (format and arguments as printf) and gives `status`. Macros, so that
 * compilers and analysers see at the place of the fault which status is returned. */
#define error_set(err, status, ...)                                                                \
    (error_fill((err), (status), NULL, ERROR_NONE, ERROR_NONE, __VA_ARGS__), (status))

/* As error_set, and names the field, the index and the limit (ERROR_NONE where there is none). */
#define error_set_at(err, status, field, index, limit, ...)                                        \
    (error_fill((err), (status), (field), (index), (limit), __VA_ARGS__), (status))

/* The one message for failed allocations: STATUS_UNAVAILABLE, "out of memory: WHAT". */
#define error_no_memory(err, what) error_set((err), STATUS_UNAVAILABLE, "out of memory: %s", (what))

#endif

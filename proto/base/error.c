/* SPDX-License-Identifier: Apache-2.0 */
/* Filling in error details. Never allocates, so it works when memory is what ran out. */
#include "proto/base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "proto/base/utf8.h"

__attribute__((format(printf, 6, 0))) static void error_fill(struct error *err, enum status status,
                                                             const char *field, int64_t index,
                                                             int64_t limit, const char *format,
                                                             va_list arguments)
{
    err->status = status;
    err->field = field;
    err->index = index;
    err->limit = limit;
    (void)vsnprintf(err->text, sizeof(err->text), format, arguments);
    utf8_mask(err->text);
}

enum status error_set(struct error *err, enum status status, const char *format, ...)
{
    va_list arguments;

    if (err == NULL)
        return status;
    va_start(arguments, format);
    error_fill(err, status, NULL, ERROR_NONE, ERROR_NONE, format, arguments);
    va_end(arguments);
    return status;
}

enum status error_set_at(struct error *err, enum status status, const char *field, int64_t index,
                         int64_t limit, const char *format, ...)
{
    va_list arguments;

    if (err == NULL)
        return status;
    va_start(arguments, format);
    error_fill(err, status, field, index, limit, format, arguments);
    va_end(arguments);
    return status;
}

enum status error_no_memory(struct error *err, const char *what)
{
    return error_set(err, STATUS_UNAVAILABLE, "out of memory: %s", what);
}

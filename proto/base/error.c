/* SPDX-License-Identifier: Apache-2.0 */
/* Filling in error details. Never allocates, so it works when memory is what ran out. */
#include "proto/base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "proto/base/utf8.h"

void error_fill(struct error *err, enum status status, const char *field, int64_t index,
                int64_t limit, const char *format, ...)
{
    va_list arguments;

    if (err == NULL)
        return;
    err->status = status;
    err->field = field;
    err->index = index;
    err->limit = limit;
    va_start(arguments, format);
    (void)vsnprintf(err->text, sizeof(err->text), format, arguments);
    va_end(arguments);
    utf8_mask(err->text);
}

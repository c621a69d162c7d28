/* SPDX-License-Identifier: Apache-2.0 */
/* One line on standard error per reason. In: a message for people. Out: a single write, so lines of
 * several threads do not mix. Never blocks on a lock, never repeats itself. */
#include "samples/agent/complain.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/utf8.h"

#define LINE_BYTES 512

void complain(enum complaint reason, const char *format, ...)
{
    static atomic_bool given[COMPLAINT_MAX];
    char line[LINE_BYTES] = "brazier: ";
    size_t prefix_bytes = strlen(line);
    int cancel_state = 0;
    va_list arguments;

    if (atomic_exchange(&given[reason], true))
        return;
    va_start(arguments, format);
    int wanted = vsnprintf(line + prefix_bytes, sizeof(line) - prefix_bytes - 1, format, arguments);
    va_end(arguments);
    if (wanted < 0)
        return;
    utf8_mask(line);
    size_t size_bytes = strlen(line);
    line[size_bytes++] = '\n';
    /* write is a cancellation point, and the caller may hold a lock of the agent's. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    ssize_t written = write(STDERR_FILENO, line, size_bytes);
    (void)written; /* nobody is left to complain to */
    pthread_setcancelstate(cancel_state, &cancel_state);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines: each is built in one stack buffer and written by one write(2), so lines of several
 * threads never mix. Long values are clipped; the line is never lost for its length. A reader that
 * stops reading its pipe loses lines and does not stop the server. */
#include "proto/base/log.h"

#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/limits.h"
#include "proto/base/timestamp.h"

#define LOG_LINE_BYTES  2048u /* PIPE_BUF is 4096: one write stays whole on a pipe too */
#define LOG_VALUE_BYTES 512u  /* of input; an escaped byte takes four */

struct log {
    int fd;
    enum log_level level;
    pthread_mutex_t lock; /* guards the counters, and writing itself */
    int64_t second;       /* the one that line_count counts */
    unsigned line_count;
    unsigned dropped_count;
};

struct line {
    char text[LOG_LINE_BYTES];
    size_t size_bytes;
};

struct log *log_new(int fd, enum log_level level)
{
    struct log *log = calloc(1, sizeof(*log));

    if (log == NULL)
        return NULL;
    if (pthread_mutex_init(&log->lock, NULL) != 0) {
        free(log);
        return NULL;
    }
    log->fd = fd;
    log->level = level;
    return log;
}

void log_free(struct log *log)
{
    if (log == NULL)
        return;
    (void)pthread_mutex_destroy(&log->lock);
    free(log);
}

/* Appends what fits, keeping a byte for the line feed. */
static void line_append(struct line *line, const char *bytes, size_t size_bytes)
{
    size_t room_bytes = LOG_LINE_BYTES - 1 - line->size_bytes;

    if (size_bytes > room_bytes)
        size_bytes = room_bytes;
    memcpy(line->text + line->size_bytes, bytes, size_bytes);
    line->size_bytes += size_bytes;
}

static void line_append_text(struct line *line, const char *text)
{
    line_append(line, text, strlen(text));
}

static bool value_is_plain(const char *value)
{
    if (*value == '\0')
        return false;
    for (const unsigned char *at = (const unsigned char *)value; *at != '\0'; at++) {
        if (*at <= ' ' || *at >= 0x7f || *at == '"' || *at == '=' || *at == '\\')
            return false;
    }
    return true;
}

/* Writes a value in quotes; every byte outside printable ASCII becomes \xHH. */
static void line_append_quoted(struct line *line, const char *value)
{
    size_t size_bytes = strnlen(value, LOG_VALUE_BYTES);

    line_append(line, "\"", 1);
    for (size_t i = 0; i < size_bytes; i++) {
        unsigned char byte = (unsigned char)value[i];
        char escape[5];

        if (byte == '"' || byte == '\\') {
            escape[0] = '\\';
            escape[1] = (char)byte;
            line_append(line, escape, 2);
        } else if (byte < 0x20 || byte >= 0x7f) {
            (void)snprintf(escape, sizeof(escape), "\\x%02x", byte);
            line_append(line, escape, 4);
        } else {
            line_append(line, value + i, 1);
        }
    }
    if (value[size_bytes] != '\0')
        line_append_text(line, "...");
    line_append(line, "\"", 1);
}

static void line_append_pair(struct line *line, const char *key, const char *value)
{
    line_append(line, " ", 1);
    line_append_text(line, key);
    line_append(line, "=", 1);
    if (value == NULL)
        value = "";
    if (strnlen(value, LOG_VALUE_BYTES) < LOG_VALUE_BYTES && value_is_plain(value))
        line_append_text(line, value);
    else
        line_append_quoted(line, value);
}

/* False when this second has had its lines; sets how many were dropped before this one. */
static bool log_admit(struct log *log, int64_t second, unsigned *ret_dropped_count)
{
    bool admitted;

    (void)pthread_mutex_lock(&log->lock);
    if (second != log->second) {
        log->second = second;
        log->line_count = 0;
    }
    admitted = log->line_count < LIMIT_LOG_LINES_PER_SECOND;
    if (admitted) {
        log->line_count++;
        *ret_dropped_count = log->dropped_count;
        log->dropped_count = 0;
    } else {
        log->dropped_count++;
    }
    (void)pthread_mutex_unlock(&log->lock);
    return admitted;
}

/* Writes the line unless that would block; a lost one is counted, with those it spoke of. */
static void log_emit(struct log *log, const struct line *line, unsigned dropped_count)
{
    struct pollfd room = {.fd = log->fd, .events = POLLOUT};

    (void)pthread_mutex_lock(&log->lock);
    if (poll(&room, 1, 0) != 1 || (room.revents & POLLOUT) == 0 ||
        write(log->fd, line->text, line->size_bytes) < 0)
        log->dropped_count += dropped_count + 1;
    (void)pthread_mutex_unlock(&log->lock);
}

void log_write(struct log *log, enum log_level level, const char *msg, ...)
{
    static const char *const names[LOG_LEVEL_MAX] = {"debug", "info", "warn", "error"};
    int64_t now_ns = timestamp_now_ns();
    char text[TIMESTAMP_BYTES];
    unsigned dropped_count = 0;
    struct line line = {.size_bytes = 0};
    va_list pairs;
    const char *key;

    if (log == NULL || level < log->level || level >= LOG_LEVEL_MAX)
        return;
    if (!log_admit(log, now_ns / TIMESTAMP_SECOND_NS, &dropped_count))
        return;
    timestamp_format(now_ns, text);
    line_append_text(&line, "ts=");
    line_append_text(&line, text);
    line_append_pair(&line, "level", names[level]);
    line_append_pair(&line, "msg", msg);
    va_start(pairs, msg);
    while ((key = va_arg(pairs, const char *)) != NULL)
        line_append_pair(&line, key, va_arg(pairs, const char *));
    va_end(pairs);
    if (dropped_count > 0) {
        (void)snprintf(text, sizeof(text), "%u", dropped_count);
        line_append_pair(&line, "dropped_lines", text);
    }
    line.text[line.size_bytes++] = '\n';
    log_emit(log, &line, dropped_count);
}

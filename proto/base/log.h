/* SPDX-License-Identifier: Apache-2.0 */
/* One logfmt line per event on standard error.
 *
 *     ts=2026-11-30T16:21:00.123Z level=info msg="listening" addr=127.0.0.1:4040
 *
 * Control characters and bytes outside UTF-8 are escaped, so nothing from a client can start a
 * line. At most LIMIT_LOG_LINES_PER_SECOND, and never waiting for a full pipe; what was dropped is
 * counted in the next line. Lines of several threads do not mix. Never logs tokens or bodies:
 * callers pass neither. */
#ifndef BRAZIER_PROTO_BASE_LOG_H
#define BRAZIER_PROTO_BASE_LOG_H

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARN, LOG_LEVEL_ERROR, LOG_LEVEL_MAX };

struct log;

/* A log that writes to `fd` lines of at least `level`. NULL: no memory. The fd stays the caller's.
 */
struct log *log_new(int fd, enum log_level level);
void log_free(struct log *log);

/* Writes one line. `msg` is a fixed text; then pairs of `const char *key, const char *value` up to
 * a NULL key. Values are quoted when they need it. A NULL `log` writes nothing. */
void log_write(struct log *log, enum log_level level, const char *msg, ...)
    __attribute__((sentinel));

#endif

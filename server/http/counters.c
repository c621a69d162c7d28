/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of /metrics. */
#include "server/http/counters.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void counters_add(struct counters *counters, enum route_id route, enum status status,
                  uint64_t busy_ns)
{
    atomic_fetch_add_explicit(&counters->answers[route][status], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counters->busy_ns[route], busy_ns, memory_order_relaxed);
}

__attribute__((format(printf, 2, 3))) static void write_line(struct buf *out, const char *format,
                                                             ...)
{
    char line[256];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    buf_append_text(out, line);
    buf_append_char(out, '\n');
}

static void write_figure(struct buf *out, const char *name, const char *kind, const char *help,
                         uint64_t value)
{
    write_line(out, "# HELP %s %s", name, help);
    write_line(out, "# TYPE %s %s", name, kind);
    write_line(out, "%s %" PRIu64, name, value);
}

static void write_answers(struct counters *counters, struct buf *out)
{
    write_line(out, "# HELP brazier_answers_total Answered requests by route and outcome.");
    write_line(out, "# TYPE brazier_answers_total counter");
    for (int route = 0; route < ROUTE_MAX; route++) {
        for (int status = 0; status < STATUS_MAX; status++) {
            uint64_t count = atomic_load(&counters->answers[route][status]);
            if (count > 0)
                write_line(out, "brazier_answers_total{route=\"%s\",code=\"%s\"} %" PRIu64,
                           route_label((enum route_id)route), status_code((enum status)status),
                           count);
        }
    }
    write_line(out, "# HELP brazier_handler_seconds_total Wall time spent in handlers.");
    write_line(out, "# TYPE brazier_handler_seconds_total counter");
    for (int route = 0; route < ROUTE_MAX; route++) {
        uint64_t busy_ns = atomic_load(&counters->busy_ns[route]);
        if (busy_ns > 0)
            write_line(out, "brazier_handler_seconds_total{route=\"%s\"} %" PRIu64 ".%09" PRIu64,
                       route_label((enum route_id)route), busy_ns / 1000000000,
                       busy_ns % 1000000000);
    }
}

static void write_late(const struct deadline_sweeper *sweeper, struct buf *out)
{
    static const struct {
        enum deadline_phase phase;
        const char *label;
    } phases[] = {{DEADLINE_IDLE, "idle"},
                  {DEADLINE_HEADERS, "headers"},
                  {DEADLINE_BODY, "body"},
                  {DEADLINE_SEND, "send"}};

    write_line(out, "# HELP brazier_deadlines_total Connections shut down for being too slow.");
    write_line(out, "# TYPE brazier_deadlines_total counter");
    for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++)
        write_line(out, "brazier_deadlines_total{phase=\"%s\"} %" PRIu64, phases[i].label,
                   deadline_count(sweeper, phases[i].phase));
}

static void write_store(struct store *store, struct buf *out)
{
    struct store_stats stats;

    store_stats(store, &stats);
    write_figure(out, "brazier_profiles_stored_total", "counter", "Profiles made durable.",
                 stats.profiles_stored);
    write_figure(out, "brazier_profiles_repeated_total", "counter",
                 "Uploads that had been stored before.", stats.profiles_repeated);
    write_figure(out, "brazier_commits_total", "counter", "Transactions committed.", stats.commits);
    write_figure(out, "brazier_commit_failures_total", "counter", "Transactions that failed.",
                 stats.commit_failures);
    write_figure(out, "brazier_folded_paths_total", "counter",
                 "Paths folded into (other paths) by full call trees.", stats.folded_paths);
    write_figure(out, "brazier_calltrees", "gauge", "Call trees in memory.", stats.calltree_count);
    write_figure(out, "brazier_calltree_nodes", "gauge", "Nodes of all call trees in memory.",
                 stats.calltree_nodes);
    write_figure(out, "brazier_calltree_bytes", "gauge", "Memory of all call trees.",
                 stats.calltree_bytes);
    write_figure(out, "brazier_database_bytes", "gauge", "Size of the database file.",
                 stats.database_bytes);
}

/* The second figure of /proc/self/statm, in pages; 0 when it cannot be read. */
static uint64_t resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    char line[128] = "";
    char *end = NULL;
    uint64_t pages;

    if (file == NULL)
        return 0;
    if (fgets(line, sizeof(line), file) == NULL)
        line[0] = '\0';
    (void)fclose(file);
    (void)strtoull(line, &end, 10);
    pages = strtoull(end, NULL, 10);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void counters_write(struct counters *counters, const struct deadline_sweeper *sweeper,
                    struct store *store, const struct arena_pool *memory, struct buf *out)
{
    write_answers(counters, out);
    write_figure(out, "brazier_requests_active", "gauge", "Requests being worked on.",
                 atomic_load(&counters->requests_active));
    write_figure(out, "brazier_upload_bytes_total", "counter",
                 "Bytes of accepted uploads, as received.", atomic_load(&counters->body_bytes));
    write_figure(out, "brazier_request_memory_bytes", "gauge",
                 "Memory that requests hold just now.", atomic_load(&memory->used_bytes));
    write_late(sweeper, out);
    write_store(store, out);
    write_figure(out, "process_resident_memory_bytes", "gauge", "Resident memory.",
                 resident_bytes());
}

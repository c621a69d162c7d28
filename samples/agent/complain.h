/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent has to say to its host's standard error: at most one line per reason and process,
 * because a profiler that fills somebody's log is worse than none. */
#ifndef BRAZIER_SAMPLES_AGENT_COMPLAIN_H
#define BRAZIER_SAMPLES_AGENT_COMPLAIN_H

enum complaint {
    COMPLAINT_CONFIG,      /* brazier_start refused */
    COMPLAINT_RESOURCES,   /* a thread, timer or memory could not be had */
    COMPLAINT_THREADS,     /* more threads than AGENT_THREADS, or a timer refused */
    COMPLAINT_LOST,        /* samples did not fit their ring or period */
    COMPLAINT_BUILD,       /* a profile could not be built */
    COMPLAINT_FILE,        /* a profile could not be written */
    COMPLAINT_UNREACHABLE, /* no answer from the server */
    COMPLAINT_BUSY,        /* the server asks to come later (429, 5xx) */
    COMPLAINT_REFUSED,     /* the server refuses the profile (other 4xx) */
    COMPLAINT_SLOW,        /* an upload took longer than a period */
    COMPLAINT_MAX
};

/* Writes "brazier: MESSAGE\n" unless this reason has been given before. Control characters are
 * replaced. Not for signal handlers. */
void complain(enum complaint reason, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

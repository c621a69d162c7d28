/* SPDX-License-Identifier: Apache-2.0 */
/* One period as a pprof: sample types samples/count and cpu/nanoseconds, period type
 * cpu/nanoseconds, a mapping with build id for each binary, functions with file and line, inlined
 * calls as lines of one location, and addresses without a symbol as locations of their mapping. */
#ifndef BRAZIER_SAMPLES_AGENT_PPROF_H
#define BRAZIER_SAMPLES_AGENT_PPROF_H

#include "proto/base/buf.h"
#include "proto/profile.h"
#include "samples/agent/config.h"
#include "samples/agent/period.h"
#include "samples/agent/symbols.h"

/* Root-most frame of stacks deeper than AGENT_FRAMES, and the frame of samples without a stack. */
#define PPROF_TRUNCATED "(stack truncated)"
#define PPROF_LOST      "(samples lost)"

/* The columns of `period`, in `arena`; texts point into `symbols`, which must have been refreshed
 * and must not be until the profile is encoded. STATUS_TOO_LARGE: arena. */
CHECKED enum status pprof_columns(const struct period *period, const struct config *config,
                                  struct symbols *symbols, struct arena *arena, struct error *err,
                                  struct profile *ret_profile);

/* Appends the gzip'd pprof of `period` to `out`. STATUS_TOO_LARGE: AGENT_PROFILE_BYTES or
 * AGENT_MESSAGE_BYTES; STATUS_UNAVAILABLE: no memory. */
CHECKED enum status pprof_write(const struct period *period, const struct config *config,
                                struct symbols *symbols, struct error *err, struct buf *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Where profiles go: the server, or a file. One thread uses it, the poster. */
#ifndef BRAZIER_SAMPLES_AGENT_UPLOAD_H
#define BRAZIER_SAMPLES_AGENT_UPLOAD_H

#include <stdatomic.h>
#include <stdint.h>

#include "proto/base/slice.h"
#include "samples/agent/config.h"
#include "samples/agent/period.h"

enum upload_result {
    UPLOAD_DONE,
    UPLOAD_LATER,   /* no answer, or the server asks to come later */
    UPLOAD_REFUSED, /* it would refuse the same again */
    UPLOAD_MAX
};

struct upload;

/* `config` must outlive the upload. `deadline_ns`: monotonic time past which a transfer is given
 * up, 0 for none; the stopping thread sets it. NULL: no memory. */
struct upload *upload_new(const struct config *config, const _Atomic int64_t *deadline_ns);
void upload_free(struct upload *upload);

/* Posts a gzip'd pprof. Waits at most AGENT_UPLOAD_MS. `ret_retry_after_ms` is what the server asks
 * for with UPLOAD_LATER, at most AGENT_BACKOFF_MAX_MS, 0 when it says nothing. Failures are
 * complained about here. */
enum upload_result upload_post(struct upload *upload, const struct period *period,
                               struct slice bytes, int64_t *ret_retry_after_ms);

/* Writes a gzip'd pprof to config->file (with ".N" when periods are limited), whole or not at all:
 * a reader never sees half a profile. Failures are complained about here. */
void upload_to_file(const struct config *config, const struct period *period, struct slice bytes);

CLEANUP_DEFINE(upload_cleanup, struct upload *, upload_free)

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's settings, resolved: the host's struct, overridden by the environment, defaults filled
 * in, every bound checked. Owns all its text. */
#ifndef BRAZIER_SAMPLES_AGENT_CONFIG_H
#define BRAZIER_SAMPLES_AGENT_CONFIG_H

#include <stdint.h>

#include "proto/base/cleanup.h"
#include "proto/base/error.h"
#include "samples/agent/brazier_agent.h"

struct config {
    char *server_url; /* without a trailing '/' */
    char *token;      /* NULL: none */
    char *file;       /* NULL: post to server_url */
    char *service;    /* never empty */
    char *version;    /* may be empty */
    char *work_unit;  /* may be empty */
    char **labels;    /* "key:value", label_count of them */
    uint32_t label_count;
    int64_t period_ns;   /* INT64_MAX: one period until brazier_stop */
    int64_t interval_ns; /* CPU time between two samples */
};

/* Resolves `given` (NULL: environment and defaults). The caller owns the result until config_free.
 * STATUS_BAD_PARAMETER: a member or variable out of bounds, named in `err`; STATUS_UNAVAILABLE:
 * no memory. */
CHECKED enum status config_resolve(const struct brazier_config *given, struct error *err,
                                   struct config **ret_config);

/* NULL is allowed. */
void config_free(struct config *config);

CLEANUP_DEFINE(config_cleanup, struct config *, config_free)

#endif

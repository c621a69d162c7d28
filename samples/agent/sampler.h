/* SPDX-License-Identifier: Apache-2.0 */
/* The SIGPROF handler: one sample into the ring of the interrupted thread. */
#ifndef BRAZIER_SAMPLES_AGENT_SAMPLER_H
#define BRAZIER_SAMPLES_AGENT_SAMPLER_H

#include "proto/base/error.h"

/* Installs the handler. A handler that was there before gets the signals that are not ours. It is
 * never taken out again: a late SIGPROF would then end the process. STATUS_UNAVAILABLE: refused by
 * the kernel. */
CHECKED enum status sampler_install(struct error *err);

#endif

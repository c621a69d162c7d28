/* SPDX-License-Identifier: Apache-2.0 */
/* Every bound of the agent, with its unit and the harm to the host it prevents. */
#ifndef BRAZIER_SAMPLES_AGENT_BOUNDS_H
#define BRAZIER_SAMPLES_AGENT_BOUNDS_H

#include "proto/base/limits.h"

/* --- configuration --------------------------------------------------------------------------- */

#define AGENT_HZ_DEFAULT       100u
#define AGENT_HZ_MAX           1000u /* past it the handler itself becomes the profile */
#define AGENT_PERIOD_DEFAULT_S 10u
#define AGENT_PERIOD_MAX_S     3600u
#define AGENT_URL_BYTES        2048u
#define AGENT_TOKEN_BYTES      512u
#define AGENT_PATH_BYTES       4096u
#define AGENT_LABELS_BYTES     8192u /* the labels variable as a whole: it becomes part of a URL */

/* --- sampling -------------------------------------------------------------------------------- */

/* Frames kept of one stack, from the leaf. Deeper stacks lose their root side and say so. */
#define AGENT_FRAMES 128u

/* Ring of one thread in 8-byte words (32 KiB): 31 of the deepest stacks. At the kernel's 250 ticks
 * a second and AGENT_COLLECT_MS at most seven wait in it. A power of two. */
#define AGENT_RING_WORDS 4096u

/* Threads profiled at once; further ones stay unseen and a line says so. 32 MiB of rings. */
#define AGENT_THREADS 1024u

/* How often rings are emptied: 40 wake-ups a second. */
#define AGENT_COLLECT_MS 25

/* How often the thread list is read in full even when the number of threads is the same. */
#define AGENT_LIST_MS 250

/* --- one period ------------------------------------------------------------------------------ */

/* Distinct stacks of one period (arena): about 30,000. Samples past it are counted as lost. */
#define AGENT_STACKS_BYTES (8 * LIMIT_MIB)

/* Building and encoding one profile (arena), and the message before compression. */
#define AGENT_PROFILE_BYTES (32 * LIMIT_MIB)
#define AGENT_MESSAGE_BYTES (16 * LIMIT_MIB)

/* Addresses whose symbols are kept, and the memory of that cache. When either is full the cache
 * starts anew: only time is lost. */
#define AGENT_SYMBOLS      65536u
#define AGENT_SYMBOL_BYTES (8 * LIMIT_MIB)

/* Inlined calls at one address; deeper ones are cut at the outer side. */
#define AGENT_INLINES 32u

/* --- upload ---------------------------------------------------------------------------------- */

#define AGENT_CONNECT_MS     3000L
#define AGENT_UPLOAD_MS      10000L
#define AGENT_STOP_MS        5000 /* brazier_stop waits this long for the last upload */
#define AGENT_ANSWER_BYTES   512u /* of a refusal, for the one line that reports it */
#define AGENT_BACKOFF_MIN_MS 1000 /* after the first failure; doubles */
#define AGENT_BACKOFF_MAX_MS 600000

#endif

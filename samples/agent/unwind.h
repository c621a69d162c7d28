/* SPDX-License-Identifier: Apache-2.0 */
/* The stack of the code that a signal interrupted, as addresses.
 *
 * Uses the unwinder of libgcc with call frame information, not frame pointers: GCC omits the frame
 * of leaf functions whatever the flags, and the C library has none, so a frame pointer chain gives
 * the leaf's time to the wrong caller. libgcc finds the information through _dl_find_object, which
 * takes no lock; libunwind would take the loader's lock in the handler, and a host that allocates
 * while it holds that lock (dl_iterate_phdr) could then hang. */
#ifndef BRAZIER_SAMPLES_AGENT_UNWIND_H
#define BRAZIER_SAMPLES_AGENT_UNWIND_H

#include "samples/agent/ring.h"

/* Loads and initialises what unwinding needs, outside any handler. Call once before the first
 * unwind_interrupted. */
void unwind_prepare(void);

/* Fills depth, truncated and pcs of `sample` with the stack below the signal frame whose ucontext_t
 * is `context`, leaf first. Return addresses are moved back by one, into the call. Always at least
 * one frame, the interrupted instruction itself. Async-signal-safe, allocates nothing. */
void unwind_interrupted(const void *context, struct sample *sample);

#endif

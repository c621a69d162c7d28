/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols and debug information of one loaded object, through libdw. */
#ifndef BRAZIER_SAMPLES_AGENT_DEBUGINFO_H
#define BRAZIER_SAMPLES_AGENT_DEBUGINFO_H

#include "samples/agent/symbols.h"

struct debuginfo;

/* Opens what describes `module` (`is_program`: through /proc/self/exe, which survives an upgrade of
 * the file). NULL: nothing usable, or a file that is not the one in memory. */
struct debuginfo *debuginfo_open(const struct module *module, bool is_program);

/* NULL is allowed. */
void debuginfo_close(struct debuginfo *debuginfo);

/* Fills at most `max` frames of `address`, innermost first, and returns how many. The texts live
 * until debuginfo_close. */
uint32_t debuginfo_frames(struct debuginfo *debuginfo, uint64_t address, struct frame *frames,
                          uint32_t max);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* From an address to functions, files and lines, with libdw, remembered.
 *
 * Only for the agent's own thread: look-ups read files and allocate. Debug information is searched
 * on this machine alone (in the file and by build id under /usr/lib/debug), never on a network. A
 * file on disk whose build id differs from the one in memory is not used: wrong names are worse
 * than none. */
#ifndef BRAZIER_SAMPLES_AGENT_SYMBOLS_H
#define BRAZIER_SAMPLES_AGENT_SYMBOLS_H

#include "proto/base/arena.h"
#include "samples/agent/modules.h"

/* One function at an address. */
struct frame {
    const char *function; /* as the compiler calls it: C++ names are mangled */
    const char *file;     /* "" when unknown */
    int64_t line;         /* 0 when unknown */
    int64_t start_line;   /* of the function; 0 when unknown */
};

/* What is known of an address. */
struct place {
    uint32_t module;            /* index into the modules, MODULES_NONE */
    uint32_t frame_count;       /* 0: no symbol */
    const struct frame *frames; /* innermost (inlined) first */
};

struct symbols;

/* NULL: no memory. */
struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);

/* Looks whether objects were loaded or unloaded and forgets everything if so. Call before the
 * look-ups of one profile; what symbols_find gave before is then invalid.
 * STATUS_UNAVAILABLE: no memory. */
CHECKED enum status symbols_refresh(struct symbols *symbols, struct error *err);

/* The modules that places refer to; valid until the next symbols_refresh. */
const struct modules *symbols_modules(const struct symbols *symbols);

/* What is at `address` (inside the instruction). The place is valid until the next
 * symbols_refresh. Never fails: what is unknown is absent. */
struct place symbols_find(struct symbols *symbols, uint64_t address);

CLEANUP_DEFINE(symbols_cleanup, struct symbols *, symbols_free)

#endif

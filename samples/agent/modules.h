/* SPDX-License-Identifier: Apache-2.0 */
/* The executable mappings of the process: which file an address belongs to.
 *
 * A snapshot from dl_iterate_phdr. Nothing is allocated while the loader's lock is held: a host
 * thread interrupted inside malloc must never wait for us. */
#ifndef BRAZIER_SAMPLES_AGENT_MODULES_H
#define BRAZIER_SAMPLES_AGENT_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/cleanup.h"
#include "proto/base/error.h"

#define MODULES_NONE           UINT32_MAX
#define MODULES_BUILD_ID_BYTES 32 /* raw; SHA-1 ids have 20 */

struct module {
    uint64_t start;   /* first address of the executable segment, page aligned */
    uint64_t limit;   /* first address behind it */
    uint64_t offset;  /* of `start` in the file */
    uint64_t bias;    /* run-time address - address in the file's program headers */
    const char *path; /* "/usr/bin/mill"; "[vdso]" */
    char build_id[2 * MODULES_BUILD_ID_BYTES + 1]; /* lower-case hex; "": none */
};

/* Ordered by `start`, but [0] is not the main program: see `main_index`. */
struct modules {
    struct module *modules;
    uint32_t count;
    uint32_t main_index; /* the program itself; MODULES_NONE: not found */
    uint64_t loads;      /* the loader's counters of dlopen and dlclose at the snapshot */
    uint64_t unloads;
    char *paths; /* owns the path bytes */
};

/* Takes a snapshot; the caller owns it until modules_free. STATUS_UNAVAILABLE: no memory. */
CHECKED enum status modules_read(struct error *err, struct modules **ret_modules);

/* NULL is allowed. */
void modules_free(struct modules *modules);

/* False when something was loaded or unloaded since the snapshot. */
bool modules_are_current(const struct modules *modules);

/* The index of the module that holds `address`; MODULES_NONE. */
uint32_t modules_find(const struct modules *modules, uint64_t address);

CLEANUP_DEFINE(modules_cleanup, struct modules *, modules_free)

#endif

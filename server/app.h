/* SPDX-License-Identifier: Apache-2.0 */
/* What all requests share. `main` makes it, owns it, and outlives every thread that sees it. */
#ifndef BRAZIER_SERVER_APP_H
#define BRAZIER_SERVER_APP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "proto/base/arena.h"
#include "proto/base/log.h"
#include "server/config.h"
#include "server/http/auth.h"
#include "server/http/counters.h"
#include "storage/store.h"

struct app {
    const struct config *config;
    struct store *store;
    struct auth *auth; /* NULL: no token needed */
    struct log *log;
    struct arena_pool memory; /* arenas, bodies and answers of all requests */
    struct counters counters;
    atomic_bool draining; /* shutting down: no new work */
};

#endif

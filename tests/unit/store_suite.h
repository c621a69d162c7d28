/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of storage/store.h as tests, for any engine.
 *
 * An engine's test program tells how to get an empty store, and how to close one and open it again
 * with what it holds; the suite does the rest through store.h alone. */
#ifndef BRAZIER_TESTS_UNIT_STORE_SUITE_H
#define BRAZIER_TESTS_UNIT_STORE_SUITE_H

#include "storage/store.h"

struct store_suite_engine {
    const char *name;
    struct store *(*open_empty)(void);            /* aborts on failure, as the next */
    struct store *(*reopen)(struct store *store); /* closes it first */
    void (*destroy)(struct store *store);         /* closes it and forgets what it held */
};

/* Runs all tests; the number of failures, as cmocka gives it. */
int store_suite_run(const struct store_suite_engine *engine);

#endif

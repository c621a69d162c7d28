/* SPDX-License-Identifier: Apache-2.0 */
/* A store that answers every tally with a tree made by the test, and queries made from text.
 *
 * Tests of views build a call tree by hand or at random, give its nodes values on one or two sides,
 * and ask a view the way the HTTP layer does. */
#ifndef BRAZIER_TESTS_UNIT_SUPPORT_VIEW_FIXTURE_H
#define BRAZIER_TESTS_UNIT_SUPPORT_VIEW_FIXTURE_H

#include <cjson/cJSON.h>

#include "server/view/tree.h"
#include "server/view/views.h"

#define FIXTURE_NODES 4096u /* room for values by default */

struct fixture {
    struct store store; /* first: the views see only this */
    struct arena *arena;
    struct calltree *tree;
    uint32_t capacity;
    int64_t *self[2];
    uint32_t side_count; /* what the tally answers; the query must agree */
    uint64_t profiles[2];
    struct store_selection asked[2]; /* of the latest tally or list */
    uint32_t asked_count;
    struct store_page page;       /* what list answers */
    struct store_catalog catalog; /* what catalog answers */
    struct slice body;            /* what raw answers */
    uint32_t held;                /* tallies not released */
    struct error err;
};

/* A fixture whose tree has room for `capacity` nodes; release with fixture_free. */
void fixture_init(struct fixture *fixture, uint32_t capacity);
void fixture_free(struct fixture *fixture);

/* The node at "main;walk;visit" below the root, made as needed; a frame may be "name@file". */
uint32_t fixture_path(struct fixture *fixture, const char *path);

/* A random tree of `nodes` nodes over `functions` functions, self values within +-`reach` (only
 * positive when not `negative`), about half of them 0. */
void fixture_random(struct fixture *fixture, uint32_t nodes, uint32_t functions, int64_t reach,
                    bool negative, uint64_t *state);

/* The tally that the store answers, and its summed tree. */
struct store_tally fixture_tally(struct fixture *fixture);
struct tree fixture_tree(struct fixture *fixture);

/* A query from "key=value&key=value": no escapes; "key" alone has no value. Lives in the arena. */
struct query fixture_query(struct fixture *fixture, const char *text);

/* Asks a view; the answer must be OK and is parsed, else the test fails. */
cJSON *fixture_ask(struct fixture *fixture, view_function *view, const char *query);

/* Asks a view that must fail, and returns its status; the reason is in fixture->err. */
enum status fixture_refuse(struct fixture *fixture, view_function *view, const char *query);

/* Integers of an answer, numbers and decimal strings alike; the test fails on anything else. */
int64_t fixture_integer(const cJSON *item);
int64_t fixture_at(const cJSON *array, uint32_t index);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The call tree: the dictionary that turns stacks into node numbers.
 *
 * Node 0 is the root; every other node is (parent node, function), a function is (name, file).
 * Numbers are given in order of arrival, so a parent's number is always smaller than its
 * children's: one pass from the last node to the first sums subtrees. The tree only grows.
 *
 * Threads: one thread at a time may intern (the owner holds its own lock). Readers need no lock:
 * entries below a count they have read (calltree_node_count, calltree_function_count; both are
 * acquire loads) never change and never move. All names are valid UTF-8, kept by the tree until
 * calltree_free. */
#ifndef BRAZIER_STORAGE_CALLTREE_H
#define BRAZIER_STORAGE_CALLTREE_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/cleanup.h"
#include "proto/base/error.h"
#include "proto/base/slice.h"

#define CALLTREE_ROOT 0u

/* What a full tree calls the paths and functions it has no more room for. */
#define CALLTREE_OTHER_PATHS     "(other paths)"
#define CALLTREE_OTHER_FUNCTIONS "(other functions)"

struct calltree;

/* An empty tree: the root (it counts as a node) and no function. Reserves address space for
 * `max_nodes` + LIMIT_CALLTREE_OTHER_NODES nodes at once but touches memory only as it grows.
 * STATUS_UNAVAILABLE: no memory. */
CHECKED enum status calltree_new(uint32_t max_nodes, struct error *err, struct calltree **ret_tree);
void calltree_free(struct calltree *tree);
CLEANUP_DEFINE(calltree_cleanup, struct calltree *, calltree_free)

/* The number of function (name, file), added if new; both must be valid UTF-8 and are copied.
 * A tree full of functions answers with "(other functions)". STATUS_UNAVAILABLE: no memory. */
CHECKED enum status calltree_function(struct calltree *tree, struct slice name, struct slice file,
                                      struct error *err, uint32_t *ret_function);

/* Whether the tree knows function (name, file), and by which number. The arguments may be any
 * bytes: a name that is found is valid UTF-8, as all that the tree holds. For the interning thread.
 * STATUS_UNAVAILABLE: no memory. */
CHECKED enum status calltree_find_function(struct calltree *tree, struct slice name,
                                           struct slice file, struct error *err, bool *ret_found,
                                           uint32_t *ret_function);

/* Adds the next function or node as it is, without looking for an equal one: for loading what a
 * tree once gave out, in that order. `parent` and `function` must be below the counts.
 * STATUS_UNAVAILABLE: no memory; STATUS_INTERNAL: numbers or counts that no tree gives out. */
CHECKED enum status calltree_append_function(struct calltree *tree, struct slice name,
                                             struct slice file, struct error *err);
CHECKED enum status calltree_append_node(struct calltree *tree, uint32_t parent, uint32_t function,
                                         struct error *err);

/* The number of the child of `parent` for `function`, added if new. In a full tree a new path
 * becomes the "(other paths)" child of its deepest known ancestor, and below such a node every
 * child is that node itself, so sums stay exact. STATUS_UNAVAILABLE: no memory. */
CHECKED enum status calltree_child(struct calltree *tree, uint32_t parent, uint32_t function,
                                   struct error *err, uint32_t *ret_node);

uint32_t calltree_node_count(const struct calltree *tree); /* >= 1: the root counts */
uint32_t
calltree_function_count(const struct calltree *tree); /* nodes below the count use only these */
uint64_t calltree_folded_count(const struct calltree *tree); /* paths folded since it was made */
uint64_t calltree_memory_bytes(const struct calltree *tree); /* touched, not reserved */

/* Columns, valid below the counts read before. parents[0] is 0; functions[0] means nothing. */
const uint32_t *calltree_parents(const struct calltree *tree);
const uint32_t *calltree_functions(const struct calltree *tree);

/* Name and file of a function; valid until calltree_free. */
struct slice calltree_name(const struct calltree *tree, uint32_t function);
struct slice calltree_file(const struct calltree *tree, uint32_t function);

/* Adds to `into` the nodes of `from` that `wanted` marks (their ancestors must be marked too; NULL:
 * all), below its first `node_count` ones. `ret_nodes[i]`, given by the caller with room for
 * node_count, is the number of from's node i in `into`; unmarked nodes are left as they were. */
CHECKED enum status calltree_fold(struct calltree *into, const struct calltree *from,
                                  uint32_t node_count, const bool *wanted, struct error *err,
                                  uint32_t *ret_nodes);

#endif

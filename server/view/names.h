/* SPDX-License-Identifier: Apache-2.0 */
/* The string tables of an answer: names and files of the functions that it shows, each once.
 *
 * Positions are given in order of first use, so equal answers have equal tables. Strings are the
 * call tree's own or static; the tables live in the arena. */
#ifndef BRAZIER_SERVER_VIEW_NAMES_H
#define BRAZIER_SERVER_VIEW_NAMES_H

#include "server/view/json.h"
#include "server/view/tree.h"

/* A list of distinct strings with a seeded hash over it: names are hostile. */
struct names {
    struct arena *arena;
    struct slice *strings;
    uint32_t count, capacity;
    uint32_t *slots; /* position + 1; 0: free */
    uint32_t mask;   /* slots - 1, slots a power of two >= 2 * capacity */
    uint64_t seed;
};

/* Both tables of an answer, and which places a function has in them. files[0] is "". */
struct symbols {
    struct names names, files;
    int32_t *name_of, *file_of; /* [function], -1: not asked for yet */
};

/* Empty tables for the functions of `tree`; trees derived from it share them. */
CHECKED enum status symbols_init(struct symbols *symbols, const struct tree *tree,
                                 struct arena *arena, struct error *err);

/* The places of a node's name and file, added if new. */
CHECKED enum status symbols_of_node(struct symbols *symbols, const struct tree *tree, uint32_t node,
                                    struct error *err, int32_t *ret_name, int32_t *ret_file);

/* Writes "names" and "files". */
void symbols_write(struct json *json, const struct symbols *symbols);

#endif

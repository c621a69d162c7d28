/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of one call tree: (name, file) to number and back.
 *
 * Numbers count from 0 in order of arrival and never change. The table copies the names and keeps
 * them until function_table_free. One thread at a time may add; readers need no lock and read below
 * a count they have taken from function_table_count (an acquire load). */
#ifndef BRAZIER_STORAGE_FUNCTION_TABLE_H
#define BRAZIER_STORAGE_FUNCTION_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/slice.h"

/* Names that function_table_add_reserved may add to a full table; one of them is `full_name`. */
#define FUNCTION_TABLE_RESERVED 2u

struct function_table;

/* An empty table for `max_functions` (>= 1), and FUNCTION_TABLE_RESERVED more for names that say
 * "full". `full_name` (static text) is what new functions are called when there is no more room.
 * STATUS_UNAVAILABLE: no memory. */
CHECKED enum status function_table_new(uint32_t max_functions, struct slice full_name,
                                       struct error *err, struct function_table **ret_table);
void function_table_free(struct function_table *table);

/* The number of (name, file), added if new. A table with `max_functions` functions, or with
 * LIMIT_CALLTREE_NAME_BYTES of names, answers for a new one with that of `full_name`.
 * STATUS_UNAVAILABLE: no memory. */
CHECKED enum status function_table_add(struct function_table *table, struct slice name,
                                       struct slice file, struct error *err,
                                       uint32_t *ret_function);

/* Whether (name, file), any bytes, is there, and under which number. For the adding thread.
 * STATUS_UNAVAILABLE: no memory. */
CHECKED enum status function_table_find(struct function_table *table, struct slice name,
                                        struct slice file, struct error *err, bool *ret_found,
                                        uint32_t *ret_function);

/* As function_table_add for a stand-in without a file, which even a full table has room for. */
CHECKED enum status function_table_add_reserved(struct function_table *table, struct slice name,
                                                struct error *err, uint32_t *ret_function);

/* Adds (name, file) without looking whether it is there, for loading what an equal table once gave
 * out. STATUS_UNAVAILABLE: no memory; STATUS_INTERNAL: no room, so it cannot come from here. */
CHECKED enum status function_table_append(struct function_table *table, struct slice name,
                                          struct slice file, struct error *err);

uint32_t function_table_count(const struct function_table *table);
uint64_t function_table_memory_bytes(const struct function_table *table); /* from any thread */

/* Name and file of a number below a count read before. */
struct slice function_table_name(const struct function_table *table, uint32_t function);
struct slice function_table_file(const struct function_table *table, uint32_t function);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Real and malformed profiles from a folder outside the repository.
 *
 * The environment variable BRAZIER_CORPUS names it; without it, a folder shared/corpus beside the
 * repository is tried. Tests that find none say SKIP and pass. */
#ifndef BRAZIER_TESTS_CORPUS_H
#define BRAZIER_TESTS_CORPUS_H

#include <stddef.h>

#include "proto/base/slice.h"

/* The folder's path, static, or NULL after a plain "SKIP" line on standard output. */
const char *corpus_folder(void);

/* A file's bytes, malloc'd for the caller to free; data is NULL when it cannot be read. `folder`
 * and `name` are joined with '/'. */
struct slice corpus_read(const char *folder, const char *name);

/* Calls `visit` for every regular file directly in the folder, in no order. Returns how many. */
size_t corpus_each(const char *folder, void (*visit)(const char *name, struct slice bytes));

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that shakesapp searches: CORPUS_TEXTS gzip files of generated lines, the same on every
 * machine, in which the four queries match a known number of lines. */
#ifndef BRAZIER_SAMPLES_SHAKESAPP_CORPUS_H
#define BRAZIER_SAMPLES_SHAKESAPP_CORPUS_H

#include <stdbool.h>
#include <stdint.h>

#define CORPUS_TEXTS      42
#define CORPUS_TEXT_LINES 4000

struct corpus_query {
    const char *text;
    int64_t matching_lines;
};

/* What clients ask for, with the right answers. */
#define CORPUS_QUERIES 4
extern const struct corpus_query corpus_queries[CORPUS_QUERIES];

/* Writes the texts into `directory` unless they are there already; creates it if need be. An
 * interrupted call leaves no incomplete text behind. False: it could not, errno says why. */
bool corpus_make(const char *directory);

/* The path of text `index`, as malloc'd text. NULL: no memory. */
char *corpus_path(const char *directory, int index);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a request: count the lines of the corpus that match a query. Its versions are what
 * this sample is about; all give the same counts.
 *
 *   1  compiles the query as a regular expression for every line
 *   2  searches the query as a substring */
#ifndef BRAZIER_SAMPLES_SHAKESAPP_SEARCH_H
#define BRAZIER_SAMPLES_SHAKESAPP_SEARCH_H

#include <stdint.h>

#define SEARCH_VERSIONS 2

struct search {
    const char *corpus_directory;
    int version; /* 1 to SEARCH_VERSIONS */
};

/* Lines that match, whatever the case of their letters; -1: a text could not be read, or no
 * memory. Any number of threads may search at once. */
int64_t get_match_count(const struct search *search, const char *query);

#endif

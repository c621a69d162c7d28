/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and searches the texts, line by line. In: a query. Out: a number of lines. The functions
 * are not inlined, so that each is a frame in the profile; it wastes on purpose what the tutorial
 * then takes away. */
#include "samples/shakesapp/search.h"

#include <ctype.h>
#include <pthread.h>
#include <regex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "samples/shakesapp/corpus.h"
#include "samples/shakesapp/text.h"

#define NOINLINE __attribute__((noinline))
#define READERS  4 /* threads that read the texts of one request */

struct reading {
    const struct search *search;
    struct text texts[CORPUS_TEXTS];
    atomic_int next;
    atomic_bool failed;
};

static NOINLINE void *read_file_worker(void *opaque)
{
    struct reading *reading = opaque;

    for (int i = atomic_fetch_add(&reading->next, 1); i < CORPUS_TEXTS;
         i = atomic_fetch_add(&reading->next, 1)) {
        char *path = corpus_path(reading->search->corpus_directory, i);
        if (!path || !text_read(path, &reading->texts[i]))
            atomic_store(&reading->failed, true);
        free(path);
    }
    return NULL;
}

/* Reads all texts, READERS at a time. False: one could not be read. */
static NOINLINE bool read_files(struct reading *reading)
{
    pthread_t readers[READERS];
    int started = 0;

    while (started < READERS &&
           pthread_create(&readers[started], NULL, read_file_worker, reading) == 0)
        started++;
    if (started == 0)
        read_file_worker(reading);
    for (int i = 0; i < started; i++)
        pthread_join(readers[i], NULL);
    return !atomic_load(&reading->failed);
}

/* A lower-case copy, NUL-terminated; NULL: no memory. */
static NOINLINE char *lower_dup(const char *text, size_t size_bytes)
{
    char *lower = malloc(size_bytes + 1);

    if (!lower)
        return NULL;
    for (size_t i = 0; i < size_bytes; i++)
        lower[i] = (char)tolower((unsigned char)text[i]);
    lower[size_bytes] = '\0';
    return lower;
}

static NOINLINE bool match_regex(const char *line, const char *query)
{
    regex_t pattern;

    if (regcomp(&pattern, query, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    bool matches = regexec(&pattern, line, 0, NULL, 0) == 0;
    regfree(&pattern);
    return matches;
}

static NOINLINE bool match_substring(const char *line, const char *query)
{
    return strstr(line, query) != NULL;
}

static NOINLINE bool line_matches(const struct search *search, const char *line, size_t size_bytes,
                                  const char *query)
{
    char *lower_line = lower_dup(line, size_bytes);
    char *lower_query = lower_dup(query, strlen(query));
    bool matches = false;

    if (lower_line && lower_query)
        matches = search->version == 1 ? match_regex(lower_line, lower_query)
                                       : match_substring(lower_line, lower_query);
    free(lower_query);
    free(lower_line);
    return matches;
}

static NOINLINE int64_t count_lines(const struct search *search, const struct text *text,
                                    const char *query)
{
    const char *at = text->bytes;
    const char *end = text->bytes + text->size_bytes;
    int64_t count = 0;

    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end)
            line_end = end;
        count += line_matches(search, at, (size_t)(line_end - at), query);
        at = line_end + 1;
    }
    return count;
}

NOINLINE int64_t get_match_count(const struct search *search, const char *query)
{
    struct reading reading = {.search = search};
    int64_t count = read_files(&reading) ? 0 : -1;

    for (int i = 0; i < CORPUS_TEXTS; i++) {
        if (count >= 0)
            count += count_lines(search, &reading.texts[i], query);
        text_free(&reading.texts[i]);
    }
    return count;
}

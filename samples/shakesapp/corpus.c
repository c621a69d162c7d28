/* SPDX-License-Identifier: Apache-2.0 */
/* Generates the corpus. In: a fixed seed and a list of words, none of which contains a query. Out:
 * gzip files, about 6 MB of text. Lines that match are planted at places drawn from the same
 * generator, each query in its own lines. */
#include "samples/shakesapp/corpus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#define LINES      (CORPUS_TEXTS * CORPUS_TEXT_LINES)
#define LINE_WORDS 7
#define LINE_BYTES 160
#define SEED       UINT64_C(0x5bd1e995cafef00d)

const struct corpus_query corpus_queries[CORPUS_QUERIES] = {
    {"hello", 349},
    {"world", 728},
    {"to be, or not to be", 1},
    {"insolence", 14},
};

/* What is planted for query i; "Othello" matches hello, as it does in the plays. */
static const char *const planted[CORPUS_QUERIES][2] = {
    {"hello", "Othello"},
    {"world", "the World"},
    {"To be, or not to be: that is the question", "To be, or not to be: that is the question"},
    {"the insolence of office", "insolence"},
};

static const char *const words[] = {
    "king",    "crown",  "night",  "sword",    "sweet",   "sorrow",  "fair",   "thou",
    "art",     "upon",   "shall",  "never",    "speak",   "gentle",  "heart",  "honour",
    "death",   "love",   "blood",  "noble",    "brother", "queen",   "mercy",  "ghost",
    "thunder", "winter", "summer", "candle",   "stage",   "player",  "fool",   "madness",
    "castle",  "battle", "letter", "poison",   "garden",  "moon",    "silver", "tempest",
    "island",  "spirit", "music",  "daughter", "father",  "kingdom", "horse",  "grave",
};

#define WORDS (sizeof(words) / sizeof(words[0]))

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Which query each line answers: index + 1, 0 for none. malloc'd. */
static uint8_t *plant(uint64_t *random)
{
    uint8_t *plan = calloc(LINES, 1);

    for (int query = 0; plan && query < CORPUS_QUERIES; query++) {
        for (int64_t left = corpus_queries[query].matching_lines; left > 0;) {
            uint64_t line = next_random(random) % LINES;
            if (plan[line] != 0)
                continue;
            plan[line] = (uint8_t)(query + 1);
            left--;
        }
    }
    return plan;
}

static void append(char line[LINE_BYTES], const char *word)
{
    size_t used = strlen(line);

    snprintf(line + used, LINE_BYTES - used, "%s%s", used > 0 ? " " : "", word);
}

static void make_line(char line[LINE_BYTES], uint8_t plan, uint64_t *random)
{
    uint64_t count = 3 + next_random(random) % (LINE_WORDS - 3);
    uint64_t where = next_random(random) % count;

    line[0] = '\0';
    for (uint64_t i = 0; i < count; i++) {
        if (plan != 0 && i == where)
            append(line, planted[plan - 1][next_random(random) % 2]);
        append(line, words[next_random(random) % WORDS]);
    }
    if (line[0] >= 'a' && line[0] <= 'z')
        line[0] = (char)(line[0] - 'a' + 'A');
}

/* Writes one text under another name first, so that a text that exists is whole. */
static bool write_text(const char *path, const uint8_t *plan, uint64_t *random)
{
    char *part = NULL;
    char line[LINE_BYTES];

    if (asprintf(&part, "%s.part", path) < 0)
        return false;
    gzFile file = gzopen(part, "wb6");
    bool good = file != NULL;
    for (int i = 0; i < CORPUS_TEXT_LINES && good; i++) {
        make_line(line, plan[i], random);
        good = gzprintf(file, "%s\n", line) > 0;
    }
    if (file)
        good = gzclose(file) == Z_OK && good;
    good = good && rename(part, path) == 0;
    free(part);
    return good;
}

char *corpus_path(const char *directory, int index)
{
    char *path = NULL;

    return asprintf(&path, "%s/text-%02d.gz", directory, index) < 0 ? NULL : path;
}

static bool is_complete(const char *directory)
{
    char *last = corpus_path(directory, CORPUS_TEXTS - 1);
    bool complete = last && access(last, R_OK) == 0;

    free(last);
    return complete;
}

bool corpus_make(const char *directory)
{
    uint64_t random = SEED;

    if (mkdir(directory, 0755) != 0 && errno != EEXIST)
        return false;
    if (is_complete(directory))
        return true;
    uint8_t *plan = plant(&random);
    bool good = plan != NULL;
    for (int i = 0; i < CORPUS_TEXTS && good; i++) {
        char *path = corpus_path(directory, i);
        good = path && write_text(path, plan + (size_t)i * CORPUS_TEXT_LINES, &random);
        free(path);
    }
    free(plan);
    return good;
}

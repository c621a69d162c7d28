/* SPDX-License-Identifier: Apache-2.0 */
/* One walk over a pattern, looking for what only PCRE2 understands.
 *
 * Input: the pattern as written in a profile. Output: yes or no. Keeps no parse tree: groups need
 * only their opening looked at, classes their end found, and a quantifier its predecessor. */
#include "proto/re2_syntax.h"

#include <stdint.h>

/* RE2 refuses larger repetition counts. */
#define RE2_REPEAT_MAX 1000

struct walk {
    const char *at;
    const char *end;
    bool after_quantifier; /* RE2 has no possessive or nested quantifiers */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

/* The character `ahead` places on; NUL past the end, which no rule here asks for. */
static char peek(const struct walk *w, size_t ahead)
{
    return (size_t)(w->end - w->at) > ahead ? w->at[ahead] : '\0';
}

/* \Q...\E quotes; without \E to the end. */
static void skip_quotation(struct walk *w)
{
    for (w->at += 2; w->at < w->end; w->at++) {
        if (peek(w, 0) == '\\' && peek(w, 1) == 'E') {
            w->at += 2;
            return;
        }
    }
}

static bool skip_escape(struct walk *w, bool in_class)
{
    char c = peek(w, 1);

    if (c == 'Q' && !in_class) {
        skip_quotation(w);
        return true;
    }
    if (c >= '1' && c <= '9' && !(is_octal(c) && is_octal(peek(w, 2))))
        return false; /* a back reference */
    if (is_word(c) && c != '_' && !is_digit(c) && !is_one_of(c, "aftnrvdDsSwWpPx") &&
        (in_class || !is_one_of(c, "AbBz")))
        return false; /* \K \R \X \G \Z \h \g \k ... */
    w->at += w->end - w->at >= 2 ? 2 : 1;
    return true;
}

static bool skip_class(struct walk *w)
{
    w->at++;
    if (peek(w, 0) == '^')
        w->at++;
    if (peek(w, 0) == ']')
        w->at++; /* first: literal */
    while (w->at < w->end && *w->at != ']') {
        if (*w->at == '\\') {
            if (!skip_escape(w, true))
                return false;
        } else if (*w->at == '[' && peek(w, 1) == ':') {
            for (w->at += 2; w->at < w->end && *w->at != ':' && *w->at != ']'; w->at++)
                ;
            w->at += peek(w, 0) == ':' && peek(w, 1) == ']' ? 2 : 0;
        } else {
            w->at++;
        }
    }
    if (w->at < w->end)
        w->at++;
    return true;
}

/* "(?": flags and plain, capturing and named groups; all else is PCRE2's alone, and "(*" as well.
 */
static bool skip_group_start(struct walk *w)
{
    if (peek(w, 1) == '*')
        return false;
    if (peek(w, 1) != '?') {
        w->at++;
        return true;
    }
    w->at += 2;
    if (peek(w, 0) == 'P')
        return peek(w, 1) == '<';
    if (peek(w, 0) == '<')
        return is_word(peek(w, 1));
    while (is_one_of(peek(w, 0), "imsU-"))
        w->at++;
    if (peek(w, 0) != ':' && peek(w, 0) != ')')
        return false;
    w->after_quantifier = peek(w, 0) == ')'; /* "(?i)*" repeats nothing */
    w->at++;
    return true;
}

/* The length of "{n}", "{n,}" or "{n,m}" here, 0 if the brace is literal, SIZE_MAX if a count is
 * too great. */
static size_t repeat_length(const struct walk *w)
{
    size_t i = 1;
    bool comma = false;
    uint32_t count = 0;

    if (!is_digit(peek(w, 1)))
        return 0;
    for (;; i++) {
        char c = peek(w, i);

        if (c == '}')
            return i + 1;
        if (c == ',' && !comma) {
            comma = true;
            count = 0;
        } else if (is_digit(c)) {
            count = count * 10 + (uint32_t)(c - '0');
            if (count > RE2_REPEAT_MAX)
                return SIZE_MAX;
        } else {
            return 0;
        }
    }
}

static bool skip_quantifier(struct walk *w, size_t length)
{
    if (w->after_quantifier || length == SIZE_MAX)
        return false;
    w->at += length;
    if (peek(w, 0) == '?')
        w->at++; /* lazy */
    w->after_quantifier = true;
    return true;
}

static bool skip_item(struct walk *w)
{
    size_t repeat = *w->at == '{' ? repeat_length(w) : 0;

    if (is_one_of(*w->at, "*+?"))
        return skip_quantifier(w, 1);
    if (repeat > 0)
        return skip_quantifier(w, repeat);
    w->after_quantifier = false;
    switch (*w->at) {
    case '\\':
        return skip_escape(w, false);
    case '[':
        return skip_class(w);
    case '(':
        return skip_group_start(w);
    default:
        w->at++;
        return true;
    }
}

bool re2_syntax_allows(struct slice pattern)
{
    struct walk w = {.at = pattern.data, .end = pattern.data + pattern.size_bytes};

    while (w.at < w.end)
        if (!skip_item(&w))
            return false;
    return true;
}

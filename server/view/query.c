/* SPDX-License-Identifier: Apache-2.0 */
/* First step of every request behind the router: which parameters are there, and what they say.
 *
 * In: pairs of bytes as the URL had them; out: integers, fractions, times and choices, or a
 * refusal that names the parameter. Knows no selection and no store; never guesses. */
#include "server/view/query.h"

#include "proto/base/limits.h"
#include "proto/base/timestamp.h"
#include "proto/base/utf8.h"

#define QUERY_BASE_PREFIX "base_"

/* Longest part of a stranger's key that a message repeats. */
#define QUERY_KEY_SHOWN 64

/* 10^18 is the largest power of ten whose product with 9 fits a uint64. */
#define QUERY_FRACTION_DIGITS 18

struct query_rule {
    const char *key;
    unsigned groups; /* routes that know any of these know the parameter */
    bool repeats;
    bool later; /* in the contract, not served yet */
};

static const struct query_rule query_rules[] = {
    {"service", QUERY_UPLOAD | QUERY_SELECTION, false, false},
    {"type", QUERY_UPLOAD | QUERY_SELECTION, false, false},
    {"version", QUERY_SELECTION, true, false},
    {"version", QUERY_UPLOAD, false, false},
    {"label", QUERY_UPLOAD | QUERY_SELECTION, true, false},
    {"time", QUERY_UPLOAD, false, false},
    {"duration", QUERY_UPLOAD, false, false},
    {"work", QUERY_UPLOAD, false, false},
    {"work_unit", QUERY_UPLOAD, false, false},
    {"metric", QUERY_SELECTION, false, false},
    {"from", QUERY_SELECTION, false, false},
    {"until", QUERY_SELECTION, false, false},
    {"profile", QUERY_SELECTION, false, false},
    {"having", QUERY_SELECTION, false, false},
    {"tag", QUERY_SELECTION, true, true},
    {"weight", QUERY_SELECTION, false, true},
    {"show_stacks", QUERY_TREE | QUERY_ROWS | QUERY_FUNCTION, true, true},
    {"hide_stacks", QUERY_TREE | QUERY_ROWS | QUERY_FUNCTION, true, true},
    {"show_from", QUERY_TREE | QUERY_ROWS | QUERY_FUNCTION, true, true},
    {"hide_frames", QUERY_TREE | QUERY_ROWS | QUERY_FUNCTION, true, true},
    {"only_frames", QUERY_TREE | QUERY_ROWS | QUERY_FUNCTION, true, true},
    {"min_fraction", QUERY_TREE, false, false},
    {"max_nodes", QUERY_TREE, false, false},
    {"root", QUERY_ZOOM, false, false},
    {"limit", QUERY_LIMIT, false, false},
    {"sort", QUERY_ROWS, false, false},
    {"order", QUERY_ROWS, false, false},
    {"offset", QUERY_ROWS, false, false},
    {"q", QUERY_ROWS, false, false},
    {"function", QUERY_FUNCTION, false, false},
    {"file", QUERY_FUNCTION, false, false},
    {"cursor", QUERY_CURSOR, false, false},
};

static bool query_is(struct slice key, const char *name)
{
    return slice_equal(key, slice_of(name));
}

/* The rule for `key` on a route that knows `groups`, or NULL. */
static const struct query_rule *query_rule_of(struct slice key, unsigned groups)
{
    struct slice prefix = slice_of(QUERY_BASE_PREFIX);

    if ((groups & QUERY_COMPARISON) != 0 && key.size_bytes > prefix.size_bytes &&
        memcmp(key.data, prefix.data, prefix.size_bytes) == 0) {
        key = slice_make(key.data + prefix.size_bytes, key.size_bytes - prefix.size_bytes);
        groups = QUERY_SELECTION;
    }
    for (size_t i = 0; i < sizeof(query_rules) / sizeof(query_rules[0]); i++) {
        if ((query_rules[i].groups & groups) != 0 && query_is(key, query_rules[i].key))
            return &query_rules[i];
    }
    return NULL;
}

/* Whether an earlier pair has the key of pair `index`. The count is bounded by the HTTP layer. */
static bool query_repeated(const struct query *query, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++) {
        if (slice_equal(query->pairs[i].key, query->pairs[index].key))
            return true;
    }
    return false;
}

static enum status query_refuse_pair(const struct query_pair *pair, uint32_t index,
                                     struct error *err, const char *what)
{
    size_t shown = pair->key.size_bytes < QUERY_KEY_SHOWN ? pair->key.size_bytes : QUERY_KEY_SHOWN;

    return error_set_at(err, STATUS_BAD_PARAMETER, "parameter", index, ERROR_NONE,
                        "parameter \"%.*s\": %s", (int)shown,
                        pair->key.data == NULL ? "" : pair->key.data, what);
}

enum status query_check(const struct query *query, unsigned groups, struct error *err)
{
    if (query->count > LIMIT_QUERY_PARAMETERS)
        return error_set_at(err, STATUS_BAD_PARAMETER, "parameter", ERROR_NONE,
                            LIMIT_QUERY_PARAMETERS, "%u parameters, at most %u", query->count,
                            LIMIT_QUERY_PARAMETERS);
    for (uint32_t i = 0; i < query->count; i++) {
        const struct query_pair *pair = &query->pairs[i];
        const struct query_rule *rule = query_rule_of(pair->key, groups);
        if (rule == NULL)
            return query_refuse_pair(pair, i, err, "unknown here");
        if (rule->later)
            return query_refuse_pair(pair, i, err, "not supported yet");
        if (!pair->has_value)
            return query_refuse_pair(pair, i, err, "has no value");
        if (!utf8_valid(pair->value))
            return query_refuse_pair(pair, i, err, "is not valid UTF-8");
        if (!rule->repeats && query_repeated(query, i))
            return query_refuse_pair(pair, i, err, "given twice");
    }
    return STATUS_OK;
}

const struct query_pair *query_next(const struct query *query, const char *key, uint32_t *at)
{
    while (*at < query->count) {
        const struct query_pair *pair = &query->pairs[(*at)++];
        if (query_is(pair->key, key))
            return pair;
    }
    return NULL;
}

const struct query_pair *query_find(const struct query *query, const char *key)
{
    uint32_t at = 0;

    return query_next(query, key, &at);
}

enum status query_refuse(const char *key, struct error *err, const char *what)
{
    return error_set_at(err, STATUS_BAD_PARAMETER, key, ERROR_NONE, ERROR_NONE, "%s: %s", key,
                        what);
}

/* Decimal digits only, within uint64. */
static bool query_digits(struct slice text, uint64_t *ret_value)
{
    uint64_t value = 0;

    if (text.size_bytes == 0)
        return false;
    for (size_t i = 0; i < text.size_bytes; i++) {
        unsigned digit = (unsigned char)text.data[i] - (unsigned)'0';
        if (digit > 9 || __builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return false;
    }
    *ret_value = value;
    return true;
}

enum status query_uint(const struct query *query, const char *key, uint64_t absent, uint64_t min,
                       uint64_t max, struct error *err, uint64_t *ret_value)
{
    const struct query_pair *pair = query_find(query, key);
    uint64_t value = absent;

    if (pair != NULL && (!query_digits(pair->value, &value) || value < min || value > max))
        return error_set_at(err, STATUS_BAD_PARAMETER, key, ERROR_NONE, ERROR_NONE,
                            "%s: not an integer from %llu to %llu", key, (unsigned long long)min,
                            (unsigned long long)max);
    *ret_value = value;
    return STATUS_OK;
}

enum status query_choice(const struct query *query, const char *key, const char *const *choices,
                         uint32_t absent, struct error *err, uint32_t *ret_choice)
{
    const struct query_pair *pair = query_find(query, key);
    char list[128] = "";

    if (pair == NULL) {
        *ret_choice = absent;
        return STATUS_OK;
    }
    for (uint32_t i = 0; choices[i] != NULL; i++) {
        if (query_is(pair->value, choices[i])) {
            *ret_choice = i;
            return STATUS_OK;
        }
        size_t used = strlen(list);
        size_t added = strlen(choices[i]);
        if (used + added + 2 <= sizeof(list)) {
            memcpy(list + used, " ", 1);
            memcpy(list + used + 1, choices[i], added + 1);
        }
    }
    return error_set_at(err, STATUS_BAD_PARAMETER, key, ERROR_NONE, ERROR_NONE, "%s: not one of%s",
                        key, list);
}

/* "a/b" with digits on both sides. */
static bool query_ratio(struct slice text, size_t slash, struct query_fraction *ret_fraction)
{
    return query_digits(slice_make(text.data, slash), &ret_fraction->numerator) &&
           query_digits(slice_make(text.data + slash + 1, text.size_bytes - slash - 1),
                        &ret_fraction->denominator);
}

/* Digits with at most one point among them, at least one digit in all. */
static bool query_decimal(struct slice text, struct query_fraction *ret_fraction)
{
    const char *point = text.size_bytes == 0 ? NULL : memchr(text.data, '.', text.size_bytes);
    size_t whole_bytes = point == NULL ? text.size_bytes : (size_t)(point - text.data);
    struct slice behind = slice_make(point == NULL ? NULL : point + 1,
                                     point == NULL ? 0 : text.size_bytes - whole_bytes - 1);
    uint64_t whole = 0;
    uint64_t parts = 0;
    uint64_t scale = 1;

    if (whole_bytes + behind.size_bytes == 0 || behind.size_bytes > QUERY_FRACTION_DIGITS)
        return false;
    if (whole_bytes > 0 && !query_digits(slice_make(text.data, whole_bytes), &whole))
        return false;
    if (behind.size_bytes > 0 && !query_digits(behind, &parts))
        return false;
    for (size_t i = 0; i < behind.size_bytes; i++)
        scale *= 10;
    if (whole > 1) /* past the end of the range; the product below would overflow */
        return false;
    *ret_fraction = (struct query_fraction){whole * scale + parts, scale};
    return true;
}

enum status query_fraction(const struct query *query, const char *key, struct query_fraction absent,
                           struct error *err, struct query_fraction *ret_fraction)
{
    const struct query_pair *pair = query_find(query, key);
    struct query_fraction fraction = absent;

    if (pair != NULL) {
        struct slice text = pair->value;
        const char *slash = text.size_bytes == 0 ? NULL : memchr(text.data, '/', text.size_bytes);
        bool good = slash == NULL ? query_decimal(text, &fraction)
                                  : query_ratio(text, (size_t)(slash - text.data), &fraction);
        if (!good || fraction.denominator == 0 || fraction.numerator > fraction.denominator)
            return query_refuse(key, err, "not a fraction from 0 to 1, such as 1/8000 or 0.001");
    }
    *ret_fraction = fraction;
    return STATUS_OK;
}

enum status query_time(const struct query *query, const char *key, int64_t now_ns,
                       int64_t absent_ns, struct error *err, int64_t *ret_time_ns)
{
    const struct query_pair *pair = query_find(query, key);
    struct error why = {.text = ""};

    if (pair == NULL) {
        *ret_time_ns = absent_ns;
        return STATUS_OK;
    }
    if (timestamp_parse(pair->value, now_ns, &why, ret_time_ns) != STATUS_OK)
        return query_refuse(key, err, why.text);
    return STATUS_OK;
}

static int query_hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

bool query_hex(struct slice text, uint8_t *ret_bytes, size_t size_bytes)
{
    if (text.size_bytes != 2 * size_bytes)
        return false;
    for (size_t i = 0; i < text.size_bytes; i++) {
        if (query_hex_digit(text.data[i]) < 0)
            return false;
    }
    for (size_t i = 0; i < size_bytes; i++)
        ret_bytes[i] = (uint8_t)(query_hex_digit(text.data[2 * i]) * 16 +
                                 query_hex_digit(text.data[2 * i + 1]));
    return true;
}

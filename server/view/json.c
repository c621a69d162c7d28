/* SPDX-License-Identifier: Apache-2.0 */
/* Last step of every view: values to JSON text.
 *
 * In: tokens in document order; out: bytes in a buffer with a maximum. Column writers reserve room
 * for a block of numbers at once and write digits straight into it. Never parses, never holds a
 * document, and never checks nesting: the tests parse every answer back. */
#include "server/view/json.h"

#include "proto/base/timestamp.h"

/* Digits, sign, two quotes and a comma of one integer. */
#define JSON_INTEGER_BYTES 24

/* Numbers written per reservation: one 24 KiB block, so that a small column stays small. */
#define JSON_BLOCK 1024

static const char json_pairs[200] = "00010203040506070809101112131415161718192021222324252627282930"
                                    "31323334353637383940414243444546474849505152535455565758596061"
                                    "62636465666768697071727374757677787980818283848586878889909192"
                                    "93949596979899";

static const char json_hex_digits[16] = "0123456789abcdef";

/* Writes the digits of `value` and returns the end. */
static char *json_digits(char *at, uint64_t value)
{
    char digits[20];
    char *begin = digits + sizeof(digits);

    while (value >= 100) {
        begin -= 2;
        memcpy(begin, &json_pairs[2 * (value % 100)], 2);
        value /= 100;
    }
    if (value >= 10) {
        begin -= 2;
        memcpy(begin, &json_pairs[2 * value], 2);
    } else {
        *--begin = (char)('0' + value);
    }
    size_t count = (size_t)(digits + sizeof(digits) - begin);
    memcpy(at, begin, count);
    return at + count;
}

static char *json_integer(char *at, bool negative, uint64_t magnitude)
{
    bool quoted = magnitude > (uint64_t)JSON_SAFE_INTEGER;

    if (quoted)
        *at++ = '"';
    if (negative)
        *at++ = '-';
    at = json_digits(at, magnitude);
    if (quoted)
        *at++ = '"';
    return at;
}

static char *json_signed(char *at, int64_t value)
{
    /* Negating as unsigned is right for INT64_MIN too. */
    return value < 0 ? json_integer(at, true, 0 - (uint64_t)value)
                     : json_integer(at, false, (uint64_t)value);
}

/* The comma before a value or a name, when one is due. */
static void json_separate(struct json *json)
{
    if (json->comma)
        buf_append_char(json->out, ',');
    json->comma = true;
}

void json_begin_object(struct json *json)
{
    json_separate(json);
    buf_append_char(json->out, '{');
    json->comma = false;
}

void json_end_object(struct json *json)
{
    buf_append_char(json->out, '}');
    json->comma = true;
}

void json_begin_array(struct json *json)
{
    json_separate(json);
    buf_append_char(json->out, '[');
    json->comma = false;
}

void json_end_array(struct json *json)
{
    buf_append_char(json->out, ']');
    json->comma = true;
}

void json_key(struct json *json, const char *name)
{
    json_separate(json);
    buf_append_char(json->out, '"');
    buf_append_text(json->out, name);
    buf_append(json->out, "\":", 2);
    json->comma = false;
}

void json_name(struct json *json, struct slice name)
{
    json_string(json, name);
    buf_append_char(json->out, ':');
    json->comma = false;
}

/* How many bytes at `text` are one character that must be escaped; 0: it may stand as it is. */
static size_t json_special(const unsigned char *text, size_t left)
{
    if (text[0] < 0x20 || text[0] == '"' || text[0] == '\\' || text[0] == 0x7f)
        return 1;
    /* U+2028 and U+2029 are e2 80 a8 and e2 80 a9. */
    if (text[0] == 0xe2 && left >= 3 && text[1] == 0x80 && (text[2] & 0xfe) == 0xa8)
        return 3;
    return 0;
}

static void json_escape(struct buf *out, const unsigned char *text, size_t size_bytes)
{
    unsigned code = size_bytes == 3 ? 0x2028u + (text[2] & 1u) : text[0];
    char escape[6] = {'\\', 'u'};

    if (code == '"' || code == '\\') {
        escape[1] = (char)code;
        buf_append(out, escape, 2);
        return;
    }
    for (unsigned digit = 0; digit < 4; digit++)
        escape[2 + digit] = json_hex_digits[(code >> (12 - 4 * digit)) & 15u];
    buf_append(out, escape, sizeof(escape));
}

void json_string(struct json *json, struct slice text)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    size_t plain = 0; /* start of the run that needs no escape */
    size_t at = 0;

    json_separate(json);
    buf_append_char(json->out, '"');
    while (at < text.size_bytes) {
        size_t special = json_special(bytes + at, text.size_bytes - at);
        if (special == 0) {
            at++;
            continue;
        }
        buf_append(json->out, text.data + plain, at - plain);
        json_escape(json->out, bytes + at, special);
        at += special;
        plain = at;
    }
    if (at > plain)
        buf_append(json->out, text.data + plain, at - plain);
    buf_append_char(json->out, '"');
}

void json_text(struct json *json, const char *text)
{
    json_string(json, slice_of(text));
}

void json_int(struct json *json, int64_t value)
{
    char text[JSON_INTEGER_BYTES];

    json_separate(json);
    buf_append(json->out, text, (size_t)(json_signed(text, value) - text));
}

void json_uint(struct json *json, uint64_t value)
{
    char text[JSON_INTEGER_BYTES];

    json_separate(json);
    buf_append(json->out, text, (size_t)(json_integer(text, false, value) - text));
}

void json_bool(struct json *json, bool value)
{
    json_separate(json);
    buf_append_text(json->out, value ? "true" : "false");
}

void json_null(struct json *json)
{
    json_separate(json);
    buf_append_text(json->out, "null");
}

void json_time(struct json *json, int64_t time_ns)
{
    char text[TIMESTAMP_BYTES];

    timestamp_format(time_ns, text);
    json_text(json, text);
}

void json_hex(struct json *json, const uint8_t *bytes, size_t size_bytes)
{
    json_separate(json);
    buf_append_char(json->out, '"');
    for (size_t i = 0; i < size_bytes; i++) {
        buf_append_char(json->out, json_hex_digits[bytes[i] >> 4]);
        buf_append_char(json->out, json_hex_digits[bytes[i] & 15]);
    }
    buf_append_char(json->out, '"');
}

/* `narrow`: the values are int32_t, else int64_t. Inlined twice, so that no number asks which. */
__attribute__((always_inline)) static inline void json_column(struct json *json, const void *values,
                                                              bool narrow, size_t count)
{
    json_begin_array(json);
    for (size_t from = 0; from < count; from += JSON_BLOCK) {
        size_t until = count - from < JSON_BLOCK ? count : from + JSON_BLOCK;
        char *begin = buf_reserve(json->out, (until - from) * JSON_INTEGER_BYTES);
        if (begin == NULL)
            return;
        char *at = begin;
        for (size_t i = from; i < until; i++) {
            if (i > 0)
                *at++ = ',';
            at = json_signed(at,
                             narrow ? ((const int32_t *)values)[i] : ((const int64_t *)values)[i]);
        }
        buf_advance(json->out, (size_t)(at - begin));
    }
    json_end_array(json);
}

void json_column_i32(struct json *json, const int32_t *values, size_t count)
{
    json_column(json, values, true, count);
}

void json_column_i64(struct json *json, const int64_t *values, size_t count)
{
    json_column(json, values, false, count);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Time as int64 nanoseconds: clocks, RFC 3339 text, parameters, months.
 * Calendar arithmetic is on the proleptic Gregorian calendar, counted in days from 1970-01-01. */
#include "proto/base/timestamp.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define DAY_SECONDS INT64_C(86400)

struct civil {
    int64_t year;
    int month; /* 1..12 */
    int day;   /* 1..31 */
};

int64_t timestamp_now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * TIMESTAMP_SECOND_NS + now.tv_nsec;
}

int64_t timestamp_monotonic_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * TIMESTAMP_SECOND_NS + now.tv_nsec;
}

static int64_t floor_divide(int64_t value, int64_t divisor)
{
    int64_t quotient = value / divisor;

    return value % divisor < 0 ? quotient - 1 : quotient;
}

/* Days before year `year` (years begin in March, so that the leap day comes last). */
static int64_t days_before_march_year(int64_t year)
{
    return year * 365 + floor_divide(year, 4) - floor_divide(year, 100) + floor_divide(year, 400);
}

/* From March 1st of year 0 to 1970-01-01. */
#define EPOCH_DAYS INT64_C(719468)

static int64_t days_of(struct civil date)
{
    int64_t year = date.month <= 2 ? date.year - 1 : date.year;
    int64_t month = (date.month + 9) % 12; /* March is 0 */

    return days_before_march_year(year) + (month * 153 + 2) / 5 + date.day - 1 - EPOCH_DAYS;
}

static struct civil civil_of(int64_t days)
{
    int64_t march_days = days + EPOCH_DAYS;
    int64_t year = floor_divide(march_days * 400, 146097); /* right, or one too many or too few */
    int64_t day_of_year, month;
    struct civil date;

    while (days_before_march_year(year) > march_days)
        year--;
    while (days_before_march_year(year + 1) <= march_days)
        year++;
    day_of_year = march_days - days_before_march_year(year);
    month = (day_of_year * 5 + 2) / 153;
    date.day = (int)(day_of_year - (month * 153 + 2) / 5) + 1;
    date.month = (int)((month + 2) % 12) + 1;
    date.year = date.month <= 2 ? year + 1 : year;
    return date;
}

void timestamp_format(int64_t time_ns, char text[TIMESTAMP_BYTES])
{
    int64_t seconds = floor_divide(time_ns, TIMESTAMP_SECOND_NS);
    int64_t days = floor_divide(seconds, DAY_SECONDS);
    int in_day = (int)(seconds - days * DAY_SECONDS);
    struct civil date = civil_of(days);

    (void)snprintf(text, TIMESTAMP_BYTES, "%04lld-%02d-%02dT%02d:%02d:%02d.%09dZ",
                   (long long)date.year, date.month, date.day, in_day / 3600, in_day / 60 % 60,
                   in_day % 60, (int)(time_ns - seconds * TIMESTAMP_SECOND_NS));
}

int32_t timestamp_month(int64_t time_ns)
{
    struct civil date = civil_of(floor_divide(time_ns, DAY_SECONDS * TIMESTAMP_SECOND_NS));

    return (int32_t)((date.year - 1970) * 12 + date.month - 1);
}

int64_t timestamp_month_start_ns(int32_t month)
{
    int64_t year = floor_divide(month, 12);
    struct civil date = {.year = 1970 + year, .month = (int)(month - year * 12) + 1, .day = 1};

    return days_of(date) * DAY_SECONDS * TIMESTAMP_SECOND_NS;
}

/* --- parsing: a cursor over the text -----------------------------------------------------------
 */

struct cursor {
    const char *at;
    const char *end;
};

static bool take_char(struct cursor *in, char wanted)
{
    if (in->at == in->end || *in->at != wanted)
        return false;
    in->at++;
    return true;
}

/* Exactly `digits` decimal digits. */
static bool take_number(struct cursor *in, int digits, int *ret_number)
{
    int number = 0;

    for (int i = 0; i < digits; i++, in->at++) {
        if (in->at == in->end || *in->at < '0' || *in->at > '9')
            return false;
        number = number * 10 + (*in->at - '0');
    }
    *ret_number = number;
    return true;
}

/* As many digits as there are; false: none, or past int64. */
static bool take_integer(struct cursor *in, int64_t *ret_value, int *ret_digits)
{
    const char *first = in->at;
    int64_t value = 0;

    for (; in->at < in->end && *in->at >= '0' && *in->at <= '9'; in->at++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *in->at - '0', &value))
            return false;
    }
    *ret_value = value;
    *ret_digits = (int)(in->at - first);
    return *ret_digits > 0;
}

/* ".123456789", up to nine digits; absent is 0. */
static bool take_fraction(struct cursor *in, int *ret_nanoseconds)
{
    int nanoseconds = 0, scale = 100000000;

    *ret_nanoseconds = 0;
    if (!take_char(in, '.'))
        return true;
    if (in->at == in->end || *in->at < '0' || *in->at > '9')
        return false;
    for (; in->at < in->end && *in->at >= '0' && *in->at <= '9'; in->at++, scale /= 10) {
        if (scale == 0)
            return false;
        nanoseconds += (*in->at - '0') * scale;
    }
    *ret_nanoseconds = nanoseconds;
    return true;
}

/* "Z" or "+hh:mm", as seconds east of UTC. */
static bool take_offset(struct cursor *in, int *ret_seconds)
{
    int hours, minutes, sign;

    *ret_seconds = 0;
    if (take_char(in, 'Z') || take_char(in, 'z'))
        return true;
    sign = take_char(in, '-') ? -1 : 1;
    if (sign == 1 && !take_char(in, '+'))
        return false;
    if (!take_number(in, 2, &hours) || !take_char(in, ':') || !take_number(in, 2, &minutes) ||
        hours > 23 || minutes > 59)
        return false;
    *ret_seconds = sign * (hours * 3600 + minutes * 60);
    return true;
}

static bool parse_rfc3339(struct cursor in, int64_t *ret_time_ns)
{
    int year, month, day, hour, minute, second, nanoseconds, offset_seconds;
    int64_t seconds;
    struct civil date, again;

    if (!take_number(&in, 4, &year) || !take_char(&in, '-') || !take_number(&in, 2, &month) ||
        !take_char(&in, '-') || !take_number(&in, 2, &day))
        return false;
    if (!take_char(&in, 'T') && !take_char(&in, 't') && !take_char(&in, ' '))
        return false;
    if (!take_number(&in, 2, &hour) || !take_char(&in, ':') || !take_number(&in, 2, &minute) ||
        !take_char(&in, ':') || !take_number(&in, 2, &second) ||
        !take_fraction(&in, &nanoseconds) || !take_offset(&in, &offset_seconds) || in.at != in.end)
        return false;
    if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 60)
        return false;
    date = (struct civil){.year = year, .month = month, .day = day};
    again = civil_of(days_of(date)); /* the 30th of February comes back as another day */
    if (again.month != month || again.day != day)
        return false;
    seconds = days_of(date) * DAY_SECONDS + hour * 3600 + minute * 60 + second - offset_seconds;
    return !__builtin_mul_overflow(seconds, TIMESTAMP_SECOND_NS, ret_time_ns) &&
           !__builtin_add_overflow(*ret_time_ns, nanoseconds, ret_time_ns);
}

/* Unix time: the digit count tells seconds, ms, us and ns apart. */
static bool parse_unix(struct cursor in, int64_t *ret_time_ns)
{
    bool negative = take_char(&in, '-');
    int64_t value, scale;
    int digits;

    if (!take_integer(&in, &value, &digits) || in.at != in.end)
        return false;
    scale = digits <= 10 ? TIMESTAMP_SECOND_NS : digits <= 13 ? 1000000 : digits <= 16 ? 1000 : 1;
    return !__builtin_mul_overflow(negative ? -value : value, scale, ret_time_ns);
}

/* "now" and "now-15m". */
static bool parse_relative(struct cursor in, int64_t now_ns, int64_t *ret_time_ns)
{
    int64_t amount, unit_seconds, back_ns;
    int digits;

    for (const char *word = "now"; *word != '\0'; word++) {
        if (!take_char(&in, *word))
            return false;
    }
    *ret_time_ns = now_ns;
    if (in.at == in.end)
        return true;
    if (!take_char(&in, '-') || !take_integer(&in, &amount, &digits) || in.end - in.at != 1)
        return false;
    switch (*in.at) {
    case 's':
        unit_seconds = 1;
        break;
    case 'm':
        unit_seconds = 60;
        break;
    case 'h':
        unit_seconds = 3600;
        break;
    case 'd':
        unit_seconds = DAY_SECONDS;
        break;
    default:
        return false;
    }
    return !__builtin_mul_overflow(amount, unit_seconds * TIMESTAMP_SECOND_NS, &back_ns) &&
           !__builtin_sub_overflow(now_ns, back_ns, ret_time_ns);
}

enum status timestamp_parse(struct slice text, int64_t now_ns, struct error *err,
                            int64_t *ret_time_ns)
{
    struct cursor in = {.at = text.data, .end = text.data + text.size_bytes};
    int64_t time_ns;

    if (text.size_bytes == 0 || !(parse_relative(in, now_ns, &time_ns) ||
                                  parse_unix(in, &time_ns) || parse_rfc3339(in, &time_ns)))
        return error_set(err, STATUS_BAD_PARAMETER,
                         "'%.*s' is not a time: expected RFC 3339, Unix seconds, ms, us or ns, "
                         "now, or now-15m (s, m, h, d)",
                         (int)(text.size_bytes > 40 ? 40 : text.size_bytes), text.data);
    *ret_time_ns = time_ns;
    return STATUS_OK;
}

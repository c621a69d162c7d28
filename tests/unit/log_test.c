/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines: quoting, injection, level, rate. */
#include "proto/base/log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "proto/base/limits.h"
#include "tests/unit/unit.h"

static char *drain(int fd)
{
    static char text[1 << 20];
    ssize_t got_bytes = read(fd, text, sizeof(text) - 1);

    text[got_bytes < 0 ? 0 : got_bytes] = '\0';
    return text;
}

static void test_quoting_and_injection(void **state)
{
    int pipe_fds[2];
    struct log *log;
    char *text;

    (void)state;
    assert_int_equal(pipe(pipe_fds), 0);
    log = log_new(pipe_fds[1], LOG_LEVEL_INFO);
    log_write(log, LOG_LEVEL_INFO, "two words", "plain", "a/b", "evil", "x\nlevel=error \"q\"\xff",
              "empty", "", "none", NULL, NULL);
    log_write(log, LOG_LEVEL_DEBUG, "unseen", NULL);
    text = drain(pipe_fds[0]);
    assert_non_null(strstr(text,
                           " level=info msg=\"two words\" plain=a/b "
                           "evil=\"x\\x0alevel=error \\\"q\\\"\\xff\" empty=\"\" none=\"\"\n"));
    assert_null(strstr(text, "unseen"));
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
    log_free(log);
    (void)close(pipe_fds[0]);
    (void)close(pipe_fds[1]);
}

static void test_long_values_are_clipped(void **state)
{
    char value[5000];
    int pipe_fds[2];
    struct log *log;
    char *text;

    (void)state;
    memset(value, 'v', sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    assert_int_equal(pipe(pipe_fds), 0);
    log = log_new(pipe_fds[1], LOG_LEVEL_INFO);
    log_write(log, LOG_LEVEL_WARN, "long", "a", value, "b", value, "c", value, "d", value, NULL);
    text = drain(pipe_fds[0]);
    assert_true(strlen(text) <= 2048);
    assert_int_equal(text[strlen(text) - 1], '\n');
    log_free(log);
    (void)close(pipe_fds[0]);
    (void)close(pipe_fds[1]);
}

static void test_rate_is_limited(void **state)
{
    FILE *file = tmpfile();
    struct log *log;
    unsigned lines = 0;
    int c;

    (void)state;
    assert_non_null(file);
    log = log_new(fileno(file), LOG_LEVEL_INFO);
    for (unsigned i = 0; i < 20 * LIMIT_LOG_LINES_PER_SECOND; i++)
        log_write(log, LOG_LEVEL_INFO, "again", NULL);
    rewind(file);
    while ((c = fgetc(file)) != EOF)
        lines += c == '\n';
    assert_true(lines >= LIMIT_LOG_LINES_PER_SECOND);
    assert_true(lines <= 2 * LIMIT_LOG_LINES_PER_SECOND); /* a second may have turned meanwhile */
    log_free(log);
    (void)fclose(file);
}

static void test_full_pipe_does_not_block(void **state)
{
    int pipe_fds[2];
    struct log *log;
    char *text;

    (void)state;
    assert_int_equal(pipe(pipe_fds), 0);
    (void)fcntl(pipe_fds[1], F_SETPIPE_SZ, 4096);
    log = log_new(pipe_fds[1], LOG_LEVEL_INFO);
    for (unsigned i = 0; i < 150; i++) /* more than fits, fewer than the rate limit */
        log_write(log, LOG_LEVEL_INFO, "nobody reads this for a while", NULL);
    (void)drain(pipe_fds[0]);
    log_write(log, LOG_LEVEL_INFO, "again", NULL);
    text = drain(pipe_fds[0]);
    assert_non_null(strstr(text, "msg=again dropped_lines="));
    log_free(log);
    (void)close(pipe_fds[0]);
    (void)close(pipe_fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quoting_and_injection),
        cmocka_unit_test(test_long_values_are_clipped),
        cmocka_unit_test(test_rate_is_limited),
        cmocka_unit_test(test_full_pipe_does_not_block),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Who is shut down for being late: the client that sends nothing, not the one that is not read. */
#include "server/http/deadline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/limits.h"

#define SWEEPS_MS 1200 /* two sweeps, one of which may just have begun */

static void unread_bytes_are_no_delay_of_the_client(void **state)
{
    const struct timespec past = {.tv_sec = (LIMIT_HEADER_DEADLINE_MS + SWEEPS_MS) / 1000,
                                  .tv_nsec = SWEEPS_MS % 1000 * 1000000L};
    struct deadline_sweeper *sweeper = NULL;
    struct deadline *silent, *unread;
    struct error err = {0};
    int pairs[2][2];
    char byte;
    (void)state;

    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]), 0);
    assert_int_equal(deadline_start(&err, &sweeper), STATUS_OK);
    silent = deadline_open(sweeper, pairs[0][0]);
    unread = deadline_open(sweeper, pairs[1][0]);
    assert_int_equal(send(pairs[1][1], "G", 1, 0), 1);
    (void)nanosleep(&past, NULL);
    assert_int_equal(recv(pairs[0][1], &byte, 1, MSG_DONTWAIT), 0);  /* shut down */
    assert_int_equal(recv(pairs[1][1], &byte, 1, MSG_DONTWAIT), -1); /* nothing yet */
    assert_int_equal(deadline_count(sweeper, DEADLINE_HEADERS), 1);
    deadline_close(sweeper, silent);
    deadline_close(sweeper, unread);
    deadline_stop(sweeper);
    for (unsigned i = 0; i < 2; i++) {
        (void)close(pairs[i][0]);
        (void)close(pairs[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unread_bytes_are_no_delay_of_the_client),
    };

    return cmocka_run_group_tests_name("deadlines", tests, NULL, NULL);
}

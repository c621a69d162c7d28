/* SPDX-License-Identifier: Apache-2.0 */
/* A program that links libbrazier_agent.a and knows nothing but its header. It also links the
 * decoder as code of its own, so the linker itself proves that the archive hides its copy. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "samples/agent/brazier_agent.h"
#include "tests/unit/agent_profile.h"
#include "tests/unit/unit.h"

#define BURN_NS 400000000

static char path[] = "/tmp/brazier-static-XXXXXX";

static __attribute__((noinline)) void *burn(void *argument)
{
    struct timespec time = {.tv_sec = 0};

    while (time.tv_sec == 0 && time.tv_nsec < BURN_NS)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return argument;
}

static void threads_are_found_by_themselves(void **state)
{
    struct brazier_config config = {.file = path, .service = "static", .hz = 250};
    pthread_t thread;

    (void)state;
    brazier_work(1); /* harmless before the start */
    assert_int_equal(brazier_start(&config), BRAZIER_OK);
    assert_int_equal(pthread_create(&thread, NULL, burn, NULL), 0);
    pthread_join(thread, NULL);
    brazier_stop();
    brazier_stop();
    struct agent_profile *read = agent_profile_read(path);
    int64_t burned_ns = agent_profile_total_ns(read, "burn");
    assert_in_range(burned_ns, BURN_NS / 10 * 7, BURN_NS / 10 * 11);
    agent_profile_free(read);
}

static int make_path(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_are_found_by_themselves)};

    return cmocka_run_group_tests(tests, make_path, remove_path);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The agent end to end, into files: programs whose profile is known beforehand. Everything is
 * judged by shares and by the CPU clock, never by wall time, so a busy machine changes nothing. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "samples/agent/brazier_agent.h"
#include "samples/agent/pprof.h"
#include "tests/unit/agent_profile.h"
#include "tests/unit/unit.h"

#define NOINLINE __attribute__((noinline))
#define MS_NS    INT64_C(1000000)
#define DEPTH    20

static char directory[] = "/tmp/brazier-agent-XXXXXX";
static char path[64];

static int64_t cpu_ns(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* A leaf that keeps nothing on the stack: compilers omit its frame whatever the flags. */
static const int spin_line = __LINE__ + 1;
static NOINLINE uint64_t spin(uint64_t rounds)
{
    uint64_t x = rounds;

    for (uint64_t i = 0; i < rounds; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

static uint64_t rounds_per_ms;

static NOINLINE uint64_t f10(void)
{
    return spin(10 * rounds_per_ms) + 1;
}

static NOINLINE uint64_t f30(void)
{
    return spin(30 * rounds_per_ms) + 1;
}

static NOINLINE uint64_t f60(void)
{
    return spin(60 * rounds_per_ms) + 1;
}

static NOINLINE uint64_t descend(unsigned depth)
{
    if (depth > 0)
        return descend(depth - 1) + 1;
    return f10() + f30() + f60();
}

static void calibrate(void)
{
    uint64_t rounds = 1u << 22;
    int64_t before = cpu_ns(CLOCK_THREAD_CPUTIME_ID);

    spin(rounds);
    rounds_per_ms = rounds * (uint64_t)MS_NS / (uint64_t)(cpu_ns(CLOCK_THREAD_CPUTIME_ID) - before);
}

/* Runs the 10/30/60 split for about `*argument` ms of CPU time; gives back what it took in ns. */
static void *burn(void *argument)
{
    int64_t *budget = argument;
    int64_t before = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    int64_t until = before + *budget * MS_NS;

    while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until)
        descend(DEPTH);
    *budget = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - before;
    return NULL;
}

static void start(unsigned hz)
{
    struct brazier_config config = {
        .file = path, .service = "test", .hz = hz, .work_unit = "turns"};

    assert_int_equal(brazier_start(&config), BRAZIER_OK);
}

static void assert_share(int64_t part_ns, int64_t all_ns, double share, double tolerance)
{
    double got = (double)part_ns / (double)all_ns;

    if (got < share - tolerance || got > share + tolerance)
        fail_msg("share %.3f, expected %.3f +- %.3f", got, share, tolerance);
}

static void assert_near(int64_t got_ns, int64_t want_ns, double tolerance)
{
    assert_share(got_ns, want_ns, 1.0, tolerance);
}

static void split_and_total_are_right(void **state)
{
    pthread_t threads[2];
    int64_t cpu[2] = {3000, 3000};

    (void)state;
    start(250);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, burn, &cpu[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    brazier_work(40);
    brazier_work(2);
    brazier_stop();

    struct agent_profile *read = agent_profile_read(path);
    int64_t burned = agent_profile_total_ns(read, "burn");
    assert_near(burned, cpu[0] + cpu[1], 0.02);
    assert_share(agent_profile_call_ns(read, "f10", "spin"), burned, 0.10, 0.025);
    assert_share(agent_profile_call_ns(read, "f30", "spin"), burned, 0.30, 0.025);
    assert_share(agent_profile_call_ns(read, "f60", "spin"), burned, 0.60, 0.025);
    assert_share(agent_profile_self_ns(read, "spin"), burned, 1.0, 0.01);
    assert_true(agent_profile_depth(read) >= DEPTH + 4);
    assert_true(agent_profile_has_comment(read, "work 42 turns"));
    assert_int_equal(read->profile.period, 4000000);
    assert_true(read->profile.time_ns > 0);
    assert_true(read->profile.duration_ns > 2900 * MS_NS);
    agent_profile_free(read);
}

/* Far more asked than the kernel's tick gives: overruns must make up for it. */
static void overruns_keep_the_total(void **state)
{
    int64_t cpu = 1000;

    (void)state;
    start(1000);
    burn(&cpu);
    brazier_stop();
    struct agent_profile *read = agent_profile_read(path);
    assert_near(agent_profile_total_ns(read, "burn"), cpu, 0.02);
    agent_profile_free(read);
}

static void functions_have_file_and_line(void **state)
{
    int64_t cpu = 300;

    (void)state;
    start(0);
    burn(&cpu);
    brazier_stop();
    struct agent_profile *read = agent_profile_read(path);
    const struct profile *profile = &read->profile;
    uint32_t function = agent_profile_function(read, "spin");
    assert_int_not_equal(function, UINT32_MAX);
    struct slice file = profile->strings[profile->function_file[function]];
    const char *name = "agent_test.c";
    assert_true(file.size_bytes > strlen(name));
    assert_memory_equal(file.data + file.size_bytes - strlen(name), name, strlen(name));
    assert_int_equal(profile->function_start_line[function], spin_line);
    assert_int_equal(profile->period, 10 * MS_NS);
    agent_profile_free(read);
}

static void *burn_briefly(void *argument)
{
    int64_t cpu = 25;

    (void)argument;
    brazier_thread();
    burn(&cpu);
    return NULL;
}

/* Threads that live shorter than the agent looks for them: registered, all of them count. */
static void short_threads_are_seen(void **state)
{
    pthread_t thread;

    (void)state;
    start(1000);
    int64_t before = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(pthread_create(&thread, NULL, burn_briefly, NULL), 0);
        pthread_join(thread, NULL);
    }
    int64_t took = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - before;
    brazier_stop();
    struct agent_profile *read = agent_profile_read(path);
    assert_near(agent_profile_total_ns(read, "burn_briefly"), took, 0.15);
    agent_profile_free(read);
}

/* Found by the thread list alone, while the main thread sleeps. */
static void late_threads_are_seen(void **state)
{
    pthread_t thread;
    int64_t cpu = 1500;

    (void)state;
    start(250);
    usleep(100 * 1000);
    assert_int_equal(pthread_create(&thread, NULL, burn, &cpu), 0);
    pthread_join(thread, NULL);
    brazier_stop();
    struct agent_profile *read = agent_profile_read(path);
    assert_near(agent_profile_total_ns(read, "burn"), cpu, 0.10);
    agent_profile_free(read);
}

static NOINLINE uint64_t recurse(unsigned depth)
{
    return depth == 0 ? f10() : recurse(depth - 1) + 1;
}

static void deep_stacks_keep_the_leaf(void **state)
{
    (void)state;
    start(250);
    for (int i = 0; i < 30; i++)
        recurse(5000);
    brazier_stop();
    struct agent_profile *read = agent_profile_read(path);
    int64_t all = agent_profile_all_ns(read);
    assert_share(agent_profile_call_ns(read, "f10", "spin"), all, 1.0, 0.1);
    assert_share(agent_profile_total_ns(read, PPROF_TRUNCATED), all, 1.0, 0.1);
    assert_int_equal(agent_profile_depth(read), AGENT_FRAMES + 1);
    agent_profile_free(read);
}

static void child_of_fork(const char *child_path)
{
    struct brazier_config config = {.file = child_path, .hz = 250};
    int64_t unseen = 100;
    int64_t seen = 300;

    burn(&unseen); /* unprofiled: nothing may arrive here */
    brazier_stop();
    if (access(child_path, F_OK) == 0 || brazier_start(&config) != BRAZIER_OK)
        _exit(1);
    burn(&seen);
    brazier_stop();
    _exit(access(child_path, F_OK) == 0 ? 0 : 2);
}

static void fork_is_safe(void **state)
{
    char child_path[80];
    int64_t cpu = 1000;
    int result = 0;

    (void)state;
#ifdef UNIT_ADDRESS_SANITIZER
    skip(); /* its allocator's locks stay held in the child when another thread had them */
#endif
    snprintf(child_path, sizeof(child_path), "%s/child.pb.gz", directory);
    start(250);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        child_of_fork(child_path);
    burn(&cpu);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    brazier_stop();

    struct agent_profile *parent = agent_profile_read(path);
    assert_near(agent_profile_total_ns(parent, "burn"), cpu, 0.03);
    agent_profile_free(parent);
    struct agent_profile *other = agent_profile_read(child_path);
    assert_true(agent_profile_total_ns(other, "burn") > 250 * MS_NS);
    agent_profile_free(other);
    unlink(child_path);
}

static void periods_are_numbered_files(void **state)
{
    struct brazier_config config = {.file = path, .period_seconds = 1, .hz = 250};
    int64_t cpu = 2200;
    int64_t found = 0;
    char numbered[80];

    (void)state;
    assert_int_equal(brazier_start(&config), BRAZIER_OK);
    assert_int_equal(brazier_start(&config), BRAZIER_ALREADY_RUNNING);
    burn(&cpu);
    brazier_stop();
    for (int i = 1; i < 100; i++) {
        snprintf(numbered, sizeof(numbered), "%s.%d", path, i);
        if (access(numbered, F_OK) != 0)
            break;
        struct agent_profile *read = agent_profile_read(numbered);
        found += agent_profile_total_ns(read, "burn");
        agent_profile_free(read);
        unlink(numbered);
    }
    assert_near(found, cpu, 0.03);
}

static void a_bad_config_starts_nothing(void **state)
{
    struct brazier_config config = {.file = path, .hz = 5000};

    (void)state;
    assert_int_equal(brazier_start(&config), BRAZIER_BAD_CONFIG);
    brazier_stop();
}

static int make_directory(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(path, sizeof(path), "%s/cpu.pb.gz", directory);
    calibrate();
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_and_total_are_right),
        cmocka_unit_test(overruns_keep_the_total),
        cmocka_unit_test(functions_have_file_and_line),
        cmocka_unit_test(short_threads_are_seen),
        cmocka_unit_test(late_threads_are_seen),
        cmocka_unit_test(deep_stacks_keep_the_leaf),
        cmocka_unit_test(fork_is_safe),
        cmocka_unit_test(periods_are_numbered_files),
        cmocka_unit_test(a_bad_config_starts_nothing),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}

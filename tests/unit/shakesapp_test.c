/* SPDX-License-Identifier: Apache-2.0 */
/* shakesapp as a user runs it: right counts in every version (a wrong one ends it with status 1),
 * the speed-up that the tutorial promises, and profiles that show where it comes from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/agent_profile.h"
#include "tests/unit/unit.h"

#define LINE_BYTES 256

static char path[] = "/tmp/brazier-shakesapp-XXXXXX";

/* Starts shakesapp with `flags`, at most eight, and gives back its standard output. */
static FILE *spawn(const char *const *flags, pid_t *ret_child)
{
    char *arguments[10] = {SHAKESAPP_PATH};
    int ends[2];

    for (int i = 0; i < 8 && flags[i]; i++)
        arguments[i + 1] = (char *)flags[i];
    assert_int_equal(pipe(ends), 0);
    *ret_child = fork();
    assert_true(*ret_child >= 0);
    if (*ret_child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv(SHAKESAPP_PATH, arguments);
        _exit(127);
    }
    close(ends[1]);
    return fdopen(ends[0], "r");
}

/* Reads what is left of the output and waits for the child. */
static int exit_status(FILE *output, pid_t child)
{
    char line[LINE_BYTES];
    int result = 0;

    while (fgets(line, sizeof(line), output))
        continue;
    fclose(output);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    return WEXITSTATUS(result);
}

/* Runs one round and gives back its profile and its requests per second of CPU time: the machine's
 * other load does not count. */
static struct agent_profile *run(const char *version, const char *concurrency, int requests,
                                 double *ret_rate)
{
    char number[16];
    char line[LINE_BYTES];
    int answered = -1;
    double rate = 0;
    pid_t child = 0;

    snprintf(number, sizeof(number), "%d", requests);
    setenv("BRAZIER_FILE", path, 1);
    setenv("BRAZIER_HZ", "250", 1);
    FILE *output =
        spawn((const char *const[]){"--num_rounds=1", "--num_requests", number, "--version",
                                    version, "--concurrency", concurrency, NULL},
              &child);
    assert_non_null(output);
    assert_non_null(fgets(line, sizeof(line), output));
    assert_non_null(strstr(line, " Simulating client requests, round 1\n"));
    assert_non_null(fgets(line, sizeof(line), output));
    const char *told = strstr(line, " Simulated ");
    assert_non_null(told);
    assert_int_equal(
        sscanf(told, " Simulated %d requests in %*fs, rate of %lf reqs / sec", &answered, &rate),
        2);
    assert_int_equal(exit_status(output, child), 0);
    assert_int_equal(answered, requests);
    assert_true(rate > 0);
    struct agent_profile *read = agent_profile_read(path);
    *ret_rate = (double)requests / ((double)agent_profile_all_ns(read) / 1e9);
    return read;
}

static void version_2_is_faster_because_of_the_regex(void **state)
{
    double slow = 0;
    double fast = 0;
    struct agent_profile *first = run("1", "1", 2, &slow);
    struct agent_profile *second = run("2", "1", 20, &fast);
    double all = (double)agent_profile_all_ns(first);
    double regex = (double)(agent_profile_total_ns(first, "match_regex"));

    (void)state;
    if (fast < 5 * slow)
        fail_msg("version 2 does %.2f requests a second of CPU, version 1 %.2f", fast, slow);
    assert_true((double)agent_profile_total_ns(first, "get_match_count") > 0.8 * all);
    assert_true(regex > 0.7 * all);
    /* By either of its names: the library's own is seen where its debug information is installed.
     */
    assert_true((double)agent_profile_total_ns(first, "regcomp") +
                    (double)agent_profile_total_ns(first, "__regcomp") >
                0.3 * all);
    assert_int_equal(agent_profile_total_ns(second, "match_regex"), 0);
    assert_true(agent_profile_total_ns(second, "match_substring") > 0);
    assert_true((double)agent_profile_total_ns(second, "get_match_count") <
                0.7 * (double)agent_profile_all_ns(second));
    assert_true(agent_profile_total_ns(second, "read_file_worker") > 0);
    assert_true(agent_profile_has_comment(first, "work 2 requests"));
    assert_true(agent_profile_has_comment(second, "work 20 requests"));
    agent_profile_free(first);
    agent_profile_free(second);
}

static void concurrent_requests_count_right(void **state)
{
    double rate = 0;

    (void)state;
    agent_profile_free(run("2", "8", 16, &rate));
}

static void flags_are_checked(void **state)
{
    (void)state;
    const char *const refused[][3] = {
        {"--version=9", NULL}, {"--concurrency", "x", NULL}, {"--num_rounds=-1", NULL}};
    pid_t child = 0;

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        FILE *output = spawn(refused[i], &child);
        assert_int_equal(exit_status(output, child), 2);
    }
    FILE *output = spawn((const char *const[]){"--help", NULL}, &child);
    assert_int_equal(exit_status(output, child), 0);
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_2_is_faster_because_of_the_regex),
        cmocka_unit_test(concurrent_requests_count_right),
        cmocka_unit_test(flags_are_checked),
    };

    return cmocka_run_group_tests(tests, make_path, remove_path);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The agent against servers that answer, refuse, are busy, hang, are not there or cannot be
 * looked up. */
#include <dlfcn.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/timestamp.h"
#include "samples/agent/brazier_agent.h"
#include "tests/unit/agent_profile.h"
#include "tests/unit/agent_server.h"
#include "tests/unit/unit.h"

#define MS_NS       INT64_C(1000000)
#define SILENT_NAME "silent.invalid" /* looking it up takes half a minute */

static atomic_int silent_lookups;

static __attribute__((noinline)) void burn_ms(int64_t ms)
{
    int64_t until_ns = timestamp_monotonic_ns() + ms * MS_NS;

    while (timestamp_monotonic_ns() < until_ns)
        continue;
}

/* What is written to standard error while `run(argument)` runs, as malloc'd text. */
static char *standard_error_of(void (*run)(const char *), const char *argument)
{
    FILE *capture = tmpfile();
    char *text = calloc(1, 65536);
    int kept = dup(STDERR_FILENO);

    assert_non_null(capture);
    assert_non_null(text);
    dup2(fileno(capture), STDERR_FILENO);
    run(argument);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(capture);
    size_t size_bytes = fread(text, 1, 65535, capture);
    text[size_bytes] = '\0';
    fclose(capture);
    return text;
}

/* Lines about the server; a starved machine may add one about lost samples. */
static int count_complaints(const char *text)
{
    int count = 0;

    for (const char *at = strstr(text, "http://"); at; at = strstr(at + 1, "http://"))
        count++;
    return count;
}

static void run_against(const char *url)
{
    struct brazier_config config = {
        .server_url = url, .service = "test", .period_seconds = 1, .hz = 250};

    assert_int_equal(brazier_start(&config), BRAZIER_OK);
    burn_ms(3500);
    brazier_stop();
}

static void a_profile_carries_its_identity(void **state)
{
    struct agent_server *server = agent_server_start("HTTP/1.1 201 Created\r\n");
    struct brazier_config config = {.server_url = server->url,
                                    .token = "secret",
                                    .service = "caf\xc3\xa9 & co",
                                    .version = "2/1",
                                    .labels = "zone:eu,host:a b",
                                    .work_unit = "requests"};

    (void)state;
    assert_int_equal(brazier_start(&config), BRAZIER_OK);
    brazier_work(41);
    brazier_work(1);
    brazier_work(-5);
    burn_ms(500);
    brazier_stop(); /* long before the period of ten seconds ends */
    agent_server_stop(server);
    assert_int_equal(server->requests, 1);
    const char *line = "POST /api/v1/profiles?service=caf%C3%A9%20%26%20co&version=2%2F1&type=cpu"
                       "&label=zone%3Aeu&label=host%3Aa%20b&work=42&work_unit=requests HTTP/1.1";
    server->head[strlen(line)] = '\0';
    assert_string_equal(server->head, line);
    assert_non_null(strstr(server->head + strlen(line) + 1, "Authorization: Bearer secret\r\n"));
    struct agent_profile *read = agent_profile_decode(slice_make(server->body, server->body_bytes));
    assert_true(agent_profile_total_ns(read, "burn_ms") > 0);
    assert_in_range(read->profile.duration_ns, 450 * MS_NS, 10000 * MS_NS);
    agent_profile_free(read);
    agent_server_free(server);
}

static void each_period_is_posted(void **state)
{
    struct agent_server *server = agent_server_start("HTTP/1.1 201 Created\r\n");

    (void)state;
    run_against(server->url);
    agent_server_stop(server);
    assert_in_range(server->requests, 3, 5);
    agent_server_free(server);
}

static void nobody_listens(void **state)
{
    (void)state;
    int64_t begun_ns = timestamp_monotonic_ns();
    char *said = standard_error_of(run_against, "http://127.0.0.1:1");
    assert_true(timestamp_monotonic_ns() - begun_ns < 6000 * MS_NS);
    assert_int_equal(count_complaints(said), 1);
    assert_non_null(strstr(said, "http://127.0.0.1:1"));
    free(said);
}

static void a_busy_server_is_left_alone(void **state)
{
    struct agent_server *server =
        agent_server_start("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 60\r\n");

    (void)state;
    char *said = standard_error_of(run_against, server->url);
    agent_server_stop(server);
    assert_int_equal(server->requests, 2); /* the first, and the last at stop */
    assert_int_equal(count_complaints(said), 1);
    free(said);
    agent_server_free(server);
}

static void a_refusal_is_told_once(void **state)
{
    struct agent_server *server = agent_server_start("HTTP/1.1 403 Forbidden\r\n");

    (void)state;
    char *said = standard_error_of(run_against, server->url);
    agent_server_stop(server);
    assert_true(server->requests >= 3);
    assert_int_equal(count_complaints(said), 1);
    assert_non_null(strstr(said, "403"));
    free(said);
    agent_server_free(server);
}

/* A server that takes the request and is silent: the host runs on, and stop has its bound. */
static void a_hanging_server_does_not_hold_the_host(void **state)
{
    struct agent_server *server = agent_server_start(NULL);
    struct brazier_config config = {.server_url = server->url, .period_seconds = 1};

    (void)state;
    assert_int_equal(brazier_start(&config), BRAZIER_OK);
    burn_ms(1500);
    int64_t begun_ns = timestamp_monotonic_ns();
    brazier_stop();
    assert_true(timestamp_monotonic_ns() - begun_ns < 9000 * MS_NS);
    agent_server_stop(server);
    agent_server_free(server);
}

/* A resolver that is silent: in place of the C library's for one name. */
int getaddrinfo(const char *restrict node, const char *restrict service,
                const struct addrinfo *restrict hints, struct addrinfo **restrict result)
{
    typedef int resolve(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    void *found = dlsym(RTLD_NEXT, "getaddrinfo");
    resolve *real = NULL;

    if (node && strcmp(node, SILENT_NAME) == 0) {
        atomic_fetch_add(&silent_lookups, 1);
        sleep(30);
        return EAI_AGAIN;
    }
    memcpy(&real, &found, sizeof(real));
    return real ? real(node, service, hints, result) : EAI_SYSTEM;
}

static void a_hanging_resolver_does_not_hold_the_host(void **state)
{
    struct brazier_config config = {.server_url = "http://" SILENT_NAME, .period_seconds = 1};

    (void)state;
    assert_int_equal(brazier_start(&config), BRAZIER_OK);
    burn_ms(1500);
    int64_t begun_ns = timestamp_monotonic_ns();
    brazier_stop();
    assert_true(timestamp_monotonic_ns() - begun_ns < 9000 * MS_NS);
    assert_true(atomic_load(&silent_lookups) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_carries_its_identity),
        cmocka_unit_test(each_period_is_posted),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(a_busy_server_is_left_alone),
        cmocka_unit_test(a_refusal_is_told_once),
        cmocka_unit_test(a_hanging_server_does_not_hold_the_host),
        cmocka_unit_test(a_hanging_resolver_does_not_hold_the_host),
    };

    setenv("no_proxy", "127.0.0.1," SILENT_NAME, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of the agent: defaults, the struct, the environment over both, every bound. */
#include <stdlib.h>
#include <string.h>

#include "samples/agent/config.h"
#include "tests/unit/unit.h"

static const char *const variables[] = {
    "BRAZIER_SERVER",    "BRAZIER_TOKEN",          "BRAZIER_FILE",
    "BRAZIER_SERVICE",   "BRAZIER_VERSION",        "BRAZIER_LABELS",
    "BRAZIER_WORK_UNIT", "BRAZIER_PERIOD_SECONDS", "BRAZIER_HZ",
};

static int clear_environment(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        unsetenv(variables[i]);
    return 0;
}

static struct config *resolve(const struct brazier_config *given)
{
    struct config *config = NULL;
    struct error err = {.text = ""};

    if (config_resolve(given, &err, &config) != STATUS_OK)
        fail_msg("%s", err.text);
    return config;
}

static void defaults_are_as_documented(void **state)
{
    struct config *config = resolve(NULL);

    (void)state;
    assert_string_equal(config->server_url, "http://127.0.0.1:4040");
    assert_string_equal(config->service, "agent_config_test");
    assert_string_equal(config->version, "");
    assert_string_equal(config->work_unit, "");
    assert_null(config->token);
    assert_null(config->file);
    assert_int_equal(config->label_count, 0);
    assert_int_equal(config->period_ns, INT64_C(10000000000));
    assert_int_equal(config->interval_ns, 10000000);
    config_free(config);
}

static void a_file_is_one_period(void **state)
{
    struct brazier_config given = {.file = "x"};
    struct config *config = resolve(&given);

    (void)state;
    assert_int_equal(config->period_ns, INT64_MAX);
    config_free(config);
}

static void the_environment_wins(void **state)
{
    struct brazier_config given = {.server_url = "http://a",
                                   .service = "s",
                                   .version = "1",
                                   .labels = "k:v",
                                   .period_seconds = 5,
                                   .hz = 50};

    (void)state;
    setenv("BRAZIER_SERVER", "https://b.example//", 1);
    setenv("BRAZIER_VERSION", "2", 1);
    setenv("BRAZIER_LABELS", "zone:eu,,host:a:b", 1);
    setenv("BRAZIER_HZ", "1000", 1);
    setenv("BRAZIER_SERVICE", "", 1); /* empty: as if it were not set */
    struct config *config = resolve(&given);
    assert_string_equal(config->server_url, "https://b.example");
    assert_string_equal(config->service, "s");
    assert_string_equal(config->version, "2");
    assert_int_equal(config->label_count, 2);
    assert_string_equal(config->labels[0], "zone:eu");
    assert_string_equal(config->labels[1], "host:a:b");
    assert_int_equal(config->period_ns, INT64_C(5000000000));
    assert_int_equal(config->interval_ns, 1000000);
    config_free(config);
}

static void assert_refused(const struct brazier_config *given, const char *names)
{
    struct config *config = NULL;
    struct error err = {.text = ""};

    assert_status(config_resolve(given, &err, &config), STATUS_BAD_PARAMETER);
    assert_null(config);
    if (!strstr(err.text, names))
        fail_msg("\"%s\" does not name %s", err.text, names);
}

static void bounds_are_checked_and_named(void **state)
{
    char long_name[257];
    char many_labels[4 * 31 + 1] = "";

    (void)state;
    memset(long_name, 'x', sizeof(long_name) - 1);
    long_name[sizeof(long_name) - 1] = '\0';
    for (int i = 0; i < 31; i++)
        memcpy(many_labels + (size_t)4 * (size_t)i, "k:v,", 5);
    assert_refused(&(struct brazier_config){.service = long_name}, "BRAZIER_SERVICE");
    assert_refused(&(struct brazier_config){.version = long_name}, "BRAZIER_VERSION");
    assert_refused(&(struct brazier_config){.service = ""}, "service");
    assert_refused(&(struct brazier_config){.version = "\xff"}, "BRAZIER_VERSION");
    assert_refused(&(struct brazier_config){.server_url = "ftp://a"}, "BRAZIER_SERVER");
    assert_refused(&(struct brazier_config){.labels = "novalue"}, "BRAZIER_LABELS");
    assert_refused(&(struct brazier_config){.labels = ":v"}, "BRAZIER_LABELS");
    assert_refused(&(struct brazier_config){.labels = many_labels}, "30");
    assert_refused(&(struct brazier_config){.hz = 1001}, "BRAZIER_HZ");
    assert_refused(&(struct brazier_config){.period_seconds = 3601}, "BRAZIER_PERIOD_SECONDS");
    setenv("BRAZIER_HZ", "-1", 1);
    assert_refused(NULL, "BRAZIER_HZ");
    setenv("BRAZIER_HZ", "10x", 1);
    assert_refused(NULL, "BRAZIER_HZ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(defaults_are_as_documented, clear_environment),
        cmocka_unit_test_setup(a_file_is_one_period, clear_environment),
        cmocka_unit_test_setup(the_environment_wins, clear_environment),
        cmocka_unit_test_setup(bounds_are_checked_and_named, clear_environment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

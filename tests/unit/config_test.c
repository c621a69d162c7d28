/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration: defaults, variables, flags, and what refuses to start. */
#include "server/config.h"

#include <stdlib.h>

#include "tests/unit/unit.h"

static enum status read_flags(const char *const *flags, struct error *err,
                              struct config *ret_config, enum config_action *ret_action)
{
    char *argv[16];
    int argc = 0;

    while (flags[argc] != NULL) {
        argv[argc] = (char *)(uintptr_t)flags[argc];
        argc++;
    }
    return config_read(argc, argv, err, ret_config, ret_action);
}

#define FLAGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_defaults(void **state)
{
    enum config_action action = CONFIG_MAX;
    struct config config;
    struct error err;

    (void)state;
    assert_status(config_read(0, NULL, &err, &config, &action), STATUS_OK);
    assert_int_equal(action, CONFIG_SERVE);
    assert_string_equal(config.host, "127.0.0.1");
    assert_int_equal(config.port, 4040);
    assert_string_equal(config.database, "brazier.db");
    assert_true(config.loopback);
}

static void test_flags_win_over_variables(void **state)
{
    enum config_action action = CONFIG_MAX;
    struct config config;
    struct error err;

    (void)state;
    assert_int_equal(setenv("BRAZIER_DB", "variable.db", 1), 0);
    assert_int_equal(setenv("BRAZIER_THREADS", "3", 1), 0);
    assert_status(read_flags(FLAGS("--db=flag.db", "--listen", "[::1]:0"), &err, &config, &action),
                  STATUS_OK);
    assert_string_equal(config.database, "flag.db");
    assert_int_equal(config.threads, 3);
    assert_string_equal(config.host, "::1");
    assert_int_equal(config.port, 0);
    assert_true(config.loopback);
    assert_int_equal(unsetenv("BRAZIER_DB"), 0);
    assert_int_equal(unsetenv("BRAZIER_THREADS"), 0);
}

static void test_public_address_needs_tokens(void **state)
{
    static const char *const addresses[] = {"0.0.0.0:4040", "[::]:4040", "192.0.2.1:80"};
    enum config_action action = CONFIG_MAX;
    struct config config;
    struct error err;

    (void)state;
    for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        assert_status(read_flags(FLAGS("--listen", addresses[i]), &err, &config, &action),
                      STATUS_FORBIDDEN);
        assert_non_null(strstr(err.text, "--token-file"));
        assert_status(read_flags(FLAGS("--listen", addresses[i], "--token-file", "t"), &err,
                                 &config, &action),
                      STATUS_OK);
        assert_false(config.loopback);
    }
    assert_status(read_flags(FLAGS("--listen", "127.9.9.9:1"), &err, &config, &action), STATUS_OK);
}

static void test_refused(void **state)
{
    static const char *const cases[][2] = {
        {"--bogus", "x"},        {"--threads", "0"},
        {"--threads", "65"},     {"--threads", "2x"},
        {"--listen", "4040"},    {"--listen", "127.0.0.1:65536"},
        {"--listen", "host:80"}, {"--log-level", "loud"},
        {"--max-inflated", "5"}, {"--db", ""},
        {"--listen", ":4040"},   {"--max-inflated", "-1"},
        {"--databases", "x"},    {"--max-inflated", "134217729"},
    };
    enum config_action action = CONFIG_MAX;
    struct config config;
    struct error err;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_status(read_flags(FLAGS(cases[i][0], cases[i][1]), &err, &config, &action),
                      STATUS_BAD_PARAMETER);
    assert_status(read_flags(FLAGS("--db"), &err, &config, &action), STATUS_BAD_PARAMETER);
}

static void test_help_names_every_flag(void **state)
{
    char *text = NULL;
    size_t text_bytes = 0;
    FILE *out = open_memstream(&text, &text_bytes);

    (void)state;
    config_help(out);
    (void)fclose(out);
    assert_non_null(strstr(text, "--listen ADDRESS:PORT  [BRAZIER_LISTEN]"));
    assert_non_null(strstr(text, "--token-file"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_flags_win_over_variables),
        cmocka_unit_test(test_public_address_needs_tokens),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_help_names_every_flag),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

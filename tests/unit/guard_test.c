/* SPDX-License-Identifier: Apache-2.0 */
/* The Host allow-list in all its spellings, and header names. The rest of the guard needs real
 * connections: the API tests send those. */
#include "server/http/guard.h"

#include "tests/unit/unit.h"

static void test_hosts(void **state)
{
    const struct config config = {
        .host = "192.0.2.7", .public_hosts = {"profiles.example"}, .public_host_count = 1};
    static const struct {
        const char *host;
        bool allowed;
    } cases[] = {
        {"localhost", true},
        {"LOCALHOST:4040", true},
        {"127.0.0.1:1", true},
        {"[::1]", true},
        {"[::1]:4040", true},
        {"192.0.2.7:4040", true},
        {"profiles.example", true},
        {"Profiles.Example:443", true},
        {"", false},
        {":4040", false},
        {"evil.example", false},
        {"evil.example:4040", false},
        {"localhost.evil.example", false},
        {"xlocalhost", false},
        {"127.0.0.1.evil.example", false},
        {"[::1", false},
        {"[::1]evil", false},
        {"[::2]:4040", false},
        {"192.0.2.8", false},
        {"profiles.example.", false},
        {"localhost@evil.example", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(guard_host_allowed(&config, slice_of(cases[i].host)), cases[i].allowed);
}

static void test_header_names(void **state)
{
    static const struct {
        const char *name;
        bool allowed;
    } cases[] = {
        {"Content-Length", true},
        {"x", true},
        {"!#$%&'*+-.^_`|~09az", true},
        {"", false},
        {"Content-Length ", false},
        {" Content-Length", false},
        {"Transfer-Encoding\t", false},
        {"Transfer\vEncoding", false},
        {"a(b)", false},
        {"a\x7f", false},
        {"caf\xc3\xa9", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(guard_name_allowed(slice_of(cases[i].name)), cases[i].allowed);
    assert_false(guard_name_allowed(slice_make("a\0b", 3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_header_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

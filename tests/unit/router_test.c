/* SPDX-License-Identifier: Apache-2.0 */
/* Routing: every path to its route, and nothing else. */
#include "server/http/router.h"

#include "tests/unit/unit.h"

static void test_routes(void **state)
{
    static const struct {
        const char *method, *path;
        enum status status;
        enum route_id id;
        const char *rest;
    } cases[] = {
        {"POST", "/api/v1/profiles", STATUS_OK, ROUTE_PROFILES_POST, ""},
        {"GET", "/api/v1/profiles", STATUS_OK, ROUTE_PROFILES, ""},
        {"HEAD", "/api/v1/profiles", STATUS_OK, ROUTE_PROFILES, ""},
        {"GET", "/api/v1/profiles/abc", STATUS_OK, ROUTE_PROFILE, "abc"},
        {"GET", "/api/v1/profiles/", STATUS_NOT_FOUND, ROUTE_MAX, ""},
        {"GET", "/api/v1/profiles/a/b", STATUS_NOT_FOUND, ROUTE_MAX, ""},
        {"PUT", "/api/v1/profiles", STATUS_METHOD_NOT_ALLOWED, ROUTE_MAX, ""},
        {"POST", "/api/v1/flamegraph", STATUS_METHOD_NOT_ALLOWED, ROUTE_MAX, ""},
        {"GET", "/api/v1/nothing", STATUS_NOT_FOUND, ROUTE_MAX, ""},
        {"GET", "/api/v2/services", STATUS_NOT_FOUND, ROUTE_MAX, ""},
        {"GET", "/healthz", STATUS_OK, ROUTE_HEALTHZ, ""},
        {"GET", "/", STATUS_OK, ROUTE_STATIC, ""},
        {"GET", "/app.css", STATUS_OK, ROUTE_STATIC, ""},
        {"POST", "/", STATUS_METHOD_NOT_ALLOWED, ROUTE_MAX, ""},
        {"GET", "", STATUS_NOT_FOUND, ROUTE_MAX, ""},
        {"GET", "app.css", STATUS_NOT_FOUND, ROUTE_MAX, ""},
        {"OPTIONS", "*", STATUS_NOT_FOUND, ROUTE_MAX, ""},
        {"get", "/healthz", STATUS_METHOD_NOT_ALLOWED, ROUTE_MAX, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct route *route = NULL;
        const char *allowed = NULL;
        struct slice rest = slice_make("", 0);
        struct error err;

        assert_status(router_find(cases[i].method, cases[i].path, &err, &route, &rest, &allowed),
                      cases[i].status);
        if (cases[i].status == STATUS_METHOD_NOT_ALLOWED)
            assert_non_null(allowed);
        if (cases[i].status != STATUS_OK)
            continue;
        assert_int_equal(route->id, cases[i].id);
        assert_slice_equal(rest, slice_of(cases[i].rest));
    }
}

static void test_writes_need_more_than_reads(void **state)
{
    const struct route *route = NULL;
    const char *allowed;
    struct slice rest;

    (void)state;
    assert_status(router_find("POST", "/api/v1/profiles", NULL, &route, &rest, &allowed),
                  STATUS_OK);
    assert_int_equal(route->scope, AUTH_WRITE);
    assert_status(router_find("GET", "/api/v1/services", NULL, &route, &rest, &allowed), STATUS_OK);
    assert_int_equal(route->scope, AUTH_READ);
    assert_status(router_find("GET", "/metrics", NULL, &route, &rest, &allowed), STATUS_OK);
    assert_int_equal(route->scope, AUTH_READ);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_routes),
        cmocka_unit_test(test_writes_need_more_than_reads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

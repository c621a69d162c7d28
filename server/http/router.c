/* SPDX-License-Identifier: Apache-2.0 */
/* Routes: a table, searched in order. Paths under /api/ and the service's own are listed here;
 * every other GET path is a file of the page. */
#include "server/http/router.h"

#include <string.h>

#include "server/http/handlers.h"

static const struct route ROUTES[] = {
    {ROUTE_PROFILES_POST, "POST", "/api/v1/profiles", AUTH_WRITE, handle_profiles_post},
    {ROUTE_PROFILES, "GET", "/api/v1/profiles", AUTH_READ, handle_profiles},
    {ROUTE_PROFILE, "GET", "/api/v1/profiles/*", AUTH_READ, handle_profile},
    {ROUTE_SERVICES, "GET", "/api/v1/services", AUTH_READ, handle_services},
    {ROUTE_FLAMEGRAPH, "GET", "/api/v1/flamegraph", AUTH_READ, handle_flamegraph},
    {ROUTE_FUNCTIONS, "GET", "/api/v1/functions", AUTH_READ, handle_functions},
    {ROUTE_FOCUS, "GET", "/api/v1/focus", AUTH_READ, handle_focus},
    {ROUTE_HEALTHZ, "GET", "/healthz", AUTH_NONE, handle_healthz},
    {ROUTE_READYZ, "GET", "/readyz", AUTH_NONE, handle_readyz},
    {ROUTE_METRICS, "GET", "/metrics", AUTH_READ, handle_metrics},
};

static const struct route STATIC_ROUTE = {ROUTE_STATIC, "GET", "/", AUTH_NONE, handle_static};

const char *route_label(enum route_id id)
{
    static const char *const labels[ROUTE_MAX] = {
#define ROUTE_LABEL(name, label) [ROUTE_##name] = label,
        ROUTE_TABLE(ROUTE_LABEL)
#undef ROUTE_LABEL
    };

    return labels[id];
}

static bool path_matches(const char *pattern, const char *path, struct slice *ret_rest)
{
    size_t pattern_bytes = strlen(pattern);

    if (pattern[pattern_bytes - 1] != '*') {
        *ret_rest = slice_make(NULL, 0);
        return strcmp(pattern, path) == 0;
    }
    if (strncmp(pattern, path, pattern_bytes - 1) != 0)
        return false;
    path += pattern_bytes - 1;
    *ret_rest = slice_of(path);
    return *path != '\0' && strchr(path, '/') == NULL;
}

static bool method_matches(const char *wanted, const char *method)
{
    return strcmp(wanted, method) == 0 ||
           (strcmp(wanted, "GET") == 0 && strcmp(method, "HEAD") == 0);
}

enum status router_find(const char *method, const char *path, struct error *err,
                        const struct route **ret_route, struct slice *ret_rest,
                        const char **ret_allowed)
{
    bool get = false, post = false;

    if (path[0] != '/') /* the "*" of OPTIONS, a whole URL, or nothing in front of the "?" */
        return error_set(err, STATUS_NOT_FOUND, "no such path: %.100s", path);
    for (size_t i = 0; i < sizeof(ROUTES) / sizeof(ROUTES[0]); i++) {
        if (!path_matches(ROUTES[i].path, path, ret_rest))
            continue;
        if (method_matches(ROUTES[i].method, method)) {
            *ret_route = &ROUTES[i];
            return STATUS_OK;
        }
        get |= strcmp(ROUTES[i].method, "GET") == 0;
        post |= strcmp(ROUTES[i].method, "POST") == 0;
    }
    if (!get && !post && strncmp(path, "/api/", 5) != 0) {
        if (method_matches("GET", method)) {
            *ret_route = &STATIC_ROUTE;
            return STATUS_OK;
        }
        get = true;
    }
    if (!get && !post)
        return error_set(err, STATUS_NOT_FOUND, "no such path: %.100s", path);
    *ret_allowed = get && post ? "GET, HEAD, POST" : get ? "GET, HEAD" : "POST";
    return error_set(err, STATUS_METHOD_NOT_ALLOWED, "%.20s is not allowed here, only %s", method,
                     *ret_allowed);
}

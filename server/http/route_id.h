/* SPDX-License-Identifier: Apache-2.0 */
/* The routes by name, for tables that are indexed by them. */
#ifndef BRAZIER_SERVER_HTTP_ROUTE_ID_H
#define BRAZIER_SERVER_HTTP_ROUTE_ID_H

/* X(name, label in /metrics and the log) */
#define ROUTE_TABLE(X)                                                                             \
    X(PROFILES_POST, "profiles_post")                                                              \
    X(PROFILES, "profiles")                                                                        \
    X(PROFILE, "profile")                                                                          \
    X(SERVICES, "services")                                                                        \
    X(FLAMEGRAPH, "flamegraph")                                                                    \
    X(FUNCTIONS, "functions")                                                                      \
    X(FOCUS, "focus")                                                                              \
    X(HEALTHZ, "healthz")                                                                          \
    X(READYZ, "readyz")                                                                            \
    X(METRICS, "metrics")                                                                          \
    X(STATIC, "static")                                                                            \
    X(UNKNOWN, "unknown") /* refused before or by routing */

enum route_id {
#define ROUTE_MEMBER(name, label) ROUTE_##name,
    ROUTE_TABLE(ROUTE_MEMBER)
#undef ROUTE_MEMBER
        ROUTE_MAX
};

/* The label, static text. */
const char *route_label(enum route_id id);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The table of everything that can be asked for. */
#ifndef BRAZIER_SERVER_HTTP_ROUTER_H
#define BRAZIER_SERVER_HTTP_ROUTER_H

#include <stdbool.h>

#include "proto/base/error.h"
#include "proto/base/slice.h"
#include "server/http/auth.h"
#include "server/http/route_id.h"

struct exchange;

/* Does the work of one request and fills exchange->out; its status becomes the answer's. */
typedef enum status route_handler(struct exchange *exchange);

struct route {
    enum route_id id;
    const char *method; /* "GET" serves HEAD too */
    const char *path;   /* a final '*' stands for one more, non-empty segment */
    enum auth_scope scope;
    route_handler *handler;
};

/* The route of method and path. STATUS_NOT_FOUND: no such path; STATUS_METHOD_NOT_ALLOWED: the path
 * is there for other methods, which *ret_allowed lists for the Allow header (static text). */
CHECKED enum status router_find(const char *method, const char *path, struct error *err,
                                const struct route **ret_route, struct slice *ret_rest,
                                const char **ret_allowed);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The views: one function a route, from query parameters to the body of the answer.
 *
 * All of them check the whole query first and refuse what they do not know (STATUS_BAD_PARAMETER),
 * append one JSON document (raw_view: gzip bytes) to `out` and succeed, or fail and leave `out` to
 * be thrown away. All may fail with STATUS_NOT_FOUND (unknown service), STATUS_VALUE_OVERFLOW,
 * STATUS_TOO_LARGE (arena, answer), STATUS_UNAVAILABLE and STATUS_INTERNAL. `now_ns` is what "now"
 * in a time parameter means. Shapes are in the API's description; what it leaves open is here. */
#ifndef BRAZIER_SERVER_VIEW_VIEWS_H
#define BRAZIER_SERVER_VIEW_VIEWS_H

#include "proto/base/arena.h"
#include "proto/base/buf.h"
#include "server/view/query.h"
#include "storage/store.h"

typedef enum status view_function(struct store *store, const struct query *query,
                                  struct arena *arena, int64_t now_ns, struct error *err,
                                  struct buf *out);

/* GET /services: the catalogue. Each version, type and label has its profiles counted; a type also
 * names its default metric. */
CHECKED view_function services_view;

/* GET /flamegraph. With `root` row 0 is that node under its own name, and min_fraction is a share
 * of it; sides keep the whole selection's totals. STATUS_NOT_FOUND: no such node here. */
CHECKED view_function flamegraph_view;

/* GET /functions. `count` is the number of functions that match `q` (in name or file), of which
 * `functions` is the page. sort=total and self order a comparison by the larger of the two sides
 * per profile, so that a function gone from one is not lost; sort=delta by total per profile minus
 * base total per profile, signed, and needs a comparison. `order` is desc, for names asc. */
CHECKED view_function functions_view;

/* GET /focus. Without `file` a name means its functions in all files, as one. min_fraction and
 * max_nodes cut both trees as in the flame graph, of the function's own weight; each tree has its
 * own "truncated". In "callers" a node's self is what entered the program there.
 * STATUS_NOT_FOUND: no such function in this selection. */
CHECKED view_function focus_view;

/* GET /profiles: a page, newest first, and "next", the cursor of the page behind it or null.
 * "metrics" has all totals; "metric" and "total" are the one asked for (total null where a profile
 * lacks it), else the profile's last. */
CHECKED view_function profiles_view;

/* GET /profiles/{id}: the pprof as it was sent, gzip-compressed if it was not. `id` is the path's
 * last part. STATUS_NOT_FOUND: no such profile, or not an id. */
CHECKED enum status raw_view(struct store *store, struct slice id, const struct query *query,
                             struct arena *arena, struct error *err, struct buf *out);

#endif

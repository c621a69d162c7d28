/* SPDX-License-Identifier: Apache-2.0 */
/* Which profiles a view is about: the parameters of one side, or of two for a comparison.
 *
 * A parameter with the prefix base_ makes a base side; what it does not override is shared with
 * the selection. Lists are overridden whole: base_version replaces every version, base_label every
 * label. Beyond the contract's parameters there is `having=duration|work`, which leaves out the
 * profiles that do not say how long they ran or how much work they did, so that a view per second
 * or per unit of work compares like with like.
 *
 * Slices point into the query or the arena. */
#ifndef BRAZIER_SERVER_VIEW_SELECTION_H
#define BRAZIER_SERVER_VIEW_SELECTION_H

#include "proto/base/arena.h"
#include "server/view/json.h"
#include "server/view/query.h"
#include "storage/store.h"

struct selection {
    struct store_selection sides[2]; /* the selection, then the base */
    uint32_t side_count;             /* 1 or 2 */
};

/* Reads both sides. The query has passed query_check with QUERY_SELECTION (and QUERY_COMPARISON
 * where a base is allowed). An absent `from` is INT64_MIN, an absent `until` INT64_MAX.
 * STATUS_BAD_PARAMETER; STATUS_TOO_LARGE: arena. */
CHECKED enum status selection_read(const struct query *query, struct arena *arena, int64_t now_ns,
                                   struct error *err, struct selection *ret_selection);

/* Reads one "key:value" of parameter `parameter` (static text), split at the first colon.
 * STATUS_BAD_PARAMETER: no colon, no key, or over LIMIT_LABEL_KEY_BYTES, LIMIT_LABEL_VALUE_BYTES.
 */
CHECKED enum status selection_read_label(struct slice text, const char *parameter,
                                         struct error *err, struct store_label *ret_label);

/* Writes what was selected as the value of the next member: an object with service, type, metric,
 * version, label, from, until, profile, having, and "base" (the same again, or null). Type and
 * metric are `type` and `metric` where a side leaves them open. */
void selection_write(struct json *json, const struct selection *selection, struct slice type,
                     struct slice metric);

#endif

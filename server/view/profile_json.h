/* SPDX-License-Identifier: Apache-2.0 */
/* A stored profile as JSON members: the answer to an upload and the rows of the list; and those of
 * its members that selections and sides of a view have too. */
#ifndef BRAZIER_SERVER_VIEW_PROFILE_JSON_H
#define BRAZIER_SERVER_VIEW_PROFILE_JSON_H

#include "server/view/json.h"
#include "storage/store.h"

/* Writes id, service, version, type, labels, time, duration_ns, work, work_unit, samples, bytes and
 * metrics into the open object. */
void profile_json_write(struct json *json, const struct store_profile *profile);

/* Writes the value of a member: a list of [key, value], because a key may repeat. */
void profile_json_labels(struct json *json, const struct store_label *labels, uint32_t count);

/* Writes work and work_unit into the open object; both are null when `work` is -1. */
void profile_json_work(struct json *json, int64_t work, struct slice unit);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A stored profile as JSON members: the answer to an upload and the rows of the list. */
#ifndef BRAZIER_SERVER_VIEW_PROFILE_JSON_H
#define BRAZIER_SERVER_VIEW_PROFILE_JSON_H

#include "server/view/json.h"
#include "storage/store.h"

/* Writes id, service, version, type, labels, time, duration_ns, work, work_unit, samples, bytes and
 * metrics into the open object. labels is a list of [key, value]: a key may repeat. */
void profile_json_write(struct json *json, const struct store_profile *profile);

#endif

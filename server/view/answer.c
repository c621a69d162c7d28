/* SPDX-License-Identifier: Apache-2.0 */
/* Frame of every view: query to tally in front, the common members of the answer behind.
 *
 * In: a query; out: a tally, and later the head of a JSON document. Holds the tally until it is
 * closed, because its tree belongs to the store. */
#include "server/view/answer.h"

#include "server/view/profile_json.h"

enum status answer_open(struct answer *answer, struct store *store, const struct query *query,
                        unsigned groups, struct arena *arena, int64_t now_ns, struct error *err)
{
    enum status status = query_check(query, groups | QUERY_SELECTION | QUERY_COMPARISON, err);

    answer->store = store;
    answer->tallied = false;
    if (status == STATUS_OK)
        status = selection_read(query, arena, now_ns, err, &answer->selection);
    if (status == STATUS_OK)
        status = store_tally(store, answer->selection.sides, answer->selection.side_count, arena,
                             err, &answer->tally);
    answer->tallied = status == STATUS_OK;
    return status;
}

void answer_close(struct answer *answer)
{
    if (answer->tallied)
        store_tally_release(answer->store, &answer->tally);
    answer->tallied = false;
}

static void answer_write_side(struct json *json, const struct store_selection *asked,
                              const struct store_side *side)
{
    bool some = side->profile_count > 0;

    json_begin_object(json);
    json_key(json, "version");
    json_begin_array(json);
    for (uint32_t i = 0; i < asked->version_count; i++)
        json_string(json, asked->versions[i]);
    json_end_array(json);
    json_key(json, "profiles");
    json_uint(json, side->profile_count);
    json_key(json, "duration_ns");
    json_int(json, side->duration_ns);
    json_key(json, "without_duration");
    json_uint(json, side->without_duration_count);
    profile_json_work(json, side->work, side->work_unit);
    json_key(json, "without_work");
    json_uint(json, side->without_work_count);
    json_key(json, "from");
    if (some)
        json_time(json, side->first_ns);
    else
        json_null(json);
    json_key(json, "until");
    if (some)
        json_time(json, side->last_ns == INT64_MAX ? INT64_MAX : side->last_ns + 1);
    else
        json_null(json);
    json_key(json, "total");
    json_int(json, side->total);
    json_key(json, "unfiltered_total");
    json_int(json, side->total);
    json_end_object(json);
}

struct json answer_begin(const struct answer *answer, struct buf *out)
{
    const struct store_tally *tally = &answer->tally;
    struct json json = json_to(out);

    json_begin_object(&json);
    json_key(&json, "selection");
    selection_write(&json, &answer->selection, tally->type, tally->metric);
    json_key(&json, "type");
    json_string(&json, tally->type);
    json_key(&json, "metric");
    json_string(&json, tally->metric);
    json_key(&json, "unit");
    json_string(&json, tally->unit);
    json_key(&json, "kind");
    json_text(&json, metric_kind_name(tally->kind));
    json_key(&json, "sides");
    json_begin_array(&json);
    for (uint32_t side = 0; side < tally->side_count; side++)
        answer_write_side(&json, &answer->selection.sides[side], &tally->sides[side]);
    json_end_array(&json);
    return json;
}

enum status answer_end(struct json *json, struct error *err)
{
    json_end_object(json);
    return buf_status(json->out, err, "answer");
}

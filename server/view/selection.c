/* SPDX-License-Identifier: Apache-2.0 */
/* Between query and store: parameters to one or two store_selections.
 *
 * In: a checked query; out: what the store understands, canonical in its type, absolute in its
 * times. Asks the store nothing: whether a service or metric exists is the store's answer. */
#include "server/view/selection.h"

#include "proto/base/limits.h"
#include "proto/metrics.h"
#include "server/view/profile_json.h"

/* The parameters of one side by their full names; `having` and the like have no other spelling. */
struct selection_keys {
    const char *service, *type, *metric, *version, *label, *from, *until, *profile, *having;
};

static const struct selection_keys selection_keys[2] = {
    {"service", "type", "metric", "version", "label", "from", "until", "profile", "having"},
    {"base_service", "base_type", "base_metric", "base_version", "base_label", "base_from",
     "base_until", "base_profile", "base_having"},
};

/* By enum store_having. */
static const char *const selection_havings[] = {"any", "duration", "work", NULL};

enum status selection_read_label(struct slice text, const char *parameter, struct error *err,
                                 struct store_label *ret_label)
{
    const char *colon = text.size_bytes == 0 ? NULL : memchr(text.data, ':', text.size_bytes);

    if (colon == NULL || colon == text.data)
        return query_refuse(parameter, err, "not of the form key:value");
    struct slice key = slice_make(text.data, (size_t)(colon - text.data));
    struct slice value = slice_make(colon + 1, text.size_bytes - key.size_bytes - 1);
    if (key.size_bytes > LIMIT_LABEL_KEY_BYTES)
        return error_set_at(err, STATUS_BAD_PARAMETER, parameter, ERROR_NONE, LIMIT_LABEL_KEY_BYTES,
                            "%s: a key of %zu bytes, at most %u", parameter, key.size_bytes,
                            LIMIT_LABEL_KEY_BYTES);
    if (value.size_bytes > LIMIT_LABEL_VALUE_BYTES)
        return error_set_at(err, STATUS_BAD_PARAMETER, parameter, ERROR_NONE,
                            LIMIT_LABEL_VALUE_BYTES, "%s: a value of %zu bytes, at most %u",
                            parameter, value.size_bytes, LIMIT_LABEL_VALUE_BYTES);
    *ret_label = (struct store_label){key, value};
    return STATUS_OK;
}

static uint32_t selection_times_given(const struct query *query, const char *key)
{
    uint32_t at = 0;
    uint32_t times = 0;

    while (query_next(query, key, &at) != NULL)
        times++;
    return times;
}

static enum status selection_read_versions(const struct query *query, const char *key,
                                           struct arena *arena, struct error *err,
                                           struct store_selection *side)
{
    uint32_t count = selection_times_given(query, key);

    if (count == 0)
        return STATUS_OK;
    if (count > LIMIT_SELECTION_VERSIONS)
        return error_set_at(err, STATUS_BAD_PARAMETER, key, ERROR_NONE, LIMIT_SELECTION_VERSIONS,
                            "%s: given %u times, at most %u", key, count, LIMIT_SELECTION_VERSIONS);
    struct slice *versions = arena_array(arena, count, struct slice);
    if (versions == NULL)
        return arena_exhausted(arena, err, "the versions");
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++)
        versions[i] = query_next(query, key, &at)->value;
    side->versions = versions;
    side->version_count = count;
    return STATUS_OK;
}

static enum status selection_read_labels(const struct query *query, const char *key,
                                         struct arena *arena, struct error *err,
                                         struct store_selection *side)
{
    uint32_t count = selection_times_given(query, key);

    if (count == 0)
        return STATUS_OK;
    if (count > LIMIT_LABELS)
        return error_set_at(err, STATUS_BAD_PARAMETER, key, ERROR_NONE, LIMIT_LABELS,
                            "%s: given %u times, at most %u", key, count, LIMIT_LABELS);
    struct store_label *labels = arena_array(arena, count, struct store_label);
    if (labels == NULL)
        return arena_exhausted(arena, err, "the labels");
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        enum status status =
            selection_read_label(query_next(query, key, &at)->value, key, err, &labels[i]);
        if (status != STATUS_OK)
            return status;
    }
    side->labels = labels;
    side->label_count = count;
    return STATUS_OK;
}

/* A text that may not be empty: leaving it out and leaving it empty are different mistakes. */
static enum status selection_read_text(const struct query *query, const char *key,
                                       struct error *err, struct slice *ret_text)
{
    const struct query_pair *pair = query_find(query, key);

    if (pair == NULL)
        return STATUS_OK;
    if (pair->value.size_bytes == 0)
        return query_refuse(key, err, "is empty");
    *ret_text = pair->value;
    return STATUS_OK;
}

static enum status selection_read_type(const struct query *query, const char *key,
                                       struct arena *arena, struct error *err,
                                       struct store_selection *side)
{
    const struct query_pair *pair = query_find(query, key);

    if (pair == NULL)
        return STATUS_OK;
    return metrics_canonical_type(pair->value, arena, err, &side->type);
}

static enum status selection_read_profile(const struct query *query, const char *key,
                                          struct error *err, struct store_selection *side)
{
    const struct query_pair *pair = query_find(query, key);

    if (pair == NULL)
        return STATUS_OK;
    if (!query_hex(pair->value, side->id.bytes, STORE_ID_BYTES))
        return query_refuse(key, err, "not the 32 hex digits of a profile");
    side->one = true;
    return STATUS_OK;
}

/* Overrides in `side` what the query says under these keys. */
static enum status selection_read_side(const struct query *query, const struct selection_keys *keys,
                                       struct arena *arena, int64_t now_ns, struct error *err,
                                       struct store_selection *side)
{
    uint32_t having = (uint32_t)side->having;
    enum status status = selection_read_text(query, keys->service, err, &side->service);

    if (status == STATUS_OK)
        status = selection_read_type(query, keys->type, arena, err, side);
    if (status == STATUS_OK)
        status = selection_read_text(query, keys->metric, err, &side->metric);
    if (status == STATUS_OK)
        status = selection_read_versions(query, keys->version, arena, err, side);
    if (status == STATUS_OK)
        status = selection_read_labels(query, keys->label, arena, err, side);
    if (status == STATUS_OK)
        status = query_time(query, keys->from, now_ns, side->from_ns, err, &side->from_ns);
    if (status == STATUS_OK)
        status = query_time(query, keys->until, now_ns, side->until_ns, err, &side->until_ns);
    if (status == STATUS_OK)
        status = selection_read_profile(query, keys->profile, err, side);
    if (status == STATUS_OK)
        status = query_choice(query, keys->having, selection_havings, having, err, &having);
    if (status == STATUS_OK)
        side->having = (enum store_having)having;
    return status;
}

static bool selection_has_base(const struct query *query)
{
    struct slice prefix = SLICE_LITERAL("base_");

    for (uint32_t i = 0; i < query->count; i++) {
        struct slice key = query->pairs[i].key;
        if (key.size_bytes > prefix.size_bytes &&
            memcmp(key.data, prefix.data, prefix.size_bytes) == 0)
            return true;
    }
    return false;
}

enum status selection_read(const struct query *query, struct arena *arena, int64_t now_ns,
                           struct error *err, struct selection *ret_selection)
{
    struct selection selection = {.side_count = 1};
    struct store_selection *sides = selection.sides;

    sides[0].from_ns = INT64_MIN;
    sides[0].until_ns = INT64_MAX;
    enum status status =
        selection_read_side(query, &selection_keys[0], arena, now_ns, err, &sides[0]);
    if (status != STATUS_OK)
        return status;
    if (sides[0].service.size_bytes == 0)
        return query_refuse("service", err, "is required");
    if (selection_has_base(query)) {
        sides[1] = sides[0];
        selection.side_count = 2;
        status = selection_read_side(query, &selection_keys[1], arena, now_ns, err, &sides[1]);
        if (status != STATUS_OK)
            return status;
    }
    *ret_selection = selection;
    return STATUS_OK;
}

static void selection_write_bound(struct json *json, const char *name, int64_t time_ns,
                                  int64_t open_ns)
{
    json_key(json, name);
    if (time_ns == open_ns)
        json_null(json);
    else
        json_time(json, time_ns);
}

/* The members of one side, inside an object that the caller has opened. */
static void selection_write_side(struct json *json, const struct store_selection *side,
                                 struct slice type, struct slice metric)
{
    json_key(json, "service");
    json_string(json, side->service);
    json_key(json, "type");
    json_string(json, side->type.size_bytes == 0 ? type : side->type);
    json_key(json, "metric");
    json_string(json, side->metric.size_bytes == 0 ? metric : side->metric);
    json_key(json, "version");
    json_begin_array(json);
    for (uint32_t i = 0; i < side->version_count; i++)
        json_string(json, side->versions[i]);
    json_end_array(json);
    json_key(json, "label");
    profile_json_labels(json, side->labels, side->label_count);
    selection_write_bound(json, "from", side->from_ns, INT64_MIN);
    selection_write_bound(json, "until", side->until_ns, INT64_MAX);
    json_key(json, "profile");
    if (side->one)
        json_hex(json, side->id.bytes, STORE_ID_BYTES);
    else
        json_null(json);
    json_key(json, "having");
    json_text(json, selection_havings[side->having]);
}

void selection_write(struct json *json, const struct selection *selection, struct slice type,
                     struct slice metric)
{
    json_begin_object(json);
    selection_write_side(json, &selection->sides[0], type, metric);
    json_key(json, "base");
    if (selection->side_count == 2) {
        json_begin_object(json);
        selection_write_side(json, &selection->sides[1], type, metric);
        json_end_object(json);
    } else {
        json_null(json);
    }
    json_end_object(json);
}

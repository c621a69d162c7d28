/* SPDX-License-Identifier: Apache-2.0 */
/* One shape for a stored profile, whoever shows it. */
#include "server/view/profile_json.h"

static void profile_json_metrics(struct json *json, const struct store_profile *profile)
{
    json_key(json, "metrics");
    json_begin_object(json);
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        const struct metric *metric = &profile->metrics[i];
        json_name(json, metric->name);
        json_begin_object(json);
        json_key(json, "unit");
        json_string(json, metric->unit);
        json_key(json, "kind");
        json_text(json, metric_kind_name(metric->kind));
        json_key(json, "total");
        json_int(json, metric->total);
        json_end_object(json);
    }
    json_end_object(json);
}

void profile_json_labels(struct json *json, const struct store_label *labels, uint32_t count)
{
    json_begin_array(json);
    for (uint32_t i = 0; i < count; i++) {
        json_begin_array(json);
        json_string(json, labels[i].key);
        json_string(json, labels[i].value);
        json_end_array(json);
    }
    json_end_array(json);
}

void profile_json_work(struct json *json, int64_t work, struct slice unit)
{
    json_key(json, "work");
    if (work >= 0)
        json_int(json, work);
    else
        json_null(json);
    json_key(json, "work_unit");
    if (work >= 0)
        json_string(json, unit);
    else
        json_null(json);
}

void profile_json_write(struct json *json, const struct store_profile *profile)
{
    json_key(json, "id");
    json_hex(json, profile->id.bytes, STORE_ID_BYTES);
    json_key(json, "service");
    json_string(json, profile->service);
    json_key(json, "version");
    json_string(json, profile->version);
    json_key(json, "type");
    json_string(json, profile->type);
    json_key(json, "labels");
    profile_json_labels(json, profile->labels, profile->label_count);
    json_key(json, "time");
    json_time(json, profile->start_ns);
    json_key(json, "duration_ns");
    json_int(json, profile->duration_ns);
    profile_json_work(json, profile->work, profile->work_unit);
    json_key(json, "samples");
    json_uint(json, profile->sample_count);
    json_key(json, "bytes");
    json_uint(json, profile->body_bytes);
    profile_json_metrics(json, profile);
}

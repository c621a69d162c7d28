/* SPDX-License-Identifier: Apache-2.0 */
/* GET /services: everything that can be chosen, as the store's catalogue has it. */
#include "server/view/json.h"
#include "server/view/views.h"

static void services_write_span(struct json *json, uint64_t profiles, int64_t first_ns,
                                int64_t last_ns)
{
    json_key(json, "profiles");
    json_uint(json, profiles);
    json_key(json, "first");
    json_time(json, first_ns);
    json_key(json, "last");
    json_time(json, last_ns);
}

static void services_write_type(struct json *json, const struct store_catalog_type *type)
{
    json_begin_object(json);
    json_key(json, "type");
    json_string(json, type->type);
    json_key(json, "profiles");
    json_uint(json, type->profile_count);
    json_key(json, "default_metric");
    json_string(json, type->default_metric);
    json_key(json, "metrics");
    json_begin_array(json);
    for (uint32_t i = 0; i < type->metric_count; i++) {
        json_begin_object(json);
        json_key(json, "name");
        json_string(json, type->metrics[i].name);
        json_key(json, "unit");
        json_string(json, type->metrics[i].unit);
        json_key(json, "kind");
        json_text(json, metric_kind_name(type->metrics[i].kind));
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}

static void services_write_label(struct json *json, const struct store_catalog_label *label)
{
    json_name(json, label->key);
    json_begin_array(json);
    for (uint32_t i = 0; i < label->value_count; i++)
        json_string(json, label->values[i]);
    json_end_array(json);
}

static void services_write_service(struct json *json, const struct store_catalog_service *service)
{
    json_begin_object(json);
    json_key(json, "name");
    json_string(json, service->service);
    services_write_span(json, service->profile_count, service->first_ns, service->last_ns);
    json_key(json, "versions");
    json_begin_array(json);
    for (uint32_t i = 0; i < service->version_count; i++) {
        const struct store_catalog_version *version = &service->versions[i];
        json_begin_object(json);
        json_key(json, "version");
        json_string(json, version->version);
        services_write_span(json, version->profile_count, version->first_ns, version->last_ns);
        json_end_object(json);
    }
    json_end_array(json);
    json_key(json, "types");
    json_begin_array(json);
    for (uint32_t i = 0; i < service->type_count; i++)
        services_write_type(json, &service->types[i]);
    json_end_array(json);
    json_key(json, "labels");
    json_begin_object(json);
    for (uint32_t i = 0; i < service->label_count; i++)
        services_write_label(json, &service->labels[i]);
    json_end_object(json);
    json_end_object(json);
}

enum status services_view(struct store *store, const struct query *query, struct arena *arena,
                          int64_t now_ns, struct error *err, struct buf *out)
{
    struct json json = json_to(out);
    struct store_catalog catalog;

    (void)now_ns;
    enum status status = query_check(query, 0, err);
    if (status == STATUS_OK)
        status = store_catalog(store, arena, err, &catalog);
    if (status != STATUS_OK)
        return status;
    json_begin_object(&json);
    json_key(&json, "services");
    json_begin_array(&json);
    for (uint32_t i = 0; i < catalog.service_count; i++)
        services_write_service(&json, &catalog.services[i]);
    json_end_array(&json);
    json_end_object(&json);
    return buf_status(out, err, "answer");
}

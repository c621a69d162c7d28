/* SPDX-License-Identifier: Apache-2.0 */
/* GET /profiles: the stored profiles of a selection, newest first, page by page.
 *
 * In: selection, limit, cursor; out: rows and the next cursor. A cursor says where the page before
 * ended (start and sequence number of its last profile), so rows that arrive meanwhile shift
 * nothing. */
#include "proto/base/limits.h"
#include "server/view/profile_json.h"
#include "server/view/selection.h"
#include "server/view/views.h"

/* A cursor travels as the hex digits of two big-endian integers. */
#define CURSOR_BYTES 16

static int64_t profiles_read_word(const uint8_t *bytes)
{
    uint64_t word = 0;

    for (unsigned i = 0; i < 8; i++)
        word = word << 8 | bytes[i];
    return (int64_t)word;
}

static enum status profiles_read_cursor(const struct query *query, struct error *err,
                                        struct store_cursor *ret_cursor, bool *ret_given)
{
    const struct query_pair *pair = query_find(query, "cursor");
    uint8_t bytes[CURSOR_BYTES];

    *ret_given = pair != NULL;
    if (pair == NULL)
        return STATUS_OK;
    if (!query_hex(pair->value, bytes, sizeof(bytes)))
        return query_refuse("cursor", err, "not the \"next\" of an earlier answer");
    *ret_cursor = (struct store_cursor){profiles_read_word(bytes), profiles_read_word(bytes + 8)};
    return STATUS_OK;
}

static void profiles_write_cursor(struct json *json, struct store_cursor cursor)
{
    uint8_t bytes[CURSOR_BYTES];

    for (unsigned i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)((uint64_t)cursor.start_ns >> (56 - 8 * i));
        bytes[8 + i] = (uint8_t)((uint64_t)cursor.sequence >> (56 - 8 * i));
    }
    json_hex(json, bytes, sizeof(bytes));
}

/* "metric" and "total": of the metric asked for, else of the profile's last, as the format has it
 * for a profile that names no default. */
static void profiles_write_total(struct json *json, const struct store_profile *profile,
                                 struct slice wanted)
{
    const struct metric *shown = NULL;

    for (uint32_t i = 0; i < profile->metric_count; i++) {
        if (wanted.size_bytes == 0 || slice_equal(profile->metrics[i].name, wanted))
            shown = &profile->metrics[i];
    }
    json_key(json, "metric");
    if (shown != NULL)
        json_string(json, shown->name);
    else
        json_null(json);
    json_key(json, "total");
    if (shown != NULL)
        json_int(json, shown->total);
    else
        json_null(json);
}

static enum status profiles_write(const struct store_page *page, struct slice metric,
                                  struct error *err, struct buf *out)
{
    struct json json = json_to(out);

    json_begin_object(&json);
    json_key(&json, "profiles");
    json_begin_array(&json);
    for (uint32_t i = 0; i < page->profile_count; i++) {
        json_begin_object(&json);
        profile_json_write(&json, &page->profiles[i]);
        profiles_write_total(&json, &page->profiles[i], metric);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_key(&json, "next");
    if (page->more)
        profiles_write_cursor(&json, page->next);
    else
        json_null(&json);
    json_end_object(&json);
    return buf_status(out, err, "answer");
}

enum status profiles_view(struct store *store, const struct query *query, struct arena *arena,
                          int64_t now_ns, struct error *err, struct buf *out)
{
    struct selection selection = {.side_count = 0};
    struct store_cursor cursor = {0};
    struct store_page page;
    uint64_t limit = 0;
    bool given = false;

    enum status status = query_check(query, QUERY_SELECTION | QUERY_LIMIT | QUERY_CURSOR, err);
    if (status == STATUS_OK)
        status = selection_read(query, arena, now_ns, err, &selection);
    if (status == STATUS_OK)
        status = query_uint(query, "limit", LIMIT_VIEW_PROFILES_DEFAULT, 1, LIMIT_VIEW_PROFILES,
                            err, &limit);
    if (status == STATUS_OK)
        status = profiles_read_cursor(query, err, &cursor, &given);
    if (status == STATUS_OK)
        status = store_list(store, &selection.sides[0], (uint32_t)limit, given ? &cursor : NULL,
                            arena, err, &page);
    if (status != STATUS_OK)
        return status;
    return profiles_write(&page, selection.sides[0].metric, err, out);
}

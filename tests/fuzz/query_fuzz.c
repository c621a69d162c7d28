/* SPDX-License-Identifier: Apache-2.0 */
/* Query parameters from a stranger, as every route reads them.
 *
 * Input: key NUL value NUL key NUL value NUL ... A key that ends in '!' has no value. Aborts when
 * something that was accepted breaks a promise of its header, or when a selection that was
 * accepted cannot be said back as JSON of valid UTF-8. */
#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/base/utf8.h"
#include "server/ingest/upload.h"
#include "server/view/cut.h"
#include "server/view/path.h"
#include "server/view/selection.h"

#define PAIRS_MAX (LIMIT_QUERY_PARAMETERS + 2) /* two more than are allowed */
#define NOW_NS    INT64_C(1764523260000000000)

static struct slice take(struct slice *rest)
{
    const char *end = rest->size_bytes > 0 ? memchr(rest->data, '\0', rest->size_bytes) : NULL;
    size_t size_bytes = end != NULL ? (size_t)(end - rest->data) : rest->size_bytes;
    struct slice piece = slice_make(rest->data, size_bytes);
    size_t taken = end != NULL ? size_bytes + 1 : size_bytes;

    *rest = slice_make(rest->data + taken, rest->size_bytes - taken);
    return piece;
}

static uint32_t split(struct slice rest, struct query_pair *pairs)
{
    uint32_t count = 0;

    while (count < PAIRS_MAX && rest.size_bytes > 0) {
        struct slice key = take(&rest);
        bool bare = key.size_bytes > 0 && key.data[key.size_bytes - 1] == '!';
        key.size_bytes -= bare;
        pairs[count++] = (struct query_pair){key, take(&rest), !bare};
    }
    return count;
}

static void check(bool promise)
{
    if (!promise)
        abort();
}

static void check_selection(const struct query *query, struct arena *arena)
{
    struct selection selection;
    struct buf out;

    if (query_check(query, QUERY_SELECTION | QUERY_COMPARISON | QUERY_TREE | QUERY_ZOOM, NULL) !=
        STATUS_OK)
        return;
    if (selection_read(query, arena, NOW_NS, NULL, &selection) == STATUS_OK) {
        check(selection.side_count == 1 || selection.side_count == 2);
        for (uint32_t side = 0; side < selection.side_count; side++)
            check(selection.sides[side].service.size_bytes > 0);
        buf_init(&out, 4 * LIMIT_MIB);
        struct json json = json_to(&out);
        selection_write(&json, &selection, slice_make("", 0), slice_make("", 0));
        check(!out.failed && utf8_valid(slice_make(out.data, out.size_bytes)));
        buf_free(&out);
    }
}

static void check_values(const struct query *query)
{
    const struct query_pair *root = query_find(query, "root");
    struct cut_limits limits;
    struct path path;

    if (cut_read_limits(query, NULL, &limits) == STATUS_OK) {
        check(limits.max_nodes >= 1 && limits.max_nodes <= LIMIT_VIEW_NODES);
        check(limits.min_fraction.denominator > 0 &&
              limits.min_fraction.numerator <= limits.min_fraction.denominator);
        check(tree_threshold(limits.min_fraction, UINT64_MAX) >= 1);
    }
    if (root != NULL && path_read(root->value, "root", NULL, &path) == STATUS_OK)
        check(root->value.size_bytes == 16);
}

static void check_upload(const struct query *query, struct arena *arena)
{
    struct upload upload;

    if (upload_read(query, arena, NOW_NS, NULL, &upload) != STATUS_OK)
        return;
    check(upload.service.size_bytes >= 1 && upload.service.size_bytes <= LIMIT_SERVICE_BYTES);
    check(upload.version.size_bytes <= LIMIT_VERSION_BYTES);
    check(upload.type.size_bytes <= LIMIT_TYPE_BYTES);
    check(upload.label_count <= LIMIT_LABELS);
    check((upload.work >= 0) == (upload.work_unit.size_bytes > 0));
    check(upload.duration_ns >= 0 || upload.duration_ns == UPLOAD_UNSET);
    for (uint32_t i = 1; i < upload.label_count; i++) {
        int order = slice_compare(upload.labels[i - 1].key, upload.labels[i].key);
        check(order < 0 || (order == 0 &&
                            slice_compare(upload.labels[i - 1].value, upload.labels[i].value) < 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    CLEANUP(arena_cleanup) struct arena *arena = arena_new(4 * LIMIT_MIB);
    struct query_pair pairs[PAIRS_MAX];
    struct query query = {pairs, split(slice_make(data, size_bytes), pairs)};

    check(arena != NULL);
    check_selection(&query, arena);
    check_values(&query);
    check_upload(&query, arena);
    return 0;
}

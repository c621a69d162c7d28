/* SPDX-License-Identifier: Apache-2.0 */
/* Last step of the tree views: rows to columns of JSON. Knows the answer's shape, no rules. */
#include "server/view/nodes.h"

enum status nodes_label(const struct tree *tree, const struct cut *cut, struct symbols *symbols,
                        struct arena *arena, struct error *err, struct nodes *ret_nodes)
{
    struct nodes nodes = {.cut = cut, .side_count = tree->side_count};

    nodes.names = arena_array(arena, cut->row_count, int32_t);
    nodes.files = arena_array(arena, cut->row_count, int32_t);
    if (nodes.names == NULL || nodes.files == NULL)
        return arena_exhausted(arena, err, "names of rows");
    for (uint32_t row = 0; row < cut->row_count; row++) {
        nodes.names[row] = -1;
        nodes.files[row] = 0;
        if (cut->nodes[row] == CUT_REST)
            continue;
        enum status status = symbols_of_node(symbols, tree, cut->nodes[row], err, &nodes.names[row],
                                             &nodes.files[row]);
        if (status != STATUS_OK)
            return status;
    }
    *ret_nodes = nodes;
    return STATUS_OK;
}

void nodes_write(struct json *json, const struct nodes *nodes)
{
    const struct cut *cut = nodes->cut;

    json_key(json, "nodes");
    json_begin_object(json);
    json_key(json, "name");
    json_column_i32(json, nodes->names, cut->row_count);
    json_key(json, "file");
    json_column_i32(json, nodes->files, cut->row_count);
    json_key(json, "depth");
    json_column_i32(json, cut->depths, cut->row_count);
    json_key(json, "self");
    json_column_i64(json, cut->self[0], cut->row_count);
    json_key(json, "total");
    json_column_i64(json, cut->total[0], cut->row_count);
    if (nodes->side_count == 2) {
        json_key(json, "base_self");
        json_column_i64(json, cut->self[1], cut->row_count);
        json_key(json, "base_total");
        json_column_i64(json, cut->total[1], cut->row_count);
    }
    json_end_object(json);
    json_key(json, "truncated");
    json_begin_object(json);
    json_key(json, "nodes");
    json_uint(json, cut->dropped);
    json_key(json, "total");
    json_int(json, cut->dropped_total[0]);
    if (nodes->side_count == 2) {
        json_key(json, "base_total");
        json_int(json, cut->dropped_total[1]);
    }
    json_end_object(json);
}

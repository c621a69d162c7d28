/* SPDX-License-Identifier: Apache-2.0 */
/* GET /flamegraph: the selection's call tree, or a part of it.
 *
 * In: selection, min_fraction, max_nodes, root; out: names, files, nodes, truncated. Each line of
 * flamegraph_write is one step of the way from sums to JSON. */
#include "proto/base/limits.h"
#include "server/view/answer.h"
#include "server/view/nodes.h"
#include "server/view/path.h"
#include "server/view/views.h"

static enum status flamegraph_find_root(const struct query *query, const struct tree *tree,
                                        struct arena *arena, struct error *err, uint32_t *ret_root)
{
    const struct query_pair *pair = query_find(query, "root");
    struct path path;

    if (pair == NULL) {
        *ret_root = CALLTREE_ROOT;
        return STATUS_OK;
    }
    enum status status = path_read(pair->value, "root", err, &path);
    if (status != STATUS_OK)
        return status;
    return path_find(tree, path, arena, err, ret_root);
}

static enum status flamegraph_write(const struct answer *answer, const struct query *query,
                                    struct arena *arena, struct error *err, struct buf *out)
{
    struct tree tree = tree_of_tally(&answer->tally);
    struct cut_limits limits;
    struct symbols symbols;
    struct nodes nodes;
    struct cut cut;

    enum status status = cut_read_limits(query, err, &limits);
    if (status == STATUS_OK)
        status = tree_sum(&tree, arena, err);
    if (status == STATUS_OK)
        status = flamegraph_find_root(query, &tree, arena, err, &limits.root);
    if (status == STATUS_OK)
        status = cut_tree(&tree, limits, arena, err, &cut);
    if (status == STATUS_OK)
        status = symbols_init(&symbols, &tree, arena, err);
    if (status == STATUS_OK)
        status = nodes_label(&tree, &cut, &symbols, arena, err, &nodes);
    if (status != STATUS_OK)
        return status;
    struct json json = answer_begin(answer, out);
    symbols_write(&json, &symbols);
    nodes_write(&json, &nodes);
    return answer_end(&json, err);
}

enum status flamegraph_view(struct store *store, const struct query *query, struct arena *arena,
                            int64_t now_ns, struct error *err, struct buf *out)
{
    CLEANUP(answer_close) struct answer answer = {.tallied = false};
    enum status status =
        answer_open(&answer, store, query, QUERY_TREE | QUERY_ZOOM, arena, now_ns, err);

    if (status != STATUS_OK)
        return status;
    return flamegraph_write(&answer, query, arena, err, out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* GET /focus: one function, what it calls and who calls it.
 *
 * In: selection, function, file; out: the function's sums and two trees with the function as root.
 * Both are built from the whole selection and cut afterwards. */
#include "server/view/answer.h"
#include "server/view/focus_callees.h"
#include "server/view/focus_callers.h"
#include "server/view/nodes.h"
#include "server/view/views.h"

struct focus {
    struct focus_target target;
    struct cut callees_cut, callers_cut;
    struct nodes callees, callers;
    struct symbols symbols;
};

static void focus_write_function(struct json *json, const struct focus_target *target)
{
    json_key(json, "function");
    json_begin_object(json);
    json_key(json, "name");
    json_string(json, target->name);
    json_key(json, "file");
    json_string(json, target->file);
    json_key(json, "self");
    json_int(json, target->self[0]);
    json_key(json, "total");
    json_int(json, target->total[0]);
    json_key(json, "stacks");
    json_uint(json, target->stacks[0]);
    if (target->tree->side_count == 2) {
        json_key(json, "base_self");
        json_int(json, target->self[1]);
        json_key(json, "base_total");
        json_int(json, target->total[1]);
        json_key(json, "base_stacks");
        json_uint(json, target->stacks[1]);
    }
    json_end_object(json);
}

static enum status focus_write(const struct answer *answer, const struct focus *focus,
                               struct error *err, struct buf *out)
{
    struct json json = answer_begin(answer, out);

    symbols_write(&json, &focus->symbols);
    focus_write_function(&json, &focus->target);
    json_key(&json, "callees");
    json_begin_object(&json);
    nodes_write(&json, &focus->callees);
    json_end_object(&json);
    json_key(&json, "callers");
    json_begin_object(&json);
    nodes_write(&json, &focus->callers);
    json_end_object(&json);
    return answer_end(&json, err);
}

static enum status focus_find(const struct query *query, const struct tree *tree,
                              const struct preorder *order, struct arena *arena, struct error *err,
                              struct focus_target *ret_target)
{
    const struct query_pair *name = query_find(query, "function");
    const struct query_pair *file = query_find(query, "file");

    if (name == NULL)
        return query_refuse("function", err, "is required");
    return focus_target_find(tree, order, name->value, file == NULL ? NULL : &file->value, arena,
                             err, ret_target);
}

/* Builds both trees around the target, cuts and labels them. */
static enum status focus_build(const struct query *query, struct arena *arena, struct error *err,
                               struct focus *focus)
{
    struct cut_limits limits;
    struct tree callees, callers;

    enum status status = cut_read_limits(query, err, &limits);
    if (status == STATUS_OK)
        status = focus_callees(&focus->target, arena, err, &callees);
    if (status == STATUS_OK)
        status = cut_tree(&callees, limits, arena, err, &focus->callees_cut);
    if (status == STATUS_OK)
        status = focus_callers(&focus->target, limits.min_fraction, arena, err, &callers);
    if (status == STATUS_OK)
        status = cut_tree(&callers, limits, arena, err, &focus->callers_cut);
    if (status == STATUS_OK)
        status = symbols_init(&focus->symbols, focus->target.tree, arena, err);
    if (status == STATUS_OK)
        status = nodes_label(&callees, &focus->callees_cut, &focus->symbols, arena, err,
                             &focus->callees);
    if (status == STATUS_OK)
        status = nodes_label(&callers, &focus->callers_cut, &focus->symbols, arena, err,
                             &focus->callers);
    return status;
}

enum status focus_view(struct store *store, const struct query *query, struct arena *arena,
                       int64_t now_ns, struct error *err, struct buf *out)
{
    CLEANUP(answer_close) struct answer answer = {.tallied = false};
    struct preorder order;
    struct focus focus;

    enum status status =
        answer_open(&answer, store, query, QUERY_TREE | QUERY_FUNCTION, arena, now_ns, err);
    if (status != STATUS_OK)
        return status;
    struct tree tree = tree_of_tally(&answer.tally);
    status = tree_sum(&tree, arena, err);
    if (status == STATUS_OK)
        status = preorder_of_tree(&tree, arena, err, &order);
    if (status == STATUS_OK)
        status = focus_find(query, &tree, &order, arena, err, &focus.target);
    if (status == STATUS_OK)
        status = focus_build(query, arena, err, &focus);
    if (status != STATUS_OK)
        return status;
    return focus_write(&answer, &focus, err, out);
}

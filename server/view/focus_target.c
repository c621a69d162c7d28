/* SPDX-License-Identifier: Apache-2.0 */
/* First step of focus: a name to the places where it occurs. One walk over the pre-order, jumping
 * over what is inside an occurrence. */
#include "server/view/focus_target.h"

#include "server/view/function_sums.h"

/* Marks the functions that are meant and returns how many; `ret_one` is the last of them. */
static uint32_t focus_target_match(const struct tree *tree, struct slice name,
                                   const struct slice *file, bool *matches, uint32_t *ret_one)
{
    uint32_t count = 0;

    for (uint32_t function = 0; function < tree->function_count; function++) {
        matches[function] =
            slice_equal(calltree_name(tree->calltree, function), name) &&
            (file == NULL || slice_equal(calltree_file(tree->calltree, function), *file));
        if (matches[function]) {
            count++;
            *ret_one = function;
        }
    }
    return count;
}

/* Fills the places; they are at most as many as there are matching nodes. */
static enum status focus_target_collect(struct focus_target *target, const bool *matches,
                                        struct arena *arena, struct error *err)
{
    const struct preorder *order = target->order;
    const struct tree *tree = target->tree;
    uint32_t count = 0;

    for (uint32_t at = 1; at < order->count; at++)
        count += matches[tree->functions[order->nodes[at]]];
    target->places = arena_array(arena, count, uint32_t);
    if (target->places == NULL)
        return arena_exhausted(arena, err, "occurrences of the function");
    for (uint32_t at = 1; at < order->count;) {
        if (matches[tree->functions[order->nodes[at]]]) {
            target->places[target->count++] = at;
            at += order->sizes[order->nodes[at]];
        } else {
            at++;
        }
    }
    return STATUS_OK;
}

static enum status focus_target_sum(struct focus_target *target, const bool *matches, uint32_t side,
                                    struct arena *arena, struct error *err)
{
    const struct preorder *order = target->order;
    const struct tree *tree = target->tree;
    uint32_t *entries = NULL;
    tree_wide self = 0;
    tree_wide total = 0;

    enum status status = function_sums_entries(tree, side, arena, err, &entries);
    if (status != STATUS_OK)
        return status;
    for (uint32_t at = 1; at < order->count; at++) {
        if (matches[tree->functions[order->nodes[at]]])
            self += tree->self[side][order->nodes[at]];
    }
    for (uint32_t i = 0; i < target->count; i++) {
        uint32_t node = order->nodes[target->places[i]];
        total += tree->total[side][node];
        target->stacks[side] += entries[node];
    }
    if (self > INT64_MAX || self < INT64_MIN || total > INT64_MAX || total < INT64_MIN)
        return error_set(err, STATUS_VALUE_OVERFLOW, "the sum of the function leaves 64 bits");
    target->self[side] = (int64_t)self;
    target->total[side] = (int64_t)total;
    return STATUS_OK;
}

enum status focus_target_find(const struct tree *tree, const struct preorder *order,
                              struct slice name, const struct slice *file, struct arena *arena,
                              struct error *err, struct focus_target *ret_target)
{
    struct focus_target target = {.tree = tree, .order = order, .name = name};
    bool *matches = arena_array(arena, tree->function_count, bool);
    uint32_t one = 0;

    if (matches == NULL)
        return arena_exhausted(arena, err, "function marks");
    uint32_t functions = focus_target_match(tree, name, file, matches, &one);
    target.file = functions == 1 ? calltree_file(tree->calltree, one) : slice_make("", 0);
    enum status status = focus_target_collect(&target, matches, arena, err);
    if (status != STATUS_OK)
        return status;
    if (target.count == 0)
        return error_set(err, STATUS_NOT_FOUND, "function: none of this name in this selection");
    for (uint32_t side = 0; side < tree->side_count; side++) {
        status = focus_target_sum(&target, matches, side, arena, err);
        if (status != STATUS_OK)
            return status;
    }
    *ret_target = target;
    return STATUS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Focus, upwards: walks all outermost occurrences towards the root in step.
 *
 * In: occurrences with their totals; out: the inverted tree. After k rounds every occurrence still
 * on its way stands at its k-th caller, and the weights of all callers up to there are final: so a
 * caller is known to be too light before anyone walks past it. */
#include "server/view/focus_callers.h"

#include "proto/base/limits.h"
#include "server/view/graft.h"

/* An occurrence on its way. */
struct callers_walker {
    uint32_t node; /* the occurrence: its totals are what it carries */
    uint32_t at;   /* the caller to be entered next; the root: none left */
    uint32_t into; /* graft node of the last caller entered */
};

struct callers {
    const struct tree *tree;
    struct graft graft;
    uint32_t node_limit; /* graft nodes apart from rests */
    uint64_t *weight[2]; /* [graft node] sum of |total| of the walkers that entered it */
    uint64_t threshold[2];
    struct callers_walker *walkers;
    uint32_t walking;
    uint64_t steps;
    struct callers_walker last; /* latest way found: its caller's function in `at` ... */
    uint32_t last_child;        /* ... and where it led */
};

static void callers_weigh(struct callers *callers, uint32_t into, uint32_t node)
{
    for (uint32_t side = 0; side < callers->tree->side_count; side++) {
        uint64_t *sum = &callers->weight[side][into];
        if (__builtin_add_overflow(*sum, tree_magnitude(callers->tree->total[side][node]), sum))
            *sum = UINT64_MAX;
    }
}

static bool callers_light(const struct callers *callers, uint32_t into)
{
    for (uint32_t side = 0; side < callers->tree->side_count; side++) {
        if (callers->weight[side][into] >= callers->threshold[side])
            return false;
    }
    return true;
}

static enum status callers_stop(struct callers *callers, uint32_t into, uint32_t node,
                                struct error *err)
{
    const int64_t *const totals[2] = {callers->tree->total[0], callers->tree->total[1]};

    return graft_add(&callers->graft, into, totals, node, err);
}

/* A child made by graft_child weighs nothing yet. */
static enum status callers_child(struct callers *callers, uint32_t into, uint32_t function,
                                 struct error *err, uint32_t *ret_child)
{
    uint32_t before = callers->graft.count;
    enum status status = graft_child(&callers->graft, into, function, err, ret_child);

    if (status == STATUS_OK && callers->graft.count > before) {
        for (uint32_t side = 0; side < callers->tree->side_count; side++)
            callers->weight[side][*ret_child] = 0;
    }
    return status;
}

/* Where the caller `function` of `into` is; its rest when there is no room for more. Runs of
 * walkers take the same way (a recursion), so the latest one is remembered. */
static enum status callers_enter(struct callers *callers, uint32_t into, uint32_t function,
                                 struct error *err, uint32_t *ret_child)
{
    enum status status = STATUS_OK;

    if (callers->last_child != CALLTREE_ROOT && callers->last.into == into &&
        callers->last.at == function) {
        *ret_child = callers->last_child;
        return STATUS_OK;
    }
    uint32_t child = callers->steps > LIMIT_FOCUS_STEPS
                         ? MAP_ABSENT
                         : graft_find(&callers->graft, into, function);
    if (child == MAP_ABSENT) {
        bool full =
            callers->graft.count >= callers->node_limit || callers->steps > LIMIT_FOCUS_STEPS;
        status = callers_child(callers, into, full ? TREE_REST : function, err, &child);
    }
    if (status != STATUS_OK)
        return status;
    callers->last = (struct callers_walker){.into = into, .at = function};
    callers->last_child = child;
    *ret_child = child;
    return STATUS_OK;
}

/* Moves every walker to its next caller; those that have none, or are not worth it, stop. */
static enum status callers_round(struct callers *callers, struct error *err)
{
    uint32_t walking = 0;

    callers->last_child = CALLTREE_ROOT; /* a way found last round says nothing about this one */
    for (uint32_t i = 0; i < callers->walking; i++) {
        struct callers_walker walker = callers->walkers[i];
        enum status status;
        if (walker.at == CALLTREE_ROOT || callers_light(callers, walker.into) ||
            callers->graft.functions[walker.into] == TREE_REST) {
            status = callers_stop(callers, walker.into, walker.node, err);
            if (status != STATUS_OK)
                return status;
            continue;
        }
        callers->steps++;
        status = callers_enter(callers, walker.into, callers->tree->functions[walker.at], err,
                               &walker.into);
        if (status != STATUS_OK)
            return status;
        callers_weigh(callers, walker.into, walker.node);
        walker.at = callers->tree->parents[walker.at];
        callers->walkers[walking++] = walker;
    }
    callers->walking = walking;
    return STATUS_OK;
}

/* The most nodes that the inverted tree can have: a node for each caller of each occurrence. */
static enum status callers_bound(const struct focus_target *target, struct arena *arena,
                                 struct error *err, uint32_t *ret_bound)
{
    const struct tree *tree = target->tree;
    uint32_t *depths = arena_array(arena, tree->node_count, uint32_t);
    uint64_t bound = 1;

    if (depths == NULL)
        return arena_exhausted(arena, err, "depths");
    depths[CALLTREE_ROOT] = 0;
    for (uint32_t node = 1; node < tree->node_count; node++)
        depths[node] = depths[tree->parents[node]] + 1;
    for (uint32_t i = 0; i < target->count; i++)
        bound += depths[target->order->nodes[target->places[i]]] - 1;
    *ret_bound = bound < LIMIT_FOCUS_NODES ? (uint32_t)bound : LIMIT_FOCUS_NODES;
    return STATUS_OK;
}

static enum status callers_start(struct callers *callers, const struct focus_target *target,
                                 struct query_fraction min_fraction, struct arena *arena,
                                 struct error *err)
{
    enum status status = callers_bound(target, arena, err, &callers->node_limit);

    if (status != STATUS_OK)
        return status;
    /* A walker that finds no room makes one rest at most, and stops there. */
    uint32_t capacity = callers->node_limit + target->count;
    status = graft_init(&callers->graft, target->tree, capacity, arena, err);
    if (status != STATUS_OK)
        return status;
    callers->walkers = arena_array(arena, target->count, struct callers_walker);
    if (callers->walkers == NULL)
        return arena_exhausted(arena, err, "callers");
    for (uint32_t side = 0; side < callers->tree->side_count; side++) {
        callers->weight[side] = arena_array(arena, capacity, uint64_t);
        if (callers->weight[side] == NULL)
            return arena_exhausted(arena, err, "callers");
        callers->weight[side][CALLTREE_ROOT] = 0;
    }
    for (uint32_t i = 0; i < target->count; i++) {
        uint32_t node = target->order->nodes[target->places[i]];
        callers->walkers[i] =
            (struct callers_walker){node, target->tree->parents[node], CALLTREE_ROOT};
        callers_weigh(callers, CALLTREE_ROOT, node);
    }
    callers->walking = target->count;
    for (uint32_t side = 0; side < callers->tree->side_count; side++)
        callers->threshold[side] =
            tree_threshold(min_fraction, callers->weight[side][CALLTREE_ROOT]);
    return STATUS_OK;
}

enum status focus_callers(const struct focus_target *target, struct query_fraction min_fraction,
                          struct arena *arena, struct error *err, struct tree *ret_tree)
{
    struct callers callers = {.tree = target->tree};
    enum status status = callers_start(&callers, target, min_fraction, arena, err);

    while (status == STATUS_OK && callers.walking > 0)
        status = callers_round(&callers, err);
    if (status != STATUS_OK)
        return status;
    struct tree tree = graft_tree(&callers.graft, target->name, target->file);
    status = tree_sum(&tree, arena, err);
    if (status != STATUS_OK)
        return status;
    /* Totals of both signs may cancel where they stop; what passed through is what a caller weighs,
     * and what light ones were told by. */
    for (uint32_t side = 0; side < tree.side_count; side++)
        tree.weight[side] = callers.weight[side];
    *ret_tree = tree;
    return STATUS_OK;
}

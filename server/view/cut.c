/* SPDX-License-Identifier: Apache-2.0 */
/* Between sums and the wire: which nodes are sent, in which order.
 *
 * In: a summed tree and limits; out: rows. Prunes first and sorts only what is left, so the cost
 * past one scan of the weights is that of the answer, not of the tree. Pre-order positions follow
 * from subtree sizes: no stack, no recursion, any depth. Never changes the tree. */
#include "server/view/cut.h"

#include <stdlib.h>

#include "proto/base/limits.h"
#include "server/view/heaviest.h"

/* States of a node beside its index among the kept ones. */
#define CUT_OUTSIDE UINT32_MAX       /* not below the root, or not live */
#define CUT_DROPPED (UINT32_MAX - 1) /* the rest row of an ancestor stands for it */

struct cutter {
    const struct tree *tree;
    struct cut_limits limits;
    uint64_t threshold[2];
    uint32_t *index; /* [node] position in kept, or a state */
    uint32_t kept_count;
    uint32_t *kept; /* ascending node numbers */
    uint32_t dropped;
    uint32_t *child_first; /* [kept + 1] into children */
    uint32_t *children;    /* positions in kept, grouped by parent, sorted */
    bool *has_rest;        /* [kept] */
    uint32_t *sizes;       /* [kept] rows of the subtree, rests included */
    uint32_t *rows;        /* [kept] row of the node */
    uint32_t row_count;
};

static bool cutter_reaches(const struct cutter *cutter, uint32_t node)
{
    const struct tree *tree = cutter->tree;

    return tree->weight[0][node] >= cutter->threshold[0] ||
           (tree->side_count == 2 && tree->weight[1][node] >= cutter->threshold[1]);
}

/* Sets every node's state by the fraction alone; kept nodes get their position. */
static void cutter_mark(struct cutter *cutter)
{
    const struct tree *tree = cutter->tree;
    uint32_t root = cutter->limits.root;
    uint32_t kept = 1;

    for (uint32_t node = 0; node < root; node++)
        cutter->index[node] = CUT_OUTSIDE;
    cutter->index[root] = 0;
    for (uint32_t node = root + 1; node < tree->node_count; node++) {
        uint32_t above = cutter->index[tree->parents[node]];
        if (above == CUT_OUTSIDE || !tree_live(tree, node))
            cutter->index[node] = CUT_OUTSIDE;
        else if (above == CUT_DROPPED || tree->functions[node] == TREE_REST ||
                 !cutter_reaches(cutter, node))
            cutter->index[node] = CUT_DROPPED;
        else
            cutter->index[node] = kept++;
        cutter->dropped += cutter->index[node] == CUT_DROPPED;
    }
    cutter->kept_count = kept;
}

/* Collects the kept nodes and, where they are too many, drops the lightest. */
static enum status cutter_collect(struct cutter *cutter, struct arena *arena, struct error *err)
{
    uint32_t *kept = arena_array(arena, cutter->kept_count, uint32_t);
    uint32_t count = 0;

    if (kept == NULL)
        return arena_exhausted(arena, err, "kept nodes");
    for (uint32_t node = cutter->limits.root; node < cutter->tree->node_count; node++) {
        if (cutter->index[node] < CUT_DROPPED)
            kept[count++] = node;
    }
    cutter->kept = kept;
    if (count <= cutter->limits.max_nodes)
        return STATUS_OK;
    for (uint32_t i = 0; i < count; i++)
        cutter->index[kept[i]] = CUT_DROPPED;
    enum status status =
        heaviest_select(cutter->tree, kept, count, cutter->limits.max_nodes, arena, err);
    if (status != STATUS_OK)
        return status;
    cutter->kept_count = cutter->limits.max_nodes;
    cutter->dropped += count - cutter->kept_count;
    for (uint32_t i = 0; i < cutter->kept_count; i++)
        cutter->index[kept[i]] = i;
    return STATUS_OK;
}

/* qsort_r order of two positions in kept: heavier first, then name, file, node number. */
static int cutter_compare(const void *left, const void *right, void *context)
{
    const struct cutter *cutter = context;
    const struct tree *tree = cutter->tree;
    uint32_t a = cutter->kept[*(const uint32_t *)left];
    uint32_t b = cutter->kept[*(const uint32_t *)right];
    tree_key a_key = tree_key_of(tree, a);
    tree_key b_key = tree_key_of(tree, b);

    if (a_key != b_key)
        return a_key > b_key ? -1 : 1;
    int order = slice_compare(tree_name(tree, a), tree_name(tree, b));
    if (order == 0)
        order = slice_compare(tree_file(tree, a), tree_file(tree, b));
    return order != 0 ? order : (a > b) - (a < b);
}

/* Groups the kept nodes by parent and sorts each group. */
static enum status cutter_group(struct cutter *cutter, struct arena *arena, struct error *err)
{
    uint32_t count = cutter->kept_count;
    uint32_t *first = arena_array(arena, (size_t)count + 2, uint32_t);
    uint32_t *children = arena_array(arena, count, uint32_t);

    if (first == NULL || children == NULL)
        return arena_exhausted(arena, err, "kept children");
    memset(first, 0, ((size_t)count + 2) * sizeof(*first));
    /* Counts two places ahead, so that filling in moves each group's begin to where it belongs. */
    for (uint32_t i = 1; i < count; i++)
        first[cutter->index[cutter->tree->parents[cutter->kept[i]]] + 2]++;
    for (uint32_t i = 2; i < count + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 1; i < count; i++)
        children[first[cutter->index[cutter->tree->parents[cutter->kept[i]]] + 1]++] = i;
    cutter->child_first = first;
    cutter->children = children;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = first[i + 1] - first[i];
        if (size > 1)
            qsort_r(children + first[i], size, sizeof(*children), cutter_compare, cutter);
    }
    return STATUS_OK;
}

static enum status cutter_find_rests(struct cutter *cutter, struct arena *arena, struct error *err)
{
    const struct tree *tree = cutter->tree;

    cutter->has_rest = arena_array(arena, cutter->kept_count, bool);
    if (cutter->has_rest == NULL)
        return arena_exhausted(arena, err, "rest marks");
    memset(cutter->has_rest, 0, cutter->kept_count * sizeof(*cutter->has_rest));
    if (cutter->dropped == 0)
        return STATUS_OK;
    for (uint32_t node = cutter->limits.root + 1; node < tree->node_count; node++) {
        uint32_t above = cutter->index[tree->parents[node]];
        if (cutter->index[node] == CUT_DROPPED && above < CUT_DROPPED)
            cutter->has_rest[above] = true;
    }
    return STATUS_OK;
}

/* Gives every kept node its row: subtree sizes up, positions down. */
static enum status cutter_place(struct cutter *cutter, struct arena *arena, struct error *err)
{
    uint32_t count = cutter->kept_count;
    uint32_t *sizes = arena_array(arena, count, uint32_t);
    uint32_t *rows = arena_array(arena, count, uint32_t);

    if (sizes == NULL || rows == NULL)
        return arena_exhausted(arena, err, "row positions");
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = 1u + cutter->has_rest[i];
    for (uint32_t i = count - 1; i > 0; i--)
        sizes[cutter->index[cutter->tree->parents[cutter->kept[i]]]] += sizes[i];
    rows[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t next = rows[i] + 1;
        for (uint32_t k = cutter->child_first[i]; k < cutter->child_first[i + 1]; k++) {
            rows[cutter->children[k]] = next;
            next += sizes[cutter->children[k]];
        }
    }
    cutter->sizes = sizes;
    cutter->rows = rows;
    cutter->row_count = sizes[0];
    return STATUS_OK;
}

/* What is missing below kept node `i` on `side`: total - self - the kept children's totals. */
static enum status cutter_rest(const struct cutter *cutter, uint32_t i, uint32_t side,
                               struct error *err, int64_t *ret_rest)
{
    const int64_t *total = cutter->tree->total[side];
    uint32_t node = cutter->kept[i];
    tree_wide rest = (tree_wide)total[node] - cutter->tree->self[side][node];

    for (uint32_t k = cutter->child_first[i]; k < cutter->child_first[i + 1]; k++)
        rest -= total[cutter->kept[cutter->children[k]]];
    if (rest > INT64_MAX || rest < INT64_MIN)
        return error_set_at(err, STATUS_VALUE_OVERFLOW, "total", node, ERROR_NONE,
                            "the merged children of node %u leave 64 bits", node);
    *ret_rest = (int64_t)rest;
    return STATUS_OK;
}

/* The rest of node `i` stands on the last row of its subtree. */
static enum status cutter_write_rest(const struct cutter *cutter, uint32_t i, struct error *err,
                                     struct cut *cut)
{
    uint32_t row = cutter->rows[i] + cutter->sizes[i] - 1;

    cut->nodes[row] = CUT_REST;
    cut->depths[row] = cut->depths[cutter->rows[i]] + 1;
    for (uint32_t side = 0; side < cutter->tree->side_count; side++) {
        int64_t rest = 0;
        enum status status = cutter_rest(cutter, i, side, err, &rest);
        if (status != STATUS_OK)
            return status;
        cut->self[side][row] = rest;
        cut->total[side][row] = rest;
        if (__builtin_add_overflow(cut->dropped_total[side], rest, &cut->dropped_total[side]))
            return error_set_at(err, STATUS_VALUE_OVERFLOW, "truncated", ERROR_NONE, ERROR_NONE,
                                "the sum of all merged nodes leaves 64 bits");
    }
    return STATUS_OK;
}

static enum status cutter_write(const struct cutter *cutter, struct error *err, struct cut *cut)
{
    const struct tree *tree = cutter->tree;

    cut->depths[0] = 0;
    for (uint32_t i = 0; i < cutter->kept_count; i++) {
        uint32_t row = cutter->rows[i];
        uint32_t node = cutter->kept[i];
        cut->nodes[row] = node;
        for (uint32_t side = 0; side < tree->side_count; side++) {
            cut->self[side][row] = tree->self[side][node];
            cut->total[side][row] = tree->total[side][node];
        }
        for (uint32_t k = cutter->child_first[i]; k < cutter->child_first[i + 1]; k++)
            cut->depths[cutter->rows[cutter->children[k]]] = cut->depths[row] + 1;
        if (cutter->has_rest[i]) {
            enum status status = cutter_write_rest(cutter, i, err, cut);
            if (status != STATUS_OK)
                return status;
        }
    }
    return STATUS_OK;
}

static enum status cut_new(const struct cutter *cutter, struct arena *arena, struct error *err,
                           struct cut *ret_cut)
{
    uint32_t count = cutter->row_count;
    struct cut cut = {.row_count = count, .dropped = cutter->dropped};

    cut.nodes = arena_array(arena, count, uint32_t);
    cut.depths = arena_array(arena, count, int32_t);
    if (cut.nodes == NULL || cut.depths == NULL)
        return arena_exhausted(arena, err, "rows");
    for (uint32_t side = 0; side < cutter->tree->side_count; side++) {
        cut.self[side] = arena_array(arena, count, int64_t);
        cut.total[side] = arena_array(arena, count, int64_t);
        if (cut.self[side] == NULL || cut.total[side] == NULL)
            return arena_exhausted(arena, err, "rows");
    }
    *ret_cut = cut;
    return STATUS_OK;
}

enum status cut_read_limits(const struct query *query, struct error *err,
                            struct cut_limits *ret_limits)
{
    struct cut_limits limits = {.root = CALLTREE_ROOT};
    struct query_fraction standard = {1, 8000};
    uint64_t max_nodes;

    enum status status = query_fraction(query, "min_fraction", standard, err, &limits.min_fraction);
    if (status == STATUS_OK)
        status = query_uint(query, "max_nodes", LIMIT_VIEW_NODES_DEFAULT, 1, LIMIT_VIEW_NODES, err,
                            &max_nodes);
    if (status != STATUS_OK)
        return status;
    limits.max_nodes = (uint32_t)max_nodes;
    *ret_limits = limits;
    return STATUS_OK;
}

enum status cut_tree(const struct tree *tree, struct cut_limits limits, struct arena *arena,
                     struct error *err, struct cut *ret_cut)
{
    struct cutter cutter = {.tree = tree, .limits = limits};
    struct cut cut;
    enum status status;

    for (uint32_t side = 0; side < tree->side_count; side++)
        cutter.threshold[side] =
            tree_threshold(limits.min_fraction, tree->weight[side][limits.root]);
    cutter.index = arena_array(arena, tree->node_count, uint32_t);
    if (cutter.index == NULL)
        return arena_exhausted(arena, err, "node states");
    cutter_mark(&cutter);
    status = cutter_collect(&cutter, arena, err);
    if (status == STATUS_OK)
        status = cutter_group(&cutter, arena, err);
    if (status == STATUS_OK)
        status = cutter_find_rests(&cutter, arena, err);
    if (status == STATUS_OK)
        status = cutter_place(&cutter, arena, err);
    if (status == STATUS_OK)
        status = cut_new(&cutter, arena, err, &cut);
    if (status == STATUS_OK)
        status = cutter_write(&cutter, err, &cut);
    if (status == STATUS_OK)
        *ret_cut = cut;
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and cuts of trees against a brute-force reading of their rules, over random trees. */
#include <stdlib.h>

#include "server/view/cut.h"
#include "server/view/heaviest.h"
#include "tests/unit/support/view_fixture.h"
#include "tests/unit/unit.h"

/* What the rules say about one tree and its limits, worked out the slow way. */
struct oracle {
    const struct tree *tree;
    struct cut_limits limits;
    bool *live, *inside, *kept; /* [node] */
    uint32_t inside_count;      /* live nodes in the subtree of the root, itself included */
};

static bool is_below(const struct tree *tree, uint32_t node, uint32_t above)
{
    while (node != above && node != CALLTREE_ROOT)
        node = tree->parents[node];
    return node == above;
}

/* One value for each node: the sum over every node below it. Quadratic. */
static void assert_sums(const struct tree *tree)
{
    for (uint32_t side = 0; side < tree->side_count; side++) {
        for (uint32_t node = 0; node < tree->node_count; node++) {
            tree_wide total = 0;
            tree_wide weight = 0;
            for (uint32_t below = 0; below < tree->node_count; below++) {
                int64_t self = tree->self[side][below];
                if (is_below(tree, below, node)) {
                    total += self;
                    weight += self < 0 ? -(tree_wide)self : self;
                }
            }
            assert_true(tree->total[side][node] == (int64_t)total);
            assert_true(tree->weight[side][node] ==
                        (weight > UINT64_MAX ? UINT64_MAX : (uint64_t)weight));
        }
    }
}

static bool oracle_reaches(const struct oracle *oracle, uint32_t node)
{
    const struct tree *tree = oracle->tree;
    struct query_fraction fraction = oracle->limits.min_fraction;

    for (uint32_t side = 0; side < tree->side_count; side++) {
        tree_key weight = (tree_key)tree->weight[side][node] * fraction.denominator;
        tree_key bound = (tree_key)tree->weight[side][oracle->limits.root] * fraction.numerator;
        if (tree->weight[side][node] > 0 && weight >= bound)
            return true;
    }
    return false;
}

/* Whether `a` goes before `b` when there is not room for both. */
static bool oracle_heavier(const struct tree *tree, uint32_t a, uint32_t b)
{
    tree_key a_key = tree_key_of(tree, a);
    tree_key b_key = tree_key_of(tree, b);

    return a_key != b_key ? a_key > b_key : a < b;
}

static void oracle_run(struct oracle *oracle)
{
    const struct tree *tree = oracle->tree;
    uint32_t count = tree->node_count;

    oracle->live = calloc(count, sizeof(bool));
    oracle->inside = calloc(count, sizeof(bool));
    oracle->kept = calloc(count, sizeof(bool));
    assert_true(oracle->live != NULL && oracle->inside != NULL && oracle->kept != NULL);
    for (uint32_t node = 0; node < count; node++) {
        uint32_t root = oracle->limits.root;
        oracle->live[node] = tree_live(tree, node);
        oracle->inside[node] = node == root || (oracle->live[node] && is_below(tree, node, root));
        oracle->inside_count += oracle->inside[node];
        oracle->kept[node] = node == root || (oracle->inside[node] && oracle_reaches(oracle, node));
    }
    bool *fits = calloc(count, sizeof(bool));
    assert_non_null(fits);
    for (uint32_t node = 0; node < count; node++) {
        uint32_t before = 0;
        for (uint32_t other = 0; other < count; other++)
            before += oracle->kept[other] && oracle_heavier(tree, other, node);
        fits[node] = before < oracle->limits.max_nodes;
    }
    for (uint32_t node = 0; node < count; node++)
        oracle->kept[node] = oracle->kept[node] && fits[node];
    free(fits);
}

static void oracle_free(struct oracle *oracle)
{
    free(oracle->live);
    free(oracle->inside);
    free(oracle->kept);
}

/* The exact sum of the dropped live children of `node`; false: there is none. */
static bool oracle_rest(const struct oracle *oracle, uint32_t node, uint32_t side, tree_wide *rest)
{
    bool any = false;

    *rest = 0;
    for (uint32_t child = 1; child < oracle->tree->node_count; child++) {
        if (oracle->tree->parents[child] != node || !oracle->inside[child] || oracle->kept[child] ||
            child == oracle->limits.root)
            continue;
        any = true;
        *rest += oracle->tree->total[side][child];
    }
    return any;
}

/* Siblings a, then b: in the promised order? */
static void assert_in_order(const struct tree *tree, uint32_t a, uint32_t b)
{
    tree_key a_key = tree_key_of(tree, a);
    tree_key b_key = tree_key_of(tree, b);

    assert_true(a_key >= b_key);
    if (a_key > b_key)
        return;
    int names = slice_compare(tree_name(tree, a), tree_name(tree, b));
    assert_true(names <= 0);
    if (names == 0)
        assert_true(slice_compare(tree_file(tree, a), tree_file(tree, b)) <= 0);
}

/* Walks the rows with the open path, and compares each with what the rules say. */
static void assert_rows(const struct oracle *oracle, const struct cut *cut)
{
    const struct tree *tree = oracle->tree;
    uint32_t *path = calloc(cut->row_count + 1, sizeof(uint32_t));     /* [depth] node */
    uint32_t *previous = calloc(cut->row_count + 2, sizeof(uint32_t)); /* [depth] sibling */
    uint32_t kept = 0;

    assert_true(path != NULL && previous != NULL);
    for (uint32_t row = 0; row < cut->row_count; row++) {
        uint32_t depth = (uint32_t)cut->depths[row];
        uint32_t node = cut->nodes[row];
        assert_true(row == 0 ? depth == 0 : depth >= 1);
        assert_true(row == 0 || depth <= (uint32_t)cut->depths[row - 1] + 1);
        uint32_t parent = row == 0 ? 0 : path[depth - 1];
        if (node == CUT_REST) {
            assert_true(previous[depth] != CUT_REST); /* one for a parent, and the last */
            for (uint32_t side = 0; side < tree->side_count; side++) {
                tree_wide rest;
                assert_true(oracle_rest(oracle, parent, side, &rest));
                assert_true(cut->total[side][row] == (int64_t)rest);
                assert_true(cut->self[side][row] == (int64_t)rest);
            }
        } else {
            kept++;
            assert_true(oracle->kept[node]);
            assert_true(row == 0 || tree->parents[node] == parent);
            assert_true(previous[depth] != CUT_REST);
            if (previous[depth] != 0)
                assert_in_order(tree, previous[depth], node);
            for (uint32_t side = 0; side < tree->side_count; side++) {
                assert_true(cut->self[side][row] == tree->self[side][node]);
                assert_true(cut->total[side][row] == tree->total[side][node]);
            }
            path[depth] = node;
            previous[depth + 1] = 0;
        }
        previous[depth] = node;
        bool last = row + 1 == cut->row_count || (uint32_t)cut->depths[row + 1] < depth;
        tree_wide rest;
        if (last && row > 0 && node != CUT_REST) /* a missing rest would go unseen otherwise */
            assert_false(oracle_rest(oracle, parent, 0, &rest));
        bool leaf = row + 1 == cut->row_count || (uint32_t)cut->depths[row + 1] <= depth;
        if (leaf && node != CUT_REST)
            assert_false(oracle_rest(oracle, node, 0, &rest));
    }
    uint32_t expected = 0;
    for (uint32_t node = 0; node < tree->node_count; node++)
        expected += oracle->kept[node];
    assert_int_equal(kept, expected);
    assert_int_equal(cut->dropped, oracle->inside_count - kept);
    free(path);
    free(previous);
}

static void assert_cut(struct fixture *fixture, const struct tree *tree, struct cut_limits limits)
{
    struct oracle oracle = {.tree = tree, .limits = limits};
    struct cut cut;

    oracle_run(&oracle);
    assert_status(cut_tree(tree, limits, fixture->arena, &fixture->err, &cut), STATUS_OK);
    assert_rows(&oracle, &cut);
    oracle_free(&oracle);
}

static void random_trees(void **state)
{
    static const struct query_fraction fractions[] = {{0, 1}, {1, 50}, {1, 4}, {1, 1}};
    static const uint32_t sizes[] = {1, 2, 5, 17, 1000000};
    uint64_t random = 20261130;

    (void)state;
    for (uint32_t round = 0; round < 40; round++) {
        struct fixture fixture;
        fixture_init(&fixture, 256);
        fixture.side_count = 1 + round % 2;
        fixture.profiles[0] = 1 + unit_random(&random) % 5;
        fixture.profiles[1] = unit_random(&random) % 5; /* 0: an empty side */
        fixture_random(&fixture, 1 + (uint32_t)(unit_random(&random) % 120),
                       4 + (uint32_t)(unit_random(&random) % 20), 1 + (int64_t)(round % 9),
                       round % 3 == 0, &random);
        struct tree tree = fixture_tree(&fixture);
        assert_sums(&tree);
        for (uint32_t i = 0; i < 20; i++) {
            struct cut_limits limits = {fractions[i % 4], sizes[i / 4], CALLTREE_ROOT};
            assert_cut(&fixture, &tree, limits);
            limits.root = (uint32_t)(unit_random(&random) % tree.node_count);
            assert_cut(&fixture, &tree, limits);
        }
        fixture_free(&fixture);
    }
}

static void extreme_values(void **state)
{
    struct fixture fixture;

    (void)state;
    fixture_init(&fixture, 64);
    /* Partial sums leave 64 bits in any order of adding; the results do not. */
    fixture.self[0][fixture_path(&fixture, "a;b")] = INT64_MAX;
    fixture.self[0][fixture_path(&fixture, "a;c")] = INT64_MAX;
    fixture.self[0][fixture_path(&fixture, "a;d")] = INT64_MIN;
    fixture.self[0][fixture_path(&fixture, "a")] = INT64_MIN;
    fixture.self[0][fixture_path(&fixture, "e")] = 7;
    struct tree tree = fixture_tree(&fixture);
    assert_sums(&tree);
    assert_true(tree.total[0][CALLTREE_ROOT] == 5);
    assert_true(tree.weight[0][CALLTREE_ROOT] == UINT64_MAX);
    assert_cut(&fixture, &tree, (struct cut_limits){{0, 1}, 100, CALLTREE_ROOT});
    fixture_free(&fixture);
}

static void sums_past_64_bits_are_refused(void **state)
{
    struct fixture fixture;
    struct cut cut;

    (void)state;
    fixture_init(&fixture, 64);
    fixture.self[0][fixture_path(&fixture, "a;b")] = INT64_MAX;
    fixture.self[0][fixture_path(&fixture, "a;c")] = 1;
    fixture.self[0][fixture_path(&fixture, "d")] = -5;
    struct store_tally tally = fixture_tally(&fixture);
    struct tree tree = tree_of_tally(&tally);
    assert_status(tree_sum(&tree, fixture.arena, &fixture.err), STATUS_VALUE_OVERFLOW);
    fixture_free(&fixture);

    fixture_init(&fixture, 64); /* every node fits, the rest of the root's children does not */
    fixture.self[0][CALLTREE_ROOT] = INT64_MIN;
    fixture.self[0][fixture_path(&fixture, "a")] = INT64_MAX;
    fixture.self[0][fixture_path(&fixture, "b")] = INT64_MAX;
    tree = fixture_tree(&fixture);
    struct cut_limits limits = {{0, 1}, 1, CALLTREE_ROOT};
    assert_status(cut_tree(&tree, limits, fixture.arena, &fixture.err, &cut),
                  STATUS_VALUE_OVERFLOW);
    limits.max_nodes = 100;
    assert_status(cut_tree(&tree, limits, fixture.arena, &fixture.err, &cut), STATUS_OK);
    fixture_free(&fixture);
}

static void an_empty_tree_is_its_root(void **state)
{
    struct fixture fixture;
    struct cut cut;

    (void)state;
    fixture_init(&fixture, 64);
    (void)fixture_path(&fixture, "a;b;c");
    struct tree tree = fixture_tree(&fixture);
    assert_status(cut_tree(&tree, (struct cut_limits){{0, 1}, 10, CALLTREE_ROOT}, fixture.arena,
                           &fixture.err, &cut),
                  STATUS_OK);
    assert_int_equal(cut.row_count, 1);
    assert_int_equal(cut.dropped, 0);
    assert_int_equal(cut.total[0][0], 0);
    fixture_free(&fixture);
}

static void a_cancelled_node_stays(void **state)
{
    struct fixture fixture;
    struct cut cut;

    (void)state;
    fixture_init(&fixture, 64);
    fixture.self[0][fixture_path(&fixture, "a;b")] = 5;
    fixture.self[0][fixture_path(&fixture, "a;c")] = -5;
    (void)fixture_path(&fixture, "a;never");
    struct tree tree = fixture_tree(&fixture);
    assert_status(cut_tree(&tree, (struct cut_limits){{0, 1}, 10, CALLTREE_ROOT}, fixture.arena,
                           &fixture.err, &cut),
                  STATUS_OK);
    assert_int_equal(cut.row_count, 4);
    assert_int_equal(cut.total[0][1], 0);
    fixture_free(&fixture);
}

static int compare_heavier(const void *left, const void *right, void *context)
{
    return oracle_heavier(context, *(const uint32_t *)left, *(const uint32_t *)right) ? -1 : 1;
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

static void the_heaviest_are_those_of_a_sort(void **state)
{
    uint64_t random = 3;
    struct fixture fixture;

    (void)state;
    fixture_init(&fixture, FIXTURE_NODES);
    fixture.side_count = 2;
    fixture.profiles[0] = UINT32_MAX;
    fixture.profiles[1] = 3;
    fixture_random(&fixture, 2000, 50, 3, false, &random);
    for (uint32_t node = 0; node < 200; node++) /* keys of every magnitude */
        fixture.self[0][node * 10] = INT64_MAX >> (unit_random(&random) % 63 + 1) >> 8;
    struct tree tree = fixture_tree(&fixture);
    for (uint32_t wanted = 1; wanted <= 2000; wanted += wanted < 20 ? 1 : 97) {
        uint32_t sorted[2000], selected[2000];
        for (uint32_t i = 0; i < 2000; i++)
            sorted[i] = selected[i] = i;
        qsort_r(sorted, 2000, sizeof(uint32_t), compare_heavier, &tree);
        qsort(sorted, wanted, sizeof(uint32_t), compare_numbers);
        assert_status(heaviest_select(&tree, selected, 2000, wanted, fixture.arena, &fixture.err),
                      STATUS_OK);
        assert_memory_equal(selected, sorted, wanted * sizeof(uint32_t));
    }
    fixture_free(&fixture);
}

static void thresholds(void **state)
{
    (void)state;
    assert_int_equal(tree_threshold((struct query_fraction){0, 1}, 100), 1);
    assert_int_equal(tree_threshold((struct query_fraction){1, 3}, 100), 34);
    assert_int_equal(tree_threshold((struct query_fraction){1, 4}, 100), 25);
    assert_int_equal(tree_threshold((struct query_fraction){1, 8000}, 0), 1);
    assert_true(tree_threshold((struct query_fraction){1, 1}, UINT64_MAX) == UINT64_MAX);
    assert_true(tree_threshold((struct query_fraction){UINT64_MAX, UINT64_MAX}, UINT64_MAX) ==
                UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees),
        cmocka_unit_test(extreme_values),
        cmocka_unit_test(sums_past_64_bits_are_refused),
        cmocka_unit_test(an_empty_tree_is_its_root),
        cmocka_unit_test(a_cancelled_node_stays),
        cmocka_unit_test(the_heaviest_are_those_of_a_sort),
        cmocka_unit_test(thresholds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

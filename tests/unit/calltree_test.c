/* SPDX-License-Identifier: Apache-2.0 */
/* The call tree: numbers, limits, folding, hostile names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/limits.h"
#include "storage/calltree.h"

static struct calltree *new_tree(uint32_t max_nodes)
{
    struct calltree *tree = NULL;

    assert_int_equal(calltree_new(max_nodes, NULL, &tree), STATUS_OK);
    return tree;
}

static uint32_t function_of(struct calltree *tree, const char *name, const char *file)
{
    uint32_t function = UINT32_MAX;

    assert_int_equal(calltree_function(tree, slice_of(name), slice_of(file), NULL, &function),
                     STATUS_OK);
    return function;
}

static uint32_t child_of(struct calltree *tree, uint32_t parent, uint32_t function)
{
    uint32_t node = UINT32_MAX;

    assert_int_equal(calltree_child(tree, parent, function, NULL, &node), STATUS_OK);
    return node;
}

static void assert_name(const struct calltree *tree, uint32_t node, const char *name)
{
    struct slice have = calltree_name(tree, calltree_functions(tree)[node]);

    assert_true(slice_equal(have, slice_of(name)));
}

static void equal_pairs_get_equal_numbers(void **state)
{
    CLEANUP(calltree_cleanup) struct calltree *tree = new_tree(1000);
    uint32_t main_c, main_h, work, a, b;
    (void)state;

    assert_int_equal(calltree_node_count(tree), 1);
    assert_int_equal(calltree_function_count(tree), 0);
    main_c = function_of(tree, "main", "main.c");
    main_h = function_of(tree, "main", "main.h");
    work = function_of(tree, "work", "main.c");
    assert_int_not_equal(main_c, main_h);
    assert_int_equal(function_of(tree, "main", "main.c"), main_c);
    a = child_of(tree, CALLTREE_ROOT, main_c);
    b = child_of(tree, a, work);
    assert_int_equal(child_of(tree, CALLTREE_ROOT, main_c), a);
    assert_int_equal(child_of(tree, a, work), b);
    assert_int_not_equal(child_of(tree, CALLTREE_ROOT, work), b);
    assert_int_equal(calltree_node_count(tree), 4);
    assert_int_equal(calltree_parents(tree)[b], a);
    assert_int_equal(calltree_functions(tree)[b], work);
    assert_true(slice_equal(calltree_file(tree, main_h), slice_of("main.h")));
    assert_int_equal(calltree_folded_count(tree), 0);
}

/* The split between name and file is part of the identity. */
static void hostile_names_stay_apart(void **state)
{
    CLEANUP(calltree_cleanup) struct calltree *tree = new_tree(1000);
    uint32_t split, moved, with_nul, shorter;
    (void)state;

    split = function_of(tree, "ab", "c");
    moved = function_of(tree, "a", "bc");
    assert_int_not_equal(split, moved);
    assert_int_equal(calltree_function(tree, slice_make("x\0y", 3), slice_of(""), NULL, &with_nul),
                     STATUS_OK);
    shorter = function_of(tree, "x", "");
    assert_int_not_equal(with_nul, shorter);
    assert_int_equal(calltree_name(tree, with_nul).size_bytes, 3);
    assert_memory_equal(calltree_name(tree, with_nul).data, "x\0y", 3);
    assert_int_equal(function_of(tree, "", ""), function_of(tree, "", ""));
}

/* Columns keep their addresses and contents while the tree grows past every table size. */
static void growth_moves_nothing(void **state)
{
    CLEANUP(calltree_cleanup) struct calltree *tree = new_tree(300000);
    const uint32_t *parents = calltree_parents(tree);
    char name[32];
    uint32_t node = CALLTREE_ROOT;
    (void)state;

    for (uint32_t i = 0; i < 20000; i++) { /* one path, 20,000 deep, every frame another function */
        (void)snprintf(name, sizeof(name), "f%u", i);
        node = child_of(tree, node, function_of(tree, name, "deep.c"));
    }
    assert_ptr_equal(parents, calltree_parents(tree));
    assert_int_equal(calltree_node_count(tree), 20001);
    for (uint32_t i = 20000; node != CALLTREE_ROOT; i--, node = parents[node]) {
        (void)snprintf(name, sizeof(name), "f%u", i - 1);
        assert_name(tree, node, name);
        assert_true(parents[node] < node);
    }
    for (uint32_t i = 0; i < 200000; i++) /* wide below the root */
        (void)child_of(tree, 1 + i / 20, i % 20);
    assert_true(calltree_memory_bytes(tree) > 1000000);
}

static void full_tree_folds_new_paths(void **state)
{
    CLEANUP(calltree_cleanup) struct calltree *tree = new_tree(4);
    uint32_t f[4], a, b, c, other_b, other_root;
    (void)state;

    for (int i = 0; i < 4; i++)
        f[i] = function_of(tree, (const char *[]){"a", "b", "c", "d"}[i], "");
    a = child_of(tree, CALLTREE_ROOT, f[0]);
    b = child_of(tree, a, f[1]);
    c = child_of(tree, b, f[2]); /* nodes: root a b c = 4 */
    assert_int_equal(calltree_folded_count(tree), 0);
    other_b = child_of(tree, b, f[3]);
    assert_int_equal(calltree_parents(tree)[other_b], b);
    assert_name(tree, other_b, CALLTREE_OTHER_PATHS);
    assert_int_equal(child_of(tree, b, f[0]), other_b);       /* every new path of b */
    assert_int_equal(child_of(tree, other_b, f[1]), other_b); /* and all below it */
    assert_int_equal(child_of(tree, b, f[2]), c);             /* known paths go on */
    other_root = child_of(tree, CALLTREE_ROOT, f[3]);
    assert_int_not_equal(other_root, other_b);
    assert_int_equal(calltree_folded_count(tree), 3);
}

/* A function that is really called "(other paths)" is a function like any other. */
static void real_function_named_other_paths(void **state)
{
    CLEANUP(calltree_cleanup) struct calltree *tree = new_tree(100);
    uint32_t f = function_of(tree, CALLTREE_OTHER_PATHS, "");
    uint32_t a = child_of(tree, CALLTREE_ROOT, f);
    (void)state;

    assert_int_not_equal(child_of(tree, a, f), a);
}

/* When even the "(other paths)" nodes run out, paths go to an ancestor's, at last the root's. */
static void other_paths_run_out_upwards(void **state)
{
    CLEANUP(calltree_cleanup) struct calltree *tree = new_tree(LIMIT_CALLTREE_OTHER_NODES + 10);
    uint32_t wide = function_of(tree, "wide", ""), fresh = function_of(tree, "new", "");
    uint32_t count = LIMIT_CALLTREE_OTHER_NODES + 10, last = 0;
    char name[32];
    (void)state;

    for (uint32_t i = 1; i < count; i++) {
        (void)snprintf(name, sizeof(name), "n%u", i);
        last = child_of(tree, i == 1 ? 0 : 1, i == 1 ? wide : function_of(tree, name, ""));
    }
    assert_int_equal(calltree_node_count(tree), count);
    for (uint32_t node = 1; node < count; node++) {
        uint32_t other = child_of(tree, node, fresh);

        assert_true(other >= count);
        assert_name(tree, other, CALLTREE_OTHER_PATHS);
    }
    assert_int_equal(calltree_parents(tree)[child_of(tree, last, fresh)], 1);
    assert_int_equal(calltree_parents(tree)[child_of(tree, CALLTREE_ROOT, fresh)], CALLTREE_ROOT);
    assert_int_equal(calltree_node_count(tree), count + LIMIT_CALLTREE_OTHER_NODES);
}

/* A tree with no more room for functions answers with one name, whatever file is asked for. */
static void functions_run_out(void **state)
{
    CLEANUP(calltree_cleanup) struct calltree *tree = new_tree(10);
    static char big[LIMIT_NAME_BYTES];
    uint32_t full, known = function_of(tree, "known", "k.c");
    (void)state;

    memset(big, 'x', sizeof(big));
    for (uint32_t i = 0; i < LIMIT_CALLTREE_NAME_BYTES / LIMIT_NAME_BYTES; i++) {
        uint32_t function;

        memcpy(big, &i, sizeof(i));
        assert_int_equal(
            calltree_function(tree, slice_make(big, sizeof(big)), slice_of(""), NULL, &function),
            STATUS_OK);
    }
    memset(big, 'z', sizeof(big));
    assert_int_equal(
        calltree_function(tree, slice_make(big, sizeof(big)), slice_of("z"), NULL, &full),
        STATUS_OK);
    assert_true(slice_equal(calltree_name(tree, full), slice_of(CALLTREE_OTHER_FUNCTIONS)));
    assert_int_equal(calltree_file(tree, full).size_bytes, 0);
    assert_int_equal(function_of(tree, "known", "k.c"), known);
    assert_int_equal(
        calltree_function(tree, slice_make(big, sizeof(big)), slice_of(""), NULL, &known),
        STATUS_OK);
    assert_int_equal(known, full);
}

static void appending_rebuilds_an_equal_tree(void **state)
{
    CLEANUP(calltree_cleanup) struct calltree *tree = new_tree(100);
    CLEANUP(calltree_cleanup) struct calltree *copy = new_tree(100);
    uint32_t a, f = function_of(tree, "f", "f.c"), g = function_of(tree, "g", "");
    (void)state;

    a = child_of(tree, CALLTREE_ROOT, f);
    (void)child_of(tree, a, g);
    for (uint32_t i = 0; i < calltree_function_count(tree); i++)
        assert_int_equal(
            calltree_append_function(copy, calltree_name(tree, i), calltree_file(tree, i), NULL),
            STATUS_OK);
    for (uint32_t i = 1; i < calltree_node_count(tree); i++)
        assert_int_equal(calltree_append_node(copy, calltree_parents(tree)[i],
                                              calltree_functions(tree)[i], NULL),
                         STATUS_OK);
    assert_int_equal(function_of(copy, "g", ""), g);
    assert_int_equal(child_of(copy, CALLTREE_ROOT, f), a);
    assert_int_equal(child_of(copy, a, g), 2);
    assert_int_equal(calltree_append_node(copy, a, f, NULL), STATUS_OK); /* after interning */
    assert_int_equal(child_of(copy, a, f), 3);
    assert_int_equal(calltree_append_node(copy, 99, f, NULL), STATUS_INTERNAL);
    assert_int_equal(calltree_append_node(copy, 0, 99, NULL), STATUS_INTERNAL);
    assert_int_equal(calltree_node_count(copy), 4);
}

static void fold_joins_by_name(void **state)
{
    CLEANUP(calltree_cleanup) struct calltree *from = new_tree(100);
    CLEANUP(calltree_cleanup) struct calltree *into = new_tree(100);
    bool wanted[5] = {true, true, true, false, false};
    uint32_t numbers[5] = {9, 9, 9, 9, 9};
    uint32_t x, y, left, right, shared;
    (void)state;

    x = function_of(into, "x", "");
    shared = child_of(into, CALLTREE_ROOT, x);
    y = function_of(from, "y", "");
    x = function_of(from, "x", "");
    left = child_of(from, CALLTREE_ROOT, x); /* 1: in both */
    right = child_of(from, left, y);         /* 2: new */
    (void)child_of(from, CALLTREE_ROOT, y);  /* 3: not wanted */
    (void)child_of(from, right, y);          /* 4: not wanted */
    assert_int_equal(calltree_fold(into, from, 5, wanted, NULL, numbers), STATUS_OK);
    assert_int_equal(numbers[0], CALLTREE_ROOT);
    assert_int_equal(numbers[left], shared);
    assert_int_equal(calltree_parents(into)[numbers[right]], shared);
    assert_int_equal(numbers[3], 9);
    assert_int_equal(numbers[4], 9);
    assert_int_equal(calltree_node_count(into), 3);
    assert_int_equal(calltree_fold(into, from, 5, NULL, NULL, numbers), STATUS_OK);
    assert_int_equal(calltree_node_count(into), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_pairs_get_equal_numbers),
        cmocka_unit_test(hostile_names_stay_apart),
        cmocka_unit_test(growth_moves_nothing),
        cmocka_unit_test(full_tree_folds_new_paths),
        cmocka_unit_test(real_function_named_other_paths),
        cmocka_unit_test(other_paths_run_out_upwards),
        cmocka_unit_test(functions_run_out),
        cmocka_unit_test(appending_rebuilds_an_equal_tree),
        cmocka_unit_test(fold_joins_by_name),
    };

    return cmocka_run_group_tests_name("calltree", tests, NULL, NULL);
}

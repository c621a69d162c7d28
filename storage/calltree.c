/* SPDX-License-Identifier: Apache-2.0 */
/* The dictionary between stacks and node numbers. Input: functions and (parent, function) pairs
 * from interning or from disk; output: numbers, and columns that every view reads.
 *
 * Columns are regions that never move, counts are released after what they cover, so readers need
 * no lock. The hash from (parent, function) to node is for interning only and built at the first
 * lookup. Nodes at max_nodes and above are "(other paths)" nodes: nothing is ever put below them.
 * Nothing recurses, nothing is removed. */
#include "storage/calltree.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "proto/base/hash.h"
#include "proto/base/limits.h"
#include "storage/function_table.h"
#include "storage/region.h"

#define SLOTS_AT_FIRST 1024u
#define NO_FUNCTION    UINT32_MAX

struct slot {
    uint64_t key;  /* parent << 32 | function, here so that a probe costs one cache line */
    uint32_t node; /* 0: free; the root is nobody's child */
};

struct calltree {
    uint32_t max_nodes;
    uint32_t capacity;   /* max_nodes and the "(other paths)" nodes */
    uint32_t *parents;   /* region */
    uint32_t *functions; /* region */
    _Atomic uint32_t node_count;
    _Atomic uint64_t folded_count;
    _Atomic uint64_t slot_bytes;
    struct function_table *table;
    uint32_t other_function; /* "(other paths)"; NO_FUNCTION: not looked up yet */
    struct slot *slots;      /* NULL: not built */
    uint32_t mask;
    uint64_t seed;
};

static size_t column_bytes(const struct calltree *tree)
{
    return (size_t)tree->capacity * sizeof(uint32_t);
}

enum status calltree_new(uint32_t max_nodes, struct error *err, struct calltree **ret_tree)
{
    CLEANUP(calltree_cleanup) struct calltree *tree = calloc(1, sizeof(*tree));
    enum status status;

    if (tree == NULL)
        return error_no_memory(err, "call tree");
    tree->max_nodes = max_nodes == 0 ? 1 : max_nodes;
    if (tree->max_nodes > UINT32_MAX - LIMIT_CALLTREE_OTHER_NODES)
        tree->max_nodes = UINT32_MAX - LIMIT_CALLTREE_OTHER_NODES;
    tree->capacity = tree->max_nodes + LIMIT_CALLTREE_OTHER_NODES;
    tree->other_function = NO_FUNCTION;
    tree->seed = hash_seed();
    atomic_init(&tree->node_count, 1);
    tree->parents = region_reserve(column_bytes(tree));
    tree->functions = region_reserve(column_bytes(tree));
    if (tree->parents == NULL || tree->functions == NULL)
        return error_no_memory(err, "call tree");
    status = function_table_new(LIMIT_CALLTREE_FUNCTIONS, SLICE_LITERAL(CALLTREE_OTHER_FUNCTIONS),
                                err, &tree->table);
    if (status != STATUS_OK)
        return status;
    *ret_tree = tree;
    tree = NULL;
    return STATUS_OK;
}

void calltree_free(struct calltree *tree)
{
    region_release(tree->parents, column_bytes(tree));
    region_release(tree->functions, column_bytes(tree));
    if (tree->table != NULL)
        function_table_free(tree->table);
    free(tree->slots);
    free(tree);
}

/* --- functions ------------------------------------------------------------------------------- */

enum status calltree_function(struct calltree *tree, struct slice name, struct slice file,
                              struct error *err, uint32_t *ret_function)
{
    return function_table_add(tree->table, name, file, err, ret_function);
}

enum status calltree_find_function(struct calltree *tree, struct slice name, struct slice file,
                                   struct error *err, bool *ret_found, uint32_t *ret_function)
{
    return function_table_find(tree->table, name, file, err, ret_found, ret_function);
}

enum status calltree_append_function(struct calltree *tree, struct slice name, struct slice file,
                                     struct error *err)
{
    return function_table_append(tree->table, name, file, err);
}

struct slice calltree_name(const struct calltree *tree, uint32_t function)
{
    return function_table_name(tree->table, function);
}

struct slice calltree_file(const struct calltree *tree, uint32_t function)
{
    return function_table_file(tree->table, function);
}

/* --- nodes ----------------------------------------------------------------------------------- */

static uint64_t node_key(uint32_t parent, uint32_t function)
{
    return (uint64_t)parent << 32 | function;
}

/* The slot that holds `key`, or the free one where it belongs. */
static struct slot *find_slot(const struct calltree *tree, uint64_t key)
{
    uint32_t at = (uint32_t)hash_u64(key, tree->seed) & tree->mask;

    while (tree->slots[at].node != 0 && tree->slots[at].key != key)
        at = (at + 1) & tree->mask;
    return &tree->slots[at];
}

static enum status build_slots(struct calltree *tree, uint32_t slot_count, struct error *err)
{
    struct slot *slots = calloc(slot_count, sizeof(*slots));
    uint32_t count = atomic_load_explicit(&tree->node_count, memory_order_relaxed);

    if (slots == NULL)
        return error_no_memory(err, "call tree");
    free(tree->slots);
    tree->slots = slots;
    tree->mask = slot_count - 1;
    for (uint32_t node = 1; node < count; node++) {
        uint64_t key = node_key(tree->parents[node], tree->functions[node]);

        *find_slot(tree, key) = (struct slot){.key = key, .node = node};
    }
    atomic_store_explicit(&tree->slot_bytes, slot_count * sizeof(*slots), memory_order_relaxed);
    return STATUS_OK;
}

/* Keeps the hash table at most half full, counting the node about to come. */
static enum status ready_slots(struct calltree *tree, struct error *err)
{
    uint32_t count = atomic_load_explicit(&tree->node_count, memory_order_relaxed);
    uint32_t slot_count = tree->slots == NULL ? SLOTS_AT_FIRST : tree->mask + 1;

    if (tree->slots != NULL && count < slot_count / 2)
        return STATUS_OK;
    while (count >= slot_count / 2)
        slot_count *= 2;
    return build_slots(tree, slot_count, err);
}

static uint32_t append_node(struct calltree *tree, uint32_t parent, uint32_t function)
{
    uint32_t node = atomic_load_explicit(&tree->node_count, memory_order_relaxed);

    tree->parents[node] = parent;
    tree->functions[node] = function;
    atomic_store_explicit(&tree->node_count, node + 1, memory_order_release);
    return node;
}

enum status calltree_append_node(struct calltree *tree, uint32_t parent, uint32_t function,
                                 struct error *err)
{
    uint32_t count = atomic_load_explicit(&tree->node_count, memory_order_relaxed);

    if (count >= tree->capacity || parent >= count || function >= function_table_count(tree->table))
        return error_set(err, STATUS_INTERNAL,
                         "call tree node %u: parent %u or function %u out of range", count, parent,
                         function);
    append_node(tree, parent, function);
    if (tree->slots != NULL) { /* interned before: keep the hash table whole */
        enum status status = ready_slots(tree, err);
        uint64_t key = node_key(parent, function);

        if (status != STATUS_OK)
            return status;
        *find_slot(tree, key) = (struct slot){.key = key, .node = count};
    }
    return STATUS_OK;
}

/* The "(other paths)" node for a new path below `parent` of a full tree: parent's own while there
 * is room, else that of the nearest ancestor that has one. The last place is kept for the root's,
 * so the walk always ends with an answer. */
static enum status other_node(struct calltree *tree, uint32_t parent, struct error *err,
                              uint32_t *ret_node)
{
    uint32_t count = atomic_load_explicit(&tree->node_count, memory_order_relaxed);
    enum status status = STATUS_OK;

    atomic_fetch_add_explicit(&tree->folded_count, 1, memory_order_relaxed);
    if (tree->other_function == NO_FUNCTION)
        status = function_table_add_reserved(tree->table, SLICE_LITERAL(CALLTREE_OTHER_PATHS), err,
                                             &tree->other_function);
    if (status == STATUS_OK)
        status = ready_slots(tree, err);
    if (status != STATUS_OK)
        return status;
    for (uint32_t node = parent;; node = tree->parents[node]) {
        uint64_t key = node_key(node, tree->other_function);
        struct slot *slot = find_slot(tree, key);

        if (slot->node == 0 && count + (node == CALLTREE_ROOT ? 0 : 1) < tree->capacity)
            *slot =
                (struct slot){.key = key, .node = append_node(tree, node, tree->other_function)};
        if (slot->node != 0) {
            *ret_node = slot->node;
            return STATUS_OK;
        }
        if (node == CALLTREE_ROOT) /* only a tree loaded from disk can be that full */
            return error_set(err, STATUS_INTERNAL, "call tree holds over %u nodes", count);
    }
}

enum status calltree_child(struct calltree *tree, uint32_t parent, uint32_t function,
                           struct error *err, uint32_t *ret_node)
{
    uint64_t key = node_key(parent, function);
    uint32_t count = atomic_load_explicit(&tree->node_count, memory_order_relaxed);
    enum status status;
    struct slot *slot;

    if (parent >= tree->max_nodes) {
        *ret_node = parent;
        return STATUS_OK;
    }
    /* A path that was new as a whole has its nodes in a row: most steps are to the next number, and
     * looking there first spares the hash table's cache miss. */
    if (parent + 1 < count && tree->parents[parent + 1] == parent &&
        tree->functions[parent + 1] == function) {
        *ret_node = parent + 1;
        return STATUS_OK;
    }
    status = ready_slots(tree, err);
    if (status != STATUS_OK)
        return status;
    slot = find_slot(tree, key);
    if (slot->node == 0) {
        if (count >= tree->max_nodes)
            return other_node(tree, parent, err, ret_node);
        *slot = (struct slot){.key = key, .node = append_node(tree, parent, function)};
    }
    *ret_node = slot->node;
    return STATUS_OK;
}

/* --- reading --------------------------------------------------------------------------------- */

uint32_t calltree_node_count(const struct calltree *tree)
{
    return atomic_load_explicit(&tree->node_count, memory_order_acquire);
}

uint32_t calltree_function_count(const struct calltree *tree)
{
    return function_table_count(tree->table);
}

uint64_t calltree_folded_count(const struct calltree *tree)
{
    return atomic_load_explicit(&tree->folded_count, memory_order_relaxed);
}

uint64_t calltree_memory_bytes(const struct calltree *tree)
{
    return calltree_node_count(tree) * 2 * sizeof(uint32_t) +
           function_table_memory_bytes(tree->table) +
           atomic_load_explicit(&tree->slot_bytes, memory_order_relaxed);
}

const uint32_t *calltree_parents(const struct calltree *tree)
{
    return tree->parents;
}

const uint32_t *calltree_functions(const struct calltree *tree)
{
    return tree->functions;
}

/* --- folding --------------------------------------------------------------------------------- */

static void free_numbers(uint32_t **numbers)
{
    free(*numbers);
}

enum status calltree_fold(struct calltree *into, const struct calltree *from, uint32_t node_count,
                          const bool *wanted, struct error *err, uint32_t *ret_nodes)
{
    uint32_t function_count = calltree_function_count(from);
    CLEANUP(free_numbers)
    uint32_t *numbers = malloc(((size_t)function_count + 1) * sizeof(*numbers));

    if (numbers == NULL)
        return error_no_memory(err, "folding call trees");
    for (uint32_t i = 0; i < function_count; i++)
        numbers[i] = NO_FUNCTION;
    if (node_count > 0)
        ret_nodes[CALLTREE_ROOT] = CALLTREE_ROOT;
    for (uint32_t node = 1; node < node_count; node++) {
        uint32_t function = from->functions[node];
        enum status status = STATUS_OK;

        if (wanted != NULL && !wanted[node])
            continue;
        if (numbers[function] == NO_FUNCTION)
            status = calltree_function(into, calltree_name(from, function),
                                       calltree_file(from, function), err, &numbers[function]);
        if (status == STATUS_OK)
            status = calltree_child(into, ret_nodes[from->parents[node]], numbers[function], err,
                                    &ret_nodes[node]);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

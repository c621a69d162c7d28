/* SPDX-License-Identifier: Apache-2.0 */
/* GET /functions: every function of the selection with its self and total.
 *
 * In: selection, sort, order, limit, offset, q; out: a page of rows. Filters, then sorts exact keys
 * over a common denominator, then writes the page. */
#include <stdlib.h>

#include "proto/base/limits.h"
#include "server/view/answer.h"
#include "server/view/function_sums.h"
#include "server/view/views.h"

enum functions_sort { SORT_TOTAL, SORT_SELF, SORT_NAME, SORT_DELTA };
enum functions_order { ORDER_DESC, ORDER_ASC };

static const char *const functions_sorts[] = {"total", "self", "name", "delta", NULL};
static const char *const functions_orders[] = {"desc", "asc", NULL};

struct functions_page {
    uint32_t sort, order; /* enum functions_sort, enum functions_order */
    uint64_t limit, offset;
    struct slice needle; /* empty: every function */
};

struct functions_table {
    const struct tree *tree;
    const struct function_sums *sums;
    struct functions_page page;
    uint32_t count;
    uint32_t *rows;  /* [count] functions, sorted */
    tree_wide *keys; /* [function] what to sort by, unless by name */
};

static enum status functions_read_page(const struct query *query, bool compared, struct error *err,
                                       struct functions_page *ret_page)
{
    const struct query_pair *needle = query_find(query, "q");
    struct functions_page page = {.needle = needle == NULL ? slice_make("", 0) : needle->value};

    enum status status = query_choice(query, "sort", functions_sorts, SORT_TOTAL, err, &page.sort);
    if (status == STATUS_OK)
        status = query_choice(query, "order", functions_orders,
                              page.sort == SORT_NAME ? ORDER_ASC : ORDER_DESC, err, &page.order);
    if (status == STATUS_OK)
        status = query_uint(query, "limit", LIMIT_VIEW_FUNCTIONS_DEFAULT, 1, LIMIT_VIEW_FUNCTIONS,
                            err, &page.limit);
    if (status == STATUS_OK)
        status = query_uint(query, "offset", 0, 0, UINT32_MAX, err, &page.offset);
    if (status != STATUS_OK)
        return status;
    if (page.sort == SORT_DELTA && !compared)
        return query_refuse("sort", err, "delta needs a comparison (a base_ parameter)");
    *ret_page = page;
    return STATUS_OK;
}

static struct slice functions_name(const struct functions_table *table, uint32_t function)
{
    return calltree_name(table->tree->calltree, function);
}

static struct slice functions_file(const struct functions_table *table, uint32_t function)
{
    return calltree_file(table->tree->calltree, function);
}

static bool functions_contains(struct slice text, struct slice needle)
{
    return needle.size_bytes == 0 ||
           (text.size_bytes != 0 &&
            memmem(text.data, text.size_bytes, needle.data, needle.size_bytes) != NULL);
}

/* The larger side per profile, or the difference of the sides per profile, as a numerator over the
 * product of both profile counts. Counts are far below 2^62, so nothing overflows. */
static tree_wide functions_key(const struct functions_table *table, uint32_t function)
{
    const struct tree *tree = table->tree;
    int64_t *const *column = table->page.sort == SORT_SELF ? table->sums->self : table->sums->total;

    if (tree->side_count == 1)
        return column[0][function];
    tree_wide now = (tree_wide)column[0][function] * (tree_wide)tree->profiles[1];
    tree_wide base = (tree_wide)column[1][function] * (tree_wide)tree->profiles[0];
    if (table->page.sort == SORT_DELTA)
        return now - base;
    return now > base ? now : base;
}

static int functions_compare_names(const struct functions_table *table, uint32_t a, uint32_t b)
{
    int order = slice_compare(functions_name(table, a), functions_name(table, b));

    if (order == 0)
        order = slice_compare(functions_file(table, a), functions_file(table, b));
    return order;
}

/* qsort_r order of two functions: by key or name as asked, ties by name and file upwards. */
static int functions_compare(const void *left, const void *right, void *context)
{
    const struct functions_table *table = context;
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    bool ascending = table->page.order == ORDER_ASC;

    if (table->page.sort == SORT_NAME)
        return ascending ? functions_compare_names(table, a, b)
                         : functions_compare_names(table, b, a);
    if (table->keys[a] != table->keys[b])
        return (table->keys[a] < table->keys[b]) == ascending ? -1 : 1;
    return functions_compare_names(table, a, b);
}

/* Collects the functions that are in the selection and match, and sorts them. */
static enum status functions_sort(struct functions_table *table, struct arena *arena,
                                  struct error *err)
{
    const struct tree *tree = table->tree;
    const struct function_sums *sums = table->sums;
    struct slice needle = table->page.needle;

    table->rows = arena_array(arena, tree->function_count, uint32_t);
    table->keys = arena_array(arena, tree->function_count, tree_wide);
    if (table->rows == NULL || table->keys == NULL)
        return arena_exhausted(arena, err, "rows of functions");
    for (uint32_t function = 0; function < tree->function_count; function++) {
        bool live = sums->stacks[0][function] != 0 ||
                    (tree->side_count == 2 && sums->stacks[1][function] != 0);
        if (!live || (!functions_contains(functions_name(table, function), needle) &&
                      !functions_contains(functions_file(table, function), needle)))
            continue;
        table->keys[function] = functions_key(table, function);
        table->rows[table->count++] = function;
    }
    qsort_r(table->rows, table->count, sizeof(*table->rows), functions_compare, table);
    return STATUS_OK;
}

static void functions_write_row(struct json *json, const struct functions_table *table,
                                uint32_t function)
{
    const struct function_sums *sums = table->sums;

    json_begin_object(json);
    json_key(json, "name");
    json_string(json, functions_name(table, function));
    json_key(json, "file");
    json_string(json, functions_file(table, function));
    json_key(json, "self");
    json_int(json, sums->self[0][function]);
    json_key(json, "total");
    json_int(json, sums->total[0][function]);
    json_key(json, "stacks");
    json_uint(json, sums->stacks[0][function]);
    if (table->tree->side_count == 2) {
        json_key(json, "base_self");
        json_int(json, sums->self[1][function]);
        json_key(json, "base_total");
        json_int(json, sums->total[1][function]);
        json_key(json, "base_stacks");
        json_uint(json, sums->stacks[1][function]);
    }
    json_end_object(json);
}

static enum status functions_write(const struct answer *answer, const struct functions_table *table,
                                   struct error *err, struct buf *out)
{
    uint64_t until = table->page.offset + table->page.limit;
    struct json json = answer_begin(answer, out);

    json_key(&json, "count");
    json_uint(&json, table->count);
    json_key(&json, "functions");
    json_begin_array(&json);
    for (uint64_t row = table->page.offset; row < until && row < table->count; row++)
        functions_write_row(&json, table, table->rows[row]);
    json_end_array(&json);
    return answer_end(&json, err);
}

enum status functions_view(struct store *store, const struct query *query, struct arena *arena,
                           int64_t now_ns, struct error *err, struct buf *out)
{
    CLEANUP(answer_close) struct answer answer = {.tallied = false};
    struct function_sums sums;
    struct preorder order;

    enum status status =
        answer_open(&answer, store, query, QUERY_LIMIT | QUERY_ROWS, arena, now_ns, err);
    if (status != STATUS_OK)
        return status;
    struct tree tree = tree_of_tally(&answer.tally);
    struct functions_table table = {.tree = &tree, .sums = &sums};
    status = functions_read_page(query, tree.side_count == 2, err, &table.page);
    if (status == STATUS_OK)
        status = tree_sum(&tree, arena, err);
    if (status == STATUS_OK)
        status = preorder_of_tree(&tree, arena, err, &order);
    if (status == STATUS_OK)
        status = function_sums_of_tree(&tree, &order, arena, err, &sums);
    if (status == STATUS_OK)
        status = functions_sort(&table, arena, err);
    if (status != STATUS_OK)
        return status;
    return functions_write(&answer, &table, err, out);
}

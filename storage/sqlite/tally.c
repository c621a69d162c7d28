/* SPDX-License-Identifier: Apache-2.0 */
/* Tallies. Input: one or two selections; output: sums per node of one call tree.
 *
 * When everything lies in one dictionary its tree is lent out as it is, and the sums are all the
 * work. Otherwise each dictionary is added up for itself and the nodes that got something are
 * folded, with their ancestors, into a tree made for this answer. */
#include <stdlib.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/base/timestamp.h"
#include "proto/sum.h"
#include "storage/sqlite/side.h"

#define SIDES_MAX 2u

/* What keeps the tree of a tally alive: one of the two. */
struct hold {
    struct dictionary *lent;
    struct calltree *own;
};

struct sums {
    uint32_t node_count;
    int64_t *of[SIDES_MAX]; /* [node_count] each */
};

static void sums_cleanup(struct sums *sums)
{
    for (unsigned i = 0; i < SIDES_MAX; i++)
        free(sums->of[i]);
}

struct work {
    struct engine *engine;
    struct reader *reader;
    struct arena *arena;
    struct side sides[SIDES_MAX];
    uint32_t side_count;
    uint32_t *dictionaries; /* that any side may have rows in */
    uint32_t dictionary_count;
    struct hold hold;
};

static void work_cleanup(struct work *work)
{
    if (work->hold.lent != NULL)
        dictionary_release(work->engine->dictionaries, work->hold.lent);
    if (work->hold.own != NULL)
        calltree_free(work->hold.own);
    if (work->reader != NULL)
        reader_give(work->reader);
}

/* --- what to read ---------------------------------------------------------------------------- */

/* Whether `dictionary` is one of the side's months. */
static bool side_reads(const struct work *work, const struct side *side, uint32_t dictionary)
{
    struct registry_entry entry =
        registry_get(work->engine->numbering.of[NAME_DICTIONARY], dictionary);
    int32_t month;

    if (!side->has_metric || side->scope.series_count != 1 ||
        entry.parent != side->scope.series[0] || side->scope.from_ns >= side->scope.until_ns)
        return false;
    /* Months are compared and not their ends: those of the first and last lie outside int64. */
    month = numbering_dictionary_month(&work->engine->numbering, dictionary);
    return timestamp_month(side->scope.from_ns) <= month &&
           month <= timestamp_month(side->scope.until_ns - 1);
}

static bool any_side_reads(const struct work *work, uint32_t dictionary)
{
    bool reads = false;

    for (uint32_t i = 0; i < work->side_count; i++)
        reads |= side_reads(work, &work->sides[i], dictionary);
    return reads;
}

static enum status find_dictionaries(struct work *work, struct error *err)
{
    uint32_t all = registry_count(work->engine->numbering.of[NAME_DICTIONARY]);
    uint32_t count = 0;

    for (uint32_t i = 0; i < all; i++)
        count += any_side_reads(work, i);
    work->dictionaries = arena_array(work->arena, count, uint32_t);
    if (work->dictionaries == NULL)
        return arena_exhausted(work->arena, err, "call trees");
    for (uint32_t i = 0; i < all; i++)
        if (any_side_reads(work, i))
            work->dictionaries[work->dictionary_count++] = i;
    return STATUS_OK;
}

/* --- adding up ------------------------------------------------------------------------------- */

/* Adds every side's rows of one dictionary to its sums. The count is read behind the transaction's
 * first read, so it covers every node that a row of it may name. */
static enum status add_dictionary(struct work *work, uint32_t dictionary, struct sums *sums,
                                  struct error *err)
{
    enum status status = STATUS_OK;

    for (uint32_t i = 0; status == STATUS_OK && i < work->side_count; i++)
        if (side_reads(work, &work->sides[i], dictionary))
            status = side_add(&work->sides[i], work->reader, dictionary, sums->of[i],
                              sums->node_count, err);
    return status;
}

/* Zeroed sums in the arena, as results need them. */
static enum status arena_sums(struct work *work, uint32_t node_count, struct error *err,
                              struct sums *ret_sums)
{
    struct sums sums = {.node_count = node_count};

    for (uint32_t i = 0; i < work->side_count; i++) {
        sums.of[i] = arena_array(work->arena, node_count, int64_t);
        if (sums.of[i] == NULL)
            return arena_exhausted(work->arena, err, "sums per node");
        memset(sums.of[i], 0, node_count * sizeof(int64_t));
    }
    *ret_sums = sums;
    return STATUS_OK;
}

/* Everything in one dictionary. */
static enum status add_lent(struct work *work, uint32_t dictionary, struct error *err,
                            struct sums *ret_sums)
{
    enum status status =
        dictionary_acquire(work->engine->dictionaries, dictionary, err, &work->hold.lent);

    if (status == STATUS_OK)
        status = arena_sums(work, calltree_node_count(work->hold.lent->tree), err, ret_sums);
    if (status == STATUS_OK)
        status = add_dictionary(work, dictionary, ret_sums, err);
    return status;
}

static void free_array(void *array)
{
    free(*(void **)array);
}

/* Marks the nodes with a sum on any side, and their ancestors. */
static void mark_wanted(const struct work *work, const struct calltree *tree,
                        const struct sums *sums, bool *wanted)
{
    const uint32_t *parents = calltree_parents(tree);

    for (uint32_t node = sums->node_count; node-- > 0;) {
        for (uint32_t i = 0; i < work->side_count; i++)
            wanted[node] |= sums->of[i][node] != 0;
        if (wanted[node])
            wanted[parents[node]] = true;
    }
}

/* Makes `sums` as long as the answer's tree has become. False: no memory. */
static bool grow_sums(const struct work *work, struct sums *sums)
{
    uint32_t node_count = calltree_node_count(work->hold.own);

    for (uint32_t i = 0; i < work->side_count; i++) {
        int64_t *longer = realloc(sums->of[i], node_count * sizeof(*longer));

        if (longer == NULL)
            return false;
        memset(longer + sums->node_count, 0, (node_count - sums->node_count) * sizeof(*longer));
        sums->of[i] = longer;
    }
    sums->node_count = node_count;
    return true;
}

/* Folds one dictionary's sums into the answer's tree and sums. */
static enum status fold_sums(struct work *work, const struct calltree *tree,
                             const struct sums *part, struct sums *sums, struct error *err)
{
    CLEANUP(free_array) uint32_t *nodes = calloc(part->node_count, sizeof(*nodes));
    CLEANUP(free_array) bool *wanted = calloc(part->node_count, sizeof(*wanted));
    bool overflow = false;
    enum status status;

    if (nodes == NULL || wanted == NULL)
        return error_no_memory(err, "folding call trees");
    mark_wanted(work, tree, part, wanted);
    status = calltree_fold(work->hold.own, tree, part->node_count, wanted, err, nodes);
    if (status != STATUS_OK)
        return status;
    if (!grow_sums(work, sums))
        return error_no_memory(err, "folding call trees");
    for (uint32_t i = 0; i < SIDES_MAX && part->of[i] != NULL; i++)
        for (uint32_t node = 0; node < part->node_count; node++)
            if (wanted[node])
                overflow |= __builtin_add_overflow(sums->of[i][nodes[node]], part->of[i][node],
                                                   &sums->of[i][nodes[node]]);
    if (overflow)
        return error_set(err, STATUS_VALUE_OVERFLOW, "the sum of the selected values leaves int64");
    return STATUS_OK;
}

/* Adds up one of several dictionaries and folds it. */
static enum status add_part(struct work *work, const struct dictionary *dictionary,
                            struct sums *sums, struct error *err)
{
    CLEANUP(sums_cleanup)
    struct sums part = {.node_count = calltree_node_count(dictionary->tree)};
    enum status status;

    for (uint32_t i = 0; i < work->side_count; i++) {
        part.of[i] = calloc(part.node_count, sizeof(int64_t));
        if (part.of[i] == NULL)
            return error_no_memory(err, "sums per node");
    }
    status = add_dictionary(work, dictionary->number, &part, err);
    if (status == STATUS_OK)
        status = fold_sums(work, dictionary->tree, &part, sums, err);
    return status;
}

static enum status add_folded(struct work *work, uint32_t number, struct sums *sums,
                              struct error *err)
{
    struct dictionary *dictionary = NULL;
    enum status status = dictionary_acquire(work->engine->dictionaries, number, err, &dictionary);

    if (status != STATUS_OK)
        return status;
    status = add_part(work, dictionary, sums, err);
    dictionary_release(work->engine->dictionaries, dictionary);
    return status;
}

/* None or several dictionaries: a tree for this answer alone. */
static enum status add_own(struct work *work, struct error *err, struct sums *ret_sums)
{
    CLEANUP(sums_cleanup) struct sums sums = {0};
    enum status status = calltree_new(LIMIT_TALLY_NODES, err, &work->hold.own);

    if (status != STATUS_OK)
        return status;
    if (!grow_sums(work, &sums))
        return error_no_memory(err, "sums per node");
    for (uint32_t i = 0; status == STATUS_OK && i < work->dictionary_count; i++)
        status = add_folded(work, work->dictionaries[i], &sums, err);
    if (status == STATUS_OK)
        status = arena_sums(work, sums.node_count, err, ret_sums);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < SIDES_MAX; i++)
        if (sums.of[i] != NULL && ret_sums->of[i] != NULL)
            memcpy(ret_sums->of[i], sums.of[i], sums.node_count * sizeof(int64_t));
    return STATUS_OK;
}

/* --- the answer ------------------------------------------------------------------------------ */

static enum status total(const struct sums *sums, uint32_t side, struct error *err,
                         int64_t *ret_total)
{
    struct sum sum = {0};

    for (uint32_t node = 0; node < sums->node_count; node++)
        sum_add(&sum, sums->of[side][node]);
    if (!sum_fits(&sum))
        return error_set(err, STATUS_VALUE_OVERFLOW, "the total of a side leaves int64");
    *ret_total = sum_value(&sum);
    return STATUS_OK;
}

/* Type, metric and unit: the first side's that has the metric; else as they were asked for. */
static enum status describe(struct work *work, const struct store_selection *selections,
                            struct error *err, struct store_tally *tally)
{
    const struct numbering *numbering = &work->engine->numbering;
    const struct side *side = NULL;

    tally->type = selections[0].type;
    tally->metric = selections[0].metric;
    tally->unit = SLICE_LITERAL("");
    if (work->sides[0].scope.series_count == 1)
        tally->type = registry_get(numbering->of[NAME_SERIES], work->sides[0].scope.series[0]).text;
    for (uint32_t i = 0; i < work->side_count; i++) {
        if (!work->sides[i].has_metric)
            continue;
        if (side == NULL)
            side = &work->sides[i];
        else if (!slice_equal(numbering_metric(numbering, side->metric).unit,
                              numbering_metric(numbering, work->sides[i].metric).unit))
            return error_set(err, STATUS_BAD_PARAMETER,
                             "metric: the two sides have different units");
    }
    if (side != NULL) {
        struct metric metric = numbering_metric(numbering, side->metric);

        tally->metric = metric.name;
        tally->unit = metric.unit;
        tally->kind = metric.kind;
    }
    return STATUS_OK;
}

/* Copies a slice of the caller's into the arena. */
static enum status keep(struct arena *arena, struct slice *text, struct error *err)
{
    char *copy = arena_array(arena, text->size_bytes, char);

    if (copy == NULL)
        return arena_exhausted(arena, err, "selection");
    if (text->size_bytes > 0)
        memcpy(copy, text->data, text->size_bytes);
    text->data = copy;
    return STATUS_OK;
}

static enum status finish(struct work *work, const struct sums *sums, struct error *err,
                          struct store_tally *tally)
{
    enum status status = keep(work->arena, &tally->type, err);
    struct hold *hold;

    if (status == STATUS_OK)
        status = keep(work->arena, &tally->metric, err);
    tally->node_count = sums->node_count;
    tally->side_count = work->side_count;
    for (uint32_t i = 0; status == STATUS_OK && i < work->side_count; i++) {
        side_finish(&work->sides[i], &work->engine->numbering);
        work->sides[i].sum.self = sums->of[i];
        status = total(sums, i, err, &work->sides[i].sum.total);
        tally->sides[i] = work->sides[i].sum;
    }
    hold = status == STATUS_OK ? malloc(sizeof(*hold)) : NULL;
    if (status == STATUS_OK && hold == NULL)
        return error_no_memory(err, "tally");
    if (status != STATUS_OK)
        return status;
    *hold = work->hold;
    work->hold = (struct hold){0};
    tally->hold = hold;
    tally->tree = hold->lent != NULL ? hold->lent->tree : hold->own;
    tally->function_count = calltree_function_count(tally->tree);
    return STATUS_OK;
}

enum status engine_tally(struct store *store, const struct store_selection *sides,
                         uint32_t side_count, struct arena *arena, struct error *err,
                         struct store_tally *ret_tally)
{
    CLEANUP(work_cleanup)
    struct work work = {.engine = engine_of(store), .arena = arena, .side_count = side_count};
    struct store_tally tally = {0};
    struct sums sums = {0};
    enum status status = reader_take(work.engine->readers, err, &work.reader);

    for (uint32_t i = 0; status == STATUS_OK && i < side_count; i++)
        status = side_resolve(work.engine, work.reader, &sides[i], arena, err, &work.sides[i]);
    if (status == STATUS_OK)
        status = describe(&work, sides, err, &tally);
    if (status == STATUS_OK)
        status = find_dictionaries(&work, err);
    if (status == STATUS_OK && work.dictionary_count == 1)
        status = add_lent(&work, work.dictionaries[0], err, &sums);
    else if (status == STATUS_OK)
        status = add_own(&work, err, &sums);
    if (status == STATUS_OK)
        status = finish(&work, &sums, err, &tally);
    if (status == STATUS_OK)
        *ret_tally = tally;
    return status;
}

void engine_tally_release(struct store *store, struct store_tally *tally)
{
    struct hold *hold = tally->hold;

    if (hold == NULL)
        return;
    if (hold->lent != NULL)
        dictionary_release(engine_of(store)->dictionaries, hold->lent);
    if (hold->own != NULL)
        calltree_free(hold->own);
    free(hold);
    tally->hold = NULL;
}

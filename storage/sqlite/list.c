/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of profiles, newest first. Input: a selection and where the last page ended; output: whole
 * profile descriptions.
 *
 * Each series is walked along its own index, filtered on the index's columns, until it has filled a
 * page; the newest of all are the page. */
#include <stdlib.h>
#include <string.h>

#include "storage/sqlite/scope.h"

/* A profile's place in the order of the list. */
struct place {
    int64_t start_ns;
    int64_t sequence;
};

static int newest_first(const void *a, const void *b)
{
    const struct place *left = a, *right = b;

    if (left->start_ns != right->start_ns)
        return left->start_ns > right->start_ns ? -1 : 1;
    return (left->sequence < right->sequence) - (left->sequence > right->sequence);
}

static bool matches(const struct scope *scope, sqlite3_stmt *row)
{
    if ((scope->sequence >= 0 && sqlite3_column_int64(row, 1) != scope->sequence) ||
        !scope_has_version(scope, sqlite3_column_int64(row, 2)) ||
        !scope_has_labelset(scope, sqlite3_column_int64(row, 3)))
        return false;
    if (scope->having == STORE_HAVING_DURATION)
        return sqlite3_column_int64(row, 4) != 0;
    if (scope->having == STORE_HAVING_WORK)
        return sqlite3_column_int64(row, 5) >= 0;
    return true;
}

/* Appends the first `limit` places of one series to `places`. */
static enum status walk_series(const struct scope *scope, uint32_t series, struct reader *reader,
                               struct place before, uint32_t limit, struct place *places,
                               uint32_t *count, struct error *err)
{
    sqlite3_stmt *statement = reader_statement(
        reader, scope->having == STORE_HAVING_ANY ? READER_LIST : READER_LIST_HAVING);
    uint32_t found = 0;
    bool row = false;
    enum status status = STATUS_OK;

    (void)sqlite3_bind_int64(statement, 1, series);
    (void)sqlite3_bind_int64(statement, 2, scope->from_ns);
    (void)sqlite3_bind_int64(statement, 3, scope->until_ns);
    (void)sqlite3_bind_int64(statement, 4, before.start_ns);
    (void)sqlite3_bind_int64(statement, 5, before.sequence);
    while (found < limit && (status = reader_step(reader, statement, err, &row)) == STATUS_OK &&
           row) {
        if (!matches(scope, statement))
            continue;
        places[(*count)++] = (struct place){.start_ns = sqlite3_column_int64(statement, 0),
                                            .sequence = sqlite3_column_int64(statement, 1)};
        found++;
    }
    return status;
}

static enum status describe(struct engine *engine, struct reader *reader,
                            const struct place *places, struct arena *arena, struct error *err,
                            struct store_page *page)
{
    page->profiles = arena_array(arena, page->profile_count, struct store_profile);
    if (page->profiles == NULL)
        return arena_exhausted(arena, err, "list of profiles");
    for (uint32_t i = 0; i < page->profile_count; i++) {
        struct profile_row row;
        enum status status = profile_row_read(reader, places[i].sequence, arena, err, &row);

        if (status == STATUS_OK)
            status = profile_row_describe(&engine->numbering, &row, arena, err, &page->profiles[i]);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum status engine_list(struct store *store, const struct store_selection *selection,
                        uint32_t limit, const struct store_cursor *cursor, struct arena *arena,
                        struct error *err, struct store_page *ret_page)
{
    struct engine *engine = engine_of(store);
    CLEANUP(reader_cleanup) struct reader *reader = NULL;
    struct place before = {.start_ns = INT64_MAX, .sequence = INT64_MAX};
    struct store_page page = {0};
    struct place *places;
    struct scope scope;
    uint32_t count = 0;
    enum status status = reader_take(engine->readers, err, &reader);

    if (status == STATUS_OK)
        status = scope_resolve(engine, reader, selection, arena, err, &scope);
    if (status != STATUS_OK)
        return status;
    if (cursor != NULL)
        before = (struct place){.start_ns = cursor->start_ns, .sequence = cursor->sequence};
    places = arena_alloc_array(arena, scope.series_count,
                               ((size_t)limit + 1) * sizeof(struct place), _Alignof(struct place));
    if (places == NULL)
        return arena_exhausted(arena, err, "list of profiles");
    for (uint32_t i = 0; status == STATUS_OK && i < scope.series_count; i++)
        status =
            walk_series(&scope, scope.series[i], reader, before, limit + 1, places, &count, err);
    if (status != STATUS_OK)
        return status;
    if (count > 1)
        qsort(places, count, sizeof(*places), newest_first);
    page.more = count > limit;
    page.profile_count = page.more ? limit : count;
    if (page.more && limit > 0)
        page.next = (struct store_cursor){.start_ns = places[limit - 1].start_ns,
                                          .sequence = places[limit - 1].sequence};
    status = describe(engine, reader, places, arena, err, &page);
    if (status == STATUS_OK)
        *ret_page = page;
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Selections to numbers. Input: names as a client asked for them; output: masks over numbers, so
 * that scanning a million rows compares no text. A service or type counts as known only once a
 * profile of it is stored: names of refused uploads may be in memory. */
#include "storage/sqlite/scope.h"

#include <string.h>

#include "storage/sqlite/database.h"

static bool *new_mask(struct arena *arena, uint32_t count)
{
    bool *mask = arena_array(arena, count, bool);

    if (mask != NULL)
        memset(mask, 0, count * sizeof(*mask));
    return mask;
}

static enum status resolve_versions(struct engine *engine, const struct store_selection *selection,
                                    struct arena *arena, struct error *err, struct scope *scope)
{
    struct registry *versions = engine->numbering.of[NAME_VERSION];

    if (selection->version_count == 0)
        return STATUS_OK;
    scope->version_limit = registry_count(versions);
    scope->versions = new_mask(arena, scope->version_limit);
    if (scope->versions == NULL)
        return arena_exhausted(arena, err, "versions");
    for (uint32_t i = 0; i < selection->version_count; i++) {
        uint32_t number = registry_find(versions, 0, selection->versions[i]);

        if (number < scope->version_limit)
            scope->versions[number] = true;
    }
    return STATUS_OK;
}

static enum status resolve_labels(struct engine *engine, const struct store_selection *selection,
                                  struct arena *arena, struct error *err, struct scope *scope)
{
    if (selection->label_count == 0)
        return STATUS_OK;
    scope->labelset_limit = registry_count(engine->numbering.of[NAME_LABELSET]);
    scope->labelsets = new_mask(arena, scope->labelset_limit);
    if (scope->labelsets == NULL)
        return arena_exhausted(arena, err, "label sets");
    for (uint32_t i = 0; i < scope->labelset_limit; i++)
        scope->labelsets[i] = numbering_labelset_has(&engine->numbering, i, selection->labels,
                                                     selection->label_count);
    return STATUS_OK;
}

/* The service's series that have profiles; of them, those of the type asked for. */
static enum status resolve_series(struct engine *engine, struct reader *reader,
                                  const struct store_selection *selection, struct arena *arena,
                                  struct error *err, struct scope *scope)
{
    struct registry *all = engine->numbering.of[NAME_SERIES];
    uint32_t count = 0, live_count = 0;

    scope->service = registry_find(engine->numbering.of[NAME_SERVICE], 0, selection->service);
    if (scope->service != REGISTRY_ABSENT)
        for (uint32_t i = 0; (i = registry_next(all, scope->service, i)) != REGISTRY_ABSENT; i++)
            count++;
    scope->series = arena_array(arena, count, uint32_t);
    if (scope->series == NULL)
        return arena_exhausted(arena, err, "profile types");
    for (uint32_t i = 0, left = count;
         left > 0 && (i = registry_next(all, scope->service, i)) != REGISTRY_ABSENT; i++, left--) {
        int64_t newest = -1;
        enum status status = engine_newest_sequence(reader, i, err, &newest);

        if (status != STATUS_OK)
            return status;
        live_count += newest >= 0;
        if (newest >= 0 && (selection->type.size_bytes == 0 ||
                            slice_equal(registry_get(all, i).text, selection->type)))
            scope->series[scope->series_count++] = i;
    }
    if (live_count == 0)
        return error_set(err, STATUS_NOT_FOUND, "no service \"%.*s\"",
                         (int)selection->service.size_bytes, selection->service.data);
    return STATUS_OK;
}

/* Narrows the scope to the one profile asked for. */
static enum status resolve_one(struct reader *reader, const struct store_selection *selection,
                               struct error *err, struct scope *scope)
{
    sqlite3_stmt *statement = reader_statement(reader, READER_FIND_ID);
    int64_t start_ns;
    bool row = false, ours = false;
    enum status status;

    (void)sqlite3_bind_blob(statement, 1, selection->id.bytes, sizeof(selection->id.bytes),
                            SQLITE_TRANSIENT);
    status = reader_step(reader, statement, err, &row);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; row && !ours && i < scope->series_count; i++)
        if (scope->series[i] == sqlite3_column_int64(statement, 1)) {
            scope->series[0] = scope->series[i];
            ours = true;
        }
    if (!ours) {
        scope->series_count = 0;
        return STATUS_OK;
    }
    scope->series_count = 1;
    scope->sequence = sqlite3_column_int64(statement, 0);
    start_ns = sqlite3_column_int64(statement, 4);
    if (start_ns < scope->from_ns || start_ns >= scope->until_ns) {
        scope->series_count = 0;
    } else {
        scope->from_ns = start_ns;
        scope->until_ns = start_ns + 1;
    }
    return STATUS_OK;
}

enum status scope_resolve(struct engine *engine, struct reader *reader,
                          const struct store_selection *selection, struct arena *arena,
                          struct error *err, struct scope *ret_scope)
{
    struct scope scope = {.from_ns = selection->from_ns,
                          .until_ns = selection->until_ns,
                          .sequence = -1,
                          .having = selection->having};
    enum status status = resolve_series(engine, reader, selection, arena, err, &scope);

    if (status == STATUS_OK)
        status = resolve_versions(engine, selection, arena, err, &scope);
    if (status == STATUS_OK)
        status = resolve_labels(engine, selection, arena, err, &scope);
    if (status == STATUS_OK && selection->one)
        status = resolve_one(reader, selection, err, &scope);
    if (status == STATUS_OK)
        *ret_scope = scope;
    return status;
}

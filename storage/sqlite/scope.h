/* SPDX-License-Identifier: Apache-2.0 */
/* A selection in the store's numbers: what rows it asks for. */
#ifndef BRAZIER_STORAGE_SQLITE_SCOPE_H
#define BRAZIER_STORAGE_SQLITE_SCOPE_H

#include "storage/sqlite/engine.h"

struct scope {
    uint32_t service;
    uint32_t *series; /* with stored profiles, of the type asked for; none: nothing matches */
    uint32_t series_count;
    bool *versions;  /* [version_limit] which match; NULL: all */
    bool *labelsets; /* [labelset_limit] which match; NULL: all */
    uint32_t version_limit, labelset_limit;
    int64_t from_ns, until_ns; /* from <= start < until */
    int64_t sequence;          /* only this one; -1: all */
    enum store_having having;
};

/* Everything is allocated in `arena`. STATUS_NOT_FOUND: unknown service; STATUS_TOO_LARGE: arena.
 */
CHECKED enum status scope_resolve(struct engine *engine, struct reader *reader,
                                  const struct store_selection *selection, struct arena *arena,
                                  struct error *err, struct scope *ret_scope);

static inline bool scope_has_version(const struct scope *scope, int64_t version)
{
    return scope->versions == NULL ||
           (version >= 0 && version < scope->version_limit && scope->versions[version]);
}

static inline bool scope_has_labelset(const struct scope *scope, int64_t labelset)
{
    return scope->labelsets == NULL ||
           (labelset >= 0 && labelset < scope->labelset_limit && scope->labelsets[labelset]);
}

#endif

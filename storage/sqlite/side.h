/* SPDX-License-Identifier: Apache-2.0 */
/* One side of a tally while it is being added up. */
#ifndef BRAZIER_STORAGE_SQLITE_SIDE_H
#define BRAZIER_STORAGE_SQLITE_SIDE_H

#include "storage/sqlite/scope.h"
#include "storage/vector.h"

struct side {
    struct scope scope;
    bool has_metric; /* `metric` is known to the series; else nothing matches */
    uint32_t metric;
    struct store_side sum; /* all but self and total */
    uint32_t work_unit;    /* of the first profile that reports work */
    bool work_mixed;       /* another one had another unit */
};

/* The side of a selection: its scope, and the metric it means. STATUS_BAD_PARAMETER: no type given
 * and the service has several; else as scope_resolve. */
CHECKED enum status side_resolve(struct engine *engine, struct reader *reader,
                                 const struct store_selection *selection, struct arena *arena,
                                 struct error *err, struct side *ret_side);

/* Adds all rows of one dictionary that match to self[node], below `node_count`, and counts their
 * profiles. STATUS_VALUE_OVERFLOW, STATUS_INTERNAL. */
CHECKED enum status side_add(struct side *side, struct reader *reader, uint32_t dictionary,
                             int64_t *self, uint32_t node_count, struct error *err);

/* Turns what was counted into the side's final figures (work, its unit, nothing found). */
void side_finish(struct side *side, const struct numbering *numbering);

#endif

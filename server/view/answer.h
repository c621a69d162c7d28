/* SPDX-License-Identifier: Apache-2.0 */
/* What every view of a selection begins with: the selection, its tally, and the members that say
 * what the numbers are. A view reads as: answer_open, compute, answer_begin, write, answer_end. */
#ifndef BRAZIER_SERVER_VIEW_ANSWER_H
#define BRAZIER_SERVER_VIEW_ANSWER_H

#include "server/view/json.h"
#include "server/view/selection.h"

struct answer {
    struct store *store;
    struct selection selection;
    struct store_tally tally;
    bool tallied; /* there is a tally to release */
};

/* Checks the query against `groups` (the selection's and comparison's are added), reads both
 * sides and tallies them. Release with answer_close, also after a failure.
 * STATUS_BAD_PARAMETER; all that store_tally can fail with. */
CHECKED enum status answer_open(struct answer *answer, struct store *store,
                                const struct query *query, unsigned groups, struct arena *arena,
                                int64_t now_ns, struct error *err);
void answer_close(struct answer *answer);

/* Opens the document and writes selection, type, metric, unit, kind and sides. In a side `version`
 * is what was asked (empty: all); `from` is the start of its oldest profile and `until` one
 * nanosecond past that of its newest, so that asking for this range gives the same side again (null
 * when it has no profile); `work` is null when no profile reports any or the units differ. */
struct json answer_begin(const struct answer *answer, struct buf *out);

/* Closes the document. STATUS_TOO_LARGE, STATUS_UNAVAILABLE: the buffer. */
CHECKED enum status answer_end(struct json *json, struct error *err);

#endif

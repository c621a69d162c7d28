/* SPDX-License-Identifier: Apache-2.0 */
/* GET /profiles/{id}: one upload's bytes. What was sent as gzip goes back as it is; the rest is
 * compressed, so that the answer is always a gzip file that pprof tools read. */
#include "proto/gzip.h"
#include "server/view/views.h"

/* Fast rather than small: the answer is made anew each time and is small beside its transfer. */
#define RAW_GZIP_LEVEL 1

enum status raw_view(struct store *store, struct slice id, const struct query *query,
                     struct arena *arena, struct error *err, struct buf *out)
{
    struct store_id wanted;
    struct slice body;

    enum status status = query_check(query, 0, err);
    if (status != STATUS_OK)
        return status;
    if (!query_hex(id, wanted.bytes, STORE_ID_BYTES))
        return error_set(err, STATUS_NOT_FOUND, "no such profile: an id is 32 hex digits");
    status = store_raw(store, wanted, arena, err, &body);
    if (status != STATUS_OK)
        return status;
    if (!gzip_detect(body))
        return gzip_deflate(body, RAW_GZIP_LEVEL, err, out);
    buf_append(out, body.data, body.size_bytes);
    return buf_status(out, err, "profile");
}

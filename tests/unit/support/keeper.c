/* SPDX-License-Identifier: Apache-2.0 */
/* The uploads' tests in place of a database, and a pprof written by hand. */
#include "tests/unit/support/keeper.h"

#include "proto/base/varint.h"
#include "proto/gzip.h"
#include "tests/unit/unit.h"

struct keeper keeper;

static enum status keep(struct store *store, const struct store_put *put, struct arena *scratch,
                        struct error *error, struct store_receipt *ret_receipt)
{
    struct keeper *into = (struct keeper *)store;

    (void)scratch;
    (void)error;
    into->put = *put;
    into->puts++;
    into->first_value = put->profile->sample_values[0];
    memcpy(into->labels, put->labels, put->label_count * sizeof(*put->labels));
    *ret_receipt = (struct store_receipt){
        .repeated = into->repeated,
        .profile = {.id = put->id,
                    .service = put->service,
                    .version = put->version,
                    .type = put->type,
                    .labels = put->labels,
                    .label_count = put->label_count,
                    .start_ns = put->start_ns,
                    .duration_ns = put->duration_ns,
                    .received_ns = put->received_ns,
                    .work = put->work,
                    .work_unit = put->work_unit,
                    .sample_count = put->profile->sample_count,
                    .body_bytes = put->body.size_bytes,
                    .metrics = put->metrics,
                    .metric_count = put->profile->type_count},
    };
    return STATUS_OK;
}

static const struct store_ops keeper_ops = {.put = keep};

/* --- a pprof by hand ------------------------------------------------------------------------- */

static void put_varint(struct buf *out, uint64_t value)
{
    uint8_t bytes[VARINT_MAX_BYTES];

    buf_append(out, bytes, (size_t)(varint_write(bytes, value) - bytes));
}

static void put_number(struct buf *out, unsigned field, uint64_t value)
{
    put_varint(out, field << 3);
    put_varint(out, value);
}

static void put_bytes(struct buf *out, unsigned field, struct slice bytes)
{
    put_varint(out, field << 3 | 2);
    put_varint(out, bytes.size_bytes);
    buf_append(out, bytes.data, bytes.size_bytes);
}

/* One sample of 7 microseconds in main, named "cpu"; no time when `time_ns` is 0. */
void keeper_make_pprof(struct buf *out, int64_t time_ns, int64_t duration_ns)
{
    static const char *const strings[] = {"", "cpu", "microseconds", "main"};

    buf_init(out, LIMIT_MIB);
    put_bytes(out, 1, SLICE_LITERAL("\x08\x01\x10\x02"));             /* sample type */
    put_bytes(out, 2, SLICE_LITERAL("\x0a\x01\x01\x12\x01\x07"));     /* sample */
    put_bytes(out, 4, SLICE_LITERAL("\x08\x01\x22\x02\x08\x01"));     /* location */
    put_bytes(out, 5, SLICE_LITERAL("\x08\x01\x10\x03"));             /* function */
    for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) /* string table */
        put_bytes(out, 6, slice_of(strings[i]));
    if (time_ns != 0)
        put_number(out, 9, (uint64_t)time_ns);
    if (duration_ns != 0)
        put_number(out, 10, (uint64_t)duration_ns);
}

struct slice keeper_slice(const struct buf *buf)
{
    return slice_make(buf->data, buf->size_bytes);
}

struct buf keeper_gzip(struct slice bytes)
{
    struct buf out;

    buf_init(&out, LIMIT_MIB);
    assert_status(gzip_deflate(bytes, 6, &keeper.err, &out), STATUS_OK);
    return out;
}

/* --- asking ---------------------------------------------------------------------------------- */

int keeper_set_up(void **state)
{
    (void)state;
    keeper = (struct keeper){.store = {.ops = &keeper_ops}};
    keeper.arena = arena_new(LIMIT_ARENA_BYTES);
    buf_init(&keeper.answer, LIMIT_MIB);
    keeper_make_pprof(&keeper.pprof, KEEPER_TIME_NS, 1000);
    return keeper.arena == NULL;
}

int keeper_tear_down(void **state)
{
    (void)state;
    buf_free(&keeper.answer);
    buf_free(&keeper.pprof);
    arena_free(keeper.arena);
    return 0;
}

enum status keeper_post_with(const char *text, struct slice body, bool encoded, struct slice key,
                             size_t max_inflated_bytes)
{
    struct ingest_context context = {&keeper.store, max_inflated_bytes};
    struct query_pair pairs[64];
    struct query query = {pairs, 0};
    bool created = false;

    for (; *text != '\0'; query.count++) {
        size_t size_bytes = strcspn(text, "&");
        size_t key_bytes = strcspn(text, "=");
        pairs[query.count] =
            (struct query_pair){slice_make(text, key_bytes),
                                slice_make(text + key_bytes + 1, size_bytes - key_bytes - 1), true};
        text += size_bytes + (text[size_bytes] == '&');
    }
    buf_free(&keeper.answer);
    enum status status = ingest_profile(&context, &query, body, encoded, key, keeper.arena,
                                        KEEPER_NOW_NS, &keeper.err, &keeper.answer, &created);
    if (status == STATUS_OK)
        assert_int_equal(created, !keeper.repeated);
    return status;
}

static enum status keeper_post(const char *text, struct slice body)
{
    return keeper_post_with(text, body, false, slice_make("", 0), LIMIT_INFLATED_BYTES);
}

void assert_posted(const char *text, struct slice body)
{
    enum status status = keeper_post(text, body);

    if (status != STATUS_OK)
        print_error("%s: %s\n", text, keeper.err.text);
    assert_status(status, STATUS_OK);
}

void assert_refused(const char *text, struct slice body, enum status expected)
{
    uint32_t before = keeper.puts;

    assert_status(keeper_post(text, body), expected);
    assert_int_equal(keeper.puts, before);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Storing one profile. Input: a valid profile and who sent it; output: a receipt, once it is on
 * disk.
 *
 * Reads as the data path: call tree -> stacks to nodes -> sums per node -> names to numbers ->
 * blobs -> receipt -> commit, which finds out whether the profile is there already. Looking first
 * would cost every new profile a read transaction to spare a rare repeat some work. Only interning
 * holds a lock that other uploads want; the names come late, so that a profile that is refused
 * leaves none behind. */
#include <string.h>

#include "proto/base/limits.h"
#include "storage/entries.h"
#include "storage/intern.h"
#include "storage/sqlite/engine.h"
#include "storage/tagset.h"
#include "storage/vector.h"

/* One upload on its way. */
struct upload {
    struct engine *engine;
    const struct store_put *put;
    struct arena *arena;
    struct write_job job;
    struct tagsets tagsets;
    uint32_t *metrics;        /* [type_count] numbers */
    uint32_t *tagset_numbers; /* [tagsets.count] */
};

struct held {
    struct dictionary_cache *cache;
    struct dictionary *dictionary;
};

static void held_cleanup(struct held *held)
{
    if (held->dictionary != NULL)
        dictionary_release(held->cache, held->dictionary);
}

/* --- names to numbers ------------------------------------------------------------------------ */

static enum status number_name(struct upload *upload, enum name_kind kind, uint32_t parent,
                               struct slice text, struct error *err, uint32_t *ret_number)
{
    return registry_add(upload->engine->numbering.of[kind], parent, text, SLICE_LITERAL(""), err,
                        ret_number);
}

/* What must be known to choose the call tree. */
static enum status number_series(struct upload *upload, struct error *err)
{
    const struct store_put *put = upload->put;
    struct profile_row *row = &upload->job.row;
    uint32_t service = 0;
    enum status status = number_name(upload, NAME_SERVICE, 0, put->service, err, &service);

    if (status == STATUS_OK)
        status = number_name(upload, NAME_SERIES, service, put->type, err, &row->series);
    if (status == STATUS_OK)
        status = numbering_add_dictionary(&upload->engine->numbering, row->series, put->start_ns,
                                          err, &row->dictionary);
    return status;
}

static enum status number_metrics(struct upload *upload, struct error *err)
{
    const struct store_put *put = upload->put;
    uint32_t count = put->profile->type_count;

    upload->metrics = arena_array(upload->arena, count, uint32_t);
    if (upload->metrics == NULL)
        return arena_exhausted(upload->arena, err, "metrics");
    for (uint32_t i = 0; i < count; i++) {
        enum status status =
            numbering_add_metric(&upload->engine->numbering, upload->job.row.series,
                                 &put->metrics[i], upload->arena, err, &upload->metrics[i]);

        if (status != STATUS_OK)
            return status;
        for (uint32_t before = 0; before < i; before++)
            if (upload->metrics[before] == upload->metrics[i])
                return error_set_at(err, STATUS_BAD_PARAMETER, "sample_type", i, ERROR_NONE,
                                    "sample types %u and %u would both be kept as one metric",
                                    before, i);
    }
    return STATUS_OK;
}

/* Tagsets that the store has no room for fold; everything else it has no room for is refused. */
static enum status number_tagsets(struct upload *upload, struct error *err)
{
    struct tagsets *tagsets = &upload->tagsets;

    upload->tagset_numbers = arena_array(upload->arena, tagsets->count, uint32_t);
    if (upload->tagset_numbers == NULL)
        return arena_exhausted(upload->arena, err, "sample labels");
    upload->tagset_numbers[TAGSET_NONE] = TAGSET_NONE;
    upload->tagset_numbers[TAGSET_FOLDED] = TAGSET_FOLDED;
    for (uint32_t i = TAGSET_FOLDED + 1; i < tagsets->count; i++) {
        enum status status =
            number_name(upload, NAME_TAGSET, 0, tagsets->texts[i], err, &upload->tagset_numbers[i]);

        if (status == STATUS_RATE_LIMITED) {
            upload->tagset_numbers[i] = TAGSET_FOLDED;
            tagsets->folded++;
        } else if (status != STATUS_OK) {
            return status;
        }
    }
    return STATUS_OK;
}

static enum status number_rest(struct upload *upload, struct error *err)
{
    const struct store_put *put = upload->put;
    struct profile_row *row = &upload->job.row;
    enum status status = number_metrics(upload, err);

    if (status == STATUS_OK)
        status = number_name(upload, NAME_VERSION, 0, put->version, err, &row->version);
    if (status == STATUS_OK)
        status = number_name(upload, NAME_WORK_UNIT, 0, put->work_unit, err, &row->work_unit);
    if (status == STATUS_OK)
        status = numbering_add_labels(&upload->engine->numbering, put->labels, put->label_count,
                                      upload->arena, err, &row->labelset);
    if (status == STATUS_OK)
        row->default_metric = upload->metrics[put->default_metric];
    return status;
}

/* --- from stacks to blobs -------------------------------------------------------------------- */

static enum status intern(struct upload *upload, struct error *err, uint32_t **ret_nodes)
{
    const struct profile *profile = upload->put->profile;
    uint32_t *nodes = arena_array(upload->arena, profile->sample_count, uint32_t);
    struct dictionary *dictionary = upload->job.dictionary;
    enum status status;

    if (nodes == NULL)
        return arena_exhausted(upload->arena, err, "interning");
    (void)pthread_mutex_lock(&dictionary->intern_lock);
    status = intern_stacks(dictionary->tree, profile, upload->arena, err, nodes);
    (void)pthread_mutex_unlock(&dictionary->intern_lock);
    if (status == STATUS_OK)
        *ret_nodes = nodes;
    return status;
}

/* Samples go by the number of their tagset, so that folded ones add up. */
static enum status group(struct upload *upload, struct error *err)
{
    struct tagsets *tagsets = &upload->tagsets;
    enum status status = tagset_group(upload->put->profile, upload->arena, err, tagsets);
    bool folds = false;

    if (status == STATUS_OK)
        status = number_tagsets(upload, err);
    if (status != STATUS_OK || tagsets->sample_tagset == NULL)
        return status;
    for (uint32_t i = TAGSET_FOLDED + 1; i < tagsets->count; i++)
        folds |= upload->tagset_numbers[i] == TAGSET_FOLDED;
    if (folds) {
        uint32_t *sample_tagset =
            arena_array(upload->arena, upload->put->profile->sample_count, uint32_t);

        if (sample_tagset == NULL)
            return arena_exhausted(upload->arena, err, "sample labels");
        for (uint32_t i = 0; i < upload->put->profile->sample_count; i++) {
            uint32_t tagset = tagsets->sample_tagset[i];
            bool folded = upload->tagset_numbers[tagset] == TAGSET_FOLDED;

            sample_tagset[i] = folded ? TAGSET_FOLDED : tagset;
        }
        tagsets->sample_tagset = sample_tagset;
    }
    return STATUS_OK;
}

static enum status encode(struct upload *upload, const struct entries *entries, uint32_t count,
                          struct buf *blobs, struct error *err)
{
    struct write_vector *vectors = arena_array(upload->arena, count, struct write_vector);
    size_t *starts = arena_array(upload->arena, (size_t)count + 1, size_t);

    if (vectors == NULL || starts == NULL)
        return arena_exhausted(upload->arena, err, "vectors");
    for (uint32_t i = 0; i < count; i++) {
        struct vector vector = {.duration_ns = upload->job.row.duration_ns,
                                .work = upload->job.row.work,
                                .work_unit = upload->job.row.work_unit,
                                .metric_count = upload->put->profile->type_count,
                                .metrics = upload->metrics,
                                .entry_count = entries[i].entry_count,
                                .nodes = entries[i].nodes,
                                .values = entries[i].values};
        enum status status;

        starts[i] = blobs->size_bytes;
        status = vector_encode(&vector, err, blobs);
        if (status != STATUS_OK)
            return status;
    }
    starts[count] = blobs->size_bytes;
    for (uint32_t i = 0; i < count; i++)
        vectors[i] = (struct write_vector){
            .tagset = upload->tagset_numbers[entries[i].tagset],
            .blob = slice_make(blobs->data + starts[i], starts[i + 1] - starts[i])};
    upload->job.vectors = vectors;
    upload->job.vector_count = count;
    return STATUS_OK;
}

/* Fills the job with everything that the writer needs; `blobs` holds its vectors. */
static enum status prepare(struct upload *upload, struct buf *blobs, struct error *err)
{
    const struct store_put *put = upload->put;
    struct entries *entries = NULL;
    uint32_t *nodes = NULL;
    uint32_t count = 0;
    enum status status = intern(upload, err, &nodes);

    if (status == STATUS_OK)
        status = group(upload, err);
    if (status == STATUS_OK)
        status = entries_collect(put->profile, nodes, upload->tagsets.sample_tagset,
                                 upload->tagsets.count, upload->arena, err, &entries, &count);
    if (status == STATUS_OK)
        status = number_rest(upload, err);
    if (status == STATUS_OK)
        status = profile_row_totals(put->metrics, upload->metrics, put->profile->type_count,
                                    upload->arena, err, &upload->job.row.totals);
    if (status == STATUS_OK)
        status = encode(upload, entries, count, blobs, err);
    return status;
}

/* --- the call -------------------------------------------------------------------------------- */

/* The receipt of a profile that was stored before. */
static enum status describe_stored(struct engine *engine, struct store_id id, struct arena *arena,
                                   struct error *err, struct store_receipt *ret_receipt)
{
    CLEANUP(reader_cleanup) struct reader *reader = NULL;
    struct store_receipt receipt = {.repeated = true};
    struct profile_row row;
    int64_t sequence = -1;
    enum status status = reader_take(engine->readers, err, &reader);

    if (status == STATUS_OK)
        status = engine_find_sequence(reader, id, err, &sequence);
    if (status == STATUS_OK && sequence < 0)
        return error_set(err, STATUS_INTERNAL, "a profile that is there cannot be found");
    if (status == STATUS_OK)
        status = profile_row_read(reader, sequence, arena, err, &row);
    if (status == STATUS_OK)
        status = profile_row_describe(&engine->numbering, &row, arena, err, &receipt.profile);
    if (status == STATUS_OK)
        *ret_receipt = receipt;
    return status;
}

enum status engine_put(struct store *store, const struct store_put *put, struct arena *arena,
                       struct error *err, struct store_receipt *ret_receipt)
{
    struct engine *engine = engine_of(store);
    struct upload upload = {.engine = engine,
                            .put = put,
                            .arena = arena,
                            .job = {.row = {.id = put->id,
                                            .start_ns = put->start_ns,
                                            .duration_ns = put->duration_ns,
                                            .received_ns = put->received_ns,
                                            .work = put->work,
                                            .sample_count = put->profile->sample_count,
                                            .body_bytes = (int64_t)put->body.size_bytes},
                                    .body = put->body}};
    CLEANUP(held_cleanup) struct held held = {.cache = engine->dictionaries};
    CLEANUP(buf_cleanup) struct buf blobs;
    struct store_receipt receipt = {0};
    enum status status;

    buf_init(&blobs, LIMIT_ARENA_BYTES);
    status = number_series(&upload, err);
    if (status == STATUS_OK)
        status = dictionary_acquire(engine->dictionaries, upload.job.row.dictionary, err,
                                    &held.dictionary);
    upload.job.dictionary = held.dictionary;
    if (status == STATUS_OK)
        status = prepare(&upload, &blobs, err);
    if (status == STATUS_OK) /* now: once it is on disk nothing may fail any more */
        status =
            profile_row_describe(&engine->numbering, &upload.job.row, arena, err, &receipt.profile);
    if (status == STATUS_OK)
        status = writer_submit(engine->writer, &upload.job, err);
    if (status != STATUS_OK)
        return status;
    if (upload.job.repeated)
        return describe_stored(engine, put->id, arena, err, ret_receipt);
    receipt.tag_keys_left_out = upload.tagsets.keys_left_out;
    receipt.tagsets_folded = upload.tagsets.folded;
    *ret_receipt = receipt;
    return STATUS_OK;
}

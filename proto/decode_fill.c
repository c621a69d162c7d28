/* SPDX-License-Identifier: Apache-2.0 */
/* Pass two of decoding: allocates the columns and walks the Profile message.
 *
 * Input: the body and the counts of pass one. Output: every column of struct profile and the ids
 * that validation resolves. Checks wire types, string indices and values per sample; takes memory
 * only from the arena, all of it before the first field is read. */
#include "proto/decode_fill.h"
#include "proto/decode_columns.h"

static enum status read_value_type(const struct fill *f, struct wire message, const char *name,
                                   int64_t index, uint32_t *ret_name, uint32_t *ret_unit)
{
    static const struct string_field strings[] = {{1, "type"}, {2, "unit"}};
    uint64_t fields[3] = {0};
    enum status status = read_scalars(f, message, 2, fields, name, index);

    if (status != STATUS_OK)
        return status;
    status = CHECK_STRINGS(f, fields, strings, index);
    if (status != STATUS_OK)
        return status;
    *ret_name = (uint32_t)fields[1];
    *ret_unit = (uint32_t)fields[2];
    return STATUS_OK;
}

static enum status fill_type(struct fill *f, struct wire message)
{
    uint32_t i = f->types++;

    return read_value_type(f, message, "sample_type", i, &f->type_name_column[i],
                           &f->type_unit_column[i]);
}

static enum status fill_comment(struct fill *f, uint64_t value)
{
    static const struct string_field strings[] = {{0, "comment"}};
    enum status status = CHECK_STRINGS(f, &value, strings, f->comments);

    if (status != STATUS_OK)
        return status;
    f->comment_column[f->comments++] = (uint32_t)value;
    return STATUS_OK;
}

static enum status fill_comments(struct fill *f, struct wire packed)
{
    while (packed.at < packed.end) {
        uint64_t value = 0;
        const uint8_t *next = wire_varint(packed.at, packed.end, &value);
        enum status status;

        if (!next)
            return wire_fail_packed(packed.at,
                                    &(struct wire_place){f->start, "comment", f->comments}, f->err);
        status = fill_comment(f, value);
        if (status != STATUS_OK)
            return status;
        packed.at = next;
    }
    return STATUS_OK;
}

/* One field of the Profile message; integers are only kept in `scalars`, the last one wins. */
static enum status fill_field(struct fill *f, const struct wire_field *field, uint64_t *scalars)
{
    struct profile *p = f->profile;

    switch (field->tag) {
    case WIRE_TAG(1, WIRE_BYTES):
        return fill_type(f, field->nested);
    case WIRE_TAG(2, WIRE_BYTES):
        return fill_sample(f, field->nested);
    case WIRE_TAG(3, WIRE_BYTES):
        return fill_mapping(f, field->nested);
    case WIRE_TAG(4, WIRE_BYTES):
        return fill_location(f, field->nested);
    case WIRE_TAG(5, WIRE_BYTES):
        return fill_function(f, field->nested);
    case WIRE_TAG(6, WIRE_BYTES):
        f->string_column[f->strings++] =
            slice_make(field->nested.at, (size_t)(field->nested.end - field->nested.at));
        return STATUS_OK;
    case WIRE_TAG(11, WIRE_BYTES): /* a second one replaces the first whole */
        return read_value_type(f, field->nested, "period_type", 0, &p->period_type_name,
                               &p->period_type_unit);
    case WIRE_TAG(13, WIRE_BYTES):
        return fill_comments(f, field->nested);
    case WIRE_TAG(13, WIRE_VARINT):
        return fill_comment(f, field->value);
    default:
        break;
    }
    if (!store_scalar(field, 15, scalars) || (field->tag >> 3 >= 1 && field->tag >> 3 <= 6) ||
        field->tag == WIRE_TAG(11, WIRE_VARINT))
        return wire_fail_type(field, &(struct wire_place){f->start, "profile", ERROR_NONE}, f->err);
    return STATUS_OK;
}

/* Integers of the Profile message, once all of it is read. */
static enum status fill_scalars(struct fill *f, const uint64_t *scalars)
{
    static const struct string_field strings[] = {
        {7, "drop_frames"}, {8, "keep_frames"}, {14, "default_sample_type"}, {15, "doc_url"}};
    struct profile *p = f->profile;
    enum status status = CHECK_STRINGS(f, scalars, strings, 0);

    if (status != STATUS_OK)
        return status;
    p->drop_frames = (uint32_t)scalars[7];
    p->keep_frames = (uint32_t)scalars[8];
    p->time_ns = (int64_t)scalars[9];
    p->duration_ns = (int64_t)scalars[10];
    p->period = (int64_t)scalars[12];
    p->default_type = (uint32_t)scalars[14];
    p->doc_url = (uint32_t)scalars[15];
    return STATUS_OK;
}

static bool allocate_tables(struct fill *f, const struct decode_counts *counts, struct arena *arena)
{
    struct profile *p = f->profile;

    p->strings = f->string_column = arena_array(arena, counts->strings, struct slice);
    p->type_name = f->type_name_column = arena_array(arena, counts->types, uint32_t);
    p->type_unit = f->type_unit_column = arena_array(arena, counts->types, uint32_t);
    p->comments = f->comment_column = arena_array(arena, counts->comments, uint32_t);
    p->string_count = counts->strings;
    p->type_count = counts->types;
    p->comment_count = counts->comments;
    return p->strings && p->type_name && p->type_unit && p->comments;
}

static bool allocate_samples(struct fill *f, const struct decode_counts *counts,
                             struct arena *arena)
{
    struct profile *p = f->profile;
    size_t samples = counts->samples;

    p->sample_location_first = arena_array(arena, samples + 1, uint32_t);
    p->sample_locations = arena_array(arena, counts->sample_locations, uint32_t);
    f->sample_location_ids = arena_array(arena, counts->sample_locations, uint64_t);
    p->sample_values = arena_array(arena, counts->sample_values, int64_t);
    p->sample_label_first = arena_array(arena, samples + 1, uint32_t);
    p->sample_labels = arena_array(arena, counts->sample_labels, struct profile_label);
    p->sample_count = counts->samples;
    if (!p->sample_location_first || !p->sample_locations || !f->sample_location_ids ||
        !p->sample_values || !p->sample_label_first || !p->sample_labels)
        return false;
    p->sample_location_first[0] = 0;
    p->sample_label_first[0] = 0;
    return true;
}

static bool allocate_mappings(struct fill *f, const struct decode_counts *counts,
                              struct arena *arena)
{
    struct profile *p = f->profile;

    p->mapping_id = arena_array(arena, counts->mappings, uint64_t);
    p->mapping_start = arena_array(arena, counts->mappings, uint64_t);
    p->mapping_limit = arena_array(arena, counts->mappings, uint64_t);
    p->mapping_offset = arena_array(arena, counts->mappings, uint64_t);
    p->mapping_file = arena_array(arena, counts->mappings, uint32_t);
    p->mapping_build_id = arena_array(arena, counts->mappings, uint32_t);
    p->mapping_count = counts->mappings;
    return p->mapping_id && p->mapping_start && p->mapping_limit && p->mapping_offset &&
           p->mapping_file && p->mapping_build_id;
}

static bool allocate_locations(struct fill *f, const struct decode_counts *counts,
                               struct arena *arena)
{
    struct profile *p = f->profile;
    size_t locations = counts->locations;

    p->location_id = arena_array(arena, locations, uint64_t);
    p->location_mapping = arena_array(arena, locations, uint32_t);
    f->location_mapping_ids = arena_array(arena, locations, uint64_t);
    p->location_address = arena_array(arena, locations, uint64_t);
    p->location_line_first = arena_array(arena, locations + 1, uint32_t);
    p->line_function = arena_array(arena, counts->lines, uint32_t);
    f->line_function_ids = arena_array(arena, counts->lines, uint64_t);
    p->line_number = arena_array(arena, counts->lines, int64_t);
    p->location_count = counts->locations;
    if (!p->location_id || !p->location_mapping || !f->location_mapping_ids ||
        !p->location_address || !p->location_line_first || !p->line_function ||
        !f->line_function_ids || !p->line_number)
        return false;
    p->location_line_first[0] = 0;
    return true;
}

static bool allocate_functions(struct fill *f, const struct decode_counts *counts,
                               struct arena *arena)
{
    struct profile *p = f->profile;

    p->function_id = arena_array(arena, counts->functions, uint64_t);
    p->function_name = arena_array(arena, counts->functions, uint32_t);
    p->function_system_name = arena_array(arena, counts->functions, uint32_t);
    p->function_file = arena_array(arena, counts->functions, uint32_t);
    p->function_start_line = arena_array(arena, counts->functions, int64_t);
    p->function_count = counts->functions;
    return p->function_id && p->function_name && p->function_system_name && p->function_file &&
           p->function_start_line;
}

enum status decode_fill(struct slice bytes, const struct decode_counts *counts, struct arena *arena,
                        struct error *err, struct profile *profile, struct profile_refs *refs)
{
    const uint8_t *start = (const uint8_t *)bytes.data;
    struct fill f = {.profile = profile, .err = err, .start = start};
    struct wire wire = {start, start + bytes.size_bytes};
    const struct wire_place top = {start, "profile", ERROR_NONE};
    uint64_t scalars[16] = {0};
    struct wire_field field;

    *profile = (struct profile){0};
    if (!allocate_tables(&f, counts, arena) || !allocate_samples(&f, counts, arena) ||
        !allocate_mappings(&f, counts, arena) || !allocate_locations(&f, counts, arena) ||
        !allocate_functions(&f, counts, arena))
        return arena_exhausted(arena, err, "the profile's columns");
    while (wire.at < wire.end) {
        enum status status;

        if (!wire_next(&wire, &field))
            return wire_fail(&wire, &top, err);
        status = fill_field(&f, &field, scalars);
        if (status != STATUS_OK)
            return status;
    }
    *refs =
        (struct profile_refs){f.sample_location_ids, f.line_function_ids, f.location_mapping_ids};
    return fill_scalars(&f, scalars);
}

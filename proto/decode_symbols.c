/* SPDX-License-Identifier: Apache-2.0 */
/* Pass two of decoding: everything but samples - sample types, mappings, locations with their
 * lines, functions, strings, and the integers of the Profile message.
 *
 * Input: the body and the counts of pass one. Output: those columns, all allocated before the first
 * field is read; references stay ids, for validation to resolve. Flags that Brazier has no use for
 * (has_functions, is_folded, column) are checked to be integers and dropped. */
#include "proto/decode_columns.h"
#include "proto/decode_message.h"

/* The columns being filled. Positions count what is written so far and never pass the counts of
 * pass one, which sized the columns. */
struct fill {
    struct decode_context context;
    struct profile *profile;

    struct slice *string_column; /* profile's columns that are const there */
    uint32_t *type_name_column;
    uint32_t *type_unit_column;
    uint32_t *comment_column;
    uint64_t *line_function_ids; /* struct profile_refs */
    uint64_t *location_mapping_ids;

    uint32_t strings;
    uint32_t types;
    uint32_t comments;
    uint32_t mappings;
    uint32_t locations;
    uint32_t lines;
    uint32_t functions;
};

static enum status read_value_type(const struct decode_context *context, struct wire message,
                                   const char *name, int64_t index, uint32_t *ret_name,
                                   uint32_t *ret_unit)
{
    static const struct string_field strings[] = {{1, "type"}, {2, "unit"}};
    uint64_t fields[3] = {0};
    enum status status = read_scalars(context, message, 2, fields, name, index);

    if (status != STATUS_OK)
        return status;
    status = CHECK_STRINGS(context, fields, strings, index);
    if (status != STATUS_OK)
        return status;
    *ret_name = (uint32_t)fields[1];
    *ret_unit = (uint32_t)fields[2];
    return STATUS_OK;
}

static enum status fill_type(struct fill *f, struct wire message)
{
    uint32_t i = f->types++;

    return read_value_type(&f->context, message, "sample_type", i, &f->type_name_column[i],
                           &f->type_unit_column[i]);
}

static enum status fill_mapping(struct fill *f, struct wire message)
{
    static const struct string_field strings[] = {{5, "mapping.filename"}, {6, "mapping.build_id"}};
    struct profile *p = f->profile;
    uint64_t fields[11] = {0};
    uint32_t i = f->mappings++;
    enum status status = read_scalars(&f->context, message, 10, fields, "mapping", i);

    if (status != STATUS_OK)
        return status;
    status = CHECK_STRINGS(&f->context, fields, strings, i);
    if (status != STATUS_OK)
        return status;
    p->mapping_id[i] = fields[1];
    p->mapping_start[i] = fields[2];
    p->mapping_limit[i] = fields[3];
    p->mapping_offset[i] = fields[4];
    p->mapping_file[i] = (uint32_t)fields[5];
    p->mapping_build_id[i] = (uint32_t)fields[6];
    return STATUS_OK;
}

static inline enum status fill_line(struct fill *f, struct wire message, uint32_t location)
{
    uint64_t fields[4] = {0};
    uint32_t i = f->lines++;
    enum status status = read_scalars(&f->context, message, 3, fields, "location.line", location);

    if (status != STATUS_OK)
        return status;
    if (fields[1] == 0) /* here and not in validation: pass one did not count such lines */
        return validate_fail_function(location, 0, f->context.err);
    f->line_function_ids[i] = fields[1];
    f->profile->line_number[i] = (int64_t)fields[2];
    return STATUS_OK;
}

static enum status fill_location(struct fill *f, struct wire message)
{
    struct profile *p = f->profile;
    uint64_t fields[6] = {0};
    uint32_t i = f->locations++;
    struct wire_field field;

    while (message.at < message.end) {
        message.at =
            wire_read_integers(message, f->context.words_end, 1u << 1 | 1u << 2 | 1u << 3, fields);
        if (message.at == message.end)
            break;
        if (!wire_next_inside(&message, f->context.words_end, &field))
            return wire_fail(message, (struct wire_place){f->context.start, "location", i},
                             f->context.err);
        if (field.tag == WIRE_TAG(4, WIRE_BYTES)) {
            enum status status = fill_line(f, field.nested, i);

            if (status != STATUS_OK)
                return status;
        } else if (!store_scalar(&field, 5, fields) || field.tag == WIRE_TAG(4, WIRE_VARINT)) {
            return wire_fail_type(field.tag, (struct wire_place){f->context.start, "location", i},
                                  f->context.err);
        }
    }
    p->location_id[i] = fields[1];
    f->location_mapping_ids[i] = fields[2];
    p->location_address[i] = fields[3];
    p->location_line_first[i + 1] = f->lines;
    return STATUS_OK;
}

static enum status fill_function(struct fill *f, struct wire message)
{
    static const struct string_field strings[] = {
        {2, "function.name"}, {3, "function.system_name"}, {4, "function.filename"}};
    struct profile *p = f->profile;
    uint64_t fields[6] = {0};
    uint32_t i = f->functions++;
    enum status status = read_scalars(&f->context, message, 5, fields, "function", i);

    if (status != STATUS_OK)
        return status;
    status = CHECK_STRINGS(&f->context, fields, strings, i);
    if (status != STATUS_OK)
        return status;
    p->function_id[i] = fields[1];
    p->function_name[i] = (uint32_t)fields[2];
    p->function_system_name[i] = (uint32_t)fields[3];
    p->function_file[i] = (uint32_t)fields[4];
    p->function_start_line[i] = (int64_t)fields[5];
    return STATUS_OK;
}

static enum status fill_comment(struct fill *f, uint64_t value)
{
    static const struct string_field strings[] = {{0, "comment"}};
    enum status status = CHECK_STRINGS(&f->context, &value, strings, f->comments);

    if (status != STATUS_OK)
        return status;
    f->comment_column[f->comments++] = (uint32_t)value;
    return STATUS_OK;
}

static enum status fill_comments(struct fill *f, struct wire packed)
{
    while (packed.at < packed.end) {
        struct wire_integer value = wire_varint(packed.at, packed.end);
        enum status status;

        if (!value.at)
            return wire_fail_packed(packed.at,
                                    (struct wire_place){f->context.start, "comment", f->comments},
                                    f->context.err);
        status = fill_comment(f, value.value);
        if (status != STATUS_OK)
            return status;
        packed.at = value.at;
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
    case WIRE_TAG(2, WIRE_BYTES): /* in the next pass */
        return STATUS_OK;
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
        return read_value_type(&f->context, field->nested, "period_type", 0, &p->period_type_name,
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
        return wire_fail_type(field->tag,
                              (struct wire_place){f->context.start, "profile", ERROR_NONE},
                              f->context.err);
    return STATUS_OK;
}

/* Integers of the Profile message, once all of it is read. */
static enum status fill_scalars(struct fill *f, const uint64_t *scalars)
{
    static const struct string_field strings[] = {
        {7, "drop_frames"}, {8, "keep_frames"}, {14, "default_sample_type"}, {15, "doc_url"}};
    struct profile *p = f->profile;
    enum status status = CHECK_STRINGS(&f->context, scalars, strings, 0);

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

enum status decode_symbols(struct slice bytes, const struct decode_counts *counts,
                           struct arena *arena, struct error *err, struct profile *profile,
                           struct profile_refs *ret_refs)
{
    const uint8_t *start = (const uint8_t *)bytes.data;
    struct wire wire = {start, start + bytes.size_bytes};
    struct fill f = {.context = {start, wire_words_end(start, wire.end), counts->strings, err},
                     .profile = profile};
    uint64_t scalars[16] = {0};
    struct wire_field field;

    if (!allocate_tables(&f, counts, arena) || !allocate_mappings(&f, counts, arena) ||
        !allocate_locations(&f, counts, arena) || !allocate_functions(&f, counts, arena))
        return arena_exhausted(arena, err, "the profile's symbols");
    while (wire.at < wire.end) {
        enum status status;

        if (!wire_next_inside(&wire, f.context.words_end, &field))
            return wire_fail(wire, (struct wire_place){start, "profile", ERROR_NONE}, err);
        status = fill_field(&f, &field, scalars);
        if (status != STATUS_OK)
            return status;
    }
    *ret_refs = (struct profile_refs){f.line_function_ids, f.location_mapping_ids};
    return fill_scalars(&f, scalars);
}

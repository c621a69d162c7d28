/* SPDX-License-Identifier: Apache-2.0 */
/* Pass two of decoding: what samples refer to - mappings, locations with their lines, functions.
 *
 * Input: the bytes of one message. Output: its columns; references stay ids, for validation to
 * resolve. Flags that Brazier has no use for (has_functions, is_folded, column) are checked to be
 * integers and dropped. */
#include "proto/decode_fill.h"

enum status fill_mapping(struct fill *f, struct wire message)
{
    static const struct string_field strings[] = {{5, "mapping.filename"}, {6, "mapping.build_id"}};
    struct profile *p = f->profile;
    uint64_t fields[11] = {0};
    uint32_t i = f->mappings++;
    enum status status = read_scalars(f, message, 10, fields, "mapping", i);

    if (status != STATUS_OK)
        return status;
    status = CHECK_STRINGS(f, fields, strings, i);
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
    enum status status = read_scalars(f, message, 3, fields, "location.line", location);

    f->line_function_ids[i] = fields[1];
    f->profile->line_number[i] = (int64_t)fields[2];
    return status;
}

enum status fill_location(struct fill *f, struct wire message)
{
    struct profile *p = f->profile;
    uint64_t fields[6] = {0};
    uint32_t i = f->locations++;
    struct wire_field field;

    while (message.at < message.end) {
        if (!wire_next(&message, &field))
            return wire_fail(&message, &(struct wire_place){f->start, "location", i}, f->err);
        if (field.tag == WIRE_TAG(4, WIRE_BYTES)) {
            enum status status = fill_line(f, field.nested, i);

            if (status != STATUS_OK)
                return status;
        } else if (!store_scalar(&field, 5, fields) || field.tag == WIRE_TAG(4, WIRE_VARINT)) {
            return wire_fail_type(&field, &(struct wire_place){f->start, "location", i}, f->err);
        }
    }
    p->location_id[i] = fields[1];
    f->location_mapping_ids[i] = fields[2];
    p->location_address[i] = fields[3];
    p->location_line_first[i + 1] = f->lines;
    return STATUS_OK;
}

enum status fill_function(struct fill *f, struct wire message)
{
    static const struct string_field strings[] = {
        {2, "function.name"}, {3, "function.system_name"}, {4, "function.filename"}};
    struct profile *p = f->profile;
    uint64_t fields[6] = {0};
    uint32_t i = f->functions++;
    enum status status = read_scalars(f, message, 5, fields, "function", i);

    if (status != STATUS_OK)
        return status;
    status = CHECK_STRINGS(f, fields, strings, i);
    if (status != STATUS_OK)
        return status;
    p->function_id[i] = fields[1];
    p->function_name[i] = (uint32_t)fields[2];
    p->function_system_name[i] = (uint32_t)fields[3];
    p->function_file[i] = (uint32_t)fields[4];
    p->function_start_line[i] = (int64_t)fields[5];
    return STATUS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Writes profiles: one scratch buffer per message, one queue of finished messages per field. */
#include "tests/unit/support/profile_gen.h"

#include <string.h>

#include "proto/base/limits.h"
#include "proto/base/varint.h"

#define FIELDS 16 /* Profile has fields 1 to 15 */
/* Finished fields of one number, one behind the other, with where each ends. */
struct queue {
    struct buf bytes;
    struct buf ends; /* size_t */
    size_t count;
    size_t emitted;
};

struct gen {
    const struct gen_spec *spec;
    struct gen_random random;
    uint32_t string_count;
    struct queue queues[FIELDS];
};

static bool chance(struct gen *g, uint32_t one_in)
{
    return gen_below(&g->random, one_in) == 0;
}

static void put_varint(struct gen *g, struct buf *out, uint64_t value)
{
    uint8_t bytes[VARINT_MAX_BYTES];
    size_t size_bytes = (size_t)(varint_write(bytes, value) - bytes);

    while (g->spec->odd && size_bytes < VARINT_MAX_BYTES && chance(g, 40)) { /* pad */
        bytes[size_bytes - 1] |= 0x80;
        bytes[size_bytes++] = 0;
    }
    buf_append(out, bytes, size_bytes);
}

/* Tags and lengths are never padded: protobuf-c, the oracle, refuses long ones. */
static void put_plain(struct buf *out, uint64_t value)
{
    uint8_t bytes[VARINT_MAX_BYTES];

    buf_append(out, bytes, (size_t)(varint_write(bytes, value) - bytes));
}

static void put_integer(struct gen *g, struct buf *out, unsigned number, uint64_t value)
{
    if (g->spec->odd && chance(g, 60))
        put_integer(g, out, number, gen_next(&g->random) % 3); /* overwritten below */
    put_plain(out, (uint64_t)number << 3);
    put_varint(g, out, value);
}

/* As writers do: zero is the default and left out. */
static void put_optional(struct gen *g, struct buf *out, unsigned number, uint64_t value)
{
    if (value != 0 || chance(g, 10))
        put_integer(g, out, number, value);
}

static void put_bytes(struct buf *out, unsigned number, struct slice bytes)
{
    put_plain(out, (uint64_t)number << 3 | 2);
    put_plain(out, bytes.size_bytes);
    buf_append(out, bytes.data, bytes.size_bytes);
}

static void put_unknown(struct gen *g, struct buf *out)
{
    static const uint8_t types[] = {0, 1, 2, 5};
    uint8_t type = types[gen_below(&g->random, 4)];

    if (!g->spec->odd || !chance(g, 12))
        return;
    if (type == 2) {
        put_bytes(out, 16 + gen_below(&g->random, 300), slice_make("\xff\x00\x80", 3));
        return;
    }
    put_plain(out, (uint64_t)(16 + gen_below(&g->random, 300)) << 3 | type);
    if (type == 0)
        put_varint(g, out, gen_next(&g->random));
    else
        buf_append(out, "\x80\x80\x80\x80\x80\x80\x80\x80", type == 1 ? 8 : 4);
}

/* A repeated integer field in the spec's packing. */
static void put_integers(struct gen *g, struct buf *out, unsigned number, const uint64_t *values,
                         uint32_t count)
{
    uint32_t at = 0;

    while (at < count) {
        struct buf packed;
        uint32_t end = count;
        bool single = g->spec->packing == GEN_UNPACKED;

        if (g->spec->packing == GEN_MIXED) {
            single = chance(g, 2);
            end = at + 1 + gen_below(&g->random, count - at);
        }
        if (single) {
            put_plain(out, (uint64_t)number << 3);
            put_varint(g, out, values[at++]);
            continue;
        }
        buf_init(&packed, LIMIT_MIB * 64);
        while (at < end)
            put_varint(g, &packed, values[at++]);
        put_bytes(out, number, slice_make(packed.data, packed.size_bytes));
        buf_free(&packed);
    }
}

/* What was appended to the queue's bytes is one finished field. */
static void close_field(struct queue *q)
{
    buf_append(&q->ends, &q->bytes.size_bytes, sizeof q->bytes.size_bytes);
    q->count++;
}

/* Moves a finished message into the queue of its field. */
static void finish(struct gen *g, unsigned number, struct buf *message)
{
    struct queue *q = &g->queues[number];

    put_unknown(g, message);
    put_bytes(&q->bytes, number, slice_make(message->data, message->size_bytes));
    close_field(q);
    buf_free(message);
}

static void finish_integer(struct gen *g, unsigned number, uint64_t value)
{
    struct queue *q = &g->queues[number];

    put_plain(&q->bytes, (uint64_t)number << 3);
    put_varint(g, &q->bytes, value);
    close_field(q);
}

static uint64_t any_string(struct gen *g)
{
    return gen_below(&g->random, g->string_count);
}

/* Id of element i of any kind; distinct for distinct i. */
static uint64_t id_of(const struct gen *g, uint32_t i)
{
    switch (g->spec->ids) {
    case GEN_IDS_SPARSE:
        return (uint64_t)i * 3 + 2;
    case GEN_IDS_HASHED:
        return ((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    default:
        return (uint64_t)i + 1;
    }
}

static uint64_t any_value(struct gen *g)
{
    switch (gen_below(&g->random, 6)) {
    case 0:
        return 0;
    case 1:
        return (uint64_t) - (int64_t)gen_below(&g->random, 1000); /* delta profiles */
    case 2:
        return gen_next(&g->random) >> 20; /* 44 bits: sums stay far from 63 */
    default:
        return gen_below(&g->random, 1000) * UINT64_C(10000000);
    }
}

static void make_value_type(struct gen *g, unsigned number, uint64_t type, uint64_t unit)
{
    struct buf message;

    buf_init(&message, LIMIT_MIB);
    put_optional(g, &message, 1, type);
    put_optional(g, &message, 2, unit);
    finish(g, number, &message);
}

static void make_label(struct gen *g, struct buf *out)
{
    struct buf label;

    buf_init(&label, LIMIT_MIB);
    put_optional(g, &label, 1, any_string(g));
    if (chance(g, 2))
        put_optional(g, &label, 2, any_string(g));
    if (chance(g, 2))
        put_optional(g, &label, 3, any_value(g));
    if (chance(g, 3))
        put_optional(g, &label, 4, any_string(g));
    put_unknown(g, &label);
    put_bytes(out, 3, slice_make(label.data, label.size_bytes));
    buf_free(&label);
}

static void make_sample(struct gen *g)
{
    const struct gen_spec *spec = g->spec;
    uint32_t depth = spec->locations > 0 ? gen_below(&g->random, spec->max_depth + 1) : 0;
    uint32_t reach = gen_below(&g->random, 3); /* stacks of low ids make runs of one-byte ids */
    struct buf message;
    struct buf numbers;

    buf_init(&message, LIMIT_MIB * 64);
    buf_init(&numbers, LIMIT_MIB * 64);
    for (uint32_t i = 0; i < depth; i++) {
        uint32_t below = reach == 0 && spec->locations > 100 ? 100 : spec->locations;
        uint64_t id = id_of(g, gen_below(&g->random, below));

        buf_append(&numbers, &id, sizeof id);
    }
    put_integers(g, &message, 1, (const uint64_t *)(const void *)numbers.data, depth);
    buf_free(&numbers);
    for (uint32_t i = 0; i < spec->types; i++) {
        uint64_t value = any_value(g);

        buf_append(&numbers, &value, sizeof value);
    }
    put_integers(g, &message, 2, (const uint64_t *)(const void *)numbers.data, spec->types);
    buf_free(&numbers);
    for (uint32_t i = gen_below(&g->random, spec->max_labels + 1); i > 0; i--)
        make_label(g, &message);
    finish(g, 2, &message);
}

static void make_mapping(struct gen *g, uint32_t i)
{
    struct buf message;

    buf_init(&message, LIMIT_MIB);
    put_integer(g, &message, 1, id_of(g, i));
    put_optional(g, &message, 2, gen_next(&g->random));
    put_optional(g, &message, 3, gen_next(&g->random));
    put_optional(g, &message, 4, gen_below(&g->random, 1 << 20));
    put_optional(g, &message, 5, any_string(g));
    put_optional(g, &message, 6, any_string(g));
    for (unsigned flag = 7; flag <= 10; flag++)
        put_optional(g, &message, flag, gen_below(&g->random, 2));
    finish(g, 3, &message);
}

static void make_location(struct gen *g, uint32_t i)
{
    const struct gen_spec *spec = g->spec;
    uint32_t lines = spec->functions > 0 ? gen_below(&g->random, spec->max_lines + 1) : 0;
    struct buf message;

    buf_init(&message, LIMIT_MIB);
    put_integer(g, &message, 1, id_of(g, i));
    if (spec->mappings > 0 && !chance(g, 8)) /* now and then one that does not exist: legal */
        put_optional(g, &message, 2, id_of(g, gen_below(&g->random, spec->mappings + 1)));
    put_optional(g, &message, 3, gen_next(&g->random) >> gen_below(&g->random, 64));
    for (; lines > 0; lines--) {
        struct buf line;

        buf_init(&line, LIMIT_MIB);
        put_integer(g, &line, 1, id_of(g, gen_below(&g->random, spec->functions)));
        put_optional(g, &line, 2, any_value(g));
        put_optional(g, &line, 3, gen_below(&g->random, 80));
        put_unknown(g, &line);
        put_bytes(&message, 4, slice_make(line.data, line.size_bytes));
        buf_free(&line);
    }
    put_optional(g, &message, 5, gen_below(&g->random, 2));
    finish(g, 4, &message);
}

static void make_function(struct gen *g, uint32_t i)
{
    struct buf message;

    buf_init(&message, LIMIT_MIB);
    put_integer(g, &message, 1, id_of(g, i));
    put_optional(g, &message, 2, any_string(g));
    put_optional(g, &message, 3, any_string(g));
    put_optional(g, &message, 4, any_string(g));
    put_optional(g, &message, 5, any_value(g));
    finish(g, 5, &message);
}

/* Strings are their number in decimal, some with all kinds of bytes behind. */
static void make_string(struct gen *g, uint32_t i)
{
    struct queue *q = &g->queues[6];
    char bytes[64];
    size_t size_bytes = 0;

    for (uint32_t n = i; n > 0; n /= 10)
        bytes[size_bytes++] = (char)('0' + n % 10);
    if (i > 0 && chance(g, 4))
        while (size_bytes < sizeof bytes && !chance(g, 16))
            bytes[size_bytes++] = (char)gen_next(&g->random);
    put_bytes(&q->bytes, 6, slice_make(bytes, size_bytes));
    close_field(q);
}

static void make_scalars(struct gen *g)
{
    static const unsigned string_fields[] = {7, 8, 14, 15};
    uint64_t comments[3] = {any_string(g), any_string(g), any_string(g)};
    struct queue *q = &g->queues[13];

    finish_integer(g, 9, UINT64_C(1700000000000000000) + gen_below(&g->random, 1000));
    finish_integer(g, 10, any_value(g));
    make_value_type(g, 11, any_string(g), any_string(g));
    finish_integer(g, 12, any_value(g));
    for (size_t i = 0; i < 4; i++)
        finish_integer(g, string_fields[i], any_string(g));
    put_integers(g, &q->bytes, 13, comments, 3);
    close_field(q);
}

static void emit(struct queue *q, struct buf *out)
{
    const size_t *ends = (const size_t *)(const void *)q->ends.data;
    size_t start = q->emitted > 0 ? ends[q->emitted - 1] : 0;

    buf_append(out, q->bytes.data + start, ends[q->emitted] - start);
    q->emitted++;
}

static void assemble(struct gen *g, struct buf *out)
{
    size_t left = 0;

    for (unsigned i = 0; i < FIELDS; i++)
        left += g->queues[i].count;
    for (; left > 0; left--) {
        unsigned number = 1;
        size_t skip = g->spec->shuffled ? gen_next(&g->random) % left : 0;

        for (; number < FIELDS; number++) { /* chosen by what is left of each field */
            size_t waiting = g->queues[number].count - g->queues[number].emitted;

            if (skip < waiting)
                break;
            skip -= waiting;
        }
        put_unknown(g, out);
        emit(&g->queues[number], out);
    }
}

struct gen_spec gen_spec_random(uint64_t seed, uint32_t size)
{
    struct gen_random r = {seed * 31 + 7};
    struct gen_spec spec = {.seed = seed};

    spec.types = 1 + gen_below(&r, 5);
    spec.samples = gen_below(&r, size + 1);
    spec.mappings = gen_below(&r, 4);
    spec.locations = gen_below(&r, size + 1);
    spec.functions = gen_below(&r, size + 1);
    spec.strings = 1 + gen_below(&r, size + 1);
    spec.max_depth = gen_below(&r, 40);
    spec.max_lines = gen_below(&r, 4);
    spec.max_labels = gen_below(&r, 4);
    spec.ids = (enum gen_ids)gen_below(&r, GEN_IDS_MAX);
    spec.packing = (enum gen_packing)gen_below(&r, GEN_PACKING_MAX);
    spec.shuffled = gen_below(&r, 2);
    spec.odd = gen_below(&r, 2);
    return spec;
}

void gen_profile(const struct gen_spec *spec, struct buf *out)
{
    struct gen g = {.spec = spec, .random = {spec->seed}, .string_count = spec->strings};

    for (unsigned i = 0; i < FIELDS; i++) {
        buf_init(&g.queues[i].bytes, 256 * LIMIT_MIB);
        buf_init(&g.queues[i].ends, 256 * LIMIT_MIB);
    }
    for (uint32_t i = 0; i < spec->strings; i++)
        make_string(&g, i);
    for (uint32_t i = 0; i < spec->types; i++)
        make_value_type(&g, 1, any_string(&g), any_string(&g));
    for (uint32_t i = 0; i < spec->samples; i++)
        make_sample(&g);
    for (uint32_t i = 0; i < spec->mappings; i++)
        make_mapping(&g, i);
    for (uint32_t i = 0; i < spec->locations; i++)
        make_location(&g, i);
    for (uint32_t i = 0; i < spec->functions; i++)
        make_function(&g, i);
    make_scalars(&g);
    assemble(&g, out);
    for (unsigned i = 0; i < FIELDS; i++) {
        buf_free(&g.queues[i].bytes);
        buf_free(&g.queues[i].ends);
    }
}

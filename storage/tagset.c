/* SPDX-License-Identifier: Apache-2.0 */
/* Grouping of samples by labels. Input: the label columns; output: a small number per sample.
 *
 * First all labels are reduced to distinct tags (strings compared by content: a string table may
 * hold one text twice), which are few once varied keys are left out; then each sample is a bitmap
 * over the sorted tags, and equal bitmaps are one tagset. Never looks at stacks or values. */
#include "storage/tagset.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/hash.h"
#include "proto/base/limits.h"
#include "proto/base/map.h"
#include "proto/base/utf8.h"
#include "storage/sized_text.h"

#define MAX_TAGS     (LIMIT_TAG_KEYS * LIMIT_TAG_VALUES)
#define BITMAP_WORDS (MAX_TAGS / 64)
#define NO_TAG       UINT32_MAX
#define LEFT_OUT     UINT32_MAX

_Static_assert(MAX_TAGS % 64 == 0, "the bitmap has whole words");

struct tag {
    struct slice key, text, unit; /* as in the profile; cleaned once they are known to stay */
    int64_t number;
    bool is_number;
    uint32_t key_number;
};

struct bitmap {
    uint64_t words[BITMAP_WORDS];
};

struct grouping {
    const struct profile *profile;
    struct arena *arena;
    uint64_t seed;
    uint32_t label_count;
    struct map strings;                  /* hash of content -> string index */
    uint32_t *canonical;                 /* [string_count] first string of equal content */
    struct map keys;                     /* canonical string -> key number, or LIMIT_TAG_KEYS */
    uint32_t key_values[LIMIT_TAG_KEYS]; /* distinct values, or LEFT_OUT */
    uint32_t key_count;                  /* all that were met */
    struct map tags;                     /* hash of a tag -> tag number */
    struct tag *tag_list;                /* [MAX_TAGS] */
    uint32_t tag_count;
    uint32_t *label_tag;      /* [label_count] */
    uint32_t rank[MAX_TAGS];  /* tag -> its place in canonical order, or NO_TAG */
    uint32_t order[MAX_TAGS]; /* the inverse: a tag for each place */
    uint32_t kept_count;      /* places */
};

/* --- from labels to tags --------------------------------------------------------------------- */

/* The first string with the same bytes as string `index`. */
static enum status canonical_string(struct grouping *grouping, uint32_t index, struct error *err,
                                    uint32_t *ret_index)
{
    struct slice text = grouping->profile->strings[index];
    uint64_t hash;

    if (grouping->canonical[index] != NO_TAG) {
        *ret_index = grouping->canonical[index];
        return STATUS_OK;
    }
    for (hash = hash_bytes(text, grouping->seed);; hash++) {
        uint32_t have = 0;
        enum status status = map_add(&grouping->strings, hash, index, err, &have);

        if (status != STATUS_OK)
            return status;
        if (slice_equal(grouping->profile->strings[have], text)) {
            grouping->canonical[index] = have;
            *ret_index = have;
            return STATUS_OK;
        }
    }
}

/* The number of a key; LIMIT_TAG_KEYS: one key too many. */
static enum status number_key(struct grouping *grouping, uint32_t string, struct error *err,
                              uint32_t *ret_key)
{
    uint32_t next = grouping->key_count < LIMIT_TAG_KEYS ? grouping->key_count : LIMIT_TAG_KEYS;
    uint32_t before = grouping->keys.count;
    enum status status = map_add(&grouping->keys, string, next, err, ret_key);

    if (status == STATUS_OK && grouping->keys.count > before) {
        if (next < LIMIT_TAG_KEYS)
            grouping->key_values[next] =
                grouping->profile->strings[string].size_bytes > LIMIT_LABEL_KEY_BYTES ? LEFT_OUT
                                                                                      : 0;
        grouping->key_count++;
    }
    return status;
}

static bool tag_equal(const struct tag *a, const struct tag *b)
{
    return a->key_number == b->key_number && a->is_number == b->is_number &&
           a->number == b->number && slice_equal(a->text, b->text) && slice_equal(a->unit, b->unit);
}

/* Adds `tag` if new and if its key can take one more value. */
static enum status number_tag(struct grouping *grouping, const struct tag *tag, uint64_t hash,
                              struct error *err, uint32_t *ret_tag)
{
    uint32_t *values = &grouping->key_values[tag->key_number];

    for (;; hash++) {
        uint32_t have = map_find(&grouping->tags, hash);

        if (have == MAP_ABSENT)
            break;
        if (tag_equal(&grouping->tag_list[have], tag)) {
            *ret_tag = have;
            return STATUS_OK;
        }
    }
    if (*values >= LIMIT_TAG_VALUES || tag->text.size_bytes > LIMIT_LABEL_VALUE_BYTES ||
        tag->unit.size_bytes > LIMIT_LABEL_VALUE_BYTES) {
        *values = LEFT_OUT;
        *ret_tag = NO_TAG;
        return STATUS_OK;
    }
    (*values)++;
    grouping->tag_list[grouping->tag_count] = *tag;
    return map_add(&grouping->tags, hash, grouping->tag_count++, err, ret_tag);
}

static enum status read_label(struct grouping *grouping, const struct profile_label *label,
                              struct error *err, uint32_t *ret_tag)
{
    const struct slice *strings = grouping->profile->strings;
    uint32_t key_string = 0, key = 0, value_string = 0;
    enum status status = canonical_string(grouping, label->key, err, &key_string);
    struct tag tag;
    uint64_t hash;

    if (status == STATUS_OK)
        status = number_key(grouping, key_string, err, &key);
    if (status == STATUS_OK && key < LIMIT_TAG_KEYS && grouping->key_values[key] != LEFT_OUT)
        status = canonical_string(grouping, label->text != 0 ? label->text : label->unit, err,
                                  &value_string);
    if (status != STATUS_OK)
        return status;
    if (key >= LIMIT_TAG_KEYS || grouping->key_values[key] == LEFT_OUT) {
        *ret_tag = NO_TAG;
        return STATUS_OK;
    }
    tag = (struct tag){.key = strings[key_string], .key_number = key};
    if (label->text != 0) {
        tag.text = strings[value_string];
    } else {
        tag.is_number = true;
        tag.number = label->number;
        tag.unit = strings[value_string];
    }
    hash = hash_u64((uint64_t)key << 32 | value_string, grouping->seed);
    hash = hash_u64((uint64_t)tag.number, hash + tag.is_number);
    return number_tag(grouping, &tag, hash, err, ret_tag);
}

/* --- the canonical order --------------------------------------------------------------------- */

static int compare_tags(const void *a, const void *b, void *tag_list)
{
    const struct tag *left = (const struct tag *)tag_list + *(const uint32_t *)a;
    const struct tag *right = (const struct tag *)tag_list + *(const uint32_t *)b;
    int order = slice_compare(left->key, right->key);

    if (order == 0)
        order = left->is_number - right->is_number;
    if (order == 0)
        order = slice_compare(left->text, right->text);
    if (order == 0)
        order = (left->number > right->number) - (left->number < right->number);
    return order != 0 ? order : slice_compare(left->unit, right->unit);
}

static enum status clean_tag(struct grouping *grouping, struct tag *tag, struct error *err)
{
    enum status status = utf8_clean(tag->key, grouping->arena, err, &tag->key);

    if (status == STATUS_OK)
        status = utf8_clean(tag->text, grouping->arena, err, &tag->text);
    if (status == STATUS_OK)
        status = utf8_clean(tag->unit, grouping->arena, err, &tag->unit);
    return status;
}

/* Gives each tag that stays its place. Tags that cleaning has made equal share one: two tagsets of
 * one profile never have the same bytes. */
static enum status order_tags(struct grouping *grouping, struct error *err)
{
    uint32_t *order = grouping->order;
    uint32_t place_count = 0;

    for (uint32_t i = 0; i < grouping->tag_count; i++) {
        enum status status;

        grouping->rank[i] = NO_TAG;
        if (grouping->key_values[grouping->tag_list[i].key_number] == LEFT_OUT)
            continue;
        status = clean_tag(grouping, &grouping->tag_list[i], err);
        if (status != STATUS_OK)
            return status;
        order[grouping->kept_count++] = i;
    }
    qsort_r(order, grouping->kept_count, sizeof(order[0]), compare_tags, grouping->tag_list);
    for (uint32_t i = 0; i < grouping->kept_count; i++) {
        uint32_t tag = order[i];

        if (i == 0 || compare_tags(&order[place_count - 1], &tag, grouping->tag_list) != 0)
            order[place_count++] = tag;
        grouping->rank[tag] = place_count - 1;
    }
    grouping->kept_count = place_count;
    return STATUS_OK;
}

/* --- from tags to tagsets -------------------------------------------------------------------- */

static enum status write_tagset(const struct grouping *grouping, const struct bitmap *bitmap,
                                struct error *err, struct slice *ret_text)
{
    size_t size_bytes = 0;
    uint8_t *text, *at;

    for (uint32_t i = 0; i < grouping->kept_count; i++) {
        const struct tag *tag = &grouping->tag_list[grouping->order[i]];

        if (bitmap->words[i / 64] >> (i % 64) & 1)
            size_bytes += tag->key.size_bytes + tag->text.size_bytes + tag->unit.size_bytes +
                          3 * VARINT_MAX_BYTES + 1;
    }
    text = arena_array(grouping->arena, size_bytes, uint8_t);
    if (text == NULL)
        return arena_exhausted(grouping->arena, err, "sample labels");
    at = text;
    for (uint32_t i = 0; i < grouping->kept_count; i++) {
        const struct tag *tag = &grouping->tag_list[grouping->order[i]];

        if ((bitmap->words[i / 64] >> (i % 64) & 1) == 0)
            continue;
        at = sized_text_write(at, tag->key);
        *at++ = tag->is_number;
        if (tag->is_number)
            at = varint_write(at, varint_zigzag(tag->number));
        at = sized_text_write(at, tag->is_number ? tag->unit : tag->text);
    }
    *ret_text = slice_make(text, (size_t)(at - text));
    return STATUS_OK;
}

/* The tagsets found so far. */
struct sets {
    struct map map; /* hash of a bitmap -> tagset */
    struct bitmap *bitmaps;
    struct slice *texts;
    uint32_t count;
    uint32_t folded;
};

static enum status find_set(const struct grouping *grouping, struct sets *sets,
                            const struct bitmap *bitmap, struct error *err, uint32_t *ret_set)
{
    static const struct bitmap empty;
    uint64_t hash = hash_bytes(slice_make(bitmap, sizeof(*bitmap)), grouping->seed);
    enum status status;

    if (memcmp(bitmap, &empty, sizeof(empty)) == 0) {
        *ret_set = TAGSET_NONE;
        return STATUS_OK;
    }
    for (;; hash++) {
        uint32_t have = map_find(&sets->map, hash);

        if (have == MAP_ABSENT)
            break;
        /* Folded sets are not kept; that one of them looks like another costs one in `folded`. */
        if (have == TAGSET_FOLDED || memcmp(&sets->bitmaps[have], bitmap, sizeof(*bitmap)) == 0) {
            *ret_set = have;
            return STATUS_OK;
        }
    }
    if (sets->count == LIMIT_TAGSETS + 2) {
        sets->folded++;
        return map_add(&sets->map, hash, TAGSET_FOLDED, err, ret_set);
    }
    status = write_tagset(grouping, bitmap, err, &sets->texts[sets->count]);
    if (status != STATUS_OK)
        return status;
    sets->bitmaps[sets->count] = *bitmap;
    return map_add(&sets->map, hash, sets->count++, err, ret_set);
}

static enum status group_samples(struct grouping *grouping, struct error *err,
                                 struct tagsets *ret_tagsets)
{
    const struct profile *profile = grouping->profile;
    uint32_t *sample_tagset = arena_array(grouping->arena, profile->sample_count, uint32_t);
    struct sets sets = {
        .bitmaps = arena_array(grouping->arena, LIMIT_TAGSETS + 2, struct bitmap),
        .texts = arena_array(grouping->arena, LIMIT_TAGSETS + 2, struct slice),
        .count = 2,
    };
    enum status status = map_init(&sets.map, grouping->arena, LIMIT_TAGSETS, err);

    if (status != STATUS_OK)
        return status;
    if (sample_tagset == NULL || sets.bitmaps == NULL || sets.texts == NULL)
        return arena_exhausted(grouping->arena, err, "sample labels");
    sets.texts[TAGSET_NONE] = sets.texts[TAGSET_FOLDED] = SLICE_LITERAL("");
    for (uint32_t sample = 0; sample < profile->sample_count; sample++) {
        struct bitmap bitmap = {0};

        for (uint32_t i = profile->sample_label_first[sample];
             i < profile->sample_label_first[sample + 1]; i++) {
            uint32_t tag = grouping->label_tag[i];
            uint32_t rank = tag == NO_TAG ? NO_TAG : grouping->rank[tag];

            if (rank != NO_TAG)
                bitmap.words[rank / 64] |= UINT64_C(1) << (rank % 64);
        }
        status = find_set(grouping, &sets, &bitmap, err, &sample_tagset[sample]);
        if (status != STATUS_OK)
            return status;
    }
    *ret_tagsets = (struct tagsets){.count = sets.count,
                                    .texts = sets.texts,
                                    .sample_tagset = sample_tagset,
                                    .folded = sets.folded};
    return STATUS_OK;
}

static uint32_t keys_left_out(const struct grouping *grouping)
{
    uint32_t numbered = grouping->key_count < LIMIT_TAG_KEYS ? grouping->key_count : LIMIT_TAG_KEYS;
    uint32_t left_out = grouping->key_count - numbered;

    for (uint32_t i = 0; i < numbered; i++)
        left_out += grouping->key_values[i] == LEFT_OUT;
    return left_out;
}

static enum status start_grouping(const struct profile *profile, struct arena *arena,
                                  struct error *err, struct grouping **ret_grouping)
{
    struct grouping *grouping = arena_array(arena, 1, struct grouping);
    uint32_t label_count = profile->sample_label_first[profile->sample_count];
    enum status status;

    if (grouping == NULL)
        return arena_exhausted(arena, err, "sample labels");
    memset(grouping, 0, sizeof(*grouping));
    grouping->profile = profile;
    grouping->arena = arena;
    grouping->seed = hash_seed();
    grouping->label_count = label_count;
    grouping->canonical = arena_array(arena, profile->string_count, uint32_t);
    grouping->label_tag = arena_array(arena, label_count, uint32_t);
    grouping->tag_list = arena_array(arena, MAX_TAGS, struct tag);
    if (grouping->canonical == NULL || grouping->label_tag == NULL || grouping->tag_list == NULL)
        return arena_exhausted(grouping->arena, err, "sample labels");
    memset(grouping->canonical, 0xff, profile->string_count * sizeof(uint32_t));
    status = map_init(&grouping->strings, arena, 64, err);
    if (status == STATUS_OK)
        status = map_init(&grouping->keys, arena, LIMIT_TAG_KEYS, err);
    if (status == STATUS_OK)
        status = map_init(&grouping->tags, arena, 64, err);
    if (status == STATUS_OK)
        *ret_grouping = grouping;
    return status;
}

enum status tagset_group(const struct profile *profile, struct arena *arena, struct error *err,
                         struct tagsets *ret_tagsets)
{
    static const struct slice no_texts[2];
    struct grouping *grouping = NULL;
    enum status status;

    if (profile->sample_count == 0 || profile->sample_label_first[profile->sample_count] == 0) {
        *ret_tagsets = (struct tagsets){.count = 2, .texts = no_texts};
        return STATUS_OK;
    }
    status = start_grouping(profile, arena, err, &grouping);
    for (uint32_t i = 0; status == STATUS_OK && i < grouping->label_count; i++)
        status = read_label(grouping, &profile->sample_labels[i], err, &grouping->label_tag[i]);
    if (status == STATUS_OK)
        status = order_tags(grouping, err);
    if (status == STATUS_OK)
        status = group_samples(grouping, err, ret_tagsets);
    if (status == STATUS_OK)
        ret_tagsets->keys_left_out = keys_left_out(grouping);
    return status;
}

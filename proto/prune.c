/* SPDX-License-Identifier: Apache-2.0 */
/* drop_frames and keep_frames of one profile.
 *
 * Input: a valid profile. Output: the same columns, shorter. Decides everything first and only then
 * edits, so that a pattern which runs away halfway leaves no trace. Each distinct name is
 * simplified and matched once, however many locations have it. */
#include "proto/prune.h"

#include "proto/base/limits.h"
#include "proto/base/timestamp.h"
#include "proto/prune_pattern.h"

/* What is known of a string as a function name. */
enum verdict { VERDICT_UNKNOWN, VERDICT_STAYS, VERDICT_DROPS };

struct prune {
    struct profile *profile;
    struct prune_pattern *drop;
    struct prune_pattern *keep; /* NULL: no exceptions */
    int64_t deadline_ns;        /* on the monotonic clock */
    uint8_t *verdict;           /* [string_count], enum verdict */
    uint32_t *cut;              /* [location_count]: lines that go, innermost first; 0: none */
};

static bool begins_with(struct slice text, size_t at, const char *prefix)
{
    size_t size_bytes = strlen(prefix);

    return text.size_bytes - at >= size_bytes && memcmp(text.data + at, prefix, size_bytes) == 0;
}

/* A name as the expressions are written for: without the leading "." of PowerPC symbols, and
 * without an argument list, which begins at the first "(" of no reserved word. */
static struct slice simplify(struct slice name)
{
    static const char anonymous[] = "(anonymous namespace)";
    static const char call[] = "operator()";

    if (name.size_bytes > 0 && name.data[0] == '.')
        name = slice_make(name.data + 1, name.size_bytes - 1);
    for (size_t i = 0; i < name.size_bytes; i++) {
        if (begins_with(name, i, anonymous))
            i += sizeof anonymous - 2; /* to its last character */
        else if (begins_with(name, i, call))
            i += sizeof call - 2;
        else if (name.data[i] == '(')
            return slice_make(name.data, i);
    }
    return name;
}

/* Whether the frames named by string `name` drop: PRUNE_YES, PRUNE_NO, or why that is not known. */
static enum prune_match judge_name(struct prune *prune, uint32_t name)
{
    struct slice text = prune->profile->strings[name];
    enum prune_match match = PRUNE_NO;

    if (prune->verdict[name] != VERDICT_UNKNOWN)
        return prune->verdict[name] == VERDICT_DROPS ? PRUNE_YES : PRUNE_NO;
    if (timestamp_monotonic_ns() > prune->deadline_ns)
        return PRUNE_GIVE_UP;
    if (text.size_bytes > 0) {
        text = simplify(text);
        match = prune_pattern_match(prune->drop, text);
    }
    if (match == PRUNE_YES && prune->keep) {
        match = prune_pattern_match(prune->keep, text);
        if (match == PRUNE_YES || match == PRUNE_NO)
            match = match == PRUNE_YES ? PRUNE_NO : PRUNE_YES;
    }
    if (match == PRUNE_YES || match == PRUNE_NO)
        prune->verdict[name] = match == PRUNE_YES ? VERDICT_DROPS : VERDICT_STAYS;
    return match;
}

/* Decides how many lines of each location go: all up to the outermost that drops. PRUNE_GIVE_UP and
 * PRUNE_NO_MEMORY as they come, else PRUNE_YES. */
static enum prune_match judge_locations(struct prune *prune)
{
    const struct profile *p = prune->profile;

    for (uint32_t i = 0; i < p->location_count; i++) {
        uint32_t first = p->location_line_first[i];
        uint32_t line = p->location_line_first[i + 1];

        for (; line > first; line--) {
            enum prune_match match =
                judge_name(prune, p->function_name[p->line_function[line - 1]]);

            if (match == PRUNE_GIVE_UP || match == PRUNE_NO_MEMORY)
                return match;
            if (match == PRUNE_YES)
                break;
        }
        prune->cut[i] = line - first;
    }
    return PRUNE_YES;
}

/* A location goes whole when its outermost line drops; else only inlined lines of it go. */
static bool goes_whole(const struct profile *p, const struct prune *prune, uint32_t location)
{
    return prune->cut[location] ==
           p->location_line_first[location + 1] - p->location_line_first[location];
}

/* How many frames of the stack, from the leaf, go. Nothing before the first frame that no rule
 * touches, scanning from the root, so that a stack is never emptied by its own start routine. */
static uint32_t count_dropped(const struct prune *prune, const uint32_t *stack, uint32_t depth)
{
    bool found_user = false;

    for (uint32_t i = depth; i > 0; i--) {
        uint32_t location = stack[i - 1];

        if (prune->cut[location] == 0)
            found_user = true;
        else if (found_user)
            return goes_whole(prune->profile, prune, location) ? i : i - 1;
    }
    return 0;
}

static void cut_stacks(const struct prune *prune)
{
    struct profile *p = prune->profile;
    uint32_t from = 0;
    uint32_t to = 0;

    for (uint32_t s = 0; s < p->sample_count; s++) {
        uint32_t end = p->sample_location_first[s + 1];

        from += count_dropped(prune, p->sample_locations + from, end - from);
        while (from < end)
            p->sample_locations[to++] = p->sample_locations[from++];
        p->sample_location_first[s + 1] = to;
    }
}

/* Takes inlined lines out of locations that stay. Those that go whole keep theirs: stacks whose
 * only frames they are still show them. */
static void cut_lines(const struct prune *prune)
{
    struct profile *p = prune->profile;
    uint32_t from = 0;
    uint32_t to = 0;

    for (uint32_t i = 0; i < p->location_count; i++) {
        uint32_t end = p->location_line_first[i + 1];
        uint32_t cut = prune->cut[i];

        from += cut < end - from ? cut : 0;
        for (; from < end; from++, to++) {
            p->line_function[to] = p->line_function[from];
            p->line_number[to] = p->line_number[from];
        }
        p->location_line_first[i + 1] = to;
    }
}

static enum status apply(struct prune *prune, struct arena *arena, struct error *err)
{
    struct profile *p = prune->profile;
    enum prune_match judged;

    prune->verdict = arena_array(arena, p->string_count, uint8_t);
    prune->cut = arena_array(arena, p->location_count, uint32_t);
    if (!prune->verdict || !prune->cut)
        return arena_exhausted(arena, err, "drop_frames");
    memset(prune->verdict, VERDICT_UNKNOWN, p->string_count);
    prune->deadline_ns = timestamp_monotonic_ns() + LIMIT_PRUNE_TOTAL_MS * INT64_C(1000000);
    judged = judge_locations(prune);
    if (judged == PRUNE_NO_MEMORY)
        return arena_exhausted(arena, err, "matching drop_frames");
    if (judged == PRUNE_GIVE_UP)
        return STATUS_OK;
    cut_stacks(prune); /* before the lines, which tell whole locations from partial ones */
    cut_lines(prune);
    return STATUS_OK;
}

enum status prune_profile(struct profile *profile, struct arena *arena, struct error *err)
{
    CLEANUP(prune_pattern_cleanup) struct prune_pattern *drop = NULL;
    CLEANUP(prune_pattern_cleanup) struct prune_pattern *keep = NULL;
    struct slice keep_frames = profile->strings[profile->keep_frames];
    enum status status;

    status = prune_pattern_compile(profile->strings[profile->drop_frames], arena, err, &drop);
    if (status != STATUS_OK || !drop)
        return status;
    status = prune_pattern_compile(keep_frames, arena, err, &keep);
    if (status != STATUS_OK || (!keep && keep_frames.size_bytes > 0))
        return status; /* an invalid exception voids the rule, as in the reference */
    return apply(&(struct prune){.profile = profile, .drop = drop, .keep = keep}, arena, err);
}

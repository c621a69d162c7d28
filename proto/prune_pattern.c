/* SPDX-License-Identifier: Apache-2.0 */
/* drop_frames and keep_frames on PCRE2.
 *
 * Input: an expression in RE2 syntax and names. Output: yes, no, or "gave up". The expression is
 * set between "^(" and ")$" as text, like the reference does it. */
#include "proto/prune_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "proto/base/limits.h"
#include "proto/base/utf8.h"
#include "proto/re2_syntax.h"

/* Stack of JIT code: nested groups over a name of some KiB; what needs more gives up. */
#define JIT_STACK_BYTES (512 * LIMIT_KIB)

struct prune_pattern {
    struct arena *arena;
    pcre2_general_context *memory;
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *limits;
    pcre2_jit_stack *jit_stack;
};

static void *pattern_alloc(size_t size_bytes, void *arena)
{
    return arena_alloc(arena, size_bytes, 16);
}

static void pattern_release(void *memory, void *arena)
{
    (void)memory; /* the arena's */
    (void)arena;
}

/* "^(" expression ")$" */
static enum status anchor(struct slice expression, struct arena *arena, struct error *err,
                          struct slice *ret_text)
{
    size_t size_bytes = expression.size_bytes + 4;
    char *text = arena_alloc(arena, size_bytes, 1);

    if (!text)
        return arena_exhausted(arena, err, "drop_frames");
    memcpy(text, "^(", 2);
    memcpy(text + 2, expression.data, expression.size_bytes);
    memcpy(text + size_bytes - 2, ")$", 2);
    *ret_text = slice_make(text, size_bytes);
    return STATUS_OK;
}

/* NULL: not a valid expression, or no memory, told apart by `ret_no_memory`. */
static pcre2_code *compile(struct slice text, pcre2_general_context *memory, bool *ret_no_memory)
{
    pcre2_compile_context *context = pcre2_compile_context_create(memory);
    pcre2_code *code = NULL;
    int fault = PCRE2_ERROR_NOMEMORY;
    PCRE2_SIZE offset;

    if (context && pcre2_set_newline(context, PCRE2_NEWLINE_LF) == 0)
        code = pcre2_compile((PCRE2_SPTR)text.data, text.size_bytes,
                             PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C |
                                 PCRE2_NO_AUTO_CAPTURE,
                             &fault, &offset, context);
    *ret_no_memory = !code && (fault == PCRE2_ERROR_NOMEMORY || fault == PCRE2_ERROR_HEAP_FAILED);
    return code;
}

static bool prepare_matching(struct prune_pattern *pattern)
{
    pattern->match = pcre2_match_data_create(1, pattern->memory);
    pattern->limits = pcre2_match_context_create(pattern->memory);
    if (!pattern->match || !pattern->limits)
        return false;
    pcre2_set_match_limit(pattern->limits, LIMIT_PRUNE_MATCH_STEPS);
    pcre2_set_depth_limit(pattern->limits, LIMIT_PRUNE_MATCH_STEPS);
    if (pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE) != 0)
        return true; /* no JIT on this machine: PCRE2 interprets, under the same limits */
    pattern->jit_stack = pcre2_jit_stack_create(32 * LIMIT_KIB, JIT_STACK_BYTES, pattern->memory);
    if (pattern->jit_stack)
        pcre2_jit_stack_assign(pattern->limits, NULL, pattern->jit_stack);
    return true;
}

enum status prune_pattern_compile(struct slice expression, struct arena *arena, struct error *err,
                                  struct prune_pattern **ret_pattern)
{
    CLEANUP(prune_pattern_cleanup) struct prune_pattern *pattern = NULL;
    struct slice text;
    bool no_memory;
    enum status status;

    if (expression.size_bytes == 0 || expression.size_bytes > LIMIT_PRUNE_PATTERN_BYTES ||
        !re2_syntax_allows(expression)) {
        *ret_pattern = NULL;
        return STATUS_OK;
    }
    status = anchor(expression, arena, err, &text);
    if (status != STATUS_OK)
        return status;
    pattern = arena_array(arena, 1, struct prune_pattern);
    if (!pattern)
        return arena_exhausted(arena, err, "drop_frames");
    *pattern = (struct prune_pattern){.arena = arena};
    pattern->memory = pcre2_general_context_create(pattern_alloc, pattern_release, arena);
    if (!pattern->memory)
        return arena_exhausted(arena, err, "drop_frames");
    pattern->code = compile(text, pattern->memory, &no_memory);
    if (no_memory)
        return arena_exhausted(arena, err, "drop_frames");
    if (!pattern->code) {
        *ret_pattern = NULL;
        return STATUS_OK;
    }
    if (!prepare_matching(pattern))
        return arena_exhausted(arena, err, "drop_frames");
    *ret_pattern = pattern;
    pattern = NULL;
    return STATUS_OK;
}

/* `name` with each byte outside UTF-8 as U+FFFD. False: no memory. */
static bool replace_invalid(struct arena *arena, struct slice name, struct slice *ret_name)
{
    char *text = arena_alloc_array(arena, name.size_bytes, 3, 1);
    size_t size_bytes = 0;

    if (!text)
        return false;
    for (size_t at = 0; at < name.size_bytes;) {
        size_t length = 1;

        while (length <= 4 && at + length <= name.size_bytes &&
               !utf8_valid(slice_make(name.data + at, length)))
            length++;
        if (length <= 4 && at + length <= name.size_bytes) {
            memcpy(text + size_bytes, name.data + at, length);
            size_bytes += length;
            at += length;
        } else {
            memcpy(text + size_bytes, "\xef\xbf\xbd", 3);
            size_bytes += 3;
            at++;
        }
    }
    *ret_name = slice_make(text, size_bytes);
    return true;
}

enum prune_match prune_pattern_match(struct prune_pattern *pattern, struct slice name)
{
    int result;

    if (!utf8_valid(name) && !replace_invalid(pattern->arena, name, &name))
        return PRUNE_NO_MEMORY;
    result = pcre2_match(pattern->code, (PCRE2_SPTR)(name.size_bytes > 0 ? name.data : ""),
                         name.size_bytes, 0, PCRE2_NO_UTF_CHECK, pattern->match, pattern->limits);
    if (result >= 0)
        return PRUNE_YES;
    if (result == PCRE2_ERROR_NOMEMORY || result == PCRE2_ERROR_HEAPLIMIT)
        return PRUNE_NO_MEMORY;
    return result == PCRE2_ERROR_NOMATCH ? PRUNE_NO : PRUNE_GIVE_UP;
}

void prune_pattern_free(struct prune_pattern *pattern)
{
    if (!pattern)
        return;
    pcre2_jit_stack_free(pattern->jit_stack);
    pcre2_code_free(pattern->code); /* NULL is allowed; frees the JIT code */
}

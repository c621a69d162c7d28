/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 checks for text that leaves the process.
 *
 * pprof strings are arbitrary bytes in practice. Brazier cleans a name once, when it enters the
 * call tree, so that names which differ in such a byte stay apart (only a name that spells an
 * escape out, "\xff", meets the one that has the byte); everything behind that point may rely on
 * valid UTF-8. */
#ifndef BRAZIER_PROTO_BASE_UTF8_H
#define BRAZIER_PROTO_BASE_UTF8_H

#include <stdbool.h>

#include "proto/base/arena.h"
#include "proto/base/slice.h"

/* True when the bytes are well-formed UTF-8 (no surrogates, no overlong forms, <= U+10FFFF).
 * NUL and control characters are well-formed. */
bool utf8_valid(struct slice text);

/* `text` with each byte that is not part of well-formed UTF-8 written as the four characters
 * \xHH (lower-case hex). Returns `text` itself when nothing needs replacing; else the result lives
 * in `arena`. STATUS_TOO_LARGE: arena; `ret_clean` is then as it was. */
CHECKED enum status utf8_clean(struct slice text, struct arena *arena, struct error *err,
                               struct slice *ret_clean);

/* Replaces, in place, control characters and bytes outside well-formed UTF-8 by '?'. For messages
 * and log lines. */
void utf8_mask(char *text);

#endif

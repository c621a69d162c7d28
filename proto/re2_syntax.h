/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a regular expression is one that RE2 and Go's regexp package would compile.
 *
 * drop_frames and keep_frames are written for them; PCRE2, which runs them here, knows more. A
 * pattern with a lookahead or a back reference is invalid to the reference, which then keeps all
 * frames, so it has to be invalid here too. This checks only for what PCRE2 accepts and RE2 does
 * not; what both refuse is left to the compiler. Known difference: \v and \s also match what PCRE2
 * adds to them (vertical tab and other vertical space), which no function name holds. */
#ifndef BRAZIER_PROTO_RE2_SYNTAX_H
#define BRAZIER_PROTO_RE2_SYNTAX_H

#include "proto/base/slice.h"

bool re2_syntax_allows(struct slice pattern);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles as lines of text, for tests whose subject is stacks.
 *
 *     main;serve;parse 3
 *     main;serve+handler;write 2
 *      1
 *
 * One sample a line: frames from the root to the leaf, a space, the value. "serve+handler" is one
 * location with two lines: handler was inlined into serve. Equal texts of a frame are one location,
 * equal names one function. */
#ifndef BRAZIER_TESTS_STACKS_H
#define BRAZIER_TESTS_STACKS_H

#include "proto/base/arena.h"
#include "proto/base/buf.h"
#include "proto/profile.h"

/* Bounds of what a test may write. */
#define STACKS_MAX_ELEMENTS 256

/* The profile of `text`, one sample type "samples", with the given drop_frames and keep_frames ("":
 * none). Fails the running test when something does not fit. Lives in `arena`; strings point into
 * the arguments. */
struct profile stacks_profile(const char *text, const char *drop_frames, const char *keep_frames,
                              struct arena *arena);

/* The inverse: appends the samples of `profile` as text. */
void stacks_print(const struct profile *profile, struct buf *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a profile that the agent wrote, for tests: sums by function name. A file that cannot be
 * read or decoded fails the test. */
#ifndef BRAZIER_TESTS_UNIT_AGENT_PROFILE_H
#define BRAZIER_TESTS_UNIT_AGENT_PROFILE_H

#include "proto/base/arena.h"
#include "proto/profile.h"

struct agent_profile {
    struct arena *arena;
    struct profile profile;
};

/* The caller frees it with agent_profile_free. */
struct agent_profile *agent_profile_read(const char *path);
struct agent_profile *agent_profile_decode(struct slice gzip_bytes);
void agent_profile_free(struct agent_profile *read);

/* Nanoseconds of CPU: of everything; of stacks whose leaf is `function`; of stacks that contain it;
 * of stacks in which `caller` calls `callee` directly. */
int64_t agent_profile_all_ns(const struct agent_profile *read);
int64_t agent_profile_self_ns(const struct agent_profile *read, const char *function);
int64_t agent_profile_total_ns(const struct agent_profile *read, const char *function);
int64_t agent_profile_call_ns(const struct agent_profile *read, const char *caller,
                              const char *callee);

/* The deepest stack, in frames. */
uint32_t agent_profile_depth(const struct agent_profile *read);

/* True when a comment equals `text`. */
bool agent_profile_has_comment(const struct agent_profile *read, const char *text);

/* Index of the first function of that name; UINT32_MAX. */
uint32_t agent_profile_function(const struct agent_profile *read, const char *function);

#endif

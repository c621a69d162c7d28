/* SPDX-License-Identifier: Apache-2.0 */
/* drop_frames and keep_frames, applied to one profile as the pprof reference does
 * (profile/prune.go, RemoveUninteresting): scanning each stack from the root, after at least one
 * frame that stays, the first location whose simplified function name matches drop_frames in full
 * (and not keep_frames) is cut away together with everything on its leaf side; the value becomes
 * self of the caller. Inlined lines below a match inside one location go too. */
#ifndef BRAZIER_PROTO_PRUNE_H
#define BRAZIER_PROTO_PRUNE_H

#include "proto/base/arena.h"
#include "proto/profile.h"

/* Edits stacks and location lines of `profile` in place. A pattern that is invalid, too long or
 * exceeds its match budget (LIMIT_PRUNE_*) leaves the profile exactly as it was and still succeeds.
 * STATUS_TOO_LARGE: arena budget. */
CHECKED enum status prune_profile(struct profile *profile, struct arena *arena, struct error *err);

#endif
